"""What belongs to W3D animations: skeletons and models in other files, textures, all of them in archives, too."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from ..clip import Clip
from ..clip import model as clip_model
from ..clip.pivots import named
from ..errors import FormatError, Report
from ..format import Companions, Opened
from . import big_archive
from .document import Document
from .library import Library
from .models import mesh as meshes
from .models.visible import models_of_files, wanted_by_models
from .options import ReadOptions
from .skeleton import SkeletonFinder, wanted_names
from .to_clip import from_hierarchy


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

    def models(self, file: Opened[Document], clips: Sequence[Clip], report: Report, /) -> list[clip_model.ModelFile]:
        """Return the models, and report what is wrong with the archives that were searched."""
        names = [name for name in dict.fromkeys(clip.skeleton for clip in clips) if name not in self._shown]
        self._shown.update(names)
        files = []
        if self._options.models:
            for path, models in models_of_files(file, names, self._finder, report):
                for model in models:
                    model.selectable = self._options.select_models
                own = path == file.path.absolute()
                files.append(clip_model.ModelFile(models, partial(self._picture, model=path), own))
        self._library.tell(report)
        return files

    def _picture(self, name: str, model: Path) -> clip_model.Picture | None:
        """Return the picture of a texture, None without one; in an archive with its bytes, as Blender needs them."""
        path = self._textures.find(name, model)
        if path is None or not big_archive.is_entry(path):
            return None if path is None else clip_model.Picture(path)
        try:
            return clip_model.Picture(path, big_archive.read_file(path, self._finder.limit))
        except FormatError:
            return None
