"""Clip -> Document: untouched tracks as they were, the others key by key; new ones in the engine's own terms.

What is asked, and where the clip comes from, is one value that nothing changes (`_Asked`). Of it follow the clip on the
slots that nodes have in the engine (`_placed`), and of both the file's tracks (`_Tracks`).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..binary import equal
from ..clip import CONSTANT, LOCATION, RESTING, TRANSFORMS, NodeKind, Track, TrackKind, by_property, curve, quaternion
from ..clip import messages as clip_messages
from ..clip.measure import Promise, Written
from ..clip.pose import Chains, decompose, inverse, product, size_of
from ..clip.rest_pose import rebase
from ..errors import FormatError, Report, first_names
from ..format import A_NEW_FILE, Destination
from . import layout, messages, properties, to_clip
from .document import Document
from .document import Track as FileTrack
from .edited_keys import Request, Summary, build, constant
from .options import AXES, ReadOptions, WriteOptions
from .playback import played
from .properties import Space, as_field, component_order, fresh_type, name_in_file, seen_through, space
from .read import in_form, reread
from .redundant import Redundant, Target, completed
from .to_clip import node_names

if TYPE_CHECKING:
    from ..clip import Array, Clip, Node, Source

_MOMENT = 1e-3
"""Seconds by which a marker may miss its text."""
_SAMPLED = 1e-4
"""Of the range of a node's locations, that samples of what follows a sheared parent may be off between them."""
_REFITTED = 0.1
"""Share of the tolerance for handles that are fitted again, as what was sampled may be off by all of it already."""
_LENGTH = TrackKind.TRANSFORM, LOCATION
_PROMISE = Promise(turn=0.09, size=1.5e-3, between=3.0)
"""Degrees, and parts of a length, by which a node may be off on frames, and how many times as far between two."""

_FITTING = {"GLTF": messages.FITS_GLTF, "FBX": messages.FITS_FBX, "FBX_CM": messages.FITS_FBX_CM}


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
    source = to.source
    asked = _Asked(clip, options, report, source, (source and source.options) or ReadOptions())
    names = _Names(asked)
    tracks = _Tracks(asked, names)
    document = replace(asked.document, tracks=tracks.of(_placed(asked)))
    if source is None or source.renamed:
        document.name = clip.name
    # the source's own duration stays while it says the same
    if source is None or abs(clip.duration - source.clip.duration) >= 1e-6:
        given = math.isfinite(clip.duration) and clip.duration > 0
        longest = max((track.last_time for track in document.tracks), default=0.0)
        document.duration = np.float32(clip.duration if given else longest)
    document = in_form(document, ".animx", options)
    names.remark_unknown()
    tracks.summary.tell(report)
    _remark(asked)
    to.tell(_written(asked, names, document))
    return document


# --- What is asked -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Asked:
    """A clip, how it is to be written, and the file that it was imported from, if it was, with which options."""

    clip: Clip
    options: WriteOptions
    report: Report
    source: Source[Document, ReadOptions] | None
    imported: ReadOptions

    @cached_property
    def document(self) -> Document:
        """The source's, in the order of keys that the import took; an empty one without a source."""
        if self.source is None:
            return Document()
        return reread(self.source.document, self.imported.key_order, self.imported.tangent_order)

    @cached_property
    def nodes(self) -> dict[str, Node]:
        """The clip's nodes by name."""
        return {node.name: node for node in self.clip.nodes}

    @cached_property
    def known(self) -> dict[str, Node]:
        """The source's nodes by name; none without a source."""
        return {} if self.source is None else {node.name: node for node in self.source.clip.nodes}

    @cached_property
    def axes(self) -> dict[str, Any]:
        """The options about axes, those of the import where this export leaves them to it."""
        asked = self.options if self.options.axes != "AUTO" else self.imported
        return {name: getattr(asked, name) for name in AXES}

    @cached_property
    def space(self) -> Space:
        """What these axes are."""
        return space(*self.axes.values())

    @cached_property
    def same_space(self) -> bool:
        """Whether the source's numbers mean the same in these axes."""
        read = space(*(getattr(self.imported, name) for name in AXES))
        own, other = ((each.axes.matrix, each.object_axes.matrix, each.outside) for each in (read, self.space))
        return equal(own, other)

    def turns(self, nodes: Sequence[Node]) -> dict[str, Array]:
        """Return (4, 4) for the nodes whose own frame is turned."""
        turns = {node.name: self.space.turns[node.holds] for node in nodes if node.holds in self.space.turns}
        return turns | {node.name: inverse(node.turn) for node in nodes if node.turn is not None}

    def length_factor(self, target: Target) -> float:
        """Return what the option Scale, and that of an import whose keys it is in, multiply a property with."""
        if target[1:] != _LENGTH:
            return 1.0
        if self.source is None or self.imported.scale == 1.0:
            return self.options.scale
        return self.options.scale * size_of(self.source.clip.root) / self.imported.scale


# --- On slots ----------------------------------------------------------------------------------------------------


def _placed(asked: _Asked) -> Clip:
    """Return the clip with every node's basis its full transform relative to its parent, in Blender's axes."""
    clip, source = asked.clip, asked.source
    known = clip.driven
    moving = {node for node, _ in known}
    nodes = [_placed_node(asked, node) if node.name in moving else node for node in clip.nodes]
    placed = rebase(
        clip,
        nodes,
        clip.root,
        tolerance=_REFITTED * asked.options.tolerance,
        report=asked.report,
        turns=asked.turns(nodes),
        share=_SAMPLED,
        cubics=asked.options.curves != "LINEAR",
    )
    # channels that nothing drives, or the source does not, rest as the engine's slot does
    placed.tracks = [
        track
        for track in placed.tracks
        if track.kind is not TrackKind.TRANSFORM
        or (track.node in moving if source is None else (track.node, track.property) in known)
    ]
    if source is None:
        placed.tracks = completed(placed.tracks, every=asked.options.still_channels)
    return placed


def _placed_node(asked: _Asked, node: Node) -> Node:
    """Return the node with the parent and rest that its slot in the engine has."""
    parent = asked.nodes.get(node.under or node.parent or "")
    turn = asked.space.armature_turn
    if node.kind is NodeKind.BONE:
        node = replace(node, parent=node.under or node.parent)
        rest = np.eye(4) if parent is not None and parent.kind is NodeKind.BONE else turn
    elif parent is not None:
        node = replace(node, parent=parent.name)
        rest = np.linalg.inv(turn) if parent.kind is NodeKind.BONE else np.eye(4)
    elif node.under is not None:
        rest = np.eye(4)
    else:  # relative to the model's root, seen from the clip's
        size = 1.0 if asked.source is None else size_of(asked.source.clip.root)  # of an import at another Scale
        size /= asked.clip.unit if asked.space.preset == "FBX_CM" else 1.0
        rest = np.linalg.inv(asked.clip.root) @ asked.space.root @ asked.space.outside @ np.diag((size, size, size, 1))
    return node if np.array_equal(node.rest, rest) else replace(node, rest=rest)


def _written(asked: _Asked, names: _Names, document: Document) -> Written:
    """Return where the clip is in the file; slots that nothing drives stay as the model has them."""
    nodes = [_placed_node(asked, node) for node in asked.clip.nodes]
    # but those of which the file alone has something, such as texts
    named = {names.written[node.name]: node.name for node in nodes if node.name in names.written}
    turns = asked.turns(nodes)
    return Written(
        _PROMISE,
        reading=asked.axes | {"scale": asked.length_factor(("", *_LENGTH))},
        names={name: named[original] for original, name in node_names(document).items() if original in named},
        root=asked.clip.root,
        nodes=nodes,
        resting=partial(_slots, asked.clip, nodes, turns),
        turns=turns,
    )


def _slots(clip: Clip, nodes: Sequence[Node], turns: dict[str, Array]) -> list[Track]:
    """Return the slots of moving objects at rest: as exporters of models take a matrix apart, see `Redundant`."""
    if not nodes:
        return []
    objects = {node.name for node in nodes if node.kind is NodeKind.OBJECT}
    own = [row for track in clip.tracks if track.node in objects for row in track.rows() if len(row.times)]
    first = replace(clip, tracks=[row.take(np.array([0])) for row in own])
    at, names = np.zeros(1), [node.name for node in nodes]
    turned = Chains(first).worlds(names, at)[0] @ np.stack([turns.get(name, np.eye(4)) for name in names])
    worlds: dict[str | None, Array] = {None: clip.root, **dict(zip(names, turned))}
    rests = product(np.stack([worlds[node.parent] for node in nodes]), np.stack([node.rest for node in nodes]))
    parts = decompose(product(inverse(rests), turned))[:3]
    return [
        Track.sampled(node, name, at, part[:, number : number + 1], CONSTANT)
        for number, node in enumerate(names)
        for name, part in zip(TRANSFORMS, parts)
    ]


# --- Names -------------------------------------------------------------------------------------------------------


class _Names:
    """Names of nodes in the file: as a person calls them now; an option names single ones, and a prefix for all."""

    def __init__(self, asked: _Asked) -> None:
        self._asked = asked
        self._given: dict[str, str] = {}
        for pair in filter(str.strip, asked.options.node_names.split(";")):
            node, equals, name = (part.strip() for part in pair.partition("="))
            if not node or not equals:
                raise FormatError(messages.NODE_NAMES, field="node_names", found=pair.strip())
            self._given[node] = name
        self._taken: set[str] = set()
        self.written: dict[str, str] = {}  # by node

    def of(self, node: str, original: str | None = None) -> str:
        """Return the name to write for a node, `original` in the source; a new one gets one that no other node has."""
        if node not in self.written:
            found, called = self._asked.nodes.get(node), original
            if called is None:
                called = node if found is None else found.original or found.name
            own = self._asked.clip.called.get(node, called)
            given = (self._given[name] for name in (node, called, own) if name in self._given)
            name = wanted = self._asked.options.node_prefix + next(given, own)
            if original is None:
                numbered = (f"{wanted}.{number:03d}" for number in itertools.count(1))
                name = next(name for name in itertools.chain([wanted], numbered) if name not in self._taken)
            if name != wanted:
                self._asked.report.warn(messages.SAME_NAME, name=wanted, other=name)
            self._taken.add(name)
            self.written[node] = name
        return self.written[node]

    def remark_unknown(self) -> None:
        """Warn about names given to nodes that are not exported."""
        clip = self._asked.clip
        known = {name for node in clip.nodes for name in (node.name, node.original)}
        unknown = sorted(self._given.keys() - known - set(clip.called.values()))
        if unknown:
            self._asked.report.warn(messages.NO_SUCH_NODE, names=", ".join(unknown))


# --- Tracks ------------------------------------------------------------------------------------------------------


def _shows_while(hides: Track, own: Track) -> bool:
    times = np.union1d(hides.times, own.times)
    return bool((curve.evaluate(hides, times)[0] > curve.evaluate(own, times)[0]).any())


class _Tracks:
    def __init__(self, asked: _Asked, names: _Names) -> None:
        self._asked, self._names, self.summary = asked, names, Summary()
        self._clip, self._options, self._report = asked.clip, asked.options, asked.report
        linear = asked.options.curves == "LINEAR"
        tolerance = asked.options.tolerance * (1.0 if linear else _REFITTED)
        self._request = Request(0, tolerance=tolerance, linear=linear, duration=asked.clip.duration)

    def of(self, placed: Clip) -> list[FileTrack]:
        """Return the tracks of a clip on slots: those of the source first, then new ones."""
        groups = seen_through(self._seen_once(by_property(placed.tracks)), self._clip.views, self._report)
        self._remark_hidden_with(groups)
        own = by_property(self._clip.tracks)
        if TrackKind.RNA in {kind for _, kind, _ in groups}:
            groups, edited = properties.with_own_first(groups, self._report)
            own |= edited
        tracks = self._of_source(groups, own)
        tracks += self._fresh_ones(groups, placed)
        if self._options.unbound != "LEAVE_OUT":
            return tracks
        lost = self._unbound(messages.UNBOUND_LEFT_OUT, tracks)
        return [track for track in tracks if id(track) not in lost]

    def _seen_once(self, groups: dict[Target, list[Track]]) -> dict[Target, list[Track]]:
        """Return the groups without hiding in renders where hiding in the viewport already drives Active."""
        result = dict(groups)
        for node, kind, name in groups:
            render = (node, kind, "hide_render")
            if kind is TrackKind.RNA and name == "hide_viewport" and render in groups:
                both = groups[node, kind, name], result.pop(render)
                if not equal(*([(track.times, track.values) for track in each] for each in both)):
                    self._report.warn(messages.TWO_VISIBILITIES, node=node)
        return result

    def _remark_hidden_with(self, groups: Mapping[Target, list[Track]]) -> None:
        """Warn of what the engine hides with the slot that it hangs on, and Blender shows."""
        above = {node.name: node.parent or node.under for node in self._clip.nodes}
        things = [node.name for node in self._clip.nodes if node.kind is NodeKind.OBJECT]
        kinds = [*itertools.product([TrackKind.RNA], ("hide_viewport", "hide_render"))]
        hiding = {at[0]: own for at, (own, *_) in groups.items() if at[1:] in kinds and own.values.any()}
        below: dict[str, list[str]] = {}
        for node in things:
            holder, own = above[node], hiding.get(node)
            while holder is not None:
                if holder in hiding and (own is None or _shows_while(hiding[holder], own)):
                    below.setdefault(holder, []).append(node)
                holder = above.get(holder)
        for holder, names in below.items():
            self._report.warn(messages.HIDES_BELOW, node=holder, names=first_names(names))

    def _unbound(self, template: str, tracks: Sequence[FileTrack]) -> set[int]:
        lost = [track for track in tracks if properties.bound(track) is properties.Bound.NOWHERE]
        if lost:
            names = [f"{track.node} {track.property}" for track in lost]
            self._report.warn(template, tracks=len(names), names=first_names(names))
        return set(map(id, lost))

    # --- What the source has -------------------------------------------------------------------------------------

    def _of_source(self, groups: dict[Target, list[Track]], own: Mapping[Target, list[Track]]) -> list[FileTrack]:
        """Return the source's tracks in its order, but deleted ones; remove their groups from `groups`."""
        document, source = self._asked.document, self._asked.source
        names, playing = to_clip.node_names(document), to_clip.playing_tracks(document)
        shown = {(track.node, track.kind, track.property) for track in (() if source is None else source.clip.tracks)}
        result: list[FileTrack] = []
        for number, of_file in enumerate(document.tracks):
            track, role, node = of_file, playing.get(number), names[of_file.node]
            if role is not None and (node, role.kind, role.property) in shown:
                targets = [(node, role.kind, role.property)]
                if role.kind is not TrackKind.TRANSFORM:  # a custom property replaces a missing shape key
                    targets += [(node, TrackKind.CUSTOM, name) for name in (role.property, of_file.property)]
                found = next((target for target in targets if target in groups), None)
                if found is None:
                    continue
                request = replace(self._request, value_type=of_file.value_type, factor=role.factor)
                request.name = f"{node} {of_file.property}"
                track = self._like_source(of_file, request, found, groups.pop(found), own.get(found, []))
            name = self._names.of(node, of_file.node)
            result.append(track if name == track.node else replace(track, node=name))
        return result

    def _like_source(
        self, of_file: FileTrack, request: Request, target: Target, group: list[Track], own: Sequence[Track]
    ) -> FileTrack:
        """Return a track of the source with what a property plays on its slot; the same one where nothing changed."""
        asked, width = self._asked, of_file.type.components
        same_numbers = asked.same_space and (target[1:] != _LENGTH or self._options.scale == 1.0)
        as_imported = target[1] is not TrackKind.TRANSFORM or asked.nodes.get(target[0]) is asked.known.get(target[0])
        untouched = all(track.match is not None and track.match.unchanged for track in own)
        if same_numbers and as_imported and untouched and sum(len(track.values) for track in own) == width:
            return of_file
        request.own = of_file if same_numbers else None
        rows = self._rows(target, group, width)
        alone = same_numbers and (target[0], target[2]) in self._clip.left_alone
        if alone and _plays(rows, of_file, request):  # though at a rest that is not the file's
            return of_file
        built = build(rows, request, self.summary, self._report)
        built.node, built.property = of_file.node, of_file.property
        return built

    # --- What is new ---------------------------------------------------------------------------------------------

    def _fresh_ones(self, groups: dict[Target, list[Track]], placed: Clip) -> list[FileTrack]:
        """Return the tracks that are not in the source, in the order in which the engine binds them."""
        own = (each for each in placed.tracks if each.kind in (TrackKind.TRANSFORM, TrackKind.SHAPE_KEY))
        named = {(each.node, name_in_file(each.kind, each.property)) for each in own}  # the source's, too
        for node, kind, name in [*groups]:
            if properties.is_taken(kind, name) and (node, name) in named:
                del groups[node, kind, name]
                self._report.warn(messages.NAME_TAKEN, node=node, property=name)
        slots = {node.name: node for node in placed.nodes}
        places = {node.name: place for place, node in enumerate(placed.nodes)}
        groups = dict(sorted(groups.items(), key=lambda group: places.get(group[0][0], len(places))))
        redundant = Redundant(self._asked.nodes, slots, groups, self._options)
        fresh = [track for target, tracks in groups.items() for track in self._fresh(target, tracks, redundant)]
        if not fresh and self._asked.source is None:  # where nothing moves, what has a key is written all the same
            keyed = by_property(self._clip.tracks)
            resting = {target: groups[target] for target in groups if target in keyed and target[2] in TRANSFORMS}
            fresh = [track for target, tracks in resting.items() for track in self._fresh(target, tracks, None)]
        if self._options.unbound == "LAST":
            self._unbound(messages.UNBOUND, fresh)
        return properties.in_order(fresh)

    def _fresh(self, target: Target, group: list[Track], redundant: Redundant | None) -> list[FileTrack]:
        """Return the tracks of a property that is not in the source; none for a transform that rests as its slot."""
        node, kind, name = target
        if not any(len(track.times) for track in group):
            return []
        may_rest = kind is TrackKind.TRANSFORM and self._clip.rests_known and not self._options.still_channels
        if may_rest and redundant is not None and redundant.holds(node, name, group):
            return []
        value_kind = group[0].value_kind
        if kind is TrackKind.RNA:
            name, type_name, group = as_field(name, group, node, self._report)
            if not group:
                return []
            kind, width = TrackKind.CUSTOM, layout.VALUE_TYPES[layout.IDS[type_name]].components
        else:
            ends = (max(track.width, track.component + len(track.values)) for track in group)
            width = len(RESTING[name]) if kind is TrackKind.TRANSFORM else max(ends)
            type_name = fresh_type(kind, name, value_kind, width)
        rows = self._rows((node, kind, name), group, width)
        field_name = name_in_file(kind, name)
        if type_name not in layout.IDS:
            return [self._one(node, f"{field_name}[{at}]", "float", [row]) for at, row in enumerate(rows)]
        return [self._one(node, field_name, type_name, rows)]

    def _one(self, node: str, field_name: str, type_name: str, rows: Sequence[Track]) -> FileTrack:
        request = replace(self._request, value_type=layout.IDS[type_name], turns=type_name == "floatQ")
        request.name, request.rate = f"{node} {field_name}", self._clip.rate
        track = build(rows, request, self.summary, self._report)
        track.node, track.property = self._names.of(node), field_name
        return track

    def _rows(self, target: Target, group: list[Track], width: int) -> list[Track]:
        """Return a curve for each component, in the file's order and axes; one without keys stays at rest."""
        node, kind, name = target
        found = self._asked.nodes.get(node)
        axes = self._asked.space.of(NodeKind.BONE if found is None else found.kind)
        order, signs = component_order(name, kind, axes, width)
        single = {row.component: row for track in group for row in track.rows() if len(row.times)}
        resting = RESTING.get(name, (0.0,) * width) if kind is TrackKind.TRANSFORM else (0.0,) * width
        like = next(iter(single.values()))
        rows = []
        for component, sign in zip(order.tolist(), signs.tolist()):
            row = single.get(component) or constant(like, resting[component])
            factor = sign * self._asked.length_factor(target)
            rows.append(row if factor == 1.0 else row.scaled(factor).but(match=row.match))
        return rows


def _plays(rows: Sequence[Track], own: FileTrack, request: Request) -> bool:
    """Return whether rows play what a track of the file does, before, between and behind its keys."""
    keys = played(own)
    times = keys.times.astype(np.float64)
    of_file = Track("", "", keys.times, keys.numbers * request.factor, keys.interpolation, handles=keys.handles)
    # not on keys, which frames round, but near them, as they may be at other times
    between = (times[:-1] + share * np.diff(times) for share in (0.01, 0.5, 0.99))
    moments = np.concatenate((times[:1] - 1.0, *between, times[-1:] + 1.0))
    wanted = curve.evaluate(of_file, moments)
    found = np.concatenate([curve.evaluate(row, moments) for row in rows])
    if request.type.kind is layout.Kind.QUATERNION:
        wanted = wanted * np.where(quaternion.dot(wanted, found) < 0, -1.0, 1.0)
    return bool((np.abs(found - wanted) <= request.tolerance * max(1.0, np.abs(wanted).max(initial=0.0))).all())


def _remark(asked: _Asked) -> None:
    """Tell what becomes of markers, and which settings of the model's own export the written numbers fit."""
    clip, source, report = asked.clip, asked.source, asked.report
    if source is None and clip.markers:
        report.warn(clip_messages.MARKERS, markers=len(clip.markers))
    elif source is not None:
        wanted, own = (sorted((marker.time, marker.text) for marker in each.markers) for each in (source.clip, clip))
        if len(own) != len(wanted) or any(
            text != other or abs(time - moment) > _MOMENT for (time, text), (moment, other) in zip(own, wanted)
        ):
            report.warn(messages.TEXTS_KEPT)
    moving = {node for node, _ in clip.driven}
    enlarged = asked.options.scale != 1.0 and any(name == LOCATION for _, name in clip.driven)
    if moving and source is not None and clip.recorded is not None:
        report.note(messages.FITS_FILES, file=source.file)
    elif moving and not enlarged and asked.space.preset in _FITTING:
        report.note(_FITTING[asked.space.preset])
        if any(node.holds for node in clip.nodes if node.name in moving):
            report.note(messages.FITS_LENSES)
