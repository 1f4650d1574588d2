"""Import through the file browser, play, undo, and export through the file browser."""

from __future__ import annotations

import time
from pathlib import Path

import bpy
import facts

CASES = (
    ("mrtk", "v10_recorder_3s_left_hand.bin", "MRTK"),
    ("w3d", "g02_tc_default.w3d", "W3D"),
    ("animx", "08_walk_plain.animx", "AnimX"),
)


def steps(window):
    """One format after the other, each from the .blend that Blender starts with."""
    for name, file, _ in CASES:
        yield from window.settle()
        yield from round_trip(window, name, facts.file_called(file))


def round_trip(window, name, path):
    """Import, watch it move, export, undo."""
    before, settings = facts.census(), facts.scene_settings()
    yield from import_by_button(window, name, path)
    yield from window.until(lambda: facts.census() != before)
    assert facts.census() != before, "nothing was imported"
    yield from window.picture(f"{name}_imported")
    yield from play(window, name)
    yield from export_by_button(window, name, path)
    yield from undo_everything(window, before, settings)


def import_by_button(window, name, path):
    """The file browser shows the operator's options, and its button imports."""
    yield from window.open_browser("import", name, path)
    assert window.operator().bl_idname == f"IMPORT_ANIM_OT_{name}"
    yield from window.picture(f"{name}_import_options")
    yield from window.press_confirm()
    yield from window.settle()


def play(window, name):
    """Playback moves bones."""
    armature = facts.armatures()[-1]
    assert armature.animation_data.action is not None
    bpy.context.scene.frame_set(bpy.context.scene.frame_start)
    start, places = bpy.context.scene.frame_current, facts.bone_places(armature)
    with window.over("VIEW_3D"):
        bpy.ops.screen.animation_play()
    end, farthest = time.monotonic() + 300.0, 0.0
    while farthest <= 1e-4 and time.monotonic() < end:
        yield 0.1
        farthest = max(farthest, facts.farthest_move(places, facts.bone_places(armature)))
    assert bpy.context.screen.is_animation_playing
    with window.over("VIEW_3D"):
        bpy.ops.screen.animation_cancel(restore_frame=False)
    assert bpy.context.scene.frame_current != start, "playback did not advance"
    assert farthest > 1e-4, f"no bone moved more than {farthest}"
    with window.over("VIEW_3D"):
        bpy.ops.view3d.view_selected()
    yield from window.picture(f"{name}_playing")


def export_by_button(window, name, path):
    """The file browser shows the options, and its button writes the same bytes as were read."""
    written = Path(f"/gui-run/out/again{path.suffix}")
    yield from window.open_browser("export", name, written)
    yield from window.picture(f"{name}_export_options")
    yield from window.press_confirm()
    yield from window.until(written.exists)
    assert written.exists(), "export wrote nothing"
    assert written.read_bytes() == path.read_bytes(), f"{path.name} came back different"


def undo_everything(window, before, settings):
    """One undo step takes the whole import back."""
    with window.over("VIEW_3D"):
        bpy.ops.ed.undo()
    yield from window.settle()
    left = {kind: names for kind, names in facts.census().items() if names != before[kind]}
    assert not left, f"undo left {left}"
    assert facts.scene_settings()[:4] == settings[:4], f"undo left the scene at {facts.scene_settings()}"
