"""A track as the engine plays it: which of its keys, in which order, as which curve."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..clip import BEZIER, CONSTANT, Array, Handles, Interpolation
from .document import Track, components
from .layout import Kind, Mode, TrackType

_STRAIGHT = (int(Mode.HOLD), int(Mode.LINEAR))
_SHAPES = np.array([Interpolation.CONSTANT, Interpolation.LINEAR, Interpolation.BEZIER, Interpolation.BEZIER], np.uint8)


@dataclass
class Played:
    """The keys of one track as a curve has them.

    Attributes:
        times: (n,) seconds, ascending; float32 where the file's own.
        numbers: (components, n) in the type's own precision.
        interpolation: (n,) uint8 of clip.Interpolation.
        source: (n,) the track's key that each is; -1 for a key inserted between two that step halfway.
        handles: in float64, None where no segment is a Bezier.
        dropped: how many keys are left out, as their time or value is not finite.
        sorted: keys were not in order of time.
        inserted: (n,) keys that are not the file's, None without any.
    """

    times: Array
    numbers: Array
    interpolation: Array
    source: Array
    handles: Handles | None = None
    dropped: int = 0
    sorted: bool = False
    inserted: Array | None = None


def steps(track: Track) -> bool:
    """Return whether the values of a track jump where others move: bools and texts switch halfway between two keys."""
    return track.type.kind in (Kind.BOOL, Kind.STRING)


def played(track: Track) -> Played:
    """Return what the engine plays of a track of numbers.

    A Tangent segment is a cubic Hermite over the unit interval, its tangents not scaled by the length: the handles
    are a third of them. The handles of a CubicBezier segment are absolute values, at thirds of its time.
    """
    times, numbers, modes = track.key_times, track.numbers(), track.modes
    order = None if _in_order(times) else np.argsort(times, kind="stable")
    if track.track_type is TrackType.RAW and not _is_interval(track):
        times, order = np.zeros(track.key_count), np.arange(min(track.key_count, 1))
    if order is None and _ends_are_finite(times) and bool(np.isfinite(numbers).all()):
        result = Played(times, numbers, _SHAPES[modes], np.arange(track.key_count))
    else:
        result = _usable(times, numbers, modes, np.arange(track.key_count) if order is None else order)
    if steps(track):
        return _stepping(result, modes)
    _shape(result, track, modes)
    return result


def _usable(times: Array, numbers: Array, modes: Array, source: Array) -> Played:
    """Return the keys (n,) `source` of a track without those whose time or value is not finite."""
    usable = np.isfinite(times) & np.isfinite(numbers).all(axis=0)
    kept = source[usable[source]]
    result = Played(times[kept], numbers[:, kept], _SHAPES[modes[kept]], kept)
    result.dropped = len(source) - len(kept)
    result.sorted = bool((kept[1:] < kept[:-1]).any())
    return result


def _is_interval(track: Track) -> bool:
    return track.key_count < 2 or bool(np.isfinite(track.interval) and track.interval > 0)


def _in_order(times: Array) -> bool:
    return bool((times[1:] >= times[:-1]).all())


def _ends_are_finite(times: Array) -> bool:
    """Return whether ordered times (n,) are finite: NaN cannot be in order, and infinity only at an end."""
    return not len(times) or (math.isfinite(times[0]) and math.isfinite(times[-1]))


def _stepping(keys: Played, modes: Array) -> Played:
    """Return the keys of bools: constant, with one more halfway in a moving segment whose ends differ."""
    keys.interpolation = np.full(len(keys.times), CONSTANT)
    moving = modes[keys.source[:-1]] != Mode.HOLD
    moving &= (keys.numbers[:, 1:] != keys.numbers[:, :-1]).any(axis=0) & (keys.times[1:] > keys.times[:-1])
    left = np.flatnonzero(moving)
    if not len(left):
        return keys
    wide = keys.times.astype(np.float64)
    source = np.insert(keys.source, left + 1, -1)
    return Played(
        np.insert(wide, left + 1, (wide[left] + wide[left + 1]) / 2),
        np.insert(keys.numbers, left + 1, keys.numbers[:, left + 1], axis=1),
        np.insert(keys.interpolation, left + 1, np.uint8(Interpolation.CONSTANT)),
        source,
        dropped=keys.dropped,
        sorted=keys.sorted,
        inserted=source < 0,
    )


def _shape(keys: Played, track: Track, modes: Array) -> None:
    """Give Bezier segments their handles."""
    if track.shared_mode in _STRAIGHT:
        return
    bezier = keys.interpolation[:-1] == BEZIER
    if not bezier.any():
        return
    third = np.diff(keys.times.astype(np.float64)) / 3
    with np.errstate(invalid="ignore"):
        left, right = (_side(track, side, keys.source) for side in (track.left, track.right))
    values = keys.numbers.astype(np.float64)
    absolute = modes[keys.source[:-1]] == Mode.CUBIC_BEZIER
    handles = keys.handles = Handles(np.zeros((len(keys.times), 2)), np.zeros((*values.shape, 2)))
    handles.times[:-1, 1] = np.where(bezier, third, 0)
    handles.times[1:, 0] = np.where(bezier, -third, 0)
    with np.errstate(invalid="ignore", over="ignore"):
        leaving = np.where(absolute, right[:, :-1] - values[:, :-1], right[:, :-1] / 3)
        arriving = np.where(absolute, left[:, 1:] - values[:, 1:], -left[:, 1:] / 3)
    handles.values[:, :-1, 1] = np.where(bezier, leaving, 0)
    handles.values[:, 1:, 0] = np.where(bezier, arriving, 0)


def _side(track: Track, tangents: object, source: Array) -> Array:
    """Return (components, n) float64 of one side's tangents; zeros where the file has none."""
    if not isinstance(tangents, np.ndarray):
        return np.zeros((track.type.components, len(source)))
    return components(track.value_type, tangents)[:, source].astype(np.float64)
