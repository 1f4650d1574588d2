"""Changes of axes against matrix conjugation and against the formats' own statements."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest

from io_formats.clip import quaternion
from io_formats.clip.quaternion import Axes

ALL = [
    np.eye(3)[list(order)] * np.array(signs)[:, None]
    for order in permutations(range(3))
    for signs in product((1, -1), repeat=3)
]


def test_unity_and_mirror_are_what_the_formats_say() -> None:
    vectors, quaternions = np.array([[1.0], [2.0], [3.0]]), np.array([[4.0], [1.0], [2.0], [3.0]])
    assert quaternion.UNITY.positions(vectors).ravel().tolist() == [1, 3, 2]
    assert quaternion.UNITY.rotations(quaternions).ravel().tolist() == [4, -1, -3, -2]
    assert quaternion.MIRROR_X.positions(vectors).ravel().tolist() == [-1, 2, 3]
    assert quaternion.MIRROR_X.rotations(quaternions).ravel().tolist() == [4, 1, -2, -3]


@pytest.mark.parametrize("matrix", ALL)
def test_rotations_map_like_their_matrices(matrix: np.ndarray) -> None:
    changed = Axes(matrix)
    quaternions = quaternion.normalise(np.random.default_rng(1).normal(size=(4, 20)))
    expected = matrix @ quaternion.to_matrix(quaternions) @ matrix.T
    np.testing.assert_allclose(quaternion.to_matrix(changed.rotations(quaternions)), expected, atol=1e-14)
    assert changed.determinant == pytest.approx(np.linalg.det(matrix))


@pytest.mark.parametrize("matrix", ALL)
def test_positions_and_scales(matrix: np.ndarray) -> None:
    changed = Axes(matrix)
    vectors = np.random.default_rng(2).normal(size=(3, 7))
    np.testing.assert_array_equal(changed.positions(vectors), matrix @ vectors)
    np.testing.assert_array_equal(changed.scales(vectors), np.abs(matrix) @ vectors)


@pytest.mark.parametrize("matrix", ALL)
def test_the_way_back_restores_every_bit(matrix: np.ndarray) -> None:
    changed = Axes(matrix)
    words = np.random.default_rng(3).integers(0, 2**32, size=(4, 500), dtype=np.uint32)
    numbers = words.view(np.float32)
    assert changed.inverse.rotations(changed.rotations(numbers)).tobytes() == numbers.tobytes()
    assert changed.inverse.positions(changed.positions(numbers[:3])).tobytes() == numbers[:3].tobytes()
    assert changed.rotations(numbers).dtype == np.float32


def test_from_names() -> None:
    np.testing.assert_array_equal(quaternion.from_names("Y", "Z").matrix, np.eye(3))
    np.testing.assert_array_equal(quaternion.from_names("Z", "Y", left_handed=True).matrix, quaternion.UNITY.matrix)
    # glTF: Y up, looking along -Z; x stays, y becomes z, -z becomes y
    gltf = quaternion.from_names("-Z", "Y").positions(np.array([1.0, 2.0, 3.0]))
    assert gltf.tolist() == [1, -3, 2]


@pytest.mark.parametrize("matrix", [np.zeros((3, 3)), np.ones((3, 3)), np.eye(3) * 2, np.diag([1, 1, np.nan])])
def test_other_matrices_are_refused(matrix: np.ndarray) -> None:
    with pytest.raises(ValueError, match="one \\+1 or -1"):
        Axes(matrix)


def test_names_on_one_axis_are_refused() -> None:
    with pytest.raises(ValueError, match="one \\+1 or -1"):
        quaternion.from_names("Z", "-Z")
