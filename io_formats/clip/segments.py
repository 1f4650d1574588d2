"""The BEZIER segments of a track as arrays: control points, the parameter for a time, points, slopes, cuts.

Everything here is relative to the segment's left key and in float64. With w the handle lengths as parts of the
segment, time along a segment is x(s) = 3 s (1-s)^2 w0 + 3 s^2 (1-s) (1-w1) + s^3, which rises from 0 to 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import Array, Track

_STEPS = 64
_RESOLUTION = 2.0**-52
_OVERREACH = 1e-12


@dataclass
class Segments:
    """Segments of a track, one for each index in `left`.

    Attributes:
        left: (k,) index of each segment's first key.
        start, length: (k,) seconds.
        weights: (k, 2) length in time of the right handle of the first and the left handle of the last key,
            as parts of the segment, 0 .. 1.
        value, rise: (components, k) value of the first key; last value minus first.
        offsets: (components, k, 2) value of the two handles, relative to the key that each belongs to.
    """

    left: Array
    start: Array
    length: Array
    weights: Array
    value: Array
    rise: Array
    offsets: Array

    def take(self, chosen: Array) -> Segments:
        """Some of the segments; an index may stand more than once."""
        return Segments(
            self.left[chosen],
            self.start[chosen],
            self.length[chosen],
            self.weights[chosen],
            self.value[:, chosen],
            self.rise[:, chosen],
            self.offsets[:, chosen],
        )

    def differences(self) -> tuple[Array, Array]:
        """Steps between the control points: of time (k, 3) as parts of the segment, of value (components, k, 3)."""
        time = np.stack((self.weights[:, 0], 1 - self.weights[:, 0] - self.weights[:, 1], self.weights[:, 1]), axis=-1)
        first, last = self.offsets[..., 0], self.offsets[..., 1]
        return time, np.stack((first, self.rise + last - first, -last), axis=-1)

    def parameter(self, parts: Array) -> Array:
        """(k,) the s at which x(s) is the given part of the segment's length."""
        return solve_time(self.weights[:, 0], self.weights[:, 1], parts)

    def values_at(self, s: Array) -> Array:
        """(components, k) values at the parameters."""
        return self.value + polynomial(self.offsets[..., 0], self.rise + self.offsets[..., 1], self.rise, s)

    def times_at(self, s: Array) -> Array:
        """(k,) parts of the segment's length at the parameters."""
        return polynomial(self.weights[:, 0], 1 - self.weights[:, 1], np.ones(1), s)


def polynomial(first: Array, second: Array, end: Array, s: Array) -> Array:
    """The cubic whose control values are 0, first, second and end."""
    rest = 1 - s
    result: Array = s * (3 * rest * (rest * first + s * second) + s * s * end)
    return result


def quadratic(differences: Array, s: Array) -> Array:
    """A third of the derivative by s; `differences` (..., 3) are the steps between the control points."""
    rest = 1 - s
    result: Array = rest * (rest * differences[..., 0] + 2 * s * differences[..., 1]) + s * s * differences[..., 2]
    return result


def bezier_segments(track: Track, left: Array) -> Segments:
    """The segments of a track that begin at the keys `left` (k,), handles cut to the segment, slopes kept."""
    times = track.times
    start = times[left].astype(np.float64)
    length = times[left + 1].astype(np.float64) - start
    value = track.values[:, left].astype(np.float64)
    rise = track.values[:, left + 1].astype(np.float64) - value
    handles = track.handles
    if handles is None:
        count = (len(left), 2)
        return Segments(left, start, length, np.zeros(count), value, rise, np.zeros((len(value), *count)))
    reach = np.stack((handles.times[left, 1], -handles.times[left + 1, 0]), axis=-1).astype(np.float64)
    offsets = np.stack((handles.values[:, left, 1], handles.values[:, left + 1, 0]), axis=-1)
    reach = np.maximum(reach, 0.0)
    too_long = reach > length[:, None]
    cut = np.where(too_long, length[:, None] / np.where(too_long, reach, 1.0), 1.0)
    safe = np.where(length > 0, length, 1.0)[:, None]
    weights = np.minimum(reach / safe, 1.0)
    return Segments(left, start, length, weights, value, rise, offsets.astype(np.float64) * cut)


def solve_time(first: Array, last: Array, parts: Array) -> Array:
    """The s with x(s) = parts for each segment, by Newton's method kept inside a bracket that halves where it stalls.

    Args:
        first, last: (k,) weights 0 .. 1, so that x never falls.
        parts: (k,) 0 .. 1.
    """
    result = np.array(parts, dtype=np.float64)
    active = np.flatnonzero((result > 0) & (result < 1))
    s, wanted = result[active], result[active]
    low, high = np.zeros_like(s), np.ones_like(s)
    first, second = first[active], 1 - last[active]
    previous = np.ones_like(s)
    for _ in range(_STEPS):
        if not len(active):
            break
        rest = 1 - s
        miss = s * (3 * rest * (rest * first + s * second) + s * s) - wanted
        slope = 3 * (rest * (rest * first + 2 * s * (second - first)) + s * s * (1 - second))
        low, high = np.where(miss < 0, s, low), np.where(miss > 0, s, high)
        step = miss / np.where(slope > 0, slope, 1.0)
        aim = s - step
        newton = (slope > 0) & (aim > low) & (aim < high) & (np.abs(step) < 0.6 * previous)
        aim = np.where(newton, aim, (low + high) / 2)
        previous = np.where(newton, np.abs(step), high - low)
        done = (miss == 0) | (np.abs(aim - s) <= _RESOLUTION)
        result[active] = np.where(miss == 0, s, aim)
        keep = ~done
        active, s, wanted = active[keep], aim[keep], wanted[keep]
        low, high, previous = low[keep], high[keep], previous[keep]
        first, second = first[keep], second[keep]
    return result


@dataclass
class Pieces:
    """Parts of segments, between two parameters each.

    Attributes:
        of: (p,) index into the segments.
        low, high: (p,) parameters 0 <= low < high <= 1.
    """

    of: Array
    low: Array
    high: Array

    def take(self, chosen: Array) -> Pieces:
        """Some of the pieces."""
        return Pieces(self.of[chosen], self.low[chosen], self.high[chosen])

    def halved(self) -> Pieces:
        """Each piece as its two halves, side by side."""
        middle = (self.low + self.high) / 2
        low = np.stack((self.low, middle), axis=1).ravel()
        high = np.stack((middle, self.high), axis=1).ravel()
        return Pieces(np.repeat(self.of, 2), low, high)

    def join(self, other: Pieces) -> Pieces:
        """Both lots."""
        return Pieces(*(np.concatenate(pair) for pair in zip(self.fields(), other.fields(), strict=True)))

    def fields(self) -> tuple[Array, Array, Array]:
        """The three arrays."""
        return self.of, self.low, self.high

    def cuts(self) -> tuple[Array, Array]:
        """Segment and parameter of each place where two pieces meet, in order."""
        inner = self.take(self.high < 1)
        order = np.lexsort((inner.high, inner.of))
        return inner.of[order], inner.high[order]


def whole(count: int) -> Pieces:
    """One piece for each segment."""
    return Pieces(np.arange(count), np.zeros(count), np.ones(count))


def pieces_between(count: int, of: Array, s: Array) -> Pieces:
    """All pieces of `count` segments that are cut at (of, s), in order."""
    whole_of = np.concatenate((np.arange(count), of))
    low = np.concatenate((np.zeros(count), s))
    order = np.lexsort((low, whole_of))
    whole_of, low = whole_of[order], low[order]
    last = np.append(whole_of[1:] != whole_of[:-1], True)
    high = np.where(last, 1.0, np.append(low[1:], 1.0))
    return Pieces(whole_of, low, high)


def overreaching(segments: Segments, pieces: Pieces) -> Array:
    """(p,) whether a piece, taken for a segment of its own, has a handle that is longer than itself in time."""
    parts = segments.take(pieces.of)
    time, _ = parts.differences()
    width = pieces.high - pieces.low
    span = parts.times_at(pieces.high) - parts.times_at(pieces.low)
    reach = width * np.maximum(quadratic(time, pieces.low), quadratic(time, pieces.high))
    result: Array = reach > span * (1 + _OVERREACH)
    return result
