"""Keys of a Track as those of F-Curves and back, and which of these are still the importer's.

Blender keeps frames, values and handles as float32, handles as absolute points. A frame is
`time * rate + start_frame`, computed in float64. A handle's x is rounded to float32 first and its y computed from the
rounded x, so that the slope survives although x moves by up to half a unit in the last place.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from ..errors import Report
from . import BEZIER, CONSTANT, LINEAR, Array, Clip, Handles, KeyMatch, Track, curve, messages

_LARGEST = float(np.finfo(np.float32).max)
_OUTER = 1.0 / 3.0  # frames that an outermost handle reaches out
_ALIKE = np.float32(1e-4)  # frames within which a key counts as on a frame in Blender
_APART = np.float32(2.0**-12)  # frames that it tells apart
_AT_ZERO = 1e-9  # frames beside frame 0 within which a handle makes a step of what Blender plays before it


@dataclass
class KeyBlock:
    """Keys as an F-Curve holds them, for one or several components that share their frames.

    Attributes:
        frames: (n,) float32, ascending.
        values: (components, n) float32, finite.
        interpolation: (n,) uint8 of Interpolation.
        handles: (components, n, 2, 2) float32 or None: [component, key, left or right, x or y], absolute. Sides
            that shape no BEZIER segment lie a third of the way to the neighbour.
        inserted: (n,) bool or None, see Track.
        source: (n,) index of the track's key that each came from; None where keys were neither dropped nor sorted.
    """

    frames: Array
    values: Array
    interpolation: Array
    handles: Array | None = None
    inserted: Array | None = None
    source: Array | None = None


@dataclass
class _Frames:
    """The frames of one `times` array, and in which order they ascend if not in theirs. `times` keeps its id so."""

    times: Array
    exact: Array
    frames: Array
    order: Array | None = None


class _Reach(NamedTuple):
    """Where handles at one array of handle times from placed keys lie.

    Attributes:
        x: (2, n) float32, left and right.
        kept: (2, n) the share of its offset that x keeps after rounding, by which a handle's height has to shrink.
    """

    placed: _Frames
    handle_times: Array
    x: Array
    kept: Array


@dataclass
class FrameCache:
    """Frames by `times` array, for one rate and start: tracks that share an array share its frames."""

    rate: float
    start_frame: float = 0.0
    placed: dict[int, _Frames] = field(default_factory=dict)
    latest: _Reach | None = None

    def frames_of(self, times: Array) -> _Frames:
        """Return the frames of these times (n,)."""
        found = self.placed.get(id(times))
        if found is None:
            with np.errstate(over="ignore", invalid="ignore"):
                exact = times.astype(np.float64) * self.rate + self.start_frame
                frames = exact.astype(np.float32)
            found = self.placed[id(times)] = _Frames(times, exact, frames)
            if not np.isfinite(frames).all() or (frames[1:] < frames[:-1]).any():
                found.order = np.argsort(frames, kind="stable")
        return found

    def reach(self, placed: _Frames, handle_times: Array) -> _Reach:
        """Return where these handle times (n, 2) lead; remembered until others are asked for.

        A handle above its key, or too near it for float32, keeps its height, not its slope.
        """
        if self.latest is None or self.latest.placed is not placed or self.latest.handle_times is not handle_times:
            offset = handle_times.T.astype(np.float64) * self.rate
            reached = placed.exact + offset
            reached[np.abs(reached) < _AT_ZERO] = 0.0
            x = np.clip(reached, -_LARGEST, _LARGEST).astype(np.float32)
            moved = x.astype(np.float64) - placed.frames
            upright = (offset == 0) | (moved == 0)
            np.copyto(x, placed.frames, where=upright)
            kept = np.divide(moved, offset, out=np.ones_like(moved), where=~upright)
            self.latest = _Reach(placed, handle_times, x, kept)
        return self.latest


def to_keys(
    track: Track, rate: float, start_frame: float = 0.0, report: Report | None = None, cache: FrameCache | None = None
) -> KeyBlock:
    """Return the keys of a track as Blender keeps them, sorted and finite.

    Args:
        rate: frames per second, `fps / fps_base`.
        start_frame: frame on which time 0 lies.
        report: learns of keys that were dropped, sorted or limited.
        cache: of the same rate and start; makes tracks that share their `times` share their frames.

    Keys with a time or value that is NaN or infinite are dropped (in a block, for all its components); a BEZIER
    segment with such a handle becomes CONSTANT, as an infinite tangent means; numbers beyond float32 are limited.
    """
    report = Report() if report is None else report
    cache = FrameCache(rate, start_frame) if cache is None else cache
    placed = cache.frames_of(track.times)
    chosen = _usable(track, placed, report)
    if chosen is None:
        return _convert(track, placed, cache, report)
    track = track.take(chosen)
    block = _convert(track, _Frames(track.times, placed.exact[chosen], placed.frames[chosen]), cache, report)
    block.source = chosen
    return block


def _parted(frames: Array) -> Array:
    """Return frames, the keys before one that Blender would not show there just before it, if there is room."""
    if (frames[1:] != frames[:-1]).all():
        return frames
    hidden = frames[(_late(frames) > 0) & (frames > frames[:1])]  # rounds of a curve that repeats begin at its first
    before = np.minimum(frames - _APART, np.nextafter(frames, np.float32(-np.inf)))
    moved = np.isin(frames, hidden) & (np.append(frames[1:], np.inf) == frames)
    moved &= before > frames[np.searchsorted(frames, frames) - 1]
    return np.where(moved, before, frames)


def _usable(track: Track, placed: _Frames, report: Report) -> Array | None:
    """Return indices of the keys that can be written, in order of time; None for all as they are."""
    finite = np.isfinite(track.values)
    if placed.order is None and finite.all():
        return None
    chosen: Array = np.arange(len(track.times)) if placed.order is None else placed.order
    usable = np.logical_and.reduce(finite, axis=0) & np.isfinite(placed.frames)
    chosen = chosen[usable[chosen]]
    dropped = len(track.times) - len(chosen)
    if dropped:
        report.warn(messages.KEYS_NOT_FINITE, count=dropped, node=track.node, property=track.property)
    if (np.diff(chosen) < 0).any():
        report.warn(messages.KEYS_SORTED)
    return chosen


def _convert(track: Track, placed: _Frames, cache: FrameCache, report: Report) -> KeyBlock:
    """Return the keys of a track whose times ascend."""
    values = _single(track.values, report)
    block = KeyBlock(_parted(placed.frames), values, track.interpolation, inserted=track.inserted)
    if track.handles is None or not (track.interpolation == BEZIER).any():
        return block
    with np.errstate(over="ignore", invalid="ignore"):
        reach = cache.reach(placed, track.handles.times)
        block.handles = _handles(track.handles, block, reach)
        if not (np.isfinite(block.handles).all() and np.isfinite(track.handles.times).all()):
            # segments with a handle that is not a number become steps; handles beyond float32 are limited
            broken = broken_segments(track.handles, block.interpolation)
            if broken.any():
                report.warn(messages.HANDLES_NOT_FINITE, count=int(broken.sum()))
                block.interpolation = np.where(broken, CONSTANT, block.interpolation)
            block.handles = np.clip(_handles(track.handles, block, reach), -_LARGEST, _LARGEST)
    return block


def _single(values: Array, report: Report) -> Array:
    """Return float32 in C order; numbers beyond its range are limited and counted."""
    if values.dtype == np.float32:
        return np.ascontiguousarray(values)
    beyond = np.abs(values) > _LARGEST
    if beyond.any():
        report.warn(messages.VALUES_LIMITED, count=int(beyond.sum()))
        values = np.clip(values, -_LARGEST, _LARGEST)
    return np.ascontiguousarray(values, dtype=np.float32)


def with_numbers_only(clip: Clip, report: Report) -> Clip:
    """Return the clip without keys whose time or value is no number in float32, and without tracks that have no key.

    Segments with a handle that is no number become steps.
    """
    tracks = []
    for track in clip.tracks:
        usable = (np.abs(track.times) <= _LARGEST) & np.isfinite(track.values).all(axis=0)
        if not usable.all():
            dropped = int((~usable).sum())
            report.warn(messages.KEYS_NOT_FINITE, count=dropped, node=track.node, property=track.property)
            track = track.take(usable)
        if track.handles is not None:
            broken = broken_segments(track.handles, track.interpolation)
            if broken.any():
                report.warn(messages.HANDLES_NOT_FINITE, count=int(broken.sum()))
                handles = Handles(*(np.where(np.isfinite(part), part, 0.0) for part in track.handles))
                track = replace(track, handles=handles, interpolation=np.where(broken, CONSTANT, track.interpolation))
        tracks.append(track)
    return replace(clip, tracks=[track for track in tracks if len(track.times)])


def broken_segments(handles: Handles, interpolation: Array) -> Array:
    """Tell (n,) which BEZIER segments have a handle that is not finite."""
    finite = np.isfinite(handles.times) & np.isfinite(handles.values).all(axis=0)
    broken = np.zeros(len(finite), dtype=bool)
    broken[:-1] = (interpolation[:-1] == BEZIER) & ~(finite[:-1, 1] & finite[1:, 0])
    return broken


def shaping_sides(interpolation: Array) -> Array:
    """Tell (n, 2) whether the left and the right handle of each key shape a BEZIER segment."""
    sides = np.zeros((len(interpolation), 2), dtype=bool)
    sides[:-1, 1] = sides[1:, 0] = interpolation[:-1] == BEZIER
    return sides


def _handles(own: Handles, block: KeyBlock, reach: _Reach) -> Array:
    """Return handles as KeyBlock has them; in memory one side of a component lies together, as Blender takes them."""
    components, count = block.values.shape
    result = np.empty((components, 2, count, 2), dtype=np.float32)
    for side, (x, kept) in enumerate(zip(reach.x, reach.kept, strict=True)):
        height = own.values[:, :, side]
        result[:, side, :, 0] = x
        result[:, side, :, 1] = height * kept.astype(height.dtype) + block.values
    handles = result.transpose(0, 2, 1, 3)
    _place_idle(handles, ~shaping_sides(block.interpolation), block)
    return handles


def _place_idle(handles: Array, idle: Array, block: KeyBlock) -> None:
    """Set the handles that shape nothing; where all segments are BEZIER, these are the two outer ones."""
    if not idle[:-1, 1].any():
        handles[:, 0, 0, 0], handles[:, -1, 1, 0] = float(block.frames[0]) - _OUTER, float(block.frames[-1]) + _OUTER
        handles[:, 0, 0, 1], handles[:, -1, 1, 1] = block.values[:, 0], block.values[:, -1]
        return
    # a third of the straight line to the neighbour
    frames, values = block.frames.astype(np.float64), block.values.astype(np.float64)
    gaps, rises = np.diff(frames) / 3, np.diff(values, axis=1) / 3
    x, y = np.stack((frames, frames), axis=1), np.stack((values, values), axis=2)
    x[1:, 0] -= gaps
    x[:-1, 1] += gaps
    x[:1, 0] -= _OUTER
    x[-1:, 1] += _OUTER
    y[:, 1:, 0] -= rises
    y[:, :-1, 1] += rises
    np.copyto(handles[..., 0], x, where=idle, casting="same_kind")
    np.copyto(handles[..., 1], y, where=idle, casting="same_kind")


def from_keys(block: KeyBlock, rate: float, start_frame: float = 0.0) -> dict[str, Any]:
    """Return the fields of a Track that its keys fill, float64, seconds; the components must share their handle x."""
    frames, late, shapes = block.frames.astype(np.float64), np.zeros(1), block.interpolation
    if (block.frames[1:] - _APART <= block.frames[:-1]).any():
        parted = (behind := _behind(block.frames, block.frames)) - _APART == block.frames
        frames, late = np.where(parted, behind, frames), np.where(parted, 0.0, _late(block.frames))
        shapes = np.where(np.roll(late > 0, -1), CONSTANT, shapes)
    values = block.values.astype(np.float64)
    handles = None
    if block.handles is not None:
        points = block.handles.astype(np.float64)
        handles = Handles((points[0, :, :, 0] - frames[:, None]) / rate, points[..., 1] - values[:, :, None])
    times, inserted = (frames + late - start_frame) / rate, block.inserted
    return {"times": times, "values": values, "interpolation": shapes, "handles": handles, "inserted": inserted}


def _late(frames: Array) -> Array:
    """Return by how many frames (n,) keys play later than they stand: behind the one of a frame that Blender shows.

    It shows the first that its binary search meets, and at either end of the curve the outermost one.
    """
    late, keys = np.zeros(len(frames)), 1 + np.flatnonzero(frames[1:] == frames[:-1])
    at = frames[keys]
    low, high, found = 0 * keys, 0 * keys + len(frames), np.where(at == frames[:1], 0, len(frames) - 1)
    while (searching := (low <= high) & (abs(frames[found] - at) > _ALIKE)).any():
        found = np.where(searching, (low + high) // 2, found)
        below = frames[found] < at
        low, high = np.where(searching & below, found + 1, low), np.where(searching & ~below, found - 1, high)
    room = _behind(frames, at) - at
    late[keys] = np.minimum(np.maximum(0.75 * _APART, 3 * np.spacing(abs(at))), room / 2) * (found < keys)
    return late


def _behind(frames: Array, at: Array) -> Array:
    """Return the first of the frames (n,) that is behind each `at`, infinity where none is."""
    return np.append(frames, np.float32(np.inf))[np.searchsorted(frames, at, side="right")]


# Which keys found in Blender are which keys that the importer wrote, and what of them is as it was.
#
# Both sides are float32, ascending, as Blender keeps them, so values are equal exactly, frames but for their rounding.
# A key is the one that was written on its frame, or the one at its place where nothing but times changed. Handles count
# only where they shape a BEZIER segment, as offsets from their key: a key moved as a whole keeps its tangents. Blender
# rewrites handles that shape nothing and nudges a handle of no length to 0.001 frame; neither is a change.

_NUDGE = 1e-3
_ROUNDING = 2.0**-22


def match_keys(written: KeyBlock, found: KeyBlock, same_wraps: bool) -> KeyMatch:
    """Relate the keys found to the keys written, for one component.

    Args:
        written: what the importer put there (`to_keys` of the source's track).
        found: what is there now, at the same rate.
        same_wraps: what the curve does outside its keys is as written.

    Returns:
        indices into the source track's keys (see KeyBlock.source), with what stayed of each key.
    """
    old, new = written.frames, _unrounded(found.frames, written.frames)
    # only times changed, or only values: all keys are still there, in their order
    alike = len(old) == len(new) and (np.array_equal(old, new) or np.array_equal(written.values, found.values))
    order = np.arange(len(new)) if alike else curve.positions(old, new)
    paired = order >= 0
    safe = np.maximum(order, 0)
    # what stayed of each key
    same_time = paired & (_take(old, safe) == new)
    same_value = paired & (_take(written.values[0], safe) == found.values[0])
    same_left, same_right = paired.copy(), paired.copy()
    if len(order) > 1:
        segments = np.arange(len(order) - 1)
        whole = order[1:] == safe[:-1] + 1
        same_right[:-1] &= _same_segments(written, found, safe[:-1], segments, whole, 1)
        whole = order[:-1] == safe[1:] - 1
        same_left[1:] &= _same_segments(written, found, safe[1:] - 1, segments, whole, 0)
    # untouched only if all keys are there, in their order, with all that shapes them
    same_keys = len(old) == len(new) and bool((order == np.arange(len(order))).all())
    same_fields = bool((same_time & same_value & same_left & same_right).all())
    keys = order if written.source is None else np.where(paired, _take(written.source, safe), -1)
    return KeyMatch(same_wraps and same_keys and same_fields, keys, same_time, same_value, same_left, same_right)


def _unrounded(frames: Array, written: Array) -> Array:
    """Return frames, as they were written where they are but a rounding off, as after a change of rate."""
    exact = written.astype(np.float64)  # between two that are a rounding apart, too, there is a middle
    near = _take(written, np.searchsorted((exact[:-1] + exact[1:]) / 2, frames))
    # a change of rate is about the start frame, which may leave a key nearer to frame 0 than its rounding was
    least = min(_ROUNDING * float(np.abs(frames).max(initial=0.0)), _NUDGE)
    return np.where(np.abs(near - frames) <= np.maximum(_ROUNDING * np.abs(frames), least), near, frames)


def _take(values: Array, at: Array) -> Array:
    return values[at] if len(values) else np.zeros(len(at), dtype=values.dtype)


def _same_segments(written: KeyBlock, found: KeyBlock, old: Array, new: Array, whole: Array, side: int) -> Array:
    """Tell (k,) whether the segments `new` are the segments `old` as seen from one end.

    Args:
        old, new: (k,) index of the first key of each segment; `old` may fall outside.
        whole: (k,) both ends are the ends of the old segment.
        side: 1 looks from the first key at its right handle, 0 from the last key at its left one.
    """
    count = len(written.frames)
    if count < 2:
        return np.zeros(len(new), dtype=bool)
    # the two segments are of one shape; of a step or a curve both ends have to be the old ones, a line may be cut
    exists, old = (old >= 0) & (old < count - 1), np.clip(old, 0, count - 2)
    shape = found.interpolation[new]
    if (shape == BEZIER).any():
        whole = whole & ((shape != BEZIER) | _same_handles(written, found, old, new, side))
    return np.asarray(exists & (written.interpolation[old] == shape) & (whole | (shape == LINEAR)))


def _same_handles(written: KeyBlock, found: KeyBlock, old: Array, new: Array, side: int) -> Array:
    """Tell (k,) whether segments are equally long and the handle at one end reaches equally far from its key."""
    if written.handles is None or found.handles is None:
        return np.full(len(new), written.handles is found.handles)
    # the same length, and the same offset of the handle, but for the rounding of frames to float32
    lengths = [np.diff(block.frames.astype(np.float64)) for block in (written, found)]
    end = 1 - side
    far = np.maximum(np.abs(written.frames[old + end]), np.abs(found.frames[new + end])).astype(np.float64)
    slack = _ROUNDING * far
    old_x, old_y, old_size = _offsets(written, old + end, side)
    new_x, new_y, new_size = _offsets(found, new + end, side)
    # or a handle of no length that Blender has nudged
    nudged = (np.abs(old_x) < _NUDGE) & (np.abs(new_x - (_NUDGE if side else -_NUDGE)) <= slack + 1e-6)
    same_x = (np.abs(old_x - new_x) <= slack) | nudged
    same_y = np.abs(old_y - new_y) <= _ROUNDING * np.maximum(old_size, new_size)
    result: Array = (np.abs(lengths[0][old] - lengths[1][new]) <= slack) & same_x & same_y
    return result


def _offsets(block: KeyBlock, keys: Array, side: int) -> tuple[Array, Array, Array]:
    """Return one handle's offset in frames and in value for each key, and the size of the numbers it came from."""
    assert block.handles is not None
    handle = block.handles[0, keys, side].astype(np.float64)
    value = block.values[0, keys].astype(np.float64)
    size = np.maximum(np.abs(handle[:, 1]), np.abs(value))
    return handle[:, 0] - block.frames[keys], handle[:, 1] - value, size
