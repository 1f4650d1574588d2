"""What samples lose of shear, and where that puts what hangs on it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from ...io_formats.clip import Array, Clip, Track, pose, shear
from . import bake
from .plan import Plan
from .scope import Scope


def tell(scope: Scope, plan: Plan, moves: Mapping[str, Array], read: bake.Baked, tracks: list[Track]) -> None:
    """Warn of what location, rotation and scale cannot say, with how far what hangs on it is misplaced by that.

    Args:
        plan: its stage has the nodes as they are told.
        moves: (m, 4, 4) of what is sampled, away from its rest, by node.
        tracks: of all that moves.
    """
    crooked = [name for name, matrices in moves.items() if pose.is_sheared(matrices)]
    if crooked:
        stage = plan.stage
        told = pose.Chains(Clip("", root=stage.root, nodes=stage.nodes, tracks=tracks))
        worlds = partial(told.world, times=scope.span.seconds(read.frames))
        seen = _seen(scope, plan, read, worlds)
        shear.tell(stage.nodes, crooked, seen.__getitem__, worlds, scope.report)


def _seen(scope: Scope, plan: Plan, read: bake.Baked, told: shear.Worlds) -> dict[str, Array]:
    """Return the world matrices (m, 4, 4) of all nodes as they were read; of those that were not, as they hang."""
    naming = plan.stage.naming
    seen = {naming.objects[thing.name]: read.worlds[thing.name] for thing in plan.objects}
    for rig in scope.cast.rigs:
        carrier, nodes = plan.stage.carrier_of(rig), naming.bones[rig.name]
        world = told(carrier) if carrier is None or carrier not in seen else seen[carrier]
        for number, bone in enumerate(rig.pose.bones if rig.name in read.poses else ()):
            if bone.name in nodes:
                seen[nodes[bone.name]] = pose.product(world, read.poses[rig.name][:, number])
    for node in plan.stage.nodes:
        if node.name not in seen:
            own, above = told(node.name), node.parent
            local = pose.product(pose.inverse(told(above)), own)
            seen[node.name] = own if above is None else pose.product(seen[above], local)
    return seen
