"""The codecs on the command line, without Blender: `python -m io_formats info|convert|verify`, or `anim-curves`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

from . import FORMATS, FormatError, Report, format_of, messages, read_identified, w3d
from .binary import SIZE_LIMIT, UNLIMITED
from .clip.edit import faced_back
from .commands.console import complain, guarded, say, say_json
from .commands.flags import add_flags, joined, options_from
from .commands.given_options import EXPORTS, IMPORTS, NOT_FOR_CONVERT, convert_options
from .errors import about_file
from .files import memory
from .files.batch_files import Outputs, expand
from .files.saving import NewFile
from .options import ReadOptions
from .w3d.skeleton import SkeletonFinder

ENDINGS = tuple(ending for package in FORMATS for ending in package.EXTENSIONS)
"""Endings of all files that are ours."""


@dataclass
class OpenFile:
    """A file that has been read: its package, bytes, document and what the reader remarked."""

    path: Path
    package: ModuleType
    data: bytes
    document: Any
    report: Report
    limit: int = SIZE_LIMIT


def open_file(path: Path, limit: int = SIZE_LIMIT) -> OpenFile:
    """Read a file of any format, up to `limit` bytes, also of what it expands to; FormatError names the file."""
    report = Report()
    data, package = read_identified(path, limit)
    with about_file(path):
        return OpenFile(path, package, data, package.read(data, limit=limit, report=report), report, limit)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0 when all went well, 1 when a file failed, 2 for a wrong call, 130 after Ctrl+C."""
    namespace = _parser().parse_args(joined(sys.argv[1:] if arguments is None else arguments))
    if namespace.command != "convert" and not _files(namespace):
        complain(messages.NO_FILE_CHOSEN)
        return 2
    handlers = {"info": _info, "convert": _convert, "verify": _verify}
    with memory.limited(getattr(namespace, "memory_mib", 0)):
        return guarded(lambda: handlers[namespace.command](namespace))


def _program() -> str:
    """What a person called: the program of the wheel, or this module."""
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
    for number, path in enumerate(_files(namespace)):
        try:
            facts = describe(open_file(path, _limit(namespace)))
        except FormatError as error:
            failed = True
            facts = {"file": str(path), "error": str(error)}
        if namespace.json:
            say_json(facts)
        else:
            say(("\n" if number else "") + _as_lines(facts))
    return int(failed)


def describe(opened: OpenFile) -> dict[str, Any]:
    """What `info` tells of a file, ready for JSON."""
    return {
        "file": str(opened.path),
        "bytes": len(opened.data),
        "format": opened.package.TITLE,
        **opened.package.describe(opened.document),
        "warnings": [str(entry) for entry in opened.report.warnings],
    }


def _as_lines(facts: dict[str, Any]) -> str:
    return "\n".join(f"{name}: {_as_text(value)}" for name, value in facts.items() if value != [])


def _as_text(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(_as_text(part) for part in value)
    if isinstance(value, dict):
        return ", ".join(f"{name} {_as_text(part)}" for name, part in value.items())
    return str(value)


def _verify(namespace: argparse.Namespace) -> int:
    failed = False
    for path in _files(namespace):
        try:
            verdict = check(open_file(path, _limit(namespace)))
        except FormatError as error:
            verdict = str(error)
        failed = failed or bool(verdict)
        say(verdict or messages.CLI_VERIFIED.format(file=path))
    return int(failed)


def check(opened: OpenFile) -> str:
    """Write the document in its own form and compare: empty when it is the same, else a sentence that says where not.

    A compressed or textual file may be written in other bytes; then its content is compared.
    """
    written = opened.package.encode(opened.document, "", opened.package.WriteOptions())
    if written == opened.data:
        return ""
    again = opened.package.read(written, limit=UNLIMITED)
    if opened.package.same_content(opened.document, again):
        return ""
    place = next((at for at, pair in enumerate(zip(written, opened.data)) if pair[0] != pair[1]), len(written))
    return messages.CLI_DIFFERS.format(file=opened.path, offset=place)


def _convert(namespace: argparse.Namespace) -> int:
    report = Report()
    try:
        with about_file(namespace.input):
            paths = convert(namespace, report, Outputs(overwrite=namespace.overwrite))
    except FormatError as error:
        complain(str(error))
        return 1
    for entry in report.warnings + report.notes:
        complain(str(entry))
    for path in paths:
        say(messages.CLI_WRITTEN.format(file=path))
    return 0


def convert(namespace: argparse.Namespace, report: Report, outputs: Outputs) -> list[Path]:
    """Convert IN to OUT; several animations become OUT, OUT-2 ... unless they go into one file; the paths written."""
    opened = open_file(namespace.input, _limit(namespace))
    report.extend(opened.report)
    target = format_of(namespace.output.suffix)
    read, options = convert_options(namespace, opened.package, target)
    skeleton = _skeleton(opened, read.skeleton_file or options.skeleton_file, report)
    memory.reckon(keys=opened.package.describe(opened.document).get("keys", 0))
    clips = opened.package.to_clips(opened.document, read, report, skeleton=skeleton)
    memory.reckon_clips(clips)
    outputs = outputs.with_leave(given=options.saves_into)
    paths = _numbered(namespace.output, 1 if options.saves_into else len(clips))
    for path in paths:
        outputs.take(path, namespace.input)
    files = [NewFile(path, target, options, report, overwrite=outputs.overwrite) for path in paths]
    for number, clip in enumerate(clips):
        named = replace(faced_back(clip, options), name=clip.name or namespace.input.stem)
        files[min(number, len(files) - 1)].add(named, skeleton=skeleton)
    for file in files:
        file.write()
    return paths


def _numbered(path: Path, count: int) -> list[Path]:
    """The path, and further ones with a number, for so many animations."""
    return [path, *(path.with_stem(f"{path.stem}-{number}") for number in range(2, count + 1))][:count]


def _skeleton(opened: OpenFile, chosen: str, report: Report) -> Any:
    """The W3D document whose pivots the animation moves: of the chosen file, else found beside a W3D animation."""
    finder = SkeletonFinder(opened.limit)
    if opened.package is w3d:
        return finder.skeleton_for(opened.document, opened.path, report, chosen)
    return finder.skeleton_of([], opened.path, report, chosen) if chosen else None


def _limit(namespace: argparse.Namespace) -> int:
    """Bytes that a file may have or expand to, as the command was told."""
    return options_from(namespace, ReadOptions).limit_mib << 20


if __name__ == "__main__":
    sys.exit(main())
