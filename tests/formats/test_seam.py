"""Clips in a loop: which end as they begin, and what becomes of those that nearly do."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from io_formats.clip import CONSTANT, LOCATION, ROTATION, SCALE, Clip, Node, Track, TrackKind, ValueKind, Wrap
from io_formats.clip.measure import loops
from io_formats.clip.rework import closed
from io_formats.errors import Report
from io_formats.scene_options import ImportOptions

TIMES = np.linspace(0, 1, 5)


def one(*tracks: Track, size: float = 1.0) -> Clip:
    return Clip("", root=np.diag([size, size, size, 1.0]), nodes=[Node("arm"), Node("leg")], tracks=list(tracks))


def walk(end: float = 0.0, **fields: Any) -> Track:
    """A location along X that goes out and comes back to `end`."""
    rows = np.array([[0.0, 1.0, 2.0, 1.0, end], [0.0] * 5, [0.0] * 5])
    return Track.sampled("arm", LOCATION, TIMES, rows, **fields)


def turn(angle: float, sign: float = 1.0) -> Track:
    """A rotation about Z that goes out and comes back to an angle in degrees."""
    half = np.radians([0.0, 40.0, 80.0, 40.0, angle]) / 2
    rows = np.array([np.cos(half), 0 * half, 0 * half, np.sin(half)]) * [1, 1, 1, 1, sign]
    return Track.sampled("arm", ROTATION, TIMES, rows)


def test_a_clip_loops_that_ends_as_it_begins() -> None:
    assert loops(one(walk())) and loops(one(walk(), turn(0.0, -1.0)))
    assert loops(one(walk(0.00009), turn(0.05)))
    assert not loops(one(walk(0.00011))) and not loops(one(walk(), turn(0.06)))
    assert loops(one(walk(0.009), size=0.01)) and not loops(one(walk(0.009)))
    assert not loops(one(walk(), replace(turn(60.0), values=turn(60.0).values[:2])))
    uneven = Track.sampled("leg", SCALE, TIMES[:2], np.array([[1.0, 1.01]] * 3))
    assert not loops(one(walk(), uneven))


def test_what_repeats_loops_whatever_its_ends_are() -> None:
    repeating = {"before": Wrap.REPEAT, "after": Wrap.REPEAT}
    wheel = Track.sampled("arm", ROTATION, TIMES[:2], np.array([[1.0, 0.0], [0, 0], [0, 0], [0, 1.0]]), **repeating)
    assert loops(one(walk(0.5, **repeating))) and loops(one(wheel))
    assert not loops(one(walk(0.5, after=Wrap.REPEAT)))
    assert not loops(one(walk(0.5, **repeating), turn(3.0)))
    assert not loops(one(walk(0.5, before=Wrap.MIRROR, after=Wrap.MIRROR)))


def test_what_does_not_move_is_no_loop() -> None:
    still = Track.sampled("arm", LOCATION, TIMES, np.ones((3, 5)))
    switch = Track.sampled("arm", "on", TIMES, np.array([[1.0, 0, 1, 0, 1]]), CONSTANT, kind=TrackKind.CUSTOM)
    switch = replace(switch, value_kind=ValueKind.BOOL)
    assert not loops(one(still)) and not loops(one(still, switch)) and not loops(one()) and not loops(one(switch))
    assert not loops(one(Track.sampled("arm", LOCATION, TIMES[:1], np.ones((3, 1)))))
    assert not loops(one(Track.sampled("arm", LOCATION, TIMES, np.full((3, 5), np.nan))))


@settings(max_examples=60)
@given(
    st.lists(st.tuples(*[st.floats(-0.02, 0.02)] * 3), min_size=1, max_size=6),
    st.lists(st.floats(-5.0, 5.0), min_size=1, max_size=6),
    st.booleans(),
)
def test_ends_are_moved_onto_beginnings_that_are_near(gaps: Any, angles: list[float], flipped: bool) -> None:
    assume(all(abs(math.hypot(*gap) - 0.01) > 1e-9 for gap in gaps) and all(abs(abs(a) - 2.0) > 1e-9 for a in angles))
    tracks = []
    for number, gap in enumerate(gaps):
        values = np.random.default_rng(number).normal(size=(3, 4))
        values[:, 3] = values[:, 0] + np.array(gap)
        tracks.append(Track.sampled(f"p{number}", LOCATION, TIMES[:4], values))
    for number, angle in enumerate(angles):
        half = np.radians([10.0, 50.0, 10.0 + angle]) / 2
        rows = np.array([np.cos(half), np.sin(half), 0 * half, 0 * half]) * [1, 1, -1 if flipped else 1]
        tracks.append(Track.sampled(f"t{number}", ROTATION, TIMES[:3], rows))
    clip = Clip("", nodes=[Node(track.node) for track in tracks], tracks=tracks)
    report = Report()
    result = closed(clip, ImportOptions(cyclic="CLOSE", seam_location=10.0, seam_rotation=2.0), report)
    moved, left = 0, []
    for old, new in zip(tracks, result.tracks, strict=True):
        np.testing.assert_array_equal(new.values[:, :-1], old.values[:, :-1])
        sign = -1.0 if old.property == ROTATION and flipped else 1.0
        if old.property == LOCATION:
            near = math.dist(old.values[:, 0], old.values[:, -1]) <= 0.01
        else:
            near = abs(angles[int(old.node[1:])]) <= 2.0
        if near:
            np.testing.assert_allclose(new.values[:, -1], sign * new.values[:, 0], rtol=0, atol=1e-5)
            assert new is old or np.array_equal(new.values[:, -1], sign * new.values[:, 0])
            moved += int(old.property == LOCATION or abs(angles[int(old.node[1:])]) > 1e-4)
        else:
            assert new is old
            left.append(old.node)
    assert len(report.warnings) == bool(left)
    assert sum(int(entry.values["channels"]) for entry in report.notes) >= moved - len(gaps)


def test_what_was_closed_and_what_was_not_is_told() -> None:
    near, far = walk(0.004), replace(walk(0.5), node="leg")
    report, options = Report(), ImportOptions(cyclic="CLOSE")
    clip = closed(one(near, turn(1.0), far, replace(walk(0.2), node="toe")), options, report)
    assert clip.cyclic
    (note,), (warning,) = report.notes, report.warnings
    assert note.values["channels"] == 2
    assert note.values["place"] == pytest.approx(4.0) and note.values["degrees"] == pytest.approx(1.0)
    assert warning.values["names"] == "leg, toe" and warning.values["place"] == pytest.approx(500.0)
    assert "made 2 locations, rotations and scales end as they begin; their last keys moved by" in str(note)
    closed(one(near), options, report)
    assert "made 1 location, rotation or scale end as it begins; its last key moved by" in str(report.notes[1])


@pytest.mark.parametrize("size", [1.0, 1000.0])
def test_an_end_that_only_rounding_keeps_from_its_beginning_stays_exact(size: float) -> None:
    """An export then still writes the file's own bytes."""
    place, rotation = walk(), turn(0.0)
    place.values[:] = place.values * size + size
    place.values[:, -1] = np.nextafter(place.values[:, 0].astype(np.float32), np.float32(np.inf))
    rotation.values[:, -1] = np.nextafter(rotation.values[:, 0].astype(np.float32), np.float32(2))
    clip, report = one(place, rotation), Report()
    result = closed(clip, ImportOptions(cyclic="CLOSE"), report)
    assert all(new is old for new, old in zip(result.tracks, clip.tracks, strict=True)) and not report.notes


def test_an_end_that_is_no_number_is_not_told_as_far_off() -> None:
    """The key is left out where it is written."""
    track, report = walk(), Report()
    track.values[:, -1] = np.nan
    closed(one(track), ImportOptions(cyclic="CLOSE"), report)
    assert not report.warnings and not report.notes
