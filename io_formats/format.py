"""What a format is: all that the packages around the codecs ask of one, so that none of them asks which one it has.

Each package derives a class from `Format` in its module `format`; `FORMAT`, its one object, is only the facts until one
of the functions is called. Documents are a format's own: code that does not know the format keeps a document paired
with it, as `Opened` while it is read, as `saving.NewFile` while it is written.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

import numpy as np

from .clip import Array, Clip, NodeKind, Source, Track, TrackKind
from .clip import messages as clip_messages
from .clip.measure import Written
from .clip.quaternion import from_names
from .clip.whole_frames import lasting
from .errors import FormatError, Report
from .files.steps import Steps, finished, portion
from .files.whole_file import Unread, read_file
from .format_facts import FormatFacts
from .options import SIZE_LIMIT, UNLIMITED, Facing, ReadOptions, WriteOptions

if TYPE_CHECKING:
    from .clip.model import ModelFile

Document = TypeVar("Document")
Reads = TypeVar("Reads", bound=ReadOptions)
Writes = TypeVar("Writes", bound=WriteOptions)

FormatOf: TypeAlias = "Format[Document, Any, Any]"
"""The format of a document, whatever its options are."""

Facts: TypeAlias = dict[str, Any]
"""What is told of a file, ready for JSON."""


class SkeletonNames(NamedTuple):
    """Names of the skeletons that a file holds, and of those that it needs but does not hold."""

    held: Sequence[str] = ()
    wanted: Sequence[str] = ()


@dataclass
class Opened(Generic[Document]):
    """A file that has been read, with the document of its `skeleton` where it needs one that it does not hold."""

    format: FormatOf[Document]
    path: Path
    data: bytes
    document: Document
    skeleton: Document | None = None
    _facts: Facts = field(default_factory=dict, init=False, repr=False, compare=False)

    def describe(self) -> Facts:
        """Return version, counts, duration and names, as `info` shows them; the document is looked at once."""
        if not self._facts:
            self._facts = self.format.describe(self.document)
        return self._facts

    def to_clips(self, options: ReadOptions, report: Report) -> list[Clip]:
        """Return its animations, turned as the options say; raise FormatError if it holds nothing that can be shown."""
        return finished(self.clips(options, report))

    def clips(self, options: ReadOptions, report: Report) -> Steps[list[Clip]]:
        """Return the same, step by step."""
        clips = yield from self.format.clips(self, options, report)
        return [faced(clip, options) for clip in clips]

    def written(self) -> bytes:
        """Return the document as bytes, in the form that it was read from."""
        return finished(self.format.write(self.document, "", self.format.write_options()))

    def has_content_of(self, data: bytes) -> bool:
        """Return whether other bytes say the same; raise FormatError if they cannot be read."""
        other = finished(self.format.read(data, limit=UNLIMITED))
        return finished(self.format.same_content(self.document, other))


def faced(clip: Clip, options: object, *, back: bool = False) -> Clip:
    """Return the clip as an import shows it: the chosen axes lie along Blender's Y and Z; or `back`, as an export
    writes it, where these become the chosen axes. FormatError where Forward and Up are the same axis."""
    if not isinstance(options, Facing) or (options.forward, options.up) == (Facing.forward, Facing.up):
        return clip
    return replace(clip, root=(facing(options).T if back else facing(options)) @ clip.root)


def facing(options: object) -> Array:
    """Return the turn (4, 4) of an import with these options; FormatError where Forward and Up are the same axis."""
    turn = np.eye(4)
    if isinstance(options, Facing):
        if options.forward[-1] == options.up[-1]:
            raise FormatError(clip_messages.SAME_AXIS, forward=options.forward, up=options.up)
        turn[:3, :3] = from_names(options.forward, options.up).matrix
    return turn


@dataclass(frozen=True)
class Destination(Generic[Document, Reads]):
    """Where a clip goes, and where it came from.

    Attributes:
        file: name without ending that the file will have, empty if it is not known.
        into: a document that the clip is added to.
        source: the file of this format that the clip was imported from; what was not touched keeps its bytes.
        skeleton: a document whose skeleton the file is to follow; None for the source's or the clip's own.
        tell: learns where the clip was put, so that it can be played again.
        space: (4, 4) in which an import made the clip's nodes of a skeleton.
        chosen: somebody chose the skeleton, which else counts while the clip's nodes are its.
    """

    file: str = ""
    into: Document | None = None
    source: Source[Document, Reads] | None = None
    skeleton: Document | None = None
    tell: Callable[[Written], object] = id
    space: Array | None = None
    chosen: bool = False


A_NEW_FILE: Destination[Any, Any] = Destination()
"""Where a clip goes that comes from no file of the format: into a file whose name is not known."""


class Companions(Generic[Document]):
    """Files that the files of one import need: skeletons, models, pictures. This base class is for formats without any.

    One object serves all files of an import, so that each file beside them is read once.
    """

    def skeleton(self, _file: Opened[Document], _chosen: str, _report: Report, /) -> Document | None:
        """Return the document with the skeleton that a file needs; None if it needs none or none is found.

        Of a skeleton file that a person has `_chosen` no other is looked for; FormatError if it cannot be read.
        """
        return None

    def shows_models_only(self, _document: Document, /) -> bool:
        """Return whether a file is imported for its models: it holds nothing that moves and no skeleton."""
        return False

    def skeleton_pose(self, _file: Opened[Document], _report: Report, /) -> Clip | None:
        """Return the skeleton that the models of a file stand on, at rest; None for models without one."""
        return None

    def models(self, _file: Opened[Document], _clips: Sequence[Clip], _report: Report, /) -> list[ModelFile]:
        """Return the models of a file and of those beside it for the clips' skeletons, each once in an import."""
        return []


class Listed(NamedTuple):
    """An animation in a library: its name, how long it plays, and the file."""

    name: str
    seconds: float
    path: str


class Motion(NamedTuple):
    """An animation of a file: upper-case name of its skeleton, its own name, number of frames, frames a second."""

    skeleton: str
    name: str
    frames: int
    rate: int


class Library(ABC):
    """The animations that some folders hold, found without importing them; the disk is read when one is asked for."""

    def __init__(self, folders: Sequence[Path] = ()) -> None:
        self._folders = folders
        self._report = Report()

    def tell(self, report: Report) -> None:
        """Report once what was wrong with the folders."""
        report.extend(self._report)
        self._report = Report()

    def listed(self, skeletons: Collection[str]) -> list[Listed]:
        """Return the animations of skeletons of these names, letter case aside, by name and file."""
        wanted = {name.upper() for name in skeletons}
        known = ((path, motion) for path, motion in self._motions() if motion.skeleton in wanted)
        found = [Listed(motion.name, lasting(motion.frames, motion.rate), path) for path, motion in known]
        return sorted(found, key=lambda listed: (listed.name.lower(), listed.path))

    @abstractmethod
    def _motions(self) -> Iterator[tuple[str, Motion]]:
        """Yield the path of each animation's file, and the animation."""


class Format(FormatFacts, Protocol[Document, Reads, Writes]):
    """A file format: its facts, its codec, and its two ways between a document and clips."""

    read_options: type[Reads]
    write_options: type[Writes]

    def matches(self, data: bytes | Unread) -> bool:
        """Return whether these bytes look like a file of this format."""

    def read(self, data: bytes, *, limit: int = SIZE_LIMIT, report: Report | None = None) -> Steps[Document]:
        """Return the document in a file's bytes, of which compressed ones may expand to `limit`; raise FormatError,
        with offset and field, if they are damaged."""

    def write(self, document: Document, ending: str, options: Writes, _report: Report | None = None, /) -> Steps[bytes]:
        """Return the bytes of a file of that ending; without one, in the form that the document was read from.

        The report learns what such a file cannot hold; FormatError is raised if the document cannot be written.
        """

    def same_content(self, first: Document, second: Document) -> Steps[bool]:
        """Return whether two documents say the same, whatever bytes they are written in."""
        yield from ()
        return bool(first == second)

    def describe(self, document: Document) -> Facts:
        """Return version, counts, duration and names."""

    def plays(self, document: Document) -> bool:
        """Return whether it animates anything."""

    def opened(self, path: Path, data: bytes, *, limit: int, report: Report | None = None) -> Steps[Opened[Document]]:
        """Return a file with its document, read as `read` does."""
        return Opened(self, path, data, (yield from portion(self.read(data, limit=limit, report=report))))

    def clips(self, file: Opened[Document], options: Reads, report: Report) -> Steps[list[Clip]]:
        """Return the animations of a file, in its order; raise FormatError if it holds nothing that can be shown."""

    def from_clip(
        self, clip: Clip, options: Writes, report: Report, to: Destination[Document, Reads]
    ) -> Steps[Document]:
        """Return the document that plays what a clip plays; raise FormatError if the format cannot hold the clip."""

    def played(self, file: Opened[Document], written: Written, _options: Writes, /) -> Steps[Clip]:
        """Return what a file plays of a clip that was put into it, on that clip's nodes and in its space."""
        clips = yield from self.clips(file, self.read_options(**written.reading), Report())
        return written.played(clips[written.number])

    def in_own_words(self, tracks: Sequence[Track], _options: Writes, /) -> list[list[Track]]:
        """Return properties of a captured clip, no transforms, as the file's own clips have them: a track for each
        component, none for a property that has no place of its own in the file."""
        return [track.rows() for track in tracks]

    def holds(self, _node: NodeKind, _kind: TrackKind, _name: str, /) -> bool:
        """Return whether a file has a place for a property, no transform, of a node of that kind."""

    # --- What not every format has --------------------------------------------------------------

    def companions(self, _options: Reads, _folders: Sequence[Path], /) -> Companions[Document]:
        """Return what finds the files that those of one import need, beside them and in other folders."""
        return Companions()

    def library(self, _folders: Sequence[Path], /) -> Library | None:
        """Return the animations that folders hold; None for a format without libraries."""
        return None

    def skeleton_names(self, _document: Document, /) -> SkeletonNames:
        """Return the names of the skeletons that a document holds and needs."""
        return SkeletonNames()

    def is_packed(self, _path: Path, /) -> bool:
        """Return whether a path leads into an archive; files are read from archives, but never written to them."""
        return False

    def read_file(self, path: Path, limit: int | None = None) -> bytes:
        """Return the bytes of a file, also of one in an archive; raise FormatError if it cannot be read."""
        return read_file(path, limit)

    def tell_new_name(self, _document: Document, _came_from: str, _goes_to: str, _report: Report, /) -> None:
        """Warn where a file that is written as it was imported gets a name (without ending) that does not suit it."""

    def meant(self, again: Document, _written: Document, _report: Report, /) -> Document:
        """Return what was written and read `again`, in the way it was written; warn where its bytes leave that open."""
        return again

    def in_form(self, document: Document, _ending: str, _options: Writes, /) -> Document:
        """Return a document that was read in the form that a file of that ending has, and for which the options ask."""
        return document

    def noted(self, _report: Report, /) -> Facts:
        """Return the facts in an import's report that its Actions remember."""
        return {}

    def following(self, options: Writes, _sources: Sequence[Facts], _report: Report, /) -> Writes:
        """Return the options with what they leave to the files that Actions came from, by what those remember."""
        return options

    def export_defaults(self, _facts: Facts, /) -> Facts:
        """Return the options that an export dialogue starts with, by what the Action remembers of its file."""
        return {}


AnyFormat: TypeAlias = Format[Any, Any, Any]
"""Some format. What one of its methods returns goes into its own methods only."""

AnyFile: TypeAlias = Opened[Any]
