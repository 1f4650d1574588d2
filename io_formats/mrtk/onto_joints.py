"""A clip of any origin mapped to the nodes of a recording: joint names, no parents, world space only."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container, Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from ..clip import LOCATION, ROTATION, Array, Clip, Node, NodeKind, Source, Track, TrackKind, Wrap, bone_names, schemes
from ..clip.edit import looped, shifted, written_out
from ..clip.fit import unite
from ..clip.measure import Promise, Written, absent
from ..clip.pose import Off, basis_of, carriers, decompose, inverse, is_scaling, is_still, product, size_of
from ..clip.resample import in_step
from ..clip.rest_pose import rebase
from ..errors import EmptyError, FormatError, Report, first_names
from . import joints, layout, messages
from .document import Document
from .joints import Channel
from .options import ReadOptions, WriteOptions

_SAME = 1e-5
_ROUNDED, _FAR = 1.2, 1.2e-5
"""What rounding adds to the tolerances, and by which part of their distance places may be off besides."""
_SHARE = 0.9
"""Safety factor: the error is probed at a few points only."""
_AXIS_SHARE = _SHARE * 3.0**-0.5
_JOINT_NAMES = [f"{joint}.{side}" for side in joints.SIDES for joint in layout.JOINTS[1:]]
_WANTED = [*_JOINT_NAMES, joints.CAMERA, joints.GAZE, joints.GAZE_DIRECTION]


@dataclass
class Placed:
    """A clip on the nodes of a recording.

    Attributes:
        clip: the clip as it came, its nodes called as in the recording.
        tracks: of transforms on the recording's nodes, and custom ones; one component each.
        moving: names of nodes that have keys, or a parent that takes them along, see `_moving`.
        untouched: names of nodes of a hand skeleton that are exactly as they were imported.
        start: seconds of the first moment.
        still: world poses (4, 4) of nodes that do not move and are not in the source.
        written: where the clip is in the recording.
    """

    clip: Clip
    tracks: dict[tuple[str, str], list[Track]]
    moving: set[str]
    untouched: set[str]
    start: float
    still: dict[str, Array] = field(default_factory=dict)
    written: Written = field(default_factory=Written)

    def rows(self, channel: Channel) -> list[Track | None]:
        """Return a track for each of Blender's components of the channel, None where it has no keys."""
        result: list[Track | None] = [None] * len(channel.order)
        for track in self.tracks.get((channel.node, channel.property), ()):
            if len(track.times) and track.component < len(result):
                result[track.component] = track
        return result

    def ended(self) -> Placed:
        """Return the clip as long as it is meant to be also where curves that repeat have shorter rounds.

        MRTK plays until the last key of all curves, however they repeat: one of them is written out, a switch if there
        is one, as nothing plays between its keys.
        """
        moving = [track for own in self.tracks.values() for track in own if len(track.times)]
        repeating = [track for track in moving if track.after is not Wrap.HOLD and track.times[-1] > track.times[0]]
        if not repeating or max(float(track.times[-1]) for track in moving) >= self.clip.duration:
            return self
        found = min(repeating, key=lambda track: (track.kind is TrackKind.TRANSFORM, len(track.times)))
        longer = written_out(found, self.start, self.clip.duration)
        tracks = {place: [longer if track is found else track for track in own] for place, own in self.tracks.items()}
        return replace(self, tracks=tracks)

    def side_moves(self, side: str) -> bool:
        """Return whether any joint of a hand moves, or it is seen or pinches at any time."""
        switches = ((f"Wrist.{side}", name) for name in (joints.TRACKED, joints.PINCHING))
        switched = any(track.values.any() for place in switches for track in self.tracks.get(place, ()))
        return switched or any(name in self.moving for name in _JOINT_NAMES if name.endswith(side))

    def still_pose(self, channel: Channel) -> Array | None:
        """Return values (components,) of a property without keys for a joint that has data; None for no data."""
        turn = channel.property == ROTATION
        if channel.node in self.moving:
            return np.array([1.0, 0.0, 0.0, 0.0]) if turn else np.zeros(3)
        matrix = self.still.get(channel.node)
        if matrix is None or (channel.node != joints.CAMERA and not self.side_moves(channel.node[-1])):
            return None
        location, quaternion, _, _ = decompose(matrix[None])
        return (quaternion if turn else location)[:, 0]


def onto_joints(
    clip: Clip, options: WriteOptions, source: Source[Document, ReadOptions] | None, report: Report
) -> Placed:
    """Return the clip on a recording's nodes, in the source's space; FormatError if it names none of them."""
    recorded = Clip("") if source is None else source.clip
    own, clip = clip, _with_gaze_parent(_renamed(clip, options, recorded, report))
    clip = _without_deleted_hands(clip, recorded, report)
    moved = _from_zero(clip, report) if options.begin_at_zero else clip
    later = moved.duration - clip.duration
    clip = looped(moved, options.loop_until or options.loop_count * moved.duration)
    untouched = _untouched(clip, recorded)
    moving = _moving(clip, recorded)
    # what the file's numbers are relative to; the clip's own root leaves its object out
    as_recorded = np.allclose(clip.root, recorded.root, rtol=_SAME, atol=_SAME)
    root = clip.root if options.space == "LOCAL" or as_recorded else recorded.root
    if options.scale != 1.0:
        root = product(root, np.diag([*[1.0 / options.scale] * 3, 1.0]))
    scaled = {track.node for track in clip.tracks if is_scaling(track)}
    if scaled & set(_WANTED):
        report.warn(messages.SCALE_DROPPED, count=len(scaled & set(_WANTED)))
    _tell_left_out(clip, report)
    known = layout.SHORT_SINCE if source is None else source.document.version
    cubics = options.version == "1.0" if options.version != "AUTO" else known < layout.SHORT_SINCE
    based = _rebased(clip, root, moving - untouched, options, report, cubics=cubics)
    start = min([0.0, *(float(track.times[0]) for track in clip.tracks if len(track.times))])
    still = _still(clip, root, moving, source)
    written = _written(own, clip, root, options, later, moving)
    by_channel: dict[tuple[str, str], list[Track]] = {}
    for track in [*based, *(track for track in clip.tracks if track.kind is TrackKind.CUSTOM)]:
        by_channel.setdefault((track.node, track.property), []).extend(track.rows())
    return Placed(clip, by_channel, moving, untouched, start, still, written)


def _written(own: Clip, clip: Clip, root: Array, options: WriteOptions, later: float, moving: Iterable[str]) -> Written:
    """Return where a clip, `own` with its own names, is in the recording: all of its joints are compared, of the gaze
    origin and direction, nothing of hands that neither have keys nor are moved."""
    sides = {name[-1] for name in {*moving, *(track.node for track in clip.tracks)} if name in _JOINT_NAMES}
    there = {name for name in _WANTED if name not in _JOINT_NAMES or name[-1] in sides}
    names = {new.name: old.name for old, new in zip(own.nodes, clip.nodes, strict=True) if new.name in there}
    ray = [names.get(name, "") for name in (joints.GAZE, joints.GAZE_DIRECTION)]
    return Written(
        Promise(_ROUNDED * options.location_tolerance, _FAR, turn=_ROUNDED * options.rotation_tolerance),
        reading={"repair_w": False},  # as MRTK plays it
        names=names,
        root=root,
        turns={names[name]: turn for name, turn in _turns(clip).items()},
        later=later,
        lasts=clip.duration,
        rays={ray[1]: ray[0]},
    )


def _renamed(clip: Clip, options: WriteOptions, recorded: Clip, report: Report) -> Clip:
    """Return the clip with the recording's names for the nodes that are its joints."""
    above = carriers(clip.nodes)
    available = {node.original or node.name: node.name for node in reversed(clip.nodes) if node.name not in above}
    called = {own: node for node, own in clip.called.items() if node in available}
    table = _joint_table(options.joint_names, {*available, *called}, report)
    table = {joint: called.get(bone, bone) for joint, bone in table.items()}
    pairs = {name: name for name in available}
    if table or not available.keys() <= set(_WANTED):  # names that nobody has to read
        reading = bone_names.reading_of(options, schemes.DEFORM)
        pairs = bone_names.match_names(_WANTED, list(available), table, reading)
        bone_names.tell_left_open([bone for bone in available if bone not in set(pairs.values())], reading, report)
    names = {available[bone]: joint for joint, bone in pairs.items()}
    hands_expected = any(node.name in _JOINT_NAMES for node in recorded.nodes)
    if clip.nodes and not (set(names.values()) & set(_JOINT_NAMES if hands_expected else _WANTED)):
        raise EmptyError(messages.NO_JOINTS)
    if all(old == new for old, new in names.items()) and above.isdisjoint(_WANTED):
        return clip
    return clip.renamed({name: f"{name} (other)" for name in _WANTED} | names)


def _without_deleted_hands(clip: Clip, recorded: Clip, report: Report) -> Clip:
    """Return the clip without what is left of hands whose curves were all deleted, `tracked` too.

    Blender leaves their joints as the last frame had them, which a capture takes for a pose without keys.
    """
    for side in joints.SIDES:
        names = [f"{joint}.{side}" for joint in layout.JOINTS]
        rest = [track for track in clip.tracks if track.node in names]
        if any(track.node in names for track in recorded.tracks) and all(map(_is_leftover, rest)):
            report.note(messages.HAND_GONE, wrist=names[1])
            clip = replace(clip, tracks=[track for track in clip.tracks if track.node not in names])
    return clip


def _is_leftover(track: Track) -> bool:
    return track.kind is TrackKind.TRANSFORM and len(track.times) == 1 and track.match is None


def _with_gaze_parent(clip: Clip) -> Clip:
    """Return the clip whose gaze direction is parented to the gaze, where its own format cannot name parents."""
    origin, direction = clip.node(joints.GAZE), clip.node(joints.GAZE_DIRECTION)
    if clip.parents_known or origin is None or direction is None:
        return clip
    others = [node for node in clip.nodes if node is not origin and node is not direction]
    turned = any((track.node, track.property) == (joints.GAZE, ROTATION) for track in clip.tracks)
    rest = np.eye(4) if turned else inverse(origin.rest)  # without keys no gaze is turned, however roots rest there
    return replace(clip, nodes=[*others, origin, replace(direction, parent=joints.GAZE, rest=rest)])


def _joint_table(text: str, bones: Container[str], report: Report) -> dict[str, str]:
    """Return the bone for each joint, from `bone=joint; bone=joint`."""
    table: dict[str, str] = {}
    for pair in filter(str.strip, text.split(";")):
        bone, equals, joint = (part.strip() for part in pair.rpartition("="))
        if not (bone and equals and joint in _WANTED) or joint in table:
            raise FormatError(messages.JOINT_NAMES, field="joint_names", found=pair.strip())
        if bone not in bones:
            report.warn(messages.JOINT_BONE, bone=bone)
        table[joint] = bone
    return table


def _tell_left_out(clip: Clip, report: Report) -> None:
    """Warn about bones that neither are joints nor move any, and about properties that a recording cannot hold."""
    without = absent(clip.nodes, _WANTED)
    bones = dict.fromkeys(track.node for track in clip.tracks if track.kind is TrackKind.TRANSFORM)
    lost = [bone for bone in bones if bone in without]
    switches = {(f"Wrist.{side}", name) for side in joints.SIDES for name in (joints.TRACKED, joints.PINCHING)}
    others = (track for track in clip.tracks if track.kind is not TrackKind.TRANSFORM)
    values = dict.fromkeys((track.node, track.property) for track in others)
    unknown = [f"{node} {name}" for node, name in values if (node, name) not in switches]
    for template, names in ((messages.BONES_LEFT_OUT, lost), (messages.VALUES_LEFT_OUT, unknown)):
        if names:
            report.warn(template, number=len(names), names=first_names(names))


def _from_zero(clip: Clip, report: Report) -> Clip:
    """Return the clip moved so that its first key lies at time 0; what is posed without keys counts for nothing."""
    keyed = [track for track in clip.tracks if len(track.times) and not _is_leftover(track)]
    first = min((float(track.times[0]) for track in keyed), default=0.0)
    if first == 0.0:
        return clip
    report.note(messages.SHIFTED, seconds=-first)
    moved = shifted(clip, -first)
    tracks = [old if _is_leftover(old) else new for old, new in zip(clip.tracks, moved.tracks, strict=True)]
    return replace(moved, tracks=tracks)


def _moving(clip: Clip, recorded: Clip) -> set[str]:
    """Return the nodes with keys, and those that a moving parent takes along.

    A joint without data is not taken along by one that was recorded, unless a person has parented it there, nor by
    what carries the armature.
    """
    keyed = {track.node for track in clip.tracks if track.kind is TrackKind.TRANSFORM and len(track.times)}
    parents = {node.name: node.parent for node in recorded.nodes}
    above = {node.name: None if node.kind is NodeKind.OBJECT else node.name for node in clip.nodes}
    moving: set[str] = set()
    made: set[str | None] = set()
    for node in clip.nodes:
        parent = above.get(node.parent or "")
        parented = parent in made or parent != parents.get(node.name, parent)
        if node.name in keyed or (node.parent in moving and (parented or not node.placeholder)):
            moving.add(node.name)
            made |= {node.name} if node.placeholder else set()
    return moving


def _rebased(
    clip: Clip, root: Array, names: set[str], options: WriteOptions, report: Report, *, cubics: bool
) -> list[Track]:
    """Return transform tracks on parentless, unturned nodes."""
    ray = {joints.GAZE, joints.GAZE_DIRECTION}
    wanted = names | {node.name for node in clip.nodes if node.name in ray and names & ray}
    targets = [node for node in joints.nodes_of((True, True, True)) if node.name in wanted]
    directed = ray <= wanted
    if directed:
        set_direction(clip, targets[-1], root)
    elif joints.GAZE_DIRECTION in wanted:
        targets[-1].parent = None
    location, rotation = options.location_tolerance * _AXIS_SHARE, math.radians(options.rotation_tolerance) * _SHARE
    lines = Off(location, rotation)
    based = rebase(clip, targets, root, report=report, turns=_turns(clip), lines=lines, cubics=cubics)
    tracks = [track for track in based.tracks if track.kind is TrackKind.TRANSFORM]
    return from_origin(clip, root, tracks, report) if directed and targets[-1].parent is None else tracks


def _still(
    clip: Clip, root: Array, moving: Container[str], source: Source[Document, ReadOptions] | None
) -> dict[str, Array]:
    """Return poses (4, 4), relative to `root` (4, 4), of joints and the camera that neither move nor are mere
    placeholders, and of which no source tells whether they have data."""
    unknown = {*_JOINT_NAMES, joints.CAMERA}
    if source is not None:
        unknown = {joints.CAMERA} if source.clip.node(joints.CAMERA) is None else set()
    world: dict[str | None, Array] = {None: product(inverse(root), clip.root)}
    for node in clip.nodes:
        world[node.name] = product(world[node.parent], node.rest)
    still = (node for node in clip.nodes if node.name in unknown and node.name not in moving and not node.placeholder)
    found = {node.name: world[node.name] for node in still}
    return found | {name: product(found[name], turn) for name, turn in _turns(clip).items() if name in found}


def _turns(clip: Clip) -> dict[str, Array]:
    """Return rotations (4, 4) from nodes' axes to the recording's: a camera looks along -Z, a bone along +Y."""
    camera = clip.node(joints.CAMERA)
    looks = camera is not None and camera.kind is NodeKind.OBJECT
    return {joints.CAMERA: inverse(joints.CAMERA_TURN)} if looks else {}


def _untouched(clip: Clip, recorded: Clip) -> set[str]:
    """Return nodes of an imported hand skeleton whose keys, rest, parents and root are as the importer made them."""
    is_skeleton = any(node.parent in _JOINT_NAMES for node in recorded.nodes)
    if not is_skeleton or not np.allclose(clip.root, recorded.root, rtol=_SAME, atol=_SAME):
        return set()
    old = {node.name: node for node in recorded.nodes}
    # components that the source has and nobody touched cancel out
    changed: Counter[str] = Counter()
    for track in (track for track in recorded.tracks if track.kind is TrackKind.TRANSFORM):
        changed[track.node] += len(track.values)
    for track in (track for track in clip.tracks if track.kind is TrackKind.TRANSFORM):
        changed[track.node] += -1 if track.match is not None and track.match.unchanged else len(_WANTED)
    same: set[str | None] = {None}
    for node in clip.nodes:
        own = old.get(node.name)
        if own is None or node.parent != own.parent or node.parent not in same or changed[node.name]:
            continue
        if np.allclose(node.rest, own.rest, rtol=0.0, atol=_SAME):
            same.add(node.name)
    return {name for name in same if name in _JOINT_NAMES and name is not None}


# The gaze's direction, a vector in world axes: from Gaze to GazeDirection, however the two are turned.
#
# How long it is counts for nothing: MRTK's `RayCurves.Evaluate` gives it to Unity's `Ray.direction`, whose setter
# normalises it (UnityCsReference, Runtime/Export/Geometry/Ray.cs; so does the constructor).

_AXES = 3


def set_direction(clip: Clip, direction: Node, root: Array) -> None:
    """Change the node `direction` so that its location is the gaze's direction in the axes of `root` (4, 4).

    It stays a child of Gaze with a rest that undoes Gaze's rotation, which keeps the direction's own keys. If that
    rotation changes, it loses its parent, and `from_origin` subtracts the origin. The root's scale is left out.
    """
    gaze, _ = joints.gaze_nodes()
    placed = rebase(clip, [gaze], root, report=Report()).tracks
    turns = [track for track in placed if track.node == joints.GAZE and track.property != LOCATION]
    if not all(map(is_still, turns)):
        direction.parent = None
    elif turns:
        unscaled = basis_of(turns)
        unscaled[:_AXES, :_AXES] /= _size(clip, root)
        direction.rest = inverse(unscaled)


def from_origin(clip: Clip, root: Array, tracks: list[Track], report: Report) -> list[Track]:
    """Return tracks of nodes without parents, relative to `root` (4, 4), which carries them, with GazeDirection's
    location replaced by the vector from Gaze to GazeDirection."""
    end = _location(tracks, joints.GAZE_DIRECTION)
    others = [track for track in tracks if track.node != joints.GAZE_DIRECTION]
    both = unite(in_step([*end, *_location(tracks, joints.GAZE)], clip), report=report)
    handles = both.handles and both.handles._replace(values=both.handles.values[:_AXES] - both.handles.values[_AXES:])
    ray = replace(both, values=both.values[:_AXES] - both.values[_AXES:], handles=handles, match=None)
    return [*others, ray.scaled(1.0 / _size(clip, root))]


def _size(clip: Clip, root: Array) -> float:
    """Return how many times as large as `root` (4, 4) the clip's root makes what it carries."""
    return (size_of(clip.root) or 1.0) / (size_of(root) or 1.0)


def _location(tracks: list[Track], name: str) -> list[Track]:
    """Return one track for each component of a node's location; constant 0 for one without keys."""
    found = [track for track in tracks if track.node == name and track.property == LOCATION and len(track.times)]
    rows = {single.component: single for track in found for single in track.rows()}
    return [rows.get(row, Track.constant(name, LOCATION, (0.0,), component=row, width=_AXES)) for row in range(_AXES)]
