"""What the curves of a datablock drive, in a clip's words: node, property, kind and width; and how far it plays."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, TypeGuard, cast

import numpy as np
from bpy.types import ID, Armature, Bone, Key, Object, PoseBone, bpy_struct

from ...io_formats.clip import HIDE, LOCATION, RESTING, ROTATION, Clip, Marker, NodeKind, Track, TrackKind, ValueKind
from ...io_formats.errors import Entry, Report
from ...io_formats.scene_options import ImportOptions
from .. import actions, armatures, data_paths, fitting, messages, names, targets, visibility
from ..types import Holder, has_key, settings_of
from . import influences
from .nodes import OWN_TRANSFORMS, TURNS, Naming, NodeMap
from .strips import markers_in_strips

if TYPE_CHECKING:
    from .players import HungMesh
    from .timing import Capture, Holds

_WIDTHS = {name: len(rest) for name, rest in RESTING.items()} | {"rotation_euler": 3, "rotation_axis_angle": 4}
_SHOWN = "visibility"
HIDING = (HIDE, _SHOWN)
"""Properties of a bone that hide it: Blender's own, and that of the files and of another add-on."""

_KINDS = {bool: ValueKind.BOOL, int: ValueKind.INT, float: ValueKind.FLOAT}


class Kinds(TypedDict):
    """Of what kind a track is, as its fields."""

    value_kind: ValueKind
    kind: TrackKind


@dataclass(frozen=True)
class Driven:
    """One property that curves drive, in a clip's words.

    Attributes:
        address: the end of the data path; tells the properties of one node apart.
        holder: the pose bone, object or other struct that has the property.
    """

    node: str
    address: str
    property: str
    kind: TrackKind = TrackKind.TRANSFORM
    value_kind: ValueKind = ValueKind.FLOAT
    width: int = 1
    holder: bpy_struct | None = None

    @builtins.property  # the field of that name hides it here
    def label(self) -> str:
        """The property in a person's words."""
        shape_key = self.property if self.kind is TrackKind.SHAPE_KEY else None
        return shape_key or data_paths.custom_key(self.address) or self.address

    @builtins.property
    def kinds(self) -> Kinds:
        """Of what kind its tracks are, as fields of these."""
        return {"value_kind": self.value_kind, "kind": self.kind}

    @builtins.property
    def mover(self) -> Holder:
        """The bone or object of a transform."""
        return cast("Holder", self.holder)

    @builtins.property
    def path(self) -> str:
        """The data path of a transform, from its object."""
        return data_paths.bone_path(self.holder.name, f".{self.address}") if is_bone(self.holder) else self.address


class DrivenFinder(NamedTuple):
    """Finds what a data path drives.

    Attributes:
        naming: of bones and objects.
        sources: what the importer wrote: its names and kinds of properties stand.
        holds: whether a file has a place for a property of a node of that kind; it has one for transforms.
        meshes: those on bones, where what hides a mesh hides its bone.
    """

    naming: Naming
    sources: Sources
    holds: Holds
    meshes: Sequence[HungMesh]

    def find(self, owner: ID, thing: Object, data_path: str) -> Driven | None:
        """Return what a path of `owner`, which is the object `thing` or belongs to it, leads to.

        None for what is no part of a clip, leads nowhere, or has no place in a file.
        """
        found = self._found(owner, thing, data_path)
        if found is None or found.kind is TrackKind.TRANSFORM:
            return found
        node = NodeKind.BONE if isinstance(found.holder, PoseBone | Bone) else NodeKind.OBJECT
        return found if self.holds(node, found.kind, found.property) else None

    def _found(self, owner: ID, thing: Object, data_path: str) -> Driven | None:
        bone, path = data_paths.split_bone(data_path)
        if bone is not None:
            node = self.naming.bones.get(owner.name, {}).get(bone) if owner == thing else None
            holder: PoseBone | None = thing.pose.bones.get(bone) if node is not None else None
            if holder is None or node is None:
                return None
            return self._own(node, holder, path) or _hiding(node, holder, path, path)
        if owner != thing:
            return self._of_data(owner, thing, path)
        node = self.naming.objects.get(thing.name)
        if node is None:  # a mesh may hide the bone on which it hangs
            hung = next((mesh for mesh in self.meshes if mesh.thing == thing and path in visibility.SEEN), None)
            carrier = None if hung is None else self.naming.bones[hung.rig.name].get(hung.bone)
            if hung is None or carrier is None:
                return None
            return Driven(carrier, HIDE, HIDE, TrackKind.RNA, ValueKind.BOOL, holder=hung.rig.pose.bones[hung.bone])
        return self._own(node, thing, path) or self._rna(node, path, thing, path)

    def _own(self, node: str, holder: Holder, path: str) -> Driven | None:
        if path in OWN_TRANSFORMS:
            return driven_transform(node, holder, path)
        key = data_paths.custom_key(path)
        own = self.sources.tracks.get((node, path))
        if key is not None and own is not None:  # whether or not this bone or object has the property
            return Driven(node, path, own.property, own.kind, own.value_kind, own.width, holder)
        if key is None or not has_key(holder, key):
            return None
        kind, width = _kind_of(holder[key], lambda: settings_of(holder, key).as_dict().get("subtype", ""))
        return Driven(node, path, key, TrackKind.CUSTOM, kind, width, holder) if width else None

    def _rna(self, node: str, address: str, owner: ID, path: str) -> Driven | None:
        try:
            value = owner.path_resolve(path)
        except ValueError:
            return None
        kind, width = _kind_of(value)
        return Driven(node, address, address, TrackKind.RNA, kind, width, owner) if width else None

    def _of_data(self, owner: ID, thing: Object, path: str) -> Driven | None:
        bone, end = data_paths.split_bone_of_data(path)
        if bone is not None and isinstance(owner, Armature):
            hidden = self.naming.bones.get(thing.name, {}).get(bone)
            return None if hidden is None else _hiding(hidden, owner.bones[bone], end, path)
        shape = data_paths.shape_key(path)
        address = f"data.{path}" if shape is None else shape_key_address(shape)
        node = self.naming.of_file.get(thing.name, names.node_name(thing))
        own = self.sources.tracks.get((node, address))
        if own is None:  # an object of the name of a bone's node may carry that node's shape keys
            node = self.naming.objects.get(thing.name, "")
        if not node or (isinstance(owner, Key) and not owner.use_relative):  # where eval_time decides
            return None
        if shape is None:
            return self._rna(node, address, owner, path)
        return Driven(node, address, shape if own is None else own.property, TrackKind.SHAPE_KEY, holder=owner)


def _hiding(node: str, holder: bpy_struct, path: str, address: str) -> Driven | None:
    """Return what hides a bone: Blender's own `hide`, and the `visibility` of another add-on for models.

    That is a number which the add-on gives all bones of an Armature datablock; its curves say what is meant with or
    without that add-on.
    """
    if path == HIDE and hasattr(holder, HIDE):
        return Driven(node, address, HIDE, TrackKind.RNA, ValueKind.BOOL, holder=holder)
    if path == _SHOWN and not is_bone(holder):
        return Driven(node, address, _SHOWN, TrackKind.RNA, ValueKind.FLOAT, holder=holder)
    return None


def driven_transform(node: str, holder: Holder, path: str) -> Driven:
    """Return a transform property, whatever the rotation mode: a clip has quaternions only."""
    return Driven(node, path, ROTATION if path in TURNS else path, width=_WIDTHS[path], holder=holder)


def is_bone(holder: bpy_struct | None) -> TypeGuard[PoseBone]:
    """Return whether this is a pose bone rather than an object."""
    return hasattr(holder, "matrix_channel")


def is_connected(holder: bpy_struct | None) -> bool:
    """Return whether Blender ignores the location: a bone that is "connected", also one without a parent."""
    return is_bone(holder) and holder.bone.use_connect


def plays(driven: Driven) -> bool:
    """Return whether a transform plays: a turn does in the rotation mode, a place where nothing is connected."""
    if driven.property == ROTATION:
        return driven.address == data_paths.turn_of(driven.mover)
    return driven.property != LOCATION or not is_connected(driven.holder)


def _kind_of(value: Any, subtype: Callable[[], str] = str) -> tuple[ValueKind, int]:
    """Return what a property holds, colours by its subtype, and how many; width 0 for what cannot be animated."""
    width = 1
    if hasattr(value, "__len__") and not isinstance(value, str | bytes):
        width = len(value)
        value = next(iter(value), None)  # of a group a name, which is nothing that can be animated
    kind = _KINDS.get(type(value))
    if kind is ValueKind.FLOAT and width == 4 and subtype().startswith("COLOR"):
        kind = ValueKind.COLOR
    return (ValueKind.FLOAT, 0) if kind is None else (kind, width)


# --- What Blender keeps a property to, whatever its curve says ------------------------------------


def is_muted(holder: bpy_struct, path: str) -> bool:
    """Return whether the path leads to a shape key that is muted, for good."""
    shape = data_paths.shape_key(path)
    block = holder.key_blocks[shape] if shape is not None and isinstance(holder, Key) else None
    return block is not None and block.mute and not influences.is_animated(block, "mute")


# What a captured clip has of its file: tracks that curves can be related to, name and markers.

_Label = tuple[float, str]
"""Frame and name of a marker in Blender."""


class Sources(NamedTuple):
    """What the importer wrote.

    Attributes:
        rows: by node, address and component of which track that is a row, and which one; None where the importer wrote
            no numbers of the file's, but converted them for another rest pose.
        tracks: by node and address one of a property's tracks, whatever its component.
    """

    rows: Mapping[tuple[str, str, int], tuple[Track, int] | None] = MappingProxyType({})
    tracks: Mapping[tuple[str, str], Track] = MappingProxyType({})

    @classmethod
    def of(cls, written: Clip | None, unrelated: Container[int] = ()) -> Sources:
        """Index the tracks of a clip; `unrelated` are the ids of those that the importer converted."""
        rows: dict[tuple[str, str, int], tuple[Track, int] | None] = {}
        tracks: dict[tuple[str, str], Track] = {}
        called = [] if written is None else [(track, track.custom_name) for track in written.tracks]
        called += [(track, track.property) for track, _ in called if track.kind is TrackKind.SHAPE_KEY]
        for track, name in called:
            addresses = [track.property] if track.kind in (TrackKind.TRANSFORM, TrackKind.RNA) else []
            if track.kind is TrackKind.SHAPE_KEY:
                addresses = [shape_key_address(track.property)]
            if track.kind is not TrackKind.TRANSFORM:  # a custom property; last as older versions call a shape key's
                addresses.append(data_paths.custom_path(names.property_key(name)))
            for address in addresses:
                tracks.setdefault((track.node, address), track)
                for row in range(len(track.values)):
                    found = (track, row) if id(track) not in unrelated else None
                    rows.setdefault((track.node, address, track.component + row), found)
        return cls(rows, tracks)


def shape_key_address(name: str) -> str:
    """Return the address of a shape key's value."""
    return f"key_blocks {names.property_key(name)}"


def sources_of(capture: Capture, node_map: NodeMap) -> Sources:
    """Return what the importer wrote, empty for what was not imported."""
    if capture.provenance is None:
        return Sources()
    if capture.written is None or not capture.provenance.placement.rebased:
        return Sources.of(capture.written)
    # a target with another rest pose, for which the importer converted tracks
    naming, known = node_map.naming, {node.name for node in capture.written.nodes}
    bones = {} if capture.participants.main is None else naming.bones[capture.participants.main.name]
    bones = {node: bone for bone, node in bones.items() if node in known}
    things = {naming.objects[thing.name]: thing for thing in node_map.things if naming.objects[thing.name] in known}
    target = targets.Target(capture.participants.main, bones, things, unit=armatures.unit_of(capture.context.scene))
    asked = capture.provenance.options
    options = ImportOptions(**{name: asked[name] for name in ("fit", "channels") if name in asked})
    meant = fitting.as_meant(capture.written, target.rig, target.bones, options)
    nodes = fitting.nodes_as_they_are(meant, target, options)
    kept = meant.tracks if nodes is None else fitting.onto_nodes(meant, nodes, target, options, Report()).tracks
    if options.fit == "EXACT":  # where the armature stood then, which turned what is on nothing else, is not known
        tops = {node.name for node in nodes or meant.nodes if node.parent is None}
        kept = [track for track in kept if track.node not in tops]
    return Sources.of(capture.written, set(map(id, capture.written.tracks)) - set(map(id, kept)))


def is_renamed(capture: Capture) -> bool:
    """Return whether the Action has another name than the importer gave it."""
    action, provenance = capture.participants.action, capture.provenance
    return action is not None and provenance is not None and provenance.placement.given_name != action.name


def markers(capture: Capture) -> tuple[list[Marker], list[Entry]]:
    """Return the Action's markers, and why they are not the file's.

    Those of the file that are still there have the file's own time, as the scene's rate plays it, and text.
    """
    main, players = capture.participants.action, capture.participants.players
    if main is None:
        in_strips = [label for thing in capture.participants.objects for label in markers_in_strips(thing)]
        return _related(capture, in_strips, []), []
    # before 4.4 each object has an Action of its own, one of which has the markers
    parts = dict.fromkeys((main, *(player.action for player in players if player.origin is not None)))
    found = [(marker.frame, marker.name) for action in parts for marker in action.pose_markers]
    if capture.written is None or capture.provenance is None:
        return _related(capture, found, []), []
    rate, start = capture.provenance.placement.rate, capture.provenance.placement.start_frame
    own = capture.written.markers
    labels = [actions.marker_label(marker.time * rate + start, marker.text) for marker in own]  # as Blender has them
    timed = [Marker(marker.time * capture.timing.stretch, marker.text) for marker in own]
    if sorted(found) == sorted(labels):
        return timed, []
    return _related(capture, found, list(zip(labels, timed))), [Entry(messages.CAPTURE_MARKERS, {})]


def _related(capture: Capture, found: Sequence[_Label], written: Sequence[tuple[_Label, Marker]]) -> list[Marker]:
    """Return markers for the labels `found`, each a written one of that label while there are any."""
    left, result = list(written), []
    for label in found:
        known = next((entry for entry in left if entry[0] == label), None)
        if known is not None:
            left.remove(known)
        time = float(capture.span.seconds(np.array(label[0])))
        result.append(Marker(time, label[1]) if known is None else known[1])
    return sorted(result, key=lambda marker: marker.time)
