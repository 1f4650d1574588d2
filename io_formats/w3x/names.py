"""Ids of assets: letters without accents, digits, underscores, dots and hyphens."""

from __future__ import annotations

import re

from ..errors import FormatError
from . import messages

_VALID = re.compile(r"[0-9a-zA-Z_.\-]+")
_INVALID = re.compile(r"[^0-9a-zA-Z_.\-]")


def as_name(text: str) -> str:
    """Return a text as an id, in upper case as EA's exporter has it."""
    return _INVALID.sub("_", text.upper()) or "_"


def chosen(text: str, field: str) -> str:
    """Return an id as somebody typed it; FormatError if it cannot be one."""
    if not _VALID.fullmatch(text):
        raise FormatError(messages.BAD_NAME, field=field, name=text)
    return text
