"""How hands and bodies are named elsewhere, and how long their parts usually are: as data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

# How hands are named elsewhere: one table for each scheme, as data.
#
# `{side}` is the scheme's word for left or right, `{finger}` that of a finger, `{number}` counts the
# fingers from the index 1 to the pinky 4, `{next}` from 2 to 5. Several names of one joint are parted by bars.

CONTROLS = "CONTROLS"
DEFORM = "DEFORM"
ENGLISH = ("index", "middle", "ring", "pinky")
_LITTLE = ("index", "middle", "ring", "little")
_MID = ("index", "mid", "ring", "pinky")
_BEFORE = ("", "1", "2", "3")
_LEFT_RIGHT = ("left", "right")


class Scheme(NamedTuple):
    """Names of the joints of a hand.

    Attributes:
        thumb: metacarpal, proximal, distal, tip; empty where the scheme has no such bone.
        finger: metacarpal, knuckle, middle joint, distal joint, tip.
        sides: how left and right are written; empty for hands that name no side.
        suffix: the bones may have more words before these.
        family: rigs that hold the same hand more than once; `layer` tells what for.
    """

    name: str
    wrist: str
    thumb: tuple[str, str, str, str]
    finger: tuple[str, str, str, str, str]
    fingers: tuple[str, str, str, str] = ENGLISH
    sides: tuple[str, ...] = ("l", "r")
    suffix: bool = False
    family: str = ""
    layer: str = ""


def _counted(prefix: str, end: str = "", metacarpal: str = "", tip: str = "") -> tuple[str, str, str, str, str]:
    """Return fingers whose bones are counted from the knuckle on."""
    one, two, three = (f"{prefix}{number}{end}" for number in _BEFORE[1:])
    return metacarpal, one, two, three, tip


def _named(prefix: str, words: str, end: str = "") -> tuple[str, str, str, str, str]:
    """Return fingers of which each bone has a word of its own, from the metacarpal to the tip."""
    metacarpal, one, two, three, tip = (f"{prefix}{word}{end}" for word in words.split())
    return metacarpal, one, two, three, tip


def _rigify(prefix: str, wrist: str, layer: str) -> Scheme:
    thumb = tuple(f"{prefix}thumb.0{number}.{{side}}" for number in _BEFORE[1:])
    return Scheme(
        f"Rigify {layer.lower()}" if layer else f"Rigify {prefix or 'metarig'}",
        wrist,
        (thumb[0], thumb[1], thumb[2], ""),
        _counted(f"{prefix}f_{{finger}}.0", ".{side}", f"{prefix}palm.0{{number}}.{{side}}"),
        family="Rigify",
        layer=layer,
    )


def _arkit(name: str, prefix: str, sides: tuple[str, ...]) -> Scheme:
    """Return the names of visionOS; a thumb's knuckle is where its metacarpal begins."""
    thumb = tuple(f"{prefix}Thumb{part}" for part in ("Knuckle", "IntermediateBase", "IntermediateTip", "Tip"))
    fingers = _named(f"{prefix}{{finger}}Finger", "Metacarpal Knuckle IntermediateBase IntermediateTip Tip")
    wrist = f"{prefix}Wrist|{prefix}Hand"
    return Scheme(name, wrist, (thumb[0], thumb[1], thumb[2], thumb[3]), fingers, _LITTLE, sides)


def _digits(name: str, fingers: tuple[str, str, str, str], sides: tuple[str, str], form: str) -> Scheme:
    """Return the Japanese names of MMD, the side before or behind."""
    thumb = tuple(form.format(f"親指{number}") for number in "012先")
    one, two, three, tip = (form.format(f"{{finger}}{number}") for number in "123先")
    wrist = form.format("手首")
    return Scheme(name, wrist, (thumb[0], thumb[1], thumb[2], thumb[3]), ("", one, two, three, tip), fingers, sides)


SCHEMES = (
    # a rig has the scheme that most of its bones follow; those of plain words, and numbers from 1 on, are read without
    Scheme(
        "MRTK",
        "Wrist.{side}",
        (
            "ThumbMetacarpalJoint.{side}|ThumbMetacarpal.{side}",
            "ThumbProximalJoint.{side}",
            "ThumbDistalJoint.{side}",
            "ThumbTip.{side}",
        ),
        _named("{finger}", "Metacarpal Knuckle MiddleJoint DistalJoint Tip", ".{side}"),
    ),
    Scheme(  # "Middel" is spelt so in Microsoft's model
        "MRTK hand coach",
        "Wrist{side}_JNT",
        ("Thumb{side}_JNT1", "Thumb{side}_JNT2", "Thumb{side}_JNT3", "Thumb{side}_JNT3_end"),
        _counted("{finger}{side}_JNT", metacarpal="{finger}{side}_JNT", tip="{finger}{side}_JNT3_end"),
        ("Point", "Middle|Middel", "Ring", "Pinky"),
    ),
    Scheme(
        "SteamVR",
        "wrist_{side}",
        ("finger_thumb_0_{side}", "finger_thumb_1_{side}", "finger_thumb_2_{side}", "finger_thumb_{side}_end"),
        _named("finger_{finger}_", "meta_{side} 0_{side} 1_{side} 2_{side} {side}_end"),
    ),
    Scheme(
        "HumanIK, Mixamo",
        "{side}Hand",
        ("{side}HandThumb1", "{side}HandThumb2", "{side}HandThumb3", "{side}HandThumb4"),
        _counted("{side}Hand{finger}", metacarpal="{side}InHand{finger}", tip="{side}Hand{finger}4"),
        sides=_LEFT_RIGHT,
        suffix=True,
    ),
    Scheme(
        "Unreal",
        "hand_{side}",
        ("thumb_01_{side}", "thumb_02_{side}", "thumb_03_{side}", ""),
        _counted("{finger}_0", "_{side}", "{finger}_metacarpal_{side}"),
    ),
    Scheme(
        "Daz",
        "{side}Hand",
        ("{side}Thumb1", "{side}Thumb2", "{side}Thumb3", ""),
        _counted("{side}{finger}", metacarpal="{side}Carpal{number}|{side}_{finger}metacarpal"),
        _MID,
    ),
    Scheme(
        "3ds Max Biped",
        "{side} Hand",
        ("{side} Finger0", "{side} Finger01", "{side} Finger02", "{side} Finger0Nub"),
        ("", "{side} Finger{number}", "{side} Finger{number}1", "{side} Finger{number}2", "{side} Finger{number}Nub"),
        suffix=True,
    ),
    _rigify("DEF-", "DEF-hand.{side}", DEFORM),
    _rigify("", "hand_fk.{side}", CONTROLS),
    _rigify("ORG-", "ORG-hand.{side}", ""),
    _rigify("", "hand.{side}", ""),
    Scheme(
        "Auto-Rig Pro deform",
        "hand.{side}",
        ("thumb1.{side}", "c_thumb2.{side}", "c_thumb3.{side}", ""),
        ("c_{finger}1_base.{side}", "{finger}1.{side}", "c_{finger}2.{side}", "c_{finger}3.{side}", ""),
        family="Auto-Rig Pro",
        layer=DEFORM,
    ),
    Scheme(
        "Auto-Rig Pro controls",
        "c_hand_fk.{side}",
        ("c_thumb1.{side}", "c_thumb2.{side}", "c_thumb3.{side}", ""),
        _counted("c_{finger}", ".{side}", "c_{finger}1_base.{side}"),
        family="Auto-Rig Pro",
        layer=CONTROLS,
    ),
    Scheme(
        "MakeHuman",
        "wrist.{side}",
        ("finger1-1.{side}", "finger1-2.{side}", "finger1-3.{side}", ""),
        _counted("finger{next}-", ".{side}", "metacarpal{number}.{side}"),
    ),
    Scheme(
        "Leap",
        "{side}_Wrist",
        ("{side}_thumb_meta", "{side}_thumb_a", "{side}_thumb_b", "{side}_thumb_end"),
        _named("{side}_{finger}_", "meta a b c end"),
    ),
    Scheme(
        "Meta",
        "b_{side}_wrist",
        ("b_{side}_thumb1", "b_{side}_thumb2", "b_{side}_thumb3", "b_{side}_thumb_null"),
        _counted("b_{side}_{finger}", metacarpal="b_{side}_{finger}0", tip="b_{side}_{finger}_null"),
    ),
    Scheme(
        "Meta bone names",
        "Hand_WristRoot",
        ("Hand_Thumb1", "Hand_Thumb2", "Hand_Thumb3", "Hand_ThumbTip"),
        _counted("Hand_{finger}", metacarpal="Hand_{finger}0", tip="Hand_{finger}Tip"),
        sides=(),
    ),
    Scheme(
        "Meta OpenXR",
        "XRHand_Wrist",
        ("XRHand_ThumbMetacarpal", "XRHand_ThumbProximal", "XRHand_ThumbDistal", "XRHand_ThumbTip"),
        _named("XRHand_{finger}", "Metacarpal Proximal Intermediate Distal Tip"),
        _LITTLE,
        sides=(),
    ),
    Scheme(
        "WebXR",
        "wrist",
        ("thumb-metacarpal", "thumb-phalanx-proximal", "thumb-phalanx-distal", "thumb-tip"),
        _named("{finger}-finger-", "metacarpal phalanx-proximal phalanx-intermediate phalanx-distal tip"),
        sides=(),
    ),
    _arkit("ARKit", "{side}", _LEFT_RIGHT),
    _arkit("ARKit one hand", "", ()),
    Scheme("MANO", "wrist", ("thumb1", "thumb2", "thumb3", ""), _counted("{finger}"), sides=()),
    _digits("MMD", ("人指|人差指", "中指", "薬指", "小指"), ("左", "右"), "{{side}}{}"),
    _digits("MMD in Blender", ("人指|人差指", "中指", "薬指", "小指"), ("l", "r"), "{}.{{side}}"),
    Scheme(
        "MMD in English",
        "Wrist_{side}",
        ("Thumb0_{side}", "Thumb1_{side}", "Thumb2_{side}", "ThumbTip_{side}"),
        _counted("{finger}Finger", "_{side}", tip="{finger}FingerTip_{side}"),
        _LITTLE,
    ),
    Scheme(
        "VRM 0",
        "{side}Hand",
        ("{side}ThumbProximal", "{side}ThumbIntermediate", "{side}ThumbDistal", ""),
        ("", "{side}{finger}Proximal", "{side}{finger}Intermediate", "{side}{finger}Distal", ""),
        _LITTLE,
        _LEFT_RIGHT,
    ),
    Scheme(
        "VRM 1",
        "{side}Hand",
        ("{side}ThumbMetacarpal", "{side}ThumbProximal", "{side}ThumbDistal", ""),
        ("", "{side}{finger}Proximal", "{side}{finger}Intermediate", "{side}{finger}Distal", ""),
        _LITTLE,
        _LEFT_RIGHT,
    ),
    Scheme(
        "HAnim",
        "{side}_wrist",
        ("{side}_thumb1", "{side}_thumb2", "{side}_thumb3", ""),
        _counted("{side}_{finger}", metacarpal="{side}_{finger}0"),
    ),
)


# How the parts of a body are named elsewhere, which carries which, and how long they usually are: as data.
#
# `{side}` is the scheme's word for left or right. Several names of one part are parted by bars, parts by
# commas; a part that a scheme has not is empty.

TRUNK = ("hips", "spine", "chest", "upper chest", "neck", "head", "root")
LIMBS = ("shoulder", "upper arm", "lower arm", "wrist", "upper leg", "lower leg", "foot", "toes", "eye")

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


class Body(NamedTuple):
    """Names of the parts of a body, in the order of TRUNK and of LIMBS; the rest as in a `Scheme` of hands."""

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
        "By hand in Blender",
        "hips|pelvis, spine, chest, upper_chest, neck, head, root",
        "shoulder.{side}|clavicle.{side}, upper_arm.{side}, forearm.{side}|lower_arm.{side}, hand.{side}, "
        "thigh.{side}|upper_leg.{side}, shin.{side}|lower_leg.{side}|calf.{side}, foot.{side}, toe.{side}|toes.{side}",
        _LETTERS,
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
