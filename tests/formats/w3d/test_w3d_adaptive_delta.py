"""Adaptive delta: the decoder adds as the game does, the encoder leaves no more error than the game's own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from io_formats.w3d import adaptive_delta, layout

FILTERS = [10.0 ** (at - 8) for at in range(16)] + [1 - np.sin(np.radians(90 * at / 240)) for at in range(240)]


def the_games_encoder(values: Any) -> Any:
    """The published exporter's way, packet by packet: all filters, digits by nearest value, least squared error."""
    scale = np.float32(np.abs(np.diff(values, axis=1)).max() / np.float32(7)) if values.shape[1] > 1 else np.float32(0)
    result = np.empty_like(values)
    for row, wanted in zip(result, values, strict=True):
        row[0] = value = wanted[0]
        for start in range(1, len(wanted), 16):
            block, best = wanted[start : start + 16], (np.inf, None, value)
            for factor in FILTERS:
                step = np.float32(np.float32(factor) * scale)
                now, error, made = value, 0.0, []
                for target in block:
                    digit = np.clip(np.rint((target - now) / step), -8, 7) if step > 1e-30 else 0
                    now = np.float32(now + np.float32(np.float32(digit) * step))
                    made.append(now)
                    error += float(now - target) ** 2
                if error < best[0]:
                    best = (error, made, now)
            row[start : start + 16], value = best[1], best[2]
    return result


def waves(frames: int, components: int, seed: int, *, jump: bool = False) -> Any:
    dice = np.random.default_rng(seed)
    at = np.arange(frames) / 30
    rows = [
        sum(dice.normal() * np.sin(6.28 * dice.uniform(0.1, 2) * at + dice.uniform(0, 6)) for _ in range(4))
        for _ in range(components)
    ]
    values = np.array(rows, np.float32)
    if jump:
        values[:, frames // 2 :] += np.float32(3)
    return values


@pytest.mark.parametrize("frames", [1, 2, 16, 17, 18, 33, 60])
@pytest.mark.parametrize(("components", "jump"), [(1, False), (4, False), (1, True)])
def test_the_error_is_at_most_that_of_the_games_own_encoder(frames: int, components: int, jump: bool) -> None:
    values = waves(frames, components, 7 * frames + components, jump=jump)
    encoded = adaptive_delta.encode([values])[0]
    decoded = adaptive_delta.decode(encoded.packets, encoded.scale, values[:, 0], frames).astype(float)
    squared = float(((decoded - values) ** 2).sum())
    theirs = float(((the_games_encoder(values).astype(float) - values) ** 2).sum())
    assert squared <= theirs * (1 + 1e-9) + 1e-15
    assert encoded.packets.shape == (layout.packet_rows(frames), components, 9)


def test_eight_bits_are_finer_than_four() -> None:
    values = waves(100, 4, 3)
    off = []
    for bits in (4, 8):
        found = adaptive_delta.encode([values], bits=bits)[0]
        off.append(np.abs(adaptive_delta.decode(found.packets, found.scale, values[:, 0], 100) - values).max())
    assert off[1] < off[0] / 7


def test_still_channels_stay_still() -> None:
    values = np.full((1, 50), 2.5, np.float32)
    encoded = adaptive_delta.encode([values])[0]
    assert float(encoded.scale) == 0
    assert adaptive_delta.decode(encoded.packets, encoded.scale, values[:, 0], 50).tolist() == values.tolist()
