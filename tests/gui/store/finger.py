"""One finger of a generated Rigify figure in the Graph Editor: as Blender's glTF brings it back, and as an AnimJ does.

A person keys the control that bends it; what the deforming bones do comes of Rigify's constraints and drivers. Both are
seen on the bones that glTF brings back.
"""

from __future__ import annotations

from pathlib import Path

import bpy
from in_blender import animate, generated_rigify
from store import store

CONTROL, BONE = "f_index.01_master.L", "DEF-f_index.02.L"
BENT = {1: 1.0, 13: 0.4, 31: 0.85, 49: 1.0}
"""The control's size along the finger, which bends it, by frame."""


def steps(window):
    """Key the finger, send the figure out in both ways, and look at the bone of each that comes back."""
    store.calm()
    bpy.ops.preferences.addon_enable(module="rigify")
    yield from store.emptied(window)
    control = generated_rigify().pose.bones[CONTROL]
    animate(control, "scale", BENT, index=1)
    files = Path("/gui-run/out/finger.glb"), Path("/gui-run/out/finger.animj")
    bpy.ops.export_scene.gltf(filepath=str(files[0]), export_animation_mode="ACTIVE_ACTIONS")
    bpy.ops.export_anim.animx(filepath=str(files[1]))
    for path in files:
        yield from store.emptied(window)
        bpy.ops.import_scene.gltf(filepath=str(files[0]))
        if path.suffix == ".animj":
            bpy.context.object.animation_data_clear()
            bpy.ops.import_anim.animx(filepath=str(path), target="SELECTED")
        yield from window.divide("HORIZONTAL", 0.8, "FCURVES")
        space = window.find_area("GRAPH_EDITOR")[1].spaces.active
        space.show_region_ui = space.use_auto_normalization = False
        yield from store.curves_of(window, BONE, (0, 50), "rotation_quaternion")
        space.use_normalization = False
        with window.over("GRAPH_EDITOR"):
            bpy.ops.graph.view_selected(include_handles=False)
        yield from window.picture(path.suffix[1:])
