"""What the panels' buttons begin in a window: one piece of work each, in steps, whatever formats it is about."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from in_blender import reopen

pytest.importorskip("bpy")
from blend_census import census, differences

Part = Callable[[str], Any]


@pytest.fixture
def two_formats(data: Path) -> list[SimpleNamespace]:
    """Lines of a list, of W3D and of W3X."""
    found = {"w3d": sorted((data / "w3d").glob("h0*.w3d"))[:1], "w3x": sorted((data / "w3x").glob("g0*.w3x"))[:1]}
    return [SimpleNamespace(path=str(path), format_name=name) for name, paths in found.items() for path in paths]


def test_lines_of_two_formats_are_one_piece_of_work(
    bpy: Any, part: Part, two_formats: list[SimpleNamespace], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two would go on at once in the window, each with an undo step in the middle of the other."""
    begun: list[Any] = []
    monkeypatch.setattr(part("operators.importing"), "run", lambda *given: begun.append(given))
    panel = part("operators.animation_list")
    operator = SimpleNamespace(interactive=True, _wanted=lambda _listed: two_formats)
    panel.ImportSelected.execute(operator, bpy.context)
    ((_, _, loads),) = begun
    listed = [([Path(line.path)], line.format_name) for line in two_formats]
    assert [(load.paths, load.format.name) for load in loads] == listed


def test_files_of_two_formats_come_in_one_after_the_other(bpy: Any, part: Part, data: Path, reports: list[str]) -> None:
    """The share grows from file to file, and to end it costs the one at hand only."""
    batch, importing = part("operators.importing"), part("pipeline.import_files")
    files = {"w3d": [data / "w3d/h04_multi_unknown.w3d"], "w3x": [data / "w3x/g02.w3x"] * 2}
    formats = {name: part(f"io_formats.{name}").FORMAT for name in files}
    loads = [importing.Load(formats[name], paths, formats[name].import_options()) for name, paths in files.items()]
    steps = list(importing.import_loads(bpy.context, loads))
    shares = [step.share for step in steps]
    assert shares == sorted(shares) and shares[-1] == 1.0
    assert [step.path for step in steps if step.outcome is not None] == [path for one in files.values() for path in one]
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    assert bpy.ops.import_anim.batch(loads=batch.loads_as_text(loads)) == {"FINISHED"}
    wanted = [action.name for action in bpy.data.actions]
    assert reports[0].startswith(f"3 of 3 files, {len(wanted)} Actions, ")
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    for name, paths in files.items():
        for path in paths:
            getattr(bpy.ops.import_anim, name)(filepath=str(path))
    assert [action.name for action in bpy.data.actions] == wanted


@pytest.fixture
def in_a_window(part: Part, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Operators think that a person waits; the works that they begin are held here, as no event advances them."""
    works: list[Any] = []

    def begin(operator: Any, context: Any, steps: Any, text: str) -> set[str]:
        works.append(steps)
        return {"FINISHED"}

    monkeypatch.setattr(part("operators.window_work").WorkingOperator, "begin", begin)
    for name in ("ExportInPlace", "ReloadFile"):
        monkeypatch.setattr(getattr(part("operators.action_tools"), name), "interactive", True)
    monkeypatch.setattr(part("operators.exporting").ExportWork, "interactive", True)
    return works


def imported(bpy: Any, part: Part, data: Path, tmp_path: Path) -> Path:
    """A recording in Blender, a key of which was moved since."""
    path = Path(shutil.copy(data / "mrtk/v11_flags/v11_cam1_hand1_gaze1.bin", tmp_path / "take.bin"))
    assert bpy.ops.import_anim.mrtk(filepath=str(path)) == {"FINISHED"}
    ((_, curve), *_) = part("scene.actions").every_curve(bpy.data.actions[0])
    curve.keyframe_points[1].co.y += 0.25
    reopen(tmp_path / "take.blend")
    return path


def test_export_in_place_goes_in_steps_and_leaves_the_old_file_until_the_last(
    bpy: Any, part: Part, data: Path, tmp_path: Path, in_a_window: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = imported(bpy, part, data, tmp_path)
    before, old = census(), path.read_bytes()
    bpy.ops.anim_curves.export_in_place()
    bpy.ops.anim_curves.export_in_place()
    ended, whole = in_a_window
    next(ended), next(ended)
    ended.close()
    assert path.read_bytes() == old and not list(tmp_path.glob(".*"))
    assert differences(before, census()) == []
    for step in whole:
        assert (path.read_bytes() == old) == (step.written is None)
    assert not list(tmp_path.glob(".*"))


def test_a_large_file_is_reloaded_in_steps_and_taken_back_when_they_are_ended(
    bpy: Any, part: Part, data: Path, tmp_path: Path, in_a_window: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(part("io_formats.mrtk").FORMAT), "long_from", 1)
    monkeypatch.setattr(part("io_formats.files.steps"), "STEP", 1)
    imported(bpy, part, data, tmp_path)
    before = census()
    bpy.ops.anim_curves.reload()
    (steps,) = in_a_window
    shares = [next(steps).share]
    while differences(before, census()) == []:
        shares.append(next(steps).share)
    assert shares == sorted(shares)
    steps.close()
    assert differences(before, census()) == []
    bpy.ops.anim_curves.reload()
    *_, last = in_a_window[-1]
    assert last.share == 1.0 and last.outcome.error is None
    assert len(bpy.data.actions) == 1 and part("pipeline.export_files").exactness(bpy.data.actions[0])[1] == []


def test_a_reload_of_what_was_removed_meanwhile_comes_in_beside(
    bpy: Any, part: Part, data: Path, tmp_path: Path, in_a_window: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another window can delete the Action while its file comes in."""
    monkeypatch.setattr(type(part("io_formats.mrtk").FORMAT), "long_from", 1)
    imported(bpy, part, data, tmp_path)
    bpy.ops.anim_curves.reload()
    (steps,) = in_a_window
    next(steps)
    bpy.data.actions.remove(bpy.data.actions[0])
    *_, last = steps
    assert last.outcome.error is None and len(bpy.data.actions) == 1


def test_a_yes_to_replacing_exports_in_steps(
    bpy: Any, part: Part, data: Path, tmp_path: Path, in_a_window: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No second file browser is opened, and no second question asked."""
    out = tmp_path / "out"
    out.mkdir()
    imported(bpy, part, data, tmp_path)
    monkeypatch.setattr(part("operators.exporting").bpy, "app", SimpleNamespace(background=False))
    settings = json.dumps({"filepath": str(out / "x.bin"), "actions": "ALL"})
    bpy.ops.anim_curves.confirm_replace(paths="[]", exporter="export_anim.mrtk", settings=settings)
    assert len(in_a_window) == 1 and not any(out.iterdir())
    assert [step.written for step in in_a_window[0]][-1] is not None
    assert len(list(out.iterdir())) == 1
