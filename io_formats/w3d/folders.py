"""Folders of files and folders within archives, listed alike, whatever the case of the names."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from . import big_archive
from .big_archive import Archive


@dataclass
class Folder:
    """What lies in a folder: its files by name, the folders in it by name; both in lower case."""

    files: dict[str, Path] = field(default_factory=dict)
    below: dict[str, list[Path]] = field(default_factory=dict)

    @classmethod
    def of(cls, path: Path) -> Folder:
        """Return a folder, an archive, or a folder within one; it is empty if it cannot be read.

        Pipes, devices and links that lead nowhere or in a circle are passed over.
        """
        found = big_archive.split(path)
        if found is not None:
            archive, name = found
            return _tree(archive, big_archive.list_archive(archive)).get(name, cls())
        folder = cls()
        for entry in sorted(_entries(path), key=lambda entry: entry.name):
            name = entry.name.lower()
            if entry.is_dir():
                folder.below.setdefault(name, []).append(path / entry.name)
            elif entry.is_file():
                folder.files.setdefault(name, path / entry.name)
        return folder

    def models(self) -> list[Path]:
        """Return the W3D files, sorted."""
        return sorted(path for name, path in self.files.items() if name.endswith(".w3d"))


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    """Return the readable entries of a folder, none if the folder itself is not readable."""
    try:
        with os.scandir(folder) as entries:
            return [entry for entry in entries if _is_reachable(entry)]
    except (OSError, ValueError):
        return []


def _is_reachable(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir() or entry.is_file()
    except OSError:  # a link that leads in a circle
        return False


@lru_cache(maxsize=256)
def _tree(path: Path, archive: Archive) -> dict[str, Folder]:
    """Return the folders of an archive by lower-case name, the archive itself under the empty one."""
    tree = {"": Folder()}
    for key, entry in archive.entries.items():
        above, _, name = key.rpartition("/")
        _grow(tree, path, above).files[name] = path / entry.name
    return tree


def _grow(tree: dict[str, Folder], path: Path, key: str) -> Folder:
    """Return the folder `key` of an archive's tree; it and those above it are added to `tree` if they are missing."""
    for end in [at for at, letter in enumerate(f"{key}/") if letter == "/"] if key not in tree else ():
        if key[:end] not in tree:
            above, _, name = key[:end].rpartition("/")
            tree[key[:end]] = Folder()
            tree[above].below.setdefault(name, []).append(path / key[:end])
    return tree[key]
