"""Writes samples/walker/walker.w3d and walker.tga: a two-legged war machine with skeleton, skin, texture and walk.

    python tools/walking_machine.py [--output samples/walker]

In the space of the game: metres, Z up, X forward, Y to the left. All pivots rest unturned. Legs are bent so that the
feet follow their path over the ground; the last frame is the first one again. The same bytes each time.
"""

from __future__ import annotations

import argparse
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

NAME, RATE, FRAMES = "WALKER", 30, 41
HIP, STEP, LIFT, GROUNDED = 2.7, 0.75, 0.6, 0.6
"""Height of the hips, half a stride, height of a lifted foot (m), and the share of a step that it is on the ground."""
THIGH, SHIN, ANKLE = 1.3, 1.45, 0.34
"""Lengths of a leg's parts, and the height of its ankle (m)."""
APART = 0.85
"""Metres of a hip from the middle."""

TILES = ("armour", "emblem", "steel", "glass", "stripes", "vent", "tubes", "joint")
TILE = 64
"""Pixels of a tile's side; the texture is four tiles wide."""


def knee_behind(hip: Array, ankle: Array) -> Array:
    """Return (n, 2) x and z of knees that are bent backwards between hips and ankles (n, 2)."""
    way = ankle - hip
    far = np.sqrt((way * way).sum(axis=1))
    along = (THIGH**2 - SHIN**2 + far**2) / (2.0 * far)
    aside = np.sqrt(THIGH**2 - along**2)
    straight = way / far[:, None]
    return np.asarray(hip + along[:, None] * straight + aside[:, None] * np.stack([straight[:, 1], -straight[:, 0]], 1))


KNEE = knee_behind(np.array([[0.0, HIP]]), np.array([[0.0, ANKLE]]))[0]

PIVOTS: dict[str, tuple[str, tuple[float, float, float]]] = {
    "ROOTTRANSFORM": ("", (0.0, 0.0, 0.0)),
    "PELVIS": ("ROOTTRANSFORM", (0.0, 0.0, HIP)),
    "HULL": ("PELVIS", (0.0, 0.0, 3.0)),
    "CANNON": ("HULL", (1.0, 0.0, 3.0)),
}
"""Parent, and place in the world (m), of each pivot."""
for _side, _y in (("L", APART), ("R", -APART)):
    PIVOTS[f"THIGH_{_side}"] = ("PELVIS", (0.0, _y, HIP))
    PIVOTS[f"SHIN_{_side}"] = (f"THIGH_{_side}", (float(KNEE[0]), _y, float(KNEE[1])))
    PIVOTS[f"FOOT_{_side}"] = (f"SHIN_{_side}", (0.0, _y, ANKLE))
NUMBERS = {name: number for number, name in enumerate(PIVOTS)}


# --- The shape ----------------------------------------------------------------------------------


@dataclass
class Shape:
    """Corners in the world with normals, coordinates in the texture and bones, and triangles of them."""

    places: list[Array] = field(default_factory=list)
    normals: list[Array] = field(default_factory=list)
    coordinates: list[Array] = field(default_factory=list)
    bones: list[int] = field(default_factory=list)
    triangles: list[tuple[int, int, int]] = field(default_factory=list)

    def face(self, corners: Array, bone: str, tile: str, normals: Array | None = None, pad: float = 0.03) -> None:
        """Add a flat face (n, 3), seen from where its corners go counter-clockwise, with the whole tile on it."""
        first = len(self.bones)
        normal = sum(np.cross(corners[i] - corners[0], corners[i + 1] - corners[0]) for i in range(1, len(corners) - 1))
        normal = normal / np.linalg.norm(normal)
        across = corners[1] - corners[0]
        across = across / np.linalg.norm(across)
        flat = np.stack([corners @ across, corners @ np.cross(normal, across)], axis=1)
        flat = (flat - flat.min(axis=0)) / np.maximum(np.ptp(flat, axis=0), 1e-9) * (1.0 - 2.0 * pad) + pad
        column, row = TILES.index(tile) % 4, TILES.index(tile) // 4
        self.places += list(corners)
        self.normals += [normal] * len(corners) if normals is None else list(normals)
        self.coordinates += list((flat + np.array((column, row))) / (4.0, 2.0))
        self.bones += [NUMBERS[bone]] * len(corners)
        self.triangles += [(first, first + i, first + i + 1) for i in range(1, len(corners) - 1)]

    def loft(self, rings: Array, bone: str, tile: str | Callable[[int, Array], str], ends: tuple[str, str]) -> None:
        """Add a skin over rings (n, corners, 3), each counter-clockwise seen from the last one, and its two ends.

        Args:
            tile: of all faces, or of each by the number of its ring and its normal.
        """
        for number, (low, high) in enumerate(pairwise(rings)):
            for corner in range(len(low)):
                face = np.array([low[corner - 1], low[corner], high[corner], high[corner - 1]])
                normal = np.cross(face[1] - face[0], face[2] - face[0])
                name = tile if isinstance(tile, str) else tile(number, normal / np.linalg.norm(normal))
                self.face(face, bone, name)
        self.face(rings[0][::-1], bone, ends[0])
        self.face(rings[-1], bone, ends[1])

    def box(self, low: Any, high: Any, bone: str, tile: str, shrink: float = 0.0) -> None:
        """Add a box between two corners; its top is smaller by `shrink` on each side."""
        (a, b, c), (d, e, f) = low, high
        s = shrink
        bottom = [(a, b, c), (d, b, c), (d, e, c), (a, e, c)]
        top = [(a + s, b + s, f), (d - s, b + s, f), (d - s, e - s, f), (a + s, e - s, f)]
        self.loft(np.array([bottom, top]), bone, tile, (tile, tile))

    def cylinder(self, start: Any, end: Any, radius: float, bone: str, side: str, cap: str, count: int = 14) -> None:
        """Add a cylinder with smooth sides between two points."""
        start, end = np.array(start, float), np.array(end, float)
        way = (end - start) / np.linalg.norm(end - start)
        first = np.cross(way, (0.0, 0.0, 1.0) if abs(way[2]) < 0.9 else (1.0, 0.0, 0.0))
        first = first / np.linalg.norm(first)
        angles = np.arange(count) * 2.0 * np.pi / count
        around = np.cos(angles)[:, None] * first + np.sin(angles)[:, None] * np.cross(way, first)
        low, high = start + radius * around, end + radius * around
        for at in range(count):
            after = (at + 1) % count
            corners = np.array([low[at], low[after], high[after], high[at]])
            self.face(corners, bone, side, np.array([around[at], around[after], around[after], around[at]]))
        self.face(low[::-1], bone, cap)
        self.face(high, bone, cap)

    def limb(self, start: Any, end: Any, wide: tuple[float, float], deep: tuple[float, float], bone: str) -> None:
        """Add an eight-sided limb from one point to another in a plane of x and z, with half widths and half depths."""
        start, end = np.array(start, float), np.array(end, float)
        way = (end - start) / np.linalg.norm(end - start)
        ahead = np.cross((0.0, 1.0, 0.0), way)
        rings = []
        for share, w, d in (
            (0.0, *_pair(wide, deep, 0)),
            (0.5, *_pair(wide, deep, None)),
            (1.0, *_pair(wide, deep, 1)),
        ):
            points = [
                (-w, -d / 2),
                (-w / 2, -d),
                (w / 2, -d),
                (w, -d / 2),
                (w, d / 2),
                (w / 2, d),
                (-w / 2, d),
                (-w, d / 2),
            ]
            middle = start + share * (end - start)
            rings.append([middle + np.array((0.0, y, 0.0)) + x * ahead for y, x in points])
        self.loft(_facing(np.array(rings)), bone, "armour", ("steel", "steel"))


def _pair(wide: tuple[float, float], deep: tuple[float, float], end: int | None) -> tuple[float, float]:
    """Return half width and half depth at an end of a limb, or thicker in its middle."""
    return (max(wide) * 1.08, max(deep) * 1.08) if end is None else (wide[end], deep[end])


def _facing(rings: Array) -> Array:
    """Return rings (n, corners, 3) with their corners counter-clockwise seen from the last one."""
    first = rings[0]
    turn = sum(np.cross(first[i] - first[0], first[i + 1] - first[0]) for i in range(1, len(first) - 1))
    return rings if turn @ (rings[-1].mean(axis=0) - first.mean(axis=0)) > 0 else rings[:, ::-1]


def machine() -> Shape:
    """Return the whole machine as it stands."""
    shape = Shape()
    _add_hull(shape)
    _add_weapons(shape)
    shape.box((-0.55, -0.45, HIP - 0.3), (0.55, 0.45, HIP + 0.3), "PELVIS", "steel", 0.08)
    shape.cylinder((0.0, -0.9, HIP), (0.0, 0.9, HIP), 0.24, "PELVIS", "steel", "joint")
    shape.cylinder((0.0, 0.0, HIP + 0.2), (0.0, 0.0, HIP + 0.5), 0.5, "PELVIS", "vent", "joint", 18)
    for side, y in (("L", APART), ("R", -APART)):
        _add_leg(shape, side, y)
    return shape


def _add_hull(shape: Shape) -> None:
    """Add the cabin, eight-sided across, from its back to its nose."""
    rings = []
    for x, wide, low, high in (
        (-1.45, 0.6, 3.25, 4.3),
        (-1.1, 1.0, 3.0, 4.6),
        (0.45, 1.05, 2.95, 4.6),
        (1.35, 0.8, 3.05, 3.95),
        (1.7, 0.5, 3.15, 3.6),
    ):
        c = 0.36 * wide
        d = 0.28 * (high - low)
        points = [
            (-wide + c, low),
            (wide - c, low),
            (wide, low + d),
            (wide, high - d),
            (wide - c, high),
            (-wide + c, high),
        ]
        rings.append([(x, y, z) for y, z in (*points, (-wide, high - d), (-wide, low + d))])
    shape.loft(_facing(np.array(rings)), "HULL", _hull_tile, ("vent", "vent"))
    shape.cylinder((-0.45, 0.0, 4.55), (-0.45, 0.0, 4.75), 0.42, "HULL", "steel", "joint", 16)
    shape.cylinder((-0.95, 0.55, 4.5), (-1.05, 0.55, 5.9), 0.025, "HULL", "steel", "steel", 6)
    for y in (0.5, -0.5):
        shape.cylinder((-1.3, y, 3.6), (-1.75, y, 3.75), 0.17, "HULL", "steel", "vent", 12)


def _hull_tile(number: int, way: Array) -> str:
    """Return what is painted on a face of the cabin, by its place from the back and the way that it faces."""
    if way[2] < -0.3:
        return "steel"
    if number == 2 and way[2] > 0.3:
        return "glass"
    return "stripes" if number == 3 and way[2] > 0.3 else "armour"


def _add_weapons(shape: Shape) -> None:
    """Add a twin cannon below the nose, and a launcher on each side."""
    shape.box((0.75, -0.36, 2.6), (1.45, 0.36, 3.02), "CANNON", "steel", 0.07)
    for y in (0.19, -0.19):
        shape.cylinder((1.3, y, 2.8), (2.6, y, 2.8), 0.075, "CANNON", "steel", "vent", 10)
        shape.cylinder((2.3, y, 2.8), (2.72, y, 2.8), 0.12, "CANNON", "steel", "tubes", 10)
    for sign in (1.0, -1.0):
        shape.cylinder((-0.2, 0.9 * sign, 3.8), (-0.2, 1.3 * sign, 3.8), 0.2, "HULL", "steel", "joint", 12)
        low, high = sorted((1.22 * sign, 1.85 * sign))
        shape.box((-0.85, low, 3.48), (0.75, high, 4.14), "HULL", "armour", 0.05)
        front = [(0.79, low + 0.06, 3.53), (0.79, high - 0.06, 3.53), (0.76, high - 0.1, 4.08), (0.76, low + 0.1, 4.08)]
        shape.face(np.array(front), "HULL", "tubes")
        y = 1.855 * sign
        badge = [(0.35 * sign, y, 3.55), (-0.35 * sign, y, 3.55), (-0.35 * sign, y - 0.03 * sign, 4.1)]
        shape.face(np.array([*badge, (0.35 * sign, y - 0.03 * sign, 4.1)]), "HULL", "emblem")


def _add_leg(shape: Shape, side: str, y: float) -> None:
    """Add thigh, shin and foot with their joints."""
    thigh, shin, foot = f"THIGH_{side}", f"SHIN_{side}", f"FOOT_{side}"
    hip, knee, ankle = (np.array(PIVOTS[name][1]) for name in (thigh, shin, foot))
    half = np.array((0.0, 0.3, 0.0))
    for place, radius, bone in ((hip, 0.4, thigh), (knee, 0.33, shin), (ankle, 0.24, foot)):
        shape.cylinder(place - half, place + half, radius, bone, "steel", "joint", 16)
    shape.limb(hip, knee, (0.22, 0.19), (0.32, 0.25), thigh)
    shape.limb(knee, ankle, (0.2, 0.15), (0.27, 0.17), shin)
    for aside in (-0.26, 0.26):
        middle = np.array((0.0, aside, 0.0))
        shape.cylinder(knee + middle, ankle + middle, 0.06, shin, "steel", "steel", 8)
    heel, toe = (-0.5, 0.08), (0.62, 0.02)
    rings = [
        [(x, y - w, 0.0), (x, y + w, 0.0), (x, y + 0.7 * w, h), (x, y - 0.7 * w, h)]
        for x, w, h in ((heel[0], 0.26, 0.2), (-0.15, 0.36, 0.4), (0.2, 0.4, 0.36), (toe[0], 0.42, 0.22))
    ]
    shape.loft(_facing(np.array(rings)), foot, "armour", ("stripes", "stripes"))
    for aside in (-0.26, 0.0, 0.26):
        claw = [
            [(x, y + aside - w, 0.0), (x, y + aside + w, 0.0), (x, y + aside + w, h), (x, y + aside - w, h)]
            for x, w, h in ((0.55, 0.11, 0.2), (1.0, 0.06, 0.06))
        ]
        shape.loft(_facing(np.array(claw)), foot, "steel", ("steel", "steel"))


# --- The texture --------------------------------------------------------------------------------


def picture() -> Array:
    """Return the texture (rows from the top, columns, 3) uint8."""
    random = np.random.default_rng(5)
    rows = [[_tile(TILES[4 * row + column], random) for column in range(4)] for row in range(2)]
    return np.clip(np.concatenate([np.concatenate(row, axis=1) for row in rows]), 0, 255).astype(np.uint8)


def _tile(name: str, random: np.random.Generator) -> Array:
    """Return one tile (TILE, TILE, 3) float64: a colour with its pattern, worn, and darker towards its edge."""
    y, x = (axis / TILE for axis in np.mgrid[0.5:TILE, 0.5:TILE])
    sand, steel = np.array((186.0, 150.0, 84.0)), np.array((78.0, 82.0, 90.0))
    radius = np.hypot(x - 0.5, y - 0.5)
    edge = np.minimum(np.minimum(x, 1.0 - x), np.minimum(y, 1.0 - y))
    colour = np.broadcast_to(sand if name in ("armour", "emblem", "stripes") else steel, (TILE, TILE, 3)).copy()
    if name in ("armour", "emblem"):
        seams = (np.abs(x - 0.5) < 0.012) & (name == "armour")
        colour[seams | (np.abs(y - 0.72) < 0.012)] *= 0.55
        rivets = np.hypot((x * 8.0) % 1.0 - 0.5, (np.minimum(y, 1.0 - y) * 8.0) - 0.8) < 0.22
        colour[rivets] *= 1.22
    if name == "emblem":
        ring = np.abs(np.hypot(x - 0.5, y - 0.4) - 0.25) < 0.035
        chevron = (np.abs(y - 0.3 - 0.7 * np.abs(x - 0.5)) < 0.045) & (np.hypot(x - 0.5, y - 0.4) < 0.24)
        colour[ring | chevron] = (118.0, 22.0, 18.0)
    elif name == "glass":
        colour[:] = (18.0, 44.0, 58.0)
        colour += 95.0 * np.clip(1.0 - np.abs(x + 0.7 * y - 0.75) / 0.16, 0.0, 1.0)[..., None] * (0.5, 0.9, 1.0)
        colour[(np.abs(x - 0.5) < 0.03) | (edge < 0.07)] = steel * 0.8
    elif name == "stripes":
        colour[((x + y) * 3.5) % 1.0 < 0.5] = (34.0, 32.0, 30.0)
    elif name == "vent":
        colour *= (0.45 + 0.5 * ((y * 7.0) % 1.0))[..., None]
        colour[edge < 0.08] = steel * 1.1
    elif name == "tubes":
        holes = np.hypot((x * 3.0) % 1.0 - 0.5, (y * 3.0) % 1.0 - 0.5)
        colour[holes < 0.4] = (24.0, 24.0, 26.0)
        colour[holes < 0.22] = (150.0, 34.0, 26.0)
    elif name == "joint":
        colour[np.abs(radius - 0.33) < 0.03] *= 0.5
        colour[radius < 0.16] *= 1.35
        bolts = np.hypot(radius - 0.43, (np.arctan2(y - 0.5, x - 0.5) / np.pi * 4.0 % 1.0 - 0.5) * 0.25) < 0.04
        colour[bolts] *= 1.5
    worn = random.normal(1.0, 0.05, (TILE, TILE)) * (1.0 - 0.35 * np.exp(-edge / 0.035)) * (1.06 - 0.16 * y)
    return np.asarray(colour * worn[..., None])


def targa(pixels: Array) -> bytes:
    """Return the bytes of a Targa file, 24 bits, from the bottom up."""
    height, width, _ = pixels.shape
    header = struct.pack("<3B2HB4H2B", 0, 0, 2, 0, 0, 0, 0, 0, width, height, 24, 0)
    return header + pixels[::-1, :, ::-1].tobytes()


# --- The walk -----------------------------------------------------------------------------------


def walk() -> dict[str, tuple[Array, Array]]:
    """Return by pivot the places (FRAMES, 3) in metres beside its rest, and the turns (FRAMES, 4) as x, y, z, w."""
    phase = np.arange(FRAMES) / (FRAMES - 1)
    whole = 2.0 * np.pi * phase
    still = np.zeros((FRAMES, 3))
    bob = 0.07 * np.cos(2.0 * whole + 0.6)
    tracks = {"PELVIS": (bob[:, None] * (0.0, 0.0, 1.0), turned(still[:, 0], 1))}
    tracks["HULL"] = (still, multiplied(turned(5.0 * np.sin(whole), 2), turned(2.5 * np.sin(whole + 0.4), 0)))
    tracks["CANNON"] = (still, turned(4.0 * np.sin(2.0 * whole + 1.0), 1))
    for side, late in (("L", 0.0), ("R", 0.5)):
        for name, turn in leg_turns((phase + late) % 1.0, bob).items():
            tracks[f"{name}_{side}"] = (still, turn)
    return tracks


def leg_turns(phase: Array, bob: Array) -> dict[str, Array]:
    """Return the turns of a leg's parts (FRAMES, 4) that put its foot where it is at a phase (FRAMES,) of its step."""
    swing = np.clip((phase - GROUNDED) / (1.0 - GROUNDED), 0.0, 1.0)
    eased = swing * swing * (3.0 - 2.0 * swing)
    x = np.where(swing > 0.0, -STEP + 2.0 * STEP * eased, STEP - 2.0 * STEP * phase / GROUNDED)
    ankle = np.stack([x, ANKLE + LIFT * np.sin(np.pi * swing) ** 2], axis=1)
    hip = np.stack([np.zeros(FRAMES), HIP + bob], axis=1)
    knee = knee_behind(hip, ankle)
    rest = np.array([[0.0, HIP]]), KNEE[None], np.array([[0.0, ANKLE]])
    thigh = _pitch(knee - hip) - _pitch(rest[1] - rest[0])
    shin = _pitch(ankle - knee) - _pitch(rest[2] - rest[1])
    foot = 14.0 * np.sin(2.0 * np.pi * swing) * np.sin(np.pi * swing)
    return {"THIGH": turned(thigh, 1), "SHIN": turned(shin - thigh, 1), "FOOT": turned(foot - shin, 1)}


def _pitch(way: Array) -> Array:
    """Return (n,) degrees about Y of vectors (n, 2) of x and z."""
    return np.asarray(np.degrees(np.unwrap(np.arctan2(way[:, 0], way[:, 1]) % (2.0 * np.pi))))


def turned(degrees: Array, axis: int) -> Array:
    """Return turns (n, 4), x, y, z, w, by degrees (n,) about an axis."""
    half = np.radians(degrees) / 2.0
    result = np.zeros((len(half), 4))
    result[:, axis], result[:, 3] = np.sin(half), np.cos(half)
    return result


def multiplied(first: Array, second: Array) -> Array:
    """Return turns (n, 4) that do the second before the first."""
    a, b = first[:, :3], second[:, :3]
    vector = first[:, 3:] * b + second[:, 3:] * a + np.cross(a, b)
    return np.concatenate([vector, first[:, 3:] * second[:, 3:] - (a * b).sum(axis=1)[:, None]], axis=1)


# --- The file -----------------------------------------------------------------------------------


def chunk(kind: int, *parts: bytes, holds_chunks: bool = False) -> bytes:
    """Return a chunk: its id, its size, what it holds."""
    data = b"".join(parts)
    return struct.pack("<2I", kind, len(data) | (0x80000000 if holds_chunks else 0)) + data


def packed(values: Any, kind: str) -> bytes:
    """Return numbers as they lie in the file, of five digits: the last bits of a sine are not everywhere the same."""
    return np.ascontiguousarray(np.round(values, 5) + 0, kind).tobytes()


def hierarchy() -> bytes:
    """Return the skeleton."""
    pivots = []
    for name, (parent, place) in PIVOTS.items():
        above = NUMBERS[parent] if parent else 0xFFFFFFFF
        local = np.array(place) - (PIVOTS[parent][1] if parent else (0.0, 0.0, 0.0))
        pivots.append(struct.pack("<16sI10f", name.encode(), above, *local, 0, 0, 0, 0, 0, 0, 1))
    head = struct.pack("<I16sI3f", 0x40001, NAME.encode(), len(PIVOTS), 0, 0, 0)
    fixups = packed([[*np.eye(3).tolist(), [0, 0, 0]]] * len(PIVOTS), "<f4")
    return chunk(0x100, chunk(0x101, head), chunk(0x102, *pivots), chunk(0x103, fixups), holds_chunks=True)


def animation() -> bytes:
    """Return the walk as raw channels: a place along one axis, or a turn, on each frame."""
    channels = []
    for name, (place, turn) in walk().items():
        rows = [(axis, place[:, [axis]]) for axis in range(3)] + [(6, turn)]
        for kind, values in rows:
            if (values != values[:1]).any():
                head = struct.pack("<6H", 0, FRAMES - 1, values.shape[1], kind, NUMBERS[name], 0)
                channels.append(chunk(0x202, head, packed(values, "<f4")))
    head = struct.pack("<I16s16s2I", 0x40001, NAME.encode(), NAME.encode(), FRAMES, RATE)
    return chunk(0x200, chunk(0x201, head), *channels, holds_chunks=True)


def mesh(shape: Shape) -> bytes:
    """Return the skin, whose corners are in the space of their bones, with one material and one texture."""
    places, bones = np.array(shape.places), np.array(shape.bones)
    heads = np.array([place for _, place in PIVOTS.values()])
    triangles = np.zeros(len(shape.triangles), [("corners", "<u4", 3), ("surface", "<u4"), ("plane", "<f4", 4)])
    triangles["corners"] = shape.triangles
    flat = places[triangles["corners"]]
    normals = np.cross(flat[:, 1] - flat[:, 0], flat[:, 2] - flat[:, 0])
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    triangles["plane"] = np.round(np.concatenate([normals, (normals * flat[:, 0]).sum(axis=1)[:, None]], axis=1), 5) + 0
    influences = np.zeros(len(bones), [("bone", "<u2"), ("rest", "<u2", 3)])
    influences["bone"] = bones
    middle = (places.min(axis=0) + places.max(axis=0)) / 2.0
    reach = np.linalg.norm(places - middle, axis=1).max()
    bounds = np.round([*places.min(axis=0), *places.max(axis=0), *middle, reach], 5)
    head = struct.pack("<2I16s16s", 0x40002, 0x20000, b"BODY", NAME.encode())
    head += struct.pack("<9I10f", len(triangles), len(bones), 1, 0, 0, 0, 0, 0x17, 1, *bounds)
    grey = bytes((255, 255, 255, 0))
    look = struct.pack("<I", 0) + grey * 2 + bytes(8) + struct.pack("<3f", 1.0, 1.0, 0.0)
    shader = bytes((3, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0))
    drawn = np.array(shape.coordinates) * (1.0, -1.0) + (0.0, 1.0)
    stage = chunk(0x48, chunk(0x49, packed([0], "<u4")), chunk(0x4A, packed(drawn, "<f4")), holds_chunks=True)
    return chunk(
        0x00,
        chunk(0x1F, head),
        chunk(0x02, packed(places - heads[bones], "<f4")),
        chunk(0x03, packed(shape.normals, "<f4")),
        chunk(0x20, triangles.tobytes()),
        chunk(0x0E, influences.tobytes()),
        chunk(0x22, packed(np.arange(len(bones)), "<u4")),
        chunk(0x28, packed([1, 1, 1, 1], "<u4")),
        chunk(0x2A, chunk(0x2B, chunk(0x2C, b"walker\0"), chunk(0x2D, look), holds_chunks=True), holds_chunks=True),
        chunk(0x29, shader),
        chunk(0x30, chunk(0x31, chunk(0x32, b"walker.tga\0"), holds_chunks=True), holds_chunks=True),
        chunk(0x38, chunk(0x39, packed([0], "<u4")), chunk(0x3A, packed([0], "<u4")), stage, holds_chunks=True),
        holds_chunks=True,
    )


def model() -> bytes:
    """Return which mesh is drawn on the skeleton."""
    head = struct.pack("<2I16s16s", 0x10000, 1, NAME.encode(), NAME.encode())
    body = chunk(0x704, struct.pack("<I32s", 0, f"{NAME}.BODY".encode()))
    level = chunk(0x702, chunk(0x703, struct.pack("<If", 1, 3.4e38)), body, holds_chunks=True)
    return chunk(0x700, chunk(0x701, head), level, holds_chunks=True)


def main() -> None:
    """Write the model with its walk, and its texture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=Path(__file__).resolve().parent.parent / "samples" / "walker")
    folder = parser.parse_args().output
    (folder / "walker.w3d").write_bytes(hierarchy() + mesh(machine()) + model() + animation())
    (folder / "walker.tga").write_bytes(targa(picture()))


if __name__ == "__main__":
    main()
