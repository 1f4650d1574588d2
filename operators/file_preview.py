"""What the file chosen in the file browser is, shown above the options: its rate above all."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import bpy

from ..io_formats import FormatError, identify
from ..io_formats.files import memory
from ..io_formats.files.whole_file import read_file
from ..pipeline.language import say
from . import messages

LARGEST = 2 << 20
"""Bytes of the largest file that is read just to show what it is: a click must not make the window wait."""

_MOST_EXPANDED = 8 << 20
"""Bytes to which a compressed one may expand for that."""


def draw(layout: Any, context: bpy.types.Context, operator: Any) -> None:
    """Draw two lines about the chosen file; nothing for a folder, a large file or one that is none of ours."""
    path = _chosen(context, operator)
    for line in facts_of(path) if path is not None else ():
        layout.label(text=line, translate=False)


def _chosen(context: bpy.types.Context, operator: Any) -> Path | None:
    browser = getattr(context.space_data, "params", None)
    if browser is not None and context.space_data.type == "FILE_BROWSER":
        directory, name = browser.directory.decode("utf-8", "replace"), browser.filename
    else:
        directory, name = operator.directory, next((entry.name for entry in operator.files), "")
    return Path(directory, name) if directory and name else None


def facts_of(path: Path) -> tuple[str, ...]:
    """Return what kind of file it is, its rate and duration, a line each; nothing if it cannot say."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return ()
    return _lines(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=64)
def _lines(path: Path, changed: int, size: int) -> tuple[str, ...]:
    """Return the lines for a file in one state; `changed` and `size` are only there to tell states apart."""
    del changed, size
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
