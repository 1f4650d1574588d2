"""Curves on whole frames, for formats with a value for each: which frames, what is shown on them, where it jumps."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..errors import FormatError, Report
from ..files.memory import reckon
from ..options import WholeFrames
from . import Array, Clip, Source, Track, Wrap, curve, edit, messages

ASSUMED_RATE = 30
"""Frames per second where a file says 0: that of every file seen."""

NUMBERS_A_FRAME = 7
"""Of each node, while its motion is sampled: a location and a quaternion."""

_FRAME_SECONDS = 1e-5
"""The processor's time for a node at one frame, until it is written."""

_FRAME_SLACK = 1e-3
_ALMOST = 2e-3
"""Largest part of a rate by which it may differ from a whole number and be written as that: 23.976, 29.97."""

_EXACT = _UNIT_SLACK = 1e-6
_JUST_BEFORE, _LEAST, _ENDLESS = 0.01, 0.01, 1e30
"""Part of a frame, and of a channel's range, that tell a jump from what moves; a number for what is none."""


def lasting(frames: int, rate: float) -> float:
    """Return for how many seconds frames play: from the first to the last, on which engines stop or begin again."""
    return max(frames - 1, 0) / (rate or ASSUMED_RATE)


@dataclass
class Keys:
    """Keys of one channel, in the order of Blender's components.

    Attributes:
        times: (n,) seconds, float64; channels with keys on the same frames share the object.
        values: (components, n) float32; quaternions w, x, y, z.
        interpolation: (n,) uint8, shared like `times`.
        inserted: (n,) bool or None: keys that are not in the file.
    """

    times: Array
    values: Array
    interpolation: Array
    inserted: Array | None = None

    def without_zeros(self) -> int:
        """Let quaternions of no length be no rotation, as Blender would turn half around; return how many these are."""
        if self.values[0].all():
            return 0
        nothing = ~self.values.any(axis=0)
        if nothing.any():
            self.values = np.where(nothing, np.array([[1], [0], [0], [0]], np.float32), self.values)
        return int(nothing.sum())

    def track(self, node: str, name: str, width: int = 1, component: int = 0, **fields: Any) -> Track:
        """Return a track of these keys; `fields` as of a Track."""
        shapes, inserted = self.interpolation, self.inserted
        return Track(node, name, self.times, self.values, shapes, component, width, inserted=inserted, **fields)


def of_unit_length(wide: Array) -> Array:
    """Return quaternions (4, n) float64 of unit length, those that nearly are as they are, of none as no rotation."""
    lengths = np.sqrt((wide * wide).sum(axis=0))
    units: Array = np.where(np.abs(lengths - 1) > _UNIT_SLACK, wide / np.where(lengths > 0, lengths, 1.0), wide)
    units[0] = np.where(lengths > 0, units[0], 1.0)
    return units


_Frames = tuple[Array, Array, Array | None]
_Shaped = Callable[[Array], tuple[Array, Array]]


@dataclass
class Timeline:
    """Times of whole frames, made once and shared by all channels of an animation."""

    frame_count: int
    rate: float
    _made: dict[Hashable, _Frames] = field(default_factory=dict)

    @classmethod
    def of(cls, frame_count: int, rate: int, report: Report) -> Timeline:
        """Return so many frames at a file's whole rate; where it says 0, warn and take that of every file seen."""
        if rate == 0:
            report.warn(messages.NO_RATE)
        return cls(frame_count, rate or ASSUMED_RATE)

    def once(self, key: Hashable, make: Callable[[], _Frames]) -> _Frames:
        """Return seconds, shapes and inserted keys, (n,) each; channels with an equal `key` share what `make` returns.

        `make` returns frames instead of seconds.
        """
        if key not in self._made:
            frames, interpolation, inserted = make()
            self._made[key] = frames / self.rate, interpolation, inserted
        return self._made[key]

    def samples(self, first: int, values: Array, rest: Array | None, kind: Hashable, shaped: _Shaped) -> Keys:
        """Return values (components, n) on the frames from `first` on, at `rest` (components, 1) beside them, as keys.

        Args:
            kind: the same for channels whose frames are shaped alike.
            shaped: frames (n,) as they play, and their shapes (n,); those at rest are among them.
        """
        end = first + values.shape[1]
        before, after = rest is not None and first > 0, rest is not None and end < self.frame_count

        def make() -> _Frames:
            frames, interpolation = shaped(np.arange(first - before, end + after, dtype=np.float64))
            inserted = np.zeros(len(frames), bool)
            inserted[:1], inserted[-1:] = before, after
            return frames, interpolation, inserted if before or after else None

        if rest is not None and (before or after):
            values = np.concatenate([rest] * before + [values] + [rest] * after, axis=1)
        times, interpolation, inserted = self.once((kind, first, end, before, after), make)
        return Keys(times, values, interpolation, inserted)


@dataclass(frozen=True)
class Frames:
    """The whole frames that a file has a value for.

    Attributes:
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
        # a key within a thousandth of a whole frame was meant to be on it
        whole = np.rint(frames)
        off = np.abs(frames - whole)
        apart = np.flatnonzero(off > _EXACT)
        if not len(apart):
            return whole
        # but not where that frame has a key of its own
        beside = np.isin(whole[apart], whole[off <= _EXACT])
        whole[apart] = np.where((off[apart] <= curve.ON_FRAME) & ~beside, whole[apart], frames[apart])
        return whole

    @property
    def times(self) -> Array:
        """(count,) seconds of the clip at which the frames lie; one where there are none."""
        return (np.arange(max(self.count, 1), dtype=np.float64) + self.first) / self.per_second

    @property
    def all(self) -> Array:
        """(count,) the frames, as float64."""
        return np.arange(self.count, dtype=np.float64)


def chosen_frames(
    clip: Clip, source: Source[Any, Any] | None, own: tuple[int, int] | None, options: WholeFrames, report: Report
) -> Frames:
    """Return the frames to write, at a whole rate: as the options say, as the source has them, as the clip lasts.

    Args:
        own: number of frames and rate of the source's animation, None for none.
    """
    # the rate: what a person asked for, what the source has, what the clip says, the usual one
    rate = options.file_rate or (own[1] if own is not None else 0)
    if rate == 0:
        rate = max(round(clip.rate), 1) if clip.rate else ASSUMED_RATE
    pace = 0.0
    if not options.file_rate and own is None and clip.rate and 0 < abs(clip.rate - rate) <= _ALMOST * rate:
        report.note(messages.WHOLE_RATE, found=clip.rate, rate=rate)
        pace = clip.rate
    # frames at both ends count; one that the end misses by rounding is not needed
    count = math.ceil(clip.duration * (pace or rate) - _FRAME_SLACK) + 1
    # as long as the source's within half a frame: its own number of frames
    if own is not None and rate == own[1] and source is not None:
        count = own[0] if abs(clip.duration - source.clip.duration) * rate < 0.5 else count
    return Frames(asked_count(count, options, report), rate, options.first_frame, pace)


def asked_count(count: int, options: WholeFrames, report: Report) -> int:
    """Return how many frames are written as the options say; FormatError where they begin behind the last one."""
    left = count - options.first_frame
    if options.first_frame and left <= 0:
        raise FormatError(messages.FRAMES_BEYOND, frames=count)
    if left < options.frame_count:
        report.warn(messages.FRAMES_BEYOND, frames=count)
    return min(left, options.frame_count or left)


def reckon_frames(frames: Frames, clip: Clip, limit: int) -> None:
    """Raise FormatError if a file has more frames than it can count, or to sample a clip's nodes at all of them needs
    more memory or time than is allowed."""
    if frames.count > limit:
        raise FormatError(messages.TOO_MANY_FRAMES, frames=frames.count, limit=limit)
    count = frames.count * len(clip.nodes)
    reckon(keys=count * NUMBERS_A_FRAME, seconds=count * _FRAME_SECONDS)


def ended(clip: Clip, frames: Frames) -> Clip:
    """Return the clip whose repeats stop at its end, where the last frame lies after that, as no whole one is there."""
    if frames.times[-1] * frames.per_second <= clip.duration * frames.per_second + _FRAME_SLACK:
        return clip
    tracks = [
        track if track.after is Wrap.HOLD else edit.trim_track(track, 0.0, clip.duration, ends=True)
        for track in clip.tracks
    ]
    return replace(clip, tracks=tracks)


def on_frames(track: Track, frames: Frames) -> Track:
    """Return the track with frames of the file for times."""
    handles = track.handles and track.handles._replace(times=track.handles.times * frames.per_second)
    return replace(track, times=frames.of(track.times), handles=handles)


def jumps(tracks: Sequence[Track], samples: Array) -> Array:
    """Return (frames,) bool: where tracks on the file's frames are held before one, and samples on all these jump."""
    changed = np.append(False, (samples[:, 1:] != samples[:, :-1]).any(axis=0))
    return np.where(changed, held_before(tracks, samples.shape[1]), False)


def held_before(tracks: Sequence[Track], count: int) -> Array:
    """Return (count,) bool: what tracks show between the file's frame before and this one is as on these two, or just
    before this one nearer to the one before than to what it jumps to, so that a line would be further off."""
    moments = (np.arange(-1, count)[:, None] + (-0.5, -_JUST_BEFORE, 0.0)).ravel()
    found = np.array([curve.evaluate(track, moments, ends=True)[0] for track in tracks])
    shown = np.nan_to_num(found, posinf=_ENDLESS, neginf=-_ENDLESS).reshape(len(tracks), -1, 3)
    before, now, just = shown[:, :-1, 2], shown[:, 1:, 2], shown[:, 1:, 1]
    held = ((shown[:, 1:] == before[..., None]).all(axis=0) | (shown[:, 1:] == now[..., None]).all(axis=0)).all(axis=1)
    moved, jump = np.linalg.norm(just - before, axis=0), np.linalg.norm(now - just, axis=0)
    least = _LEAST * np.fmax(np.linalg.norm(np.ptp(shown, (1, 2))), _LEAST)
    return np.where(held, True, (moved < jump) & (jump > least))
