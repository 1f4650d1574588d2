"""Imports into an Action that is there: a copy is written into, which takes the Action's place when all is complete."""

from __future__ import annotations

from collections.abc import Iterable

import bpy
from bpy.types import ID, Action

from ..io_formats.errors import FormatError, Report
from . import actions, assets, messages, names
from .fcurves import holds_rest
from .types import Slot
from .undo import Undo

_SAME_FRAME = 1e-3

Replaced = list[tuple[Action, Action]]
"""Actions, and those that take their places when the import is complete."""

REPLACED = " (replaced)"
"""Behind the name of an Action that goes when the import is complete."""


def set_aside(action: Action, undo: Undo) -> str:
    """Rename an Action that another is to replace; return the name that it had."""
    name = str(action.name)
    undo.set(action, "name", names.cut(name, names.LIMIT - len(REPLACED)) + REPLACED)
    return name


def moves_more(action: Action, other: Action) -> bool:
    """Return whether `action`, or one of its slots, moves something and nothing of what `other` moves.

    What is held at rest is not moved.
    """
    moved = {curve.data_path for _, curve in actions.every_curve(other) if not holds_rest(curve)}
    own: dict[int, set[str]] = {}
    for handle, curve in actions.every_curve(action):
        if not holds_rest(curve):
            own.setdefault(handle, set()).add(curve.data_path)
    return any(moved.isdisjoint(paths) for paths in own.values())


def replace(old: Action, new: Action, report: Report) -> None:
    """Put an Action in the place of another, and warn of NLA strips that played the whole of that and cut this one."""
    last = old.frame_range[1]
    whole = [found for found in actions.strips_of(old) if found[1].action_frame_end >= last - _SAME_FRAME]
    actions.replace_everywhere(old, new)
    assets.copy_mark(old, new)
    for owner, strip in whole:
        end, cut = new.frame_range[1], strip.action_frame_end
        if cut < end - _SAME_FRAME:
            report.warn(messages.STRIP_CUTS, strip=strip.name, name=owner.name, cut=cut, end=end)


class Merging:
    """The Actions that an import is merged into.

    Attributes:
        copies: (Action, its copy that is written into).
    """

    def __init__(self, undo: Undo) -> None:
        self.copies: Replaced = []
        self._undo = undo

    def into(self, owner: ID) -> tuple[Action | None, Slot | None]:
        """Return the copy of what is assigned to `owner`, and the slot in it; (None, None) where nothing is.

        Raises:
            FormatError: the Action belongs to another .blend.
        """
        action, slot = actions.assigned(owner)
        if action is None:
            return None, None
        if action.library is not None:
            raise FormatError(messages.MERGE_LINKED, name=action.name)
        copy = next((copy for old, copy in self.copies if old == action), None) or self._copy(action)
        return copy, actions.same_slot(copy, slot) or actions.own_slot(copy, owner)

    def _copy(self, action: Action) -> Action:
        name = set_aside(action, self._undo)  # first, so that undoing gives the name back when the copy is gone
        copy: Action = self._undo.copy(bpy.data.actions, action)
        copy.name = name
        copy.use_fake_user = action.use_fake_user
        self.copies.append((action, copy))
        return copy

    def is_into(self, action: Action) -> bool:
        """Return whether `action` is one of the copies."""
        return any(copy == action for _, copy in self.copies)


def extend_range(action: Action, first: float, last: float) -> None:
    """Let an Action's manual frame range, where it has one, cover these frames too."""
    if action.use_frame_range:
        wider = min(action.frame_start, first), max(action.frame_end, last)
        actions.set_range(action, *wider, cyclic=action.use_cyclic)


def add_markers(action: Action, markers: Iterable[tuple[float, str]]) -> None:
    """Add the pose markers (frame, text) that an Action does not have yet."""
    there = {(marker.frame, marker.name) for marker in action.pose_markers}
    actions.add_markers(action, [marker for marker in markers if actions.marker_label(*marker) not in there])
