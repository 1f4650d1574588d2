"""What older versions of this extension saved opens in this one: each release leaves a .blend in tests/data/blends.

`docs/release.md` has the command that saves this version's, in Blender 4.2, whose files all others open.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from in_blender import choose, reopen
from mathutils import Vector
from renewal import Renewal

SOURCE = Path(__file__).resolve().parents[2]
DATA = SOURCE / "tests" / "data"
FILES = {
    "mrtk": DATA / "mrtk" / "v11_flags" / "v11_cam0_hand1_gaze0.bin",
    "w3d": DATA / "w3d" / "g02_tc_default.w3d",
    "w3x": DATA / "w3x" / "g02.w3x",
    "animx": DATA / "animx" / "08_walk.animj",
}
SKELETON = DATA / "w3d" / "g02_skl.w3d"
BLENDS = sorted(DATA.glob("blends/version_*.blend"))
MANIFEST = (SOURCE / "blender_manifest.toml").read_text(encoding="utf-8")


def imported(bpy: Any, path: Path) -> Any:
    """Import a file; the object that plays it, alone selected."""
    (name,) = (known for known, file in FILES.items() if file.name == path.name)
    choose()
    assert getattr(bpy.ops.import_anim, name)(filepath=str(path)) == {"FINISHED"}
    return chosen(bpy, path.name)


def chosen(bpy: Any, file: str) -> Any:
    """Select the object alone whose Action came from a file, and return it."""
    players = [thing for thing in bpy.data.objects if thing.animation_data and thing.animation_data.action]
    (found,) = (thing for thing in players if thing.animation_data.action["anim_curves"]["file"] == file)
    choose(found)
    return found


def exported(bpy: Any, name: str, folder: Path, **options: Any) -> bytes:
    path = folder / FILES[name].name
    assert getattr(bpy.ops.export_anim, name)(filepath=str(path), **options) == {"FINISHED"}
    return path.read_bytes()


def move_a_key(thing: Any, part: Callable[[str], Any]) -> None:
    """Put the last key of one rotation of the object's Action a little higher, and behind the import's range."""
    curves = part("scene.actions").fcurves_of(thing)
    turning = [curve for curve in curves if "quaternion" in curve.data_path and curve.array_index == 1]
    curve = min((found for found in turning if len(found.keyframe_points) > 1), key=lambda one: one.data_path)
    curve.keyframe_points[-1].co += Vector((5.0, 0.125))
    curve.update()


def formats_in(bpy: Any) -> list[str]:
    return sorted(action["anim_curves"]["format"] for action in bpy.data.actions)


def saved(bpy: Any, target: Path) -> None:
    """Save a .blend with an import of each format, whose paths name nothing of the machine."""
    with tempfile.TemporaryDirectory() as name:
        for path in (SKELETON, *FILES.values()):
            shutil.copy(path, name)
        for path in FILES.values():
            imported(bpy, Path(name, path.name))
        bpy.ops.wm.save_as_mainfile(filepath=str(Path(name, target.name)), compress=True)
        shutil.copy(Path(name, target.name), target)


def test_this_version_has_left_a_file(bpy: Any, renewal: Renewal | None) -> None:
    (version,) = re.findall(r'^version = "(.*)"$', MANIFEST, re.MULTILINE)
    path = DATA / "blends" / f"version_{version}.blend"
    if renewal is not None:
        saved(bpy, path)
        renewal.changes.append(f"{path.name}: saved with Blender {bpy.app.version_string}")
    assert path.is_file()


@pytest.mark.parametrize("blend", BLENDS, ids=lambda path: path.stem)
def test_what_an_older_version_saved_comes_back_byte_for_byte(
    bpy: Any, part: Callable[[str], Any], reports: list[str], tmp_path: Path, blend: Path
) -> None:
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    names = formats_in(bpy)
    assert {"mrtk", "w3d", "animx"} <= set(names)
    for name in names:
        thing = chosen(bpy, FILES[name].name)
        assert part("pipeline.source_file").format_of_action(thing.animation_data.action).name == name
        assert exported(bpy, name, tmp_path) == FILES[name].read_bytes()
        assert reports[-1].endswith("byte for byte")


@pytest.mark.parametrize("blend", BLENDS, ids=lambda path: path.stem)
def test_an_edit_changes_as_much_as_in_an_import_of_today(
    bpy: Any, part: Callable[[str], Any], tmp_path: Path, blend: Path
) -> None:
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    edited = {}
    for name in formats_in(bpy):
        move_a_key(chosen(bpy, FILES[name].name), part)
        edited[name] = exported(bpy, name, tmp_path, use_source=name != "w3d")
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    for name, written in edited.items():
        move_a_key(imported(bpy, FILES[name]), part)
        again = exported(bpy, name, tmp_path, use_source=name != "w3d")
        assert written == again != FILES[name].read_bytes(), name


def test_what_a_newer_version_noted_is_kept_and_reported(bpy: Any, tmp_path: Path) -> None:
    action = imported(bpy, FILES["w3d"]).animation_data.action
    action["anim_curves"]["version"] = 1000
    action["anim_curves"]["later"] = "unknown"
    reopen(tmp_path / "newer.blend")
    assert exported(bpy, "w3d", tmp_path) == FILES["w3d"].read_bytes()
    assert "imported with a newer version of this extension" in bpy.data.texts["Export Report"].as_string()
    (action,) = bpy.data.actions
    assert action["anim_curves"]["version"] == 1000 and action["anim_curves"]["later"] == "unknown"
