"""What is lost of poses whose axes are not square: location, rotation and scale cannot hold them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from ..errors import Report
from . import Array, Node, messages
from . import quaternion as rotation
from .pose import decompose

Worlds = Callable[[str | None], Array]
"""The world matrices (m, 4, 4) of a node at the same moments, of the root for None."""

_NOWHERE = 1e-5
"""As a part of the distance (at least 1): what is misplaced by less stays where it is."""


def tell(nodes: Sequence[Node], sheared: Mapping[str, float], seen: Worlds, told: Worlds, report: Report) -> None:
    """Warn of each node that is told without its shear, with how far what hangs on it is misplaced by that.

    Args:
        nodes: as they are told, parents first.
        sheared: degrees that axes are off a right angle, by node.
        seen: where the nodes are.
        told: where they are told to be.
    """
    for name, degrees in sheared.items():
        place, turned = _misplaced(_below(nodes, name), seen, told)
        if place or turned:
            report.warn(messages.SHEAR_MISPLACES, node=name, degrees=degrees, place=place, turned=turned)
        else:
            report.warn(messages.SHEAR_DROPPED, node=name, degrees=degrees)


def _below(nodes: Sequence[Node], name: str) -> list[str]:
    found = [name]
    for node in nodes:
        if node.parent in found:
            found.append(node.name)
    return found[1:]


def _misplaced(names: Iterable[str], seen: Worlds, told: Worlds) -> tuple[float, float]:
    """Return how far nodes are told from where they are seen at most, and how many degrees they are turned by."""
    place, turned = 0.0, 0.0
    for name in names:
        own, found = decompose(seen(name)), decompose(told(name))
        apart = np.sqrt(((own[0] - found[0]) ** 2).sum(axis=0))
        seen_at = max(1.0, float(np.abs(own[0]).max(initial=0.0)))
        if float(apart.max(initial=0.0)) > _NOWHERE * seen_at:
            place = max(place, float(apart.max()))
        turned = max(turned, float(np.degrees(rotation.distance(own[1], found[1])).max(initial=0.0)))
    return place, turned if place or turned > _NOWHERE else 0.0
