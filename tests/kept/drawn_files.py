"""Files that a number draws: samples, what the references' writers lay, and some of either damaged."""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TypeVar

import numpy as np
from by_path import load
from mutations import damaged, load_samples

T = TypeVar("T")
TESTS = Path(__file__).resolve().parents[1]
FORMATS = ("mrtk", "w3d", "w3x", "animx")
LARGEST = 20_000
"""Bytes of a sample: what is larger takes long and shows no more."""


@cache
def samples(name: str) -> list[tuple[str, bytes]]:
    """The samples of a format, its models with it."""
    return [(path, data) for path, data in load_samples(TESTS / "data" / name) if len(data) <= LARGEST]


@cache
def reference(name: str) -> ModuleType:
    """The reference tests of a format, whose writers draw files of every shape."""
    return load(TESTS / "formats" / name / f"test_reference_{name}.py", f"reference_of_{name}")


def laid(name: str, number: int) -> tuple[str, bytes]:
    """A file of a format as the references draw it: its ending and bytes."""
    rng, module = np.random.default_rng(number), reference(name)
    if name == "mrtk":
        return ".bin", module.Drawn(rng, ((1, 0), (1, 1))[number % 2], odd=0.02).data
    if name == "w3d":
        return ".w3d", module.file(rng)[0]
    if name == "w3x":
        return ".w3x", module.file(rng)[0].encode()
    data = module.drawn(number, odd=0.02)[1]
    return ".animj" if data[:1] == b"{" else ".animx", data


def pick(rng: random.Random, things: Iterable[T], name: Callable[[T], str], count: int = 1) -> list[T]:
    """Draw some things, at most all, of which one more or less changes no other draw."""
    salt = str(rng.random())
    return sorted(things, key=lambda thing: zlib.crc32((salt + name(thing)).encode()))[:count]


def draw(rng: random.Random, folder: Path, stem: str, name: str = "") -> Path:
    """Write a drawn file into a folder."""
    name = name or rng.choice(FORMATS)
    chance = rng.random()
    if chance < 0.45:
        ending, data = laid(name, rng.randrange(1000))
    elif chance < 0.9:
        ((own, data),) = pick(rng, samples(name), lambda sample: sample[0])
        ending = Path(own).suffix
    else:
        own, data = damaged(samples(name), rng.randrange(1000), rng.randrange(1000))
        ending = Path(own).suffix
    path = folder / f"{stem}{ending}"
    path.write_bytes(data)
    return path
