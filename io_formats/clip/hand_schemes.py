"""How hands are named elsewhere: one table for each scheme, as data.

`{side}` stands for the scheme's word for left or right, `{finger}` for that of a finger, `{number}` counts the fingers
from the index 1 to the pinky 4, `{next}` from 2 to 5. Several names of one joint are parted by bars.
"""

from __future__ import annotations

from dataclasses import dataclass

CONTROLS = "CONTROLS"
DEFORM = "DEFORM"
ENGLISH = ("index", "middle", "ring", "pinky")
_LITTLE = ("index", "middle", "ring", "little")
_MID = ("index", "mid", "ring", "pinky")
_BEFORE = ("", "1", "2", "3")
_LEFT_RIGHT = ("left", "right")


@dataclass(frozen=True)
class Scheme:
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
    metacarpal, one, two, three, tip = (
        f"{prefix}{{finger}}Finger{part}"
        for part in ("Metacarpal", "Knuckle", "IntermediateBase", "IntermediateTip", "Tip")
    )
    wrist = f"{prefix}Wrist|{prefix}Hand"
    hand = (thumb[0], thumb[1], thumb[2], thumb[3])
    return Scheme(name, wrist, hand, (metacarpal, one, two, three, tip), _LITTLE, sides)


def _digits(name: str, fingers: tuple[str, str, str, str], sides: tuple[str, str], form: str) -> Scheme:
    """Return the Japanese names of MMD, the side before or behind."""
    thumb = tuple(form.format(f"親指{number}") for number in "012先")
    one, two, three, tip = (form.format(f"{{finger}}{number}") for number in "123先")
    wrist = form.format("手首")
    return Scheme(name, wrist, (thumb[0], thumb[1], thumb[2], thumb[3]), ("", one, two, three, tip), fingers, sides)


SCHEMES = (
    Scheme(
        "MRTK",
        "Wrist.{side}",
        (
            "ThumbMetacarpalJoint.{side}|ThumbMetacarpal.{side}",
            "ThumbProximalJoint.{side}",
            "ThumbDistalJoint.{side}",
            "ThumbTip.{side}",
        ),
        (
            "{finger}Metacarpal.{side}",
            "{finger}Knuckle.{side}",
            "{finger}MiddleJoint.{side}",
            "{finger}DistalJoint.{side}",
            "{finger}Tip.{side}",
        ),
    ),
    Scheme(  # "Middel" stands so in Microsoft's model
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
        (
            "finger_{finger}_meta_{side}",
            "finger_{finger}_0_{side}",
            "finger_{finger}_1_{side}",
            "finger_{finger}_2_{side}",
            "finger_{finger}_{side}_end",
        ),
    ),
    Scheme(
        "Mixamo",
        "{side}Hand",
        ("{side}HandThumb1", "{side}HandThumb2", "{side}HandThumb3", "{side}HandThumb4"),
        _counted("{side}Hand{finger}", tip="{side}Hand{finger}4"),
        sides=_LEFT_RIGHT,
        suffix=True,
    ),
    Scheme(
        "HumanIK",
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
        "Character Creator",
        "CC_Base_{side}_Hand",
        ("CC_Base_{side}_Thumb1", "CC_Base_{side}_Thumb2", "CC_Base_{side}_Thumb3", ""),
        _counted("CC_Base_{side}_{finger}"),
        _MID,
    ),
    Scheme(
        "3ds Max Biped",
        "{side} Hand",
        ("{side} Finger0", "{side} Finger01", "{side} Finger02", "{side} Finger0Nub"),
        (
            "",
            "{side} Finger{number}",
            "{side} Finger{number}1",
            "{side} Finger{number}2",
            "{side} Finger{number}Nub",
        ),
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
        (
            "{side}_{finger}_meta",
            "{side}_{finger}_a",
            "{side}_{finger}_b",
            "{side}_{finger}_c",
            "{side}_{finger}_end",
        ),
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
        (
            "XRHand_{finger}Metacarpal",
            "XRHand_{finger}Proximal",
            "XRHand_{finger}Intermediate",
            "XRHand_{finger}Distal",
            "XRHand_{finger}Tip",
        ),
        _LITTLE,
        sides=(),
    ),
    Scheme(
        "WebXR",
        "wrist",
        ("thumb-metacarpal", "thumb-phalanx-proximal", "thumb-phalanx-distal", "thumb-tip"),
        (
            "{finger}-finger-metacarpal",
            "{finger}-finger-phalanx-proximal",
            "{finger}-finger-phalanx-intermediate",
            "{finger}-finger-phalanx-distal",
            "{finger}-finger-tip",
        ),
        sides=(),
    ),
    _arkit("ARKit", "{side}", _LEFT_RIGHT),
    _arkit("ARKit one hand", "", ()),
    Scheme(
        "MANO",
        "wrist",
        ("thumb1", "thumb2", "thumb3", ""),
        _counted("{finger}"),
        sides=(),
    ),
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
        "VRoid",
        "J_Bip_{side}_Hand",
        ("J_Bip_{side}_Thumb1", "J_Bip_{side}_Thumb2", "J_Bip_{side}_Thumb3", ""),
        _counted("J_Bip_{side}_{finger}"),
        _LITTLE,
    ),
    Scheme(
        "HAnim",
        "{side}_wrist",
        ("{side}_thumb1", "{side}_thumb2", "{side}_thumb3", ""),
        _counted("{side}_{finger}", metacarpal="{side}_{finger}0"),
    ),
)
