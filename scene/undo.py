"""Taking back: each step of an import says how it is undone, so that a failure at any step leaves nothing behind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from itertools import starmap
from typing import Any

import bpy


class Undo(ExitStack):
    """Steps back, run in reverse order when the block is left by an error; `pop_all` keeps what was made."""

    def new(self, collection: Any, *arguments: Any) -> Any:
        """Make a datablock, or NLA track, by `collection.new(*arguments)`; undoing removes it."""
        return self._make(collection, collection.new, arguments)

    def copy(self, collection: Any, datablock: Any) -> Any:
        """Copy a datablock of a collection; undoing removes the copy."""
        return self._make(collection, datablock.copy, ())

    def _make(self, collection: Any, make: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        made: list[Any] = []
        self.callback(_remove_made, collection, made)
        made.extend(starmap(make, [arguments]))  # one step: not even Ctrl+C comes between making and noting
        return made[0]

    def set(self, holder: Any, name: str, value: Any) -> None:
        """Set an attribute; undoing restores the old value."""
        self.callback(setattr, holder, name, getattr(holder, name))
        setattr(holder, name, value)

    def set_item(self, holder: Any, key: str, value: Any) -> None:
        """Set a custom property; undoing restores the old value or removes it."""
        if key in holder:
            self.callback(_put_back, holder, key, _copied(holder[key]), _settings(holder, key))
        else:
            self.callback(holder.pop, key, None)
        holder[key] = value


def _copied(value: Any) -> Any:
    """Return a copy of a custom property's value: an array or group is only a reference, lost once it is replaced."""
    for convert in ("to_list", "to_dict"):
        if hasattr(value, convert):
            return getattr(value, convert)()
    return value


def _settings(holder: Any, key: str) -> dict[str, Any]:
    """Return limits, description and the like of a custom property; empty if it cannot have any."""
    try:
        found: dict[str, Any] = holder.id_properties_ui(key).as_dict()
    except TypeError:
        return {}
    return found


def _put_back(holder: Any, key: str, value: Any, settings: dict[str, Any]) -> None:
    holder[key] = value
    if settings:
        holder.id_properties_ui(key).update(**settings)


def _remove_made(collection: Any, made: Sequence[Any]) -> None:
    for datablock in made:
        try:
            collection.remove(datablock)
        except ReferenceError:  # something else has removed it since
            continue


def remove_all(datablocks: Sequence[Any]) -> None:
    """Remove datablocks of any kind in one step."""
    if datablocks:
        bpy.data.batch_remove(datablocks)
