"""The sidebar of the Action Editor and the Graph Editor says where an Action came from, and its buttons work."""

from __future__ import annotations

import bpy
import facts


def steps(window):
    """Import, open the editors with their sidebars, look, and follow another rate of the scene."""
    bpy.ops.import_anim.mrtk(filepath=str(facts.file_called("v11_recorder_10s_two_hands_mrtk273.bin")))
    bpy.context.scene.render.fps = 60
    for editor in ("DOPESHEET", "FCURVES"):
        area = max((area for area in window.main.screen.areas if area.type in KINDS), key=lambda one: one.height)
        area.ui_type = editor
        yield 0.3
        yield from window.open_sidebar(area.type)
        yield from window.picture(editor.lower())
    with window.over("GRAPH_EDITOR"):
        assert bpy.ops.anim_curves.convert_rate() == {"FINISHED"}
    yield from window.picture("converted")


KINDS = ("VIEW_3D", "DOPESHEET_EDITOR", "GRAPH_EDITOR")
