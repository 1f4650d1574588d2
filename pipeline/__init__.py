"""Files in and out of Blender: what operators, both command lines and scripts share."""

from __future__ import annotations

from ..io_formats.later import modules_of

__getattr__ = modules_of(__name__)
