"""What a recording becomes in Blender, odd recordings too: nothing breaks, and the user is told."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mrtk_scene as scene
import numpy as np
import pytest
from in_blender import drawn_as_nothing

bpy = pytest.importorskip("bpy")

DATA = scene.DATA


TWO_HANDS = DATA / "v11_recorder_10s_two_hands_mrtk273.bin"
GOLDENS = sorted(path for path in DATA.rglob("*.bin") if "bad" not in path.parts)


def _spoiled(path: Path, folder: Path, keys: list[tuple[str, ...]], change: Callable[[int, int], float | None]) -> Path:
    """A copy of a recording whose values in these curves are what `change` makes of curve and key number."""
    data = bytearray(path.read_bytes())
    found = scene.every_curve(bytes(data))
    for row, key in enumerate(keys):
        start, size = found[key]["place"]
        for number in range(len(found[key]["keys"])):
            value = change(row, number)
            if value is not None:
                struct.pack_into("<f", data, start + size * number + 4, value)
    copy = folder / f"spoiled_{path.name}"
    copy.write_bytes(data)
    return copy


@pytest.mark.parametrize("path", GOLDENS, ids=lambda path: path.stem)
def test_every_key_is_the_files_own_number(path: Path) -> None:
    rate = scene.set_rate("60")
    armature = scene.bring_in(path)
    found = scene.fcurves(armature) if armature.animation_data and armature.animation_data.action else {}
    for key, curve in scene.every_curve(path.read_bytes()).items():
        fcurve, sign = (None, 1) if "None" in key else scene.fcurve_of(found, key)
        order = scene.playable(curve["keys"])
        if "None" in key or (key[-1] == "RotationW" and "Wbug" in path.stem):
            continue
        assert (fcurve is None) == (not order), key
        keys = np.array([curve["keys"][number][:2] for number in order], np.float32).reshape(-1, 2)
        points = [] if fcurve is None else [tuple(point.co) for point in fcurve.keyframe_points]
        co = np.array(points, np.float32).reshape(-1, 2)
        assert len(co) == len(keys), key
        np.testing.assert_array_equal(co[:, 0], (keys[:, 0].astype(float) * rate).astype(np.float32))
        if key[0] == "bool":
            np.testing.assert_array_equal(co[:, 1], keys[:, 1] > 0.5)
        elif key[-1].startswith("Rotation"):  # signs may be aligned, and a rotation of zeros is a millionth long
            slack = 1.1e-6 if path.stem == "v11_wrapmode_raw_ints" else 0.0
            np.testing.assert_allclose(np.abs(co[:, 1]), np.abs(keys[:, 1]), rtol=0, atol=slack)
        else:
            np.testing.assert_array_equal(co[:, 1], sign * keys[:, 1])


def _matrix_at(armature: Any, bone: str, frame: float) -> np.ndarray:
    whole = int(np.floor(frame))
    bpy.context.scene.frame_set(whole, subframe=float(frame - whole))
    return np.array(armature.matrix_world @ armature.pose.bones[bone].matrix)


def _full_report() -> list[str]:
    text = next(text for text in bpy.data.texts if text.name.startswith("Source of"))
    return list(text.as_string().splitlines())


def test_a_gaze_without_direction_does_no_harm(tmp_path: Path) -> None:
    keys = [("gaze", f"Direction{axis}") for axis in "XYZ"]
    path = _spoiled(TWO_HANDS, tmp_path, keys, lambda row, number: 0.0)
    scene.set_rate("60")
    armature = scene.bring_in(path)
    for frame in (0, 100, 300):
        gaze, end = _matrix_at(armature, "Gaze", frame), _matrix_at(armature, "GazeDirection", frame)
        assert np.isfinite(gaze).all() and np.isfinite(end).all()
        np.testing.assert_allclose(end[:3, 3], gaze[:3, 3], atol=1e-6)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        for thing in bpy.data.objects:
            assert np.isfinite(np.array(thing.evaluated_get(depsgraph).matrix_world)).all(), thing.name
    assert any("direction" in line for line in _full_report())
    assert scene.send_out(tmp_path / "again.bin") == path.read_bytes()


@pytest.mark.parametrize("hide", [True, False])
def test_untracked_hands_are_drawn_as_nothing_and_their_curves_untouched(
    hide: bool, tmp_path: Path, capfd: Any
) -> None:
    rate = scene.set_rate("60")
    armature = scene.bring_in(TWO_HANDS, hide_untracked=hide)
    switches = scene.every_curve(TWO_HANDS.read_bytes())
    seen: set[bool] = set()
    for side, name in (("L", "handTrackedCurveLeft"), ("R", "handTrackedCurveRight")):
        for time, value in switches["bool", name]["keys"]:
            bpy.context.scene.frame_set(int(np.ceil(time * rate)) + 2)
            seen.add(value > 0.5)
            for bone in (f"Palm.{side}", f"IndexKnuckle.{side}", f"Wrist.{side}"):
                assert drawn_as_nothing(armature, bone) == (hide and value <= 0.5), (bone, time)
        camera = next(child for child in armature.children if child.parent_bone == "Camera")
        assert camera.type == "CAMERA" and camera.visible_get(), "it is seen in place of its bone"
    assert seen == {True, False}
    assert not any("hide" in path for path, _ in scene.fcurves(armature))
    assert scene.send_out(tmp_path / "again.bin") == TWO_HANDS.read_bytes()
    said = capfd.readouterr()
    assert "ycle" not in said.out + said.err


def test_one_line_tells_what_came_in_and_a_text_tells_all(tmp_path: Path, capfd: Any) -> None:
    keys = [("jointsLeft", "Palm", name) for name in scene.ROTATION]
    path = _spoiled(TWO_HANDS, tmp_path, keys, lambda row, number: 0.0 if number == 5 else None)
    scene.set_rate("60")
    scene.bring_in(path)
    line, warning = (line for line in capfd.readouterr().out.splitlines() if ": " in line)
    counts = r"2 hands, 52 joints, 6,875 keys, 9\.6 s, first hand on frame \d+"
    assert re.search(rf"{counts}, 1 warning$", line), line
    assert warning.startswith("Warning: A rotation of all zeros"), warning
    report = _full_report()
    assert "2 hands, 52 joints, 6,875 keys" in report[0] and any(map(str.strip, report[1:]))
