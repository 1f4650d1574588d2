"""What a file makes of a figure in Blender: each format's player, turned into Blender's axes, at any second.

A node's world is relative to what carries the figure; `values` are what custom properties of its bones should be.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

import mrtk_reference
import numpy as np

from . import animx, mrtk, w3d, w3x

Array = np.ndarray[Any, Any]
Values = dict[tuple[str, str], Array]
SWAPPED = np.array([[1.0, 0, 0], [0, 0, 1], [0, 1, 0]])
UP = np.array([[1.0, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]])


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

    def hidden(self, at: float, figure: Figure) -> dict[str, bool]:
        """Whether nodes of which the file says that are not seen, where an option asks for it."""
        del figure
        if not self.options.get("apply_visibility", True):
            return {}
        seen = {node: float(value[0]) for (node, name), value in self.values(at).items() if name == "visibility"}
        return {node: value < w3x.LEAST_SHOWN for node, value in seen.items()}

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
    return UP @ found if turned else found


def _axis(name: str) -> Array:
    return np.eye(3)["XYZ".index(name[-1])] * (-1 if name[0] == "-" else 1)


# --- MRTK -----------------------------------------------------------------------------------------------------------


class Hands(Take):
    """Joints in the world."""

    def worlds(self, at: float, figure: Figure) -> dict[str, Array]:
        joints = [f"{joint}.{side}" for side in "LR" for joint in mrtk_reference.JOINTS[1:]]
        found = {}
        for node in filter(self.player.has, [*joints, "Camera"]):
            place, turn = self.player.pose(node, at)
            found[node] = np.eye(4)
            found[node][:3, :3] = SWAPPED @ w3d.matrix((0, 0, 0), turn)[:3, :3] @ SWAPPED
            found[node][:3, 3] = SWAPPED @ place
        if self.only_turns:  # each is where the one above carries it
            held: dict[str | None, Array] = {None: np.eye(4)}
            for node, above in figure.above.items():
                rest = held[above] @ figure.rests[node]
                held[node] = found.get(node, rest)
                held[node][:3, 3] = rest[:3, 3]
        elif self.player.has("Gaze"):
            origin, direction = self.player.gaze(at)
            for node, place in (("Gaze", origin), ("GazeDirection", origin + direction)):
                found[node] = np.eye(4)
                found[node][:3, 3] = SWAPPED @ place
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


def _hands(data: bytes, options: dict[str, Any]) -> list[Take]:
    return [Hands(mrtk.Player(data), options)]


# --- W3D, W3X -------------------------------------------------------------------------------------------------------


class Pivots(Take):
    """Pivots in the space of their object."""

    def __init__(self, player: w3d.Player, options: dict[str, Any]) -> None:
        super().__init__(player, options, player.name, player.rate)
        engine = options.get("engine", "AUTO")
        player.straight = player.straight if engine == "AUTO" else engine == "BFME"
        player.rounds = player.straight or engine == "GENERALS"
        for channel in player.channels if player.straight else ():
            channel.values = channel.values if channel.chords is None else channel.chords

    @property
    def unsure(self) -> float:
        """Quaternions of adaptive delta are not of length 1: half way between two such is a matter of taste."""
        turns = [channel.values for channel in self.player.channels if channel.type == w3d.ROTATION]
        off = [float(np.abs(np.linalg.norm(values, axis=1) - 1).max()) for values in turns if len(values)]
        return 10.0 * max([0.0, *(each for each in off if each > 1e-3)])

    def _frame(self, at: float) -> float:
        return min(max(at * self.rate, 0.0), float(self.player.frames - 1))

    def worlds(self, at: float, figure: Figure) -> dict[str, Array]:
        del figure
        found = self.player.worlds(self._frame(at), only_turns=self.only_turns)
        return dict(zip(self.player.names, found, strict=True))

    def values(self, at: float) -> Values:
        frame, names = self._frame(at), self.player.names
        shown = {pivot: bits for pivot, bits in self.player.shown.items() if 0 < pivot < len(names)}
        found = {(names[pivot], "visibility"): np.array([float(bits[int(frame)])]) for pivot, bits in shown.items()}
        for pivot, opacity in self.player.opacity.items():
            found[names[pivot], "visibility"] = self.player.value(opacity, frame)
        for channel in self.player.channels:
            if channel.type == w3d.FADE and 0 < channel.pivot < len(names):
                found[names[channel.pivot], "fade"] = self.player.value(channel, frame)
        return found


def _pivots(of: Callable[..., Any], data: bytes, options: dict[str, Any]) -> list[Take]:
    return [Pivots(of(data, number), options) for number in range(of(data).animations)]


def apart(data: bytes) -> tuple[bytes, bytes]:
    """The skeleton of a W3D file, and the rest of it."""
    sides: dict[bool, bytes] = {True: b"", False: b""}
    for kind, body in w3d.chunks(data):
        sides[kind == w3d.HIERARCHY] += struct.pack("<II", kind, len(body)) + body
    return sides[True], sides[False]


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
        turns = self._turns(figure)
        for node, above in figure.above.items():
            before, after = self._around(above, objects=figure.objects)
            rest = turns[above] @ figure.rests[node] @ turns[node].T
            inside = np.linalg.inv(before) @ rest @ np.linalg.inv(after)
            fields = animx.FIELDS[1:2] if self.only_turns else animx.FIELDS
            found[node] = found[above] @ before @ self.player.local(node, at, inside, fields) @ after
        return {node: world @ turns[node] for node, world in found.items() if node is not None}

    def _turns(self, figure: Figure) -> dict[str | None, Array]:
        """The quarter turns by which bones of a body, which rests in the first pose, lie along their limbs."""
        found: dict[str | None, Array] = {None: np.eye(4)}
        for node, above in figure.above.items():
            before, after = self._around(above, objects=False)
            first = before @ self.player.local(node, 0.0, np.eye(4), animx.FIELDS[1:2]) @ after
            turn, found[node] = first.T @ found[above] @ figure.rests[node], np.eye(4)
            if any(figure.above.values()) and not figure.objects and np.abs(turn - turn.round())[:3, :3].max() < 1e-3:
                found[node][:3, :3] = turn[:3, :3].round()
        return found

    def _around(self, above: str | None, *, objects: bool) -> tuple[Array, Array]:
        """What stands before and after a slot's own matrix where Blender shows it."""
        flip = np.eye(4)
        flip[:3, :3] = engine_axes(self._preset, self.options)
        before, after = flip, flip.T
        if self._preset == "GLTF" and (objects or above is None):
            before = UP @ flip
            after = flip.T @ UP.T if objects else flip.T
        elif self._preset.startswith("FBX") and objects and above is None:
            before = np.diag([0.01, 0.01, 0.01, 1.0]) @ flip if self._preset == "FBX_CM" else flip
        return before, after

    def values(self, at: float) -> Values:
        found = {}
        for (node, name), track in self.player.by_place.items():
            if name not in animx.FIELDS and len(track.times) and track.type != "string":
                found[node, name] = _as_set(track.type, self.player.field(node, name, at))
        return found

    def hidden(self, at: float, figure: Figure) -> dict[str, bool]:
        if not self.options.get("apply_visibility", True):
            return {}
        off: dict[str | None, bool] = {}
        tracks = self.player.by_place.items()
        told = {node for (node, name), track in tracks if name == "Active" and track.type == "bool"}
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


def _as_set(kind: str, value: Array) -> Array:
    """A value as a property shows it: switches turn half way."""
    return (value >= 0.5) * 1.0 if kind.startswith("bool") else value


def engine_axes(preset: str, options: dict[str, Any]) -> Array:
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


_TAKES = {"mrtk": _hands, "animx": _slots}
_TAKES |= {"w3d": partial(_pivots, w3d.Player.of), "w3x": partial(_pivots, w3x.Player.of)}
