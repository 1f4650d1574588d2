"""The same window in German: what Blender translates itself is ours, and every dialogue is seen.

Blender's own translations come before those of add-ons wherever no context is named, and many of our labels are among
them in another sense: Manual is a book, Always is everywhere.
"""

from __future__ import annotations

import sys

import bpy
import dialogues
import facts
import first_second
from bpy.app.translations import pgettext_iface

ROOT = dialogues.ROOT


def steps(window):
    """Open another .blend, switch, look up every label as Blender does, and look at everything."""
    yield from first_second.default_scene(window)
    language = bpy.context.preferences.view.language
    bpy.context.preferences.view.language = "de_DE"
    yield from window.settle()
    every_label()
    yield from menus(window)
    yield from dialogues.steps(window)
    yield from first_second.default_scene(window)
    yield from dropped(window)
    yield from sidebars(window)
    bpy.context.preferences.view.language = language


def every_label():
    """Each label of an option is what our table says, whatever Blender's own says."""
    german = sys.modules[f"{ROOT}.operators.locale.de"].GERMAN
    found = set()
    for operators in (bpy.ops.import_anim, bpy.ops.export_anim):
        for name in dialogues.FILES:
            for prop in getattr(operators, name).get_rna_type().properties:
                items = [item.name for item in prop.enum_items] if prop.type == "ENUM" else []
                for label in (prop.name, *items):
                    if label in german:
                        shown = pgettext_iface(label, prop.translation_context)
                        assert shown == german[label], f"{label} is shown as {shown}"
                        found.add(label)
    assert {"Manual", "Space", "Keys", "Field of View", "Custom"} <= found
    others = {label for label in found if pgettext_iface(label, "*") != german[label]}
    assert len(others) > 5, "Blender's own words are ours, so that nothing was tried"


def menus(window):
    """File > Import and File > Export, opened at the pointer."""
    for menu in ("import", "export"):
        window.move(200, 120)
        yield 0.2
        with window.over("VIEW_3D"):
            bpy.ops.wm.call_menu(name=f"TOPBAR_MT_file_{menu}")
        yield from window.picture(f"file_{menu}")
        yield from window.key("ESC")
        yield from window.settle()


def dropped(window):
    """The dialogue after a drop, and what the status bar and the report tell of it."""
    for name, file in (("mrtk", "v11_recorder_2s_partition0_mrtk260_Wbug.bin"), ("animx", "13_odd_times.animx")):
        path, before = facts.file_called(file), len(bpy.data.actions)
        yield from window.drop(path)
        yield from window.picture(f"dropped_{name}")
        yield from window.key("RET")
        yield from window.until(lambda before=before: len(bpy.data.actions) > before)
        window.write_picture(f"told_{name}")
    with window.over("VIEW_3D"):
        bpy.ops.anim_curves.show_text("INVOKE_DEFAULT", text="Import Report")
    yield from window.picture("report")
    with bpy.context.temp_override(window=bpy.context.window_manager.windows[-1]):
        bpy.ops.wm.window_close()
    yield 0.5


def sidebars(window):
    """The panels, with curves that were changed: they are named as the Dope Sheet names them."""
    curves = [curve for curve in facts.curves() if len(curve.keyframe_points) > 2]
    for curve in curves[:5]:
        curve.keyframe_points[1].co.y += 0.25
    bpy.context.scene.render.fps = 60
    with window.over("VIEW_3D"):
        bpy.ops.object.mode_set(mode="POSE")
        bpy.ops.pose.select_all(action="SELECT")
    yield from window.open_sidebar("VIEW_3D")
    yield from window.picture("sidebar")
    yield from window.divide("HORIZONTAL", 0.5, "DOPESHEET")
    with window.over("DOPESHEET_EDITOR"):
        for _ in range(3):
            bpy.ops.anim.channels_expand(all=True)
    yield from window.picture("dope_sheet")
