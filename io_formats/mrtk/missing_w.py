"""The rotation that MRTK 2.6.0 to 2.7.2 forgot: its optimiser wrote no W keys (issue 9831, fixed in 2.7.3).

Each RotationW curve of such a recording has one key while X, Y and Z have many; with block size 0 it has two,
the second being the last Z by mistake. W follows from the unit length, its sign from continuity.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..clip import Array
from .document import Curve, Document, Hand, Pose

_FIRST_VERSION = (1, 1)
_UNIT_TOLERANCE = 1e-2


@np.errstate(invalid="ignore", over="ignore")
def repair(document: Document) -> tuple[Document, int]:
    """Return the document with W rebuilt in every pose that has the defect, and the number of these poses.

    Everything else is shared with `document`; without a defect, `document` itself is returned.
    """
    if document.version < _FIRST_VERSION:
        return document, 0
    camera = document.camera and _repaired(document.camera)
    hands = [hand and _repaired_hand(hand) for hand in (document.left, document.right)]
    count = sum(
        old is not new
        for old, new in zip(_poses(document.camera, document.left, document.right), _poses(camera, *hands))
    )
    if not count:
        return document, 0
    return replace(document, camera=camera, left=hands[0], right=hands[1]), count


def _poses(camera: Pose | None, *hands: Hand | None) -> list[Pose]:
    joints = [pose for hand in hands if hand is not None for pose in hand.joints]
    return joints if camera is None else [camera, *joints]


def _repaired_hand(hand: Hand) -> Hand:
    return replace(hand, joints=[_repaired(pose) for pose in hand.joints])


def _repaired(pose: Pose) -> Pose:
    if not has_defect(pose):
        return pose
    x, y, z, w = pose.rotation
    keys = x.keys.copy()
    keys["value"] = rebuilt_w(keys["time"], _values(x), _values(y), _values(z), float(w.keys["value"][0]))
    return replace(pose, rotation=[x, y, z, Curve(keys, w.pre_wrap, w.post_wrap)])


def has_defect(pose: Pose) -> bool:
    """Return whether W lacks keys that X, Y and Z have, in the way that MRTK 2.6.0 to 2.7.2 leave it."""
    x, y, z, w = (curve.keys for curve in pose.rotation)
    if not len(x) == len(y) == len(z) or len(w) not in (1, 2) or len(x) <= len(w):
        return False
    times = x["time"]
    if not (np.array_equal(times, y["time"]) and np.array_equal(times, z["time"]) and times[0] == w["time"][0]):
        return False
    first = sum(float(keys["value"][0]) ** 2 for keys in (x, y, z, w))
    if not abs(first - 1.0) < _UNIT_TOLERANCE:
        return False
    return len(w) == 1 or bool(w["value"][1] == z["value"][-1] and w["time"][1] == times[-1])


def _values(curve: Curve) -> Array:
    return curve.keys["value"].astype(np.float64)


def rebuilt_w(times: Array, x: Array, y: Array, z: Array, first: float) -> Array:
    """Return W (n,) at each key: `first`'s sign times sqrt(1 - x^2 - y^2 - z^2), the sign carried on from key to key.

    The sign changes where X, Y and Z jump to the opposite (the device says -q for q; told apart from a turn through
    the identity only where they outweigh W) and where W runs through zero: there both neighbouring slopes,
    continued, cross it.
    """
    size: Array = np.sqrt(np.maximum(1.0 - x * x - y * y - z * z, 0.0))
    turns = np.ones(len(size))
    turns[0] = -1.0 if first < 0.0 else 1.0
    turns[1:][x[1:] * x[:-1] + y[1:] * y[:-1] + z[1:] * z[:-1] < -size[1:] * size[:-1]] *= -1.0
    turns[1:][_crossings(times.astype(np.float64), size)] *= -1.0
    return np.cumprod(turns) * size


def _crossings(times: Array, size: Array) -> Array:
    """Return (n - 1,) whether |w| = `size` (n,) bounces off zero in the segment, so that w itself crosses zero."""
    found = np.zeros(len(size) - 1, np.bool_)
    if len(size) < 4:
        return found
    span, rise = np.diff(times), np.diff(size)
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = rise / span
        from_left = size[1:-2] + slope[:-2] * span[1:-1]
        from_right = size[2:-1] - slope[2:] * span[1:-1]
    found[1:-1] = (from_left < 0.0) & (from_right < 0.0)
    return found
