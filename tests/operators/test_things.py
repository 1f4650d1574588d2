"""What is exported of an ordinary scene: which armature, which objects, and what is said of the others."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

FORMATS = ("mrtk", "w3d", "animx")
ENDINGS = {"mrtk": ".bin", "w3d": ".w3d", "animx": ".animj"}


def add_rig(bpy: Any, name: str, *, keyed: bool = True, bones: tuple[str, ...] = ("Wrist.L", "Palm.L")) -> Any:
    """An armature with a chain of bones named as MRTK's joints; keyed, its first bone goes one up in a second."""
    armature = bpy.data.armatures.new(name)
    rig = bpy.data.objects.new(name, armature)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    above = None
    for number, bone_name in enumerate(bones):
        bone = armature.edit_bones.new(bone_name)
        bone.head, bone.tail, bone.parent = (0, 0, number), (0, 0, number + 1), above
        above = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    if keyed:
        key_bone(rig, bones[0])
    rig.select_set(False)
    return rig


def key_bone(rig: Any, bone: str, top: float = 1.0) -> None:
    for frame, height in ((0, 0.0), (24, top)):
        rig.pose.bones[bone].location = (0, height, 0)
        rig.pose.bones[bone].keyframe_insert("location", frame=frame)


def add_mesh(bpy: Any, name: str, rig: Any = None) -> Any:
    """A mesh, deformed by `rig`."""
    thing = bpy.data.objects.new(name, bpy.data.meshes.new(name))
    bpy.context.scene.collection.objects.link(thing)
    if rig is not None:
        thing.modifiers.new("Armature", "ARMATURE").object = rig
    return thing


def choose(bpy: Any, *things: Any, active: Any = None) -> None:
    for thing in bpy.context.scene.objects:
        thing.select_set(thing in things)
    bpy.context.view_layer.objects.active = active or (things[0] if things else None)


@pytest.fixture
def export(bpy: Any, tmp_path: Path) -> Callable[..., Path]:
    """Export with a format's operator into a file "out"; the file."""

    def write(name: str, **options: Any) -> Path:
        path = tmp_path / f"out{ENDINGS[name]}"
        getattr(bpy.ops.export_anim, name)(filepath=str(path), **options)
        return path

    return write


@pytest.fixture
def written(part: Callable[[str], Any]) -> Callable[[Path], Any]:
    """The document in a file, of whatever format."""
    return lambda path: part("io_formats").open_document(path)


def nodes_of(path: Path) -> set[str]:
    """Nodes with tracks in an AnimJ file, read as JSON."""
    return {track["data"]["node"] for track in json.loads(path.read_text(encoding="utf-8"))["tracks"]}


# --- Which armature -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FORMATS)
def test_several_armatures_and_none_chosen(bpy: Any, export: Any, tmp_path: Path, name: str) -> None:
    hero, _ = add_rig(bpy, "Hero"), add_rig(bpy, "Villain")
    choose(bpy, active=hero)
    with pytest.raises(RuntimeError, match=r"several armatures \(Hero, Villain\) and none of them is selected"):
        export(name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["mrtk", "w3d"])
def test_two_chosen_are_never_one_in_silence(bpy: Any, export: Any, tmp_path: Path, name: str) -> None:
    choose(bpy, add_rig(bpy, "Hero"), add_rig(bpy, "Villain"))
    with pytest.raises(RuntimeError, match=r"holds one armature, and several are chosen \(Hero, Villain\)"):
        export(name)
    assert list(tmp_path.iterdir()) == []
    export(name, several="FILES")
    assert {path.name for path in tmp_path.iterdir()} == {f"Hero{ENDINGS[name]}", f"Villain{ENDINGS[name]}"}


def test_each_file_holds_its_own_armature(bpy: Any, export: Any, tmp_path: Path, written: Any) -> None:
    hero, villain = add_rig(bpy, "Hero"), add_rig(bpy, "Villain")
    key_bone(villain, "Palm.L")
    choose(bpy, hero, add_mesh(bpy, "Cape", villain))
    export("w3d", several="FILES")
    for name, pivots in (("Hero", {1}), ("Villain", {1, 2})):
        animation = written(tmp_path / f"{name}.w3d").animations[0]
        assert animation.header.hierarchy.rstrip(b"\0") == name.upper().encode()
        assert {part.pivot for part in animation.parts if hasattr(part, "pivot")} == pivots


def test_animx_holds_all_that_are_chosen(bpy: Any, export: Any) -> None:
    hero, villain = add_rig(bpy, "Hero", bones=("Hip", "Leg")), add_rig(bpy, "Villain", bones=("Root", "Arm"))
    choose(bpy, hero, villain)
    assert nodes_of(export("animx")) == {"Hip", "Root"}


def test_animx_writes_a_file_each_if_asked(bpy: Any, export: Any, tmp_path: Path) -> None:
    hero, villain = add_rig(bpy, "Hero", bones=("Hip", "Leg")), add_rig(bpy, "Villain", bones=("Root", "Arm"))
    choose(bpy, hero, villain)
    export("animx", several="FILES")
    assert nodes_of(tmp_path / "Hero.animj") == {"Hip"}
    assert nodes_of(tmp_path / "Villain.animj") == {"Root"}


@pytest.mark.parametrize("name", FORMATS)
def test_collection_exporters_are_held_to_the_same(bpy: Any, export: Any, name: str) -> None:
    cast = bpy.data.collections.new("Cast")
    bpy.context.scene.collection.children.link(cast)
    for rig in (add_rig(bpy, "Hero"), add_rig(bpy, "Villain", bones=("Wrist.R", "Palm.R"))):
        cast.objects.link(rig)
    other = add_rig(bpy, "Other", bones=("Wrist.L",))
    choose(bpy, other)
    if name == "animx":
        assert nodes_of(export(name, collection="Cast")) == {"Wrist.L", "Wrist.R"}
    else:
        with pytest.raises(RuntimeError, match="Hero, Villain"):
            export(name, collection="Cast")


@pytest.mark.parametrize("name", ["mrtk", "w3d"])
@pytest.mark.parametrize("held_by", ["modifier", "parent"])
def test_a_mesh_stands_for_its_armature(bpy: Any, export: Any, written: Any, name: str, held_by: str) -> None:
    hero, villain = add_rig(bpy, "Hero"), add_rig(bpy, "Villain")
    key_bone(villain, "Wrist.L", 3.0)
    cape = add_mesh(bpy, "Cape", villain if held_by == "modifier" else None)
    if held_by == "parent":
        cape.parent = villain
    choose(bpy, cape, active=hero)
    by_mesh = export(name).read_bytes()
    choose(bpy, villain)
    assert export(name).read_bytes() == by_mesh


def test_a_mesh_of_one_beside_another_armature_are_two(bpy: Any, export: Any) -> None:
    hero, villain = add_rig(bpy, "Hero"), add_rig(bpy, "Villain")
    choose(bpy, hero, add_mesh(bpy, "Cape", villain))
    with pytest.raises(RuntimeError, match="Hero, Villain"):
        export("w3d")


def test_a_script_is_held_to_the_same(bpy: Any, part: Callable[[str], Any], tmp_path: Path) -> None:
    rigs = [add_rig(bpy, "Hero"), add_rig(bpy, "Villain")]
    w3d = part("io_formats").w3d
    export_files = part("operators.exporting").export_files
    with pytest.raises(part("io_formats").FormatError, match="Hero, Villain"):
        list(export_files(bpy.context, tmp_path / "out.w3d", w3d, w3d.ExportOptions(), rigs))


def test_the_command_line_is_held_to_the_same(
    bpy: Any, part: Callable[[str], Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    add_rig(bpy, "Hero")
    choose(bpy, active=add_rig(bpy, "Villain"))
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "cast.blend"))
    main = part("operators.command_line").main
    assert main(["export", str(tmp_path / "cast.blend"), "--to", ".w3d", "--output", str(tmp_path / "out")]) == 1
    assert "several armatures (Hero, Villain)" in capsys.readouterr().err
    both = ["--to", ".w3d", "--output", str(tmp_path / "out"), "--object", "Villain"]
    assert main(["export", str(tmp_path / "cast.blend"), *both]) == 0


# --- What does not move ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("options", [{}, {"sampling": "BAKE"}, {"actions": "ALL"}], ids=str)
def test_nothing_that_moves_is_no_file(
    bpy: Any, export: Any, tmp_path: Path, name: str, options: dict[str, str]
) -> None:
    """Also posed without a key, and while another armature of the scene does move."""
    rig = add_rig(bpy, "Hero", keyed=False)
    rig.pose.bones[0].location = (1, 2, 3)
    add_rig(bpy, "Villain", bones=("Hip", "Leg"))
    choose(bpy, rig)
    with pytest.raises(RuntimeError, match=r"nothing that is chosen moves \(Hero\)|no Action belongs"):
        export(name, **options)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", FORMATS)
def test_a_keyed_pose_is_something(bpy: Any, export: Any, name: str) -> None:
    rig = add_rig(bpy, "Hero", keyed=False)
    rig.pose.bones[0].location = (1, 2, 3)
    rig.pose.bones[0].keyframe_insert("location", frame=1)
    choose(bpy, rig)
    assert export(name).stat().st_size


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("mover", ["driver", "constraint", "strip", "parent"])
def test_what_moves_without_an_action_is_something(bpy: Any, export: Any, name: str, mover: str) -> None:
    rig = add_rig(bpy, "Hero", keyed=mover == "strip")
    target = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(target)
    for frame in (0, 24):
        target.location = (frame / 8, 0, 0)
        target.keyframe_insert("location", frame=frame)
    if mover == "driver":
        rig.pose.bones[0].driver_add("location", 0).driver.expression = "frame / 24"
    elif mover == "constraint":
        rig.pose.bones[0].constraints.new("COPY_LOCATION").target = target
    elif mover == "parent":
        rig.parent = target
    else:
        data = rig.animation_data
        strip = data.nla_tracks.new().strips.new("walk", 0, data.action)
        if hasattr(strip, "action_slot"):
            strip.action_slot = data.action_slot
        data.action = None
    choose(bpy, rig)
    assert export(name).stat().st_size


def test_one_still_armature_of_several_writes_no_file_at_all(bpy: Any, export: Any, tmp_path: Path) -> None:
    choose(bpy, add_rig(bpy, "Hero"), add_rig(bpy, "Statue", keyed=False))
    with pytest.raises(RuntimeError, match=r"nothing that is chosen moves \(Statue\)"):
        export("w3d", several="FILES")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", FORMATS)
def test_what_moves_only_what_no_file_holds_is_no_file(bpy: Any, export: Any, tmp_path: Path, name: str) -> None:
    rig = add_rig(bpy, "Hero", keyed=False)
    rig.pose.bones[0]["mood"] = "glad"
    rig.data.display_type = "STICK"
    rig.data.keyframe_insert("display_type", frame=1)
    choose(bpy, rig)
    with pytest.raises(RuntimeError, match=r"moves|has a place in a file"):
        export(name)
    assert list(tmp_path.iterdir()) == []


# --- What has no place ----------------------------------------------------------------------------------------------


@pytest.fixture
def warnings(bpy: Any, part: Callable[[str], Any], tmp_path: Path) -> Callable[..., list[str]]:
    """Export what is selected by the function that all ways share; the warnings."""

    def write(name: str, **options: Any) -> list[str]:
        package = getattr(part("io_formats"), name)
        owners = part("operators.export_objects").chosen(bpy.context, armature=name != "animx")
        export_files = part("operators.exporting").export_files
        path = tmp_path / f"out{ENDINGS[name]}"
        written = list(export_files(bpy.context, path, package, package.ExportOptions(**options), owners))
        return [str(entry) for exported in written for entry in exported.report.warnings]

    return write


def key(owner: Any, path: str, *values: float) -> None:
    """Two keys of a number."""
    for frame, value in zip((0, 24), values, strict=True):
        setattr(owner, path, value)
        owner.keyframe_insert(path, frame=frame)


def homeless_scene(bpy: Any) -> tuple[Any, Any]:
    """An armature with a mesh whose material, node group, modifier and shape key are animated, in an animated world."""
    rig = add_rig(bpy, "Hero")
    cape = add_mesh(bpy, "Cape", rig)
    material = bpy.data.materials.new("Red")
    cape.data.materials.append(material)
    material.use_nodes = True
    key(material, "roughness", 0.0, 1.0)
    group = bpy.data.node_groups.new("Glow", "ShaderNodeTree")
    material.node_tree.nodes.new("ShaderNodeGroup").node_tree = group
    value = group.nodes.new("ShaderNodeValue")
    key(value.outputs[0], "default_value", 0.0, 1.0)
    key(cape.modifiers.new("Bend", "SIMPLE_DEFORM"), "angle", 0.0, 1.0)
    world = bpy.data.worlds.new("Sky")
    bpy.context.scene.world = world
    key(world, "color", (0, 0, 0), (1, 1, 1))
    return rig, cape


@pytest.mark.parametrize("name", FORMATS)
def test_what_has_no_place_is_named_by_its_cause(bpy: Any, warnings: Any, name: str) -> None:
    rig, cape = homeless_scene(bpy)
    choose(bpy, rig, cape)
    told = warnings(name)
    for start in (
        "1 animated values of materials are left out, as the file has no place for them: Red",
        "1 animated values of node groups are left out, as the file has no place for them: Glow",
        "3 animated values of the world are left out, as the file has no place for them: Sky",
    ):
        assert start in told
    modifiers = "1 animated values of modifiers" if name == "animx" else "1 animated values of other objects"
    assert any(line.startswith(modifiers) and line.endswith("Cape") for line in told)


@pytest.mark.parametrize("name", ["mrtk", "w3d"])
def test_shape_keys_of_an_armatures_mesh_are_named(bpy: Any, warnings: Any, name: str) -> None:
    rig = add_rig(bpy, "Hero")
    face = add_mesh(bpy, "Face", rig)
    face.shape_key_add(name="Basis")
    smile = face.shape_key_add(name="Smile")
    key(smile, "value", 0.0, 1.0)
    choose(bpy, rig)
    assert "1 animated shape keys are left out, as the file has no place for them: Face" in warnings(name)


@pytest.mark.parametrize("name", FORMATS)
def test_a_constraint_that_plays_is_sampled_and_one_that_does_not_is_named(bpy: Any, warnings: Any, name: str) -> None:
    rig = add_rig(bpy, "Hero")
    target = add_mesh(bpy, "Target")
    constraint = rig.pose.bones[1].constraints.new("COPY_LOCATION")
    constraint.target = target
    key(constraint, "influence", 0.0, 1.0)
    choose(bpy, rig)
    assert warnings(name) == []
    constraint.mute = True
    (line,) = warnings(name)
    assert line.startswith("1 animated values of constraints that do not show in the pose") and "Palm.L" in line


@pytest.mark.parametrize("name", FORMATS)
def test_curves_that_lead_nowhere_are_named(bpy: Any, warnings: Any, name: str) -> None:
    rig = add_rig(bpy, "Hero", bones=("Wrist.L", "Palm.L"))
    key_bone(rig, "Palm.L")
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones.remove(rig.data.edit_bones["Palm.L"])
    bpy.ops.object.mode_set(mode="OBJECT")
    choose(bpy, rig)
    (line,) = warnings(name)
    assert line.startswith("3 curves lead to bones or properties that are not there") and "Palm.L" in line


def test_delta_transforms_are_sampled_and_nothing_is_said_to_be_left_out(bpy: Any, warnings: Any) -> None:
    cube = add_mesh(bpy, "Cube")
    key(cube, "delta_location", (0, 0, 0), (1, 2, 3))
    choose(bpy, cube)
    assert warnings("animx") == []


@pytest.mark.parametrize("name", ["mrtk", "w3d"])
def test_an_untouched_import_in_such_a_scene_is_still_exact(bpy: Any, data: Path, export: Any, name: str) -> None:
    source = data / {"mrtk": "mrtk/v11_flags/v11_cam1_hand1_gaze1.bin", "w3d": "w3d/g02_tc_default.w3d"}[name]
    getattr(bpy.ops.import_anim, name)(filepath=str(source))
    rig = next(thing for thing in bpy.context.scene.objects if thing.type == "ARMATURE")
    homeless_scene(bpy)
    choose(bpy, rig)
    assert export(name).read_bytes() == source.read_bytes()
