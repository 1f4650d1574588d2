"""One block from several tracks of one property, so that its components can be mixed: on the same keys, exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..errors import Report
from . import CONSTANT, Array, Handles, Interpolation, Track, Wrap, messages
from .curve import bezier_segments, subdivide
from .fit import refit_thirds


@dataclass
class _Union:
    """The keys of a united block: a time and, where several keys lie on one time, its rank among them."""

    times: Array
    ranks: Array


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
    if all(_same_keys(first, track) for track in tracks[1:]):
        return _stacked(tracks)
    # exact: the same wraps, the same key times, a key before each step that others move through
    tracks = _same_wraps([_filled(track) for track in tracks], report)
    tracks, union = _subdivided(tracks)
    spread = _spread_steps([_expanded(track, union) for track in tracks])
    # one set of handle times needs a fit only where several tracks bend with handles of different lengths
    differing = _differing_handles(spread)
    if not differing.any():
        return _stacked(_same_shapes(spread))
    fitted = [_refitted(track, differing, tolerance) for track in spread]
    if report is not None:
        added = sum(count for _, _, count in fitted)
        reach = max(float(np.ptp(track.values)) for track in tracks) or 1.0
        error = max(error for _, error, _ in fitted)
        report.note(messages.TRACKS_REFITTED, keys=added, percent=100.0 * error / reach)
    return unite([track for track, _, _ in fitted], tolerance, report)


def by_track(values: Array, tracks: Sequence[Track]) -> list[Array]:
    """Return rows (components, n) of all tracks together as those of each track."""
    return np.split(values, np.cumsum([len(track.values) for track in tracks])[:-1])


def _filled(track: Track) -> Track:
    """Return the track; one without keys, which is 0, gets one key that says so."""
    if len(track.times):
        return track
    return track.redrawn(np.zeros(1), np.zeros((len(track.values), 1)), CONSTANT)


def _same_keys(a: Track, b: Track) -> bool:
    """Tell whether two tracks have the same times, shapes, handle times and wraps."""
    same_times = a.times is b.times or np.array_equal(a.times, b.times)
    same_shapes = a.interpolation is b.interpolation or np.array_equal(a.interpolation, b.interpolation)
    if not (same_times and same_shapes and (a.before, a.after) == (b.before, b.after)):
        return False
    if a.handles is None or b.handles is None:
        return a.handles is b.handles
    return a.handles.times is b.handles.times or np.array_equal(a.handles.times, b.handles.times)


def _stacked(tracks: list[Track]) -> Track:
    """Return one block of tracks with the same keys."""
    first = tracks[0]
    offsets = [track.handles.values for track in tracks if track.handles is not None]
    handles = None if first.handles is None else Handles(first.handles.times, np.concatenate(offsets))
    return replace(first, values=np.concatenate([track.values for track in tracks]), handles=handles, match=None)


def _same_wraps(tracks: list[Track], report: Report | None) -> list[Track]:
    """Return the tracks, all held where they do not repeat alike."""
    wraps = common_wraps(tracks, report)
    return [track if (track.before, track.after) == wraps else track.held() for track in tracks]


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


def _union(tracks: list[Track]) -> _Union:
    """Return all times and ranks that any of the tracks has."""
    times = np.concatenate([track.times for track in tracks])
    ranks = np.concatenate([_ranks(track.times) for track in tracks])
    order = np.lexsort((ranks, times))
    times, ranks = times[order], ranks[order]
    fresh = np.append(True, (times[1:] != times[:-1]) | (ranks[1:] != ranks[:-1]))
    return _Union(times[fresh], ranks[fresh])


def _subdivided(tracks: list[Track]) -> tuple[list[Track], _Union]:
    """Return the tracks with keys at each other's times, and these; a key that one adds, all others get too."""
    union = _union(tracks)
    while True:
        tracks = [subdivide(track, union.times) for track in tracks]
        grown = _union(tracks)
        if len(grown.times) == len(union.times):
            return tracks, union
        union = grown


def _ranks(times: Array) -> Array:
    """Return (n,) how many keys at the same time precede each key."""
    result: Array = np.arange(len(times)) - np.searchsorted(times, times, side="left")
    return result


def _expanded(track: Track, union: _Union) -> Track:
    """Return a curve that has the union's inner times with a key for each of the union, held outside its own keys."""
    # the track's own key for each of the union: by time, and among several at one time by rank
    low = np.searchsorted(track.times, union.times, side="left")
    high = np.searchsorted(track.times, union.times, side="right")
    beyond = np.where(union.times < track.times[0], 0, len(track.times) - 1)
    at = np.where(high > low, low + np.minimum(union.ranks, high - low - 1), beyond)
    result = _gathered(track, at, union.times)
    # nothing moves before the first key, after the last, and between two keys at one time
    flat = (union.times[:-1] < track.times[0]) | (union.times[1:] > track.times[-1])
    flat |= union.times[:-1] == union.times[1:]
    result.interpolation[:-1][flat] = Interpolation.LINEAR
    return result


def _gathered(track: Track, at: Array, times: Array) -> Track:
    """Return the keys `at` (m,) of a track, at other times (m,)."""
    return replace(track.take(at), times=times, match=None)


def _shapes(tracks: list[Track]) -> tuple[Array, Array]:
    """Return (tracks, n - 1) the interpolation of each segment, and whether its value does not change."""
    shape = np.stack([track.interpolation[:-1] for track in tracks])
    still = np.stack([(track.values[:, 1:] == track.values[:, :-1]).all(axis=0) for track in tracks])
    return shape, still & (shape != Interpolation.BEZIER)


def _spread_steps(tracks: list[Track]) -> list[Track]:
    """Put a key just before a step, at the same time, where some tracks step while others move."""
    shape, still = _shapes(tracks)
    steps = (shape == Interpolation.CONSTANT) & ~still
    mixed = np.flatnonzero(steps.any(axis=0) & ((shape != Interpolation.CONSTANT) & ~still).any(axis=0))
    if not len(mixed):
        return tracks
    # double the key that ends each such step; what steps repeats its old value there, what moves its new one
    order = np.arange(len(tracks[0].times))
    times = np.insert(tracks[0].times, mixed + 1, tracks[0].times[mixed + 1])
    result = []
    for track, stepping in zip(tracks, steps, strict=True):
        at = np.insert(order, mixed + 1, np.where(stepping[mixed], mixed, mixed + 1))
        spread = _gathered(track, at, times)
        # a step becomes a level line up to the doubled key, and the jump lies between the two
        position = mixed + np.arange(len(mixed))
        spread.interpolation[position[stepping[mixed]]] = Interpolation.LINEAR
        spread.interpolation[position + 1] = Interpolation.LINEAR
        result.append(spread)
    return result


def _differing_handles(tracks: list[Track]) -> Array:
    """Tell (n - 1,) which segments are BEZIER in several tracks with handle times that differ."""
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
    """Return (n - 1, 2) the length in time of the handles inside each segment, cut to it."""
    length = np.diff(track.times.astype(np.float64))[:, None]
    if track.handles is None:
        return np.zeros((len(length), 2))
    reach = np.stack((track.handles.times[:-1, 1], -track.handles.times[1:, 0]), axis=1)
    result: Array = np.clip(reach, 0.0, length)
    return result


def _refitted(track: Track, chosen: Array, tolerance: float) -> tuple[Track, float, int]:
    """Return the track with the chosen segments fitted to thirds, the largest error and how many keys were added."""
    if not ((track.interpolation[:-1] == Interpolation.BEZIER) & chosen).any():
        return track, 0.0, 0
    return refit_thirds(track, tolerance, chosen)


def _same_shapes(tracks: list[Track]) -> list[Track]:
    """Return tracks of the same times with one interpolation and one set of handle times."""
    shape, still = _shapes(tracks)
    # BEZIER says everything, LINEAR what does not step, and a still segment may be anything
    bezier = (shape == Interpolation.BEZIER).any(axis=0)
    constant = ((shape == Interpolation.CONSTANT) | still).all(axis=0) & (shape == Interpolation.CONSTANT).any(axis=0)
    common = np.where(bezier, Interpolation.BEZIER, np.where(constant, Interpolation.CONSTANT, Interpolation.LINEAR))
    interpolation = np.append(common, max(track.interpolation[-1] for track in tracks)).astype(np.uint8)
    if not bezier.any():
        return [replace(track, interpolation=interpolation, handles=None) for track in tracks]
    times = _common_handle_times(tracks, shape)
    return [_on_handle_times(track, interpolation, times) for track in tracks]


def _common_handle_times(tracks: list[Track], shape: Array) -> Array:
    """Return (n, 2) the handle times of the first track that is BEZIER, for each segment."""
    times = np.zeros((len(tracks[0].times), 2))
    owner = np.argmax(shape == Interpolation.BEZIER, axis=0)
    reach = np.stack([_reach(track) for track in tracks])[owner, np.arange(shape.shape[1])]
    times[:-1, 1], times[1:, 0] = reach[:, 0], -reach[:, 1]
    return times


def _on_handle_times(track: Track, interpolation: Array, times: Array) -> Track:
    """Return the track with shared handle times: its own shape where it is BEZIER, else its straight line."""
    left = np.arange(len(track.times) - 1)
    own = bezier_segments(track, left)
    bezier = track.interpolation[:-1] == Interpolation.BEZIER
    slope = own.rise / np.where(own.length > 0, own.length, 1.0)
    values = np.zeros((len(track.values), *times.shape))
    values[:, :-1, 1] = np.where(bezier, own.offsets[..., 0], slope * times[:-1, 1])
    values[:, 1:, 0] = np.where(bezier, own.offsets[..., 1], slope * times[1:, 0])
    return replace(track, interpolation=interpolation, handles=Handles(times, values))
