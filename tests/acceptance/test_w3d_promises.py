"""What a Command & Conquer modder is promised: the engine's own samples, composed here in float64, are the judge."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scenes.players import w3d
from textbook import rotation
from w3d_scene import angle, bones_at, bring_in

bpy = pytest.importorskip("bpy")

DATA = Path(__file__).resolve().parent.parent / "data" / "w3d"
MANIFEST = json.loads((DATA / "manifest.json").read_text(encoding="utf-8"))
ENGINE = {name: facts for name, facts in MANIFEST.items() if (DATA / facts.get("npz", "none")).exists()}


def base_matrices(golden: Any, path: Path) -> np.ndarray:
    """Each pivot's base transform relative to its parent, from the chain that the engine reports, else from the file.

    The engine puts the object's own transform in the place of the first pivot's.
    """
    if "base_world" not in golden.files:
        return np.array([np.eye(4), *w3d.Player.of(path.read_bytes()).bases[1:]])
    world = np.tile(np.eye(4), (len(golden["parents"]), 1, 1))
    world[:, :3] = golden["base_world"].reshape(-1, 3, 4)
    return np.array(
        [np.linalg.inv(world[p]) @ w if p >= 0 else w for p, w in zip(golden["parents"], world, strict=True)]
    )


def compose(base: np.ndarray, parents: np.ndarray, sample: np.ndarray) -> np.ndarray:
    """World matrices of all pivots from one row of trs: parent, base, then the animated delta."""
    worlds: list[np.ndarray] = []
    for pivot, parent in enumerate(parents):
        delta = np.eye(4)
        delta[:3, :3], delta[:3, 3] = rotation(sample[pivot, 3:7]), sample[pivot, :3]
        worlds.append((worlds[parent] if parent >= 0 else np.eye(4)) @ base[pivot] @ delta)
    return np.array(worlds)


def text(name: Any) -> str:
    return name.decode("latin-1").rstrip("\0") if isinstance(name, bytes) else str(name)


def compare(
    armature: Any, expected: np.ndarray, names: list[str], frame: float, size: float, limits: tuple[float, float]
) -> int:
    found, checked = bones_at(armature, frame), 0
    for name, matrix in zip(names, expected, strict=True):
        if name in found:
            assert np.abs(found[name][:3, 3] - matrix[:3, 3]).max() <= limits[0] * size, (name, frame)
            assert angle(found[name], matrix) <= limits[1], (name, frame)
            checked += 1
    return checked


def play(armature: Any, name: str) -> None:
    """Assign the Action of the golden's animation, where its file holds several, as a person does.

    Blender leaves what the Action before has posed until the pose is cleared.
    """
    if name.startswith("h04"):
        armature.animation_data.action = bpy.data.actions["H04A" if name.endswith("0") else "H04B"]
        for bone in armature.pose.bones:
            bone.matrix_basis.identity()


@pytest.mark.parametrize("name", ENGINE)
def test_bones_stand_where_the_engine_puts_the_pivots(name: str) -> None:
    """Composed from the engine's own samples; where these are of unit length, the engine's own world matrices too."""
    facts = ENGINE[name]
    golden = np.load(DATA / facts["npz"])
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = facts["rate"], 1.0
    armature = bring_in(DATA / facts["file"], rate="SCENE")
    play(armature, name)
    base, parents, samples = base_matrices(golden, DATA / facts["file"]), golden["parents"], golden["trs"].astype(float)
    names = [text(pivot) for pivot in golden["names"]]
    worlds = [compose(base, parents, sample) for sample in samples]
    if "world" in golden.files and np.abs(np.linalg.norm(samples[:, :, 3:7], axis=2) - 1).max() < 1e-5:
        own = np.tile(np.eye(4), (*golden["world"].shape[:2], 1, 1))
        own[:, :, :3] = golden["world"].reshape(*golden["world"].shape[:2], 3, 4)
        worlds += list(own)
    size = max(float(np.abs(np.array(worlds)[:, :, :3, 3]).max()), 1.0)
    frames = np.resize(golden["frame"].astype(float), len(worlds))
    checked = 0
    for frame, world in zip(frames, worlds, strict=True):
        limits = (5e-5, 0.01) if frame.is_integer() else (1e-4, 0.06)
        checked += compare(armature, world, names, frame, size, limits)
    assert checked >= len(worlds) * (len(names) - 1)


@pytest.mark.parametrize("name", [name for name in ENGINE if not name.startswith("b")])  # b*: no engine's word on it
def test_visibility_is_never_wrong(name: str) -> None:
    facts = ENGINE[name]
    golden = np.load(DATA / facts["npz"])
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = facts["rate"], 1.0
    armature = bring_in(DATA / facts["file"], rate="SCENE")
    play(armature, name)
    names = [text(pivot) for pivot in golden["names"]]
    for frame, sample in zip(golden["frame"].astype(float), golden["trs"], strict=True):
        bpy.context.scene.frame_set(math.floor(frame), subframe=frame - math.floor(frame))
        for pivot, bone in enumerate(names):
            if pivot and bone in armature.pose.bones:
                shown = bool(armature.pose.bones[bone].get("visibility", True))
                assert shown == bool(sample[pivot, 7] == 1), (bone, frame)
