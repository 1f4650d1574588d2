"""What a channel makes the engine show, as keys: the rules of each engine, and nothing of Blender's.

raw         a sample at each whole frame, identity outside the range, so that the engine interpolates from and to
            identity over the frame beside it; Generals jumps at half frames instead
timecoded   keys at whole frames; a flagged key is jumped to; the last holds
delta       a sample at each whole frame
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from ..clip import CONSTANT, LINEAR, Array, Interpolation, quaternion
from ..clip.whole_frames import Keys, Timeline
from ..files.memory import reckon
from . import adaptive_delta, layout
from . import document as w3d
from .layout import LENGTHS, PACKET_FRAMES, W_FIRST, ChannelType

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


def rest_value(kind: int) -> Array:
    """Return (components, 1) float32: what the engine shows if there is no channel."""
    if kind == QUATERNION:
        return np.array([[1], [0], [0], [0]], np.float32)
    return np.array([[1.0 if kind == ChannelType.FADE else 0.0]], np.float32)


def components(kind: int) -> int:
    """Return how many numbers a value of that channel type has."""
    return 4 if kind == QUATERNION else 1


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

    `width(channel)` must be `components(kind)`.
    """
    values = delta_values(channel) if isinstance(channel, w3d.AnyDeltaChannel) else channel.values.T
    if not values.shape[1]:
        return None
    values = values[W_FIRST] if kind == QUATERNION else values
    if isinstance(channel, w3d.RawChannel):
        stepped = rules.stepped_raw
        shaped = _stepped if stepped else _straight
        keys = timeline.samples(channel.first, values, rest_value(kind), stepped, shaped)
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
    key = ("keys", backwards, frames.tobytes(), steps.tobytes())
    keys = timeline.once(key, lambda: _timecoded_frames(frames, steps, backwards))
    if backwards:
        # the first segment extrapolated back to frame 0
        slope = (values[:, 1:2].astype(np.float64) - values[:, 0:1]) / float(frames[1] - frames[0])
        back = (values[:, 0:1] - slope * float(frames[0])).astype(np.float32)
        values = np.concatenate((back, values), axis=1)
    return Keys(keys[0], values, keys[1], keys[2])


def _timecoded_frames(frames: Array, steps: Array, backwards: bool) -> tuple[Array, Array, Array | None]:
    shapes = np.full(len(frames), LINEAR)
    # in the file a step belongs to the key that is jumped to, in a clip to the key before it
    shapes[:-1][steps[1:]] = Interpolation.CONSTANT
    at = frames.astype(np.float64)
    if not backwards:
        return at, shapes, None
    inserted = np.zeros(len(frames) + 1, bool)
    inserted[0] = True
    return np.append(0.0, at), np.append(np.uint8(Interpolation.LINEAR), shapes), inserted


# --- Rotation -----------------------------------------------------------------------------------


def _rotation(keys: Keys, *, great_arc: bool) -> Keys:
    """Return quaternions with the shorter arc's signs, and keys inserted where a straight line would leave the arc."""
    if keys.values.shape[1] < 2 or _plainly_straight(keys.values, great_arc):
        return keys
    with np.errstate(over="ignore", invalid="ignore"):
        wide = keys.values.astype(np.float64)
        dots = quaternion.dot(wide[:, 1:], wide[:, :-1])
        # each sign change turns all later keys
        turned = dots < 0
        if turned.any():
            signs = np.cumprod(np.where(np.append(False, turned), np.float32(-1), np.float32(1)))
            keys = replace(keys, values=keys.values * signs.astype(np.float32))
        if great_arc and bool(_leaves_arc(wide, dots, keys.interpolation).any()):
            return _follow_arc(keys)
    return keys


def _plainly_straight(values: Array, great_arc: bool) -> bool:
    """Estimate quickly, in float32, whether all neighbours of (4, n) are so close that no sign and no key is needed."""
    nearest = np.einsum("ij,ij->j", values[:, 1:], values[:, :-1]).min()
    largest = np.einsum("ij,ij->j", values, values).max()
    limit = LEAST_COSINE if great_arc else 0.0
    return bool(nearest > (limit + _CLEARLY) * largest > 0)


def _leaves_arc(wide: Array, dots: Array, interpolation: Array) -> Array:
    """Return (n - 1,) bool: where the line between quaternions (4, n), of products `dots`, leaves the arc."""
    squares = wide[0] * wide[0] + wide[1] * wide[1] + wide[2] * wide[2] + wide[3] * wide[3]
    limit = LEAST_COSINE * LEAST_COSINE
    leaves: Array = dots * dots < limit * (squares[1:] * squares[:-1])
    leaves &= interpolation[:-1] == Interpolation.LINEAR
    return leaves


def _follow_arc(keys: Keys) -> Keys:
    """Halve the segments that leave the engine's great arc until none does, without trigonometric functions."""
    inserted = np.zeros(len(keys.times), bool) if keys.inserted is None else keys.inserted
    for _ in range(_MOST_HALVINGS):
        wide = keys.values.astype(np.float64)
        dots = quaternion.dot(wide[:, 1:], wide[:, :-1])
        left = np.flatnonzero(_leaves_arc(wide, dots, keys.interpolation))
        if len(left) == 0:
            break
        reckon(keys=4 * (len(keys.times) + len(left)))
        right = left + 1
        # the sum of two unit quaternions points to the middle; this is its length
        stretch = np.sqrt(2 + 2 * np.clip(dots[left], 0.0, 1.0))
        middle = (wide[:, left] + wide[:, right]) / stretch
        times = np.insert(keys.times, right, (keys.times[left] + keys.times[right]) / 2)
        values = np.insert(keys.values, right, middle.astype(np.float32), axis=1)
        inserted = np.insert(inserted, right, True)
        keys = Keys(times, values, np.insert(keys.interpolation, right, LINEAR), inserted)
    return replace(keys, inserted=inserted)


# --- Visibility ---------------------------------------------------------------------------------


def bit_keys(channel: w3d.AnyBitChannel, timeline: Timeline) -> Keys | None:
    """Return constant keys of 0 and 1: where the value changes (raw) or the file has keys; None without."""
    if isinstance(channel, w3d.CompressedBitChannel):
        order = np.argsort(channel.frames, kind="stable")
        frames, values = channel.frames[order].astype(np.float64), channel.steps[order]
    else:
        frames, values = _runs(channel, timeline.frame_count - 1)
    if len(frames) == 0:
        return None
    return Keys(frames / timeline.rate, values.astype(np.float32)[None], np.full(len(frames), CONSTANT))


def _runs(channel: w3d.BitChannel | w3d.LiteralBitChannel, last: int) -> tuple[Array, Array]:
    """Return frames (n,) and values (n,) where runs of equal values begin, the default around the range included."""
    count = max(channel.last - channel.first + 1, 0)
    packed = np.frombuffer(channel.bits, np.uint8)
    bits = np.unpackbits(packed, bitorder="little")[:count].astype(bool)
    before, after = channel.first > 0, channel.first + len(bits) - 1 < last
    values = np.concatenate(([channel.outside] * before, bits, [channel.outside] * after)).astype(bool)
    frames = np.arange(channel.first - before, channel.first + len(bits) + after, dtype=np.float64)
    frames[:1] = 0.0
    starts = np.append(True, values[1:] != values[:-1])[: len(values)]
    return frames[starts], values[starts]


# Which channels of an animation play, and by which engine's rules.

FADE = "fade"

EULER = (ChannelType.X_ROTATION, ChannelType.Y_ROTATION, ChannelType.Z_ROTATION)
PLAYED = frozenset((*LENGTHS, *EULER, ChannelType.QUATERNION, ChannelType.FADE))
_MOTION = (w3d.MotionKeysChannel, w3d.MotionDeltaChannel)


def rules_of(animation: w3d.AnyAnimation, engine: str) -> Rules:
    """Return the rules to play an animation by; AUTO knows the Middle-earth form by its version and channels."""
    if engine != "AUTO":
        return RULES[engine]
    own_form = isinstance(animation, w3d.CompressedAnimation) and animation.header.version == layout.VERSION_MOTION
    has_motion = any(isinstance(part, _MOTION) for part in animation.parts)
    return RULES["BFME" if own_form or has_motion else "RENEGADE"]


@dataclass
class Channels:
    """The channels of an animation that play.

    Attributes:
        values: by pivot and type.
        bits: by pivot.
        pivots: every pivot with a channel that plays.
        doubles: number of channels that move what a later one moves.
        unknown: number of channels by unknown type and width.
    """

    values: dict[tuple[int, int], w3d.ValueChannel] = field(default_factory=dict)
    bits: dict[int, w3d.AnyBitChannel] = field(default_factory=dict)
    pivots: set[int] = field(default_factory=set)
    doubles: int = 0
    unknown: dict[tuple[int, int], int] = field(default_factory=lambda: defaultdict(int))


def pivot_shift(animation: w3d.AnyAnimation) -> int:
    """Return 1 if the file counts pivots without the root, as raw animations before version 3.0 do, else 0."""
    old = isinstance(animation, w3d.Animation) and animation.header.version < layout.VERSION_ROOT_PIVOT
    return int(old)


def channels_of(animation: w3d.AnyAnimation) -> Channels:
    """Return the channels that play: the last of several for the same property, none of unknown types."""
    found = Channels()
    shift = pivot_shift(animation)
    for part in animation.parts:
        if isinstance(part, w3d.ValueChannel):
            pivot = part.pivot + shift
            kind, width = meaning(part), width_of(part)
            if kind not in PLAYED or width != components(kind):
                found.unknown[part.type, width] += 1
            else:
                found.doubles += (pivot, kind) in found.values
                found.values[pivot, kind] = part
                found.pivots.add(pivot)
        elif isinstance(part, w3d.AnyBitChannel):
            pivot = part.pivot + shift
            if part.type != layout.VISIBILITY:
                found.unknown[part.type, 1] += 1
            else:
                found.doubles += pivot in found.bits
                found.bits[pivot] = part
                found.pivots.add(pivot)
    return found


def meaning(channel: w3d.ValueChannel) -> int:
    """Return the type of a channel; in the public document's layout also by the document's own numbers."""
    if isinstance(channel, w3d.LiteralTimecodedChannel) and channel.values.shape[1] == 4:
        return ChannelType.QUATERNION
    return channel.type


def form_of(animation: w3d.AnyAnimation) -> str:
    """Return the form as the export option names it; the first motion channel decides among theirs."""
    if isinstance(animation, w3d.Animation):
        return "RAW"
    motion = next((part for part in animation.parts if isinstance(part, _MOTION)), None)
    if motion is not None or animation.header.version == layout.VERSION_MOTION:
        return "BFME_ADAPTIVE" if isinstance(motion, w3d.MotionDeltaChannel) else "BFME_TIMECODED"
    return "ADAPTIVE_DELTA" if animation.is_delta else "TIMECODED"
