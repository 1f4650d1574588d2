"""Hands as others name them: each joint is found where it is, and what can be one joint or the next is left open."""

from __future__ import annotations

import pytest

from io_formats.clip import messages
from io_formats.clip.bone_names import Reading, match_names, read_hands, tell_left_open
from io_formats.errors import Report

THUMB = ("ThumbMetacarpalJoint", "ThumbProximalJoint", "ThumbDistalJoint", "ThumbTip")
PARTS = ("Metacarpal", "Knuckle", "MiddleJoint", "DistalJoint", "Tip")
FINGERS = ("Index", "Middle", "Ring", "Pinky")
JOINTS = [
    f"{joint}.{side}"
    for side in "LR"
    for joint in ("Wrist", "Palm", *THUMB, *(finger + part for finger in FINGERS for part in PARTS))
]


def hands_of(table: str) -> dict[str, tuple[str, str, tuple[str, ...]]]:
    """Hands by name: wrist, joints of the thumb, of each finger: `{f}` is each of the last words, `{n}` its number."""
    hands = {}
    for block in table.strip().split("\n\n"):
        name, wrist, thumb, fingers, *words = block.replace("\n", " ").split("; ")
        numbered = enumerate(" ".join(words).split(), 1)
        alike = [fingers.replace("{f}", word).replace("{n}", str(number)) for number, word in numbered]
        hands[name] = wrist, thumb, tuple(alike or fingers.split(", "))
    return hands


# wrist; thumb from the metacarpal on; each finger from the metacarpal on; as left hands have them
HANDS = hands_of("""
MRTK's hand coach; WristL_JNT; ThumbL_JNT1 ThumbL_JNT2 ThumbL_JNT3 ThumbL_JNT3_end;
PointL_JNT PointL_JNT1 PointL_JNT2 PointL_JNT3 PointL_JNT3_end,
MiddleL_JNT MiddleL_JNT1 MiddelL_JNT2 MiddleL_JNT3 MiddleL_JNT3_end,
RingL_JNT RingL_JNT1 RingL_JNT2 RingL_JNT3 RingL_JNT3_end,
PinkyL_JNT PinkyL_JNT1 PinkyL_JNT2 PinkyL_JNT3 PinkyL_JNT3_end

ARKit; leftHand; leftThumbKnuckle leftThumbIntermediateBase leftThumbIntermediateTip leftThumbTip;
left{f}FingerMetacarpal left{f}FingerKnuckle left{f}FingerIntermediateBase left{f}FingerIntermediateTip
left{f}FingerTip; Index Middle Ring Little

SteamVR; wrist_l; finger_thumb_0_l finger_thumb_1_l finger_thumb_2_l finger_thumb_l_end;
finger_{f}_meta_l finger_{f}_0_l finger_{f}_1_l finger_{f}_2_l finger_{f}_l_end; index middle ring pinky

Mixamo; mixamorig:LeftHand;
mixamorig:LeftHandThumb1 mixamorig:LeftHandThumb2 mixamorig:LeftHandThumb3 mixamorig:LeftHandThumb4;
- mixamorig:LeftHand{f}1 mixamorig:LeftHand{f}2 mixamorig:LeftHand{f}3 mixamorig:LeftHand{f}4; Index Middle Ring Pinky

HumanIK; LeftHand; LeftHandThumb1 LeftHandThumb2 LeftHandThumb3 LeftHandThumb4;
LeftInHand{f} LeftHand{f}1 LeftHand{f}2 LeftHand{f}3 LeftHand{f}4; Index Middle Ring Pinky

Unreal; hand_l; thumb_01_l thumb_02_l thumb_03_l; {f}_metacarpal_l {f}_01_l {f}_02_l {f}_03_l; index middle ring pinky

Daz Genesis 8; lHand; lThumb1 lThumb2 lThumb3; lCarpal{n} l{f}1 l{f}2 l{f}3; Index Mid Ring Pinky

Daz Genesis 9; l_hand; l_thumb1 l_thumb2 l_thumb3; l_{f}metacarpal l_{f}1 l_{f}2 l_{f}3; index mid ring pinky

Character Creator; CC_Base_L_Hand; CC_Base_L_Thumb1 CC_Base_L_Thumb2 CC_Base_L_Thumb3;
- CC_Base_L_{f}1 CC_Base_L_{f}2 CC_Base_L_{f}3; Index Mid Ring Pinky

3ds Max Biped; Bip001 L Hand; Bip001 L Finger0|Bip001 L Finger01|Bip001 L Finger02|Bip001 L Finger0Nub;
-|Bip001 L Finger1|Bip001 L Finger11|Bip001 L Finger12|Bip001 L Finger1Nub,
-|Bip001 L Finger2|Bip001 L Finger21|Bip001 L Finger22|Bip001 L Finger2Nub,
-|Bip001 L Finger3|Bip001 L Finger31|Bip001 L Finger32|Bip001 L Finger3Nub,
-|Bip001 L Finger4|Bip001 L Finger41|Bip001 L Finger42|Bip001 L Finger4Nub

Source engine; ValveBiped.Bip01_L_Hand;
ValveBiped.Bip01_L_Finger0 ValveBiped.Bip01_L_Finger01 ValveBiped.Bip01_L_Finger02;
- ValveBiped.Bip01_L_Finger1 ValveBiped.Bip01_L_Finger11 ValveBiped.Bip01_L_Finger12,
- ValveBiped.Bip01_L_Finger2 ValveBiped.Bip01_L_Finger21 ValveBiped.Bip01_L_Finger22,
- ValveBiped.Bip01_L_Finger3 ValveBiped.Bip01_L_Finger31 ValveBiped.Bip01_L_Finger32,
- ValveBiped.Bip01_L_Finger4 ValveBiped.Bip01_L_Finger41 ValveBiped.Bip01_L_Finger42

Rigify's metarig; hand.L; thumb.01.L thumb.02.L thumb.03.L; palm.0{n}.L f_{f}.01.L f_{f}.02.L f_{f}.03.L;
index middle ring pinky

Auto-Rig Pro; hand.l; thumb1.l c_thumb2.l c_thumb3.l; c_{f}1_base.l {f}1.l c_{f}2.l c_{f}3.l; index middle ring pinky

MakeHuman; wrist.L; finger1-1.L finger1-2.L finger1-3.L; metacarpal1.L finger2-1.L finger2-2.L finger2-3.L,
metacarpal2.L finger3-1.L finger3-2.L finger3-3.L, metacarpal3.L finger4-1.L finger4-2.L finger4-3.L,
metacarpal4.L finger5-1.L finger5-2.L finger5-3.L

Leap; L_Wrist; L_thumb_meta L_thumb_a L_thumb_b L_thumb_end; L_{f}_meta L_{f}_a L_{f}_b L_{f}_c L_{f}_end;
index middle ring pinky

Meta; b_l_wrist; b_l_thumb1 b_l_thumb2 b_l_thumb3 b_l_thumb_null; - b_l_index1 b_l_index2 b_l_index3 b_l_index_null,
- b_l_middle1 b_l_middle2 b_l_middle3 b_l_middle_null, - b_l_ring1 b_l_ring2 b_l_ring3 b_l_ring_null,
b_l_pinky0 b_l_pinky1 b_l_pinky2 b_l_pinky3 b_l_pinky_null

MMD; 左手首; 左親指０ 左親指１ 左親指２ 左親指先; - 左{f}１ 左{f}２ 左{f}３ 左{f}先; 人指 中指 薬指 小指

MMD in Blender; 手首.L; 親指０.L 親指１.L 親指２.L 親指先.L; - {f}１.L {f}２.L {f}３.L {f}先.L; 人指 中指 薬指 小指

MMD in English; Wrist_L; Thumb0_L Thumb1_L Thumb2_L; - {f}Finger1_L {f}Finger2_L {f}Finger3_L;
Index Middle Ring Little

VRM 0; leftHand; leftThumbProximal leftThumbIntermediate leftThumbDistal;
- left{f}Proximal left{f}Intermediate left{f}Distal; Index Middle Ring Little

VRM 1; leftHand; leftThumbMetacarpal leftThumbProximal leftThumbDistal;
- left{f}Proximal left{f}Intermediate left{f}Distal; Index Middle Ring Little

VRoid; J_Bip_L_Hand; J_Bip_L_Thumb1 J_Bip_L_Thumb2 J_Bip_L_Thumb3; - J_Bip_L_{f}1 J_Bip_L_{f}2 J_Bip_L_{f}3;
Index Middle Ring Little

HAnim; l_wrist; l_thumb1 l_thumb2 l_thumb3; l_{f}0 l_{f}1 l_{f}2 l_{f}3; index middle ring pinky
""")
SIDELESS = hands_of("""
MANO; wrist; thumb1 thumb2 thumb3; - {f}1 {f}2 {f}3; index middle ring pinky

ARKit; wrist; thumbKnuckle thumbIntermediateBase thumbIntermediateTip thumbTip;
{f}FingerMetacarpal {f}FingerKnuckle {f}FingerIntermediateBase {f}FingerIntermediateTip {f}FingerTip;
index middle ring little

WebXR; wrist; thumb-metacarpal thumb-phalanx-proximal thumb-phalanx-distal thumb-tip;
{f}-finger-metacarpal {f}-finger-phalanx-proximal {f}-finger-phalanx-intermediate {f}-finger-phalanx-distal
{f}-finger-tip; index middle ring pinky

Meta OpenXR; XRHand_Wrist; XRHand_ThumbMetacarpal XRHand_ThumbProximal XRHand_ThumbDistal XRHand_ThumbTip;
XRHand_{f}Metacarpal XRHand_{f}Proximal XRHand_{f}Intermediate XRHand_{f}Distal XRHand_{f}Tip;
Index Middle Ring Little

Meta bone names; Hand_WristRoot; Hand_Thumb1 Hand_Thumb2 Hand_Thumb3 Hand_ThumbTip;
- Hand_Index1 Hand_Index2 Hand_Index3 Hand_IndexTip, - Hand_Middle1 Hand_Middle2 Hand_Middle3 Hand_MiddleTip,
- Hand_Ring1 Hand_Ring2 Hand_Ring3 Hand_RingTip, Hand_Pinky0 Hand_Pinky1 Hand_Pinky2 Hand_Pinky3 Hand_PinkyTip
""")
OTHER_BONES = ["MainL_JNT", "Hips", "Spine", "Head", "LeftArm", "RightArm", "root", "c_traj"]
MIRRORED = (
    ("L_JNT", "R_JNT"),
    ("_L_", "_R_"),
    ("_l_", "_r_"),
    ("Left", "Right"),
    ("left", "right"),
    ("左", "右"),
    (" L ", " R "),
)


def bones_of(hand: tuple[str, str, tuple[str, ...]], side: str) -> dict[str, str]:
    """Bone by joint of a left hand in the table."""

    def split(text: str) -> list[str]:
        return text.split("|" if "|" in text else " ")

    wrist, thumb, fingers = hand
    pairs = {"Wrist": wrist, **dict(zip(THUMB, split(thumb), strict=False))}
    for finger, text in zip(FINGERS, fingers, strict=True):
        pairs |= {finger + part: bone for part, bone in zip(PARTS, split(text), strict=False) if bone != "-"}
    return {f"{joint}.{side}": bone for joint, bone in pairs.items()}


def mirrored(bone: str) -> str:
    """The right hand's name for a bone of the left."""
    for left, right in MIRRORED:
        if left in bone:
            return bone.replace(left, right)
    if bone[-2:] in (".L", ".l", "_L", "_l"):
        return bone[:-1] + ("R" if bone[-1] == "L" else "r")
    return ("r" if bone[0] == "l" else "R") + bone[1:]


@pytest.mark.parametrize("scheme", HANDS)
def test_both_hands_of_each_scheme_are_found_joint_by_joint(scheme: str) -> None:
    left = bones_of(HANDS[scheme], "L")
    wanted = left | {joint[:-1] + "R": mirrored(bone) for joint, bone in left.items()}
    assert len(set(wanted.values())) == 2 * len(left)
    rig = [*OTHER_BONES, *wanted.values()]
    found = match_names(JOINTS, rig)
    assert found == wanted
    assert not read_hands(rig).unclear


@pytest.mark.parametrize("scheme", HANDS)
def test_one_hand_alone_is_found_as_well(scheme: str) -> None:
    wanted = bones_of(HANDS[scheme], "L")
    assert match_names(JOINTS, list(wanted.values())) == wanted


@pytest.mark.parametrize(
    ("scheme", "missing"),
    [("SteamVR", "Metacarpal"), ("SteamVR", "IndexKnuckle"), ("MMD in English", "ThumbMetacarpal")],
)
def test_joints_count_as_ever_where_a_bone_is_missing(scheme: str, missing: str) -> None:
    """From 0 on; models of MMD seldom have the first bone of a thumb."""
    wanted = {joint: bone.lower() for joint, bone in bones_of(HANDS[scheme], "L").items() if missing not in joint}
    assert match_names(JOINTS, list(wanted.values())) == wanted


@pytest.mark.parametrize("scheme", SIDELESS)
def test_a_hand_without_a_side_waits_for_it(scheme: str) -> None:
    wanted = bones_of(SIDELESS[scheme], "R")
    rig = [*wanted.values(), "root"]
    assert match_names(JOINTS, rig) == {}
    assert sorted(read_hands(rig).sideless) == sorted(wanted.values())
    assert match_names(JOINTS, rig, reading=Reading(one_hand="RIGHT")) == wanted
    report = Report()
    tell_left_open(["index_0_l", "index_1_l", "index_2_l", "wrist", "thumb-tip", "index-finger-tip"], Reading(), report)
    assert [entry.template for entry in report.warnings] == [messages.HAND_UNCLEAR, messages.HAND_SIDELESS]


def test_the_bone_below_a_thumb_of_meta_is_no_joint() -> None:
    wanted = bones_of(HANDS["Meta"], "L")
    assert match_names(JOINTS, ["b_l_thumb0", *wanted.values()]) == wanted


def test_a_generated_rigify_rig_gives_its_controls_or_its_deforming_bones() -> None:
    metarig = bones_of(HANDS["Rigify's metarig"], "L")
    deforming = {joint: f"DEF-{bone}" for joint, bone in metarig.items()}
    original = {joint: f"ORG-{bone}" for joint, bone in metarig.items()}
    controls = {joint: bone for joint, bone in metarig.items() if "palm" not in bone} | {"Wrist.L": "hand_fk.L"}
    extra = ["hand_ik.L", "palm.L", "f_index.01_master.L", "f_index.01.L.001", "MCH-f_index.01.L", "thumb.01_master.L"]
    rig = [*deforming.values(), *original.values(), *controls.values(), *extra]
    assert match_names(JOINTS, rig, reading=Reading("DEFORM")) == deforming | {"Palm.L": "palm.L"}
    assert match_names(JOINTS, rig, reading=Reading("CONTROLS")) == controls  # fingers hang on palm.L


@pytest.mark.parametrize("kind", HANDS)
def test_twins_that_blender_numbered_take_no_joint(kind: str) -> None:
    """A part of a figure that was joined with it again brings bones of the same names."""
    bones = [bone for part in (HANDS[kind][0], HANDS[kind][1], *HANDS[kind][2]) for bone in part.split() if bone != "-"]
    assert match_names(JOINTS, [*bones, *(f"{bone}.001" for bone in bones)]) == match_names(JOINTS, bones)


def test_auto_rig_pro_gives_its_controls_or_its_deforming_bones() -> None:
    deforming = bones_of(HANDS["Auto-Rig Pro"], "L")
    rig = [*deforming.values(), "c_hand_fk.l", "c_hand_ik.l", "c_thumb1.l"]
    rig += [f"c_{finger}1.l" for finger in ("index", "middle", "ring", "pinky")]
    assert match_names(JOINTS, rig, reading=Reading("DEFORM")) == deforming
    found = match_names(JOINTS, rig, reading=Reading("CONTROLS"))
    assert found["IndexKnuckle.L"] == "c_index1.l" and found["Wrist.L"] == "c_hand_fk.l"
    assert read_hands(["left hand ik", "left hand"]).joints == {"left hand": "l wrist"}
    assert found["IndexMiddleJoint.L"] == "c_index2.l" and found["ThumbMetacarpalJoint.L"] == "c_thumb1.l"


@pytest.mark.parametrize(("layer", "knuckle"), [("CONTROLS", "c_index1.l"), ("DEFORM", "index1.l")])
def test_fingers_of_auto_rig_pro_without_a_hand_follow_as_well(layer: str, knuckle: str) -> None:
    fingers = ("thumb", "index", "middle", "ring", "pinky")
    rig = [f"{prefix}{finger}{end}" for finger in fingers for prefix, end in
           (("", "1.l"), ("c_", "1.l"), ("c_", "2.l"), ("c_", "3.l"))]  # fmt: skip
    found = match_names(JOINTS, rig, reading=Reading(layer))
    assert len(found) == 15 and found["IndexKnuckle.L"] == knuckle


@pytest.mark.parametrize(
    ("bones", "unclear"),
    [
        ("index_0_l index_1_l index_2_l", "index_0_l index_1_l index_2_l"),
        ("index_1_l index_2_l index_3_l index_4_l", "index_1_l index_2_l index_3_l index_4_l"),
        ("thumb_0_l thumb_1_l thumb_2_l thumb_3_l", "thumb_0_l thumb_1_l thumb_2_l thumb_3_l"),
        ("index_meta_l index_0_l index_1_l index_2_l index_tip_l", ""),
        ("index_1_l index_2_l index_3_l", ""),
        ("index_meta_l index_1_l index_2_l index_3_l index_4_l", ""),
        ("ring_1_l ring_2_l ring_3_l ring_4_l ring_tip_l", ""),
        ("thumb_0_l thumb_1_l thumb_2_l", ""),
        ("thumb_1_l thumb_2_l thumb_3_l thumb_4_l", ""),
    ],
)
def test_numbers_that_can_mean_one_joint_or_the_next_are_left_open(bones: str, unclear: str) -> None:
    rig = [f"my_{bone}" for bone in bones.split()]
    assert read_hands(rig).unclear == [f"my_{bone}" for bone in unclear.split()]
    assert len(match_names(JOINTS, rig)) == len(rig) - len(unclear.split())
