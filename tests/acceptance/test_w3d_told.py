"""What imports and exports say of a figure that a person has changed, is true and in the place where it is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import w3d_scene as scene
from in_blender import animate
from w3d_scene import export_report as told

bpy = pytest.importorskip("bpy")

Lay = scene.Lay
BODY = ["ROOTTRANSFORM", "PELVIS", "SPINE", "HEAD", "UPARM_L", "FOREARM_L", "UPARM_R", "FOREARM_R", "THIGH_L", "SHIN_L"]
BODY += ["THIGH_R", "SHIN_R"]
TURN = [[0.0, 0.0, np.sin(at / 20), np.cos(at / 20)] for at in range(10)]
MODELS = Path(__file__).resolve().parent.parent / "data" / "w3d_models"


def figure(folder: Path, *names: str, step: float = 2.0) -> list[Path]:
    """A body's skeleton and animations of it: the hips walk, the head leaves its place and the spine turns."""
    scene.write(folder / "body.w3d", Lay.hierarchy(BODY, name="BODY", step=step))
    walk, leave = Lay.raw(0, [[at] for at in range(10)], 0, 1), Lay.raw(0, [[at / 4] for at in range(10)], 0, 3)
    channels = walk, leave, Lay.raw(0, TURN, 6, 2)
    return [
        scene.write(folder / f"{name}.w3d", Lay.animation(*channels, name=name.upper(), skeleton="BODY"))
        for name in names
    ]


def own_body(scale: float = 1.0) -> Any:
    """A person's armature with bones of the same places and other axes, in small letters."""
    heads = [(0.0, 0.0, 2.0 * scale * number) for number in range(len(BODY))]
    bones = [name.lower() for name in BODY]
    return scene.make_armature(list(zip(bones, (None, *bones), heads, strict=False)))


def edit(rig: Any) -> None:
    """Move one key of the spine."""
    bone = next(bone.name for bone in rig.data.bones if bone.name.upper() == "SPINE")
    key = scene.curve(rig, bone, "rotation_quaternion", 2).keyframe_points[5]
    key.co.y += 0.1


def test_nothing_is_out_of_proportion_on_the_files_own_skeleton(tmp_path: Path) -> None:
    scene.bring_in_all(figure(tmp_path, "walk", "run"))
    assert "times its size" not in bpy.data.texts.get("Source of run.w3d").as_string()
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    own_body()
    scene.bring_in(tmp_path / "walk.w3d")
    assert "head is" in scene.report_of("walk.w3d") and "times its size" in scene.report_of("walk.w3d")


def test_turns_of_the_file_that_play_no_more_are_a_warning(tmp_path: Path) -> None:
    rig = scene.bring_in(*figure(tmp_path, "walk"))
    spine = rig.pose.bones["SPINE"]
    spine.rotation_mode, spine.rotation_euler.x = "XYZ", 0.1
    data = scene.raw_channels(scene.send_out(tmp_path / "again.w3d"))[2, 6]
    assert not np.ptp(np.frombuffer(data, "<f4", offset=12).reshape(-1, 4), axis=0).any()
    assert "1 warning" in told() and "4 have no place" in told()
    assert told().count("4 rotation channels play nothing") == 1
    animate(spine, "rotation_euler.x", {0: 0.0, 9: 0.9})
    scene.send_out(tmp_path / "again.w3d")
    assert "4 rotation channels play nothing" in told() and "warning" not in told() and "0 have no place" in told()


def test_an_animation_on_another_skeleton_of_the_file_is_written_of_its_own_armature(tmp_path: Path) -> None:
    path = tmp_path / "both.w3d"
    path.write_bytes(b"".join((MODELS / name).read_bytes() for name in ("m01_rigid.w3d", "m04_lod.w3d")))
    scene.bring_in(path, models=False)
    for name, bone, index in (("M01_RIGID", "BARREL", 0), ("M04_LOD", "WHEEL", 3)):
        scene.curve(bpy.data.objects[name], bone, "rotation_quaternion", index).keyframe_points[3].co.y += 0.1
    rig = bpy.data.objects["M01_RIGID"]
    bpy.context.view_layer.objects.active = rig
    document = scene.part("io_formats.w3d").read(scene.send_out(tmp_path / "new.w3d", include_skeleton="INCLUDE"))
    assert [len(hierarchy.records) for hierarchy in document.hierarchies] == [6, 5]
    assert "stand still" not in told()


def test_a_rig_in_small_letters_gives_a_walk_back_onto_the_skeleton_file(tmp_path: Path) -> None:
    (walk,) = figure(tmp_path, "walk")
    rig = own_body()
    scene.bring_in(walk)
    before = scene.raw_channels(walk.read_bytes())
    edit(rig)
    data = scene.send_out(tmp_path / "again.w3d", skeleton=str(tmp_path / "body.w3d"))
    assert scene.raw_channels(data).keys() == before.keys()
    assert "rest pose" not in told()


def test_a_skeleton_that_has_none_of_the_bones_is_no_still_figure(tmp_path: Path) -> None:
    rig = scene.bring_in(*figure(tmp_path, "walk"))
    edit(rig)
    other = scene.write(tmp_path / "tank.w3d", Lay.hierarchy(["ROOTTRANSFORM", "TURRET"], name="TANK"))
    with pytest.raises(RuntimeError, match="has a place in a file of this format"):
        scene.send_out(tmp_path / "again.w3d", skeleton=str(other))
    with pytest.raises(RuntimeError, match=r"walk.w3d: the file holds no skeleton"):
        scene.send_out(tmp_path / "again.w3d", skeleton=str(tmp_path / "walk.w3d"))
    scene.write(other, other.read_bytes(), Lay.animation(Lay.raw(0, TURN, 6, 1), name="AIM", skeleton="TANK"))
    with pytest.raises(RuntimeError, match="no pivot in the skeleton"):
        scene.send_out(other, into_existing=True, hierarchy_name="TANK")


@pytest.mark.parametrize(("factor", "scale"), [(1.0, 1.0), (0.1, 1.0), (0.1, 10.0)])
def test_an_armature_of_another_size_than_the_skeleton_is_told(factor: float, scale: float, tmp_path: Path) -> None:
    figure(tmp_path)
    rig = own_body(factor)
    for bone in rig.pose.bones:  # as of a whole character
        bone.keyframe_insert("location", frame=0)
        bone.keyframe_insert("rotation_quaternion", frame=0)
    animate(rig.pose.bones["spine"], "rotation_quaternion", {9: (0.9, 0.3, 0, 0)})
    data = scene.send_out(tmp_path / "jump.w3d", skeleton=str(tmp_path / "body.w3d"), scale=scale)
    fits = factor * scale == 1.0
    assert (set(scene.raw_channels(data)) == {(2, 6)}) == fits
    assert ("skeleton is 10 times as large" in told()) != fits


@pytest.mark.parametrize("include", ["AUTO", "INCLUDE"])
def test_a_new_animation_of_a_scaled_import_has_the_size_of_its_skeleton_file(include: str, tmp_path: Path) -> None:
    rig = scene.bring_in(*figure(tmp_path, "walk"), scale=0.1, forward="X")
    rig.animation_data.action = None
    for bone in rig.pose.bones:
        bone.matrix_basis.identity()
    animate(rig.pose.bones["SPINE"], "location.z", {0: 3.0})
    chosen = {"skeleton": str(tmp_path / "body.w3d"), "include_skeleton": include}
    assert list(scene.raw_channels(scene.send_out(tmp_path / "jump.w3d", strict=True, **chosen))) == [(2, 2)]
    assert "skeleton is" not in told()


@pytest.mark.parametrize("edited", [False, True])
def test_keys_past_the_end_of_a_file_and_frames_that_are_not_asked_for_are_not_told_as_cut(
    edited: bool, tmp_path: Path
) -> None:
    """No game plays them, and a longer range of the scene would not either."""
    late = Lay.compressed(Lay.keys([0, 4, 40], [[0.0], [1.0], [5.0]], 0, 1), frames=7, rate=30)
    rig = scene.bring_in(scene.write(tmp_path / "walk.w3d", Lay.hierarchy(), late))
    assert rig.animation_data.action.frame_end == 40, "what plays in Blender is all of it"
    scene.curve(rig, "HIP", "location", 0).keyframe_points[1].co.y += edited / 2
    bpy.context.scene.frame_end = 78
    scene.send_out(tmp_path / "again.w3d", flavor="RAW")
    assert "Played back at" in told() and "outside frames" not in told()
    rig.animation_data.action = None
    animate(rig.pose.bones["HIP"], "location.x", {0: 0.0, 30: 5.0})
    scene.send_out(tmp_path / "part.w3d", frame_count=7)
    assert "Played back at" in told() and "outside frames" not in told() and ", 0.2 s, " in told()


@pytest.mark.parametrize("size", [1.0, 2.54])
def test_a_turn_that_jumps_is_played_right_at_any_size(size: float, tmp_path: Path) -> None:
    """From 37 degrees to 53, whose axes have the same numbers in another order."""
    turns = [[0.0, 0.0, np.sqrt(0.5 - cosine / 2), np.sqrt(0.5 + cosine / 2)] for cosine in 12 * (0.8, 0.6)]
    data = Lay.compressed(Lay.keys(range(24), turns, 6, 1, steps=range(24)), frames=24, rate=25)
    scene.bring_in(scene.write(tmp_path / "jump.w3d", Lay.hierarchy(), data), scale=size)
    scene.send_out(tmp_path / "again.w3d", check_playback="THOROUGH")
    assert "plays it off" not in told()


def test_that_a_figure_was_moved_aside_is_a_warning(tmp_path: Path) -> None:
    rig = scene.bring_in(*figure(tmp_path, "walk"))
    edit(rig)
    scene.send_out(tmp_path / "again.w3d", forward="X")
    assert "its place is written into the motion" not in told(), "turned, as was asked"
    rig.location.x, rig.name = 9.0, "Soldier"
    data = scene.send_out(tmp_path / "again.w3d")
    assert (1, 0) in scene.raw_channels(data) and "BODY" not in told()
    assert "The armature does not stand at the world's origin, and its place is written into the motion" in told()
    assert "1 warning" in told()
    scene.send_out(tmp_path / "again.w3d", space="LOCAL")
    assert "its place is written into the motion" not in told()


def test_what_is_worked_out_of_curves_is_not_told_to_be_sampled(tmp_path: Path) -> None:
    rig = scene.bring_in(*figure(tmp_path, "walk"))
    animate(rig, "location.x", {0: 0.0, 9: 0.9})
    scene.send_out(tmp_path / "again.w3d")
    assert "worked out on each frame" in told() and "0 from samples" in told()
    assert "sampled" not in told() and f"{rig.name}: the object itself moves" in told()


def test_files_of_one_name_in_two_games_are_told_apart(tmp_path: Path) -> None:
    files = [path for game in ("ra", "tw") for path in figure(tmp_path / game, "walk")]
    for path in files:
        edit(scene.bring_in(path))
    assert bpy.ops.anim_curves.export_changed(in_place=True) == {"FINISHED"}
    assert all(f"{path}: 1 animation" in told() for path in files)
    scene.send_out(tmp_path / "again.w3d")
    assert "again.w3d: 1 animation" in told() and str(tmp_path) not in told()


def test_an_untouched_copy_under_another_name_is_told_that_no_game_finds_it(tmp_path: Path) -> None:
    data = scene.Lay.hierarchy() + scene.Lay.animation(scene.Lay.raw(0, [1.0] * 10, 0, 1), name="Walk")
    scene.bring_in(scene.write(tmp_path / "in" / "walk.w3d", data))
    assert scene.send_out(tmp_path / "WALK.w3d") == data
    found = bpy.data.texts.get("Export Report")
    assert found is None or "will not find it" not in found.as_string()
    assert scene.send_out(tmp_path / "run.w3d") == data
    assert "Walk in Walk.w3d and will not find it in run.w3d" in bpy.data.texts["Export Report"].as_string()
