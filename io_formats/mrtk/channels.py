"""Which curves of a recording feed which property of which node, and in which order.

Unity's (x, y, z) is Blender's (x, z, y), and a quaternion x, y, z, w becomes (w, -x, -z, -y): the swap of two axes
changes handedness, so a rotation's axis is swapped and negated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..clip import LOCATION, ROTATION
from ..clip.axes import UNITY
from . import joints, layout
from .document import Curve, Document, Pose

_LOCATION_ORDER = tuple(UNITY.order.tolist())
_LOCATION_SIGNS = tuple(UNITY.signs.tolist())
# the file's quaternions have w last
_ROTATION_ORDER = tuple(np.roll(range(4), 1)[UNITY.rotation_order].tolist())
_ROTATION_SIGNS = tuple(UNITY.rotation_signs.tolist())


@dataclass(frozen=True)
class Channel:
    """A property of a node.

    Attributes:
        node, property: as in Track.
        boolean: a curve that switches, `tracked` or `pinching`.
        order: the file's component for each of Blender's.
        signs: +1.0 or -1.0 for each of Blender's components.
    """

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
        yield from pose_channels(joints.CAMERA, document.camera)
    for side, hand in document.hands:
        yield Channel(f"Wrist.{side}", joints.TRACKED, True), [hand.tracked]
        yield Channel(f"Wrist.{side}", joints.PINCHING, True), [hand.pinching]
        for joint, pose in zip(layout.JOINTS[1:], hand.joints[1:]):
            yield from pose_channels(f"{joint}.{side}", pose)
    if document.gaze is not None:
        yield Channel(joints.GAZE, LOCATION), document.gaze.origin
        yield Channel(joints.GAZE_DIRECTION, LOCATION), document.gaze.direction


def pose_channels(name: str, pose: Pose) -> Iterator[tuple[Channel, list[Curve]]]:
    """Yield the location and rotation channels of one pose, each with its curves in file order."""
    yield Channel(name, LOCATION), pose.position
    yield Channel(name, ROTATION), pose.rotation
