"""Seconds to frames and back: exactness, slopes, and what never reaches Blender."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from io_formats.clip import Array, Handles, Interpolation, Track, messages
from io_formats.clip.fcurve_keys import KeyBlock, from_keys, shaping_sides, to_keys
from io_formats.errors import Report

CONSTANT, LINEAR, BEZIER = Interpolation.CONSTANT, Interpolation.LINEAR, Interpolation.BEZIER


def bezier(start: float, gap: float = 1 / 90, count: int = 40, components: int = 2) -> Track:
    """Keys close together and far from zero, with slopes of a few units a second and handles of different lengths."""
    rng = np.random.default_rng(11)
    times = start + np.arange(count) * gap
    reach = np.stack((-gap * rng.uniform(0.1, 1, count), gap * rng.uniform(0.1, 1, count)), axis=1)
    slopes = rng.uniform(-3, 3, (components, count, 1))
    values = rng.normal(size=(components, count))
    shapes = np.full(count, BEZIER, dtype=np.uint8)
    return Track("n", "location", times, values, shapes, 0, components, Handles(reach, slopes * reach))


def back(block: KeyBlock, rate: float, start_frame: float = 0.0) -> Track:
    return Track("n", "location", **from_keys(block, rate, start_frame))


@given(st.integers(1, 2**20), st.sampled_from([23.976, 24, 29.97, 30, 46.875, 60 / 1.001, 90, 1000 / 7]))
def test_whole_frames_land_on_whole_frames(frame: int, rate: float) -> None:
    track = Track("n", "p", np.array([frame / rate]), np.zeros((1, 1)), np.zeros(1, np.uint8))
    block = to_keys(track, rate)
    assert block.frames.dtype == np.float32
    assert block.frames[0] == frame
    assert to_keys(back(block, rate), rate).frames[0] == frame


@pytest.mark.parametrize("start", [0.0, 60.0, 3600.0])
def test_slopes_survive_far_from_zero(start: float) -> None:
    """Plain rounding would lose a tenth of the slope after an hour."""
    track = bezier(start)
    read = back(to_keys(track, 60), 60)
    assert track.handles is not None
    assert read.handles is not None
    sides = shaping_sides(track.interpolation)
    slopes = (track.handles.values / track.handles.times)[:, sides]
    with np.errstate(invalid="ignore", divide="ignore"):
        found = (read.handles.values / read.handles.times)[:, sides]
    known = np.isfinite(found) & (np.abs(read.handles.values[:, sides]) > 1e-3)
    assert known.sum() > 50
    # a handle's y is itself rounded to float32: half a unit in the last place of numbers up to 4
    assert np.abs((found - slopes) * read.handles.times[sides])[known].max() < 4e-7


def test_upright_handles_keep_their_height() -> None:
    track = bezier(0.0, count=3, components=1)
    assert track.handles is not None
    track.handles.times[:] = 0
    track.handles.values[:] = 2.5
    block = to_keys(track, 30)
    assert block.handles is not None
    np.testing.assert_array_equal(block.handles[0, 1, :, 0], block.frames[1].repeat(2))
    np.testing.assert_allclose(block.handles[0, 1, :, 1], track.values[0, 1] + 2.5, rtol=1e-6)


def test_idle_handles_lie_a_third_along_the_line() -> None:
    track = Track(
        "n", "p", np.array([0.0, 3.0, 6.0]), np.array([[0.0, 3.0, 9.0]]), np.array([1, 2, 0], np.uint8), 0, 1,
        Handles(np.array([[-9, 9], [-9, 1], [-1, 9.0]]), np.full((1, 3, 2), 0.5)),
    )  # fmt: skip
    block = to_keys(track, 1)
    assert block.handles is not None
    np.testing.assert_allclose(block.handles[0, 0, 1], [1, 1])
    np.testing.assert_allclose(block.handles[0, 1, 0], [2, 2])
    np.testing.assert_allclose(block.handles[0, 1, 1], [4, 3.5])
    np.testing.assert_allclose(block.handles[0, 2, 0], [5, 9.5])
    # beyond the ends a third of a frame, so that they are seen and shape nothing
    assert block.handles[0, [0, 2], [0, 1], 0].tolist() == pytest.approx([-1 / 3, 6 + 1 / 3])


def test_keys_that_are_no_numbers_are_dropped_and_told() -> None:
    times = np.array([0, 1, math.nan, 3, math.inf, 5])
    values = np.array([[0, math.nan, 2, 3, 4, -math.inf]])
    report = Report()
    block = to_keys(Track("n", "p", times, values, np.ones(6, np.uint8)), 10, report=report)
    assert block.frames.tolist() == [0, 30]
    assert block.values.tolist() == [[0, 3]]
    assert block.source is not None and block.source.tolist() == [0, 3]
    assert [(entry.template, entry.count) for entry in report.warnings] == [(messages.KEYS_NOT_FINITE, 4)]


def test_unsorted_keys_are_sorted_stably_and_told() -> None:
    report = Report()
    track = Track("n", "p", np.array([1.0, 0, 1, 0.5]), np.array([[1.0, 2, 3, 4]]), np.array([0, 1, 2, 1], np.uint8))
    block = to_keys(track, 1, report=report)
    assert block.frames.tolist() == [0, 0.5, 1, 1]
    assert block.values.tolist() == [[2, 4, 1, 3]]
    assert block.interpolation.tolist() == [1, 1, 0, 2]
    assert block.source is not None and block.source.tolist() == [1, 3, 0, 2]
    assert [entry.template for entry in report.warnings] == [messages.KEYS_SORTED]


def test_infinite_handles_make_a_step() -> None:
    track = bezier(0.0, count=4, components=1)
    assert track.handles is not None
    track.handles.values[0, 0, 1] = math.inf
    track.handles.times[3, 0] = math.nan
    track.handles.values[0, 0, 0] = math.nan
    report = Report()
    block = to_keys(track, 30, report=report)
    assert block.interpolation.tolist()[:3] == [CONSTANT, BEZIER, CONSTANT]
    assert block.handles is not None and np.isfinite(block.handles).all()
    assert [(entry.template, entry.count) for entry in report.warnings] == [(messages.HANDLES_NOT_FINITE, 2)]


def test_numbers_beyond_float32_are_limited_and_told() -> None:
    report = Report()
    handles = Handles(np.array([[0.0, 0.3], [-0.3, 0.0]]), np.full((2, 2, 2), 1e300))
    values = np.array([[1e300, -1e39], [1e300, 0.0]])
    block = to_keys(Track("n", "p", np.arange(2.0), values, np.full(2, BEZIER), handles=handles), 30, report=report)
    limit = np.finfo(np.float32).max
    assert block.values.tolist() == [[limit, -limit], [limit, 0.0]] and block.handles[1, 1, 0, 1] == limit
    assert [(entry.template, entry.count) for entry in report.warnings] == [(messages.VALUES_LIMITED, 3)]


def test_times_beyond_float32_are_dropped() -> None:
    track = Track("n", "p", np.array([0.0, 1e300]), np.zeros((1, 2)), np.ones(2, np.uint8))
    assert to_keys(track, 30).frames.tolist() == [0]


def test_empty_track() -> None:
    handles = Handles(np.zeros((0, 2)), np.zeros((3, 0, 2)))
    empty = Track.sampled("n", "p", np.zeros(0), np.zeros((3, 0)), np.uint8(0), handles=handles)
    block = to_keys(empty, 24)
    assert block.values.shape == (3, 0)
    assert back(block, 24).values.shape == (3, 0)


def all_finite(block: KeyBlock) -> bool:
    parts: list[Array] = [block.frames, block.values] + ([] if block.handles is None else [block.handles])
    return all(bool(np.isfinite(part).all()) for part in parts)


@given(st.integers(0, 2**32 - 1))
def test_any_bits_give_finite_sorted_keys(seed: int) -> None:
    """Random bit patterns as float32: infinities, NaN, denormals, huge numbers, in any order."""
    rng = np.random.default_rng(seed)

    def bits(*shape: int) -> Array:
        return rng.integers(0, 2**32, shape, dtype=np.uint32).view(np.float32)

    track = Track(
        "n", "p", bits(12), bits(1, 12), rng.integers(0, 3, 12).astype(np.uint8), 0, 1,
        Handles(bits(12, 2), bits(1, 12, 2)),
    )  # fmt: skip
    block = to_keys(track, 59.94, report=Report())
    assert all_finite(block)
    assert (np.diff(block.frames.astype(np.float64)) >= 0).all()
