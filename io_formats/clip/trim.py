"""A part of a clip, cut exactly: keys are put on the borders, curves keep their shape, repeats are written out."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from . import Array, Clip, Handles, Interpolation, Track, Wrap, curve

MOST_ROUNDS = 10000
"""A repeating curve is written out at most so often; what lies further away is held."""


def trim(clip: Clip, first: float, last: float) -> Clip:
    """The clip from `first` to `last` seconds, with `first` as the new time 0; tracks within keep their repeats."""
    tracks = [
        track.shifted(-first) if _is_within(track, first, last) else trim_track(track, first, last)
        for track in clip.tracks
    ]
    markers = [replace(marker, time=marker.time - first) for marker in clip.markers if first <= marker.time <= last]
    factor, shift = clip.retimed or (1.0, 0.0)
    return replace(clip, tracks=tracks, markers=markers, duration=last - first, retimed=(factor, shift - first))


def _is_within(track: Track, first: float, last: float) -> bool:
    return bool(len(track.times) and first <= track.times[0] and track.times[-1] <= last)


def trim_track(track: Track, first: float, last: float) -> Track:
    """The track from `first` to `last` seconds, moved so that `first` becomes 0; the same object if it has no keys."""
    if not len(track.times):
        return track
    whole = _written_out(track, first, last)
    cut = curve.subdivide(whole, np.array([first, last]))
    at = _inside(cut.times, first, last)
    if not len(at):
        return _held(track, first)
    return cut.take(at).shifted(-first).held()


def _inside(times: Array, first: float, last: float) -> Array:
    """Indices of the keys in the range; of several at its beginning the last, which is the one that plays."""
    at = np.flatnonzero((times >= first) & (times <= last))
    opening = int((times[at] == first).sum())
    return at[max(opening - 1, 0) :]


def _held(track: Track, first: float) -> Track:
    """One key with the value that plays there, for a range without keys."""
    held = curve.sample(track, np.array([first]))
    return replace(held, times=np.zeros(1))


def _written_out(track: Track, first: float, last: float) -> Track:
    """The track with the keys of its repeats as far as the range needs them."""
    begin, end = float(track.times[0]), float(track.times[-1])
    length = end - begin
    if length <= 0:
        return track
    back = _rounds((begin - first) / length, track.before)
    ahead = _rounds((last - end) / length, track.after)
    if not back and not ahead:
        return track
    rounds = [_round(track, number, _wrap_of(track, number)) for number in range(-back, ahead + 1)]
    # rounding must not put the end of a round behind the beginning of the next
    times = np.maximum.accumulate(np.concatenate([part.times for part in rounds]))
    values = np.concatenate([part.values for part in rounds], axis=1)
    handles = [part.handles for part in rounds if part.handles is not None]
    result = track.redrawn(times, values, np.concatenate([part.interpolation for part in rounds]))
    return replace(result, handles=_one_after_another(handles) if handles else None)


def _one_after_another(parts: list[Handles]) -> Handles:
    return Handles(
        np.concatenate([part.times for part in parts]), np.concatenate([part.values for part in parts], axis=1)
    )


def _rounds(wanted: float, wrap: Wrap) -> int:
    return 0 if wrap is Wrap.HOLD or wanted <= 0 else min(math.ceil(wanted), MOST_ROUNDS)


def _wrap_of(track: Track, number: int) -> Wrap:
    return track.before if number < 0 else track.after


def _round(track: Track, number: int, wrap: Wrap) -> Track:
    """The keys of one round, 0 being the track's own; every other mirrored round runs backwards."""
    begin, end = float(track.times[0]), float(track.times[-1])
    shift = number * (end - begin)
    if number % 2 == 0 or wrap is not Wrap.MIRROR:
        return track.shifted(shift)
    return _backwards(track, begin + end + shift)


def _backwards(track: Track, total: float) -> Track:
    """The track with times `total - t`. A step's value then begins where the step ended: a second key says so."""
    count = len(track.times)
    steps = np.flatnonzero(track.interpolation[:-1] == Interpolation.CONSTANT)
    # each key as itself, and each step's value once more at the key that ends the step
    place = np.concatenate((np.arange(count), steps + 1))
    value = np.concatenate((np.arange(count), steps))
    is_step = np.arange(len(place)) >= count
    order = np.lexsort((is_step, -place))
    place, value = place[order], value[order]
    # the segment that key k began now begins at key k + 1
    shape = np.where(place > 0, track.interpolation[np.maximum(place - 1, 0)], track.interpolation[-1])
    return replace(
        track,
        times=total - track.times[place].astype(np.float64),
        values=track.values[:, value],
        interpolation=shape,
        handles=None if track.handles is None else _exchanged(track.handles.take(place)),
    )


def _exchanged(handles: Handles) -> Handles:
    """The left handles as right ones and the other way round."""
    return Handles(-handles.times[:, ::-1], handles.values[:, :, ::-1])
