"""F-Curves as tracks: keys as they stand, with their relation to what the importer wrote; more than keys, sampled.

A curve whose digest is the importer's becomes the file's own track: the same arrays, nothing computed. Of any other the
keys are matched one by one with those that were written.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from bpy.types import FCurve, Keyframe

from ...io_formats.clip import (
    BEZIER,
    CONSTANT,
    LINEAR,
    ROTATION,
    Array,
    Handles,
    Interpolation,
    KeyMatch,
    Track,
    ValueKind,
    Wrap,
    curve,
    edit,
    keys,
    quaternion,
)
from ...io_formats.clip.fcurve_keys import FrameCache, KeyBlock, from_keys, match_keys, to_keys
from ...io_formats.clip.resample import key_times, steps_apart
from ...io_formats.files.steps import Steps, finished
from .. import fcurves
from ..data_paths import split_bone
from ..fcurves import DrivenCurve, FoundCurve, PlayedCurve, StripCurve, StripPiece
from . import bake
from .timing import MANY_FRAMES, Capture, Span

if TYPE_CHECKING:
    from .driven import Driven, Row, Sources

EASED_STEPS = 16
"""Samples for each frame inside a segment that bounces or the like."""

VALUE_TOLERANCE = 1e-5
"""How far, as part of the range of the values, samples may be from the straight lines that replace them."""
ANGLE_TOLERANCE = 2e-5
"""The same for rotations, in radians."""

_LOOKS = 33
"""Frames at which a curve is looked at to see whether it moves."""

TURN = math.radians(0.02) / 1e-4
"""Radians that a turn may be off, for each part of a figure that places may be off."""

_ROUNDING = 1e-6
_PROMISED = 5e-5
"""How far cubics may be off what modifiers make of a curve, as a part of its range."""
_MOST, _MOST_OF_TURNS = 5, 15
"""Samples that are taken of a curve, and of a quaternion, besides, for each that was there: these may turn far within a
frame."""


class CurveReader:
    """Makes tracks of F-Curves; what many of them need is worked out once."""

    def __init__(self, capture: Capture, sources: Sources) -> None:
        """Relate curves to `sources`, what the importer wrote."""
        self._span = capture.span
        self._sources = sources
        self._same_rate = capture.same_rate
        self._cache = FrameCache(capture.written_rate, capture.span.start_frame)
        self._matches: dict[int, KeyMatch] = {}
        self._clean: dict[int, bool] = {}

    def track(self, driven: Driven, component: int, curve: PlayedCurve, found: FoundCurve, *, untouched: bool) -> Track:
        """Return one F-Curve as a track.

        Args:
            untouched: the curve is as the importer wrote it.
        """
        row = self._sources.find(driven.node, driven.address, component)
        row = row if row is not None and row.related else None
        known = row if untouched and row is not None and self._is_clean(row.track) else None
        if known is not None and self._same_rate:
            own = known.alone()
            return own.but(match=self._whole_match(len(own.times)))
        block, before, after = spell_out(curve, found, self._span)
        steps = driven.value_kind in (ValueKind.BOOL, ValueKind.INT) and not untouched
        if steps:
            block = stepped(curve, block, driven.value_kind)
        track = Track(
            driven.node,
            driven.property,
            **from_keys(block, self._span.rate, self._span.start_frame),
            component=component,
            width=driven.width,
            before=before,
            after=after,
            value_kind=driven.value_kind,
            kind=driven.kind,
        )
        if known is not None:
            match = _at_another_rate(self._whole_match(len(track.times)))
            return track.but(match=match, inserted=known.alone().inserted)
        track = track.but(inserted=None) if row is None else self._related(track, row, block)
        return track.but(values=_whole(track.values, track.value_kind).astype(track.values.dtype)) if steps else track

    def _is_clean(self, track: Track) -> bool:
        """Return whether a track is clean; each block is looked at once."""
        if id(track) not in self._clean:
            self._clean[id(track)] = _is_clean(track)
        return self._clean[id(track)]

    def _whole_match(self, count: int) -> KeyMatch:
        """Return the match in which every key is its own; tracks of equal length share it."""
        if count not in self._matches:
            self._matches[count] = KeyMatch.whole(count)
        return self._matches[count]

    def _related(self, track: Track, row: Row, block: KeyBlock) -> Track:
        """Match the keys with those written; keys that only the importer put in stay known as such."""
        own = row.alone()
        written = to_keys(own, self._cache.rate, self._cache.start_frame, cache=self._cache)
        same_wraps = (track.before, track.after) == (own.before, own.after)
        match = match_keys(written, block, same_wraps)
        inserted = None
        if own.inserted is not None:
            inserted = match.still_inserted(own.inserted)
            inserted = inserted if inserted.any() else None
        if not self._same_rate:
            return track.but(match=_at_another_rate(match), inserted=inserted)
        return track.but(times=_own_times(track.times, own.times, match), match=match, inserted=inserted)


def _own_times(times: Array, own: Array, match: KeyMatch) -> Array:
    """Return seconds (n,), the file's own wherever a key stands on its frame, as frames round them.

    As they are where that would change the order of keys less than a rounding apart.
    """
    same = match.same_time & (match.keys >= 0)
    result = np.where(same, own[np.maximum(match.keys, 0)], times)
    return result if bool((result[1:] >= result[:-1]).all()) else times


def _at_another_rate(match: KeyMatch) -> KeyMatch:
    """Return a match in which only the values are as they were."""
    nothing = np.zeros(len(match.keys), dtype=bool)
    return replace(match, unchanged=False, same_time=nothing, same_left=nothing, same_right=nothing)


def _is_clean(track: Track) -> bool:
    """Return whether a track's keys are in order and finite, so that its own arrays can be worked with."""
    ordered = bool((track.times[1:] >= track.times[:-1]).all()) and bool(np.isfinite(track.times[-1:]).all())
    if not ordered or not np.isfinite(track.values).all():
        return False
    if track.handles is None:
        return True
    return bool(np.isfinite(track.handles.times).all() and np.isfinite(track.handles.values).all())


# --- More than keys ----------------------------------------------------------------------------------------------


def read(curve: PlayedCurve) -> FoundCurve:
    """Return a curve's keys; of what NLA strips play, those of their Actions at the scene's frames.

    Of what a driver makes of a curve, that curve's with its values.
    """
    if isinstance(curve, DrivenCurve):
        found = fcurves.read(curve.source)
        return found._replace(block=_driven(found.block, curve), digest=0)
    if not isinstance(curve, StripCurve):
        return fcurves.read(curve)
    block = to_keys(_in_strips(curve), 1.0)
    return FoundCurve(block, Wrap.HOLD, Wrap.HOLD, plain=True, plays=True, digest=0)


def _driven(block: KeyBlock, curve: DrivenCurve) -> KeyBlock:
    handles = None if block.handles is None else block.handles.astype(np.float64)
    if handles is not None:
        handles[..., 1] = handles[..., 1] * curve.factor + curve.offset
    return replace(block, values=block.values * np.float64(curve.factor) + curve.offset, handles=handles)


def _in_strips(curve: StripCurve) -> Track:
    """Return what strips play as a track whose times are frames."""
    starts = [piece.first for piece in curve.pieces]
    whole = edit.one_after_another([_of_piece(piece) for piece in curve.pieces], starts)
    frames = whole.times.astype(np.float32).astype(np.float64)  # as Blender has those on which strips begin and end
    late = [piece.first for piece in curve.pieces if piece.late]
    return steps_apart(whole.but(times=frames), later=True, within=late)


def _of_piece(piece: StripPiece) -> Track:
    low, high = sorted((piece.begin, piece.end))
    own = _by_frames((piece.curve, fcurves.read(piece.curve)), Span(low, high, 1.0, 0.0))
    part = edit.trim_track(own, low, high)
    if high > low:
        part = edit.backwards(part, high - low) if piece.begin > piece.end else part
        part = part.slower((piece.last - piece.first) / (high - low))
    return steps_apart(part.shifted(piece.first), later=True)


def evaluate(curve: PlayedCurve, frames: Array) -> Array:
    """Return the values (m,) float64 of a curve, modifiers and all, as Blender plays it."""
    if isinstance(curve, StripCurve):
        return _values(_in_strips(curve), frames)
    if isinstance(curve, DrivenCurve):
        return evaluate(curve.source, frames) * curve.factor + curve.offset
    return np.fromiter(map(curve.evaluate, frames.tolist()), np.float64, len(frames))


def _values(track: Track, frames: Array) -> Array:
    values: Array = curve.evaluate(track, frames)[0]
    return values


def spell_out(curve: PlayedCurve, found: FoundCurve, span: Span) -> tuple[KeyBlock, Wrap, Wrap]:
    """Return a curve's keys, what easing, extrapolation and modifiers make of it among them, and its wraps."""
    if found.plain or not isinstance(curve, FCurve):
        return found.block, found.before, found.after
    if not len(found.block.frames) or any(not modifier.mute for modifier in curve.modifiers):
        wraps_only = found.before or found.after
        if not wraps_only:
            return _modified(curve, found.block, span), Wrap.HOLD, Wrap.HOLD
    block = _without_easing(curve, found.block)
    if curve.extrapolation == "LINEAR" and not (found.before or found.after):
        block = _extrapolated(curve, block, span)
    return block, found.before, found.after


def _modified(curve: FCurve, block: KeyBlock, span: Span) -> KeyBlock:
    """Return what modifiers make of a curve: its keys again and again where it repeats with an offset, else samples."""
    cycles = fcurves.offset_cycles(curve) if len(block.frames) else None
    if cycles is None:
        return _sampled(curve, block, span)
    before, after, rising = cycles
    own = Track("", "", **from_keys(_without_easing(curve, block), 1.0), before=before, after=after)
    rise = float(block.values[0, -1]) - float(block.values[0, 0])
    rises = rise * rising[0], rise * rising[1]
    return to_keys(edit.trim_track(own, span.first, span.last, rises).shifted(span.first), 1.0)


def _sampled(curve: FCurve, block: KeyBlock, span: Span) -> KeyBlock:
    """Return what modifiers make of a curve, as the fewest cubics and steps."""
    frames = _looked_at([block.frames], span)
    _, name = split_bone(curve.data_path)
    spread = _PROMISED * float(np.ptp(evaluate(curve, frames)))
    allowed = max(spread, TOLERANCE if name.startswith("rotation") else _ROUNDING)
    frames, values, jumps = _samples(frames, lambda at: evaluate(curve, at)[None], allowed)
    (found,) = keys.cubics(frames, [values], [allowed], steps=jumps)
    track = Track.sampled("", "", frames[found.kept], values[:, found.kept], found.shapes, handles=found.handles)
    # what rests until it jumps is held by the key with which it begins to rest
    rests = (track.interpolation == LINEAR) & np.append(track.interpolation[1:] == CONSTANT, False)
    rests &= np.append(np.abs(np.diff(track.values[0])) <= allowed, False)
    shapes = np.where(rests, CONSTANT, track.interpolation)
    return to_keys(track.but(interpolation=shapes).take(~np.append(False, rests[:-1])), 1.0)


def _looked_at(keys_at: Iterable[Array], span: Span) -> Array:
    """Return the frames at which curves with modifiers are looked at first: samples, and their keys in the range."""
    frames = np.concatenate([np.zeros(0), *keys_at])
    return np.union1d(span.samples(), frames[(frames >= span.first) & (frames <= span.last)])


def _samples(
    frames: Array, play: Values, allowed: float, name: str = "", most: int = _MOST
) -> tuple[Array, Array, Array]:
    """Return frames (n,), what plays there (components, n), and after which of them it jumps (n,).

    Args:
        frames: at which it is looked at first.
        play: gives rows (components, m) at frames (m,); of a ROTATION unit quaternions of either sign.
        allowed: how far lines between samples may leave it.
        name: ROTATION, or nothing.
        most: samples that are taken besides, for each that was there.
    """

    def look(at: Array) -> Steps[tuple[tuple[Array, Array], list[bake.Channels]]]:
        yield from ()  # what needs no scene is one step
        played = play(at)
        return (at, played), [bake.Channels([""], played[:, None], np.array([allowed]), name)]

    first, channels = finished(look(frames))
    further, *_ = finished(bake.sample(frames, channels, look, most, cubic=True))
    looked, played = zip(first, *further)
    frames, order = np.unique(np.concatenate(looked), return_index=True)
    values = np.concatenate(played, axis=1)[:, order]
    if name == ROTATION:
        values = values * quaternion.align_signs(values)
    distance = quaternion.distance if name == ROTATION else keys.largest_difference
    return frames, values, _jumps(play, frames, values, allowed, distance)


def _jumps(play: Values, frames: Array, values: Array, allowed: float, distance: keys.Distance) -> Array:
    """Return after which samples (n,) a curve jumps: it moves on within the finest interval, and not on a line."""
    moves = distance(values[:, 1:], values[:, :-1])
    at = np.flatnonzero((np.diff(frames) <= bake.FINEST) & (moves > 2 * allowed))
    bent = distance(play((frames[at] + frames[at + 1]) / 2), (values[:, at] + values[:, at + 1]) / 2)
    jumps = np.zeros(len(frames), bool)
    jumps[at[bent > moves[at] / 4]] = True
    return jumps


def _without_easing(curve: FCurve, block: KeyBlock) -> KeyBlock:
    """Return segments of other shapes than CONSTANT, LINEAR and BEZIER as Beziers."""
    if not (block.interpolation > Interpolation.BEZIER).any():
        return block
    least = _ROUNDING * max(1.0, float(np.abs(block.values).max()))
    tolerance = max(VALUE_TOLERANCE * float(np.ptp(block.values[0])), least)
    return as_beziers(curve, block, partial(evaluate, curve), tolerance)


def stepped(curve: PlayedCurve, block: KeyBlock, kind: ValueKind) -> KeyBlock:
    """Return the steps that a bool or whole number makes of a curve that moves, to a sixteenth of a frame.

    Blender cuts the fraction off; a bool is True from 1 on.
    """
    values = block.values[0].astype(np.float64)
    moving = (block.interpolation[:-1] != Interpolation.CONSTANT) & (values[1:] != values[:-1])
    if not moving.any():
        return block
    extra = _frames_inside(block.frames, np.flatnonzero(moving))
    frames = np.concatenate((block.frames.astype(np.float64), extra))
    order = np.argsort(frames, kind="stable")
    own = order < len(values)
    whole = _whole(np.concatenate((values, evaluate(curve, extra))), kind)[order]
    keep = own | np.append(True, whole[1:] != whole[:-1])
    steps = np.append(moving, False)
    shapes = np.where(steps, np.uint8(Interpolation.CONSTANT), block.interpolation)
    shape = np.where(own, shapes[np.where(own, order, 0)], np.uint8(Interpolation.CONSTANT))
    return KeyBlock(frames[order][keep], whole[None, keep], shape[keep])


def _whole(values: Array, kind: ValueKind) -> Array:
    if kind is ValueKind.BOOL:
        return (values > 1.0 - np.finfo(np.float32).eps).astype(np.float64)
    return np.trunc(values)


def _frames_inside(frames: Array, segments: Array) -> Array:
    """Return frames (m,) inside the segments that begin with these keys: sixteenths of a frame, 31 at least."""
    starts, ends = frames[segments].astype(np.float64), frames[segments + 1].astype(np.float64)
    parts = [_grid(first, last) for first, last in zip(starts.tolist(), ends.tolist())]
    return np.concatenate(parts) if parts else starts


def _grid(first: float, last: float) -> Array:
    if last - first < 2.0 or last - first > MANY_FRAMES:
        return np.linspace(first, last, 33)[1:-1]
    return np.arange(np.floor(first * EASED_STEPS) + 1, np.ceil(last * EASED_STEPS)) / EASED_STEPS


def _extrapolated(curve: FCurve, block: KeyBlock, span: Span) -> KeyBlock:
    """Return keys at the ends of the range, where the curve goes straight on beyond its keys."""
    frames, shape = block.frames.astype(np.float64), block.interpolation.copy()
    beyond = [frame for frame in (span.first, span.last) if not frames[0] <= frame <= frames[-1]]
    if not beyond:
        return block
    if span.last > frames[-1]:
        shape[-1] = Interpolation.LINEAR
    at = np.searchsorted(frames, beyond)
    handles = None if block.handles is None else np.insert(block.handles, at, 0.0, axis=1)
    return KeyBlock(
        np.insert(frames, at, beyond),
        np.insert(block.values.astype(np.float64), at, evaluate(curve, np.array(beyond)), axis=1),
        np.insert(shape, at, np.uint8(Interpolation.LINEAR)),
        handles,
    )


# --- Rotations that are no quaternions, or quaternions with modifiers -----------------------------------------------

Entry = tuple[PlayedCurve, FoundCurve] | float
"""A component's curve, or its value where it has none."""


def turned_together(driven: Driven, entries: Sequence[Entry], span: Span, tolerance: float) -> list[Track]:
    """Return quaternions of which modifiers make more than keys as curves of unit ones, a track for each component.

    How far they turn what they move cannot be told of one component: where all are small, little of each is a lot.

    Args:
        tolerance: radians by which they may be off.
    """

    def play(at: Array) -> Array:
        rows = [np.full(len(at), entry) if isinstance(entry, float) else evaluate(entry[0], at) for entry in entries]
        return quaternion.normalise(np.stack(rows))

    first = _looked_at([entry[1].block.frames for entry in entries if not isinstance(entry, float)], span)
    frames, values, jumps = _samples(first, play, tolerance, ROTATION, _MOST_OF_TURNS)
    times = span.seconds(frames)
    (found,) = keys.cubics(times, [values], [tolerance], quaternion.distance, steps=jumps)
    kept, handles = found.kept, found.handles
    return Track.sampled(driven.node, ROTATION, times[kept], values[:, kept], found.shapes, handles=handles).rows()


def turned(driven: Driven, mode: str, angles: Sequence[Entry], span: Span, tolerance: float) -> list[Track]:
    """Return angles as quaternions, a track for each component.

    Args:
        mode: Blender's rotation mode: an order of Euler angles, or AXIS_ANGLE.
        angles: for each component its curve, or its value where it has none.
        tolerance: radians by which they may be off.
    """
    rows = [entry if isinstance(entry, float) else _by_frames(entry, span) for entry in angles]
    whole = turning_track(driven.node, ROTATION, mode, rows, span.first, span.last, tolerance)
    assert whole.handles is not None
    handles = Handles(whole.handles.times / span.rate, whole.handles.values)
    return replace(whole, times=span.seconds(whole.times), handles=handles).rows()


def turn_within(tolerance: float) -> float:
    """Return how many radians angles may be off, where places may be by a part of a figure; 0 where nobody said.

    A seventh of that by default and beyond, and never more than it.
    """
    return min(TURN * tolerance, max(TOLERANCE, tolerance / 2)) or TOLERANCE


def _by_frames(entry: tuple[PlayedCurve, FoundCurve], span: Span) -> Track:
    """Return a curve as a track whose times are frames."""
    block, before, after = spell_out(*entry, span)
    return Track("", "", **from_keys(block, 1.0), before=before, after=after)


# Segments that ease, bounce or swing as Beziers with handles at thirds, split until these follow them.

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
"""The values (m,) of a curve, or rows (components, m) of several, at frames (m,)."""

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


# Rotations that are no quaternions as few quaternion keys: Beziers where angles move, steps where they step.

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
    angles = [_in_rounds(entry, first, last) if isinstance(entry, Track) else entry for entry in angles]
    frames, steps = key_times(entry for entry in angles if isinstance(entry, Track))

    def turns(at: Array) -> tuple[Array, Array]:
        rows = [_values(row, at) if isinstance(row, Track) else np.full(len(at), row) for row in angles]
        values = np.stack(rows)
        return values, quaternions(mode, values)

    moving = ~np.isin(frames[:-1], steps)
    pieces = fitted(frames[:-1][moving], frames[1:][moving], _fit(turns), tolerance)
    return _track(node, name, frames, pieces, turns(frames)[1])


def _in_rounds(track: Track, first: float, last: float) -> Track:
    """Return a track written out; where it repeats, the end of a round is still shown on its frame, as in Blender."""
    found = edit.written_out(track, first, last)
    return found if found is track else steps_apart(found, later=True)


def _fit(turns: Callable[[Array], tuple[Array, Array]]) -> Fit:
    """Return a fit of pieces to turns; those too wide for the short way between their ends count as far off."""

    def fit(low: Array, high: Array) -> tuple[Array, Array]:
        at = probed_frames(low, high)
        angles, turned = (found.reshape(len(found), *at.shape) for found in turns(at.ravel()))
        signs = np.where(quaternion.dot(turned[:, 1:], turned[:, :-1]) < 0, -1.0, 1.0)
        turned[:, 1:] *= np.cumprod(signs, axis=0)
        points, drawn = cubics(np.moveaxis(turned, 0, 1))
        errors = quaternion.distance(np.moveaxis(drawn, 1, 0), turned).max(axis=0)
        wide = (np.ptp(angles, axis=1).max(axis=0) > _WIDEST) | (quaternion.dot(turned[:, 0], turned[:, -1]) < _NEAREST)
        return points, np.where(wide, _WIDEST, errors)

    return fit


def _track(node: str, name: str, frames: Array, pieces: Pieces, turned: Array) -> Track:
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
