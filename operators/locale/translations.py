"""Our labels, descriptions and sentences in other languages, through Blender's own mechanism.

A table is loaded when Blender speaks its language, at its start or later: it is the largest module, and few need it.
"""

from __future__ import annotations

import bpy
from bpy.app.handlers import load_post, persistent

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
        bpy.app.translations.unregister(ROOT_PACKAGE)
        bpy.app.translations.register(ROOT_PACKAGE, translation_table())  # type: ignore[arg-type]  # keys are pairs


@persistent  # type: ignore[untyped-decorator]
def _listen(*_file: object) -> None:
    """Follow the language from now on. A file that is loaded ends that; Blender still holds whom it is just telling."""
    _follow_language()
    bpy.msgbus.clear_by_owner(_LISTENER)
    language = bpy.context.preferences.view.path_resolve("language", False)
    bpy.msgbus.subscribe_rna(key=language, owner=_LISTENER, args=(), notify=_follow_language)


def register() -> None:
    """Make the translations known, now or when a person sets Blender to their language."""
    _listen()
    load_post.append(_listen)


def unregister() -> None:
    """Take the translations back, and listen no more."""
    if _listen in load_post:
        load_post.remove(_listen)
    bpy.msgbus.clear_by_owner(_LISTENER)
    bpy.app.translations.unregister(ROOT_PACKAGE)
