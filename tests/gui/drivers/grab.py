"""A recording is grabbed where it is seen: dropped, the hand clicked, Ctrl Tab, A, G, as a person does it.

The pictures are there to be looked at: both hands are in the view from the first frame to the last, and which bones
are selected, and which one is active, is told at a glance in each mode, shading and theme.
"""

from __future__ import annotations

from pathlib import Path

import bpy
import facts
import first_second

FINGER = "ThumbMetacarpalJoint"
MOMENTS = (0.0, 0.25, 0.5, 0.75, 1.0)
THEME = "Blender_Light.xml"
WAY_OUT = (400, 40)
"""The pixel of *Pose Mode* beside the menus of Edit Mode."""


def steps(window):
    """Drop, look at the whole recording, click, take hold, move; then see one bone in every way there is."""
    yield from first_second.default_scene(window)
    yield from first_second.by_drop(window, facts.file_called(first_second.SAMPLES["two_hands"]))
    yield from window.until(facts.armatures)
    (rig,) = facts.armatures()
    yield from window.picture("dropped")
    scene = bpy.context.scene
    start, begin, end = scene.frame_current, scene.frame_start, scene.frame_end
    for moment in MOMENTS:
        scene.frame_set(round(begin + moment * (end - begin)))
        assert not facts.is_cut(window, facts.model_places()), f"frame {scene.frame_current}: a hand is cut off"
        yield 0.1
    scene.frame_set(start)
    yield from window.settle()
    yield from window.move_over("VIEW_3D")
    yield from window.key("A", alt=True)
    side = next(side for side in "LR" if rig.pose.bones[f"Wrist.{side}"]["tracked"])
    yield from window.click(*middle_of(window, rig, f"{FINGER}.{side}"))
    yield from window.picture("clicked")
    assert [bpy.context.object, *bpy.context.selected_objects] == [rig, rig], "the click took something else"
    yield from window.key("TAB", ctrl=True)
    yield from window.until(lambda: rig.mode == "POSE")
    yield from window.key("A")
    yield from window.picture("all")
    before = facts.bone_places(rig)
    yield from window.key("G")
    x, y = middle_of(window, rig, f"{FINGER}.{side}")
    window.move(x + 120, y - 60)
    yield 0.3
    yield from window.click(x + 120, y - 60)
    yield from window.picture("moved")
    moves = {name: facts.farthest_move({name: place}, facts.bone_places(rig)) for name, place in before.items()}
    assert min(moves.values()) > 0.0, "a bone stayed where it was"
    rig = yield from taken_back(window, before)
    yield from one_bone(window, rig, f"{FINGER}.{side}")


def taken_back(window, before):
    """Undo and redo the move; the armature, which undo may have made anew."""
    after = facts.bone_places(facts.armatures()[0])
    for redone, places in ((False, before), (True, after)):
        yield from window.key("Z", ctrl=True, shift=redone)
        yield from window.settle()
        assert facts.farthest_move(places, facts.bone_places(facts.armatures()[0])) < 1e-6
    return facts.armatures()[0]


def one_bone(window, rig, bone):
    """Click one bone, and look at it in wireframe, in Edit Mode, which the sidebar explains, and in the light theme."""
    yield from window.click(*middle_of(window, rig, bone))
    yield from window.picture("one")
    held = [found.name for found in bpy.context.selected_pose_bones]
    assert held == [bone] == [bpy.context.active_pose_bone.name], held
    space = window.find_area("VIEW_3D")[1].spaces.active
    space.shading.type = "WIREFRAME"
    yield from window.picture("one_wireframe")
    space.shading.type = "SOLID"
    yield from window.open_sidebar("VIEW_3D")
    yield from window.key("TAB")
    yield from window.until(lambda: rig.mode == "EDIT")
    yield from window.picture("one_edit")
    yield from window.click(*WAY_OUT)
    failed = "beside the menus of Edit Mode no button leads to the bones"
    yield from window.until(lambda: rig.mode == "POSE", failed)
    assert [found.name for found in bpy.context.selected_pose_bones] == [bone]
    theme = next(
        Path(found, THEME) for found in bpy.utils.preset_paths("interface_theme") if Path(found, THEME).exists()
    )
    bpy.ops.script.execute_preset(filepath=str(theme), menu_idname="USERPREF_MT_interface_theme_presets")
    yield from window.picture("one_light")


def middle_of(window, rig, bone):
    """The pixel where the middle of a bone is seen."""
    shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones[bone]
    return facts.pixel_of(window, rig.matrix_world @ ((shown.head + shown.tail) / 2))
