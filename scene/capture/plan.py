"""Curves or samples: what is read from the evaluated scene because something besides curves takes part, and why."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, cast

import numpy as np
from bpy.types import ID, FCurve, Key, Object
from mathutils import Matrix

from ...io_formats.clip import CONSTANT, TrackKind, ValueKind
from ...io_formats.errors import Entry, FormatError
from .. import actions, data_paths, fcurves, messages
from ..types import Rig
from . import bake, influences
from .curve_tracks import read
from .driven import Driven, DrivenFinder, is_bone, is_muted, plays
from .nodes import NodeMap
from .players import Player
from .timing import Capture

_MISSED = 1e-3
"""Frames by which the ends of a strip may miss those of what is exported."""


class SampledValue(NamedTuple):
    """A number or numbers that are read, at `path` of a datablock; and why.

    Where `curves` alone decide on them these are asked, without the scene.
    """

    owner: ID
    path: str
    driven: Driven
    reason: Entry
    curves: Sequence[FCurve] = ()


class Plan(NamedTuple):
    """What is sampled; all else is read from curves.

    Attributes:
        node_map: the nodes; sampled objects that hang on none are told in the world.
        posed: for each armature, the bones whose evaluated pose is read.
        objects: whose world matrix is read.
        values: what else is read, by node and address.
        read: the same as (datablock, data path).
        reasons: why all that would be.
    """

    node_map: NodeMap
    posed: Mapping[str, frozenset[str]]
    objects: list[Object]
    values: Mapping[tuple[str, str], SampledValue]
    read: frozenset[tuple[ID, str]]
    reasons: list[Entry]

    def is_sampled(self, driven: Driven) -> bool:
        """Return whether this property is read from the evaluated scene."""
        if driven.kind is not TrackKind.TRANSFORM or (driven.node, driven.address) in self.values:
            return (driven.node, driven.address) in self.values
        if is_bone(driven.holder):
            return driven.holder.name in self.posed[driven.holder.id_data.name]
        return driven.holder in self.objects

    def sampling(self, names: Collection[str]) -> Plan:
        """Return the plan with the bones and objects of these nodes as what is sampled."""
        naming = self.node_map.naming
        posed = {rig: frozenset(bone for bone in own if own[bone] in names) for rig, own in naming.bones.items()}
        objects = [thing for thing in self.node_map.things if naming.objects[thing.name] in names]
        return self._replace(posed=posed, objects=objects)

    def wanted(self, rigs: Iterable[Rig]) -> bake.Wanted:
        """Return what to read of the scene; `rigs` are all armatures."""
        hung = (thing for thing in self.objects if self.node_map.node_of(thing).parent is not None)
        spaces = {each.name: (each.parent, each.parent_bone if each.parent_type == "BONE" else "") for each in hung}
        values = [(value.owner, value.path) for value in self.values.values()]
        curves = {(value.owner, value.path): value.curves for value in self.values.values() if value.curves}
        return bake.Wanted([rig for rig in rigs if self.posed[rig.name]], self.objects, values, spaces, curves)


def plan_of(capture: Capture, node_map: NodeMap, finder: DrivenFinder) -> Plan:
    """Decide what is sampled. Where the options forbid samples nothing is, which is a warning; raise FormatError if
    something stands nowhere, so that no key could say where."""
    players, rigs, asked = capture.participants.players, capture.participants.rigs, capture.sampled_values
    posed = {rig.name: _posed_bones(capture, rig, node_map.naming.bones[rig.name]) for rig in rigs}
    found = [value for player in players for value in _values_of(capture, player, finder, node_map)]
    objects = [(thing, reason) for thing in node_map.things if (reason := _reason_to_read(capture, node_map, thing))]
    reasons = [reason for bones in posed.values() for reason in bones.values()] + [reason for _, reason in objects]
    if capture.options.sampling == "KEYS":
        forbidden: set[ID] = {rig for rig in rigs if posed[rig.name]}
        forbidden |= {thing for thing, _ in objects}
        forbidden |= {value.owner for value in found if value.driven.kind is TrackKind.TRANSFORM}
        if forbidden:
            capture.report.warn(messages.CAPTURE_FORBIDDEN, count=len(forbidden))
        posed, objects, found, asked = {name: {} for name in posed}, [], [], ()
    sampled = [thing for thing, _ in objects]
    loose = [node for node in map(node_map.node_of, sampled) if node.parent is None]
    placed = node_map.with_nodes(map(node_map.in_world, loose))
    carrier = node_map.root_rig.name if node_map.root_rig is not None else ""
    for name, matrix in ((carrier, placed.root), *((node.name, node.rest) for node in placed.nodes)):
        if not np.isfinite(matrix).all():
            raise FormatError(messages.CAPTURE_NO_SPACE, name=name)
    whole = Plan(placed, {rig: frozenset(bones) for rig, bones in posed.items()}, sampled, {}, frozenset(), reasons)
    values: dict[tuple[str, str], SampledValue] = {}
    for value in (value for value in found if not whole.is_sampled(value.driven)):
        values.setdefault((value.driven.node, value.driven.address), value)
    for owner, thing, path in asked:
        driven = finder.find(owner, thing, path)
        if driven is not None:
            measured = Entry(messages.CAPTURE_MEASURED_VALUE, {"name": driven.node, "path": driven.label})
            values.setdefault((driven.node, driven.address), SampledValue(owner, path, driven, measured))
    reasons += [value.reason for value in values.values()]
    read = frozenset((value.owner, value.path) for value in values.values())
    return whole._replace(values=values, read=read, reasons=reasons)


def _posed_bones(capture: Capture, rig: Rig, nodes: Mapping[str, str]) -> dict[str, Entry]:
    """Return the bones whose pose is more than their curves say, and why; `nodes` are named by bone."""
    counting = [bone.name for bone in capture.participants.bones_of(rig)]
    posed = influences.of_bones(rig, _as_curves(capture, rig))
    found = {name: reason for name, reason in posed.items() if name in counting}
    kept = capture.participants.kept(rig)
    if kept is not None and rig == capture.participants.main and (others := posed.keys() - kept):
        capture.report.note(messages.CAPTURE_FOLLOWERS, count=len(others), name=rig.name)
    if capture.participants.deform_only:  # bones below moving ones that are left out
        paths = [data_paths.split_bone(path) for path, _ in capture.participants.animated(rig)]
        moving = {*posed, *(bone for bone, path in paths if influences.decides_pose(path))}
        carried = {}
        for bone in (rig.pose.bones[name] for name in nodes):
            for above in bone.parent_recursive:
                if above.name in nodes:
                    break
                if above.name in moving or above.matrix_basis != Matrix():
                    carried[bone.name] = Entry(messages.CAPTURE_PARENT, {"name": bone.name, "parent": above.name})
        found = carried | found
    for name in counting:
        if nodes[name] in capture.sampled:
            found.setdefault(name, Entry(messages.CAPTURE_MEASURED, {"name": name}))
    everything = _reason_for_all(capture, rig)
    return found if everything is None else {name: found.get(name, everything) for name in counting}


def _reason_to_read(capture: Capture, node_map: NodeMap, thing: Object) -> Entry | None:
    """Return why an object's world matrix has to be read; None if its curves and its node's parent say all."""
    if node_map.is_root(thing) or capture.participants.is_at_rest(thing):
        return None
    animated = capture.participants.animated(thing)
    reason = _reason_for_all(capture, thing) or influences.of_object(thing, _as_curves(capture, thing), animated)
    names = {node_map.naming.objects[thing.name], *([""] if thing == capture.participants.main else [])}
    if reason is None and not names.isdisjoint(capture.sampled):
        return Entry(messages.CAPTURE_MEASURED, {"name": thing.name})
    return reason


def _as_curves(capture: Capture, owner: ID) -> set[influences.Value]:
    """Return what drivers set as curves would, and is written as those are."""
    found = None if capture.options.sampling == "BAKE" else capture.participants.of(owner)
    return set() if found is None else influences.values_of(found.driven)


def _reason_for_all(capture: Capture, owner: ID) -> Entry | None:
    if capture.options.sampling == "BAKE":
        return Entry(messages.CAPTURE_FORCED, {})
    return Entry(messages.CAPTURE_NLA, {"name": owner.name}) if _nla_decides(capture, owner) else None


def _nla_decides(capture: Capture, owner: ID) -> bool:
    """Return whether the NLA makes `owner` play something else than curves, such as rest where its strips are over."""
    player, (first, last, *_), shift = capture.participants.of(owner), capture.span, capture.participants.shift
    if player is not None and (player.strip is not None or player.in_strips):
        ends = [(each[0], each[-1]) for each in influences.playing_tracks(actions.animation_data(owner)) if each]
        before = min(begin.frame_start for begin, _ in ends) - shift - first > _MISSED
        behind = last - max(end.frame_end for _, end in ends) + shift > _MISSED
        rests = before and any(begin.extrapolation != "HOLD" for begin, _ in ends)
        if rests or (behind and any(end.extrapolation == "NOTHING" for _, end in ends)):
            return True
    return capture.participants.nla_decides(owner)


def _values_of(capture: Capture, player: Player, finder: DrivenFinder, node_map: NodeMap) -> Iterator[SampledValue]:
    """Yield what modifiers make of curves, and what else drivers or the NLA set but transforms, read as matrices.

    Nothing that is muted; of supports, of which nothing but the pose counts, transforms alone.
    """
    owner, participants = player.owner, capture.participants
    only_moves = player.thing in participants.supports
    driven_paths = set(influences.driven_paths(owner, _as_curves(capture, owner)))
    others = {path for path, _ in participants.animated(owner)} if _nla_decides(capture, owner) else set()
    reasons = dict.fromkeys(others, messages.CAPTURE_NLA) | dict.fromkeys(driven_paths, messages.CAPTURE_DRIVER)
    curves: dict[str, list[fcurves.PlayedCurve]] = {path: [] for path in reasons}
    modified = {curve.data_path for curve in player.curves if fcurves.needs_samples(curve)}
    for curve in (*player.curves, *player.driven):
        if not curve.data_path.endswith(influences.TRANSFORM_PATHS) or curve.data_path in modified:
            curves.setdefault(curve.data_path, []).append(curve)
    for path, own in sorted(curves.items()):
        driven = finder.find(owner, player.thing, path)
        if driven is None or is_muted(owner, path):
            continue
        moves, alone = driven.kind is TrackKind.TRANSFORM, player.strip is None
        unread = path in reasons or not plays(driven) or node_map.is_root(driven.holder) if moves else only_moves
        if unread:
            continue
        template = reasons.get(path) or _beyond_keys(player, driven, own)
        if template:
            told = moves and alone and all(isinstance(curve, FCurve) for curve in own)
            asked = [curve for curve in own if told and isinstance(curve, FCurve) and fcurves.plays(curve)]
            yield SampledValue(owner, path, driven, Entry(template, {"name": driven.node, "path": driven.label}), asked)


def _beyond_keys(player: Player, driven: Driven, curves: Sequence[fcurves.PlayedCurve]) -> str:
    """Return why a property plays otherwise than its keys say, if so: muted at times, modified, whole, or limited."""
    shape = data_paths.shape_key(curves[0].data_path)
    if shape is not None and influences.is_animated(cast("Key", driven.holder).key_blocks[shape], "mute"):
        return messages.CAPTURE_MEASURED_VALUE
    low, high = influences.limits_of(driven.holder, data_paths.split_bone(curves[0].data_path)[1])
    for curve, found in ((curve, found) for curve in curves if (found := read(curve)).plays):
        block, numbers = found.block, found.block.values
        if fcurves.needs_samples(curve):
            return messages.CAPTURE_MODIFIER
        if driven.value_kind in (ValueKind.BOOL, ValueKind.INT) and not player.left_alone(curve, found):
            moving = (block.interpolation[:-1] != CONSTANT) & (numbers[0, 1:] != numbers[0, :-1])
            if moving.any() or (block.handles is not None and np.ptp(block.handles[..., 1])):  # between equal keys, too
                return messages.CAPTURE_MEASURED_VALUE
        if block.handles is not None:
            numbers = np.append(numbers, block.handles[..., 1])
        if ((numbers < low) | (numbers > high)).any():
            return messages.CAPTURE_CLAMPED
    return ""
