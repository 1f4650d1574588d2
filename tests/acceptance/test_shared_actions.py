"""An imported Action to which a person adds a slot for something of their own, as Blender 4.4 and later offer it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from in_blender import add, animate, choose, curves_of
from scenes.players import animx, mrtk

bpy = pytest.importorskip("bpy")
SLOTTED = "slots" in bpy.types.Action.bl_rna.properties
pytestmark = pytest.mark.skipif(not SLOTTED, reason="Blender 4.2 knows no slots")

DATA = Path(__file__).resolve().parent.parent / "data"
HAND, WALK = DATA / "mrtk" / "v10_recorder_3s_left_hand.bin", DATA / "animx" / "08_walk.animj"
FORMATS = {".bin": "mrtk", ".animj": "animx"}


def bring_in(path: Path, **options: Any) -> Any:
    """Import a file; its armature, alone selected."""
    assert getattr(bpy.ops.import_anim, FORMATS[path.suffix])(filepath=str(path), **options) == {"FINISHED"}
    return bpy.context.view_layer.objects.active


def sent(path: Path) -> bytes:
    """What an export writes into a file."""
    assert getattr(bpy.ops.export_anim, FORMATS[path.suffix])(filepath=str(path)) == {"FINISHED"}
    return path.read_bytes()


def prop_in(action: Any) -> Any:
    """An object of a person's own with a slot of the Action, which moves before and long after what was imported."""
    prop = add("Prop")
    data = prop.animation_data_create()
    data.action, data.action_slot = action, action.slots.new("OBJECT", "Prop")
    animate(prop, "location", {-50: 0.0, 500: 3.0}, index=0)
    return prop


@pytest.mark.parametrize("path", [HAND, WALK], ids=lambda path: path.suffix)
def test_what_a_person_adds_to_an_action_is_not_exported_with_the_armature(path: Path, tmp_path: Path) -> None:
    rig = bring_in(path)
    prop_in(rig.animation_data.action)
    assert sent(tmp_path / path.name) == path.read_bytes()


def test_an_edited_armature_lasts_as_long_as_its_own_slot(tmp_path: Path) -> None:
    rig = bring_in(HAND)
    prop_in(rig.animation_data.action)
    animate(rig.pose.bones["Palm.L"], "location", {30: 1.0}, index=0)
    assert mrtk.Player(sent(tmp_path / "edited.bin")).duration == mrtk.Player(HAND.read_bytes()).duration
    bpy.context.scene.render.fps, own = 24, add("Own")  # and so does what never was a file's
    animate(own, "location", {5: 0.0, 29: 1.0}, index=0)
    prop_in(own.animation_data.action)
    choose(own)
    assert animx.Player(sent(tmp_path / "own.animj")).duration == pytest.approx(1.0)


def test_export_in_place_writes_all_slots_where_the_format_holds_them(tmp_path: Path) -> None:
    path = Path(shutil.copy(WALK, tmp_path))
    rig = bring_in(path)
    prop_in(rig.animation_data.action)
    assert bpy.ops.anim_curves.export_in_place() == {"FINISHED"}
    player = animx.Player(path.read_bytes())
    assert {"Hips", "Spine", "Head", "Prop"} == set(player.nodes)


def test_the_second_of_two_merged_takes_is_written_alone(tmp_path: Path) -> None:
    """Blender's Merge Animation puts the Actions of selected objects into the active one's."""
    first, second = (bring_in(WALK, target="NEW") for _ in range(2))
    sidewards(second)
    choose(first, second)
    assert bpy.ops.anim.merge_animation() == {"FINISHED"}
    assert first.animation_data.action == second.animation_data.action
    choose(second)
    player, before = animx.Player(sent(tmp_path / WALK.name)), animx.Player(WALK.read_bytes())
    assert set(player.nodes) == {"Hips", "Spine", "Head"}
    there, here = (found.field("Hips", "Position", 0.5) for found in (player, before))
    assert there - here == pytest.approx([-1.0, 0.0, 0.0], abs=1e-3)


def sidewards(rig: Any) -> None:
    """Move what a take moves by a metre along X, all keys of every curve."""
    for curve in curves_of(rig.animation_data.action):
        if curve.data_path.endswith("location") and curve.array_index == 0:
            for key in curve.keyframe_points:
                key.co.y, key.handle_left.y, key.handle_right.y = (
                    height + 1.0 for height in (key.co.y, key.handle_left.y, key.handle_right.y)
                )
            curve.update()


@pytest.mark.parametrize("first", [True, False])
def test_export_in_place_of_merged_takes_writes_the_first_one(first: bool, tmp_path: Path) -> None:
    path = Path(shutil.copy(HAND, tmp_path))
    rigs = [bring_in(path, target="NEW") for _ in range(2)]
    sidewards(rigs[1])
    choose(*rigs)
    assert bpy.ops.anim.merge_animation() == {"FINISHED"}
    bpy.context.view_layer.objects.active = rigs[0 if first else 1]
    assert bpy.ops.anim_curves.export_in_place() == {"FINISHED"}
    assert path.read_bytes() == HAND.read_bytes()


@pytest.mark.parametrize("chosen", ["both", "prop"])
def test_keys_copied_into_a_slot_of_ones_own_are_written(tmp_path: Path, chosen: str) -> None:
    """They say what the file's own keys say, of another object."""
    path = box_that_moves(tmp_path)
    assert bpy.ops.import_anim.animx(filepath=str(path), node_kind="OBJECT", name_prefix="my ") == {"FINISHED"}
    box = bpy.data.objects["Box"]
    action = box.animation_data.action
    prop = prop_in(action)
    strip = action.layers[0].strips[0]
    copied = strip.channelbag(prop.animation_data.action_slot, ensure=True).fcurves
    copied.clear()
    for curve in strip.channelbag(action.slots[0]).fcurves:
        copy_keys(curve, copied.new(curve.data_path, index=curve.array_index))
    prop.select_set(True)
    box.select_set(chosen == "both")
    data = sent(tmp_path / "out.animj")
    assert animx.Player(data).field("Prop", "Position", 0.75) == pytest.approx([-1.5, 0.0, 0.0])
    assert json.loads(data)["name"] == ("box" if chosen == "both" else "my box")


def box_that_moves(folder: Path) -> Path:
    """A file of one node that goes two metres along the engine's -X in a second."""
    keys = [{"time": at, "value": {"x": -2 * at, "y": 0, "z": 0}, "interpolation": "Linear"} for at in (0.0, 1.0)]
    data = {"node": "Box", "property": "Position", "keyframes": keys}
    track = {"trackType": "Curve", "valueType": "float3", "data": data}
    path = folder / "box.animj"
    path.write_text(json.dumps({"name": "box", "globalDuration": 1.0, "tracks": [track]}), encoding="utf-8")
    return path


def copy_keys(source: Any, target: Any) -> None:
    """Give an F-Curve the keys of another, as Copy and Paste do."""
    target.keyframe_points.add(len(source.keyframe_points))
    for theirs, own in zip(source.keyframe_points, target.keyframe_points, strict=True):
        for name in ("co", "interpolation", "handle_left_type", "handle_right_type", "handle_left", "handle_right"):
            setattr(own, name, getattr(theirs, name))
    target.update()


def test_renamed_objects_go_on_playing_their_own_slots_of_an_action_that_is_replaced() -> None:
    bring_in(WALK, node_kind="OBJECT")
    things = list(bpy.data.objects)
    for thing in things:
        thing.name = f"my {thing.name}"
    bring_in(WALK, node_kind="OBJECT", target="BY_NAME", existing="REPLACE", nla="STRIP")
    assert len(things) == len(bpy.data.objects) == 3 and len(bpy.data.actions) == 1
    assert all(thing.animation_data.action_slot.name_display == thing.name for thing in things)


def test_a_pose_at_rest_in_a_slot_of_ones_own_is_something(tmp_path: Path) -> None:
    """Which the keys that hold an imported armature at rest are not."""
    bpy.ops.import_anim.w3d(filepath=str(DATA / "w3d" / "g02_tc_default.w3d"))
    rig = bpy.context.object
    action, other = rig.animation_data.action, rig.copy()
    bpy.context.scene.collection.objects.link(other)
    other.animation_data.action_slot = action.slots.new("OBJECT", "Other")
    animate(other.pose.bones["BONE_05"], "location", {3: (0.0, 0.0, 0.0)})
    choose(other)
    assert bpy.ops.export_anim.w3d(filepath=str(tmp_path / "pose.w3d")) == {"FINISHED"}
