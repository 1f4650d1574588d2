"""Meshes and models -> visible models: each mesh on its pivot, or its vertices in the rest pose of their bones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...binary import ByteReader
from ...clip import Array
from ...clip import model as clip_model
from ...clip.pivots import Skeleton, lacking, named
from ...errors import FormatError, Report, first_names
from .. import messages
from ..document import Chunk, Document, Hierarchy, HlodHeader, HmodelHeader, OpaqueChunk, text
from ..layout import CHUNK_HEADER, SIZE_MASK, VERSION_ROOT_PIVOT, Kind
from ..skeleton import SkeletonFinder
from ..to_clip import from_hierarchy
from . import layout
from . import mesh as meshes

# A skin's vertices are stored in the space of their bones (Renegade's `MeshGeometryClass::get_deformed_vertices`),
# those of Middle-earth in the space of each of two.

_LEAST_NORMAL = 1e-12


@dataclass
class ModelPart:
    """One mesh of a file and where it belongs.

    Attributes:
        hierarchy: name of the skeleton of its model, empty for a mesh without a model.
        pivot: number of the pivot of a rigid mesh.
        shown: it is part of the finest level and not hidden.
        listed: a model names it.
    """

    mesh: meshes.Mesh
    hierarchy: str = ""
    pivot: int = 0
    shown: bool = True
    listed: bool = False


def skeleton_names(document: Document) -> list[str]:
    """Return names of the hierarchies of the file's models, without models that cannot be read."""
    try:
        return list(dict.fromkeys(model.hierarchy for model in models_in(document.parts) if model.hierarchy))
    except FormatError:
        return []


def model_parts(document: Document, report: Report) -> list[ModelPart]:
    """Return the meshes of a file, or its boxes, in file order, each once; a damaged one is left out with a warning."""
    parts = [ModelPart(mesh) for mesh in _meshes(document, report)]
    try:
        models = models_in(document.parts)
    except FormatError as error:
        report.warn(messages.MODEL_DAMAGED, reason=str(error))
        models = []
    if models:
        _put_on_pivots(parts, models, report)
    for part in parts:
        part.shown = part.shown and not part.mesh.is_hidden
    return parts


def _meshes(document: Document, report: Report) -> list[meshes.Mesh]:
    found, boxes = [], shows_boxes(document)
    for part in document.parts:
        if isinstance(part, OpaqueChunk) and part.kind == (Kind.BOX if boxes else Kind.MESH):
            try:
                found.append(meshes.read_box(part.data) if boxes else meshes.read_mesh(part.data))
            except FormatError as error:
                report.warn(messages.MODEL_DAMAGED, reason=str(error))
    return found


def _put_on_pivots(parts: list[ModelPart], models: list[ModelRecord], report: Report) -> None:
    """Set the pivot and level of each mesh in `parts` that a model names; the finest level that names it counts."""
    by_name: dict[str, ModelPart] = {}
    for part in parts:
        by_name.setdefault(part.mesh.full_name, part)
        part.shown = False
    for model in models:
        for level, sub_objects in enumerate(model.levels):
            for found in sub_objects:
                part_of_name = by_name.get(found.name)
                if part_of_name is not None:
                    part_of_name.pivot, part_of_name.hierarchy = found.pivot, model.hierarchy
                    part_of_name.shown, part_of_name.listed = level == len(model.levels) - 1, True
    unlisted = [part.mesh.name for part in parts if not part.listed]
    if unlisted:
        report.note(messages.MESH_UNLISTED, names=first_names(unlisted))


# --- On a skeleton -------------------------------------------------------------------------------


def to_models(parts: list[ModelPart], skeleton: Skeleton[Hierarchy] | None, report: Report) -> list[clip_model.Model]:
    """Return the models of these meshes on a skeleton, in their order; without one (None) rigid meshes are at the
    origin and skins are left out."""
    rests = _Rests(skeleton)
    found = []
    for part in parts:
        if part.mesh.influences is not None and skeleton is None:
            report.warn(messages.SKIN_WITHOUT_SKELETON, name=part.mesh.name, skeleton=part.hierarchy)
            continue
        try:
            found.append(_model(part, rests, report))
        except FormatError as error:
            error.file = error.file or part.mesh.name
            report.warn(messages.MODEL_DAMAGED, reason=str(error))
    return found


@dataclass
class _Rests:
    """The rest pose of a skeleton.

    Attributes:
        matrices: (pivots, 4, 4) from the armature; the root's is the identity.
        names: of the nodes, by pivot.
    """

    skeleton: Skeleton[Hierarchy] | None
    matrices: Array = field(init=False)
    names: list[str] = field(init=False)

    def __post_init__(self) -> None:
        nodes = [] if self.skeleton is None else self.skeleton.nodes
        self.names = [node.name for node in nodes]
        index = {name: number for number, name in enumerate(self.names)}
        self.matrices = np.empty((max(len(nodes), 1), 4, 4))
        self.matrices[0] = np.eye(4)
        for number, node in enumerate(nodes):
            parent = None if node.parent is None else index.get(node.parent)
            self.matrices[number] = node.rest if parent is None else self.matrices[parent] @ node.rest

    def known(self, pivots: Array) -> Array:
        """Return pivot numbers (n,), with 0 instead of those that the skeleton does not have."""
        return np.where(pivots < len(self.matrices), pivots, 0)


def _model(part: ModelPart, rests: _Rests, report: Report) -> clip_model.Model:
    mesh = part.mesh
    look = meshes.surfaces(mesh)
    usable = _usable(mesh)
    if not usable.all():
        report.note(messages.TRIANGLES_LEFT_OUT, name=mesh.name, triangles=int((~usable).sum()))
    vertices, normals, skin = mesh.vertices, mesh.normals, None
    if mesh.influences is not None:
        vertices, normals, skin = _skin(mesh, rests)
    pivot = int(rests.known(np.array(part.pivot))) if rests.names else 0
    return clip_model.Model(
        mesh.name,
        np.where(np.isfinite(vertices), vertices, 0.0).astype(np.float32),
        mesh.triangles[usable].astype(np.int32),
        rests.names[pivot] if rests.names and skin is None else "",
        _unit(normals),
        None if look.coordinates is None else np.nan_to_num(look.coordinates, posinf=0.0, neginf=0.0),
        look.colors,
        look.materials,
        look.material_of[usable],
        skin,
        part.shown,
    )


def _usable(mesh: meshes.Mesh) -> Array:
    """Return (triangles,) bool: three different vertices that exist; others crash Blender 5 when normals are set."""
    numbers = mesh.triangles
    first, second, third = numbers.T
    known: Array = np.all(numbers < len(mesh.vertices), axis=1)
    usable: Array = known & (first != second) & (second != third) & (third != first)
    return usable


def _unit(normals: Array | None) -> Array | None:
    """Return (vertices, 3) normals of length 1, or 0 where the file has no valid one."""
    if normals is None:
        return None
    with np.errstate(invalid="ignore", over="ignore"):
        squares = (normals.astype(np.float64) ** 2).sum(axis=1)
        sound = np.isfinite(squares) & (squares > _LEAST_NORMAL)
        return np.where(sound[:, None], normals / np.sqrt(np.where(sound, squares, 1.0))[:, None], 0.0)


def _skin(mesh: meshes.Mesh, rests: _Rests) -> tuple[Array, Array | None, clip_model.Skin]:
    """Return (vertices, 3) positions and normals in the rest pose, and the bones that they follow."""
    assert mesh.influences is not None
    above = int(mesh.version < VERSION_ROOT_PIVOT)
    bones = rests.known(mesh.influences["bones"].astype(np.int64) + above)
    weights = mesh.influences["weights"].astype(np.float64)
    two = (weights[:, 1] > 0) & (weights.sum(axis=1) > 0) & (mesh.second_vertices is not None)
    shares = np.stack([np.where(two, weights[:, 0], 1.0), np.where(two, weights[:, 1], 0.0)], axis=1)
    shares /= shares.sum(axis=1, keepdims=True)
    vertices = _blended(mesh.vertices, mesh.second_vertices, bones, shares, rests.matrices, moved=1.0)
    normals = mesh.normals
    if normals is not None:
        normals = _blended(normals, mesh.second_normals, bones, shares, rests.matrices, moved=0.0)
    used = np.where(shares > 0, bones, -1)
    return vertices, normals, clip_model.Skin(rests.names, used, shares.astype(np.float32))


def _blended(
    first: Array, second: Array | None, bones: Array, shares: Array, matrices: Array, *, moved: float
) -> Array:
    """Return (n, 3) vectors of two bones' spaces in the armature's, by shares (n, 2); `moved`: 0 for directions."""
    total = _turned(first, matrices[bones[:, 0]], moved)
    if second is None or not shares[:, 1].any():
        return total
    result: Array = shares[:, :1] * total + shares[:, 1:] * _turned(second, matrices[bones[:, 1]], moved)
    return result


def _turned(vectors: Array, matrices: Array, moved: float) -> Array:
    with np.errstate(invalid="ignore", over="ignore"):
        result: Array = np.einsum("nij,nj->ni", matrices[:, :3, :3], vectors.astype(np.float64))
        return result + moved * matrices[:, :3, 3]


# Which meshes make up a model, and on which pivots: HLOD (0x700) and, before it, HMODEL (0x300).


class Placed(NamedTuple):
    """A mesh on a pivot: pivot number, upper-case full name."""

    pivot: int
    name: str


@dataclass
class ModelRecord:
    """A model: its name, its hierarchy, and the sub-objects of each level, the coarsest first."""

    name: str
    hierarchy: str
    levels: list[list[Placed]] = field(default_factory=list)


def models_in(parts: Sequence[Chunk]) -> list[ModelRecord]:
    """Return the models of a file, in file order; raise FormatError if a header or sub-object is cut short."""
    found = []
    for number, part in enumerate(parts):
        if not isinstance(part, OpaqueChunk):
            continue
        if part.kind == Kind.HLOD:
            found.append(_hlod(part.data + _stranded(parts[number + 1 :])))
        elif part.kind == Kind.HMODEL:
            found.append(_hmodel(part.data))
    return found


def _stranded(parts: Sequence[Chunk]) -> bytes:
    """Return the sub-objects that follow their model.

    In one file of ten the model's size leaves some out; the engine reads as many as it counts.
    """
    result = b""
    for part in parts:
        if not isinstance(part, OpaqueChunk) or part.kind != layout.SubObject.KIND:
            break
        result += CHUNK_HEADER.pack(part.kind, len(part.data)) + part.data
    return result


def _hlod(data: bytes) -> ModelRecord:
    cursor = ByteReader(data)
    kind, inside = _chunk(cursor)
    if kind != HlodHeader.KIND:
        return ModelRecord("", "")
    header = HlodHeader.read(inside)
    model = ModelRecord(text(header.name), text(header.hierarchy))
    while len(model.levels) < header.levels and cursor.remaining >= CHUNK_HEADER.size:
        kind, inside = _chunk(cursor)
        if kind == Kind.HLOD_LEVEL:
            cursor.offset = inside.offset
            model.levels.append(list(_level(cursor)))
    return model


def _level(cursor: ByteReader) -> Iterator[Placed]:
    """Yield as many sub-objects as the level's header counts, wherever the level claims to end."""
    kind, inside = _chunk(cursor)
    if kind != layout.HlodLevelHeader.KIND:
        return
    for _ in range(layout.HlodLevelHeader.read(inside).count):
        if cursor.remaining < CHUNK_HEADER.size:
            return
        kind, inside = _chunk(cursor)
        if kind == layout.SubObject.KIND:
            found = layout.SubObject.read(inside)
            yield Placed(found.pivot, text(found.name).upper())


def _hmodel(data: bytes) -> ModelRecord:
    cursor = ByteReader(data)
    model, above, nodes = ModelRecord("", ""), 0, []
    while cursor.remaining >= CHUNK_HEADER.size:
        kind, inside = _chunk(cursor)
        if kind == HmodelHeader.KIND:
            header = HmodelHeader.read(inside)
            model = ModelRecord(text(header.name), text(header.hierarchy))
            above = int(header.version < VERSION_ROOT_PIVOT)
        elif kind in (layout.HmodelNode.KIND, *layout.HmodelNode.FURTHER):
            nodes.append(layout.HmodelNode.read(inside))
    pivots = [0 if node.pivot == layout.ROOT_NODE else node.pivot + above for node in nodes]
    names = [f"{model.name}.{text(node.name)}".upper() for node in nodes]
    model.levels = [list(map(Placed, pivots, names))]
    return model


def _chunk(cursor: ByteReader) -> tuple[int, ByteReader]:
    """Return the id of the next chunk and a cursor over as much of its payload as is there."""
    kind, size = cursor.unpack(CHUNK_HEADER, "chunk")
    start = cursor.offset
    cursor.skip(min(size & SIZE_MASK, cursor.remaining), 1, "chunk")
    return kind, ByteReader(cursor.data, start, cursor.offset)


# Which files show what an animation moves: its own, its skeleton's, and those beside it for the same hierarchy.


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

    def files(self, hierarchies: Sequence[str]) -> Iterator[tuple[Path, list[clip_model.Model]]]:
        """Yield the files with models on these hierarchies and the models, the imported file first, each once."""
        seen: set[Path] = set()
        for path, document in self._documents(hierarchies):
            if path not in seen and (has_meshes(document) or shows_boxes(document)):
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

    def _models(self, document: Document) -> Iterator[clip_model.Model]:
        parts = model_parts(document, self.report)
        known = [found for found in (document, self.document, self.skeleton) if found is not None]
        hierarchies = [hierarchy for found in known for hierarchy in found.hierarchies]
        for name in dict.fromkeys(part.hierarchy for part in parts):
            hierarchy = named(hierarchies, name) if name else None
            skeleton = None if hierarchy is None else from_hierarchy(hierarchy, Report())
            yield from to_models([part for part in parts if part.hierarchy == name], skeleton, self.report)


def has_meshes(document: Document) -> bool:
    """Return whether a file has meshes."""
    return any(isinstance(part, OpaqueChunk) and part.kind == Kind.MESH for part in document.parts)


def shows_boxes(document: Document) -> bool:
    """Return whether a file is opened for its collision boxes, which no game draws: if it has nothing else to see."""
    return not (has_meshes(document) or document.animations or document.hierarchies)


def wanted_by_models(document: Document) -> list[str]:
    """Return names of the hierarchies that the file's models need and the file does not hold."""
    return lacking(skeleton_names(document), document.hierarchies)
