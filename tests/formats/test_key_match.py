"""Which keys are whose after edits such as a person makes in the Graph Editor."""

from __future__ import annotations

from typing import Any

import numpy as np

from io_formats.clip import Handles, Interpolation, KeyMatch, Track
from io_formats.clip.fcurve_keys import KeyBlock, match_keys, to_keys

CONSTANT, LINEAR, BEZIER = Interpolation.CONSTANT, Interpolation.LINEAR, Interpolation.BEZIER


def block(frames: Any, values: Any, shapes: Any = LINEAR) -> KeyBlock:
    times = np.asarray(frames, dtype=np.float32)
    interpolation = np.broadcast_to(np.asarray(shapes, dtype=np.uint8), times.shape).copy()
    return KeyBlock(times, np.atleast_2d(np.asarray(values, dtype=np.float32)), interpolation)


def curved() -> KeyBlock:
    """Four BEZIER keys ten frames apart with a different slope and handle length at each."""
    rng = np.random.default_rng(4)
    reach = np.stack((-rng.uniform(1, 9, 4), rng.uniform(1, 9, 4)), axis=1)
    heights, values = rng.normal(size=(1, 4, 2)), rng.normal(size=(1, 4)).astype(np.float32)
    return to_keys(Track.sampled("n", "p", np.arange(4) * 10.0, values, BEZIER, handles=Handles(reach, heights)), 1.0)


def chosen(keys: KeyBlock, at: Any) -> KeyBlock:
    handles = None if keys.handles is None else keys.handles[:, at].copy()
    return KeyBlock(keys.frames[at].copy(), keys.values[:, at].copy(), keys.interpolation[at].copy(), handles)


def match(written: KeyBlock, found: KeyBlock) -> KeyMatch:
    result = match_keys(written, found, True)
    used = result.keys[result.keys >= 0]
    assert len(np.unique(used)) == len(used)
    return result


def flags(result: KeyMatch) -> list[str]:
    """What stayed of each key: t(ime), v(alue), l(eft), r(ight)."""
    columns = (result.same_time, result.same_value, result.same_left, result.same_right)
    return [
        "".join(letter for letter, same in zip("tvlr", row, strict=True) if same) for row in zip(*columns, strict=True)
    ]


def test_handles_that_shape_nothing_do_not_count() -> None:
    written = curved()
    written.interpolation[:] = [BEZIER, LINEAR, CONSTANT, BEZIER]
    found = chosen(written, slice(None))
    assert found.handles is not None
    for key, side in ((0, 0), (1, 1), (2, 0), (2, 1), (3, 0), (3, 1)):
        found.handles[0, key, side] += 5
    assert match(written, found).unchanged and flags(KeyMatch.whole(2)) == ["tvlr"] * 2
    assert not match(written, chosen(written, slice(3))).unchanged
    found.handles[0, 1, 0] += 0.5
    result = match(written, found)
    assert not result.unchanged
    assert flags(result) == ["tvlr", "tvr", "tvlr", "tvlr"]
    high, found = curved(), curved()  # which float32 rounds otherwise below 2 ** 17 than above
    for each, lift in ((high, 2**17 - 8), (found, 2**17 - 8 + 16 * (np.arange(4) == 1))):
        assert each.handles is not None
        each.values[:], each.handles[..., 1] = each.values + lift, each.handles[..., 1] + np.reshape(lift, (-1, 1))
    assert flags(match(high, found)) == ["tvlr", "tlr", "tvlr", "tvlr"]
    far = block(5000 + np.spacing(np.float32(5000)) * np.arange(1, 3), [0, 1])  # two at one time, as Blender keeps them
    assert match(far, far).unchanged
    assert match(block([-100, 0], [0, 1]), block([-100, 5e-6], [0, 1])).unchanged, "as a change of rate leaves them"
    # a key that is put into a line leaves both its ends what they are, one in a step does not
    for shape, ends in ((LINEAR, ["tvlr", "", "tvlr"]), (CONSTANT, ["tvl", "", "tvr"])):
        assert flags(match(block([0, 10], [0, 4], shape), block([0, 5, 10], [0, 2, 4], shape))) == ends
