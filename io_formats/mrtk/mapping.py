"""Document -> Clip: joints to nodes, curves to tracks. The way back is in `export`.

Single components move and change sign, so every curve keeps its own keys, exact to the bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from .. import messages, rotation
from ..clip import ROTATION, Array, Clip, Interpolation, Marker, Node, Track, TrackKind, ValueKind
from ..errors import Report
from . import layout, nodes, shape
from .channels import Channel, channels
from .describe import duration
from .document import Curve, Document, Hand, Keys
from .hand_skeleton import with_hand_skeletons
from .lengths import set_lengths
from .options import ImportOptions
from .repair import repair
from .shape import Shape

_POOLED_TIMES = 8
_SHORTEST = 0.7
"""A line between two unit quaternions is never shorter, if they lie within half a turn."""
_NEARLY_ZERO = np.float32(1e-6)


@np.errstate(invalid="ignore", over="ignore")
def to_clips(
    document: Document, options: ImportOptions, report: Report, *, skeleton: Document | None = None
) -> list[Clip]:
    """The one clip of a recording.

    The clip's name is empty, as the file has none; its root carries the scale option. `skeleton` is not used.
    """
    del skeleton
    if options.repair_w:
        document, count = repair(document)
        if count:
            report.warn(messages.MRTK_REPAIRED_W, count=count)
    clip = Clip("", duration(document), nodes=_nodes(document, options), markers=_markers(document))
    clip.own_skeleton = True
    clip.root = np.diag([options.scale, options.scale, options.scale, 1.0])
    clip.tracks = _Tracks(report).of(document)
    _attach(clip, document)
    set_lengths(clip)
    return [with_hand_skeletons(clip) if options.hand_skeleton else clip]


def _nodes(document: Document, options: ImportOptions) -> list[Node]:
    sections = (document.camera is not None, document.left is not None, document.gaze is not None)
    result = nodes.nodes_of(sections)
    by_name = {node.name: node for node in result}
    if document.camera is not None:
        by_name[nodes.CAMERA].placeholder = not document.camera.has_keys
    for side, hand in document.hands:
        _set_up_hand(by_name, side, hand, options.hide_untracked)
    return result


def _set_up_hand(by_name: dict[str, Node], side: str, hand: Hand, hide: bool) -> None:
    hidden = hide and len(hand.tracked.keys) > 0
    for joint, pose in zip(layout.JOINTS[1:], hand.joints[1:]):
        node = by_name[f"{joint}.{side}"]
        node.shown_by = (f"Wrist.{side}", nodes.TRACKED) if hidden else None
        if not pose.has_keys:
            node.placeholder = True
            node.rest = nodes.neutral_rest(joint, side)


def _markers(document: Document) -> list[Marker]:
    return [
        Marker(float(marker.time), marker.text.decode("utf-8", "replace"))
        for marker in document.markers or ()
        if np.isfinite(marker.time)
    ]


def _attach(clip: Clip, document: Document) -> None:
    if document.camera is not None and document.camera.has_keys:
        clip.attachments.append(nodes.camera_attachment())
    if document.gaze is not None and document.gaze.has_keys:
        clip.attachments.append(nodes.gaze_attachment())


@dataclass
class _Row:
    """One of Blender's components before components that agree are packed into a block."""

    component: int
    sign: float
    curve: Curve
    shape: Shape

    def fits(self, other: _Row) -> bool:
        """Whether two components can share one block: same times, shapes and wraps."""
        mine, theirs = self.shape, other.shape
        return (
            shape.wrap_of(self.curve.pre_wrap) == shape.wrap_of(other.curve.pre_wrap)
            and shape.wrap_of(self.curve.post_wrap) == shape.wrap_of(other.curve.post_wrap)
            and (mine.times is theirs.times or np.array_equal(mine.times, theirs.times))
            and np.array_equal(mine.interpolation, theirs.interpolation)
            and _same_handle_times(mine.handle_times, theirs.handle_times)
        )


def _same_handle_times(first: Array | None, second: Array | None) -> bool:
    if first is None or second is None:
        return first is second
    return np.array_equal(first, second)


class _Tracks:
    """Makes the tracks of a document; equal time arrays become one array that tracks share."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._pool: list[Array] = []

    def of(self, document: Document) -> list[Track]:
        """All tracks, in file order."""
        return [track for channel, curves in channels(document) for track in self._channel(channel, curves)]

    def _channel(self, channel: Channel, curves: list[Curve]) -> list[Track]:
        if not any(len(curve.keys) for curve in curves):
            return []
        rows = [
            self._row(component, sign, curves[index], channel)
            for component, (index, sign) in enumerate(zip(channel.order, channel.signs))
        ]
        rows = _with_missing_w(rows) if channel.property == ROTATION else rows
        tracks = [_block(channel, rows[first:last]) for first, last in _runs(rows) if len(rows[first].shape.times)]
        if channel.property == ROTATION:
            return self._rotations(tracks)
        if channel.node == nodes.GAZE_DIRECTION:
            self._remark_zero_direction(tracks)
        return tracks

    def _row(self, component: int, sign: float, curve: Curve, channel: Channel) -> _Row:
        keys = self._playable(curve.keys)
        made = shape.boolean_shape(keys) if channel.boolean else shape.shape(keys)
        made.times = self._shared(made.times)
        return _Row(component, sign, curve, made)

    def _playable(self, keys: Keys) -> Keys:
        usable = shape.playable(keys)
        if usable is not keys:
            if len(usable) < len(keys):
                self._report.warn(messages.MRTK_NOT_FINITE, count=len(keys) - len(usable))
            if (np.diff(keys["time"]) < 0).any():
                self._report.warn(messages.MRTK_UNSORTED)
        return usable

    def _shared(self, times: Array) -> Array:
        for known in self._pool:
            if len(known) == len(times) and np.array_equal(known, times):
                return known
        self._pool = [times, *self._pool[: _POOLED_TIMES - 1]]
        return times

    def _rotations(self, tracks: list[Track]) -> list[Track]:
        """Signs aligned and zero quaternions replaced, where the four components share their key times."""
        if not tracks or sum(len(track.values) for track in tracks) < 4:
            return tracks
        times = tracks[0].times
        if any(track.times is not times for track in tracks):
            turns = _long_turns(tracks)
            if turns:
                self._report.warn(messages.MRTK_LONG_TURNS, count=turns)
            return tracks
        values = np.concatenate([track.values for track in tracks])
        zeros = np.logical_not(values).all(axis=0)
        if zeros.any():
            self._report.warn(messages.MRTK_ZERO_QUATERNION, count=int(zeros.sum()))
            values = _without_zeros(values, zeros)
        signs = rotation.align_signs(values)
        if zeros.any() or signs.min() < 0:
            _apply(tracks, values, signs)
        return tracks

    def _remark_zero_direction(self, tracks: list[Track]) -> None:
        if len(tracks) == 1 and len(tracks[0].values) == 3:
            zeros = int((~tracks[0].values.any(axis=0)).sum())
            if zeros:
                self._report.warn(messages.MRTK_ZERO_DIRECTION, count=zeros)


def _with_missing_w(rows: list[_Row]) -> list[_Row]:
    """A key that says 0 for a W that has none while others have: MRTK plays 0, Blender would play 1."""
    others = [row for row in rows[1:] if len(row.shape.times)]
    if len(rows[0].shape.times) or not others:
        return rows
    start = others[0].shape.times[:1]
    linear = np.full(1, Interpolation.LINEAR, np.uint8)
    missing = _Row(0, 1.0, rows[0].curve, Shape(start, np.zeros(1, np.float32), linear))
    return [missing, *rows[1:]]


def _runs(rows: Sequence[_Row]) -> list[tuple[int, int]]:
    """(first, last + 1) of neighbouring components that fit into one block."""
    bounds = [0, *(at for at in range(1, len(rows)) if not rows[at].fits(rows[at - 1])), len(rows)]
    return list(pairwise(bounds))


def _block(channel: Channel, rows: Sequence[_Row]) -> Track:
    first = rows[0]
    values = np.empty((len(rows), len(first.shape.times)), np.float32)
    for target, row in zip(values, rows):
        (np.negative if row.sign < 0 else np.positive)(row.shape.values, out=target)
    return Track(
        channel.node,
        channel.property,
        first.shape.times,
        values,
        first.shape.interpolation,
        component=first.component,
        width=len(channel.order),
        handle_times=first.shape.handle_times,
        handle_values=_handle_values(rows),
        before=shape.wrap_of(first.curve.pre_wrap),
        after=shape.wrap_of(first.curve.post_wrap),
        value_kind=ValueKind.BOOL if channel.boolean else ValueKind.FLOAT,
        kind=TrackKind.CUSTOM if channel.boolean else TrackKind.TRANSFORM,
    )


def _handle_values(rows: Sequence[_Row]) -> Array | None:
    given = [row.sign * row.shape.handle_values for row in rows if row.shape.handle_values is not None]
    return np.stack(given) if given else None


def _without_zeros(values: Array, zeros: Array) -> Array:
    """Rotations (4, n) whose zero quaternions point, a millionth long, where the last rotation before them does.

    MRTK plays the line through zero: the direction before it, then that after it. Blender takes zero itself for half a
    turn. Without a rotation before, the first after counts; without any, none.
    """
    if zeros.all():
        filled: Array = np.zeros_like(values)
        filled[0] = _NEARLY_ZERO
        return filled
    last = np.maximum.accumulate(np.where(zeros, -1, np.arange(values.shape[1])))
    filled = values[:, np.where(last < 0, int(np.argmin(zeros)), last)]
    filled[:, zeros] *= _NEARLY_ZERO
    return filled


def _apply(tracks: Sequence[Track], values: Array, signs: Array) -> None:
    factors = signs.astype(np.float32)
    for track in tracks:
        rows = slice(track.component, track.component + len(track.values))
        track.values = values[rows] * factors
        if track.handle_values is not None:
            track.handle_values = track.handle_values * signs[:, None]


def _long_turns(tracks: Sequence[Track]) -> int:
    """How often unit quaternions, their components taken as lines, shrink on the way to the opposite sign."""
    keys = np.unique(np.concatenate([track.times for track in tracks]).astype(np.float64))
    times = np.sort(np.concatenate([keys, (keys[1:] + keys[:-1]) / 2.0]))
    values = np.stack([np.interp(times, track.times, row) for track in tracks for row in track.values])
    length = np.sqrt(rotation.dot(values, values))
    if not 0.9 < length.max() < 1.1:
        return 0
    short = np.append(False, length < _SHORTEST)
    return int((short[1:] & ~short[:-1]).sum())
