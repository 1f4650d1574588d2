"""Actions and armatures are named after what the file says, or after the file; exports keep the file's own names."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from in_blender import choose, curves_of

ONE, TWO = "w3d/g02_tc_default.w3d", "w3d/h04_multi_unknown.w3d"


@pytest.fixture
def taken(data: Path, tmp_path: Path) -> Any:
    """A sample under the name of a person's own choice."""

    def take(source: str, name: str) -> Path:
        return Path(shutil.copy(data / source, tmp_path / f"{name}{Path(source).suffix}"))

    return take


def test_several_animations_of_one_file_keep_their_names_behind_it(bpy: Any, taken: Any, part: Any) -> None:
    path = taken(TWO, "unit")
    clips = [one.header.name.rstrip(b"\0").decode() for one in part("io_formats").open_document(path).animations]
    bpy.ops.import_anim.w3d(filepath=str(path), name_from="FILE")
    assert sorted(action.name for action in bpy.data.actions) == sorted(f"unit {clip}" for clip in clips)


def test_later_files_of_the_skeleton_find_an_armature_that_is_named_after_a_file(bpy: Any, taken: Any) -> None:
    bpy.ops.import_anim.w3d(filepath=str(taken(ONE, "first")), name_from="FILE")
    choose()
    bpy.ops.import_anim.w3d(filepath=str(taken(ONE, "second")), name_from="FILE")
    assert [thing.name for thing in bpy.data.objects if thing.type == "ARMATURE"] == ["first"]
    assert sorted(action.name for action in bpy.data.actions) == ["first", "second"]


def test_files_that_are_numbered_keep_their_numbers(bpy: Any, taken: Any, tmp_path: Path) -> None:
    """A number of the file's own is no suffix of Blender's, which the second import of a file gets."""
    for name in ("walk.001", "walk.002", "walk.002"):
        bpy.ops.import_anim.w3d(filepath=str(taken(ONE, name)), name_from="FILE")
    assert sorted(action.name for action in bpy.data.actions) == ["walk.001", "walk.002", "walk.003"]
    bpy.data.actions.remove(bpy.data.actions["walk.003"])
    out = tmp_path / "out"
    out.mkdir()
    bpy.ops.export_anim.w3d(filepath=str(out / "x.w3d"), actions="ALL", file_names="{action}")
    assert sorted(path.name for path in out.iterdir()) == ["walk.001.w3d", "walk.002.w3d"]


@pytest.mark.parametrize("keep_source", [True, False])
def test_names_after_files_hold_with_and_without_the_files_bytes(
    bpy: Any, part: Any, taken: Any, tmp_path: Path, keep_source: bool
) -> None:
    """What an option said is remembered whether or not the bytes are kept: exports and Reload go by it."""
    options = {"name_from": "FILE", "name_prefix": "x-", "keep_source": keep_source}
    for name in ("first", "walk.002"):
        bpy.ops.import_anim.w3d(filepath=str(taken(ONE, name)), **options)
    assert any("Source of" in text.name for text in bpy.data.texts) == keep_source
    out = tmp_path / "out"
    out.mkdir()
    bpy.ops.export_anim.w3d(filepath=str(out / "any.w3d"), actions="ALL")
    assert sorted(path.name for path in out.iterdir()) == ["x-first.w3d", "x-walk.002.w3d"]
    assert bpy.ops.anim_curves.reload() == {"FINISHED"}
    assert sorted(action.name for action in bpy.data.actions) == ["x-first", "x-walk.002"]
    for action in bpy.data.actions:
        curves_of(action)[0].keyframe_points[0].co.y += 1.0
    assert len(part("pipeline.export_plan").changes(bpy.context).parts) == 2, "each goes back into its own file"
