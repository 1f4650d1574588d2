"""What is lost of poses whose axes are not square: location, rotation and scale cannot hold them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import Report
from . import Array, Node, messages

Worlds = Callable[[str | None], Array]
"""The world matrices (m, 4, 4) of a node at the same moments, of the root for None."""

_NOWHERE = 1e-5
"""As a part of the distance (at least 1) or size: what is off by less is where it was."""
_STRAIGHT = 1e-3
"""The same in degrees."""
_LEAST = 1e-12


def tell(nodes: Sequence[Node], sheared: Iterable[str], seen: Worlds, told: Worlds, report: Report) -> None:
    """Warn of each node that is told without its shear, with how far that and what hangs on it is off then.

    Args:
        nodes: as they are told, parents first.
        sheared: their names.
        seen: where the nodes are.
        told: where they are told to be.
    """
    for name in sheared:
        own, below = _off([name], seen, told), _off(_below(nodes, name), seen, told)
        values: dict[str, Any] = {"node": name, "degrees": own.turned, "percent": 100 * own.stretched}
        if below.place or below.turned or below.stretched:
            values |= {"place": 1000 * below.place, "turned": below.turned, "stretched": 100 * below.stretched}
            report.warn(messages.SHEAR_MISPLACES, **values)
        else:
            report.warn(messages.SHEAR_TOLD, **values)


def _below(nodes: Sequence[Node], name: str) -> list[str]:
    found = [name]
    for node in nodes:
        if node.parent in found:
            found.append(node.name)
    return found[1:]


class _Off(NamedTuple):
    """How far nodes are off at most: their places, degrees between axes, and lengths of axes as parts of these."""

    place: float = 0.0
    turned: float = 0.0
    stretched: float = 0.0


def _off(names: Iterable[str], seen: Worlds, told: Worlds) -> _Off:
    """Return how far nodes are told from where they are seen."""
    worst = _Off()
    for name in names:
        own, found = np.broadcast_arrays(seen(name), told(name))
        worst = _Off(*map(max, worst, _off_by(own, found)))
    return worst


def _off_by(seen: Array, told: Array) -> _Off:
    """Return how far matrices (m, 4, 4) are apart; what is less than rounding does not count."""
    apart = _lengths(seen[:, :3, 3] - told[:, :3, 3])
    place = float(apart.max()) if apart.max() > _NOWHERE * max(1.0, float(np.abs(seen[:, :3, 3]).max())) else 0.0
    sizes, drawn = (np.maximum(_lengths(np.moveaxis(each[:, :3, :3], 2, 1)), _LEAST) for each in (seen, told))
    chords = _lengths(np.moveaxis(seen[:, :3, :3] / sizes[:, None] - told[:, :3, :3] / drawn[:, None], 2, 1))
    turned = 2 * np.degrees(np.arcsin(np.minimum(chords / 2, 1.0)).max())
    stretched = np.abs(drawn / sizes - 1.0).max()
    return _Off(place, float(turned if turned > _STRAIGHT else 0.0), float(stretched if stretched > _NOWHERE else 0.0))


def _lengths(vectors: Array) -> Array:
    """Return (...) the lengths of vectors (..., 3)."""
    result: Array = np.sqrt((vectors * vectors).sum(axis=-1))
    return result
