"""A walk and a recording dropped onto a person's own rigs; then a name that was not found is chosen from the list.

The pictures are there to be looked at: a figure that walks upright, hands that stay the person's, the list of names.
"""

from __future__ import annotations

import bodies
import bpy
import facts
import first_second
import hand_rigs
from mathutils import Vector

WALK, RECORDING = "walk.animj", first_second.SAMPLES["two_hands"]
STRANGE = "TopOfTheFigure"
"""What a person calls the head of a figure."""
BONE_OF_HEAD = (566, 459)
"""Where the list of names is clicked, as the dialogue opens with the pointer in the middle of the 3D view."""


def steps(window):
    """Give a person's hands a recording and take it back; then a figure its walk, and the head its name."""
    yield from hands(window)
    yield from first_second.default_scene(window)
    bpy.data.objects.remove(bpy.data.objects["Cube"])
    rig, names = bodies.body(bpy, "Unreal", 2, a_pose=True, aligned=False)
    rig.data.bones[names["head"]].name = STRANGE
    rest = facts.bone_places(rig)
    yield from framed(window)
    yield from window.picture("figure_before")
    yield from first_second.by_drop(window, facts.file_called(WALK))
    yield from window.until(lambda: rig.animation_data)
    bpy.context.scene.frame_set(24)
    yield from window.open_sidebar("VIEW_3D")
    yield from window.picture("figure_walks")
    places = [Vector(place) for place in facts.bone_places(rig).values()]
    assert not facts.is_cut(window, places), "the figure has left the view"
    assert facts.armatures() == [rig] and facts.farthest_move(rest, facts.bone_places(rig)) > 0.1
    assert STRANGE not in keyed()
    yield from named(window, rig)
    yield from adjusted(window)


def adjusted(window):
    """Adjust Last Operation says how the rig took the walk, and anew with another option; the sidebar says the same."""
    bpy.ops.ed.undo_push(message="Named")
    yield from first_second.by_drop(window, facts.file_called(WALK))
    for said in ("The proportions of Unreal are kept", "times its size: use Rotation Only"):
        found = bpy.context.window_manager.operators[-1]
        assert said in found.said, f"{found.bl_idname}: {found.said}"
        yield from window.move_over("VIEW_3D")
        yield from window.key("F9")
        yield from window.picture(f"adjust_{found.fit.lower()}")
        yield from window.key("ESC")
        found.fit = "EXACT"
        yield from redone(window, found)
    found = bpy.context.window_manager.operators[-1]
    found.pairs["Head"].bone = STRANGE
    yield from redone(window, found)
    assert STRANGE in keyed(), "the list of names in Adjust Last Operation changes nothing"


def redone(window, operator):
    """What Blender does when something is changed in Adjust Last Operation; it is a step that can be undone there."""
    with window.over("VIEW_3D"):
        bpy.ops.ed.undo_redo()
        bpy.ops.ed.undo_push(message=operator.bl_label)
    yield from window.settle()


def hands(window):
    """A person's shapes stay on the bones, whether the recording stays or is taken back."""
    yield from first_second.default_scene(window)
    cube = bpy.data.objects["Cube"]
    rig = hand_rigs.hand_rig(bpy, hand_rigs.mixamo, 0.4, 0.0)
    for bone in rig.pose.bones:
        bone.custom_shape, bone.custom_shape_scale_xyz = cube, (0.2, 0.2, 0.2)
    cube.hide_set(True)
    rig.select_set(True)
    yield from framed(window)
    bpy.ops.ed.undo_push(message="Rig")
    yield from window.picture("hands_before")
    yield from first_second.by_drop(window, facts.file_called(RECORDING))
    yield from window.until(lambda: facts.armatures()[0].animation_data)
    yield from window.picture("hands_move")
    yield from window.undo()
    yield from window.picture("hands_undone")
    (rig,) = facts.armatures()
    assert rig.animation_data is None


def named(window, rig):
    """Open the list by its button, choose the bone in the menu of the line that is marked, and confirm."""
    yield from window.move_over("VIEW_3D")
    with window.over("VIEW_3D"):
        bpy.ops.anim_curves.match_names("INVOKE_DEFAULT")
    yield from window.picture("names")
    yield from window.click(*BONE_OF_HEAD)
    yield from window.picture("names_menu")
    for letter in STRANGE[:3]:
        yield from window.key(letter.upper())
    yield from window.settle()
    yield from window.key("RET")
    yield from window.picture("names_chosen")
    yield from window.move_over("VIEW_3D")  # beside the field that Return would type into
    yield from window.key("RET")
    yield from window.until(lambda: STRANGE in keyed(), "the name that was chosen is given no keys")
    yield from window.picture("figure_named")


def keyed():
    """The names of the bones that the Action moves."""
    return {curve.data_path.split('"')[1] for curve in facts.curves() if '"' in curve.data_path}


def framed(window):
    """View > Frame Selected, without the 3D cursor in the picture."""
    window.find_area("VIEW_3D")[1].spaces.active.overlay.show_cursor = False
    with window.over("VIEW_3D"):
        bpy.ops.view3d.view_selected()
    yield from window.settle()
