"""Small files that would become very much are refused before anything is made, in a process that has 2 GiB."""

from __future__ import annotations

import json
import math
import os
import struct
import subprocess
import sys
import tracemalloc
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bombs import one_track_of_many_keys, very_many_small_tracks
from cases import slow, slow_but
from lay import Lay

from io_formats import FormatError, animx, mrtk, open_document, w3d
from io_formats.clip import Clip, Node, Track, TrackKind, resample
from io_formats.errors import Report
from io_formats.files import memory, messages
from io_formats.files.steps import finished
from io_formats.files.whole_file import read_file
from io_formats.interchange import GLB, NPZ, InterchangeOptions, TableOptions

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


def absurd_recording() -> bytes:
    """A recording of 6 KB with curves that leap by millions of kilometres between weighted tangents."""
    document = mrtk.read((DATA / "mrtk" / "v10_curve_shapes.bin").read_bytes())
    random = np.random.default_rng(1)
    for _, curve in document.curves():
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


def run(arguments: list[str]) -> tuple[int, str]:
    """The command in a process that has 2 GiB of address space: exit code, what it said."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", RUN, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=SOURCE, env=environment, check=False)
    return done.returncode, done.stdout + done.stderr


@needs_limits
@pytest.mark.parametrize("make", [slow(one_track_of_many_keys), slow(very_many_small_tracks), absurd_recording])
def test_a_bomb_is_refused_by_default_with_the_name_of_the_option(make: Any, tmp_path: Path) -> None:
    path = tmp_path / f"bomb{'.bin' if make is absurd_recording else '.animx'}"
    path.write_bytes(make())
    assert path.stat().st_size < 60_000
    code, said = run(["convert", str(path), str(tmp_path / "out.animj")])
    assert code == 1 and said.startswith(f"{path}") and len(said.splitlines()) == 1, said
    assert "Memory in the add-on's preferences, or --memory-mib" in said
    assert not (tmp_path / "out.animj").exists()


@needs_limits
def test_a_file_is_recognised_before_it_is_read(tmp_path: Path) -> None:
    """Six GiB of nothing are not read; of a known kind, the page's size limit holds for every format."""
    kinds = ["mrtk/v10_empty.bin", "animx/08_walk_lzma_eos.animx", "w3d/g02_tc_default.w3d", "w3x/g02.w3x"]
    heads = {"none of them": b"", **{kind: (DATA / kind).read_bytes()[:64] for kind in kinds}}
    paths = [tmp_path / f"{number}.bin" for number in range(len(heads))]
    for path, head in zip(paths, heads.values(), strict=True):
        with path.open("wb") as file:
            file.write(head)
            file.truncate(6 * GIB)
    code, said = run(["info", *map(str, paths)])
    errors = [line.removeprefix("error: ") for line in said.splitlines() if line.startswith("error: ")]
    assert code == 1 and len(errors) == len(heads), said
    for line, path, kind in zip(errors, paths, heads, strict=True):
        told = "limit of 536870912 bytes;" if kind in kinds else "this is none of them"
        assert line.startswith(str(path)) and told in line, line


def as_w3d(data: bytes, **options: Any) -> Any:
    document = w3d.read(data)
    return w3d.to_clips(document, w3d.ImportOptions(**options), Report())


def bits_that_change_in_every_frame() -> bytes:
    """Eight keys in a byte: 65,535 of them in a channel of 8 KiB."""
    channels = [Lay.bits(0, [0, 1] * 32767, pivot) for pivot in range(1, 60)]
    return bytes(Lay.animation(*channels, frames=65535))


def frames_of_differences() -> bytes:
    """16 frames of four numbers in 36 bytes."""
    rows = 40_000
    channel = Lay.deltas(16 * rows, 0.1, [0, 0, 0, 1], bytes(36 * rows), 6, 1)
    return bytes(Lay.compressed(channel, frames=16 * rows, flavor=1))


def quaternions_that_turn_round() -> bytes:
    """Rotations by nearly half a turn a frame, between each pair of which 63 are inserted."""
    turns = [[math.sin(1.5 * at), 0, 0, math.cos(1.5 * at)] for at in range(20_000)]
    return bytes(Lay.animation(*(Lay.raw(0, turns, 6, pivot) for pivot in range(1, 5)), frames=20_000))


def empty_chunks() -> bytes:
    return bytes(Lay.hierarchy() + struct.pack("<II", 0x12345, 0) * 300_000)


def empty_chunks_in_one() -> bytes:
    header = struct.pack("<I16s16sII", 0x40001, Lay.name("A"), Lay.name("B"), 2, 30)
    return bytes(Lay.chunk(0x200, Lay.chunk(0x201, header) + struct.pack("<II", 0x12345, 0) * 300_000, flagged=True))


def markers_without_text() -> bytes:
    head = struct.pack("<qii", 0x6A8FAF6E0F9E42C6, 1, 1) + bytes(3)
    return head + struct.pack("<i", 300_000) + bytes(5 * 300_000)


def texts_of_one_letter() -> bytes:
    number = bytes([300_000 & 0x7F | 0x80, 300_000 >> 7 & 0x7F | 0x80, 300_000 >> 14])
    return (
        b"\x05AnimX" + struct.pack("<iBf", 1, 1, 1.0) + b"\0\0" + b"\0\x27\0\0" + number + bytes(4) + b"\1\1a" * 300_000
    )


def lists_of_nothing() -> bytes:
    return b'{"name":[' + b"[]," * 700_000 + b'[]],"globalDuration":1,"tracks":[]}'


def tracks_without_keys() -> bytes:
    """As JSON they are little; of each a curve would be made."""
    track = b'{"trackType":"Curve","valueType":"float","data":{"node":"%x","property":"x","keyframes":[]}},'
    tracks = b"".join(track % at for at in range(27_000))
    return b'{"name":"n","globalDuration":1,"tracks":[' + tracks[:-1] + b"]}"


def flags_that_become_text() -> animx.Document:
    """Five bytes a key in arrays, 200 while they become text."""
    flags, times = np.zeros(1_000_000, np.uint8), np.zeros(1_000_000, np.float32)
    return animx.Document(tracks=[animx.Track(animx.layout.TrackType.DISCRETE, 0, "node", "shown", flags, times)])


def a_long_name_among_many() -> Clip:
    """A table's texts all take the room of the longest."""
    nodes = [Node("a" * 30_000), *(Node(f"b{at}") for at in range(300))]
    keys = np.zeros(1, np.float32), np.ones((3, 1), np.float32), np.ones(1, np.uint8)
    return Clip("x", 1.0, nodes=nodes, tracks=[Track(node.name, "location", *keys, width=3) for node in nodes])


def flags_that_no_viewer_plays() -> Clip:
    """Numbers of the JSON, with their times."""
    keys = np.zeros(400_000, np.float32), np.ones((1, 400_000), np.float32), np.ones(400_000, np.uint8)
    return Clip("x", 1.0, nodes=[Node("a")], tracks=[Track("a", "shown", *keys, kind=TrackKind.CUSTOM)])


FORMS_OF_MUCH = {
    a_long_name_among_many: lambda clip: finished(NPZ.encoded([clip], TableOptions(), Report())),
    bits_that_change_in_every_frame: as_w3d,
    frames_of_differences: as_w3d,
    quaternions_that_turn_round: as_w3d,
    empty_chunks: w3d.read,
    empty_chunks_in_one: w3d.read,
    markers_without_text: mrtk.read,
    texts_of_one_letter: animx.read,
    lists_of_nothing: animx.read,
    tracks_without_keys: animx.read,
    flags_that_no_viewer_plays: lambda clip: finished(GLB.encoded([clip], InterchangeOptions(), Report())),
    flags_that_become_text: animx.animj_write.write,
}


@pytest.mark.parametrize(
    "make",
    slow_but(FORMS_OF_MUCH.keys() - {empty_chunks, empty_chunks_in_one}, FORMS_OF_MUCH),
    ids=lambda make: make.__name__,
)
def test_much_of_little_is_reckoned_before_it_is_made(make: Any) -> None:
    """The sentence comes before half of the memory is used that the limit allows."""
    data, limit = make(), 48
    tracemalloc.start()
    try:
        with memory.limited(limit), pytest.raises(FormatError) as caught:
            FORMS_OF_MUCH[make](data)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert caught.value.template == messages.TOO_MUCH_MEMORY
    assert most < (limit << 20) / 2


@pytest.mark.slow
def test_what_json_needs_is_reckoned_near_enough() -> None:
    """Neither less than a tenth below what Python takes, nor more than twice as much for what an AnimJ holds."""
    key = '{"time":%r,"value":{"x":%r,"y":%r},"interpolation":"Linear"}'
    texts = {
        "keys": (",".join(key % (at / 30, at * 0.1, at * 0.2) for at in range(20_000)), 2.0),
        "numbers": (",".join(["0.5"] * 200_000), 2.0),
        "lists": (",".join(["[]"] * 200_000), 2.0),
        "lists of one": (",".join(["[0]"] * 200_000), 2.0),
        "objects of one": (",".join(['{"a":0}'] * 100_000), 2.0),
        "texts": (",".join(f'"{at}"' for at in range(100_000)), 3.0),
        "letters of four bytes": (",".join(['"\U0001f600"'] * 100_000), 2.0),
        "one among others": ('"' + "a" * 4_000_000 + '\U0001f600"', 2.0),
    }
    for text, most in texts.values():
        data = f"[{text}]".encode()
        tracemalloc.start()
        read = json.loads(data.decode())
        _, taken = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        del read
        for share, reason in ((0.9, pytest.raises(FormatError)), (most, nullcontext())):
            with memory.limited(math.ceil(share * taken) >> 20), reason:
                memory.reckon_json(data)


@pytest.mark.parametrize("of", 'keys 144|curves 8192|nodes 16384|pieces 1152|parts 512|{"": 184|[, 104|" 30'.split("|"))
def test_what_is_reckoned(of: str) -> None:
    """A MiB of each needs so many, by the page on safety; signs of JSON twice besides, as bytes and as text."""
    each, size = of.split()
    for more in (0, 1):
        with memory.limits(int(size), 0, memory.KEY)(), pytest.raises(FormatError) if more else nullcontext():
            if each.isalpha():
                memory.reckon(**{each: (1 << 20) + more})
            else:
                memory.reckon_json(each.encode() * (1 << 20) + b" " * more)


def test_clips_are_reckoned_by_their_keys_and_bones() -> None:
    clip = Clip("x", 1.0, nodes=[Node("a")])
    clip.tracks = [Track.sampled("a", "shown", np.arange(32_384), np.zeros((1, 32_384)))]
    memory.reckon_clips([clip])  # without a limit nothing is refused
    with memory.limits(2, 0, memory.KEY)(), pytest.raises(FormatError, match="takes 5 MiB"):
        memory.reckon_clips([clip])
    with memory.limited(2):
        memory.reckon_clips([clip])  # 64 bytes each, 8192 of a curve, 16384 of a bone
        with memory.limited(3):
            memory.reckon_clips([clip], 1)
        with pytest.raises(FormatError):
            memory.reckon_clips([clip], 1)


def test_time_adds_up_over_the_rotations_of_a_file() -> None:
    """Each is halved on its own, and none of them alone takes longer than is allowed."""
    random = np.random.default_rng(1)
    keys = np.arange(600, dtype=np.float32), random.normal(size=(4, 600)).astype(np.float32), np.ones(600, np.uint8)
    done = []
    with memory.limited(0, 2), pytest.raises(FormatError) as caught:
        for name in "abcdefgh":
            done.append(resample.unit_rotations([Track(name, "rotation_quaternion", *keys, width=4)], 1e-3))
    assert caught.value.template == messages.TOO_MUCH_TIME and 0 < len(done) < 7


def test_each_file_that_is_read_gives_its_time(tmp_path: Path) -> None:
    """A minute, and a quarter of one for each MiB of them all."""
    with memory.limited(200):
        for size in (4 << 20, 1):
            (tmp_path / "file").write_bytes(bytes(size))
            read_file(tmp_path / "file")
        memory.spend(seconds=115.9, pieces=100_000)  # which take 4
        memory.reckon_json(bytes(4 << 20))
        with pytest.raises(FormatError):
            memory.reckon(seconds=0.2)


def test_time_of_curves_that_get_fewer_keys_adds_up_as_well() -> None:
    """Of rotations that turned the long way, twenty times their keys: 156 s were spent before 62 were refused."""
    noise = np.random.default_rng(1).normal(size=(1, 30_000)).astype(np.float32)
    track = Track("a", "location", np.arange(30_000, dtype=np.float32), noise, np.ones(30_000, np.uint8))
    with memory.limited(0, 1), pytest.raises(FormatError, match="processor"):
        for _ in range(4):
            resample.straightened(track, 1e-5, most=100)


def test_scripts_are_kept_from_bombs_too(tmp_path: Path) -> None:
    path = tmp_path / "bomb.animx"
    path.write_bytes(very_many_small_tracks())
    with pytest.raises(FormatError, match=r"raise it \(Memory"):
        open_document(path)


GROUPS = {
    "v2": ("0::/system.slice/j\udcf6b:7/step_0\n", "system.slice/j\udcf6b:7", "memory.max"),
    "v1": ("9:cpu,cpuacct:/job_7/step_1\n4:memory:/job_7/step_0\n0::/\n", "memory/job_7", "memory.limit_in_bytes"),
    "container": ("4:memory:/docker/0a1b\n0::/\n", "memory", "memory.limit_in_bytes"),
}


@pytest.mark.parametrize("kind", GROUPS)
def test_the_limit_of_a_job_or_container_counts(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files as the kernel's documents describe them (Admin Guide, cgroup-v2 and cgroup-v1/memory)."""
    groups, limited, name = GROUPS[kind]
    for step, limit in (("step_0", "max\n" if kind == "v2" else "9223372036854771712\n"), ("step_1", "4096\n")):
        (tmp_path / limited / step).mkdir(parents=True)
        (tmp_path / limited / step / name).write_text(limit)
    (tmp_path / limited / name).write_text(f"{GIB}\n")
    (tmp_path / "cgroup").write_bytes(os.fsencode(groups))
    monkeypatch.setattr(memory, "_MOUNTED", tmp_path)
    monkeypatch.setattr(memory, "_OF_THIS_PROCESS", tmp_path / "cgroup")
    monkeypatch.setattr(memory, "group_limits", memory.group_limits.__wrapped__)
    assert memory.suitable() == GIB // 4
    (tmp_path / "cgroup").unlink()
    monkeypatch.setattr(os, "sysconf", lambda _: 1 << 20)
    assert memory.group_limits() == () and memory.suitable() == 4 * GIB
    monkeypatch.setattr(sys, "platform", "win32")
    assert memory.suitable() == 2 * GIB
