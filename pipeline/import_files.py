"""Files into Blender: the one way that the menu, a drop, a batch, the command line and scripts share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy

from ..io_formats import FORMATS, w3d
from ..io_formats.clip import Clip
from ..io_formats.clip.edit import faced
from ..io_formats.errors import FormatError, Report, about_file
from ..io_formats.files import memory
from ..io_formats.files.whole_file import read_file, unread
from ..io_formats.mrtk import messages as mrtk_messages
from ..io_formats.options import check_options
from ..io_formats.scene_options import ImportOptions
from ..io_formats.w3d import big_archive
from ..io_formats.w3d.library import Library
from ..io_formats.w3d.models import wanted_by_models
from ..io_formats.w3d.skeleton import SkeletonFinder, wanted_names
from ..scene import provenance
from ..scene.apply import Applied, SourceFile, apply_clips, show_models
from ..scene.models import ModelFile
from . import messages
from .armature_skeletons import skeleton_of_armature
from .model_files import ModelFiles
from .results import Outcome, counted_facts, full_text
from .source_file import note_facts

_MIB = 1 << 20
_LOOK = 1 << 16
"""Bytes of a file of no known format that its reader is given, to say what is wrong."""


def import_files(
    context: bpy.types.Context,
    paths: Sequence[Path],
    package: ModuleType,
    options: ImportOptions,
    folders: Sequence[Path] = (),
) -> Iterator[Outcome]:
    """Import files one after the other; a file that fails leaves nothing behind and costs only itself.

    Animations of one skeleton share the armature that the first of them made. A generator: what is not asked for is
    not imported, so that a batch can be stopped between files.

    Args:
        folders: where skeletons, models and textures are looked for that do not lie beside their file.
    """
    batch = _Batch(context, options, folders)
    for path in paths:
        outcome = Outcome(path, package)
        try:
            with about_file(path), memory.limited(options.memory_mib):
                batch.import_file(outcome)
        except FormatError as error:
            outcome.error = error
        yield outcome


class _Batch:
    """What the files of one import share: skeleton files that were read, armatures that were made."""

    def __init__(self, context: bpy.types.Context, options: ImportOptions, folders: Sequence[Path]) -> None:
        self._context = context
        self._options = options
        self._library = Library(folders)
        self._finder = SkeletonFinder(options.limit_mib * _MIB, self._library)
        self._models = ModelFiles(options, self._finder)
        self._rigs: dict[str, str] = {}
        self._of_armature: dict[str, Any] = {}

    def import_file(self, outcome: Outcome) -> None:
        """Import one file, all or nothing."""
        package, report = outcome.package, outcome.report
        check_options(self._options)
        data = read_bytes(outcome.path, package, self._options)
        checksum = provenance.Checksum(data) if self._options.keep_source else None
        document = read_document(data, package, self._options, report)
        skeleton = self._skeleton(outcome, document)
        options = _with_own_rate(package, self._options)
        if package is w3d and self._models.are_all(document):
            self._import_models(outcome, document, skeleton)
            return
        facts = package.describe(document)
        memory.reckon(keys=facts.get("keys", 0))
        clips = package.to_clips(document, options, report, skeleton=skeleton)
        memory.reckon_clips(clips)
        outcome.clips = [faced(clip, options) for clip in clips]
        outcome.facts = counted_facts(facts, clips)
        source = SourceFile(data, package.NAME, outcome.path.name, checksum=checksum)
        with apply_clips(
            self._context,
            outcome.clips,
            options,
            report,
            name=outcome.path.stem,
            source=source,
            onto=self._shared_rig(outcome.clips),
            models=self._found_models(outcome, document, skeleton),
        ) as applied:
            outcome.applied = applied
            if applied.first_shown is not None:
                outcome.facts["first_shown"] = applied.first_shown
            _remember(outcome, skeleton)
        self._share_rig(outcome.clips, applied)

    def _skeleton(self, outcome: Outcome, document: Any) -> Any:
        """The document that holds the skeleton of a W3D file that has none itself."""
        if outcome.package is not w3d:
            return None
        chosen = bpy.path.abspath(self._options.skeleton_file)
        wanted = wanted_by_models(document) if self._models.are_all(document) else wanted_names(document)
        found = self._finder.skeleton_of(wanted, outcome.path, outcome.report, chosen)
        return found if found is not None else self._skeleton_of_armature(outcome, document)

    def _import_models(self, outcome: Outcome, document: Any, skeleton: Any) -> None:
        """Show a file of meshes only: on the armature of its hierarchy, on one that is made for them, or alone."""
        report = outcome.report
        outcome.facts = counted_facts(outcome.package.describe(document), [])
        clip = self._models.skeleton_pose(document, skeleton, report)
        outcome.clips = [] if clip is None else [clip]
        models = self._found_models(outcome, document, skeleton)
        with show_models(self._context, clip, self._options, report, name=outcome.path.stem, models=models) as applied:
            outcome.applied = applied

    def _found_models(self, outcome: Outcome, document: Any, skeleton: Any) -> list[ModelFile]:
        """The models to show, after which all is known that is wrong with the archives that were looked into."""
        found = self._models.found(document, outcome.path, skeleton, outcome.clips, outcome.report)
        self._library.tell(outcome.report)
        return found

    def _skeleton_of_armature(self, outcome: Outcome, document: Any) -> Any:
        """The selected armature's, looked at once in a batch for each skeleton that has no file."""
        for name in wanted_names(document):
            if name.upper() not in self._of_armature:
                self._of_armature[name.upper()] = skeleton_of_armature(
                    self._context, name, self._options.target, outcome.report
                )
            if self._of_armature[name.upper()] is not None:
                return self._of_armature[name.upper()]
        return None

    def _shared_rig(self, clips: Sequence[Clip]) -> Any:
        """The armature that an earlier file of this batch made for the same skeleton."""
        name = self._rigs.get(clips[0].skeleton) if clips and self._options.target == "AUTO" else None
        return bpy.data.objects.get(name) if name is not None else None

    def _share_rig(self, clips: Sequence[Clip], applied: Applied) -> None:
        if applied.rig is not None and clips[0].skeleton:
            self._rigs.setdefault(clips[0].skeleton, applied.rig.name)


def _with_own_rate(package: ModuleType, options: ImportOptions) -> ImportOptions:
    """W3D knows whole frames: in a .blend without any animation the scene takes the file's rate."""
    if package is w3d and options.rate == "AUTO" and not len(bpy.data.actions):
        return replace(options, rate="FILE")
    return options


def read_bytes(path: Path, package: ModuleType, options: ImportOptions) -> bytes:
    """The bytes of a file that looks like one of the format, of any other only the first, for the reader to refuse.

    Raises:
        FormatError: it cannot be read, is too large, or of another format of ours, which is named.
    """
    limit = options.limit_mib * _MIB
    if package is w3d and big_archive.is_entry(path):
        return big_archive.read_file(path, limit)
    with unread(path) as data:
        if not package.matches(data):
            other = next((known for known in FORMATS if len(data) and known.matches(data)), None)
            if other is not None:
                raise FormatError(messages.OTHER_FORMAT, offset=0, found=other.TITLE, wanted=package.TITLE)
            return data[:_LOOK]
    return read_file(path, limit)


def read_document(data: bytes, package: ModuleType, options: ImportOptions, report: Report) -> Any:
    """The document in these bytes."""
    return package.read(data, limit=options.limit_mib * _MIB, report=report)


def _remember(outcome: Outcome, skeleton: Any) -> None:
    """Keep with the Actions what is known of their file: its facts, the report, the skeleton it needed."""
    assert outcome.applied is not None
    if outcome.applied.text is not None:
        report = full_text(f"{outcome.path.name}: {outcome.digest}", outcome.report)
        provenance.set_report(outcome.applied.text, report)
        if skeleton is not None:
            kept = outcome.package.write(skeleton)
            provenance.keep_beside(outcome.applied.text, kept, outcome.clips[0].skeleton, outcome.applied.undo)
    origin = {"path": str(outcome.path), "format": outcome.package.TITLE, "format_name": outcome.package.NAME}
    repaired = any(entry.template == mrtk_messages.REPAIRED_W for entry in outcome.report.warnings)
    for action in outcome.applied.all_actions:
        note_facts(action, {**outcome.facts, **origin, "repaired": repaired})
