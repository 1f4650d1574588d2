"""What dialogues show: the format's own options first, nothing about other files, what has no effect greyed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

Part = Callable[[str], Any]


class Layout:
    """Stands for a layout and remembers what is drawn, in order: (panel, option, greyed)."""

    def __init__(self, drawn: list[Any], title: str = "", *, closed: bool = False) -> None:
        self.drawn, self.title, self.closed, self.active = drawn, title, closed, True

    def panel(self, identifier: str, *, default_closed: bool) -> tuple[Any, Any]:
        inner = Layout(self.drawn, closed=default_closed)
        return SimpleNamespace(label=lambda text, **_: setattr(inner, "title", text)), inner

    def row(self) -> Layout:
        return Layout(self.drawn, self.title, closed=self.closed)

    def prop(self, owner: Any, name: str, **_: Any) -> None:
        self.drawn.append(SimpleNamespace(panel=self.title, name=name, active=self.active, closed=self.closed))

    def label(self, text: str, **_: Any) -> None:
        self.drawn[-1].below = text


def drawn(part: Part, name: str, kind: str, ending: str = "", **chosen: Any) -> list[Any]:
    """What the dialogue of a format shows, with its defaults but for `chosen`."""
    options = getattr(part(f"io_formats.{name}"), kind)
    owner = SimpleNamespace(bl_idname=f"IMPORT_ANIM_OT_{name}", **{**vars(options()), **chosen})
    found: list[Any] = []
    part("operators.preferences").draw_options(Layout(found), owner, options, ending)
    return found


@pytest.mark.parametrize("name", ["mrtk", "w3d", "w3x", "animx"])
@pytest.mark.parametrize("kind", ["ImportOptions", "ExportOptions"])
def test_a_dialogue_has_five_closed_panels_of_more_than_one_option(part: Part, name: str, kind: str) -> None:
    panels = Counter(option.panel for option in drawn(part, name, kind))
    assert 2 <= panels.pop("") <= 6
    assert len(panels) <= 5 and min(panels.values()) > 1
    assert all(option.closed for option in drawn(part, name, kind) if option.panel)
    assert panels.total() < 30


@pytest.mark.parametrize("name", ["mrtk", "w3d", "w3x", "animx"])
def test_a_drop_s_dialogue_with_a_panel_open_fits_a_small_screen(part: Part, name: str) -> None:
    """As pictures of 1024 x 768 at a resolution scale of 1.5 show, nine options do, with two lines about the file."""
    panels = Counter(option.panel for option in drawn(part, name, "ImportOptions"))
    assert panels.pop("") + max(panels.values()) <= 9


@pytest.mark.parametrize(
    ("name", "kind", "told"),
    [
        ("w3d", "ExportOptions", ["frame_count"]),
        ("mrtk", "ExportOptions", ["loop_until"]),
        ("w3d", "ImportOptions", []),
    ],
)
def test_where_0_leaves_a_number_to_us_a_line_says_so(part: Part, name: str, kind: str, told: list[str]) -> None:
    below = {shown.name: shown.below for shown in drawn(part, name, kind) if hasattr(shown, "below")}
    assert below == dict.fromkeys(told, "0: automatic")


@pytest.mark.parametrize("name", ["mrtk", "w3d", "w3x", "animx"])
@pytest.mark.parametrize("kind", ["ImportOptions", "ExportOptions"])
@pytest.mark.parametrize("german", [False, True])
def test_labels_fit_the_default_file_browser(part: Part, name: str, kind: str, german: bool) -> None:
    """Its panel is 200 pixels wide: as pictures show, 13 letters before a field and 19 behind a box are not cut, and
    two more before a field where they are as narrow as those of Schlüsselbilder."""
    table = part("operators.locale.de").GERMAN if german else {}
    options = {option.name: option for option in fields(getattr(part(f"io_formats.{name}"), kind))}
    seen = [options[shown.name] for shown in drawn(part, name, kind)]
    assert seen
    for option in seen:
        label = table.get(option.metadata["label"], option.metadata["label"])
        most = 19 if isinstance(option.default, bool) else 13 + 2 * german
        assert len(label) <= most, label


@pytest.mark.parametrize("german", [False, True])
def test_the_button_of_a_file_browser_is_not_cut(part: Part, german: bool) -> None:
    """As pictures show, 18 letters fit into it."""
    table = part("operators.locale.de").GERMAN if german else {}
    formats = part("io_formats").FORMATS
    labels = [f"{verb} {known.words.label}" for known in formats for verb in ("Import", "Export")]
    labels += [
        part("operators.action_tools").SaveNameTable.bl_label,
        part("operators.animation_list").AddGameFolder.bl_label,
    ]
    assert [label for label in labels if len(table.get(label, label)) > 18] == []


@pytest.mark.parametrize(
    ("name", "kind", "chosen", "greyed"),
    [
        ("w3d", "ImportOptions", {}, {"custom_rate"}),
        ("w3d", "ImportOptions", {"rate": "CUSTOM"}, set()),
        ("w3d", "ImportOptions", {"rate": "CUSTOM", "target": "NEW"}, {"name_table", "only_selected_bones"}),
        ("mrtk", "ImportOptions", {"rate": "CUSTOM", "fit": "EXACT"}, {"follow_place"}),
        ("animx", "ImportOptions", {"rate": "CUSTOM"}, {"forward_axis", "up_axis", "left_handed"}),
        ("animx", "ImportOptions", {"rate": "CUSTOM", "axes": "MANUAL"}, set()),
        ("w3d", "ImportOptions", {"rate": "CUSTOM", "merge": True}, set()),
        ("mrtk", "ExportOptions", {"version": "1.0"}, {"location_tolerance", "rotation_tolerance"}),
        ("mrtk", "ExportOptions", {"version": "1.1"}, {"drop_gaze"}),
        ("w3d", "ExportOptions", {"flavor": "RAW"}, {"location_tolerance", "rotation_tolerance"}),
    ],
)
def test_what_has_no_effect_is_greyed(part: Part, name: str, kind: str, chosen: Any, greyed: set[str]) -> None:
    shown = drawn(part, name, kind, **chosen)
    assert {option.name for option in shown if not option.active} == greyed


def test_options_of_the_other_form_are_not_shown(bpy: Any, part: Part) -> None:
    found = bpy.ops.export_anim.animx.get_rna_type().properties
    assert {item.identifier for item in found["ending"].enum_items} == {*FORMS}
    assert {*found["filter_glob"].default.split(";")} == {f"*{form}" for form in FORMS}
    only_animx = {"container", "key_order", "tangent_order"}
    names = {ending: {option.name for option in drawn(part, "animx", "ExportOptions", ending)} for ending in FORMS}
    assert names[".animx"] - names[".animj"] == only_animx
    assert names[".animx"] == {option.name for option in drawn(part, "animx", "ExportOptions")}


FORMS = (".animj", ".animx")


class Exporter(SimpleNamespace):
    """Stands for Blender's own helper, which adds the ending that is asked for."""

    def check(self, context: Any) -> bool:
        return False


@pytest.mark.parametrize(
    ("path", "ending", "before", "becomes"),
    [
        ("/a/walk.animj", ".animx", ".animj", ("/a/walk.animx", ".animx")),
        ("/a/walk.animx", ".animj", ".animj", ("/a/walk.animx", ".animx")),
        ("/a/walk.animj", ".animj", ".animj", ("/a/walk.animj", ".animj")),
        ("/a/walk", ".animx", ".animx", ("/a/walk.animx", ".animx")),
        ("/a/walk.v2", ".animx", ".animx", ("/a/walk.v2.animx", ".animx")),
        ("/a/", ".animx", ".animj", ("/a/", ".animx")),
        ("/", ".animx", ".animj", ("/", ".animx")),
    ],
    ids=[
        "the menu changed", "the name changed", "nothing changed", "a name without ending",
        "a dot that begins no ending", "a folder", "the root",
    ],
)  # fmt: skip
def test_the_menu_format_and_the_files_ending_follow_each_other(
    part: Part, path: str, ending: str, before: str, becomes: tuple[str, str]
) -> None:
    operator = exporter(part, filepath=path, ending=ending, _last_ending=before)
    operator.check(None)
    assert (operator.filepath, operator.ending) == becomes


@pytest.mark.parametrize(("name", "ending"), [("WALK.W3D", ".W3D"), ("walk.w3d", ".w3d"), ("walk", ".w3d")])
def test_blenders_file_browser_keeps_the_case_of_an_ending(part: Part, name: str, ending: str) -> None:
    (w3d,) = (made for made in part("operators.exporting").CLASSES if made.file_format.name == "w3d")
    assert w3d.filename_ext.fget(SimpleNamespace(filepath=f"/a/{name}", file_format=w3d.file_format)) == ending


@pytest.mark.parametrize(
    ("name", "shown"), [("walk.animx", True), ("walk.animj", False), ("walk.v2", True), ("", True)]
)
def test_a_collections_exporter_shows_the_options_of_its_files_form(part: Part, name: str, shown: bool) -> None:
    found: list[Any] = []
    defaults = vars(part("io_formats.animx").ExportOptions())
    bl_idname = "EXPORT_ANIM_OT_animx"
    exporter(part, filepath=name, ending=".animj", layout=Layout(found), bl_idname=bl_idname, **defaults).draw(None)
    names = {option.name for option in found}
    assert ("container" in names) == shown and "ending" not in names


def exporter(part: Part, **values: Any) -> Any:
    """The mixin of the one format with a menu Format, without Blender's operator."""
    module = part("operators.exporting")
    (animx,) = (made for made in module.CLASSES if made.file_format.forms)

    class Operator(module.ExportOperator, Exporter):  # type: ignore[name-defined, misc]
        file_format = animx.file_format

    return Operator(**values)


def test_in_an_unsaved_file_an_export_begins_beside_its_source(
    bpy: Any, part: Part, data: Path, tmp_path: Path
) -> None:
    source = data / "w3d" / "g01_raw_trim_vis.w3d"
    bpy.ops.import_anim.w3d(filepath=str(source))
    assert part("operators.exporting")._first_folder(bpy.data.actions[0], "") == source.parent
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "saved.blend"))
    assert part("operators.exporting")._first_folder(bpy.data.actions[0], "") == tmp_path
