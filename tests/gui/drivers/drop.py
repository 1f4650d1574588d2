"""Files dropped on the 3D view and on the Outliner: options in a dialogue, then the import; one undo takes all back."""

from __future__ import annotations

import bpy
import facts

DROPS = (
    ("VIEW_3D", "v11_recorder_10s_two_hands_mrtk273.bin"),
    ("OUTLINER", "g02_tc_default.w3d"),
    ("VIEW_3D", "g02.w3x"),
    ("VIEW_3D", "08_walk_plain.animx"),
)
SEVERAL = (
    ("w3d", ("g04_ad_01f.w3d", "g04_ad_16f.w3d", "g04_ad_17f.w3d"), 3),
    ("w3x", ("g01_anim.w3x", "g02.w3x", "g03.w3x"), 4),
)
"""Names of files that are dropped together, and how many animations they hold."""


def steps(window):
    """Drop one file after the other, and several at once."""
    for number, (editor, name) in enumerate(DROPS):
        before = len(bpy.data.actions)
        yield from window.drop(facts.file_called(name), editor=editor)
        yield from window.picture(f"{number}_dropped_on_{editor.lower()}")
        yield from window.key("RET")
        failed = f"{name} dropped on {editor} made no Action"
        yield from window.until(lambda before=before: len(bpy.data.actions) > before, failed)
    for format_name, names, animations in SEVERAL:
        yield from several(window, format_name, [facts.file_called(name) for name in names], animations)


def several(window, format_name, files, animations):
    """Several files at once: an Action for each animation, and the window lives on meanwhile."""
    before, all_before = len(bpy.data.actions), facts.census()
    yield from window.drop(*files)
    yield from window.settle()
    yield from window.key("RET")
    yield from window.until(lambda: len(bpy.data.actions) == before + animations, f"not {animations} Actions")
    yield from window.picture(f"several_{format_name}")
    bpy.ops.ed.undo()
    yield from window.settle()
    assert facts.census() == all_before, "one undo did not take several files back"
