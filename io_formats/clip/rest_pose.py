"""A clip on other nodes: the same world motion, relative to other rests, parents and another root.

For each node, basis' = A basis B. B is the turn of the node's own frame, mostly none. A is
inverse(parent' x rest') x parent x rest, where the parents are those in the world; it is constant where both parents
have the same moving node above them, however that moves. Then the change is linear in the keys (a matrix on locations,
one on the four components of quaternions) and exact, handles included. Components that mix are united first, see
`unite`. Only where the two parents move against each other is the pose sampled.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

import numpy as np

from ..errors import Report
from . import CONSTANT, LOCATION, RESTING, ROTATION, SCALE, Array, Clip, Node, Track, TrackKind, grouped, messages
from . import quaternion as rotation
from .fit import unite
from .pose import Chains, Off, basis_of, decompose, inverse, is_still, product, size_of, tell_shear, transform_tracks
from .resample import USUAL_SHARE, Relative, in_step, repeat_alike, resample, unrolled

_SNAP = 1e-5
_TOLERANCE = 1e-5
"""Of handles that have to be fitted again, as part of the range of the values (of 1 for rotations)."""
_EYE = np.eye(4)
_EVEN = 2e-5
"""Sizes and angles between axes that differ by less than this are what float32 left of equal ones."""


def rebase(
    clip: Clip,
    nodes: Sequence[Node],
    root: Array,
    *,
    times: Array | None = None,
    tolerance: float = _TOLERANCE,
    report: Report | None = None,
    turns: Mapping[str, Array] | None = None,
    snap: float = _SNAP,
    lines: Off | None = None,
    share: float = USUAL_SHARE,
    cubics: bool = False,
) -> Clip:
    """Express a clip on other nodes and another root, keeping the world motion of the nodes of the same name.

    Args:
        nodes: parents before children. Nodes that the clip has not stay at rest; transform tracks of nodes that are
            not among these are left out, and so are their other tracks.
        root: (4, 4) world matrix of the object that carries `nodes`.
        times: where to sample what has to be sampled; None takes the key times of everything involved, and more where
            the motion between them asks for it.
        tolerance: for handles that have to be fitted again, as part of the range of the values (of 1 for rotations).
        report: learns what was fitted again or sampled.
        turns: (4, 4) for nodes whose own frame is turned: world' = world x turn.
        lines: how far the straight lines between samples may be off; see `resample`.
        share: of the range of a node's locations, the same where there are no `lines`.
        cubics: what is sampled becomes cubics, not lines.
        snap: rests that differ by less than this are the same rest, read back from Blender's float32.

    Tracks of nodes whose space is the same are returned as the same objects.
    """
    # world' = world for each node: basis' = A basis B, with A constant wherever both parents move alike
    plan = _Plan(clip, nodes, np.asarray(root, dtype=np.float64), turns or {}, snap)
    work = _Work(tolerance, times, Report() if report is None else report, Chains(clip), lines, share, cubics)
    known = [node for node in nodes if node.name in plan.source]
    lefts = plan.lefts(known)
    # where it is constant, keys are mapped; the rest is sampled
    changes = _linear_changes(
        [_EYE if left is None else left for left in lefts],
        [plan.turns.get(node.name, _EYE) for node in known],
        [plan.moving.get(node.name, []) for node in known],
    )
    each = zip(known, lefts, changes, strict=True)
    moved = {node.name: _move_node(node, plan, work, left, change) for node, left, change in each}
    work.summarise(np.asarray(root))
    # the new tracks where the old ones of their node were
    tracks: list[Track] = []
    for track in clip.tracks:
        if track.kind is TrackKind.TRANSFORM:
            tracks += moved.pop(track.node, ())
        elif track.node in plan.source and track.node in plan.after:
            tracks.append(track)
    tracks += chain.from_iterable(moved.values())
    return replace(clip, nodes=list(nodes), root=np.asarray(root), tracks=tracks)


# --- What is constant --------------------------------------------------------------------------------------------


@dataclass
class _Frame:
    """A world matrix as that of a moving node of the source (None: nothing moves) times a constant matrix."""

    anchor: str | None
    offset: Array


class _Plan:
    """Where parents are, before and after, and the constant matrices between them."""

    def __init__(self, clip: Clip, nodes: Sequence[Node], root: Array, turns: Mapping[str, Array], snap: float) -> None:
        self.source = {node.name: node for node in clip.nodes}
        self.moving, self.turns, self.snap = transform_tracks(clip.tracks), turns, snap
        self._before: dict[str | None, _Frame] = {None: _Frame(None, np.asarray(clip.root, dtype=np.float64))}
        for node in clip.nodes:
            tracks, frame = self.moving.get(node.name, []), _Frame(node.name, _EYE)
            # one that moves carries others itself; the poses of a still one are part of what its parent says
            if all(map(is_still, tracks)):
                parent = self._before[node.parent]
                rest = product(parent.offset, node.rest)
                frame = _Frame(parent.anchor, product(rest, basis_of(tracks)) if tracks else rest)
            self._before[node.name] = frame
        self.after: dict[str | None, _Frame] = {None: _Frame(None, root)}
        for node in nodes:
            # the frame of the source's node of that name, turned, else at rest below its parent
            known = node.name in self.source
            frame = self._before[node.name] if known else self.after[node.parent]
            step = turns.get(node.name) if known else node.rest
            self.after[node.name] = frame if step is None else _Frame(frame.anchor, product(frame.offset, step))

    def lefts(self, nodes: Sequence[Node]) -> list[Array | None]:
        """Return the constant A of `basis' = A basis B` of each node, for all at once.

        It is `_EYE` itself where nothing changes, None where it moves.
        """
        found: list[Array | None] = [_EYE] * len(nodes)
        sides: dict[int, tuple[Array, Array, Array, Array]] = {}
        for at, node in enumerate(nodes):
            old = self.source[node.name]
            before, after = self._before[old.parent], self.after[node.parent]
            # relative to two nodes that move against each other nothing is constant
            if before.anchor != after.anchor:
                found[at] = None
            elif not (np.array_equal(before.offset, after.offset) and np.array_equal(old.rest, node.rest)):
                parents = (before.offset, after.offset)
                if old.parent == node.parent and node.parent in self.source:
                    parents = (_EYE, self.turns.get(node.parent, _EYE))  # also where what carries both has no size
                sides[at] = (*parents, old.rest, node.rest)
        if sides:
            # A = inverse(new parent x new rest) x old parent x old rest
            start, end, old_rest, rest = (np.stack(each) for each in zip(*sides.values()))
            for at, between in zip(sides, product(inverse(product(end, rest)), product(start, old_rest))):
                found[at] = _snapped(between, self.snap * max(1.0, float(np.abs(between[:3, 3]).max())), self.snap)
        return found


def _snapped(matrix: Array, length_slack: float, slack: float) -> Array:
    """Return the matrix without rounding: axes that nearly are a signed permutation, scaled or not, become one."""
    # axes, as far as they are of one size
    result = matrix.copy()
    turned = matrix[:3, :3]
    first = turned[:, 0] * turned[:, 0]
    size = float(np.sqrt(first[0] + first[1] + first[2]))
    size = 1.0 if abs(size - 1) <= slack else size
    near = np.round(turned / size) * size
    if (np.abs(near - turned) <= slack * size).all():
        result[:3, :3] = near
    # position
    if (np.abs(matrix[:3, 3]) <= length_slack).all():
        result[:3, 3] = 0.0
    return _EYE if np.array_equal(result, _EYE) else result


# --- One node ----------------------------------------------------------------------------------------------------


@dataclass
class _Work:
    """What all nodes share, and what is reported at the end."""

    tolerance: float
    times: Array | None
    report: Report
    chains: Chains
    lines: Off | None = None
    share: float = USUAL_SHARE
    cubics: bool = False
    sampled: int = 0
    error: Off = field(default_factory=Off)
    fast: list[str] = field(default_factory=list)
    sheared: dict[str, Array] = field(default_factory=dict)
    repeats: bool = False
    written_out: Chains | None = None

    def summarise(self, root: Array) -> None:
        """Report how much was sampled, relative to `root` (4, 4), and what no sample can hold."""
        tell_shear(self.sheared, self.report)
        if self.repeats:
            self.report.note(messages.WRAPS_WRITTEN_OUT)
        if not (self.sampled or self.fast):
            return
        # over all axes, not along one
        place = math.sqrt(3.0) * self.error.place * size_of(root)
        error = self.error._replace(place=place).as_values()
        if self.sampled and self.times is not None:
            self.report.note(messages.TRACKS_ON_FRAMES, tracks=self.sampled)
        elif self.sampled:
            self.report.note(messages.TRACKS_SAMPLED, tracks=self.sampled, **error)
        if self.fast:
            self.report.warn(messages.TRACKS_TOO_FAST, names=", ".join(self.fast), **error)


def _move_node(node: Node, plan: _Plan, work: _Work, left: Array | None, change: _Change | None) -> list[Track]:
    """Return the tracks of one node on the new nodes: as they are, mapped, or sampled."""
    tracks = plan.moving.get(node.name, [])
    turn = plan.turns.get(node.name, _EYE)
    # untouched, else mapped key by key, else sampled
    if left is _EYE and np.array_equal(turn, _EYE):
        return tracks
    if left is not None and change is not None:
        return _changed(node.name, tracks, change, work)
    frame, chains = plan.after[node.parent], work.chains
    # sampled on frames, curves repeat by themselves; else what repeats differently is written out
    if work.times is None and not repeat_alike(chains.involved(node.name, frame.anchor)):
        work.repeats = True
        if work.written_out is None:
            work.written_out = Chains(replace(chains.clip, tracks=unrolled(chains.clip.tracks, chains.clip)))
        chains = work.written_out
    relative = Relative(chains, node.name, frame.anchor, product(frame.offset, node.rest), turn)
    result, error, fast, shear = resample(relative, work.times, work.lines, work.share, cubics=work.cubics)
    work.sampled += sum(len(track.values) for track in result)
    work.error = work.error.worst(error)
    work.fast += [node.name] if fast else []
    work.sheared[node.name] = shear
    return result


_Change = dict[str, tuple[Array, Array]]
"""What is linear in the keys of each property: a matrix, then an addition."""


def _changed(node: str, tracks: list[Track], change: _Change, work: _Work) -> list[Track]:
    result: list[Track] = []
    for name, (matrix, added) in change.items():
        own = [track for track in tracks if track.property == name]
        result.extend(_map_tracks(node, name, own, matrix, added, work))
    return result


def _linear_changes(
    lefts: Sequence[Array], turns: Sequence[Array], tracks: Sequence[list[Track]]
) -> list[_Change | None]:
    """Return `left @ basis @ turn` of n nodes as linear maps; None where it is not linear."""
    location, quaternion, scale, crooked = decompose(np.array(lefts).reshape(-1, 4, 4))
    # q -> A q B is linear in the components of q: its columns are what becomes of 1, i, j and k
    own = rotation.from_matrix(np.array(turns).reshape(-1, 4, 4)[:, :3, :3])
    mixed = rotation.multiply(rotation.multiply(quaternion[:, None], np.eye(4)[..., None]), own[:, None])
    # A may scale, but evenly: else the rotation of a key would turn into shear
    even = (np.abs(scale - scale[0]) <= _EVEN * np.abs(scale[0])).all(axis=0) & (scale[0] > 0) & (crooked <= _EVEN)
    found: list[_Change | None] = []
    for at, (left, turn, moving) in enumerate(zip(lefts, turns, tracks, strict=True)):
        order = _turned_scale(turn, moving) if even[at] and not turn[:3, 3].any() else None
        change = None
        if order is not None:
            sized = float(scale[0, at]) * order, np.zeros(3)
            change = {LOCATION: (left[:3, :3], location[:, at]), ROTATION: (mixed[..., at], np.zeros(4)), SCALE: sized}
        found.append(change)
    return found


def _turned_scale(turn: Array, tracks: list[Track]) -> Array | None:
    """Return the permutation of the scales by the turn of a node's own frame; None where scales cannot follow."""
    pattern = np.abs(turn[:3, :3])
    if np.linalg.det(turn[:3, :3]) < 0:
        return None
    if np.isin(pattern, (0.0, 1.0)).all():
        return pattern.T
    return None if any(track.property == SCALE for track in tracks) else np.eye(3)


def turned_frame(clip: Clip, node: str, tracks: list[Track], turn: Array, report: Report) -> list[Track]:
    """Return tracks of a clip's node whose axes at rest are turned: basis' = inverse(turn) @ basis @ turn, exactly.

    `turn` is (4, 4). Scales about axes that do not lie on the old ones are kept as they are.
    """
    turn = _snapped(turn, 0.0, _SNAP)
    kept = [] if _turned_scale(turn, tracks) is not None else [track for track in tracks if track.property == SCALE]
    tracks = [track for track in tracks if track.property != SCALE or not kept]
    (change,) = _linear_changes([inverse(turn)], [turn], [tracks])
    work = _Work(_TOLERANCE, None, report, Chains(clip))
    found = tracks if change is None else _changed(node, tracks, change, work)
    work.summarise(turn)
    return [*found, *kept]


# --- Linear maps on keys -----------------------------------------------------------------------------------------


def _map_tracks(node: str, name: str, tracks: list[Track], matrix: Array, added: Array, work: _Work) -> list[Track]:
    """Return the tracks of one property with `matrix @ value + added` for values."""
    resting = np.array(RESTING[name])
    tracks = [track for track in tracks if len(track.times)]
    if not tracks:
        still = _times_rows(matrix, resting[:, None])[:, 0] + added
        return [] if np.abs(still - resting).max() <= 1e-12 else [_constant(node, name, still)]
    if np.array_equal(matrix, np.eye(len(matrix))) and not added.any():
        return tracks
    if len(tracks) == 1 and len(tracks[0].values) == len(matrix):
        return [_mixed(tracks[0], matrix, added)]
    # components that depend on one another are joined, the others stay apart
    components = {single.component: single for track in tracks for single in track.rows()}
    result: list[Track] = []
    for rows, columns in _groups(matrix):
        part, addition = matrix[np.ix_(rows, columns)], added[rows]
        if components.keys().isdisjoint(columns):
            still = _times_rows(part, resting[columns, None])[:, 0] + addition
            if not np.array_equal(still, resting[rows]):
                result += [_constant(node, name, still[[at]], row) for at, row in enumerate(rows)]
        elif rows == columns and np.array_equal(part, np.eye(1)) and not addition.any():
            result.append(components[columns[0]])  # the same object still, and so the source's
        else:
            own = [components.get(column) or _constant(node, name, resting[[column]], column) for column in columns]
            alike = in_step(own, work.chains.clip, ends=work.times is not None)
            work.repeats |= alike is not own
            span = 1.0 if name == ROTATION else max(float(np.ptp(track.values)) for track in own) or 1.0
            mixed = _mixed(unite(alike, work.tolerance * span, work.report), part, addition).rows()
            result += [track.but(component=row) for row, track in zip(rows, mixed, strict=True)]
    return result


def _groups(matrix: Array) -> list[tuple[list[int], list[int]]]:
    """Return rows and columns of a square matrix in groups that do not depend on each other."""
    size = len(matrix)
    label = list(range(size))
    for row in range(size):
        # all columns that one row uses are of one group
        joined = {label[column] for column in np.flatnonzero(matrix[row]).tolist()}
        label = [min(joined) if old in joined else old for old in label]
    groups = grouped(zip(label, range(size)))
    return [(np.flatnonzero(matrix[:, groups[name]].any(axis=1)).tolist(), groups[name]) for name in sorted(groups)]


def _constant(node: str, name: str, values: Array, component: int = 0) -> Track:
    return Track.constant(node, name, values, component=component, width=len(RESTING[name]))


def _mixed(track: Track, matrix: Array, added: Array) -> Track:
    values = _times_rows(matrix, track.values)
    if added.any():
        values = values + added[:, None]
    handles = track.handles and track.handles._replace(values=_times_rows(matrix, track.handles.values))
    return track.but(values=values, handles=handles, match=None)


def _times_rows(matrix: Array, rows: Array) -> Array:
    """Return matrix @ rows, term by term; a signed permutation keeps the dtype and every bit but signs."""
    # a signed permutation only moves numbers: no bit of them may change
    exact = bool(np.isin(matrix, (-1.0, 0.0, 1.0)).all() and (np.count_nonzero(matrix, axis=1) == 1).all())
    rows = rows if exact else rows.astype(np.float64)
    terms = [[rows[column] * float(own[column]) for column in np.flatnonzero(own)] for own in matrix]
    return np.stack([sum(own[1:], own[0]) if own else np.zeros_like(rows[0]) for own in terms])


# --- Clips that know no parents --------------------------------------------------------------------------------------


def adopted(clip: Clip, nodes: Sequence[Node], root: Array) -> Clip:
    """Return the clip with the parents that `nodes`, a skeleton, give its nodes; the clip itself if it knows its own.

    Args:
        nodes: parents before children; those that the clip has not come along at rest.
        root: (4, 4), what carries them. Nodes without a parent are relative to it, whatever carried the clip.

    Properties that the clip does not drive are as the skeleton's rest pose has them.
    """
    if clip.parents_known:
        return clip
    moving = {node for node, _ in clip.driven if clip.rests_known}  # else all is relative to the skeleton's rests
    own = {node.name: node for node in clip.nodes if node.name in moving}
    there = {node.name for node in nodes}
    # the own rest of those that get a parent was that of nodes without one; what does not move rests as the skeleton's
    family = [
        replace(own[node.name], parent=node.parent, rest=own[node.name].rest if node.parent is None else np.eye(4))
        if node.name in own
        else node
        for node in nodes
    ]
    family += [node for node in clip.nodes if node.name not in there]
    tracks, known = list(clip.tracks), clip.driven
    for node in nodes:
        if node.name in own:
            location, quaternion, scale, _ = decompose(np.asarray(node.rest, np.float64)[None])
            resting = ((LOCATION, location), (ROTATION, quaternion), (SCALE, scale))
            left = [(name, values) for name, values in resting if (node.name, name) not in known]
            tracks += [Track.sampled(node.name, name, np.zeros(1), values, CONSTANT) for name, values in left]
    return replace(clip, nodes=family, tracks=tracks, root=root, parents_known=True)


def only_driven(placed: Clip, clip: Clip) -> Clip:
    """Drop transform tracks of what the source clip does not animate: nodes without data, or any without parents."""
    known, unknown = clip.driven, clip.without_data
    if clip.parents_known and not unknown:
        return placed
    tracks = [
        track
        for track in placed.tracks
        if track.kind is not TrackKind.TRANSFORM
        or (track.node not in unknown and (clip.parents_known or (track.node, track.property) in known))
    ]
    return replace(placed, tracks=tracks)
