"""A format is what `io_formats/format.py` says, and nobody outside its folder asks which one it is."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from io_formats import FORMATS, animx, format_of, mrtk, w3d, w3x
from io_formats.errors import FormatError, Report
from io_formats.files.steps import finished
from io_formats.format import Destination, Opened

SOURCE = Path(__file__).resolve().parents[2]
DATA = SOURCE / "tests" / "data"
ROOMS = ("io_formats", "scene", "pipeline", "operators")
REGISTRY = "io_formats/__init__.py"
TRANSLATIONS = "operators/locale/de.py"
FOLDERS = {"mrtk": mrtk, "w3d": w3d, "w3x": w3x, "animx": animx}
NAMES = re.compile("|".join([*(rf"(?<!vie){name}" for name in FOLDERS), "animj"]), re.IGNORECASE)
SAMPLES = {
    "mrtk": "mrtk/v11_flags/v11_cam1_hand1_gaze1.bin",
    "w3d": "w3d/g01_raw_trim_vis.w3d",
    "w3x": "w3x/g02.w3x",
    "animx": "animx/08_walk.animj",
}

EVERY_FORMAT = pytest.mark.parametrize("each", FORMATS, ids=lambda each: each.name)


@EVERY_FORMAT
def test_a_format_is_known_by_its_name_and_endings(each: Any) -> None:
    assert FOLDERS[each.name].FORMAT is each
    assert all(format_of(name) is each for name in (each.name, *each.extensions, each.extensions[0].upper()))


@EVERY_FORMAT
def test_a_format_works_through_the_contract_alone(each: Any) -> None:
    """Bytes to a document, to clips and back, as somebody does who does not know which format it is."""
    path = DATA / SAMPLES[each.name]
    data = each.read_file(path)
    assert [other for other in FORMATS if other.matches(data)] == [each]
    file = Opened(each, path, data, finished(each.read(data)))
    assert file.has_content_of(file.written())
    report = Report()
    (clip, *_) = file.to_clips(each.read_options(), report)
    again = finished(each.from_clip(clip, each.write_options(), report, Destination(path.stem)))
    assert each.plays(again) and each.describe(again).keys() == file.describe().keys()
    assert all(name in {*file.describe(), "keys", "pivots"} for name, _ in each.counted)


def words_of(path: Path) -> Iterator[tuple[int, str]]:
    """Names and texts of a module's code, without its docstrings and sentences; each with its line."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.lineno, node.id
        elif isinstance(node, ast.Attribute):
            yield node.lineno, node.attr
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.ImportFrom | ast.Import):
            yield from ((node.lineno, word) for alias in node.names for word in alias.name.split("."))
            yield from ((node.lineno, word) for word in (getattr(node, "module", "") or "").split("."))
        elif isinstance(node, ast.ClassDef | ast.FunctionDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            yield from [(node.lineno, node.value)] if " " not in node.value else []


def outside() -> list[Path]:
    """Modules that Blender runs, without the formats' own and the registry."""
    found = [path for room in ROOMS for path in sorted((SOURCE / room).rglob("*.py"))]
    own = [SOURCE / "io_formats" / name for name in FOLDERS]
    skipped = [SOURCE / name for name in (REGISTRY, TRANSLATIONS)]
    return [path for path in found if path not in skipped and not set(own) & set(path.parents)]


def test_no_format_is_named_outside_its_folder() -> None:
    """But for a toolkit's way to name joints, which rigs of any origin may follow."""
    found = [
        f"{path.relative_to(SOURCE)}:{line} {word}"
        for path in outside()
        for line, word in words_of(path)
        if (NAMES.search(word) or word == ".bin") and (path.name, word) != ("schemes.py", "MRTK")
    ]
    assert found == []


@pytest.mark.parametrize("each", [w3d.FORMAT, w3x.FORMAT], ids=lambda each: each.name)
def test_a_file_beyond_the_size_limit_is_refused_at_its_first_byte(each: Any) -> None:
    """Where nothing is packed, the limit is of the file itself."""
    data = (DATA / SAMPLES[each.name]).read_bytes()
    with pytest.raises(FormatError) as caught:
        finished(each.read(data, limit=len(data) - 1, report=Report()))
    assert caught.value.offset == 0 and str(len(data) - 1) in str(caught.value).replace(",", "")


def test_switches_and_numbers_begin_as_the_pages_say() -> None:
    """Those that are on are named here, numbers in the table for scripts."""
    on = "set_scene_range hide_helpers root_motion fake_user keep_source hand_mesh hide_untracked repair_w use_source"
    on += " rest_keys apply_visibility root_bone models select_models keep_steps left_handed"
    every = [kind for each in FORMATS for kind in (each.import_options, each.export_options)]
    begins = {(declared.name, declared.default) for kind in every for declared in fields(kind)}
    assert {name for name, value in begins if value is True} == set(on.split())
    page = (SOURCE / "docs" / "scripting.md").read_text(encoding="utf-8")
    numbers = re.findall(r"`([a-z_]+)` \((\d[\d.]*)\b", page)
    assert len(numbers) >= 8 and {(name, float(number)) for name, number in numbers} <= begins
