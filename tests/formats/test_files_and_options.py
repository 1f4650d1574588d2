"""What is no file, what is too large, what no option can be: one sentence each, nothing waited for."""

from __future__ import annotations

import errno
import io
import json
import math
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields, replace
from pathlib import Path
from typing import Any

import pytest

from io_formats import FORMATS, FormatError, open_document
from io_formats.__main__ import main
from io_formats.clip.bone_names import load_table
from io_formats.files import messages as files_messages
from io_formats.files import whole_file
from io_formats.files.whole_file import read_file
from io_formats.options import check_options

DATA = Path(__file__).parents[1] / "data"
WITHOUT_SKELETON = DATA / "w3d" / "g02_tc_default.w3d"
NOT_FINITE = (float("nan"), float("inf"), -float("inf"))
ODD_NAMES = "Zo\u00eb, \u624b, \U0001f600 and ~\x0b\x1b[31m\x7f\x9b31m"


def refused(template: str, path: Path, read: Callable[[Path], Any]) -> None:
    with pytest.raises(FormatError) as caught:
        read(path)
    assert caught.value.template == template
    assert caught.value.file == str(path)


@pytest.mark.parametrize("read", [read_file, open_document, load_table])
def test_a_pipe_is_not_waited_for(pipe: Path, read: Callable[[Path], Any]) -> None:
    refused(files_messages.NOT_A_FILE, pipe, read)


def test_a_pipe_and_circles_beside_an_animation_do_not_matter(pipe: Path, tmp_path: Path, capsys: Any) -> None:
    walk = shutil.copy(WITHOUT_SKELETON, tmp_path / "walk.w3d")
    (tmp_path / "circle.w3d").symlink_to("circle.w3d")
    for two_letters in ("an", "g0", "sk", "wa"):
        (tmp_path / two_letters).symlink_to(two_letters)
    assert main(["convert", str(walk), str(tmp_path / "a.animj")]) == 0
    assert main(["info", str(tmp_path)]) == 1, "of a folder, it is told"
    assert f"{pipe}: expected a file" in capsys.readouterr().out


def test_circles_and_links_that_lead_nowhere_in_a_folder_of_files_do_not_matter(tmp_path: Path, capsys: Any) -> None:
    folder = tmp_path / "walks"
    folder.mkdir()
    walk = shutil.copy(WITHOUT_SKELETON, folder / "walk.w3d")
    (folder / "linked.w3d").symlink_to(walk)
    (folder / "circle.w3d").symlink_to("circle.w3d")
    (folder / "circle").symlink_to("circle")
    (folder / "gone.w3d").symlink_to("nowhere.w3d")
    assert main(["info", str(folder), "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [Path(row["file"]).name for row in rows] == ["linked.w3d", "walk.w3d"]
    (tmp_path / "empty").mkdir()
    assert main(["info", str(tmp_path / "empty")]) == 2


@pytest.mark.parametrize("command", [["info"], ["verify"], ["convert", "--to", ".animj"]], ids=" ".join)
def test_a_linked_folder_is_not_searched_but_told(tmp_path: Path, command: list[str], capsys: Any) -> None:
    (tmp_path / "walks").mkdir()
    (tmp_path / "others").mkdir()
    shutil.copy(WITHOUT_SKELETON, tmp_path / "walks" / "walk.w3d")
    shutil.copy(WITHOUT_SKELETON, tmp_path / "others" / "run.w3d")
    (tmp_path / "walks" / "linked").symlink_to("../others")
    assert main([*command, str(tmp_path / "walks")]) == 0
    said = capsys.readouterr()
    assert "run.w3d" not in said.out
    assert said.err.count(f"{tmp_path / 'walks' / 'linked'}: this link leads to a folder") == 1


def test_a_call_that_is_refused_tells_of_no_names_that_it_would_have_made(tmp_path: Path, capsys: Any) -> None:
    paths = [tmp_path / name for name in ("one/walk.w3d", "two/walk.w3d", "two/walk.animj")]
    for path in paths:
        path.parent.mkdir(exist_ok=True)
        shutil.copy(WITHOUT_SKELETON, path)
    assert main(["convert", *map(str, paths), "--to", ".csv", "--output", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert "would both become this file" in said and "other endings" not in said


def test_a_file_without_an_ending_has_none_to_keep(tmp_path: Path, capsys: Any) -> None:
    """As MRTK's callers may name a recording; a search of a folder, which opens no file, does not find it."""
    shutil.copy(WITHOUT_SKELETON, tmp_path / "take")
    for command in (["convert", "--to", ".csv"], ["info"]):
        assert main([*command, str(tmp_path)]) == 2
        assert "only files of known endings: name others, such as by" in capsys.readouterr().err
    assert main(["convert", str(tmp_path / "take"), "--to", ".csv"]) == 0
    assert (tmp_path / "take.csv").exists() and "other endings" not in capsys.readouterr().err


@pytest.mark.parametrize("name", ["walks", "walks/**/*.w3d"])
def test_results_among_the_files_are_no_files_of_the_next_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "walks" / "slow").mkdir(parents=True)
    shutil.copy(WITHOUT_SKELETON, tmp_path / "walks" / "slow" / "walk.w3d")
    command = ["convert", name, "--to", ".w3d", "--output", "walks/done"]
    assert main(command) == 0
    made = tmp_path / "walks" / "done" / "slow" / "walk.w3d"
    assert made.is_file()
    assert "folder of the results" not in capsys.readouterr().err
    (tmp_path / "linked").symlink_to("walks")
    assert main([*command[:-1], "linked/done", "--overwrite"]) == 0
    assert "linked/done: the folder of the results lies among the files" in capsys.readouterr().err
    assert sorted(tmp_path.rglob("*.w3d")) == [made, tmp_path / "walks" / "slow" / "walk.w3d"]
    capsys.readouterr()
    assert main(["convert", "walks/slow", "--to", ".w3x", "--json"]) == 0, "beside the files"
    (tmp_path / "rows").write_text(capsys.readouterr().out, encoding="utf-8")
    shutil.copy(made, tmp_path / "walks" / "slow" / "run.w3d")
    assert main(["convert", "walks/slow", "--to", ".w3x", "--json", "--resume", "rows"]) == 0
    assert [path.stem for path in sorted(tmp_path.rglob("*.w3x"))] == ["run", "walk"]
    assert main(["convert", "walks/slow/walk.w3x", "--to", ".csv", "--resume", "rows"]) == 0, "another call's files"


def test_a_file_is_no_folder_of_results(tmp_path: Path, capsys: Any) -> None:
    path = shutil.copy(WITHOUT_SKELETON, tmp_path / "walk.w3d")
    assert main(["convert", str(path), "--to", ".csv", "--output", str(path)]) == 1
    assert "walk.w3d: this folder cannot be made: File exists" in capsys.readouterr().err
    assert path.read_bytes() == WITHOUT_SKELETON.read_bytes()


def test_an_ending_keeps_its_case_of_letters(tmp_path: Path, capsys: Any) -> None:
    shutil.copy(WITHOUT_SKELETON, tmp_path / "WALK.W3D")
    command = ["convert", "--to", ".w3d", "--output", str(tmp_path / "out"), "--json"]
    assert main([*command, str(tmp_path / "*.w3d")]) == 0
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["WALK.W3D"]
    (tmp_path / "rows").write_text(capsys.readouterr().out, encoding="utf-8")
    assert main([*command, str(tmp_path), "--resume", str(tmp_path / "rows")]) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("named", [["walks", "walks/done"], ["walks/done/run.w3d"], ["walks/done"]], ids=" ".join)
def test_files_in_the_folder_of_the_results_that_are_named_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "walks" / "done").mkdir(parents=True)
    shutil.copy(WITHOUT_SKELETON, tmp_path / "walks" / "done" / "run.w3d")
    assert main(["convert", *named, "--to", ".animj", "--output", "walks/done"]) == 0
    assert (tmp_path / "walks" / "done" / "run.animj").is_file()


def test_a_folder_that_cannot_be_listed_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    shutil.copy(WITHOUT_SKELETON, tmp_path / "walk.w3d")
    listing = os.scandir

    def refuse(folder: Any) -> Any:
        if Path(folder) == closed:
            raise PermissionError(errno.EACCES, "Permission denied")
        return listing(folder)

    monkeypatch.setattr(os, "scandir", refuse)  # root may list everything
    assert main(["info", str(tmp_path), "--json"]) == 0
    said = capsys.readouterr()
    assert "walk.w3d" in said.out
    assert f"{closed}: this folder cannot be listed (Permission denied)" in said.err


@pytest.mark.parametrize("read", [read_file, open_document, load_table])
def test_a_folder_is_no_file_and_no_name_holds_a_zero_byte(tmp_path: Path, read: Callable[[Path], Any]) -> None:
    refused(files_messages.NOT_A_FILE, tmp_path, read)
    refused(files_messages.NO_FILE_NAME, Path("a\0b.w3d"), read)


def test_a_file_that_memory_does_not_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(_content: bytes) -> None:
        raise MemoryError

    path = tmp_path / "large.bin"
    path.write_bytes(bytes(7))
    monkeypatch.setattr(whole_file, "BytesIO", no_room)
    refused(files_messages.NO_MEMORY, path, read_file)


def test_a_skeleton_has_the_limit_of_its_animation(tmp_path: Path, capsys: Any) -> None:
    """Of the one that is read as well as of the one that is written."""
    walk, large = shutil.copy(WITHOUT_SKELETON, tmp_path / "walk.w3d"), tmp_path / "large.w3d"
    large.write_bytes(bytes((1 << 20) + 1))
    for names in ((walk, tmp_path / "a.animj"), (DATA / "animx" / "08_walk.animj", tmp_path / "a.w3d")):
        assert main(["convert", *map(str, names), "--skeleton", str(large), "--limit-mib", "1"]) == 1
        assert files_messages.FILE_TOO_LARGE.format(size=(1 << 20) + 1, limit=1 << 20) in capsys.readouterr().err


@pytest.mark.parametrize("command", ["info", "verify", "dump", "convert"])
def test_each_command_knows_the_limit(tmp_path: Path, command: str, capsys: Any) -> None:
    """Also for what it expands to."""
    bomb = DATA / "broken" / "animx" / "lzma_expands_to_96_mib.animx"
    made = [str(tmp_path / "made.animj")] * (command == "convert")
    assert main([command, str(bomb), *made, "--limit-mib", "95"]) == 1
    large = tmp_path / "large.w3d"
    large.write_bytes(WITHOUT_SKELETON.read_bytes() + bytes(1 << 20))
    assert main([command, str(large), *made, "--limit-mib", "1"]) == 1
    told = files_messages.FILE_TOO_LARGE.format(size=large.stat().st_size, limit=1 << 20)
    assert told in "".join(capsys.readouterr())


@pytest.mark.parametrize("side", ["import_options", "export_options"])
@pytest.mark.parametrize("package", FORMATS, ids=lambda package: package.name)
def test_scripts_are_held_to_the_declared_limits_too(package: Any, side: str) -> None:
    """Just inside is taken, just outside, another kind and what is no number are not."""
    options = getattr(package, side)()
    check_options(options)
    for declared in fields(options):
        assert all(label != told for _, label, told in declared.metadata["items"])
        for value in inside(declared):
            check_options(replace(options, **{declared.name: value}))
        for value in outside(declared):
            with pytest.raises(FormatError, match=r"the option .* (goes from|cannot be)"):
                check_options(replace(options, **{declared.name: value}))
    with pytest.raises(TypeError, match="has no option widths"):
        type(options)(widths=1)
    with pytest.raises(FrozenInstanceError):
        options.scale = 2.0
    assert ", scale=1.0" in repr(options)


def inside(declared: Any) -> list[Any]:
    ends = filter(math.isfinite, declared.metadata["limits"])
    return [declared.default, *ends, *(item[0] for item in declared.metadata["items"])]


def outside(declared: Any) -> list[Any]:
    if isinstance(declared.default, str):
        return [5, *(["no such choice"] if declared.metadata["items"] else [])]
    if isinstance(declared.default, bool):
        return [1, "a"]
    low, high = declared.metadata["limits"]
    return [*filter(math.isfinite, (low - 1, high + 1)), *NOT_FINITE, "1", None, True]


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
@pytest.mark.parametrize("flags", [[], ["--json"]], ids=["text", "json"])
def test_any_terminal_can_show_what_files_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoding: str, flags: list[str]
) -> None:
    data = {"node": ODD_NAMES, "property": "x", "interval": 1, "keyframes": [1]}
    track = {"trackType": "Raw", "valueType": "float", "data": data}
    path = tmp_path / "odd.animj"
    path.write_text(
        json.dumps({"name": ODD_NAMES, "globalDuration": 1, "rate": 3, "tracks": [track]}), encoding="utf-8"
    )
    shown = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(shown, encoding))
    assert main(["info", *flags, str(path)]) == 0
    sys.stdout.flush()
    text = shown.getvalue().decode(encoding)
    assert "~" in text and "the key rate " in text and not {"\x0b", "\x1b", "\x7f", "\x9b"} & set(text)
    if flags:
        assert json.loads(text)["name"] == ODD_NAMES
    else:
        assert ("\u624b" in text) == (encoding == "utf-8")
