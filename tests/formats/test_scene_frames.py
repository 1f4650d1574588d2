"""Keys on whole frames of a scene: what plays there, one frame after the other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from io_formats.clip import BEZIER, CONSTANT, LINEAR, LOCATION, Clip, Handles, Node, Track, Wrap
from io_formats.clip.rework import Rework, SceneFrames, on_scene_frames
from io_formats.errors import FormatError, Report
from io_formats.files import memory
from io_formats.options import ReadOptions


def one(*tracks: Track) -> Clip:
    return Clip("", nodes=[Node("arm")], tracks=list(tracks))


def test_curves_are_sampled_and_errors_between_told() -> None:
    """A peak of 1 half way between two frames, both of which show half of it."""
    times = np.array([0.0, 0.5, 1.5, 2.0])
    track = Track.sampled("arm", LOCATION, times, np.array([[0.0, 1.0, 1.0, 0.0], [0.0] * 4, [0.0] * 4]))
    clip, off = on_scene_frames(one(track, replace(track, node="hand", values=track.values / 2)), SceneFrames(1.0))
    assert clip.tracks[0].values[0].tolist() == [0.0, 1.0, 0.0]
    assert off.place == pytest.approx(0.5) and off.turn == 0.0
    handles = Handles(np.tile([-0.25, 0.25], (2, 1)), np.zeros((3, 2, 2)))
    eased = Track.sampled("arm", LOCATION, np.array([0.25, 1.75]), np.array([[0.0, 1.0]] * 3), BEZIER, handles=handles)
    late = Track.sampled("arm", LOCATION, np.array([0.0, 1.75]), np.array([[0.0, 1.75], [0.0] * 2, [0.0] * 2]))
    assert on_scene_frames(one(late), SceneFrames(1.0))[1].place == pytest.approx(1.75 - (1 + 0.75 * 0.75))
    first, *others = eased.rows()
    clip, _ = on_scene_frames(one(replace(first, times=np.array([0.0, 2.0])), *others), SceneFrames(1.0))
    for found in clip.tracks:
        assert found.values[0].tolist() == pytest.approx([0.0, 0.5, 1.0]) and found.handles is None


def test_the_error_that_is_told_is_that_half_way_between_two_frames() -> None:
    """A parabola of height 1 over two frames is 1 / 4 off its line in the middle of each, and less beside it."""
    heights = np.tile([[-4 / 3, 4 / 3], [-4 / 3, 0.0], [0.0, 0.0]], (3, 1, 1))
    heights[1:] = 0.0
    handles = Handles(np.tile([-2 / 3, 2 / 3], (3, 1)), heights)
    handles.values[0, 1, 0] = 4 / 3
    times, shapes = np.array([0.0, 2.0, 2.5]), np.array([BEZIER, LINEAR, LINEAR])
    bent = Track.sampled("arm", LOCATION, times, np.zeros((3, 3)), shapes, handles=handles)
    clip, off = on_scene_frames(one(bent), SceneFrames(1.0))
    assert clip.tracks[0].values[0].tolist() == pytest.approx([0.0, 1.0, 0.0, 0.0])
    assert off.place == pytest.approx(0.25)


def test_a_repeat_keeps_its_length() -> None:
    values = np.array([[0.0, 1.0, 0.5]] * 3)
    odd = Track.sampled("arm", LOCATION, np.array([0.0, 0.55, 1.0005]), values, after=Wrap.REPEAT)
    clip = one(odd)
    assert on_scene_frames(clip, SceneFrames(10.0))[0] is clip
    odd.times[-1] = 1.0
    (moved,) = on_scene_frames(clip, SceneFrames(10.0))[0].tracks
    assert moved.after is Wrap.REPEAT and len(moved.times) == 11 and moved.values[0, -1] == 0.5
    held = Track.sampled("arm", LOCATION, np.array([0.0, 0.55, 1.55]), values[:, [0, 1, 1]], CONSTANT)
    (moved,) = on_scene_frames(one(held), SceneFrames(10.0))[0].tracks
    assert moved.times.tolist() == pytest.approx([0.0, 0.6, 1.6])
    bent = replace(held, times=np.array([0.0, 0.6, 1.55]), interpolation=np.array([CONSTANT, LINEAR, LINEAR]))
    (moved,) = on_scene_frames(one(bent), SceneFrames(10.0))[0].tracks
    assert moved.times[:3].tolist() == pytest.approx([0.0, 0.6, 0.7])


def test_of_several_clips_the_worst_is_told_and_all_keys() -> None:
    told = []
    for sizes in ((1.0,), (1.0, 0.5)):
        rework, report = Rework(ReadOptions(smooth=True, thin=True, thin_location=1000.0)), Report()
        for size in sizes:
            bump = Track.sampled("arm", LOCATION, np.linspace(0.02, 0.4, 9), size * np.eye(3, 9, 3))
            (track,) = rework.of(one(bump), SceneFrames(10.0)).tracks
            np.testing.assert_allclose(track.times, [0.0, 0.4])
        rework.tell(report)
        told.append(report.notes)
    for alone, both in zip(*told, strict=True):
        assert alone.values["place"] == both.values["place"] != 0.0
    counts = [(notes[-1].values["total"], notes[-1].values["kept"]) for notes in told]
    assert counts == [(5, 2), (10, 4)]  # on frames 0 to 4, and at their ends


def test_what_repeats_between_frames_is_counted() -> None:
    values = np.array([[0.0, 1.0, 0.5]] * 3)
    odd = Track.sampled("arm", LOCATION, np.array([0.0, 0.55, 1.0005]), values, after=Wrap.REPEAT)
    rework, report = Rework(ReadOptions()), Report()
    for _ in range(2):
        rework.of(one(odd), SceneFrames(10.0))
    rework.tell(report)
    (warning,) = report.warnings
    assert warning.values == {"curves": 6} and "in spite of Whole Frames" in warning.template


def test_keys_out_of_order_are_left_to_be_sorted() -> None:
    """Nothing can be told of what plays between them before that."""
    times, values = np.array([0.0, 0.95, 0.25, 0.55]), np.array([[0.0, 3.0, 1.0, 2.0]] * 3)
    clip = one(Track.sampled("arm", LOCATION, times, values))
    assert on_scene_frames(clip, SceneFrames(10.0))[0] is clip
    assert Rework(ReadOptions(smooth=True, thin=True)).of(clip) is clip


@pytest.mark.parametrize("last", [1e9, 1e300, 1.7e308])
def test_more_frames_than_there_is_memory_for_are_refused(last: float) -> None:
    track = Track.sampled("arm", LOCATION, np.array([0.01, last]), np.zeros((3, 2)))
    with memory.limited(64), pytest.raises(FormatError):
        on_scene_frames(one(track), SceneFrames(60.0))
