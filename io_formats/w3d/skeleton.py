"""The search for the skeleton of an animation file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from .. import messages as common_messages
from ..clip.pivots import lacking, read_once
from ..errors import Report, about_file
from ..files.whole_file import Folder
from ..options import SIZE_LIMIT
from .big_archive import read_file
from .document import Document, text
from .library import ALIKE, Contents, Library, contents_of, folder_of
from .read import read

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
        with about_file(path):
            return read(read_file(path, self.limit), limit=self.limit)
