"""A W3D file in its own terms: chunks in file order, nothing left out.

Every chunk keeps its container bit as found and the bytes that follow its data. What has no meaning here
(meshes, models, unknown chunks) is an `OpaqueChunk` in its place. Arrays may be read-only views of the file's bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, TypeVar

import numpy as np

from .. import compare, messages
from ..clip import Array
from ..errors import FormatError
from .layout import CODE_MASK, MOTION_CODE_MASK, MOTION_STEP_BIT, PIVOT, STEP_BIT, Flavor, Kind


def text(name: bytes) -> str:
    """The text of a fixed-size name field: up to the first NUL, byte by byte (Latin-1), so that it is reversible."""
    return name.split(b"\0", 1)[0].decode("latin-1")


@dataclass(eq=False, slots=True, kw_only=True)
class Chunk:
    """What all chunks share.

    Attributes:
        flagged: bit 31 of the size ("contains chunks"); the engine ignores it, and real files have it wrong.
        tail: bytes after the data within the chunk, which the engine skips.
        excess: bytes that the chunk claims beyond the end of the file; only the last can, and the engine reads it.
    """

    KIND: ClassVar[int]
    flagged: bool = False
    tail: bytes = b""
    excess: int = 0

    def __eq__(self, other: object) -> bool:
        return compare.equal(self, other)


@dataclass(eq=False, slots=True)
class OpaqueChunk(Chunk):
    """A chunk carried as it is, with its id and its bytes."""

    kind: int
    data: bytes


ChunkT = TypeVar("ChunkT", bound=Chunk)


@dataclass(eq=False, slots=True)
class Container(Chunk):
    """A chunk that holds chunks."""

    parts: list[Chunk]

    def all(self, kind: type[ChunkT]) -> Iterator[ChunkT]:
        """The sub-chunks of one class, in file order."""
        return (part for part in self.parts if isinstance(part, kind))

    def first(self, kind: type[ChunkT]) -> ChunkT | None:
        """The first sub-chunk of that class."""
        return next(self.all(kind), None)


# --- Skeleton -----------------------------------------------------------------------------------


@dataclass(eq=False, slots=True)
class HierarchyHeader(Chunk):
    """Version, name (16 bytes as found), pivot count, centre (3,) float32."""

    KIND: ClassVar[int] = Kind.HIERARCHY_HEADER
    version: int
    name: bytes
    pivot_count: int
    center: Array


@dataclass(eq=False, slots=True)
class Pivots(Chunk):
    """(n,) records of `layout.PIVOT`."""

    KIND: ClassVar[int] = Kind.PIVOTS
    records: Array


@dataclass(eq=False, slots=True)
class Fixups(Chunk):
    """(n, 4, 3) float32; from the modelling program's node space to the pivot, of no effect on playback."""

    KIND: ClassVar[int] = Kind.PIVOT_FIXUPS
    matrices: Array


@dataclass(eq=False, slots=True)
class Hierarchy(Container):
    """A skeleton: header, pivots, fixups."""

    KIND: ClassVar[int] = Kind.HIERARCHY

    @property
    def header(self) -> HierarchyHeader:
        """The header; the reader lets no hierarchy pass without one."""
        return _required(self, HierarchyHeader)

    @property
    def name(self) -> str:
        """The hierarchy's name."""
        return text(self.header.name)

    @property
    def records(self) -> Array:
        """(n,) records of `layout.PIVOT`, as many as the header counts and the file holds."""
        pivots = self.first(Pivots)
        return np.zeros(0, PIVOT) if pivots is None else pivots.records[: self.header.pivot_count]


# --- Raw animation ------------------------------------------------------------------------------


@dataclass(eq=False, slots=True)
class AnimationHeader(Chunk):
    """Version, names (16 bytes each as found), frame count, whole frames per second."""

    KIND: ClassVar[int] = Kind.ANIMATION_HEADER
    version: int
    name: bytes
    hierarchy: bytes
    frame_count: int
    rate: int


@dataclass(eq=False, slots=True)
class RawChannel(Chunk):
    """A value for each frame from `first` to `last`; identity elsewhere.

    Attributes:
        type: `layout.ChannelType` or anything else.
        padding: a word that the exporter leaves uninitialised.
        values: (frames, vector length) float32.
    """

    KIND: ClassVar[int] = Kind.ANIMATION_CHANNEL
    first: int
    last: int
    type: int
    pivot: int
    padding: int
    values: Array


@dataclass(eq=False, slots=True)
class BitChannel(Chunk):
    """A bit for each frame from `first` to `last`, `default` elsewhere (1 = visible, anything else hidden).

    `bits`: bytes as found, lowest bit first; spare bits of the last byte are kept.
    """

    KIND: ClassVar[int] = Kind.BIT_CHANNEL
    first: int
    last: int
    type: int
    pivot: int
    default: int
    bits: bytes

    @property
    def outside(self) -> bool:
        """The value outside of the range: the engine tests for exactly 1."""
        return self.default == 1


@dataclass(eq=False, slots=True)
class LiteralBitChannel(Chunk):
    """A bit channel as the public document has it, with a float for a default; no engine writes this."""

    KIND: ClassVar[int] = Kind.BIT_CHANNEL
    first: int
    last: int
    type: int
    pivot: int
    default: float
    bits: bytes

    @property
    def outside(self) -> bool:
        """The value outside of the range, by the document's rule."""
        return self.default >= 0.5


@dataclass(eq=False, slots=True)
class Animation(Container):
    """One uncompressed animation."""

    KIND: ClassVar[int] = Kind.ANIMATION

    @property
    def header(self) -> AnimationHeader:
        """The header; the reader lets no animation pass without one."""
        return _required(self, AnimationHeader)


# --- Compressed animation -----------------------------------------------------------------------


@dataclass(eq=False, slots=True)
class CompressedHeader(Chunk):
    """As `AnimationHeader`, and how channels are packed (`layout.Flavor`)."""

    KIND: ClassVar[int] = Kind.COMPRESSED_ANIMATION_HEADER
    version: int
    name: bytes
    hierarchy: bytes
    frame_count: int
    rate: int
    flavor: int


@dataclass(eq=False, slots=True)
class TimecodedChannel(Chunk):
    """Keys at whole frames.

    Attributes:
        codes: (n,) uint32, bit 31 = the value jumps to this key.
        values: (n, vector length) float32.
    """

    KIND: ClassVar[int] = Kind.COMPRESSED_ANIMATION_CHANNEL
    pivot: int
    type: int
    codes: Array
    values: Array

    @property
    def frames(self) -> Array:
        """(n,) the keys' frames."""
        return self.codes & np.uint32(CODE_MASK)

    @property
    def steps(self) -> Array:
        """(n,) bool, the value jumps to this key."""
        return self.codes >= np.uint32(STEP_BIT)


@dataclass(eq=False, slots=True)
class LiteralTimecodedChannel(Chunk):
    """A timecoded channel as the public document has it: 16-bit fields, all codes before all values."""

    KIND: ClassVar[int] = Kind.COMPRESSED_ANIMATION_CHANNEL
    pivot: int
    type: int
    padding: int
    codes: Array
    values: Array

    @property
    def frames(self) -> Array:
        """(n,) the keys' frames."""
        return self.codes

    @property
    def steps(self) -> Array:
        """(n,) bool; the document knows no steps."""
        return np.zeros(len(self.codes), bool)


@dataclass(eq=False, slots=True)
class DeltaChannel(Chunk):
    """Adaptive delta (0x282, flavor 1): an initial value and 4-bit differences in packets of 16 frames.

    Attributes:
        frame_count: frames, the initial one included.
        scale: () float32.
        initial: (vector length,) float32.
        packets: (rows, vector length, 9) uint8.
    """

    KIND: ClassVar[int] = Kind.COMPRESSED_ANIMATION_CHANNEL
    frame_count: int
    pivot: int
    type: int
    scale: Array
    initial: Array
    packets: Array


@dataclass(eq=False, slots=True)
class CompressedBitChannel(Chunk):
    """Bit keys: (n,) uint32 codes, bit 31 = value, the rest = frame; the default byte has no effect."""

    KIND: ClassVar[int] = Kind.COMPRESSED_BIT_CHANNEL
    pivot: int
    type: int
    default: int
    codes: Array

    @property
    def frames(self) -> Array:
        """(n,) the keys' frames."""
        return self.codes & np.uint32(CODE_MASK)

    @property
    def values(self) -> Array:
        """(n,) bool."""
        return self.codes >= np.uint32(STEP_BIT)


@dataclass(eq=False, slots=True)
class MotionKeysChannel(Chunk):
    """Battle for Middle-earth, 0x284 encoding 0: keys at whole frames.

    Attributes:
        codes: (n,) uint16, bit 15 = the value jumps to this key.
        padding: two bytes after an odd number of codes.
        values: (n, components) float32.
    """

    KIND: ClassVar[int] = Kind.COMPRESSED_MOTION_CHANNEL
    pivot: int
    type: int
    codes: Array
    padding: bytes
    values: Array

    @property
    def frames(self) -> Array:
        """(n,) the keys' frames."""
        return self.codes & np.uint16(MOTION_CODE_MASK)

    @property
    def steps(self) -> Array:
        """(n,) bool, the value jumps to this key."""
        return self.codes >= np.uint16(MOTION_STEP_BIT)


@dataclass(eq=False, slots=True)
class MotionDeltaChannel(Chunk):
    """Battle for Middle-earth, 0x284 encoding 1 or 2: 4-bit or 8-bit differences; see `DeltaChannel`.

    `packets`: (rows, components, 9 or 17) uint8.
    """

    KIND: ClassVar[int] = Kind.COMPRESSED_MOTION_CHANNEL
    encoding: int
    frame_count: int
    pivot: int
    type: int
    scale: Array
    initial: Array
    packets: Array


@dataclass(eq=False, slots=True)
class CompressedAnimation(Container):
    """One compressed animation, of any flavor."""

    KIND: ClassVar[int] = Kind.COMPRESSED_ANIMATION

    @property
    def header(self) -> CompressedHeader:
        """The header; the reader lets no animation pass without one."""
        return _required(self, CompressedHeader)

    @property
    def is_delta(self) -> bool:
        """The channels 0x282 are adaptive delta."""
        return self.header.flavor == Flavor.ADAPTIVE_DELTA


# --- Morph animation ----------------------------------------------------------------------------


@dataclass(eq=False, slots=True)
class MorphHeader(Chunk):
    """Version, names, frame count, frames per second () float32, channel count."""

    KIND: ClassVar[int] = Kind.MORPH_HEADER
    version: int
    name: bytes
    hierarchy: bytes
    frame_count: int
    rate: Array
    channel_count: int


@dataclass(eq=False, slots=True)
class MorphPoseName(Chunk):
    """The full name of the animation that holds the poses, with its NUL."""

    KIND: ClassVar[int] = Kind.MORPH_POSE_NAME
    name: bytes


@dataclass(eq=False, slots=True)
class MorphKeys(Chunk):
    """(n, 2) uint32: morph frame, pose frame."""

    KIND: ClassVar[int] = Kind.MORPH_KEYS
    keys: Array


@dataclass(eq=False, slots=True)
class MorphPivotChannels(Chunk):
    """(pivots,) uint32: the morph channel that drives each pivot."""

    KIND: ClassVar[int] = Kind.MORPH_PIVOT_CHANNELS
    channels: Array


@dataclass(eq=False, slots=True)
class MorphChannel(Container):
    """Pose name and keys."""

    KIND: ClassVar[int] = Kind.MORPH_CHANNEL


@dataclass(eq=False, slots=True)
class MorphAnimation(Container):
    """An animation that blends poses of another; carried, not played."""

    KIND: ClassVar[int] = Kind.MORPH_ANIMATION

    @property
    def header(self) -> MorphHeader:
        """The header; the reader lets no animation pass without one."""
        return _required(self, MorphHeader)


# --- The file -----------------------------------------------------------------------------------

KeysChannel = TimecodedChannel | LiteralTimecodedChannel | MotionKeysChannel
AnyDeltaChannel = DeltaChannel | MotionDeltaChannel
ValueChannel = RawChannel | KeysChannel | AnyDeltaChannel
AnyBitChannel = BitChannel | LiteralBitChannel | CompressedBitChannel
AnyAnimation = Animation | CompressedAnimation


@dataclass(eq=False, slots=True)
class Document:
    """A W3D file: its chunks in file order, and the bytes after the last of them."""

    parts: list[Chunk] = field(default_factory=list)
    tail: bytes = b""

    def __eq__(self, other: object) -> bool:
        return compare.equal(self, other)

    def all(self, kind: type[ChunkT]) -> list[ChunkT]:
        """The top-level chunks of one class, in file order."""
        return [part for part in self.parts if isinstance(part, kind)]

    @property
    def hierarchies(self) -> list[Hierarchy]:
        """The skeletons, in file order."""
        return self.all(Hierarchy)

    @property
    def animations(self) -> list[AnyAnimation]:
        """The raw and compressed animations, in file order."""
        return [part for part in self.parts if isinstance(part, (Animation, CompressedAnimation))]


def _required(container: Container, kind: type[ChunkT]) -> ChunkT:
    found = container.first(kind)
    if found is None:
        raise FormatError(messages.W3D_NO_HEADER, field=Kind(container.KIND).name)
    return found
