"""Clips into Blender: one Action for each, on a new or existing target; after any failure nothing is left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING

import bpy
from bpy.types import Action, Context, Object, Text

from ..io_formats.clip import Clip, grouped
from ..io_formats.errors import FormatError, Report
from ..io_formats.files.steps import Steps
from ..io_formats.scene_options import ImportOptions
from . import actions, armatures, merging, messages, names, provenance, rates, targets
from .play import by_angles, play, warn_of_angles
from .provenance import SourceFile
from .show import go_to_first_shown, select, show, show_models
from .targets import Target
from .types import SHOWN_KEY, Rig, is_model
from .undo import Undo, remove_all
from .write import Batch, Import, Written, keep_others, write_clips

if TYPE_CHECKING:
    from ..io_formats.clip.model import ModelFile


@dataclass(frozen=True)
class Applied:
    """What an import made.

    Attributes:
        rig: the armature object that plays the first clip; None if only objects are animated.
        objects: every object that was animated or made.
        actions: the main Action of each clip, in order.
        all_actions: also the further Actions that Blender 4.2 needs for a clip of several objects.
        text: the Text that keeps the source, None if none was kept.
        merged: Actions that were there and the first clip was written into.
        seen_from: direction towards a viewer who recognises a new armature; None where any view is as good.
        first_shown: frame that the playhead was moved to, as the clip was not visible at the old one; else None.
        undo: takes the import back; steps may be added until the import is complete.
    """

    rig: Rig | None = None
    objects: list[Object] = field(default_factory=list)
    actions: list[Action] = field(default_factory=list)
    all_actions: list[Action] = field(default_factory=list)
    bones: dict[str, str] = field(default_factory=dict)
    text: Text | None = None
    is_new: bool = False
    merged: list[Action] = field(default_factory=list)
    seen_from: tuple[float, float, float] | None = None
    first_shown: int | None = None
    undo: Undo = field(default_factory=Undo, repr=False)


@contextmanager
def apply_clips(
    context: Context,
    clips: Sequence[Clip],
    options: ImportOptions,
    report: Report,
    *,
    name: str,
    source: SourceFile | None = None,
    onto: Rig | None = None,
    models: Sequence[ModelFile] = (),
    batch: Batch | None = None,
) -> Iterator[Steps[Applied]]:
    """Import the clips of one file into the current scene; the import is complete when the `with` block ends.

    The block does the steps. Any exception in here or in the block, Ctrl+C included, takes the whole import back, and
    so does the end of a block that has not done them all.
    Nothing that an import holds may be removed or replaced between two steps, as undo does.
    The first clip's Action is assigned (or put on an NLA track as a strip), the others are kept by a fake user.
    FormatError is raised where the target does not exist or cannot be animated.

    Args:
        context: needs a scene and view layer; mode, selection and active object may be anything.
        name: for a new armature, and for Actions whose clip has no name (the file's stem).
        source: kept if the options say so.
        onto: an armature object to animate, whatever the option Target says (a batch names its first file's).
        models: what is shown on the first clip's armature.
        batch: what the files before this one have made, which this one does not replace.
    """
    with Undo() as undo:
        asked = Import(context, options, report, name, undo, batch or Batch())
        yield _applied(asked, clips, models, source, onto)
        if not asked.applied:
            return
        going = [*asked.replaced, *provenance.left_over([*asked.replaced])] if asked.replaced else []
        undo.pop_all()
        merging.finish(asked.merged)
        remove_all(going)


@contextmanager
def apply_models(
    context: Context,
    clip: Clip | None,
    options: ImportOptions,
    report: Report,
    batch: Batch,
    *,
    name: str,
    models: Sequence[ModelFile],
    source: SourceFile,
    onto: Rig | None,
) -> Iterator[Applied]:
    """Show the skeleton and models of a file in which nothing moves; what plays on an armature is left alone.

    Args:
        clip: the skeleton as nodes without tracks, None for rigid meshes that stand alone.
        source: the file, which an export of what this makes of it writes again as long as nothing moves.
    """
    with Undo() as undo:
        run = Import(context, options, report, name, undo, batch)
        _require_scene(run)
        target = Target() if clip is None else _find_targets(run, [clip], onto, models)[0]
        objects = show_models(run, target, models)
        if target.rig is None and not objects:  # an empty keeps a file of which Blender shows nothing
            if not options.keep_source:
                raise FormatError(messages.NOTHING_SHOWN)
            objects = [undo.new(bpy.data.objects, names.cut(name) or "Empty", None)]
            objects[0][SHOWN_KEY] = True
            armatures.place_for_new(context).objects.link(objects[0])
            report.warn(messages.NOTHING_SHOWN_KEPT, name=objects[0].name)
        if target.is_new or target.rig is None:
            select(run, target.rig, objects)
        made = [*objects, *([target.rig] if target.is_new and target.rig is not None else [])]
        keeping = made and options.keep_source
        text = provenance.note_models(made, source, asdict(options), undo) if keeping else None
        yield Applied(target.rig, objects, bones=target.bones, text=text, is_new=target.is_new, undo=undo)
        undo.pop_all()


def _applied(
    asked: Import, clips: Sequence[Clip], models: Sequence[ModelFile], source: SourceFile | None, onto: Rig | None
) -> Steps[Applied]:
    """Import in order: targets, Actions, what plays, what is seen, what is noted."""
    _require_scene(asked)
    rate = rates.settle_rate(asked.context.scene, clips, asked.options, asked.report, asked.undo)
    run = replace(asked, rate=rate, several=len(clips) > 1)
    found = _find_targets(run, clips, onto, models)
    run.targets.extend(found)
    turned = {target.rig: by_angles(target.rig) for target in found if target.rig is not None and not target.is_new}
    written = yield from write_clips(run, clips, found)
    keep_others(run)
    warn_of_angles(run, turned)
    written, objects = _play_and_show(run, written, models)
    text = yield from _note(run, written, source)
    first = found[0] if found else Target()
    applied = Applied(
        rig=first.rig,
        objects=objects,
        actions=[entry.main for entry in written],
        all_actions=[action for entry in written for action in entry.actions],
        bones=first.bones,
        text=text,
        is_new=first.is_new,
        merged=list(run.merged),
        seen_from=next((clip.seen_from for clip, target in zip(clips, found, strict=True) if target.is_new), None),
        first_shown=_set_scene(run, first, objects, written),
        undo=run.undo,
    )
    for old, new in run.replaced.items():
        run.undo.callback(setattr, old, "use_fake_user", old.use_fake_user)
        run.undo.callback(new.user_remap, old)
        merging.replace(old, new, run.report)
        merging.warn_of_edits(old, new, str(new.name), run.report)
        run.report.note(messages.ACTION_REPLACED, name=new.name)
    merging.tell(run.merged, run.report)
    run.applied.append(applied)
    return applied


def _play_and_show(
    run: Import, written: Sequence[Written], models: Sequence[ModelFile]
) -> tuple[list[Written], list[Object]]:
    """Let each target play its clips; return these as they play, and all objects that were animated or made."""
    played, objects = list(written), []
    for numbers in grouped((id(entry.target), number) for number, entry in enumerate(written)).values():
        target, own = written[numbers[0]].target, [written[number] for number in numbers]
        for number, entry in zip(numbers, play(run, target, own), strict=True):
            played[number] = entry
        objects += show(run, target, [entry.clip for entry in own], models)
        models = ()
    return played, objects


def _set_scene(run: Import, first: Target, objects: Sequence[Object], written: Sequence[Written]) -> int | None:
    if run.options.set_scene_range and written:
        made = {action for entry in written for action in _own_actions(run, entry)}
        alone = not rates.is_animated(run.context.scene, made)
        ranges = [(entry.first + entry.shift, entry.last + entry.shift) for entry in written]
        rates.cover_range(run.context.scene, ranges, run.undo, alone=alone)
    if first.is_new or (first.rig is not None and targets.selected_rig(run.context) is None):  # editors show its keys
        select(run, first.rig, [*filter(is_model, objects)])
    elif len(first.made) == len(first.objects):
        select(run, None, [*first.made.values()])
    return go_to_first_shown(run, written[0]) if written else None


def _require_scene(run: Import) -> None:
    if run.context.view_layer is None or not run.context.scene.is_editable:
        raise FormatError(messages.NO_VIEW_LAYER, name=run.context.scene.name)


def _find_targets(run: Import, clips: Sequence[Clip], onto: Rig | None, models: Sequence[ModelFile]) -> list[Target]:
    by_skeleton: dict[tuple[str, ...], Target] = {}
    lenient = not any(file.own for file in models)
    found = []
    for clip in clips:
        key = (clip.skeleton, *(node.name for node in clip.nodes))
        if key not in by_skeleton:
            rig_name = (clip.skeleton if run.options.name_from == "CLIP" else "") or run.name
            target = by_skeleton[key] = targets.choose(run, clip, name=rig_name, onto=onto, lenient=lenient)
            for thing in target.things:
                data = actions.animation_data(thing)
                if data is not None and data.use_tweak_mode:  # Blender lets nothing be assigned
                    raise FormatError(messages.IN_TWEAK_MODE, name=thing.name)
        found.append(by_skeleton[key])
    return found


def _note(run: Import, written: Sequence[Written], source: SourceFile | None) -> Steps[Text | None]:
    for entry in written:
        start = run.options.start_frame
        first, last = ((frame - start) / run.rate for frame in (entry.first, entry.last))
        for action in _own_actions(run, entry):
            parts = [part for part in entry.parts if part.action == action]
            scaled = not entry.target.is_new and not entry.target.has_size(run.options.scale)
            about = run.rate, start, action.name, entry.clip.name, entry.rebased, entry.rests
            placement = provenance.Placement(*about, first, last, scaled)
            curves, owners = {}, {}
            for part in parts:
                handle, bag = actions.slot_handle(part.slot), actions.ensure_bag(action, part.slot)
                curves[handle] = part.writer.written
                owners[handle] = provenance.owner_digest(part.owner, bag.fcurves)
            provenance.note_action(action, placement, curves, owners)
            provenance.note(action, "options", asdict(run.options))
            if not actions.SLOTTED and parts:
                action[provenance.KEY]["owner"] = names.tie_of(parts[0].owner)
            if entry.left_out:
                provenance.note(action, "left_out", entry.left_out)
            rig = None if entry.target.is_new else entry.target.rig
            moved = {(curve.data_path, curve.index) for part in parts for curve in part.writer.written}
            posed = {} if rig is None else armatures.posed(rig)
            rows = [(provenance.tied_path(rig, at[0]), at[1], value) for at, value in posed.items() if at not in moved]
            provenance.note(action, "posed", rows)
            if entry.target.ties:
                provenance.note(action, "bones", entry.target.ties)
    created = [_own_actions(run, entry) for entry in written]
    if source is None or not run.options.keep_source or not any(created):
        return None
    return (yield from provenance.keep(created, source, run.undo))


def _own_actions(run: Import, entry: Written) -> list[Action]:
    """Return the Actions of a clip that remember their file; one that it was merged into stays what it was."""
    return [action for action in entry.actions if action not in run.merged]
