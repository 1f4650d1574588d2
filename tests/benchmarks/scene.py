"""The animation that every importer and exporter is measured with: 60 bones, each turned and moved at every frame."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from in_blender import add_armature, bag_of, curves_of

BONES = 60
RATE = 30


def count_keys() -> int:
    """Keys of all Actions in the file."""
    return sum(len(curve.keyframe_points) for action in bpy.data.actions for curve in curves_of(action))


def build_armature() -> Any:
    """An armature of 60 bones in chains of ten, alone in an empty scene."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = RATE, 1.0
    bones = []
    for number in range(BONES):
        above, aside, up = f"Bone{number - 1:03d}" if number % 10 else None, number // 10 * 0.5, number % 10 * 0.1
        bones.append((f"Bone{number:03d}", above, (aside, 0.0, up), (aside, 0.0, up + 0.1)))
    armature = add_armature("Rig", bones)
    for bone in armature.pose.bones:
        bone.rotation_mode = "QUATERNION"
    return armature


def motion(frames: int) -> dict[str, np.ndarray]:
    """(bones, components, frames) float32: `location`, and unit `rotation_quaternion`."""
    time = np.arange(frames) / RATE
    phase = np.arange(1, BONES + 1)[:, None] * 0.37  # nothing rests at frame 0, where W3D leaves rests out
    places = np.stack([0.02 * np.sin(time * (1.0 + 0.3 * axis) + phase + axis) for axis in range(3)], axis=1)
    angle = 0.4 * np.sin(time * 1.3 + phase)
    axis = np.array([0.36, 0.48, 0.8])
    turns = np.stack([np.cos(angle / 2.0), *(np.sin(angle / 2.0) * part for part in axis)], axis=1)
    return {"location": places.astype(np.float32), "rotation_quaternion": turns.astype(np.float32)}


def write_keys(bag: Any, values: dict[str, np.ndarray], write: Callable[[Any, np.ndarray], None]) -> None:
    """Make a curve for each component of each bone, grouped by bone, and let `write` fill it with co (n, 2)."""
    frames = next(iter(values.values())).shape[-1]
    points = np.empty((frames, 2), np.float32)
    points[:, 0] = np.arange(frames)
    for number in range(BONES):
        group = bag.groups.new(f"Bone{number:03d}")
        for name, block in values.items():
            for index in range(block.shape[1]):
                curve = bag.fcurves.new(f'pose.bones["Bone{number:03d}"].{name}', index=index)
                curve.color_mode = colour_of(name)
                curve.group = group
                points[:, 1] = block[number, index]
                curve.keyframe_points.add(frames)
                write(curve.keyframe_points, points)


def colour_of(name: str) -> str:
    """How Blender colours the curves of a property that it keys itself."""
    return {"location": "AUTO_RGB", "rotation_quaternion": "AUTO_YRGB"}.get(name, "AUTO_RAINBOW")


def write_linear(keys: Any, points: np.ndarray) -> None:
    """The least that makes linear keys: co and interpolation."""
    keys.foreach_set("co", points.ravel())
    keys.foreach_set("interpolation", np.ones(len(points), np.uint8))


def write_with_handles(keys: Any, points: np.ndarray) -> None:
    """Co, both handles, both handle types and interpolation."""
    keys.foreach_set("co", points.ravel())
    handles = points.copy()
    handles[:, 0] -= 1.0 / 3.0
    keys.foreach_set("handle_left", handles.ravel())
    handles[:, 0] += 2.0 / 3.0
    keys.foreach_set("handle_right", handles.ravel())
    free = np.zeros(len(points), np.uint8)
    keys.foreach_set("handle_left_type", free)
    keys.foreach_set("handle_right_type", free)
    keys.foreach_set("interpolation", np.full(len(points), 2, np.uint8))


def read_all_keys() -> None:
    """What an export by keys cannot do without: co, handles and interpolation of every key."""
    for action in bpy.data.actions:
        for curve in curves_of(action):
            keys = curve.keyframe_points
            buffer = np.empty(2 * len(keys), np.float32)
            kinds = np.empty(len(keys), np.uint8)
            for name in ("co", "handle_left", "handle_right"):
                keys.foreach_get(name, buffer)
            keys.foreach_get("interpolation", kinds)


def build(frames: int) -> Any:
    """The armature with its motion as linear keys, ready to export."""
    armature = build_armature()
    write_keys(bag_of(armature, "Motion"), motion(frames), write_linear)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 0, frames - 1
    armature.select_set(True)
    bpy.context.view_layer.update()
    return armature


def prepare(folder: Path, frames: int) -> None:
    """Write the .blend with the motion, and the same motion in every format; what is there already stays."""
    folder.mkdir(parents=True, exist_ok=True)
    stem = str(folder / f"motion_{frames}")
    if not Path(f"{stem}.blend").exists():
        build(frames)
        bpy.ops.wm.save_as_mainfile(filepath=f"{stem}.blend", compress=False)
    for ending, export in {**THEIR_EXPORTS, **OUR_EXPORTS}.items():
        if not Path(f"{stem}{ending}").exists():
            bpy.ops.wm.open_mainfile(filepath=f"{stem}.blend")
            sys.stdout.write(f"preparing {stem}{ending}\n")
            export(filepath=f"{stem}{ending}")


THEIR_EXPORTS: dict[str, Callable[..., Any]] = {
    ".bvh": lambda filepath: bpy.ops.export_anim.bvh(
        filepath=filepath, frame_start=0, frame_end=bpy.context.scene.frame_end, rotate_mode="XYZ"
    ),
    ".glb": partial(bpy.ops.export_scene.gltf, export_format="GLB", export_optimize_animation_size=False),
    ".fbx": partial(
        bpy.ops.export_scene.fbx, object_types={"ARMATURE"}, bake_anim_simplify_factor=0.0, add_leaf_bones=False
    ),
    ".usdc": partial(bpy.ops.wm.usd_export, export_animation=True),
}
OUR_EXPORTS: dict[str, Callable[..., Any]] = {
    ".w3d": partial(bpy.ops.export_anim.w3d, flavor="RAW", sampling="KEYS"),
    ".animx": partial(bpy.ops.export_anim.animx, sampling="KEYS"),
    ".animj": partial(bpy.ops.export_anim.animx, sampling="KEYS"),
}
