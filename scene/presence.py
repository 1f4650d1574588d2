"""What work in steps relies on: datablocks that another window or a script may remove between two steps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from bpy.types import ID, bpy_struct

from ..io_formats.errors import FormatError
from . import messages


def is_there(thing: ID) -> bool:
    """Return whether a datablock has not been removed."""
    try:
        thing.name  # noqa: B018  to look at what is gone raises
    except ReferenceError:
        return False
    return True


def require(things: Iterable[ID]) -> None:
    """Raise FormatError if any of the datablocks has been removed: Blender would crash where its curves are used."""
    if not all(map(is_there, things)):
        raise FormatError(messages.REMOVED_MEANWHILE)


def value_at(holder: bpy_struct, path: str) -> Any:
    """Return what a path led to when it was found; raise FormatError if that has been removed."""
    try:
        return holder.path_resolve(path)
    except ValueError as error:
        raise FormatError(messages.REMOVED_MEANWHILE) from error


@contextmanager
def needed(things: Iterable[ID] = ()) -> Iterator[None]:
    """Do one step; raise FormatError if one of the datablocks, or what else the step looks at, has been removed."""
    require(things)
    try:
        yield
    except ReferenceError as error:
        raise FormatError(messages.REMOVED_MEANWHILE) from error
