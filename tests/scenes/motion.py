"""What moves in a scene: keys of every kind, and what makes a pose besides keys."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import Any

Step = dict[str, Any]
RATES = ((24, 1.0), (30, 1.0), (60, 1.0), (25, 1.0), (30, 1.001), (15, 1.0))
FIRSTS = (0, 0, 0, 1, 1, 101, 1001, -40, -10, 17)
HANDLES = ("AUTO_CLAMPED", "AUTO_CLAMPED", "AUTO", "VECTOR", "FREE", "ALIGNED")
SHAPES = ("BEZIER", "BEZIER", "BEZIER", "LINEAR", "CONSTANT")
EASED = ("SINE", "QUAD", "CUBIC", "QUART", "QUINT", "EXPO", "CIRC", "BACK", "BOUNCE", "ELASTIC")
ORDERS = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")
_LONGEST = 0.9
"""Of the way to the next key, for free handles: two that reach it make the curve stand upright in the middle, where the
last digit of the frame decides what Blender shows.
"""

_LONG_WAY = 0.1
"""Of quaternions: those with a key whose sign is opposite to its neighbours'."""


def frames(random: Random, first: int, last: int, most: int = 5) -> list[int]:
    """Frames with keys from the first to the last, both included."""
    between = range(first + 1, last)
    count = min(random.randint(0, most - 2), len(between))
    return [first, *sorted(random.sample(between, count)), last]


def keys(random: Random, owner: str, path: str, at: list[int], centre: list[float], spread: float) -> Step:
    """Keys of all components of a property at the same frames."""
    shapes = [random.choice(SHAPES) for _ in range(random.choice((1, 1, 2, 3)))]
    if random.random() < 0.12:
        shapes = [random.choice(EASED)]
    rows = [[round(value + random.uniform(-spread, spread), 4) for value in centre] for _ in at]
    handles = [random.choice(HANDLES) for _ in range(random.choice((1, 1, 2)))]
    step: Step = {"do": "keys", "owner": owner, "path": path, "indices": list(range(len(centre))), "frames": at,
                  "rows": rows, "shapes": shapes, "handles": handles}  # fmt: skip
    if shapes[0] in EASED:
        step["easing"] = random.choice(("AUTO", "EASE_IN", "EASE_OUT", "EASE_IN_OUT"))
    if "FREE" in step["handles"] or "ALIGNED" in step["handles"]:
        step["reach"] = round(min(random.uniform(0.3, 6), _LONGEST * shortest(at)), 3)
        step["rise"] = round(spread * random.uniform(-0.5, 0.5), 4)
    return step


def switch(owner: str, path: str, at: list[int], rows: Any = None, shape: str = "CONSTANT", **more: Any) -> Step:
    """Keys of a single number, off and on by turns where nobody says which."""
    rows = [[float(number % 2)] for number in range(len(at))] if rows is None else rows
    return {"do": "keys", "owner": owner, "path": path, "indices": [0], "frames": at, "rows": rows, "shapes": [shape],
            "handles": ["AUTO_CLAMPED"], **more}  # fmt: skip


def shortest(at: list[int]) -> float:
    """Frames between the two keys that are closest, 1 for a single key."""
    return float(min((after - before for before, after in pairwise(at)), default=1))


def location(random: Random, owner: str, prefix: str, at: list[int], spread: float) -> Step:
    """A place that moves; sometimes only one axis of it."""
    step = keys(random, owner, f"{prefix}location", at, [0.0] * 3, spread)
    return only_one(random, step) if random.random() < 0.25 else step


def only_one(random: Random, step: Step) -> Step:
    """One component of what a step moves."""
    index = random.choice(step["indices"])
    place = step["indices"].index(index)
    return {**step, "indices": [index], "rows": [[row[place]] for row in step["rows"]]}


def turn(random: Random, owner: str, prefix: str, at: list[int], mode: str) -> Step:
    """A rotation in a mode; quaternions of length 1, or of none in particular as a person's edits leave them.

    A few have a key of the opposite sign, to and from which Blender turns the long way; not
    within a frame, where recordings jump and nobody sees it.
    """
    if mode == "AXIS_ANGLE":
        return keys(random, owner, f"{prefix}rotation_axis_angle", at, [0.5, 0.3, 1.0, 0.2], 0.4)
    if mode != "QUATERNION":
        return keys(random, owner, f"{prefix}rotation_euler", at, [0.0] * 3, 1.0)
    step = keys(random, owner, f"{prefix}rotation_quaternion", at, [1.0, 0.0, 0.0, 0.0], 0.4)
    if random.random() < 0.6:
        step["rows"] = [_unit(row) for row in step["rows"]]
    own = Random(str(step["rows"]))  # so that other scenes stay as they are
    if own.random() < _LONG_WAY:
        key = own.randrange(len(at))
        if min((abs(other - at[key]) for other in at if other != at[key]), default=0) > 1:
            step["rows"][key] = [-value for value in step["rows"][key]]
    return step


def _unit(row: list[float]) -> list[float]:
    length = sum(value * value for value in row) ** 0.5
    return [round(value / length, 6) for value in row]


def size(random: Random, owner: str, prefix: str, at: list[int]) -> Step:
    """A stretch."""
    return keys(random, owner, f"{prefix}scale", at, [1.0] * 3, 0.3)


def modifier(random: Random, first: int, last: int) -> Step:
    """A modifier of a curve, with an end or without."""
    kind = random.choice(("CYCLES", "CYCLES", "NOISE", "STEPPED", "LIMITS"))
    values: Step = {}
    if kind == "CYCLES":
        values = {"mode_after": random.choice(("REPEAT", "REPEAT_OFFSET", "MIRROR"))}
        values["cycles_after"] = random.choice((0, 0, 2))
    elif kind == "NOISE":
        values = {"strength": 0.2, "scale": 5.0}
    elif kind == "STEPPED":
        values = {"frame_step": 3.0}
    else:
        values = {"use_max_y": True, "max_y": 0.1}
    if kind != "CYCLES" and random.random() < 0.4:
        values |= {"use_restricted_range": True, "frame_start": first + 2, "frame_end": max(first + 3, last - 2)}
    return {"type": kind, "set": values}


def strip(random: Random, owner: str, first: int) -> Step:
    """The Action as a strip: as it was pushed down, or moved, scaled, blended."""
    step: Step = {"do": "strip", "owner": owner, "at": None, "set": {}}
    if random.random() < 0.5:
        step["at"] = first + random.choice((0, 7, -5))
        step["set"] = random.choice(
            ({}, {"scale": 2.0}, {"use_reverse": True}, {"repeat": 2.0}, {"extrapolation": "NOTHING"})
        )
    return step
