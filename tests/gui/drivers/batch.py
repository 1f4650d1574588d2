"""Many files at once: the window lives on, ESC stops between files, one undo takes everything back."""

from __future__ import annotations

import shutil
from pathlib import Path

import bpy
import facts

COPIES = 300
FOLDER = Path("/gui-run/batch")


def steps(window):
    """A batch that is stopped and taken back; drop.py sees others that run to their ends."""
    files = copies(facts.file_called("v11_recorder_10s_two_hands_mrtk273.bin"))
    before = facts.census()
    yield from start(window, files)
    while len(bpy.data.actions) < 2:  # then the first file is in; ESC takes back the one that is under way
        yield 0.05
    window.write_picture("working")
    yield from window.key("ESC")
    yield from window.settle()
    stopped = len(bpy.data.actions)
    assert 0 < stopped < COPIES, f"{stopped} of {COPIES} files came in before ESC"
    yield from window.picture("stopped")
    bpy.ops.ed.undo()
    yield from window.settle()
    assert facts.census() == before, "one undo did not take the batch back"


def copies(file):
    """Copies of a file under many names."""
    FOLDER.mkdir()
    return [Path(shutil.copy(file, FOLDER / f"take_{number:03d}.bin")) for number in range(COPIES)]


def start(window, files):
    """Drop the files and confirm the dialogue."""
    yield from window.drop(*files)
    yield from window.settle()
    yield from window.key("RET")
