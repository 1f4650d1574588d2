"""How far off a file is between its frames, where the engine goes its own way from one to the next."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import clock, compare, shown, stage
from .judges import pivots
from .try_scene import export
from .verdict import Export

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


def _errors(recipe: dict[str, Any], exported: Export) -> Array | None:
    written = compare.written_objects(recipe["format"])
    if exported.data is None or exported.imported is not None or len(written) != 1:
        return None
    player = pivots.PLAYERS[recipe["format"]](exported.data)
    numbers = pivots.pivot_numbers(player, written[0].name, {})
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
        np.array([compare.apart(around @ poses[number], moment.worlds[place])
                  for poses, moment in zip(worlds, seen, strict=True) for number, place in places.items()])
        for around in (np.eye(4), seen[0].worlds[written[0].name])
    ]  # fmt: skip
    return min((each / (reach, 1.0) for each in found), key=lambda each: float(each.sum()))
