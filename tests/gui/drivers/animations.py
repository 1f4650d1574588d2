"""The panel Animations lists what the game folders hold for the selected armature, and imports it."""

from __future__ import annotations

from pathlib import Path

import bpy
import facts
import first_second

ROOT = "bl_ext.user_default.io_anim_curves"
SKELETONS = {"w3d": "m02_skl.w3d", "w3x": "g01_skl.w3x"}
"""An archive beside the first holds its animation; the second's lies in a file of its own."""


def steps(window):
    """Name a folder by the panel; import a skeleton, list, filter, import; for each format that has libraries."""
    yield from folder_of_a_file(window, facts.file_called("m02_wlk.w3d"))
    for format_name, name in SKELETONS.items():
        yield from library(window, format_name, facts.file_called(name))


def folder_of_a_file(window, path):
    """The panel's button begins in the folder of the imported file; preferences change when that is taken."""
    preferences = bpy.context.preferences
    with window.over("VIEW_3D"):
        bpy.ops.import_anim.w3d(filepath=str(path))
    yield from window.open_sidebar("VIEW_3D")
    yield from window.picture("no_folder")
    yield from window.move_over("VIEW_3D")
    with window.over("VIEW_3D"):
        bpy.ops.anim_curves.add_game_folder("INVOKE_DEFAULT")
    yield from window.until(lambda: window.areas("FILE_BROWSER"))
    yield from window.picture("folder_offered")
    assert preferences.addons[ROOT].preferences.game_folders == "", "a folder was named unasked"
    yield from window.press_confirm()
    yield from window.until(lambda: not window.areas("FILE_BROWSER"))
    assert Path(preferences.addons[ROOT].preferences.game_folders) == path.parent and preferences.is_dirty
    yield from window.picture("folder_named")
    yield from first_second.default_scene(window)


def library(window, format_name, skeleton):
    """One format's library."""
    area = window.find_area("VIEW_3D")[1]
    bpy.context.preferences.addons[ROOT].preferences.game_folders = str(skeleton.parent)
    with window.over("VIEW_3D"):
        getattr(bpy.ops.import_anim, format_name)(filepath=str(skeleton))
    yield from window.open_sidebar("VIEW_3D")  # the panel is there with its armature
    with window.over("VIEW_3D"):
        assert bpy.ops.anim_curves.list_animations() == {"FINISHED"}
    area.tag_redraw()
    yield from window.picture(f"{format_name}_listed")
    listed = bpy.context.window_manager.anim_curves_list
    listed.filter = "no animation is called so"
    area.tag_redraw()
    yield from window.picture(f"{format_name}_filtered")
    before = len(bpy.data.actions)
    listed.filter = listed.lines[0].name.lower()
    with window.over("VIEW_3D"):
        bpy.ops.anim_curves.import_all("INVOKE_DEFAULT")
    yield from window.until(lambda: len(bpy.data.actions) > before, f"the list of {format_name} imported nothing")
    yield from window.picture(f"{format_name}_imported")
    if format_name == "w3d":  # out of an archive, with models and textures
        small = first_second.too_small(window, "out of an archive", facts.shown_places())
        assert not small, small
