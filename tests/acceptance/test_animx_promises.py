"""What a Resonite creator is promised: the engine's rules, written down again in a player, judge Blender's curves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from in_blender import fcurves
from scenes.players.animx import Player, Track

bpy = pytest.importorskip("bpy")

DATA = Path(__file__).resolve().parent.parent / "data" / "animx"
INDEX = {row["file"]: row for row in json.loads((DATA / "index.json").read_text(encoding="utf-8"))}


def bring_in(path: Path, **options: Any) -> Any:
    assert bpy.ops.import_anim.animx(filepath=str(path), **options) == {"FINISHED"}
    return bpy.context.view_layer.objects.active


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
    tracks = [track for track in Player(twin.read_bytes()).tracks if track.kind == "Curve"]
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


def _places(track: Track) -> list[tuple[str, int, int]]:
    """Path, index and sign in Blender of each component; a quaternion's w comes first there."""
    count, bone = track.values.shape[1], bpy.utils.escape_identifier(track.node)
    if track.field in PROPERTIES:
        name, order, signs = PROPERTIES[track.field]
        return [
            (f'pose.bones["{bone}"].{name}', index, sign) for index, sign in zip(order[:count], signs, strict=False)
        ]
    name = bpy.utils.escape_identifier(track.field)
    return [(f'pose.bones["{bone}"]["{name}"]', index, 1) for index in range(count)]


def _compare(found: dict[tuple[str, int], Any], track: Track) -> int:
    checked = 0
    for component, (path, index, side) in enumerate(_places(track) if track.type not in ("bool", "string") else ()):
        curve, values = found.get((path, index)), side * track.values[:, component]
        if curve is None:
            continue
        size = max(float(np.ptp(values)), float(np.abs(values).max()), 1e-6)
        # the whole curve of a quaternion may have been turned to its other sign
        first = curve.keyframe_points[0].co.y
        turned = track.field == "Rotation" and abs(first + values[0]) < abs(first - values[0])
        for frame in np.linspace(track.times[0] - 0.1, track.times[-1] + 0.1, 61, dtype=np.float32) * np.float32(60):
            time = float(frame) / 60  # Blender asks in float32 frames
            if np.abs(time - track.times).min() * 60 < 1e-3:
                continue
            expected = (-side if turned else side) * track.at(time)[component]
            assert curve.evaluate(frame) == pytest.approx(expected, abs=1e-5 * size), (path, index, time)
            checked += 1
    return checked


@pytest.mark.parametrize(
    "name", [name for name, row in INDEX.items() if row.get("error") == "warn" and (DATA / name).exists()]
)
def test_odd_files_open_with_a_warning(name: str) -> None:
    bring_in(DATA / name)
    text = next(text for text in bpy.data.texts if text.name.startswith("Source of"))
    assert "1 warning" in text.as_string()
