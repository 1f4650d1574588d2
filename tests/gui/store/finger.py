"""One finger of a generated Rigify figure in the Graph Editor: as Blender's glTF brings it back, and as an AnimJ does.

A person keys the control that bends it; what the deforming bones do comes of Rigify's constraints and drivers. Both are
seen on the bones that glTF brings back.
"""

from __future__ import annotations

from pathlib import Path

import bpy
from store import store

CONTROL, BONE = "f_index.01_master.L", "DEF-f_index.02.L"
BENT = {1: 1.0, 13: 0.4, 31: 0.85, 49: 1.0}
"""The control's size along the finger, which bends it, by frame."""


def steps(window):
    """Key the finger, send the figure out in both ways, and look at the bone of each that comes back."""
    store.calm()
    bpy.ops.preferences.addon_enable(module="rigify")
    yield from store.emptied(window)
    rig = figure()
    files = Path("/gui-run/out/finger.glb"), Path("/gui-run/out/finger.animj")
    bpy.ops.export_scene.gltf(filepath=str(files[0]), export_animation_mode="ACTIVE_ACTIONS")
    bpy.ops.export_anim.animx(filepath=str(files[1]))
    assert rig.animation_data.action is not None
    for path in files:
        yield from store.emptied(window)
        bpy.ops.import_scene.gltf(filepath=str(files[0]))
        if path.suffix == ".animj":
            bpy.context.object.animation_data_clear()
            bpy.ops.import_anim.animx(filepath=str(path), target="SELECTED")
        yield from store.divided(window, "HORIZONTAL", 0.8, "FCURVES")
        space = window.find_area("GRAPH_EDITOR")[1].spaces.active
        space.show_region_ui = space.use_auto_normalization = False
        yield from store.curves_of(window, BONE, (0, 50), "rotation_quaternion")
        space.use_normalization = False
        with window.over("GRAPH_EDITOR"):
            bpy.ops.graph.view_selected(include_handles=False)
        yield from window.picture(path.suffix[1:])


def figure():
    """A generated figure whose index finger is bent and stretched again."""
    bpy.ops.object.armature_human_metarig_add()
    bpy.ops.pose.rigify_generate()
    metarig = bpy.data.objects["metarig"]
    rig = next(thing for thing in bpy.data.objects if thing.type == "ARMATURE" and thing is not metarig)
    bpy.data.objects.remove(metarig)
    bpy.context.view_layer.objects.active = rig
    rig.select_set(True)
    control = rig.pose.bones[CONTROL]
    for frame, size in BENT.items():
        control.scale.y = size
        control.keyframe_insert("scale", index=1, frame=frame)
    return rig
