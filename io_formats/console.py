"""What the command lines say, on any terminal: letters that it does not have, or would obey, are written as escapes."""

from __future__ import annotations

import json
import sys
from typing import Any, TextIO

_OBEYED = {code: f"\\x{code:02x}" for code in (*range(9), *range(11, 32), 127)}


def say(text: str) -> None:
    """A line for standard output."""
    _write(sys.stdout, text)


def complain(text: str) -> None:
    """A line for standard error."""
    _write(sys.stderr, text)


def say_json(value: Any) -> None:
    """JSON for standard output, which stays JSON where the terminal lacks letters or a name is not UTF-8."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    say(text if _on(sys.stdout, text) == text else json.dumps(value, indent=2))


def _write(stream: TextIO, text: str) -> None:
    stream.write(_on(stream, text) + "\n")


def _on(stream: TextIO, text: str) -> str:
    """The text as this stream can show it."""
    encoding = stream.encoding or "utf-8"
    return text.translate(_OBEYED).encode(encoding, "backslashreplace").decode(encoding)
