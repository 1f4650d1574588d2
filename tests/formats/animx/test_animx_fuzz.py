"""Damaged files: a document or one FormatError, nothing else, and what is read can be written and mapped."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from io_formats import animx
from io_formats.errors import FormatError, Report

DATA = Path(__file__).parents[2] / "data" / "animx"
FILES = sorted(path for path in DATA.glob("*.anim?") if path.stat().st_size < 10_000)
ROUNDS = 20
LIMIT = 1 << 22


def damaged(data: bytes, chance: random.Random) -> bytes:
    """One of: bits flipped, bytes replaced by telling ones, cut, a piece doubled or taken out."""
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 8))):
        at = chance.randrange(len(changed) + 1)
        size = chance.choice((1, 1, 2, 4, 16))
        kind = chance.randrange(5)
        if kind == 0 and at < len(changed):
            changed[at] ^= 1 << chance.randrange(8)
        elif kind == 1:
            changed[at : at + size] = bytes([chance.choice((0, 1, 0x7F, 0x80, 0xFF))]) * size
        elif kind == 2:
            del changed[at:]
        elif kind == 3:
            changed[at:at] = changed[at : at + size]
        else:
            del changed[at : at + size]
    return bytes(changed)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_damaged_files(path: Path) -> None:
    data = path.read_bytes()
    for seed in range(ROUNDS):
        broken = damaged(data, random.Random(f"{path.name} {seed}"))
        try:
            document = animx.read(broken, limit=LIMIT, report=Report())
        except FormatError as error:
            assert str(error)
            continue
        written = animx.write(document)
        again = animx.read(written, limit=LIMIT)
        assert animx.same_content(document, again), seed
        animx.describe(document)
        clips = animx.to_clips(document, animx.ImportOptions(), Report())
        assert animx.same_content(document, animx.read(animx.write_animj(document))), seed
        animx.from_clip(clips[0], animx.ExportOptions(), Report())
