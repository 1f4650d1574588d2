"""Actions as assets: marked, in a catalogue, with tags."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import bpy
from bpy.types import Action

from . import actions, names


def is_new(action: Action) -> bool:
    """Return whether an Action moves something, and is no asset yet, to which a person may have given something."""
    return action.asset_data is None and any(True for _ in actions.every_curve(action))


def mark(action: Action, catalogue: str, tags: Sequence[str], description: str) -> None:
    """Make an Action an asset.

    Args:
        catalogue: its id.
    """
    action.asset_mark()
    if action.asset_data is None:
        return
    action.asset_data.catalog_id = catalogue
    action.asset_data.description = names.printable(description)
    for tag in dict.fromkeys(names.cut(tag) for tag in tags if tag):
        action.asset_data.tags.new(tag, skip_if_exists=True)


def copy_mark(old: Action, new: Action) -> None:
    """Make `new` the same asset as `old`, if that is one, unless it is one already; a copy of an asset is none."""
    if old.asset_data is None or new.asset_data is not None:
        return
    new.asset_mark()
    if new.asset_data is None:
        return
    for name in ("catalog_id", "description", "author", "copyright", "license"):
        setattr(new.asset_data, name, getattr(old.asset_data, name))
    for tag in old.asset_data.tags:
        new.asset_data.tags.new(tag.name, skip_if_exists=True)


def folder_of_catalogues() -> Path | None:
    """Return where Blender looks for the catalogues of the open .blend, None while it is not saved.

    That is the asset library that it lies in, as the preferences say, else its own folder.
    """
    if not bpy.data.filepath:
        return None
    blend = Path(bpy.data.filepath)
    preferences = bpy.context.preferences
    libraries = preferences.filepaths.asset_libraries if preferences is not None else ()
    roots = [Path(bpy.path.abspath(library.path)) for library in libraries if library.path]
    return next((root for root in roots if blend.is_relative_to(root)), blend.parent)
