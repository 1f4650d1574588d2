"""Kept files whose Actions are gone go too: when a .blend is saved, and when one is opened that still has some."""

from __future__ import annotations

import bpy
from bpy.app.handlers import persistent

from ..scene import provenance
from ..scene.undo import remove_all


@persistent  # type: ignore[untyped-decorator]
def _remove(*_arguments: object) -> None:
    """Look at all Texts; only those of ours to which no Action points are removed."""
    remove_all(provenance.left_over())


def register() -> None:
    """Be called before saving and after loading. An Action without users only goes when the file is opened again."""
    for handlers in (bpy.app.handlers.save_pre, bpy.app.handlers.load_post):
        handlers.append(_remove)


def unregister() -> None:
    """Be called no more."""
    for handlers in (bpy.app.handlers.save_pre, bpy.app.handlers.load_post):
        if _remove in handlers:
            handlers.remove(_remove)
