"""What can be done with tracks: every operation gives a new one and says what remains of the source's."""

from __future__ import annotations

import numpy as np

from io_formats.clip import BEZIER, CONSTANT, LINEAR, Handles, KeyMatch, Track, Wrap


def bent() -> Track:
    """Two components at 0, 1 and 3 seconds, all of whose keys are the source's."""
    every = np.ones(3, bool)
    return Track(
        "arm",
        "location",
        np.array([0.0, 1.0, 3.0], np.float32),
        np.array([[1.0, 2.0, 4.0], [0.0, -1.0, 5.0]], np.float32),
        np.array([BEZIER, LINEAR, CONSTANT]),
        component=1,
        width=3,
        handles=Handles(np.array([[-0.1, 0.2], [-0.3, 0.4], [-0.5, 0.6]]), np.arange(12.0).reshape(2, 3, 2)),
        after=Wrap.REPEAT,
        inserted=np.array([False, True, False]),
        match=KeyMatch(True, np.arange(3), every, every, every, every),
    )


def test_taken_keys_bring_all_that_is_theirs() -> None:
    track = bent()
    for keys in (np.array([0, 2]), np.array([True, False, True])):
        some = track.take(keys)
        assert some.times.tolist() == [0.0, 3.0] and some.values.tolist() == [[1.0, 4.0], [0.0, 5.0]]
        assert some.interpolation.tolist() == [BEZIER, CONSTANT] and some.after is Wrap.REPEAT
        assert some.handles is not None and some.handles.times.tolist() == [[-0.1, 0.2], [-0.5, 0.6]]
        assert some.handles.values[1].tolist() == [[6.0, 7.0], [10.0, 11.0]]
        assert some.inserted is not None and some.inserted.tolist() == [False, False]
        assert some.match is not None and some.match.keys.tolist() == [0, 2] and not some.match.unchanged


def test_shifted_keys_are_no_longer_the_sources_in_time() -> None:
    track = bent()
    later = track.shifted(0.25)
    assert track.shifted(0.0) is track
    assert later.times.tolist() == [0.25, 1.25, 3.25] and later.times.dtype == np.float64
    assert later.match is not None and not later.match.same_time.any() and later.match.same_value.all()
    assert later.handles is track.handles


def test_scaled_values_take_their_handles_along() -> None:
    track = bent()
    assert track.scaled(1.0) is track
    turned = track.scaled(-2.0, 1.0)
    assert turned.values.tolist() == [[-1.0, -3.0, -7.0], [1.0, 3.0, -9.0]] and turned.match is None
    assert turned.values.dtype == np.float32
    assert turned.handles is not None and turned.handles.values[0, 2].tolist() == [-8.0, -10.0]
    by_key = track.scaled(np.array([1.0, 0.5, -1.0]))
    assert by_key.values[0].tolist() == [1.0, 1.0, -4.0]
    assert by_key.handles is not None and by_key.handles.values[1].tolist() == [[6.0, 7.0], [4.0, 4.5], [-10.0, -11.0]]
