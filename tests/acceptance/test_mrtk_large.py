"""Ten minutes of two hands, and an hour of a few joints: no key lost, the same bytes, and how exact Blender plays.

Slow, and needs about 4 GB of memory.
"""

from __future__ import annotations

from pathlib import Path

import mrtk_scene as scene
import numpy as np
import pytest
from by_path import load
from in_blender import reopen

bpy = pytest.importorskip("bpy")
pytestmark = [pytest.mark.slow, pytest.mark.once]

recordings = load(Path(__file__).resolve().parent.parent / "benchmarks" / "recordings.py")
RATE = 60.0


def _keys_in_file(data: bytes) -> dict[tuple[str, int], np.ndarray]:
    """(n, 7) float32 numbers of each curve's keys by data path and index in Blender, read from the layout alone."""
    found, at = {}, 16
    places = [("Camera", name) for name in scene.POSITION + scene.ROTATION]
    joints = scene.mrtk_reference.JOINTS
    hands = [(f"{j}.{s}", n) for s in "LR" for j in joints for n in scene.POSITION + scene.ROTATION]
    for bone, name in [*places, *[("", "")] * 4, *hands]:
        count = int(np.frombuffer(data, "<i4", 1, at + 8)[0])
        size = 28 if bone else 8
        if bone and not bone.startswith("None") and count:
            prop, index, _ = scene.PLACES[name]
            keys = np.frombuffer(data, "<f4", 7 * count, at + 12).reshape(count, 7)
            found[f'pose.bones["{bone}"].{prop}', index] = keys
        at += 12 + size * count
    assert at + 4 == len(data)
    return found


def _keys_in_blender(fcurve: object) -> tuple[np.ndarray, np.ndarray]:
    points = fcurve.keyframe_points  # type: ignore[attr-defined]
    co, right = np.empty(2 * len(points), np.float32), np.empty(2 * len(points), np.float32)
    points.foreach_get("co", co)
    points.foreach_get("handle_right", right)
    return co.reshape(-1, 2), right.reshape(-1, 2)


def test_ten_minutes_of_two_hands_lose_no_key_and_come_back_the_same(tmp_path: Path) -> None:
    path = recordings.write_recording(tmp_path / "long.bin", 600.0, full=True, joints=range(27))
    data = path.read_bytes()
    scene.set_rate("60")
    armature = scene.bring_in(path, memory_mib=4096)
    expected, found = _keys_in_file(data), scene.fcurves(armature)
    total = 0
    for place, keys in expected.items():
        co, _ = _keys_in_blender(found[place])
        assert len(co) == len(keys) == 36000
        np.testing.assert_array_equal(np.abs(co[:, 1]), np.abs(keys[:, 1]))
        np.testing.assert_allclose(co[:, 0], keys[:, 0].astype(float) * RATE, rtol=6e-8)
        assert (np.diff(co[:, 0]) > 0.9).all()
        total += len(co)
    assert total == 36000 * 7 * (2 * 26 + 1)
    assert scene.send_out(tmp_path / "again.bin") == data
    reopen(tmp_path / "scene.blend")
    armature = bpy.data.objects[0] if bpy.data.objects[0].type == "ARMATURE" else bpy.data.objects["long"]
    bpy.context.view_layer.objects.active = armature
    assert scene.send_out(tmp_path / "again.bin") == data
    _one_key(armature, tmp_path, data)


def _one_key(armature: object, folder: Path, data: bytes) -> None:
    """A key lifted in the middle of thirteen million is the only thing that differs."""
    fcurve = scene.fcurves(armature)['pose.bones["IndexTip.L"].location', 0]
    fcurve.keyframe_points[17000].co.y += 0.5
    fcurve.keyframe_points[17000].handle_left.y += 0.5
    fcurve.keyframe_points[17000].handle_right.y += 0.5
    after = scene.send_out(folder / "edited.bin")
    assert len(after) == len(data)
    differing = np.flatnonzero(np.frombuffer(after, np.uint8) != np.frombuffer(data, np.uint8))
    assert 0 < len(differing) <= 4 and np.ptp(differing) < 4


@pytest.mark.parametrize("rate", ["24", "60"])
def test_an_hour_shows_the_errors_that_the_documentation_states(rate: str, tmp_path: Path) -> None:
    """Times within half a unit of float32 at an hour; tangents as exact as float32 values a step apart can be."""
    frames_per_second = scene.set_rate(rate)
    path = recordings.write_recording(tmp_path / "hour.bin", 3600.0, full=True, joints=range(1, 4))
    data = path.read_bytes()
    armature = scene.bring_in(path, memory_mib=4096)
    expected, found = _keys_in_file(data), scene.fcurves(armature)
    late, steep = 0.0, {"W": 0.0, "others": 0.0}
    for place, keys in expected.items():
        co, right = _keys_in_blender(found[place])
        assert len(co) == len(keys) == 216000
        late = max(late, float(np.abs(co[:, 0] / frames_per_second - keys[:, 0].astype(float)).max()))
        kind = "W" if place[0].endswith("rotation_quaternion") and place[1] == 0 else "others"
        steep[kind] = max(steep[kind], _steepness_error(co, right, keys, frames_per_second))
    assert late < 0.25e-3
    assert steep["others"] < 2e-5 and steep["W"] < 3e-4
    assert scene.send_out(tmp_path / "again.bin") == data


def _steepness_error(co: np.ndarray, right: np.ndarray, keys: np.ndarray, rate: float) -> float:
    """How far the slopes of the right handles are from the file's tangents, as part of the curve's steepest."""
    step = (right.astype(float) - co.astype(float))[:-1]
    slopes = step[:, 1] / step[:, 0] * rate
    tangents = keys[:-1, 3].astype(float)
    sign = np.sign(np.dot(slopes, tangents))
    return float(np.abs(sign * slopes - tangents).max() / np.abs(tangents).max())
