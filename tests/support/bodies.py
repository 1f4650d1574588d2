"""Bodies of other people: five ways to name them, other proportions, T-pose and A-pose, other axes of bones."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from in_blender import add, editing

# hips, spine, chest, neck, head; shoulder, upper arm, lower arm, hand, upper leg, lower leg, foot, toes
SCHEMES = {
    "Unity": (
        "Hips Spine Chest Neck Head",
        "{}Shoulder {}UpperArm {}LowerArm {}Hand {}UpperLeg {}LowerLeg {}Foot {}Toes",
        "Left Right",
    ),
    "VRM": (
        "hips spine chest neck head",
        "{}Shoulder {}UpperArm {}LowerArm {}Hand {}UpperLeg {}LowerLeg {}Foot {}Toes",
        "left right",
    ),
    "Mixamo": (
        "mixamorig:Hips mixamorig:Spine mixamorig:Spine1 mixamorig:Neck mixamorig:Head",
        (
            "mixamorig:{0}Shoulder mixamorig:{0}Arm mixamorig:{0}ForeArm mixamorig:{0}Hand mixamorig:{0}UpLeg "
            "mixamorig:{0}Leg mixamorig:{0}Foot mixamorig:{0}ToeBase"
        ),
        "Left Right",
    ),
    "Unreal": (
        "pelvis spine_01 spine_02 neck_01 head",
        "clavicle_{0} upperarm_{0} lowerarm_{0} hand_{0} thigh_{0} calf_{0} foot_{0} ball_{0}",
        "l r",
    ),
    "Rigify": (
        "spine spine.001 spine.002 spine.004 spine.006",
        "shoulder.{0} upper_arm.{0} forearm.{0} hand.{0} thigh.{0} shin.{0} foot.{0} toe.{0}",
        "L R",
    ),
}
PARTS = "hips spine chest neck head"
LIMBS = "shoulder upper_arm lower_arm hand upper_leg lower_leg foot toes"


def names_of(scheme: str) -> dict[str, str]:
    """Name by part, such as `hips` and `l foot`."""
    trunk, limbs, sides = SCHEMES[scheme]
    found = dict(zip(PARTS.split(), trunk.split(), strict=True))
    for key, side in zip("lr", sides.split(), strict=True):
        names = limbs.replace("{}", "{0}").format(side).split()
        found |= {f"{key} {part}": name for part, name in zip(LIMBS.split(), names, strict=True)}
    return found


def joints_of(rng: np.random.Generator, a_pose: bool) -> dict[str, Any]:
    """Place of each joint (3,) of a body that faces -Y, its left at +X, and of the ends of head, hands and toes."""
    size, leg, arm, wide, trunk = rng.uniform(0.8, 1.25, 5) * (rng.uniform(0.5, 2.0), 1.0, 1.0, 1.0, 1.0)
    thigh, shin = 0.43 * leg * rng.uniform(0.92, 1.08), 0.42 * leg
    hips = np.array((0.0, 0.0, thigh + shin + 0.13))
    joints = {"hips": hips}
    for part, step in (("spine", 0.1), ("chest", 0.16), ("neck", 0.24), ("head", 0.09), ("head end", 0.2)):
        joints[part] = hips = hips + np.array((0.0, rng.uniform(-0.02, 0.02), step * trunk))
    joints["head"] += (0.0, -0.2 * trunk * a_pose, 0.0)  # bowed by some 20 degrees
    lowered = math.radians(rng.uniform(35.0, 50.0)) if a_pose else 0.0
    along = np.array((math.cos(lowered), 0.0, -math.sin(lowered)))
    arms = joints["neck"] + np.array([(0.03 * wide, 0.0, -0.03), (0.16 * wide, 0.01, -0.03)])
    places = [*arms, *(arms[1] + along * at * arm + np.array((0.0, 0.01, 0.0)) for at in (0.28, 0.53, 0.7))]
    hip = joints["hips"] + (0.09 * wide, 0.0, -0.05)
    knee = hip - (0.0, 0.004, thigh)
    ankle = np.array((hip[0], 0.02, 0.08))
    places += [hip, knee, ankle, np.array((hip[0], -0.11, 0.02)), np.array((hip[0], -0.18, 0.02))]
    ends = [
        "shoulder",
        "upper_arm",
        "lower_arm",
        "hand",
        "hand end",
        "upper_leg",
        "lower_leg",
        "foot",
        "toes",
        "toes end",
    ]
    for key, sign in (("l", 1.0), ("r", -1.0)):
        joints |= {f"{key} {part}": place * (sign, 1.0, 1.0) for part, place in zip(ends, places, strict=True)}
    return {part: place * size for part, place in joints.items()}


PARENT = {"spine": "hips", "chest": "spine", "neck": "chest", "head": "neck"} | {
    f"{side} {part}": above if above in PARTS else f"{side} {above}"
    for side in "lr"
    for part, above in zip(
        LIMBS.split(), "chest shoulder upper_arm lower_arm hips upper_leg lower_leg foot".split(), strict=True
    )
}


def body(bpy: Any, scheme: str, seed: int, *, a_pose: bool, aligned: bool) -> tuple[Any, dict[str, str]]:
    """A rig, selected, and name by part; `aligned` bones all point up, others to the next joint as Blender's do."""
    from mathutils import Matrix

    rng = np.random.default_rng(seed)
    joints, names = joints_of(rng, a_pose), names_of(scheme)
    rig = add(scheme, bpy.data.armatures.new(scheme), active=True)
    with editing(rig) as edited:
        after = {above: part for part, above in PARENT.items() if not part.endswith(("shoulder", "upper_leg"))}
        for part, name in names.items():
            bone = edited.new(name)
            end = joints[after.get(part, f"{part} end")]
            bone.head = joints[part]
            bone.tail = joints[part] + (0.0, 0.0, np.linalg.norm(end - joints[part])) if aligned else end
            if part in PARENT:
                bone.parent = edited[names[PARENT[part]]]
        if not aligned:
            for bone in edited:
                bone.roll = float(rng.uniform(-3.0, 3.0)) if seed % 2 else 0.0
    if scheme == "Mixamo":  # as an FBX file brings it: centimetres, Y up, in an object that puts it right
        put_right = Matrix.Rotation(math.pi / 2.0, 4, "X") @ Matrix.Scale(0.01, 4)
        rig.data.transform(put_right.inverted())
        rig.matrix_world = put_right
    bpy.context.view_layer.update()
    rig.select_set(True)
    return rig, names
