"""Quaternion curves with keys of length 1 that play as those of any length and sign do."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from . import Array, Track, curve, quaternion
from .join import by_track, unite

Distance = Callable[[Array, Array], Array]

_UNIT_TOLERANCE = 1e-6
_SAME_LENGTH = 1e-5
_HALVINGS = 12
_PROBES = 33


def unit_rotations(tracks: list[Track], tolerance: float, least: float = 0.0) -> list[Track]:
    """Return quaternions whose keys have length 1 and no jumps to the opposite sign.

    Between keys of different lengths Blender turns faster towards the longer one, and between opposite signs the long
    way. Segments are halved until unit keys play the same.

    Args:
        tracks: the four components in order, in one block or several that share their times.
        tolerance: radians.
        least: seconds; segments are not halved into shorter ones.
    """
    if play_alike(np.concatenate([track.values for track in tracks])):
        return with_unit_keys(tracks)
    block = unite(tracks)
    (unit,) = with_unit_keys([block])
    for _ in range(_HALVINGS):
        far = segment_errors(block, unit, quaternion.distance) > tolerance
        far &= np.diff(block.times) > 1.99 * least
        if not far.any():
            break
        start, end = block.times[:-1].astype(np.float64), block.times[1:].astype(np.float64)
        block = curve.subdivide(block, ((start + end) / 2.0)[far])
        (unit,) = with_unit_keys([block])
    return [unit] if len(tracks) == 1 else unit.rows()


def with_unit_keys(tracks: list[Track]) -> list[Track]:
    """Return the keys with length 1 and of one sign, handles shrunk with their key; zero stands for no turn."""
    values = np.concatenate([track.values for track in tracks]).astype(np.float64)
    length = _lengths(values)
    factors = np.where(np.abs(length - 1.0) < _UNIT_TOLERANCE, 1.0, 1.0 / np.where(length > 0.0, length, 1.0))
    signs = quaternion.align_signs(values) * factors
    unit = np.where(length > 0.0, values * signs, quaternion.IDENTITY[:, None])
    return [
        track.but(values=rows, handles=None if track.handles is None else track.handles.scaled(signs))
        for track, rows in zip(tracks, by_track(unit, tracks), strict=True)
    ]


def play_alike(values: Array) -> bool:
    """Return whether unit keys surely play as (4, n) do: neighbours have nearly one length, and one sign."""
    length = _lengths(values.astype(np.float64))
    if not length.all() or quaternion.align_signs(values).min(initial=1.0) < 0:
        return False
    return bool((np.abs(length[1:] / length[:-1] - 1.0) < _SAME_LENGTH).all())


def _lengths(values: Array) -> Array:
    result: Array = np.sqrt(quaternion.dot(values, values))
    return result


def segment_errors(block: Track, other: Track, distance: Distance) -> Array:
    """Return (n - 1,) the largest distance found in each segment of `other`, probed at several moments."""
    start, span = other.times[:-1].astype(np.float64), np.diff(other.times.astype(np.float64))
    parts = np.arange(1, _PROBES + 1) / (_PROBES + 1)
    moments = (start[:, None] + span[:, None] * parts).ravel()
    errors = distance(curve.evaluate(block, moments), curve.evaluate(other, moments))
    result: Array = errors.reshape(len(span), _PROBES).max(axis=1, initial=0.0)
    return result
