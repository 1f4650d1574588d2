"""Animation files as data: readers, writers and curve maths that need numpy and nothing of Blender's.

from io_formats import open_document, mrtk
document = open_document("walk.w3d")
data = mrtk.write(mrtk.read(data))
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import animx, messages, mrtk, w3d, w3x
from .errors import FormatError, Report, about_file
from .files import memory, steps, whole_file
from .interchange import CSV, GLB, NPZ
from .interchange import messages as interchange_messages
from .later import modules_of
from .options import SIZE_LIMIT

if TYPE_CHECKING:
    from .files.steps import Steps
    from .files.whole_file import Unread
    from .format import AnyFile, AnyFormat
    from .interchange.kind import AnyInterchange

__version__ = "1.0.0"

FORMATS: tuple[AnyFormat, ...] = (mrtk.FORMAT, w3d.FORMAT, w3x.FORMAT, animx.FORMAT)
"""All formats, in the order in which content is tried and menus show them."""

ENDINGS = tuple(ending for file_format in FORMATS for ending in file_format.extensions)
"""Endings of all files that are ours."""

INTERCHANGE: tuple[AnyInterchange, ...] = (GLB, CSV, NPZ)
"""What conversions can write besides. A further one is a module of `interchange` and an entry here."""

TARGETS = (*ENDINGS, *(ending for kind in INTERCHANGE for ending in kind.extensions))
"""Endings of all files that a conversion can write."""

__all__ = ["ENDINGS", "FORMATS", "INTERCHANGE", "TARGETS", "FormatError", "Report", "animx", "mrtk", "w3d", "w3x"]
__all__ += ["format_at", "format_of", "identify", "open_document", "open_file", "target_of"]

__getattr__ = modules_of(__name__)


def identify(data: bytes | Unread) -> AnyFormat:
    """Return the format that these bytes belong to, judged by content; raise FormatError if there is none."""
    if not data:
        raise FormatError(messages.EMPTY_FILE, offset=0)
    found = format_in(data)
    if found is not None:
        return found
    for kind in INTERCHANGE:
        if kind.matches(data):
            raise FormatError(interchange_messages.WRITTEN_ONLY, kind=kind.title)
    raise FormatError(messages.UNKNOWN_FORMAT, offset=0)


def format_in(data: bytes | Unread, *likely: AnyFormat) -> AnyFormat | None:
    """Return the format of a file's content, one of the `likely` ones if it may be that; None if it is none of ours."""
    return next((known for known in (*likely, *FORMATS) if len(data) and known.matches(data)), None)


def format_at(path: str | Path) -> AnyFormat:
    """Return the format of a file by its content, or that into whose archives the path leads; FormatError for none."""
    file = Path(path)
    with about_file(path):  # also of a name that is too long
        packed = None if file.is_file() else next((each for each in FORMATS if each.is_packed(file)), None)
        if packed is not None:
            return packed
        with whole_file.unread(path) as look:
            return identify(look)


def format_of(name: str) -> AnyFormat:
    """Return the format of that name ("mrtk", "w3d", "w3x", "animx") or known by the ending `name` (".bin"); raise
    FormatError if there is none."""
    for file_format in FORMATS:
        if name == file_format.name or name.lower() in file_format.extensions:
            return file_format
    raise FormatError(messages.UNKNOWN_ENDING, found=name, endings=", ".join(ENDINGS))


def target_of(ending: str) -> AnyFormat | AnyInterchange:
    """Return what a conversion writes into files of an ending; raise FormatError if it writes no such files."""
    if ending.lower() not in TARGETS:
        raise FormatError(messages.UNKNOWN_ENDING, found=ending, endings=", ".join(TARGETS))
    kinds = (kind for kind in INTERCHANGE if ending.lower() in kind.extensions)
    return next(kinds, None) or format_of(ending)


def open_in_steps(path: str | Path, limit: int = SIZE_LIMIT, report: Report | None = None) -> Steps[AnyFile]:
    """Read a file of any of the formats, told apart by content, never by the ending of its name.

    Raises:
        FormatError: with `.file`, `.offset` and `.field`, for a file that cannot be opened, has or expands to more
            bytes than `limit`, is of no known format, or damaged.
    """
    path = Path(path)
    file_format = format_at(path)
    if file_format.is_packed(path):
        data = file_format.read_file(path, limit)
    else:
        data = yield from steps.portion(whole_file.read_file.steps(path, limit), last=0.5)
    with about_file(path):
        return (yield from steps.portion(file_format.opened(path, data, limit=limit, report=report), 0.5))


def open_file(path: str | Path, limit: int = SIZE_LIMIT, report: Report | None = None) -> AnyFile:
    """Do as `open_in_steps`, at once."""
    return steps.finished(open_in_steps(path, limit, report))


def open_document(path: str | Path, report: Report | None = None) -> Any:
    """Read a file as `open_file` does, and return its document, which is of the file's format."""
    with memory.limited():
        return open_file(path, report=report).document
