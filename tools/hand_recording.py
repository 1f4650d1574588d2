"""Writes samples/two_hands_mrtk_1.1.bin and samples/left_hand_mrtk_1.0.bin: hands that open, pinch and make a fist.

    python tools/hand_recording.py [--output samples]

The hands are worked out joint by joint in the recorder's own space (metres, X to the right, Y up, Z forward), of the
size of a grown person's: each joint's Z axis points along its bone and Y out of the back of the hand. Written by the
byte layout alone. The same bytes each time.
"""

from __future__ import annotations

import argparse
import struct
from pathlib import Path
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float64]]

MAGIC = 0x6A8FAF6E0F9E42C6
FULL_KEY = np.dtype([("time", "<f4"), ("value", "<f4"), ("slope", "<f4", 2), ("weight", "<f4", 2), ("mode", "<i4")])
SHORT_KEY = np.dtype([("time", "<f4"), ("value", "<f4")])
CLAMPED = 8
KEYS_A_SECOND = 15
LOST = (4.6, 5.1)
"""Seconds during which the right hand is not tracked."""

PINCHED = 0.015
"""Metres between the tips of thumb and index finger below which the recorder tells of a pinch."""

FINGERS = {
    "Index": ((-0.016, 0.002, 0.030), (-0.026, 0.004, 0.092), (0.043, 0.025, 0.019), -5.0),
    "Middle": ((-0.003, 0.004, 0.030), (-0.004, 0.006, 0.096), (0.047, 0.029, 0.020), 0.0),
    "Ring": ((0.009, 0.003, 0.029), (0.017, 0.003, 0.089), (0.043, 0.027, 0.020), 5.0),
    "Pinky": ((0.020, 0.000, 0.027), (0.035, -0.003, 0.079), (0.034, 0.019, 0.018), 11.0),
}
"""Of the right hand, from its wrist: where metacarpal and knuckle are, the three bones' metres, degrees outwards."""

THUMB = ((-0.021, -0.009, 0.022), (0.044, 0.032, 0.026), 60.0)
"""Where it begins, its bones' metres, and degrees that its nail looks away from the other fingers'."""

POSES = {
    "rest": ((-32, 20, 12, 14), (16, 22, 12), (22, 27, 15), (26, 29, 16), (27, 27, 15)),
    "open": ((-46, 10, 2, 0), (2, 6, 4), (3, 6, 4), (4, 7, 4), (4, 7, 4)),
    "pinch": ((-28, 32, 25, 21), (51, 52, 24), (32, 34, 18), (24, 28, 16), (18, 24, 14)),
    "fist": ((-24, 36, 34, 42), (76, 96, 52), (80, 98, 54), (80, 98, 54), (78, 94, 52)),
}
"""Degrees: of the thumb sideways, down, and of its two joints; of each finger its three joints from the knuckle on."""

MOTION = (
    *((0.0, "rest"), (0.9, "open"), (1.6, "rest"), (2.3, "pinch"), (2.7, "pinch"), (3.3, "rest")),
    *((4.0, "fist"), (4.4, "fist"), (5.1, "open"), (6.0, "rest")),
)
LATER = 0.05
"""Seconds by which each finger follows the one before, and the left hand the right one five times."""


def turned(axis: int, degrees: Array | float) -> Array:
    """Matrices (n, 3, 3), or one, of a turn about X, Y or Z."""
    angle = np.radians(np.asarray(degrees, np.float64))
    found = np.zeros((*angle.shape, 3, 3))
    first, second = (axis + 1) % 3, (axis + 2) % 3
    found[..., axis, axis] = 1.0
    found[..., first, first] = found[..., second, second] = np.cos(angle)
    found[..., second, first], found[..., first, second] = np.sin(angle), -np.sin(angle)
    return found


def quaternions(turns: Array) -> Array:
    """Quaternions (n, 4) as x, y, z, w of matrices (n, 3, 3), each near the one before."""
    x, y, z = (turns[:, :, axis] for axis in range(3))
    signs = np.array([[1, -1, -1, 1], [-1, 1, -1, 1], [-1, -1, 1, 1]])
    squares = 1.0 + np.stack([x[:, 0], y[:, 1], z[:, 2]], axis=1) @ signs
    found = np.sqrt(np.maximum(squares, 0.0)) / 2.0
    found[:, :3] *= np.where(np.stack([y[:, 2] - z[:, 1], z[:, 0] - x[:, 2], x[:, 1] - y[:, 0]], axis=1) < 0, -1, 1)
    flips = np.cumprod(np.where((found[1:] * found[:-1]).sum(axis=1) < 0, -1, 1))
    found[1:] *= flips[:, None]
    return found


class Hand:
    """The joints of a right hand at (n,) moments: by name their places (n, 3) and turns (n, 3, 3)."""

    def __init__(self, times: Array) -> None:
        self.joints: dict[str, tuple[Array, Array]] = {}
        swing = [np.sin(times * speed + phase) for speed, phase in ((0.9, 0.3), (1.3, 1.1), (0.7, 2.0))]
        self._at = np.array([0.145, 1.27, 0.33]) + np.stack(swing, axis=1) * [0.018, 0.014, 0.012]
        self._turn = turned(1, -9 + 5 * swing[0]) @ turned(0, -24 + 6 * swing[1]) @ turned(2, -7 + 6 * swing[2])
        self._add("Wrist", np.zeros(3), self._turn)
        self._add("Palm", np.array([-0.001, 0.0, 0.062]), self._turn)
        for number, (name, (base, knuckle, lengths, outwards)) in enumerate(FINGERS.items(), 1):
            bends = angles(times, number)
            along = np.subtract(knuckle, base)
            pitch = -np.degrees(np.arctan2(along[1], along[2]))
            self._add(f"{name}Metacarpal", np.array(base), self._turn @ turned(0, pitch))
            turn = self._turn @ turned(1, outwards * (1.0 - bends[0] / 90.0))
            joints = (f"{name}Knuckle", f"{name}MiddleJoint", f"{name}DistalJoint", f"{name}Tip")
            self._chain(joints, np.array(knuckle), turn, bends, lengths)
        base, lengths, roll = THUMB
        sideways, down, *bends = angles(times, 0)
        turn = self._turn @ turned(1, sideways) @ turned(0, down) @ turned(2, roll)
        joints = ("ThumbMetacarpalJoint", "ThumbProximalJoint", "ThumbDistalJoint", "ThumbTip")
        self._chain(joints, np.array(base), turn, [0.0 * down, *bends], lengths)

    def _add(self, name: str, place: Array, turn: Array) -> None:
        """Add a joint that keeps its place (3,) in the hand."""
        self.joints[name] = (self._at + self._turn @ place, turn)

    def _chain(self, names: Any, place: Array, turn: Array, bends: Any, lengths: Any) -> None:
        """Add the joints of a finger, each bent by degrees (n,) towards the palm; the tip is turned as the last."""
        at = self._at + self._turn @ place
        for name, bend, length in zip(names, bends, lengths):
            turn = turn @ turned(0, bend)
            self.joints[name] = (at, turn)
            at = at + turn[:, :, 2] * length
        self.joints[names[-1]] = (at, turn)

    def mirrored(self) -> dict[str, tuple[Array, Array]]:
        """The same as a left hand."""
        mirror = np.diag([-1.0, 1.0, 1.0])
        return {name: (place @ mirror, mirror @ turn @ mirror) for name, (place, turn) in self.joints.items()}


def angles(times: Array, finger: int) -> Array:
    """Degrees (angles, n) of a finger's pose: eased from one of MOTION to the next, each finger a little later."""
    moments = np.array([moment for moment, _ in MOTION]) + LATER * finger * (np.arange(len(MOTION)) > 0)
    poses = np.array([POSES[pose][finger] for _, pose in MOTION], np.float64)
    before = np.clip(np.searchsorted(moments, times, side="right") - 1, 0, len(moments) - 2)
    share = np.clip((times - moments[before]) / (moments[before + 1] - moments[before]), 0.0, 1.0)
    eased = (share * share * (3.0 - 2.0 * share))[:, None]
    found: Array = (poses[before] + (poses[before + 1] - poses[before]) * eased).T
    return found


# --- Bytes ----------------------------------------------------------------------------------------


def curve(times: Array, values: Array, *, full: bool) -> bytes:
    """A curve: with slopes and weights of a third (`full`), else lines."""
    keys = np.zeros(len(times), FULL_KEY if full else SHORT_KEY)
    keys["time"], keys["value"] = times, rounded(values)
    if full and len(times) > 1:
        keys["slope"], keys["weight"], keys["mode"] = rounded(np.gradient(values, times))[:, None], 1.0 / 3.0, 3
    return struct.pack("<iii", CLAMPED, CLAMPED, len(keys)) + keys.tobytes()


def rounded(values: Array) -> Array:
    """Values (n,) that every machine has alike, whatever it makes of the last bits of a sine."""
    return np.round(np.asarray(values, np.float64), 6) + 0.0


def pose(times: Array, place: Array, turn: Array, *, full: bool) -> bytes:
    """Seven curves of places (n, 3) and turns (n, 3, 3)."""
    return b"".join(curve(times, values, full=full) for values in (*place.T, *quaternions(turn).T))


def switch(times: Array, on: Array) -> bytes:
    """A curve of a flag that changes with `on` (n,)."""
    first = np.append(True, on[1:] != on[:-1])
    return curve(times[first], on[first], full=False)


def recording(seconds: float, joints: Any, *, full: bool) -> bytes:
    """A recording of the left hand (`full`: version 1.0), or of both (version 1.1)."""
    times = np.arange(round(seconds * KEYS_A_SECOND) + 1) / KEYS_A_SECOND
    seen = [np.ones(len(times), bool), (times < LOST[0]) | (times > LOST[1])]
    hands = [Hand(times - 5 * LATER).mirrored(), Hand(times).joints]
    pinched = [np.linalg.norm(hand["ThumbTip"][0] - hand["IndexTip"][0], axis=1) < PINCHED for hand in hands]
    parts = [struct.pack("<qii", MAGIC, 1, 0) if full else struct.pack("<qii3?", MAGIC, 1, 1, True, True, False)]
    swing = np.stack([np.sin(times * speed) for speed in (0.8, 1.1, 0.5)], axis=1) * 0.004
    eyes = turned(0, 24.0 + 2.0 * np.sin(times))
    parts.append(pose(times, np.array([0.0, 1.6, 0.0]) + swing, eyes, full=full))
    flags = (seen[0], seen[1] & (not full), pinched[0], pinched[1] & (not full))
    parts += [switch(times, flag) for flag in flags]
    for hand, tracked in zip(hands, (seen[0], seen[1] & (not full))):
        for joint in joints:
            place, turn = hand.get(joint, (np.zeros((len(times), 3)), np.zeros((len(times), 3, 3))))
            kept = tracked & (joint in hand)
            parts.append(pose(times[kept], place[kept], turn[kept], full=full))
    return b"".join([*parts, struct.pack("<i", 0)])


def main() -> None:
    """Write both files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=Path(__file__).resolve().parent.parent / "samples")
    folder = parser.parse_args().output
    thumb = ("ThumbMetacarpalJoint", "ThumbProximalJoint", "ThumbDistalJoint", "ThumbTip")
    ends = ("Metacarpal", "Knuckle", "MiddleJoint", "DistalJoint", "Tip")
    joints = ("None", "Wrist", "Palm", *thumb, *(f"{finger}{end}" for finger in FINGERS for end in ends))
    (folder / "two_hands_mrtk_1.1.bin").write_bytes(recording(6.0, joints, full=False))
    (folder / "left_hand_mrtk_1.0.bin").write_bytes(recording(2.9, joints, full=True))


if __name__ == "__main__":
    main()
