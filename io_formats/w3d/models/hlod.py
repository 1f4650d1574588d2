"""Which meshes make up a model, and on which pivots: HLOD (0x700) and, before it, HMODEL (0x300)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ...binary import ByteReader
from ..document import Chunk, OpaqueChunk, text
from ..layout import CHUNK_HEADER, SIZE_MASK, VERSION_ROOT_PIVOT
from . import layout
from .layout import Kind


@dataclass(frozen=True)
class SubObject:
    """A mesh on a pivot: pivot number, upper-case full name."""

    pivot: int
    name: str


@dataclass
class ModelRecord:
    """A model: its name, the hierarchy it stands on, and the sub-objects of each level, the coarsest first."""

    name: str
    hierarchy: str
    levels: list[list[SubObject]] = field(default_factory=list)


def models_in(parts: Sequence[Chunk]) -> list[ModelRecord]:
    """The models of a file, in file order.

    Raises:
        FormatError: a header or sub-object is cut short.
    """
    found = []
    for place, part in enumerate(parts):
        if not isinstance(part, OpaqueChunk):
            continue
        if part.kind == Kind.HLOD:
            found.append(_hlod(part.data + _stranded(parts[place + 1 :])))
        elif part.kind == Kind.HMODEL:
            found.append(_hmodel(part.data))
    return found


def _stranded(parts: Sequence[Chunk]) -> bytes:
    """Sub-objects that lie behind their model: in one file of ten its size leaves some out, and the engine goes by
    their number."""
    result = b""
    for part in parts:
        if not isinstance(part, OpaqueChunk) or part.kind != Kind.SUB_OBJECT:
            break
        result += CHUNK_HEADER.pack(part.kind, len(part.data)) + part.data
    return result


def _hlod(data: bytes) -> ModelRecord:
    cursor = ByteReader(data)
    kind, inside = _chunk(cursor)
    if kind != Kind.HLOD_HEADER:
        return ModelRecord("", "")
    _, levels, name, hierarchy = inside.unpack(layout.HLOD_HEADER, "HLOD header")
    model = ModelRecord(text(name), text(hierarchy))
    while len(model.levels) < levels and cursor.remaining >= CHUNK_HEADER.size:
        kind, inside = _chunk(cursor)
        if kind == Kind.HLOD_LEVEL:
            cursor.offset = inside.offset
            model.levels.append(list(_level(cursor)))
    return model


def _level(cursor: ByteReader) -> Iterator[SubObject]:
    """As many sub-objects as the level's header counts, wherever the level claims to end."""
    kind, inside = _chunk(cursor)
    if kind != Kind.HLOD_LEVEL_HEADER:
        return
    count, _ = inside.unpack(layout.HLOD_LEVEL_HEADER, "level header")
    for _ in range(count):
        if cursor.remaining < CHUNK_HEADER.size:
            return
        kind, inside = _chunk(cursor)
        if kind == Kind.SUB_OBJECT:
            pivot, name = inside.unpack(layout.SUB_OBJECT, "sub-object")
            yield SubObject(pivot, text(name).upper())


def _hmodel(data: bytes) -> ModelRecord:
    cursor = ByteReader(data)
    model, above, nodes = ModelRecord("", ""), 0, []
    while cursor.remaining >= CHUNK_HEADER.size:
        kind, inside = _chunk(cursor)
        if kind == Kind.HMODEL_HEADER:
            version, name, hierarchy, _ = inside.unpack(layout.HMODEL_HEADER, "HMODEL header")
            model = ModelRecord(text(name), text(hierarchy))
            above = int(version < VERSION_ROOT_PIVOT)
        elif kind in (Kind.HMODEL_NODE, Kind.HMODEL_COLLISION_NODE, Kind.HMODEL_SKIN_NODE):
            nodes.append(inside.unpack(layout.HMODEL_NODE, "HMODEL node"))
    model.levels = [
        [
            SubObject(0 if pivot == layout.ROOT_NODE else pivot + above, f"{model.name}.{text(name)}".upper())
            for name, pivot in nodes
        ]
    ]
    return model


def _chunk(cursor: ByteReader) -> tuple[int, ByteReader]:
    """Id of the next chunk and a cursor over as much of its payload as is there."""
    kind, size = cursor.unpack(CHUNK_HEADER, "chunk")
    start = cursor.offset
    cursor.skip(min(size & SIZE_MASK, cursor.remaining), 1, "chunk")
    return kind, ByteReader(cursor.data, start, cursor.offset)
