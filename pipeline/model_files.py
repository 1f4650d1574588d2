"""The models that an import of W3D shows: which files hold them, and where their textures lie."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ..io_formats import w3d
from ..io_formats.clip import Clip
from ..io_formats.errors import FormatError, Report
from ..io_formats.scene_options import ImportOptions
from ..io_formats.w3d import big_archive
from ..io_formats.w3d.models import ModelSearch, TextureFinder, has_meshes, wanted_by_models
from ..io_formats.w3d.skeleton import SkeletonFinder
from ..scene.models import ModelFile
from ..scene.surfaces import Picture


class ModelFiles:
    """What the files of one import share: folders that were looked into, skeletons whose models are shown."""

    def __init__(self, options: ImportOptions, finder: SkeletonFinder) -> None:
        self._options = options
        self._finder = finder
        self._textures = TextureFinder(finder.library)
        self._shown: set[str] = set()

    @property
    def wanted(self) -> bool:
        """Whether models are to be shown."""
        return isinstance(self._options, w3d.ImportOptions) and self._options.models

    def are_all(self, document: w3d.Document) -> bool:
        """Whether a file is imported for its meshes: it holds nothing that moves and no skeleton."""
        return self.wanted and not document.animations and not document.hierarchies and has_meshes(document)

    def skeleton_pose(self, document: w3d.Document, skeleton: w3d.Document | None, report: Report) -> Clip | None:
        """The skeleton that the models of `document` stand on, at rest; None for models without one."""
        wanted = wanted_by_models(document)
        if skeleton is None or not wanted or not isinstance(self._options, w3d.ImportOptions):
            return None
        return w3d.rest_pose(skeleton, wanted[0], self._options, report)

    def found(
        self, document: Any, path: Path, skeleton: w3d.Document | None, clips: Sequence[Clip], report: Report
    ) -> list[ModelFile]:
        """The models of a file and of those beside it for the same skeletons, which come once in a batch."""
        if not self.wanted:
            return []
        names = [name for name in dict.fromkeys(clip.skeleton for clip in clips) if name not in self._shown]
        self._shown.update(names)
        search = ModelSearch(document, path, skeleton, self._finder, report)
        return [ModelFile(found.models, partial(self._picture, model=found.path)) for found in search.files(names)]

    def _picture(self, name: str, model: Path) -> Picture | None:
        """The picture of a texture; of one in an archive the bytes, for Blender knows no archives."""
        path = self._textures.find(name, model)
        if path is None or not big_archive.is_entry(path):
            return None if path is None else Picture(path)
        try:
            return Picture(path, big_archive.read_file(path, self._finder.limit))
        except FormatError:
            return None
