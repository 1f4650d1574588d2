"""The file that a clip was imported from, as the export needs it: which of its tracks became which track of the
clip."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ..clip import Array, Source, TrackKind
from ..compare import equal
from . import to_clip
from .document import Document, Track
from .layout import Mode, TrackType
from .options import ReadOptions
from .properties import Role, Space, space
from .read import reread


@dataclass
class KnownTrack:
    """A track of the source.

    Attributes:
        track: as in the file.
        node: the clip's name for its node.
        role: what it drives; None for a track that does not play.
        plays: the clip has a track of it.
    """

    track: Track
    node: str
    role: Role | None
    plays: bool

    @property
    def target(self) -> tuple[str, TrackKind, str] | None:
        """What the clip's track drives, None for a track that the clip does not have."""
        return (self.node, self.role.kind, self.role.property) if self.role is not None and self.plays else None

    @property
    def components(self) -> int:
        """Numbers that a value has."""
        count: int = self.track.type.components
        return count

    def targets(self) -> list[tuple[str, TrackKind, str]]:
        """Return what may hold the track in Blender: a custom property stands in for a missing shape key."""
        if self.role is None or self.target is None:
            return []
        stands_in = [(self.node, TrackKind.CUSTOM, name) for name in (self.role.property, self.track.property)]
        return [self.target] if self.role.kind is TrackKind.TRANSFORM else [self.target, *stands_in]

    def in_time(self, factor: float, shift: float) -> Track:
        """Return the track with its keys at their seconds times `factor` plus `shift`; a cut one begins with what it
        holds at 0."""
        track = self.track
        if (factor, shift) == (1.0, 0.0) or not track.key_count:
            return track
        if track.track_type is TrackType.RAW and not shift:
            return replace(track, interval=np.float32(track.interval * factor))
        moved = replace(track, times=(track.key_times * factor + shift).astype(np.float32))
        if track.track_type is TrackType.RAW:
            moved = _without_interval(moved)
        return _from_zero(moved) if moved.track_type is TrackType.DISCRETE else moved


def _without_interval(track: Track) -> Track:
    """Return a Raw track with times as one of another type that plays the same: texts step, numbers go straight."""
    if isinstance(track.values, list):
        return replace(track, track_type=TrackType.DISCRETE, interval=np.float32(0))
    linear = np.full(1, Mode.LINEAR, np.uint8)
    return replace(track, track_type=TrackType.CURVE, interval=np.float32(0), interpolation=linear)


def _from_zero(track: Track) -> Track:
    """Return a Discrete track without what it held before 0 alone."""
    assert track.times is not None
    first = int((track.times <= 0).sum()) - 1
    if first < 0 or not (np.diff(track.times) >= 0).all():
        return track
    return replace(track, times=np.maximum(track.times[first:], np.float32(0)), values=track.values[first:])


class Known:
    """A source, with its tracks in the order of keys that the import took."""

    def __init__(self, source: Source[Document, ReadOptions]) -> None:
        self.source = source
        self.options = source.options
        document = source.document
        if self.options is not None:
            document = reread(document, self.options.key_order, self.options.tangent_order)
        self.document = document

    def same_space(self, other: Space) -> bool:
        """Return whether the file's numbers mean the same in the axes of the export."""
        if self.options is None:
            return True
        own = space(self.options.axes, self.options.forward_axis, self.options.up_axis, self.options.left_handed)
        return equal(_told(own), _told(other))

    def tracks(self) -> Iterator[KnownTrack]:
        """Yield all tracks in file order."""
        names = to_clip.node_names(self.document)
        playing = to_clip.playing_tracks(self.document)
        shown = {(track.node, track.kind, track.property) for track in self.source.clip.tracks}
        for number, track in enumerate(self.document.tracks):
            role, node = playing.get(number), names[track.node]
            plays = role is not None and (node, role.kind, role.property) in shown
            yield KnownTrack(track, node, role, plays)


def _told(own: Space) -> tuple[Array, ...]:
    """Return the matrices, (3, 3), (3, 3) and (4, 4), that the numbers of a file depend on."""
    return own.axes.matrix, own.object_axes.matrix, own.outside
