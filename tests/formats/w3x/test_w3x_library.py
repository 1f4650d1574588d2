"""The animations that folders hold, by the tags of their files alone."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from w3x_goldens import DATA

from io_formats import w3x
from io_formats.errors import Report
from io_formats.files.whole_file import files_below
from io_formats.w3x.companions import Library, motions_in

ANIMATION = '<W3DAnimation id="{}" Hierarchy="{}" NumFrames="7" FrameRate="15"><Channels/></W3DAnimation>'


def library(*folders: Path) -> Library:
    found = w3x.FORMAT.library(folders)
    assert isinstance(found, Library)
    return found


def put(path: Path, *assets: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"<AssetDeclaration>{''.join(assets)}</AssetDeclaration>", encoding="utf-8")
    return path


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """The goldens as a mod's project has them, among a map of Warcraft and other files."""
    for path in DATA.glob("*.w3x"):
        (tmp_path / "Art" / path.name[:2]).mkdir(parents=True, exist_ok=True)
        shutil.copy(path, tmp_path / "Art" / path.name[:2] / path.name.upper())
    (tmp_path / "Art" / "again").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "map.w3x").write_bytes(b"HM3W" + ANIMATION.format("MAP", "G02").encode())
    (tmp_path / "note.w3x").write_text("none")
    (tmp_path / "other.xml").write_bytes((DATA / "g02.w3x").read_bytes())
    return tmp_path


@pytest.mark.parametrize(
    ("skeletons", "names"),
    [
        (["g02"], [("G02", 40)]),
        (["G01_SKL", "nothing"], [("G01_ANIM", 24)]),
        (["G03_skl"], [("G03_Roll", 4), ("G03_Stand", None)]),
        ([], []),
    ],
)
def test_animations_are_found_by_their_skeletons(
    game: Path, skeletons: list[str], names: list[tuple[object, ...]]
) -> None:
    listed = library(game).listed(skeletons)
    assert [found.name for found in listed] == [name for name, _ in names]
    for found, (_, frames) in zip(listed, names, strict=True):
        assert frames in (None, round(found.seconds * 30) + 1)
        assert Path(found.path).parts[-3:-1] == ("Art", Path(found.path).name[:2].lower())


def test_remarks_and_lacks_are_no_animations(tmp_path: Path) -> None:
    put(
        tmp_path / "a.w3x",
        "<!-- " + ANIMATION.format("GONE", "H") + 70_000 * "x" + " -->",
        ANIMATION.format("A&amp;B", "W3DHierarchy:h"),
        ANIMATION.replace("NumFrames", "Frames").format("LACKS", "H"),
        ANIMATION.replace('"7"', '"seven"').format("WORDS", "H"),
        "<W3DAnimations " + ANIMATION[len("<W3DAnimation") :].format("LONGER", "H"),
        ANIMATION.replace('FrameRate="15"', 'FrameRate="0"').format("THIRTY", "H"),
        "\n" + ANIMATION.replace('id="{}"', "id\n=\n'{}'").format("last>", "H"),
    )
    assert [found.name for found in library(tmp_path).listed(["H"])] == ["A&B", "last>", "THIRTY"]


def test_a_changed_file_is_looked_at_again(tmp_path: Path) -> None:
    path = put(tmp_path / "a.w3x", ANIMATION.format("OLD", "H"))
    assert [found.name for found in library(tmp_path).listed(["H"])] == ["OLD"]
    os.utime(put(path, ANIMATION.format("NEW", "H")), (1, 1))
    assert [found.name for found in library(tmp_path).listed(["H"])] == ["NEW"]


def test_a_whole_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(files_below.__globals__, "_MOST_FILES", 2)
    for number in range(4):
        put(tmp_path / f"{number}.w3x", ANIMATION.format(f"A{number}", "H"))
    found, report = library(tmp_path), Report()
    assert [listed.name for listed in found.listed(["H"])] == ["A0", "A1"]
    found.tell(report)
    found.tell(report)
    (warning,) = report.warnings
    assert "only the first 2 files" in str(warning) and warning.count == 1


@pytest.mark.parametrize(
    "text", ["<!--", "<W3DAnimation ", "<W3DAnimation a='", '<W3DAnimation a="', "<W3DAnimation a=''>"]
)
def test_damaged_tags_cost_no_more_than_their_length(text: str) -> None:
    """Time that grew with the square of the length would be minutes."""
    assert motions_in(text.encode() * 20_000) == []
