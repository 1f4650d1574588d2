"""Key reduction: every sample stays within the tolerance, and fewer keys than the original exporter needs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from io_formats import w3d
from io_formats.clip import keys, quaternion
from io_formats.errors import Report
from io_formats.format import Destination
from io_formats.w3d import encode_channels


def smooth(frames: int, seed: int, components: int = 1) -> Any:
    dice = np.random.default_rng(seed)
    at = np.arange(frames)
    return np.array(
        [dice.normal() * np.sin(at * dice.uniform(0.01, 0.8)) + dice.normal() * at / 40 for _ in range(components)]
    )


def turning(frames: int, seed: int) -> Any:
    values = smooth(frames, seed, 4) + np.array([[3.0], [0], [0], [0]])
    return values / np.linalg.norm(values, axis=0)


@settings(max_examples=60)
@given(st.integers(1, 150), st.integers(0, 10**6), st.floats(1e-4, 0.5), st.lists(st.integers(1, 140), max_size=3))
def test_numbers_stay_within_the_tolerance_of_every_sample(
    frames: int, seed: int, tolerance: float, jumps: list[int]
) -> None:
    values = smooth(frames, seed)
    stepped = np.zeros(frames, bool)
    for jump in jumps:
        if 0 < jump < frames:
            values[:, jump:] += 5
            values[:, max(0, jump - 4) : jump] = values[:, max(0, jump - 4)]
            stepped[jump] = True
    keep = keys.lines(np.arange(frames), values, tolerance, steps=np.append(stepped[1:], False))
    assert keep[0]
    assert keep[stepped].all()
    shown = encode_channels._played(np.flatnonzero(keep).astype(float), values[:, keep], stepped[keep], frames, None)
    assert np.abs(shown - values).max() <= tolerance + 1e-9


@settings(max_examples=40)
@given(st.integers(1, 120), st.integers(0, 10**6), st.floats(0.01, 3.0), st.booleans())
def test_rotations_stay_within_the_tolerance_of_every_sample(
    frames: int, seed: int, degrees: float, straight: bool
) -> None:
    values = turning(frames, seed)
    arc = quaternion.short_line if straight else quaternion.great_arc
    keep = keys.lines(np.arange(frames), values, math.radians(degrees), quaternion.angle, between=arc)
    steps = np.zeros(int(keep.sum()), bool)
    shown = encode_channels._played(np.flatnonzero(keep).astype(float), values[:, keep], steps, frames, arc)
    assert np.degrees(quaternion.angle(shown, values)).max() <= degrees + 1e-5


def test_a_value_that_is_held_to_the_end_needs_one_key() -> None:
    values, steps = np.array([[2.5] * 40 + [7.0] * 60]), np.arange(100) == 39
    kept = np.flatnonzero(keys.lines(np.arange(100), values, 0.001, steps=steps))
    assert encode_channels._resting(kept, values, steps).tolist() == [39, 99]


@pytest.mark.parametrize(("name", "original"), [("g02_tc_default", 3484), ("g03_tc_binmove", 4896)])
def test_fewer_bytes_than_the_original_encoder_on_the_same_motion(
    by_name: Any, blender: Any, name: str, original: int
) -> None:
    golden = by_name[name]
    assert len(w3d.write(w3d.Document([golden.document.animations[0]]))) == original
    clip = golden.clip()
    made = w3d.from_clip(
        blender(clip), w3d.ExportOptions(flavor="TIMECODED"), Report(), Destination(skeleton=golden.skeleton)
    )
    assert len(w3d.write(w3d.Document(list(made.animations)))) < original
