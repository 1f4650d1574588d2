"""A bone or object is the file's node because an import tied them, whatever either is called since."""

from __future__ import annotations

import importlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import mrtk_scene
import numpy as np
import pytest
import w3d_scene
from hand_rigs import hand_rig, mixamo
from in_blender import add, add_armature, animate, choose, editing, push_down, reopen
from scenes.players import mrtk, w3d

bpy = pytest.importorskip("bpy")

Lay = w3d_scene.Lay
DATA = Path(__file__).parents[1] / "data"
PIVOTS = ["ROOTTRANSFORM", "HIP", "CHEST", "HEAD"]
SKELETON = Lay.hierarchy(PIVOTS, [-1, 0, 1, 2], name="MAN", step=33333.3)
MOVES = [Lay.raw(0, [float(at * pivot) for at in range(5)], 0, pivot) for pivot in (1, 2, 3)]
WALK = Lay.animation(*MOVES, skeleton="MAN", frames=5)


def walk_of(folder: Path) -> Path:
    """A walk with its skeleton."""
    return w3d_scene.write(folder / "walk.w3d", SKELETON, WALK)


def rename(rig: Any, **names: str) -> None:
    """Give bones other names, as in the Outliner."""
    for old, new in names.items():
        rig.data.bones[old].name = new


def copied_bone(rig: Any, name: str) -> None:
    """Duplicate a bone in Edit Mode."""
    with editing(rig) as bones:
        bpy.ops.armature.select_all(action="DESELECT")
        bone = bones[name]
        bone.select = bone.select_head = bone.select_tail = True
        bpy.ops.armature.duplicate()


# --- W3D ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", ["", "reopened", "one bone is a person's"])
def test_a_walk_comes_back_though_its_bones_were_renamed(case: str, tmp_path: Path) -> None:
    path = walk_of(tmp_path)
    rig = w3d_scene.bring_in(path)
    if "person" in case:
        del rig.data.bones["HIP"]["anim_curves_node"], rig.data.bones["HIP"]["anim_curves_tie"]
        w3d_scene.bring_in(path, target="SELECTED")
    rename(rig, HIP="Becken", CHEST="HIP")
    if case == "reopened":
        reopen(tmp_path / "scene.blend")
    assert w3d_scene.send_out(tmp_path / "again.w3d") == path.read_bytes()


@pytest.mark.parametrize("another", ["no bone", "a copy", "one of a pivot's name"])
def test_renamed_bones_keep_their_channels_beside_an_edited_one(another: str, tmp_path: Path) -> None:
    """Of a copied bone the first is the pivot."""
    path = walk_of(tmp_path)
    rig = w3d_scene.bring_in(path)
    if another == "a copy":
        copied_bone(rig, "CHEST")
    rename(rig, HIP="Zopf", CHEST="Brust")
    if another == "one of a pivot's name":
        with editing(rig) as bones:
            bones.new("HIP").tail.z = 1.0
    w3d_scene.curve(rig, "HEAD", "location").keyframe_points[2].co[1] = 50.0
    before, after = (
        w3d_scene.raw_channels(data) for data in (path.read_bytes(), w3d_scene.send_out(tmp_path / "again.w3d"))
    )
    assert {key for key in before if before[key] != after.get(key)} == {(3, 0)}
    if another == "no bone":
        alone = w3d_scene.send_out(tmp_path / "again.w3d", use_source=False)
        assert (w3d_scene.raw_channels(alone).keys(), w3d.Player.of(alone).names) == (before.keys(), PIVOTS)


def renamed_skeleton(data: bytes, skeleton: str, names: list[str]) -> bytes:
    """A skeleton file with other names."""
    codec = importlib.import_module("io_formats.w3d")
    document = codec.read(data)
    (hierarchy,) = document.hierarchies
    header, pivots, *others = hierarchy.parts
    records = pivots.records.copy()
    for number, name in enumerate(names):
        records["name"][number] = np.void(name.encode().ljust(16, b"\0"))
    parts = [replace(header, name=skeleton.encode().ljust(16, b"\0")), replace(pivots, records=records), *others]
    return bytes(codec.write(replace(document, parts=[replace(hierarchy, parts=parts)])))


OTHERS = {
    "rules": [f"HERO {name.replace('_0', '_')}" for name in (f"BONE_0{number}" for number in range(1, 6))],
    "table": ["PELVIS", "CHEST", "HEAD", "LEG", "FOOT"],
    "swapped": ["BONE_02", "BONE_01", "BONE_03", "BONE_05", "BONE_04"],
}


@pytest.mark.parametrize("fit", ["FOLLOW", "EXACT"])
@pytest.mark.parametrize("how", OTHERS)
def test_a_unit_whose_bones_have_other_names_walks_as_the_first(how: str, fit: str, tmp_path: Path) -> None:
    """The hero is the soldier but for the names, so that every pivot moves as the golden one does."""
    source, soldier = DATA / "w3d" / "g02_tc_default.w3d", DATA / "w3d" / "g02_skl.w3d"
    hero, table, out = tmp_path / "hero.w3d", tmp_path / "names.json", tmp_path / "hero_walk.w3d"
    hero.write_bytes(renamed_skeleton(soldier.read_bytes(), "HERO", ["ROOTTRANSFORM", *OTHERS[how]]))
    pairs = {f"BONE_0{number}": name for number, name in enumerate(OTHERS[how], 1)}
    table.write_text(json.dumps({"kind": "anim_curves_names", "names": pairs}), encoding="utf-8")
    rig = w3d_scene.bring_in(hero)
    given = {} if how == "rules" else {"name_table": str(table)}
    w3d_scene.bring_in(source, target="SELECTED", skeleton=str(soldier), fit=fit, **given)
    assert rig == bpy.context.view_layer.objects.active
    w3d_scene.send_out(out, skeleton=str(hero))
    wanted = w3d.Player.of(soldier.read_bytes() + source.read_bytes())
    found = w3d.Player.of(hero.read_bytes() + out.read_bytes())
    assert found.hierarchy == "HERO"
    for frame in range(wanted.frames):
        assert np.abs(np.array(found.worlds(frame)) - np.array(wanted.worlds(frame))).max() < 2e-3, frame


def own_man(folder: Path) -> Any:
    """A person's own armature that plays the walk, its bones matched by rules."""
    rig = w3d_scene.make_armature(
        [("hip", None, (0, 0, 2)), ("Chest", "hip", (0, 0, 4)), ("mHEAD", "Chest", (0, 0, 6))]
    )
    table = folder / "names.json"
    table.write_text(json.dumps({"kind": "anim_curves_names", "names": {"HEAD": "mHEAD"}}), encoding="utf-8")
    w3d_scene.bring_in(walk_of(folder), target="SELECTED", name_table=str(table))
    return rig


def test_a_persons_bones_stay_the_files_under_other_names(tmp_path: Path) -> None:
    rig = own_man(tmp_path)
    before = w3d_scene.send_out(tmp_path / "made.w3d", include_skeleton="EXCLUDE", flavor="RAW")
    rename(rig, hip="Becken", Chest="hip", mHEAD="Kopf")
    reopen(tmp_path / "scene.blend")
    assert w3d_scene.send_out(tmp_path / "made.w3d", include_skeleton="EXCLUDE", flavor="RAW") == before
    assert {pivot for pivot, _ in w3d_scene.raw_channels(before)} == {1, 2, 3}
    assert bpy.ops.export_anim.w3x(filepath=str(tmp_path / "made.w3x")) == {"FINISHED"}
    assert 'Hierarchy="RIG"' in (tmp_path / "made.w3x").read_text()  # of the person's own, not the file's
    assert w3d_scene.send_out(tmp_path / "again.w3d") == (tmp_path / "walk.w3d").read_bytes()


def test_what_a_person_animates_has_the_names_that_it_has(tmp_path: Path) -> None:
    """The tie is the imported Action's: another one of the same rig is of no file."""
    rig = own_man(tmp_path)
    rename(rig, hip="Becken")
    rig.animation_data.action = None
    animate(rig.pose.bones["Becken"], "location", {0: (0.0, 0.0, 0.0), 9: (9.0, 0.0, 0.0)})
    w3d_scene.send_out(tmp_path / "own.w3d")
    assert "BECKEN" in w3d.Player.of((tmp_path / "own.w3d").read_bytes()).names


def test_a_failed_import_leaves_no_tie(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rig = w3d_scene.make_armature([("hip", None, (0, 0, 2)), ("CHEST", "hip", (0, 0, 4))])

    def fail(*_: Any, **__: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(w3d_scene.part("scene.provenance"), "note_action", fail)
    with pytest.raises(RuntimeError):
        w3d_scene.bring_in(walk_of(tmp_path), target="SELECTED")
    assert not any(bone.keys() for bone in rig.data.bones)


def test_ties_come_along_into_another_file(tmp_path: Path) -> None:
    """Linked and overridden there, as a shot does with a character."""
    path = walk_of(tmp_path)
    rig = w3d_scene.bring_in(path)
    rename(rig, HIP="Becken", CHEST="HIP")
    name = rig.name
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "character.blend"))
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(str(tmp_path / "character.blend"), link=True) as (_, linking):
        linking.objects = [name]
    own = linking.objects[0].override_create(remap_local_usages=True)
    bpy.context.scene.collection.objects.link(own)
    bpy.context.scene.render.fps = 30
    choose(own)
    assert w3d_scene.send_out(tmp_path / "again.w3d") == path.read_bytes()
    own.animation_data.action, bpy.context.scene.render.fps = None, 24
    assert len(w3d_scene.send_out_all(tmp_path / "all")) == 1, "the original, in no scene, still plays it"


# --- AnimX -------------------------------------------------------------------------------------------------------


def tracks_of(path: Path) -> list[tuple[str, str]]:
    """Node and property of each track, in the order by which the engine binds them."""
    tracks = json.loads(path.read_text(encoding="utf-8"))["tracks"]
    return [(data["node"], data["property"]) for data in (track["data"] for track in tracks)]


@pytest.mark.parametrize("kind", ["BONE", "OBJECT"])
def test_tracks_stay_where_they_are_under_other_names(kind: str, tmp_path: Path) -> None:
    """Called as the model is that goes out of the same scene."""
    path, again = DATA / "animx" / "08_walk.animj", tmp_path / "again.animj"
    bpy.ops.import_anim.animx(filepath=str(path), node_kind=kind)
    things = {thing.name: thing for thing in bpy.context.scene.objects}
    moved = things if kind == "OBJECT" else next(iter(things.values())).data.bones
    moved["Hips"].name = "Becken"
    moved["Head"].name = "Hips"
    bpy.ops.export_anim.animx(filepath=str(again))
    new = {"Hips": "Becken", "Head": "Hips", "Spine": "Spine"}
    assert tracks_of(again) == [(new[node], field) for node, field in tracks_of(path)]
    animx, equal = w3d_scene.part("io_formats.animx"), w3d_scene.part("io_formats.binary").equal
    found, wanted = (animx.read(file.read_bytes()).tracks for file in (again, path))
    assert all(equal(replace(one, node=other.node), other) for one, other in zip(found, wanted, strict=True))


def test_a_persons_objects_stay_the_files_under_other_names(tmp_path: Path) -> None:
    """Others of the old names beside them are none of the file's."""
    path, again = DATA / "animx" / "08_walk.animj", tmp_path / "again.animj"
    for name in ("Hips", "Spine", "Head"):
        add(name)
    bpy.ops.import_anim.animx(filepath=str(path), target="BY_NAME")
    for name in ("Hips", "Spine", "Head"):
        bpy.data.objects[name].name = f"my {name}"
        add(name)
    bpy.ops.export_anim.animx(filepath=str(again))
    assert tracks_of(again) == [(f"my {node}", field) for node, field in tracks_of(path)]


def test_bones_that_never_had_the_files_names_leave_them_to_it(tmp_path: Path) -> None:
    path, again = DATA / "animx" / "08_walk.animj", tmp_path / "again.animj"
    bones = [(f"mixamorig:{name}", None, (0.0, 0.0, 0.0), (0.0, 0.0, 1.0)) for name in ("Hips", "Spine", "Head")]
    choose(add_armature("Rig", bones))
    bpy.ops.import_anim.animx(filepath=str(path), target="SELECTED")
    bpy.ops.export_anim.animx(filepath=str(again))
    assert again.read_bytes() == path.read_bytes()


def test_a_copy_of_an_imported_object_is_another_node(tmp_path: Path) -> None:
    """It has its own name, and the file's node stays the first one, though the copy comes before it."""
    path, again = DATA / "animx" / "08_walk.animj", tmp_path / "again.animj"
    bpy.ops.import_anim.animx(filepath=str(path), node_kind="OBJECT")
    first, there = bpy.data.objects["Hips"], bpy.context.scene.collection.objects
    there.unlink(first)
    for thing in (first.copy(), first):
        there.link(thing)
    there[-2].name = "A copy"
    choose(*bpy.data.objects)
    bpy.ops.export_anim.animx(filepath=str(again))
    before, found = tracks_of(path), tracks_of(again)
    assert found[: len(before)] == before and {node for node, _ in found[len(before) :]} == {"A copy"}
    assert "A copy: it is not as it was imported" in bpy.data.texts["Export Report"].as_string()
    push_down(first)
    choose(first)
    bpy.ops.export_anim.animx(filepath=str(again))
    assert {node for node, _ in tracks_of(again)} == {node for node, _ in before}
    bpy.data.objects.remove(bpy.data.objects["A copy"])
    (track,) = first.animation_data.nla_tracks
    first.animation_data.action = track.strips[0].action.copy()  # which knows of all curves, too
    first.animation_data.nla_tracks.remove(track)
    choose(*bpy.data.objects)
    bpy.ops.export_anim.animx(filepath=str(again))
    assert "of the file are gone" not in bpy.data.texts["Export Report"].as_string()


# --- What is above an armature is none of its joints --------------------------------------------------------------


def keyed(thing: Any, frames: int = 30) -> Any:
    """An object that moves and turns."""
    animate(thing, "location", {frame: (0.3 + frame * 0.05, -0.2, 0.4) for frame in (0, frames)})
    animate(thing, "rotation_euler", {frame: (0.2, 0.1 + frame * 0.03, 1.0) for frame in (0, frames)})
    return thing


def hung(thing: Any, above: Any, bone: str = "") -> None:
    """Parent an object to another, or to one of its bones."""
    thing.parent = above
    if bone:
        thing.parent_type, thing.parent_bone = "BONE", bone


def assert_played(recording: mrtk.Player, rig: Any, joints: Any) -> None:
    """Each joint is where Blender has its bone, within a tenth of a millimetre."""
    for frame in (0, 7, 22):
        mrtk_scene.assert_shown(recording, rig, joints, frame)


HAND = {"Wrist.L": mixamo("L", "", 0), "IndexKnuckle.L": mixamo("L", "Index", 1), "Wrist.R": mixamo("R", "", 0)}


def own_hands() -> Any:
    """A rig of Mixamo's names that moves."""
    rig = hand_rig(bpy, mixamo, 0.4, 0.3)
    for bone in HAND.values():
        animate(rig.pose.bones[bone], "rotation_quaternion", {0: (1.0, 0.0, 0.1, 0.0), 30: (1.0, 0.3, 0.1, 0.0)})
    return rig


def test_a_recording_under_a_moving_camera_keeps_its_own(tmp_path: Path) -> None:
    rig = mrtk_scene.bring_in(Path(__file__).parents[2] / "samples" / "two_hands_mrtk_1.1.bin")
    hung(rig, keyed(add("Camera", bpy.data.cameras.new("Camera"))))
    choose(rig)
    played = mrtk.Player(mrtk_scene.send_out(tmp_path / "out.bin"))
    assert_played(played, rig, ("Camera", "Wrist.L", "IndexTip.R"))


def test_a_camera_that_carries_hands_is_nobodys_eyes(tmp_path: Path) -> None:
    rig = own_hands()
    hung(rig, keyed(add("Camera", bpy.data.cameras.new("Camera"))))
    choose(rig)
    played = mrtk.Player(mrtk_scene.send_out(tmp_path / "out.bin"))
    assert_played(played, rig, HAND)
    assert not played.has("Camera")


def test_hands_on_a_recordings_wrist_are_the_hands(tmp_path: Path) -> None:
    recording = mrtk_scene.bring_in(Path(__file__).parents[2] / "samples" / "two_hands_mrtk_1.1.bin")
    rig = own_hands()
    hung(rig, recording, "Wrist.L")
    choose(rig)
    assert_played(mrtk.Player(mrtk_scene.send_out(tmp_path / "out.bin")), rig, HAND)


def test_an_empty_called_like_a_pivot_is_none(tmp_path: Path) -> None:
    rig = w3d_scene.make_armature([("HIP", None, (0, 0, 2)), ("HEAD", "HIP", (0, 0, 4))])
    empty = keyed(add("Hip"))
    animate(rig.pose.bones["HIP"], "location", {0: (0.0, 0.5, 0.0), 30: (3.0, 0.5, 0.0)})
    hung(rig, empty)
    choose(rig)
    played = w3d.Player.of(w3d_scene.send_out(tmp_path / "out.w3d"))
    for frame in (0, 7, 30):
        seen, worlds = w3d_scene.bones_at(rig, frame), played.worlds(frame)
        for bone, wanted in seen.items():
            found = worlds[played.names.index(bone)]
            assert np.abs(found[:3, 3] - wanted[:3, 3]).max() < 2e-3, (bone, frame)
