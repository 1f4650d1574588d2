"""Fewer samples: which points of a polyline straight lines need so as to pass all of them within a tolerance.

The error of a line is always measured against every original sample under it, so nothing drifts. Three passes, each
over the whole curve at once: Ramer, Douglas and Peucker's division; then, between every sixteenth of its keys, lines
drawn as far as they reach; then each key is tried again whether it can go.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from . import Array

Distance = Callable[[Array, Array], Array]
_STRETCH = 16
_FINENESS = 32


def largest_difference(a: Array, b: Array) -> Array:
    """Return (n,) the largest difference of the components of a and b (components, n)."""
    result: Array = np.abs(a - b).max(axis=0)
    return result


def reduce_linear(times: Array, values: Array, tolerance: float, distance: Distance | None = None) -> Array:
    """Tell which samples straight lines need so that they pass every sample within the tolerance.

    Args:
        times: (n,) ascending.
        values: (components, n).
        tolerance: in the unit of `distance`, 0 keeps what is not exactly on a line.
        distance: of two blocks (components, n), gives (n,); the largest difference of a component if None.

    Returns:
        (n,) bool; first and last are always kept.
    """
    count = len(times)
    keep = np.zeros(count, dtype=bool)
    if count < 3:
        keep[:] = True
        return keep
    samples = _Samples(times.astype(np.float64), values.astype(np.float64), distance or largest_difference)
    keep[[0, -1]] = True
    _divide(samples, keep, tolerance)
    _reach_far(samples, keep, tolerance)
    _thin_out(samples, keep, tolerance)
    return keep


def reduce_runs(times: Array, values: Array, steps: Array, tolerance: float, distance: Distance | None = None) -> Array:
    """Return the same as `reduce_linear`, but what begins and ends a step, or a jump at one time, is always kept.

    Args:
        steps: (n,) bool, which samples are held until the next.
    """
    keep = np.ones(len(times), dtype=bool)
    breaks = np.flatnonzero(steps[:-1] | (np.diff(times) <= 0)) + 1
    bounds = np.concatenate(([0], breaks, [len(times)]))
    long = np.flatnonzero(np.diff(bounds) > 2)
    for first, last in zip(bounds[long].tolist(), bounds[long + 1].tolist()):
        run = slice(first, last)
        keep[run] = reduce_linear(times[run], values[:, run], tolerance, distance)
    return keep


class _Samples:
    """The original, to measure lines against."""

    def __init__(self, times: Array, values: Array, distance: Distance) -> None:
        self.times = times
        self.values = values
        self.distance = distance

    def errors(self, at: Array, left: Array, right: Array) -> Array:
        """Return the distance of the samples `at` from the lines between `left` and `right`; NaN counts as infinite."""
        start = self.times[left]
        length = self.times[right] - start
        part = (self.times[at] - start) / np.where(length > 0, length, 1.0)
        first = self.values[:, left]
        line = first + (self.values[:, right] - first) * part
        error = self.distance(line, self.values[:, at])
        return np.where(np.isnan(error), np.inf, error)

    def line_errors(self, left: Array, right: Array) -> Array:
        """Return (k,) the largest distance of the samples between `left` and `right` from their line; 0 for none."""
        sizes = right - left - 1
        filled = sizes > 0
        opens = np.cumsum(sizes) - sizes
        group = np.repeat(np.arange(len(sizes)), sizes)
        at = np.arange(len(group)) - opens[group] + left[group] + 1
        worst = np.zeros(len(sizes))
        if len(group):
            worst[filled] = np.maximum.reduceat(self.errors(at, left[group], right[group]), opens[filled])
        return worst


def _divide(samples: _Samples, keep: Array, tolerance: float) -> None:
    """Keep the worst sample of each piece, until none is worse than the tolerance."""
    pending = np.arange(len(keep))[~keep]
    while len(pending):
        kept = np.flatnonzero(keep)
        piece = np.searchsorted(kept, pending)
        errors = samples.errors(pending, kept[piece - 1], kept[piece])
        opens = np.flatnonzero(np.append(True, piece[1:] != piece[:-1]))
        worst = np.maximum.reduceat(errors, opens)
        sizes = np.diff(np.append(opens, len(pending)))
        bad = np.repeat(worst > tolerance, sizes)
        hit = np.flatnonzero(bad & (errors == np.repeat(worst, sizes)))
        group = np.repeat(np.arange(len(opens)), sizes)[hit]
        chosen = hit[np.append(True, group[1:] != group[:-1])] if len(hit) else hit
        keep[pending[chosen]] = True
        bad[chosen] = False
        pending = pending[bad]


def _reach_far(samples: _Samples, keep: Array, tolerance: float) -> None:
    """Redraw each stretch of sixteen pieces with lines that reach as far as they can, where that needs fewer."""
    kept = np.flatnonzero(keep)
    bounds = np.append(kept[:-1:_STRETCH], kept[-1])
    ends = bounds[1:]
    fresh = np.zeros(len(keep), dtype=bool)
    fresh[bounds] = True
    start = bounds[:-1].copy()
    good, bad = start + 1, ends + 1
    active = np.flatnonzero(start < ends)
    while len(active):
        aim = _next_aim(start[active], good[active], bad[active], ends[active])
        fits = samples.line_errors(start[active], aim) <= tolerance
        good[active], bad[active] = np.where(fits, aim, good[active]), np.where(fits, bad[active], aim)
        near = np.maximum(1, (good[active] - start[active]) // _FINENESS)
        done = active[(good[active] == ends[active]) | (bad[active] - good[active] <= near)]
        fresh[good[done]] = True
        start[done] = good[done]
        good[done], bad[done] = np.minimum(start[done] + 1, ends[done]), ends[done] + 1
        active = active[start[active] < ends[active]]
    stretch = np.arange(len(ends))
    fewer = np.add.reduceat(fresh, bounds[:-1]) < np.add.reduceat(keep, bounds[:-1])
    for_each = np.repeat(stretch, np.diff(np.append(bounds[:-1], len(keep))))
    keep[:] = np.where(fewer[for_each], fresh, keep)


def _next_aim(start: Array, good: Array, bad: Array, ends: Array) -> Array:
    """Return how far to try next: half as far again while nothing failed, else between what fits and what does not."""
    further = np.minimum(start + (good - start) * 3 // 2 + 1, ends)
    result: Array = np.where(bad > ends, further, (good + bad) // 2)
    return result


def _thin_out(samples: _Samples, keep: Array, tolerance: float) -> None:
    """Drop keys that are not needed after all; of two neighbours only the one that costs less in a round."""
    blocked = np.zeros(len(keep), dtype=bool)
    while True:
        kept = np.flatnonzero(keep)
        if len(kept) < 3:
            return
        cost = np.full(len(kept), np.inf)
        ask = 1 + np.flatnonzero(~blocked[kept[1:-1]])
        cost[ask] = samples.line_errors(kept[ask - 1], kept[ask + 1])
        blocked[kept[ask[cost[ask] > tolerance]]] = True
        free = cost <= tolerance
        lowest = free[1:-1] & (cost[1:-1] < cost[:-2]) & (cost[1:-1] <= cost[2:])
        gone = 1 + np.flatnonzero(lowest)
        if not len(gone):
            return
        keep[kept[gone]] = False
