"""The W3X files in the games' folders as a library: which animations they hold, without reading all of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple
from xml.parsers import expat

from ..errors import FormatError, Report
from ..files.folder_files import files_below
from ..format import Listed
from ..options import SIZE_LIMIT
from . import layout, numbers
from .document import plain_name
from .numbers import Attributes
from .read import LOOKED_AT, matches

_COMMENT = "<!--"
_VALUES = r"""(?:[^<>"']|"[^"<]*"|'[^'<]*')*+"""
_TAG_OR_COMMENT = re.compile(
    rf"{_COMMENT}.*?(?:-->|\Z)|<(?:[\w.-]+:)?{layout.ANIMATION}\s{_VALUES}>".encode(), re.DOTALL
)


class _Motion(NamedTuple):
    """An animation: upper-case name of its hierarchy, its own name, number of frames, frames a second."""

    hierarchy: str
    name: str
    frames: int
    rate: int


class Library:
    """What some folders hold; the disk is read when something is asked for, and each state of a file once."""

    def __init__(self, folders: Sequence[Path] = ()) -> None:
        self._folders = folders
        self._report = Report()

    def tell(self, report: Report) -> None:
        """Report what was wrong with folders, once."""
        report.extend(self._report)
        self._report = Report()

    def listed(self, hierarchies: Collection[str]) -> list[Listed]:
        """Return the animations for hierarchies of these names, sorted by name and file."""
        wanted = {name.upper() for name in hierarchies}
        found = [
            Listed(motion.name, motion.frames, motion.rate, file.path, Path(file.path).name)
            for folder in self._folders
            for file in files_below(str(folder), (".w3x",), self._report)
            for motion in _motions(*file)
            if motion.hierarchy in wanted
        ]
        return sorted(found, key=lambda listed: (listed.name.lower(), listed.path))


@lru_cache(maxsize=1 << 17)
def _motions(path: str, changed: int, size: int) -> tuple[_Motion, ...]:
    """Return the animations of a file in one state; none of a map, or of a file that cannot be read."""
    del changed
    try:
        with open(path, "rb") as file:
            head = file.read(LOOKED_AT)
            wanted = matches(head) and not head.startswith(layout.WARCRAFT) and size <= SIZE_LIMIT
            text = head + file.read() if wanted else b""
    except OSError:
        return ()
    return tuple(motions_in(text))


def motions_in(text: bytes) -> list[_Motion]:
    """Return the animations of a file's bytes, by their tags alone; those that lack something are left out."""
    tags = (found[0] for found in _TAG_OR_COMMENT.finditer(text))
    found = (_motion(_attributes(tag)) for tag in tags if not tag.startswith(_COMMENT.encode()))
    return [motion for motion in found if motion is not None]


def _attributes(tag: bytes) -> Attributes:
    """Return the attributes of a start tag; none if it is damaged."""
    held: Attributes = {}
    parser = expat.ParserCreate("utf-8")
    parser.StartElementHandler = lambda _name, attributes: held.update(attributes)
    with suppress(expat.ExpatError):
        parser.Parse(tag)
    return held


def _motion(attributes: Attributes) -> _Motion | None:
    try:
        return _Motion(
            plain_name(numbers.required(attributes, "Hierarchy", 0)).upper(),
            numbers.required(attributes, "id", 0),
            numbers.whole(attributes, "NumFrames", 0, 0, layout.MOST_FRAMES),
            numbers.whole(attributes, "FrameRate", 0, 0, layout.MOST_FRAMES),
        )
    except FormatError:
        return None
