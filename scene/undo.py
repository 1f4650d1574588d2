"""Work that ends before it is done: how each step is taken back, and what a step must still find there."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import partial
from itertools import starmap
from typing import Any, ParamSpec, Protocol, TypeVar

import bpy
import numpy as np
from bpy.types import ID, FCurve, TimelineMarker, bpy_struct

from ..io_formats.errors import FormatError
from ..io_formats.files import memory
from . import messages
from .types import has_key, settings_of

Made = TypeVar("Made")
Given = ParamSpec("Given")


class Maker(Protocol[Given, Made]):
    """A collection that makes what it holds, such as `bpy.data.objects`."""

    def new(self, *arguments: Given.args, **named: Given.kwargs) -> Made:
        """Make one."""

    def remove(self, made: Made, /) -> None:
        """Remove one."""


class Undo(ExitStack):
    """Steps back, run in reverse order when the block is left by an error; `pop_all` keeps what was made.

    What something else has removed since needs no step back. Blender tells Python so of datablocks alone: what belongs
    to one, such as a bone, is looked for again.
    """

    def callback(
        self, step: Callable[Given, Made], /, *arguments: Given.args, **named: Given.kwargs
    ) -> Callable[Given, Made]:
        """Add a step back."""
        places = []
        for each in arguments:
            path, owner = "", getattr(each, "id_data", None)
            if owner is not None and owner != each:
                with suppress(ValueError):  # such as an NLA track's before 5.1
                    path = each.path_from_id()  # type: ignore[attr-defined]
            places.append((each, owner, path))
        super().callback(_unless_removed, step, places, named)
        return step

    def new(self, collection: Maker[Given, Made], *arguments: Given.args, **named: Given.kwargs) -> Made:
        """Make a datablock, or what a datablock has, by `collection.new(*arguments)`; undoing removes it."""
        made: list[Made] = []
        self.callback(_remove_made, collection, made)
        # one step: not even Ctrl+C comes between making and noting
        made.extend(starmap(partial(collection.new, **named), [arguments]))
        return made[0]

    def set(self, holder: bpy_struct, name: str, value: object) -> None:
        """Set an attribute; undoing restores the old value."""
        self.callback(setattr, holder, name, getattr(holder, name))
        setattr(holder, name, value)

    def set_item(self, holder: bpy_struct, key: str, value: object) -> None:
        """Set a custom property; undoing restores the old value or removes it."""
        before = (_copied(holder[key]), _settings(holder, key)) if has_key(holder, key) else ()
        self.callback(_put_back, holder, key, *before)
        holder[key] = value


def _copied(value: object) -> object:
    for convert in ("to_list", "to_dict"):
        if hasattr(value, convert):
            return getattr(value, convert)()
    return value


def _settings(holder: bpy_struct, key: str) -> dict[str, object]:
    with suppress(TypeError):
        return dict(settings_of(holder, key).as_dict())
    return {}


def _put_back(holder: bpy_struct, key: str, *before: Any) -> None:
    if not before:
        holder.pop(key, None)
        return
    holder[key], settings = before
    if settings:
        settings_of(holder, key).update(**settings)


def _remove_made(collection: Any, made: Sequence[object]) -> None:
    for thing in made:
        if not isinstance(thing, FCurve | TimelineMarker) or thing in [*collection]:  # of which Blender tells nothing
            collection.remove(thing)


def _unless_removed(
    step: Callable[..., object], places: Collection[tuple[Any, ID | None, str]], named: Mapping[str, object]
) -> None:
    with suppress(ReferenceError):
        for _, owner, _ in places:
            if owner is not None:
                owner.name  # noqa: B018  to look at what is gone raises; what it owned does not, and is freed memory
        step(*(_again(thing, owner, path) if path else thing for thing, owner, path in places), **named)


def _again(thing: object, owner: Any, path: str) -> object:
    """Return what is at a path of a datablock, or has another name there now; raise ReferenceError if it is gone."""
    with suppress(ValueError):
        return owner.path_resolve(path)
    if thing in owner.path_resolve(path.partition("[")[0]).values():
        return thing
    raise ReferenceError


def remove_all(datablocks: Sequence[ID]) -> None:
    """Remove datablocks of any kind in one step."""
    if datablocks:
        bpy.data.batch_remove(datablocks)


# What work in steps relies on: datablocks that another window or a script may remove between two steps.


def is_there(thing: ID | None) -> bool:
    """Return whether a datablock has not been removed; of none that none has."""
    with suppress(ReferenceError):
        thing is None or thing.name  # noqa: B018  to look at what is gone raises
        return True
    return False


def require(things: Iterable[ID | None]) -> None:
    """Raise FormatError if any of the datablocks has been removed: Blender would crash where its curves are used."""
    if not all(map(is_there, things)):
        raise FormatError(messages.REMOVED_MEANWHILE)


def value_at(holder: bpy_struct, path: str) -> Any:
    """Return what a path led to when it was found; raise FormatError if that has been removed."""
    try:
        return holder.path_resolve(path)
    except ValueError as error:
        raise FormatError(messages.REMOVED_MEANWHILE) from error


def leads_somewhere(holder: bpy_struct, path: str) -> bool:
    """Return whether there is anything at a path, which may be of an add-on that is off."""
    with suppress(ValueError):
        holder.path_resolve(path)
        return True
    return False


def limited(options: object) -> Callable[[], AbstractContextManager[None]]:
    """Return what makes the context of each step of one file, within the limits of `options`.

    A step raises FormatError if what it looks at has been removed. Numbers beyond what float32 holds are looked for
    where it matters; numpy says nothing of them on the console.
    """
    limits = memory.limits(*memory.asked_of(options), memory.KEY)

    @contextmanager
    def held() -> Iterator[None]:
        with limits(), np.errstate(all="ignore"):
            try:
                yield
            except ReferenceError as error:
                raise FormatError(messages.REMOVED_MEANWHILE) from error

    return held
