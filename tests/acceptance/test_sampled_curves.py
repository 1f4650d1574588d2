"""Curves of samples in the place of keys, as Blender makes them of sound and of keys ("Keys to Samples")."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from in_blender import add, animate, curves_of, push_down
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


@pytest.mark.parametrize("muted", [False, True])
def test_a_turn_that_modifiers_step_is_held_until_it_steps(tmp_path: Path, muted: bool) -> None:
    """What they step is a slope within a 256th of a frame; what is muted changes none."""
    bpy.context.scene.render.fps = 20
    bpy.ops.mesh.primitive_cube_add()
    box = bpy.context.object
    box.name, box.rotation_mode = "Box", "QUATERNION"
    animate(box, "rotation_quaternion", {0: (1.0, 0.0, 0.0, 0.0), 20: (0.6, 0.8, 0.0, 0.0)})
    for curve in curves_of(box.animation_data.action):
        curve.mute = muted and curve.array_index > 1
        if curve.mute or not muted:
            curve.modifiers.new("STEPPED").frame_step = 10.0
    player = sent(tmp_path)
    before, just_before, after = (player.field("Box", "Rotation", seconds) for seconds in (0.1, 0.4995, 0.6))
    assert (just_before == pytest.approx(before)) == (not muted)
    assert muted or np.linalg.norm([before, after], axis=1) == pytest.approx(1.0, abs=1e-4)
    assert after != pytest.approx(before)


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


def test_noise_as_it_is_added_leaves_all_other_curves_as_they_are(tmp_path: Path) -> None:
    """It turns round within each frame, and moves one component of a place; a driver moves another."""
    bpy.ops.object.empty_add()
    box = bpy.context.object
    box.rotation_mode = "QUATERNION"
    animate(box, "location", {1: 0.025, 20: 0.5, 40: 1.0}, index=0)
    animate(box, "rotation_quaternion", {1: (1, 0, 0, 0), 20: (0.8, 0.6, 0, 0), 40: (0.6, 0, 0.8, 0)})
    action = box.animation_data.action
    next(curve for curve in curves_of(action) if curve.data_path == "location").modifiers.new("NOISE")
    driver = box.driver_add("location", 1).driver
    driver.type, target = "AVERAGE", driver.variables.new().targets[0]
    target.id, target.data_path = add("Dial"), "location[0]"
    animate(target.id, "location.x", {1: 0.0, 40: 1.0})
    player = sent(tmp_path)
    assert len(player.by_place["Empty", "Rotation"].times) == 3
    for frame in np.arange(1.0, 40.0, 0.13).tolist():
        bpy.context.scene.frame_set(int(frame), subframe=frame % 1)
        place = box.matrix_world.translation
        seconds = (frame - 1) / bpy.context.scene.render.fps
        found = player.field("Empty", "Position", seconds)
        assert found == pytest.approx([-place.x, place.z, -place.y], abs=5e-4)


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


@pytest.mark.parametrize("by", ["modifier", "constraint", "strip"])
def test_what_nobody_chose_carries_what_is_chosen_by_whatever_moves_it(by: str, tmp_path: Path) -> None:
    """Without the check, which would find out; also while the Action of what is chosen plays alone."""
    bpy.ops.object.empty_add()
    above = bpy.context.object
    above.name = "Above"
    bpy.ops.object.empty_add()
    box = bpy.context.object
    box.parent = above
    animate(above, "location", {1: 0.025, 40: 1.0}, index=0)
    animate(box, "location", {1: 0.025, 40: 1.0}, index=1)
    box.animation_data.action.name = "box"
    if by == "modifier":
        curves_of(above.animation_data.action)[0].modifiers.new("STEPPED").frame_step = 10
    elif by == "strip":
        push_down(above, 1).blend_in = 20.0
    else:
        mover = add("Mover")
        animate(mover, "location", {1: 0.0, 40: 2.0}, index=0)
        above.animation_data_clear()
        above.constraints.new("COPY_LOCATION").target = mover
    player = sent(tmp_path, check_playback="OFF", actions="ACTIVE" if by == "modifier" else "ALL")
    assert "and 0 have no place" in export_report()
    for frame in (4, 18, 35):
        bpy.context.scene.frame_set(frame)
        along = [
            player.field(name, "Position", (frame - 1) / bpy.context.scene.render.fps)[0] for name in ("Above", "Empty")
        ]
        assert sum(along) == pytest.approx(-box.matrix_world.translation.x, abs=1e-4)


@pytest.mark.parametrize("kind", ["stepped", "limited"])
def test_a_property_that_steps_or_is_kept_to_limits_is_as_exact_as_keys(kind: str, tmp_path: Path) -> None:
    bpy.ops.object.empty_add()
    box = bpy.context.object
    box["p"] = 0.5
    box.id_properties_ui("p").update(min=0.0, max=1.0)
    box.keyframe_insert('["p"]', frame=1)
    (curve,) = curves_of(box.animation_data.action)
    for number in range(12):
        value = number / 20 if kind == "stepped" else -1.0 + 3 * (number % 2)
        curve.keyframe_points.insert(1 + number * 0.8, value).interpolation = "LINEAR"
    if kind == "stepped":
        curve.modifiers.new("STEPPED")
    (track,) = sent(tmp_path).tracks
    assert "moves faster" not in export_report()
    assert len(track.times) <= (7 if kind == "stepped" else 50)
    for frame in np.arange(1.0, 9.8, 0.037).tolist():
        bpy.context.scene.frame_set(int(frame), subframe=frame % 1)
        assert track.at((frame - 1) / bpy.context.scene.render.fps)[0] == pytest.approx(box["p"], abs=2e-3)


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


@pytest.mark.parametrize("check", ["AUTO", "OFF"])
def test_what_modifiers_turn_of_a_mirrored_object_is_as_it_is_shown(check: str, tmp_path: Path) -> None:
    """A matrix is a turn and a size that belong together: of a mirrored one Blender has others than its curves."""
    bpy.ops.object.empty_add()
    box = bpy.context.object
    box.scale.x = -1.0
    animate(box, "rotation_euler.z", {1: 0.05, 20: 1.0})
    next(curve for curve in curves_of(box.animation_data.action) if curve.array_index == 2).modifiers.new("STEPPED")
    options = {} if check == "AUTO" else {"check_playback": check}
    player = sent(tmp_path, **options)
    for frame in (1, 8, 15):
        bpy.context.scene.frame_set(frame)
        seconds = (frame - 1) / bpy.context.scene.render.fps
        own = player.local("Empty", seconds, np.diag([-1.0, -1, -1, 1]))  # as a model of it has its size
        axis = np.array(box.matrix_world)[:3, 1]  # Blender's Y is the engine's -Z, X its -X, Z its Y
        assert -own[:3, 2] == pytest.approx([-axis[0], axis[2], -axis[1]], abs=1e-3)
