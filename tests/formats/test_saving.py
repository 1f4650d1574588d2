"""What was encoded is read again before anything is touched: a writer that says something else changes no file."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from io_formats import open_file, w3d
from io_formats.errors import FormatError, Report
from io_formats.files import messages
from io_formats.files.batch_files import Outputs
from io_formats.files.steps import Steps, finished
from io_formats.saving import NewFile

DATA = Path(__file__).parents[1] / "data"
REPLACING = Outputs(overwrite=True)
FILES = {"mrtk": "v10_recorder_3s_left_hand.bin", "w3d": "g01_raw_trim_vis.w3d", "animx": "08_walk_plain.animx"}


def file_of(name: str, folder: Path, spoil: Callable[[bytes], bytes]) -> NewFile:
    """An old file, and a new one in its place by a writer whose bytes are spoilt."""
    file_format: Any = importlib.import_module(f"io_formats.{name}").FORMAT
    data = (DATA / name / FILES[name]).read_bytes()
    (path := folder / FILES[name]).write_bytes(b"old")
    broken: Any = copy(file_format)
    broken.write = lambda *given: at_once(spoil(finished(file_format.write(*given))))
    options = file_format.write_options()
    return NewFile(path, broken, options, Report(), REPLACING, finished(file_format.read(data)))


def at_once(data: bytes) -> Steps[bytes]:
    """The bytes as steps of which there is one."""
    yield 1.0
    return data


def other_value(data: bytes) -> bytes:
    """One bit of a number near the end, where every one of these files has its last keys."""
    return data[:-9] + bytes([data[-9] ^ 4]) + data[-8:]


@pytest.mark.parametrize("name", FILES)
def test_a_writer_that_writes_another_number_is_found_out(tmp_path: Path, name: str) -> None:
    file = file_of(name, tmp_path, other_value)
    with pytest.raises(FormatError) as caught:
        finished(file.write())
    assert caught.value.template == messages.WRITE_DIFFERS
    assert file.path.read_bytes() == b"old" and list(tmp_path.iterdir()) == [file.path]


@pytest.mark.parametrize("name", FILES)
def test_a_writer_that_writes_the_same_is_believed(tmp_path: Path, name: str) -> None:
    file = file_of(name, tmp_path, lambda data: data)
    assert finished(file.write()) == file.format.describe(file.document)
    other = replace(file, path=tmp_path / "walk.animj", data=None, again=None)
    assert name != "animx" or finished(other.write()) == open_file(other.path).describe()
    assert file.path.read_bytes() == (DATA / name / FILES[name]).read_bytes()
    file.outputs = Outputs()
    with pytest.raises(FormatError, match="exists already"):
        finished(file.write())


@pytest.mark.parametrize("there", [False, True])
def test_what_another_program_adds_to_a_file_meanwhile_is_not_undone(tmp_path: Path, there: bool) -> None:
    """Two exports into one file: the later one has not read what the first one wrote."""
    data = (DATA / "w3d" / FILES["w3d"]).read_bytes()
    [clip] = w3d.to_clips(w3d.read(data), w3d.ReadOptions(), Report())
    path, options = tmp_path / "walk.w3d", w3d.WriteOptions(into_existing=True)
    if there:
        path.write_bytes(data)
    first, second = (NewFile(path, w3d.FORMAT, options, Report(), REPLACING) for _ in range(2))
    for file in (first, second):
        finished(file.add(clip))
    finished(first.write())
    written = path.read_bytes()
    with pytest.raises(FormatError) as caught:
        finished(second.write())
    assert caught.value.template == messages.WRITE_LOCKED and path.read_bytes() == written
