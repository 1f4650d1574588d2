"""Fewer keys than lines need, for what moves faster than anybody sees."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from io_formats.animx import layout, messages
from io_formats.animx.edited_keys import Request, Summary, build
from io_formats.clip import CONSTANT, Array, Handles, Interpolation, Track, curve
from io_formats.clip.resample import straightened
from io_formats.errors import Report
from io_formats.files.memory import limited


def block(times: Array, values: Array, shape: int = Interpolation.LINEAR) -> Track:
    return Track("node", "property", times, values[None], np.full(len(times), shape, np.uint8))


def test_lines_get_as_many_keys_as_are_allowed_and_the_error_is_no_less_than_it_is() -> None:
    times = np.linspace(0.0, 1.0, 2001)
    swing = block(times, np.sin(times * 60))
    found, error = straightened(swing, 1e-5, most=240)
    assert 100 < len(found.times) <= 240
    off = float(np.abs(curve.evaluate(found, times) - swing.values).max())
    assert off <= error < 0.02


def test_few_keys_and_all_steps_stay_and_a_hold_without_a_jump_is_a_line() -> None:
    times = np.linspace(0.0, 1.0, 1001)
    few, flicker = block(times[:200], np.sin(times[:200] * 300)), block(times, np.arange(1001) % 2.0, CONSTANT)
    assert straightened(few, 1e-5, most=240) == (few, 0.0)
    assert len(straightened(flicker, 1e-5, most=240)[0].times) == len(flicker.times)
    slow = block(times, times, CONSTANT)
    found, error = straightened(slow, 1e-5, most=240)
    assert len(found.times) <= 240
    assert np.abs(curve.evaluate(found, times) - slow.values).max() <= error < 0.01


def test_what_swings_many_times_between_two_frames_is_followed_no_finer_than_keys_may_be_written() -> None:
    """Else such curves are first cut into a hundred times as many lines, and long exports refused for that."""
    times = np.arange(24 * 10 * 16 + 1) / (24 * 16)
    handles = Handles(np.tile((-1 / 1152, 1 / 1152), (len(times), 1)), np.zeros((1, len(times), 2)))
    swing = replace(block(times, np.sin(times * 2400), Interpolation.BEZIER), handles=handles)
    report = Report()
    with limited(seconds=1):
        made = build([swing], Request(layout.IDS["float"], rate=24.0, name="B"), Summary(), report)
    assert made.key_count <= 24 * 12 * 10 + 16
    assert [warning.template for warning in report.warnings] == [messages.TOO_FAST]


def test_keys_that_nobody_misses_are_told_of_with_the_largest_error() -> None:
    times, summary, report, off = np.linspace(0.0, 2.0, 2001), Summary(), Report(), []
    for size, tolerance in ((1.0, 1e-5), (5.0, 2e-5), (0.0, 1e-7)):
        row = block(times, np.sin(times * 3) * size)
        rows = [row, row.but(values=row.values / 1000)]  # of which the larger one says what is noticed
        made = build(rows, Request(layout.IDS["float2"], tolerance=tolerance, rate=24.0), summary, report)
        off.append(np.abs(np.interp(times, made.key_times, made.numbers()[0]) - row.values[0]).max() / (2 * size or 1))
    summary.tell(report)
    (note,) = report.notes
    assert (note.template, note.values["properties"], report.warnings) == (messages.THINNED, 3, [])
    assert 0 < 100 * max(off) <= float(str(note.values["percent"])) <= 5e-3
