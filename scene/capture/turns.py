"""Rotations that are no quaternions as few quaternion keys: Beziers where angles move, steps where they step."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ...io_formats.clip import BEZIER, CONSTANT, Array, Handles, Track, curve, quaternion
from ...io_formats.clip.edit import written_out
from ...io_formats.clip.resample import key_times
from . import easing

TOLERANCE = 5e-5
"""Radians that pieces may be off before they are halved: a seventh of what any format promises."""

_WIDEST = np.pi
_NEAREST = 0.5

Angles = Sequence[Track | float]
"""For each component its curve by frames, or its value where it has none."""


def quaternions(mode: str, values: Array) -> Array:
    """Return unit quaternions (4, ...) of Euler angles (3, ...) or of angles and axes (4, ...), by Blender's modes."""
    if mode == "AXIS_ANGLE":
        length = np.sqrt((values[1:] ** 2).sum(axis=0))
        axes = np.where(length > 0, values[1:] / np.where(length > 0, length, 1.0), 0.0)
        return quaternion.normalise(np.concatenate((np.cos(values[:1] / 2), np.sin(values[:1] / 2) * axes)))
    result = np.zeros((4, *values.shape[1:]))
    result[0] = 1.0
    for axis in map("XYZ".index, mode):
        single = np.zeros_like(result)
        single[0], single[1 + axis] = np.cos(values[axis] / 2), np.sin(values[axis] / 2)
        result = quaternion.multiply(single, result)
    return result


def turning_track(
    node: str, name: str, mode: str, angles: Angles, first: float, last: float, tolerance: float = TOLERANCE
) -> Track:
    """Return a quaternion track (4, n) by frames that turns as the angles do.

    Repeating angles are written out from `first` to `last`. Pieces are compared at twelve frames of each, and further
    off than `tolerance` only where they became `easing.FINEST`.
    """
    angles = [written_out(entry, first, last) if isinstance(entry, Track) else entry for entry in angles]
    frames, steps = key_times(entry for entry in angles if isinstance(entry, Track))

    def turns(at: Array) -> tuple[Array, Array]:
        rows = [curve.evaluate(row, at)[0] if isinstance(row, Track) else np.full(len(at), row) for row in angles]
        values = np.stack(rows)
        return values, quaternions(mode, values)

    moving = ~np.isin(frames[:-1], steps)
    pieces = easing.fitted(frames[:-1][moving], frames[1:][moving], _fit(turns), tolerance)
    return _track(node, name, frames, pieces, turns(frames)[1])


def _fit(turns: Callable[[Array], tuple[Array, Array]]) -> easing.Fit:
    """Return a fit of pieces to turns; those too wide for the short way between their ends count as far off."""

    def fit(low: Array, high: Array) -> tuple[Array, Array]:
        at = easing.probed_frames(low, high)
        angles, turned = (found.reshape(len(found), *at.shape) for found in turns(at.ravel()))
        signs = np.where(quaternion.dot(turned[:, 1:], turned[:, :-1]) < 0, -1.0, 1.0)
        turned[:, 1:] *= np.cumprod(signs, axis=0)
        points, drawn = easing.cubics(np.moveaxis(turned, 0, 1))
        errors = quaternion.distance(np.moveaxis(drawn, 1, 0), turned).max(axis=0)
        wide = (np.ptp(angles, axis=1).max(axis=0) > _WIDEST) | (quaternion.dot(turned[:, 0], turned[:, -1]) < _NEAREST)
        return points, np.where(wide, _WIDEST, errors)

    return fit


def _track(node: str, name: str, frames: Array, pieces: easing.Pieces, turned: Array) -> Track:
    """Return keys at frames (n,) of turns (4, n) and where pieces meet, each on the short way from the last."""
    inner = ~np.isin(pieces.low, frames)
    every = np.concatenate((frames, pieces.low[inner]))
    order = np.argsort(every, kind="stable")
    every = every[order]
    values = np.concatenate((turned, pieces.points[0][:, inner]), axis=1)[:, order]
    values = values * quaternion.align_signs(values)
    begin, end = np.searchsorted(every, pieces.low), np.searchsorted(every, pieces.high)
    handles = Handles(np.zeros((len(every), 2)), np.zeros((4, len(every), 2)))
    signs = np.where(quaternion.dot(values[:, begin], pieces.points[0]) < 0, -1.0, 1.0)
    handles.times[begin, 1] = (pieces.high - pieces.low) / 3
    handles.times[end, 0] = (pieces.low - pieces.high) / 3
    handles.values[:, begin, 1] = (pieces.points[1] - pieces.points[0]) * signs
    handles.values[:, end, 0] = (pieces.points[2] - pieces.points[3]) * signs
    shapes = np.full(len(every), CONSTANT, np.uint8)
    shapes[begin] = BEZIER
    return Track.sampled(node, name, every, values, shapes, handles=handles)
