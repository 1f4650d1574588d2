"""MRTK recordings of any size, written from the byte layout alone: two hands that move, sixty times a second."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np

MAGIC = 0x6A8FAF6E0F9E42C6
RATE = 60.0
JOINTS = 27
FULL_KEY = np.dtype([("time", "<f4"), ("value", "<f4"), ("slope", "<f4", 2), ("weight", "<f4", 2), ("mode", "<i4")])
SHORT_KEY = np.dtype([("time", "<f4"), ("value", "<f4")])


def curve(keys: np.ndarray) -> bytes:
    """One curve, clamped on both sides."""
    return struct.pack("<iii", 8, 8, len(keys)) + keys.tobytes()


def smooth_keys(times: np.ndarray, values: np.ndarray, full: bool) -> np.ndarray:
    """Keys with the slopes of the motion and weights of a third, where the version holds them."""
    keys = np.zeros(len(times), FULL_KEY if full else SHORT_KEY)
    keys["time"], keys["value"] = times, values
    if full and len(times) > 1:
        keys["slope"] = np.gradient(values, times)[:, None]
        keys["weight"], keys["mode"] = 1.0 / 3.0, 3
    return keys


def pose(times: np.ndarray, phase: float, full: bool) -> bytes:
    """Seven curves: a place that swings, and a unit rotation that turns."""
    places = [0.3 * np.sin(times * (0.7 + 0.1 * axis) + phase + axis) for axis in range(3)]
    angle = 0.6 * np.sin(times * 0.9 + phase)
    axis = np.array([0.36, 0.48, 0.8])
    turns = [*(np.sin(angle / 2.0) * part for part in axis), np.cos(angle / 2.0)]
    return b"".join(curve(smooth_keys(times, values, full)) for values in (*places, *turns))


def recording(seconds: float, *, full: bool, joints: range = range(1, JOINTS), hands: int = 2) -> bytes:
    """A recording of that length: version 1.0 with tangents (`full`), or 1.1; only `joints` have keys."""
    times = np.arange(round(seconds * RATE)) / RATE
    nothing = times[:0]
    parts = [struct.pack("<qii", MAGIC, 1, 0 if full else 1)]
    if not full:
        parts.append(bytes([True, True, False]))
    parts.append(pose(times, 0.0, full))
    switch = np.array([(0.0, 1.0)], SHORT_KEY)
    parts += [curve(switch if number % 2 < hands else switch[:0]) for number in range(4)]
    for hand in range(2):
        for joint in range(JOINTS):
            moving = joint in joints and hand < hands
            parts.append(pose(times if moving else nothing, 0.2 * joint + hand, full))
    parts.append(struct.pack("<i", 0))
    return b"".join(parts)


def write_recording(path: Path, seconds: float, *, full: bool, joints: range = range(1, JOINTS)) -> Path:
    """Write a recording to a file, if it is not there yet."""
    if not path.exists():
        path.write_bytes(recording(seconds, full=full, joints=joints))
    return path
