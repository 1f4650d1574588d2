"""Long work in steps: nothing is held between two of them, and what changes meanwhile is met."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from io_formats import FormatError
from io_formats.files import memory, messages, whole_file
from io_formats.files.steps import Steps, finished, portion, running
from io_formats.files.whole_file import read_file


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
