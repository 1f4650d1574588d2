"""The tools of the panel Take: they change the keys of any Action, imported or a person's own, and can be undone."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from in_blender import add, add_armature, animate, push_down, remove_curves
from in_blender import fcurves as curves_of

RECORDING = "two_hands_mrtk_1.1.bin"


@pytest.fixture
def recording(bpy: Any, samples: Path) -> Any:
    """The armature of a recording at the frames of its own rate."""
    bpy.ops.import_anim.mrtk(filepath=str(samples / RECORDING), rate="CUSTOM", custom_rate=60.0)
    return bpy.context.object


@pytest.fixture
def samples() -> Path:
    return Path(__file__).resolve().parents[2] / "samples"


def key_count(rig: Any) -> int:
    return sum(len(curve.keyframe_points) for curve in curves_of(rig).values())


def shown(rig: Any, frames: Any) -> dict[tuple[str, int], Any]:
    """What each curve plays at some frames, by Blender."""
    return {at: np.array([curve.evaluate(frame) for frame in frames]) for at, curve in curves_of(rig).items()}


def test_a_person_trims_what_the_scene_shows(bpy: Any, recording: Any) -> None:
    scene, frames = bpy.context.scene, np.arange(100.0, 200.5, 0.5)
    scene.frame_start, scene.frame_end = 100, 200
    before = shown(recording, frames)
    assert bpy.ops.anim_curves.trim_to_view() == {"FINISHED"}
    after = shown(recording, frames)
    assert max(np.abs(after[at] - before[at]).max() for at in before) < 1e-5
    ends = [(curve.keyframe_points[0].co.x, curve.keyframe_points[-1].co.x) for curve in curves_of(recording).values()]
    assert min(first for first, _ in ends) >= 100.0 and max(last for _, last in ends) <= 200.0
    assert tuple(recording.animation_data.action.frame_range) == (100.0, 200.0)
    scene.render.frame_map_old, scene.render.frame_map_new = 200, 100  # frames of the scene are two of the Action
    scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, 45, 75
    assert bpy.ops.anim_curves.trim_to_view() == {"FINISHED"}
    assert tuple(recording.animation_data.action.frame_range) == (100.0, 150.0)  # what is trimmed never gets longer
    recording.animation_data.action.frame_start = recording.animation_data.action.frame_end = 300.0
    assert bpy.ops.anim_curves.trim_to_view(first=110.0, last=140.0) == {"FINISHED"}
    assert tuple(recording.animation_data.action.frame_range) == (110.0, 140.0)
    with pytest.raises(RuntimeError, match="the first frame must come before the last one"):
        bpy.ops.anim_curves.trim_to_view(first=120.0, last=120.0)


def test_an_editor_shows_whole_frames_and_more_than_there_is(bpy: Any, samples: Path, tmp_path: Path) -> None:
    """What shows more cuts nothing, lengthens nothing and touches no curve; what shows less cuts at frames."""
    bpy.ops.import_anim.w3d(filepath=str(samples / "five_bones_raw_w3d.w3d"))
    window, rig = bpy.context.window_manager.windows[0], bpy.context.object
    area = window.screen.areas[0]
    area.type = "DOPESHEET_EDITOR"
    region = next(found for found in area.regions if found.type == "WINDOW")
    left, right = (region.view2d.region_to_view(x, 0)[0] for x in (0, region.width))
    assert left < 0.0 and 23.0 < right < 100.0
    with bpy.context.temp_override(window=window, area=area, region=region):
        assert bpy.ops.anim_curves.trim_to_view() == {"FINISHED"}
    assert tuple(rig.animation_data.action.frame_range) == (0.0, 23.0)
    assert bpy.ops.export_anim.w3d(filepath=str(tmp_path / "same.w3d")) == {"FINISHED"}
    assert (tmp_path / "same.w3d").read_bytes() == (samples / "five_bones_raw_w3d.w3d").read_bytes()
    cube = add("Cube", None, active=True)
    animate(cube, "location", {-500.0: -500.0, 500.0: 500.0}, index=0)
    push_down(cube, start=-480)
    cube.animation_data.nla_tracks.active = cube.animation_data.nla_tracks[0]
    cube.animation_data.use_tweak_mode = True  # where the editor shows keys at the strip's frames
    with bpy.context.temp_override(window=window, area=area, region=region):
        assert bpy.ops.anim_curves.trim_to_view() == {"FINISHED"}
    keys = [key.co.x for key in curves_of(cube)["location", 0].keyframe_points]
    assert (keys[0] + 20, keys[-1] + 20) == (np.ceil(left), np.floor(right))


def select(rig: Any, *names: str) -> None:
    for bone in rig.pose.bones:
        (bone if hasattr(bone, "select") else bone.bone).select = bone.name in names


def test_trim_to_tracked_leaves_what_the_recorder_saw(bpy: Any, recording: Any) -> None:
    tracked = [curve for (path, _), curve in curves_of(recording).items() if path.endswith('["tracked"]')]
    for late, curve in zip((0, 10), tracked, strict=True):
        curve.keyframe_points.clear()
        for frame, value in ((0, 0), (10 + late, 1), (80 + late, 0)):
            curve.keyframe_points.insert(frame, value).interpolation = "CONSTANT"
    select(recording, "IndexTip.L")  # whose curves alone do not tell
    assert bpy.ops.anim_curves.trim_to_tracked(selected_only=True) == {"FINISHED"}
    assert bpy.ops.anim_curves.trim_to_tracked() == {"FINISHED"}
    keys = [key.co.x for curve in curves_of(recording).values() for key in curve.keyframe_points]
    assert (min(keys), max(keys)) == pytest.approx((10, 90), abs=1e-3)
    for curve in [curve for (path, _), curve in curves_of(recording).items() if path.endswith('["tracked"]')]:
        curve.keyframe_points.foreach_set("co", np.ravel([(key.co.x, 0.0) for key in curve.keyframe_points]))
    with pytest.raises(RuntimeError, match="No hand is ever tracked in this Action"):
        bpy.ops.anim_curves.trim_to_tracked()


@pytest.mark.parametrize(
    ("keys", "ends"), [([(0, 0), (10, 1)], (10, 360)), ([(4, 1)], (0, 360)), ([(0, 1), (9, 0)], (0, 9))]
)
def test_a_hand_that_is_seen_to_the_end_is_kept_to_the_end(
    bpy: Any, recording: Any, keys: list[tuple[int, int]], ends: tuple[int, int]
) -> None:
    """A switch has no key where a recording ends: it stays as it was."""
    for curve in [curve for (path, _), curve in curves_of(recording).items() if path.endswith('["tracked"]')]:
        curve.keyframe_points.clear()
        for frame, value in keys:
            curve.keyframe_points.insert(frame, value).interpolation = "CONSTANT"
    assert bpy.ops.anim_curves.trim_to_tracked() == {"FINISHED"}
    found = [key.co.x for curve in curves_of(recording).values() for key in curve.keyframe_points]
    assert (min(found), max(found)) == pytest.approx(ends, abs=1.0)
    assert tuple(recording.animation_data.action.frame_range) == pytest.approx(ends, abs=1.0)


@pytest.mark.parametrize("parented", [False, True])
@pytest.mark.parametrize("name", [RECORDING, "left_hand_mrtk_1.0.bin"])
def test_a_hand_is_mirrored_onto_the_other(bpy: Any, samples: Path, name: str, parented: bool) -> None:
    """As the image of the whole hand, wherever the other one rests: without data, or posed otherwise at first."""
    bpy.ops.import_anim.mrtk(filepath=str(samples / name), rate="CUSTOM", custom_rate=60.0, hand_skeleton=parented)
    scene, bones, image = bpy.context.scene, bpy.context.object.pose.bones, np.diag([-1.0, 1.0, 1.0, 1.0])
    assert bpy.ops.anim_curves.mirror() == {"FINISHED"}
    for frame in (50, 111, 150):
        scene.frame_set(frame)
        for bone in (bone for bone in bones if bone.name.endswith(".L")):
            mirrored = np.array(bones[f"{bone.name[:-2]}.R"].matrix)
            assert np.abs(mirrored - image @ np.array(bone.matrix) @ image).max() < 1e-5, bone.name


def test_the_only_hand_that_moves_is_never_replaced_by_one_that_does_not(bpy: Any, samples: Path) -> None:
    bpy.ops.import_anim.mrtk(filepath=str(samples / "left_hand_mrtk_1.0.bin"))
    rig = bpy.context.object
    keys = key_count(rig)
    with pytest.raises(RuntimeError, match="only the one that would be replaced moves"):
        bpy.ops.anim_curves.mirror(to_left=True)
    assert key_count(rig) == keys
    assert bpy.ops.anim_curves.mirror() == {"FINISHED"}
    action = rig.animation_data.action
    remove_curves(action, *(curve for curve in curves_of(rig).values() if '.L"]' in curve.data_path))
    assert bpy.ops.anim_curves.mirror() == {"FINISHED"}  # now the other way by itself
    assert key_count(rig) > 1.9 * keys


def test_an_undo_brings_the_pose_back_that_the_other_hand_had(bpy: Any, samples: Path, tmp_path: Path) -> None:
    source, path = samples / "left_hand_mrtk_1.0.bin", tmp_path / "out.bin"
    bpy.ops.import_anim.mrtk(filepath=str(source))
    for step in ("Import", "Something Else"):
        bpy.ops.ed.undo_push(message=step)
    assert bpy.ops.anim_curves.mirror("EXEC_DEFAULT", True) == {"FINISHED"}
    bpy.context.view_layer.update()
    bpy.ops.ed.undo()
    bpy.ops.export_anim.mrtk(filepath=str(path))
    assert path.read_bytes() == source.read_bytes()


def test_a_hand_that_was_not_recorded_is_tracked_as_the_other(bpy: Any, data: Path, tmp_path: Path, part: Any) -> None:
    """The bones of a hand without data have none of the properties that say when it is tracked and pinches."""
    bpy.ops.import_anim.mrtk(filepath=str(data / "mrtk" / "v10_curve_shapes.bin"))
    bones = bpy.context.object.pose.bones
    assert "tracked" not in bones["Wrist.R"]
    bones["Wrist.L"].id_properties_ui("pinching").update(description="thumb and index finger")
    assert bpy.ops.anim_curves.mirror() == {"FINISHED"}
    flags = [[bones[f"Wrist.{side}"].get(key) for key in ("tracked", "pinching")] for side in "LR"]
    assert flags[0] == flags[1]
    shown = [bones[f"Wrist.{side}"].id_properties_ui("pinching").as_dict() for side in "LR"]
    assert shown[0] == shown[1]
    bpy.ops.export_anim.mrtk(filepath=str(tmp_path / "both.bin"))
    made = part("io_formats.mrtk").read((tmp_path / "both.bin").read_bytes())
    for field in ("tracked", "pinching"):
        left, right = (getattr(hand, field).keys.tolist() for hand in (made.left, made.right))
        right = [key for key in right if key[0] >= 0.0]  # a new curve begins where the first of all does
        assert right and set(right) <= set(left), (left, right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("mixamorig:LeftHandThumb1", "mixamorig:RightHandThumb1"),
        ("J_Bip_L_Thumb1", "J_Bip_R_Thumb1"),
        ("Bip001 L Finger0", "Bip001 R Finger0"),
        ("親指０.L", "親指０.R"),
        ("左親指０", "右親指０"),
    ],
)
def test_the_other_hand_is_found_by_the_names_of_other_makers(bpy: Any, left: str, right: str) -> None:
    rig = two_fingers(bpy, "QUATERNION", left, right)
    keyed(rig, left, "location", (1.0, 20.0), ((0.0, 0.0, 0.0), (0.1, 0.2, 0.3)))
    rig.pose.bones[left].rotation_mode = "XYZ"  # which turns nothing
    assert bpy.ops.anim_curves.mirror() == {"FINISHED"}
    bpy.context.scene.frame_set(12)
    heads = [np.array(rig.pose.bones[name].head) for name in (left, right)]
    assert heads[1] == pytest.approx(heads[0] * (-1, 1, 1), abs=1e-6) and heads[0] @ heads[0] > 0.0
    rig.animation_data_clear()
    animate(rig.pose.bones[left], '["seen"]', {1: 0.5, 9: 1.0})  # nothing else, so that neither side moves
    assert bpy.ops.anim_curves.mirror() == {"FINISHED"} and rig.pose.bones[right]["seen"] == 1.0
    rig.data.bones[right].name, rig.data.bones[left].name = "finger 0", "Finger_0"  # of no side
    with pytest.raises(RuntimeError, match="none of these bones has one of the other side"):
        bpy.ops.anim_curves.mirror()


def test_what_is_for_hands_alone_is_not_offered_for_a_walk(bpy: Any, samples: Path) -> None:
    bpy.ops.import_anim.animx(filepath=str(samples / "walk.animj"))
    offered = [tool.poll() for tool in (bpy.ops.anim_curves.trim_to_tracked, bpy.ops.anim_curves.mirror)]
    assert offered == [False, False] and bpy.ops.anim_curves.smooth.poll()


def test_smoothing_moves_selected_bones_alone(bpy: Any, recording: Any, reports: list[str]) -> None:
    select(recording)
    with pytest.raises(RuntimeError, match="or none is of a selected bone"):
        bpy.ops.anim_curves.smooth(selected_only=True)
    select(recording, "IndexTip.L")
    animate(recording, "location", {frame: frame % 2 for frame in range(200, 300)}, index=0)
    for key in curves_of(recording)["location", 0].keyframe_points:
        key.interpolation = "LINEAR"
    before = shown(recording, np.arange(200.0, 300.0))
    assert bpy.ops.anim_curves.smooth(selected_only=True) == {"FINISHED"}
    after = shown(recording, np.arange(200.0, 300.0))
    changed = {path for path, index in before if not np.array_equal(before[path, index], after[path, index])}
    assert changed and all("IndexTip.L" in path for path in changed)
    assert re.search(r" 7 curves changed, ([\d,]+) keys before, \1 now", reports[-1])


def test_a_cut_of_what_repeats_is_all_that_plays(bpy: Any) -> None:
    """The keys of the cut stand for the repeats within it; outside it the curve holds, and does not repeat these.

    What a cut around them leaves whole goes on repeating.
    """
    cube = add("Cube", None, active=True)
    animate(cube, "location", {1.0: 0.0, 5.0: 2.0, 11.0: 0.0}, index=0)
    curve = curves_of(cube)["location", 0]
    curve.modifiers.new("CYCLES")
    scene, frames = bpy.context.scene, np.arange(15.0, 28.5, 0.5)
    scene.frame_start, scene.frame_end, wide = 0, 20, np.arange(-5.0, 40.0)
    before = shown(cube, wide)["location", 0]
    assert bpy.ops.anim_curves.trim_to_view() == {"FINISHED"}
    assert np.array_equal(shown(cube, wide)["location", 0], before)
    scene.frame_start, scene.frame_end = 15, 28
    before = shown(cube, frames)["location", 0]
    assert bpy.ops.anim_curves.trim_to_view() == {"FINISHED"}
    assert shown(cube, frames)["location", 0] == pytest.approx(before, abs=1e-5)
    outside = shown(cube, [-20.0, 3.0, 14.0, 30.0, 55.0])["location", 0]
    assert outside == pytest.approx([before[0]] * 3 + [before[-1]] * 2, abs=1e-5)


def test_what_plays_nothing_is_not_offered(bpy: Any) -> None:
    assert not bpy.ops.anim_curves.fewer_keys.poll()
    cube = add("Cube", None, active=True)
    cube.keyframe_insert("location", frame=1)
    assert bpy.ops.anim_curves.fewer_keys.poll()
    for curve in curves_of(cube).values():
        curve.keyframe_points.clear()
    assert not bpy.ops.anim_curves.fewer_keys.poll(), "an Action without a key"


def moved_bones(rig: Any) -> set[str]:
    return {path.split('"')[1] for path, _ in curves_of(rig)}


def rig_of(bpy: Any, *names: str) -> Any:
    """A selected rig of bones of these names."""
    rig = add_armature("Rig", [(name, None, (0.0, 0.0, 0.0), (0.0, 0.1, 0.0)) for name in names])
    rig.select_set(True)
    return rig


@pytest.fixture
def hand(bpy: Any, samples: Path) -> Any:
    """A rig of three bones, of which the recording moves two."""
    rig = rig_of(bpy, "Wrist.L", "IndexTip.L", "Pointer")
    bpy.ops.import_anim.mrtk(filepath=str(samples / RECORDING), target="SELECTED")
    assert moved_bones(rig) == {"Wrist.L", "IndexTip.L"}
    return rig


@pytest.mark.parametrize(("bone", "moved"), [("Pointer", {"Wrist.L", "Pointer"}), ("", {"Wrist.L"})])
def test_a_name_is_given_another_bone_or_none_and_the_file_imported_again_so(
    bpy: Any, hand: Any, bone: str, moved: set[str]
) -> None:
    """As the list does it: a name goes to another bone than it did, or to none; also where a bone is renamed."""
    pairs = [{"name": "Wrist.L", "bone": "Wrist.L"}, {"name": "IndexTip.L", "bone": bone}]
    assert bpy.ops.anim_curves.match_names(pairs=pairs) == {"FINISHED"}
    assert moved_bones(hand) == moved
    assert len(bpy.data.actions) == 1
    hand.data.bones["Wrist.L"].name = "My hand"
    assert bpy.ops.anim_curves.reload() == {"FINISHED"}
    assert moved_bones(hand) == moved - {"Wrist.L"} | {"My hand"}


def test_an_armature_of_other_names_is_taken_where_it_is_chosen_so_that_bones_can_be_named(
    bpy: Any, samples: Path
) -> None:
    """Automatic says to choose it, and there is a list of names only after an import."""
    rig, path = rig_of(bpy, "Bone", "Stick"), str(samples / RECORDING)
    bpy.ops.import_anim.mrtk(filepath=path)
    assert bpy.context.object != rig
    assert "choose the target Selected Armature" in bpy.data.texts[f"Source of {RECORDING}"].as_string()
    bpy.context.view_layer.objects.active = rig
    bpy.ops.import_anim.mrtk(filepath=path, target="SELECTED")
    said = bpy.data.texts[f"Source of {RECORDING}.001"].as_string()
    assert "None of the 53 animated names of the file is that of a bone of Rig" in said and not moved_bones(rig)
    pairs = [{"name": "Wrist.L", "bone": "Bone"}, {"name": "IndexTip.L", "bone": "Stick"}]
    assert bpy.ops.anim_curves.match_names(pairs=pairs) == {"FINISHED"}
    assert moved_bones(rig) == {"Bone", "Stick"}


def test_the_list_of_adjust_last_operation_is_the_name_table_of_the_import(
    bpy: Any, hand: Any, samples: Path, part: Any
) -> None:
    """Once a person has changed it."""
    pairs = [{"name": "Wrist.L", "bone": "Pointer"}, {"name": "IndexTip.L", "bone": ""}]
    given = {"filepath": str(samples / RECORDING), "target": "SELECTED", "pairs": pairs}
    listed = part("pipeline.source_file").table_text({"Wrist.L": "Pointer", "IndexTip.L": ""})
    bpy.ops.import_anim.mrtk(**given, listed=listed)
    assert moved_bones(hand) == {"Wrist.L", "IndexTip.L"}
    bpy.ops.import_anim.mrtk(**given)
    assert moved_bones(hand) == {"Pointer"}


class Pairs(list[Any]):
    """Stands for a list that an operator has."""

    def add(self) -> Any:
        self.append(SimpleNamespace())
        return self[-1]


def test_the_list_of_names_begins_where_a_bone_is_missing_and_asks_about_what_would_go(
    bpy: Any, hand: Any, part: Any
) -> None:
    curves_of(hand)['pose.bones["Wrist.L"].location', 0].keyframe_points[0].co.y += 0.5
    dialogue = SimpleNamespace(pairs=Pairs())
    manager = SimpleNamespace(invoke_props_dialog=lambda *_, **__: {"RUNNING_MODAL"})
    context = SimpleNamespace(space_data=None, view_layer=bpy.context.view_layer, window_manager=manager)
    part("operators.action_tools").MatchNames.invoke(dialogue, context, None)
    assert [pair.bone for pair in dialogue.pairs[-2:]] == ["Wrist.L", "IndexTip.L"] and not dialogue.pairs[-3].bone
    assert dialogue._question.startswith("Replace what was changed in ")


def test_a_mesh_that_moves_by_itself_is_meant_and_not_its_armature(bpy: Any, recording: Any) -> None:
    mesh = bpy.data.objects["Left Hand"]
    animate(mesh, "location", {1.0: 0.0, 2.0: 0.0, 3.0: 0.0}, index=0)
    bpy.context.view_layer.objects.active = mesh
    keys = key_count(recording)
    before = sum(len(curve.keyframe_points) for at, curve in curves_of(mesh).items() if at == ("location", 0))
    assert bpy.ops.anim_curves.whole_frames() == {"FINISHED"} == bpy.ops.anim_curves.fewer_keys()
    after = sum(len(curve.keyframe_points) for at, curve in curves_of(mesh).items() if at == ("location", 0))
    assert key_count(recording) == keys and after <= before == 3


def two_fingers(bpy: Any, mode: str, left: str = "finger.L", right: str = "finger.R") -> Any:
    """An armature with a finger on each side."""
    fingers = [(name, None, (x, 0.0, 0.0), (x, 1.0, 0.0)) for name, x in ((left, 1.0), (right, -1.0))]
    rig = add_armature("Rig", fingers)
    for bone in rig.pose.bones:
        bone.rotation_mode = mode
    return rig


def keyed(rig: Any, bone: str, path: str, frames: Any, values: Any) -> None:
    animate(rig.pose.bones[bone], path, dict(zip(frames, values, strict=True)))


TURNS = {
    "QUATERNION": ("rotation_quaternion", (0.8, 0.3, 0.4, 0.33)),
    "ZXY": ("rotation_euler", (0.4, 0.5, 0.6)),
    "AXIS_ANGLE": ("rotation_axis_angle", (1.0, 0.5, 0.6, 0.7)),
}


@pytest.mark.parametrize("mode", list(TURNS))
def test_the_other_side_plays_the_mirror_image_in_every_rotation_mode(bpy: Any, mode: str) -> None:
    """What only the other side had keys for is as the mirrored side has it, too."""
    rig = two_fingers(bpy, mode)
    keyed(rig, "finger.L", TURNS[mode][0], (1.0, 20.0), (getattr(rig.pose.bones[0], TURNS[mode][0])[:], TURNS[mode][1]))
    keyed(rig, "finger.R", "location", (1.0, 20.0), ((0.0, 0.0, 0.0), (0.0, 0.3, 0.2)))
    rig.pose.bones["finger.L"].location = (0.1, 0.2, 0.3)
    for curve in curves_of(rig).values():
        curve.modifiers.new("CYCLES").mode_before = "NONE"
    assert bpy.ops.anim_curves.mirror() == {"FINISHED"}
    for frame in (-5, 1, 8, 20, 28):
        bpy.context.scene.frame_set(frame)
        left, right = (np.array(rig.pose.bones[f"finger.{side}"].matrix) for side in "LR")
        assert right == pytest.approx(np.diag((-1, 1, 1, 1)) @ left @ np.diag((-1, 1, 1, 1)), abs=1e-6)
    rig.pose.bones["finger.R"].rotation_mode = "XYZ"
    with pytest.raises(RuntimeError, match="different rotation modes"):
        bpy.ops.anim_curves.mirror()


def test_what_is_more_than_keys_is_named(bpy: Any, capfd: pytest.CaptureFixture[str]) -> None:
    rig = two_fingers(bpy, "QUATERNION")
    keyed(rig, "finger.L", "location", (1.0, 40.0), ((0.0, 0.0, 0.0), (1.0, 1.0, 1.0)))
    keyed(rig, "finger.L", "scale", (1.0, 40.0), ((1.0, 1.0, 1.0), (2.0, 2.0, 2.0)))
    curves = curves_of(rig)
    curves['pose.bones["finger.L"].location', 1].keyframe_points[0].interpolation = "BOUNCE"
    for curve in (curves['pose.bones["finger.L"].scale', 0], curves['pose.bones["finger.L"].location', 0]):
        curve.modifiers.new("NOISE")
    curves['pose.bones["finger.L"].scale', 0].mute = True  # so that it plays nothing
    curves['pose.bones["finger.L"].scale', 2].lock = True
    curves['pose.bones["finger.L"].scale', 1].modifiers.new("NOISE").mute = True
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 5, 30
    assert bpy.ops.anim_curves.trim_to_view() == {"FINISHED"}
    told = "".join(capfd.readouterr())
    assert [found.mute for found in curves_of(rig)['pose.bones["finger.L"].scale', 1].modifiers] == [True], "it stays"
    assert "3 curves are locked or more than keys" in told and "Y Location, finger.L: Z Scale" in told
    assert curves_of(rig)['pose.bones["finger.L"].scale', 2].range()[:] == (1.0, 40.0)
    keyed(rig, "finger.R", "scale", (1.0, 9.0), ((1.0, 1.0, 1.0), (3.0, 3.0, 3.0)))
    curves_of(rig)['pose.bones["finger.R"].scale', 2].lock = True
    bpy.ops.anim_curves.mirror()
    assert curves_of(rig)['pose.bones["finger.R"].scale', 2].range()[:] == (1.0, 9.0)
