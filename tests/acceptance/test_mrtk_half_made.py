"""Hands that a person makes, whole or in part, in a recording that has no data of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mrtk_scene as scene
import numpy as np
import pytest
from in_blender import add, animate, editing, remove_curves
from scenes.players.mrtk import Player

bpy = pytest.importorskip("bpy")

LEFT_HAND = scene.DATA / "v10_recorder_3s_left_hand.bin"
JOINTS = [joint for joint in scene.mrtk_reference.JOINTS if joint != "None"]


@pytest.fixture
def rig() -> Any:
    scene.set_rate("60")
    return scene.bring_in(LEFT_HAND)


def written_joints(player: Player) -> set[str]:
    """Joints of the right hand that a file has."""
    return {joint for joint in JOINTS if player.has(f"{joint}.R")}


def test_a_joint_with_locations_alone_is_turned_as_it_is_shown(rig: Any, tmp_path: Path) -> None:
    for joint in ("Wrist.R", "Palm.R"):
        animate(rig.pose.bones[joint], "location.x", {0: 0.0, 60: 0.2})
    player = Player(scene.send_out(tmp_path / "half.bin"))
    assert written_joints(player) == {"Wrist", "Palm"}
    scene.assert_shown(player, rig, ["Wrist.R", "Palm.R"], 30)


@pytest.mark.parametrize(("cut", "warned"), [(0, 1), (90, 1), (97, 0)])
def test_a_hand_whose_beginning_is_deleted_is_warned_of(
    rig: Any, tmp_path: Path, cut: int, warned: int, capfd: pytest.CaptureFixture[str]
) -> None:
    """Its property `tracked` goes off at 1.6 s and on again at 1.9 s; what is written ends before that."""
    for curve in scene.fcurves(rig).values():
        for point in [point for point in curve.keyframe_points if point.co.x < 10 or point.co.x > 113][::-1]:
            curve.keyframe_points.remove(point)
    action = rig.animation_data.action
    action.frame_start, action.frame_end = cut, 112
    capfd.readouterr()
    scene.send_out(tmp_path / "hidden.bin")
    assert capfd.readouterr().out.count("The hand of Wrist.L moves, but its property tracked is never on") == warned


@pytest.mark.parametrize("skeleton", [False, True])
def test_joints_parented_to_a_made_one_are_written(skeleton: bool, tmp_path: Path) -> None:
    scene.set_rate("60")
    rig = scene.bring_in(LEFT_HAND, hand_skeleton=skeleton)
    with editing(rig) as bones:
        for child, parent in (
            ("IndexKnuckle.R", "Palm.R"),
            ("IndexTip.R", "IndexKnuckle.R"),
            ("PinkyTip.R", "PinkyTip.L"),
        ):
            bones[child].parent = bones[parent]
    palm = rig.pose.bones["Palm.R"]
    animate(palm, "rotation_quaternion", {0: (1.0, 0.0, 0.0, 0.0), 60: (np.cos(0.7), 0.0, np.sin(0.7), 0.0)})
    player = Player(scene.send_out(tmp_path / "child.bin"))
    made = {"Palm", "IndexKnuckle", "IndexTip", "PinkyTip"}
    made |= {"IndexMiddleJoint", "IndexDistalJoint"} if skeleton else set()
    assert written_joints(player) == made
    scene.assert_shown(player, rig, [f"{joint}.R" for joint in made], 42)


def test_a_hand_that_is_never_tracked_is_named(rig: Any, tmp_path: Path) -> None:
    """It follows the left one by constraints."""
    for joint in ("Wrist", "Palm"):
        copied = rig.pose.bones[f"{joint}.R"].constraints.new("COPY_LOCATION")
        copied.target, copied.subtarget = rig, f"{joint}.L"
    player = Player(scene.send_out(tmp_path / "never.bin"))
    assert written_joints(player) == {"Wrist", "Palm"} and not player.tracked("R", 1.0)
    assert "The hand of Wrist.R moves" in scene.export_report()
    animate(rig.pose.bones["Wrist.R"], '["tracked"]', {0: True})
    player = Player(scene.send_out(tmp_path / "tracked.bin"))
    assert player.tracked("R", 1.0)
    assert "The hand of Wrist.R moves" not in scene.export_report()


def test_a_hand_without_the_property_is_tracked_throughout(rig: Any, tmp_path: Path) -> None:
    """Where the recording says nothing of it either, as of hands that it never began."""
    blank = bytearray(LEFT_HAND.read_bytes())
    start, size = scene.every_curve(bytes(blank))["bool", "handTrackedCurveRight"]["place"]
    blank[start - 4 : start + size] = bytes(4)
    path = tmp_path / "blank.bin"
    path.write_bytes(blank)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene.set_rate("60")
    rig = scene.bring_in(path)
    rig.pose.bones["Palm.R"].keyframe_insert("location", frame=0)
    assert Player(scene.send_out(tmp_path / "made.bin")).tracked("R", 1.0)


def test_what_carries_the_armature_makes_no_hand(rig: Any, tmp_path: Path) -> None:
    """An object that moves takes along what was recorded; nothing is said of a hand that was not."""
    cart = add("Cart")
    rig.parent = cart
    animate(cart, "location.x", {0: 0.0, 60: 1.0})
    player = Player(scene.send_out(tmp_path / "carried.bin"))
    assert written_joints(player) == set() and player.has("Palm.L")
    assert "Wrist.R" not in scene.export_report()


def test_a_deleted_hand_moves_nowhere(rig: Any, tmp_path: Path) -> None:
    """Its property `tracked` stays as it was: that is off within the recording, and nothing is said of outside."""
    bpy.ops.anim_curves.mirror()
    remove_curves(rig.animation_data.action, *(c for (path, _), c in scene.fcurves(rig).items() if '.L"]' in path))
    player = Player(scene.send_out(tmp_path / "right.bin"))
    assert written_joints(player) and not player.has("Palm.L")
    assert "moves outside frames" not in scene.export_report()


def test_joints_that_a_rig_lacks_are_named(tmp_path: Path) -> None:
    """MRTK plays a joint without keys in the origin."""
    rig = scene.own_rig({"Wrist.L": (None, (0.0, 0.0, 1.0)), "IndexTip.L": ("Wrist.L", (0.0, 0.2, 1.0))})
    rig.pose.bones["Wrist.L"].keyframe_insert("location", frame=1)
    player = Player(scene.send_out(tmp_path / "own.bin"))
    assert not np.any(player.pose("Palm.L", 0.0)[0]) and player.tracked("L", 0.0)
    told = "24 joints of hands have no keys, so MRTK shows them in the origin; add bones of these names: Palm.L, Thumb"
    assert told in scene.export_report()
