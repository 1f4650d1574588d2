"""Keys that an import thins: what Blender then plays is within the limits, and an export plays the same."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import mrtk_scene as scene
import numpy as np
import pytest
from in_blender import reopen
from w3d_scene import part, report_of, send_out

bpy = pytest.importorskip("bpy")

DATA = scene.DATA.parent
DENSE = scene.DATA / "v10_recorder_3s_left_hand.bin"
FILES = {
    "mrtk": DENSE,
    "w3d": DATA / "w3d" / "g09_ad_20b_200f.w3d",
    "w3x": DATA / "w3x" / "g01_anim.w3x",
    "animx": DATA / "animx" / "08_walk.animj",
}
RAW = DATA / "w3d" / "g01_raw_trim_vis.w3d"
WALK = DATA / "w3d" / "g06_raw_flip.w3d"
TURNING = DATA / "w3d" / "g02_tc_default.w3d"
TURNED = 'pose.bones["BONE_04"].rotation_quaternion'
Curves = dict[tuple[str, int], Any]
Array = np.ndarray[Any, Any]


def bring_in(name: str, path: Path, **options: Any) -> Curves:
    """Import into an empty file; the F-Curves by path and index."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    assert getattr(bpy.ops.import_anim, name)(filepath=str(path), **options) == {"FINISHED"}
    return found()


def found() -> Curves:
    """The F-Curves of what is active."""
    return dict(scene.fcurves(bpy.context.view_layer.objects.active))


def keys_of(curves: Curves) -> int:
    """Keys as a person counts them: one of a location is one, not three."""
    counts: dict[str, int] = {}
    for curve in curves.values():
        counts[curve.data_path] = max(counts.get(curve.data_path, 0), len(curve.keyframe_points))
    return sum(counts.values())


def angle_between(a: Array, b: Array) -> Array:
    """Degrees between rotations (4, n) of any length and sign."""
    a, b = a / np.linalg.norm(a, axis=0), b / np.linalg.norm(b, axis=0)
    chord = np.minimum(np.linalg.norm(a - b, axis=0), np.linalg.norm(a + b, axis=0))
    return np.degrees(4 * np.arcsin(np.minimum(chord / 2, 1)))


def frames_of(curves: Curves) -> Array:
    """Every key's frame, and three moments between each two."""
    frames = np.unique([point.co.x for curve in curves.values() for point in curve.keyframe_points])
    parts = [frames[:-1] + np.diff(frames) * part for part in (0.0, 0.25, 0.5, 0.75)]
    return np.unique(np.concatenate([*parts, frames[-1:]]))


def shown(curves: Curves, frames: Array) -> dict[str, Array]:
    """By property, (components, n) what Blender's curves give; rotations of length 1."""
    rows: dict[str, list[list[float]]] = {}
    for (path, _), curve in sorted(curves.items()):
        rows.setdefault(path, []).append([curve.evaluate(frame) for frame in frames.tolist()])
    values = {path: np.array(row) for path, row in rows.items()}
    return {
        path: block / np.linalg.norm(block, axis=0) if path.endswith("quaternion") and len(block) == 4 else block
        for path, block in values.items()
    }


def furthest(before: dict[str, Array], after: dict[str, Array], rest: float = 0.0) -> tuple[float, float]:
    """Millimetres and degrees by which locations and rotations differ most; all else by no more than `rest`."""
    assert before.keys() == after.keys()
    place, turn = 0.0, 0.0
    for path, block in before.items():
        if path.endswith("location"):
            place = max(place, float(np.linalg.norm(block - after[path], axis=0).max()) * 1000)
        elif path.endswith("quaternion") and len(block) == 4:
            turn = max(turn, float(angle_between(block, after[path]).max()))
        elif not path.endswith("scale"):
            np.testing.assert_allclose(block, after[path], rtol=0, atol=rest, err_msg=path)
    return place, turn


# --- Thin ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FILES)
def test_blender_plays_thinned_files_within_the_limits(name: str) -> None:
    path = FILES[name]
    alone = {"rest_keys": False} if name in ("w3d", "w3x") else {}
    plain = bring_in(name, path, **alone)
    frames, count = frames_of(plain), keys_of(plain)
    before = shown(plain, frames)
    thinned = bring_in(name, path, thin=True, thin_location=2.0, thin_rotation=0.5, **alone)
    place, turn = furthest(before, shown(thinned, frames))
    # float32 places the keys on frames
    assert place <= 2.01 and turn <= 0.505
    kept = keys_of(thinned)
    assert kept < 0.9 * count
    assert f"Fewer Keys kept {kept:,} of {count:,} keys" in report_of(path.name)
    assert f"{kept:,} keys kept" in report_of(path.name)


@pytest.mark.parametrize("name", FILES)
def test_an_export_plays_what_was_thinned(name: str, tmp_path: Path, told: list[Any]) -> None:
    """On whole frames, as a file may have a value for each; the skeleton lies beside."""
    for skeleton in DATA.glob("w3?/*skl*"):
        shutil.copy(skeleton, tmp_path)
    source = RAW if name == "w3d" else FILES[name]
    thinned = bring_in(name, source, thin=True, thin_location=50.0, thin_rotation=5.0)
    last = int(max(point.co.x for curve in thinned.values() for point in curve.keyframe_points))
    frames = np.arange(0.0, last + 1)
    before = shown(thinned, frames)
    reopen(tmp_path / "scene.blend")
    out = tmp_path / source.name
    assert send_out(out, name) != source.read_bytes()
    assert not told[-1].exact
    place, turn = furthest(before, shown(bring_in(name, out), frames))
    assert place <= 0.05 and turn <= 0.02


@pytest.mark.parametrize("name", FILES)
def test_where_no_key_can_go_the_file_comes_back_byte_for_byte(name: str, tmp_path: Path, told: list[Any]) -> None:
    """With limits of zero, what lies on no line stays."""
    source = scene.DATA / "v10_curve_shapes.bin" if name == "mrtk" else FILES[name]
    bring_in(name, source, thin=True, thin_location=0.0, thin_rotation=0.0)
    kept, _, total = report_of(source.name).split("Fewer Keys kept ")[1].split()[:3]
    same = send_out(tmp_path / source.name, name) == source.read_bytes()
    assert told[-1].exact == (kept == total)
    assert same or kept != total


def test_a_deleted_key_beside_an_inserted_one_leaves_that_one_in_the_file(tmp_path: Path) -> None:
    """The importer follows the engine's arc with keys of its own; without their neighbours they are what plays."""
    curves = {key: curve for key, curve in bring_in("w3d", TURNING).items() if key[0] == TURNED}
    assert len(curves) == 4
    for curve in curves.values():
        points = curve.keyframe_points
        for point in [point for point in list(points)[1:-1] if point.type == "KEYFRAME"][::-1]:
            points.remove(point, fast=True)
        assert len(points) > 6
    shutil.copy(DATA / "w3d" / "g02_skl.w3d", tmp_path)
    frames = np.arange(0.0, curves[TURNED, 0].keyframe_points[-1].co.x + 1)
    before = shown(curves, frames)
    send_out(tmp_path / "walk.w3d", "w3d")
    again = bring_in("w3d", tmp_path / "walk.w3d")
    _, turn = furthest(before, shown({key: curve for key, curve in again.items() if key[0] == TURNED}, frames))
    assert turn <= 0.1


# --- Smooth ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["mrtk", "w3d", "animx"])
def test_smoothed_files_move_by_what_the_report_says(name: str) -> None:
    path = FILES[name]
    plain = bring_in(name, path)
    frames = frames_of(plain)
    before = shown(plain, frames)
    smoothed = bring_in(name, path, smooth=True, smooth_cutoff=3.0)
    assert {key: len(curve.keyframe_points) for key, curve in smoothed.items()} == {
        key: len(curve.keyframe_points) for key, curve in found().items()
    }
    after = shown(smoothed, frames)
    place, turn = furthest(before, after)
    said = re.search(
        r"Smooth moved keys by at most (\S+) mm \((.+?)\) and (\S+) degrees \((.+?)\)", report_of(path.name)
    )
    assert said is not None
    for number, (told, bone) in enumerate((said.group(1, 2), said.group(3, 4))):
        own = {path: block for path, block in before.items() if f'"{bone}"' in path}
        assert furthest(own, {path: after[path] for path in own})[number] == (place, turn)[number]
        assert (place, turn)[number] == pytest.approx(float(told), rel=0.06, abs=1e-3)
    assert place > 0.1 and ", smoothed" in report_of(path.name)


# --- Resample --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FILES)
def test_all_keys_lie_on_whole_frames_and_show_what_played_there(name: str) -> None:
    """At a rate that is none of the files', from a start frame that is none."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    options = {"rate": "CUSTOM", "custom_rate": 25.0, "start_frame": 10.25}
    plain = bring_in(name, FILES[name], **options)
    last = max(point.co.x for curve in plain.values() for point in curve.keyframe_points)
    frames = np.arange(11.0, np.floor(last))
    before = shown(plain, frames)
    whole = bring_in(name, FILES[name], resample=True, **options)
    keys = np.array([point.co.x for curve in whole.values() for point in curve.keyframe_points])
    np.testing.assert_array_equal(keys, np.rint(keys))
    place, turn = furthest(before, shown(whole, frames), rest=1e-5)
    assert place <= 0.01 and turn <= 0.01
    assert "on whole frames" in report_of(FILES[name].name)


def test_keys_that_are_on_whole_frames_keep_their_bits(tmp_path: Path) -> None:
    """What the importer puts between the frames of a W3D file goes, and the frames come back as they were."""
    curves = bring_in("w3d", RAW, resample=True)
    keys = np.array([point.co.x for curve in curves.values() for point in curve.keyframe_points])
    np.testing.assert_array_equal(keys, np.rint(keys))
    assert send_out(tmp_path / RAW.name, "w3d") == RAW.read_bytes()
    same = DATA / "w3d" / "g09_ad_20b_200f.w3d"
    bring_in("w3d", same, resample=True)
    assert send_out(tmp_path / same.name, "w3d") == same.read_bytes()


# --- Cyclic ----------------------------------------------------------------------------------------------------------


def active_action() -> Any:
    """What the active object plays."""
    return bpy.context.view_layer.objects.active.animation_data.action


def as_loop(path: Path) -> Path:
    """The dense recording with every curve repeating before and after its keys, by Unity's wrap mode."""
    data = bytearray(DENSE.read_bytes())
    for curve in scene.every_curve(bytes(data)).values():
        start = curve["place"][0] - 12
        data[start : start + 8] = np.array([2, 2], "<i4").tobytes()
    path.write_bytes(data)
    return path


def test_a_recording_whose_curves_repeat_is_marked_and_comes_back(tmp_path: Path, told: list[Any]) -> None:
    path = as_loop(tmp_path / "loop.bin")
    bring_in("mrtk", path)
    action = active_action()
    assert action.use_cyclic and action.use_frame_range
    assert "The Action is marked as cyclic" in report_of(path.name)
    reopen(tmp_path / "scene.blend")
    assert active_action().use_cyclic
    assert send_out(tmp_path / "out.bin", "mrtk") == path.read_bytes() and told[-1].exact
    bring_in("mrtk", path, cyclic="NO")
    assert not active_action().use_cyclic


@pytest.mark.parametrize("name", FILES)
def test_the_mark_changes_no_export(name: str, tmp_path: Path, told: list[Any]) -> None:
    """However it came to be on or off."""
    bring_in(name, FILES[name])
    active_action().use_cyclic = not active_action().use_cyclic
    assert send_out(tmp_path / FILES[name].name, name) == FILES[name].read_bytes()
    assert told[-1].exact


def test_a_walk_is_closed_and_then_known_as_a_loop(tmp_path: Path, told: list[Any]) -> None:
    """A W3D walk does not say that it loops; closed once, its file ends as it begins, and says so to Automatic."""
    shutil.copy(DATA / "w3d" / "g02_skl.w3d", tmp_path)
    bring_in("w3d", WALK)
    assert not active_action().use_cyclic
    curves = bring_in("w3d", WALK, cyclic="CLOSE", seam_location=100000.0, seam_rotation=180.0)
    assert active_action().use_cyclic and "end as they begin" in report_of(WALK.name)
    ends = np.array([[curve.evaluate(curve.keyframe_points[at].co.x) for at in (0, -1)] for curve in curves.values()])
    for (path, _), (first, last) in zip(curves, ends.tolist(), strict=True):
        if path.endswith(("location", "quaternion")):
            assert abs(first) == pytest.approx(abs(last), abs=1e-7)
    out = tmp_path / WALK.name
    assert send_out(out, "w3d") != WALK.read_bytes()
    bring_in("w3d", out)
    assert active_action().use_cyclic
    data = out.read_bytes()
    assert send_out(out, "w3d") == data and told[-1].exact


# --- Without Blender -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("flags", [["--thin"], ["--smooth"]])
def test_convert_does_the_same_without_blender(flags: list[str], tmp_path: Path) -> None:
    """What a recording converted to a recording plays is what Blender plays of one that was imported so."""
    convert = part("io_formats.__main__").main
    out = tmp_path / "out.bin"
    assert convert(["convert", str(DENSE), str(out), *flags]) == 0
    frames = np.arange(0.0, 175.0, 2.5)
    expected = shown(bring_in("mrtk", DENSE, **{flags[0][2:]: True}), frames)
    found_again = bring_in("mrtk", out)
    place, turn = furthest(expected, shown(found_again, frames))
    assert place <= 0.11 and turn <= 0.03
    if flags == ["--thin"]:
        assert keys_of(found_again) < 1_500
