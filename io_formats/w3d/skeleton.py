"""Where skeletons, models and animations are: beside a file, and in the games' folders and archives as one library.

If a folder and its archives have files of the same name, the game takes the loose file, else that of the first archive
in alphabetical order; so does the library. Files are read by seeking, once for each state of the file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import BinaryIO, NamedTuple

from .. import messages as common_messages
from ..clip.pivots import lacking, read_once
from ..errors import Report
from ..files.whole_file import Folder, FoundFile, files_below
from ..format import Library as Motions
from ..format import Motion
from ..options import SIZE_LIMIT
from ..saving import read_document
from . import FORMAT, big_archive, layout, messages
from .big_archive import Archive
from .document import MORPH, CompressedHeader, Document, leading_fields, text

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


# The search for the skeleton of an animation file.

_MOST_FILES_PASSED = 2000
"""Most files of a folder that are all opened to find models; the games' archives unpack to ten thousand."""

_PREFIX = 2
"""Letters of a hierarchy's name that are its folder's name in the archives of the Middle-earth games."""


def wanted_names(document: Document) -> list[str]:
    """Return names of the hierarchies that the file's animations need and the file does not hold."""
    return lacking((text(animation.header.hierarchy) for animation in document.animations), document.hierarchies)


@dataclass
class SkeletonFinder:
    """Finds skeleton files beside animation files; keeps folders and files, so that a batch reads each once.

    Attributes:
        limit: most bytes that a skeleton file may have.
        library: the games' folders and archives, searched if nothing is found beside the animation.
    """

    limit: int = SIZE_LIMIT
    library: Library = field(default_factory=Library)
    _folder: Callable[[Path], Folder] = field(default_factory=lambda: cache(folder_of))
    _held: Callable[[Path], Contents] = field(default_factory=lambda: cache(contents_of))
    _hierarchies: dict[Path, dict[str, Path]] = field(default_factory=dict)
    _documents: dict[Path, Document | None] = field(default_factory=dict)

    def skeleton_of(self, names: Sequence[str], path: Path, report: Report, chosen: str = "") -> Document | None:
        """Return the document with the first of these hierarchies that is found, None if none is.

        Args:
            path: of the animation file.
            chosen: a skeleton file that the user named; then nothing else is searched, nor that if there are no names.

        Raises:
            FormatError: the chosen file cannot be read.
        """
        if chosen and names:
            path = Path(chosen)
            self._documents[path] = self._documents.get(path) or self._read(path)
            return self._documents[path]
        for name in names:
            for found in self._candidates(path, name):
                skeleton = self.read(found, report)
                if skeleton is not None:
                    report.note(common_messages.SKELETON_FOUND, name=name, file=str(found))
                    return skeleton
        return None

    def _candidates(self, path: Path, name: str) -> Iterator[Path]:
        """Yield the files that hold the hierarchy `name`: NAME.w3d (any case), then any *.w3d that has it.

        The search covers the animation's folder, its parent folder and folders in these named by the first two
        letters, as in the archives of the Middle-earth games.
        """
        beside = path.absolute().parent
        above = beside.parent
        prefix = name[:_PREFIX].lower()
        within = [below for folder in (above, beside) for below in self._folder(folder).below.get(prefix, ())]
        folders = [beside, above, *within]
        for folder in folders:
            direct = self._folder(folder).files.get(f"{name}.w3d".lower())
            if direct is not None and name.upper() in self._held(direct).hierarchies:
                yield direct
        yield from filter(None, (self._hierarchies_in(folder).get(name.upper()) for folder in folders))
        yield from self.library.skeletons(name)

    def _hierarchies_in(self, folder: Path) -> dict[str, Path]:
        """Return the W3D files of a folder by the hierarchies (upper case) that they hold."""
        if folder not in self._hierarchies:
            files = reversed(self._folder(folder).ending_in(".w3d"))
            self._hierarchies[folder] = {name: path for path in files for name in self._held(path).hierarchies}
        return self._hierarchies[folder]

    def models_on(self, path: Path, name: str) -> list[Path]:
        """Return the other files beside `path` with models for the hierarchy `name`, sorted by name.

        In a large folder only files whose names begin like the hierarchy's are opened. If there are none beside, the
        library is searched in the same way.
        """
        files = [found for found in self._folder(path.absolute().parent).ending_in(".w3d") if found.name != path.name]
        if len(files) > _MOST_FILES_PASSED:
            files = [found for found in files if found.name.lower().startswith(name[:ALIKE].lower())]
        beside = [found for found in files if name.upper() in self._held(found).of_models]
        return beside or self.library.models_on(name)

    def read(self, path: Path, report: Report) -> Document | None:
        """Return a file that nobody named, read once; a damaged one costs a warning, not the import."""
        return read_once(self._documents, path, self._read, report)

    def path_of(self, document: Document, other: Path) -> Path:
        """Return the path that this finder read a document from, `other` if it did not read it."""
        return next((path for path, known in self._documents.items() if known is document), other)

    def _read(self, path: Path) -> Document:
        return read_document(FORMAT, path, self.limit)
