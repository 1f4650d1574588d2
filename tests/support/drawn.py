"""What the viewport draws of a bone."""

from __future__ import annotations

from typing import Any


def drawn_as_nothing(rig: Any, bone: str) -> bool:
    """Whether a bone is drawn with a shape of which no edge is left in the evaluated scene; it is never hidden."""
    import bpy

    holder = rig.data.bones[bone]
    assert not holder.hide and not getattr(rig.pose.bones[bone], "hide", False)
    assert not holder.collections or any(collection.is_visible for collection in holder.collections)
    shape = rig.pose.bones[bone].custom_shape
    if shape is None:
        return False
    return not len(shape.evaluated_get(bpy.context.evaluated_depsgraph_get()).data.edges)
