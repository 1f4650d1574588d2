"""Blender's data types as this extension says them, where its versions or its stubs leave something open.

What is said here stands in annotations only, so that nothing of it has to exist in the Blender that runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard, TypeVar

import bpy

Item = TypeVar("Item")

SHOWN_KEY = "anim_curves_model"
"""Custom property of an object that only shows what a file looks like, the model's name; exports leave it out."""

if TYPE_CHECKING:

    class Rig(bpy.types.Object):
        """An armature object: its data are an Armature, and it has a pose."""

        data: bpy.types.Armature
        pose: bpy.types.Pose

    class OperatorMixin(bpy.types.Operator):
        """What operators are mixed from: it has all that an operator has, once it is in one."""

        interactive: bool
        """Whether a person is there to be asked and told."""

else:
    Rig = bpy.types.Object

    class OperatorMixin:
        """What operators are mixed from."""

        interactive = False


Returned: TypeAlias = "set[bpy.stub_internal.rna_enums.OperatorReturnItems]"
"""What an operator says of its end, such as {"FINISHED"}."""

Slot: TypeAlias = "bpy.types.ActionSlot"
"""What of an Action one datablock plays; there is none before Blender 4.4."""

Bag: TypeAlias = "bpy.types.ActionChannelbag"
"""What has F-Curves and their groups: the channelbag of a slot; before Blender 4.4 the Action, in the same words."""

CollectionOf: TypeAlias = "bpy.types.bpy_prop_collection_idprop[Item]"
"""A property that holds several of a PropertyGroup."""

Holder: TypeAlias = "bpy.types.Object | bpy.types.PoseBone"
"""What has a transform, and custom properties of a person's or a file's."""

Named: TypeAlias = "bpy.types.Object | bpy.types.Bone"
"""What stands for a node, and remembers by custom properties what its name does not say."""


# --- What the stubs do not say ----------------------------------------------------------------------------------


def settings_of(holder: bpy.types.bpy_struct, key: str) -> Any:
    """Return what has limits, description and the like of a custom property, by its `as_dict` and `update`; raise
    TypeError if that cannot have any."""
    return holder.id_properties_ui(key)


def has_key(holder: bpy.types.bpy_struct, key: str) -> bool:
    """Return whether there is a custom property of that key."""
    return key in holder  # type: ignore[operator]


def is_rig(thing: bpy.types.Object | None) -> TypeGuard[Rig]:
    """Return whether an object is an armature object."""
    return thing is not None and thing.type == "ARMATURE"


def is_model(thing: bpy.types.Object) -> bool:
    """Return whether an object was made only to be looked at."""
    return bool(thing.get(SHOWN_KEY, False))
