"""The engine of keys, against curves of which it is known what they need."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from io_formats.clip import LINEAR, Track, keys
from io_formats.clip.curve import evaluate

TIMES = np.arange(241) / 60.0


def played(fitted: keys.Fitted, times: Any, values: Any, at: Any) -> Any:
    """What the keys play, by the oracle that Blender is held to: (components, m)."""
    track = Track.sampled("n", "p", times[fitted.kept], values[:, fitted.kept], fitted.shapes, handles=fitted.handles)
    return evaluate(track, at)


def test_rests_are_straight_and_corners_are_keys() -> None:
    """A strip that ends, a constraint that is switched on: what moves smoothly on both sides, and not across."""
    values = np.where(TIMES < 1, 0.0, np.where(TIMES < 3, (TIMES - 1) ** 3, 8.0))[None]
    (fitted,) = keys.cubics(TIMES, [values], [1e-3])
    assert len(fitted.kept) <= 6 and fitted.shapes[-2] == LINEAR
    assert any(abs(TIMES[key] - 3.0) < 0.02 for key in fitted.kept)
    at = np.linspace(0, 4, 4001)
    known = np.where(at < 1, 0.0, np.where(at < 3, (at - 1) ** 3, 8.0))
    assert np.abs(played(fitted, TIMES, values, at) - known).max() <= 1.5e-3


def test_a_jump_stays_as_steep_as_its_samples() -> None:
    values = np.where(TIMES < 2, 0.0, 1.0)[None]
    (fitted,) = keys.cubics(TIMES, [values], [1e-3])
    assert TIMES[fitted.kept].tolist() == pytest.approx([0.0, 2.0 - 1 / 60, 2.0, 4.0])
    (stepped,) = keys.cubics(TIMES, [values], [1e-3], steps=[np.append(np.diff(values[0]) > 0, False)])
    assert played(stepped, TIMES, values, np.array([2.0 - 1 / 6000, 2.0])).tolist() == [[0.0, 1.0]]
    (at_once,) = keys.cubics(np.array([0.0, 1.0, 1.0, 2.0]), [np.array([[0.0, 0.0, 0.1, 0.1]])], [1.0])
    assert at_once.kept.tolist() == [0, 1, 2, 3]
    kept, peak = np.array([True, True, False, False, True]), np.array([[0.0, 0.0, 0.0, 1.0, 0.0]])
    assert keys.off_lines(np.arange(5.0), peak, kept, keys.largest_difference, keys.straight) == 1.0


@pytest.mark.parametrize("tolerance", [1e-2, 1e-4])
def test_the_tolerance_is_met_between_the_samples_too(tolerance: float) -> None:
    """Sines, of which the exact value between two samples is known."""
    speeds = np.array([1.0, 2.7, 5.1])[:, None]
    values = np.sin(speeds * TIMES)
    (fitted,) = keys.cubics(TIMES, [values], [tolerance])
    at = np.linspace(0, 4, 4001)
    sagitta = (speeds.max() / 60) ** 2 / 8
    assert np.abs(played(fitted, TIMES, values, at) - np.sin(speeds * at)).max() <= tolerance + sagitta
    assert len(fitted.kept) <= (12 if tolerance == 1e-2 else 45)


@pytest.mark.parametrize(("last", "after"), [(3e-4, 1.0), (0.03, 0.4)])
def test_no_cubic_swings_out_beside_a_jump(last: float, after: float) -> None:
    """One that passes a jump and the next sample has room to swing between that and the one after it."""
    times = np.array([-1.0, 0.0, last, after, 2.0, 3.0])
    values = np.array([[0.1, 0.1, 0.0, 0.0, 0.0, 0.0]])
    values[0, 3:] = 0.006 * times[3:]
    (fitted,) = keys.cubics(times, [values], [1e-3])
    at = np.linspace(-1, 3, 4001)
    assert np.abs(played(fitted, times, values, at)).max() <= 0.11


@pytest.mark.parametrize("count", [1, 2, 3])
def test_few_samples_are_all_there_is(count: int) -> None:
    values = np.arange(3.0)[None, :count] ** 2
    (fitted,) = keys.cubics(TIMES[:count], [values], [1e-9])
    assert fitted.kept.tolist() == list(range(count)) and len(fitted.shapes) == count


@pytest.mark.parametrize(("tolerance", "limit"), [(0.0, 1.0), (1.0, 1.0), (2.0, 1.0), (1e-3, 1.0), (1e-3, math.inf)])
def test_what_no_tolerance_leaves_few_keys_of_ends(tolerance: float, limit: float) -> None:
    keep, reached = keys.at_most(1, lambda allowed: np.ones(9, dtype=bool), tolerance, limit)
    assert keep.all() and reached <= max(tolerance, limit)
