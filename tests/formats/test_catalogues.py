"""Blender's list of asset catalogues: made, added to, and never harmed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from io_formats import FormatError
from io_formats.files import catalogues, messages, whole_file

OWN = """\ufeff# mine
VERSION 1

11111111-2222-3333-4444-555555555555:/W3D/HERO/:W3D-HERO
aaaaaaaa-2222-3333-4444-555555555555:Props/Chairs:My chairs
"""


def test_a_new_list_is_one_that_blender_reads(tmp_path: Path) -> None:
    names = {"W3D/HERO": "W3D-HERO", f"MRTK/{'h' * 60}": f"MRTK-{'h' * 58}", f"W3D/a{'é' * 40}": f"W3D-a{'é' * 29}"}
    catalogues.add(tmp_path, names)
    lines = (tmp_path / catalogues.FILE_NAME).read_text(encoding="utf-8").splitlines()
    told = [line for line in lines if line and not line.startswith("#")]
    ids = catalogues.ids_of(tmp_path, names)
    assert told == ["VERSION 1", *(f"{ids[path]}:{path}:{name}" for path, name in names.items())], "63 bytes of a name"


@pytest.mark.skipif(sys.platform == "win32", reason="folders cannot be locked there")
@pytest.mark.slow
def test_processes_that_add_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    """Four of them, as of an import with --jobs, with twenty catalogues each."""
    code = (
        "import sys; from pathlib import Path; from io_formats.files import catalogues\n"
        "for number in range(20): catalogues.add(Path(sys.argv[1]), [f'W3D/{sys.argv[2]}_{number}'])"
    )
    root = Path(__file__).parents[2]
    crew = [subprocess.Popen([sys.executable, "-c", code, tmp_path, str(one)], cwd=root) for one in range(4)]
    assert [process.wait() for process in crew] == [0, 0, 0, 0]
    lines = (tmp_path / catalogues.FILE_NAME).read_text(encoding="utf-8").splitlines()
    assert sum(":W3D/" in line for line in lines) == 80


def test_what_is_there_stays_to_the_byte_and_keeps_its_ids(tmp_path: Path) -> None:
    (file := tmp_path / catalogues.FILE_NAME).write_text(OWN, encoding="utf-8")
    assert catalogues.ids_of(tmp_path, ["W3D/HERO"]) == {"W3D/HERO": "11111111-2222-3333-4444-555555555555"}
    catalogues.add(tmp_path, ["W3D/HERO"])
    assert file.read_text(encoding="utf-8") == OWN
    catalogues.add(tmp_path, ["W3D/HERO", "W3D/TANK"])
    text = file.read_text(encoding="utf-8")
    assert text.startswith(OWN.removeprefix("\ufeff")) and text.count("\n") == OWN.count("\n") + 1
    assert ":W3D/TANK:W3D-TANK\n" in text


def test_a_last_line_without_an_end(tmp_path: Path) -> None:
    (file := tmp_path / catalogues.FILE_NAME).write_text(OWN.strip(), encoding="utf-8")
    catalogues.add(tmp_path, ["W3D/TANK"])
    assert "My chairs\n" in file.read_text(encoding="utf-8")


def test_a_path_has_the_same_id_everywhere(tmp_path: Path) -> None:
    assert catalogues.ids_of(None, ["W3D/HERO"]) == catalogues.ids_of(tmp_path, ["W3D/HERO"])
    assert len(set(catalogues.ids_of(None, ["W3D/HERO", "W3D/TANK"]).values())) == 2


@pytest.mark.parametrize("data", [b"VERSION 2\n", b"\xff\xfe\x00rubbish"])
def test_a_list_that_is_not_understood_is_left_alone(tmp_path: Path, data: bytes) -> None:
    (file := tmp_path / catalogues.FILE_NAME).write_bytes(data)
    with pytest.raises(FormatError, match="list of asset catalogues"):
        catalogues.add(tmp_path, ["W3D/TANK"])
    assert file.read_bytes() == data


@pytest.mark.parametrize(("name", "clean"), [("A/B:C", "A-B-C"), ("", "-"), ("Gänge", "Gänge"), ("a\nb", "a-b")])
def test_names_are_one_part_of_a_path(name: str, clean: str) -> None:
    assert catalogues.clean_part(name) == clean


def test_what_a_killed_process_left_holds_nobody_up_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is removed after ten seconds in which nobody touched it."""
    (tmp_path / whole_file._LOCK).touch()
    waited: list[float] = []
    monkeypatch.setattr(whole_file.time, "sleep", waited.append)
    catalogues.add(tmp_path, ["W3D/HERO"])
    assert [file.name for file in tmp_path.iterdir()] == [catalogues.FILE_NAME]
    assert 9.0 < sum(waited) < 11.0


def test_a_folder_in_which_no_lock_can_be_made_is_told_as_ever(tmp_path: Path) -> None:
    with pytest.raises(FormatError) as caught:
        catalogues.add(tmp_path / "gone", ["W3D/HERO"])
    assert caught.value.template == messages.WRITE_FOLDER_MISSING
