"""Import through the file browser, undo, and export through the file browser."""

from __future__ import annotations

from pathlib import Path

import facts

FILES = {"mrtk": "v10_recorder_3s_left_hand.bin", "w3d": "g02_tc_default.w3d", "animx": "08_walk_plain.animx"}


def steps(window):
    """The menu, for a picture of the pages; then one format after the other, each from the first .blend."""
    yield from window.open_imports()
    yield from window.picture("file_import")
    yield from window.key("ESC")
    yield from window.key("ESC")
    for name, file in FILES.items():
        yield from window.settle()
        yield from round_trip(window, name, facts.file_called(file))


def round_trip(window, name, path):
    """Import, export, undo."""
    before, settings = facts.census(), facts.scene_settings()
    yield from import_by_button(window, name, path)
    yield from window.until(lambda: facts.census() != before, "nothing was imported")
    yield from window.picture(f"{name}_imported")
    yield from export_by_button(window, name, path)
    yield from undo_everything(window, before, settings)


def import_by_button(window, name, path):
    """The file browser shows the operator's options, and its button imports."""
    yield from window.open_browser("import", name, path)
    assert window.operator().bl_idname == f"IMPORT_ANIM_OT_{name}"
    yield from window.picture(f"{name}_import_options")
    yield from window.press_confirm()
    yield from window.settle()


def export_by_button(window, name, path):
    """The file browser shows the options, and its button writes the same bytes as were read."""
    written = Path(f"/gui-run/out/again{path.suffix}")
    yield from window.open_browser("export", name, written)
    yield from window.picture(f"{name}_export_options")
    yield from window.press_confirm()
    yield from window.until(written.exists, "export wrote nothing")
    assert written.read_bytes() == path.read_bytes(), f"{path.name} came back different"


def undo_everything(window, before, settings):
    """One undo step takes the whole import back."""
    yield from window.undo()
    left = {kind: names for kind, names in facts.census().items() if names != before[kind]}
    assert not left, f"undo left {left}"
    assert facts.scene_settings()[:4] == settings[:4], f"undo left the scene at {facts.scene_settings()}"
