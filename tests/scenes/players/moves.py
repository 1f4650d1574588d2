"""What a file makes of a figure in Blender: each format's player, turned into Blender's axes, at any second.

A node's world is relative to what carries the figure; `values` are what custom properties of its bones should be.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from xml.etree import ElementTree

import mrtk_reference
import numpy as np

from . import animx, mrtk, w3d, w3x

Array = np.ndarray[Any, Any]
Values = dict[tuple[str, str], Array]
_SWAPPED = np.array([[1.0, 0, 0], [0, 0, 1], [0, 1, 0]])
_UP = np.array([[1.0, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]])
_SHORT = 0.7
"""Length below which a quaternion turns the long way, by signs that an import makes alike."""
LEAST_SHOWN = 0.1
_SLOT_FIELDS = ("Position", "Rotation", "Scale")
_HIERARCHY, _ANIMATIONS = 0x100, (0x200, 0x280)


@dataclass
class Figure:
    """What is there of a figure.

    Attributes:
        above: node that each node is parented to, parents first; None for what carries all.
        rests: (4, 4) of each node relative to that, at rest.
        objects: nodes that are objects, not bones.
        carrier: (4, 4) world of what carries all.
    """

    above: dict[str, str | None] = field(default_factory=dict)
    rests: dict[str, Array] = field(default_factory=dict)
    objects: bool = False
    carrier: Array = field(default_factory=lambda: np.eye(4))


@dataclass
class Take:
    """One animation of a file.

    Attributes:
        rate: frames a second, 0 for a file that has none.
        own: whether its worlds count from the file's own root, and not from what carries the figure in the scene.
    """

    player: Any
    options: dict[str, Any]
    name: str = ""
    skeleton: str = ""
    rate: float = 0.0
    own: bool = True

    @property
    def seconds(self) -> float:
        """How long it plays."""
        return float(self.player.duration)

    @property
    def repeats(self) -> bool:
        """Whether curves begin anew on a moment that is their end as well, where Blender shows either."""
        return False

    @property
    def unsure(self) -> float:
        """Degrees between frames that engines may differ by."""
        return 0.0

    @property
    def only_turns(self) -> bool:
        """Whether the option Channels leaves locations and sizes out."""
        return self.options.get("channels") == "ROTATION"

    def worlds(self, at: float, figure: Figure) -> dict[str, Array]:
        """(4, 4) of each node that the file knows of."""
        raise NotImplementedError

    def values(self, at: float) -> Values:
        """By node and name what the file says besides places, turns and sizes."""
        raise NotImplementedError

    def turns_long(self, at: float) -> set[str]:
        """Nodes whose turn is open, as signs of neighbouring keys are opposite."""
        del at
        return set()

    def hidden(self, at: float, figure: Figure) -> dict[str, bool]:
        """Whether nodes of which the file says that are not seen, where an option asks for it."""
        del figure
        if not self.options.get("apply_visibility", True):
            return {}
        seen = {node: float(value[0]) for (node, name), value in self.values(at).items() if name == "visibility"}
        return {node: value < LEAST_SHOWN for node, value in seen.items()}

    def marks(self) -> list[tuple[float, str]]:
        """Seconds and texts that are shown as markers."""
        return []


def takes_of(format_name: str, data: bytes, options: dict[str, Any]) -> list[Take]:
    """The animations of a file, as they are to play with these options of an import."""
    return _TAKES[format_name](data, options)


def root(format_name: str, options: dict[str, Any]) -> Array:
    """(4, 4) that carries a new figure: its size, which way it faces, and Y up where the axes say so."""
    found = np.eye(4)
    forward, up = (_axis(options.get(name, usual)) for name, usual in (("forward", "Y"), ("up", "Z")))
    found[:3, :3] = np.array([np.cross(forward, up), forward, up]) * options.get("scale", 1.0)
    turned = format_name == "animx" and options.get("axes", "GLTF").startswith("FBX")
    return _UP @ found if turned else found


def _axis(name: str) -> Array:
    return np.eye(3)["XYZ".index(name[-1])] * (-1 if name[0] == "-" else 1)


# --- MRTK -----------------------------------------------------------------------------------------------------------


class Hands(Take):
    """Joints in the world."""

    def worlds(self, at: float, figure: Figure) -> dict[str, Array]:
        del figure
        joints = [f"{joint}.{side}" for side in "LR" for joint in mrtk_reference.JOINTS[1:]]
        found = {}
        for node in filter(self.player.has, [*joints, "Camera"]):
            place, turn = self.player.pose(node, at)
            found[node] = np.eye(4)
            found[node][:3, :3] = _SWAPPED @ w3d.matrix((0, 0, 0), turn)[:3, :3] @ _SWAPPED
            found[node][:3, 3] = 0.0 if self.only_turns else _SWAPPED @ place
        if self.player.has("Gaze") and not self.only_turns:
            origin, direction = self.player.gaze(at)
            for node, place in (("Gaze", origin), ("GazeDirection", origin + direction)):
                found[node] = np.eye(4)
                found[node][:3, 3] = _SWAPPED @ place
        return found

    def values(self, at: float) -> Values:
        switches = self.player.recording["bool"]
        found = {}
        for side, word in (("L", "Left"), ("R", "Right")):
            for name, stem in (("tracked", "handTrackedCurve"), ("pinching", "handPinchCurve")):
                if switches and switches[stem + word]["keys"]:
                    found[f"Wrist.{side}", name] = np.array([float(self.player.switch(name, side, at))])
        return found

    def hidden(self, at: float, figure: Figure) -> dict[str, bool]:
        if not self.options.get("hide_untracked", True):
            return {}
        values = self.values(at)
        sides = {node[-1]: not value[0] for (node, name), value in values.items() if name == "tracked"}
        return {node: sides[node[-1]] for node in figure.above if node[-2:-1] == "." and node[-1] in sides}

    def marks(self) -> list[tuple[float, str]]:
        return list(self.player.recording["markers"])

    @property
    def repeats(self) -> bool:
        return any(curve["post"] in (2, 4) for curve in self.player.recording["bool"].values())

    def turns_long(self, at: float) -> set[str]:
        curves, lengths = mrtk_reference.curves(self.player.recording), {}
        for place, curve in curves.items():
            if place[-1].startswith("Rotation"):
                node = mrtk.node_name(place)
                lengths[node] = lengths.get(node, 0.0) + mrtk.value_at(curve, at) ** 2
        return {node for node, square in lengths.items() if square < _SHORT**2}


def _hands(data: bytes, options: dict[str, Any]) -> list[Take]:
    return [Hands(mrtk.Player(data), options)]


# --- W3D, W3X -------------------------------------------------------------------------------------------------------


class Pivots(Take):
    """Pivots in the space of their object."""

    mix: Callable[[Array, Array, float], Array] = staticmethod(w3d.slerp)
    rounds = False
    """Whether uncompressed channels jump half way between frames."""

    @property
    def seconds(self) -> float:
        return float((self.player.frames - 1) / self.rate) if self.rate else 0.0

    @property
    def unsure(self) -> float:
        """Quaternions of adaptive delta are not of length 1: half way between two such is a matter of taste."""
        turns = [channel.values for channel in self.player.channels if channel.type == w3d.ROTATION]
        off = [float(np.abs(np.linalg.norm(values, axis=1) - 1).max()) for values in turns if len(values)]
        return 10.0 * max([0.0, *(each for each in off if each > 1e-3)])

    def _frame(self, at: float) -> float:
        return min(max(at * self.rate, 0.0), float(self.player.frames - 1))

    def _at(self, channel: Any, frame: float) -> Array:
        if self.rounds and getattr(channel, "raw", False):
            frame = math.floor(frame + 0.5)
        return np.asarray(channel.at(frame, self.mix if channel.type == w3d.ROTATION else w3d.lerp))

    def worlds(self, at: float, figure: Figure) -> dict[str, Array]:
        del figure
        frame, moves = self._frame(at), {}
        for channel in self.player.channels:
            if channel.type in (0, 1, 2, w3d.ROTATION):
                place, turn = moves.setdefault(channel.pivot, ([0.0] * 3, [0.0, 0.0, 0.0, 1.0]))
                if channel.type == w3d.ROTATION:
                    turn[:] = self._at(channel, frame)
                elif not self.only_turns:
                    place[channel.type] = self._at(channel, frame)[0]
        found: list[Array] = []
        for pivot, base in enumerate(self.player.bases):
            above = np.eye(4) if self.player.parents[pivot] < 0 else found[self.player.parents[pivot]]
            found.append(above @ base @ (w3d.matrix(*moves[pivot]) if pivot in moves and pivot else np.eye(4)))
        return dict(zip(self.player.names, found, strict=True))

    def values(self, at: float) -> Values:
        frame, names = self._frame(at), self.player.names
        shown = {pivot: bits for pivot, bits in self.player.shown.items() if 0 < pivot < len(names)}
        found = {(names[pivot], "visibility"): np.array([float(bits[int(frame)])]) for pivot, bits in shown.items()}
        for pivot, opacity in self.player.opacity.items():
            found[names[pivot], "visibility"] = self._at(opacity, frame)
        for channel in self.player.channels:
            if channel.type == w3d.FADE and 0 < channel.pivot < len(names):
                found[names[channel.pivot], "fade"] = self._at(channel, frame)
        return found


class _Engine(w3d.Player):
    """The player, with what is needed to play between frames."""

    def _read_channel(self, kind: int, part: bytes, flavor: int) -> None:
        before = len(self.channels)
        super()._read_channel(kind, part, flavor)
        for channel in self.channels[before:]:
            channel.raw = kind == 0x202
            at, jumps = _flags(kind, part, flavor)
            if len(at):
                channel.jumps = np.zeros(self.frames, bool)
                channel.jumps[at[jumps & (at < self.frames)]] = True


def _flags(kind: int, part: bytes, flavor: int) -> tuple[Array, Array]:
    """Frames of the keys of a channel, and which of them are jumped to; none where it has samples."""
    if kind == 0x282 and flavor == 0:
        count, width = np.frombuffer(part, "<u4", 1)[0], part[6]
        codes = np.frombuffer(part, np.dtype([("code", "<u4"), ("value", "<f4", (width,))]), count, 8)["code"]
        return codes & 0x7FFFFFFF, (codes >> 31).astype(bool)
    if kind == 0x284 and part[1] == 0:
        codes = np.frombuffer(part, "<u2", np.frombuffer(part, "<u2", 1, 4)[0], 8).astype(int)
        return codes & 0x7FFF, (codes >> 15).astype(bool)
    return np.zeros(0, int), np.zeros(0, bool)


def _w3d(data: bytes, options: dict[str, Any]) -> list[Take]:
    return [_w3d_take(part, options) for part in parts("w3d", data)]


def _w3d_take(data: bytes, options: dict[str, Any]) -> Take:
    player = _Engine.of(data)
    take = Pivots(player, options, player.name, player.hierarchy, player.rate)
    kinds = {kind for top, body in w3d.chunks(data) if top in _ANIMATIONS for kind, _ in w3d.chunks(body)}
    versions = [body[8:12] for top, body in w3d.chunks(data) if top == 0x280]
    engine = options.get("engine", "AUTO")
    if engine == "AUTO":
        engine = "BFME" if 0x284 in kinds or b"\0\0\1\0" in versions else "RENEGADE"
    take.rounds = engine != "RENEGADE"
    take.mix = w3d.straight_turn if engine == "BFME" else w3d.slerp
    return take


def parts(format_name: str, data: bytes) -> list[bytes]:
    """The file with one of its animations each time, in order."""
    if format_name == "w3d":
        found = [(kind, _chunk(kind, body)) for kind, body in w3d.chunks(data)]
        bones = {_name_of(chunk, 20): chunk for kind, chunk in found if kind == _HIERARCHY}
        return [bones.get(_name_of(chunk, 36), b"") + chunk for kind, chunk in found if kind in _ANIMATIONS]
    count = len(ElementTree.fromstring(data).findall(w3x.ANIMATION))
    return [_only(data, number) for number in range(count)]


def _name_of(chunk: bytes, at: int) -> str:
    """The name at an offset of the header, with which chunks of skeletons and animations begin."""
    return w3d.text(chunk[at : at + 16]).upper()


def _chunk(kind: int, body: bytes) -> bytes:
    return kind.to_bytes(4, "little") + len(body).to_bytes(4, "little") + body


def _only(data: bytes, number: int) -> bytes:
    document = ElementTree.fromstring(data)
    for place, each in enumerate(document.findall(w3x.ANIMATION)):
        if place != number:
            document.remove(each)
    return ElementTree.tostring(document)


def apart(data: bytes) -> tuple[bytes, bytes]:
    """The skeleton of a W3D file, and the rest of it."""
    found = [(kind, _chunk(kind, body)) for kind, body in w3d.chunks(data)]
    sides = ([chunk for kind, chunk in found if (kind == _HIERARCHY) is own] for own in (True, False))
    skeleton, rest = (b"".join(side) for side in sides)
    return skeleton, rest


def _w3x(data: bytes, options: dict[str, Any]) -> list[Take]:
    found = []
    for part in parts("w3x", data):
        player = w3x.Player.of(part)
        take = Pivots(player, options, player.name, player.hierarchy, player.rate)
        take.mix = w3d.straight_turn
        found.append(take)
    return found


# --- AnimX ----------------------------------------------------------------------------------------------------------


class Slots(Take):
    """Slots relative to their parents; what no track drives is as the model has it."""

    def __init__(self, player: animx.Player, options: dict[str, Any]) -> None:
        super().__init__(player, options, player.name, own=False)
        self._preset = options.get("axes", "GLTF")

    @property
    def seconds(self) -> float:
        played = [track for track in self.player.tracks if track.type != "string"]
        return max(super().seconds, animx.longest(played))

    def worlds(self, at: float, figure: Figure) -> dict[str, Array]:
        found: dict[str | None, Array] = {None: figure.carrier}
        for node, above in figure.above.items():
            before, after = self._around(above, objects=figure.objects)
            inside = np.linalg.inv(before) @ figure.rests[node] @ np.linalg.inv(after)
            found[node] = found[above] @ before @ self._own(node, at, inside) @ after
        return {node: world for node, world in found.items() if node is not None}

    def _around(self, above: str | None, *, objects: bool) -> tuple[Array, Array]:
        """What stands before and after a slot's own matrix where Blender shows it."""
        flip = np.eye(4)
        flip[:3, :3] = _engine_axes(self._preset, self.options)
        before, after = flip, flip.T
        if self._preset == "GLTF" and (objects or above is None):
            before = _UP @ flip
            after = flip.T @ _UP.T if objects else flip.T
        elif self._preset.startswith("FBX") and objects and above is None:
            before = np.diag([0.01, 0.01, 0.01, 1.0]) @ flip if self._preset == "FBX_CM" else flip
        return before, after

    def _own(self, node: str, at: float, rest: Array) -> Array:
        driven = {name: self.player.field(node, name, at) for name in _SLOT_FIELDS}
        if self.only_turns:
            driven["Position"] = driven["Scale"] = None
        if all(value is None for value in driven.values()):
            return rest
        sizes = np.linalg.norm(rest[:3, :3], axis=0)
        sizes = sizes if driven["Scale"] is None else driven["Scale"]
        found = np.eye(4)
        axes = rest[:3, :3] / np.maximum(np.linalg.norm(rest[:3, :3], axis=0), 1e-9)
        if driven["Rotation"] is not None:
            axes = w3d.matrix((0, 0, 0), driven["Rotation"])[:3, :3]
        found[:3, :3] = axes * sizes
        found[:3, 3] = rest[:3, 3] if driven["Position"] is None else driven["Position"]
        return found

    def values(self, at: float) -> Values:
        found = {}
        for (node, name), track in self.player.by_place.items():
            if name not in _SLOT_FIELDS and len(track.times) and track.type != "string":
                found[node, name] = _as_set(track.type, track.at(at))
        return found

    def hidden(self, at: float, figure: Figure) -> dict[str, bool]:
        if not self.options.get("apply_visibility", True):
            return {}
        off: dict[str | None, bool] = {}
        told = {
            node for (node, name), track in self.player.by_place.items() if name == "Active" and track.type == "bool"
        }
        for node, above in figure.above.items():
            own = node in told and not _as_set("bool", self.player.field(node, "Active", at))[0]
            off[node] = own or off.get(above, False)
        return {node: off[node] for node in told if node in off}

    def marks(self) -> list[tuple[float, str]]:
        found = []
        for track in self.player.tracks:
            texts = ["", *track.texts]
            found += [(at, text) for at, before, text in zip(track.times, texts, texts[1:]) if text != before]
        return found

    def turns_long(self, at: float) -> set[str]:
        turns = {node: self.player.field(node, "Rotation", at) for node in self.player.nodes}
        return {node for node, turn in turns.items() if turn is not None and float(np.linalg.norm(turn)) < 1e-3}


def _as_set(kind: str, value: Array) -> Array:
    """A value as a property shows it: switches turn half way, 255 of a colour's bytes are 1."""
    if kind.startswith("bool"):
        return (value >= 0.5) * 1.0
    return value / 255 if kind == "color32" else value


def _engine_axes(preset: str, options: dict[str, Any]) -> Array:
    """(3, 3) from a slot's vectors to those of a bone."""
    if preset in ("GLTF", "FBX", "FBX_CM"):
        return np.diag([-1.0, 1.0, 1.0])
    manual = preset == "MANUAL"
    forward = _axis(options.get("forward_axis", "Z") if manual else "Z")
    up = _axis(options.get("up_axis", "Y") if manual else "Y")
    hand = -1 if not manual or options.get("left_handed", True) else 1
    return np.array([hand * np.cross(forward, up), forward, up])


@cache
def _slots_player(data: bytes, *orders: str) -> animx.Player:
    return animx.Player(data, *orders)


def _slots(data: bytes, options: dict[str, Any]) -> list[Take]:
    orders = (str(options.get(name, "")) for name in animx.ORDERS)
    return [Slots(_slots_player(data, *orders), options)]


_TAKES = {"mrtk": _hands, "w3d": _w3d, "w3x": _w3x, "animx": _slots}
