"""Curves with their handles at thirds of each segment, within a tolerance.

Errors are always measured against the original, never against a step on the way. Work proceeds in rounds over all
pieces at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..files.memory import reckon, spend
from . import Array, Handles, Interpolation, Track
from .curve import Pieces, Segments, bezier_segments, pieces_between, polynomial, quadratic, whole

_ROUNDS = 40
_THIRD = 1.0 / 3.0
_PROBES = 15
_SHORTEST = 1e-9


def is_thirds(track: Track) -> Array:
    """Tell (n - 1,) whether each segment is BEZIER with handles a third of its length, so that time runs evenly.

    A millionth of the length is allowed, and the rounding of float32 to the key's time.
    """
    bezier = track.interpolation[:-1] == Interpolation.BEZIER
    if track.handles is None or not bezier.any():
        return np.zeros(len(bezier), dtype=bool)
    times = track.times.astype(np.float64)
    third = np.diff(times) * _THIRD
    slack = np.maximum(3e-6 * third, 2.0**-23 * np.maximum(np.abs(times[1:]), np.abs(times[:-1])))
    ahead = np.abs(track.handles.times[:-1, 1] - third) <= slack
    back = np.abs(track.handles.times[1:, 0] + third) <= slack
    result: Array = bezier & ahead & back
    return result


def refit_thirds(track: Track, tolerance: float, chosen: Array | None = None) -> tuple[Track, float, int]:
    """Return the curve with every BEZIER segment's handles a third of its length from its keys.

    Args:
        tolerance: in the values' own unit.
        chosen: (n - 1,) segments to fit, None for all.

    Returns:
        the track (the same object where nothing had to change), the largest error reached and the number of keys
        added. Slopes at the keys are kept. Segments are halved until a single cubic over even time is near enough.
    """
    bezier = track.interpolation[:-1] == Interpolation.BEZIER
    if chosen is not None:
        bezier &= chosen
    even = is_thirds(track) & bezier
    if not bezier.any() or _exact_thirds(track, bezier):
        return track, 0.0, 0
    segments = bezier_segments(track, np.flatnonzero(bezier & ~even & (np.diff(track.times) > 0)))
    pieces, error = _halve_until(segments, tolerance, _third_errors, whole(len(segments.left)))
    # keys where the pieces meet, then handles at thirds everywhere
    of, s = pieces.cuts()
    result = _with_keys(track, segments, of, s, Interpolation.BEZIER)
    _set_thirds(result, track, segments, of, s, even)
    return result, error, len(s)


def _exact_thirds(track: Track, bezier: Array) -> bool:
    """Tell whether the chosen segments need no fit at all."""
    if track.handles is None:
        return False
    third = np.diff(track.times.astype(np.float64)) * _THIRD
    ahead = np.abs(track.handles.times[:-1, 1] - third) <= 1e-6 * third
    back = np.abs(track.handles.times[1:, 0] + third) <= 1e-6 * third
    return bool((ahead & back)[bezier].all())


def _halve_until(
    segments: Segments, tolerance: float, measure: Callable[[Segments, Pieces], Array], pending: Pieces
) -> tuple[Pieces, float]:
    """Halve the pieces until each has an error within the tolerance; returns them and the largest error left."""
    done = pending.take(np.zeros(0, dtype=np.intp))
    error = 0.0
    for step in range(_ROUNDS):
        if not len(pending.of):
            break
        reckon(pieces=len(done.of) + len(pending.of))
        errors = measure(segments, pending)
        parts = segments.take(pending.of)
        spans = parts.times_at(pending.high) - parts.times_at(pending.low)
        # near enough, too short to be seen, or out of rounds
        good = (errors <= tolerance) | (spans < _SHORTEST) | (step == _ROUNDS - 1)
        error = max(error, float(errors[good].max(initial=0.0)))
        done = done.join(pending.take(good))
        pending = pending.take(~good).halved()
    spend(pieces=len(done.of))
    return done, error


def _slopes(segments: Segments, s: Array) -> Array:
    """Return (components, k) value per part of the segment's length; 0 / 0 is NaN, upright is infinite."""
    time, value = segments.differences()
    with np.errstate(divide="ignore", invalid="ignore"):
        slope: Array = quadratic(value, s) / quadratic(time, s)
    return slope


def _third_handles(parts: Segments, low: Array, high: Array) -> tuple[Array, Array]:
    """Return value offsets (components, p) at the two ends of pieces that keep the slopes there.

    Where the slope is not finite the piece's own control point gives the height instead.
    """
    span = parts.times_at(high) - parts.times_at(low)
    _, value = parts.differences()
    width = high - low
    ends = []
    for s, sign in ((low, 1.0), (high, -1.0)):
        slope = _slopes(parts, s)
        # a handle at a third has a third of the rise that its slope makes of the whole span
        kept = sign * slope * span * _THIRD
        ends.append(np.where(np.isfinite(kept), kept, sign * width * quadratic(value, s)))
    return ends[0], ends[1]


def _third_errors(segments: Segments, pieces: Pieces) -> Array:
    """Return (p,) the largest difference over time between each piece and its cubic over even time."""
    parts = segments.take(pieces.of)
    first, last = _third_handles(parts, pieces.low, pieces.high)
    # the cubic that would replace each piece
    start = parts.times_at(pieces.low)
    span = parts.times_at(pieces.high) - start
    base = parts.values_at(pieces.low)
    rise = parts.values_at(pieces.high) - base
    # how far it is off at even parameters; it is exact at both ends
    inner, exact = [], np.zeros(base.shape)
    for probe in range(1, _PROBES + 1):
        s = pieces.low + (pieces.high - pieces.low) * (probe / (_PROBES + 1))
        part = (parts.times_at(s) - start) / np.where(span > 0, span, 1.0)
        inner.append(base + polynomial(first, rise + last, rise, part) - parts.values_at(s))
    result: Array = _peaks(np.stack([exact, *inner, exact], axis=-1)).max(axis=0)
    return result


def _peaks(errors: Array) -> Array:
    """Return (components, p) the largest absolute value of smooth functions probed evenly, between probes too.

    A parabola through the largest probe and its neighbours finds the top.
    """
    at = np.clip(np.abs(errors).argmax(axis=-1), 1, errors.shape[-1] - 2)[..., None]
    before, middle, after = (np.take_along_axis(errors, at + step, axis=-1)[..., 0] for step in (-1, 0, 1))
    bend = before - 2 * middle + after
    top = middle - (after - before) ** 2 / (8 * np.where(bend == 0, np.inf, bend))
    result: Array = np.maximum(np.abs(middle), np.abs(top))
    return result


def _with_keys(track: Track, segments: Segments, of: Array, s: Array, shape: Interpolation) -> Track:
    """Return the track with keys put into its segments at the parameters, times and values in float64."""
    if not len(of):
        return replace(track)
    before = segments.left[of] + 1
    parts = segments.take(of)
    times = parts.start + parts.length * parts.times_at(s)
    return replace(
        track,
        times=np.insert(track.times.astype(np.float64), before, times),
        values=np.insert(track.values.astype(np.float64), before, parts.values_at(s), axis=1),
        interpolation=np.insert(track.interpolation, before, np.uint8(shape)),
        inserted=None if track.inserted is None else np.insert(track.inserted, before, False),
        match=None,
    )


def _set_thirds(result: Track, track: Track, segments: Segments, of: Array, s: Array, even: Array) -> None:
    """Set the handles of `result`: thirds for segments and pieces, and exact thirds where `even` was nearly so."""
    # the old handles, and room for those of the new keys
    before = segments.left[of] + 1
    empty = Handles(np.zeros((len(result.times), 2)), np.zeros((*result.values.shape, 2)))
    handles = empty if track.handles is None else track.handles.opened(before)
    times, values = handles.times, handles.values
    # segments that were nearly even: exact thirds, slopes kept
    position = np.arange(len(track.times)) + np.searchsorted(before, np.arange(len(track.times)), side="right")
    near = np.flatnonzero(even)
    third = np.diff(track.times.astype(np.float64))[near] * _THIRD
    for keys, side, sign in ((near, 1, 1.0), (near + 1, 0, -1.0)):
        at = position[keys]
        values[:, at, side] *= sign * third / times[at, side]
        times[at, side] = sign * third
    # pieces of the others: at which key of the result each begins, and its handles
    pieces = pieces_between(len(segments.left), of, s)
    parts = segments.take(pieces.of)
    first, last = _third_handles(parts, pieces.low, pieces.high)
    order = np.cumsum(np.append(True, pieces.of[1:] != pieces.of[:-1])) - 1 if len(pieces.of) else pieces.of
    rank = np.arange(len(pieces.of)) - np.searchsorted(order, order)
    at = position[segments.left[pieces.of]] + rank
    span = np.diff(result.times.astype(np.float64))[at] * _THIRD
    times[at, 1], times[at + 1, 0] = span, -span
    values[:, at, 1], values[:, at + 1, 0] = first, last
    result.handles = handles
