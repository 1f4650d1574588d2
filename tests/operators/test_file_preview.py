"""What the file browser shows of a chosen file, and what it leaves alone so that a click is no wait."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


@pytest.fixture
def file_preview(bpy: Any, part: Callable[[str], Any]) -> Any:
    module: ModuleType = part("operators.file_preview")
    return module


@pytest.mark.parametrize(
    ("file", "second"),
    [
        ("mrtk/v11_flags/v11_cam1_hand1_gaze1.bin", "No rate of its own, 1.0 s"),
        ("w3d/g09_ad_20b_200f.w3d", "30 frames per second, 6.7 s"),
        ("w3d/h04_multi_unknown.w3d", "30 frames per second, 0.6 s"),
        ("w3d/g02_skl.w3d", "No rate of its own, 0.0 s"),
        ("animx/08_walk.animj", "No rate of its own, 2.0 s"),
    ],
)
def test_kind_rate_and_duration(file_preview: Any, data: Path, file: str, second: str) -> None:
    kind, told = file_preview.facts_of(data / file)
    assert kind
    assert told == second


def test_what_is_not_looked_at(
    file_preview: Any, pipe: Path, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pipes, folders, what is not there, damaged and large files say nothing; a large one is not even opened."""
    small = tmp_path / "cut.bin"
    small.write_bytes((data / "mrtk/v11_flags/v11_cam1_hand1_gaze1.bin").read_bytes()[:300])
    for path in (pipe, tmp_path, tmp_path / "none.w3d", Path("a\0b.w3d"), small):
        assert file_preview.facts_of(path) == ()
    large = tmp_path / "large.bin"
    large.touch()
    os.truncate(large, file_preview.LARGEST + 1)
    monkeypatch.setattr(Path, "read_bytes", None)
    assert file_preview.facts_of(large) == ()


def test_a_small_file_that_expands_far_is_left_alone(
    file_preview: Any, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = (data / "animx" / "08_walk_lzma_eos.animx").read_bytes()
    for name, most, shown in (("far.animx", len(packed), False), ("near.animx", 8 << 20, True)):
        (tmp_path / name).write_bytes(packed)
        monkeypatch.setattr(file_preview, "_MOST_EXPANDED", most)
        assert bool(file_preview.facts_of(tmp_path / name)) == shown
