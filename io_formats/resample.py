"""Poses sampled where no linear map on keys exists: a node told relative to a parent that moves otherwise."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from . import messages, rotation
from .clip import LOCATION, ROTATION, SCALE, Array, Interpolation, Node, Track, Wrap
from .errors import Report
from .pose import Chains, decompose, inverse, product

_ROUNDS = 8
_TOLERANCE = 1e-3
_SLIVER = 2.0**-10
_SHEAR = 1e-4


@dataclass(frozen=True)
class LineTolerance:
    """How far straight lines between samples may be off: `place` along each axis, `turn` in radians."""

    place: float
    turn: float


@dataclass
class _Relative:
    """A node relative to world(anchor) x offset, its new rest pose in the world; to offset alone for no anchor."""

    chains: Chains
    name: str
    anchor: str | None
    offset: Array
    turn: Array

    def channels(self, times: Array) -> tuple[Array, Array, Array, float]:
        """Location, quaternion with continuous signs, scale, and the largest shear that these leave out."""
        base = self.offset if self.anchor is None else product(self.chains.world(self.anchor, times), self.offset)
        own = product(self.chains.world(self.name, times), self.turn)
        matrices = np.broadcast_to(product(inverse(base), own), (len(times), 4, 4))
        location, quaternion, scale, shear = decompose(matrices)
        quaternion = quaternion * rotation.align_signs(quaternion)
        return location, quaternion, scale, float(shear.max(initial=0.0))


def resample(
    chains: Chains,
    node: Node,
    anchor: str | None,
    offset: Array,
    turn: Array,
    times: Array | None,
    report: Report,
    tolerance: LineTolerance | None = None,
) -> tuple[list[Track], float]:
    """Transform tracks for `node` whose rest lies at world(anchor) x offset (at offset for no anchor), and their error.

    Sampled at `times`, or if None at all key times involved and wherever straight lines between these would be off by
    more than `tolerance`, by default a thousandth (of the range of the locations; radians; of the scale). The error
    is a part of that range, or with a tolerance a length that no place is off by more.
    """
    relative = _Relative(chains, node.name, anchor, offset, turn)
    involved = chains.involved(node.name, anchor)
    error = 0.0
    steps = np.zeros(0)
    if times is None:
        times, steps = key_times(involved)
        times, error = _refined(relative, times, steps, tolerance)
    location, quaternion, scale, shear = relative.channels(times)
    if shear > _SHEAR:
        report.warn(messages.SHEAR_DROPPED, node=node.name)
    interpolation = np.full(len(times), Interpolation.LINEAR, dtype=np.uint8)
    interpolation[np.isin(times, steps)] = Interpolation.CONSTANT
    blocks = {LOCATION: location, ROTATION: quaternion}
    if np.abs(scale - 1).max(initial=0.0) > 1e-6:
        blocks[SCALE] = scale
    before, after = _wraps(involved, report)
    tracks = [
        Track(node.name, name, times, values, interpolation, width=len(values), before=before, after=after)
        for name, values in blocks.items()
    ]
    return tracks, error


def _wraps(tracks: list[Track], report: Report) -> tuple[Wrap, Wrap]:
    """What all tracks do outside their keys, if they agree; otherwise hold."""
    wraps = {(track.before, track.after) for track in tracks}
    spans = {(float(track.times[0]), float(track.times[-1])) for track in tracks if len(track.times)}
    if len(wraps) == 1 and (len(spans) == 1 or wraps == {(Wrap.HOLD, Wrap.HOLD)}):
        return wraps.pop()
    repeating = sum((track.before, track.after) != (Wrap.HOLD, Wrap.HOLD) for track in tracks)
    if repeating:
        report.warn(messages.WRAPS_DROPPED, count=repeating)
    return Wrap.HOLD, Wrap.HOLD


def key_times(tracks: Iterable[Track]) -> tuple[Array, Array]:
    """All key times, and those that begin an interval in which nothing moves until its end.

    Where some step and others move, a time just before the step is added, so that the step stays steep.
    """
    tracks = [track for track in tracks if len(track.times)]
    if not tracks:
        return np.zeros(1), np.zeros(0)
    times = np.unique(np.concatenate([track.times.astype(np.float64) for track in tracks]))
    if len(times) < 2:
        return times, np.zeros(0)
    stepping = np.zeros(len(times) - 1, dtype=bool)
    moving = np.zeros(len(times) - 1, dtype=bool)
    for track in tracks:
        at = np.searchsorted(track.times, times[:-1], side="right") - 1
        inside = (at >= 0) & (at < len(track.times) - 1)
        constant = track.interpolation[np.maximum(at, 0)] == Interpolation.CONSTANT
        stepping |= inside & constant
        moving |= inside & ~constant
    mixed = np.flatnonzero(stepping & moving)
    edges = times[mixed + 1] - (times[mixed + 1] - times[mixed]) * _SLIVER
    steps = np.concatenate((times[:-1][stepping & ~moving], edges))
    return np.unique(np.concatenate((times, edges))), steps


def _refined(relative: _Relative, times: Array, steps: Array, tolerance: LineTolerance | None) -> tuple[Array, float]:
    """The times with more between them where lines between samples would be too far off; the error that is left."""
    if len(times) < 2:
        return times, 0.0
    low, high = times[:-1], times[1:]
    moving = ~np.isin(low, steps)
    low, high = low[moving], high[moving]
    allowed = tolerance or _usual_tolerance(relative, times)
    unit = _TOLERANCE if tolerance is None else tolerance.place
    added = [times]
    share = 0.0
    for step in range(_ROUNDS + 1):
        if step:
            relative.chains.forget_but(times)
        shares = _line_errors(relative, low, high, allowed)
        bad = shares > 1.0
        if step == _ROUNDS or not bad.any():
            return np.unique(np.concatenate(added)), max(share, float(shares.max(initial=0.0))) * unit
        share = max(share, float(shares[~bad].max(initial=0.0)))
        low, high = low[bad], high[bad]
        middle = (low + high) / 2
        added.append(middle)
        low, high = np.concatenate((low, middle)), np.concatenate((middle, high))
    return np.unique(np.concatenate(added)), share * unit


def _usual_tolerance(relative: _Relative, times: Array) -> LineTolerance:
    size = float(np.ptp(relative.channels(times)[0], axis=1).max()) or 1.0
    return LineTolerance(_TOLERANCE * size, _TOLERANCE)


def _line_errors(relative: _Relative, low: Array, high: Array, allowed: LineTolerance) -> Array:
    """(p,) share of what is allowed that lines between the ends of intervals are off, at each quarter."""
    parts = (0.0, 0.25, 0.5, 0.75, 1.0)
    count = len(low)
    times = np.concatenate([low + (high - low) * part for part in parts])
    location, quaternion, scale, _ = relative.channels(times)
    places, scales = location.reshape(3, 5, count), scale.reshape(3, 5, count)
    turns = quaternion.reshape(4, 5, count)
    end = turns[:, 4] * np.where(rotation.dot(turns[:, 0], turns[:, 4]) < 0, -1.0, 1.0)
    worst = np.zeros(count)
    for index in (1, 2, 3):
        part = parts[index]
        line = places[:, 0] + (places[:, 4] - places[:, 0]) * part
        worst = np.maximum(worst, np.abs(line - places[:, index]).max(axis=0) / allowed.place)
        turned = rotation.distance(turns[:, 0] + (end - turns[:, 0]) * part, turns[:, index])
        worst = np.maximum(worst, turned / allowed.turn)
        line = scales[:, 0] + (scales[:, 4] - scales[:, 0]) * part
        worst = np.maximum(worst, np.abs(line - scales[:, index]).max(axis=0) / _TOLERANCE)
    return worst
