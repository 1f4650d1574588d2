"""The nodes of a recording: joints, camera and gaze, and a default pose for joints without data.

All joints are without parents and rest at the origin unturned, so that a bone's location and rotation are the
file's numbers, component by component. A joint's +Y runs along its bone, +Z out of the back of the hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product

import numpy as np

from ..clip import LOCATION, ROTATION, Array, Clip, Node, quaternion
from ..clip.quaternion import UNITY
from . import layout
from .document import Curve, Document, Pose

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

CHAINS = tuple(tuple(layout.JOINTS[first:last]) for first, last in pairwise((3, 7, 12, 17, 22, 27)))
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

_NEUTRAL_WRIST = (-0.15, 0.35, -0.25)
"""Where the left hand's wrist is, metres from the viewer's eyes."""


def gaze_nodes() -> list[Node]:
    """Return the node of the gaze's origin, and its child at origin + direction."""
    return [Node(GAZE, original=GAZE, group=HEAD), Node(GAZE_DIRECTION, GAZE, original=GAZE_DIRECTION, group=HEAD)]


def neutral_rest(joint: str, side: str) -> Array:
    """Return the default pose (4, 4) of a joint in an open hand before the viewer, +Y along the finger."""
    mirror = np.array([1.0, 1.0, 1.0]) if side == "L" else np.array([-1.0, 1.0, 1.0])
    position = (np.array(_NEUTRAL_LEFT[joint]) + _NEUTRAL_WRIST) * mirror
    start, end = (joint, NEXT_JOINT[joint]) if joint in NEXT_JOINT else (PARENT_JOINT[joint], joint)
    along = (np.array(_NEUTRAL_LEFT[end]) - np.array(_NEUTRAL_LEFT[start])) * mirror
    # the shortest rotation that takes +Y there
    x, y, z = along / np.sqrt((along * along).sum())
    rest = np.eye(4)
    rest[:3, :3] = quaternion.to_matrix(np.array([[1.0 + y], [z], [0.0], [-x]]))[0]
    rest[:3, 3] = position
    return rest


def nodes_of(sections: tuple[bool, bool, bool]) -> list[Node]:
    """Return all nodes of a file with or without (camera, hands, gaze), at rest in the origin, as they are written."""
    camera, hands, gaze = sections
    nodes = [Node(CAMERA, original=CAMERA, group=HEAD, length=CAMERA_LENGTH)] if camera else []
    if hands:
        for side, joint in product(SIDES, layout.JOINTS[1:]):
            name, end = f"{joint}.{side}", f"{NEXT_JOINT[joint]}.{side}" if joint in NEXT_JOINT else ""
            nodes.append(Node(name, original=name, group=GROUPS[side], helper=joint.endswith("Tip"), leads_to=end))
    return nodes + (gaze_nodes() if gaze else [])


# --- How long bones are drawn: the median distance to the next joint along the finger -----------

_MOMENTS = 64
_TIP_SHARE = 0.5


def set_lengths(clip: Clip) -> None:
    """Set `Node.length` of all joints, in metres, from their recorded positions, else from their rest."""
    drawn = [node for node in clip.nodes if node.name.partition(".")[0] in layout.JOINTS[1:]]
    if not drawn:
        return
    # positions (3, moments) in metres for each node, at moments spread over the recording
    spans = [(track.times[0], track.times[-1]) for track in clip.tracks if track.property == LOCATION]
    first, last = (min(span[0] for span in spans), max(span[1] for span in spans)) if spans else (0.0, 0.0)
    moments = np.linspace(float(first), float(last), _MOMENTS)
    positions = {node.name: np.repeat(node.rest[:3, 3:], _MOMENTS, axis=1) for node in clip.nodes}
    for track in clip.tracks:
        if track.property == LOCATION:
            for component, values in enumerate(track.values, track.component):
                positions[track.node][component] += np.interp(moments, track.times, values)
    # to the joint at the far end of a joint's bone, and to the one before it for a fingertip
    places = [node.name.partition(".") for node in drawn]
    ends = [f"{NEXT_JOINT.get(joint) or PARENT_JOINT[joint]}.{side}" for joint, _, side in places]
    steps = np.stack([positions[node.name] - positions[end] for node, end in zip(drawn, ends)])
    with np.errstate(over="ignore", invalid="ignore"):
        lengths = np.median(np.sqrt((steps * steps).sum(axis=1)), axis=1)
    for node, length in zip(drawn, lengths.tolist()):
        share = 1.0 if node.name.partition(".")[0] in NEXT_JOINT else _TIP_SHARE
        node.length = share * length if 1e-4 < share * length < 1.0 else DEFAULT_LENGTH


# Which curves of a recording feed which property of which node, and in which order.
#
# Unity's (x, y, z) is Blender's (x, z, y), and a quaternion x, y, z, w becomes (w, -x, -z, -y): the swap of two axes
# changes handedness, so a rotation's axis is swapped and negated.

_LOCATION_ORDER = tuple(UNITY.order.tolist())
_LOCATION_SIGNS = tuple(UNITY.signs.tolist())
# the file's quaternions have w last
_ROTATION_ORDER = tuple(np.roll(range(4), 1)[UNITY.rotation_order].tolist())
_ROTATION_SIGNS = tuple(UNITY.rotation_signs.tolist())


@dataclass(frozen=True)
class Channel:
    """A property of a node; `boolean` for a curve that switches, `tracked` or `pinching`."""

    node: str
    property: str
    boolean: bool = False

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The file's component for each of Blender's."""
        if self.boolean:
            return (0,)
        return _ROTATION_ORDER if self.property == ROTATION else _LOCATION_ORDER

    @cached_property
    def signs(self) -> tuple[float, ...]:
        """+1.0 or -1.0 for each of Blender's components."""
        if self.boolean:
            return (1.0,)
        return _ROTATION_SIGNS if self.property == ROTATION else _LOCATION_SIGNS


def channels(document: Document) -> Iterator[tuple[Channel, list[Curve]]]:
    """Yield each channel that becomes tracks, with its curves in file order; slot None is left out."""
    if document.camera is not None:
        yield from pose_channels(CAMERA, document.camera)
    for side, hand in document.hands:
        yield Channel(f"Wrist.{side}", TRACKED, True), [hand.tracked]
        yield Channel(f"Wrist.{side}", PINCHING, True), [hand.pinching]
        for joint, pose in zip(layout.JOINTS[1:], hand.joints[1:]):
            yield from pose_channels(f"{joint}.{side}", pose)
    if document.gaze is not None:
        yield Channel(GAZE, LOCATION), document.gaze.origin
        yield Channel(GAZE_DIRECTION, LOCATION), document.gaze.direction


def pose_channels(name: str, pose: Pose) -> Iterator[tuple[Channel, list[Curve]]]:
    """Yield the location and rotation channels of one pose, each with its curves in file order."""
    yield Channel(name, LOCATION), pose.position
    yield Channel(name, ROTATION), pose.rotation
