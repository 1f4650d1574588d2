"""The Animator of NeosVR and Resonite: fields of slots driven by tracks, from AnimJ or AnimX.

In the engine's axes (left-handed, Y up, Z forward), local to the slot's parent, seconds.
"""

from __future__ import annotations

import json
import lzma
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
_HOLD, _LINEAR, _TANGENT, _CUBIC = range(4)
_MODES = {"Hold": _HOLD, "Linear": _LINEAR, "Tangent": _TANGENT, "CubicBezier": _CUBIC}
_KINDS = ("Raw", "Discrete", "Curve")
# Value types by number: width and layout of a component; only those that scenes hold.
_TYPES = {0: (1, "?"), 10: (1, "i"), 21: (1, "f"), 22: (2, "f"), 23: (3, "f"), 24: (4, "f"), 25: (4, "f")}
_TYPES |= {29: (1, "d"), 37: (4, "f")}


@dataclass
class Track:
    """Keys of one field of one slot: times (n,), values (n, components), tangents like the values."""

    node: str
    field: str
    kind: str
    times: Array
    values: Array
    modes: list[int]
    left: Array | None = None
    right: Array | None = None

    def at(self, seconds: float) -> Array:
        """The value at a moment; held before the first and after the last key."""
        if not len(self.times):
            return np.zeros(self.values.shape[1:])
        number = int(np.searchsorted(self.times, seconds, side="right")) - 1
        if number < 0 or number >= len(self.times) - 1:
            return np.asarray(self.values[max(number, 0)])
        mode = _LINEAR if self.kind == "Raw" else _HOLD if self.kind == "Discrete" else self.modes[number]
        share = float((seconds - self.times[number]) / (self.times[number + 1] - self.times[number]))
        return self._between(number, mode, share)

    def _between(self, number: int, mode: int, share: float) -> Array:
        first, last = self.values[number], self.values[number + 1]
        if mode == _HOLD:
            return np.asarray(first)
        if mode == _LINEAR:
            return np.asarray(first + share * (last - first))
        assert self.left is not None and self.right is not None, "a curved key without tangents"
        right, left, rest = self.right[number], self.left[number + 1], 1 - share
        if mode == _TANGENT:
            right, left = first + right / 3, last - left / 3
        return np.asarray(rest**3 * first + 3 * rest**2 * share * right + 3 * rest * share**2 * left + share**3 * last)


class Player:
    """A file's tracks, bound to slots by name and field."""

    def __init__(self, data: bytes) -> None:
        self.duration, self.tracks = _animj(data) if data.lstrip()[:1] == b"{" else _Binary(data).read()
        self.by_place: dict[tuple[str, str], Track] = {}
        self.doubled = []
        for track in self.tracks:
            if (track.node, track.field) in self.by_place:
                self.doubled.append((track.node, track.field))
            self.by_place.setdefault((track.node, track.field), track)
        self.nodes = list(dict.fromkeys(track.node for track in self.tracks))

    def field(self, node: str, field: str, seconds: float) -> Array | None:
        """The value that drives a field, None where no track does."""
        track = self.by_place.get((node, field))
        return None if track is None else track.at(seconds)

    def local(self, node: str, seconds: float, place: Array, turn: Array, size: Array) -> Array:
        """(4, 4) of a slot: what is driven, else what the model gives it."""
        driven = [self.field(node, field, seconds) for field in ("Position", "Rotation", "Scale")]
        parts = [model if value is None else value for model, value in zip((place, turn, size), driven, strict=True)]
        return compose(*parts)


def compose(place: Array, turn: Array, size: Array) -> Array:
    """(4, 4): scaled, turned by a quaternion x, y, z, w of any length, moved."""
    x, y, z, w = turn / (float(np.linalg.norm(turn)) or 1.0)
    found = np.eye(4)
    found[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    found[:3, :3] *= size
    found[:3, 3] = place
    return found


# --- AnimJ ----------------------------------------------------------------------------------------------------------


def _animj(data: bytes) -> tuple[float, list[Track]]:
    document = json.loads(data)
    tracks = [_animj_track(track) for track in document["tracks"]]
    longest = max((float(track.times[-1]) for track in tracks if len(track.times)), default=0.0)
    return float(document.get("globalDuration") or longest), tracks


def _animj_track(track: dict[str, Any]) -> Track:
    data, kind = track["data"], track["trackType"]
    keys = data["keyframes"]
    if kind == "Raw":
        times = np.arange(len(keys)) * float(data["interval"])
        return Track(data["node"], data["property"], kind, times, _rows(keys), [])
    times = np.array([key["time"] for key in keys], np.float64)
    values = _rows([key["value"] for key in keys])
    modes = [_MODES[key.get("interpolation", "Hold")] for key in keys]
    if not any(mode >= _TANGENT for mode in modes):
        return Track(data["node"], data["property"], kind, times, values, modes)
    sides = [_rows([key.get(f"{side}Tangent", key["value"]) for key in keys]) for side in ("left", "right")]
    return Track(data["node"], data["property"], kind, times, values, modes, *sides)


def _rows(values: list[Any]) -> Array:
    """(n, components); texts become nothing that is compared."""
    rows = [list(value.values()) if isinstance(value, dict) else [value] for value in values]
    if any(isinstance(row[0], str) or row[0] is None for row in rows):
        return np.zeros((len(rows), 1))
    return np.array(rows, np.float64).reshape(len(rows), -1)


# --- AnimX ----------------------------------------------------------------------------------------------------------


class _Binary:
    """An AnimX file of version 1, value before time and left tangent before right, as the engine's own are believed."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def read(self) -> tuple[float, list[Track]]:
        assert self._text() == "AnimX"
        (version,) = self._take("i")
        assert version == 1, "version 0 is not drawn"
        count = self._varint()
        (duration,) = self._take("f")
        self._text()
        (packing,) = self._take("B")
        self._data, self._at = _unpackers[packing](self._data[self._at :]), 0
        return duration, [self._track() for _ in range(count)]

    def _track(self) -> Track:
        kind, value_type = self._take("BB")
        node, field, count = self._text(), self._text(), self._varint()
        width, letter = _TYPES[value_type]
        value = f"{width}{letter}"
        if kind == 0:
            (interval,) = self._take("f")
            rows = np.array([self._take(value) for _ in range(count)], np.float64)
            return Track(node, field, _KINDS[kind], np.arange(count) * interval, rows, [])
        if kind == 1:
            keys = np.array([self._take("f" + value) for _ in range(count)], np.float64)
            return Track(node, field, _KINDS[kind], keys[:, 0], keys[:, 1:], [])
        return self._curve(node, field, count, value)

    def _curve(self, node: str, field: str, count: int, value: str) -> Track:
        (flags,) = self._take("B")
        modes = list(self._take(f"{count}B")) if flags & 1 else [self._take("B")[0]] * count
        keys = np.array([self._take(value + "f") for _ in range(count)], np.float64)
        sides = [None, None]
        if flags & 2:
            pairs = np.array([self._take(value) + self._take(value) for _ in range(count)], np.float64)
            sides = list(np.split(pairs, 2, axis=1))
        return Track(node, field, "Curve", keys[:, -1], keys[:, :-1], modes, *sides)

    def _take(self, layout: str) -> tuple[Any, ...]:
        values = struct.unpack_from("<" + layout, self._data, self._at)
        self._at += struct.calcsize("<" + layout)
        return values

    def _varint(self) -> int:
        value = shift = 0
        while True:
            (byte,) = self._take("B")
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def _text(self) -> str:
        length = self._varint()
        self._at += length
        return self._data[self._at - length : self._at].decode("utf-8")


def _unpack_lz4(data: bytes) -> bytes:
    import lz4.block

    found, at = b"", 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            value |= (data[at] & 127) << shift
            shift, at = shift + 7, at + 1
            if data[at - 1] < 128:
                return value

    while at < len(data):
        packed, length = varint() & 1, varint()
        stored = varint() if packed else length
        block = data[at : at + stored]
        found += lz4.block.decompress(block, uncompressed_size=length) if packed else block
        at += stored
    return found


def _unpack_lzma(data: bytes) -> bytes:
    (size,) = struct.unpack_from("<q", data, 5)
    properties, (dictionary,) = data[0], struct.unpack_from("<I", data, 1)
    rest, lc = divmod(properties, 9)
    pb, lp = divmod(rest, 5)
    filters = [{"id": lzma.FILTER_LZMA1, "dict_size": dictionary, "lc": lc, "lp": lp, "pb": pb}]
    return lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=filters).decompress(data[21:], size)


_unpackers: dict[int, Callable[[bytes], bytes]] = {0: bytes, 1: _unpack_lz4, 2: _unpack_lzma}
