"""Curves kept to limits, against the clipped values of the curve itself."""

from __future__ import annotations

import numpy as np
import pytest

from io_formats.clip import Handles, Interpolation, Track, curve
from io_formats.clip.clamping import clamped


def track_of(shape: Interpolation) -> Track:
    times = np.arange(6) / 3.0
    values = np.array([[0.2, 1.8, -0.7, 0.5, 0.5, 2.0]])
    offsets = np.array([[[-1.0, 2.0], [0.5, -1.5], [0.2, 3.0], [-2.0, -2.5], [1.5, 0.1], [0.0, 0.0]]])
    handles = np.tile([-0.2, 0.3], (6, 1))
    return Track("n", "p", times, values, np.full(6, shape, np.uint8), handles=Handles(handles, offsets))


@pytest.mark.parametrize("shape", list(Interpolation))
def test_what_is_beyond_stays_at_the_limit(shape: Interpolation) -> None:
    track = track_of(shape)
    kept = clamped(track, 0.0, 1.0)
    times = np.linspace(-0.1, 1.8, 4001)
    wanted = np.clip(curve.evaluate(track, times), 0.0, 1.0)
    assert np.abs(curve.evaluate(kept, times) - wanted).max() < 1e-3
    assert len(kept.times) < 40


def test_a_curve_within_its_limits_is_the_same_object() -> None:
    track = track_of(Interpolation.LINEAR)
    assert clamped(track, -10.0, 10.0) is track
    assert clamped(track, -np.inf, np.inf) is track
