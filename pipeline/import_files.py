"""Files into Blender: the one way that the menu, a drop, a batch, the command line and scripts share."""

from __future__ import annotations

import zlib
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from pathlib import Path
from typing import NamedTuple

import bpy
from bpy.types import Action, Context, Object

from ..io_formats import FORMATS, format_in
from ..io_formats import messages as common_messages
from ..io_formats.clip import Clip
from ..io_formats.errors import FormatError, Report, about_file
from ..io_formats.files import batch_files, catalogues, memory
from ..io_formats.files.steps import Steps, finished, portion, running
from ..io_formats.files.whole_file import cost_of, read_file, unread
from ..io_formats.format import A_NEW_FILE, AnyFile, AnyFormat, Companions, Facts
from ..io_formats.options import check_options
from ..io_formats.scene_options import REST_CURVES, ExportOptions, ImportOptions
from ..scene import actions, armatures, merging, names, provenance, rates, targets, undo
from ..scene import messages as scene_messages
from ..scene.apply import apply_clips, apply_models
from ..scene.capture import nodes as capture_nodes
from ..scene.capture import players
from ..scene.types import Rig
from ..scene.write import Batch
from . import messages
from .language import report_lines
from .results import Outcome, counted_facts
from .source_file import PROPORTIONS, SKELETON, kept_documents

_MIB = 1 << 20
_LOOK = 1 << 16
"""Bytes of a file of no known format that its reader is given, to say what is wrong."""
_LOADED, _READ, _COMPUTED = 0.05, 0.2, 0.4
"""Shares of an import that are done when the bytes are there, when they are understood, when the curves are known."""


class Step(NamedTuple):
    """How far an import has come: the share of all files, 0 to 1; and what became of the file when it is finished."""

    path: Path
    share: float
    outcome: Outcome | None = None


class Load(NamedTuple):
    """Files of one format that are imported alike; `again` are objects by node that an import had taken."""

    format: AnyFormat
    paths: Sequence[Path]
    options: ImportOptions
    again: Mapping[str, Object] = {}


def import_files(
    context: Context,
    paths: Sequence[Path],
    file_format: AnyFormat,
    options: ImportOptions,
    folders: Sequence[Path] = (),
) -> Iterator[Outcome]:
    """Import files one after the other; a file that fails leaves nothing behind and costs only itself.

    Animations of one skeleton share the armature that the first of them made. A generator: what is not asked for is
    not imported, so that a batch can be stopped between files.

    Args:
        folders: where skeletons, models and textures are looked for that do not lie beside their file.
    """
    steps = import_loads(context, [Load(file_format, paths, options)], folders)
    yield from (step.outcome for step in steps if step.outcome is not None)


def import_loads(
    context: bpy.types.Context, loads: Sequence[Load], folders: Sequence[Path] = (), library: Path | None = None
) -> Generator[Step, bool | None, None]:
    """Do as `import_files` with files of several formats, telling of each step; to close it takes back the file at
    hand, whole. The list of asset catalogues is that of the folder `library`, else that of the open .blend's.

    Between two steps only the window may be drawn: undo, redo and another .blend need it closed before.
    """
    done = list(accumulate((cost_of(path) for load in loads for path in load.paths), initial=0))
    shares = pairwise(before / max(done[-1], 1) for before in done)
    for file_format, paths, options, again in loads:
        if options.start_at_current:  # the playhead may go on while a batch is at work
            now = float(context.scene.frame_current * rates.stretching(context.scene))
            options = replace(options, start_frame=now, start_at_current=False)
        batch = _Batch(context, options, file_format.companions(options, folders), Batch(again), library)
        for path, (first, last) in zip(paths, shares):
            outcome = Outcome(path, file_format)
            steps = running(portion(batch.import_file(outcome), first, last), undo.limited(options))
            try:
                with about_file(path), closing(steps):
                    for share in steps:
                        yield Step(path, share)
            except FormatError as error:
                outcome.error = error
            yield Step(path, last, outcome)


@dataclass
class _Batch:
    """What the files of one import share: the files beside them that were read, armatures that were made."""

    context: Context
    options: ImportOptions
    companions: Companions[object]
    made: Batch
    library: Path | None
    rigs: dict[str, str] = field(default_factory=dict)
    of_armature: dict[str, object] = field(default_factory=dict)

    def import_file(self, outcome: Outcome) -> Steps[None]:
        """Import one file, all or nothing."""
        check_options(self.options)
        armatures.take_edits(self.context)
        path, file_format, report, limit = outcome.path, outcome.format, outcome.report, self.options.limit_mib * _MIB
        if file_format.is_packed(path):
            data = file_format.read_file(path, limit)
        else:
            with unread(path) as seen:
                found = format_in(seen, file_format)
                if found is None:
                    finished(file_format.read(seen[:_LOOK], limit=limit))  # which says best what is wrong
                    raise FormatError(common_messages.UNKNOWN_FORMAT, offset=0)
            if found is not file_format:
                raise FormatError(messages.OTHER_FORMAT, offset=0, found=found.title, wanted=file_format.title)
            data = yield from portion(read_file.steps(path, limit), last=_LOADED)
        file = yield from portion(file_format.opened(path, data, limit=limit, report=report), _LOADED, _READ)
        file.skeleton = self._skeleton(file, report)
        yield from portion(self._apply(outcome, file), _READ)
        applied, clips = outcome.applied, outcome.clips
        if applied is not None and applied.rig is not None and clips and clips[0].skeleton:
            self.rigs[clips[0].skeleton] = applied.rig.name

    def _apply(self, outcome: Outcome, file: AnyFile) -> Steps[None]:
        options, report, name, facts = self.options, outcome.report, file.path.stem, file.describe()
        models_only = self.companions.shows_models_only(file.document)
        if models_only:
            pose = self.companions.skeleton_pose(file, report)
            clips = [] if pose is None else [pose]
        else:
            if file.format.counts_frames and options.rate == "AUTO" and not rates.is_animated(self.context.scene):
                options = replace(options, rate="FILE")
            clips = yield from portion(file.clips(options, report), last=_COMPUTED)
        nothing_moves = models_only or all(clip.skeleton and not clip.rate and not clip.tracks for clip in clips)
        if not nothing_moves:
            memory.reckon_clips(clips, REST_CURVES * options.rest_keys)
        outcome.clips, outcome.facts = clips, counted_facts(facts, clips)
        source = provenance.SourceFile(file.data, file.format.name, file.path.name)
        shared = self.rigs.get(clips[0].skeleton) if clips and options.target == "AUTO" else None
        rig: Rig | None = None if shared is None else bpy.data.objects.get(shared)
        models = self.companions.models(file, clips, report)
        if nothing_moves:
            clip = clips[0] if clips else None
            with apply_models(
                self.context, clip, self.options, report, self.made, name=name, models=models, source=source, onto=rig
            ) as outcome.applied:
                outcome.facts["meshes"] = sum(thing.type == "MESH" for thing in outcome.applied.objects)
                _set_report(outcome)
            return
        with apply_clips(
            self.context, clips, options, report, name=name, source=source, onto=rig, models=models, batch=self.made
        ) as importing:
            outcome.applied = yield from portion(importing, _COMPUTED)
            if outcome.applied.first_shown is not None:
                outcome.facts["first_shown"] = outcome.applied.first_shown
            if options.mark_assets:
                mark_as_assets(outcome, self.library or actions.folder_of_catalogues())
            _remember(outcome, file)

    def _skeleton(self, file: AnyFile, report: Report) -> object:
        """Return the document with the skeleton of a file that has none: another file's or the selected armature's,
        which is looked at once in a batch for each skeleton that has no file."""
        chosen = bpy.path.abspath(self.options.skeleton)
        found = self.companions.skeleton(file, chosen, report)
        if found is not None:
            return found
        if chosen:  # so it needs none
            report.warn(common_messages.SKELETON_PASSED_OVER, file=chosen)
        for name in file.format.skeleton_names(file.document).wanted:
            key, target = name.upper(), self.options.target
            if key not in self.of_armature:
                self.of_armature[key] = skeleton_of_armature(self.context, file.format, name, target, report)
            if self.of_armature[key] is not None:
                return self.of_armature[key]
        return None


def _remember(outcome: Outcome, file: AnyFile) -> None:
    _set_report(outcome)
    if outcome.applied.text is not None and file.skeleton is not None:
        kept = replace(file, document=file.skeleton).written()
        provenance.keep_beside(outcome.applied.text, kept, outcome.clips[0].skeleton, outcome.applied.undo)
    origin: Facts = {"path": str(outcome.path), "format": file.format.title, "format_name": file.format.name}
    origin |= {SKELETON: outcome.clips[0].skeleton, "crc32": zlib.crc32(file.data)}
    for action in outcome.applied.all_actions:
        if action in outcome.applied.merged:
            continue
        facts = {**outcome.facts, **origin, PROPORTIONS: outcome.proportions, **file.format.noted(outcome.report)}
        provenance.note(action, provenance.FACTS, facts)


def _set_report(outcome: Outcome) -> None:
    if outcome.applied is not None and outcome.applied.text is not None:
        lines = [f"{outcome.path.name}: {outcome.digest}", "", *report_lines(outcome.report), ""]
        provenance.set_report(outcome.applied.text, "\n".join(lines))


# A file that is imported again in the place of an Action that came from it, whatever either is called.


def take_places(action: Action, origin: provenance.Provenance, outcome: Outcome) -> None:
    """Put what was imported into the places of the Actions that came from the same import as `action`, which go.

    Of other animations in the file originals go, no copies. A name that a person gave an Action stays.
    """
    pairs: list[tuple[Action, Action]] = []
    for new in outcome.applied.all_actions if outcome.applied is not None else ():
        found = provenance.find(new)
        if found is None:
            continue
        # several where they were made without slots and the new one has some
        parts = players.versions_by_part(origin).get(found.index, {}).values()
        same = found.index == origin.index
        family = players.siblings(action, origin) if same else [versions[0] for versions in parts]
        owner = provenance.owner_name(new)
        # one of a newer Blender, where slots said whom it was for, names nobody
        fitting = (old for old in family if not owner or provenance.owner_name(old) in ("", owner))
        for old in (old for old in fitting if old.library is None):
            if merging.has_own_slot(old):
                outcome.report.warn(scene_messages.ACTION_NOT_REPLACED, name=old.name, new=new.name)
            else:
                pairs.append((old, new))
    known = {old: provenance.find(old) for old, _ in pairs}
    given = {old: found.placement.given_name if found is not None else old.name for old, found in known.items()}
    called = {new: (str(old.name), given[old] != old.name) for old, new in reversed(pairs)}
    for old, new in pairs:
        merging.replace(old, new, outcome.report)
    going = list(dict.fromkeys(old for old, _ in pairs))
    for old, new in dict(pairs).items():
        merging.warn_of_edits(old, new, str(old.name), outcome.report)
    undo.remove_all([*going, *provenance.left_over(going)])
    for new, (name, renamed) in called.items():
        new.name = name
        if not renamed:  # it counts as the name that the import gave
            new[provenance.KEY]["given_name"] = new.name
        outcome.report.note(scene_messages.ACTION_REPLACED, name=new.name)


# The skeleton of an animation whose skeleton file lies nowhere near: the selected armature's own.


def skeleton_of_armature(context: Context, file_format: AnyFormat, wanted: str, target: str, report: Report) -> object:
    """Return a document with the skeleton that the selected armature came from, or stands for; None if that is another.

    Where nodes have numbers in the file and bones have names, the order of the bones must be the file's. What was
    imported knows it; of other armatures it is the order in which an export numbers them. With the target "SELECTED"
    its name does not count.
    """
    rig = targets.selected_rig(context)
    if rig is None or target not in ("AUTO", "SELECTED"):
        return None
    held = ((document, file_format.skeleton_names(document).held) for document in _kept(rig, file_format))
    found = next((document for document, known in held if wanted.upper() in {name.upper() for name in known}), None)
    stands_for_it = target == "SELECTED" or wanted.upper() in targets.own_names(rig)
    if found is None and rig.data.bones and stands_for_it:
        alone = players.participants_of([rig], ExportOptions(space="LOCAL"))
        naming = capture_nodes.name_nodes(alone, [], capture_nodes.Naming())
        nodes = capture_nodes.bone_nodes(rig, naming.bones[rig.name], None, None)
        clip = Clip(wanted, nodes=nodes, skeleton=wanted, order=rig.data.get(names.ORDER_KEY, ()))
        options = file_format.write_options(include_skeleton="INCLUDE")
        found = finished(file_format.from_clip(clip, options, Report(), A_NEW_FILE))
    if found is not None:
        report.note(common_messages.SKELETON_FOUND, name=wanted, file=rig.name)
    return found


def names_of(rig: Rig) -> set[str]:
    """Return upper-case names of the skeletons that an armature stands for: its own, and those of what it plays."""
    names = [each.skeleton_names(document) for each in FORMATS for document in _kept(rig, each)]
    return targets.own_names(rig) | {name.upper() for known in names for name in (*known.held, *known.wanted)}


def _kept(rig: Rig, file_format: AnyFormat) -> Iterator[object]:
    action, _ = actions.assigned(rig)
    return (document for _, document in kept_documents([] if action is None else [action], file_format))


# Imported Actions as assets, by skeleton, in the catalogues of the library they belong to.


def mark_as_assets(outcome: Outcome, folder: Path | None) -> None:
    """Mark the Actions of a file as assets, and add their catalogues to the list in `folder`, None while none is saved;
    raise FormatError if the list cannot be read or written."""
    made = zip(outcome.applied.actions, outcome.clips, strict=True)
    moving = [(action, clip) for action, clip in made if action.asset_data is None and any(actions.every_curve(action))]
    moving = [(action, clip) for action, clip in moving if action not in outcome.applied.merged]
    ids = catalogues.ids_of(folder, [_catalogue(outcome, clip) for _, clip in moving])
    for action, clip in moving:
        tags = [outcome.format.short, _skeleton(outcome, clip), "loop" if clip.cyclic else ""]
        actions.mark_as_asset(action, ids[_catalogue(outcome, clip)], tags, f"{outcome.path.name}: {outcome.digest}")
    if folder is not None:
        batch_files.make_folder(folder)
        catalogues.add(folder, ids)
    elif ids:
        outcome.report.warn(messages.CATALOGUES_UNSAVED, names=", ".join(ids))


def _catalogue(outcome: Outcome, clip: Clip) -> str:
    return "/".join(catalogues.clean_part(part) for part in (outcome.format.short, _skeleton(outcome, clip)) if part)


def _skeleton(outcome: Outcome, clip: Clip) -> str:
    """Return the skeleton's name; for files that name none, that of the armature, if they animate one."""
    rig = outcome.applied.rig if outcome.applied is not None else None
    return clip.skeleton or (str(rig.name) if rig is not None else "")
