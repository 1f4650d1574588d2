"""Edits of a clip or track that keep its curves exactly: cut in time, multiplied in length, turned, held within limits.

A cut puts keys on the borders and writes repeats out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..files.memory import reckon
from . import CONSTANT, LINEAR, LOCATION, Array, Clip, Handles, Node, Track, TrackKind, Wrap, curve

MOST_ROUNDS = 10000
"""A repeating curve is written out at most so often; what lies further away is held."""

_ROUNDED = 1e-6
"""Part of a round by which the end of a range may miss that of a round."""

_SAME_TIME = 1e-5
"""Seconds, or frames, within which two keys are at one time."""

_SAME_VALUE = 1e-6
"""Part of a value, of 1 at least, within which a track continues where another one ends."""

LEAST_EDGE = 2e-5
"""Seconds that an edge lies before its step: Blender gives the value of a key that is within 1e-4 frames."""

FINER = 2.0**-21
"""Share of a time that single precision still tells apart."""


# --- A part in time --------------------------------------------------------------------------------------------------


def trim(clip: Clip, first: float, last: float) -> Clip:
    """Return a scene's clip from `first` to `last` seconds, `first` as time 0; tracks within keep their repeats."""
    tracks = [
        track.shifted(-first) if is_within(track, first, last) else trim_track(track, first, last, ends=True)
        for track in clip.tracks
    ]
    markers = [marker for marker in clip.markers if first <= marker.time <= last]
    return replace(shifted(replace(clip, tracks=[], markers=markers, duration=last), -first), tracks=tracks)


def is_within(track: Track, first: float, last: float) -> bool:
    """Tell whether a track has keys, and all of them from `first` to `last` seconds."""
    return bool(len(track.times)) and bool(first <= track.times[0] and track.times[-1] <= last)


def shifted(clip: Clip, seconds: float) -> Clip:
    """Return the clip with all keys and markers later by that much."""
    tracks = [track.shifted(seconds) for track in clip.tracks]
    markers = [replace(marker, time=marker.time + seconds) for marker in clip.markers]
    retimed = (clip.retiming[0], clip.retiming[1] + seconds)
    return replace(clip, tracks=tracks, markers=markers, duration=clip.duration + seconds, retimed=retimed)


def trim_track(
    track: Track, first: float, last: float, rises: tuple[float, float] = (0.0, 0.0), *, ends: bool = False
) -> Track:
    """Return the track from `first` to `last` seconds, `first` as its new time 0; itself if it has no keys.

    Args:
        rises: what each repeat adds to the values of the one before it, before the keys and after them.
        ends: where a round ends, its last key plays, as in Blender, and the next begins just behind; before the keys
            the next one's first key does.
    """
    if not len(track.times):
        return track
    whole = _written_out(track, first, last, rises, ends=ends)
    borders = curve.on_keys(np.array([first, last]), whole)  # what rounding put just beyond the end is on it
    cut, (first, last) = curve.subdivide(whole, borders), borders.tolist()
    at = np.flatnonzero((cut.times >= first) & (cut.times <= last))
    if not len(at):  # no keys: the one whose value is held there
        held = cut.take(np.array([-1 if cut.times[-1] < first else 0])).held()
        return replace(held, times=np.zeros(1), inserted=None, match=None)
    # of several keys at the beginning the last one plays
    at = at[max(int((cut.times[at] == first).sum()) - 1, 0) :]
    return cut.take(at).shifted(-first).held()


def written_out(track: Track, first: float, last: float, *, ends: bool = False) -> Track:
    """Return a curve that repeats as keys from `first` to `last` seconds, held beyond; itself where it holds."""
    holds = (track.before, track.after) == (Wrap.HOLD, Wrap.HOLD)
    return track if holds else trim_track(track, first, last, ends=ends).shifted(first)


def looped(clip: Clip, until: float) -> Clip:
    """Return the clip again and again until so many seconds, each curve with the clip's length; itself if as long."""
    length = clip.duration
    if not 0.0 < length < until:
        return clip
    rounds = range(math.ceil(until / length))
    every = (replace(marker, time=marker.time + length * number) for number in rounds for marker in clip.markers)
    markers = [marker for marker in every if marker.time <= until + _SAME_TIME]
    return replace(clip, tracks=[_as_round(track, length) for track in clip.tracks], markers=markers, duration=until)


def _as_round(track: Track, length: float) -> Track:
    """Return a track that repeats with its keys from 0 to `length` seconds; one of a single key stays as it is."""
    if len(track.times) < 2:
        return track
    whole = trim_track(track, 0.0, length)
    early, late = int(whole.times[0] > 0.0), int(whole.times[-1] < length)
    count = len(whole.times)
    result = whole.take(np.pad(np.arange(count), (early, late), mode="edge"))
    # held where the track has no keys
    result.interpolation[:early] = result.interpolation[count + early - 1 :] = LINEAR
    times = result.times.astype(np.float64)
    times[0], times[-1] = 0.0, length
    match = None if early or late else result.match
    return replace(result, times=times, before=Wrap.REPEAT, after=Wrap.REPEAT, match=match)


def _written_out(track: Track, first: float, last: float, rises: tuple[float, float], *, ends: bool) -> Track:
    """Return the track with the keys of its repeats as far as the range needs them."""
    begin, end = float(track.times[0]), float(track.times[-1])
    length = end - begin
    if length <= 0:
        return track
    back = _rounds((begin - first) / length, track.before)
    ahead = _rounds((last - end) / length, track.after)
    if not back and not ahead:
        return track
    numbers = np.arange(-back, ahead + 1)
    reckon(keys=len(numbers) * track.size)
    # every other mirrored round runs backwards
    turned = (numbers % 2 == 1) & (np.where(numbers < 0, track.before, track.after) == Wrap.MIRROR)
    ways = (track, backwards(track, begin + end))
    keys, borders = _in_a_row([ways[way] for way in turned.astype(int)])
    at = np.searchsorted(borders, np.arange(len(keys.times)))
    number, inside = numbers[at], turned[at]
    inside[borders] = False
    times = np.maximum.accumulate(keys.times + number * length)
    if any(rises):
        keys = keys.but(values=keys.values + number * np.where(number > 0, rises[1], rises[0]))
    if not ends:
        return _joined(keys.but(times=times), borders)
    # where a round jumps to the next, one of them leaves the moment to the other: before the keys a beginning plays
    jumps = np.flatnonzero(_jumps(keys.values[:, borders], keys.values[:, borders + 1]))
    early = jumps < back
    moved = borders[jumps] + ~early
    room = times[moved + np.where(early, -1, 1)] - times[moved]
    times[moved] += np.copysign(least_edges(times[moved], np.abs(room)), room)
    return _joined(steps_apart(keys.but(times=times), later=True, within=inside), borders)


def least_edges(times: Array, room: Array) -> Array:
    """Return seconds (m,) that an edge lies beside its step at these times: half of the room there at most."""
    return np.minimum(np.maximum(LEAST_EDGE, np.abs(times) * FINER), room / 2)


def one_after_another(parts: Sequence[Track], starts: Sequence[float]) -> Track:
    """Return tracks of one property as one, each from its start (parts,) in seconds on, held where it has no keys."""
    begun = list(parts[:1])
    for part, start in zip(parts[1:], starts[1:], strict=True):
        if part.times[0] > start + _SAME_TIME and _jumps(begun[-1].values[:, -1:], part.values[:, :1]):
            held = part.take(np.append(0, np.arange(len(part.times))))
            held.interpolation[0] = CONSTANT
            part = held.but(times=np.append(start, part.times))
        begun.append(part)
    return _joined(*_in_a_row(begun))


def _in_a_row(parts: Sequence[Track]) -> tuple[Track, Array]:
    """Return the keys of tracks of one property behind each other, and the indices (parts - 1,) where one ends."""
    times, values, shapes = zip(*[(part.times, part.values, part.interpolation) for part in parts], strict=True)
    result = parts[0].redrawn(np.concatenate(times), np.concatenate(values, axis=1), np.concatenate(shapes))
    if any(part.handles is not None for part in parts):
        offsets, rises = zip(*map(curve.handles_of, parts), strict=True)
        result.handles = Handles(np.concatenate(offsets), np.concatenate(rises, axis=1))
    return result, np.cumsum([len(each) for each in times])[:-1] - 1


def _joined(keys: Track, borders: Array) -> Track:
    """Return tracks in a row as one, which share a key where one begins as the one before it ends, and else jump."""
    times, values, every = keys.times, keys.values, np.arange(len(keys.times))
    gaps = times[borders + 1] - times[borders]
    shared = ~_jumps(values[:, borders], values[:, borders + 1]) & (gaps <= _SAME_TIME)
    keys.interpolation[borders] = np.where(gaps > 0, CONSTANT, LINEAR)
    # of two keys that become one, the first counts for what is left of it, the second for what is right
    left, right = np.delete(every, borders[shared] + 1), np.delete(every, borders[shared])
    handles = keys.handles
    if handles is not None:
        offsets = np.stack((handles.times[left, 0], handles.times[right, 1]), axis=1)
        handles = Handles(offsets, np.stack((handles.values[:, left, 0], handles.values[:, right, 1]), axis=2))
    # rounding must not put the end of one behind the beginning of the next
    times = np.maximum.accumulate(times)[left]
    return keys.but(times=times, values=values[:, left], interpolation=keys.interpolation[right], handles=handles)


def _jumps(last: Array, opening: Array) -> Array:
    """Tell (m,) where values (components, m) do not continue."""
    return np.asarray((np.abs(opening - last) > _SAME_VALUE * np.maximum(1.0, np.abs(last))).any(axis=0))


def _rounds(wanted: float, wrap: Wrap) -> int:
    """Return how many rounds of a repeat are written out; where the range ends with one, no other begins."""
    return 0 if wrap is Wrap.HOLD or wanted <= 0 else min(math.ceil(wanted - _ROUNDED), MOST_ROUNDS)


def backwards(track: Track, total: float) -> Track:
    """Return the track with times `total - t`; two keys say where a step then begins and ends."""
    count = len(track.times)
    steps = np.flatnonzero(track.interpolation[:-1] == CONSTANT)
    # each key as itself, and each step's value once more at the key that ends the step
    at, value = (np.concatenate((np.arange(count), ends)) for ends in (steps + 1, steps))
    order = np.lexsort((np.arange(len(at)) >= count, -at))
    at, value = at[order], value[order]
    # the segment that key k began now begins at key k + 1
    shape = np.where(at > 0, track.interpolation[np.maximum(at - 1, 0)], track.interpolation[-1])
    found = track.take(at)
    handles = found.handles
    if handles is not None:
        handles = Handles(-handles.times[:, ::-1], handles.values[:, :, ::-1])
    times = total - found.times.astype(np.float64)
    return found.but(times=times, values=track.values[:, value], interpolation=shape, handles=handles)


def steps_apart(track: Track, *, later: bool = False, within: Array | None = None) -> Track:
    """Return a track in which of two keys at one time the first lies just before, as Blender may show either there.

    With `later` the second lies just after, as in what Blender plays backwards, where a step's key is still shown.
    `within`: (n,) which keys may be the first of two.
    """
    double = np.flatnonzero(track.times[1:] == track.times[:-1])
    if within is not None:
        double = double[within[double]]
    if not len(double):
        return track
    # the nearest key on the other side, which must not be passed
    times, moved = track.times.astype(np.float64), double + later
    at = np.searchsorted(times, times[moved], side="right" if later else "left") + later
    lengths = np.abs(np.concatenate(([-np.inf], times, [np.inf]))[at] - times[moved])
    times[moved] += least_edges(times[moved], lengths) * (1 if later else -1)
    return replace(track, times=times)


# --- Lengths ---------------------------------------------------------------------------------------------------------


def in_lengths(clip: Clip, factor: float) -> Clip:
    """Return the clip with all lengths multiplied and its root as much smaller, so that the world stays the same."""
    root = np.array(clip.root, np.float64)
    root[:3, :3] /= factor
    nodes = [farther(node, factor) for node in clip.nodes]
    return replace(clip, root=root, nodes=nodes, tracks=[longer(track, factor) for track in clip.tracks])


def enlarged(clip: Clip, factor: float) -> Clip:
    """Return the clip, whose root is at the origin, with all lengths multiplied, in the world too."""
    return replace(in_lengths(clip, factor), root=clip.root)


def farther(node: Node, factor: float) -> Node:
    """Return the node with its rest position multiplied; the node itself for 1."""
    if factor == 1.0:
        return node
    rest = np.array(node.rest, np.float64)
    rest[:3, 3] *= factor
    return replace(node, rest=rest)


def longer(track: Track, factor: float) -> Track:
    """Return the track with a location's values multiplied; the track itself where nothing changes."""
    return track.scaled(factor) if track.kind is TrackKind.TRANSFORM and track.property == LOCATION else track
