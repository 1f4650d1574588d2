"""The first second after an import into Blender's default scene, nothing else touched: what a new user sees.

The pictures are there to be looked at: a person who has read nothing can say what each of them shows. After View >
Frame Selected what moves fills a third of the view at least.
"""

from __future__ import annotations

import bpy
import facts

SAMPLES = {
    "left_hand": "left_hand_mrtk_1.0.bin",
    "two_hands": "two_hands_mrtk_1.1.bin",
    "w3d_bones": "five_bones_raw_w3d.w3d",
    "w3d_rigid_model": "m01_rigid.w3d",
    "w3d_skin": "m02_wlk.w3d",
    "walk_animj": "walk.animj",
    "walk_animx": "walk.animx",
}
LEAST_SHARE = 1 / 3
IMPORTERS = {".bin": "mrtk", ".w3d": "w3d", ".animx": "animx", ".animj": "animx"}


def steps(window):
    """Import every sample on its own and look; once more after View > Frame Selected."""
    for name, file in SAMPLES.items():
        bpy.ops.wm.read_homefile(app_template="", use_factory_startup=True)
        yield from window.settle()
        path = facts.file_called(file)
        with window.over("VIEW_3D"):
            getattr(bpy.ops.import_anim, IMPORTERS[path.suffix])(filepath=str(path))
        yield from window.picture(name)
        with window.over("VIEW_3D"):
            bpy.ops.view3d.view_selected()
        yield from window.picture(f"{name}_framed")
        share = facts.share_of_view(window)
        if share < LEAST_SHARE:
            raise AssertionError(f"{name}: what is seen fills {share:.2f} of the view after Frame Selected")
