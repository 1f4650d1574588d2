"""How far off a file is between its frames, where the engine goes its own way from one to the next."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import clock, compare, shown, stage
from .try_scene import export

Array = np.ndarray[Any, Any]
_LEAST_FRAMES = 3
_SHARES = (0.25, 0.5, 0.75)


def errors(recipe: dict[str, Any], formats: dict[str, dict[str, Any]]) -> dict[str, Array] | None:
    """What several formats make of one scene: for each (bones x moments, 2) parts of the size and degrees.

    Args:
        formats: options by name.

    Returns:
        None where one of them does not hold the scene whole, as with two armatures or names that are too long.
    """
    facts = stage.build(recipe)
    found = {}
    for name, options in formats.items():
        each = {**recipe, "format": name, "options": options}
        off = _errors(each, export(each, facts))
        if off is None:
            return None
        found[name] = off
    return found


def _errors(recipe: dict[str, Any], exported: compare.Export) -> Array | None:
    written = compare.written_objects(recipe["format"])
    if exported.data is None or exported.imported is not None or len(written) != 1:
        return None
    player = compare.PIVOT_PLAYERS[recipe["format"]](exported.data)
    numbers = compare.pivot_numbers(player, written[0].name, {})
    (span, *_) = clock.candidates(written, None)
    alike = abs(player.rate - clock.rate()) < 1e-3 and clock.stretch() == 1.0
    if not alike or None in numbers.values() or player.frames < _LEAST_FRAMES or player.frames != span.frames:
        return None
    moments = [number + share for number in range(player.frames - 1) for share in _SHARES]
    seen = shown.moments([span.first + moment for moment in moments])
    places = {number: f"{written[0].name}/{bone}" for bone, number in numbers.items()}
    reach = compare.extent(seen, list(places.values()))
    worlds = [player.worlds(moment) for moment in moments]
    # a rig that stands still may be told from where it stands, which the game places
    found = [
        np.array([_off(around @ poses[number], moment.worlds[place], reach)
                  for poses, moment in zip(worlds, seen, strict=True) for number, place in places.items()])
        for around in (np.eye(4), seen[0].worlds[written[0].name])
    ]  # fmt: skip
    return min(found, key=lambda each: float(each.sum()))


def _off(found: Array, wanted: Array, reach: float) -> tuple[float, float]:
    """Parts of the size, and degrees."""
    axes, own = compare.rotation_of(wanted), compare.rotation_of(found)
    turned = 0.0 if axes is None or own is None else compare.angle(own, axes)
    return float(np.linalg.norm(found[:3, 3] - wanted[:3, 3])) / reach, turned
