"""What a Resonite creator is promised: the engine's rules, written down again here, judge Blender's curves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from in_blender import fcurves

bpy = pytest.importorskip("bpy")

DATA = Path(__file__).resolve().parent.parent / "data" / "animx"
INDEX = {row["file"]: row for row in json.loads((DATA / "index.json").read_text(encoding="utf-8"))}


def bring_in(path: Path, **options: Any) -> Any:
    assert bpy.ops.import_anim.animx(filepath=str(path), **options) == {"FINISHED"}
    return bpy.context.view_layer.objects.active


def parts(value: Any) -> list[float]:
    """The numbers of an AnimJ value in the engine's order."""
    if isinstance(value, dict):
        return [float(value[name]) for name in ("x", "y", "z", "w", "r", "g", "b", "a") if name in value]
    return [float(value)]


def engine_value(keys: list[dict[str, Any]], time: float) -> np.ndarray:
    """The engine's rule: Hold, Linear, Hermite over the unit interval, Bezier with handles at thirds."""
    times = [np.float32(key["time"]) for key in keys]
    if time <= times[0]:
        return np.array(parts(keys[0]["value"]))
    if time >= times[-1]:
        return np.array(parts(keys[-1]["value"]))
    left = max(number for number, at in enumerate(times) if at <= time)
    a, b = keys[left], keys[left + 1]
    u = float((time - times[left]) / (times[left + 1] - times[left]))
    v0, v1 = np.array(parts(a["value"])), np.array(parts(b["value"]))
    mode = a.get("interpolation", "Hold")
    if mode == "Hold":
        return v0
    if mode == "Linear":
        return np.asarray(v0 + u * (v1 - v0))
    m0, m1 = np.array(parts(a["rightTangent"])), np.array(parts(b["leftTangent"]))
    if mode == "Tangent":
        h00, h10, h01, h11 = 2 * u**3 - 3 * u**2 + 1, u**3 - 2 * u**2 + u, -2 * u**3 + 3 * u**2, u**3 - u**2
        return np.asarray(h00 * v0 + h10 * m0 + h01 * v1 + h11 * m1)
    return np.asarray((1 - u) ** 3 * v0 + 3 * (1 - u) ** 2 * u * m0 + 3 * (1 - u) * u**2 * m1 + u**3 * v1)


CURVES = [
    name
    for name in INDEX
    if name.startswith(("04", "05", "06", "08", "16", "11_300")) and (DATA / name).exists() and "bad" not in name
]


@pytest.mark.parametrize("name", CURVES)
def test_blender_plays_what_the_engine_plays(name: str) -> None:
    twin = DATA / INDEX[name].get("animj", name.split(".")[0] + ".animj")
    if not twin.exists():
        twin = next(DATA.glob(name[:5] + "*.animj"))
    tracks = [t for t in json.loads(twin.read_text(encoding="utf-8-sig"))["tracks"] if t["trackType"] == "Curve"]
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = 60, 1.0
    found = fcurves(bring_in(DATA / name, axes="ENGINE"))
    checked = sum(_compare(found, track) for track in tracks)
    assert checked > 0


# With the engine's axes told as (x, z, y): where each component of the file goes, and its sign.
PROPERTIES = {
    "Position": ("location", [0, 2, 1], [1, 1, 1]),
    "Rotation": ("rotation_quaternion", [1, 3, 2, 0], [-1, -1, -1, 1]),
    "Scale": ("scale", [0, 2, 1], [1, 1, 1]),
}


def _places(track: dict[str, Any], count: int) -> list[tuple[str, int, int]]:
    """Path, index and sign in Blender of each component; a quaternion's w comes first there."""
    data = track["data"]
    bone = bpy.utils.escape_identifier(data["node"])
    if data["property"] in PROPERTIES:
        name, order, signs = PROPERTIES[data["property"]]
        return [
            (f'pose.bones["{bone}"].{name}', index, sign) for index, sign in zip(order[:count], signs, strict=False)
        ]
    name = bpy.utils.escape_identifier(data["property"])
    return [(f'pose.bones["{bone}"]["{name}"]', index, 1) for index in range(count)]


def _compare(found: dict[tuple[str, int], Any], track: dict[str, Any]) -> int:
    keys = track["data"]["keyframes"]
    if not keys or not isinstance(keys[0]["value"], (int, float, dict)) or isinstance(keys[0]["value"], bool):
        return 0
    times = [float(np.float32(key["time"])) for key in keys]
    values = np.array([parts(key["value"]) for key in keys])
    checked = 0
    for component, (path, index, side) in enumerate(_places(track, values.shape[1])):
        place = (path, index)
        curve = found.get(place)
        if curve is None:
            continue
        size = max(float(np.ptp(values[:, component])), float(np.abs(values[:, component]).max()), 1e-6)
        for frame in np.linspace(times[0] - 0.1, times[-1] + 0.1, 61, dtype=np.float32) * np.float32(60):
            time = float(frame) / 60  # Blender asks in float32 frames
            if min(abs(time - at) for at in times) * 60 < 1e-3:
                continue
            expected = side * engine_value(keys, time)[component]
            sign = _sign(track, curve, side * values[:, component])
            assert sign * curve.evaluate(frame) == pytest.approx(expected, abs=1e-5 * size), (place, time)
            checked += 1
    return checked


def _sign(track: dict[str, Any], curve: Any, values: np.ndarray) -> float:
    """The whole curve of a quaternion may have been turned to its other sign."""
    first = curve.keyframe_points[0].co.y
    return -1.0 if track["data"]["property"] == "Rotation" and abs(first + values[0]) < abs(first - values[0]) else 1.0


WHOLE = [
    name
    for name, row in INDEX.items()
    if (DATA / name).exists() and not row.get("error") and "10_empty" not in name and "12_zero" not in name
]


@pytest.mark.parametrize("name", WHOLE)
def test_untouched_files_come_back_byte_for_byte(name: str, tmp_path: Path) -> None:
    bpy.context.scene.render.fps = 24
    armature = bring_in(DATA / name)
    object_name = armature.name
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "scene.blend"))
    bpy.context.view_layer.objects.active = bpy.data.objects[object_name]
    again = tmp_path / Path(name).name
    assert bpy.ops.export_anim.animx(filepath=str(again)) == {"FINISHED"}
    assert again.read_bytes() == (DATA / name).read_bytes()


@pytest.mark.parametrize(
    "name", [name for name, row in INDEX.items() if row.get("error") is True and (DATA / name).exists()]
)
def test_refused_files_give_one_sentence(name: str) -> None:
    with pytest.raises(RuntimeError) as caught:
        bpy.ops.import_anim.animx(filepath=str(DATA / name))
    assert "Traceback" not in str(caught.value)
    assert Path(name).name in str(caught.value)


@pytest.mark.parametrize(
    "name", [name for name, row in INDEX.items() if row.get("error") == "warn" and (DATA / name).exists()]
)
def test_odd_files_open_with_a_warning(name: str) -> None:
    bring_in(DATA / name)
    text = next(text for text in bpy.data.texts if text.name.startswith("Source of"))
    assert "1 warning" in text.as_string()
