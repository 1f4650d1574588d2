"""Files into Blender: the one way that the menu, a drop, a batch, the command line and scripts share."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy

from ..io_formats import FORMATS, messages
from ..io_formats.clip import Clip
from ..io_formats.errors import FormatError, Report
from ..io_formats.options import ImportOptions
from ..scene import provenance
from ..scene.apply import Applied, apply_clips
from .reporting import digest, full_text

FACTS = "facts"
"""Key within an Action's provenance: what `describe` told of its file, as JSON, and the file's path."""

_MIB = 1 << 20


@dataclass
class Outcome:
    """What became of one file.

    Attributes:
        path: the file.
        package: its format.
        report: warnings and notes on the way.
        facts: what the format's `describe` tells.
        clips: what the file held.
        applied: what was made in Blender, None when it failed.
        error: why it failed.
    """

    path: Path
    package: ModuleType
    report: Report = field(default_factory=Report)
    facts: dict[str, Any] = field(default_factory=dict)
    clips: list[Clip] = field(default_factory=list)
    applied: Applied | None = None
    error: FormatError | None = None

    @property
    def digest(self) -> str:
        """What came in, in one line."""
        return digest(self.package.NAME, self.facts, self.report)


def import_files(
    context: bpy.types.Context, paths: Sequence[Path], package: ModuleType, options: ImportOptions
) -> Iterator[Outcome]:
    """Import files one after the other; a file that fails leaves nothing behind and costs only itself.

    Animations of one skeleton share the armature that the first of them made. A generator: what is not asked for is
    not imported, so that a batch can be stopped between files.
    """
    rigs: dict[str, Any] = {}
    for path in paths:
        outcome = Outcome(path, package)
        try:
            _import_file(context, outcome, options, rigs)
        except FormatError as error:
            error.file = error.file or path.name
            outcome.error = error
        yield outcome


def _import_file(
    context: bpy.types.Context, outcome: Outcome, options: ImportOptions, rigs: dict[str, Any]
) -> None:
    data = read_bytes(outcome.path)
    document = read_document(data, outcome.package, options, outcome.report)
    outcome.facts = outcome.package.describe(document)
    outcome.clips = outcome.package.to_clips(document, options, outcome.report)
    outcome.applied = apply_clips(context, outcome.clips, options, outcome.report, name=outcome.path.stem)
    _remember(outcome, data, options)


def read_bytes(path: Path) -> bytes:
    """The bytes of a file; FormatError says why it cannot be opened."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise FormatError(messages.CANNOT_OPEN, file=str(path), reason=error.strerror or error) from error


def read_document(data: bytes, package: ModuleType, options: ImportOptions, report: Report) -> Any:
    """The document in these bytes; a file of another format of ours is named as what it is."""
    if data and not package.matches(data):
        other = next((known for known in FORMATS if known is not package and known.matches(data)), None)
        if other is not None:
            raise FormatError(messages.OTHER_FORMAT, offset=0, found=other.TITLE, wanted=package.TITLE)
    return package.read(data, limit=options.limit_mib * _MIB, report=report)


def _remember(outcome: Outcome, data: bytes, options: ImportOptions) -> None:
    """Keep the file and what is known of it with the Actions that came from it."""
    assert outcome.applied is not None
    report = full_text(f"{outcome.path.name}: {outcome.digest}", outcome.report)
    if options.keep_source:
        provenance.keep(
            outcome.applied.actions,
            data,
            format=outcome.package.NAME,
            file=outcome.path.name,
            options=options,
            report=report,
            name=outcome.path.stem,
        )
    facts = {name: fact for name, fact in outcome.facts.items() if not isinstance(fact, list)}
    text = json.dumps({**facts, "path": str(outcome.path), "format": outcome.package.TITLE})
    for action in outcome.applied.actions:
        action[provenance.KEY][FACTS] = text
