"""Quaternions as arrays (4, n) in w, x, y, z order; + - * / and sqrt only, except in `angle_of` and `great_arc`.

Matrix products are written out: numpy's matmul differs in the last bits between its versions.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from . import Array

IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])
IDENTITY.flags.writeable = False


def multiply(a: Array, b: Array) -> Array:
    """Return a * b, the rotation b and then a; shapes (4, ...) that broadcast."""
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    w = aw * bw - ax * bx - ay * by - az * bz
    x = aw * bx + ax * bw + ay * bz - az * by
    y = aw * by - ax * bz + ay * bw + az * bx
    z = aw * bz + ax * by - ay * bx + az * bw
    return np.stack((w, x, y, z))


def unit(vectors: Array) -> Array:
    """Return vectors (..., 3) of length 1; zero stays zero."""
    length = np.sqrt((vectors * vectors).sum(axis=-1, keepdims=True))
    return np.where(length > 1e-12, vectors / np.where(length > 1e-12, length, 1.0), 0.0)


def conjugate(q: Array) -> Array:
    """Return the rotation back, for unit quaternions (4, ...)."""
    return np.concatenate((q[:1], -q[1:]))


def turned(q: Array, vectors: Array) -> Array:
    """Return vectors (3, n) turned by unit quaternions (4, n)."""
    return multiply(multiply(q, np.concatenate([np.zeros_like(vectors[:1]), vectors])), conjugate(q))[1:]


def dot(a: Array, b: Array) -> Array:
    """Return the sum of the products of the components, (4, ...) -> (...)."""
    products = a * b
    result: Array = products[0] + products[1] + products[2] + products[3]
    return result


def normalise(q: Array) -> Array:
    """Return unit quaternions (4, ...) float64; the identity where there is no direction (zero or not finite)."""
    wide: Array = np.asarray(q, dtype=np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        squares = dot(wide, wide)
    if squares.size and squares.min() > 0.25 and squares.max() < 4.0:
        return wide / np.sqrt(squares)
    with np.errstate(invalid="ignore", over="ignore"):
        largest = np.abs(wide).max(axis=0)
    usable = np.isfinite(largest) & (largest > 0)
    # by the largest component first: squares of tiny or huge numbers would leave the range
    scaled = wide / np.where(usable, largest, 1.0)
    length = np.sqrt(np.where(usable, dot(scaled, scaled), 1.0))
    identity = IDENTITY.reshape(4, *([1] * (wide.ndim - 1)))
    return np.where(usable, scaled / length, identity)


def align_signs(q: Array) -> Array:
    """Return (..., n) factors +1.0 or -1.0 that make quaternions (4, ..., n) follow each other on the short way."""
    signs = np.ones(q.shape[1:])
    if q.shape[-1] > 1 and not surely_aligned(q):
        wide = q.astype(np.float64, copy=False)
        signs[..., 1:] = np.where(dot(wide[..., 1:], wide[..., :-1]) < 0, -1.0, 1.0)
    return np.cumprod(signs, axis=-1)


def surely_aligned(q: Array) -> bool:
    """Tell whether float32 quaternions (4, ..., n) of about unit length are so close that rounding does not matter.

    Quicker than `align_signs`, which then gives 1.0 for all.
    """
    if q.dtype != np.float32 or q.size == 0 or q.shape[-1] < 2 or not max(q.max(), -q.min()) < 2.0:
        return False
    return bool(dot(q[..., 1:], q[..., :-1]).min() > 0.5)


def to_matrix(q: Array) -> Array:
    """Return rotation matrices (n, 3, 3) of quaternions (4, n) of any length, as Blender takes them."""
    w, x, y, z = normalise(q)
    rows = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def from_matrix(matrices: Array) -> Array:
    """Return unit quaternions (4, n), w >= 0, of rotation matrices (n, 3, 3).

    Of the four ways to read a quaternion from a matrix, the one with the largest divisor is taken for each.
    """
    m = np.asarray(matrices, dtype=np.float64)
    xx, yy, zz = m[:, 0, 0], m[:, 1, 1], m[:, 2, 2]
    x_w, y_w, z_w = m[:, 2, 1] - m[:, 1, 2], m[:, 0, 2] - m[:, 2, 0], m[:, 1, 0] - m[:, 0, 1]
    x_y, x_z, y_z = m[:, 0, 1] + m[:, 1, 0], m[:, 0, 2] + m[:, 2, 0], m[:, 1, 2] + m[:, 2, 1]
    # the columns are 4 q q_k for k = w, x, y, z
    ways = np.array(
        [
            [1 + xx + yy + zz, x_w, y_w, z_w],
            [x_w, 1 + xx - yy - zz, x_y, x_z],
            [y_w, x_y, 1 - xx + yy - zz, y_z],
            [z_w, x_z, y_z, 1 - xx - yy + zz],
        ]
    )
    q = normalise(ways[:, np.argmax(ways[range(4), range(4)], axis=0), np.arange(len(m))])
    return np.where(q[0] < 0, -q, q)


def distance(a: Array, b: Array) -> Array:
    """Return how far apart rotations (4, n) are, in radians: four times the sine of a quarter of the angle.

    Needs no inverse function, so that it is the same in every numpy. It falls short of the angle by a part in
    96 / angle squared: by nothing that counts for small angles, by a tenth at half a turn.
    """
    first, second = normalise(a), normalise(b)
    along = dot(first, second)
    if along.size and along.min() < 0:
        second = second * np.where(along < 0, -1.0, 1.0)
    step = first - second
    return 2 * np.sqrt(dot(step, step))


def angle_of(apart: float) -> float:
    """Return the angle in radians, 0 .. pi, of rotations whose `distance` that is."""
    return 4.0 * math.asin(min(apart / 4.0, 1.0))


def great_arc(start: Array, end: Array, part: Array | float) -> Array:
    """Return quaternions (4, n) at parts (n,) of the way from start to end (4, n), along the shorter great arc.

    They are not normalised: W3D's engines are as long between two keys as these are.
    """
    dots = (start * end).sum(axis=0)
    end = np.where(dots < 0, -end, end)
    angle = np.arccos(np.minimum(np.abs(dots), 1.0))
    # nearly equal quaternions are interpolated linearly: the sine would divide by zero
    sine = np.sin(angle)
    near = sine < 1e-6
    safe = np.where(near, 1.0, sine)
    first, second = (np.where(near, own, np.sin(own * angle) / safe) for own in (1 - part, part))
    result: Array = first * start + second * end
    return result


def short_line(start: Array, end: Array, part: Array | float) -> Array:
    """Return quaternions (4, n) on the straight line, of the two signs of `end` to the nearer, not normalised."""
    return start + (np.where(dot(start, end) < 0, -end, end) - start) * part


# Changes of axes: signed permutations, which move numbers and flip signs but never round.
#
# A vector maps by the permutation, a rotation's axis as an axial vector: where the permutation changes handedness, the
# axis is flipped once more (Unity's (x, y, z, w) becomes (w, -x, -z, -y) in Blender's order).


class Axes:
    """A signed permutation of the three axes, as the matrix that takes the file's vectors to Blender's.

    Attributes:
        matrix: (3, 3) with one entry of +1 or -1 in each row and column.
        order: (3,) the file's component for each of Blender's.
        signs: (3,) +1.0 or -1.0 for each of Blender's components.
        rotation_order: (4,) the file's component for each of Blender's w, x, y, z, both counted in that order.
        rotation_signs: (4,) the sign for each of Blender's w, x, y, z.
    """

    def __init__(self, matrix: Array) -> None:
        pattern = np.abs(matrix)
        self.matrix = np.array(matrix, dtype=np.float64)
        self.order = pattern.argmax(axis=1)
        self.signs = self.matrix[np.arange(3), self.order]
        self.rotation_order = np.append(0, self.order + 1)
        # the determinant is -1 where handedness changes
        self.rotation_signs = np.append(1.0, self.signs * np.linalg.det(self.matrix))

    @cached_property
    def inverse(self) -> Axes:
        """Return the change back."""
        return Axes(self.matrix.T)

    def positions(self, vectors: Array) -> Array:
        """Return vectors (3, ...) in the other axes; the dtype stays, and the array itself where nothing moves."""
        return _permute(vectors, self.order, self.signs)

    def rotations(self, quaternions: Array, *, w_last: bool = False) -> Array:
        """Return quaternions (4, ...), w first or `w_last`, in the other axes, w first; the dtype stays."""
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


def from_names(forward: str, up: str, *, left_handed: bool = False) -> Axes:
    """Return the change from a file's axes to Blender's, where Y is forward, Z is up and X is right.

    Args:
        forward, up: the file's axis that points there: "X", "Y", "Z", "-X", "-Y" or "-Z".
        left_handed: the file's right is the other way round, as in Unity and Resonite.

    Raises:
        ValueError: for another name, or where both lie on the same axis.
    """
    names, vectors = ["X", "Y", "Z", "-X", "-Y", "-Z"], np.concatenate((np.eye(3), -np.eye(3)))
    front, top = vectors[names.index(forward)], vectors[names.index(up)]
    return Axes(np.stack((np.cross(top, front) if left_handed else np.cross(front, top), front, top)))


UNITY = Axes(np.array([[1, 0, 0], [0, 0, 1], [0, 1, 0]]))
MIRROR_X = Axes(np.diag([-1, 1, 1]))


# --- Turns that bring directions onto others --------------------------------------------------------------------------

_FLAT = 0.1
"""Directions span a plane when the second singular value is at least this share of the first."""


def spans_a_plane(arms: Array) -> bool:
    """Tell whether directions (k, 3) do not all lie along one line."""
    sizes = np.linalg.svd(arms, compute_uv=False)
    return bool(sizes[1] >= _FLAT * sizes[0])


def aimed(axes: Array, along: Array, aim: Array) -> Array:
    """Turn `axes` (4, m) the short way until the direction `along` (3,) in them is the world's `aim` (m, 3)."""
    now = turned(axes, np.broadcast_to(along[:, None], (3, axes.shape[1])))
    end = np.where(aim.any(axis=1), aim.T, now)
    # 1 + cosine and the cross product are a quaternion of half the angle, but for its length
    cosine = (now * end).sum(axis=0)
    axis = np.cross(now, end, axis=0)
    opposite = cosine < -1.0 + 1e-9  # half a turn about any axis
    axis = np.where(opposite, np.cross(now, np.eye(3)[np.abs(now).argmin(axis=0)].T, axis=0), axis)
    return multiply(normalise(np.concatenate([np.where(opposite, 0.0, 1.0 + cosine)[None], axis])), axes)


def fitted(arms: Array, wanted: Array, axes: Array) -> Array:
    """Return rotations (4, m) that bring `arms` (k, 3) nearest to `wanted` (m, k, 3) (Kabsch); else `axes`."""
    # the rotation nearest to the sum of products of both; a mirror is undone on the weakest axis
    left, sizes, right = np.linalg.svd(np.einsum("mki,kj->mij", wanted, arms))
    mirrored = np.where(np.linalg.det(left @ right) < 0, -1.0, 1.0)
    left = left.copy()
    left[:, :, 2] *= mirrored[:, None]
    return np.where(sizes[:, 1] > 1e-12 * np.abs(arms).max() ** 2, from_matrix(left @ right), axes)
