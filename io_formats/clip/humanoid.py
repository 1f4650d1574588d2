"""A body out of a file that names no parents, and that body's motion on rigs of other proportions and rest poses.

`as_body`: what a file tells of a node is seen from its parent, and the names tell which node that is. The rest pose is
the first pose; what the file does not say is as bodies usually are.

`posed_as`: two bodies rest alike where their limbs point alike, whatever the axes of their bones. So the file's body is
given the rest in which each limb points as the rig's does at rest, after which `retarget.from_rest_to_rest` brings the
motion over. Each joint is as it is on the average; arms and legs are turned from there, the short way.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from . import LOCATION, ROTATION, Array, Clip, Node, NodeKind, Track, quaternion, rest_pose
from .bone_names import read_body, read_hands
from .pose import Chains, chain_rests, channels_of, compose, in_model_order, inverse, product, transform_tracks
from .schemes import AHEAD, FINGERS, LENGTHS, PARTS, PHALANX, TRUNK

_FEWEST = 6
"""Parts that make a body."""

_STEADY, _MOST = 0.3, 0.75
"""Part of its distance by which a joint may move, seen from the one that carries it, and share of joints that do so."""

_SAME_PLACE, _SAME_AXES = 0.05, np.radians(45.0)
"""Part of the distance from its parent, and radians, by which a rig's joint may differ from those of its own files."""

_TURNED_OVER = np.cos(np.radians(45.0))
"""Largest W of a leg's rotation against the hips where limbs point along their own Y."""

_UPWARDS = 0.7
"""Part of the way from its hips to its head by which a body's hips must be beyond its slot, along that way."""

_LEG = (("upper leg", "lower leg"), ("lower leg", "foot"))
_ARM = (("upper arm", "lower arm"), ("lower arm", "wrist"))
_TOPS = ("neck", "head", "upper chest", "chest", "spine")
_LEAST_SIZE = 0.2
_HIDDEN = 1e-3
_FARTHEST, _LEAST_TURN = 1e7, 1e-6
_MOMENTS = 121
_Y_UP = np.array([[1.0, 0, 0, 0], [0, 0, -1.0, 0], [0, 1.0, 0, 0], [0, 0, 0, 1.0]])


# --- Standing --------------------------------------------------------------------------------------------------------


def as_body(clip: Clip) -> Clip:
    """Return a clip whose nodes know no parents as that of a body, which has them; the clip itself if it is none.

    Nor is it where joints change their distance from those that would carry them, as they are in another space.
    """
    parts = parts_of([node.name for node in clip.nodes if node.kind is NodeKind.BONE])
    tracks = transform_tracks(clip.tracks)
    if clip.parents_known or len(parts) < _FEWEST or not is_connected(clip, parts):
        return clip
    # parents as the names say; then the first pose as the rest, limbs as long as to the next joint
    names = {part: name for name, part in parts.items()}
    parents = {name: _way(part, names)[0] for name, part in parts.items()}
    family = in_model_order([replace(node, parent=parents.get(node.name)) for node in clip.nodes])
    held = [_held(node, clip, parts, tracks) for node in family]
    rests = [replace(node, rest=product(node.rest, _first(tracks.get(node.name, ())))) for node in held]
    lengths = _lengths(rests, parts)
    rests = [replace(node, length=lengths.get(node.name)) for node in rests]
    # on its feet, and each bone's Y along its limb, by quarter turns that keys bear exactly
    root = product(_upright(rests, parts, clip.root), clip.root)
    rests = _along_limbs(rests, parts)
    turns = {node.name: node.turn for node in rests if node.turn is not None}
    moved = rest_pose.rebase(replace(clip, nodes=held, parents_known=True), rests, clip.root, turns=turns)
    return replace(moved, root=root, recorded=clip)


def parts_of(names: Sequence[str]) -> dict[str, str]:
    """Return by name the part of a body or of its fingers, such as `hips`, `l foot` or `r index 1`, each once."""
    found = read_body(names)
    if len(found) >= _FEWEST:
        fingers = read_hands(names).joints
        found = {name: joint for name, joint in fingers.items() if joint.split(" ")[1] in FINGERS} | found
    parts = list(found.values())
    return {name: part for name, part in found.items() if parts.count(part) == 1}


def _named(part: str) -> tuple[str, str, str]:
    """Return the side of a part, its name among PARTS, and the number of a finger's joint."""
    side, _, limb = part.partition(" ")
    finger, _, number = limb.rpartition(" ")
    return (side, finger, number) if finger in FINGERS else (side, part if part in TRUNK else limb, "")


def _above(part: str) -> str:
    """Return the part that carries another where none is missing; empty for what nothing carries."""
    side, own, number = _named(part)
    if number not in ("", "0"):
        return f"{side} {own} {int(number) - 1}"
    above, _ = PARTS.get(own, ("", None))
    return above if above in ("", *TRUNK) else f"{side} {above}"


def _way(part: str, names: Mapping[str, str]) -> tuple[str | None, list[str]]:
    """Return the name of what carries a part, None for nothing, and the parts behind that, itself first."""
    way, above = [part], _above(part)
    while above and above not in names:
        way.append(above)
        above = _above(above)
    return names.get(above), way


def is_connected(clip: Clip, parts: Mapping[str, str]) -> bool:
    """Return whether most joints of a body, its parts by name, stay where they are, seen from what these say carries
    them."""
    tracks = transform_tracks(clip.tracks)
    names = {part: name for name, part in parts.items()}
    carried = [name for name, part in parts.items() if _way(part, names)[0] is not None]
    for track in (track for name in parts for track in tracks.get(name, ())):
        # places are on this earth, and rotations are such
        sizes = np.abs(track.values).max(axis=0, initial=0.0)
        if not (sizes > _LEAST_TURN if track.property == ROTATION else sizes < _FARTHEST).all():
            return False
    steady = []
    for track in (track for name in carried for track in tracks.get(name, ()) if track.property == LOCATION):
        # a joint that is carried stays as far from what carries it as it is long
        reach = float(np.linalg.norm(track.values, axis=0).max(initial=0.0))
        steady.append(float(np.ptp(track.values, axis=1).max(initial=0.0)) <= _STEADY * reach)
    return not steady or sum(steady) >= _MOST * len(steady)


def _first(tracks: Sequence[Track]) -> Array:
    """Return the (4, 4) first pose that a node's tracks tell, without its sizes."""
    location, turn, _ = channels_of(tracks, np.zeros(1))
    first: Array = compose(location, turn, np.ones((3, 1)))[0]
    return first


# --- What the file does not say --------------------------------------------------------------------------------------


def _held(node: Node, clip: Clip, parts: Mapping[str, str], tracks: Mapping[str, Sequence[Track]]) -> Node:
    """Return a node with the rest that its own tracks are relative to: the usual place where they tell none."""
    rest = np.eye(4) if node.parent is not None else np.array(node.rest, np.float64)
    if node.name not in parts or any(track.property == LOCATION for track in tracks.get(node.name, ())):
        return replace(node, rest=rest)
    _, way = _way(parts[node.name], {part: name for name, part in parts.items()})
    # the way to the next part that is there, as long as the body's size makes it
    place = np.sum([_place(part) for part in way], axis=0) * _size(clip, parts, tracks)
    legs = [tracks.get(name, ()) for name, part in parts.items() if part.endswith("upper leg")]
    along = all(abs(channels_of(leg, np.zeros(1))[1][0, 0]) < _TURNED_OVER for leg in legs)
    if along and node.parent is not None and _leads_on(parts[node.name]):
        place = np.array((0.0, np.linalg.norm(place), 0.0))
    # the axes of bodies are left, up and forward where Y is up
    bare = next(own for own in clip.nodes if own.name == node.name)
    usual = np.linalg.solve(product(clip.root, bare.rest)[:3, :3], _Y_UP[:3, :3] @ place)
    rest[:3, 3] += rest[:3, :3] @ usual
    return replace(node, rest=rest)


def _size(clip: Clip, parts: Mapping[str, str], tracks: Mapping[str, Sequence[Track]]) -> float:
    """Return how many times as large as usual a body is, as far as the height of its hips tells that."""
    hips = next((node for node in clip.nodes if parts.get(node.name) == "hips"), None)
    if hips is None:
        return 1.0
    there = product(product(clip.root, hips.rest), _first(tracks.get(hips.name, ())))
    height = float(there[2, 3]) / PARTS["hips"][1][1]
    return height if height > _LEAST_SIZE else 1.0


def _place(part: str) -> Array:
    """Return (3,) where a part is from what carries it: to the left, up and forward."""
    side, own, number = _named(part)
    if number == "0":  # a metacarpal begins at the wrist
        return np.zeros(3)
    place = PARTS.get(own, ("", (0.0, 0.0, 0.0)))[1] if number in "1" else (PHALANX, 0.0, 0.0)
    return np.array(place) * (-1.0 if side == "r" else 1.0, 1.0, 1.0)


def _leads_on(part: str) -> bool:
    """Return whether the limb that carries a part points towards it, whatever else it carries."""
    return part in AHEAD or part.partition(" ")[2] in AHEAD or part[-1:] in "234"


def _lengths(nodes: Sequence[Node], parts: Mapping[str, str]) -> dict[str, float]:
    """Return the length of each limb: the way to the next joint, or as is usual for the median of all ways."""
    gaps = {node.name: float(np.linalg.norm(node.rest[:3, 3])) for node in nodes if node.parent is not None}
    usual = {name: float(np.linalg.norm(_place(parts[name]))) for name in gaps}
    size = float(np.median([gaps[name] / length for name, length in usual.items() if length] or [1.0]))
    found = {name: size * LENGTHS.get(part.split(" ", 1)[-1], PHALANX) for name, part in parts.items()}
    ahead = (node for node in nodes if node.parent is not None and _leads_on(parts[node.name]))
    return found | {str(node.parent): gaps[node.name] for node in ahead if gaps[node.name] > 0.0}


def _along_limbs(nodes: Sequence[Node], parts: Mapping[str, str]) -> list[Node]:
    """Return the nodes of a body turned by quarters until each Y axis lies along its limb."""
    ahead = (node for node in nodes if node.parent is not None and _leads_on(parts[node.name]))
    ways = {str(node.parent): node.rest[:3, 3] for node in ahead}
    turns: dict[str | None, Array] = {None: np.eye(4)}
    result = []
    for node in nodes:
        way = ways.get(node.name)
        if way is None and node.parent in ways:  # a limb without children continues as the one before
            way = ways[node.name] = node.rest[:3, :3].T @ ways[node.parent]
        turn = turns[node.name] = np.eye(4)
        if way is not None:
            # the axis that is nearest, and two more that make a right-handed triple with it
            main = int(np.abs(way).argmax())
            aim = np.eye(3)[main] * (1.0 if way[main] >= 0.0 else -1.0)
            across = np.array((0.0, 0.0, 1.0)) if main == 0 else np.array((1.0, 0.0, 0.0))
            axes = [across, aim, np.cross(across, aim)] if main else [np.cross(aim, across), aim, across]
            turn[:3, :3] = np.stack(axes, axis=1)
        rest = product(product(inverse(turns[node.parent]), node.rest), turn)
        result.append(replace(node, rest=rest, turn=None if np.array_equal(turn, np.eye(4)) else turn))
    return result


def _upright(nodes: Sequence[Node], parts: Mapping[str, str], root: Array) -> Array:
    """Return the (4, 4) quarter turn that lets a body stand whose hips lie behind it, as those of models do that hang
    on a turned slot of which the file says nothing."""
    names = {part: name for name, part in parts.items()}
    turn = np.eye(4)
    if "hips" not in names or "head" not in names:
        return turn
    rests = chain_rests(nodes)
    ends = [names[part] for part in ("hips", "head", "l foot", "r foot") if part in names]
    hips, head, *feet = (product(root, rests[name])[:3, 3] for name in ends)
    up = head - hips
    main = np.eye(3)[np.abs(up).argmax()] * np.sign(up[np.abs(up).argmax()])
    # however far it has walked aside, its feet are where its slot is along that way, and the hips above them
    ground = min((abs(foot @ main) for foot in feet), default=0.0)
    if hips @ main > max(2.0 * ground, _UPWARDS * np.linalg.norm(up)) and main[2] < 1.0:
        across = np.array((1.0, 0.0, 0.0)) if main[2] or not main[0] else np.array((0.0, 1.0, 0.0))
        before = np.stack([across, np.cross(main, across), main], axis=1)
        turn[:3, :3] = np.stack([across, np.cross((0.0, 0.0, 1.0), across), (0.0, 0.0, 1.0)], axis=1) @ before.T
    return turn


# --- On a rig --------------------------------------------------------------------------------------------------------


def fits(recorded: Clip, nodes: Sequence[Node]) -> bool:
    """Return whether most joints are where a rig's nodes with a parent have them, or turned as these where the file
    tells no places."""
    rests = {node.name: node.rest for node in nodes if node.parent is not None}
    tracks = {name: own for name, own in transform_tracks(recorded.tracks).items() if name in rests}
    near, alike = [], []
    for name, own in tracks.items():
        location, turn, _ = channels_of(own, next((track.times for track in own), np.zeros(1)))
        there = {track.property for track in own}
        rest = rests[name]
        if LOCATION in there:
            gap = np.linalg.norm(location.mean(axis=1) - rest[:3, 3])
            near.append(bool(gap <= _SAME_PLACE * np.linalg.norm(rest[:3, 3]) + 1e-4))
        if ROTATION in there:
            axes = quaternion.from_matrix(rest[None, :3, :3])
            alike.append(bool(quaternion.distance(_mean(turn), axes)[0] <= _SAME_AXES))
    counted = near if len(near) >= _FEWEST else alike
    return sum(counted) >= _MOST * len(counted)


def shared_parts(clip: Clip, names: Container[str | None]) -> dict[str, str]:
    """Return the parts of a clip's body that `names` have, too; none where these are too few for a body."""
    own = parts_of([node.name for node in clip.nodes])
    found = {name: part for name, part in own.items() if name in names and part != "root"}
    return found if len(found) >= _FEWEST else {}


def stretched(rest: Array, tracks: Sequence[Track]) -> float:
    """Return how many times as far from its parent as at `rest` (4, 4) a bone is by its own transforms, or as large,
    where that is most off; what is hidden by its size counts as it was."""
    location, _, scale = channels_of(tracks, np.unique(np.concatenate([track.times for track in tracks])))
    place = rest[:3, 3]
    away = np.linalg.norm(place[:, None] + rest[:3, :3] @ location, axis=0) / np.linalg.norm(place)
    sizes = np.concatenate([away, np.abs(scale[np.abs(scale) > _HIDDEN])])
    return float(sizes[np.abs(np.log(np.maximum(sizes, 1e-6))).argmax()])


class Posed(NamedTuple):
    """A body whose limbs point at rest as a rig's do, the (3, 3) rotation from what carries it to what carries the rig,
    and how many times as long as its legs the rig's are."""

    clip: Clip
    tilt: Array
    scale: float


def posed_as(clip: Clip, nodes: Sequence[Node]) -> Posed | None:
    """Return a body's clip with the rest of a rig, its nodes parents first, those matched called as in the clip; None
    where they have too few parts in common."""
    there = chain_rests(nodes)
    shared = shared_parts(clip, there)
    if not shared:
        return None
    tilt = _facing(there, shared) @ quaternion.unit(np.asarray(clip.root, np.float64)[:3, :3].T).T
    pose = _Pose(clip, shared, {name: tilt.T @ there[name][:3, 3] for name in shared})
    return Posed(rest_pose.rebase(clip, pose.nodes(), clip.root), tilt, pose.scale())


def _facing(there: Mapping[str | None, Array], parts: Mapping[str, str]) -> Array:
    """Return the (3, 3) rotation from Blender's left, back and up to those of a rig at rest, square where it can be."""
    places = {part: there[name][:3, 3] for name, part in parts.items()}
    sides = [limb for limb in ("upper leg", "upper arm") if f"l {limb}" in places and f"r {limb}" in places]
    top = next((part for part in ("head", "neck", "chest", "spine") if part in places), None)
    if not sides or top is None or "hips" not in places:
        return np.eye(3)
    # left from hip to hip, up from the hips to the head, back is square to both
    left = quaternion.unit(places[f"l {sides[0]}"] - places[f"r {sides[0]}"])
    up = quaternion.unit(places[top] - places["hips"])
    axis = np.round(up)
    up = axis if np.abs(axis).sum() == 1.0 else up  # a head bowed by less than 30 degrees is no leaning figure
    back = quaternion.unit(np.cross(up, left))
    found = np.stack([np.cross(back, up), back, up], axis=1)
    square = np.round(found)
    whole = np.abs(found - square).max() < 0.3 and abs(np.linalg.det(square) - 1.0) < 1e-6
    return square if whole else found


class _Pose:
    """The rest of a body that points as a rig does: turns (4, 1) and places (3,) of its nodes, seen from the root."""

    def __init__(self, clip: Clip, shared: Mapping[str, str], wanted: Mapping[str, Array]) -> None:
        """Take `shared`, the parts of both, and `wanted`, where the rig has them (3,) at rest in the clip's space."""
        self.clip = clip
        self.wanted = wanted
        self.names = {part: name for name, part in shared.items()}
        self.chains = Chains(clip)
        self.times = np.linspace(0.0, max(clip.duration, 0.0), _MOMENTS)
        self.turns: dict[str, Array] = {}
        self.places: dict[str, Array] = {}
        self.up = quaternion.unit(inverse(np.asarray(clip.root, np.float64))[:3, 2])
        # how each is turned (4, 1) on the average, seen from its parent
        means = {}
        for node in clip.nodes:
            _, turns, _ = channels_of(self.chains.tracks.get(node.name, ()), self.times)
            means[node.name] = quaternion.multiply(quaternion.from_matrix(node.rest[None, :3, :3]), _mean(turns))
        self._put(means, {})
        self._put(means, self._arms())

    def _arms(self) -> dict[str, tuple[Array, Array]]:
        """Return by joint (k, 3) where others are, along its axes, and (k, 3) in which directions they are to lie."""
        links = [(f"{side} {above}", [f"{side} {below}"]) for side in "lr" for above, below in (*_ARM, *_LEG)]
        tops = [part for part in _TOPS if part in self.names][:1]
        links += [("hips", ["l upper leg", "r upper leg", *tops]), ("l foot", ["l toes"]), ("r foot", ["r toes"])]
        arms = {}
        for part, others in links:
            ends = [self.names[other] for other in others if other in self.names]
            if part in self.names and ends:
                name = self.names[part]
                back = quaternion.conjugate(self.turns[name])
                gaps = [quaternion.turned(back, (self.places[end] - self.places[name])[:, None])[:, 0] for end in ends]
                aims = [self.wanted[end] - self.wanted[name] for end in ends]
                if "foot" in part:  # as steep as ankle and toes are when each is lowest, which is on the ground
                    foot = self.places[ends[0]] - self.places[name]
                    steep = (self._lowest(ends[0]) - self._lowest(name)) / (np.linalg.norm(foot) or 1.0)
                    level = quaternion.unit(aims[0] - self.up * (aims[0] @ self.up))
                    aims = [level * np.sqrt(np.maximum(0.0, 1.0 - steep * steep)) + self.up * steep]
                arms[name] = np.array(gaps), np.array(aims)
        return arms

    def _lowest(self, name: str) -> float:
        world = self.chains.world(name, self.times)
        return float((product(inverse(np.asarray(self.clip.root, np.float64)), world)[:, :3, 3] @ self.up).min())

    def _put(self, means: Mapping[str, Array], arms: Mapping[str, tuple[Array, Array]]) -> None:
        """Put the nodes where they are on the average, and turn those with `arms` until these point as they are to."""
        for node in self.clip.nodes:
            turn, place = means[node.name], node.rest[:3, 3]
            if node.parent is not None:
                held = self.turns[node.parent]
                place = self.places[node.parent] + quaternion.turned(held, place[:, None])[:, 0]
                turn = quaternion.multiply(held, turn)
            if node.name in arms:
                own, aims = arms[node.name]
                flat = len(own) > 1 and quaternion.spans_a_plane(own) and quaternion.spans_a_plane(aims)
                mean = quaternion.unit(own.mean(axis=0)), quaternion.unit(aims.mean(axis=0))[None]
                # several directions fix a turn; one, or a line, is aimed the short way
                turn = quaternion.fitted(own, aims[None], turn) if flat else quaternion.aimed(turn, *mean)
            self.turns[node.name], self.places[node.name] = turn, place

    def nodes(self) -> list[Node]:
        """Return the clip's nodes with this rest, the lower foot on the ground of the clip."""
        rests: dict[str | None, Array] = {None: np.eye(4)}
        result = []
        for node in self.clip.nodes:
            place = self.places[node.name]
            if node.name == self.names.get("hips"):
                feet = [self.names[part] for part in ("l foot", "r foot") if part in self.names]
                if feet:  # the lower foot as low as it ever comes, and the hips as far above it as the legs are long
                    below = min(float((self.places[foot] - place) @ self.up) for foot in feet)
                    place = self.up * (min(map(self._lowest, feet)) - below)
            elif node.parent is not None:
                place = (rests[node.parent] @ np.append(node.rest[:3, 3], 1.0))[:3]
            rests[node.name] = np.eye(4)
            rests[node.name][:3, :3] = quaternion.to_matrix(self.turns[node.name])[0]
            rests[node.name][:3, 3] = place
            result.append(replace(node, rest=product(inverse(rests[node.parent]), rests[node.name])))
        return result

    def scale(self) -> float:
        """Return how many times as long as the body's legs the rig's are; of all limbs where there are no legs."""
        links = [(f"{side} {above}", f"{side} {below}") for side in "lr" for above, below in _LEG]
        links = [link for link in links if set(link) <= set(self.names)] or [
            (_above(part), part) for part in self.names if _above(part) in self.names
        ]
        pairs = [(self.names[above], self.names[below]) for above, below in links]
        own, rigs = (sum(float(np.linalg.norm(at[b] - at[a])) for a, b in pairs) for at in (self.places, self.wanted))
        return rigs / own if own and rigs else 1.0


def _mean(turns: Array) -> Array:
    """Return the mean (4, 1) of rotations (4, m): the largest eigenvector of the sum of q q^T."""
    return np.linalg.eigh(turns @ turns.T)[1][:, -1:]
