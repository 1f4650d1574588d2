"""Clips into one file: the way that conversions and exports share, so that neither forgets an option."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Generic, cast

from .clip import LOCATION, ROTATION, Array, Clip, Source
from .clip import messages as clip_messages
from .clip.measure import Written
from .errors import EmptyError, FormatError, Report, about_file
from .files import messages
from .files.batch_files import Outputs
from .files.steps import Steps, finished, portion
from .files.whole_file import state_of
from .format import Destination, Document, Facts, FormatOf, Opened, Reads, faced
from .options import UNLIMITED, WriteOptions

_MADE, _READ, _COMPARED = 0.4, 0.6, 0.5
"""Shares of making bytes that are done when they are there and read again, and of writing when they are compared."""


@dataclass
class NewFile(Generic[Document]):
    """A file on its way to the disk.

    Attributes:
        skeleton: the document of a skeleton file that was chosen for it.
        on_own_source: the document is that of the clips' source, so that its animations are still in the same order.
        data, again: the bytes of the document, and the document that these are read as; None before they are made.
        found: `state_of` what was on the disk when the work began; () where nobody looked.
    """

    path: Path
    format: FormatOf[Document]
    options: WriteOptions
    report: Report
    outputs: Outputs = field(default_factory=Outputs)
    document: Document | None = None
    skeleton: Document | None = None
    on_own_source: bool = False
    data: bytes | None = None
    again: Document | None = None
    found: object = ()

    def add(
        self,
        clip: Clip,
        *,
        source: Source[Document, Reads] | None = None,
        skeleton: Document | None = None,
        space: Array | None = None,
    ) -> Steps[Written | None]:
        """Put a clip into the file: into what was added before, else what is on the disk, else the document of its
        source, a file of this format; return where it was put, so that it can be played again. FormatError is raised
        if the file cannot hold it.

        Args:
            skeleton: the document with the skeleton that the source needed, or of which the clip's nodes were made in
                the `space` (4, 4); a chosen one takes precedence.
        """
        options, into = self.options, self.document
        if into is not None:
            if options.animation_name:  # later clips cannot all have it
                options = replace(options, animation_name="")  # type: ignore[call-arg]  # declared with each format's own help
            if self.on_own_source and source is not None:
                # its own skeleton, which is in what was made of it no longer if the file is to hold none
                skeleton, source, into = skeleton or source.document, replace(source, document=into), None
        elif options.into_existing:
            self.found = state_of(self.path)
            into = None if self.found is None else read_document(self.format, self.path, report=self.report)
        self.on_own_source = into is None and source is not None
        told: list[Written] = []
        if self.skeleton is not None or (source is None and getattr(into, "hierarchies", None)):
            skeleton = self.skeleton
        to = Destination(self.path.stem, into, source, skeleton, told.append, space, self.skeleton is not None)
        self.document = yield from self.format.from_clip(faced(clip, options, back=True), options, self.report, to)
        skeleton_alone = clip.skeleton and not clip.tracks and getattr(self.document, "hierarchies", None)
        where = next((replace(each, skeleton=skeleton) for each in told), None)
        absent = where is not None and bool(clip.tracks) and {track.node for track in clip.tracks} <= where.absent
        if (source is None or into is not None) and not skeleton_alone and (absent or self.is_empty(clip, where)):
            why = next((told for told in self.report.warnings if told.template == clip_messages.NO_PIVOT), None)
            if why is not None:
                raise EmptyError(why.template, **why.values)
            raise EmptyError(messages.NOTHING_WRITTEN if clip.tracks else messages.NOTHING_ANIMATED)
        return where

    def is_empty(self, clip: Clip, where: Written | None) -> bool:
        """Return whether the file plays nothing, and has no place for what a clip keeps at rest."""
        if self.document is not None and self.format.plays(self.document):
            return False
        there = {} if where is None else where.names.values()
        return not any(track.node in there and track.property in (LOCATION, ROTATION) for track in clip.tracks)

    def write(self) -> Steps[Facts]:
        """Write the whole file or leave the disk unchanged; return the facts of the document read back from its bytes.

        FormatError is raised if it cannot be written, or its bytes would be read as a different document.
        """
        if self.data is None or self.again is None:
            yield from portion(self.make(), last=_COMPARED)
        assert self.data is not None and self.again is not None
        yield from portion(self.save(self.data), _COMPARED)
        return self.format.describe(self.again)

    def save(self, data: bytes) -> Steps[None]:
        """Write these bytes; FormatError if that fails, or what another program wrote meanwhile would go."""
        if self.outputs.overwrite and self.found not in ((), state_of(self.path)):
            raise FormatError(messages.WRITE_LOCKED, file=str(self.path))
        yield from self.outputs.write(self.path, data)

    def make(self) -> Steps[None]:
        """Make the bytes, unwritten so far; FormatError if that fails or they would be read as another document."""
        assert self.document is not None
        making = self.format.write(self.document, self.path.suffix.lower(), self.options, self.report)
        self.data = yield from portion(making, last=_MADE)
        again = yield from portion(self.format.read(self.data, limit=UNLIMITED), _MADE, _READ)
        if not (yield from portion(self.format.same_content(self.document, again), _READ)):
            again = self.format.meant(again, self.document, self.report)
            if not (yield from self.format.same_content(self.document, again)):
                raise FormatError(messages.WRITE_DIFFERS, file=str(self.path))
        self.again = again

    def played(self, written: Written) -> Steps[Clip]:
        """Return what the bytes play of the clip that was put there, on its nodes and in its world."""
        assert self.data is not None and self.again is not None
        file = Opened(self.format, self.path, self.data, self.again, cast("Document | None", written.skeleton))
        clip = yield from self.format.played(file, written, self.options)
        return faced(clip, self.options)


def read_document(
    file_format: FormatOf[Document], path: Path, limit: int | None = None, report: Report | None = None
) -> Document:
    """Return the document of a file of a format, of at most `limit` bytes, which may expand to any size; FormatError,
    which names the file, if it cannot be read or is of another format."""
    with about_file(path):
        data = file_format.read_file(path, limit)
        if data and not file_format.matches(data):
            raise FormatError(messages.OTHER_FORMAT, format=file_format.short)
        return finished(file_format.read(data, limit=UNLIMITED, report=report))


def chosen_skeleton(file_format: FormatOf[Document], path: str | Path, limit: int | None = None) -> Document | None:
    """Return the document of a skeleton file that a person named for an export, None where none was named; FormatError
    if it cannot be read or holds no skeleton."""
    document = read_document(file_format, Path(path), limit) if str(path) else None
    if document is not None and not file_format.skeleton_names(document).held:
        raise FormatError(messages.HOLDS_NO_SKELETON, file=str(path))
    return document
