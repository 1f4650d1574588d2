"""Bytes to Document, by the parser of the standard library.

Elements are objects on a stack: each says what its children are, so that a file's tree is never built. What an asset
gets wrong makes it one that is only carried, as long as the XML itself is well-formed.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Sequence
from typing import TypeVar
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
from .document import Animation, Carried, Channel, Document, Hierarchy, Include, Span, element_end, local, tag_at
from .elements import Attributes, Frames, frames_at

LOOKED_AT = 1 << 16
"""Bytes of a file by which it is recognised."""

_ROOT = re.compile(rb"<(?:[\w.-]+:)?" + layout.ROOT.encode() + rb"[\s/>]")
_PARSED = 1 << 21
"""Bytes that are parsed in one step."""
_RECKONED = 256
"""Parts after which their memory is reckoned again."""
_SHOWN = 40
_UTF_16 = (b"\xff\xfe", b"\xfe\xff", b"<\0", b"\0<")

_Taken = TypeVar("_Taken")


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
    return (yield from _Reader(bytes(data), Report() if report is None else report).read())


class _Reader:
    """One file being read: the parser, the document, and the open elements."""

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
        self._stack: list[_Element | None] = [_Outside(self)]

    @property
    def place(self) -> int:
        """Offset of what the parser is at."""
        return self.parser.CurrentByteIndex

    def read(self) -> Steps[Document]:
        """Parse the whole file, some of it at a time."""
        size = len(self.data)
        for start in range(0, size, _PARSED):
            self._parse(start, min(start + _PARSED, size))
            yield start / size
        return self.document

    def _parse(self, start: int, end: int) -> None:
        try:
            self.parser.Parse(self.data[start:end], end == len(self.data))
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            raise FormatError(messages.NOT_WELL_FORMED, offset=self.parser.ErrorByteIndex, reason=reason) from error

    def count_part(self) -> None:
        """Count what stays as an object; FormatError if such parts need more memory than is allowed."""
        self._parts += 1
        if self._parts % _RECKONED == 0:
            reckon(parts=self._parts)

    def pass_over(self, name: str) -> None:
        """Be told no more of the innermost element, which has this name and none of that name within, but its end."""

        def leave(left: str) -> None:
            if left == name:
                self._listen()
                self._leave(left)

        self.parser.StartElementHandler = None
        self.parser.EndElementHandler = leave

    def _declared(self, version: str, encoding: str | None, standalone: int) -> None:
        del version, standalone
        if encoding is not None and encoding.lower() not in ("utf-8", "us-ascii"):
            raise FormatError(messages.OTHER_ENCODING, offset=0, found=encoding[:_SHOWN])

    def _doctype(self, name: str, system: str | None, public: str | None, internal: bool) -> None:
        del name, system, public, internal
        raise FormatError(messages.DOCTYPE, offset=self.place)

    def _listen(self) -> None:
        self.parser.StartElementHandler = self._enter
        self.parser.EndElementHandler = self._leave

    def _enter(self, name: str, attributes: Attributes) -> None:
        stack = self._stack
        if len(stack) > layout.MOST_DEEP:
            raise FormatError(messages.TOO_DEEP, offset=self.place, limit=layout.MOST_DEEP)
        around = stack[-1]
        stack.append(None if around is None else around.child(name, attributes))

    def _leave(self, name: str) -> None:
        del name
        element = self._stack.pop()
        if element is not None:
            element.close()


class _Element:
    """An open element of which something is wanted."""

    def child(self, name: str, attributes: Attributes) -> _Element | None:
        """Return what an element within this one is; None where nothing of it is wanted."""
        del name, attributes
        return None

    def close(self) -> None:
        """Take over what was within, now that it is whole."""


class _Spanned(_Element):
    """An element of which is wanted where it stands."""

    def __init__(self, reader: _Reader) -> None:
        self.reader = reader
        self.start = reader.place
        reader.count_part()

    @property
    def end(self) -> int:
        """Where the element ends, while it closes."""
        return element_end(self.reader.data, self.start, self.reader.place)

    @property
    def span(self) -> Span:
        """The whole element, while it closes."""
        return Span(self.start, self.end)

    @property
    def text(self) -> bytes:
        """The whole element, while it closes."""
        return self.reader.data[self.start : self.end]

    @property
    def inside(self) -> Span:
        """What is between the tags, while it closes; an element of one tag itself."""
        tag = tag_at(self.reader.data, self.start)
        return tag.span if tag.is_whole else Span(tag.span.end, self.reader.place)


class _Outside(_Spanned):
    def child(self, name: str, attributes: Attributes) -> _Element | None:
        """Return the root; FormatError for another."""
        del attributes
        if local(name) != layout.ROOT:
            raise FormatError(messages.OTHER_ROOT, offset=self.reader.place, found=name[:_SHOWN])
        return _Root(self.reader)


class _Root(_Spanned):
    def child(self, name: str, attributes: Attributes) -> _Element | None:
        """Return an asset, or the list of includes."""
        kind = local(name)
        if kind == layout.INCLUDES:
            return _Includes(self.reader)
        if kind == layout.TAGS:
            return _Tags(self.reader)
        if kind == layout.DEFINES:
            return None
        return _KNOWN.get(kind, _Asset)(self.reader, kind, attributes)

    def close(self) -> None:
        """Remember where further assets go."""
        self.reader.document.inside = self.inside


class _Tags(_Spanned):
    """Remarks on the file, which stand before everything else."""

    def close(self) -> None:
        """Remember behind what the list of includes goes."""
        self.reader.document.tags = self.span


class _Includes(_Spanned):
    def child(self, name: str, attributes: Attributes) -> None:
        """Remember an include."""
        if local(name) == layout.INCLUDE:
            self.reader.document.includes.append(Include(attributes.get("type", ""), attributes.get("source", "")))

    def close(self) -> None:
        """Remember where further includes go."""
        self.reader.document.includes_inside = self.inside


class _Asset(_Spanned):
    """An asset of which the bytes are carried."""

    def __init__(self, reader: _Reader, kind: str, attributes: Attributes) -> None:
        super().__init__(reader)
        self.kind = kind
        self.name = attributes.get("id", "")

    def close(self) -> None:
        """Carry the asset."""
        self.reader.document.carried.append(Carried(self.kind, self.name, self.start, self.end))


class _Understood(_Asset):
    """An asset that is read; one with which something is wrong ends as one that is carried."""

    def __init__(self, reader: _Reader, kind: str, attributes: Attributes) -> None:
        super().__init__(reader, kind, attributes)
        self.problem: FormatError | None = None
        self.attempt(lambda: self.begin(attributes))

    def begin(self, attributes: Attributes) -> None:
        """Take the attributes."""
        raise NotImplementedError

    def part(self, name: str, attributes: Attributes) -> _Element | None:
        """Return what an element within the asset is."""
        raise NotImplementedError

    def finish(self) -> None:
        """Add the asset to the document."""
        raise NotImplementedError

    def attempt(self, step: Callable[[], _Taken]) -> _Taken | None:
        """Return what a step gives; after the first that fails no further one is taken."""
        if self.problem is None:
            try:
                return step()
            except FormatError as problem:
                self.problem = problem.with_traceback(None)  # whose frames know this
        return None

    def child(self, name: str, attributes: Attributes) -> _Element | None:
        """Return a part of the asset, as long as nothing was wrong with it."""
        return self.attempt(lambda: self.part(name, attributes))

    def close(self) -> None:
        """Add the asset, or carry it and say what is wrong."""
        self.attempt(self.finish)
        if self.problem is not None:
            document = self.reader.document
            super().close()
            document.problem = document.problem or self.problem
            self.reader.report.warn(messages.NOT_UNDERSTOOD, kind=self.kind, name=self.name, reason=str(self.problem))


# --- Skeletons ----------------------------------------------------------------------------------


class _Hierarchy(_Understood):
    def begin(self, attributes: Attributes) -> None:
        """Make room for the pivots."""
        elements.required(attributes, "id", self.start)
        self.names: list[str] = []
        self.parents: list[int] = []
        self.translations: list[tuple[float, ...]] = []
        self.rotations: list[tuple[float, ...]] = []
        self.fixups: list[bytes] = []

    def part(self, name: str, attributes: Attributes) -> _Element | None:
        """Return a pivot."""
        if local(name) != layout.PIVOT:
            return None
        place = self.reader.place
        self.names.append(elements.required(attributes, "Name", place))
        self.parents.append(elements.whole(attributes, "Parent", place, -1, layout.MOST_PIVOTS))
        self.translations.append((0.0, 0.0, 0.0))
        self.rotations.append((0.0, 0.0, 0.0, 1.0))
        self.fixups.append(b"")
        return _Pivot(self)

    def finish(self) -> None:
        """Add the skeleton to the document."""
        self.reader.document.hierarchies.append(
            Hierarchy(
                self.name,
                self.names,
                np.array(self.parents, np.int64),
                elements.float32(self.translations).reshape(-1, 3),
                elements.float32(self.rotations).reshape(-1, 4),
                self.fixups,
                self.text,
                self.span,
            )
        )


class _Pivot(_Element):
    def __init__(self, hierarchy: _Hierarchy) -> None:
        self.hierarchy = hierarchy

    def child(self, name: str, attributes: Attributes) -> _Element | None:
        """Take one of the three parts of a pivot."""
        kind, hierarchy = local(name), self.hierarchy
        if kind == "Translation":
            hierarchy.attempt(lambda: self._put(hierarchy.translations, attributes, layout.TRANSLATION))
        elif kind == "Rotation":
            hierarchy.attempt(lambda: self._put(hierarchy.rotations, attributes, layout.ROTATION))
        elif kind == "FixupMatrix":
            return _Fixup(hierarchy)
        return None

    def _put(self, rows: list[tuple[float, ...]], attributes: Attributes, names: tuple[str, ...]) -> None:
        place = self.hierarchy.reader.place
        rows[-1] = tuple(elements.floats([elements.required(attributes, name, place) for name in names], place))


class _Fixup(_Spanned):
    """A matrix that no game uses; it is kept where a skeleton is written anew."""

    def __init__(self, hierarchy: _Hierarchy) -> None:
        super().__init__(hierarchy.reader)
        self.hierarchy = hierarchy

    def close(self) -> None:
        """Keep the matrix as it is written."""
        self.hierarchy.fixups[-1] = self.text


# --- Animations ---------------------------------------------------------------------------------


class _Animation(_Understood):
    def begin(self, attributes: Attributes) -> None:
        """Take names, length and rate."""
        elements.required(attributes, "id", self.start)
        self.hierarchy = elements.required(attributes, "Hierarchy", self.start)
        self.frame_count = elements.whole(attributes, "NumFrames", self.start, 0, layout.MOST_FRAMES)
        self.rate = elements.whole(attributes, "FrameRate", self.start, 0, layout.MOST_FRAMES)
        self.settings: Attributes | None = None
        self.channels: list[Channel] = []
        self.channels_inside: Span | None = None

    def part(self, name: str, attributes: Attributes) -> _Element | None:
        """Return the list of channels."""
        kind = local(name)
        if kind == layout.SETTINGS:
            self.settings = dict(attributes)
        return _Channels(self) if kind == layout.CHANNELS else None

    def finish(self) -> None:
        """Add the animation to the document."""
        if self.channels_inside is None:
            raise FormatError(messages.NO_CHANNELS, offset=self.start)
        self.reader.document.animations.append(
            Animation(
                self.name,
                self.hierarchy,
                self.frame_count,
                self.rate,
                self.settings,
                self.channels,
                self.span,
                self.channels_inside,
            )
        )


class _Channels(_Spanned):
    def __init__(self, animation: _Animation) -> None:
        super().__init__(animation.reader)
        self.animation = animation

    def child(self, name: str, attributes: Attributes) -> _Element | None:
        """Return a channel."""
        width = _WIDTHS.get(local(name))
        if width is None:
            return None
        return self.animation.attempt(lambda: _Channel(self.animation, name, width, attributes))

    def close(self) -> None:
        """Remember where further channels go."""
        self.animation.channels_inside = self.inside


class _Channel(_Spanned):
    """One channel: its frames are taken at once, or one after the other where they are written in another way."""

    def __init__(self, animation: _Animation, name: str, width: int, attributes: Attributes) -> None:
        super().__init__(animation.reader)
        self.animation = animation
        self.pivot = elements.whole(attributes, "Pivot", self.start, 0, layout.MOST_PIVOTS - 1)
        self.type = elements.required(attributes, "Type", self.start)
        self.first = elements.whole(attributes, "FirstFrame", self.start, 0, layout.MOST_FRAMES)
        self._width = width
        self._steps: list[bool] = []
        self._values = array("d")
        tag = tag_at(self.reader.data, self.start)
        self._frames = None if tag.is_whole else frames_at(self.reader.data, tag.span.end, width)
        if self._frames is not None:
            self.reader.pass_over(name)

    def child(self, name: str, attributes: Attributes) -> _Element | None:
        """Return a frame whose number is a text, or take one whose numbers are attributes; pass over all else."""
        if local(name) != layout.FRAME:
            return None
        return self.animation.attempt(lambda: self._frame(attributes))

    def _frame(self, attributes: Attributes) -> _Element | None:
        place = self.reader.place
        self._steps.append(layout.STEP in attributes and elements.switch(attributes[layout.STEP], place))
        if self._width == 1:
            return _ScalarFrame(self)
        self.take([elements.required(attributes, name, place) for name in layout.ROTATION])
        return None

    def take(self, texts: Sequence[str]) -> None:
        """Take the numbers of a frame."""
        self._values.extend(elements.floats(texts, self.reader.place))

    def close(self) -> None:
        """Add the channel to its animation."""
        self.animation.attempt(self._add)

    def _add(self) -> None:
        values, steps = self._frames or Frames(
            elements.float32(self._values).reshape(-1, self._width), np.array(self._steps, bool)
        )
        self.animation.channels.append(Channel(self.pivot, self.type, self.first, values, steps, self.span))


class _ScalarFrame(_Element):
    """A frame whose number is its text."""

    def __init__(self, channel: _Channel) -> None:
        self._channel = channel
        self._texts: list[str] = []
        channel.reader.parser.CharacterDataHandler = self._texts.append

    def close(self) -> None:
        """Take the text, and listen to texts no more."""
        self._channel.reader.parser.CharacterDataHandler = None
        self._channel.animation.attempt(lambda: self._channel.take(["".join(self._texts)]))


_KNOWN: dict[str, type[_Asset]] = {layout.ANIMATION: _Animation, layout.HIERARCHY: _Hierarchy}
_WIDTHS = {layout.SCALAR: 1, layout.QUATERNION: 4}
