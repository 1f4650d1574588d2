"""Our labels, descriptions and sentences in other languages, through Blender's own mechanism.

A table is loaded when Blender speaks its language, at its start or later: it is the largest module, and few need it.
"""

from __future__ import annotations

import bpy

from ...pipeline.language import CONTEXT
from ..preferences import ROOT_PACKAGE
from . import de

_NAMES = ("de_DE", "de")  # the second since Blender 4.2 or so
_LISTENER = object()


def translation_table() -> dict[str, dict[tuple[str, str], str]]:
    """Return translations as Blender wants them: it looks up operators' labels, descriptions and the rest apart."""
    said = {(context, text): german for text, german in de.GERMAN.items() for context in ("*", "Operator", CONTEXT)}
    return dict.fromkeys(_NAMES, said)


def _follow_language() -> None:
    """Make the translations known where Blender speaks their language; once known, they stay."""
    if bpy.app.translations.locale in _NAMES:
        unregister()
        register()


def register() -> None:
    """Make the translations known, now or when a person sets Blender to their language."""
    if bpy.app.translations.locale in _NAMES:
        bpy.app.translations.register(ROOT_PACKAGE, translation_table())  # type: ignore[arg-type]  # keys are pairs
        return
    bpy.msgbus.subscribe_rna(
        key=(bpy.types.PreferencesView, "language"),  # type: ignore[arg-type]  # a type is right, too
        owner=_LISTENER,
        args=(),
        notify=_follow_language,
        options={"PERSISTENT"},
    )


def unregister() -> None:
    """Take the translations back, and listen no more."""
    bpy.msgbus.clear_by_owner(_LISTENER)
    bpy.app.translations.unregister(ROOT_PACKAGE)
