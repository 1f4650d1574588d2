"""Names of files from patterns such as `{object}_{action}`, safe on every system."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Mapping
from itertools import count
from pathlib import Path

from ..errors import FormatError
from . import messages

_UNSAFE = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*]')
"""What Windows refuses in a name, and what divides folders anywhere."""

_RESERVED = re.compile(r"^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?= *(\.|$))", re.IGNORECASE)
"""Names of devices in Windows, whatever follows their first dot."""


def check_pattern(pattern: str, known: Mapping[str, object] | tuple[str, ...]) -> None:
    """Raise FormatError unless a pattern has only places of the `known` names, and is no path."""
    choices = ", ".join(f"{{{name}}}" for name in known)
    try:
        places = [place for _, *place in string.Formatter().parse(pattern) if place[0] is not None]
    except ValueError as error:
        raise FormatError(messages.PATTERN_BRACES, pattern=pattern, choices=choices) from error
    for name, form, conversion in places:
        if name not in known or form or conversion:
            turned, shaped = conversion and f"!{conversion}", form and f":{form}"
            found = f"{{{name}{turned or ''}{shaped or ''}}}"
            raise FormatError(messages.PATTERN_UNKNOWN, found=found, choices=choices)
    if "/" in pattern or "\\" in pattern:
        raise FormatError(messages.PATTERN_FOLDER, pattern=pattern)


def filled(pattern: str, values: Mapping[str, str]) -> str:
    """Return a pattern's name, without ending, for these values; raise FormatError for a pattern that is none."""
    check_pattern(pattern, tuple(values))
    return safe(pattern.format_map(values))


def safe(name: str) -> str:
    """Return a name that every system takes: what is unsafe is an underscore, letters of all languages stay."""
    clean = _UNSAFE.sub("_", name).strip().rstrip(".").rstrip()
    return _RESERVED.sub(r"\1_", clean) or "_"


def free(path: Path) -> Path:
    """Return a path at which nothing is: this one, or with the first number that makes it free, `walk_1.animj`."""
    numbered = (path.with_stem(f"{path.stem}_{number}") for number in count(1))
    return path if not path.exists() else next(found for found in numbered if not found.exists())


def folded(name: str) -> str:
    """Return what two names have in common that a file system may take for one."""
    return unicodedata.normalize("NFC", name).casefold()
