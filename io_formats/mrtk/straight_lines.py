"""Curves as straight lines, for version 1.1, which stores only time and value; steps as steep as lines can be."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..clip import CONSTANT, LOCATION, ROTATION, Array, KeyMatch, Track, Wrap, curve
from ..clip.resample import shortest
from ..clip.straight import straightened
from . import unity_keys
from .document import Curve

_STEP = 1e-5
"""Seconds that a step takes, where float32 times are fine enough."""
_SPARE = 8.0
"""Keys that even the shortest motion may have."""
_ROWS = {LOCATION: 3, ROTATION: 4}


@dataclass
class Straightener:
    """Replaces curves by lines within tolerances and remembers how far off they are.

    Attributes:
        location_tolerance: metres. rotation_tolerance: radians.
        rate: frames per second, 0 for an unknown number: a sixteenth of a frame is enough between keys.
        location_error, rotation_error: the largest reached. used: whether any curve was replaced.
        fast: names of nodes that would need more keys to stay within the tolerances.
    """

    location_tolerance: float
    rotation_tolerance: float
    rate: float = 0.0
    location_error: float = 0.0
    rotation_error: float = 0.0
    used: bool = False
    fast: list[str] = field(default_factory=list)

    def track(self, track: Track, property_name: str, length: float = 1.0) -> Track:
        """Return the track as lines; a single component may be off by its share of a block's tolerance.

        Args:
            length: of the shortest quaternion that this is a component of.
        """
        if len(track.values) == _ROWS.get(property_name):
            return self._block(track, property_name)
        turns = property_name == ROTATION
        tolerance = self.rotation_tolerance if turns else self.location_tolerance
        # components off by e each lengthen to 2 e in a quaternion, which turns it by 4 e, a shorter one by more
        share = 0.25 * length if turns else 3.0**-0.5
        straight, error = straightened(track, tolerance * share)
        if straight is not track:
            self._remember(property_name, error / share)
        return without_steps(straight)

    def _block(self, block: Track, property_name: str) -> Track:
        """Return lines for a whole location or rotation, of sixteen keys a frame at most; rotations get length 1."""
        turns, finest = property_name == ROTATION, shortest(self.rate)
        tolerance = self.rotation_tolerance if turns else self.location_tolerance
        most = max(len(block.times), float(np.ptp(block.times)) / finest + _SPARE)
        straight, error = straightened(block, tolerance, _length, turns=turns, least=finest, most=most)
        if straight is not block:
            self._remember(property_name, error)
        if error > tolerance and block.node not in self.fast:
            self.fast.append(block.node)
        return without_steps(straight)

    def curve(self, original: Curve, property_name: str) -> Curve:
        """Return a curve of a file with 8-byte keys."""
        simple = unity_keys.with_layout(original, False)
        if simple is not None:
            return simple
        (made,) = unity_keys.Shaper().shapes(unity_keys.Fields.of([unity_keys.playable(original.keys)]))
        track = Track("", property_name, made.times, made.values, made.interpolation, handles=made.handles)
        straight = self.track(track, property_name)
        return Curve(unity_keys.short_keys(straight.times, straight.values[0]), original.pre_wrap, original.post_wrap)

    def _remember(self, property_name: str, error: float) -> None:
        self.used = True
        if property_name == ROTATION:
            self.rotation_error = max(self.rotation_error, error)
        else:
            self.location_error = max(self.location_error, error)


def _length(first: Array, second: Array) -> Array:
    step = first - second
    result: Array = np.sqrt((step * step).sum(axis=0))
    return result


def without_steps(track: Track) -> Track:
    """Return the track with a key just before each step, so that lines can play it; the same object without steps."""
    track = held_at_turn(track)
    count = len(track.times)
    if count < 2:
        return track
    jumps = (track.values[:, 1:] != track.values[:, :-1]).any(axis=0)
    steps = np.flatnonzero((track.interpolation[:-1] == CONSTANT) & jumps)
    if not len(steps):
        return track
    at = just_before(track.times[steps + 1], track.times[steps])
    order = np.insert(np.arange(count), steps + 1, steps)
    times = np.insert(track.times.astype(np.float64), steps + 1, at)
    return track.redrawn(times, track.values[:, order])


def held_at_turn(track: Track) -> Track:
    """Return the track; where it turns round at a step, with its last value from just before.

    That value shows at one moment alone, which float32 cannot tell from the moments beside it.
    """
    stepping = (track.interpolation[-2:-1] == CONSTANT) & (track.values[:, -2:-1] != track.values[:, -1:])
    if Wrap.MIRROR not in (track.before, track.after) or not stepping.any():
        return track
    held = curve.subdivide(track, just_before(track.times[-1:], track.times[-2:-1]))
    values = held.values.copy()
    values[:, -2] = values[:, -1]
    return held.but(values=values)


def moved_match(match: KeyMatch, old: Array, new: Array) -> KeyMatch:
    """Return the relation of keys at times `old` (m,) to the source, after others were added to make `new` (n,)."""
    rank = np.arange(len(old)) - np.searchsorted(old, old)
    at = np.searchsorted(new, old) + rank

    def spread(values: Array, empty: int | bool) -> Array:
        result = np.full(len(new), empty, values.dtype)
        result[at] = values
        return result

    return KeyMatch(
        False,
        spread(match.keys, -1),
        spread(match.same_time, False),
        spread(match.same_value, False),
        spread(match.same_left, False),
        spread(match.same_right, False),
    )


def just_before(times: Array, earliest: Array) -> Array:
    """Return (n,) float64 seconds after `earliest` and before `times`, both (n,), by a step of float32 or more."""
    single = times.astype(np.float32)
    near = np.minimum(times.astype(np.float64) - _STEP, np.nextafter(single, np.float32(-np.inf)).astype(np.float64))
    middle = (times.astype(np.float64) + earliest) / 2.0
    result: Array = np.maximum(near, middle)
    return result
