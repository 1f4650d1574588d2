"""Files dropped on the 3D view and on the Outliner: options in a dialogue, then the import."""

from __future__ import annotations

import bpy
import facts

DROPS = (
    ("VIEW_3D", "v11_recorder_10s_two_hands_mrtk273.bin"),
    ("OUTLINER", "g02_tc_default.w3d"),
    ("VIEW_3D", "08_walk_plain.animx"),
)


def steps(window):
    """Drop one file after the other, and several at once."""
    for number, (editor, name) in enumerate(DROPS):
        before = len(bpy.data.actions)
        yield from drop(window, editor, [facts.file_called(name)])
        yield from window.picture(f"{number}_dropped_on_{editor.lower()}")
        yield from window.key("RET")
        yield from window.settle()
        assert len(bpy.data.actions) > before, f"{name} dropped on {editor} made no Action"
    yield from several(window)
    yield from foreign_file(window)


def several(window):
    """Several files at once: one Action each, and the window lives on meanwhile."""
    files = [facts.file_called(f"g0{number}") for number in ("4_ad_01f.w3d", "4_ad_16f.w3d", "4_ad_17f.w3d")]
    before = len(bpy.data.actions)
    yield from drop(window, "VIEW_3D", files)
    yield from window.key("RET")
    yield 1.0
    yield from window.settle()
    assert len(bpy.data.actions) == before + len(files), (
        f"{len(bpy.data.actions) - before} Actions of {len(files)} files"
    )
    yield from window.picture("several")


def foreign_file(window):
    """A .bin that is no recording: one sentence, and nothing in the .blend."""
    before = facts.census()
    yield from drop(window, "VIEW_3D", [facts.file_called("bad_magic_one_bit.bin")])
    yield from window.key("RET")
    yield from window.settle()
    yield from window.picture("refused")
    yield from window.key("ESC")
    assert facts.census() == before


def drop(window, editor, files):
    """What Blender does when files are dropped on an editor."""
    yield from window.move_over(editor)
    names = [{"name": path.name} for path in files]
    with window.over(editor):
        bpy.ops.wm.drop_import_file("INVOKE_DEFAULT", directory=str(files[0].parent), files=names)
    yield 0.5
    yield from window.settle()
