"""Whether anything of what is to be exported moves at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import provenance as provenances
from ..carriers import Carrier, Cast
from . import influences


def anything_moves(objects: Sequence[Any]) -> bool:
    """Return whether an Action, the NLA, a driver, a constraint or a parent makes one of the objects move.

    An imported Action counts even where its file had no curves.
    """
    cast = Cast(objects, None, None)
    return any(moves(carrier, cast) for carrier in cast.carriers)


def still_objects(cast: Cast) -> list[Any]:
    """Return the objects of a clip that nothing moves, without parents that are there for others only."""
    alive = {carrier.thing for carrier in cast.carriers if moves(carrier, cast)}
    return [thing for thing in cast.objects if thing not in alive and thing not in cast.supports]


def moves(carrier: Carrier, cast: Cast) -> bool:
    """Return whether anything animates one datablock."""
    owner = carrier.owner
    if carrier.curves or influences.strip_paths(owner) or influences.active_drivers(owner):
        return True
    if carrier.action is not None and provenances.find(carrier.action) is not None:
        return True
    return owner == carrier.thing and (influences.moves(owner, cast.curves_of) or _is_posed(owner))


def _is_posed(thing: Any) -> bool:
    """Return whether a constraint poses a bone of an armature."""
    return thing.pose is not None and any(influences.active_constraints(bone) for bone in thing.pose.bones)
