"""File names that are not UTF-8, options that are no numbers, and what is no file, through the operators."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cases
import pytest

ENDINGS = {"mrtk": ".bin", "w3d": ".w3d", "w3x": ".w3x", "animx": ".animj"}
FILES = {**cases.FILES, "w3d": cases.WHOLE_W3D}
only_linux = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere every file name is Unicode")
each_format = pytest.mark.parametrize("name", FILES)


def odd(folder: Path, ending: str) -> Path:
    """A name that is not UTF-8."""
    return folder / os.fsdecode(b"a\xff" + ending.encode())


@only_linux
@each_format
def test_names_that_are_not_utf_8_come_in_and_go_out(bpy: Any, data: Path, tmp_path: Path, name: str) -> None:
    source, target = odd(tmp_path, ENDINGS[name]), odd(tmp_path / "out", ENDINGS[name])
    target.parent.mkdir()
    shutil.copy(data / FILES[name], source)
    assert getattr(bpy.ops.import_anim, name)(filepath=str(source)) == {"FINISHED"}
    assert getattr(bpy.ops.export_anim, name)(filepath=str(target)) == {"FINISHED"}
    assert target.read_bytes() == source.read_bytes()


@only_linux
@each_format
def test_a_refusal_shows_names_that_are_not_utf_8(bpy: Any, data: Path, tmp_path: Path, name: str) -> None:
    missing = odd(tmp_path, ENDINGS[name])
    with pytest.raises(RuntimeError, match=r"a\\udcff\..*: the file cannot be opened"):
        getattr(bpy.ops.import_anim, name)(filepath=str(missing))
    getattr(bpy.ops.import_anim, name)(filepath=str(data / FILES[name]))
    with pytest.raises(RuntimeError, match="the folder does not exist"):
        getattr(bpy.ops.export_anim, name)(filepath=str(odd(tmp_path, "") / f"b{ENDINGS[name]}"))
    assert list(tmp_path.iterdir()) == []


@each_format
def test_a_pipe_is_not_waited_for(bpy: Any, pipe: Path, census: Callable[[], dict[str, Any]], name: str) -> None:
    before = census()
    with pytest.raises(RuntimeError, match="expected a file, found something else"):
        getattr(bpy.ops.import_anim, name)(filepath=str(pipe))
    assert census() == before


@pytest.mark.parametrize("option", ["skeleton", "name_table"])
def test_a_pipe_is_no_skeleton_and_no_name_table(bpy: Any, pipe: Path, data: Path, option: str) -> None:
    bpy.ops.import_anim.w3d(filepath=str(data / FILES["w3d"]))
    with pytest.raises(RuntimeError, match="expected a file, found something else"):
        bpy.ops.import_anim.w3d(filepath=str(data / "w3d/g02_tc_default.w3d"), target="SELECTED", **{option: str(pipe)})


def test_what_is_no_number_is_refused_by_its_name(
    bpy: Any, part: Callable[[str], Any], recording: Path, tmp_path: Path
) -> None:
    """Blender itself holds the others to the limits of its properties."""
    with pytest.raises(RuntimeError, match="the option Scale goes from"):
        bpy.ops.import_anim.mrtk(filepath=str(recording), scale=float("nan"))
    bpy.ops.import_anim.mrtk(filepath=str(recording))
    package, exporting = part("io_formats").mrtk, part("pipeline.export_files")
    options = package.ExportOptions(scale=float("nan"))
    with pytest.raises(part("io_formats").FormatError, match="the option Scale goes from"):
        list(exporting.export_files(bpy.context, tmp_path / "a.bin", package.FORMAT, options, [bpy.context.object]))
    assert list(tmp_path.iterdir()) == []
