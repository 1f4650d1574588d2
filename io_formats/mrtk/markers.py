"""Markers of a recording and the pose markers that Blender makes of them, on whole frames and with short names."""

from __future__ import annotations

import numpy as np

from .. import clip
from .document import Marker

_CUT_NAME = 60
_SLOWEST_RATE = 24.0


def merged_markers(found: list[clip.Marker], old: list[Marker], rate: float) -> list[Marker]:
    """Return the markers to write, in order of time; those that the source has, too, keep their own numbers.

    Args:
        found: Blender's markers; texts may be cut to 63 bytes, times, in seconds, rounded to frames.
        old: the source's markers.
        rate: frames per second of the scene, 0 where it is not known.
    """
    slack = 0.5 / (rate if rate > 0 else _SLOWEST_RATE) + 1e-6
    left = list(old)
    result: list[Marker] = []
    for marker in found:
        known = next((one for one in left if _means(one, marker, slack)), None)
        if known is None:
            result.append(Marker(np.float32(marker.time), marker.text.encode("utf-8", "replace")))
        else:
            left.remove(known)
            result.append(known)
    hidden = [marker for marker in left if not np.isfinite(marker.time)]
    if set(map(id, result)) <= set(map(id, old)):
        kept = set(map(id, result + hidden))
        return [marker for marker in old if id(marker) in kept]
    return sorted(result, key=lambda marker: float(marker.time)) + hidden


def _means(known: Marker, marker: clip.Marker, slack: float) -> bool:
    text = known.text.decode("utf-8", "replace")
    cut = len(marker.text.encode("utf-8", "replace")) >= _CUT_NAME and text.startswith(marker.text)
    return abs(float(known.time) - marker.time) <= slack and (text == marker.text or cut)
