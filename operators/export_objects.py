"""Which objects an export is about: a collection's, else the selected ones, else all where there is no choice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy

from ..io_formats import messages
from ..io_formats.errors import FormatError
from ..io_formats.options import ExportOptions
from ..scene import actions
from ..scene.models import is_model


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
        raise FormatError(messages.EXPORT_SEVERAL, names=_listed(rigs))
    return [*rigs, *selected] if armature else list(context.scene.objects)


def armature_of(thing: Any) -> Any:
    """Return the armature that an object is, that deforms it or that it hangs on; None for none."""
    if thing.type == "ARMATURE":
        return thing
    deforming = (modifier.object for modifier in thing.modifiers if modifier.type == "ARMATURE")
    found = next((rig for rig in deforming if rig is not None), None)
    above = thing.parent
    return found or (armature_of(above) if above is not None else None)


def armatures_of(things: Iterable[Any]) -> list[Any]:
    """Return the armatures of objects, in order, each once."""
    return list(dict.fromkeys(rig for rig in map(armature_of, things) if rig is not None))


def without_models(things: Iterable[Any]) -> list[Any]:
    """Return the objects without those that only show what a file looks like, in whose place their armature stands."""
    stand_ins = (armature_of(thing) if is_model(thing) else thing for thing in things)
    return list(dict.fromkeys(thing for thing in stand_ins if thing is not None))


def files(path: Path, package: ModuleType, options: ExportOptions, things: Sequence[Any]) -> list[tuple[Path, Any]]:
    """Return each file to write and the objects that go into it.

    Args:
        things: the chosen objects.

    Raises:
        FormatError: the format needs an armature and there is none, or holds one and there are several.
    """
    rigs = armatures_of(things)
    things = without_models(things)
    if not things or (package.NEEDS_ARMATURE and not rigs):
        raise FormatError(messages.EXPORT_NEEDS_ARMATURE if package.NEEDS_ARMATURE else messages.EXPORT_NEEDS_OBJECT)
    if options.several == "FILES" and len(rigs) > 1:
        return list(_file_each(path, package, things, rigs))
    if not package.NEEDS_ARMATURE:
        return [(path, list(things))]
    if len(rigs) > 1:
        raise FormatError(messages.EXPORT_ONE_ARMATURE, names=_listed(rigs))
    return [(path, rigs)]


def _file_each(path: Path, package: ModuleType, things: Sequence[Any], rigs: Sequence[Any]) -> Any:
    """Yield a file for each armature, named after it, and one of the name asked for with what has no armature."""
    taken: set[str] = set()
    for rig in rigs:
        own = [thing for thing in things if thing != rig and armature_of(thing) == rig]
        yield free_path(path, [rig.name], taken), [rig] if package.NEEDS_ARMATURE else [rig, *own]
    others = [thing for thing in things if armature_of(thing) is None]
    if others and not package.NEEDS_ARMATURE:
        yield free_path(path, [path.stem], taken), others


def free_path(path: Path, names: Sequence[str], taken: set[str]) -> Path:
    """Return `path` with the first name that is not taken, else with the last and a number; it is then taken."""
    clean = [bpy.path.clean_name(name) for name in names]
    name = next((name for name in clean if name.casefold() not in taken), f"{clean[-1]}-{len(taken)}")
    taken.add(name.casefold())
    return path.with_name(name + path.suffix)


def _listed(things: Iterable[Any]) -> str:
    return ", ".join(sorted(thing.name for thing in things))


def active_action(owners: Sequence[Any]) -> Any:
    """Return the Action that the first animated of these objects plays, None if none does."""
    return next((action for action, _ in map(actions.assigned, owners) if action is not None), None)
