"""Files on disk: whole or in part, read within limits, written all or nothing, many at a time."""

from __future__ import annotations

from ..later import modules_of

__getattr__ = modules_of(__name__)
