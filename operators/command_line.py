"""`blender --command anim_curves info|verify|import|export|convert`: the operators' work for scripts and servers.

The options are those of the dialogues, made from the same declarations. Files may be names, patterns or folders.
Exit codes: 0 all went well, 1 a file failed (the others are done), 2 a wrong call, 130 ended by Ctrl+C.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import TypeVar

import bpy
from bpy.types import ID, Object, bpy_prop_collection

from ..io_formats import ENDINGS, FORMATS, TARGETS, FormatError, Report, format_at, format_of
from ..io_formats import __main__ as codecs_command
from ..io_formats import messages as common_messages
from ..io_formats.commands import console, flags
from ..io_formats.commands import messages as commands_messages
from ..io_formats.errors import about_file
from ..io_formats.files import memory, steps, whole_file
from ..io_formats.files import messages as files_messages
from ..io_formats.files.batch_files import Outputs, Task, ended, make_folder
from ..pipeline import export_files, export_plan, import_files, source_file
from ..pipeline.language import entry_text, error_text
from ..scene import actions, provenance
from . import dialogs, messages, preferences, workers
from .messages import CLI_COMMAND
from .workers import Interruption, Result

Block = TypeVar("Block", bound=ID)

Told = Callable[[Path, float], None]
"""Hears the share of a file that is done."""

Job = Callable[[Task, argparse.Namespace, Outputs, Told], Iterator[Result]]

_JOBS_FOR_EACH_CORE = 4
_IMPORTED = 0.9
"""Share of an import that is done when the .blend is there to be saved."""


def main(arguments: Sequence[str]) -> int:
    """Run one command; returns the exit code."""
    if list(arguments) == [workers.COMMAND]:
        return console.guarded(lambda: workers.serve(_finished))
    try:
        if arguments and arguments[0] in ("info", "verify"):
            return codecs_command.main(arguments)
        namespace = _parser().parse_args(flags.joined(arguments))
    except SystemExit as wrong_call:
        return int(wrong_call.code or 0)
    return console.guarded(lambda: _run(namespace))


@cache
def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"blender --command {CLI_COMMAND}", description=common_messages.CLI_DESCRIPTION, allow_abbrev=False
    )
    commands = parser.add_subparsers(dest="command", required=True)

    def added(name: str, text: str) -> argparse.ArgumentParser:
        command: argparse.ArgumentParser = commands.add_parser(name, help=text, description=text, allow_abbrev=False)
        command.usage = commands_messages.CLI_USAGE
        command.add_argument("files", nargs="*", metavar="FILE", help=common_messages.CLI_FILES)
        command.add_argument("--jobs", type=_jobs, default=1, metavar="N", help=messages.CLI_JOBS)
        console.add_batch_flags(command, several=name != "import")
        return command

    for name, text in (("info", common_messages.CLI_INFO), ("verify", common_messages.CLI_VERIFY)):
        commands.add_parser(name, help=text)
    importer = added("import", messages.CLI_IMPORT)
    importer.add_argument("--into", metavar="BLEND", help=messages.CLI_INTO)
    importer.add_argument("--assets", metavar="BLEND", help=messages.CLI_ASSETS)
    flags.add_flags(importer, *flags.IMPORTS)
    exporter = added("export", messages.CLI_EXPORT)
    exporter.add_argument("--to", choices=ENDINGS, help=messages.CLI_TO)
    chosen = exporter.add_mutually_exclusive_group()
    chosen.add_argument("--object", default="", help=messages.CLI_OBJECT)
    chosen.add_argument("--collection", default="", help=messages.CLI_COLLECTION)
    chosen.add_argument("--everything", action="store_true", help=messages.CLI_EVERYTHING)
    flags.add_flags(exporter, *flags.EXPORTS)
    converter = added("convert", messages.CLI_CONVERT_MANY)
    converter.add_argument("--to", choices=TARGETS, required=True, help=commands_messages.CLI_CONVERT_TO)
    flags.add_flags(converter, *flags.CLASSES, hidden=flags.NOT_FOR_CONVERT)
    return parser


def _jobs(text: str) -> int:
    """Read a number of processes; more than a few for each core would only wait for each other."""
    most = _JOBS_FOR_EACH_CORE * (os.cpu_count() or 1)
    number = int(text)
    if not 1 <= number <= most:
        raise argparse.ArgumentTypeError(messages.CLI_JOBS_RANGE.format(most=most))
    return number


_jobs.__name__ = "int"  # argparse tells the kind by this name


def _run(namespace: argparse.Namespace) -> int:
    if getattr(namespace, "assets", None) is not None:
        return _make_library(namespace)
    outputs = console.outputs_of(namespace)
    try:
        _, endings, ending = _JOBS[namespace.command]
        ending = ending or getattr(namespace, "to", None) or ""
        # otherwise only an open .blend says which files are made of it: after what it holds or by a pattern
        usual = {"actions": "ACTIVE", "several": "ONE", "file_names": ""}
        named = all(getattr(namespace, name, value) == value for name, value in usual.items())
        tasks = console.tasks_of(namespace, endings, ending, outputs, named=named)
    except FormatError as error:
        console.complain(error_text(error))
        return 2
    progress = console.Progress(task.file for task in tasks)

    def one_by_one(tasks: Iterator[Task]) -> Iterator[list[Result]]:
        for task in tasks:
            progress.tell(task.file, 0.0)
            results = _finished(task, namespace, outputs, progress.tell)
            progress.finish(task.file)
            yield results

    with Interruption() as interruption, console.only_our_output():
        waiting = interruption.before_each(tasks)
        if namespace.jobs > 1 and len(tasks) > 1:
            results = workers.run(vars(namespace), waiting, outputs, namespace.jobs, progress)
        else:
            results = one_by_one(waiting)
        failed = console.tell(results, as_json=namespace.json)
    if interruption.asked:
        console.complain(commands_messages.CLI_INTERRUPTED)
        return console.INTERRUPTED
    return int(failed and not namespace.exit_zero)


def _finished(task: Task, namespace: argparse.Namespace, outputs: Outputs, told: Told) -> list[Result]:
    job = _JOBS[namespace.command][0]
    results: list[Result] = []
    try:
        results.extend(job(task, namespace, outputs, told))
    except FormatError as error:
        results.append(_failure(task.file, error))
    return results


def _import(task: Task, namespace: argparse.Namespace, outputs: Outputs, told: Told) -> Iterator[Result]:
    outputs.take(task.output, task.file)
    file_format = format_at(task.file)
    if namespace.into:
        _open_blend(Path(namespace.into))
    else:
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    options = flags.format_options(namespace, file_format, file_format.import_options)
    folders = preferences.game_folders(bpy.context)
    load = import_files.Load(file_format, [task.file], options)
    for step in import_files.import_loads(bpy.context, [load], folders, task.output.parent):
        told(task.file, _IMPORTED * step.share)
    outcome = step.outcome
    if outcome.error is not None:
        raise outcome.error
    make_folder(task.output.parent)
    _save_blend(task.output, overwrite=namespace.overwrite)
    yield _result(task.file, task.output, outcome.digest, outcome.report)


def _make_library(namespace: argparse.Namespace) -> int:
    """Import all files into one .blend whose Actions are assets; nothing is saved where no file came in."""
    library = Path(namespace.assets)
    others = ("into", "output", "resume", "part")
    given = [flags.flag_of(name) for name in others if getattr(namespace, name) is not None]
    given += ["--jobs"] if namespace.jobs > 1 else []
    try:
        if library.suffix.lower() != ".blend":
            raise FormatError(messages.CLI_ASSETS_ENDING, file=str(library))
        if given:
            raise FormatError(messages.CLI_ASSETS_ALONE, flags=", ".join(given))
        found = [one.path for one in console.files_of(namespace, ENDINGS)]
        if not found:
            raise FormatError(commands_messages.CLI_NO_FILES)
        Outputs(overwrite=namespace.overwrite).take(library)
    except FormatError as error:
        console.complain(error_text(error))
        return 2
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    results: list[Result] = []
    with Interruption() as interruption, console.only_our_output():
        for result in _into_library(found, namespace, library):
            results.append(result)
            if interruption.asked:
                console.complain(commands_messages.CLI_INTERRUPTED)
                return console.INTERRUPTED
        try:
            if any("error" not in result for result in results):
                make_folder(library.parent)
                _save_blend(library, overwrite=namespace.overwrite)
        except FormatError as error:
            results.append(_failure(library, error))
        failed = console.tell(iter([results]), as_json=namespace.json)
    return int(failed and not namespace.exit_zero)


def _into_library(files: Sequence[Path], namespace: argparse.Namespace, library: Path) -> Iterator[Result]:
    """Import files into the open .blend; those of one format share their armatures."""
    loads: list[import_files.Load] = []
    by_format: dict[str, list[Path]] = {}
    for path in files:
        try:
            file_format = format_at(path)
            alike = by_format.setdefault(file_format.name, [])
            if not alike:  # what is asked for and does not fit is said of each file
                options = flags.format_options(namespace, file_format, file_format.import_options)
                loads.append(import_files.Load(file_format, alike, replace(options, mark_assets=True)))
            alike.append(path)
        except FormatError as error:
            yield _failure(path, error)
    progress = console.Progress(path for load in loads for path in load.paths)
    for step in import_files.import_loads(bpy.context, loads, preferences.game_folders(bpy.context), library.parent):
        progress.tell(step.path, step.share, of_all=True)
        if step.outcome is not None:
            progress.finish(step.path)
            done = step.outcome
            failed = _failure(done.path, done.error) if done.error else None
            yield failed or _result(done.path, library, done.digest, done.report)


def _failure(path: Path, error: FormatError) -> Result:
    error.file = error.file or str(path)
    return {"file": str(path), "error": error_text(error)}


def _open_blend(path: Path) -> None:
    whole_file.check_file(path)
    try:
        bpy.ops.wm.open_mainfile(filepath=str(path.absolute()))
    except RuntimeError as error:
        raise FormatError(common_messages.CANNOT_OPEN, file=str(path), reason=dialogs.first_line(error)) from error


def _save_blend(path: Path, *, overwrite: bool) -> None:
    with whole_file.beside(path, overwrite=overwrite) as temporary:
        try:
            bpy.ops.wm.save_as_mainfile(filepath=str(temporary.absolute()), compress=False, copy=True)
        except RuntimeError as error:
            temporary.touch()  # Blender calls any failure a file that is not there: one that can be made found no room
            raise FormatError(files_messages.WRITE_DISK_FULL, file=str(path)) from error


def _export(task: Task, namespace: argparse.Namespace, outputs: Outputs, told: Told) -> Iterator[Result]:
    _open_blend(task.file)
    # nobody can leave Edit Mode here, in which a .blend shows no poses, and nothing of it is saved
    if bpy.context.mode.startswith("EDIT"):
        bpy.ops.object.mode_set(mode="OBJECT")
    target, everything = task.output, list(bpy.context.scene.objects)
    if namespace.collection:
        _named(bpy.data.collections, namespace.collection, messages.NO_SUCH_COLLECTION)
    owners = everything if namespace.everything else []
    if namespace.object:
        owners = [_named(bpy.data.objects, namespace.object, messages.NO_SUCH_OBJECT)]
    chosen = partial(export_plan.chosen, bpy.context, namespace.collection)
    if namespace.to:
        file_format = format_of(namespace.to)
    else:  # those of the file that what is chosen came from, or else the scene, its ending in its own case of letters
        known = {one.name: one for one in FORMATS}
        things = owners or chosen(armature=False)
        found = chain(_origins([*export_plan.armatures_of(things), *things]), _origins(everything))
        origins = [(known[name], Path(file).suffix) for name, file in found if name in known]
        file_format = origins[0][0] if origins else next(one for one in FORMATS if not one.needs_armature)
        own = (ending for origin, ending in origins if origin is file_format and ending.lower() in origin.extensions)
        target = target.with_name(ended(target.name, next(own, file_format.extensions[0])))
    owners = owners or chosen(armature=file_format.needs_armature)
    options = flags.format_options(namespace, file_format, file_format.export_options)
    exporting = export_files.export_in_steps(bpy.context, target, file_format, options, owners, outputs, task.file)
    for step in steps.undisturbed(exporting):
        told(task.file, step.share)
        if step.written is not None:
            check = step.written.check
            figures = {} if check is None else {"check": check.figures()}
            yield _result(task.file, step.path, step.written.digest, step.written.report) | figures


def _named(things: bpy_prop_collection[Block], name: str, template: str) -> Block:
    if name not in things:
        raise FormatError(template, name=name)
    return things[name]


def _origins(things: Sequence[Object]) -> Iterator[tuple[str, str]]:
    """Yield name of the format, and file, that objects came from: of Actions, of those in strips, of models alone."""
    data = [found for thing in things if (found := actions.animation_data(thing)) is not None]
    strips = [strip.action for found in data for track in found.nla_tracks for strip in track.strips]
    for block in (*(found.action for found in data), *strips, *things):
        if block is not None and (origin := provenance.find(block)) is not None:
            facts = source_file.facts_of(block)  # also where no file was kept
            yield origin.format or str(facts.get("format_name")), origin.file or str(facts.get("path"))


def _convert(task: Task, namespace: argparse.Namespace, outputs: Outputs, told: Told) -> Iterator[Result]:
    report = Report()
    with memory.limited(*memory.asked_of(namespace)), about_file(task.file):
        converting = codecs_command.convert_as_asked(namespace, task.file, task.output, report, outputs)
        paths = steps.finished(converting, partial(told, task.file))
    yield from (_result(task.file, path, path.name, report) for path in paths)


def _result(file: Path, output: Path, digest: str, report: Report) -> Result:
    told = {"warnings": [*map(entry_text, report.warnings)], "notes": [*map(entry_text, report.notes)]}
    return {"file": str(file), "output": str(output), "digest": digest, **told}


_JOBS: dict[str, tuple[Job, tuple[str, ...], str]] = {
    "import": (_import, ENDINGS, ".blend"),
    "export": (_export, (".blend",), ""),
    "convert": (_convert, ENDINGS, ""),
}
"""What each command does with a file, which endings count in a folder, and the ending of what it writes if known."""
