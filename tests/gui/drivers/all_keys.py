"""Select all keys and move or scale them, with the editors' default settings: every curve goes along.

Blender's editors leave out the channels of hidden bones, so that nothing may be hidden, whatever plays.
"""

from __future__ import annotations

import bpy
import facts

FILES = ("two_hands_mrtk_1.1.bin", "five_bones_raw_w3d.w3d")
IMPORTERS = {".bin": "mrtk", ".w3d": "w3d"}
EDITORS = ("DOPESHEET", "ACTION", "FCURVES")
PLAYHEADS = (1, 60, 200)


def steps(window):
    """Each editor moves all keys by two frames at each playhead, and scales them once."""
    for file in FILES:
        bpy.ops.wm.read_homefile(app_template="", use_factory_startup=True)
        yield from window.settle()
        path = facts.file_called(file)
        with window.over("VIEW_3D"):
            getattr(bpy.ops.import_anim, IMPORTERS[path.suffix])(filepath=str(path))
            bpy.ops.screen.area_split(direction="HORIZONTAL", factor=0.5)
        yield 0.5
        for editor in EDITORS:
            yield from move_all(window, editor, path.stem)


def move_all(window, editor, name):
    """Move in one editor; the lower of two 3D views becomes that editor."""
    areas = [area for area in window.main.screen.areas if area.type in ("VIEW_3D", "DOPESHEET_EDITOR", "GRAPH_EDITOR")]
    area = min((area for area in areas if area.height > 200), key=lambda area: area.y)
    area.ui_type = "FCURVES" if editor == "FCURVES" else "DOPESHEET"
    if editor == "ACTION":
        area.spaces.active.ui_mode = "ACTION"
    yield 0.5
    for playhead in PLAYHEADS:
        bpy.context.scene.frame_set(playhead)
        yield from transformed(window, editor, "move")
    yield from transformed(window, editor, "scale")
    yield from window.picture(f"{name}_{editor.lower()}")


def transformed(window, editor, what):
    """All keys are selected and moved or scaled, as G and S do: no curve has the times that it had."""
    before = [times(curve) for curve in facts.curves()]
    if editor == "FCURVES":
        with window.over("GRAPH_EDITOR"):
            bpy.ops.graph.select_all(action="SELECT")
            if what == "move":
                bpy.ops.transform.translate(value=(2.0, 0.0, 0.0))
            else:
                bpy.ops.transform.resize(value=(1.5, 1.0, 1.0))
    else:
        with window.over("DOPESHEET_EDITOR"):
            bpy.ops.action.select_all(action="SELECT")
            mode, amount = ("TIME_TRANSLATE", 2.0) if what == "move" else ("TIME_SCALE", 1.5)
            bpy.ops.transform.transform(mode=mode, value=(amount, 0.0, 0.0, 0.0))
    yield from window.settle()
    after = [times(curve) for curve in facts.curves()]
    same = sum(old == new for old, new in zip(before, after, strict=True))
    assert not same, f"{editor}: {what} left {same} of {len(before)} curves where they were"


def times(curve):
    """The frames of a curve's first two keys: a key at the pivot of a scaling stays."""
    return [round(key.co[0], 4) for key in curve.keyframe_points[:2]]
