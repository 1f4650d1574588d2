"""What both command lines share: flags made from options, what was given, and how results are said."""

from __future__ import annotations

from ..later import modules_of

__getattr__ = modules_of(__name__)
