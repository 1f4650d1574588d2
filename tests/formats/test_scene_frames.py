"""Keys on whole frames of a scene: what plays there, one frame after the other."""

from __future__ import annotations

import numpy as np
import pytest

from io_formats.clip import LOCATION, Clip, Node, Track, Wrap
from io_formats.clip.rework import Rework, SceneFrames, on_scene_frames
from io_formats.errors import FormatError, Report
from io_formats.files import memory
from io_formats.options import ReadOptions


def one(*tracks: Track) -> Clip:
    return Clip("", nodes=[Node("arm")], tracks=list(tracks))


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
