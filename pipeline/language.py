"""Sentences in the user's language: templates of `io_formats.messages` through Blender's own translations."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from bpy.app.translations import pgettext_rpt

from ..io_formats.errors import Entry, FormatError, Report, filled

CONTEXT = "anim_curves"
"""Where our words are looked up: Blender's own translations, which come first where no context is named, have many of
them in another sense, such as the manual as a book."""


def say(template: str, **values: object) -> str:
    """Return the template in the user's language, its named fields filled."""
    return filled(translated(template), values)


def translated(template: str) -> str:
    """Return the template in the user's language, its named fields still empty."""
    return str(pgettext_rpt(template, CONTEXT))


def counted(count: int, forms: tuple[str, str]) -> str:
    """Return `1 joint` or `54 joints`; `forms` are the templates for one and for many."""
    return say(forms[0] if count == 1 else forms[1], count=f"{count:,}")


def error_text(error: FormatError) -> str:
    """Return one sentence that says which file, where in it, what is wrong and what to do."""
    place, sentence = error.place(), say(error.template, **error.values)
    return f"{place}: {sentence}" if place else sentence


def cause_text(error: FormatError) -> str:
    """Return what is wrong and what to do, after the bare name of the file; `error.place()` tells the rest."""
    name, sentence = Path(error.file).name, say(error.template, **error.values)
    return f"{name}: {sentence}" if name else sentence


def entry_text(entry: Entry) -> str:
    """Return a warning or note, with how often it occurred."""
    return entry.counted(translated(entry.template))


def report_lines(report: Report) -> list[str]:
    """Return everything that a report holds, warnings first."""
    return [*_lines(report.warnings), *_lines(report.notes)]


def _lines(entries: Iterable[Entry]) -> list[str]:
    return [entry_text(entry) for entry in entries]
