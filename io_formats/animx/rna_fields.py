"""Blender's own animated properties as fields of the engine's components: visibility, lights, cameras."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..clip import Array, Interpolation, Track, curve, fit, reduction
from ..errors import Report
from . import messages
from .edited_keys import constant

ACTIVE = "Active"
"""The field of a slot that says whether it is there."""

_SENSOR = 36.0
_ASPECT = 16 / 9
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
    "data.ortho_scale": _Field("Camera.OrthographicSize", factor=0.5),
    "data.lens": _Field("Camera.FieldOfView"),
}


def is_field(path: str) -> bool:
    """Return whether the engine has a field for an RNA property, by its path from the object."""
    return path in _FIELDS


def as_field(path: str, group: Sequence[Track], node: str, report: Report) -> tuple[str, str, list[Track]] | None:
    """Return the field, its type and its curves for an animated RNA property; None, with a warning, where there is
    none.

    Args:
        path: relative to the object, such as `data.energy`.
        group: the captured tracks of the property.
    """
    field = _FIELDS.get(path)
    if field is None:
        report.warn(messages.UNKNOWN_PROPERTY, property=path, node=node)
        return None
    rows = [row for track in group for row in track.rows() if len(row.times)]
    if path == "data.lens":
        report.note(messages.LENS, node=node)
        rows = [_bent(row, field_of_view) for row in rows]
    if field.type == "color":
        rows.append(replace(constant(rows[0], 1.0), component=3))
    return field.name, field.type, [_changed(row, field) for row in rows]


def _changed(row: Track, field: _Field) -> Track:
    return row.scaled(field.factor, field.offset)


def field_of_view(lens: Array) -> Array:
    """Return vertical degrees (n,) for focal lengths (n,) in millimetres on a 36 mm wide sensor of 16:9."""
    result: Array = np.degrees(2 * np.arctan(_SENSOR / _ASPECT / 2 / np.maximum(lens, 1e-3)))
    return result


def _bent(row: Track, function: Callable[[Array], Array]) -> Track:
    """Return the row under a nonlinear function of (n,) values: sampled where it moves, else by its keys."""
    if (row.interpolation[:-1] == Interpolation.CONSTANT).all():
        return replace(row, values=function(row.values.astype(np.float64)), match=None)
    first, last = float(row.times[0]), float(row.times[-1])
    between = np.linspace(first, last, max(int((last - first) * _STEPS_PER_SECOND) + 1, 2))
    lines, _ = fit.linearise(row, _BENT * float(np.ptp(row.values)))
    moving = lines.interpolation[np.searchsorted(lines.times, between, side="right") - 1] != Interpolation.CONSTANT
    lines = curve.subdivide(lines, between[moving])
    values = function(lines.values.astype(np.float64))
    steps = lines.interpolation == Interpolation.CONSTANT
    keep = reduction.reduce_runs(lines.times, values, steps, _BENT * float(np.ptp(values)))
    return lines.redrawn(lines.times[keep], values[:, keep], lines.interpolation[keep])
