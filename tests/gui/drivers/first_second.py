"""The first second after an import into Blender's default scene, nothing else touched: what a new user sees.

Each sample comes in twice, by File > Import as a person clicks through it, and dropped on the 3D view. The pictures
are there to be looked at: a person who has read nothing can say what each of them shows. After View > Frame Selected
what moves fills a third of the view at least.
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
    "w3x_bones": "g02.w3x",
    "walk_animj": "walk.animj",
    "walk_animx": "walk.animx",
}
LEAST_SHARE = 1 / 3
LINES = ("animx", "w3x", "w3d", "mrtk")
"""Our lines in File > Import, from the last on: add-ons append theirs, and ours came last."""
FORMATS = {".bin": "mrtk", ".w3d": "w3d", ".w3x": "w3x", ".animx": "animx", ".animj": "animx"}


def steps(window):
    """Import every sample on its own and look; once more after View > Frame Selected."""
    for name, file in SAMPLES.items():
        path = facts.file_called(file)
        for way in (by_menu, by_drop):
            bpy.ops.wm.read_homefile(app_template="", use_factory_startup=True)
            yield from window.settle()
            yield from way(window, path)
            assert bpy.data.actions, f"{name} {way.__name__}: nothing was imported"
            yield from window.picture(f"{name}_{way.__name__}")
        with window.over("VIEW_3D"):
            bpy.ops.view3d.view_selected()
        yield from window.picture(f"{name}_framed")
        share = facts.share_of_view(window)
        if share < LEAST_SHARE:
            raise AssertionError(f"{name}: what is seen fills {share:.2f} of the view after Frame Selected")


def by_menu(window, path):
    """File > Import > our line, with pointer and keys, then the file and Return."""
    yield from window.click(46, 14)
    yield from window.settle()
    yield from window.key("M")
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
    yield from window.move_over("VIEW_3D")
    with window.over("VIEW_3D"):
        bpy.ops.wm.drop_import_file("INVOKE_DEFAULT", directory=str(path.parent), files=[{"name": path.name}])
    yield 0.5
    yield from window.settle()
    yield from window.key("RET")
    yield from window.settle()
