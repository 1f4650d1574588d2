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
