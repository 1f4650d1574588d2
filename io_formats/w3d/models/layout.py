"""How meshes and models lie in bytes: chunk ids, struct tables, codes.

Little-endian, no padding other than shown. Facts: the source code of Renegade and of Generals as published by
Electronic Arts; for the Middle-earth additions OpenSAGE's readers and real files.
"""

from __future__ import annotations

import struct
from enum import IntEnum

import numpy as np


class Kind(IntEnum):
    """Chunk ids of meshes and models."""

    MESH = 0x00
    VERTICES = 0x02
    NORMALS = 0x03
    OLD_NORMALS = 0x04
    INFLUENCES = 0x0E
    MESH_HEADER = 0x1F
    TRIANGLES = 0x20
    PRELIT_UNLIT = 0x23
    PRELIT_VERTEX = 0x24
    PRELIT_LIGHTMAP_PASSES = 0x25
    PRELIT_LIGHTMAP_TEXTURES = 0x26
    SHADERS = 0x29
    VERTEX_MATERIALS = 0x2A
    VERTEX_MATERIAL = 0x2B
    VERTEX_MATERIAL_NAME = 0x2C
    VERTEX_MATERIAL_INFO = 0x2D
    TEXTURES = 0x30
    TEXTURE = 0x31
    TEXTURE_NAME = 0x32
    MATERIAL_PASS = 0x38
    PASS_MATERIALS = 0x39
    PASS_SHADERS = 0x3A
    PASS_COLORS = 0x3B
    PASS_SHADER_MATERIAL = 0x3F
    TEXTURE_STAGE = 0x48
    STAGE_TEXTURES = 0x49
    STAGE_COORDINATES = 0x4A
    SHADER_MATERIALS = 0x50
    SHADER_MATERIAL = 0x51
    SHADER_MATERIAL_HEADER = 0x52
    SHADER_MATERIAL_PROPERTY = 0x53
    SECOND_VERTICES = 0xC00
    SECOND_NORMALS = 0xC01
    HMODEL = 0x300
    HMODEL_HEADER = 0x301
    HMODEL_NODE = 0x302
    HMODEL_COLLISION_NODE = 0x303
    HMODEL_SKIN_NODE = 0x304
    HLOD = 0x700
    HLOD_HEADER = 0x701
    HLOD_LEVEL = 0x702
    HLOD_LEVEL_HEADER = 0x703
    SUB_OBJECT = 0x704


PRELIT = (Kind.PRELIT_UNLIT, Kind.PRELIT_VERTEX, Kind.PRELIT_LIGHTMAP_PASSES, Kind.PRELIT_LIGHTMAP_TEXTURES)
"""Wrappers of materials; the first that is there counts."""

MESH_HEADER = struct.Struct("<II16s16sIIIIiIIII10f")
"""Version, attributes, name, container, triangles, vertices, materials, damage stages, sort level, prelit version, 0,
vertex channels, face channels; box (6 floats), sphere (4)."""

VECTOR = np.dtype(("<f4", (3,)))
COORDINATE = np.dtype(("<f4", (2,)))
COLOR = np.dtype(("u1", (4,)))
SHADER = np.dtype(("u1", (16,)))

TRIANGLE = np.dtype([("vertices", "<u4", (3,)), ("surface", "<u4"), ("normal", "<f4", (3,)), ("distance", "<f4")])
"""The planes are ignored: in Middle-earth files they do not fit the triangles."""

INFLUENCE = np.dtype([("bones", "<u2", (2,)), ("weights", "<u2", (2,))])
"""Weights in percent, both 0: wholly the first bone."""

VERTEX_MATERIAL = struct.Struct("<I4B4B4B4Bfff")
"""Attributes; ambient, diffuse, specular, emissive (red, green, blue, padding); shininess, opacity, translucency."""

SHADER_MATERIAL_HEADER = struct.Struct("<B32sI")
"""Version, effect file, technique."""

PROPERTY_HEADER = struct.Struct("<II")
"""Type, length of the name; then the name, then the value."""

HLOD_HEADER = struct.Struct("<II16s16s")
"""Version, levels, name, hierarchy."""

HLOD_LEVEL_HEADER = struct.Struct("<If")
"""Sub-objects, greatest size on the screen."""

SUB_OBJECT = struct.Struct("<I32s")
"""Pivot, "CONTAINER.MESH"."""

HMODEL_HEADER = struct.Struct("<I16s16sH")
"""Version, name, hierarchy, nodes."""

HMODEL_NODE = struct.Struct("<16sH")
"""Mesh name without its container, pivot."""

HIDDEN = 0x1000
TWO_SIDED = 0x2000
NO_TEXTURE = 0xFFFF_FFFF
ROOT_NODE = 0xFFFF


class ShaderByte(IntEnum):
    """Places of the bytes of a shader that a viewer looks at."""

    DESTINATION_BLEND = 3
    SOURCE_BLEND = 7
    TEXTURING = 8
    ALPHA_TEST = 12


class PropertyType(IntEnum):
    """What the value of a shader material's property is."""

    TEXTURE = 1
    FLOAT = 2
    FLOATS_2 = 3
    FLOATS_3 = 4
    FLOATS_4 = 5
    INTEGER = 6
    FLAG = 7


FLOATS = {PropertyType.FLOAT: 1, PropertyType.FLOATS_2: 2, PropertyType.FLOATS_3: 3, PropertyType.FLOATS_4: 4}
