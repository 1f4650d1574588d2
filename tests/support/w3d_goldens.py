"""W3D goldens, and their animations as an export knows them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from io_formats import w3d
from io_formats.clip import Clip, Source
from io_formats.errors import Report

DATA = Path(__file__).resolve().parent.parent / "data" / "w3d"


@dataclass
class Golden:
    """A golden file, or one of its animations."""

    name: str
    facts: dict[str, Any]

    @property
    def data(self) -> bytes:
        return (DATA / self.facts["file"]).read_bytes()

    @property
    def document(self) -> Any:
        return w3d.read(self.data)

    @property
    def skeleton(self) -> Any:
        return w3d.read((DATA / self.facts["skeleton"]).read_bytes())

    @property
    def index(self) -> int:
        return int(self.name[-1]) if self.name.startswith("h04") else 0

    def clip(self, report: Report | None = None, **options: Any) -> Clip:
        clips = w3d.to_clips(self.document, w3d.ImportOptions(**options), report or Report(), skeleton=self.skeleton)
        return clips[self.index]


def source_of(document: Any, skeleton: Any = None, index: int = 0, **options: Any) -> Source:
    """The first animation of a file, or another, as an export into that file knows it."""
    clips = w3d.to_clips(document, w3d.ImportOptions(**options), Report(), skeleton=skeleton)
    return Source(document, clips[index], index)


_MANIFEST = json.loads((DATA / "manifest.json").read_text(encoding="utf-8"))
GOLDENS = {name: Golden(name, facts) for name, facts in _MANIFEST.items()}
