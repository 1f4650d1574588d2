"""What asks before it replaces files, and what tells that an export failed."""

from __future__ import annotations

import shutil
from pathlib import Path

import bpy
import facts
from window import read_screen

FOLDER = Path("/gui-run/files")
REPLACE = "R"
"""The underlined letter of the button."""


def steps(window):
    """Export in place by double click and by its button, several files over old ones, and an export that fails."""
    FOLDER.mkdir()
    path = FOLDER / "walk.w3d"
    shutil.copy(facts.file_called("five_bones_raw_w3d.w3d"), path)
    with window.over("VIEW_3D"):
        bpy.ops.import_anim.w3d(filepath=str(path))
    yield from window.open_sidebar("VIEW_3D")
    yield from window.picture("0_sidebar")
    yield from in_place(window, path)
    yield from over_old_files(window)
    yield from without_joints(window)


def in_place(window, path):
    """A question that neither a double click nor ESC answers with yes; the button Replace replaces the file."""
    before = path.read_bytes()
    facts.curves()[0].keyframe_points[1].co.y += 0.25
    yield from asked_in_place(window)
    yield from window.picture("1_in_place_asks")
    yield from window.click(*PLACE)  # the second click of a double click, where the button of the panel was
    yield from window.settle()
    assert path.read_bytes() == before, "a double click replaced the file"
    yield from window.key("ESC")  # where the second click met no button, the question is still there
    yield from window.picture("2_asked_no_more")
    assert path.read_bytes() == before, "ESC replaced the file"
    yield from asked_in_place(window)
    yield from window.key(REPLACE)
    yield from window.until(lambda: path.read_bytes() != before, "the button Replace did nothing")
    yield from window.picture("3_in_place_done")


PLACE = (700, 400)


def asked_in_place(window):
    """Press the button of the panel, with the pointer on it, and wait for the question."""
    window.move(*PLACE)
    yield 0.2
    with window.over("VIEW_3D"):
        bpy.ops.anim_curves.export_in_place("INVOKE_DEFAULT")
    yield from window.settle()


def over_old_files(window):
    """All Actions to files of their own, some of which are there."""
    rig = facts.armatures()[0]
    walk, bone = rig.animation_data.action, rig.pose.bones[1]
    rig.animation_data.action = bpy.data.actions.new("run")
    for frame in (1, 9):
        bone.location.x = frame
        bone.keyframe_insert("location", frame=frame)
    rig.animation_data.action = walk
    names = [FOLDER / f"{action.name}.w3d" for action in bpy.data.actions]
    for name in names:
        name.write_bytes(b"old")
    yield from by_browser(window, "w3d", "all.w3d", actions="ALL")
    yield from window.picture("4_replaces")
    yield from window.key("ESC")
    yield from window.settle()
    assert all(name.read_bytes() == b"old" for name in names), "ESC replaced files"
    yield from by_browser(window, "w3d", "all.w3d", actions="ALL")
    yield from window.key(REPLACE)
    yield from window.until(lambda: all(name.read_bytes() != b"old" for name in names), "Replace replaced nothing")
    yield from window.picture("5_replaced")


def without_joints(window):
    """A skeleton of W3D is no hand of MRTK; what was typed is there when a person tries again."""
    keys = bpy.context.window_manager.keyconfigs.addon.keymaps.new("Window").keymap_items
    keys.new("export_anim.mrtk", "F5", "PRESS")  # as from the menu; to a script's call Blender gives nothing again
    yield from by_browser(window, "mrtk", "hand.bin", version="1.0")
    yield from window.picture("6_no_joints")
    yield from dismissed(window)
    assert not (FOLDER / "hand.bin").exists()
    yield from window.move_over("VIEW_3D")
    yield from window.key("F5")
    yield 1.0
    given = window.operator()
    assert (Path(given.filepath).name, given.version) == ("hand.bin", "1.0")
    yield from window.picture("6_tried_again")
    yield from window.move_over("FILE_BROWSER")
    yield from window.key("ESC")
    yield from window.settle()
    facts.armatures()[0].animation_data.action = bpy.data.actions["run"]
    yield from window.move_over("VIEW_3D")
    yield from window.key("F5")
    yield 1.0
    assert Path(window.operator().filepath) == FOLDER / "run.bin", "what another Action was exported to is offered"


def dismissed(window):
    """A dialogue is there, and Return closes it."""
    shown = read_screen().pixels
    yield from window.key("RET")
    yield from window.settle()
    assert read_screen().pixels != shown, "there was no dialogue"


def by_browser(window, name, file, **options):
    """File > Export, and the button of the file browser."""
    yield from window.open_browser("export", name, FOLDER / file)
    for option, value in options.items():
        setattr(window.operator(), option, value)
    yield from window.press_confirm()
    yield from window.settle()
