"""The pictures of the extension's page: `make store`, on a screen of 1920 x 1080, which tools/pictures.py then saves.

Each is a window as a person has it while working: a 3D view above an editor of keys, Blender's own theme and layout.
"""

from __future__ import annotations

from math import radians

import bpy
import facts
from mathutils import Euler

SCALE = 1.3
"""Of the interface, so that its words can be read in a picture that is shown small."""


def steps(window):
    """One picture after the other, each from an empty scene."""
    view = bpy.context.preferences.view
    view.ui_scale, view.smooth_view = SCALE, 0
    for picture in (hands, model, walk, menu):
        bpy.ops.wm.read_homefile(app_template="", use_factory_startup=True)
        yield from window.settle()
        for thing in list(bpy.data.objects):
            bpy.data.objects.remove(thing)
        window.main.cursor_warp(window.main.width - 1, 0)  # the pointer has no part in a picture
        yield from picture(window)


def hands(window):
    """A recorded hand, with the curves of a fingertip."""
    imported("left_hand_mrtk_1.0.bin", rate="CUSTOM", custom_rate=60.0)
    yield from divided(window, "HORIZONTAL", 0.45, "FCURVES")
    bpy.context.scene.frame_set(60)
    look(window, (62.0, 0.0, 130.0), 0.5)
    yield from window.open_sidebar("GRAPH_EDITOR")
    yield from curves_of(window, "IndexTip.L", (44, 76), "location")
    yield from window.picture("featured")


def model(window):
    """A model that moves, with its keys."""
    imported("m01_rigid.w3d")
    yield from divided(window, "HORIZONTAL", 0.36, "DOPESHEET")
    bpy.context.scene.frame_set(8)
    look(window, (70.0, 0.0, 40.0), 1.05)
    window.find_area("DOPESHEET_EDITOR")[1].spaces.active.show_region_ui = False
    yield from window.open_sidebar("VIEW_3D")
    with window.over("DOPESHEET_EDITOR"):
        bpy.ops.anim.channels_expand(all=True)
        bpy.ops.action.view_all()
    yield from window.picture("w3d")


def walk(window):
    """A figure that walks, and how its thigh turns."""
    imported("walk.animj")
    yield from divided(window, "VERTICAL", 0.4, "FCURVES")
    bpy.context.scene.frame_set(20)
    look(window, (80.0, 0.0, 55.0), 0.8)
    window.find_area("GRAPH_EDITOR")[1].spaces.active.show_region_ui = False
    yield from curves_of(window, "LeftUpperLeg", (0, 48), "rotation_quaternion")
    yield from window.picture("walk")


def menu(window):
    """File > Import."""
    imported("walk.animj")
    bpy.context.scene.frame_set(20)
    look(window, (80.0, 0.0, 55.0), 1.1)
    yield from window.settle()
    yield from window.click(60, 17)
    yield from window.settle()
    yield from window.key("M")
    yield from window.picture("import")
    yield from window.key("ESC")
    yield from window.key("ESC")


def imported(name, **options):
    """Bring in a test file."""
    path = facts.file_called(name)
    importer = {".bin": "mrtk", ".w3d": "w3d", ".animj": "animx"}[path.suffix]
    getattr(bpy.ops.import_anim, importer)(filepath=str(path), **options)


def divided(window, direction, factor, editor):
    """Divide the 3D view: its right or lower part becomes another editor."""
    with window.over("VIEW_3D"):
        bpy.ops.screen.area_split(direction=direction, factor=factor)
    yield 0.5
    views = [area for area in window.main.screen.areas if area.type == "VIEW_3D"]
    min(views, key=lambda area: area.y - area.x).ui_type = editor
    yield from window.settle()


def look(window, turned, closer):
    """Frame what is seen from a direction, in degrees, and go closer by a factor."""
    region = window.find_area("VIEW_3D")[1].spaces.active.region_3d
    region.view_rotation = Euler([radians(angle) for angle in turned]).to_quaternion()
    chosen = list(bpy.context.selected_objects)
    seen = [thing for thing in bpy.data.objects if thing.get("anim_curves_model") and thing.visible_get()]
    for thing in bpy.data.objects:
        thing.select_set(thing in (seen or facts.armatures()))
    with window.over("VIEW_3D"):
        bpy.ops.view3d.view_selected()
    for thing in bpy.data.objects:
        thing.select_set(thing in chosen)
    region.view_distance *= closer


def curves_of(window, bone, frames, words):
    """Show the curves of one bone's property between two frames, their keys selected."""
    rig = facts.armatures()[0]
    bpy.context.view_layer.objects.active = rig
    with window.over("VIEW_3D"):
        bpy.ops.object.mode_set(mode="POSE")
        bpy.ops.pose.select_all(action="DESELECT")
    found = rig.pose.bones[bone] if hasattr(rig.pose.bones[bone], "select") else rig.data.bones[bone]
    found.select = True
    rig.data.bones.active = rig.data.bones[bone]
    space = window.find_area("GRAPH_EDITOR")[1].spaces.active
    space.use_normalization, space.dopesheet.filter_text = True, words.partition("_")[2].title() or words.title()
    scene = bpy.context.scene
    scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, *frames
    for curve in facts.curves():
        wanted = f'"{bone}"' in curve.data_path and words in curve.data_path
        for key in curve.keyframe_points:
            shown = wanted and frames[0] <= key.co[0] <= frames[1]
            key.select_control_point = key.select_left_handle = key.select_right_handle = shown
    with window.over("GRAPH_EDITOR"):
        bpy.ops.anim.channels_expand(all=True)
    yield from window.settle()
    with window.over("GRAPH_EDITOR"):
        bpy.ops.graph.view_selected(include_handles=False)
    yield from window.settle()
