"""Deform Bones Only, judged by the `.glb` that Blender's own exporter writes of the same armature.

What the engine does with both is done here: the file's numbers take the place of those of the model's nodes.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import w3d_scene
from gltf_player import Glb
from in_blender import add, animate, choose, generated_rigify
from mrtk_scene import DATA, export_report
from scenes.players import animx, w3d
from w3d_scene import part

bpy = pytest.importorskip("bpy")

BONES = [
    ("Root", None, False),
    ("Control", "Root", False),
    ("Tail", "Control", True),
    ("Hips", "Root", True),
    ("Tweak", "Hips", False),
    ("LegL", "Tweak", True),
    ("Chest", "Hips", True),
    ("LegR", "Tweak", True),
    ("Holder", "Hips", False),
    ("Pole", None, False),
    ("Free", None, True),
]
"""Name, parent, and whether it deforms. Tweak rests, Pole moves nothing, and an object is parented to Holder."""

OFF_MM, OFF_DEGREES = 0.3, 0.09
MIRROR = np.diag([-1.0, 1, 1, 1])
Z_UP_TO_Y_UP = np.array([[1.0, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]])
OPTION = {"deform_bones_only": True}


def key(holder: Any, *rows: tuple[float, float, float], path: str = "location") -> None:
    """Keys on frames 1, 13, 25 and so on, smooth as Blender makes them."""
    animate(holder, path, {1 + 12 * number: row for number, row in enumerate(rows)})


def small_rig() -> Any:
    """BONES with keys on all that is written and on what moves it, and two objects on bones."""
    rig = w3d_scene.make_armature([(name, above, (0.1 * at, 0, 0)) for at, (name, above, _) in enumerate(BONES)])
    for at, (name, _, deforms) in enumerate(BONES):
        rig.data.bones[name].use_deform = deforms
        rig.pose.bones[name].rotation_mode = "XYZ" if name == "Root" else "QUATERNION"
        if deforms:
            key(rig.pose.bones[name], (0.1, 0, 0), (0, 0.02 * at, 0.3))
    key(rig.pose.bones["Root"], (0, 0, 0.4), (1.2, 0, 0.1), path="rotation_euler")
    key(rig.pose.bones["Pole"], (0, 0, 0), (0, 3, 0))
    animate(rig.pose.bones["Root"], '["p"]', {1: 0.0, 13: 1.0})  # which moves nothing
    for name, bone in (("Hat", "Hips"), ("Bag", "Holder")):
        thing = add(name)
        thing.parent, thing.parent_type, thing.parent_bone = rig, "BONE", bone
        key(thing, (0, 0, 0), (0.5, 0, 0))
        thing.select_set(True)
    return rig


def model_of(path: Path) -> Iterator[tuple[dict[str, Any], str]]:
    """The nodes of the model, each with its parent's name, as the file has them below each other."""
    importlib.import_module("addon_utils").enable("io_scene_gltf2", default_set=True)
    bpy.ops.export_scene.gltf(
        filepath=str(path), use_selection=True, export_def_bones=True, export_animations=False, export_yup=True
    )
    told = Glb.read(path).told

    def below(numbers: list[int], above: str) -> Iterator[tuple[dict[str, Any], str]]:
        for number in numbers:
            node = told["nodes"][number]
            yield node, above
            yield from below(node.get("children", []), node["name"])

    return below(told["scenes"][0]["nodes"], "")


def sent(path: Path, **options: Any) -> animx.Player:
    """What plays a new AnimJ file."""
    return animx.Player(w3d_scene.send_out(path, "animx", **OPTION, **options))


def off_scene(
    rig: Any, model: list[tuple[dict[str, Any], str]], player: animx.Player, frame: int
) -> tuple[float, float]:
    """How far, in mm and degrees, bones of the model are off Blender's on a frame of what began on frame 1."""
    seen, worlds = w3d_scene.bones_at(rig, frame), {rig.name: np.eye(4)}
    furthest = [0.0, 0.0]
    for node, above in model:
        if node["name"] not in seen:
            continue
        x, y, z = node.get("translation", (0, 0, 0))
        i, j, k, w = node.get("rotation", (0, 0, 0, 1))
        slot = player.local(node["name"], (frame - 1) / 24, w3d.matrix([-x, y, z], [i, -j, -k, w]))
        worlds[node["name"]] = world = worlds[above] @ slot
        wanted = MIRROR @ Z_UP_TO_Y_UP @ seen[node["name"]] @ MIRROR
        furthest[0] = max(furthest[0], 1000 * float(np.abs(world - wanted)[:3, 3].max()))
        furthest[1] = max(furthest[1], float(np.degrees(np.abs(world - wanted)[:3, :3].max())))
    return furthest[0], furthest[1]


def test_a_file_has_the_nodes_of_the_model_in_its_order_and_plays_on_it(tmp_path: Path) -> None:
    rig = small_rig()
    model = list(model_of(tmp_path / "model.glb"))
    player = sent(tmp_path / "a.animj", still_channels=True)
    moved = [node["name"] for node, _ in model if node["name"] not in (rig.name, "Holder")]
    assert player.nodes == moved
    assert moved == ["Free", "Tail", "Hips", "Chest", "Bag", "LegL", "LegR", "Hat"]
    for frame in (1, 13):
        place, turn = off_scene(rig, model, player, frame)
        assert place < OFF_MM and turn < OFF_DEGREES
    kept = player.by_place["LegL", "Position"]
    assert kept.times.tolist() == [0, 0.5] and kept.left is not None
    report = export_report()
    assert "Played back at" in report and "are left out" not in report
    # three numbers each of four bones and two objects have curves of their own, two bones are moved by Root
    assert "Of 30 animated values and moving parents, 18 are written from curves" in report and "and 0 have" in report


def test_a_skeleton_is_that_of_the_model(tmp_path: Path) -> None:
    """W3D; the judge is the tests' own reader, in which each pivot is relative to the one above it."""
    rig = small_rig()
    choose(rig)
    w3d_scene.set_rate()
    data = w3d_scene.send_out(tmp_path / "a.w3d", include_skeleton="INCLUDE", **OPTION)
    bones = [node["name"] for node, _ in model_of(tmp_path / "model.glb") if node["name"] in rig.data.bones]
    for frame in (1, 7, 13):
        seen = w3d_scene.bones_at(rig, frame)
        worlds = w3d_scene.worlds(data, frame - 1)
        assert [name.upper() for name in worlds][1:] == [name.upper() for name in bones]
        for name, world in zip(bones, list(worlds.values())[1:], strict=True):
            assert np.abs(world - seen[name]).max() < 1e-3, (name, frame)


@pytest.mark.slow
def test_a_generated_rigify_figure_is_its_model(tmp_path: Path) -> None:
    importlib.import_module("addon_utils").enable("rigify", default_set=True)
    rig = generated_rigify()
    key(rig.pose.bones["hand_ik.R"], (0, 0, 0), (0.05, 0, 0.1), (-0.1, 0, 0.05))
    key(rig.pose.bones["root"], (0, 0, 0), (0, 0.5, 0))
    model = list(model_of(tmp_path / "model.glb"))
    player = sent(tmp_path / "a.animj")
    names = [node["name"] for node, _ in model]
    assert len(names) == 161 and len(player.nodes) > 10
    assert set(player.nodes) <= set(names)
    # a hand that its stretched arm shears has no rotation that shows it, with all bones neither
    assert max(off_scene(rig, model, player, frame)[0] for frame in (1, 25)) < OFF_MM
    assert bpy.ops.export_anim.w3x(filepath=str(tmp_path / "a.w3x"), **OPTION) == {"FINISHED"}
    skeleton = part("io_formats.w3x").read((tmp_path / "a.w3x").read_bytes()).hierarchies[0]
    assert sorted(skeleton.names[1:]) == sorted(names[1:])  # Blender 5.2 writes siblings in an order of its own


def test_an_armature_in_which_nothing_deforms_is_refused(tmp_path: Path) -> None:
    """Blender's exporter writes the armature without a bone, which nothing could play."""
    rig = small_rig()
    for thing in list(rig.children):
        bpy.data.objects.remove(thing)
    for bone in rig.data.bones:
        bone.use_deform = False
    assert [node["name"] for node, _ in model_of(tmp_path / "model.glb")] == [rig.name]
    with pytest.raises(RuntimeError, match="Rig: no bone deforms anything"):
        bpy.ops.export_anim.animx(filepath=str(tmp_path / "a.animj"), **OPTION)
    assert not (tmp_path / "a.animj").exists()


@pytest.mark.parametrize(("name", "file"), [("w3d", "w3d_models/m02_wlk.w3d"), ("animx", "animx/08_walk.animj")])
@pytest.mark.parametrize("only", [False, True])
def test_an_untouched_import_comes_back_exactly(tmp_path: Path, name: str, file: str, only: bool) -> None:
    source = DATA.parent / file
    assert getattr(bpy.ops.import_anim, name)(filepath=str(source)) == {"FINISHED"}
    path = tmp_path / source.name
    assert getattr(bpy.ops.export_anim, name)(filepath=str(path), deform_bones_only=only) == {"FINISHED"}
    assert path.read_bytes() == source.read_bytes()


def test_recordings_have_joints_whatever_deforms(tmp_path: Path) -> None:
    source, path = DATA / "v11_flags" / "v11_cam1_hand1_gaze1.bin", tmp_path / "again.bin"
    assert bpy.ops.import_anim.mrtk(filepath=str(source)) == {"FINISHED"}
    for bone in bpy.context.object.data.bones:
        bone.use_deform = False
    assert bpy.ops.export_anim.mrtk(filepath=str(path)) == {"FINISHED"} and path.read_bytes() == source.read_bytes()
    offered = {name: getattr(bpy.ops.export_anim, name).get_rna_type().properties for name in ("mrtk", "w3d", "w3x")}
    assert [name for name in offered if "deform_bones_only" in offered[name]] == ["w3d", "w3x"]


def test_a_bone_that_is_left_out_holds_those_below_where_it_is_posed(tmp_path: Path) -> None:
    rig = w3d_scene.make_armature([("Root", None, (0, 0, 0)), ("Hips", "Root", (0, 0, 1))])
    rig.data.bones["Root"].use_deform = False
    rig.pose.bones["Root"].location = (0.5, 0.0, 0.0)
    key(rig.pose.bones["Hips"], (0, 0, 0), (0.2, 0, 0))
    data = w3d_scene.send_out(tmp_path / "hips.w3d", deform_bones_only=True, check_playback="OFF")
    shown = w3d_scene.worlds(data, 12)["HIPS"]
    assert shown[:3, 3] == pytest.approx(w3d_scene.bones_at(rig, 13)["Hips"][:3, 3], abs=1e-4)
