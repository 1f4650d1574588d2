"""Who plays an Action, and which Action is at hand: what the tools of the panels and an export's dialogue ask."""

from __future__ import annotations

from collections.abc import Sequence

from bpy.types import ID, Action, Context, Object

from ..scene import actions, provenance
from ..scene.capture import influences, players
from ..scene.capture.players import playing_action, siblings
from ..scene.data_paths import split_bone
from ..scene.targets import armature_of

__all__ = [
    "active_action",
    "bones_of",
    "players_by_strips",
    "players_of",
    "playing_action",
    "siblings",
    "would_be_written",
]


def active_action(context: Context) -> Action | None:
    """Return the Action that the editor shows, else what the active object or its armature plays; None for neither."""
    shown: Action | None = getattr(context.space_data, "action", None)
    active = context.view_layer.objects.active if context.view_layer else None
    if shown is not None or active is None:
        return shown
    moving = armature_of(active)
    return playing_action([active]) or (None if moving is None else playing_action([moving]))


def bones_of(action: Action, origin: provenance.Provenance) -> set[str]:
    """Return the bones of which an imported Action has curves that the import wrote."""
    found = ((handle, curve.data_path, curve.array_index) for handle, curve in actions.every_curve(action))
    bones = (split_bone(path)[0] for handle, path, index in found if origin.has_written(handle, path, index))
    return {bone for bone in bones if bone is not None}


def players_by_strips(action: Action, origin: provenance.Provenance, context: Context) -> list[ID]:
    """Return what plays an Action, or others of its animation, by NLA strips, muted or not, and has none assigned."""
    parts = siblings(action, origin)
    owners = [owner for thing in context.scene.objects for owner in players.datablocks_of(thing)]
    free = [owner for owner in owners if actions.assigned(owner)[0] is None]
    return [owner for owner in free if any(found in parts for found, _ in influences.stripped(owner))]


def players_of(action: Action, context: Context, *, alone: bool) -> list[Object]:
    """Return the objects that play an Action: one for each slot where the active one is among them, else all.

    Args:
        alone: the format holds one armature, so that slots which a person added do not count, and an active player is
            all.
    """
    playing = [(owner, slot) for owner, slot in actions.users_of(action) if isinstance(owner, Object)]
    if alone:
        playing = [(owner, slot) for owner, slot in playing if players.is_of_import(action, slot)]
    active = context.view_layer.objects.active
    if any(owner == active for owner, _ in playing):
        by_slot = {slot: owner for owner, slot in playing if owner == active}
        for owner, slot in playing:
            by_slot.setdefault(slot, owner)
        return list(by_slot.values())[: 1 if alone else None]
    by_strip = active is not None and actions.assigned(active)[0] != action
    if by_strip and playing_action([active]) == action:
        return [active]
    return [owner for owner, _ in playing]


def would_be_written(action: Action, owners: Sequence[Object]) -> bool:
    """Return whether an export of what these objects play is one of this Action; shape keys alone play no object's."""
    playing, origin = playing_action(owners), provenance.find(action)
    return playing is None or playing == action or (origin is not None and playing in siblings(action, origin))
