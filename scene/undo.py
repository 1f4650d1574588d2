"""Taking back: each step of an import says how it is undone, so that a failure at any step leaves nothing behind."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

import bpy


class Undo(ExitStack):
    """Steps back, run in reverse order when the block is left by an error; `pop_all` keeps what was made."""

    def created(self, collection: Any, datablock: Any) -> Any:
        """`datablock` was added to `collection` (such as `bpy.data.actions`); returns it."""
        self.callback(remove, collection, datablock)
        return datablock

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


def remove(collection: Any, datablock: Any) -> None:
    """Remove a datablock from its collection if it is still there."""
    try:
        collection.remove(datablock)
    except ReferenceError:  # something else has removed it since
        return


def remove_all(datablocks: Sequence[Any]) -> None:
    """Remove datablocks of any kind in one step."""
    if datablocks:
        bpy.data.batch_remove(datablocks)
