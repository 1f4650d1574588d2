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
from ...clip.pose import chain_rests
from ...errors import FormatError, Report, first_names
from ...format import Opened
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
    """

    mesh: meshes.Mesh
    hierarchy: str = ""
    pivot: int = 0
    shown: bool = True


def model_parts(document: Document, report: Report) -> list[ModelPart]:
    """Return the meshes of a file, or its boxes, in file order, each once; a damaged one is left out with a warning."""
    parts: list[ModelPart] = []
    boxes = shows_boxes(document)
    for chunk in document.all(OpaqueChunk):
        if chunk.kind == (Kind.BOX if boxes else Kind.MESH):
            try:
                parts.append(ModelPart(meshes.read_box(chunk.data) if boxes else meshes.read_mesh(chunk.data)))
            except FormatError as error:
                report.warn(messages.MODEL_DAMAGED, reason=str(error))
    try:
        models = models_in(document.parts)
    except FormatError as error:
        report.warn(messages.MODEL_DAMAGED, reason=str(error))
        models = []
    if models:
        _put_on_pivots(parts, models, report)
    for part in parts:
        part.shown = part.shown and not part.mesh.attributes & layout.HIDDEN  # until a script shows it
    return parts


def _put_on_pivots(parts: list[ModelPart], models: list[ModelRecord], report: Report) -> None:
    """Set the pivot and level of each mesh in `parts` that a model names; the finest level that names it counts."""
    places = {
        name: (model.hierarchy, pivot, level is model.levels[-1])
        for model in models
        for level in model.levels
        for pivot, name in level
    }
    unlisted = []
    for part in parts:
        place = places.pop(part.mesh.full_name, None)  # of several meshes of one name the first
        if place is None:
            unlisted.append(part.mesh.name)
        part.hierarchy, part.pivot, part.shown = place or ("", 0, False)
    if unlisted:
        report.note(messages.MESH_UNLISTED, names=first_names(unlisted))


# --- On a skeleton -------------------------------------------------------------------------------


def to_models(parts: list[ModelPart], skeleton: Skeleton[Hierarchy] | None, report: Report) -> list[clip_model.Model]:
    """Return the models of these meshes on a skeleton, in their order; without one (None) rigid meshes are at the
    origin and skins are left out."""
    nodes = [] if skeleton is None else skeleton.nodes
    names = [node.name for node in nodes]
    rests = np.stack([*chain_rests(nodes).values()][1:] or [np.eye(4)])
    found = []
    for part in parts:
        if part.mesh.influences is not None and skeleton is None:
            report.warn(messages.SKIN_WITHOUT_SKELETON, name=part.mesh.name, skeleton=part.hierarchy)
            continue
        try:
            found.append(_model(part, names, rests, report))
        except FormatError as error:
            error.file = error.file or part.mesh.name
            report.warn(messages.MODEL_DAMAGED, reason=str(error))
    return found


def _model(part: ModelPart, names: list[str], rests: Array, report: Report) -> clip_model.Model:
    """Return a mesh on nodes of these names, whose rests (pivots, 4, 4) are seen from the armature."""
    mesh = part.mesh
    look = meshes.surfaces(mesh)
    # others than three different vertices that exist crash Blender 5 when normals are set
    first, second, third = mesh.triangles.T
    usable: Array = np.all(mesh.triangles < len(mesh.vertices), axis=1)
    usable &= (first != second) & (second != third) & (third != first)
    if not usable.all():
        report.note(messages.TRIANGLES_LEFT_OUT, name=mesh.name, triangles=int((~usable).sum()))
    vertices, normals, skin = mesh.vertices, mesh.normals, None
    if mesh.influences is not None:
        vertices, normals, skin = _skin(mesh, names, rests)
    pivot = part.pivot if part.pivot < len(names) else 0
    return clip_model.Model(
        mesh.name,
        np.where(np.isfinite(vertices), vertices, 0.0).astype(np.float32),
        mesh.triangles[usable].astype(np.int32),
        names[pivot] if names and skin is None else "",
        _unit(normals),
        None if look.coordinates is None else np.nan_to_num(look.coordinates, posinf=0.0, neginf=0.0),
        look.colors,
        look.materials,
        look.material_of[usable],
        skin,
        part.shown,
    )


def _unit(normals: Array | None) -> Array | None:
    """Return (vertices, 3) normals of length 1, or 0 where the file has no valid one."""
    if normals is None:
        return None
    with np.errstate(invalid="ignore", over="ignore"):
        squares = (normals.astype(np.float64) ** 2).sum(axis=1)
        sound = np.isfinite(squares) & (squares > _LEAST_NORMAL)
        return np.where(sound[:, None], normals / np.sqrt(np.where(sound, squares, 1.0))[:, None], 0.0)


def _skin(mesh: meshes.Mesh, names: list[str], rests: Array) -> tuple[Array, Array | None, clip_model.Skin]:
    """Return (vertices, 3) positions and normals in the rest pose, and the bones that they follow."""
    assert mesh.influences is not None
    above = int(mesh.version < VERSION_ROOT_PIVOT)
    bones = mesh.influences["bones"].astype(np.int64) + above
    bones = np.where(bones < len(rests), bones, 0)
    weights = mesh.influences["weights"].astype(np.float64)
    two = (weights[:, 1] > 0) & (weights.sum(axis=1) > 0) & (mesh.second_vertices is not None)
    shares = np.stack([np.where(two, weights[:, 0], 1.0), np.where(two, weights[:, 1], 0.0)], axis=1)
    shares /= shares.sum(axis=1, keepdims=True)
    vertices = _blended(mesh.vertices, mesh.second_vertices, bones, shares, rests, moved=1.0)
    normals = mesh.normals
    if normals is not None:
        normals = _blended(normals, mesh.second_normals, bones, shares, rests, moved=0.0)
    return vertices, normals, clip_model.Skin(names, np.where(shares > 0, bones, -1), shares.astype(np.float32))


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
    """A model: its hierarchy, and the sub-objects of each level, the coarsest first."""

    hierarchy: str = ""
    levels: list[list[Placed]] = field(default_factory=list)


def models_in(parts: Sequence[Chunk]) -> list[ModelRecord]:
    """Return the models of a file, in file order; raise FormatError if a header or sub-object is cut short."""
    found = []
    for number, part in enumerate(parts):
        if isinstance(part, OpaqueChunk) and part.kind == Kind.HLOD:
            found.append(_hlod(part.data + _stranded(parts[number + 1 :])))
        elif isinstance(part, OpaqueChunk) and part.kind == Kind.HMODEL:
            found.append(_hmodel(part.data))
    return found


def _stranded(parts: Sequence[Chunk]) -> bytes:
    """Return sub-objects behind their model, left out by one size in ten; the engine reads as many as it counts."""
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
        return ModelRecord()
    header = HlodHeader.read(inside)
    model = ModelRecord(text(header.hierarchy))
    while len(model.levels) < header.levels and cursor.remaining >= CHUNK_HEADER.size:
        kind, inside = _chunk(cursor)
        if kind == Kind.HLOD_LEVEL:
            cursor.offset = inside.offset
            model.levels.append(list(_level(cursor)))
    return model


def _level(cursor: ByteReader) -> Iterator[Placed]:
    """Yield as many sub-objects as the level's header counts, wherever the level claims to end."""
    kind, inside = _chunk(cursor)
    left = layout.HlodLevelHeader.read(inside).count if kind == layout.HlodLevelHeader.KIND else 0
    while left > 0 and cursor.remaining >= CHUNK_HEADER.size:
        left -= 1
        kind, inside = _chunk(cursor)
        if kind == layout.SubObject.KIND:
            found = layout.SubObject.read(inside)
            yield Placed(found.pivot, text(found.name).upper())


def _hmodel(data: bytes) -> ModelRecord:
    cursor = ByteReader(data)
    name, hierarchy, above, nodes = "", "", 0, []
    while cursor.remaining >= CHUNK_HEADER.size:
        kind, inside = _chunk(cursor)
        if kind == HmodelHeader.KIND:
            header = HmodelHeader.read(inside)
            name, hierarchy = text(header.name), text(header.hierarchy)
            above = int(header.version < VERSION_ROOT_PIVOT)
        elif kind in (layout.HmodelNode.KIND, *layout.HmodelNode.FURTHER):
            nodes.append(layout.HmodelNode.read(inside))
    pivots = [0 if node.pivot == layout.ROOT_NODE else node.pivot + above for node in nodes]
    names = [f"{name}.{text(node.name)}".upper() for node in nodes]
    return ModelRecord(hierarchy, [list(map(Placed, pivots, names))])


def _chunk(cursor: ByteReader) -> tuple[int, ByteReader]:
    """Return the id of the next chunk and a cursor over as much of its payload as is there."""
    kind, size = cursor.unpack(CHUNK_HEADER, "chunk")
    start = cursor.offset
    cursor.skip(min(size & SIZE_MASK, cursor.remaining), 1, "chunk")
    return kind, ByteReader(cursor.data, start, cursor.offset)


# Which files show what an animation moves: its own, its skeleton's, and those beside it for the same hierarchy.


def models_of_files(
    file: Opened[Document], hierarchies: Sequence[str], finder: SkeletonFinder, report: Report
) -> Iterator[tuple[Path, list[clip_model.Model]]]:
    """Yield the files with models on these hierarchies and the models, the imported file first, each once.

    Args:
        finder: reads the files beside it.
        report: receives what could not be shown.
    """
    seen: set[Path] = set()
    for path, document in _documents(file, hierarchies, finder, report):
        if path in seen or not (has_meshes(document) or shows_boxes(document)):
            continue
        seen.add(path)
        known = [found for found in (document, file.document, file.skeleton) if found is not None]
        held = [hierarchy for found in known for hierarchy in found.hierarchies]
        parts = model_parts(document, report)
        models: list[clip_model.Model] = []
        for name in dict.fromkeys(part.hierarchy for part in parts):
            hierarchy = named(held, name) if name else None
            skeleton = None if hierarchy is None else from_hierarchy(hierarchy, Report())
            models += to_models([part for part in parts if part.hierarchy == name], skeleton, report)
        yield path, models


def _documents(
    file: Opened[Document], hierarchies: Sequence[str], finder: SkeletonFinder, report: Report
) -> Iterator[tuple[Path, Document]]:
    yield file.path.absolute(), file.document
    if file.skeleton is not None:
        yield finder.path_of(file.skeleton, file.path).absolute(), file.skeleton
    for name in hierarchies:
        for path in finder.models_on(file.path, name):
            document = finder.read(path, report)
            if document is not None:
                yield path.absolute(), document


def has_meshes(document: Document) -> bool:
    """Return whether a file has meshes."""
    return any(isinstance(part, OpaqueChunk) and part.kind == Kind.MESH for part in document.parts)


def shows_boxes(document: Document) -> bool:
    """Return whether a file is opened for its collision boxes, which no game draws: if it has nothing else to see."""
    return not (has_meshes(document) or document.animations or document.hierarchies)


def wanted_by_models(document: Document) -> list[str]:
    """Return names of the hierarchies that the file's models need and the file does not hold."""
    try:
        models = models_in(document.parts)
    except FormatError:
        return []
    return lacking(filter(None, (model.hierarchy for model in models)), document.hierarchies)
