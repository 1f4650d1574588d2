"""Blender's list of asset catalogues, `blender_assets.cats.txt`: read, and added to without touching what is there."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from uuid import UUID, uuid5

from ..errors import FormatError
from . import messages
from .whole_file import folder_to_ourselves, read_file, write_atomically

FILE_NAME = "blender_assets.cats.txt"

_NAMESPACE = UUID("7b0ad1a8-6cbb-4d39-9c5d-3e0a3c0d8f27")
"""By which a path always has the same id, so that libraries made apart agree."""

_VERSION = "VERSION 1"
_HEAD = f"""\
# This is an Asset Catalog Definition file for Blender.
#
# Empty lines and lines starting with `#` will be ignored.
# The first non-ignored line should be the version indicator.
# Other lines are of the format "UUID:catalog/path/for/assets:simple catalog name"

{_VERSION}

"""
_LONGEST_NAME = 63


def clean_part(name: str) -> str:
    """Return a name as one part of a catalogue's path, in which `/` and `:` divide."""
    return "".join("-" if letter in "/\\:" or not letter.isprintable() else letter for letter in name).strip() or "-"


def ids_of(folder: Path | None, paths: Iterable[str]) -> dict[str, str]:
    """Return the id of each catalogue by its path: as the folder's file has it, else one that the path decides."""
    known = _read(folder) if folder is not None else {}
    return {path: known.get(path) or str(uuid5(_NAMESPACE, path)) for path in paths}


def add(folder: Path, paths: Iterable[str]) -> None:
    """Add the catalogues that the folder's file lacks; the file is made if it is not there, and else only grows; raise
    FormatError if it cannot be read or written, or is of a version that is not known."""
    with folder_to_ourselves(folder):
        known, ids = _read(folder), ids_of(folder, paths)
        # the third is the name that Blender keeps with an asset, should the file be lost
        cut = {path: path.replace("/", "-").encode()[:_LONGEST_NAME].decode("utf-8", "ignore") for path in ids}
        missing = [f"{ids[path]}:{path}:{cut[path]}\n" for path in ids if path not in known]
        if missing:
            file = folder / FILE_NAME
            text = _text_of(file) if file.exists() else _HEAD
            ended = text if text.endswith("\n") else f"{text}\n"
            write_atomically(file, (ended + "".join(missing)).encode(), overwrite=True)


def _read(folder: Path) -> dict[str, str]:
    file = folder / FILE_NAME
    if not file.exists():
        return {}
    lines = [line.strip() for line in _text_of(file).splitlines()]
    lines = [line for line in lines if line and not line.startswith("#")]
    if lines and lines[0] != _VERSION:
        raise FormatError(messages.CATALOGUES_VERSION, file=str(file), found=lines[0][:80])
    found: dict[str, str] = {}
    for line in lines[1:]:
        identity, _, rest = line.partition(":")
        found.setdefault(rest.partition(":")[0].strip(" /"), identity.strip())
    return found


def _text_of(file: Path) -> str:
    try:
        return read_file(file).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(messages.CATALOGUES_VERSION, file=str(file), found=file.name) from error
