"""How far a file may be from what was shown, of figures of any size."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from io_formats.clip import Node, Track, Wrap
from io_formats.clip.measure import Promise, absent, allowed_of_value, offs, together


@pytest.mark.parametrize("size", [1.0, 0.02])
def test_a_tenth_of_a_percent_of_a_figure_is_too_far_however_small_it_is(size: float) -> None:
    """Three joints on one another; the topmost is off by a thousandth of the height: two and a half times the promise,
    as the height and the distance from the origin count."""
    seen = np.broadcast_to(np.eye(4), (2, 3, 4, 4)).copy()
    seen[:, :, 2, 3] = np.array([0.0, 0.5, 1.0]) * size
    played = seen.copy()
    played[1, 2, 0, 3] += 1e-3 * size
    every, moments = np.ones((2, 3), bool), np.array([0.0, 1.0])
    found = offs(seen, played, moments, Promise(), np.arange(3.0), counts=every, on_frames=every[:, 0])
    assert [each.times for each in found] == pytest.approx([0.0, 0.0, 2.5])
    assert found[2].moment == 1.0
    beside, alike = np.array([[0.0, 1.0], [100.0, 101.0]]), np.array([[100.0, 101.0]] * 2)
    assert allowed_of_value(beside) == allowed_of_value(alike), "each component has a spread of its own"
    tracks = [Track.sampled("a", "location", times, np.zeros((1, 2))) for times in (np.arange(2.0), 2 * np.arange(2.0))]
    assert together([tracks[0], replace(tracks[1], component=1, after=Wrap.REPEAT)]) is None, "each repeats for itself"
    nodes = [Node("a"), Node("b", "a"), Node("c", "b"), Node("d", "a")]
    assert absent(nodes, ["c"]) == {"d"}, "what carries what is there counts"
