"""What goes wrong, as data: a template and its values stay apart until a person reads them, so that Blender can
translate the template and a batch can count equal warnings."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from numbers import Integral, Real
from pathlib import Path
from typing import Any, TypeAlias

from . import messages

Values: TypeAlias = dict[str, Any]
"""What fills the named fields of a sentence."""

_DIGITS = re.compile(r"(?:\.(\d+))?g")
_BEHIND, _LEAST = 6, 5e-7

MOST_OF_A_KIND = 20
"""Entries of one template that a report lists; the others are counted."""

_MOST_NAMES = 5


class _Number(int):
    """A number that also chooses between the words for one and for more: `{keys} {keys:key is|keys are}`."""

    def __format__(self, form: str) -> str:
        one, bar, more = form.partition("|")
        if bar:
            return one if self == 1 else more
        return format(_Measure(self) if form.endswith("g") else int(self), form)


class _Measure(float):
    """A number of which a form such as `.3g` shows as many digits, but never as a power of ten: 380, not 3.8e+02."""

    def __format__(self, form: str) -> str:
        digits = _DIGITS.fullmatch(form)
        return plain(self, int(digits[1] or 6)) if digits else format(float(self), form)


def plain(value: float, digits: int) -> str:
    """Return a number to so many digits, all of those before the point and at most six behind it."""
    if not math.isfinite(value):
        return str(value)
    if abs(value) < _LEAST:
        return "0"
    behind = min(max(digits - 1 - math.floor(math.log10(abs(value))), 0), _BEHIND)
    text = f"{value:.{behind}f}"
    return text.rstrip("0").rstrip(".") if behind else text


def filled(template: str, values: Values) -> str:
    """Return a sentence with its named fields filled, and words that agree with their numbers."""
    return template.format(**{name: _told(value) for name, value in values.items()})


def _told(value: object) -> object:
    if isinstance(value, bool):
        return value
    if isinstance(value, Integral):
        return _Number(int(value))
    return _Measure(float(value)) if isinstance(value, Real) else value


class FormatError(ValueError):
    """A file cannot be read or written. One sentence: file, offset, what was expected, what to do.

    Attributes:
        template: the sentence from `messages`, with `{named}` fields for the `values`.
        file: path or name of the file, empty if the bytes came without one.
        offset: byte offset in the file (or in its decompressed stream), None if the error is not at one byte.
        field: name of the field in the format's own words, may be empty.
    """

    def __init__(
        self, template: str, *, file: str = "", offset: int | None = None, field: str = "", **values: Any
    ) -> None:
        self.template = template
        self.values = values
        self.file = file
        self.offset = offset
        self.field = field

    def place(self, byte: str = messages.AT_BYTE) -> str:
        """Return the file, the offset in the words of a language, and the field as far as they are known."""
        offset = "" if self.offset is None else byte.format(offset=self.offset)
        return ", ".join(filter(None, (self.file, offset, self.field and f"'{self.field}'")))

    def __str__(self) -> str:
        place = self.place()
        sentence = filled(self.template, self.values)
        return f"{place}: {sentence}" if place else sentence


class EmptyError(FormatError):
    """Nothing of what is to be written moves that the file can hold: of several others are written all the same."""


@contextmanager
def about_file(path: str | Path) -> Iterator[None]:
    """Attribute errors to a file: a FormatError gets its name, an OSError becomes a FormatError."""
    try:
        yield
    except FormatError as error:
        error.file = error.file or str(path)
        raise
    except MemoryError as error:
        raise FormatError(messages.OUT_OF_MEMORY, file=str(path)) from error
    except OSError as error:
        raise FormatError(messages.CANNOT_OPEN, file=str(path), reason=error.strerror or error) from error


@dataclass
class Entry:
    """One kind of warning or note, with how often it occurred; a template may have a field `{count}` for that."""

    template: str
    values: Values
    count: int = 1

    def __str__(self) -> str:
        return self.counted(self.template)

    def counted(self, template: str) -> str:
        """Return `template`, which is this entry's or a translation of it, with its values and count."""
        text = filled(template, {"count": self.count, **self.values})
        return text if self.count == 1 or "{count" in template else f"[{self.count}x] {text}"


class Entries(list[Entry]):
    """Entries in order of appearance: equal ones are counted, and of one template only so many are listed, as a file
    can have a warning of its own for each of a hundred thousand names."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, frozenset[tuple[str, object]]], Entry] = {}
        self._listed: Counter[str] = Counter()

    def add(self, template: str, count: int, values: Values) -> None:
        """Count or list one more; beyond `MOST_OF_A_KIND` of a template, one entry after its last counts the rest."""
        kind = template
        key = (template, frozenset(values.items()))
        if key not in self._known and self._listed[kind] == MOST_OF_A_KIND:
            template, values = messages.MORE_LIKE_THIS, {"kind": kind}
            key = (template, frozenset(values.items()))
        if key in self._known:
            self._known[key].count += count
            return
        self._known[key] = Entry(template, values, count)
        if template == kind:
            self._listed[kind] += 1
            self.append(self._known[key])
        else:
            last = max(at for at, entry in enumerate(self) if entry.template == kind)
            self.insert(last + 1, self._known[key])


def first_names(names: Sequence[str]) -> str:
    """Return five names at most for a sentence, with dots where there are more."""
    return ", ".join(names[:_MOST_NAMES]) + (" ..." if len(names) > _MOST_NAMES else "")


@dataclass
class Report:
    """What a person should know about one import, export or conversion: `warnings` tell what was changed or left out,
    `notes` what was found or done."""

    warnings: Entries = field(default_factory=Entries)
    notes: Entries = field(default_factory=Entries)

    def warn(self, template: str, *, count: int = 1, **values: object) -> None:
        """Add a warning; `count` is how many equal cases it stands for."""
        self.warnings.add(template, count, values)

    def note(self, template: str, *, count: int = 1, **values: object) -> None:
        """Add a remark that is not a warning."""
        self.notes.add(template, count, values)

    def extend(self, other: Report) -> None:
        """Take over everything that another report holds."""
        for mine, others in ((self.warnings, other.warnings), (self.notes, other.notes)):
            for entry in others:
                mine.add(entry.template, entry.count, entry.values)
