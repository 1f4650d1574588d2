"""Which of two disputed orders a file follows, decided by all its Curve tracks together.

A single track can mislead: constant values look like times. In both votes a smaller sum of penalties wins.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

import numpy as np

from ..clip import Array
from .document import Document, Track
from .layout import FLAG_PER_KEY, Kind, Mode, TangentOrder, TrackType

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
    falls[starts] = False
    often = np.repeat([counts[number] for number in shared], [*map(len, times)])
    score = _IMPOSSIBLE * int(often[~finite | (joined < 0)].sum())
    score += _UNLIKELY * int(often[falls].sum())
    score += _UNLIKELY * int(often[(joined != 0) & (np.abs(joined) < _SMALLEST_NORMAL)].sum())
    late, distance = _against_duration(joined[finite], often[finite], float(duration))
    return score + _PAST_THE_END * late, distance, int(often[starts][joined[starts] != 0].sum())


def has_odd_times(tracks: Iterable[Track]) -> bool:
    """Return whether times of curves fall, are negative, tiny or no numbers."""
    return time_score(tracks, np.float32(0))[0] > 0


def _against_duration(times: Array, often: Array, duration: float) -> tuple[int, float]:
    """Return how many times (n,) lie past the duration, and how far off the latest is; 0 without duration.

    Args:
        often: (n,) how often each occurs.
    """
    if not (np.isfinite(duration) and duration > 0) or not len(times):
        return 0, 0.0
    return int(often[times > duration].sum()), abs(float(times.max()) - duration)


def says_every_mode(document: Document) -> bool:
    """Return whether each key repeats its track's interpolation, as the one writer does that puts time first."""
    tracks = list(curves(document.tracks))
    if any(not track.flags & FLAG_PER_KEY for track in tracks):
        return False
    return any((track.modes == track.modes[0]).all() for track in tracks)


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
    tangents = _tangents(track)
    if tangents is None:
        return 0, 0
    values, left, right = tangents
    modes, times = track.modes, track.key_times.astype(np.float64)
    return _end_votes(values, left, right, modes), _inner_votes(values, left, right, modes, times)


def _tangents(track: Track) -> tuple[Array, Array, Array] | None:
    """Return (components, n) float64 of values, left and right tangents, None if the track has none that count."""
    if track.left is None or track.right is None or track.type.kind is Kind.STRING:
        return None
    if not (track.modes >= Mode.TANGENT).any():
        return None
    return tuple(  # type: ignore[return-value]  # three in, three out
        np.asarray(part, np.float64).reshape(track.key_count, -1).T for part in (track.values, track.left, track.right)
    )


def _end_votes(values: Array, left: Array, right: Array, modes: Array) -> int:
    """Return the votes of the ends, arrays (components, n): the unused tangent there is 0 or the key's value."""
    votes = 0
    for key, unused, used in ((0, left, right), (-1, right, left)):
        if modes[key] >= Mode.TANGENT:
            here = values[:, key]
            idle = (unused[:, key] == 0) | (unused[:, key] == here)
            other = (used[:, key] == 0) | (used[:, key] == here)
            votes += int(idle.sum()) - int(other.sum())
    return votes


def _inner_votes(values: Array, left: Array, right: Array, modes: Array, times: Array) -> int:
    """Return the votes of inner keys: handles point to the neighbours, a smooth key has one slope on both sides."""
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
    return int(_counted(pointing)) + int(_counted(smooth))


def _counted(votes: Iterable[float] | Array) -> float:
    return float(np.nansum(np.asarray(votes, np.float64)))
