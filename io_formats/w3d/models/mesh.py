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
from ..library import Library, folder_of
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

    @property
    def is_hidden(self) -> bool:
        """Whether the game hides it until a script shows it."""
        return bool(self.attributes & layout.HIDDEN)


def split(cursor: ByteReader) -> Iterator[tuple[int, ByteReader]]:
    """Yield id and payload of each chunk within `cursor`; raise FormatError if one is larger than what holds it."""
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


@dataclass
class _VertexMaterial:
    name: str = ""
    diffuse: tuple[float, float, float] = (1.0, 1.0, 1.0)
    emission: tuple[float, float, float] = (0.0, 0.0, 0.0)
    opacity: float = 1.0


def surfaces(mesh: Mesh) -> Surfaces:
    """Return the look of the first pass and stage; further ones (shine, light maps, house colours) are not shown; raise
    FormatError if a chunk is shorter than its records."""
    # the mesh's own passes and materials, or those of the first wrapper that it has instead
    wrapper = next((mesh.chunks[kind][0] for kind in layout.PRELIT if mesh.chunks.get(kind)), None)
    chunks = mesh.chunks if wrapper is None or mesh.chunks.get(Kind.MATERIAL_PASS) else chunks_in(wrapper)
    triangles, vertices = len(mesh.triangles), len(mesh.vertices)
    if not chunks.get(Kind.MATERIAL_PASS):
        plain = Material(two_sided=bool(mesh.attributes & layout.TWO_SIDED))
        return Surfaces([plain], np.zeros(triangles, np.int32))
    drawn = chunks_in(chunks[Kind.MATERIAL_PASS][0])
    stage = chunks_in(drawn[Kind.TEXTURE_STAGE][0]) if drawn.get(Kind.TEXTURE_STAGE) else {}
    coordinates = records(stage, Kind.STAGE_COORDINATES)
    if coordinates is None:
        coordinates = records(drawn, Kind.STAGE_COORDINATES)
    colors = records(drawn, Kind.PASS_COLORS)
    result = _by_effect(mesh, drawn) or _by_numbers(mesh, chunks, drawn, stage, colored=colors is not None)
    result.coordinates = _of_every(coordinates, vertices)
    result.colors = _of_every(colors, vertices)
    return result


def _of_every(values: Array | None, vertices: int) -> Array | None:
    """Return values (vertices, ...), None if there is not one for each vertex."""
    return values if values is not None and len(values) == vertices else None


# --- Vertex materials, shaders and textures -----------------------------------------------------


def _by_numbers(mesh: Mesh, chunks: Chunks, drawn: Chunks, stage: Chunks, *, colored: bool) -> Surfaces:
    """Return a material for each combination of vertex material, shader and texture that a triangle has."""
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
    looks = [_vertex_material(chunks_in(one)) for one in _within(chunks, Kind.VERTEX_MATERIALS, Kind.VERTEX_MATERIAL)]
    textures = [name_in(chunks_in(one), Kind.TEXTURE_NAME) for one in _within(chunks, Kind.TEXTURES, Kind.TEXTURE)]
    shaders = records(chunks, Kind.SHADERS)
    known = (looks, np.zeros((0, 16), np.uint8) if shaders is None else shaders, textures)
    two_sided = bool(mesh.attributes & layout.TWO_SIDED)
    materials = [_material(row, *known, colored=colored, two_sided=two_sided) for row in combined.tolist()]
    materials = materials or [Material(two_sided=two_sided)]
    return Surfaces(materials, material_of.reshape(-1).astype(np.int32))


def _spread(numbers: Array | None, count: int, *, absent: int = 0) -> Array:
    """Return (count,) numbers: one for all, or one for each; `absent` if there are none."""
    if numbers is None or not len(numbers):
        return np.full(count, absent, np.uint32)
    return numbers if len(numbers) == count else np.full(count, numbers[0], np.uint32)


def _material(
    row: list[int],
    vertex_materials: list[_VertexMaterial],
    shaders: Array,
    textures: list[str],
    *,
    colored: bool,
    two_sided: bool,
) -> Material:
    of_vertex, of_shader, of_texture = row
    look = vertex_materials[of_vertex] if of_vertex < len(vertex_materials) else _VertexMaterial()
    shader = shaders[of_shader] if of_shader < len(shaders) else None
    textured = shader is None or bool(shader[ShaderByte.TEXTURING])
    texture = textures[of_texture] if of_texture < len(textures) and textured else ""
    blend = Blend.OPAQUE if shader is None else blend_of(shader)
    return Material(look.name, look.diffuse, look.emission, look.opacity, texture, blend, two_sided, colored)


def blend_of(shader: Array) -> Blend:
    """Return how a shader, (16,) uint8, blends with what is behind."""
    source, destination = int(shader[ShaderByte.SOURCE_BLEND]), int(shader[ShaderByte.DESTINATION_BLEND])
    tested = bool(shader[ShaderByte.ALPHA_TEST])
    if destination == 0:
        return Blend.CLIP if tested else Blend.OPAQUE
    if (source, destination) == (1, 1):
        return Blend.ADD
    return Blend.CLIP_BLEND if tested else Blend.BLEND


def _within(chunks: Chunks, holder: Kind, kind: Kind) -> list[ByteReader]:
    """Return the chunks of `kind` within the first chunk `holder`, none without one."""
    return [inside for cursor in chunks.get(holder, [])[:1] for inside in chunks_in(cursor).get(kind, [])]


def _vertex_material(chunks: Chunks) -> _VertexMaterial:
    look = _VertexMaterial(name_in(chunks, Kind.VERTEX_MATERIAL_NAME))
    if chunks.get(layout.VertexMaterialInfo.KIND):
        info = layout.VertexMaterialInfo.read(chunks[layout.VertexMaterialInfo.KIND][0])
        look.diffuse = _color(info.diffuse)
        look.emission = _color(info.emissive)
        look.opacity = float(np.clip(np.nan_to_num(info.opacity, nan=1.0), 0.0, 1.0))
    return look


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


def _by_effect(mesh: Mesh, drawn: Chunks) -> Surfaces | None:
    """Return the shader material of a pass, None for a pass that has none."""
    number = records(drawn, Kind.PASS_SHADER_MATERIAL)
    effects = _within(mesh.chunks, Kind.SHADER_MATERIALS, Kind.SHADER_MATERIAL)
    if number is None or not len(number) or number[0] >= len(effects):
        return None
    chunks = chunks_in(effects[int(number[0])])
    name = ""
    if chunks.get(ShaderMaterialHeader.KIND):
        name = text(ShaderMaterialHeader.read(chunks[ShaderMaterialHeader.KIND][0]).effect)
    values = dict(map(_property, chunks.get(ShaderMaterialProperty.KIND, [])))
    diffuse = values.get("DiffuseColor")
    texture = values.get("DiffuseTexture")
    material = Material(
        name,
        _first_three(diffuse) if isinstance(diffuse, tuple) else (1.0, 1.0, 1.0),
        texture=texture if isinstance(texture, str) else "",
        blend=Blend.CLIP if values.get("AlphaTestEnable") else Blend.OPAQUE,
        two_sided=bool(mesh.attributes & layout.TWO_SIDED),
    )
    return Surfaces([material], np.zeros(len(mesh.triangles), np.int32))


def _first_three(values: tuple[float, ...]) -> tuple[float, float, float]:
    red, green, blue = (float(np.clip(np.nan_to_num(value, nan=1.0), 0.0, 1.0)) for value in (*values, 1.0, 1.0)[:3])
    return red, green, blue


def _property(cursor: ByteReader) -> tuple[str, str | int | tuple[float, ...]]:
    found = ShaderMaterialProperty.read(cursor)
    name, kind, value = text(found.name), found.type, ByteReader(found.value)
    if kind == PropertyType.TEXTURE:
        size = int(value.array("<u4", 1, "length of the texture's name")[0])
        return name, text(bytes(value.take(size, "texture name")))
    if kind in layout.FLOATS:
        return name, tuple(value.array("<f4", layout.FLOATS[PropertyType(kind)], "property value").tolist())
    if kind == PropertyType.INTEGER:
        return name, int(value.array("<i4", 1, "property value")[0])
    return name, value.take(1, "property value")[0] if kind == PropertyType.FLAG else 0


# The search for a texture's picture: beside the model, in the games' folders and archives; in any letter case.

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
    _folder: Callable[[Path], Folder] = field(default_factory=lambda: cache(folder_of))

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
        for name in filter(None, below.lower().split("/")):
            if name == "..":
                at = [path.parent for path in at]
            else:
                at = [path for folder in at for path in self._folder(folder).below.get(name, ())]
        yield from at
