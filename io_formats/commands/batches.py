"""Many files in one call: the flags, what is to be done, and how results are said. Both command lines share it."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .. import messages as common_messages
from ..errors import FormatError
from ..files import batch_files
from . import messages
from .console import complain, say, say_json

if TYPE_CHECKING:
    from ..files.batch_files import Found, Outputs, Row, Task


def add_batch_flags(command: argparse.ArgumentParser) -> None:
    """Give a command the flags of a call with many files."""
    command.add_argument("--output", metavar="FOLDER", help=messages.CLI_OUTPUT)
    command.add_argument("--overwrite", action="store_true", help=messages.CLI_OVERWRITE)
    command.add_argument("--json", action="store_true", help=messages.CLI_JSON)
    command.add_argument("--resume", metavar="RESULTS", help=messages.CLI_RESUME)
    command.add_argument("--part", type=_part, metavar="K/N", help=messages.CLI_PART)
    command.add_argument("--exit-zero", action="store_true", help=messages.CLI_EXIT_ZERO)


def _part(text: str) -> tuple[int, int]:
    """Read the number of a part, and of how many."""
    number, _, parts = text.partition("/")
    if not (number.isdecimal() and parts.isdecimal() and 1 <= int(number) <= int(parts)):
        raise argparse.ArgumentTypeError(messages.CLI_PART_RANGE)
    return int(number), int(parts)


def files_of(namespace: argparse.Namespace, endings: Sequence[str], results: Path | None = None) -> list[Found]:
    """Return the files that a command line names, in folders those with these endings; say what was passed over.

    Args:
        results: where results go: what a search finds there was made by an earlier run.
    """
    found = batch_files.expand(namespace.files, endings, _tell_passed_over)
    inputs = batch_files.once(found if results is None else batch_files.outside(found, results))
    if len(inputs) < len(batch_files.once(found)):
        complain(messages.CLI_RESULTS_PASSED_OVER.format(folder=results))
    return inputs


def _tell_passed_over(path: str, reason: str) -> None:
    template = messages.CLI_FOLDER_PASSED_OVER if reason else messages.CLI_LINK_PASSED_OVER
    complain(template.format(path=path, reason=reason))


def tasks_of(
    namespace: argparse.Namespace, endings: Sequence[str], ending: str, outputs: Outputs, *, named: bool = True
) -> list[Task]:
    """Return what is to be done with the files that a command line names.

    Args:
        endings: of the files that are taken from folders.
        ending: of what is made of each, empty where only the open file says it.
        named: each file becomes one of a name that is known.

    Raises:
        FormatError: there are no files, or two would become one; nothing is written.
    """
    folder = Path(namespace.output) if namespace.output is not None else None
    found = files_of(namespace, endings, folder)
    if not found:
        raise FormatError(common_messages.NO_FILE_CHOSEN)
    tasks = batch_files.plan(found, folder, ending)
    if named:
        for task in tasks:
            outputs.claim(task.output, task.file)
    if namespace.part is not None:
        ours = batch_files.files_of_part(found, *namespace.part)
        tasks = [task for task in tasks if task.file in ours]
    rows = batch_files.results_of(Path(namespace.resume)) if namespace.resume else []
    return batch_files.left_to_do(tasks, rows, outputs, ending, named=named)


def tell(results: Iterable[Iterable[Row]], *, as_json: bool) -> bool:
    """Say each result as soon as it is known; return whether any is a failure."""
    failed = False
    for of_one_file in results:
        for row in of_one_file:
            failed = failed or "error" in row
            (say_json if as_json else _tell_one)(row)
    return failed


def _tell_one(row: Row) -> None:
    if "error" in row:
        complain(row["error"])
        return
    say(messages.CLI_DONE.format(**row))
    for line in row["warnings"]:
        complain(f"{row['file']}: {line}")
