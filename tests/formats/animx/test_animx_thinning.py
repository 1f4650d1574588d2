"""Fewer keys than lines need, for what moves faster than anybody sees."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from io_formats.animx import layout, messages
from io_formats.animx.edited_keys import Request, Summary, build
from io_formats.clip import Array, Handles, Interpolation, Track
from io_formats.errors import Report
from io_formats.files.memory import limited

FLOAT = next(number for number, kind in enumerate(layout.VALUE_TYPES) if kind.name == "float")


def block(times: Array, values: Array, shape: Interpolation = Interpolation.LINEAR) -> Track:
    return Track("node", "property", times, values[None], np.full(len(times), shape, np.uint8))


def test_what_swings_many_times_between_two_frames_is_followed_no_finer_than_keys_may_be_written() -> None:
    """Else such curves are first cut into a hundred times as many lines, and long exports refused for that."""
    times = np.arange(24 * 10 * 16 + 1) / (24 * 16)
    handles = Handles(np.tile((-1 / 1152, 1 / 1152), (len(times), 1)), np.zeros((1, len(times), 2)))
    swing = replace(block(times, np.sin(times * 2400), Interpolation.BEZIER), handles=handles)
    report = Report()
    with limited(seconds=1):
        made = build([swing], Request(FLOAT, rate=24.0, name="B"), Summary(), report)
    assert made.key_count <= 24 * 12 * 10 + 16
    assert [warning.template for warning in report.warnings] == [messages.TOO_FAST]
