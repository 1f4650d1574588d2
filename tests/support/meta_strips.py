"""Putting strips into a META strip, as the command of the NLA editor does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def put_selected_into_one(bpy: Any) -> None:
    """Put the strips that are selected into a META strip."""
    in_nla_editor(bpy, bpy.ops.nla.meta_add)


def in_nla_editor(bpy: Any, do: Callable[[], Any]) -> None:
    """Call an operator as in that editor."""
    window = bpy.context.window_manager.windows[0]
    area = window.screen.areas[0]
    area.type = "NLA_EDITOR"
    region = next(region for region in area.regions if region.type == "WINDOW")
    with bpy.context.temp_override(window=window, area=area, region=region):
        do()
