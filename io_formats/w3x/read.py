"""Bytes to Document, by the parser of the standard library.

Each animation and each skeleton becomes a tree of elements, from which it is made when it closes; of all else only the
place is kept. What an asset gets wrong makes it one that is only carried, as long as the XML itself is well-formed.
"""

from __future__ import annotations

import re
from xml.parsers import expat

import numpy as np

from .. import messages as common_messages
from ..errors import FormatError, Report
from ..files import messages as files_messages
from ..files.memory import reckon
from ..files.steps import AtOnce, Steps
from ..files.whole_file import Unread
from ..options import SIZE_LIMIT
from . import elements, layout, messages
from .document import Animation, Carried, Channel, Document, Hierarchy, Include, element_end, plain_name, tag_at
from .elements import Attributes, Element, frames_at

LOOKED_AT = 1 << 16
"""Bytes of a file by which it is recognised."""

_ROOT = re.compile(rb"<(?:[\w.-]+:)?" + layout.ROOT.encode() + rb"[\s/>]")
_PARSED = 1 << 21
"""Bytes that are parsed in one step."""
_SHOWN = 40
_UTF_16 = (b"\xff\xfe", b"\xfe\xff", b"<\0", b"\0<")

_WIDTHS = {layout.SCALAR: 1, layout.QUATERNION: 4}
"""Numbers of a frame, by the element of its channel."""


def matches(data: bytes | Unread) -> bool:
    """Return whether these bytes look like a W3X file, or like the maps that share its ending."""
    start = bytes(data[:LOOKED_AT])
    if start.startswith(layout.WARCRAFT):
        return True
    text = start.replace(b"\0", b"")  # UTF-16 is refused with a reason
    return text.lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n").startswith(b"<") and _ROOT.search(text) is not None


@AtOnce
def read(data: bytes, *, limit: int = SIZE_LIMIT, report: Report | None = None) -> Steps[Document]:
    """Read a W3X file, a block of its text at a time.

    Args:
        limit: most bytes that are taken.
        report: receives what assets get wrong.

    Raises:
        FormatError: it is no well-formed XML in UTF-8 around `AssetDeclaration`, or has what no such file needs:
            a document type, elements too deep within each other.
    """
    if len(data) > limit:
        raise FormatError(files_messages.FILE_TOO_LARGE, offset=0, size=len(data), limit=limit)
    if not data:
        raise FormatError(common_messages.EMPTY_FILE, offset=0)
    if data.startswith(layout.WARCRAFT):
        raise FormatError(messages.WARCRAFT_MAP, offset=0)
    if data.startswith(_UTF_16):
        raise FormatError(messages.OTHER_ENCODING, offset=0, found="UTF-16")
    reader = _Reader(bytes(data), Report() if report is None else report)
    for start in range(0, len(data), _PARSED):
        end = min(start + _PARSED, len(data))
        try:
            reader.parser.Parse(reader.data[start:end], end == len(data))
        except expat.ExpatError as error:
            reason, place = expat.ErrorString(error.code), reader.parser.ErrorByteIndex
            raise FormatError(messages.NOT_WELL_FORMED, offset=place, reason=reason) from error
        yield start / len(data)
    return reader.document


class _Reader:
    """One file being read: the parser, the document, and the open elements, None for those of which nothing is kept."""

    def __init__(self, data: bytes, report: Report) -> None:
        self.data = data
        self.document = Document(data)
        self.report = report
        self.parser = expat.ParserCreate("utf-8")
        self.parser.buffer_text = True
        self.parser.XmlDeclHandler = self._declared
        self.parser.StartDoctypeDeclHandler = self._doctype
        self._listen()
        self._parts = 0
        self._stack: list[Element | None] = []

    def _declared(self, _version: str, encoding: str | None, _standalone: int) -> None:
        if encoding is not None and encoding.lower() not in ("utf-8", "us-ascii"):
            raise FormatError(messages.OTHER_ENCODING, offset=0, found=encoding[:_SHOWN])

    def _doctype(self, _name: str, _system: str | None, _public: str | None, _internal: bool) -> None:
        raise FormatError(messages.DOCTYPE, offset=self.parser.CurrentByteIndex)

    def _listen(self) -> None:
        self.parser.StartElementHandler = self._enter
        self.parser.EndElementHandler = self._leave

    def _enter(self, name: str, attributes: Attributes) -> None:
        stack, place = self._stack, self.parser.CurrentByteIndex
        if len(stack) == layout.MOST_DEEP:
            raise FormatError(messages.TOO_DEEP, offset=place, limit=layout.MOST_DEEP)
        if not stack and plain_name(name) != layout.ROOT:
            raise FormatError(messages.OTHER_ROOT, offset=place, found=name[:_SHOWN])
        around = stack[-1] if stack else None
        if len(stack) > 1 and (around is None or (len(stack) == 2 and around.name not in _KNOWN)):
            stack.append(None)
            return
        element = Element(plain_name(name), attributes, place)
        stack.append(element)
        self._parts += min(len(stack) - 1, 2)  # within an asset, with the texts of its attributes
        reckon(parts=self._parts)
        if around is not None and len(stack) > 2:
            around.parts.append(element)
            if element.name == layout.FRAME:
                self.parser.CharacterDataHandler = element.texts.append
            elif element.name in _WIDTHS and around.name == layout.CHANNELS:
                self._take_frames(element, name)

    def _take_frames(self, channel: Element, name: str) -> None:
        """Take all frames at once, and be told no more of the channel but its end, if they are written as is usual."""
        tag = tag_at(self.data, channel.start)
        channel.frames = None if tag.is_whole else frames_at(self.data, tag.span.end, _WIDTHS[channel.name])
        if channel.frames is None:
            return

        def leave(left: str) -> None:
            if left == name:
                self._listen()
                self._leave(left)

        self.parser.StartElementHandler = None
        self.parser.EndElementHandler = leave

    def _leave(self, _: str) -> None:
        element = self._stack.pop()
        if element is None:
            return
        element.close = self.parser.CurrentByteIndex
        element.end = element_end(self.data, element.start, element.close)
        if element.name == layout.FRAME:
            self.parser.CharacterDataHandler = None
        if not self._stack:
            self.document.inside = element.inside(self.data)
        elif len(self._stack) == 1:
            self._add(element)

    def _add(self, element: Element) -> None:
        """Add an asset to the document, or what stands before them."""
        document, name = self.document, element.attributes.get("id", "")
        try:
            if element.name == layout.INCLUDES:
                document.includes_inside = element.inside(self.data)
                found = (part.attributes for part in element.all(layout.INCLUDE))
                document.includes += [Include(own.get("type", ""), own.get("source", "")) for own in found]
            elif element.name == layout.TAGS:
                document.tags = element.span
            elif element.name == layout.HIERARCHY:
                document.hierarchies.append(_hierarchy(element, self.data))
            elif element.name == layout.ANIMATION:
                document.animations.append(_animation(element, self.data))
            elif element.name != layout.DEFINES:
                document.carried.append(Carried(element.name, name, element.start, element.end))
        except FormatError as problem:
            document.problem = document.problem or problem.with_traceback(None)
            self.report.warn(messages.NOT_UNDERSTOOD, kind=element.name, name=name, reason=str(problem))
            document.carried.append(Carried(element.name, name, element.start, element.end))


_KNOWN = (layout.INCLUDES, layout.HIERARCHY, layout.ANIMATION)
"""The elements right within the root of which parts are wanted."""


_AT_REST = Element("", {"X": "0", "Y": "0", "Z": "0", "W": "1"})
"""What a pivot has instead of a Translation or a Rotation."""


def _hierarchy(asset: Element, data: bytes) -> Hierarchy:
    name, pivots = asset.text("id"), asset.all(layout.PIVOT)
    facts = [(pivot.text("Name"), pivot.whole("Parent", -1, layout.MOST_PIVOTS)) for pivot in pivots]
    held = [{part.name: part for part in pivot.parts} for pivot in pivots]
    translations = [parts.get("Translation", _AT_REST).floats(layout.TRANSLATION) for parts in held]
    rotations = [parts.get("Rotation", _AT_REST).floats(layout.ROTATION) for parts in held]
    return Hierarchy(
        name,
        [own for own, _ in facts],
        np.array([parent for _, parent in facts], np.int64),
        elements.float32(translations).reshape(-1, 3),
        elements.float32(rotations).reshape(-1, 4),
        [data[slice(*parts["FixupMatrix"].span)] if "FixupMatrix" in parts else b"" for parts in held],
        data[asset.start : asset.end],
        asset.span,
    )


def _animation(asset: Element, data: bytes) -> Animation:
    name, hierarchy = asset.text("id"), asset.text("Hierarchy")
    count, rate = asset.whole("NumFrames", 0, layout.MOST_FRAMES), asset.whole("FrameRate", 0, layout.MOST_FRAMES)
    settings, lists = asset.all(layout.SETTINGS), asset.all(layout.CHANNELS)
    channels = [_channel(part) for held in lists for part in held.parts if part.name in _WIDTHS]
    if not lists:
        raise FormatError(messages.NO_CHANNELS, offset=asset.start)
    own = settings[-1].attributes if settings else None
    return Animation(name, hierarchy, count, rate, own, channels, asset.span, lists[-1].inside(data))


def _channel(element: Element) -> Channel:
    pivot = element.whole("Pivot", 0, layout.MOST_PIVOTS - 1)
    kind, first = element.text("Type"), element.whole("FirstFrame", 0, layout.MOST_FRAMES)
    if element.frames is not None:
        return Channel(pivot, kind, first, *element.frames, element.span)
    # one after the other, as they are written in another way than `frames_at` takes
    frames, width = element.all(layout.FRAME), _WIDTHS[element.name]
    steps = [frame.switch(layout.STEP) for frame in frames]
    if width == 1:
        numbers = [elements.floats(["".join(frame.texts)], frame.start) for frame in frames]
    else:
        numbers = [frame.floats(layout.ROTATION) for frame in frames]
    values = elements.float32(numbers).reshape(-1, width)
    return Channel(pivot, kind, first, values, np.array(steps, bool), element.span)
