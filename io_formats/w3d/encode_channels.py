"""The channels of an exported animation: copied from the source if they are untouched, else encoded."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from ..clip import LEAST_OPACITY, LOCATION, ROTATION, Array, Interpolation, Track, ValueKind, curve, keys, quaternion
from ..clip.pivots import VISIBILITY, departs
from ..clip.whole_frames import Frames, jumps, of_unit_length, on_frames, shown
from ..errors import Report
from . import adaptive_delta, layout, playback
from . import document as w3d
from .adaptive_delta import Deviation
from .layout import LENGTHS, ChannelType, Encoding
from .playback import FADE, QUATERNION, Channels

# The channels of a new animation: copied from the source if they are untouched, else encoded.

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
        shift: see `playback.pivot_shift`.
        tracks: that the importer made of them.
        numbers: pivot numbers of the nodes.
    """

    channels: Channels = field(default_factory=Channels)
    shift: int = 0
    tracks: list[Track] = field(default_factory=list)
    numbers: Mapping[str, int] = field(default_factory=dict)


Key = tuple[int, int | str]
"""Pivot and channel type; VISIBILITY for its bits."""


def fresh_channels(
    wanted: dict[int, WantedTracks], form: Form, origin: Origin, report: Report
) -> dict[Key, w3d.ValueChannel | w3d.AnyBitChannel]:
    """Return the channels of the new animation: copied from the source, or encoded."""
    fresh: dict[Key, w3d.ValueChannel | w3d.AnyBitChannel] = {}
    motions = []
    inserted = {
        (track.node, track.property, track.component + row): track.inserted
        for track in origin.tracks
        if track.inserted is not None
        for row in range(len(track.values))
    }
    for pivot, tracks in wanted.items():
        for kind, own in sorted(tracks.values.items()):
            old = origin.channels.values.get((pivot, kind))
            whole = len(own) == playback.components(kind) and all(_is_untouched(track) for _, track in own)
            # what nobody touched is the source's own channel, all else is sampled
            if form.same and whole and old is not None:
                fresh[pivot, kind] = old
            else:
                motions.append(_motion(pivot, kind, own, form, origin, inserted))
        bits = None if tracks.bits is None else _bits(pivot, tracks.bits, form, origin)
        if bits is not None:
            fresh[pivot, VISIBILITY] = bits
    # together, as differences are encoded many at a time
    for motion, channel in _encoded(motions, form, report):
        if channel is not None:
            fresh[motion.pivot + origin.shift, motion.kind] = channel
    return fresh


def in_order(parts: Iterable[w3d.Chunk], fresh: Mapping[Key, w3d.Chunk], origin: Origin) -> list[w3d.Chunk]:
    """Return the source's chunks with fresh channels in the place of its own, and further ones at the end.

    A channel whose curve is gone goes with it; one that was never a curve stays.
    """
    played: set[Key] = set()
    for track in origin.tracks:
        kinds = KINDS.get(track.property, ())
        names = [VISIBILITY] if track.property == VISIBILITY else kinds[track.component :][: len(track.values)]
        played.update((origin.numbers[track.node], kind) for kind in names)
    old, further = origin.channels, dict(fresh)
    places: dict[int, Key] = {id(channel): key for key, channel in old.values.items()}
    places |= {id(channel): (pivot, VISIBILITY) for pivot, channel in old.bits.items()}
    result: list[w3d.Chunk] = []
    for part in parts:
        key = places.get(id(part))
        if key is not None and key in further:
            result.append(further.pop(key))
        elif key not in played:  # deleted, where the importer made a curve of it
            result.append(part)
    # translations, rotation, fade, visibility of one pivot after the other
    order = sorted(further, key=lambda key: (key[0], key[1] == VISIBILITY, key[1]))
    return [*result, *(further[key] for key in order)]


def _is_untouched(track: Track) -> bool:
    return track.match is not None and track.match.unchanged


def _motion(
    pivot: int, kind: int, tracks: list[tuple[int, Track]], form: Form, origin: Origin, inserted: Inserted
) -> Motion:
    return Motion(
        pivot - origin.shift,
        kind,
        [on_frames(track, form.frames) for _, track in tracks],
        [row for row, _ in tracks],
        origin.channels.values.get((pivot, kind)),
        [_dropped(track, inserted) for _, track in tracks],
    )


def _dropped(track: Track, inserted: Inserted) -> Array:
    """Return (n,) bool: keys that the importer inserted and nobody changed."""
    of_source = inserted.get((track.node, track.property, track.component))
    if track.match is None or of_source is None:
        return np.zeros(len(track.times), bool) if track.inserted is None else track.inserted
    return track.match.still_inserted(of_source)


def _bits(pivot: int, track: Track, form: Form, origin: Origin) -> w3d.AnyBitChannel | None:
    old = origin.channels.bits.get(pivot)
    if old is not None and form.same and _is_untouched(track):
        return old
    own = on_frames(track, form.frames)
    return bit_channel(pivot - origin.shift, own, form.frames, compressed=form.flavor != "RAW")


def _encoded(motions: list[Motion], form: Form, report: Report) -> Iterator[tuple[Motion, w3d.ValueChannel | None]]:
    """Yield each motion with its channel, which is None where nothing moves."""
    deltas: list[tuple[Motion, int | None]] = []
    for motion in motions:
        flavor, encoding = _form_of(motion, form)
        if flavor == "RAW":
            yield motion, raw_channel(motion, form.frames, form.tolerances)
        elif flavor in ("TIMECODED", "BFME_TIMECODED"):
            middle_earth = flavor == "BFME_TIMECODED"
            yield motion, keys_channel(motion, form.frames, form.tolerances, middle_earth=middle_earth)
        else:
            deltas.append((motion, encoding))
    made = delta_channels(deltas, form.frames, form.tolerances, report) if deltas else []
    yield from ((motion, channel) for (motion, _), channel in zip(deltas, made, strict=True))


def _form_of(motion: Motion, form: Form) -> tuple[str, int | None]:
    """Return the form of a channel, and the encoding of a motion channel's differences.

    That of its source's channel, as motion channels of different encodings may be in one animation, else the file's.
    """
    if form.same and isinstance(motion.old, w3d.MotionKeysChannel):
        return "BFME_TIMECODED", None
    if form.same and isinstance(motion.old, w3d.MotionDeltaChannel):
        return "BFME_ADAPTIVE", motion.old.encoding
    return form.flavor, int(Encoding.DELTA_4_BIT) if form.flavor == "BFME_ADAPTIVE" else None


Inserted = dict[tuple[str, str, int], Array]
"""(n,) bool for inserted keys of the source's clip, by node, property and component."""


# Curves to channels: samples on whole frames, keys or differences, as the form requires.
#
# Rotations are normalised samples; a key of the source keeps its sign and length.

_VISIBLE_FROM = 0.999


@dataclass
class Motion:
    """The motion that one channel has to hold.

    Attributes:
        tracks: one for each component that is animated, on the file's frames instead of seconds.
        rows: the component of each track.
        old: the source's channel, None for a new one.
        dropped: for each track (n,) bool, keys that only the importer inserted.
    """

    pivot: int
    kind: int
    tracks: list[Track]
    rows: list[int]
    old: w3d.ValueChannel | None = None
    dropped: list[Array] = field(default_factory=list)

    def samples(self, frames: Array) -> Array:
        """Return (components, n) float64 at `frames` (n,), in Blender's order, rotations of unit length."""
        values = np.repeat(playback.rest_value(self.kind).astype(np.float64), len(frames), axis=1)
        for row, track in zip(self.rows, self.tracks, strict=True):
            values[row] = shown(track, frames)
        # the source's quaternions with their signs and lengths, others of unit length
        if self.kind != QUATERNION:
            return values
        units = of_unit_length(values)
        if self.old is not None:
            own, found = source_values(self.old, frames)
            # equal to the source's but for the sign, which is then the source's
            same = found & (np.abs(own) == np.abs(values)).all(axis=0)
            same &= (own == values).all(axis=0) | (own == -values).all(axis=0)
            return np.where(same, own, units)
        return units


def source_values(channel: w3d.ValueChannel, frames: Array) -> tuple[Array, Array]:
    """Return the file's own quaternions (4, n) at whole frames (n,), w first, and (n,) bool: the file has one there."""
    if isinstance(channel, w3d.RawChannel):
        held, values = channel.first + np.arange(len(channel.values)), channel.values.T
    elif isinstance(channel, w3d.AnyDeltaChannel):
        values = playback.delta_values(channel)
        held = np.arange(values.shape[1])
    else:
        held, values = channel.frames.astype(np.int64), channel.values.T
    if len(held) == 0 or len(values) != 4:
        return np.zeros((4, len(frames))), np.zeros(len(frames), bool)
    # the file's key on each frame, or the next one, which is then not the frame's own
    order = np.argsort(held, kind="stable")
    nearest = np.clip(np.searchsorted(held[order], frames), 0, len(held) - 1)
    return values[layout.W_FIRST][:, order[nearest]].astype(np.float64), held[order[nearest]] == frames


# --- The forms ----------------------------------------------------------------------------------


OF_FADE = 0.1
"""Part of the tolerance of lengths, as a number, by which fading may be off, which goes from 0 to 1."""


@dataclass
class Tolerances:
    """How far played values may be off: translation in `unit` (see `pivots.figure_unit`), rotation in radians."""

    translation: float
    rotation: float
    unit: float = 1.0

    def of(self, kind: int) -> float:
        """Return the tolerance of a channel type."""
        if kind == QUATERNION:
            return self.rotation
        return self.translation * (self.unit if kind in LENGTHS else OF_FADE)

    def departs(self, values: Array, kind: int) -> Array:
        """Return (frames,) bool: values (components, frames) differ from what the engine shows without a channel."""
        return departs(values, playback.rest_value(kind).astype(np.float64), self.unit if kind in LENGTHS else 1.0)


def as_file(values: Array, kind: int) -> Array:
    """Return (frames, components) float32 in the file's order, of values (components, frames) in Blender's."""
    rows = values[layout.W_LAST] if kind == QUATERNION else values
    return np.ascontiguousarray(rows.T, "<f4")


def raw_channel(motion: Motion, frames: Frames, tolerances: Tolerances) -> w3d.RawChannel | None:
    """Return samples without the identity at both ends; None if all are identity."""
    values = motion.samples(frames.all)
    used = np.flatnonzero(tolerances.departs(values, motion.kind))
    if len(used) == 0:
        return None
    first, last = int(used[0]), int(used[-1])
    samples = as_file(values[:, first : last + 1], motion.kind)
    padding = motion.old.padding if isinstance(motion.old, w3d.RawChannel) else 0
    flagged = motion.old.flagged if motion.old is not None else False
    return w3d.RawChannel(first, last, motion.kind, motion.pivot, padding, samples, flagged=flagged)


def keys_channel(
    motion: Motion, frames: Frames, tolerances: Tolerances, *, middle_earth: bool
) -> w3d.TimecodedChannel | w3d.MotionKeysChannel | None:
    """Return keys at whole frames: the curves' own if the engine can play them, else reduced samples.

    None if nothing differs from the rest.
    """
    samples = motion.samples(frames.all)
    if not tolerances.departs(samples, motion.kind).any():
        return None
    at, steps, values = _keys(motion, frames, samples, tolerances, middle_earth)
    stored = as_file(values, motion.kind)
    if not middle_earth:
        codes = at.astype("<u4") | np.where(steps, np.uint32(layout.STEP_BIT), np.uint32(0))
        return w3d.TimecodedChannel(motion.pivot, motion.kind, codes.astype("<u4"), stored)
    # the same in 16 bits, and the values begin at a multiple of four bytes
    codes = at.astype("<u2") | np.where(steps, np.uint16(layout.MOTION_STEP_BIT), np.uint16(0))
    return w3d.MotionKeysChannel(motion.kind, motion.pivot, codes.astype("<u2"), bytes(2 * (len(codes) % 2)), stored)


def _arc(middle_earth: bool) -> keys.Between:
    """Return how an engine plays turns between two keys: the Middle-earth games' along a normalised straight line."""
    return quaternion.short_line if middle_earth else quaternion.great_arc


def _keys(
    motion: Motion, frames: Frames, samples: Array, tolerances: Tolerances, middle_earth: bool
) -> tuple[Array, Array, Array]:
    """Return frames (n,), steps (n,) and values (components, n) of the keys to write.

    These are the curves' own if the source had keys too or if they are not more than the reduced samples.
    """
    own = _own_keys(motion, frames, samples, tolerances, middle_earth)
    if own is not None and isinstance(motion.old, w3d.KeysChannel):
        return own
    # the fewest keys on whole frames
    rounded, reached = samples.astype(np.float32).astype(np.float64), jumps(motion.tracks, samples)
    steps = np.append(reached[1:], False)
    turns = motion.kind == QUATERNION
    keep = keys.lines(
        frames.all,
        rounded,
        tolerances.of(motion.kind),
        quaternion.distance if turns else None,
        between=_arc(middle_earth) if turns else keys.straight,
        steps=steps,
    )
    # of what is held, the last sample before a step needs no key
    keep[_resting(np.flatnonzero(keep), rounded, steps)] = False
    reduced = frames.all[keep], reached[keep], samples[:, keep]
    return own if own is not None and len(own[0]) <= len(reduced[0]) else reduced


def _own_keys(
    motion: Motion, frames: Frames, samples: Array, tolerances: Tolerances, middle_earth: bool
) -> tuple[Array, Array, Array] | None:
    """Return frames (n,), steps (n,) and values (components, n) of the curves' keys; None if they play differently."""
    at = _shared_frames(motion)
    if at is None or len(at) == 0 or at[-1] > frames.count - 1 or at[0] < 0:
        return None
    # all components need the same shapes, and shapes that the engine has
    held = np.array([track.interpolation[np.searchsorted(track.times, at)] for track in motion.tracks])
    if len(held) == 0 or (held != held[0]).any() or (held == Interpolation.BEZIER).any():
        return None
    # in a clip a step belongs to the key before it, in the file to the key that is jumped to
    steps = np.append(False, held[0][:-1] == Interpolation.CONSTANT)
    values = motion.samples(at)
    if at[0] > 0:
        at, steps, values = np.append(0.0, at), np.append(False, steps), np.concatenate((values[:, :1], values), axis=1)
    # what the engine will play, against the samples
    turns = motion.kind == QUATERNION
    shown = _played(at, values, steps, frames.count, _arc(middle_earth) if turns else None)
    miss = quaternion.distance(shown, samples) if turns else np.abs(shown - samples).max(axis=0)
    slack = 1e-6 * max(1.0, float(np.abs(samples).max()))
    return (at, steps, values) if bool((miss <= tolerances.of(motion.kind) + slack).all()) else None


def _shared_frames(motion: Motion) -> Array | None:
    """Return (n,) the whole frames of all components' keys but those inserted by the importer; None if they differ."""
    shared: Array | None = None
    for track, dropped in zip(motion.tracks, motion.dropped, strict=True):
        own = track.times[~dropped]
        alike = shared is None or np.array_equal(own, shared)
        if not alike or (own != np.rint(own)).any() or (np.diff(own) <= 0).any():
            return None
        shared = own
    return shared


def _resting(kept: Array, values: Array, steps: Array) -> Array:
    """Return the kept samples that are as the kept one before, which is held without them, and end at a step."""
    still = np.append(False, (values[:, kept[1:]] == values[:, kept[:-1]]).all(axis=0) & ~steps[kept[:-1]])
    result: Array = kept[still & np.append(steps[kept[:-1]], True)]
    return result


def _played(frames: Array, values: Array, steps: Array, frame_count: int, arc: keys.Between | None) -> Array:
    """Return (components, frame_count) that the engine shows on whole frames, of keys (n,) that begin on frame 0."""
    # the keys before and after each frame
    asked = np.arange(frame_count)
    left = np.searchsorted(frames, asked, side="right") - 1
    right = np.minimum(left + 1, len(frames) - 1)
    # the fraction of the way between them: 0 if the value is held until it jumps, and after the last key
    gap = frames[right] - frames[left]
    part = np.where((gap > 0) & ~steps[right], (asked - frames[left]) / np.where(gap > 0, gap, 1), 0.0)
    start, end = values[:, left], values[:, right]
    if arc is None:
        result: Array = start + (end - start) * part
        return result
    return np.where(part > 0, arc(start, end, part), start)


def delta_channels(
    motions: list[tuple[Motion, int | None]], frames: Frames, tolerances: Tolerances, report: Report
) -> list[w3d.DeltaChannel | w3d.MotionDeltaChannel | None]:
    """Return all channels of an animation, encoded together; None for those that never leave the rest.

    Args:
        motions: each with the `layout.Encoding` of a motion channel, None for the classic form.
        tolerances: smaller errors of translation are not reported.
    """
    samples = [motion.samples(frames.all) for motion, _ in motions]
    results: list[w3d.DeltaChannel | w3d.MotionDeltaChannel | None] = [None] * len(motions)
    deviation = Deviation(tolerances.of(ChannelType.X))
    for bits in (4, 8):
        wanted = [
            number
            for number, (motion, encoding) in enumerate(motions)
            if (encoding == Encoding.DELTA_8_BIT) == (bits == 8)
            and tolerances.departs(samples[number], motion.kind).any()
        ]
        kinds = [motions[number][0].kind for number in wanted]
        rows = []
        for number, kind in zip(wanted, kinds, strict=True):
            # changes of sign would be large differences
            signs = quaternion.align_signs(samples[number]) if kind == QUATERNION else 1.0
            rows.append(as_file(samples[number] * signs, kind).T)
        encoded = adaptive_delta.encode(rows, bits=bits)
        for number, values, packed in zip(wanted, rows, encoded, strict=True):
            motion, encoding = motions[number]
            results[number] = _delta_channel(motion, frames.count, encoding, values, packed)
            deviation.add(motion.pivot, motion.kind, values, packed)
    deviation.tell(report)
    return results


def _delta_channel(
    motion: Motion, count: int, encoding: int | None, values: Array, packed: adaptive_delta.Encoded
) -> w3d.DeltaChannel | w3d.MotionDeltaChannel:
    initial = np.ascontiguousarray(values[:, 0], "<f4")
    if encoding is None:
        tail = motion.old.tail if isinstance(motion.old, w3d.DeltaChannel) else layout.DELTA_TAIL
        return w3d.DeltaChannel(count, motion.pivot, motion.kind, packed.scale, initial, packed.packets, tail=tail)
    return w3d.MotionDeltaChannel(encoding, motion.kind, count, motion.pivot, packed.scale, initial, packed.packets)


# --- Visibility ---------------------------------------------------------------------------------


def bit_channel(pivot: int, track: Track, frames: Frames, *, compressed: bool) -> w3d.AnyBitChannel | None:
    """Return visibility on whole frames, None if nothing is ever hidden."""
    least = _VISIBLE_FROM if track.value_kind is ValueKind.BOOL else LEAST_OPACITY
    shown = curve.evaluate(track, frames.all, ends=True)[0] >= least
    hidden = np.flatnonzero(~shown)
    if len(hidden) == 0:
        return None
    # raw: a bit a frame, only from the first hidden one to the last
    if not compressed:
        first, last = int(hidden[0]), int(hidden[-1])
        bits = np.packbits(shown[first : last + 1], bitorder="little").tobytes()
        return w3d.BitChannel(first, last, layout.VISIBILITY, pivot, 1, bits)
    # compressed: a key where it changes, its highest bit the value
    changes = np.flatnonzero(np.append(True, shown[1:] != shown[:-1]))
    codes = changes.astype("<u4") | np.where(shown[changes], np.uint32(layout.STEP_BIT), np.uint32(0))
    return w3d.CompressedBitChannel(pivot, layout.VISIBILITY, 1, codes.astype("<u4"))
