"""MRTK as a player of recordings: Unity's AnimationCurve and what `InputPlaybackService` shows at a moment.

In Unity's axes and seconds. A loaded joint without keys stands at the origin with a rotation of zeros; the game shows
a hand only while its tracked curve is above one half.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from operator import itemgetter
from typing import Any

import mrtk_reference
import numpy as np

Array = np.ndarray[Any, Any]
_CLAMPED = 1.0 / 3.0
_IN, _OUT = 1, 2
_LOOP, _PING_PONG = 2, 4


class Player:
    """A recording that can be shown at any second.

    Attributes:
        duration: seconds of the latest key of all curves, where MRTK stops.
        keys: how many keys of positions, rotations and rays it holds, by node.
    """

    def __init__(self, data: bytes) -> None:
        self.recording = mrtk_reference.read(data)
        poses = mrtk_reference.curves(self.recording)
        self._all = {**poses, **{("bool", name): curve for name, curve in self.recording["bool"].items()}}
        self.duration = max((curve["keys"][-1][0] for curve in self._all.values() if curve["keys"]), default=0.0)
        self.keys: dict[str, int] = {}
        for place, curve in poses.items():
            node = node_name(place)
            self.keys[node] = self.keys.get(node, 0) + len(curve["keys"])

    @property
    def version(self) -> tuple[int, int]:
        """1.0 or 1.1."""
        major, minor = self.recording["version"]
        return major, minor

    def has(self, node: str) -> bool:
        """Whether the file holds any key for a joint, the camera or the gaze."""
        return self.keys.get(node, 0) > 0

    def pose(self, node: str, seconds: float) -> tuple[Array, Array]:
        """Position and unit rotation (x, y, z, w) of a joint such as `Palm.L`, or `Camera`; zeros stay zeros."""
        curves = self._pose_curves(node)
        values = np.array([value_at(curves[name], seconds) for name in mrtk_reference.POSE])
        length = float(np.linalg.norm(values[3:]))
        return values[:3], values[3:] / length if length > 0 else values[3:]

    def gaze(self, seconds: float) -> tuple[Array, Array]:
        """Origin and direction of the eye gaze."""
        curves = self.recording["gaze"]
        values = np.array([value_at(curves[name], seconds) for name in mrtk_reference.RAY])
        return values[:3], values[3:]

    def tracked(self, side: str, seconds: float) -> bool:
        """Whether the hand `L` or `R` is shown."""
        return bool(self.recording["bool"]) and self.switch("tracked", side, seconds)

    def switch(self, name: str, side: str, seconds: float) -> bool:
        """Whether a hand of a file that has hands is `tracked`, or `pinching`."""
        stem = {"tracked": "handTrackedCurve", "pinching": "handPinchCurve"}[name]
        curve = self.recording["bool"][stem + {"L": "Left", "R": "Right"}[side]]
        return step_at(curve, seconds) > 0.5

    def _pose_curves(self, node: str) -> dict[str, Any]:
        if node == "Camera":
            return dict(self.recording["camera"])
        joint, side = node.rsplit(".", 1)
        return dict(self.recording[{"L": "jointsLeft", "R": "jointsRight"}[side]][joint])


def node_name(place: tuple[str, ...]) -> str:
    """`Palm.L` of ("jointsLeft", "Palm", "PositionX"), else `Camera` or `Gaze`."""
    part, joint = place[0], place[1]
    sides = {"jointsLeft": "L", "jointsRight": "R"}
    return f"{joint}.{sides[part]}" if part in sides else part.capitalize()


def step_at(curve: Any, seconds: float) -> float:
    """A curve of switches: the last key at or before the moment, the first before it."""
    keys = curve["keys"]
    if not keys:
        return 0.0
    seconds = _within(curve, seconds)
    return float(next((key[1] for key in reversed(keys) if key[0] <= seconds), keys[0][1]))


def value_at(curve: Any, seconds: float) -> float:
    """A curve of floats, outside its keys as its wrap modes say, as `AnimationCurve.Evaluate`."""
    keys = curve["keys"]
    if not keys:
        return 0.0
    seconds = _within(curve, seconds)
    if seconds <= keys[0][0]:
        return float(keys[0][1])
    if seconds >= keys[-1][0]:
        return float(keys[-1][1])
    number = bisect_right(keys, seconds, key=itemgetter(0)) - 1
    return _between(keys[number], keys[number + 1], seconds)


def _within(curve: Any, seconds: float) -> float:
    """The moment between a curve's first key and its last that its wrap modes play for another: Loop, PingPong."""
    first, last = curve["keys"][0][0], curve["keys"][-1][0]
    wrap = curve["pre"] if seconds < first else curve["post"] if seconds > last else None
    if last <= first or wrap not in (_LOOP, _PING_PONG):
        return seconds
    if wrap == _LOOP:
        return float(first + (seconds - first) % (last - first))
    return float(last - abs((seconds - first) % (2 * (last - first)) - (last - first)))


def _between(left: Any, right: Any, seconds: float) -> float:
    span = right[0] - left[0]
    share = (seconds - left[0]) / span
    if len(left) == 2:
        return float(left[1] + share * (right[1] - left[1]))
    rising, arriving = left[3], right[2]
    if not (math.isfinite(rising) and math.isfinite(arriving)):
        return float(left[1])
    first = left[5] if left[6] & _OUT else _CLAMPED
    second = right[4] if right[6] & _IN else _CLAMPED
    moment = _solve(share, first, 1.0 - second)
    heights = (left[1], left[1] + first * span * rising, right[1] - second * span * arriving, right[1])
    return float(_bezier(moment, *heights))


def _bezier(at: float, first: float, second: float, third: float, last: float) -> float:
    rest = 1.0 - at
    return rest**3 * first + 3 * rest * rest * at * second + 3 * rest * at * at * third + at**3 * last


def _solve(share: float, first: float, second: float) -> float:
    """Where on the Bezier its time is `share`, by halving."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _bezier(middle, 0.0, first, second, 1.0) < share else (low, middle)
    return (low + high) / 2
