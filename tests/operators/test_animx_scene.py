"""A scene out to AnimJ and AnimX and back: rig, object, shape key, light, visibility, constraint, all kinds of keys."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

FRAMES = np.arange(1, 30.01, 0.25)
FILES = [
    ("scene.animj", {}),
    ("scene.animx", {"container": "PLAIN"}),
    ("scene.animx", {"container": "LZ4"}),
    ("scene.animx", {"container": "LZMA"}),
    ("scene.animj", {"axes": "ENGINE"}),
]


def keyed(owner: Any, path: str, keys: Sequence[tuple[int, Any]]) -> None:
    """Insert keys of one property."""
    for frame, value in keys:
        setattr(owner, path, value)
        owner.keyframe_insert(path, frame=frame)


def shape(actions: Any, rig: Any) -> None:
    """Straight lines for the arm, steps for the hand."""
    for _, curve in actions.every_curve(rig.animation_data.action):
        for key in curve.keyframe_points:
            if '"arm"' in curve.data_path:
                key.interpolation = "LINEAR"
            elif '"hand"' in curve.data_path:
                key.interpolation = "CONSTANT"


def rig_of(bpy: Any) -> Any:
    armature = bpy.data.armatures.new("Rig")
    rig = bpy.data.objects.new("Rig", armature)
    bpy.context.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    places = {
        "hips": ((0, 0, 1), (0, 0.2, 1.3), 0.3, None),
        "arm": ((0, 0.2, 1.3), (0.5, 0.2, 1.4), 1.0, "hips"),
        "hand": ((0.5, 0.2, 1.4), (0.7, 0.1, 1.5), 0.0, "arm"),
        "look": ((1, 0, 0), (1, 0, 0.5), 0.0, None),
    }
    for name, (head, tail, roll, parent) in places.items():
        bone = armature.edit_bones.new(name)
        bone.head, bone.tail, bone.roll = head, tail, roll
        bone.parent = armature.edit_bones[parent] if parent else None
    bpy.ops.object.mode_set(mode="OBJECT")
    pose = rig.pose.bones
    turns = [(1, (1, 0, 0, 0)), (13, (0.9, 0.3, 0.1, 0)), (30, (0.7, -0.3, 0.3, 0.3))]
    keyed(pose["hips"], "location", [(1, (0, 0, 0)), (13, (0.2, 0.1, -0.3)), (30, (1, 0, 0))])
    keyed(pose["hips"], "rotation_quaternion", turns)
    keyed(pose["arm"], "rotation_quaternion", [(1, (1, 0, 0, 0)), (20, (0.5, 0.5, -0.5, 0.5))])
    keyed(pose["hand"], "scale", [(1, (1, 1, 1)), (12, (1, 2, 1))])
    return rig


def scene_of(bpy: Any) -> tuple[Any, Any, Any]:
    """A rig with a constraint, a mesh with a shape key that is hidden for a while, a light."""
    rig = rig_of(bpy)
    mesh = bpy.data.meshes.new("Cube")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    cube = bpy.data.objects.new("Cube", mesh)
    lamp = bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT"))
    for thing in (cube, lamp):
        bpy.context.collection.objects.link(thing)
        thing.rotation_mode = "QUATERNION"
    keyed(cube, "location", [(1, (0, 0, 0)), (16, (1, 2, 3)), (30, (2, 0, 1))])
    keyed(cube, "rotation_quaternion", [(1, (1, 0, 0, 0)), (16, (0.8, 0.2, 0.5, 0)), (30, (0.5, 0.5, 0.5, 0.5))])
    cube.shape_key_add(name="Basis")
    keyed(cube.shape_key_add(name="Smile"), "value", [(1, 0.0), (10, 1.0), (30, 0.2)])
    keyed(cube, "hide_viewport", [(1, False), (15, True)])
    keyed(lamp.data, "energy", [(1, 10.0), (30, 500.0)])
    keyed(lamp, "location", [(1, (0, 0, 1)), (30, (3, 1, 1))])
    rig.pose.bones["look"].constraints.new("COPY_LOCATION").target = cube
    return rig, cube, lamp


def poses(bpy: Any, rig: Any, things: Sequence[Any]) -> dict[str, Any]:
    """World matrices (frames, 4, 4) of bones and objects at every frame and quarter of one."""
    found: dict[str, list[Any]] = {}
    for frame in FRAMES:
        bpy.context.scene.frame_set(int(frame), subframe=float(frame - int(frame)))
        graph = bpy.context.evaluated_depsgraph_get()
        posed = rig.evaluated_get(graph)
        for bone in posed.pose.bones:
            found.setdefault(bone.name, []).append(np.array(posed.matrix_world @ bone.matrix))
        for thing in things:
            found.setdefault(thing.name, []).append(np.array(thing.evaluated_get(graph).matrix_world))
    return {name: np.stack(matrices) for name, matrices in found.items()}


def still(rig: Any, cube: Any, lamp: Any) -> None:
    """Take all animation and constraints away."""
    for owner in (rig, cube, lamp, lamp.data, cube.data.shape_keys):
        owner.animation_data_clear()
    for bone in rig.pose.bones:
        bone.matrix_basis.identity()
        bone.location, bone.rotation_quaternion, bone.scale = (0, 0, 0), (1, 0, 0, 0), (1, 1, 1)
        for constraint in list(bone.constraints):
            bone.constraints.remove(constraint)
    cube.hide_viewport = False


@pytest.mark.parametrize(("name", "options"), FILES, ids=lambda value: str(value))
def test_a_scene_comes_back(
    bpy: Any, part: Callable[[str], Any], tmp_path: Path, name: str, options: dict[str, str]
) -> None:
    bpy.context.scene.render.fps = 24
    rig, cube, lamp = scene_of(bpy)
    shape(part("scene.actions"), rig)
    before = poses(bpy, rig, (cube, lamp))
    bpy.context.scene.frame_set(1)  # where nothing is hidden, as what is hidden cannot be selected
    for thing in (rig, cube, lamp):
        thing.select_set(True)
    path = tmp_path / name
    assert bpy.ops.export_anim.animx(filepath=str(path), keep_frame_zero=True, **options) == {"FINISHED"}
    check_file(part("io_formats.animx").read(path.read_bytes()), options)
    still(rig, cube, lamp)
    shown = {"apply_visibility": False}  # Blender does not evaluate what is hidden
    shown |= {"axes": options["axes"]} if "axes" in options else {}
    assert bpy.ops.import_anim.animx(filepath=str(path), target="BY_NAME", **shown) == {"FINISHED"}
    after = poses(bpy, rig, (cube, lamp))
    for thing, matrices in before.items():
        assert np.abs(matrices[:, :3, 3] - after[thing][:, :3, 3]).max() < 1e-4, thing
        assert np.abs(matrices[:, :3, :3] - after[thing][:, :3, :3]).max() < 1e-3, thing


def check_file(document: Any, options: dict[str, str]) -> None:
    """Curves are still curves where they were: the keys of the F-Curves, with the engine's names for them."""
    container = options.get("container", "plain").lower()
    assert document.container.value == container
    found = {
        (track.node, track.property): (track.key_count, set(track.modes[:-1].tolist())) for track in document.tracks
    }
    assert found["hips", "Rotation"] == (3, {3})
    assert found["arm", "Rotation"] == (2, {1})
    assert found["hand", "Scale"] == (2, {0})
    assert found["Cube", "Position"] == (3, {3})
    assert found["Cube", "BlendShape.Smile"] == (3, {3})
    assert found["Cube", "Active"] == (2, {0})
    assert found["Lamp", "Light.Intensity"] == (2, {3})
    assert found["look", "Position"][0] <= 12 and found["look", "Position"][1] <= {1, 3}


def test_one_key_moved_changes_one_number(bpy: Any, part: Callable[[str], Any], data: Path, tmp_path: Path) -> None:
    shutil.copy(data / "animx" / "16_properties_vt.animx", tmp_path / "face.animx")
    bpy.ops.import_anim.animx(filepath=str(tmp_path / "face.animx"))
    actions = part("scene.actions")
    ((curve, _),) = [
        (curve, handle)
        for action in bpy.data.actions
        for handle, curve in actions.every_curve(action)
        if "Light.Intensity" in curve.data_path
    ]
    curve.keyframe_points[1].co.y = 3.0
    curve.update()
    path = tmp_path / "again.animx"
    assert bpy.ops.export_anim.animx(filepath=str(path)) == {"FINISHED"}
    animx = part("io_formats.animx")
    before, after = (animx.read(found.read_bytes()) for found in (tmp_path / "face.animx", path))
    assert [track == other for track, other in zip(before.tracks, after.tracks, strict=True)] == [True] * 5 + [False]
    assert after.tracks[5].numbers().tolist() == [[1, 3, 1]]
    after.tracks[5].values = before.tracks[5].values
    assert animx.write(after) == animx.write(before)
