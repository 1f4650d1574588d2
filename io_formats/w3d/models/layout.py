"""The bytes of meshes and models: chunk ids, records, codes.

Little-endian, no padding other than shown. Facts: the source code of Renegade and of Generals as published by
Electronic Arts; for the Middle-earth additions OpenSAGE's readers and real files.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import DTypeLike

from ...clip import Array
from ..layout import F32, I32, U8, U16, U32, Kind, Name, Raw, Record, Rows, record, rest

PRELIT = (Kind.PRELIT_UNLIT, Kind.PRELIT_VERTEX, Kind.PRELIT_LIGHTMAP_PASSES, Kind.PRELIT_LIGHTMAP_TEXTURES)
"""Wrappers of materials; the first one present counts."""

VECTOR = np.dtype(("<f4", (3,)))
COORDINATE = np.dtype(("<f4", (2,)))
COLOR = np.dtype(("u1", (4,)))
SHADER = np.dtype(("u1", (16,)))

TRIANGLE = np.dtype([("vertices", "<u4", (3,)), ("surface", "<u4"), ("normal", "<f4", (3,)), ("distance", "<f4")])
"""The planes are ignored: in Middle-earth files they do not fit the triangles."""

INFLUENCE = np.dtype([("bones", "<u2", (2,)), ("weights", "<u2", (2,))])
"""Weights in percent, both 0: wholly the first bone."""

ROWS: dict[Kind, DTypeLike] = {
    Kind.VERTICES: VECTOR,
    Kind.NORMALS: VECTOR,
    Kind.OLD_NORMALS: VECTOR,
    Kind.SECOND_VERTICES: VECTOR,
    Kind.SECOND_NORMALS: VECTOR,
    Kind.INFLUENCES: INFLUENCE,
    Kind.TRIANGLES: TRIANGLE,
    Kind.SHADERS: SHADER,
    Kind.PASS_MATERIALS: "<u4",
    Kind.PASS_SHADERS: "<u4",
    Kind.PASS_COLORS: COLOR,
    Kind.PASS_SHADER_MATERIAL: "<u4",
    Kind.STAGE_TEXTURES: "<u4",
    Kind.STAGE_COORDINATES: COORDINATE,
}
"""What the chunks that are lists hold."""

Color = Annotated[bytes, "4s"]
LongName = Annotated[bytes, "32s"]


@record
class MeshHeader(Record):
    """The first chunk of a mesh; `bounds` are a box (6 floats) and a sphere (4)."""

    KIND: ClassVar[int] = 0x1F
    version: U32
    attributes: U32
    name: Name
    container: Name
    triangles: U32
    vertices: U32
    materials: U32
    damage_stages: U32
    sort_level: I32
    prelit_version: U32
    reserved: U32
    vertex_channels: U32
    face_channels: U32
    bounds: Annotated[Array, Rows("<f4", (10,))]


@record
class VertexMaterialInfo(Record):
    """Colours (red, green, blue, padding) of 0 to 255, and factors."""

    KIND: ClassVar[int] = 0x2D
    attributes: U32
    ambient: Color
    diffuse: Color
    specular: Color
    emissive: Color
    shininess: F32
    opacity: F32
    translucency: F32


@record
class ShaderMaterialHeader(Record):
    """The effect file that draws a mesh of Middle-earth."""

    KIND: ClassVar[int] = 0x52
    version: U8
    effect: LongName
    technique: U32


@record
class ShaderMaterialProperty(Record):
    """A value that an effect is given; `type` is a `PropertyType`, or anything else."""

    KIND: ClassVar[int] = 0x53
    type: U32
    length: U32
    name: Annotated[bytes, Raw("length")]
    value: Annotated[bytes, Raw(rest)]


@record
class HlodLevelHeader(Record):
    """The first chunk of a level of detail; `size` is its greatest on the screen."""

    KIND: ClassVar[int] = 0x703
    count: U32
    size: F32


@record
class SubObject(Record):
    """A mesh, "CONTAINER.MESH", on a pivot."""

    KIND: ClassVar[int] = 0x704
    pivot: U32
    name: LongName


@record
class Box(Record):
    """A box for collisions and picking, "CONTAINER.BOX", by its centre and half of its size."""

    KIND: ClassVar[int] = Kind.BOX
    version: U32
    attributes: U32
    name: LongName
    color: U32
    center: Annotated[Array, Rows("<f4", (3,))]
    half: Annotated[Array, Rows("<f4", (3,))]


@record
class HmodelNode(Record):
    """A mesh on a pivot, by its name without its container; two further ids mean nodes for collisions and skins."""

    KIND: ClassVar[int] = 0x302
    FURTHER: ClassVar[tuple[int, ...]] = (0x303, 0x304)
    name: Name
    pivot: U16


HIDDEN = 0x1000
TWO_SIDED = 0x2000
NO_TEXTURE = 0xFFFF_FFFF
ROOT_NODE = 0xFFFF


class ShaderByte(IntEnum):
    """Offsets of the bytes of a shader that matter to a viewer."""

    DESTINATION_BLEND = 3
    SOURCE_BLEND = 7
    TEXTURING = 8
    ALPHA_TEST = 12


class PropertyType(IntEnum):
    """What the value of a shader material's property is."""

    TEXTURE = 1
    FLOATS_3 = 4
    FLOATS_4 = 5
