"""Which meshes make up a model, and on which pivots: HLOD (0x700) and, before it, HMODEL (0x300)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ...binary import ByteReader
from ..document import Chunk, HlodHeader, HmodelHeader, OpaqueChunk, text
from ..layout import CHUNK_HEADER, SIZE_MASK, VERSION_ROOT_PIVOT
from .layout import ROOT_NODE, HlodLevelHeader, HmodelNode, Kind, SubObject


@dataclass(frozen=True)
class Placed:
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
    """Return the models of a file, in file order.

    Raises:
        FormatError: a header or sub-object is cut short.
    """
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
        if not isinstance(part, OpaqueChunk) or part.kind != SubObject.KIND:
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
    if kind != HlodLevelHeader.KIND:
        return
    for _ in range(HlodLevelHeader.read(inside).count):
        if cursor.remaining < CHUNK_HEADER.size:
            return
        kind, inside = _chunk(cursor)
        if kind == SubObject.KIND:
            found = SubObject.read(inside)
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
        elif kind in (HmodelNode.KIND, *HmodelNode.FURTHER):
            nodes.append(HmodelNode.read(inside))
    model.levels = [[_on_pivot(node, model.name, above) for node in nodes]]
    return model


def _on_pivot(node: HmodelNode, model: str, above: int) -> Placed:
    pivot = 0 if node.pivot == ROOT_NODE else node.pivot + above
    return Placed(pivot, f"{model}.{text(node.name)}".upper())


def _chunk(cursor: ByteReader) -> tuple[int, ByteReader]:
    """Return the id of the next chunk and a cursor over as much of its payload as is there."""
    kind, size = cursor.unpack(CHUNK_HEADER, "chunk")
    start = cursor.offset
    cursor.skip(min(size & SIZE_MASK, cursor.remaining), 1, "chunk")
    return kind, ByteReader(cursor.data, start, cursor.offset)
