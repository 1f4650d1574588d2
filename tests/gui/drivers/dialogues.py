"""Every option of every dialogue, seen with all panels open, and what else can be reached from them.

Presets, a collection's exporter, Blender's panel to adjust the last operation, the table of names and the preferences.
"""

from __future__ import annotations

import sys
from dataclasses import fields
from pathlib import Path

import bpy
import facts
from first_second import default_scene

FILES = {
    "mrtk": "v11_recorder_10s_two_hands_mrtk273.bin",
    "w3d": "five_bones_raw_w3d.w3d",
    "w3x": "five_bones_w3x.w3x",
    "animx": "08_walk_plain.animx",
}
FOLDER = Path("/gui-run/files")
ROOT = "bl_ext.user_default.io_anim_curves"
SCALE = 0.7
"""Of the interface, so that the longest list of options fits into two pictures."""
PAGES = 3
"""More than any list has."""


def steps(window):
    """The dialogues of each format, then the others."""
    FOLDER.mkdir()
    yield from every_option(window)
    for part in (presets, adjusted, name_table, collection_exporter, preferences):
        yield from default_scene(window)
        yield from part(window)


def every_option(window):
    """Each option is drawn, in the file browser of an import and of an export."""
    view, options = bpy.context.preferences.view, part_of("operators.preferences")
    scale, panel, draw = view.ui_scale, options._panel, options.draw_option
    drawn = set()

    def draw_and_note(layout, owner, option):
        drawn.add(option.name)
        draw(layout, owner, option)

    def open_panel(layout, owner, title):
        box = layout.box()
        box.label(text=title)
        return box

    view.ui_scale = SCALE
    options._panel = open_panel
    options.draw_option = draw_and_note
    for name, file in FILES.items():
        yield from default_scene(window)
        for verb in ("import", "export"):
            drawn.clear()
            yield from window.open_browser(verb, name, facts.file_called(file))
            yield from window.picture(f"{name}_{verb}")
            if verb == "import":
                with window.over("FILE_BROWSER", "TOOL_PROPS"):
                    for _ in range(PAGES):
                        bpy.ops.view2d.scroll_down(page=True)
                yield from window.picture(f"{name}_{verb}_below")
            declared = getattr(part_of(f"io_formats.{name}"), f"{verb.capitalize()}Options")
            missing = {option.name for option in fields(declared) if option.metadata.get("panel") is not None} - drawn
            assert not missing, f"{verb} of {name} does not draw {sorted(missing)}"
            yield from window.close_browser()
            imported(window, name)
    view.ui_scale, options._panel, options.draw_option = scale, panel, draw


def part_of(name):
    """A module of the extension."""
    return sys.modules[f"{ROOT}.{name}"]


def imported(window, name):
    """One of the files, as a script imports it."""
    with window.over("VIEW_3D"):
        getattr(bpy.ops.import_anim, name)(filepath=str(facts.file_called(FILES[name])))


def presets(window):
    """What was chosen is kept under a name, is in the menu, and comes back.

    Debian's Blender 4.3 has a Python in which that Blender cannot write presets, of whatever operator.
    """
    if bpy.app.version < (4, 4) and sys.version_info >= (3, 13):
        return
    yield from window.open_browser("import", "mrtk", facts.file_called(FILES["mrtk"]))
    window.operator().name_prefix, window.operator().hand_skeleton = "take_", True
    with window.over("FILE_BROWSER"), bpy.context.temp_override(active_operator=window.operator()):
        bpy.ops.wm.operator_preset_add(name="Takes", operator=window.operator().bl_idname)
    (kept,) = Path(bpy.utils.user_resource("SCRIPTS", path="presets/operator")).rglob("[Tt]akes.py")
    assert not [word for word in (str(facts.DATA), "memory_mib") if word in kept.read_text()], "a file or a limit"
    window.operator().name_prefix, window.operator().hand_skeleton = "", False
    with window.over("FILE_BROWSER"), bpy.context.temp_override(active_operator=window.operator()):
        bpy.ops.wm.call_menu(name="WM_MT_operator_presets")
    yield from window.picture("presets")
    yield from window.key("ESC")
    with window.over("FILE_BROWSER"), bpy.context.temp_override(active_operator=window.operator()):
        bpy.ops.script.execute_preset(filepath=str(kept), menu_idname="WM_MT_operator_presets")
    window.find_area("FILE_BROWSER")[1].tag_redraw()
    yield from window.picture("preset_chosen")
    assert (window.operator().name_prefix, window.operator().hand_skeleton) == ("take_", True)
    yield from window.close_browser()


def adjusted(window):
    """Adjust Last Operation shows the options; one that is changed there imports again, in the place of the first."""
    yield from window.drop(facts.file_called(FILES["w3d"]))
    yield from window.settle()
    yield from window.key("RET")
    yield from window.until(lambda: bpy.data.actions)
    yield from window.key("F9")
    yield from window.picture("adjust")
    yield from window.key("ESC")
    (operator,) = [done for done in bpy.context.window_manager.operators if done.bl_idname == "IMPORT_ANIM_OT_w3d"]
    operator.start_frame = 11
    with window.over("VIEW_3D"):
        bpy.ops.ed.undo_redo()
    yield from window.picture("adjusted")
    (action,) = bpy.data.actions
    assert len(facts.armatures()) == 1 and action.frame_range[0] == 11.0, tuple(action.frame_range)
    assert bpy.context.scene.frame_current >= 11, "the playhead stays where nothing plays any more"


def name_table(window):
    """The file browser of a table of names."""
    imported(window, "w3d")
    with window.over("VIEW_3D"):
        bpy.ops.anim_curves.save_name_table("INVOKE_DEFAULT")
    yield 1.0
    yield from window.choose_file(FOLDER, "table.json")
    yield from window.picture("name_table")
    yield from window.press_confirm()
    yield from window.until((FOLDER / "table.json").exists)


def collection_exporter(window):
    """The properties of a collection show an exporter with its options, and its button writes the file."""
    path = FOLDER / "collection.w3d"
    imported(window, "w3d")
    with window.over("PROPERTIES"):
        bpy.ops.collection.exporter_add(name="ANIM_CURVES_FH_w3d")
    bpy.context.collection.exporters[0].export_properties.filepath = str(path)
    area = window.find_area("PROPERTIES")[1]
    area.spaces.active.context = "COLLECTION"
    yield from window.move_over("PROPERTIES")
    with window.over("PROPERTIES"):
        bpy.ops.screen.screen_full_area()
    yield from window.settle()
    yield from window.picture("collection_exporter")
    with window.over("PROPERTIES"):
        bpy.ops.collection.export_all()
    yield from window.until(path.exists)
    with window.over("PROPERTIES"):
        bpy.ops.screen.screen_full_area()
    yield from window.settle()
    assert path.read_bytes() == facts.file_called(FILES["w3d"]).read_bytes()


def preferences(window):
    """What is preferred there is what dialogues begin with; an export is offered a free name beside its source."""
    preferred, source = bpy.context.preferences.addons[ROOT].preferences, facts.file_called(FILES["animx"])
    preferred.memory_mib = 1000
    for verb in ("import", "export"):
        with window.over("VIEW_3D"):
            getattr(bpy.ops, f"{verb}_anim").animx("INVOKE_DEFAULT")
        yield from window.until(lambda: window.areas("FILE_BROWSER"))
        assert window.operator().memory_mib == 1000, verb
        offered = Path(window.operator().filepath)
        yield from window.close_browser()
        imported(window, "animx")
    assert offered.parent == source.parent and not offered.exists(), offered
    preferred.memory_mib = 0
    bpy.ops.preferences.addon_show(module=ROOT)
    yield 1.0
    yield from window.picture("preferences")
    assert window.areas("PREFERENCES"), "the preferences did not open"
