"""The first second after an import into Blender's default scene, nothing else touched: what a new user sees.

Each sample comes in twice, by File > Import as a person clicks through it, and dropped on the 3D view. The pictures
are there to be looked at: a person who has read nothing can say what each of them shows. What is shown fills a third of
the view at least as the import leaves it; after View > Frame Selected so does what the armature moves, a hand that is
not tracked included, as Blender counts every bone wherever it stands, and no mesh is cut off.
"""

from __future__ import annotations

import bpy
import facts

SAMPLES = {
    "left_hand": "left_hand_mrtk_1.0.bin",
    "two_hands": "two_hands_mrtk_1.1.bin",
    "w3d_bones": "five_bones_raw_w3d.w3d",
    "w3d_more_bones": "twenty_bones_adaptive_delta_w3d.w3d",
    "w3d_walker": "walker.w3d",
    "w3d_rigid_model": "m01_rigid.w3d",
    "w3d_skin": "m02_wlk.w3d",
    "w3d_figure": "m03_skin2.w3d",
    "w3d_levels": "m04_lod.w3d",
    "w3d_surfaces": "m05_materials.w3d",
    "w3d_mesh_alone": "m06_single.w3d",
    "w3x_bones": "five_bones_w3x.w3x",
    "walk_animj": "walk.animj",
    "walk_animx": "walk.animx",
}
LEAST_SHARE = 1 / 3
LINES = ("animx", "w3x", "w3d", "mrtk")
"""Our lines in File > Import, from the last on: add-ons append theirs, and ours came last."""
FORMATS = {".bin": "mrtk", ".w3d": "w3d", ".w3x": "w3x", ".animx": "animx", ".animj": "animx"}


def steps(window):
    """Import every sample on its own and look; once more after View > Frame Selected."""
    small = []
    for name, file in SAMPLES.items():
        path = facts.file_called(file)
        for way in (by_menu, by_drop):
            yield from default_scene(window)
            before = set(bpy.data.objects)
            yield from way(window, path)
            failed = f"{name} {way.__name__}: nothing was imported"
            yield from window.until(lambda before=before: set(bpy.data.objects) - before, failed)
            yield from window.picture(f"{name}_{way.__name__}")
            small += too_small(window, f"{name} {way.__name__}", facts.shown_places())
        small += yield from framed(window, name)
    assert not small, "\n".join(small)


def default_scene(window):
    """What Blender starts with."""
    bpy.ops.wm.read_homefile(app_template="", use_factory_startup=True)
    yield from window.settle()


def framed(window, name):
    """View > Frame Selected."""
    with window.over("VIEW_3D"):
        bpy.ops.view3d.view_selected()
    yield from window.picture(f"{name}_framed")
    what = f"{name} after Frame Selected"
    cut = [f"{what}: a part of a mesh is outside of the view"] if facts.is_cut(window, facts.model_places()) else []
    return cut + too_small(window, what, [*facts.shown_places(), *facts.moving_places().values()])


def too_small(window, what, places):
    """What is said of a view of which these places take too little."""
    share = facts.share_of_view(window, places)
    return [f"{what}: it fills {share:.2f} of the view"] if share < LEAST_SHARE else []


def by_menu(window, path):
    """File > Import > our line, with pointer and keys, then the file and Return."""
    yield from window.open_imports()
    yield from window.settle()
    for _ in range(LINES.index(FORMATS[path.suffix]) + 1):
        yield from window.key("UP_ARROW")
    yield from window.key("RET")
    yield 1.0
    yield from window.choose_file(path.parent, path.name)
    opened = window.operator().bl_idname
    assert opened == f"IMPORT_ANIM_OT_{FORMATS[path.suffix]}", f"the menu opened {opened}"
    yield from window.move_over("FILE_BROWSER")
    yield from window.key("RET")
    yield from window.settle()


def by_drop(window, path):
    """What Blender does when a file is dropped on the 3D view: the options in a dialogue, confirmed by Return."""
    yield from window.drop(path)
    yield from window.settle()
    yield from window.key("RET")
    yield from window.settle()
