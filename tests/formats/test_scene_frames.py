"""Keys on whole frames of a scene: what plays there, one frame after the other."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from played_tracks import played

from io_formats.clip import (
    BEZIER,
    CONSTANT,
    LINEAR,
    LOCATION,
    ROTATION,
    Clip,
    Handles,
    Node,
    Track,
    TrackKind,
    ValueKind,
    Wrap,
)
from io_formats.clip.rework import Rework, SceneFrames, on_scene_frames
from io_formats.errors import FormatError, Report
from io_formats.files import memory
from io_formats.options import ReadOptions

Array = np.ndarray[Any, Any]


def one(*tracks: Track) -> Clip:
    return Clip("", nodes=[Node("arm")], tracks=list(tracks))


drawn_curve = st.integers(2, 25).flatmap(
    lambda count: st.tuples(
        st.lists(st.floats(0.003, 0.4), min_size=count, max_size=count),
        st.lists(st.tuples(*[st.floats(-1, 1)] * 3), min_size=count, max_size=count),
        st.lists(st.booleans(), min_size=count, max_size=count),
    )
)


@settings(max_examples=60)
@given(drawn_curve, st.sampled_from([24.0, 30 / 1.001, 60.0]), st.floats(-3.0, 7.0))
def test_each_frame_shows_what_the_curve_shows_there(drawn: Any, rate: float, start: float) -> None:
    gaps, steps, held = drawn
    times = np.cumsum(gaps)
    track = Track.sampled("arm", LOCATION, times, np.array(steps).T, np.where(held, CONSTANT, LINEAR))
    (moved,) = on_scene_frames(one(track), SceneFrames(rate, start))[0].tracks
    frames = moved.times * rate + start
    if moved is track:
        assert np.abs(frames - np.rint(frames)).max() <= 1e-3
        return
    assert np.abs(frames - np.rint(frames)).max() < 1e-9 * max(1.0, np.abs(frames).max())
    assert frames[0] == pytest.approx(math.floor(times[0] * rate + start + 1e-3))
    assert frames[-1] == pytest.approx(math.ceil(times[-1] * rate + start - 1e-3))
    for frame in range(round(frames[0]), round(frames[-1]) + 1):
        seconds = (frame - start) / rate
        near = [seconds + shift / rate for shift in (-1.1e-3, 0.0, 1.1e-3)]  # a key this near counts as on the frame
        for row in range(3):
            found = played(moved, row, seconds + 1e-9)
            asked = [played(track, row, moment) for moment in near]
            slack = 1e-6 + 0.02 * (max(asked) - min(asked))
            assert min(asked) - slack <= found <= max(asked) + slack


def test_a_switch_turns_on_the_first_frame_that_shows_it() -> None:
    times = np.array([0.0, 0.34, 0.36, 0.91])
    switch = Track.sampled(
        "arm", "on", times, np.array([[1.0, 0.0, 1.0, 0.0]]), CONSTANT, value_kind=ValueKind.BOOL, kind=TrackKind.CUSTOM
    )
    (moved,) = on_scene_frames(one(switch), SceneFrames(10.0, 100.0))[0].tracks
    assert (moved.times * 10).round(9).tolist() == [0.0, 10.0] and moved.values.tolist() == [[1.0, 0.0]]
    assert (moved.value_kind, moved.kind) == (ValueKind.BOOL, TrackKind.CUSTOM)
    (moved,) = on_scene_frames(one(switch), SceneFrames(50.0, 0.0))[0].tracks
    assert (moved.times * 50).round(9).tolist() == [0.0, 17.0, 18.0, 46.0]


def test_curves_are_sampled_and_errors_between_told() -> None:
    """A peak of 1 half way between two frames, both of which show half of it."""
    times = np.array([0.0, 0.5, 1.5, 2.0])
    track = Track.sampled("arm", LOCATION, times, np.array([[0.0, 1.0, 1.0, 0.0], [0.0] * 4, [0.0] * 4]))
    clip, off = on_scene_frames(one(track), SceneFrames(1.0, 0.0))
    assert clip.tracks[0].values[0].tolist() == [0.0, 1.0, 0.0]
    assert off.place == pytest.approx(0.5) and off.turn == 0.0
    handles = Handles(np.tile([-0.25, 0.25], (2, 1)), np.zeros((3, 2, 2)))
    eased = Track.sampled("arm", LOCATION, np.array([0.25, 1.75]), np.array([[0.0, 1.0]] * 3), BEZIER, handles=handles)
    clip, _ = on_scene_frames(one(eased), SceneFrames(1.0, 0.0))
    assert clip.tracks[0].values[0].tolist() == pytest.approx([0.0, 0.5, 1.0]) and clip.tracks[0].handles is None


def test_the_error_that_is_told_is_that_half_way_between_two_frames() -> None:
    """A parabola of height 1 over two frames is 1 / 4 off its line in the middle of each, and less beside it."""
    heights = np.tile([[-4 / 3, 4 / 3], [-4 / 3, 0.0], [0.0, 0.0]], (3, 1, 1))
    heights[1:] = 0.0
    handles = Handles(np.tile([-2 / 3, 2 / 3], (3, 1)), heights)
    handles.values[0, 1, 0] = 4 / 3
    times, shapes = np.array([0.0, 2.0, 2.5]), np.array([BEZIER, LINEAR, LINEAR])
    clip, off = on_scene_frames(
        one(Track.sampled("arm", LOCATION, times, np.zeros((3, 3)), shapes, handles=handles)), SceneFrames(1.0, 0.0)
    )
    assert clip.tracks[0].values[0].tolist() == pytest.approx([0.0, 1.0, 0.0, 0.0])
    assert off.place == pytest.approx(0.25)


def test_rotations_are_of_length_one() -> None:
    half = math.sqrt(0.5)
    track = Track.sampled("arm", ROTATION, np.array([0.5, 2.5]), np.array([[1, half], [0, half], [0, 0], [0, 0.0]]))
    (moved,) = on_scene_frames(one(track), SceneFrames(1.0, 0.0))[0].tracks
    assert moved.times.tolist() == [0.0, 1.0, 2.0, 3.0]
    assert np.linalg.norm(moved.values, axis=0).tolist() == pytest.approx([1.0] * 4)
    angles = np.degrees(2 * np.arctan2(moved.values[1], moved.values[0]))
    # a quarter and three quarters of the way on the chord of 90 degrees
    chord = [math.degrees(2 * math.atan2(part * half, 1 - part + part * half)) for part in (0.25, 0.75)]
    assert angles.tolist() == pytest.approx([0.0, *chord, 90.0])


def test_what_is_on_whole_frames_stays_as_it_is() -> None:
    """In float32 seconds too; sparse keys do not become dense ones."""
    times = (np.array([0, 7, 19, 200]) / 30).astype(np.float32)
    clip = one(Track.sampled("arm", LOCATION, times, np.zeros((3, 4), np.float32)))
    assert on_scene_frames(clip, SceneFrames(30.0, 5.0))[0] is clip
    assert on_scene_frames(clip, SceneFrames(30.0, 5.5))[0] is not clip


def test_a_repeat_keeps_its_length() -> None:
    values = np.array([[0.0, 1.0, 0.5]] * 3)
    odd = Track.sampled("arm", LOCATION, np.array([0.0, 0.55, 1.05]), values, after=Wrap.REPEAT)
    clip = one(odd)
    assert on_scene_frames(clip, SceneFrames(10.0, 0.0))[0] is clip
    odd.times[-1] = 1.0
    (moved,) = on_scene_frames(clip, SceneFrames(10.0, 0.0))[0].tracks
    assert moved.after is Wrap.REPEAT and len(moved.times) == 11 and moved.values[0, -1] == 0.5


def test_what_repeats_between_frames_is_counted() -> None:
    values = np.array([[0.0, 1.0, 0.5]] * 3)
    odd = Track.sampled("arm", LOCATION, np.array([0.0, 0.55, 1.05]), values, after=Wrap.REPEAT)
    rework, report = Rework(ReadOptions()), Report()
    rework.of(one(odd), SceneFrames(10.0, 0.0))
    rework.tell(report)
    (warning,) = report.warnings
    assert warning.values == {"curves": 3} and "in spite of Whole Frames" in warning.template


def test_keys_out_of_order_are_left_to_be_sorted() -> None:
    """Nothing can be told of what plays between them before that."""
    times, values = np.array([0.0, 0.95, 0.25, 0.55]), np.array([[0.0, 3.0, 1.0, 2.0]] * 3)
    clip = one(Track.sampled("arm", LOCATION, times, values))
    assert on_scene_frames(clip, SceneFrames(10.0, 0.0))[0] is clip
    assert Rework(ReadOptions(smooth=True, thin=True)).of(clip) is clip


@pytest.mark.parametrize("last", [1e9, 1e300, 1.7e308])
def test_more_frames_than_there_is_memory_for_are_refused(last: float) -> None:
    track = Track.sampled("arm", LOCATION, np.array([0.01, last]), np.zeros((3, 2)))
    with memory.limited(64), pytest.raises(FormatError):
        on_scene_frames(one(track), SceneFrames(60.0, 0.0))


def test_the_report_says_so_and_thinning_comes_after() -> None:
    times = np.cumsum(np.random.default_rng(1).uniform(0.01, 0.03, 300))
    wave = Track.sampled("arm", LOCATION, times, np.sin(times)[None] * np.ones((3, 1)))
    rework, report = Rework(ReadOptions(thin=True)), Report()
    clip = rework.of(one(wave), SceneFrames(30.0, 0.0))
    rework.tell(report)
    first, second = report.notes
    assert "Whole Frames" in first.template and first.values["place"] > 0 and "Fewer Keys kept" in second.template
    frames = clip.tracks[0].times * 30
    assert np.abs(frames - np.rint(frames)).max() < 1e-9 and len(frames) < 90
