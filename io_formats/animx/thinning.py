"""Fewer keys where something moves faster than anybody sees: lines that are as near as their number lets them be."""

from __future__ import annotations

import numpy as np

from ..clip import CONSTANT, LINEAR, Array, Interpolation, Track, fit, reduction

_SPARE = 16
"""Keys that even the shortest motion may have."""

_COARSER = 1.25
_MOST_OFF = 0.1
"""As a part of the range: nothing is told with a larger error, whatever the number of its keys."""


def thinned(block: Track, most: float, tolerance: float) -> tuple[Track, float]:
    """Return the block with at most so many keys, as lines where they are too many, and how far these are off.

    Steps stay, and what they hold.

    Args:
        most: keys a second.
        tolerance: to begin with, in the unit of the values; made coarser until the keys are few enough.
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
    """Return (n,) which keys hold until a jump that is more than the tolerance; a line says any other as well."""
    jumps = np.abs(np.diff(lines.values, axis=1)).max(axis=0) > tolerance
    result: Array = np.append(jumps, False) & (lines.interpolation == Interpolation.CONSTANT)
    return result
