"""What the command lines say, on any terminal, while many files are worked on and at the end."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from ..errors import FormatError, Report
from ..files import batch_files, whole_file
from ..files.steps import finished
from . import messages

if TYPE_CHECKING:
    from ..files.batch_files import Claim, Found, Outputs, Row, Task
    from ..files.steps import Result, Steps

_INSTALLED = ("numpy", "pyarrow", "matplotlib")
"""What a person installs: the first for everything, the others for tables of takes and pictures."""

INTERRUPTED = 130
"""Exit code after Ctrl+C, as shells have it."""

_OBEYED = {code: f"\\x{code:02x}" for code in (*range(9), *range(11, 32), *range(127, 160))}


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
    """Run a command and return its exit status; an error, Ctrl+C, an output that cannot be written, or a library that
    is not installed, ends it with a line."""
    # what the caller has closed is opened to nowhere: a file that took its number would get what is printed
    while (number := os.open(os.devnull, os.O_RDWR)) < 3:
        pass
    os.close(number)
    sys.stdout, sys.stderr = sys.stdout or os.fdopen(1, "w"), sys.stderr or os.fdopen(2, "w")
    try:
        code = command()
        _flush(sys.stdout)
        return code
    except FormatError as error:
        complain(str(error))
    except KeyboardInterrupt:
        complain(messages.CLI_INTERRUPTED)
        return INTERRUPTED
    except OutputLostError as lost:
        if not isinstance(lost.__cause__, BrokenPipeError):  # whoever has read enough, such as `head`, is told nothing
            complain(str(lost))
        _forget(sys.stdout)
    except ModuleNotFoundError as missing:
        if missing.name not in _INSTALLED:
            raise
        complain(messages.CLI_NOT_INSTALLED.format(name=missing.name))
        return 2
    return 1


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
    """Keep standard output for our own lines: what Blender prints within the block, through C or through `sys.stdout`,
    goes to standard error."""
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
    encoding = stream.encoding or "utf-8"
    return text.translate(_OBEYED).encode(encoding, "backslashreplace").decode(encoding)


# How far a run over files is, as a line that a terminal shows while it lasts.

_PAUSE = 0.1
"""Seconds between two lines, which nobody could read faster."""


class Pause:
    """Says, at most ten times a second, that it is time to tell something."""

    def __init__(self) -> None:
        self._next = 0.0

    def is_over(self) -> bool:
        """Return whether it is time, and begin the next pause if it is."""
        now = time.monotonic()
        if now < self._next:
            return False
        self._next = now + _PAUSE
        return True


class Progress:
    """Counts the bytes of the files of a run, and of the file at hand the share that is done."""

    def __init__(self, files: Iterable[Path]) -> None:
        self._costs = {file: whole_file.cost_of(file) for file in files}
        self._total = max(sum(self._costs.values()), 1)
        self._shares: dict[Path, float] = {}
        self._finished = 0
        self._done = 0.0
        self._pause = Pause()

    @property
    def percent(self) -> int:
        """How much is done, in bytes of all files."""
        at_hand = sum(self._costs[file] * share for file, share in self._shares.items())
        return int(100 * min((self._done + at_hand) / self._total, 1.0))

    def tell(self, file: Path, share: float, *, of_all: bool = False) -> None:
        """Show how much is done of a file, or with the one at hand `of_all` files."""
        if not of_all:
            self._shares[file] = share
        if self._pause.is_over():
            percent, several = int(100 * share) if of_all else self.percent, len(self._costs) > 1
            sentence = messages.CLI_PROGRESS_OF_FILES if several else messages.CLI_PROGRESS
            show_progress(sentence.format(percent=percent, done=self._finished, total=len(self._costs), name=file.name))

    def finish(self, file: Path) -> None:
        """Count a file as done, and show nothing until the next begins."""
        self._shares.pop(file, None)
        self._done += self._costs[file]
        self._finished += 1
        show_progress("")

    def watched(self, file: Path, steps: Steps[Result]) -> Result:
        """Do all steps of one file, telling of each, and return what came of them."""
        self.tell(file, 0.0)
        try:
            return finished(steps, partial(self.tell, file))
        finally:
            self.finish(file)


# Many files in one call: the flags, what is to be done, and how results are said. Both command lines share it.


def add_batch_flags(command: argparse.ArgumentParser, *, several: bool) -> None:
    """Give a command the flags of a call with many files, each of which may become `several`."""
    if several:
        command.add_argument("--yes", action="store_true", help=messages.CLI_YES.format(number=batch_files.MANY))
    command.add_argument("--output", metavar="FOLDER", help=messages.CLI_OUTPUT)
    command.add_argument("--overwrite", action="store_true", help=messages.CLI_OVERWRITE)
    command.add_argument("--json", action="store_true", help=messages.CLI_JSON)
    command.add_argument("--resume", metavar="RESULTS", help=messages.CLI_RESUME)
    command.add_argument("--part", type=_part, metavar="K/N", help=messages.CLI_PART)
    command.add_argument("--exit-zero", action="store_true", help=messages.CLI_EXIT_ZERO)


def outputs_of(namespace: argparse.Namespace, claim: Claim | None = None) -> Outputs:
    """Return which files a call may write."""
    many = bool(getattr(namespace, "yes", False))
    return batch_files.Outputs(overwrite=namespace.overwrite, many=many, claim=claim, folders=bool(namespace.output))


def _part(text: str) -> tuple[int, int]:
    number, _, parts = text.partition("/")
    if not (number.isdecimal() and parts.isdecimal() and int(number) <= int(parts) > 0):
        raise argparse.ArgumentTypeError(messages.CLI_PART_RANGE)
    return int(number), int(parts)


def files_of(namespace: argparse.Namespace, endings: Sequence[str], results: Path | None = None) -> list[Found]:
    """Return the files that a command line names, in folders those with these endings; say what was passed over, such
    as what a search finds among the `results` of an earlier run."""

    def tell_passed_over(path: str, reason: str) -> None:
        template = messages.CLI_FOLDER_PASSED_OVER if reason else messages.CLI_LINK_PASSED_OVER
        complain(template.format(path=path, reason=reason))

    found = list(batch_files.expand(namespace.files, endings, tell_passed_over))
    inputs = batch_files.once(found if results is None else batch_files.outside(found, results))
    if len(inputs) < len(batch_files.once(found)):
        complain(messages.CLI_RESULTS_PASSED_OVER.format(folder=results))
    return inputs


def tasks_of(
    namespace: argparse.Namespace, endings: Sequence[str], ending: str, outputs: Outputs, *, named: bool = True
) -> list[Task]:
    """Return what is to be done with the files that a command line names; FormatError if there are none, or two would
    become one.

    Args:
        endings: of the files that are taken from folders.
        ending: of what is made of each, empty where only the open file says it.
        named: each file becomes one of a name that is known.
    """
    folder = Path(namespace.output) if namespace.output is not None else None
    rows = batch_files.results_of(Path(namespace.resume)) if namespace.resume else []
    made = {row["output"] for row in rows if row.get("output", row["file"]) != row["file"]}
    # what this call made beside its files is none of them; what another made may be
    ours = {output for output in made if ending and output.lower().endswith(ending)}
    found = [one for one in files_of(namespace, endings, folder) if str(one.path) not in ours]
    if not found:
        raise FormatError(messages.CLI_NO_FILES)
    tasks = batch_files.plan(found, folder, ending)
    # what has the ending stays as it is unless it may be replaced: it may be what an earlier run made of another
    for task in (task for task in tasks if named and (outputs.overwrite or task.output != task.file)):
        outputs.claim(task.output, task.file)
    if longer := [task for task in tasks if ending and task.file.suffix and task.output.stem == task.file.name]:
        complain(messages.CLI_LONGER_NAMES.format(file=longer[0].file, name=longer[0].output.name))
    if namespace.part is not None:
        ours = batch_files.files_of_part(found, *namespace.part)
        tasks = [task for task in tasks if task.file in ours]
    return batch_files.left_to_do(tasks, rows, outputs, ending, named=named)


def told_of(report: Report) -> dict[str, list[str]]:
    """Return what a result holds of a report."""
    return {"warnings": [*map(str, report.warnings)], "notes": [*map(str, report.notes)]}


def tell(results: Iterable[Iterable[Row]], *, as_json: bool) -> bool:
    """Say each result as soon as it is known, and at the end what is to be said of some files, once for all of them;
    return whether any is a failure."""
    failed, files = False, dict[str, dict[str, None]]()
    try:
        for row in chain.from_iterable(results):
            failed = failed or "error" in row
            if as_json:
                say_json(row)
            elif "error" in row:
                complain(row["error"])
            else:
                done = messages.CLI_CONVERTED if row["output"].endswith(row["digest"]) else messages.CLI_DONE
                say(done.format(**row))
                for line in (*row["warnings"], *row["notes"]):
                    files.setdefault(line, {})[row["file"]] = None  # once, though it may have become several
    finally:  # an interrupted call too says it of the files that are done
        for line, about in files.items():
            several = messages.CLI_ABOUT_FILES if len(about) > 1 else messages.CLI_ABOUT_FILE
            complain(several.format(file=next(iter(about)), count=len(about), line=line))
    return failed
