"""A file in its own terms, complete: all that `write` needs to give the same bytes back."""

from __future__ import annotations

import builtins
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import numpy as np

from ..binary import equal
from ..clip import Array
from . import layout
from .layout import FLAG_PER_KEY, VALUE_TYPES, Container, Encoding, KeyOrder, Kind, Mode, TangentOrder, TrackType

Strings: TypeAlias = list[str | None]
Values: TypeAlias = Array | Strings


_NOTHING = np.float32(0)

_TAKEN = np.full(256, Mode.LINEAR, np.uint8)
"""Mode by the number in a file: the engine takes those that it does not know for lines."""
_TAKEN[: len(Mode)] = list(Mode)
_TAKEN[layout.CUBIC_BEZIER_COUNTED_FROM_ONE] = Mode.CUBIC_BEZIER


@dataclass(eq=False, slots=True)
class Track:
    """One animated property.

    Attributes:
        track_type: how the keys are kept.
        value_type: 0 .. 39, see `layout.VALUE_TYPES`.
        node, property: what the engine binds to; bytes that are not UTF-8 are kept as lone surrogates.
        values: (n,) or (n, stored) as in the file; a list for strings, None for a null.
        times: (n,) float32 seconds; None for a Raw track.
        interval: seconds between the keys of a Raw track.
        interpolation: (n,) uint8 of Mode, or (1,) for all keys; None for a track that is not a Curve.
        flags: a Curve's own flags; bit 0 one interpolation for each key, bit 1 tangents follow.
        left, right: like `values`; None without tangents.
    """

    track_type: TrackType
    value_type: int
    node: str
    property: str
    values: Values
    times: Array | None = None
    interval: np.float32 = _NOTHING
    interpolation: Array | None = None
    flags: int = 0
    left: Values | None = None
    right: Values | None = None

    @builtins.property
    def type(self) -> layout.ValueType:
        """What each value is."""
        return VALUE_TYPES[self.value_type]

    @builtins.property
    def key_count(self) -> int:
        """Number of keys."""
        return len(self.values)

    @builtins.property
    def key_times(self) -> Array:
        """(n,) seconds, also of a Raw track (there float64)."""
        if self.times is not None:
            return self.times
        with np.errstate(over="ignore", invalid="ignore"):
            times: Array = np.arange(self.key_count) * np.float64(self.interval)
        return times

    @builtins.property
    def modes(self) -> Array:
        """(n,) uint8 of Mode as the engine takes them: a Raw track is Linear, a Discrete one Hold, 4 is CubicBezier."""
        if self.interpolation is None:
            return np.full(self.key_count, Mode.LINEAR if self.track_type is TrackType.RAW else Mode.HOLD, np.uint8)
        modes: Array = _TAKEN[self.interpolation]
        return modes if self.flags & FLAG_PER_KEY else np.repeat(modes, self.key_count)

    @builtins.property
    def last_time(self) -> float:
        """The latest finite key time in seconds, 0 without keys."""
        times = self.key_times
        finite = times[np.isfinite(times)]
        return float(finite.max()) if len(finite) else 0.0

    def numbers(self) -> Array:
        """Return values (components, n) in the type's own precision, bools as uint8 0 and 1; not for strings."""
        return components(self.value_type, self.values)


def components(value_type: int, values: Values) -> Array:
    """Return (components, n) from values as stored, (n,) or (n, stored); bools as uint8 0 and 1."""
    kind = VALUE_TYPES[value_type]
    stored = np.asarray(values)
    if kind.kind is not Kind.BOOL:
        return stored.T if stored.ndim > 1 else stored[None]
    if kind.components == 1:
        flags: Array = (stored != 0).astype(np.uint8)[None]
        return flags
    return (stored[None] >> np.arange(kind.components, dtype=np.uint8)[:, None]) & 1


def stored_values(value_type: int, numbers: Array) -> Array:
    """Return values as stored from numbers (components, n) within the type's range; the inverse of `components`."""
    kind = VALUE_TYPES[value_type]
    if kind.kind is Kind.BOOL and kind.components > 1:
        weights = np.left_shift(1, np.arange(kind.components)).astype(np.uint8)
        packed: Array = ((numbers != 0) * weights[:, None]).sum(axis=0).astype(np.uint8)
        return packed
    typed = np.ascontiguousarray(numbers.T).astype(kind.base, copy=False)
    return typed if kind.stored > 1 else typed[:, 0]


class Block(NamedTuple):
    """A chunk of lz4net's stream: bytes that it holds, and flags, bit 0 compressed, bit 1 for high compression."""

    size: int
    flags: int


@dataclass(eq=False)
class Document:
    """A whole file, AnimX or AnimJ.

    Attributes:
        name: of the animation, may be empty.
        duration: float32 seconds; 0 or less means the longest track.
        tracks: in file order, to which the engine binds its fields.
        version: 0 or 1.
        container: how the tracks are packed.
        encoding: the byte that says so; differs from the container's own where a file followed the public document.
        one_byte_version: the version is a byte, as the public document describes it.
        key_order, tangent_order: the file's answers to the two disputed questions.
        blocks: chunks of an LZ4 stream.
        trailing: bytes after the last track, inside the container.
        container_trailing: bytes after the container's end.
        textual: it was AnimJ.
    """

    name: str = ""
    duration: np.float32 = _NOTHING
    tracks: list[Track] = field(default_factory=list)
    version: int = 1
    container: Container = Container.PLAIN
    encoding: Encoding = Encoding.PLAIN
    one_byte_version: bool = False
    key_order: KeyOrder = KeyOrder.VALUE
    tangent_order: TangentOrder = TangentOrder.LEFT
    blocks: list[Block] = field(default_factory=list)
    trailing: bytes = b""
    container_trailing: bytes = b""
    textual: bool = False

    def __eq__(self, other: object) -> bool:
        return equal(self, other)

    @property
    def playing_time(self) -> float:
        """Seconds as the engine takes them: the duration, or the longest track where that is not a positive number."""
        given = float(self.duration)
        if np.isfinite(given) and given > 0:
            return given
        return max((track.last_time for track in self.tracks), default=0.0)
