"""The search for a texture's picture: beside the model, in the games' folders and archives; in any letter case."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from ..folders import Folder
from ..library import Library

_ENDINGS = (".dds", ".tga", ".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff")
"""In the order in which they are tried: the engine asks for .dds before .tga; the others are what modders make."""

_BESIDE = ("", "Textures", "Art/Textures", "../Textures", "../Art/Textures", "../../Textures")
_BY_PREFIX = ("compiledtextures", "../compiledtextures", "../../compiledtextures")
"""Middle-earth: a folder for each two letters."""


@dataclass
class TextureFinder:
    """Finds pictures by the names in meshes; reads each folder once.

    The folders and archives of `library` are searched after those around the model.
    """

    library: Library = field(default_factory=Library)
    _listed: dict[Path, Folder] = field(default_factory=dict)

    def find(self, name: str, model: Path) -> Path | None:
        """Return the picture of the texture `name` of the model file `model`, None if there is none."""
        stem = os.path.splitext(name.replace("\\", "/").rpartition("/")[2])[0].lower()
        if not stem:
            return None
        for folder in self._folders(stem[:2], model.absolute().parent):
            files = self._folder(folder).files
            found = next((files[stem + ending] for ending in _ENDINGS if stem + ending in files), None)
            if found is not None:
                return found
        return None

    def _folders(self, prefix: str, beside: Path) -> Iterator[Path]:
        for start in chain([beside], self.library.places()):
            for below in _BESIDE:
                yield from self._below(start, below)
            for below in _BY_PREFIX:
                yield from self._below(start, f"{below}/{prefix}")

    def _below(self, start: Path, below: str) -> Iterator[Path]:
        """Yield the folders `below` another one, whatever the case of the names on the way."""
        at = [start]
        for name in filter(None, below.split("/")):
            at = [path.parent for path in at] if name == ".." else self._children(at, name.lower())
        yield from at

    def _children(self, folders: Sequence[Path], name: str) -> list[Path]:
        return [path for folder in folders for path in self._folder(folder).below.get(name, ())]

    def _folder(self, path: Path) -> Folder:
        if path not in self._listed:
            self._listed[path] = Folder.of(path)
        return self._listed[path]
