"""A W3X file: its bytes, and what stands where in them.

The bytes are the file; whoever changes something makes other bytes and reads them. So comments, order, the spelling
of numbers and all that is not about motion stay as they are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from ..clip import Array
from ..compare import equal
from ..errors import FormatError
from .spans import NOWHERE, Span


class Part:
    """What a file holds, equal to another of the same bits."""

    def __eq__(self, other: object) -> bool:
        return equal(self, other)


@dataclass(eq=False)
class Channel(Part):
    """What one pivot does in one way, frame by frame.

    Attributes:
        pivot: number in the hierarchy.
        type: as the file has it, mostly one of `layout.ChannelType`.
        first: frame of the first value.
        values: (frames, 1) or (frames, 4) float32; quaternions x, y, z, w.
        steps: (frames,) bool: the value before holds until this frame.
        span: the element.
    """

    pivot: int
    type: str
    first: int
    values: Array
    steps: Array
    span: Span


@dataclass(eq=False)
class Animation(Part):
    """One animation.

    Attributes:
        name: its id.
        hierarchy: id of the hierarchy that it moves.
        frame_count, rate: of the whole; frames a second.
        settings: attributes of `CompressionSettings`, None without that element.
        channels: in the order of the file.
        span: the element.
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
class Hierarchy(Part):
    """A skeleton.

    Attributes:
        name: its id.
        names: of the pivots.
        parents: (pivots,) int64, -1 for none.
        translations: (pivots, 3) float32.
        rotations: (pivots, 4) float32 x, y, z, w.
        fixups: each pivot's `FixupMatrix`, which games do not use, as it is written; empty where there is none.
        text: the element.
        span: where it stands.
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


@dataclass(frozen=True)
class Include:
    """Another file that the compiler reads first: `all`, `instance` or `reference`, and where it is."""

    kind: str
    source: str


@dataclass(eq=False)
class Document:
    """One file.

    Attributes:
        data: its bytes.
        hierarchies, animations, carried: its assets, each kind in the order of the file.
        includes: the files that it names.
        inside: what is between the tags of the root; where the root is one tag, that tag.
        includes_inside: the same of `Includes`; nowhere without that element.
        tags: the element `Tags`, behind which the schema wants `Includes`; nowhere without it.
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
    """Return the id that a reference means, which may be written `Type:Name`."""
    return reference.rpartition(":")[2]
