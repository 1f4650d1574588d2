"""Steps back give back exactly what was there."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from in_blender import editing

bpy = pytest.importorskip("bpy")

VALUES = [7, 2.5, True, "words", [1.0, 2.5], [1, 2, 3], [True, False], {"a": 1, "b": [2.0, 3.0]}]


def plain(value: Any) -> Any:
    """A custom property's value as what was assigned."""
    for convert in ("to_list", "to_dict"):
        if hasattr(value, convert):
            return getattr(value, convert)()
    return value


@pytest.mark.parametrize("later", [5, 1.5, [4.0, 5.0, 6.0]])
@pytest.mark.parametrize("value", VALUES, ids=str)
def test_a_custom_property_is_set_back(rooms: SimpleNamespace, value: Any, later: Any) -> None:
    holder = bpy.data.objects.new("Holder", None)
    holder["value"] = value
    if not isinstance(value, dict):
        holder.id_properties_ui("value").update(description="what it is", default=value)
        settings = holder.id_properties_ui("value").as_dict()
    with rooms.undo.Undo() as undo:
        undo.set_item(holder, "value", later)
        assert plain(holder["value"]) == later
        holder.id_properties_ui("value").update(description="what it is now")
        for number in range(100):  # Blender takes the room of what was replaced
            holder[f"other {number}"] = [8.0, 9.0]
    assert plain(holder["value"]) == value and type(plain(holder["value"])) is type(value)
    if not isinstance(value, dict):
        assert holder.id_properties_ui("value").as_dict() == settings


def test_what_someone_else_removed_with_its_owner_is_not_touched(rooms: SimpleNamespace) -> None:
    """Blender keeps what Python holds of a removed object's bones and tracks, and writes into freed memory."""
    owner, calls = bpy.data.objects.new("Owner", None), []
    track = owner.animation_data_create().nla_tracks.new()
    with rooms.undo.Undo() as undo:
        undo.set(track, "mute", True)
        undo.callback(calls.append, track)
        bpy.data.objects.remove(owner)
    assert calls == []


def test_a_marker_that_someone_else_removed_needs_no_step_back(rooms: SimpleNamespace) -> None:
    """Blender raises an error, of words in freed memory, which took the place of why an import had ended."""
    markers = bpy.context.scene.timeline_markers
    kept = markers.new("kept")
    with rooms.undo.Undo() as undo:
        undo.new(markers, "gone")
        markers.remove(markers["gone"])
        undo.new(markers, "there")
    assert [*markers] == [kept]


def test_what_belongs_to_a_datablock_is_looked_for_again(rooms: SimpleNamespace) -> None:
    """Blender frees bones of a live armature, or keeps them elsewhere once Edit Mode is left, and tells nobody."""
    bpy.ops.object.armature_add()
    rig = bpy.context.object
    with editing(rig) as edited:
        for name in ("Renamed", "Removed"):
            edited.new(name).tail = (0.0, 0.0, 1.0)
    with rooms.undo.Undo() as undo:
        for bone in rig.pose.bones:
            undo.set(bone, "rotation_mode", "XYZ")
            undo.set_item(bone, "posed", 1.0)
            undo.set_item(bone.bone, "resting", 1.0)
        rig.data.bones["Renamed"].name = "Other"
        with editing(rig) as edited:
            edited.remove(edited["Removed"])
        bpy.context.view_layer.update()
    assert [bone.rotation_mode for bone in rig.pose.bones] == ["QUATERNION", "QUATERNION"]
    assert not any([*bone.keys()] for bone in (*rig.pose.bones, rig.data.bones["Bone"]))


def test_bones_of_a_removed_armature_are_not_selected_again(rooms: SimpleNamespace) -> None:
    """As while its Action is loaded again in steps, for the bones of its import alone."""
    bpy.ops.object.armature_add()
    with rooms.armatures.selecting(bpy.context.object, set()):
        bpy.data.objects.remove(bpy.context.object)
