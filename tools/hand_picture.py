"""A picture of imported hands: armatures do not render, so flesh is put on their joints.

Everything is taken from the pose that Blender shows at one frame: a capsule along each finger bone, a hull for the
palm, thin lines where the fingertips came from.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import bmesh
import bpy
import numpy as np
from mathutils import Matrix, Vector

FINGERS = {
    "Thumb": ("ThumbMetacarpalJoint", "ThumbProximalJoint", "ThumbDistalJoint", "ThumbTip"),
    "Index": ("IndexMetacarpal", "IndexKnuckle", "IndexMiddleJoint", "IndexDistalJoint", "IndexTip"),
    "Middle": ("MiddleMetacarpal", "MiddleKnuckle", "MiddleMiddleJoint", "MiddleDistalJoint", "MiddleTip"),
    "Ring": ("RingMetacarpal", "RingKnuckle", "RingMiddleJoint", "RingDistalJoint", "RingTip"),
    "Pinky": ("PinkyMetacarpal", "PinkyKnuckle", "PinkyMiddleJoint", "PinkyDistalJoint", "PinkyTip"),
}
PALM = ("Wrist", "ThumbMetacarpalJoint", *(f"{name}Knuckle" for name in ("Index", "Middle", "Ring", "Pinky")))
PALM += tuple(f"{name}Metacarpal" for name in ("Index", "Middle", "Ring", "Pinky"))
COLOURS = {"L": (0.03, 0.2, 0.55, 1.0), "R": (0.75, 0.2, 0.04, 1.0)}
RADIUS = 0.0085
TRAIL_SECONDS = 0.6
Places = dict[str, Vector]


def joints(armature: bpy.types.Object, frame: float) -> Places:
    """World place of each bone's head at a frame."""
    bpy.context.scene.frame_set(int(frame), subframe=frame % 1.0)
    return {bone.name: armature.matrix_world @ bone.matrix.translation for bone in armature.pose.bones}


def has_both_hands(armature: bpy.types.Object) -> bool:
    """Whether the bones of two hands are there, and both are animated."""
    paths = {curve.data_path for curve in curves_of(armature)}
    return all(f'pose.bones["Wrist.{side}"].location' in paths for side in COLOURS)


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
        tracked = all(armature.pose.bones[f"Wrist.{side}"].get("tracked", True) for side in COLOURS)
        spread = sum(
            (places[f"{chain[-1]}.{side}"] - places[f"Palm.{side}"]).length
            for side in COLOURS
            for chain in FINGERS.values()
        )
        apart = (places["Palm.L"] - places["Palm.R"]).length
        return spread - 0.5 * apart if tracked else -apart - 10.0

    return max(np.linspace(first, last, 40), key=openness)


def render(armature: bpy.types.Object, path: Path, samples: int = 8) -> None:
    """Draw the hands at their best frame and render them with Cycles, which needs neither GPU nor display."""
    scene = bpy.context.scene
    frame = best_frame(armature, scene.frame_start, scene.frame_end)
    places = joints(armature, frame)
    rate = scene.render.fps / scene.render.fps_base
    earlier = [joints(armature, at) for at in np.linspace(frame - TRAIL_SECONDS * rate, frame, 24)]
    for other in scene.objects:
        other.hide_render = True
    for side, colour in COLOURS.items():
        material = make_material(f"Hand {side}", colour)
        add_hand(places, side, material)
        add_trails(earlier, side, material)
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


def is_of_a_hand(name: str) -> bool:
    """Whether a bone is one of the drawn joints."""
    joint, _, side = name.rpartition(".")
    return side in COLOURS and any(joint in chain for chain in (*FINGERS.values(), PALM))


def make_material(name: str, colour: Sequence[float]) -> bpy.types.Material:
    """A plain matt material."""
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    surface = next(node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
    surface.inputs["Base Color"].default_value = colour
    surface.inputs["Roughness"].default_value = 0.45
    return material


def add_hand(places: Places, side: str, material: bpy.types.Material) -> None:
    """One hand: a hull over wrist, metacarpals and knuckles, a capsule for each finger bone, grown together."""
    mesh = bmesh.new()
    add_hull(mesh, [(places[f"{joint}.{side}"], RADIUS * (0.9 if "Knuckle" in joint else 1.5)) for joint in PALM])
    for chain in FINGERS.values():
        ends = [places[f"{joint}.{side}"] for joint in chain]
        for number in range(len(ends) - 1):
            sizes = [RADIUS * (1.1 - 0.09 * (number + step)) for step in (0, 1)]
            add_hull(mesh, list(zip(ends[number : number + 2], sizes, strict=True)))
    data = bpy.data.meshes.new(f"Hand {side}")
    mesh.to_mesh(data)
    mesh.free()
    data.materials.append(material)
    hand = bpy.data.objects.new(data.name, data)
    bpy.context.scene.collection.objects.link(hand)
    grow_together(hand)


def add_hull(mesh: bmesh.types.BMesh, balls: Sequence[tuple[Vector, float]]) -> None:
    """Add the convex hull of several balls."""
    part = bmesh.new()
    for place, radius in balls:
        bmesh.ops.create_icosphere(part, subdivisions=3, radius=radius, matrix=Matrix.Translation(place))
    hull = bmesh.ops.convex_hull(part, input=part.verts)
    inside = {found for found in hull["geom_interior"] if isinstance(found, bmesh.types.BMVert)}
    bmesh.ops.delete(part, geom=list(inside), context="VERTS")
    carrier = bpy.data.meshes.new("Part")
    part.to_mesh(carrier)
    part.free()
    mesh.from_mesh(carrier)
    bpy.data.meshes.remove(carrier)


def grow_together(hand: bpy.types.Object) -> None:
    """Make one smooth skin of the parts."""
    remesh = hand.modifiers.new("Skin", "REMESH")
    remesh.mode, remesh.voxel_size, remesh.use_smooth_shade = "VOXEL", 0.0016, True
    smooth = hand.modifiers.new("Smooth", "SMOOTH")
    smooth.factor, smooth.iterations = 0.5, 14


def add_trails(earlier: Sequence[Places], side: str, material: bpy.types.Material) -> None:
    """Thin lines along the way that the fingertips came."""
    for chain in FINGERS.values():
        tip = f"{chain[-1]}.{side}"
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
    for side in COLOURS:
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
    width, height = (high - low)[:2] + 4.0 * RADIUS
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
