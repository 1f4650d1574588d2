"""Blender into files: the one way that the menu, the panel's button, the command line and scripts share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy

from ..io_formats import messages, w3d
from ..io_formats.binary import UNLIMITED
from ..io_formats.clip import Clip
from ..io_formats.clip.facing import faced_back
from ..io_formats.errors import FormatError, Report
from ..io_formats.files.atomic_write import write_atomically
from ..io_formats.files.batch_files import Outputs
from ..io_formats.files.saving import NewFile
from ..io_formats.files.whole_file import read_file
from ..io_formats.options import ExportOptions, check_options
from ..io_formats.w3d.from_clip import tell_if_lost
from ..operators import reporting
from ..scene import actions, fcurves, fitting, provenance
from ..scene.capture import Captured, capture, casting, left_out, moving
from ..scene.carriers import playing_action, siblings
from . import export_objects
from .export_objects import Part
from .source_file import Origin, open_origin

_HARMLESS = ("actions", "several", "use_source")
"""Options that do not change what is written of one untouched Action."""


class StillError(FormatError):
    """Nothing moves of what is to be written."""

    def __init__(self, names: str) -> None:
        super().__init__(messages.NOTHING_MOVES, names=names)


@dataclass
class Exported:
    """One file that was written.

    Attributes:
        path: the file.
        report: warnings and notes on the way.
        facts: what the format's `describe` tells of it, counted.
        exact: the imported file's own bytes were written.
    """

    path: Path
    package: ModuleType
    report: Report = field(default_factory=Report)
    facts: dict[str, Any] = field(default_factory=dict)
    exact: bool = False

    @property
    def digest(self) -> str:
        """What was written, in one line."""
        line = reporting.digest(self.package.NAME, self.facts, self.report)
        return f"{line}, {reporting.exact_words()}" if self.exact else line


def export_files(
    context: bpy.types.Context,
    path: Path,
    package: ModuleType,
    options: ExportOptions,
    owners: Sequence[Any],
    outputs: Outputs | None = None,
    source: Path | str = "",
) -> Iterator[Exported]:
    """Write what `owners` play to `path`, or each of them or of their Actions to a file of its own beside it.

    For a format that needs an armature, a mesh stands for the armature that deforms it. Each file is complete and has
    been read again before it takes its name.

    Args:
        outputs: what may be written; without it, no file that is there already, except the one that `path` names.
        source: the file that is open, where it is one of a batch.

    Raises:
        FormatError: why a file cannot be written; it is as it was. If one of several is there already, none is written.
    """
    check_options(options)
    wanted = targets(context, path, package, options, owners)
    outputs = outputs or Outputs(overwrite=not strangers(path, wanted))
    outputs = outputs.with_leave(given=options.saves_into)
    for _, part in wanted:
        outputs.take(part.path, source)
    last, still = None, []
    for action, part in wanted:
        exported = Exported(part.path, package)
        try:
            _export(context, exported, options, part, action, overwrite=outputs.overwrite)
        except StillError:
            if len(wanted) == 1:
                raise
            still.append(str(action.name))
            continue
        last = exported
        yield exported
    if still and last is None:
        raise StillError(", ".join(still))
    if still and last is not None:
        last.report.warn(messages.ACTIONS_STILL, names=", ".join(still))


def targets(
    context: bpy.types.Context, path: Path, package: ModuleType, options: ExportOptions, owners: Sequence[Any]
) -> list[tuple[Any, Part]]:
    """Return each Action that an export of `owners` to `path` would write, with its file and objects.

    Raises:
        FormatError: why there is none.
    """
    parts = export_objects.parts(context, path, package, options, owners)
    _refuse_still(parts, options)
    taken: set[str] = set()
    found: list[tuple[Any, Part]] = []
    for part in parts:
        prefix = f"{part.path.stem}-" if len(parts) > 1 else ""
        found += _targets(part, options, prefix, taken)
    return found


def strangers(path: Path, wanted: Sequence[tuple[Any, Part]]) -> list[Path]:
    """Return the files that exist already and that nobody has named: of those `wanted`, all but `path`."""
    return [part.path for _, part in wanted if part.path != path and Outputs.is_there(part.path)]


def _refuse_still(parts: Sequence[Part], options: ExportOptions) -> None:
    """FormatError, before anything is written, if nothing moves of what goes into one of the files."""
    if options.actions == "ALL":
        return  # only Actions of the objects are written then
    for part in parts:
        if options.sampling != "BAKE" and not moving.anything_moves(part.owners):
            raise StillError(export_objects.listed(part.owners))


def _targets(part: Part, options: ExportOptions, prefix: str, taken: set[str]) -> Iterator[tuple[Any, Part]]:
    """Yield each Action to write with its file and objects; `prefix` keeps those of several armatures apart."""
    if options.actions != "ALL":
        yield playing_action(part.owners), part
        return
    told: set[str] = set()
    for action in bpy.data.actions:
        members = _made_for(action, part.owners) if action.name not in told else []
        if members:
            found = provenance.find(action)
            told |= {other.name for other in siblings(action, found)} if found is not None else set()
            names = (prefix + _clip_name(action), prefix + action.name)
            yield action, replace(part, path=export_objects.free_path(part.path, names, taken), owners=members)


def _made_for(action: Any, owners: Sequence[Any]) -> list[Any]:
    """Return the objects that an Action is made for, itself, by its data or shape keys; none for one without curves.

    An imported animation may have no curves.
    """
    if not any(actions.every_curve(action)) and provenance.find(action) is None:
        return []
    parts = [owner for owner, _, _ in casting.parts(action, owners) if owner.id_type != "ARMATURE"]
    return [thing for thing in owners if any(owner in parts for owner in casting.datablocks_of(thing))]


def _clip_name(action: Any) -> str:
    """The Action's name without the suffix that only keeps names apart in Blender."""
    origin = provenance.find(action)
    if origin is not None and action.name == origin.placement.given_name and origin.placement.clip_name:
        return origin.placement.clip_name
    return str(action.name)


def _export(
    context: bpy.types.Context,
    exported: Exported,
    options: ExportOptions,
    part: Part,
    action: Any,
    *,
    overwrite: bool,
) -> None:
    package, report, owners = exported.package, exported.report, part.owners
    origin = open_origin(action, report) if options.use_source else None
    captured = capture(
        context,
        owners,
        action,
        options,
        report,
        written=origin.source.clip if origin is not None else None,
        provenance=provenance.find(action) if action is not None else None,
    )
    if origin is None and not _shows_motion(captured.clip, options):
        raise StillError(export_objects.listed(owners))
    left_out.warn(context, owners, part.beside, captured.left_out, report)
    unending = captured.unending | (set() if package.REPEATS else captured.repeating)
    if unending:
        report.warn(messages.CAPTURE_UNENDING, count=len(unending))
    same_format = origin is not None and origin.package is package
    if origin is not None and same_format:
        captured.clip = _on_own_rests(captured.clip, action, origin, owners, report)
    edited = _edited_siblings(action) if same_format and options.actions != "ALL" else []
    untouched = captured.exact and not captured.renamed and not edited
    if origin is not None and same_format and untouched and _as_it_was(package, options, exported.path, action):
        document, exported.exact = origin.source.document, True
        if package is w3d:
            tell_if_lost(document, Path(origin.source.file).stem, exported.path.stem, report)
        write_atomically(exported.path, origin.data, overwrite=overwrite)
    else:
        file = NewFile(exported.path, package, options, report, overwrite=overwrite)
        _add(file, captured, origin if same_format else None)
        for sibling in edited:
            _add_sibling(context, file, owners, sibling)
        document = file.write()
    exported.facts = reporting.counted_facts(package.describe(document), [captured.clip])


def _shows_motion(clip: Clip, options: ExportOptions) -> bool:
    """Whether a clip has keys; samples that were asked for count only where they differ."""
    if options.sampling != "BAKE":
        return any(len(track.times) for track in clip.tracks)
    return any((track.values != track.values[:, :1]).any() for track in clip.tracks)


def _on_own_rests(clip: Clip, action: Any, origin: Origin, owners: Sequence[Any], report: Report) -> Clip:
    """The clip on its file's rest pose, where the import put it onto another as the option Other Rigs says."""
    found = provenance.find(action)
    rig = next((owner for owner in owners if owner.type == "ARMATURE"), None)
    if found is None or rig is None or not found.placement.rebased or origin.source.options.fit != "FOLLOW":
        return clip
    own = origin.source.clip
    return fitting.back_from_rests(clip, own, rig, report) if fitting.leaves_a_rest(own) else clip


def _as_it_was(package: ModuleType, options: ExportOptions, path: Path, action: Any) -> bool:
    """Whether the options ask for nothing else than the imported file."""
    found = provenance.find(action)
    changed = [
        declared.name
        for declared in fields(package.ExportOptions)
        if getattr(options, declared.name) != declared.default and declared.name not in _HARMLESS
    ]
    return found is not None and not changed and Path(found.file).suffix.lower() == path.suffix.lower()


def _edited_siblings(action: Any) -> list[Any]:
    """Other Actions that came from the same file, and are to be written with it because they were changed.

    Only W3D holds several animations.
    """
    own = provenance.find(action)
    if own is None or own.format != w3d.NAME or own.text is None:
        return []
    siblings = []
    for other in bpy.data.actions:
        found = provenance.find(other) if other != action else None
        if found is not None and found.text == own.text and found.index != own.index and exactness(other)[1]:
            siblings.append(other)
    return siblings


def _add(file: NewFile, captured: Captured, origin: Origin | None) -> None:
    """Put what was captured into the file."""
    skeleton = _skeleton(file.package, file.options) or (origin.skeleton if origin is not None else None)
    source = origin.source if origin is not None else None
    file.add(faced_back(captured.clip, file.options), source=source, skeleton=skeleton)


def _add_sibling(context: bpy.types.Context, file: NewFile, owners: Sequence[Any], action: Any) -> None:
    """Put another animation of the imported file into the new one, as Blender has it now."""
    origin = open_origin(action, file.report)
    if origin is not None:
        found, written = provenance.find(action), origin.source.clip
        captured = capture(context, owners, action, file.options, file.report, written=written, provenance=found)
        _add(file, captured, origin)


def _skeleton(package: ModuleType, options: ExportOptions) -> Any:
    """The document of a skeleton file that was chosen for this export."""
    chosen = options.skeleton_file
    return package.read(read_file(Path(bpy.path.abspath(chosen))), limit=UNLIMITED) if chosen else None


def exactness(action: Any) -> tuple[int, list[str]]:
    """How many F-Curves of an imported Action are as they were written, and the names of the others."""
    found = provenance.find(action)
    untouched, changed = 0, []
    for handle, curve in actions.every_curve(action):
        if found is not None and found.is_written(handle, curve.data_path, curve.array_index, fcurves.read(curve)):
            untouched += 1
        else:
            changed.append(f"{curve.data_path}[{curve.array_index}]")
    return untouched, changed
