"""The Animator of NeosVR and Resonite: fields of slots driven by tracks, from AnimJ or AnimX.

In the engine's axes (left-handed, Y up, Z forward), local to the slot's parent, seconds.
"""

from __future__ import annotations

import json
import lzma
import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from . import w3d

Array = np.ndarray[Any, Any]
_HOLD, _LINEAR, _TANGENT, _CUBIC = range(4)
_MODES = {"Hold": _HOLD, "Linear": _LINEAR, "Tangent": _TANGENT, "CubicBezier": _CUBIC}
_KINDS = ("Raw", "Discrete", "Curve")
_SCALARS = {"bool": "?", "byte": "B", "ushort": "H", "uint": "I", "ulong": "Q", "sbyte": "b", "short": "h"}
_SCALARS |= {"int": "i", "long": "q", "float": "f", "double": "d"}
_NAMES = (
    "bool bool2 bool3 bool4 byte ushort uint ulong sbyte short int long int2 int3 int4 uint2 uint3 uint4"
    " long2 long3 long4 float float2 float3 float4 floatQ float2x2 float3x3 float4x4"
    " double double2 double3 double4 doubleQ double2x2 double3x3 double4x4 color color32 string"
).split()
"""Value types by their numbers."""
FIELDS = ("Position", "Rotation", "Scale")
ORDERS = ("key_order", "tangent_order")
"""What of a curve's bytes may be the other way round, by the options of those names: TIME, RIGHT."""
_WIDTHS = {"2": 2, "3": 3, "4": 4, "Q": 4, "2x2": 4, "3x3": 9, "4x4": 16}


@dataclass
class Track:
    """Keys of one field of one slot: times (n,), values (n, components), tangents like the values.

    Attributes:
        type: as AnimJ calls it, lower case.
        texts: of a track of texts, with an empty one for none.
    """

    node: str
    field: str
    kind: str
    times: Array
    values: Array
    modes: list[int]
    left: Array | None = None
    right: Array | None = None
    type: str = ""
    texts: list[str] = field(default_factory=list)

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

    def __init__(self, data: bytes, key_order: str = "", tangent_order: str = "") -> None:
        plain = data.lstrip()[:1] == b"{"
        orders = key_order == "TIME", tangent_order == "RIGHT"
        self.name, self.duration, self.tracks = _animj(data) if plain else _Binary(data, *orders).read()
        self._bind()

    def call_back(self, prefix: str) -> None:
        """Give nodes the names that they have without a prefix; those that have none get a strange one."""
        for track in self.tracks if prefix else ():
            own = track.node.startswith(prefix)
            track.node = track.node[len(prefix) :] if own else f"{track.node} without {prefix}"
        self._bind()

    def _bind(self) -> None:
        self.by_place: dict[tuple[str, str], Track] = {}
        self.doubled = []
        for track in self.tracks:
            if (track.node, track.field) in self.by_place:
                self.doubled.append((track.node, track.field))
            self.by_place.setdefault((track.node, track.field), track)
        self.nodes = list(dict.fromkeys(track.node for track in self.tracks))

    def field(self, node: str, field: str, seconds: float) -> Array | None:
        """The value that drives a field, None where no track does; 255 of a colour's bytes are 1."""
        track = self.by_place.get((node, field))
        return None if track is None else track.at(seconds) / (255 if track.type == "color32" else 1)

    def is_driven(self, node: str) -> bool:
        """Whether a track drives any part of a slot's own transform."""
        return any((node, field) in self.by_place for field in FIELDS)

    def local(self, node: str, seconds: float, model: Array, fields: Iterable[str] = FIELDS) -> Array:
        """(4, 4) of a slot: what is driven of these fields, else what the model gives it, without shear."""
        place, turn, size = (self.field(node, each, seconds) if each in fields else None for each in FIELDS)
        if place is turn is size is None:
            return model
        own = np.linalg.norm(model[:3, :3], axis=0) * (-1 if np.linalg.det(model[:3, :3]) < 0 else 1)
        left, _, right = np.linalg.svd(model[:3, :3] / own)
        found = model.copy()
        found[:3, :3] = left @ right if turn is None else w3d.matrix((0, 0, 0), turn)[:3, :3]
        found[:3, :3] *= own if size is None else size
        found[:3, 3] = model[:3, 3] if place is None else place
        return found


def compose(place: Array, turn: Array, size: Array) -> Array:
    """(4, 4): scaled, turned by a quaternion x, y, z, w of any length, moved."""
    found = w3d.matrix(place, turn)
    found[:3, :3] *= size
    return found


# --- AnimJ ----------------------------------------------------------------------------------------------------------


def _animj(data: bytes) -> tuple[str, float, list[Track]]:
    document = json.loads(data)
    tracks = [replace(_animj_track(track), **_typed(track)) for track in document["tracks"]]
    return document.get("name") or "", float(document.get("globalDuration") or longest(tracks)), tracks


def _typed(track: dict[str, Any]) -> dict[str, Any]:
    kind, keys = track["valueType"].lower(), track["data"]["keyframes"]
    values = [key["value"] if track["trackType"] != "Raw" else key for key in keys] if kind == "string" else []
    return {"type": kind, "texts": [value or "" for value in values]}


def longest(tracks: list[Track]) -> float:
    """Seconds to the last key of all."""
    return max((float(track.times[-1]) for track in tracks if len(track.times)), default=0.0)


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

    def __init__(self, data: bytes, time_first: bool = False, right_first: bool = False) -> None:
        self._data, self.at = data, 0
        self._time_first, self._right_first = time_first, right_first

    def read(self) -> tuple[str, float, list[Track]]:
        assert self._text() == "AnimX"
        (version,) = self._take("i")
        assert version == 1, "version 0 is not drawn"
        count = self.varint()
        (duration,) = self._take("f")
        name = self._text()
        (packing,) = self._take("B")
        self._data, self.at = _unpackers[packing](self._data[self.at :]), 0
        tracks = [self._typed() for _ in range(count)]
        return name, duration or longest(tracks), tracks

    def _typed(self) -> Track:
        kind, value_type = self._take("BB")
        name = _NAMES[value_type]
        return replace(self._track(kind, name), type=name.lower())

    def _track(self, kind: int, name: str) -> Track:
        node, field, count = self._text(), self._text(), self.varint()
        if kind == 0:
            (interval,) = self._take("f")
            rows = np.array([self._value(name) for _ in range(count)], np.float64)
            return Track(node, field, _KINDS[kind], np.arange(count) * interval, rows, [])
        if kind == 1:
            keys = np.array([[*self._take("f"), *self._value(name)] for _ in range(count)], np.float64)
            return Track(node, field, _KINDS[kind], keys[:, 0], keys[:, 1:], [])
        return self._curve(node, field, count, name)

    def _curve(self, node: str, field: str, count: int, name: str) -> Track:
        (flags,) = self._take("B")
        modes = list(self._take(f"{count}B")) if flags & 1 else [self._take("B")[0]] * count
        if self._time_first:
            keys = np.array([[*self._take("f"), *self._value(name)] for _ in range(count)], np.float64)
            keys = np.roll(keys, -1, axis=1)
        else:
            keys = np.array([[*self._value(name), *self._take("f")] for _ in range(count)], np.float64)
        sides = [None, None]
        if flags & 2:
            pairs = np.array([[*self._value(name), *self._value(name)] for _ in range(count)], np.float64)
            sides = list(np.split(pairs, 2, axis=1))[:: -1 if self._right_first else 1]
        return Track(node, field, "Curve", keys[:, -1], keys[:, :-1], modes, *sides)

    def _value(self, name: str) -> tuple[Any, ...]:
        if name == "string":
            if self._take("?")[0]:
                self._text()
            return (0.0,)
        if name[:4] == "bool" and name != "bool":
            (bits,) = self._take("B")
            return tuple(float(bits >> bit & 1) for bit in range(int(name[4:])))
        if name.startswith("color"):
            return self._take("4B" if name == "color32" else "4f")
        kind = max((each for each in _SCALARS if name.startswith(each)), key=len)
        return self._take(f"{_WIDTHS.get(name[len(kind) :], 1)}{_SCALARS[kind]}")

    def _take(self, layout: str) -> tuple[Any, ...]:
        values = struct.unpack_from("<" + layout, self._data, self.at)
        self.at += struct.calcsize("<" + layout)
        return values

    def varint(self) -> int:
        value = shift = 0
        while True:
            (byte,) = self._take("B")
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def _text(self) -> str:
        length = self.varint()
        self.at += length
        return self._data[self.at - length : self.at].decode("utf-8")


def _unpack_lz4(data: bytes) -> bytes:
    import lz4.block

    found, reader = b"", _Binary(data)
    while reader.at < len(data):
        packed, length = reader.varint() & 1, reader.varint()
        stored = reader.varint() if packed else length
        block = data[reader.at : reader.at + stored]
        found += lz4.block.decompress(block, uncompressed_size=length) if packed else block
        reader.at += stored
    return found


def _unpack_lzma(data: bytes) -> bytes:
    (size,) = struct.unpack_from("<q", data, 5)
    properties, (dictionary,) = data[0], struct.unpack_from("<I", data, 1)
    rest, lc = divmod(properties, 9)
    pb, lp = divmod(rest, 5)
    filters = [{"id": lzma.FILTER_LZMA1, "dict_size": dictionary, "lc": lc, "lp": lp, "pb": pb}]
    return lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=filters).decompress(data[21:], size)


_unpackers: dict[int, Callable[[bytes], bytes]] = {0: bytes, 1: _unpack_lz4, 2: _unpack_lzma}
