"""Adaptive delta: an initial value, then a small signed difference for each frame, in packets of 16 frames.

A packet names a filter, which is a factor from a fixed table; each difference is a small integer times that factor
times the channel's scale. The game adds the differences up in float32, frame by frame, and so does `decode`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..clip import Array, quaternion
from ..errors import Report, Values, plain
from . import messages
from .layout import LENGTHS, PACKET_FRAMES, PACKET_SIZE, W_FIRST, ChannelType, packet_rows

_CURVE = 240
RANGES = {4: (-8, 7), 8: (-128, 127)}
"""Lowest and highest difference by bits."""

FACTORS = {4: np.float32(1.0), 8: np.float32(1.0 / 16.0)}
"""What a difference is multiplied by, by its bits."""

_CHUNK = 16
"""Components that are encoded together: enough to use numpy well, few enough to stay in the cache."""


FILTERS = np.array(
    [10.0 ** (index - 8) for index in range(16)]
    + [1.0 - math.sin(math.radians(90.0 * index / _CURVE)) for index in range(_CURVE)],
    np.float32,
)
"""(256,) float32: powers of ten from 1e-8 to 1e7, then a falling quarter of a sine from 1 to 0."""
FILTERS.flags.writeable = False

# flipping the sign bit and subtracting it extends 4 bits to a signed number
_NIBBLES = ((np.stack((np.arange(256) & 15, np.arange(256) >> 4), axis=1) ^ 8) - 8).astype(np.float32)
"""(256, 2) float32: the two signed 4-bit differences in each byte, the low half first."""

_BYTES = ((np.arange(256) ^ 0x80).astype(np.uint8).view(np.int8) / np.float32(16)).astype(np.float32)
"""(256,) float32: the difference in each byte, which is stored with its sign bit flipped and counts sixteenths."""


def decode(packets: Array, scale: Array, initial: Array, frame_count: int) -> Array:
    """Return (components, frames) float32, the same bits as the game's own sum.

    Args:
        packets: (rows, components, 9 or 17) uint8: a filter index, then 4-bit or 8-bit differences.
        scale: () float32.
        initial: (components,) float32, the value of frame 0.
        frame_count: frames, at most one more than the packets hold.
    """
    rows, components, _ = packets.shape
    with np.errstate(over="ignore", invalid="ignore"):
        # (rows, components): what one unit of a difference is worth in each packet
        steps = FILTERS[packets[:, :, 0]] * scale
        data = packets[:, :, 1:]
        wide = data.shape[2] == PACKET_FRAMES
        deltas = (_BYTES[data] if wide else _NIBBLES[data].reshape(rows, components, PACKET_FRAMES)) * steps[:, :, None]
        # the initial value, then the differences of each component frame after frame
        sums = np.empty((components, 1 + rows * PACKET_FRAMES), np.float32)
        sums[:, 0] = initial
        sums[:, 1:] = deltas.transpose(1, 0, 2).reshape(components, -1)
        # rounded to float32 after each frame, as in the game
        np.add.accumulate(sums, axis=1, dtype=np.float32, out=sums)
    return sums[:, :frame_count]


class Encoded(NamedTuple):
    """A channel's scale () and packets (rows, components, 9 or 17)."""

    scale: Array
    packets: Array


def encode(channels: list[Array], *, bits: int = 4) -> list[Encoded]:
    """Encode channels (components, frames) of equal frame count as the game's encoder does: packet by packet with the
    filter that leaves the least squared error.

    Args:
        channels: (components, frames) each, at least one frame.
        bits: of a difference, 4 or 8.
    """
    # the largest change is the largest digit
    largest = [np.abs(np.diff(values.astype(np.float32), axis=1)).max(initial=0.0) for values in channels]
    scales = [np.float32(change / (np.float32(RANGES[bits][1]) * FACTORS[bits])) for change in largest]
    # all components of all channels, each with its channel's scale
    rows = [component.astype(np.float32) for values in channels for component in values]
    row_scales = [scale for values, scale in zip(channels, scales, strict=True) for _ in values]
    # (rows, 9 or 17) packets by component
    packets: list[Array] = []
    for start in range(0, len(rows), _CHUNK):
        part = slice(start, start + _CHUNK)
        packets.extend(_encode_components(np.stack(rows[part]), np.array(row_scales[part]), bits))
    # back to channels
    ends = np.cumsum([0, *map(len, channels)])
    return [
        Encoded(np.asarray(scale, "<f4"), np.stack(packets[start:end], axis=1))
        for scale, start, end in zip(scales, ends, ends[1:], strict=False)
    ]


def _encode_components(values: Array, scales: Array, bits: int) -> Array:
    """Return (components, rows, 9 or 17) packets for values (components, frames) float32."""
    components, frames = values.shape
    rows = packet_rows(frames)
    # (components, filters): what one unit of a digit is worth
    steps = FILTERS * scales[:, None] * FACTORS[bits]
    # the last packet is filled up with the last value; those frames do not count as errors
    padded = np.concatenate((values, np.repeat(values[:, -1:], 1 + rows * PACKET_FRAMES - frames, axis=1)), axis=1)
    counted = np.arange(1, 1 + rows * PACKET_FRAMES) < frames
    packets = np.empty((components, rows, PACKET_SIZE[bits]), np.uint8)
    value = values[:, 0]
    for row in range(rows):
        part = slice(row * PACKET_FRAMES, (row + 1) * PACKET_FRAMES)
        value = _encode_packet(packets[:, row], value, padded[:, 1:][:, part], counted[part], steps, bits)
    return packets


def _encode_packet(packet: Array, start: Array, wanted: Array, counted: Array, steps: Array, bits: int) -> Array:
    """Fill a packet (components, 9 or 17), and return the values (components,) at its end.

    Args:
        start: (components,) float32, the values that the game has before it.
        wanted: (components, 16) float32, the values of the packet's frames.
        counted: (16,) bool, whether a frame is part of the animation.
        steps: (components, filters) float32, what one unit of a digit is worth.
    """
    lowest, highest = (np.float32(end) for end in RANGES[bits])
    # a step too small for its inverse moves nothing: its digits are 0
    inverse = np.divide(np.float32(1.0), steps, out=np.zeros_like(steps), where=steps > np.finfo(np.float32).tiny)
    # (components, filters) from here on: every filter
    value = np.broadcast_to(start[:, None], steps.shape).copy()
    error = np.zeros(value.shape, np.float32)
    digits = np.empty((*value.shape, PACKET_FRAMES), np.int8)
    for frame in range(PACKET_FRAMES):
        target = wanted[:, frame, None]
        # the digit that comes nearest to the frame's value, within the range of its bits
        digit = np.clip(np.rint((target - value) * inverse), lowest, highest)
        digits[..., frame] = digit
        # the value that the game will have, errors included: the next digit starts from it
        value += digit * steps
        if counted[frame]:
            error += (value - target) ** 2
    best = error.argmin(axis=1)
    every = np.arange(len(best))
    # 8 bits with the sign bit flipped, or two digits in a byte, the first in the low half
    data = digits[every, best].view(np.uint8)
    packet[:, 0] = best
    packet[:, 1:] = data ^ 0x80 if bits == 8 else (data[:, 0::2] & 15) | (data[:, 1::2] << 4)
    reached: Array = value[every, best]
    return reached


# The error of adaptive delta, in degrees and units of length, and when it is worth a warning.

_MOST_DEGREES = 1.0
_MOST_SHARE = 0.01
"""Share of the range in which a pivot moves: an error above this, or above a degree, is visible."""


@dataclass
class Deviation:
    """The largest errors of all channels on any whole frame.

    Attributes:
        least: errors in units of length up to this are never reported.
        channels: how many were measured.
        turns: degrees by pivot.
        moves: units of length by pivot, and the range of its widest axis.
    """

    least: float
    channels: int = 0
    turns: dict[int, float] = field(default_factory=dict)
    moves: dict[int, tuple[float, float]] = field(default_factory=dict)

    def add(self, pivot: int, kind: int, wanted: Array, packed: Encoded) -> None:
        """Measure one channel; `wanted` is (components, frames) in the file's order."""
        shown = decode(packed.packets, packed.scale, wanted[:, 0], wanted.shape[1])
        self.channels += 1
        if kind == ChannelType.QUATERNION:
            turns = quaternion.distance(shown[W_FIRST].astype(np.float64), wanted[W_FIRST].astype(np.float64))
            self.turns[pivot] = math.degrees(quaternion.angle_of(float(turns.max())))
        elif kind in LENGTHS:
            units, reach = self.moves.get(pivot, (0.0, 0.0))
            self.moves[pivot] = max(units, float(np.abs(shown - wanted).max())), max(reach, float(np.ptp(wanted)))

    def tell(self, report: Report) -> None:
        """Report the errors: a note, or if they are visible a warning that names a better form."""
        turned = {pivot for pivot, degrees in self.turns.items() if degrees > _MOST_DEGREES}
        moved = {pivot for pivot, (units, reach) in self.moves.items() if units > max(_MOST_SHARE * reach, self.least)}
        degrees = max(self.turns.values(), default=0.0)
        units = max((units for units, _ in self.moves.values()), default=0.0)
        values: Values = {"degrees": plain(degrees, 2), "units": plain(units, 2)}
        off = len(turned | moved)
        if off:
            report.warn(messages.DELTA_OFF, pivots=off, **values)
        elif self.channels:
            report.note(messages.DELTA_ERROR, channels=self.channels, **values)
