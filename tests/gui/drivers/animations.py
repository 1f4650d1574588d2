"""The panel Animations lists what an archive in the game folders holds for the selected armature, and imports it."""

from __future__ import annotations

import bpy
import facts

ROOT = "bl_ext.user_default.io_anim_curves"


def steps(window):
    """Import a skeleton, list, filter, import."""
    skeleton = facts.file_called("m02_skl.w3d")
    bpy.context.preferences.addons[ROOT].preferences.game_folders = str(skeleton.parent)
    bpy.ops.import_anim.w3d(filepath=str(skeleton))
    area = max((area for area in window.main.screen.areas if area.type == "VIEW_3D"), key=lambda one: one.height)
    area.spaces.active.show_region_ui = True
    yield from window.settle()
    next(region for region in area.regions if region.type == "UI").active_panel_category = "Animation Curves"
    with window.over("VIEW_3D"):
        assert bpy.ops.anim_curves.list_animations() == {"FINISHED"}
    area.tag_redraw()
    yield from window.picture("listed")
    listed = bpy.context.window_manager.anim_curves_list
    listed.filter = "no animation is called so"
    area.tag_redraw()
    yield from window.picture("filtered")
    listed.filter = listed.lines[0].name.lower()
    with window.over("VIEW_3D"):
        bpy.ops.anim_curves.import_all("INVOKE_DEFAULT")
    for _ in range(20):
        yield 0.2
    assert bpy.data.actions
    yield from window.picture("imported")
