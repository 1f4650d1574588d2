"""Outcomes that are kept: a checksum of the words, and sums of the numbers, which processors round otherwise.

A table of `tests/data/kept` holds a line for each case. It says that nothing changed unasked, not what is right, which
players, golden files and references say; `make renew` writes it anew, on purpose, and tells which cases changed.
"""

from __future__ import annotations

import re
import zlib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from renewal import Renewal

NUMBER = re.compile(r"[-+]?\d+(?:\.\d*)?(?:e[-+]?\d+)?")
SUMS = 32
"""Of a text at most, each of so many numbers at least: few enough that one that is another shows beside the rest."""

ROUNDED = 1e-5
"""How much of a number may be rounded otherwise, and of 0.1 for the smallest: matrices of Blender's are float32."""

FOLDER = Path(__file__).resolve().parents[1] / "data" / "kept"
SHOWN = Path(__file__).resolve().parents[2] / "build" / "kept"


def sums(text: str) -> tuple[str, Any, Any]:
    """The checksum of a text without its numbers; (n,) weighted sums of these, and how far each may be off."""
    numbers = np.clip(np.array(NUMBER.findall(text), float), -1e30, 1e30)
    width = max(SUMS, -(-len(numbers) // SUMS))
    padded = np.zeros((-(-len(numbers) // width), width))
    padded.ravel()[: len(numbers)] = numbers
    weights = 1.0 + np.arange(width) * 0.6180339887498949 % 1.0
    slack = ROUNDED * np.sqrt(((np.abs(padded) + 0.1) ** 2).sum(axis=1))
    return f"{zlib.crc32(NUMBER.sub('#', text).encode('utf-8', 'backslashreplace')):08x}", padded @ weights, slack


def line_of(text: str) -> str:
    """What a table holds of an outcome."""
    words, found, _ = sums(text)
    return " ".join([words, *(f"{each:.8g}" for each in found)])


def is_as_kept(text: str, line: str) -> bool:
    """Whether an outcome is what a table's line says."""
    words, found, slack = sums(text)
    told, *kept = line.split()
    return told == words and len(kept) == len(found) and bool((abs(np.array(kept, float) - found) <= slack).all())


@cache
def kept(name: str) -> dict[str, str]:
    """The lines of a table by their cases."""
    path = FOLDER / f"{name}.txt"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return dict(line.split(": ", 1) for line in lines)


def keep(name: str, lines: dict[str, str]) -> None:
    """Write a table."""
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{name}.txt").write_text("".join(f"{case}: {line}\n" for case, line in lines.items()), encoding="utf-8")


def compare(name: str, case: str, text: str, renewal: Renewal | None) -> None:
    """Assert that an outcome is as it was kept, or keep it as it is now; what it says lies in `build/kept` if not."""
    lines = kept(name)
    if case in lines and is_as_kept(text, lines[case]):
        return
    SHOWN.mkdir(parents=True, exist_ok=True)
    (SHOWN / f"{name} {case}.txt").write_text(text, encoding="utf-8", errors="backslashreplace")
    assert renewal is not None, f"another outcome than was kept: see build/kept/{name} {case}.txt, in both revisions"
    lines[case] = line_of(text)
    keep(name, lines)
    renewal.changes.append(f"{name} {case}")
