"""Clips into one file: the way that the operators and both command lines share, so that neither forgets an option."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

from ..binary import UNLIMITED
from ..clip import Clip, Source
from ..errors import FormatError, Report, about_file
from ..options import WriteOptions
from . import messages
from .atomic_write import write_atomically
from .whole_file import read_file


@dataclass
class NewFile:
    """A file on its way to the disk.

    Attributes:
        path: where it will be.
        document: what it holds so far, None before the first clip.
        overwrite: whether it may replace a file of its name.
        on_own_source: the document is that of the clips' source, so that its animations still have their places.
    """

    path: Path
    package: ModuleType
    options: WriteOptions
    report: Report
    document: Any = None
    overwrite: bool = False
    on_own_source: bool = False

    def add(self, clip: Clip, *, source: Source | None = None, skeleton: Any = None) -> None:
        """Put a clip into the file: into what was added before, else what is on the disk, else its source's document.

        Raises:
            FormatError: why the file cannot hold it.
        """
        options = self.options if self.document is None else self.options.for_further()
        base = self._existing() if self.document is None else self.document
        if self.on_own_source and source is not None:
            source, base = replace(source, document=self.document), None
        self.on_own_source = base is None and source is not None
        self.document = self.package.to_document(
            clip, options, self.report, source=source, base=base, skeleton=skeleton, file=self.path.stem
        )
        if source is None and not self.package.plays(self.document):
            raise FormatError(messages.NOTHING_WRITTEN)

    def write(self) -> Any:
        """Write the file whole, or leave the disk as it is; the document as it is read from what was written.

        Raises:
            FormatError: it cannot be written, or would not be read as what it is.
        """
        data = bytes(self.package.encode(self.document, self.path.suffix.lower(), self.options))
        again = self.package.read(data, limit=UNLIMITED)
        if not self.package.same_content(self.document, again):
            raise FormatError(messages.WRITE_DIFFERS, file=str(self.path))
        write_atomically(self.path, data, overwrite=self.overwrite)
        return again

    def _existing(self) -> Any:
        """The document that is saved into, None where a new file is wanted or there is none yet."""
        if self.options.saves_into and self.path.is_file():
            with about_file(self.path):
                return self.package.read(read_file(self.path), limit=UNLIMITED, report=self.report)
        return None
