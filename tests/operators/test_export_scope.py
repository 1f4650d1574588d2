"""Whose Actions an export of all Actions writes: the chosen objects', not those that others play."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cases import FILES
from in_blender import add, animate, choose

from tests.operators.test_things import ENDINGS, FORMATS, add_rig

SOURCES = {name: FILES[name] for name in ("mrtk", "w3d", "animx")}


@pytest.fixture
def import_twice(bpy: Any, part: Callable[[str], Any], data: Path) -> Callable[[str, bool], list[Any]]:
    """Import a file of a format twice, the second time onto a new armature; both, their first keys moved if asked."""

    def imported(name: str, edited: bool) -> list[Any]:
        for options in ({}, {"target": "NEW"}):
            getattr(bpy.ops.import_anim, name)(filepath=str(data / SOURCES[name]), **options)
        rigs = [thing for thing in bpy.context.scene.objects if thing.type == "ARMATURE"]
        for far, rig in enumerate(rigs if edited else [], 1):
            _, curve = next(part("scene.actions").every_curve(rig.animation_data.action))
            curve.keyframe_points[0].co[1] += far / 4
            rig.animation_data.action.update_tag()
        return rigs

    return imported


def play(rig: Any, how: str) -> None:
    """Let an armature play its Action as it does, or by an NLA strip, or by a muted one."""
    if how != "assigned":
        action, rig.animation_data.action = rig.animation_data.action, None
        track = rig.animation_data.nla_tracks.new()
        track.strips.new("strip", int(action.frame_range[0]), action)
        track.mute = how == "stashed"


def exported(bpy: Any, name: str, path: Path, **options: Any) -> list[bytes]:
    """What an export writes into a folder."""
    path.parent.mkdir()
    getattr(bpy.ops.export_anim, name)(filepath=f"{path}{ENDINGS[name]}", **options)
    return [file.read_bytes() for file in sorted(path.parent.iterdir())]


@pytest.mark.parametrize(("edited", "how"), [(True, "assigned"), (False, "strip"), (True, "stashed")])
@pytest.mark.parametrize("name", SOURCES)
def test_of_two_imports_of_a_file_the_chosen_armatures_is_written(
    bpy: Any, import_twice: Any, tmp_path: Path, name: str, edited: bool, how: str
) -> None:
    """Each file is the one that an export of what plays made of the same armature."""
    rigs = import_twice(name, edited)
    alone, title = [], rigs[0].animation_data.action.name  # a changed W3D animation is called as its file
    for rig in rigs:
        choose(rig)
        alone.append(exported(bpy, name, tmp_path / f"alone {rig.name}" / title))
    assert len(rigs) == 2 and (alone[0] == alone[1]) is not edited
    for rig in rigs:
        play(rig, how)
    for rig, wanted in zip(rigs, alone):
        choose(rig)
        assert exported(bpy, name, tmp_path / rig.name / "x", actions="ALL") == wanted


@pytest.mark.parametrize("edited", [False, True])
@pytest.mark.parametrize("name", SOURCES)
def test_two_imports_of_a_file_are_two(bpy: Any, import_twice: Any, tmp_path: Path, name: str, edited: bool) -> None:
    """Both armatures are chosen: each Action goes into one file, with the armature that plays it."""
    rigs = import_twice(name, edited)
    choose(*rigs)
    found = exported(bpy, name, tmp_path / "each" / "x", actions="ALL", several="FILES")
    titles = sorted(path.stem for path in (tmp_path / "each").iterdir())
    for rig, title, data in zip(rigs, titles, found, strict=True):
        choose(rig)
        assert exported(bpy, name, tmp_path / rig.name / title) == [data]


def soldiers(bpy: Any) -> list[Any]:
    """Two armatures of the same bones, the second with a copy of the first one's Action, as duplicating leaves them."""
    hero = add_rig(bpy, "Hero")
    villain = hero.copy()
    villain.name = "Villain"
    bpy.context.scene.collection.objects.link(villain)
    hero.animation_data.action.name = "Walk"
    villain.animation_data.action = hero.animation_data.action.copy()
    villain.animation_data.action.name = "Limp"
    if hasattr(villain.animation_data, "action_slot"):
        villain.animation_data.action_slot = villain.animation_data.action.slots[0]
    return [hero, villain]


def names_of(bpy: Any, name: str, folder: Path) -> set[str]:
    exported(bpy, name, folder / "x", actions="ALL")
    return {path.stem for path in folder.iterdir()}


@pytest.mark.parametrize(
    ("name", "how"), [*((name, "assigned") for name in FORMATS), ("animx", "strip"), ("animx", "stashed")]
)
def test_another_armature_of_the_same_bones_keeps_its_actions(
    bpy: Any, part: Callable[[str], Any], tmp_path: Path, name: str, how: str
) -> None:
    """What nothing plays is for the chosen one, whichever that is, even where both lack a bone."""
    rigs = soldiers(bpy)
    idle = rigs[0].animation_data.action.copy()
    idle.name = "Idle"
    *_, (_, curve) = part("scene.actions").every_curve(idle)
    curve.data_path = 'pose.bones["Lost"].location'
    for slot in getattr(idle, "slots", ()):
        slot.name_display = "Nobody"
    for rig in rigs:
        play(rig, how)
    for rig, own in zip(rigs, ("Walk", "Limp"), strict=True):
        choose(rig)
        assert names_of(bpy, name, tmp_path / rig.name) == {own, "Idle"}


@pytest.mark.parametrize("again", [False, True])
def test_the_animation_of_another_skeleton_is_not_written(bpy: Any, data: Path, tmp_path: Path, again: bool) -> None:
    """Of two animations an armature plays one; another armature is chosen, of whose bones both only name the root."""
    bpy.ops.import_anim.w3x(filepath=str(data / "w3x" / "g03.w3x"))
    bpy.ops.import_anim.w3x(filepath=str(data / "w3x" / "g02.w3x"), target="NEW")
    turret = bpy.context.view_layer.objects.active
    if again:
        bpy.ops.import_anim.w3x(filepath=str(data / "w3x" / "g03.w3x"), target="NEW")
        for slot in (slot for action in bpy.data.actions for slot in getattr(action, "slots", ())):
            slot.name_display = "Legacy Slot"  # as each is called that comes from a Blender without slots
    choose(turret)
    assert exported(bpy, "w3x", tmp_path / "out" / "x", actions="ALL") == [(data / "w3x" / "g02.w3x").read_bytes()]
    skeleton = next(thing for thing in bpy.context.scene.objects if "Rad-Läufer" in getattr(thing.data, "bones", ()))
    choose(skeleton)
    assert names_of(bpy, "w3x", tmp_path / "others") >= {"G03_Roll", "G03_Stand"}


@pytest.mark.parametrize("name", FORMATS)
def test_what_is_in_no_scene_plays_nothing(bpy: Any, tmp_path: Path, name: str) -> None:
    """Blender keeps an armature that was unlinked until the file is saved, and the original of a library override."""
    hero, villain = soldiers(bpy)
    bpy.context.scene.collection.objects.unlink(villain)
    choose(hero)
    assert names_of(bpy, name, tmp_path / "out") == {"Walk", "Limp"}


@pytest.mark.parametrize("name", SOURCES)
def test_what_another_action_left_behind_is_not_written(bpy: Any, data: Path, tmp_path: Path, name: str) -> None:
    """Into a file of another format goes what is seen, as it is kept and without a look at each frame."""
    getattr(bpy.ops.import_anim, name)(filepath=str(data / SOURCES[name]))
    rig = bpy.context.view_layer.objects.active
    played, bone = rig.animation_data, rig.pose.bones[-1]
    before, slot = played.action, getattr(played, "action_slot", None)
    played.action = bpy.data.actions.new("Other")
    animate(bone, "scale", {1: (2.0, 2.0, 2.0)})
    played.action = before
    if slot is not None:
        played.action_slot = slot
    assert exported(bpy, name, tmp_path / "out" / "x") == [(data / SOURCES[name]).read_bytes()]
    assert exported(bpy, "w3d" if name == "animx" else "animx", tmp_path / "other" / "x", strict=True)
    assert "was sampled" not in bpy.data.texts["Export Report"].as_string()


def test_what_never_moves_has_no_motion_when_it_is_sampled_either(bpy: Any, tmp_path: Path) -> None:
    rig = add_rig(bpy, "Rig", keyed=False)
    animate(rig.pose.bones[0], "location.y", {1: 0.5, 9: 0.5})
    choose(rig)
    with pytest.raises(RuntimeError, match="moves"):
        bpy.ops.export_anim.mrtk(filepath=str(tmp_path / "still.bin"), sampling="BAKE")
    assert list(tmp_path.iterdir()) == []
    choose(cube := add("Cube"))
    bpy.app.handlers.frame_change_pre.append(lambda scene, *_: setattr(cube.location, "x", scene.frame_current))
    assert bpy.ops.export_anim.animx(filepath=str(tmp_path / "x.animj"), sampling="BAKE") == {"FINISHED"}, "by a script"


def test_the_only_armature_stands_in_for_what_is_selected_beside_it_and_that_is_missed_aloud(
    bpy: Any, tmp_path: Path
) -> None:
    cube, rig = add("Cube"), add_rig(bpy, "Rig")
    animate(cube, "location.x", {1: 1, 9: 9})
    animate(rig.pose.bones[0], "location.y", {1: 1, 9: 9})
    choose(cube)
    assert bpy.ops.export_anim.w3d(filepath=str(tmp_path / "rig.w3d")) == {"FINISHED"}
    assert "Cube" in bpy.data.texts["Export Report"].as_string()


def test_of_two_armatures_that_play_an_import_the_active_one_goes_back(
    bpy: Any, part: Callable[[str], Any], data: Path, tmp_path: Path
) -> None:
    """The other one is held by a constraint."""
    (tmp_path / "walk.w3d").write_bytes((data / SOURCES["w3d"]).read_bytes())
    bpy.ops.import_anim.w3d(filepath=str(tmp_path / "walk.w3d"))
    rig = bpy.context.view_layer.objects.active
    _, curve = next(part("scene.actions").every_curve(rig.animation_data.action))
    curve.keyframe_points[0].co[1] += 0.25
    other = rig.copy()
    bpy.context.scene.collection.objects.link(other)
    for bone in rig.pose.bones:
        bone.constraints.new("LIMIT_LOCATION").use_max_x = True
    choose(other)
    assert bpy.ops.anim_curves.export_changed() == {"FINISHED"}
    assert "Limit Location" not in bpy.data.texts["Export Report"].as_string()


def test_an_edited_walk_in_another_size_is_as_the_scene_shows_it(bpy: Any, import_twice: Any, tmp_path: Path) -> None:
    choose(import_twice("animx", True)[0])
    assert bpy.ops.export_anim.animx(filepath=str(tmp_path / "walk.animj"), scale=2.0) == {"FINISHED"}
    assert "off the scene" not in bpy.data.texts["Export Report"].as_string()


def test_strips_over_an_action_without_curves_are_seen(
    bpy: Any, part: Callable[[str], Any], data: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """As a skeleton's file makes one."""
    bpy.ops.import_anim.w3d(filepath=str(data / "w3d" / "g02_tc_default.w3d"))
    rig = bpy.context.view_layer.objects.active
    for bag in part("scene.actions").bags(rig.animation_data.action).values():
        bag.fcurves.clear()
    bpy.ops.import_anim.w3d(filepath=str(data / "w3d" / "g02_tc_default.w3d"), target="SELECTED", nla="STRIP")
    assert "covers the new strips" not in "".join(capfd.readouterr())
