"""Reduction of dense samples to few keys, from which the engine plays every sample within a tolerance.

Errors are measured against the samples themselves, never against an earlier reduction, so that they cannot add up.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..clip import Array, quaternion

_SIDE_BY_SIDE = 8
"""Longest run that is tried for all frames at once; longer runs are searched from the kept keys only."""

Blend = Callable[[Array, Array, Array], Array]
"""Interpolate between two values (components, n), at fractions (n,) of the way."""

Miss = Callable[[Array, Array, Array, Array], Array]
"""Return (n,) distances of samples (components, n) from the interpolation between two values at fractions (n,)."""


def line_miss(start: Array, end: Array, part: Array, wanted: Array) -> Array:
    """Return the distance (n,) of `wanted` (components, n) from a straight line, in the values' unit."""
    miss: Array = np.abs(start + (end - start) * part - wanted).max(axis=0)
    return miss


def arc_miss(start: Array, end: Array, part: Array, wanted: Array) -> Array:
    """Return the angle in radians from the great arc; quaternions (4, n), as the engine interpolates."""
    return quaternion.angle(great_arc(start, end, part), wanted)


def straight_miss(start: Array, end: Array, part: Array, wanted: Array) -> Array:
    """Return the angle in radians from the normalised straight line; quaternions (4, n), as the Middle-earth games
    interpolate."""
    return quaternion.angle(straight(start, end, part), wanted)


def great_arc(start: Array, end: Array, part: Array) -> Array:
    """Return the engine's interpolation of quaternions (4, n): along the shorter great arc, not normalised."""
    # the shorter of the two arcs
    dots = (start * end).sum(axis=0)
    end = np.where(dots < 0, -end, end)
    angle = np.arccos(np.minimum(np.abs(dots), 1.0))
    sine = np.sin(angle)
    # nearly equal quaternions are interpolated linearly: the sine would divide by zero
    near = sine < 1e-6
    safe = np.where(near, 1.0, sine)
    first = np.where(near, 1 - part, np.sin((1 - part) * angle) / safe)
    second = np.where(near, part, np.sin(part * angle) / safe)
    result: Array = first * start + second * end
    return result


def straight(start: Array, end: Array, part: Array) -> Array:
    """Return the linear interpolation of quaternions (4, n) with the shorter arc's signs, not normalised."""
    dots = (start * end).sum(axis=0)
    result: Array = start + (np.where(dots < 0, -end, end) - start) * part
    return result


def reduce_keys(values: Array, miss: Miss, tolerance: float, stepped: Array) -> Array:
    """Return (n,) bool: the samples that stay as keys.

    Args:
        values: (components, n) float64, one for each frame.
        miss: how the engine moves between two keys.
        tolerance: in the unit of `miss`.
        stepped: (n,) bool, the value is held and then jumps to this frame; such frames stay keys.
    """
    count = values.shape[1]
    keep = np.zeros(count, bool)
    if count == 0:
        return keep
    # nothing is interpolated across a step, so each part between two steps is reduced by itself
    ends = np.append(np.flatnonzero(stepped)[np.flatnonzero(stepped) > 0], count)
    reach = _reaches(values, miss, tolerance)
    start = 0
    for end in ends:
        _reduce_part(keep, values, miss, tolerance, reach, start, int(end) - 1)
        start = int(end)
    return keep


def _reaches(values: Array, miss: Miss, tolerance: float) -> Array:
    """Return (n,) the most frames that one segment can span from each frame of values (components, n) on.

    Up to _SIDE_BY_SIDE, which means that it may be longer.
    """
    count = values.shape[1]
    reach = np.ones(count, np.int64)
    alive = np.arange(count)
    for length in range(2, _SIDE_BY_SIDE + 1):
        # frames from which all shorter segments hold, and that are followed by enough frames
        alive = alive[alive + length < count]
        start, end = values[:, alive], values[:, alive + length]
        # the segment holds if every sample within it is near enough
        good = np.ones(len(alive), bool)
        for step in range(1, length):
            good &= miss(start, end, np.full(len(alive), step / length), values[:, alive + step]) <= tolerance
        alive = alive[good]
        reach[alive] = length
    return reach


def _reduce_part(keep: Array, values: Array, miss: Miss, tolerance: float, reach: Array, first: int, last: int) -> None:
    """Mark the keys to keep from frame `first` to `last`, both included; `keep` (n,) is changed.

    Greedy: each segment is as long as the tolerance allows.
    """
    at = first
    keep[first] = True
    while at < last:
        step = int(reach[at])
        if step >= _SIDE_BY_SIDE:
            step = _gallop(values, miss, tolerance, at, last, step)
        at = min(at + step, last)
        keep[at] = True
    # the last key is not needed if the value does not change after the key before it
    held = np.flatnonzero(keep[first : last + 1]) + first
    if len(held) > 1 and bool((values[:, held[-2] : last + 1] == values[:, held[-2] : held[-2] + 1]).all()):
        keep[held[-1]] = False


def _gallop(values: Array, miss: Miss, tolerance: float, start: int, last: int, known: int) -> int:
    """Return the most frames that a segment from frame `start` on can span; `known` frames are known to hold."""
    good, bad = known, last - start + 1
    # double the increment while the segment holds
    step = known
    while good + step < bad:
        if not _holds(values, miss, tolerance, start, good + step):
            bad = good + step
            break
        good, step = good + step, step * 2
    # then bisect between the longest that holds and the shortest that does not
    while bad - good > 1:
        middle = (good + bad) // 2
        if _holds(values, miss, tolerance, start, middle):
            good = middle
        else:
            bad = middle
    return good


def _holds(values: Array, miss: Miss, tolerance: float, first: int, length: int) -> bool:
    """Return whether all samples between two keys, `length` frames apart, are within the tolerance."""
    inside = values[:, first + 1 : first + length]
    part = np.arange(1, length) / length
    start, end = values[:, first : first + 1], values[:, first + length : first + length + 1]
    return bool((miss(start, end, part, inside) <= tolerance).all())


def play(frames: Array, values: Array, steps: Array, frame_count: int, arc: Blend | None) -> Array:
    """Return (components, frame_count): what the engine shows on whole frames.

    Args:
        frames: (n,) ascending whole frames of the keys, the first is 0.
        values: (components, n) float64.
        steps: (n,) bool, the value jumps to this key.
        arc: interpolation of quaternions; None for numbers.
    """
    # the keys before and after each frame
    asked = np.arange(frame_count)
    left = np.searchsorted(frames, asked, side="right") - 1
    right = np.minimum(left + 1, len(frames) - 1)
    # the fraction of the way between them: 0 if the value is held until it jumps, and after the last key
    gap = frames[right] - frames[left]
    part = np.where((gap > 0) & ~steps[right], (asked - frames[left]) / np.where(gap > 0, gap, 1), 0.0)
    start, end = values[:, left], values[:, right]
    if arc is None:
        result: Array = start + (end - start) * part
        return result
    return np.where(part > 0, arc(start, end, part), start)
