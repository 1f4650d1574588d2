"""Sentences in the user's language: templates of `io_formats.messages` through Blender's own translations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from bpy.app.translations import pgettext_rpt

from ..io_formats import messages as common_messages
from ..io_formats.errors import Entry, FormatError, Report, filled, first_names
from . import messages

CONTEXT = "anim_curves"
"""Where our words are looked up: Blender's own translations, which come first where no context is named, have many of
them in another sense, such as the manual as a book."""

PLAYED_BACK = (messages.PLAYED_BACK, messages.PLAYED_BACK_UNITS)
"""How near a file plays to the scene."""

PLAYED_OFF = (
    messages.PLAYED_OFF,
    messages.PLAYED_OFF_SIZE,
    messages.PLAYED_OFF_UNITS,
    messages.PLAYED_OFF_BETWEEN,
    messages.VALUE_OFF,
    messages.LENGTH_OFF,
)
"""What was measured to be off further than promised."""

_COUNTED = ("nodes", "values", "number", "channels", "curves")
"""Fields of a warning that say of how many things it tells."""


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
    place, sentence = place_text(error), say(error.template, **error.values)
    return f"{place}: {sentence}" if place else sentence


def place_text(error: FormatError) -> str:
    """Return which file, and where in it."""
    return error.place(translated(common_messages.AT_BYTE))


def cause_text(error: FormatError) -> str:
    """Return what is wrong and what to do, after the bare name of the file; `place_text` tells the rest."""
    name = Path(error.file).name
    if name:
        return f"{name}: {say(error.template, **error.values)}"
    return filled(_beginning(error.template), error.values)


def _beginning(template: str) -> str:
    """Return the template in the user's language as a sentence begins; a name that is filled in keeps its letter."""
    sentence = translated(template)
    return sentence[:1].upper() + sentence[1:]


def entry_text(entry: Entry) -> str:
    """Return a warning or note, with how often it occurred; it begins as a sentence does."""
    return entry.counted(_beginning(entry.template))


def line_of(entry: Entry) -> str:
    """Return a warning or note for a line that is cut: five names stand for many."""
    names = {"names": first_names(str(entry.values["names"]).split(", "))} if "names" in entry.values else {}
    return entry_text(replace(entry, values={**entry.values, **names}))


def report_lines(report: Report, text_of: Callable[[Entry], str] = entry_text) -> list[str]:
    """Return everything that a report holds, warnings first, of these the heaviest."""
    return [text_of(entry) for entry in (*heaviest_first(report.warnings), *report.notes)]


def heaviest_first(warnings: Sequence[Entry]) -> list[Entry]:
    """Return warnings in another order: what was measured to be off, then what is about the most things."""
    kinds = Counter(entry.template for entry in warnings)

    def weight(entry: Entry) -> tuple[bool, int]:
        named = (int(entry.values.get(name, 0)) for name in _COUNTED)
        return entry.template not in PLAYED_OFF, -max(kinds[entry.template], entry.count, *named)

    return sorted(warnings, key=weight)


def heaviest(reports: Sequence[Report], files: Sequence[str] = ()) -> str:
    """Return the line of the heaviest warning, with the number of those of its kind and its file, where these are many.

    Empty if there is none.
    """
    first, *others = heaviest_first([entry for report in reports for entry in report.warnings]) or [None]
    if first is None:
        return ""
    count = 1 + sum(entry.template == first.template for entry in others)
    file = next((f"{name}: " for name, report in zip(files[1:] and files, reports) if first in report.warnings), "")
    return file + line_of(first) if count == 1 else say(messages.OF_MANY, count=count, text=file + line_of(first))
