"""The meshes of W3D files, for looking at: read from the chunks that a document carries as bytes, never written."""

from __future__ import annotations

from ...later import modules_of

__getattr__ = modules_of(__name__)
