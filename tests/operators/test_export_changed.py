"""Export Changed: what was changed since its import goes back to its files, all animations of one file into one."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from in_blender import bags_of, curves_of, remove_curves

SEVERAL = "h04_multi_unknown.w3d"


@pytest.fixture
def folder(bpy: Any, data: Path, tmp_path: Path) -> Path:
    """Three imported files: two animations of one skeleton in the first, one in the others."""
    for source, name in ((SEVERAL, "several.w3d"), ("b01_motion_tc.w3d", "one.w3d")):
        shutil.copy(data / "w3d" / source, tmp_path / name)
        bpy.ops.import_anim.w3d(filepath=str(tmp_path / name), target="NEW")
    shutil.copy(data / "mrtk" / "v11_flags" / "v11_cam1_hand1_gaze1.bin", tmp_path / "take.bin")
    bpy.ops.import_anim.mrtk(filepath=str(tmp_path / "take.bin"), target="NEW")
    return tmp_path


def action_of(bpy: Any, file: str, index: int = 0) -> Any:
    """The Action of one animation of a file."""
    groups = [(action, action["anim_curves"]) for action in bpy.data.actions]
    return next(action for action, group in groups if group["file"] == file and group["index"] == index)


def player_of(bpy: Any, action: Any) -> Any:
    """The object that plays an Action."""
    return next(thing for thing in bpy.data.objects if thing.animation_data and thing.animation_data.action == action)


def moving_place(action: Any, part: Callable[[str], Any]) -> Any:
    """The curve of a place that has the most keys."""
    curves = [curve for _, curve in part("scene.actions").every_curve(action)]
    return max((one for one in curves if one.data_path.endswith("location")), key=lambda one: len(one.keyframe_points))


def nudge(action: Any, part: Callable[[str], Any]) -> None:
    """Move one key of a place, as a person does."""
    moving_place(action, part).keyframe_points[-1].co.y += 0.25
    action.update_tag()


def animations(part: Callable[[str], Any], path: Path) -> list[Any]:
    """The animations of a file, read again."""
    return list(part("io_formats.w3d").read(path.read_bytes()).animations)


def written(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_nothing_changed_is_said_and_nothing_written(bpy: Any, part: Any, folder: Path, reports: list[str]) -> None:
    """What was done to a copy is no change of what was imported, nor is a bone's new name, also of another's."""
    before = written(folder)
    copy = (action := action_of(bpy, "one.w3d")).copy()
    copy.name = "A"  # before the others
    nudge(copy, part)
    rig, other = player_of(bpy, action), player_of(bpy, action_of(bpy, "take.bin"))
    rig.data.bones["BONE_01"].name, other.data.bones[0].name = "New", "BONE_02"  # in what plays, too
    rig.animation_data.action = None
    with pytest.raises(RuntimeError, match="0 of 4 imported Actions changed\n"):
        bpy.ops.anim_curves.export_changed()
    nudge(action, part)
    action["anim_curves"]["facts"] = ""
    with pytest.raises(RuntimeError, match=f"1 of 4 imported Actions changed: {action.name}. None is written"):
        bpy.ops.anim_curves.export_changed()
    assert written(folder) == before


def test_changed_animations_of_one_file_are_joined_in_it(bpy: Any, part: Any, folder: Path) -> None:
    """Both of the first file, of which at most one is played; the third file is left alone."""
    before, own = written(folder), animations(part, folder / "several.w3d")
    nudge(action_of(bpy, "several.w3d", 1), part)
    bpy.ops.anim_curves.export_changed(in_place=True)
    first = action_of(bpy, "several.w3d")
    rig = player_of(bpy, first)
    with bpy.context.temp_override(active_object=rig, object=rig, selected_objects=[rig]):
        bpy.ops.export_anim.w3d(filepath=str(folder.parent / "whole.w3d"))
    assert animations(part, folder.parent / "whole.w3d") == animations(part, folder / "several.w3d") != own
    nudge(first, part)
    nudge(action_of(bpy, "several.w3d", 1), part)
    nudge(action_of(bpy, "take.bin"), part)
    drawn: list[str] = []
    lines = SimpleNamespace(label=lambda text, **_: drawn.append(Path(text).name))
    layout = SimpleNamespace(prop=lambda *_: None, column=lambda **_: lines)
    dialogue, tool = SimpleNamespace(ask=lambda *_, **__: None, layout=layout), part("operators.action_tools")
    tool.ExportChanged._question(dialogue, bpy.context)
    for dialogue.in_place in (False, True):
        tool.ExportChanged.draw(dialogue, bpy.context)
    assert drawn == ["several_1.w3d", "take_1.bin", "several.w3d", "take.bin"]
    assert bpy.ops.anim_curves.export_changed(in_place=True) == {"FINISHED"}
    after = written(folder)
    assert set(after) == set(before) and after["one.w3d"] == before["one.w3d"]
    old, new = (part("io_formats.mrtk").read(each["take.bin"]) for each in (before, after))
    assert new.left != old.left
    again = animations(part, folder / "several.w3d")
    assert [one.header.name for one in again] == [one.header.name for one in own]
    assert all(new != old for new, old in zip(again, own, strict=True))


def test_scene_and_actions_are_as_before(bpy: Any, part: Any, folder: Path, census: Callable[[], Any]) -> None:
    """An export of what is not played assigns nothing, and says all in one report."""
    nudge(action_of(bpy, "several.w3d", 1), part)
    nudge(action_of(bpy, "take.bin"), part)
    bpy.context.scene.frame_set(bpy.context.scene.frame_current)  # or the pose is that of before
    before = census()
    assert bpy.ops.anim_curves.export_changed() == {"FINISHED"}
    after = census()
    for counted in (before, after):
        counted.pop("all_ids", None)  # 5.2's, of all kinds
    texts = [{facts[0] for facts in counted.pop("texts")} for counted in (before, after)]
    assert texts[1] - texts[0] == {"Export Report"}
    assert after == before
    said = bpy.data.texts["Export Report"].as_string()
    assert said.startswith("2 files") and "several_1.w3d" in said and "take_1.bin" in said


def test_a_project_is_copied_with_its_files_and_without(bpy: Any, part: Any, folder: Path) -> None:
    """What is changed goes to the files that lie where they lay; to the old ones where none do, or after a crash.

    That holds for Actions that are appended from a copy, too.
    """
    before, (copy, again, alone) = written(folder), (folder.parent / name for name in ("copy", "copy/again", "alone"))
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "unit.blend"), compress=False)
    saved, own = (folder / "unit.blend").read_bytes(), str(folder / "unit.blend").encode()
    for old, new in ((folder, copy), (copy, again), (again, alone)):
        new.mkdir()
        for name in ("one.w3d", "unit.blend")[new == alone :]:
            shutil.copy(old / name, new)
        bpy.ops.wm.open_mainfile(filepath=str(new / "unit.blend"))
        nudge(action_of(bpy, "one.w3d"), part)
        bpy.ops.anim_curves.export_changed(in_place=True)
        bpy.ops.wm.save_mainfile()
    assert not (alone / "one.w3d").exists()
    contents = [(place / "one.w3d").read_bytes() for place in (folder, copy, again)]
    assert contents[0] == before["one.w3d"] and len(set(contents)) == len(contents)
    library = shutil.copytree(copy, folder.parent / "library") / "unit.blend"
    with bpy.data.libraries.load(str(library), relative=True) as (found, wanted):
        wanted.actions = found.actions
    places = set(map(part("pipeline.source_file").file_of, bpy.data.actions))
    assert library.with_name("one.w3d") in places or bpy.app.version < (4, 3)
    at = saved.index(bpy.app.build_hash) + 16  # behind which Blender notes whose it is, if it saves by itself
    (copy / "unit.blend").write_bytes(saved[:at] + own + saved[at + len(own) :])
    bpy.ops.wm.recover_auto_save(filepath=str(copy / "unit.blend"))
    nudge(action_of(bpy, "one.w3d"), part)
    bpy.ops.anim_curves.export_changed(in_place=True)
    assert contents[0] != (folder / "one.w3d").read_bytes() and contents[1] == (copy / "one.w3d").read_bytes()


def test_two_imports_of_one_file_that_were_both_changed_are_named(bpy: Any, part: Any, folder: Path) -> None:
    bpy.ops.import_anim.w3d(filepath=str(folder / "one.w3d"), target="NEW")
    before = written(folder)
    both = [one for one in bpy.data.actions if one["anim_curves"]["file"] == "one.w3d"]
    for action in (*both, action_of(bpy, "take.bin")):
        nudge(action, part)
    assert bpy.ops.anim_curves.export_changed(in_place=True) == {"FINISHED"}
    assert {name for name, data in written(folder).items() if data != before[name]} == {"take.bin"}
    assert f"use File > Export: {both[0].name}, {both[1].name}" in bpy.data.texts["Export Report"].as_string()


def test_what_nothing_plays_any_more_is_named(
    bpy: Any, part: Any, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    nudge(action_of(bpy, "one.w3d"), part)
    nudge(action_of(bpy, "take.bin"), part)
    nudge(strange := action_of(bpy, "several.w3d"), part)
    strange["anim_curves"]["facts"] = strange["anim_curves"]["facts"].replace('"w3d"', '"of a later version"')
    bpy.ops.import_anim.w3d(filepath=str(shutil.copy(folder / "one.w3d", folder / "still.w3d")), target="NEW")
    remove_curves(still := action_of(bpy, "still.w3d"), *curves_of(still))
    bpy.ops.import_anim.w3d(filepath=str(shutil.copytree(folder, lost := folder / "lost") / "still.w3d"), target="NEW")
    nudge(bpy.context.object.animation_data.action, part)
    shutil.rmtree(lost)
    for thing in list(bpy.data.objects):
        if thing.animation_data and thing.animation_data.action == action_of(bpy, "take.bin"):
            action_of(bpy, "take.bin").use_fake_user = True
            bpy.data.objects.remove(thing)
    for thing in list(bpy.data.armatures):
        if not thing.users:
            bpy.data.armatures.remove(thing)
    assert bpy.ops.anim_curves.export_changed() == {"FINISHED"}
    told = bpy.data.texts["Export Report"].as_string()
    assert "take" in told and strange.name in told and f"none was written for them: {still.name}\n" in told
    assert "No file was written for these changed Actions" in told and "Warning: " in "".join(capfd.readouterr())
    assert (folder / "one_1.w3d").exists() and f"was not written: {lost / 'still.w3d'}: the folder does not" in told


@pytest.mark.parametrize("tweaked", [False, True])
@pytest.mark.parametrize("tool", ["export_in_place", "export_changed"])
def test_an_action_among_other_imports_in_the_nla_goes_back_alone(
    bpy: Any, part: Any, data: Path, tmp_path: Path, tool: str, tweaked: bool
) -> None:
    """As it is in its file, and not as long as all strips in a row; a strip in tweak mode stays in it."""
    for name in ("first.w3d", "second.w3d"):
        shutil.copy(data / "w3d" / "b01_motion_tc.w3d", tmp_path / name)
        bpy.ops.import_anim.w3d(filepath=str(tmp_path / name))
    before, own = written(tmp_path), animations(part, tmp_path / "second.w3d")
    first, second = (action_of(bpy, name) for name in sorted(before))
    nudge(second, part)
    nla = bpy.context.object.animation_data
    nla.action = None
    for at, action in enumerate((first, second)):
        nla.nla_tracks.new().strips.new(action.name, 1 + 100 * at, action)
    nla.nla_tracks.new().strips.new("Mine", 300, bpy.data.actions.new("Mine"))  # which is no import
    if tweaked:
        nla.nla_tracks.active, nla.use_tweak_mode = nla.nla_tracks[1], True
    else:
        part("scene.actions").assign(bpy.context.object, second)
    assert nla.action == second
    assert getattr(bpy.ops.anim_curves, tool)(**{"in_place": True} if tool == "export_changed" else {}) == {"FINISHED"}
    (again,) = animations(part, tmp_path / "second.w3d")
    assert again.header == own[0].header and again != own[0]
    assert written(tmp_path)["first.w3d"] == before["first.w3d"]
    alone = f"\n{second.name} was written alone, without the imports of other files in the NLA: {first.name}\n"
    assert alone in bpy.data.texts["Export Report"].as_string()
    assert nla.use_tweak_mode == tweaked and nla.action == second


@pytest.mark.parametrize(("name", "index"), [("several", 1), ("one", 0)])
def test_what_plays_nowhere_moves_bones_that_were_renamed_meanwhile(
    bpy: Any, part: Any, folder: Path, name: str, index: int
) -> None:
    """Blender renames the curves of what is played alone: all that this Action says of the bone would be left out."""
    action, played = action_of(bpy, f"{name}.w3d", index), action_of(bpy, f"{name}.w3d")
    bpy.context.view_layer.objects.active = rig = player_of(bpy, played)
    if action == played:
        action.use_fake_user, rig.animation_data.action = True, None
        rig.keyframe_insert("location", frame=1)
    path = moving_place(action, part).data_path
    rig.data.bones[path.split('"')[1]].name = "Renamed"
    nudge(action, part)
    assert moving_place(action, part).data_path == path
    assert bpy.ops.anim_curves.export_changed() == {"FINISHED"}
    before, after = (animations(part, folder / f"{file}.w3d")[index] for file in (name, f"{name}_1"))
    assert [type(each) for each in after.parts] == [type(each) for each in before.parts]
    assert moving_place(action, part).data_path == path
    # keyed by its present name as well it is left alone: two curves of one path would not be told apart afterwards
    bags_of(action)[0].fcurves.new(path.replace(path.split('"')[1], "Renamed")).keyframe_points.insert(1, 0.0)
    assert bpy.ops.anim_curves.export_changed() == {"FINISHED"}
    assert moving_place(action, part).data_path == path
    assert sum(curve.data_path.startswith('pose.bones["Renamed"]') for curve in curves_of(action)) == 1
