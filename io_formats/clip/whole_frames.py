"""Curves on whole frames, for formats with a value for each: which frames, what is shown on them, where it jumps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from . import Array, Handles, Interpolation, Track, Wrap, curve

_ON_FRAME = 1e-3
"""Part of a frame by which Blender's float32 frames may miss a whole one."""

_EXACT = 1e-6


@dataclass(frozen=True)
class Frames:
    """The whole frames that a file has a value for.

    Attributes:
        count: how many.
        rate: frames per second that the file names.
        first: frame of the clip that becomes frame 0.
        pace: frames in a second of the clip, where that is not quite `rate`; 0 for the same.
    """

    count: int
    rate: int
    first: int = 0
    pace: float = 0.0

    @property
    def per_second(self) -> float:
        """Frames in a second of the clip."""
        return self.pace or float(self.rate)

    def of(self, times: Array) -> Array:
        """Return times (n,) in seconds as frames (n,); those that Blender's float32 put beside a whole one on it.

        Where a key is on the whole frame, one beside it is meant to be there.
        """
        frames = times.astype(np.float64) * self.per_second - self.first
        whole = np.rint(frames)
        off = np.abs(frames - whole)
        beside = (off > _EXACT) & np.isin(whole, whole[off <= _EXACT])
        result: Array = np.where((off <= _ON_FRAME) & ~beside, whole, frames)
        return result

    @property
    def times(self) -> Array:
        """(count,) seconds of the clip at which the frames lie; one where there are none."""
        result: Array = (np.arange(max(self.count, 1), dtype=np.float64) + self.first) / self.per_second
        return result

    @property
    def all(self) -> Array:
        """(count,) the frames, as float64."""
        return np.arange(self.count, dtype=np.float64)


def _ends_repeat(track: Track, frames: Array) -> Array:
    """Return (n,) bool: frames on which a repeat of the curve ends and the next begins: Blender shows the end."""
    if track.after is not Wrap.REPEAT or len(track.times) < 2:
        return np.zeros(len(frames), bool)
    length = float(track.times[-1] - track.times[0])
    beyond = frames - float(track.times[-1])
    result: Array = (beyond >= 0) & (length > 0) & (np.mod(beyond, length or 1.0) == 0)
    return result


def on_frames(track: Track, frames: Frames) -> Track:
    """Return the track with frames of the file for times."""
    handles = track.handles
    if handles is not None:
        handles = Handles(handles.times * frames.per_second, handles.values)
    return replace(track, times=frames.of(track.times), handles=handles)


def shown(track: Track, frames: Array) -> Array:
    """Return what Blender shows of a component on frames (m,): (m,) float64."""
    result: Array = np.where(_ends_repeat(track, frames), track.values[0, -1], curve.evaluate(track, frames)[0])
    return result


def jumps(tracks: Sequence[Track], samples: Array) -> Array:
    """Return (frames,) bool: every component is held until just before this frame, and at least one jumps to it.

    Args:
        tracks: of the components, on the file's frames instead of seconds.
        samples: (components, frames) on frames 0, 1, 2 ...
    """
    count = samples.shape[1]
    middle = np.arange(count) - 0.5
    held = np.ones(count, bool)
    for track in tracks:
        last = len(track.times) - 1
        left = np.searchsorted(track.times, middle, side="right") - 1
        inside = (left >= 0) & (left < last)
        start, end = np.clip(left, 0, last), np.clip(left + 1, 0, last)
        constant = track.interpolation[start] == Interpolation.CONSTANT
        flat = (track.interpolation[start] == Interpolation.LINEAR) & (track.values[0, start] == track.values[0, end])
        held &= ~inside | constant | flat
    changed = np.append(False, (samples[:, 1:] != samples[:, :-1]).any(axis=0))
    result: Array = held & changed
    return result
