"""Matrices as textbooks have them: a second opinion that shares nothing with the product."""

from __future__ import annotations

from typing import Any

import numpy as np


def rotation(quaternions: Any) -> Any:
    """(..., 3, 3) of quaternions x, y, z, w (..., 4) of any length."""
    wide = np.asarray(quaternions, np.float64)
    x, y, z, w = np.moveaxis(wide / np.linalg.norm(wide, axis=-1, keepdims=True), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def expected_world(clip: Any, key: int | None = None) -> dict[str, Any]:
    """World matrix of each node of a clip at a key, at rest if none is given, composed in float64."""
    tracks = {(track.node, track.property): track.values for track in clip.tracks}
    world: dict[str | None, Any] = {None: clip.root}
    for node in clip.nodes:
        own = np.eye(4)
        if key is not None:
            own[:3, :3] = rotation(np.roll(tracks[node.name, "rotation_quaternion"][:, key], -1))
            own[:3, 3] = tracks[node.name, "location"][:, key]
        world[node.name] = world[node.parent] @ node.rest @ own
    del world[None]
    return world
