"""What a channel makes the engine show, as keys: the rules of each engine, and nothing of Blender's.

raw         a sample at each whole frame, identity outside the range, so that the engine interpolates from and to
            identity over the frame beside it; Generals jumps at half frames instead
timecoded   keys at whole frames; a flagged key is jumped to; the last holds
delta       a sample at each whole frame
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cache
from typing import NamedTuple

import numpy as np

from ..clip import CONSTANT, LINEAR, LOCATION, ROTATION, Array, TrackKind, quaternion
from ..clip.pivots import FADE, VISIBILITY, Kinds
from ..clip.whole_frames import Keys, Timeline
from ..files.memory import reckon
from . import adaptive_delta, layout
from . import document as w3d
from .layout import LENGTHS, PACKET_FRAMES, W_FIRST, ChannelType, Flavor

LEAST_COSINE = 0.9930791892705834
"""Cosine between two quaternions below which keys are inserted: the straight line is off by 0.003 degrees.

The limit is this tight because errors add up from parent to child: at the end of a chain, 1e-4 of the model's size and
0.06 degrees are promised. This is a turn of 13.5 degrees. It is a number and not a computation, as it decides which
keys there are and so has to be the same on every machine.
"""

QUATERNION = ChannelType.QUATERNION
_MOST_HALVINGS = 6
_CLEARLY = 1e-3


class Rules(NamedTuple):
    """How one engine plays.

    Attributes:
        stepped_raw: raw channels jump half way between frames.
        great_arc: rotations are interpolated along the great arc; else straight and normalised, as Blender does.
        extrapolates: before its first key, a motion channel continues its first segment backwards.
    """

    stepped_raw: bool = False
    great_arc: bool = True
    extrapolates: bool = False


RULES = {
    "RENEGADE": Rules(),
    "GENERALS": Rules(stepped_raw=True),
    "BFME": Rules(stepped_raw=True, great_arc=False, extrapolates=True),
}


@cache
def rest_value(kind: int) -> Array:
    """Return (components, 1) float32, to be read only: what the engine shows if there is no channel."""
    if kind == QUATERNION:
        return np.array([[1], [0], [0], [0]], np.float32)
    return np.array([[1.0 if kind == ChannelType.FADE else 0.0]], np.float32)


def width_of(channel: w3d.ValueChannel) -> int:
    """Return how many numbers a value of that channel has in the file."""
    return len(channel.initial) if isinstance(channel, w3d.AnyDeltaChannel) else int(channel.values.shape[1])


def most_numbers(channel: w3d.ValueChannel) -> int:
    """Return at most how many numbers a channel plays, without inserted keys; nothing is unpacked."""
    if isinstance(channel, w3d.AnyDeltaChannel):
        return width_of(channel) * _frames_held(channel)
    return int(channel.values.size)


def keys_of(channel: w3d.ValueChannel, kind: int, timeline: Timeline, rules: Rules) -> Keys | None:
    """Return the keys of a channel of that type, None if it has none.

    `width_of(channel)` must be that of `rest_value(kind)`.
    """
    values = delta_values(channel) if isinstance(channel, w3d.AnyDeltaChannel) else channel.values.T
    if not values.shape[1]:
        return None
    values = values[W_FIRST] if kind == QUATERNION else values
    if isinstance(channel, w3d.RawChannel):
        shaped = _stepped if rules.stepped_raw else _straight
        keys = timeline.samples(channel.first, values, rest_value(kind), rules.stepped_raw, shaped)
    elif isinstance(channel, w3d.AnyDeltaChannel):
        keys = timeline.samples(0, values, None, False, _straight)
    else:
        keys = _timecoded_keys(channel, values, timeline, rules)
    return _rotation(keys, great_arc=rules.great_arc) if kind == QUATERNION else keys


# --- Samples ------------------------------------------------------------------------------------


def _straight(frames: Array) -> tuple[Array, Array]:
    return frames, np.full(len(frames), LINEAR)


def _stepped(frames: Array) -> tuple[Array, Array]:
    # the engine rounds to the nearest frame, so each sample shows from half a frame before it
    return np.maximum(frames - 0.5, 0.0), np.full(len(frames), CONSTANT)


def delta_values(channel: w3d.AnyDeltaChannel) -> Array:
    """Return (components, frames) float32 in the file's order, at most as many frames as the packets hold."""
    return adaptive_delta.decode(channel.packets, channel.scale, channel.initial, _frames_held(channel))


def _frames_held(channel: w3d.AnyDeltaChannel) -> int:
    return min(channel.frame_count, 1 + len(channel.packets) * PACKET_FRAMES)


# --- Timecoded ----------------------------------------------------------------------------------


def _timecoded_keys(channel: w3d.KeysChannel, values: Array, timeline: Timeline, rules: Rules) -> Keys:
    frames, steps = channel.frames, channel.steps
    if (frames[1:] < frames[:-1]).any():  # the engine expects them in order
        order = np.argsort(frames, kind="stable")
        frames, steps, values = frames[order], steps[order], values[:, order]
    starts_late = isinstance(channel, w3d.MotionKeysChannel) and rules.extrapolates and bool(frames[0] > 0)
    backwards = starts_late and len(frames) > 1 and bool(frames[1] > frames[0]) and not steps[1]

    def make() -> tuple[Array, Array, Array | None]:
        shapes = np.full(len(frames), LINEAR)
        # in the file a step belongs to the key that is jumped to, in a clip to the key before it
        shapes[:-1][steps[1:]] = CONSTANT
        if not backwards:
            return frames.astype(np.float64), shapes, None
        return np.append(0.0, frames), np.append(LINEAR, shapes), np.arange(len(frames) + 1) == 0

    times, shapes, inserted = timeline.once(("keys", backwards, frames.tobytes(), steps.tobytes()), make)
    if backwards:
        # the first segment extrapolated back to frame 0, of turns on the short way
        sign = -1.0 if len(values) == 4 and values[:, 0] @ values[:, 1] < 0 else 1.0
        slope = (sign * values[:, 1:2].astype(np.float64) - values[:, 0:1]) / float(frames[1] - frames[0])
        back = (values[:, 0:1] - slope * float(frames[0])).astype(np.float32)
        values = np.concatenate((back, values), axis=1)
    return Keys(times, values, shapes, inserted)


# --- Rotation -----------------------------------------------------------------------------------


def _rotation(keys: Keys, *, great_arc: bool) -> Keys:
    """Return quaternions with the shorter arc's signs, and keys inserted where a straight line would leave the arc."""
    values = keys.values
    if values.shape[1] < 2:
        return keys
    # a quick estimate in float32: all neighbours are so close that no sign and no key is needed
    nearest = np.einsum("ij,ij->j", values[:, 1:], values[:, :-1]).min()
    largest = np.einsum("ij,ij->j", values, values).max()
    if nearest > ((LEAST_COSINE if great_arc else 0.0) + _CLEARLY) * largest > 0:
        return keys
    with np.errstate(over="ignore", invalid="ignore"):
        keys = replace(keys, values=values * quaternion.align_signs(values).astype(np.float32))
        return _follow_arc(keys) if great_arc else keys


def _follow_arc(keys: Keys) -> Keys:
    """Halve the segments that leave the engine's great arc until none does, without trigonometric functions."""
    for _ in range(_MOST_HALVINGS):
        wide = keys.values.astype(np.float64)
        dots, squares = quaternion.dot(wide[:, 1:], wide[:, :-1]), quaternion.dot(wide, wide)
        leaves = dots * dots < LEAST_COSINE * LEAST_COSINE * (squares[1:] * squares[:-1])
        left = np.flatnonzero(leaves & (keys.interpolation[:-1] == LINEAR))
        if len(left) == 0:
            break
        reckon(keys=4 * (len(keys.times) + len(left)))
        right = left + 1
        # the sum of two unit quaternions points to the middle; this is its length
        middle = (wide[:, left] + wide[:, right]) / np.sqrt(2 + 2 * np.clip(dots[left], 0.0, 1.0))
        times = np.insert(keys.times, right, (keys.times[left] + keys.times[right]) / 2)
        values = np.insert(keys.values, right, middle.astype(np.float32), axis=1)
        inserted = np.zeros(len(keys.times), bool) if keys.inserted is None else keys.inserted
        keys = Keys(times, values, np.insert(keys.interpolation, right, LINEAR), np.insert(inserted, right, True))
    return keys


# --- Visibility ---------------------------------------------------------------------------------


def bit_keys(channel: w3d.AnyBitChannel, timeline: Timeline) -> Keys | None:
    """Return constant keys of 0 and 1: where the value changes (raw) or the file has keys; None without."""
    if isinstance(channel, w3d.CompressedBitChannel):
        order = np.argsort(channel.frames, kind="stable")
        frames, values = channel.frames[order].astype(np.float64), channel.steps[order]
    else:
        count = max(channel.last - channel.first + 1, 0)
        bits = np.unpackbits(np.frombuffer(channel.bits, np.uint8), bitorder="little")[:count].astype(bool)
        # the default around the range
        end = channel.first + len(bits)
        before, after = channel.first > 0, end < timeline.frame_count
        values = np.concatenate(([channel.outside] * before, bits, [channel.outside] * after)).astype(bool)
        frames = np.arange(channel.first - before, end + after, dtype=np.float64)
        frames[:1] = 0.0
        # where runs of equal values begin
        starts = np.append(True, values[1:] != values[:-1])[: len(values)]
        frames, values = frames[starts], values[starts]
    if len(frames) == 0:
        return None
    return Keys(frames / timeline.rate, values.astype(np.float32)[None], np.full(len(frames), CONSTANT))


# Which channels of an animation play, and by which engine's rules.

KINDS: Kinds[int | str] = {
    (TrackKind.TRANSFORM, LOCATION): (int(ChannelType.X), int(ChannelType.Y), int(ChannelType.Z)),
    (TrackKind.TRANSFORM, ROTATION): (int(ChannelType.QUATERNION),) * 4,
    (TrackKind.CUSTOM, FADE): (int(ChannelType.FADE),),
    (TrackKind.CUSTOM, VISIBILITY): (VISIBILITY,),
}

EULER = (ChannelType.X_ROTATION, ChannelType.Y_ROTATION, ChannelType.Z_ROTATION)
PLAYED = frozenset((*LENGTHS, *EULER, ChannelType.QUATERNION, ChannelType.FADE))
_MOTION = (w3d.MotionKeysChannel, w3d.MotionDeltaChannel)


def rules_of(animation: w3d.AnyAnimation, engine: str) -> Rules:
    """Return the rules to play an animation by; AUTO knows the Middle-earth form by its version and channels."""
    if engine != "AUTO":
        return RULES[engine]
    own_form = isinstance(animation, w3d.CompressedAnimation) and animation.header.version == layout.VERSION_MOTION
    return RULES["BFME" if own_form or any(isinstance(part, _MOTION) for part in animation.parts) else "RENEGADE"]


@dataclass
class Channels:
    """The channels of an animation that play.

    Attributes:
        values: by pivot and type.
        bits: by pivot.
        places: pivot and type of each channel, by its `id`, also of one that moves what a later one moves.
        pivots: every pivot with a channel that plays.
        unknown: number of channels by unknown type and width.
    """

    values: dict[tuple[int, int], w3d.ValueChannel] = field(default_factory=dict)
    bits: dict[int, w3d.AnyBitChannel] = field(default_factory=dict)
    places: dict[int, tuple[int, int | str]] = field(default_factory=dict)
    pivots: set[int] = field(default_factory=set)
    unknown: Counter[tuple[int, int]] = field(default_factory=Counter)


def pivot_shift(animation: w3d.AnyAnimation) -> int:
    """Return 1 if the file counts pivots without the root, as raw animations before version 3.0 do, else 0."""
    return int(isinstance(animation, w3d.Animation) and animation.header.version < layout.VERSION_ROOT_PIVOT)


def channels_of(animation: w3d.AnyAnimation) -> Channels:
    """Return the channels that play: the last of several for the same property, none of unknown types."""
    found = Channels()
    shift = pivot_shift(animation)
    for part in animation.parts:
        if isinstance(part, w3d.ValueChannel):
            width, kind = width_of(part), part.type
            if isinstance(part, w3d.LiteralTimecodedChannel) and width == 4:
                kind = QUATERNION  # the public document has numbers of its own
            if kind not in PLAYED or width != len(rest_value(kind)):
                found.unknown[part.type, width] += 1
                continue
            found.values[part.pivot + shift, kind] = part
            found.places[id(part)] = (part.pivot + shift, kind)
        elif isinstance(part, w3d.AnyBitChannel):
            if part.type != layout.VISIBILITY:
                found.unknown[part.type, 1] += 1
                continue
            found.bits[part.pivot + shift] = part
            found.places[id(part)] = (part.pivot + shift, VISIBILITY)
    found.pivots = {pivot for pivot, _ in found.places.values()}
    return found


def form_of(animation: w3d.AnyAnimation) -> str:
    """Return the form as the export option names it; the first motion channel decides among theirs."""
    if isinstance(animation, w3d.Animation):
        return "RAW"
    motion = next((part for part in animation.parts if isinstance(part, _MOTION)), None)
    if motion is not None or animation.header.version == layout.VERSION_MOTION:
        return "BFME_ADAPTIVE" if isinstance(motion, w3d.MotionDeltaChannel) else "BFME_TIMECODED"
    return "ADAPTIVE_DELTA" if animation.header.flavor == Flavor.ADAPTIVE_DELTA else "TIMECODED"
