"""Clip -> Document: untouched tracks as they were, the others key by key; new ones in the engine's own terms."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from ..binary import equal
from ..clip import (
    CONSTANT,
    LOCATION,
    RESTING,
    TRANSFORMS,
    Array,
    Clip,
    Marker,
    Node,
    NodeKind,
    Source,
    Track,
    TrackKind,
)
from ..clip import messages as clip_messages
from ..clip.measure import Promise, Written
from ..clip.pose import channels_of_all, compose, decompose, inverse, transform_tracks
from ..clip.quaternion import Axes
from ..clip.rest_pose import rebase
from ..errors import FormatError, Report, first_names
from ..format import A_NEW_FILE, Destination
from . import layout, messages, properties, to_clip
from .document import Document
from .document import Track as FileTrack
from .edited_keys import Request, Summary, build, constant
from .equivalence import in_form
from .layout import Mode, TrackType
from .options import ReadOptions, WriteOptions
from .properties import (
    BLEND_SHAPE,
    FIELD_OF,
    Role,
    Space,
    as_field,
    component_order,
    fits,
    fresh_type,
    seen_through,
    space,
)
from .read import reread
from .redundant import Redundant, Target, completed
from .to_clip import node_names

_MOMENT = 1e-3
"""Seconds by which a marker may miss its text."""
_SAMPLED = 1e-4
"""Of the range of a node's locations, that samples of what follows a sheared parent may be off between them."""
_REFITTED = 0.2
"""Share of the tolerance for handles that are fitted again, as what was sampled may be off by all of it already."""
_AXES = ("axes", "forward_axis", "up_axis", "left_handed")
_PROMISED_TURN, _PROMISED_SIZE, _PROMISED_BETWEEN = 0.09, 1.5e-3, 3.0
"""Degrees, and parts of a length, by which a node may be off on frames, and how many times as far between two."""

_FITTING = {
    "GLTF": messages.FITS_GLTF,
    "FBX": messages.FITS_FBX,
    "FBX_CM": messages.FITS_FBX_CM,
}


def from_clip(
    clip: Clip, options: WriteOptions, report: Report, to: Destination[Document, ReadOptions] = A_NEW_FILE
) -> Document:
    """Return the file that plays what the clip does.

    Bones are relative to their parent bone or, without one, to the armature object, which has a slot in the engine;
    objects are relative to their parent or, without one, to the model's root.

    Args:
        to: the tracks of its `source` stay as they were where nothing was changed.

    Raises:
        FormatError: the options' names or axes make no sense.
    """
    export = _Export(clip, options, report, to.source)
    document = export.document()
    to.tell(export.written(document))
    return document


@dataclass
class _Names:
    """Names of nodes in the file: as a person calls them now; an option names single ones, and a prefix for all."""

    given: dict[str, str]
    prefix: str
    called: dict[str, str]

    def of(self, node: str, original: str) -> str:
        """Return the name to write for a node that is `node` in the clip and `original` in a file."""
        own = self.called.get(node, original)
        return self.prefix + next((self.given[name] for name in (node, original, own) if name in self.given), own)


def _names(options: WriteOptions, called: dict[str, str]) -> _Names:
    given = {}
    for pair in filter(str.strip, options.node_names.split(";")):
        node, equals, name = (part.strip() for part in pair.partition("="))
        if not node or not equals:
            raise FormatError(messages.NODE_NAMES, field="node_names", found=pair.strip())
        given[node] = name
    return _Names(given, options.node_prefix, called)


class _Export:
    """One export."""

    def __init__(
        self, clip: Clip, options: WriteOptions, report: Report, source: Source[Document, ReadOptions] | None
    ) -> None:
        self._clip = clip
        self._options = options
        self._report = report
        self._source = None if source is None else Known(source)
        self._renamed = source is None or source.renamed
        self._names = _names(options, clip.called)
        self._axes = self._chosen_axes()
        self._space = space(*self._axes.values())
        self._summary = Summary()
        self._nodes = {node.name: node for node in clip.nodes}
        self._own = self._unchanged()
        self._written: dict[str, str] = {}
        self._taken: set[str] = set()

    def document(self) -> Document:
        """Return the file."""
        document = self._header()
        placed = self._placed()
        groups = _grouped(placed.tracks)
        document.tracks = self._source_tracks(groups)
        document.tracks += self._fresh_tracks(groups, placed.nodes)
        if self._options.unbound == "LEAVE_OUT":
            document.tracks = self._bound_only(document.tracks)
        self._remark_names()
        self._set_duration(document)
        self._remark()
        formed = in_form(document, ".animx", self._options)
        return replace(formed, duration=document.duration) if document.textual else formed

    def written(self, document: Document) -> Written:
        """Return where the clip is in the file; slots that nothing drives stay as the model has them."""
        named = {original: node for node, original in self._written.items()}
        names = {name: named[original] for original, name in node_names(document).items() if original in named}
        nodes = [self._placed_node(node) for node in self._clip.nodes]
        turns = self._turns(nodes)
        return Written(
            Promise(turn=_PROMISED_TURN, size=_PROMISED_SIZE, between=_PROMISED_BETWEEN),
            reading=self._axes,
            names=names,
            root=self._clip.root,
            nodes=nodes,
            resting=partial(self._slots, nodes, turns),
            turns=turns,
        )

    def _slots(self, nodes: Sequence[Node], turns: dict[str, Array]) -> list[Track]:
        """Return how the slots of moving objects stand: as exporters of models take a matrix apart, see `Standing`."""
        objects = {node.name for node in nodes if node.kind is NodeKind.OBJECT}
        own = [row for track in self._clip.tracks if track.node in objects for row in track.rows() if len(row.times)]
        first = [row.take(np.array([0])) for row in own]
        placed = rebase(replace(self._clip, tracks=first), nodes, self._clip.root, turns=turns)
        at, moving = np.zeros(1), transform_tracks(placed.tracks)
        parts = decompose(compose(*channels_of_all(list(moving.values()), at)))[:3]
        return [
            Track.sampled(node, name, at, part[:, number : number + 1], CONSTANT)
            for number, node in enumerate(moving)
            for name, part in zip(TRANSFORMS, parts)
        ]

    def _turns(self, nodes: Sequence[Node]) -> dict[str, Array]:
        """Return (4, 4) for the nodes whose own frame is turned."""
        turns = {node.name: self._space.turns[node.holds] for node in nodes if node.holds in self._space.turns}
        return turns | {node.name: inverse(node.turn) for node in nodes if node.turn is not None}

    def _remark_names(self) -> None:
        """Warn about names given to nodes that are not exported."""
        known = {name for node in self._clip.nodes for name in (node.name, node.original)}
        unknown = sorted(self._names.given.keys() - known - set(self._clip.called.values()))
        if unknown:
            self._report.warn(messages.NO_SUCH_NODE, names=", ".join(unknown))

    def _chosen_axes(self) -> dict[str, Any]:
        """Return the options about axes, those of the import where this export leaves them to it."""
        known = None if self._source is None else self._source.options
        asked = self._options if self._options.axes != "AUTO" else known or ReadOptions()
        return {name: getattr(asked, name) for name in _AXES}

    def _header(self) -> Document:
        """Return the document without tracks: the source's own settings where the options ask for nothing else."""
        if self._source is None:
            document = Document(self._clip.name)
        else:
            own = self._source.document
            document = replace(own, tracks=[])
            document.name = self._clip.name if self._renamed else own.name
        return document

    def _placed(self) -> Clip:
        """Return the clip with every node's basis its full transform relative to its parent, in Blender's axes."""
        driven = {(track.node, track.property) for track in self._clip.tracks if track.kind is TrackKind.TRANSFORM}
        moving = {node for node, _ in driven}
        nodes = [self._placed_node(node) if node.name in moving else node for node in self._clip.nodes]
        tolerance = _REFITTED * self._options.tolerance
        placed = rebase(
            self._clip,
            nodes,
            self._clip.root,
            tolerance=tolerance,
            report=self._report,
            turns=self._turns(nodes),
            share=_SAMPLED,
            cubics=self._options.curves != "LINEAR",
        )
        # channels that nothing drives, or the source does not, rest as the engine's slot does
        placed.tracks = [
            track
            for track in placed.tracks
            if track.kind is not TrackKind.TRANSFORM
            or (track.node in moving if self._source is None else (track.node, track.property) in driven)
        ]
        if self._source is None and self._options.still_channels:
            placed.tracks = completed(placed.tracks)
        return placed

    def _placed_node(self, node: Node) -> Node:
        """Return the node with the parent and rest that its slot in the engine has."""
        parent = self._nodes.get(node.under or node.parent or "")
        turn = self._space.armature_turn
        if node.kind is NodeKind.BONE:
            node = replace(node, parent=node.under or node.parent)
            rest = np.eye(4) if parent is not None and parent.kind is NodeKind.BONE else turn
        elif parent is not None:
            node = replace(node, parent=parent.name)
            rest = np.linalg.inv(turn) if parent.kind is NodeKind.BONE else np.eye(4)
        else:
            rest = np.eye(4) if node.under is not None else self._outside(node)
        return node if np.array_equal(node.rest, rest) else replace(node, rest=rest)

    def _outside(self, node: Node) -> Array:
        """Return the matrix (4, 4) that an object without a parent is relative to, seen from the clip's root."""
        if node.name in self._as_imported:
            assert self._source is not None
            outside = self._source.source.clip.outside
        else:
            outside = np.linalg.inv(self._clip.root) @ self._space.root @ self._space.outside
        in_metres = self._space.preset == "FBX_CM" and self._clip.unit != 1.0
        return outside @ np.diag([*[1.0 / self._clip.unit] * 3, 1.0]) if in_metres else outside

    @cached_property
    def _as_imported(self) -> set[str]:
        """Return the names of the source's nodes; none where the clip's root is not as imported."""
        known = None if self._source is None else self._source.source.clip
        same = known is not None and np.array_equal(known.root, self._clip.root)
        return {node.name for node in known.nodes} if known is not None and same else set()

    def _unchanged(self) -> dict[Target, int]:
        """Return the number of components of what is as in the source, on nodes that rest and hang as imported."""
        known = {} if self._source is None else {node.name: node for node in self._source.source.clip.nodes}
        groups = _grouped(self._clip.tracks)
        return {
            target: sum(len(track.values) for track in group)
            for target, group in groups.items()
            if all(track.match is not None and track.match.unchanged for track in group)
            and (target[1] is not TrackKind.TRANSFORM or self._nodes.get(target[0]) is known.get(target[0]))
        }

    # --- What the source has -------------------------------------------------------------------------------------

    def _source_tracks(self, groups: dict[Target, list[Track]]) -> list[FileTrack]:
        """Return the source's tracks in its order, but deleted ones; remove their groups from `groups`."""
        result: list[FileTrack] = []
        for known in () if self._source is None else self._source.tracks():
            if known.target is None:
                result.append(self._rename(known.in_time(*self._clip.retiming), known.node))
                continue
            found = next((target for target in known.targets() if target in groups), None)
            if found is not None:
                group = groups.pop(found)
                result.append(self._rename(self._like_source(known, found, group), known.node))
        return result

    def _rename(self, track: FileTrack, node: str) -> FileTrack:
        name = self._names.of(node, track.node)
        self._written[node] = name
        self._taken.add(name)
        return track if name == track.node else replace(track, node=name)

    def _like_source(self, known: KnownTrack, target: Target, group: list[Track]) -> FileTrack:
        assert known.role is not None
        same_space = self._source is not None and self._source.same_space(self._space)
        same_numbers = same_space and self._length_factor(target) == 1.0
        if same_numbers and self._own.get(target) == known.components:
            return known.track
        own = known.track if fits(known.track.type, known.components) else None
        request = self._request(known.track.value_type, known.role.factor)
        if same_numbers:
            request.own = own
        rows = self._rows(target, group, known.components)
        built = build(rows, request, self._summary, self._report)
        built.node, built.property = known.track.node, known.track.property
        return built

    def _request(self, value_type: int, factor: float = 1.0) -> Request:
        linear = self._options.curves == "LINEAR"
        return Request(
            value_type,
            factor,
            tolerance=self._options.tolerance * (1.0 if linear else _REFITTED),
            linear=linear,
            duration=self._clip.duration,
        )

    # --- What is new ---------------------------------------------------------------------------------------------

    def _fresh_tracks(self, groups: dict[Target, list[Track]], placed: Sequence[Node]) -> list[FileTrack]:
        """Return the tracks that are not in the source, in the order in which the engine binds them."""
        slots = {node.name: node for node in placed}
        places = {node.name: place for place, node in enumerate(placed)}
        groups = dict(sorted(groups.items(), key=lambda group: places.get(group[0][0], len(places))))
        redundant = Redundant(self._nodes, slots, groups, said=self._options.each_alone)
        groups = seen_through(self._seen_once(groups), self._clip.views, self._report)
        fresh = [track for target, tracks in groups.items() for track in self._fresh(target, tracks, redundant)]
        if not fresh and self._source is None:  # where nothing moves, what has a key is written all the same
            keyed = {(track.node, track.kind, track.property) for track in self._clip.tracks}
            resting = {target: groups[target] for target in groups if target in keyed and target[2] in TRANSFORMS}
            fresh = [track for target, tracks in resting.items() for track in self._fresh(target, tracks, None)]
        if self._options.unbound == "LAST":
            self._tell_unbound(messages.UNBOUND, _unbound(fresh))
        return properties.in_order(fresh)

    def _bound_only(self, tracks: Sequence[FileTrack]) -> list[FileTrack]:
        """Return the tracks without those that the engine would skip, which are reported."""
        lost = _unbound(tracks)
        self._tell_unbound(messages.UNBOUND_LEFT_OUT, lost)
        skipped = {id(track) for track in lost}
        return [track for track in tracks if id(track) not in skipped]

    def _seen_once(self, groups: dict[Target, list[Track]]) -> dict[Target, list[Track]]:
        """Return the groups without hiding in renders where hiding in the viewport already drives Active."""
        result = dict(groups)
        for node, kind, name in groups:
            render = (node, kind, "hide_render")
            twice = kind is TrackKind.RNA and name == "hide_viewport" and render in groups
            if twice and not _same_steps(groups[node, kind, name], result.pop(render)):
                self._report.warn(messages.TWO_VISIBILITIES, node=node)
        return result

    def _tell_unbound(self, template: str, tracks: Sequence[FileTrack]) -> None:
        if not tracks:
            return
        names = [f"{track.node} {track.property}" for track in tracks]
        self._report.warn(template, tracks=len(names), names=first_names(names))

    def _fresh(self, target: Target, group: list[Track], redundant: Redundant | None) -> list[FileTrack]:
        """Return the tracks of a property that is not in the source; none for a transform that rests as its slot."""
        node, kind, name = target
        if not any(len(track.times) for track in group):
            return []
        may_stand = kind is TrackKind.TRANSFORM and self._clip.rests_known and not self._options.still_channels
        if may_stand and redundant is not None and redundant.holds(node, name, group):
            return []
        value_kind, width = group[0].value_kind, _width(target, group)
        if kind is TrackKind.RNA:
            field = as_field(name, group, node, self._report)
            if field is None:
                return []
            name, type_name, group = field
            kind, width = TrackKind.CUSTOM, layout.VALUE_TYPES[layout.IDS[type_name]].components
        else:
            type_name = fresh_type(kind, name, value_kind, width)
        rows = self._rows((node, kind, name), group, width)
        field_name = FIELD_OF.get(name, name) if kind is TrackKind.TRANSFORM else name
        if kind is TrackKind.SHAPE_KEY:
            field_name = BLEND_SHAPE + name
        if type_name not in layout.IDS:
            return [self._one(node, f"{field_name}[{at}]", "float", [row]) for at, row in enumerate(rows)]
        return [self._one(node, field_name, type_name, rows)]

    def _one(self, node: str, field_name: str, type_name: str, rows: Sequence[Track]) -> FileTrack:
        request = self._request(layout.IDS[type_name])
        request.turns = type_name == "floatQ"
        request.name, request.rate = f"{node} {field_name}", self._clip.rate
        track = build(rows, request, self._summary, self._report)
        track.node, track.property = self._name_of(node), field_name
        return track

    def _name_of(self, node: str) -> str:
        """Return the name of a node in the file, one that no other node has."""
        if node not in self._written:
            found = self._nodes.get(node)
            wanted = self._names.of(node, node if found is None else found.original or found.name)
            numbered = (f"{wanted}.{number:03d}" for number in itertools.count(1))
            name = next(name for name in itertools.chain([wanted], numbered) if name not in self._taken)
            if name != wanted:
                self._report.warn(messages.SAME_NAME, name=wanted, other=name)
            self._written[node] = name
            self._taken.add(name)
        return self._written[node]

    def _rows(self, target: Target, group: list[Track], width: int) -> list[Track]:
        """Return a curve for each component, in the file's order and axes; one without keys stays at rest."""
        node, kind, name = target
        order, signs = component_order(name, kind, self._axes_of(node), width)
        single = {row.component: row for track in group for row in track.rows()}
        resting = RESTING.get(name, (0.0,) * width) if kind is TrackKind.TRANSFORM else (0.0,) * width
        like = next(row for row in single.values() if len(row.times))
        rows = []
        for component, sign in zip(order.tolist(), signs.tolist()):
            row = single.get(component)
            if row is None or not len(row.times):
                row = constant(like, resting[component])
            rows.append(_scaled(row, sign * self._length_factor(target)))
        return rows

    def _length_factor(self, target: Target) -> float:
        is_length = target[1] is TrackKind.TRANSFORM and target[2] == LOCATION
        return self._options.scale if is_length else 1.0

    def _axes_of(self, node: str) -> Axes:
        found = self._nodes.get(node)
        return self._space.of(NodeKind.BONE if found is None else found.kind)

    # --- The whole -----------------------------------------------------------------------------------------------

    def _set_duration(self, document: Document) -> None:
        """Keep the source's own duration while it says the same, else take the clip's."""
        wanted = self._clip.duration
        if self._source is not None and abs(wanted - self._source.source.clip.duration) < 1e-6:
            return
        if not (math.isfinite(wanted) and wanted > 0):
            wanted = max((track.last_time for track in document.tracks), default=0.0)
        document.duration = np.float32(wanted)

    def _remark_model(self) -> None:
        """Note which settings of the model's own export the written numbers fit."""
        moving = {track.node for track in self._clip.tracks if track.kind is TrackKind.TRANSFORM}
        if moving and self._space.preset in _FITTING:
            self._report.note(_FITTING[self._space.preset])
            if any(node.holds for node in self._clip.nodes if node.name in moving):
                self._report.note(messages.FITS_LENSES)

    def _remark(self) -> None:
        self._summary.tell(self._report)
        if self._source is None and self._clip.markers:
            self._report.warn(clip_messages.MARKERS, markers=len(self._clip.markers))
        elif self._source is not None and self._are_others(self._source.source.clip.markers):
            self._report.warn(messages.TEXTS_KEPT)
        self._remark_model()

    def _are_others(self, markers: Sequence[Marker]) -> bool:
        """Return whether the clip's markers are others than the source's `markers` at their present times."""
        factor, shift = self._clip.retiming
        placed = [(marker.time * factor + shift, marker.text) for marker in markers]
        wanted = sorted(found for found in placed if -_MOMENT <= found[0] <= self._clip.duration + _MOMENT)
        own = sorted((marker.time, marker.text) for marker in self._clip.markers)
        return len(own) != len(wanted) or any(
            text != other or abs(time - moment) > _MOMENT for (time, text), (moment, other) in zip(own, wanted)
        )


def _unbound(tracks: Sequence[FileTrack]) -> list[FileTrack]:
    """Return the tracks for which the engine finds no field by their names."""
    return [track for track in tracks if properties.bound(track) is properties.Bound.NOWHERE]


def _same_steps(first: Sequence[Track], second: Sequence[Track]) -> bool:
    """Return whether two properties have the same keys."""
    return len(first) == len(second) and all(
        np.array_equal(one.times, other.times) and np.array_equal(one.values, other.values)
        for one, other in zip(first, second)
    )


def _grouped(tracks: Sequence[Track]) -> dict[Target, list[Track]]:
    """Return tracks by what they drive, in order of appearance."""
    groups: dict[Target, list[Track]] = {}
    for track in tracks:
        groups.setdefault((track.node, track.kind, track.property), []).append(track)
    return groups


def _width(target: Target, group: Sequence[Track]) -> int:
    if target[1] is TrackKind.TRANSFORM:
        return len(RESTING[target[2]])
    return max(max(track.width, track.component + len(track.values)) for track in group)


def _scaled(row: Track, factor: float) -> Track:
    """Return the row times `factor`, with the same match to the source."""
    return row if factor == 1.0 else replace(row.scaled(factor), match=row.match)


# The file that a clip was imported from, as the export needs it: which of its tracks became which track of the clip.


@dataclass
class KnownTrack:
    """A track of the source.

    Attributes:
        track: as in the file.
        node: the clip's name for its node.
        role: what it drives; None for a track that does not play.
        plays: the clip has a track of it.
    """

    track: FileTrack
    node: str
    role: Role | None
    plays: bool

    @property
    def target(self) -> tuple[str, TrackKind, str] | None:
        """What the clip's track drives, None for a track that the clip does not have."""
        return (self.node, self.role.kind, self.role.property) if self.role is not None and self.plays else None

    @property
    def components(self) -> int:
        """Numbers that a value has."""
        count: int = self.track.type.components
        return count

    def targets(self) -> list[tuple[str, TrackKind, str]]:
        """Return what may hold the track in Blender: a custom property stands in for a missing shape key."""
        if self.role is None or self.target is None:
            return []
        stands_in = [(self.node, TrackKind.CUSTOM, name) for name in (self.role.property, self.track.property)]
        return [self.target] if self.role.kind is TrackKind.TRANSFORM else [self.target, *stands_in]

    def in_time(self, factor: float, shift: float) -> FileTrack:
        """Return the track with its keys at their seconds times `factor` plus `shift`; a cut one begins with what it
        holds at 0."""
        track = self.track
        if (factor, shift) == (1.0, 0.0) or not track.key_count:
            return track
        if track.track_type is TrackType.RAW and not shift:
            return replace(track, interval=np.float32(track.interval * factor))
        moved = replace(track, times=(track.key_times * factor + shift).astype(np.float32))
        if track.track_type is TrackType.RAW:
            moved = _without_interval(moved)
        return _from_zero(moved) if moved.track_type is TrackType.DISCRETE else moved


def _without_interval(track: FileTrack) -> FileTrack:
    """Return a Raw track with times as one of another type that plays the same: texts step, numbers go straight."""
    if isinstance(track.values, list):
        return replace(track, track_type=TrackType.DISCRETE, interval=np.float32(0))
    linear = np.full(1, Mode.LINEAR, np.uint8)
    return replace(track, track_type=TrackType.CURVE, interval=np.float32(0), interpolation=linear)


def _from_zero(track: FileTrack) -> FileTrack:
    """Return a Discrete track without what it held before 0 alone."""
    assert track.times is not None
    first = int((track.times <= 0).sum()) - 1
    if first < 0 or not (np.diff(track.times) >= 0).all():
        return track
    return replace(track, times=np.maximum(track.times[first:], np.float32(0)), values=track.values[first:])


class Known:
    """A source, with its tracks in the order of keys that the import took."""

    def __init__(self, source: Source[Document, ReadOptions]) -> None:
        self.source = source
        self.options = source.options
        document = source.document
        if self.options is not None:
            document = reread(document, self.options.key_order, self.options.tangent_order)
        self.document = document

    def same_space(self, other: Space) -> bool:
        """Return whether the file's numbers mean the same in the axes of the export."""
        if self.options is None:
            return True
        own = space(self.options.axes, self.options.forward_axis, self.options.up_axis, self.options.left_handed)
        return equal(_told(own), _told(other))

    def tracks(self) -> Iterator[KnownTrack]:
        """Yield all tracks in file order."""
        names = to_clip.node_names(self.document)
        playing = to_clip.playing_tracks(self.document)
        shown = {(track.node, track.kind, track.property) for track in self.source.clip.tracks}
        for number, track in enumerate(self.document.tracks):
            role, node = playing.get(number), names[track.node]
            plays = role is not None and (node, role.kind, role.property) in shown
            yield KnownTrack(track, node, role, plays)


def _told(own: Space) -> tuple[Array, ...]:
    """Return the matrices, (3, 3), (3, 3) and (4, 4), that the numbers of a file depend on."""
    return own.axes.matrix, own.object_axes.matrix, own.outside
