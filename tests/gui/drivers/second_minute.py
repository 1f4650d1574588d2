"""After an import: the panel Take, whose numbers are adjusted live, as pictures of Adjust Last Operation show."""

from __future__ import annotations

import bpy
import facts
import first_second

RECORDING = first_second.SAMPLES["two_hands"]


def steps(window):
    """Drop, thin, take it back, thin with other numbers."""
    yield from first_second.default_scene(window)
    yield from first_second.by_drop(window, facts.file_called(RECORDING))
    yield from window.until(facts.armatures)
    yield from window.settle()
    yield from window.open_sidebar("VIEW_3D")
    yield from thinned(window)


def thinned(window):
    """Fewer keys, in Edit Mode all of them again, then fewer by other numbers."""
    keys = key_count()
    with window.over("VIEW_3D"):
        bpy.ops.object.editmode_toggle()
        bpy.ops.ed.undo_push(message="Edit Mode")
    fewer_keys(window)
    first = key_count()
    assert first < keys
    yield from window.undo()
    assert key_count() == keys, f"{key_count()} keys after undo, {keys} before"
    fewer_keys(window)
    yield from window.move_over("VIEW_3D")
    yield from window.key("F9")
    yield from window.picture("adjust")
    yield from window.key("ESC")
    operator = thinning()
    said = operator.said
    assert "Fewer Keys kept" in said, said
    operator.thin_location, operator.thin_rotation = 10.0, 3.0
    with window.over("VIEW_3D"):
        bpy.ops.ed.undo_redo()
    yield from window.settle()
    assert key_count() < first and thinning().said != said, "the other number changed nothing"
    yield from reload_refused(window)


def reload_refused(window):
    """The file again in the place of what was thinned: a person is asked first, and presses Escape."""
    left = key_count()
    yield from window.move_over("VIEW_3D")
    with window.over("VIEW_3D"):
        assert bpy.ops.anim_curves.reload("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    yield from window.picture("reload")
    yield from window.key("ESC")
    assert key_count() == left


def thinning():
    """The operator as it was last done."""
    done = bpy.context.window_manager.operators
    (operator,) = [one for one in done if one.bl_idname == "ANIM_CURVES_OT_fewer_keys"]
    return operator


def fewer_keys(window):
    """What the panel's button does."""
    with window.over("VIEW_3D"):
        assert bpy.ops.anim_curves.fewer_keys("EXEC_DEFAULT", True) == {"FINISHED"}


def key_count():
    """All keys of the one Action."""
    return sum(len(curve.keyframe_points) for curve in facts.curves())
