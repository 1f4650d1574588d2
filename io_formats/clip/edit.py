"""Edits of a clip or track that keep its curves exactly: cut in time, multiplied in length, turned, held within limits.

A cut puts keys on the borders and writes repeats out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..errors import FormatError, Report
from ..files.memory import reckon
from ..options import Facing
from . import (
    CONSTANT,
    LINEAR,
    LOCATION,
    Array,
    Clip,
    Handles,
    Interpolation,
    Node,
    Track,
    TrackKind,
    Wrap,
    curve,
    messages,
)
from .curve import bezier_segments, subdivide
from .fit import refit_thirds
from .quaternion import from_names

MOST_ROUNDS = 10000
"""A repeating curve is written out at most so often; what lies further away is held."""

_ROUNDED = 1e-6
"""Part of a round by which the end of a range may miss that of a round."""

_SAME_TIME = 1e-5
"""Seconds, or frames, within which two keys are at one time."""

_SAME_VALUE = 1e-6
"""Part of a value, of 1 at least, within which a track continues where another one ends."""

_PROBES = 32
"""Points inside each segment at which a curve is looked at."""
_HALVINGS = 40


# --- A part in time --------------------------------------------------------------------------------------------------


def trim(clip: Clip, first: float, last: float) -> Clip:
    """Return the clip from `first` to `last` seconds, `first` as its new time 0; tracks within keep their repeats."""
    within = [bool(len(track.times) and first <= track.times[0] and track.times[-1] <= last) for track in clip.tracks]
    tracks = [
        track.shifted(-first) if whole else trim_track(track, first, last) for track, whole in zip(clip.tracks, within)
    ]
    markers = [marker for marker in clip.markers if first <= marker.time <= last]
    rest = replace(clip, tracks=[], markers=markers, duration=last)
    return replace(shifted(rest, -first), tracks=tracks)


def shifted(clip: Clip, seconds: float) -> Clip:
    """Return the clip with all keys and markers later by that much."""
    tracks = [track.shifted(seconds) for track in clip.tracks]
    markers = [replace(marker, time=marker.time + seconds) for marker in clip.markers]
    factor, shift = clip.retiming
    retimed = (factor, shift + seconds)
    return replace(clip, tracks=tracks, markers=markers, duration=clip.duration + seconds, retimed=retimed)


def trim_track(track: Track, first: float, last: float, rises: tuple[float, float] = (0.0, 0.0)) -> Track:
    """Return the track from `first` to `last` seconds, `first` as its new time 0; itself if it has no keys.

    Args:
        rises: what each repeat adds to the values of the one before it, before the keys and after them.
    """
    if not len(track.times):
        return track
    whole = _written_out(track, first, last, rises)
    ends = curve.on_keys(whole, np.array([first, last]))  # what rounding put just beyond the end is on it
    cut, (first, last) = curve.subdivide(whole, ends), ends.tolist()
    at = np.flatnonzero((cut.times >= first) & (cut.times <= last))
    if not len(at):  # no keys: one with the value that plays there
        return replace(curve.sample(track, np.array([first])), times=np.zeros(1))
    # of several keys at the beginning the last one plays
    at = at[max(int((cut.times[at] == first).sum()) - 1, 0) :]
    return cut.take(at).shifted(-first).held()


def written_out(track: Track, first: float, last: float) -> Track:
    """Return a curve that repeats as keys from `first` to `last` seconds, held beyond; itself where it holds."""
    if (track.before, track.after) == (Wrap.HOLD, Wrap.HOLD) or not len(track.times):
        return track
    return trim_track(track, first, last).shifted(first)


def looped(clip: Clip, until: float) -> Clip:
    """Return the clip again and again until so many seconds: each curve repeats with the clip's length.

    The clip itself where it is as long already.
    """
    length = clip.duration
    if not 0.0 < length < until:
        return clip
    rounds = range(math.ceil(until / length))
    markers = [replace(marker, time=marker.time + length * number) for number in rounds for marker in clip.markers]
    tracks = [_as_round(track, length) for track in clip.tracks]
    return replace(clip, tracks=tracks, markers=markers, duration=until)


def _as_round(track: Track, length: float) -> Track:
    """Return a track that repeats with its keys from 0 to `length` seconds; one of a single key stays as it is."""
    if len(track.times) < 2:
        return track
    whole = trim_track(track, 0.0, length)
    early, late = int(whole.times[0] > 0.0), int(whole.times[-1] < length)
    count = len(whole.times)
    result = whole.take(np.pad(np.arange(count), (early, late), mode="edge"))
    # held where the track has no keys
    result.interpolation[:early] = LINEAR
    result.interpolation[count + early - 1 :] = LINEAR
    times = result.times.astype(np.float64)
    times[0], times[-1] = 0.0, length
    match = None if result.match is None else result.match.but_new(early, late)
    return replace(result, times=times, before=Wrap.REPEAT, after=Wrap.REPEAT, match=match)


def _written_out(track: Track, first: float, last: float, rises: tuple[float, float]) -> Track:
    """Return the track with the keys of its repeats as far as the range needs them."""
    begin, end = float(track.times[0]), float(track.times[-1])
    length = end - begin
    if length <= 0:
        return track
    back = _rounds((begin - first) / length, track.before)
    ahead = _rounds((last - end) / length, track.after)
    if not back and not ahead:
        return track
    numbers = range(-back, ahead + 1)
    reckon(keys=len(numbers) * track.size)
    rounds = [_round(track, number, track.before if number < 0 else track.after) for number in numbers]
    rounds = [part.scaled(1.0, number * rises[number > 0]) for number, part in zip(numbers, rounds, strict=True)]
    return one_after_another(rounds, [begin + number * length for number in numbers])


def one_after_another(parts: Sequence[Track], starts: Sequence[float]) -> Track:
    """Return tracks of one property as one, each from its start (parts,) in seconds on, held where it has no keys.

    Where one continues with the value that the one before it ends with, they share a key; elsewhere it jumps.
    """
    if len(parts) == 1:
        return parts[0].held()
    half = len(parts) // 2
    first, second = one_after_another(parts[:half], starts[:half]), one_after_another(parts[half:], starts[half:])
    return _followed(first, second, starts[half])


def _followed(track: Track, other: Track, start: float) -> Track:
    """Return a track with another one from `start` on."""
    last, opening = track.values[:, -1], other.values[:, 0]
    jumps = bool((np.abs(opening - last) > _SAME_VALUE * np.maximum(1.0, np.abs(last))).any())
    if jumps and other.times[0] > start + _SAME_TIME:
        other = _beginning_at(other, start)
    gap = other.times[0] - track.times[-1]
    shared = int(not jumps and gap <= _SAME_TIME)
    # rounding must not put the end of one behind the beginning of the next
    times = np.maximum.accumulate(np.concatenate((track.times, other.times[shared:])))
    values = np.concatenate((track.values, other.values[:, shared:]), axis=1)
    shapes = np.concatenate((track.interpolation, other.interpolation[shared:]))
    at = len(track.times) - 1
    shapes[at] = other.interpolation[0] if shared else CONSTANT if gap > 0 else LINEAR
    result = track.redrawn(times, values, shapes)
    if track.handles is None and other.handles is None:
        return result
    left, right = _handles_of(track), _handles_of(other)
    handles = Handles(
        np.concatenate((left.times, right.times[shared:])),
        np.concatenate((left.values, right.values[:, shared:]), axis=1),
    )
    if shared:
        handles.times[at, 1], handles.values[:, at, 1] = right.times[0, 1], right.values[:, 0, 1]
    return replace(result, handles=handles)


def _beginning_at(track: Track, start: float) -> Track:
    """Return a track that is held from `start` on."""
    result = track.take(np.append(0, np.arange(len(track.times))))
    result.interpolation[0] = CONSTANT
    return replace(result, times=np.append(start, track.times), match=None)


def _handles_of(track: Track) -> Handles:
    count = len(track.times)
    return track.handles or Handles(np.zeros((count, 2)), np.zeros((len(track.values), count, 2)))


def _rounds(wanted: float, wrap: Wrap) -> int:
    """Return how many rounds of a repeat are written out; where the range ends with one, no other begins."""
    return 0 if wrap is Wrap.HOLD or wanted <= 0 else min(math.ceil(wanted - _ROUNDED), MOST_ROUNDS)


def _round(track: Track, number: int, wrap: Wrap) -> Track:
    """Return the keys of one round, 0 being the track's own; every other mirrored round runs backwards."""
    begin, end = float(track.times[0]), float(track.times[-1])
    shift = number * (end - begin)
    if number % 2 == 0 or wrap is not Wrap.MIRROR:
        return track.shifted(shift)
    return backwards(track, begin + end + shift)


def backwards(track: Track, total: float) -> Track:
    """Return the track with times `total - t`; two keys say where a step then begins and ends."""
    count = len(track.times)
    steps = np.flatnonzero(track.interpolation[:-1] == Interpolation.CONSTANT)
    # each key as itself, and each step's value once more at the key that ends the step
    at = np.concatenate((np.arange(count), steps + 1))
    value = np.concatenate((np.arange(count), steps))
    is_step = np.arange(len(at)) >= count
    order = np.lexsort((is_step, -at))
    at, value = at[order], value[order]
    # the segment that key k began now begins at key k + 1
    shape = np.where(at > 0, track.interpolation[np.maximum(at - 1, 0)], track.interpolation[-1])
    handles = None if track.handles is None else track.handles.take(at)
    return replace(
        track,
        times=total - track.times[at].astype(np.float64),
        values=track.values[:, value],
        interpolation=shape,
        handles=None if handles is None else Handles(-handles.times[:, ::-1], handles.values[:, :, ::-1]),
    )


# --- Lengths ---------------------------------------------------------------------------------------------------------


def in_lengths(clip: Clip, factor: float) -> Clip:
    """Return the clip with all lengths multiplied and its root as much smaller, so that the world stays the same."""
    root = np.array(clip.root, np.float64)
    root[:3, :3] /= factor
    nodes = [farther(node, factor) for node in clip.nodes]
    return replace(clip, root=root, nodes=nodes, tracks=[longer(track, factor) for track in clip.tracks])


def enlarged(clip: Clip, factor: float) -> Clip:
    """Return the clip with all lengths multiplied, in the world too; the clip itself for 1."""
    if factor == 1.0:
        return clip
    root = np.array(clip.root, np.float64)
    root[:3, 3] *= factor
    return replace(in_lengths(clip, factor), root=root)


def farther(node: Node, factor: float) -> Node:
    """Return the node with its rest position multiplied; the node itself for 1."""
    if factor == 1.0:
        return node
    rest = np.array(node.rest, np.float64)
    rest[:3, 3] *= factor
    return replace(node, rest=rest)


def longer(track: Track, factor: float) -> Track:
    """Return the track with a location's values multiplied; the track itself where nothing changes."""
    is_location = track.kind is TrackKind.TRANSFORM and track.property == LOCATION
    return track.scaled(factor) if is_location else track


# --- Which way it faces ----------------------------------------------------------------------------------------------


def faced(clip: Clip, options: object) -> Clip:
    """Return the clip as an import shows it: the chosen axes lie along Blender's Y and Z.

    Raises:
        FormatError: Forward and Up are the same axis.
    """
    turn = _turn(options)
    return clip if turn is None else replace(clip, root=turn @ clip.root)


def faced_back(clip: Clip, options: object) -> Clip:
    """Return the clip as an export writes it: Blender's Y and Z become the chosen axes; undoes `faced`."""
    turn = _turn(options)
    return clip if turn is None else replace(clip, root=turn.T @ clip.root)


def _turn(options: object) -> Array | None:
    """Return the turn (4, 4), None for none or for a format that has its own way to say it."""
    if not isinstance(options, Facing) or (options.forward, options.up) == (Facing.forward, Facing.up):
        return None
    forward, up = options.forward, options.up
    if forward[-1] == up[-1]:
        raise FormatError(messages.SAME_AXIS, forward=forward, up=up)
    turn = np.eye(4)
    turn[:3, :3] = from_names(forward, up).matrix
    return turn


# --- Within limits ---------------------------------------------------------------------------------------------------


def clamped(track: Track, low: float, high: float) -> Track:
    """Return a one-component curve held within limits, as Blender plays it; the track itself where it keeps to them."""
    if not _may_leave(track, low, high):
        return track
    # a key at each crossing; then each segment is either within the limits or beyond one of them
    cut = curve.subdivide(track, _crossings(track, low, high))
    times = cut.times.astype(np.float64)
    middle = curve.evaluate(cut, (times[:-1] + times[1:]) / 2)[0]
    beyond = (middle < low) | (middle > high)
    moving = cut.interpolation[:-1] != Interpolation.CONSTANT
    interpolation = cut.interpolation.copy()
    interpolation[:-1][beyond & moving] = LINEAR
    values = np.clip(cut.values.astype(np.float64), low, high)
    return replace(cut, values=values, interpolation=interpolation, match=None, inserted=None)


def _may_leave(track: Track, low: float, high: float) -> bool:
    """Tell whether a key or a handle, between which the curve runs, is beyond the limits."""
    reach = track.values[:, :, None]
    if track.handles is not None:
        reach = np.concatenate((reach, reach + track.handles.values), axis=2)
    return bool(reach.size) and bool(reach.min() < low or reach.max() > high)


def _crossings(track: Track, low: float, high: float) -> Array:
    """Return the times (m,) at which the curve passes a limit."""
    times = track.times.astype(np.float64)
    parts = np.arange(_PROBES) / _PROBES
    probes = np.append((times[:-1, None] + np.diff(times)[:, None] * parts).ravel(), times[-1:])
    values = curve.evaluate(track, probes)[0]
    found = []
    for limit in (low, high):
        side = values > limit
        at = np.flatnonzero(side[1:] != side[:-1])
        found.append(_halved(track, probes[at], probes[at + 1], side[at], limit))
    return np.concatenate(found)


def _halved(track: Track, before: Array, after: Array, above: Array, limit: float) -> Array:
    """Find (k,) when the curve passes the limit between two times; `above` tells where the first of them is."""
    for _ in range(_HALVINGS):
        middle = (before + after) / 2
        same = (curve.evaluate(track, middle)[0] > limit) == above
        before, after = np.where(same, middle, before), np.where(same, after, middle)
    return after


# One block from several tracks of one property, so that its components can be mixed: on the same keys, exactly.


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
    tracks = [track if len(track.times) else _nought(track) for track in tracks]
    wraps = common_wraps(tracks, report)
    tracks = [track if (track.before, track.after) == wraps else track.held() for track in tracks]
    tracks, union = _subdivided(tracks)
    spread = _spread_steps([_expanded(track, union) for track in tracks])
    # one set of handle times needs a fit only where several tracks bend with handles of different lengths
    differing = _differing_handles(spread)
    if not differing.any():
        return _stacked(_same_shapes(spread))
    fitted = [refit_thirds(track, tolerance, differing) for track in spread]
    if report is not None:
        added = len(_union([track for track, _, _ in fitted]).times) - len(spread[0].times)
        reach = max(float(np.ptp(track.values)) for track in tracks) or 1.0
        error = max(error for _, error, _ in fitted)
        report.note(messages.TRACKS_REFITTED, keys=added, percent=100.0 * error / reach)
    return unite([track for track, _, _ in fitted], tolerance, report)


def by_track(values: Array, tracks: Sequence[Track]) -> list[Array]:
    """Return rows (components, n) of all tracks together as those of each track."""
    return np.split(values, np.cumsum([len(track.values) for track in tracks])[:-1])


def _nought(track: Track) -> Track:
    """Return a track without keys, which is 0, with one key that says so."""
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
    ranks = np.concatenate([curve.ranks(track.times) for track in tracks])
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
