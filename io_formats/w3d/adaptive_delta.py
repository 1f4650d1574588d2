"""Adaptive delta: an initial value, then a small signed difference for each frame, in packets of 16 frames.

A packet names a filter, a factor from a fixed table; each difference is a small integer times that factor times the
channel's scale. The game adds up in float32, one frame after the other, and so does `decode`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..clip import Array
from .layout import PACKET_FRAMES, PACKET_SIZE, packet_rows

_POWERS = 16
_CURVE = 240
RANGES = {4: (-8, 7), 8: (-128, 127)}
"""Lowest and highest difference by bits."""

FACTORS = {4: np.float32(1.0), 8: np.float32(1.0 / 16.0)}
"""What a difference is multiplied with, by bits."""

_BEAM = 8
_FILTER_COUNT = 256
_FEW_ROWS = 4000
_STRETCHES = tuple(np.float32(stretch) for stretch in (1.0, 1.05, 1.1, 1.2, 1.3))
"""Factors for the scale that are tried where components times rows of packets are few; the game's own comes first."""

_CHUNK = 16
"""Components that are encoded side by side: enough to fill numpy, few enough to stay in the cache."""


def _filter_table() -> Array:
    powers = [10.0 ** (index - 8) for index in range(_POWERS)]
    curve = [1.0 - math.sin(math.radians(90.0 * index / _CURVE)) for index in range(_CURVE)]
    table = np.array(powers + curve, np.float32)
    table.flags.writeable = False
    return table


FILTERS = _filter_table()
"""(256,) float32: powers of ten from 1e-8 to 1e7, then a falling quarter of a sine from 1 to 0."""


def _nibble_table() -> Array:
    byte = np.arange(256)
    pairs = np.stack((byte & 15, byte >> 4), axis=1)
    return ((pairs ^ 8) - 8).astype(np.float32)


_NIBBLES = _nibble_table()
_BYTES = ((np.arange(256) ^ 0x80).astype(np.uint8).view(np.int8) / np.float32(16)).astype(np.float32)


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
        steps = FILTERS[packets[:, :, 0]] * scale
        deltas = _differences(packets[:, :, 1:]) * steps[:, :, None]
        sums = np.empty((components, 1 + rows * PACKET_FRAMES), np.float32)
        sums[:, 0] = initial
        sums[:, 1:] = deltas.transpose(1, 0, 2).reshape(components, -1)
        np.add.accumulate(sums, axis=1, dtype=np.float32, out=sums)
    return sums[:, :frame_count]


def _differences(data: Array) -> Array:
    """Return (rows, components, 16) float32 of the bytes after the filter index."""
    if data.shape[2] == PACKET_FRAMES:
        return _BYTES[data]
    return _NIBBLES[data].reshape(*data.shape[:2], PACKET_FRAMES)


@dataclass
class Encoded:
    """A channel's scale () and packets (rows, components, 9 or 17), and the error that they leave.

    Attributes:
        squared_error: sum over all frames and components.
        largest_error: of any one number.
    """

    scale: Array
    packets: Array
    squared_error: float
    largest_error: float


def engine_scale(values: Array, bits: int = 4) -> np.float32:
    """Return the scale of the game's encoder for values (components, frames): the largest change by the largest
    digit."""
    if values.shape[1] < 2:
        return np.float32(0.0)
    largest = np.abs(np.diff(values.astype(np.float32), axis=1)).max()
    return np.float32(largest / (np.float32(RANGES[bits][1]) * FACTORS[bits]))


def encode(channels: list[Array], *, bits: int = 4, beam: int = _BEAM) -> list[Encoded]:
    """Encode channels (components, frames) of equal frame count, each with the least error that was found.

    The game's encoder takes, packet by packet, the filter with the least squared error. That choice is always among
    those that are followed here; beside it the best `beam` - 1 ways so far stay in the race, since a packet that ends
    on a better value may save the next. Where there is little to do, larger scales are tried as well, which put other
    steps between the filters. One way in the race (`beam=1`) is the game's own encoder.
    """
    rows = sum(len(values) for values in channels) * packet_rows(channels[0].shape[1]) if channels else 0
    wide = beam > 1 and rows <= _FEW_ROWS
    best: list[Encoded] = []
    for stretch in _STRETCHES if wide else _STRETCHES[:1]:
        scales = [engine_scale(values, bits) * stretch for values in channels]
        found = _encode_all(channels, scales, bits, beam)
        best = [min(pair, key=_error) for pair in zip(best, found, strict=True)] if best else found
    return best


def _error(encoded: Encoded) -> float:
    return encoded.squared_error


def _encode_all(channels: list[Array], scales: list[np.float32], bits: int, beam: int) -> list[Encoded]:
    """Encode with given scales; components side by side, whichever channel they belong to."""
    rows = [component.astype(np.float32) for values in channels for component in values]
    row_scales = [scale for values, scale in zip(channels, scales, strict=True) for _ in values]
    packets: list[Array] = []
    for start in range(0, len(rows), _CHUNK):
        part = slice(start, start + _CHUNK)
        packets.extend(_encode_components(np.stack(rows[part]), np.array(row_scales[part], np.float32), bits, beam))
    results, start = [], 0
    for values, scale in zip(channels, scales, strict=True):
        own = np.stack(packets[start : start + len(values)], axis=1)
        start += len(values)
        results.append(_measured(values.astype(np.float32), np.asarray(scale, "<f4"), own))
    return results


def _measured(values: Array, scale: Array, packets: Array) -> Encoded:
    miss = decode(packets, scale, values[:, 0], values.shape[1]).astype(np.float64) - values
    return Encoded(scale, packets, float((miss * miss).sum()), float(np.abs(miss).max(initial=0.0)))


@dataclass
class _Race:
    """The ways followed so far for each component: (components, ways) arrays, and the packets that led there."""

    value: Array
    cost: Array
    trail: list[tuple[Array, Array, Array]]


def _encode_components(values: Array, scales: Array, bits: int, beam: int) -> Array:
    """Return (components, rows, 9 or 17) packets for values (components, frames) float32."""
    components, frames = values.shape
    rows = packet_rows(frames)
    steps = FILTERS * scales[:, None] * FACTORS[bits]
    padded = np.concatenate((values, np.repeat(values[:, -1:], 1 + rows * PACKET_FRAMES - frames, axis=1)), axis=1)
    counted = np.arange(1, 1 + rows * PACKET_FRAMES) < frames
    race = _Race(values[:, :1].copy(), np.zeros((components, 1)), [])
    for row in range(rows):
        part = slice(row * PACKET_FRAMES, (row + 1) * PACKET_FRAMES)
        _advance(race, padded[:, 1:][:, part], counted[part], steps, (bits, beam))
    return _packed(race, bits)


def _advance(race: _Race, wanted: Array, counted: Array, steps: Array, settings: tuple[int, int]) -> None:
    """Try all filters from all ways for one packet; keep the game's own way and the best of the others."""
    bits, beam = settings
    lowest, highest = (np.float32(end) for end in RANGES[bits])
    components, ways = race.value.shape
    step = steps[:, None, :]
    inverse = np.divide(np.float32(1.0), step, out=np.zeros_like(step), where=step > np.finfo(np.float32).tiny)
    value = np.broadcast_to(race.value[:, :, None], (components, ways, _FILTER_COUNT)).copy()
    error = np.zeros(value.shape, np.float32)
    digits = np.empty((PACKET_FRAMES, *value.shape), np.int8)
    digit = np.empty_like(value)
    for frame in range(PACKET_FRAMES):
        target = wanted[:, frame, None, None]
        np.subtract(target, value, out=digit)
        digit *= inverse
        np.rint(digit, out=digit)
        np.maximum(digit, lowest, out=digit)
        np.minimum(digit, highest, out=digit)
        digits[frame] = digit
        digit *= step
        value += digit
        if counted[frame]:
            np.subtract(value, target, out=digit)
            digit *= digit
            error += digit
    total = race.cost[:, :, None] + error
    chosen = _choose(error, total, beam)
    index = np.arange(components)[:, None]
    parent, kind = chosen // _FILTER_COUNT, chosen % _FILTER_COUNT
    race.trail.append((parent, kind, np.moveaxis(digits, 0, -1)[index, parent, kind]))
    race.value, race.cost = value[index, parent, kind], total[index, parent, kind]


def _choose(error: Array, total: Array, beam: int) -> Array:
    """Return (components, ways) indices into ways x filters; the first is always the game's own choice."""
    greedy: Array = error[:, 0, :].argmin(axis=1)[:, None]
    if beam == 1:
        return greedy
    return np.concatenate((greedy, _lowest(total.reshape(len(total), -1), beam - 1)), axis=1)


def _lowest(costs: Array, count: int) -> Array:
    """Return (rows, count) places of the lowest costs of each row; of equal ones the first.

    `argpartition` takes other ones of equal costs in another numpy, and a file would differ with it.
    """
    bound = np.partition(costs, count - 1, axis=1)[:, count - 1 : count]
    rank = np.full(costs.shape, 2, np.uint8)
    rank[costs <= bound] = 1
    rank[costs < bound] = 0
    places: Array = rank.argsort(axis=1, kind="stable")[:, :count]
    return places


def _packed(race: _Race, bits: int) -> Array:
    """Follow the best way back from its end: (components, rows, 9 or 17) uint8."""
    components = len(race.cost)
    index, way = np.arange(components), race.cost.argmin(axis=1)
    packets = np.empty((components, len(race.trail), PACKET_SIZE[bits]), np.uint8)
    for row in reversed(range(len(race.trail))):
        parent, kind, digits = race.trail[row]
        packets[:, row, 0] = kind[index, way]
        data = digits[index, way].view(np.uint8)
        packets[:, row, 1:] = data ^ 0x80 if bits == 8 else (data[:, 0::2] & 15) | (data[:, 1::2] << 4)
        way = parent[index, way]
    return packets
