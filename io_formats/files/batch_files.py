"""The files of a batch: which are read, where each result goes, and that no result replaces anything unasked."""

from __future__ import annotations

import glob
import hashlib
import json
import os
import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import count, takewhile
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from ..errors import FormatError
from . import messages
from .steps import Steps
from .whole_file import DEVICES, UNSAFE, check_name, read_file, write_atomically

Row: TypeAlias = dict[str, Any]
"""What came of a file, as a line of JSON says it."""

PassedOver = Callable[[str, str], object]
"""Is told of what a search left out (first) and why (second): a link that leads to no file has no reason."""

Claim = Callable[[str, str], str]
"""Notes that the output (first) is made of the file (second), unless it is another's; returns whose it is."""


MANY = 100
"""Files that one may become without a question."""


class Found(NamedTuple):
    """A file of a batch, and its path `below` the folder that was given."""

    path: Path
    below: Path


class Task(NamedTuple):
    """A file of a batch and what is to be made of it, without the ending where only the open file can say that."""

    file: Path
    output: Path


class Outputs:
    """Which files a run may write: none that existed before, unless asked to `overwrite`, none twice, and of one file
    no more than MANY unless there may be `many`; in a worker `owner` asks the process that knows of the others.
    Their `folders` are made if that is asked for."""

    def __init__(
        self, *, overwrite: bool = False, many: bool = True, claim: Claim | None = None, folders: bool = False
    ) -> None:
        self.overwrite, self.many, self.folders = overwrite, many, folders
        self.owner: Claim = claim or dict[str, str]().setdefault
        self._real_path = cache(os.path.realpath)

    def claim(self, output: Path, file: Path | str) -> None:
        """Record that `output` is made from `file`; raise FormatError, with both names, if it is made from another."""
        one_name = folded(os.path.join(self.folder_of(output), output.name))
        first = self.owner(one_name, str(file))
        if first != str(file):
            raise FormatError(messages.WRITE_TWICE, file=str(output), first=first, second=str(file))

    def take(self, output: Path, file: Path | str = "") -> None:
        """Claim `output`; raise FormatError also if it exists and may not be overwritten, or cannot be."""
        check_name(output)
        self.claim(output, file)
        if not self.overwrite and self.is_there(output):
            raise FormatError(messages.WRITE_EXISTS, file=str(output))

    def allow(self, number: int) -> None:
        """Raise FormatError if one file may not become so many."""
        if number > MANY and not self.many:
            raise FormatError(messages.WRITE_MANY, number=number)

    def with_leave(self, *, given: bool) -> Outputs:
        """Return these outputs, allowed to overwrite if `given`, such as by the option to save into existing files."""
        return Outputs(overwrite=True, many=self.many, claim=self.owner, folders=self.folders) if given else self

    def write(self, output: Path, data: bytes) -> Steps[None]:
        """Write a whole file, into a folder made for it if that is asked for; raise as `write_atomically` does."""
        if self.folders:
            make_folder(output.parent)
        yield from write_atomically.steps(output, data, overwrite=self.overwrite)

    def folder_of(self, path: Path) -> str:
        """Return the folder that a file is in, however it is spelled; the spelling where it can be none."""
        return str(path.parent) if "\0" in str(path) else str(self._real_path(path.parent))

    @staticmethod
    def is_there(output: Path) -> bool:
        """Return whether writing `output` would replace something; a folder is never replaced, the writer says so."""
        return os.path.exists(output) and not os.path.isdir(output)


def expand(names: Iterable[str], endings: Sequence[str], passed_over: PassedOver) -> Iterator[Found]:
    """Yield the files that names, patterns (`**` matches folders) and folders mean; in folders only with these
    endings. A file that several mean comes several times."""
    for name in filter(None, names):  # one is empty as of a shell's variable that was never set
        path = Path(name)
        if os.path.isdir(path):
            below = map(Path, _files_below(path, passed_over))
            files = sorted(file for file in below if file.suffix.lower() in endings)
            yield from (Found(file, file.relative_to(path)) for file in files)
        elif glob.has_magic(name) and not os.path.exists(path):
            stem, ending = os.path.splitext(name)
            if not glob.has_magic(ending):  # found in capital letters and in small ones, as a folder's files are
                ending = "".join(f"[{one.lower()}{one.upper()}]" if one.isalpha() else one for one in ending)
            plain = Path(*takewhile(lambda part: not glob.has_magic(part), path.parts))
            matches = sorted(Path(match) for match in glob.glob(stem + ending, recursive=True))
            yield from (Found(file, file.relative_to(plain)) for file in matches if not file.is_dir())
        else:
            yield Found(path, Path(path.name))


def once(found: Iterable[Found]) -> list[Found]:
    """Return each file once, as it was found first."""
    first: dict[Path, Found] = {}
    for one in found:
        first.setdefault(one.path, one)
    return list(first.values())


def _files_below(folder: Path | str, passed_over: PassedOver) -> Iterator[str]:
    """Yield the files of a folder and those below it, from listings alone: a stat of each would burden shared disks."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    yield from _files_below(entry.path, passed_over)
                elif entry.is_symlink() and not os.path.isfile(entry.path):  # it may lead in circles
                    passed_over(entry.path, "")
                else:  # a pipe, too, which whoever reads it refuses
                    yield entry.path
    except OSError as error:
        passed_over(str(folder), error.strerror or str(error))


def outside(found: Sequence[Found], folder: Path) -> list[Found]:
    """Return the files but those that a search met in a folder below the one that was given."""
    if "\0" in str(folder):
        return list(found)
    inner = Path(os.path.realpath(folder))

    @cache
    def inner_below(given: Path) -> Path | None:
        above = Path(os.path.realpath(given))
        return inner.relative_to(above) if above in inner.parents else None

    pairs = ((one, inner_below(Path(*one.path.parts[: -len(one.below.parts)]))) for one in found)
    return [one for one, below in pairs if below is None or below not in one.below.parents]


def make_folder(folder: Path) -> None:
    """Make a folder, and those above it, where there is none; raise FormatError if that cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FormatError(messages.WRITE_NO_FOLDER, file=str(folder), reason=error.strerror or error) from error
    except ValueError as error:
        raise FormatError(messages.WRITE_BAD_NAME, file=str(folder)) from error


def plan(found: Iterable[Found], folder: Path | None, ending: str) -> list[Task]:
    """Return a task for each file: written beside it, or the archive that it is in, or into `folder` with the
    subfolders it had. One that has the ending keeps it in its own case of letters; where files of several endings would
    become one of another, each keeps its own in front of that: `walk.animj.blend`."""
    tasks, is_file = [], cache(os.path.isfile)
    beside = cache(lambda above: next((each.parent for each in (above, *above.parents) if is_file(each)), above))
    for one in found:
        there = beside(one.path.parent) / one.path.name if folder is None else folder / one.below
        own = one.path.suffix if one.path.suffix.lower() == ending else ending
        tasks.append(Task(one.path, there.parent / ended(one.path.stem, own)))
    new = (task for task in tasks if task.output != task.file)
    counts = Counter(name for name, _ in {(folded(str(task.output)), folded(task.file.suffix)) for task in new})
    for number, (file, output) in enumerate(tasks):
        if ending and counts[folded(str(output))] > 1 and file.suffix != output.suffix:
            tasks[number] = Task(file, output.with_suffix(file.suffix + output.suffix))
    return tasks


def ended(name: str, ending: str) -> str:
    """Return a name with an ending, which one such as that of `walk.animj.blend` may have kept."""
    return name if name.lower().endswith(ending.lower()) else name + ending


def files_of_part(found: Iterable[Found], number: int, parts: int) -> set[Path]:
    """Return the files of one part (1 to `parts`, which is 0 too) of a batch; only a file's relative path decides, so
    that machines agree on the parts whatever the path above is, or files are added meanwhile."""
    ours = set()
    for path, below in found:  # a checksum's last bits repeat in numbered names
        digest = hashlib.blake2b(os.fsencode(below.as_posix()), digest_size=8).digest()
        if int.from_bytes(digest, "big") % parts == number % parts:
            ours.add(path)
    return ours


def results_of(path: Path) -> list[Row]:
    """Return the rows that an earlier run wrote as JSON lines; an unfinished one, also before the next, is skipped."""
    rows = []
    for line in read_file(path).splitlines():
        try:
            row = json.loads(line[max(line.rfind(b'{"file"'), 0) :])
        except ValueError:
            continue
        if isinstance(row, dict) and isinstance(row.get("file"), str) and isinstance(row.get("output", ""), str):
            rows.append(row)
    return rows


def left_to_do(tasks: Iterable[Task], rows: Sequence[Row], outputs: Outputs, ending: str, *, named: bool) -> list[Task]:
    """Return the tasks that an earlier run did not finish or whose files are not there; what it made is claimed, so
    that it is not replaced. `ending` and `named`: see `console.tasks_of`."""
    made: dict[str, list[Path]] = {}
    owners: dict[str, str] = {}
    for row in rows:
        if "error" in row:  # what came before it was not all
            made.pop(row["file"], None)
        elif "output" in row:
            made.setdefault(row["file"], []).append(Path(row["output"]))
            owners[row["output"]] = row["file"]  # of a library, which several files became, the last
    for output, file in owners.items():
        outputs.claim(Path(output), file)
    left = []
    for task in tasks:
        folder = outputs.folder_of(task.output)
        known = [path for path in made.get(str(task.file), []) if path.name.lower().endswith(ending)]
        ours = [path for path in known if outputs.folder_of(path) == folder]
        # a conversion may have made further ones, numbered, beside the one of the task's name
        names = {name for path in ours for name in (path.name, path.stem)}
        as_named = not named or task.output.name in names
        if not (ours and as_named and all(map(outputs.is_there, ours))):
            left.append(task)
    return left


# Names of files from patterns such as `{object}_{action}`, safe on every system.


def filled(pattern: str, values: Mapping[str, str]) -> str:
    """Return a pattern's name, without ending, for these values; raise FormatError for a pattern that is none."""
    known = tuple(values)
    choices = ", ".join(f"{{{name}}}" for name in known)
    try:
        places = [place for _, *place in string.Formatter().parse(pattern) if place[0] is not None]
    except ValueError as error:
        raise FormatError(messages.PATTERN_BRACES, pattern=pattern, choices=choices) from error
    for name, form, conversion in places:
        if name not in known or form or conversion:
            turned, shaped = conversion and f"!{conversion}", form and f":{form}"
            found = f"{{{name}{turned or ''}{shaped or ''}}}"
            raise FormatError(messages.PATTERN_UNKNOWN, found=found, choices=choices)
    if "/" in pattern or "\\" in pattern:
        raise FormatError(messages.PATTERN_FOLDER, pattern=pattern)
    return safe(pattern.format_map(values))


def safe(name: str) -> str:
    """Return a name that every system takes: what is unsafe is an underscore, letters of all languages stay."""
    return DEVICES.sub(r"\1_", UNSAFE.sub("_", name).strip().rstrip(".").rstrip()) or "_"


def free(path: Path) -> Path:
    """Return a path at which nothing is: this one, or with the first number that makes it free, `walk_1.animj`."""
    numbered = (path.with_stem(f"{path.stem}_{number}") for number in count(1))
    return path if not path.exists() else next(found for found in numbered if not found.exists())


def folded(name: str) -> str:
    """Return what two names have in common that a file system may take for one."""
    return unicodedata.normalize("NFC", name).casefold()
