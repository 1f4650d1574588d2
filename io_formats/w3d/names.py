"""Names as W3D has them: upper case, at most 15 bytes and a NUL."""

from __future__ import annotations

import re

from ..errors import FormatError, Report
from . import messages
from .layout import NAME_LENGTH, NAME_SIZE

_SUFFIX = re.compile(r"\.\d*$")


def chosen(name: str, field: str) -> bytes:
    """Return the name field for a name that a person typed.

    Raises:
        FormatError: it has more than 15 characters, or characters that are not in Latin-1.
    """
    if len(name) > NAME_LENGTH or _bytes(name) is None:
        raise FormatError(messages.NAME_TOO_LONG, field=field, name=name, limit=NAME_LENGTH)
    return padded(name.upper())


def without_suffix(name: str) -> str:
    """Return the name without the number that Blender adds to duplicate names; the original exporter drops it, too."""
    return _SUFFIX.sub("", name)


def shortened(names: list[str], report: Report) -> list[bytes]:
    """Return 16-byte name fields that all differ; names that had to change are reported."""
    taken: dict[str, int] = {}
    fields = []
    for name in names:
        short = _unique(_plain(name)[:NAME_LENGTH].rstrip(".") or "PIVOT", taken)
        if short != name.upper():
            report.warn(messages.NAME_SHORTENED, name=name, short=short)
        fields.append(padded(short))
    return fields


def _unique(name: str, taken: dict[str, int]) -> str:
    """Return the name, with the first free number if it is taken; `taken` holds the last number tried for each."""
    candidate, number = name, taken.get(name, 0)
    while candidate in taken:
        number += 1
        ending = f"_{number}"
        candidate = name[: NAME_LENGTH - len(ending)] + ending
    taken[candidate] = 0
    taken[name] = number
    return candidate


def _plain(name: str) -> str:
    """Return the name in upper case, with an underscore for each character that is not in Latin-1."""
    upper = "".join(letter.upper() if len(letter.upper()) == 1 else letter for letter in name)
    return "".join(letter if 0 < ord(letter) < 256 else "_" for letter in upper)


def _bytes(name: str) -> bytes | None:
    plain = _plain(name)
    return plain.encode("latin-1") if plain.replace("_", "") == name.upper().replace("_", "") else None


def padded(name: str) -> bytes:
    """Return the 16 bytes of a name field."""
    return _plain(name).encode("latin-1")[:NAME_LENGTH].ljust(NAME_SIZE, b"\0")
