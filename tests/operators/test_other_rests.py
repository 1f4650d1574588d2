"""A W3D animation on an armature whose bones rest otherwise: the motion arrives, and finds its way back."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from in_blender import add, add_armature, animate, bones_seen, editing

pytest.importorskip("bpy")
from mathutils import Matrix, Quaternion

ELSEWHERE = Matrix.LocRotScale((2.0, -3.0, 0.5), Quaternion((0.2, 0.3, 1.0), 2.1), None)


def roll_all(bpy: Any, rig: Any) -> None:
    """Turn every bone about itself, each by another angle."""
    with editing(rig) as bones:
        for number, bone in enumerate(bones):
            bone.roll += 0.5 + 0.9 * number


def worlds(package: Any, pose: Any, errors: Any, animation: Path, skeleton: Path, times: Any) -> dict[str, Any]:
    """World matrices of the pivots, from the files alone."""
    document, bones = (package.read(path.read_bytes()) for path in (animation, skeleton))
    (clip,) = package.to_clips(document, package.ImportOptions(), errors.Report(), skeleton=bones)
    found: dict[str, Any] = pose.world_matrices(clip, times)
    return found


@pytest.mark.parametrize("edited", [False, True])
@pytest.mark.parametrize("chosen", [False, True])
@pytest.mark.parametrize("upright", [False, True], ids=["same axes", "Y up and in centimetres"])
@pytest.mark.parametrize("elsewhere", [False, True])
@pytest.mark.parametrize("rolled", [False, True])
@pytest.mark.parametrize("fit", ["FOLLOW", "EXACT"])
def test_there_and_back(
    bpy: Any,
    part: Callable[[str], Any],
    monkeypatch: pytest.MonkeyPatch,
    data: Path,
    tmp_path: Path,
    edited: bool,
    chosen: bool,
    upright: bool,
    elsewhere: bool,
    rolled: bool,
    fit: str,
) -> None:
    """Also where the file's own skeleton is chosen for the export, and where the armature is as an FBX comes in, or is
    not where the file is."""
    animation, skeleton = data / "w3d" / "g02_tc_default.w3d", data / "w3d" / "g02_skl.w3d"
    bpy.ops.import_anim.w3d(filepath=str(skeleton))
    rig = bpy.context.view_layer.objects.active
    if rolled:
        roll_all(bpy, rig)
    if upright:
        turned = Matrix.LocRotScale(None, Quaternion((1, 0, 0), math.radians(90)), (0.01, 0.01, 0.01))
        rig.data.transform(turned.inverted())
        rig.matrix_world = turned
    if elsewhere:
        rig.matrix_world = ELSEWHERE @ Matrix.Scale(1.5, 4) @ rig.matrix_world
    bpy.ops.import_anim.w3d(filepath=str(animation), target="SELECTED", skeleton=str(skeleton), fit=fit)
    if edited:  # as if something were: nothing is taken from the file as a whole
        monkeypatch.setattr(part("pipeline.export_files"), "is_as_imported", lambda *_: False)
    target = tmp_path / "back.w3d"
    bpy.ops.export_anim.w3d(filepath=str(target), skeleton=str(skeleton) if chosen else "")
    assert "further off" not in bpy.data.texts["Export Report"].as_string()
    if not edited and not chosen:
        assert target.read_bytes() == animation.read_bytes()
    rooms = [part(f"io_formats.{room}") for room in ("w3d", "clip.pose", "errors")]
    times = np.linspace(0.0, 1.0, 31)
    before = worlds(*rooms, animation, skeleton, times)
    after = worlds(*rooms, target, skeleton, times)
    assert before.keys() == after.keys()
    for pivot, matrices in before.items():
        assert np.abs(after[pivot] - matrices).max() < 2e-3, pivot


def test_an_edited_sibling_goes_back_onto_the_files_rest(
    bpy: Any, part: Callable[[str], Any], data: Path, tmp_path: Path
) -> None:
    """Of two animations of one file on rolled bones, the one that is not assigned was edited, in one bone."""
    source, target = data / "w3d" / "h04_multi_unknown.w3d", tmp_path / "back.w3d"
    bpy.ops.import_anim.w3d(filepath=str(source))
    rig = bpy.context.view_layer.objects.active
    roll_all(bpy, rig)
    with editing(rig) as bones:
        bones.new("Tail").tail = (0, 0, 1)
    bpy.ops.import_anim.w3d(filepath=str(source), target="SELECTED")
    assigned = rig.animation_data.action
    animate(rig.pose.bones["Tail"], "location", {0: (0, 0, 0), 5: (1, 0, 0)})
    (sibling,) = (action for action in bpy.data.actions if action != assigned and action.name.endswith(".001"))
    for _, curve in part("scene.actions").every_curve(sibling):
        if curve.data_path.endswith("location"):
            curve.keyframe_points[-1].co[1] += 1e-4
    bpy.ops.export_anim.w3d(filepath=str(target))
    assert "Tail has no pivot in the skeleton" in bpy.data.texts["Export Report"].as_string()
    w3d, pose, errors = (part(f"io_formats.{room}") for room in ("w3d", "clip.pose", "errors"))
    both = [
        w3d.to_clips(w3d.read(path.read_bytes()), w3d.ImportOptions(), errors.Report()) for path in (source, target)
    ]
    assert source.read_bytes() != target.read_bytes() and len(both[0]) == len(both[1]) == 2
    for before, after in zip(*both, strict=True):
        times = np.linspace(0.0, before.duration, 19)
        wanted, found = (pose.world_matrices(clip, times) for clip in (before, after))
        for pivot, matrices in wanted.items():
            assert np.abs(found[pivot] - matrices).max() < 4e-3, (before.name, pivot)
    for bag in part("scene.actions").bags(assigned).values():
        bag.fcurves.clear()  # of what is assigned nothing is left
    assert bpy.ops.export_anim.w3d(filepath=str(target)) == {"FINISHED"}


def own_rig(bpy: Any) -> Any:
    """A person's armature of three bones, two of which nothing carries, that stands elsewhere and moves."""
    hip, arm = ("HIP", None, (0, 0, 1), (0, 0, 2)), ("ARM", "HIP", (0, 0, 2), (0.3, 0, 3))
    rig = add_armature("Own", [hip, arm, ("LEG", None, (1, 0, 1), (1, 0.3, 2))])
    rig.matrix_world = ELSEWHERE
    for number, bone in enumerate(rig.pose.bones, 1):
        bone.rotation_mode = "QUATERNION"
        amounts, axis = {0: 0.0, 10: 0.7, 20: 0.2}, (1.0, 0.3 * number, 1.0)
        animate(bone, "location", {at: (0.1 * by * number, 0.3 * by, 0.2) for at, by in amounts.items()})
        animate(bone, "rotation_quaternion", {at: Quaternion(axis, by) for at, by in amounts.items()})
    return rig


def shown(rig: Any) -> Any:
    """(bones, frames, 4, 4) where an armature's bones are in the world."""
    seen = bones_seen(rig, range(0, 21, 5))
    return np.array([seen[bone] for bone in ("HIP", "ARM", "LEG")])


@pytest.mark.parametrize("suffix", ["w3d", "w3x"])
def test_what_was_written_in_the_world_comes_back_where_it_was(bpy: Any, tmp_path: Path, suffix: str) -> None:
    """The file says nothing of where its armature stood, so that by default it plays from there, which is told."""
    rig, path = own_rig(bpy), tmp_path / f"walk.{suffix}"
    rig.parent = add("Place")
    rig.parent.matrix_world, rig.matrix_basis = rig.matrix_basis.copy(), Matrix()
    bring_in, send_out = (getattr(room, suffix) for room in (bpy.ops.import_anim, bpy.ops.export_anim))
    before = shown(rig)
    send_out(filepath=str(path))
    assert "its place is written into the motion" in bpy.data.texts["Export Report"].as_string()
    bring_in(filepath=str(path))
    assert bpy.context.object == rig
    assert "Exact Place plays it where the file has it" in bpy.data.texts[f"Source of {path.name}"].as_string()
    assert np.abs(shown(rig) - before).max() > 1.0
    bring_in(filepath=str(path), fit="EXACT")
    assert np.abs(shown(rig) - before).max() < 1e-5


def test_an_armature_that_moves_after_exact_place_is_written_as_it_plays(bpy: Any, tmp_path: Path) -> None:
    rig, path = own_rig(bpy), tmp_path / "walk.w3d"
    bpy.ops.export_anim.w3d(filepath=str(path))
    bpy.ops.import_anim.w3d(filepath=str(path), fit="EXACT")
    rig.matrix_world = ELSEWHERE @ ELSEWHERE
    animate(rig, "location.x", {0: 3.0, 20: 6.0})
    wanted = shown(rig)
    bpy.ops.export_anim.w3d(filepath=str(tmp_path / "again.w3d"))
    bpy.ops.import_anim.w3d(filepath=str(tmp_path / "again.w3d"), target="NEW")
    assert bpy.context.object != rig
    assert np.abs(shown(bpy.context.object) - wanted).max() < 1e-5
