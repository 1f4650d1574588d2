"""Recordings and clips onto rigs that somebody else built: other names, rests, rolls, sizes, units and axes.

What is expected comes from the file's numbers alone: where the joints of a recording are, and how they are turned.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from cases import slow_but
from hand_rigs import MRTK, degrees_between, mixamo
from in_blender import add, choose, editing
from scenes.players.mrtk import Player
from textbook import expected_world

bpy = pytest.importorskip("bpy")
from mathutils import Matrix, Quaternion, Vector  # noqa: E402

Maker = Callable[..., Any]

BASES = {
    "Thumb": ((0.03, -0.022, -0.012), (0.65, -0.72, -0.25)),
    "Index": ((0.088, -0.027, 0.002), (1.0, -0.06, 0.0)),
    "Middle": ((0.091, -0.005, 0.004), (1.0, 0.0, 0.0)),
    "Ring": ((0.086, 0.016, 0.002), (1.0, 0.05, 0.0)),
    "Pinky": ((0.078, 0.034, -0.002), (1.0, 0.12, -0.03)),
}
"""Where a finger begins and points in a T-pose: along X, palm down, thumb forward (-Y); metres from the wrist."""

LENGTHS = {"Thumb": 0.031, "Index": 0.029, "Middle": 0.032, "Ring": 0.03, "Pinky": 0.023}
ELBOW, SHOULDER = (-0.25, 0.0, 0.0), (-0.5, 0.0, 0.02)
WRIST = np.array((0.72, 0.03, 1.41))


@dataclass
class Naming:
    """How a kind of rig calls its bones; segment 0 of no finger is the hand."""

    of: Callable[[str, str, int], str]
    segments: int
    arm: tuple[str, str] | None


def vroid_name(side: str, finger: str, segment: int) -> str:
    """`J_Bip_L_Index1`."""
    finger = {"Pinky": "Little"}.get(finger, finger)
    return f"J_Bip_{side}_{finger}{segment}" if segment else f"J_Bip_{side}_Hand"


def humanoid_name(side: str, finger: str, segment: int) -> str:
    """VRM's own names, `leftIndexProximal`; the thumb of VRM 1 begins with the metacarpal."""
    own = {"L": "left", "R": "right"}[side]
    if not segment:
        return own + "Hand"
    parts = ("Metacarpal", "Proximal", "Distal") if finger == "Thumb" else ("Proximal", "Intermediate", "Distal")
    return own + {"Pinky": "Little"}.get(finger, finger) + parts[segment - 1]


MIXAMO = Naming(mixamo, 4, ("Arm", "ForeArm"))
VROID = Naming(vroid_name, 3, ("UpperArm", "LowerArm"))
HUMANOID = Naming(humanoid_name, 3, None)


@dataclass
class Rig:
    """An armature object with two hands."""

    thing: Any
    naming: Naming
    bones: dict[tuple[str, str, int], str] = field(default_factory=dict)

    def head(self, side: str, finger: str, segment: int) -> Any:
        """(3,) world place of a posed bone's head; one segment too many gives the last one's tail."""
        name = self.bones.get((side, finger, segment))
        if name is not None:
            return np.array(self.thing.matrix_world @ self.thing.pose.bones[name].head)
        last = self.thing.pose.bones[self.bones[side, finger, segment - 1]]
        return np.array(self.thing.matrix_world @ last.tail)

    def turn(self, bone: str) -> Any:
        """(3, 3) rotation of a posed bone in the world."""
        return np.array((self.thing.matrix_world @ self.thing.pose.bones[bone].matrix).to_quaternion().to_matrix())


def build(naming: Naming, world: Matrix, *, sides: str = "LR", connected: bool = True) -> Rig:
    """A rig in T-pose whose object stands at `world`, every bone rolled otherwise."""
    rig = Rig(add("Rig", bpy.data.armatures.new("Rig")), naming)
    rig.thing.matrix_world = world
    with editing(rig.thing):
        for side in sides:
            _add_side(rig, side, connected)
    bpy.context.view_layer.update()
    return rig


def _add_side(rig: Rig, side: str, connected: bool) -> None:
    to_rig = rig.thing.matrix_world.inverted()
    mirror = np.array((1.0 if side == "L" else -1.0, 1.0, 1.0))

    def add(name: str, start: Any, end: Any, parent: Any, *, connect: bool) -> Any:
        bone = rig.thing.data.edit_bones.new(name)
        bone.head, bone.tail = (to_rig @ Matrix.Translation(place * mirror).translation for place in (start, end))
        bone.roll = 0.4 * len(rig.thing.data.edit_bones) - 2.0
        bone.parent, bone.use_connect = parent, connect and parent is not None
        return bone

    parent = None
    if rig.naming.arm is not None:
        words = ("Left", "Right")["LR".index(side)]
        shoulder, elbow = WRIST + SHOULDER, WRIST + ELBOW
        parent = add(words + rig.naming.arm[0], shoulder, elbow, None, connect=False)
        parent = add(words + rig.naming.arm[1], elbow, WRIST, parent, connect=connected)
    rig.bones[side, "", 0] = rig.naming.of(side, "", 0)
    hand = add(rig.bones[side, "", 0], WRIST, WRIST + np.array((0.08, 0.0, 0.0)), parent, connect=connected)
    for finger, (base, along) in BASES.items():
        step = np.array(along) / np.linalg.norm(along) * LENGTHS[finger]
        bone, start = hand, WRIST + base
        for segment in range(1, rig.naming.segments + 1):
            name = rig.bones[side, finger, segment] = rig.naming.of(side, finger, segment)
            bone = add(name, start, start + step, bone, connect=connected and segment > 1)
            start = start + step


class Recording(Player):
    """What a file says in the end, in Blender's axes: Unity's y is Blender's z, and the other way round."""

    def __init__(self, path: Path) -> None:
        super().__init__(path.read_bytes())
        self.path = path

    def place(self, side: str, joint: str, seconds: float) -> Any:
        """(3,) where a joint is."""
        return self.pose(f"{joint}.{side}", seconds)[0][[0, 2, 1]]

    def turn(self, side: str, joint: str, seconds: float) -> Any:
        """(3, 3) how a joint is turned."""
        x, y, z, w = self.pose(f"{joint}.{side}", seconds)[1]
        return np.array(Quaternion((w, -x, -z, -y)).to_matrix())

    def times(self, side: str, *joints: str) -> list[float]:
        """Key times of joints, of the wrist if none is named."""
        hand = self.recording[{"L": "jointsLeft", "R": "jointsRight"}[side]]
        return sorted(
            {key[0] for joint in joints or ["Wrist"] for curve in hand[joint].values() for key in curve["keys"]}
        )


@pytest.fixture
def two_hands(extension: ModuleType, data: Path) -> Recording:
    """Ten seconds of two hands, version 1.1: sparse keys, sensor noise."""
    return Recording(data / "mrtk" / "v11_recorder_10s_two_hands_mrtk273.bin")


@pytest.fixture
def left_hand(extension: ModuleType, data: Path) -> Recording:
    """Three seconds of a left hand, version 1.0: a key at every frame."""
    return Recording(data / "mrtk" / "v10_recorder_3s_left_hand.bin")


def import_onto(rig: Rig, recording: Recording, **options: Any) -> None:
    """As a user would: the rig selected, the target Selected Armature."""
    choose(rig.thing)
    result = bpy.ops.import_anim.mrtk(filepath=str(recording.path), target="SELECTED", **options)
    assert result == {"FINISHED"} and rig.thing.animation_data.action is not None


def show(seconds: float) -> None:
    """Go to a time."""
    render = bpy.context.scene.render
    frame = seconds * render.fps / render.fps_base
    bpy.context.scene.frame_set(math.floor(frame), subframe=frame - math.floor(frame))


def degrees_of(turn: Any) -> float:
    """Angle of a (3, 3) rotation."""
    return math.degrees(Matrix(turn.tolist()).to_quaternion().angle)


def normal(wrist: Any, index: Any, pinky: Any) -> Any:
    """Of the plane through wrist and knuckles."""
    return np.cross(index - wrist, pinky - wrist)


PLAIN = Matrix.Identity(4)
FBX = Matrix.LocRotScale((0.0, 0.0, 0.0), Quaternion((1, 0, 0), math.radians(90)), (0.01, 0.01, 0.01))
ELSEWHERE = Matrix.LocRotScale((2.0, -3.0, 0.5), Quaternion((0.2, 0.3, 1.0), 2.1), (1.7, 1.7, 1.7))
RIGS = [
    pytest.param(MIXAMO, FBX, id="Mixamo in centimetres, Y up"),
    pytest.param(MIXAMO, PLAIN, id="Mixamo in metres"),
    pytest.param(VROID, ELSEWHERE, id="VRoid somewhere"),
    pytest.param(HUMANOID, PLAIN, id="VRM humanoid, hands only"),
    pytest.param(HUMANOID, FBX @ ELSEWHERE, id="VRM humanoid anyhow"),
]


def largest_error(rig: Rig, recording: Recording, side: str, seconds: float) -> float:
    """Degrees between what a finger's segments point along, and the line from joint to joint in the file."""
    show(seconds)
    errors = []
    for finger, joints in MRTK.items():
        places = [recording.place(side, joint, seconds) for joint in joints]
        heads = [rig.head(side, finger, segment) for segment in (1, 2, 3, 4)]
        errors += [degrees_between(heads[i + 1] - heads[i], places[i + 1] - places[i]) for i in range(3)]
    return max(errors)


@pytest.mark.parametrize(("naming", "world"), slow_but(RIGS[::2], RIGS))
def test_fingers_point_where_the_recorded_ones_do(two_hands: Recording, naming: Naming, world: Matrix) -> None:
    """The hands turn as the recorded wrists, and all lengths stay the rig's own."""
    rig = build(naming, world)
    import_onto(rig, two_hands)
    for side in "LR":
        times = two_hands.times(side)
        assert max(largest_error(rig, two_hands, side, time) for time in times[:: len(times) // 12]) < 0.05
        between = np.linspace(times[0], times[-1], 25)
        assert max(largest_error(rig, two_hands, side, time) for time in between) < 1.0
        assert_turns(rig, two_hands, side)
    show(4.2)
    for side in "LR":
        for finger, length in LENGTHS.items():
            for segment in range(1, 4):
                found = rig.head(side, finger, segment + 1) - rig.head(side, finger, segment)
                assert np.linalg.norm(found) == pytest.approx(length, rel=1e-4)
            across = rig.head(side, finger, 1) - rig.head(side, "", 0)
            assert np.linalg.norm(across) == pytest.approx(np.linalg.norm(BASES[finger][0]), rel=1e-4)
    assert {tuple(bone.scale) for bone in rig.thing.pose.bones} == {(1.0, 1.0, 1.0)}


def assert_turns(rig: Rig, recording: Recording, side: str) -> None:
    """A hand turns exactly as the wrist from one key to another: what lies between them in the wrist's axes stays."""
    between = []
    for time in recording.times(side)[::4]:
        show(time)
        wrist, index, pinky = (rig.head(side, *place) for place in (("", 0), ("Index", 1), ("Pinky", 1)))
        recorded = normal(*(recording.place(side, joint, time) for joint in ("Wrist", "IndexKnuckle", "PinkyKnuckle")))
        assert degrees_between(normal(wrist, index, pinky), recorded) < 4.0
        turn = recording.turn(side, "Wrist", time)
        between.append(turn.T @ rig.turn(rig.bones[side, "", 0]))
    assert max(degrees_of(found @ between[0].T) for found in between) < 0.05


@pytest.mark.parametrize("naming", [MIXAMO, VROID])
def test_the_backs_of_the_fingers_face_as_recorded(two_hands: Recording, naming: Naming) -> None:
    """Up at rest is the back of the hand; so it is in the file, where +Z of a joint is (Unity's +Y)."""
    rig = build(naming, PLAIN)
    import_onto(rig, two_hands)
    for side in "LR":
        for finger in ("Index", "Middle", "Ring", "Pinky"):
            for segment, joint in enumerate(MRTK[finger][:3], 1):
                bone = rig.bones[side, finger, segment]
                rest = np.array(rig.thing.data.bones[bone].matrix_local.to_3x3())
                for time in two_hands.times(side)[5::9]:
                    show(time)
                    back = rig.turn(bone) @ rest.T @ (0.0, 0.0, 1.0)
                    assert degrees_between(back, two_hands.turn(side, joint, time)[:, 2]) < 6.0, (side, joint)


def test_a_hand_on_an_arm_only_turns_unless_told(two_hands: Recording) -> None:
    for follow, leaves in (("AUTO", False), ("NEVER", False), ("ALWAYS", True)):
        rig = build(MIXAMO, FBX, connected=False)
        import_onto(rig, two_hands, follow_place=follow)
        for side in "LR":
            time = two_hands.times(side)[12]
            show(time)
            mirror = (1.0 if side == "L" else -1.0, 1.0, 1.0)
            expected = two_hands.place(side, "Wrist", time) if leaves else WRIST * mirror
            assert np.abs(rig.head(side, "", 0) - expected).max() < 1e-4, follow
            assert largest_error(rig, two_hands, side, time) < 0.05


# --- Where the hand is -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("world", [PLAIN, FBX, ELSEWHERE])
def test_a_hand_without_an_arm_goes_where_the_wrist_is(two_hands: Recording, world: Matrix) -> None:
    rig = build(HUMANOID, world)
    import_onto(rig, two_hands)
    for side in "LR":
        for time in two_hands.times(side)[::8]:
            show(time)
            assert np.abs(rig.head(side, "", 0) - two_hands.place(side, "Wrist", time)).max() < 1e-4
    still = build(HUMANOID, world)
    import_onto(still, two_hands, follow_place="NEVER")
    show(3.0)
    assert np.abs(still.head("L", "", 0) - WRIST).max() < 1e-4


def text_of_report() -> str:
    """The body of the newest Text."""
    return str(max(bpy.data.texts, key=lambda text: text.name).as_string())


def test_a_connected_hand_is_told_that_it_cannot_leave(two_hands: Recording) -> None:
    rig = build(MIXAMO, PLAIN)
    import_onto(rig, two_hands, follow_place="ALWAYS")
    assert "mixamorig:LeftHand is connected to its parent" in text_of_report()


def test_an_arm_may_be_posed_before(two_hands: Recording) -> None:
    rig = build(MIXAMO, FBX)
    for number, bone in enumerate(("LeftArm", "LeftForeArm", "RightArm")):
        rig.thing.pose.bones[bone].rotation_mode = "XYZ"
        rig.thing.pose.bones[bone].rotation_euler = (0.3 + number, -0.8, 0.2)
    import_onto(rig, two_hands)
    for side in "LR":
        assert largest_error(rig, two_hands, side, two_hands.times(side)[20]) < 0.05


def test_a_recordings_own_joints_play_from_where_they_stand_or_where_the_file_has_them(two_hands: Recording) -> None:
    bpy.ops.import_anim.mrtk(filepath=str(two_hands.path))
    own = bpy.context.view_layer.objects.active
    time = two_hands.times("L")[20]
    for fit, place in (("FOLLOW", Matrix.Translation((2.0, -3.0, 0.5))), ("EXACT", PLAIN)):
        own.matrix_world = Matrix.Translation((2.0, -3.0, 0.5))
        bpy.context.view_layer.update()
        import_onto(Rig(own, MIXAMO), two_hands, fit=fit)
        assert ("Exact Place plays it where the file has it" in text_of_report()) == (fit == "FOLLOW")
        show(time)
        for joint in ("Wrist", "IndexTip"):
            found = own.matrix_world @ own.pose.bones[f"{joint}.L"].head
            assert np.abs(found - place @ Vector(two_hands.place("L", joint, time))).max() < 1e-3


def test_a_table_from_the_disk_says_which_bone_is_meant(two_hands: Recording, tmp_path: Path) -> None:
    """Names that no rule could guess."""
    numbers: dict[str, int] = {}
    odd = Naming(lambda *place: f"b{numbers.setdefault(str(place), len(numbers)):02}", 3, None)
    rig = build(odd, FBX, sides="L")
    pairs = {"Wrist.L": rig.bones["L", "", 0]}
    for finger, joints in MRTK.items():
        pairs |= {f"{joint}.L": rig.bones["L", finger, segment] for segment, joint in enumerate(joints[:3], 1)}
    table = tmp_path / "odd rig.json"
    table.write_text(json.dumps({"kind": "anim_curves_names", "names": pairs}), encoding="utf-8")
    import_onto(rig, two_hands, name_table=str(table))
    assert largest_error(rig, two_hands, "L", two_hands.times("L")[25]) < 0.05


# --- Clips with a rest pose --------------------------------------------------------------------------------------


def rolled(rig: Any) -> None:
    """Give every bone another roll and direction, its head where it was."""
    with editing(rig) as bones:
        for number, bone in enumerate(bones):
            head, length = bone.head.copy(), bone.length
            bone.tail = head + Matrix.Rotation(1.0 + number, 3, "X") @ Matrix.Rotation(0.7, 3, "Z").col[1] * length
            bone.roll = 0.3 - 0.5 * number


@pytest.mark.parametrize("stands", ["as the file's", "Y up and in centimetres", "laid down"])
def test_each_bone_leaves_its_rest_as_the_file_says(
    make_clip: Maker, bring_in: Maker, rooms: SimpleNamespace, stands: str
) -> None:
    """The motion away from the rest pose, as the world sees it, is the file's: whatever is skinned follows rightly.

    A figure that a person has laid down lies.
    """
    walk = make_clip("WALK")
    rig = bring_in(make_clip("IDLE")).rig
    rolled(rig)
    seen = Matrix.Rotation(-1.5, 4, "X") if stands == "laid down" else PLAIN
    rig.matrix_world = seen.inverted()
    if stands == "Y up and in centimetres":
        turned = Matrix(FBX)
        rig.data.transform(turned.inverted())
        rig.matrix_world = turned
    bpy.context.view_layer.update()
    rests = {bone.name: np.array(seen @ rig.matrix_world @ bone.matrix_local) for bone in rig.data.bones}
    applied = bring_in(walk, target="SELECTED")
    assert applied.rig == rig
    own_rests = expected_world(walk)
    for key in range(5):
        show(key / 30)
        for name, there in expected_world(walk, key).items():
            left = there @ np.linalg.inv(own_rests[name])
            found = np.array(seen @ rig.matrix_world @ rig.pose.bones[name].matrix) @ np.linalg.inv(rests[name])
            assert np.abs(found - left).max() < 1e-4, (name, key)
    assert rooms.provenance.find(applied.actions[0]).placement.rebased


def test_poses_without_a_rest_take_the_rigs_parents(make_clip: Maker, bring_in: Maker, rooms: SimpleNamespace) -> None:
    """AnimX tells each bone's full pose relative to its parent: on other rolls the world motion is the same."""
    rig = bring_in(make_clip("IDLE")).rig
    rolled(rig)
    flat = make_clip("WALK", parents_known=False)
    parents = {node.name: node.parent for node in flat.nodes}
    flat.nodes = [rooms.clip.Node(node.name) for node in flat.nodes]
    bring_in(flat, target="SELECTED")
    chain = replace(flat, nodes=[replace(node, parent=parents[node.name]) for node in flat.nodes])
    for key in range(5):
        show(key / 30)
        for name, there in expected_world(chain, key).items():
            assert np.abs(np.array(rig.pose.bones[name].matrix) - there).max() < 1e-4, (name, key)
