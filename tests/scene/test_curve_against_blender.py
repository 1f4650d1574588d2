"""Curves against Blender's own F-Curves: the same keys, the same values, in every version."""

from __future__ import annotations

from typing import Any

import numpy as np
import plain
import pytest
from in_blender import add, bag_of

from io_formats.clip import Handles, Interpolation, Track, Wrap, curve
from io_formats.clip.fcurve_keys import KeyBlock, from_keys, to_keys

bpy = pytest.importorskip("bpy")

LINEAR, BEZIER = Interpolation.LINEAR, Interpolation.BEZIER
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


def test_drawn_curves_play_as_in_blender() -> None:
    """Which computes in float32; and so does the loop over plain numbers that stands for it elsewhere."""
    for seed in range(120):
        rng = np.random.default_rng(seed)
        track = plain.track(rng, "a", "location", 1, wraps=0.5)
        fcurve, start = written(to_keys(track, 16.0, seed % 3), track.before, track.after), seed % 3
        for frame in rng.integers(-40, 60, 20) + rng.uniform(0.1, 0.9, 20):  # away from keys, which are on whole ones
            at = float(np.float32(frame + start) - start) / 16.0
            found, near = fcurve.evaluate(frame + start), [plain.value(track, at + by)[0] for by in (-2e-5, 0.0, 2e-5)]
            off = abs(found - near[1]), abs(found - curve.evaluate(track, np.array([at]), ends=True)[0, 0])
            assert max(off) < 1e-4 + np.ptp(near), (seed, frame)  # a little steeper, it may be a little later


def test_a_handle_on_frame_zero_that_rounding_leaves_just_beside_it() -> None:
    """Blender would play the segment as a step."""
    handles = Handles(np.array([[0, 0.025], [-0.025, 0]]) / 3, np.zeros((1, 2, 2)))
    times, shapes = np.array([0.15, 0.175]), np.full(2, BEZIER, np.uint8)
    track = Track("n", "p", times, np.array([[0.0, 1.0]]), shapes, handles=handles)
    found = written(to_keys(track, 30, -5.0)).evaluate(-0.2)
    assert found == pytest.approx(plain.value(track, 0.16)[0], abs=1e-5)


@pytest.mark.parametrize("more", [(left, right) for left in range(3) for right in range(3)])
@pytest.mark.parametrize(("many", "at"), [(2, 10), (2, -5010), (3, 10)])
def test_equal_times_are_a_step(more: tuple[int, int], many: int, at: int) -> None:
    """Of keys on one frame Blender shows any, as other keys are before and behind; of a file's the last."""
    frames = np.float32([*range(-more[0], 1), *[10] * many, *range(20, 21 + more[1])]) + (at - 10)
    values = np.float32([[*range(-more[0], 1), *range(6 - many, 6), *range(6, 7 + more[1])]])
    shapes = np.full(len(frames), LINEAR, np.uint8)
    block, from_file = KeyBlock(frames, values, shapes), Track("n", "p", frames.astype(np.float64), values, shapes)
    for keys, shown in ((block, written(block).evaluate(at)), (to_keys(from_file, 1.0), 5)):
        track = Track("n", "p", **from_keys(keys, 1.0))
        found = [written(each).evaluate(at) for each in (keys, to_keys(track, 1.0))]
        assert [*found, curve.evaluate(track, np.array([float(at)]))[0, 0]] == [shown] * 3
