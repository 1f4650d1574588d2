"""Where the picture of a texture lies: beside the model and in the games' folders, whatever the case of its name."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

_ENDINGS = (".dds", ".tga", ".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff")
"""In the order in which they are tried: the engine asks for .dds before .tga; the others are what modders make."""

_BESIDE = ("", "Textures", "Art/Textures", "../Textures", "../Art/Textures", "../../Textures")
_BY_PREFIX = ("compiledtextures", "../compiledtextures", "../../compiledtextures")
"""Middle-earth: a folder for each two letters."""


@dataclass
class TextureFinder:
    """Finds pictures by the names that meshes have for them; looks at each folder once.

    `folders` are looked into after those around the model.
    """

    folders: Sequence[Path] = ()
    _listed: dict[Path, dict[str, Path]] = field(default_factory=dict)

    def find(self, name: str, model: Path) -> Path | None:
        """The picture of the texture `name` of the model file `model`, None if there is none."""
        stem = os.path.splitext(name.replace("\\", "/").rpartition("/")[2])[0].lower()
        if not stem:
            return None
        for folder in self._folders(stem[:2], model.absolute().parent):
            files = self._files(folder)
            found = next((files[stem + ending] for ending in _ENDINGS if stem + ending in files), None)
            if found is not None:
                return found
        return None

    def _folders(self, prefix: str, beside: Path) -> Iterator[Path]:
        for start in (beside, *self.folders):
            for below in _BESIDE:
                yield from self._below(start, below)
            for below in _BY_PREFIX:
                yield from self._below(start, f"{below}/{prefix}")

    def _below(self, start: Path, below: str) -> Iterator[Path]:
        """The folder `below` another one, whatever the case of the names on the way."""
        at: Path | None = start
        for name in filter(None, below.split("/")):
            at = None if at is None else at.parent if name == ".." else self._files(at).get(name.lower())
        if at is not None:
            yield at

    def _files(self, folder: Path) -> dict[str, Path]:
        """What lies in a folder by lower-case name; nothing of one that cannot be read."""
        if folder not in self._listed:
            try:
                with os.scandir(folder) as entries:
                    found = {entry.name.lower(): folder / entry.name for entry in sorted(entries, key=_name)}
            except (OSError, ValueError):
                found = {}
            self._listed[folder] = found
        return self._listed[folder]


def _name(entry: os.DirEntry[str]) -> str:
    return entry.name
