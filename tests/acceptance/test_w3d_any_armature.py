"""Armatures that never saw W3D: several roots, long names, moved, scaled and animated objects, no skeleton file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import w3d_scene as scene
from in_blender import add, animate, editing
from scenes.players import w3d, w3x

bpy = pytest.importorskip("bpy")

BONES = ("a very long name of a hip", "a very long name of a head", "Other", "Foot.L")
FRAMES = 16


def two_limbs() -> Any:
    """Two chains of two bones, no common root, Bezier keys on every bone."""
    scene.set_rate()
    hip, head, other, foot = BONES
    chain = [(hip, None, (0, 0, 1)), (head, hip, (0, 0, 2)), (other, None, (1, 0, 0)), (foot, other, (1, 0, 1))]
    rig = scene.make_armature(chain, "My Rig")
    random = np.random.default_rng(1)
    for bone in rig.pose.bones:
        for frame in (0, 7, FRAMES - 1):
            turn = random.normal(size=4) * 0.4 + [1, 0, 0, 0]
            bone.rotation_quaternion = turn / np.linalg.norm(turn)
            bone.keyframe_insert("rotation_quaternion", frame=frame)
            bone.location = random.normal(size=3)
            bone.keyframe_insert("location", frame=frame)
    return rig


@pytest.mark.parametrize("kind", ["w3d", "w3x"])
def test_a_bone_of_the_roots_name_at_the_end_of_a_chain_is_a_joint_like_others(kind: str, tmp_path: Path) -> None:
    rig = two_limbs()
    rig.data.bones[BONES[1]].name = "ROOTTRANSFORM"
    rig.data.bones[BONES[0]].name = "HIP"
    rig.pose.bones[BONES[2]].scale = (3.0, 1.0, 1.0)
    rig.data.bones[BONES[3]].inherit_scale = "NONE"  # sheared, seen from what it hangs on
    seen = [scene.bones_at(rig, frame) for frame in range(FRAMES)]
    path = tmp_path / f"dance.{kind}"
    assert getattr(bpy.ops.export_anim, kind)(filepath=str(path)) == {"FINISHED"}
    player = {"w3d": w3d, "w3x": w3x}[kind].Player.of(path.read_bytes())
    other = {"w3d": "ROOTTRANSFORM_1", "w3x": "ROOTTRANSFORM.001"}[kind]
    assert (player.names[:3], player.parents) == (["ROOTTRANSFORM", "HIP", other], [-1, 0, 1, 0, 3])
    for bone, rest in zip(rig.data.bones, player.rests[1:], strict=True):
        assert rest[:3, 3] == pytest.approx(bone.head_local, abs=1e-4), bone.name
    for frame, worlds in enumerate(seen):
        for bone, found in zip(("HIP", "ROOTTRANSFORM", *BONES[2:]), player.worlds(frame)[1:], strict=True):
            assert found[:3, 3] == pytest.approx(worlds[bone][:3, 3], abs=1e-4), (frame, bone)


@pytest.mark.parametrize("carries", [False, True])
def test_the_motion_of_a_root_is_lost_where_nothing_is_parented_to_it(carries: bool, tmp_path: Path) -> None:
    rig = two_limbs()
    rig.data.bones[BONES[1 - carries]].name = "ROOTTRANSFORM"
    with editing(rig) as bones:
        bones["ROOTTRANSFORM"].parent = None
    scene.send_out(tmp_path / "dance.w3d")
    told = bpy.data.texts["Export Report"].as_string()
    assert ("its motion is written into its children" in told) == carries
    assert ("its motion is left out, as nothing is parented to it" in told) != carries
    for curve in scene.curves(rig).values():
        if "ROOTTRANSFORM" in curve.data_path:
            for key in curve.keyframe_points:
                key.co.y = float(curve.array_index == 0 and "rotation" in curve.data_path)
            curve.update()
    scene.send_out(tmp_path / "still.w3d")
    assert "never moves the root pivot" not in bpy.data.texts["Export Report"].as_string()


@pytest.mark.parametrize("scale", [(2, 1, 1), (-1, -1, -1), None])
def test_what_a_pivot_cannot_say_is_warned_of(scale: Any, tmp_path: Path) -> None:
    rig = two_limbs()
    if scale is None:
        rig.parent, rig.matrix_parent_inverse = add("Carrier"), np.diag([2.0, 1, 1, 1])
        animate(rig.parent, "location", {0: (0, 0, 0), 9: (1, 0, 0)})
    else:
        rig.scale = scale
    scene.send_out(tmp_path / "dance.w3d")
    told = bpy.data.texts["Export Report"].as_string()
    assert "My Rig is stretched, mirrored or sheared, which pivots cannot be" in told
    assert "A VERY LONG N_1" in told


def test_an_untouched_copy_under_another_name_is_told_that_no_game_finds_it(tmp_path: Path) -> None:
    data = scene.Lay.hierarchy() + scene.Lay.animation(scene.Lay.raw(0, [1.0] * 10, 0, 1), name="Walk")
    scene.bring_in(scene.write(tmp_path / "in" / "walk.w3d", data))
    assert scene.send_out(tmp_path / "WALK.w3d") == data
    found = bpy.data.texts.get("Export Report")
    assert found is None or "will not find it" not in found.as_string()
    assert scene.send_out(tmp_path / "run.w3d") == data
    assert "Walk in Walk.w3d and will not find it in run.w3d" in bpy.data.texts["Export Report"].as_string()
