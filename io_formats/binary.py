"""A cursor over bytes, which checks every count against the bytes left before anything is allocated, and its twin for
writing. All numbers are little-endian; strings are .NET's: a 7-bit varint byte length, then UTF-8."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from . import messages
from .errors import FormatError

_VARINT_BYTES = 10


class ByteReader:
    """Reads `data` from `offset` up to `end`; every error names the field and the byte, to whose offset `base` is
    added for data cut out of a larger file."""

    def __init__(self, data: bytes | memoryview, offset: int = 0, end: int | None = None, *, base: int = 0) -> None:
        self.data = data if isinstance(data, memoryview) else memoryview(data)
        self.offset = offset
        self.end = len(self.data) if end is None else end
        self.base = base

    @property
    def remaining(self) -> int:
        """Bytes not read yet."""
        return self.end - self.offset

    def again(self) -> ByteReader:
        """Return a cursor at the same offset, so that what is read with it can be read again."""
        return ByteReader(self.data, self.offset, self.end, base=self.base)

    def fail(self, template: str, field: str, **values: Any) -> FormatError:
        """Return an error that names this offset; the caller raises it."""
        return FormatError(template, offset=self.base + self.offset, field=field, **values)

    def take(self, size: int, field: str) -> memoryview:
        """Return the next `size` bytes, without a copy; raise FormatError if fewer are left."""
        start = self._advance(size, field)
        return self.data[start : start + size]

    def unpack(self, layout: struct.Struct, field: str) -> tuple[Any, ...]:
        """Return the next record of a `struct.Struct`; raise FormatError if less than one is left."""
        return layout.unpack_from(self.data, self._advance(layout.size, field))

    def _advance(self, size: int, field: str) -> int:
        start = self.offset
        if not 0 <= size <= self.end - start:
            raise self.fail(messages.TRUNCATED, field, expected=size, found=self.remaining)
        self.offset = start + size
        return start

    def array(self, dtype: DTypeLike, shape: int | tuple[int, ...], field: str) -> NDArray[Any]:
        """Return the next records as a read-only array (*shape,) over the file's bytes; FormatError if too few."""
        kind = np.dtype(dtype)
        count = math.prod(shape) if isinstance(shape, tuple) else shape
        start = self.skip(count, kind.itemsize, field)
        return np.ndarray(shape, kind, self.data, start)  # three times as fast as `frombuffer`

    def skip(self, count: int, size: int, field: str) -> int:
        """Skip `count` records of `size` bytes; return the offset of the first, raise FormatError if fewer are left."""
        start = self.offset
        if count < 0 or count * size > self.remaining:
            raise self.fail(messages.COUNT_TOO_LARGE, field, count=count, size=size, left=self.remaining)
        self.offset += count * size
        return start

    def varint(self, field: str) -> int:
        """Return an unsigned number, 7 bits a byte, low group first (.NET's 7-bit encoded integer, 64 bits); raise
        FormatError if it does not end within ten bytes or the data."""
        value = 0
        for position in range(_VARINT_BYTES):
            byte = self.take(1, field)[0]
            value |= (byte & 0x7F) << (7 * position)
            if byte < 0x80:
                return value & 0xFFFF_FFFF_FFFF_FFFF
        raise self.fail(messages.BAD_VARINT, field)


class ByteWriter:
    """Joins the parts of a file, one after another; `put` takes bytes as they are."""

    def __init__(self) -> None:
        file = BytesIO()
        self.put, self.getvalue = file.write, file.getvalue

    def pack(self, layout: struct.Struct, *values: object) -> None:
        """Write one record of a `struct.Struct`."""
        self.put(layout.pack(*values))

    def array(self, array: NDArray[Any]) -> None:
        """Write an array of any shape (...,) in C order; its dtype must already be the file's."""
        self.put(np.ascontiguousarray(array).tobytes())

    def varint(self, value: int) -> None:
        """Write an unsigned number, 7 bits a byte, low group first, in the shortest form."""
        encoded = bytearray()
        while value > 0x7F:
            encoded.append(value & 0x7F | 0x80)
            value >>= 7
        encoded.append(value)
        self.put(encoded)

    def string_bytes(self, text: bytes) -> None:
        """Write a .NET string from its UTF-8 bytes."""
        self.varint(len(text))
        self.put(text)


def equal(a: Any, b: Any) -> bool:
    """Return whether two values hold the same bits, as `==` tells NaN from itself and not 0.0 from -0.0: dataclasses,
    lists, tuples, numpy's numbers and arrays of one shape and dtype (byte order too); others of one type by `==`."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return bool(a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes())
    if isinstance(a, np.generic):
        return bool(a.dtype == b.dtype) and a.tobytes() == b.tobytes()
    if is_dataclass(a):
        return all(equal(getattr(a, field.name), getattr(b, field.name)) for field in fields(a))
    if isinstance(a, Sequence) and not isinstance(a, str | bytes | bytearray | memoryview):
        return len(a) == len(b) and all(map(equal, a, b))
    return bool(a == b)
