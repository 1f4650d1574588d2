"""Conversion of a file to another format, without Blender."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from .clip.rework import Rework
from .errors import Report
from .files import memory
from .files.batch_files import Outputs
from .files.saving import NewFile, chosen_skeleton
from .files.steps import Steps, at_once, portion
from .files.whole_file import unread
from .format import AnyFile, AnyFormat
from .interchange import AnyInterchange, Interchange, NewInterchange
from .options import ReadOptions, WriteOptions

Target: TypeAlias = AnyFormat | AnyInterchange
"""What a conversion can write."""

_COMPUTED, _ADDED = 0.4, 0.8
"""Shares of a conversion that are done when the curves are known, and when the new documents hold them."""


def convert_in_steps(
    file: AnyFile,
    output: Path,
    target: Target,
    *,
    reading: ReadOptions | None = None,
    writing: WriteOptions | None = None,
    report: Report | None = None,
    outputs: Outputs | None = None,
) -> Steps[list[Path]]:
    """Write the animations of a file into `output`; further ones into OUTPUT-2 ..., unless they go into one file.

    Args:
        target: the format or kind of file that is written.
        reading, writing: options of the file's and of the target's codec; None for their defaults.
        outputs: which files may be written; without it, none that exists.

    Returns:
        The files that were written.

    Raises:
        FormatError: a file cannot be written, or a clip does not fit its format.
    """
    reading, writing = reading or file.format.read_options(), writing or target.write_options()
    report, outputs = report or Report(), (outputs or Outputs()).with_leave(given=writing.saves_into)
    other = None if isinstance(target, Interchange) else target
    chosen = _skeleton_file(reading.skeleton_file, file.format, other)
    file.skeleton = file.format.companions(reading, ()).skeleton(file, chosen, report)
    memory.reckon(keys=file.describe().get("keys", 0))
    rework = Rework(reading)
    read = yield from portion(file.clips_in_steps(reading, report), last=_COMPUTED)
    clips = [rework.of(clip) for clip in read]
    rework.tell(report)
    memory.reckon_clips(clips)
    together = writing.saves_into or (isinstance(target, Interchange) and target.holds_several)
    paths = _numbered(output, 1 if together else len(clips))
    for path in paths:
        outputs.take(path, file.path)
    make = _maker(file, target, reading, writing, report, outputs)
    new = [make(path) for path in paths]
    known = file.skeleton if target is file.format else None
    for number, clip in enumerate(clips):
        first, last = (_COMPUTED + (_ADDED - _COMPUTED) * done / len(clips) for done in (number, number + 1))
        yield first
        named = replace(clip, name=clip.name or file.path.stem)
        into = new[min(number, len(new) - 1)]
        into.options = _as_source(writing, file, target, number)
        yield from portion(into.add_in_steps(named, skeleton=known), first, last)
    yield from portion(_all_written(new, outputs), _ADDED)
    return paths


convert = at_once(convert_in_steps)


def _as_source(writing: WriteOptions, file: AnyFile, target: Target, number: int) -> WriteOptions:
    """Return the options for the animation of that number with what they leave to the file that it came from."""
    if target is not file.format:
        return writing
    own = file.format.form_options(file.document, number)
    return replace(writing, **{name: value for name, value in own.items() if getattr(writing, name) == "AUTO"})


def _all_written(new: Sequence[NewFile[Any] | NewInterchange], outputs: Outputs) -> Steps[None]:
    """Write all files or, where none of them may replace another, leave none behind."""
    made: list[Path] = []
    try:
        for number, file in enumerate(new):
            yield from portion(file.write(), number / len(new), (number + 1) / len(new))
            made.append(file.path)
    except BaseException:
        for path in () if outputs.overwrite else made:
            path.unlink(missing_ok=True)
        raise


def _maker(
    file: AnyFile, target: Target, reading: ReadOptions, writing: WriteOptions, report: Report, outputs: Outputs
) -> Callable[[Path], NewFile[Any] | NewInterchange]:
    """Return what begins a new file of the target at a path."""
    if isinstance(target, Interchange):
        return lambda path: NewInterchange(path, target, writing, report, overwrite=outputs.overwrite)
    chosen = _skeleton_file(writing.skeleton_file, target, file.format)
    skeleton = chosen_skeleton(target, chosen, reading.limit_mib << 20)
    return lambda path: NewFile(path, target, writing, report, overwrite=outputs.overwrite, skeleton=skeleton)


def _skeleton_file(path: str, wanted: AnyFormat, other: AnyFormat | None) -> str:
    """Return the path of a skeleton file for one side of a conversion; empty if it is plainly a file of the other's."""
    if not path or wanted is other or other is None or wanted.is_packed(Path(path)):
        return path
    if other.is_packed(Path(path)):
        return ""
    with unread(path) as look:
        return "" if other.matches(look) and not wanted.matches(look) else path


def _numbered(path: Path, count: int) -> list[Path]:
    """Return `count` paths: `path`, then the same with -2, -3 ... after its stem."""
    return [path, *(path.with_stem(f"{path.stem}-{number}") for number in range(2, count + 1))][:count]
