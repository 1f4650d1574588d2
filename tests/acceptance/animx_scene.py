"""A scene with all that AnimX can tell: rig, objects on whatever, shape keys, light, camera, every kind of key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np
from in_blender import add, bag_of, editing
from mathutils import Euler, Matrix, Quaternion, Vector

LAST = 48
KEYED = (0, 9, 20, 33, LAST)
TURNED = (0, 12, 24, 36, LAST)
BEZIER, LINEAR, CONSTANT = "BEZIER", "LINEAR", "CONSTANT"
BONES = (
    ("Hips", None, (0, 0, 1), (0, 0.1, 1.3), 0.4, False),
    ("Spine", "Hips", (0, 0.1, 1.3), (0.05, 0.2, 1.7), -0.7, True),
    ("Arm.L", "Spine", (0.2, 0.2, 1.6), (0.6, 0.1, 1.5), 1.2, False),
    ("Hand.L", "Arm.L", (0.6, 0.1, 1.5), (0.8, -0.1, 1.45), 2.1, False),
    ("Leg.R", "Hips", (-0.1, 0, 1), (-0.15, 0.05, 0.5), 0.3, False),
    ("Foot.R", "Leg.R", (-0.15, 0.05, 0.5), (-0.15, -0.1, 0.1), 0.9, False),
    ("Looker", "Spine", (0, 0.2, 1.75), (0, 0.4, 1.8), 0.5, False),
)


def curve(owner: Any, path: str, index: int, keys: Sequence[Any]) -> None:
    """An F-Curve of (frame, value, interpolation, left handle, right handle) with the handles as offsets."""
    points = bag_of(owner).fcurves.new(path, index=index).keyframe_points
    points.add(len(keys))
    for point, (frame, value, shape, left, right) in zip(points, keys, strict=True):
        point.co, point.interpolation = (frame, value), shape
        point.handle_left_type = point.handle_right_type = "FREE"
        point.handle_left = frame + left[0], value + left[1]
        point.handle_right = frame + right[0], value + right[1]


def new_object(name: str, data: Any = None, parent: Any = None) -> Any:
    """An object in the scene; a mesh where no data are given."""
    if data is None:
        data = bpy.data.meshes.new(name)
        data.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    made = add(name, data)
    made.parent = parent
    return made


class Scene:
    """Makes the scene, the same each time."""

    def __init__(self) -> None:
        self.random = np.random.default_rng(4)
        self.turns = [Quaternion(Vector(self.random.uniform(-1, 1, 3)), self.random.uniform(0.2, 1.5)) for _ in TURNED]
        scene = bpy.context.scene
        scene.render.fps, scene.render.fps_base = 24, 1.0
        scene.frame_start, scene.frame_end = 0, LAST
        self.rig = self._rig()
        self._objects()
        self._constraints()
        self._face()
        self._light_and_camera()
        bpy.context.view_layer.update()

    def wild(self, centre: float, spread: float, shapes: Sequence[str]) -> list[Any]:
        """Keys with handles of any length and height."""
        draw = self.random.uniform
        return [
            (
                frame,
                centre + spread * draw(-1, 1),
                shapes[number % len(shapes)],
                (-draw(0.5, 4), spread * draw(-0.4, 0.4)),
                (draw(0.5, 4), spread * draw(-0.4, 0.4)),
            )
            for number, frame in enumerate(KEYED)
        ]

    def turning(self, shape: str, first: int) -> list[list[Any]]:
        """Keys of the four components of a rotation, handles at thirds."""
        return [
            [
                (frame, self.turns[(number + first) % 5][row], shape, (-4, -0.05), (4, 0.05))
                for number, frame in enumerate(TURNED)
            ]
            for row in range(4)
        ]

    def vector(self, owner: Any, path: str, centre: float, spread: float, shapes: Sequence[str]) -> None:
        """Three components, each with its own handles."""
        for index in range(3):
            curve(owner, path, index, self.wild(centre, spread, shapes))

    def quaternion(self, owner: Any, path: str, shape: str, first: int) -> None:
        """Four components."""
        for index, keys in enumerate(self.turning(shape, first)):
            curve(owner, path, index, keys)

    def thing(self, name: str, data: Any = None, parent: Any = None, bone: str = "") -> Any:
        """An object in the scene; a mesh where no data are given."""
        made = new_object(name, data, parent)
        if bone:
            made.parent_type, made.parent_bone = "BONE", bone
        return made

    def _rig(self) -> Any:
        rig = self.thing("Rig", bpy.data.armatures.new("Rig"))
        with editing(rig) as bones:
            for name, parent, head, tail, roll, connected in BONES:
                bone = bones.new(name)
                bone.head, bone.tail, bone.roll = head, tail, roll
                if parent is not None:
                    bone.parent, bone.use_connect = bones[parent], connected
        rig.location, rig.rotation_euler = (1, 2, 0.5), (0.1, 0.2, 0.7)
        self.vector(rig, 'pose.bones["Hips"].location', 0, 0.3, [BEZIER])
        self.quaternion(rig, 'pose.bones["Hips"].rotation_quaternion', LINEAR, 0)
        self.quaternion(rig, 'pose.bones["Arm.L"].rotation_quaternion', BEZIER, 1)
        self.quaternion(rig, 'pose.bones["Foot.R"].rotation_quaternion', CONSTANT, 2)
        self.vector(rig, 'pose.bones["Foot.R"].scale', 1, 0.2, [BEZIER, LINEAR])
        rig.pose.bones["Spine"].rotation_mode = "XYZ"
        self.vector(rig, 'pose.bones["Spine"].rotation_euler', 0, 0.6, [BEZIER, LINEAR, CONSTANT])
        return rig

    def _objects(self) -> None:
        cube = self.thing("Cube")
        cube.rotation_mode = "ZYX"
        self.vector(cube, "location", 1, 0.8, [BEZIER, LINEAR, CONSTANT])
        self.vector(cube, "rotation_euler", 0, 1, [BEZIER])
        for index in range(3):
            curve(
                cube,
                "scale",
                index,
                [(at, size, LINEAR, (-1, 0), (1, 0)) for at, size in ((0, 1), (20, 1.3), (LAST, 0.9))],
            )
        hidden = ((0, 0), (10, 1), (30, 0))
        curve(cube, "hide_viewport", 0, [(at, value, CONSTANT, (-1, 0), (1, 0)) for at, value in hidden])
        child = self.thing("Child", parent=cube)
        child.matrix_parent_inverse = Matrix.LocRotScale(
            Vector((0.1, 0.2, 0.3)), Euler((0.3, 0.2, 0.1)), Vector((1, 1, 1))
        )
        child.rotation_mode = "QUATERNION"
        self.vector(child, "location", 0, 0.5, [BEZIER])
        self.quaternion(child, "rotation_quaternion", LINEAR, 3)
        hat = self.thing("Hat", parent=self.rig, bone="Arm.L")
        hat.location = (0.1, 0, 0.2)
        self.vector(hat, "location", 0, 0.2, [BEZIER])
        carried = self.thing("Carried", parent=self.rig)
        carried.matrix_parent_inverse = Matrix.LocRotScale(Vector((0.3, 0.1, 0)), Euler((0, 0.4, 0)), Vector((1, 1, 1)))
        self.vector(carried, "location", 0, 0.2, [BEZIER, LINEAR])

    def _constraints(self) -> None:
        cube, bones = bpy.data.objects["Cube"], self.rig.pose.bones
        tracker = self.thing("Tracker")
        tracker.location = (3, 1, 2)
        for holder, kind, target in (
            (tracker, "TRACK_TO", cube),
            (self.thing("Eyed", parent=cube), "DAMPED_TRACK", self.rig),
            (self.thing("Handed", parent=self.rig, bone="Hand.L"), "COPY_LOCATION", cube),
            (bones["Looker"], "COPY_ROTATION", cube),
            (bones["Hand.L"], "DAMPED_TRACK", cube),
        ):
            constraint = holder.constraints.new(kind)
            constraint.target, constraint.influence = target, 0.4 if kind == "COPY_LOCATION" else 1.0

    def _face(self) -> None:
        face = self.thing("Face")
        for name in ("Basis", "Smile", "Blink", "Puff"):
            face.shape_key_add(name=name)
        keys = face.data.shape_keys
        curve(keys, 'key_blocks["Smile"].value', 0, self.wild(0.5, 0.4, [BEZIER, LINEAR]))
        blink = ((0, 0), (20, 1), (24, 0))
        curve(keys, 'key_blocks["Blink"].value', 0, [(at, value, CONSTANT, (-1, 0), (1, 0)) for at, value in blink])
        driver = keys.key_blocks["Puff"].driver_add("value").driver
        variable = driver.variables.new()
        variable.targets[0].id_type, variable.targets[0].id = "KEY", keys
        variable.targets[0].data_path = 'key_blocks["Smile"].value'
        driver.type, driver.expression = "SCRIPTED", f"{variable.name} * {variable.name}"

    def _light_and_camera(self) -> None:
        light, camera = bpy.data.lights.new("Lamp", "SPOT"), bpy.data.cameras.new("Cam")
        lamp, view = self.thing("Lamp", light), self.thing("Cam", camera)
        curve(light, "energy", 0, self.wild(100, 50, [BEZIER]))
        self.vector(light, "color", 0.5, 0.3, [BEZIER, LINEAR])
        self.vector(lamp, "location", 1, 1, [LINEAR])
        curve(camera, "clip_end", 0, self.wild(100, 10, [LINEAR]))
        self.vector(view, "rotation_euler", 0, 2, [BEZIER])


def played() -> dict[str, Any]:
    """World matrices (frames, 4, 4) of all objects and bones, and values of shape keys, at quarter frames."""
    found: dict[str, list[Any]] = {}
    for frame in np.arange(0, LAST + 0.25, 0.25):
        bpy.context.scene.frame_set(int(frame), subframe=float(frame - int(frame)))
        graph = bpy.context.evaluated_depsgraph_get()
        for thing in bpy.data.objects:
            seen = thing.evaluated_get(graph)
            found.setdefault(thing.name, []).append(np.array(seen.matrix_world))
            for bone in seen.pose.bones if seen.pose else ():
                found.setdefault(f"bone {bone.name}", []).append(np.array(seen.matrix_world @ bone.matrix))
        for key in bpy.data.objects["Face"].data.shape_keys.evaluated_get(graph).key_blocks:
            found.setdefault(f"key {key.name}", []).append(key.value)
    return {name: np.array(values) for name, values in found.items()}


def make_still() -> None:
    """Take all animation, drivers and constraints away."""
    for thing in bpy.data.objects:
        for owner in (thing, thing.data, getattr(thing.data, "shape_keys", None)):
            if owner is not None:
                owner.animation_data_clear()
        for holder in (thing, *(thing.pose.bones if thing.pose else ())):
            for constraint in list(holder.constraints):
                holder.constraints.remove(constraint)
            if holder is not thing:
                holder.matrix_basis = Matrix()
        thing.hide_viewport = False
    bpy.data.batch_remove(list(bpy.data.actions))


def select_all() -> None:
    """Everything that is not hidden, at the first frame, where nothing is."""
    bpy.context.scene.frame_set(0)
    for thing in bpy.data.objects:
        thing.select_set(True)
