"""What a person may have done to a file's keys on their way in; each gives up that they are the file's own."""

from __future__ import annotations

import math
from dataclasses import replace

from ..errors import Report
from ..options import KeyOptions
from . import Clip, messages
from .measure import Off
from .scene_frames import SceneFrames, between_frames, on_scene_frames
from .smooth import OneEuro, smooth
from .thin import thin

_MILLIMETRES = 1000.0
"""In one unit of the world."""


class Rework:
    """Changes the keys of one clip after the other as the options say, and tells once how far off they all are."""

    def __init__(self, options: KeyOptions, frames: SceneFrames | None = None) -> None:
        """Prepare for clips; `frames` are a scene's, whose whole ones get the keys."""
        self._options = options
        self._frames = frames
        self._kept = self._total = self._left = 0
        self._smoothed = self._resampled = self._thinned = Off()

    def of(self, clip: Clip) -> Clip:
        """Return the clip with keys as the options want them; the clip itself where that changes nothing."""
        result = self._smooth(clip) if self._options.smooth else clip
        result = result if self._frames is None else self._resample(result, self._frames)
        result = self._thin(result) if self._options.thin else result
        return clip if result is clip else replace(result, reworked=True)

    def _smooth(self, clip: Clip) -> Clip:
        options = self._options
        how = OneEuro(options.smooth_cutoff, options.smooth_speed, options.smooth_turning)
        result, moved = smooth(clip, how)
        self._smoothed = self._smoothed.worst(moved)
        return result

    def _resample(self, clip: Clip, frames: SceneFrames) -> Clip:
        result, off = on_scene_frames(clip, frames)
        self._resampled = self._resampled.worst(off)
        self._left += between_frames(result, frames)
        return result

    def _thin(self, clip: Clip) -> Clip:
        most = Off(self._options.thin_location / _MILLIMETRES, math.radians(self._options.thin_rotation))
        result, reached = thin(clip, most)
        self._thinned = self._thinned.worst(reached)
        self._kept += result.key_count
        self._total += clip.key_count
        return result

    def tell(self, report: Report) -> None:
        """Tell what was done to all clips."""
        if self._options.smooth:
            report.note(messages.SMOOTHED, **self._smoothed.told())
        if self._frames is not None:
            report.note(messages.RESAMPLED, **self._resampled.told())
        if self._left:
            report.warn(messages.RESAMPLE_LEFT, curves=self._left)
        if self._options.thin:
            report.note(messages.THINNED, kept=self._kept, total=self._total, **self._thinned.told())
