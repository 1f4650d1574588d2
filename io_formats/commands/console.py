"""What the command lines say, on any terminal: characters that it cannot show, or would obey, are escaped."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

from . import messages

INTERRUPTED = 130
"""Exit code after Ctrl+C, as shells have it."""

_OBEYED = {code: f"\\x{code:02x}" for code in (*range(9), *range(11, 32), 127)}


class OutputLostError(Exception):
    """Standard output cannot be written: its disk is full, or the program that reads it has ended."""


def say(text: str) -> None:
    """Write a line to standard output."""
    _write(_output(), text)


def complain(text: str) -> None:
    """Write a line to standard error."""
    _write(sys.stderr, text)


def say_json(value: object) -> None:
    """Write a line of JSON to standard output, also where the terminal lacks letters or a name is not UTF-8."""
    text = json.dumps(value, ensure_ascii=False)
    say(text if _on(_output(), text) == text else json.dumps(value))
    _flush(_output())


def guarded(command: Callable[[], int]) -> int:
    """Run a command and return its exit status; Ctrl+C, or an output that cannot be written, ends it with one line."""
    try:
        code = command()
        _flush(sys.stdout)
    except KeyboardInterrupt:
        complain(messages.CLI_INTERRUPTED)
        return INTERRUPTED
    except OutputLostError as lost:
        complain(str(lost))
        _forget(sys.stdout)
        return 1
    return code


def show_progress(text: str) -> None:
    """Show a line on standard error that gives way to whatever comes next; nothing where that is no terminal."""
    if not sys.stderr.isatty():
        return
    _wipe()
    _Ours.progress = _on(sys.stderr, text)[: shutil.get_terminal_size().columns - 1]
    with _told_if_lost():
        sys.stderr.write(_Ours.progress)
        sys.stderr.flush()


def _wipe() -> None:
    """Take the line of progress from the terminal."""
    if _Ours.progress:
        with _told_if_lost():
            sys.stderr.write("\r" + " " * len(_Ours.progress) + "\r")
            sys.stderr.flush()
        _Ours.progress = ""


class _Ours:
    """Where our own lines go while standard output is kept free of all others, and what shows progress now."""

    output: TextIO | None = None
    progress = ""


def _output() -> TextIO:
    return _Ours.output or sys.stdout


@contextmanager
def only_our_output() -> Iterator[None]:
    """Keep standard output for our own lines: what Blender prints within the block goes to standard error.

    Blender prints in two ways, through C and through `sys.stdout`.
    """
    theirs = sys.stdout
    try:
        number, instead = theirs.fileno(), sys.stderr.fileno()
    except (OSError, ValueError):  # it is not a file, as in a test
        yield
        return
    theirs.flush()
    with os.fdopen(os.dup(number), "w", encoding=theirs.encoding, errors=theirs.errors) as ours:
        os.dup2(instead, number)
        _Ours.output, sys.stdout = ours, sys.stderr
        try:
            yield
            _flush(ours)
        except OutputLostError:
            _forget(ours)
            raise
        finally:
            _Ours.output, sys.stdout = None, theirs
            os.dup2(ours.fileno(), number)


def _forget(stream: TextIO) -> None:
    """Redirect an output to nowhere; else Python would try to write the rest at exit, and complain again."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def _write(stream: TextIO, text: str) -> None:
    _wipe()
    with _told_if_lost():
        stream.write(_on(stream, text) + "\n")


def _flush(stream: TextIO) -> None:
    with _told_if_lost():
        stream.flush()


@contextmanager
def _told_if_lost() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutputLostError(messages.CLI_NO_OUTPUT.format(reason=error.strerror or error)) from error


def _on(stream: TextIO, text: str) -> str:
    """Return the text as this stream can show it."""
    encoding = stream.encoding or "utf-8"
    return text.translate(_OBEYED).encode(encoding, "backslashreplace").decode(encoding)
