"""Poses against matrices multiplied by numpy."""

from __future__ import annotations

import numpy as np
import plain
import pytest

from io_formats.clip import SCALE, Clip, Node, NodeKind, Track, pose
from io_formats.clip import quaternion as rotation
from io_formats.clip.whole_frames import of_unit_length

TIMES = np.linspace(-0.5, 2.5, 31)


def test_tracks_without_keys_move_nothing() -> None:
    clip = plain.clip(np.random.default_rng(3))
    before = pose.world_matrices(clip, TIMES)["c"]
    clip.tracks.append(Track("b", SCALE, np.zeros(0), np.zeros((3, 0)), np.zeros(0, np.uint8)))
    np.testing.assert_array_equal(pose.world_matrices(clip, TIMES)["c"], before)
    chains = pose.Chains(clip)  # which remember what they were asked for
    assert not np.allclose(chains.world("c", np.array([0.0, 0.5]))[1], chains.world("c", np.array([0.0, 0.9]))[1])


def test_decompose_tells_of_shear() -> None:
    sheared = np.eye(4)
    sheared[0, 1] = 1.0
    _, quaternion, _, shear = pose.decompose(sheared[None])
    assert shear[0] == pytest.approx(np.sqrt(0.5))
    near_flat = np.array([[1.0, -0.5, -0.5], [0.0, 0.87, -0.87], [4.5e-4] * 3])
    for axes in (near_flat, sheared[:3, :3]):
        assert np.abs(pose.told_axes(axes) - plain.turn_of(axes)).max() < 1e-12
    turned = pose.compose(np.zeros((3, 1)), quaternion, np.ones((3, 1)))[0]
    np.testing.assert_allclose(pose.told_axes(sheared[:3, :3] * [2.0, 3.0, 1.0]), pose.told_axes(sheared[:3, :3]))
    assert pose.is_elsewhere(turned, np.eye(4)) and np.abs(pose.tilt_of(turned) - np.eye(3)).max() < 1e-9
    assert pose.size_of(np.diag([2.0, 3, 36, 1])) == pytest.approx(6.0)


@pytest.mark.parametrize("flat", [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)])
@pytest.mark.parametrize("mirrored", [1.0, -1.0])
def test_what_is_flat_or_a_line_is_turned_as_it_is_seen(flat: tuple[int, ...], mirrored: float) -> None:
    """Quarter turns, where axes without length would take the place of others, and any turns."""
    rng = np.random.default_rng(6)
    half = np.sqrt(0.5)
    quarters = [[1, 0, 0, 0], [half, half, 0, 0], [half, 0, half, 0], [half, 0, 0, half], [0.5, 0.5, 0.5, 0.5]]
    turns = rotation.normalise(np.concatenate([np.transpose(quarters), rng.normal(size=(4, 9))], axis=1))
    scale = mirrored * np.tile([[2.0], [3.0], [4.0]], 14)
    scale[list(flat)] = 0.0
    matrices = pose.compose(rng.normal(size=(3, 14)), turns, scale)
    location, quaternion, size, shear = pose.decompose(matrices)
    np.testing.assert_allclose(pose.compose(location, quaternion, size), matrices, atol=1e-12)
    assert not shear.any()
    directionless = np.array([[0.0, np.inf, 1.0], [0.0, 1.0, np.nan], [0.0] * 3, [0.0] * 3])
    assert (rotation.normalise(directionless) == rotation.IDENTITY[:, None]).all()
    back = rotation.aimed(turns, np.array([0.6, 0.8, 0.0]), -(rotation.to_matrix(turns) @ [0.6, 0.8, 0.0]))
    assert rotation.to_matrix(back) @ [0.6, 0.8, 0.0] == pytest.approx(-rotation.to_matrix(turns) @ [0.6, 0.8, 0.0])
    assert (of_unit_length(directionless[:, :1]) == rotation.IDENTITY[:, None]).all()


def test_a_chain_of_thousands_is_followed_to_its_end() -> None:
    step = np.eye(4)
    step[2, 3] = 1.0
    nodes = [Node(f"n{number}", f"n{number - 1}" if number else None, step) for number in range(5000)]
    chains = pose.Chains(Clip("x", nodes=nodes))
    assert chains.world("n4999", TIMES)[0, 2, 3] == 5000
    assert chains.world("n10", TIMES)[0, 2, 3] == 11
    things = [
        Node("thing", kind=NodeKind.OBJECT),
        Node("rig", kind=NodeKind.OBJECT, under="thing"),
    ]  # on a vertex of it
    assert pose.carriers([*things, Node("bone", "rig")]) == {"rig", "thing", None}
