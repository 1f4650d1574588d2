"""W3D files laid by hand with `struct`, apart from the writer under test; Blender's part, played without Blender."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from io_formats import curve, w3d
from io_formats.clip import Clip, Source, Track
from io_formats.errors import Report
from io_formats.frames import KeyBlock, from_keys, to_keys
from io_formats.key_match import match_keys

DATA = Path(__file__).resolve().parent.parent.parent / "data" / "w3d"


class Lay:
    """Chunks as bytes, field by field, as the layout tables of the format have them."""

    @staticmethod
    def chunk(kind: int, data: bytes, *, flagged: bool = False) -> bytes:
        return struct.pack("<II", kind, len(data) | (0x8000_0000 if flagged else 0)) + data

    @staticmethod
    def name(text: str | bytes) -> bytes:
        raw = text.encode("latin-1") if isinstance(text, str) else text
        return raw.ljust(16, b"\0")[:16]

    @classmethod
    def hierarchy(
        cls,
        names: Sequence[str | bytes] = ("ROOTTRANSFORM", "HIP", "HEAD"),
        parents: Sequence[int] | None = None,
        *,
        name: str = "SKEL",
        version: int = 0x40001,
        step: float = 1.0,
        flagged: bool = True,
    ) -> bytes:
        """A chain along Z by default."""
        parents = list(range(-1, len(names) - 1)) if parents is None else parents
        header = struct.pack("<I16sI3f", version, cls.name(name), len(names), 0, 0, 0)
        pivots = b"".join(
            struct.pack("<16sI3f3f4f", cls.name(pivot), parent & 0xFFFFFFFF, 0, 0, step * (at > 0), 0, 0, 0, 0, 0, 0, 1)
            for at, (pivot, parent) in enumerate(zip(names, parents, strict=True))
        )
        return cls.chunk(0x100, cls.chunk(0x101, header) + cls.chunk(0x102, pivots), flagged=flagged)

    @classmethod
    def raw(cls, first: int, values: Any, kind: int, pivot: int, *, tail: bytes = b"", padding: int = 0) -> bytes:
        data = np.asarray(values, "<f4").reshape(len(values), -1)
        header = struct.pack("<6H", first, first + len(data) - 1, data.shape[1], kind, pivot, padding)
        return cls.chunk(0x202, header + data.tobytes() + tail)

    @classmethod
    def bits(cls, first: int, values: Sequence[int], pivot: int, default: int = 1) -> bytes:
        packed = np.packbits(np.asarray(values, np.uint8), bitorder="little").tobytes()
        return cls.chunk(0x203, struct.pack("<4HB", first, first + len(values) - 1, 0, pivot, default) + packed)

    @classmethod
    def animation(
        cls,
        *channels: bytes,
        frames: int = 10,
        rate: int = 30,
        name: str = "WALK",
        skeleton: str = "SKEL",
        version: int = 0x40001,
    ) -> bytes:
        header = struct.pack("<I16s16sII", version, cls.name(name), cls.name(skeleton), frames, rate)
        return cls.chunk(0x200, cls.chunk(0x201, header) + b"".join(channels), flagged=True)

    @classmethod
    def compressed(
        cls,
        *channels: bytes,
        frames: int = 10,
        rate: int = 30,
        flavor: int = 0,
        version: int = 1,
        name: str = "WALK",
        skeleton: str = "SKEL",
    ) -> bytes:
        header = struct.pack("<I16s16sIHH", version, cls.name(name), cls.name(skeleton), frames, rate, flavor)
        return cls.chunk(0x280, cls.chunk(0x281, header) + b"".join(channels), flagged=True)

    @classmethod
    def keys(cls, codes: Sequence[int], values: Any, kind: int, pivot: int, *, steps: Sequence[int] = ()) -> bytes:
        rows = np.asarray(values, "<f4").reshape(len(codes), -1)
        body = b"".join(
            struct.pack("<I", code | (0x8000_0000 if at in steps else 0)) + rows[at].tobytes()
            for at, code in enumerate(codes)
        )
        return cls.chunk(0x282, struct.pack("<IHBB", len(codes), pivot, rows.shape[1], kind) + body)

    @classmethod
    def deltas(
        cls, frames: int, scale: float, initial: Sequence[float], packets: bytes, kind: int, pivot: int
    ) -> bytes:
        head = struct.pack("<IHBBf", frames, pivot, len(initial), kind, scale)
        return cls.chunk(0x282, head + np.asarray(initial, "<f4").tobytes() + packets + b"\xaa\xbb\xcc")

    @classmethod
    def bit_keys(cls, codes: Sequence[tuple[int, int]], pivot: int, default: int = 1) -> bytes:
        words = b"".join(struct.pack("<I", frame | (value << 31)) for frame, value in codes)
        return cls.chunk(0x283, struct.pack("<IHBB", len(codes), pivot, 0, default) + words)

    @classmethod
    def motion_keys(cls, codes: Sequence[int], values: Any, kind: int, pivot: int) -> bytes:
        rows = np.asarray(values, "<f4").reshape(len(codes), -1)
        head = struct.pack("<BBBBHH", 0, 0, rows.shape[1], kind, len(codes), pivot)
        padding = b"\x13\x80" if len(codes) % 2 else b""
        return cls.chunk(0x284, head + np.asarray(codes, "<u2").tobytes() + padding + rows.tobytes())


@dataclass
class Golden:
    """A file and what the engine's own code makes of it."""

    name: str
    facts: dict[str, Any]

    @property
    def data(self) -> bytes:
        return (DATA / self.facts["file"]).read_bytes()

    @property
    def document(self) -> Any:
        return w3d.read(self.data)

    @property
    def skeleton(self) -> Any:
        return w3d.read((DATA / self.facts["skeleton"]).read_bytes())

    @property
    def index(self) -> int:
        return int(self.name[-1]) if self.name.startswith("h04") else 0

    @property
    def truth(self) -> Any:
        return np.load(DATA / self.facts["npz"])

    def clip(self, report: Report | None = None, **options: Any) -> Clip:
        clips = w3d.to_clips(self.document, w3d.ImportOptions(**options), report or Report(), skeleton=self.skeleton)
        return clips[self.index]


def goldens() -> list[Golden]:
    manifest = json.loads((DATA / "manifest.json").read_text(encoding="utf-8"))
    return [Golden(name, facts) for name, facts in manifest.items()]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "golden" in metafunc.fixturenames:
        metafunc.parametrize("golden", goldens(), ids=lambda golden: golden.name)


@pytest.fixture(scope="session")
def lay() -> type[Lay]:
    return Lay


@pytest.fixture(scope="session")
def by_name() -> dict[str, Golden]:
    return {golden.name: golden for golden in goldens()}


Edit = Callable[[Track, KeyBlock], KeyBlock | None]


def through_blender(clip: Clip, edit: Edit | None = None, rate: float = 24.0) -> Clip:
    """What capture finds after apply wrote the clip: one track a component, on float32 frames, matched with the source.

    `edit` may change the keys of a track, or drop it by giving None.
    """
    tracks = []
    for block in clip.tracks:
        for track in curve.split(block):
            written = to_keys(track, rate)
            found = KeyBlock(written.frames.copy(), written.values.copy(), written.interpolation.copy())
            changed = found if edit is None else edit(track, found)
            if changed is not None:
                fields = {**from_keys(changed, rate), "inserted": None}
                tracks.append(replace(track, **fields, match=match_keys(written, changed, True)))
    return replace(clip, tracks=tracks, nodes=[replace(node) for node in clip.nodes])


@pytest.fixture(scope="session")
def blender() -> Callable[..., Clip]:
    return through_blender


def shown_at(clip: Clip, frames: Any, rate: float) -> dict[tuple[str, str], Any]:
    """(node, property) -> (components, frames), rest values where nothing is animated."""
    times = np.asarray(frames, float) / rate
    rest = {
        "location": np.zeros(3),
        "rotation_quaternion": np.array([1.0, 0, 0, 0]),
        "visibility": np.ones(1),
        "fade": np.ones(1),
    }
    shown = {
        (node.name, name): np.repeat(value[:, None], len(times), axis=1)
        for node in clip.nodes
        for name, value in rest.items()
    }
    for track in clip.tracks:
        values = curve.evaluate(track, times)
        shown[track.node, track.property][track.component : track.component + len(values)] = values
    return shown


@pytest.fixture(scope="session")
def show() -> Callable[..., dict[tuple[str, str], Any]]:
    return shown_at


def turn_between(a: Any, b: Any) -> Any:
    """Degrees between rotations (4, n) of any length and sign."""
    a, b = a / np.linalg.norm(a, axis=0), b / np.linalg.norm(b, axis=0)
    chord = np.minimum(np.linalg.norm(a - b, axis=0), np.linalg.norm(a + b, axis=0))
    return np.degrees(4 * np.arcsin(np.minimum(chord / 2, 1)))


@pytest.fixture(scope="session")
def turn() -> Callable[[Any, Any], Any]:
    return turn_between


@pytest.fixture(scope="session")
def source_of() -> Callable[..., Source]:
    def make(document: Any, skeleton: Any = None, index: int = 0, **options: Any) -> Source:
        clips = w3d.to_clips(document, w3d.ImportOptions(**options), Report(), skeleton=skeleton)
        return Source(document, clips[index], index)

    return make
