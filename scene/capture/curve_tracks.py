"""F-Curves as tracks: keys as they stand, with their relation to what the importer wrote; more than keys, sampled.

A curve whose digest is the importer's becomes the file's own track: the same arrays, nothing computed. Of any other the
keys are matched one by one with those that were written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from bpy.types import FCurve

from ...io_formats.clip import (
    ROTATION,
    Array,
    Handles,
    Interpolation,
    KeyMatch,
    Track,
    ValueKind,
    Wrap,
    keys,
)
from ...io_formats.clip.fcurve_keys import FrameCache, KeyBlock, from_keys, to_keys
from ...io_formats.clip.key_match import match_keys
from ...io_formats.files.steps import Steps, finished
from ..fcurves import FoundCurve
from . import finer
from .driven import Driven
from .easing import as_beziers
from .scope import Scope
from .timing import MANY_FRAMES, Span
from .turns import turning_track
from .written import Row, Sources

EASED_STEPS = 16
"""Samples for each frame inside a segment that bounces or the like."""

VALUE_TOLERANCE = 1e-5
"""How far, as part of the range of the values, samples may be from the straight lines that replace them."""

_LOOKS = 33
"""Frames at which a curve is looked at to see whether it moves."""

_ROUNDING = 1e-6
_PROMISED = 5e-5
"""How far samples may leave a curve between them, as a part of its range."""

ANGLE_TOLERANCE = 2e-5
"""The same for rotations, in radians."""


class CurveReader:
    """Makes tracks of F-Curves; what many of them need is worked out once."""

    def __init__(self, scope: Scope, sources: Sources) -> None:
        """Relate curves to `sources`, what the importer wrote."""
        self._span = scope.span
        self._sources = sources
        self._same_rate = scope.same_rate
        self._cache = FrameCache(scope.written_rate, scope.span.start_frame)
        self._matches: dict[int, KeyMatch] = {}
        self._clean: dict[int, bool] = {}

    def track(self, driven: Driven, component: int, curve: FCurve, found: FoundCurve, *, untouched: bool) -> Track:
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
        return _of_whole(track) if steps else track

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


def evaluate(curve: FCurve, frames: Array) -> Array:
    """Return the values (m,) float64 of an F-Curve, modifiers and all, as Blender plays it."""
    return np.fromiter(map(curve.evaluate, frames.tolist()), np.float64, len(frames))


def goes_on(curve: FCurve, span: Span) -> bool:
    """Return whether a curve still moves after the last frame, as seen for as long again."""
    after = evaluate(curve, span.last + np.linspace(0.0, max(span.last - span.first, 1.0), _LOOKS))
    return bool(np.ptp(after) > VALUE_TOLERANCE * max(1.0, float(np.abs(after).max())))


def spell_out(curve: FCurve, found: FoundCurve, span: Span) -> tuple[KeyBlock, Wrap, Wrap]:
    """Return a curve's keys, what easing, extrapolation and modifiers make of it among them, and its wraps."""
    if found.plain:
        return found.block, found.before, found.after
    if not len(found.block.frames) or any(not modifier.mute for modifier in curve.modifiers):
        wraps_only = found.before or found.after
        if not wraps_only:
            return _sampled(curve, found.block, span), Wrap.HOLD, Wrap.HOLD
    block = _without_easing(curve, found.block)
    if curve.extrapolation == "LINEAR" and not (found.before or found.after):
        block = _extrapolated(curve, block, span)
    return block, found.before, found.after


def _sampled(curve: FCurve, block: KeyBlock, span: Span) -> KeyBlock:
    """Return what modifiers make of a curve, as lines."""
    frames = np.union1d(span.samples(), block.frames[(block.frames >= span.first) & (block.frames <= span.last)])
    values = evaluate(curve, frames)
    allowed = max(_PROMISED * float(np.ptp(values)), _ROUNDING)

    def look(at: Array) -> Steps[tuple[tuple[Array, Array], list[finer.Channel]]]:
        yield from ()  # one curve is one step
        played = evaluate(curve, at)
        return (at, played), [finer.Channel("", played[None], allowed)]

    further, _ = finished(finer.sample(frames, [finer.Channel("", values[None], allowed)], look))
    looked, played = zip((frames, values), *further)
    frames, first = np.unique(np.concatenate(looked), return_index=True)
    values = np.concatenate(played)[first]
    return _lines_and_steps(frames, values, _jumps(frames, values, allowed))


def _jumps(frames: Array, values: Array, allowed: float) -> Array:
    """Return after which samples (n,) a curve jumps: it moves on within the finest interval."""
    return np.append((np.diff(frames) <= finer.FINEST) & (np.abs(np.diff(values)) > 2 * allowed), False)


def _lines_and_steps(frames: Array, values: Array, jumps: Array) -> KeyBlock:
    """Return the keys that lines through samples (n,) need; what jumps after a sample is a step to the next one."""
    tolerance = _tolerance(values)
    keep = keys.lines(frames, values[None], tolerance, steps=jumps)
    frames, values, steps = frames[keep], values[keep], jumps[keep]
    # what rests until it jumps is held by the key with which it begins to rest
    rests = np.append(np.abs(np.diff(values)) <= tolerance, False) & ~steps & np.append(steps[1:], False)
    needed = ~np.append(False, rests[:-1])
    shapes = np.where(steps | rests, np.uint8(Interpolation.CONSTANT), np.uint8(Interpolation.LINEAR))
    return KeyBlock(frames[needed], values[None, needed], shapes[needed])


def _tolerance(values: Array) -> float:
    spread = float(values.max() - values.min()) if len(values) else 0.0
    return VALUE_TOLERANCE * spread


def _without_easing(curve: FCurve, block: KeyBlock) -> KeyBlock:
    """Return segments of other shapes than CONSTANT, LINEAR and BEZIER as Beziers."""
    if not (block.interpolation > Interpolation.BEZIER).any():
        return block
    least = _ROUNDING * max(1.0, float(np.abs(block.values).max()))
    return as_beziers(curve, block, partial(evaluate, curve), max(_tolerance(block.values[0]), least))


def stepped(curve: FCurve, block: KeyBlock, kind: ValueKind) -> KeyBlock:
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


def _of_whole(track: Track) -> Track:
    """Return a track of bools or whole numbers with the values that Blender shows on its keys."""
    return track.but(values=_whole(track.values, track.value_kind).astype(track.values.dtype))


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


# --- Rotations that are no quaternions ---------------------------------------------------------------------------


def turned(
    driven: Driven, mode: str, angles: Sequence[tuple[FCurve, FoundCurve] | float], span: Span, tolerance: float
) -> list[Track]:
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


def _by_frames(entry: tuple[FCurve, FoundCurve], span: Span) -> Track:
    """Return a curve as a track whose times are frames."""
    block, before, after = spell_out(*entry, span)
    return Track("", "", **from_keys(block, 1.0), before=before, after=after)
