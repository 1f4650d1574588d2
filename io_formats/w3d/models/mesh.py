"""A mesh chunk (0x00) as the file has it: geometry and influences; its materials are in `materials`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...binary import ByteReader
from ...clip import Array
from ...errors import FormatError
from .. import messages
from ..document import text
from ..layout import CHUNK_HEADER, SIZE_MASK
from . import layout
from .layout import Kind, MeshHeader

Chunks = dict[int, list[ByteReader]]
"""Cursors over the payloads of chunks, by id, in file order."""


@dataclass
class Mesh:
    """One mesh.

    Attributes:
        name, container: the file's own names.
        version: of the chunk; before 3.0 bones are counted without the root.
        attributes: bits of `layout`.
        vertices, normals: (vertices, 3) float32; of a skin in the space of each vertex's bone. Normals may be None.
        triangles: (triangles, 3) uint32 vertex numbers, as found.
        influences: (vertices,) records of `layout.INFLUENCE`, None for a rigid mesh: it is a skin if it has them,
            whatever its type says.
        second_vertices, second_normals: the same in the space of the second bone, None without one.
        chunks: cursors over everything inside, for the materials.
    """

    name: str
    container: str
    version: int
    attributes: int
    vertices: Array
    triangles: Array
    normals: Array | None
    influences: Array | None
    second_vertices: Array | None
    second_normals: Array | None
    chunks: Chunks

    @property
    def full_name(self) -> str:
        """Upper-case name by which models call the mesh."""
        return (f"{self.container}.{self.name}" if self.container else self.name).upper()

    @property
    def is_hidden(self) -> bool:
        """Whether the game hides it until a script shows it."""
        return bool(self.attributes & layout.HIDDEN)


def split(cursor: ByteReader) -> Iterator[tuple[int, ByteReader]]:
    """Yield the id of each chunk within `cursor` and a cursor over its payload.

    Raises:
        FormatError: a chunk is larger than what holds it.
    """
    while cursor.remaining >= CHUNK_HEADER.size:
        kind, size = cursor.unpack(CHUNK_HEADER, "chunk")
        start = cursor.offset
        cursor.skip(size & SIZE_MASK, 1, f"chunk {kind:#x}")
        yield kind, ByteReader(cursor.data, start, cursor.offset, base=cursor.base)


def chunks_in(cursor: ByteReader) -> Chunks:
    """Return the chunks within `cursor` by id; the cursor does not move."""
    found: Chunks = defaultdict(list)
    for kind, inside in split(cursor.again()):
        found[kind].append(inside)
    return found


def records(chunks: Chunks, kind: Kind, count: int | None = None) -> Array | None:
    """Read the first chunk of `kind`: records (count, ...) of `layout.ROWS`, or as many as fit; None without one."""
    if not chunks.get(kind):
        return None
    cursor, record = chunks[kind][0].again(), np.dtype(layout.ROWS[kind])
    found = cursor.remaining // record.itemsize if count is None else count
    return cursor.array(record.base, (found, *record.shape), kind.name.lower())


def read_mesh(data: bytes) -> Mesh:
    """Return the mesh in the payload of a chunk 0x00.

    Raises:
        FormatError: no header, or fewer records than it counts.
    """
    chunks = chunks_in(ByteReader(data))
    if not chunks.get(MeshHeader.KIND):
        raise FormatError(messages.NO_HEADER, field="MESH_HEADER")
    header = MeshHeader.read(chunks[MeshHeader.KIND][0])
    vertices = header.vertices
    positions = records(chunks, Kind.VERTICES, vertices)
    faces = records(chunks, Kind.TRIANGLES, header.triangles)
    if positions is None or faces is None:
        raise FormatError(messages.MESH_WITHOUT_SHAPE, field=text(header.name))
    normals = Kind.NORMALS if chunks.get(Kind.NORMALS) else Kind.OLD_NORMALS
    return Mesh(
        text(header.name),
        text(header.container),
        header.version,
        header.attributes,
        positions,
        faces["vertices"],
        records(chunks, normals, vertices),
        records(chunks, Kind.INFLUENCES, vertices),
        records(chunks, Kind.SECOND_VERTICES, vertices),
        records(chunks, Kind.SECOND_NORMALS, vertices),
        chunks,
    )
