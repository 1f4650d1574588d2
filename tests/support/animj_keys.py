"""What an AnimJ file says, read as JSON and not by the code under test."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def keys_of(path: Path) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """Keys of each track by node and property, each with its time and value."""
    tracks = [track["data"] for track in json.loads(path.read_text(encoding="utf-8"))["tracks"]]
    return {(track["node"], track["property"]): track["keyframes"] for track in tracks}
