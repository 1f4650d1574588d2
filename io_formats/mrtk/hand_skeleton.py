"""Hands with parents: wrist, palm and five chains, the recorded motion baked onto them, ready to drive a mesh.

The rest pose is the recording's own: where every joint stands at the first moment at which the hand is complete. A bone
is turned as its joint is, +Y along the finger, so that exporting the rig needs nothing but its world poses.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..clip import LOCATION, ROTATION, Array, Clip, Node, Track, TrackKind, curve, quaternion
from . import joints, layout

_NEAR_POSITION = 2e-5
"""Largest error of a baked joint between its keys, in metres."""
_NEAR_TURN = 1.5e-4
"""The same in radians."""
_ROUNDS = 6


@dataclass
class _Motion:
    """World poses of one joint: positions (3, m) in metres and unit quaternions (4, m)."""

    position: Array
    turn: Array

    def at(self, moment: int) -> _Motion:
        """Return the pose at one moment, as a motion with m = 1."""
        return _Motion(self.position[:, moment : moment + 1], self.turn[:, moment : moment + 1])

    def relative_to(self, parent: _Motion) -> _Motion:
        """Return this motion relative to a parent's."""
        back = quaternion.conjugate(parent.turn)
        return _Motion(quaternion.turned(back, self.position - parent.position), quaternion.multiply(back, self.turn))

    def after(self, parent: _Motion) -> _Motion:
        """Return this motion, which is relative to the parent's, in the world."""
        return _Motion(
            parent.position + quaternion.turned(parent.turn, self.position), quaternion.multiply(parent.turn, self.turn)
        )

    def halfway(self) -> _Motion:
        """Return the (m - 1) poses that straight lines play halfway between neighbouring moments."""
        turn = self.turn * quaternion.align_signs(self.turn)
        return _Motion(
            (self.position[:, 1:] + self.position[:, :-1]) / 2.0, quaternion.normalise(turn[:, 1:] + turn[:, :-1])
        )

    def matrix(self) -> Array:
        """Return the matrix (4, 4) of the first moment."""
        result = np.eye(4)
        result[:3, :3] = quaternion.to_matrix(self.turn[:, :1])[0]
        result[:3, 3] = self.position[:, 0]
        return result


def with_hand_skeletons(clip: Clip) -> Clip:
    """Return the clip with the joints of each hand parented; camera, gaze and custom properties stay as they are."""
    kept = [node for node in clip.nodes if not _is_joint(node.name)]
    tracks = [track for track in clip.tracks if track.kind != TrackKind.TRANSFORM or not _is_joint(track.node)]
    for side in joints.SIDES:
        names = [f"{joint}.{side}" for joint in layout.JOINTS[1:]]
        if clip.node(names[0]) is not None:
            hand_nodes, hand_tracks = _Hand(clip, side).build()
            kept += hand_nodes
            tracks += hand_tracks
    return replace(clip, nodes=kept, tracks=tracks)


def _is_joint(name: str) -> bool:
    joint, _, side = name.rpartition(".")
    return side in joints.SIDES and joint in layout.JOINTS


class _Hand:
    """Builds one hand."""

    def __init__(self, clip: Clip, side: str) -> None:
        self._side = side
        self._nodes = [node for node in clip.nodes if _is_joint(node.name) and node.name.endswith(side)]
        names = {node.name for node in self._nodes}
        self._tracks: dict[tuple[str, str], list[Track]] = {}
        for track in clip.tracks:
            if track.node in names and track.kind == TrackKind.TRANSFORM:
                self._tracks.setdefault((track.node, track.property), []).append(track)
        self._times, self._complete = self._moments()

    def _moments(self) -> tuple[Array, int]:
        """Return the hand's key times (m,) in seconds, and the index of the first at which every joint has begun."""
        every = [track for tracks in self._tracks.values() for track in tracks if len(track.times)]
        if not every:
            return np.zeros(1, np.float32), 0
        arrays = {id(track.times): track.times for track in every}
        times = np.unique(np.concatenate(list(arrays.values())))
        begun = max(array[0] for array in arrays.values())
        return times, int(np.searchsorted(times, begun))

    def build(self) -> tuple[list[Node], list[Track]]:
        """Return the parented nodes and their sampled tracks."""
        self._refine()
        world = self._world(self._times)
        result: list[Node] = []
        tracks: list[Track] = []
        for node in self._nodes:
            relative, parent = self._relative(node, world), self._parent(node.name)
            rest = relative.at(self._complete)
            result.append(replace(node, parent=parent, rest=rest.matrix()))
            if not node.placeholder:
                tracks += self._baked(node.name, relative.relative_to(rest))
        return result, tracks

    def _refine(self) -> None:
        """Add moments halfway between others until lines between them are near enough for every joint."""
        for _ in range(_ROUNDS):
            middles = (self._times[1:] + self._times[:-1]) / np.float32(2.0)
            far = self._errors_at(middles) > 1.0
            if not far.any():
                return
            complete = self._times[self._complete]
            self._times = np.union1d(self._times, middles[far])
            self._complete = int(np.searchsorted(self._times, complete))

    def _errors_at(self, middles: Array) -> Array:
        """Return (m,) the largest error of any joint at `middles` (m,), as a multiple of what is allowed."""
        ends, exact = self._world(self._times), self._world(middles)
        played: dict[str, _Motion] = {}
        errors = np.zeros(len(middles))
        for node in self._nodes:
            halfway, parent = self._relative(node, ends).halfway(), self._parent(node.name)
            motion = played[node.name] = halfway if parent is None else halfway.after(played[parent])
            step = motion.position - exact[node.name].position
            turned = quaternion.distance(motion.turn, exact[node.name].turn)
            errors = np.maximum(errors, np.sqrt((step * step).sum(axis=0)) / _NEAR_POSITION)
            errors = np.maximum(errors, turned / _NEAR_TURN)
        return errors

    def _world(self, times: Array) -> dict[str, _Motion]:
        """Return the world motion of each joint at `times` (m,) in seconds."""
        world: dict[str, _Motion] = {}
        for node in self._nodes:
            world[node.name] = self._motion(node, world, times)
        return world

    def _relative(self, node: Node, world: dict[str, _Motion]) -> _Motion:
        parent = self._parent(node.name)
        return world[node.name] if parent is None else world[node.name].relative_to(world[parent])

    def _parent(self, name: str) -> str | None:
        joint = joints.PARENT_JOINT.get(name.rpartition(".")[0])
        return None if joint is None else f"{joint}.{self._side}"

    def _motion(self, node: Node, world: dict[str, _Motion], times: Array) -> _Motion:
        """Return the world motion of a joint at `times` (m,); a joint without data only follows its parent."""
        if not node.placeholder:
            position = self._sampled(node.name, LOCATION, (0.0, 0.0, 0.0), times)
            return _Motion(
                position, quaternion.normalise(self._sampled(node.name, ROTATION, (1.0, 0.0, 0.0, 0.0), times))
            )
        stand, parent = _still(node.rest, len(times)), self._parent(node.name)
        if parent is None:
            return stand
        parent_stand = _still(joints.neutral_rest(parent.rpartition(".")[0], self._side), len(times))
        return stand.relative_to(parent_stand).after(world[parent])

    def _sampled(self, name: str, property_name: str, default: tuple[float, ...], times: Array) -> Array:
        values = np.repeat(np.array(default)[:, None], len(times), axis=1)
        for track in self._tracks.get((name, property_name), ()):
            rows = slice(track.component, track.component + len(track.values))
            values[rows] = curve.evaluate(track, times)
        return values

    def _baked(self, name: str, basis: _Motion) -> list[Track]:
        turn = basis.turn * quaternion.align_signs(basis.turn)
        return [
            Track.sampled(name, property_name, self._times, values.astype(np.float32))
            for property_name, values in ((LOCATION, basis.position), (ROTATION, turn))
        ]


def _still(matrix: Array, count: int) -> _Motion:
    position = np.repeat(matrix[:3, 3:], count, axis=1)
    return _Motion(position, np.repeat(quaternion.from_matrix(matrix[None, :3, :3]), count, axis=1))
