"""Actions, slots and channelbags in every Blender from 4.2 to 5.2.

Blender 4.2 keeps the F-Curves on the Action; from 4.4 on an Action has layers, strips and, for each slot, a
channelbag; from 5.0 on the old door is closed. The stubs know the last of these: what differs is asked for here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

import bpy
from bpy.types import ID, Action, AnimData, FCurve, NlaStrip

from . import names
from .types import Bag, Slot

SLOTTED = "slots" in bpy.types.Action.bl_rna.properties
"""Whether Actions have slots (Blender 4.4 and later)."""

LEGACY_SLOT = "Legacy Slot"
"""Name of the slot that Blender 4.4 and later give to an Action that was made without."""

FRAME_LIMIT = 1048574
"""Largest frame of a scene or Action range that Blender takes, either sign."""


def animation_data(owner: ID) -> AnimData | None:
    """Return the animation data of `owner`, None if it has none."""
    data: AnimData | None = getattr(owner, "animation_data", None)
    return data


def ensure_animation_data(owner: ID) -> AnimData:
    """Return the animation data of `owner`; make it if there is none."""
    return animation_data(owner) or owner.animation_data_create()


def slot_for(action: Action, owner: ID) -> Slot | None:
    """Return the slot of `action` that suits `owner`: of its name, of its type, or a new one; None before 4.4."""
    if not SLOTTED:
        return None
    suitable = [slot for slot in action.slots if slot.target_id_type in (owner.id_type, "UNSPECIFIED")]
    found = [slot for slot in suitable if slot.name_display == owner.name] or suitable
    return found[0] if found else action.slots.new(owner.id_type, owner.name)


def own_slot(action: Action, owner: ID) -> Slot | None:
    """Return a slot for `owner` alone, by its name; make it if there is none. None before Blender 4.4."""
    if not SLOTTED:
        return None
    own = (slot for slot in action.slots if slot.target_id_type == owner.id_type and slot.name_display == owner.name)
    return next(own, None) or action.slots.new(owner.id_type, owner.name)


def assign(owner: ID, action: Action | None, slot: Slot | None = None) -> Slot | None:
    """Make `owner` play `action`; returns the slot it plays (None before 4.4).

    A slot of another name is never chosen by Blender itself, and nothing would move: it is always set here.
    An armature object needs its pose first: 5.0.1 crashes without.
    """
    data = ensure_animation_data(owner)
    data.action = action
    if not SLOTTED or action is None:
        return None
    data.action_slot = slot or slot_for(action, owner)
    return data.action_slot


def assigned(owner: ID) -> tuple[Action | None, Slot | None]:
    """Return the Action and slot that `owner` plays, (None, None) if it plays none."""
    data = animation_data(owner)
    if data is None or data.action is None:
        return None, None
    return data.action, (data.action_slot if SLOTTED else None)


def played_last(owner: ID, slot: Slot) -> bool:
    """Return whether the slot that `owner` was given last has the identifier of `slot`, whatever Action it is of."""
    last = getattr(animation_data(owner), "last_slot_identifier", "")
    return slot.name_display != LEGACY_SLOT and bool(slot.identifier == last)


def assign_again(owner: ID, action: Action | None, handle: int) -> None:
    """Make `owner` play what it played before; of the Action no slot where that of this handle is gone, or was none."""
    data = ensure_animation_data(owner)
    data.action = action
    if SLOTTED and action is not None:
        data.action_slot = next((slot for slot in action.slots if slot_handle(slot) == handle), None)


def find_bag(action: Action, slot: Slot | None) -> Bag | None:
    """Return the owner of `.fcurves` and `.groups` for `slot`: a channelbag, before 4.4 the Action; None if missing."""
    if not SLOTTED:
        return cast("Bag", action)
    strip = _keyframe_strip(action)
    return None if slot is None or strip is None else strip.channelbag(slot)


def ensure_bag(action: Action, slot: Slot | None) -> Bag:
    """Return the same as `find_bag`; make the layer, strip and channelbag if they are missing."""
    if not SLOTTED:
        return cast("Bag", action)
    strip = _keyframe_strip(action)
    if strip is None:
        layer = action.layers[0] if action.layers else action.layers.new("Layer")
        strip = cast("bpy.types.ActionKeyframeStrip", layer.strips.new(type="KEYFRAME"))
    return strip.channelbag(slot, ensure=True)


def _keyframe_strip(action: Action) -> bpy.types.ActionKeyframeStrip | None:
    """Return the strip of an Action, None if there is none: Blender allows one layer and one strip."""
    found = (strip for layer in action.layers for strip in layer.strips)
    return cast("bpy.types.ActionKeyframeStrip | None", next(found, None))


def fcurves_of(owner: ID) -> list[FCurve]:
    """Return the F-Curves that `owner` plays, sorted by path and index.

    Blender's own order changes whenever a curve gets a group.
    """
    action, slot = assigned(owner)
    bag = find_bag(action, slot) if action is not None else None
    return sorted(() if bag is None else bag.fcurves, key=lambda curve: (curve.data_path, curve.array_index))


def has_keys(owner: ID) -> bool:
    """Return whether any F-Curve that `owner` plays has a key."""
    return any(len(curve.keyframe_points) for curve in fcurves_of(owner))


def every_curve(action: Action) -> Iterator[tuple[int, FCurve]]:
    """Yield (slot handle, F-Curve) for every F-Curve of an Action, whoever plays it."""
    for handle, bag in bags(action).items():
        yield from ((handle, curve) for curve in bag.fcurves)


def bags(action: Action) -> dict[int, Bag]:
    """Return what holds the F-Curves and groups of an Action, by the handle of the slot."""
    found = {slot_handle(slot): find_bag(action, slot) for slot in (action.slots if SLOTTED else [None])}
    return {handle: bag for handle, bag in found.items() if bag is not None}


def slot_handle(slot: Slot | None) -> int:
    """Return a number that identifies a slot within its Action, even if the slot is renamed; 0 before 4.4."""
    return int(slot.handle) if slot is not None else 0


_SHORTEST = 1e-5
"""Frames, below which Blender finds no room for a strip of an Action; one of no length is drawn a frame long."""


def set_range(action: Action, first: float, last: float) -> None:
    """Set the Action's manual frame range."""
    action.use_frame_range = True
    action.frame_start = clamp_frame(first)
    action.frame_end = clamp_frame(last if last - first > _SHORTEST else first)


def clamp_frame(frame: float) -> float:
    """Return the frame, or the nearest that Blender can have."""
    return min(max(float(frame), -float(FRAME_LIMIT)), float(FRAME_LIMIT))


def marker_label(frame: float, text: str) -> tuple[int, str]:
    """Frame and name that a pose marker can hold: whole frames, 63 bytes."""
    return round(clamp_frame(frame)), names.cut(text)


def users_of(action: Action) -> list[tuple[ID, str]]:
    """Return every (owner, slot identifier) that plays `action`; the identifier is empty before 4.4."""
    if not SLOTTED:
        return [(owner, "") for owner in bpy.data.user_map(subset={action})[action] if assigned(owner)[0] == action]
    return [(owner, slot.identifier) for slot in action.slots for owner in slot.users() if assigned(owner)[0] == action]


def strips_of(action: Action) -> list[tuple[ID, NlaStrip]]:
    """Return every (owner, NLA strip) that plays `action`, but for strips within meta strips."""
    used = [(owner, animation_data(owner)) for owner in bpy.data.user_map(subset={action})[action]]
    tracks = [(owner, track) for owner, data in used if data is not None for track in data.nla_tracks]
    return [(owner, strip) for owner, track in tracks for strip in track.strips if strip.action == action]


# --- As assets: marked, in a catalogue, with tags ---------------------------------------------------------------------


def mark_as_asset(action: Action, catalogue: str, tags: Sequence[str], description: str) -> None:
    """Make an Action an asset, in the `catalogue` of that id."""
    action.asset_mark()
    action.asset_data.catalog_id = catalogue
    action.asset_data.description = names.printable(description)
    for tag in dict.fromkeys(names.cut(tag) for tag in tags if tag):
        action.asset_data.tags.new(tag, skip_if_exists=True)


def copy_asset_mark(old: Action, new: Action) -> None:
    """Make `new` the same asset as `old`, if that is one, whatever an import made of it; a copy of an asset is none."""
    if old.asset_data is None:
        return
    told = "" if new.asset_data is None else new.asset_data.description
    new.asset_clear()
    new.asset_mark()
    for name in ("catalog_id", "description", "author", "copyright", "license"):
        setattr(new.asset_data, name, getattr(old.asset_data, name))
    if told and old.asset_data.description.startswith(told[: told.find(": ") + 2]):  # an import's words of its file
        new.asset_data.description = told
    for tag in old.asset_data.tags:
        new.asset_data.tags.new(tag.name, skip_if_exists=True)


def folder_of_catalogues() -> Path | None:
    """Return where Blender looks for the catalogues of the open .blend, None while it is not saved.

    That is the asset library that it lies in, as the preferences say, else its own folder.
    """
    if not bpy.data.filepath:
        return None
    blend = Path(bpy.data.filepath)
    preferences = bpy.context.preferences
    libraries = preferences.filepaths.asset_libraries if preferences is not None else ()
    roots = [Path(bpy.path.abspath(library.path)) for library in libraries if library.path]
    return next((root for root in roots if blend.is_relative_to(root)), blend.parent)
