"""What a person might have made, drawn: the scenes of `make scenes`, which CI tries in a step of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from scenes.draw import FORMATS

RUN = Path(__file__).resolve().parents[1] / "scenes" / "run.py"


@pytest.mark.slow
@pytest.mark.once
@pytest.mark.parametrize("name", FORMATS)
def test_drawn_scenes_play(name: str) -> None:
    """What a file's own engine plays is what Blender shows, exported and imported, in a process for each format."""
    pytest.importorskip("bpy")
    command = [sys.executable, str(RUN), "--format", name, "--count", os.environ.get("SCENES", "100")]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    assert done.returncode == 0, done.stdout
