"""Document -> Clip: pivots to nodes, channels to tracks, numbers unchanged.

A pivot's channels are moves from its base, post-multiplied, which is what a pose bone's location and rotation are;
axes and units are Blender's own.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from ..clip import CONSTANT, LINEAR, LOCATION, ROTATION, Array, Clip, TrackKind, quaternion
from ..clip import messages as clip_messages
from ..clip.pivots import VISIBILITY, PivotTracks, Skeletons
from ..clip.whole_frames import Keys, Timeline
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

    A hierarchy that the animation's own file lacks is taken from the `skeleton` file. FormatError is raised for a file
    with neither an animation nor a skeleton that can be understood.
    """
    if not document.animations:
        if not document.hierarchies and document.problem is not None:
            raise document.problem
        if not document.hierarchies:
            kinds = Counter(asset.kind for asset in document.carried)
            raise FormatError(messages.NOTHING_TO_SHOW, found=", ".join(kinds) or "-")
        if document.problem is None:
            report.note(clip_messages.NO_ANIMATION)
        return [from_hierarchy(document.hierarchies[0], report).at_rest(options, options.scale)]
    others = [] if skeleton is None else skeleton.hierarchies
    skeletons = Skeletons(document.hierarchies, others, from_hierarchy, report)
    channels = [channel for animation in document.animations for channel in animation.channels]
    pace = Pace(sum(len(channel.values) for channel in channels), len(channels))
    clips = []
    for animation in document.animations:
        clips.append((yield from _clip(animation, skeletons, options, report, pace)))
    return clips


def _clip(
    animation: Animation, skeletons: Skeletons[Hierarchy], options: ReadOptions, report: Report, pace: Pace
) -> Steps[Clip]:
    playing = channels_of(animation)
    pivots = skeletons.choose(plain_name(animation.hierarchy), {pivot for pivot, _ in playing})
    tracks = PivotTracks(pivots, Timeline.of(animation.frame_count, animation.rate, report))
    for (pivot, kind), channel in sorted(playing.items(), key=lambda item: (item[0][0], ORDER.index(item[0][1]))):
        _add(tracks, pivot, kind, channel)
        if pace.is_due(len(channel.values), 1):
            yield pace.share
    tracks.remarks[messages.NO_CHANNEL] += sum(not is_played(channel) for channel in animation.channels)
    tracks.remarks[clip_messages.DUPLICATE_CHANNEL] += sum(map(is_played, animation.channels)) - len(playing)
    tracks.tell(report)
    # on the skeleton as the hierarchy spells it: animations of one share an armature
    return tracks.clip(animation.name, options, options.scale)


def channels_of(animation: Animation) -> dict[tuple[int, ChannelType], Channel]:
    """Return what plays, by pivot and type: of several channels for the same, the first."""
    found: dict[tuple[int, ChannelType], Channel] = {}
    for channel in animation.channels:
        if is_played(channel):
            found.setdefault((channel.pivot, ChannelType(channel.type)), channel)
    return found


def _add(tracks: PivotTracks[Hierarchy], pivot: int, kind: ChannelType, channel: Channel) -> None:
    """Add the track of a channel, if the games play it."""
    node, timeline = tracks.pivots.by_pivot.get(pivot), tracks.timeline
    if pivot == 0 or node is None:
        tracks.remarks[clip_messages.ROOT_CHANNEL if pivot == 0 else messages.MISSING_PIVOT] += 1
        return
    held = max(min(len(channel.values), timeline.frame_count - channel.first), 0)
    if held < len(channel.values):
        tracks.remarks[messages.TOO_LONG] += 1
    if not held:
        return
    keys = _keys(channel, held, timeline)
    if kind is ChannelType.ORIENTATION:
        tracks.remarks[clip_messages.ZERO_ROTATION] += keys.without_zeros()
        tracks.tracks.append(keys.track(node.name, ROTATION, 4))
    elif kind is ChannelType.VISIBILITY:
        tracks.hidden.add(node.name)
        tracks.tracks.append(keys.track(node.name, VISIBILITY, kind=TrackKind.CUSTOM))
    else:
        tracks.tracks.append(keys.track(node.name, LOCATION, 3, TRANSLATIONS.index(kind)))


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


def _keys(channel: Channel, count: int, timeline: Timeline) -> Keys:
    """Return the first so many frames of a channel that is played as keys."""
    steps, before = channel.steps[:count], channel.first > 0

    def shaped(frames: Array) -> tuple[Array, Array]:
        shapes = np.full(len(frames), LINEAR)
        jumped = np.flatnonzero(steps) + before
        shapes[jumped[jumped > 0] - 1] = CONSTANT
        return frames, shapes

    rows = channel.values[:count].T
    own = rows[W_FIRST] if len(rows) == 4 else rows
    keys = timeline.samples(channel.first, own, rest_value(channel.type), steps.tobytes(), shaped)
    if len(own) != 4 or quaternion.surely_aligned(keys.values):
        return keys
    with np.errstate(invalid="ignore", over="ignore"):  # on the short way
        return replace(keys, values=keys.values * quaternion.align_signs(keys.values).astype(np.float32))
