"""What a recording holds, in a few numbers."""

from __future__ import annotations

import math

import numpy as np

from ..clip import Array
from ..format import Facts
from . import layout
from .document import Document


def duration(document: Document) -> float:
    """Return seconds until the last key of all curves, as MRTK computes it; 0 for a recording without keys."""
    return max((_last_time(keys["time"]) for keys in document.key_arrays()), default=0.0)


def _last_time(times: Array) -> float:
    if not len(times):
        return 0.0
    latest = float(np.maximum.reduce(times))
    if math.isfinite(latest):
        return latest
    finite = times[np.isfinite(times)]
    return float(finite.max()) if len(finite) else 0.0


def plays(document: Document) -> bool:
    """Return whether the recording has a camera, a hand or a gaze."""
    sections = (document.camera, document.gaze, *(joint for _, hand in document.hands for joint in hand.joints))
    return any(section is not None and section.has_keys for section in sections)


def describe(document: Document) -> Facts:
    """Return version, sections, counts, duration in seconds and names, ready for JSON. Slot None is not a joint."""
    joints = [
        f"{joint}.{side}"
        for side, hand in document.hands
        for joint, pose in zip(layout.JOINTS[1:], hand.joints[1:])
        if pose.has_keys
    ]
    return {
        "version": "{}.{}".format(*document.version),
        "camera": document.camera is not None and document.camera.has_keys,
        "hands": len({name[-1] for name in joints}),
        "gaze": document.gaze is not None and document.gaze.has_keys,
        "joints": len(joints),
        "keys": sum(len(keys) for keys in document.key_arrays()),
        "duration": duration(document),
        "rate": 0.0,
        "markers": [marker.text.decode("utf-8", "replace") for marker in document.markers or ()],
        "names": joints,
    }
