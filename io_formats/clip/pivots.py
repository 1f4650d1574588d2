"""Numbered joints that move and turn and have no size, as nodes: the skeletons of Westwood's and EA's engines.

Number 0 is the root, which is where the object is; parents have lower numbers than their children.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import numpy as np

from ..errors import FormatError, Report, Values
from . import (
    HIDE,
    LOCATION,
    RESTING,
    ROTATION,
    SCALE,
    SHOWN_AT_REST,
    Array,
    Clip,
    Node,
    NodeKind,
    Source,
    Track,
    TrackKind,
    curve,
    edit,
    messages,
    pose,
    quaternion,
    rest_pose,
    retarget,
    whole_frames,
)
from .bone_names import FLAT_NAME, cut_names, unique_names
from .measure import Written, absent

if TYPE_CHECKING:
    from ..format import Destination
    from ..options import Pivots
    from .whole_frames import Frames, Timeline

Document = TypeVar("Document", bound="Holder")
HierarchyT = TypeVar("HierarchyT", bound="Hierarchy")
AnySource = Source[Any, Any]
Make = Callable[[HierarchyT, Report], "Skeleton[HierarchyT]"]
"""Makes a hierarchy's skeleton."""
ChannelT = TypeVar("ChannelT")
WritesT = TypeVar("WritesT")
AnimationT = TypeVar("AnimationT")
NameT = TypeVar("NameT")
Kinds = Mapping[tuple[TrackKind, str], Sequence[ChannelT]]
"""The channel type of each component of a clip's properties."""
Build = Callable[[list[Node], "Skeleton[HierarchyT] | None"], "Skeleton[HierarchyT]"]

ROOT_NAME = "ROOTTRANSFORM"
VISIBILITY, FADE = SHOWN_AT_REST
_SHEAR = 1e-3
_W_FIRST = [3, 0, 1, 2]
_SHORTEST = 0.05
"""Part of the distance to the parent that a bone is long at least; Blender loses rest precision on shorter ones."""

_SHORTEST_OF_ALL = 0.005
"""The same as a part of the whole skeleton's size, for bones that lie on their parent."""

LEAST_LENGTH = 0.1
"""No bone is shorter, in the file's units: on bones of 0.01 the meshes of a large building are off by 1 %."""

_IDENTITY_SLACK = 5e-5
"""Difference below which the original exporters take values for rest, and leave frames and channels out."""

_SAME_PLACE = 0.02
"""Part of a skeleton's size by which the same joint may rest elsewhere, or all of it be larger, in another armature."""

_REST_SLACK = 1e-4
_SCALE_SLACK = 1e-6
_OTHER_ROOT = "\0root"


class Hierarchy(Protocol):
    """A skeleton as a file holds it."""

    @property
    def name(self) -> str:
        """What animations call it."""


class Holder(Protocol):
    """A document that holds hierarchies, in file order, or none."""

    @property
    def hierarchies(self) -> Sequence[Hierarchy]:
        """All of them."""


@dataclass
class Skeleton(Generic[HierarchyT]):
    """The pivots of a hierarchy as nodes, in pivot order.

    Attributes:
        nodes: one for each pivot, number 0 is the root; of a made-up skeleton only the pivots that channels use.
        pivots: the pivot number of each node.
        hierarchy: where it comes from, None if it is made up.
        built: the hierarchy was made from the clip's own nodes and is in no file yet.
        shown: the nodes of clips, by those that are hidden and whether the root is among them.
    """

    name: str
    nodes: list[Node]
    pivots: list[int]
    hierarchy: HierarchyT | None = None
    built: bool = False
    shown: dict[tuple[frozenset[str], bool], list[Node]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, hierarchy: HierarchyT, nodes: list[Node], *, built: bool = False) -> Skeleton[HierarchyT]:
        """Return a hierarchy's skeleton, of a node for each pivot."""
        return cls(hierarchy.name, nodes, list(range(len(nodes))), hierarchy, built)

    @cached_property
    def by_pivot(self) -> dict[int, Node]:
        """The node of each pivot number."""
        return dict(zip(self.pivots, self.nodes, strict=True))

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The pivot number of each node, by its name."""
        return {node.name: pivot for node, pivot in zip(self.nodes, self.pivots, strict=True)}

    def has(self, numbers: Mapping[str, int]) -> bool:
        """Return whether nodes of these names have these pivot numbers, those that are here."""
        return all(self.numbers.get(name, number) == number for name, number in numbers.items())

    def at_rest(self, options: Pivots, scale: float) -> Clip:
        """Return a clip in which nothing moves, `scale` times as large."""
        nodes = self.nodes if options.root_bone else without_root(self.nodes)
        return Clip(self.name, nodes=nodes, skeleton=self.name, root=np.diag([scale, scale, scale, 1.0]))


@dataclass
class PivotTracks(Generic[HierarchyT]):
    """The tracks of one clip on pivots, the nodes that VISIBILITY hides, and by sentence the remarks on channels."""

    pivots: Skeleton[HierarchyT]
    timeline: Timeline
    tracks: list[Track] = field(default_factory=list)
    hidden: set[str] = field(default_factory=set)
    remarks: Counter[str] = field(default_factory=Counter)

    def tell(self, report: Report) -> None:
        """Report the remarks."""
        for template, count in self.remarks.items():
            if count:
                report.warn(template, **{"keys" if template == messages.ZERO_ROTATION else "channels": count})

    def clip(self, name: str, options: Pivots, scale: float) -> Clip:
        """Return the clip of these tracks; clips that hide the same nodes share a list."""
        shown, skeleton, timeline = self.pivots.shown, self.pivots, self.timeline
        known, hiding = skeleton.hierarchy is not None, frozenset(self.hidden if options.apply_visibility else ())
        if (hiding, options.root_bone) not in shown:
            nodes = [
                replace(node, shown_by=(node.name, VISIBILITY)) if node.name in hiding else node
                for node in skeleton.nodes
            ]
            shown[hiding, options.root_bone] = without_root(nodes) if known and not options.root_bone else nodes
        return Clip(
            name,
            whole_frames.lasting(timeline.frame_count, timeline.rate),
            float(timeline.rate),
            np.diag([scale, scale, scale, 1.0]),
            shown[hiding, options.root_bone],
            self.tracks,
            skeleton=skeleton.name,
            parents_known=known,
            rests_known=known,
        )


# --- Which skeleton -----------------------------------------------------------------------------


def named(hierarchies: Sequence[HierarchyT], name: str) -> HierarchyT | None:
    """Return the first hierarchy of that name in any letter case, as the engines look it up; None without one."""
    return next((hierarchy for hierarchy in hierarchies if hierarchy.name.upper() == name.upper()), None)


def lacking(names: Iterable[str], held: Sequence[HierarchyT]) -> list[str]:
    """Return the names, each once, of which a file holds no hierarchy."""
    return [name for name in dict.fromkeys(names) if named(held, name) is None]


def read_once(
    known: dict[Path, Document | None], path: Path, read: Callable[[Path], Document], report: Report
) -> Document | None:
    """Return a file that nobody named, read once; a damaged one costs a warning, not the import."""
    if path not in known:
        known[path] = None
        try:
            known[path] = read(path)
        except FormatError as error:
            report.warn(messages.SKELETON_UNREADABLE, reason=str(error))
    return known[path]


class Skeletons(Generic[HierarchyT]):
    """The skeletons for the animations of a file: its own hierarchies and a chosen file's, each made once.

    A hierarchy of the right name comes first, then one of another name (with a warning), the chosen file's first.
    """

    def __init__(
        self, own: Sequence[HierarchyT], chosen: Sequence[HierarchyT], make: Make[HierarchyT], report: Report
    ) -> None:
        self._make, self._report = make, report
        self._by_name = {hierarchy.name.upper(): hierarchy for hierarchy in reversed([*own, *chosen])}
        self._of_another_name = next(iter([*chosen, *own]), None)
        self._made: dict[int, Skeleton[HierarchyT]] = {}

    def choose(self, name: str, pivots: Set[int]) -> Skeleton[HierarchyT]:
        """Return the skeleton of an animation whose channels use these pivots; a flat one of them, with a warning,
        without any hierarchy."""
        hierarchy = self._by_name.get(name.upper())
        if hierarchy is None and self._of_another_name is not None:
            hierarchy = self._of_another_name
            self._report.warn(messages.OTHER_SKELETON, wanted=name, found=hierarchy.name)
        if hierarchy is None:
            self._report.warn(messages.NO_SKELETON, name=name)
            flat = sorted(pivots - {0})
            return Skeleton(name, [Node(FLAT_NAME.format(index=pivot), placeholder=True) for pivot in flat], flat)
        if id(hierarchy) not in self._made:
            self._made[id(hierarchy)] = self._make(hierarchy, self._report)
        return self._made[id(hierarchy)]


@dataclass(frozen=True)
class SkeletonRequest(Generic[Document]):
    """What the choice of a skeleton to write for depends on.

    Attributes:
        typed: name of the hierarchy that a person typed, empty for none.
        include: the option, whether the file holds the skeleton.
        own: name of that of the source's animation, else of the clip's.
        used: the pivot numbers that the channels of the source's animation use.
    """

    to: Destination[Document, Any]
    typed: str
    include: str
    own: str
    used: Set[int]

    @property
    def name(self) -> str:
        """The name of the hierarchy, empty if it is unknown."""
        return self.typed or self.own

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """The pivot numbers of the source's nodes, by name; those that channels use where no skeleton is known."""
        if self.to.source is None:
            return {}
        nodes, options = self.to.source.clip.nodes, self.to.source.options
        if self.used and not self.to.source.clip.rests_known:
            return {node.name: pivot for node, pivot in zip(nodes, sorted(self.used - {0}), strict=True)}
        first = int(options is not None and not options.root_bone)
        return {node.name: number for number, node in enumerate(nodes, first)}

    def refuse_others(self, there: Sequence[str], file: str) -> str:
        """Return the hierarchy that the animation is for, in upper case; FormatError if a file, of whose hierarchies
        something is known, has others alone."""
        held = [] if self.to.skeleton is None or self.typed else self.to.skeleton.hierarchies
        wanted = ((named(held, self.own) or held[0]).name if held else self.name).upper()
        if wanted and there and wanted not in (name.upper() for name in there):
            raise FormatError(messages.OTHER_HIERARCHY, file=file, wanted=wanted, found=", ".join(dict.fromkeys(there)))
        return wanted

    def held(self) -> list[Any]:
        """Return the hierarchies of the chosen file if it has any, else of those that are saved into and came from:
        the one that is asked for, which an import takes, before those of another file that nobody chose."""
        source, beside = None if self.to.source is None else self.to.source.document, self.to.skeleton
        here = [each for document in (self.to.into, source) if document is not None for each in document.hierarchies]
        is_own = not self.to.chosen and (named(here, self.name) or named(here, self.own)) is not None
        return here if beside is None or is_own else list(beside.hierarchies) or here


@dataclass(frozen=True)
class Asked(Generic[Document, WritesT, AnimationT, NameT]):
    """What an export is asked for.

    Attributes:
        clip: in the lengths of the file, without sizes, ended with its frames.
        stage: the document that the animation goes into, an empty one for a new file.
        old: the source's own animation, None for a new one.
        replaced: the animation whose place it takes, None if it is added.
        root: (4, 4) from the file's space to the world.
        request: what the choice of the skeleton depends on.
    """

    clip: Clip
    options: WritesT
    report: Report
    to: Destination[Document, Any]
    stage: Document
    old: AnimationT | None
    name: NameT
    replaced: AnimationT | None
    frames: Frames
    root: Array
    request: SkeletonRequest[Document]


def animation_of(source: AnySource | None) -> Any:
    """Return the animation that a clip was imported from, None for a skeleton's or without a source."""
    return None if source is None else next(iter(source.document.animations[source.index :]), None)


def skeleton_to_write(
    request: SkeletonRequest[Document], clip: Clip, report: Report, make: Make[HierarchyT], build: Build[HierarchyT]
) -> Skeleton[HierarchyT]:
    """Return the pivots to write for: those of a hierarchy, the source's, or what `build` makes of the clip's nodes.

    Args:
        build: a hierarchy of nodes: those of a skeleton in their order, then the clip's others, parents first.

    Raises:
        FormatError: the nodes make no tree.
    """
    # that of which the nodes were made, as far as they are still its
    kept = request.to.space is not None and request.to.skeleton is not None and not request.to.chosen
    # a skeleton that is there is kept, unless the file is to hold one and the clip tells which
    held = request.held()
    found = named(held, request.name) or (held[0] if held and not kept else None)
    model = None if found is None else make(found, report)
    if model is not None and ((request.include != "INCLUDE" and not kept) or not clip.parents_known):
        return model
    if request.include != "INCLUDE" and request.to.source is not None:
        known = request.to.source.clip
        return Skeleton(known.skeleton, known.nodes, [request.numbers[node.name] for node in known.nodes])
    numbers = [] if request.include == "INCLUDE" or model is not None else _flat_numbers(clip.nodes)
    if numbers:
        return Skeleton(clip.skeleton, clip.nodes, numbers)
    # else the clip's own nodes, under the names of the model's, on one root
    clip = replace(clip, nodes=pose.with_bone_parents(_checked(clip.nodes)))
    clip = renamed(clip, () if model is None else model.nodes)
    nodes = _checked(_on_root(clip.nodes, _upright(clip) if request.to.source is None and not kept else np.eye(4)))
    if model is not None and not kept and request.to.skeleton is not None:
        nodes = _with_lacking(nodes, model.nodes)
    # the same tree as the model's needs no new one; else the model's order comes first
    if model is not None and _same_nodes(nodes, model.nodes):
        if request.include == "AUTO":
            report.note(messages.SKELETON_REFERRED, name=model.name)
        return model
    first = clip.order if model is None else [node.name for node in model.nodes]
    nodes = _ordered(nodes, first)
    names = [node.name for node in nodes]
    # a root that is put in front has no number in the skeleton's own file
    begin = names.index(first[0]) if first and first[0] in names else 0
    if names[begin:][: len(first)] != list(first):
        report.warn(messages.RENUMBERED)
    elif model is not None and request.include == "EXCLUDE":
        report.warn(messages.SKELETON_CHANGED, name=model.name)
    return build([replace(node, rest=pose.rigid(node.rest)) for node in nodes], model)


def _with_lacking(nodes: list[Node], chosen: Sequence[Node]) -> list[Node]:
    """Return nodes, parents first, with those of a chosen skeleton that they lack, where it has them."""
    own, rests = pose.chain_rests(nodes), pose.chain_rests(chosen)
    for node in chosen[1:]:
        if node.name not in own:
            parent, own[node.name] = node.parent if node.parent in own else nodes[0].name, rests[node.name]
            rest = pose.product(pose.inverse(own[parent]), rests[node.name])
            nodes = [*nodes, replace(node, parent=parent, rest=rest)]
    return nodes


def _flat_numbers(nodes: Sequence[Node]) -> list[int]:
    """Return the numbers of pivots of which nothing else is known, as their skeleton was not found; none of others."""
    numbers = [int(end) for node in nodes if (end := node.name.rpartition("_")[2]).isdecimal()]
    flat = [FLAT_NAME.format(index=number) for number in numbers] == [node.name for node in nodes]
    return numbers if flat and not any(node.parent for node in nodes) else []


# --- Pivots as nodes ----------------------------------------------------------------------------


def rests(translations: Array, rotations: Array) -> Array:
    """Return (n, 4, 4) float64 of translations (n, 3) and quaternions (n, 4) x, y, z, w."""
    matrices = np.zeros((len(translations), 4, 4))
    # what is no number is no turn and no offset
    usable = np.isfinite(rotations).all(axis=1, keepdims=True)
    rotations = np.where(usable, rotations, np.array([0, 0, 0, 1], np.float32))
    matrices[:, :3, :3] = quaternion.to_matrix(rotations.T[_W_FIRST])
    matrices[:, :3, 3] = np.where(np.isfinite(translations), translations, 0.0)
    matrices[:, 3, 3] = 1.0
    return matrices


def nodes_of(names: list[str], found: Array, matrices: Array, report: Report) -> list[Node]:
    """Return pivots as nodes, with names that differ and lengths to draw.

    Args:
        found: (n,) numbers of their parents.
        matrices: (n, 4, 4) their rests; the engines put the object's own transform in the place of the first.
        report: learns how many had to be parented to the root instead.
    """
    # the root is where the object is, whatever its pivot says
    matrices = np.concatenate((np.eye(4)[None], matrices[1:]))
    # engines need parents that precede their children
    numbers = np.arange(len(found))
    wrong = (found >= numbers) | ((found < 0) & (numbers > 0))
    if wrong.any():
        report.warn(messages.ORPHANS, pivots=int(wrong.sum()))
    parents: list[int] = np.where(wrong, np.where(numbers > 0, 0, -1), found).tolist()
    unique = unique_names(names)
    lengths = display_lengths(parents, matrices)
    return [
        Node(
            unique[place],
            None if parents[place] < 0 else unique[parents[place]],
            matrices[place],
            original=names[place],
            length=float(lengths[place]),
        )
        for place in range(len(names))
    ]


def display_lengths(parents: list[int], matrices: Array) -> Array:
    """Return (n,) lengths to draw for matrices (n, 4, 4) relative to the parent: to the nearest child, or half the way
    from the parent, never too short to be exact."""
    if not parents:
        return np.zeros(0)
    # how far each is from its parent: a bone reaches to the nearest child
    offsets = np.sqrt((matrices[:, :3, 3] ** 2).sum(axis=1))
    nearest = np.full(len(parents), np.inf)
    for child, parent in enumerate(parents):
        if parent > 0 and offsets[child] > 0:
            nearest[parent] = min(nearest[parent], offsets[child])
    lengths = np.where(np.isfinite(nearest), nearest, offsets * 0.5)
    size = max(float(offsets.max()), 1e-6)
    # one without any length is as long as most
    usual = float(np.median(lengths[lengths > 0])) if (lengths > 0).any() else size
    lengths = np.where(lengths > 0, lengths, usual)
    # the least that keeps a rest exact in float32
    least = np.maximum(np.maximum(offsets * _SHORTEST, size * _SHORTEST_OF_ALL), LEAST_LENGTH)
    return np.asarray(np.maximum(lengths, least))


def without_root(nodes: list[Node]) -> list[Node]:
    """Return the nodes without the first, which is where the object is; its children have no parent then."""
    return [replace(node, parent=None) if node.parent == nodes[0].name else node for node in nodes[1:]]


# --- A clip on pivots ---------------------------------------------------------------------------


def as_visibility(track: Track) -> Track:
    """Return what hides a bone, also as another add-on says it, as its pivot's visibility; other tracks as they are."""
    if track.kind is not TrackKind.RNA or track.property not in (HIDE, VISIBILITY):
        return track
    shown = track.scaled(-1.0, 1.0) if track.property == HIDE else track
    return shown.but(property=VISIBILITY, kind=TrackKind.CUSTOM)


def renamed(clip: Clip, nodes: Sequence[Node]) -> Clip:
    """Return the clip with the names of other nodes for its own: the very name, then the file's own, in any case, then
    without its namespace, then as Westwood's files cut it.

    What carries an armature is none of its pivots, even if it is called like one.
    """
    above = pose.carriers(clip.nodes)
    names_there = {node.name for node in nodes}
    folded = {node.name.casefold(): node.name for node in nodes}
    # names in any case, those that the file itself has before ours
    folded.update({node.original.casefold(): node.name for node in reversed(nodes) if node.original})
    own = [node for node in clip.nodes if node.name not in above]
    # first who has the very name, then the others, each name once
    new = {node.name: node.name for node in own if node.name in names_there}
    taken, bare = set(new), {node.name: node.name.rpartition(":")[2] for node in own}
    cut = dict(zip(bare, cut_names(list(bare.values())) if len(new) < len(own) else bare.values()))
    for node in (node for node in own if node.name not in new):
        known = (node.original, node.name, bare[node.name], cut[node.name])
        found = next((folded[name.casefold()] for name in known if name.casefold() in folded), None)
        new[node.name] = found if found is not None and found not in taken else node.name
        taken.add(new[node.name])
    return clip.renamed(new | {name: f"{name} (other)" for name in above if name in names_there})


def file_space(to: Destination[Document, Any], scale: float) -> Array:
    """Return the (4, 4) transform from a file's own space to the world: as on import, by an export's option Scale."""
    imported = to.space if to.source is None else to.source.clip.root
    space = np.eye(4) if imported is None else np.array(imported, np.float64)
    space[:3, :3] /= scale
    return space


def figure_unit(clip: Clip) -> float:
    """Return the length to which tolerances in a file's units relate: 1, or the size of a figure that is smaller.

    Its size is the longest side of the box around its joints at time 0, in the clip's own space.
    """
    worlds = pose.world_matrices(replace(clip, root=np.eye(4)), np.zeros(1))
    joints = (node for node in clip.nodes if node.kind is NodeKind.BONE and not _is_root(node))
    places = [worlds[node.name][0, :3, 3] for node in joints]
    return min(float(np.ptp(places, axis=0).max()), 1.0) or 1.0 if places else 1.0


def departs(values: Array, rest: Array, unit: float = 1.0) -> Array:
    """Return (frames,) bool: values (components, frames) are not the rest (components, 1), which engines show without.

    Args:
        unit: of lengths, see `figure_unit`; four components are a quaternion, which is the same with other signs.
    """
    slack = _IDENTITY_SLACK * unit
    off: Array = np.abs(values - rest).max(axis=0) > slack
    return off & (np.abs(values + rest).max(axis=0) > slack) if len(values) == 4 else off


def placed_on(
    clip: Clip,
    target: Skeleton[Any],
    source: AnySource | None,
    root: Array,
    times: Array,
    report: Report,
    *,
    turn: Array,
) -> Clip:
    """Return the clip on a file's pivots, its world motion kept; tracks of nodes whose space is the same are the same
    objects, and so is every track where the rests of the pivots are unknown.

    Engines never move the root: what it did moves to its children, and so does what carries it and a bone's own rest,
    which points up in most armatures.

    Args:
        root: (4, 4) world matrix of what carries them.
        times: (m,) seconds at which is sampled what has to be.
        report: learns of nodes that move and have no pivot, and of markers, for which skeletal files have no place.
        turn: (4, 4) by which the clip stands otherwise than the file has it, as was asked.
    """
    nodes, turns = target.nodes, turned_axes(clip, target, source)
    clip = renamed(clip, nodes)
    clip = clip if target.built else rest_pose.adopted(clip, nodes, root)
    if target.hierarchy is None and (source is None or not source.clip.rests_known):
        return clip
    # the engines never move the root: its motion, which is told, goes to its children
    root_name, (moving, handing_on, lost) = nodes[0].name, _moving(clip, nodes)
    if root_name in moving:
        carries = any(root_name in (node.parent, node.under) for node in clip.nodes)
        report.warn(messages.ROOT_MOTION if carries else messages.ROOT_ALONE, name=root_name)
    for sentence, without in ((messages.NO_PIVOT, lost), (messages.NO_PIVOT_CARRIES, handing_on)):
        if without:
            report.warn(sentence, names=", ".join(sorted(without)), number=len(without))
    if clip.markers:
        report.warn(messages.MARKERS, markers=len(clip.markers))
    if (source is None or clip.root is not source.clip.root) and pose.is_elsewhere(np.asarray(clip.root), turn @ root):
        (report.note if source is None else report.warn)(messages.STANDS_ELSEWHERE)  # its maker had it elsewhere
    # on a root of a name that no clip has
    there = [
        replace(node, parent=_OTHER_ROOT) if node.parent == root_name else node
        for node in (replace(nodes[0], name=_OTHER_ROOT), *nodes[1:])
    ]
    placed = rest_pose.rebase(clip, there, root, times=times, report=report, turns=turns)
    if not (target.built or {*map(id, placed.tracks)} <= {*map(id, clip.tracks)}):
        size = retarget.enlargement(clip, nodes)
        if size is not None and abs(size - 1.0) > _SAME_PLACE:
            report.warn(messages.ANOTHER_SIZE, size=size)
    of_root = [track for track in clip.tracks if track.node == root_name and track.kind is not TrackKind.TRANSFORM]
    return replace(placed, tracks=[*placed.tracks, *of_root])


def turned_axes(clip: Clip, target: Skeleton[Any], source: AnySource | None) -> dict[str, Array]:
    """Return the turns (4, 4) by pivot from the bones of a person's own armature to pivots that rest in their places.

    What is skinned to a pivot turns away from the pivot's rest, as it does from its bone's in Blender, whatever axes
    these have. Where they rest in other places it may be another pose, of which nobody can say that.
    """
    if source is not None or target.built or target.hierarchy is None or not (clip.parents_known and clip.rests_known):
        return {}
    clip = renamed(replace(clip, nodes=pose.with_bone_parents(clip.nodes)), target.nodes)
    own, there = pose.chain_rests(_on_root(clip.nodes, _upright(clip))), pose.chain_rests(target.nodes)
    names = [node.name for node in target.nodes[1:] if node.name in own]
    apart = [np.linalg.norm((own[name] - there[name])[:3, 3]) for name in names]
    size = max((np.linalg.norm(there[name][:3, 3]) for name in names), default=0.0)
    if max(apart, default=1.0) > _SAME_PLACE * size:
        return {}
    before, after = (pose.rigid(np.stack([rests[name] for name in names])) for rests in (own, there))
    turns = pose.product(pose.inverse(before), after)
    turns[:, :3, 3] = 0.0
    return {name: turn for name, turn in zip(names, turns) if np.abs(turn - np.eye(4)).max() > _REST_SLACK}


def written(
    clip: Clip, target: Skeleton[HierarchyT], make: Make[HierarchyT], source: AnySource | None, **facts: Any
) -> Written:
    """Return where a clip, its nodes called as its own, is in a file; the root, which never moves, is not compared."""
    own = {new.name: old.name for old, new in zip(clip.nodes, renamed(clip, target.nodes).nodes, strict=True)}
    nodes = {pivot: own[name] for name, pivot in target.numbers.items() if name in own and pivot > 0}
    names = {FLAT_NAME.format(index=pivot): node for pivot, node in nodes.items()}
    without = absent(clip.nodes, names.values())
    if target.hierarchy is None:
        return Written(names=names, nodes=clip.nodes, absent=without, **facts)
    facts["turns"] = {own[name]: turn for name, turn in turned_axes(clip, target, source).items()}
    # the file's nodes by the names under which they are read again
    read = make(target.hierarchy, Report()).by_pivot
    names |= {read[pivot].name: node for pivot, node in nodes.items()}
    there = Clip("", nodes=list(read.values()))
    there = there.renamed({node.name: names.get(node.name, f"{node.name}\0") for node in there.nodes})
    return Written(names=names, nodes=there.nodes, absent=without, **facts)


def _moving(clip: Clip, nodes: Sequence[Node]) -> tuple[set[str], set[str], set[str]]:
    """Return what moves, or stands otherwise than at rest; of it bones of the armature without a pivot that carry some;
    and all with tracks and without a pivot on which nothing is to which their motion could go."""
    there, moving, posed = {node.name for node in nodes}, set(), set()
    for track in clip.tracks:
        if track.kind is TrackKind.TRANSFORM and track.property in RESTING:
            moving.add(track.node)
            rest = np.array(RESTING[track.property])[track.component :][: len(track.values), None]
            if not pose.is_still(track) or departs(track.values[:, :1], rest).any():
                posed.add(track.node)
    carrying = {node.name for node in clip.nodes} - absent(clip.nodes, there) - there
    above = pose.carriers(clip.nodes, next((node for node in clip.nodes if node.name == nodes[0].name), None))
    return posed, carrying & posed - above, {track.node for track in clip.tracks} - there - (moving & carrying)


def _same_nodes(found: Sequence[Node], nodes: Sequence[Node]) -> bool:
    """Return whether nodes, parents and rests are the same, but for what float32 does to a rest."""
    there = {node.name: node for node in found}
    size = max((float(np.abs(node.rest[:3, 3]).max()) for node in nodes), default=1.0)
    slack = np.full((4, 4), _REST_SLACK)
    slack[:3, 3] *= max(size, 1e-6)
    return there.keys() == {node.name for node in nodes} and all(
        there[node.name].parent == node.parent and bool((np.abs(there[node.name].rest - node.rest) <= slack).all())
        for node in nodes
    )


def _on_root(nodes: Sequence[Node], upright: Array) -> list[Node]:
    """Return nodes, parents first, on a root in front at the origin, without what carries it, `upright` (4, 4)."""
    above = pose.carriers(nodes)
    # one at the end of a chain is a joint like others: as the root it would take the chain away as what carries it
    bones, parents = {node.name for node in nodes if node.kind is NodeKind.BONE}, {node.parent for node in nodes}
    roots = (node for node in nodes if _is_root(node) and (node.parent not in bones or node.name in parents))
    root = next((node for node in roots if node.name not in above), None)
    above = pose.carriers(nodes, root)
    # what is on nothing, or on what carries the root, comes onto the root at its place in the armature
    inside = [node for node in nodes if node is not root and node.name not in above]
    taken = any(node.name == ROOT_NAME for node in inside)
    head = root or Node(_OTHER_ROOT if taken else ROOT_NAME, original=ROOT_NAME)
    own = [replace(node, rest=np.eye(4)) if node.kind is NodeKind.OBJECT else node for node in nodes]
    rests = pose.chain_rests(own)
    loose = {None, head.name, *above}
    placed = (
        replace(node, parent=head.name, rest=pose.product(upright, rests[node.name])) if node.parent in loose else node
        for node in inside
    )
    return [replace(head, parent=None, rest=np.eye(4)), *placed]


def _upright(clip: Clip) -> Array:
    """Return the turn (4, 4) by which an armature stands whose Y is up, as its object has it; none for others."""
    above, turn = pose.carriers(clip.nodes), np.eye(4)
    holder = next((node.name for node in reversed(clip.nodes) if node.name in above), None)
    tilt = np.rint(pose.tilt_of(pose.Chains(clip).world(holder, np.zeros(1))[0]))
    if np.array_equal(tilt @ tilt.T, np.eye(3)):
        turn[:3, :3] = tilt
    return turn


def _ordered(nodes: Sequence[Node], first: Iterable[str]) -> list[Node]:
    """Return the nodes, the root first, those named in `first` in their order; parents always before their children."""
    by_name = {node.name: node for node in nodes}
    done = {nodes[0].name: nodes[0]}
    for name in (*(name for name in first if name in by_name), *by_name):
        chain: list[str] = []
        at: str | None = name
        # parents that were not taken yet come first
        while at is not None and at not in done and at not in chain:
            chain.append(at)
            at = by_name[at].parent
        done.update((link, by_name[link]) for link in reversed(chain))
    return list(done.values())


def _checked(nodes: list[Node]) -> list[Node]:
    before: set[str | None] = {None}
    for node in nodes:
        if node.name in before or node.parent not in before:
            raise FormatError(messages.SKELETON_NOT_A_TREE, name=node.name)
        before.add(node.name)
    return nodes


def _is_root(node: Node) -> bool:
    return (node.original or node.name).upper() == ROOT_NAME


# --- No size: what is scaled, stretched or mirrored is put where it was seen, at its own size -------------------------


def without_scales(clip: Clip, frames: Frames, root: Array, report: Report) -> Clip:
    """Return the clip up to the last frame with places and turns alone, as seen, in lengths that give it the size of
    `root` (4, 4); sampled on the frames where sizes take part.

    Sizes are lost, which is reported. Nodes to which nothing of this applies keep their tracks as the same objects.
    """
    clip = _without_objects_sizes(whole_frames.ended(clip, frames))
    factor = pose.size_of(np.asarray(clip.root, np.float64)) / pose.size_of(root)
    if abs(factor - 1) > _SCALE_SLACK and np.isfinite(factor) and factor != 0:
        clip = edit.in_lengths(clip, factor)
    # sizes come from keys, from rests, and from the root, whose even size is that of the file
    scaled = list(dict.fromkeys(track.node for track in clip.tracks if pose.is_scaling(track)))
    crooked = [node.name for node in clip.nodes if not _is_rigid(np.asarray(node.rest, np.float64))]
    size = pose.size_of(clip.root) or 1.0
    bent = not _is_rigid(pose.product(np.asarray(clip.root, np.float64), np.diag([1 / size, 1 / size, 1 / size, 1.0])))
    for name in scaled:
        report.warn(messages.NO_SCALE, name=name)
    if bent or crooked:
        report.warn(messages.NOT_RIGID, name=(clip.skeleton or clip.name if bent else "") or ", ".join(crooked))
    if not (scaled or crooked or bent):
        return clip
    # a crooked root concerns all, a crooked rest what is below it
    turned = {node.name for node in clip.nodes} if bent else {*pose.below(clip.nodes, crooked), *crooked}
    plain = replace(clip, tracks=[track for track in clip.tracks if not pose.is_scaling(track)])
    if turned:
        # rests anew: where nodes are seen at rest, each relative to its parent without a size
        still, _ = _seen(replace(clip, tracks=[]), np.zeros(1), size)
        plain = replace(plain, root=still[None][0], nodes=list(clip.nodes))
        for at, node in enumerate(clip.nodes):
            if node.name in turned:
                rest = pose.product(pose.inverse(still[node.parent]), still[node.name])[0]
                plain.nodes[at] = replace(node, rest=rest)
    # what is below a size moves otherwise than its keys say, and is sampled; so does what is mirrored
    times, sizes = frames.times, (track for track in clip.tracks if pose.is_scaling(track))
    mirrored = (track.node for track in sizes if (curve.evaluate(track, times) < 0).any())
    return _sampled(clip, plain, turned.union(mirrored, pose.below(clip.nodes, scaled)), times, report)


def _without_objects_sizes(clip: Clip) -> Clip:
    """Return the clip with the even sizes that its objects keep throughout as lengths of what is on them."""
    tracks, sizes = pose.transform_tracks(clip.tracks), dict[str, float]()
    for node in clip.nodes:
        own = tracks.get(node.name, [])
        if node.kind is NodeKind.OBJECT and all(pose.is_still(track) for track in own if track.property == SCALE):
            size = pose.channels_of(own, np.zeros(1))[2][:, 0]
            if size[0] > 0 and (np.abs(size - size[0]) <= _SCALE_SLACK * size[0]).all():
                sizes[node.name] = float(size[0])
    if all(size == 1.0 for size in sizes.values()):
        return clip
    # sizes multiply on the way down; a node is as much farther from its parent
    within: dict[str | None, float] = {None: 1.0}
    for node in clip.nodes:
        within[node.name] = within[node.parent] * sizes.get(node.name, 1.0)
    lengths = {node.name: within[node.parent] for node in clip.nodes}
    kept = (track for track in clip.tracks if track.property != SCALE or sizes.get(track.node, 1.0) == 1.0)
    return replace(
        clip,
        nodes=[edit.farther(node, lengths[node.name]) for node in clip.nodes],
        tracks=[edit.longer(track, lengths.get(track.node, 1.0)) for track in kept],
    )


def by_pivot(
    clip: Clip, numbers: Mapping[str, int], kinds: Kinds[ChannelT], report: Report | None = None
) -> dict[tuple[int, ChannelT], dict[int, Track]]:
    """Return the tracks of each channel, by component; those that no pivot has a place for are told."""
    found: dict[tuple[int, ChannelT], dict[int, Track]] = defaultdict(dict)
    for block in clip.tracks:
        pivot = numbers[block.node]
        for track in block.rows():
            own = as_visibility(track)
            channels = kinds.get((own.kind, own.property), ())
            if pivot > 0 and own.component < len(channels):
                rows = found[pivot, channels[own.component]]
                # of several the last plays, but a visibility counts more than what hides the bone
                if track.property != HIDE or not rows:
                    rows[own.component if own.property == ROTATION else 0] = own
            elif report is not None:
                _tell_left_out(track, report)
    return found


def _tell_left_out(track: Track, report: Report) -> None:
    """Warn of a track that no pivot has a place for, once for all components of a property."""
    scale = track.property == SCALE
    if not (pose.is_scaling(track) if scale else track.property not in (LOCATION, ROTATION)):
        return
    template: str = messages.NO_SCALE if scale else messages.NO_PROPERTY
    values: Values = {"name": track.node} if scale else {"name": track.node, "property": track.property}
    if not any(entry.template == template and entry.values == values for entry in report.warnings):
        report.warn(template, **values)


def _is_rigid(matrix: Array) -> bool:
    axes = matrix[:3, :3]
    return bool((np.abs(axes.T @ axes - np.eye(3)) <= 2 * pose.SLACK).all() and np.linalg.det(axes) > 0)


def _seen(clip: Clip, times: Array, size: float) -> tuple[dict[str | None, Array], dict[str | None, Array]]:
    """Return (m, 4, 4) where nodes, and the root as None, are seen, all of one size, and the shear (m,) of each."""
    root = np.broadcast_to(np.asarray(clip.root, np.float64), (len(times), 4, 4))
    apart = {name: pose.decompose(world) for name, world in (pose.world_matrices(clip, times) | {None: root}).items()}
    worlds = {name: pose.compose(place, turn, np.full_like(place, size)) for name, (place, turn, _, _) in apart.items()}
    return worlds, {name: shear for name, (_, _, _, shear) in apart.items()}


def _sampled(seen: Clip, plain: Clip, below: set[str], times: Array, report: Report) -> Clip:
    """Return `plain` with the nodes `below` moving as they are seen."""
    moments = curve.on_keys(times, *seen.tracks, slack=curve.ON_FRAME * float(np.ptp(times[:2])))
    worlds, shears = _seen(seen, moments, pose.size_of(plain.root) or 1.0)
    pose.tell_shear({node.name: shears[node.name] for node in plain.nodes if node.name in below}, report, _SHEAR)
    tracks = [track for track in plain.tracks if track.node not in below or track.kind is not TrackKind.TRANSFORM]
    for node in plain.nodes:
        if node.name in below:
            basis = pose.product(pose.inverse(pose.product(worlds[node.parent], node.rest)), worlds[node.name])
            location, turn, _, _ = pose.decompose(basis)
            tracks.append(Track.sampled(node.name, LOCATION, times, location))
            tracks.append(Track.sampled(node.name, ROTATION, times, turn * quaternion.align_signs(turn)))
    if below:
        report.note(messages.TRACKS_ON_FRAMES, tracks=7 * len(below))
    return replace(plain, tracks=tracks)
