"""Drivers as curves: where one gives `a * x + b` of a number that has keys, that has the keys of the driven one."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator
from contextlib import suppress

import numpy as np
from bpy.types import ID, FCurve

from .. import actions, fcurves, undo
from ..data_paths import split_bone
from . import influences

_Line = tuple[float, float]
"""The `a` and `b` of `a * x + b`."""

_AS_IT_IS = (1.0, 0.0)
_STRAIGHT = 1e-5
_LOOKS, _NEAR = np.array([0.0, 1.0, -1000.0, -10.0, -1.0, 0.5, 2.0, 10.0, 1000.0]), np.array([-0.3, 0.0, 0.3])
"""Numbers at which a driver's own curve is looked at: anywhere, and beside each of its keys."""

_COMPONENT = re.compile(r"(.*)(?:\[(\d)\]|\.([xyz]))", re.DOTALL)
_BY_POSE = ("rotation", "delta_")
"""How paths begin of what is not written with the keys that it has."""


def linear_drivers(owner: ID, keyed: set[influences.Value]) -> list[fcurves.DrivenCurve]:
    """Return what drivers make of other curves, by path and index; what is `keyed` besides is left to samples."""
    drivers = (driver for driver in influences.active_drivers(owner) if influences.address(driver) not in keyed)
    free = (driver for driver in drivers if not split_bone(driver.data_path)[1].startswith(_BY_POSE))
    return sorted((curve for driver in free for curve in _as_curve(driver)), key=influences.address)


def _as_curve(driven: FCurve) -> Iterator[fcurves.DrivenCurve]:
    driver, line = driven.driver, _AS_IT_IS
    if not driver.is_valid or len(driver.variables) != 1 or driver.variables[0].type != "SINGLE_PROP":
        return
    (variable,) = driver.variables
    owner, path = variable.targets[0].id, variable.targets[0].data_path
    source = None if owner is None else _source(owner, path)
    if source is None:
        return
    if driver.type == "SCRIPTED":
        line = (0.0, 0.0)
        with suppress(SyntaxError, ValueError, OverflowError, RecursionError):
            line = _line(ast.parse(driver.expression.strip(), mode="eval").body, variable.name) or line
    factor, offset = _as_drawn(driven, line)
    if factor and math.isfinite(factor) and math.isfinite(offset):
        yield fcurves.DrivenCurve(driven.data_path, driven.array_index, source, factor, offset, (owner, path))


def _line(node: ast.expr, name: str) -> _Line | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return 0.0, float(node.value)
    if isinstance(node, ast.Name):
        return _AS_IT_IS if node.id == name else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        inner, sign = _line(node.operand, name), -1.0 if isinstance(node.op, ast.USub) else 1.0
        return None if inner is None else (sign * inner[0], sign * inner[1])
    if not isinstance(node, ast.BinOp):
        return None
    left, right = _line(node.left, name), _line(node.right, name)
    if left is None or right is None:
        return None
    (a, b), (c, d) = left, right
    if isinstance(node.op, ast.Add):
        return a + c, b + d
    if isinstance(node.op, ast.Sub):
        return a - c, b - d
    if isinstance(node.op, ast.Mult) and 0.0 in (a, c):
        return a * d + c * b, b * d
    return (a / d, b / d) if isinstance(node.op, ast.Div) and c == 0.0 and d else None


def _as_drawn(driven: FCurve, line: _Line) -> _Line:
    """Return what a driver's own curve (none, two keys, before 5.0 a Generator) makes of a line; 0 times if bent."""
    if not len(driven.modifiers) and not fcurves.has_points(driven):
        return line
    frames = np.concatenate([_LOOKS, *(np.array(key.co[:1]) + _NEAR for key in driven.keyframe_points)])
    seen = np.array([driven.evaluate(frame) for frame in frames.tolist()])
    offset, factor = seen[0], seen[1] - seen[0]
    added = any(getattr(modifier, "use_additive", False) for modifier in driven.modifiers)
    straight = np.allclose(seen, frames * factor + offset, rtol=_STRAIGHT, atol=_STRAIGHT)
    return (line[0] * factor, line[1] * factor + offset) if straight and not added else (0.0, 0.0)


def _source(owner: ID, path: str) -> FCurve | None:
    """Return the curve that alone says what a path, also one to `.z` or `[2]`, leads to, in its keys; None without."""
    (action, slot), parts = actions.assigned(owner), _COMPONENT.fullmatch(path)
    whole, index = (path, 0) if parts is None else (parts[1], int(parts[2]) if parts[2] else "xyz".index(parts[3]))
    bag = None if action is None else actions.find_bag(action, slot)
    curve = None if bag is None else bag.fcurves.find(whole, index=index)
    if curve is None or not undo.leads_somewhere(owner, path) or not isinstance(owner.path_resolve(path), float):
        return None
    driven = map(influences.address, influences.active_drivers(owner))
    if influences.nla_decides(owner, action) or (whole, index) in driven:
        return None
    found = fcurves.read(curve)
    return curve if found.plain and found.plays else None
