"""File > Import and File > Export show our lines."""

from __future__ import annotations

import bpy

FORMATS = ("mrtk", "w3d", "w3x", "animx")


def steps(window):
    """Open both menus as a person does, by pointer and key."""
    for operators in (bpy.ops.import_anim, bpy.ops.export_anim):
        for name in FORMATS:
            assert name in dir(operators), f"{operators} has no {name}"
    for menu, letter in (("import", "M"), ("export", "E")):
        ours = [draw for draw in menu_type(menu)._dyn_ui_initialize() if "io_anim_curves" in draw.__module__]
        assert len(ours) == 1, f"File > {menu} was extended {len(ours)} times"
        yield from window.click(46, 14)
        yield from window.settle()
        yield from window.key(letter)
        yield from window.picture(f"file_{menu}")
        yield from window.key("ESC")
        yield from window.key("ESC")
        yield from window.settle()


def menu_type(name):
    """The menu below File."""
    return getattr(bpy.types, f"TOPBAR_MT_file_{name}")
