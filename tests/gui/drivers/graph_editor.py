"""A key moved by the Graph Editor's own transform: the file differs in that key only.

With the editor's default settings all curves are visible, so that all keys go along when all are selected and moved:
editors leave out the channels of hidden bones.
"""

from __future__ import annotations

from pathlib import Path

import bpy
import facts
import mrtk_reference

FILE = "v10_recorder_3s_left_hand.bin"
BONE, INDEX, NUMBER = "IndexTip.L", 0, 7
CURVE = ("jointsLeft", "IndexTip", "PositionX")


def steps(window):
    """Import, show every curve, move one key in time and in value, export, compare with a reader of the tests' own."""
    path = facts.file_called(FILE)
    with window.over("VIEW_3D"):
        bpy.ops.import_anim.mrtk(filepath=str(path))
    yield from window.settle()
    yield from show_all_curves(window)
    yield from window.picture("all_curves")
    yield from window.open_sidebar("GRAPH_EDITOR")
    yield from window.picture("panel")
    yield from leave_alone(window, path)
    rate = bpy.context.scene.render.fps / bpy.context.scene.render.fps_base
    keys = mrtk_reference.curves(mrtk_reference.read(path.read_bytes()))[CURVE]["keys"]
    quarter = (keys[NUMBER + 1][0] - keys[NUMBER][0]) / 4
    yield from move_key(window, quarter * rate, 0.0)
    yield from window.picture("moved_in_time")
    changed = differences(path.read_bytes(), export(window))
    assert changed == {(CURVE, NUMBER)}, f"moving one key in time changed {sorted(changed)}"
    yield from move_key(window, 0.0, 0.25)
    yield from window.picture("moved_in_value")
    changed = differences(path.read_bytes(), export(window))
    assert changed == {(CURVE, NUMBER)}, f"moving one key in value changed {sorted(changed)}"


def show_all_curves(window):
    """A Graph Editor below the 3D view, with the curves of all bones."""
    yield from window.divide("HORIZONTAL", 0.5, "FCURVES")
    with window.over("GRAPH_EDITOR"):
        for _ in range(3):
            bpy.ops.anim.channels_expand(all=True)
        bpy.ops.graph.view_all()
    yield from window.settle()
    with window.over("GRAPH_EDITOR"):
        visible = len(bpy.context.visible_fcurves)
    assert visible == len(facts.curves()), f"only {visible} of {len(facts.curves())} curves are visible"


def leave_alone(window, path):
    """Selecting and deselecting is no edit."""
    with window.over("GRAPH_EDITOR"):
        bpy.ops.graph.select_all(action="SELECT")
        bpy.ops.graph.select_all(action="DESELECT")
    yield from window.settle()
    assert export(window) == path.read_bytes()


def the_curve():
    """The F-Curve of the key that moves."""
    path = f'pose.bones["{BONE}"].location'
    return next(curve for curve in facts.curves() if curve.data_path == path and curve.array_index == INDEX)


def move_key(window, frames, value):
    """Select one key and transform it, as G does."""
    curve = the_curve()
    with window.over("GRAPH_EDITOR"):
        bpy.ops.graph.select_all(action="DESELECT")
        key = curve.keyframe_points[NUMBER]
        key.select_control_point = True
        curve.select = True
        before = tuple(key.co)
        bpy.ops.transform.translate(value=(frames, value, 0.0))
    yield from window.settle()
    moved = tuple(a - b for a, b in zip(the_curve().keyframe_points[NUMBER].co, before, strict=True))
    expected = (frames, value)
    assert all(abs(a - b) < 1e-3 for a, b in zip(moved, expected, strict=True)), f"moved by {moved}, not by {expected}"


def export(window):
    """The bytes that the export operator writes now."""
    written = Path("/gui-run/out/edited.bin")
    with window.over("VIEW_3D"):
        bpy.ops.export_anim.mrtk(filepath=str(written), version="1.0")
    return written.read_bytes()


def differences(before, after):
    """Which keys differ of two files that are as long."""
    assert len(before) == len(after), f"{len(before)} bytes became {len(after)}"
    old, new = (mrtk_reference.curves(mrtk_reference.read(data)) for data in (before, after))
    return {
        (name, number)
        for name, curve in old.items()
        for number, keys in enumerate(zip(curve["keys"], new[name]["keys"], strict=True))
        if keys[0] != keys[1]
    }
