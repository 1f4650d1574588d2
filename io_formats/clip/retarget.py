"""Motion onto a rig built otherwise than the file's: other rests, other lengths, parents where the file has none.

`from_rest_to_rest`: both have a rest pose. Each bone turns away from its own rest as the file's node turns away from
its rest, both seen in the world: with R and R' the rests, W' inverse(R') = W inverse(R). For the keys that is
basis' = inverse(B) basis B with B = inverse(R) R', the same at all times, so it is exact, handles included.

`follow_joints`: the file has joints placed in the world and no rest pose. A bone with one matched bone behind it turns
until that bone lies where the file's joint does; one with several (a hand) turns as its children fit best. Lengths stay
the rig's. The turn about itself, which a direction leaves open, is that of the joint's recorded rotation.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..errors import Report
from . import CONSTANT, LINEAR, LOCATION, RESTING, ROTATION, Array, Clip, Node, Track, TrackKind, messages, quaternion
from .edit import longer
from .pose import Chains, chain_rests, compose, decompose, inverse, product, told_axes, transform_tracks
from .resample import key_times, unrolled
from .rest_pose import rebase, turned_frame

_SAME_REST = 2e-4
"""Rests that differ by less are the same, read back from Blender; see `scene.targets.SAME_REST`."""

_LEAST_GAIN = 1e-6
"""Mean cosine that a tilt must gain between bones at rest, so that rounding does not decide."""

_LEAST_LINK = 1e-3
"""Shorter links, as a share of the longest, say nothing of a figure's size."""

_FEWEST_LINKS, _MOST, _UNIFORM = 3, 0.75, 0.01
"""A rig is the file's, enlarged, if this share of no fewer links is longer by the same factor, within this share."""

_LONG = 0.7
"""Share of the longest direction from which on others tell how a hand lies."""

_STEADY = 0.9
"""Mean squared cosine of half the angle above which recorded rotations go with the positions of the joints."""

_SAME_AXES = 0.5
"""Radians up to which two ways of finding a joint's axes in a rig mean the same, so that the exacter one is taken."""


# --- From rest to rest -------------------------------------------------------------------------------------------


def from_rest_to_rest(
    clip: Clip, nodes: Sequence[Node], report: Report, *, tilt: Array | None = None, scale: float = 1.0
) -> Clip:
    """Return the clip on other nodes, each of which leaves its own rest as its namesake in the clip leaves its.

    Args:
        nodes: the rig's, parents before children; those that the clip has not stay at rest.
        report: learns what had to be sampled, which is where nodes between the matched ones move.
        tilt: (3, 3) rotation from the space that the clip's root carries to the one that carries `nodes`.
        scale: factor for locations.

    Tracks of nodes whose axes at rest are the same are returned as the same objects.
    """
    before, after = chain_rests(clip.nodes), chain_rests(nodes)
    # first the clip's nodes, its rests kept, each under its next matched bone of the rig
    own, family = {node.name: node for node in clip.nodes}, []
    for name, parent in nearest(nodes, own).items():
        if name in own:
            rest = before[name] if parent is None else product(inverse(before[parent]), before[name])
            family.append(own[name] if own[name].parent == parent else replace(own[name], parent=parent, rest=rest))
    based = rebase(clip, family, clip.root, report=report)
    # then along the rig's axes
    moving = transform_tracks(based.tracks)
    tracks = [track for track in based.tracks if track.kind is not TrackKind.TRANSFORM]
    for name in (node.name for node in family):
        # places grow with the rig, turns are seen in the axes of its bone: the quotient of both axes at rest
        grown = [longer(track, scale) for track in moving.get(name, ())]
        axes = before[name][:3, :3] if tilt is None else (before[name][:3, :3].T @ tilt.T).T
        old, new = quaternion.from_matrix(told_axes(np.stack([axes, after[name][:3, :3]]))).T[:, :, None]
        turn = np.eye(4)
        turn[:3, :3] = quaternion.to_matrix(quaternion.multiply(quaternion.conjugate(old), new))[0]
        is_turned = np.abs(turn - np.eye(4)).max() > _SAME_REST
        tracks += turned_frame(based, name, grown, turn, report) if is_turned else grown
    return replace(clip, nodes=list(nodes), tracks=tracks)


def better_tilt(clip: Clip, nodes: Sequence[Node], tilt: Array) -> Array | None:
    """Return `tilt` (3, 3) if it brings the clip's rest pose nearer to that of `nodes` than no tilt does, else None."""
    old, new = map(quaternion.unit, _links(clip, nodes))
    if not len(old):
        return None
    # cosines between directions: how much nearer they are with the tilt than without
    gain = ((old @ tilt.T - old) * new).sum(axis=1)
    return tilt if gain.mean() > _LEAST_GAIN else None


def enlargement(clip: Clip, nodes: Sequence[Node]) -> float | None:
    """Return how many times longer than the clip's most links between `nodes` are; None where they differ in that."""
    old, new = (np.linalg.norm(links, axis=1) for links in _links(clip, nodes))
    told = old > _LEAST_LINK * old.max(initial=0.0)
    factors = new[told] / old[told]
    if len(factors) < _FEWEST_LINKS:
        return None
    # one factor, if most links are near the median
    middle = float(np.median(factors))
    alike = np.abs(factors - middle) <= _UNIFORM * middle
    return middle if middle > 0.0 and alike.mean() >= _MOST else None


def _links(clip: Clip, nodes: Sequence[Node]) -> tuple[Array, Array]:
    """Return (n, 3) each from a matched node's next matched ancestor to it at rest: the clip's, and the others'."""
    before, after = chain_rests(clip.nodes), chain_rests(nodes)
    parents = nearest(nodes, before)
    pairs = [(node.name, parent) for node in nodes if node.name in before and (parent := parents[node.name])]
    old = np.array([before[name][:3, 3] - before[parent][:3, 3] for name, parent in pairs])
    new = np.array([after[name][:3, 3] - after[parent][:3, 3] for name, parent in pairs])
    return old.reshape(-1, 3), new.reshape(-1, 3)


def nearest(nodes: Sequence[Node], names: Collection[str | None]) -> dict[str, str | None]:
    """Return for each node its next ancestor that is among `names`."""
    found: dict[str, str | None] = {}
    for node in nodes:
        above = node.parent
        found[node.name] = above if above is None or above in names else found[above]
    return found


# --- Joints ------------------------------------------------------------------------------------------------------


def joints_on(clip: Clip, nodes: Sequence[Node]) -> set[str]:
    """Return the joints with data that `nodes` have; none where none of them is parented to another.

    Where no bone is parented to another, each can be where its joint is, and nothing has to be turned.
    """
    moving = transform_tracks(clip.tracks)
    ends = {node.leads_to for node in clip.nodes}
    linked = (node for node in clip.nodes if node.leads_to or node.name in ends)
    joints = {node.name for node in linked if not node.placeholder and node.name in moving}
    found = joints & {node.name for node in nodes}
    parents = nearest(nodes, found)
    return found if any(parents[name] is not None for name in found) else set()


def follow_joints(
    clip: Clip, nodes: Sequence[Node], root: Array, report: Report, *, placed: Collection[str] = ()
) -> Clip:
    """Return the clip on a rig whose bones follow its joints, turned only, at the joints' key times.

    Args:
        nodes: the rig's, parents before children, those matched called as in the clip.
        root: (4, 4) world matrix of the object that carries `nodes`, scaled or not.
        placed: joints with no joint above them, whose bones also move to where the joint is.
        report: learns how many bones follow at how many times.

    Transform tracks of nodes that are no joints are left out; tracks of other kinds stay.
    """
    joints = joints_on(clip, nodes)
    parents = nearest(nodes, joints)
    tops = {name: name for name in joints if parents[name] is None}
    for node in nodes:
        if node.name in joints:
            tops.setdefault(node.name, tops.get(parents[node.name] or "", node.name))
    written_out = replace(clip, tracks=unrolled(clip.tracks, clip))
    tracks: list[Track] = []
    for top in dict.fromkeys(tops[node.name] for node in nodes if node.name in joints):
        names = [node.name for node in nodes if tops.get(node.name) == top]
        # what a tree knows of its places goes with it, as they are large
        tree = _Tree(Chains(written_out), nodes, np.asarray(root, np.float64), parents, names)
        tracks += tree.tracks(top in placed)
    moments = max((len(track.times) for track in tracks), default=0)
    report.note(messages.JOINTS_FOLLOWED, bones=len({track.node for track in tracks}), moments=moments)
    others = [track for track in clip.tracks if track.kind is not TrackKind.TRANSFORM]
    return replace(clip, nodes=list(nodes), tracks=others + tracks)


class _Tree:
    """The joints below one that has none above it: they share their times."""

    def __init__(
        self, chains: Chains, nodes: Sequence[Node], root: Array, parents: Mapping[str, str | None], names: list[str]
    ) -> None:
        self.chains, self.nodes, self.parents, self.names = chains, nodes, parents, names
        self.ends = {name: chains.nodes[name].leads_to for name in names}
        # all that moves a joint or the end of one gives its key times
        involved = {name for joint in names for name in self.chains.ancestry(joint)}
        involved |= {end for end in self.ends.values() if self._has_data(end)}
        keyed = [track for name in sorted(involved) for track in self.chains.tracks.get(name, ())]
        self.times, self.steps = key_times(keyed)
        self.worlds: dict[str | None, Array] = {None: root[None]}
        self.at_rest: dict[str, Array] = {}
        self.bones = chain_rests(nodes)
        turns = decompose(product(root, np.stack([self.bones[name] for name in names])))[1]
        self.rests = {name: turns[:, number, None] for number, name in enumerate(names)}

    def tracks(self, placed: bool) -> list[Track]:
        """Return the transform tracks of the bones; the first one's location too if `placed`."""
        result: list[Track] = []
        shapes = np.where(np.isin(self.times, self.steps), CONSTANT, LINEAR)
        resting = {name: np.repeat(np.array(rest)[:, None], len(shapes), axis=1) for name, rest in RESTING.items()}
        for node in self.nodes:
            # where its parent holds it; bones between the matched ones stay at rest
            held = product(self.worlds[node.parent], node.rest)
            if node.name not in self.names:
                self.worlds[node.name] = held
                continue
            own = {}
            if placed and node.name == self.names[0]:  # the location that brings the bone to its joint
                there = np.ones((len(self.times), 4, 1))
                there[:, :3, 0] = self._position(node.name)
                own[LOCATION] = (inverse(held) @ there)[:, :3, 0].T
            turn = self._turn(node.name, held)
            if turn is not None:
                own[ROTATION] = turn
            for name, values in own.items():
                result.append(Track.sampled(node.name, name, self.times, values.astype(np.float32), shapes))
            self.worlds[node.name] = product(held, compose(*(resting | own).values()))
        return result

    def _position(self, joint: str) -> Array:
        return np.broadcast_to(self.chains.world(joint, self.times)[:, :3, 3], (len(self.times), 3))

    def _has_data(self, joint: str) -> bool:
        node = self.chains.nodes.get(joint)
        return node is not None and not node.placeholder and joint in self.chains.tracks

    def _turn(self, joint: str, held: Array) -> Array | None:
        """Return the rotation (4, m) of a bone held by its parent; None where nothing says how it should lie."""
        arms, wanted = self._directions(joint)
        if not len(arms):
            return None
        axes = np.broadcast_to(decompose(held)[1], (4, len(self.times)))
        # in metres, along the bone's axes, whatever scale or mirror the rig has
        arms = quaternion.turned(quaternion.conjugate(axes[:, :1]), held[0, :3, :3] @ arms.T).T
        # only those that say how a bone lies: knuckles, but not the thumb, which is no part of the palm
        # one direction, or several in a line, leave its roll open
        lengths = np.sqrt((arms * arms).sum(axis=1))
        long = lengths >= _LONG * lengths.max()
        chosen = long if long.sum() > 1 and quaternion.spans_a_plane(arms[long]) else np.ones(len(arms), dtype=bool)
        arms, wanted = arms[chosen], wanted[:, chosen]
        single = len(arms) == 1 or not quaternion.spans_a_plane(arms)
        along, aim = quaternion.unit(arms.mean(axis=0)), quaternion.unit(wanted.mean(axis=1))
        lying = quaternion.aimed(axes, along, aim) if single else quaternion.fitted(arms, wanted, axes)
        # the recorded rotation, where it agrees with the positions, is steadier than they are
        recorded = np.broadcast_to(decompose(self.chains.world(joint, self.times))[1], (4, len(self.times)))
        between = self._to_bone(joint, recorded, lying, along, aim)
        if between is not None:
            steady = quaternion.multiply(recorded, between)
            lying = quaternion.aimed(steady, along, aim) if single else steady
            self.at_rest[joint] = quaternion.multiply(self.rests[joint], quaternion.conjugate(between))
        turn = quaternion.multiply(quaternion.conjugate(axes), lying)
        return turn * quaternion.align_signs(turn)

    def _directions(self, joint: str) -> tuple[Array, Array]:
        """Return (k, 3) to the matched bones behind a bone at rest, and (m, k, 3) to their joints in the world.

        A bone with none behind it points along its Y to where the file says that it ends.
        """
        behind = [name for name in self.names if self.parents[name] == joint]
        back = inverse(self.bones[joint])
        arms = [product(back, self.bones[name])[:3, 3] for name in behind]
        far = [(name, arm) for name, arm in zip(behind, arms) if np.abs(arm).max() > 1e-9]
        if not far and self._has_data(self.ends[joint]):
            far = [(self.ends[joint], np.array([0.0, 1.0, 0.0]))]
        if not far:
            return np.zeros((0, 3)), np.zeros((len(self.times), 0, 3))
        here = self._position(joint)
        return np.array([arm for _, arm in far]), np.stack([self._position(name) - here for name, _ in far], axis=1)

    def _to_bone(self, joint: str, recorded: Array, lying: Array, along: Array, aim: Array) -> Array | None:
        """Return the turn (4, 1) from a joint's axes to its bone's; None where its rotation contradicts the positions.

        Found as the mean over the clip, the bone `lying` so. Below a joint whose axes in the rig's rest pose are known,
        these say more: axes mean the same all along a finger. But not for a thumb, which is turned about itself.
        """
        if not any(track.property == ROTATION for track in self.chains.tracks[joint]):
            return None
        # the turn at each time, and their mean: the largest eigenvector of the sum of q q^T
        back = quaternion.conjugate(recorded)
        between = quaternion.multiply(back, lying)
        sizes, ways = np.linalg.eigh(between @ between.T / between.shape[1])
        if sizes[-1] < _STEADY:
            return None
        mean, above = ways[:, -1:], self.at_rest.get(self.parents[joint] or "")
        if above is None:
            return mean
        # what the axes of the joint above say of this one in the rig's rest pose
        rest = self.rests[joint]
        far = quaternion.unit(quaternion.turned(back, aim.T).mean(axis=1))
        here = quaternion.aimed(above, far, quaternion.turned(rest, along[:, None]).T)
        ruled = quaternion.multiply(quaternion.conjugate(here), rest)
        return ruled if quaternion.distance(ruled, mean)[0] < _SAME_AXES else mean
