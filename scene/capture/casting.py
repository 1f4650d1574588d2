"""Which datablocks an Action is made for: those that play it, else those whose names it addresses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import bpy

from .. import actions, data_paths
from . import influences

Part = tuple[Any, Any, Any]
"""A datablock with the Action and slot that it plays; the slot is None before Blender 4.4."""


def datablocks_of(thing: Any) -> list[Any]:
    """The object, its data and its shape keys: what may have curves of its own."""
    found = (thing, thing.data, getattr(thing.data, "shape_keys", None))
    return [owner for owner in found if owner is not None and hasattr(owner, "animation_data")]


def parts(action: Any, things: Sequence[Any]) -> list[Part]:
    """What of these objects `action` is made for, if it is made for any of them."""
    owners = [owner for thing in things for owner in datablocks_of(thing)]
    found: list[Part] = []
    for slot in action.slots if actions.SLOTTED else [None]:
        fitting = [owner for owner in owners if _takes(action, slot, owner)]
        players = [owner for owner in fitting if _plays(owner, action, slot)]
        found += [(owner, action, slot) for owner in players or _meant(action, slot, fitting)]
    return found


def _takes(action: Any, slot: Any, owner: Any) -> bool:
    """Whether an owner is of the kind that a slot, or an Action without slots, is for."""
    kind = slot.target_id_type if slot is not None else action.id_root
    if kind in ("", "UNSPECIFIED"):  # one that never played does not know what it is for: an object
        return bool(owner.id_type == "OBJECT")
    return bool(kind == owner.id_type)


def _plays(owner: Any, action: Any, slot: Any) -> bool:
    """Whether an owner has the Action assigned, or on an NLA track, muted or not."""
    return (action, slot) in (actions.assigned(owner), *influences.stripped(owner))


def _meant(action: Any, slot: Any, fitting: Sequence[Any]) -> list[Any]:
    """Whom an Action that none of these plays is meant for, by the names in it: one of them, or nobody."""
    bag = actions.find_bag(action, slot)
    paths = [curve.data_path for curve in bag.fcurves] if bag is not None else []
    named = [owner for owner in fitting if slot is not None and slot.name_display == owner.name]
    wanted = {part for path in paths for part in _addressed(path)}
    if wanted:
        able = [owner for owner in [*named, *fitting] if not wanted.isdisjoint(_parts_of(owner))]
        return able[:1]
    return named[:1] or ([] if _is_of_others(action, slot) else list(fitting[:1]))


def _is_of_others(action: Any, slot: Any) -> bool:
    """Whether the Action plays elsewhere, or is named after an object that is not meant."""
    if slot is None:
        return bool(actions.users_of(action))
    return bool(slot.users()) or (slot.target_id_type == "OBJECT" and slot.name_display in bpy.data.objects)


def _addressed(path: str) -> Iterator[str]:
    """The bone or shape key that a data path names."""
    bone, _ = data_paths.split_bone(path)
    name = data_paths.shape_key(path) if bone is None else bone
    if name is not None:
        yield name


def _parts_of(owner: Any) -> set[str]:
    """Names of the bones or shape keys of a datablock."""
    if owner.id_type == "KEY":
        return set(owner.key_blocks.keys())
    pose = getattr(owner, "pose", None)
    return set(pose.bones.keys()) if pose is not None else set()
