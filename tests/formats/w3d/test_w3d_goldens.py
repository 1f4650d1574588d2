"""Against the engine: values that its own published code decodes from each golden, and world matrices composed here."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import textbook

from io_formats.clip import quaternion as rotation

TO_W_FIRST = [6, 3, 4, 5]


def names_of(truth: Any) -> list[str]:
    return [str(name) for name in truth["names"]]


def composed(base: Any, parents: Any, location: Any, quaternion: Any) -> Any:
    """World (frames, pivots, 4, 4): world[parent] T(base) R(base) T(anim) R(anim), each quaternion normalised."""
    frames, pivots = location.shape[:2]
    delta = np.zeros((frames, pivots, 4, 4))
    delta[..., :3, :3] = textbook.rotation(np.roll(quaternion, -1, axis=-1))
    delta[..., :3, 3], delta[..., 3, 3] = location, 1
    world = np.zeros_like(delta)
    for pivot, parent in enumerate(parents):
        if parent < 0:
            world[:, pivot] = np.eye(4)
        else:
            world[:, pivot] = world[:, parent] @ base[pivot] @ delta[:, pivot]
    return world


def relative_bases(truth: Any) -> Any:
    base_world = np.tile(np.eye(4), (len(truth["parents"]), 1, 1))
    base_world[:, :3] = truth["base_world"].reshape(-1, 3, 4)
    return np.array(
        [
            np.linalg.inv(base_world[parent]) @ base_world[pivot] if parent >= 0 else np.eye(4)
            for pivot, parent in enumerate(truth["parents"])
        ]
    )


def shown_arrays(golden: Any, show: Any) -> tuple[Any, Any, Any]:
    """Location (frames, pivots, 3), rotation (frames, pivots, 4) w first, visibility (frames, pivots)."""
    truth, clip = golden.truth, golden.clip()
    shown = show(clip, truth["frame"].astype(float), clip.rate)
    names = [node.name for node in clip.nodes]
    location = np.array([shown[name, "location"] for name in names]).transpose(2, 0, 1)
    turned = np.array([shown[name, "rotation_quaternion"] for name in names]).transpose(2, 0, 1)
    seen = np.array([shown[name, "visibility"][0] for name in names]).T
    return location, turned, seen


def test_numbers_on_whole_frames_are_the_engines(golden: Any, show: Any) -> None:
    truth = golden.truth
    whole = truth["frame"] == np.rint(truth["frame"])
    location, turned, _ = shown_arrays(golden, show)
    expected = truth["trs"].astype(float)[whole]
    size = max(1.0, float(np.abs(expected[..., :3]).max()))
    assert np.abs(location[whole] - expected[..., :3]).max() <= 1e-6 * size
    signs = np.sign((turned[whole] * expected[..., TO_W_FIRST]).sum(-1, keepdims=True))
    if golden.name.startswith("b"):  # those tables hold unit quaternions
        turned = turned / np.linalg.norm(turned, axis=-1, keepdims=True)
    if "tc" not in golden.name and not golden.name.startswith("h03"):
        assert np.abs(turned[whole] * signs - expected[..., TO_W_FIRST]).max() <= 1e-5


def test_rotations_are_the_engines_between_frames_too(golden: Any, show: Any, turn: Any) -> None:
    truth = golden.truth
    whole = truth["frame"] == np.rint(truth["frame"])
    location, turned, _ = shown_arrays(golden, show)
    miss = turn(turned.transpose(2, 0, 1), truth["trs"].astype(float)[..., TO_W_FIRST].transpose(2, 0, 1))
    assert miss[whole].max() <= 0.01
    assert miss.max() <= 0.06
    size = max(1.0, float(np.abs(truth["trs"][..., :3]).max()))
    assert np.abs(location - truth["trs"][..., :3]).max() <= 1e-6 * size


def test_visibility_is_the_engines(golden: Any, show: Any) -> None:
    """b01's table leaves its 0x283 channel out, which hides pivot 1 from frame 12 on."""
    truth = golden.truth
    expected = truth["trs"][..., 7].copy()
    if golden.name == "b01_motion_tc":
        expected[truth["frame"] >= 12, 1] = 0
    assert np.array_equal(shown_arrays(golden, show)[2], expected)


def test_fade_is_what_the_file_says(by_name: Any, show: Any) -> None:
    truth, clip = by_name["b01_motion_tc"].truth, by_name["b01_motion_tc"].clip()
    shown = show(clip, truth["frame"].astype(float), clip.rate)
    for pivot, name in enumerate(node.name for node in clip.nodes):
        assert np.abs(shown[name, "fade"][0] - truth["trs"][:, pivot, 8]).max() <= 1e-6


def test_the_rest_pose_is_the_engines_base_pose(golden: Any) -> None:
    truth = golden.truth
    if "base_world" not in truth:
        pytest.skip("no base pose in this golden")
    clip = golden.clip()
    assert [node.name for node in clip.nodes] == names_of(truth)
    expected = relative_bases(truth)
    for node, base in zip(clip.nodes, expected, strict=True):
        assert np.abs(node.rest - base).max() <= 1e-5


def test_world_matrices_compose_to_the_engines_own(golden: Any, show: Any) -> None:
    """Where the file's quaternions are of unit length; elsewhere the engine stretches, which Blender cannot."""
    truth = golden.truth
    if "world" not in truth or truth["world"].size == 0:
        pytest.skip("no world matrices in this golden")
    location, turned, _ = shown_arrays(golden, show)
    bases = np.array([node.rest for node in golden.clip().nodes])
    found = composed(bases, truth["parents"], location, turned)
    norms = np.linalg.norm(truth["trs"][..., 3:7].astype(float), axis=-1)
    steady = (np.abs(norms - 1) <= 1e-5).all(axis=1)
    whole = truth["frame"] == np.rint(truth["frame"])
    expected = truth["world"].reshape(*truth["world"].shape[:2], 3, 4)
    size = max(1.0, float(np.abs(expected[..., 3]).max()))
    miss = np.abs(found[..., :3, :] - expected)
    if not (steady & whole).any():
        pytest.skip("every frame has a quaternion off unit length")
    assert miss[steady & whole][..., 3].max() <= 5e-5 * size
    assert miss[steady & whole][..., :3].max() <= 2e-4


def test_rest_rotations_are_normalised_as_blender_needs_them(golden: Any) -> None:
    for node in golden.clip().nodes:
        assert np.abs(node.rest[:3, :3] @ node.rest[:3, :3].T - np.eye(3)).max() <= 1e-12


def test_the_reference_rotation_agrees_with_the_projects() -> None:
    """The two ways to a matrix were written apart from each other."""
    quaternion = np.array([[0.3, -0.5, 0.7, 0.2]]).T
    world = composed(np.tile(np.eye(4), (2, 1, 1)), [-1, 0], np.zeros((1, 2, 3)), np.tile(quaternion.T, (1, 2, 1)))
    assert np.abs(world[0, 1, :3, :3] - rotation.to_matrix(quaternion)[0]).max() <= 1e-12
