"""The codecs on the command line, without Blender: `python -m io_formats info|convert|verify|...`, or `anim-curves`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import suppress
from functools import cache, partial
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from . import ENDINGS, TARGETS, FormatError, Report, __version__, convert, messages, open_in_steps, target_of
from .commands import console, flags, looks
from .commands import messages as commands_messages
from .errors import EmptyError, about_file
from .files import batch_files, memory, steps, whole_file
from .interchange import TableOptions, tables, takes
from .interchange import messages as interchange_messages
from .options import LIMITS, ReadOptions

if TYPE_CHECKING:
    from .clip import Clip
    from .files.batch_files import Outputs, Row, Task
    from .files.steps import Steps
    from .interchange.tables import Samples

_READ, _CLIPS = 0.2, 0.5
"""Shares of a conversion that are done when the file is read, and when its animations are known."""

_TAKES = ".parquet"
"""Ending of a table of many takes, which is no conversion of each."""
_SHOWN = 8
"""Parts of a list that `info` names, where it has more."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return 0 for success, 1 if a file failed, 2 for a wrong call, 130 after Ctrl+C."""
    given = flags.joined(sys.argv[1:] if arguments is None else arguments)
    # what a person called: the program of the wheel, or this module
    program = "anim-curves" if Path(sys.argv[0]).stem == "anim-curves" else "python -m io_formats"
    return console.guarded(lambda: _run(program, given))


def _run(program: str, given: Sequence[str]) -> int:
    namespace = _parser(program, given[0] if given else "").parse_args(given)
    with memory.limited(*memory.asked_of(namespace)):
        if namespace.command != "convert":
            namespace.paths = [found.path for found in console.files_of(namespace, ENDINGS)]
            if not namespace.paths:
                console.complain(commands_messages.CLI_NO_FILES)
                return 2
        return _commands()[namespace.command][0](namespace)


def _commands() -> dict[str, tuple[Callable[[argparse.Namespace], int], str]]:
    return {
        "info": (_info, messages.CLI_INFO),
        "convert": (_convert, messages.CLI_CONVERT),
        "verify": (partial(_checked, _differences, messages.CLI_VERIFIED), messages.CLI_VERIFY),
        "lint": (partial(_checked, _faults, commands_messages.CLI_LINTED), messages.CLI_LINT),
        "dump": (_dump, messages.CLI_DUMP),
        "diff": (_diff, messages.CLI_DIFF),
        "plot": (_plot, messages.CLI_PLOT),
    }


@cache
def _parser(program: str, command: str) -> argparse.ArgumentParser:
    """Return what reads the arguments of a command, of which a script may call many; other commands are named only, as
    the hundred flags of a conversion take as long as all the rest of `--help`."""
    parser = argparse.ArgumentParser(prog=program, description=messages.CLI_DESCRIPTION, allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"anim-curves {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, (_, sentence) in _commands().items():
        added = commands.add_parser(name, help=sentence, allow_abbrev=False)
        if name != command:
            continue
        files = messages.CLI_CONVERT_FILES if name == "convert" else messages.CLI_FILES
        added.add_argument("files", nargs={"dump": 1, "diff": 2, "plot": 2}.get(name, "+"), metavar="FILE", help=files)
        if name == "convert":
            added.usage = commands_messages.CLI_USAGE
            added.add_argument("--to", choices=(*TARGETS, _TAKES), help=commands_messages.CLI_CONVERT_TO)
            console.add_batch_flags(added, several=True)
            added.add_argument("--jobs", type=_no_jobs, help=argparse.SUPPRESS)
            flags.add_flags(added, *flags.CLASSES, hidden=flags.NOT_FOR_CONVERT)
        if name == "info":
            added.add_argument("--json", action="store_true", help=commands_messages.CLI_JSON)
        if name == "plot":
            added.add_argument("--channels", metavar="PATTERN", default="", help=commands_messages.CLI_CHANNELS)
            added.add_argument("--overwrite", action="store_true", help=commands_messages.CLI_OVERWRITE)
        if name != "convert":
            flags.add_flags(added, ReadOptions, only=LIMITS)
    return parser


def _no_jobs(_number: str) -> NoReturn:
    raise argparse.ArgumentTypeError(messages.CLI_NO_JOBS)


def _info(namespace: argparse.Namespace) -> int:
    failed = False
    progress = console.Progress(namespace.paths)
    for number, path in enumerate(namespace.paths):
        try:
            report = Report()
            opened = progress.watched(path, open_in_steps(path, _limit(namespace), report))
            told = {"bytes": len(opened.data), "format": opened.format.title, **opened.describe()}
            facts = {"file": str(path), **told, "warnings": [*map(str, report.warnings)]}
        except FormatError as error:
            failed = True
            facts = {"file": str(path), "error": str(error)}
        if namespace.json:
            console.say_json(facts)
        else:
            lines = [f"{name}: {_as_text(value)}" for name, value in facts.items() if value not in ([], {}, None)]
            console.say(("\n" if number else "") + "\n".join(lines))
    return int(failed)


def _as_text(value: object) -> str:
    if isinstance(value, list):
        more = [messages.CLI_MORE.format(count=len(value))] if len(value) > _SHOWN else []
        between = "; " if isinstance(next(iter(value), None), dict) else ", "
        return between.join([*map(_as_text, value[:_SHOWN]), *more])
    if isinstance(value, dict):
        return ", ".join(f"{name} {_as_text(part)}" for name, part in value.items() if part not in ([], {}))
    return str(value) or repr(value)


def _checked(
    checking: Callable[[Path, argparse.Namespace], Steps[list[str]]], well: str, namespace: argparse.Namespace
) -> int:
    failed = False
    progress = console.Progress(namespace.paths)
    for path in namespace.paths:
        try:
            with about_file(path):
                found = progress.watched(path, checking(path, namespace))
        except FormatError as error:
            found = [str(error)]
        failed = failed or bool(found)
        console.say("\n".join(found) or well.format(file=path))
    return int(failed)


def _differences(path: Path, namespace: argparse.Namespace) -> Steps[list[str]]:
    """Return where a file that is written again differs, in its content if not in its bytes, as a sentence."""
    opened = yield from steps.portion(open_in_steps(path, _limit(namespace)), last=0.5)
    written = opened.written()
    if written == opened.data or opened.has_content_of(written):
        return []
    offset = next((at for at, pair in enumerate(zip(written, opened.data)) if pair[0] != pair[1]), len(written))
    return [messages.CLI_DIFFERS.format(file=opened.path, offset=offset)]


def _faults(path: Path, namespace: argparse.Namespace) -> Steps[list[str]]:
    report = Report()
    for clip in (yield from _clips(path, namespace, report)):
        looks.lint(clip, report)
    return [f"{path}: {entry}" for entry in report.warnings]


def _clips(path: Path, namespace: argparse.Namespace, report: Report) -> Steps[list[Clip]]:
    opened = yield from steps.portion(open_in_steps(path, _limit(namespace), report), last=0.5)
    reading = flags.options_from(namespace, opened.format.read_options)
    return (yield from steps.portion(convert.clips_of(opened, reading, None, report), 0.5))


def _dump(namespace: argparse.Namespace) -> int:
    for place, value in _contents(namespace.files[0], namespace):
        console.say(f"{place} = {value}")
    return 0


def _diff(namespace: argparse.Namespace) -> int:
    """Say what differs, place by place, as `diff` does; return 1 if anything does, 2 if a file cannot be read."""
    try:
        old, new = (dict(_contents(file, namespace)) for file in namespace.files)
    except FormatError as error:
        console.complain(str(error))
        return 2
    differing = [place for place in {**old, **new} if old.get(place) != new.get(place)]
    for place in differing:
        for sign, own in (("-", old), ("+", new)):
            if place in own:
                console.say(f"{sign} {place} = {own[place]}")
    return int(bool(differing))


def _contents(file: str, namespace: argparse.Namespace) -> Iterator[tuple[str, str]]:
    opened = steps.finished(open_in_steps(Path(file), _limit(namespace)))
    return looks.contents(opened.document, opened.format.name)


def _plot(namespace: argparse.Namespace) -> int:
    source, output = map(Path, namespace.files)
    report = Report()
    if output.suffix.lower() != ".svg":
        raise FormatError(messages.UNKNOWN_ENDING, file=str(output), found=output.suffix, endings=".svg")
    with about_file(source):
        picture = looks.plot(steps.finished(_clips(source, namespace, report)), namespace.channels, report)
    whole_file.write_atomically(output, picture, overwrite=namespace.overwrite)
    for entry in report.warnings:
        console.complain(f"{source}: {entry}")
    console.say(messages.CLI_WRITTEN.format(file=output))
    return 0


def _convert(namespace: argparse.Namespace) -> int:
    outputs = console.outputs_of(namespace)
    if (namespace.to or Path(namespace.files[-1]).suffix.lower()) == _TAKES:
        return _gather(namespace)
    for_many = (namespace.output, namespace.resume, namespace.part)
    try:
        if namespace.to:
            tasks = console.tasks_of(namespace, ENDINGS, namespace.to, outputs)
        elif len(namespace.files) != 2 or for_many != (None, None, None):
            raise FormatError(messages.CLI_TWO_FILES)
        else:  # a file is named, and what becomes of it
            tasks = [batch_files.Task(*map(Path, namespace.files))]
    except FormatError as error:
        console.complain(str(error))
        return 2
    progress = console.Progress(task.file for task in tasks)
    failed = console.tell((_converted(task, namespace, outputs, progress) for task in tasks), as_json=namespace.json)
    return int(failed and not namespace.exit_zero)


def _gather(namespace: argparse.Namespace) -> int:
    """Write all files into one table of takes, of which those that fail are no part."""
    part = namespace.part or (1, 1)
    try:
        if namespace.resume:
            raise FormatError(commands_messages.CLI_TAKES_RESUME)
        if namespace.to:
            number = f"-{part[0]}-of-{part[1]}" if namespace.part else ""
            table = Path(namespace.output or "") / f"takes{number}{_TAKES}"
        elif namespace.output or namespace.part:
            raise FormatError(commands_messages.CLI_TAKES_NAMED)
        else:
            table = Path(namespace.files.pop())
        found = console.files_of(namespace, ENDINGS)
        if not found:
            raise FormatError(commands_messages.CLI_NO_FILES)
        tasks = batch_files.plan(found, Path(), _TAKES)  # with names in the table
        files: dict[Path, Path] = {}
        for file, take in tasks:
            if (first := files.setdefault(take, file)) != file:
                name = take.with_suffix("").as_posix()
                raise FormatError(commands_messages.CLI_TAKES_TWICE, name=name, first=first, second=file)
        table_in = takes.table_in  # which may not be installed; no folder is made for nothing
        batch_files.make_folder(table.parent)
    except FormatError as error:
        console.complain(str(error))
        return 2
    ours = batch_files.files_of_part(found, *part)
    tasks = [task for task in tasks if task.file in ours]
    progress, failed, done = console.Progress(task.file for task in tasks), False, []
    with suppress(EmptyError), whole_file.beside(table, overwrite=namespace.overwrite) as new, table_in(new) as rows:
        for task in tasks:
            row = _gathered(task, namespace, rows, progress, files)
            if "error" in row:
                failed = console.tell([[row]], as_json=namespace.json)
            else:
                done.append([{"file": str(task.file), "output": str(table), **row}])
    console.tell(done, as_json=namespace.json)  # whoever reads that a file is in the table finds it there
    return int(failed and not namespace.exit_zero)


def _gathered(
    task: Task, namespace: argparse.Namespace, rows: takes.Takes, progress: console.Progress, taken: Container[Path]
) -> Row:
    report = Report()
    name = task.output.with_suffix("").as_posix()
    try:
        with memory.limited(*memory.asked_of(namespace)), about_file(task.file):
            sampled = progress.watched(task.file, _sampled(task.file, namespace, report))
    except FormatError as error:
        return {"file": str(task.file), "error": str(error)}
    numbered = (f"{name}-{number}" for number in count(2) if Path(f"{name}-{number}{_TAKES}") not in taken)
    for own, (clip, samples) in zip(chain([name], numbered), sampled):  # a failure here is no fault of the file's
        rows.add(own, clip, samples)
    return {"file": str(task.file), "digest": name, **console.told_of(report)}


def _sampled(path: Path, namespace: argparse.Namespace, report: Report) -> Steps[list[tuple[Clip, Samples]]]:
    opened = yield from steps.portion(open_in_steps(path, _limit(namespace), report), last=_READ)
    reading, writing = flags.convert_options(namespace, opened.format, takes.TAKES, _TAKES, path.suffix.lower())
    clips = yield from steps.portion(convert.clips_for(opened, takes.TAKES, reading, writing, report), _READ, _CLIPS)
    assert isinstance(writing, TableOptions)
    sampled = []
    for clip in clips:
        samples = yield from steps.portion(tables.samples_of(clip, writing, report), _CLIPS)
        if clip.markers:
            report.warn(interchange_messages.MARKERS_LEFT_OUT, markers=len(clip.markers))
        sampled.append((clip, samples))
    return sampled


def _converted(task: Task, namespace: argparse.Namespace, outputs: Outputs, progress: console.Progress) -> list[Row]:
    report = Report()
    try:
        with memory.limited(*memory.asked_of(namespace)), about_file(task.file):
            paths = progress.watched(task.file, convert_as_asked(namespace, task.file, task.output, report, outputs))
    except FormatError as error:
        return [{"file": str(task.file), "error": str(error)}]
    told = console.told_of(report)
    return [{"file": str(task.file), "output": str(path), "digest": path.name, **told} for path in paths]


def convert_as_asked(
    namespace: argparse.Namespace, source: Path, output: Path, report: Report, outputs: Outputs
) -> Steps[list[Path]]:
    """Convert a file with the options of a command line; return the paths of the files written, and raise FormatError
    if it cannot be converted, or an option belongs to neither format."""
    opened = yield from steps.portion(open_in_steps(source, _limit(namespace), report), last=_READ)
    with about_file(output):
        target = target_of(output.suffix)
    endings = output.suffix.lower(), source.suffix.lower()
    reading, writing = flags.convert_options(namespace, opened.format, target, *endings)
    converting = convert.convert.steps(
        opened, output, target, reading=reading, writing=writing, report=report, outputs=outputs
    )
    return (yield from steps.portion(converting, _READ))


def _limit(namespace: argparse.Namespace) -> int:
    return flags.options_from(namespace, ReadOptions).limit_mib << 20


if __name__ == "__main__":
    sys.exit(main())
