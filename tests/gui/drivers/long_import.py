"""A long recording of two hands, 374 MB: seen moving, ended by ESC, undone, and Blender closed meanwhile.

Edited, its export moves and is ended by ESC without a part of a file, and goes to its end.
"""

from __future__ import annotations

from pathlib import Path

import bpy
import facts
import recordings
from dialogues import ROOT
from in_blender import curves_of

SECONDS = 750.0
CURVES = 371 + 4
FOLDER = Path("/gui-run/long")
FILE, TARGET = FOLDER / "recording.bin", FOLDER / "edited.bin"
WORK = {"IMPORT_ANIM_OT_batch", "EXPORT_ANIM_OT_mrtk"}


def steps(window):
    """One recording again and again, each time with another end."""
    FOLDER.mkdir()
    FILE.write_bytes(recordings.recording(SECONDS, full=True))
    bpy.context.scene.frame_set(17)
    yield from window.settle()
    before = everything()
    yield from ended_by_esc(window, before)
    yield from keys_and_undo_meanwhile(window, before)
    yield from disabled_meanwhile(window)
    yield from to_its_end(window)
    yield from start(window)
    yield from until_it_moves()  # and Blender is closed while it works


def ended_by_esc(window, before):
    """It moves, is ended in the middle of its curves, and all is as before."""
    yield from start(window)
    window.write_picture("0_begun")
    yield from until_it_moves()
    yield 1.0
    window.write_picture("1_moving")
    yield 0.5
    window.write_picture("2_moved_on")
    assert everything() != before, "nothing has been made yet"
    window._event("ESC", "PRESS")
    while works():
        yield 0.01
    window._event("ESC", "RELEASE")
    assert everything() == before, "ESC left something behind"
    yield from window.picture("3_ended")


def keys_and_undo_meanwhile(window, before):
    """What is typed does not reach Blender; undo, which another window could begin, ends the work first."""
    yield from start(window)
    yield from until_it_moves()
    for key in ("X", "TAB", "A", "DEL"):
        yield from window.key(key)
    assert works()
    bpy.ops.ed.undo_push(message="another window")
    with bpy.context.temp_override(window=window.main):
        bpy.ops.ed.undo()
    yield from window.settle()
    assert not works()
    assert everything()["objects"] == before["objects"] and not bpy.data.actions, "undo left something behind"
    yield from window.picture("4_undone_meanwhile")


def disabled_meanwhile(window):
    """The extension is disabled, which takes back what its import has made, and enabled again."""
    before = everything()
    yield from start(window)
    yield from until_it_moves()
    bpy.ops.preferences.addon_disable(module=ROOT)
    assert everything() == before, "half an import was left behind"
    yield from window.picture("4_disabled_meanwhile")
    bpy.ops.preferences.addon_enable(module=ROOT)


def to_its_end(window):
    """All curves are there, are edited and exported, and one Ctrl+Z takes them back."""
    before = everything()
    yield from start(window)
    while works():
        yield 0.2
    yield from window.settle()
    assert len(facts.curves()) == CURVES, f"{len(facts.curves())} curves"
    assert all(len(curve.keyframe_points) in (1, round(SECONDS * recordings.RATE)) for curve in facts.curves())
    bpy.context.scene.frame_set(600)
    yield from window.picture("5_imported")
    bpy.context.scene.frame_set(17)
    yield from exported(window)
    yield from window.move_over("VIEW_3D")
    yield from window.key("Z", ctrl=True)
    yield from window.settle()
    assert everything() == before, "Ctrl+Z did not take it back"
    yield from window.picture("8_undone")


def exported(window):
    """ESC leaves the old file and the .blend as they were; the whole export is as long as what was imported."""
    facts.curves()[5].keyframe_points[1000].co.y += 0.25
    before = everything()
    TARGET.write_bytes(b"the old file")
    yield from start_export(window)
    yield 2.0
    window.write_picture("6_exporting")
    assert works(), "it ended too early"
    yield from window.key("ESC")
    while works():
        yield 0.01
    assert TARGET.read_bytes() == b"the old file" and sorted(FOLDER.iterdir()) == [TARGET, FILE]
    assert everything() == before, "ESC left something behind"
    yield from start_export(window)
    while works():
        yield 0.1
    yield from window.picture("7_exported")
    assert sorted(FOLDER.iterdir()) == [TARGET, FILE]
    written, source = TARGET.read_bytes(), FILE.read_bytes()
    assert written != source and len(written) == len(source), f"{len(written)} bytes"


def start_export(window):
    """Export through the file browser, onto the old file; it has begun when this ends."""
    yield from window.open_browser("export", "mrtk", TARGET)
    yield from window.press_confirm()
    assert works(), "the export has not begun"


def start(window):
    """Drop the file and confirm the dialogue; it has begun when this ends."""
    yield from window.drop(FILE)
    yield from window.settle()
    window._event("RET", "PRESS")
    yield 0.05
    window._event("RET", "RELEASE")
    while not works():
        yield 0.05


def until_it_moves():
    """Wait until the first curves are there."""
    while not (bpy.data.actions and len(curves_of(bpy.data.actions[0])) > 10):
        assert works(), "it ended too early"
        yield 0.05


def works():
    """Whether an import or an export is under way."""
    return not WORK.isdisjoint(bpy.context.window_manager.windows[0].modal_operators.keys())


def everything():
    """What must be as before: datablocks, scene settings, selection."""
    layer = bpy.context.view_layer
    selected = sorted(thing.name for thing in layer.objects.selected)
    active = layer.objects.active and layer.objects.active.name
    return {**facts.census(), "scene": facts.scene_settings(), "selected": selected, "active": active}
