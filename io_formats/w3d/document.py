"""A W3D file in its own terms: chunks in file order, nothing left out.

Every chunk keeps its container bit as found and the bytes that follow its data. What has no meaning here
(meshes, models, unknown chunks) is an `OpaqueChunk` in file order. Arrays may be read-only views of the file's bytes.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, ClassVar, Generic, TypeVar, cast

import numpy as np

from .. import binary
from ..binary import ByteReader
from ..clip import Array
from ..clip.whole_frames import lasting
from ..errors import FormatError
from ..files import messages as files_messages
from ..format import Facts
from . import layout, messages
from .layout import CHUNK_HEADER, U8, U16, U32, Encoding, Flavor, Head, Name, Raw, Record, Rows, record


def text(name: bytes) -> str:
    """Return the text of a fixed-size name field up to the first NUL; Latin-1, so that every byte is kept."""
    return name.split(b"\0", 1)[0].decode("latin-1")


@dataclass(eq=False, slots=True, kw_only=True)
class Chunk(Record):
    """What all chunks share.

    Attributes:
        KIND: the chunk's id.
        FORM: what `info` calls a channel of this class; empty if it is not a channel.
        REMARK: the warning for a chunk that no engine writes like this; None for none.
        flagged: bit 31 of the size ("contains chunks"); the engine ignores it, and in real files it may be wrong.
        tail: bytes after the data within the chunk, which the engine skips.
        excess: bytes that the chunk claims beyond the end of the file; only the last can, and the engine reads it.
    """

    FORM: ClassVar[str] = ""
    REMARK: ClassVar[str | None] = None
    flagged: bool = False
    tail: bytes = b""
    excess: int = 0

    def __eq__(self, other: object) -> bool:
        return binary.equal(self, other)

    @classmethod
    def fits(cls, payload: ByteReader, header: Chunk) -> bool:
        """Return whether a payload of this id has this form, in a container with that header; the cursor stays."""
        return True

    def remark(self, header: Chunk) -> str | None:
        """Return the warning for this very chunk, in a container with that header; None for none."""
        return self.REMARK


@record
class OpaqueChunk(Chunk):
    """A chunk that is kept as it is: its id and its bytes."""

    kind: int
    data: bytes

    def to_bytes(self) -> bytes:
        """Return the bytes as found."""
        return self.data


ChunkT = TypeVar("ChunkT", bound=Chunk)
HeaderT = TypeVar("HeaderT", bound=Chunk)


@record
class Container(Chunk, Generic[HeaderT]):
    """A chunk that holds chunks, of the classes PARTS; of several with one id, the first that fits.

    The first of these is its header; the reader refuses a container without.
    """

    PARTS: ClassVar[tuple[type[Chunk], ...]]
    parts: list[Chunk]

    def all(self, kind: type[ChunkT]) -> Iterator[ChunkT]:
        """Yield the sub-chunks of one class, in file order."""
        return (part for part in self.parts if isinstance(part, kind))

    def first(self, kind: type[ChunkT]) -> ChunkT | None:
        """Return the first sub-chunk of that class."""
        return next(self.all(kind), None)

    @property
    def header(self) -> HeaderT:
        """The header."""
        return cast(HeaderT, next(self.all(self.PARTS[0])))


# --- Sizes that follow from the head of a chunk -------------------------------------------------


def frames_held(head: Head, left: int) -> int:
    """Count the frames from the first to the last, both included."""
    return max(int(head["last"]) - int(head["first"]) + 1, 0)


def bytes_of_bits(head: Head, left: int) -> int:
    """Count the bytes that hold a bit for each frame."""
    return -(-frames_held(head, left) // 8)


def padding_of_codes(head: Head, left: int) -> int:
    """Count the bytes after an odd number of 16-bit codes: two, or none if the values take all that is left."""
    return 2 if head["count"] % 2 and left != head["count"] * head["length"] * 4 else 0


def packet_size(head: Head, left: int) -> int:
    """Count the bytes of a delta packet; 0x282 has 4-bit deltas only."""
    return layout.PACKET_SIZE[8 if head.get("encoding") == Encoding.DELTA_8_BIT else 4]


def rows_held(head: Head, left: int) -> int:
    """Count the rows of delta packets; the row without a frame that the engine's own encoder adds may be missing."""
    rows, length = layout.packet_rows(head["frame_count"]), int(head["length"])
    spare = length > 0 and head["frame_count"] % layout.PACKET_FRAMES == 1
    return rows - 1 if spare and left < rows * length * packet_size(head, left) else rows


# --- Skeleton -----------------------------------------------------------------------------------


@record
class HierarchyHeader(Chunk):
    """Version, name (16 bytes as found), pivot count, centre (3,) float32."""

    KIND: ClassVar[int] = 0x101
    version: U32
    name: Name
    pivot_count: U32
    center: Annotated[Array, Rows("<f4", (3,))]


@record
class Pivots(Chunk):
    """(n,) records of `layout.PIVOT`."""

    KIND: ClassVar[int] = 0x102
    records: Annotated[Array, Rows(layout.PIVOT, (...,))]

    def remark(self, header: Chunk) -> str | None:
        """Return the warning for a base that is no number."""
        usable = all(np.isfinite(self.records[field]).all() for field in ("translation", "rotation"))
        return None if usable else messages.BASE_NO_NUMBER


@record
class Fixups(Chunk):
    """(n, 4, 3) float32; from the modelling program's node space to the pivot, of no effect on playback."""

    KIND: ClassVar[int] = 0x103
    matrices: Annotated[Array, Rows("<f4", (..., *layout.FIXUP_SHAPE))]


@record
class Hierarchy(Container[HierarchyHeader]):
    """A skeleton: header, pivots, fixups."""

    KIND: ClassVar[int] = 0x100
    PARTS: ClassVar[tuple[type[Chunk], ...]] = (HierarchyHeader, Pivots, Fixups)

    @property
    def name(self) -> str:
        """The hierarchy's name."""
        return text(self.header.name)

    @property
    def records(self) -> Array:
        """(n,) records of `layout.PIVOT`, as many as the header counts and the file holds."""
        pivots = self.first(Pivots)
        return np.zeros(0, layout.PIVOT) if pivots is None else pivots.records[: self.header.pivot_count]


# --- Raw animation ------------------------------------------------------------------------------


@record
class AnimationHeader(Chunk):
    """Version, names (16 bytes each as found), frame count, whole frames per second."""

    KIND: ClassVar[int] = 0x201
    version: U32
    name: Name
    hierarchy: Name
    frame_count: U32
    rate: U32


@record
class _Ranged(Chunk):
    first: U16
    last: U16

    def remark(self, header: Chunk) -> str | None:
        """Return the warning for frames that cannot play."""
        plays = isinstance(header, AnimationHeader) and self.first <= self.last < header.frame_count
        return None if plays else messages.RANGE


@record
class RawChannel(_Ranged):
    """A value for each frame from `first` to `last`; identity elsewhere.

    Attributes:
        type: `layout.ChannelType` or anything else.
        padding: a word that the exporter leaves uninitialised.
        values: (frames, vector length) float32.
    """

    KIND: ClassVar[int] = 0x202
    FORM: ClassVar[str] = "raw"
    length: ClassVar[U16]
    type: U16
    pivot: U16
    padding: U16
    values: Annotated[Array, Rows("<f4", (frames_held, "length"))]


@record
class BitChannel(_Ranged):
    """A bit for each frame from `first` to `last`, `default` elsewhere (1 = visible, anything else hidden).

    `bits`: bytes as found, lowest bit first; spare bits of the last byte are kept.
    """

    KIND: ClassVar[int] = 0x203
    FORM: ClassVar[str] = "bits"
    type: U16
    pivot: U16
    default: U8
    bits: Annotated[bytes, Raw(bytes_of_bits)]

    @property
    def outside(self) -> bool:
        """The value outside of the range: the engine tests for exactly 1."""
        return self.default == 1


@record
class LiteralBitChannel(Chunk):
    """A bit channel as the public document describes it, with a float for a default; no engine writes this."""

    KIND: ClassVar[int] = 0x203
    FORM: ClassVar[str] = "bits, literal layout"
    REMARK: ClassVar[str | None] = messages.LITERAL_BITS
    first: U16
    last: U16
    type: U16
    pivot: U16
    default: layout.F32
    bits: Annotated[bytes, Raw(bytes_of_bits)]

    @classmethod
    def fits(cls, payload: ByteReader, header: Chunk) -> bool:
        """Return whether the chunk has this size, and a default that is one of the two floats the document allows."""
        left = payload.remaining - cls.LAYOUT.head.size
        if left < 0 or left != bytes_of_bits(cls.LAYOUT.read_head(payload.again()), left):
            return False
        default = bytes(payload.data[payload.end - left - 4 : payload.end - left])
        return default in (b"\0\0\0\0", b"\0\0\x80\x3f")

    @property
    def outside(self) -> bool:
        """The value outside of the range, by the document's rule."""
        return self.default >= 0.5


@record
class Animation(Container[AnimationHeader]):
    """One uncompressed animation."""

    KIND: ClassVar[int] = 0x200
    PARTS: ClassVar[tuple[type[Chunk], ...]] = (AnimationHeader, RawChannel, LiteralBitChannel, BitChannel)


# --- Compressed animation -----------------------------------------------------------------------


@record
class CompressedHeader(Chunk):
    """As `AnimationHeader`, and how channels are packed (`layout.Flavor`)."""

    KIND: ClassVar[int] = 0x281
    version: U32
    name: Name
    hierarchy: Name
    frame_count: U32
    rate: U16
    flavor: U16


class Coded(Chunk):
    """What has keys whose codes are frames; the highest bit says that the value jumps to the key, or is a set bit."""

    __slots__ = ()
    STEP: ClassVar[int] = layout.STEP_BIT
    if TYPE_CHECKING:
        codes: Array

    @property
    def frames(self) -> Array:
        """(n,) the keys' frames."""
        frames: Array = self.codes & ~self.codes.dtype.type(self.STEP)
        return frames

    @property
    def steps(self) -> Array:
        """(n,) bool, the highest bit."""
        steps: Array = self.codes >= self.codes.dtype.type(self.STEP)
        return steps


@record
class TimecodedChannel(Coded):
    """Keys at whole frames.

    Attributes:
        codes: (n,) uint32, bit 31 = the value jumps to this key.
        values: (n, vector length) float32.
    """

    KIND: ClassVar[int] = 0x282
    FORM: ClassVar[str] = "timecoded"
    count: ClassVar[U32]
    pivot: U16
    length: ClassVar[U8]
    type: U8
    codes: Annotated[Array, Rows("<u4", ("count",))]
    values: Annotated[Array, Rows("<f4", ("count", "length"))]

    @classmethod
    def fits(cls, payload: ByteReader, header: Chunk) -> bool:
        """Return whether the animation is timecoded."""
        return isinstance(header, CompressedHeader) and header.flavor == Flavor.TIMECODED

    @classmethod
    def read_rows(cls, cursor: ByteReader, head: Head) -> Head:
        """Read a code and its values for each key, without the array of the rows they lie in."""
        start, count, length = cursor.offset, head["count"], head["length"]
        words = cursor.array("<f4", (count, 1 + length), f"{cls.LAYOUT.title} keys")
        if count == 0:
            return {"codes": words[:, 0].view("<u4"), "values": words[:, 1:]}
        codes: Array = np.ndarray(count, "<u4", cursor.data, start, words.strides[:1])
        return {"codes": codes, "values": np.ndarray((count, length), "<f4", cursor.data, start + 4, words.strides)}

    def rows_to_bytes(self) -> bytes:
        """Return the keys, each a code and its values."""
        count, length = self.values.shape
        words = np.empty((count, 1 + length), "<u4")
        words[:, 0] = self.codes
        words[:, 1:] = np.ascontiguousarray(self.values, "<f4").view("<u4")
        return words.tobytes()


@record
class LiteralTimecodedChannel(Chunk):
    """A timecoded channel as the public document describes it: 16-bit fields, all codes before all values."""

    KIND: ClassVar[int] = 0x282
    FORM: ClassVar[str] = "timecoded, literal layout"
    REMARK: ClassVar[str | None] = messages.LITERAL_CHANNEL
    count: ClassVar[U32]
    pivot: U16
    length: ClassVar[U16]
    type: U16
    padding: U16
    codes: Annotated[Array, Rows("<u2", ("count",))]
    values: Annotated[Array, Rows("<f4", ("count", "length"))]

    @classmethod
    def fits(cls, payload: ByteReader, header: Chunk) -> bool:
        """Return whether this layout fits the chunk to the byte, and the engine's does not."""
        size, literal, own = payload.remaining, cls.LAYOUT, TimecodedChannel.LAYOUT
        if size < literal.head.size or not TimecodedChannel.fits(payload, header):
            return False
        head = own.read_head(payload.again())
        if size == own.head.size + head["count"] * 4 * (1 + head["length"]):
            return False
        head = literal.read_head(payload.again())
        return head["length"] in (1, 4) and size - literal.head.size == head["count"] * (2 + 4 * head["length"])

    @property
    def frames(self) -> Array:
        """(n,) the keys' frames."""
        return self.codes

    @property
    def steps(self) -> Array:
        """(n,) bool; the document knows no steps."""
        return np.zeros(len(self.codes), bool)


@record
class DeltaChannel(Chunk):
    """Adaptive delta (0x282, flavor 1): an initial value and 4-bit differences in packets of 16 frames.

    Attributes:
        frame_count: frames, the initial one included.
        scale: () float32.
        initial: (vector length,) float32.
        packets: (rows, vector length, 9) uint8.
    """

    KIND: ClassVar[int] = 0x282
    FORM: ClassVar[str] = "adaptive delta"
    frame_count: U32
    pivot: U16
    length: ClassVar[U8]
    type: U8
    scale: Annotated[Array, Rows("<f4")]
    initial: Annotated[Array, Rows("<f4", ("length",))]
    packets: Annotated[Array, Rows("u1", (rows_held, "length", packet_size))]

    @classmethod
    def fits(cls, payload: ByteReader, header: Chunk) -> bool:
        """Return whether the animation is packed as adaptive delta."""
        return isinstance(header, CompressedHeader) and header.flavor == Flavor.ADAPTIVE_DELTA


@record
class CompressedBitChannel(Coded):
    """Bit keys: (n,) uint32 codes, bit 31 = value, the rest = frame; the default byte has no effect."""

    KIND: ClassVar[int] = 0x283
    FORM: ClassVar[str] = "bit keys"
    count: ClassVar[U32]
    pivot: U16
    type: U8
    default: U8
    codes: Annotated[Array, Rows("<u4", ("count",))]


@record
class MotionKeysChannel(Coded):
    """Battle for Middle-earth, 0x284 encoding 0: keys at whole frames.

    Attributes:
        codes: (n,) uint16, bit 15 = the value jumps to this key.
        padding: two bytes after an odd number of codes.
        values: (n, components) float32.
    """

    KIND: ClassVar[int] = 0x284
    FORM: ClassVar[str] = "motion keys"
    STEP: ClassVar[int] = layout.MOTION_STEP_BIT
    version: ClassVar[U8] = 0
    encoding: ClassVar[U8] = Encoding.TIMECODED
    length: ClassVar[U8]
    type: U8
    count: ClassVar[U16]
    pivot: U16
    codes: Annotated[Array, Rows("<u2", ("count",))]
    padding: Annotated[bytes, Raw(padding_of_codes)]
    values: Annotated[Array, Rows("<f4", ("count", "length"))]

    @classmethod
    def fits(cls, payload: ByteReader, header: Chunk) -> bool:
        """Return whether the channel names this encoding."""
        head = cls.LAYOUT.read_head(payload.again())
        return (head["version"], head["encoding"]) == (0, Encoding.TIMECODED)


@record
class MotionDeltaChannel(Chunk):
    """Battle for Middle-earth, 0x284 encoding 1 or 2: 4-bit or 8-bit differences; see `DeltaChannel`.

    `packets`: (rows, components, 9 or 17) uint8.
    """

    KIND: ClassVar[int] = 0x284
    FORM: ClassVar[str] = "motion deltas"
    version: ClassVar[U8] = 0
    encoding: U8
    length: ClassVar[U8]
    type: U8
    frame_count: U16
    pivot: U16
    scale: Annotated[Array, Rows("<f4")]
    initial: Annotated[Array, Rows("<f4", ("length",))]
    packets: Annotated[Array, Rows("u1", (rows_held, "length", packet_size))]

    @classmethod
    def fits(cls, payload: ByteReader, header: Chunk) -> bool:
        """Return whether the channel names one of these encodings."""
        head = cls.LAYOUT.read_head(payload.again())
        return head["version"] == 0 and head["encoding"] in (Encoding.DELTA_4_BIT, Encoding.DELTA_8_BIT)


@record
class CompressedAnimation(Container[CompressedHeader]):
    """One compressed animation, of any flavor."""

    KIND: ClassVar[int] = 0x280
    PARTS: ClassVar[tuple[type[Chunk], ...]] = (
        CompressedHeader,
        LiteralTimecodedChannel,
        TimecodedChannel,
        DeltaChannel,
        CompressedBitChannel,
        MotionKeysChannel,
        MotionDeltaChannel,
    )


# --- What is read of chunks that are carried ----------------------------------------------------


@record
class MorphHeader(Record):
    """The first chunk of an animation that blends poses of another, which is not played (0x2C0): version, name."""

    KIND: ClassVar[int] = 0x2C1
    version: U32
    name: Name


@record
class HmodelHeader(Record):
    """The first chunk of a model before HLOD (0x300): version, names, number of nodes."""

    KIND: ClassVar[int] = 0x301
    version: U32
    name: Name
    hierarchy: Name
    nodes: U16


@record
class HlodHeader(Record):
    """The first chunk of a model (0x700): version, levels, names."""

    KIND: ClassVar[int] = 0x701
    version: U32
    levels: U32
    name: Name
    hierarchy: Name


MORPH = 0x2C0
_HEADERS: dict[int, type[Record]] = {
    **{container.KIND: container.PARTS[0] for container in (Hierarchy, Animation, CompressedAnimation)},
    MORPH: MorphHeader,
    0x300: HmodelHeader,
    0x700: HlodHeader,
}


def leading_fields(kind: int, data: bytes, start: int = 0) -> Head | None:
    """Return a container's header at `start` in `data`, its fields by name; None if it is not there or cut short."""
    header = _HEADERS.get(kind)
    if header is None:
        return None
    fields, at = header.LAYOUT, start + CHUNK_HEADER.size
    if len(data) < at + fields.head.size or CHUNK_HEADER.unpack_from(data, start)[0] != header.KIND:
        return None
    return dict(zip(fields.names, fields.head.unpack_from(data, at)))


# --- The file -----------------------------------------------------------------------------------

KeysChannel = TimecodedChannel | LiteralTimecodedChannel | MotionKeysChannel
AnyDeltaChannel = DeltaChannel | MotionDeltaChannel
ValueChannel = RawChannel | KeysChannel | AnyDeltaChannel
AnyBitChannel = BitChannel | LiteralBitChannel | CompressedBitChannel
AnyAnimation = Animation | CompressedAnimation
AnyContainer = Hierarchy | AnyAnimation


@dataclass(eq=False, slots=True)
class Document:
    """A W3D file: its chunks in file order, and the bytes after the last of them."""

    parts: list[Chunk] = field(default_factory=list)
    tail: bytes = b""

    def __eq__(self, other: object) -> bool:
        return binary.equal(self, other)

    def all(self, kind: type[ChunkT]) -> list[ChunkT]:
        """Return the top-level chunks of one class, in file order."""
        return [part for part in self.parts if isinstance(part, kind)]

    @property
    def hierarchies(self) -> list[Hierarchy]:
        """The skeletons, in file order."""
        return self.all(Hierarchy)

    @property
    def animations(self) -> list[AnyAnimation]:
        """The raw and compressed animations, in file order."""
        return [part for part in self.parts if isinstance(part, AnyAnimation)]


# --- To bytes, and whether two files hold the same --------------------------------------------------------------------


def write(document: Document) -> bytes:
    """Return the file's bytes; raise FormatError if a number does not fit into the field that the file has for it."""
    try:
        return b"".join(map(_chunk, document.parts)) + document.tail
    except struct.error as error:
        raise FormatError(messages.CANNOT_WRITE, reason=error) from error


def _chunk(chunk: Chunk) -> bytes:
    kind = chunk.kind if isinstance(chunk, OpaqueChunk) else chunk.KIND
    inside = b"".join(map(_chunk, chunk.parts)) if isinstance(chunk, Container) else chunk.to_bytes()
    data = inside + chunk.tail
    size = len(data) + chunk.excess
    if size > layout.SIZE_MASK:
        raise FormatError(files_messages.FILE_TOO_LARGE, size=len(data), limit=layout.SIZE_MASK)
    return CHUNK_HEADER.pack(kind, size | (layout.CONTAINER_BIT if chunk.flagged else 0)) + data


# --- What `info` tells of it --------------------------------------------------------------------


def describe(document: Document) -> Facts:
    """Return skeletons, animations, meshes and models, and the ids of other chunks, ready for JSON."""
    return {
        "skeletons": [
            {
                "name": hierarchy.name,
                "version": version_text(hierarchy.header.version),
                "pivots": [text(bytes(name)) for name in hierarchy.records["name"]],
            }
            for hierarchy in document.hierarchies
        ],
        "animations": [_animation(animation) for animation in document.animations],
        "morph_animations": morph_names(document),
        **{name: count for name, count in counts(document).items() if count and name != "others"},
        "other_chunks": [f"{chunk.kind:#x}" for chunk in document.all(OpaqueChunk) if chunk.kind not in _COUNTED],
        "trailing_bytes": len(document.tail),
    }


def plays(document: Document) -> bool:
    """Return whether an animation of the file has a channel."""
    return any(part.FORM for animation in document.animations for part in animation.parts)


def version_text(version: int) -> str:
    """Return major and minor number of a version word: 0x40001 is 4.1."""
    return f"{version >> 16}.{version & 0xFFFF}"


def _animation(animation: AnyAnimation) -> Facts:
    header = animation.header
    form = "uncompressed"
    if isinstance(animation, CompressedAnimation):
        form = "adaptive delta" if animation.header.flavor == Flavor.ADAPTIVE_DELTA else "timecoded"
    return {
        "name": text(header.name),
        "hierarchy": text(header.hierarchy),
        "version": version_text(header.version),
        "form": form,
        "frames": header.frame_count,
        "rate": header.rate,
        "duration": lasting(header.frame_count, header.rate),
        "channels": dict(Counter(part.FORM for part in animation.parts if part.FORM)),
    }


# --- Chunks that are only carried ---------------------------------------------------------------

_MESH = 0x000
_MODELS = frozenset((0x300, 0x400, 0x420, 0x600, 0x700))
_COUNTED = _MODELS | {_MESH, MORPH}


def hierarchy_names(document: Document) -> list[str]:
    """Return names of the hierarchies that a file holds, animates or has models for, each once."""
    found = [hierarchy.name for hierarchy in document.hierarchies]
    found += [text(animation.header.hierarchy) for animation in document.animations]
    carried = [leading_fields(chunk.kind, chunk.data) or {} for chunk in document.all(OpaqueChunk)]
    found += [text(fields["hierarchy"]) for fields in carried if "hierarchy" in fields]
    first = {name.upper(): name for name in reversed(found) if name}
    return [first[name] for name in dict.fromkeys(name.upper() for name in found) if name]


def morph_names(document: Document) -> list[str]:
    """Return the names of the animations that blend poses of others."""
    held = (leading_fields(MORPH, chunk.data) for chunk in document.all(OpaqueChunk) if chunk.kind == MORPH)
    return [text(fields["name"]) for fields in held if fields]


def counts(document: Document) -> Facts:
    """Return how many meshes, models (of meshes on a skeleton) and other chunks a file carries."""
    kinds = [chunk.kind for chunk in document.all(OpaqueChunk)]
    meshes, models = kinds.count(_MESH), sum(kind in _MODELS for kind in kinds)
    return {"meshes": meshes, "models": models, "others": len(document.parts) - meshes - models}
