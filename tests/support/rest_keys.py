"""The keys by which an import holds at rest what a file does not move, told from the file's own curves."""

from __future__ import annotations

from typing import Any


def is_rest_key(curve: Any) -> bool:
    """Whether a curve has one key, a step, at 0 or at the 1 of a rotation's W; no curve of the games' samples has."""
    keys = curve.keyframe_points
    rest = float(curve.data_path.endswith("rotation_quaternion") and curve.array_index == 0)
    return len(keys) == 1 and keys[0].interpolation == "CONSTANT" and keys[0].co[1] == rest
