"""Unity's keys and Blender's keys: tangents and weights on one side, handle offsets on the other.

A Unity segment is the Bezier curve with P1 = (t0 + w0 dt, v0 + w0 dt m0), P2 = (t1 - w1 dt, v1 - w1 dt m1); a side
without a weight has w = 1/3, which makes the unweighted Hermite curve when both sides have none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..clip import Array, Interpolation, Wrap
from . import layout
from .document import Curve, Keys

_THIRD = 1.0 / 3.0
_THIRD_TOLERANCE = 1e-6
_HOLDING_WEIGHT = 1e3
_STEEPEST_WEIGHT = 1e-3
_LARGEST_VALUE = 3e38
_RECORDED_SHAPE = np.array([0, 0, 0, 0, layout.WEIGHTED_BOTH], "<i4")

_WRAPS = {layout.WRAP_LOOP: Wrap.REPEAT, layout.WRAP_PING_PONG: Wrap.MIRROR}
_WRAP_NUMBERS = {
    Wrap.REPEAT: layout.WRAP_LOOP,
    Wrap.MIRROR: layout.WRAP_PING_PONG,
    Wrap.HOLD: layout.WRAP_CLAMP_FOREVER,
}


def wrap_of(number: int) -> Wrap:
    """What a raw wrap mode does; everything but Loop and PingPong clamps."""
    return _WRAPS.get(number, Wrap.HOLD)


def wrap_number(wrap: Wrap) -> int:
    """The wrap mode to write."""
    return _WRAP_NUMBERS[wrap]


@dataclass
class Shape:
    """One curve as Blender can play it.

    Attributes:
        times, values: (n,) float32, ascending, finite.
        interpolation: (n,) uint8.
        handle_times, handle_values: (n, 2) float64 offsets, None where no segment is a Bezier.
    """

    times: Array
    values: Array
    interpolation: Array
    handle_times: Array | None = None
    handle_values: Array | None = None


def playable(keys: Keys) -> Keys:
    """The keys that can be played, in order: those with NaN or infinity left out, the others sorted stably."""
    times = keys["time"]
    finite = np.isfinite(times) & np.isfinite(keys["value"])
    if not finite.all():
        keys = keys[finite]
        times = keys["time"]
    if len(times) > 1 and (times[1:] < times[:-1]).any():
        keys = keys[np.argsort(times, kind="stable")]
    return keys


def boolean_shape(keys: Keys) -> Shape:
    """Steps of 0 and 1 out of playable keys of a boolean curve; MRTK's threshold is 0.5."""
    values = (keys["value"] > np.float32(0.5)).astype(np.float32)
    return Shape(np.ascontiguousarray(keys["time"]), values, np.full(len(keys), Interpolation.CONSTANT, np.uint8))


def shape(keys: Keys) -> Shape:
    """The shape of playable keys of a float curve."""
    times, values = np.ascontiguousarray(keys["time"]), np.ascontiguousarray(keys["value"])
    interpolation = np.full(len(keys), Interpolation.LINEAR, np.uint8)
    if is_straight(keys):
        return Shape(times, values, interpolation)
    handle_times, handle_values = _handles(keys, times.astype(np.float64))
    interpolation[:-1] = _interpolation(keys, values, handle_values)
    interpolation[-1] = interpolation[-2]
    bezier = interpolation[:-1] == Interpolation.BEZIER
    if not bezier.any():
        return Shape(times, values, interpolation)
    if not bezier.all():
        for handles in (handle_times, handle_values):
            handles[:-1, 1][~bezier] = 0.0
            handles[1:, 0][~bezier] = 0.0
    return Shape(times, values, interpolation, handle_times, handle_values)


def is_straight(keys: Keys) -> bool:
    """Whether all segments are lines for certain: short keys, a single one, or the form that MRTK's recorder writes."""
    if keys.dtype == layout.SHORT_KEY or len(keys) < 2:
        return True
    numbers = np.ascontiguousarray(keys).view("<i4").reshape(len(keys), -1)
    return bool((numbers[:, 2:] == _RECORDED_SHAPE).all())


def _handles(keys: Keys, times: Array) -> tuple[Array, Array]:
    """Handle offsets (n, 2) in seconds and in value, zero at the two ends of the curve."""
    span = times[1:] - times[:-1]
    handle_times, handle_values = np.zeros((len(keys), 2)), np.zeros((len(keys), 2))
    right = _weights(keys[:-1], "out_weight", layout.WEIGHTED_OUT) * span
    left = _weights(keys[1:], "in_weight", layout.WEIGHTED_IN) * -span
    handle_times[:-1, 1], handle_times[1:, 0] = right, left
    with np.errstate(invalid="ignore", over="ignore"):
        handle_values[:-1, 1] = right * keys["out_tangent"][:-1]
        handle_values[1:, 0] = left * keys["in_tangent"][1:]
    handle_values[np.isnan(handle_values)] = 0.0
    return handle_times, handle_values


def _weights(keys: Keys, name: str, side: int) -> Array:
    """(n,) weights between 0 and 1 (NaN counts as 0), a third where that side is not weighted."""
    weighted = (keys["weighted_mode"] & side) != 0
    weights: Array = np.minimum(np.fmax(keys[name], np.float32(0.0)), np.float32(1.0)).astype(np.float64)
    weights[~weighted] = _THIRD
    return weights


def _interpolation(keys: Keys, values: Array, handle_values: Array) -> Array:
    """(n - 1,) how each segment is shaped.

    A tangent that is not finite, a weight that holds the left value (1e6 is how MRTK says so) and a control point
    that float32 cannot hold make a step; weights of 0 on both sides make a line.
    """
    left, right = keys[:-1], keys[1:]
    result = np.full(len(left), Interpolation.BEZIER, np.uint8)
    flat, holding = left["out_weight"] <= 0.0, left["out_weight"] >= _HOLDING_WEIGHT
    if flat.any():
        out_weighted = (left["weighted_mode"] & layout.WEIGHTED_OUT) != 0
        in_weighted = (right["weighted_mode"] & layout.WEIGHTED_IN) != 0
        result[out_weighted & in_weighted & flat & (right["in_weight"] <= 0.0)] = Interpolation.LINEAR
    stepped = ~(np.isfinite(left["out_tangent"]) & np.isfinite(right["in_tangent"]))
    if holding.any():
        out_weighted = (left["weighted_mode"] & layout.WEIGHTED_OUT) != 0
        stepped |= out_weighted & holding & (left["out_tangent"] == 0.0)
    stepped |= _out_of_range(values, handle_values)
    result[stepped] = Interpolation.CONSTANT
    return result


def _out_of_range(values: Array, handle_values: Array) -> Array:
    """(n - 1,) segments with a control point that float32 cannot hold."""
    first, second = values[:-1] + handle_values[:-1, 1], values[1:] + handle_values[1:, 0]
    beyond: Array = np.maximum(np.abs(first), np.abs(second)) > _LARGEST_VALUE
    return beyond


def short_keys(times: Array, values: Array) -> Keys:
    """8-byte keys."""
    keys = np.zeros(len(times), layout.SHORT_KEY)
    keys["time"], keys["value"] = times, values
    return keys


def full_keys(
    times: Array,
    values: Array,
    interpolation: Array | None = None,
    handle_times: Array | None = None,
    handle_values: Array | None = None,
) -> Keys:
    """28-byte keys from one component; all lines where `interpolation` is None, in the recorder's own form."""
    keys = np.zeros(len(times), layout.FULL_KEY)
    keys["time"], keys["value"] = times, values
    keys["weighted_mode"] = layout.WEIGHTED_BOTH
    if interpolation is None or len(keys) < 2:
        return keys
    keys["out_tangent"][:-1][interpolation[:-1] == Interpolation.CONSTANT] = np.inf
    if handle_times is not None and handle_values is not None:
        segments = np.flatnonzero(interpolation[:-1] == Interpolation.BEZIER)
        span = np.diff(times)[segments]
        right = handle_times[segments, 1], handle_values[segments, 1]
        left = -handle_times[segments + 1, 0], -handle_values[segments + 1, 0]
        _set_side(keys, segments, "out", layout.WEIGHTED_OUT, span, *right)
        _set_side(keys, segments + 1, "in", layout.WEIGHTED_IN, span, *left)
    return keys


def _set_side(keys: Keys, rows: Array, name: str, side: int, span: Array, width: Array, height: Array) -> None:
    """Tangent and weight of one side from a handle `width` seconds long and `height` high.

    A handle longer than its segment is cut with its slope kept, as Blender plays it; an upright one becomes
    as steep as a small weight allows.
    """
    width = np.where((width <= 0.0) & (height != 0.0), _STEEPEST_WEIGHT * span, width)
    with np.errstate(divide="ignore", invalid="ignore"):
        tangent = np.nan_to_num(height / width, posinf=0.0, neginf=0.0)
        weight = np.nan_to_num(np.clip(width / span, 0.0, 1.0))
    third = np.abs(weight - _THIRD) < _THIRD_TOLERANCE
    keys[f"{name}_tangent"][rows] = tangent
    keys[f"{name}_weight"][rows] = np.where(third, _THIRD, weight)
    keys["weighted_mode"][rows[third]] &= ~side


def with_layout(curve: Curve, full: bool) -> Curve | None:
    """The curve with 28- or 8-byte keys, itself if it has them; None if a line cannot say what it says."""
    if curve.is_full == full:
        return curve
    times, values = curve.keys["time"], curve.keys["value"]
    if full:
        return Curve(full_keys(times, values), curve.pre_wrap, curve.post_wrap)
    if not is_straight(curve.keys):
        return None
    return Curve(short_keys(times, values), curve.pre_wrap, curve.post_wrap)
