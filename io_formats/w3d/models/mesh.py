"""A mesh chunk (0x00) as the file has it: geometry, influences and surfaces."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import chain, product
from pathlib import Path

import numpy as np

from ...binary import ByteReader
from ...clip import Array
from ...clip.model import Blend, Material
from ...errors import FormatError
from ...files.whole_file import Folder
from .. import messages
from ..document import text
from ..layout import CHUNK_HEADER, SIZE_MASK, Kind
from ..skeleton import Library, folder_of
from . import layout
from .layout import MeshHeader, PropertyType, ShaderByte, ShaderMaterialHeader, ShaderMaterialProperty

_CORNERS = np.array(list(product((-1.0, 1.0), repeat=3)))
_SIDES = np.array([
    [0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
    [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3],
], np.uint32)  # fmt: skip
"""Corners of a box of half size 1, and its sides as triangles, counter-clockwise from outside."""

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


def chunks_in(cursor: ByteReader) -> Chunks:
    """Return the chunks within `cursor` by id; the cursor does not move. FormatError if one is larger than that."""
    found: Chunks = defaultdict(list)
    cursor = cursor.again()
    while cursor.remaining >= CHUNK_HEADER.size:
        kind, size = cursor.unpack(CHUNK_HEADER, "chunk")
        start = cursor.offset
        cursor.skip(size & SIZE_MASK, 1, f"chunk {kind:#x}")
        found[kind].append(ByteReader(cursor.data, start, cursor.offset, base=cursor.base))
    return found


def _inside(chunks: Chunks, kind: Kind) -> Chunks:
    """Return the chunks within the first one of `kind`, none without one."""
    return chunks_in(chunks[kind][0]) if chunks.get(kind) else {}


def records(chunks: Chunks, kind: Kind, count: int | None = None) -> Array | None:
    """Read the first chunk of `kind`: records (count, ...) of `layout.ROWS`, or as many as fit; None without one."""
    if not chunks.get(kind):
        return None
    cursor, record = chunks[kind][0].again(), np.dtype(layout.ROWS[kind])
    found = cursor.remaining // record.itemsize if count is None else count
    return cursor.array(record.base, (found, *record.shape), kind.name.lower())


def read_mesh(data: bytes) -> Mesh:
    """Return the mesh in a chunk 0x00; raise FormatError without a header, or with fewer records than that counts."""
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


def read_box(data: bytes) -> Mesh:
    """Return a collision box, the payload of a chunk 0x740, as a mesh; raise FormatError if it is too short."""
    box = layout.Box.read(ByteReader(data))
    container, _, name = text(box.name).rpartition(".")
    corners = box.center + _CORNERS * box.half
    return Mesh(name, container, box.version, 0, corners.astype(np.float32), _SIDES, None, None, None, None, {})


# The surfaces of a mesh: what its first pass draws on each triangle. Names and numbers are those of the engine.


@dataclass
class Surfaces:
    """What a mesh looks like.

    Attributes:
        materials: at least one.
        material_of: (triangles,) index into `materials`.
        coordinates: (vertices, 2) float32 or None.
        colors: (vertices, 4) uint8 or None.
    """

    materials: list[Material]
    material_of: Array
    coordinates: Array | None = None
    colors: Array | None = None


def surfaces(mesh: Mesh) -> Surfaces:
    """Return the look of the first pass and stage; further ones (shine, light maps, house colours) are not shown; raise
    FormatError if a chunk is shorter than its records."""
    # the mesh's own passes and materials, or those of the first wrapper that it has instead
    wrappers = [] if mesh.chunks.get(Kind.MATERIAL_PASS) else list(filter(mesh.chunks.get, layout.PRELIT))
    chunks = _inside(mesh.chunks, wrappers[0]) if wrappers else mesh.chunks
    drawn = _inside(chunks, Kind.MATERIAL_PASS)
    stage = _inside(drawn, Kind.TEXTURE_STAGE)
    coordinates = records(stage, Kind.STAGE_COORDINATES)
    if coordinates is None:
        coordinates = records(drawn, Kind.STAGE_COORDINATES)
    colors = records(drawn, Kind.PASS_COLORS)
    effect, vertices = _effect(mesh, drawn), len(mesh.vertices)
    if effect is None:
        known = chunks if chunks.get(Kind.MATERIAL_PASS) else {}  # without a pass nothing says which materials are seen
        materials, material_of = _by_numbers(mesh, known, drawn, stage, colored=colors is not None)
    else:
        materials, material_of = [effect], np.zeros(len(mesh.triangles), np.int32)
    return Surfaces(materials, material_of, _of_every(coordinates, vertices), _of_every(colors, vertices))


def _of_every(values: Array | None, vertices: int) -> Array | None:
    """Return values (vertices, ...), None if there is not one for each vertex."""
    return values if values is not None and len(values) == vertices else None


# --- Vertex materials, shaders and textures -----------------------------------------------------


def _by_numbers(
    mesh: Mesh, chunks: Chunks, drawn: Chunks, stage: Chunks, *, colored: bool
) -> tuple[list[Material], Array]:
    """Return a material for each combination of vertex material, shader and texture that a triangle has, and (n,) the
    number of each triangle's."""
    count = len(mesh.triangles)
    first_vertex = np.minimum(mesh.triangles[:, 0], max(len(mesh.vertices) - 1, 0))
    of_vertex = _spread(records(drawn, Kind.PASS_MATERIALS), len(mesh.vertices))
    numbers = np.stack(
        [
            of_vertex[first_vertex] if len(of_vertex) else np.zeros(count, np.uint32),
            _spread(records(drawn, Kind.PASS_SHADERS), count),
            _spread(records(stage, Kind.STAGE_TEXTURES), count, absent=layout.NO_TEXTURE),
        ],
        axis=1,
    )
    combined, material_of = np.unique(numbers, axis=0, return_inverse=True)
    looks = list(map(_vertex_material, _inside(chunks, Kind.VERTEX_MATERIALS).get(Kind.VERTEX_MATERIAL, [])))
    named = _inside(chunks, Kind.TEXTURES).get(Kind.TEXTURE, [])
    textures = [name_in(chunks_in(cursor), Kind.TEXTURE_NAME) for cursor in named]
    shaders = records(chunks, Kind.SHADERS)
    plain = Material(two_sided=bool(mesh.attributes & layout.TWO_SIDED), colored=colored)
    materials = []
    for look, shader, texture in combined.tolist():
        made = looks[look]._replace(two_sided=plain.two_sided, colored=colored) if look < len(looks) else plain
        textured = texture < len(textures)
        if shaders is not None and shader < len(shaders):
            textured = textured and bool(shaders[shader][ShaderByte.TEXTURING])
            made = made._replace(blend=blend_of(shaders[shader]))
        materials.append(made._replace(texture=textures[texture]) if textured else made)
    return materials or [plain], material_of.reshape(-1).astype(np.int32)


def _spread(numbers: Array | None, count: int, *, absent: int = 0) -> Array:
    """Return (count,) numbers: one for all, or one for each; `absent` if there are none."""
    if numbers is None or not len(numbers):
        return np.full(count, absent, np.uint32)
    return numbers if len(numbers) == count else np.full(count, numbers[0], np.uint32)


def blend_of(shader: Array) -> Blend:
    """Return how a shader, (16,) uint8, blends with what is behind."""
    source, destination = int(shader[ShaderByte.SOURCE_BLEND]), int(shader[ShaderByte.DESTINATION_BLEND])
    tested = bool(shader[ShaderByte.ALPHA_TEST])
    if destination == 0:
        return Blend.CLIP if tested else Blend.OPAQUE
    if (source, destination) == (1, 1):
        return Blend.ADD
    return Blend.CLIP_BLEND if tested else Blend.BLEND


def _vertex_material(cursor: ByteReader) -> Material:
    chunks = chunks_in(cursor)
    look = Material(name_in(chunks, Kind.VERTEX_MATERIAL_NAME))
    if not chunks.get(layout.VertexMaterialInfo.KIND):
        return look
    info = layout.VertexMaterialInfo.read(chunks[layout.VertexMaterialInfo.KIND][0])
    opacity = float(np.clip(np.nan_to_num(info.opacity, nan=1.0), 0.0, 1.0))
    return look._replace(diffuse=_color(info.diffuse), emission=_color(info.emissive), opacity=opacity)


def _color(numbers: bytes) -> tuple[float, float, float]:
    red, green, blue, _ = numbers
    return red / 255, green / 255, blue / 255


def name_in(chunks: Chunks, kind: Kind) -> str:
    """Return the text of the first chunk of `kind`, empty without one."""
    if not chunks.get(kind):
        return ""
    cursor = chunks[kind][0].again()
    return text(bytes(cursor.take(cursor.remaining, "name")))


# --- Middle-earth: an effect file and its values -------------------------------------------------


def _effect(mesh: Mesh, drawn: Chunks) -> Material | None:
    """Return the shader material of a pass, None for a pass that has none."""
    number = records(drawn, Kind.PASS_SHADER_MATERIAL)
    effects = _inside(mesh.chunks, Kind.SHADER_MATERIALS).get(Kind.SHADER_MATERIAL, [])
    if number is None or not len(number) or number[0] >= len(effects):
        return None
    chunks = chunks_in(effects[int(number[0])])
    material = Material(two_sided=bool(mesh.attributes & layout.TWO_SIDED))
    for cursor in chunks.get(ShaderMaterialHeader.KIND, [])[:1]:
        material = material._replace(name=text(ShaderMaterialHeader.read(cursor).effect))
    for cursor in chunks.get(ShaderMaterialProperty.KIND, []):
        found = ShaderMaterialProperty.read(cursor)
        name, value = text(found.name), ByteReader(found.value)
        if name == "DiffuseTexture" and found.type == PropertyType.TEXTURE:
            size = int(value.array("<u4", 1, "length of the texture's name")[0])
            material = material._replace(texture=text(bytes(value.take(size, "texture name"))))
        elif name == "DiffuseColor" and found.type in (PropertyType.FLOATS_3, PropertyType.FLOATS_4):
            numbers = np.nan_to_num(value.array("<f4", 3, "property value"), nan=1.0)
            red, green, blue = np.clip(numbers, 0.0, 1.0).tolist()
            material = material._replace(diffuse=(red, green, blue))
        elif name == "AlphaTestEnable":  # of one byte or a number
            material = material._replace(blend=Blend.CLIP if any(found.value) else Blend.OPAQUE)
    return material


# The search for a texture's picture: beside the model, in the games' folders and archives; in any letter case.

_ENDINGS = (".dds", ".tga", ".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff")
"""In the order in which they are tried: the engine asks for .dds before .tga; the others are what modders make."""

_OF_MODELS = ("", "Textures", "Art/Textures", "../Textures", "../Art/Textures", "../../Textures")
_OF_LETTERS = ("compiledtextures/{0}", "../compiledtextures/{0}", "../../compiledtextures/{0}")
"""Middle-earth: a folder for each two letters."""


@dataclass
class TextureFinder:
    """Finds pictures by the names in meshes; reads each folder once.

    The folders and archives of `library` are searched after those around the model.
    """

    library: Library = field(default_factory=Library)
    _folder: Callable[[Path], Folder] = field(default_factory=lambda: cache(folder_of))

    def find(self, name: str, model: Path) -> Path | None:
        """Return the picture of the texture `name` of the model file `model`, None if there is none."""
        stem = os.path.splitext(name.replace("\\", "/").rpartition("/")[2])[0].lower()
        for start in chain([model.absolute().parent], self.library.places()):
            for below in (*_OF_MODELS, *_OF_LETTERS):
                for folder in self._below(start, below.format(stem[:2])):
                    files = self._folder(folder).files
                    found = next((files[stem + ending] for ending in _ENDINGS if stem + ending in files), None)
                    if found is not None:
                        return found
        return None

    def _below(self, start: Path, below: str) -> Iterator[Path]:
        """Yield the folders `below` another one, whatever the case of the names on the way."""
        at = [start]
        for name in filter(None, below.lower().split("/")):
            if name == "..":
                at = [path.parent for path in at]
            else:
                at = [path for folder in at for path in self._folder(folder).below.get(name, ())]
        yield from at
