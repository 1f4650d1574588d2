"""Blender's scene as a Clip: what plays, as which nodes, from which curves, and what is sampled."""

from __future__ import annotations

from ...io_formats.later import modules_of

__getattr__ = modules_of(__name__)
