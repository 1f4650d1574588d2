"""Our labels, descriptions and sentences in other languages, through Blender's own mechanism."""

from __future__ import annotations

import bpy

from ...pipeline.language import CONTEXT
from ..preferences import ROOT_PACKAGE
from .de import GERMAN

ANY_CONTEXT = "*"
OPERATOR_CONTEXT = "Operator"
CONTEXTS = (ANY_CONTEXT, OPERATOR_CONTEXT, CONTEXT)

_TABLES = {"de_DE": GERMAN, "de": GERMAN}  # the second is its name since Blender 4.2 or so


def translation_table() -> dict[str, dict[tuple[str, str], str]]:
    """Return translations as Blender wants them; it looks up labels of operators, descriptions and the rest in three
    contexts."""
    return {
        locale: {(context, text): said for text, said in table.items() for context in CONTEXTS}
        for locale, table in _TABLES.items()
    }


def register() -> None:
    """Make the translations known; Blender uses them where its language is set to one of them."""
    # Blender's stubs do not know that its keys are pairs
    bpy.app.translations.register(ROOT_PACKAGE, translation_table())  # type: ignore[arg-type]


def unregister() -> None:
    """Take the translations back."""
    bpy.app.translations.unregister(ROOT_PACKAGE)
