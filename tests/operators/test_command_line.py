"""`blender --command anim_curves`: the same work as the dialogues, for scripts and servers."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def command(part: Callable[[str], Any]) -> Callable[..., int]:
    """The command, as Blender calls it."""
    main = part("operators.command_line").main
    return lambda *arguments: int(main([str(argument) for argument in arguments]))


@pytest.fixture
def folder(data: Path, tmp_path: Path) -> Path:
    """A folder with two recordings, a damaged one in a folder below, and a file that is none of ours."""
    source = data / "mrtk" / "v11_flags"
    (tmp_path / "in" / "below").mkdir(parents=True)
    shutil.copy(source / "v11_cam1_hand1_gaze1.bin", tmp_path / "in" / "a.bin")
    shutil.copy(source / "v11_cam0_hand1_gaze0.bin", tmp_path / "in" / "b.bin")
    (tmp_path / "in" / "below" / "c.bin").write_bytes((tmp_path / "in" / "a.bin").read_bytes()[:200])
    (tmp_path / "in" / "notes.txt").write_text("no animation", encoding="utf-8")
    return tmp_path / "in"


def test_folders_patterns_and_names(part: Callable[[str], Any], folder: Path) -> None:
    expand = part("operators.command_line").expand
    assert [path.name for path in expand([str(folder)], (".bin",))] == ["a.bin", "b.bin", "c.bin"]
    assert [path.name for path in expand([str(folder / "*.bin")], (".bin",))] == ["a.bin", "b.bin"]
    assert [path.name for path in expand([str(folder / "**" / "*.bin")], (".bin",))] == ["a.bin", "b.bin", "c.bin"]
    assert expand([str(folder / "a.bin"), str(folder / "*.bin")], (".bin",)) == [folder / "a.bin", folder / "b.bin"]


def test_import_writes_blends_and_export_reads_them(
    bpy: Any, command: Callable[..., int], folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    blends, again = tmp_path / "blends", tmp_path / "again"
    assert command("import", folder / "*.bin", "--output", blends, "--json") == 0
    told = json.loads(_json_part(capsys.readouterr().out))
    assert [Path(result["output"]).name for result in told] == ["a.blend", "b.blend"]
    assert told[0]["digest"] == "2 hands, 52 joints, 792 keys, 1.0 s"
    assert command("export", blends, "--output", again) == 0
    for name in ("a.bin", "b.bin"):
        assert (again / name).read_bytes() == (folder / name).read_bytes()


def _json_part(text: str) -> str:
    return text[text.index("[\n") : text.rindex("]") + 1]


def test_a_bad_file_is_told_and_counts(
    command: Callable[..., int], folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("import", folder, "--output", tmp_path / "out", "--json") == 1
    told = json.loads(_json_part(capsys.readouterr().out))
    assert ["error" in result for result in told] == [False, False, True]
    assert "c.bin" in told[2]["error"]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a.blend", "b.blend"]


def test_options_reach_the_import(bpy: Any, command: Callable[..., int], folder: Path, tmp_path: Path) -> None:
    assert command("import", folder / "a.bin", "--output", tmp_path, "--rate", "custom", "--custom-rate", "90") == 0
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "a.blend"))
    assert bpy.context.scene.render.fps == 90


def test_wrong_calls(command: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command() == 2
    assert command("import") == 2
    assert command("import", tmp_path) == 2
    assert command("import", "x.bin", "--rate", "often") == 2
    assert command("import", tmp_path / "none.bin") == 1
    assert "cannot be opened" in capsys.readouterr().err


def test_info(command: Callable[..., int], folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("info", "--json", folder / "*.bin") == 0
    told = json.loads(_json_part(capsys.readouterr().out))
    assert [facts["keys"] for facts in told] == [792, 766]


@pytest.mark.slow
def test_several_processes_do_the_same(
    command: Callable[..., int], folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("import", folder, "--output", tmp_path / "out", "--jobs", "2", "--json") == 1
    told = json.loads(_json_part(capsys.readouterr().out))
    assert sorted(Path(result["file"]).name for result in told) == ["a.bin", "b.bin", "c.bin"]
    assert [Path(result["file"]).name for result in told if "error" in result] == ["c.bin"]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a.blend", "b.blend"]
