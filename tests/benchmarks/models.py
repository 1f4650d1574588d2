"""A W3D file of a thousand meshes, and `foreach_set` of the same arrays by itself."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from lay import Lay

MESHES = 1000
SIDE = 12
"""Vertices along each side of a mesh, which is a square of hills: 144 vertices, 242 triangles."""


def arrays(number: int) -> dict[str, Any]:
    """Vertices, normals, texture coordinates and triangles of one mesh."""
    x, y = (axis.ravel() for axis in np.meshgrid(*2 * [np.linspace(0.0, 1.0, SIDE, dtype=np.float32)]))
    places = np.stack([x + number % 40, y + number // 40, np.sin(6.0 * x) * np.cos(6.0 * y)], axis=1)
    slopes = np.stack([-np.cos(6.0 * x), np.sin(6.0 * y), np.ones_like(x)], axis=1)
    corner = (np.arange(SIDE - 1)[:, None] * SIDE + np.arange(SIDE - 1)).ravel()
    lower = np.stack([corner, corner + 1, corner + SIDE], axis=1)
    upper = np.stack([corner + 1, corner + SIDE + 1, corner + SIDE], axis=1)
    return {
        "vertices": places.astype(np.float32),
        "normals": (slopes / np.linalg.norm(slopes, axis=1, keepdims=True)).astype(np.float32),
        "coordinates": np.stack([x, y], axis=1),
        "triangles": np.concatenate([lower, upper]).astype(np.uint32),
    }


def mesh_chunk(number: int) -> bytes:
    """One mesh with normals and texture coordinates."""
    parts = arrays(number)
    faces = np.zeros(len(parts["triangles"]), np.dtype([("corners", "<u4", 3), ("rest", "<u4"), ("plane", "<f4", 4)]))
    faces["corners"] = parts["triangles"]
    counts = len(faces), len(parts["vertices"])
    head = struct.pack("<2I16s16s2I", 0x40002, 0, f"M{number}".encode(), b"", *counts) + bytes(68)
    stage = Lay.chunk(0x48, Lay.chunk(0x4A, parts["coordinates"].tobytes()), flagged=True)
    content = [
        Lay.chunk(0x1F, head),
        Lay.chunk(0x02, parts["vertices"].tobytes()),
        Lay.chunk(0x03, parts["normals"].tobytes()),
        Lay.chunk(0x20, faces.tobytes()),
        Lay.chunk(0x38, stage, flagged=True),
    ]
    return Lay.chunk(0x00, b"".join(content), flagged=True)


def write(path: Path) -> None:
    """The whole file."""
    path.write_bytes(b"".join(mesh_chunk(number) for number in range(MESHES)))


def floor() -> Callable[[], None]:
    """What sets the same arrays on meshes of new objects, and nothing else."""
    every = [arrays(number) for number in range(MESHES)]

    def run() -> None:
        for number, parts in enumerate(every):
            mesh = bpy.data.meshes.new(f"M{number}")
            set_arrays(mesh, **parts)
            bpy.context.scene.collection.objects.link(bpy.data.objects.new(mesh.name, mesh))

    return run


def set_arrays(mesh: Any, vertices: Any, normals: Any, coordinates: Any, triangles: Any) -> None:
    """Hand the arrays to Blender."""
    corners = triangles.astype(np.int32).ravel()
    mesh.vertices.add(len(vertices))
    mesh.vertices.foreach_set("co", vertices.ravel())
    mesh.loops.add(len(corners))
    mesh.loops.foreach_set("vertex_index", corners)
    mesh.polygons.add(len(triangles))
    mesh.polygons.foreach_set("loop_start", np.arange(0, len(corners), 3, dtype=np.int32))
    mesh.uv_layers.new(do_init=False).uv.foreach_set("vector", coordinates[corners].ravel())
    mesh.update(calc_edges=True)
    mesh.normals_split_custom_set_from_vertices(normals)


def count() -> int:
    """Vertices that are there."""
    return sum(len(mesh.vertices) for mesh in bpy.data.meshes)
