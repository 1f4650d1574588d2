"""The channels of a new animation: copied from the source if they are untouched, else encoded."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np

from ..clip import LOCATION, ROTATION, Array, Track
from ..clip.whole_frames import Frames, on_frames
from ..errors import Report
from . import encode_channels
from .channels import EULER, FADE, VISIBILITY, Channels
from .document import AnyBitChannel, Chunk, MotionDeltaChannel, MotionKeysChannel, ValueChannel
from .encode_channels import Motion, Tolerances
from .layout import ChannelType, Encoding

KINDS: dict[str, tuple[int, ...]] = {
    LOCATION: (int(ChannelType.X), int(ChannelType.Y), int(ChannelType.Z)),
    ROTATION: (int(ChannelType.QUATERNION),) * 4,
    FADE: (int(ChannelType.FADE),),
}
"""The channel type of each component of a clip's property."""


@dataclass
class WantedTracks:
    """The tracks of one pivot, by channel type, with their components; `bits` is its visibility."""

    values: dict[int, list[tuple[int, Track]]] = field(default_factory=lambda: defaultdict(list))
    bits: Track | None = None


@dataclass
class Form:
    """How channels are stored.

    Attributes:
        flavor: as the export option names it.
        frames: the frames that are written.
        tolerances: for keys that are left out.
        same: form, frames and pivot numbers are the source's, so that its channels can be copied.
    """

    flavor: str
    frames: Frames
    tolerances: Tolerances
    same: bool


@dataclass
class Origin:
    """The animation that the clip was imported from; empty for a new clip.

    Attributes:
        channels: of the file.
        shift: see `channels.pivot_shift`.
        tracks: that the importer made of them.
        numbers: pivot numbers of the nodes.
    """

    channels: Channels = field(default_factory=Channels)
    shift: int = 0
    tracks: list[Track] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)


class FreshChannels:
    """The channels of the new animation: copied from the source, or encoded."""

    def __init__(self, form: Form, origin: Origin, report: Report) -> None:
        self.form = form
        self.old = origin.channels
        self.shift = origin.shift
        self.report = report
        self.values: dict[tuple[int, int], ValueChannel] = {}
        self.bits: dict[int, AnyBitChannel] = {}
        self.inserted = _inserted_keys(origin.tracks)
        self.played_before = _played_before(origin)

    def collect(self, wanted: dict[int, WantedTracks]) -> None:
        """Make all channels, copied or encoded."""
        motions = []
        for pivot, tracks in wanted.items():
            for kind in sorted(tracks.values):
                motion = self._value(pivot, kind, tracks.values[kind])
                if motion is not None:
                    motions.append(motion)
            if tracks.bits is not None:
                self._bits(pivot, tracks.bits)
        self._encode(motions)

    def _value(self, pivot: int, kind: int, tracks: list[tuple[int, Track]]) -> Motion | None:
        """Copy the source's channel and return None, or return the motion to encode."""
        old = self.old.values.get((pivot, kind))
        complete = len(tracks) == (4 if kind == ChannelType.QUATERNION else 1)
        untouched = complete and all(track.match is not None and track.match.unchanged for _, track in tracks)
        if untouched and self.form.same:
            if old is not None:
                self.values[pivot, kind] = old
                return None
            if kind == ChannelType.QUATERNION and self._keep_euler(pivot):
                return None
        frames = self.form.frames
        rows = [row for row, _ in tracks]
        moved = [on_frames(track, frames) for _, track in tracks]
        dropped = [self._dropped(track) for _, track in tracks]
        return Motion(pivot - self.shift, kind, moved, rows, old, dropped)

    def _keep_euler(self, pivot: int) -> bool:
        """Copy the Euler channels that the rotations were imported from; return whether there were any."""
        found = [kind for kind in EULER if (pivot, kind) in self.old.values]
        for kind in found:
            self.values[pivot, kind] = self.old.values[pivot, kind]
        return bool(found)

    def _dropped(self, track: Track) -> Array:
        """Return (n,) bool: keys that the importer inserted and nobody changed."""
        match = track.match
        inserted = self.inserted.get((track.node, track.property, track.component))
        if match is None or inserted is None:
            own = track.inserted
            return np.zeros(len(track.times), bool) if own is None else own
        return match.still_inserted(inserted)

    def _bits(self, pivot: int, track: Track) -> None:
        old = self.old.bits.get(pivot)
        if old is not None and track.match is not None and track.match.unchanged and self.form.same:
            self.bits[pivot] = old
            return
        frames = self.form.frames
        compressed = self.form.flavor != "RAW"
        made = encode_channels.bit_channel(pivot - self.shift, on_frames(track, frames), frames, compressed=compressed)
        if made is not None:
            self.bits[pivot] = made

    def _encode(self, motions: list[Motion]) -> None:
        """Encode the motions, each in the form of its source's channel if it has one, else in the file's form."""
        deltas: list[tuple[Motion, int | None]] = []
        for motion in motions:
            flavor = self._flavor(motion)
            if flavor == "RAW":
                self._add(motion, encode_channels.raw_channel(motion, self.form.frames, self.form.tolerances))
            elif flavor in ("TIMECODED", "BFME_TIMECODED"):
                middle_earth = flavor == "BFME_TIMECODED"
                made = encode_channels.keys_channel(
                    motion, self.form.frames, self.form.tolerances, middle_earth=middle_earth
                )
                self._add(motion, made)
            else:
                deltas.append((motion, self._encoding(motion) if flavor == "BFME_ADAPTIVE" else None))
        made_deltas = encode_channels.delta_channels(
            [motion for motion, _ in deltas],
            self.form.frames,
            [encoding for _, encoding in deltas],
            self.form.tolerances,
            self.report,
        )
        for (motion, _), channel in zip(deltas, made_deltas, strict=True):
            self._add(motion, channel)

    def _flavor(self, motion: Motion) -> str:
        """Return the form of a channel: motion channels of different encodings may be in one animation."""
        if self.form.same and isinstance(motion.old, MotionKeysChannel):
            return "BFME_TIMECODED"
        if self.form.same and isinstance(motion.old, MotionDeltaChannel):
            return "BFME_ADAPTIVE"
        return self.form.flavor

    def _encoding(self, motion: Motion) -> int:
        if self.form.same and isinstance(motion.old, MotionDeltaChannel):
            return motion.old.encoding
        return int(Encoding.DELTA_4_BIT)

    def _add(self, motion: Motion, channel: ValueChannel | None) -> None:
        if channel is not None:
            self.values[motion.pivot + self.shift, motion.kind] = channel

    # --- In the file's order --------------------------------------------------------------------

    def take_value(self, key: tuple[int, int], old: Chunk) -> list[Chunk]:
        """Return what replaces a channel of the source: itself, its new version, or nothing if its curve is gone."""
        if key in self.values:
            return [self.values.pop(key)]
        return [] if self._showed(*key) else [old]

    def take_bits(self, pivot: int, old: Chunk) -> list[Chunk]:
        """Return what replaces a visibility channel of the source: see `take_value`."""
        if pivot in self.bits:
            return [self.bits.pop(pivot)]
        return [] if (pivot, VISIBILITY) in self.played_before else [old]

    def all(self) -> list[Chunk]:
        """Return the channels that were not taken, by pivot: translations, rotation, fade, visibility."""
        result: list[Chunk] = []
        for pivot in sorted({pivot for pivot, _ in self.values} | set(self.bits)):
            result.extend(self.values[key] for key in sorted(self.values) if key[0] == pivot)
            if pivot in self.bits:
                result.append(self.bits[pivot])
        return result

    def _showed(self, pivot: int, kind: int) -> bool:
        """Return whether the importer made a curve for that channel; if it is missing now, it was deleted."""
        if kind in EULER:
            from_euler = (pivot, ChannelType.QUATERNION) not in self.old.values
            return from_euler and (pivot, ChannelType.QUATERNION) in self.played_before
        return (pivot, kind) in self.played_before


def _inserted_keys(tracks: list[Track]) -> dict[tuple[str, str, int], Array]:
    """Return (n,) bool for inserted keys of the source's clip, by node, property and component."""
    return {
        (track.node, track.property, track.component + row): track.inserted
        for track in tracks
        if track.inserted is not None
        for row in range(len(track.values))
    }


def _played_before(origin: Origin) -> set[tuple[int, int | str]]:
    """Return pivot and channel type (or VISIBILITY) of every channel that the importer made a curve for."""
    found: set[tuple[int, int | str]] = set()
    for track in origin.tracks:
        kinds = KINDS.get(track.property, ())
        names = [VISIBILITY] if track.property == VISIBILITY else kinds[track.component :][: len(track.values)]
        found.update((origin.numbers[track.node], kind) for kind in names)
    return found
