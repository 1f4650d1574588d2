"""An edited recording of ten minutes is exported: seen moving, ended by ESC without a part of a file, then whole."""

from __future__ import annotations

import time
from pathlib import Path

import bpy
import facts
import recordings

SECONDS = 600.0
FOLDER = Path("/gui-run/long")
SOURCE, TARGET = FOLDER / "ten_minutes.bin", FOLDER / "edited.bin"
EXPORT = "EXPORT_ANIM_OT_mrtk"


def steps(window):
    """End an export, and let another one end by itself."""
    FOLDER.mkdir()
    SOURCE.write_bytes(recordings.recording(SECONDS, full=True))
    bpy.ops.import_anim.mrtk(filepath=str(SOURCE))
    facts.curves()[5].keyframe_points[1000].co.y += 0.25
    yield from window.settle()
    before = facts.census(), facts.scene_settings()
    TARGET.write_bytes(b"the old file")
    yield from start(window)
    window.write_picture("0_begun")
    yield 2.0
    window.write_picture("1_moving")
    yield from ended(window)
    assert TARGET.read_bytes() == b"the old file" and sorted(FOLDER.iterdir()) == [TARGET, SOURCE]
    assert (facts.census(), facts.scene_settings()) == before
    yield from window.picture("2_ended")
    yield from start(window)
    started = time.monotonic()
    while works():
        yield 0.1
    window.note(f"the whole export took {time.monotonic() - started:.2f} s")
    yield from window.picture("3_exported")
    assert sorted(FOLDER.iterdir()) == [TARGET, SOURCE]
    written, source = TARGET.read_bytes(), SOURCE.read_bytes()
    assert written != source and len(written) == len(source), f"{len(written)} bytes"
    yield from start(window)
    yield 1.0  # and Blender is closed while it works


def start(window):
    """Export through the file browser, onto the old file; it has begun when this ends."""
    yield from window.open_browser("export", "mrtk", FOLDER / TARGET.name)
    with window.over("FILE_BROWSER"):
        bpy.ops.file.execute()
    while not works():
        yield 0.05


def ended(window):
    """Press ESC, and wait until the work has ended."""
    assert works(), "it ended too early"
    pressed = time.monotonic()
    yield from window.key("ESC")
    while works():
        yield 0.01
    window.note(f"ESC took {time.monotonic() - pressed:.2f} s")


def works():
    """Whether the export is under way."""
    return EXPORT in bpy.context.window_manager.windows[0].modal_operators
