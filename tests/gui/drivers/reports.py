"""What imports tell and leave: the status bar, the Text with everything, the Info editor, files kept for nothing."""

from __future__ import annotations

import bpy
import facts
import first_second

SEVERAL_WARNINGS = "13_odd_times.animx"


def steps(window):
    """Import, read, open the report without and with a text editor, clear, undo."""
    yield from window.settle()
    yield from import_by_browser(window, "animx", facts.file_called(SEVERAL_WARNINGS))
    with window.over("VIEW_3D"):
        bpy.ops.import_anim.mrtk(filepath=str(facts.file_called("v11_recorder_2s_partition0_mrtk260_Wbug.bin")))
    yield from info_editor(window)
    yield from open_reports(window)
    yield from clear(window)


def import_by_browser(window, name, path):
    """The file browser and its button."""
    yield from window.open_browser("import", name, path)
    yield from window.picture(f"browser_{path.stem}")
    yield from window.press_confirm()
    yield 0.5
    window.write_picture(f"status_bar_{path.stem}")  # at once, as it stays for some seconds only
    yield from window.settle()


def info_editor(window):
    """Nothing in it that the person did not do."""
    area = window.find_area("DOPESHEET_EDITOR")[1]
    area.type = "INFO"
    yield from window.picture("info")
    with window.over("INFO"):
        bpy.ops.info.select_all(action="SELECT")
        bpy.ops.info.report_copy()
    told = bpy.context.window_manager.clipboard
    (facts.DATA.parent / "out" / "info.txt").write_text(told)
    assert "import_anim.mrtk" in told, told
    assert not [word for word in ("mode_set", "editmode", "said=", "listed=") if word in told], told
    area.type = "DOPESHEET_EDITOR"
    yield 0.3


def open_reports(window):
    """In a window of its own, and in the text editor that is there."""
    yield from window.open_sidebar("VIEW_3D")
    yield from window.picture("sidebar")
    with window.over("VIEW_3D"):
        assert bpy.ops.anim_curves.show_text("INVOKE_DEFAULT", text="Import Report") == {"FINISHED"}
    yield from window.picture("report_in_its_window")
    assert len(bpy.context.window_manager.windows) == 2
    shown = window.find_area("TEXT_EDITOR")[1].spaces.active
    assert shown.text.name == "Import Report"
    with bpy.context.temp_override(window=bpy.context.window_manager.windows[-1]):
        bpy.ops.wm.window_close()
    yield 0.5
    window.find_area("DOPESHEET_EDITOR")[1].type = "TEXT_EDITOR"
    yield 0.3
    with window.over("VIEW_3D"):
        bpy.ops.anim_curves.show_text("INVOKE_DEFAULT", text="Import Report")
    yield from window.picture("report_in_the_editor")
    assert len(bpy.context.window_manager.windows) == 1


def clear(window):
    """A dialogue lists what goes; undo brings it back."""
    path = facts.file_called("v10_recorder_3s_left_hand.bin")
    yield from import_by_browser(window, "mrtk", path)
    share = facts.share_of_view(window, facts.model_places())
    assert share > first_second.LEAST_SHARE, f"the hand that another file moves now fills {share:.2f} of the view"
    kept = sorted(text.name for text in bpy.data.texts)
    with window.over("VIEW_3D"):
        bpy.ops.object.delete()
        bpy.data.actions.remove(bpy.data.actions[path.stem])
        bpy.ops.ed.undo_push(message="Delete")
    yield from window.move_over("VIEW_3D")
    with window.over("VIEW_3D"):
        bpy.ops.anim_curves.clear_kept("INVOKE_DEFAULT")
    yield from window.picture("clear_asks")
    yield from window.key("RET")
    yield from window.picture("cleared")
    assert f"Source of {path.name}" not in bpy.data.texts
    for _ in range(2):
        yield from window.undo()
    assert sorted(text.name for text in bpy.data.texts) == kept
