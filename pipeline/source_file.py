"""The file that an Action came from, opened again out of the .blend."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import fields
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import bpy
import numpy as np
from bpy.types import ID, Action

from ..io_formats import FormatError, Report, format_of
from ..io_formats.clip import Array, Clip, Source, edit
from ..io_formats.clip.bone_names import load_table, table_text
from ..io_formats.files.steps import Steps, finished, portion
from ..io_formats.files.whole_file import read_file
from ..io_formats.format import AnyFormat, Opened, facing
from ..io_formats.options import check_options
from ..io_formats.scene_options import ImportOptions
from ..scene import names, provenance, targets
from ..scene.provenance import facts_of as facts_of
from ..scene.types import Rig, has_key
from . import messages

__all__ = ["load_table", "table_text"]

PROPORTIONS, SKELETON = "proportions", "skeleton"
"""Keys within these facts: what was said of a person's own rig, see `Outcome.proportions`; the name of its skeleton."""

_MIB = 1 << 20
_UNDERSTOOD = 0.5
"""Share that is done when the kept bytes are understood."""


class Origin(NamedTuple):
    """An imported file, read again.

    Attributes:
        source: document and clip, as the mappings want them.
        options: those of the import.
        skeleton: the document that held the skeleton, None if the file needed none.
        clips: all animations of the file, which `source` has one of.
    """

    format: AnyFormat
    data: bytes
    source: Source[object, ImportOptions]
    options: ImportOptions
    skeleton: object
    clips: list[Clip]


def open_origin(action: Action | None, report: Report, opened: Origin | None = None) -> Steps[Origin | None]:
    """Return the file of `action`; None, with a warning if one was kept, where it cannot be had any more.

    Of an Action that a newer version of the extension imported a warning says so. What was `opened` for another
    animation of the same import is not read again.
    """
    found = provenance.find(action) if action is not None else None
    if found is None or not found.kept:
        if found is None and action is not None and has_key(action, provenance.KEY):  # which cannot be read
            report.warn(messages.SOURCE_GONE, file=action.name)
        return None
    if found.version > provenance.VERSION:
        report.warn(messages.SOURCE_OF_NEWER, action=found.placement.given_name)
    data = found.data() if opened is None else opened.data
    try:
        origin = None if data is None else (yield from _read(action, found, data, opened))
    except FormatError:
        origin = None
    if origin is None:
        report.warn(messages.SOURCE_GONE, file=found.file)
    return origin


def _read(action: Action, found: provenance.Provenance, data: bytes, opened: Origin | None) -> Steps[Origin | None]:
    file_format = format_of(found.format)
    options = saved_options(found, file_format)
    if opened is None:
        limit = options.limit_mib * _MIB
        document = yield from portion(file_format.read(data, limit=limit), last=_UNDERSTOOD)
        file = Opened(file_format, Path(found.file), data, document)
        beside = provenance.data_beside(found.text)
        file.skeleton = skeleton = finished(file_format.read(beside, limit=limit)) if beside is not None else None
        clips = yield from portion(file.clips(options, Report()), _UNDERSTOOD)
    else:
        document, skeleton, clips = opened.source.document, opened.skeleton, opened.clips
    if not 0 <= found.index < len(clips):
        return None
    own, renamed = clips[found.index], action.name != found.placement.given_name
    if found.placement.scaled and options.scale != 1.0 and not own.parents_known:  # else the roots tell it
        own = edit.in_lengths(own, options.scale)
    source = Source(document, own, found.index, renamed, options, found.file)
    return Origin(file_format, data, source, options, skeleton, clips)


def kept_documents(imported: Iterable[ID], file_format: AnyFormat) -> Iterator[tuple[ImportOptions, object]]:
    """Yield the files of a format that Actions or objects came from, each followed by that of its skeleton."""
    for found in map(provenance.find, imported):
        if found is None or found.format != file_format.name or found.text is None:
            continue
        for data in (found.data(), provenance.data_beside(found.text)):
            with suppress(FormatError):
                options = saved_options(found, file_format)
                yield from [] if data is None else [(options, finished(file_format.read(data)))]


def own_skeleton(rig: Rig | None, name: str, file_format: AnyFormat) -> tuple[object, Array | None]:
    """Return the document whose skeleton an import made an armature of, and in which space (4, 4); else None, twice."""
    if rig is not None and any(map(names.is_made, rig.data.bones)):
        imported = (each for each in bpy.data.actions if str(facts_of(each).get(SKELETON)).upper() == name.upper())
        for options, document in kept_documents(chain([rig], imported), file_format):
            if name.upper() in map(str.upper, file_format.skeleton_names(document).held):
                return document, facing(options) @ np.diag([*[options.scale] * 3, 1.0])
    return None, None


def saved_options(found: provenance.Provenance, file_format: AnyFormat) -> ImportOptions:
    """Return the import's options, those that this version knows; raise FormatError if a value is not allowed."""
    known = {declared.name for declared in fields(file_format.import_options)}
    options = file_format.import_options(**{name: value for name, value in found.options.items() if name in known})
    check_options(options)
    return options


def file_of(action: Action) -> Path | None:
    """Return the path that the Action was imported from, None if it is not known."""
    path = str(facts_of(action).get("path", ""))
    return Path(path) if path else None


def is_other(action: Action, path: Path) -> bool:
    """Return whether the Action came from this file, and others changed it since it was read or written in place."""
    known = facts_of(action).get("crc32")
    with suppress(FormatError):
        return known is not None and path == file_of(action) and zlib.crc32(read_file(path)) != known
    return False


def format_of_action(action: Action) -> AnyFormat:
    """Return the format that the Action was imported from."""
    return format_of(str(facts_of(action).get("format_name", "")))


def names_again(rig: Rig, known: provenance.Provenance, given: str) -> str:
    """Return the Name Table for another import of a file: what is tied, and the `given` one, a path or a text."""
    tied = targets.bones_by_tie(rig, known.ties)
    table = load_table(bpy.path.abspath(given)) if given and tied else {}
    table = {name: bone for name, bone in table.items() if not bone or bone in rig.data.bones}
    return table_text(tied | table) if tied else given


def matches(rig: Rig, origin: Origin, known: provenance.Provenance) -> dict[str, str]:
    """Return which bone of an armature each name of a file means, empty for none."""
    nodes = origin.source.clip.nodes
    table = targets.bones_of_import(rig, nodes, known.ties)
    return {node.name: table.get(node.name, "") for node in nodes}
