"""Clips that are played in a loop: whether one ends as it begins, and the end of one that nearly does."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..errors import Report
from ..scene_options import ImportOptions
from . import ROTATION, Array, Clip, Track, TrackKind, Wrap, messages
from .measure import Measure, Off
from .transforms import Spaces, transforms, with_tracks

_SAME = Off(place=1e-4, turn=1e-3)
"""Ends of a clip that differ no more, a tenth of a millimetre and 0.06 degrees, agree."""

_SAME_SCALE = 1e-3
_MOST_NAMES = 5


def looped(clip: Clip, options: ImportOptions, report: Report) -> Clip:
    """Return the clip, said to be cyclic as the options want it; its last pose is moved only where they ask for it."""
    if options.cyclic == "CLOSE":
        return _closed_clip(clip, options, report)
    if options.cyclic == "NO" or not loops(clip):
        return clip
    report.note(messages.CYCLIC)
    return replace(clip, cyclic=True)


def _closed_clip(clip: Clip, options: ImportOptions, report: Report) -> Clip:
    most = Off(options.seam_location / 1000.0, math.radians(options.seam_rotation))
    result, seam = close(clip, most)
    if seam.closed:
        report.note(messages.SEAM_CLOSED, channels=seam.closed, **seam.moved.told())
    if seam.open:
        names = ", ".join(dict.fromkeys(seam.open[:_MOST_NAMES])) + (" ..." if len(seam.open) > _MOST_NAMES else "")
        report.warn(messages.SEAM_OPEN, names=names, **seam.apart.told())
    return replace(result, cyclic=True, reworked=clip.reworked or result is not clip)


def loops(clip: Clip) -> bool:
    """Tell whether a clip moves, and either every curve of it repeats or its first and last poses agree."""
    tracks = [track for track in clip.tracks if track.kind is TrackKind.TRANSFORM and len(track.times) > 1]
    repeats = all(track.before is Wrap.REPEAT and track.after is Wrap.REPEAT for track in tracks)
    if not tracks or not (repeats or _ends_agree(clip)):
        return False
    return any(bool((track.values != track.values[:, :1]).any()) for track in tracks)


def _ends_agree(clip: Clip) -> bool:
    """Tell whether all locations, rotations and scales of a clip end as they begin."""
    spaces = Spaces(clip)
    for tracks in transforms(clip):
        measure = Measure.of(tracks, spaces)
        if measure is None or not _apart(tracks, measure) <= measure.allowed(_SAME, _SAME_SCALE):
            return False
    return True


def _apart(tracks: Sequence[Track], measure: Measure) -> float:
    """Return how far the end of a property is from its beginning, as the measure counts."""
    first, last = (np.concatenate([track.values[:, [at]] for track in tracks]) for at in (0, -1))
    return float(measure.distance(measure.seen(first), measure.seen(last))[0])


@dataclass
class Seam:
    """What became of the place where a clip that is played in a loop begins again.

    Attributes:
        closed: number of locations, rotations and scales whose last key was moved.
        moved: how far these moved at most.
        open: names of nodes that end further off.
        apart: how far these are off at most.
    """

    closed: int = 0
    moved: Off = field(default_factory=Off)
    open: list[str] = field(default_factory=list)
    apart: Off = field(default_factory=Off)


def close(clip: Clip, most: Off) -> tuple[Clip, Seam]:
    """Return the clip with its last pose as its first one, where these are near enough, and what was done.

    Args:
        most: how far a last key may be moved.
    """
    spaces, seam = Spaces(clip), Seam()
    replaced: dict[int, Track] = {}
    for tracks in transforms(clip):
        measure = Measure.of(tracks, spaces)
        apart = 0.0 if measure is None else _apart(tracks, measure)
        if measure is None or not apart > 0.0:  # keys that are no numbers are left out, wherever they stand
            continue
        if apart <= measure.allowed(most, _SAME_SCALE):
            seam.closed, seam.moved = seam.closed + 1, seam.moved.worst(measure.off(apart))
            replaced.update(zip(map(id, tracks), _closed(tracks), strict=True))
        else:
            seam.open.append(tracks[0].node)
            seam.apart = seam.apart.worst(measure.off(apart))
    return (with_tracks(clip, replaced) if replaced else clip), seam


def _closed(tracks: Sequence[Track]) -> list[Track]:
    """Return the tracks of a property with its first value at its last key, a quaternion with that one's sign."""
    first, last = (np.concatenate([track.values[:, at] for track in tracks]) for at in (0, -1))
    sign = -1.0 if tracks[0].property == ROTATION and float((first * last).sum()) < 0 else 1.0
    return [replace(track, values=_ending(track.values, sign)) for track in tracks]


def _ending(values: Array, sign: float) -> Array:
    """Return values (components, n) whose last ones are the first ones times a sign."""
    result = values.copy()
    result[:, -1] = values[:, 0] * sign
    return result
