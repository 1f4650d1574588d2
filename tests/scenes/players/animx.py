"""The Animator of NeosVR and Resonite: fields of slots driven by tracks, from AnimJ or AnimX.

In the engine's axes (left-handed, Y up, Z forward), local to the slot's parent, seconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from animx_records import Record, read

from . import w3d

Array = np.ndarray[Any, Any]
_HOLD, _LINEAR, _TANGENT, _CUBIC = range(4)
_MODES = {"Hold": _HOLD, "Linear": _LINEAR, "Tangent": _TANGENT, "CubicBezier": _CUBIC}
FIELDS = ("Position", "Rotation", "Scale")
ORDERS = ("key_order", "tangent_order")
"""What of a curve's bytes may be the other way round, by the options of those names: TIME, RIGHT."""


@dataclass
class Track:
    """Keys of one field of one slot: times (n,), values (n, components), tangents like the values.

    Attributes:
        type: as AnimJ calls it, lower case.
        texts: of a track of texts, with an empty one for none.
    """

    node: str
    field: str
    kind: str
    times: Array
    values: Array
    modes: list[int]
    left: Array | None = None
    right: Array | None = None
    type: str = ""
    texts: list[str] = field(default_factory=list)

    def at(self, seconds: float) -> Array:
        """The value at a moment; held before the first and after the last key."""
        if not len(self.times):
            return np.zeros(self.values.shape[1:])
        number = int(np.searchsorted(self.times, seconds, side="right")) - 1
        if number < 0 or number >= len(self.times) - 1:
            return np.asarray(self.values[max(number, 0)])
        mode = _LINEAR if self.kind == "Raw" else _HOLD if self.kind == "Discrete" else self.modes[number]
        share = float((seconds - self.times[number]) / (self.times[number + 1] - self.times[number]))
        return self._between(number, mode, share)

    def _between(self, number: int, mode: int, share: float) -> Array:
        first, last = self.values[number], self.values[number + 1]
        if mode == _HOLD:
            return np.asarray(first)
        if mode == _LINEAR:
            return np.asarray(first + share * (last - first))
        assert self.left is not None and self.right is not None, "a curved key without tangents"
        right, left, rest = self.right[number], self.left[number + 1], 1 - share
        if mode == _TANGENT:
            right, left = first + right / 3, last - left / 3
        return np.asarray(rest**3 * first + 3 * rest**2 * share * right + 3 * rest * share**2 * left + share**3 * last)


class Player:
    """A file's tracks, bound to slots by name and field."""

    def __init__(self, data: bytes, key_order: str = "", tangent_order: str = "") -> None:
        file = read(data, time_first=key_order == "TIME", right_first=tangent_order == "RIGHT")
        self.name, self.tracks = file.name, [_track(record) for record in file.records]
        self.duration = file.duration or longest(self.tracks)
        self._bind()

    def call_back(self, prefix: str) -> None:
        """Give nodes the names that they have without a prefix; those that have none get a strange one."""
        for track in self.tracks if prefix else ():
            own = track.node.startswith(prefix)
            track.node = track.node[len(prefix) :] if own else f"{track.node} without {prefix}"
        self._bind()

    def _bind(self) -> None:
        self.by_place: dict[tuple[str, str], Track] = {}
        self.doubled = []
        for track in self.tracks:
            if (track.node, track.field) in self.by_place:
                self.doubled.append((track.node, track.field))
            self.by_place.setdefault((track.node, track.field), track)
        self.nodes = list(dict.fromkeys(track.node for track in self.tracks))

    def field(self, node: str, field: str, seconds: float) -> Array | None:
        """The value that drives a field, None where no track does; 255 of a colour's bytes are 1."""
        track = self.by_place.get((node, field))
        return None if track is None else track.at(seconds) / (255 if track.type == "color32" else 1)

    def is_driven(self, node: str) -> bool:
        """Whether a track drives any part of a slot's own transform."""
        return any((node, field) in self.by_place for field in FIELDS)

    def local(self, node: str, seconds: float, model: Array, fields: Iterable[str] = FIELDS) -> Array:
        """(4, 4) of a slot: what is driven of these fields, else what the model gives it, without shear."""
        place, turn, size = (self.field(node, each, seconds) if each in fields else None for each in FIELDS)
        if place is turn is size is None:
            return model
        own = np.linalg.norm(model[:3, :3], axis=0) * (-1 if np.linalg.det(model[:3, :3]) < 0 else 1)
        left, _, right = np.linalg.svd(model[:3, :3] / own)
        found = model.copy()
        found[:3, :3] = left @ right if turn is None else w3d.matrix((0, 0, 0), turn)[:3, :3]
        found[:3, :3] *= own if size is None else size
        found[:3, 3] = model[:3, 3] if place is None else place
        return found


def compose(place: Array, turn: Array, size: Array) -> Array:
    """(4, 4): scaled, turned by a quaternion x, y, z, w of any length, moved."""
    found = w3d.matrix(place, turn)
    found[:3, :3] *= size
    return found


def _track(record: Record) -> Track:
    """A track in numbers; texts become nothing that is compared."""
    columns = list(zip(*record.keys, strict=True)) or [(), (), (), (), ()]
    if record.kind == "Raw":
        times, values = np.arange(len(columns[0])) * float(record.interval), columns[0]
    else:
        times, values = np.array(columns[0], np.float64), columns[1]
    own = (record.node, record.property, record.kind, times)
    modes = [_MODES[mode] for mode in columns[2]] if record.kind == "Curve" else []
    if record.type == "string":
        nothing, texts = np.zeros((len(values), 1)), [text or "" for (text,) in values]
        return Track(*own, nothing, modes, type=record.type, texts=texts)
    sides = [_numbers(side) for side in columns[3:]] if any(mode >= _TANGENT for mode in modes) else [None, None]
    return Track(*own, _numbers(values), modes, *sides, record.type.lower())


def _numbers(values: Sequence[Sequence[Any]]) -> Array:
    """(n, components)."""
    return np.array([list(map(float, value)) for value in values], np.float64).reshape(len(values), -1 if values else 0)


def longest(tracks: list[Track]) -> float:
    """Seconds to the last key of all."""
    return max((float(track.times[-1]) for track in tracks if len(track.times)), default=0.0)
