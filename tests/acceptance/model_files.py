"""What Blender's own glTF and FBX exporters write of a scene: the slots that the engine makes of such a model."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np
from mathutils import Euler

Slots = dict[str, dict[str, Any]]
"""Position, Rotation (x, y, z, w) and Scale of each node relative to its parent, in the engine's left-handed axes."""


def gltf_slots(path: Path) -> Slots:
    """The nodes of a .gltf, as they stand without animation."""
    nodes = json.loads(path.read_text(encoding="utf-8"))["nodes"]
    resting = {"translation": [0, 0, 0], "rotation": [0, 0, 0, 1], "scale": [1, 1, 1]}
    return {node["name"]: _mirrored(**{key: node.get(key, rest) for key, rest in resting.items()}) for node in nodes}


def fbx_slots(path: Path) -> Slots:
    """The Models of an FBX, as they stand without animation; read with the parser of Blender's FBX add-on."""
    root, _ = importlib.import_module("io_scene_fbx.parse_fbx").parse(str(path))
    objects = next(element for element in root.elems if element.id == b"Objects")
    found = {}
    for model in (element for element in objects.elems if element.id == b"Model"):
        table = next(element for element in model.elems if element.id == b"Properties70")
        values = {entry.props[0]: entry.props[4:] for entry in table.elems}
        turn = _from_degrees(values.get(b"Lcl Rotation", [0, 0, 0]))
        found[model.props[1].split(b"\x00")[0].decode()] = _mirrored(
            translation=values.get(b"Lcl Translation", [0, 0, 0]),
            rotation=turn,
            scale=values.get(b"Lcl Scaling", [1, 1, 1]),
        )
    return found


def _mirrored(translation: Any, rotation: Any, scale: Any) -> dict[str, Any]:
    """A right-handed transform in the engine's axes: mirrored in X."""
    return {
        "Position": np.array(translation, np.float64) * [-1, 1, 1],
        "Rotation": np.array(rotation, np.float64) * [1, -1, -1, 1],
        "Scale": np.array(scale, np.float64),
    }


def _from_degrees(angles: Any) -> Any:
    """x, y, z, w of turns about X, then Y, then Z."""
    return np.roll(Euler(np.radians(angles)).to_quaternion(), -1)
