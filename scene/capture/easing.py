"""Segments that ease, bounce or swing as Beziers with handles at thirds, split until these follow them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from bpy.types import FCurve, Keyframe

from ...io_formats.clip import BEZIER, LINEAR, Array, Interpolation
from ...io_formats.clip.fcurve_keys import KeyBlock

FINEST = 1.0 / 1024.0
"""Frames: no piece is split below this."""

_NOISE = 8.0
"""Times the tolerance: what is less and did not become half as much by halving is Blender's own rounding."""

_ROUNDED = 1.5
"""Spacings of float32 frames by which a cubic may be beside a curve: half of one for each probe, thirds weighed."""

_PARTS = 12
_THIRDS = np.arange(0, _PARTS + 1, _PARTS // 3)
_SHARES = np.arange(_PARTS + 1) / _PARTS
_BOUNCES = np.array([1.0, 2.0, 2.5]) / 2.75
"""Where Blender's easing bounces, as parts of a segment that eases out."""

Values = Callable[[Array], Array]
"""The values (m,) of a curve at frames (m,)."""

Fit = Callable[[Array, Array], tuple[Array, Array]]
"""Bezier points (4, ..., p) for pieces from one frame to another (p,), and how far these are off (p,)."""


@dataclass(frozen=True)
class Pieces:
    """Cubic pieces: (p,) frames where they begin and end, and (4, ..., p) values of their Bezier points."""

    low: Array
    high: Array
    points: Array


def as_beziers(curve: FCurve, block: KeyBlock, values: Values, tolerance: float) -> KeyBlock:
    """Return a block of one component whose segments of other shapes than the usual three are Beziers.

    Args:
        curve: the F-Curve that it was read of.
        values: plays the curve.
        tolerance: how far a piece may be off, in the curve's unit, before it is split.
    """
    frames = block.frames.astype(np.float64)
    eased = np.append(block.interpolation[:-1] > Interpolation.BEZIER, False)
    begins = np.flatnonzero(eased[:-1] & (np.diff(frames) > 0))
    edges = [_edges(curve.keyframe_points[int(at)], frames[at], frames[at + 1]) for at in begins]
    low = np.concatenate([part[:-1] for part in edges]) if edges else np.zeros(0)
    high = np.concatenate([part[1:] for part in edges]) if edges else np.zeros(0)
    pieces = fitted(low, high, partial(_cubic, values), tolerance)
    shapes = np.where(block.interpolation > Interpolation.BEZIER, LINEAR, block.interpolation)
    return _with_pieces(block, frames, shapes, pieces)


def _edges(key: Keyframe, first: float, last: float) -> Array:
    """Return the frames (n,) at which the segment that a key begins is not smooth, with its ends."""
    if key.interpolation == "BOUNCE":
        sides = {"EASE_IN": 1 - _BOUNCES, "EASE_IN_OUT": np.append((1 - _BOUNCES) / 2, (1 + _BOUNCES) / 2)}
        inner = sides.get(key.easing, _BOUNCES)
    else:
        inner = np.zeros(0)
    shares = np.unique(np.concatenate(([0.0, 0.5] if key.easing == "EASE_IN_OUT" else [0.0], inner)))
    return np.append(first + (last - first) * shares, last)


def fitted(low: Array, high: Array, fit: Fit, tolerance: float) -> Pieces:
    """Return pieces from `low` to `high` (p,), halved until within the tolerance or FINEST."""
    done: list[Pieces] = []
    before = np.full(len(low), np.inf)
    while not done or len(low):
        points, errors = fit(low, high)
        rounding = (errors < _NOISE * tolerance) & (errors > before / 2)
        split = (errors > tolerance) & ~rounding & (high - low > FINEST)
        done.append(Pieces(low[~split], high[~split], points[..., ~split]))
        middle = (low[split] + high[split]) / 2
        low, high = np.concatenate((low[split], middle)), np.concatenate((middle, high[split]))
        before = np.tile(errors[split], 2)
    pieces = Pieces(
        *(np.concatenate([getattr(part, name) for part in done], axis=-1) for name in ("low", "high", "points"))
    )
    order = np.argsort(pieces.low)
    return Pieces(pieces.low[order], pieces.high[order], pieces.points[..., order])


def probed_frames(low: Array, high: Array) -> Array:
    """Return the frames (parts + 1, p) at which pieces from `low` to `high` (p,) are compared with the curve."""
    result: Array = low + (high - low) * _SHARES[:, None]
    return result


def cubics(seen: Array) -> tuple[Array, Array]:
    """Return Bezier points (4, ..., p) of cubics through the ends and thirds of what was seen, and the cubics.

    Args:
        seen: (parts + 1, ..., p) values at `probed_frames`.
    """
    first, second, third, last = seen[_THIRDS]
    right = (-5 * first + 18 * second - 9 * third + 2 * last) / 6
    left = (2 * first - 9 * second + 18 * third - 5 * last) / 6
    share = _SHARES.reshape(-1, *[1] * (seen.ndim - 1))
    rest = 1 - share
    drawn = rest**3 * first + 3 * rest**2 * share * right + 3 * rest * share**2 * left + share**3 * last
    return np.stack((first, right, left, last)), drawn


def _cubic(values: Values, low: Array, high: Array) -> tuple[Array, Array]:
    """Return Bezier points (4, p) of the cubics that follow a curve's values, and how far they are off (p,)."""
    at = probed_frames(low, high)
    seen = values(at.ravel()).reshape(at.shape)
    points, drawn = cubics(seen)
    return points, np.maximum(np.abs(drawn - seen).max(axis=0) - _rounding(at, seen), 0.0)


def _rounding(at: Array, seen: Array) -> Array:
    """Return (p,) how far off a cubic through values `seen` may be as Blender plays no finer frames than float32's.

    That grows with the frame's number, and where it is steep no piece is short enough to follow it.
    """
    steepest = (np.abs(np.diff(seen, axis=0)) / np.diff(at, axis=0)).max(axis=0)
    spacing = np.spacing(np.abs(at).max(axis=0).astype(np.float32)).astype(np.float64)
    result: Array = _ROUNDED * spacing * steepest
    return result


def _with_pieces(block: KeyBlock, frames: Array, shapes: Array, pieces: Pieces) -> KeyBlock:
    """Return the block with keys where pieces meet, and their handles."""
    inner = ~np.isin(pieces.low, frames)
    every = np.concatenate((frames, pieces.low[inner]))
    order = np.argsort(every, kind="stable")
    every = every[order]
    values = np.concatenate((block.values[0].astype(np.float64), pieces.points[0][inner]))[order]
    shape = np.concatenate((shapes, np.full(int(inner.sum()), BEZIER)))[order]
    handles = np.repeat(np.stack((every, values), axis=-1)[:, None], 2, axis=1)
    own = order < len(frames)
    if block.handles is not None:
        handles[own] = block.handles[0][order[own]]
    begin = np.searchsorted(every, pieces.low, side="right") - 1
    end = np.searchsorted(every, pieces.high, side="left")
    third = (pieces.high - pieces.low) / 3
    shape[begin] = BEZIER
    handles[begin, 1] = np.stack((pieces.low + third, pieces.points[1]), axis=-1)
    handles[end, 0] = np.stack((pieces.high - third, pieces.points[2]), axis=-1)
    return KeyBlock(every, values[None], shape.astype(np.uint8), handles[None])
