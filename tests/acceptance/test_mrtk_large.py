"""An hour of a few joints: no key lost, the same bytes, and how exact Blender plays."""

from __future__ import annotations

from pathlib import Path

import mrtk_scene as scene
import numpy as np
import pytest
from by_path import load

bpy = pytest.importorskip("bpy")
pytestmark = [pytest.mark.slow, pytest.mark.once]

recordings = load(Path(__file__).resolve().parent.parent / "benchmarks" / "recordings.py")


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
