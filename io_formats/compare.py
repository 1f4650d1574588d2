"""Equality down to the bit, for documents: NaN payloads and the sign of zero count.

`==` cannot be used: NaN differs from itself, 0.0 equals -0.0, and `==` of arrays is an array.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from .clip import Array


def equal(a: Any, b: Any) -> bool:
    """Return whether two values hold the same bits: dataclasses, lists, tuples, dicts, arrays and plain values.

    Types must agree, and so must the dtype (byte order included) and shape of arrays. The order of a dict's keys
    does not count.
    """
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return _equal_arrays(a, b)
    if isinstance(a, float):
        return struct.pack("<d", a) == struct.pack("<d", b)
    if isinstance(a, np.generic):
        return bool(a.dtype == b.dtype) and a.tobytes() == b.tobytes()
    if is_dataclass(a):
        return all(equal(getattr(a, field.name), getattr(b, field.name)) for field in fields(a))
    if isinstance(a, Mapping):
        return a.keys() == b.keys() and all(equal(value, b[key]) for key, value in a.items())
    if isinstance(a, Sequence) and not isinstance(a, str | bytes | bytearray | memoryview):
        return len(a) == len(b) and all(map(equal, a, b))
    return bool(a == b)


def _equal_arrays(a: Array, b: Array) -> bool:
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.hasobject:
        return all(map(equal, a.ravel().tolist(), b.ravel().tolist()))
    return a.tobytes() == b.tobytes()
