"""What receives a clip: a new armature, an armature that is there, or bones and objects of the scene by name."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import bpy
import numpy as np
from bpy.types import ArmatureModifier, Context, Object, Scene
from mathutils import Matrix

from ..io_formats import messages as common_messages
from ..io_formats.clip import Array, Clip, Node, NodeKind, bone_names, edit
from ..io_formats.clip.bone_names import USUAL, Reading
from ..io_formats.errors import Entry, FormatError, Report
from ..io_formats.scene_options import ImportOptions
from . import armatures, messages, names
from .data_paths import bone_path, custom_path
from .types import Named, Rig, has_key, is_rig
from .undo import Undo

if TYPE_CHECKING:
    from .write import Import

MATCH_SHARE = 0.5
"""The target Automatic takes the selected armature when at least this share of the animated names match."""

SAME_REST = 2e-4
"""Rest poses closer than this (radians; metres for each metre from the parent) are the same: what Blender keeps of
the rest of a short bone differs from the file's numbers by up to this much."""


@dataclass
class Target:
    """Where the nodes of a clip are in Blender.

    Attributes:
        rig: the armature object, None if only objects are animated.
        bones, objects: those by node name.
        is_new: the armature was made for this clip, so that its rest pose is the clip's.
        reason: why Automatic took this armature, or made a new one; None for other targets.
        unit: metres of one unit of length in the scene.
        scene: where it is; None for a target that nothing is written into.
        skeleton: the file's own nodes by name, where the armature may rest otherwise than these.
        ties: see `Provenance.ties`.
        made: the new empties among the objects.
    """

    rig: Rig | None = None
    bones: dict[str, str] = field(default_factory=dict)
    objects: dict[str, Object] = field(default_factory=dict)
    is_new: bool = False
    reason: Entry | None = None
    unit: float = 1.0
    scene: Scene | None = None
    skeleton: dict[str, Node] = field(default_factory=dict)
    ties: dict[str, str] = field(default_factory=dict)
    made: dict[str, Object] = field(default_factory=dict)

    @property
    def things(self) -> list[Object]:
        """The armature object and the other objects."""
        return [*([] if self.rig is None else [self.rig]), *self.objects.values()]

    def has(self, node: str) -> bool:
        """Return whether the node has a bone or object."""
        return node in self.bones or node in self.objects

    def has_size(self, scale: float) -> bool:
        """Return whether the armature object is as large, as one that an import at this scale has made."""
        return self.rig is not None and abs(self.rig.matrix_world.median_scale / scale - 1.0) < SAME_REST

    def carrier(self, shown_by: tuple[str, str]) -> tuple[Object, str] | None:
        """Return the object, and the data path from it, of the custom property that hides; None if there is none."""
        node, name = shown_by
        bone, thing, key = self.bones.get(node), self.objects.get(node), names.property_key(name)
        if bone is not None and has_key(self.rig.pose.bones[bone], key):
            return self.rig, bone_path(bone, custom_path(key))
        return (thing, custom_path(key)) if bone is None and thing is not None and has_key(thing, key) else None


def choose(run: Import, clip: Clip, *, name: str, onto: Rig | None, lenient: bool) -> Target:
    """Return the target for `clip` and others of the same nodes; make an armature or empties if the options say so.

    A clip without any node gets an armature without bones, so that its Action has an owner to be exported from.
    FormatError is raised for no such target, or one that cannot be animated.

    Args:
        name: for a new armature.
        onto: an armature object that a script or a batch has chosen; then the option Target does not matter.
        lenient: Automatic takes an armature whose names are written otherwise; not for a figure with models of its own.
    """
    context, options, undo = run.context, run.options, run.undo
    target = _find_rig(run, clip, onto, lenient=lenient)
    target.unit, target.scene = armatures.unit_of(run.context.scene), run.context.scene
    objects = _scene_objects(run, clip, target.rig)
    if target.rig is None and options.target in ("SELECTED", "BY_NAME") and not objects:
        raise FormatError(messages.TARGET_NO_MATCH)
    takes_rig = any(node.kind is NodeKind.BONE for node in clip.nodes) or not clip.nodes
    takes_rig &= options.target != "BY_NAME" and not _is_enough(objects, clip)
    if target.rig is None and takes_rig:
        hide = options.hide_helpers
        own_name = clip.skeleton if options.name_from == "FILE" else ""
        target.rig, target.bones = armatures.build(context, clip, name, undo, own_name=own_name, hide_helpers=hide)
        target.is_new = True
        run.batch.rigs.add(target.rig.name)
    target.objects = {node: found for node, found in objects.items() if node not in target.bones}
    _add_empties(context, clip, target, run.report, undo)
    target.ties = _tied(target, undo)
    _tell(clip, target, options, run.report)
    if target.rig is not None and not target.is_new:
        if clip.rests_known and clip.parents_known:
            still = edit.in_lengths(replace(clip, tracks=[]), options.scale)
            target.skeleton = {node.name: node for node in still.nodes}
        layer = context.view_layer
        shown = (thing for thing in (target.rig, *layer.objects) if thing.visible_get(view_layer=layer))
        if not any(armature_of(thing) == target.rig for thing in shown):
            run.report.warn(messages.TARGET_UNSEEN, name=target.rig.name)
    return target


def animated_names(clip: Clip) -> list[str]:
    """Return the names of the nodes that have tracks, each once."""
    return list(dict.fromkeys(track.node for track in clip.tracks))


def _find_rig(run: Import, clip: Clip, onto: Rig | None, *, lenient: bool) -> Target:
    context, options = run.context, run.options
    wanted = options.target if onto is None else "SELECTED"
    if wanted == "NEW":
        return Target()
    if wanted == "AUTO":
        return _automatic(run, clip, lenient=lenient)
    rig = onto or selected_rig(context)
    bones, matched, total = ({}, 0, 0) if rig is None else _matches(rig, clip, options)
    if wanted == "BY_NAME" and not matched:  # of all armatures the one that has most of the names
        rigs = [thing for thing in context.scene.objects if is_rig(thing) and thing.library is None]
        found = [Target(rig, match_bones(rig, clip.nodes, lenient=False)) for rig in rigs]
        counts = [sum(name in target.bones for name in animated_names(clip)) for target in found]
        return found[counts.index(max(counts))] if any(counts) else Target()
    if rig is None:
        raise FormatError(messages.TARGET_NONE)
    if rig.library is not None:
        raise FormatError(messages.TARGET_LINKED, name=rig.name)
    if not matched and total and onto is not None:  # a person who chose it can say which bones are meant
        raise FormatError(messages.TARGET_NO_MATCH)
    return Target(rig, bones)


def _matches(rig: Rig, clip: Clip, options: ImportOptions, *, lenient: bool = True) -> tuple[dict[str, str], int, int]:
    """Match a clip to an armature; return bone by node name, how many names have a bone, and how many there are.

    Only animated names are counted; all names if none is animated.
    """
    table = bone_names.load_table(bpy.path.abspath(options.name_table)) if options.name_table else {}
    bones = match_bones(rig, clip.nodes, lenient=lenient, table=table, reading=bone_names.reading_of(options))
    counted = _counted_names(clip)
    return bones, sum(name in bones for name in counted), len(counted)


def _automatic(run: Import, clip: Clip, *, lenient: bool) -> Target:
    """Return as the target the armature that is selected, else that moves what is selected, else that has the name of
    the skeleton, if it has enough of the names; none, and why, if they have not."""
    context, options, reason = run.context, run.options, Entry(messages.TARGET_NONE_MEANT, {})
    selected, layer = selected_rig(context), context.view_layer
    if clip.skeleton and selected is not None and selected.name in run.batch.rigs:
        selected = None  # a file of another skeleton has made it, and nobody chose it
    is_itself = selected is not None and (selected == layer.objects.active or selected.select_get(view_layer=layer))
    chosen = messages.TARGET_IS_SELECTED if is_itself else messages.TARGET_MOVES_SELECTED
    rigs = [thing for thing in context.scene.objects if is_rig(thing)] if clip.skeleton else []
    own = next((rig for rig in rigs if clip.skeleton.upper() in own_names(rig)), None)
    for rig, template in ((selected, chosen), (own, messages.TARGET_HAS_NAME)):
        if rig is None:
            continue
        bones, matched, total = _matches(rig, clip, options, lenient=lenient)
        if rig.library is not None:
            reason = Entry(messages.TARGET_NEW_LINKED, {"name": rig.name})
        elif not _is_enough(bones | _scene_objects(run, clip, rig), clip):
            few = messages.TARGET_NEW_FEW if lenient else messages.TARGET_NEW_FIGURE
            reason = Entry(few, {"name": rig.name, "matched": matched, "total": total})
        elif lenient and clip.skeleton and not clip.tracks and rig != own:  # the skeleton is all there is to import
            reason = Entry(messages.TARGET_NEW_STILL, {"name": rig.name})
        else:  # what the file before has made is selected, too, but by nobody
            made = rig == selected and rig.name in run.batch.rigs
            return Target(rig, bones, reason=None if made else Entry(template, {"name": rig.name}))
    return Target(reason=reason)


def _is_enough(found: Container[str], clip: Clip) -> bool:
    """Return whether so many of the animated names, else of all, are `found` that Automatic takes what has them."""
    counted = _counted_names(clip)
    return sum(name in found for name in counted) >= MATCH_SHARE * max(len(counted), 1)


def _counted_names(clip: Clip) -> list[str]:
    return animated_names(clip) or [node.name for node in clip.nodes]


def armature_of(thing: Object) -> Rig | None:
    """Return the armature that an object is, is deformed by or is parented to; None if there is none."""
    if is_rig(thing):
        return thing
    deforming = (modifier.object for modifier in thing.modifiers if isinstance(modifier, ArmatureModifier))
    found = next((rig for rig in deforming if is_rig(rig)), None)
    above = thing.parent
    return found or (armature_of(above) if above is not None else None)


def own_names(rig: Rig) -> set[str]:
    """Return upper-case names of the skeletons that an armature stands for by its own names."""
    own = [names.without_number(name) for name in (rig.name, rig.data.name)]
    return {name.upper() for name in own} | {bone_names.cut_names([name])[0] for name in own}


def same_rest(a: Array, b: Array) -> bool:
    """Return whether two rest matrices (4, 4) are one within what Blender keeps of a short bone's rest."""
    reach = max(1.0, float(np.abs(a[:3, 3]).max()))
    difference = np.abs(a - b)
    turned, moved = difference[:3, :3].max(), difference[:3, 3].max()
    return bool(turned <= SAME_REST and moved <= SAME_REST * reach)


def active_object(context: Context) -> Object | None:
    """Return the active object, or what a script's `temp_override` says is active."""
    layer = context.view_layer
    found: Object | None = getattr(context, "active_object", layer.objects.active if layer else None)
    return found


def selected_objects(context: Context) -> list[Object]:
    """Return what is selected, or what a script's `temp_override` says is."""
    layer = context.view_layer
    return list(getattr(context, "selected_objects", layer.objects.selected if layer else ()))


def selected_rig(context: Context) -> Rig | None:
    """Return the active armature object, else the only selected one, else what moves a selected object; None for none.

    Of several selected objects the active one comes first.
    """
    active = active_object(context)
    things = sorted(selected_objects(context), key=lambda thing: thing != active)
    rigs = [active] if is_rig(active) else [thing for thing in things if is_rig(thing)]
    moving = (armature_of(thing) for thing in things if not is_rig(thing))
    return rigs[0] if len(rigs) == 1 else next((rig for rig in moving if rig is not None), None)


def match_bones(
    rig: Rig, nodes: Sequence[Node], *, lenient: bool, table: Mapping[str, str] = {}, reading: Reading = USUAL
) -> dict[str, str]:
    """Match bones to nodes: by the names that bones have stored, the file's own names, then letter case.

    `lenient` also accepts names as other conventions write them (see `clip.bone_names`). What `table` says about
    a node comes first, no bone too; `reading` says how to take hands whose names leave something open.
    """
    known = names.by_any_name(rig.data.bones)
    nodes = [node for node in nodes if table.get(node.name) != ""]
    wanted = {node.name for node in nodes}
    found = {name: bone for name, bone in table.items() if name in wanted and bone in rig.data.bones}
    claimed = set(found.values())
    others = lenient and wanted != {*rig.data.bones.keys()}  # where it is not the file's own skeleton
    apart = bone_names.other_parts(sorted(wanted), rig.data.bones.keys(), reading) if others else set()
    for node in nodes:
        bone = None if node.name in apart else known.get(node.name) or known.get(node.original)
        if bone is not None and bone.name not in claimed and node.name not in found:
            found[node.name] = bone.name
            claimed.add(bone.name)
    missing = [node.name for node in nodes if node.name not in found]
    if not missing:
        return found
    free = [bone.name for bone in rig.data.bones if bone.name not in claimed]
    if lenient:
        return found | bone_names.match_names(missing, free, reading=reading)
    folded = {name.casefold(): name for name in free}
    return found | {name: folded[name.casefold()] for name in missing if name.casefold() in folded}


def _tied(target: Target, undo: Undo) -> dict[str, str]:
    """Tie bones and objects to what they were matched with; return tie by node, empty where they say it themselves."""
    holders: dict[str, Named] = {node: target.rig.data.bones[bone] for node, bone in target.bones.items()}
    if target.rig is not None:
        names.tie(holders.values(), target.rig.data.bones, undo)
    names.tie(target.objects.values(), bpy.data.objects, undo)
    holders |= target.objects
    own = all(holder.get(names.NODE_KEY) == node for node, holder in holders.items())
    return {} if own else {node: names.tie_of(holder) for node, holder in holders.items()}


def bones_of_import(rig: Rig, nodes: Sequence[Node], ties: Mapping[str, str]) -> dict[str, str]:
    """Return bone by node as an import tied them; where no tie is known they are matched once more."""
    if not ties:
        return match_bones(rig, nodes, lenient=True)
    found = bones_by_tie(rig, ties)
    return {node.name: found[node.name] for node in nodes if node.name in found}


def bones_by_tie(rig: Rig, ties: Mapping[str, str]) -> dict[str, str]:
    """Return bone by node for those that an import tied, whatever they are called now."""
    known = names.by_tie(rig.data.bones)
    return {node: known[tie].name for node, tie in ties.items() if tie in known}


def objects_of_import(things: Iterable[Object], nodes: Sequence[Node], ties: Mapping[str, str]) -> dict[str, Object]:
    """Return object by node in the same way."""
    known = names.by_tie(things) if ties else names.by_any_name(things)
    found = ((node, known.get(ties.get(node.name, "" if ties else node.name))) for node in nodes)
    return {node.name: thing for node, thing in found if thing is not None}


def _scene_objects(run: Import, clip: Clip, rig: Rig | None) -> dict[str, Object]:
    """Return objects of the scene by node name: for object nodes always, for others with the target By Name.

    A file that names no parents says of no node what it is: there also those that are selected or the armature's.
    """
    context, target, again = run.context, run.options.target, run.batch.again
    sure = [node for node in clip.nodes if node.kind is NodeKind.OBJECT or target == "BY_NAME"]
    wanted = sure or ([] if clip.as_recorded.parents_known else clip.nodes)
    if not wanted or target == "NEW":
        return {}
    known = names.by_any_name(thing for thing in context.scene.objects if thing.library is None)
    chosen = {thing for thing in known.values() if sure or (rig is not None and armature_of(thing) == rig)}
    chosen |= {*selected_objects(context), *again.values()}
    found = {node.name: again.get(node.name, known.get(node.name, known.get(node.original))) for node in wanted}
    return {name: thing for name, thing in found.items() if thing is not None and thing in chosen}


def _add_empties(context: Context, clip: Clip, target: Target, report: Report, undo: Undo) -> None:
    missing = [node for node in clip.nodes if node.kind is NodeKind.OBJECT and not target.has(node.name)]
    for node in missing:
        empty = undo.new(bpy.data.objects, names.cut(node.name) or "Empty", None)
        armatures.place_for_new(context).objects.link(empty)
        names.remember(empty, node)
        parent = target.objects.get(node.parent) if node.parent is not None else None
        if parent is not None:
            empty.parent = parent
            empty.matrix_parent_inverse = Matrix(node.rest.tolist())
        target.objects[node.name] = target.made[node.name] = empty
    if missing:
        report.note(messages.OBJECTS_MADE, number=len(missing))


def _tell(clip: Clip, target: Target, options: ImportOptions, report: Report) -> None:
    animated, made = animated_names(clip), target.made
    left_out = [name for name in animated if not target.has(name)]
    if target.is_new:
        report.note(messages.TARGET_NEW, name=target.rig.name)
        if not clip.parents_known and len(target.bones) > 1:
            report.note(common_messages.NODES_WITHOUT_PARENTS, bones=len(target.bones), name=target.rig.name)
    elif target.rig is not None or len(target.objects) > len(made):  # else nothing was there
        objects = sorted({thing.name for node, thing in target.objects.items() if node not in made})
        shown = target.rig.name if target.rig is not None else ", ".join(objects)
        template = messages.TARGET_USED if animated else messages.TARGET_STILL
        matched = sum(target.has(name) and name not in made for name in animated)
        report.note(template, name=shown, matched=matched, total=len(animated))
    if target.reason is not None and target.rig is not None:
        report.note(target.reason.template, **target.reason.values)
    if left_out and len(left_out) == len(animated) and target.rig is not None:
        report.warn(messages.TARGET_NO_NAME, name=target.rig.name, total=len(animated))
    elif left_out:
        report.warn(messages.NODES_UNMATCHED, number=len(left_out), names=", ".join(left_out))
    if left_out and target.rig is not None:
        taken = set(target.bones.values())
        free = [bone.name for bone in target.rig.data.bones if bone.name not in taken]
        bone_names.tell_left_open(free, bone_names.reading_of(options), report)


def held(thing: Object) -> str:
    """Return CAMERA or LIGHT for such an object, which files may turn, else an empty string."""
    return str(thing.type) if thing.type in ("CAMERA", "LIGHT") else ""
