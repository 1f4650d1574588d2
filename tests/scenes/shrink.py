"""A find cut down to its smallest scene: steps, bones and keys are taken away while it stays one."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

Recipe = dict[str, Any]
MOST_TRIES = 120


def shrink(recipe: Recipe, still_fails: Callable[[Recipe], bool], tries: int = MOST_TRIES) -> Recipe:
    """The smallest recipe that was found within so many tries for which `still_fails` holds."""
    place, changed = 0, False
    for _ in range(tries):
        candidate = next(islice(_smaller(recipe), place, None), None)
        if candidate is None and not changed:
            break
        if candidate is None:
            place, changed = 0, False
        elif still_fails(candidate):
            recipe, changed = candidate, True
        else:
            place += 1
    return recipe


def _smaller(recipe: Recipe) -> Iterator[Recipe]:
    """Each recipe with a little less, the largest cuts first."""
    for size in (4, 1):
        for start in range(len(recipe["steps"]) - size, -1, -size):
            yield {**recipe, "steps": recipe["steps"][:start] + recipe["steps"][start + size :]}
    for number, step in enumerate(recipe["steps"]):
        yield from (_without(recipe, number, place, "bones") for place in range(len(step.get("bones", ()))))
        between = range(len(step.get("frames", ())) - 2, 0, -1)
        yield from (_without(recipe, number, key, "frames", "rows") for key in between)


def _without(recipe: Recipe, number: int, place: int, *names: str) -> Recipe:
    """A recipe in whose step of that number lists of these names are one shorter."""
    found = copy.deepcopy(recipe)
    for name in names:
        del found["steps"][number][name][place]
    return found
