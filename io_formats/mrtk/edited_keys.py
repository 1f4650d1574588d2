"""Edited curves, key by key: what a person did not change in Blender keeps the bits of the source file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..clip import Array, Interpolation, KeyMatch, Track, quaternion
from . import layout, unity_keys
from .channels import Channel
from .document import Curve, Keys

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
        before, after = unity_keys.wrap_number(track.before), unity_keys.wrap_number(track.after)
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
    turned = _turned(channel, playable, tracks)
    return [
        Original(curves[index], keys, sign * (turned if turned is not None else np.ones(len(keys))), by_row.get(row))
        for row, (index, sign, keys) in enumerate(zip(channel.order, channel.signs, playable))
    ]


def _turned(channel: Channel, playable: list[Keys], tracks: list[Track]) -> Array | None:
    """Return (n,) -1.0 where the importer changed the sign of a quaternion, else 1.0; None if it changed none."""
    rows = np.concatenate([track.values for track in tracks]) if _share_times(tracks) else None
    if len(channel.order) != 4 or rows is None or any(len(keys) != rows.shape[1] for keys in playable):
        return None
    file = np.stack([sign * keys["value"].astype(np.float64) for sign, keys in zip(channel.signs, playable)])
    return np.where(quaternion.dot(file, rows) < 0, -1.0, 1.0)


def _share_times(tracks: list[Track]) -> bool:
    return sum(len(track.values) for track in tracks) == 4 and all(
        len(track.times) == len(tracks[0].times) for track in tracks
    )


def merged(track: Track, original: Original, *, full: bool) -> Keys:
    """Return the keys (n,) of a captured one-component track, with the source's numbers where nothing changed them.

    Args:
        track: with `match`; for 8-byte keys its segments must be lines.
        full: 28-byte keys.
    """
    match = track.match or _no_match(len(track.times))
    at = np.where(match.keys < len(original.keys), match.keys, -1)
    signs = _signs(original.signs, at)
    keys = computed(track, signs, full=full)
    known = at >= 0
    own = original.keys[at[known]]
    if full and own.dtype != layout.FULL_KEY:
        own = unity_keys.full_keys(own["time"], own["value"])
    _keep(keys, known, own, "time", match.same_time)
    _keep(keys, known, own, "value", match.same_value)
    if full:
        same_left = match.same_left | _same_handles(track, original.track, at, 0)
        same_right = match.same_right | _same_handles(track, original.track, at, 1)
        _keep_side(keys, known, own, "in", layout.WEIGHTED_IN, same_left)
        _keep_side(keys, known, own, "out", layout.WEIGHTED_OUT, same_right)
    return keys[np.argsort(keys["time"], kind="stable")]


def computed(track: Track, signs: Array, *, full: bool) -> Keys:
    """Return keys (n,) made from a one-component track alone, its values times `signs` (n,)."""
    values = track.values[0] * signs
    if not full:
        return unity_keys.short_keys(track.times, values)
    handles = None if track.handles is None else track.handles.scaled(signs)
    return unity_keys.full_keys(track.times.astype(np.float64), values, track.interpolation, handles)


def keys_within(keys: Keys, factor: float, shift: float, first: float, last: float) -> Keys:
    """Return the keys (n,) at time x factor + shift, without those then before `first` or after `last`, in seconds."""
    result = keys.copy()
    result["time"] = keys["time"].astype(np.float64) * factor + shift
    return result[(result["time"] >= np.float32(first)) & (result["time"] <= np.float32(last))]


def _no_match(count: int) -> KeyMatch:
    nothing = np.zeros(count, np.bool_)
    return KeyMatch(False, np.full(count, -1), nothing, nothing, nothing, nothing)


def _signs(source: Array, at: Array) -> Array:
    """Return (n,) signs: the source key's; for a new key that of the known key before it, else of the first one."""
    known = at >= 0
    if not known.any():
        return np.full(len(at), source[0] if len(source) else 1.0)
    last = np.maximum.accumulate(np.where(known, np.arange(len(at)), -1))
    result: Array = source[at[np.where(last < 0, int(np.argmax(known)), last)]]
    return result


def _same_handles(track: Track, old: Track | None, at: Array, side: int) -> Array:
    """Return (n,) whether the handle on one side, 0 left or 1 right, lies as far from its key as the importer put it.

    When a key is moved, the handles of its neighbours stay; so do their tangents and weights in the file, although a
    weight is relative to a segment that has another length now.
    """
    result = np.zeros(len(at), np.bool_)
    if old is None or track.handles is None or old.handles is None:
        return result
    rows = np.flatnonzero((at >= 0) & _shapes_bezier(track, side))
    rows = rows[_shapes_bezier(old, side)[at[rows]]]
    own = at[rows]
    time, old_time = track.handles.times[rows, side], old.handles.times[own, side]
    value, old_value = track.handles.values[0, rows, side], old.handles.values[0, own, side]
    time_slack = _ROUNDING * (np.abs(track.times[rows]) + np.abs(old_time))
    slope = np.abs(old_value) / np.maximum(np.abs(old_time), 1e-30)
    value_slack = _ROUNDING * (np.abs(track.values[0, rows]) + np.abs(old_value)) + slope * time_slack
    result[rows] = (np.abs(time - old_time) <= time_slack) & (np.abs(value - old_value) <= value_slack)
    return result


def _shapes_bezier(track: Track, side: int) -> Array:
    """Return (n,) whether the handle on that side of each key shapes a BEZIER segment."""
    bezier = track.interpolation[:-1] == Interpolation.BEZIER
    return np.append(bezier, False) if side else np.append(False, bezier)


def _keep(keys: Keys, known: Array, own: Keys, name: str, same: Array) -> None:
    chosen = same[known]
    keys[name][np.flatnonzero(known)[chosen]] = own[name][chosen]


def _keep_side(keys: Keys, known: Array, own: Keys, name: str, side: int, same: Array) -> None:
    """Keep tangent, weight and the bit that says whether the weight counts; the other bits come with the Out side."""
    _keep(keys, known, own, f"{name}_tangent", same)
    _keep(keys, known, own, f"{name}_weight", same | _same_weight(keys, known, own, name, side))
    chosen = same[known]
    rows = np.flatnonzero(known)[chosen]
    bits = side if side == layout.WEIGHTED_IN else ~layout.WEIGHTED_IN
    modes = keys["weighted_mode"]
    modes[rows] = (modes[rows] & ~bits) | (own["weighted_mode"][chosen] & bits)


def _same_weight(keys: Keys, known: Array, own: Keys, name: str, side: int) -> Array:
    """Return (n,) whether a weight never counts, or differs only by the rounding of float32 frames."""
    result = np.zeros(len(keys), np.bool_)
    found = keys[known]
    weighted = (found["weighted_mode"] & side) != 0
    weights = own[f"{name}_weight"]
    near = np.abs(found[f"{name}_weight"] - weights) <= _WEIGHT_TOLERANCE * np.abs(weights)
    result[known] = (weighted == ((own["weighted_mode"] & side) != 0)) & (near | ~weighted)
    return result
