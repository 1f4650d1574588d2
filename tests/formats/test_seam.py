"""Clips in a loop: the words for what was closed and what was not; all else is in `test_reference_rework`."""

from __future__ import annotations

import numpy as np

from io_formats.clip import LOCATION, Clip, Node, Track
from io_formats.clip.rework import closed
from io_formats.errors import Report
from io_formats.scene_options import ImportOptions


def test_what_was_closed_is_told_of_one_as_of_several() -> None:
    for count, words in (
        (1, "made 1 location, rotation or scale end as it begins; its last key moved by"),
        (2, "made 2 locations, rotations and scales end as they begin; their last keys moved by"),
    ):
        walk = np.array([[0.0, 1.0, 0.004], [0.0] * 3, [0.0] * 3])
        tracks = [Track.sampled(f"{at}", LOCATION, np.arange(3.0), walk) for at in range(count)]
        report = Report()
        closed(Clip("", nodes=[Node(track.node) for track in tracks], tracks=tracks), ImportOptions(), report)
        assert words in str(report.notes[0])
