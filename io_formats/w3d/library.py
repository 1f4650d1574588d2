"""The games' folders and the archives in them as one library: which animations, skeletons and models they hold.

If a folder and its archives have files of the same name, the game takes the loose file, else that of the first archive
in alphabetical order; so does the library. Files are read by seeking, once for each state of the file.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property, lru_cache
from pathlib import Path

from ..errors import Report
from ..files.folder_files import FoundFile, files_below
from ..format import Listed
from . import big_archive, messages
from .contents import NOTHING, PACKED, Contents, contents_in

ALIKE = 4
"""Number of first letters that a hierarchy's name and its models' names share in the games' own files."""


class Library:
    """What some folders hold; the disk is read when something is first asked for."""

    def __init__(self, folders: Sequence[Path] = ()) -> None:
        self._own = folders
        self._report = Report()

    def tell(self, report: Report) -> None:
        """Report what was wrong with archives and folders, once."""
        report.extend(self._report)
        self._report = Report()

    def places(self) -> Iterator[Path]:
        """Yield the folders, then the archives in them."""
        yield from self._own
        for _, archives in self._walked:
            yield from (Path(archive.path) for archive in archives)

    def listed(self, hierarchies: Collection[str]) -> list[Listed]:
        """Return the animations for hierarchies of these names, sorted by name and file."""
        wanted = {name.upper() for name in hierarchies}
        found = [
            Listed(motion.name, motion.frames, motion.rate, path, _shown(path))
            for path, held in self._files
            for motion in held.animations
            if motion.hierarchy in wanted
        ]
        return sorted(found, key=lambda listed: (listed.name.lower(), listed.path))

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
        return [self._walk(str(folder)) for folder in self._own]

    def _walk(self, folder: str) -> tuple[dict[str, FoundFile], list[FoundFile]]:
        """Return loose W3D files of a folder by lower-case path within it, and its archives in alphabetical order."""
        loose: dict[str, FoundFile] = {}
        archives: dict[str, FoundFile] = {}
        for found in files_below(folder, (".w3d", big_archive.ENDING), self._report):
            name = found.path[len(folder) :].replace(os.sep, "/").lower().lstrip("/")
            (archives if name.endswith(big_archive.ENDING) else loose).setdefault(name, found)
        return loose, [archives[name] for name in sorted(archives)]

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
            self._judge(Path(archive.path), packed)

    def _judge(self, archive: Path, packed: int) -> None:
        problem = big_archive.list_archive(archive).problem
        if problem is not None:
            self._report.warn(messages.ARCHIVE_PASSED_OVER, reason=str(problem))
        if packed:
            self._report.warn(messages.ARCHIVE_ENTRIES_PACKED, file=str(archive), entries=packed)


def _shown(path: str) -> str:
    """Return the name of a file, preceded by that of its archive if it is in one."""
    folder, _, name = path.replace(os.sep, "/").rpartition("/")
    archive = _archive_in(folder)
    return f"{archive}/{name}" if archive else name


@lru_cache(maxsize=1 << 10)
def _archive_in(folder: str) -> str:
    """Return the name of the first archive on the way to a folder, empty without one."""
    return next((part for part in folder.split("/") if part.lower().endswith(big_archive.ENDING)), "")


@lru_cache(maxsize=1 << 17)
def _loose(path: str, changed: int, size: int) -> Contents:
    """Return what a file in one state holds; `changed` only distinguishes states in the cache."""
    del changed
    try:
        with open(path, "rb", buffering=0) as file:
            return contents_in(file, 0, size)
    except OSError:
        return NOTHING


@lru_cache(maxsize=256)
def _archived(path: str, changed: int, size: int) -> list[tuple[str, str, Contents]]:
    """Return lower-case name, path and contents of the W3D files in an archive in one state."""
    del changed, size
    archive = big_archive.list_archive(Path(path))
    wanted = [(name, entry) for name, entry in archive.entries.items() if name.endswith(".w3d")]
    try:
        with open(path, "rb", buffering=0) as file:
            return [
                (name, f"{path}/{entry.name}", contents_in(file, entry.offset, entry.offset + entry.size))
                for name, entry in wanted
            ]
    except OSError:
        return []
