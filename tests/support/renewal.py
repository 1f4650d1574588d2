"""References that are written anew on purpose: what changed is said, so that a person can read it before a commit."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np


class Renewal:
    """Writes references that differ from what was found, and remembers each change in a line."""

    def __init__(self) -> None:
        self.changes: list[str] = []

    def digest(self, table: Path, name: str, found: str) -> None:
        """Put the digest of one case into a JSON table."""
        known = json.loads(table.read_text(encoding="utf-8"))
        if known.get(name) == found:
            return
        self.changes.append(f"{table.name}: {name}: {known.get(name, 'nothing')[:12]} -> {found[:12]}")
        known[name] = found
        table.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")

    def arrays(self, path: Path, found: dict[str, np.ndarray]) -> None:
        """Write arrays, where they are not equal to those in the file, number for number."""
        with np.load(path) as file:
            known = dict(file)
        changes = [self._change(known.get(name), found.get(name)) for name in sorted(known.keys() | found.keys())]
        names = sorted(known.keys() | found.keys())
        told = [f"{path.name}: {name}: {change}" for name, change in zip(names, changes, strict=True) if change]
        if told:
            self.changes += told
            np.savez_compressed(path, **found)

    def _change(self, known: np.ndarray | None, found: np.ndarray | None) -> str:
        if known is None or found is None:
            return "new" if known is None else "gone"
        if known.shape != found.shape:
            return f"{known.shape} -> {found.shape}"
        return "" if np.array_equal(known, found) else f"up to {np.abs(found - known).max():.3g} apart"
