"""Which objects an export is about: a collection's, else the selected ones, else all where there is no choice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy

from ..io_formats import messages
from ..io_formats.errors import FormatError
from ..io_formats.options import ExportOptions
from ..scene.models import is_model
from ..scene.targets import armature_of


@dataclass(frozen=True)
class Part:
    """What goes into one file.

    Attributes:
        path: the file.
        owners: objects whose motion is written.
        beside: other objects that are chosen or belong to them, of which nothing is written.
    """

    path: Path
    owners: list[Any]
    beside: list[Any]


def anything(context: bpy.types.Context, *, armature: bool) -> bool:
    """Return whether the scene has something to export, selected or not."""
    return any(not armature or owner.type == "ARMATURE" for owner in context.scene.objects)


def chosen(context: bpy.types.Context, collection: str = "", *, armature: bool) -> list[Any]:
    """Return the objects that a person chose, the active one first.

    The active object counts only if it is selected. Where nothing is chosen, the scene must leave no choice: it then
    has one armature at most, which is taken, and everything beside it where a format needs no armature.

    Args:
        collection: name of a collection; its objects and its children's, whatever is selected.
        armature: the format needs an armature, so that other objects alone are no choice.

    Raises:
        FormatError: nothing is chosen and there are several armatures.
    """
    if collection:
        found: Any = bpy.data.collections.get(collection)
        return list(found.all_objects) if found else []
    active = context.view_layer.objects.active if context.view_layer else None
    selected = [owner for owner in context.scene.objects if owner.select_get()]
    selected.sort(key=lambda owner: owner != active)
    if armatures_of(selected) or (selected and not armature):
        return selected
    rigs = [owner for owner in context.scene.objects if owner.type == "ARMATURE"]
    if len(rigs) > 1:
        raise FormatError(messages.EXPORT_SEVERAL, names=listed(rigs))
    return [*rigs, *selected] if armature else list(context.scene.objects)


def armatures_of(things: Iterable[Any]) -> list[Any]:
    """Return the armatures of objects, in order, each once."""
    return list(dict.fromkeys(rig for rig in map(armature_of, things) if rig is not None))


def without_models(things: Iterable[Any]) -> list[Any]:
    """Return the objects without those that only show what a file looks like, in whose place their armature stands."""
    stand_ins = (armature_of(thing) if is_model(thing) else thing for thing in things)
    return list(dict.fromkeys(thing for thing in stand_ins if thing is not None))


def parts(
    context: bpy.types.Context, path: Path, package: ModuleType, options: ExportOptions, things: Sequence[Any]
) -> list[Part]:
    """Return what goes into which file.

    Args:
        things: the chosen objects.

    Raises:
        FormatError: the format needs an armature and there is none, or holds one and there are several.
    """
    rigs = armatures_of(things)
    things = without_models(things)
    if not things or (package.NEEDS_ARMATURE and not rigs):
        raise FormatError(messages.EXPORT_NEEDS_ARMATURE if package.NEEDS_ARMATURE else messages.EXPORT_NEEDS_OBJECT)
    each = options.several == "FILES" and len(rigs) > 1
    if not package.NEEDS_ARMATURE:
        return list(_objects_each(path, things, rigs)) if each else [Part(path, list(things), [])]
    if len(rigs) > 1 and not each:
        raise FormatError(messages.EXPORT_ONE_ARMATURE, names=listed(rigs))
    taken: set[str] = set()
    paths = (free_path(path, [rig.name], taken) if each else path for rig in rigs)
    return [Part(target, [rig], _beside(context, rig, things)) for target, rig in zip(paths, rigs)]


def _objects_each(path: Path, things: Sequence[Any], rigs: Sequence[Any]) -> Iterator[Part]:
    """Yield a file for each armature with what hangs on it, and one of the name asked for with what hangs on none."""
    taken: set[str] = set()
    for rig in rigs:
        own = [thing for thing in things if thing != rig and armature_of(thing) == rig]
        yield Part(free_path(path, [rig.name], taken), [rig, *own], [])
    others = [thing for thing in things if armature_of(thing) is None]
    if others:
        yield Part(free_path(path, [path.stem], taken), others, [])


def _beside(context: bpy.types.Context, rig: Any, things: Sequence[Any]) -> list[Any]:
    """Return the objects that hang on an armature, and those chosen ones that hang on none."""
    loose = [thing for thing in things if armature_of(thing) is None]
    hanging = [thing for thing in context.scene.objects if thing != rig and armature_of(thing) == rig]
    return [thing for thing in (*hanging, *loose) if not is_model(thing)]


def free_path(path: Path, names: Sequence[str], taken: set[str]) -> Path:
    """Return `path` with the first name that is not taken, else with the last and a number; it is then taken."""
    clean = [bpy.path.clean_name(name) for name in names]
    name = next((name for name in clean if name.casefold() not in taken), f"{clean[-1]}-{len(taken)}")
    taken.add(name.casefold())
    return path.with_name(name + path.suffix)


def listed(things: Iterable[Any]) -> str:
    """Return the names of objects, in order of the alphabet."""
    return ", ".join(sorted(thing.name for thing in things))
