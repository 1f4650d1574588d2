"""The German translation: every label, description and sentence, by its English text."""

from __future__ import annotations

GERMAN: dict[str, str] = {}
