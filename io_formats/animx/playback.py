"""A track as the engine plays it: which of its keys, in which order, as which curve."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from ..clip import BEZIER, CONSTANT, Array, Handles, Interpolation
from .document import Document, Track, components
from .layout import FLAG_PER_KEY, Kind, Mode, TangentOrder, TrackType

SHAPES = np.array([Interpolation.CONSTANT, Interpolation.LINEAR, Interpolation.BEZIER, Interpolation.BEZIER], np.uint8)
"""Of segments, by their Mode."""


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


def played(track: Track) -> Played:
    """Return what the engine plays of a track of numbers.

    A Tangent segment is a cubic Hermite over the unit interval, its tangents not scaled by the length: the handles
    are a third of them. The handles of a CubicBezier segment are absolute values, at thirds of its time.
    """
    times, numbers, modes = track.key_times, track.numbers(), track.modes
    order = None if (times[1:] >= times[:-1]).all() else np.argsort(times, kind="stable")
    # a Raw track without a usable interval plays its first key alone
    has_interval = track.key_count < 2 or bool(np.isfinite(track.interval) and track.interval > 0)
    if track.track_type is TrackType.RAW and not has_interval:
        times, order = np.zeros(track.key_count), np.arange(min(track.key_count, 1))
    if order is None and bool(np.isfinite(times).all() and np.isfinite(numbers).all()):
        result = Played(times, numbers, SHAPES[modes], np.arange(track.key_count))
    else:
        # without keys whose time or value is not finite
        source = np.arange(track.key_count) if order is None else order
        usable = np.isfinite(times) & np.isfinite(numbers).all(axis=0)
        kept = source[usable[source]]
        unsorted = bool((kept[1:] < kept[:-1]).any())
        shapes, dropped = SHAPES[modes[kept]], len(source) - len(kept)
        result = Played(times[kept], numbers[:, kept], shapes, kept, dropped=dropped, sorted=unsorted)
    if track.type.kind in (Kind.BOOL, Kind.STRING):  # which switch halfway between two keys where others move
        return _stepping(result, modes)
    _shape(result, track, modes)
    return result


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
    return replace(
        keys,
        times=np.insert(wide, left + 1, (wide[left] + wide[left + 1]) / 2),
        numbers=np.insert(keys.numbers, left + 1, keys.numbers[:, left + 1], axis=1),
        interpolation=np.full(len(source), CONSTANT),
        source=source,
        inserted=source < 0,
    )


def _shape(keys: Played, track: Track, modes: Array) -> None:
    at = np.flatnonzero(keys.interpolation[:-1] == BEZIER)
    if not len(at):
        return
    # time runs evenly: handles at thirds
    third = np.diff(keys.times.astype(np.float64))[at] / 3
    values = keys.numbers.astype(np.float64)
    left, right = np.zeros((2, *values.shape))
    with np.errstate(invalid="ignore"):
        for side, tangents in ((left, track.left), (right, track.right)):
            if tangents is not None:
                side[:] = components(track.value_type, tangents)[:, keys.source]
    absolute = modes[keys.source[at]] == Mode.CUBIC_BEZIER
    handles = keys.handles = Handles(np.zeros((len(keys.times), 2)), np.zeros((*values.shape, 2)))
    handles.times[at, 1], handles.times[at + 1, 0] = third, -third
    leaving, arriving = right[:, at], left[:, at + 1]
    with np.errstate(invalid="ignore", over="ignore"):
        handles.values[:, at, 1] = np.where(absolute, leaving - values[:, at], leaving / 3)
        handles.values[:, at + 1, 0] = np.where(absolute, arriving - values[:, at + 1], -arriving / 3)


# Which of two disputed orders a file follows, decided by all its Curve tracks together.
#
# A single track can mislead: constant values look like times. In both votes a smaller sum of penalties wins.

_SMALLEST_NORMAL = float(np.finfo(np.float32).tiny)
_IMPOSSIBLE, _UNLIKELY, _PAST_THE_END = 4, 2, 1

Score: TypeAlias = tuple[int, float, int]
FLAWLESS: Score = (0, 0.0, 0)


def curves(tracks: Iterable[Track]) -> Iterator[Track]:
    """Yield the Curve tracks that have keys."""
    return (track for track in tracks if track.track_type is TrackType.CURVE and track.key_count)


def time_score(tracks: Iterable[Track], duration: np.float32) -> Score:
    """Return penalties for numbers unlike times, their distance from the duration, and tracks not from 0."""
    every = [track.times for track in curves(tracks) if track.times is not None]
    if not every:
        return FLAWLESS
    shared, counts = {id(times): times for times in every}, Counter(map(id, every))
    times = list(shared.values())
    starts = np.cumsum([0, *map(len, times[:-1])])
    with np.errstate(invalid="ignore"):
        joined = np.concatenate(times).astype(np.float64)
        finite = np.isfinite(joined)
        falls = np.diff(joined, prepend=-np.inf) < 0
    # the first key of a track follows none
    falls[starts] = False
    often = np.repeat([counts[number] for number in shared], [*map(len, times)])
    score = _IMPOSSIBLE * int(often[~finite | (joined < 0)].sum())
    score += _UNLIKELY * int(often[falls].sum())
    score += _UNLIKELY * int(often[(joined != 0) & (np.abs(joined) < _SMALLEST_NORMAL)].sum())
    late, distance = 0, 0.0
    if np.isfinite(duration) and duration > 0 and finite.any():
        late = int(often[finite & (joined > float(duration))].sum())
        distance = abs(float(joined[finite].max()) - float(duration))
    return score + _PAST_THE_END * late, distance, int(often[starts][joined[starts] != 0].sum())


def has_odd_times(tracks: Iterable[Track]) -> bool:
    """Return whether times of curves fall or are no numbers."""
    return any(track.times is not None and not (track.times[1:] >= track.times[:-1]).all() for track in curves(tracks))


def says_every_mode(document: Document) -> bool:
    """Return whether each key repeats its track's interpolation, as the one writer does that puts time first."""
    tracks = list(curves(document.tracks))
    every = all(track.flags & FLAG_PER_KEY for track in tracks)
    return every and any((track.modes == track.modes[0]).all() for track in tracks)


def tangent_order(tracks: Sequence[Track]) -> TangentOrder:
    """Return the order of tangents, for tracks that were read as left, right; that order unless votes are against it.

    The unused tangents at the ends vote first, then those between.
    """
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        votes = [_votes(track) for track in tracks]
    ends, inner = sum(vote[0] for vote in votes), sum(vote[1] for vote in votes)
    return TangentOrder.RIGHT if (ends or inner) < 0 else TangentOrder.LEFT


def _votes(track: Track) -> tuple[int, int]:
    """Return the votes of ends and of inner keys: positive for left, right as read, else negative."""
    if track.left is None or track.right is None or track.type.kind is Kind.STRING:
        return 0, 0
    modes, times = track.modes, track.key_times.astype(np.float64)
    if not (modes >= Mode.TANGENT).any():
        return 0, 0
    parts = (track.values, track.left, track.right)
    values, left, right = (np.asarray(part, np.float64).reshape(track.key_count, -1).T for part in parts)
    # at the ends the unused tangent is 0 or the key's value
    ends = 0
    for key, unused, used in ((0, left, right), (-1, right, left)):
        if modes[key] >= Mode.TANGENT:
            here = values[:, key]
            idle = (unused[:, key] == 0) | (unused[:, key] == here)
            other = (used[:, key] == 0) | (used[:, key] == here)
            ends += int(idle.sum()) - int(other.sum())
    # between them handles point to the neighbours, and a smooth key has one slope on both sides
    inner = np.flatnonzero((modes[1:-1] >= Mode.TANGENT) & (modes[:-2] == modes[1:-1])) + 1
    before, after = times[inner] - times[inner - 1], times[inner + 1] - times[inner]
    absolute = modes[inner] == Mode.CUBIC_BEZIER
    value, first, second = values[:, inner], left[:, inner], right[:, inner]
    rise = values[:, inner + 1] - values[:, inner - 1]
    pointing = np.where(absolute, np.sign((second - first) * rise), 0.0)
    entering = np.where(absolute, value - first, first), np.where(absolute, value - second, second)
    leaving = np.where(absolute, second - value, second), np.where(absolute, first - value, first)
    bend = np.abs(entering[0] / before - leaving[0] / after)
    swapped = np.abs(entering[1] / before - leaving[1] / after)
    smooth = np.sign(np.where(np.isfinite(swapped - bend), swapped - bend, 0.0))
    return ends, int(np.nansum(pointing)) + int(np.nansum(smooth))
