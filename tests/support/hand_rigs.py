"""Hand rigs of other people: Mixamo's and VRoid's names, other rest poses, other rolls."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from in_blender import add, editing

FINGERS = ("Thumb", "Index", "Middle", "Ring", "Pinky")
MRTK = {
    "Thumb": ("ThumbMetacarpalJoint", "ThumbProximalJoint", "ThumbDistalJoint", "ThumbTip"),
    **{name: (f"{name}Knuckle", f"{name}MiddleJoint", f"{name}DistalJoint", f"{name}Tip") for name in FINGERS[1:]},
}


def mixamo(side: str, finger: str, number: int) -> str:
    """A bone's name as Mixamo writes it; number 0 is the hand."""
    hand = f"mixamorig:{'Left' if side == 'L' else 'Right'}Hand"
    return f"{hand}{finger}{number}" if number else hand


def hand_rig(bpy: Any, name: Callable[[str, str, int], str], roll: float, turned: float, segments: int = 3) -> Any:
    """A pair of flat hands: knuckles fanned out, bones of an arbitrary roll, the object turned about Z."""
    rig = add("Rig", bpy.data.armatures.new("Rig"), active=True)
    with editing(rig) as edited:
        for side, mirror in (("L", 1.0), ("R", -1.0)):
            base = np.array([-0.3 * mirror, 0.0, 1.0])
            hand = edited.new(name(side, "", 0))
            hand.head, hand.tail, hand.roll = base, base + np.array([0.0, 0.08, 0.0]), roll
            for place, finger in enumerate(FINGERS):
                across = (0.03 - 0.02 * place) * mirror
                start, parent = base + np.array([across, 0.04 if finger == "Thumb" else 0.09, 0.0]), hand
                along = np.array([0.5 * mirror, 0.8, 0.0] if finger == "Thumb" else [0.05 * across, 1.0, 0.0])
                for number in range(1, segments + 1):
                    bone = edited.new(name(side, finger, number))
                    bone.head, bone.tail, bone.roll = start, start + along * 0.03, roll
                    bone.parent, parent, start = parent, bone, start + along * 0.03
    rig.rotation_euler[2] = turned
    bpy.context.view_layer.update()
    return rig


def world_turn(rig: Any, bone: str) -> Any:
    """(3, 3) of a posed bone in the world."""
    matrix = np.array((rig.matrix_world @ rig.pose.bones[bone].matrix).to_3x3(), np.float64)
    return matrix / np.sqrt((matrix**2).sum(axis=0))


def degrees_between(a: Any, b: Any) -> float:
    """Angle between two directions."""
    return math.degrees(math.acos(min(1.0, float(a @ b) / math.sqrt(float(a @ a) * float(b @ b)))))
