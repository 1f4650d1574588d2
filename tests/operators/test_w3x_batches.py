"""W3X where a modder has many files: a list of the game's, whole folders, one armature, and all of them out again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from in_blender import curves_of
from w3x_goldens import DATA

ANIMATION = (DATA / "g01_anim.w3x").read_bytes()
NAMES = ("IDLE", "RUN", "WALK")


def walk(name: str) -> bytes:
    """The golden animation under another name."""
    return ANIMATION.replace(b'id="G01_ANIM"', f'id="{name}"'.encode())


@pytest.fixture
def unit(tmp_path: Path) -> Path:
    """A folder with a skeleton and three animations for it, as a mod's project has them."""
    folder = tmp_path / "Art" / "G0"
    folder.mkdir(parents=True)
    (folder / "g01_skl.w3x").write_bytes((DATA / "g01_skl.w3x").read_bytes())
    for name in NAMES:
        (folder / f"{name}.w3x").write_bytes(walk(name))
    return folder


@pytest.fixture
def game(bpy: Any, part: Callable[[str], Any], unit: Path) -> Iterator[Path]:
    """The same folder, named as a game folder in the preferences."""
    preferred = part("operators.preferences").preferences(bpy.context)
    preferred.game_folders = str(unit.parent.parent)
    yield unit
    preferred.game_folders = ""


def bring_in(bpy: Any, path: Path, **options: Any) -> Any:
    assert bpy.ops.import_anim.w3x(filepath=str(path), **options) == {"FINISHED"}
    return bpy.context.view_layer.objects.active


def rigs(bpy: Any) -> list[Any]:
    return [thing for thing in bpy.data.objects if thing.type == "ARMATURE"]


def played(bpy: Any) -> list[str]:
    return sorted(action.name for action in bpy.data.actions)


# --- The list in the sidebar --------------------------------------------------------------------


def test_the_panel_lists_what_the_game_folders_hold_for_the_armature(bpy: Any, game: Path) -> None:
    rig = bring_in(bpy, game / "g01_skl.w3x")
    assert bpy.ops.anim_curves.list_animations() == {"FINISHED"}
    listed = bpy.context.window_manager.anim_curves_list
    assert [(line.name, line.seconds, Path(line.path).name) for line in listed.lines] == [
        (name, pytest.approx(23 / 30), f"{name}.w3x") for name in NAMES
    ]
    listed.filter = "walk.w3x"
    assert bpy.ops.anim_curves.import_all() == {"FINISHED"}
    assert played(bpy) == ["WALK"] and rig.animation_data.action.name == "WALK"
    listed.filter = ""
    listed.lines[0].chosen = listed.lines[1].chosen = True
    assert bpy.ops.anim_curves.import_selected() == {"FINISHED"}
    assert played(bpy) == [*NAMES] and rigs(bpy) == [rig]
    (game / "LONG.w3x").write_bytes(walk("LONG").replace(b'NumFrames="24"', b'NumFrames="4294967295"'))
    assert bpy.ops.anim_curves.list_animations() == {"FINISHED"}
    assert max(line.seconds for line in listed.lines) == pytest.approx((2**32 - 2) / 30), "some four years"


def test_what_is_looked_for_on_one_armature_hides_nothing_of_another(bpy: Any, game: Path) -> None:
    rig = bring_in(bpy, game / "WALK.w3x")
    listed = bpy.context.window_manager.anim_curves_list
    assert bpy.ops.anim_curves.list_animations() == {"FINISHED"}
    listed.filter, listed.active = "walk", 1
    assert bpy.ops.anim_curves.list_animations() == {"FINISHED"} and (listed.filter, listed.active) == ("walk", 0)
    rig.name = rig.data.name = "Another"  # what it plays tells its skeleton
    assert bpy.ops.anim_curves.list_animations() == {"FINISHED"} and not listed.filter
    assert [line.name for line in listed.lines] == list(NAMES)
    (game / "g01_skl.w3x").unlink()
    rig = bring_in(bpy, game / "RUN.w3x", target="NEW")
    rig.name = rig.data.name = "Third"
    assert bpy.ops.anim_curves.list_animations() == {"FINISHED"}
    assert [line.name for line in listed.lines] == list(NAMES)


# --- Several files ------------------------------------------------------------------------------


def test_animations_in_one_file_go_out_together_and_one_that_is_edited_alone_changes(bpy: Any, tmp_path: Path) -> None:
    path = tmp_path / "both.w3x"
    both = walk("IDLE").replace(b"</W3DAnimation>", b"</W3DAnimation>" + cut(walk("RUN")))
    path.write_bytes(both)
    (tmp_path / "g01_skl.w3x").write_bytes((DATA / "g01_skl.w3x").read_bytes())
    bring_in(bpy, path)
    assert played(bpy) == ["IDLE", "RUN"] and len(rigs(bpy)) == 1
    out = tmp_path / "out.w3x"
    assert bpy.ops.export_anim.w3x(filepath=str(out)) == {"FINISHED"}
    assert out.read_bytes() == both
    moved = next(curve for curve in curves_of(bpy.data.actions["RUN"]) if curve.data_path.endswith("location"))
    moved.keyframe_points[1].co.y += 1.0
    assert bpy.ops.export_anim.w3x(filepath=str(out)) == {"FINISHED"}
    before = both.index(b'id="RUN"')
    assert out.read_bytes()[:before] == both[:before] and out.read_bytes() != both


def cut(data: bytes) -> bytes:
    """The animation of a file."""
    return data[data.index(b"<W3DAnimation") : data.index(b"</W3DAnimation>") + len(b"</W3DAnimation>")]


# --- Target and provenance ----------------------------------------------------------------------


def test_a_skeleton_that_lies_nowhere_is_the_selected_armatures(bpy: Any, unit: Path, tmp_path: Path) -> None:
    rig = bring_in(bpy, unit / "g01_skl.w3x")
    alone = tmp_path / "elsewhere" / "WALK.w3x"
    alone.parent.mkdir()
    alone.write_bytes(walk("WALK"))
    bring_in(bpy, alone)
    assert rigs(bpy) == [rig] and not any(bone.name.startswith("PIVOT_") for bone in rig.data.bones)
    out = tmp_path / "out.w3x"
    assert bpy.ops.export_anim.w3x(filepath=str(out)) == {"FINISHED"}
    assert out.read_bytes() == walk("WALK")


# --- The command line ---------------------------------------------------------------------------
