"""What the files chosen in the file browser are, shown above the options: kind, size, rate and duration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from bpy.types import Context, UILayout

from ..io_formats import FormatError, identify
from ..io_formats.files import memory
from ..io_formats.files.whole_file import read_file, unread
from ..pipeline.language import counted, say
from . import messages

if TYPE_CHECKING:
    from .import_operators import ImportOperator

LARGEST = 2 << 20
"""Bytes of the largest file that is read just to show its rate: a click must not make the window wait."""

_MOST_EXPANDED = 8 << 20
"""Bytes to which a compressed one may expand for that."""

_MOST_FILES = 50
"""Files that are opened to tell of what kinds several are."""

_MEGABYTE = 1e6
"""Bytes, as Blender's file browser counts them."""


def draw(layout: UILayout, context: Context, operator: ImportOperator) -> None:
    """Draw some lines about the chosen files; nothing for a folder or what is not there."""
    paths = _chosen(context, operator)
    for line in facts_of(paths[0]) if len(paths) == 1 else facts_of_several(paths):
        layout.label(text=line, translate=False)


def _chosen(context: Context, operator: ImportOperator) -> list[Path]:
    """Return the files that are selected in the file browser, the highlighted one if none is; or the dropped ones."""
    browser = getattr(context.space_data, "params", None)
    if browser is not None and context.space_data.type == "FILE_BROWSER":
        directory = browser.directory.decode("utf-8", "replace")
        names = [entry.name for entry in context.selected_files or ()]
        names = names if len(names) > 1 else [browser.filename]
    else:
        directory, names = operator.directory, [entry.name for entry in operator.files]
    return [Path(directory, name) for name in names if directory and name]


def facts_of(path: Path) -> tuple[str, ...]:
    """Return what kind of file it is, and its rate and duration or, of a large one, its size; or that it is no such.

    Empty for what is no file, and for a damaged one.
    """
    state = _state(path)
    if state is None or not path.is_file():
        return ()
    return _lines(path, *state) if _kind(path, *state) else (say(messages.NO_KIND),)


def facts_of_several(paths: Sequence[Path]) -> tuple[str, ...]:
    """Return how many files there are, their size together, and of what kinds the first of them are; empty for none."""
    if not paths:
        return ()
    states = [(path, *state) for path in paths[:_MOST_FILES] if (state := _state(path))]
    kinds = Counter(_kind(*state) or say(messages.OTHER_KIND) for state in states)
    told = [f"{count} x {kind}" for kind, count in kinds.items()]
    count = counted(len(paths), messages.FILES)
    if len(paths) > _MOST_FILES:
        return count, say(messages.FIRST_KINDS, count=_MOST_FILES), *told
    size = sum(size for _, _, size in states) / _MEGABYTE
    return say(messages.SIZE_OF, what=count, megabytes=size), *told


def _state(path: Path) -> tuple[int, int] | None:
    """Return what tells states of a file apart: its time of change and its size; None if it is not there."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size


@lru_cache(maxsize=64)
def _lines(path: Path, changed: int, size: int) -> tuple[str, ...]:
    """Return the lines for a file in one state; `changed` and `size` tell states apart."""
    if size > LARGEST:
        return _kind(path, changed, size), say(messages.FILE_SIZE, megabytes=size / _MEGABYTE)
    try:
        data = read_file(path, LARGEST)
        file_format = identify(data)
        with memory.limited():
            facts = file_format.describe(file_format.read(data, limit=_MOST_EXPANDED))
    except FormatError:
        return ()
    animations = facts.get("animations", [facts])
    rate, seconds = (max((one[fact] for one in animations), default=0.0) for fact in ("rate", "duration"))
    template = messages.FILE_FACTS if rate else messages.FILE_FACTS_NO_RATE
    return say(file_format.title), say(template, rate=f"{rate:g}", seconds=f"{seconds:.1f}")


@lru_cache(maxsize=_MOST_FILES)
def _kind(path: Path, changed: int, size: int) -> str:
    """Return the title of a file's format, by its first bytes; empty for a file that is none of ours."""
    del changed, size
    try:
        with unread(path) as look:
            return say(identify(look).title)
    except FormatError:
        return ""
