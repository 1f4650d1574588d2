"""What goes wrong, as data: one error class for files and one report for warnings.

The sentences themselves are in `messages`; a template and its values stay apart until a person
reads them, so that Blender can translate the template and a batch can count equal warnings.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import messages


class FormatError(ValueError):
    """A file cannot be read or written. One sentence: file, place, what was expected, what to do.

    Attributes:
        template: the sentence from `messages`, with `{named}` places.
        values: what belongs into the places.
        file: path or name of the file, empty if the bytes came without one.
        offset: byte offset in the file (or in its decompressed stream), None if it has no one place.
        field: name of the field in the format's own words, may be empty.
    """

    def __init__(
        self,
        template: str,
        *,
        file: str = "",
        offset: int | None = None,
        field: str = "",
        **values: Any,
    ) -> None:
        super().__init__(template)
        self.template = template
        self.values = values
        self.file = file
        self.offset = offset
        self.field = field

    def place(self) -> str:
        """The file, the byte and the field, as far as they are known."""
        parts = [self.file] if self.file else []
        if self.offset is not None:
            parts.append(f"byte {self.offset}")
        if self.field:
            parts.append(self.field)
        return ", ".join(parts)

    def __str__(self) -> str:
        place = self.place()
        sentence = self.template.format(**self.values)
        return f"{place}: {sentence}" if place else sentence


@contextmanager
def about_file(path: str | Path) -> Iterator[None]:
    """What goes wrong within is about this file: a FormatError learns its name, an OSError becomes one."""
    try:
        yield
    except FormatError as error:
        error.file = error.file or str(path)
        raise
    except OSError as error:
        raise FormatError(messages.CANNOT_OPEN, file=str(path), reason=error.strerror or error) from error


@dataclass
class Entry:
    """One kind of warning or note, with how often it occurred; a template may have a place `{count}` for that."""

    template: str
    values: dict[str, Any]
    count: int = 1

    def __str__(self) -> str:
        return self.counted(self.template)

    def counted(self, template: str) -> str:
        """`template`, which is this entry's or a translation of it, with its values and count."""
        text = template.format(**{"count": self.count, **self.values})
        return text if self.count == 1 or "{count" in template else f"[{self.count}x] {text}"


@dataclass
class Report:
    """What a person should know about one import, export or conversion.

    `warnings` tell of something that was not taken as it stood; `notes` tell what was found or done.
    Equal warnings (same template, same values) are counted, not repeated.
    """

    warnings: list[Entry] = field(default_factory=list)
    notes: list[Entry] = field(default_factory=list)

    def warn(self, template: str, *, count: int = 1, **values: Any) -> None:
        """Add a warning; `count` is how many equal cases it stands for."""
        _add(self.warnings, template, count, values)

    def note(self, template: str, *, count: int = 1, **values: Any) -> None:
        """Add a remark that is no warning, such as the error reached by a reduction."""
        _add(self.notes, template, count, values)

    def extend(self, other: Report) -> None:
        """Take over everything that another report holds."""
        for entry in other.warnings:
            self.warn(entry.template, count=entry.count, **entry.values)
        for entry in other.notes:
            self.note(entry.template, count=entry.count, **entry.values)


def _add(entries: list[Entry], template: str, count: int, values: dict[str, Any]) -> None:
    for entry in entries:
        if entry.template == template and entry.values == values:
            entry.count += count
            return
    entries.append(Entry(template, values, count))
