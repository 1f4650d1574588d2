"""Which channels of an animation play, and by which engine's rules."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from . import layout, playback
from .document import (
    Animation,
    AnyAnimation,
    AnyBitChannel,
    BitChannel,
    CompressedAnimation,
    CompressedBitChannel,
    DeltaChannel,
    LiteralBitChannel,
    LiteralTimecodedChannel,
    MotionDeltaChannel,
    MotionKeysChannel,
    RawChannel,
    TimecodedChannel,
    ValueChannel,
)
from .layout import ChannelType
from .playback import Rules

VISIBILITY = "visibility"
FADE = "fade"

TRANSLATIONS = (ChannelType.X, ChannelType.Y, ChannelType.Z)
EULER = (ChannelType.X_ROTATION, ChannelType.Y_ROTATION, ChannelType.Z_ROTATION)
PLAYED = frozenset((*TRANSLATIONS, *EULER, ChannelType.QUATERNION, ChannelType.FADE))

_VALUES = (RawChannel, TimecodedChannel, LiteralTimecodedChannel, DeltaChannel, MotionKeysChannel, MotionDeltaChannel)
_BITS = (BitChannel, LiteralBitChannel, CompressedBitChannel)
_MOTION = (MotionKeysChannel, MotionDeltaChannel)


def rules_of(animation: AnyAnimation, engine: str) -> Rules:
    """Return the rules to play an animation by; AUTO knows the Middle-earth form by its version and channels."""
    if engine != "AUTO":
        return playback.RULES[engine]
    own_form = isinstance(animation, CompressedAnimation) and animation.header.version == layout.VERSION_MOTION
    has_motion = any(isinstance(part, _MOTION) for part in animation.parts)
    return playback.RULES["BFME" if own_form or has_motion else "RENEGADE"]


@dataclass
class Channels:
    """The channels of an animation that play.

    Attributes:
        values: by pivot and type.
        bits: by pivot.
        pivots: every pivot with a channel that plays.
        doubles: number of channels that move what another channel already moves.
        unknown: number of channels by unknown type and width.
    """

    values: dict[tuple[int, int], ValueChannel] = field(default_factory=dict)
    bits: dict[int, AnyBitChannel] = field(default_factory=dict)
    pivots: set[int] = field(default_factory=set)
    doubles: int = 0
    unknown: dict[tuple[int, int], int] = field(default_factory=lambda: defaultdict(int))


def pivot_shift(animation: AnyAnimation) -> int:
    """Return 1 if the file counts pivots without the root, as raw animations before version 3.0 do, else 0."""
    old = isinstance(animation, Animation) and animation.header.version < layout.VERSION_ROOT_PIVOT
    return int(old)


def channels_of(animation: AnyAnimation) -> Channels:
    """Return the channels that play: the first of several for the same property, none of unknown types."""
    found = Channels()
    shift = pivot_shift(animation)
    for part in animation.parts:
        if isinstance(part, _VALUES):
            _add_value(found, part, part.pivot + shift)
        elif isinstance(part, _BITS):
            _add_bits(found, part, part.pivot + shift)
    return found


def _add_value(found: Channels, channel: ValueChannel, pivot: int) -> None:
    kind, width = meaning(channel), playback.width(channel)
    if kind not in PLAYED or width != playback.components(kind):
        found.unknown[channel.type, width] += 1
    elif (pivot, kind) in found.values:
        found.doubles += 1
    else:
        found.values[pivot, kind] = channel
        found.pivots.add(pivot)


def _add_bits(found: Channels, channel: AnyBitChannel, pivot: int) -> None:
    if channel.type != layout.VISIBILITY:
        found.unknown[channel.type, 1] += 1
    elif pivot in found.bits:
        found.doubles += 1
    else:
        found.bits[pivot] = channel
        found.pivots.add(pivot)


def meaning(channel: ValueChannel) -> int:
    """Return the type of a channel; in the public document's layout also by the document's own numbers."""
    if isinstance(channel, LiteralTimecodedChannel) and channel.values.shape[1] == 4:
        return ChannelType.QUATERNION
    return channel.type


def form_of(animation: AnyAnimation) -> str:
    """Return the form as the export option names it; the first motion channel decides among theirs."""
    if isinstance(animation, Animation):
        return "RAW"
    motion = next((part for part in animation.parts if isinstance(part, _MOTION)), None)
    if motion is not None or animation.header.version == layout.VERSION_MOTION:
        return "BFME_ADAPTIVE" if isinstance(motion, MotionDeltaChannel) else "BFME_TIMECODED"
    return "ADAPTIVE_DELTA" if animation.is_delta else "TIMECODED"
