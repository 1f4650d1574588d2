"""Document to Clip and back; see to_clips and to_document."""

from __future__ import annotations

from .. import messages
from ..clip import Clip, Source
from ..errors import FormatError, Report
from .document import Document
from .options import ExportOptions, ImportOptions


def to_clips(
    document: Document, options: ImportOptions, report: Report, *, skeleton: Document | None = None
) -> list[Clip]:
    """One clip for each animation of the file."""
    raise FormatError(messages.UNKNOWN_FORMAT)


def to_document(
    clip: Clip,
    options: ExportOptions,
    report: Report,
    *,
    source: Source | None = None,
    base: Document | None = None,
    skeleton: Document | None = None,
) -> Document:
    """A file for a clip."""
    raise FormatError(messages.UNKNOWN_FORMAT)
