"""Several machines share a folder: each takes its part, and goes on where one of them was killed."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Capture = pytest.CaptureFixture[str]
Command = Callable[..., int]

pytestmark = pytest.mark.once  # of one Blender as of any
PARTS = 3


@pytest.fixture
def takes(recording: Path, tmp_path: Path) -> Path:
    """Twelve recordings in three folders, with an umlaut among them, and a damaged one."""
    for day in ("monday", "tuesday", "März 3"):
        (tmp_path / "takes" / day).mkdir(parents=True)
        for number in range(4):
            shutil.copy(recording, tmp_path / "takes" / day / f"take {number}.bin")
    (tmp_path / "takes" / "damaged.bin").write_bytes(recording.read_bytes()[:-100])
    return tmp_path / "takes"


def rows(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines() if line.startswith('{"file"')]


@pytest.mark.slow
def test_each_file_is_in_one_part(command: Command, takes: Path, tmp_path: Path, capsys: Capture) -> None:
    """Whatever the folder is called from where a machine stands, and whatever is added meanwhile."""
    (tmp_path / "mount").symlink_to(takes, target_is_directory=True)
    told = []
    for number, folder in enumerate((takes, tmp_path / "mount", takes), start=1):
        call = ["convert", folder, "--to", ".animj", "--output", tmp_path / "out", "--json", "--exit-zero"]
        assert command(*call, "--part", f"{number}/{PARTS}") == 0
        told.append(rows(capsys.readouterr().out))
        shutil.copy(takes / "monday" / "take 1.bin", takes / f"added {number}.bin")
    names = [Path(row["file"]).resolve().relative_to(takes).as_posix() for part in told for row in part]
    assert len(names) == len(set(names))
    old = [path for path in takes.rglob("*.bin") if not path.name.startswith("added")]
    assert {path.relative_to(takes).as_posix() for path in old} == {name for name in names if "added" not in name}
    assert all(told)


@pytest.mark.parametrize("parts", [2, 10, 64])
def test_numbered_names_are_shared_out_evenly(part: Callable[[str], Any], parts: int) -> None:
    """Names that differ in a digit: no part has more than half again of its share, none less than half."""
    batch_files = part("io_formats.files.batch_files")
    found = [batch_files.Found(Path(f"/takes/take_{n:05d}.bin"), Path(f"take_{n:05d}.bin")) for n in range(100 * parts)]
    shares = [batch_files.files_of_part(found, number, parts) for number in range(1, parts + 1)]
    assert sum(map(len, shares)) == len(set.union(*shares)) == len(found)
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
    for ending in (".animx", ".animj"):
        shutil.copy(
            data / "animx" / f"08_walk{'_lzma_eos' if ending == '.animx' else ''}{ending}", tmp_path / f"walk{ending}"
        )
    for number in range(7):
        assert command("import", tmp_path, "--part", f"{number}/7") == 0
        assert "walk.animj becomes walk.animj.blend" in capsys.readouterr().err
    assert {path.name for path in tmp_path.glob("*.blend")} == {"walk.animj.blend", "walk.animx.blend"}
    assert command("convert", tmp_path, "--to", ".animj", "--output", tmp_path / "out") == 0
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"walk.animj", "walk.animx.animj"}
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


def test_what_a_killed_machine_left_is_made_again(
    bpy: Any, command: Command, takes: Path, tmp_path: Path, capsys: Capture
) -> None:
    """Killed in the middle of a row: that file's .blend is there, and nothing tells that it is whole."""
    blends, results = tmp_path / "blends", tmp_path / "results.jsonl"
    call = ["import", takes, "--output", blends, "--json", "--part", "1/2", "--exit-zero"]
    assert command(*call) == 0
    told = capsys.readouterr().out.splitlines(keepends=True)
    written = [line for line in told if line.startswith('{"file"')]
    killed = next(place for place in range(len(written) - 1, -1, -1) if '"output"' in written[place])
    results.write_text("".join(written[:killed]) + written[killed][:40], encoding="utf-8")
    torn = Path(json.loads(written[killed])["output"])
    torn.write_bytes(torn.read_bytes()[:1000])
    before = {path: path.stat().st_mtime_ns for path in blends.rglob("*.blend")}
    with results.open("a", encoding="utf-8") as file:
        file.write("\n")
    assert command(*call, "--resume", results, "--overwrite") == 0
    again = rows(capsys.readouterr().out)
    after = {path: path.stat().st_mtime_ns for path in blends.rglob("*.blend")}
    assert set(after) == set(before)
    assert [path for path in after if after[path] != before[path]] == [torn]
    assert torn.stat().st_size > 1000
    assert str(torn) in {row.get("output") for row in again}
