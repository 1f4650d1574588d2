"""Curves of keys: evaluation, exact subdivision, sampling; float64 throughout.

A BEZIER segment is a cubic in time and value whose control points are its keys and their two handles. A handle that
reaches further than its segment is cut to it, slope kept, as Unity's weights and Blender's handles are. Time then never
runs backwards along a segment, and the point for a time is found by Newton's method inside a shrinking bracket.

Which key rules at a time: the last one with `time <= t`. Outside the keys, a curve holds its end value or repeats;
exactly at the end of a loop it is at its first key again (Unity's rule). One key is constant, no key is 0.

Segments and pieces of them are relative to the segment's first key. With w the lengths of the handles as parts of the
segment, time along it is x(s) = 3 s (1-s)^2 w0 + 3 s^2 (1-s) (1-w1) + s^3, which rises from 0 to 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from . import BEZIER, CONSTANT, LINEAR, Array, Handles, Track, Wrap, grouped

_STEPS = 64
_RESOLUTION = 2.0**-52
_OVERREACH = 1e-12
ON_FRAME = 1e-3
"""Part of a frame by which a moment on a whole one may miss it, as Blender's float32 frames do."""

_SAME_MOMENT = 1e-7
"""Seconds by which rounding may put the end of a round, or a key within it, beside it."""


# --- Values ----------------------------------------------------------------------------------------------------------


def evaluate(track: Track, times: Array, *, ends: bool = False) -> Array:
    """Return values (components, m) float64 at times (m,) in seconds, wraps included.

    `ends`: where a round of a curve that repeats ends, its last key plays, as in Blender; otherwise the first one of
    the next round does, as in engines.
    """
    if len(track.times) == 0:
        return np.zeros((len(track.values), len(times)))
    if len(track.times) == 1:
        return np.repeat(track.values.astype(np.float64), len(times), axis=1)
    return _inside(track, _wrapped(track, np.asarray(times, dtype=np.float64), ends=ends))


def evaluate_all(tracks: Sequence[Track], times: Array) -> list[Array]:
    """Return values (components, m) of each of many tracks with keys as Blender plays them.

    Those of as many components are one curve of the segments that are played, as a figure has a thousand tracks of
    which a few moments are wanted.
    """
    alike = grouped(((len(track.values), track.handles is None), number) for number, track in enumerate(tracks))
    found: dict[int, Array] = {}
    for numbers in alike.values():
        some = [tracks[number] for number in numbers]
        queries = [_wrapped(track, np.asarray(times, np.float64), ends=True) for track in some]
        after = np.stack([np.searchsorted(track.times, own, side="right") for track, own in zip(some, queries)])
        last = np.array([len(track.times) - 1 for track in some])[:, None]
        left = np.maximum(after - 1, 0)
        # of each moment the key before it and the one behind it
        keys = np.stack((left, np.minimum(left + 1, last)), axis=-1).reshape(len(some), -1)
        played = [(track.times[at], track.values[:, at], track.interpolation[at]) for track, at in zip(some, keys)]
        segments = some[0].redrawn(*(np.concatenate(each, axis=-1) for each in zip(*played)))
        handles = [track.handles.take(at) for track, at in zip(some, keys) if track.handles]
        if handles:
            segments.handles = Handles(*(np.concatenate(each, axis=-2) for each in zip(*handles)))
        inside = (after > 0) & (after <= last)
        values = _between(segments, 2 * np.arange(inside.size), np.concatenate(queries), inside.ravel())
        found |= zip(numbers, np.split(values, len(numbers), axis=1))
    return [found[number] for number in range(len(tracks))]


def _wrapped(track: Track, query: Array, *, ends: bool) -> Array:
    """Return times (m,), those outside the keys taken back into them where the curve repeats."""
    first, last = float(track.times[0]), float(track.times[-1])
    if last <= first or (track.before is Wrap.HOLD and track.after is Wrap.HOLD):
        return query
    before, after = (on_keys(_folded(query, first, last, wrap), track) for wrap in (track.before, track.after))
    if ends and track.after is Wrap.REPEAT:
        after = np.where(after - first <= _SAME_MOMENT, last, after)
    beyond = query > last + _SAME_MOMENT if ends else query >= last
    return np.where(query < first, before, np.where(beyond, after, query))


def _folded(query: Array, first: float, last: float, wrap: Wrap) -> Array:
    """Return times (m,) taken back between first and last as one wrap does."""
    length = last - first
    if wrap is Wrap.REPEAT:
        return first + np.mod(query - first, length)
    return first + length - np.abs(np.mod(query - first, 2 * length) - length) if wrap is Wrap.MIRROR else query


def on_keys(query: Array, *tracks: Track, slack: float = _SAME_MOMENT) -> Array:
    """Return times (m,), those on a key of these tracks that rounding puts just before it."""
    for times in (track.times.astype(np.float64) for track in tracks if len(track.times)):
        following = times[np.minimum(np.searchsorted(times, query), len(times) - 1)]
        query = np.where((following > query) & (following - query <= slack), following, query)
    return query


def _inside(track: Track, query: Array) -> Array:
    """Return values (components, m) float64 at times (m,), held outside the keys; needs two keys."""
    after = np.searchsorted(track.times, query, side="right")
    return _between(track, np.maximum(after - 1, 0), query, (after > 0) & (after < len(track.times)))


def _between(track: Track, left: Array, query: Array, inside: Array) -> Array:
    """Return values (components, m) float64 at times (m,) behind the keys `left` (m,), held where not `inside` (m,)."""
    result = track.values.take(left, axis=-1).astype(np.float64)
    shape = np.where(inside, track.interpolation[left], CONSTANT)
    linear = np.flatnonzero(shape == LINEAR)
    if len(linear):
        begin = left[linear]
        start = track.times[begin].astype(np.float64)
        part = (query[linear] - start) / (track.times[begin + 1] - start)
        result[:, linear] += (track.values.take(begin + 1, axis=-1) - result[:, linear]) * part
    bezier = np.flatnonzero(shape == BEZIER)
    if len(bezier):
        parts = bezier_segments(track, left[bezier])
        result[:, bezier] = parts.values_at(parameters(parts, query[bezier]))
    return result


def handles_of(track: Track) -> Handles:
    """Return the handles of a track, of no length where it has none."""
    return track.handles or Handles(np.zeros((len(track.times), 2)), np.zeros((*track.values.shape, 2)))


# --- Segments --------------------------------------------------------------------------------------------------------


class Segments(NamedTuple):
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
        """Return some of the segments, by (m,) indices, of which one may occur more than once."""
        return Segments(*(part[chosen] for part in self[:4]), *(part[:, chosen] for part in self[4:]))

    def differences(self) -> tuple[Array, Array]:
        """Return the steps between control points: time (k, 3) as parts of the segment, value (components, k, 3)."""
        time = np.stack((self.weights[:, 0], 1 - self.weights[:, 0] - self.weights[:, 1], self.weights[:, 1]), axis=-1)
        first, last = self.offsets[..., 0], self.offsets[..., 1]
        return time, np.stack((first, self.rise + last - first, -last), axis=-1)

    def values_at(self, s: Array) -> Array:
        """Return values (components, k) at the parameters (k,)."""
        return self.value + polynomial(self.offsets[..., 0], self.rise + self.offsets[..., 1], self.rise, s)

    def times_at(self, s: Array) -> Array:
        """Return (k,) parts of the segment's length at the parameters (k,)."""
        return polynomial(self.weights[:, 0], 1 - self.weights[:, 1], np.ones(1), s)


def polynomial(first: Array, second: Array, end: Array, s: Array) -> Array:
    """Return the cubic whose control values are 0, first, second and end, at the parameters `s`; all (..., k)."""
    rest = 1 - s
    result: Array = s * (3 * rest * (rest * first + s * second) + s * s * end)
    return result


def quadratic(differences: Array, s: Array) -> Array:
    """Return a third of the derivative by s; `differences` (..., 3) are the steps between the control points."""
    rest = 1 - s
    result: Array = rest * (rest * differences[..., 0] + 2 * s * differences[..., 1]) + s * s * differences[..., 2]
    return result


def bezier_segments(track: Track, left: Array) -> Segments:
    """Return the segments that begin at the keys `left` (k,), handles cut to the segment with their slopes kept."""
    times = track.times
    start = times[left].astype(np.float64)
    length = times[left + 1].astype(np.float64) - start
    value = track.values.take(left, axis=-1).astype(np.float64)
    rise = track.values.take(left + 1, axis=-1).astype(np.float64) - value
    handles = handles_of(track)
    reach = np.stack((handles.times[left, 1], -handles.times[left + 1, 0]), axis=-1).astype(np.float64)
    offsets = np.stack((handles.values[:, left, 1], handles.values[:, left + 1, 0]), axis=-1)
    reach = np.maximum(reach, 0.0)
    too_long = reach > length[:, None]
    cut = np.where(too_long, length[:, None] / np.where(too_long, reach, 1.0), 1.0)
    safe = np.where(length > 0, length, 1.0)[:, None]
    weights = np.minimum(reach / safe, 1.0)
    return Segments(left, start, length, weights, value, rise, offsets.astype(np.float64) * cut)


def parameters(segments: Segments, times: Array) -> Array:
    """Return (k,) the s of segments at times (k,), by Newton's method in a bracket that is halved where it stalls."""
    # both ends are exact as they are; between them x never falls, as weights are 0 .. 1
    result: Array = (times - segments.start) / segments.length
    active = np.flatnonzero((result > 0) & (result < 1))
    s, wanted = result[active], result[active]
    low, high, previous = np.zeros_like(s), np.ones_like(s), np.ones_like(s)
    first, second = segments.weights[active, 0], 1 - segments.weights[active, 1]
    for _ in range(_STEPS):
        if not len(active):
            break
        rest = 1 - s
        miss = s * (3 * rest * (rest * first + s * second) + s * s) - wanted
        slope = 3 * (rest * (rest * first + 2 * s * (second - first)) + s * s * (1 - second))
        # shrink the bracket
        low, high = np.where(miss < 0, s, low), np.where(miss > 0, s, high)
        step = miss / np.where(slope > 0, slope, 1.0)
        aim = s - step
        # Newton's step if it stays inside and still gains, else the middle
        newton = (slope > 0) & (aim > low) & (aim < high) & (np.abs(step) < 0.6 * previous)
        aim = np.where(newton, aim, (low + high) / 2)
        previous = np.where(newton, np.abs(step), high - low)
        # go on with those that still move
        done = (miss == 0) | (np.abs(aim - s) <= _RESOLUTION)
        result[active] = np.where(miss == 0, s, aim)
        keep = ~done
        active, s, wanted = active[keep], aim[keep], wanted[keep]
        low, high, previous = low[keep], high[keep], previous[keep]
        first, second = first[keep], second[keep]
    return result


def pieces_between(count: int, of: Array, s: Array) -> tuple[Array, Array, Array]:
    """Return all pieces of `count` segments that are cut at (of, s), in order: the segment (p,) of each, and the
    parameters (p,) between which it lies, 0 <= low < high <= 1."""
    whole_of = np.concatenate((np.arange(count), of))
    low = np.concatenate((np.zeros(count), s))
    order = np.lexsort((low, whole_of))
    whole_of, low = whole_of[order], low[order]
    last = np.append(whole_of[1:] != whole_of[:-1], True)
    return whole_of, low, np.where(last, 1.0, np.append(low[1:], 1.0))


# --- More keys -------------------------------------------------------------------------------------------------------


def subdivide(track: Track, times: Array) -> Track:
    """Return the same curve with keys at `times` (m,) too, by de Casteljau's rule; the track itself if it has them all.

    Times outside the keys are passed over. Old keys keep their bits, apart from handles in the segments that are cut;
    new values are float64. Times stay float32 where they and the new ones are.

    Where a segment's handles overlap, a part of it can need a handle longer than itself, which would be cut; such a
    segment gets one more key, at the turning point of its time, and no part does.
    """
    if len(track.times) < 2:
        return track
    wanted = np.asarray(times)
    inside = np.unique(wanted[(wanted > track.times[0]) & (wanted < track.times[-1])])
    cuts = inside[track.times[np.searchsorted(track.times, inside)] != inside]
    if not len(cuts):
        return track
    narrow = cuts.astype(track.times.dtype)
    cuts = _with_turning_points(track, narrow if (narrow == cuts).all() else cuts)
    before = np.searchsorted(track.times, cuts, side="right")
    result = track.with_keys(before, cuts, _inside(track, cuts.astype(np.float64)))
    if track.match is not None:
        # cut segments are no longer the source's
        old = np.arange(len(track.times))
        at = old + np.searchsorted(before, old, side="right")
        result.match = track.match.spread(at, len(result.times))
        result.match.same_right[at[before - 1]] = result.match.same_left[at[before]] = False
    if track.handles is None:
        return result
    result.handles = track.handles.opened(before)
    bezier = track.interpolation[before - 1] == BEZIER
    if bezier.any():
        at = (before + np.arange(len(cuts)))[bezier]
        _cut_handles(track, cuts[bezier].astype(np.float64), before[bezier] - 1, at, result.handles)
    return result


def _with_turning_points(track: Track, cuts: Array) -> Array:
    """Return the cuts (k,), and the turning points of segments that cannot be cut without them."""
    if track.handles is None:
        return cuts
    left = np.searchsorted(track.times, cuts, side="right") - 1
    bezier = track.interpolation[left] == BEZIER
    starts, of = np.unique(left[bezier], return_inverse=True)
    segments = bezier_segments(track, starts)
    if not (segments.weights.sum(axis=1) > 1).any():
        return cuts
    of, low, high = pieces_between(len(starts), of, parameters(segments.take(of), cuts[bezier]))
    parts = segments.take(of)
    # a piece as a segment of its own would have a handle that is longer than itself in time
    time, _ = parts.differences()
    reach = (high - low) * np.maximum(quadratic(time, low), quadratic(time, high))
    spans = parts.times_at(high) - parts.times_at(low)
    spoilt = segments.take(np.unique(of[reach > spans * (1 + _OVERREACH)]))
    time, _ = spoilt.differences()
    turn = (time[:, 0] - time[:, 1]) / (time[:, 0] - 2 * time[:, 1] + time[:, 2])
    return np.unique(np.concatenate((cuts, spoilt.start + spoilt.length * spoilt.times_at(turn))))


def _cut_handles(track: Track, cuts: Array, left: Array, positions: Array, handles: Handles) -> None:
    """Set the handles of keys inserted at `cuts` into the segments `left`, and of the keys beside them."""
    parts = bezier_segments(track, left)
    s = parameters(parts, cuts)
    time, value = parts.differences()
    time = time * parts.length[:, None]
    # which cuts are the first and the last in their segment
    opens = np.append(True, left[1:] != left[:-1])
    closes = np.append(opens[1:], True)
    # at a cut: along the tangent, as far as its two pieces reach in s
    back = s - np.where(opens, 0.0, np.roll(s, 1))
    ahead = np.where(closes, 1.0, np.roll(s, -1)) - s
    slope_time, slope_value = quadratic(time, s), quadratic(value, s)
    handles.times[positions] = np.stack((-back * slope_time, ahead * slope_time), axis=-1)
    handles.values[:, positions] = np.stack((-back * slope_value, ahead * slope_value), axis=-1)
    # at the segment's ends: the old handles, shortened by the share of the piece
    first, last = positions[opens] - 1, positions[closes] + 1
    handles.times[first, 1] = s[opens] * time[opens, 0]
    handles.values[:, first, 1] = s[opens] * value[:, opens, 0]
    handles.times[last, 0] = (s[closes] - 1) * time[closes, 2]
    handles.values[:, last, 0] = (s[closes] - 1) * value[:, closes, 2]


# --- Which key is which ------------------------------------------------------------------------------------------


def ranks(times: Array) -> Array:
    """Return (n,) how many keys at the same time precede each key; the times (n,) ascend."""
    return np.arange(len(times)) - np.searchsorted(times, times)


def positions(own: Array, times: Array) -> Array:
    """Return (n,) the index in `own` (m,) of the key at each time, -1 for none.

    Both ascend; of several keys at one time the first is the first.
    """
    at = np.searchsorted(own, times) + ranks(times)
    there = at < len(own)
    there[there] = own[at[there]] == times[there]
    return np.where(there, at, -1)
