"""Drivers that are `a * x + b` of one keyed number are written with its keys; all others are sampled."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from animj_keys import keys_of
from in_blender import add, choose, editing, fcurves
from scenes.players import animx

bpy = pytest.importorskip("bpy")

NUMBER = r"-?\d[\d.e+-]*"
FRAMES, HEIGHTS = (1, 11, 21, 41), (0.0, 2.0, -1.0, 0.5)


def key(owner: Any, path: str, index: int = -1, factor: float = 1.0, offset: float = 0.0) -> Any:
    """Keys whose handles go up and down, at thirds, as AnimX has them."""
    for frame in FRAMES:
        owner.keyframe_insert(path, index=index, frame=frame)
    curve = fcurves(owner)[path, max(index, 0)]
    gaps = np.diff(FRAMES, prepend=FRAMES[0], append=FRAMES[-1]) / 3
    for number, point in enumerate(curve.keyframe_points):
        height = HEIGHTS[number]
        point.handle_left_type = point.handle_right_type = "FREE"
        point.interpolation = "LINEAR" if number == 1 else "BEZIER"
        point.co.y = height * factor + offset
        point.handle_left = FRAMES[number] - gaps[number], (height - 0.25) * factor + offset
        point.handle_right = FRAMES[number] + gaps[number + 1], (height + 0.5) * factor + offset
    return curve


def dial() -> Any:
    """What drives, and is not exported."""
    made = add("Dial")
    made["turn"] = 0.0
    key(made, "location", 2)
    key(made, '["turn"]')
    return made


def drive(owner: Any, path: str, index: int, expression: str, aim: Any, read: str = "location[2]") -> Any:
    """A driver of one variable."""
    made = owner.driver_add(path, index)
    variable = made.driver.variables.new()
    variable.name, variable.type = "x", "SINGLE_PROP"
    variable.targets[0].id, variable.targets[0].data_path = aim, read
    made.driver.type, made.driver.expression = "SCRIPTED", expression
    return made


def export(path: Path, thing: Any, **options: Any) -> dict[tuple[str, str], Any]:
    """The tracks of one object in the file."""
    bpy.context.scene.render.fps, bpy.context.scene.frame_end = 20, FRAMES[-1]
    choose(thing)
    assert bpy.ops.export_anim.animx(filepath=str(path), **options) == {"FINISHED"}
    return keys_of(path)


def sum_of(told: list[Any]) -> tuple[int, ...]:
    """Of how many animated numbers, how many from curves, from samples, without a place."""
    return tuple(map(int, re.findall(r"\d+", str(told[-1].report.notes[-1]))))


def box() -> tuple[Any, Any, str, int]:
    made = add("Box")
    made.scale = 1, 2, 3  # which counts beside what has keys
    return made, made, "location", 1


def bone(name: str = "Hip") -> tuple[Any, Any, str, int]:
    rig = add("Rig", bpy.data.armatures.new("Rig"))
    with editing(rig) as bones:
        bones.new(name).tail = (0, 1, 1)
    return rig, rig, f'pose.bones["{name}"].location', 2


def shape() -> tuple[Any, Any, str, int]:
    mesh = bpy.data.meshes.new("Face")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    face = add("Face", mesh)
    face.shape_key_add(name="Basis")
    smile = face.shape_key_add(name="Smile")
    smile.slider_min, smile.slider_max = -5, 5
    return face, mesh.shape_keys, 'key_blocks["Smile"].value', -1


def lamp() -> tuple[Any, Any, str, int]:
    made = add("Lamp", bpy.data.lights.new("Lamp", "POINT"))
    return made, made.data, "energy", -1


@pytest.mark.parametrize("make", [box, bone, shape, lamp])
def test_keys_of_what_is_read_are_written_with_their_handles(make: Any, told: list[Any], tmp_path: Path) -> None:
    """As those of one that has such keys itself."""
    thing, owner, path, index = make()
    key(owner, path, index, -0.5, 3.0)
    wanted = export(tmp_path / "keyed.animj", thing)
    owner.animation_data_clear()
    drive(owner, path, index, "3 - x / 2", dial())
    found = export(tmp_path / "driven.animj", thing)
    assert sum_of(told) == (1, 1, 0, 0)
    assert any(len(keys) == len(FRAMES) for keys in found.values())
    (numbers, others), (same, words) = told_apart(found), told_apart(wanted)
    assert others == words and numbers == pytest.approx(same, abs=1e-5)


def told_apart(tracks: Any) -> tuple[list[float], str]:
    """The numbers of tracks, and all else of them."""
    text = json.dumps(sorted(tracks.items()))
    return [float(number) for number in re.findall(NUMBER, text)], re.sub(NUMBER, "", text)


LINES: dict[str, Callable[[Any], Any]] = {
    "a curve of its own": lambda made: steepen(made),
    "a custom property": lambda made: setattr(made.driver.variables[0].targets[0], "data_path", '["turn"]'),
    "no curve of its own": lambda made: (
        made.keyframe_points.clear(),
        [*map(made.modifiers.remove, [*made.modifiers])],
    ),
}


def steepen(made: Any) -> None:
    """Twice the driver's number, from 1 on, by two keys as Blender makes them or by what it made before 5.0."""
    made.driver.expression += " + 1"
    for modifier in list(made.modifiers):
        made.modifiers.remove(modifier)
    made.keyframe_points.clear()
    for at in (0.0, 1.0):
        made.keyframe_points.insert(at, 1.0 + 2.0 * at).interpolation = "LINEAR"
    made.extrapolation = "LINEAR"


@pytest.mark.parametrize("kind", LINES)
def test_a_straight_line_is_one_however_it_is_told(kind: str, told: list[Any], tmp_path: Path) -> None:
    thing, owner, path, index = box()
    LINES[kind](drive(owner, path, index, "x * 2", dial()))
    tracks = export(tmp_path / "driven.animj", thing)
    assert sum_of(told) == (1, 1, 0, 0) and len(tracks["Box", "Position"]) == len(FRAMES)
    assert_played(tmp_path / "driven.animj", thing)


def assert_played(path: Path, thing: Any) -> None:
    """The file plays an object's location as the scene does, from its first frame on."""
    player, scene = animx.Player(path.read_bytes()), bpy.context.scene
    for frame in np.linspace(*FRAMES[:: len(FRAMES) - 1], 23).tolist():
        scene.frame_set(int(frame), subframe=frame % 1)
        at = thing.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world.translation
        place = player.field("Box", "Position", (frame - FRAMES[0]) / 20)
        assert place == pytest.approx([-at.x, at.z, -at.y], abs=2e-3)
