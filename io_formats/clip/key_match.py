"""Which keys found in Blender are which keys that the importer wrote, and what of them is as it was.

Both sides are float32 frames and values, ascending, as Blender keeps them, so equality is exact. Keys are told apart by
what stayed: first those with their frame and value, then runs between these whose values came through in order (moved
in time), then equal frames (changed in value), then equal values anywhere (moved past a neighbour), or these two the
other way round where that pairs more; then the rest of runs of equal length.

Handles count only where they shape a BEZIER segment, as offsets from their key: a key moved as a whole keeps its
tangents. Blender rewrites handles that shape nothing and nudges a handle of no length to 0.001 frame; neither is a
change.
"""

from __future__ import annotations

import numpy as np

from . import Array, Interpolation, KeyMatch
from .fcurve_keys import KeyBlock

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
    order = _pair(written, found)
    paired = order >= 0
    safe = np.maximum(order, 0)
    same_time = paired & (_take(written.frames, safe) == found.frames)
    same_value = paired & (_take(written.values[0], safe) == found.values[0])
    same_left, same_right = _same_sides(written, found, order)
    same_keys = len(written.frames) == len(found.frames) and bool((order == np.arange(len(order))).all())
    same_fields = bool((same_time & same_value & same_left & same_right).all())
    keys = order if written.source is None else np.where(paired, _take(written.source, safe), -1)
    unchanged = same_wraps and same_keys and same_fields
    return KeyMatch(unchanged, keys, same_time, same_value, same_left, same_right)


def _take(values: Array, at: Array) -> Array:
    """Return values[at]; zeros where there are no values at all."""
    return values[at] if len(values) else np.zeros(len(at), dtype=values.dtype)


# --- Pairs -------------------------------------------------------------------------------------------------------


class _Pairs:
    """Pairs found so far: `order` (found,) index of the written key or -1, and which written keys are taken."""

    def __init__(self, written: int, found: int) -> None:
        self.order = np.full(found, -1, dtype=np.intp)
        self.taken = np.zeros(written, dtype=bool)

    def add(self, written: Array, found: Array) -> None:
        """Take note of pairs of indices."""
        self.order[found] = written
        self.taken[written] = True

    def copy(self) -> _Pairs:
        """Return the same pairs, to be added to on trial."""
        result = _Pairs(0, 0)
        result.order, result.taken = self.order.copy(), self.taken.copy()
        return result

    def count(self) -> int:
        """Return how many pairs there are."""
        return int(self.taken.sum())

    def left_over(self) -> tuple[Array, Array]:
        """Return indices of the written and of the found keys that have no partner."""
        return np.flatnonzero(~self.taken), np.flatnonzero(self.order < 0)


def _pair(written: KeyBlock, found: KeyBlock) -> Array:
    """Return (found,) the index of the written key for each key found, -1 for none."""
    pairs = _Pairs(len(written.frames), len(found.frames))
    old, new = written.values[0], found.values[0]
    if len(old) == len(new) and (np.array_equal(written.frames, found.frames) or np.array_equal(old, new)):
        return np.arange(len(new))
    _pair_equal(pairs, (written.frames, old), (found.frames, new))
    _pair_runs(pairs, old, new)
    by_frame, by_value = pairs.copy(), pairs.copy()
    _pair_equal(by_frame, (written.frames,), (found.frames,))
    _pair_equal(by_value, (old,), (new,))
    # after a shift in time many frames coincide with those of other keys; then the values tell more
    pairs = by_value if by_value.count() > by_frame.count() else by_frame
    _pair_equal(pairs, (written.frames,), (found.frames,))
    _pair_equal(pairs, (old,), (new,))
    _pair_runs(pairs, None, None)
    return pairs.order


def _pair_equal(pairs: _Pairs, old: tuple[Array, ...], new: tuple[Array, ...]) -> None:
    """Match keys without partners whose columns are equal; of several equal ones in order."""
    written, found = pairs.left_over()
    if not len(written) or not len(found):
        return
    columns = [np.concatenate((a[written], b[found])) for a, b in zip(old, new, strict=True)]
    side = np.repeat((0, 1), (len(written), len(found)))
    group = _groups(columns)
    rank = _ranks_within(group, side)
    order = np.lexsort((side, rank, group))
    both = (group[order[1:]] == group[order[:-1]]) & (rank[order[1:]] == rank[order[:-1]])
    first = np.flatnonzero(both)
    pairs.add(written[order[first]], found[order[first + 1] - len(written)])


def _groups(columns: list[Array]) -> Array:
    """Return a number for each row, equal for equal rows."""
    order = np.lexsort(columns)
    fresh = np.zeros(len(order), dtype=np.intp)
    for column in columns:
        fresh[1:] |= column[order[1:]] != column[order[:-1]]
    group = np.empty(len(order), dtype=np.intp)
    group[order] = np.cumsum(fresh)
    return group


def _ranks_within(group: Array, side: Array) -> Array:
    """Return how many rows of the same group and side precede each row."""
    order = np.lexsort((side, group))
    fresh = np.append(True, (group[order[1:]] != group[order[:-1]]) | (side[order[1:]] != side[order[:-1]]))
    starts = np.flatnonzero(fresh)
    rank = np.empty(len(order), dtype=np.intp)
    rank[order] = np.arange(len(order)) - np.repeat(starts, np.diff(np.append(starts, len(order))))
    return rank


def _pair_runs(pairs: _Pairs, old: Array | None, new: Array | None) -> None:
    """Match unmatched keys between two matched ones if both gaps hold the same number of keys."""
    written, found = pairs.left_over()
    if not len(written) or not len(found):
        return
    run_old, run_new, count = _runs(pairs, written, found)
    equal = np.bincount(run_old, minlength=count) == np.bincount(run_new, minlength=count)
    written, found = written[equal[run_old]], found[equal[run_new]]
    if old is not None and new is not None:
        differs = old[written] != new[found]
        spoilt = np.bincount(run_old[equal[run_old]], differs, minlength=count) > 0
        kept = ~spoilt[run_old[equal[run_old]]]
        written, found = written[kept], found[kept]
    pairs.add(written, found)


def _runs(pairs: _Pairs, written: Array, found: Array) -> tuple[Array, Array, int]:
    """Return the number of the gap between partners in which each key lies, for both sides, and the number of gaps.

    Partners that crossed each other bound no gap.
    """
    anchors = np.flatnonzero(pairs.order >= 0)
    partner = pairs.order[anchors]
    if len(anchors):
        ahead = np.maximum.accumulate(partner)
        behind = np.minimum.accumulate(partner[::-1])[::-1]
        straight = (ahead == partner) & (behind == partner)
        anchors, partner = anchors[straight], partner[straight]
    return np.searchsorted(partner, written), np.searchsorted(anchors, found), len(anchors) + 1


# --- Shapes ------------------------------------------------------------------------------------------------------


def _same_sides(written: KeyBlock, found: KeyBlock, order: Array) -> tuple[Array, Array]:
    """Tell (n,) whether the side of each key to its left and to its right is as written."""
    paired = order >= 0
    left, right = paired.copy(), paired.copy()
    if len(order) < 2:
        return left, right
    safe = np.maximum(order, 0)
    right[:-1] &= _same_segments(written, found, safe[:-1], np.arange(len(order) - 1), order[1:] == safe[:-1] + 1, 1)
    behind = order[:-1] == safe[1:] - 1
    left[1:] &= _same_segments(written, found, safe[1:] - 1, np.arange(len(order) - 1), behind, 0)
    return left, right


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
    exists = (old >= 0) & (old < count - 1)
    old = np.clip(old, 0, count - 2)
    shape = found.interpolation[new]
    same = exists & (written.interpolation[old] == shape)
    linear = shape == Interpolation.LINEAR
    bezier = shape == Interpolation.BEZIER
    if bezier.any():
        whole = whole & (~bezier | _same_handles(written, found, old, new, side))
    result: Array = same & (whole | linear)
    return result


def _same_handles(written: KeyBlock, found: KeyBlock, old: Array, new: Array, side: int) -> Array:
    """Tell (k,) whether segments are equally long and the handle at one end reaches equally far from its key."""
    if written.handles is None or found.handles is None:
        return np.full(len(new), written.handles is found.handles)
    lengths = [np.diff(block.frames.astype(np.float64)) for block in (written, found)]
    end = 1 - side
    far = np.maximum(np.abs(written.frames[old + end]), np.abs(found.frames[new + end])).astype(np.float64)
    same_length = np.abs(lengths[0][old] - lengths[1][new]) <= _ROUNDING * far
    old_x, old_y, old_size = _offsets(written, old + end, side)
    new_x, new_y, new_size = _offsets(found, new + end, side)
    slack = _ROUNDING * far
    same_x = np.abs(old_x - new_x) <= slack
    sign = 1.0 if side else -1.0
    nudged = (np.abs(old_x) < _NUDGE) & (np.abs(new_x - sign * _NUDGE) <= slack + 1e-6)
    same_y = np.abs(old_y - new_y) <= _ROUNDING * np.maximum(old_size, new_size)
    result: Array = same_length & (same_x | nudged) & same_y
    return result


def _offsets(block: KeyBlock, keys: Array, side: int) -> tuple[Array, Array, Array]:
    """Return one handle's offset in frames and in value for each key, and the size of the numbers it came from."""
    assert block.handles is not None
    handle = block.handles[0, keys, side].astype(np.float64)
    value = block.values[0, keys].astype(np.float64)
    size = np.maximum(np.abs(handle[:, 1]), np.abs(value))
    return handle[:, 0] - block.frames[keys], handle[:, 1] - value, size
