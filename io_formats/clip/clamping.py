"""A curve within limits: what lies beyond them stays at them, from the moment at which the curve leaves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from . import LINEAR, Array, Interpolation, Track, curve

_PROBES = 32
"""Places inside each segment at which a curve is looked at."""
_HALVINGS = 40


def clamped(track: Track, low: float, high: float) -> Track:
    """The curve of one component as Blender plays it where a property has limits; itself where it keeps to them."""
    if not _may_leave(track, low, high):
        return track
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
    """Whether a key or a handle, between which the curve runs, is beyond the limits."""
    reach = track.values[:, :, None]
    if track.handles is not None:
        reach = np.concatenate((reach, reach + track.handles.values), axis=2)
    return bool(reach.size) and bool(reach.min() < low or reach.max() > high)


def _crossings(track: Track, low: float, high: float) -> Array:
    """Times at which the curve passes a limit."""
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
    """The moments between two times on either side of a limit; `above` says where the first of them is."""
    for _ in range(_HALVINGS):
        middle = (before + after) / 2
        same = (curve.evaluate(track, middle)[0] > limit) == above
        before, after = np.where(same, middle, before), np.where(same, after, middle)
    return after
