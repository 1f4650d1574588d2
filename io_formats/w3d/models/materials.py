"""The surfaces of a mesh: what its first pass draws on each triangle. Names and numbers are those of the engine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...binary import ByteReader
from ...clip import Array
from ...clip.model import Blend, Material
from ..document import text
from . import layout
from .layout import (
    Kind,
    PropertyType,
    ShaderByte,
    ShaderMaterialHeader,
    ShaderMaterialProperty,
    VertexMaterialInfo,
)
from .mesh import Chunks, Mesh, chunks_in, records, split


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
    """Return the look of the first pass and stage; further ones (shine, light maps, house colours) are not shown.

    Raises:
        FormatError: a chunk is shorter than its records.
    """
    chunks = _material_chunks(mesh.chunks)
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


def _material_chunks(chunks: Chunks) -> Chunks:
    """Return the chunks with passes and materials: those of the mesh, or of the first wrapper that it has instead."""
    wrapper = next((chunks[kind][0] for kind in layout.PRELIT if chunks.get(kind)), None)
    return chunks if wrapper is None or chunks.get(Kind.MATERIAL_PASS) else chunks_in(wrapper)


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
    known = (_vertex_materials(chunks), records_of_shaders(chunks), _texture_names(chunks))
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


def records_of_shaders(chunks: Chunks) -> Array:
    """Return (shaders, 16) uint8."""
    found = records(chunks, Kind.SHADERS)
    return np.zeros((0, 16), np.uint8) if found is None else found


def _vertex_materials(chunks: Chunks) -> list[_VertexMaterial]:
    if not chunks.get(Kind.VERTEX_MATERIALS):
        return []
    return [
        _vertex_material(chunks_in(inside))
        for kind, inside in split(chunks[Kind.VERTEX_MATERIALS][0].again())
        if kind == Kind.VERTEX_MATERIAL
    ]


def _vertex_material(chunks: Chunks) -> _VertexMaterial:
    look = _VertexMaterial(name_in(chunks, Kind.VERTEX_MATERIAL_NAME))
    if chunks.get(VertexMaterialInfo.KIND):
        info = VertexMaterialInfo.read(chunks[VertexMaterialInfo.KIND][0])
        look.diffuse = _color(info.diffuse)
        look.emission = _color(info.emissive)
        look.opacity = float(np.clip(np.nan_to_num(info.opacity, nan=1.0), 0.0, 1.0))
    return look


def _color(numbers: Array) -> tuple[float, float, float]:
    red, green, blue = numbers[:3].tolist()
    return red / 255, green / 255, blue / 255


def _texture_names(chunks: Chunks) -> list[str]:
    if not chunks.get(Kind.TEXTURES):
        return []
    return [
        name_in(chunks_in(inside), Kind.TEXTURE_NAME)
        for kind, inside in split(chunks[Kind.TEXTURES][0].again())
        if kind == Kind.TEXTURE
    ]


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
    if number is None or not len(number) or not mesh.chunks.get(Kind.SHADER_MATERIALS):
        return None
    effects = [
        inside for kind, inside in split(mesh.chunks[Kind.SHADER_MATERIALS][0].again()) if kind == Kind.SHADER_MATERIAL
    ]
    if number[0] >= len(effects):
        return None
    material = _effect_material(effects[int(number[0])], two_sided=bool(mesh.attributes & layout.TWO_SIDED))
    return Surfaces([material], np.zeros(len(mesh.triangles), np.int32))


def _effect_material(cursor: ByteReader, *, two_sided: bool) -> Material:
    chunks = chunks_in(cursor)
    name = ""
    if chunks.get(ShaderMaterialHeader.KIND):
        name = text(ShaderMaterialHeader.read(chunks[ShaderMaterialHeader.KIND][0]).effect)
    values = dict(map(_property, chunks.get(ShaderMaterialProperty.KIND, [])))
    diffuse = values.get("DiffuseColor")
    texture = values.get("DiffuseTexture")
    return Material(
        name,
        _first_three(diffuse) if isinstance(diffuse, tuple) else (1.0, 1.0, 1.0),
        texture=texture if isinstance(texture, str) else "",
        blend=Blend.CLIP if values.get("AlphaTestEnable") else Blend.OPAQUE,
        two_sided=two_sided,
    )


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
