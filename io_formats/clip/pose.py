"""Where the nodes of a clip are at given times. Matrix products written out, so that every numpy agrees."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

import numpy as np

from ..errors import Report, Values
from . import BEZIER, RESTING, SCALE, Array, Clip, Node, NodeKind, Track, TrackKind, curve, grouped, messages
from . import quaternion as rotation

SHEAR = 1e-4
"""The largest cosine between two axes that float32 may have left of a right angle."""
SLACK = 1e-4
"""Scales within this of 1 are none, and cosines within this of 0 no shear."""
_FLAT = 1e-3
"""The volume between axes of length 1 below which they nearly lie in a plane and no rotation is near."""
_LEVEL = 1e-6
"""Below this, parts of an axis are what float32 left of a quarter turn."""
_ELSEWHERE = 1e-4
"""How far a place, or the end of an axis of length 1, is off another at least that is another."""


def product(a: Array, b: Array) -> Array:
    """Return a b for matrices (..., 4, 4) that broadcast."""
    # both with as many axes, so that they broadcast
    depth = max(a.ndim, b.ndim)
    first, second = (_rows_first(m.reshape((1,) * (depth - m.ndim) + m.shape)) for m in (a, b))
    # row by column, one of the four terms of each sum at a time
    total = first[:, 0, None] * second[None, 0]
    for k in range(1, 4):
        total = total + first[:, k, None] * second[None, k]
    return _rows_last(total)


def _rows_first(matrices: Array) -> Array:
    """Return (..., 4, 4) as (4, 4, ...): numpy is several times faster with the long axis last."""
    return np.ascontiguousarray(matrices.transpose(-2, -1, *range(matrices.ndim - 2)))


def _rows_last(matrices: Array) -> Array:
    return matrices.transpose(*range(2, matrices.ndim), 0, 1)


def side_by_side(matrices: Sequence[Array]) -> Array:
    """Return matrices (m, 4, 4) each as one array (n, m, 4, 4), laid out as products and inverses need them."""
    return _rows_last(np.stack([_rows_first(each) for each in matrices], axis=2))


def inverse(matrices: Array) -> Array:
    """Return inverses of affine matrices (..., 4, 4); where there is none (a scale of 0), some finite matrix."""
    m = _rows_first(np.asarray(matrices, dtype=np.float64))
    result = np.zeros(m.shape)
    result[:3, :3] = _inverse_transposed(m[:3, :3]).swapaxes(0, 1)
    # and the translation back, turned
    moved = result[:3, :3] * m[None, :3, 3]
    result[:3, 3] = -(moved[:, 0] + moved[:, 1] + moved[:, 2])
    result[3, 3] = 1.0
    return _rows_last(result)


def _inverse_transposed(m: Array) -> Array:
    """Return the inverses, transposed, of matrices (3, 3, ...): their cofactors by their determinants."""
    cofactors = np.stack([_cross(m[1], m[2]), _cross(m[2], m[0]), _cross(m[0], m[1])])
    determinant = _dot(m[0], cofactors[0])
    cofactors /= np.where(determinant == 0, 1.0, determinant)
    return cofactors


def rigid(matrices: Array) -> Array:
    """Return matrices (..., 4, 4) whose nearly orthonormal axes, as float32 leaves them, are made orthonormal.

    Each of Newton's steps squares what the axes lack; three of them take a hundredth below float64's own rounding.
    """
    result = np.array(matrices, dtype=np.float64)
    turned = result[..., :3, :3]
    for _ in range(3):
        square = _rows_first(turned)
        lengths = np.stack([[_dot(square[:, a], square[:, b]) for b in range(3)] for a in range(3)])
        first, second, third = (square[:, k, None] * lengths[None, k] for k in range(3))
        turned[...] = 1.5 * turned - 0.5 * _rows_last(first + second + third)
    return result


def compose(location: Array, quaternion: Array, scale: Array) -> Array:
    """Return matrices (m, 4, 4) of locations (3, m), quaternions (4, m) of any length and scales (3, m)."""
    result = np.zeros((4, 4, location.shape[1]))
    result[:3, :3] = _rows_first(rotation.to_matrix(quaternion)) * scale
    result[:3, 3] = location
    result[3, 3] = 1.0
    return _rows_last(result)


def decompose(matrices: Array) -> tuple[Array, Array, Array, Array]:
    """Return locations (3, m), unit quaternions (4, m), scales (3, m) and shear (m,) of matrices (m, 4, 4).

    A mirrored matrix gets three negative scales, as in Blender. The shear is the largest cosine between two axes, which
    the others cannot show; the rotation is then the one nearest to all three axes. One axis without length, as of what
    is flat, is at right angles to the others.
    """
    rows = _rows_first(matrices)
    location = rows[:3, 3].copy()
    # columns are the axes; a left-handed triple is mirrored
    first, second, third = columns = [rows[:3, column] for column in range(3)]
    mirrored = _dot(_cross(first, second), third) < 0
    scale = np.stack([np.sqrt(_dot(axis, axis)) for axis in columns])
    # lengths are the scale, cosines between axes of length 1 the shear
    straight = [axis / np.where(size > 0, size, 1.0) for axis, size in zip(columns, scale)]
    cosines = [_dot(straight[a], straight[b]) for a, b in ((0, 1), (0, 2), (1, 2))]
    # square axes as Gram and Schmidt make them: x stays, y is made square to it, z is their product
    x = _unit(first, lambda: _unit(_cross(second, third), lambda: _perpendicular(straight[1] + straight[2])))
    y = _unit(second - x * _dot(x, second), lambda: _unit(_cross(third, x), lambda: _perpendicular(x)))
    sign = np.where(mirrored, -1.0, 1.0)
    z = _cross(x, y)
    axes = np.stack((x * sign, y * sign, z), axis=1)
    shear = np.where((scale == 0).any(axis=0), 0.0, np.abs(cosines).max(axis=0))
    # sheared axes have no rotation of their own: the nearest one, unless they lie in a plane
    crooked = np.flatnonzero((shear > SHEAR) & (np.abs(_dot(_cross(*straight[:2]), straight[2])) > _FLAT))
    if len(crooked):
        nearest = np.stack(straight, axis=1)[..., crooked] * sign[crooked]
        # the mean of a matrix and its inverse transposed has the same nearest rotation, which it is nearer to: what is
        # off halves at first and is squared with each step in the end; 16 of them do for all that is not _FLAT
        for _ in range(16):
            nearest = (nearest + _inverse_transposed(nearest)) / 2
        axes[..., crooked] = nearest
    return location, rotation.from_matrix(_rows_last(axes)), scale * sign, shear


def told_axes(axes: Array) -> Array:
    """Return the rotations (..., 3, 3) that axes (..., 3, 3) are written as, without sizes and shear."""
    matrices = np.zeros((math.prod(axes.shape[:-2]), 4, 4))
    matrices[:, :3, :3] = axes.reshape(-1, 3, 3)
    return rotation.to_matrix(decompose(matrices)[1]).reshape(axes.shape)


def size_of(matrix: Array) -> float:
    """Return the cube root of the volume that the unit cube becomes by a matrix (4, 4)."""
    return float(np.cbrt(abs(np.linalg.det(matrix[:3, :3]))))


def tilt_of(matrix: Array) -> Array:
    """Return the rotation (3, 3) of a matrix (4, 4) without its turn about the vertical, which comes after it.

    It is the same for an object whichever way it faces: none where its Z is up, a quarter turn about X for its Y.
    """
    own = decompose(np.asarray(matrix, np.float64)[None])[1]
    turn = own * np.array([[1.0], [0.0], [0.0], [-1.0]])
    back = turn if np.abs(turn).max() > _LEVEL else rotation.IDENTITY[:, None]  # what is upside down faces nowhere
    found: Array = rotation.to_matrix(rotation.multiply(rotation.unit(back.T).T, own))[0]
    whole = np.rint(found)
    return np.where(np.abs(found - whole) < _LEVEL, whole, found)


def is_elsewhere(matrix: Array, root: Array) -> bool:
    """Return whether what stands as `matrix` (4, 4) is at another place than `root` or faces another way."""
    facing, other = (rotation.to_matrix(decompose(each[None])[1])[0] @ tilt_of(each).T for each in (matrix, root))
    return not np.allclose(np.c_[facing, matrix[:3, 3]], np.c_[other, root[:3, 3]], atol=_ELSEWHERE)


def tell_shear(shears: Mapping[str, Array], report: Report, least: float = SHEAR) -> None:
    """Warn of nodes whose axes are not square, which location, rotation and scale cannot say: (m,) of each."""
    # degrees that axes are off a right angle at most
    off = {
        name: float(np.degrees(np.arcsin(np.minimum(shear, 1.0))).max(initial=0.0))
        for name, shear in shears.items()
        if shear.max(initial=0.0) > least
    }
    if off:
        report.warn(messages.SHEAR_DROPPED, node=", ".join(off), degrees=max(off.values()))


def is_scaling(track: Track) -> bool:
    """Return whether a track gives its node another size than at rest."""
    is_scale = track.kind is TrackKind.TRANSFORM and track.property == SCALE
    return is_scale and float(np.abs(track.values - 1).max(initial=0.0)) > SLACK


def _dot(a: Array, b: Array) -> Array:
    products = a * b
    result: Array = products[0] + products[1] + products[2]
    return result


def _cross(a: Array, b: Array) -> Array:
    return np.stack((a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]))


def _unit(axis: Array, spare: Callable[[], Array]) -> Array:
    """Return vectors (3, m) of length 1; of those of length 0, the ones of `spare` (3, m)."""
    length = np.sqrt(_dot(axis, axis))
    found = axis / np.where(length > 0, length, 1.0)
    return found if (length > 0).all() else np.where(length > 0, found, spare())


def _perpendicular(axis: Array) -> Array:
    """Return vectors (3, m) of length 1 at right angles to others of length 1 or 0."""
    other = np.eye(3)[:, np.abs(axis).argmin(axis=0)]
    aside = other - axis * _dot(axis, other)
    found: Array = aside / np.sqrt(_dot(aside, aside))
    return found


def transform_tracks(tracks: Iterable[Track]) -> dict[str, list[Track]]:
    """Return the transform tracks of each node that has any."""
    return grouped((track.node, track) for track in tracks if track.kind is TrackKind.TRANSFORM)


def with_bone_parents(nodes: Sequence[Node]) -> list[Node]:
    """Return nodes with bones under the bones that they are parented to, also by `under`; parents first."""
    rests = chain_rests(nodes)
    return [
        replace(node, parent=node.under, rest=product(inverse(rests[node.under]), rests[node.name]))
        if node.kind is NodeKind.BONE and node.under and node.under in rests and node.under != node.parent
        else node
        for node in nodes
    ]


def below(nodes: Sequence[Node], above: Collection[str]) -> dict[str, None]:
    """Return the names of all that is parented to nodes, in the order of `nodes`: parents first."""
    found: dict[str, None] = {}
    for node in nodes:
        if node.parent in above or node.parent in found:
            found[node.name] = None
    return found


def in_model_order(nodes: Sequence[Node]) -> list[Node]:
    """Return the nodes as a model has them: after each all that hangs on it, otherwise as they were."""
    known = {node.name for node in nodes}
    above = (next((name for name in (node.parent, node.under) if name in known), None) for node in nodes)
    below = grouped(zip(above, nodes))
    ordered, waiting = [], below.get(None, [])[::-1]
    while waiting:
        node = waiting.pop()
        ordered.append(node)
        waiting += below.get(node.name, [])[::-1]
    return ordered


def chain_rests(nodes: Sequence[Node]) -> dict[str | None, Array]:
    """Return the rest (4, 4) of each node, parents first, relative to what carries them all, which is None."""
    rests: dict[str | None, Array] = {None: np.eye(4)}
    for node in nodes:
        rests[node.name] = product(rests[node.parent], np.asarray(node.rest, np.float64))
    return rests


def carriers(nodes: Sequence[Node], root: Node | None = None) -> set[str | None]:
    """Return the names of what carries an armature, its nodes parents first: its object, what `root` is parented to,
    and all above those. They are no joints of it."""
    objects = {node.name for node in nodes if node.kind is NodeKind.OBJECT}
    found: set[str | None] = set()
    for node in reversed(nodes):
        if node is root or node.name in found or (node.kind is NodeKind.BONE and node.parent in objects):
            found.add(node.parent)
        if node.name in found and node.kind is NodeKind.OBJECT:
            found.add(node.under)
    return found


def is_still(track: Track) -> bool:
    """Tell whether a track has the same values at all times."""
    if not (track.values == track.values[:, :1]).all():
        return False
    return track.handles is None or not ((track.interpolation[:-1] == BEZIER).any() and track.handles.values.any())


def channels_of(tracks: Iterable[Track], times: Array) -> tuple[Array, Array, Array]:
    """Return location (3, m), unit quaternion (4, m) and scale (3, m) that tracks of one node give at times (m,).

    A track without keys moves nothing, nor does one of another property.
    """
    location, quaternion, scale = channels_of_all([tracks], times)
    return location, rotation.normalise(quaternion), scale


def basis_of(tracks: Iterable[Track]) -> Array:
    """Return the matrix (4, 4) that tracks of one node give at time 0."""
    basis: Array = compose(*channels_of(tracks, np.zeros(1)))[0]
    return basis


def channels_of_all(tracks: Sequence[Iterable[Track]], times: Array) -> tuple[Array, Array, Array]:
    """Return locations (3, n * m), quaternions (4, n * m) and scales (3, n * m) of n nodes at times (m,)."""
    count = len(times)
    channels = {name: np.repeat(np.array(rest)[:, None], len(tracks) * count, axis=1) for name, rest in RESTING.items()}
    own = [(at, track) for at, each in enumerate(tracks) for track in each if track.property in channels]
    own = [(at, track) for at, track in own if len(track.times)]
    for (at, track), values in zip(own, curve.evaluate_all([track for _, track in own], times)):
        rows = slice(track.component, track.component + len(values))
        channels[track.property][rows, at * count : (at + 1) * count] = values
    location, quaternion, scale = channels.values()
    return location, quaternion, scale


class Chains:
    """World matrices of a clip's nodes, kept for as long as the same times are asked for again."""

    def __init__(self, clip: Clip) -> None:
        self.clip = clip
        self.tracks = transform_tracks(clip.tracks)
        self.nodes = {node.name: node for node in clip.nodes}
        self._known: dict[bytes, dict[str, Array]] = {}

    def world(self, name: str | None, times: Array) -> Array:
        """Return world matrices (m, 4, 4) or (1, 4, 4) of a node at times (m,), of the root for None."""
        known = self._known.setdefault(times.tobytes(), {})
        # up to the next node whose matrix is known, then down again
        chain = []
        while name is not None and name not in known:
            chain.append(name)
            name = self.nodes[name].parent
        matrices = np.asarray(self.clip.root, dtype=np.float64)[None] if name is None else known[name]
        for link in reversed(chain):
            matrices = product(matrices, self.nodes[link].rest)
            if link in self.tracks:
                matrices = product(matrices, compose(*channels_of(self.tracks[link], times)))
            known[link] = matrices
        return matrices

    def worlds(self, names: Sequence[str], times: Array) -> Array:
        """Return world matrices (m, n, 4, 4) of nodes at times (m,), computed for all of one depth at once."""
        # all nodes as far from the root are one product of stacked matrices
        wanted = set[str]().union(*map(self.ancestry, names))
        depths: dict[str | None, int] = {None: 0}
        for node in self.clip.nodes:
            depths[node.name] = depths[node.parent] + 1
        found: dict[str | None, Array] = {None: np.asarray(self.clip.root, np.float64)[None]}
        for _, level in groupby(sorted(wanted, key=depths.__getitem__), depths.__getitem__):
            nodes = [self.nodes[name] for name in level]
            own = compose(*channels_of_all([self.tracks.get(node.name, ()) for node in nodes], times))
            above, rests = (np.stack(each) for each in zip(*((found[node.parent], node.rest) for node in nodes)))
            resting = product(above, rests[:, None])
            found |= zip((node.name for node in nodes), product(resting, own.reshape(len(nodes), -1, 4, 4)))
        return np.stack([found[name] for name in names], axis=1)

    def forget_but(self, times: Array) -> None:
        """Forget what is known of other times than these (m,)."""
        key = times.tobytes()
        self._known = {key: self._known.get(key, {})}

    def ancestry(self, name: str | None) -> set[str]:
        """Return the names of the node and its ancestors."""
        found: set[str] = set()
        while name is not None:
            found.add(name)
            name = self.nodes[name].parent
        return found

    def involved(self, a: str | None, b: str | None) -> list[Track]:
        """Return the tracks that move two nodes against each other."""
        # what both have above them moves both alike
        names = sorted(self.ancestry(a) ^ self.ancestry(b))
        return [track for name in names for track in self.tracks.get(name, ()) if not is_still(track)]


def world_matrices(clip: Clip, times: Array) -> dict[str, Array]:
    """Return world matrices (m, 4, 4) of all nodes of a clip."""
    chains = Chains(clip)
    return {name: np.broadcast_to(chains.world(name, times), (len(times), 4, 4)) for name in chains.nodes}


class Off(NamedTuple):
    """How far something is off at most.

    Attributes:
        place: of locations, in units of the world.
        turn: of rotations, in radians.
        placed, turned: the nodes of which that is so, where they are known.
    """

    place: float = 0.0
    turn: float = 0.0
    placed: str = ""
    turned: str = ""

    def worst(self, other: Off) -> Off:
        """Return the larger of both."""
        far, twisted = (other if other.place > self.place else self), (other if other.turn > self.turn else self)
        return Off(far.place, twisted.turn, far.placed, twisted.turned)

    def as_values(self) -> Values:
        """Return the values of a sentence: millimetres and degrees, and in brackets of what, where that is known."""
        placed, turned = (node and f" ({node})" for node in (self.placed, self.turned))
        return {"place": self.place * 1000.0, "degrees": math.degrees(self.turn), "placed": placed, "turned": turned}
