"""Curves of a clip as keys of a track: united, handles at thirds, the file's own numbers where nothing changed them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..clip import CONSTANT, LINEAR, Array, Interpolation, Track, Wrap, edit, fit, quaternion
from ..clip.curve import positions
from ..clip.fit import unite
from ..clip.resample import shortest, straightened, unit_rotations
from ..clip.whole_frames import ASSUMED_RATE
from ..errors import Report, first_names
from . import layout, messages
from .document import Track as FileTrack
from .document import components, stored_values
from .layout import Kind, Mode, TrackType, ValueType
from .playback import SHAPES, played

_MODES = np.array([Mode.HOLD, Mode.LINEAR, Mode.CUBIC_BEZIER], np.uint8)
_HALF = 0.5
_HALFWAY = 1e-6
"""Seconds by which a key may miss the middle between two others."""
_DENSEST = 12.0
"""Most keys per frame: screens cannot show what lies between, even at 24 frames a second."""
_SPARE = 16.0
"""Keys that even the shortest motion may have."""
_TURN = 3e-4
"""Radians that pieces of a long turn may be off before they are halved."""
_FRAME = 1.01
"""Frames of time that count as no more than one."""
_UNIT = 1e-2
"""What a quaternion's length may differ from 1 by and be a recorded one's."""
_SIGNS_ALONE = -0.94
"""Dot product of neighbours below which only their signs differ: nothing recorded turns by 40 degrees in a frame."""
_NOTICED = 8.0
"""Multiple of the tolerance beyond which the error of fewer keys is a warning."""


@dataclass
class Request:
    """What a property is to become.

    Attributes:
        value_type: of the file.
        factor: of the file's numbers in Blender.
        own: the track that it was imported from, whose numbers are kept where nothing changed them.
        turns: the components are a quaternion's, whose neighbours are to be on the short way from each other.
        tolerance: largest error of what cannot be exact, as a share of the range (of 1 for rotations).
        linear: straight lines instead of curves.
        duration: seconds over which a repetition is written out.
        rate: frames a second, 0 for an unknown number.
        name: of what is animated, for the report.
    """

    value_type: int
    factor: float = 1.0
    own: FileTrack | None = None
    turns: bool = False
    tolerance: float = 1e-5
    linear: bool = False
    duration: float = 0.0
    rate: float = 0.0
    name: str = ""

    @property
    def type(self) -> ValueType:
        """What each value is."""
        return layout.VALUE_TYPES[self.value_type]


@dataclass
class Summary:
    """What had to be changed on the way, over all tracks; errors are shares of a curve's range."""

    repeated: int = 0
    added: int = 0
    refitted: list[str] = field(default_factory=list)
    error: float = 0.0
    line_error: float = 0.0
    long_ways: int = 0
    long_keys: int = 0
    thinned: int = 0
    thinned_error: float = 0.0

    def tell(self, report: Report) -> None:
        """Add it to the report, as warnings and notes."""
        if self.repeated:
            report.warn(messages.WRAPS, properties=self.repeated)
        if self.added:
            names = first_names(self.refitted)
            report.note(messages.REFITTED, keys=self.added, names=names, percent=100.0 * self.error)
        if self.long_ways:
            report.note(messages.LONG_WAYS, properties=self.long_ways, keys=self.long_keys)
        if self.line_error:
            report.note(messages.LINEARISED, percent=100.0 * self.line_error)
        if self.thinned:
            report.note(messages.THINNED, properties=self.thinned, percent=100.0 * self.thinned_error)


def build(rows: Sequence[Track], request: Request, summary: Summary, report: Report) -> FileTrack:
    """Return the file's track made of one-component curves, which are in the file's order and axes."""
    # signs and steps that are no motion, then one block, then no more keys than anybody sees
    rows = _without_flips(rows, request) if request.turns else _without_steps_put_in(rows, request)
    block = _on_short_ways(_block(rows, request, summary, report), request, summary)
    block = _thinned(block, rows, request, summary, report)
    return _Keys(rows, block, request, report).track()


# --- One block ---------------------------------------------------------------------------------------------------


def _block(rows: Sequence[Track], request: Request, summary: Summary, report: Report) -> Track:
    """Return all components on the same times, every Bezier segment with handles at thirds."""
    if any((row.before, row.after) != (Wrap.HOLD, Wrap.HOLD) for row in rows):
        ends = [max(request.duration, *row.times[-1:].tolist()) for row in rows]
        written = [edit.trim_track(row, 0.0, end) for row, end in zip(rows, ends)]
        summary.repeated += any(len(row.times) < len(keys.times) for row, keys in zip(rows, written))
        rows = written
    # errors are shares of the range
    reach = _reach(rows, request)
    slack = request.tolerance * reach
    block = unite(list(rows), slack, report)
    if not (block.interpolation[:-1] == Interpolation.BEZIER).any():
        return block
    if request.linear:
        block, error = straightened(block, slack)
        summary.line_error = max(summary.line_error, error / reach)
        return block
    # handles at thirds, as the file has no others
    block, error, added = fit.refit_thirds(block, slack)
    if added:
        summary.added += added
        summary.refitted.append(request.name)
        summary.error = max(summary.error, error / reach)
    return block


def _without_flips(rows: Sequence[Track], request: Request) -> Sequence[Track]:
    """Return a quaternion's components without signs that flip within a frame, as in recordings.

    Blender turns the long way there, but shows nothing between its frames. Keys put into a long turn have not length 1.
    """
    times = rows[0].times
    if not all(np.array_equal(row.times, times) for row in rows[1:]):
        return rows
    values = np.concatenate([row.values for row in rows]).astype(np.float64)
    # only between recorded keys, of length 1, a frame apart
    recorded = np.abs(np.sqrt(quaternion.dot(values, values)) - 1.0) < _UNIT
    near = recorded[1:] & recorded[:-1] & (np.diff(times) <= _FRAME / (request.rate or ASSUMED_RATE))
    flips = near & (quaternion.dot(values[:, 1:], values[:, :-1]) < _SIGNS_ALONE)
    if not flips.any():
        return rows
    # from each flip on all signs turn
    signs = np.cumprod(np.append(1.0, np.where(flips, -1.0, 1.0)))
    return [
        replace(row, values=row.values * signs, handles=None if row.handles is None else row.handles.scaled(signs))
        for row in rows
    ]


def _on_short_ways(block: Track, request: Request, summary: Summary) -> Track:
    """Return a quaternion with more keys where it turns the long way, as Blender shows it."""
    if not request.turns:
        return block
    values = block.values.astype(np.float64)
    opposite = quaternion.dot(values[:, 1:], values[:, :-1]) < 0
    if not (opposite & (block.interpolation[:-1] != Interpolation.CONSTANT)).any():
        return block
    (whole,) = unit_rotations([_rolled(block, 1)], _TURN)
    summary.long_ways += 1
    summary.long_keys += len(whole.times) - len(block.times)
    return _rolled(whole, -1)


def _rolled(block: Track, by: int) -> Track:
    """Return x, y, z, w as w, x, y, z, or with -1 the other way round."""
    handles = block.handles and block.handles._replace(values=np.roll(block.handles.values, by, axis=0))
    return replace(block, values=np.roll(block.values, by, axis=0), handles=handles)


def _thinned(block: Track, rows: Sequence[Track], request: Request, summary: Summary, report: Report) -> Track:
    """Return the block with no more keys than the request allows; warn if the error could be noticed."""
    a_second = _DENSEST * request.rate or math.inf
    most = a_second * float(np.ptp(block.times)) + _SPARE if len(block.times) else math.inf
    if len(block.times) <= most:
        return block
    reach = _reach(rows, request)
    slack = request.tolerance * reach
    result, error = straightened(block, slack, least=shortest(request.rate), most=most)
    if len(result.times) >= len(block.times):
        return block
    if error > _NOTICED * slack:
        report.warn(messages.TOO_FAST, name=request.name, most=a_second, percent=100.0 * error / reach)
    else:
        summary.thinned += 1
        summary.thinned_error = max(summary.thinned_error, error / reach)
    return result


def _reach(rows: Sequence[Track], request: Request) -> float:
    if request.type.kind is Kind.QUATERNION:
        return 1.0
    values = [row.values for row in rows if row.values.size]
    spans = [float(part.max()) - float(part.min()) for part in values]
    return max(spans, default=0.0) or max([float(np.abs(part).max()) for part in values], default=0.0) or 1.0


def _without_steps_put_in(rows: Sequence[Track], request: Request) -> Sequence[Track]:
    """Return the rows without keys that the importer put in halfway between two bools, where all still have these."""
    known = request.type.kind is Kind.BOOL and all(row.inserted is not None for row in rows)
    if not known or len({len(row.times) for row in rows}) > 1:
        return rows
    spare = np.ones(len(rows[0].times), bool)
    for row in rows:
        # halfway between two keys still, and with the value of the next
        times, value, still = row.times.astype(np.float64), row.values[0], np.zeros(len(row.times), bool)
        still[1:-1] = (np.abs(times[1:-1] - (times[:-2] + times[2:]) / 2) < _HALFWAY) & (value[1:-1] == value[2:])
        spare &= still & row.inserted
    if not spare.any():
        return rows
    # the key before each interpolates to the next one again
    moving = np.append(spare[1:], False)
    shapes = [np.where(moving, LINEAR, row.interpolation) for row in rows]
    return [row.but(interpolation=own, handles=None, inserted=None).take(~spare) for row, own in zip(rows, shapes)]


# --- The file's own numbers --------------------------------------------------------------------------------------


def _own_of_row(row: Track, times: Array, values: Array, source: Array) -> tuple[Array, Array, Array, Array]:
    """Return (n,) source keys for value, left side, right side and time of the keys at `times` (n,), -1 for none.

    The first of two keys at one time, before a step, has another value than the row: (n,) in `values`.
    """
    none = np.full(len(times), -1)
    if row.match is None or not len(row.times) or not len(source):
        return none, none, none, none
    at = positions(row.times.astype(np.float64), times.astype(np.float64))
    twice = times[1:] == times[:-1]
    at[1:] = np.where(twice & (at[1:] < 0), at[:-1], at[1:])
    here = np.maximum(at, 0)
    same_value = row.match.same_value[here] & ~(np.append(twice, False) & (row.values[0][here] != values))
    match = row.match
    # from the block's key to the row's, from that to what was written, from that to the file's
    written = match.keys[here]
    key = np.where((at >= 0) & (written >= 0), source[np.maximum(written, 0)], -1)
    # a side is the file's only if its segment was not cut by another component
    from_before = np.append(False, (at[1:] == at[:-1] + 1) & (at[:-1] >= 0))
    to_next = np.append((at[1:] == at[:-1] + 1) & (at[1:] >= 0), False)
    return (
        np.where(same_value, key, -1),
        np.where(match.same_left[here] & from_before, key, -1),
        np.where(match.same_right[here] & to_next, key, -1),
        np.where(match.same_time[here], key, -1),
    )


# --- Keys --------------------------------------------------------------------------------------------------------


class _Keys:
    def __init__(self, rows: Sequence[Track], block: Track, request: Request, report: Report) -> None:
        self._request, self._report, self._block = request, report, block
        values = block.values.astype(np.float64) / request.factor
        offsets = None if block.handles is None else block.handles.values.astype(np.float64) / request.factor
        if request.turns:
            signs = quaternion.align_signs(np.roll(values, 1, axis=0))
            values = values * signs
            offsets = None if offsets is None else offsets * signs[:, None]
        self._values = values
        self._offsets = np.zeros((*values.shape, 2)) if offsets is None else offsets
        self._shapes = block.interpolation
        self._modes = _MODES[block.interpolation]
        # the source's keys whose value or side is unchanged, (components, n), and whose time is, (n,); else -1
        self._own_value = self._own_left = self._own_right = np.full(values.shape, -1)
        self._own_time: Array = self._own_value[0]
        own = request.own
        if own is not None and own.key_count:
            source = played(own).source
            parts = [_own_of_row(row, block.times, row_values, source) for row, row_values in zip(rows, block.values)]
            self._own_value, self._own_left, self._own_right, times = map(np.stack, zip(*parts))
            self._own_time = times.max(axis=0)
            # its modes where a key is the source's and they mean the same shape
            whole = np.where((self._own_value == self._own_value[0]).all(axis=0), self._own_value[0], -1)
            keys = np.where(self._own_time >= 0, self._own_time, whole)
            theirs = own.modes[np.maximum(keys, 0)]
            same = (keys >= 0) & (SHAPES[theirs] == self._shapes)
            same[-1:] = keys[-1:] >= 0
            self._modes = np.where(same, theirs, self._modes).astype(np.uint8)

    def track(self) -> FileTrack:
        """Return the track: of the source's kind if that can hold it, else Discrete for bools or integers that step."""
        own = self._request.own
        stored = self._stored(self._values, self._own_value, "values")
        result = FileTrack(TrackType.CURVE, self._request.value_type, "", "", stored)
        if own is not None:
            result.node, result.property = own.node, own.property
        in_lines = bool((self._modes[:-1] == Mode.LINEAR).all())
        same_times = own is not None and np.array_equal(self._own_time, np.arange(own.key_count))
        if own is not None and own.track_type is TrackType.RAW and in_lines and same_times:
            result.track_type, result.interval = TrackType.RAW, own.interval
            return result
        times = self._block.times.astype(layout.FLOAT)
        if own is not None and own.times is not None:
            known = self._own_time >= 0
            times[known] = own.times[self._own_time[known]]
        result.times = times
        discrete = self._request.type.kind in (Kind.BOOL, Kind.INTEGER)
        if own is not None:
            discrete = own.track_type is TrackType.DISCRETE
        if discrete and (self._modes[:-1] == Mode.HOLD).all():
            result.track_type = TrackType.DISCRETE
            return result
        self._set_interpolation(result)
        if (self._modes >= Mode.TANGENT).any() or result.flags & layout.FLAG_TANGENTS:
            result.flags |= layout.FLAG_TANGENTS
            left, right = self._tangents()
            own_left, own_right = self._own_sides()
            result.left = self._stored(left, own_left, "left")
            result.right = self._stored(right, own_right, "right")
        return result

    def _stored(self, numbers: Array, own_keys: Array, field: str) -> Array:
        """Return numbers (components, n) as stored, the source's own where `own_keys` is not -1."""
        source = getattr(self._request.own, field, None)
        if not isinstance(source, np.ndarray) or not len(source):
            return stored_values(self._request.value_type, self._typed(numbers))
        known = own_keys >= 0
        # components that are unchanged are taken from the file, the others are made
        typed = self._typed(np.where(known, 0.0, numbers))
        theirs = components(self._request.value_type, source)
        taken = np.take_along_axis(theirs, np.maximum(own_keys, 0), axis=1)
        result = stored_values(self._request.value_type, np.where(known, taken, typed))
        # values unchanged in all components keep their bytes, also those of a bool
        whole = known.all(axis=0) & (own_keys == own_keys[0]).all(axis=0)
        result[whole] = source[own_keys[0][whole]]
        return result

    def _typed(self, numbers: Array) -> Array:
        """Return numbers (components, n) in the type's precision; values beyond its range are clamped and counted."""
        kind = self._request.type
        base = np.dtype(kind.base)
        if kind.kind is Kind.BOOL:
            return (numbers >= _HALF).astype(np.uint8)
        limits = np.finfo(base) if base.kind == "f" else np.iinfo(base)
        smallest, largest = float(limits.min), float(limits.max)
        if base.kind != "f":
            numbers = np.rint(numbers)
            # 2^63 - 1 and 2^64 - 1 are not doubles
            largest = largest if largest < 2.0**53 else float(np.nextafter(largest, 0.0))
        beyond = (numbers > largest) | (numbers < smallest)
        if beyond.any():
            self._report.warn(messages.BAD_RANGE, name=self._request.name, values=int(beyond.sum()), type=kind.name)
            numbers = np.clip(numbers, smallest, largest)
        return numbers.astype(base)

    def _set_interpolation(self, result: FileTrack) -> None:
        own = self._request.own
        own_flags = 0 if own is None or own.track_type is not TrackType.CURVE else own.flags
        modes = self._modes
        # one mode for all keys where the file had one, or a new track needs no more
        shared = not len(modes) or (not own_flags & layout.FLAG_PER_KEY and bool((modes == modes[0]).all()))
        if not own_flags and len(modes) > 1 and (modes[:-1] == modes[0]).all():
            shared, modes = True, modes[:1]
        result.flags = own_flags & ~layout.FLAG_PER_KEY | (0 if shared else layout.FLAG_PER_KEY)
        result.interpolation = modes[:1].copy() if shared else modes

    def _tangents(self) -> tuple[Array, Array]:
        """Return (components, n) left and right tangents; an unused one is the value for CubicBezier, else 0."""
        values, modes = self._values, self._modes
        bezier = self._shapes[:-1] == Interpolation.BEZIER
        cubic = modes == Mode.CUBIC_BEZIER
        leaving, arriving = self._offsets[:, :-1, 1], self._offsets[:, 1:, 0]
        # what shapes nothing is 0; of CubicBezier, whose points are absolute, the value
        idle = np.where(cubic, values, 0.0)
        left, right = idle.copy(), idle.copy()
        right[:, :-1] = np.where(bezier, np.where(cubic[:-1], values[:, :-1] + leaving, 3 * leaving), idle[:, :-1])
        left[:, 1:] = np.where(bezier, np.where(cubic[:-1], values[:, 1:] + arriving, -3 * arriving), idle[:, 1:])
        return left, right

    def _own_sides(self) -> tuple[Array, Array]:
        """Return (components, n) the source's keys whose tangents are kept: handles unchanged, or without effect."""
        value, own = self._own_value, self._request.own
        if own is None or not own.key_count:
            return value, value
        # a side that shapes nothing is the file's where the value of its key is
        bezier, theirs = self._shapes[:-1] == Interpolation.BEZIER, own.modes
        cubic = self._modes == Mode.CUBIC_BEZIER
        ruling = np.append(np.uint8(Mode.HOLD), self._modes[:-1])
        left = np.where((value >= 0) | (ruling != Mode.CUBIC_BEZIER), self._own_left, -1)
        right = np.where((value >= 0) | ~cubic, self._own_right, -1)
        # a side means something else under another mode
        left = np.where(theirs[np.maximum(left - 1, 0)] == ruling, left, -1)
        right = np.where(theirs[np.maximum(right, 0)] == self._modes, right, -1)
        left[:, 1:][:, ~bezier] = value[:, 1:][:, ~bezier]
        left[:, :1] = value[:, :1]
        right[:, :-1][:, ~bezier] = value[:, :-1][:, ~bezier]
        right[:, -1:] = value[:, -1:]
        return left, right


def constant(like: Track, value: float) -> Track:
    """Return a curve that stays at `value`, with one key where `like` has its first."""
    first = like.times[:1]
    return like.redrawn(first, np.full((1, len(first)), value), CONSTANT).held()
