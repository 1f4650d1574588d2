"""The games' folders and the archives in them as one library: which animations, skeletons and models they hold.

If a folder and its archives have files of the same name, the game takes the loose file, else that of the first archive
in alphabetical order; so does the library. Files are read by seeking, once for each state of the file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cached_property, lru_cache
from pathlib import Path
from typing import BinaryIO, NamedTuple

from ..files.whole_file import Folder, FoundFile, files_below
from ..format import Library as Motions
from ..format import Motion
from . import big_archive, layout, messages
from .big_archive import Archive
from .document import MORPH, CompressedHeader, leading_fields, text

ALIKE = 4
"""Number of first letters that a hierarchy's name and its models' names share in the games' own files."""


class Library(Motions):
    """Skeletons and models as well; archives are folders."""

    def places(self) -> Iterator[Path]:
        """Yield the folders, then the archives in them."""
        yield from self._folders
        for _, archives in self._walked:
            yield from (Path(archive.path) for archive in archives)

    def _motions(self) -> Iterator[tuple[str, Motion]]:
        yield from ((path, motion) for path, held in self._files for motion in held.animations)

    def skeletons(self, name: str) -> list[Path]:
        """Return the files that hold the hierarchy `name`, those with its name first, as the game looks it up."""
        found = [Path(path) for path, held in self._files if name.upper() in held.hierarchies]
        return sorted(found, key=lambda path: path.stem.upper() != name.upper())

    def models_on(self, name: str) -> list[Path]:
        """Return the files with models for the hierarchy `name` whose names begin like it, sorted by name."""
        found = [Path(path) for path, held in self._files if name.upper() in held.of_models]
        alike = [path for path in found if path.name.upper().startswith(name[:ALIKE].upper())]
        return sorted(alike, key=lambda path: path.name.lower())

    @cached_property
    def _walked(self) -> list[tuple[dict[str, FoundFile], list[FoundFile]]]:
        """Of each folder the loose W3D files by lower-case path within it, and its archives in alphabetical order."""
        walked = []
        for folder in map(str, self._folders):
            loose: dict[str, FoundFile] = {}
            archives: dict[str, FoundFile] = {}
            for found in files_below(folder, (".w3d", big_archive.ENDING), self._report):
                name = found.path[len(folder) :].replace(os.sep, "/").lower().lstrip("/")
                (archives if name.endswith(big_archive.ENDING) else loose).setdefault(name, found)
            walked.append((loose, [archives[name] for name in sorted(archives)]))
        return walked

    @cached_property
    def _files(self) -> list[tuple[str, Contents]]:
        """The files that a game would take, with what they hold."""
        return [found for loose, archives in self._walked for found in self._taken(loose, archives)]

    def _taken(self, loose: dict[str, FoundFile], archives: list[FoundFile]) -> Iterator[tuple[str, Contents]]:
        yield from ((found.path, _loose(*found)) for found in loose.values())
        taken = set(loose)
        for archive in archives:
            packed = 0
            for name, path, held in _archived(*archive):
                packed += held is PACKED
                if name not in taken:
                    taken.add(name)
                    yield path, held
            problem = big_archive.list_archive(Path(archive.path)).problem
            if problem is not None:
                self._report.warn(messages.ARCHIVE_PASSED_OVER, reason=str(problem))
            if packed:
                self._report.warn(messages.ARCHIVE_ENTRIES_PACKED, file=archive.path, entries=packed)


@lru_cache(maxsize=1 << 17)
def _loose(path: str, _changed: int, size: int) -> Contents:
    """Return what a file in one state holds; `_changed` only distinguishes states in the cache."""
    return _held_by(path, 0, size)


@lru_cache(maxsize=256)
def _archived(path: str, _changed: int, _size: int) -> list[tuple[str, str, Contents]]:
    """Return lower-case name, path and contents of the W3D files in an archive in one state."""
    archive = big_archive.list_archive(Path(path))
    try:
        with open(path, "rb", buffering=0) as file:
            return [
                (name, f"{path}/{entry.name}", contents_in(file, entry.offset, entry.offset + entry.size))
                for name, entry in archive.entries.items()
                if name.endswith(".w3d")
            ]
    except OSError:
        return []


# What a W3D file holds by name: skeletons, models and animations, read by seeking from chunk to chunk.

_MOST_CHUNKS_PASSED = 10_000
"""Most chunks of a file that are read; the games' own files have some dozens."""

_BLOCK = 1 << 10
"""Bytes that are read at a time: small chunks, as files begin with, cost one call of the system together."""

_START = 2 * layout.CHUNK_HEADER.size + CompressedHeader.LAYOUT.head.size
"""Bytes of a container's beginning up to the end of its header, for the longest header that is needed."""


class Contents(NamedTuple):
    """Upper-case names of the hierarchies in a file and of those that its models need, and its animations."""

    hierarchies: tuple[str, ...] = ()
    of_models: tuple[str, ...] = ()
    animations: tuple[Motion, ...] = ()


PACKED = Contents()
"""The contents of a packed entry of an archive."""


def contents_of(path: Path) -> Contents:
    """Return what a file or an entry of an archive holds; nothing if it is damaged or cannot be read."""
    archive, name = big_archive.split(path) or (path, "")
    if not name:
        return _held_by(path, 0)
    entry = big_archive.list_archive(archive).entries.get(name)
    return Contents() if entry is None else _held_by(archive, entry.offset, entry.offset + entry.size)


def _held_by(path: Path | str, start: int, end: int | None = None) -> Contents:
    try:
        with open(path, "rb", buffering=0) as file:
            return contents_in(file, start, os.fstat(file.fileno()).st_size if end is None else end)
    except OSError:
        return Contents()


def contents_in(file: BinaryIO, start: int, end: int) -> Contents:
    """Return what the bytes from `start` to `end` hold.

    Reading ends at the first chunk header of zeros, or after _MOST_CHUNKS_PASSED chunks: what lies beside an animation
    may be anything, and of any size.
    """
    hierarchies, of_models, animations = list[str](), list[str](), list[Motion]()
    at, block, begin = start, b"", start
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
        at += layout.CHUNK_HEADER.size + (size & layout.SIZE_MASK)
        fields = None if kind == MORPH else leading_fields(kind, block, inside)
        if fields is None:
            continue
        name, hierarchy = text(fields["name"]), text(fields.get("hierarchy", b"")).upper()
        if "frame_count" in fields:
            animations.append(Motion(hierarchy, name, fields["frame_count"], fields["rate"]))
        elif "hierarchy" in fields:
            of_models.append(hierarchy)
        else:
            hierarchies.append(name.upper())
    # as tuples, which cost Python's garbage collector less
    return Contents(tuple(filter(None, hierarchies)), tuple(filter(None, of_models)), tuple(animations))


# Folders of files and folders within archives, listed alike, whatever the case of the names.


def folder_of(path: Path) -> Folder:
    """Return what lies in a folder, an archive, or a folder within one; nothing if it cannot be read."""
    found = big_archive.split(path)
    if found is None:
        return Folder.of(path)
    archive, name = found
    return _tree(archive, big_archive.list_archive(archive)).get(name, Folder())


@lru_cache(maxsize=256)
def _tree(path: Path, archive: Archive) -> dict[str, Folder]:
    """Return the folders of an archive by lower-case name, the archive itself under the empty one."""
    tree = {"": Folder()}
    for key, entry in archive.entries.items():
        *folders, name = key.split("/")
        above = ""
        for folder in folders:
            below = f"{above}/{folder}".lstrip("/")
            if below not in tree:
                tree[below] = Folder()
                tree[above].below[folder] = [path / below]
            above = below
        tree[above].files[name] = path / entry.name
    return tree
