"""Blocks of keys written as F-Curves and read back: bit for bit, in every Blender."""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from in_blender import add

bpy = pytest.importorskip("bpy")


TURNS = ("quaternion", "euler", "axis_angle")


def played_bag(rooms: SimpleNamespace, owner: Any) -> Any:
    action = bpy.data.actions.new("Move")
    slot = rooms.actions.assign(owner, action)
    return rooms.actions.ensure_bag(action, slot)


def block_of(rooms: SimpleNamespace, shapes: list[int], components: int = 3) -> Any:
    count = len(shapes)
    frames = np.linspace(-3.3, 77.7, count, dtype=np.float32)
    values = np.sin(np.arange(components * count, dtype=np.float32).reshape(components, count) * 1.7)
    interpolation = np.array(shapes, np.uint8)
    handles = np.empty((components, count, 2, 2), np.float32)
    handles[..., 0] = frames[:, None] + np.array([-0.5, 0.75], np.float32)
    handles[..., 1] = values[:, :, None] + np.array([0.25, -0.125], np.float32)
    with_handles = handles if 2 in shapes else None
    return rooms.fcurve_keys.KeyBlock(frames, values, interpolation, with_handles, None)


@pytest.mark.parametrize("expected", [0, 1500, 15001])
@pytest.mark.parametrize("shapes", [[1] * 9, [0] * 4, [2] * 7, [0, 1, 2, 2, 1, 0, 2], [1], [2]])
def test_keys_come_back_bit_for_bit(rooms: SimpleNamespace, shapes: list[int], expected: int) -> None:
    thing, block = add("Thing"), block_of(rooms, shapes)
    writer = rooms.fcurves.CurveWriter(played_bag(rooms, thing), expected)
    for path in ("location", "scale"):
        writer.write(path, block, group="Object")
    curves = rooms.actions.fcurves_of(thing)
    assert [(curve.data_path, curve.array_index) for curve in curves] == [*product(("location", "scale"), range(3))]
    for row, curve in enumerate(curves[:3]):
        found = rooms.fcurves.read(curve)
        assert found.block.frames.tobytes() == block.frames.tobytes()
        assert found.block.values.tobytes() == block.values[row].tobytes()
        assert found.block.interpolation.tobytes() == block.interpolation.tobytes()
        assert found.plain and found.plays
        assert found.digest == writer.written[row].digest
        assert (curve.group and curve.group.name) == ("Object" if expected <= 15000 else None)
        if block.handles is not None:
            assert found.block.handles.tobytes() == block.handles[row].tobytes()
            assert {point.handle_left_type for point in curve.keyframe_points} == {"FREE"}


@pytest.mark.parametrize("shapes", [[1] * 9, [0, 1, 2, 2, 1, 0, 2]])
def test_keys_that_a_script_leaves_out_of_order_are_read_in_order(rooms: SimpleNamespace, shapes: list[int]) -> None:
    """Blender orders them at the next edit; exports of such curves ended in tracebacks."""
    thing = add("Thing")
    writer = rooms.fcurves.CurveWriter(played_bag(rooms, thing))
    writer.write("location", block_of(rooms, shapes))
    curve = rooms.actions.fcurves_of(thing)[0]
    curve.keyframe_points[1].type = "BREAKDOWN"
    before = rooms.fcurves.read(curve)
    order = np.random.default_rng(3).permutation(len(shapes))
    for name, width in (("co", 2), ("handle_left", 2), ("handle_right", 2), ("interpolation", 1), ("type", 1)):
        fields = np.empty(width * len(shapes), np.uint8 if width == 1 else np.float32)
        curve.keyframe_points.foreach_get(name, fields)
        curve.keyframe_points.foreach_set(name, fields.reshape(-1, width)[order].reshape(-1))
    found = rooms.fcurves.read(curve)
    for name in ("frames", "values", "interpolation", "inserted") + ("handles",) * (2 in shapes):
        assert getattr(found.block, name).tolist() == getattr(before.block, name).tolist()
    assert found.digest == before.digest


def edited(rooms: SimpleNamespace, edit: str) -> tuple[int, Any]:
    thing = add("Thing")
    writer = rooms.fcurves.CurveWriter(played_bag(rooms, thing))
    writer.write("location", block_of(rooms, [2, 2, 1, 0, 1], 1))
    (curve,) = rooms.actions.fcurves_of(thing)
    exec(edit, {"curve": curve, "keys": curve.keyframe_points, "bpy": bpy})
    return writer.written[0].digest, rooms.fcurves.read(curve)


@pytest.mark.parametrize(
    ("edit", "changes"),
    [
        ("keys[0].handle_left.y += 1", False),  # before the first key: shapes nothing
        ("keys[3].handle_right.x += 1", False),  # begins a CONSTANT segment
        ("keys[4].handle_left.y -= 1", False),
        ("keys[1].select_control_point = False", False),
        ("curve.hide, curve.color = True, (1, 0, 0)", False),
        ("keys[0].interpolation = 'LINEAR'", True),
        ("keys[0].handle_right.y += 0.001", True),
        ("keys[1].handle_left.y += 0.001", True),
        ("curve.modifiers.new('CYCLES').influence = 0.5", True),  # which Blender takes no notice of
    ],
)
def test_what_changes_the_motion_and_nothing_else_changes_the_digest(
    rooms: SimpleNamespace, edit: str, changes: bool
) -> None:
    written, found = edited(rooms, edit)
    assert (found.digest != written) == changes and found.plain


@pytest.mark.parametrize(
    "edit",
    [
        "[curve.modifiers.new('NOISE') for _ in 'ab'][0].mute = True",
        "[curve.modifiers.new(kind) for kind in ('CYCLES', 'NOISE')]",
        "keys[0].interpolation = 'SINE'",
        "curve.modifiers.new('CYCLES').cycles_before = 2",
        "curve.modifiers.new('CYCLES').cycles_after = 2",
        "curve.modifiers.new('CYCLES').use_restricted_range = True",
        "curve.modifiers.new('CYCLES').use_influence, curve.modifiers[0].influence = True, 0.5",
    ],
)
def test_what_a_file_cannot_say_is_not_plain(rooms: SimpleNamespace, edit: str) -> None:
    assert not edited(rooms, edit)[1].plain


def test_inserted_keys_are_breakdowns(rooms: SimpleNamespace) -> None:
    thing = add("Thing")
    writer = rooms.fcurves.CurveWriter(played_bag(rooms, thing))
    block = block_of(rooms, [1, 1, 1, 1], 1)
    block.inserted = np.array([False, True, False, True])
    writer.write("location", block)
    (curve,) = rooms.actions.fcurves_of(thing)
    assert [point.type for point in curve.keyframe_points] == ["KEYFRAME", "BREAKDOWN"] * 2
    assert rooms.fcurves.read(curve).block.inserted.tolist() == [False, True, False, True]


@pytest.mark.parametrize("name", ["location", *(f"rotation_{by}" for by in TURNS), "scale", '["red"]'])
def test_curves_have_the_colours_that_blender_gives_to_keys(rooms: SimpleNamespace, name: str) -> None:
    """Of a file that moves Z alone, X and Y are held later: in rainbow's order Z was red and X green."""
    thing, keyed = add("Thing"), add("Keyed")
    for owner in (thing, keyed):
        owner["red"] = [0.0, 0.0, 0.0]
    keyed.keyframe_insert(name)
    rooms.fcurves.CurveWriter(played_bag(rooms, thing)).write(name, block_of(rooms, [1, 1]), group="Object")
    ours, theirs = ({curve.color_mode for curve in rooms.actions.fcurves_of(owner)} for owner in (thing, keyed))
    assert ours == theirs


def test_names_in_paths_come_back_as_they_were(rooms: SimpleNamespace) -> None:
    paths = rooms.data_paths
    for name in ('a"b', "back\\slash", "[x]", "naïve 手", "tab\tnew\nline", "a'b", 'end\\"]'):
        assert paths.split_bone(paths.bone_path(name, ".location")) == (name, "location")
        assert paths.split_bone_of_data(f"bones{paths.custom_path(name)}.hide") == (name, "hide")
        assert paths.custom_key(paths.custom_path(name)) == name
        assert paths.shape_key(paths.shape_key_path(name)) == name
        assert paths.curve_label(paths.bone_path(name, ".rotation_euler"), 2) == f"{name}: Z Euler Rotation"
        assert paths.curve_label(paths.shape_key_path(name), 0) == name
    assert [paths.curve_label(of, 0) for of in ("rotation_quaternion", "lens")] == ["W Quaternion Rotation", "Lens"]
