"""What a person sees on a skeleton: meshes in a format's own lengths, for Blender to show and never to export."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from . import Array

_HEADER = 24
"""Bytes at the beginning of a picture that say how large it is."""


class Blend(Enum):
    """How a surface covers what is behind it.

    OPAQUE: wholly, whatever the texture's alpha. CLIP: where the texture's alpha is high enough. BLEND: as far as
    alpha and opacity say. CLIP_BLEND: as BLEND, where alpha is high enough. ADD: its light is added, so that black
    is invisible.
    """

    OPAQUE = "OPAQUE"
    CLIP = "CLIP"
    BLEND = "BLEND"
    CLIP_BLEND = "CLIP_BLEND"
    ADD = "ADD"


class Material(NamedTuple):
    """A surface.

    Attributes:
        name: the file's own name for it, may be empty.
        diffuse, emission: red, green, blue as the file has them, 0 to 1 (sRGB).
        opacity: 0 to 1; counts where `blend` is no OPAQUE or CLIP.
        texture: file name of the picture, empty for none.
        two_sided: seen from behind, too.
        colored: the model's vertex colours take the place of `diffuse`.
    """

    name: str = ""
    diffuse: tuple[float, float, float] = (1.0, 1.0, 1.0)
    emission: tuple[float, float, float] = (0.0, 0.0, 0.0)
    opacity: float = 1.0
    texture: str = ""
    blend: Blend = Blend.OPAQUE
    two_sided: bool = False
    colored: bool = False


@dataclass
class Skin:
    """How vertices follow the nodes of a skeleton.

    Attributes:
        influences: (vertices, 2) index into `nodes`, -1 for none.
        weights: (vertices, 2) float32, 0 to 1.
        bind: (nodes, 4, 4) where the nodes were when the vertices were measured, each vertex then following one of them
            alone; None for their rest pose.
    """

    nodes: list[str]
    influences: Array
    weights: Array
    bind: Array | None = None


@dataclass
class Model:
    """One mesh.

    Attributes:
        vertices: (vertices, 3) float32, seen from `node`; of a skin from the armature, at rest.
        triangles: (faces, 3) int32, or 4 where all faces have four corners: different vertices, counter-clockwise from
            outside.
        node: name of the node that a rigid mesh is parented to, empty for the armature itself.
        normals: (vertices, 3) float32 or None; a zero vector means the faces' own.
        coordinates: (vertices, 2) float32 texture coordinates, V upwards, or None.
        colors: (vertices, 4) uint8 red, green, blue, alpha (sRGB), or None.
        materials: at least one.
        material_of: (triangles,) index into `materials`.
        skin: None for a rigid mesh.
        shown_by: (node, property) of a BOOL track; hidden while that is False. None for no such track.
        smooth: without normals of its own, the surface is smooth rather than flat.
        selectable: False for what clicks in the view go through, to the bones.
        shown: False for what a person only sees when looking for it: coarser levels, hidden and unlisted meshes.
    """

    name: str
    vertices: Array
    triangles: Array
    node: str = ""
    normals: Array | None = None
    coordinates: Array | None = None
    colors: Array | None = None
    materials: list[Material] = field(default_factory=lambda: [Material()])
    material_of: Array | None = None
    skin: Skin | None = None
    shown: bool = True
    shown_by: tuple[str, str] | None = None
    smooth: bool = False
    selectable: bool = True


class Picture(NamedTuple):
    """Where a picture lies; with its bytes where no file of its own holds it."""

    path: Path
    data: bytes = b""

    def pixels(self) -> int:
        """Return how many pixels it has by its first bytes, before anything unpacks it; 0 where these do not say.

        DDS and TGA are what games have (Microsoft, DDS_HEADER; Truevision, TGA File Format Specification 2.0).
        """
        begin = self.data[:_HEADER]
        if not begin:
            with suppress(OSError), self.path.open("rb") as stream:
                begin = stream.read(_HEADER)
        if len(begin) < _HEADER:
            return 0
        if begin.startswith(b"DDS "):
            sides = struct.unpack_from("<II", begin, 12)
        elif begin.startswith(b"\x89PNG"):
            sides = struct.unpack_from(">II", begin, 16)
        else:
            is_tga = self.path.suffix.lower() == ".tga" and begin[2] & ~8 in (1, 2, 3)  # else it is no picture
            sides = struct.unpack_from("<HH", begin, 12) if is_tga else (0, 0)
        return int(sides[0]) * int(sides[1])


@dataclass
class ModelFile:
    """The models of one file, and how the picture of a texture is found; None for nowhere.

    Attributes:
        own: they are in the imported file itself, not in one beside it.
    """

    models: Sequence[Model]
    find_picture: Callable[[str], Picture | None] = lambda _: None
    own: bool = False
