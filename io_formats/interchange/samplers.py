"""Tracks as glTF plays them: strictly ascending float32 times, and one of three interpolations for all of a sampler.

STEP and LINEAR are what they are here; LINEAR rotations follow the great arc there, a normalised straight line here, so
that they get keys in between where these differ. Where anything bends, all is CUBICSPLINE: a Hermite curve with a
tangent a second at each side of each key, which is a Bezier curve with handles at thirds.

    p(t) = (2t^3 - 3t^2 + 1) v0 + d (t^3 - 2t^2 + t) out0 + (-2t^3 + 3t^2) v1 + d (t^3 - t^2) in1    (d seconds)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ..clip import (
    BEZIER,
    CONSTANT,
    LINEAR,
    RESTING,
    ROTATION,
    Array,
    Track,
    curve,
    keys,
)
from ..clip import quaternion as rotation
from ..clip.fit import refit_thirds
from ..clip.join import unite
from .finite import narrow

STEP, STRAIGHT, CUBIC = "STEP", "LINEAR", "CUBICSPLINE"

_TOLERANCE = 1e-5
"""How far fitted curves may be off: radians, and as a part of the range of other values."""

_TURNED = 1e-4
"""Radians that a player may be off where it turns along great arcs: less than a person sees, in few keys."""

_EDGE = 1e-3
"""Seconds that a jump takes beside straight lines: of keys within a hundredth of a frame Blender sees one."""

_SHORTEST = _EDGE
"""Seconds of a segment that gets no further key in between."""


@dataclass(frozen=True)
class Sampler:
    """One curve of a glTF animation.

    Attributes:
        times: (n,) float32 seconds, strictly ascending, from 0 on.
        values: (n, components) float32, for CUBICSPLINE (n, 3, components): tangent to it, value, tangent from it.
        interpolation: STEP, LINEAR or CUBICSPLINE.
    """

    times: Array
    values: Array
    interpolation: str


def block_of(tracks: Sequence[Track]) -> tuple[Track, float]:
    """Return one block of all components of a property of a node, and how far its curves were fitted off.

    That is a share of their range.

    Args:
        tracks: of its components, all with keys, held outside them; those that it does not name rest.
    """
    first = tracks[0]
    rows = {row.component: row for track in tracks for row in track.rows()}
    resting = RESTING[first.property]
    whole = [rows[at] if at in rows else _resting(first, at, rest) for at, rest in enumerate(resting)]
    alone = len(tracks) == 1 and len(first.values) == len(resting)
    reach = 1.0 if first.property == ROTATION else _range(tracks)
    tolerance = _TOLERANCE * reach
    block, error, _ = refit_thirds(first if alone else unite(whole, tolerance), tolerance)
    return replace(block, component=0, width=len(resting), match=None, inserted=None), error / reach


def _resting(like: Track, component: int, value: float) -> Track:
    return Track.constant(
        like.node, like.property, (value,), float(like.times[0]), component=component, width=like.width
    )


def _range(tracks: Sequence[Track]) -> float:
    """Return the largest range of a component, 1 where nothing moves."""
    return max(float(np.ptp(track.values.astype(np.float64), axis=1).max(initial=0.0)) for track in tracks) or 1.0


def sampler_of(block: Track) -> Sampler:
    """Return the sampler of a block of all components; see `block_of`."""
    if block.property == ROTATION:
        block = _unit_turns(block)
    shapes = set(block.interpolation[:-1].tolist())
    if shapes == {int(CONSTANT)}:
        return _sampler(_ascending(block), STEP)
    ascending = _ascending(_with_edges(_with_steps_as_keys(block)))
    if block.property == ROTATION:  # an edge lies on the straight line between two turns
        ascending = _of_unit_length(ascending)
    bent = len(ascending.times) > 1 and (ascending.interpolation[:-1] == BEZIER).any()
    return _cubic(ascending) if bent else _sampler(ascending, STRAIGHT)


def lasting(track: Track, end: float) -> Track:
    """Return the track, which ends earlier, with its last value held until `end` seconds."""
    longer = track.take(np.append(np.arange(len(track.times)), len(track.times) - 1))
    shapes = np.append(track.interpolation[:-1], [CONSTANT, CONSTANT])
    if not (track.interpolation[:-1] == CONSTANT).all():
        shapes[-2] = LINEAR
    return replace(
        longer, times=np.append(track.times[:-1].astype(np.float64), [track.times[-1], end]), interpolation=shapes
    )


def _sampler(track: Track, interpolation: str) -> Sampler:
    return Sampler(track.times, narrow(track.values.T), interpolation)


def _with_steps_as_keys(track: Track) -> Track:
    """Return the curve with a second key at the end of each held segment, which is then a level line."""
    held = np.flatnonzero(track.interpolation[:-1] == CONSTANT)
    if not len(held):
        return track
    handles = None if track.handles is None else track.handles.opened(held + 1)
    shapes = np.where(track.interpolation == CONSTANT, LINEAR, track.interpolation)
    return replace(
        track,
        times=np.insert(track.times, held + 1, track.times[held + 1]),
        values=np.insert(track.values, held + 1, track.values[:, held], axis=1),
        interpolation=np.insert(shapes, held + 1, LINEAR),
        handles=handles,
    )


def _with_edges(track: Track) -> Track:
    """Return the curve with a key a moment before each jump, from where a line leads to what comes after it.

    A jump is between keys at one time of the file's single precision, as rounds of a repeat meet but for rounding.
    """
    times = track.times.astype(np.float32).astype(np.float64)
    before = np.append(0.0, times[:-1])
    jumps = np.append(times[1:] == times[:-1], False) & (times > before)
    edges = (times - np.minimum(_EDGE, (times - before) / 2))[jumps]
    if not len(edges):
        return track
    if jumps[0]:  # nothing moves before the first key
        track = replace(track, times=np.append(edges[:1], times[1:]))
    cut = curve.subdivide(track, edges)
    return replace(cut, interpolation=np.where(np.isin(cut.times, edges), LINEAR, cut.interpolation))


def _ascending(track: Track) -> Track:
    """Return the track with strictly ascending float32 times: of several keys at one time the last, which plays."""
    times = track.times.astype(np.float32)
    last = np.append(times[1:] != times[:-1], True)
    return replace(track.take(last), times=times[last])


def _cubic(track: Track) -> Sampler:
    """Return a track of BEZIER segments with handles at thirds, and of LINEAR ones, as Hermite curves."""
    values = track.values.astype(np.float64)
    length = np.diff(track.times.astype(np.float64))
    slope = np.diff(values, axis=1) / length
    leave, arrive = slope.copy(), slope.copy()
    bent = np.flatnonzero(track.interpolation[:-1] == BEZIER)
    if track.handles is not None:
        leave[:, bent] = 3 * track.handles.values[:, bent, 1] / length[bent]
        arrive[:, bent] = -3 * track.handles.values[:, bent + 1, 0] / length[bent]
    none = np.zeros((len(values), 1))
    parts = np.stack((np.append(none, arrive, axis=1), values, np.append(leave, none, axis=1)))
    return Sampler(track.times, narrow(parts.transpose(2, 0, 1)), CUBIC)


# --- Rotations -------------------------------------------------------------------------------------------------------


def _unit_turns(block: Track) -> Track:
    """Return quaternions (4, n) of length 1 that follow each other the short way where straight lines join them.

    What played between keys of other lengths, the long way round, or on a line that is not the great arc, gets keys in
    between until it plays the same within the tolerance.
    """
    bent = bool((block.interpolation[:-1] == BEZIER).any())
    times, play = block.times.astype(np.float64), partial(curve.evaluate, block)

    def far(low: Array, high: Array) -> Array:
        unit = _of_unit_length(curve.subdivide(block, np.append(low, high)))
        first, last = (curve.evaluate(unit, at) for at in (low, np.nextafter(high, low)))

        def drawn(part: float) -> Array:
            if bent:
                return curve.evaluate(unit, low + (high - low) * part)
            return rotation.great_arc(first, last, part)

        return keys.apart(low, high, play, drawn, rotation.distance) > _TURNED

    moving = (block.interpolation[:-1] != CONSTANT) & (np.diff(times) > 0)
    added = keys.halved(times[:-1][moving], times[1:][moving], far, _SHORTEST)
    unit = _of_unit_length(curve.subdivide(block, added))
    return unit if bent else replace(unit, values=unit.values * rotation.align_signs(unit.values))


def _of_unit_length(block: Track) -> Track:
    """Return quaternions, and their handles, divided by their lengths."""
    unit = rotation.normalise(block.values)
    handles = block.handles
    if handles is not None:
        length = np.sqrt(rotation.dot(block.values.astype(np.float64), block.values.astype(np.float64)))
        handles = handles.scaled(1.0 / np.where(length > 0, length, 1.0))
    return replace(block, values=unit, handles=handles)
