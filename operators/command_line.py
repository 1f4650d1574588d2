"""`blender --command anim_curves info|verify|import|export|convert`: the operators' work for scripts and servers.

The options are those of the dialogues, made from the same declarations. Files may be names, patterns or folders.
Exit codes: 0 all went well, 1 a file failed (the others are done), 2 a wrong call.
"""

from __future__ import annotations

import argparse
import glob
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import bpy

from ..io_formats import FORMATS, FormatError, Report, format_of, identify, messages
from ..io_formats import __main__ as codecs_command
from ..io_formats.console import complain, say, say_json
from ..io_formats.flags import add_flags, options_from
from ..io_formats.whole_file import check_file, read_file
from ..scene import actions, provenance
from . import export_objects, workers
from .exporting import export_files
from .importing import Outcome, import_files
from .language import error_text, report_lines

NAME = "anim_curves"

Result = dict[str, Any]
Job = Callable[[Path, argparse.Namespace], Iterator[Result]]

_ENDINGS = tuple(ending for package in FORMATS for ending in package.EXTENSIONS)
_IMPORTS = tuple(package.ImportOptions for package in FORMATS)
_EXPORTS = tuple(package.ExportOptions for package in FORMATS)


def main(arguments: Sequence[str]) -> int:
    """Run one command; returns the exit code."""
    try:
        if arguments and arguments[0] in ("info", "verify"):
            return codecs_command.main(_with_files_expanded(arguments))
        namespace = _parser().parse_args(list(arguments))
    except SystemExit as wrong_call:
        return int(wrong_call.code or 0)
    return _run(namespace, list(arguments))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"blender --command {NAME}", description=messages.CLI_DESCRIPTION)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, text in (("info", messages.CLI_INFO), ("verify", messages.CLI_VERIFY)):
        commands.add_parser(name, help=text)
    importer = _command(commands, "import", messages.CLI_IMPORT)
    importer.add_argument("--into", type=Path, metavar="BLEND", help=messages.CLI_INTO)
    add_flags(importer, *_IMPORTS)
    exporter = _command(commands, "export", messages.CLI_EXPORT)
    exporter.add_argument("--to", choices=_ENDINGS, help=messages.CLI_TO)
    exporter.add_argument("--object", default="", help=messages.CLI_OBJECT)
    add_flags(exporter, *_EXPORTS)
    converter = _command(commands, "convert", messages.CLI_CONVERT_MANY)
    converter.add_argument("--to", choices=_ENDINGS, required=True, help=messages.CLI_TO)
    add_flags(converter, *_IMPORTS, *_EXPORTS)
    return parser


def _command(commands: Any, name: str, text: str) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(name, help=text, description=text)
    command.add_argument("files", nargs="*", metavar="FILE", help=messages.CLI_FILES)
    command.add_argument("--output", type=Path, metavar="FOLDER", help=messages.CLI_OUTPUT)
    command.add_argument("--jobs", type=int, default=1, metavar="N", help=messages.CLI_JOBS)
    command.add_argument("--json", action="store_true", help=messages.CLI_JSON)
    command.add_argument("--files-from-stdin", action="store_true", help=argparse.SUPPRESS)
    return command


def _run(namespace: argparse.Namespace, arguments: Sequence[str]) -> int:
    job, endings = _JOBS[namespace.command]
    files = _names_from_stdin() if namespace.files_from_stdin else expand(namespace.files, endings)
    if not files:
        complain(messages.NO_FILE_CHOSEN)
        return 2
    if namespace.jobs > 1 and len(files) > 1:
        results = workers.run(NAME, _for_worker(arguments, namespace), files, namespace.jobs)
    else:
        results = (result for file in files for result in _guarded(job, file, namespace))
    return _tell(results, as_json=namespace.json, as_lines=namespace.files_from_stdin)


def _names_from_stdin() -> list[Path]:
    return [Path(os.fsdecode(line)) for line in sys.stdin.buffer.read().splitlines() if line]


def _for_worker(arguments: Sequence[str], namespace: argparse.Namespace) -> list[str]:
    """The arguments of a worker: the same options, files by standard input, one process each."""
    names = set(namespace.files)
    options = [argument for argument in arguments if argument not in names and argument != "--json"]
    return [*options, "--jobs", "1", "--files-from-stdin"]


def _guarded(job: Job, file: Path, namespace: argparse.Namespace) -> Iterator[Result]:
    try:
        yield from job(file, namespace)
    except FormatError as error:
        error.file = error.file or str(file)
        yield {"file": str(file), "error": error_text(error)}


def _tell(results: Iterator[Result], *, as_json: bool, as_lines: bool) -> int:
    failed, kept = False, []
    for result in results:
        failed = failed or "error" in result
        if as_json:
            kept.append(result)
        elif as_lines:
            sys.stdout.write(json.dumps(result) + "\n")
        else:
            _tell_one(result)
    if as_json:
        say_json(kept)
    sys.stdout.flush()
    return int(failed)


def _tell_one(result: Result) -> None:
    if "error" in result:
        complain(result["error"])
        return
    say(messages.CLI_DONE.format(**result))
    for line in result["warnings"]:
        complain(f"{result['file']}: {line}")


def expand(names: Sequence[str], endings: Sequence[str]) -> list[Path]:
    """Files behind names, patterns (`**` goes down) and folders, of which only files with these endings count."""
    found: list[Path] = []
    for name in names:
        path = Path(name)
        if path.is_dir():
            found += sorted(file for file in path.rglob("*") if file.suffix.lower() in endings and file.is_file())
        elif glob.has_magic(name) and not path.exists():
            found += sorted(Path(match) for match in glob.glob(name, recursive=True))
        else:
            found.append(path)
    return list(dict.fromkeys(found))


def _with_files_expanded(arguments: Sequence[str]) -> list[str]:
    expanded = [arguments[0]]
    for argument in arguments[1:]:
        expanded += [argument] if argument.startswith("-") else [str(path) for path in expand([argument], _ENDINGS)]
    return expanded


def _output(file: Path, namespace: argparse.Namespace, ending: str) -> Path:
    folder = namespace.output or file.parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FormatError(messages.WRITE_NO_FOLDER, file=str(folder), reason=error.strerror or error) from error
    except ValueError as error:
        raise FormatError(messages.WRITE_BAD_NAME, file=str(folder)) from error
    return Path(folder, file.stem + ending)


def _import(file: Path, namespace: argparse.Namespace) -> Iterator[Result]:
    package = identify(read_file(file))
    if namespace.into:
        _open_blend(namespace.into)
    else:
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    options = options_from(namespace, package.ImportOptions)
    outcome: Outcome = next(import_files(bpy.context, [file], package, options))
    if outcome.error is not None:
        raise outcome.error
    target = _output(file, namespace, ".blend")
    _save_blend(target)
    yield _result(file, target, outcome.digest, outcome.report)


def _open_blend(path: Path) -> None:
    check_file(path)
    try:
        bpy.ops.wm.open_mainfile(filepath=str(path.absolute()))
    except RuntimeError as error:
        raise FormatError(messages.CANNOT_OPEN, file=str(path), reason=_first_line(error)) from error


def _save_blend(path: Path) -> None:
    if path.is_dir():
        raise FormatError(messages.WRITE_NOT_A_FILE, file=str(path))
    try:
        bpy.ops.wm.save_as_mainfile(filepath=str(path.absolute()), compress=False)
    except RuntimeError as error:
        raise FormatError(messages.WRITE_FAILED, file=str(path), reason=_first_line(error)) from error


def _first_line(error: RuntimeError) -> str:
    """What Blender says, without the place in its own code that follows."""
    return str(error).strip().splitlines()[0].removeprefix("Error: ")


def _export(file: Path, namespace: argparse.Namespace) -> Iterator[Result]:
    _open_blend(file)
    package = format_of(namespace.to) if namespace.to else _origin_format()
    owners = _named_object(namespace.object) or export_objects.chosen(bpy.context, armature=package.NEEDS_ARMATURE)
    target = _output(file, namespace, namespace.to or package.EXTENSIONS[0])
    options = options_from(namespace, package.ExportOptions)
    for exported in export_files(bpy.context, target, package, options, owners):
        yield _result(file, exported.path, exported.digest, exported.report)


def _named_object(name: str) -> list[Any]:
    """The object that was asked for; nothing where none was."""
    if name and name not in bpy.data.objects:
        raise FormatError(messages.NO_SUCH_OBJECT, name=name)
    return [bpy.data.objects[name]] if name else []


def _origin_format() -> Any:
    """The format that the file's Actions came from; without any, AnimJ, which everything can be written to."""
    owned = (actions.assigned(owner)[0] for owner in bpy.context.scene.objects)
    origins = (provenance.find(action) for action in owned if action is not None)
    return format_of(next((origin.format for origin in origins if origin is not None and origin.format), ".animj"))


def _convert(file: Path, namespace: argparse.Namespace) -> Iterator[Result]:
    report = Report()
    single = argparse.Namespace(**vars(namespace))
    single.input, single.output = file, _output(file, namespace, namespace.to)
    for target in codecs_command.convert(single, report):
        yield _result(file, target, target.name, report)


def _result(file: Path, output: Path, digest: str, report: Report) -> Result:
    return {"file": str(file), "output": str(output), "digest": digest, "warnings": report_lines(report)}


_JOBS: dict[str, tuple[Job, tuple[str, ...]]] = {
    "import": (_import, _ENDINGS),
    "export": (_export, (".blend",)),
    "convert": (_convert, _ENDINGS),
}


class _Registered:
    """The handle that Blender gives for a registered command, to take it back with."""

    handle: Any = None


def register() -> None:
    """Make the command known to `blender --command`."""
    _Registered.handle = bpy.utils.register_cli_command(NAME, main)


def unregister() -> None:
    """Take the command back."""
    if _Registered.handle is not None:
        bpy.utils.unregister_cli_command(_Registered.handle)
        _Registered.handle = None
