"""Poses sampled where no linear map on keys exists: a node relative to a parent that moves otherwise."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..files.memory import spend
from . import BEZIER, CONSTANT, LINEAR, LOCATION, ROTATION, SCALE, Array, Clip, Track, curve, keys, quaternion
from .edit import FINER, least_edges, steps_apart, written_out
from .fit import DIVISIBLE, by_track, common_wraps, halved, unite
from .keys import Distance
from .pose import Chains, Off, decompose, inverse, product

_TOLERANCE = 1e-3
_SLIVER, _BEFORE = 2.0**-10, 3e-3

USUAL_SHARE = 1e-3
"""Of the range of a node's locations, that lines between samples may be off these."""

LEAST_POSITION = 2e-5
"""No straight line between samples has to be nearer than this, as a part of the distance (at least 1) from the
parent: what float32 leaves of positions, and less than a person sees."""

FINEST = 16.0
"""Parts of a frame: no interval is divided into shorter ones, as nobody sees what lies between, but around moments that
are upright, where a whole turn may lie between."""

_AT_ONCE = 2e-6
"""Seconds that the shortest of these take: less than any frame tells apart."""

_NEAR = 10.0
"""Distance from the parent up to which a tolerance counts as it is."""

_A_FRAME = 2
"""Samples a frame, at least, that cubics follow."""

_FIRST_SHARE, _LAST_SHARE = 0.25, 200.0
"""Of the tolerance, for the lines that are left where there are too many."""

_USUAL_RATE = 30.0
"""Frames per second of what tells none."""

_PARTS = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Of an interval, at which lines between its ends are compared."""


def shortest(rate: float) -> float:
    """Return the seconds between keys that are put in, at so many frames a second (0 for an unknown number)."""
    return 1.0 / (FINEST * (rate or _USUAL_RATE))


class Relative(NamedTuple):
    """A node in a new rest frame: world(anchor) @ offset, or offset if there is no anchor; its own frame turned.

    Attributes:
        offset, turn: (4, 4).
    """

    chains: Chains
    name: str
    anchor: str | None
    offset: Array
    turn: Array

    def channels(self, times: Array) -> tuple[Array, Array, Array, Array]:
        """Return location, quaternion with continuous signs and scale at times (m,), and the shear (m,) left out."""
        base = self.offset if self.anchor is None else product(self.chains.world(self.anchor, times), self.offset)
        own = product(self.chains.world(self.name, times), self.turn)
        matrices = np.broadcast_to(product(inverse(base), own), (len(times), 4, 4))
        location, turn, scale, shear = decompose(matrices)
        return location, turn * quaternion.align_signs(turn), scale, shear

    def off_lines(self, low: Array, high: Array, kept: Array) -> Array:
        """Return how far lines between the ends of p intervals are off, (3, p): lengths, radians, parts of a size; of
        where nodes are at other times than `kept` (m,) nothing stays known."""
        self.chains.forget_but(kept)
        location, turn, scale, _ = self.channels(np.concatenate([low + (high - low) * part for part in _PARTS]))
        played = keys.straight, keys.largest_difference
        found = []
        for rows, line, distance in (
            (location, *played),
            (turn, quaternion.short_line, quaternion.distance),
            (scale, *played),
        ):
            first, *inner, last = rows.reshape(len(rows), len(_PARTS), len(low)).swapaxes(0, 1)
            off = [distance(line(first, last, part), seen) for part, seen in zip(_PARTS[1:], inner)]
            found.append(np.max(off, axis=0))
        return np.array(found)


def resample(
    relative: Relative, times: Array | None, tolerance: Off | None, share: float, *, cubics: bool
) -> tuple[list[Track], Off, bool, Array]:
    """Return the transform tracks of a node in its new frame, their error, if that is more than the tolerance, as the
    node moves too fast, and the shear (m,) that is lost.

    Sampled at `times` (m,), or if None at all key times involved and wherever straight lines between these would be off
    by more than `tolerance`, places along each axis, by default `share` of the range of the locations and a thousandth
    of a radian and of the scale. The error is what was measured between these. With `cubics`, these follow the samples
    where nothing steps.
    """
    chains, node = relative.chains, relative.name
    involved = chains.involved(node, relative.anchor)
    steps, error, fast, just = np.zeros(0), Off(), False, 0.0
    if times is None:
        times, steps = key_times(involved)
        locations = relative.channels(times)[0]
        # more far away, where float32 tells less
        farness = float(np.abs(locations).max())
        if tolerance is None:
            spread = share * float(np.ptp(locations, axis=1).max())
            tolerance = Off(max(spread, LEAST_POSITION * max(1.0, farness)), _TOLERANCE)
        else:
            tolerance = tolerance._replace(place=tolerance.place * max(1.0, farness / _NEAR))
        cubics = cubics and not len(steps)
        if cubics:  # half for lines between samples, half for the cubics that follow them
            tolerance = Off(0.5 * tolerance.place, 0.5 * tolerance.turn)
            times = _dense(times, chains.clip.rate)
        times, error = _fewer(relative, *_refined(relative, times, steps, tolerance), steps, tolerance)
        fast = error.place > tolerance.place or error.turn > tolerance.turn
    else:  # frames, and just before what jumps there
        just = _BEFORE * float(np.ptp(times[:2]))
        apart = [(each.interpolation[:-1] == CONSTANT) | (np.diff(each.times) < 2 * just) for each in involved]
        ends = np.concatenate([times[:0], *(each.times[1:][at] for each, at in zip(involved, apart))]) - just
        times = np.union1d(times, ends[(ends > times[0]) & (ends < times[-1])])
    followed = tolerance if cubics else None
    at = curve.on_keys(times, *involved, slack=curve.ON_FRAME / _BEFORE * just)
    # what lies half way is read along, so that its quaternions have the signs of the samples'
    at = at if followed is None else np.insert((times[:-1] + times[1:]) / 2, np.arange(len(times)), times)
    location, rotation, scale, shear = relative.channels(at)
    interpolation = np.where(np.isin(times, steps), CONSTANT, LINEAR)
    blocks = {LOCATION: location, ROTATION: rotation}
    if np.abs(scale - 1).max(initial=0.0) > 1e-6:
        blocks[SCALE] = scale
    every, (before, after) = 1 if followed is None else 2, common_wraps(involved, None)
    tracks = [
        Track.sampled(node, name, times, values[:, ::every], interpolation, before=before, after=after)
        for name, values in blocks.items()
    ]
    if followed is not None:
        tracks = [_fitted(track, blocks[track.property][:, 1::2], followed) for track in tracks]
        error = Off(error.place + followed.place, error.turn + followed.turn)
    return tracks, error, fast, shear


def _dense(times: Array, rate: float) -> Array:
    """Return times with more between them, so that no two are further apart than cubics need."""
    # each interval in as many even parts as its length in frames asks for
    parts = np.ceil(np.diff(times) * (rate or _USUAL_RATE) * _A_FRAME).astype(int)
    at = np.repeat(np.arange(len(parts)), parts)
    part = (np.arange(len(at)) - np.repeat(np.cumsum(parts) - parts, parts)) / parts[at]
    return np.append(times[at] + part * np.diff(times)[at], times[-1])


def _fitted(track: Track, halfway: Array, allowed: Off) -> Track:
    """Return samples as the fewest cubics that follow them, and what plays `halfway` (components, m - 1)."""
    distance = quaternion.distance if track.property == ROTATION else None
    tolerance = {ROTATION: allowed.turn, LOCATION: allowed.place}.get(track.property, _TOLERANCE)
    (fitted,) = keys.cubics(track.times, [track.values], [tolerance], distance, halfway=halfway)
    return track.take(fitted.kept).but(interpolation=fitted.shapes, handles=fitted.handles)


def repeat_alike(tracks: list[Track]) -> bool:
    """Return whether tracks repeat in the same way and with the same period, or not at all."""
    wraps = common_wraps(tracks, None)
    return all((track.before, track.after) == wraps for track in tracks)


def in_step(tracks: list[Track], clip: Clip, *, ends: bool = False) -> list[Track]:
    """Return tracks of a clip that are to be joined, unrolled where they do not repeat alike; else the same list."""
    return tracks if repeat_alike(tracks) else unrolled(tracks, clip, ends=ends)


def unrolled(tracks: list[Track], clip: Clip, *, ends: bool = False) -> list[Track]:
    """Return tracks of a clip with what repeats written out as long as the clip is.

    The end of a round lies just before the beginning of the next; with `ends`, which plays there as in Blender, that
    begins just behind.
    """
    times = [track.times for track in clip.tracks if len(track.times)]
    first = min([0.0, *(float(keys[0]) for keys in times)])
    last = max([clip.duration, *(float(keys[-1]) for keys in times)])
    return [steps_apart(written_out(track, first, last, ends=ends)) for track in tracks]


def key_times(tracks: Iterable[Track]) -> tuple[Array, Array]:
    """Return all key times (m,), and those (k,) that begin an interval in which nothing moves until its end.

    Where some step while others move, a time just before the step is added, so that the step stays steep.
    """
    tracks = [track for track in tracks if len(track.times)]
    if not tracks:
        return np.zeros(1), np.zeros(0)
    times = np.unique(np.concatenate([track.times.astype(np.float64) for track in tracks]))
    if len(times) < 2:
        return times, np.zeros(0)
    stepping = np.zeros(len(times) - 1, dtype=bool)
    moving, jumping = stepping.copy(), stepping.copy()
    for track in tracks:
        # in which segment of the track each interval lies; none before the first and behind the last key
        at = np.searchsorted(track.times, times[:-1], side="right") - 1
        inside = (at >= 0) & (at < len(track.times) - 1)
        left, right = np.maximum(at, 0), np.minimum(at + 1, len(track.times) - 1)
        constant = track.interpolation[left] == CONSTANT
        stepping |= inside & constant
        moving |= inside & ~constant
        differing = (track.values[:, left] != track.values[:, right]).any(axis=0)
        jumping |= inside & constant & differing & (track.times[right] == times[1:])
    # a step that others move through: a sample just before it, so that no line leads up to it
    mixed = np.flatnonzero(jumping & moving & (np.diff(times) > _AT_ONCE))
    lengths = times[mixed + 1] - times[mixed]
    least = least_edges(times[mixed + 1], lengths)
    # all is held in it
    edges = times[mixed + 1] - np.maximum(np.minimum(lengths, 1 / _USUAL_RATE) * _SLIVER, least)
    steps = np.concatenate((times[:-1][stepping & ~moving], edges))
    return np.unique(np.concatenate((times, edges))), steps


def _refined(relative: Relative, times: Array, steps: Array, allowed: Off) -> tuple[Array, Off]:
    """Return the times with more between them where lines would be too far off, and the error that is left."""

    limits = np.array((allowed.place, allowed.turn, _TOLERANCE))[:, None]
    least = shortest(relative.chains.clip.rate)
    edge = min(max(_AT_ONCE, float(np.abs(times).max()) * FINER), least)
    few = float(np.ptp(times)) / (FINEST * least)  # one a frame: with more all is fast, and nothing upright

    def far(low: Array, high: Array) -> Array:
        off: Array = (relative.off_lines(low, high, times) / limits).max(axis=0) > 1.0
        steep = off & (high - low <= DIVISIBLE * least)
        return off & ~steep if steep.sum() > few else off

    moving = ~np.isin(times[:-1], steps)
    found = np.unique(np.concatenate((times, halved(times[:-1][moving], times[1:][moving], far, edge))))
    # what is passed at once is a step, between whose sides all is right
    moving = ~np.isin(found[:-1], steps) & (np.diff(found) > DIVISIBLE * edge)
    off = relative.off_lines(found[:-1][moving], found[1:][moving], times).max(axis=1, initial=0.0)
    return found, Off(float(off[0]), float(off[1]))


def _fewer(relative: Relative, times: Array, error: Off, steps: Array, allowed: Off) -> tuple[Array, Off]:
    """Return at most FINEST times a frame, without those that lines need least, and the error that is left.

    Many curves that were each divided on their own have more key times together than anybody sees.
    """
    most = float(np.ptp(times)) / shortest(relative.chains.clip.rate) + FINEST
    if len(times) <= most:
        return times, error
    location, rotation, scale, _ = relative.channels(times)
    # as parts of what each may be off
    rows = np.concatenate((location / allowed.place, scale / _TOLERANCE, 2 * rotation / allowed.turn))
    held = np.isin(times, steps)

    def apart(one: Array, other: Array) -> Array:
        step = one - other
        most: Array = np.maximum(np.abs(step[:6]).max(axis=0), np.sqrt(quaternion.dot(step[6:], step[6:])))
        return most

    def kept(share: float) -> Array:
        return keys.lines(times, rows, share, apart, steps=held)

    keep, share = keys.at_most(most - held.sum(), kept, _FIRST_SHARE, _LAST_SHARE)  # lines need two keys for a step
    return times[keep], Off(error.place + share * allowed.place, error.turn + share * allowed.turn)


# Curves as straight lines, and turns with keys of length 1, which play as the curves that they replace.

_UNIT_TOLERANCE = 1e-6
_SIXTEENTHS = tuple(part / 16 for part in range(1, 16))
"""Where what unit keys play is compared: its error sways more often than a cubic's, and hid between quarters."""
_QUARTERS = _SIXTEENTHS[3::4]
_TURN_SECONDS, _KEPT_SECONDS = 1e-5, 3e-6
"""The processor's time for a key of a rotation whose segments were halved, and for a look whether one is needed."""

_SAME_LENGTH = 1e-5

_LITTLE = 0.99
"""Product of two unit quaternions, a turn of 16 degrees: there a line is at most 0.0001 radians off the great arc."""

_DRAWN = 1.0 / 64.0
"""Share of the tolerance that lines between samples may be off the curve; the other keys may be off by the rest."""

_BETWEEN_PROBES = 1.05
"""What an error may exceed its largest probe by: a cubic's is largest at a fifth, and probed at a quarter."""

_MOST_OFF = 0.1
"""Largest error at all, as a share of the range (of half a turn), however many keys it takes."""

_FINEST = 1e-7
"""No line is nearer than this part of the values, which is what float32 leaves of them."""


def straightened(
    track: Track,
    tolerance: float,
    distance: Distance | None = None,
    *,
    turns: bool = False,
    least: float = 0.0,
    most: float = math.inf,
) -> tuple[Track, float]:
    """Return the curve with straight lines in place of its BEZIER segments; CONSTANT and LINEAR ones stay.

    Args:
        tolerance: in the unit of `distance`.
        distance: the largest difference of a component if None.
        turns: these are quaternions, all four components, measured in radians; the keys get length 1.
        least: seconds between keys that are put in.
        most: number of keys. Where there are more, lines are as close as that allows, also those that were lines.

    Returns:
        the track, the same object where nothing had to change, and how far off it is at most.
    """
    even = not turns or play_alike(track.values)
    if even and len(track.times) <= most and not (track.interpolation == BEZIER).any():
        return track, 0.0
    if distance is None and not turns:
        tolerance = max(tolerance, _FINEST * float(np.abs(track.values).max()))
    distance = quaternion.distance if turns else distance or keys.largest_difference
    # of a turn the short way, as its keys will keep to one sign
    line = quaternion.short_line if turns else keys.straight

    def off(low: Array, high: Array) -> Array:
        # where a segment ends the next begins, maybe elsewhere
        ends = [curve.evaluate(track, at) for at in (low, np.nextafter(high, low))]
        first, last = map(quaternion.normalise, ends) if turns else ends
        return _most_apart(track, low, high, lambda part: line(first, last, part), distance, _QUARTERS)

    # as many samples as it takes for lines between them to play nearly as the curve does
    apart = halved(*_no_lines(track, even=even), lambda *at: off(*at) > _DRAWN * tolerance, least)
    dense = curve.subdivide(track, apart)
    drawn = float(off(*_no_lines(dense, even=even)).max(initial=0.0)) * _BETWEEN_PROBES
    # of these the fewest; the curve's own keys stay where there are not too many
    dense = with_unit_keys([dense])[0] if turns else dense
    times, values, steps = dense.times, dense.values, dense.interpolation == CONSTANT

    def kept(allowed: float, steps: Array, pinned: Array | None = None) -> Array:
        spend(seconds=len(times) * _KEPT_SECONDS)
        return keys.lines(times, values, allowed, distance, between=line, steps=steps, pinned=pinned)

    room = tolerance - drawn if drawn < tolerance else tolerance / 2.0
    keep = kept(room, steps, np.isin(times, track.times))
    if keep.sum() <= most:
        error = keys.off_lines(times, values, keep, distance, line)
    else:  # lines can play any jump that is smaller than what is allowed
        jumps = np.append(distance(values[:, 1:], values[:, :-1]), 0.0)
        limit = _MOST_OFF * (math.pi if turns else float(np.ptp(track.values)))
        keep, reached = keys.at_most(most, lambda allowed: kept(allowed, steps & (jumps > allowed)), room, limit)
        steps, error = steps & (jumps > reached), 2.0 * reached
    return dense.redrawn(times[keep], values[:, keep], np.where(steps, CONSTANT, LINEAR)[keep]), drawn + error


def _no_lines(track: Track, *, even: bool) -> tuple[Array, Array]:
    """Return the ends (k,) float64 of the segments of a track that are no lines yet; lines are if they are `even`."""
    shapes, times = track.interpolation[:-1], track.times.astype(np.float64)
    bent = shapes == BEZIER if even else shapes != CONSTANT
    left = np.flatnonzero(bent & (np.diff(times) > 0))
    return times[left], times[left + 1]


def _most_apart(
    track: Track, low: Array, high: Array, drawn: Callable[[float], Array], distance: Distance, probes: Sequence[float]
) -> Array:
    """Return (p,) how far what is `drawn` at parts of intervals from `low` to `high` (p,) is off a curve at most."""
    found = [distance(drawn(part), curve.evaluate(track, low + (high - low) * part)) for part in probes]
    worst: Array = np.max(found, axis=0)
    return worst


# --- Turns ------------------------------------------------------------------------------------------------------------


def unit_rotations(
    tracks: list[Track], tolerance: float, *, cubics: bool = False, arcs: bool = False, least: float = 0.0
) -> list[Track]:
    """Return quaternions whose keys have length 1 and no jumps to the opposite sign.

    Between keys of different lengths Blender turns faster towards the longer one, and between opposite signs the long
    way. Segments are halved until unit keys play the same.

    Args:
        tracks: the four components in order, in one block or several that share their times.
        tolerance: radians.
        cubics: lines may become curves, of which it takes few.
        arcs: where none of it is a curve great arcs are drawn between keys, not lines.
        least: seconds between keys that are put in.
    """
    values = np.concatenate([track.values for track in tracks])
    if play_alike(values):
        # between neighbours that turn far a line is no arc
        turns = quaternion.normalise(values)
        if not arcs or quaternion.dot(turns[:, 1:], turns[:, :-1]).min(initial=1.0) >= _LITTLE:
            return with_unit_keys(tracks)
    block = _lines_as_cubics(unite(tracks)) if cubics else unite(tracks)
    times = block.times.astype(np.float64)
    arcs = arcs and not (block.interpolation[:-1] == BEZIER).any()

    def unit(at: Array) -> Track:
        (found,) = with_unit_keys([curve.subdivide(block, at)])
        if found.handles is None:
            return found
        # along the turn alone, without what of a handle lies along the key itself: between keys that were of other
        # lengths that leads to a length which the next one has not; a piece is four times as far off as its half then
        keys_at = found.values[..., None]
        handles = found.handles.values - keys_at * (keys_at * found.handles.values).sum(axis=0)
        return replace(found, handles=found.handles._replace(values=handles))

    def far(low: Array, high: Array) -> Array:
        found = unit(np.append(low, high))
        ends = [curve.evaluate(found, at) for at in (low, np.nextafter(high, low))] if arcs else []

        def drawn(part: float) -> Array:
            if arcs:
                return quaternion.great_arc(ends[0], ends[1], part)
            return curve.evaluate(found, low + (high - low) * part)

        return _most_apart(block, low, high, drawn, quaternion.distance, _QUARTERS if arcs else _SIXTEENTHS) > tolerance

    moving = (block.interpolation[:-1] != CONSTANT) & (np.diff(times) > 0)
    found = unit(halved(times[:-1][moving], times[1:][moving], far, least))
    spend(seconds=len(found.times) * _TURN_SECONDS)
    return [found] if len(tracks) == 1 else found.rows()


def _lines_as_cubics(track: Track) -> Track:
    straight = np.flatnonzero(track.interpolation[:-1] == LINEAR)
    handles = curve.handles_of(track).opened(straight[:0])  # a copy
    # a straight line is the cubic whose handles lie at its thirds
    third = np.diff(track.times.astype(np.float64))[straight] / 3
    rise = np.diff(track.values.astype(np.float64))[:, straight] / 3
    handles.times[straight, 1], handles.times[straight + 1, 0] = third, -third
    handles.values[:, straight, 1], handles.values[:, straight + 1, 0] = rise, -rise
    shapes = track.interpolation.copy()
    shapes[straight] = BEZIER
    return replace(track, interpolation=shapes, handles=handles)


def with_unit_keys(tracks: list[Track]) -> list[Track]:
    """Return the keys with length 1 and of one sign, handles shrunk with their key; zero means no turn."""
    values = np.concatenate([track.values for track in tracks]).astype(np.float64)
    # lengths within rounding of 1 stay to the bit; handles shrink with their key
    length = np.sqrt(quaternion.dot(values, values))
    factors = np.where(np.abs(length - 1.0) < _UNIT_TOLERANCE, 1.0, 1.0 / np.where(length > 0.0, length, 1.0))
    signs = quaternion.align_signs(values) * factors
    unit = np.where(length > 0.0, values * signs, quaternion.IDENTITY[:, None])
    return [
        track.but(values=rows, handles=None if track.handles is None else track.handles.scaled(signs))
        for track, rows in zip(tracks, by_track(unit, tracks), strict=True)
    ]


def play_alike(values: Array) -> bool:
    """Return whether unit keys surely play as (4, n) do: neighbours have nearly one length, and one sign."""
    values = values.astype(np.float64)
    length = np.sqrt(quaternion.dot(values, values))
    if not length.all() or quaternion.align_signs(values).min(initial=1.0) < 0:
        return False
    return bool((np.abs(length[1:] / length[:-1] - 1.0) < _SAME_LENGTH).all())
