"""What other tools get wrong with W3D animations and only Blender can show; the numbers are those of
`formats/w3d/test_w3d_known_defects.py`, which has the others."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import w3d_scene as scene
from drawn import drawn_as_nothing

bpy = pytest.importorskip("bpy")
pytestmark = pytest.mark.usefixtures("extension")

Lay = scene.Lay

TURN = [[0.0, 0, 0, 1], [math.sin(1.2), 0, 0, math.cos(1.2)]]


def imported(tmp_path: Path, *channels: bytes, frames: int = 10, **options: Any) -> Any:
    scene.set_rate()
    animation = Lay.animation(*channels, frames=frames)
    return scene.bring_in(scene.write(tmp_path / "file.w3d", Lay.hierarchy(), animation), **options)


def written(tmp_path: Path, **options: Any) -> Any:
    return scene.part("io_formats.w3d").read(scene.send_out(tmp_path / "out.w3d", **options))


def own_rig() -> Any:
    scene.set_rate()
    return scene.make_armature([("hip", None, (0.0, 0, 1)), ("head", "hip", (0.0, 0, 2))])


def key(holder: Any, name: str, *values: tuple[float, Any]) -> None:
    for frame, value in values:
        setattr(holder, name, value)
        holder.keyframe_insert(name, frame=frame)


def test_1_and_2_held_poses_are_held_at_every_quarter_of_a_frame(tmp_path: Path) -> None:
    values = [0.0, 0, 0, 5, 5, 5, 0, 0]
    armature = imported(tmp_path, Lay.raw(0, values, 0, 1), frames=8)
    for quarter in range(29):
        scene.at(quarter / 4)
        expected = np.interp(quarter / 4, range(8), values)
        assert armature.pose.bones["HIP"].location[0] == pytest.approx(expected, abs=1e-6), quarter / 4


def test_2_step_keys_step(tmp_path: Path) -> None:
    scene.set_rate()
    channel = Lay.keys([0, 6], TURN, 6, 1, steps=[1])
    file = scene.write(tmp_path / "file.w3d", Lay.hierarchy(), Lay.compressed(channel))
    armature = scene.bring_in(file)
    bases = [np.array(armature.data.bones["HIP"].matrix_local)] * 2
    for frame, turned in ((0, 0), (3, 0), (5.75, 0), (6, 1), (9, 1)):
        expected = bases[0] @ scene.move((0, 0, 0), TURN[turned])
        assert scene.angle(scene.bones_at(armature, frame)["HIP"], expected) < 0.01, frame


def test_3_and_7_and_9_are_seen_in_the_goldens(tmp_path: Path) -> None:
    """Range ends, sign flips and unsigned codes: every key lies on a frame of the clip and turns the short way."""
    for name in ("g01_raw_trim_vis", "g06_raw_flip", "b01_motion_tc"):
        scene.set_rate()
        armature = scene.bring_in(scene.DATA / f"{name}.w3d", target="NEW")
        curves = scene.curves(armature)
        assert min(point.co[0] for curve in curves.values() for point in curve.keyframe_points) >= 0
        for path in {path for path, _ in curves if path.endswith("rotation_quaternion")}:
            parts = [[point.co[1] for point in curves[path, at].keyframe_points] for at in range(4)]
            turns = np.array(parts)
            assert ((turns[:, 1:] * turns[:, :-1]).sum(axis=0) > 0).all(), (name, path)


def test_5_visible_bones_and_the_armature_itself_stay_in_sight(tmp_path: Path) -> None:
    armature = imported(tmp_path, Lay.bits(0, [1, 1, 0, 1], 1), frames=4)
    scene.at(0)
    seen = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
    assert not drawn_as_nothing(armature, "HIP") and not seen.hide_viewport


def test_8_every_animation_of_a_file_becomes_an_action() -> None:
    scene.bring_in(scene.DATA / "h04_multi_unknown.w3d")
    assert sorted(action.name for action in bpy.data.actions) == ["H04A", "H04B"]


@pytest.mark.parametrize("flavor", ["RAW", "TIMECODED", "ADAPTIVE_DELTA", "BFME_TIMECODED", "BFME_ADAPTIVE"])
def test_15_an_animation_made_here_can_be_written(flavor: str, tmp_path: Path) -> None:
    rig = own_rig()
    key(rig.pose.bones["hip"], "location", (0, (0, 0, 0)), (10, (1, 2, 3)))
    animation = written(tmp_path, flavor=flavor).animations[0]
    assert {(part.pivot, part.type) for part in animation.parts[1:]} == {(1, 0), (1, 1), (1, 2)}


def test_16_euler_turns_and_scales_are_no_translations(tmp_path: Path) -> None:
    rig = own_rig()
    rig.pose.bones["head"].rotation_mode = "XYZ"
    key(rig.pose.bones["head"], "rotation_euler", (0, (0, 0, 0)), (10, (1.0, 0.5, 2.0)))
    key(rig.pose.bones["head"], "scale", (0, (1, 1, 1)), (10, (2, 2, 2)))
    assert [part.type for part in written(tmp_path).animations[0].parts[1:]] == [6]


def test_17_a_pose_that_only_constraints_make_is_written(tmp_path: Path) -> None:
    rig = own_rig()
    aim = bpy.data.objects.new("aim", None)
    bpy.context.scene.collection.objects.link(aim)
    key(aim, "location", (0, (3, 0, 1)), (10, (0, 3, 1)))
    rig.pose.bones["hip"].constraints.new("DAMPED_TRACK").target = aim
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 0, 10
    seen = [scene.bones_at(rig, frame)["head"] for frame in range(11)]
    document = written(tmp_path)
    for frame, world in enumerate(seen):
        shown = scene.worlds(document, frame)["HEAD"]
        assert np.abs(world[:3, 3] - shown[:3, 3]).max() < 1e-4 and scene.angle(world, shown) < 0.02


def test_18_timecoded_keys_of_a_bezier_curve_follow_it_from_frame_0(tmp_path: Path) -> None:
    rig = own_rig()
    key(rig.pose.bones["hip"], "location", (3, (0, 0, 0)), (17, (9, 0, 0)), (30, (1, 0, 0)))
    seen = []
    for frame in range(3, 31):
        scene.at(frame)
        seen.append(rig.pose.bones["hip"].location[0])
    animation = written(tmp_path, flavor="TIMECODED").animations[0]
    channel = next(part for part in animation.parts[1:] if part.type == 0)
    assert channel.frames[0] == 0
    # a bone's own location is the channel's only in its base frame, which the pivot has too
    for frame, value in enumerate(seen):
        assert scene.channel_at(channel, frame)[0] == pytest.approx(value, abs=0.00101)


def test_20_outside_its_range_a_mesh_is_visible(tmp_path: Path) -> None:
    rig = own_rig()
    bone = rig.pose.bones["hip"]
    for frame, value in ((0, True), (4, False), (6, True), (10, True)):
        bone["visibility"] = value
        bone.keyframe_insert('["visibility"]', frame=frame)
    channel = next(part for part in written(tmp_path).animations[0].parts[1:] if type(part).__name__ == "BitChannel")
    assert (channel.default, channel.type, channel.pivot) == (1, 0, 1)


def test_21_a_range_and_its_channels_agree(tmp_path: Path) -> None:
    rig = own_rig()
    key(rig.pose.bones["hip"], "location", (0, (0, 0, 0)), (20, (20, 0, 0)))
    for point in scene.curve(rig, "hip", "location", 0).keyframe_points:
        point.interpolation = "LINEAR"
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 5, 15
    animation = written(tmp_path, use_scene_range=True).animations[0]
    channel = next(part for part in animation.parts[1:] if part.type == 0)
    assert animation.header.frame_count == 11 and (channel.first, channel.last) == (0, 10)
    assert channel.values[:, 0] == pytest.approx(np.arange(5.0, 16.0), abs=1e-5)


def test_22_curves_of_bones_that_are_gone_go_nowhere(tmp_path: Path) -> None:
    rig = own_rig()
    key(rig.pose.bones["hip"], "location", (0, (0, 0, 0)), (10, (1, 2, 3)))
    actions = scene.part("scene.actions")
    bag = actions.find_bag(*actions.assigned(rig))
    ghost = bag.fcurves.new('pose.bones["ghost"].location', index=0)
    ghost.keyframe_points.insert(0, 7.0)
    animation = written(tmp_path).animations[0]
    assert {part.pivot for part in animation.parts[1:]} == {1}


def test_23_the_order_of_the_pivots_is_the_files(tmp_path: Path) -> None:
    names = ["ROOTTRANSFORM", "LEFT", "RIGHT", "LEFT_FOOT", "RIGHT_FOOT"]
    hierarchy = Lay.hierarchy(names, [-1, 0, 0, 1, 2])
    moves = [Lay.raw(0, [0.0, float(pivot)], 0, pivot) for pivot in range(1, 5)]
    path = scene.write(tmp_path / "file.w3d", hierarchy, Lay.animation(*moves, frames=2))
    armature = scene.bring_in(path)
    scene.curve(armature, "RIGHT", "location", 0).keyframe_points[1].co[1] = 9.0
    document = written(tmp_path)
    assert document.hierarchies[0].records["name"].tolist() == [Lay.name(name) for name in names]
    shown = [scene.channel_at(part, 1)[0] for part in document.animations[0].parts[1:]]
    assert shown == [1.0, 9.0, 3.0, 4.0]
