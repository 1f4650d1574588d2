"""Document -> Clip: pivots to nodes, channels to tracks, numbers unchanged.

A pivot's channels are moves from its base, post-multiplied, which is what a pose bone's location and rotation are;
axes and units are Blender's own.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from ..clip import CONSTANT, LINEAR, LOCATION, ROTATION, Array, Clip, Track, TrackKind, quaternion
from ..clip import messages as clip_messages
from ..clip.pivots import VISIBILITY, Skeleton, Skeletons
from ..clip.whole_frames import ASSUMED_RATE, Keys
from ..errors import FormatError, Report
from ..files.steps import AtOnce, Pace, Steps
from . import messages
from .companions import from_hierarchy
from .document import Animation, Channel, Document, Hierarchy, plain_name
from .layout import ORDER, TRANSLATIONS, W_FIRST, ChannelType
from .options import ReadOptions


@AtOnce
def to_clips(
    document: Document, options: ReadOptions, report: Report, *, skeleton: Document | None = None
) -> Steps[list[Clip]]:
    """Return a clip for each animation, in file order; a file with a skeleton alone gives one in which nothing moves.

    Args:
        skeleton: a file with the hierarchy, used where the animation's own file has none of its name.

    Raises:
        FormatError: the file holds neither an animation nor a skeleton that can be understood.
    """
    if not document.animations:
        return [_rest_pose(document, options, report)]
    others = [] if skeleton is None else skeleton.hierarchies
    skeletons = Skeletons(document.hierarchies, others, from_hierarchy, report)
    channels = [channel for animation in document.animations for channel in animation.channels]
    pace = Pace(sum(len(channel.values) for channel in channels), len(channels))
    clips = []
    for animation in document.animations:
        clips.append((yield from _clip(animation, skeletons, options, report, pace)))
    return clips


def _rest_pose(document: Document, options: ReadOptions, report: Report) -> Clip:
    if document.hierarchies:
        report.note(clip_messages.NO_ANIMATION)
        pivots = from_hierarchy(document.hierarchies[0], report)
        root = _root(options.scale)
        return Clip(pivots.name, nodes=pivots.nodes, skeleton=pivots.name, root=root)
    if document.problem is not None:
        raise document.problem
    kinds = Counter(asset.kind for asset in document.carried)
    raise FormatError(messages.NOTHING_TO_SHOW, found=", ".join(kinds) or "-")


def _root(scale: float) -> Array:
    return np.diag([scale, scale, scale, 1.0])


def _clip(
    animation: Animation,
    skeletons: Skeletons[Hierarchy],
    options: ReadOptions,
    report: Report,
    pace: Pace,
) -> Steps[Clip]:
    playing = channels_of(animation)
    wanted = plain_name(animation.hierarchy)
    pivots = skeletons.choose(wanted, {pivot for pivot, _ in playing})
    rate = animation.rate
    if rate == 0:
        report.warn(clip_messages.NO_RATE)
        rate = ASSUMED_RATE
    tracks = _Tracks(pivots, Timeline(animation.frame_count, rate))
    for (pivot, kind), channel in sorted(playing.items(), key=lambda item: (item[0][0], ORDER.index(item[0][1]))):
        tracks.add(pivot, kind, channel)
        if pace.is_due(len(channel.values), 1):
            yield pace.share
    tracks.remarks[messages.NO_CHANNEL] += sum(not is_played(channel) for channel in animation.channels)
    tracks.remarks[clip_messages.DUPLICATE_CHANNEL] += sum(map(is_played, animation.channels)) - len(playing)
    tracks.tell(report)
    known = pivots.hierarchy is not None
    hidden = frozenset(tracks.hidden if options.apply_visibility else ())
    return Clip(
        animation.name,
        max(animation.frame_count - 1, 0) / rate,
        float(rate),
        root=_root(options.scale),
        nodes=pivots.shown(hidden, VISIBILITY, root_bone=options.root_bone),
        tracks=tracks.tracks,
        skeleton=pivots.name,  # as the hierarchy spells it: animations of one skeleton share an armature
        parents_known=known,
        rests_known=known,
    )


def channels_of(animation: Animation) -> dict[tuple[int, ChannelType], Channel]:
    """Return what plays, by pivot and type: of several channels for the same, the first."""
    found: dict[tuple[int, ChannelType], Channel] = {}
    for channel in animation.channels:
        if is_played(channel):
            found.setdefault((channel.pivot, ChannelType(channel.type)), channel)
    return found


@dataclass
class _Tracks:
    """Collects the tracks of one clip, and what was remarkable about its channels."""

    pivots: Skeleton[Hierarchy]
    timeline: Timeline
    tracks: list[Track] = field(default_factory=list)
    hidden: set[str] = field(default_factory=set)
    remarks: Counter[str] = field(default_factory=Counter)

    def add(self, pivot: int, kind: ChannelType, channel: Channel) -> None:
        """Add the track of a channel, if the games play it."""
        if pivot == 0 or pivot not in self.pivots.by_pivot:
            self.remarks[clip_messages.ROOT_CHANNEL if pivot == 0 else messages.MISSING_PIVOT] += 1
            return
        if self.timeline.held(channel) < len(channel.values):
            self.remarks[messages.TOO_LONG] += 1
        keys = self.timeline.keys(channel)
        if keys is not None:
            self._append(self.pivots.by_pivot[pivot].name, kind, keys)

    def _append(self, node: str, kind: ChannelType, keys: Keys) -> None:
        if kind is ChannelType.ORIENTATION:
            values = self._with_directions(keys.values)
            self._track(node, ROTATION, keys, values, width=4)
        elif kind is ChannelType.VISIBILITY:
            self.hidden.add(node)
            self._track(node, VISIBILITY, keys, keys.values, kind=TrackKind.CUSTOM)
        else:
            self._track(node, LOCATION, keys, keys.values, component=TRANSLATIONS.index(kind), width=3)

    def _track(
        self,
        node: str,
        name: str,
        keys: Keys,
        values: Array,
        *,
        component: int = 0,
        width: int = 1,
        kind: TrackKind = TrackKind.TRANSFORM,
    ) -> None:
        self.tracks.append(
            Track(
                node, name, keys.times, values, keys.interpolation, component, width, kind=kind, inserted=keys.inserted
            )
        )

    def _with_directions(self, values: Array) -> Array:
        """Return quaternions (4, n), those of no length as no rotation: Blender would turn half around."""
        nothing = ~values.any(axis=0)
        if not nothing.any():
            return values
        self.remarks[clip_messages.ZERO_ROTATION] += int(nothing.sum())
        result: Array = np.where(nothing, rest_value(ChannelType.ORIENTATION), values)
        return result

    def tell(self, report: Report) -> None:
        """Pass the remarks on."""
        for template, count in self.remarks.items():
            if count:
                report.warn(template, **{"keys" if template == clip_messages.ZERO_ROTATION else "channels": count})


# What a channel makes the games show, as keys.
#
# A value for each frame, straight ways between them, rotations as normalised straight lines on the short way: what
# Blender does with quaternion curves whose signs are aligned. Frames without a value are at rest, and the way leads
# there over the frame beside. A step holds the value of the frame before.

_RESTS = {ChannelType.ORIENTATION: (1.0, 0.0, 0.0, 0.0), ChannelType.VISIBILITY: (1.0,)}


def rest_value(kind: str) -> Array:
    """Return (components, 1) float32: what is shown where a channel says nothing; quaternions w, x, y, z."""
    return np.array([_RESTS.get(ChannelType(kind), (0.0,))], np.float32).T


def is_played(channel: Channel) -> bool:
    """Return whether the games' compiler takes a channel: its type goes with the numbers of a frame."""
    width = channel.values.shape[1]
    return channel.type == ChannelType.ORIENTATION if width == 4 else channel.type in (*TRANSLATIONS, "Visibility")


@dataclass
class Timeline:
    """The frames of an animation, made once for all channels that have the same."""

    frame_count: int
    rate: float
    _made: dict[tuple[int, int, bytes], tuple[Array, Array, Array | None]] = field(default_factory=dict)

    def held(self, channel: Channel) -> int:
        """Return how many of a channel's frames are within the animation."""
        return max(min(len(channel.values), self.frame_count - channel.first), 0)

    def keys(self, channel: Channel) -> Keys | None:
        """Return the keys of a channel that is played, None if none of its frames is within the animation."""
        count = self.held(channel)
        if count == 0:
            return None
        before, after = channel.first > 0, channel.first + count < self.frame_count
        steps = channel.steps[:count]
        shape = (channel.first, count, steps.tobytes())
        if shape not in self._made:
            self._made[shape] = self._frames(channel.first, count, steps, before, after)
        rest = rest_value(channel.type)
        rows = channel.values[:count].T
        own = rows[W_FIRST] if len(rows) == 4 else rows
        values = np.concatenate([rest] * before + [own] + [rest] * after, axis=1)
        times, interpolation, inserted = self._made[shape]
        return Keys(times, _on_the_short_way(values), interpolation, inserted)

    def _frames(
        self, first: int, count: int, steps: Array, before: bool, after: bool
    ) -> tuple[Array, Array, Array | None]:
        frames = np.arange(first - before, first + count + after, dtype=np.float64)
        shapes = np.full(len(frames), LINEAR)
        jumped = np.flatnonzero(steps) + before
        shapes[jumped[jumped > 0] - 1] = CONSTANT
        inserted = None
        if before or after:
            inserted = np.zeros(len(frames), bool)
            inserted[:1], inserted[-1:] = before, after
        return frames / self.rate, shapes, inserted


def _on_the_short_way(values: Array) -> Array:
    """Return quaternions (4, n) with aligned signs, other values as they are."""
    if len(values) != 4 or quaternion.surely_aligned(values):
        return values
    with np.errstate(invalid="ignore", over="ignore"):
        result: Array = values * quaternion.align_signs(values).astype(np.float32)
    return result
