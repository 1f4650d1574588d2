"""A recording onto hand rigs of other people: Mixamo's and VRoid's names, other rest poses, other rolls."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

FINGERS = ("Thumb", "Index", "Middle", "Ring", "Pinky")
MRTK = {
    "Thumb": ("ThumbMetacarpalJoint", "ThumbProximalJoint", "ThumbDistalJoint", "ThumbTip"),
    **{name: (f"{name}Knuckle", f"{name}MiddleJoint", f"{name}DistalJoint", f"{name}Tip") for name in FINGERS[1:]},
}


def mixamo(side: str, finger: str, number: int) -> str:
    """A bone's name as Mixamo writes it; number 0 is the hand."""
    hand = f"mixamorig:{'Left' if side == 'L' else 'Right'}Hand"
    return f"{hand}{finger}{number}" if number else hand


def vroid(side: str, finger: str, number: int) -> str:
    """A bone's name as VRoid writes it."""
    finger = "Little" if finger == "Pinky" else finger
    return f"J_Bip_{side}_{finger}{number}" if number else f"J_Bip_{side}_Hand"


def hand_rig(bpy: Any, name: Callable[[str, str, int], str], roll: float, turned: float) -> Any:
    """A pair of flat hands: knuckles fanned out, three bones a finger, an arbitrary roll, the object turned about Z."""
    rig = bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig"))
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for side, mirror in (("L", 1.0), ("R", -1.0)):
        base = np.array([-0.3 * mirror, 0.0, 1.0])
        hand = rig.data.edit_bones.new(name(side, "", 0))
        hand.head, hand.tail, hand.roll = base, base + np.array([0.0, 0.08, 0.0]), roll
        for place, finger in enumerate(FINGERS):
            across = (0.03 - 0.02 * place) * mirror
            start, parent = base + np.array([across, 0.04 if finger == "Thumb" else 0.09, 0.0]), hand
            along = np.array([0.5 * mirror, 0.8, 0.0] if finger == "Thumb" else [0.05 * across, 1.0, 0.0])
            for number in (1, 2, 3):
                bone = rig.data.edit_bones.new(name(side, finger, number))
                bone.head, bone.tail, bone.roll = start, start + along * 0.03, roll
                bone.parent, parent, start = parent, bone, start + along * 0.03
    bpy.ops.object.mode_set(mode="OBJECT")
    rig.rotation_euler[2] = turned
    bpy.context.view_layer.update()
    return rig


def world_turn(rig: Any, bone: str) -> Any:
    """(3, 3) of a posed bone in the world."""
    matrix = np.array((rig.matrix_world @ rig.pose.bones[bone].matrix).to_3x3(), np.float64)
    return matrix / np.sqrt((matrix**2).sum(axis=0))


def degrees_between(a: Any, b: Any) -> float:
    """Angle between two directions."""
    return math.degrees(math.acos(min(1.0, float(a @ b) / math.sqrt(float(a @ a) * float(b @ b)))))


@pytest.mark.parametrize("name", [mixamo, vroid])
@pytest.mark.parametrize(("roll", "turned"), [(0.0, 0.0), (1.1, 0.0), (-2.0, 0.7)])
def test_each_finger_points_where_the_recorded_one_does(
    bpy: Any, data: Path, reports: list[str], name: Callable[[str, str, int], str], roll: float, turned: float
) -> None:
    path = str(data / "mrtk" / "v11_recorder_10s_two_hands_mrtk273.bin")
    bpy.ops.import_anim.mrtk(filepath=path, hide_untracked=False, target="NEW")
    recorded = bpy.context.view_layer.objects.active
    rig = hand_rig(bpy, name, roll, turned)
    for thing in bpy.context.view_layer.objects:
        thing.select_set(thing == rig)
    assert bpy.ops.import_anim.mrtk(filepath=path, target="SELECTED") == {"FINISHED"}
    assert rig.animation_data.action is not None
    for frame in (24, 96, 200):
        bpy.context.scene.frame_set(frame)
        for side in "LR":
            for finger, joints in MRTK.items():
                heads = [np.array(recorded.pose.bones[f"{joint}.{side}"].head) for joint in joints]
                for number in (1, 2, 3):
                    found = world_turn(rig, name(side, finger, number))[:, 1]
                    wanted = heads[number] - heads[number - 1]
                    assert degrees_between(found, wanted) < 0.2, (frame, side, finger, number)


def test_the_palm_faces_as_the_recorded_one_whatever_the_roll(bpy: Any, data: Path) -> None:
    path = str(data / "mrtk" / "v11_recorder_10s_two_hands_mrtk273.bin")
    backs = []
    for roll in (0.0, 1.3):
        rig = hand_rig(bpy, mixamo, roll, 0.0)
        for thing in bpy.context.view_layer.objects:
            thing.select_set(thing == rig)
        rest = np.array(rig.data.bones["mixamorig:LeftHandIndex1"].matrix_local.to_3x3())
        bpy.ops.import_anim.mrtk(filepath=path, target="SELECTED")
        bpy.context.scene.frame_set(96)
        up_at_rest = rest.T @ np.array([0.0, 0.0, 1.0])
        backs.append(world_turn(rig, "mixamorig:LeftHandIndex1") @ up_at_rest)
    bpy.ops.import_anim.mrtk(filepath=path, hide_untracked=False, target="NEW")
    wanted = world_turn(bpy.context.view_layer.objects.active, "IndexKnuckle.L")[:, 2]
    for back in backs:
        assert degrees_between(back, wanted) < 1.0


def test_lengths_and_places_stay_the_rigs_own_but_for_the_hand(bpy: Any, data: Path) -> None:
    path = str(data / "mrtk" / "v11_recorder_10s_two_hands_mrtk273.bin")
    bpy.ops.import_anim.mrtk(filepath=path, hide_untracked=False, target="NEW")
    recorded = bpy.context.view_layer.objects.active
    rig = hand_rig(bpy, mixamo, 0.4, 0.7)
    bpy.ops.import_anim.mrtk(filepath=path, target="SELECTED")
    bpy.context.scene.frame_set(96)
    bones = rig.pose.bones
    for bone in bones:
        if bone.parent is not None:
            assert tuple(bone.location) == (0.0, 0.0, 0.0)
    head = rig.matrix_world @ bones["mixamorig:LeftHand"].head
    wrist = recorded.matrix_world @ recorded.pose.bones["Wrist.L"].head
    assert (head - wrist).length < 1e-4


def test_the_command_line_puts_recordings_onto_a_rig(
    bpy: Any, part: Callable[[str], Any], data: Path, tmp_path: Path
) -> None:
    """A rig in a .blend, bones that no rule could guess, a table: as a batch on a server would."""
    path = data / "mrtk" / "v11_recorder_10s_two_hands_mrtk273.bin"
    rig = hand_rig(bpy, lambda side, finger, number: f"{side}{finger[:1] or 'H'}{number}x", 0.4, 0.0)
    pairs = {f"Wrist.{side}": f"{side}H0x" for side in "LR"}
    for finger, joints in MRTK.items():
        pairs |= {f"{joint}.L": f"L{finger[0]}{number}x" for number, joint in enumerate(joints[:3], 1)}
    table, blend = tmp_path / "table.json", tmp_path / "rig.blend"
    table.write_text(json.dumps({"kind": "anim_curves_names", "names": pairs}), encoding="utf-8")
    bpy.ops.wm.save_as_mainfile(filepath=str(blend))
    name = rig.name
    arguments = ["--into", blend, "--target", "SELECTED", "--name-table", table, "--output", tmp_path / "out"]
    assert part("operators.command_line").main(["import", str(path), *map(str, arguments)]) == 0
    bpy.ops.wm.open_mainfile(filepath=str(next((tmp_path / "out").glob("*.blend"))))
    action = bpy.data.objects[name].animation_data.action
    moved = {curve.data_path.split('"')[1] for _, curve in part("scene.actions").every_curve(action)}
    assert moved == set(pairs.values())
