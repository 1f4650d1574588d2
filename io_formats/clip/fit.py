"""Curves with their handles at thirds of each segment, and several on the same keys, within a tolerance.

Errors are always measured against the original, never against a step on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from ..errors import Report
from ..files.memory import reckon, spend
from . import BEZIER, CONSTANT, LINEAR, Array, Handles, Track, Wrap, curve, messages
from .curve import Segments, bezier_segments, pieces_between, polynomial, quadratic, subdivide

_HALVINGS = 40
_THIRD = 1.0 / 3.0
_PROBES = 15
_BETWEEN_PROBES = 1.02
_SHORTEST = 1e-9

DIVISIBLE = 1.99
"""Times as long as the shortest one an interval is that is divided: its half may fall short by what float32 leaves."""


def is_thirds(track: Track, share: float = 3e-6, rounding: float = 2.0**-23) -> Array:
    """Tell (n - 1,) whether each segment is BEZIER with handles a third of its length, so that time runs evenly.

    They may be off by a share of that, or by the rounding of float32 to the key's time.
    """
    bezier = track.interpolation[:-1] == BEZIER
    if track.handles is None or not bezier.any():
        return np.zeros(len(bezier), dtype=bool)
    times = track.times.astype(np.float64)
    third = np.diff(times) * _THIRD
    slack = np.maximum(share * third, rounding * np.maximum(np.abs(times[1:]), np.abs(times[:-1])))
    ahead = np.abs(track.handles.times[:-1, 1] - third) <= slack
    back = np.abs(track.handles.times[1:, 0] + third) <= slack
    return np.asarray(bezier & ahead & back)


def refit_thirds(track: Track, tolerance: float, chosen: Array | None = None) -> tuple[Track, float, int]:
    """Return the curve with every BEZIER segment's handles a third of its length from its keys.

    Args:
        tolerance: in the values' own unit.
        chosen: (n - 1,) segments to fit, None for all.

    Returns:
        the track (the same object where nothing had to change), the largest error reached and the number of keys
        added. Slopes at the keys are kept. Segments are halved until a single cubic over even time is near enough.
    """
    bezier = track.interpolation[:-1] == BEZIER
    if chosen is not None:
        bezier &= chosen
    even = is_thirds(track) & bezier
    if not bezier.any() or is_thirds(track, 1e-6, 0.0)[bezier].all():
        return track, 0.0, 0
    segments = bezier_segments(track, np.flatnonzero(bezier & ~even & (np.diff(track.times) > 0)))
    error = 0.0

    def far(low: Array, high: Array) -> Array:
        nonlocal error
        of = low.astype(np.intp)
        parts, low, high = segments.take(of), low - of, high - of
        errors = _third_errors(parts, low, high)
        good: Array = (errors <= tolerance) | (parts.times_at(high) - parts.times_at(low) < _SHORTEST)
        error = max(error, float(errors[good].max(initial=0.0)))
        return ~good

    # segments are cut until each piece is near enough; a place is the segment's number and the parameter within it
    numbers = np.arange(len(segments.left), dtype=np.float64)
    places = np.sort(halved(numbers, numbers + 1.0, far))
    spend(pieces=len(numbers) + len(places))
    of, s = places.astype(np.intp), places % 1.0
    # keys where the pieces meet, then handles at thirds everywhere
    result, parts = replace(track), segments.take(of)
    if len(of):
        times = parts.start + parts.length * parts.times_at(s)
        result = track.with_keys(parts.left + 1, times, parts.values_at(s))
    _set_thirds(result, track, segments, of, s, even)
    return result, error, len(s)


def _third_handles(parts: Segments, low: Array, high: Array) -> tuple[Array, Array]:
    """Return value offsets (components, p) at both ends, by the slope there or, if not finite, by their own point."""
    span = parts.times_at(high) - parts.times_at(low)
    time, value = parts.differences()
    width = high - low
    ends = []
    for s, sign in ((low, 1.0), (high, -1.0)):
        with np.errstate(divide="ignore", invalid="ignore"):  # 0 / 0 is NaN, upright is infinite
            slope = quadratic(value, s) / quadratic(time, s)
        # a handle at a third has a third of the rise that its slope makes of the whole span
        kept = sign * slope * span * _THIRD
        ends.append(np.where(np.isfinite(kept), kept, sign * width * quadratic(value, s)))
    return ends[0], ends[1]


def _third_errors(parts: Segments, low: Array, high: Array) -> Array:
    """Return (p,) the largest difference over time between pieces and their cubics over even time."""
    first, last = _third_handles(parts, low, high)
    # the cubic that would replace each piece
    start = parts.times_at(low)
    span = parts.times_at(high) - start
    base = parts.values_at(low)
    rise = parts.values_at(high) - base
    # how far it is off at even parameters; it is exact at both ends
    worst = np.zeros(len(start))
    for probe in range(1, _PROBES + 1):
        s = low + (high - low) * (probe / (_PROBES + 1))
        part = (parts.times_at(s) - start) / np.where(span > 0, span, 1.0)
        off = np.abs(base + polynomial(first, rise + last, rise, part) - parts.values_at(s))
        worst = np.maximum(worst, off.max(axis=0))
    return worst * _BETWEEN_PROBES


def _set_thirds(result: Track, track: Track, segments: Segments, of: Array, s: Array, even: Array) -> None:
    """Set the handles of `result`: thirds for segments and pieces, and exact thirds where `even` was nearly so."""
    # the old handles, and room for those of the new keys
    before = segments.left[of] + 1
    handles = curve.handles_of(track).opened(before)
    times, values = handles.times, handles.values
    # segments that were nearly even: exact thirds, slopes kept
    position = np.arange(len(track.times)) + np.searchsorted(before, np.arange(len(track.times)), side="right")
    near = np.flatnonzero(even)
    third = np.diff(track.times.astype(np.float64))[near] * _THIRD
    for keys, side, sign in ((near, 1, 1.0), (near + 1, 0, -1.0)):
        at = position[keys]
        reach = np.abs(times[at, side])  # which rounding may have left nothing of
        values[:, at, side] *= np.divide(third, reach, out=np.ones_like(third), where=reach > third / 2)
        times[at, side] = sign * third
    # pieces of the others: at which key of the result each begins, and its handles
    of, low, high = pieces_between(len(segments.left), of, s)
    first, last = _third_handles(segments.take(of), low, high)
    at = position[segments.left[of]] + np.arange(len(of)) - np.searchsorted(of, of)
    span = np.diff(result.times.astype(np.float64))[at] * _THIRD
    times[at, 1], times[at + 1, 0] = span, -span
    values[:, at, 1], values[:, at + 1, 0] = first, last
    result.handles = handles


# --- Several tracks on the same keys ----------------------------------------------------------------------------------


def unite(tracks: list[Track], tolerance: float = 1e-5, report: Report | None = None) -> Track:
    """Return one block of all components of tracks of one property, in the order of the list.

    Keys are united by exact subdivision. Where some components step while others move, a second key at the same time
    takes the step. BEZIER segments whose handle times differ between components are fitted again with handles
    at thirds, within `tolerance` in the values' own unit. A component that repeats with another range or wrap than the
    others is held instead. `report` learns of both.
    """
    first = tracks[0]
    if len(tracks) == 1:
        return first
    if same_keys(tracks):
        return _stacked(tracks)
    # exact: the same wraps, the same key times, a key before each step that others move through
    tracks = [
        track if len(track.times) else track.redrawn(np.zeros(1), np.zeros((len(track.values), 1)), CONSTANT)
        for track in tracks
    ]
    wraps = common_wraps(tracks, report)
    tracks = [track if (track.before, track.after) == wraps else track.held() for track in tracks]
    spread = _spread_steps(_on_all_keys(tracks))
    # one set of handle times needs a fit only where several tracks bend with handles of different lengths
    differing = _differing_handles(spread)
    if not differing.any():
        return _stacked(_same_shapes(spread))
    fitted = [refit_thirds(track, tolerance, differing) for track in spread]
    if report is not None:
        added = len(_union([track for track, _, _ in fitted])[0]) - len(spread[0].times)
        reach = max(float(np.ptp(track.values)) for track in spread) or 1.0
        error = max(error for _, error, _ in fitted)
        if added:
            report.note(messages.TRACKS_REFITTED, name=first.node, keys=added, percent=100.0 * error / reach)
    return unite([track for track, _, _ in fitted], tolerance, report)


def halved(low: Array, high: Array, far: Callable[[Array, Array], Array], least: float = 0.0) -> Array:
    """Return the times (m,) that halve intervals from `low` to `high` (k,) seconds until what is drawn between their
    ends plays alike: while `far` tells (p,) of those between two arrays (p,) that they do not. None becomes shorter
    than `least` seconds."""
    added = [low[:0]]
    for _ in range(_HALVINGS):
        reckon(pieces=sum(map(len, added)) + len(low))
        # only what is long enough to be divided, and plays otherwise than drawn, is
        open_ = high - low > DIVISIBLE * least
        if not open_.any():
            break
        open_[open_] = far(low[open_], high[open_])
        middle = (low[open_] + high[open_]) / 2
        added.append(middle)
        low, high = np.concatenate((low[open_], middle)), np.concatenate((middle, high[open_]))
    return np.concatenate(added)


def by_track(values: Array, tracks: Sequence[Track]) -> list[Array]:
    """Return rows (components, n) of all tracks together as those of each track."""
    return np.split(values, np.cumsum([len(track.values) for track in tracks])[:-1])


def same_keys(tracks: Sequence[Track]) -> bool:
    """Tell whether all tracks have the same times, shapes, handle times and wraps."""
    return all(_same_keys(tracks[0], track) for track in tracks[1:])


def _same_keys(a: Track, b: Track) -> bool:
    same_times = a.times is b.times or np.array_equal(a.times, b.times)
    same_shapes = a.interpolation is b.interpolation or np.array_equal(a.interpolation, b.interpolation)
    if not (same_times and same_shapes and (a.before, a.after) == (b.before, b.after)):
        return False
    if a.handles is None or b.handles is None:
        return a.handles is b.handles
    return a.handles.times is b.handles.times or np.array_equal(a.handles.times, b.handles.times)


def _stacked(tracks: list[Track]) -> Track:
    first = tracks[0]
    offsets = [track.handles.values for track in tracks if track.handles is not None]
    handles = None if first.handles is None else Handles(first.handles.times, np.concatenate(offsets))
    return replace(first, values=np.concatenate([track.values for track in tracks]), handles=handles, match=None)


def common_wraps(tracks: list[Track], report: Report | None) -> tuple[Wrap, Wrap]:
    """Return what all tracks do outside their keys if they agree on that and on their ends, else hold.

    `report` learns how many no longer repeat.
    """
    hold = Wrap.HOLD, Wrap.HOLD
    spans = {(float(track.times[0]), float(track.times[-1])) for track in tracks if len(track.times)}
    wraps = [(track.before, track.after) for track in tracks]
    if len(set(wraps)) == 1 and (len(spans) == 1 or wraps[0] == hold):
        return wraps[0]
    repeating = sum(wrap != hold for wrap in wraps)
    if report is not None and repeating:
        report.warn(messages.WRAPS_DROPPED, count=repeating)
    return hold


def _union(tracks: list[Track]) -> tuple[Array, Array]:
    """Return (m,) the times of all keys, and where several of a track lie on one time, the rank of each among them."""
    times = np.concatenate([track.times for track in tracks])
    ranks = np.concatenate([curve.ranks(track.times) for track in tracks])
    order = np.lexsort((ranks, times))
    times, ranks = times[order], ranks[order]
    fresh = np.append(True, (times[1:] != times[:-1]) | (ranks[1:] != ranks[:-1]))
    return times[fresh], ranks[fresh]


def _on_all_keys(tracks: list[Track]) -> list[Track]:
    """Return the tracks with keys at each other's times; a key that one adds, all others get too."""
    known, (times, ranks) = 0, _union(tracks)
    while len(times) > known:
        known = len(times)
        tracks = [subdivide(track, times) for track in tracks]
        times, ranks = _union(tracks)
    result = []
    for track in tracks:
        # the track's own key for each of the union: by time, and among several at one time by rank
        low, high = (np.searchsorted(track.times, times, side=side) for side in ("left", "right"))
        beyond = np.where(times < track.times[0], 0, len(track.times) - 1)
        at = np.where(high > low, low + np.minimum(ranks, high - low - 1), beyond)
        expanded = replace(track.take(at), times=times, match=None)
        # nothing moves before the first key, after the last, and between two keys at one time
        flat = (times[:-1] < track.times[0]) | (times[1:] > track.times[-1]) | (times[:-1] == times[1:])
        expanded.interpolation[:-1][flat] = LINEAR
        result.append(expanded)
    return result


def _shapes(tracks: list[Track]) -> tuple[Array, Array]:
    """Return (tracks, n - 1) the interpolation of each segment, and whether its value does not change."""
    shape = np.stack([track.interpolation[:-1] for track in tracks])
    still = np.stack([(track.values[:, 1:] == track.values[:, :-1]).all(axis=0) for track in tracks])
    return shape, still & (shape != BEZIER)


def _spread_steps(tracks: list[Track]) -> list[Track]:
    """Put a key just before a step, at the same time, where some tracks step while others move."""
    shape, still = _shapes(tracks)
    steps = (shape == CONSTANT) & ~still
    mixed = np.flatnonzero(steps.any(axis=0) & ((shape != CONSTANT) & ~still).any(axis=0))
    if not len(mixed):
        return tracks
    # double the key that ends each such step; what steps repeats its old value there, what moves its new one
    order = np.arange(len(tracks[0].times))
    times = np.insert(tracks[0].times, mixed + 1, tracks[0].times[mixed + 1])
    result = []
    for track, stepping in zip(tracks, steps, strict=True):
        at = np.insert(order, mixed + 1, np.where(stepping[mixed], mixed, mixed + 1))
        spread = replace(track.take(at), times=times, match=None)
        # a step becomes a level line up to the doubled key, and the jump lies between the two
        position = mixed + np.arange(len(mixed))
        spread.interpolation[position[stepping[mixed]]] = LINEAR
        spread.interpolation[position + 1] = LINEAR
        result.append(spread)
    return result


def _differing_handles(tracks: list[Track]) -> Array:
    """Tell (n - 1,) which segments are BEZIER in several tracks with handle times that differ."""
    bezier = (_shapes(tracks)[0] == BEZIER)[..., None]
    reach = np.stack([_reach(track) for track in tracks])
    low, high = np.where(bezier, reach, np.inf).min(axis=0), np.where(bezier, reach, -np.inf).max(axis=0)
    length = np.diff(tracks[0].times.astype(np.float64))
    with np.errstate(invalid="ignore"):
        differing: Array = ((high - low) > 1e-6 * length[:, None]).any(axis=1)
    return differing


def _reach(track: Track) -> Array:
    """Return (n - 1, 2) the length in time of the handles inside each segment, cut to it."""
    times = curve.handles_of(track).times
    reach = np.stack((times[:-1, 1], -times[1:, 0]), axis=1)
    return np.asarray(np.clip(reach, 0.0, np.diff(track.times.astype(np.float64))[:, None]))


def _same_shapes(tracks: list[Track]) -> list[Track]:
    """Return tracks of the same times with one interpolation and one set of handle times."""
    shape, still = _shapes(tracks)
    # BEZIER says everything, LINEAR what does not step, and a still segment may be anything
    bezier = (shape == BEZIER).any(axis=0)
    constant = ((shape == CONSTANT) | still).all(axis=0) & (shape == CONSTANT).any(axis=0)
    common = np.where(bezier, BEZIER, np.where(constant, CONSTANT, LINEAR))
    interpolation = np.append(common, max(track.interpolation[-1] for track in tracks)).astype(np.uint8)
    if not bezier.any():
        return [replace(track, interpolation=interpolation, handles=None) for track in tracks]
    # handle times: for each segment those of the first track that is BEZIER
    times = np.zeros((len(tracks[0].times), 2))
    reach = np.stack([_reach(track) for track in tracks])[np.argmax(shape == BEZIER, axis=0), np.arange(shape.shape[1])]
    times[:-1, 1], times[1:, 0] = reach[:, 0], -reach[:, 1]
    result = []
    for track, own_shape in zip(tracks, shape, strict=True):
        # its own shape where it is BEZIER, else its straight line
        own = bezier_segments(track, np.arange(shape.shape[1]))
        slope = own.rise / np.where(own.length > 0, own.length, 1.0)
        values = np.zeros((len(track.values), *times.shape))
        values[:, :-1, 1] = np.where(own_shape == BEZIER, own.offsets[..., 0], slope * times[:-1, 1])
        values[:, 1:, 0] = np.where(own_shape == BEZIER, own.offsets[..., 1], slope * times[1:, 0])
        result.append(replace(track, interpolation=interpolation, handles=Handles(times, values)))
    return result
