"""Keys on whole frames of a scene: what plays on each of them, as keys of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..files.memory import reckon
from . import CONSTANT, LINEAR, ROTATION, Array, Clip, Track, TrackKind, Wrap, curve, quaternion
from .join import by_track
from .measure import Measure, Off, probes
from .transforms import Spaces, by_property, is_in_order, with_tracks
from .whole_frames import ON_FRAME

_FARTHEST = 2.0**53
"""Frame beyond which float64 has no whole numbers side by side; so many keys are refused anyway."""


@dataclass(frozen=True)
class SceneFrames:
    """How seconds become frames in a scene: seconds x rate + start."""

    rate: float
    start: float

    def of(self, times: Array) -> Array:
        """Return times (n,) in seconds as frames (n,) float64, on a whole one where only rounding keeps them off."""
        with np.errstate(over="ignore", invalid="ignore"):
            frames = times.astype(np.float64) * self.rate + self.start
            whole = np.rint(frames)
            result: Array = np.where(np.abs(frames - whole) <= ON_FRAME, whole, frames)
        return result

    def seconds(self, frames: Array) -> Array:
        """Return frames (n,) as seconds (n,) float64."""
        result: Array = (frames - self.start) / self.rate
        return result

    def between(self, first: float, last: float) -> Array:
        """Return the seconds (n,) of whole frames from the last one before a frame to the first one after another."""
        begin, end = int(max(np.floor(first), -_FARTHEST)), int(min(np.ceil(last), _FARTHEST))
        reckon(keys=end - begin + 1)
        return self.seconds(np.arange(begin, end + 1, dtype=np.float64))

    def are_whole(self, times: Array) -> bool:
        """Tell whether times (n,) lie on whole frames."""
        frames = self.of(times)
        return bool((frames == np.rint(frames)).all())


def on_scene_frames(clip: Clip, frames: SceneFrames) -> tuple[Clip, Off]:
    """Return the clip with keys on whole frames only, and how far locations and rotations are off between them.

    What has its keys there already stays as it is, and so does what repeats with another period than whole frames, or
    whose keys are not in order of time.
    """
    spaces = Spaces(clip)
    replaced: dict[int, Track] = {}
    off = Off()
    for tracks in _properties(clip):
        if all(frames.are_whole(track.times) for track in tracks) or not all(
            _may_move(track, frames) for track in tracks
        ):
            continue
        moved = _moved(tracks, frames)
        replaced.update(zip(map(id, tracks), moved, strict=True))
        measure = Measure.of(tracks, spaces) if tracks[0].kind is TrackKind.TRANSFORM else None
        if measure is not None:
            off = off.worst(measure.off(float(measure.between(tracks, moved, probes(tracks)).max(initial=0.0))))
    return (with_tracks(clip, replaced) if replaced else clip), off


def between_frames(clip: Clip, frames: SceneFrames) -> int:
    """Return how many curves of a clip have keys between frames."""
    between = [track for tracks in _properties(clip) for track in tracks if not frames.are_whole(track.times)]
    return sum(len(track.values) for track in between)


def _properties(clip: Clip) -> list[list[Track]]:
    """Return the tracks with keys of each property of a clip, in the order of their components."""
    return by_property(track for track in clip.tracks if len(track.times) and is_in_order(track))


def _may_move(track: Track, frames: SceneFrames) -> bool:
    """Tell whether a track keeps its period: it holds its ends, or these lie on whole frames."""
    held = track.before is Wrap.HOLD and track.after is Wrap.HOLD
    return held or frames.are_whole(track.times[[0, -1]])


def _moved(tracks: Sequence[Track], frames: SceneFrames) -> list[Track]:
    """Return the tracks of a property with keys on all whole frames between their first and last key."""
    near = [replace(track, times=frames.seconds(frames.of(track.times))) for track in tracks]
    first = min(float(track.times[0]) for track in near)
    last = max(float(track.times[-1]) for track in near)
    times = frames.between(*frames.of(np.array([first, last])).tolist())
    values = np.concatenate([curve.evaluate(track, times, ends=True) for track in near])
    if tracks[0].kind is TrackKind.TRANSFORM and tracks[0].property == ROTATION and len(values) == 4:
        # keys that lie on a frame keep their own numbers
        keyed = np.isin(times, np.concatenate([track.times for track in near]))
        values = np.where(keyed, values, quaternion.normalise(values))
    held = _held(near, times)
    shapes = np.where(held, CONSTANT, LINEAR)
    return [
        _lean(track.redrawn(times, rows, shapes)) for track, rows in zip(tracks, by_track(values, tracks), strict=True)
    ]


def _held(tracks: Sequence[Track], times: Array) -> Array:
    """Return (n,) which frames are held until the next: nothing but steps lies between them."""
    held = np.ones(len(times), dtype=bool)
    for track in tracks:
        shapes = np.append(track.interpolation[:-1] != CONSTANT, False)
        moving = np.append(0, np.cumsum(shapes))
        begin = np.maximum(np.searchsorted(track.times, times, side="right") - 1, 0)
        end = np.searchsorted(track.times, np.append(times[1:], times[-1:]), side="left")
        held &= moving[np.maximum(end, begin)] == moving[begin]
    return held


def _lean(track: Track) -> Track:
    """Return the track without keys that repeat the value which is held already; the last one stays."""
    repeated = (track.interpolation[:-1] == CONSTANT) & (track.values[:, 1:] == track.values[:, :-1]).all(axis=0)
    keep = np.append(True, ~(repeated & (track.interpolation[1:] == CONSTANT)))
    keep[-1] = True
    return track.take(keep)
