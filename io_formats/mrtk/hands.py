"""A recorded hand as a person sees it: bones with parents, and a mesh around them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..clip import LOCATION, ROTATION, Array, Clip, Node, Track, TrackKind, by_property, curve, quaternion
from ..clip.model import Material, Model, Skin
from ..clip.resample import unrolled
from . import joints, layout

# Hands with parents: wrist, palm and five chains, the recorded motion baked onto them, ready to drive a mesh.
#
# The rest pose is the recording's own: where every joint is at the first moment at which the hand is complete. A
# bone is turned as its joint is, +Y along the finger, so that exporting the rig needs nothing but its world poses.

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
        position = parent.position + quaternion.turned(parent.turn, self.position)
        return _Motion(position, quaternion.multiply(parent.turn, self.turn))

    def halfway(self) -> _Motion:
        """Return the (m - 1) poses that straight lines play halfway between neighbouring moments."""
        turn = self.turn * quaternion.align_signs(self.turn)
        position = (self.position[:, 1:] + self.position[:, :-1]) / 2.0
        return _Motion(position, quaternion.normalise(turn[:, 1:] + turn[:, :-1]))

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
            hand_nodes, hand_tracks = _HandSkeleton(clip, side).build()
            kept += hand_nodes
            tracks += hand_tracks
    return replace(clip, nodes=kept, tracks=tracks)


def _is_joint(name: str) -> bool:
    joint, _, side = name.rpartition(".")
    return side in joints.SIDES and joint in layout.JOINTS


class _HandSkeleton:
    def __init__(self, clip: Clip, side: str) -> None:
        self._side = side
        self._nodes = [node for node in clip.nodes if _is_joint(node.name) and node.name.endswith(side)]
        above = ((node.name, joints.PARENT_JOINT.get(node.name.rpartition(".")[0])) for node in self._nodes)
        self._parents = {name: None if joint is None else f"{joint}.{side}" for name, joint in above}
        moving = [track for track in clip.tracks if track.node in self._parents and track.kind == TrackKind.TRANSFORM]
        self._tracks = by_property(unrolled(moving, clip))
        # the hand's key times (m,) in seconds, and the index of the first at which every joint has begun
        every = [track for tracks in self._tracks.values() for track in tracks if len(track.times)]
        arrays = list({id(track.times): track.times for track in every}.values()) or [np.zeros(1, np.float32)]
        self._times = np.unique(np.concatenate(arrays))
        self._complete = int(np.searchsorted(self._times, max(array[0] for array in arrays)))

    def build(self) -> tuple[list[Node], list[Track]]:
        """Return the parented nodes and their sampled tracks."""
        self._refine()
        world = self._world(self._times)
        result: list[Node] = []
        tracks: list[Track] = []
        for node in self._nodes:
            relative = self._relative(node, world)
            rest = relative.at(self._complete)
            result.append(replace(node, parent=self._parents[node.name], rest=rest.matrix()))
            if not node.placeholder:
                basis = relative.relative_to(rest)
                turn = basis.turn * quaternion.align_signs(basis.turn)
                tracks += [
                    Track.sampled(node.name, property_name, self._times, values.astype(np.float32))
                    for property_name, values in ((LOCATION, basis.position), (ROTATION, turn))
                ]
        return result, tracks

    def _refine(self) -> None:
        """Add moments halfway between others until lines between them are near enough for every joint."""
        for _ in range(_ROUNDS):
            middles = (self._times[1:] + self._times[:-1]) / np.float32(2.0)
            ends, exact = self._world(self._times), self._world(middles)
            played: dict[str, _Motion] = {}
            errors = np.zeros(len(middles))
            for node in self._nodes:
                halfway, parent = self._relative(node, ends).halfway(), self._parents[node.name]
                motion = played[node.name] = halfway if parent is None else halfway.after(played[parent])
                step = motion.position - exact[node.name].position
                turned = quaternion.distance(motion.turn, exact[node.name].turn)
                errors = np.maximum(errors, np.sqrt((step * step).sum(axis=0)) / _NEAR_POSITION)
                errors = np.maximum(errors, turned / _NEAR_TURN)
            far = errors > 1.0
            if not far.any():
                return
            complete = self._times[self._complete]
            self._times = np.union1d(self._times, middles[far])
            self._complete = int(np.searchsorted(self._times, complete))

    def _world(self, times: Array) -> dict[str, _Motion]:
        """Return the world motion of each joint at `times` (m,) in seconds; one without data follows its parent."""
        world: dict[str, _Motion] = {}
        for node in self._nodes:
            parent = self._parents[node.name]
            if not node.placeholder:
                position = self._sampled(node.name, LOCATION, (0.0, 0.0, 0.0), times)
                turn = self._sampled(node.name, ROTATION, (1.0, 0.0, 0.0, 0.0), times)
                world[node.name] = _Motion(position, quaternion.normalise(turn))
                continue
            world[node.name] = stand = _still(node.rest, len(times))
            if parent is not None:
                parent_stand = _still(joints.neutral_rest(parent.rpartition(".")[0], self._side), len(times))
                world[node.name] = stand.relative_to(parent_stand).after(world[parent])
        return world

    def _relative(self, node: Node, world: dict[str, _Motion]) -> _Motion:
        parent = self._parents[node.name]
        return world[node.name] if parent is None else world[node.name].relative_to(world[parent])

    def _sampled(self, name: str, property_name: str, default: tuple[float, ...], times: Array) -> Array:
        values = np.repeat(np.array(default)[:, None], len(times), axis=1)
        for track in self._tracks.get((name, TrackKind.TRANSFORM, property_name), ()):
            rows = slice(track.component, track.component + len(track.values))
            values[rows] = curve.evaluate(track, times)
        return values


def _still(matrix: Array, count: int) -> _Motion:
    position = np.repeat(matrix[:3, 3:], count, axis=1)
    return _Motion(position, np.repeat(quaternion.from_matrix(matrix[None, :3, :3]), count, axis=1))


# A mesh for each recorded hand, made around its joints, as a hand is easier to recognise than bones.
#
# The hand is built where the recording shows it open: a tube along each finger, a palm between wrist and knuckles,
# sized by the distances of the joints. In that pose the mesh is tied to the joints, each vertex to the one whose bone
# it lies on, so that no convention about the axes of joints matters; hands with parents blend at the joints.

_COLORS = {"L": (0.28, 0.51, 0.83), "R": (0.90, 0.53, 0.24)}
_TITLES = {"L": "Left Hand", "R": "Right Hand"}
_MOMENTS = 24
"""Number of moments that are searched for the most open hand."""

_SIDES = 8
"""Vertices around a finger."""

_STEPS = (0.0, 0.3, 0.6)
"""Where rings lie on a finger's bone, as shares of its length; the gap before the next joint keeps its bend from
stretching an edge to more than three times its length."""

_NEUTRAL_REACH = 0.094
"""Metres from the wrist to the middle knuckle of a hand whose fingers are as thick as `_THICKNESS` says."""

_THICKNESS = (0.0095, 0.0085, 0.0075, 0.0062)
"""Radius of a finger at its joints, from the knuckle to the tip."""

_THUMB = 1.2
_PALM_THICKNESS = 0.0135
_PALM_ROWS = (0.0, 0.15, 0.35, 0.6, 0.85, 1.0, 1.08)
_PALM_COLUMNS = 9
_PALM_MARGIN = 0.2
"""How far the palm reaches beyond the outer metacarpals, as a share of its width."""

_INSIDE = 0.75
"""Where a finger begins within the palm, as a share of its metacarpal."""

_ROOT = 0.45
"""How wide it begins there, as a share of its width: as wide as elsewhere it would stand out of the palm."""

_THUMB_INSIDE = 0.35
"""The same for the thumb, on the way from the wrist to its metacarpal joint."""

_TIP = np.array([(0.0, 1.0), (0.55, 0.82), (0.9, 0.45)])
"""Rings of a fingertip: how far beyond the joint, and how wide, in its radius."""

_WRIST_ROWS = 0.3
"""Rows of the palm below this follow the wrist."""

_FINGERS = ("Index", "Middle", "Ring", "Pinky")
_LEAST_REACH, _MOST_REACH = 1e-3, 10.0


def hand_models(recorded: Clip, clip: Clip) -> list[Model]:
    """Return a model for each hand that has every joint and is seen in `recorded` at least once; its joints are those
    of `clip`, the same on an armature."""
    sides = (side for side in joints.SIDES if clip.node(f"Wrist.{side}") is not None)
    return [model for side in sides if (model := _HandModel(recorded, clip, side).model()) is not None]


class _HandModel:
    def __init__(self, recorded: Clip, clip: Clip, side: str) -> None:
        self._recorded = recorded
        self._side = side
        self._nodes = [node for joint in layout.JOINTS[1:] if (node := clip.node(f"{joint}.{side}")) is not None]
        self._names = [node.name for node in self._nodes]
        self._is_skeleton = any(node.parent is not None for node in self._nodes)
        self._tracks = by_property(track for track in recorded.tracks if track.node in self._names)

    def model(self) -> Model | None:
        """Return the model, None where joints are missing or the hand is never seen."""
        if len(self._nodes) < len(layout.JOINTS) - 1 or any(node.placeholder for node in self._nodes):
            return None
        if self._is_skeleton:
            worlds: dict[str, Array] = {}
            for node in self._nodes:
                worlds[node.name] = node.rest if node.parent is None else worlds[node.parent] @ node.rest
            pose: Array | None = np.stack([worlds[name] for name in self._names])
        else:
            pose = self._open_pose()
        if pose is None:
            return None
        positions = pose[:, :3, 3]
        ends = (positions[self._names.index(f"{joint}.{self._side}")] for joint in ("Wrist", "MiddleKnuckle"))
        if not _LEAST_REACH < float(np.linalg.norm(np.subtract(*ends))) < _MOST_REACH:
            return None
        shape = _Shape(positions, self._names)
        title = _TITLES[self._side]
        return Model(
            title,
            np.concatenate(shape.vertices).astype(np.float32),
            np.concatenate(shape.faces).astype(np.int32),
            materials=[Material(title, _COLORS[self._side])],
            skin=shape.skin(None if self._is_skeleton else pose, blended=self._is_skeleton),
            shown_by=self._nodes[0].shown_by,
            smooth=True,
            selectable=self._is_skeleton,  # which Blender's exporters take with its armature
        )

    def _open_pose(self) -> Array | None:
        """Return the recorded pose (joints, 4, 4) of the straightest fingers and most usual lengths, or None."""
        # seconds (moments,), spread over the hand's key times while it is tracked
        places = (self._tracks.get((name, TrackKind.TRANSFORM, LOCATION), ()) for name in self._names)
        times = next((track.times for tracks in places for track in tracks if len(track.times)), np.zeros(0))
        shown = self._nodes[0].shown_by
        switch = next((track for track in self._recorded.tracks if (track.node, track.property) == shown), None)
        if switch is not None and len(switch.times):
            last = np.clip(np.searchsorted(switch.times, times, side="right") - 1, 0, len(switch.times) - 1)
            times = times[switch.values[0][last] > 0.5]
        times = times[np.unique(np.linspace(0, len(times) - 1, _MOMENTS).astype(np.intp))] if len(times) else times
        if not len(times):
            return None
        positions, turns = self._sampled(LOCATION, times), self._sampled(ROTATION, times)
        chains = [[self._names.index(f"{joint}.{self._side}") for joint in chain] for chain in joints.CHAINS]
        lengths = np.concatenate([_lengths(positions[chain]) for chain in chains])
        usual = np.maximum(np.median(lengths, axis=1, keepdims=True), 1e-6)
        odd = np.abs(lengths / usual - 1.0).mean(axis=0)
        spans = np.stack([_lengths(positions[[chain[0], chain[-1]]])[0] for chain in chains]).sum(axis=0)
        straight = spans / np.maximum(lengths.sum(axis=0), 1e-6)
        best = int(np.argmax(np.nan_to_num(straight - odd, nan=-np.inf)))
        if not (np.isfinite(positions[:, :, best]).all() and turns[:, :, best].any(axis=1).all()):
            return None
        matrices = np.tile(np.eye(4), (len(self._names), 1, 1))
        matrices[:, :3, :3], matrices[:, :3, 3] = quaternion.to_matrix(turns[:, :, best].T), positions[:, :, best]
        return matrices

    def _sampled(self, property_name: str, times: Array) -> Array:
        """Return (joints, components, moments) values of the last key at or before each moment."""
        width = 3 if property_name == LOCATION else 4
        result = np.zeros((len(self._names), width, len(times)))
        key_at: dict[int, Array] = {}
        for number, name in enumerate(self._names):
            for track in self._tracks.get((name, TrackKind.TRANSFORM, property_name), ()):
                if id(track.times) not in key_at:
                    last = np.searchsorted(track.times, times, side="right") - 1
                    key_at[id(track.times)] = np.clip(last, 0, len(track.times) - 1)
                rows = slice(track.component, track.component + len(track.values))
                result[number, rows] = track.values[:, key_at[id(track.times)]]
        return result


def _lengths(positions: Array) -> Array:
    """Return (joints - 1, moments) distances between neighbours along the first axis of (joints, 3, moments)."""
    steps = np.diff(positions, axis=0)
    with np.errstate(over="ignore", invalid="ignore"):
        found: Array = np.sqrt((steps * steps).sum(axis=1))
    return found


class _Shape:
    """Rings of vertices around fingers and palm, and which joint each follows.

    Attributes:
        vertices: (n, 3) of each tube.
        faces: (m, 4) vertex numbers of each tube, counter-clockwise from outside.
        follows: (n, 2) of each tube: the joint that a vertex follows, and another one that it also does.
        shares: (n,) of each tube: the other's share.
    """

    def __init__(self, positions: Array, names: list[str]) -> None:
        self.vertices: list[Array] = []
        self.faces: list[Array] = []
        self.follows: list[Array] = []
        self.shares: list[Array] = []
        self._names = names
        self._number = {name.rpartition(".")[0]: number for number, name in enumerate(names)}
        self._at = {name.rpartition(".")[0]: position for name, position in zip(names, positions)}
        self._size = _length(self._at["MiddleKnuckle"] - self._at["Wrist"]) / _NEUTRAL_REACH
        # out of the back of a left hand, of a right one's palm, so that all faces look outwards
        index, pinky, wrist = self._at["IndexKnuckle"], self._at["PinkyKnuckle"], self._at["Wrist"]
        across = np.cross(index - wrist, pinky - wrist)
        length = _length(across)
        self._upright = across / length if length > 0 else np.array([0.0, 0.0, 1.0])
        thumb, *fingers = joints.CHAINS
        self._finger(("Wrist", *thumb), first=_THUMB_INSIDE, thicker=_THUMB)
        for chain in fingers:
            self._finger(chain, first=_INSIDE, thicker=1.0)
        self._palm()

    def skin(self, bind: Array | None, *, blended: bool) -> Skin:
        """Return which joints the vertices follow; one each unless blended."""
        follows, share = np.concatenate(self.follows), np.concatenate(self.shares).astype(np.float32)
        share = share if blended else np.zeros_like(share)
        influences = np.stack([follows[:, 0], np.where(share > 0, follows[:, 1], -1)], axis=1)
        return Skin(self._names, influences, np.stack([1 - share, share], axis=1), bind)

    # --- Fingers -----------------------------------------------------------------------------

    def _finger(self, chain: tuple[str, ...], *, first: float, thicker: float) -> None:
        """Build a closed tube along the joints, from the share `first` of the first bone, within the palm."""
        at = np.stack([self._at[joint] for joint in chain])
        numbers = np.array([self._number[joint] for joint in chain])
        radii = np.interp(np.linspace(0, 3, len(chain)), range(4), _THICKNESS) * self._size * thicker
        # rings along the bones, at shares of each, from `first` on the first
        bone, step = np.repeat(np.arange(len(chain) - 1), len(_STEPS)), np.tile(_STEPS, len(chain) - 1)
        later = (bone > 0) | (step > first)
        bone, step = np.concatenate([[0], bone[later]]), np.concatenate([[first], step[later]])
        along = np.diff(at, axis=0)
        centers = at[bone] + along[bone] * step[:, None]
        sizes = radii[bone] + (radii[bone + 1] - radii[bone]) * step
        sizes[0] *= _ROOT
        tip = along[-1] / max(_length(along[-1]), 1e-9) * radii[-1]
        centers = np.concatenate([centers, at[-1] + _TIP[:, :1] * tip])
        sizes = np.concatenate([sizes, _TIP[:, 1] * radii[-1]])
        last = np.full(len(_TIP), len(chain) - 1)
        before = np.concatenate([np.where((step == 0.0) & (bone > 0), bone - 1, bone), last])
        bone = np.concatenate([bone, last])
        shares = np.where(bone != before, 0.5, 0.0)
        along = along[np.minimum(bone, len(along) - 1)]
        side = quaternion.unit(np.cross(along, self._upright))
        up = quaternion.unit(np.cross(along, side))
        angles = np.arange(_SIDES) * (2 * np.pi / _SIDES)
        circle = np.cos(angles)[:, None] * side[:, None] + np.sin(angles)[:, None] * up[:, None]
        rings = centers[:, None] + sizes[:, None, None] * circle
        self._add_tube(rings, numbers[bone], numbers[before], shares)

    # --- Palm --------------------------------------------------------------------------------

    def _palm(self) -> None:
        """Build rows from the wrist to the knuckles, each a flat ring across the four metacarpals."""
        metacarpals = np.stack([self._at[f"{finger}Metacarpal"] for finger in _FINGERS])
        knuckles = np.stack([self._at[f"{finger}Knuckle"] for finger in _FINGERS])
        starts = self._at["Wrist"] + metacarpals - metacarpals.mean(axis=0)
        rows = np.array(_PALM_ROWS)[:, None, None]
        across = np.linspace(-_PALM_MARGIN, 1 + _PALM_MARGIN, _PALM_COLUMNS) * (len(_FINGERS) - 1)
        # polylines (rows, 4, 3) at corner numbers (n,), extrapolated beyond the ends
        lines = starts + (knuckles - starts) * rows
        first = np.clip(np.floor(across), 0, lines.shape[1] - 2).astype(np.intp)
        share = (across - first)[:, None]
        middle = lines[:, first] + (lines[:, first + 1] - lines[:, first]) * share
        edge = np.maximum(1 - np.linspace(-1, 1, _PALM_COLUMNS) ** 2, 0.0) ** 0.3
        thick = _PALM_THICKNESS * self._size * edge * (1.0 - 0.35 * np.maximum(rows[:, 0] - 0.35, 0.0))
        lift = thick[:, :, None] * self._upright
        order = [*range(_PALM_COLUMNS), *range(_PALM_COLUMNS - 2, 0, -1)]
        rings = np.concatenate([middle + lift, (middle - lift)[:, 1:-1][:, ::-1]], axis=1)
        finger = np.clip(np.round(across), 0, len(_FINGERS) - 1).astype(np.intp)[order]
        metacarpal = np.array([self._number[f"{name}Metacarpal"] for name in _FINGERS])[finger]
        # rows at the wrist follow the wrist, the others the metacarpals
        rings, metacarpal, wrist = rings[:, ::-1], metacarpal[::-1], self._number["Wrist"]
        shares = np.repeat(np.array(_PALM_ROWS)[:, None], len(metacarpal), axis=1)
        low = shares < _WRIST_ROWS
        follows, others = np.where(low, wrist, metacarpal), np.where(low, metacarpal, wrist)
        self._add_tube(rings, follows, others, np.where(low, shares, np.maximum(0.6 - shares, 0.0)))

    # --- Faces -------------------------------------------------------------------------------

    def _add_tube(self, rings: Array, follows: Array, others: Array, shares: Array) -> None:
        """Add faces between rings (n, around, 3), and across both ends; the others are (n,) by ring or (n, around)."""
        count, around = rings.shape[:2]
        first = sum(len(part) for part in self.vertices)
        at = np.arange((count - 1) * around).reshape(-1, around)
        after = np.concatenate([at[:, 1:], at[:, :1]], axis=1)
        sides = np.stack([at, after, after + around, at + around], axis=-1).reshape(-1, 4)
        across = np.arange(around // 2 - 1)
        cap = np.stack([across, around - 1 - across, around - 2 - across, across + 1], axis=1)
        faces = np.concatenate([sides, cap, cap[:, ::-1] + (count - 1) * around])
        self.vertices.append(rings.reshape(-1, 3))
        self.faces.append(faces + first)
        by_ring = (part.reshape(count, -1) for part in (follows, others, shares))
        spread = [np.broadcast_to(part, (count, around)).ravel() for part in by_ring]
        self.follows.append(np.stack(spread[:2], axis=1))
        self.shares.append(spread[2])


def _length(vector: Array) -> float:
    return float(np.sqrt((vector * vector).sum()))
