"""How hands and bodies are named elsewhere, and how long their parts usually are: as data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

CONTROLS = "CONTROLS"
DEFORM = "DEFORM"
ENGLISH = ("index", "middle", "ring", "pinky")
TRUNK = ("hips", "spine", "chest", "upper chest", "neck", "head", "root")
LIMBS = ("shoulder", "upper arm", "lower arm", "wrist", "upper leg", "lower leg", "foot", "toes", "eye")


class Scheme(NamedTuple):
    """What some program calls the joints of a hand or the parts of a body.

    Attributes:
        parts: each, and its name with the side still open.
        sides: how left and right are written; empty for hands that name no side.
        suffix: the bones may have more words before these.
        family: rigs that hold the same hand or body more than once; `layer` tells what for.
    """

    name: str
    parts: tuple[tuple[str, str], ...]
    sides: tuple[str, ...]
    suffix: bool
    family: str
    layer: str


Parts = Callable[[list[str], list[str], tuple[str, ...]], Iterator[tuple[str, str]]]
"""Yields parts and their names for two lines of a table, and what the fingers are called."""


def _read(table: str, sides: tuple[str, ...], parts: Parts) -> Iterator[Scheme]:
    """Yield the schemes of a table: three lines each, of which the first says what is not usual."""
    lines = iter(table.strip().splitlines())
    for head, *names in zip(lines, lines, lines):
        name, *more = map(str.strip, head.split(";"))
        said = {key: tuple(words.split()) for key, _, words in (each.partition(" ") for each in more)}
        first, second = ([one.strip() for one in line.split(",")] for line in names)
        family, layer = (" ".join(said.get(key, ())) for key in ("family", "layer"))
        found = tuple(parts(first, second, said.get("fingers", ENGLISH)))
        yield Scheme(name, found, said.get("sides", sides), "suffix" in said, family, layer)


def _joints(thumb: list[str], finger: list[str], fingers: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    yield "wrist", thumb[0]
    yield from ((f"thumb {number}", pattern) for number, pattern in enumerate(thumb[1:], 1))
    for count, (name, own) in enumerate(zip(ENGLISH, fingers, strict=True), 1):
        for number, pattern in enumerate(finger):
            made = (pattern.format(side="{side}", finger=word, number=count, next=count + 1) for word in own.split("|"))
            yield f"{name} {number}", "|".join(made)


def _limbs(trunk: list[str], limbs: list[str], _: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    yield from zip(TRUNK, trunk)
    yield from zip(LIMBS, limbs)


# How hands are named elsewhere: the wrist and the thumb (metacarpal, proximal, distal, tip), and below a finger
# (metacarpal, knuckle, middle joint, distal joint, tip).
#
# `{side}` is the scheme's word for left or right, `{finger}` that of a finger, `{number}` counts the fingers from the
# index 1 to the pinky 4, `{next}` from 2 to 5. Several names of one joint are parted by bars; a joint that a scheme has
# not is empty. A rig has the scheme that most of its bones follow; those of plain words, and numbers from 1 on, are
# read without. "Middel" is spelt so in Microsoft's model; a thumb's knuckle of visionOS is where its metacarpal begins.

SCHEMES = tuple(
    _read(
        """
    MRTK
        Wrist.{side}, ThumbMetacarpalJoint.{side}|ThumbMetacarpal.{side}, ThumbProximalJoint.{side}, ThumbDistalJoint.{side}, ThumbTip.{side}
        {finger}Metacarpal.{side}, {finger}Knuckle.{side}, {finger}MiddleJoint.{side}, {finger}DistalJoint.{side}, {finger}Tip.{side}
    MRTK hand coach; fingers Point Middle|Middel Ring Pinky
        Wrist{side}_JNT, Thumb{side}_JNT1, Thumb{side}_JNT2, Thumb{side}_JNT3, Thumb{side}_JNT3_end
        {finger}{side}_JNT, {finger}{side}_JNT1, {finger}{side}_JNT2, {finger}{side}_JNT3, {finger}{side}_JNT3_end
    SteamVR
        wrist_{side}, finger_thumb_0_{side}, finger_thumb_1_{side}, finger_thumb_2_{side}, finger_thumb_{side}_end
        finger_{finger}_meta_{side}, finger_{finger}_0_{side}, finger_{finger}_1_{side}, finger_{finger}_2_{side}, finger_{finger}_{side}_end
    HumanIK, Mixamo; sides left right; suffix
        {side}Hand, {side}HandThumb1, {side}HandThumb2, {side}HandThumb3, {side}HandThumb4
        {side}InHand{finger}, {side}Hand{finger}1, {side}Hand{finger}2, {side}Hand{finger}3, {side}Hand{finger}4
    Unreal
        hand_{side}, thumb_01_{side}, thumb_02_{side}, thumb_03_{side},
        {finger}_metacarpal_{side}, {finger}_01_{side}, {finger}_02_{side}, {finger}_03_{side},
    Daz; fingers index mid ring pinky
        {side}Hand, {side}Thumb1, {side}Thumb2, {side}Thumb3,
        {side}Carpal{number}|{side}_{finger}metacarpal, {side}{finger}1, {side}{finger}2, {side}{finger}3,
    3ds Max Biped; suffix
        {side} Hand, {side} Finger0, {side} Finger01, {side} Finger02, {side} Finger0Nub
        , {side} Finger{number}, {side} Finger{number}1, {side} Finger{number}2, {side} Finger{number}Nub
    Rigify deform; family Rigify; layer DEFORM
        DEF-hand.{side}, DEF-thumb.01.{side}, DEF-thumb.02.{side}, DEF-thumb.03.{side},
        DEF-palm.0{number}.{side}, DEF-f_{finger}.01.{side}, DEF-f_{finger}.02.{side}, DEF-f_{finger}.03.{side},
    Rigify controls; family Rigify; layer CONTROLS
        hand_fk.{side}, thumb.01.{side}, thumb.02.{side}, thumb.03.{side},
        palm.0{number}.{side}, f_{finger}.01.{side}, f_{finger}.02.{side}, f_{finger}.03.{side},
    Rigify ORG-; family Rigify
        ORG-hand.{side}, ORG-thumb.01.{side}, ORG-thumb.02.{side}, ORG-thumb.03.{side},
        ORG-palm.0{number}.{side}, ORG-f_{finger}.01.{side}, ORG-f_{finger}.02.{side}, ORG-f_{finger}.03.{side},
    Rigify metarig; family Rigify
        hand.{side}, thumb.01.{side}, thumb.02.{side}, thumb.03.{side},
        palm.0{number}.{side}, f_{finger}.01.{side}, f_{finger}.02.{side}, f_{finger}.03.{side},
    Auto-Rig Pro deform; family Auto-Rig Pro; layer DEFORM
        hand.{side}, thumb1.{side}, c_thumb2.{side}, c_thumb3.{side},
        c_{finger}1_base.{side}, {finger}1.{side}, c_{finger}2.{side}, c_{finger}3.{side},
    Auto-Rig Pro controls; family Auto-Rig Pro; layer CONTROLS
        c_hand_fk.{side}, c_thumb1.{side}, c_thumb2.{side}, c_thumb3.{side},
        c_{finger}1_base.{side}, c_{finger}1.{side}, c_{finger}2.{side}, c_{finger}3.{side},
    MakeHuman
        wrist.{side}, finger1-1.{side}, finger1-2.{side}, finger1-3.{side},
        metacarpal{number}.{side}, finger{next}-1.{side}, finger{next}-2.{side}, finger{next}-3.{side},
    Leap
        {side}_Wrist, {side}_thumb_meta, {side}_thumb_a, {side}_thumb_b, {side}_thumb_end
        {side}_{finger}_meta, {side}_{finger}_a, {side}_{finger}_b, {side}_{finger}_c, {side}_{finger}_end
    Meta
        b_{side}_wrist, b_{side}_thumb1, b_{side}_thumb2, b_{side}_thumb3, b_{side}_thumb_null
        b_{side}_{finger}0, b_{side}_{finger}1, b_{side}_{finger}2, b_{side}_{finger}3, b_{side}_{finger}_null
    Meta bone names; sides
        Hand_WristRoot, Hand_Thumb1, Hand_Thumb2, Hand_Thumb3, Hand_ThumbTip
        Hand_{finger}0, Hand_{finger}1, Hand_{finger}2, Hand_{finger}3, Hand_{finger}Tip
    Meta OpenXR; fingers index middle ring little; sides
        XRHand_Wrist, XRHand_ThumbMetacarpal, XRHand_ThumbProximal, XRHand_ThumbDistal, XRHand_ThumbTip
        XRHand_{finger}Metacarpal, XRHand_{finger}Proximal, XRHand_{finger}Intermediate, XRHand_{finger}Distal, XRHand_{finger}Tip
    WebXR; sides
        wrist, thumb-metacarpal, thumb-phalanx-proximal, thumb-phalanx-distal, thumb-tip
        {finger}-finger-metacarpal, {finger}-finger-phalanx-proximal, {finger}-finger-phalanx-intermediate, {finger}-finger-phalanx-distal, {finger}-finger-tip
    ARKit; fingers index middle ring little; sides left right
        {side}Wrist|{side}Hand, {side}ThumbKnuckle, {side}ThumbIntermediateBase, {side}ThumbIntermediateTip, {side}ThumbTip
        {side}{finger}FingerMetacarpal, {side}{finger}FingerKnuckle, {side}{finger}FingerIntermediateBase, {side}{finger}FingerIntermediateTip, {side}{finger}FingerTip
    ARKit one hand; fingers index middle ring little; sides
        Wrist|Hand, ThumbKnuckle, ThumbIntermediateBase, ThumbIntermediateTip, ThumbTip
        {finger}FingerMetacarpal, {finger}FingerKnuckle, {finger}FingerIntermediateBase, {finger}FingerIntermediateTip, {finger}FingerTip
    MANO; sides
        wrist, thumb1, thumb2, thumb3,
        , {finger}1, {finger}2, {finger}3,
    MMD; fingers 人指|人差指 中指 薬指 小指; sides 左 右
        {side}手首, {side}親指0, {side}親指1, {side}親指2, {side}親指先
        , {side}{finger}1, {side}{finger}2, {side}{finger}3, {side}{finger}先
    MMD in Blender; fingers 人指|人差指 中指 薬指 小指
        手首.{side}, 親指0.{side}, 親指1.{side}, 親指2.{side}, 親指先.{side}
        , {finger}1.{side}, {finger}2.{side}, {finger}3.{side}, {finger}先.{side}
    MMD in English; fingers index middle ring little
        Wrist_{side}, Thumb0_{side}, Thumb1_{side}, Thumb2_{side}, ThumbTip_{side}
        , {finger}Finger1_{side}, {finger}Finger2_{side}, {finger}Finger3_{side}, {finger}FingerTip_{side}
    VRM 0; fingers index middle ring little; sides left right
        {side}Hand, {side}ThumbProximal, {side}ThumbIntermediate, {side}ThumbDistal,
        , {side}{finger}Proximal, {side}{finger}Intermediate, {side}{finger}Distal,
    VRM 1; fingers index middle ring little; sides left right
        {side}Hand, {side}ThumbMetacarpal, {side}ThumbProximal, {side}ThumbDistal,
        , {side}{finger}Proximal, {side}{finger}Intermediate, {side}{finger}Distal,
    HAnim
        {side}_wrist, {side}_thumb1, {side}_thumb2, {side}_thumb3,
        {side}_{finger}0, {side}_{finger}1, {side}_{finger}2, {side}_{finger}3,
    """,
        ("l", "r"),
        _joints,
    )
)


# How the parts of a body are named elsewhere, which carries which, and how long they usually are: as data.

FINGERS = ("thumb", "index", "middle", "ring", "pinky")

PARTS = {
    "hips": ("root", (0.0, 0.95, 0.0)),
    "spine": ("hips", (0.0, 0.1, 0.0)),
    "chest": ("spine", (0.0, 0.14, 0.0)),
    "upper chest": ("chest", (0.0, 0.12, 0.0)),
    "neck": ("upper chest", (0.0, 0.16, 0.0)),
    "head": ("neck", (0.0, 0.09, 0.0)),
    "shoulder": ("upper chest", (0.03, 0.12, 0.0)),
    "upper arm": ("shoulder", (0.13, 0.0, 0.0)),
    "lower arm": ("upper arm", (0.28, 0.0, 0.0)),
    "wrist": ("lower arm", (0.26, 0.0, 0.0)),
    "upper leg": ("hips", (0.09, -0.05, 0.0)),
    "lower leg": ("upper leg", (0.0, -0.42, 0.0)),
    "foot": ("lower leg", (0.0, -0.4, 0.0)),
    "toes": ("foot", (0.0, -0.06, 0.13)),
    "eye": ("head", (0.03, 0.07, 0.08)),
    "thumb": ("wrist", (0.02, 0.0, 0.02)),
    "index": ("wrist", (0.08, 0.0, 0.025)),
    "middle": ("wrist", (0.085, 0.0, 0.0)),
    "ring": ("wrist", (0.08, 0.0, -0.02)),
    "pinky": ("wrist", (0.075, 0.0, -0.04)),
}
"""What carries each part, or carries that where it is missing; and metres to the left, up and forward from there, of
arms held out."""

LENGTHS = {"head": 0.2, "wrist": 0.17, "foot": 0.16, "toes": 0.06, "eye": 0.03}
"""Metres of parts that carry nothing."""

PHALANX = 0.03
"""Metres of a finger's bone."""

AHEAD = PARTS.keys() - {"hips", "shoulder", "upper leg", "eye", *FINGERS}
"""Parts towards which the limb that carries them points, whatever else it carries."""

BODIES = tuple(
    _read(
        """
    Unity, VRM
        Hips, Spine, Chest, UpperChest, Neck, Head, Root|Armature
        {side}Shoulder, {side}UpperArm, {side}LowerArm, {side}Hand, {side}UpperLeg, {side}LowerLeg, {side}Foot, {side}Toes|{side}Toe, {side}Eye
    VRChat
        Hips, Spine, Chest, UpperChest, Neck, Head, Root|Armature
        {side}Shoulder, {side}Arm, {side}Elbow, {side}Wrist, {side}Leg, {side}Knee, {side}Ankle, {side}Toe, Eye{side}
    VRoid; sides L R
        J_Bip_C_Hips, J_Bip_C_Spine, J_Bip_C_Chest, J_Bip_C_UpperChest, J_Bip_C_Neck, J_Bip_C_Head, Root
        J_Bip_{side}_Shoulder, J_Bip_{side}_UpperArm, J_Bip_{side}_LowerArm, J_Bip_{side}_Hand, J_Bip_{side}_UpperLeg, J_Bip_{side}_LowerLeg, J_Bip_{side}_Foot, J_Bip_{side}_ToeBase, J_Adj_{side}_FaceEye
    Mixamo; suffix
        Hips, Spine, Spine1, Spine2, Neck, Head, Armature
        {side}Shoulder, {side}Arm, {side}ForeArm, {side}Hand, {side}UpLeg, {side}Leg, {side}Foot, {side}ToeBase, {side}Eye
    Unreal; sides L R
        pelvis, spine_01, spine_02, spine_03, neck_01, head, root
        clavicle_{side}, upperarm_{side}, lowerarm_{side}, hand_{side}, thigh_{side}, calf_{side}, foot_{side}, ball_{side}
    Rigify; sides L R; family Rigify
        spine, spine.001, spine.002, spine.003, spine.004, spine.006, root
        shoulder.{side}, upper_arm.{side}, forearm.{side}, hand.{side}, thigh.{side}, shin.{side}, foot.{side}, toe.{side}, eye.{side}
    By hand in Blender; sides L R
        hips|pelvis, spine, chest, upper_chest, neck, head, root
        shoulder.{side}|clavicle.{side}, upper_arm.{side}, forearm.{side}|lower_arm.{side}, hand.{side}, thigh.{side}|upper_leg.{side}, shin.{side}|lower_leg.{side}|calf.{side}, foot.{side}, toe.{side}|toes.{side}
    Rigify controls; sides L R; family Rigify; layer CONTROLS
        torso, spine_fk.001, spine_fk.002, spine_fk.003, neck, head, root
        shoulder.{side}, upper_arm_fk.{side}, forearm_fk.{side}, hand_fk.{side}, thigh_fk.{side}, shin_fk.{side}, foot_fk.{side}, toe_fk.{side}|toe.{side}
    Rigify deform; sides L R; family Rigify; layer DEFORM
        DEF-spine, DEF-spine.001, DEF-spine.002, DEF-spine.003, DEF-spine.004, DEF-spine.006, root
        DEF-shoulder.{side}, DEF-upper_arm.{side}, DEF-forearm.{side}, DEF-hand.{side}, DEF-thigh.{side}, DEF-shin.{side}, DEF-foot.{side}, DEF-toe.{side}
    """,
        ("Left", "Right"),
        _limbs,
    )
)
"""The names of TRUNK, and below those of LIMBS."""
