"""What a W3D file holds by name: skeletons, models and animations, read by seeking from chunk to chunk."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO, NamedTuple

from . import big_archive, layout
from .document import text
from .layout import Kind

HMODEL, HMODEL_HEADER, HLOD, HLOD_HEADER = 0x300, 0x301, 0x700, 0x701
"""Ids of the chunks that say which hierarchy a model stands on; what else they hold is in `models`."""

_MOST_CHUNKS_PASSED = 10_000
"""Chunks of a file that are looked at; the games' own have some dozens."""

_START = 2 * layout.CHUNK_HEADER.size + layout.COMPRESSED_HEADER.size
"""Bytes of a container with the header in it that is first: the longest of those that are looked for."""


class Motion(NamedTuple):
    """An animation: upper-case name of its hierarchy, its own name, number of frames, frames a second."""

    hierarchy: str
    name: str
    frames: int
    rate: int


class Contents(NamedTuple):
    """Upper-case names of the hierarchies in a file, of those that its models stand on, and its animations."""

    hierarchies: list[str]
    of_models: list[str]
    animations: list[Motion]


NOTHING = Contents([], [], [])
PACKED = Contents([], [], [])
"""Of an entry of an archive that is packed."""


def contents_of(path: Path) -> Contents:
    """What a file or an entry of an archive holds; nothing if it is damaged or cannot be read."""
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
    """What the bytes from `start` to `end` hold.

    It ends with the first chunk of nothing but zeros, or after so many chunks: what lies beside an animation may be
    anything, and of any size.
    """
    held, at = Contents([], [], []), start
    for _ in range(_MOST_CHUNKS_PASSED):
        if at >= end:
            break
        file.seek(at)
        head = file.read(min(_START, end - at))
        if len(head) < layout.CHUNK_HEADER.size or not any(head[: layout.CHUNK_HEADER.size]):
            break
        if at == start and head.startswith(big_archive.PACKED):
            return PACKED
        kind, size = layout.CHUNK_HEADER.unpack_from(head)
        _note(held, kind, head[layout.CHUNK_HEADER.size :])
        at += layout.CHUNK_HEADER.size + (size & layout.SIZE_MASK)
    return held


def _note(held: Contents, kind: int, inside: bytes) -> None:
    """Note what a container holds, by the header that is first in it."""
    if kind in _MOTIONS:
        header, table = _MOTIONS[kind]
        start = layout.CHUNK_HEADER.size
        if inside[:4] == header.to_bytes(4, "little") and len(inside) >= start + table.size:
            _, name, hierarchy, frames, rate = table.unpack_from(inside, start)[:5]
            held.animations.append(Motion(text(hierarchy).upper(), text(name), frames, rate))
    elif kind in _NAME_PLACES:
        header, place = _NAME_PLACES[kind]
        name = _name_at(inside, header, place).upper()
        names = held.hierarchies if kind == Kind.HIERARCHY else held.of_models
        names.extend([name] if name else [])


def _name_at(start: bytes, header_kind: int, place: int) -> str:
    """A name in the first bytes of a container, whose header comes first."""
    name = layout.CHUNK_HEADER.size + place
    return text(start[name : name + layout.NAME_SIZE]) if start[:4] == header_kind.to_bytes(4, "little") else ""


_NAME_PLACES = {
    int(Kind.HIERARCHY): (int(Kind.HIERARCHY_HEADER), 4),
    HMODEL: (HMODEL_HEADER, 4 + layout.NAME_SIZE),
    HLOD: (HLOD_HEADER, 8 + layout.NAME_SIZE),
}
"""By the id of a container: the id of its header, and where a hierarchy's name begins in that."""

_MOTIONS = {
    int(Kind.ANIMATION): (int(Kind.ANIMATION_HEADER), layout.ANIMATION_HEADER),
    int(Kind.COMPRESSED_ANIMATION): (int(Kind.COMPRESSED_ANIMATION_HEADER), layout.COMPRESSED_HEADER),
}
"""By the id of a container: the id and the fields of its header."""
