"""The neutral middle between a file and Blender: nodes with a rest pose, and tracks of keys.

Axes are Blender's (right-handed, Z up), lengths metres (or the file's own unit where it names none),
times seconds, quaternions (w, x, y, z). No format knows another, and none of this knows Blender.

    world(node) = root x rest(ancestors ...) basis(ancestors ...) x rest(node) x basis(node)

A transform track holds the *basis*: the pose relative to the node's rest, which is what a Blender pose bone's
`location`, `rotation_quaternion` and `scale` are. `rest` is relative to the parent node.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from enum import Enum, IntEnum
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..later import modules_of

if TYPE_CHECKING:
    from .model import Model

Array = NDArray[Any]
DocumentT = TypeVar("DocumentT")
ReadsT = TypeVar("ReadsT")
KeyT = TypeVar("KeyT")
ItemT = TypeVar("ItemT")

LOCATION = "location"
ROTATION = "rotation_quaternion"
SCALE = "scale"
EULER = "rotation_euler"
"""Of Actions that a person made; files and mappings have ROTATION."""
HIDE = "hide"
"""The RNA property that hides a bone while it is true."""

LEAST_OPACITY = 0.1
"""A node whose visibility is a number, an opacity, is hidden below this; EA's viewer for W3X has it so."""

TRANSFORMS = (LOCATION, ROTATION, SCALE)
RESTING = {LOCATION: (0.0, 0.0, 0.0), ROTATION: (1.0, 0.0, 0.0, 0.0), SCALE: (1.0, 1.0, 1.0)}
"""What a node has where nothing moves it."""
SHOWN_AT_REST = ("visibility", "fade")
"""Properties of a pivot, which are 1 in the games where an animation says nothing of them."""


class Interpolation(IntEnum):
    """How the segment that a key begins is shaped; the numbers are Blender's."""

    CONSTANT = 0
    LINEAR = 1
    BEZIER = 2


CONSTANT, LINEAR, BEZIER = (np.uint8(kind) for kind in Interpolation)
"""The same as numpy's own numbers, with which it compares arrays several times quicker than with an enumeration."""


class Wrap(IntEnum):
    """What a curve does outside its keys: hold the end value, repeat, or repeat mirrored."""

    HOLD = 0
    REPEAT = 1
    MIRROR = 2


class ValueKind(Enum):
    """What the numbers of a track are, for the property that carries them."""

    FLOAT = "FLOAT"
    BOOL = "BOOL"
    INT = "INT"
    COLOR = "COLOR"


class TrackKind(Enum):
    """What a track drives on its node.

    TRANSFORM: `property` is one of TRANSFORMS. CUSTOM: a custom property of the name `property`.
    SHAPE_KEY: the value of the shape key `property`. RNA: an RNA path relative to the node's object, such as
    `hide_viewport` or `data.energy`.
    """

    TRANSFORM = "TRANSFORM"
    CUSTOM = "CUSTOM"
    SHAPE_KEY = "SHAPE_KEY"
    RNA = "RNA"


BLEND_SHAPE = "BlendShape."
"""What tools put before the name of a shape key, to tell it from other properties."""


class NodeKind(Enum):
    """What a node is in Blender."""

    BONE = "BONE"
    OBJECT = "OBJECT"


class KeyMatch(NamedTuple):
    """How the keys found in Blender relate to the keys that the importer wrote for the same component.

    Made by `fcurve_keys.match_keys`, used by a mapping to give unchanged keys the file's own numbers.

    Attributes:
        unchanged: nothing differs at all: same keys, wraps and shape; the file's own channel is kept.
        keys: (n,) index of the source key for each key found, -1 where it is new.
        same_time: (n,) the key's time is the written one.
        same_value: (n,) the key's value is the written one.
        same_left, same_right: (n,) the key's side of the segment before / after it is the written one: interpolation,
            length and handle, the handle as an offset from the key. An absolute handle also needs `same_value`.
    """

    unchanged: bool
    keys: Array
    same_time: Array
    same_value: Array
    same_left: Array
    same_right: Array

    @classmethod
    def whole(cls, count: int) -> KeyMatch:
        """Return the relation in which each of the keys is the source's own."""
        every = np.ones(count, dtype=bool)
        return cls(True, np.arange(count), every, every, every, every)

    def take(self, keys: Array) -> KeyMatch:
        """Return the relation of some of the keys, given by (m,) indices or an (n,) mask."""
        return KeyMatch(False, *(each[keys] for each in self[1:]))

    def spread(self, at: Array, count: int) -> KeyMatch:
        """Return the relation of `count` keys, of which those at the indices `at` (n,) are these, the others new."""
        every = [np.full(count, -1), *np.zeros((4, count), dtype=bool)]
        for each, own in zip(every, self[1:]):
            each[at] = own
        return KeyMatch(False, *every)

    def still_inserted(self, inserted: Array) -> Array:
        """Return (n,) which keys are still those of the source that the mapping `inserted` (m,) bool, between the same
        two keys as then."""
        before, after = np.append(-1, self.keys[:-1]), np.append(self.keys[1:], len(inserted))
        neighbours = (before == self.keys - 1) & (after == self.keys + 1)
        same = (self.keys >= 0) & self.same_time & self.same_value & neighbours
        return np.where(same, inserted[np.maximum(self.keys, 0)], False)


class Handles(NamedTuple):
    """The two handles of each key, as offsets from the key; only BEZIER segments look at them.

    Attributes:
        times: (n, 2) seconds of the left and the right handle, left <= 0 <= right, shared by the components.
        values: (components, n, 2).
    """

    times: Array
    values: Array

    def take(self, keys: Array) -> Handles:
        """Return the handles of some keys, given by (m,) indices or an (n,) mask."""
        return Handles(self.times[keys], self.values[:, keys])

    def rows(self, chosen: slice) -> Handles:
        """Return the handles of some components, as views."""
        return Handles(self.times, self.values[chosen])

    def scaled(self, factor: float | Array) -> Handles:
        """Return the handles with their values multiplied, by (n,) factors each key's by its own."""
        return Handles(self.times, self.values * (factor[:, None] if isinstance(factor, np.ndarray) else factor))

    def opened(self, before: Array) -> Handles:
        """Return float64 copies with handles of no length for keys inserted before the indices (m,), as `np.insert`."""
        times = np.insert(self.times.astype(np.float64), before, 0.0, axis=0)
        return Handles(times, np.insert(self.values.astype(np.float64), before, 0.0, axis=1))


@dataclass
class Track:
    """Keys of one or several components that share their times.

    No operation changes the track that it is asked of; arrays are shared wherever nothing happens to them.

    Attributes:
        node: name of a Node of the clip.
        property: see TrackKind.
        times: (n,) seconds, ascending; float32 or float64. Tracks may share one array.
        values: (components, n), float32 or float64 (wider integers as float64).
        interpolation: (n,) uint8 of Interpolation, for the segment that the key begins.
        component: array index of the first row of `values` within the property.
        width: number of components of the whole property (3 for a location), so that a custom array
            property gets its size; 1 means a plain value.
        handles: see Handles, or None where no segment is a BEZIER.
        before, after: what the curve does outside its keys.
        inserted: (n,) bool or None: keys that a mapping put in (to follow a slerp); BREAKDOWN in Blender,
            left out of exports when untouched.
        match: for captured one-component tracks: the relation to the imported source, None if there is none.
    """

    node: str
    property: str
    times: Array
    values: Array
    interpolation: Array
    component: int = 0
    width: int = 1
    handles: Handles | None = None
    before: Wrap = Wrap.HOLD
    after: Wrap = Wrap.HOLD
    value_kind: ValueKind = ValueKind.FLOAT
    kind: TrackKind = TrackKind.TRANSFORM
    inserted: Array | None = None
    match: KeyMatch | None = None

    @builtins.property  # the field of that name hides it here
    def custom_name(self) -> str:
        """Return what the custom property is called that stands for the property where the scene has none such."""
        return BLEND_SHAPE + self.property if self.kind is TrackKind.SHAPE_KEY else self.property

    @builtins.property
    def size(self) -> int:
        """Return how many values the keys have: one for each component at each time, which is a key to Blender."""
        return int(self.values.size)

    @classmethod
    def constant(cls, node: str, name: str, values: Sequence[float] | Array, time: float = 0.0, **fields: Any) -> Track:
        """Make a track of the property `name` that stays at `values` (components,), with one key at `time` seconds."""
        return cls.sampled(node, name, np.array([time]), np.array(values, np.float64)[:, None], **fields)

    @classmethod
    def sampled(
        cls, node: str, name: str, times: Array, values: Array, interpolation: Array | np.uint8 = LINEAR, **fields: Any
    ) -> Track:
        """Make a track of samples `values` (components, n) at `times` (n,), straight between them or shaped as
        `interpolation` says, (n,) or one for all; `fields` as of a Track, the width that of `values` if not given."""
        fields.setdefault("width", len(values))
        return cls(node, name, times, values, _shapes(interpolation, len(times)), **fields)

    def redrawn(self, times: Array, values: Array, interpolation: Array | np.uint8 = LINEAR) -> Track:
        """Return a track of the same property with other keys at `times` (m,) seconds, `values` (components, m), shapes
        (m,) or one for all; these have no handles and are not the source's."""
        shapes = _shapes(interpolation, len(times))
        return replace(self, times=times, values=values, interpolation=shapes, handles=None, inserted=None, match=None)

    def but(self, **fields: Any) -> Track:
        """Return the track with other values for some fields: `dataclasses.replace` in a quarter of its time.

        There is one track for each of a clip's curves, and several on its way.
        """
        made = object.__new__(Track)
        made.__dict__.update(self.__dict__, **fields)
        return made

    def held(self) -> Track:
        """Return the track with its end values held outside its keys."""
        return self.but(before=Wrap.HOLD, after=Wrap.HOLD)

    def take(self, keys: Array) -> Track:
        """Return the track with some of its keys, given by (m,) indices, which may repeat, or an (n,) mask."""
        return self.but(
            times=self.times[keys],
            values=self.values[:, keys],
            interpolation=self.interpolation[keys],
            handles=None if self.handles is None else self.handles.take(keys),
            inserted=None if self.inserted is None else self.inserted[keys],
            match=None if self.match is None else self.match.take(keys),
        )

    def with_keys(self, before: Array, times: Array, values: Array) -> Track:
        """Return the track with keys put before the indices (m,), as `np.insert`, which continue the segments that they
        are in: `times` (m,) and `values` (components, m). Handles are as they were, the relation to the source ends."""
        return self.but(
            times=np.insert(self.times.astype(np.promote_types(self.times.dtype, times.dtype)), before, times),
            values=np.insert(self.values.astype(np.float64), before, values, axis=1),
            interpolation=np.insert(self.interpolation, before, self.interpolation[before - 1]),
            inserted=None if self.inserted is None else np.insert(self.inserted, before, False),
            match=None,
        )

    def shifted(self, seconds: float) -> Track:
        """Return the track with all its keys later by that much; the track itself for 0."""
        if seconds == 0.0:
            return self
        match = self.match and self.match._replace(unchanged=False, same_time=np.zeros(len(self.times), dtype=bool))
        return self.but(times=self.times.astype(np.float64) + seconds, match=match)

    def slower(self, factor: float) -> Track:
        """Return the track with its times multiplied, those of handles too; its relation to the source ends."""
        handles = None if self.handles is None else Handles(self.handles.times * factor, self.handles.values)
        return replace(self, times=self.times * factor, handles=handles, match=None)

    def scaled(self, factor: float | Array, offset: float = 0.0) -> Track:
        """Return the track with values x factor + offset, handles too; the track itself where nothing changes.

        The factor may be (n,), for each key its own. The relation to the source ends.
        """
        if not isinstance(factor, np.ndarray) and (factor, offset) == (1.0, 0.0):
            return self
        values = self.values * factor
        handles = None if self.handles is None else self.handles.scaled(factor)
        return replace(self, values=values + offset if offset else values, handles=handles, match=None)

    def row(self, number: int) -> Track:
        """Return one row of `values` as a track that shares the block's arrays; the track itself if it has one."""
        if len(self.values) == 1:
            return self
        chosen = slice(number, number + 1)
        handles = None if self.handles is None else self.handles.rows(chosen)
        return self.but(values=self.values[chosen], component=self.component + number, handles=handles)

    def rows(self) -> list[Track]:
        """Return a track for each component, see `row`."""
        return [self.row(number) for number in range(len(self.values))]

    def own_rows(self) -> list[Track]:
        """Return the same for a track of the source itself: each of their keys is known as the source's."""
        match = KeyMatch.whole(len(self.times))
        return [row.but(match=match) for row in self.rows()]


def _shapes(interpolation: Array | np.uint8, count: int) -> Array:
    return interpolation if isinstance(interpolation, np.ndarray) else np.full(count, interpolation)


OF_FILE = "of_file"
"""What the value of the custom property is called in the expression of a Setting."""


class Setting(NamedTuple):
    """A custom property that sets one of Blender's own.

    Attributes:
        property: the custom property; of an array, each component sets the same one of Blender's.
        path: what is set, from the object, such as `data.lens`.
        expression: of OF_FILE; with `{height}` and `{sensor}` of a camera's View.
    """

    property: str
    path: str
    expression: str


@dataclass
class Node:
    """A joint, pivot, slot, bone or object.

    Attributes:
        name: unique within the clip; tracks refer to it. Any length; Blender may have to cut it.
        parent: name of the parent node, None for a root; parents precede their children.
        rest: (4, 4) float64, relative to the parent's rest.
        original: the file's own name, which may be empty or occur twice; used for matching and export.
        length: length to draw the bone with, in the clip's unit; None lets Blender's side choose.
        group: name of the bone collection and colour ("Left hand"), empty for none.
        shown_by: (node, property) of a BOOL track, or of opacities; the node is hidden below LEAST_OPACITY.
        seen_by: (node, property) of a BOOL track that tells when the recording saw the node; None for always.
        helper: a node that a person seldom wants to see (a fingertip), hidden by an option.
        placeholder: the file has no data for this node; `rest` is a plausible default.
        under: where `parent` does not say it: the node that this one is parented to in the scene although its pose is
            in other terms; empty for what carries the clip's root, None for nothing.
        leads_to: name of the node at which the far end of this one's bone lies, for nodes that are joints placed in the
            world: what counts of them is where they are and how they face, not how far they are from a rest pose.
        turn: (4, 4), the file's own frame x this is the node's, where that was turned by quarters so that a bone lies
            along its limb. None where the frame is the file's.
        holds: CAMERA or LIGHT for an object that is one, which files may turn against Blender's, else empty.
        settings: properties of an object's own that custom ones set where they are animated.
    """

    name: str
    parent: str | None = None
    rest: Array = field(default_factory=lambda: np.eye(4))
    original: str = ""
    length: float | None = None
    kind: NodeKind = NodeKind.BONE
    group: str = ""
    shown_by: tuple[str, str] | None = None
    seen_by: tuple[str, str] | None = None
    helper: bool = False
    placeholder: bool = False
    leads_to: str = ""
    under: str | None = None
    holds: str = ""
    settings: Sequence[Setting] = ()
    turn: Array | None = None


@dataclass(slots=True)
class Marker:
    """A text at a time in seconds."""

    time: float
    text: str


@dataclass
class Attachment:
    """An object of Blender's that makes a node visible.

    kind "CAMERA": a camera at the head of `node`, turned by `turn` (a 4 x 4 matrix), `angle` radians from the lower to
    the upper edge of its picture.
    kind "RAY": a visible line from `node` to `target`.
    """

    kind: str
    node: str
    target: str = ""
    turn: Array = field(default_factory=lambda: np.eye(4))
    angle: float = 0.0


class View(NamedTuple):
    """What a camera's lens and orthographic scale measure of its picture.

    Attributes:
        height: of the picture, as a part of the side that both measure.
        sensor: the property of the sensor's size along that side, `data.sensor_width` or `data.sensor_height`.
        values: of `data.lens` and `sensor` where nothing moves them, in millimetres.
    """

    height: float
    sensor: str
    values: Mapping[str, float]


PICTURE = "picture"
"""What Blender renders of a camera, two numbers: how far the upper edge of its picture is from the middle, of what is 1
away in perspective, and of anything without it. Not a number is what the camera is not."""


@dataclass
class Clip:
    """One animation: what moves, from which rest, and how.

    Attributes:
        name: the animation's own name, may be empty.
        duration: seconds, as the file means it.
        rate: the file's nominal frames per second, 0 where it has none.
        root: (4, 4) world matrix of the object that carries the nodes.
        nodes: parents before children.
        tracks: see Track; for one component of one property of one node there is at most one.
        markers: in file order.
        skeleton: name of the skeleton or rig the clip belongs to, may be empty (W3D's hierarchy).
        order: names of nodes as a file has them that they were made for, where they are in another order.
        cyclic: the file says that the clip loops.
        parents_known: False where the file names no parents: a pose is relative to whatever parent the target gives it.
        rests_known: False where the file knows no rest pose: the tracks are relative to whatever rest the target has.
        models: makes what is shown of it, such as hands, for the clip as an armature has it.
        retimed: (factor, shift) where everything was stretched, moved or cut since the file: its seconds x factor +
            shift are the clip's; None where that is not so.
        turns: (4, 4) for what a node `holds`: the file's own frame = Blender's x turn.
        outside: (4, 4) in what the file tells objects without a parent, seen from the root.
        unit: metres of one unit of length in the scene of a captured clip.
        views: of the objects that are cameras, by node.
        recorded: of a body that was given parents and a rest pose (`humanoid`), what the file itself says; else None.
        called: by node, what a person calls it since it was imported under the file's name for it.
        left_alone: node and property of what all curves are as they were imported, onto whatever rest.
        seen_from: direction towards a viewer who recognises what moves; None where any view is as good.
    """

    name: str
    duration: float = 0.0
    rate: float = 0.0
    root: Array = field(default_factory=lambda: np.eye(4))
    nodes: list[Node] = field(default_factory=list)
    tracks: list[Track] = field(default_factory=list)
    markers: list[Marker] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    skeleton: str = ""
    order: Sequence[str] = ()
    cyclic: bool = False
    parents_known: bool = True
    rests_known: bool = True
    retimed: tuple[float, float] | None = None
    turns: dict[str, Array] = field(default_factory=dict)
    outside: Array = field(default_factory=lambda: np.eye(4))
    unit: float = 1.0
    views: dict[str, View] = field(default_factory=dict)
    called: dict[str, str] = field(default_factory=dict)
    left_alone: AbstractSet[tuple[str, str]] = frozenset()
    models: Callable[[Clip], list[Model]] | None = None
    recorded: Clip | None = None
    seen_from: tuple[float, float, float] | None = None

    @property
    def as_recorded(self) -> Clip:
        """What the file itself says, without parents that were worked out."""
        return self.recorded or self

    @property
    def driven(self) -> set[tuple[str, str]]:
        """Node and property of every transform that there is a track for."""
        return {(track.node, track.property) for track in self.tracks if track.kind is TrackKind.TRANSFORM}

    @property
    def without_data(self) -> set[str]:
        """Nodes that the file does not move and of whose rest it says nothing."""
        return {node.name for node in self.nodes if node.placeholder} - {node for node, _ in self.driven}

    @property
    def retiming(self) -> tuple[float, float]:
        """What the file's seconds are multiplied with, and what is added to them then; (1, 0) where nothing moved."""
        return self.retimed or (1.0, 0.0)

    def node(self, name: str) -> Node | None:
        """Return the node of that name, None if the clip has none."""
        return next((node for node in self.nodes if node.name == name), None)

    def renamed(self, names: Mapping[str, str]) -> Clip:
        """Return the clip with other names for some nodes, by old name and as unique; itself where none changes."""
        if all(old == new for old, new in names.items()):
            return self
        new = {name: name for node in self.nodes for name in (node.name, node.parent) if name is not None} | dict(names)
        nodes = [replace(node, name=new[node.name], parent=node.parent and new[node.parent]) for node in self.nodes]
        changed = {old for old, name in names.items() if old != name}
        tracks = [track.but(node=names[track.node]) if track.node in changed else track for track in self.tracks]
        return replace(self, nodes=nodes, tracks=tracks)

    @property
    def key_count(self) -> int:
        """Return the number of keys, see `count_keys`."""
        return count_keys(((track.node, track.kind, track.property), track.times) for track in self.tracks)


def by_property(tracks: Iterable[Track]) -> dict[tuple[str, TrackKind, str], list[Track]]:
    """Return tracks by node, kind and property, each in the order of their components."""
    found = grouped(((track.node, track.kind, track.property), track) for track in tracks)
    return {address: sorted(group, key=lambda track: track.component) for address, group in found.items()}


def grouped(pairs: Iterable[tuple[KeyT, ItemT]]) -> dict[KeyT, list[ItemT]]:
    """Return the items of each key, both in the order in which they come."""
    found: dict[KeyT, list[ItemT]] = {}
    for key, item in pairs:
        found.setdefault(key, []).append(item)
    return found


def count_keys(found: Iterable[tuple[Hashable, Array]]) -> int:
    """Return the number of keys as people read it: moments at which a property has one, in however many components;
    `found` gives a property and the times (n,) of some of its components."""
    together: dict[Hashable, list[Array]] = {}
    for address, times in found:
        known = together.setdefault(address, [])
        if not any(times is other or np.array_equal(times, other) for other in known):
            known.append(times)
    each = together.values()
    return sum(len(parts[0] if len(parts) == 1 else np.unique(np.concatenate(parts))) for parts in each)


@dataclass
class Source(Generic[DocumentT, ReadsT]):
    """Where a captured clip came from, for a mapping that gives untouched parts the file's own numbers.

    Attributes:
        document: the file, read again from the bytes that the importer kept.
        clip: what the mapping made of it on import, with the options of that import.
        index: which animation of the file it was.
        renamed: the Action no longer has the name that the importer gave it.
        file: name of the file, empty if it is not known.
        options: the import's options, for a mapping whose numbers depend on them (axes); None if not known.
    """

    document: DocumentT
    clip: Clip
    index: int = 0
    renamed: bool = False
    options: ReadsT | None = None
    file: str = ""


__getattr__ = modules_of(__name__)
