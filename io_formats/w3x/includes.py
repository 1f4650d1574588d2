"""Where the skeleton of an animation is: in the files that it includes, found as the games' compiler finds them.

`ART:name.w3x` lies in the folder of the name's first two letters below the project's Art folder; the case of letters
does not count. Only the last part of what a file names is used, so that nothing leads out of the folders looked into.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .. import messages as common_messages
from ..clip.pivots import named
from ..errors import FormatError, Report, about_file
from ..files.whole_file import read_file
from ..format import Companions, Opened
from . import messages
from .document import Document, file_of
from .options import ReadOptions
from .read import read
from .skeleton import wanted_names

_PREFIX = 2
"""Letters of a file's name that name its folder."""

_ART = "art"
_MOST_FILES = 64
"""Files that are looked into for one skeleton."""

_ENDINGS = ("", "_hrc", "_skl")
"""What skeletons' files are called behind the skeleton's name; extracted ones have the longer names."""


@dataclass
class _Folder:
    """Files and folders in a folder, by name in lower case."""

    files: dict[str, Path] = field(default_factory=dict)
    below: dict[str, Path] = field(default_factory=dict)

    @classmethod
    def of(cls, path: Path) -> _Folder:
        """Return what is in a folder; nothing of one that cannot be read."""
        folder = cls()
        try:
            with os.scandir(path) as entries:
                for entry in sorted(entries, key=lambda entry: entry.name):
                    kind = folder.below if entry.is_dir() else folder.files
                    kind.setdefault(entry.name.lower(), path / entry.name)
        except (OSError, ValueError):
            return folder
        return folder


class W3xCompanions(Companions[Document]):
    """The skeletons of the files of one import; each folder is listed and each file read once."""

    def __init__(self, options: ReadOptions, folders: Sequence[Path]) -> None:
        self._limit = options.limit_mib << 20
        self._chosen_folders = folders
        self._folders: dict[Path, _Folder] = {}
        self._documents: dict[Path, Document | None] = {}

    def wanted(self, file: Opened[Document], /) -> Sequence[str]:
        """Return the names of the hierarchies that the animations stand on and the file does not hold."""
        return wanted_names(file.document)

    def skeleton(self, file: Opened[Document], chosen: str, report: Report, /) -> Document | None:
        """Return the chosen file, else the first that is included, or named after the skeleton, and holds it."""
        if chosen:
            return self._read(Path(chosen))
        for name in self.wanted(file):
            for path in self._candidates(file, name):
                document = self._readable(path, report)
                if document is not None and named(document.hierarchies, name) is not None:
                    report.note(common_messages.SKELETON_FOUND, name=name, file=str(path))
                    return document
        return None

    def _candidates(self, file: Opened[Document], name: str) -> Iterator[Path]:
        """Yield files in the order of likelihood, each once: those included, what these include, those of the name."""
        seen = {file.path.absolute()}
        waiting = deque(include.source for include in file.document.includes)
        while waiting and len(seen) < _MOST_FILES:
            for path in self._found(file.path, waiting.popleft()):
                if path not in seen:
                    seen.add(path)
                    yield path
                    document = self._documents.get(path)
                    waiting += [] if document is None else [include.source for include in document.includes]
        for ending in _ENDINGS:
            yield from (path for path in self._found(file.path, f"{name}{ending}.w3x") if path not in seen)

    def _found(self, beside: Path, source: str) -> Iterator[Path]:
        """Yield the files that a source may mean: beside the file, and in the folder of its first two letters."""
        name = file_of(source)
        if not name.endswith(".w3x"):
            return
        for folder in self._places(beside, name[:_PREFIX]):
            found = self._folder(folder).files.get(name)
            if found is not None:
                yield found

    def _places(self, beside: Path, prefix: str) -> Iterator[Path]:
        folder = beside.absolute().parent
        for place in (folder, folder.parent, *self._chosen_folders):
            if place != folder.parent:
                yield place
            for art in (place, *filter(None, [self._folder(place).below.get(_ART)])):
                within = self._folder(art).below.get(prefix)
                if within is not None:
                    yield within

    def _folder(self, path: Path) -> _Folder:
        if path not in self._folders:
            self._folders[path] = _Folder.of(path)
        return self._folders[path]

    def _readable(self, path: Path, report: Report) -> Document | None:
        """Return a file that nobody asked for; a damaged one costs a warning and not the import."""
        if path not in self._documents:
            self._documents[path] = None
            try:
                self._documents[path] = self._read(path)
            except FormatError as error:
                report.warn(messages.SKELETON_UNREADABLE, reason=str(error))
        return self._documents[path]

    def _read(self, path: Path) -> Document:
        with about_file(path):
            return read(read_file(path, self._limit), limit=self._limit)
