"""The nodes of a recording: joints, camera and gaze, and where a joint stands that the file knows nothing of.

All joints are without parents and rest in the origin unturned, so that a bone's location and rotation are the
file's numbers, component by component. A joint's +Y runs along its bone, +Z out of the back of the hand.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ..clip import Array, Attachment, Node, quaternion
from . import layout

CAMERA = "Camera"
GAZE = "Gaze"
GAZE_DIRECTION = "GazeDirection"
TRACKED = "tracked"
PINCHING = "pinching"

SIDES = ("L", "R")
GROUPS = {"L": "Left Hand", "R": "Right Hand"}
HEAD = "Head"

CAMERA_TURN = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, -1.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
"""+90 degrees about X: a camera looks along its -Z, the joint along its +Y."""

CHAINS = (
    ("ThumbMetacarpalJoint", "ThumbProximalJoint", "ThumbDistalJoint", "ThumbTip"),
    ("IndexMetacarpal", "IndexKnuckle", "IndexMiddleJoint", "IndexDistalJoint", "IndexTip"),
    ("MiddleMetacarpal", "MiddleKnuckle", "MiddleMiddleJoint", "MiddleDistalJoint", "MiddleTip"),
    ("RingMetacarpal", "RingKnuckle", "RingMiddleJoint", "RingDistalJoint", "RingTip"),
    ("PinkyMetacarpal", "PinkyKnuckle", "PinkyMiddleJoint", "PinkyDistalJoint", "PinkyTip"),
)
"""Joints from the wrist outwards, a chain for each finger."""

NEXT_JOINT = {joint: following for chain in CHAINS for joint, following in pairwise(chain)} | {
    "Wrist": "Palm",
    "Palm": "MiddleKnuckle",
}
PARENT_JOINT = (
    {following: joint for chain in CHAINS for joint, following in pairwise(chain)}
    | {chain[0]: "Wrist" for chain in CHAINS}
    | {"Palm": "Wrist"}
)
DEFAULT_LENGTH = 0.02
CAMERA_LENGTH = 0.1

_NEUTRAL_LEFT = {
    "Wrist": (0.0, 0.0, 0.0),
    "Palm": (0.0, 0.055, 0.0),
    "ThumbMetacarpalJoint": (0.022, 0.018, -0.008),
    "ThumbProximalJoint": (0.045, 0.048, -0.016),
    "ThumbDistalJoint": (0.06, 0.074, -0.022),
    "ThumbTip": (0.07, 0.096, -0.026),
    "IndexMetacarpal": (0.014, 0.026, 0.0),
    "IndexKnuckle": (0.025, 0.09, 0.0),
    "IndexMiddleJoint": (0.027, 0.131, 0.0),
    "IndexDistalJoint": (0.028, 0.155, 0.0),
    "IndexTip": (0.028, 0.176, 0.0),
    "MiddleMetacarpal": (0.004, 0.026, 0.0),
    "MiddleKnuckle": (0.004, 0.094, 0.0),
    "MiddleMiddleJoint": (0.004, 0.139, 0.0),
    "MiddleDistalJoint": (0.004, 0.166, 0.0),
    "MiddleTip": (0.004, 0.189, 0.0),
    "RingMetacarpal": (-0.006, 0.025, 0.0),
    "RingKnuckle": (-0.015, 0.087, 0.0),
    "RingMiddleJoint": (-0.017, 0.128, 0.0),
    "RingDistalJoint": (-0.018, 0.154, 0.0),
    "RingTip": (-0.018, 0.175, 0.0),
    "PinkyMetacarpal": (-0.015, 0.022, 0.0),
    "PinkyKnuckle": (-0.032, 0.077, 0.0),
    "PinkyMiddleJoint": (-0.036, 0.108, 0.0),
    "PinkyDistalJoint": (-0.038, 0.127, 0.0),
    "PinkyTip": (-0.039, 0.146, 0.0),
}
"""A flat left hand, fingers along +Y, back of the hand +Z, thumb at +X; metres from the wrist."""

_NEUTRAL_WRIST = {"L": (-0.15, 0.35, -0.25), "R": (0.15, 0.35, -0.25)}


def joint_node(joint: str, side: str) -> Node:
    """Return the parentless node of one joint, at rest in the origin."""
    name = f"{joint}.{side}"
    end = f"{NEXT_JOINT[joint]}.{side}" if joint in NEXT_JOINT else ""
    return Node(name, original=name, group=GROUPS[side], helper=joint.endswith("Tip"), leads_to=end)


def camera_node() -> Node:
    """Return the node that the camera object hangs on."""
    return Node(CAMERA, original=CAMERA, group=HEAD, length=CAMERA_LENGTH)


def gaze_nodes() -> list[Node]:
    """Return the gaze's origin, and its child that stands at origin + direction."""
    return [
        Node(GAZE, original=GAZE, group=HEAD),
        Node(GAZE_DIRECTION, GAZE, original=GAZE_DIRECTION, group=HEAD),
    ]


def camera_attachment(angle: float) -> Attachment:
    """Return a camera object that looks where the recorded one did, `angle` radians from lower to upper edge."""
    return Attachment("CAMERA", CAMERA, turn=CAMERA_TURN, angle=angle)


def gaze_attachment() -> Attachment:
    """Return a visible line along the gaze."""
    return Attachment("RAY", GAZE, GAZE_DIRECTION)


def neutral_rest(joint: str, side: str) -> Array:
    """Return (4, 4) where a joint without data stands: in an open hand before the viewer, its bone along the finger."""
    mirror = np.array([1.0, 1.0, 1.0]) if side == "L" else np.array([-1.0, 1.0, 1.0])
    place = np.array(_NEUTRAL_LEFT[joint]) * mirror
    start, end = (joint, NEXT_JOINT[joint]) if joint in NEXT_JOINT else (PARENT_JOINT[joint], joint)
    along = (np.array(_NEUTRAL_LEFT[end]) - np.array(_NEUTRAL_LEFT[start])) * mirror
    rest = np.eye(4)
    rest[:3, :3] = _turn_from_y(along)
    rest[:3, 3] = place + np.array(_NEUTRAL_WRIST[side])
    return rest


def _turn_from_y(direction: Array) -> Array:
    """Return (3, 3) the shortest turn that lays +Y along `direction`."""
    x, y, z = direction / np.sqrt((direction * direction).sum())
    return np.array(quaternion.to_matrix(np.array([[1.0 + y], [z], [0.0], [-x]]))[0])


def nodes_of(sections: tuple[bool, bool, bool]) -> list[Node]:
    """Return all nodes of a file with or without camera, hands and gaze: the space that a recording is written in."""
    camera, hands, gaze = sections
    nodes = [camera_node()] if camera else []
    if hands:
        nodes += [joint_node(joint, side) for side in SIDES for joint in layout.JOINTS[1:]]
    return nodes + (gaze_nodes() if gaze else [])
