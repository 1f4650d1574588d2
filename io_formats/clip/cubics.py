"""The engine of keys: the fewest cubics that follow samples of what plays, within a tolerance that is measured.

A curve is followed from its first sample on. Each piece reaches as far as one cubic can: its ends are samples, its two
inner Bezier points lie at thirds of its time, so that time runs evenly along it, and their heights are those with the
least sum of squares. As pieces are independent of each other but for the sample where they meet, pieces that each reach
as far as they can are as few as there can be. Corners, jumps and rests need no search of their own: no cubic reaches
beyond them, so they become keys.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import BEZIER, LINEAR, Array, Handles
from .reduction import Distance, largest_difference

_FIRST_REACH = 8
"""Samples that the first piece is tried with; each further one begins with what the piece before it reached."""

_RIDGE = 1e-9
"""Keeps the inner points of a piece near its chord where too few samples say where they are."""


@dataclass(frozen=True)
class Cubics:
    """Keys of a curve.

    Attributes:
        kept: (k,) which samples are keys.
        shapes: (k,) uint8, LINEAR where a straight piece is near enough, else BEZIER.
        handles: of the keys, at thirds of the pieces; None where none is a BEZIER.
    """

    kept: Array
    shapes: Array
    handles: Handles | None = None


def unchanged(kept: Array, shape: np.uint8) -> Cubics:
    """Return samples `kept` (k,) as keys of one shape, not fitted to anything."""
    return Cubics(kept, np.full(len(kept), shape))


def fitted(times: Array, values: Array, tolerance: float, distance: Distance | None = None) -> Cubics:
    """Return the keys of cubics that pass all samples within the tolerance, and do not swing between them.

    Half way between two samples they are as far from where the curve is taken to be, and from the line, see `_halfway`.

    Args:
        times: (n,) ascending.
        values: (components, n) float64; of quaternions with continuous signs.
        tolerance: in the unit of `distance`.
        distance: of two blocks (components, m), gives (m,); the largest difference of a component if None.
    """
    curve = _Curve.of(times, values, tolerance, distance or largest_difference)
    kept, inner, reach = [0], [], _FIRST_REACH
    while kept[-1] < len(times) - 1:
        end, offsets = curve.furthest(kept[-1], reach)
        reach = end - kept[-1]
        kept.append(end)
        inner.append(offsets)
    return _as_keys(times, values, np.array(kept), inner)


def _as_keys(times: Array, values: Array, kept: Array, inner: list[Array | None]) -> Cubics:
    """Return the keys of pieces, from the offsets (components, 2) of their inner points from the chord; None: none."""
    spans, rises = np.diff(times[kept]), np.diff(values[:, kept], axis=1)
    straight = np.zeros((len(values), 2))
    offsets = np.stack([straight if found is None else found for found in inner] or [straight[:, :0]], axis=1)
    handles = Handles(np.zeros((len(kept), 2)), np.zeros((len(values), len(kept), 2)))
    if len(spans):
        handles.times[:-1, 1], handles.times[1:, 0] = spans / 3, -spans / 3
        handles.values[:, :-1, 1] = rises / 3 + offsets[:, :, 0]
        handles.values[:, 1:, 0] = offsets[:, :, 1] - rises / 3
    shapes = np.array([LINEAR if found is None else BEZIER for found in inner] + [LINEAR], np.uint8)
    return Cubics(kept, shapes, handles)


@dataclass(frozen=True)
class _Curve:
    """What is followed: samples, and points half way between them, so that sample i is point 2 i.

    Attributes:
        times: (m,).
        values: (components, m).
        allowed: (m,) how far a piece may be off.
    """

    times: Array
    values: Array
    allowed: Array
    distance: Distance

    @classmethod
    def of(cls, times: Array, values: Array, tolerance: float, distance: Distance) -> _Curve:
        """Return samples (components, n) with the points between them."""
        dense = np.empty((len(values), 2 * len(times) - 1))
        straight, bent = _halfway(times, values)
        dense[:, ::2], dense[:, 1::2] = values, bent
        between, allowed = np.empty(dense.shape[1]), np.full(dense.shape[1], tolerance)
        between[::2], between[1::2] = times, (times[:-1] + times[1:]) / 2
        allowed[1::2] += distance(straight, bent)
        return cls(between, dense, allowed, distance)

    def furthest(self, start: int, reach: int) -> tuple[int, Array | None]:
        """Return the sample that a piece from `start` reaches, and its inner points; `reach` is tried first."""
        last = len(self.times) // 2
        good, inner, bad = start + 1, None, last + 1
        aim = min(start + max(reach, 2), last)
        while good < aim < bad:
            follows, found = self.piece(start, aim)
            if follows:
                good, inner = aim, found
            else:
                bad = aim
            further = min(good + max(good - start, 1), last)  # twice as far, until a piece fails
            aim = further if bad > last else (good + bad) // 2
        return good, inner

    def piece(self, start: int, end: int) -> tuple[bool, Array | None]:
        """Return whether a piece follows the curve, and its inner points (components, 2) as offsets from its chord.

        The points are None for a straight piece.
        """
        inside = slice(2 * start + 1, 2 * end)
        part = (self.times[inside] - self.times[2 * start]) / (self.times[2 * end] - self.times[2 * start])
        first, last = self.values[:, 2 * start, None], self.values[:, 2 * end, None]
        chord, seen, allowed = first + (last - first) * part, self.values[:, inside], self.allowed[inside]
        if (self.distance(chord, seen) <= allowed).all():
            return True, None
        offsets = _least_squares(part, seen - chord)
        early, late = _weights(part)
        drawn = chord + offsets[:, :1] * early + offsets[:, 1:] * late
        return bool((self.distance(drawn, seen) <= allowed).all()), offsets


def _halfway(times: Array, values: Array) -> tuple[Array, Array]:
    """Return points (components, n - 1) half way between samples: on the lines between them, and as the curve bends.

    It bends as a parabola does through three samples, of the two at hand the one that bends less; at a corner and
    beside a jump the line is as good as anything, so that no cubic swings out there.
    """
    steps, straight = np.diff(times), (values[:, :-1] + values[:, 1:]) / 2
    if len(times) < 3:
        return straight, straight
    slopes = np.diff(values, axis=1) / np.where(steps > 0, steps, np.inf)
    bends = np.zeros(values.shape)
    bends[:, 1:-1] = np.diff(slopes, axis=1) / (steps[:-1] + steps[1:])
    bends[:, 0], bends[:, -1] = bends[:, 1], bends[:, -2]
    left, right = bends[:, :-1], bends[:, 1:]
    bend = np.where(left * right > 0, np.where(np.abs(left) < np.abs(right), left, right), 0.0)
    return straight, straight - bend * (steps * steps / 4)


def _weights(part: Array) -> tuple[Array, Array]:
    """Return what the two inner points of a cubic count (m,) at parts (m,) of its length."""
    rest = 1 - part
    return 3 * part * rest * rest, 3 * part * part * rest


def _least_squares(part: Array, beside: Array) -> Array:
    """Return the offsets (components, 2) of inner points, for points `beside` (components, m) the chord at `part` (m,).

    Written out, as numpy's own solver and products of matrices differ in the last bits between its versions.
    """
    early, late = _weights(part)
    square, mixed, other = (early * early).sum(), (early * late).sum(), (late * late).sum()
    ridge = _RIDGE * (square + other)
    square, other = square + ridge, other + ridge
    first, last = (beside * early).sum(axis=1), (beside * late).sum(axis=1)
    determinant = square * other - mixed * mixed
    offsets: Array = np.stack((other * first - mixed * last, square * last - mixed * first), axis=1) / determinant
    return offsets
