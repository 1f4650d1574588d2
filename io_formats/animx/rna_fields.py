"""Blender's own animated properties as fields of the engine's components: visibility, lights, cameras."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..clip import CONSTANT, LINEAR, OF_FILE, Array, Setting, Track, TrackKind, View, curve, keys
from ..clip.straight import straightened
from ..errors import Report
from . import messages
from .edited_keys import constant
from .standing import Target

ACTIVE = "Active"
"""The field of a slot that says whether it is there."""

_LENS, _ORTHO = "data.lens", "data.ortho_scale"
_SENSORS = ("data.sensor_width", "data.sensor_height")
_WIDE = View(9 / 16, _SENSORS[0], {_LENS: 50.0, _SENSORS[0]: 36.0})
"""Of a camera of which nothing is known."""
_STEPS_PER_SECOND = 480.0
_BENT = 2e-5
"""Largest error of lines against a converted curve, as a share of its range."""


@dataclass(frozen=True)
class _Field:
    """A field of a component: its name, the engine's type, and value = factor x Blender's + offset."""

    name: str
    type: str = "float"
    factor: float = 1.0
    offset: float = 0.0


_FIELDS = {
    "hide_viewport": _Field(ACTIVE, "bool", -1.0, 1.0),
    "hide_render": _Field(ACTIVE, "bool", -1.0, 1.0),
    "data.energy": _Field("Light.Intensity"),
    "data.color": _Field("Light.Color", "color"),
    "data.cutoff_distance": _Field("Light.Range"),
    "data.spot_size": _Field("Light.SpotAngle", factor=180 / math.pi),
    "data.clip_start": _Field("Camera.NearClipping"),
    "data.clip_end": _Field("Camera.FarClipping"),
    "data.ortho_scale": _Field("Camera.OrthographicSize"),
    "data.lens": _Field("Camera.FieldOfView"),
}


_NOT_SET = ("hide_viewport", "hide_render", _LENS, _ORTHO)
SETTINGS = {
    field.name: Setting(field.name, path, f"{OF_FILE} * {1.0 / field.factor!r}")
    for path, field in _FIELDS.items()
    if path not in _NOT_SET
}
"""How a camera's and a light's tracks set what Blender has of them: the inverse of `seen_through` and `as_field`."""
SETTINGS |= {
    "Camera.FieldOfView": Setting(
        "Camera.FieldOfView", _LENS, "{height} * {sensor} / 2 / tan(radians(" + OF_FILE + ") / 2)"
    ),
    "Camera.OrthographicSize": Setting("Camera.OrthographicSize", _ORTHO, OF_FILE + " * 2 / {height}"),
}


def is_field(path: str) -> bool:
    """Return whether the engine has a field for an RNA property, by its path from the object."""
    return path in _FIELDS or path in _SENSORS


def seen_through(
    groups: Mapping[Target, list[Track]], views: Mapping[str, View], report: Report
) -> dict[Target, list[Track]]:
    """Return tracks with the vertical field of view, in degrees, of cameras for their lenses and sensors, and half the
    height of the picture for orthographic scales.

    Args:
        groups: tracks by node, kind and property.
        views: of cameras, by node.
    """
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


def _field_of_view(lens: Sequence[Track], sensor: Sequence[Track], view: View) -> Track:
    """Return vertical degrees for a lens and the sensor's size, one of which may have no track."""

    def degrees(*moved: Array) -> Array:
        sizes = iter(moved)
        length = next(sizes) if lens else np.array(view.values[_LENS])
        size = next(sizes) if sensor else np.array(view.values[view.sensor])
        result: Array = np.degrees(2 * np.arctan(view.height * size / 2 / np.maximum(length, 1e-3)))
        return result

    return replace(_bent([*lens, *sensor], degrees), property=_LENS)


def as_field(path: str, group: Sequence[Track], node: str, report: Report) -> tuple[str, str, list[Track]] | None:
    """Return the field, its type and its curves for an animated RNA property; None, with a warning, where there is
    none.

    Args:
        path: relative to the object, such as `data.energy`.
        group: the captured tracks of the property; of cameras, what `seen_through` makes of them.
    """
    field = _FIELDS.get(path)
    if field is None:
        report.warn(messages.UNKNOWN_PROPERTY, property=path, node=node)
        return None
    rows = [row for track in group for row in track.rows() if len(row.times)]
    if field.type == "color":
        rows.append(replace(constant(rows[0], 1.0), component=3))
    return field.name, field.type, [_changed(row, field) for row in rows]


def as_read(tracks: Sequence[Track], views: Mapping[str, View], *, leave_out: bool) -> list[list[Track]]:
    """Return for each property of a scene the tracks, one for each component, that a file of it is read as.

    Of the two that hide an object only one counts, that for renders where it alone changes.

    Args:
        views: of cameras, by node.
        leave_out: what the engine binds to no field has no place.
    """
    groups = {(track.node, track.kind, track.property): [track] for track in tracks}
    through = seen_through(groups, views, Report())
    hiding = {track.node for track in tracks if track.property == "hide_viewport" and np.ptp(track.values)}
    render = {track.node for track in tracks if track.property == "hide_render" and np.ptp(track.values)} - hiding
    found = []
    for (node, kind, name), group in groups.items():
        unused = name == "hide_viewport" if node in render else name == "hide_render"
        if kind is not TrackKind.RNA:
            found.append([] if leave_out and name.count(".") != 1 else group[0].rows())
            continue
        field = None if unused else as_field(name, through.get((node, kind, name), []), node, Report())
        kept = [] if field is None else field[2]
        found.append([] if field is None else [row.but(property=field[0], kind=TrackKind.CUSTOM) for row in kept])
    return found


def _changed(row: Track, field: _Field) -> Track:
    return row.scaled(field.factor, field.offset)


def _bent(rows: Sequence[Track], function: Callable[..., Array]) -> Track:
    """Return one curve for a nonlinear function of the values (n,) of curves: sampled where they move, else their keys.

    Args:
        rows: of one component each, with keys.
    """
    lines = [straightened(row, _BENT * float(np.ptp(row.values)))[0] for row in rows]
    times = np.unique(np.concatenate([line.times for line in lines]))
    first, last = float(times[0]), float(times[-1])
    between = np.linspace(first, last, max(int((last - first) * _STEPS_PER_SECOND) + 1, 2))
    times = np.union1d(times, between[~_stands(lines, between)])
    values = function(*(curve.evaluate(line, times)[0] for line in lines))[None]
    steps = _stands(lines, times)
    keep = keys.lines(times, values, _BENT * float(np.ptp(values)), steps=steps)
    return rows[0].redrawn(times[keep], values[:, keep], np.where(steps, CONSTANT, LINEAR)[keep])


def _stands(lines: Sequence[Track], times: Array) -> Array:
    """Return at which of times (n,) no line moves."""
    begun = [np.maximum(np.searchsorted(line.times, times, side="right") - 1, 0) for line in lines]
    result: Array = np.all([line.interpolation[at] == CONSTANT for line, at in zip(lines, begun)], axis=0)
    return result
