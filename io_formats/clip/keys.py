"""The engine of keys: the fewest keys that play what was sampled, within a tolerance that is measured.

Keys are samples. What a format plays between two of them is a straight line or an arc of a turn (`lines`), or a cubic
with free tangents (`cubics`). A piece from one key to the next is always measured against every sample under it, never
against an earlier result, so that errors cannot add up.

Three passes find the keys, each over all pieces at once. The first divides where a piece is worst off, until none is
too far off (Ramer, Douglas and Peucker). The second draws pieces anew, from every 64th key on, each as far as it
reaches. The third asks each key once more whether its neighbours can do without it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple, TypeAlias

import numpy as np

from . import BEZIER, CONSTANT, LINEAR, Array, Handles

Distance = Callable[[Array, Array], Array]
"""How far apart two blocks (components, n) are: (n,)."""

Between = Callable[[Array, Array, Array | float], Array]
"""What plays between two blocks of keys (components, n), at parts (n,) of the way."""

_STRETCH = 64
"""Pieces of a stretch that the second pass draws anew; it takes all stretches side by side."""

_FINENESS = 32
"""A piece is not tried further once it is known to a 32nd of its length how far it reaches."""

_COARSER = 1.25
"""Times what was allowed before, where there are too many keys."""

_SWING = 1.25
"""Times as far from its chord as the points under it, a cubic may be between them."""

_UNEVEN = 16.0
"""Times as long as the next, an interval beside a jump is: what rises there says nothing of how it bends."""

_OF_CUBIC = 4
"""Samples that tell a cubic."""

_LOOKS, _ROUGHLY = 32, 0.97
"""A cubic is looked at in about so many points while it is sought, and may be off there by this part of the allowed."""

_RIDGE = 1e-9
"""Keeps the inner points of a cubic near its chord where too few samples say where they are."""


def largest_difference(a: Array, b: Array) -> Array:
    """Return (n,) the largest difference of the components of a and b (components, n)."""
    result: Array = np.abs(a - b).max(axis=0)
    return result


def straight(start: Array, end: Array, part: Array | float) -> Array:
    """Return what straight lines play between keys (components, n) at parts (n,) of the way."""
    return start + (end - start) * part


# --- Lines and arcs ---------------------------------------------------------------------------------------------------


def lines(
    times: Array,
    values: Array,
    tolerance: float,
    distance: Distance | None = None,
    *,
    between: Between = straight,
    steps: Array | None = None,
    pinned: Array | None = None,
) -> Array:
    """Tell which samples (n,) bool are keys so that what plays between them passes every sample within the tolerance.

    Kept are the first and the last, what begins and ends a step, a jump at one time, and what is not a number.

    Args:
        times: (n,) ascending.
        values: (components, n).
        tolerance: in the unit of `distance`; 0 keeps what is not exactly where it plays.
        distance: the largest difference of a component if None.
        steps: (n,) bool, which samples are held until the next; none if None.
        pinned: (n,) bool, which samples are kept besides; none if None.
    """
    times, values = times.astype(np.float64), values.astype(np.float64)
    curve = _Lines(times, values, tolerance, distance or largest_difference, between)
    # what nothing is drawn across: ends, jumps, strange numbers; and both ends of each step
    keep = _broken(times, values)
    if steps is not None:
        keep |= steps | np.append(False, steps[:-1])
    return _fewest(curve, keep if pinned is None else keep | pinned)


def off_lines(times: Array, values: Array, keep: Array, distance: Distance, between: Between) -> float:
    """Return how far samples (components, n) at `times` (n,) are at most off lines between those that are kept."""
    kept = np.flatnonzero(keep)
    curve = _Lines(times.astype(np.float64), values.astype(np.float64), 0.0, distance, between)
    return float(_worst(curve, kept[:-1], kept[1:]).max(initial=0.0))


def _broken(times: Array, values: Array) -> Array:
    """Return which samples (n,) nothing is drawn across: first and last, jumps at one time, beside strange numbers."""
    strange: Array = ~np.isfinite(np.abs(values).max(axis=0))
    broken = np.zeros(len(times), dtype=bool)
    breaks = np.flatnonzero((np.diff(times) <= 0) | strange[1:] | strange[:-1])
    broken[:1] = broken[-1:] = broken[breaks] = broken[breaks + 1] = True
    return broken


def at_most(most: float, kept: Callable[[float], Array], tolerance: float, limit: float) -> tuple[Array, float]:
    """Return what is `kept` (n,) bool with the smallest of tolerances, rising from the given one up to `limit`, that
    leaves at most so many keys, with the limit however many that leaves; and that tolerance."""
    kept, rising = cache(kept), [tolerance]
    if kept(tolerance).sum() <= most:
        return kept(tolerance), tolerance
    while 0.0 < rising[-1] < limit:
        rising.append(min(rising[-1] * _COARSER, limit))
    # the coarser, the fewer: a few of them tell which is the first
    last = len(rising) - 1
    first = bisect_left(rising, True, min(1, last), last, key=lambda allowed: bool(kept(allowed).sum() <= most))
    return kept(rising[first]), rising[first]


# --- Cubics -----------------------------------------------------------------------------------------------------------


class Fitted(NamedTuple):
    """Keys of a curve.

    Attributes:
        kept: (k,) which samples are keys.
        shapes: (k,) uint8, CONSTANT for steps, LINEAR where that is near enough, else BEZIER; or one for all.
        handles: of the keys, at thirds of the pieces; None where none is a BEZIER.
    """

    kept: Array
    shapes: Array | np.uint8
    handles: Handles | None = None


def cubics(
    times: Array,
    curves: Sequence[Array],
    tolerances: Sequence[float],
    distance: Distance | None = None,
    *,
    steps: Sequence[Array] | None = None,
    halfway: Array | None = None,
) -> Iterator[Fitted]:
    """Yield for each curve the keys of cubics that pass all samples within its tolerance, and do not swing between.

    Half way between two samples they are as far from where the curve is taken to be, and from the line, see `_halfway`.
    Inner Bezier points lie at thirds of a piece's time, so that time runs evenly along it.

    Args:
        times: (n,) ascending, those of each curve.
        curves: (components, n) float64 each; of quaternions with continuous signs.
        tolerances: in the unit of `distance`.
        distance: the largest difference of a component if None.
        steps: (n,) bool each, which samples are held until the next; none if None.
        halfway: (components, n - 1) what the one curve is known to play half way between them; what is likely if None.
    """
    size, distance = len(times), distance or largest_difference
    # every second point is a sample, those between are where the curve is taken to be; none after the last
    dense, seconds = np.repeat(np.stack(curves, axis=1), 2, axis=-1), np.repeat(times, 2)
    drawn = [_halfway(times, rows) if halfway is None else (halfway, halfway) for rows in curves]
    bent, doubt = np.stack(drawn, axis=2)
    dense[..., 1:-1:2], seconds[1:-1:2] = bent, (times[:-1] + times[1:]) / 2
    # of these it is not known for certain, so that a piece may be as far off as the straight line is
    allowed = np.repeat(np.array(tolerances, np.float64)[:, None], 2 * size, axis=1)
    allowed[:, 1:-1:2] += distance(bent, doubt)
    # laid end to end they are one curve
    curve = _Cubics(np.tile(seconds, len(curves)), dense.reshape(len(dense), -1), allowed.ravel(), distance)
    held = [np.zeros(size, dtype=bool)] * len(curves) if steps is None else steps
    pinned = [_broken(times, rows) | own | np.append(False, own[:-1]) for rows, own in zip(curves, held)]
    # found by a look at some points of each piece, and seen to with a look at all
    keep = _fewest(curve._replace(allowed=_ROUGHLY * curve.allowed, looks=_LOOKS), np.concatenate(pinned))
    inner = curve.settle(keep)
    kept = np.flatnonzero(keep)
    ends = np.searchsorted(kept, size * np.arange(len(curves) + 1))
    for number, (rows, first, end) in enumerate(zip(curves, ends, ends[1:])):
        own = kept[first:end] - size * number
        # pieces whose inner points are offsets (components, k - 1, 2) from the chord of each
        offsets = inner[:, first : end - 1]
        spans, rises = np.diff(times[own]), np.diff(rows[:, own], axis=1)
        handles = Handles(np.zeros((len(own), 2)), np.zeros((len(rows), len(own), 2)))
        handles.times[:-1, 1], handles.times[1:, 0] = spans / 3, -spans / 3
        handles.values[:, :-1, 1] = rises / 3 + offsets[..., 0]
        handles.values[:, 1:, 0] = offsets[..., 1] - rises / 3
        shapes = np.append(np.where(offsets.any(axis=(0, 2)), BEZIER, LINEAR), LINEAR)
        yield Fitted(own, np.where(held[number][own], CONSTANT, shapes), handles)


# --- Curves that are followed -----------------------------------------------------------------------------------------


class _Under(NamedTuple):
    """What is under pieces.

    Attributes:
        at: (m,) samples.
        of: (m,) the piece of each.
        off: (m,) by how much it is too far off; 0 is just near enough. What is not a number counts as infinite.
        offsets: (components, k, 2) how far the inner points of the pieces are from their chords; None of lines.
    """

    at: Array
    of: Array
    off: Array
    offsets: Array | None = None


class _Lines(NamedTuple):
    """Samples with lines or arcs between them."""

    times: Array
    values: Array
    tolerance: float
    distance: Distance
    between: Between

    def under(self, left: Array, right: Array) -> _Under:
        """Return what is under pieces between samples (k,)."""
        at, of, sizes = _inside(left, right)
        part, begin, end = _along(self.times, self.values, left, right, at, sizes)
        drawn = self.between(begin, end, part)
        return _Under(at, of, _excess(self.distance(drawn, self.values.take(at, axis=-1)), self.tolerance))


class _Cubics(NamedTuple):
    """Samples and points half way between them, so that sample i is point 2 i, with cubics between samples.

    Attributes:
        times: (m,).
        values: (components, m).
        allowed: (m,) how far a piece may be off.
        looks: points at which a piece is looked at, at most; all if 0.
    """

    times: Array
    values: Array
    allowed: Array
    distance: Distance
    looks: int = 0

    def under(self, left: Array, right: Array) -> _Under:
        """Return what is under pieces between samples (k,); of a point between two of these, the later one is named.

        A piece is a line where that is near enough, else the cubic with the least sum of squares; beside a jump that
        may pass all points and swing out between them, and is a line.
        """
        # all points under each piece, and how far along it they are
        at, of, sizes = _inside(2 * left, 2 * right, self.looks)
        seen, allowed = self.values.take(at, axis=-1), self.allowed[at]
        part, begin, end = _along(self.times, self.values, 2 * left, 2 * right, at, sizes)
        chord = straight(begin, end, part)
        # pieces that are lines stay lines; the others get the two inner points with the least sum of squares
        opens, beside = np.cumsum(sizes) - sizes, seen - chord
        bent = np.maximum.reduceat(_excess(self.distance(chord, seen), allowed), opens) > 0
        early, late = _weights(part)
        offsets = _least_squares(early, late, beside, opens)
        swung = np.abs(offsets[..., :1] * _EIGHTHS[0] + offsets[..., 1:] * _EIGHTHS[1]).max(axis=(0, 2))
        swings = swung > _SWING * np.maximum.reduceat(np.abs(beside).max(axis=0), opens)
        offsets = np.where((bent & ~swings)[:, None], offsets, 0.0)
        sooner, later = (np.repeat(offsets[..., side], sizes, axis=-1) for side in (0, 1))
        off = self.distance(chord + sooner * early + later * late, seen)
        return _Under(np.minimum((at + 1) // 2, right[of] - 1), of, _excess(off, allowed), offsets)

    def settle(self, keep: Array) -> Array:
        """Keep more samples until no piece is too far off; return offsets (components, k - 1, 2) of inner points."""
        offsets = np.zeros((len(self.values), len(keep), 2))
        for left, under in _divided(self, keep):
            offsets[:, left] = under.offsets
        # pieces from one sample to the next are not divided; none is drawn across a jump
        left = np.flatnonzero(keep[:-1] & keep[1:])
        left = left[self.times[2 * left + 2] > self.times[2 * left]]
        if len(left):
            offsets[:, left] = self.under(left, left + 1).offsets
        return np.where(np.isfinite(offsets), offsets, 0.0)[:, keep][:, :-1]


def _along(
    times: Array, values: Array, left: Array, right: Array, at: Array, sizes: Array
) -> tuple[Array, Array, Array]:
    """Return how far along their pieces (k,) points `at` (m,) are, and the values (components, m) at both ends."""
    # repeated, as numpy picks columns of an array one by one, ten times slower
    first, last = (np.repeat(times[ends], sizes) for ends in (left, right))
    begin, end = (np.repeat(values.take(ends, axis=-1), sizes, axis=-1) for ends in (left, right))
    return (times[at] - first) / (last - first), begin, end


def _inside(left: Array, right: Array, most: int = 0) -> tuple[Array, Array, Array]:
    """Return the numbers (m,) between `left` and `right` (k,), without these, the pair (m,) of each, and their sizes;
    about `most` of each pair if given, evenly: every third, fifth ..., which are samples and not in turns."""
    every = (right - left - 1) // (2 * most) * 2 + 1 if most else np.ones_like(left)
    sizes = (right - left - 2) // every + 1
    of = np.repeat(np.arange(len(sizes)), sizes)
    first = left + 1 - (np.cumsum(sizes) - sizes) * every
    return np.arange(len(of)) * np.repeat(every, sizes) + np.repeat(first, sizes), of, sizes


def _excess(errors: Array, allowed: Array | float) -> Array:
    """Return by how much errors (m,) are more than what is allowed; NaN is infinite."""
    return np.where(np.isnan(errors), np.inf, errors - allowed)


def _halfway(times: Array, values: Array) -> tuple[Array, Array]:
    """Return points (..., n - 1) half way between samples: as the curve bends, and as it may bend.

    It bends as the cubic through four samples does, of the three that have both ends among theirs the one that is the
    least bent (essentially non-oscillatory): at a corner and beside a jump that is one which does not reach across. In
    doubt are what the next one says and the line, whichever is nearer, so that no cubic swings out there.
    """
    flat = (values[..., :-1] + values[..., 1:]) / 2
    if len(times) < _OF_CUBIC:
        return flat, flat
    steps, middle = np.diff(times), (times[:-1] + times[1:]) / 2
    uneven = np.maximum(steps[1:], steps[:-1]) > _UNEVEN * np.minimum(steps[1:], steps[:-1])
    crossing = uneven[:-1] | uneven[1:]  # of each four samples in a row
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # at breaks, which nothing is drawn across
        # Newton's divided differences of all fours in a row
        slopes = [values]
        for width in range(1, _OF_CUBIC):
            slopes.append(np.diff(slopes[-1]) / (times[width:] - times[:-width]))
        size = np.where(crossing | ~np.isfinite(slopes[-1]), np.inf, np.abs(slopes[-1]))
        ways, bends = [], []
        for before in (1, 0, 2):  # an interval in the middle of a cubic, as its first, as its last one
            of = np.clip(np.arange(len(middle)) - before, 0, len(times) - _OF_CUBIC)
            reach, drawn, bend = np.ones(len(of)), values.take(of, axis=-1), size.take(of, axis=-1)
            for number, slope in enumerate(slopes[1:]):
                reach = reach * (middle - times[of + number])
                drawn = drawn + slope.take(of, axis=-1) * reach
            ways.append(np.where(np.isfinite(bend), drawn, flat))
            bends.append(bend)
        # the least bent of the three, and of the others the less bent one; that which begins here where both bend alike
        order = np.argsort(bends, axis=0, kind="stable")
        order[1] = np.where((order[0] == 2) & (bends[0] == bends[1]), 1, order[1])
        bent, doubt = np.take_along_axis(np.array(ways), order[:2], axis=0)
        return bent, np.where(np.abs(doubt - bent) < np.abs(flat - bent), doubt, flat)


def _weights(part: Array) -> tuple[Array, Array]:
    """Return what the two inner points of a cubic count (m,) at parts (m,) of its length."""
    rest = 1 - part
    return 3 * part * rest * rest, 3 * part * part * rest


_Curve: TypeAlias = _Lines | _Cubics
"""What is followed, and what a format plays between two of its samples."""

_EIGHTHS = _weights(np.arange(1, 8) / 8)
"""What the inner points count where it is looked at how far a cubic swings."""


def _least_squares(early: Array, late: Array, beside: Array, opens: Array) -> Array:
    """Return the offsets (components, k, 2) of inner points for points `beside` (components, m) the chords.

    Written out, as numpy's own solver and products of matrices differ in the last bits between its versions.

    Args:
        early, late: (m,) what the inner points count.
        opens: (k,) the first point of each piece.
    """

    def total(rows: Array) -> Array:
        return np.add.reduceat(rows, opens, axis=-1)

    square, mixed, other = total(early * early), total(early * late), total(late * late)
    ridge = _RIDGE * (square + other)
    square, other = square + ridge, other + ridge
    first, last = total(beside * early), total(beside * late)
    determinant = square * other - mixed * mixed
    offsets: Array = np.stack((other * first - mixed * last, square * last - mixed * first), axis=-1)
    offsets /= determinant[:, None]
    return offsets


# --- The three passes -------------------------------------------------------------------------------------------------


def _fewest(curve: _Curve, pinned: Array) -> Array:
    """Return (n,) bool: the keys, those that are pinned (n,) bool among them, as the first and the last must be."""
    keep = pinned.copy()
    if keep.all():
        return keep
    for _ in _divided(curve, keep):
        pass
    _reach_far(curve, keep, pinned)
    _thin_out(curve, keep, pinned)
    return keep


def _worst(curve: _Curve, left: Array, right: Array) -> Array:
    """Return (k,) by how much pieces are too far off where they are worst; those with nothing under them are not."""
    worst = np.full(len(left), -np.inf)
    _, of, off, _ = curve.under(left, right)
    if len(of):
        opens = np.flatnonzero(np.append(True, of[1:] != of[:-1]))
        worst[of[opens]] = np.maximum.reduceat(off, opens)
    return worst


def _divided(curve: _Curve, keep: Array) -> Iterator[tuple[Array, _Under]]:
    """Keep the worst sample under each piece that is too far off, until none is; yield where pieces that were looked at
    begin (k,), and what is under them."""
    kept = np.flatnonzero(keep)
    left, right = kept[:-1], kept[1:]
    while True:
        divisible = right - left > 1
        left, right = left[divisible], right[divisible]
        if not len(left):
            return
        under = curve.under(left, right)
        yield left, under
        worst = np.maximum.reduceat(under.off, np.searchsorted(under.of, np.arange(len(left))))
        # the first of those samples of a piece that are worst
        hits = np.flatnonzero(under.off == worst[under.of])
        cut = under.at[hits[np.searchsorted(under.of[hits], np.flatnonzero(worst > 0))]]
        left, right = np.concatenate((left[worst > 0], cut)), np.concatenate((cut, right[worst > 0]))
        keep[cut] = True


def _reach_far(curve: _Curve, keep: Array, pinned: Array) -> None:
    """Redraw each stretch, of 64 pieces or up to what is pinned, with the longest pieces, where that needs fewer."""
    kept = np.flatnonzero(keep)
    # counted from the last pinned one, so that curves laid end to end are as each for itself
    numbers = np.arange(len(kept))
    rank = numbers - np.maximum.accumulate(np.where(pinned[kept], numbers, 0))
    bounds = kept[rank % _STRETCH == 0]
    ends = bounds[1:]
    fresh = np.zeros(len(keep), dtype=bool)
    fresh[bounds] = True
    start = bounds[:-1].copy()
    # per stretch: the furthest sample that is known to fit, the nearest that does not
    good, bad = start + 1, ends + 1
    active = np.flatnonzero(ends - start > 1)
    while len(active):
        begin, near, far, end = start[active], good[active], bad[active], ends[active]
        # to try next: what was kept before, then half as far again while nothing failed, else between near and far
        further = np.minimum(begin + (near - begin) * 3 // 2 + 1, end)
        further = np.maximum(further, np.where(near == begin + 1, kept[np.searchsorted(kept, near)], 0))
        aim = np.where(far > end, further, (near + far) // 2)
        fits = _worst(curve, begin, aim) <= 0
        near, far = np.where(fits, aim, near), np.where(fits, far, aim)
        good[active], bad[active] = near, far
        # near enough to the furthest: a key there, and on from it
        done = active[(near == end) | (far - near <= np.maximum(1, (near - begin) // _FINENESS))]
        fresh[good[done]] = True
        start[done] = good[done]
        good[done], bad[done] = np.minimum(start[done] + 1, ends[done]), ends[done] + 1
        active = active[ends[active] - start[active] > 1]
    # a stretch is only redrawn where that took fewer keys
    fewer = np.add.reduceat(fresh, bounds[:-1]) < np.add.reduceat(keep, bounds[:-1])
    for_each = np.repeat(fewer, np.diff(np.append(bounds[:-1], len(keep))))
    keep[:] = np.where(for_each, fresh, keep)


def _thin_out(curve: _Curve, keep: Array, pinned: Array) -> None:
    """Drop keys that are not needed after all; of two neighbours only the one that costs less in a round."""
    blocked = pinned.copy()
    while True:
        kept = np.flatnonzero(keep)
        cost = np.full(len(kept), np.inf)
        ask = 1 + np.flatnonzero(~blocked[kept[1:-1]])
        # by how much the piece over each key that may go would be too far off
        cost[ask] = _worst(curve, kept[ask - 1], kept[ask + 1])
        blocked[kept[ask[cost[ask] > 0]]] = True
        free = cost <= 0
        # those go that cost less than both their neighbours
        gone = 1 + np.flatnonzero(free[1:-1] & (cost[1:-1] < cost[:-2]) & (cost[1:-1] <= cost[2:]))
        if not len(gone):
            return
        keep[kept[gone]] = False
