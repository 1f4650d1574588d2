"""Quaternions as arrays (4, n) in w, x, y, z order; + - * / and sqrt only, except in `angle` and `great_arc`.

Matrix products are written out: numpy's matmul differs in the last bits between its versions.
"""

from __future__ import annotations

import numpy as np

from . import Array

IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])
IDENTITY.flags.writeable = False


def multiply(a: Array, b: Array) -> Array:
    """Return a * b, the rotation b and then a; shapes (4, ...) that broadcast."""
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    return np.stack(
        np.broadcast_arrays(
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        )
    )


def conjugate(q: Array) -> Array:
    """Return the rotation back, for unit quaternions (4, ...)."""
    result: Array = np.negative(q)
    result[0] = q[0]
    return result


def turned(q: Array, vectors: Array) -> Array:
    """Return vectors (3, n) turned by unit quaternions (4, n)."""
    pure = np.concatenate([np.zeros_like(vectors[:1]), vectors])
    result: Array = multiply(multiply(q, pure), conjugate(q))[1:]
    return result


def dot(a: Array, b: Array) -> Array:
    """Return the sum of the products of the components, (4, ...) -> (...)."""
    products = a * b
    result: Array = products[0] + products[1] + products[2] + products[3]
    return result


def normalise(q: Array) -> Array:
    """Return unit quaternions (4, ...) float64; the identity where there is no direction (zero or not finite)."""
    wide: Array = np.asarray(q, dtype=np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        largest = np.abs(wide).max(axis=0)
    usable = np.isfinite(largest) & (largest > 0)
    # by the largest component first: squares of tiny or huge numbers would leave the range
    scaled = wide / np.where(usable, largest, 1.0)
    length = np.sqrt(np.where(usable, dot(scaled, scaled), 1.0))
    identity = IDENTITY.reshape(4, *([1] * (wide.ndim - 1)))
    return np.where(usable, scaled / length, identity)


def align_signs(q: Array) -> Array:
    """Return (n,) factors +1.0 or -1.0 that make each quaternion (4, n) follow its predecessor on the short way."""
    signs = np.ones(q.shape[1])
    if q.shape[1] > 1 and not surely_aligned(q):
        wide = q.astype(np.float64, copy=False)
        signs[1:] = np.where(dot(wide[:, 1:], wide[:, :-1]) < 0, -1.0, 1.0)
    return np.cumprod(signs)


def surely_aligned(q: Array) -> bool:
    """Tell whether float32 quaternions (4, n) of about unit length are so close that rounding does not matter.

    Quicker than `align_signs`, which then gives 1.0 for all.
    """
    if q.dtype != np.float32 or q.shape[1] < 2 or not max(q.max(), -q.min()) < 2.0:
        return False
    return bool(dot(q[:, 1:], q[:, :-1]).min() > 0.5)


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
    best = np.argmax(ways[range(4), range(4)], axis=0)
    q = normalise(ways[:, best, np.arange(len(m))])
    result: Array = np.where(q[0] < 0, -q, q)
    return result


def distance(a: Array, b: Array) -> Array:
    """Return how far apart rotations (4, n) are, in radians: four times the sine of a quarter of the angle.

    Needs no inverse function, so that it is the same in every numpy. It falls short of the angle by a part in
    96 / angle squared: by nothing that counts for small angles, by a tenth at half a turn.
    """
    first, second = normalise(a), normalise(b)
    turned = np.where(dot(first, second) < 0, -1.0, 1.0)
    step = first - turned * second
    result: Array = 2 * np.sqrt(dot(step, step))
    return result


def angle(a: Array, b: Array) -> Array:
    """Return (n,) the angle in radians, 0 .. pi, between rotations (4, n) of any length but zero.

    Quicker than `distance`, and exact; but its inverse function makes it none for results that are compared.
    """
    a, b = _unit(a), _unit(b)
    step = a - np.where((a * b).sum(axis=0) < 0, -b, b)
    chord = np.sqrt((step * step).sum(axis=0))
    result: Array = 4 * np.arcsin(np.minimum(chord / 2, 1.0))
    return result


def great_arc(start: Array, end: Array, part: Array | float) -> Array:
    """Return quaternions (4, n) at parts (n,) of the way from start to end (4, n), along the shorter great arc.

    They are not normalised: W3D's engines are as long between two keys as these are.
    """
    dots = (start * end).sum(axis=0)
    end = np.where(dots < 0, -end, end)
    angle_between = np.arccos(np.minimum(np.abs(dots), 1.0))
    sine = np.sin(angle_between)
    # nearly equal quaternions are interpolated linearly: the sine would divide by zero
    near = sine < 1e-6
    safe = np.where(near, 1.0, sine)
    first = np.where(near, 1 - part, np.sin((1 - part) * angle_between) / safe)
    second = np.where(near, part, np.sin(part * angle_between) / safe)
    result: Array = first * start + second * end
    return result


def short_line(start: Array, end: Array, part: Array | float) -> Array:
    """Return quaternions (4, n) on the straight line, of the two signs of `end` to the nearer, not normalised."""
    result: Array = start + (np.where(dot(start, end) < 0, -end, end) - start) * part
    return result


def _unit(q: Array) -> Array:
    """Return quaternions (4, n) of length 1; zero stays zero."""
    length = np.sqrt((q * q).sum(axis=0))
    result: Array = q / np.where(length > 0, length, 1.0)
    return result
