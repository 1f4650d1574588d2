"""Taking back: each step of an import says how it is undone, so that a failure at any step leaves nothing behind."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from itertools import starmap
from typing import Any

import bpy


class Undo(ExitStack):
    """Steps back, run in reverse order when the block is left by an error; `pop_all` keeps what was made."""

    def new(self, collection: Any, *arguments: Any) -> Any:
        """A new datablock, or NLA track, made by `collection.new(*arguments)`, to be removed."""
        made: list[Any] = []
        self.callback(_remove_made, collection, made)
        made.extend(starmap(collection.new, [arguments]))  # one step: not even Ctrl+C comes between making and noting
        return made[0]

    def set(self, holder: Any, name: str, value: Any) -> None:
        """Set an attribute, to be set back."""
        self.callback(setattr, holder, name, getattr(holder, name))
        setattr(holder, name, value)

    def set_item(self, holder: Any, key: str, value: Any) -> None:
        """Set a custom property, to be set back or removed."""
        if key in holder:
            self.callback(holder.__setitem__, key, holder[key])
        else:
            self.callback(holder.pop, key, None)
        holder[key] = value


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
