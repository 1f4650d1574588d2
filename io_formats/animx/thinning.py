"""Fewer keys for what moves faster than can be seen: lines as close as the number of keys allows."""

from __future__ import annotations

import numpy as np

from ..clip import CONSTANT, LINEAR, Array, Interpolation, Track, fit, reduction

_SPARE = 16
"""Number of keys that even the shortest motion may have."""

_COARSER = 1.25
_MOST_OFF = 0.1
"""Largest error at all, as a share of the range, however many keys it takes."""


def thinned(block: Track, most: float, tolerance: float) -> tuple[Track, float]:
    """Return the block with at most so many keys, replaced by lines if it has more, and the largest error of these.

    Steps are kept, with the values that they hold.

    Args:
        most: keys a second.
        tolerance: the first one tried, in the unit of the values; it grows until the keys are few enough.
    """
    allowed = most * float(block.times[-1] - block.times[0]) + _SPARE if len(block.times) else 0.0
    if len(block.times) <= allowed:
        return block, 0.0
    lines, drawn = fit.linearise(block, tolerance)
    keep, steps = np.ones(len(lines.times), dtype=bool), lines.interpolation == Interpolation.CONSTANT
    while keep.sum() > allowed and tolerance < _MOST_OFF * float(np.ptp(lines.values)):
        steps = _steps(lines, tolerance)
        keep = reduction.reduce_runs(lines.times, lines.values, steps, tolerance)
        if keep.sum() > allowed:
            tolerance *= _COARSER
    if len(block.times) <= keep.sum():
        return block, 0.0
    shapes = np.where(steps, CONSTANT, LINEAR)[keep]
    return lines.redrawn(lines.times[keep], lines.values[:, keep], shapes), 2 * tolerance + drawn


def _steps(lines: Track, tolerance: float) -> Array:
    """Return (n,) which keys hold until a jump larger than the tolerance; lines can play any smaller one."""
    jumps = np.abs(np.diff(lines.values, axis=1)).max(axis=0) > tolerance
    result: Array = np.append(jumps, False) & (lines.interpolation == Interpolation.CONSTANT)
    return result
