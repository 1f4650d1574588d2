"""What AnimX files are made of, declared once for both directions: tables of types, enumerations, records.

Source: the engine's open library Elements.Core for the primitives, two independent codecs and the public document
for the order of the types. All numbers are little-endian.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum

import numpy as np

MAGIC = b"\x05AnimX"
VERSIONS = (0, 1)
VERSION = struct.Struct("<i")
BYTE = struct.Struct("B")
FLOAT = np.dtype("<f4")
MODE = np.dtype("u1")


class TrackType(IntEnum):
    """How the keys of a track are kept; 3 (Bezier) has a name in the engine and no code."""

    RAW = 0
    DISCRETE = 1
    CURVE = 2


BEZIER_TRACK = 3


class Mode(IntEnum):
    """KeyframeInterpolation: the segment that a key begins."""

    HOLD = 0
    LINEAR = 1
    TANGENT = 2
    CUBIC_BEZIER = 3


MODE_NAMES = ("Hold", "Linear", "Tangent", "CubicBezier")
# A public reader counts 1..4; 4 can only mean CubicBezier.
CUBIC_BEZIER_COUNTED_FROM_ONE = 4

FLAG_PER_KEY = 1
FLAG_TANGENTS = 2


class Encoding(IntEnum):
    """The byte before the tracks."""

    PLAIN = 0
    LZ4 = 1
    LZMA = 2


class Container(StrEnum):
    """What the tracks are really packed in."""

    PLAIN = "plain"
    LZ4 = "lz4"
    LZMA = "lzma"


class KeyOrder(StrEnum):
    """What comes first in the keys of a Curve track.

    The sources disagree: the public document and most codecs put the value first, one codec the time.
    """

    VALUE = "value"
    TIME = "time"


class TangentOrder(StrEnum):
    """Which of a pair of tangents comes first."""

    LEFT = "left"
    RIGHT = "right"


class Kind(IntEnum):
    """What sort of numbers a value type holds."""

    BOOL = 0
    INTEGER = 1
    FLOAT = 2
    QUATERNION = 3
    MATRIX = 4
    COLOR = 5
    STRING = 6


@dataclass(eq=False)
class ValueType:
    """One of the 40 types that a key's value can have.

    Attributes:
        name: as AnimJ spells it.
        kind: what the numbers are.
        base: numpy type of one component as stored; the flag byte of a bool vector is one `u1`.
        components: numbers that a value has (4 for `bool4`, although it is stored in one byte).
        names: the names of the components in AnimJ, empty for a plain value.
        stored: `base` numbers that a value has in the file.
        shape: `(stored,)`, or `()` for one.
        record: numpy type of one value in the file.
    """

    name: str
    kind: Kind
    base: str
    components: int = 1
    names: tuple[str, ...] = ()
    stored: int = field(init=False)
    shape: tuple[int, ...] = field(init=False)
    record: np.dtype[np.void] = field(init=False)

    def __post_init__(self) -> None:
        self.stored = 1 if self.kind is Kind.BOOL else self.components
        self.shape = (self.stored,) if self.stored > 1 else ()
        self.record = np.dtype((self.base, self.shape))

    @property
    def side(self) -> int:
        """Rows of a matrix."""
        return {4: 2, 9: 3, 16: 4}[self.components]


def _vectors(name: str, base: str, kind: Kind) -> list[ValueType]:
    return [ValueType(f"{name}{count}", kind, base, count, tuple("xyzw"[:count])) for count in (2, 3, 4)]


def _matrices(name: str, base: str) -> list[ValueType]:
    names = {side: tuple(f"m{at // side}{at % side}" for at in range(side * side)) for side in (2, 3, 4)}
    return [ValueType(f"{name}{side}x{side}", Kind.MATRIX, base, side * side, own) for side, own in names.items()]


VALUE_TYPES = (
    ValueType("bool", Kind.BOOL, "u1"),
    *_vectors("bool", "u1", Kind.BOOL),
    ValueType("byte", Kind.INTEGER, "u1"),
    ValueType("ushort", Kind.INTEGER, "<u2"),
    ValueType("uint", Kind.INTEGER, "<u4"),
    ValueType("ulong", Kind.INTEGER, "<u8"),
    ValueType("sbyte", Kind.INTEGER, "i1"),
    ValueType("short", Kind.INTEGER, "<i2"),
    ValueType("int", Kind.INTEGER, "<i4"),
    ValueType("long", Kind.INTEGER, "<i8"),
    *_vectors("int", "<i4", Kind.INTEGER),
    *_vectors("uint", "<u4", Kind.INTEGER),
    *_vectors("long", "<i8", Kind.INTEGER),
    ValueType("float", Kind.FLOAT, "<f4"),
    *_vectors("float", "<f4", Kind.FLOAT),
    ValueType("floatQ", Kind.QUATERNION, "<f4", 4, tuple("xyzw")),
    *_matrices("float", "<f4"),
    ValueType("double", Kind.FLOAT, "<f8"),
    *_vectors("double", "<f8", Kind.FLOAT),
    ValueType("doubleQ", Kind.QUATERNION, "<f8", 4, tuple("xyzw")),
    *_matrices("double", "<f8"),
    ValueType("color", Kind.COLOR, "<f4", 4, tuple("rgba")),
    ValueType("color32", Kind.COLOR, "u1", 4, tuple("rgba")),
    ValueType("string", Kind.STRING, "O"),
)
IDS = {value_type.name: number for number, value_type in enumerate(VALUE_TYPES)}


# For each value type: a key of a Curve track, which in a Discrete one always begins with the time, and its tangents.
KEY_RECORDS = {
    KeyOrder.TIME: tuple(np.dtype([("time", FLOAT), ("value", kind.record)]) for kind in VALUE_TYPES),
    KeyOrder.VALUE: tuple(np.dtype([("value", kind.record), ("time", FLOAT)]) for kind in VALUE_TYPES),
}
TANGENT_RECORDS = {
    order: tuple(np.dtype([(side, kind.record) for side in sides]) for kind in VALUE_TYPES)
    for order, sides in ((TangentOrder.LEFT, ("left", "right")), (TangentOrder.RIGHT, ("right", "left")))
}
