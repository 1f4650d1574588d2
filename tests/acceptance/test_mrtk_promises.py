"""What a HoloLens developer is promised, seen from outside: operators in, files out, judged by a second reader."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import mrtk_scene as scene
import numpy as np
import pytest
from scenes.players.mrtk import Player
from textbook import rotation

bpy = pytest.importorskip("bpy")

mrtk_reference = scene.mrtk_reference
DATA, RATES = scene.DATA, scene.RATES
set_rate, bring_in = scene.set_rate, scene.bring_in
fcurves, fcurve_of = scene.fcurves, scene.fcurve_of


@pytest.mark.parametrize("rate_name", RATES)
def test_blender_plays_what_unity_plays(rate_name: str) -> None:
    """The golden's reference evaluations, but within 1e-3 frame of a step or a loop's join."""
    path = DATA / "v10_curve_shapes.bin"
    rate = set_rate(rate_name)
    found = fcurves(bring_in(path, rate="FILE"))  # of which it has none
    golden = mrtk_reference.golden(path)
    curves = mrtk_reference.curves(golden) | {("bool", name): curve for name, curve in golden["bool"].items()}
    checked: dict[Any, int] = {}
    for key, curve in curves.items():
        fcurve, sign = (None, 1) if "None" in key else fcurve_of(found, key)
        if fcurve is None or "eval" not in curve or not _well_formed(curve):
            continue
        borders = _joins(curve, [t for t, _ in curve["eval"]]) + _steps(key, curve)
        size = max(np.ptp([k[1] for k in curve["keys"]]), max(abs(k[1]) for k in curve["keys"]))
        for time, value in curve["eval"]:
            if any(abs(time - border) * rate < 1e-3 for border in borders):
                continue
            wanted = float(value > 0.5) if key[0] == "bool" else value
            assert sign * fcurve.evaluate(time * rate) == pytest.approx(wanted, abs=1e-5 * size), (key, time)
            checked[key] = checked.get(key, 0) + 1
    assert len(checked) >= 13 and min(checked.values()) > 20


def _steps(key: Any, curve: dict[str, Any]) -> list[float]:
    """Times at which a curve jumps: every key of a switch, ends of steps, two keys at one time."""
    keys = curve["keys"]
    if key[0] == "bool":
        return [k[0] for k in keys]
    infinite = ("Infinity", "-Infinity")
    return [b[0] for a, b in pairwise(keys) if a[3] in infinite or b[2] in infinite or a[0] == b[0]]


def _well_formed(curve: dict[str, Any]) -> bool:
    times = [k[0] for k in curve["keys"]]
    numbers = [n for k in curve["keys"] for n in k[:2]]
    return (
        bool(times)
        and times == sorted(times)
        and not any(isinstance(n, str) or n is None or math.isnan(n) for n in numbers)
    )


def _joins(curve: dict[str, Any], times: list[float]) -> list[float]:
    first, last = curve["keys"][0][0], curve["keys"][-1][0]
    period = last - first
    if period <= 0 or not {curve["pre"], curve["post"]} & {2, 4}:
        return []
    count = int((max(times) - min(times)) / period) + 3
    return [first + number * period for number in range(-count, count)]


def test_bones_stand_where_unity_put_the_joints() -> None:
    set_rate("60")
    path = DATA / "v10_recorder_3s_left_hand.bin"
    rig, player = bring_in(path), Player(path.read_bytes())
    joints = [bone.name for bone in rig.pose.bones if bone.name.endswith((".L", ".R")) and player.has(bone.name)]
    assert len(joints) >= 26
    for frame in range(0, 180, 7):
        scene.assert_shown(player, rig, joints, frame, 2e-6)


def test_the_camera_object_looks_along_the_recorded_forward_axis() -> None:
    path = DATA / "v10_recorder_3s_left_hand.bin"
    set_rate("60")
    bring_in(path)
    (camera,) = (thing for thing in bpy.data.objects if thing.type == "CAMERA")
    bpy.context.scene.frame_set(60)
    forward = scene.TO_UNITY @ rotation(Player(path.read_bytes()).pose("Camera", 1.0)[1]) @ (0, 0, 1)
    looks = -np.array(camera.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world)[:3, 2]
    np.testing.assert_allclose(looks, forward, atol=1e-4)
