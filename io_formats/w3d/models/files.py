"""Which files show what an animation moves: its own, its skeleton's, and those beside it for the same hierarchy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...clip.model import Model
from ...clip.pivots import Skeleton, named
from ...errors import Report
from ..document import Document, Hierarchy, OpaqueChunk
from ..skeleton import SkeletonFinder, from_hierarchy
from .layout import Kind
from .placement import model_parts, skeleton_names, to_models


@dataclass
class ModelSearch:
    """A search for models.

    Attributes:
        document, path: the file that is imported.
        skeleton: the document with the hierarchy if the file itself has none, or None.
        finder: reads the files beside it.
        report: receives what could not be shown.
    """

    document: Document
    path: Path
    skeleton: Document | None
    finder: SkeletonFinder
    report: Report

    def files(self, hierarchies: Sequence[str]) -> Iterator[tuple[Path, list[Model]]]:
        """Yield the files with models on these hierarchies and the models, the imported file first, each once."""
        seen: set[Path] = set()
        for path, document in self._documents(hierarchies):
            if path not in seen and has_meshes(document):
                seen.add(path)
                yield path, list(self._models(document))

    def _documents(self, hierarchies: Sequence[str]) -> Iterator[tuple[Path, Document]]:
        yield self.path.absolute(), self.document
        if self.skeleton is not None:
            yield self.finder.path_of(self.skeleton, self.path).absolute(), self.skeleton
        for name in hierarchies:
            for path in self.finder.models_on(self.path, name):
                document = self.finder.read(path, self.report)
                if document is not None:
                    yield path.absolute(), document

    def _models(self, document: Document) -> Iterator[Model]:
        parts = model_parts(document, self.report)
        for name in dict.fromkeys(part.hierarchy for part in parts):
            skeleton = self._skeleton(name, document)
            yield from to_models([part for part in parts if part.hierarchy == name], skeleton, self.report)

    def _skeleton(self, name: str, document: Document) -> Skeleton[Hierarchy] | None:
        known = [found for found in (document, self.document, self.skeleton) if found is not None]
        hierarchy = named([hierarchy for found in known for hierarchy in found.hierarchies], name) if name else None
        return None if hierarchy is None else from_hierarchy(hierarchy, Report())


def has_meshes(document: Document) -> bool:
    """Return whether a file has meshes."""
    return any(isinstance(part, OpaqueChunk) and part.kind == Kind.MESH for part in document.parts)


def wanted_by_models(document: Document) -> list[str]:
    """Return names of the hierarchies that the file's models need and the file does not hold."""
    held = {hierarchy.name.upper() for hierarchy in document.hierarchies}
    return [name for name in skeleton_names(document) if name.upper() not in held]
