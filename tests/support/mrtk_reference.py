"""A second, plain reader of MRTK recordings, so that tests do not judge the project by its own code.

Written from the byte layout alone: little-endian, curves of 28-byte keys (1.0) or 8-byte keys (1.1).
"""

from __future__ import annotations

import gzip
import json
import struct
from pathlib import Path
from typing import Any

JOINTS = (
    "None Wrist Palm ThumbMetacarpalJoint ThumbProximalJoint ThumbDistalJoint ThumbTip IndexMetacarpal IndexKnuckle"
    " IndexMiddleJoint IndexDistalJoint IndexTip MiddleMetacarpal MiddleKnuckle MiddleMiddleJoint MiddleDistalJoint"
    " MiddleTip RingMetacarpal RingKnuckle RingMiddleJoint RingDistalJoint RingTip PinkyMetacarpal PinkyKnuckle"
    " PinkyMiddleJoint PinkyDistalJoint PinkyTip"
).split()
POSE = ["PositionX", "PositionY", "PositionZ", "RotationX", "RotationY", "RotationZ", "RotationW"]
RAY = ["OriginX", "OriginY", "OriginZ", "DirectionX", "DirectionY", "DirectionZ"]
BOOLS = ["handTrackedCurveLeft", "handTrackedCurveRight", "handPinchCurveLeft", "handPinchCurveRight"]

Curve = dict[str, Any]


class _Cursor:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, layout: str) -> tuple[Any, ...]:
        values = struct.unpack_from("<" + layout, self.data, self.at)
        self.at += struct.calcsize("<" + layout)
        return values

    def curve(self, key: str) -> Curve:
        before, after, count = self.take("iii")
        start = self.at
        keys = [self.take(key) for _ in range(count)]
        return {"pre": before, "post": after, "keys": keys, "place": (start, struct.calcsize("<" + key))}

    def marker(self) -> tuple[float, str]:
        """Time and text, whose length is a varint."""
        (time,), length, shift = self.take("f"), 0, 0
        while (byte := self.take("B")[0]) > 127:
            length, shift = length | (byte & 127) << shift, shift + 7
        length |= byte << shift
        self.at += length
        return time, self.data[self.at - length : self.at].decode("utf-8")

    def pose(self, key: str) -> dict[str, Curve]:
        return {name: self.curve(key) for name in POSE}


def read(data: bytes) -> dict[str, Any]:
    """Curves by name: {"camera": {...}, "bool": {...}, "jointsLeft": {joint: {...}}, "jointsRight", "gaze"}."""
    cursor = _Cursor(data)
    magic, major, minor = cursor.take("qii")
    assert magic == 0x6A8FAF6E0F9E42C6, "not a recording"
    flags = cursor.take("???") if (major, minor) == (1, 1) else (True, True, False)
    key = "ff" if (major, minor) == (1, 1) else "ffffffi"
    found: dict[str, Any] = {"version": [major, minor], "camera": {}, "bool": {}, "gaze": {}}
    found["jointsLeft"], found["jointsRight"] = {}, {}
    if flags[0]:
        found["camera"] = cursor.pose(key)
    if flags[1]:
        found["bool"] = {name: cursor.curve("ff") for name in BOOLS}
        for side in ("jointsLeft", "jointsRight"):
            found[side] = {joint: cursor.pose(key) for joint in JOINTS}
    if flags[2]:
        found["gaze"] = {name: cursor.curve(key) for name in RAY}
    found["markers"] = [cursor.marker() for _ in range(cursor.take("i")[0])]
    return found


def golden(path: Path) -> dict[str, Any]:
    """The JSON that lies beside a golden recording, packed or not."""
    plain = path.with_suffix(".json")
    if plain.exists():
        return dict(json.loads(plain.read_text(encoding="utf-8")))
    with gzip.open(path.with_suffix(".json.gz"), "rt", encoding="utf-8") as stream:
        return dict(json.load(stream))


def curves(recording: dict[str, Any]) -> dict[tuple[str, ...], Curve]:
    """All pose and ray curves of a recording, by ("jointsLeft", "Palm", "PositionX") or ("camera", "PositionX")."""
    found: dict[tuple[str, ...], Curve] = {}
    for part in ("camera", "gaze"):
        for name, curve in recording.get(part, {}).items():
            found[part, name] = curve
    for side in ("jointsLeft", "jointsRight"):
        for joint, pose in recording.get(side, {}).items():
            for name, curve in pose.items():
                found[side, joint, name] = curve
    return found
