"""The branches for Windows, run anywhere: the system is said to be Windows, and its calls refuse as they do there."""

from __future__ import annotations

import errno
import os
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from io_formats import FormatError
from io_formats.files import batch_files, memory, messages, whole_file
from io_formats.files.steps import finished


@pytest.fixture(autouse=True)
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Say `win32`, without links and locks; renaming refuses a name that is taken."""

    def rename(source: Path, target: Path) -> None:
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, "taken")
        os.replace(source, target)

    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.delattr(os, "link")
    monkeypatch.delattr(os, "chown")
    monkeypatch.delattr(os, "sysconf")
    monkeypatch.setattr(whole_file, "fcntl", None)
    monkeypatch.setattr(os, "rename", rename)


def test_a_file_is_written_and_replaced(tmp_path: Path) -> None:
    target = tmp_path / "walk.w3d"
    for data in (b"new", b"newer"):
        whole_file.write_atomically(target, data, overwrite=data == b"newer")
        assert target.read_bytes() == data
    assert list(tmp_path.iterdir()) == [target]


def test_a_file_that_appears_meanwhile_stays(tmp_path: Path) -> None:
    target = tmp_path / "walk.w3d"
    with pytest.raises(FormatError) as caught:
        work = whole_file.write_atomically.steps(target, b"ours", overwrite=False)
        finished(work, lambda _share: target.write_bytes(b"theirs") and None)
    assert caught.value.template == messages.WRITE_EXISTS
    assert target.read_bytes() == b"theirs" and list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("code", [32, 33])
def test_a_file_open_in_another_program_is_called_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def refuse(*paths: Path) -> None:
        error = PermissionError(errno.EACCES, "used by another process")
        error.winerror = code  # type: ignore[attr-defined]
        raise error

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(FormatError) as caught:
        whole_file.write_atomically(tmp_path / "walk.w3d", b"new")
    assert caught.value.template == messages.WRITE_LOCKED and not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "name", ["CON.animj", "aux.w3d", "com1", "walk.w3d.", "walk ", "a:b.w3d", "a?.w3d", "a\tb.w3d"]
)
def test_a_name_that_windows_gives_another_meaning_is_refused(tmp_path: Path, name: str) -> None:
    for write in (partial(whole_file.write_atomically, data=b"new"), batch_files.Outputs().take):
        with pytest.raises(FormatError) as caught:
            write(tmp_path / name)
        assert caught.value.template == messages.WRITE_BAD_NAME
    batch_files.Outputs().take(tmp_path / "console.w3d")
    assert not list(tmp_path.iterdir())


def test_a_lock_that_is_just_being_removed_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows denies access to it, instead of saying that it is there."""
    refusals, opened = [errno.EACCES, errno.EEXIST], os.open

    def busy(path: Any, *rest: int) -> int:
        if refusals:
            number = refusals.pop()
            raise OSError(number, os.strerror(number))
        return opened(path, *rest)

    monkeypatch.setattr(os, "open", busy)
    with whole_file.folder_to_ourselves(tmp_path):
        assert not refusals and [path.name for path in tmp_path.iterdir()] == [".anim-curves.lock"]
    assert not list(tmp_path.iterdir())


def test_memory_is_taken_for_two_gibibytes_where_nobody_says_how_much_there_is() -> None:
    assert memory.suitable() == 2 << 30
