"""What Blender shows of a captured clip's nodes at some moments, whatever the capture made of the scene."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from bpy.types import Object

from ..io_formats.clip import TRANSFORMS, Array, Clip, Track, pose
from ..io_formats.files.steps import Steps, portion
from . import rates
from .capture import Captured, bake
from .types import Rig

_HIDDEN = "hide_viewport"
_WHOLE = 6e-3
"""Part of a frame by which a moment on a whole one may miss it."""


@dataclass(frozen=True)
class Seen:
    """What was shown at `moments` (m,), in seconds of the clip.

    Attributes:
        names: of n nodes.
        worlds: (m, n, 4, 4) float64, in the space of the clip's root.
        counts: (m, n) bool: Blender evaluated it, as it was not hidden.
        on_frames: (m,) bool: the moment is a whole frame of the scene.
        root_moves: what is taken for the clip's root does not stand still.
    """

    moments: Array
    names: list[str]
    worlds: Array
    counts: Array
    on_frames: Array
    root_moves: bool

    def fitted(self, clip: Clip, onto: Callable[[Clip], Clip]) -> Seen:
        """Return the same of the nodes on which a file has what was seen, of `clip` with its own nodes.

        Args:
            onto: puts a clip onto the file's nodes.
        """
        order = np.argsort(self.moments, kind="stable")
        seen, tracks = dict(zip(self.names, self.worlds[order].swapaxes(0, 1))), []
        for node in clip.nodes:
            if node.name in seen:
                above = seen.get(node.parent or "", np.asarray(clip.root)[None])
                space = pose.inverse(pose.product(above, np.asarray(node.rest)))
                parts = pose.decompose(pose.product(space, seen[node.name]))[:3]
                times = self.moments[order]
                tracks += [Track.sampled(node.name, name, times, part) for name, part in zip(TRANSFORMS, parts)]
        found = onto(replace(clip, tracks=tracks))
        chains, shape = pose.Chains(found), (len(self.moments), 4, 4)
        names = [node.name for node in found.nodes]
        worlds = np.stack([np.broadcast_to(chains.world(name, self.moments), shape) for name in names], axis=1)
        counts = np.repeat(self.counts.all(axis=1)[:, None], len(names), axis=1)
        return replace(self, names=names, worlds=worlds, counts=counts)


def seen_in_steps(captured: Captured, moments: Array, enough: Callable[[], bool]) -> Steps[Seen]:
    """Show the scene at moments (m,), in seconds of the clip, and return what is seen; all is as it was afterwards.

    Args:
        enough: asked after each moment; the others are left out once it says so.
    """
    look = _Look(captured)
    return (yield from portion(look.at(moments, enough), held=captured.witness.of_bones))


@dataclass(frozen=True)
class _Look:
    """How one capture is looked at."""

    captured: Captured

    @cached_property
    def _places(self) -> list[tuple[str, Object, str]]:
        """Node, object, and the bone of it or nothing."""
        naming, cast = self.captured.stage.naming, self.captured.scope.cast
        there = {node.name for node in self.captured.clip.nodes}
        bones = [(node, rig, bone) for rig in cast.rigs for bone, node in naming.bones[rig.name].items()]
        objects = [(naming.objects[thing.name], thing, "") for thing in self.captured.stage.things]
        return [place for place in (*bones, *objects) if place[0] in there]

    def at(self, moments: Array, enough: Callable[[], bool]) -> Steps[Seen]:
        """Read all moments, until it is enough."""
        scope, frames = self.captured.scope, self.captured.frames(moments)
        rigs, read = scope.cast.rigs, []
        with bake.reading(
            scope.context, self._wanted(rigs), scope.cast.alone_playing(), shift=scope.cast.shift
        ) as show:
            for number, frame in enumerate(frames):
                read.append((yield from portion(show(frame[None]), number / len(frames), (number + 1) / len(frames))))
                if enough():
                    break
        return self._seen(moments[: len(read)], frames[: len(read)], rigs, bake.stacked(read))

    def _wanted(self, rigs: list[Rig]) -> bake.Wanted:
        things = list(dict.fromkeys([*rigs, *self.captured.stage.things]))
        return bake.Wanted(rigs, things, [(thing, _HIDDEN) for thing in things])

    def _seen(self, moments: Array, frames: Array, rigs: Sequence[Rig], read: bake.Baked) -> Seen:
        scope, stage, count = self.captured.scope, self.captured.stage, len(moments)
        hidden = dict(zip(read.worlds, (values[:, 0] > 0 for values in read.values)))
        local = stage.root_rig if scope.options.space == "LOCAL" else None
        back = None if local is None else pose.product(stage.root[None], pose.inverse(read.worlds[local.name]))
        numbers = {rig.name: {bone.name: at for at, bone in enumerate(rig.pose.bones)} for rig in rigs}
        worlds = np.empty((count, len(self._places), 4, 4))
        for at, (_, thing, bone) in enumerate(self._places):
            own = read.worlds[thing.name]
            if bone:
                own = pose.product(own, read.poses[thing.name][:, numbers[thing.name][bone]])
            worlds[:, at] = own if back is None or not _hangs_on(thing, local) else pose.product(back, own)
        shown = np.array([~hidden[thing.name] for _, thing, _ in self._places], bool).reshape(-1, count).T
        timeline = (frames + scope.cast.shift) / rates.stretching(scope.context.scene)
        on_frames = np.abs(timeline - np.rint(timeline)) <= _WHOLE
        return Seen(moments, [node for node, _, _ in self._places], worlds, shown, on_frames, self._root_moves(read))

    def _root_moves(self, read: bake.Baked) -> bool:
        root = self.captured.stage.root_rig
        if root is None or self.captured.scope.options.space == "LOCAL":
            return False
        worlds = read.worlds[root.name]
        return not np.allclose(worlds, worlds[:1], rtol=1e-6, atol=1e-6)


def _hangs_on(thing: Object | None, rig: Object | None) -> bool:
    while thing is not None and thing != rig:
        thing = thing.parent
    return thing is not None
