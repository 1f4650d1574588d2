"""Blender into files: the one way that the menu, the panel's button, the command line and scripts share."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import replace
from functools import cache, partial, reduce
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, TypeAlias
from zlib import crc32

import bpy
import numpy as np
from bpy.types import Action, Context, Object, Scene

from ..io_formats.clip import Clip
from ..io_formats.errors import EmptyError, FormatError, Report, first_names
from ..io_formats.files import messages as file_messages
from ..io_formats.files.batch_files import Outputs
from ..io_formats.files.steps import Steps, portion, running, undisturbed
from ..io_formats.files.whole_file import state_of
from ..io_formats.format import AnyFormat, Facts, Opened
from ..io_formats.options import check_options
from ..io_formats.saving import NewFile, chosen_skeleton
from ..io_formats.scene_options import ExportOptions
from ..scene import actions, channels, data_paths, fcurves, fitting, provenance, rates, undo
from ..scene import messages as scene_messages
from ..scene.capture import nodes, players
from ..scene.capture.capture import Captured, capture
from ..scene.capture.driven import is_renamed
from ..scene.types import is_rig
from . import messages
from .checking import Check, Placed, checked, moves_on
from .export_plan import Changes, Part, is_as_imported, listed, players_among, strangers, targets
from .language import error_text
from .results import Exported, counted_facts
from .source_file import Origin, facts_of, file_of, format_of_action, open_origin, own_skeleton

_OPENED, _ADDED, _CHECKED = 0.2, 0.6, 0.8
"""Shares of an export that are done when the source is open, the document put together, and compared."""
_CAPTURED, _READ = 0.7, 0.5
"""Shares of making a document that are done when its clip is captured, and of a look when its bytes are read."""
_LOOKED_AT, _MADE_AGAIN = 0.4, 0.8
"""Shares of a check that are done when it has looked once, and when what was off is made again."""
_ALL = {"channels": "ALL", "only_selected_bones": False, "root_motion": True}.items()
"""Options of an import that leaves out nothing but places of another body."""


class Step(NamedTuple):
    """How far an export has come: the share of all files, 0 to 1; and a file that is complete."""

    path: Path
    share: float
    written: Exported | None = None


Telling: TypeAlias = Generator[Step, bool | None, None]


def export_files(
    context: Context,
    path: Path,
    file_format: AnyFormat,
    options: ExportOptions,
    owners: Sequence[Object],
    outputs: Outputs | None = None,
) -> Iterator[Exported]:
    """Write what `owners` play to `path`, or each of them or of their Actions to a file of its own beside it.

    For a format that needs an armature, a mesh stands for the armature that deforms it. Each file is complete and has
    been read again before it takes its name.

    Args:
        outputs: what may be written; without it, no file that is there already, except the one that `path` names.

    Raises:
        FormatError: why a file cannot be written; it is as it was. If one of several is there already, none is written.
    """
    steps = undisturbed(export_in_steps(context, path, file_format, options, owners, outputs))
    yield from (step.written for step in steps if step.written is not None)


def export_in_steps(
    context: bpy.types.Context,
    path: Path,
    file_format: AnyFormat,
    options: ExportOptions,
    owners: Sequence[Object],
    outputs: Outputs | None = None,
    source: Path | str = "",
    *,
    back: bool = False,
) -> Telling:
    """Do as `export_files`, telling of each step; closed, it leaves no part of a file. `source` is the open file, where
    it is one of a batch; `back`: see `Part.back`."""
    check_options(options)
    require_scene(context, context.scene)
    wanted = [replace(part, back=back) for part in targets(context, path, file_format, options, owners)]
    outputs = (outputs or Outputs(overwrite=not strangers(path, wanted))).with_leave(given=options.into_existing)
    outputs.allow(len(wanted))
    for part in wanted:
        outputs.take(part.path, source)
    yield from _all_written(context, [(file_format, options, part, outputs) for part in wanted])


def export_changed(context: Context, found: Changes, limits: Facts, *, in_place: bool) -> Telling:
    """Write the files of changed Actions anew, or others beside them, by the options of their formats and `limits`."""
    require_scene(context, context.scene)
    parts = found.written(in_place=in_place)
    formats, outputs = [format_of_action(part.action) for part in parts], Outputs(overwrite=in_place)
    wanted = [(kind, kind.export_options(**limits), part, outputs) for kind, part in zip(formats, parts)]
    yield from _all_written(context, wanted, found.unplaced)


def require_scene(context: Context, scene: Scene) -> None:
    """Raise FormatError if another scene is shown, and for an armature in Edit Mode: Blender evaluates it at rest, and
    keeps its new bones apart."""
    if context.scene != scene:
        raise FormatError(scene_messages.REMOVED_MEANWHILE)
    for thing in scene.objects:
        if is_rig(thing) and thing.data.is_editmode:
            raise FormatError(messages.EXPORT_IN_EDIT_MODE, name=thing.name)


_Asked: TypeAlias = tuple[AnyFormat, ExportOptions, Part, Outputs]


class _Job(NamedTuple):
    """One file to be written: of which part of the scene, and how; what was `found` in its place may be replaced.
    What was `changed`, or is `the_same` as imported, is asked once. Rests made of a file are no `rests_known`."""

    context: Context
    format: AnyFormat
    options: ExportOptions
    part: Part
    outputs: Outputs
    found: object
    changed: Callable[[Action], bool]
    the_same: set[Action]
    rests_known: bool = True

    def file(self, report: Report) -> NewFile[object]:
        """Return the file without a clip so far, which follows the skeleton that was chosen for this export."""
        skeleton = chosen_skeleton(self.format, bpy.path.abspath(self.options.skeleton))
        about = self.part.path, self.format, self.options, report, self.outputs
        return NewFile(*about, skeleton=skeleton, found=self.found)


def _all_written(context: Context, wanted: Sequence[_Asked], unplaced: Sequence[str] | None = None) -> Telling:
    """Write one file after the other; the last tells which of several had nothing that moves. Where they go to places
    of their own, as some are told that are `unplaced`, one that cannot be written costs only itself."""
    asked = cache(provenance.is_changed), set[Action]()
    jobs = [_Job(context, *each, state_of(each[2].path), *asked) for each in wanted]
    held, still, failed = list[tuple[Path, Exported]](), dict[str, EmptyError](), dict[str, FormatError]()
    share, resumed = 0.0, partial(require_scene, bpy.context, bpy.context.scene)
    for number, job in enumerate(jobs, 1):
        before, share, part = share, number / len(jobs), job.part
        try:
            steps = running(portion(_export(job), before, share), undo.limited(job.options), resumed)
            with _by_present_names(part):
                written = yield from _written(part.path, steps)
        except EmptyError as error:
            still[part.name] = error
        except FormatError as error:
            if unplaced is None:
                yield from (Step(path, share, complete) for path, complete in held)
                raise
            failed[part.name] = error
        else:
            yield from (Step(path, share, complete) for path, complete in held)
            held = [(part.path, written)]
    if failed and not held:
        raise next(iter(failed.values()))
    if still and not held:
        first, *others = still.values()
        raise EmptyError(first.template, **first.values | ({"names": ", ".join(still)} if others else {}))
    for path, last in held:
        if still:
            last.report.warn(messages.ACTIONS_STILL, names=", ".join(still))
        for name, reason in failed.items():
            last.report.warn(messages.CHANGED_FAILED, name=name, reason=error_text(reason))
        if unplaced:
            last.report.warn(messages.CHANGED_UNPLACED, names=", ".join(unplaced))
        yield Step(path, 1.0, last)


def _by_present_names(part: Part) -> AbstractContextManager[None]:
    """Let the imported Actions of a part that its armature does not play move bones that were renamed since."""
    undo.require((*part.owners, part.action))
    rig = next((owner for owner in part.owners if is_rig(owner)), None)
    if rig is None or part.action is None or part.known is None:
        return nullcontext()
    action, known, playing = part.action, part.known, actions.assigned(rig)[0]
    return provenance.on_renamed_bones(rig, (each for each in players.of_import(action, known) if each != playing))


def _written(path: Path, steps: Generator[float, bool | None, Exported]) -> Generator[Step, bool | None, Exported]:
    sent = None
    with closing(steps):
        while True:
            try:
                share = steps.send(sent)
            except StopIteration as end:
                exported: Exported = end.value
                return exported
            sent = yield Step(path, share)


class _Made(NamedTuple):
    """What came of putting one part into a file that is not written yet.

    Attributes:
        clips: where these are, as far as they come from here.
        own: the imported file, if it is of the same format.
        exact: the file's own bytes say all of it.
    """

    file: NewFile[object]
    clips: list[Placed]
    own: Origin | None
    exact: bool
    report: Report


def _export(job: _Job) -> Steps[Exported]:
    report, options, part = Report(), job.options, job.part
    if part.models is not None:
        return (yield from _models_again(job, part.models, report))
    opening = open_origin(part.imported, report) if options.use_source else None
    origin = None if opening is None else (yield from portion(opening, last=_OPENED))
    if origin is None:
        playing = players.in_strips(part.owners) if part.action is None else [part.action]
        imported = {action: found for action in playing if (found := provenance.find(action)) is not None}
        sources = [found.options | facts_of(action) for action, found in imported.items()]
        options = job.format.following(options, sources, report)
        others = [found for found in imported.values() if found.format == job.format.name and part.action is None]
        files = sorted({found.file for found in others if found.placement.rebased})
        job = job._replace(options=options, rests_known=not others or bool(files))
        if files and options.use_source:
            report.warn(messages.STRIPS_OF_FIGURE, name=part.main.name, files=first_names(files))
    make = partial(_made, job, origin)
    made = yield from portion(make(), _OPENED, _ADDED)
    check = None
    if options.check_playback == "THOROUGH" or (options.check_playback == "QUICK" and not made.exact):
        made, check = yield from portion(_checked(made, make, options), _ADDED, _CHECKED)
    where = made.clips[0].written
    if not made.exact:
        made.clips[0].captured.ledger.close(made.report, where.absent if where is not None else frozenset())
    report.extend(made.report)
    if made.exact and (own := made.own) is not None:
        file = replace(made.file, report=report)
        writing = _written_again(file, own.source.document, own.data, own.source.file)
        # a rig that lacks bones of the file shows less than its bytes hold
        facts = counted_facts((yield from portion(writing, _CHECKED)), own.clips)
    else:
        known = {} if check is None else {"keys": check.keys}  # of a format that does not tell how many it holds
        known |= {"pivots": len(where.nodes)} if where is not None and where.nodes else {}
        told = yield from portion(made.file.write(), _CHECKED)
        facts = counted_facts({**known, **told}, [made.clips[0].captured.clip])
    if part.back and part.action is not None and part.known is not None and part.path == file_of(part.action):
        placed, checksum = _placed(made.clips[0].captured), crc32(part.path.read_bytes())
        for action in players.of_import(part.action, part.known):  # other animations of the same file included
            provenance.note_saved(action, placed, checksum)
    return Exported(part.path, job.format, report, facts, exact=made.exact, check=check)


def _placed(captured: Captured) -> list[float]:
    """Return `Provenance.placed` of what was captured; empty where the armature's place is not in the motion."""
    rig, own, node_map = captured.capture.participants.main, captured.capture.written, captured.node_map
    if rig is None or own is None or not own.parents_known or own.recorded is not None:
        return []
    stays = node_map.root_rig is not None and np.array_equal(node_map.root, own.root)
    return [] if stays else [provenance.owner_digest(rig, actions.fcurves_of(rig)), *own.root.ravel().tolist()]


def _made(job: _Job, origin: Origin | None, checks: Mapping[int, Check] = MappingProxyType({})) -> Steps[_Made]:
    """Put one part into a new file; what `checks` of the same before, by number of the clip, found off is sampled."""
    report, file_format, options, part = Report(), job.format, job.options, job.part
    captured = yield from portion(_captured(job, origin, report, checks.get(0)), last=_CAPTURED)
    captured.clip.rests_known &= job.rests_known
    own = origin if origin is not None and origin.format is file_format else None
    if own is None and not _shows_motion(captured.clip, options):
        raise _still(part, captured, options)
    captured.ledger.warn(report)
    if file_format.holds_markers:
        _warn_of_markers(captured, report)
    several = own is not None and file_format.holds_several
    siblings = players.others_of_import(part.known) if several and part.known is not None else []
    same = captured.exact and not is_renamed(captured.capture) and not (file_format.free_names and captured.clip.called)
    asked_for = part.known is not None and is_as_imported(part.known, part.path, options)
    exact = own is not None and same and asked_for and not any(map(job.changed, siblings))
    file = job.file(Report() if exact else report)
    if exact:
        _tell_left_out(part.known, 0, report)
    clips = [Placed(captured, None, None)]
    if not exact or options.check_playback == "THOROUGH":
        clips = [(yield from portion(_put(part, own, file, captured), _CAPTURED))]
    for sibling in [] if exact else siblings:
        clips += yield from portion(_put_sibling(job, sibling, own, file, checks.get(len(clips))), 1.0, 1.0)
    if own is not None and not exact and own.format.plays(own.source.document):
        there = captured.ledger.written or captured.ledger.lost or captured.sampled or clips[1:]
        still = bool(own.source.clip.tracks) and not there  # unless the file had none, such as one of texts alone
        if still or file.is_empty(captured.clip, clips[0].written):
            raise _still(part, captured, options)
    return _Made(file, clips, own, exact, report)


def _warn_of_markers(captured: Captured, report: Report) -> None:
    """Warn of markers that are the scene's alone and in the clip, but of those that name Actions, as of a sequence."""
    span, scene, shift = captured.capture.span, captured.capture.context.scene, captured.capture.participants.shift
    others = [each for each in scene.timeline_markers if each.camera is None and each.name not in bpy.data.actions]
    frames = [marker.frame * rates.stretching(scene) - shift for marker in others]
    if count := sum(span.first <= frame <= span.last for frame in frames):
        report.warn(messages.SCENE_MARKERS, count=count)


def _still(part: Part, captured: Captured, options: ExportOptions) -> EmptyError:
    moves = captured.ledger.lost or (captured.ledger.written and _shows_motion(captured.clip, options))
    return EmptyError(file_messages.NOTHING_WRITTEN if moves else messages.NOTHING_MOVES, names=listed(part.owners))


def _put(part: Part, own: Origin | None, file: NewFile[object], captured: Captured) -> Steps[Placed]:
    if own is None:
        found, there = part.known, {node.name for node in captured.clip.nodes}
        if found is not None and part.imported is not None and not found.options.items() >= _ALL:
            tell = file.report.warn if found.format == file.format.name else file.report.note
            if count := sum(node in there for node, *_ in found.left_out):  # nothing of theirs is put there
                tell(messages.LEFT_OUT_ABSENT, count=count)
        rig = captured.capture.participants.main if captured.capture.options.use_source else None
        skeleton, space = own_skeleton(rig, captured.clip.skeleton, file.format)
        return Placed(captured, None, (yield from portion(file.add(captured.clip, skeleton=skeleton, space=space))))
    fitted = partial(_on_file_rests, captured, part=part, origin=own, chosen=file.skeleton)
    clip = fitted(captured.clip, report=file.report)
    whole = partial(_with_left_out, part.known, own, clip)
    clip, apart = whole(clip, file.report)
    # a node of the file that the armature lacks may be there in name alone
    there = {node.name for node in captured.clip.nodes} | {track.node for track in clip.tracks}
    there, source = there & {node.name for node in clip.nodes}, own.source
    if apart:
        own_tracks = [track for track in source.clip.tracks if channels.address_of(track) not in apart]
        source = replace(source, clip=replace(source.clip, tracks=own_tracks))
    absent = [*dict.fromkeys(track.node for track in source.clip.tracks if track.node not in there)]
    if absent:
        file.report.warn(scene_messages.NODES_UNMATCHED, number=len(absent), names=first_names(absent))
    where = yield from portion(file.add(clip, source=source, skeleton=own.skeleton))
    if clip is captured.clip and there.isdisjoint(node for node, *_ in apart):
        return Placed(captured, None, where)
    return Placed(captured, lambda seen: whole(fitted(seen, report=Report()), Report())[0], where)


def _put_sibling(
    job: _Job, sibling: Action, opened: Origin, file: NewFile[object], check: Check | None
) -> Steps[list[Placed]]:
    """Put another animation of the imported file there as Blender has it; none where the file itself says the same, or
    the armature is gone that played it."""
    part, report, needed = job.part, Report(), job.changed(sibling)
    if not needed:  # but for a new rest pose it is as it was, as long as it was
        job = job._replace(options=replace(job.options, use_scene_range=False, bake_to_scene_end=False))
    own = yield from portion(open_origin(sibling, report, opened), 1.0, 1.0)
    own_rigs = players_among(sibling, list(job.context.scene.objects))  # a file may have several skeletons
    if own_rigs and not {*own_rigs} & {*part.owners}:
        part = replace(part, owners=own_rigs)
    elif own is None or (own.source.clip.skeleton != opened.source.clip.skeleton and not needed):
        return []
    else:
        needed |= file.skeleton is not None  # by which pivots have other numbers
    if own is None or (sibling in job.the_same and not needed):
        return []
    curves = (curve for owner in part.owners for curve in actions.fcurves_of(owner))
    carried = any(curve.data_path in nodes.OWN_TRANSFORMS for curve in curves)  # to where no other Action has it
    job = job._replace(part=replace(part, action=sibling))
    captured = yield from portion(_captured(job, own, report, check), 1.0, 1.0)
    if not needed and (captured.exact or carried):  # no constraint, no new rest pose
        job.the_same.add(sibling)
        return []
    file.report.extend(report)
    file.options = replace(job.options, first_frame=0, frame_count=0)  # type: ignore[call-arg]  # what was asked for cuts
    return [(yield from portion(_put(job.part, own, file, captured), 1.0, 1.0))]


def _with_left_out(
    found: provenance.Provenance | None, own: Origin, animated: Clip, clip: Clip, report: Report
) -> tuple[Clip, set[channels.Address]]:
    """Return a clip with the channels of the file that were left out, but for what a person has `animated` since.

    And those that are none of its nodes', but the file's own, where each of these stands for itself.
    """
    if found is None or not found.left_out:
        return clip, set()
    there = set(map(channels.address_of, animated.tracks))
    found = replace(found, left_out=[each for each in found.left_out if each not in there])
    whole, unplaced = channels.with_left_out(clip, own.source.clip, found.left_out)
    alone = not own.source.clip.parents_known and clip.retimed is None
    _tell_left_out(found, 0 if alone else len(unplaced), report)
    return whole, unplaced if alone else set()


def _checked(
    made: _Made, make: Callable[[Mapping[int, Check]], Steps[_Made]], options: ExportOptions
) -> Steps[tuple[_Made, Check | None]]:
    """Compare what was made with the scene; what is off is made again from the evaluated scene, if that is better."""
    checks = yield from portion(_looked_at(made, options), last=_LOOKED_AT)
    check = reduce(Check.joined, checks.values()) if checks else None
    if check is not None and (check.mendable or check.mendable_values) and not made.exact:
        again = yield from portion(make(checks), _LOOKED_AT, _MADE_AGAIN)
        others = yield from portion(_looked_at(again, options), _MADE_AGAIN)
        second = reduce(Check.joined, others.values())
        if second.badness(check.lost) < check.badness(check.lost) / 2:  # but for what could not get better
            made, check, checks = again, second, others
    if check is not None:
        metric = not made.file.format.counts_frames
        looks = [(each, made.clips[number].captured) for number, each in checks.items()]
        wrong = [entry for each, captured in looks for entry in each.sentences(captured, metric=metric)]
        for found in wrong[:1] if options.strict else ():
            raise FormatError(found.template, file=str(made.file.path), **found.values)
        going_on = [entry for each, captured in looks for entry in each.goes_on(captured)]
        for found in (*wrong, *going_on):
            made.report.warn(found.template, **found.values)
        if not check.off:
            figure = check.figure(made.clips[0].captured, metric=metric)
            made.report.note(figure.template, **figure.values)
    return made, check


def _looked_at(made: _Made, options: ExportOptions) -> Steps[dict[int, Check]]:
    yield from portion(made.file.make(), last=_READ)
    count, found = len(made.clips), dict[int, Check]()
    for number, clip in enumerate(made.clips):
        before, after = (_READ + (1.0 - _READ) * (number + ahead) / count for ahead in (0, 1))
        check = yield from portion(checked(made.file, clip, options.check_playback), before, after)
        if check is not None:
            found[number] = check
    return found


def _captured(job: _Job, origin: Origin | None, report: Report, check: Check | None) -> Steps[Captured]:
    """Return what plays, related to the imported file where there is one; what a check can mend is sampled.

    Keys on one frame alone are a pose where nothing else moves; where something does, the scene's frames count.
    """
    options, part = job.options, job.part
    capturing = partial(
        capture,
        job.context,
        part.owners,
        part.action,
        written=origin.source.clip if origin is not None else None,
        provenance=part.known if part.imported is not None else None,
        meshes_hide_bones=job.format.meshes_hide_bones,
        beside=part.beside,
        holds=job.format.holds,
        sampled=check.mendable if check is not None else (),
        sampled_values=[(value.owner, value.thing, value.path) for value in check.mendable_values] if check else (),
        foreign=origin is not None and origin.format is not job.format,
    )
    told = Report()
    if part.back and part.action is not None and part.known is not None:
        own = players.siblings(part.action, part.known)
        played = (action for action in players.in_strips(part.owners) if action not in own)
        others = [action.name for action in played if action.get(provenance.KEY) is not None]
        if others:
            report.note(messages.WRITTEN_ALONE, name=part.name, others=first_names(others))
            options = replace(options, actions="ALL")
    captured = yield from portion(capturing(options, told))
    if not captured.clip.duration and (yield from portion(moves_on(captured), 1.0)):
        last, told, scene = captured.capture.span.last, Report(), job.context.scene
        captured = yield from portion(capturing(replace(options, use_scene_range=True), told), 1.0)
        report.note(messages.ONE_FRAME, last=last, first=scene.frame_start, until=scene.frame_end)
    report.extend(told)
    return captured


def _shows_motion(clip: Clip, options: ExportOptions) -> bool:
    """Return whether a clip has keys; samples that were asked for count only where they differ."""
    if options.sampling != "BAKE":
        return any(len(track.times) for track in clip.tracks)
    return any((track.values != track.values[:, :1]).any() for track in clip.tracks)


def _tell_left_out(found: provenance.Provenance | None, lost: int, report: Report) -> None:
    if found is not None and (count := len(found.left_out) - lost):
        report.note(messages.LEFT_OUT_KEPT, count=count, file=found.file)
    if lost:
        report.warn(messages.LEFT_OUT_LOST, count=lost)


def _on_file_rests(captured: Captured, clip: Clip, part: Part, origin: Origin, chosen: object, report: Report) -> Clip:
    """Return the clip on the rest pose of its file, or of the `chosen` skeleton's document, as Other Rigs says."""
    own, found = origin.source.clip, part.known
    if chosen is not None:  # which may be another unit's
        still = Opened(origin.format, Path(origin.source.file), b"", chosen).to_clips(origin.options, Report())[0]
        own = replace(own, nodes=still.nodes, skeleton=still.skeleton)
        # of the armature onto which the file of another one was imported the bones' own names are the skeleton's
        there = {name.casefold(): node.name for node in own.nodes for name in (node.original, node.name)}
        known = nodes.own_names(captured.capture.participants, captured.node_map)
        names = {node: there.get(name.casefold(), name) for node, name in known.items()}
        before, after = (sum(name.casefold() in there for name in each) for each in (names, names.values()))
        if own.skeleton.upper() != clip.skeleton.upper() and after >= before:
            tracks = [track if names[track.node] == track.node else track.but(match=None) for track in clip.tracks]
            clip = replace(clip, tracks=tracks).renamed(names)
    rig = next((owner for owner in part.owners if is_rig(owner)), None)
    if found is None or rig is None or not found.placement.rebased:
        return clip
    naming = captured.node_map.naming.bones.get(rig.name, {})
    bones = {node: bone for bone, node in naming.items() if own.node(node)}
    if limbs := fitting.limbs_in_ik(own, rig, bones):  # since a person has switched them back
        report.warn(scene_messages.SWITCHED_TO_IK, limbs=len(limbs), name=rig.name)
    own = fitting.as_meant(own, rig, bones, origin.options)
    if own.recorded is not None or (origin.options.fit == "FOLLOW" and fitting.leaves_a_rest(own)):
        kept = captured.capture.participants.kept(rig)
        left_out = {node for bone, node in naming.items() if kept is not None and bone not in kept}
        return fitting.back_from_rests(clip, own, rig, {node.name for node in clip.nodes} - left_out, report)
    return fitting.back_from_places(clip, own, rig) if fitting.leaves_a_rest(own) else clip


def _models_again(job: _Job, found: provenance.Provenance, report: Report) -> Steps[Exported]:
    data = found.data()
    if data is None:
        raise EmptyError(messages.NOTHING_MOVES, names=listed(job.part.owners))
    file = job.file(report)
    document = yield from portion(job.format.read(data, limit=len(data)), _OPENED, _CAPTURED)
    facts = yield from portion(_written_again(file, document, data, found.file), _CAPTURED)
    return Exported(file.path, job.format, report, counted_facts(facts, []), exact=True)


def _written_again(file: NewFile[object], document: object, data: bytes, name: str) -> Steps[Facts]:
    """Write the bytes of a document that was read from a file of that name; return what is to tell of them."""
    file.format.tell_new_name(document, Path(name).stem, file.path.stem, file.report)
    yield from file.save(data)
    return file.format.describe(document)


def exactness(action: Action) -> tuple[int, list[str]]:
    """Return how many F-Curves of an imported Action are as they were last written over its file, else as imported, and
    the names of the others.

    Rest keys of the import are neither.
    """
    known, untouched, changed = provenance.find(action).as_saved, 0, []
    for handle, curve, path in provenance.file_curves(action, known):
        if known.is_written(handle, path, curve.array_index, fcurves.read(curve)):
            untouched += 1
        else:
            changed.append(data_paths.curve_label(curve.data_path, curve.array_index))
    return untouched, changed
