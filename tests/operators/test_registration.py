"""The extension comes and goes without a trace."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

SOURCE = Path(__file__).resolve().parents[2]
OPERATORS = ("mrtk", "w3d", "w3x", "animx")


def present(bpy: Any) -> dict[str, Any]:
    """Everything that a registered extension shows, by kind."""
    kinds = (bpy.types.Operator, bpy.types.Panel, bpy.types.FileHandler, bpy.types.AddonPreferences)
    ours = {cls.__name__ for kind in kinds for cls in kind.__subclasses__() if "io_anim_curves" in cls.__module__}
    menus = (bpy.types.TOPBAR_MT_file_import, bpy.types.TOPBAR_MT_file_export, bpy.types.VIEW3D_MT_editor_menus)
    drawn = (draw for menu in menus for draw in getattr(menu.draw, "_draw_funcs", ()))
    return {
        "classes": {name for name in ours if getattr(bpy.types, name, None) is not None},
        "operators": [name for name in dir(bpy.ops.import_anim) + dir(bpy.ops.export_anim) if name in OPERATORS],
        "menu lines": [draw.__module__ for draw in drawn if "io_anim_curves" in draw.__module__],
        "listeners": [each for each in bpy.app.handlers.load_post if "io_anim_curves" in each.__module__],
    }


def test_everything_is_there(bpy: Any) -> None:
    found = present(bpy)
    assert found["operators"] == [*sorted(OPERATORS), *sorted(OPERATORS)]
    assert len(found["menu lines"]) == 3 and len(found["listeners"]) == 2


def test_nothing_stays_behind(bpy: Any, extension: ModuleType) -> None:
    pages = len([*bpy.utils.manual_map()])
    extension.unregister()
    try:
        assert present(bpy) == {"classes": set(), "operators": [], "menu lines": [], "listeners": []}
        assert len([*bpy.utils.manual_map()]) == pages - 1
    finally:
        extension.register()


def test_registering_twice_is_the_same_as_once(bpy: Any, extension: ModuleType) -> None:
    before = present(bpy)
    extension.register()
    assert present(bpy) == before


def test_file_handlers_name_operators_and_endings(bpy: Any, part: Callable[[str], Any]) -> None:
    handlers = part("operators.menus").CLASSES
    formats = part("io_formats").FORMATS
    endings = [ending for handler in handlers for ending in handler.bl_file_extensions.split(";")]
    assert endings == [ending for package in formats for ending in package.extensions]
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    areas = {area.type: area for area in bpy.data.screens["Layout"].areas}
    spaces = ("VIEW_3D", "DOPESHEET_EDITOR", "OUTLINER", "PROPERTIES")
    drops = [handlers[0].poll_drop(SimpleNamespace(area=areas[space])) for space in spaces]
    areas["OUTLINER"].spaces.active.display_mode = "LIBRARIES"
    assert [*drops, handlers[0].poll_drop(SimpleNamespace(area=areas["OUTLINER"]))] == [True] * 3 + [False] * 2
    for handler, package in zip(handlers, formats, strict=True):
        assert handler.bl_import_operator == f"import_anim.{package.name}"
        assert handler.bl_export_operator == f"export_anim.{package.name}"


def test_a_start_of_blender_loads_names_and_words_only(tmp_path: Path) -> None:
    """A module too many here is paid for at every start, by everybody who has the extension enabled."""
    told = tmp_path / "measured.json"
    subprocess.run([sys.executable, SOURCE / "tools" / "measure_house.py", "--start", "--json", told], check=True)
    measured = json.loads(told.read_text())
    assert measured["modules that enabling loads"] <= 45
    assert measured["of these, with numpy"] == 0


def test_the_command_line_tells_its_options_without_numpy() -> None:
    """But for those that need a scene in Blender."""
    script = """
import atexit, sys
from io_formats.__main__ import main
atexit.register(lambda: print("numpy" in sys.modules))
main(["convert", "--help"])
"""
    run = subprocess.run([sys.executable, "-c", script], check=True, cwd=SOURCE, capture_output=True, text=True)
    assert "--tangent-order" in run.stdout and "--target" not in run.stdout and run.stdout.endswith("\nFalse\n")
