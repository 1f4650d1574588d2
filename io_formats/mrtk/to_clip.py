"""Document -> Clip: joints to nodes, curves to tracks. The way back is in `from_clip`.

Single components move and change sign, so every curve keeps its own keys, exact to the bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate, pairwise

import numpy as np

from ..clip import CONSTANT, LINEAR, ROTATION, Array, Attachment, Clip, Marker, Node, Track, TrackKind, ValueKind, Wrap
from ..clip import messages as clip_messages
from ..clip.quaternion import align_signs, dot, surely_aligned
from ..errors import Report
from ..files.memory import reckon
from ..files.steps import AtOnce, Pace, Steps, running
from . import joints, layout, messages, unity_keys
from .document import Curve, Document, Keys, Pose, duration
from .hands import hand_models, with_hand_skeletons
from .joints import Channel, channels, set_lengths
from .options import ReadOptions
from .unity_keys import Fields, Shape, Shaper

_POOLED_TIMES = 8
_BATCH_KEYS = 1 << 14
"""Number of keys whose fields all fit into a processor's cache."""
_SHORTEST = 0.7
"""A line between two unit quaternions is never shorter, if they lie within half a turn."""
_FROM_ABOVE = (0.0, -0.6, 0.8)
"""Where the eyes of a recorder who looks along Y are, seen from the hands."""

_NEARLY_ZERO = np.float32(1e-6)


@AtOnce
def to_clips(
    document: Document, options: ReadOptions, report: Report, seconds: float | None = None
) -> Steps[list[Clip]]:
    """Return the one clip of a recording.

    The clip's name is empty, as the file has none; its root carries the scale option. Its duration takes a look at
    every key, unless `seconds` says it.
    """
    steps = _clips(document, options, report, duration(document) if seconds is None else seconds)
    return running(steps, partial(np.errstate, invalid="ignore", over="ignore"))


def _clips(document: Document, options: ReadOptions, report: Report, seconds: float) -> Steps[list[Clip]]:
    if options.repair_w:
        document, count = repair(document)
        if count:
            report.warn(messages.REPAIRED_W, count=count)
    played = (marker for marker in document.markers or () if np.isfinite(marker.time))
    markers = [Marker(float(marker.time), marker.text.decode("utf-8", "replace")) for marker in played]
    clip = Clip("", seconds, markers=markers)
    clip.root = np.diag([options.scale, options.scale, options.scale, 1.0])
    clip.tracks = yield from _Tracks(report).of(document)
    clip.nodes = _nodes(document, options, {track.node for track in clip.tracks if track.kind is TrackKind.TRANSFORM})
    # a camera object that looks where the recorded one did, and a visible line along the gaze
    if document.camera is not None and document.camera.has_keys:
        angle = float(np.radians(options.field_of_view))
        clip.attachments.append(Attachment("CAMERA", joints.CAMERA, turn=joints.CAMERA_TURN, angle=angle))
    if document.gaze is not None and document.gaze.has_keys:
        clip.attachments.append(Attachment("RAY", joints.GAZE, joints.GAZE_DIRECTION))
    set_lengths(clip)
    clip.seen_from = _FROM_ABOVE
    clip = with_hand_skeletons(clip) if options.hand_skeleton else clip
    clip.models = partial(hand_models, clip) if options.hand_mesh else None
    return [clip]


def _nodes(document: Document, options: ReadOptions, moved: set[str]) -> list[Node]:
    result = joints.nodes_of((document.camera is not None, document.left is not None, document.gaze is not None))
    by_name = {node.name: node for node in result}
    for name in by_name.keys() & {joints.CAMERA, joints.GAZE_DIRECTION}:
        by_name[name].placeholder = name not in moved
    for side, hand in document.hands:
        flag = (f"Wrist.{side}", joints.TRACKED) if len(hand.tracked.keys) else None
        for joint in layout.JOINTS[1:]:
            node = by_name[f"{joint}.{side}"]
            node.shown_by, node.seen_by = flag if options.hide_untracked else None, flag
            if node.name not in moved:
                node.placeholder = True
                node.rest = joints.neutral_rest(joint, side)
    return result


@dataclass
class _Row:
    """One of Blender's components and the keys that feed it."""

    component: int
    sign: float
    keys: Keys
    before: Wrap
    after: Wrap

    def is_alike(self, other: _Row) -> bool:
        """Return whether the two may share a block as far as is known without looking at the keys."""
        mine, theirs = self.keys, other.keys
        same_size = len(mine) == len(theirs) and mine.dtype == theirs.dtype
        return same_size and (self.before, self.after) == (other.before, other.after)


_Part = tuple[Channel, list[_Row]]


class _Tracks:
    """Makes the tracks of a document; equal time arrays become one array that tracks share."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._pool: list[Array] = []
        self._shaper = Shaper()

    def of(self, document: Document) -> Steps[list[Track]]:
        """Return all tracks, in file order."""
        parts = [(channel, _rows(channel, curves)) for channel, curves in channels(document)]
        values = sum(map(_size, parts))
        reckon(keys=values)
        pace = Pace(values)
        tracks: list[Track] = []
        for batch in _batches(parts):
            tracks += self._batch(batch)
            if pace.is_due(sum(map(_size, batch))):
                yield pace.share
        return tracks

    def _batch(self, batch: list[_Part]) -> list[Track]:
        """Return the tracks of channels, of one shape if keys agree, which takes hardly longer than one channel."""
        fields = Fields.of([row.keys for _, rows in batch for row in rows]) if len(batch) > 1 else None
        made = self._shaper.together(fields) if fields is not None and fields.is_playable else None
        bounds = pairwise(accumulate((len(rows) for _, rows in batch), initial=0))
        tracks: list[Track] = []
        for (channel, rows), (first, last) in zip(batch, bounds):
            if made is None:
                own = list(self._runs(channel, rows))
            else:
                own = [self._track(channel, rows, made.part(first, last))]
            tracks += self._finished(channel, rows, own)
        return tracks

    def _finished(self, channel: Channel, rows: Sequence[_Row], tracks: list[Track]) -> list[Track]:
        if channel.property == ROTATION:
            if tracks and tracks[0].component != 0:  # where only W has no keys MRTK plays 0, Blender would play 1
                held = Shape(tracks[0].times[:1], np.zeros((1, 1), np.float32), np.full(1, LINEAR))
                tracks = [self._track(channel, [rows[0]], held), *tracks]
            return self._rotations(tracks)
        if channel.node == joints.GAZE_DIRECTION and len(tracks) == 1 and len(tracks[0].values) == 3:
            zeros = int((~tracks[0].values.any(axis=0)).sum())
            if zeros:
                self._report.warn(messages.ZERO_DIRECTION, count=zeros)
        return tracks

    def _runs(self, channel: Channel, rows: Sequence[_Row]) -> Iterator[Track]:
        """Yield tracks: one for neighbouring rows that have keys and are alike, where their keys are, too."""
        bounds = [0, *(at for at in range(1, len(rows)) if not rows[at].is_alike(rows[at - 1])), len(rows)]
        for first, last in pairwise(bounds):
            if len(rows[first].keys):
                run = rows[first:last]
                made = self._shapes(channel, run)
                parts = [run] if len(made) == 1 else [[row] for row in run]
                yield from (self._track(channel, part, own) for part, own in zip(parts, made) if len(own.times))

    def _shapes(self, channel: Channel, rows: Sequence[_Row]) -> list[Shape]:
        """Return one shape for all rows, or one for each."""
        if channel.boolean:
            keys = self._playable(channel, rows[0].keys)
            values = (keys["value"] > np.float32(0.5)).astype(np.float32)  # MRTK's threshold
            return [Shape(np.ascontiguousarray(keys["time"]), values[None], np.full(len(keys), CONSTANT))]
        fields = Fields.of([row.keys for row in rows])
        if not fields.is_playable:
            if len(rows) > 1:
                return [made for row in rows for made in self._shapes(channel, [row])]
            fields = Fields.of([self._playable(channel, rows[0].keys)])
        return self._shaper.shapes(fields)

    def _track(self, channel: Channel, rows: Sequence[_Row], made: Shape) -> Track:
        for number in (number for number, row in enumerate(rows) if row.sign < 0):
            for numbers in (made.values, *(() if made.handles is None else (made.handles.values,))):
                numbers[number] = -numbers[number]
        first = rows[0]
        return Track(
            channel.node,
            channel.property,
            self._shared(made.times),
            made.values,
            made.interpolation,
            component=first.component,
            width=len(channel.order),
            handles=made.handles,
            before=first.before,
            after=first.after,
            value_kind=ValueKind.BOOL if channel.boolean else ValueKind.FLOAT,
            kind=TrackKind.CUSTOM if channel.boolean else TrackKind.TRANSFORM,
        )

    def _shared(self, times: Array) -> Array:
        for known in self._pool:
            if len(known) == len(times) and np.array_equal(known, times):
                return known
        self._pool = [times, *self._pool[: _POOLED_TIMES - 1]]
        return times

    def _playable(self, channel: Channel, keys: Keys) -> Keys:
        usable = unity_keys.playable(keys)
        if usable is not keys:
            if len(usable) < len(keys):
                named = {"node": channel.node, "property": channel.property}
                self._report.warn(clip_messages.KEYS_NOT_FINITE, count=len(keys) - len(usable), **named)
            if (np.diff(keys["time"][np.isfinite(keys["time"]) & np.isfinite(keys["value"])]) < 0).any():
                self._report.warn(clip_messages.KEYS_SORTED)
        return usable

    def _rotations(self, tracks: list[Track]) -> list[Track]:
        """Return rotations with aligned signs and without zeros, if the components share their key times."""
        if not tracks or sum(len(track.values) for track in tracks) < 4:
            return tracks
        times = tracks[0].times
        if any(track.times is not times for track in tracks):
            turns = _long_turns(tracks)
            if turns:
                self._report.warn(messages.LONG_TURNS, count=turns)
            return tracks
        values = tracks[0].values if len(tracks) == 1 else np.concatenate([track.values for track in tracks])
        if surely_aligned(values):
            return tracks
        zeros: Array = np.logical_and.reduce(values == 0.0, axis=0)
        if zeros.any():
            self._report.warn(messages.ZERO_QUATERNION, count=int(zeros.sum()))
            values = _without_zeros(values, zeros)
        signs = align_signs(values)
        if zeros.any() or signs.min() < 0:
            for track in tracks:
                rows = slice(track.component, track.component + len(track.values))
                track.values = values[rows] * signs.astype(np.float32)
                if track.handles is not None:
                    track.handles = track.handles.scaled(signs)
        return tracks


def _rows(channel: Channel, curves: list[Curve]) -> list[_Row]:
    return [
        _Row(component, sign, curve.keys, unity_keys.wrap_of(curve.pre_wrap), unity_keys.wrap_of(curve.post_wrap))
        for component, (index, sign) in enumerate(zip(channel.order, channel.signs))
        for curve in (curves[index],)
    ]


def _batches(parts: Sequence[_Part]) -> Iterator[list[_Part]]:
    """Yield neighbouring channels, together while all their rows are alike and have few enough keys."""
    batch: list[_Part] = []
    keys = 0
    for part in parts:
        more = _size(part)
        if batch:
            rows = [*batch[-1][1], *part[1]]
            switches = batch[-1][0].boolean or part[0].boolean
            alike = not switches and len(rows[0].keys) > 0 and all(row.is_alike(rows[0]) for row in rows)
            if not alike or keys + more > _BATCH_KEYS:
                yield batch
                batch, keys = [], 0
        batch.append(part)
        keys += more
    if batch:
        yield batch


def _size(part: _Part) -> int:
    return sum(len(row.keys) for row in part[1])


def _without_zeros(values: Array, zeros: Array) -> Array:
    """Return rotations (4, n) whose zero quaternions point, a millionth long, where the last rotation before them does.

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


def _long_turns(tracks: Sequence[Track]) -> int:
    """Return how often unit quaternions, their components taken as lines, shrink on the way to the opposite sign."""
    keys = np.unique(np.concatenate([track.times for track in tracks]).astype(np.float64))
    times = np.sort(np.concatenate([keys, (keys[1:] + keys[:-1]) / 2.0]))
    values = np.stack([np.interp(times, track.times, row) for track in tracks for row in track.values])
    length = np.sqrt(dot(values, values))
    if not 0.9 < length.max() < 1.1:
        return 0
    short = np.append(False, length < _SHORTEST)
    return int((short[1:] & ~short[:-1]).sum())


# The rotation that MRTK 2.6.0 to 2.7.2 forgot: its optimiser wrote no W keys (issue 9831, fixed in 2.7.3).
#
# Each RotationW curve of such a recording has one key while X, Y and Z have many; with block size 0 it has two, the
# second being the last Z by mistake. W follows from the unit length, its sign from continuity.

_FIRST_VERSION = (1, 1)
_UNIT_TOLERANCE = 1e-2


@np.errstate(invalid="ignore", over="ignore")
def repair(document: Document) -> tuple[Document, int]:
    """Return the document with W rebuilt in every pose that has the defect, and the number of these poses.

    Everything else is shared with `document`; without a defect, `document` itself is returned.
    """
    if document.version < _FIRST_VERSION:
        return document, 0
    joints = [pose for _, hand in document.hands for pose in hand.joints]
    poses = joints if document.camera is None else [document.camera, *joints]
    rebuilt = {id(pose): _rebuilt(pose) for pose in poses if _has_defect(pose)}
    if not rebuilt:
        return document, 0
    left, right = (
        hand and replace(hand, joints=[rebuilt.get(id(pose), pose) for pose in hand.joints])
        for hand in (document.left, document.right)
    )
    camera = rebuilt.get(id(document.camera), document.camera)
    return replace(document, camera=camera, left=left, right=right), len(rebuilt)


def _has_defect(pose: Pose) -> bool:
    """Return whether W lacks keys that X, Y and Z have, in the way that MRTK 2.6.0 to 2.7.2 leave it."""
    x, y, z, w = (curve.keys for curve in pose.rotation)
    if not len(x) == len(y) == len(z) or len(w) not in (1, 2) or len(x) <= len(w):
        return False
    times = x["time"]
    if not (np.array_equal(times, y["time"]) and np.array_equal(times, z["time"]) and times[0] == w["time"][0]):
        return False
    first = sum(float(keys["value"][0]) ** 2 for keys in (x, y, z, w))
    if not abs(first - 1.0) < _UNIT_TOLERANCE:
        return False
    return len(w) == 1 or bool(w["value"][1] == z["value"][-1] and w["time"][1] == times[-1])


def _rebuilt(pose: Pose) -> Pose:
    *axes, w = pose.rotation
    keys = axes[0].keys.copy()
    x, y, z = (axis.keys["value"].astype(np.float64) for axis in axes)
    keys["value"] = rebuilt_w(axes[0].keys["time"], x, y, z, float(w.keys["value"][0]))
    return replace(pose, rotation=[*axes, Curve(keys, w.pre_wrap, w.post_wrap)])


def rebuilt_w(times: Array, x: Array, y: Array, z: Array, first: float) -> Array:
    """Return W (n,) at each key: `first`'s sign times sqrt(1 - x^2 - y^2 - z^2), the sign carried on from key to key.

    The sign changes where X, Y and Z jump to the opposite (the device says -q for q; distinguished from a turn through
    the identity only where they outweigh W) and where W runs through zero: there both neighbouring slopes,
    continued, cross it.
    """
    size: Array = np.sqrt(np.maximum(1.0 - x * x - y * y - z * z, 0.0))
    turns = np.ones(len(size))
    turns[0] = -1.0 if first < 0.0 else 1.0
    turns[1:][x[1:] * x[:-1] + y[1:] * y[:-1] + z[1:] * z[:-1] < -size[1:] * size[:-1]] *= -1.0
    if len(size) > 3:
        span = np.diff(times.astype(np.float64))
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = np.diff(size) / span
            from_left = size[1:-2] + slope[:-2] * span[1:-1]
            from_right = size[2:-1] - slope[2:] * span[1:-1]
        turns[2:-1][(from_left < 0.0) & (from_right < 0.0)] *= -1.0
    return np.cumprod(turns) * size
