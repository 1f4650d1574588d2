"""Long work in steps: the same result as without pauses, in many steps, and nothing is held between two of them."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from io_formats import FORMATS, FormatError
from io_formats.errors import Report
from io_formats.files import memory, messages, steps, whole_file
from io_formats.files.steps import Steps, finished, portion, running
from io_formats.files.whole_file import read_file
from io_formats.format import Opened
from io_formats.options import SIZE_LIMIT

DATA = Path(__file__).parents[1] / "data"
FILES = {
    "mrtk": "mrtk/v11_flags/v11_cam1_hand1_gaze1.bin",
    "w3d": "w3d/g02_tc_default.w3d",
    "w3x": "w3x/g02.w3x",
    "animx": "animx/08_walk.animj",
}


def test_a_memory_limit_counts_over_all_steps_and_not_between_them() -> None:
    def needing() -> Steps[None]:
        memory.spend(pieces=500)
        yield 0.5
        memory.reckon(pieces=500)

    shares = running(portion(portion(portion(needing(), last=0.5), 0.5), 0.2, 0.6), memory.limits(1, 0))
    assert next(shares) == pytest.approx(0.45)
    memory.reckon(keys=1 << 40)  # not within the work
    assert gc.get_threshold()[0] < 10_000, "Python's own"
    with pytest.raises(FormatError) as caught:
        finished(shares)
    assert caught.value.template == messages.TOO_MUCH_MEMORY


def test_a_file_that_becomes_shorter_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "large.bin"
    path.write_bytes(b"12345678")
    monkeypatch.setattr(whole_file, "_AT_ONCE", 3)
    reading = read_file.steps(path)
    next(reading)
    with path.open("r+b") as file:
        file.truncate(5)
    told: list[float] = []
    assert finished(reading, told.append) == b"12345" and told == [5 / 8]


@pytest.mark.parametrize("each", FORMATS, ids=lambda each: each.name)
def test_clips_in_many_steps_are_the_same_clips(each: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = DATA / FILES[each.name]
    data = each.read_file(path)
    opened = Opened(each, path, data, finished(each.read(data, limit=SIZE_LIMIT)))
    whole = opened.to_clips(each.read_options(), Report())
    monkeypatch.setattr(steps, "STEP", 1)
    shares: list[float] = []
    clips = finished(opened.clips(each.read_options(), Report()), shares.append)
    assert len(shares) > 3 and shares == sorted(shares) and 0 < shares[0] < 0.5 < shares[-1] <= 1
    for made, wanted in zip(clips, whole, strict=True):
        assert made.name == wanted.name
        assert [node.name for node in made.nodes] == [node.name for node in wanted.nodes]
        for track, own in zip(made.tracks, wanted.tracks, strict=True):
            assert (track.node, track.property, track.component) == (own.node, own.property, own.component)
            assert np.array_equal(track.times, own.times) and np.array_equal(track.values, own.values, equal_nan=True)
            assert track.component + len(track.values) <= track.width, "a place in a property for each component"
