"""Fewer keys: those that straight lines between the others do not need, all components of a property together.

Steps, curves with handles, first and last keys, and so what repeats, stay as they are. Errors are measured against the
keys of the file, between them too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from . import LINEAR, Array, Clip, Track, keys
from .measure import Measure, Off, probes
from .transforms import Spaces, are_alike, divided, together, transforms, with_tracks

_SCALE_TOLERANCE = 1e-3
"""Most that a scale may be off, as a part of the size at rest."""

_ROUNDING = 1.0 + 1e-9
"""By which an error measured in two ways may differ."""


def thin(clip: Clip, most: Off) -> tuple[Clip, Off]:
    """Return the clip with fewer keys of locations, rotations and scales, and how far off these are.

    It is the clip itself where none can go.

    Args:
        most: how far a location or rotation may be off, the latter interpolated as Blender plays it.
    """
    spaces = Spaces(clip)
    replaced: dict[int, Track] = {}
    reached = Off()
    for tracks in transforms(clip):
        measure = Measure.of(tracks, spaces)
        if measure is not None:
            fewer, error = _fewer(tracks, measure, measure.allowed(most, _SCALE_TOLERANCE))
            replaced.update(zip(map(id, tracks), fewer, strict=True))
            reached = reached.worst(measure.off(error))
    thinner = with_tracks(clip, replaced)
    return (thinner if thinner.key_count < clip.key_count else clip), reached


def _fewer(tracks: list[Track], measure: Measure, allowed: float) -> tuple[list[Track], float]:
    """Return the tracks of a property with fewer keys, which they share, and their error; as they are where none go."""
    whole = together(tracks)
    if whole is None:
        return tracks, 0.0
    steps = whole.interpolation != LINEAR
    keep = keys.lines(whole.times, measure.seen(whole.values), allowed, measure.distance, steps=steps)
    fewer, times = _taken(whole, tracks, keep), probes(tracks)
    errors = measure.between(tracks, fewer, times)
    far = errors > allowed * _ROUNDING
    if far.any():
        # turns follow no straight line between keys; where one leaves its limit there, all keys of that piece stay
        piece = np.cumsum(keep) - 1
        bad = np.searchsorted(whole.times, times[far], side="right") - 1
        fewer = _taken(whole, tracks, keep | np.isin(piece, piece[bad]))
        errors = measure.between(tracks, fewer, times)
    if sum(track.key_count for track in fewer) >= sum(track.key_count for track in tracks):
        return tracks, 0.0
    return fewer, float(errors.max(initial=0.0))


def _taken(whole: Track, tracks: Sequence[Track], keep: Array) -> list[Track]:
    """Return the tracks that were united with the keys (n,) of the whole that are kept."""
    if are_alike(tracks):
        return [replace(track.take(keep), inserted=_still_inserted(track, keep)) for track in tracks]
    return divided(replace(whole.take(keep), inserted=None), tracks)


def _still_inserted(track: Track, keep: Array) -> Array | None:
    """Return which kept keys are the mapping's own: those that stand between the same two keys as before."""
    if track.inserted is None:
        return None
    between = np.append(True, keep[:-1]) & np.append(keep[1:], True)
    inserted: Array = (track.inserted & between)[keep]
    return inserted if inserted.any() else None
