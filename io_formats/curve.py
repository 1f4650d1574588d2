"""Curves of keys: evaluation, exact subdivision, uniting, sampling; float64 throughout.

A BEZIER segment is a cubic in time and value whose control points are its keys and their two handles. A handle that
reaches further than its segment is cut to it, slope kept, as Unity's weights and Blender's handles are. Time then never
runs backwards along a segment, and the point for a time is found by Newton's method inside a shrinking bracket.

Which key rules at a time: the last one with `time <= t`. Outside the keys, a curve holds its end value or repeats;
exactly at the end of a loop it is at its first key again (Unity's rule). One key is constant, no key is 0.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from . import messages
from .clip import Array, Interpolation, KeyMatch, Track, Wrap
from .curve_fit import is_thirds, linearise, refit_thirds
from .errors import Report
from .reduction import reduce_linear
from .segments import bezier_segments, overreaching, pieces_between, quadratic

__all__ = [
    "evaluate",
    "is_thirds",
    "linearise",
    "reduce_linear",
    "refit_thirds",
    "sample",
    "split",
    "subdivide",
    "unite",
]


def evaluate(track: Track, times: Array) -> Array:
    """Values (components, m) in float64 at times (m,) in seconds, wraps included."""
    query = np.asarray(times, dtype=np.float64)
    count = len(track.times)
    if count == 0:
        return np.zeros((len(track.values), len(query)))
    if count == 1:
        return np.repeat(track.values.astype(np.float64), len(query), axis=1)
    return _inside(track, _wrapped(track, query))


def _wrapped(track: Track, query: Array) -> Array:
    """Times outside the keys taken back into them where the curve repeats."""
    first, last = float(track.times[0]), float(track.times[-1])
    if last <= first or (track.before is Wrap.HOLD and track.after is Wrap.HOLD):
        return query
    before = _folded(query, first, last, track.before)
    after = _folded(query, first, last, track.after)
    return np.where(query < first, before, np.where(query >= last, after, query))


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
    return replace(
        track,
        times=times,
        values=evaluate(track, times),
        interpolation=np.full(len(times), Interpolation.LINEAR, dtype=np.uint8),
        handle_times=None,
        handle_values=None,
        before=Wrap.HOLD,
        after=Wrap.HOLD,
        inserted=None,
        match=None,
    )


def split(track: Track) -> list[Track]:
    """One track for each component, sharing times and the block's arrays; the track itself if it has one."""
    if len(track.values) == 1:
        return [track]
    return [
        replace(
            track,
            values=track.values[row : row + 1],
            component=track.component + row,
            handle_values=None if track.handle_values is None else track.handle_values[row : row + 1],
        )
        for row in range(len(track.values))
    ]


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
    if track.handle_times is None or track.handle_values is None:
        return result
    result.handle_times = np.insert(track.handle_times.astype(np.float64), before, 0.0, axis=0)
    result.handle_values = np.insert(track.handle_values.astype(np.float64), before, 0.0, axis=1)
    bezier = track.interpolation[before - 1] == Interpolation.BEZIER
    if bezier.any():
        _cut_handles(track, cuts[bezier].astype(np.float64), before[bezier] - 1, positions[bezier], result)
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
    if track.handle_times is None:
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


def _cut_handles(track: Track, cuts: Array, left: Array, positions: Array, result: Track) -> None:
    """Set the handles of keys inserted at `cuts` into the segments `left`, and of the keys beside them."""
    assert result.handle_times is not None and result.handle_values is not None
    parts = bezier_segments(track, left)
    s = parts.parameter((cuts - parts.start) / parts.length)
    time, value = parts.differences()
    time = time * parts.length[:, None]
    opens = np.append(True, left[1:] != left[:-1])
    closes = np.append(opens[1:], True)
    back = s - np.where(opens, 0.0, np.append(0.0, s[:-1]))
    ahead = np.where(closes, 1.0, np.append(s[1:], 1.0)) - s
    slope_time, slope_value = quadratic(time, s), quadratic(value, s)
    result.handle_times[positions] = np.stack((-back * slope_time, ahead * slope_time), axis=-1)
    result.handle_values[:, positions] = np.stack((-back * slope_value, ahead * slope_value), axis=-1)
    first, last = positions[opens] - 1, positions[closes] + 1
    result.handle_times[first, 1] = s[opens] * time[opens, 0]
    result.handle_values[:, first, 1] = s[opens] * value[:, opens, 0]
    result.handle_times[last, 0] = (s[closes] - 1) * time[closes, 2]
    result.handle_values[:, last, 0] = (s[closes] - 1) * value[:, closes, 2]


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


# --- One block from several tracks -------------------------------------------------------------------------------


@dataclass
class _Union:
    """The keys of a united block: a time and, where several keys lie on one time, its rank among them."""

    times: Array
    ranks: Array


def unite(tracks: list[Track], tolerance: float = 1e-5, report: Report | None = None) -> Track:
    """One block of all components of tracks of one property, in the order of the list.

    Keys are united by exact subdivision. Where some components step while others move, a second key at the same time
    takes the step. BEZIER segments whose handle times differ between components are fitted again with handles
    at thirds, within `tolerance` in the values' own unit. A component that repeats with another range or wrap than the
    others is held instead. `report` learns of both.
    """
    first = tracks[0]
    if len(tracks) == 1:
        return first
    if all(_same_keys(first, track) for track in tracks[1:]):
        return _stacked(tracks)
    tracks = _same_wraps([_filled(track) for track in tracks], report)
    tracks, union = _subdivided(tracks)
    spread = _spread_steps([_expanded(track, union) for track in tracks])
    differing = _differing_handles(spread)
    if not differing.any():
        return _stacked(_same_shapes(spread))
    fitted = [_refitted(track, differing, tolerance) for track in spread]
    if report is not None:
        added = sum(count for _, _, count in fitted)
        report.note(messages.TRACKS_REFITTED, keys=added, error=max(error for _, error, _ in fitted))
    return unite([track for track, _, _ in fitted], tolerance, report)


def _filled(track: Track) -> Track:
    """The track; one without keys, which is 0, gets one that says so."""
    if len(track.times):
        return track
    return replace(
        track,
        times=np.zeros(1),
        values=np.zeros((len(track.values), 1)),
        interpolation=np.zeros(1, dtype=np.uint8),
        handle_times=None,
        handle_values=None,
        inserted=None,
    )


def _same_keys(a: Track, b: Track) -> bool:
    same_times = a.times is b.times or np.array_equal(a.times, b.times)
    same_shapes = a.interpolation is b.interpolation or np.array_equal(a.interpolation, b.interpolation)
    if not (same_times and same_shapes and (a.before, a.after) == (b.before, b.after)):
        return False
    if a.handle_times is None or b.handle_times is None:
        return a.handle_times is b.handle_times
    return a.handle_times is b.handle_times or np.array_equal(a.handle_times, b.handle_times)


def _stacked(tracks: list[Track]) -> Track:
    first = tracks[0]
    offsets = [track.handle_values for track in tracks if track.handle_values is not None]
    return replace(
        first,
        values=np.concatenate([track.values for track in tracks]),
        handle_values=np.concatenate(offsets) if offsets else None,
        match=None,
    )


def _same_wraps(tracks: list[Track], report: Report | None) -> list[Track]:
    """The tracks, all held where they do not repeat alike."""
    spans = {(float(track.times[0]), float(track.times[-1])) if len(track.times) else (0.0, 0.0) for track in tracks}
    wraps = {(track.before, track.after) for track in tracks}
    if len(wraps) == 1 and (len(spans) == 1 or wraps == {(Wrap.HOLD, Wrap.HOLD)}):
        return tracks
    repeating = sum(wrap != (Wrap.HOLD, Wrap.HOLD) for wrap in ((track.before, track.after) for track in tracks))
    if report is not None:
        report.warn(messages.WRAPS_DROPPED, count=repeating)
    return [replace(track, before=Wrap.HOLD, after=Wrap.HOLD) for track in tracks]


def _union(tracks: list[Track]) -> _Union:
    times = np.concatenate([track.times for track in tracks])
    ranks = np.concatenate([_ranks(track.times) for track in tracks])
    order = np.lexsort((ranks, times))
    times, ranks = times[order], ranks[order]
    fresh = np.append(True, (times[1:] != times[:-1]) | (ranks[1:] != ranks[:-1]))
    return _Union(times[fresh], ranks[fresh])


def _subdivided(tracks: list[Track]) -> tuple[list[Track], _Union]:
    """The tracks with keys at each other's times, and these. What subdivision adds in one, all others get too."""
    union = _union(tracks)
    while True:
        tracks = [subdivide(track, union.times) for track in tracks]
        grown = _union(tracks)
        if len(grown.times) == len(union.times):
            return tracks, union
        union = grown


def _ranks(times: Array) -> Array:
    """(n,) how many keys at the same time stand before each key."""
    result: Array = np.arange(len(times)) - np.searchsorted(times, times, side="left")
    return result


def _expanded(track: Track, union: _Union) -> Track:
    """A curve that has the union's inner times, with a key for each of the union; held outside its own keys."""
    low = np.searchsorted(track.times, union.times, side="left")
    high = np.searchsorted(track.times, union.times, side="right")
    beyond = np.where(union.times < track.times[0], 0, len(track.times) - 1)
    at = np.where(high > low, low + np.minimum(union.ranks, high - low - 1), beyond)
    result = _gathered(track, at, union.times)
    flat = (union.times[:-1] < track.times[0]) | (union.times[1:] > track.times[-1])
    flat |= union.times[:-1] == union.times[1:]
    result.interpolation[:-1][flat] = Interpolation.LINEAR
    return result


def _gathered(track: Track, at: Array, times: Array) -> Track:
    """The keys `at` of a track, on other times."""
    return replace(
        track,
        times=times,
        values=track.values[:, at],
        interpolation=track.interpolation[at],
        handle_times=None if track.handle_times is None else track.handle_times[at],
        handle_values=None if track.handle_values is None else track.handle_values[:, at],
        inserted=None if track.inserted is None else track.inserted[at],
        match=None,
    )


def _shapes(tracks: list[Track]) -> tuple[Array, Array]:
    """(tracks, n - 1) interpolation of each segment, and whether its value does not change."""
    shape = np.stack([track.interpolation[:-1] for track in tracks])
    still = np.stack([(track.values[:, 1:] == track.values[:, :-1]).all(axis=0) for track in tracks])
    return shape, still & (shape != Interpolation.BEZIER)


def _spread_steps(tracks: list[Track]) -> list[Track]:
    """Where some tracks step while others move: a key just before the step, at the same time."""
    shape, still = _shapes(tracks)
    steps = (shape == Interpolation.CONSTANT) & ~still
    mixed = np.flatnonzero(steps.any(axis=0) & ((shape != Interpolation.CONSTANT) & ~still).any(axis=0))
    if not len(mixed):
        return tracks
    order = np.arange(len(tracks[0].times))
    times = np.insert(tracks[0].times, mixed + 1, tracks[0].times[mixed + 1])
    result = []
    for track, stepping in zip(tracks, steps, strict=True):
        at = np.insert(order, mixed + 1, np.where(stepping[mixed], mixed, mixed + 1))
        spread = _gathered(track, at, times)
        position = mixed + np.arange(len(mixed))
        spread.interpolation[position[stepping[mixed]]] = Interpolation.LINEAR
        spread.interpolation[position + 1] = Interpolation.LINEAR
        result.append(spread)
    return result


def _differing_handles(tracks: list[Track]) -> Array:
    """(n - 1,) segments that are BEZIER in several tracks, with handle times that differ."""
    shape, _ = _shapes(tracks)
    low, high = np.full((len(shape[0]), 2), np.inf), np.full((len(shape[0]), 2), -np.inf)
    for track, shapes in zip(tracks, shape, strict=True):
        bezier = (shapes == Interpolation.BEZIER)[:, None]
        reach = _reach(track)
        low = np.where(bezier, np.minimum(low, reach), low)
        high = np.where(bezier, np.maximum(high, reach), high)
    length = np.diff(tracks[0].times.astype(np.float64))
    with np.errstate(invalid="ignore"):
        differing: Array = ((high - low) > 1e-6 * length[:, None]).any(axis=1)
    return differing


def _reach(track: Track) -> Array:
    """(n - 1, 2) length in time of the handles inside each segment, cut to it."""
    length = np.diff(track.times.astype(np.float64))[:, None]
    if track.handle_times is None:
        return np.zeros((len(length), 2))
    reach = np.stack((track.handle_times[:-1, 1], -track.handle_times[1:, 0]), axis=1)
    result: Array = np.clip(reach, 0.0, length)
    return result


def _refitted(track: Track, chosen: Array, tolerance: float) -> tuple[Track, float, int]:
    """The track with the chosen segments fitted to thirds, the others as they were."""
    if not ((track.interpolation[:-1] == Interpolation.BEZIER) & chosen).any():
        return track, 0.0, 0
    return refit_thirds(track, tolerance, chosen)


def _same_shapes(tracks: list[Track]) -> list[Track]:
    """Tracks of the same times, brought to one interpolation and one set of handle times."""
    shape, still = _shapes(tracks)
    bezier = (shape == Interpolation.BEZIER).any(axis=0)
    constant = ((shape == Interpolation.CONSTANT) | still).all(axis=0) & (shape == Interpolation.CONSTANT).any(axis=0)
    common = np.where(bezier, Interpolation.BEZIER, np.where(constant, Interpolation.CONSTANT, Interpolation.LINEAR))
    interpolation = np.append(common, max(track.interpolation[-1] for track in tracks)).astype(np.uint8)
    if not bezier.any():
        return [replace(track, interpolation=interpolation, handle_times=None, handle_values=None) for track in tracks]
    times = _common_handle_times(tracks, shape)
    return [_on_handle_times(track, interpolation, times) for track in tracks]


def _common_handle_times(tracks: list[Track], shape: Array) -> Array:
    """(n, 2) the handle times of the first track that is BEZIER, for each segment."""
    times = np.zeros((len(tracks[0].times), 2))
    owner = np.argmax(shape == Interpolation.BEZIER, axis=0)
    reach = np.stack([_reach(track) for track in tracks])[owner, np.arange(shape.shape[1])]
    times[:-1, 1], times[1:, 0] = reach[:, 0], -reach[:, 1]
    return times


def _on_handle_times(track: Track, interpolation: Array, times: Array) -> Track:
    """Handle values for shared handle times: the track's own where it is BEZIER, else along its straight line."""
    left = np.arange(len(track.times) - 1)
    own = bezier_segments(track, left)
    bezier = track.interpolation[:-1] == Interpolation.BEZIER
    slope = own.rise / np.where(own.length > 0, own.length, 1.0)
    values = np.zeros((*track.values.shape, 2))
    values[:, :-1, 1] = np.where(bezier, own.offsets[..., 0], slope * times[:-1, 1])
    values[:, 1:, 0] = np.where(bezier, own.offsets[..., 1], slope * times[1:, 0])
    return replace(track, interpolation=interpolation, handle_times=times, handle_values=values)
