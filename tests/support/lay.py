"""W3D files laid by hand with `struct`, apart from the writer under test."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np


class Lay:
    """Chunks as bytes, field by field, as the layout tables of the format have them."""

    @staticmethod
    def chunk(kind: int, data: bytes, *, flagged: bool = False) -> bytes:
        return struct.pack("<II", kind, len(data) | (0x8000_0000 if flagged else 0)) + data

    @staticmethod
    def name(text: str | bytes) -> bytes:
        raw = text.encode("latin-1") if isinstance(text, str) else text
        return raw.ljust(16, b"\0")[:16]

    @classmethod
    def hierarchy(
        cls,
        names: Sequence[str | bytes] = ("ROOTTRANSFORM", "HIP", "HEAD"),
        parents: Sequence[int] | None = None,
        *,
        name: str = "SKEL",
        version: int = 0x40001,
        step: float = 1.0,
        flagged: bool = True,
    ) -> bytes:
        """A chain along Z by default."""
        parents = list(range(-1, len(names) - 1)) if parents is None else parents
        header = struct.pack("<I16sI3f", version, cls.name(name), len(names), 0, 0, 0)
        pivots = b"".join(
            struct.pack("<16sI3f3f4f", cls.name(pivot), parent & 0xFFFFFFFF, 0, 0, step * (at > 0), 0, 0, 0, 0, 0, 0, 1)
            for at, (pivot, parent) in enumerate(zip(names, parents, strict=True))
        )
        return cls.chunk(0x100, cls.chunk(0x101, header) + cls.chunk(0x102, pivots), flagged=flagged)

    @classmethod
    def raw(cls, first: int, values: Any, kind: int, pivot: int, *, tail: bytes = b"", padding: int = 0) -> bytes:
        data = np.asarray(values, "<f4").reshape(len(values), -1)
        header = struct.pack("<6H", first, first + len(data) - 1, data.shape[1], kind, pivot, padding)
        return cls.chunk(0x202, header + data.tobytes() + tail)

    @classmethod
    def bits(cls, first: int, values: Sequence[int], pivot: int, default: int = 1) -> bytes:
        packed = np.packbits(np.asarray(values, np.uint8), bitorder="little").tobytes()
        return cls.chunk(0x203, struct.pack("<4HB", first, first + len(values) - 1, 0, pivot, default) + packed)

    @classmethod
    def animation(
        cls,
        *channels: bytes,
        frames: int = 10,
        rate: int = 30,
        name: str = "WALK",
        skeleton: str = "SKEL",
        version: int = 0x40001,
    ) -> bytes:
        header = struct.pack("<I16s16sII", version, cls.name(name), cls.name(skeleton), frames, rate)
        return cls.chunk(0x200, cls.chunk(0x201, header) + b"".join(channels), flagged=True)

    @classmethod
    def compressed(
        cls,
        *channels: bytes,
        frames: int = 10,
        rate: int = 30,
        flavor: int = 0,
        version: int = 1,
        name: str = "WALK",
        skeleton: str = "SKEL",
    ) -> bytes:
        header = struct.pack("<I16s16sIHH", version, cls.name(name), cls.name(skeleton), frames, rate, flavor)
        return cls.chunk(0x280, cls.chunk(0x281, header) + b"".join(channels), flagged=True)

    @classmethod
    def keys(cls, codes: Sequence[int], values: Any, kind: int, pivot: int, *, steps: Sequence[int] = ()) -> bytes:
        rows = np.asarray(values, "<f4").reshape(len(codes), -1)
        body = b"".join(
            struct.pack("<I", code | (0x8000_0000 if at in steps else 0)) + rows[at].tobytes()
            for at, code in enumerate(codes)
        )
        return cls.chunk(0x282, struct.pack("<IHBB", len(codes), pivot, rows.shape[1], kind) + body)

    @classmethod
    def deltas(
        cls, frames: int, scale: float, initial: Sequence[float], packets: bytes, kind: int, pivot: int
    ) -> bytes:
        head = struct.pack("<IHBBf", frames, pivot, len(initial), kind, scale)
        return cls.chunk(0x282, head + np.asarray(initial, "<f4").tobytes() + packets + b"\xaa\xbb\xcc")

    @classmethod
    def bit_keys(cls, codes: Sequence[tuple[int, int]], pivot: int, default: int = 1) -> bytes:
        words = b"".join(struct.pack("<I", frame | (value << 31)) for frame, value in codes)
        return cls.chunk(0x283, struct.pack("<IHBB", len(codes), pivot, 0, default) + words)

    @classmethod
    def motion_keys(
        cls, codes: Sequence[int], values: Any, kind: int, pivot: int, padding: bytes = b"\x13\x80"
    ) -> bytes:
        rows = np.asarray(values, "<f4").reshape(len(codes), -1)
        head = struct.pack("<BBBBHH", 0, 0, rows.shape[1], kind, len(codes), pivot)
        padding = padding if len(codes) % 2 else b""
        return cls.chunk(0x284, head + np.asarray(codes, "<u2").tobytes() + padding + rows.tobytes())
