"""Ordinary scenes as AnimJ: several Actions, faces, visibility, properties, and tracks that the engine can bind."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

bpy = pytest.importorskip("bpy")
pytestmark = pytest.mark.usefixtures("extension")

Tracks = dict[tuple[str, str], list[dict[str, Any]]]


def thing(name: str, data: Any = None, parent: Any = None) -> Any:
    """An object in the scene, selected; a mesh where no data are given."""
    if data is None:
        data = bpy.data.meshes.new(name)
        data.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    made = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(made)
    made.parent = parent
    made.select_set(True)
    return made


def rig(*bones: str) -> Any:
    """An armature whose bones hang on each other and point up."""
    made = thing("Rig", bpy.data.armatures.new("Rig"))
    bpy.context.view_layer.objects.active = made
    bpy.ops.object.mode_set(mode="EDIT")
    above = None
    for number, name in enumerate(bones):
        bone = made.data.edit_bones.new(name)
        bone.head, bone.tail, bone.parent = (0, 0, number), (0, 0, number + 1), above
        above = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    return made


def face(name: str = "Face", keys: Sequence[str] = ("Smile", "Frown")) -> Any:
    """A mesh with shape keys."""
    made = thing(name)
    for key in ("Basis", *keys):
        made.shape_key_add(name=key)
    return made


def new_action(owner: Any, name: str, *, stored: bool = True) -> Any:
    """Make an owner play a new, empty Action; the one before stays in the file."""
    data = owner.animation_data_create()
    if data.action is not None:
        data.action.use_fake_user = stored
    data.action = bpy.data.actions.new(name)
    if hasattr(data, "action_slot"):
        data.action_slot = data.action.slots.new(owner.id_type, owner.name)
    return data.action


def key(owner: Any, path: str, *values: Any, first: int = 1) -> None:
    """Keys ten frames apart; `path` may be that of a custom property."""
    holder, name = owner, path
    if path.startswith('["'):
        name = path[2:-2]
    for number, value in enumerate(values):
        if path.startswith('["'):
            holder[name] = value
        else:
            setattr(holder, path, value)
        holder.keyframe_insert(path, frame=first + 10 * number)


def send(path: Path, **options: Any) -> Tracks:
    """Export what is selected; the tracks in file order."""
    assert bpy.ops.export_anim.animx(filepath=str(path), **options) == {"FINISHED"}
    return read(path) if path.exists() else {}


def read(path: Path) -> Tracks:
    document = json.loads(path.read_text(encoding="utf-8"))
    places = [(track["data"]["node"], track["data"]["property"]) for track in document["tracks"]]
    assert len(set(places)) == len(places), "two tracks for one field"
    return {place: track["data"]["keyframes"] for place, track in zip(places, document["tracks"], strict=True)}


# --- All Actions -------------------------------------------------------------------------------------------------


def cast_of_three() -> None:
    """A rig that walks and can run, a face that smiles and can frown, a cube that slides."""
    bones, head, cube = rig("hips", "spine"), face(), thing("Cube")
    for name, far in (("Run", 2.0), ("Walk", 1.0)):
        new_action(bones, name)
        key(bones.pose.bones["hips"], "location", (0, 0, 0), (far, 0, 0))
    shapes = head.data.shape_keys
    for name, shape in (("Grief", "Frown"), ("Joy", "Smile")):
        new_action(shapes, name)
        key(shapes.key_blocks[shape], "value", 0.0, 0.5)
    new_action(cube, "Slide")
    key(cube, "location", (0, 0, 0), (5, 0, 0))


def test_each_action_has_a_file_with_what_it_is_made_for(tmp_path: Path) -> None:
    cast_of_three()
    other = thing("Other")
    new_action(other, "Elsewhere")
    key(other, "location", (0, 0, 0), (1, 1, 1))
    other.select_set(False)
    send(tmp_path / "all.animj", actions="ALL")
    found = {path.stem: {node for node, _ in read(path)} for path in tmp_path.glob("*.animj")}
    assert found == {"Run": {"hips"}, "Walk": {"hips"}, "Grief": {"Face"}, "Joy": {"Face"}, "Slide": {"Cube"}}
    ends = {name: read(tmp_path / f"{name}.animj")["hips", "Position"][-1]["value"]["x"] for name in ("Run", "Walk")}
    assert ends == {"Run": pytest.approx(-2), "Walk": pytest.approx(-1)}
    for name, shape in (("Grief", "Frown"), ("Joy", "Smile")):
        assert [field for _, field in read(tmp_path / f"{name}.animj")] == [f"BlendShape.{shape}"]


@pytest.mark.skipif("slots" not in bpy.types.Action.bl_rna.properties, reason="this Blender's Actions have no slots")
def test_an_action_for_two_has_both_in_one_file(tmp_path: Path) -> None:
    bones, cube = rig("hips"), thing("Cube")
    action = new_action(bones, "Together")
    cube.animation_data_create().action = action
    cube.animation_data.action_slot = action.slots.new("OBJECT", "Cube")
    key(bones.pose.bones["hips"], "location", (0, 0, 0), (1, 0, 0))
    key(cube, "location", (0, 0, 0), (5, 0, 0))
    send(tmp_path / "all.animj", actions="ALL")
    (path,) = tmp_path.glob("*.animj")
    assert path.stem == "Together" and {node for node, _ in read(path)} == {"hips", "Cube"}


def test_an_action_is_written_alike_whether_it_plays_or_not(tmp_path: Path) -> None:
    cast_of_three()
    send(tmp_path / "all.animj", actions="ALL")
    before = {path.name: path.read_bytes() for path in tmp_path.glob("*.animj")}
    rig_object = bpy.data.objects["Rig"]
    rig_object.animation_data.action = bpy.data.actions["Run"]
    if hasattr(rig_object.animation_data, "action_slot"):
        rig_object.animation_data.action_slot = bpy.data.actions["Run"].slots[0]
    bpy.context.scene.frame_set(7)
    send(tmp_path / "all.animj", actions="ALL")
    assert {path.name: path.read_bytes() for path in tmp_path.glob("*.animj")} == before
