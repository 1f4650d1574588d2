"""Several machines share a folder: each takes its part, and goes on where one of them was killed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.operators.test_batches import rows

Capture = pytest.CaptureFixture[str]
Command = Callable[..., int]

pytestmark = pytest.mark.once  # of one Blender as of any


@pytest.fixture
def takes(recording: Path, tmp_path: Path) -> Path:
    """Twelve recordings in three folders, with an umlaut among them, and a damaged one."""
    for day in ("monday", "tuesday", "März 3"):
        (tmp_path / "takes" / day).mkdir(parents=True)
        for number in range(4):
            shutil.copy(recording, tmp_path / "takes" / day / f"take {number}.bin")
    (tmp_path / "takes" / "damaged.bin").write_bytes(recording.read_bytes()[:-100])
    return tmp_path / "takes"


@pytest.mark.parametrize("parts", [2, 10, 64])
def test_numbered_names_are_shared_out_evenly(part: Callable[[str], Any], parts: int) -> None:
    """Names that differ in a digit: no part has more than half again of its share, none less than half.

    Each name is in one part, whatever the folder is called from where a machine stands.
    """
    batch_files, names = part("io_formats.files.batch_files"), [Path(f"take_{n:05d}.bin") for n in range(100 * parts)]
    shares = []
    for number in range(1, parts + 1):
        found = [batch_files.Found(Path(f"/machine {number}") / name, name) for name in names]
        shares.append({path.name for path in batch_files.files_of_part(found, number, parts)})
    assert sum(map(len, shares)) == len(set.union(*shares)) == len(names)
    assert min(map(len, shares)) >= 50 and max(map(len, shares)) <= 150


def test_looking_for_files_looks_at_none(
    command: Command, takes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each machine lists the whole shared folder: what it asks about the 13 files, whose parts it does not have, is
    what it asks about their folders."""
    asked: list[str] = []
    for name in ("stat", "lstat"):
        real = getattr(os, name)
        monkeypatch.setattr(
            os, name, lambda path, *a, real=real, **k: (asked.append(str(path)), real(path, *a, **k))[1]
        )
    assert command("import", takes, "--output", tmp_path / "blends", "--part", f"1/{1 << 62}") == 0
    assert asked and not [path for path in asked if path.endswith(".bin")]
    assert len([path for path in asked if "blends" in path]) <= 2 * 4


def test_files_of_two_parts_that_would_become_one_keep_their_endings(
    command: Command, data: Path, tmp_path: Path, capsys: Capture
) -> None:
    for name in ("08_walk_lzma_eos.animx", "08_walk.animj"):
        shutil.copy(data / "animx" / name, (tmp_path / "walk").with_suffix(Path(name).suffix))
    for number in range(7):
        assert command("import", tmp_path, "--part", f"{number}/7") == 0
        assert "walk.animj becomes walk.animj.blend" in capsys.readouterr().err
    assert {path.name for path in tmp_path.glob("*.blend")} == {"walk.animj.blend", "walk.animx.blend"}
    assert command("convert", tmp_path, "--to", ".animj", "--output", tmp_path / "out") == 0
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"walk.animj", "walk.animx.animj"}
    assert command("convert", tmp_path, "--to", ".animj") == 1 and len([*tmp_path.glob("*.anim?")]) == 2
    for to in ((), ("--to", ".animj")):
        call = ["export", tmp_path, "--output", tmp_path / f"again{len(to)}", "--json", *to]
        capsys.readouterr()
        assert command(*call) == 0
        results = tmp_path / "results.jsonl"
        results.write_text(capsys.readouterr().out)
        assert command(*call, "--resume", results) == 0 and not rows(capsys.readouterr().out)
    assert {path.name for path in (tmp_path / "again0").iterdir()} == {"walk.animj", "walk.animx"}
    assert {path.name for path in (tmp_path / "again2").iterdir()} == {"walk.animj", "walk.animx.animj"}


@pytest.mark.parametrize("wrong", ["0/0", "4/3", "3", "/3", "3/", "-1/3", "1.5/3", "a/b"])
def test_a_wrong_part_is_a_wrong_call(command: Command, takes: Path, capsys: Capture, wrong: str) -> None:
    assert command("import", takes, f"--part={wrong}") == 2
    assert "goes from 1/N to N/N" in capsys.readouterr().err


def test_a_damaged_file_and_the_exit_code(command: Command, takes: Path, tmp_path: Path, capsys: Capture) -> None:
    call = ["convert", takes / "damaged.bin", "--to", ".animj", "--output", tmp_path / "out", "--json"]
    assert command(*call) == 1
    assert command(*call, "--exit-zero") == 0
    assert [bool(row["error"]) for row in rows(capsys.readouterr().out)] == [True, True]
    assert command(*call, "--exit-zero", "--jobs", "0") == 2
