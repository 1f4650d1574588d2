"""One key of one component changed: the file says that, and nothing else."""

from __future__ import annotations

import json
import operator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from in_blender import add, animate, choose, fcurves, push_down
from scenes.players import animx as players
from w3d_scene import make_armature

from io_formats import animx
from io_formats.binary import equal

bpy = pytest.importorskip("bpy")

DATA = Path(__file__).resolve().parent.parent / "data" / "animx"


def animj(folder: Path, *tracks: tuple[str, str, dict[str, Any]]) -> Path:
    """A file of tracks: kind, type of their values, and the rest; as long as the first."""
    found = [dict(zip(("trackType", "valueType", "data"), track)) for track in tracks]
    path, end = folder / "own.animj", tracks[0][2]["keyframes"][-1]["time"]
    path.write_text(json.dumps({"name": "own", "globalDuration": end, "tracks": found}))
    return path


def differing(before: Any, after: Any) -> list[str]:
    pairs = zip(before.tracks, after.tracks, strict=True)
    return [f"{old.node}.{old.property}" for old, new in pairs if not equal(old, new)]


@pytest.mark.parametrize(("fewer", "rate"), [(0, 24), (1, 24), (1, 30), (None, 30)])
def test_short_handles_that_blender_makes_longer_or_rounds_are_the_files(
    fewer: int | None, rate: int, tmp_path: Path
) -> None:
    """It leaves none shorter than a thousandth of a frame beside an edited key: no key is fitted again for that."""
    sharp = [0.0, 0.5, 0.50003, 0.50006, 1.0, 1.5]
    values = [{"x": time, "y": -time, "z": at % 2 - 0.5} for at, time in enumerate(sharp)]
    keys = [
        {"time": time, "value": value, "interpolation": "CubicBezier", "leftTangent": value, "rightTangent": value}
        for time, value in zip(sharp, values)
    ]
    data = {"node": "A", "property": "Position", "keyframes": keys}
    source, target = animj(tmp_path, ("Curve", "float3", data)), tmp_path / "edited.animj"
    bpy.context.scene.render.fps = 24
    bpy.ops.import_anim.animx(filepath=str(source), start_frame=100)
    bpy.context.scene.render.fps = rate
    rig = bpy.context.view_layer.objects.active
    for index in range(3) if fewer is not None else ():
        points = fcurves(rig)['pose.bones["A"].location', index].keyframe_points
        points[4].co.y += 0.125
        if fewer:
            points.remove(points[5])
        points.handles_recalc()
    assert bpy.ops.export_anim.animx(filepath=str(target)) == {"FINISHED"}
    (found,) = json.loads(target.read_text())["tracks"]
    times = [key.pop("time") * rate / 24 for key in found["data"]["keyframes"]]
    assert times == pytest.approx(sharp[: 6 - (fewer or 0)], rel=1e-7)
    assert found["data"]["keyframes"][1:3] == [{name: key[name] for name in key if name != "time"} for key in keys[1:3]]


@pytest.mark.parametrize("option", ["use_scene_range", "keep_frame_zero"])
def test_a_key_before_the_frames_of_an_import_is_cut_and_told_where_just_these_are_asked_for(
    option: str, tmp_path: Path
) -> None:
    """It had a time below 0 in the file."""
    bpy.context.scene.render.fps = 30
    bpy.ops.import_anim.animx(filepath=str(DATA / "08_walk_plain.animx"))
    bpy.context.view_layer.objects.active.pose.bones["Hips"].keyframe_insert("location", index=0, frame=-5)
    target = tmp_path / "cut.animx"
    bpy.ops.export_anim.animx(filepath=str(target), **{option: True})
    assert players.Player(target.read_bytes()).tracks[0].times[0] == 0.0
    assert "1 key lies outside frames 0 to 59 and is not written" in bpy.data.texts["Export Report"].as_string()


def test_between_keys_nearer_than_blender_knows_a_moment_a_value_is_not_told_as_off(tmp_path: Path) -> None:
    target = tmp_path / "edited.animj"
    keys = [{"time": time, "value": at, "interpolation": "Linear"} for at, time in enumerate((0.0, 0.5, 0.50003, 1.0))]
    data = {"node": "A", "property": "w", "keyframes": keys}
    moved = {"node": "A", "property": "v", "keyframes": keys[::3]}
    bpy.ops.import_anim.animx(filepath=str(animj(tmp_path, *(("Curve", "float", each) for each in (data, moved)))))
    fcurves(bpy.context.view_layer.objects.active)['pose.bones["A"]["v"]', 0].keyframe_points[1].co.y += 1.0
    assert bpy.ops.export_anim.animx(filepath=str(target)) == {"FINISHED"}
    assert json.loads(target.read_text())["tracks"][0]["data"] == data
    assert "otherwise" not in bpy.data.texts["Export Report"].as_string()


@pytest.mark.parametrize("scale", [1.0, 0.3])
@pytest.mark.parametrize("onto", ["rig", "objects", "new"])
def test_what_is_not_edited_keeps_its_numbers_on_a_rest_that_is_not_the_files(
    onto: str, scale: float, tmp_path: Path
) -> None:
    """A rig of a person's own, and objects in the turned world of an FBX; a key that is moved beside them.

    An import at another Scale is written back in the file's lengths, and the check knows that.
    """
    source, target = DATA / "08_walk_plain.animx", tmp_path / "edited.animx"
    if onto == "rig":
        make_armature([("Hips", None, (0, 0, 1)), ("Spine", "Hips", (0.3, 0.2, 1.5)), ("Head", "Spine", (0, 1, 2))])
    choice = {"rig": {"target": "SELECTED"}, "objects": {"node_kind": "OBJECT", "axes": "FBX"}}.get(onto, {})
    bpy.ops.import_anim.animx(filepath=str(source), scale=scale, **choice)
    thing = bpy.data.objects["Hips"] if onto == "objects" else bpy.context.view_layer.objects.active
    path = "location" if onto == "objects" else 'pose.bones["Hips"].location'
    fcurves(thing)[path, 0].keyframe_points[2].co.y += 0.125 * (1.0 if onto == "new" else scale)
    assert bpy.ops.export_anim.animx(filepath=str(target)) == {"FINISHED"}
    told = bpy.data.texts["Export Report"].as_string()
    assert "0 from samples" in told and "plays it off" not in told
    before, after = animx.read(source.read_bytes()), animx.read(target.read_bytes())
    assert differing(before, after) == ["Hips.Position"]
    moved = np.linalg.norm(after.tracks[0].values - before.tracks[0].values, axis=1)
    assert np.flatnonzero(moved > 1e-5).tolist() == [2] and moved[2] == pytest.approx(0.125, abs=1e-5)
    held = thing if onto == "objects" else thing.pose.bones["Hips"]
    held.constraints.new("LIMIT_ROTATION").use_limit_x = True  # sizes, which rest, keep their place among the tracks
    assert bpy.ops.export_anim.animx(filepath=str(target)) == {"FINISHED"}
    tracks = (animx.read(path.read_bytes()).tracks for path in (source, target))
    assert operator.eq(*([(each.node, each.property) for each in own] for own in tracks))


def test_a_file_in_a_strip_has_all_its_tracks_in_its_axes(tmp_path: Path) -> None:
    """Its model may rest elsewhere than the bones that were made of it."""
    source, target = DATA / "08_walk_plain.animx", tmp_path / "slow.animx"
    bpy.ops.import_anim.animx(filepath=str(source), axes="FBX")
    push_down(bpy.context.view_layer.objects.active, 0).scale = 2.0
    assert bpy.ops.export_anim.animx(filepath=str(target)) == {"FINISHED"}
    for old, new in zip(*(players.Player(path.read_bytes()).tracks for path in (source, target)), strict=True):
        assert (new.node, new.field) == (old.node, old.field)
        for time in np.arange(0, 2, 0.07):
            np.testing.assert_allclose(new.at(2 * time), old.at(time), atol=1e-4)


@pytest.mark.parametrize("value_type", ["float3", "double3"])
@pytest.mark.parametrize("shape", ["Linear", "CubicBezier", "Tangent"])
def test_a_component_that_holds_its_value_does_so_beside_others_that_move(
    shape: str, value_type: str, tmp_path: Path
) -> None:
    """Up to its next key, where it steps: the file's number of that key stood before the step, too."""
    keys = [
        {"time": time, "value": {"x": time, "y": -time, "z": 0.1 * time}, "interpolation": shape}
        | {side: {"x": time, "y": -time, "z": 0.1 * time} for side in ("leftTangent", "rightTangent")}
        for time in (0.0, 0.5, 1.0, 1.5)
    ]
    data = {"node": "Cube", "property": "Own", "keyframes": keys}
    source, target = animj(tmp_path, ("Curve", value_type, data)), tmp_path / "edited.animj"
    bpy.ops.import_anim.animx(filepath=str(source))
    curve = fcurves(bpy.context.view_layer.objects.active)['pose.bones["Cube"]["Own"]', 2]
    curve.keyframe_points[1].interpolation = "CONSTANT"
    assert bpy.ops.export_anim.animx(filepath=str(target)) == {"FINISHED"}
    (own,), (found,) = (players.Player(path.read_bytes()).tracks for path in (source, target))
    assert len(found.times) == 5 and "0 from samples" in bpy.data.texts["Export Report"].as_string()
    for time in np.arange(0.01, 1.5, 0.02):
        wanted = own.at(time) if not 0.5 <= time < 1.0 else [*own.at(time)[:2], 0.05]
        np.testing.assert_allclose(found.at(time), wanted, atol=1e-6)


def test_of_a_value_beyond_its_type_it_is_told_whose_it_is(tmp_path: Path) -> None:
    data = {"node": "Cube", "property": "Own", "keyframes": [{"time": time, "value": 7} for time in (0.0, 1.0)]}
    bpy.ops.import_anim.animx(filepath=str(animj(tmp_path, ("Discrete", "byte", data))))
    target = tmp_path / "edited.animj"
    fcurves(bpy.context.view_layer.objects.active)['pose.bones["Cube"]["Own"]', 0].keyframe_points[1].co.y = 300
    assert bpy.ops.export_anim.animx(filepath=str(target)) == {"FINISHED"}
    assert [key["value"] for key in json.loads(target.read_text())["tracks"][0]["data"]["keyframes"]] == [7, 255]
    assert any("Cube Own: 1 value does not fit the type byte" in text.as_string() for text in bpy.data.texts)


@pytest.mark.parametrize("edited", [False, True])
def test_a_renamed_object_has_its_new_name_edited_or_not(edited: bool, tmp_path: Path) -> None:
    """As a renamed bone has, and as the model has that is exported with it; whatever of the file is selected."""
    source, target = DATA / "08_walk.animj", tmp_path / "renamed.animj"
    bpy.ops.import_anim.animx(filepath=str(source), node_kind="OBJECT")
    head = bpy.data.objects["Head"]
    choose(head)
    head.name = "Skull"
    if edited:
        fcurves(head)["location", 0].keyframe_points[2].co.y += 1.0
    assert bpy.ops.export_anim.animx(filepath=str(target)) == {"FINISHED"}
    document, before = animx.read(target.read_bytes()), animx.read(source.read_bytes())
    assert {track.node for track in document.tracks} == {"Hips", "Spine", "Skull"}
    old, new = ({(t.node, t.property): t for t in found.tracks} for found in (before, document))
    assert equal(old["Head", "Rotation"].values, new["Skull", "Rotation"].values)


def captions(folder: Path) -> Path:
    """A bone that moves for a second, beside texts."""
    places = [{"time": time, "value": {"x": time, "y": 0, "z": 0}, "interpolation": "Linear"} for time in (0.0, 1.0)]
    hips = {"node": "Hips", "property": "Position", "keyframes": places}
    texts = [{"time": time, "value": text} for time, text in ((0.0, "one"), (0.25, "two"), (1.0, "three"))]
    late = {"node": "Late", "property": "Text", "keyframes": texts[2:]}
    caption = {"node": "Caption", "property": "Text", "keyframes": texts}
    raw = {"node": "Raw", "property": "Text", "interval": 0.5, "keyframes": ["a", "b", "c"]}
    others = [("Discrete", "string", caption), ("Raw", "string", raw), ("Discrete", "string", late)]
    return animj(folder, ("Curve", "float3", hips), *others)


@pytest.mark.parametrize("chosen", ["Hips", "Arm", "Caption"])
def test_texts_beside_several_objects_are_unchanged_whichever_is_chosen(chosen: str, tmp_path: Path) -> None:
    """Before 4.4 each object has an Action of its own, one of which has the markers."""
    source, target = captions(tmp_path), tmp_path / "out.animj"
    document = json.loads(source.read_text(encoding="utf-8"))
    hips = document["tracks"][0]
    document["tracks"].append({**hips, "data": {**hips["data"], "node": "Arm"}})
    if chosen == "Caption":  # texts alone
        document["tracks"] = document["tracks"][1:2]
    source.write_text(json.dumps(document), encoding="utf-8")
    bpy.ops.import_anim.animx(filepath=str(source), node_kind="OBJECT")
    choose(bpy.data.objects[chosen])
    assert bpy.ops.export_anim.animx(filepath=str(target)) == {"FINISHED"}
    assert target.read_bytes() == source.read_bytes()
    animate(box := add("Box"), "location", {0: 0, 10: 10}, index=0)  # of a person's own, and the active one
    choose(*bpy.data.objects, active=box)
    assert bpy.ops.export_anim.animx(filepath=str(target)) == {"FINISHED"}
    assert json.loads(target.read_text(encoding="utf-8"))["tracks"][:-1] == document["tracks"]


@pytest.mark.parametrize("change", ["nothing", "moved", "renamed", "added", "removed", "rate"])
def test_markers_that_a_person_changes_are_told_to_change_no_text(change: str, tmp_path: Path) -> None:
    bpy.context.scene.render.fps = 60
    bpy.ops.import_anim.animx(filepath=str(captions(tmp_path)))
    markers = bpy.context.view_layer.objects.active.animation_data.action.pose_markers
    if change == "moved":
        markers[1].frame += 7
    elif change == "renamed":
        markers[1].name = "other"
    elif change == "added":
        markers.new("other").frame = 20
    elif change == "removed":
        markers.remove(markers[1])
    elif change == "rate":
        bpy.context.scene.render.fps = 30
    assert bpy.ops.export_anim.animx(filepath=str(tmp_path / "out.animj")) == {"FINISHED"}
    assert any("keeps its own texts" in text.as_string() for text in bpy.data.texts) == (change != "nothing")
