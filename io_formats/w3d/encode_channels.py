"""The channels of an exported animation: copied from the source if they are untouched, else encoded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ..clip import LEAST_OPACITY, Array, Interpolation, Track, ValueKind, curve, keys, quaternion
from ..clip.pivots import VISIBILITY, departs
from ..clip.whole_frames import Frames, jumps, of_unit_length, on_frames
from ..errors import Report
from . import adaptive_delta, layout, playback
from . import document as w3d
from .adaptive_delta import Deviation
from .layout import LENGTHS, ChannelType, Encoding
from .playback import KINDS, QUATERNION, Channels

Key = tuple[int, int | str]
"""Pivot and channel type; VISIBILITY for its bits."""

Wanted = dict[Key, dict[int, Track]]
"""The tracks of each channel, by component."""

OF_FADE = 0.1
"""Part of the tolerance of lengths, as a number, by which fading may be off, which goes from 0 to 1."""

_VISIBLE_FROM = 0.999


@dataclass
class Form:
    """How channels are stored, and the animation that the clip was imported from, of which a new clip has none.

    Attributes:
        flavor: as the export option names it.
        place, turn: how far played values may be off where keys are left out, in `unit`s (see `pivots.figure_unit`)
            and radians.
        alike: that form is the source's, each of whose channels keeps its own, as there are several in one animation.
        same: frames and pivot numbers are the source's, too, so that its channels can be copied.
        channels, shift: of the source, and of the file (see `playback.pivot_shift`).
        tracks: that the importer made of these.
        numbers: pivot numbers of the nodes.
    """

    flavor: str
    frames: Frames
    place: float
    turn: float
    unit: float
    alike: bool
    same: bool
    channels: Channels = field(default_factory=Channels)
    shift: int = 0
    tracks: list[Track] = field(default_factory=list)
    numbers: Mapping[str, int] = field(default_factory=dict)

    def tolerance(self, kind: int) -> float:
        """Return the tolerance of a channel type."""
        return self.turn if kind == QUATERNION else self.place * (self.unit if kind in LENGTHS else OF_FADE)

    def departs(self, values: Array, kind: int) -> Array:
        """Return (frames,) bool: values (components, frames) differ from what the engine shows without a channel."""
        return departs(values, playback.rest_value(kind).astype(np.float64), self.unit if kind in LENGTHS else 1.0)

    @cached_property
    def inserted(self) -> dict[tuple[str, str, int], Array]:
        """(n,) bool for keys that the importer inserted, by node, property and component."""
        return {
            (track.node, track.property, track.component + row): track.inserted
            for track in self.tracks
            if track.inserted is not None
            for row in range(len(track.values))
        }


def fresh_channels(wanted: Wanted, form: Form, report: Report) -> dict[Key, w3d.Chunk | None]:
    """Return the channels of the new animation: copied from the source, or encoded; None where nothing moves."""
    fresh: dict[Key, w3d.Chunk | None] = {}
    deltas: list[tuple[Motion, int | None]] = []
    for (pivot, kind), tracks in wanted.items():
        untouched = form.same and all(track.match is not None and track.match.unchanged for track in tracks.values())
        # what nobody touched is the source's own channel, all else is sampled
        if isinstance(kind, str):
            bits = form.channels.bits.get(pivot)
            fresh[pivot, kind] = bits if untouched and bits is not None else _bits(pivot, tracks[0], form)
            continue
        old = form.channels.values.get((pivot, kind))
        if untouched and old is not None and len(tracks) == len(playback.rest_value(kind)):
            fresh[pivot, kind] = old
            continue
        rows = {row: on_frames(own, form.frames) for row, own in tracks.items()}
        motion = Motion(pivot - form.shift, kind, rows, old)
        flavor, encoding = form.flavor, None
        if form.alike and isinstance(old, w3d.MotionKeysChannel):
            flavor = "BFME_TIMECODED"
        elif form.alike and isinstance(old, w3d.MotionDeltaChannel):
            flavor, encoding = "BFME_ADAPTIVE", old.encoding
        elif flavor == "BFME_ADAPTIVE":
            encoding = int(Encoding.DELTA_4_BIT)
        if flavor == "RAW":
            fresh[pivot, kind] = raw_channel(motion, form)
        elif "TIMECODED" in flavor:
            fresh[pivot, kind] = _keys_channel(motion, form, middle_earth=flavor == "BFME_TIMECODED")
        else:
            deltas.append((motion, encoding))
    # together, as differences are encoded many at a time
    return fresh | (_delta_channels(deltas, form, report) if deltas else {})


def in_order(parts: Iterable[w3d.Chunk], fresh: Mapping[Key, w3d.Chunk | None], form: Form) -> list[w3d.Chunk]:
    """Return the source's chunks with fresh channels in the place of its own, and further ones at the end.

    A channel whose curve is gone goes with it, and those that it covered; one that was never a curve stays.
    """
    played: set[Key] = set()
    for track in form.tracks:
        kinds = KINDS.get((track.kind, track.property), ())[track.component :][: len(track.values)]
        played.update((form.numbers[track.node], kind) for kind in kinds)
    left = {key: channel for key, channel in fresh.items() if channel is not None}
    further, result = dict(left), list[w3d.Chunk]()
    for part in reversed([*parts]):  # the last of several for the same plays
        key = form.channels.places.get(id(part))
        if key is None or key in left or key not in played:  # else deleted, where the importer made a curve of it
            result.append(part if key is None else further.pop(key, part))
    # translations, rotation, fade, visibility of one pivot after the other
    order = sorted(further, key=lambda key: (key[0], key[1] == VISIBILITY, key[1]))
    return [*reversed(result), *(further[key] for key in order)]


# Curves to channels: samples on whole frames, keys or differences, as the form requires.
#
# Rotations are normalised samples; a key of the source keeps its sign and length.


@dataclass
class Motion:
    """The motion that one channel has to hold.

    Attributes:
        tracks: by component that is animated, on the file's frames instead of seconds.
        old: the source's channel, None for a new one.
    """

    pivot: int
    kind: int
    tracks: dict[int, Track]
    old: w3d.ValueChannel | None

    def samples(self, frames: Array) -> Array:
        """Return (components, n) float64 at `frames` (n,), ascending, in Blender's order, rotations of unit length."""
        values = np.repeat(playback.rest_value(self.kind).astype(np.float64), len(frames), axis=1)
        for row, track in self.tracks.items():
            values[row] = curve.evaluate(track, frames, ends=True)[0]
        if self.kind != QUATERNION:
            return values
        units = of_unit_length(values)
        if self.old is None:
            return units
        # the file's own quaternions on these frames, w first; what it has none for stays no number and equals nothing
        found = np.full(values.shape, np.nan)
        held, own = _held(self.old)
        known = np.isin(held, frames)
        found[:, np.searchsorted(frames, held[known])] = own[layout.W_FIRST][:, known]
        # what is the source's but for the sign has its sign and length, all else unit length
        return np.where((found == values).all(axis=0) | (found == -values).all(axis=0), found, units)


def _held(channel: w3d.ValueChannel) -> tuple[Array, Array]:
    """Return (n,) whole frames and (components, n) the values that a channel has there, in the file's order."""
    if isinstance(channel, w3d.AnyDeltaChannel):
        values = playback.delta_values(channel)
        return np.arange(values.shape[1]), values
    frames = channel.first + np.arange(len(channel.values)) if isinstance(channel, w3d.RawChannel) else channel.frames
    return frames, channel.values.T


# --- The forms ----------------------------------------------------------------------------------


def as_file(values: Array, kind: int) -> Array:
    """Return (frames, components) float32 in the file's order, of values (components, frames) in Blender's."""
    rows = values[layout.W_LAST] if kind == QUATERNION else values
    return np.ascontiguousarray(rows.T, "<f4")


def raw_channel(motion: Motion, form: Form) -> w3d.RawChannel | None:
    """Return samples without the identity at both ends; None if all are identity."""
    values = motion.samples(form.frames.all)
    used = np.flatnonzero(form.departs(values, motion.kind))
    if len(used) == 0:
        return None
    first, last = int(used[0]), int(used[-1])
    samples = as_file(values[:, first : last + 1], motion.kind)
    padding = motion.old.padding if isinstance(motion.old, w3d.RawChannel) else 0
    flagged = motion.old is not None and motion.old.flagged
    return w3d.RawChannel(first, last, motion.kind, motion.pivot, padding, samples, flagged=flagged)


def _keys_channel(motion: Motion, form: Form, *, middle_earth: bool) -> w3d.KeysChannel | None:
    """Return keys at whole frames: the curves' own if the engine can play them, else reduced samples; None at rest."""
    samples = motion.samples(form.frames.all)
    if not form.departs(samples, motion.kind).any():
        return None
    way = quaternion.short_line if middle_earth else quaternion.great_arc  # there along a normalised straight line
    arc = way if motion.kind == QUATERNION else None
    # the curves' own keys if the source had keys too, or if they are not more than the reduced samples
    own = _own_keys(motion, form, samples, arc)
    if own is not None and isinstance(motion.old, w3d.KeysChannel):
        at, steps, values = own
    else:
        reduced = _fewest_keys(motion, form, samples, arc)
        at, steps, values = own if own is not None and len(own[0]) <= len(reduced[0]) else reduced
    stored = as_file(values, motion.kind)
    if not middle_earth:
        codes = at.astype("<u4") | np.where(steps, np.uint32(layout.STEP_BIT), np.uint32(0))
        return w3d.TimecodedChannel(motion.pivot, motion.kind, codes.astype("<u4"), stored)
    # the same in 16 bits, and the values begin at a multiple of four bytes
    codes = at.astype("<u2") | np.where(steps, np.uint16(layout.MOTION_STEP_BIT), np.uint16(0))
    return w3d.MotionKeysChannel(motion.kind, motion.pivot, codes.astype("<u2"), bytes(2 * (len(codes) % 2)), stored)


def _fewest_keys(motion: Motion, form: Form, samples: Array, arc: keys.Between | None) -> tuple[Array, Array, Array]:
    """Return frames (n,), steps (n,) and values (components, n) of as few of the samples as play the same."""
    rounded, reached = samples.astype(np.float32).astype(np.float64), jumps(list(motion.tracks.values()), samples)
    steps = np.append(reached[1:], False)
    apart = None if arc is None else quaternion.distance
    tolerance, between = form.tolerance(motion.kind), arc or keys.straight
    keep = keys.lines(form.frames.all, rounded, tolerance, apart, between=between, steps=steps)
    # of what is held, the last sample before a step needs no key
    kept = np.flatnonzero(keep)
    before = kept[:-1]
    still = np.append(False, (rounded[:, kept[1:]] == rounded[:, before]).all(axis=0) & ~steps[before])
    keep[kept[still & np.append(steps[before], True)]] = False
    return form.frames.all[keep], reached[keep], samples[:, keep]


def _own_keys(
    motion: Motion, form: Form, samples: Array, arc: keys.Between | None
) -> tuple[Array, Array, Array] | None:
    """Return frames (n,), steps (n,) and values (components, n) of the curves' keys; None if they play differently."""
    # all components need the same frames but for keys that the importer inserted, and shapes that the engine has
    times = []
    for track in motion.tracks.values():
        inserted = form.inserted.get((track.node, track.property, track.component))
        if track.match is not None and inserted is not None:
            inserted = track.match.still_inserted(inserted)
        else:
            inserted = track.inserted
        times.append(track.times if inserted is None else track.times[~inserted])
    at = times[0]
    if not all(np.array_equal(own, at) for own in times) or (at != np.rint(at)).any() or (np.diff(at) <= 0).any():
        return None
    if len(at) == 0 or at[-1] > form.frames.count - 1 or at[0] < 0:
        return None
    held = np.array([track.interpolation[np.searchsorted(track.times, at)] for track in motion.tracks.values()])
    if (held != held[0]).any() or (held == Interpolation.BEZIER).any():
        return None
    # in a clip a step belongs to the key before it, in the file to the key that is jumped to
    steps = np.append(False, held[0][:-1] == Interpolation.CONSTANT)
    values = motion.samples(at)
    if at[0] > 0:
        at, steps, values = np.append(0.0, at), np.append(False, steps), np.concatenate((values[:, :1], values), axis=1)
    # what the engine will play, against the samples
    shown = _played(at, values, steps, form.frames.count, arc)
    miss = np.abs(shown - samples).max(axis=0) if arc is None else quaternion.distance(shown, samples)
    slack = 1e-6 * max(1.0, float(np.abs(samples).max()))
    return (at, steps, values) if bool((miss <= form.tolerance(motion.kind) + slack).all()) else None


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


def _delta_channels(
    motions: list[tuple[Motion, int | None]], form: Form, report: Report
) -> dict[Key, w3d.Chunk | None]:
    """Return the channels of motions that leave the rest, encoded together by their `Encoding`, None the classic."""
    results: dict[Key, w3d.Chunk | None] = {}
    deviation = Deviation(form.tolerance(ChannelType.X))
    for bits in (4, 8):
        wanted, rows = [], []
        for motion, encoding in motions:
            if (encoding == Encoding.DELTA_8_BIT) != (bits == 8):
                continue
            samples = motion.samples(form.frames.all)
            if form.departs(samples, motion.kind).any():
                # changes of sign would be large differences
                signs = quaternion.align_signs(samples) if motion.kind == QUATERNION else 1.0
                rows.append(as_file(samples * signs, motion.kind).T)
                wanted.append((motion, encoding))
        encoded = adaptive_delta.encode(rows, bits=bits)
        for (motion, encoding), values, packed in zip(wanted, rows, encoded, strict=True):
            pivot, kind, count = motion.pivot, motion.kind, form.frames.count
            deviation.add(pivot, kind, values, packed)
            told = (packed.scale, np.ascontiguousarray(values[:, 0], "<f4"), packed.packets)
            if encoding is None:
                tail = motion.old.tail if isinstance(motion.old, w3d.DeltaChannel) else layout.DELTA_TAIL
                results[pivot + form.shift, kind] = w3d.DeltaChannel(count, pivot, kind, *told, tail=tail)
            else:
                results[pivot + form.shift, kind] = w3d.MotionDeltaChannel(encoding, kind, count, pivot, *told)
    deviation.tell(report)
    return results


def _bits(pivot: int, track: Track, form: Form) -> w3d.AnyBitChannel | None:
    """Return visibility on whole frames, None if nothing is ever hidden."""
    pivot -= form.shift
    least = _VISIBLE_FROM if track.value_kind is ValueKind.BOOL else LEAST_OPACITY
    shown = curve.evaluate(on_frames(track, form.frames), form.frames.all, ends=True)[0] >= least
    hidden = np.flatnonzero(~shown)
    if len(hidden) == 0:
        return None
    # raw: a bit a frame, only from the first hidden one to the last
    if form.flavor == "RAW":
        first, last = int(hidden[0]), int(hidden[-1])
        bits = np.packbits(shown[first : last + 1], bitorder="little").tobytes()
        return w3d.BitChannel(first, last, layout.VISIBILITY, pivot, 1, bits)
    # compressed: a key where it changes, its highest bit the value
    changes = np.flatnonzero(np.append(True, shown[1:] != shown[:-1]))
    codes = changes.astype("<u4") | np.where(shown[changes], np.uint32(layout.STEP_BIT), np.uint32(0))
    return w3d.CompressedBitChannel(pivot, layout.VISIBILITY, 1, codes.astype("<u4"))
