"""A picture of imported hands: the meshes that the import made, thin lines where the fingertips came from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import bpy
import numpy as np
from mathutils import Vector

FINGERTIPS = ("ThumbTip", "IndexTip", "MiddleTip", "RingTip", "PinkyTip")
HANDS = {"L": "Left Hand", "R": "Right Hand"}
MARGIN = 0.034
"""Metres around the joints that flesh takes."""

TRAIL_SECONDS = 0.6
Places = dict[str, Vector]


def joints(armature: bpy.types.Object, frame: float) -> Places:
    """World place of each bone's head at a frame."""
    bpy.context.scene.frame_set(int(frame), subframe=frame % 1.0)
    return {bone.name: armature.matrix_world @ bone.matrix.translation for bone in armature.pose.bones}


def has_both_hands(armature: bpy.types.Object) -> bool:
    """Whether the bones of two hands are there, and both are animated."""
    paths = {curve.data_path for curve in curves_of(armature)}
    return all(f'pose.bones["Wrist.{side}"].location' in paths for side in HANDS)


def curves_of(armature: bpy.types.Object) -> Iterable[bpy.types.FCurve]:
    """The F-Curves that play on the armature, in any Blender."""
    action = armature.animation_data.action
    if hasattr(action, "fcurves"):
        return action.fcurves
    bags = (bag for layer in action.layers for strip in layer.strips for bag in strip.channelbags)
    return [curve for bag in bags for curve in bag.fcurves]


def best_frame(armature: bpy.types.Object, first: float, last: float) -> float:
    """The frame in which both hands are tracked, open and near each other, out of forty."""

    def openness(frame: float) -> float:
        places = joints(armature, frame)
        tracked = all(armature.pose.bones[f"Wrist.{side}"].get("tracked", True) for side in HANDS)
        spread = sum((places[f"{tip}.{side}"] - places[f"Palm.{side}"]).length for side in HANDS for tip in FINGERTIPS)
        apart = (places["Palm.L"] - places["Palm.R"]).length
        return spread - 0.5 * apart if tracked else -apart - 10.0

    return max(np.linspace(first, last, 40), key=openness)


def render(armature: bpy.types.Object, path: Path, samples: int = 8) -> None:
    """Render the armature's hands at their best frame with Cycles, which needs neither GPU nor display."""
    scene = bpy.context.scene
    frame = best_frame(armature, scene.frame_start, scene.frame_end)
    rate = scene.render.fps / scene.render.fps_base
    earlier = [joints(armature, at) for at in np.linspace(frame - TRAIL_SECONDS * rate, frame, 24)]
    places = joints(armature, frame)
    hands = show_alone(armature)
    for side, hand in hands.items():
        add_trails(earlier, side, hand.active_material)
    aim_camera([place for name, place in places.items() if is_of_a_hand(name)], view_direction(places))
    add_light(view_direction(places))
    settings = scene.render
    settings.engine = "CYCLES"
    scene.cycles.samples = samples
    scene.cycles.use_denoising = False
    scene.view_settings.view_transform = "Standard"
    settings.resolution_x, settings.resolution_y, settings.resolution_percentage = 1280, 720, 100
    settings.filepath = str(path)
    bpy.ops.render.render(write_still=True)


def show_alone(armature: bpy.types.Object) -> dict[str, bpy.types.Object]:
    """Leave everything but the armature's hands out of the picture; the hands by side."""
    hands = {side: thing for side, name in HANDS.items() for thing in armature.children if thing.name.startswith(name)}
    for other in set(bpy.context.scene.objects) - set(hands.values()):
        other.hide_render = True
    return hands


def is_of_a_hand(name: str) -> bool:
    """Whether a bone is a joint of a hand."""
    return name.rpartition(".")[2] in HANDS


def add_trails(earlier: Sequence[Places], side: str, material: bpy.types.Material) -> None:
    """Thin lines along the way that the fingertips came."""
    for finger in FINGERTIPS:
        tip = f"{finger}.{side}"
        curve = bpy.data.curves.new(f"Trail {tip}", "CURVE")
        curve.dimensions = "3D"
        curve.bevel_depth = 0.0012
        line = curve.splines.new("POLY")
        line.points.add(len(earlier) - 1)
        line.points.foreach_set("co", np.array([(*places[tip], 1.0) for places in earlier], np.float32).ravel())
        curve.materials.append(material)
        bpy.context.scene.collection.objects.link(bpy.data.objects.new(curve.name, curve))


def view_direction(places: Places) -> Vector:
    """From the hands towards the viewer: square to both hands as far as possible, from the side of the head."""
    normals = []
    head = places.get("Camera", Vector((0.0, 0.0, 0.0)))
    for side in HANDS:
        points = np.array([places[name] for name in places if is_of_a_hand(name) and name.endswith(side)])
        normal = Vector(np.linalg.svd(points - points.mean(axis=0))[2][2])
        towards_head = head - Vector(points.mean(axis=0))
        normals.append(normal if normal.dot(towards_head) >= 0.0 else -normal)
    blend = normals[0] + normals[1]
    return (blend if blend.length > 0.2 else head).normalized()


def aim_camera(points: Sequence[Vector], direction: Vector) -> None:
    """A camera that looks along `-direction` and has all points in its picture, with a margin."""
    data = bpy.data.cameras.new("Viewer")
    camera = bpy.data.objects.new("Viewer", data)
    scene = bpy.context.scene
    scene.collection.objects.link(camera)
    scene.camera = camera
    data.lens = 70.0
    turn = direction.to_track_quat("Z", "Y")
    camera.rotation_mode = "QUATERNION"
    camera.rotation_quaternion = turn
    local = np.array([turn.inverted() @ point for point in points])
    low, high = local.min(axis=0), local.max(axis=0)
    middle = (low + high) / 2.0
    width, height = (high - low)[:2] + MARGIN
    half = max(width, height * 16.0 / 9.0) / 2.0
    distance = 1.12 * half / np.tan(data.angle / 2.0) + high[2]
    camera.location = turn @ Vector((middle[0], middle[1], distance))
    data.clip_start = 0.01


def add_light(direction: Vector) -> None:
    """A key light from above and beside the viewer, and a pale world."""
    sun = bpy.data.lights.new("Sun", "SUN")
    sun.energy, sun.angle = 3.0, 0.15
    lamp = bpy.data.objects.new("Sun", sun)
    bpy.context.scene.collection.objects.link(lamp)
    lamp.rotation_mode = "QUATERNION"
    lamp.rotation_quaternion = (direction + Vector((-0.9, 0.0, 1.1))).to_track_quat("Z", "Y")
    world = bpy.data.worlds.new("Studio")
    bpy.context.scene.world = world
    world.use_nodes = True
    background = next(node for node in world.node_tree.nodes if node.type == "BACKGROUND")
    background.inputs["Color"].default_value = (0.85, 0.9, 0.98, 1.0)
    background.inputs["Strength"].default_value = 0.5
