"""A cut part plays what the whole played there, shifted; repeats are written out."""

from __future__ import annotations

import numpy as np
import pytest

from io_formats.clip import Clip, Handles, Interpolation, KeyMatch, Track, Wrap, curve
from io_formats.clip.edit import looped, one_after_another, shifted, trim, trim_track
from io_formats.clip.whole_frames import Frames, on_frames


def track_of(shape: Interpolation, wrap: Wrap = Wrap.HOLD, keys: int = 9) -> Track:
    random = np.random.default_rng(int(shape) * 10 + int(wrap))
    times = np.cumsum(random.uniform(0.05, 0.4, keys))
    values = random.normal(size=(2, keys))
    values[0, -1] = values[0, 0]  # one goes on where a round begins anew
    reach = random.uniform(0.1, 0.9, (keys, 2)) * 0.05 * np.array([-1.0, 1.0])
    rise = random.normal(size=(2, keys, 2))
    shapes = np.full(keys, shape, np.uint8)
    after = {Wrap.REPEAT: Wrap.MIRROR, Wrap.MIRROR: Wrap.REPEAT}.get(wrap, wrap)
    return Track("a", "p", times, values, shapes, handles=Handles(reach, rise), before=wrap, after=after)


def test_on_the_frames_of_a_file_a_curve_plays_what_it_did_in_seconds() -> None:
    track, at = track_of(Interpolation.BEZIER), np.arange(40.0)
    found = curve.evaluate(on_frames(track, Frames(40, 24, pace=23.976)), at)
    np.testing.assert_allclose(found, curve.evaluate(track, at / 23.976), atol=1e-9)


def test_what_begins_before_its_first_key_is_held_until_there() -> None:
    begun = Track("a", "p", np.array([0.0, 1.0]), np.zeros((1, 2)), np.ones(2, np.uint8))
    bent = Handles(np.array([[-0.5, 0.5]] * 2), np.array([[[-3.0, 3.0]] * 2]))
    later = Track.sampled("a", "p", np.array([2.0, 3.0]), np.array([[5.0, 6.0]]), np.uint8(2), handles=bent)
    whole = one_after_another([begun, later], [0.0, 1.0])
    assert curve.evaluate(whole, np.array([0.5, 1.3, 1.9, 3.0]))[0].tolist() == [0.0, 5.0, 5.0, 6.0]


def test_a_range_that_ends_with_a_round_ends_with_its_last_key() -> None:
    """However its time is rounded: what holds the end afterwards would hold the beginning of the next round."""
    track = Track("a", "p", np.array([0.0, 2 / 60]), np.array([[0.0, 4.0]]), np.ones(2, np.uint8), after=Wrap.REPEAT)
    for rounds in range(1, 30):
        for last in (rounds * (2 / 60), rounds * (2 / 60) * (1 + 1e-15), rounds / 30):
            assert trim_track(track, 0.0, last).values[0, -1] == pytest.approx(4.0)


def test_keys_inside_keep_their_relation() -> None:
    track = track_of(Interpolation.LINEAR)
    assert trim(Clip("", 1.0, tracks=[track]), 0.5, 9.0).duration == 8.5
    assert shifted(shifted(Clip("", 1.0), 0.5), 2.0).retiming == (1.0, 2.5)
    bent = track_of(Interpolation.BEZIER)
    (held,) = looped(Clip("", 5.0, tracks=[bent]), 10.0).tracks
    moments = np.linspace(bent.times[-1], 4.9, 9)
    assert np.abs(curve.evaluate(held, moments) - bent.values[:, -1:]).max() < 1e-9, "as it is where it ends"
    track.match = KeyMatch.whole(9)
    first, last = float(track.times[2]) + 0.01, float(track.times[6])
    cut = trim_track(track, first, last)
    assert cut.match is not None
    assert cut.match.keys.tolist() == [-1, 3, 4, 5, 6]
    assert cut.match.same_value.tolist() == [False, True, True, True, True]
    assert cut.match.same_left.tolist() == [False, False, True, True, True]
    assert not cut.match.same_time.any() and not cut.match.unchanged
    assert track.redrawn(track.times, track.values).match is None


@pytest.mark.parametrize(
    ("keys", "expected"), [([0, 1, 2], [False, True, False]), ([0, 1], [False, False]), ([1, 2], [False, False])]
)
def test_what_is_found_again_was_inserted_only_between_the_same_keys(keys: list[int], expected: list[bool]) -> None:
    same = np.ones(len(keys), bool)
    match = KeyMatch(False, np.array(keys), same, same, same, same)
    assert match.still_inserted(np.array([False, True, False])).tolist() == expected
