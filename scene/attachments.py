"""Objects that make nodes visible: the recording's camera, and a ray from one node to another."""

from __future__ import annotations

from typing import cast

import bpy
from bpy.types import Collection, CopyLocationConstraint, Object, StretchToConstraint
from mathutils import Matrix

from ..io_formats.clip import Attachment
from .types import Rig
from .undo import Undo

CAMERA_SIZE = 0.1
"""How large a camera is drawn, in metres: beside hands one of Blender's usual size hides them."""

RAY_RADIUS = 0.004
"""Half the thickness of a ray in metres: seen at arm's length, in nobody's way."""


def attach(
    collection: Collection, rig: Rig, attachment: Attachment, bones: dict[str, str], undo: Undo
) -> Object | None:
    """Make the object for `attachment` on the armature object `rig`; return None if its node has no bone.

    It reads the pose and nothing reads it, so that there can be no dependency cycle.
    """
    head = bones.get(attachment.node)
    if head is None:
        return None
    if attachment.kind == "CAMERA":
        return _camera(collection, rig, head, attachment, undo)
    tip = bones.get(attachment.target)
    return None if tip is None else _ray(collection, rig, head, tip, undo)


def _camera(collection: Collection, rig: Rig, bone: str, attachment: Attachment, undo: Undo) -> Object:
    """Make a camera at the head of the bone; Blender puts children of a bone at its tail, which is compensated."""
    lens = undo.new(bpy.data.cameras, f"{rig.name} {bone}")
    lens.sensor_fit = "VERTICAL"
    lens.angle = attachment.angle or lens.angle
    lens.display_size = CAMERA_SIZE
    camera = undo.new(bpy.data.objects, f"{rig.name} {bone}", lens)
    collection.objects.link(camera)
    camera.parent = rig
    camera.parent_type = "BONE"
    camera.parent_bone = bone
    camera.matrix_parent_inverse = Matrix.Translation((0.0, -rig.data.bones[bone].length, 0.0))
    camera.matrix_basis = Matrix(attachment.turn.tolist())
    return camera


def _ray(collection: Collection, rig: Rig, head: str, tip: str, undo: Undo) -> Object:
    """Make a thin bar, one metre along Y, that constraints put at one bone's head and stretch to another's."""
    mesh = undo.new(bpy.data.meshes, f"{rig.name} {head}")
    square = (
        (-RAY_RADIUS, -RAY_RADIUS),
        (RAY_RADIUS, -RAY_RADIUS),
        (RAY_RADIUS, RAY_RADIUS),
        (-RAY_RADIUS, RAY_RADIUS),
    )
    corners = [(x, y, z) for y in (0.0, 1.0) for x, z in square]
    sides = [(corner, (corner + 1) % 4, (corner + 1) % 4 + 4, corner + 4) for corner in range(4)]
    mesh.from_pydata(corners, [], [(3, 2, 1, 0), (4, 5, 6, 7), *sides])
    ray = undo.new(bpy.data.objects, f"{rig.name} {head}", mesh)
    collection.objects.link(ray)
    ray.parent = rig
    position = cast("CopyLocationConstraint", ray.constraints.new("COPY_LOCATION"))
    position.target, position.subtarget = rig, head
    stretch = cast("StretchToConstraint", ray.constraints.new("STRETCH_TO"))
    stretch.target, stretch.subtarget = rig, tip
    stretch.rest_length = 1.0
    stretch.volume = "NO_VOLUME"
    stretch.keep_axis = "SWING_Y"
    return ray
