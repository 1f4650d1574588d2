"""Custom properties, shape keys and RNA paths: every value a file can animate finds its place."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from in_blender import add, add_armature, animate

bpy = pytest.importorskip("bpy")

Maker = Callable[..., Any]


def custom_clip(rooms: SimpleNamespace, tracks: list[dict[str, Any]], kind: str = "CUSTOM") -> Any:
    """A clip of one bone; each track has two LINEAR (bools CONSTANT) keys at 0 and 1 s."""
    clip = rooms.clip
    made = clip.Clip("PROPS", 1.0, 24.0, nodes=[clip.Node("Slot")])
    for fields in tracks:
        values = np.array(fields.pop("values"), np.float64)
        value_kind = clip.ValueKind(fields.pop("value_kind", "FLOAT"))
        shape = 0 if value_kind is clip.ValueKind.BOOL else 1
        made.tracks.append(
            clip.Track(
                "Slot",
                fields.pop("property"),
                np.array([0.0, 1.0]),
                values,
                np.full(2, shape, np.uint8),
                value_kind=value_kind,
                kind=clip.TrackKind(kind),
                **fields,
            )
        )
    return made


def played(rig: Any, key: str, frame: int) -> Any:
    bpy.context.scene.frame_set(frame)
    value = rig.pose.bones["Slot"][key]
    return list(value) if hasattr(value, "__len__") and not isinstance(value, str) else value


def test_types(rooms: SimpleNamespace, bring_in: Maker) -> None:
    tracks = [
        {"property": "Active", "values": [[1, 0]], "value_kind": "BOOL"},
        {"property": "Count", "values": [[3, 7]], "value_kind": "INT"},
        {"property": "Far", "values": [[-1e30, 1e30]]},
        {"property": "Vector", "values": [[1, 2], [3, 4]], "width": 2},
        {"property": "Flags", "values": [[1, 0], [0, 1]], "width": 2, "value_kind": "BOOL"},
        {"property": "Tint", "values": [[0, 1], [0.5, 2], [1, 0], [1, 1]], "width": 4, "value_kind": "COLOR"},
        {"property": "Tone", "values": [[0, 1]] * 3, "width": 3, "value_kind": "COLOR"},
        {"property": "", "values": [[1, 2]]},
        {"property": "名" * 40, "values": [[1, 2]]},
        {"property": 'quo"te', "values": [[1, 2]]},
    ]
    rig = bring_in(custom_clip(rooms, tracks)).rig
    holder = rig.pose.bones["Slot"]
    assert (type(holder["Active"]), type(holder["Count"]), type(holder["Far"])) == (bool, int, float)
    assert (played(rig, "Active", 0), played(rig, "Active", 23), played(rig, "Active", 24)) == (True, True, False)
    assert [played(rig, "Count", frame) for frame in (0, 24)] == [3, 7]
    assert [played(rig, "Far", frame) for frame in (0, 24)] == pytest.approx([-1e30, 1e30])
    assert played(rig, "Vector", 12) == pytest.approx([1.5, 3.5])
    assert [played(rig, "Flags", frame) for frame in (0, 24)] == [[True, False], [False, True]]
    assert played(rig, "Tint", 24) == pytest.approx([1, 2, 0, 1]), "colours have no hard limit"
    assert [holder.id_properties_ui(name).as_dict()["subtype"] for name in ("Tint", "Tone")] == ["COLOR", "COLOR"]
    assert played(rig, "value", 24) == 2
    assert played(rig, "名" * 21, 24) == 2
    assert played(rig, 'quo"te', 24) == 2


def test_components_with_times_of_their_own_share_one_property(rooms: SimpleNamespace, bring_in: Maker) -> None:
    tracks = [
        {"property": "Vector", "values": [[5, 6]], "width": 3, "component": 2},
        {"property": "Vector", "values": [[1, 2]], "width": 3, "component": 0},
        {"property": "Part", "values": [[5, 6]], "width": 3, "component": 2},
    ]
    rig = bring_in(custom_clip(rooms, tracks)).rig
    assert played(rig, "Vector", 24) == [2, 0, 6] and played(rig, "Part", 24) == [0, 0, 6]


def test_a_property_that_is_there_stays_if_it_can_hold_the_values(rooms: SimpleNamespace, bring_in: Maker) -> None:
    first = bring_in(custom_clip(rooms, [{"property": "Level", "values": [[0.5, 1]]}]))
    holder = first.rig.pose.bones["Slot"]
    holder.id_properties_ui("Level").update(description="mine")
    bring_in(custom_clip(rooms, [{"property": "Level", "values": [[0.25, 0.75]]}]))
    assert holder.id_properties_ui("Level").as_dict()["description"] == "mine"
    holder["Level"] = 3
    bring_in(custom_clip(rooms, [{"property": "Level", "values": [[0.25, 0.75]]}]))
    assert played(first.rig, "Level", 12) == pytest.approx(0.5), "an int would have cut it to 0"
    holder["Level"] = [1.0, 2.0]
    bring_in(custom_clip(rooms, [{"property": "Level", "values": [[1, 3]] * 3, "width": 3}]))
    assert played(first.rig, "Level", 12) == [2, 2, 2], "it had no third number"


def mesh_object(name: str) -> Any:
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([(0, 0, 0)], [], [])
    thing = add(name, mesh)
    thing.shape_key_add(name="Basis")
    thing.shape_key_add(name='Smi"le')
    return thing


def test_shape_keys_play_beyond_their_slider(rooms: SimpleNamespace, bring_in: Maker) -> None:
    face = mesh_object("Slot")
    clip = custom_clip(rooms, [{"property": 'Smi"le', "values": [[-0.5, 1.5]]}], "SHAPE_KEY")
    block = face.data.shape_keys.key_blocks['Smi"le']
    block.slider_max = 3.0
    applied = bring_in(clip, target="BY_NAME")
    assert (block.slider_min, block.slider_max) == (-0.5, 3.0)
    for frame, value in ((0, -0.5), (12, 0.5), (24, 1.5)):
        bpy.context.scene.frame_set(frame)
        assert block.value == pytest.approx(value)
    assert face.data.shape_keys.animation_data.action == applied.actions[0]


def test_object_paths_reach_the_object_and_its_data(rooms: SimpleNamespace, bring_in: Maker) -> None:
    light = bpy.data.lights.new("Lamp", "POINT")
    lamp = add("Slot", light)
    clip = custom_clip(
        rooms,
        [
            {"property": "data.energy", "values": [[10, 20]]},
            {"property": "hide_render", "values": [[0, 1]], "value_kind": "BOOL"},
            {"property": "data.color", "values": [[0, 1]], "component": 1, "width": 3},
            {"property": "no.such.path", "values": [[0, 1]]},
            {"property": "data.specular_factor", "values": [[0, 1]] * 2, "width": 2},  # which is one number
            {"property": "data.diffuse_factor", "values": [[0, 1]], "component": 1, "width": 2},
        ],
        "RNA",
    )
    applied = bring_in(clip, target="BY_NAME")
    bpy.context.scene.frame_set(24)
    assert (light.energy, lamp.hide_render, light.color[1]) == (20, True, 1)
    assert lamp["no.such.path"] == 1 and list(lamp["data.specular_factor"]) == [1, 1]
    assert list(lamp["data.diffuse_factor"]) == [0, 1]
    assert applied.actions[0].name == "PROPS"
    assert len(applied.all_actions) == (1 if rooms.actions.SLOTTED else 2)
    for action in applied.all_actions:
        assert rooms.provenance.find(action).data() == b"the bytes of the file" * 9


@pytest.mark.parametrize("drive", ["rotation_euler", "location"])
def test_an_armature_that_a_file_turns_in_another_mode_ends_no_other_motion(
    rooms: SimpleNamespace, bring_in: Maker, drive: str
) -> None:
    rig = add_armature("Slot", [("Bone", None, (0, 0, 0), (0, 0, 1))])
    animate(rig, drive, {1: 0.0, 9: 1.0}, index=2)
    turn = {"property": "rotation_quaternion", "values": [[1, 0.8], [0, 0], [0, 0], [0, 0.6]], "width": 4}
    bring_in(custom_clip(rooms, [turn], "TRANSFORM"), target="BY_NAME")
    told = [warning.template for warning in bring_in.report.warnings]  # type: ignore[attr-defined]
    assert (rooms.scene_messages.MOTION_ENDS in told) == (drive == "location")


def test_object_nodes_that_are_missing_become_empties(rooms: SimpleNamespace, bring_in: Maker) -> None:
    clip = custom_clip(rooms, [{"property": "location", "values": [[0, 1], [0, 2], [0, 3]], "width": 3}], "TRANSFORM")
    rest = np.eye(4)
    rest[:3, 3] = (10, 0, 0)
    clip.nodes = [
        rooms.clip.Node("Base", kind=rooms.clip.NodeKind.OBJECT, rest=rest),
        rooms.clip.Node("Slot", "Base", rest, kind=rooms.clip.NodeKind.OBJECT),
    ]
    bring_in(clip)
    bpy.context.scene.frame_set(24)
    slot = bpy.data.objects["Slot"]
    assert slot.parent == bpy.data.objects["Base"]
    assert tuple(slot.matrix_world.translation) == pytest.approx((21, 2, 3))


def test_the_same_place_twice_plays_the_first(rooms: SimpleNamespace, bring_in: Maker) -> None:
    long = "n" * 63
    tracks = [{"property": long + "1", "values": [[1, 2]]}, {"property": long + "2", "values": [[8, 9]]}]
    rig = bring_in(custom_clip(rooms, tracks)).rig
    assert played(rig, long, 24) == 2
    assert "twice" in str(bring_in.report.warnings[0])


def test_a_driver_that_is_there_stays(rooms: SimpleNamespace) -> None:
    thing = bpy.data.objects.new("Thing", None)
    thing.driver_add("hide_viewport").driver.expression = "frame > 5"
    with rooms.undo.Undo() as undo:
        assert not rooms.visibility.drive(thing, "hide_viewport", thing, "hide_render", "not_shown", undo)
    assert [curve.driver.expression for curve in thing.animation_data.drivers] == ["frame > 5"]
