"""Changes of axes: signed permutations, which move numbers and flip signs but never round.

A vector maps by the permutation, a rotation's axis as an axial vector: where the permutation changes handedness,
the axis is flipped once more (Unity's (x, y, z, w) becomes (w, -x, -z, -y) in Blender's order).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from . import Array

_UNITS = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}


@dataclass(frozen=True, eq=False)
class Axes:
    """A signed permutation of the three axes, as the matrix that takes the file's vectors to Blender's.

    Attributes:
        matrix: (3, 3) with one entry of +1 or -1 in each row and column.
        order: (3,) the file's component for each of Blender's.
        signs: (3,) +1.0 or -1.0 for each of Blender's components.
        determinant: -1.0 where handedness changes.
        rotation_order: (4,) the file's component for each of Blender's w, x, y, z, both counted in that order.
        rotation_signs: (4,) the sign for each of Blender's w, x, y, z.
    """

    matrix: Array
    order: Array = field(init=False)
    signs: Array = field(init=False)
    determinant: float = field(init=False)
    rotation_order: Array = field(init=False)
    rotation_signs: Array = field(init=False)

    def __post_init__(self) -> None:
        """Raise ValueError where the matrix is not a signed permutation."""
        matrix = np.array(self.matrix, dtype=np.float64).reshape(3, 3)
        pattern = np.abs(matrix)
        if not (np.isin(pattern, (0.0, 1.0)).all() and (pattern.sum(0) == 1).all() and (pattern.sum(1) == 1).all()):
            raise ValueError("a change of axes needs one +1 or -1 in each row and column")
        order = pattern.argmax(axis=1)
        signs = matrix[np.arange(3), order]
        inversions = sum(bool(order[a] > order[b]) for a, b in ((0, 1), (0, 2), (1, 2)))
        object.__setattr__(self, "matrix", matrix)
        object.__setattr__(self, "order", order)
        object.__setattr__(self, "signs", signs)
        determinant = float(signs.prod()) * (-1.0 if inversions % 2 else 1.0)
        object.__setattr__(self, "determinant", determinant)
        object.__setattr__(self, "rotation_order", np.concatenate(([0], order + 1)))
        object.__setattr__(self, "rotation_signs", np.concatenate(([1.0], signs * determinant)))

    @cached_property
    def inverse(self) -> Axes:
        """Return the change back."""
        return Axes(self.matrix.T)

    def positions(self, vectors: Array) -> Array:
        """Return vectors (3, ...) in the other axes; the dtype stays, and the array itself where nothing moves."""
        return _permute(vectors, self.order, self.signs)

    def rotations(self, quaternions: Array, *, w_last: bool = False) -> Array:
        """Return quaternions (4, ...), w first, in the other axes; the dtype stays.

        Args:
            w_last: the given ones are x, y, z, w.
        """
        order = (self.rotation_order + 3) % 4 if w_last else self.rotation_order
        return _permute(quaternions, order, self.rotation_signs)

    def scales(self, factors: Array) -> Array:
        """Return scale factors (3, ...) in the other axes."""
        return _permute(factors, self.order, np.ones(3))


def _permute(rows: Array, order: Array, signs: Array) -> Array:
    """Return rows (3 or 4, ...) in another order and with other signs; the array itself where nothing changes."""
    wanted = list(zip(order.tolist(), signs.tolist(), strict=True))
    if wanted == [(number, 1.0) for number in range(len(wanted))]:
        return rows
    moved = np.empty(rows.shape, rows.dtype)
    for number, (source, sign) in enumerate(wanted):
        # negation flips the sign bit only, so that the way back restores every bit, those of a NaN too
        moved[number] = -rows[source] if sign < 0 else rows[source]
    return moved


def _unit(name: str) -> Array:
    """Return the unit vector (3,) of an axis such as "X" or "-Z"."""
    sign = -1.0 if name.startswith("-") else 1.0
    return sign * np.array(_UNITS[name.removeprefix("-")])


def from_names(forward: str, up: str, *, left_handed: bool = False) -> Axes:
    """Return the change from a file's axes to Blender's, where Y is forward, Z is up and X is right.

    Args:
        forward, up: the file's axis that points there: "X", "Y", "Z", "-X", "-Y" or "-Z".
        left_handed: the file's right is the other way round, as in Unity and Resonite.

    Raises:
        KeyError: for another name. ValueError: where both lie on the same axis.
    """
    front, top = _unit(forward), _unit(up)
    right = np.cross(top, front) if left_handed else np.cross(front, top)
    return Axes(np.stack((right, front, top)))


UNITY = Axes(np.array([[1, 0, 0], [0, 0, 1], [0, 1, 0]]))
MIRROR_X = Axes(np.diag([-1, 1, 1]))
