"""Animation files as data: readers, writers and curve maths that need numpy and nothing of Blender's.

from io_formats import open_document, mrtk
document = open_document("walk.w3d")
data = mrtk.write(mrtk.read(data))
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

from . import animx, messages, mrtk, w3d
from .binary import SIZE_LIMIT
from .errors import FormatError, Report, about_file
from .files import memory
from .files.whole_file import Unread, read_file, unread

FORMATS: tuple[ModuleType, ...] = (mrtk, w3d, animx)

__all__ = ["FORMATS", "FormatError", "Report", "animx", "format_of", "identify", "mrtk", "open_document", "w3d"]


def identify(data: bytes | Unread) -> ModuleType:
    """The format package that these bytes belong to, by content; FormatError if none does."""
    if not data:
        raise FormatError(messages.EMPTY_FILE, offset=0)
    for package in FORMATS:
        if package.matches(data):
            return package
    raise FormatError(messages.UNKNOWN_FORMAT, offset=0)


def read_identified(path: str | Path, limit: int = SIZE_LIMIT) -> tuple[bytes, ModuleType]:
    """Read a file of at most `limit` bytes, once a look into it has told its format package.

    Raises:
        FormatError: it cannot be opened, is of no known format or too large.
    """
    with unread(path) as data:
        package = identify(data)
    return read_file(path, limit), package


def format_of(name: str) -> ModuleType:
    """The format package called `name` ("mrtk", "w3d", "animx") or known by the ending `name` (".bin")."""
    for package in FORMATS:
        if name == package.NAME or name.lower() in package.EXTENSIONS:
            return package
    raise FormatError(messages.UNKNOWN_ENDING, found=name)


def open_document(path: str | Path, report: Report | None = None) -> Any:
    """Read a file of any of the formats, told apart by content, never by the ending of its name.

    Raises:
        FormatError: with `.file`, `.offset` and `.field`, for a file that cannot be opened, is of no known
            format, or is damaged.
    """
    data, package = read_identified(path)
    with about_file(path), memory.limited():
        return package.read(data, report=report)
