"""Armatures that a scene may hold: as steps of a recipe, with the names of the bones that can be moved."""

from __future__ import annotations

import math
from random import Random
from typing import Any

Step = dict[str, Any]
Bone = list[Any]
JOINTS = "Metacarpal Knuckle MiddleJoint DistalJoint Tip".split()
THUMB = "ThumbMetacarpalJoint ThumbProximalJoint ThumbDistalJoint ThumbTip".split()
FINGERS = ("Index", "Middle", "Ring", "Pinky")
BASIC_HUMAN = (
    "spine spine.001 spine.002 spine.003 spine.004 spine.005 spine.006 shoulder.L upper_arm.L forearm.L hand.L"
    " shoulder.R upper_arm.R forearm.R hand.R breast.L breast.R pelvis.L pelvis.R thigh.L shin.L foot.L toe.L"
    " heel.02.L thigh.R shin.R foot.R toe.R heel.02.R"
).split()


def bone(name: str, parent: str | None, head: Any, tail: Any, roll: float = 0.0, connected: bool = False) -> Bone:
    """A bone of a recipe."""
    numbers = [[round(float(number), 5) for number in point] for point in (head, tail)]
    return [name, parent, *numbers, round(roll, 4), connected]


def chain(random: Random, name: str) -> tuple[Step, list[str]]:
    """Two to five bones, each on the one before, in any direction."""
    bones: list[Bone] = []
    head = [random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3), random.uniform(0, 1)]
    for number in range(random.randint(2, 5)):
        tail = [value + random.uniform(-0.6, 0.6) + (0.4 if axis == 2 else 0.0) for axis, value in enumerate(head)]
        connected = bool(number) and random.random() < 0.4
        start = head if connected else [value + random.choice((0, 0, 0.1)) for value in head]
        bones.append(bone(f"Bone{number}", f"Bone{number - 1}" if number else None, start, tail,
                          random.choice((0.0, 0.0, random.uniform(-3, 3))), connected))  # fmt: skip
        head = tail
    return {"do": "rig", "name": name, "bones": bones}, [each[0] for each in bones]


def humanoid(random: Random, name: str) -> tuple[Step, list[str]]:
    """Hips, spine, head, arms and legs; the thighs point straight down, or nearly, as drawn rigs' do."""
    lean = random.choice((0.0, 0.0, 1e-4, 0.004))
    bones = [
        bone("Hips", None, (0, 0, 1), (0, 0, 1.2)),
        bone("Spine", "Hips", (0, 0, 1.2), (0, 0.02, 1.5), 0.0, True),
        bone("Head", "Spine", (0, 0.02, 1.5), (0, 0.02, 1.75), 0.0, True),
    ]
    for side, x in (("L", 1), ("R", -1)):
        bones += [
            bone(f"UpperArm.{side}", "Spine", (0.15 * x, 0, 1.45), (0.45 * x, 0.02, 1.45), 0.3 * x),
            bone(f"LowerArm.{side}", f"UpperArm.{side}", (0.45 * x, 0.02, 1.45), (0.72 * x, 0, 1.44), 0.2 * x, True),
            bone(f"Thigh.{side}", "Hips", (0.1 * x, 0, 1), (0.1 * x, lean, 0.5), random.choice((0.0, math.pi))),
            bone(f"Shin.{side}", f"Thigh.{side}", (0.1 * x, lean, 0.5), (0.1 * x, 0.01, 0.08), 0.0, True),
        ]
    return {"do": "rig", "name": name, "bones": bones}, [each[0] for each in bones]


def metarig(random: Random, name: str) -> tuple[Step, list[str]]:
    """Rigify's basic human."""
    del random
    return {"do": "metarig", "kind": "basic_human", "name": name, "bones": []}, list(BASIC_HUMAN)


def hand(random: Random, name: str, sides: str) -> tuple[Step, list[str]]:
    """MRTK's joints: flat or with parents, whole or a few of them, with the camera and the gaze or without."""
    parented, whole = random.random() < 0.6, random.random() < 0.3
    bones: list[Bone] = []
    for side in sides:
        bones += _one_hand(random, side, parented=parented, whole=whole)
    if random.random() < 0.4:
        bones.append(bone("Camera", None, (0, -0.5, 1.6), (0, -0.3, 1.6)))
    if random.random() < 0.4:
        bones.append(bone("Gaze", None, (0, -0.5, 1.6), (0, -0.4, 1.6)))
        bones.append(bone("GazeDirection", "Gaze", (0, 0.5, 1.6), (0, 0.6, 1.6)))
    return {"do": "rig", "name": name, "bones": bones}, [each[0] for each in bones]


def _one_hand(random: Random, side: str, *, parented: bool, whole: bool) -> list[Bone]:
    x = -0.2 if side == "L" else 0.2
    bones = []
    root = None
    if parented and random.random() < 0.3:
        root = f"Forearm.{side}"
        bones.append(bone(root, None, (x, -0.3, 1), (x, 0, 1)))
    bones.append(bone(f"Wrist.{side}", root, (x, 0, 1), (x, 0.05, 1)))
    above = f"Wrist.{side}" if parented else None
    bones.append(bone(f"Palm.{side}", above, (x, 0.05, 1), (x, 0.08, 1)))
    for number, finger in enumerate(("Thumb", *FINGERS) if whole else ("Thumb", random.choice(FINGERS))):
        bones += _finger(finger, side, x - 0.04 + 0.02 * number, above)
    return bones


def _finger(finger: str, side: str, x: float, above: str | None) -> list[Bone]:
    bones, parent = [], above
    for number, joint in enumerate(THUMB if finger == "Thumb" else [finger + part for part in JOINTS]):
        y = 0.05 + 0.03 * number
        bones.append(bone(f"{joint}.{side}", parent, (x, y, 1), (x, y + 0.03, 1 - 0.002 * number)))
        parent = bones[-1][0] if above else None
    return bones
