"""A recording onto hand rigs of other people: Mixamo's and VRoid's names, other rest poses, other rolls."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hand_rigs import MRTK, degrees_between, hand_rig, mixamo, vroid, world_turn

pytestmark = pytest.mark.once  # of one Blender as of any


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
