"""Curves as straight lines, and turns with keys of length 1, which play as the curves that they replace."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from . import BEZIER, CONSTANT, LINEAR, Array, Track, curve, keys, quaternion
from .join import by_track, unite
from .keys import Distance

_UNIT_TOLERANCE = 1e-6
_SAME_LENGTH = 1e-5

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
    measure = _Chords(track, quaternion.distance if turns else distance or keys.largest_difference, turns)
    # as many samples as it takes for lines between them to play nearly as the curve does
    starts, ends = measure.bent(track, even=even)
    dense = curve.subdivide(track, keys.halved(starts, ends, measure.beyond(_DRAWN * tolerance), least))
    drawn = float(measure.off(*measure.bent(dense, even=even)).max(initial=0.0)) * _BETWEEN_PROBES
    # of these the fewest; the curve's own keys stay where there are not too many
    samples = _Samples(with_unit_keys([dense])[0] if turns else dense, measure.distance)
    room, steps = tolerance - drawn if drawn < tolerance else tolerance / 2.0, dense.interpolation == CONSTANT
    keep = samples.kept(room, steps, np.isin(dense.times, track.times))
    if keep.sum() <= most:
        return samples.drawn(keep, steps), drawn + samples.off(keep)
    limit = _MOST_OFF * (math.pi if turns else float(np.ptp(track.values)))
    keep, reached = keys.at_most(most, lambda allowed: samples.kept(allowed, samples.steps(allowed)), room, limit)
    return samples.drawn(keep, samples.steps(reached)), drawn + 2.0 * reached


@dataclass(frozen=True)
class _Chords:
    """How far lines between moments of a curve are off it."""

    track: Track
    distance: Distance
    turns: bool

    def bent(self, track: Track, *, even: bool) -> tuple[Array, Array]:
        """Return the ends (k,) float64 of the segments of a track that are no lines yet."""
        shapes, times = track.interpolation[:-1], track.times.astype(np.float64)
        left = np.flatnonzero((shapes == BEZIER) | (shapes == LINEAR if not even else False))
        left = left[times[left + 1] > times[left]]
        return times[left], times[left + 1]

    def off(self, low: Array, high: Array) -> Array:
        """Return (p,) how far lines from `low` to `high` (p,) are off the curve."""
        # where a segment ends the next begins, maybe elsewhere
        first, last = (self._key(at) for at in (low, np.nextafter(high, low)))
        play, line = partial(curve.evaluate, self.track), quaternion.short_line if self.turns else keys.straight
        return keys.apart(low, high, play, lambda part: line(first, last, part), self.distance)

    def beyond(self, tolerance: float) -> Callable[[Array, Array], Array]:
        """Return what tells which lines are further off than that."""
        return lambda low, high: self.off(low, high) > tolerance

    def _key(self, at: Array) -> Array:
        """Return the values (components, p) that keys at these times would have."""
        values = curve.evaluate(self.track, at)
        return quaternion.normalise(values) if self.turns else values


@dataclass(frozen=True)
class _Samples:
    """Keys with lines and steps between them."""

    track: Track
    distance: Distance

    def kept(self, tolerance: float, steps: Array, pinned: Array | None = None) -> Array:
        """Return which keys (n,) lines and steps need."""
        times, values = self.track.times, self.track.values
        return keys.lines(times, values, tolerance, self.distance, steps=steps, pinned=pinned)

    def steps(self, tolerance: float) -> Array:
        """Return (n,) which keys hold until a jump larger than the tolerance; lines can play any smaller one."""
        values = self.track.values
        jumps = np.append(self.distance(values[:, 1:], values[:, :-1]) > tolerance, False)
        result: Array = jumps & (self.track.interpolation == CONSTANT)
        return result

    def off(self, keep: Array) -> float:
        """Return how far the keys are at most off lines between those that are kept."""
        return keys.off_lines(self.track.times, self.track.values, keep, self.distance)

    def drawn(self, keep: Array, steps: Array) -> Track:
        """Return the keys that are kept as lines and steps."""
        shapes = np.where(steps, CONSTANT, LINEAR)[keep]
        return self.track.redrawn(self.track.times[keep], self.track.values[:, keep], shapes)


# --- Turns ------------------------------------------------------------------------------------------------------------


def unit_rotations(tracks: list[Track], tolerance: float, least: float = 0.0) -> list[Track]:
    """Return quaternions whose keys have length 1 and no jumps to the opposite sign.

    Between keys of different lengths Blender turns faster towards the longer one, and between opposite signs the long
    way. Segments are halved until unit keys play the same.

    Args:
        tracks: the four components in order, in one block or several that share their times.
        tolerance: radians.
        least: seconds; segments are not halved into shorter ones.
    """
    if play_alike(np.concatenate([track.values for track in tracks])):
        return with_unit_keys(tracks)
    block = unite(tracks)
    times = block.times.astype(np.float64)

    def far(low: Array, high: Array) -> Array:
        (unit,) = with_unit_keys([curve.subdivide(block, np.append(low, high))])

        def drawn(part: float) -> Array:
            return curve.evaluate(unit, low + (high - low) * part)

        return keys.apart(low, high, partial(curve.evaluate, block), drawn, quaternion.distance) > tolerance

    moving = (block.interpolation[:-1] != CONSTANT) & (np.diff(times) > 0)
    added = keys.halved(times[:-1][moving], times[1:][moving], far, least)
    (unit,) = with_unit_keys([curve.subdivide(block, added)])
    return [unit] if len(tracks) == 1 else unit.rows()


def with_unit_keys(tracks: list[Track]) -> list[Track]:
    """Return the keys with length 1 and of one sign, handles shrunk with their key; zero stands for no turn."""
    values = np.concatenate([track.values for track in tracks]).astype(np.float64)
    length = _lengths(values)
    factors = np.where(np.abs(length - 1.0) < _UNIT_TOLERANCE, 1.0, 1.0 / np.where(length > 0.0, length, 1.0))
    signs = quaternion.align_signs(values) * factors
    unit = np.where(length > 0.0, values * signs, quaternion.IDENTITY[:, None])
    return [
        track.but(values=rows, handles=None if track.handles is None else track.handles.scaled(signs))
        for track, rows in zip(tracks, by_track(unit, tracks), strict=True)
    ]


def play_alike(values: Array) -> bool:
    """Return whether unit keys surely play as (4, n) do: neighbours have nearly one length, and one sign."""
    length = _lengths(values.astype(np.float64))
    if not length.all() or quaternion.align_signs(values).min(initial=1.0) < 0:
        return False
    return bool((np.abs(length[1:] / length[:-1] - 1.0) < _SAME_LENGTH).all())


def _lengths(values: Array) -> Array:
    result: Array = np.sqrt(quaternion.dot(values, values))
    return result
