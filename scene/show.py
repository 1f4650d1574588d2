"""What is seen of an import besides keys: models, hiding, camera and rays, the selection and the playhead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import bpy
import numpy as np
from bpy.types import Object, ViewLayer

from ..io_formats.clip import LEAST_OPACITY, Clip, model
from . import armatures, channels, fitting, messages, models, names, rates, visibility
from .targets import Target
from .types import Rig

if TYPE_CHECKING:
    from .write import Import, Written

_SAME_FRAME = 1e-4


def show(run: Import, target: Target, clips: Sequence[Clip], files: Sequence[model.ModelFile]) -> list[Object]:
    """Show models and hiding, on a new armature camera and rays too; return all objects that play or were made."""
    objects = target.things
    if target.rig is not None:
        own = [each for clip in clips[:1] for each in _own_models(run, target, clip)]
        objects += show_models(run, target, [*files, *([model.ModelFile(own)] if own else [])])
    _hide(run, target, clips)
    for node in (node for clip in clips for node in clip.nodes if node.settings and node.name in target.objects):
        channels.apply(target.objects[node.name], node.settings, run.context.scene, run.report, run.undo)
    if target.is_new:
        place, undo = armatures.place_for_new(run.context), run.undo
        attached = (models.attach(place, target.rig, each, target.bones, undo) for each in clips[0].attachments)
        made = [thing for thing in attached if thing is not None]
        camera = next((thing for thing in made if thing.type == "CAMERA"), None)
        if camera is not None and run.context.scene.camera is None:
            run.undo.set(run.context.scene, "camera", camera)
        objects += made
        _leave_out_of_view(run, target, clips[0])
    return objects


def _own_models(run: Import, target: Target, clip: Clip) -> list[model.Model]:
    """Return the models of a clip for a new armature; for one of an earlier import, where it has the first data."""
    if target.is_new:
        return [] if clip.models is None else clip.models(clip)
    known = {node.name for node in clip.nodes if not node.placeholder}
    bones = {node: target.rig.data.bones[bone] for node, bone in target.bones.items() if node in known}
    unknown = {node: bone for node, bone in bones.items() if names.is_placeholder(bone)}
    for bone in unknown.values():
        run.undo.set_item(bone, names.PLACEHOLDER_KEY, False)
    found = [] if clip.models is None or not unknown else clip.models(clip)
    return [each for each in found if each.skin is not None and unknown.keys() >= {*each.skin.nodes}]


def show_models(run: Import, target: Target, files: Sequence[model.ModelFile]) -> list[Object]:
    """Show models on a target, or without one; return the new objects."""
    if not any(models.new_in(file, target.rig) for file in files):
        return []
    collection = run.undo.new(bpy.data.collections, names.cut(f"{run.name} Models"))
    armatures.place_for_new(run.context).children.link(collection)
    scale = run.options.scale if target.rig is None else fitting.size_of(target, run.options.scale)
    made = models.Showing(target, collection, scale, run.undo, run.report).show(files)
    if made and target.rig is not None and any(map(names.is_made, target.rig.data.bones)):
        run.undo.set(target.rig.data, "display_type", "STICK")  # as they lie in front of the models
    return made


def go_to_first_shown(run: Import, entry: Written) -> int | None:
    """Move the playhead to a visible frame if most of the clip is hidden at the current one; return the frame.

    What strips play later on leaves it where the first of them is seen.
    """
    clip, start_frame, stretching = entry.clip, run.options.start_frame, rates.stretching(run.context.scene)
    carriers = [node.shown_by for node in clip.nodes if node.shown_by is not None]
    if entry.shift or 2 * len(carriers) < len(clip.nodes):
        return None
    now = (run.context.scene.frame_current * stretching - start_frame) / run.rate
    starts = []
    for track in clip.tracks:
        if (track.node, track.property) in carriers and len(track.times):
            shown = track.values[0] >= LEAST_OPACITY
            if shown[max(int(np.searchsorted(track.times, now, side="right")) - 1, 0)]:
                return None
            later = track.times[shown & (track.times >= now)]
            starts += (later if len(later) else track.times[shown])[:1].tolist()
    if not starts:
        return None
    frame = int(np.ceil((min(starts) * run.rate + start_frame) / stretching - _SAME_FRAME))
    run.undo.set(run.context.scene, "frame_current", frame)
    return frame


def select(run: Import, rig: Rig | None, objects: Sequence[Object]) -> None:
    """Select an armature and objects that can be, the first becomes the active one; in another mode nothing.

    *Frame Selected* counts an armature by its bones, which the heads and hands of models reach beyond.
    """
    layer = run.context.view_layer
    seen = [one for one in filter(None, (rig, *objects)) if not one.hide_select and one.visible_get(view_layer=layer)]
    if run.context.mode != "OBJECT" or not seen:
        return
    run.undo.callback(_select_only, layer, list(layer.objects.selected), layer.objects.active)
    _select_only(layer, seen, seen[0])


def _select_only(layer: ViewLayer, things: Sequence[Object], active: Object | None) -> None:
    for other in list(layer.objects.selected):
        other.select_set(False)
    for thing in things:
        thing.select_set(True)
    layer.objects.active = active


def _leave_out_of_view(run: Import, target: Target, clip: Clip) -> None:
    """Leave out of *Frame Selected*, if other bones are visible, those that a camera or ray is shown for, and hidden
    bones without data.

    Blender counts every bone, but one with a shape where that is drawn, which another bone can tell.
    """
    shown = {name for attachment in clip.attachments for name in (attachment.node, attachment.target)}
    hidden = {node.name for node in clip.nodes if node.placeholder and (node.shown_by is not None or node.helper)}
    aside = [node.name for node in clip.nodes if node.name in shown | hidden]
    seen = [node.name for node in clip.nodes if node.name not in aside and not node.helper]
    bones = [target.bones[name] for name in aside if name in target.bones]
    anchor = next((target.bones[name] for name in seen if name in target.bones), None)
    if bones and anchor is not None:
        posed = target.rig.pose.bones  # what something draws as nothing already keeps its shape
        visibility.draw_as_nothing(target.rig, [bone for bone in bones if posed[bone].custom_shape is None], run.undo)
        for bone in bones:
            run.undo.set(posed[bone], "custom_shape_transform", posed[anchor])


def _hide(run: Import, target: Target, clips: Sequence[Clip]) -> None:
    """Let bones and objects hide as the clips say; the bones of a person's own armature stay visible."""
    shown_by = {node.name: node.shown_by for clip in clips for node in clip.nodes if node.shown_by is not None}
    carriers = {name: found for name, by in shown_by.items() if (found := target.carrier(by)) is not None}
    moved = {target.bones[name]: path for name, (_, path) in carriers.items() if name in target.bones}
    hidden = {bone: path for bone, path in moved.items() if names.is_made(target.rig.data.bones[bone])}
    if len(hidden) < len(moved):
        run.report.note(messages.STAYS_VISIBLE, name=target.rig.name, number=len(moved) - len(hidden))
    for path in dict.fromkeys(hidden.values()):
        visibility.draw_bones_unless(target.rig, [bone for bone, own in hidden.items() if own == path], path, run.undo)
    for child in target.rig.children if hidden else ():
        if child.parent_type == "BONE" and child.parent_bone in hidden:
            if visibility.hides_itself(child):
                run.report.warn(messages.HIDES_ITSELF, name=child.name)
            else:
                visibility.hide_object_unless(child, target.rig, hidden[child.parent_bone], run.undo)
    for name, (owner, path) in carriers.items():
        if name in target.objects:
            visibility.hide_object_unless(target.objects[name], owner, path, run.undo)
