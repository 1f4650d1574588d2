"""Bytes to Document, by the parser of the standard library.

Elements are objects on a stack: each says what its children are, so that a file's tree is never built. What an asset
gets wrong makes it one that is only carried, as long as the XML itself is well-formed.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable
from xml.parsers import expat

import numpy as np

from .. import messages as common_messages
from ..binary import SIZE_LIMIT
from ..clip import Array
from ..errors import FormatError, Report
from ..files import messages as files_messages
from ..files.memory import reckon
from ..files.whole_file import Unread
from . import layout, messages
from .document import Animation, Carried, Channel, Document, Hierarchy, Include
from .spans import Span, element_end, local, tag_at

_LOOKED_AT = 1 << 16
_ROOT = re.compile(rb"<(?:[\w.-]+:)?" + layout.ROOT.encode() + rb"[\s/>]")
_BLANK = " \t\r\n"
_WHOLE = re.compile(r"[+-]?[0-9]{1,20}")
_NO_NUMBER = re.compile(r"[^-+.0-9eEINFa \t\r\n]")
_AT_ONCE = 4096
"""Texts of numbers that are kept before they become numbers."""
_SHOWN = 40
_UTF_16 = (b"\xff\xfe", b"\xfe\xff", b"<\0", b"\0<")

Attributes = dict[str, str]
Enter = Callable[[str, Attributes], None]
Leave = Callable[[str], None]


def matches(data: bytes | Unread) -> bool:
    """Return whether these bytes look like a W3X file, or like the maps that share its ending."""
    start = bytes(data[:_LOOKED_AT])
    if start.startswith(layout.WARCRAFT):
        return True
    text = start.replace(b"\0", b"")  # UTF-16 is refused with a reason
    return text.lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n").startswith(b"<") and _ROOT.search(text) is not None


def read(data: bytes, *, limit: int = SIZE_LIMIT, report: Report | None = None) -> Document:
    """Read a W3X file.

    Args:
        data: the whole file.
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
    return _Reader(bytes(data), Report() if report is None else report).read()


class _Reader:
    """One file being read: the parser, the document, and the open elements."""

    def __init__(self, data: bytes, report: Report) -> None:
        self.data = data
        self.document = Document(data)
        self._report = report
        self.parser = expat.ParserCreate("utf-8")
        self.parser.buffer_text = True
        self.parser.XmlDeclHandler = self._declared
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.listen()
        self._parts = 0
        self._stack: list[_Element] = [_Outside(self)]

    @property
    def place(self) -> int:
        """Offset of what the parser is at."""
        return self.parser.CurrentByteIndex

    def read(self) -> Document:
        """Parse the whole file."""
        try:
            self.parser.Parse(self.data, True)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            raise FormatError(messages.NOT_WELL_FORMED, offset=self.parser.ErrorByteIndex, reason=reason) from error
        return self.document

    def count_part(self) -> None:
        """Count what stays as an object; FormatError if such parts need more memory than is allowed."""
        self._parts += 1
        reckon(parts=self._parts)

    def carry(self, kind: str, name: str, span: Span, problem: FormatError | None = None) -> None:
        """Keep an asset as bytes, with a warning if it should have been read."""
        self.document.carried.append(Carried(kind, name, span))
        if problem is not None:
            self.document.problem = self.document.problem or problem.with_traceback(None)
            self._report.warn(messages.NOT_UNDERSTOOD, kind=kind, name=name, reason=str(problem))

    def _declared(self, version: str, encoding: str | None, standalone: int) -> None:
        del version, standalone
        if encoding is not None and encoding.lower() not in ("utf-8", "us-ascii"):
            raise FormatError(messages.OTHER_ENCODING, offset=0, found=encoding[:_SHOWN])

    def _doctype(self, name: str, system: str | None, public: str | None, internal: bool) -> None:
        del name, system, public, internal
        raise FormatError(messages.DOCTYPE, offset=self.place)

    def listen(self, enter: Enter | None = None, leave: Leave | None = None) -> None:
        """Let somebody else be told of elements; without arguments, be told again."""
        self.parser.StartElementHandler = enter or self._enter
        self.parser.EndElementHandler = leave or self.leave

    def check_depth(self, further: int = 0) -> None:
        """Refuse too many open elements, of which `further` ones are not on the stack."""
        if len(self._stack) + further > layout.MOST_DEEP:
            raise FormatError(messages.TOO_DEEP, offset=self.place, limit=layout.MOST_DEEP)

    def _enter(self, name: str, attributes: Attributes) -> None:
        self.check_depth()
        self._stack.append(self._stack[-1].child(name, attributes))

    def leave(self, name: str) -> None:
        """Close the innermost element."""
        del name
        self._stack.pop().close()


class _Element:
    """An open element of which nothing is wanted."""

    def child(self, name: str, attributes: Attributes) -> _Element:
        """Return what an element within this one is."""
        del name, attributes
        return _UNREAD

    def close(self) -> None:
        """Take over what was within, now that it is whole."""


_UNREAD = _Element()


class _Spanned(_Element):
    """An element of which is wanted where it stands."""

    def __init__(self, reader: _Reader) -> None:
        self.reader = reader
        self.start = reader.place
        reader.count_part()

    @property
    def span(self) -> Span:
        """The whole element, while it closes."""
        return Span(self.start, element_end(self.reader.data, self.start, self.reader.place))

    @property
    def text(self) -> bytes:
        """The whole element, while it closes."""
        return self.reader.data[slice(*self.span)]

    @property
    def inside(self) -> Span:
        """What is between the tags, while it closes; an element of one tag itself."""
        tag = tag_at(self.reader.data, self.start)
        return tag.span if tag.is_whole else Span(tag.span.end, self.reader.place)


class _Outside(_Spanned):
    """What is around the root."""

    def child(self, name: str, attributes: Attributes) -> _Element:
        """Return the root; FormatError for another."""
        del attributes
        if local(name) != layout.ROOT:
            raise FormatError(messages.OTHER_ROOT, offset=self.reader.place, found=name[:_SHOWN])
        return _Root(self.reader)


class _Root(_Spanned):
    """The declaration of all assets."""

    def child(self, name: str, attributes: Attributes) -> _Element:
        """Return an asset, or the list of includes."""
        known = {layout.ANIMATION: _Animation, layout.HIERARCHY: _Hierarchy}
        kind = local(name)
        if kind == layout.INCLUDES:
            return _Includes(self.reader)
        if kind in ("Tags", "Defines"):
            return _UNREAD
        asset: type[_Asset] = known.get(kind, _Asset)
        return asset(self.reader, kind, attributes)

    def close(self) -> None:
        """Remember where further assets go."""
        self.reader.document.inside = self.inside


class _Includes(_Spanned):
    """The list of other files."""

    def child(self, name: str, attributes: Attributes) -> _Element:
        """Remember an include."""
        if local(name) == layout.INCLUDE:
            self.reader.document.includes.append(Include(attributes.get("type", ""), attributes.get("source", "")))
        return _UNREAD

    def close(self) -> None:
        """Remember where further includes go."""
        self.reader.document.includes_inside = self.inside


class _Asset(_Spanned):
    """An asset, of which the class itself carries the bytes; what goes wrong within one ends in that as well."""

    def __init__(self, reader: _Reader, kind: str, attributes: Attributes) -> None:
        super().__init__(reader)
        self.kind = kind
        self.name = attributes.get("id", "")
        self.problem: FormatError | None = None
        self.attempt(lambda: self.begin(attributes))

    def begin(self, attributes: Attributes) -> None:
        """Take the attributes."""

    def part(self, name: str, attributes: Attributes) -> _Element:
        """Return what an element within the asset is."""
        del name, attributes
        return _UNREAD

    def finish(self) -> None:
        """Add the asset to the document."""
        self.reader.carry(self.kind, self.name, self.span)

    def attempt(self, step: Callable[[], None]) -> None:
        """Take a step; after the first that fails no further one is taken."""
        if self.problem is None:
            try:
                step()
            except FormatError as problem:
                self.problem = problem

    def child(self, name: str, attributes: Attributes) -> _Element:
        """Return a part of the asset, as long as nothing was wrong with it."""
        if self.problem is not None:
            return _UNREAD
        try:
            return self.part(name, attributes)
        except FormatError as problem:
            self.problem = problem
            return _UNREAD

    def close(self) -> None:
        """Add the asset, or carry it with what is wrong."""
        self.attempt(self.finish)
        if self.problem is not None:
            self.reader.carry(self.kind, self.name, self.span, self.problem)


# --- Skeletons ----------------------------------------------------------------------------------


class _Hierarchy(_Asset):
    """A skeleton."""

    def begin(self, attributes: Attributes) -> None:
        """Make room for the pivots."""
        _required(attributes, "id", self.start)
        self.names: list[str] = []
        self.parents: list[int] = []
        self.translations: list[tuple[float, ...]] = []
        self.rotations: list[tuple[float, ...]] = []
        self.fixups: list[bytes] = []

    def part(self, name: str, attributes: Attributes) -> _Element:
        """Return a pivot."""
        if local(name) != layout.PIVOT:
            return _UNREAD
        place = self.reader.place
        self.names.append(_required(attributes, "Name", place))
        self.parents.append(_whole(attributes, "Parent", place, -1, layout.MOST_PIVOTS))
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
                _float32(self.translations).reshape(-1, 3),
                _float32(self.rotations).reshape(-1, 4),
                self.fixups,
                self.text,
                self.span,
            )
        )


class _Pivot(_Element):
    """One joint of a skeleton."""

    def __init__(self, hierarchy: _Hierarchy) -> None:
        self.hierarchy = hierarchy

    def child(self, name: str, attributes: Attributes) -> _Element:
        """Take one of the three parts of a pivot."""
        kind, hierarchy = local(name), self.hierarchy
        if kind == "Translation":
            hierarchy.attempt(lambda: self._put(hierarchy.translations, attributes, layout.TRANSLATION))
        elif kind == "Rotation":
            hierarchy.attempt(lambda: self._put(hierarchy.rotations, attributes, layout.ROTATION))
        elif kind == "FixupMatrix":
            return _Fixup(hierarchy)
        return _UNREAD

    def _put(self, rows: list[tuple[float, ...]], attributes: Attributes, names: tuple[str, ...]) -> None:
        place = self.hierarchy.reader.place
        rows[-1] = tuple(_numbers([_required(attributes, name, place) for name in names], place))


class _Fixup(_Spanned):
    """A matrix that no game uses; it is kept where a skeleton is written anew."""

    def __init__(self, hierarchy: _Hierarchy) -> None:
        super().__init__(hierarchy.reader)
        self.hierarchy = hierarchy

    def close(self) -> None:
        """Keep the matrix as it is written."""
        self.hierarchy.fixups[-1] = self.text


# --- Animations ---------------------------------------------------------------------------------


class _Animation(_Asset):
    """An animation."""

    def begin(self, attributes: Attributes) -> None:
        """Take names, length and rate."""
        _required(attributes, "id", self.start)
        self.hierarchy = _required(attributes, "Hierarchy", self.start)
        self.frame_count = _whole(attributes, "NumFrames", self.start, 0, layout.MOST_FRAMES)
        self.rate = _whole(attributes, "FrameRate", self.start, 0, layout.MOST_FRAMES)
        self.settings: Attributes | None = None
        self.channels: list[Channel] = []
        self.channels_inside: Span | None = None

    def part(self, name: str, attributes: Attributes) -> _Element:
        """Return the list of channels."""
        kind = local(name)
        if kind == layout.SETTINGS:
            self.settings = dict(attributes)
        return _Channels(self) if kind == layout.CHANNELS else _UNREAD

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
    """The list of channels."""

    def __init__(self, animation: _Animation) -> None:
        super().__init__(animation.reader)
        self.animation = animation

    def child(self, name: str, attributes: Attributes) -> _Element:
        """Return a channel."""
        channel = {layout.SCALAR: _ScalarChannel, layout.QUATERNION: _QuaternionChannel}.get(local(name))
        if channel is None or self.animation.problem is not None:
            return _UNREAD
        try:
            return channel(self.animation, attributes)
        except FormatError as problem:
            self.animation.problem = problem
            return _UNREAD

    def close(self) -> None:
        """Remember where further channels go."""
        self.animation.channels_inside = self.inside


class _Channel(_Spanned):
    """The frames of one channel; they are many, so that it listens to the parser itself while it is open."""

    WIDTH = 1

    def __init__(self, animation: _Animation, attributes: Attributes) -> None:
        super().__init__(animation.reader)
        self.animation = animation
        self.pivot = _whole(attributes, "Pivot", self.start, 0, layout.MOST_PIVOTS - 1)
        self.type = _required(attributes, "Type", self.start)
        self.first = _whole(attributes, "FirstFrame", self.start, 0, layout.MOST_FRAMES)
        self.count = 0
        self.steps: list[int] = []
        self.texts: list[str] = []
        self.values = array("d")
        self.depth = 0
        self.reader.listen(self.enter, self.leave)

    def enter(self, name: str, attributes: Attributes) -> None:
        """Take a frame; what else is within a channel is passed over."""
        self.depth += 1
        if self.depth > 1 or (name != layout.FRAME and local(name) != layout.FRAME):
            self.reader.check_depth(self.depth)
            return
        if self.animation.problem is None:
            if len(self.texts) >= _AT_ONCE:
                self.animation.attempt(self.flush)
            if layout.STEP in attributes:
                self.animation.attempt(lambda: self.step(attributes[layout.STEP]))
            self.count += 1
            self.frame(attributes)

    def leave(self, name: str) -> None:
        """Close an element within the channel, or the channel."""
        if self.depth == 0:
            self.reader.listen()
            self.reader.leave(name)
        else:
            self.depth -= 1

    def frame(self, attributes: Attributes) -> None:
        """Take the numbers of a frame that begins."""
        raise NotImplementedError

    def step(self, text: str) -> None:
        """Remember whether the frame that begins is jumped to."""
        if _switch(text, self.reader.place):
            self.steps.append(self.count)

    def flush(self) -> None:
        """Turn the texts so far into numbers."""
        self.values.extend(_numbers(self.texts, self.start))
        self.texts.clear()

    def close(self) -> None:
        """Add the channel to its animation."""
        self.animation.attempt(self._add)

    def _add(self) -> None:
        self.flush()
        steps = np.zeros(self.count, bool)
        steps[self.steps] = True
        values = _float32(self.values).reshape(-1, self.WIDTH)
        self.animation.channels.append(Channel(self.pivot, self.type, self.first, values, steps, self.span))


class _QuaternionChannel(_Channel):
    """Frames whose numbers are attributes."""

    WIDTH = 4

    def frame(self, attributes: Attributes) -> None:
        """Take the four numbers."""
        try:
            self.texts += (attributes["X"], attributes["Y"], attributes["Z"], attributes["W"])
        except KeyError as error:
            missing = FormatError(messages.MISSING_ATTRIBUTE, offset=self.reader.place, name=error.args[0])
            self.animation.problem = self.animation.problem or missing


class _ScalarChannel(_Channel):
    """Frames whose numbers are their texts."""

    def __init__(self, animation: _Animation, attributes: Attributes) -> None:
        super().__init__(animation, attributes)
        self.content: list[str] = []
        self.is_open = False
        self.reader.parser.CharacterDataHandler = self.content.append

    def frame(self, attributes: Attributes) -> None:
        """Forget what was between the frames."""
        del attributes
        self.content.clear()
        self.is_open = True

    def leave(self, name: str) -> None:
        """Take the text of a frame; with the channel, listen to texts no more."""
        if self.is_open and self.depth == 1:
            self.texts.append("".join(self.content))
            self.is_open = False
        elif self.depth == 0:
            self.reader.parser.CharacterDataHandler = None
        super().leave(name)


# --- Texts of numbers ---------------------------------------------------------------------------


def _required(attributes: Attributes, name: str, place: int) -> str:
    if name not in attributes:
        raise FormatError(messages.MISSING_ATTRIBUTE, offset=place, name=name)
    return attributes[name]


def _whole(attributes: Attributes, name: str, place: int, low: int, high: int) -> int:
    text = _required(attributes, name, place).strip(_BLANK)
    number = int(text) if _WHOLE.fullmatch(text) else None
    if number is None or not low <= number <= high:
        raise FormatError(messages.BAD_WHOLE_NUMBER, offset=place, field=name, low=low, high=high, found=text[:_SHOWN])
    return number


def _switch(text: str, place: int) -> bool:
    word = text.strip(_BLANK)
    if word not in ("true", "1", "false", "0"):
        raise FormatError(messages.BAD_SWITCH, offset=place, field=layout.STEP, found=text[:_SHOWN])
    return word in ("true", "1")


def _numbers(texts: list[str], place: int) -> list[float]:
    """Return the numbers of xs:float texts; Python's own reading takes more, such as "1_0" and "infinity"."""
    try:
        if _NO_NUMBER.search("".join(texts)) is None:
            return list(map(float, texts))
    except ValueError:
        pass
    raise FormatError(messages.BAD_NUMBER, offset=place, found=next(filter(_is_no_number, texts), "")[:_SHOWN])


def _is_no_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return True
    return _NO_NUMBER.search(text) is not None


def _float32(values: array[float] | list[tuple[float, ...]]) -> Array:
    """Return numbers as xs:float holds them; what is beyond its range is infinite."""
    with np.errstate(over="ignore"):
        result: Array = np.array(values, np.float64).astype(np.float32)
    return result
