"""The rooms that touch Blender's data: they know Clips, never a file format."""

from __future__ import annotations

from ..io_formats.later import modules_of

__getattr__ = modules_of(__name__)
