"""Curves of samples in the place of keys, as Blender makes them of sound and of keys ("Keys to Samples")."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from in_blender import animate, curves_of
from scenes.players import animx
from w3d_scene import export_report, send_out

bpy = pytest.importorskip("bpy")


def sent(folder: Path, **options: Any) -> animx.Player:
    """What plays an AnimJ of what is selected."""
    return animx.Player(send_out(folder / "box.animj", "animx", **options))


def test_samples_of_ones_own_object_and_shape_key_are_written(tmp_path: Path) -> None:
    bpy.context.scene.render.fps = 20
    bpy.ops.mesh.primitive_cube_add()
    box = bpy.context.object
    box.name = "Box"
    box["count"] = [0, 7]
    box.driver_add('["count"]', 0).driver.expression = "frame"
    box.shape_key_add(name="Basis")
    mouth = box.shape_key_add(name="Mouth")
    animate(box, "location", {10: 0.0, 20: 1.0, 30: 4.0}, index=2)
    animate(mouth, "value", {10: 0.0, 20: 0.25, 30: 1.0})
    for curve in [found for action in bpy.data.actions for found in curves_of(action)]:
        for key in curve.keyframe_points:
            key.interpolation = "LINEAR"
        curve.convert_to_samples(10, 31)  # without the last
        assert not len(curve.keyframe_points)
        assert curve.evaluate(25.0) == pytest.approx(2.5 if curve.data_path == "location" else 0.625)
    player = sent(tmp_path)
    assert player.duration == pytest.approx(1.0)
    for seconds, along in ((0.0, 0.0), (0.26, 0.52), (0.75, 2.5), (1.0, 4.0)):
        assert player.field("Box", "Position", seconds)[1] == pytest.approx(along, abs=1e-4)
        assert [*player.field("Box", "count", seconds)] == [int(10 + 20 * seconds), 7]
        assert player.field("Box", "BlendShape.Mouth", seconds)[0] == pytest.approx(along / 4, abs=1e-4)


@pytest.mark.parametrize(("tolerance", "most"), [(1e-3, 9), (1e-4, 11), (1e-6, 21)])
def test_angles_are_as_few_keys_as_the_tolerance_allows(tmp_path: Path, tolerance: float, most: int) -> None:
    """Angles about one axis, which Blender eases; a tolerance of 0.0001 is 0.02 degrees, too."""
    bpy.context.scene.render.fps = 20
    bpy.ops.mesh.primitive_cube_add()
    box = bpy.context.object
    box.name, box.rotation_mode = "Box", "XYZ"
    animate(box, "rotation_euler", {0: 0.0, 20: 1.5, 40: -0.5}, index=2)
    (curve,) = curves_of(box.animation_data.action)
    player, worst = sent(tmp_path, tolerance=tolerance), 0.0
    for frame in np.linspace(0, 40, 801):
        found = np.array(player.field("Box", "Rotation", frame / 20))
        half = np.arctan2(np.abs(found[:3]).max(), found[3])
        worst = max(worst, abs(np.degrees(2 * half) - np.degrees(abs(curve.evaluate(frame)))))
    assert worst <= 0.02 * tolerance / 1e-4 + 1e-4 and len(player.tracks[0].times) <= most


def test_what_modifiers_move_alone_costs_few_frames_of_the_scene(tmp_path: Path) -> None:
    """A person waits for these: a recording has hundreds of curves, all of which Blender plays on each."""
    bpy.ops.object.empty_add()
    box, seen = bpy.context.object, []
    animate(box, "location.x", {1: 0.025, 40: 1.0})
    animate(box, "rotation_euler", {1: 1 / 30, 40: 4 / 3}, index=2)
    for curve in curves_of(box.animation_data.action):
        curve.modifiers.new("STEPPED" if curve.data_path == "location" else "NOISE")
    bpy.app.handlers.frame_change_post.append(lambda scene, _: seen.append(scene.frame_current_final))
    player, turns = sent(tmp_path), []
    bpy.app.handlers.frame_change_post.pop()
    assert len(seen) < 100
    for frame in (1.0, 7.3, 18.6, 39.9):
        bpy.context.scene.frame_set(int(frame), subframe=frame % 1)
        seconds = (frame - 1) / bpy.context.scene.render.fps
        assert player.field("Empty", "Position", seconds)[0] == pytest.approx(-box.matrix_world.translation.x, abs=1e-4)
        turns.append((player.field("Empty", "Rotation", seconds), box.matrix_world.to_quaternion()))
    for played, shown in turns[1:]:
        cosine = abs(played @ turns[0][0]) / np.linalg.norm(played) / np.linalg.norm(turns[0][0])
        angle = turns[0][1].rotation_difference(shown).angle
        assert 2 * math.acos(cosine) == pytest.approx(angle, abs=math.radians(0.02))


def test_how_fast_keys_are_is_nothing_to_what_modifiers_move(tmp_path: Path) -> None:
    """Keys of a size zigzag within each frame, and are written; samples of the place follow no more than that."""
    bpy.ops.object.empty_add()
    box = bpy.context.object
    animate(box, "location", {1 + number * 0.1: number for number in range(60)}, index=0)
    animate(box, "scale", {1 + number * 0.1: 1.0 + number % 2 for number in range(60)}, index=0)
    for curve in curves_of(box.animation_data.action):
        for key in curve.keyframe_points:
            key.interpolation = "LINEAR"
        if curve.data_path == "location":
            curve.modifiers.new("STEPPED")
    sent(tmp_path)
    assert "moves faster" not in export_report() and "follow" in export_report()
