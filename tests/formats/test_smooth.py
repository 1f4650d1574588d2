"""The 1-euro filter against the paper's algorithm, one number after the other, and against what it has to do."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import accumulate
from typing import Any

import numpy as np
import pytest

from io_formats.clip import (
    BEZIER,
    CONSTANT,
    LOCATION,
    ROTATION,
    SCALE,
    Clip,
    Handles,
    Node,
    Track,
    TrackKind,
    ValueKind,
    Wrap,
)
from io_formats.clip.rework import smooth
from io_formats.options import ReadOptions

USUAL = ReadOptions(smooth_cutoff=1.0, smooth_speed=20.0, smooth_turning=2.0)
Array = np.ndarray[Any, Any]


class LowPass:
    """Algorithm 1 of the paper, its class LowPassFilter."""

    def __init__(self) -> None:
        self.last: Any = None

    def filter(self, value: Any, alpha: float) -> Any:
        self.last = value if self.last is None else alpha * value + (1 - alpha) * self.last
        return self.last


def alpha_of(cutoff: float, period: float) -> float:
    tau = 1 / (2 * math.pi * cutoff)
    return 1 / (1 + tau / period)


def by_the_paper(times: Array, values: Array, least: float, gain: float) -> Array:
    """(3, n): the class OneEuroFilter, with one cutoff for the speed of all components."""
    place, speed, result = LowPass(), LowPass(), []
    for number, value in enumerate(values.T):
        period = float(times[number] - times[number - 1]) if number else 1.0
        change = np.zeros(3) if place.last is None else (value - place.last) / period
        cutoff = least + gain * float(np.linalg.norm(speed.filter(change, alpha_of(1.0, period))))
        result.append(place.filter(value, alpha_of(cutoff, period)))
    return np.array(result).T


def one(*tracks: Track, size: float = 1.0, **of_node: Any) -> Clip:
    return Clip("", root=np.diag([size, size, size, 1.0]), nodes=[Node("arm", **of_node)], tracks=list(tracks))


def multiplied(p: Array, q: Array) -> Array:
    """Hamilton's product of quaternions w, x, y, z."""
    return np.append(p[0] * q[0] - p[1:] @ q[1:], p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:]))


def way(p: Array, q: Array) -> Array:
    """The rotation vector from one quaternion to another, of any lengths and signs: below half a turn."""
    step = multiplied(p * (1, -1, -1, -1), q)
    size = float(np.linalg.norm(step[1:]))
    return step[1:] * 2 * math.atan2(size, abs(step[0])) * math.copysign(1, step[0]) / max(size, 1e-300)


def turned(q: Array, vector: Array) -> Array:
    """A quaternion after a turn by a rotation vector."""
    half = float(np.linalg.norm(vector)) / 2
    return multiplied(q, np.append(math.cos(half), vector * np.sinc(half / math.pi) / 2))


def turns_by_the_paper(times: Array, turns: Array, least: float, gain: float) -> list[Array]:
    """The same on quaternions (n, 4), along great arcs."""
    speed, last, result = LowPass(), turns[0], [turns[0]]
    speed.filter(np.zeros(3), 1.0)
    for period, turn in zip(np.diff(times).tolist(), turns[1:], strict=True):
        change = way(last, turn)
        cutoff = least + gain * float(np.linalg.norm(speed.filter(change / period, alpha_of(1.0, period))))
        last = turned(last, alpha_of(cutoff, period) * change)
        result.append(last)
    return result


@pytest.mark.parametrize("seed", range(4))
def test_rotations_are_filtered_along_the_way_they_turn(seed: int) -> None:
    """Signs of quaternions change nothing, and neither do their lengths."""
    rng = np.random.default_rng(seed)
    times = np.cumsum(rng.uniform(0.01, 0.02, 200)) + np.repeat([0.0, 2.0], [60, 140])  # not seen for a while
    steps = rng.normal(0, 0.02, (200, 3)) + np.array([0.01, 0.004, 0.0])
    values = np.array([*accumulate(steps, turned, initial=np.eye(4)[0])][1:]).T
    given = values * rng.choice([-1.0, 1.0], 200) * rng.uniform(0.9, 1.1, 200)
    still = Track.sampled("hand", ROTATION, times, np.eye(4, 1) * np.ones(200))
    result, off = smooth(one(Track.sampled("arm", ROTATION, times, given), still), USUAL)
    found = result.tracks[0].values
    assert (np.sum(found[:, 1:] * found[:, :-1], axis=0) > 0).all()
    parts = slice(60), slice(60, 200)
    expected = [turn for part in parts for turn in turns_by_the_paper(times[part], values.T[part], 1.0, 2.0)]
    assert max(np.linalg.norm(way(one, other)) for one, other in zip(found.T, expected, strict=True)) < 2e-4
    changed = max(np.linalg.norm(way(one, other)) for one, other in zip(found.T, values.T, strict=True))
    assert off.turn == pytest.approx(changed, rel=1e-6) and off.place == 0.0


@pytest.mark.parametrize("size", [1.0, 0.01])
def test_joints_are_filtered_as_in_the_paper_each_by_its_times(size: float) -> None:
    rng = np.random.default_rng(2)
    tracks, alone, far = [], [], []
    for count in (5, 40, 17, 1, 40):
        times = np.cumsum(rng.uniform(0.01, 0.05, count))
        track = Track.sampled(f"bone{len(tracks)}", LOCATION, times, np.cumsum(rng.normal(0, 0.01, (3, count)), axis=1))
        tracks.append(track)
        alone.append(by_the_paper(times, track.values, 1.0, 20.0 * size))
        far.append(size * np.linalg.norm(alone[-1] - track.values, axis=0).max())
    result, off = smooth(replace(one(*tracks, size=size), nodes=[Node(track.node) for track in tracks]), USUAL)
    for track, old, expected in zip(result.tracks, tracks, alone, strict=True):
        np.testing.assert_allclose(track.values, expected, atol=1e-12)
        assert track.times is old.times
    assert off.place == pytest.approx(max(far), abs=1e-9) and off.turn == 0.0


@pytest.mark.parametrize("kind", ["switch", "pause", "step"])
def test_nothing_is_filtered_across_a_gap(kind: str) -> None:
    """After the gap a joint begins where it was recorded, however far from where it was lost."""
    times = np.arange(20) / 60.0
    values = np.zeros((3, 20))
    values[:, 10:] = 1.0
    values[0] += np.sin(np.arange(20))
    moments, shown = np.array([0.0, 5.5, 9.3, 10.0]) / 60.0, np.array([[1.0, 1.0, 0.0, 1.0]])
    switch = Track.sampled("arm", "tracked", moments, shown, CONSTANT, value_kind=ValueKind.BOOL, kind=TrackKind.CUSTOM)
    track = Track.sampled("arm", LOCATION, times, values)
    if kind == "pause":
        track.times = times + np.where(np.arange(20) < 10, 0.0, 2.0)
    if kind == "step":
        track.interpolation[9] = CONSTANT
    clip = one(track, switch, seen_by=("arm", "tracked") if kind == "switch" else None)
    found = smooth(clip, USUAL)[0].tracks[0].values
    expected = [by_the_paper(track.times[part], values[:, part], 1.0, 20.0) for part in (slice(10), slice(10, 20))]
    np.testing.assert_allclose(found, np.concatenate(expected, axis=1), atol=1e-12)
    np.testing.assert_array_equal(found[:, [0, 10]], values[:, [0, 10]])


def test_drawn_curves_sizes_switches_and_what_repeats_or_rests_stay() -> None:
    times, wave = np.arange(9.0) / 30, np.sin(np.arange(27.0)).reshape(3, 9)
    handles = Handles(np.tile([-0.01, 0.01], (9, 1)), np.zeros((3, 9, 2)))
    drawn = Track.sampled("arm", LOCATION, times, wave, BEZIER, handles=handles)
    size = Track.sampled("arm", SCALE, times, wave)
    clip = one(drawn, size)
    assert smooth(clip, USUAL)[0] is clip
    for before, after in ((Wrap.HOLD, Wrap.REPEAT), (Wrap.MIRROR, Wrap.HOLD)):
        clip = one(Track.sampled("arm", LOCATION, times, wave, before=before, after=after))
        assert smooth(clip, USUAL)[0] is clip
    rest = Track.sampled("arm", LOCATION, times[:1], np.zeros((1, 1)), component=1, width=3)
    row = Track.sampled("arm", LOCATION, times, wave[:1], component=0, width=3)
    moved, same = smooth(one(row, rest), USUAL)[0].tracks
    assert same is rest and (moved.values != row.values).any()
