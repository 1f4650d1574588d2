"""The files below a folder, as libraries search the folders that a person names."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from operator import attrgetter
from typing import NamedTuple

from ..errors import Report
from . import messages

_MOST_FILES = 500_000
"""Most files and folders below a folder that are searched, in case a whole disk is chosen."""


class FoundFile(NamedTuple):
    """A file of a folder: its path, and what distinguishes its states."""

    path: str
    changed: int
    size: int


def files_below(folder: str, endings: tuple[str, ...], report: Report) -> Iterator[FoundFile]:
    """Yield the files with these lower-case endings, in any case of letters, in the order of their names.

    Links to folders are not followed, and broken ones are passed over.
    """
    for number, entry in enumerate(_below(folder)):
        if number == _MOST_FILES:
            report.warn(messages.FOLDER_TOO_LARGE, folder=folder, limit=_MOST_FILES)
            break
        found = _state(entry) if entry.name.lower().endswith(endings) else None
        if found is not None:
            yield found


def _below(folder: str) -> Iterator[os.DirEntry[str]]:
    """Yield everything below a folder that can be listed; links to folders are not followed."""
    try:
        with os.scandir(folder) as listed:
            entries = sorted(listed, key=attrgetter("name"))
    except (OSError, ValueError):
        return
    for entry in entries:
        yield entry
        if entry.is_dir(follow_symlinks=False):
            yield from _below(entry.path)


def _state(entry: os.DirEntry[str]) -> FoundFile | None:
    """Return a file's path and state; None for other things than files and for broken links."""
    try:
        status = entry.stat()
    except OSError:
        return None
    return FoundFile(entry.path, status.st_mtime_ns, status.st_size) if stat.S_ISREG(status.st_mode) else None
