"""The codecs on the command line, without Blender: `python -m io_formats info|convert|verify|dump|diff`, or
`anim-curves`."""

from __future__ import annotations

import argparse
import sys
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from . import ENDINGS, TARGETS, FormatError, Report, __version__, convert, messages, open_in_steps, target_of
from .commands import messages as commands_messages
from .commands.console import (
    Progress,
    add_batch_flags,
    complain,
    files_of,
    guarded,
    outputs_of,
    say,
    say_json,
    tasks_of,
    tell,
)
from .commands.flags import (
    EXPORTS,
    IMPORTS,
    INTERCHANGES,
    NOT_FOR_CONVERT,
    add_flags,
    convert_options,
    joined,
    options_from,
)
from .errors import about_file
from .files import batch_files, memory, steps
from .options import LIMITS, ReadOptions

if TYPE_CHECKING:
    from .files.batch_files import Outputs, Row, Task
    from .files.steps import Steps
    from .format import AnyFile, Facts

_WIDE, _LONG = 16, 256
"""Numbers in a line of `dump`, and bytes."""

_READ = 0.2
"""Share of a conversion that is done when the file is read."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return 0 for success, 1 if a file failed, 2 for a wrong call, 130 after Ctrl+C."""
    given = joined(sys.argv[1:] if arguments is None else arguments)
    # what a person called: the program of the wheel, or this module
    program = "anim-curves" if Path(sys.argv[0]).stem == "anim-curves" else "python -m io_formats"
    namespace = _parser(program, given[0] if given else "").parse_args(given)
    if namespace.command != "convert" and not _files(namespace):
        complain(messages.NO_FILE_CHOSEN)
        return 2
    handlers = {"info": _info, "convert": _convert, "verify": _verify, "dump": _dump, "diff": _diff}
    with memory.limited(*memory.asked_of(namespace)):
        return guarded(lambda: handlers[namespace.command](namespace))


@cache
def _parser(program: str, command: str) -> argparse.ArgumentParser:
    """Return what reads the arguments of a command; made once, as a script may call for each of many files.

    Other commands are named only, as the hundred flags of a conversion take as long as all the rest of `--help`.
    """
    parser = argparse.ArgumentParser(prog=program, description=messages.CLI_DESCRIPTION, allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"anim-curves {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    sentences = [messages.CLI_INFO, messages.CLI_CONVERT, messages.CLI_VERIFY, messages.CLI_DUMP, messages.CLI_DIFF]
    for name, sentence in zip(("info", "convert", "verify", "dump", "diff"), sentences, strict=True):
        added = commands.add_parser(name, help=sentence, allow_abbrev=False)
        if name == command:
            _add_arguments(added, name)
    return parser


def _add_arguments(command: argparse.ArgumentParser, name: str) -> None:
    files = messages.CLI_CONVERT_FILES if name == "convert" else messages.CLI_FILES
    command.add_argument("files", nargs={"dump": 1, "diff": 2}.get(name, "+"), metavar="FILE", help=files)
    if name == "convert":
        command.add_argument("--to", choices=TARGETS, help=commands_messages.CLI_CONVERT_TO)
        add_batch_flags(command, several=True)
        add_flags(command, *IMPORTS, *EXPORTS, *INTERCHANGES, hidden=NOT_FOR_CONVERT)
        return
    if name == "info":
        command.add_argument("--json", action="store_true", help=commands_messages.CLI_JSON)
    add_flags(command, ReadOptions, only=LIMITS)


def _files(namespace: argparse.Namespace) -> list[Path]:
    return [found.path for found in files_of(namespace, ENDINGS)]


def _info(namespace: argparse.Namespace) -> int:
    failed = False
    paths = _files(namespace)
    progress = Progress(paths)
    for number, path in enumerate(paths):
        try:
            report = Report()
            facts = describe(progress.watched(path, open_in_steps(path, _limit(namespace), report)), report)
        except FormatError as error:
            failed = True
            facts = {"file": str(path), "error": str(error)}
        if namespace.json:
            say_json(facts)
        else:
            lines = [f"{name}: {_as_text(value)}" for name, value in facts.items() if value != []]
            say(("\n" if number else "") + "\n".join(lines))
    return int(failed)


def describe(opened: AnyFile, report: Report) -> Facts:
    """Return what `info` tells of a file, with its reader's warnings and notes."""
    return {
        "file": str(opened.path),
        "bytes": len(opened.data),
        "format": opened.format.title,
        **opened.describe(),
        "warnings": [str(entry) for entry in report.warnings],
    }


def _as_text(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(_as_text(part) for part in value)
    if isinstance(value, dict):
        return ", ".join(f"{name} {_as_text(part)}" for name, part in value.items())
    return str(value)


def _verify(namespace: argparse.Namespace) -> int:
    failed = False
    paths = _files(namespace)
    progress = Progress(paths)
    for path in paths:
        try:
            with about_file(path):
                verdict = progress.watched(path, _verdict(path, _limit(namespace)))
        except FormatError as error:
            verdict = str(error)
        failed = failed or bool(verdict)
        say(verdict or messages.CLI_VERIFIED.format(file=path))
    return int(failed)


def _verdict(path: Path, limit: int) -> Steps[str]:
    """Return where a file differs from what is written of it, see `check`."""
    opened = yield from steps.portion(open_in_steps(path, limit), last=0.5)
    return check(opened)


def check(opened: AnyFile) -> str:
    """Write the document in its own form and return where it differs from the file, as a sentence; empty if nowhere.

    A compressed or textual file may be written in other bytes; then its content is compared.
    """
    written = opened.written()
    if written == opened.data or opened.has_content_of(written):
        return ""
    offset = next((at for at, pair in enumerate(zip(written, opened.data)) if pair[0] != pair[1]), len(written))
    return messages.CLI_DIFFERS.format(file=opened.path, offset=offset)


def _dump(namespace: argparse.Namespace) -> int:
    try:
        for place, value in _contents(namespace.files[0], namespace):
            say(f"{place} = {value}")
    except FormatError as error:
        complain(str(error))
        return 1
    return 0


def _diff(namespace: argparse.Namespace) -> int:
    """Say what differs, place by place, as `diff` does; return 1 if anything does, 2 if a file cannot be read."""
    try:
        old, new = (dict(_contents(file, namespace)) for file in namespace.files)
    except FormatError as error:
        complain(str(error))
        return 2
    differing = [place for place in {**old, **new} if old.get(place) != new.get(place)]
    for place in differing:
        for sign, own in (("-", old), ("+", new)):
            if place in own:
                say(f"{sign} {place} = {own[place]}")
    return int(bool(differing))


def _contents(file: str, namespace: argparse.Namespace) -> Iterator[tuple[str, str]]:
    opened = steps.finished(open_in_steps(Path(file), _limit(namespace)))
    return contents(opened.document, opened.format.name)


def contents(value: object, place: str) -> Iterator[tuple[str, str]]:
    """Yield each field of a document, item of a list and row of an array: its place, and its value as text."""
    value = bytes(value) if isinstance(value, memoryview) else value
    value = value.tolist() if hasattr(value, "tolist") else value
    parts: list[tuple[str, object]] = []
    if is_dataclass(value):
        yield place, type(value).__name__
        parts = [(f".{field.name}", getattr(value, field.name)) for field in fields(value)]
    elif isinstance(value, dict):
        parts = [(f"[{key!r}]", part) for key, part in value.items()]
    elif isinstance(value, list | tuple) and not _is_row(value):
        parts = [(f"[{number}]", part) for number, part in enumerate(value)]
    elif isinstance(value, bytes) and len(value) > _LONG:
        yield place, messages.CLI_BYTES.format(count=len(value), sum=zlib.crc32(value))
    else:
        yield place, repr(value)
    for name, part in parts:
        yield from contents(part, place + name)


def _is_row(values: Sequence[object]) -> bool:
    """Return whether values fit a line: a few numbers, or none."""
    return len(values) <= _WIDE and all(isinstance(value, int | float) for value in values)


def _convert(namespace: argparse.Namespace) -> int:
    outputs = outputs_of(namespace)
    try:
        tasks = tasks_of(namespace, ENDINGS, namespace.to, outputs) if namespace.to else [_only_task(namespace)]
    except FormatError as error:
        complain(str(error))
        return 2
    progress = Progress(task.file for task in tasks)
    results = (_converted(task, namespace, outputs, progress) for task in tasks)
    many = namespace.to or namespace.json
    failed = tell(results, as_json=namespace.json) if many else _tell_only(next(results))
    return int(failed and not namespace.exit_zero)


def _only_task(namespace: argparse.Namespace) -> Task:
    """Return what is to be done where a file is named and what becomes of it; raise FormatError for another call."""
    many = [name for name in ("output", "resume", "part") if getattr(namespace, name) is not None]
    if many or len(namespace.files) != 2:
        raise FormatError(messages.CLI_CONVERT_TWO)
    source, output = map(Path, namespace.files)
    return batch_files.Task(source, output)


def _converted(task: Task, namespace: argparse.Namespace, outputs: Outputs, progress: Progress) -> list[Row]:
    """Return what came of one file."""
    report = Report()
    try:
        with memory.limited(*memory.asked_of(namespace)), about_file(task.file):
            if namespace.output is not None:
                batch_files.make_folder(task.output.parent)
            converting = convert_as_asked(namespace, task.file, task.output, report, outputs)
            paths = progress.watched(task.file, converting)
    except FormatError as error:
        return [{"file": str(task.file), "error": str(error)}]
    warnings = [str(entry) for entry in report.warnings + report.notes]
    return [{"file": str(task.file), "output": str(path), "digest": path.name, "warnings": warnings} for path in paths]


def _tell_only(rows: list[Row]) -> bool:
    """Say what came of the one file that was named; return whether it failed."""
    if "error" in rows[0]:
        complain(rows[0]["error"])
        return True
    for line in rows[0]["warnings"]:
        complain(line)
    for row in rows:
        say(messages.CLI_WRITTEN.format(file=row["output"]))
    return False


def convert_as_asked(
    namespace: argparse.Namespace, source: Path, output: Path, report: Report, outputs: Outputs
) -> Steps[list[Path]]:
    """Convert a file with the options of a command line; return the paths of the files written.

    Raises:
        FormatError: the file cannot be converted, or an option belongs to neither format.
    """
    opened = yield from steps.portion(open_in_steps(source, _limit(namespace), report), last=_READ)
    target = target_of(output.suffix)
    reading, writing = convert_options(namespace, opened.format, target, output.suffix.lower())
    converting = convert.convert.steps(
        opened, output, target, reading=reading, writing=writing, report=report, outputs=outputs
    )
    return (yield from steps.portion(converting, _READ))


def _limit(namespace: argparse.Namespace) -> int:
    """Return the most bytes that a file may have or expand to, as the command line says."""
    return options_from(namespace, ReadOptions).limit_mib << 20


if __name__ == "__main__":
    sys.exit(main())
