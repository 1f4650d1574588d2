"""Tracks as curves of a recording: edited, made anew, or as the straight lines that version 1.1 can store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from ..clip import CONSTANT, LOCATION, ROTATION, Array, Clip, KeyMatch, Track, Wrap, curve, quaternion
from ..clip.fcurve_keys import shaping_sides
from ..clip.fit import unite
from ..clip.measure import length_between
from ..clip.resample import in_step, repeat_alike, shortest, straightened, unit_rotations, unrolled
from ..errors import Report
from . import layout, unity_keys
from .document import Curve, Document, Keys, duration
from .joints import Channel

_WEIGHT_TOLERANCE = 3e-5
"""As a part of the weight: an upright handle over a long segment has one of 1e-5, which is not 0."""

_ROUNDING = 2.0**-21


@dataclass
class Original:
    """A curve of the source with the keys that were played and how the importer changed their signs.

    Attributes:
        curve: as in the file, or with its W rebuilt.
        keys: (n,) the keys that the clip has, in the clip's order.
        signs: (n,) +1.0 or -1.0 from the file's value to Blender's.
        track: the clip's track of this component alone, None where the importer made none.
    """

    curve: Curve
    keys: Keys
    signs: Array
    track: Track | None

    def wraps(self, track: Track) -> tuple[int, int]:
        """Return the wrap modes to write: the file's own numbers where they still mean what Blender plays."""
        before, after = unity_keys.WRAP_NUMBERS[track.before], unity_keys.WRAP_NUMBERS[track.after]
        if self.track is not None and track.before == self.track.before:
            before = self.curve.pre_wrap
        if self.track is not None and track.after == self.track.after:
            after = self.curve.post_wrap
        return before, after


def originals(channel: Channel, curves: list[Curve], tracks: list[Track]) -> list[Original]:
    """Return the source's curves for each of Blender's components of a channel.

    Args:
        curves: in file order.
        tracks: of the source's clip for this channel.
    """
    playable = [unity_keys.playable(curves[index].keys) for index in channel.order]
    by_row = {single.component: single for track in tracks for single in track.rows()}
    every = [*playable, *(track.times for track in tracks)]
    turned = np.ones(max(map(len, playable)))
    if len(playable) == len(by_row) == 4 and len({len(each) for each in every}) == 1:
        # -1.0 where the importer changed the sign of a quaternion
        rows = np.concatenate([by_row[row].values for row in range(4)])
        file = np.stack([sign * keys["value"].astype(np.float64) for sign, keys in zip(channel.signs, playable)])
        turned = np.where(quaternion.dot(file, rows) < 0, -1.0, 1.0)
    return [
        Original(curves[index], keys, sign * turned[: len(keys)], by_row.get(row))
        for row, (index, sign, keys) in enumerate(zip(channel.order, channel.signs, playable))
    ]


def merged(track: Track, original: Original, *, full: bool) -> Keys:
    """Return the keys (n,), 28-byte ones if `full`, of a captured one-component track, with the source's numbers where
    nothing changed them; for 8-byte keys its segments must be lines."""
    # what is computed from the curve alone, then the source's numbers over it
    match = track.match or KeyMatch.whole(0).spread(np.zeros(0, np.intp), len(track.times))
    at = np.where(match.keys < len(original.keys), match.keys, -1)
    keys = computed(track, _signs(original.signs, at), full=full)
    known = at >= 0
    if known.any():
        own = original.keys[np.maximum(at, 0)]
        if full and own.dtype != layout.FULL_KEY:
            own = unity_keys.full_keys(own["time"], own["value"])
        # each field by itself: what stayed of a key is the file's, to the bit
        # but a key does not go back behind a new one, which stands just before the step to it
        follows = np.append(True, known[:-1] | (own["time"][1:] >= keys["time"][:-1]))
        same = {"time": match.same_time & follows, "value": match.same_value}
        if full:
            _keep_side(keys, own, known, "in", layout.WEIGHTED_IN, match.same_left)
            _keep_side(keys, own, known, "out", layout.WEIGHTED_OUT, match.same_right)
            # the tangent also where only the segment beside the key has another length; the weight is a share of that
            same["in_tangent"] = _same_handles(track, original.track, at, 0)
            same["out_tangent"] = _same_handles(track, original.track, at, 1)
        for name, kept in same.items():
            np.copyto(keys[name], own[name], where=kept & known)
    return keys[np.argsort(keys["time"], kind="stable")]


def computed(track: Track, signs: Array, *, full: bool) -> Keys:
    """Return keys (n,) made from a one-component track alone, its values times `signs` (n,)."""
    values = track.values[0] * signs
    if not full:
        return unity_keys.short_keys(track.times, values)
    handles = None if track.handles is None else track.handles.scaled(signs)
    return unity_keys.full_keys(track.times.astype(np.float64), values, track.interpolation, handles)


def _signs(source: Array, at: Array) -> Array:
    """Return (n,) signs: the source key's; for a new key that of the known key before it, else of the first one."""
    known = at >= 0
    if not known.any():
        return np.full(len(at), source[0] if len(source) else 1.0)
    # the known key before each; before the first known one, that one
    last = np.maximum.accumulate(np.where(known, np.arange(len(at)), -1))
    return source[at[np.where(last < 0, int(np.argmax(known)), last)]]


def _same_handles(track: Track, old: Track | None, at: Array, side: int) -> Array:
    """Return (n,) whether the handle on one side, 0 left or 1 right, is as far from its key as the importer put it."""
    result = np.zeros(len(at), np.bool_)
    if old is None or track.handles is None or old.handles is None:
        return result
    rows = np.flatnonzero((at >= 0) & shaping_sides(track.interpolation)[:, side])
    rows = rows[shaping_sides(old.interpolation)[at[rows], side]]
    own = at[rows]
    # both offsets as they were, but for the rounding of frames
    time, old_time = track.handles.times[rows, side], old.handles.times[own, side]
    value, old_value = track.handles.values[0, rows, side], old.handles.values[0, own, side]
    time_slack = _ROUNDING * (np.abs(track.times[rows]) + np.abs(old_time))
    slope = np.abs(old_value) / np.maximum(np.abs(old_time), 1e-30)
    value_slack = _ROUNDING * (np.abs(track.values[0, rows]) + np.abs(old_value)) + slope * time_slack
    result[rows] = (np.abs(time - old_time) <= time_slack) & (np.abs(value - old_value) <= value_slack)
    return result


def _keep_side(keys: Keys, own: Keys, known: Array, name: str, side: int, same: Array) -> None:
    """Keep tangent, weight and the bit that says whether the weight counts; the other bits come with the Out side."""
    same = same & known
    np.copyto(keys[f"{name}_tangent"], own[f"{name}_tangent"], where=same)
    # the weight also where it never counts, or differs only by the rounding of float32 frames
    weights, own_weights, modes = keys[f"{name}_weight"], own[f"{name}_weight"], keys["weighted_mode"]
    weighted = (modes & side) != 0
    near = np.abs(weights - own_weights) <= _WEIGHT_TOLERANCE * np.abs(own_weights)
    alike = (weighted == ((own["weighted_mode"] & side) != 0)) & (near | ~weighted)
    np.copyto(weights, own_weights, where=same | (known & alike))
    bits = side if side == layout.WEIGHTED_IN else ~layout.WEIGHTED_IN
    np.copyto(modes, (modes & ~bits) | (own["weighted_mode"] & bits), where=same)


# Curves made anew: what MRTK's recorder would have written for a motion that comes from elsewhere.
#
# Components share their times, which increase strictly; rotations have unit length and keep to one sign; switches have
# a key at the start. MRTK plays until the last key of all curves, so that a pose held longer needs a key.

THRESHOLD = 0.5
"""A switch is on above this."""
_UNITED = 1e-6
"""How far handles that are fitted again may be off before lines replace them: a hundredth of what these may be."""
_SHORT, _PROBED = 0.1, 0.125
"""Shorter quaternions turn much by what little one component is off. Part of a segment between two of their lengths."""
END_SLACK = 1e-3
"""Seconds by which a clip may outlast its last key through rounding."""


def empty_curves(channel: Channel, *, full: bool) -> list[Curve]:
    """Return a channel's curves without keys, which MRTK takes for no data."""
    return [Curve(np.zeros(0, layout.FULL_KEY if full else layout.SHORT_KEY)) for _ in channel.order]


def constant_curves(channel: Channel, values: Array, time: float, *, full: bool) -> list[Curve]:
    """Return curves of one key each, at `time` seconds, for a joint that does not move: `values` (components,) are in
    Blender's order, metres for a location."""
    rows = [
        Track.constant(channel.node, channel.property, (float(value),), time, component=component)
        for component, value in enumerate(values)
    ]
    return _in_file_order(channel, rows, full)


def motion_curves(
    channel: Channel, rows: list[Track | None], straightener: Straightener, clip: Clip, *, full: bool
) -> list[Curve]:
    """Return curves of a location, rotation, origin or direction, of 28-byte keys if `full`, else of lines.

    Args:
        rows: a one-component track for each of Blender's components, None where it stays at rest.
        clip: says how long all of it is.
    """
    # a component that nothing moves rests from the first key on
    start = min(float(row.times[0]) for row in rows if row is not None)
    resting = (1.0, 0.0, 0.0, 0.0) if channel.property == ROTATION else (0.0, 0.0, 0.0)
    tracks = [
        Track.constant(channel.node, channel.property, (rest,), start, component=component)
        if row is None
        else held_at_turn(row).but(match=None)
        for component, (row, rest) in enumerate(zip(rows, resting))
    ]
    if not _have_the_same_times(tracks):
        # on shared times if that loses nothing; else as they are, which MRTK plays, too
        doubts = Report()
        block = unite(tracks, report=doubts)
        tracks = tracks if doubts.warnings or doubts.notes else block.rows()
    if not full:
        tracks = _straight(channel, tracks, straightener, clip)
    # keys of length 1, as MRTK takes a quaternion as it is
    if channel.property == ROTATION and _have_the_same_times(tracks) and repeat_alike(tracks):
        tracks = unit_rotations(tracks, straightener.tolerances[ROTATION], cubics=full)
    return _in_file_order(channel, [_strictly_increasing(track) for track in tracks], full)


def _have_the_same_times(tracks: list[Track]) -> bool:
    return all(np.array_equal(track.times, tracks[0].times) for track in tracks[1:])


def _straight(channel: Channel, tracks: list[Track], straightener: Straightener, clip: Clip) -> list[Track]:
    """Return tracks of lines, fitted together, which needs fewer keys; alone where they repeat unalike."""
    length = 1.0
    if channel.property == ROTATION and not repeat_alike(tracks):
        # the shortest that the quaternion becomes in the clip
        rows = unrolled(tracks, clip)
        times = np.unique(np.concatenate([row.times for row in rows]))
        times = np.interp(np.arange(0.0, len(times), _PROBED), np.arange(len(times)), times)
        values = np.concatenate([curve.evaluate(row, times) for row in rows])
        length = float(np.linalg.norm(values, axis=0).min())
        tracks = tracks if length > _SHORT else in_step(tracks, clip)
    if not repeat_alike(tracks):
        return [straightener.track(track, channel.property, length) for track in tracks]
    return straightener.track(unite(tracks, _UNITED), channel.property).rows()


def _strictly_increasing(track: Track) -> Track:
    """Return the track with times that differ in float32: of two keys at one time, the first moves just before it.

    Of more than two, the first and the last are kept; where float32 leaves no room, only the last.
    """
    times = track.times.astype(np.float32)
    if len(times) < 2 or (times[1:] > times[:-1]).all():
        return track
    last = np.append(times[1:] != times[:-1], True)
    first = np.append(True, times[1:] != times[:-1]) & ~last
    moved = track.times.astype(np.float64)
    rows, keep = np.flatnonzero(first), last | first
    # the first of two at one time a step of float32 earlier; where there is no room between, only the last
    before = np.append(-np.inf, times)[rows]
    moved[rows] = just_before(times[rows], before)
    track = track if times[-1] > times[0] else track.held()  # what has no length has no rounds
    single = moved[rows].astype(np.float32)
    keep[rows[(single <= before) | (single >= times[rows])]] = False
    return replace(track.take(keep), times=moved[keep])


def _in_file_order(channel: Channel, tracks: list[Track], full: bool) -> list[Curve]:
    curves = empty_curves(channel, full=full)
    for row, index, sign in zip(tracks, channel.order, channel.signs):
        keys = computed(row, np.full(len(row.times), sign), full=full)
        curves[index] = Curve(keys, unity_keys.WRAP_NUMBERS[row.before], unity_keys.WRAP_NUMBERS[row.after])
    return curves


def switch_curve(row: Track, start: float) -> Curve:
    """Return a boolean curve with its first value held from `start` seconds; a repeating one keeps its period."""
    values = row.values[0] > THRESHOLD
    times = row.times.astype(np.float32)
    last = np.append(times[1:] != times[:-1], True)
    keys = unity_keys.short_keys(times[last], values[last])
    repeats = (row.before, row.after) != (Wrap.HOLD, Wrap.HOLD)
    if keys["time"][0] > start and not repeats:
        keys = np.concatenate([keys[:1], keys])
        keys["time"][0], keys["value"][0] = start, values[0]
    return Curve(keys, unity_keys.WRAP_NUMBERS[row.before], unity_keys.WRAP_NUMBERS[row.after])


def constant_switch(value: bool, start: float) -> Curve:
    """Return a boolean curve that never changes."""
    return Curve(unity_keys.short_keys(np.array([start]), np.array([value])))


def hold_until(document: Document, seconds: float) -> None:
    """Let a new recording last `seconds`: one more key with the last value, where all curves end earlier.

    A switch gets the key, as nothing plays between its keys; without hands, camera and gaze do.
    """
    if seconds <= duration(document) + END_SLACK:
        return
    for _, hand in document.hands:
        for name in ("tracked", "pinching"):
            switch = getattr(hand, name)
            if _is_held(switch):
                setattr(hand, name, _longer(switch, seconds))
                return
    for section in (document.camera, document.gaze):
        for curves in () if section is None else vars(section).values():
            curves[:] = [_longer(held, seconds) if _is_held(held) else held for held in curves]


def _is_held(curve: Curve) -> bool:
    return len(curve.keys) > 0 and unity_keys.wrap_of(curve.post_wrap) is Wrap.HOLD


def _longer(curve: Curve, seconds: float) -> Curve:
    """Return the curve with its last value once more at `seconds`, flat in between."""
    keys = np.concatenate((curve.keys, curve.keys[-1:]))
    keys["time"][-1] = seconds
    if curve.is_full:
        keys["out_tangent"][-2:] = keys["in_tangent"][-1] = 0.0
    return replace(curve, keys=keys)


# Curves as straight lines, for version 1.1, which stores only time and value; steps as steep as lines can be.

_STEP = 1e-5
"""Seconds that a step takes, where float32 times are fine enough."""
_SPARE = 8.0
"""Keys that even the shortest motion may have."""
_ROWS = {LOCATION: 3, ROTATION: 4}


@dataclass
class Straightener:
    """Replaces curves by lines within tolerances and remembers how far off they are.

    Attributes:
        tolerances: metres of a LOCATION, radians of a ROTATION.
        rate: frames per second, 0 for an unknown number: a sixteenth of a frame is enough between keys.
        errors: the largest reached, of what was replaced.
        fast: names of nodes that would need more keys to stay within the tolerances.
    """

    tolerances: Mapping[str, float]
    rate: float = 0.0
    errors: dict[str, float] = field(default_factory=dict)
    fast: list[str] = field(default_factory=list)

    def track(self, track: Track, property_name: str, length: float = 1.0) -> Track:
        """Return a whole location or rotation, or a single component of one, as lines.

        The whole has sixteen keys a frame at most, rotations get length 1; a component may be off by its share, that
        of a quaternion by how short the shortest of these is, `length`.
        """
        turns, tolerance = property_name == ROTATION, self.tolerances[property_name]
        if len(track.values) == _ROWS[property_name]:
            finest = shortest(self.rate)
            # sixteen keys a frame, but never fewer than there are
            most = max(len(track.times), float(np.ptp(track.times)) / finest + _SPARE)
            straight, error = straightened(track, tolerance, length_between, turns=turns, least=finest, most=most)
            if error > tolerance and track.node not in self.fast:
                self.fast.append(track.node)
        else:
            # components off by e each lengthen to 2 e in a quaternion, which turns it by 4 e, a shorter one by more
            share = 0.25 * length if turns else 3.0**-0.5
            straight, error = straightened(track, tolerance * share)
            error /= share
        if straight is not track:
            self.errors[property_name] = max(self.errors.get(property_name, 0.0), error)
        return without_steps(straight)

    def curve(self, original: Curve, property_name: str) -> Curve:
        """Return a curve of a file, which lines cannot play, with 8-byte keys."""
        (made,) = unity_keys.Shaper().shapes(unity_keys.Fields.of([unity_keys.playable(original.keys)]))
        track = Track("", property_name, made.times, made.values, made.interpolation, handles=made.handles)
        straight = self.track(track, property_name)
        return Curve(unity_keys.short_keys(straight.times, straight.values[0]), original.pre_wrap, original.post_wrap)


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
    # the value before each step once more, just before it
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


def just_before(times: Array, earliest: Array) -> Array:
    """Return (n,) float64 seconds after `earliest` and before `times`, both (n,), by a step of float32 or more."""
    single = times.astype(np.float32)
    near = np.minimum(times.astype(np.float64) - _STEP, np.nextafter(single, np.float32(-np.inf)).astype(np.float64))
    return np.maximum(near, (times.astype(np.float64) + earliest) / 2.0)
