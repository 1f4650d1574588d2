"""Small files that would become very much are refused before anything is made, in a process that has 2 GiB."""

from __future__ import annotations

import lzma
import os
import struct
import subprocess
import sys
import time
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from io_formats import FormatError, mrtk, open_document
from io_formats.clip import Clip, Node, Track
from io_formats.files import memory

SOURCE = Path(__file__).resolve().parents[2]
DATA = SOURCE / "tests" / "data"
GIB = 1 << 30
RUN = f"""
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, ({2 * GIB}, {2 * GIB}))
from io_formats.__main__ import main
sys.exit(main(sys.argv[1:]))
"""
needs_limits = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs limits as Linux has them")


def packed(tracks: list[bytes], count: int) -> bytes:
    """An AnimX of these tracks in LZMA, as the engine packs it; the parts are never in memory together."""
    coder = lzma.LZMACompressor(
        lzma.FORMAT_RAW, filters=[{"id": lzma.FILTER_LZMA1, "dict_size": 1 << 21, "lc": 3, "lp": 0, "pb": 2}]
    )
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


def absurd_recording() -> bytes:
    """A recording of 6 KB with curves that leap by millions of kilometres between weighted tangents."""
    document = mrtk.read((DATA / "mrtk" / "v10_curve_shapes.bin").read_bytes())
    random = np.random.default_rng(1)
    for curve in curves_in(document):
        keys = curve.keys.copy()
        for name in keys.dtype.names:
            if "mode" in name:
                keys[name] = 3  # both sides weighted
            elif "weight" in name:
                keys[name] = random.uniform(0, 1, len(keys))
            elif "tangent" in name or name == "value":
                keys[name] = random.uniform(-1e12, 1e12, len(keys))
        curve.keys = keys
    return mrtk.write(document)


def curves_in(part: Any) -> list[Any]:
    if isinstance(part, mrtk.document.Curve):
        return [part]
    inner = [getattr(part, field.name) for field in fields(part)] if is_dataclass(part) else part
    return [curve for one in inner for curve in curves_in(one)] if isinstance(inner, list | tuple) else []


def run(arguments: list[str]) -> tuple[int, str, float]:
    """The command in a process that has 2 GiB of address space: exit code, what it said, seconds of the processor."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    before = os.times()
    done = subprocess.run(
        [sys.executable, "-c", RUN, *arguments],
        capture_output=True,
        text=True,
        cwd=SOURCE,
        env=environment,
        check=False,
    )
    after = os.times()
    return done.returncode, done.stdout + done.stderr, after.children_user - before.children_user


@needs_limits
@pytest.mark.parametrize("make", [one_track_of_many_keys, very_many_small_tracks, absurd_recording])
def test_a_bomb_is_refused_by_default_with_the_name_of_the_option(make: Any, tmp_path: Path) -> None:
    path = tmp_path / f"bomb{'.bin' if make is absurd_recording else '.animx'}"
    path.write_bytes(make())
    assert path.stat().st_size < 60_000
    code, said, seconds = run(["convert", str(path), str(tmp_path / "out.animj")])
    assert code == 1 and said.startswith(f"{path}") and len(said.splitlines()) == 1, said
    assert "Memory Limit (--memory-mib)" in said
    assert seconds < 20
    assert not (tmp_path / "out.animj").exists()


@needs_limits
def test_a_file_is_recognised_before_it_is_read(tmp_path: Path) -> None:
    """Six GiB of nothing take no memory and no time; of a known kind, the size limit holds for every format."""
    path = tmp_path / "large.bin"
    kinds = {"MRTK": (DATA / "mrtk" / "v10_empty.bin"), "AnimX": DATA / "animx" / "08_walk_lzma_eos.animx"}
    for head, expected in (
        (b"", "this is none of them"),
        *((kind.read_bytes()[:64], "limit") for kind in kinds.values()),
    ):
        with path.open("wb") as file:
            file.write(head)
            file.truncate(6 * GIB)
        started = time.perf_counter()
        code, said, _ = run(["info", str(path)])
        assert code == 1 and expected in said, said
        assert time.perf_counter() - started < 20


def test_what_is_reckoned() -> None:
    """72 bytes for each of Blender's keys, twice; ten minutes of two hands fit where a quarter is 4 GiB."""
    clip = Clip("x", 1.0)
    clip.nodes = [Node("a")]
    clip.tracks = [
        Track("a", "location", np.zeros(7000, np.float32), np.zeros((3, 7000), np.float32), np.ones(7000, np.uint8))
    ]
    memory.reckon_clips([clip])  # without a limit nothing is refused
    with memory.limited(4):
        memory.reckon_clips([clip])
    with memory.limited(2), pytest.raises(FormatError, match="takes 3 MiB"):
        memory.reckon_clips([clip])
    with memory.limited(4096):
        memory.reckon(keys=13_900_000, curves=400, nodes=60)


def test_scripts_are_kept_from_bombs_too(tmp_path: Path) -> None:
    path = tmp_path / "bomb.animx"
    path.write_bytes(very_many_small_tracks())
    with pytest.raises(FormatError, match="Memory Limit"):
        open_document(path)
