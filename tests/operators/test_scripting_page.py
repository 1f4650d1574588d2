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


def test_all_examples_one_after_the_other(bpy: Any, folder: Path) -> None:
    """As a reader pastes them, each into an empty file, in the one folder; what one has written another finds."""
    assert len(EXAMPLES) >= 9
    for number, example in enumerate(EXAMPLES, start=1):
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        exec(compile(example, f"{PAGE.name} example {number}", "exec"), {"__name__": "example"})
