"""Renegade's and Generals' way with W3D: chunks, channels and the chain of pivots, as the published engines have it.

In the file's own axes, by whole frames.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from textbook import rotation

Array = np.ndarray[Any, Any]
HIERARCHY, _PIVOTS, _ANIMATION, _COMPRESSED = 0x100, 0x102, 0x200, 0x280
_NO_PARENT, _MIDDLE_EARTH = 0xFFFFFFFF, 0x10000
_FILTERS = [10.0 ** (at - 8) for at in range(16)] + [1 - math.sin(math.pi / 2 * at / 240) for at in range(240)]
ROTATION, FADE = 6, 15


Mix = Callable[[Array, Array, float], Array]
"""A value between two, by the share of the way."""


@dataclass
class Channel:
    """Values (frames, components) for every frame of the animation, expanded.

    Attributes:
        stored: samples or keys in the file.
        jumps: (frames,) whether the value before holds until the frame; None where it never does.
        raw: the file has a sample for each frame, uncompressed.
        chords: the values with straight lines from key to key, as another engine has them.
    """

    pivot: int
    type: int
    values: Array
    stored: int
    jumps: Array | None = None
    raw: bool = False
    chords: Array | None = None

    def at(self, frame: float, mix: Mix) -> Array:
        """The value on a frame or between two."""
        left = math.floor(frame)
        right = min(left + 1, len(self.values) - 1)
        if left == frame or (self.jumps is not None and self.jumps[right]):
            return np.asarray(self.values[left])
        return mix(self.values[left], self.values[right], frame - left)


@dataclass
class Player:
    """One animation on one skeleton.

    Attributes:
        NAME_LETTERS: how many letters of a name there is room for; None for any number.
        names: of the pivots.
        parents: number of each pivot's parent, -1 for none.
        bases: (pivots, 4, 4), relative to the parent.
        shown: by pivot, whether it is visible on each frame; only pivots that say so.
        animations: how many the file holds.
        opacity: by pivot, where the file has more than on and off.
        skeletons: name, names, parents and bases of each that was read.
        straight: whether turns between frames go along a straight line, as the Middle-earth games have them.
        rounds: whether uncompressed channels jump half way between frames.
    """

    NAME_LETTERS: ClassVar[int | None] = 15
    names: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    bases: list[Array] = field(default_factory=list)
    hierarchy: str = ""
    name: str = ""
    frames: int = 0
    rate: float = 0.0
    channels: list[Channel] = field(default_factory=list)
    shown: dict[int, Array] = field(default_factory=dict)
    animations: int = 0
    opacity: dict[int, Channel] = field(default_factory=dict)
    skeletons: list[tuple[str, list[str], list[int], list[Array]]] = field(default_factory=list)
    straight: bool = False
    rounds: bool = False

    @classmethod
    def of(cls, data: bytes, number: int = 0, beside: bytes = b"") -> Player:
        """Read the animation of that number, on the skeleton that it names, or the first; of the file, or beside."""
        player = cls()
        for kind, body in [*chunks(data), *chunks(beside)]:
            if kind == HIERARCHY:
                player.read_skeleton(body)
        found = [each for each in chunks(data) if each[0] in (_ANIMATION, _COMPRESSED)]
        player.animations = len(found)
        for kind, body in found[number : number + 1]:
            player.read_animation(kind, body)
        player.stand()
        return player

    def read_skeleton(self, body: bytes) -> None:
        """The pivots."""
        found: tuple[str, list[str], list[int], list[Array]] = ("", [], [], [])
        for kind, part in chunks(body):
            if kind == HIERARCHY + 1:
                found = (text(part[4:20]), *found[1:])
            elif kind == _PIVOTS:
                for name, parent, *numbers in struct.iter_unpack("<16sI10f", part):
                    found[1].append(text(name))
                    found[2].append(-1 if parent == _NO_PARENT else parent)
                    found[3].append(matrix(numbers[:3], numbers[6:]))
        self.skeletons.append(found)

    def stand(self) -> None:
        """Take the skeleton of the animation's name in any case, else the first."""
        named = [each for each in self.skeletons if each[0].upper() == self.hierarchy.upper()]
        found = next(iter(named or self.skeletons), (self.hierarchy, [], [], []))
        self.hierarchy, self.names, self.parents, self.bases = found

    def read_animation(self, kind: int, body: bytes) -> None:
        """The header first, then the channels."""
        flavor = 0
        for part_kind, part in chunks(body):
            if part_kind in (0x201, 0x281):
                version, name, hierarchy, self.frames, rate = struct.unpack("<I16s16sII", part[:44])
                self.straight = kind == _COMPRESSED and version == _MIDDLE_EARTH
                self.name, self.hierarchy = text(name), text(hierarchy)
                self.rate, flavor = (rate, 0) if kind == _ANIMATION else (rate & 0xFFFF, rate >> 16)
            else:
                self._read_channel(part_kind, part, flavor)

    def _read_channel(self, kind: int, part: bytes, flavor: int) -> None:
        if kind == 0x202:
            self.channels.append(raw_channel(part, self.frames))
        elif kind == 0x282:
            read = timecoded_channel if flavor == 0 else delta_channel
            self.channels.append(read(part, self.frames))
        elif kind == 0x284:
            self.channels.append(motion_channel(part, self.frames))
            self.straight = True
        elif kind == 0x203:
            first, last, _, pivot, outside = struct.unpack_from("<HHHHB", part)
            bits = np.unpackbits(np.frombuffer(part, np.uint8, offset=9), bitorder="little")
            values = np.full(self.frames, outside == 1)
            values[first : last + 1] = bits[: last + 1 - first][: max(self.frames - first, 0)]
            self.shown[pivot] = values
        elif kind == 0x283:
            self._read_bit_keys(part)

    def _read_bit_keys(self, part: bytes) -> None:
        count, pivot = struct.unpack_from("<IH", part)
        codes = np.frombuffer(part, "<u4", count, 8)
        which = np.searchsorted(codes & 0x7FFFFFFF, np.arange(self.frames), side="right") - 1
        self.shown[pivot] = (codes >> 31).astype(bool)[np.maximum(which, 0)]

    @property
    def duration(self) -> float:
        """Seconds from the first frame to the last."""
        return (self.frames - 1) / self.rate if self.rate else 0.0

    @property
    def rests(self) -> list[Array]:
        """World matrices of all pivots at rest."""
        found: list[Array] = []
        for above, base in zip(self.parents, self.bases, strict=True):
            found.append(base if above < 0 else found[above] @ base)
        return found

    def value(self, channel: Channel, frame: float) -> Array:
        """What a channel holds on a frame or between two."""
        if self.rounds and channel.raw:
            frame = math.floor(frame + 0.5)
        turn = straight_turn if self.straight else slerp
        return channel.at(frame, turn if channel.type == ROTATION else lerp)

    def worlds(self, frame: float, *, only_turns: bool = False) -> list[Array]:
        """World matrices of all pivots: the parent's, the base, then the channels' own move."""
        moves: dict[int, tuple[list[float], list[float]]] = {}
        for channel in self.channels:
            if channel.type in (0, 1, 2, ROTATION) and channel.pivot < len(self.bases):
                place, turn = moves.setdefault(channel.pivot, ([0.0] * 3, [0.0, 0.0, 0.0, 1.0]))
                if channel.type == ROTATION:
                    turn[:] = self.value(channel, frame)
                elif not only_turns:
                    place[channel.type] = self.value(channel, frame)[0]
        found: list[Array] = []
        for pivot, base in enumerate(self.bases):
            above = np.eye(4) if self.parents[pivot] < 0 else found[self.parents[pivot]]
            own = matrix(*moves[pivot]) if pivot in moves and pivot else np.eye(4)
            found.append(above @ base @ own)
        return found


def chunks(data: bytes) -> Iterator[tuple[int, bytes]]:
    """(kind, body) of each chunk; the top bit of a size only says what the kind says."""
    at = 0
    while at + 8 <= len(data):
        kind, size = struct.unpack_from("<II", data, at)
        size &= 0x7FFFFFFF
        yield kind, data[at + 8 : at + 8 + size]
        at += 8 + size


def text(name: bytes) -> str:
    """A name of 16 bytes."""
    return name.split(b"\0")[0].decode("latin-1")


def matrix(place: Any, turn: Any) -> Array:
    """(4, 4) of a translation and a rotation (x, y, z, w) that the engine does not normalise; here it is."""
    found = np.eye(4)
    found[:3, :3] = rotation(turn) if np.any(turn) else np.eye(3)
    found[:3, 3] = place
    return found


def _at_rest(kind: int, frames: int, width: int) -> Array:
    values = np.zeros((frames, width))
    if kind == ROTATION:
        values[:, 3] = 1.0
    elif kind == FADE:
        values[:] = 1.0
    return values


def raw_channel(part: bytes, frames: int) -> Channel:
    """Samples from the first to the last frame; outside these it is at rest."""
    first, last, width, kind, pivot = struct.unpack_from("<5H", part)
    count = last + 1 - first
    values = _at_rest(kind, max(frames, last + 1), width)
    values[first : last + 1] = np.frombuffer(part, "<f4", count * width, 12).reshape(count, width)
    return Channel(pivot, kind, values[:frames], count, raw=True)


def timecoded_channel(part: bytes, frames: int) -> Channel:
    """Keys with a flag that says: jump to this one."""
    count, pivot, width, kind = struct.unpack_from("<IHBB", part)
    records = np.frombuffer(part, np.dtype([("code", "<u4"), ("value", "<f4", (width,))]), count, 8)
    codes = records["code"]
    keys = pivot, kind, codes & 0x7FFFFFFF, codes >> 31, records["value"], frames
    found = _keyed(*keys, slerp if kind == ROTATION else lerp)
    found.chords = _keyed(*keys, straight_turn).values if kind == ROTATION else None
    return found


def motion_channel(part: bytes, frames: int) -> Channel:
    """The form of the Middle-earth games: keys (encoding 0) or differences of 4 bits (1)."""
    _, encoding, width, kind, count, pivot = struct.unpack_from("<4B2H", part)
    if encoding == 1:
        values = _summed(part, 8, count, width)
        return Channel(pivot, kind, _stretched(values, frames), count)
    codes = np.frombuffer(part, "<u2", count, 8)
    values = np.frombuffer(part, "<f4", count * width, 8 + 2 * (count + count % 2)).reshape(count, width)
    mix = straight_turn if kind == ROTATION else lerp
    return _keyed(pivot, kind, codes & 0x7FFF, codes >> 15, values, frames, mix)


def delta_channel(part: bytes, frames: int) -> Channel:
    """Differences of 4 bits."""
    count, pivot, width, kind = struct.unpack_from("<IHBB", part)
    return Channel(pivot, kind, _stretched(_summed(part, 8, count, width), frames), count)


def _keyed(pivot: int, kind: int, at: Array, jumps: Array, values: Array, frames: int, mix: Mix) -> Channel:
    found = np.empty((frames, values.shape[1]))
    for frame in range(frames):
        left = max(int(np.searchsorted(at, frame, side="right")) - 1, 0)
        if left + 1 >= len(at) or jumps[left + 1]:
            found[frame] = values[left]
        else:
            share = (frame - int(at[left])) / (int(at[left + 1]) - int(at[left]))
            found[frame] = mix(values[left].astype(float), values[left + 1].astype(float), share)
    steps = np.zeros(frames, bool)
    steps[at[(jumps > 0) & (at < frames)]] = True
    return Channel(pivot, kind, found, len(at), steps)


def _summed(part: bytes, at: int, count: int, width: int) -> Array:
    scale = struct.unpack_from("<f", part, at)[0]
    value = np.frombuffer(part, "<f4", width, at + 4).copy()
    found = [value.astype(float)]
    rows = math.ceil(count / 16)
    packets = np.frombuffer(part, np.uint8, rows * width * 9, at + 4 + 4 * width).reshape(rows, width, 9)
    for row in packets:
        steps = np.array([np.float32(np.float32(_FILTERS[packet[0]]) * np.float32(scale)) for packet in row])
        for number in range(16):
            nibbles = ((row[:, 1 + number // 2] >> (4 * (number % 2))) & 15).astype(int)
            signed = np.where(nibbles > 7, nibbles - 16, nibbles).astype(np.float32)
            value = (value + signed * steps.astype(np.float32)).astype(np.float32)
            found.append(value.astype(float))
    return np.array(found[:count])


def _stretched(values: Array, frames: int) -> Array:
    return values[np.minimum(np.arange(frames), len(values) - 1)]


def lerp(left: Array, right: Array, share: float) -> Array:
    """A straight line."""
    return np.asarray(left + share * (right - left))


def straight_turn(left: Array, right: Array, share: float) -> Array:
    """The short way along a straight line, as the Middle-earth games turn; `matrix` gives it length 1."""
    return lerp(left, -right if left @ right < 0 else right, share)


def slerp(left: Array, right: Array, share: float) -> Array:
    """The short way along the great arc."""
    cosine = float(left @ right / (np.linalg.norm(left) * np.linalg.norm(right) or 1.0))
    if cosine < 0:
        right, cosine = -right, -cosine
    if cosine > 1 - 1e-9:
        return lerp(left, right, share)
    angle = math.acos(cosine)
    return np.asarray((math.sin((1 - share) * angle) * left + math.sin(share * angle) * right) / math.sin(angle))
