"""How the parts of a body are named elsewhere, how they hang on each other, and how long they usually are: as data.

`{side}` stands for the scheme's word for left or right. Several names of one part are parted by bars, parts by commas;
a part that a scheme has not is empty.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .hand_schemes import CONTROLS, DEFORM

TRUNK = ("hips", "spine", "chest", "upper chest", "neck", "head", "root")
LIMBS = ("shoulder", "upper arm", "lower arm", "wrist", "upper leg", "lower leg", "foot", "toes", "eye")

ABOVE = {
    "hips": "root",
    "spine": "hips",
    "chest": "spine",
    "upper chest": "chest",
    "neck": "upper chest",
    "head": "neck",
    "shoulder": "upper chest",
    "upper arm": "shoulder",
    "lower arm": "upper arm",
    "wrist": "lower arm",
    "upper leg": "hips",
    "lower leg": "upper leg",
    "foot": "lower leg",
    "toes": "foot",
    "eye": "head",
}
"""What each part hangs on, or on what that hangs on where it is missing."""

FINGERS = ("thumb", "index", "middle", "ring", "pinky")

PLACES = {
    "hips": (0.0, 0.95, 0.0),
    "spine": (0.0, 0.1, 0.0),
    "chest": (0.0, 0.14, 0.0),
    "upper chest": (0.0, 0.12, 0.0),
    "neck": (0.0, 0.16, 0.0),
    "head": (0.0, 0.09, 0.0),
    "shoulder": (0.03, 0.12, 0.0),
    "upper arm": (0.13, 0.0, 0.0),
    "lower arm": (0.28, 0.0, 0.0),
    "wrist": (0.26, 0.0, 0.0),
    "upper leg": (0.09, -0.05, 0.0),
    "lower leg": (0.0, -0.42, 0.0),
    "foot": (0.0, -0.4, 0.0),
    "toes": (0.0, -0.06, 0.13),
    "eye": (0.03, 0.07, 0.08),
    "thumb": (0.02, 0.0, 0.02),
    "index": (0.08, 0.0, 0.025),
    "middle": (0.085, 0.0, 0.0),
    "ring": (0.08, 0.0, -0.02),
    "pinky": (0.075, 0.0, -0.04),
}
"""Metres to the left, up and forward from what each part hangs on, of arms held out; fingers from the wrist."""

LENGTHS = {"head": 0.2, "wrist": 0.17, "foot": 0.16, "toes": 0.06, "eye": 0.03}
"""Metres of parts at which nothing hangs."""

PHALANX = 0.03
"""Metres of a finger's bone."""

AHEAD = (
    "spine",
    "chest",
    "upper chest",
    "neck",
    "head",
    "lower arm",
    "wrist",
    "lower leg",
    "foot",
    "toes",
    "upper arm",
)
"""Parts towards which the limb that carries them points, whatever else hangs on it."""


@dataclass(frozen=True)
class Body:
    """Names of the parts of a body, in the order of TRUNK and of LIMBS.

    Attributes:
        sides, suffix, family, layer: as those of a `Scheme` of hands.
    """

    name: str
    trunk: str
    limbs: str
    sides: tuple[str, str] = ("Left", "Right")
    suffix: bool = False
    family: str = ""
    layer: str = ""

    def patterns(self) -> Iterator[tuple[str, str]]:
        """Yield part and name, with the side still open."""
        for parts, names in ((TRUNK, self.trunk), (LIMBS, self.limbs)):
            yield from zip(parts, map(str.strip, names.split(",")))


_LETTERS = ("L", "R")

BODIES = (
    Body(
        "Unity, VRM",
        "Hips, Spine, Chest, UpperChest, Neck, Head, Root|Armature",
        "{side}Shoulder, {side}UpperArm, {side}LowerArm, {side}Hand, {side}UpperLeg, {side}LowerLeg, {side}Foot, "
        "{side}Toes|{side}Toe, {side}Eye",
    ),
    Body(
        "VRChat",
        "Hips, Spine, Chest, UpperChest, Neck, Head, Root|Armature",
        "{side}Shoulder, {side}Arm, {side}Elbow, {side}Wrist, {side}Leg, {side}Knee, {side}Ankle, {side}Toe, Eye{side}",
    ),
    Body(
        "VRoid",
        "J_Bip_C_Hips, J_Bip_C_Spine, J_Bip_C_Chest, J_Bip_C_UpperChest, J_Bip_C_Neck, J_Bip_C_Head, Root",
        "J_Bip_{side}_Shoulder, J_Bip_{side}_UpperArm, J_Bip_{side}_LowerArm, J_Bip_{side}_Hand, "
        "J_Bip_{side}_UpperLeg, J_Bip_{side}_LowerLeg, J_Bip_{side}_Foot, J_Bip_{side}_ToeBase, "
        "J_Adj_{side}_FaceEye",
        _LETTERS,
    ),
    Body(
        "Mixamo",
        "Hips, Spine, Spine1, Spine2, Neck, Head, Armature",
        "{side}Shoulder, {side}Arm, {side}ForeArm, {side}Hand, {side}UpLeg, {side}Leg, {side}Foot, {side}ToeBase, "
        "{side}Eye",
        suffix=True,
    ),
    Body(
        "Unreal",
        "pelvis, spine_01, spine_02, spine_03, neck_01, head, root",
        "clavicle_{side}, upperarm_{side}, lowerarm_{side}, hand_{side}, thigh_{side}, calf_{side}, foot_{side}, "
        "ball_{side}",
        _LETTERS,
    ),
    Body(
        "Rigify",
        "spine, spine.001, spine.002, spine.003, spine.004, spine.006, root",
        "shoulder.{side}, upper_arm.{side}, forearm.{side}, hand.{side}, thigh.{side}, shin.{side}, foot.{side}, "
        "toe.{side}, eye.{side}",
        _LETTERS,
        family="Rigify",
    ),
    Body(
        "Rigify controls",
        "torso, spine_fk.001, spine_fk.002, spine_fk.003, neck, head, root",
        "shoulder.{side}, upper_arm_fk.{side}, forearm_fk.{side}, hand_fk.{side}, thigh_fk.{side}, shin_fk.{side}, "
        "foot_fk.{side}, toe_fk.{side}|toe.{side}",
        _LETTERS,
        family="Rigify",
        layer=CONTROLS,
    ),
    Body(
        "Rigify deform",
        "DEF-spine, DEF-spine.001, DEF-spine.002, DEF-spine.003, DEF-spine.004, DEF-spine.006, root",
        "DEF-shoulder.{side}, DEF-upper_arm.{side}, DEF-forearm.{side}, DEF-hand.{side}, DEF-thigh.{side}, "
        "DEF-shin.{side}, DEF-foot.{side}, DEF-toe.{side}",
        _LETTERS,
        family="Rigify",
        layer=DEFORM,
    ),
)
