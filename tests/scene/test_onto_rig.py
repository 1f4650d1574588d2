"""Recordings and clips onto rigs that somebody else built: other names, rests, rolls, sizes, units and axes.

What is expected comes from the file's numbers alone: where the joints of a recording are, and how they are turned.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hand_rigs import MRTK, degrees_between, hand_rig, mixamo
from in_blender import add, choose, editing, go_to
from scenes.players.mrtk import Player

bpy = pytest.importorskip("bpy")
from mathutils import Matrix, Quaternion, Vector  # noqa: E402

Namer = Callable[[str, str, int], str]
WRISTS = {"L": (-0.3, 0.0, 1.0), "R": (0.3, 0.0, 1.0)}
"""Where the hands of the rigs rest."""


def humanoid(side: str, finger: str, segment: int) -> str:
    """VRM's own names, `leftIndexProximal`; the thumb of VRM 1 begins with the metacarpal."""
    own = {"L": "left", "R": "right"}[side]
    if not segment:
        return own + "Hand"
    parts = ("Metacarpal", "Proximal", "Distal") if finger == "Thumb" else ("Proximal", "Intermediate", "Distal")
    return own + {"Pinky": "Little"}.get(finger, finger) + (*parts, "Tip")[segment - 1]


@dataclass
class Rig:
    """An armature object with two hands; segment 0 of no finger is the hand."""

    thing: Any
    name: Namer

    def head(self, side: str, finger: str, segment: int) -> Any:
        """(3,) world place of a posed bone's head; one segment too many gives the last one's tail."""
        bones = self.thing.pose.bones
        found = bones.get(self.name(side, finger, segment))
        place = bones[self.name(side, finger, segment - 1)].tail if found is None else found.head
        return np.array(self.thing.matrix_world @ place)


def build(name: Namer, world: Matrix, *, connected: bool = True) -> Rig:
    """A rig whose object stands at `world`, every bone rolled otherwise: Mixamo's has arms, and tips of fingers."""
    thing = hand_rig(bpy, name, 0.0, 0.0, 4 if name is mixamo else 3)
    with editing(thing) as bones:
        for side, word in (("L", "Left"), ("R", "Right")) if name is mixamo else ():
            hand, upper, lower = bones[name(side, "", 0)], bones.new(f"{word}Arm"), bones.new(f"{word}ForeArm")
            upper.head, upper.tail = hand.head + Vector((0.0, -0.5, 0.02)), hand.head + Vector((0.0, -0.25, 0.0))
            lower.head, lower.tail = upper.tail, hand.head
            lower.parent, hand.parent = upper, lower
        for number, bone in enumerate(bones):
            bone.roll = 0.4 * number - 2.0
            bone.use_connect = connected and bone.parent is not None and bone.head == bone.parent.tail
    thing.data.transform(world.inverted())
    thing.data.update_tag()
    thing.matrix_world = world
    bpy.context.view_layer.update()
    return Rig(thing, name)


class Recording(Player):
    """What a file says in the end, in Blender's axes: Unity's y is Blender's z, and the other way round."""

    def __init__(self, path: Path) -> None:
        super().__init__(path.read_bytes())
        self.path = path

    def place(self, side: str, joint: str, seconds: float) -> Any:
        """(3,) where a joint is."""
        return self.pose(f"{joint}.{side}", seconds)[0][[0, 2, 1]]

    def times(self, side: str) -> list[float]:
        """Key times of a wrist."""
        wrist = self.recording[{"L": "jointsLeft", "R": "jointsRight"}[side]]["Wrist"]
        return sorted({key[0] for curve in wrist.values() for key in curve["keys"]})


@pytest.fixture
def two_hands(extension: ModuleType, data: Path) -> Recording:
    """Ten seconds of two hands, version 1.1: sparse keys, sensor noise."""
    return Recording(data / "mrtk" / "v11_recorder_10s_two_hands_mrtk273.bin")


def import_onto(rig: Rig, recording: Recording, **options: Any) -> None:
    """As a user would: the rig selected, the target Selected Armature."""
    choose(rig.thing)
    result = bpy.ops.import_anim.mrtk(filepath=str(recording.path), target="SELECTED", **options)
    assert result == {"FINISHED"} and rig.thing.animation_data.action is not None


def show(seconds: float) -> None:
    """Go to a time."""
    render = bpy.context.scene.render
    go_to(seconds * render.fps / render.fps_base)


PLAIN = Matrix.Identity(4)
FBX = Matrix.LocRotScale((0.0, 0.0, 0.0), Quaternion((1, 0, 0), math.radians(90)), (0.01, 0.01, 0.01))
ELSEWHERE = Matrix.LocRotScale((2.0, -3.0, 0.5), Quaternion((0.2, 0.3, 1.0), 2.1), (1.7, 1.7, 1.7))


def largest_error(rig: Rig, recording: Recording, side: str, seconds: float) -> float:
    """Degrees between what a finger's segments point along, and the line from joint to joint in the file."""
    show(seconds)
    errors = []
    for finger, joints in MRTK.items():
        places = [recording.place(side, joint, seconds) for joint in joints]
        heads = [rig.head(side, finger, segment) for segment in (1, 2, 3, 4)]
        errors += [degrees_between(heads[i + 1] - heads[i], places[i + 1] - places[i]) for i in range(3)]
    return max(errors)


def test_a_hand_on_an_arm_only_turns_unless_told(two_hands: Recording) -> None:
    for follow, leaves in (("AUTO", False), ("NEVER", False), ("ALWAYS", True)):
        rig = build(mixamo, FBX, connected=False)
        import_onto(rig, two_hands, follow_place=follow)
        for side in "LR":
            time = two_hands.times(side)[12]
            show(time)
            expected = two_hands.place(side, "Wrist", time) if leaves else WRISTS[side]
            assert np.abs(rig.head(side, "", 0) - expected).max() < 1e-4, follow
            assert largest_error(rig, two_hands, side, time) < 0.05
    assert "along each axis" not in text_of_report()
    rig.thing.scale.x *= 1.5
    import_onto(rig, two_hands)
    assert "along each axis" in text_of_report()


# --- Where the hand is -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("world", [PLAIN, FBX, ELSEWHERE])
def test_a_hand_without_an_arm_goes_where_the_wrist_is(two_hands: Recording, world: Matrix) -> None:
    rig = build(humanoid, world)
    import_onto(rig, two_hands)
    for side in "LR":
        for time in two_hands.times(side)[::8]:
            show(time)
            assert np.abs(rig.head(side, "", 0) - two_hands.place(side, "Wrist", time)).max() < 1e-4
    still = build(humanoid, world)
    import_onto(still, two_hands, follow_place="NEVER")
    show(3.0)
    assert np.abs(still.head("L", "", 0) - WRISTS["L"]).max() < 1e-4


def text_of_report() -> str:
    """The body of the newest Text."""
    return str(max(bpy.data.texts, key=lambda text: text.name).as_string())


@pytest.mark.parametrize("shown", ["POSE", "REST"])
def test_a_connected_hand_is_told_to_stay_on_an_arm_that_may_be_posed_or_led_before(
    shown: Any, two_hands: Recording
) -> None:
    rig = build(mixamo, FBX)
    rig.thing.data.pose_position = shown
    for number, bone in enumerate(("LeftArm", "LeftForeArm", "RightArm")):
        rig.thing.pose.bones[bone].rotation_mode = "XYZ"
        rig.thing.pose.bones[bone].rotation_euler = (0.3 + number, -0.8, 0.2)
    led = rig.thing.pose.bones["RightForeArm"].constraints.new("IK")
    led.target, led.chain_count = add("Goal"), 2
    led.target.location = (0.5, -0.2, 1.3)
    bpy.context.view_layer.update()
    import_onto(rig, two_hands, follow_place="ALWAYS")
    assert "mixamorig:LeftHand is connected to its parent" in text_of_report()
    assert rig.thing.data.pose_position == shown
    rig.thing.data.pose_position = "POSE"
    for side in "LR":
        assert largest_error(rig, two_hands, side, two_hands.times(side)[20]) < 0.05


def test_a_recordings_own_joints_play_from_where_they_stand_or_where_the_file_has_them(two_hands: Recording) -> None:
    bpy.ops.import_anim.mrtk(filepath=str(two_hands.path))
    own = bpy.context.view_layer.objects.active
    time = two_hands.times("L")[20]
    for fit, place in (("FOLLOW", Matrix.Translation((2.0, -3.0, 0.5))), ("EXACT", PLAIN)):
        own.matrix_world = Matrix.Translation((2.0, -3.0, 0.5))
        bpy.context.view_layer.update()
        import_onto(Rig(own, mixamo), two_hands, fit=fit)
        assert ("Exact Place plays it where the file has it" in text_of_report()) == (fit == "FOLLOW")
        show(time)
        for joint in ("Wrist", "IndexTip"):
            found = own.matrix_world @ own.pose.bones[f"{joint}.L"].head
            assert np.abs(found - place @ Vector(two_hands.place("L", joint, time))).max() < 1e-3


def test_a_table_from_the_disk_says_which_bone_is_meant(two_hands: Recording, tmp_path: Path) -> None:
    """Names that no rule could guess."""
    rig = build(lambda *place: f"b{hash(place)}", FBX)
    pairs = {"Wrist.L": rig.name("L", "", 0)}
    for finger, joints in MRTK.items():
        pairs |= {f"{joint}.L": rig.name("L", finger, segment) for segment, joint in enumerate(joints[:3], 1)}
    table = tmp_path / "odd rig.json"
    table.write_text(json.dumps({"kind": "anim_curves_names", "names": pairs}), encoding="utf-8")
    import_onto(rig, two_hands, name_table=str(table))
    assert largest_error(rig, two_hands, "L", two_hands.times("L")[25]) < 0.05
