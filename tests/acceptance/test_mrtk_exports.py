"""What MRTK plays after larger changes in Blender: retimed, cut, moved, made from nothing, other versions."""

from __future__ import annotations

import math
import struct
from pathlib import Path
from typing import Any

import mrtk_scene as scene
import numpy as np
import pytest
from in_blender import animate, remove_curves
from scenes.players.mrtk import Player

bpy = pytest.importorskip("bpy")

reference = scene.mrtk_reference
DATA = scene.DATA
LEFT_HAND = DATA / "v10_recorder_3s_left_hand.bin"
TWO_HANDS = DATA / "v11_recorder_10s_two_hands_mrtk273.bin"
FINGERS = [joint for joint in reference.JOINTS if joint != "None"]


def _same_keys(old: Any, new: Any, *, factor: float = 1.0, rtol: float = 0.0) -> None:
    assert len(old["keys"]) == len(new["keys"])
    if old["keys"]:
        mine, theirs = np.array(old["keys"], float), np.array(new["keys"], float)
        np.testing.assert_allclose(theirs[:, 0], mine[:, 0] * factor, rtol=3e-7, atol=1e-7)
        np.testing.assert_allclose(theirs[:, 1], mine[:, 1], rtol=rtol, atol=0)


# --- Retiming ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("factor", [2.0, 0.5])
@pytest.mark.parametrize("path", [LEFT_HAND, TWO_HANDS], ids=lambda path: path.stem)
def test_all_keys_scaled_in_time_scale_the_recording(path: Path, factor: float, tmp_path: Path) -> None:
    scene.set_rate("60")
    for fcurve in scene.fcurves(scene.bring_in(path)).values():
        for point in fcurve.keyframe_points:
            point.co.x *= factor
            point.handle_left.x *= factor
            point.handle_right.x *= factor
    after = scene.send_out(tmp_path / "scaled.bin")
    old, new = scene.every_curve(path.read_bytes()), scene.every_curve(after)
    for key, curve in old.items():
        if "None" not in key:
            _same_keys(curve, new[key], factor=factor)
    assert scene.duration(after) == pytest.approx(factor * scene.duration(path.read_bytes()), rel=1e-6)


def test_a_recording_that_begins_before_zero_can_begin_at_zero(tmp_path: Path) -> None:
    """A recorder with a full buffer leaves keys before zero; they come back as they are, or all move alike."""
    early = bytearray(LEFT_HAND.read_bytes())
    for curve in scene.every_curve(bytes(early)).values():
        start, size = curve["place"]
        for number in range(len(curve["keys"])):
            time = struct.unpack_from("<f", early, start + size * number)[0]
            struct.pack_into("<f", early, start + size * number, time - 1.5)
    path = tmp_path / "early.bin"
    path.write_bytes(early)
    scene.set_rate("60")
    scene.bring_in(path)
    assert scene.send_out(tmp_path / "same.bin") == bytes(early)
    after = scene.send_out(tmp_path / "zero.bin", begin_at_zero=True)
    assert len(after) == len(early) and "further off" not in scene.export_report()
    old, new = scene.every_curve(bytes(early)), scene.every_curve(after)
    first = min(curve["keys"][0][0] for key, curve in old.items() if curve["keys"] and "None" not in key)
    assert first < -1.4
    for key, curve in old.items():
        for mine, theirs in zip(curve["keys"], new[key]["keys"], strict=True):
            assert theirs[0] == pytest.approx(mine[0] - first, abs=1e-6), key
            assert theirs[1:] == mine[1:]


def test_a_cut_recording_plays_what_lay_in_the_range(tmp_path: Path) -> None:
    scene.set_rate("60")
    scene.bring_in(TWO_HANDS)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 120, 420
    after = scene.send_out(tmp_path / "cut.bin", use_scene_range=True)
    whole, cut = Player(TWO_HANDS.read_bytes()), Player(after)
    assert cut.duration == pytest.approx(5.0, abs=1e-5)
    for time in np.linspace(0.01, 4.99, 50).tolist():
        for side in "LR":
            for name in ("tracked", "pinching"):
                assert cut.switch(name, side, time) == whole.switch(name, side, time + 2)
            for joint in FINGERS:
                poses = cut.pose(f"{joint}.{side}", time), whole.pose(f"{joint}.{side}", time + 2)
                np.testing.assert_allclose(*map(np.concatenate, poses), atol=2e-6)
    for key, curve in scene.every_curve(after).items():
        starts = [key[0] for key in curve["keys"]]
        assert not starts or (starts[0] >= 0 and starts[-1] <= 5.0 + 1e-5)
        assert key[0] != "bool" or starts[0] == 0.0


# --- Parts taken away and added ----------------------------------------------------------------------------------


def test_a_deleted_hand_is_not_there_and_the_rest_is_as_it_was(tmp_path: Path) -> None:
    scene.set_rate("60")
    armature = scene.bring_in(TWO_HANDS)
    remove_curves(
        armature.animation_data.action, *(c for (path, _), c in scene.fcurves(armature).items() if '.R"' in path)
    )
    old = reference.read(TWO_HANDS.read_bytes())
    new = reference.read(scene.send_out(tmp_path / "left.bin"))
    assert all(not curve["keys"] for pose in new["jointsRight"].values() for curve in pose.values())
    assert not any(key[1] for key in new["bool"]["handTrackedCurveRight"]["keys"])
    for part in ("camera", "gaze", "jointsLeft"):
        assert _contents(new[part]) == _contents(old[part])
    assert new["bool"]["handTrackedCurveLeft"]["keys"] == old["bool"]["handTrackedCurveLeft"]["keys"]
    report = bpy.data.texts["Export Report"].as_string()
    assert "Warning" not in report and report.count("posed without keys") == 1 and "Wrist.R and its hand" in report


@pytest.mark.parametrize("muted", [True, False])
def test_a_recording_without_any_curve_that_plays_is_refused_as_other_formats_refuse_it(
    muted: bool, tmp_path: Path
) -> None:
    armature = scene.bring_in(TWO_HANDS)
    if muted:
        for curve in scene.fcurves(armature).values():
            curve.mute = True
    else:
        remove_curves(armature.animation_data.action, *scene.fcurves(armature).values())
    with pytest.raises(RuntimeError, match="nothing that is chosen moves"):
        scene.send_out(tmp_path / "still.bin")


def _contents(part: Any) -> Any:
    """Wraps and keys without their places in the file."""
    if "keys" in part:
        return part["pre"], part["post"], repr(part["keys"])
    return {name: _contents(inner) for name, inner in part.items()}


# --- Spaces ------------------------------------------------------------------------------------------------------


def test_local_space_leaves_the_move_out(tmp_path: Path) -> None:
    scene.set_rate("60")
    armature = scene.bring_in(LEFT_HAND)
    animate(armature, "location", {0: (1.0, 0.0, 3.0), 120: (1.0, 120.0, 3.0)})
    after = scene.send_out(tmp_path / "local.bin", space="LOCAL")
    assert scene.differing_keys(LEFT_HAND.read_bytes(), after) == []
    assert "within 0.0" in scene.export_report()


@pytest.mark.parametrize("turned", [False, True])
def test_an_edit_on_an_avatar_in_centimetres_stays_where_it_is(turned: bool, tmp_path: Path) -> None:
    """As an FBX import leaves it: scaled by a hundredth, its Y up; and somewhere in the scene."""
    names = ["Wrist", *(f"Index{part}" for part in ("Knuckle", "MiddleJoint", "DistalJoint"))]
    bones = {
        f"{name}.L": (f"{above}.L" if above else None, (0.0, 3.0 * at, 0.0))
        for at, (name, above) in enumerate(zip(names, [None, *names]))
    }
    rig = scene.own_rig(bones)
    rig.scale, rig.location = (0.01, 0.01, 0.01), (1.0, 2.0, 0.0)
    rig.rotation_euler = (math.radians(90), 0.0, 0.7) if turned else (0.0, 0.0, 0.0)
    bpy.context.view_layer.update()
    rig.select_set(True)
    assert scene.bring_in(TWO_HANDS, target="SELECTED") == rig
    curve = next(each for each in scene.curves_of(rig.animation_data.action) if "Knuckle" in each.data_path)
    curve.keyframe_points[len(curve.keyframe_points) // 2].co.y += 0.1
    player = Player(scene.send_out(tmp_path / "edited.bin"))
    for frame in range(5, 60, 9):
        scene.assert_shown(player, rig, [*bones], frame, 3e-4)


# --- Versions and layouts ----------------------------------------------------------------------------------------


def test_a_recording_of_1_1_becomes_1_0_when_the_gaze_may_go(tmp_path: Path) -> None:
    scene.set_rate("60")
    scene.bring_in(TWO_HANDS)
    with pytest.raises(RuntimeError, match=r"[Gg]aze"):
        bpy.ops.export_anim.mrtk(filepath=str(tmp_path / "full.bin"), version="1.0")
    assert not (tmp_path / "full.bin").exists()
    new = scene.every_curve(scene.send_out(tmp_path / "full.bin", version="1.0", drop_gaze=True))
    for key, curve in scene.every_curve(TWO_HANDS.read_bytes()).items():
        if key[0] != "gaze":
            assert [k[:2] for k in new[key]["keys"]] == [k[:2] for k in curve["keys"]], key
            assert key[0] == "bool" or all(k[2:] == (0, 0, 0, 0, 3) for k in new[key]["keys"])


# --- Names -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kept", [(), ("Camera", "Gaze", "GazeDirection")])
def test_bones_that_are_no_joints_are_refused_with_what_to_do(kept: tuple[str, ...], tmp_path: Path) -> None:
    """As in a .blend of a version that did not tie them; the camera alone is no recording of hands."""
    armature = scene.bring_in(TWO_HANDS)
    for number, bone in enumerate(bone for bone in armature.data.bones if bone.name not in kept):
        for key in list(bone.keys()):
            del bone[key]
        bone.name = f"bone {number}"
    path = tmp_path / "renamed.bin"
    with pytest.raises(RuntimeError, match="Joint Names"):
        scene.send_out(path)
    assert not path.exists()


@pytest.mark.parametrize("names", ["hand_l", "=Wrist.L", "hand_l=", "hand_l=Wrst.L", "a=Palm.L; b=Palm.L"])
def test_joint_names_that_say_nothing_are_refused(names: str, tmp_path: Path) -> None:
    scene.bring_in(TWO_HANDS)
    with pytest.raises(RuntimeError, match="separated by semicolons"):
        scene.send_out(tmp_path / "wrong.bin", joint_names=names)


# --- Several recordings on one armature --------------------------------------------------------------------------


def _edited(tmp_path: Path, rig: Any) -> bytes:
    """What is written after one key of the left wrist has changed."""
    curve = scene.fcurves(rig)['pose.bones["Wrist.L"].location', 0]
    curve.keyframe_points[5].co.y += 0.07
    curve.update()
    return scene.send_out(tmp_path / "edited.bin")


def test_a_hand_without_data_gets_none_where_an_armature_has_its_bones(tmp_path: Path) -> None:
    """Onto the armature of both, a right hand that was not recorded was keyed at rest, and written after any edit."""
    scene.bring_in(TWO_HANDS)
    data = _edited(tmp_path, scene.bring_in(LEFT_HAND))
    assert {key for key, _, _ in scene.differing_keys(LEFT_HAND.read_bytes(), data)} == {
        ("jointsLeft", "Wrist", "PositionX")
    }
    assert len(bpy.data.armatures) == 1 and "warning" not in scene.export_report()


def test_a_hand_is_shown_and_written_that_the_first_recording_did_not_have(tmp_path: Path) -> None:
    """The second one lacks W, so that what MRTK plays of it is off whatever is read: its check looks at each joint."""
    scene.bring_in(LEFT_HAND)
    rig = scene.bring_in(DATA / "v11_recorder_2s_partition0_mrtk260_Wbug.bin")
    bpy.context.scene.frame_set(40)
    seen = bpy.data.objects["Right Hand"].evaluated_get(bpy.context.evaluated_depsgraph_get())
    tip = rig.pose.bones["IndexTip.R"].head
    assert min((corner.co - tip).length for corner in seen.data.vertices) < 0.015
    _edited(tmp_path, rig)
    assert "plays it off by" in scene.export_report() and len(bpy.data.armatures) == 1


def test_the_head_of_a_further_recording_moves_where_hands_only_turn(tmp_path: Path) -> None:
    """Onto hand skeletons that rest otherwise a recording's hands follow; camera and gaze got no keys at all."""
    scene.bring_in(LEFT_HAND, hand_skeleton=True)
    bpy.context.scene.frame_set(30)
    rig = scene.bring_in(TWO_HANDS, hand_skeleton=True)
    for frame in (0, 40, 100):
        scene.assert_shown(Player(TWO_HANDS.read_bytes()), rig, ["Camera"], frame)
    assert len(bpy.data.armatures) == 1
