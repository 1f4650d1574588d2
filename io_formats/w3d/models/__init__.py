"""The meshes of W3D files, for looking at: read from the chunks that a document carries as bytes, never written."""

from __future__ import annotations

from .files import ModelSearch, has_meshes, wanted_by_models
from .placement import ModelPart, model_parts, skeleton_names, to_models
from .textures import TextureFinder

__all__ = [
    "ModelPart",
    "ModelSearch",
    "TextureFinder",
    "has_meshes",
    "model_parts",
    "skeleton_names",
    "to_models",
    "wanted_by_models",
]
