"""The skeleton is looked for as the games' compiler looks: by what the file includes, then by its name."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from w3x_goldens import DATA

from io_formats import FormatError, open_file, w3x
from io_formats.errors import Report


def found(path: Path, *folders: Path, chosen: str = "") -> tuple[w3x.Document | None, Report]:
    """The skeleton of an animation's file, and what was said."""
    report = Report()
    companions = w3x.FORMAT.companions(w3x.ReadOptions(limit_mib=1), folders)
    return companions.skeleton(open_file(path), chosen, report), report


def put(name: str, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copy(DATA / name, path))


@pytest.mark.parametrize(
    ("animation", "skeleton"),
    [
        ("g01_anim.w3x", "g01_skl.w3x"),
        ("g01_anim.w3x", "G01_SKL.W3X"),
        ("Art/G0/G01_ANIM.w3x", "Art/G0/G01_Skl.w3x"),
        ("Units/g01_anim.w3x", "Units/Art/g0/g01_skl.w3x"),
        ("Art/AN/g01_anim.w3x", "Art/G0/g01_skl.w3x"),
    ],
)
def test_what_is_included_is_found(tmp_path: Path, animation: str, skeleton: str) -> None:
    path, there = put("g01_anim.w3x", tmp_path / animation), put("g01_skl.w3x", tmp_path / skeleton)
    document, report = found(path)
    assert document is not None and document.hierarchies[0].name == "G01_SKL"
    assert str(there) in str(report.notes[0]) and report.warnings == []


def test_in_a_folder_of_the_game(tmp_path: Path) -> None:
    path = put("g01_anim.w3x", tmp_path / "mine" / "deep" / "g01_anim.w3x")
    put("g01_skl.w3x", tmp_path / "game" / "Art" / "G0" / "g01_skl.w3x")
    assert found(path)[0] is None
    assert found(path, tmp_path / "game")[0] is not None
    near = put("g01_skl.w3x", tmp_path / "mine" / "deep" / "g01_skl.w3x")
    assert str(near) in str(found(path, tmp_path / "game")[1].notes[0]), "what is beside it comes first"


@pytest.mark.parametrize("name", ["g01_skl.w3x", "G01_SKL_HRC.w3x", "g01_skl_skl.w3x"])
def test_by_its_name_where_nothing_is_included(tmp_path: Path, name: str) -> None:
    path = put("g01_anim.w3x", tmp_path / "a.w3x")
    path.write_bytes(path.read_bytes().replace(b'<Include type="all" source="ART:g01_skl.w3x"/>', b""))
    put("g01_skl.w3x", tmp_path / name)
    assert found(path)[0] is not None


def test_an_include_of_an_include(tmp_path: Path) -> None:
    path = put("g01_anim.w3x", tmp_path / "a.w3x")
    others = b'g02.w3x"/><Include type="all" source="ART:middle.w3x'
    path.write_bytes(path.read_bytes().replace(b"g01_skl.w3x", others))
    put("g02.w3x", tmp_path / "g02.w3x")
    middle = put("g01_anim.w3x", tmp_path / "middle.w3x")
    again = b'middle.w3x"/><Include type="all" source="ART:far.w3x'
    middle.write_bytes(middle.read_bytes().replace(b"g01_skl.w3x", again))
    far = put("g01_skl.w3x", tmp_path / "far.w3x")
    far.write_bytes(far.read_bytes().replace(b"<Includes>", b'<Includes><Include type="all" source="ART:a.w3x"/>'))
    document, _ = found(path)
    assert document is not None and document.hierarchies[0].name == "G01_SKL"
    far.unlink()
    assert found(path)[0] is None


@pytest.mark.parametrize("source", ["../../secret/g01_skl.w3x", "ART:..\\secret\\g01_skl.w3x", "{folder}/g01_skl.w3x"])
def test_nothing_leads_out_of_the_folders(tmp_path: Path, source: str) -> None:
    for folder in ("secret", "art"):
        put("g01_skl.w3x", tmp_path / folder / "g01_skl.w3x")
    path = put("g01_anim.w3x", tmp_path / "art" / "g0" / "a.w3x")
    own = source.format(folder=tmp_path / "secret").encode()
    path.write_bytes(path.read_bytes().replace(b"ART:g01_skl.w3x", own))
    assert found(path)[0] is None


@pytest.mark.parametrize("size", [18, 1 << 20, (1 << 20) + 1])
def test_a_damaged_or_large_file_beside_is_passed_over_and_told(tmp_path: Path, size: int) -> None:
    path = put("g01_anim.w3x", tmp_path / "g01_anim.w3x")
    (tmp_path / "g01_skl.w3x").write_bytes((DATA / "g01_skl.w3x").read_bytes().ljust(size, b"\n")[:size])
    document, report = found(path)
    assert (document is None) == bool(report.warnings) == (size != 1 << 20)


def test_a_chosen_file_is_the_only_one_looked_at(tmp_path: Path) -> None:
    path = put("g01_anim.w3x", tmp_path / "g01_anim.w3x")
    put("g01_skl.w3x", tmp_path / "g01_skl.w3x")
    chosen, _ = found(path, chosen=str(put("g02.w3x", tmp_path / "other.w3x")))
    assert chosen is not None and chosen.hierarchies[0].name == "G02"
    with pytest.raises(FormatError):
        found(path, chosen=str(tmp_path / "missing.w3x"))
