"""Drawing a node as nothing while a bool that came with the file is False, or an opacity next to nothing.

The carrier is the custom property that the file's curve animates. Bones are never hidden: Blender's animation editors
leave out the channels of hidden bones, so that *select all, move* would leave their keys behind. They are drawn with
a shape of their own instead, which a modifier empties. A driver of that modifier reads the carrier: one for all bones
that a carrier shows, and on neither the armature nor its curves. `shown < 0.1` is a simple expression: Blender
evaluates it without Python, whatever the user's setting for scripts is.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Sequence
from typing import TypeAlias, cast

import bpy
from bpy.types import ID, FCurve, MaskModifier, Mesh, Object, PoseBone

from ..io_formats.clip import LEAST_OPACITY, OF_FILE
from . import names
from .actions import animation_data, fcurves_of
from .data_paths import custom_key, split_bone
from .types import Holder, Rig, has_key
from .undo import Undo

# Drivers that an import makes: a custom property with the file's own curve sets a property of Blender's.

VARIABLE = "shown"
"""What drivers that hide something call the property that they read."""

HIDES = f"{VARIABLE} < {LEAST_OPACITY}"
_BOOL_HIDES = "not shown"
"""The expression of drivers that were made when only bools could hide."""

SEEN = ("hide_viewport", "hide_render")
"""Properties of an object that say whether it is seen: in viewports, and in renders."""

_HIDING = (*SEEN, "hide", "show_viewport")
"""What drivers that hide something set, of objects, of bones once, and of modifiers."""


def is_ours(curve: FCurve) -> bool:
    """Return whether a curve is a driver that an import made."""
    driver, path = curve.driver, curve.data_path.rpartition(".")[2]
    if driver is None:
        return False
    hides = driver.expression in (HIDES, _BOOL_HIDES) and path in _HIDING
    return hides or [variable.name for variable in driver.variables] == [OF_FILE]


def is_driven(owner: ID, path: str, index: int = -1) -> bool:
    """Return whether a driver sets the property at a path of a datablock."""
    data = animation_data(owner)
    return data is not None and data.drivers.find(path, index=max(index, 0)) is not None


def drive(
    owner: ID, path: str, source: Object, source_path: str, expression: str, undo: Undo, *, index: int = -1
) -> None:
    """Let an expression of the property at `source_path` of an object set that at `path` of `owner`.

    A simple one, which Blender evaluates without Python, whatever a person's setting for scripts is. Nothing is done
    where another driver or a library decides.
    """
    if owner.library is not None or is_driven(owner, path, index):
        return
    if animation_data(owner) is None:
        undo.callback(owner.animation_data_clear)
    undo.callback(owner.driver_remove, path, index)
    curve = cast("FCurve", owner.driver_add(path, index))
    for modifier in list(curve.modifiers):  # before 5.0 a new driver comes with a generator
        curve.modifiers.remove(modifier)
    variable = curve.driver.variables.new()
    variable.name = OF_FILE if OF_FILE in expression else VARIABLE
    variable.targets[0].id = source
    variable.targets[0].data_path = source_path
    curve.driver.type = "SCRIPTED"
    curve.driver.expression = expression


_CORNERS = ((0.0, 0.0, 0.0), (0.06, 0.1, 0.0), (0.0, 0.1, 0.06), (-0.06, 0.1, 0.0), (0.0, 0.1, -0.06), (0.0, 1.0, 0.0))
_EDGES = [(corner, other) for corner in range(1, 5) for other in (0, corner % 4 + 1, 5)]
"""A slim octahedron for a bone of length 1, of edges alone: Blender colours these by what is selected and active.

What draws nothing keeps the corner at the bone's head: a mesh without any counts as a cube of twice the bone's length
where Blender looks how large an armature is.
"""

_WIRE = 2.0
"""Pixels of a shape's edges: fewer are hard to see and to click on a mesh."""

_EMPTYING = "Not Shown"
NOTHING = "Drawn as Nothing"
"""Name of the shape of bones that are never drawn."""


def draw_bones_unless(rig: Rig, bones: Sequence[str], carrier_path: str, undo: Undo) -> None:
    """Draw `bones` as nothing while the property at `carrier_path` of `rig` is False or next to nothing.

    Bones with a shape already, such as the controls of a person's rig, keep it.
    """
    free = [bone for bone in bones if rig.pose.bones[bone].custom_shape is None]
    if not free:
        return
    shape = new_shape(names.cut(f"{rig.name} {free[0]} Shape"), _CORNERS, _EDGES, undo)
    shape.vertex_groups.new(name=_EMPTYING).add([0], 1.0, "REPLACE")
    mask = cast("MaskModifier", shape.modifiers.new(_EMPTYING, "MASK"))
    mask.vertex_group = _EMPTYING
    mask.show_render = False  # bones are drawn in viewports only, and what is not driven costs no frame
    drive(shape, f'modifiers["{_EMPTYING}"].show_viewport', rig, carrier_path, HIDES, undo)
    _draw_with(rig, free, shape, undo)


def stands_out(rig: Rig, bone: PoseBone) -> bool:
    """Return whether a bone of `rig` is drawn as `draw_bones_unless` has it, beside bones that Blender draws."""
    ours = bone.custom_shape is not None and _EMPTYING in bone.custom_shape.modifiers
    return ours and any(other.custom_shape is None for other in rig.pose.bones)


def draw_as_nothing(rig: Rig, bones: Sequence[str], undo: Undo) -> None:
    """Draw bones as nothing, whatever plays."""
    if bones:
        shapes = (bone.custom_shape for bone in rig.pose.bones if bone.custom_shape is not None)
        empty = next((shape for shape in shapes if isinstance(shape.data, Mesh) and not len(shape.data.edges)), None)
        _draw_with(rig, bones, empty or new_shape(names.cut(f"{rig.name} {NOTHING}"), _CORNERS[:1], (), undo), undo)


def _draw_with(rig: Rig, bones: Sequence[str], shape: Object, undo: Undo) -> None:
    for bone in bones:
        undo.set(rig.pose.bones[bone], "custom_shape", shape)
        undo.set(rig.pose.bones[bone], "custom_shape_wire_width", _WIRE)


def new_shape(name: str, corners: Sequence[Sequence[float]], edges: Sequence[tuple[int, int]], undo: Undo) -> Object:
    """Make an object that is in no scene; the bones that it draws keep it."""
    mesh = undo.new(bpy.data.meshes, name)
    mesh.from_pydata(corners, edges, [])
    return undo.new(bpy.data.objects, name, mesh)


def hide_object_unless(shown: Object, owner: Object, carrier_path: str, undo: Undo) -> None:
    """Hide an object, in viewport and render, while the property at `carrier_path` of `owner` is False or nearly 0."""
    for path in SEEN:
        drive(shown, path, owner, carrier_path, HIDES, undo)


def hides_itself(thing: Object) -> bool:
    """Return whether a person's own keys or drivers say when an object is seen."""
    data = animation_data(thing)
    curves = [] if data is None else [*fcurves_of(thing), *data.drivers]
    return any(curve.data_path in SEEN and not is_ours(curve) for curve in curves)


Ended: TypeAlias = "Container[tuple[str, int]] | None"
"""Paths and indexes of the curves that play no longer, of which no value stays; None where none at all does."""


def show_again(rig: Rig | None, holders: Collection[Holder], ended: Ended, undo: Undo) -> None:
    """Show those bones of `rig` and objects that properties hide; where curves decide, these do so again at once."""
    hung = [] if rig is None else [*(bone.custom_shape for bone in rig.pose.bones), *rig.children]
    seen = {thing for thing in (*hung, *holders) if isinstance(thing, Object)}
    data = [found for thing in seen if (found := animation_data(thing)) is not None]
    drivers = [curve.driver for found in data for curve in found.drivers if is_ours(curve)]
    used = (target for driver in drivers for variable in driver.variables for target in variable.targets)
    for owner, path in {(target.id, target.data_path) for target in used if isinstance(target.id, Object)}:
        bone, rest = split_bone(path)
        holder, key = owner if bone is None else owner.pose.bones.get(bone), custom_key(rest)
        is_over = ended is None or (path, 0) in ended
        value = holder[key] if is_over and holder in holders and key is not None and has_key(holder, key) else None
        if isinstance(value, bool | int | float) and value < LEAST_OPACITY:
            undo.set_item(holder, key, type(value)(1))
            owner.update_tag()
