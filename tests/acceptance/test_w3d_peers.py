"""What other tools get wrong with W3D animations and only Blender can show; the numbers are those of
`formats/w3d/test_w3d_known_defects.py`, which has the others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import w3d_scene as scene

bpy = pytest.importorskip("bpy")


def written(tmp_path: Path, **options: Any) -> Any:
    return scene.part("io_formats.w3d").read(scene.send_out(tmp_path / "out.w3d", **options))


def own_rig() -> Any:
    scene.set_rate()
    return scene.make_armature([("hip", None, (0.0, 0, 1)), ("head", "hip", (0.0, 0, 2))])


def key(holder: Any, name: str, *values: tuple[float, Any]) -> None:
    for frame, value in values:
        setattr(holder, name, value)
        holder.keyframe_insert(name, frame=frame)


def test_16_euler_turns_and_scales_are_no_translations(tmp_path: Path) -> None:
    rig = own_rig()
    rig.pose.bones["head"].rotation_mode = "XYZ"
    key(rig.pose.bones["head"], "rotation_euler", (0, (0, 0, 0)), (10, (1.0, 0.5, 2.0)))
    key(rig.pose.bones["head"], "scale", (0, (1, 1, 1)), (10, (2, 2, 2)))
    assert [part.type for part in written(tmp_path).animations[0].parts[1:]] == [6]


def test_20_outside_its_range_a_mesh_is_visible(tmp_path: Path) -> None:
    rig = own_rig()
    bone = rig.pose.bones["hip"]
    for frame, value in ((0, True), (4, False), (6, True), (10, True)):
        bone["visibility"] = value
        bone.keyframe_insert('["visibility"]', frame=frame)
    channel = next(part for part in written(tmp_path).animations[0].parts[1:] if type(part).__name__ == "BitChannel")
    assert (channel.default, channel.type, channel.pivot) == (1, 0, 1)


def test_22_curves_of_bones_that_are_gone_go_nowhere(tmp_path: Path) -> None:
    rig = own_rig()
    key(rig.pose.bones["hip"], "location", (0, (0, 0, 0)), (10, (1, 2, 3)))
    actions = scene.part("scene.actions")
    bag = actions.find_bag(*actions.assigned(rig))
    ghost = bag.fcurves.new('pose.bones["ghost"].location', index=0)
    ghost.keyframe_points.insert(0, 7.0)
    animation = written(tmp_path).animations[0]
    assert {part.pivot for part in animation.parts[1:]} == {1}
