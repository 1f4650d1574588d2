"""Goldens for the tests of W3X."""

from w3x_goldens import golden, shown

__all__ = ["golden", "shown"]
