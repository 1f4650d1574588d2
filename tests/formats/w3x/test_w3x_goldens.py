"""Against the goldens: what the games show on every whole and half frame, world matrices composed here."""

from __future__ import annotations

from typing import Any

import numpy as np
from textbook import rotation


def matrices(places: Any, turns: Any) -> Any:
    """(..., 4, 4) of places (..., 3) and quaternions (..., 4) x, y, z, w of any length."""
    result = np.zeros((*places.shape[:-1], 4, 4))
    result[..., :3, :3] = rotation(turns)
    result[..., :3, 3], result[..., 3, 3] = places, 1
    return result


def test_numbers_are_the_files(golden: Any, shown: Any) -> None:
    clip, truth = golden.clip(), golden.truth
    whole = truth["frame"] == np.rint(truth["frame"])
    found, expected = shown(clip, truth["frame"].astype(float))[whole], truth["trs"][whole].astype(float)
    signs = np.where((found[..., 3:7] * expected[..., 3:7]).sum(-1, keepdims=True) < 0, -1, 1)
    size = max(1.0, float(np.abs(expected[..., :3]).max()))
    assert np.abs(found[..., :3] - expected[..., :3]).max() <= 1e-6 * size
    assert np.abs(found[..., 3:7] * signs - expected[..., 3:7]).max() <= 2e-6


def test_visibility_is_an_opacity_that_hides_below_a_tenth(golden: Any, shown: Any) -> None:
    clip, truth = golden.clip(), golden.truth
    found = shown(clip, truth["frame"].astype(float))[..., 7]
    assert np.abs(found - truth["trs"][..., 7]).max() <= 1e-6
    carried = [node.shown_by is not None for node in clip.nodes]
    assert np.array_equal((found < 0.1) & carried, truth["hidden"].astype(bool))


def test_names_and_parents(golden: Any) -> None:
    clip, truth = golden.clip(), golden.truth
    names = [str(name) for name in truth["names"]]
    assert [node.original for node in clip.nodes] == names
    assert [node.parent for node in clip.nodes] == [None if at < 0 else names[at] for at in truth["parents"]]
    assert clip.rate == float(truth["fps"])
    assert round(clip.duration * clip.rate) + 1 == int(truth["num_frames"])
