"""A find cut down to its smallest scene: steps, keys and bones are taken away and numbers halved while it stays one."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

Recipe = dict[str, Any]
MOST_TRIES = 120

_OPTIONAL = {
    "keys": ("modifier", "mute", "extrapolation", "easing", "group", "key"),
    "scene": ("map", "set"),
    "rig": ("at",),
    "metarig": ("at",),
    "thing": ("at",),
    "parent": ("bone",),
    "constraint": ("bone",),
}
"""What a step can do without."""


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


def features(recipe: Recipe) -> str:
    """What is unusual in a recipe, so that finds of one cause can be told as one: `AXIS_ANGLE, strip`."""
    found = {str(recipe["options"][name]) for name in ("version", "flavor") if name in recipe["options"]}
    for step in recipe["steps"]:
        found |= set(_features_of(step))
    return ", ".join(sorted(found))


def _features_of(step: dict[str, Any]) -> Iterator[str]:
    kind = step["do"]
    if kind == "keys":
        yield from (shape for shape in step["shapes"] if shape not in ("BEZIER", "LINEAR"))
        yield from (name for name in ("mute", "extrapolation") if step.get(name) not in (None, False, "CONSTANT"))
        if "modifier" in step:
            yield str(step["modifier"]["type"])
        if len(step["frames"]) == 1:
            yield "one key"
        yield str(step["path"]).rpartition(".")[2].strip(']"').rpartition('"')[2]
    elif kind == "pose":
        yield from (str(value) for value in step["set"].values() if isinstance(value, str))
        yield from (name for name in step["set"] if name not in ("rotation_mode", "inherit_scale"))
    elif kind == "constraint":
        yield str(step["type"])
    elif kind == "scene":
        yield from (name for name in ("map",) if name in step)
        yield from ("fractional rate" for _ in range(step.get("base", 1.0) != 1.0))
    elif kind not in ("rig", "select"):
        yield str(step["type"]).lower() if kind == "thing" and step["type"] in ("CAMERA", "SPOT", "POINT") else kind


def _smaller(recipe: Recipe) -> Iterator[Recipe]:
    """Each recipe with a little less, the largest cuts first."""
    yield from _fewer(recipe, ["steps"], size=4)
    yield from _fewer(recipe, ["steps"])
    for number, step in enumerate(recipe["steps"]):
        if "bones" in step:
            yield from _fewer(recipe, ["steps", number, "bones"])
        if "frames" in step:
            yield from _fewer_keys(recipe, number)
        for name in _OPTIONAL.get(step["do"], ()):
            if name in step:
                yield _without(recipe, ["steps", number], name)
        if len(step.get("names", ())) > 1:
            yield from _fewer(recipe, ["steps", number, "names"])
        yield from _plainer(recipe, number)


def _fewer(recipe: Recipe, path: list[Any], size: int = 1) -> Iterator[Recipe]:
    count = len(_at(recipe, path))
    for start in range(count - size, -1, -size):
        found = copy.deepcopy(recipe)
        del _at(found, path)[start : start + size]
        yield found


def _fewer_keys(recipe: Recipe, number: int) -> Iterator[Recipe]:
    for key in range(len(recipe["steps"][number]["frames"]) - 2, 0, -1):
        found = copy.deepcopy(recipe)
        for name in ("frames", "rows"):
            del found["steps"][number][name][key]
        yield found


def _plainer(recipe: Recipe, number: int) -> Iterator[Recipe]:
    """One curve instead of several, one interpolation, one kind of handle, straight lines."""
    step = recipe["steps"][number]
    if step["do"] != "keys":
        return
    if len(step["indices"]) > 1:
        for place in range(len(step["indices"])):
            rows = [[row[place]] for row in step["rows"]]
            yield _changed(recipe, number, indices=[step["indices"][place]], rows=rows)
    for name, plain in (("shapes", ["LINEAR"]), ("shapes", ["BEZIER"]), ("handles", ["AUTO_CLAMPED"])):
        if step[name] != plain and step["shapes"] != ["LINEAR"]:
            yield _changed(recipe, number, **{name: plain})
    rounded = [[round(value, 1) for value in row] for row in step["rows"]]
    if rounded != step["rows"]:
        yield _changed(recipe, number, rows=rounded)


def _changed(recipe: Recipe, number: int, **values: Any) -> Recipe:
    found = copy.deepcopy(recipe)
    found["steps"][number].update(values)
    return found


def _without(recipe: Recipe, path: list[Any], name: str) -> Recipe:
    found = copy.deepcopy(recipe)
    del _at(found, path)[name]
    return found


def _at(recipe: Any, path: list[Any]) -> Any:
    for part in path:
        recipe = recipe[part]
    return recipe
