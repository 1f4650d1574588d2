"""Imported Actions as assets: by skeleton, with tags; a library of a folder in one call."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.operators.test_batches import rows

Capture = pytest.CaptureFixture[str]
Command = Callable[..., int]

ONE, TWO = "w3d/g02_tc_default.w3d", "w3d/h04_multi_unknown.w3d"
LIST = "blender_assets.cats.txt"


@pytest.fixture
def takes(data: Path, tmp_path: Path) -> Path:
    """A folder with files of three formats, and one that is broken."""
    folder = tmp_path / "takes"
    (folder / "more").mkdir(parents=True)
    for source in (ONE, TWO, "w3d/g02_skl.w3d", "animx/08_walk.animj", "mrtk/v11_flags/v11_cam1_hand1_gaze1.bin"):
        shutil.copy(data / source, folder / ("more" if source == TWO else "."))
    return folder


def listed(folder: Path) -> dict[str, str]:
    """Path by id in a list of catalogues, read apart."""
    rows = [
        line.split(":") for line in (folder / LIST).read_text(encoding="utf-8").splitlines() if line.count(":") == 2
    ]
    return {row[0]: row[1] for row in rows if not row[0].startswith("#")}


def assets(bpy: Any) -> dict[str, Any]:
    return {action.name: action.asset_data for action in bpy.data.actions if action.asset_data is not None}


def test_an_import_marks_its_actions_in_a_saved_blend(bpy: Any, part: Any, data: Path, tmp_path: Path) -> None:
    bpy.data.objects.new("H04SKEL", None)  # which is the skeleton's name, so the armature gets another
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "unit.blend"))
    bpy.ops.import_anim.w3d(filepath=str(data / TWO), mark_assets=True)
    document = part("io_formats").open_document(data / TWO)
    skeleton = document.animations[0].header.hierarchy.rstrip(b"\0").decode()
    found = assets(bpy)
    assert len(found) == len(document.animations) == 2
    for held in found.values():
        assert listed(tmp_path)[held.catalog_id] == f"W3D/{skeleton}"
        assert {"W3D", skeleton} == {tag.name for tag in held.tags}
        assert held.description.startswith("h04_multi_unknown.w3d: ")


def test_in_an_unsaved_blend_a_warning_tells_what_is_missing(bpy: Any, data: Path, tmp_path: Path) -> None:
    """The sentence is right for one catalogue, too; marks change no byte of an export."""
    bpy.ops.import_anim.w3d(filepath=str(data / ONE), mark_assets=True)
    assert len(assets(bpy)) == 1
    report = bpy.data.texts["Source of g02_tc_default.w3d"].as_string()
    assert "No list of catalogues has W3D/" in report and "are in no list" not in report
    bpy.ops.export_anim.w3d(filepath=str(tmp_path / "out.w3d"))
    assert (tmp_path / "out.w3d").read_bytes() == (data / ONE).read_bytes()


def test_a_list_that_cannot_be_read_leaves_nothing_imported(bpy: Any, data: Path, tmp_path: Path) -> None:
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "unit.blend"))
    (tmp_path / LIST).write_text("VERSION 7\n", encoding="utf-8")
    with pytest.raises(RuntimeError, match="list of asset catalogues"):
        bpy.ops.import_anim.w3d(filepath=str(data / ONE), mark_assets=True)
    assert not bpy.data.actions and not bpy.data.armatures


def test_the_list_of_the_library_that_a_blend_lies_in_counts(bpy: Any, data: Path, tmp_path: Path) -> None:
    (tmp_path / "library" / "units").mkdir(parents=True)
    libraries = bpy.context.preferences.filepaths.asset_libraries
    library = libraries.new(name="Ours", directory=str(tmp_path / "library"))
    try:
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library" / "units" / "unit.blend"))
        bpy.ops.import_anim.w3d(filepath=str(data / ONE), mark_assets=True)
    finally:
        libraries.remove(library)
    assert (tmp_path / "library" / LIST).is_file() and not (tmp_path / "library" / "units" / LIST).exists()


def test_a_merge_and_a_newer_take_keep_the_mark_that_a_person_gave(bpy: Any, data: Path) -> None:
    bpy.ops.import_anim.w3d(filepath=str(data / ONE))
    action = bpy.data.actions[0]
    action.asset_mark()
    given = {"author": "Me", "description": "mine", "copyright": "2026", "license": "CC0"}
    given["catalog_id"] = "55555555-5555-4555-8555-555555555555"
    for name, text in given.items():
        setattr(action.asset_data, name, text)
    action.asset_data.tags.new("best")
    for options in ({"merge": True}, {"existing": "REPLACE"}, {}):
        if options:
            bpy.ops.import_anim.w3d(filepath=str(data / ONE), target="SELECTED", mark_assets=True, **options)
        else:
            assert bpy.ops.anim_curves.reload() == {"FINISHED"}
        (held,) = assets(bpy).values()
        assert {name: getattr(held, name) for name in given} == given and [tag.name for tag in held.tags] == ["best"]
    held.description = f"{Path(ONE).name}: 7 pivots"  # as an import said of an older file
    assert bpy.ops.anim_curves.reload() == {"FINISHED"}
    (held,) = assets(bpy).values()
    assert held.description.startswith(f"{Path(ONE).name}: 1 animation") and held.author == "Me"


def test_a_merge_marks_no_action_that_was_there(bpy: Any, data: Path) -> None:
    bpy.ops.import_anim.w3d(filepath=str(data / ONE))
    bpy.ops.import_anim.w3d(filepath=str(data / ONE), target="SELECTED", merge=True, mark_assets=True)
    assert len(bpy.data.actions) == 1 and not assets(bpy)


def test_a_library_of_a_folder(bpy: Any, command: Command, takes: Path, tmp_path: Path, capsys: Capture) -> None:
    library = tmp_path / "lib" / "moves.blend"
    assert command("import", takes, "--assets", library, "--json") == 0
    made = rows(capsys.readouterr().out)
    assert len(made) == 5 and {row["output"] for row in made} == {str(library)}
    assert sorted(path.name for path in library.parent.iterdir()) == sorted([LIST, "moves.blend"])
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(str(library), assets_only=True) as (there, wanted):
        wanted.actions = there.actions
    found = assets(bpy)
    assert len(found) == 5, "two of one file, three more; a skeleton alone is no animation"
    known = listed(library.parent)
    named = {"W3D/G02_SKL", "W3D/H04SKEL", "AnimX/08_walk", "MRTK/v11_cam1_hand1_gaze1"}
    assert {known[held.catalog_id] for held in found.values()} == named
    marked = ("--mark-assets", "--into", library, "--output", tmp_path / "new")
    assert command("import", takes / "08_walk.animj", *marked) == 0
    assert [*listed(tmp_path / "new").values()] == ["AnimX/08_walk.001"]
    shutil.copy(takes / "08_walk.animj", takes / "again.animj")
    assert command("import", *takes.glob("*.animj"), "--assets", tmp_path / "two.blend") == 0
    assert "as it is selected" not in capsys.readouterr().err


def test_a_library_that_is_interrupted_is_not_made(
    command: Command, takes: Path, tmp_path: Path, part: Any, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    interruption = part("operators.workers").Interruption
    monkeypatch.setattr(interruption, "__enter__", lambda own: setattr(own, "asked", True) or own)
    monkeypatch.setattr(interruption, "__exit__", lambda *_: None)
    assert command("import", takes, "--assets", tmp_path / "moves.blend") == 130
    assert not (tmp_path / "moves.blend").exists() and "Interrupted" in capsys.readouterr().err


def test_a_library_that_is_there_is_not_replaced_unasked(
    command: Command, takes: Path, tmp_path: Path, capsys: Capture
) -> None:
    library, catalogues = tmp_path / "moves.blend", tmp_path / LIST
    library.write_bytes(b"a stranger's")
    catalogues.write_text("VERSION 1\n\n11111111-2222-3333-4444-555555555555:Props:Props\n", encoding="utf-8")
    before = catalogues.read_bytes()
    for name, told in (("moves.blend", "exists already"), ("moves", "end in .blend"), ("moves.blend1", "in .blend")):
        assert command("import", takes, "--assets", tmp_path / name) == 2 and told in capsys.readouterr().err
    assert library.read_bytes() == b"a stranger's" and catalogues.read_bytes() == before
    assert command("import", takes, "--assets", library, "--overwrite") == 0
    assert library.read_bytes() != b"a stranger's"
    assert catalogues.read_bytes().startswith(before) and len(listed(tmp_path)) == 5


def test_a_bad_file_costs_only_itself(bpy: Any, command: Command, takes: Path, tmp_path: Path, capsys: Capture) -> None:
    (takes / "bad.w3d").write_bytes((takes / "more" / "h04_multi_unknown.w3d").read_bytes()[:200])
    (takes / "none.animj").write_text("no animation", encoding="utf-8")
    assert command("import", takes, "--assets", tmp_path / "moves.blend") == 1
    said = capsys.readouterr().err
    assert "bad.w3d" in said and "none.animj" in said
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "moves.blend"))
    assert len(assets(bpy)) == 5
    assert command("import", takes, "--hand-skeleton", "--assets", tmp_path / "one.blend", "--json", "--exit-zero") == 0
    refused = [row for row in rows(capsys.readouterr().out) if "--hand-skeleton is not" in row.get("error", "")]
    assert len(refused) == 5 and all(row["error"].startswith(row["file"]) for row in refused)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "one.blend"))
    assert len(assets(bpy)) == 1


def test_where_nothing_comes_in_nothing_is_made(command: Command, tmp_path: Path) -> None:
    (tmp_path / "none.bin").write_bytes(b"no recording")
    assert command("import", tmp_path / "none.bin", "--assets", tmp_path / "lib" / "moves.blend") == 1
    (tmp_path / "empty").mkdir()
    assert command("import", tmp_path / "empty", "--assets", tmp_path / "lib" / "moves.blend") == 2
    assert not (tmp_path / "lib").exists()


@pytest.mark.parametrize("flags", [["--output", "x"], ["--into", "x.blend"], ["--jobs", "2"], ["--part", "1/2"]])
def test_a_library_refuses_what_it_cannot_follow(
    command: Command, takes: Path, tmp_path: Path, flags: list[str], capsys: Capture
) -> None:
    assert command("import", takes, "--assets", tmp_path / "moves.blend", *flags) == 2
    assert f"does not go together with {flags[0]}" in capsys.readouterr().err
    assert not (tmp_path / "moves.blend").exists()
