"""An import onto a person's own rig changes keys and what the report lists, and no other setting of it."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import mrtk_scene
import numpy as np
import pytest
import w3d_scene
from blend_census import plain
from hand_rigs import degrees_between, hand_rig, mixamo
from in_blender import add, animate, generated_rigify
from scenes.players.mrtk import Player

bpy = pytest.importorskip("bpy")

RECORDING = mrtk_scene.DATA / "v11_recorder_10s_two_hands_mrtk273.bin"
PLAYED = {"location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle", "scale", "dimensions"}
"""What keys set, and what follows from it."""

Settings = dict[tuple[str, str], str]
REPORTED = {"anim_curves_tie", "anim_curves_node"}


def parts_of(rig: Any) -> dict[str, Any]:
    """Everything that a rig consists of, and what hangs on it, by a name of its own."""
    parts = {"object": rig, "data": rig.data, "pose": rig.pose}
    lists = {"bone": rig.data.bones, "pose bone": rig.pose.bones, "collection": rig.data.collections_all}
    lists |= {"child": rig.children, "object constraint": rig.constraints}
    parts |= {f"{kind} {found.name}": found for kind, held in lists.items() for found in held}
    for bone in rig.pose.bones:
        parts |= {f"{bone.name}'s colour": bone.color, f"{bone.name}'s own colour": bone.bone.color}
        parts |= {f"{bone.name}'s constraint {found.name}": found for found in bone.constraints}
    return parts


def settings_of(rig: Any) -> Settings:
    """Every setting that a person can make of the rig, by part and property, custom ones as well."""
    found: Settings = {}
    for part, holder in parts_of(rig).items():
        for rna in holder.bl_rna.properties:
            if not rna.is_readonly and rna.identifier not in PLAYED and "matrix" not in rna.identifier:
                value = getattr(holder, rna.identifier)
                found[part, rna.identifier] = repr(list(value) if getattr(rna, "is_array", False) else value)
        drivers = getattr(getattr(holder, "animation_data", None), "drivers", ())
        found[part, "drivers"] = repr([driver.data_path for driver in drivers])
        if isinstance(holder, bpy.types.ID | bpy.types.Bone | bpy.types.PoseBone):
            found |= {(part, f'["{key}"]'): repr(plain(value)) for key, value in holder.items()}
    return found


def changed(before: Settings, after: Settings) -> set[tuple[str, str]]:
    """What differs, but for what the report may list and for custom properties that have keys now."""
    bones = ((path.split('"')[1], path) for path in paths_with_properties())
    keyed = {(f"pose bone {bone}", path[path.rindex("[") :]) for bone, path in bones}
    names = {(part, name) for part, name in {*before, *after} if before.get((part, name)) != after.get((part, name))}
    return {(part, name) for part, name in names - keyed if name.strip('[]"') not in REPORTED}


def paths_with_properties() -> list[str]:
    """Data paths of the curves of custom properties of bones."""
    curves = [curve for action in bpy.data.actions for curve in mrtk_scene.curves_of(action)]
    return [curve.data_path for curve in curves if curve.data_path.endswith('"]') and curve.data_path.count("[") > 1]


def hands() -> Any:
    """A Mixamo figure's hands, one of them with a mesh, a constraint and a shape of its maker's."""
    rig = hand_rig(bpy, mixamo, 0.3, 0.0)
    for bone in rig.pose.bones:
        bone.rotation_mode = "QUATERNION"
    ring = add("Ring", bpy.data.meshes.new("Ring"))
    ring.parent, ring.parent_type, ring.parent_bone = rig, "BONE", mixamo("L", "Ring", 1)
    rig.pose.bones[mixamo("L", "Index", 2)].constraints.new("LIMIT_ROTATION")
    rig.pose.bones[mixamo("L", "Thumb", 1)].custom_shape = ring
    rig.data.collections.new("Left")
    rig.show_in_front, rig.data.display_type = False, "WIRE"
    return rig


def figure() -> Any:
    """The bones of a figure of a game, made by a person."""
    names = ("HIP", "CHEST", "HEAD")
    bones = {name: (names[at - 1] if at else None, (0.0, 0.0, float(at))) for at, name in enumerate(names)}
    rig = mrtk_scene.own_rig(bones)
    for bone in rig.pose.bones:
        bone.rotation_mode = "QUATERNION"
    return rig


def blinking(folder: Path) -> Path:
    """An animation of that figure whose chest is not always seen."""
    lay = w3d_scene.Lay
    skeleton = lay.hierarchy(["ROOTTRANSFORM", "HIP", "CHEST", "HEAD"], [-1, 0, 1, 2], name="MAN", step=1.0)
    moves = [lay.raw(0, [float(at * pivot) for at in range(5)], 0, pivot) for pivot in (1, 2, 3)]
    seen = lay.bits(0, [True, False, True, False, True], 2)
    return w3d_scene.write(folder / "walk.w3d", skeleton, lay.animation(*moves, seen, skeleton="MAN", frames=5))


@pytest.mark.parametrize("kind", ["hands", "figure"])
def test_only_keys_and_ties_are_new_on_a_rig(kind: str, tmp_path: Path) -> None:
    rig = hands() if kind == "hands" else figure()
    bpy.context.view_layer.objects.active = rig
    bpy.ops.ed.undo_push(message="before")
    before, name = settings_of(rig), rig.name
    importing = bpy.ops.import_anim.mrtk if kind == "hands" else bpy.ops.import_anim.w3d
    path = RECORDING if kind == "hands" else blinking(tmp_path)
    assert importing(filepath=str(path), target="SELECTED") == {"FINISHED"}
    for frame in (1, 30, 120):
        bpy.context.scene.frame_set(frame)
        assert rig.animation_data.action is not None and changed(before, settings_of(rig)) == set()
    assert paths_with_properties(), "nothing of the file hides anything"
    bpy.ops.ed.undo_push(message="import")
    bpy.ops.ed.undo()
    assert settings_of(bpy.data.objects[name]) == before


def test_a_second_import_draws_bones_as_the_first_made_them(tmp_path: Path) -> None:
    made = []
    for _ in range(2):
        assert bpy.ops.import_anim.w3d(filepath=str(blinking(tmp_path)), target="AUTO") == {"FINISHED"}
        made.append((len(bpy.data.armatures), {thing.name for thing in bpy.data.objects}))
    assert made[0] == made[1] and len(made[0][1]) > 1


def rigify_human() -> Any:
    """A generated Rigify figure alone, active."""
    importlib.import_module("addon_utils").enable("rigify", default_set=True)
    return generated_rigify()


LED = {"hand": "Wrist MiddleKnuckle", "f_middle.01": "MiddleKnuckle MiddleMiddleJoint"}
LED |= {"f_index.02": "IndexMiddleJoint IndexDistalJoint", "f_pinky.01": "PinkyKnuckle PinkyMiddleJoint"}


def test_the_deforming_hands_of_a_generated_rigify_rig_play_what_was_recorded() -> None:
    """Its fingers hang on bones that copy others, and its arms follow IK until they are switched."""
    rig, recorded = rigify_human(), Player(RECORDING.read_bytes())
    mrtk_scene.bring_in(RECORDING, target="SELECTED")
    for frame, side in ((24, "L"), (84, "R"), (198, "L")):
        bpy.context.scene.frame_set(frame)
        bones = {name: rig.pose.bones[f"DEF-{name}.{side}"] for name in LED}
        shown = {name: bone.y_axis for name, bone in bones.items()} | {
            "hand": bones["f_middle.01"].head - bones["hand"].head
        }
        for name, joints in LED.items():
            start, end = (recorded.pose(f"{joint}.{side}", frame / 24)[0] for joint in joints.split())
            along = np.array(shown[name])[[0, 2, 1]]  # Unity's axes
            assert degrees_between(along, end - start) < (6.0 if name == "hand" else 1.5), (name, side, frame)


def test_a_generated_rigify_rig_has_one_hand_of_a_recording_of_one(tmp_path: Path) -> None:
    """The other arm stays as it is, its hand, which constraints hold, untold; one that IK leads again is told of."""
    rig = rigify_human()
    mrtk_scene.bring_in(mrtk_scene.DATA / "v10_recorder_3s_left_hand.bin", target="SELECTED")
    switched = {bone.name for bone in rig.pose.bones if bone.get("IK_FK") == 1.0}
    assert switched == {"upper_arm_parent.L"}
    mrtk_scene.send_out(tmp_path / "left.bin")
    before = mrtk_scene.export_report()
    assert Player((tmp_path / "left.bin").read_bytes()).keys["IndexMetacarpal.L"]  # which no key of the file moves
    rig.pose.bones["upper_arm_parent.L"]["IK_FK"] = 0.0
    mrtk_scene.send_out(tmp_path / "left.bin")
    assert "Wrist.R" not in before and " IK, and " not in before
    assert f"1 limb of {rig.name} plays IK" in mrtk_scene.export_report()
    animate(rig.pose.bones["upper_arm_parent.L"], '["IK_FK"]', {90: 0.0, 10: 1.0})
    mrtk_scene.send_out(tmp_path / "left.bin")
    assert f"1 limb of {rig.name} plays IK" in mrtk_scene.export_report(), "at times"
