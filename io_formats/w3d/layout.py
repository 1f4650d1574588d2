"""The bytes of a W3D file: how records are declared, read and written, and the numbers that have a meaning.

A record is a dataclass whose annotations are its layout, in file order: first the numbers and names of fixed size (the
head), then arrays and bytes whose size the head tells. What is in the file but not a field of its own, a constant
or the length of an array, is annotated as `ClassVar`.

Little-endian, no padding other than shown. Facts: the source code of Renegade and of Generals as published by
Electronic Arts, and files of the Battle for Middle-earth games; not the public document, which differs in some points.
"""

from __future__ import annotations

import math
import struct
import typing
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from types import EllipsisType
from typing import Annotated, Any, ClassVar, NamedTuple, Self, TypeVar, cast

import numpy as np
from numpy.typing import DTypeLike

from ..binary import ByteReader
from ..clip import Array

CHUNK_HEADER = struct.Struct("<II")
CONTAINER_BIT = 0x8000_0000
SIZE_MASK = 0x7FFF_FFFF
NAME_SIZE = 16

_MODELS = (0x000, 0x100, 0x200, 0x280, 0x2C0, 0x300, 0x400, 0x420, 0x440, 0x460, 0x500, 0x600, 0x700)
_SHAPES_AND_MORE = (0x740, 0x741, 0x742, 0x750, 0x800, 0x900, 0xA00, 0xB00)
TOP_LEVEL = frozenset((*_MODELS, *_SHAPES_AND_MORE))
"""Ids at the top level of real files: meshes, skeletons, animations, models, lights, emitters, sounds."""


class Kind(IntEnum):
    """Chunk ids of meshes and models."""

    MESH = 0x00
    VERTICES = 0x02
    NORMALS = 0x03
    OLD_NORMALS = 0x04
    INFLUENCES = 0x0E
    TRIANGLES = 0x20
    PRELIT_UNLIT = 0x23
    PRELIT_VERTEX = 0x24
    PRELIT_LIGHTMAP_PASSES = 0x25
    PRELIT_LIGHTMAP_TEXTURES = 0x26
    SHADERS = 0x29
    VERTEX_MATERIALS = 0x2A
    VERTEX_MATERIAL = 0x2B
    VERTEX_MATERIAL_NAME = 0x2C
    TEXTURES = 0x30
    TEXTURE = 0x31
    TEXTURE_NAME = 0x32
    MATERIAL_PASS = 0x38
    PASS_MATERIALS = 0x39
    PASS_SHADERS = 0x3A
    PASS_COLORS = 0x3B
    PASS_SHADER_MATERIAL = 0x3F
    TEXTURE_STAGE = 0x48
    STAGE_TEXTURES = 0x49
    STAGE_COORDINATES = 0x4A
    SHADER_MATERIALS = 0x50
    SHADER_MATERIAL = 0x51
    SECOND_VERTICES = 0xC00
    SECOND_NORMALS = 0xC01
    HMODEL = 0x300
    HLOD = 0x700
    HLOD_LEVEL = 0x702
    BOX = 0x740


class ChannelType(IntEnum):
    """What a channel moves. 7 to 14 have names in the source, but no file holds them and no engine plays them."""

    X = 0
    Y = 1
    Z = 2
    X_ROTATION = 3
    Y_ROTATION = 4
    Z_ROTATION = 5
    QUATERNION = 6
    FADE = 15


LENGTHS = (ChannelType.X, ChannelType.Y, ChannelType.Z)


class Flavor(IntEnum):
    """How the channels of a compressed animation are packed."""

    TIMECODED = 0
    ADAPTIVE_DELTA = 1


class Encoding(IntEnum):
    """How a motion channel (0x284) is packed."""

    TIMECODED = 0
    DELTA_4_BIT = 1
    DELTA_8_BIT = 2


VISIBILITY = 0
"""The only type of a bit channel that is written or played."""

PIVOT = np.dtype(
    [
        ("name", "V16"),
        ("parent", "<u4"),
        ("translation", "<f4", (3,)),
        ("euler", "<f4", (3,)),
        ("rotation", "<f4", (4,)),
    ]
)
"""60 bytes; parent 0xFFFFFFFF = none; Euler angles are ignored by the engine; quaternion x, y, z, w."""

W_FIRST = np.array([3, 0, 1, 2])
W_LAST = np.array([1, 2, 3, 0])
"""The components of the file's quaternions (x, y, z, w) in Blender's order (w, x, y, z), and the way back."""

NO_PARENT = 0xFFFF_FFFF
FIXUP_SHAPE = (4, 3)
"""A row-vector matrix of the exporter's, three rotation rows and the translation; the engine skips it."""

STEP_BIT = 0x8000_0000
"""In a time code: the value jumps to this key instead of being interpolated. In a bit key: the value."""

MOTION_STEP_BIT = 0x8000

PACKET_FRAMES = 16
PACKET_SIZE = {4: 9, 8: 17}
"""Bytes of a delta packet by the bits of a delta: a filter index, then 16 deltas."""

DELTA_TAIL = bytes(3)
"""The exporter leaves three bytes after the packets of a 0x282 channel; the engine does not read them."""

VERSION_ROOT_PIVOT = 0x0003_0000
"""Before version 3.0 the root pivot is not in the file: the engine adds it and counts pivots from 1."""

VERSION_RAW = 0x0004_0001
VERSION_COMPRESSED = 0x0000_0001
VERSION_MOTION = 0x0001_0000


def packet_rows(frame_count: int) -> int:
    """Return the rows of packets that the engine's encoder writes: one too many for 1, 17, 33 ... frames."""
    return -(-frame_count // PACKET_FRAMES)


# --- How a record is declared -------------------------------------------------------------------

U8 = Annotated[int, "B"]
U16 = Annotated[int, "H"]
U32 = Annotated[int, "I"]
I32 = Annotated[int, "i"]
F32 = Annotated[float, "f"]
Name = Annotated[bytes, f"{NAME_SIZE}s"]
"""A name as found: text up to the first NUL, then anything."""

Head = dict[str, Any]
"""The values of a head by name, including those that are not fields."""

Size = int | str | Callable[[Head, int], int]
"""A length: a number, the value of that name in the head, or what follows from the head and the bytes left."""


@dataclass(frozen=True)
class Rows:
    """An array behind the head; a first length of `...` takes as many rows as are left."""

    dtype: DTypeLike
    shape: tuple[Size | EllipsisType, ...] = ()

    @cached_property
    def kind(self) -> np.dtype[Any]:
        """The dtype; to look up its name for each channel would take as long as to read one."""
        return np.dtype(self.dtype)

    @cached_property
    def told(self) -> tuple[Size, ...]:
        """The lengths that follow from the head."""
        return tuple(size for size in self.shape if size is not ...)

    def read(self, cursor: ByteReader, head: Head, field: str) -> Array:
        """Read an array (*shape,) whose shape the head gives, without a copy."""
        left = cursor.remaining
        shape = tuple([_size(size, head, left) for size in self.told])  # a list is quicker than a generator
        if len(shape) < len(self.shape):
            shape = (left // (self.kind.itemsize * math.prod(shape)), *shape)
        return cursor.array(self.kind, shape, field)

    def bytes_of(self, values: Array) -> bytes:
        """Return the bytes of values (*shape,)."""
        return np.ascontiguousarray(values, self.kind).tobytes()


class Raw(NamedTuple):
    """Bytes behind the head."""

    size: Size

    def read(self, cursor: ByteReader, head: Head, field: str) -> bytes:
        """Read as many bytes as the head gives."""
        return bytes(cursor.take(_size(self.size, head, cursor.remaining), field))

    def bytes_of(self, data: bytes) -> bytes:
        """Return the bytes as they are."""
        return data


def _size(size: Size, head: Head, left: int) -> int:
    if isinstance(size, str):
        return int(head[size])
    return size(head, left) if callable(size) else size


def rest(head: Head, left: int) -> int:
    """Return how many bytes are left."""
    return left


class Layout(NamedTuple):
    """The byte layout of the records of one class.

    Attributes:
        title: its name in words, for errors.
        head: the fields of fixed size.
        names: their names, in file order.
        absent: those of them that are no fields of the record.
        lengths: by the name of a length: the array whose shape gives it, and the axis.
        rows: what follows the head, by name in file order, and what errors call it.
    """

    title: str
    head: struct.Struct
    names: tuple[str, ...]
    absent: tuple[str, ...]
    lengths: dict[str, tuple[str, int]]
    rows: dict[str, tuple[Rows | Raw, str]]

    def read_head(self, cursor: ByteReader) -> Head:
        """Read the values of the head."""
        return dict(zip(self.names, cursor.unpack(self.head, self.title)))


class Record:
    """What a chunk holds; `KIND` is its id, `LAYOUT` how it lies in bytes."""

    __slots__ = ()
    KIND: ClassVar[int]
    LAYOUT: ClassVar[Layout]

    @classmethod
    def read(cls, cursor: ByteReader) -> Self:
        """Read one record; raise FormatError if the bytes end before it does."""
        layout = cls.LAYOUT
        fields = layout.read_head(cursor)
        fields.update(cls.read_rows(cursor, fields))
        for name in layout.absent:
            del fields[name]
        return cls(**fields)

    @classmethod
    def read_rows(cls, cursor: ByteReader, head: Head) -> Head:
        """Read what follows the head."""
        return {name: rows.read(cursor, head, field) for name, (rows, field) in cls.LAYOUT.rows.items()}

    def to_bytes(self) -> bytes:
        """Return the bytes from which `read` makes this record."""
        layout = self.LAYOUT
        lengths = {size: getattr(self, array).shape[axis] for size, (array, axis) in layout.lengths.items()}
        head = [lengths[name] if name in lengths else getattr(self, name) for name in layout.names]
        return layout.head.pack(*head) + self.rows_to_bytes()

    def rows_to_bytes(self) -> bytes:
        """Return the bytes of what follows the head."""
        return b"".join(rows.bytes_of(getattr(self, name)) for name, (rows, _) in self.LAYOUT.rows.items())


RecordT = TypeVar("RecordT", bound=Record)


@typing.dataclass_transform(eq_default=False)
def record(declared: type[RecordT]) -> type[RecordT]:
    """Make a dataclass of a class of records, with the layout that its annotations declare."""
    made = dataclass(eq=False, slots=True)(declared)
    made.LAYOUT = cast(Layout, _Declared())
    return made


class _Declared:
    """Stands for a layout until the first record of its class: most files hold few of all that a chunk can be."""

    def __get__(self, _: None, record: type[Record]) -> Layout:
        hints = typing.get_type_hints(record, include_extras=True)
        declared = {name: found for name, hint in hints.items() if (found := _declared(hint)) is not None}
        rows = {name: found for name, found in declared.items() if isinstance(found, Rows | Raw)}
        head = {name: found for name, found in declared.items() if name not in rows}
        shapes = [
            (name, axis, size) for name, found in rows.items() for axis, size in enumerate(getattr(found, "shape", ()))
        ]
        title = words_of(record)
        absent = tuple(name for name in head if typing.get_origin(hints[name]) is ClassVar)
        record.LAYOUT = layout = Layout(
            title=title,
            head=struct.Struct("<" + "".join(head.values())),
            names=tuple(head),
            absent=absent,
            lengths={size: (name, axis) for name, axis, size in shapes if size in absent},
            rows={name: (found, f"{title} {name}") for name, found in rows.items()},
        )
        return layout


def _declared(hint: Any) -> Any:
    hint = typing.get_args(hint)[0] if typing.get_origin(hint) is ClassVar else hint
    return hint.__metadata__[0] if typing.get_origin(hint) is Annotated else None


def words_of(record: type[Record]) -> str:
    """Return the name of a class in lower-case words: "animation header"."""
    return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in record.__name__).strip()
