"""The pictures of the extension's page: `make store`, on a screen of 1920 x 1080, which tools/pictures.py then saves.

Each is a window as a person has it while working: a 3D view above an editor of keys, Blender's own theme and layout.
"""

from __future__ import annotations

from math import radians

import bpy
import facts
from mathutils import Euler, Vector

SCALE = 1.3
"""Of the interface, so that its words can be read in a picture that is shown small."""


def steps(window):
    """One picture after the other, each from an empty scene."""
    calm()
    for picture in (hands, model, walk, menu):
        yield from emptied(window)
        yield from picture(window)


def calm():
    """Large letters, smooth edges, and no view that is still turning."""
    view = bpy.context.preferences.view
    view.ui_scale, view.smooth_view = SCALE, 0
    bpy.context.preferences.system.viewport_aa = "8"


def emptied(window):
    """An empty scene."""
    bpy.ops.wm.read_homefile(app_template="", use_factory_startup=True)
    yield from window.settle()
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)


def hands(window):
    """Recorded hands from above, with the curves of a finger."""
    imported("two_hands_mrtk_1.1.bin", rate="CUSTOM", custom_rate=60.0)
    yield from window.divide("HORIZONTAL", 0.4, "FCURVES")
    bpy.context.scene.frame_set(60)
    look(window, (30.0, 0.0, 0.0), 1.1)
    yield from window.open_sidebar("GRAPH_EDITOR")
    yield from curves_of(window, "IndexMiddleJoint.L", (44, 76), "location")
    yield from window.picture("featured")


def model(window):
    """A textured model that moves, with its keys."""
    imported("walker.w3d")
    yield from window.divide("HORIZONTAL", 0.3, "DOPESHEET")
    bpy.context.scene.frame_set(8)
    window.find_area("VIEW_3D")[1].spaces.active.shading.color_type = "TEXTURE"
    look(window, (75.0, 0.0, 40.0), 1.4)
    window.find_area("DOPESHEET_EDITOR")[1].spaces.active.show_region_ui = False
    yield from window.open_sidebar("VIEW_3D")
    with window.over("DOPESHEET_EDITOR"):
        bpy.ops.anim.channels_expand(all=True)
        bpy.ops.action.view_all()
    yield from window.picture("w3d")


def walk(window):
    """A figure that walks, and how its thigh turns."""
    imported("walk.animj")
    yield from window.divide("VERTICAL", 0.4, "FCURVES")
    bpy.context.scene.frame_set(24)
    look(window, (80.0, 0.0, 70.0), 1.15)
    window.find_area("GRAPH_EDITOR")[1].spaces.active.show_region_ui = False
    yield from curves_of(window, "LeftUpperLeg", (0, 48), "rotation_quaternion")
    yield from window.picture("walk")


def menu(window):
    """File > Import."""
    imported("walk.animj")
    bpy.context.scene.frame_set(24)
    look(window, (80.0, 0.0, 70.0), 1.5)
    window.find_area("VIEW_3D")[1].spaces.active.region_3d.view_location.y -= 0.6  # beside the menu
    yield from window.settle()
    yield from window.open_imports(60, 17)
    yield from window.picture("import")
    yield from window.key("ESC")
    yield from window.key("ESC")


def imported(name, **options):
    """Bring in a test file."""
    path = facts.file_called(name)
    importer = {".bin": "mrtk", ".w3d": "w3d", ".animj": "animx"}[path.suffix]
    getattr(bpy.ops.import_anim, importer)(filepath=str(path), **options)


def look(window, turned, farther):
    """See what moves from a direction, in degrees, as near as its size allows, or farther by a factor."""
    space = window.find_area("VIEW_3D")[1].spaces.active
    space.overlay.show_cursor, region = False, space.region_3d
    region.view_rotation = Euler([radians(angle) for angle in turned]).to_quaternion()
    bpy.context.view_layer.update()
    low, high = (Vector(map(end, zip(*facts.shown_places(), strict=True))) for end in (min, max))
    region.view_location, region.view_distance = (low + high) / 2, (high - low).length * farther


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
