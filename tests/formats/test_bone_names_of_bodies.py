"""Bodies as others name them: each part finds its own, also where a name means another part elsewhere."""

from __future__ import annotations

from itertools import permutations

import pytest

from io_formats.clip.bone_names import match_names, other_parts, read_body

# hips, spine, chest, neck, head; left shoulder, arm, forearm, hand, thigh, shin, foot, toes; as the tools write them
BODIES = {
    "Unity": "Hips Spine Chest Neck Head LeftShoulder LeftUpperArm LeftLowerArm LeftHand LeftUpperLeg LeftLowerLeg "
    "LeftFoot LeftToes",
    "VRM": "hips spine chest neck head leftShoulder leftUpperArm leftLowerArm leftHand leftUpperLeg leftLowerLeg "
    "leftFoot leftToes",
    "VRChat": "Hips|Spine|Chest|Neck|Head|Left shoulder|Left arm|Left elbow|Left wrist|Left leg|Left knee|Left ankle|"
    "Left toe",
    "VRoid": "J_Bip_C_Hips J_Bip_C_Spine J_Bip_C_Chest J_Bip_C_Neck J_Bip_C_Head J_Bip_L_Shoulder J_Bip_L_UpperArm "
    "J_Bip_L_LowerArm J_Bip_L_Hand J_Bip_L_UpperLeg J_Bip_L_LowerLeg J_Bip_L_Foot J_Bip_L_ToeBase",
    "Mixamo": "mixamorig:Hips mixamorig:Spine mixamorig:Spine1 mixamorig:Neck mixamorig:Head mixamorig:LeftShoulder "
    "mixamorig:LeftArm mixamorig:LeftForeArm mixamorig:LeftHand mixamorig:LeftUpLeg mixamorig:LeftLeg "
    "mixamorig:LeftFoot mixamorig:LeftToeBase",
    "Unreal": "pelvis spine_01 spine_02 neck_01 head clavicle_l upperarm_l lowerarm_l hand_l thigh_l calf_l foot_l "
    "ball_l",
    "Rigify": "spine spine.001 spine.002 spine.004 spine.006 shoulder.L upper_arm.L forearm.L hand.L thigh.L shin.L "
    "foot.L toe.L",
    "By hand in Blender": "hips spine chest neck head shoulder.L upper_arm.L forearm.L hand.L thigh.L shin.L foot.L "
    "toe.L",
    "By hand, other words": "Pelvis Spine Chest Neck Head Clavicle.L UpperArm.L LowerArm.L Hand.L UpperLeg.L Calf.L "
    "Foot.L Toes.L",
    "Rigify controls": "torso spine_fk.001 spine_fk.002 neck head shoulder.L upper_arm_fk.L forearm_fk.L hand_fk.L "
    "thigh_fk.L shin_fk.L foot_fk.L toe_fk.L",
}
BESIDE = {
    "Mixamo": ["mixamorig:Spine2", "mixamorig:HeadTop_End", "mixamorig:LeftToe_End", "mixamorig:LeftHandThumb1"],
    "Unreal": ["root", "spine_03", "upperarm_twist_01_l", "ik_foot_l", "thigh_twist_01_l"],
    "Rigify": ["spine.003", "spine.005", "face", "heel.02.L", "pelvis.L", "breast.L", "palm.01.L"],
    "Rigify controls": ["hips", "chest", "spine_fk", "hand_ik.L", "foot_ik.L", "upper_arm_ik.L", "shin_tweak.L", "root"]
    + [f"{layer}{name}" for layer in ("DEF-", "ORG-") for name in BODIES["Rigify"].split()],
}


def mirrored(name: str) -> str:
    """The name of the right part."""
    for left, right in (("Left", "Right"), ("left", "right"), ("_L_", "_R_"), (".L", ".R"), ("_l", "_r")):
        name = name.replace(left, right) if not name.endswith("_left") else name
    return name


def parts(scheme: str) -> list[str]:
    """A body's names, its right side behind the others; with the trunk's five first."""
    names = BODIES[scheme].split("|" if "|" in BODIES[scheme] else None)
    return names + [mirrored(name) for name in names[5:]]


@pytest.mark.parametrize(("file", "rig"), permutations(BODIES, 2))
def test_each_part_finds_its_own(file: str, rig: str) -> None:
    available = [*BESIDE.get(rig, ()), *parts(rig)]
    assert match_names(parts(file), available) == dict(zip(parts(file), parts(rig), strict=True))


def test_a_name_that_means_another_part_elsewhere() -> None:
    """VRM's `spine` is no Rigify `spine`, which is the hips; a bone alone is no body."""
    assert other_parts(parts("VRM"), parts("Rigify")) == {"spine"}
    assert other_parts(["spine"], parts("Rigify")) == set()


def test_few_names_are_no_body() -> None:
    assert read_body(["Hips", "Spine", "Chest", "Neck", "Head"]) == {}
    assert read_body(["turret", "barrel", "wheel_l", "wheel_r", "root", "hull", "hatch"]) == {}
