"""Whichever animation of a unit is chosen plays as the game plays it: what it does not move rests, whatever was before.

The judge is the tests' own player of W3D (`w3d_scene.worlds`), in which a pivot without channels has its base.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import w3d_scene as scene
from in_blender import animate, go_to, reopen
from rest_keys import is_rest_key

bpy = pytest.importorskip("bpy")

PIVOTS = ["ROOTTRANSFORM", "HIPS", "HEAD", "ARM"]
FRAMES = 11
OWN_CHANNELS = {"NOD": {(1, 6), (2, 0)}, "WAVE": {(3, 6)}, "STAND": set()}


def turns(angle: float) -> np.ndarray:
    """(frames, 4): from no turn on about X."""
    half = np.linspace(0, angle / 2, FRAMES)
    return np.stack([np.sin(half), 0 * half, 0 * half, np.cos(half)], axis=1)


def unit(folder: Path) -> list[Path]:
    """One moves hips and head, one the arm alone, and one is a header alone, as the games have many."""
    scene.write(folder / "skel.w3d", scene.Lay.hierarchy(PIVOTS))
    lay = scene.Lay
    channels = {
        "NOD": [lay.raw(0, turns(1.0), 6, 1), lay.raw(0, np.linspace(1, 2, FRAMES), 0, 2), lay.bits(4, [0] * 7, 3)],
        "WAVE": [lay.raw(0, turns(2.0), 6, 3)],
        "STAND": [],
    }
    return [
        scene.write(folder / f"{name.lower()}.w3d", lay.animation(*rows, frames=FRAMES, name=name))
        for name, rows in channels.items()
    ]


def bring_in_unit(folder: Path, order: int = 1, **options: Any) -> Any:
    paths = unit(folder / "in")[::order]
    assert scene.bring_in_all(paths, rate="FILE", **options) == {"FINISHED"}
    return bpy.context.view_layer.objects.active


def off(rig: Any, folder: Path, name: str, begin: float = 0.0) -> float:
    """How far the armature is off what the game shows of an animation that begins on a frame."""
    data, skeleton = ((folder / "in" / f"{file}.w3d").read_bytes() for file in (name.lower(), "skel"))
    furthest = 0.0
    for frame in (0, 4, FRAMES - 1):
        seen, shown = scene.bones_at(rig, begin + frame), scene.worlds(data, frame, skeleton=skeleton)
        furthest = max(furthest, *(float(np.abs(seen[pivot] - world).max()) for pivot, world in shown.items()))
    return furthest + abs(rig.pose.bones["ARM"]["visibility"] - (name != "NOD"))  # which hides it at its end


def rest_curves(rig: Any) -> dict[tuple[str, int], Any]:
    return {address: curve for address, curve in scene.curves(rig).items() if is_rest_key(curve)}


@pytest.mark.parametrize("order", [1, -1])
def test_each_chosen_action_plays_as_in_the_game_in_a_saved_file_too(order: int, tmp_path: Path) -> None:
    rig = bring_in_unit(tmp_path, order)
    for name in ("NOD", "WAVE", "NOD", "STAND", "WAVE", "STAND"):
        rig.animation_data.action = bpy.data.actions[name]
        assert off(rig, tmp_path, name) < 1e-5, name
    rig.animation_data.action = bpy.data.actions["NOD"]
    go_to(9)
    reopen(tmp_path / "unit.blend")  # and played where there is no window
    rig = bpy.context.view_layer.objects.active
    rig.animation_data.action = bpy.data.actions["WAVE"]
    assert off(rig, tmp_path, "WAVE") < 1e-5


def test_an_armature_that_a_person_renamed_rests_in_what_came_before(tmp_path: Path) -> None:
    nod, wave, _ = unit(tmp_path / "in")
    rig = scene.bring_in(wave, rate="FILE")
    rig.name = "Soldier"
    assert scene.bring_in(nod, rate="FILE") == rig
    for name in ("NOD", "WAVE"):
        scene.part("scene.actions").assign(rig, bpy.data.actions[name])
        assert off(rig, tmp_path, name) < 1e-5, name


@pytest.mark.parametrize(("nla", "order"), [("STRIP", 1), ("SEQUENCE", -1)])
def test_each_strip_plays_as_in_the_game(tmp_path: Path, nla: str, order: int) -> None:
    rig = bring_in_unit(tmp_path, order, nla=nla)
    strips = [strip for track in rig.animation_data.nla_tracks for strip in track.strips]
    assert [strip.name for strip in strips] == ["NOD", "WAVE", "STAND"][::order]
    for strip in strips:
        assert off(rig, tmp_path, strip.name, strip.frame_start) < 1e-5, strip.name


def test_a_strip_alone_is_its_file(tmp_path: Path) -> None:
    """What animates the armature is what the file does: six values, none of them held at rest."""
    paths = unit(tmp_path / "in")
    rig = scene.bring_in(paths[0], nla="STRIP", rate="FILE")
    assert scene.send_out(tmp_path / "nod.w3d") == paths[0].read_bytes()
    options = scene.part("io_formats.scene_options").ExportOptions()
    assert len(scene.part("scene.capture.players").participants_of([rig], options).animated(rig)) == 6
    scene.bring_in(paths[1], target="SELECTED", rate="FILE")  # and rests over the strip where it moves nothing
    assert scene.send_out(tmp_path / "wave.w3d") == paths[1].read_bytes()


def test_a_rig_of_ones_own_that_turns_by_angles_rests_too(tmp_path: Path) -> None:
    """A bone becomes one of quaternions with the first file that turns it; what was imported before still rests."""
    unit(tmp_path / "in")
    rig = scene.bring_in(tmp_path / "in" / "skel.w3d")
    for bone, mode in zip(rig.pose.bones, ("QUATERNION", "XYZ", "ZYX", "AXIS_ANGLE"), strict=True):
        bone.rotation_mode = mode
    rig.pose.bones["HEAD"]["fade"] = 0.25  # a person's own, which no file moves
    for name in ("nod", "wave"):
        scene.bring_in(tmp_path / "in" / f"{name}.w3d", target="SELECTED", rate="FILE")
        assert "angles" not in scene.report_of(f"{name}.w3d")
    rig.pose.bones["HEAD"].rotation_euler = (0.5, 0.5, 0.5)
    for name in ("NOD", "WAVE", "NOD"):
        rig.animation_data.action = bpy.data.actions[name]
        assert off(rig, tmp_path, name) < 1e-5, name
    assert rig.pose.bones["HEAD"]["fade"] == 0.25


def test_untouched_actions_are_their_files_whatever_was_played(tmp_path: Path) -> None:
    rig = bring_in_unit(tmp_path)
    rig.animation_data.action = bpy.data.actions["NOD"]
    go_to(7)
    rig.pose.bones["ARM"].location = (1.0, 2.0, 3.0)  # no key: the rest key plays
    assert scene.send_out_all(tmp_path / "out") == {
        f"{name}.w3d": (tmp_path / "in" / f"{name.lower()}.w3d").read_bytes() for name in OWN_CHANNELS
    }
    exactness = scene.part("pipeline.export_files").exactness
    assert all(exactness(action)[1] == [] for action in bpy.data.actions)


def move_own(rig: Any) -> None:
    scene.curve(rig, "HEAD", "location").keyframe_points[3].co.y += 1.0


def move_all_in_time(rig: Any) -> None:
    """Move every key by two frames, as "select all, grab" does."""
    for curve in scene.curves(rig).values():
        for key in curve.keyframe_points:
            key.co.x += 2.0


def rename_bone(rig: Any) -> None:
    move_own(rig)
    rig.pose.bones["ARM"].name = "Arm"


@pytest.mark.parametrize("edit", [move_own, move_all_in_time, rename_bone])
@pytest.mark.parametrize("from_source", [True, False])
def test_an_edited_action_gains_no_channels(edit: Callable[[Any], None], from_source: bool, tmp_path: Path) -> None:
    rig = bring_in_unit(tmp_path)
    rig.animation_data.action = bpy.data.actions["NOD"]
    edit(rig)
    written = scene.send_out(tmp_path / "out.w3d", use_source=from_source, flavor="RAW")
    assert written != (tmp_path / "in" / "nod.w3d").read_bytes()
    assert set(scene.raw_channels(written)) == OWN_CHANNELS["NOD"]


def test_a_rest_key_that_is_edited_is_an_edit_like_any_other(tmp_path: Path) -> None:
    rig = bring_in_unit(tmp_path)
    rig.animation_data.action = bpy.data.actions["NOD"]
    scene.curve(rig, "ARM", "location", 2).keyframe_points[0].co.y = 0.5
    scene.curve(rig, "ARM", "location", 1).mute = True
    bent = scene.curve(rig, "ARM", "location", 0).keyframe_points  # at rest on its keys alone
    bent.insert(20, 0.0)
    bent[0].interpolation, bent[0].handle_right_type, bent[0].handle_right = "BEZIER", "FREE", (7.0, 2.0)
    arm = rig.pose.bones["ARM"]
    animate(arm, "rotation_quaternion", {0: (1.0, 0.0, 0.0, 0.0), 10: (np.cos(1.0), 0.0, 0.0, np.sin(1.0))})
    written = scene.send_out(tmp_path / "out.w3d", check_playback="OFF")
    assert set(scene.raw_channels(written)) == OWN_CHANNELS["NOD"] | {(3, 0), (3, 2), (3, 6)}
    shown = scene.worlds(written, 10, skeleton=(tmp_path / "in" / "skel.w3d").read_bytes())
    assert np.allclose(scene.bones_at(rig, 10)["ARM"], shown["ARM"], atol=1e-5)


@pytest.mark.parametrize("rests", [True, False])
def test_what_rests_and_where_its_keys_are(rests: bool, tmp_path: Path) -> None:
    """Every other component of location and rotation; in the bone's own group; W3D holds no scale."""
    rig = bring_in_unit(tmp_path, rest_keys=rests)
    rig.animation_data.action = bpy.data.actions["NOD"]
    assert len(scene.curves(rig)) == (4 * 7 + 1 if rests else 6)
    assert len(rest_curves(rig)) == (4 * 7 - 5 if rests else 0)
    for (path, _), curve in scene.curves(rig).items():
        assert curve.group.name in path and not path.endswith("scale")
    go_to(10)
    rig.animation_data.action = bpy.data.actions["WAVE"]
    assert (off(rig, tmp_path, "WAVE") > 0.1) is not rests


@pytest.mark.parametrize("options", [{"merge": True}, {"root_motion": False}, {"channels": "ROTATION"}])
def test_what_takes_a_part_of_a_file_leaves_other_bones_alone(options: dict[str, Any], tmp_path: Path) -> None:
    unit(tmp_path / "in")
    rig = scene.bring_in(tmp_path / "in" / "skel.w3d")
    rig.pose.bones["ARM"].keyframe_insert("location", frame=0)
    if "merge" not in options:
        rig.animation_data_clear()
    rig.pose.bones["ARM"].location = (0.0, 0.0, 3.0)
    scene.bring_in(tmp_path / "in" / "nod.w3d", target="SELECTED", **options)
    assert set(rest_curves(rig)) <= {('pose.bones["ARM"].location', index) for index in range(3)}


@pytest.mark.parametrize(("kind", "offered"), [("w3d", True), ("w3x", True), ("mrtk", False), ("animx", False)])
def test_only_where_the_engine_rests_is_it_offered(kind: str, offered: bool) -> None:
    properties = getattr(bpy.ops.import_anim, kind).get_rna_type().properties
    assert ("rest_keys" in properties) == offered
    assert not offered or properties["rest_keys"].default is True
