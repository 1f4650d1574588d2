"""Imports of a part of a file: what was left out stays in the file, and what is exported never looks like the whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import w3d_scene as scene
from cases import FILES
from hand_rigs import hand_rig, mixamo
from in_blender import add, animate, choose, editing, go_to, reopen
from scenes.players import animx, w3d
from w3d_scene import export_report as report

bpy = pytest.importorskip("bpy")

DATA = Path(__file__).parents[1] / "data"
BONES = ["ROOTTRANSFORM", "HIPS", "SPINE", "HEAD"]
WHOLE = {name: DATA / file for name, file in FILES.items()}
LOCATIONS, ROTATIONS = ("location", "scale"), "rotation_quaternion"


def walk(folder: Path, frames: int = 21) -> Path:
    """Hips that go and turn, a spine that goes and turns on them, a head that turns."""
    at = np.arange(frames) / 10
    turn = np.stack([np.sin(at / 3), 0 * at, 0 * at, np.cos(at / 3)], axis=1)
    channels = []
    for pivot in (1, 2):
        channels += [scene.Lay.raw(0, at * pivot + kind, kind, pivot) for kind in range(3)]
    channels += [scene.Lay.raw(0, turn, 6, pivot) for pivot in (1, 2, 3)]
    scene.write(folder / "skel.w3d", scene.Lay.hierarchy(BONES))
    return scene.write(folder / "walk.w3d", scene.Lay.animation(*channels, frames=frames, name="WALK"))


def worlds(data: bytes, frame: int, folder: Path) -> dict[str, np.ndarray]:
    return scene.worlds(data, frame, skeleton=(folder / "skel.w3d").read_bytes())


def paths_of(rig: Any) -> set[str]:
    """Bone and property of every curve that an armature plays: `HIPS location`."""
    found = (path.removeprefix('pose.bones["').partition('"]') for path, _ in scene.curves(rig))
    return {f"{bone} {rest.lstrip('.')}" for bone, _, rest in found}


def select_only(rig: Any, *bones: str) -> None:
    for bone in rig.pose.bones:
        holder = bone if "select" in bone.bl_rna.properties else bone.bone
        holder.select = bone.name in bones


def nudge(rig: Any, bone: str, by: float) -> None:
    """Turn one bone a little further on every key."""
    found = scene.curve(rig, bone, ROTATIONS, 1)
    for point in found.keyframe_points:
        point.co.y += by


@pytest.mark.parametrize("name", WHOLE)
def test_rotations_only_and_the_whole_file_comes_back(name: str, tmp_path: Path) -> None:
    path = WHOLE[name]
    getattr(bpy.ops.import_anim, name)(filepath=str(path), channels="ROTATION")
    found = paths_of(bpy.context.view_layer.objects.active)
    assert any(one.endswith(ROTATIONS) for one in found)
    assert not [one for one in found if one.endswith(LOCATIONS)]
    out = tmp_path / path.name
    getattr(bpy.ops.export_anim, name)(filepath=str(out))
    assert out.read_bytes() == path.read_bytes()
    assert "that the import left out stay as before in" in report()


def test_an_edit_changes_what_was_taken_and_nothing_that_was_left_out(tmp_path: Path) -> None:
    path = walk(tmp_path)
    rig = scene.bring_in(path, channels="ROTATION")
    nudge(rig, "SPINE", 0.2)
    old, new = scene.raw_channels(path.read_bytes()), scene.raw_channels(scene.send_out(tmp_path / "out.w3d"))
    assert len(old) == 9 and list(old) == list(new)
    assert [key for key in old if old[key] != new[key]] == [(2, 6)]
    assert "Played back at" in report(), "what the file keeps unasked is nothing that it plays otherwise"


def test_what_a_person_animates_of_it_later_is_written(tmp_path: Path) -> None:
    """The hips stood still in Blender, until they were keyed there: the file gets these keys, and not the walk's."""
    path = walk(tmp_path)
    rig = scene.bring_in(path, channels="ROTATION")
    rig.pose.bones["HIPS"].location.x = 2.0  # as that stands beside its keys
    animate(rig.pose.bones["HIPS"], "location", {0: 5.0, 20: 9.0}, index=2)
    ours, theirs = (worlds(data, 20, tmp_path) for data in (scene.send_out(tmp_path / "out.w3d"), path.read_bytes()))
    assert ours["HIPS"][:3, 3] == pytest.approx([2.0, 0.0, 10.0], abs=1e-3), "the rest is at 1"
    relative = [np.linalg.inv(found["HIPS"]) @ found["SPINE"] for found in (ours, theirs)]
    assert relative[0] == pytest.approx(relative[1], abs=1e-3), "the spine still goes as in the file"


def test_a_pose_without_keys_is_no_edit_of_what_was_left_out(tmp_path: Path) -> None:
    path = walk(tmp_path)
    rig = scene.bring_in(path, channels="ROTATION")
    rig.pose.bones["HIPS"].location = (1.0, 2.0, 3.0)
    assert scene.send_out(tmp_path / "out.w3d") == path.read_bytes()
    assert bpy.ops.anim_curves.reload() == {"FINISHED"}
    assert tuple(rig.pose.bones["HIPS"].location) == (1.0, 2.0, 3.0), "where a person stood it"


def test_at_another_rate_what_was_left_out_goes_as_fast_as_the_rest(tmp_path: Path) -> None:
    path = walk(tmp_path)
    rig = scene.bring_in(path, channels="ROTATION")
    scene.set_rate(60)
    data = scene.send_out(tmp_path / "out.w3d", file_rate=60)
    assert rig.animation_data.action.frame_end == 20
    player = w3d.Player.of(data)
    assert (player.rate, player.frames) == (60, 21)
    for frame in (0, 7, 20):
        ours, theirs = (worlds(found, frame, tmp_path) for found in (data, path.read_bytes()))
        assert ours["SPINE"] == pytest.approx(theirs["SPINE"], abs=2e-3), frame


def test_curves_that_were_left_out_bend_at_another_rate_as_they_did(tmp_path: Path) -> None:
    document = json.loads((DATA / "animx" / "06_bezier.animj").read_text(encoding="utf-8"))
    turns = [{"time": at, "value": {"x": at / 5, "y": 0, "z": 0, "w": 1}, "interpolation": "Linear"} for at in (0, 3)]
    turn = {"node": "Arm", "property": "Rotation", "keyframes": turns}
    document["tracks"].append({"trackType": "Curve", "valueType": "floatQ", "data": turn})
    paths = [tmp_path / name for name in ("arm.animj", "slow.animj")]
    paths[0].write_text(json.dumps(document), encoding="utf-8")
    scene.set_rate(30)
    bpy.ops.import_anim.animx(filepath=str(paths[0]), channels="ROTATION")
    scene.set_rate(15)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 15, 90
    bpy.ops.export_anim.animx(filepath=str(paths[1]), use_scene_range=True)
    old, new = (animx.Player(path.read_bytes()) for path in paths)
    for seconds in (0.5, 0.8, 1.0, 1.7, 2.9):
        wanted = pytest.approx(old.field("Arm", "Position", seconds), abs=1e-4)
        assert new.field("Arm", "Position", 2 * seconds - 1.0) == wanted
    keys = [track["data"]["keyframes"] for track in json.loads(paths[1].read_text())["tracks"]]
    assert {min(key["time"] for key in each) for each in keys} == {0.0}, "what lies before is cut off"


def test_selected_bones_only(tmp_path: Path) -> None:
    """The person's own pose of the others stays; the file comes back whole, until they are posed otherwise."""
    path = walk(tmp_path)
    rig = scene.bring_in(path)
    rig.animation_data_clear()
    bpy.data.batch_remove(list(bpy.data.actions))
    rig.data.bones["HEAD"].name, rig.data.bones["SPINE"].name = "SKULL", "BACK"
    for bone in rig.pose.bones:
        bone.location, bone.rotation_quaternion = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)
    rig.pose.bones["SKULL"].rotation_quaternion = (0.0, 1.0, 0.0, 0.0)
    rig.pose.bones["SKULL"].location = (0.0005, 1.0, 2.0)
    with editing(rig) as bones:
        bones.new("TOOL").tail = (0.0, 1.0, 0.0)
    rig.pose.bones["TOOL"].location = (1.0, 0.0, 0.0)
    select_only(rig, "BACK")
    scene.bring_in(path, target="SELECTED", only_selected_bones=True)
    assert paths_of(rig) == {"BACK location", "BACK rotation_quaternion"}
    assert tuple(rig.pose.bones["SKULL"].rotation_quaternion) == (0.0, 1.0, 0.0, 0.0)
    reopen(tmp_path / "kept.blend")
    assert scene.send_out(tmp_path / "out.w3d") == path.read_bytes()
    bpy.context.view_layer.objects.active.pose.bones["SKULL"].location = (0.0005, 5.0, 2.0)
    found = scene.raw_channels(scene.send_out(tmp_path / "out.w3d"))
    assert [{*np.frombuffer(found[3, axis], "<f4", 21, 12)} for axis in (1, 2)] == [{5.0}, {2.0}]


def test_a_flag_of_a_bone_that_is_left_out_is_the_files(tmp_path: Path) -> None:
    """An earlier import of the whole gave the bone the property, which rests as that left it."""
    bits = scene.Lay.bits(0, [1] * 5 + [0] * 10, 3)
    scene.write(tmp_path / "skel.w3d", scene.Lay.hierarchy(BONES))
    channels = scene.Lay.raw(0, np.arange(15) / 10, 0, 1), bits
    path = scene.write(tmp_path / "walk.w3d", scene.Lay.animation(*channels, frames=15, name="WALK"))
    rig = scene.bring_in(tmp_path / "skel.w3d")
    select_only(rig, "HIPS")
    scene.bring_in(path, target="SELECTED", only_selected_bones=True)
    assert rig.pose.bones["HEAD"].custom_shape is None, "nothing says when it hides"
    bpy.context.scene.frame_current = 8
    rig = scene.bring_in(path)
    assert bpy.context.scene.frame_current == 8, "it hides there, and most does not"
    go_to(12)
    select_only(rig, "HIPS")
    scene.bring_in(path, target="SELECTED", only_selected_bones=True)
    scene.curve(rig, "HIPS", "location").keyframe_points[5].co.y += 0.5
    assert bits in scene.send_out(tmp_path / "out.w3d")
    assert "warning" not in report().lower(), report()


def test_a_reload_takes_the_bones_that_were_selected_then(tmp_path: Path) -> None:
    path = walk(tmp_path)
    rig = scene.bring_in(path)
    rig.animation_data_clear()
    select_only(rig, "SPINE")
    scene.bring_in(path, target="SELECTED", only_selected_bones=True)
    before = paths_of(rig)
    for bones in (["HEAD"], []):
        select_only(rig, *bones)
        rig.keyframe_insert('pose.bones["HEAD"].location', frame=1)  # which the import has left out
        assert bpy.ops.anim_curves.reload() == {"FINISHED"}
        assert paths_of(rig) == before
        holders = rig.pose.bones if "select" in rig.pose.bones[0].bl_rna.properties else rig.data.bones
        assert [holder.name for holder in holders if holder.select] == bones


def test_without_a_selected_bone_nothing_is_imported(tmp_path: Path) -> None:
    path = walk(tmp_path)
    rig = scene.bring_in(path)
    select_only(rig)
    before = [action.name for action in bpy.data.actions]
    with pytest.raises(RuntimeError, match="no bone that the file moves is selected"):
        scene.bring_in(path, target="SELECTED", only_selected_bones=True)
    assert [action.name for action in bpy.data.actions] == before
    with pytest.raises(RuntimeError, match="no bone that the file moves is selected"):
        scene.bring_in(path, target="NEW", only_selected_bones=True)
    path.write_bytes(scene.Lay.animation(scene.Lay.raw(0, np.arange(21), 0, 1), frames=21, name="WALK"))
    with pytest.raises(RuntimeError, match="nothing that these options take"):
        scene.bring_in(path, channels="ROTATION")


def test_without_root_motion_the_uppermost_bone_that_goes_stays(tmp_path: Path) -> None:
    path = walk(tmp_path)
    rig = scene.bring_in(path, root_motion=False)
    assert rig.pose.bones["SPINE"].parent.name == "HIPS"
    assert paths_of(rig) == {
        "HIPS rotation_quaternion",
        "SPINE location",
        "SPINE rotation_quaternion",
        "HEAD rotation_quaternion",
    }
    assert scene.send_out(tmp_path / "out.w3d") == path.read_bytes()
    goes = (scene.Lay.raw(0, np.arange(21), 0, pivot) for pivot in (1, 3))  # not the one between
    path.write_bytes(scene.Lay.animation(*goes, frames=21, name="WALK"))
    assert paths_of(scene.bring_in(path, root_motion=False, target="NEW")) == {"HEAD location"}


@pytest.mark.parametrize("name", ["mrtk", "animx"])
def test_where_no_bone_hangs_on_another_nothing_is_the_root(name: str) -> None:
    path = WHOLE[name]
    getattr(bpy.ops.import_anim, name)(filepath=str(path), root_motion=False)
    assert any(one.endswith("location") for one in paths_of(bpy.context.view_layer.objects.active))
    assert "so the root is unknown" in scene.report_of(path.name)


def test_the_wrist_of_a_hand_skeleton_is_a_root() -> None:
    bpy.ops.import_anim.mrtk(filepath=str(WHOLE["mrtk"]), hand_skeleton=True, root_motion=False)
    found = paths_of(bpy.context.view_layer.objects.active)
    assert "Wrist.L location" not in found and "Wrist.L rotation_quaternion" in found


def test_what_has_no_place_on_another_rig_is_named(tmp_path: Path) -> None:
    """Joints of a recording that follow an avatar's bones: the file's places mean nothing there."""
    rig = hand_rig(bpy, mixamo, 0.4, 0.3)
    choose(rig)
    path = WHOLE["mrtk"]
    options = {"target": "SELECTED", "follow_place": "ALWAYS", "channels": "ROTATION"}
    bpy.ops.import_anim.mrtk(filepath=str(path), **options)
    bone = next(one for one in sorted(paths_of(rig)) if one.endswith(ROTATIONS)).rpartition(" ")[0]
    nudge(rig, bone, 0.2)
    bpy.ops.export_anim.mrtk(filepath=str(tmp_path / "out.bin"))
    assert "are not written, as the armature's rest pose or the scene's rate is not the file's" in report()
    assert "as they are in" not in report()


def test_without_the_files_bytes_what_was_left_out_is_missed_aloud(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    scene.bring_in(walk(tmp_path), channels="ROTATION")
    data = scene.send_out(tmp_path / "out.w3d", use_source=False)
    assert {kind for _, kind in scene.raw_channels(data)} == {6}
    assert "2 channels that the import left out are not in this file" in report()
    assert "Warning: 2 channels that the import left out" in "".join(capfd.readouterr())


def test_another_format_gets_what_is_in_blender(tmp_path: Path) -> None:
    scene.bring_in(walk(tmp_path), channels="ROTATION")
    out = tmp_path / "out.animj"
    assert bpy.ops.export_anim.animx(filepath=str(out)) == {"FINISHED"}
    tracks = [track["data"] for track in json.loads(out.read_text(encoding="utf-8"))["tracks"]]
    assert {track["property"] for track in tracks} == {"Rotation"}


def test_what_nothing_in_the_scene_is_stays_in_the_file(tmp_path: Path) -> None:
    """Each node of these files stands for itself: what is edited, or animated by hand later, is written beside it."""
    source, path = json.loads(WHOLE["animx"].read_text()), tmp_path / "walk.animj"
    lamp = [{**track, "data": {**track["data"], "node": "Lamp"}} for track in source["tracks"][:2]]
    cube = {**source["tracks"][0], "data": {**source["tracks"][0]["data"], "node": "Cube"}}
    path.write_text(json.dumps({**source, "tracks": [lamp[0], cube, lamp[1]]}))
    things = {"Cube": add("Cube"), "Lamp": bpy.data.objects.new("Lamp", None)}
    choose(things["Cube"])
    bpy.ops.import_anim.animx(filepath=str(path))
    scene.curves(things["Cube"])["location", 0].keyframe_points[0].co.y += 0.5

    def unlike_the_file() -> list[int]:
        bpy.ops.export_anim.animx(filepath=str(tmp_path / "out.animj"))
        own, found = (animx.Player(each.read_bytes()).tracks for each in (path, tmp_path / "out.animj"))
        assert [(track.node, track.field) for track in found] == [(track.node, track.field) for track in own]
        return [at for at in range(3) if not np.array_equal(*(np.float32(each[at].values) for each in (own, found)))]

    assert unlike_the_file() == [1]
    animate(things["Lamp"], "location.x", {1: 1, 30: 30})
    bpy.context.scene.collection.objects.link(things["Lamp"])
    things["Lamp"].select_set(True)
    assert unlike_the_file() == [0, 1]
    assert "1 channel that the import left out stays as before in walk.animj" in report()
