"""What a W3D file holds by name: skeletons, models and animations, read by seeking from chunk to chunk."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO, NamedTuple

from . import big_archive, layout
from .document import CompressedHeader, leading_fields, text

_MOST_CHUNKS_PASSED = 10_000
"""Most chunks of a file that are read; the games' own files have some dozens."""

_BLOCK = 1 << 10
"""Bytes that are read at a time: small chunks, as files begin with, cost one call of the system together."""

_START = 2 * layout.CHUNK_HEADER.size + CompressedHeader.LAYOUT.head.size
"""Bytes of a container's beginning up to the end of its header, for the longest header that is needed."""


class Motion(NamedTuple):
    """An animation: upper-case name of its hierarchy, its own name, number of frames, frames a second."""

    hierarchy: str
    name: str
    frames: int
    rate: int


class Contents(NamedTuple):
    """Upper-case names of the hierarchies in a file and of those that its models need, and its animations."""

    hierarchies: tuple[str, ...] = ()
    of_models: tuple[str, ...] = ()
    animations: tuple[Motion, ...] = ()


NOTHING = Contents()
PACKED = Contents()
"""The contents of a packed entry of an archive."""


class _Notes(NamedTuple):
    """What was found in a file so far; what is kept has tuples, which cost Python's garbage collector less."""

    hierarchies: list[str]
    of_models: list[str]
    animations: list[Motion]


def contents_of(path: Path) -> Contents:
    """Return what a file or an entry of an archive holds; nothing if it is damaged or cannot be read."""
    found = big_archive.split(path)
    try:
        if found is None or not found[1]:
            with path.open("rb", buffering=0) as file:
                return contents_in(file, 0, path.stat().st_size)
        entry = big_archive.list_archive(found[0]).entries.get(found[1])
        if entry is None:
            return NOTHING
        with found[0].open("rb", buffering=0) as file:
            return contents_in(file, entry.offset, entry.offset + entry.size)
    except OSError:
        return NOTHING


def contents_in(file: BinaryIO, start: int, end: int) -> Contents:
    """Return what the bytes from `start` to `end` hold.

    Reading ends at the first chunk header of zeros, or after _MOST_CHUNKS_PASSED chunks: what lies beside an animation
    may be anything, and of any size.
    """
    notes, at, block, begin = _Notes([], [], []), start, b"", start
    for _ in range(_MOST_CHUNKS_PASSED):
        if at >= end:
            break
        if min(at + _START, end) > begin + len(block):
            file.seek(at)
            begin, block = at, file.read(min(_BLOCK, end - at))
        inside = at - begin + layout.CHUNK_HEADER.size
        header = block[at - begin : inside]
        if len(header) < layout.CHUNK_HEADER.size or not any(header):
            break
        if at == start and header.startswith(big_archive.PACKED):
            return PACKED
        kind, size = layout.CHUNK_HEADER.unpack(header)
        _note(notes, kind, block, inside)
        at += layout.CHUNK_HEADER.size + (size & layout.SIZE_MASK)
    return Contents(tuple(notes.hierarchies), tuple(notes.of_models), tuple(notes.animations))


def _note(notes: _Notes, kind: int, data: bytes, start: int) -> None:
    """Add what the container from `start` of `data` on holds to `notes`, by the header at its beginning."""
    fields = leading_fields(kind, data, start)
    if fields is None:
        return
    if "frame_count" in fields:
        hierarchy, name = text(fields["hierarchy"]).upper(), text(fields["name"])
        notes.animations.append(Motion(hierarchy, name, fields["frame_count"], fields["rate"]))
    elif "hierarchy" in fields:
        _note_name(notes.of_models, fields["hierarchy"])
    else:
        _note_name(notes.hierarchies, fields["name"])


def _note_name(names: list[str], name: bytes) -> None:
    if found := text(name).upper():
        names.append(found)
