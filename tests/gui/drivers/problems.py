"""What cannot be imported opens one dialogue, from the file browser and after a drop; another format is offered."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import bpy
import facts
from window import read_screen

FOLDER = Path("/gui-run/files")


def steps(window):
    """A file of no format, one of another format, and a damaged one."""
    FOLDER.mkdir()
    (FOLDER / "gltf_buffer.bin").write_bytes(bytes(range(256)) * 64)
    shutil.copy(facts.file_called("g02_tc_default.w3d"), FOLDER / "walk.bin")
    (FOLDER / "cut.bin").write_bytes(facts.file_called("v11_recorder_10s_two_hands_mrtk273.bin").read_bytes()[:5000])
    for number, name in enumerate(("gltf_buffer.bin", "cut.bin", "walk.bin")):
        yield from by_browser(window, name)
        window.move(300, 700)  # the dialogue stays while the pointer is elsewhere
        yield from window.picture(f"{number}_browser_{name[:-4]}")
        shown = read_screen().pixels
        yield from window.move_over("VIEW_3D")
        yield from window.key("ESC")
        yield from window.settle()
        assert read_screen().pixels != shown, f"no dialogue about {name}"
        yield from dropped(window, name)
        yield from window.picture(f"{number}_drop_{name[:-4]}")
        if name != "walk.bin":
            yield from window.key("RET")
            yield from window.settle()
            yield from window.picture(f"{number}_after_{name[:-4]}")
    yield from window.key("RET")  # Import W3D: the options of that format, as after a drop
    yield from window.picture("3_offered")
    yield from window.key("RET")
    yield from window.until(lambda: bpy.data.actions)
    yield from window.picture("4_imported_as_w3d")
    assert len(bpy.data.actions) == 1 and len(facts.armatures()) == 1
    yield from told_before(window)


def told_before(window):
    """What the file browser says of a large file, and of several."""
    os.truncate(FOLDER / "walk.bin", 374 << 20)
    yield from window.open_browser("import", "mrtk", FOLDER / "walk.bin")
    yield from window.picture("5_large")
    with window.over("FILE_BROWSER"):
        bpy.ops.file.select_all(action="SELECT")
    yield from window.picture("6_several")
    yield from window.close_browser()


def by_browser(window, name):
    """File > Import > MRTK."""
    yield from window.open_browser("import", "mrtk", FOLDER / name)
    yield from window.press_confirm()
    yield from window.settle()


def dropped(window, name):
    """A drop on the 3D view, and Enter in its dialogue."""
    yield from window.drop(FOLDER / name)
    yield from window.settle()
    yield from window.key("RET")
    yield from window.settle()
