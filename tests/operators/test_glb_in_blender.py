"""What Blender's own glTF importer shows of a conversion is what this extension shows of the file itself."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from in_blender import go_to

from tests.operators.test_recipes import blocks

SOURCE = Path(__file__).resolve().parents[2]
Y_UP = np.array([[1.0, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]])
"""Blender's glTF importer turns a node's own axes with the world; bones are written with theirs."""

Worlds = dict[str, list[Any]]


def shown(bpy: Any, times: Any, name: str) -> Worlds:
    """World matrices of the bones of an armature of that name, or of all empties, at times in seconds."""
    scene = bpy.context.scene
    rate = scene.render.fps / scene.render.fps_base
    found: Worlds = {}
    for time in times:
        go_to(time * rate)
        for thing in scene.objects:
            if thing.type == "ARMATURE" and thing.name == name:
                worlds = {bone.name: thing.matrix_world @ bone.matrix for bone in thing.pose.bones}
            else:
                worlds = {thing.name: thing.matrix_world} if thing.type == "EMPTY" else {}
            for key, matrix in worlds.items():
                found.setdefault(key, []).append(np.array(matrix))
    return found


def empty_scene(bpy: Any, rate: int) -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.context.scene.render.fps = rate


@pytest.mark.parametrize("rate", [24, 60])
@pytest.mark.parametrize(
    ("operator", "name", "seconds"),
    [
        ("w3d", "../tests/data/w3d/b01_motion_tc.w3d", 1.3),
        ("w3d", "../tests/data/w3d/h03_tc_hand.w3d", 1.0),
        ("mrtk", "../tests/data/mrtk/v11_recorder_10s_two_hands_mrtk273.bin", 9.5),
        ("mrtk", "../tests/data/mrtk/v10_recorder_3s_left_hand.bin", 2.9),
        ("w3d", "twenty_bones_adaptive_delta_w3d.w3d", 6.6),
        ("w3d", "five_bones_raw_w3d.w3d", 0.76),
        ("w3x", "five_bones_w3x.w3x", 0.76),
        ("animx", "walk.animj", 2.0),
    ],
)
def test_both_show_the_same(
    bpy: Any, part: Callable[[str], Any], tmp_path: Path, operator: str, name: str, seconds: float, rate: int
) -> None:
    times = np.random.default_rng(3).uniform(0.0, seconds, 40)
    source = SOURCE / "samples" / name
    empty_scene(bpy, rate)
    getattr(bpy.ops.import_anim, operator)(filepath=str(source), rate="SCENE")
    (rig,) = [thing for thing in bpy.context.scene.objects if thing.type == "ARMATURE"]
    ours = shown(bpy, times, rig.name)
    target = tmp_path / "out.glb"
    assert part("io_formats.__main__").main(["convert", str(source), str(target)]) == 0
    empty_scene(bpy, rate)
    assert bpy.ops.import_scene.gltf(filepath=str(target)) == {"FINISHED"}
    theirs = shown(bpy, times, "")
    compared = moved = 0
    for node in sorted(ours.keys() & theirs.keys()):
        expected = np.stack(ours[node]) @ Y_UP
        found = np.stack(theirs[node])
        size = max(1.0, np.abs(expected).max())
        assert np.abs(found - expected).max() <= 2e-4 * size, node
        compared += 1
        moved += bool(np.ptp(expected, axis=0).max() > 1e-3)
    assert compared >= 4 and moved >= 2


def test_the_recipes_walk_is_seen(
    bpy: Any, part: Callable[[str], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(SOURCE / "samples" / "twenty_bones_adaptive_delta_w3d.w3d", tmp_path)
    monkeypatch.chdir(tmp_path)
    (line,) = blocks("recipes.md", "A walk in a viewer", "sh")
    words = line.split()
    assert words[0] == "anim-curves" and part("io_formats.__main__").main(words[1:]) == 0
    empty_scene(bpy, 30)
    bpy.ops.import_scene.gltf(filepath="bones.glb")
    assert {"BONE_01", "BONE_19"} <= {thing.name for thing in bpy.context.scene.objects}
    assert [action.name for action in bpy.data.actions if "G09AD" in action.name]
