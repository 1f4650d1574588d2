"""Curves of keys: evaluation, exact subdivision, sampling; float64 throughout.

A BEZIER segment is a cubic in time and value whose control points are its keys and their two handles. A handle that
reaches further than its segment is cut to it, slope kept, as Unity's weights and Blender's handles are. Time then never
runs backwards along a segment, and the point for a time is found by Newton's method inside a shrinking bracket.

Which key rules at a time: the last one with `time <= t`. Outside the keys, a curve holds its end value or repeats;
exactly at the end of a loop it is at its first key again (Unity's rule). One key is constant, no key is 0.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from . import Array, Handles, Interpolation, KeyMatch, Track, Wrap
from .fit import is_thirds, linearise, refit_thirds
from .reduction import reduce_linear, reduce_runs
from .segments import bezier_segments, overreaching, pieces_between, quadratic

__all__ = [
    "evaluate",
    "is_thirds",
    "linearise",
    "reduce_linear",
    "reduce_runs",
    "refit_thirds",
    "sample",
    "subdivide",
]


def evaluate(track: Track, times: Array, *, ends: bool = False) -> Array:
    """Values (components, m) in float64 at times (m,) in seconds, wraps included.

    `ends`: on the last key of a curve that repeats, that key plays, as in Blender; otherwise the first one does, as in
    engines.
    """
    query = np.asarray(times, dtype=np.float64)
    count = len(track.times)
    if count == 0:
        return np.zeros((len(track.values), len(query)))
    if count == 1:
        return np.repeat(track.values.astype(np.float64), len(query), axis=1)
    return _inside(track, _wrapped(track, query, ends=ends))


def _wrapped(track: Track, query: Array, *, ends: bool) -> Array:
    """Times outside the keys taken back into them where the curve repeats."""
    first, last = float(track.times[0]), float(track.times[-1])
    if last <= first or (track.before is Wrap.HOLD and track.after is Wrap.HOLD):
        return query
    before = _folded(query, first, last, track.before)
    after = _folded(query, first, last, track.after)
    beyond = query > last if ends else query >= last
    return np.where(query < first, before, np.where(beyond, after, query))


def _folded(query: Array, first: float, last: float, wrap: Wrap) -> Array:
    length = last - first
    if wrap is Wrap.REPEAT:
        return first + np.mod(query - first, length)
    if wrap is Wrap.MIRROR:
        return first + length - np.abs(np.mod(query - first, 2 * length) - length)
    return query


def _inside(track: Track, query: Array) -> Array:
    """Values at times that are held outside the keys; at least two keys."""
    after = np.searchsorted(track.times, query, side="right")
    left = np.maximum(after - 1, 0)
    result = track.values[:, left].astype(np.float64)
    shape = np.where((after > 0) & (after < len(track.times)), track.interpolation[left], Interpolation.CONSTANT)
    linear = np.flatnonzero(shape == Interpolation.LINEAR)
    if len(linear):
        result[:, linear] = _on_lines(track, left[linear], query[linear])
    bezier = np.flatnonzero(shape == Interpolation.BEZIER)
    if len(bezier):
        parts = bezier_segments(track, left[bezier])
        s = parts.parameter((query[bezier] - parts.start) / parts.length)
        result[:, bezier] = parts.values_at(s)
    return result


def _on_lines(track: Track, left: Array, query: Array) -> Array:
    start = track.times[left].astype(np.float64)
    part = (query - start) / (track.times[left + 1] - start)
    value = track.values[:, left].astype(np.float64)
    result: Array = value + (track.values[:, left + 1] - value) * part
    return result


def sample(track: Track, times: Array) -> Track:
    """LINEAR keys with the curve's values at `times` (m,); holds outside them."""
    return track.redrawn(times, evaluate(track, times)).held()


def subdivide(track: Track, times: Array) -> Track:
    """The same curve with keys at `times` too, by de Casteljau's rule; the same object if it has them all.

    Times outside the keys are passed over. Old keys keep their bits, apart from handles in the segments that are cut;
    new values are float64. Times stay float32 where they and the new ones are.

    Where a segment's handles overlap, a part of it can need a handle longer than itself, which would be cut; such a
    segment gets one more key, at the turning point of its time, and no part does.
    """
    cuts = _new_times(track.times, np.asarray(times))
    if not len(cuts):
        return track
    cuts = _with_turning_points(track, cuts)
    before = np.searchsorted(track.times, cuts, side="right")
    positions = before + np.arange(len(cuts))
    result = replace(
        track,
        times=np.insert(track.times.astype(np.promote_types(track.times.dtype, cuts.dtype)), before, cuts),
        values=np.insert(track.values.astype(np.float64), before, _inside(track, cuts.astype(np.float64)), axis=1),
        interpolation=np.insert(track.interpolation, before, track.interpolation[before - 1]),
        inserted=None if track.inserted is None else np.insert(track.inserted, before, False),
        match=_match_with_new(track.match, before),
    )
    if track.handles is None:
        return result
    result.handles = track.handles.opened(before)
    bezier = track.interpolation[before - 1] == Interpolation.BEZIER
    if bezier.any():
        _cut_handles(track, cuts[bezier].astype(np.float64), before[bezier] - 1, positions[bezier], result.handles)
    return result


def _new_times(times: Array, wanted: Array) -> Array:
    """Times strictly inside the keys on which no key lies; float32 if the keys are and it loses nothing."""
    if len(times) < 2:
        return wanted[:0]
    inside = np.unique(wanted[(wanted > times[0]) & (wanted < times[-1])])
    place = np.searchsorted(times, inside)
    cuts: Array = inside[times[place] != inside]
    narrow: Array = cuts.astype(times.dtype)
    return narrow if (narrow == cuts).all() else cuts


def _with_turning_points(track: Track, cuts: Array) -> Array:
    """The cuts, and the turning points of segments that cannot be cut without."""
    if track.handles is None:
        return cuts
    left = np.searchsorted(track.times, cuts, side="right") - 1
    bezier = track.interpolation[left] == Interpolation.BEZIER
    starts, of = np.unique(left[bezier], return_inverse=True)
    segments = bezier_segments(track, starts)
    if not (segments.weights.sum(axis=1) > 1).any():
        return cuts
    parts = segments.take(of)
    s = parts.parameter((cuts[bezier] - parts.start) / parts.length)
    pieces = pieces_between(len(starts), of, s)
    spoilt = segments.take(np.unique(pieces.of[overreaching(segments, pieces)]))
    time, _ = spoilt.differences()
    turn = (time[:, 0] - time[:, 1]) / (time[:, 0] - 2 * time[:, 1] + time[:, 2])
    return np.unique(np.concatenate((cuts, spoilt.start + spoilt.length * spoilt.times_at(turn))))


def _cut_handles(track: Track, cuts: Array, left: Array, positions: Array, handles: Handles) -> None:
    """Set the handles of keys inserted at `cuts` into the segments `left`, and of the keys beside them."""
    parts = bezier_segments(track, left)
    s = parts.parameter((cuts - parts.start) / parts.length)
    time, value = parts.differences()
    time = time * parts.length[:, None]
    opens = np.append(True, left[1:] != left[:-1])
    closes = np.append(opens[1:], True)
    back = s - np.where(opens, 0.0, np.append(0.0, s[:-1]))
    ahead = np.where(closes, 1.0, np.append(s[1:], 1.0)) - s
    slope_time, slope_value = quadratic(time, s), quadratic(value, s)
    handles.times[positions] = np.stack((-back * slope_time, ahead * slope_time), axis=-1)
    handles.values[:, positions] = np.stack((-back * slope_value, ahead * slope_value), axis=-1)
    first, last = positions[opens] - 1, positions[closes] + 1
    handles.times[first, 1] = s[opens] * time[opens, 0]
    handles.values[:, first, 1] = s[opens] * value[:, opens, 0]
    handles.times[last, 0] = (s[closes] - 1) * time[closes, 2]
    handles.values[:, last, 0] = (s[closes] - 1) * value[:, closes, 2]


def _match_with_new(match: KeyMatch | None, before: Array) -> KeyMatch | None:
    """The relation to the source's keys after new keys were inserted; segments that were cut are not the source's."""
    if match is None:
        return None
    same_right, same_left = match.same_right.copy(), match.same_left.copy()
    same_right[before - 1] = False
    same_left[before] = False
    return KeyMatch(
        unchanged=False,
        keys=np.insert(match.keys, before, -1),
        same_time=np.insert(match.same_time, before, False),
        same_value=np.insert(match.same_value, before, False),
        same_left=np.insert(same_left, before, False),
        same_right=np.insert(same_right, before, False),
    )
