"""What a person reads in another language, and the choice of the language."""

from __future__ import annotations

from ...io_formats.later import modules_of

__getattr__ = modules_of(__name__)
