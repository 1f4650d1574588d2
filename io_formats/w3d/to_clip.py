"""Document -> Clip: pivots to nodes, channels to tracks, numbers unchanged. The reverse is `from_clip`.

A pivot's channels are transforms relative to its base, post-multiplied, just as a pose bone's location and rotation
are; axes and units are Blender's own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..clip import LOCATION, ROTATION, Clip, Track, TrackKind, ValueKind
from ..clip import messages as clip_messages
from ..clip.pivots import FADE, VISIBILITY, PivotTracks, Skeleton, Skeletons, nodes_of, rests
from ..clip.whole_frames import Keys, Timeline
from ..errors import FormatError, Report
from ..files.memory import reckon
from ..files.steps import AtOnce, Pace, Steps, portion
from . import document as w3d
from . import layout, messages, playback
from .document import AnyAnimation, Document, Hierarchy, KeysChannel, MotionKeysChannel, ValueChannel
from .layout import LENGTHS, ChannelType
from .options import ReadOptions
from .playback import EULER, PLAYED, Channels, Rules, channels_of, rules_of

_ROOT_NAME_BEFORE_3 = "RootTransform"


def from_hierarchy(hierarchy: Hierarchy, report: Report) -> Skeleton[Hierarchy]:
    """Return nodes for the pivots of a hierarchy; before version 3.0 files have no root, so it is added."""
    records = hierarchy.records
    if len(records) < hierarchy.header.pivot_count:
        report.warn(messages.FEWER_PIVOTS, expected=hierarchy.header.pivot_count, found=len(records))
    names = [w3d.text(bytes(name)) for name in records["name"]]
    parents = np.where(records["parent"] == layout.NO_PARENT, -1, records["parent"].astype(np.int64))
    matrices = rests(records["translation"], records["rotation"])
    if hierarchy.header.version < layout.VERSION_ROOT_PIVOT:
        names, parents = [_ROOT_NAME_BEFORE_3, *names], np.concatenate(([-1], parents + 1))
        matrices = np.concatenate((np.eye(4)[None], matrices))
    return Skeleton.of(hierarchy, nodes_of(names, parents, matrices, report))


@AtOnce
def to_clips(
    document: Document, options: ReadOptions, report: Report, *, skeleton: Document | None = None
) -> Steps[list[Clip]]:
    """Return one clip for each animation, in file order; for a skeleton alone, one clip in which nothing moves.

    A hierarchy that the animation's own file lacks is taken from the `skeleton` file. FormatError is raised for a file
    with neither an animation nor a skeleton.
    """
    for name in w3d.morph_names(document):
        report.warn(messages.MORPH, name=name)
    animations = document.animations
    if not animations:
        if not document.hierarchies:
            raise FormatError(messages.NOTHING_TO_SHOW, offset=0, **w3d.counts(document))
        report.note(clip_messages.NO_ANIMATION)
        return [from_hierarchy(document.hierarchies[0], report).at_rest(options, options.scale)]
    others = [] if skeleton is None else skeleton.hierarchies
    skeletons = Skeletons(document.hierarchies, others, from_hierarchy, report)
    clips: list[Clip] = []
    numbers = 0
    for done, animation in enumerate(animations, 1):
        share = done / len(animations)
        making = _clip(animation, skeletons, options, report, numbers)
        clips.append((yield from portion(making, share - 1 / len(animations), share)))
        numbers += sum(track.size for track in clips[-1].tracks)
        yield share
    return clips


def _clip(
    animation: AnyAnimation, skeletons: Skeletons[Hierarchy], options: ReadOptions, report: Report, numbers: int
) -> Steps[Clip]:
    header = animation.header
    channels = channels_of(animation)
    wanted = w3d.text(header.hierarchy)
    pivots = skeletons.choose(wanted, channels.pivots)
    timeline = Timeline.of(header.frame_count, header.rate, report)
    tracks = _Tracks(pivots, timeline, rules=rules_of(animation, options.engine), numbers=numbers)
    yield from tracks.add(channels)
    tracks.remarks[clip_messages.DUPLICATE_CHANNEL] += len(channels.places) - len(set(channels.places.values()))
    tracks.tell(report)
    for (kind, width), count in channels.unknown.items():
        report.warn(messages.UNKNOWN_CHANNEL, channels=count, type=kind, width=width)
    return replace(tracks.clip(w3d.text(header.name), options, options.scale), skeleton=wanted)


@dataclass(kw_only=True)
class _Tracks(PivotTracks[Hierarchy]):
    """`numbers`: in the keys of all tracks so far, including earlier animations."""

    rules: Rules
    numbers: int

    def add(self, channels: Channels) -> Steps[None]:
        """Add all tracks, pivot by pivot."""
        pace = Pace(sum(map(playback.most_numbers, channels.values.values())), len(channels.pivots))
        for pivot in sorted(channels.pivots):
            before, node, bits = self.numbers, self.pivots.by_pivot.get(pivot), channels.bits.get(pivot)
            kinds = (kind for kind in PLAYED if (pivot, kind) in channels.values)
            own: dict[int, ValueChannel] = {int(kind): channels.values[pivot, kind] for kind in kinds}
            if node is None or pivot == 0:
                remark = clip_messages.ROOT_CHANNEL if pivot == 0 else messages.MISSING_PIVOT
                self.remarks[remark] += len(own) + (bits is not None)
            else:
                self._add_values(node.name, own)
                seen = None if bits is None else playback.bit_keys(bits, self.timeline)
                if seen is not None:
                    self.hidden.add(node.name)
                    self._append(seen.track(node.name, VISIBILITY, kind=TrackKind.CUSTOM, value_kind=ValueKind.BOOL))
            if pace.is_due(self.numbers - before, 1):
                yield pace.share

    def _add_values(self, node: str, channels: dict[int, ValueChannel]) -> None:
        keys = {kind: self._keys(channel, kind) for kind, channel in channels.items() if kind not in EULER}
        moves = [(row, part) for row, kind in enumerate(LENGTHS) if (part := keys.get(kind)) is not None]
        # in one block where all three share their keys; a key that is no number is left out of all its block
        if len(moves) == 3 and all(part.times is moves[0][1].times for _, part in moves):
            values = np.concatenate([part.values for _, part in moves])
            if np.isfinite(values).all():
                moves = [(0, replace(moves[0][1], values=values))]
        for row, part in moves:
            self._append(part.track(node, LOCATION, 3, row))
        self.remarks[messages.EULER_CHANNEL] += len(channels) - len(keys)
        if (turn := keys.get(ChannelType.QUATERNION)) is not None:
            self._append(turn.track(node, ROTATION, 4))
        if (fade := keys.get(ChannelType.FADE)) is not None:
            self._append(fade.track(node, FADE, kind=TrackKind.CUSTOM))

    def _keys(self, channel: ValueChannel, kind: int) -> Keys | None:
        reckon(keys=self.numbers + playback.most_numbers(channel))
        keys = playback.keys_of(channel, kind, self.timeline, self.rules)
        if keys is None:
            return None
        if isinstance(channel, KeysChannel):
            frames = channel.frames
            waits = not (isinstance(channel, MotionKeysChannel) and self.rules.extrapolates)
            self.remarks[messages.LATE_FIRST_KEY] += waits and bool(frames.min() > 0)
            self.remarks[messages.UNSORTED_KEYS] += bool((frames[1:] < frames[:-1]).any())
        if kind == ChannelType.QUATERNION:
            self.remarks[clip_messages.ZERO_ROTATION] += keys.without_zeros()
        return keys

    def _append(self, track: Track) -> None:
        self.numbers += track.values.size
        reckon(keys=self.numbers)
        self.tracks.append(track)
