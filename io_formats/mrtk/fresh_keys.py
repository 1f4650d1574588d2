"""Curves made anew: what MRTK's recorder would have written for a motion that comes from elsewhere.

Components share their times, which increase strictly; rotations have unit length and keep to one sign; switches
have a key at the start. MRTK plays until the last key of all curves, so that a pose held longer needs a key.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ..clip import ROTATION, Array, Clip, Track, Wrap, curve
from ..clip.join import unite
from ..clip.resample import in_step, repeat_alike, unrolled
from ..clip.straight import unit_rotations
from ..errors import Report
from . import unity_keys
from .channels import Channel
from .describe import duration
from .document import Curve, Document, Keys, no_keys
from .edited_keys import computed
from .straight_lines import Straightener, held_at_turn, just_before

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
    return [Curve(no_keys(full and not channel.boolean)) for _ in channel.order]


def constant_curves(channel: Channel, values: Array, time: float, *, full: bool) -> list[Curve]:
    """Return curves of one key each, for a joint that does not move.

    Args:
        values: (components,) in Blender's order, metres for a location.
        time: seconds.
    """
    rows = [_constant(channel, component, float(value), time) for component, value in enumerate(values)]
    return _in_file_order(channel, rows, full)


def _constant(channel: Channel, component: int, value: float, time: float) -> Track:
    return Track.constant(channel.node, channel.property, (value,), time, component=component)


def motion_curves(
    channel: Channel, rows: list[Track | None], straightener: Straightener, clip: Clip, *, full: bool
) -> list[Curve]:
    """Return curves of a location, rotation, origin or direction.

    Args:
        rows: a one-component track for each of Blender's components, None where it stays at rest.
        straightener: has the tolerances, and draws the lines between 8-byte keys.
        clip: says how long all of it is.
        full: 28-byte keys.
    """
    start = min(float(row.times[0]) for row in rows if row is not None)
    resting = (1.0, 0.0, 0.0, 0.0) if channel.property == ROTATION else (0.0, 0.0, 0.0)
    tracks = [
        _constant(channel, component, resting[component], start) if row is None else held_at_turn(row).but(match=None)
        for component, row in enumerate(rows)
    ]
    tracks = _with_shared_times(tracks)
    if not full:
        tracks = _straight(channel, tracks, straightener, clip)
    if channel.property == ROTATION and _share_times(tracks) and repeat_alike(tracks):
        tracks = unit_rotations(tracks, straightener.rotation_tolerance)
    return _in_file_order(channel, [_strictly_increasing(track) for track in tracks], full)


def _share_times(tracks: list[Track]) -> bool:
    return all(np.array_equal(track.times, tracks[0].times) for track in tracks[1:])


def _with_shared_times(tracks: list[Track]) -> list[Track]:
    """Return the components on shared key times if that loses nothing; else as they are, which MRTK plays, too."""
    if _share_times(tracks):
        return tracks
    doubts = Report()
    block = unite(tracks, report=doubts)
    return tracks if doubts.warnings or doubts.notes else block.rows()


def _straight(channel: Channel, tracks: list[Track], straightener: Straightener, clip: Clip) -> list[Track]:
    """Return tracks of lines, fitted together, which needs fewer keys; alone where they repeat unalike."""
    length = 1.0
    if channel.property == ROTATION and not repeat_alike(tracks):
        length = _shortest(tracks, clip)
        tracks = tracks if length > _SHORT else in_step(tracks, clip)
    if not repeat_alike(tracks):
        return [straightener.track(track, channel.property, length) for track in tracks]
    return straightener.track(unite(tracks, _UNITED), channel.property).rows()


def _shortest(components: list[Track], clip: Clip) -> float:
    """Return the least length of quaternions whose components play in a clip."""
    rows = unrolled(components, clip)
    times = np.unique(np.concatenate([row.times for row in rows]))
    times = np.interp(np.arange(0.0, len(times), _PROBED), np.arange(len(times)), times)
    values = np.concatenate([curve.evaluate(row, times) for row in rows])
    return float(np.linalg.norm(values, axis=0).min())


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
    rows = np.flatnonzero(first)
    moved[rows] = just_before(times[rows], np.append(-np.inf, times)[rows])
    keep = last | first
    single = moved[keep].astype(np.float32)
    keep[np.flatnonzero(keep)[1:][single[1:] <= single[:-1]]] = False
    return replace(track.take(keep), times=moved[keep])


def _in_file_order(channel: Channel, tracks: list[Track], full: bool) -> list[Curve]:
    curves: list[Curve] = [Curve(no_keys(full))] * len(channel.order)
    for row, index, sign in zip(tracks, channel.order, channel.signs):
        keys = computed(row, np.full(len(row.times), sign), full=full)
        curves[index] = Curve(keys, unity_keys.wrap_number(row.before), unity_keys.wrap_number(row.after))
    return curves


def switch_curve(row: Track, start: float) -> Curve:
    """Return a boolean curve with its first value held from `start` seconds; a repeating one keeps its period."""
    values = row.values[0] > THRESHOLD
    times = row.times.astype(np.float32)
    last = np.append(times[1:] != times[:-1], True)
    keys = switch_keys(times[last], values[last])
    repeats = (row.before, row.after) != (Wrap.HOLD, Wrap.HOLD)
    if keys["time"][0] > start and not repeats:
        keys = np.concatenate([keys[:1], keys])
        keys["time"][0] = start
    return Curve(keys, unity_keys.wrap_number(row.before), unity_keys.wrap_number(row.after))


def switch_keys(times: Array, values: Array) -> Keys:
    """Return keys (n,) of 0 and 1 at `times` (n,), as MRTK writes them."""
    return unity_keys.short_keys(times, values.astype(np.float32))


def constant_switch(value: bool, start: float) -> Curve:
    """Return a boolean curve that never changes."""
    return Curve(switch_keys(np.array([start]), np.array([value])))


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
    for curves, at in _camera_and_gaze(document):
        if _is_held(curves[at]):
            curves[at] = _longer(curves[at], seconds)


def _camera_and_gaze(document: Document) -> Iterator[tuple[list[Curve], int]]:
    """Yield each curve of camera and gaze as the list that holds it and its index there."""
    camera, gaze = document.camera, document.gaze
    lists = [] if camera is None else [camera.position, camera.rotation]
    lists += [] if gaze is None else [gaze.origin, gaze.direction]
    return ((curves, at) for curves in lists for at in range(len(curves)))


def _is_held(curve: Curve) -> bool:
    return len(curve.keys) > 0 and unity_keys.wrap_of(curve.post_wrap) is Wrap.HOLD


def _longer(curve: Curve, seconds: float) -> Curve:
    """Return the curve with its last value once more at `seconds`, flat in between."""
    keys = np.concatenate((curve.keys, curve.keys[-1:]))
    keys["time"][-1] = seconds
    if curve.is_full:
        keys["out_tangent"][-2] = keys["in_tangent"][-1] = keys["out_tangent"][-1] = 0.0
    return replace(curve, keys=keys)
