"""What AnimX and AnimJ files say, as plain values: read by the description of the formats alone, with none of our code.

A number is the text of its shortest form in the type's precision, so that NaN equals itself.
"""

from __future__ import annotations

import json
import lzma
import struct
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

NAMES = (
    "bool bool2 bool3 bool4 byte ushort uint ulong sbyte short int long int2 int3 int4 uint2 uint3 uint4 long2 long3 "
    "long4 float float2 float3 float4 floatQ float2x2 float3x3 float4x4 double double2 double3 double4 doubleQ "
    "double2x2 double3x3 double4x4 color color32 string"
).split()
_LETTERS = {"byte": "B", "ushort": "H", "uint": "I", "ulong": "Q", "sbyte": "b", "short": "h", "int": "i", "long": "q"}
_LETTERS |= {"float": "f", "double": "d", "color": "f", "color32": "B"}
_KINDS = ("Raw", "Discrete", "Curve")
_MODES = ("Hold", "Linear", "Tangent", "CubicBezier")

Value = tuple[Any, ...]


class Record(NamedTuple):
    """One track; `keys` are (time, value, interpolation, left, right), the last two only where they are looked at."""

    kind: str
    type: str
    node: str
    property: str
    interval: str
    keys: list[tuple[Any, ...]]


class File(NamedTuple):
    """A file; the duration is 0 where it has none."""

    name: str
    duration: float
    records: list[Record]


def records(data: bytes, *, time_first: bool = False, right_first: bool = False) -> list[Record]:
    """The tracks of a file in its order."""
    return read(data, time_first=time_first, right_first=right_first).records


def read(data: bytes, *, time_first: bool = False, right_first: bool = False) -> File:
    """Take a file apart; a binary one has the given orders within the keys of curves."""
    if data.lstrip(b"\xef\xbb\xbf \n")[:1] == b"{":
        document = json.loads(data.decode("utf-8-sig"))
        tracks = [_of_json(track) for track in document["tracks"]]
        return File(document.get("name") or "", float(document.get("globalDuration") or 0.0), tracks)
    return _Binary(data, time_first, right_first).file()


def layout_of(name: str) -> tuple[int, str]:
    """The number of components of a type, and the letter of each."""
    if name.startswith("color"):
        return 4, _LETTERS[name]
    base = name.rstrip("234xQ") if name != "color32" else name
    size = name[len(base) :]
    rows, _, columns = size.partition("x")
    return (4 if size == "Q" else int(rows or 1) * int(columns or 1)), _LETTERS[base]


def _shown(name: str, numbers: Any) -> Value:
    if name == "string":
        return (numbers,)
    if name.startswith("bool"):
        return tuple(bool(number) for number in numbers)
    _, letter = layout_of(name)
    return tuple(repr(float(np.float32(number))) if letter == "f" else repr(number) for number in numbers)


def _seconds(time: float) -> str:
    return repr(float(np.float32(time)))


def _flat(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [part for each in value.values() for part in _flat(each)]
    if isinstance(value, list):
        return [part for each in value for part in _flat(each)]
    return [value]


def _of_json(track: dict[str, Any]) -> Record:
    data, kind, name = track["data"], track["trackType"], track["valueType"]

    def value(found: Any) -> Value:
        numbers = found if name == "string" else _flat(found)
        if name.startswith(("float", "double")) or name == "color":
            numbers = [float(number) for number in numbers]
        return _shown(name, numbers)

    if kind == "Raw":
        keys: list[Any] = [(value(key),) for key in data["keyframes"]]
        return Record(kind, name, data["node"], data["property"], _seconds(data["interval"]), keys)
    keys = [(_seconds(key["time"]), value(key["value"])) for key in data["keyframes"]]
    if kind == "Curve":
        modes = [key.get("interpolation", "Hold") for key in data["keyframes"]]
        sides = [[value(key.get(f"{side}Tangent", 0)) for key in data["keyframes"]] for side in ("left", "right")]
        keys = _curve(keys, modes, sides)
    return Record(kind, name, data["node"], data["property"], "", keys)


def _curve(keys: list[Any], modes: list[str], sides: list[list[Value]]) -> list[tuple[Any, ...]]:
    looked_at = any(mode in _MODES[2:] for mode in modes)
    columns = zip(keys, modes, *sides, strict=True)
    return [(*key, mode, *(tangents if looked_at else ())) for key, mode, *tangents in columns]


class _Bytes:
    """Numbers and texts one after the other."""

    def __init__(self, data: bytes) -> None:
        self._data, self.at = data, 0

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


class _Binary(_Bytes):
    def __init__(self, data: bytes, time_first: bool, right_first: bool) -> None:
        super().__init__(data)
        self._time_first, self._right_first = time_first, right_first

    def file(self) -> File:
        assert self._text() == "AnimX"
        (self._version,) = self._take("i")
        count = self.varint()
        (duration,), name = self._take("f"), self._text()
        (packing,) = self._take("B")
        self._data, self.at = _UNPACKERS[packing](self._data[self.at :]), 0
        return File(name, duration, [self._track() for _ in range(count)])

    def _track(self) -> Record:
        kind, number = self._take("BB") if self._version else self._old_kind()
        name, node, field, count = NAMES[number], self._text(), self._text(), self.varint()
        if _KINDS[kind] == "Raw":
            (interval,) = self._take("f")
            keys: list[Any] = [(self._value(name),) for _ in range(count)]
            return Record("Raw", name, node, field, _seconds(interval), keys)
        if _KINDS[kind] == "Discrete":
            return Record("Discrete", name, node, field, "", [self._key(name, True) for _ in range(count)])
        (flags,) = self._take("B")
        modes = list(self._take(f"{count}B")) if flags & 1 else [self._take("B")[0]] * count
        keys = [self._key(name, self._time_first) for _ in range(count)]
        pairs = [[self._value(name), self._value(name)] for _ in range(count)] if flags & 2 else [[(), ()]] * count
        left, right = ([pair[side] for pair in pairs] for side in (self._right_first, not self._right_first))
        return Record("Curve", name, node, field, "", _curve(keys, [_MODES[mode] for mode in modes], [left, right]))

    def _old_kind(self) -> tuple[int, int]:
        (byte,) = self._take("B")
        return 2 * (byte & 1), byte >> 1

    def _key(self, name: str, time_first: bool) -> tuple[str, Value]:
        if time_first:
            return _seconds(*self._take("f")), self._value(name)
        value = self._value(name)
        return _seconds(*self._take("f")), value

    def _value(self, name: str) -> Value:
        if name == "string":
            return (self._text() if self._take("?")[0] else None,)
        if name.startswith("bool"):
            (byte,) = self._take("B")
            bits = [byte >> at & 1 for at in range(int(name[4:]))] if name[4:] else [byte]
            return _shown(name, bits)
        width, letter = layout_of(name)
        return _shown(name, self._take(f"{width}{letter}"))


def _unpack_lz4(data: bytes) -> bytes:
    import lz4.block

    found, reader = b"", _Bytes(data)
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


_UNPACKERS: dict[int, Callable[[bytes], bytes]] = {0: bytes, 1: _unpack_lz4, 2: _unpack_lzma}
