"""`curve.evaluate` against Blender's own F-Curves: the same keys, the same values, in every version."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from in_blender import add, bag_of

from io_formats.clip import Array, Handles, Interpolation, Track, Wrap, curve
from io_formats.clip.fcurve_keys import KeyBlock, from_keys, to_keys

bpy = pytest.importorskip("bpy")

CONSTANT, LINEAR, BEZIER = Interpolation.CONSTANT, Interpolation.LINEAR, Interpolation.BEZIER
# Measured in 4.2 to 5.2: Blender computes in float32, worst where handles overlap
SEGMENT_ERROR = 1.6e-5
MODES = {Wrap.HOLD: "NONE", Wrap.REPEAT: "REPEAT", Wrap.MIRROR: "MIRROR"}


def written(block: KeyBlock, before: Wrap = Wrap.HOLD, after: Wrap = Wrap.HOLD) -> Any:
    """The F-Curve of a one-component block."""
    fcurve = bag_of(add("Curved")).fcurves.new("location", index=0)
    count = len(block.frames)
    points = fcurve.keyframe_points
    points.add(count)
    points.foreach_set("co", np.stack((block.frames, block.values[0]), axis=1).ravel())
    points.foreach_set("interpolation", np.ascontiguousarray(block.interpolation))
    if block.handles is not None:
        for side, name in enumerate(("left", "right")):
            points.foreach_set(f"handle_{name}", np.ascontiguousarray(block.handles[0, :, side]).ravel())
            points.foreach_set(f"handle_{name}_type", np.zeros(count, dtype=np.uint8))
    if (before, after) != (Wrap.HOLD, Wrap.HOLD):
        cycles = fcurve.modifiers.new("CYCLES")
        cycles.mode_before, cycles.mode_after = MODES[before], MODES[after]
    return fcurve


def random_track(seed: int, reach: float, shapes: tuple[int, ...], count: int = 25) -> Track:
    """Keys within a thousand frames, handles up to `reach` of their segment long."""
    rng = np.random.default_rng(seed)
    times = np.cumsum(rng.uniform(0.2, 1.2, count))
    gaps = np.diff(times)
    handle_times = np.zeros((count, 2))
    handle_times[:-1, 1] = gaps * rng.uniform(0, reach, count - 1)
    handle_times[1:, 0] = -gaps * rng.uniform(0, reach, count - 1)
    slopes = rng.uniform(-4, 4, (1, count, 2))
    interpolation = rng.choice(shapes, count).astype(np.uint8)
    handles = Handles(handle_times, slopes * handle_times)
    return Track("n", "p", times, rng.normal(size=(1, count)) * 3, interpolation, handles=handles)


def queries(frames: Array, margin: float) -> Array:
    """float32 frames between the keys and beyond; further than 1e-4 frame from a key, where Blender snaps to it."""
    wanted = np.linspace(float(frames[0]) - margin, float(frames[-1]) + margin, 2503).astype(np.float32)
    near = np.abs(wanted[:, None].astype(np.float64) - frames[None]).min(axis=1) < 1e-3
    return wanted[~near]


def errors(block: KeyBlock, before: Wrap = Wrap.HOLD, after: Wrap = Wrap.HOLD, margin: float = 20.0) -> Array:
    """Differences to Blender, as parts of the largest value."""
    fcurve = written(block, before, after)
    track = Track("n", "p", **from_keys(block, 1.0), before=before, after=after)
    at = queries(block.frames, margin)
    if before is not Wrap.HOLD or after is not Wrap.HOLD:
        at = away_from_joins(at, block.frames)
    found = np.array([fcurve.evaluate(float(frame)) for frame in at])
    size = max(float(np.abs(block.values).max()), float(np.ptp(block.values)))
    result: Array = np.abs(found - curve.evaluate(track, at.astype(np.float64))[0]) / size
    return result


def away_from_joins(at: Array, frames: Array) -> Array:
    """Where a loop begins anew, the value jumps; Blender's float32 may be on the other side."""
    start, length = float(frames[0]), float(frames[-1]) - float(frames[0])
    inside = np.mod(at.astype(np.float64) - start, length)
    twice = np.mod(at.astype(np.float64) - start, 2 * length)
    folded = np.where(twice > length, 2 * length - twice, twice)
    keys = frames.astype(np.float64) - start
    far = (inside > 1e-2) & (inside < length - 1e-2)
    for one in (inside, folded):
        far &= np.abs(one[:, None] - keys[None]).min(axis=1) > 1e-2
    return at[far]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("reach", [0.5, 0.95])
def test_bezier(seed: int, reach: float) -> None:
    assert errors(to_keys(random_track(seed, reach, (BEZIER,)), 30)).max() < SEGMENT_ERROR


def test_handles_beyond_their_segment_are_cut() -> None:
    """Slope kept, as Unity's clamped weights."""
    track = random_track(9, 0.5, (BEZIER,), 12)
    assert track.handles is not None
    track.handles.times[:] *= 3
    track.handles.values[:] *= 3
    assert (np.abs(track.handles.times[1:, 0]) > np.diff(track.times)).any()
    assert errors(to_keys(track, 30)).max() < 5e-5


def test_no_length_and_upright_handles() -> None:
    track = random_track(10, 0.5, (BEZIER,), 12)
    assert track.handles is not None
    track.handles.times[::2] = 0
    track.handles.values[:, ::4] = 0
    assert errors(to_keys(track, 30)).max() < 5e-5


def test_a_handle_on_frame_zero_that_rounding_leaves_just_beside_it() -> None:
    """Blender would play the segment as a step."""
    times = np.array([0.15, 0.175])
    third = np.diff(times)[0] / 3
    handles = Handles(np.array([[0, third], [-third, 0]]), np.zeros((1, 2, 2)))
    track = Track("n", "p", times, np.array([[0.0, 1.0]]), np.full(2, BEZIER, np.uint8), handles=handles)
    assert errors(to_keys(track, 30, -5.0)).max() < SEGMENT_ERROR


@pytest.mark.parametrize("more", [(left, right) for left in range(3) for right in range(3)])
@pytest.mark.parametrize(("many", "at"), [(2, 10), (2, -5010), (3, 10)])
def test_equal_times_are_a_step(more: tuple[int, int], many: int, at: int) -> None:
    """Of keys on one frame Blender shows any, as other keys are before and behind; of a file's the last."""
    frames = np.float32([*range(-more[0], 1), *[10] * many, *range(20, 21 + more[1])]) + (at - 10)
    values = np.float32([[*range(-more[0], 1), *range(6 - many, 6), *range(6, 7 + more[1])]])
    shapes = np.full(len(frames), LINEAR, np.uint8)
    block, from_file = KeyBlock(frames, values, shapes), Track("n", "p", frames.astype(np.float64), values, shapes)
    assert at < 0 or errors(block).max() < SEGMENT_ERROR
    for keys, shown in ((block, written(block).evaluate(at)), (to_keys(from_file, 1.0), 5)):
        track = Track("n", "p", **from_keys(keys, 1.0))
        found = [written(each).evaluate(at) for each in (keys, to_keys(track, 1.0))]
        assert [*found, curve.evaluate(track, np.array([float(at)]))[0, 0]] == [shown] * 3


@pytest.mark.parametrize("before", list(Wrap))
@pytest.mark.parametrize("after", list(Wrap))
def test_wraps(before: Wrap, after: Wrap) -> None:
    """Three turns to each side; a turn costs Blender some float32, so a little more than inside."""
    block = to_keys(random_track(11, 0.5, (CONSTANT, LINEAR, BEZIER), 8), 24)
    margin = 3.3 * float(block.frames[-1] - block.frames[0])
    assert errors(block, before, after, margin).max() < 5e-5
