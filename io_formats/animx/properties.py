"""Which property of the engine is which of Blender's, and in which order and sign their components are.

Slot fields: Position, Rotation (x, y, z, w) and Scale. `BlendShape.NAME` is what tools call an animated blend shape.
Everything else is a custom property of the same name.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .. import clip
from ..clip import CONSTANT, LOCATION, ROTATION, SCALE, Array, Track, TrackKind, ValueKind, curve, keys, resample
from ..clip.quaternion import MIRROR_X, Axes, from_names
from ..errors import FormatError, Report
from . import edited_keys, layout, messages
from .document import Track as FileTrack
from .layout import Kind, Mode

if TYPE_CHECKING:
    from .redundant import Target

_SLOT_FIELDS = {"Position": LOCATION, "Rotation": ROTATION, "Scale": SCALE}
_FIELD_OF = {clip_property: name for name, clip_property in _SLOT_FIELDS.items()}
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

    def of(self, kind: clip.NodeKind) -> Axes:
        """Return the axes for a bone or an object."""
        return self.axes if kind is clip.NodeKind.BONE else self.object_axes


def space(preset: str, forward: str, up: str, left_handed: bool) -> Space:
    """Return the axes that options ask for; raise FormatError if two of the manual axes are the same."""
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


class Role(NamedTuple):
    """What a track drives in Blender: `Track.property`, its kind, value kind and the factor on its numbers."""

    property: str
    kind: TrackKind
    value_kind: ValueKind
    factor: float = 1.0


def role_of(track: FileTrack) -> Role:
    """Return the role of a track of numbers."""
    kind = track.type
    slot_field = _SLOT_FIELDS.get(track.property)
    if slot_field is not None and kind.name in (_QUATERNIONS if slot_field == ROTATION else _VECTORS):
        return Role(slot_field, TrackKind.TRANSFORM, ValueKind.FLOAT)
    if track.property.startswith(clip.BLEND_SHAPE) and kind.name in ("float", "double"):
        return Role(track.property.removeprefix(clip.BLEND_SHAPE), TrackKind.SHAPE_KEY, ValueKind.FLOAT)
    value_kind = {Kind.BOOL: ValueKind.BOOL, Kind.COLOR: ValueKind.COLOR}.get(kind.kind, ValueKind.FLOAT)
    if kind.name in _SMALL_INTEGERS and (track.modes[:-1] == Mode.HOLD).all():
        value_kind = ValueKind.INT
    return Role(track.property, TrackKind.CUSTOM, value_kind, 1 / 255 if kind.name == "color32" else 1.0)


def name_in_file(kind: TrackKind, name: str) -> str:
    """Return what a transform, a shape key or a custom property of that name is called in a file."""
    own = _FIELD_OF if kind is TrackKind.TRANSFORM else {}
    return clip.BLEND_SHAPE + name if kind is TrackKind.SHAPE_KEY else own.get(name, name)


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
    if value_kind is ValueKind.COLOR:
        return "color"
    if width in (9, 16) and value_kind is ValueKind.FLOAT:
        return "float3x3" if width == 9 else "float4x4"
    return {ValueKind.BOOL: "bool", ValueKind.INT: "int"}.get(value_kind, "float") + suffix


# Blender's own animated properties as fields of the engine's components: visibility, lights, cameras.

ACTIVE = "Active"
"""The field of a slot that says whether it is there."""

_LENS, _ORTHO = "data.lens", "data.ortho_scale"
_SENSORS = ("data.sensor_width", "data.sensor_height")
_WIDE = clip.View(9 / 16, _SENSORS[0], {_LENS: 50.0, _SENSORS[0]: 36.0})
"""Of a camera of which nothing is known."""
_STEPS_PER_SECOND = 480.0
_BENT = 2e-5
"""Largest error against a converted curve, as a share of its range."""


class _Field(NamedTuple):
    """A field of a component: its name, the engine's type, and value = factor x Blender's + offset.

    `way_back`: the formula of Blender's value where it is not that.
    """

    name: str
    type: str = "float"
    factor: float = 1.0
    offset: float = 0.0
    way_back: str = ""


_FIELDS = {
    "hide_viewport": _Field(ACTIVE, "bool", -1.0, 1.0),
    "hide_render": _Field(ACTIVE, "bool", -1.0, 1.0),
    "data.energy": _Field("Light.Intensity"),
    "data.color": _Field("Light.Color", "color"),
    "data.cutoff_distance": _Field("Light.Range"),
    "data.spot_size": _Field("Light.SpotAngle", factor=180 / math.pi),
    "data.clip_start": _Field("Camera.NearClipping"),
    "data.clip_end": _Field("Camera.FarClipping"),
    _ORTHO: _Field("Camera.OrthographicSize", way_back=clip.OF_FILE + " * 2 / {height}"),
    _LENS: _Field("Camera.FieldOfView", way_back="{height} * {sensor} / 2 / tan(radians(" + clip.OF_FILE + ") / 2)"),
}
SETTINGS = {
    field.name: clip.Setting(field.name, path, field.way_back or f"{clip.OF_FILE} * {1.0 / field.factor!r}")
    for path, field in _FIELDS.items()
    if field.name != ACTIVE
}
"""How a camera's and a light's tracks set what Blender has of them: the inverse of `seen_through` and `as_field`."""


def is_field(path: str) -> bool:
    """Return whether the engine has a field for an RNA property, by its path from the object."""
    return path in _FIELDS or path in _SENSORS


def seen_through(
    groups: Mapping[Target, list[Track]], views: Mapping[str, clip.View], report: Report
) -> dict[Target, list[Track]]:
    """Return tracks with the vertical field of view, in degrees, of cameras for their lenses and sensors, and half the
    height of the picture for orthographic scales; what they show else is in `views`, by node."""
    result: dict[Target, list[Track]] = {}
    for (node, kind, name), group in groups.items():
        view = views.get(node, _WIDE)
        if kind is TrackKind.RNA and name in (_LENS, view.sensor):
            if (node, kind, _LENS) in result:
                continue
            lens, sensor = (groups.get((node, kind, path), []) for path in (_LENS, view.sensor))
            result[node, kind, _LENS] = [_field_of_view(lens, sensor, view)]
            report.note(messages.LENS, node=node)
        elif kind is TrackKind.RNA and name == _ORTHO:
            result[node, kind, name] = [track.scaled(view.height / 2) for track in group]
        elif kind is not TrackKind.RNA or name not in _SENSORS:
            result[node, kind, name] = group
    return result


def _field_of_view(lens: Sequence[Track], sensor: Sequence[Track], view: clip.View) -> Track:
    """Return vertical degrees for a lens and the sensor's size, one of which may have no track.

    They do not follow these in straight lines: where these move they are sampled, elsewhere they have their keys.
    """
    rows = [*lens, *sensor]
    lines = [resample.straightened(row, _BENT * float(np.ptp(row.values)))[0] for row in rows]
    times = np.unique(np.concatenate([line.times for line in lines]))
    first, last = float(times[0]), float(times[-1])
    between = np.linspace(first, last, max(int((last - first) * _STEPS_PER_SECOND) + 1, 2))
    times = np.union1d(times, between[~_held_at(lines, between)])
    sizes = (curve.evaluate(row, times)[0] for row in rows)
    length = next(sizes) if lens else np.array(view.values[_LENS])
    size = next(sizes) if sensor else np.array(view.values[view.sensor])
    values = np.degrees(2 * np.arctan(view.height * size / 2 / np.maximum(length, 1e-3)))[None]
    steps = _held_at(lines, times)
    (found,) = keys.cubics(times, [values], [_BENT * float(np.ptp(values))], steps=[steps])
    drawn = rows[0].redrawn(times[found.kept], values[:, found.kept], found.shapes)
    return drawn.but(handles=found.handles, property=_LENS)


def as_field(path: str, group: Sequence[Track], node: str, report: Report) -> tuple[str, str, list[Track]]:
    """Return the field, its type and its curves for an animated RNA property, by its path from the object; no curves,
    with a warning, where there is none. Tracks of cameras are those that `seen_through` makes."""
    field = _FIELDS.get(path)
    if field is None:
        report.warn(messages.UNKNOWN_PROPERTY, property=path, node=node)
        return "", "", []
    rows = [row for track in group for row in track.rows() if len(row.times)]
    if field.type == "color":
        rows.append(replace(edited_keys.constant(rows[0], 1.0), component=3))
    return field.name, field.type, [row.scaled(field.factor, field.offset) for row in rows]


def with_own_first(
    groups: Mapping[Target, list[Track]], report: Report
) -> tuple[dict[Target, list[Track]], dict[Target, list[Track]]]:
    """Return tracks with Blender's own properties in the place of custom ones of their fields, which set nothing, as
    what has keys takes no driver; and these alone."""
    result: dict[Target, list[Track]] = dict(groups)
    edited: dict[Target, list[Track]] = {}
    for node, kind, name in groups:
        field = _FIELDS.get(name) if kind is TrackKind.RNA else None
        if field is not None and (target := (node, TrackKind.CUSTOM, field.name)) in groups:
            _, _, rows = as_field(name, result.pop((node, kind, name)), node, report)
            edited[target] = [row.but(property=target[2], kind=target[1]) for row in rows]
    return result | edited, edited


def as_read(tracks: Sequence[Track], *, leave_out: bool) -> list[list[Track]]:
    """Return for each property of a scene the tracks, one for each component, that a file of it is read as.

    Of a camera counts what it shows, whatever the export made of its lens. What the engine binds to no field has no
    place in the file if that is to `leave_out` such; nor has what is called as a field that is read as something else.
    """
    pictures = {track.node: track for track in tracks if (track.kind, track.property) == (TrackKind.RNA, clip.PICTURE)}
    found = []
    for track in tracks:
        node, name = track.node, track.property
        if track.kind is not TrackKind.RNA:
            bound, taken = track.kind is TrackKind.CUSTOM and name.count(".") == 1, is_taken(track.kind, name)
            found.append([] if taken or (leave_out and not bound) else _split(track))
        elif name in (_LENS, _ORTHO):
            # the engine's field of what a camera shows: degrees from edge to edge, or half the height
            picture = pictures[node]
            angle, height = picture.values[:, None]
            values = np.degrees(2 * np.arctan(angle)) if name == _LENS else height
            field_name = "Camera.FieldOfView" if name == _LENS else "Camera.OrthographicSize"
            found.append([picture.but(property=field_name, kind=TrackKind.CUSTOM, values=values)])
        else:
            field_name, _, rows = as_field(name, [track], node, Report())
            found.append([row.but(property=field_name, kind=TrackKind.CUSTOM) for row in rows])
    return found


def is_taken(kind: TrackKind, name: str) -> bool:
    """Return whether a custom property has the name of a field that is a place, turn, size or shape key."""
    return kind is TrackKind.CUSTOM and (name in _SLOT_FIELDS or name.startswith(clip.BLEND_SHAPE))


def _split(track: Track) -> list[Track]:
    """Return a track for each component, of its own name where the engine has no type for all of them."""
    rows = track.rows()
    if fresh_type(track.kind, track.property, track.value_kind, len(rows)) in layout.IDS:
        return rows
    return [row.but(property=f"{row.property}[{row.component}]", component=0) for row in rows]


def _held_at(lines: Sequence[Track], times: Array) -> Array:
    """Return at which of times (n,) no line moves."""
    begun = [np.maximum(np.searchsorted(line.times, times, side="right") - 1, 0) for line in lines]
    result: Array = np.all([line.interpolation[at] == CONSTANT for line, at in zip(lines, begun)], axis=0)
    return result


# What the engine binds: fields of slots and components, found by name in the order of the tracks.
#
# *Set up fields by name* takes a slot of the node's name and a field of it, or `Component.Field`. A track whose field
# it does not find shifts all later tracks to the field before theirs, so such tracks have to come last.

SLOT_FIELDS = {"Position": "float3", "Rotation": "floatQ", "Scale": "float3", "Active": "bool"}
"""Their types, in the engine's order."""


class Bound(IntEnum):
    """Where a track belongs in the file's order."""

    SLOT = 0
    COMPONENT = 1
    NOWHERE = 2


def bound(track: FileTrack) -> Bound:
    """Return what the engine finds for a track by its names."""
    if track.property in SLOT_FIELDS:
        return Bound.SLOT if track.node and track.type.name == SLOT_FIELDS[track.property] else Bound.NOWHERE
    is_field = track.property.count(".") == 1 and not track.property.startswith(clip.BLEND_SHAPE)
    component, _, field = track.property.partition(".")
    return Bound.COMPONENT if track.node and is_field and component and field else Bound.NOWHERE


def in_order(tracks: list[FileTrack]) -> list[FileTrack]:
    """Return tracks as the engine binds them: fields of slots by node, of components, then the rest."""
    nodes = {node: number for number, node in enumerate(dict.fromkeys(track.node for track in tracks))}

    def place(track: FileTrack) -> tuple[int, ...]:
        kind = bound(track)
        return (kind, nodes[track.node], list(SLOT_FIELDS).index(track.property)) if kind is Bound.SLOT else (kind,)

    return sorted(tracks, key=place)
