"""F-Curves as tracks: keys as they stand, with their relation to what the importer wrote; more than keys, sampled.

A curve whose digest is the importer's becomes the file's own track: the same arrays, nothing computed. Of any other the
keys are matched one by one with those that were written.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np
from bpy.types import FCurve, Keyframe

from ...io_formats.clip import BEZIER, CONSTANT, LINEAR, ROTATION, Array, Handles, KeyMatch, Track, ValueKind, Wrap
from ...io_formats.clip.curve import evaluate as evaluate_track
from ...io_formats.clip.curve import subdivide
from ...io_formats.clip.edit import backwards, one_after_another, steps_apart, trim_track, written_out
from ...io_formats.clip.fcurve_keys import FrameCache, KeyBlock, from_keys, match_keys, to_keys
from ...io_formats.clip.fit import halved
from ...io_formats.clip.measure import is_in_order
from ...io_formats.clip.quaternion import align_signs, distance, dot, multiply, normalise
from ...io_formats.clip.resample import key_times
from .. import fcurves
from ..fcurves import DrivenCurve, FoundCurve, PlayedCurve, StripCurve, evaluate
from .timing import Capture, Span

if TYPE_CHECKING:
    from .driven import Driven, Sources

VALUE_TOLERANCE = 1e-5
"""How far, as part of the range of the values, samples may be from the straight lines that replace them."""
ANGLE_TOLERANCE = 2e-5
"""The same for rotations, in radians."""

TURN = math.radians(0.02) / 1e-4
"""Radians that a turn may be off, for each part of a figure that places may be off."""

_ROUNDING = 1e-6


class CurveReader:
    """Makes tracks of F-Curves; what many of them need is worked out once."""

    def __init__(self, capture: Capture, sources: Sources) -> None:
        self._span = capture.span
        self._sources = sources
        self._stretch = capture.timing.stretch
        rate = 0.0 if capture.provenance is None else capture.provenance.placement.rate
        self._cache = FrameCache(rate, capture.span.start_frame)
        self._whole_match = cache(KeyMatch.whole)  # in which every key is its own; tracks of equal length share it

    def track(self, driven: Driven, component: int, curve: PlayedCurve, found: FoundCurve, *, untouched: bool) -> Track:
        """Return one F-Curve as a track; `untouched` if it is as the importer wrote it."""
        written = self._sources.rows.get((driven.node, driven.address, component))
        own = None if written is None else written[0].row(written[1])
        numbers = () if own is None else (own.values, *(own.handles or ()))
        if untouched and own is not None and is_in_order(own) and all(np.isfinite(each).all() for each in numbers):
            match = self._whole_match(len(own.times))
            if self._stretch == 1.0:
                return own.but(match=match)
            return own.slower(self._stretch).but(match=_at_another_rate(match))
        block, before, after = spell_out(curve, found, self._span)
        keys = from_keys(block, self._span.rate, self._span.start_frame)
        track = Track(driven.node, driven.property, **keys, component=component, width=driven.width, **driven.kinds)
        track = track.but(before=before, after=after)
        if own is None:
            track = track.but(inserted=None)
        else:  # what only the importer put in stays known as such
            known = to_keys(own, self._cache.rate, self._cache.start_frame, cache=self._cache)
            match = match_keys(known, block, (before, after) == (own.before, own.after))
            track = _with_own(track, own.slower(self._stretch), match)
            inserted = None if own.inserted is None else match.still_inserted(own.inserted)
            track = track.but(match=match if self._stretch == 1.0 else _at_another_rate(match), inserted=inserted)
        if untouched or track.value_kind not in (ValueKind.BOOL, ValueKind.INT):
            return track
        # Blender cuts fractions off, and a bool is True from 1 on
        is_on = (track.values > 1.0 - np.finfo(np.float32).eps).astype(track.values.dtype)
        return track.but(values=is_on if track.value_kind is ValueKind.BOOL else np.trunc(track.values))


def _with_own(track: Track, own: Track, match: KeyMatch) -> Track:
    """Return a track with the file's own seconds, which frames round, unless keys less than a rounding apart would then
    change places; and its handles where a side is as it was: beside an edited key Blender makes short ones longer."""
    known, keys = match.keys >= 0, np.maximum(match.keys, 0)
    times = np.where(match.same_time & known, own.times[keys], track.times)
    handles = track.handles
    if handles is not None and own.handles is not None:
        same = np.stack((match.same_left, match.same_right), axis=1) & known[:, None]
        handles = Handles(*(np.where(same, *both) for both in zip(own.handles.take(keys), handles, strict=True)))
    return track.but(times=times if bool((times[1:] >= times[:-1]).all()) else track.times, handles=handles)


def _at_another_rate(match: KeyMatch) -> KeyMatch:
    """Return a match in which only the values are as they were."""
    nothing = np.zeros(len(match.keys), dtype=bool)
    return match._replace(unchanged=False, same_time=nothing, same_left=nothing, same_right=nothing)


# --- More than keys ----------------------------------------------------------------------------------------------


def read(curve: PlayedCurve) -> FoundCurve:
    """Return a curve's keys; of NLA strips their Actions' at the scene's frames, of what is driven its source's."""
    if isinstance(curve, DrivenCurve):
        found = fcurves.read(curve.source)
        block, handles = found.block, None
        if block.handles is not None:
            handles = block.handles.astype(np.float64)
            handles[..., 1] = handles[..., 1] * curve.factor + curve.offset
        values = block.values * np.float64(curve.factor) + curve.offset
        return found._replace(block=replace(block, values=values, handles=handles), digest=0)
    if not isinstance(curve, StripCurve):
        return fcurves.read(curve)
    parts: list[Track] = []
    for piece in curve.pieces:
        if piece.late and parts and parts[-1].times[-1] < piece.first - FINEST:  # what ends there is still shown there
            ended = parts[-1].take(np.append(np.arange(len(parts[-1].times)), -1))
            ended.interpolation[-2] = CONSTANT
            parts[-1] = ended.but(times=np.append(parts[-1].times, piece.first))
        if isinstance(piece.curve, float):
            parts.append(Track.constant("", "", (piece.curve,), piece.first, interpolation=CONSTANT))
            continue
        low, high = sorted((piece.begin, piece.end))
        part = trim_track(_by_frames((piece.curve, fcurves.read(piece.curve)), Span(low, high, 1.0, 0.0)), low, high)
        if high > low:
            part = backwards(part, high - low) if piece.begin > piece.end else part
            part = part.slower((piece.last - piece.first) / (high - low))
        parts.append(steps_apart(part.shifted(piece.first), later=True))
    whole = one_after_another(parts, [piece.first for piece in curve.pieces])
    frames = whole.times.astype(np.float32).astype(np.float64)  # as Blender has those on which strips begin and end
    late = np.isin(frames, [piece.first for piece in curve.pieces if piece.late])
    block = to_keys(steps_apart(whole.but(times=frames), later=True, within=late), 1.0)
    return FoundCurve(block, Wrap.HOLD, Wrap.HOLD, plain=True, plays=True, digest=0)


def spell_out(curve: PlayedCurve, found: FoundCurve, span: Span) -> tuple[KeyBlock, Wrap, Wrap]:
    """Return a curve's keys, what easing, extrapolation and rounds that rise make of it among them, and its wraps.

    What other modifiers make of it is sampled, if that may be.
    """
    if found.plain or not isinstance(curve, FCurve) or not len(found.block.frames):
        return found.block, found.before, found.after
    block = _without_easing(curve, found.block)
    if found.before or found.after:
        return block, found.before, found.after
    cycles = fcurves.offset_cycles(curve)
    if cycles is not None:
        before, after, rising = cycles
        own = Track("", "", **from_keys(block, 1.0), before=before, after=after)
        rise = float(block.values[0, -1]) - float(block.values[0, 0])
        rises = rise * rising[0], rise * rising[1]
        risen = trim_track(own, span.first, span.last, rises, ends=True).shifted(span.first)
        return to_keys(risen, 1.0), Wrap.HOLD, Wrap.HOLD
    frames, shape = from_keys(block, 1.0)["times"], block.interpolation.copy()
    beyond = [frame for frame in (span.first, span.last) if not frames[0] <= frame <= frames[-1]]
    if curve.extrapolation != "LINEAR" or not beyond:
        return block, found.before, found.after
    if span.last > frames[-1]:
        shape[-1] = LINEAR
    at = np.searchsorted(frames, beyond)
    handles = None if block.handles is None else np.insert(block.handles, at, 0.0, axis=1)
    values = np.insert(block.values.astype(np.float64), at, evaluate(curve, np.array(beyond)), axis=1)
    shapes = np.insert(shape, at, LINEAR)
    return KeyBlock(np.insert(frames, at, beyond), values, shapes, handles), found.before, found.after


def _without_easing(curve: FCurve, block: KeyBlock) -> KeyBlock:
    """Return segments of other shapes than CONSTANT, LINEAR and BEZIER as Beziers with handles at thirds."""
    eased = block.interpolation > BEZIER
    if not eased.any():
        return block
    least = _ROUNDING * max(1.0, float(np.abs(block.values).max()))
    tolerance = max(VALUE_TOLERANCE * float(np.ptp(block.values[0])), least)
    track = Track("", "", **from_keys(replace(block, interpolation=np.where(eased, LINEAR, block.interpolation)), 1.0))
    frames, begins = track.times, np.flatnonzero(eased[:-1] & (np.diff(block.frames) > 0))
    edges = [_edges(curve.keyframe_points[int(at)], frames[at], frames[at + 1]) for at in begins]
    low, high = (np.concatenate([np.zeros(0), *(part[side] for part in edges)]) for side in (np.s_[:-1], np.s_[1:]))
    cubic = partial(_through, lambda at: evaluate(curve, at)[None], _beyond_rounding)
    return to_keys(_with_pieces(track, low, high, cubic, tolerance), 1.0)


# --- Rotations that are no quaternions --------------------------------------------------------------------------------


def turned(
    driven: Driven, mode: str, angles: Sequence[tuple[PlayedCurve, FoundCurve] | float], span: Span, tolerance: float
) -> list[Track]:
    """Return angles, numbers where they have no curve, as the tracks of a quaternion, within a tolerance in radians."""
    first, last = span.first, span.last
    rows = [
        entry if isinstance(entry, float) else written_out(_by_frames(entry, span), first, last, ends=True)
        for entry in angles
    ]
    frames, steps = key_times(row for row in rows if isinstance(row, Track))

    def play(at: Array) -> Array:
        played = (evaluate_track(row, at)[0] if isinstance(row, Track) else np.full(len(at), row) for row in rows)
        return np.stack(list(played))

    def cubic(low: Array, high: Array) -> tuple[Array, Array]:
        played = play((low + (high - low) * _SHARES[:, None]).ravel())
        points, off = _through(
            lambda _: quaternions(mode, played), lambda drawn, seen, _: distance(drawn, seen).max(axis=0), low, high
        )
        # what turns too wide for the short way between its ends counts as far off
        wide = np.ptp(played.reshape(len(rows), len(_SHARES), -1), axis=1).max(axis=0) > np.pi
        return points, np.where(wide | (dot(points[0], points[3]) < _NEAREST), np.pi, off)

    held = np.isin(frames, steps)
    whole = Track.sampled("", ROTATION, frames, quaternions(mode, play(frames)), np.where(held, CONSTANT, LINEAR))
    moving = ~held[:-1]
    whole = _with_pieces(whole, frames[:-1][moving], frames[1:][moving], cubic, tolerance)
    signs, handles = align_signs(whole.values), whole.handles  # each on the short way from the last
    if handles is not None:
        handles = handles.scaled(signs)._replace(times=handles.times / span.rate)
    times, values = span.seconds(whole.times), whole.values * signs
    return replace(whole, node=driven.node, times=times, values=values, handles=handles).rows()


def _by_frames(entry: tuple[PlayedCurve, FoundCurve], span: Span) -> Track:
    block, before, after = spell_out(*entry, span)
    return Track("", "", **from_keys(block, 1.0), before=before, after=after)


# Segments that ease, bounce or swing, and angles, as Beziers with handles at thirds, halved until these follow them.

FINEST = 1.0 / 1024.0
"""Frames: no piece is split below this."""

_ROUNDED = 1.5
"""Spacings of float32 frames by which a cubic may be beside a curve: half of one for each probe, thirds weighed."""

_PARTS = 12
_THIRDS = np.arange(0, _PARTS + 1, _PARTS // 3)
_SHARES = np.arange(_PARTS + 1) / _PARTS
_BOUNCES = np.array([1.0, 2.0, 2.5]) / 2.75
"""Where Blender's easing bounces, as parts of a segment that eases out."""

TOLERANCE = 5e-5
"""Radians that turns may be off: a seventh of what any format promises."""

_NEAREST = 0.5

Values = Callable[[Array], Array]
"""Rows (components, m) at frames (m,)."""

Cubic = Callable[[Array, Array], tuple[Array, Array]]
"""Bezier points (4, components, p) for pieces from one frame to another (p,), and how far these are off (p,)."""


def _edges(key: Keyframe, first: float, last: float) -> Array:
    """Return the frames (n,) at which the segment that a key begins is not smooth, with its ends."""
    inner = np.zeros(0)
    if key.interpolation == "BOUNCE":
        sides = {"EASE_IN": 1 - _BOUNCES, "EASE_IN_OUT": np.append((1 - _BOUNCES) / 2, (1 + _BOUNCES) / 2)}
        inner = sides.get(key.easing, _BOUNCES)
    shares = np.unique(np.concatenate(([0.0, 0.5] if key.easing == "EASE_IN_OUT" else [0.0], inner)))
    return np.append(first + (last - first) * shares, last)


def _through(play: Values, off: Callable[[Array, Array, Array], Array], low: Array, high: Array) -> tuple[Array, Array]:
    """Return Bezier points (4, components, p) of cubics through the ends and thirds of what plays, and their errors.

    Args:
        off: tells (p,) how far what is drawn is off what is seen, (components, parts + 1, p) both, at frames
            (parts + 1, p).
    """
    at = low + (high - low) * _SHARES[:, None]
    played = play(at.ravel())
    seen = played.reshape(len(played), *at.shape)
    first, second, third, last = seen[:, _THIRDS].swapaxes(0, 1)
    right = (-5 * first + 18 * second - 9 * third + 2 * last) / 6
    left = (2 * first - 9 * second + 18 * third - 5 * last) / 6
    share, points = _SHARES[:, None], np.stack((first, right, left, last))
    first, right, left, last = points[:, :, None]
    drawn = (1 - share) ** 3 * first + 3 * (1 - share) * share * ((1 - share) * right + share * left) + share**3 * last
    return points, off(drawn, seen, at)


def _beyond_rounding(drawn: Array, seen: Array, at: Array) -> Array:
    """Return (p,) how far off values are, but for what is due to Blender's frames, which are no finer than float32's.

    That grows with the frame's number, and where it is steep no piece is short enough to follow it.
    """
    steepest = (np.abs(np.diff(seen[0], axis=0)) / np.diff(at, axis=0)).max(axis=0)
    spacing = np.spacing(np.abs(at).max(axis=0).astype(np.float32)).astype(np.float64)
    return np.asarray(np.maximum(np.abs(drawn - seen)[0].max(axis=0) - _ROUNDED * spacing * steepest, 0.0))


def _with_pieces(track: Track, low: Array, high: Array, cubic: Cubic, tolerance: float) -> Track:
    """Return a track by frames with cubics in place of its segments from `low` to `high` (p,), within the tolerance."""
    near: list[tuple[Array, Array]] = []

    def far(low: Array, high: Array) -> Array:
        points, off = cubic(low, high)
        good = off <= tolerance
        near.append((low[good], points[..., good]))
        return off > tolerance

    cuts = halved(low, high, far, FINEST / 2)
    ends = np.unique(np.concatenate((low, high, cuts)))
    low = np.sort(np.concatenate((low, cuts)))
    high = ends[np.searchsorted(ends, low) + 1]
    # what is too short to be halved was not looked at
    begins = np.concatenate([low[:0], *(begin for begin, _ in near)])
    left = ~np.isin(low, begins)
    points = np.concatenate([*(drawn for _, drawn in near), cubic(low[left], high[left])[0]], axis=-1)
    points = points[..., np.argsort(np.concatenate((begins, low[left])))]
    inner = ~np.isin(low, track.times)
    whole = subdivide(track, low[inner])
    begin, end = np.searchsorted(whole.times, low, side="right") - 1, np.searchsorted(whole.times, high)
    shapes, handles = whole.interpolation.copy(), whole.handles
    if handles is None:
        handles = Handles(np.zeros((len(whole.times), 2)), np.zeros((*whole.values.shape, 2)))
    handles = Handles(handles.times.copy(), handles.values.copy())
    whole.values[:, begin[inner]] = points[0][:, inner]
    shapes[begin] = BEZIER
    handles.times[begin, 1], handles.times[end, 0] = (high - low) / 3, (low - high) / 3
    handles.values[:, begin, 1], handles.values[:, end, 0] = points[1] - points[0], points[2] - points[3]
    return replace(whole, interpolation=shapes, handles=handles)


def quaternions(mode: str, values: Array) -> Array:
    """Return unit quaternions (4, ...) of what turns in one of Blender's modes, angles (3, ...) or numbers (4, ...)."""
    if mode == "QUATERNION":
        return normalise(values)
    if mode == "AXIS_ANGLE":
        length = np.sqrt((values[1:] ** 2).sum(axis=0))
        axes = np.where(length > 0, values[1:] / np.where(length > 0, length, 1.0), 0.0)
        return normalise(np.concatenate((np.cos(values[:1] / 2), np.sin(values[:1] / 2) * axes)))
    result = np.zeros((4, *values.shape[1:]))
    result[0] = 1.0
    for axis in map("XYZ".index, mode):
        single = np.zeros_like(result)
        single[0], single[1 + axis] = np.cos(values[axis] / 2), np.sin(values[axis] / 2)
        result = multiply(single, result)
    return result
