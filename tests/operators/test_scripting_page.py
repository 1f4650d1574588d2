"""The examples of docs/scripting.md run as they stand."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "scripting.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


@pytest.fixture
def folder(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which the page says its examples run."""
    shutil.copy(data / "mrtk" / "v11_flags" / "v11_cam1_hand1_gaze1.bin", tmp_path / "hand.bin")
    shutil.copy(data / "w3d" / "g01_raw_trim_vis.w3d", tmp_path / "walk.w3d")
    shutil.copy(data / "animx" / "08_walk.animj", tmp_path / "wave.animj")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 9


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_example(bpy: Any, folder: Path, number: int) -> None:
    exec(compile(EXAMPLES[number], f"{PAGE.name} example {number + 1}", "exec"), {"__name__": "example"})
