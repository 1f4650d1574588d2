"""Armatures: rest poses as Blender keeps them, lengths, names, collections."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy")


def built(rooms: SimpleNamespace, nodes: list[Any], **options: Any) -> Any:
    clip = rooms.clip.Clip("A", nodes=nodes)
    rig, bones = rooms.armatures.build(bpy.context, clip, "Rig", rooms.undo.Undo(), **options)
    return rig, bones


def random_rests(count: int, reach: float, seed: int) -> list[Any]:
    """Rest matrices with any turn, `reach` metres from the parent."""
    random = np.random.default_rng(seed)
    rests = []
    for _ in range(count):
        turn, _ = np.linalg.qr(random.normal(size=(3, 3)))
        rest = np.eye(4)
        rest[:3, :3] = turn * np.sign(np.linalg.det(turn))
        rest[:3, 3] = random.normal(size=3) * reach
        rests.append(rest)
    return rests


@pytest.mark.parametrize("reach", [0.01, 0.3, 10.0, 300.0])
def test_rest_poses_keep_their_precision(rooms: SimpleNamespace, reach: float) -> None:
    rests = random_rests(60, reach, 5)
    nodes = [
        rooms.clip.Node(f"B{number}", f"B{number - 1}" if number % 6 else None, rest)
        for number, rest in enumerate(rests)
    ]
    rig, bones = built(rooms, nodes)
    wanted = rooms.armatures.armature_rests(nodes)
    found = rooms.armatures.rest_matrices(rig)
    size = np.abs(wanted[:, :3, 3]).max()
    for node, rest in zip(nodes, wanted, strict=True):
        difference = np.abs(found[bones[node.name]] - rest)
        assert difference[:3, 3].max() < 2e-6 * size
        assert difference[:3, :3].max() < 5e-5
        turn = found[bones[node.name]][:3, :3]
        assert np.abs(turn @ turn.T - np.eye(3)).max() < 1e-12, "more exactly rigid than what Blender keeps"


@pytest.mark.parametrize("hidden", [False, True])
def test_new_objects_are_in_the_collection_in_use_unless_that_is_hidden(rooms: SimpleNamespace, hidden: bool) -> None:
    layer, scene, aside = bpy.context.view_layer, bpy.context.scene, bpy.data.collections.new("Aside")
    scene.collection.children.link(aside)
    aside.hide_viewport = hidden
    layer.update()
    layer.active_layer_collection = layer.layer_collection.children["Aside"]
    assert rooms.armatures.place_for_new(bpy.context) == (scene.collection if hidden else aside)


def about_y(angle: float) -> Any:
    return np.array([[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]])


@pytest.mark.parametrize("tilt", [0.0, 1e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 5e-2])
def test_bones_that_point_back_keep_their_roll(rooms: SimpleNamespace, tilt: float) -> None:
    """Near -Y Blender's own roll is off by up to 2e-3; below 2.5e-4 it takes the direction for -Y itself."""
    random = np.random.default_rng(3)
    nodes = []
    for number in range(100):
        direction, roll = random.uniform(0, 6.28, 2)
        lean = np.array([[1, 0, 0], [0, np.cos(tilt), -np.sin(tilt)], [0, np.sin(tilt), np.cos(tilt)]])
        rest = np.eye(4)
        rest[:3, :3] = about_y(direction) @ lean @ np.diag([1, -1, -1]) @ about_y(roll)
        nodes.append(rooms.clip.Node(f"B{number}", None, rest, length=0.1))
    rig, bones = built(rooms, nodes)
    found = rooms.armatures.rest_matrices(rig)
    worst = max(np.abs(found[bones[node.name]] - node.rest).max() for node in nodes)
    assert worst < (1.1e-4 if tilt < 2.5e-4 else 5e-5)


def test_a_rest_in_the_origin_is_exactly_nothing(rooms: SimpleNamespace) -> None:
    rig, _ = built(rooms, [rooms.clip.Node("A", length=0.021), rooms.clip.Node("B", length=0.1)])
    for rest in rooms.armatures.rest_matrices(rig).values():
        assert (rest == np.eye(4)).all()


def test_lengths(rooms: SimpleNamespace) -> None:
    def at(x: float) -> Any:
        rest = np.eye(4)
        rest[:3, 3] = x * np.array((2.0, 3.0, 6.0)) / 7
        return rest

    node = rooms.clip.Node
    nodes = [node("parent"), node("child", "parent", at(2.0)), node("leaf", "child", at(1.0)), node("own", length=0.5)]
    nodes += [node("short", "leaf", at(10.0), length=1e-6), node("far", None, at(1000.0), length=0.2)]
    nodes += [node("second", "parent", at(-4.0)), node("tiny", None, at(0.003), length=0.002)]
    rests = rooms.armatures.armature_rests(nodes)
    lengths = dict(zip([n.name for n in nodes], rooms.armatures.bone_lengths(nodes, rests), strict=True))
    # as far as its children are; those without are as long as their parent; a hundredth of how far from the origin
    wanted = {"parent": 3.0, "child": 1.0, "own": 0.5, "second": 3.0, "tiny": 0.002}
    wanted |= dict.fromkeys(("leaf", "short", "far"), 10.0)
    assert lengths == pytest.approx(wanted)
    rig, bones = built(rooms, nodes)
    for name, length in lengths.items():
        assert rig.data.bones[bones[name]].length == pytest.approx(length, rel=1e-5)


def test_bones_that_give_no_hint_are_seen(rooms: SimpleNamespace) -> None:
    rig, _ = built(rooms, [rooms.clip.Node("A"), rooms.clip.Node("B", "A")])
    assert [bone.length for bone in rig.data.bones] == [pytest.approx(0.1)] * 2


def test_names_are_cut_whole_unique_and_never_empty(rooms: SimpleNamespace) -> None:
    long = "手" * 30
    originals = ["", "same", "same", long, long + "!", "X" * 70, 'quo"te', "nul\0l"]
    node_names = ["", "same", "same again", long, long + "!", "x" * 70, 'quo"te', "nul\0l"]
    nodes = [rooms.clip.Node(name, original=original) for name, original in zip(node_names, originals, strict=True)]
    nodes.insert(1, rooms.clip.Node("Bone"))
    rig, bones = built(rooms, nodes)
    found = [bones[name] for name in node_names]
    assert found == ["Bone", "same", "same again", "手" * 21, "手" * 19 + ".001", "x" * 63, 'quo"te', "nul"]
    assert bones["Bone"] == "Bone.001"
    assert {bone.name for bone in rig.data.bones} == {*found, "Bone.001"}
    for name, original in zip(node_names, originals, strict=True):
        holder = rig.data.bones[bones[name]]
        assert rooms.names.node_name(holder) == name
        assert rooms.names.original_name(holder) == (original or holder.name)
    assert list(rig.data.bones["same"].keys()) == [rooms.names.NODE_KEY]
    matched = rooms.targets.match_bones(rig, nodes, lenient=False)
    assert matched == bones


def test_groups_become_collections(rooms: SimpleNamespace) -> None:
    node = rooms.clip.Node
    nodes = [
        node("A", group="Left Hand"),
        node("A tip", group="Left Hand", helper=True),
        node("B", group="Right Hand"),
        node("C"),
        node("C tip", helper=True),
    ]
    rig, _ = built(rooms, nodes)
    found = {c.name: (c.is_visible, sorted(bone.name for bone in c.bones)) for c in rig.data.collections}
    assert found == {
        "Left Hand": (True, ["A"]),
        "Left Hand Helpers": (True, ["A tip"]),
        "Right Hand": (True, ["B"]),
        "Helpers": (True, ["C tip"]),
    }
    shapes = {bone.name: bone.custom_shape for bone in rig.pose.bones}
    assert not len(shapes["A tip"].data.edges) and shapes["A tip"] == shapes["C tip"]
    assert [name for name, shape in shapes.items() if shape is None] == ["A", "B", "C"]
    shown, _ = built(rooms, nodes, hide_helpers=False)
    assert not any(bone.custom_shape for bone in shown.pose.bones)


def test_every_bone_is_selected_so_that_the_graph_editor_shows_its_curves(rooms: SimpleNamespace) -> None:
    rig, _ = built(rooms, [rooms.clip.Node("A"), rooms.clip.Node("B", helper=True)])
    holders = rig.pose.bones if hasattr(rig.pose.bones[0], "select") else rig.data.bones
    assert all(holder.select for holder in holders)


def chain(rooms: SimpleNamespace, length: int) -> list[Any]:
    step = np.eye(4)
    step[2, 3] = 0.1
    return [rooms.clip.Node(f"B{at}", f"B{at - 1}" if at else None, step) for at in range(length)]


def test_the_longest_chain_that_is_taken_lives_through_blenders_own_recursion(rooms: SimpleNamespace) -> None:
    limit = rooms.armatures.DEEPEST_CHAIN
    rig, bones = built(rooms, chain(rooms, limit))
    copy = rig.data.copy()
    assert len(copy.bones[bones[f"B{limit - 1}"]].parent_recursive) == limit - 1


@pytest.mark.parametrize("length", ["one more", 40_000])
def test_longer_chains_are_refused_before_anything_is_made(rooms: SimpleNamespace, length: int | str) -> None:
    """40,000 bones, each the child of the one before, end the process when Blender leaves Edit Mode."""
    limit = rooms.armatures.DEEPEST_CHAIN
    nodes = chain(rooms, limit + 1 if length == "one more" else int(length))
    before = [len(bpy.data.armatures), len(bpy.data.objects), len(bpy.data.scenes)]
    with pytest.raises(rooms.errors.FormatError) as caught:
        built(rooms, nodes)
    assert str(limit) in str(caught.value) and str(len(nodes)) in str(caught.value)
    assert [len(bpy.data.armatures), len(bpy.data.objects), len(bpy.data.scenes)] == before
