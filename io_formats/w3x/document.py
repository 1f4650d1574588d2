"""A W3X file: its bytes, and what stands where in them.

The bytes are the file; whoever changes something makes other bytes and reads them. So comments, order, the spelling
of numbers and all that is not about motion stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple
from xml.parsers import expat

from ..clip import Array
from ..errors import FormatError
from .layout import FRAME

# Where things stand in a file's bytes: tags, their attributes, the frames of a channel; and putting others there.

_ATTRIBUTE = re.compile(rb"""\s+([^\s=/>]+)\s*=\s*("[^"]*"|'[^']*')""")
_CLOSE = re.compile(rb"\s*(/?)>")
NAME_OF_TAG = re.compile(rb"<([^\s/>]+)")


class Span(NamedTuple):
    """The bytes from `start` up to `end`."""

    start: int
    end: int


NOWHERE = Span(0, 0)


class Splice(NamedTuple):
    """Bytes that take the place of a span; one without length inserts them."""

    span: Span
    text: bytes


@dataclass(frozen=True)
class Tag:
    """A start tag: its span, whether it is an element of its own (`/>`), and the spans of attributes' values.

    The values' spans are without their quotes; attributes are in the order of the file.
    """

    span: Span
    is_whole: bool
    values: dict[str, Span]


def tag_at(data: bytes, start: int) -> Tag:
    """Return the tag that begins at `start` of well-formed XML."""
    name = NAME_OF_TAG.match(data, start)
    at = start if name is None else name.end()
    values = {}
    while (found := _ATTRIBUTE.match(data, at)) is not None:
        values[found[1].decode()] = Span(found.start(2) + 1, found.end(2) - 1)
        at = found.end()
    close = _CLOSE.match(data, at)
    return Tag(Span(start, at if close is None else close.end()), close is not None and bool(close[1]), values)


def spliced(data: bytes, splices: Iterable[Splice]) -> bytes:
    """Return the bytes with others in the place of spans, which do not overlap; in the line ends of the first line."""
    first = data.find(b"\n")
    end = b"\r\n" if first > 0 and data[first - 1 : first] == b"\r" else b"\n"
    parts, at = [], 0
    for span, text in sorted(splices, key=lambda splice: splice.span):
        parts += [data[at : span.start], text.replace(b"\r\n", b"\n").replace(b"\n", end)]
        at = span.end
    return b"".join([*parts, data[at:]])


def frames_of(data: bytes, channel: Span) -> list[Span]:
    """Return the spans of the `Frame` elements of a channel, which is an element of a well-formed file.

    It is parsed a second time, now for places alone: only channels that change need them.
    """
    text, opened = data[slice(*channel)], list[int]()
    found: list[Span] = []
    parser = expat.ParserCreate("utf-8")

    def leave(name: str) -> None:
        start = opened.pop()
        if len(opened) == 1 and plain_name(name) == FRAME:
            end = element_end(text, start, parser.CurrentByteIndex)
            found.append(Span(channel.start + start, channel.start + end))

    parser.StartElementHandler = lambda *_: opened.append(parser.CurrentByteIndex)
    parser.EndElementHandler = leave
    parser.Parse(text, True)
    return found


def element_end(data: bytes, start: int, closed: int) -> int:
    """Return where the element ends that began at `start` and of which the parser said at `closed` that it ended.

    The parser is at the tag that closes an element, and behind one that is a single tag.
    """
    if not data.startswith(b"</", closed) or (data.endswith(b"/>", start, closed) and tag_at(data, start).is_whole):
        return closed
    return data.index(b">", closed) + 1


@dataclass(eq=False)
class Channel:
    """What one pivot does in one way, frame by frame.

    Attributes:
        type: as the file has it, mostly one of `layout.ChannelType`.
        first: frame of the first value.
        values: (frames, 1) or (frames, 4) float32; quaternions x, y, z, w.
        steps: (frames,) bool: the value before holds until this frame.
    """

    pivot: int
    type: str
    first: int
    values: Array
    steps: Array
    span: Span


@dataclass(eq=False)
class Animation:
    """One animation: its id and that of the hierarchy that it moves.

    Attributes:
        frame_count, rate: of the whole; frames a second.
        settings: attributes of `CompressionSettings`, None without that element.
        channels: in the order of the file.
        inside: what is between the tags of `Channels`; where the element is one tag, that tag.
    """

    name: str
    hierarchy: str
    frame_count: int
    rate: int
    settings: dict[str, str] | None
    channels: list[Channel]
    span: Span
    inside: Span


@dataclass(eq=False)
class Hierarchy:
    """A skeleton: its id and the names of its pivots.

    Attributes:
        parents: (pivots,) int64, -1 for none.
        translations: (pivots, 3) float32.
        rotations: (pivots, 4) float32 x, y, z, w.
        fixups: each pivot's `FixupMatrix`, which games do not use, as it is written; empty where there is none.
    """

    name: str
    names: list[str]
    parents: Array
    translations: Array
    rotations: Array
    fixups: list[bytes]
    text: bytes
    span: Span


class Carried(NamedTuple):
    """An asset that is kept as it is: name of its element, its id, where it begins and ends."""

    kind: str
    name: str
    start: int
    end: int


class Include(NamedTuple):
    """Another file that the compiler reads first: `all`, `instance` or `reference`, and where it is."""

    type: str
    source: str


@dataclass(eq=False)
class Document:
    """One file.

    Attributes:
        hierarchies, animations, carried: its assets, each kind in the order of the file.
        includes: the files that it names.
        inside: what is between the tags of the root; where the root is one tag, that tag.
        includes_inside: the same of `Includes`; nowhere without that element, which the schema wants behind `tags`.
        problem: what is wrong with the first animation or skeleton that could only be carried; None if all were read.
    """

    data: bytes
    hierarchies: list[Hierarchy] = field(default_factory=list)
    animations: list[Animation] = field(default_factory=list)
    carried: list[Carried] = field(default_factory=list)
    includes: list[Include] = field(default_factory=list)
    inside: Span = NOWHERE
    includes_inside: Span = NOWHERE
    tags: Span = NOWHERE
    problem: FormatError | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Document) and self.data == other.data


def file_of(source: str) -> str:
    """Return the name of the file that an include means, in lower case, without its folders."""
    return re.split(r"[/\\:]", source)[-1].lower()


def plain_name(reference: str) -> str:
    """Return the id that a reference means, which may be `Type:Name`; of an element's name what follows its prefix."""
    return reference.rpartition(":")[2]


def write(document: Document) -> bytes:
    """Return the file's bytes."""
    return document.data
