"""Smoother recordings: the 1-euro filter on locations and rotations.

G. Casiez, N. Roussel, D. Vogel: 1€ Filter, CHI 2012, algorithm 1: a low-pass filter whose cutoff grows with the speed,
so that what rests is calm and what moves fast does not lag. The speed of a joint is that of its components together.
Each value depends on the one before it in ways that no array operation knows, so there is a loop over the keys; in it
all joints are filtered at once, each by its own times.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from . import CONSTANT, LOCATION, ROTATION, Array, Clip, Track, Wrap, quaternion
from .measure import Off
from .transforms import Spaces, components_of, divided, together, transforms, with_tracks

_SPEED_CUTOFF = 1.0
"""Hertz of the low-pass filter for the speed, as the paper has it."""

_GAP = 1.0
"""Seconds without a key after which nothing is known of where a joint was."""


@dataclass(frozen=True)
class OneEuro:
    """How much is smoothed.

    Attributes:
        least: cutoff of what rests, in hertz; less is calmer.
        for_speed: how much higher the cutoff is for each unit of the world a second; more lags less.
        for_turning: the same for each radian a second.
    """

    least: float
    for_speed: float
    for_turning: float


@dataclass
class _Series:
    """The keys of one location or rotation.

    Attributes:
        tracks: in which they were.
        whole: all components.
        steps: (n,) seconds since the key before; 0 where the filter begins anew.
        size: of a unit of the values in the world.
    """

    tracks: list[Track]
    whole: Track
    steps: Array
    size: float = 1.0


def smooth(clip: Clip, how: OneEuro) -> tuple[Clip, Off]:
    """Return the clip with locations and rotations filtered, and how far keys moved at most.

    Curves with handles stay as they are, and so does what repeats, which would no longer end as it begins; steps, gaps
    and times in which a joint was not seen are not filtered across.
    """
    spaces = Spaces(clip)
    replaced: dict[int, Track] = {}
    moved = {LOCATION: 0.0, ROTATION: 0.0}
    for name, gain in ((LOCATION, how.for_speed), (ROTATION, how.for_turning)):
        series = [found for tracks in transforms(clip) if (found := _series(clip, tracks, name, spaces)) is not None]
        filtered = (pair for batch in _batches(series) for pair in _filtered(batch, how.least, gain))
        for one, values in filtered:
            moved[name] = max(moved[name], _change(one, values))
            values = _begun_as_recorded(one, values).astype(one.whole.values.dtype)
            smoother = replace(one.whole, values=values, inserted=None, match=None)
            replaced.update(zip(map(id, one.tracks), divided(smoother, one.tracks), strict=True))
    off = Off(moved[LOCATION], moved[ROTATION])
    return (clip if off == Off() else with_tracks(clip, replaced)), off


def _series(clip: Clip, tracks: list[Track], name: str, spaces: Spaces) -> _Series | None:
    """Return the keys of a property to filter; None for another property, or one that is not smoothed."""
    components = components_of(tracks)
    if tracks[0].property != name or not components or (name == ROTATION and components != [0, 1, 2, 3]):
        return None
    whole = together(tracks)
    if whole is None or whole.handles is not None or (whole.before, whole.after) != (Wrap.HOLD, Wrap.HOLD):
        return None
    axes = spaces.of(tracks[0].node)
    return _Series(tracks, whole, _steps(clip, whole), float(np.sqrt((axes * axes).sum() / 3.0)))


def _steps(clip: Clip, track: Track) -> Array:
    """Return (n,) seconds since the key before; 0 where the filter begins anew."""
    times = track.times.astype(np.float64)
    steps = np.diff(times, prepend=times[:1])
    steps[1:][(track.interpolation[:-1] == CONSTANT) | (steps[1:] > _GAP)] = 0.0
    node = clip.node(track.node)
    for seen in clip.tracks if node is not None and node.seen_by is not None else ():
        if node is not None and (seen.node, seen.property) == node.seen_by:
            changes = seen.times[1:][np.diff(seen.values[0] > 0.5)]
            count = np.searchsorted(changes, times, side="right")
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
    values = _side_by_side([quaternion.normalise(one.whole.values) if turns else one.whole.values for one in series])
    steps = _side_by_side([one.steps[None] for one in series])[:, 0]
    sizes = np.array([one.size * gain for one in series])
    speed = np.zeros((3 if turns else values.shape[1], len(series)))
    lengths = np.array([len(one.steps) for one in series])
    running = np.searchsorted(-lengths, -np.arange(len(values)), side="left")
    for key in range(1, len(values)):
        some = slice(0, running[key])
        before, new, step = values[key - 1, :, some], values[key, :, some], steps[key, some]
        new = new * np.where(quaternion.dot(before, new) < 0, -1.0, 1.0) if turns else new
        change = 2.0 * quaternion.multiply(quaternion.conjugate(before), new)[1:] if turns else new - before
        fresh = step <= 0
        rate = change / np.where(fresh, 1.0, step)
        speed[:, some] = np.where(fresh, 0.0, speed[:, some] + _weight(_SPEED_CUTOFF, step) * (rate - speed[:, some]))
        fast = np.sqrt((speed[:, some] * speed[:, some]).sum(axis=0)) * sizes[some]
        mixed = before + np.where(fresh, 1.0, _weight(least + fast, step)) * (new - before)
        values[key, :, some] = np.where(fresh, new, quaternion.normalise(mixed) if turns else mixed)
    for number, one in enumerate(series):
        yield one, values[: len(one.steps), : len(one.whole.values), number].T


def _begun_as_recorded(one: _Series, values: Array) -> Array:
    """Return filtered values (components, n) with the file's own numbers where the filter begins anew."""
    own = one.whole.values
    if one.whole.property == ROTATION:
        own = own * np.where(quaternion.dot(own, values) < 0, -1.0, 1.0)
    return np.where(one.steps <= 0, own, values)


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
    result: Array = turned / (turned + 1.0)
    return result


def _change(one: _Series, values: Array) -> float:
    """Return how far keys moved at most: in units of the world, or in radians."""
    if one.whole.property == ROTATION:
        return float(quaternion.angle(one.whole.values.astype(np.float64), values).max(initial=0.0))
    off = values - one.whole.values
    return float(np.sqrt((off * off).sum(axis=0)).max(initial=0.0)) * one.size
