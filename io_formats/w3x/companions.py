"""The files beside a W3X file: those that it includes, its skeleton's, and all in the games' folders."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path
from xml.parsers import expat

from .. import messages as common_messages
from ..clip.pivots import Skeleton, lacking, named, nodes_of, read_once, rests
from ..errors import FormatError, Report
from ..files.whole_file import Folder, files_below
from ..format import Companions, Motion, Opened
from ..format import Library as Motions
from ..options import SIZE_LIMIT
from ..saving import read_document
from . import FORMAT, layout
from .document import Document, Hierarchy, file_of, plain_name
from .elements import Attributes, Element
from .options import ReadOptions
from .read import LOOKED_AT, matches

# Where the skeleton of an animation is: in the files that it includes, found as the games' compiler finds them.
#
# `ART:name.w3x` lies in the folder of the name's first two letters below the project's Art folder; the case of letters
# does not count. Only the last part of what a file names is used, so that nothing leads out of the folders looked into.

_PREFIX = 2
"""Letters of a file's name that name its folder."""

_MOST_FILES = 64
"""Files that are looked into for one skeleton."""

_ENDINGS = ("", "_hrc", "_skl")
"""What skeletons' files are called behind the skeleton's name; extracted ones have the longer names."""


class W3xCompanions(Companions[Document]):
    """The skeletons of the files of one import; each folder is listed and each file read once."""

    def __init__(self, options: ReadOptions, folders: Sequence[Path]) -> None:
        self._limit = options.limit_mib << 20
        self._chosen_folders = folders
        self._folder = cache(Folder.of)
        self._documents: dict[Path, Document | None] = {}

    def shows_models_only(self, document: Document, /) -> bool:
        """Return whether the file holds no animation and no hierarchy; its meshes are kept and not shown."""
        return not document.animations and not document.hierarchies and document.problem is None

    def skeleton(self, file: Opened[Document], chosen: str, report: Report, /) -> Document | None:
        """Return the chosen file, else the first that is included, or named after the skeleton, and holds it."""
        names = wanted_names(file.document)
        if chosen and names:
            return self._read(Path(chosen))
        for name in names:
            for path in self._candidates(file, name):
                document = read_once(self._documents, path, self._read, report)
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
        name, folder = file_of(source), beside.absolute().parent
        if not name.endswith(".w3x"):
            return
        for place in (folder, folder.parent, *self._chosen_folders):
            folders = [] if place == folder.parent else [place]
            for art in (place, *self._folder(place).below.get("art", ())):
                folders += self._folder(art).below.get(name[:_PREFIX], ())
            yield from (listed.files[name] for listed in map(self._folder, folders) if name in listed.files)

    def _read(self, path: Path) -> Document:
        return read_document(FORMAT, path, self._limit)


# Hierarchies as nodes, and the names of those that animations need.


def from_hierarchy(hierarchy: Hierarchy, report: Report) -> Skeleton[Hierarchy]:
    """Return the pivots of a hierarchy as nodes."""
    matrices = rests(hierarchy.translations, hierarchy.rotations)
    return Skeleton.of(hierarchy, nodes_of(hierarchy.names, hierarchy.parents, matrices, report))


def wanted_names(document: Document) -> list[str]:
    """Return the names of the hierarchies that the file's animations need and the file does not hold."""
    return lacking((plain_name(animation.hierarchy) for animation in document.animations), document.hierarchies)


# The W3X files in the games' folders as a library: which animations they hold, without reading all of them.

_VALUES = r"""(?:[^<>"']|"[^"<]*"|'[^'<]*')*+"""
_TAG_OR_COMMENT = re.compile(rf"<!--.*?(?:-->|\Z)|<(?:[\w.-]+:)?{layout.ANIMATION}\s{_VALUES}>".encode(), re.DOTALL)


class Library(Motions):
    """Each state of a file is looked at once."""

    def _motions(self) -> Iterator[tuple[str, Motion]]:
        for folder in self._folders:
            for file in files_below(str(folder), (".w3x",), self._report):
                yield from ((file.path, motion) for motion in _motions(*file))


@lru_cache(maxsize=1 << 17)
def _motions(path: str, _changed: int, size: int) -> tuple[Motion, ...]:
    """Return the animations of a file in one state; none of a map, or of a file that cannot be read."""
    try:
        with open(path, "rb") as file:
            head = file.read(LOOKED_AT)
            wanted = matches(head) and not head.startswith(layout.WARCRAFT) and size <= SIZE_LIMIT
            text = head + file.read() if wanted else b""
    except OSError:
        return ()
    return tuple(motions_in(text))


def motions_in(text: bytes) -> list[Motion]:
    """Return the animations of a file's bytes, by their tags alone; those that lack something are left out."""
    motions = []
    for tag in _TAG_OR_COMMENT.finditer(text):
        attributes: Attributes = {}
        parser = expat.ParserCreate("utf-8")
        parser.StartElementHandler = lambda _name, found, held=attributes: held.update(found)
        with suppress(expat.ExpatError, FormatError):
            parser.Parse(tag[0])
            own = Element("", attributes)  # none of a comment
            hierarchy, name = plain_name(own.text("Hierarchy")).upper(), own.text("id")
            count, rate = (own.whole(field, 0, layout.MOST_FRAMES) for field in ("NumFrames", "FrameRate"))
            motions.append(Motion(hierarchy, name, count, rate))
    return motions
