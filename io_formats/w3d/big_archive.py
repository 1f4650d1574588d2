"""The games' archives (.big): the list of what they hold, and single entries by seeking; never written.

An entry has a path like a file in a folder: `Art.big/Art/W3D/WALK.w3d`. Whoever reads W3D files by `read_file` and
lists folders by `folders.Folder` need not know which of them lie in an archive.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, NamedTuple

from ..errors import FormatError, about_file
from ..files import messages as files_messages
from ..files import whole_file
from . import messages

ENDING = ".big"
PACKED = b"\x10\xfb"
"""First bytes of a packed entry (RefPack), as in archives of other games; none of these games has any."""

MAGICS = (b"BIGF", b"BIG4")
_HEADER = struct.Struct(">4s4sII")
"""Magic, size of the archive (in either order of bytes, unused), number of entries, end of the list (unused)."""

_PLACE = struct.Struct(">II")
_LONGEST_NAME = 259
_LARGEST_RECORD = _PLACE.size + _LONGEST_NAME + 1
_SMALLEST_RECORD = _PLACE.size + 2
_BLOCK, _LOOK = 1 << 18, 1 << 21


class Entry(NamedTuple):
    """A file in an archive: its name with `/` between folders, and where its bytes are."""

    name: str
    offset: int
    size: int


@dataclass(frozen=True, eq=False)
class Archive:
    """What an archive holds.

    Attributes:
        entries: by lower-case name; of two with the same name the last, as in the engine.
        problem: why the list could not be read to its end, None if it could.
    """

    entries: dict[str, Entry] = field(default_factory=dict)
    problem: FormatError | None = None


def split(path: str | Path) -> tuple[Path, str] | None:
    """Return the archive in `path` and the lower-case name in it, empty for the archive itself; None without one."""
    parts = Path(path).parts
    for number, part in enumerate(parts, 1):
        if part.lower().endswith(ENDING):
            archive = Path(*parts[:number])
            if archive.is_file():
                return archive, "/".join(parts[number:]).lower()
    return None


def is_entry(path: str | Path) -> bool:
    """Return whether a path leads into an archive."""
    found = split(path)
    return found is not None and bool(found[1])


def read_file(path: str | Path, limit: int | None = None) -> bytes:
    """Return the bytes of a file or of an entry of an archive; raise FormatError if it cannot be read, is larger than
    `limit`, is packed or is not in the archive."""
    found = split(path)
    if found is None or not found[1]:
        return whole_file.read_file(path, limit)
    with about_file(path):
        archive, name = found
        # the size is compared before anything of the entry is read
        held = list_archive(archive)
        entry = held.entries.get(name)
        if entry is None:
            raise held.problem or FormatError(messages.ARCHIVE_NO_ENTRY, name=name)
        if limit is not None and entry.size > limit:
            raise FormatError(files_messages.FILE_TOO_LARGE, size=entry.size, limit=limit)
        # only this entry: an archive has up to two GiB
        with archive.open("rb") as file:
            file.seek(entry.offset)
            data = file.read(entry.size)
    if data.startswith(PACKED):
        raise FormatError(messages.ARCHIVE_PACKED, file=str(path))
    if len(data) < entry.size:  # it has become shorter meanwhile
        raise FormatError(messages.ARCHIVE_DAMAGED, file=str(path), offset=entry.offset)
    return data


def names_in(data: bytes | whole_file.Unread) -> list[str]:
    """Return the names of the W3D files that an archive lists first, as far as its list can be read."""
    found: list[str] = []
    with suppress(FormatError):
        found.extend(entry.name for entry in _entries(BytesIO(data[:_LOOK]), len(data)))
    return [name for name in found if name.lower().endswith(".w3d")]


def list_archive(path: Path) -> Archive:
    """Return what an archive holds, read once for each state of the file; of a damaged one what precedes the damage."""
    try:
        with about_file(path):
            status = path.stat()
            return _listed(path, status.st_mtime_ns, status.st_size)
    except FormatError as error:
        return Archive(problem=error)


@lru_cache(maxsize=256)
def _listed(path: Path, _changed: int, size: int) -> Archive:
    """Return the entries of an archive in one state; `_changed` only distinguishes states in the cache."""
    whole_file.check_file(path)
    # an entry is added as soon as it is read, so that those before a damaged one are there
    archive: dict[str, Entry] = {}
    with path.open("rb") as file:
        try:
            archive.update((entry.name.lower(), entry) for entry in _entries(file, size))
        except FormatError as error:
            error.file = str(path)
            return Archive(archive, error)
    return Archive(archive)


def _entries(file: BinaryIO, size: int) -> Iterator[Entry]:
    header = file.read(_HEADER.size)
    if len(header) < _HEADER.size or header[:4] not in MAGICS:
        raise FormatError(messages.NO_ARCHIVE, offset=0)
    # more entries than the file has room for would be read for ever
    count = _HEADER.unpack(header)[2]
    if count > (size - _HEADER.size) // _SMALLEST_RECORD:
        raise FormatError(messages.ARCHIVE_DAMAGED, offset=8)
    at, first, data, begin = _HEADER.size, size, header, 0
    for _ in range(count):
        # read in blocks; a record that a block ends within goes in front of the next one
        if begin + len(data) - at < _LARGEST_RECORD:
            data, begin = data[at - begin :] + file.read(_BLOCK), at
        place = at - begin
        end = data.find(0, place + _PLACE.size, place + _LARGEST_RECORD)
        offset, length = _PLACE.unpack_from(data, place) if end > 0 else (0, 0)
        # it ends before the first entry's bytes, and each entry within the file
        first = min(first, offset) if length else first
        if end < 0 or begin + end + 1 > first or (length and offset + length > size):
            raise FormatError(messages.ARCHIVE_DAMAGED, offset=at)
        name = data[place + _PLACE.size : end].decode("latin-1").replace("\\", "/")
        at = begin + end + 1
        yield Entry("/".join(filter(None, name.split("/"))), offset, length)
