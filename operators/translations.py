"""Our labels, descriptions and sentences in other languages, through Blender's own mechanism.

What is to be translated is collected from where it is declared: options, classes and `io_formats.messages`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import Any

import bpy

from ..io_formats import FORMATS, messages
from .german import GERMAN
from .preferences import ROOT_PACKAGE, ReportOptions

ANY_CONTEXT = "*"
OPERATOR_CONTEXT = "Operator"

_TABLES = {"de_DE": GERMAN, "de": GERMAN}  # the second is its name since Blender 4.2 or so


def messages_of_options() -> Iterator[str]:
    """Labels, descriptions, choices and panel titles of all options."""
    for options_class in (ReportOptions, *(kind for one in FORMATS for kind in (one.ImportOptions, one.ExportOptions))):
        for declared in fields(options_class):
            if declared.metadata:
                yield from _texts_of_option(declared.metadata)


def _texts_of_option(metadata: Any) -> Iterator[str]:
    yield from (metadata["label"], metadata["description"], metadata["panel"])
    for _, label, description in metadata["items"]:
        yield from (label, description)


def sentences() -> Iterator[str]:
    """Every template that a person may read; the command lines speak English only."""
    for name, value in vars(messages).items():
        if name.isupper() and not name.startswith("CLI_"):
            yield from [value] if isinstance(value, str) else value


def labels_of(classes: Iterable[Any]) -> Iterator[str]:
    """Labels and descriptions of operators, panels and their menu lines."""
    for cls in classes:
        for name in ("bl_label", "bl_description", "menu_label", "bl_category"):
            yield from [text] if (text := cls.__dict__.get(name) or getattr(cls, name, "")) else []


def translation_table() -> dict[str, dict[tuple[str, str], str]]:
    """Translations as Blender wants them; labels of operators are looked up in a context of their own."""
    return {
        locale: {(context, text): said for text, said in table.items() for context in (ANY_CONTEXT, OPERATOR_CONTEXT)}
        for locale, table in _TABLES.items()
    }


def register() -> None:
    """Make the translations known; Blender uses them where its language is set to one of them."""
    table: Any = translation_table()  # Blender's stubs do not know that its keys are pairs
    bpy.app.translations.register(ROOT_PACKAGE, table)


def unregister() -> None:
    """Take the translations back."""
    bpy.app.translations.unregister(ROOT_PACKAGE)
