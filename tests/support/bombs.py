"""Small AnimX files that would become very much."""

from __future__ import annotations

import lzma
import struct
from functools import cache

ENGINE = {"id": lzma.FILTER_LZMA1, "dict_size": 1 << 21, "lc": 3, "lp": 0, "pb": 2}
QUICK = {"mode": lzma.MODE_FAST, "mf": lzma.MF_HC3, "nice_len": 273, "depth": 1}
"""The same bytes of zeros, in a third of the time."""


def packed(tracks: list[bytes], count: int) -> bytes:
    """An AnimX of these tracks in LZMA, as the engine packs it; the parts are never in memory together."""
    coder = lzma.LZMACompressor(lzma.FORMAT_RAW, filters=[{**ENGINE, **QUICK}])
    size = sum(map(len, tracks))
    stream = b"".join(coder.compress(part) for part in tracks) + coder.flush()
    number = b""
    while count > 0x7F:
        number += bytes([count & 0x7F | 0x80])
        count >>= 7
    head = b"\x05AnimX" + struct.pack("<i", 1) + number + bytes([count]) + struct.pack("<f", 1) + b"\1n\2"
    return head + struct.pack("<BIqq", 0x5D, 1 << 21, size, len(stream)) + stream


@cache
def one_track_of_many_keys() -> bytes:
    """52 million keys of 5 bytes: a time and a flag."""
    keys = 52_000_000
    number = bytes([keys & 0x7F | 0x80, keys >> 7 & 0x7F | 0x80, keys >> 14 & 0x7F | 0x80, keys >> 21])
    return packed([bytes([1, 0, 1, 97, 1, 98]) + number, *[bytes(5_000_000)] * 52], 1)


@cache
def very_many_small_tracks() -> bytes:
    """Nine bytes each, without a name and a key."""
    return packed([(bytes([0, 21, 0, 0, 0]) + bytes(4)) * 1_000_000] * 25, 25_000_000)
