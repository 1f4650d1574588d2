"""A small reader and player of GLB files of the tests' own, after the glTF 2.0 specification."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from textbook import rotation

Array = np.ndarray[Any, Any]

_WIDTH = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}
_USUAL = {"translation": (0.0, 0.0, 0.0), "rotation": (0.0, 0.0, 0.0, 1.0), "scale": (1.0, 1.0, 1.0)}


@dataclass
class Glb:
    """A file: its JSON and its numbers."""

    told: dict[str, Any]
    data: bytes

    @classmethod
    def read(cls, path: Path) -> Glb:
        """Take a file apart, and hold its frame against the specification."""
        whole = path.read_bytes()
        magic, version, size = struct.unpack_from("<4sII", whole)
        assert (magic, version, size) == (b"glTF", 2, len(whole))
        chunks, at = {}, 12
        while at < size:
            length, kind = struct.unpack_from("<I4s", whole, at)
            assert length % 4 == 0
            chunks[kind] = whole[at + 8 : at + 8 + length]
            at += 8 + length
        assert list(chunks) in ([b"JSON"], [b"JSON", b"BIN\0"])
        return cls(json.loads(chunks[b"JSON"].decode("utf-8")), chunks.get(b"BIN\0", b""))

    @property
    def names(self) -> list[str]:
        return [node["name"] for node in self.told["nodes"]]

    @property
    def extras(self) -> list[dict[str, Any]]:
        """What is said of each animation beside it."""
        found: list[dict[str, Any]] = self.told["scenes"][0]["extras"]["animations"]
        return found

    def accessor(self, number: int) -> Array:
        about = self.told["accessors"][number]
        view = self.told["bufferViews"][about["bufferView"]]
        first = view.get("byteOffset", 0) + about.get("byteOffset", 0)
        width = _WIDTH[about["type"]]
        assert about["componentType"] == 5126 and first % 4 == 0
        return np.frombuffer(self.data, "<f4", about["count"] * width, first).reshape(-1, width).astype(float)

    def curves(self, animation: int = 0) -> dict[tuple[str, str], tuple[Array, Array, str]]:
        """Times (n,), values and interpolation by node and path."""
        about = self.told["animations"][animation]
        found = {}
        for channel in about["channels"]:
            sampler = about["samplers"][channel["sampler"]]
            times = self.accessor(sampler["input"])[:, 0]
            bounds = self.told["accessors"][sampler["input"]]
            assert (np.diff(times) > 0).all() and times[0] >= 0
            assert (bounds["min"], bounds["max"]) == ([times[0]], [times[-1]])
            key = (self.names[channel["target"]["node"]], channel["target"]["path"])
            found[key] = (times, self.accessor(sampler["output"]), sampler["interpolation"])
        return found

    def worlds(self, times: Array, animation: int = 0) -> dict[str, Array]:
        """World matrices (m, 4, 4) of all nodes in the file's own axes."""
        curves = self.curves(animation) if self.told.get("animations") else {}
        result: dict[int, Array] = {}

        def place(number: int, above: Array) -> None:
            node = self.told["nodes"][number]
            parts = [
                played(curves[node["name"], path], times, path)
                if (node["name"], path) in curves
                else np.tile(node.get(path, usual), (len(times), 1))
                for path, usual in _USUAL.items()
            ]
            result[number] = above @ matrices(*parts)
            for child in node.get("children", ()):
                place(child, result[number])

        for root in self.told["scenes"][self.told["scene"]]["nodes"]:
            place(root, np.tile(np.eye(4), (len(times), 1, 1)))
        return {self.names[number]: world for number, world in sorted(result.items(), reverse=True)}


def played(curve: tuple[Array, Array, str], times: Array, path: str) -> Array:
    """What a curve gives at times (m,): (m, components)."""
    keys, values, interpolation = curve
    left = np.clip(np.searchsorted(keys, times, side="right") - 1, 0, max(len(keys) - 2, 0))
    right = np.minimum(left + 1, len(keys) - 1)
    length = np.where(right > left, keys[right] - keys[left], 1.0)
    t = np.clip((times - keys[left]) / length, 0.0, 1.0)[:, None]
    if interpolation == "STEP":
        return values[np.clip(np.searchsorted(keys, times, side="right") - 1, 0, None)]
    if interpolation == "CUBICSPLINE":
        into, value, out = values[0::3], values[1::3], values[2::3]
        d = length[:, None]
        result = (2 * t**3 - 3 * t**2 + 1) * value[left] + d * (t**3 - 2 * t**2 + t) * out[left]
        result += (-2 * t**3 + 3 * t**2) * value[right] + d * (t**3 - t**2) * into[right]
        return result / np.linalg.norm(result, axis=1, keepdims=True) if path == "rotation" else result
    if path == "rotation":
        return slerp(values[left], values[right], t)
    return values[left] * (1 - t) + values[right] * t


def slerp(a: Array, b: Array, t: Array) -> Array:
    """The great arc from a to b (m, 4), the short way, at t (m, 1)."""
    cosine = (a * b).sum(axis=1, keepdims=True)
    b = np.where(cosine < 0, -b, b)
    angle = np.arccos(np.clip(np.abs(cosine), 0.0, 1.0))
    with np.errstate(invalid="ignore", divide="ignore"):
        arc = (np.sin((1 - t) * angle) * a + np.sin(t * angle) * b) / np.sin(angle)
    return np.where(angle < 1e-6, a + (b - a) * t, arc)


def matrices(place: Array, turn: Array, size: Array) -> Array:
    """(m, 4, 4) of positions (m, 3), quaternions x, y, z, w (m, 4) and scales (m, 3)."""
    assert np.abs(np.linalg.norm(turn, axis=1) - 1).max() < 1e-5
    result = np.tile(np.eye(4), (len(place), 1, 1))
    result[:, :3, :3] = rotation(turn) * size[:, None]
    result[:, :3, 3] = place
    return result


def composed(truth: Any, whole: Any) -> tuple[list[str], Array]:
    """World matrices (frames, pivots, 4, 4) of an engine's base poses and moves."""
    names, parents = [str(name) for name in truth["names"]], truth["parents"].tolist()
    moves = truth["trs"][whole].astype(float)
    base = np.tile(np.eye(4), (len(names), 1, 1))
    base[:, :3] = truth["base_world"].reshape(-1, 3, 4)
    worlds: list[Array] = []
    for number, parent in enumerate(parents):
        turn = moves[:, number, 3:7] / np.linalg.norm(moves[:, number, 3:7], axis=1, keepdims=True)
        move = matrices(moves[:, number, :3], turn, np.ones((len(moves), 3)))
        rest = np.linalg.inv(base[parent]) @ base[number] if parent >= 0 else base[number]
        worlds.append((worlds[parent] if parent >= 0 else np.eye(4)) @ rest @ move)
    return names, np.stack(worlds, axis=1)
