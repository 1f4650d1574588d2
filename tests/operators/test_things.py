"""What is exported of an ordinary scene: which armature, which objects, and what is said of the others."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from animj_keys import keys_of
from in_blender import add, add_armature, animate, chain, choose, curves_of, editing, push_down

Part = Callable[[str], Any]

FORMATS = ("mrtk", "w3d", "w3x", "animx")
ENDINGS = {"mrtk": ".bin", "w3d": ".w3d", "w3x": ".w3x", "animx": ".animj"}


def add_rig(bpy: Any, name: str, *, keyed: bool = True, bones: tuple[str, ...] = ("Wrist.L", "Palm.L")) -> Any:
    """An armature with a chain of bones named as MRTK's joints; keyed, its first bone goes one up in a second."""
    rig = add_armature(name, chain(*bones))
    if keyed:
        key_bone(rig, bones[0])
    rig.select_set(False)
    return rig


def key_bone(rig: Any, bone: str, top: float = 1.0) -> None:
    animate(rig.pose.bones[bone], "location", {0: (0, 0, 0), 24: (0, top, 0)})


def add_mesh(bpy: Any, name: str, rig: Any = None) -> Any:
    """A mesh, deformed by `rig`."""
    thing = add(name, bpy.data.meshes.new(name))
    if rig is not None:
        thing.modifiers.new("Armature", "ARMATURE").object = rig
    return thing


@pytest.fixture
def export(bpy: Any, tmp_path: Path) -> Callable[..., Path]:
    """Export with a format's operator into a file "out"; the file."""

    def write(name: str, **options: Any) -> Path:
        path = tmp_path / f"out{ENDINGS[name]}"
        getattr(bpy.ops.export_anim, name)(filepath=str(path), **options)
        return path

    return write


# --- Which armature -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FORMATS)
def test_several_armatures_are_never_one_in_silence(bpy: Any, export: Any, tmp_path: Path, name: str) -> None:
    hero, villain = add_rig(bpy, "Hero"), add_rig(bpy, "Villain")
    choose(active=hero)
    with pytest.raises(RuntimeError, match=r"several armatures \(Hero, Villain\) and none of them is selected"):
        export(name)
    choose(hero, villain)
    if name != "animx":
        with pytest.raises(RuntimeError, match=r"holds one armature, and several are chosen \(Hero, Villain\)"):
            export(name)
    assert list(tmp_path.iterdir()) == []


def test_animx_holds_all_that_are_chosen(bpy: Any, export: Any, tmp_path: Path) -> None:
    hero, villain = add_rig(bpy, "Hero", bones=("Hip", "Leg")), add_rig(bpy, "Villain", bones=("Root", "Arm"))
    villain.animation_data.action.name = "Duel"
    choose(hero, villain, active=villain)
    assert {node for node, _ in keys_of(export("animx"))} == {"Hip", "Root"}
    assert json.loads((tmp_path / "out.animj").read_text(encoding="utf-8"))["name"] == "Duel", "the active one's"
    bpy.data.objects.remove(villain)
    key(add_mesh(bpy, "Cube"), "location", (0, 0, 0), (1, 0, 0))
    choose()
    assert {node for node, _ in keys_of(export("animx"))} == {"Hip", "Cube"}, "all there is, where nothing is chosen"


def test_animx_writes_a_file_each_if_asked(bpy: Any, export: Any, tmp_path: Path) -> None:
    """And one of the name that was asked for, which an armature may have, with what belongs to none of them."""
    hero, villain = add_rig(bpy, "out", bones=("Hip", "Leg")), add_rig(bpy, "Villain", bones=("Root", "Arm"))
    things = add_mesh(bpy, "Cape", villain), add_mesh(bpy, "Cube")
    for thing in things:
        key(thing, "location", (0, 0, 0), (1, 0, 0))
    choose(hero, villain, *things)
    export("animx", several="FILES")
    found = {path.stem: {node for node, _ in keys_of(path)} for path in tmp_path.iterdir()}
    assert found == {"out": {"Hip"}, "Villain": {"Root", "Cape"}, "out-2": {"Cube"}}


@pytest.mark.parametrize("name", ["mrtk", "w3d", "w3x"])
@pytest.mark.parametrize("held_by", ["modifier", "parent"])
def test_a_mesh_stands_for_its_armature(bpy: Any, export: Any, name: str, held_by: str) -> None:
    hero, villain = add_rig(bpy, "Hero"), add_rig(bpy, "Villain")
    key_bone(villain, "Wrist.L", 3.0)
    cape = add_mesh(bpy, "Cape", villain if held_by == "modifier" else None)
    if held_by == "parent":
        cape.parent = villain
    choose(cape, active=hero)
    by_mesh = export(name).read_bytes()
    choose(villain)
    assert export(name).read_bytes() == by_mesh


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
    choose(rig)
    with pytest.raises(RuntimeError, match=r"nothing that is chosen moves \(Hero\)|no Action belongs"):
        export(name, **options)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("path", ["location", "rotation_quaternion"])
def test_a_keyed_pose_is_something_and_be_it_at_rest(bpy: Any, export: Any, name: str, path: str) -> None:
    rig = add_rig(bpy, "Hero", keyed=False)
    rig.pose.bones[0].location = (1, 2, 3)
    rig.pose.bones[0].keyframe_insert(path, frame=1)
    choose(rig)
    assert export(name).stat().st_size


@pytest.mark.parametrize(("name", "other"), [("animx", "still"), ("w3x", "scale"), ("mrtk", "other bones")])
def test_of_several_armatures_the_one_that_has_nothing_for_a_file_is_told(
    bpy: Any, export: Any, tmp_path: Path, name: str, other: str
) -> None:
    """Whether it comes first or last, the others are written."""
    hero, villain = add_rig(bpy, "Hero"), add_rig(bpy, "Villain")
    statue = add_rig(bpy, "Statue", bones=("Hip", "Leg"), keyed=other == "other bones")
    if other == "scale":
        animate(statue.pose.bones[0], "scale", {1: (1, 1, 1), 9: (2, 1, 1)})
    choose(hero, statue, villain, active=statue)
    written = export(name, several="FILES").parent.iterdir()
    assert sorted(path.stem for path in written) == ["Hero", "Villain"]
    told = bpy.data.texts["Export Report"].as_string()
    assert "that a file of this format holds, so none was written for them: Statue" in told
    if other == "still":
        choose(statue, add_rig(bpy, "Pillar", keyed=False))
        with pytest.raises(RuntimeError, match=r"nothing that is chosen moves \((Statue, Pillar|Pillar, Statue)\)"):
            export(name, several="FILES", sampling="BAKE")


# --- What has no place ----------------------------------------------------------------------------------------------


def exports(bpy: Any, part: Part, folder: Path, name: str, **options: Any) -> list[Any]:
    """Export what is selected by the function that all ways share."""
    package = getattr(part("io_formats"), name)
    owners = part("pipeline.export_plan").chosen(bpy.context, armature=name != "animx")
    path, export_files = folder / f"out{ENDINGS[name]}", part("pipeline.export_files").export_files
    return list(export_files(bpy.context, path, package.FORMAT, package.ExportOptions(**options), owners))


@pytest.fixture
def warnings(bpy: Any, part: Part, tmp_path: Path) -> Callable[..., list[str]]:
    """The warnings of an export, but of joints that these rigs lack."""

    def write(name: str, **options: Any) -> list[str]:
        written = exports(bpy, part, tmp_path, name, **options)
        told, lacking = [entry for exported in written for entry in exported.report.warnings], "so MRTK shows them in"
        return [str(entry) for entry in told if lacking not in str(entry)]

    return write


def key(owner: Any, path: str, *values: float) -> None:
    animate(owner, path, dict(zip((0, 24), values, strict=True)))


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
    choose(rig, cape)
    told = warnings(name)
    line = told[0]  # what is most
    assert line.startswith(f"{6 if name == 'animx' else 5} animated values are left out, as the file has no place")
    named = ["Red roughness", 'Glow nodes["Value"].outputs[0].default_value', "Sky color"]
    assert all(each in line for each in named)
    modifier = 'Cape modifiers["Bend"].angle' if name == "animx" else "1 animated value of other objects"
    assert any(modifier in each for each in told)


@pytest.mark.parametrize("name", ["mrtk", "w3d", "w3x"])
def test_shape_keys_of_an_armatures_mesh_are_named(bpy: Any, warnings: Any, name: str) -> None:
    rig = add_rig(bpy, "Hero")
    face = add_mesh(bpy, "Face", rig)
    face.shape_key_add(name="Basis")
    smile = face.shape_key_add(name="Smile")
    key(smile, "value", 0.0, 1.0)
    choose(rig)
    told = "1 animated value of other objects is left out, as the file holds one armature: Face"
    assert told in warnings(name)
    push_down(face.data.shape_keys)  # which goes on beside an Action that plays alone
    assert told in warnings(name, actions="ALL")


@pytest.mark.parametrize("name", FORMATS)
def test_a_constraint_that_plays_is_sampled_and_one_that_does_not_is_named(bpy: Any, warnings: Any, name: str) -> None:
    rig = add_rig(bpy, "Hero")
    target = add_mesh(bpy, "Target")
    constraint = rig.pose.bones[1].constraints.new("COPY_LOCATION")
    constraint.target = target
    key(constraint, "influence", 0.0, 1.0)
    choose(rig)
    assert warnings(name) == []
    constraint.mute = True
    (line,) = warnings(name)
    assert line.startswith("1 animated value of constraints that do not show in the pose") and "Palm.L" in line


def test_samples_of_a_million_frames_are_refused_before_the_first_is_taken(bpy: Any, tmp_path: Path) -> None:
    """One stray key far out and a constraint: Blender was left to evaluate each frame, for minutes or hours."""
    rig = add_rig(bpy, "Hero")
    rig.pose.bones[0].keyframe_insert("location", frame=1_000_000)
    constraint = rig.pose.bones[1].constraints.new("COPY_LOCATION")
    constraint.target = bpy.data.objects.new("Aim", None)
    choose(rig)
    bpy.context.scene.frame_set(7)
    with pytest.raises(RuntimeError, match=r"this takes the processor 101 s or more, the limit is 60; raise it \(Time"):
        bpy.ops.export_anim.mrtk(filepath=str(tmp_path / "far.bin"))
    assert bpy.context.scene.frame_current == 7 and not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", FORMATS)
def test_curves_that_lead_nowhere_are_named(bpy: Any, warnings: Any, name: str) -> None:
    rig = add_rig(bpy, "Hero", bones=("Wrist.L", "Palm.L"))
    key_bone(rig, "Palm.L")
    with editing(rig) as edited:
        edited.remove(edited["Palm.L"])
    choose(rig)
    (line,) = warnings(name)
    assert line.startswith("3 curves lead to bones or properties that are not there") and "Palm.L" in line


def test_what_only_a_file_has_is_of_no_bone_of_another_armature(bpy: Any, warnings: Any) -> None:
    """Its texts are kept for a node that the armature has not; the check looked for it and ended in a traceback."""
    data = Path(__file__).parents[1] / "data" / "animx" / "01_raw_all.animj"
    bpy.ops.import_anim.animx(filepath=str(data))
    played = bpy.context.view_layer.objects.active.animation_data
    rig = add_rig(bpy, "Hero", keyed=False)
    rig.animation_data_create().action = played.action
    if bpy.app.version >= (4, 4):
        rig.animation_data.action_slot = played.action_slot
    choose(rig)
    line, absent = warnings("animx")
    assert "curves lead to bones or properties that are not there" in line
    assert absent == "1 animated name has no bone or chosen object and is left out: Node", "of the file that is written"


def show(bpy: Any, name: str, collection: Any) -> Any:
    """An object that shows an instance of a collection."""
    thing = add(name, None)
    thing.instance_type, thing.instance_collection = "COLLECTION", collection
    return thing


def test_what_a_rigid_body_moves_is_to_be_baked(bpy: Any, warnings: Any) -> None:
    stone = add_mesh(bpy, "Stone")
    choose(stone)
    bpy.ops.rigidbody.object_add()
    key(stone, "scale", (1, 1, 1), (2, 2, 2))
    told = "rigid bodies move 1 object, which no keys say; bake them first by Object > Rigid Body > Bake To Keyframes"
    assert f"{told}: Stone" in warnings("animx")
    stone.rigid_body.kinematic = True
    assert f"{told}: Stone" not in warnings("animx")
    stone.keyframe_insert("rigid_body.kinematic", frame=1)
    assert f"{told}: Stone" in warnings("animx")  # keys may let go of it
    for name, value in (("type", "PASSIVE"), ("enabled", False)):
        before = getattr(stone.rigid_body, name)
        setattr(stone.rigid_body, name, value)
        assert f"{told}: Stone" not in warnings("animx")
        setattr(stone.rigid_body, name, before)
    bpy.ops.rigidbody.object_remove()
    assert f"{told}: Stone" not in warnings("animx")


def test_what_moves_in_collection_instances_is_named(bpy: Any, warnings: Any) -> None:
    inner, outer = (bpy.data.collections.new(name) for name in ("Inner", "Outer"))
    rig = add_rig(bpy, "Hero")
    outer.objects.link(rig)
    for thing in (rig, nested := show(bpy, "Nested", inner)):
        bpy.context.scene.collection.objects.unlink(thing)
    outer.objects.link(nested)
    stone = add_mesh(bpy, "Stone")
    bpy.context.scene.collection.objects.unlink(stone)
    inner.objects.link(stone)
    crowd = show(bpy, "Crowd", outer)
    key(crowd, "location", (0, 0, 0), (1, 2, 3))
    choose(crowd)
    told = "animated values of what collection instances show are left out; make them real by Object"
    (line,) = warnings("animx")
    assert line.startswith(f"3 {told}") and line.endswith(": Crowd")
    key(stone, "location", (0, 0, 0), (1, 2, 3))
    (line,) = warnings("animx")
    assert line.startswith(f"6 {told}")


@pytest.mark.parametrize("file", ["mrtk/v11_flags/v11_cam1_hand1_gaze1.bin", "w3d/g02_tc_default.w3d", "w3x/g02.w3x"])
def test_an_untouched_import_in_such_a_scene_is_still_exact(bpy: Any, data: Path, export: Any, file: str) -> None:
    source, name = data / file, file.partition("/")[0]
    getattr(bpy.ops.import_anim, name)(filepath=str(source))
    rig = next(thing for thing in bpy.context.scene.objects if thing.type == "ARMATURE")
    homeless_scene(bpy)
    choose(rig)
    assert export(name).read_bytes() == source.read_bytes()


# --- Several objects ------------------------------------------------------------------------------------------------


def still_scene(bpy: Any) -> list[Any]:
    """A cube that moves under an empty that does not, beside an empty, a posed armature and a mesh that stand still."""
    above, beside = (bpy.data.objects.new(name, None) for name in ("Above", "Beside"))
    for empty in (above, beside):
        bpy.context.scene.collection.objects.link(empty)
        empty.location = (1, 2, 3)
    cube = add_mesh(bpy, "Cube")
    cube.parent = above
    key(cube, "location", (0, 0, 0), (1, 2, 3))
    statue = add_rig(bpy, "Statue", keyed=False, bones=("Base", "Top"))
    statue.pose.bones[0].location = (1, 2, 3)
    return [cube, above, beside, statue, add_mesh(bpy, "Stone")]


@pytest.mark.parametrize("sampling", ["AUTO", "BAKE"])
def test_what_stands_still_beside_is_not_written_but_named(bpy: Any, part: Part, export: Any, sampling: str) -> None:
    things = still_scene(bpy)
    del things[1]  # what carries the cube is not counted
    choose(*things)
    path = export("animx", sampling=sampling)
    assert {node for node, _ in keys_of(path)} == {"Cube"}
    animx = part("io_formats").animx
    options = animx.ExportOptions(sampling=sampling)
    (written,) = part("pipeline.export_files").export_files(bpy.context, path, animx.FORMAT, options, things)
    notes = [str(entry) for entry in written.report.notes]
    told = "1 of 4 chosen objects move and are written; the others stand still: Beside, Statue, Stone"
    assert told in notes
    assert written.check.place < 0.005  # metres that lines are off a curve between two frames


@pytest.mark.parametrize("relation", ["carries", "hangs", "deforms"])
@pytest.mark.parametrize("sampling", ["AUTO", "BAKE"])
def test_a_pose_that_is_one_of_what_moves_is_written(bpy: Any, export: Any, relation: str, sampling: str) -> None:
    cube, above, _, statue, _ = things = still_scene(bpy)
    if relation == "carries":
        above.parent, above.parent_type, above.parent_bone = statue, "BONE", "Top"
    elif relation == "hangs":
        statue.parent = cube
    else:
        cube.modifiers.new("Armature", "ARMATURE").object = statue
    choose(*things)
    assert {node for node, _ in keys_of(export("animx", sampling=sampling))} == {"Cube", "Base"}


@pytest.mark.parametrize("sampling", ["AUTO", "BAKE"])
def test_what_stands_still_is_written_if_asked(bpy: Any, export: Any, sampling: str) -> None:
    """By keys and constants, by samples, and where nothing of it is elsewhere than it rests."""
    _, _, beside, _, _ = things = still_scene(bpy)
    beside.constraints.new("LIMIT_ROTATION")
    choose(*things)
    found = keys_of(export("animx", still_channels=True, sampling=sampling))
    assert {node for node, _ in found} == {"Cube", "Above", "Beside", "Base", "Stone"}
    for key in found["Beside", "Position"]:
        assert sorted(map(abs, key["value"].values())) == pytest.approx([1, 2, 3])


@pytest.mark.parametrize("other", ["armature", "bone"])
def test_equal_names_are_kept_apart_with_a_warning(bpy: Any, warnings: Any, tmp_path: Path, other: str) -> None:
    hero = add_rig(bpy, "Hero", bones=("Hip", "Leg"))
    second = add_rig(bpy, "Villain", bones=("Hip", "Leg")) if other == "armature" else add_mesh(bpy, "Hip")
    if other == "bone":
        key(second, "location", (0, 0, 0), (1, 2, 3))
    choose(hero, second)
    assert any("two nodes are called Hip, the second is written as Hip.001" in line for line in warnings("animx"))
    assert set(keys_of(tmp_path / "out.animj")) == {("Hip", "Position"), ("Hip.001", "Position")}


def test_bones_and_properties_that_no_recording_has_are_named(bpy: Any, warnings: Any) -> None:
    """An arm that carries a joint counts by where it puts that; a tail and a mood do not."""
    rig = add_rig(bpy, "Hero", bones=("Arm", "Wrist.L", "Tail"))
    key_bone(rig, "Tail")
    wrist = rig.pose.bones["Wrist.L"]
    animate(wrist, '["mood"]', {3: 0.5})
    choose(rig)
    assert sorted(warnings("mrtk")) == [
        "1 animated bone or object is left out, as it is no joint and moves none: Tail",
        "1 animated value is left out, as the file has no place for it: Wrist.L mood",
    ]


def add_rig_with_a_still_action(bpy: Any, name: str) -> Any:
    """A rig that plays "Walk", and a second Action of that name whose curves lead nowhere: poses have no visibility."""
    rig = add_rig(bpy, "Rig")
    rig.animation_data.action.name = "Walk"
    rig.animation_data.action.use_fake_user = True
    still = rig.animation_data.action.copy()
    still.name, still.use_fake_user = name, True
    for curve in curves_of(still):
        curve.data_path = 'pose.bones["Wrist.L"].visibility'
    return rig


@pytest.mark.parametrize(("name", "still"), [*((name, "Amble") for name in FORMATS), ("animx", "Zzz")])
def test_an_action_in_which_nothing_moves_costs_no_other_its_file(
    bpy: Any, warnings: Any, tmp_path: Path, name: str, still: str
) -> None:
    """It is named whether it comes before the others or last, when their files are written already."""
    rig = add_rig_with_a_still_action(bpy, still)
    choose(rig)
    said = warnings(name, actions="ALL")
    assert any(still in line for line in said), said
    assert not [path for path in tmp_path.rglob("*") if still.lower() in path.name.lower()]
    assert [path for path in tmp_path.rglob("*") if "walk" in path.name.lower()]
