"""Meshes that hang on bones: in formats whose nodes are bones alone, keys that hide such a mesh hide its bone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import FCurve, Object

from .. import actions, driving, fcurves, visibility
from ..types import Rig


@dataclass(frozen=True)
class HungMesh:
    """A mesh that hangs on a bone.

    Attributes:
        rig: the armature object, `bone` the bone's name.
        curves: F-Curves that hide it, that of viewports before that of renders; none if it is always seen.
    """

    thing: Object
    rig: Object
    bone: str
    curves: Sequence[FCurve]

    def hides_like(self, other: HungMesh) -> bool:
        """Return whether keys hide both meshes at the same frames."""
        own, its = (mesh.curves[:1] for mesh in (self, other))
        return len(own) == len(its) and all(map(same_keys, own, its))

    @property
    def told(self) -> list[FCurve]:
        """The curves that say the same as the first one, that included."""
        return [curve for curve in self.curves if same_keys(curve, self.curves[0])]


def hung_meshes(rigs: Iterable[Rig], alone: object = None) -> list[HungMesh]:
    """Return the meshes on bones of armatures, of the scenes in which these are.

    Args:
        alone: the Action that plays alone, if one does; curves of others count for nothing then.
    """
    found = [(rig, visibility.children_of_bones(rig, [bone.name for bone in rig.data.bones])) for rig in rigs]
    return [
        HungMesh(thing, rig, bone, _hiding_curves(thing, alone))
        for rig, hung in found
        for thing, bone in _in_scenes_of(rig, hung)
        if thing.type == "MESH"
    ]


def _in_scenes_of(rig: Rig, hung: list[tuple[Object, str]]) -> list[tuple[Object, str]]:
    """Return those that are in a scene with the armature: what was deleted may hang on in the .blend."""
    there = {thing for scene in rig.users_scene for thing in scene.objects} if hung else set()
    return [(thing, bone) for thing, bone in hung if thing in there]


def _hiding_curves(thing: Object, alone: object) -> list[FCurve]:
    if alone is not None and actions.assigned(thing)[0] != alone:
        return []
    playing = [curve for curve in actions.fcurves_of(thing) if curve.data_path in driving.SEEN]
    free = [curve for curve in playing if fcurves.plays(curve) and not driving.is_driven(thing, curve.data_path)]
    return sorted(free, key=lambda curve: driving.SEEN.index(curve.data_path))


def same_keys(one: FCurve, other: FCurve) -> bool:
    """Return whether two curves have the same keys."""
    own, its = (np.array([point.co for point in curve.keyframe_points]) for curve in (one, other))
    return bool(np.array_equal(own, its))
