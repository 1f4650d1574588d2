"""Numbers that every program takes: what is infinite, or no number, is left out as an import leaves it out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..clip import CONSTANT, Array, Clip, Handles, Track, messages
from ..clip.fcurve_keys import broken_segments
from ..errors import Report

_MOST = np.finfo(np.float32).max


def with_numbers_only(clip: Clip, report: Report) -> Clip:
    """Return the clip without keys whose time or value is no number, and without tracks that have no key."""
    tracks = [_with_numbers_only(track, report) for track in clip.tracks]
    return replace(clip, tracks=[track for track in tracks if len(track.times)])


def _with_numbers_only(track: Track, report: Report) -> Track:
    """Return the track without such keys; segments with a handle that is no number become steps."""
    usable = np.isfinite(track.times) & np.isfinite(track.values).all(axis=0)
    if not usable.all():
        report.warn(messages.KEYS_NOT_FINITE, count=int((~usable).sum()))
        track = track.take(usable)
    if track.handles is None:
        return track
    broken = broken_segments(track.handles, track.interpolation)
    if not broken.any():
        return track
    report.warn(messages.HANDLES_NOT_FINITE, count=int(broken.sum()))
    handles = Handles(*(np.where(np.isfinite(part), part, 0.0) for part in (track.handles.times, track.handles.values)))
    return replace(track, handles=handles, interpolation=np.where(broken, CONSTANT, track.interpolation))


def narrow(values: Array) -> Array:
    """Return values (n, ...) as float32, those beyond its range as its largest."""
    result: Array = np.ascontiguousarray(np.clip(values, -_MOST, _MOST), np.float32)
    return result
