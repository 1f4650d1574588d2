"""Seeded damage: what disks, networks, editors and attackers do to a file.

`damaged(samples, seed, number)` is a pure function: the same seed and number give the same bytes on every machine,
so a find is reported as two numbers.
"""

from __future__ import annotations

import random
import re
import struct
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

MIB = 1 << 20
Mutation = Callable[[bytearray, random.Random], bytearray]

LENGTHS = (0, 1, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 0x10000, 0xFFFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF)
ODD_FLOATS = tuple(
    struct.pack("<I", bits)
    for bits in (0x7FC00000, 0xFFC00001, 0x7F800001, 0x7F800000, 0xFF800000, 0x80000000, 0x00000001, 0x7F7FFFFF)
) + tuple(struct.pack("<d", value) for value in (float("nan"), float("inf"), float("-inf"), 1e308, 5e-324))
ODD_TEXTS = (
    b"NaN", b"Infinity", b"-Infinity", b"1e999", b"-0", b"9" * 5000, b"1e-999", b"null", b"true", b'"\\ud800"', b"[]",
    b"{}", b"[" * 100_000, b'{"a":' * 50_000, b"\xff\xfe", b'"\\u0000"', b"0x10", b"1.0.0", b"18446744073709551616",
)  # fmt: skip

ODD_VALUES = (
    b"", b" ", b"NaN", b"INF", b"-INF", b"1e999", b"-0", b"9" * 5000, b"4294967295", b"65535", b"-1", b"1_0", b"1,5",
    b"&lt;", b"&#0;", b"&unknown;", b"&#x10FFFF;", b"<![CDATA[7]]>", b"<!-- 7 -->7", b"\xff\xfe", b"Orientation",
    b"true", b"ART:..\\..\\x.w3x", b"<a>" * 100_000, b"x" * 100_000, "ä".encode(), b"0", b"1" + b"0" * 400,
)  # fmt: skip


def load_samples(folder: Path) -> list[tuple[str, bytes]]:
    """Name and bytes of every sample in a folder and below, in a fixed order; notes and truth tables are left out.

    The format's models, in a folder beside it, belong to them.
    """
    endings = {".bin", ".w3d", ".w3x", ".animx", ".animj"}
    found = [*folder.rglob("*"), *folder.with_name(f"{folder.name}_models").rglob("*")]
    files = sorted(path for path in found if path.suffix.lower() in endings)
    return [(path.relative_to(folder.parent).as_posix(), path.read_bytes()) for path in files]


def damaged(samples: Sequence[tuple[str, bytes]], seed: int, number: int) -> tuple[str, bytes]:
    """The damaged file of that number: name of its sample, and its bytes."""
    rng = random.Random(f"{seed}/{number}")
    name, data, first, others = chosen(samples, seed, number)
    result = first(bytearray(data), rng)
    for _ in range(rng.choice((0, 0, 0, 1, 2, 4))):
        result = rng.choice(others)(result, rng)
    if rng.random() < 0.05:
        result = _splice(result, rng.choice(samples)[1], rng)
    return name, bytes(result)


def chosen(
    samples: Sequence[tuple[str, bytes]], seed: int, number: int
) -> tuple[str, bytes, Mutation, tuple[Mutation, ...]]:
    """The sample of that number, the damage that it gets for certain, and what it may get on top of that.

    All samples have their turn before one has its second, and each meets every kind of damage before it has met all.
    """
    turn, place = divmod(number, len(samples))
    name, data = samples[_shuffled(len(samples), f"{seed}")[place]]
    turns = _turns(data)
    return name, data, *turns[_shuffled(len(turns), f"{seed}/{name}")[turn % len(turns)]]


@cache
def _shuffled(size: int, seed: str) -> tuple[int, ...]:
    return tuple(random.Random(seed).sample(range(size), size))


def _turns(data: bytes) -> list[tuple[Mutation, tuple[Mutation, ...]]]:
    """What a sample goes through: a kind of damage, and those that may come on top of it."""
    if data.lstrip()[:1] in (b"{", b"["):
        pools = [TEXT_MUTATIONS, TEXT_MUTATIONS, BINARY_MUTATIONS]
    elif data.lstrip(b"\xef\xbb\xbf \r\n")[:1] == b"<":
        pools = [XML_MUTATIONS, XML_MUTATIONS, BINARY_MUTATIONS]
    else:
        pools = [GENTLE_MUTATIONS, GENTLE_MUTATIONS, BINARY_MUTATIONS]
    return [(kind, pool) for pool in pools for kind in pool]


def _place(data: bytearray, rng: random.Random, size: int = 1) -> int:
    """A place that leaves room for `size` bytes; the beginning, where the counts are, is taken more often."""
    last = max(len(data) - size, 0)
    return rng.randint(0, min(last, 64) if rng.random() < 0.4 else last)


def _run(data: bytearray, rng: random.Random) -> tuple[int, int]:
    start = _place(data, rng)
    length = rng.choice((1, 2, 4, 8, 28, 32, rng.randint(1, 256), rng.randint(1, max(len(data), 1))))
    return start, min(start + length, len(data))


def cut(data: bytearray, rng: random.Random) -> bytearray:
    """The end is missing."""
    return data[: rng.randint(0, len(data))]


def cut_few(data: bytearray, rng: random.Random) -> bytearray:
    """The last few bytes are missing."""
    return data[: max(len(data) - rng.randint(1, 16), 0)]


def behead(data: bytearray, rng: random.Random) -> bytearray:
    """The beginning is missing."""
    return data[rng.randint(1, 16) :]


def flip_bits(data: bytearray, rng: random.Random) -> bytearray:
    """Up to eight bits are wrong."""
    for _ in range(rng.randint(1, 8) if data else 0):
        data[_place(data, rng)] ^= 1 << rng.randint(0, 7)
    return data


def overwrite(data: bytearray, rng: random.Random) -> bytearray:
    """A run of bytes is garbage."""
    start, end = _run(data, rng)
    data[start:end] = rng.randbytes(end - start)
    return data


def blank(data: bytearray, rng: random.Random) -> bytearray:
    """A run of bytes is zero, as after a crash of the writer."""
    start, end = _run(data, rng)
    data[start:end] = bytes(end - start)
    return data


def length_bomb(data: bytearray, rng: random.Random) -> bytearray:
    """A count or length promises far too much, or nothing."""
    size = rng.choice((1, 2, 4, 4, 4, 8))
    value = rng.choice(LENGTHS) & ((1 << 8 * size) - 1)
    start = _place(data, rng, size)
    if rng.random() < 0.5:
        start -= start % 4
    data[start : start + size] = value.to_bytes(size, rng.choice(("little", "little", "big")))
    return data


def variable_length_bomb(data: bytearray, rng: random.Random) -> bytearray:
    """A number of variable length that does not end, or is absurd."""
    start = _place(data, rng)
    data[start : start + rng.randint(0, 2)] = b"\xff" * rng.randint(1, 12) + bytes([rng.randint(0, 127)])
    return data


def delete(data: bytearray, rng: random.Random) -> bytearray:
    """A run of bytes is missing."""
    start, end = _run(data, rng)
    del data[start:end]
    return data


def duplicate(data: bytearray, rng: random.Random) -> bytearray:
    """A run of bytes stands several times."""
    start, end = _run(data, rng)
    again = data[start:end] * min(rng.choice((1, 1, 2, 64)), max(65536 // max(end - start, 1), 1))
    data[end:end] = again
    return data


def insert(data: bytearray, rng: random.Random) -> bytearray:
    """Something foreign stands in the middle."""
    place = _place(data, rng)
    data[place:place] = rng.randbytes(rng.choice((1, 2, 4, 16, 256)))
    return data


def swap(data: bytearray, rng: random.Random) -> bytearray:
    """Two runs of bytes changed places."""
    (first, middle), (third, end) = sorted((_run(data, rng), _run(data, rng)))
    if middle > third:
        return data
    return data[:first] + data[third:end] + data[middle:third] + data[first:middle] + data[end:]


def damage_header(data: bytearray, rng: random.Random) -> bytearray:
    """Several bytes of the beginning are wrong."""
    for _ in range(rng.randint(1, 6) if data else 0):
        data[rng.randint(0, min(len(data), 48) - 1)] = rng.choice((0, 1, 2, 0x7F, 0x80, 0xFF, rng.randint(0, 255)))
    return data


def odd_floats(data: bytearray, rng: random.Random) -> bytearray:
    """NaN, infinity, minus zero, denormals and the largest numbers stand where numbers are."""
    for _ in range(rng.choice((1, 2, 20))):
        value = rng.choice(ODD_FLOATS)
        start = _place(data, rng, len(value))
        data[start : start + len(value)] = value
    return data


def varint(value: int) -> bytes:
    """An unsigned number, seven bits to a byte, lowest first."""
    parts = bytearray()
    while value > 127:
        parts.append(value & 127 | 128)
        value >>= 7
    return bytes(parts + bytes([value]))


def odd_text(data: bytearray, rng: random.Random) -> bytearray:
    """A value of a text file is something else."""
    values = list(re.finditer(rb'-?\d[\d.eE+-]*|"[^"]*"|true|false|null', data))
    if not values:
        return data
    found = rng.choice(values)
    data[found.start() : found.end()] = rng.choice(ODD_TEXTS)
    return data


def lose_mark(data: bytearray, rng: random.Random) -> bytearray:
    """A bracket, quote, comma or colon of a text file is missing or doubled."""
    return _lose(data, rng, b'{}[]",:')


def _lose(data: bytearray, rng: random.Random, marks: bytes) -> bytearray:
    places = [place for place, byte in enumerate(data) if byte in marks]
    if places:
        place = rng.choice(places)
        data[place : place + 1] = data[place : place + 1] * rng.choice((0, 0, 2))
    return data


def rename_key(data: bytearray, rng: random.Random) -> bytearray:
    """A key of a text file has another name, or the name of another one."""
    return _rename(data, rng, rb'"[^"]*"(?=\s*:)', (b'"else"', b'""'))


def _rename(data: bytearray, rng: random.Random, names: bytes, others: tuple[bytes, ...]) -> bytearray:
    found = list(re.finditer(names, data))
    if len(found) > 1:
        target, other = rng.sample(found, 2)
        data[target.start() : target.end()] = rng.choice((bytes(data[other.start() : other.end()]), *others))
    return data


def odd_value(data: bytearray, rng: random.Random) -> bytearray:
    """A number or attribute of an XML file is something else."""
    values = list(re.finditer(rb'(?<=[">])[^<>"]*[^<>"\s][^<>"]*(?=[<"])', data))
    if values:
        found = rng.choice(values)
        data[found.start() : found.end()] = rng.choice(ODD_VALUES)
    return data


def lose_angle(data: bytearray, rng: random.Random) -> bytearray:
    """A mark of an XML file is missing or doubled."""
    return _lose(data, rng, b"<>/=\"'")


def swap_names(data: bytearray, rng: random.Random) -> bytearray:
    """An element or attribute of an XML file has the name of another one, or one of its own."""
    return _rename(data, rng, rb"(?<=[<\s/])[A-Za-z]\w*(?=[\s=>/])", (b"Else", b"w:x"))


def repeat_element(data: bytearray, rng: random.Random) -> bytearray:
    """An element of an XML file stands elsewhere too, or not at all."""
    found = list(re.finditer(rb"<(\w+)[^>]*/>|<(\w+)\b[^>]*>[^<]*</\2>", data))
    if found:
        element, place = bytes(rng.choice(found)[0]), rng.choice(found).start()
        if rng.random() < 0.3:
            return bytearray(data.replace(element, b"", 1))
        data[place:place] = element * rng.choice((1, 1, 3, 200))
    return data


def _splice(data: bytearray, other: bytes, rng: random.Random) -> bytearray:
    """The beginning of one file and the end of another."""
    return data[: rng.randint(0, len(data))] + other[rng.randint(0, len(other)) :]


BINARY_MUTATIONS: tuple[Mutation, ...] = (
    cut, cut_few, behead, flip_bits, flip_bits, overwrite, blank, length_bomb, length_bomb, length_bomb,
    variable_length_bomb, delete, delete, duplicate, insert, swap, damage_header, damage_header, odd_floats, odd_floats,
)  # fmt: skip
# These leave lengths and counts alone more often than not, so that the damage gets past the reader's first checks.
GENTLE_MUTATIONS: tuple[Mutation, ...] = (flip_bits, odd_floats, odd_floats, blank, overwrite, swap)
XML_MUTATIONS: tuple[Mutation, ...] = (
    odd_value, odd_value, odd_value, lose_angle, lose_angle, swap_names, swap_names, repeat_element, repeat_element,
    cut, delete, duplicate, flip_bits,
)  # fmt: skip
TEXT_MUTATIONS: tuple[Mutation, ...] = (
    odd_text, odd_text, odd_text, lose_mark, lose_mark, rename_key, rename_key, cut, delete, duplicate, flip_bits,
)  # fmt: skip
