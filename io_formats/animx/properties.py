"""Which property of the engine is which of Blender's, and in which order and sign their components are.

Slot fields: Position, Rotation (x, y, z, w) and Scale. `BlendShape.NAME` is what tools call an animated blend shape.
Everything else is a custom property of the same name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from ..clip import LOCATION, ROTATION, SCALE, Array, NodeKind, TrackKind, ValueKind
from ..clip.axes import MIRROR_X, Axes, from_names
from ..errors import FormatError
from . import messages
from .document import Track
from .layout import Kind, Mode, ValueType

BLEND_SHAPE = "BlendShape."
_SLOT_FIELDS = {"Position": LOCATION, "Rotation": ROTATION, "Scale": SCALE}
FIELD_OF = {clip_property: name for name, clip_property in _SLOT_FIELDS.items()}
_VECTORS = ("float3", "double3")
_QUATERNIONS = ("floatQ", "doubleQ")
_SMALL_INTEGERS = ("byte", "ushort", "sbyte", "short")

# Blender's Z up to the engine's Y up, then the mirror; the axes of a glTF model's objects.
_TURNED_MIRROR = Axes(np.array([[-1, 0, 0], [0, 0, -1], [0, 1, 0]]))
_QUARTER_TURN = np.array([[1.0, 0, 0, 0], [0, 0, -1.0, 0], [0, 1.0, 0, 0], [0, 0, 0, 1.0]])
_STILL = np.eye(4)
_CENTIMETRES = np.diag([0.01, 0.01, 0.01, 1.0])
_ABOUT_Y = np.array([[0.0, 0, 1.0, 0], [0, 1.0, 0, 0], [-1.0, 0, 0, 0], [0, 0, 0, 1.0]])
# Blender's exporters turn what looks down -Z: to -Y and +X of an FBX, and so that glTF's own -Z stays
_FBX_TURNS = {"CAMERA": _ABOUT_Y, "LIGHT": _QUARTER_TURN}
_GLTF_TURNS = {"CAMERA": _QUARTER_TURN.T, "LIGHT": _QUARTER_TURN.T}


@dataclass(frozen=True)
class Space:
    """The axes of a file.

    Attributes:
        preset: GLTF, FBX, FBX_CM, ENGINE or MANUAL.
        axes: takes the file's vectors to Blender's, for the bones of a model.
        object_axes: the same for objects.
        root: (4, 4) what carries the bones: turned where the file's Y points up within the model.
        outside: (4, 4) what objects without a parent are relative to, seen from `root`.
        armature_turn: (4, 4) what bones without a parent are relative to, seen from the armature object: in a
            glTF the frames of objects are turned, those of bones are not.
        turns: (4, 4) by which the frames of a CAMERA and a LIGHT are turned besides.
    """

    preset: str
    axes: Axes
    object_axes: Axes
    root: Array
    outside: Array
    armature_turn: Array
    turns: Mapping[str, Array] = field(default_factory=lambda: MappingProxyType({}))

    def of(self, kind: NodeKind) -> Axes:
        """Return the axes for a bone or an object."""
        return self.axes if kind is NodeKind.BONE else self.object_axes


def space(preset: str, forward: str, up: str, left_handed: bool) -> Space:
    """Return the axes that options ask for.

    Raises:
        FormatError: two of the manual axes are the same.
    """
    if preset in ("FBX", "FBX_CM"):
        outside = _STILL if preset == "FBX" else _CENTIMETRES
        return Space(preset, MIRROR_X, MIRROR_X, _QUARTER_TURN, outside, _STILL, _FBX_TURNS)
    if preset == "GLTF":
        return Space(preset, MIRROR_X, _TURNED_MIRROR, _STILL, _STILL, _QUARTER_TURN, _GLTF_TURNS)
    if preset == "ENGINE":
        forward, up, left_handed = "Z", "Y", True
    if forward[-1] == up[-1]:
        raise FormatError(messages.SAME_AXIS, forward=forward, up=up)
    axes = from_names(forward, up, left_handed=left_handed)
    return Space(preset, axes, axes, _STILL, _STILL, _STILL)


@dataclass(frozen=True)
class Role:
    """What a track drives in Blender: `Track.property`, its kind, value kind and the factor on its numbers."""

    property: str
    kind: TrackKind
    value_kind: ValueKind
    factor: float = 1.0


def role_of(track: Track) -> Role:
    """Return the role of a track of numbers."""
    kind = track.type
    slot_field = _SLOT_FIELDS.get(track.property)
    if slot_field is not None and kind.name in (_QUATERNIONS if slot_field == ROTATION else _VECTORS):
        return Role(slot_field, TrackKind.TRANSFORM, ValueKind.FLOAT)
    if track.property.startswith(BLEND_SHAPE) and kind.name in ("float", "double"):
        return Role(track.property.removeprefix(BLEND_SHAPE), TrackKind.SHAPE_KEY, ValueKind.FLOAT)
    return Role(track.property, TrackKind.CUSTOM, _value_kind(track), 1 / 255 if kind.name == "color32" else 1.0)


def _value_kind(track: Track) -> ValueKind:
    kind = track.type
    if kind.kind is Kind.BOOL:
        return ValueKind.BOOL
    if kind.kind is Kind.COLOR:
        return ValueKind.COLOR
    if kind.name in _SMALL_INTEGERS and (track.modes[:-1] == Mode.HOLD).all():
        return ValueKind.INT
    return ValueKind.FLOAT


def component_order(clip_property: str, kind: TrackKind, axes: Axes, width: int) -> tuple[Array, Array]:
    """Return Blender's component and sign, (components,) each, for each of the file's: the inverse of `to_blender`."""
    if kind is not TrackKind.TRANSFORM:
        return np.arange(width), np.ones(width)
    back = axes.inverse
    if clip_property == ROTATION:
        return np.roll(back.rotation_order, -1), np.roll(back.rotation_signs, -1)
    return back.order, np.ones(3) if clip_property == SCALE else back.signs


def to_blender(rows: Array, clip_property: str, kind: TrackKind, axes: Axes) -> Array:
    """Return the file's rows (components, ...) in Blender's axes; quaternions x, y, z, w become w, x, y, z."""
    if kind is not TrackKind.TRANSFORM:
        return rows
    if clip_property == ROTATION:
        return axes.rotations(rows, w_last=True)
    return axes.scales(rows) if clip_property == SCALE else axes.positions(rows)


def fresh_type(kind: TrackKind, clip_property: str, value_kind: ValueKind, width: int) -> str:
    """Return the engine's type for a property that is not in the source."""
    if kind is TrackKind.TRANSFORM:
        return "floatQ" if clip_property == ROTATION else "float3"
    suffix = "" if width == 1 else str(width)
    if value_kind is ValueKind.COLOR and width in (3, 4):
        return "color" if width == 4 else "float3"
    if width in (9, 16) and value_kind is ValueKind.FLOAT:
        return "float3x3" if width == 9 else "float4x4"
    names = {ValueKind.BOOL: "bool", ValueKind.INT: "int"}
    return names.get(value_kind, "float") + suffix


def fits(kind: ValueType, width: int) -> bool:
    """Return whether a type has the components that a property has."""
    return kind.components == width
