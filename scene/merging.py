"""Imports into an Action that is there, and Actions that take the places of others when all is complete."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np
from bpy.types import ID, Action, NlaStrip

from ..io_formats.errors import FormatError, Report
from . import actions, messages, provenance
from .fcurves import ASIDE, holds_rest
from .types import Slot
from .undo import Undo, is_there

_SAME_FRAME = 1e-3

Merged: TypeAlias = "dict[Action, Contents]"
"""The Actions that an import is merged into."""

REPLACED = " (replaced)"
"""Behind the name of an Action that goes when the import is complete."""


def has_own_slot(action: Action) -> bool:
    """Return whether a slot that a person gave an imported Action moves something, not holds it at rest."""
    known, bags = provenance.find(action), actions.bags(action).items()
    own = (bag for handle, bag in bags if known is not None and not known.animates(handle))
    return any(not holds_rest(curve) for bag in own for curve in bag.fcurves)


def moves_more(action: Action, other: Action) -> bool:
    """Return whether a slot of `action` moves, not holds at rest, what `other` does not, or is one of no import."""
    moved = {curve.data_path for _, curve in actions.every_curve(other) if not holds_rest(curve)}
    own = [{curve.data_path for curve in bag.fcurves if not holds_rest(curve)} for bag in actions.bags(action).values()]
    return has_own_slot(action) or any(paths and moved.isdisjoint(paths) for paths in own)


def replace(old: Action, new: Action, report: Report) -> None:
    """Put an Action in the place of another: assigned, in NLA strips, in drivers, and as an asset.

    Warn of NLA strips that played the whole of that and cut this one.
    """
    whole, players = _strips_to(old, old.frame_range[1]), actions.users_of(old)
    old.user_remap(new)
    for owner, identifier in players if actions.SLOTTED else ():
        actions.ensure_animation_data(owner).action_slot = new.slots.get(identifier) or actions.slot_for(new, owner)
    actions.copy_asset_mark(old, new)
    _warn_of_cuts(whole, new, report)


def warn_of_edits(old: Action, new: Action, name: str, report: Report) -> None:
    """Warn of F-Curves that a person changed, and has not written over their file since; `new` plays as `name`."""
    found = provenance.find(old)
    known = None if found is None else found.as_saved
    edited = 0 if known is None else len(provenance.digests_now(old, known, new) - known.curves.items())
    if edited:
        report.warn(messages.EDITS_GONE, name=name, count=edited)


def _strips_to(action: Action, last: float) -> list[tuple[ID, NlaStrip]]:
    """Return the strips that play an Action as far as the frame `last`, with what they move."""
    return [found for found in actions.strips_of(action) if found[1].action_frame_end >= last - _SAME_FRAME]


def _warn_of_cuts(strips: Iterable[tuple[ID, NlaStrip]], action: Action, report: Report) -> None:
    end = action.frame_range[1]
    for owner, strip in strips:
        if (cut := strip.action_frame_end) < end - _SAME_FRAME:
            report.warn(messages.STRIP_CUTS, strip=strip.name, name=owner.name, cut=cut, end=end)


def into(owner: ID, merged: Merged, undo: Undo) -> tuple[Action | None, Slot | None]:
    """Return the Action that is assigned to `owner`, and its slot in that; (None, None) where nothing is.

    It stays the datablock that it is, whoever holds it, and is noted in `merged`; FormatError is raised for one that
    belongs to another .blend.
    """
    action, slot = actions.assigned(owner)
    if action is None:
        return None, None
    if action.library is not None:
        raise FormatError(messages.MERGE_LINKED, name=action.name)
    if action not in merged:
        merged[action] = Contents(action)
        undo.callback(merged[action].put_back)
    return action, slot or actions.own_slot(action, owner)


def tell(merged: Merged, report: Report) -> None:
    """Report what was merged into, and the NLA strips that cut it now."""
    for action, before in merged.items():
        _warn_of_cuts(_strips_to(action, before.last), action, report)
        report.note(messages.ACTION_MERGED, name=action.name)


def finish(merged: Merged) -> None:
    """Remove the curves whose places were taken, from when on the merge cannot be taken back."""
    for action in filter(is_there, merged):
        for bag in actions.bags(action).values():
            for curve in [curve for curve in bag.fcurves if curve.array_index >= ASIDE]:
                bag.fcurves.remove(curve)


class Contents:
    """What an Action has before it is merged into; curves and groups by their addresses, as bones may be renamed.

    Attributes:
        last: its last frame then.
        made: the curves that came by the merge; what a person adds meanwhile stays.
    """

    def __init__(self, action: Action) -> None:
        self._action, self.last = action, float(action.frame_range[1])
        self.made: set[int] = set()
        self._groups = {group.as_pointer() for bag in actions.bags(action).values() for group in bag.groups}
        self._slots = {slot.handle for slot in action.slots} if actions.SLOTTED else set()
        self._markers = {(marker.frame, marker.name) for marker in action.pose_markers}

    def put_back(self) -> None:
        """Remove what came to the Action, and put what it took the place of back."""
        action, bags = self._action, actions.bags(self._action)
        for bag in bags.values():
            aside = [curve for curve in bag.fcurves if curve.array_index >= ASIDE]
            others = (curve for curve in bag.fcurves if curve.array_index < ASIDE)
            here = {(curve.data_path, curve.array_index): curve for curve in others}
            for old in aside:
                new = here.pop((old.data_path, old.array_index - ASIDE), None)
                if new is not None:
                    bag.fcurves.remove(new)
                old.array_index -= ASIDE
            for curve in here.values():
                if curve.as_pointer() in self.made:
                    bag.fcurves.remove(curve)
            for group in list(bag.groups):
                if group.as_pointer() not in self._groups and not len(group.channels):
                    bag.groups.remove(group)
        filled = {handle for handle, bag in bags.items() if len(bag.fcurves)}
        for slot in list(action.slots) if actions.SLOTTED else ():
            if slot.handle not in self._slots | filled:
                action.slots.remove(slot)
        for marker in list(action.pose_markers):
            if (marker.frame, marker.name) not in self._markers:
                action.pose_markers.remove(marker)


def extend_range(action: Action, first: float, last: float, undo: Undo) -> None:
    """Let an Action's manual frame range, where it has one, cover these frames too."""
    if action.use_frame_range:
        known, before = provenance.find(action), (action.frame_start, action.frame_end)
        undo.callback(actions.set_range, action, *before)
        wider = min(before[0], first), max(before[1], last)
        actions.set_range(action, *wider)
        if known is not None and np.allclose(known.placement.frames, before):  # else a person's
            undo.callback(provenance.set_frames, action, before)
            provenance.set_frames(action, wider)
