"""Curves against plain scalar arithmetic, and against themselves."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from io_formats.clip import Array, Handles, Interpolation, Track, Wrap, curve, fit, keys
from io_formats.clip.fit import unite
from io_formats.clip.resample import straightened
from io_formats.errors import Report

CONSTANT, LINEAR, BEZIER = Interpolation.CONSTANT, Interpolation.LINEAR, Interpolation.BEZIER


def make(
    times: Any, values: Any, shapes: Any = LINEAR, handle_times: Any = None, handle_values: Any = None, **fields: Any
) -> Track:
    """A track from lists; one row of values makes one component."""
    block = np.atleast_2d(np.asarray(values, dtype=np.float64))
    interpolation = np.broadcast_to(np.asarray(shapes, dtype=np.uint8), (len(times),)).copy()
    handles = None
    if handle_times is not None:
        offsets = np.asarray(handle_values, dtype=np.float64).reshape(*block.shape, 2)
        handles = Handles(np.asarray(handle_times, dtype=np.float64), offsets)
    return Track(
        "node", "location", np.asarray(times, dtype=np.float64), block, interpolation, handles=handles,
        width=len(block), **fields,
    )  # fmt: skip


def test_the_last_key_plays_where_a_round_ends_however_its_time_is_rounded() -> None:
    """As Blender shows it on whole frames; a thirtieth of a second is no number of floats."""
    repeat = make([0, 13 / 30], [0, 4], after=Wrap.REPEAT)
    ends = np.arange(1, 40) * 13 / 30
    for times in (ends, ends + 1e-15, np.float32(ends)[:3].astype(np.float64)):
        np.testing.assert_allclose(curve.evaluate(repeat, times, ends=True)[0], 4.0, atol=1e-5)
    np.testing.assert_allclose(curve.evaluate(repeat, ends + 0.01, ends=True)[0], 0.01 * 120 / 13, atol=1e-5)
    assert curve.evaluate(repeat, ends[:1])[0] == 0.0  # elsewhere the next round has begun


def test_a_step_within_a_later_round_is_where_it_is_although_rounding_puts_the_moment_before_it() -> None:
    steps = make([0, 1 / 15, 8 / 15], [0, 1, 1], CONSTANT, after=Wrap.REPEAT)
    assert 9 / 15 % (8 / 15) < 1 / 15
    assert curve.evaluate(steps, np.array([8.5, 9, 9.5]) / 15)[0].tolist() == [0, 1, 1]


def test_what_uniting_costs_is_told_as_a_part_of_what_the_curves_reach() -> None:
    report, height, tolerance = Report(), 400.0, 1e-3
    # from 0 to 0 by way of three quarters of the handles' height, in the middle, where the second has a key
    bow = make([0, 2], [0, 0], BEZIER, [[0, 0.2], [-0.2, 0]], [[0, height], [height, 0]])
    line = make([0, 1, 2], [0, 0, 0], BEZIER, [[0, 0.7], [-0.7, 0.7], [-0.7, 0]], np.zeros((3, 2)))
    unite([line, bow], tolerance, report)
    (note,) = report.notes
    assert 0 < note.values["percent"] <= 100 * tolerance / (0.75 * height)


def test_linearise_needs_few_keys() -> None:
    """A parabola over [0, 1]: n equal pieces are off by 1 / (4 n^2), and samples are halvings."""
    parabola = make([0, 1], [0, 1], BEZIER, [[0, 1 / 3], [-1 / 3, 0]], [[[0, 0], [-2 / 3, 0]]])
    straight, _ = straightened(parabola, 1e-4)
    assert math.ceil(math.sqrt(1 / 4e-4)) == 50
    assert 51 <= len(straight.times) <= 53


def test_handles_of_which_rounding_left_nothing_keep_their_height() -> None:
    """Thirds of what is shorter than the rounding of its time to float32."""
    heights = np.array([[[0, 0.5], [-0.25, 0]]])
    track = make([9.0, 9.0 + 1e-6], [[0, 1]], BEZIER, [[0, 0], [0, 0]], heights)
    fitted, _, _ = fit.refit_thirds(track, 1e-4)
    assert fitted.handles is not None
    np.testing.assert_array_equal(fitted.handles.values, heights)
    np.testing.assert_allclose(fitted.handles.times, [[0, 1e-6 / 3], [-1e-6 / 3, 0]], rtol=1e-8)


def fewest_of_a_row(row: Array, tolerance: float) -> int:
    """The same for one component at even times: from each sample, all that lie within the cone of those before."""
    best = [1] + [len(row)] * (len(row) - 1)
    for first in range(len(row) - 1):
        low, high = -math.inf, math.inf
        for last in range(first + 1, len(row)):
            rise, run = float(row[last] - row[first]), last - first
            if low <= rise / run <= high:
                best[last] = min(best[last], best[first] + 1)
            low, high = max(low, (rise - tolerance) / run), min(high, (rise + tolerance) / run)
    return best[-1]


def test_reduction_of_long_rough_curves_is_nearly_the_fewest() -> None:
    """Lines that reach as far as they can need more in some stretches than a division at the worst samples does."""
    rng = np.random.default_rng(0)
    kept = least = 0
    for _ in range(40):
        row = np.cumsum(rng.normal(size=240))
        kept += int(keys.lines(np.arange(240.0), row[None], 0.5).sum())
        least += fewest_of_a_row(row, 0.5)
    assert kept <= 1.05 * least


def test_reduction_keeps_what_is_not_a_number_and_double_times() -> None:
    times = np.arange(6.0)
    values = np.array([[0, 0, math.nan, 0, 0, 0.0]])
    assert keys.lines(times, values, 1.0)[2]
    twice = np.array([0, 1, 2, 2, 3, 4.0])
    jump = np.array([[0, 0, 0, 9, 9, 9.0]])
    np.testing.assert_array_equal(np.flatnonzero(keys.lines(twice, jump, 1e-9)), [0, 2, 3, 5])
