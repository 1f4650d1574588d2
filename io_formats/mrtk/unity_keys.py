"""Unity's keys and Blender's keys: tangents and weights on one side, handle offsets on the other.

A Unity segment is the Bezier curve with P1 = (t0 + w0 dt, v0 + w0 dt m0), P2 = (t1 - w1 dt, v1 - w1 dt m1); a side
without a weight has w = 1/3, which makes the unweighted Hermite curve when both sides have none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..clip import BEZIER, CONSTANT, LINEAR, Array, Handles, Interpolation, Wrap
from ..clip.fcurve_keys import shaping_sides
from . import layout
from .document import Curve, Keys

_THIRD = 1.0 / 3.0
_THIRD_TOLERANCE = 1e-6
_HOLDING_WEIGHT = 1e3
_STEEPEST_WEIGHT = 1e-5
_LARGEST_VALUE = 3e38
_RECORDED_SHAPE = np.array([0, 0, 0, 0, layout.WEIGHTED_BOTH], np.int32)[:, None]
_FIELD_INDEX = {name: index for index, name in enumerate(layout.FULL_KEY.names or ())}
_WEIGHTS = _FIELD_INDEX["in_weight"]
_TIMING = [_FIELD_INDEX[name] for name in ("time", "in_weight", "out_weight", "weighted_mode")]
_SHORT_WIDTH = layout.SHORT_KEY.itemsize // 4

_WRAPS = {layout.WRAP_LOOP: Wrap.REPEAT, layout.WRAP_PING_PONG: Wrap.MIRROR}
WRAP_NUMBERS = {wrap: number for number, wrap in _WRAPS.items()} | {Wrap.HOLD: layout.WRAP_CLAMP_FOREVER}
"""The wrap mode to write."""


def wrap_of(number: int) -> Wrap:
    """Return what a raw wrap mode does; everything but Loop and PingPong clamps."""
    return _WRAPS.get(number, Wrap.HOLD)


@dataclass
class Shape:
    """Curves that share key times and shapes, as Blender can play them.

    Attributes:
        times: (n,) float32, ascending, finite.
        values: (curves, n) float32, finite.
        interpolation: (n,) uint8.
        handles: float64 in time, float32 in value, for each curve; None where no segment is a Bezier.
    """

    times: Array
    values: Array
    interpolation: Array
    handles: Handles | None = None

    def part(self, first: int, last: int) -> Shape:
        """Return the curves from `first` up to `last`, as views."""
        chosen = slice(first, last)
        return replace(self, values=self.values[chosen], handles=self.handles and self.handles.rows(chosen))


@dataclass
class Fields:
    """Keys of curves of one length and layout, taken apart: numbers of one field and curve lie side by side.

    Attributes:
        numbers: (curves, fields, n) float32, fields in the order of the layout.
    """

    numbers: Array

    @classmethod
    def of(cls, curves: Sequence[Keys]) -> Fields:
        """Return the fields of keys, all of one number and layout."""
        width = curves[0].dtype.itemsize // 4
        numbers = np.empty((len(curves), width, len(curves[0])), np.float32)
        for row, keys in zip(numbers, curves, strict=True):
            row[...] = np.ascontiguousarray(keys).view("<f4").reshape(-1, width).T
        return cls(numbers)

    def __getitem__(self, name: str) -> Array:
        """Return (curves, n) numbers of the field of that name, as a view."""
        index = _FIELD_INDEX[name]
        return self.numbers[:, index].view(np.int32) if name == "weighted_mode" else self.numbers[:, index]

    def row(self, number: int) -> Fields:
        """Return one of the curves, as a view."""
        return Fields(self.numbers[number : number + 1])

    @property
    def is_playable(self) -> bool:
        """Whether times and values are finite and the times, the same for all curves, ascend."""
        times, first = self["time"], self["time"][0]
        if not (np.isfinite(first).all() and np.isfinite(self["value"]).all()):
            return False
        return bool((first[1:] >= first[:-1]).all() and (times[1:] == first).all())

    @property
    def are_straight(self) -> bool:
        """Whether all segments are lines for certain: short keys, single ones, or the form of MRTK's recorder."""
        _, width, count = self.numbers.shape
        if width == _SHORT_WIDTH or count < 2:
            return True
        shapes = self.numbers[:, _SHORT_WIDTH:].view(np.int32)
        return all(bool((part == _RECORDED_SHAPE).all()) for part in (shapes[0, :, :1], shapes))


def playable(keys: Keys) -> Keys:
    """Return the keys (n,) that can be played: without those of NaN or infinity, sorted stably by time."""
    times = keys["time"]
    finite = np.isfinite(times) & np.isfinite(keys["value"])
    if not finite.all():
        keys = keys[finite]
        times = keys["time"]
    if len(times) > 1 and (times[1:] < times[:-1]).any():
        keys = keys[np.argsort(times, kind="stable")]
    return keys


@dataclass
class Shaper:
    """Makes shapes; curves timed and weighted like the curve before them share its handle times."""

    _timing: Array = field(default_factory=lambda: np.zeros(0))
    _handle_times: Array = field(default_factory=lambda: np.zeros(0))

    def shapes(self, fields: Fields) -> list[Shape]:
        """Return one shape for all playable float curves if they are shaped alike, else one each, in order."""
        together = self.together(fields)
        if together is not None:
            return [together]
        return [_mixed(fields.row(number)) for number in range(len(fields.numbers))]

    def together(self, fields: Fields) -> Shape | None:
        """Return the one shape of float curves that are all lines, or all Beziers of the same weights, else None."""
        times = fields["time"][0].copy()
        if fields.are_straight:
            return Shape(times, fields["value"].copy(), np.full(len(times), LINEAR))
        weights = fields.numbers[:, _WEIGHTS:].view(np.int32)
        if (weights[1:] != weights[0]).any():
            return None
        # times and weights alone decide where handles are in time: the same array for the same ones as before
        timing = fields.numbers[0, _TIMING].view(np.int32)
        if not np.array_equal(timing, self._timing):
            self._timing, self._handle_times = timing, _handle_times(fields)
        heights = _heights(fields, self._handle_times)
        # no segment may be a line or a step, see `_mixed`
        weight, weighted = fields["out_weight"][0], (fields["weighted_mode"][0] & layout.WEIGHTED_OUT) != 0
        if (weighted & ((weight <= 0.0) | (weight >= _HOLDING_WEIGHT))).any():
            return None
        # false for NaN, too, which an infinite tangent can give
        if not np.abs(fields["value"]).max() + np.abs(heights).max() <= _LARGEST_VALUE:
            return None
        handles = Handles(self._handle_times, heights.transpose(0, 2, 1))
        return Shape(times, fields["value"].copy(), np.full(len(times), BEZIER), handles)


def _handle_times(fields: Fields) -> Array:
    """Return (n, 2) handle offsets in seconds of the first curve, zero at its two ends."""
    times = fields["time"][0].astype(np.float64)
    span = times[1:] - times[:-1]
    result = np.zeros((len(times), 2))
    # a weight is a part of the length of the segment on its side
    result[:-1, 1] = _weights(fields, "out_weight", layout.WEIGHTED_OUT)[:-1] * span
    result[1:, 0] = _weights(fields, "in_weight", layout.WEIGHTED_IN)[1:] * -span
    return result


def _weights(fields: Fields, name: str, side: int) -> Array:
    """Return (n,) weights of the first curve, 0 to 1 (NaN counts as 0); 1/3 where a side is not weighted."""
    # without a weight a third, which is the Hermite curve
    weighted = (fields["weighted_mode"][0] & side) != 0
    weights = np.minimum(np.fmax(fields[name][0], np.float32(0.0)), np.float32(1.0)).astype(np.float64)
    return np.where(weighted, weights, _THIRD)


def _heights(fields: Fields, handle_times: Array) -> Array:
    """Return (curves, 2, n) float32 left and right handle offsets in value, zero at the two ends of the curve."""
    left, right = handle_times.T.astype(np.float32)
    heights = np.zeros((len(fields.numbers), 2, len(left)), np.float32)
    # height = slope x length of the handle
    np.multiply(fields["in_tangent"][:, 1:], left[1:], out=heights[:, 0, 1:])
    np.multiply(fields["out_tangent"][:, :-1], right[:-1], out=heights[:, 1, :-1])
    return heights


def _mixed(fields: Fields) -> Shape:
    """Return the shape of a single curve whose segments may differ."""
    handle_times = _handle_times(fields)
    heights = _heights(fields, handle_times)[0]
    # A weight that holds the left value (1e6 is how MRTK says so) and a control point that float32 cannot hold, as of
    # a tangent that is not finite, make a step; weights of 0 on both sides make a line.
    values, out_weight, mode = fields["value"][0], fields["out_weight"][0, :-1], fields["weighted_mode"][0]
    out_weighted, in_weighted = (mode[:-1] & layout.WEIGHTED_OUT) != 0, (mode[1:] & layout.WEIGHTED_IN) != 0
    segments = np.full(len(out_weight), BEZIER)
    # both handles of no length: a line
    segments[out_weighted & in_weighted & (out_weight <= 0.0) & (fields["in_weight"][0, 1:] <= 0.0)] = LINEAR
    # MRTK's weight for a step, or more than float32 holds: a step
    ends = np.abs(np.stack((values[:-1] + heights[1, :-1], values[1:] + heights[0, 1:])))
    stepped = ~(ends <= _LARGEST_VALUE).all(axis=0)
    stepped |= out_weighted & (out_weight >= _HOLDING_WEIGHT) & (fields["out_tangent"][0, :-1] == 0.0)
    segments[stepped] = CONSTANT
    made = Shape(fields["time"][0].copy(), fields["value"].copy(), np.append(segments, segments[-1:]))
    if (segments == BEZIER).any():
        sides = shaping_sides(made.interpolation)
        made.handles = Handles(np.where(sides, handle_times, 0.0), np.where(sides, heights.T, np.float32(0.0))[None])
    return made


def short_keys(times: Array, values: Array) -> Keys:
    """Return 8-byte keys (n,)."""
    keys = np.zeros(len(times), layout.SHORT_KEY)
    keys["time"], keys["value"] = times, values
    return keys


def full_keys(times: Array, values: Array, interpolation: Array | None = None, handles: Handles | None = None) -> Keys:
    """Return 28-byte keys (n,) of one component; lines in the recorder's own form where `interpolation` is None."""
    keys = np.zeros(len(times), layout.FULL_KEY)
    keys["time"], keys["value"] = times, values
    keys["weighted_mode"] = layout.WEIGHTED_BOTH
    if interpolation is None or len(keys) < 2:
        return keys
    # a step is said by an infinite tangent
    keys["out_tangent"][:-1][interpolation[:-1] == Interpolation.CONSTANT] = np.inf
    if handles is not None:
        segments = np.flatnonzero(interpolation[:-1] == Interpolation.BEZIER)
        span = np.diff(times)[segments]
        right = handles.times[segments, 1], handles.values[0, segments, 1]
        left = -handles.times[segments + 1, 0], -handles.values[0, segments + 1, 0]
        _set_side(keys, segments, "out", layout.WEIGHTED_OUT, span, *right)
        _set_side(keys, segments + 1, "in", layout.WEIGHTED_IN, span, *left)
    return keys


def _set_side(keys: Keys, rows: Array, name: str, side: int, span: Array, width: Array, height: Array) -> None:
    """Set tangent and weight of one side from a handle `width` seconds long and `height` high.

    A handle longer than its segment is cut with its slope kept, as Blender plays it; an upright one becomes
    as steep as a small weight allows.
    """
    # an upright handle gets a small weight and a steep tangent
    width = np.where((width <= 0.0) & (height != 0.0), _STEEPEST_WEIGHT * span, width)
    with np.errstate(divide="ignore", invalid="ignore"):
        tangent = np.nan_to_num(height / width, posinf=0.0, neginf=0.0)
        weight = np.nan_to_num(np.clip(width / span, 0.0, 1.0))
    # a third of the segment needs no weight
    third = np.abs(weight - _THIRD) < _THIRD_TOLERANCE
    keys[f"{name}_tangent"][rows] = tangent
    keys[f"{name}_weight"][rows] = np.where(third, _THIRD, weight)
    keys["weighted_mode"][rows[third]] &= ~side


def with_layout(curve: Curve, full: bool) -> Curve | None:
    """Return the curve with 28- or 8-byte keys, itself if it has them already; None if lines cannot play it."""
    if curve.is_full == full:
        return curve
    times, values = curve.keys["time"], curve.keys["value"]
    if full:
        return Curve(full_keys(times, values), curve.pre_wrap, curve.post_wrap)
    if not Fields.of([curve.keys]).are_straight:
        return None
    return Curve(short_keys(times, values), curve.pre_wrap, curve.post_wrap)
