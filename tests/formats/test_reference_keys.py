"""Keys in frames against a loop over plain float32 numbers, key by key; what plays is the same in frames and back."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import plain
import pytest
from plain import BEZIER, CONSTANT, LINEAR

from io_formats.clip import LOCATION, Track, fcurve_keys, messages
from io_formats.errors import Report

LARGEST = float(np.finfo(np.float32).max)
ODD = (np.nan, np.inf, -np.inf, 1e300, -1e39)


def odd(rng: plain.Rng, track: Track, rate: float) -> Track:
    """A track with keys out of order, and numbers that are none or that float32 has not."""
    times, values = track.times + rng.normal(size=len(track.times)) * rng.choice((0.0, 0.01)), track.values.copy()
    if rng.random() < 0.5:
        times[:: rng.integers(1, 4)] *= rng.choice((1.0, -1.0, np.nan, 1e300))
    handles = track.handles
    if handles is not None:
        handles.times[np.abs(handles.times) < 1 / rate / 100] = 0.0
        for part in handles if rng.random() < 0.5 else ():
            part.flat[rng.integers(part.size, size=3)] = rng.choice(ODD)
    if rng.random() < 0.5:
        values.flat[rng.integers(values.size)] = rng.choice(ODD)
    return track.but(times=times, values=values, handles=handles)


def single(number: float) -> float:
    """As float32 has it, limited to its range."""
    return float(np.float32(min(max(number, -LARGEST), LARGEST)))


def keys_of(track: Track, rate: float, start: float) -> tuple[list[int], list[int], dict[Any, Any], Counter[str]]:
    """Which keys stay, their shapes, by (row, key, side) the handles that shape something, and what is told."""
    with np.errstate(over="ignore"):
        frames = [float(np.float32(time * rate + start)) for time in track.times]
    usable = np.isfinite(frames) & np.isfinite(track.values).all(axis=0)
    order = sorted(np.flatnonzero(usable).tolist(), key=frames.__getitem__)
    told = Counter(
        {messages.KEYS_NOT_FINITE: len(frames) - len(order), messages.KEYS_SORTED: int(order != sorted(order))}
    )
    told[messages.VALUES_LIMITED] = int((np.abs(track.values[:, order]) > LARGEST).sum())
    shapes, handles = [int(track.interpolation[key]) for key in order], {}
    bent = [] if track.handles is None else [at for at in range(len(order) - 1) if shapes[at] == BEZIER]
    for at in bent:
        ends = (at, order[at], 1), (at + 1, order[at + 1], 0)
        numbers = [part[..., key, side] for _, key, side in ends for part in track.handles]
        if not all(np.isfinite(each).all() for each in numbers):
            shapes[at] = CONSTANT
            told[messages.HANDLES_NOT_FINITE] += 1
            continue
        for place, key, side in ends:
            offset = float(track.handles.times[key, side]) * rate
            x = single(float(track.times[key]) * rate + start + offset)
            moved = x - frames[key]
            kept = moved / offset if offset and moved else 1.0  # a rounded handle keeps its slope
            for row, values in enumerate(track.values):
                y = single(float(track.handles.values[row, key, side]) * kept + single(values[key]))
                handles[row, place, side] = (x if kept != 1.0 or offset else frames[key]), y
    return order, shapes, handles, +told


def test_keys_in_frames() -> None:
    for seed in range(150):
        rng = np.random.default_rng(seed)
        rate, start = float(rng.choice((24.0, 30 / 1.001, 59.94, 1000 / 7))), float(rng.choice((0.0, 1.0, -40.0, 1e5)))
        track = odd(rng, plain.track(rng, "a", LOCATION, 3), rate)
        track = track.take(np.arange(0 if seed == 1 else len(track.times)))
        report = Report()
        block = fcurve_keys.to_keys(track, rate, start, report)
        order, shapes, handles, told = keys_of(track, rate, start)
        assert Counter({entry.template: entry.count for entry in report.warnings}) == told, seed
        assert (list(range(len(track.times))) if block.source is None else block.source.tolist()) == order
        frames = [float(np.float32(track.times[key] * rate + start)) for key in order]
        near = (1.2e-7, 2.0**-12) if len(set(frames)) < len(frames) else (0.0, 0.0)  # what another hides may be earlier
        assert block.frames.tolist() == pytest.approx(frames, *near)
        assert block.values.tolist() == [[single(row[key]) for key in order] for row in track.values]
        assert block.interpolation.tolist() == shapes
        assert (block.handles is not None) == (track.handles is not None and BEZIER in track.interpolation[order])
        if block.handles is None:
            continue
        assert np.isfinite(block.handles).all()
        for row, at, side in np.ndindex(3, len(order), 2):
            found, other = block.handles[row, at, side], at + (1 if side else -1)
            point = np.array((block.frames[at], block.values[row, at]), np.float64)
            if (row, at, side) in handles:
                assert found == pytest.approx(handles[row, at, side], rel=2e-7, abs=1e-7), (seed, row, at, side)
            elif 0 <= other < len(order):  # a third of the way to the neighbour
                line = np.array((block.frames[other], block.values[row, other]), np.float64)
                assert found == pytest.approx(point + (line - point) / 3, rel=1e-6, abs=1e-6)
            else:
                assert found == pytest.approx(point + (side * 2 - 1, 0) / np.array((3.0, 1.0)), rel=1e-6)


def shown(block: fcurve_keys.KeyBlock, frame: float) -> float:
    """What Blender shows where a key is: that of the first or last key, else of the one its binary search meets."""
    frames = block.frames.astype(float).tolist()
    near = [abs(frame - own) <= 1e-4 for own in frames]
    low, high = 0, len(frames)
    while not near[0] and not near[-1]:
        middle = low + (high - low) // 2
        if near[middle]:
            return float(block.values[0, middle])
        low, high = (middle + 1, high) if frame > frames[middle] else (low, middle - 1)
    return float(block.values[0, 0 if near[0] else -1])


def test_what_plays_in_frames_plays_in_seconds() -> None:
    """Also where several keys are on one frame: Blender shows the last that was written; what it shows is read."""
    for seed in range(200):
        rng = np.random.default_rng(seed)
        track = plain.track(rng, "a", LOCATION, 1, wraps=0.0)
        rate, start = float(rng.choice((24.0, 30 / 1.001, 1000 / 7))), float(rng.choice((0.0, -40.0, 1000.0)))
        block = fcurve_keys.to_keys(track, rate, start)
        again = track.but(**fcurve_keys.from_keys(block, rate, start))
        if (np.diff(block.frames) > 1e-3).all():
            assert (fcurve_keys.to_keys(again, rate, start).frames == block.frames).all()
        for at in rng.uniform(-0.6, 1.4, 6):
            assert np.abs(np.subtract(plain.value(track, at), plain.value(again, at))).max() < 1e-2, seed
        double = replace(block, frames=np.float32(np.round(track.times * 8) + start))
        read = track.but(**fcurve_keys.from_keys(double, rate, start))
        for at, frame in zip(track.times, double.frames):
            if at > track.times[0]:
                last = [value for time, value in zip(track.times, block.values[0]) if time == at][-1]
                assert shown(block, float(np.float32(at * rate + start))) == last, seed
            found = plain.value(read, (float(frame) - start) / rate)[0]
            assert found == shown(double, float(frame)), seed


def test_which_keys_are_still_those_that_were_written() -> None:
    """Some gone, some new, others with another value, shape or handle; or all at other times, in their order."""
    for seed in range(300):
        rng = np.random.default_rng(seed)
        track = plain.track(rng, "a", LOCATION, 1).scaled(1.0, 2.0**17 * (seed % 4 == 0))
        written = fcurve_keys.to_keys(track, 24.0, 1000.0 * (seed % 3))
        close = np.flatnonzero(np.diff(written.frames) < 1e-3).tolist()
        for key in close:
            written.frames[key + 1] = np.nextafter(written.frames[key], np.float32(np.inf))
        count, moved = len(written.frames), seed % 5 == 0 and not close
        left = [key for key in range(count) if moved or rng.random() < 0.8]
        changed = {
            (key, what) for key in left for what in ("value", "shape", 0, 1) if rng.random() < 0.15 * (not moved)
        }
        frames = [
            *(float(written.frames[key]) for key in left),
            *([] if moved else written.frames[0] + rng.uniform(-20, 40, seed % 3)),
        ]
        keys = sorted(zip(frames, [*left, *[-1] * (len(frames) - len(left))]))
        pairs = [key for _, key in keys]
        found = fcurve_keys.KeyBlock(
            *(part[..., pairs].copy() for part in (written.frames, written.values)), written.interpolation[pairs].copy()
        )
        found.frames[:] = [frame * (1.5 if moved else 1.0) for frame, _ in keys]
        if seed % 3 < 2 and not close:  # as a change of rate leaves them
            found.frames += np.spacing(np.abs(found.frames).max(initial=0.0)) * (seed % 2)
        found.handles = None if written.handles is None else written.handles[:, pairs].copy()
        for at, key in enumerate(pairs):
            if key < 0 or (key, "value") in changed:
                found.values[0, at] = np.nextafter(found.values[0, at], np.float32(np.inf))
            found.interpolation[at] = (found.interpolation[at] + ((key, "shape") in changed)) % 3
            for side in (0, 1) if found.handles is not None else ():
                found.handles[0, at, side] += found.frames[at] - written.frames[key], 0.0
                found.handles[0, at, side, 1] += 0.25 * ((key, side) in changed)
                if found.handles[0, at, side, 0] == found.frames[at] and seed % 2:  # Blender nudges what has no length
                    found.handles[0, at, side, 0] += 1e-3 * (2 * side - 1)
        written.source = np.arange(count) + 5 if seed % 2 else None
        match = fcurve_keys.match_keys(written, found, seed % 7 > 0)
        assert match.keys.tolist() == [key + 5 * (key >= 0) * (seed % 2) for key in pairs]
        assert match.same_time.tolist() == [key >= 0 and (not moved or written.frames[key] == 0) for key in pairs]
        assert match.same_value.tolist() == [key >= 0 and (key, "value") not in changed for key in pairs]
        sides: list[list[bool]] = [[key >= 0 for key in pairs], [key >= 0 for key in pairs]]
        for at, (one, other) in enumerate(pairwise(pairs)):
            for side, key, begin, place in ((1, one, one, at), (0, other, other - 1, at + 1)):
                shape = found.interpolation[at]
                same = key >= 0 and 0 <= begin < count - 1 and written.interpolation[begin] == shape
                whole = (one, other) == (begin, begin + 1)
                bent = shape == BEZIER and (moved or (key, side) in changed)
                sides[side][place] = bool(same and (shape == LINEAR or whole) and not bent)
        assert [match.same_left.tolist(), match.same_right.tolist()] == sides, (seed, pairs, changed)
        kept = pairs == list(range(count)) and not moved and all(map(all, sides)) and match.same_value.all()
        assert match.unchanged == (kept and seed % 7 > 0)
