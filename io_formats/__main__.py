"""The codecs on the command line, without Blender: `python -m io_formats info|convert|verify`, or `anim-curves`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from . import ENDINGS, FormatError, Report, format_of, messages, open_in_steps
from .commands.console import complain, guarded, say, say_json
from .commands.flags import add_flags, joined, options_from
from .commands.given_options import EXPORTS, IMPORTS, NOT_FOR_CONVERT, convert_options
from .commands.progress import Progress
from .convert import convert_in_steps
from .errors import about_file
from .files import memory
from .files.batch_files import Outputs, expand
from .files.steps import Steps, portion
from .format import AnyFile, Facts
from .options import ReadOptions

_READ = 0.2
"""Share of a conversion that is done when the file is read."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return 0 for success, 1 if a file failed, 2 for a wrong call, 130 after Ctrl+C."""
    namespace = _parser().parse_args(joined(sys.argv[1:] if arguments is None else arguments))
    if namespace.command != "convert" and not _files(namespace):
        complain(messages.NO_FILE_CHOSEN)
        return 2
    handlers = {"info": _info, "convert": _convert, "verify": _verify}
    with memory.limited(getattr(namespace, "memory_mib", 0)):
        return guarded(lambda: handlers[namespace.command](namespace))


def _program() -> str:
    """Return what a person called: the program of the wheel, or this module."""
    return "anim-curves" if Path(sys.argv[0]).stem == "anim-curves" else "python -m io_formats"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=_program(), description=messages.CLI_DESCRIPTION, allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", required=True)
    info = commands.add_parser("info", help=messages.CLI_INFO, allow_abbrev=False)
    info.add_argument("files", nargs="+", metavar="FILE", help=messages.CLI_FILES)
    info.add_argument("--json", action="store_true", help=messages.CLI_JSON)
    add_flags(info, ReadOptions, only=("limit_mib", "memory_mib"))
    convert = commands.add_parser("convert", help=messages.CLI_CONVERT, allow_abbrev=False)
    convert.add_argument("input", type=Path, metavar="IN")
    convert.add_argument("output", type=Path, metavar="OUT")
    convert.add_argument("--overwrite", action="store_true", help=messages.CLI_OVERWRITE)
    add_flags(convert, *IMPORTS, *EXPORTS, hidden=NOT_FOR_CONVERT)
    verify = commands.add_parser("verify", help=messages.CLI_VERIFY, allow_abbrev=False)
    verify.add_argument("files", nargs="+", metavar="FILE", help=messages.CLI_FILES)
    add_flags(verify, ReadOptions, only=("limit_mib", "memory_mib"))
    return parser


def _files(namespace: argparse.Namespace) -> list[Path]:
    return [found.path for found in expand(namespace.files, ENDINGS)]


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
            say(("\n" if number else "") + _as_lines(facts))
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


def _as_lines(facts: Facts) -> str:
    return "\n".join(f"{name}: {_as_text(value)}" for name, value in facts.items() if value != [])


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
    opened = yield from portion(open_in_steps(path, limit), last=0.5)
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


def _convert(namespace: argparse.Namespace) -> int:
    report = Report()
    try:
        with about_file(namespace.input):
            outputs = Outputs(overwrite=namespace.overwrite)
            converting = convert_as_told(namespace, namespace.input, namespace.output, report, outputs)
            paths = Progress([namespace.input]).watched(namespace.input, converting)
    except FormatError as error:
        complain(str(error))
        return 1
    for entry in report.warnings + report.notes:
        complain(str(entry))
    for path in paths:
        say(messages.CLI_WRITTEN.format(file=path))
    return 0


def convert_as_told(
    namespace: argparse.Namespace, source: Path, output: Path, report: Report, outputs: Outputs
) -> Steps[list[Path]]:
    """Convert a file with the options of a command line; return the paths of the files written.

    Raises:
        FormatError: the file cannot be converted, or an option belongs to neither format.
    """
    opened = yield from portion(open_in_steps(source, _limit(namespace), report), last=_READ)
    target = format_of(output.suffix)
    reading, writing = convert_options(namespace, opened.format, target)
    converting = convert_in_steps(
        opened, output, target, reading=reading, writing=writing, report=report, outputs=outputs
    )
    return (yield from portion(converting, _READ))


def _limit(namespace: argparse.Namespace) -> int:
    """Return the most bytes that a file may have or expand to, as the command line says."""
    return options_from(namespace, ReadOptions).limit_mib << 20


if __name__ == "__main__":
    sys.exit(main())
