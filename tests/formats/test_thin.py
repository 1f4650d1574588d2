"""Thinned keys: every moment stays within the limits, measured here one moment after the other."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import plain
import pytest

from io_formats.clip import (
    BEZIER,
    CONSTANT,
    LINEAR,
    LOCATION,
    ROTATION,
    SCALE,
    Clip,
    Handles,
    KeyMatch,
    Node,
    Track,
    TrackKind,
    ValueKind,
    Wrap,
)
from io_formats.clip.pose import Off
from io_formats.clip.rework import thin

PLACE, TURN = 0.001, math.radians(0.2)
MOST = Off(PLACE, TURN)
Array = np.ndarray[Any, Any]


def one(*tracks: Track, root: float = 1.0, rest: Array | None = None) -> Clip:
    node = Node("arm", rest=np.eye(4) if rest is None else rest)
    return Clip("", 1.0, root=np.diag([root, root, root, 1.0]), nodes=[node], tracks=list(tracks))


def test_distances_are_those_in_the_world() -> None:
    """A bump of 0.5 in a clip a hundredth as large is 5 mm; so it is below a rest as small."""
    times, bump = np.arange(3.0), np.array([[0.0, 0.5, 0.0], [0.0] * 3, [0.0] * 3])
    track = Track.sampled("arm", LOCATION, times, bump)
    for root, rest, limit in ((0.01, 1.0, 0.005), (1.0, 0.01, 0.005), (0.01, 10.0, 0.05)):
        clip = one(track, root=root, rest=np.diag([rest, rest, rest, 1.0]))
        assert thin(clip, Off(limit * 0.99))[0] is clip
        thinner, told = thin(clip, Off(limit * 1.01))
        assert len(thinner.tracks[0].times) == 2 and told.place == pytest.approx(limit)
    half = np.radians([0.0, 22.6, 0.0])
    turn = one(Track.sampled("arm", ROTATION, times, np.stack([np.cos(half), np.sin(half), 0 * half, 0 * half])))
    assert thin(turn, Off(turn=math.radians(45.0)))[0] is turn
    assert math.degrees(thin(turn, Off(turn=math.radians(45.3)))[1].turn) == pytest.approx(45.2)
    half = np.radians([0.0, 20.0, 40.0])  # a straight line between keys is 0.6 degrees off at a quarter of that
    turn = one(Track.sampled("arm", ROTATION, times, np.stack([np.cos(half), np.sin(half), 0 * half, 0 * half])))
    assert thin(turn, Off(turn=math.radians(0.4)))[0] is turn
    aside = track.but(values=bump[:1], component=1)
    assert thin(one(aside, rest=np.diag([1.0, 0.01, 1.0, 1.0])), Off(0.005 * 1.01))[1].place == pytest.approx(0.005)


def test_a_parent_that_grows_makes_errors_larger() -> None:
    times, bump = np.arange(3.0), np.array([[0.0, 0.001, 0.0], [0.0] * 3, [0.0] * 3])
    clip = one(*(Track.sampled(name, LOCATION, times, size * bump) for name, size in (("arm", 1.0), ("hand", 0.9))))
    clip.nodes = [Node("body"), Node("arm", "body"), Node("hand", "arm")]
    clip.tracks.append(Track.sampled("hand", SCALE, np.array([0.0, 2.0]), np.array([[1.0, 3.0]] * 3)))  # not its place
    thinner, told = thin(clip, Off(0.002))
    assert [len(track.times) for track in thinner.tracks] == [2, 2, 2] and told.place == pytest.approx(0.001)
    clip.tracks.append(Track.sampled("body", SCALE, np.array([0.0, 2.0]), np.array([[1.0, -3.0]] * 3)))
    assert thin(clip, Off(0.002))[0] is clip


def test_components_with_keys_of_their_own_share_them_afterwards() -> None:
    wave = np.linspace(0, 3, 91)
    tracks = [
        Track.sampled("arm", LOCATION, times, 0.2 * np.sin(times)[None], component=number, width=3)
        for number, times in enumerate((wave, wave[::2], wave[::3]))
    ]
    assert one(*tracks).key_count == 91  # moments with a key, as people count
    assert [track.component for track in thin(one(*tracks), MOST)[0].tracks] == [0, 1, 2]
    thinner, told = thin(one(*tracks), MOST)
    first = thinner.tracks[0]
    assert all(np.array_equal(track.times, first.times) for track in thinner.tracks) and len(first.times) < 31
    far = max(
        math.dist(*([plain.value(track, t)[0] for track in side] for side in (tracks, thinner.tracks)))
        for t in np.linspace(0, 3, 721)  # seven moments between each two keys, too
    )
    assert told.place == pytest.approx(far, abs=1e-9) and far <= PLACE


def test_steps_curves_switches_and_repeats_stay() -> None:
    times = np.arange(8.0)
    shapes = np.array([LINEAR, LINEAR, LINEAR, CONSTANT, LINEAR, LINEAR, BEZIER, LINEAR])
    values = np.stack([times * 0.1] * 3)
    handles = Handles(np.stack([np.full(8, -0.2), np.full(8, 0.2)], axis=1), np.zeros((3, 8, 2)))
    track = Track("arm", LOCATION, times, values, shapes, width=3, handles=handles, after=Wrap.MIRROR)
    held = Track.sampled("arm", LOCATION, times, values, CONSTANT)
    switch = Track.sampled(
        "arm", "tracked", times, np.ones((1, 8)), LINEAR, value_kind=ValueKind.BOOL, kind=TrackKind.CUSTOM
    )
    thinner, _ = thin(one(track, switch), MOST)
    new = thinner.tracks[0]
    assert new.times.tolist() == [0.0, 3.0, 4.0, 6.0, 7.0]
    assert new.interpolation.tolist() == [LINEAR, CONSTANT, LINEAR, BEZIER, LINEAR]
    assert new.after is Wrap.MIRROR and new.handles is not None and new.handles.times[3].tolist() == [-0.2, 0.2]
    assert thinner.tracks[1] is switch
    clip = one(held)
    assert thin(clip, MOST)[0] is clip


def test_an_inserted_key_without_its_neighbours_is_a_key_of_its_own() -> None:
    """Left out of an export as before, it would take its part of the motion along."""
    times = np.arange(6.0)
    values = np.array([[0.0, 1.0, 2.0, 3.0, 0.0, 0.0], [0.0] * 6, [0.0] * 6])
    inserted = np.array([False, False, False, True, False, False])
    track = Track.sampled("arm", LOCATION, times, values, inserted=inserted)
    new = thin(one(track), MOST)[0].tracks[0]
    assert new.times.tolist() == [0.0, 3.0, 4.0, 5.0] and new.inserted is None


@pytest.mark.parametrize(
    ("keys", "expected"), [([0, 1, 2], [False, True, False]), ([0, 1], [False, False]), ([1, 2], [False, False])]
)
def test_what_is_found_again_was_inserted_only_between_the_same_keys(keys: list[int], expected: list[bool]) -> None:
    same = np.ones(len(keys), bool)
    match = KeyMatch(False, np.array(keys), same, same, same, same)
    assert match.still_inserted(np.array([False, True, False])).tolist() == expected


def test_a_turn_without_all_its_parts_or_with_one_twice_is_left_alone() -> None:
    times = np.arange(5.0)
    parts = [Track.sampled("arm", ROTATION, times, np.zeros((1, 5)), component=part, width=4) for part in range(4)]
    parts[0].values[:] = 1.0
    assert len(thin(one(*parts), MOST)[0].tracks[0].times) == 2
    places = [Track.sampled("arm", LOCATION, times, np.zeros((1, 5)), component=part, width=3) for part in (0, 1, 1)]
    for odd in (parts[:3], parts[1:], places):
        clip = one(*odd)
        assert thin(clip, MOST)[0] is clip


def test_numbers_that_are_none_are_left_alone() -> None:
    track = Track.sampled("arm", LOCATION, np.arange(4.0), np.array([[0.0, np.nan, 0.0, 0.0]] * 3))
    clip = one(track)
    assert thin(clip, MOST)[0] is clip
