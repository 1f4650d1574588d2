"""The functions of the format: its codec, and the two ways between a document and clips."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from ..clip import HIDE, LEAST_OPACITY, Clip, NodeKind, Track, TrackKind
from ..clip.model import ModelFile, Picture
from ..clip.pivots import FADE, VISIBILITY, as_visibility, named
from ..errors import FormatError, Report
from ..files.steps import Steps, in_one_step
from ..format import Companions, Format, Opened, SkeletonNames
from ..later import function_of
from . import W3dFacts, big_archive
from .document import Document, describe, plays, write
from .models import mesh as meshes
from .models.visible import models_of_files, wanted_by_models
from .options import ReadOptions, WriteOptions
from .read import matches, read
from .skeleton import Library, SkeletonFinder, wanted_names
from .to_clip import from_hierarchy, to_clips


class W3dCompanions(Companions[Document]):
    """What the files of one import share: folders that were searched, skeletons whose models are shown."""

    def __init__(self, options: ReadOptions, folders: Sequence[Path]) -> None:
        self._options = options
        self._library = Library(folders)
        self._textures = meshes.TextureFinder(self._library)
        self._finder = SkeletonFinder(options.limit_mib << 20, self._library)
        self._shown: set[str] = set()

    def skeleton(self, file: Opened[Document], chosen: str, report: Report, /) -> Document | None:
        """Return the chosen file, else one beside the animation, else one of the library."""
        names = wanted_by_models if self.shows_models_only(file.document) else wanted_names
        return self._finder.skeleton_of(names(file.document), file.path, report, chosen)

    def shows_models_only(self, document: Document, /) -> bool:
        """Return whether the file holds no animation and no hierarchy."""
        return not document.animations and not document.hierarchies

    def skeleton_pose(self, file: Opened[Document], report: Report, /) -> Clip | None:
        """Return the hierarchy of the models, in which nothing moves."""
        wanted = wanted_by_models(file.document)
        if file.skeleton is None or not wanted:
            return None
        hierarchy = named(file.skeleton.hierarchies, wanted[0]) or file.skeleton.hierarchies[0]
        return from_hierarchy(hierarchy, report).at_rest(self._options, self._options.scale)

    def models(self, file: Opened[Document], clips: Sequence[Clip], report: Report, /) -> list[ModelFile]:
        """Return the models, and report what is wrong with the archives that were searched."""
        names = [name for name in dict.fromkeys(clip.skeleton for clip in clips) if name not in self._shown]
        self._shown.update(names)
        files = []
        if self._options.models:
            for path, models in models_of_files(file, names, self._finder, report):
                for model in models:
                    model.selectable = self._options.select_models
                own = path == file.path.absolute()
                files.append(ModelFile(models, partial(self._picture, model=path), own))
        self._library.tell(report)
        return files

    def _picture(self, name: str, model: Path) -> Picture | None:
        """Return the picture of a texture, None without one; in an archive with its bytes, as Blender needs them."""
        path = self._textures.find(name, model)
        if path is None or not big_archive.is_entry(path):
            return None if path is None else Picture(path)
        try:
            return Picture(path, big_archive.read_file(path, self._finder.limit))
        except FormatError:
            return None


class W3d(W3dFacts, Format[Document, ReadOptions, WriteOptions]):
    """W3D files: animations and their skeleton in one or in several, models beside them, all of it in archives."""

    matches = staticmethod(matches)
    read = staticmethod(read.steps)
    write = staticmethod(in_one_step(lambda document, *_: write(document)))
    describe = staticmethod(describe)
    plays = staticmethod(plays)
    from_clip = staticmethod(in_one_step(function_of(f"{__package__}.from_clip", "from_clip")))
    companions = staticmethod(W3dCompanions)
    library = staticmethod(Library)
    is_packed = staticmethod(big_archive.is_entry)
    read_file = staticmethod(big_archive.read_file)
    tell_new_name = staticmethod(function_of(f"{__package__}.from_clip", "tell_if_lost"))

    def clips(self, file: Opened[Document], options: ReadOptions, report: Report) -> Steps[list[Clip]]:
        """Return a clip for each animation, or the skeleton at rest."""
        return to_clips.steps(file.document, options, report, skeleton=file.skeleton)

    def holds(self, node: NodeKind, kind: TrackKind, name: str, /) -> bool:
        """Hold when a pivot is seen, and how much of it."""
        is_own = name == VISIBILITY or (kind, name) in ((TrackKind.RNA, HIDE), (TrackKind.CUSTOM, FADE))
        return node is NodeKind.BONE and is_own

    def in_own_words(self, tracks: Sequence[Track], _options: WriteOptions, /) -> list[list[Track]]:
        """Return a pivot's visibility as bits."""
        return [
            [track.but(values=track.values >= LEAST_OPACITY) if track.property == VISIBILITY else track]
            for track in map(as_visibility, tracks)
        ]

    def skeleton_names(self, document: Document, /) -> SkeletonNames:
        """Return the names of hierarchies."""
        return SkeletonNames([hierarchy.name for hierarchy in document.hierarchies], wanted_names(document))


__all__ = ["Document", "W3d", "describe", "matches", "plays", "read", "to_clips", "write"]
