"""Few keys for dense samples: what the engine makes of those kept stays within a tolerance of every sample.

Errors are measured against the samples themselves, never against an earlier reduction, so that they cannot add up.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..clip import Array, quaternion

_SIDE_BY_SIDE = 8
"""Longest run that is tried for all frames at once; longer ones are looked for from the keys that are kept."""

Blend = Callable[[Array, Array, Array], Array]
"""Values (components, n) between two, at parts (n,) of the way."""

Miss = Callable[[Array, Array, Array, Array], Array]
"""How far samples (components, n) are from the way between two values at parts (n,) of it."""


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
    """Return the engine's interpolation of quaternions (4, n): along the shorter great arc, ends as they are."""
    dots = (start * end).sum(axis=0)
    end = np.where(dots < 0, -end, end)
    angle = np.arccos(np.minimum(np.abs(dots), 1.0))
    sine = np.sin(angle)
    near = sine < 1e-6
    safe = np.where(near, 1.0, sine)
    first = np.where(near, 1 - part, np.sin((1 - part) * angle) / safe)
    second = np.where(near, part, np.sin(part * angle) / safe)
    result: Array = first * start + second * end
    return result


def straight(start: Array, end: Array, part: Array) -> Array:
    """Return the straight line between quaternions (4, n) on the short way, not normalised."""
    dots = (start * end).sum(axis=0)
    result: Array = start + (np.where(dots < 0, -end, end) - start) * part
    return result


def reduce_keys(values: Array, miss: Miss, tolerance: float, stepped: Array) -> Array:
    """Return (n,) bool: the samples that stay as keys.

    Args:
        values: (components, n) float64, one for each frame.
        miss: how the engine moves between two keys.
        tolerance: in the unit of `miss`.
        stepped: (n,) bool, the value jumps to this frame after having been held; such frames stay keys.
    """
    count = values.shape[1]
    keep = np.zeros(count, bool)
    if count == 0:
        return keep
    ends = np.append(np.flatnonzero(stepped)[np.flatnonzero(stepped) > 0], count)
    reach = _reaches(values, miss, tolerance)
    start = 0
    for end in ends:
        _reduce_part(keep, values, miss, tolerance, reach, start, int(end) - 1)
        start = int(end)
    return keep


def _reaches(values: Array, miss: Miss, tolerance: float) -> Array:
    """Return (n,) how many frames one straight run can span from each frame on, up to _SIDE_BY_SIDE."""
    count = values.shape[1]
    reach = np.ones(count, np.int64)
    alive = np.arange(count)
    for length in range(2, _SIDE_BY_SIDE + 1):
        alive = alive[alive + length < count]
        start, end = values[:, alive], values[:, alive + length]
        good = np.ones(len(alive), bool)
        for step in range(1, length):
            good &= miss(start, end, np.full(len(alive), step / length), values[:, alive + step]) <= tolerance
        alive = alive[good]
        reach[alive] = length
    return reach


def _reduce_part(keep: Array, values: Array, miss: Miss, tolerance: float, reach: Array, first: int, last: int) -> None:
    """Keep keys from `first` to `last`, both included, unless the value is held to the end."""
    place = first
    keep[first] = True
    while place < last:
        step = int(reach[place])
        if step >= _SIDE_BY_SIDE:
            step = _gallop(values, miss, tolerance, place, last, step)
        place = min(place + step, last)
        keep[place] = True
    held = np.flatnonzero(keep[first : last + 1]) + first
    if len(held) > 1 and bool((values[:, held[-2] : last + 1] == values[:, held[-2] : held[-2] + 1]).all()):
        keep[held[-1]] = False


def _gallop(values: Array, miss: Miss, tolerance: float, place: int, last: int, known: int) -> int:
    """Return the longest run from `place` on: doubled while it holds, then halved in."""
    good, bad = known, last - place + 1
    step = known
    while good + step < bad:
        if not _holds(values, miss, tolerance, place, good + step):
            bad = good + step
            break
        good, step = good + step, step * 2
    while bad - good > 1:
        middle = (good + bad) // 2
        if _holds(values, miss, tolerance, place, middle):
            good = middle
        else:
            bad = middle
    return good


def _holds(values: Array, miss: Miss, tolerance: float, place: int, length: int) -> bool:
    inside = values[:, place + 1 : place + length]
    part = np.arange(1, length) / length
    start, end = values[:, place : place + 1], values[:, place + length : place + length + 1]
    return bool((miss(start, end, part, inside) <= tolerance).all())


def play(frames: Array, values: Array, steps: Array, frame_count: int, arc: Blend | None) -> Array:
    """Return (components, frame_count) what the engine shows on whole frames, from keys at ascending whole `frames`
    from 0 on.

    Args:
        values: (components, n) float64.
        steps: (n,) bool, the value jumps to this key.
        arc: interpolation of quaternions; None for numbers.
    """
    asked = np.arange(frame_count)
    left = np.searchsorted(frames, asked, side="right") - 1
    right = np.minimum(left + 1, len(frames) - 1)
    gap = frames[right] - frames[left]
    part = np.where((gap > 0) & ~steps[right], (asked - frames[left]) / np.where(gap > 0, gap, 1), 0.0)
    start, end = values[:, left], values[:, right]
    if arc is None:
        result: Array = start + (end - start) * part
        return result
    return np.where(part > 0, arc(start, end, part), start)
