"""Quaternions against rotation matrices and closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from io_formats.clip import quaternion


def random_quaternions(count: int, seed: int = 0) -> np.ndarray:
    q = np.random.default_rng(seed).normal(size=(4, count))
    return q / np.sqrt((q * q).sum(axis=0))


def rodrigues(axis: tuple[float, float, float], angle: float) -> np.ndarray:
    """I + sin K + (1 - cos) K K."""
    x, y, z = np.array(axis) / np.linalg.norm(axis)
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * k @ k


def about(axis: tuple[float, float, float], angle: float) -> np.ndarray:
    unit = np.array(axis) / np.linalg.norm(axis)
    return np.concatenate(([math.cos(angle / 2)], math.sin(angle / 2) * unit))[:, None]


@given(st.floats(-1, 1), st.floats(-1, 1), st.floats(0.1, 1), st.floats(-6, 6))
def test_matrix_by_rodrigues(x: float, y: float, z: float, angle: float) -> None:
    np.testing.assert_allclose(
        quaternion.to_matrix(about((x, y, z), angle))[0], rodrigues((x, y, z), angle), rtol=0, atol=1e-14
    )


def test_products_are_products_of_matrices() -> None:
    a, b = random_quaternions(50, 1), random_quaternions(50, 2)
    expected = quaternion.to_matrix(a) @ quaternion.to_matrix(b)
    np.testing.assert_allclose(quaternion.to_matrix(quaternion.multiply(a, b)), expected, atol=1e-14)
    identity = quaternion.multiply(a, quaternion.conjugate(a))
    np.testing.assert_allclose(identity, np.repeat([[1.0], [0], [0], [0]], 50, axis=1), atol=1e-15)


def test_from_matrix_finds_the_quaternion() -> None:
    q = random_quaternions(2000, 5)
    special = np.array(
        [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0.6, 0.8, 0], [0.5, -0.5, 0.5, -0.5]]
    ).T
    q = np.concatenate((q, special), axis=1)
    found = quaternion.from_matrix(quaternion.to_matrix(q))
    assert (found[0] >= 0).all()
    np.testing.assert_allclose(np.abs((found * q).sum(axis=0)), 1, atol=1e-14)
    np.testing.assert_allclose(found * np.sign((found * q).sum(axis=0)), q, atol=1e-14)


def test_any_length_is_the_same_rotation() -> None:
    q = random_quaternions(5, 6)
    for factor in (1e-200, 1e-3, -7.0, 1e200):
        np.testing.assert_allclose(quaternion.to_matrix(q * factor), quaternion.to_matrix(q), atol=1e-14)


def test_no_direction_is_no_rotation() -> None:
    q = np.array([[0, math.nan, math.inf], [0, 1, 0], [0, 0, 0], [0, 0, 0.0]])
    np.testing.assert_array_equal(quaternion.normalise(q), np.repeat([[1.0], [0], [0], [0]], 3, axis=1))
    np.testing.assert_array_equal(quaternion.normalise(np.zeros(4)), [1, 0, 0, 0])


def test_align_signs_undoes_flips() -> None:
    angles = np.linspace(0, 20, 500)
    smooth = np.stack([np.cos(angles / 2), np.sin(angles / 2), 0 * angles, 0 * angles])
    flips = np.random.default_rng(7).choice([-1.0, 1.0], 500)
    flips[0] = 1
    np.testing.assert_array_equal(quaternion.align_signs(smooth * flips), flips)
    assert quaternion.align_signs(np.zeros((4, 0))).shape == (0,)
    assert quaternion.align_signs(np.zeros((4, 3))).tolist() == [1, 1, 1]


@pytest.mark.parametrize("degrees", [0, 1e-7, 1e-3, 1, 90, 179, 180])
def test_angle_and_distance(degrees: float) -> None:
    turn = math.radians(degrees)
    base = random_quaternions(1, 8)
    other = -quaternion.multiply(base, about((1, 2, 3), turn))
    assert quaternion.angle(base, other)[0] == pytest.approx(turn, abs=1e-15, rel=1e-12)
    assert quaternion.distance(base, other)[0] == pytest.approx(4 * math.sin(turn / 4), abs=1e-15, rel=1e-7)
