"""What is told when something cannot be done: the reason first, then where, and what was probably meant."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from cases import FILES

Part = Callable[[str], Any]

NOT_ONE = {
    "mrtk": "{} is not an MRTK recording",
    "w3d": "{} is not a W3D file",
    "w3x": "{} is not a W3X file",
    "animx": "{} is neither AnimX nor AnimJ",
}


@pytest.fixture
def problems(bpy: Any, part: Part, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What dialogues would show, which a Blender without a window does not open."""
    found: list[Any] = []

    def fail(operator: Any, text: str, problem: Any = None) -> Any:
        found.append(problem)
        return {"CANCELLED"}

    monkeypatch.setattr(part("operators.dialogs"), "fail", fail)
    return found


def imported(bpy: Any, name: str, *paths: Path) -> Any:
    """Import files by a format's operator."""
    files = [{"name": path.name} for path in paths]
    return getattr(bpy.ops.import_anim, name)(filepath=str(paths[0]), directory=str(paths[0].parent), files=files)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("content", [bytes(range(256)) * 8, bytes(100_000)], ids=["numbers", "zeros"])
def test_what_is_no_animation_is_called_by_its_name(
    bpy: Any, problems: list[Any], tmp_path: Path, name: str, content: bytes
) -> None:
    """Zeros were twelve meshes without anything, and of a large file the first 64 KiB were kept."""
    path = tmp_path / "gltf_buffer.bin"
    path.write_bytes(content)
    assert imported(bpy, name, path) == {"CANCELLED"}
    (problem,) = problems
    assert problem.cause == NOT_ONE[name].format("gltf_buffer.bin")
    assert len(problem.details) == 1 and problem.details[0].startswith(f"{path}, byte ")
    assert not (problem.offered or len(bpy.data.objects) or len(bpy.data.texts))


@pytest.mark.parametrize("found", FILES)
@pytest.mark.parametrize("name", FILES)
def test_a_file_of_another_format_is_offered_as_that(
    bpy: Any, problems: list[Any], data: Path, tmp_path: Path, name: str, found: str
) -> None:
    path = tmp_path / "renamed.bin"
    shutil.copy(data / FILES[found], path)
    result = imported(bpy, name, path)
    if name == found:
        assert result == {"FINISHED"} and not problems
        return
    (problem,) = problems
    assert problem.cause == NOT_ONE[name].format("renamed.bin")
    assert (problem.offered, list(problem.paths)) == (found, [path])
    assert not len(bpy.data.objects) and not len(bpy.data.texts)


@pytest.mark.skipif(sys.platform != "linux", reason="names there are always Unicode")
def test_a_file_whose_name_a_button_cannot_hold_is_told_and_not_offered(
    bpy: Any, problems: list[Any], data: Path, tmp_path: Path
) -> None:
    """Blender's list of files takes UTF-8 only: the dialogue would fail where it is drawn."""
    path = tmp_path / os.fsdecode(b"wei\xdf.bin")
    shutil.copy(data / FILES["w3d"], path)
    assert bpy.ops.import_anim.mrtk(filepath=str(path)) == {"CANCELLED"}
    (problem,) = problems
    assert not problem.offered
    assert "W3D" in problem.details[0]


def test_several_of_another_format_are_offered_together(
    bpy: Any, problems: list[Any], data: Path, tmp_path: Path
) -> None:
    paths = [tmp_path / "a.bin", tmp_path / "b.bin"]
    for path in paths:
        shutil.copy(data / FILES["w3d"], path)
    imported(bpy, "mrtk", *paths)
    paths[1].write_bytes(b"none of ours")
    imported(bpy, "mrtk", *paths)
    alike, mixed = problems
    assert alike.cause == mixed.cause == "None of these 2 files can be imported"
    assert (alike.offered, list(alike.paths)) == ("w3d", paths)
    assert not mixed.offered
    assert list(mixed.details) == [NOT_ONE["mrtk"].format(path.name) for path in paths]


def test_a_damaged_file_says_what_is_wrong_and_then_where(
    bpy: Any, problems: list[Any], data: Path, tmp_path: Path
) -> None:
    path = tmp_path / "cut.bin"
    path.write_bytes((data / FILES["mrtk"]).read_bytes()[:-40])
    imported(bpy, "mrtk", path)
    (problem,) = problems
    assert problem.cause.startswith("cut.bin: expected ") and "get a complete copy" in problem.cause
    (detail,) = problem.details
    assert detail.startswith(f"{path}, byte ") and "expected" not in detail


def test_a_german_box_says_in_german_where_and_quotes_what_the_format_calls_it(
    bpy: Any, part: Part, problems: list[Any], data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    german = part("operators.locale.de").GERMAN
    monkeypatch.setattr(part("pipeline.language"), "pgettext_rpt", lambda text, _context: german.get(text, text))
    path = tmp_path / "short.bin"
    path.write_bytes(b"none")
    imported(bpy, "mrtk", path)
    (problem,) = problems
    assert problem.details[0].startswith(f"{path}, Byte 0, 'magic number': ")
    assert part("operators.importing").facts_of(data / "mrtk/v10_recorder_3s_left_hand.bin")[0] == "MRTK2-Aufnahme"


def test_a_file_that_is_not_there(bpy: Any, problems: list[Any], tmp_path: Path) -> None:
    for name in FILES:
        imported(bpy, name, tmp_path / "none.w3d")
    assert all(each.cause.startswith("none.w3d: the file cannot be opened") for each in problems)
    assert [each.offered for each in problems] == [""] * len(FILES)


def test_an_export_says_what_is_wrong_and_then_where(bpy: Any, problems: list[Any], data: Path, tmp_path: Path) -> None:
    """One that names no file begins with a capital letter."""
    imported(bpy, "mrtk", data / FILES["mrtk"])
    folder = tmp_path / "taken"
    folder.write_bytes(b"")
    assert bpy.ops.export_anim.mrtk(filepath=str(folder / "walk.bin")) == {"CANCELLED"}
    imported(bpy, "w3d", data / FILES["w3d"])
    assert bpy.ops.export_anim.mrtk(filepath=str(tmp_path / "hand.bin")) == {"CANCELLED"}
    file, joints = problems
    assert file.cause.startswith("walk.bin: ") and list(file.details) == [str(folder / "walk.bin")]
    assert joints.cause.startswith("No bone has the name of an MRTK joint")


def test_scripts_get_the_whole_sentence(bpy: Any, tmp_path: Path) -> None:
    path = tmp_path / "x.bin"
    path.write_bytes(b"none of ours")
    with pytest.raises(RuntimeError, match=r"x\.bin, byte 0, 'magic number': expected the magic number"):
        bpy.ops.import_anim.mrtk(filepath=str(path))
    bpy.context.collection.objects.link(bpy.data.objects.new("Thing", None))
    for operator in (bpy.ops.import_anim.mrtk, bpy.ops.export_anim.animx):
        with pytest.raises(RuntimeError, match="No file is chosen"):
            operator()


class Layout:
    """Stands for a layout and remembers texts with their icons, and buttons."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, str]] = []
        self.buttons: list[Any] = []
        self.operator_context = ""

    def column(self, **_: Any) -> Layout:
        return self

    def separator(self) -> None: ...

    def label(self, text: str, icon: str = "", **_: Any) -> None:
        self.lines.append((text, icon))

    def template_popup_confirm(self, operator: str, text: str, cancel_text: str) -> Any:
        files: list[Any] = []
        entry = SimpleNamespace(add=lambda: files.append(SimpleNamespace()) or files[-1])  # type: ignore[func-returns-value]
        self.buttons.append(SimpleNamespace(operator=operator, text=text, cancel=cancel_text, files=entry, named=files))
        return self.buttons[-1]


def drawn(part: Part, cause: str, details: Sequence[str] = (), offered: str = "", paths: Sequence[str] = ()) -> Layout:
    """What the dialogue of a problem shows."""
    layout = Layout()
    told = json.dumps({"cause": cause, "details": details, "offered": offered, "paths": paths})
    dialogue = part("operators.dialogs").ShowProblem
    dialogue.draw(SimpleNamespace(layout=layout, problem=told), None)
    return layout


def test_the_dialogue_has_an_icon_the_sentence_once_and_one_button(part: Part) -> None:
    cause = "walk.w3d: " + "the file is cut short or damaged somewhere " * 4
    layout = drawn(part, cause.strip(), ["/a/walk.w3d, byte 12"])
    icons = [icon for _, icon in layout.lines]
    assert icons == ["ERROR", *["BLANK1"] * (len(icons) - 1)]
    assert " ".join(text for text, _ in layout.lines) == f"{cause.strip()} /a/walk.w3d, byte 12"
    (button,) = layout.buttons
    assert (button.operator, button.text, button.cancel) == ("", "", "OK")


@pytest.mark.parametrize(("count", "last"), [(20, "19.bin"), (21, "and 1 more")])
def test_a_question_names_the_files_that_would_be_replaced(part: Part, count: int, last: str) -> None:
    layout, paths = Layout(), json.dumps([f"{number}.bin" for number in range(count)])
    part("operators.dialogs").ConfirmReplace.draw(SimpleNamespace(layout=layout, paths=paths, count=99), None)
    told = [text for text, _ in layout.lines]
    assert told[:2] == [f"{count} files exist already and would be replaced:", "0.bin"] and told[-1] == last
    asked: list[str] = []
    question = SimpleNamespace(paths="[]", count=101, ask=lambda _, title, confirm: asked.extend((title, confirm)))
    part("operators.dialogs").ConfirmReplace._question(question, None)
    assert asked == ["Write 101 Files?", "Write"]


def test_a_failure_in_a_window_is_told_as_what_is_wrong_and_what_was_typed_is_kept(
    part: Part, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialogs, last, shown = part("operators.dialogs"), SimpleNamespace(), []
    manager = SimpleNamespace(operator_properties_last=lambda _name: last)
    ours = SimpleNamespace(show_problem=lambda _, problem: shown.append(json.loads(problem)))
    app, context = SimpleNamespace(background=False), SimpleNamespace(window_manager=manager)
    monkeypatch.setattr(
        dialogs, "bpy", SimpleNamespace(app=app, context=context, ops=SimpleNamespace(anim_curves=ours))
    )
    typed = {"as_keywords": lambda _: {"version": "1.0", "files": []}, "report": lambda *_: None}
    operator = type("Typed", (), {"bl_idname": "x.y", "interactive": True, **typed})()
    assert dialogs.fail(operator, "what and where", dialogs.Problem("what", ["where"])) == {"CANCELLED"}
    assert (shown[0]["cause"], shown[0]["details"]) == ("what", ["where"]) and vars(last) == {"version": "1.0"}


def test_very_many_files_are_counted(part: Part) -> None:
    layout = drawn(
        part, "None of these 500 files can be imported", [f"{number}.bin is not one" for number in range(500)]
    )
    assert len(layout.lines) < 30
    assert layout.lines[-1][0].endswith("more like this are not listed")


def told_of(part: Part, bpy: Any, path: Path, **kind: bool) -> list[tuple[str, str]]:
    """Kind and text of each line that an operator reports of an import."""
    told: list[tuple[str, str]] = []
    animx = part("io_formats.animx")
    outcomes = list(
        part("pipeline.import_files").import_files(bpy.context, [path], animx.FORMAT, animx.ImportOptions())
    )
    operator = SimpleNamespace(report=lambda levels, text: told.append((min(levels), text)), **kind)
    assert part("operators.reporting").tell_outcomes(operator, bpy.context, outcomes) == {"FINISHED"}
    return told


def test_the_first_warning_is_told_in_full_and_where_the_others_are(bpy: Any, part: Part, data: Path) -> None:
    (kind, line), (warned, warning) = told_of(part, bpy, data / "animx" / "13_odd_times.animx")
    sorted_keys = "Keys that were not in order of time were sorted"
    assert kind == "INFO" and line.startswith("13_odd_times.animx: ") and line.endswith(", 2 warnings")
    assert warned == "WARNING"
    text = bpy.data.texts["Import Report"].as_string()
    left_out = "A key whose time or value is not a finite number was left out (N naninf)"
    assert sorted_keys in text and left_out in text
    assert warning == f"[3x] {left_out}; more in Text 'Import Report'"
    preferred = part("operators.preferences").preferences(bpy.context)
    preferred.report_detail = "WARNINGS"
    told = told_of(part, bpy, data / "animx" / "13_odd_times.animx")
    preferred.report_detail = "DIGEST"
    assert told[:2] == [("WARNING", f"[3x] {left_out}"), ("WARNING", sorted_keys)]
    assert told[-1][0] == "INFO" and told[-1][1].startswith("13_odd_times.animx: ")
    # from the file browser it goes to the status bar, not into a menu
    (kind, line), (warned, _) = told_of(part, bpy, data / "animx" / "13_odd_times.animx", in_browser=True)
    assert kind == warned == "INFO" and "2 warnings" in line


def test_a_persons_own_text_of_that_name_is_left_alone(bpy: Any, part: Part, data: Path) -> None:
    own = bpy.data.texts.new("Import Report")
    own.write("my notes")
    _, (_, line) = told_of(part, bpy, data / "animx" / "13_odd_times.animx")
    assert own.as_string() == "my notes"
    assert line.endswith("; more in Text 'Import Report.001'")
    assert "not in order of time" in bpy.data.texts["Import Report.001"].as_string()
    told_of(part, bpy, data / "animx" / "13_odd_times.animx")
    assert [text.name for text in bpy.data.texts if "Report" in text.name] == ["Import Report", "Import Report.001"]
