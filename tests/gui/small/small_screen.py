"""Every dialogue on a small screen with large letters: nothing is cut, everything can be reached.

1024 x 768 at a resolution scale of 1.5, as a laptop shows it; the pictures are there to be looked at.
"""

from __future__ import annotations

from pathlib import Path

import bpy
import facts
import first_second

SCALE = 1.5
FILES = {"mrtk": "two_hands_mrtk_1.1.bin", "w3d": "m01_rigid.w3d", "w3x": "five_bones_w3x.w3x", "animx": "walk.animj"}
FOLDER = Path("/gui-run/files")
ADVANCED = (90, 683)
"""The last panel of a drop's dialogue, of those that MRTK has."""


def steps(window):
    """Import, adjust, look at the sidebar, export, of each format."""
    bpy.context.preferences.view.ui_scale = SCALE
    FOLDER.mkdir()
    for name, file in FILES.items():
        path = facts.file_called(file)
        yield from first_second.default_scene(window)
        yield from browser(window, "import", name, path)
        yield from first_second.default_scene(window)
        yield from dropped(window, name, path)
        yield from sidebar(window, name)
        yield from browser(window, "export", name, FOLDER / path.name)


def browser(window, verb, name, path):
    """The file browser with its options."""
    yield from window.open_browser(verb, name, path)
    yield from window.picture(f"{name}_{verb}")
    yield from window.close_browser()


def dropped(window, name, path):
    """The dialogue of a drop, and the panel that adjusts it afterwards."""
    yield from window.drop(path)
    yield from window.picture(f"{name}_drop")
    yield from window.click(*ADVANCED)
    yield from window.picture(f"{name}_drop_open")
    yield from window.key("RET")
    yield from window.until(facts.armatures)
    yield from window.move_over("VIEW_3D")
    yield from window.key("F9")
    yield from window.picture(f"{name}_adjust")
    yield from window.key("ESC")


def sidebar(window, name):
    """The panels of the sidebar, and the list of names."""
    yield from window.open_sidebar("VIEW_3D")
    yield from window.picture(f"{name}_sidebar")
    with window.over("VIEW_3D", "UI"):
        for _ in range(3):
            bpy.ops.view2d.scroll_down(page=True)
    yield from window.picture(f"{name}_sidebar_below")
    with window.over("VIEW_3D"):
        bpy.ops.anim_curves.match_names("INVOKE_DEFAULT")
    yield from window.picture(f"{name}_names")
    yield from window.key("ESC")
    window.find_area("VIEW_3D")[1].spaces.active.show_region_ui = False
    yield from window.settle()
