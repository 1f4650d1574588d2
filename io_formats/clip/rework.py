"""What a person may have done to keys: smoother, fewer, on whole frames, closed to a loop."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..errors import Report, first_names
from ..files.memory import reckon
from ..options import KeyOptions
from ..scene_options import ImportOptions
from . import CONSTANT, EULER, LINEAR, LOCATION, ROTATION, Array, Clip, Track, TrackKind, Wrap, messages
from .curve import ON_FRAME, evaluate
from .fit import by_track, same_keys
from .keys import lines
from .measure import Measure, Spaces, apart_at_ends, divided, probes, properties, together, transforms
from .pose import Off
from .quaternion import angle_of, conjugate, distance, dot, multiply, normalise
from .resample import repeat_alike


class Rework:
    """Changes the keys of one clip after the other as the options say, and tells once how far off they all are."""

    def __init__(self, options: KeyOptions) -> None:
        self._options = options
        self._kept = self._total = self._left = 0
        self._smoothed = self._thinned = Off()
        self._resampled: Off | None = None

    def of(self, clip: Clip, frames: SceneFrames | None = None) -> Clip:
        """Return the clip with keys as the options want them, on whole `frames` if given; itself if none changes."""
        options, result = self._options, clip
        if options.smooth:
            result, moved = smooth(result, options)
            self._smoothed = self._smoothed.worst(moved)
        if frames is not None:
            result, off = on_scene_frames(result, frames)
            self._resampled = (self._resampled or Off()).worst(off)
            tracks = (track for tracks in properties(result) for track in tracks)
            self._left += sum(len(track.values) for track in tracks if not frames.are_whole(track.times))
        if options.thin:
            self._total += result.key_count
            result, reached = thin(result, Off(options.thin_location / 1000.0, math.radians(options.thin_rotation)))
            self._thinned = self._thinned.worst(reached)
            self._kept += result.key_count
        return result

    def tell(self, report: Report) -> None:
        """Tell what was done to all clips."""
        if self._options.smooth:
            report.note(messages.SMOOTHED, **self._smoothed.as_values())
        if self._resampled is not None:
            report.note(messages.RESAMPLED, **self._resampled.as_values())
        if self._left:
            report.warn(messages.RESAMPLE_LEFT, curves=self._left)
        if self._options.thin:
            report.note(messages.THINNED, kept=self._kept, total=self._total, **self._thinned.as_values())


# Smoother recordings: the 1-euro filter on locations and rotations.
#
# G. Casiez, N. Roussel, D. Vogel: 1€ Filter, CHI 2012, algorithm 1: a low-pass filter whose cutoff grows with the
# speed, so that what rests is calm and what moves fast does not lag. The speed of a joint is that of its components
# together. Each value depends on the one before it in ways that no array operation knows, so there is a loop over the
# keys; in it all joints are filtered at once, each by its own times.

_SPEED_CUTOFF = 1.0
"""Hertz of the low-pass filter for the speed, as the paper has it."""

_GAP = 1.0
"""Seconds without a key after which nothing is known of where a joint was."""


class _Series(NamedTuple):
    """The keys of one location or rotation.

    Attributes:
        whole: all components.
        steps: (n,) seconds since the key before; 0 where the filter begins anew.
        size: of a unit of the values in the world; 1 for rotations.
    """

    tracks: list[Track]
    whole: Track
    steps: Array
    size: float = 1.0


def smooth(clip: Clip, options: KeyOptions) -> tuple[Clip, Off]:
    """Return the clip with locations and rotations filtered, and how far keys moved at most.

    The cutoff of what rests is so many hertz, and so much higher for each unit of the world, or radian, a second.
    Curves with handles stay as they are, and so do components that rest and what repeats, which would no longer end as
    it begins; steps, gaps and times in which a joint was not seen are not filtered across.
    """
    spaces, replaced, off = Spaces(clip), dict[int, Track](), Off()
    for name, gain in ((LOCATION, options.smooth_speed), (ROTATION, options.smooth_turning)):
        series = [found for tracks in transforms(clip) if (found := _series(clip, tracks, name, spaces)) is not None]
        filtered = (pair for batch in _batches(series) for pair in _filtered(batch, options.smooth_cutoff, gain))
        for one, values in filtered:
            own, node = one.whole.values, one.whole.node
            if name == ROTATION:
                off = off.worst(Off(turn=angle_of(float(distance(own, values).max(initial=0.0))), turned=node))
                own = own * np.where(dot(own, values) < 0, -1.0, 1.0)
            else:
                way = np.sqrt(((values - own) ** 2).sum(axis=0))
                off = off.worst(Off(place=float(way.max(initial=0.0)) * one.size, placed=node))
            # the file's own numbers where the filter begins anew
            values = np.where(one.steps <= 0, own, values).astype(one.whole.values.dtype)
            smoother = divided(replace(one.whole, values=values, inserted=None, match=None), one.tracks)
            parts = zip(one.tracks, divided(one.whole, one.tracks), smoother, strict=True)
            replaced |= {id(track): new for track, old, new in parts if not np.array_equal(old.values, new.values)}
    return (clip if off == Off() else _with_tracks(clip, replaced)), off


def _with_tracks(clip: Clip, replaced: dict[int, Track]) -> Clip:
    """Return the clip with other tracks for some of its own, by their ids."""
    return replace(clip, tracks=[replaced.get(id(track), track) for track in clip.tracks])


def _series(clip: Clip, tracks: list[Track], name: str, spaces: Spaces) -> _Series | None:
    """Return the keys of a property to filter; None for another property, or one that is not smoothed."""
    if tracks[0].property != name or Measure.of(tracks, spaces) is None:
        return None
    whole = together(tracks)
    if whole is None or whole.handles is not None or (whole.before, whole.after) != (Wrap.HOLD, Wrap.HOLD):
        return None
    axes = np.eye(3) if name == ROTATION else spaces.of(tracks[0].node)  # a radian is one in any world
    return _Series(tracks, whole, _steps(clip, whole), float(np.sqrt((axes * axes).sum() / 3.0)))


def _steps(clip: Clip, track: Track) -> Array:
    """Return (n,) seconds since the key before; 0 where the filter begins anew."""
    times = track.times.astype(np.float64)
    steps = np.diff(times, prepend=times[:1])
    steps[1:][(track.interpolation[:-1] == CONSTANT) | (steps[1:] > _GAP)] = 0.0
    node = clip.node(track.node)
    for seen in clip.tracks if node is not None and node.seen_by is not None else ():
        if node is not None and (seen.node, seen.property) == node.seen_by:
            count = np.searchsorted(seen.times[1:][np.diff(seen.values[0] > 0.5)], times, side="right")
            steps[1:][np.diff(count) > 0] = 0.0
    return steps


def _batches(series: Sequence[_Series]) -> Iterator[list[_Series]]:
    """Yield series of similar lengths together, the longest first: side by side these leave little room empty."""
    batch: list[_Series] = []
    for one in sorted(series, key=lambda one: -len(one.steps)):
        if batch and 2 * len(one.steps) < len(batch[0].steps):
            yield batch
            batch = []
        batch.append(one)
    if batch:
        yield batch


def _filtered(series: Sequence[_Series], least: float, gain: float) -> Iterator[tuple[_Series, Array]]:
    """Yield each series with its filtered values (components, n) float64; the longest series comes first."""
    turns = series[0].whole.property == ROTATION
    values = _side_by_side([normalise(one.whole.values) if turns else one.whole.values for one in series])
    steps = _side_by_side([one.steps[None] for one in series])[:, 0]
    sizes = np.array([one.size * gain for one in series])
    speed = np.zeros((3 if turns else values.shape[1], len(series)))
    lengths = np.array([len(one.steps) for one in series])
    running = np.searchsorted(-lengths, -np.arange(len(values)), side="left")
    for key in range(1, len(values)):
        some = slice(0, running[key])
        before, new, step = values[key - 1, :, some], values[key, :, some], steps[key, some]
        new = new * np.where(dot(before, new) < 0, -1.0, 1.0) if turns else new
        change = 2.0 * multiply(conjugate(before), new)[1:] if turns else new - before
        fresh = step <= 0
        rate = change / np.where(fresh, 1.0, step)
        speed[:, some] = np.where(fresh, 0.0, speed[:, some] + _weight(_SPEED_CUTOFF, step) * (rate - speed[:, some]))
        fast = np.sqrt((speed[:, some] * speed[:, some]).sum(axis=0)) * sizes[some]
        mixed = before + np.where(fresh, 1.0, _weight(least + fast, step)) * (new - before)
        values[key, :, some] = np.where(fresh, new, normalise(mixed) if turns else mixed)
    for number, one in enumerate(series):
        yield one, values[: len(one.steps), : len(one.whole.values), number].T


def _side_by_side(blocks: Sequence[Array]) -> Array:
    """Return (keys, components, blocks) float64 of blocks (components, n), zeros where one has no more of either."""
    keys, components = max(block.shape[1] for block in blocks), max(len(block) for block in blocks)
    result = np.zeros((keys, components, len(blocks)))
    for number, block in enumerate(blocks):
        result[: block.shape[1], : len(block), number] = block.T
    return result


def _weight(cutoff: float | Array, step: Array) -> Array:
    """Return (m,) the share of a new value in a low-pass filter of this cutoff in hertz, after a step in seconds."""
    turned = 2.0 * np.pi * cutoff * step
    return turned / (turned + 1.0)


# Fewer keys: those that straight lines between the others do not need, all components of a property together.
#
# Steps, curves with handles, first and last keys, and so what repeats, stay as they are. Errors are measured against
# the keys of the file, between them too.

_ROUNDING = 1.0 + 1e-9
"""By which an error measured in two ways may differ."""


def thin(clip: Clip, most: Off) -> tuple[Clip, Off]:
    """Return the clip with fewer keys of locations, rotations and scales, and how far off these are, at most as far as
    `most` as Blender plays them; the clip itself where none can go."""
    spaces = Spaces(clip)
    replaced: dict[int, Track] = {}
    reached = Off()
    for tracks in transforms(clip):
        measure = Measure.of(tracks, spaces)
        if measure is not None:
            fewer, error = _fewer(tracks, measure, measure.allowed(most))
            replaced.update(zip(map(id, tracks), fewer, strict=True))
            reached = reached.worst(measure.off(error))
    thinner = _with_tracks(clip, replaced)
    return (thinner if thinner.key_count < clip.key_count else clip), reached


def _fewer(tracks: list[Track], measure: Measure, allowed: float) -> tuple[list[Track], float]:
    """Return the tracks of a property with fewer keys, which they share, and their error; as they are where none go."""
    whole = together(tracks)
    if whole is None:
        return tracks, 0.0
    steps = whole.interpolation != LINEAR
    keep = lines(whole.times, measure.seen(whole.values), allowed, measure.distance, steps=steps)
    fewer, times = _taken(whole, tracks, keep), probes(tracks)
    errors = measure.between(tracks, fewer, times)
    far = errors > allowed * _ROUNDING
    if far.any():
        # turns follow no straight line between keys; where one leaves its limit there, all keys of that piece stay
        piece = np.cumsum(keep) - 1
        bad = np.searchsorted(whole.times, times[far], side="right") - 1
        fewer = _taken(whole, tracks, keep | np.isin(piece, piece[bad]))
        errors = measure.between(tracks, fewer, times)
    if sum(track.size for track in fewer) >= sum(track.size for track in tracks):
        return tracks, 0.0
    return fewer, float(errors.max(initial=0.0))


def _taken(whole: Track, tracks: Sequence[Track], keep: Array) -> list[Track]:
    """Return the tracks that were united with the keys (n,) of the whole that are kept, none of which is inserted."""
    if same_keys(tracks):
        return [replace(track.take(keep), inserted=None) for track in tracks]
    return divided(replace(whole.take(keep), inserted=None), tracks)


# Keys on whole frames of a scene: what plays on each of them, as keys of their own.

_FARTHEST = 2.0**53
"""Frame beyond which float64 has no whole numbers side by side; so many keys are refused anyway."""


class SceneFrames(NamedTuple):
    """How seconds become frames in a scene, whose frame 0 is second 0."""

    rate: float

    def of(self, times: Array) -> Array:
        """Return times (n,) in seconds as frames (n,) float64, on a whole one where only rounding keeps them off."""
        with np.errstate(over="ignore", invalid="ignore"):
            frames = times.astype(np.float64) * self.rate
            whole = np.rint(frames)
            return np.where(np.abs(frames - whole) <= ON_FRAME, whole, frames)

    def seconds(self, frames: Array) -> Array:
        """Return frames (n,) as seconds (n,) float64."""
        return frames / self.rate

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
    for tracks in properties(clip):
        repeating = [track for track in tracks if (track.before, track.after) != (Wrap.HOLD, Wrap.HOLD)]
        may_move = all(frames.are_whole(track.times[[0, -1]]) for track in repeating)  # else they lose their period
        if not may_move or all(frames.are_whole(track.times) for track in tracks):
            continue
        measure = Measure.of(tracks, spaces) if tracks[0].kind is TrackKind.TRANSFORM else None
        moved = _moved(tracks, frames, turns=measure is not None and measure.property == ROTATION)
        replaced.update(zip(map(id, tracks), moved, strict=True))
        if measure is not None:
            off = off.worst(measure.off(float(measure.between(tracks, moved, probes(tracks)).max(initial=0.0))))
    return (_with_tracks(clip, replaced) if replaced else clip), off


def _moved(tracks: Sequence[Track], frames: SceneFrames, *, turns: bool) -> list[Track]:
    """Return a property's tracks with keys on all frames from its first to its last key; what repeats, on its own."""
    near = [replace(track, times=frames.seconds(frames.of(track.times))) for track in tracks]
    first = min(float(track.times[0]) for track in near)
    times = frames.between(*frames.of(np.array([first, max(float(track.times[-1]) for track in near)])).tolist())
    values = np.concatenate([evaluate(track, times, ends=True) for track in near])
    if turns and repeat_alike(near):
        # keys that lie on a frame keep their own numbers
        keyed = np.isin(times, np.concatenate([track.times for track in near]))
        values = np.where(keyed, values, normalise(values))
    held = _held(near, times)
    shapes = np.where(held, CONSTANT, LINEAR)
    moved = []
    for track, rows in zip(near, by_track(values, tracks), strict=True):
        # without keys that repeat the value which is held already, but for the last one
        again = held[:-1] & (rows[:, 1:] == rows[:, :-1]).all(axis=0)
        ends = times if (track.before, track.after) == (Wrap.HOLD, Wrap.HOLD) else track.times
        own = np.flatnonzero((times >= ends[0]) & (times <= ends[-1]))
        keep = own[np.isin(own, own[[0, -1]]) | ~np.append(False, again & held[1:])[own]]
        moved.append(track.redrawn(times, rows, shapes).take(keep))
    return moved


def _held(tracks: Sequence[Track], times: Array) -> Array:
    """Return (n,) which frames are held until the next: nothing but steps lies between them."""
    held = np.ones(len(times), dtype=bool)
    for track in tracks:
        moving = np.append(0, np.cumsum(np.append(track.interpolation[:-1] != CONSTANT, False)))
        begin = np.maximum(np.searchsorted(track.times, times, side="right") - 1, 0)
        end = np.searchsorted(track.times, np.append(times[1:], times[-1:]), side="left")
        held &= moving[np.maximum(end, begin)] == moving[begin]
    return held


# Clips that are played in a loop: the end of one that nearly ends as it begins.

_SINGLE = 4.0 * float(np.finfo(np.float32).eps)
"""Part of its size by which rounding may move a number, to here and back."""


def closed(clip: Clip, options: ImportOptions, report: Report) -> Clip:
    """Return the clip as a cyclic one, its last pose moved onto the first where that is near enough."""
    most = Off(options.seam_location / 1000.0, math.radians(options.seam_rotation))
    spaces, replaced = Spaces(clip), dict[int, Track]()
    channels, moved, names, open_ = 0, Off(), dict[str, None](), Off()
    for tracks in transforms(clip):
        measure = Measure.of(tracks, spaces)
        apart = math.nan if measure is None else apart_at_ends(tracks, measure)
        if measure is None or math.isnan(apart):  # keys that are no numbers are left out, wherever they are
            continue
        ends = np.concatenate([track.values[:, [0, -1]] for track in tracks])
        size = 1.0 if measure.property == ROTATION else float(np.abs(measure.seen(ends)).max())
        if apart <= _SINGLE * size:  # what only rounding holds open is closed
            continue
        if apart <= measure.allowed(most):
            channels, moved = channels + 1, moved.worst(measure.off(apart))
            # the first value at the last key, of a quaternion with that one's sign; angles keep their rounds
            sign = -1.0 if measure.property == ROTATION and float(ends.prod(axis=1).sum()) < 0 else 1.0
            result = [replace(track, values=track.values.copy()) for track in tracks]
            for track in result:
                first, last = track.values[:, 0], track.values[:, -1]
                rounds = np.rint((last - first) / (2.0 * np.pi)) if track.property == EULER else 0.0
                track.values[:, -1] = first * sign + 2.0 * np.pi * rounds
            replaced.update(zip(map(id, tracks), result, strict=True))
        else:
            names[tracks[0].node], open_ = None, open_.worst(measure.off(apart))
    if channels:
        report.note(messages.SEAM_CLOSED, channels=channels, **moved.as_values())
    if names:
        report.warn(messages.SEAM_OPEN, names=first_names(list(names)), **open_.as_values())
    return replace(_with_tracks(clip, replaced), cyclic=True)
