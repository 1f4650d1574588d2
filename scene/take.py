"""The Action at hand as a clip in its own terms, for what changes its keys, and the changed keys back into its curves.

It need not be an imported one. Curves that are locked or more than keys (easing, modifiers but Cycles) stay.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass

import bpy
import numpy as np
from bpy.types import ID, Action, FCurve, Object, PoseBone

from ..io_formats.clip import EULER, LOCATION, ROTATION, SCALE, Clip, Interpolation, Node, Track, TrackKind, Wrap
from ..io_formats.clip.bone_names import split_side, words
from ..io_formats.clip.edit import is_within, trim_track
from ..io_formats.clip.fcurve_keys import KeyBlock, from_keys, to_keys
from ..io_formats.clip.rest_pose import rebase
from ..io_formats.clip.rework import Rework, SceneFrames, closed
from ..io_formats.errors import FormatError, Report
from ..io_formats.scene_options import ImportOptions
from . import actions, armatures, fcurves, messages, names, rates
from .data_paths import bone_path, curve_label, custom_key, split_bone
from .types import has_key, is_rig, settings_of

_POSED = (LOCATION, ROTATION, SCALE, EULER)
_MIRRORED = {LOCATION: (0,), ROTATION: (2, 3), "rotation_axis_angle": (2, 3), EULER: (1, 2)}
"""Components that change their sign where a bone's pose becomes that of its other side, as Blender's Paste Flipped."""
_TRACKED, _OTHER = "tracked", {"l": "r", "r": "l"}
_JAPANESE = str.maketrans({"左": " L ", "右": " R "})
_FINGERS = ("thumb", "finger", "指")
"""Parts of the names of bones, of which every scheme of names has one."""


@dataclass(frozen=True)
class Take:
    """What an object plays, or would play.

    Attributes:
        clip: of one track for each curve; a bone's node rests where it lies in the world.
        left: names of the curves that stay.
        frames: seconds and frames; frame 0 is second 0.
    """

    owner: ID
    action: Action
    clip: Clip
    curves: list[FCurve]
    left: list[str]
    frames: SceneFrames

    def seen(self) -> tuple[float, float] | None:
        """Return the first and the last frame on which a recorded hand is tracked; None where none ever is."""
        found = [track for track in self.clip.tracks if track.property == _TRACKED and (track.values > 0.5).any()]
        if not found:
            return None
        times = np.concatenate([track.times for track in self.clip.tracks])
        whole = [*self.action.frame_range[:], *self.frames.of(np.array([times.min(), times.max()])).tolist()]
        first, last = (self.frames.of(np.array(ends)) for ends in zip(*map(_while_on, found), strict=True))
        return max(float(first.min()), min(whole)), min(float(last.max()), max(whole))

    def cut(self, first: float, last: float) -> Clip:
        """Return the clip without what lies before and after two frames, with keys where a curve is cut.

        Tracks of which nothing is cut are the same objects.
        """
        start, end = self.frames.seconds(np.array([first, last])).tolist()
        tracks = (
            track if is_within(track, start, end) else trim_track(track, start, end).shifted(start)
            for track in self.clip.tracks
        )
        return Clip("", tracks=list(tracks))


def played(owner: Object, *, selected: bool = False) -> Take | None:
    """Return what an object plays, of `selected` bones alone if asked; None where that is nothing."""
    action, _ = actions.assigned(owner)
    if action is None:
        return None
    bones = armatures.selected_bones(owner) if selected and is_rig(owner) else None
    wanted = [curve for curve in actions.fcurves_of(owner) if bones is None or split_bone(curve.data_path)[0] in bones]
    return take_of(owner, action, wanted, rates.scene_rate(bpy.context.scene), bones)


def take_of(
    owner: ID, action: Action, curves: Iterable[FCurve], rate: float, bones: Container[str] | None = None
) -> Take:
    """Return curves of an Action as a take of `owner`, or of its `bones`, whether or not it plays them."""
    nodes, tracks, plain, left = _nodes(owner, bones), [], [], []
    for curve in curves:
        bone, rest = split_bone(curve.data_path)
        found, node = fcurves.read(curve), nodes.get(bone or "")
        if node is not None and found.plain and len(found.block.frames) and not curve.lock:
            tracks.append(_track(rest, curve.array_index, found, node.name, rate))
            plain.append(curve)
        elif node is not None and found.plays:
            left.append(curve_label(curve.data_path, curve.array_index))
    return Take(owner, action, Clip("", nodes=list(nodes.values()), tracks=tracks), plain, left, SceneFrames(rate))


def write(take: Take, changed: Clip) -> int:
    """Write the tracks of a changed clip that are not the take's any more into their curves; return how many."""
    count = 0
    for curve, old, new in zip(take.curves, take.clip.tracks, changed.tracks, strict=True):
        if new is not old and not (np.array_equal(old.times, new.times) and np.array_equal(old.values, new.values)):
            fcurves.rewrite(curve, to_keys(new, take.frames.rate), new.before, new.after)
            count += 1
    take.action.update_tag()
    return count


def rework(takes: Iterable[Take], options: ImportOptions, report: Report) -> int:
    """Do to the keys of takes what options say, and tell how far off they are; return how many curves are others."""
    work, count = Rework(options), 0
    for take in takes:
        changed = work.of(take.clip, take.frames if options.resample else None)
        count += write(take, closed(changed, options, report) if options.cyclic == "CLOSE" else changed)
    work.tell(report)
    return count


def is_tracked(owner: Object) -> bool:
    """Return whether an armature has a bone that says when a recorded hand is tracked."""
    return is_rig(owner) and owner.pose is not None and any(has_key(bone, _TRACKED) for bone in owner.pose.bones)


def has_hand(owner: Object) -> bool:
    """Return whether an armature has a bone that is named after a finger."""
    return is_rig(owner) and any(part in bone.name.lower() for bone in owner.data.bones for part in _FINGERS)


def set_range(take: Take, first: float, last: float) -> None:
    """Make the manual frame range of an Action, where it has one, that of what is left of it: never a longer one."""
    if take.action.use_frame_range:
        begin, end = take.action.frame_start, take.action.frame_end
        ends = (max(first, begin), min(last, end)) if first < end and begin < last else (first, last)
        actions.set_range(take.action, *ends)


def mirror(take: Take, *, to_left: bool) -> int:
    """Make the bones of one side play what those of the other do, mirrored; return the number of curves written, and
    raise FormatError if no bone has another side, or the two turn in different rotation modes."""
    if not any(_sides(take, to_left=to_left)):
        raise FormatError(messages.MIRROR_NONE)
    if is_other_way(take, to_left=to_left):
        raise FormatError(messages.MIRROR_STILL)
    _, slot = actions.assigned(take.owner)
    curves = list(_mirrored(take, to_left=to_left))
    writer, rate = fcurves.CurveWriter(actions.ensure_bag(take.action, slot)), take.frames.rate
    mirrored: list[tuple[str, Track]] = []
    made: list[Track] = []
    sides: dict[str, str] = {}
    for bone, other, rest, index, found in curves:
        key = custom_key(rest)
        if key is not None and has_key(bone, key) and not has_key(other, key):
            other[key] = bone[key]
            settings_of(other, key).update(**settings_of(bone, key).as_dict())
        track = _track(rest, index, found, other.name, rate).scaled(-1.0 if index in _MIRRORED.get(rest, ()) else 1.0)
        if rest in _POSED and rest != EULER and names.is_made(other.bone):
            made.append(track)
            sides[other.name] = bone.name
        else:
            mirrored.append((rest, track))
    mirrored += [(track.property, track) for track in _as_images(take.owner, made, sides)]
    for rest, track in mirrored:
        block, path = to_keys(track, rate), bone_path(track.node, rest if rest[0] == "[" else f".{rest}")
        writer.write(path, block, track.before, track.after, first_index=track.component, group=track.node)
    take.action.update_tag()
    bpy.context.view_layer.update()  # else an undo leaves bones that had no keys where these put them
    return len(curves)


def is_other_way(take: Take, *, to_left: bool) -> bool:
    """Return whether the side that would be written moves, and the one that would be mirrored does not."""
    moved = {track.node for track in take.clip.tracks if track.property in (*_MIRRORED, SCALE)}
    sides = [(bone.name in moved, other.name in moved) for bone, other in _sides(take, to_left=to_left)]
    return any(other for _, other in sides) and not any(own for own, _ in sides)


def _as_images(rig: ID, tracks: list[Track], sides: dict[str, str]) -> list[Track]:
    """Return mirrored tracks of bones as they rest, which need not be the image of how the bones of `sides` do.

    Such are bones that an import made: hands that a file does not have, or has in another pose at first.
    """
    rests = armatures.relative_rests(rig) if isinstance(rig, Object) and is_rig(rig) else {}
    image = np.diag([-1.0, 1.0, 1.0, 1.0])
    seen = [Node(name, rest=image @ rests[side] @ image) for name, side in sides.items()]
    own = [Node(name, rest=rests[name]) for name in sides]
    return rebase(Clip("", nodes=seen, tracks=tracks), own, np.eye(4)).tracks


def _mirrored(take: Take, *, to_left: bool) -> Iterator[tuple[PoseBone, PoseBone, str, int, fcurves.FoundCurve]]:
    """Yield bone, other bone, property and index of each curve that the latter gets, and the curve that it mirrors."""
    played: dict[str | None, dict[tuple[str, int], FCurve]] = {}
    for curve in actions.fcurves_of(take.owner):
        name, rest = split_bone(curve.data_path)
        played.setdefault(name, {})[rest, curve.array_index] = curve
    for bone, other in _sides(take, to_left=to_left):
        own, others = played.get(bone.name, {}), played.get(other.name, {})
        turned = any(rest.startswith("rotation") for rest, _ in (*own, *others))
        if turned and bone.rotation_mode != other.rotation_mode:
            raise FormatError(messages.MIRROR_MODES, bone=bone.name, other=other.name)
        for rest, index in dict.fromkeys((*own, *others)):
            curve, there = own.get((rest, index)), others.get((rest, index))
            found = _still(bone, rest, index, others[rest, index]) if curve is None else fcurves.read(curve)
            if found.plain and len(found.block.frames) and not (there is not None and there.lock):
                yield bone, other, rest, index, found


def _sides(take: Take, *, to_left: bool) -> Iterator[tuple[PoseBone, PoseBone]]:
    pose = take.owner.pose if isinstance(take.owner, Object) else None
    bones = {} if pose is None else dict(pose.bones.items())
    # those of a side by how they are spelt, as Blender itself flips no names of Mixamo or VRoid
    spelt = {spelling: bone for name, bone in bones.items() if (spelling := _spelt(name))[0]}
    for node in take.clip.nodes:
        side, *rest = _spelt(node.name)
        bone, flipped = bones.get(node.name), bpy.utils.flip_name(node.name)
        other = bones.get(flipped) if flipped != node.name else spelt.get((_OTHER.get(side, ""), *rest))
        if bone is not None and other is not None and other != bone and _is_left(bone.name) != to_left:
            yield bone, other


def _spelt(bone: str) -> tuple[str, ...]:
    """Return the side that a word of a bone's name says, and the other words."""
    side, rest = split_side(words(bone.translate(_JAPANESE)))
    return side, *rest


def _still(bone: PoseBone, rest: str, index: int, other: FCurve) -> fcurves.FoundCurve:
    """Return what a bone without a curve of a property plays: its value, from where the other side's curve begins."""
    found = fcurves.read(other)
    try:
        value = bone.path_resolve(rest)
    except ValueError:  # the other side alone has this custom property or constraint
        return found._replace(plain=False)
    number = value[index] if hasattr(value, "__len__") else value
    first = found.block.frames[:1]
    values, shapes = np.full((1, len(first)), number, np.float32), np.full(len(first), Interpolation.LINEAR, np.uint8)
    return found._replace(block=KeyBlock(first, values, shapes), before=Wrap.HOLD, after=Wrap.HOLD, plain=True)


def _is_left(bone: str) -> bool | None:
    """Return whether a bone's name is that of a left one, whose flipped name has an "R"; None where it has no side."""
    changed = next((letter for letter, old in zip(bpy.utils.flip_name(bone), bone, strict=False) if letter != old), "")
    other = changed or _OTHER.get(_spelt(bone)[0], "")
    return other in "rR" if other else None


def _nodes(owner: ID, bones: Container[str] | None) -> dict[str, Node]:
    """Return a node for each bone (None for all) by its name, and for the object by an empty name; none has a parent.

    Of a recorded hand they say by which property of which bone of their side it is seen.
    """
    nodes = {"": Node(f"{owner.name} ")}
    if isinstance(owner, Object) and is_rig(owner):
        world = np.array(owner.matrix_world)
        flags = {_is_left(bone.name): (bone.name, _TRACKED) for bone in owner.pose.bones if has_key(bone, _TRACKED)}
        for bone in owner.data.bones if bones is None else filter(lambda bone: bone.name in bones, owner.data.bones):
            rest = world @ np.array(bone.matrix_local)
            nodes[bone.name] = Node(bone.name, rest=rest, seen_by=flags.get(_is_left(bone.name)))
    return nodes


def _track(rest: str, index: int, found: fcurves.FoundCurve, node: str, rate: float) -> Track:
    return Track(
        node,
        custom_key(rest) or rest,
        **from_keys(found.block, rate),
        component=index,
        before=found.before,
        after=found.after,
        kind=TrackKind.TRANSFORM if rest in _POSED else TrackKind.RNA,
    )


def _while_on(track: Track) -> tuple[float, float]:
    """Return from when to when a switch is on at all; what it is at its first and last key it is before and after."""
    on, times = np.flatnonzero(track.values[0] > 0.5), [*track.times.tolist(), np.inf]
    return times[on[0]] if on[0] else -np.inf, times[on[-1] + 1]
