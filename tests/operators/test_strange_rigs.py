"""An import onto an armature that has few of the file's names, or none: what is said, and what an export writes."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from in_blender import editing

from tests.operators.test_things import add_rig as add_chain
from tests.operators.test_things import key_bone


def add_rig(bpy: Any, *bones: str) -> Any:
    """An active armature Rig away from the origin, with a chain of bones."""
    rig = add_chain(bpy, "Rig", keyed=False, bones=bones)
    rig.location = (1, 2, 0)
    rig.select_set(True)
    return rig


def connect(bpy: Any, rig: Any, bone: str) -> None:
    """Let a bone be connected to its parent, from which Blender does not move it then."""
    with editing(rig) as bones:
        bones[bone].use_connect = True


def report_of(bpy: Any, kind: str) -> str:
    """What the last import or export says."""
    return str(bpy.data.texts[f"{kind} Report"].as_string())


@pytest.mark.parametrize(
    ("name", "bone", "counts"),
    [
        ("g02_tc_default", "Other", "1 animation, 6 pivots, 176 keys, 0.8 s, "),
        ("h04_multi_unknown", "Other", "2 animations, 4 pivots, 7 keys, 0.5 s, "),
        ("h04_multi_unknown", "BONE_01", "2 animations, 4 pivots, 7 keys, 0.5 s, "),
    ],
)
def test_a_files_own_bytes_are_counted_and_not_what_the_rig_shows_of_them(
    bpy: Any, data: Path, tmp_path: Path, reports: list[str], name: str, bone: str, counts: str
) -> None:
    add_rig(bpy, bone)
    bpy.ops.import_anim.w3d(filepath=str(data / "w3d" / f"{name}.w3d"), target="SELECTED")
    assert counts in reports[-1]
    assert ("plays the motion from where it stands" in report_of(bpy, "Import")) == (bone == "BONE_01"), "what moves"
    bpy.ops.export_anim.w3d(filepath=str(tmp_path / f"{name}.w3d"))
    assert (tmp_path / f"{name}.w3d").read_bytes() == (data / "w3d" / f"{name}.w3d").read_bytes()
    assert reports[-1].startswith(f"{name}.w3d: {counts}byte for byte")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("ok_minimal", "The only animated name of the file is not that of a bone of Rig; say which bone it means by"),
        ("08_walk", "None of the 3 animated names of the file is that of a bone of Rig; say which bones they mean by"),
    ],
)
def test_that_no_name_matches_is_said_of_one_and_of_many(bpy: Any, data: Path, name: str, told: str) -> None:
    add_rig(bpy, "Other")
    (path,) = (data / "animx").rglob(f"{name}.animj")
    bpy.ops.import_anim.animx(filepath=str(path), target="SELECTED")
    assert told in report_of(bpy, "Import")


@pytest.mark.parametrize("name", ["animx", "w3d", "w3x", "mrtk"])
@pytest.mark.parametrize("bone", ["Other", "Wrist.L"])
@pytest.mark.parametrize("keep", [True, False])
def test_an_action_without_curves_is_no_file(
    bpy: Any, data: Path, tmp_path: Path, name: str, bone: str, keep: bool
) -> None:
    """Another file than the imported one; the armature is named, and not its Action."""
    add_rig(bpy, bone)
    (path,) = (data / "animx").rglob("08_walk_plain.animx")
    bpy.ops.import_anim.animx(filepath=str(path), target="SELECTED", keep_source=keep)
    ending = {"animx": ".animj", "mrtk": ".bin"}.get(name, f".{name}")
    with pytest.raises(RuntimeError, match=r"nothing that is chosen moves \(Rig\)"):
        getattr(bpy.ops.export_anim, name)(filepath=str(tmp_path / f"out{ending}"))
    assert list(tmp_path.iterdir()) == []


FILES = {"animx": "animx/08_walk.animj", "w3d": "w3d_models/m05_materials.w3d", "w3x": "w3x/g01_anim.w3x"}


@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize(("name", "to"), [(name, to) for name in FILES for to in ("w3d", "w3x") if name != to])
def test_a_skeleton_of_a_persons_own_bones_is_named_after_the_armature(
    bpy: Any, part: Callable[[str], Any], data: Path, tmp_path: Path, name: str, to: str, keep: bool
) -> None:
    """One skeleton for all animations of the armature, whichever file they came from."""
    add_rig(bpy, "Hips", "Spine", "Head", "HAND_L")
    getattr(bpy.ops.import_anim, name)(filepath=str(data / FILES[name]), target="SELECTED", keep_source=keep)
    getattr(bpy.ops.export_anim, to)(filepath=str(tmp_path / f"out.{to}"))
    document = part("io_formats").open_document(tmp_path / f"out.{to}")
    assert [hierarchy.name for hierarchy in document.hierarchies] == ["RIG"]
    (animation,) = document.animations
    assert bytes(animation.header.hierarchy).rstrip(b"\0") == b"RIG" if to == "w3d" else animation.hierarchy == "RIG"
    assert "The armature does not stand at the world's origin, and its place is written" in report_of(bpy, "Export")


def test_a_bone_that_was_connected_all_the_time_changes_nothing_of_a_file(bpy: Any, data: Path, tmp_path: Path) -> None:
    """As the hands of Rigify's metarigs: Blender plays no location of theirs, which the import says."""
    rig, file = add_rig(bpy, "Arm", "Wrist.L"), data / "mrtk" / "v11_flags" / "v11_cam0_hand1_gaze0.bin"
    connect(bpy, rig, "Wrist.L")
    bpy.ops.import_anim.mrtk(filepath=str(file), target="SELECTED")
    assert "Wrist.L is connected to its parent and cannot leave it" in report_of(bpy, "Import")
    bpy.ops.export_anim.mrtk(filepath=str(tmp_path / "out.bin"))
    assert (tmp_path / "out.bin").read_bytes() == file.read_bytes()


def test_of_many_bones_that_constraints_hold_not_each_is_listed(bpy: Any, tmp_path: Path) -> None:
    """As on a generated Rigify rig, of which most bones are, and onto which its own W3D comes back."""
    rig = add_rig(bpy, *(f"MCH-{number}" for number in range(30)))
    for bone in rig.pose.bones:
        key_bone(rig, bone.name)
        bone.constraints.new("COPY_SCALE").target = rig
    bpy.ops.export_anim.w3d(filepath=str(tmp_path / "rig.w3d"))
    bpy.ops.import_anim.w3d(filepath=str(tmp_path / "rig.w3d"), target="SELECTED")
    assert report_of(bpy, "Import").count("takes part in its pose") == 20
    assert "10 more like this are not listed" in report_of(bpy, "Import")


def test_a_bone_of_the_import_that_is_connected_later_stays_in_its_place(bpy: Any, data: Path, tmp_path: Path) -> None:
    bpy.ops.import_anim.w3d(filepath=str(data / "w3d" / "g02_tc_default.w3d"))
    rig, curves_of = bpy.context.view_layer.objects.active, importlib.import_module("blend_census").curves_of
    moving = next(curve for curve in curves_of(rig.animation_data.action) if curve.data_path.endswith("location"))
    connect(bpy, rig, moving.data_path.split('"')[1])
    bpy.ops.export_anim.w3d(filepath=str(tmp_path / "out.w3d"))
    assert "a connected bone stays in its place" in report_of(bpy, "Export")
