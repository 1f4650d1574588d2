"""Slots and fields of AnimX beside objects and bones: where they are, what drives them, and how many keys that took."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import bpy
import numpy as np

from .. import clock, compare, shown, stage
from ..players import moves
from ..players.animx import ORDERS, Player
from ..verdict import Export, Find

Array = np.ndarray[Any, Any]
_MIRROR = np.diag([-1.0, 1.0, 1.0, 1.0])
_ABOUT_Y = np.array([[0.0, 0, 1, 0], [0, 1, 0, 0], [-1, 0, 0, 0], [0, 0, 0, 1]])
"""A quarter turn, as Blender's FBX exporter turns cameras."""
_SAID = re.compile(r"sampl|bak|straight|added|split|takes part|keys were|rotation|follows|driver|curve", re.IGNORECASE)


def judge(recipe: dict[str, Any], export: Export, written: list[Any], spans: list[clock.Span]) -> Iterator[Find]:
    """What is wrong with an animation of slots."""
    if export.data is None:
        yield from compare.refused(export, written, spans)
        return
    options = recipe["options"]
    player = Player(export.data, **{name: options.get(name, "") for name in ORDERS})
    player.call_back(options.get("node_prefix", ""))
    if player.doubled and not export.names(player.doubled[0][0]):
        yield Find("two nodes of one name", player.doubled[0][0], f"{len(player.doubled)} fields twice")
        return
    span = compare.span_like(spans, player.duration, 2e-4)
    if span is None:
        yield compare.wrong_length(spans, player.duration)
        return
    seconds = compare.moments(span, player.duration, recipe)
    seen = compare.enlarged(shown.moments([span.timeline(moment) for moment in seconds]), options)
    yield from _Slots(options, export, player, {thing.name for thing in written}, seconds, seen, span).wrong()
    yield from _swollen(player, export, written, span) if export.imported is None else ()


@dataclass
class _Slots:
    """A file beside what Blender shows at some seconds of it.

    Attributes:
        things: names of the objects that were written.
    """

    options: dict[str, Any]
    export: Export
    player: Player
    things: set[str]
    seconds: list[float]
    seen: list[shown.Moment]
    span: clock.Span

    def wrong(self) -> Iterator[Find]:
        yield from self._poses()
        yield from self._fields()

    @cached_property
    def _parents(self) -> dict[str, str | None]:
        """What each place hangs on, parents first."""
        above, found = shown.parents(), dict[str, str | None]()
        while len(found) < len(above):
            found |= {place: each for place, each in above.items() if each is None or each in found}
        return found

    @cached_property
    def _names(self) -> dict[str, str]:
        """Slot name by place; two places of one name cannot be bound by it."""
        names = [place.rpartition("/")[2] for place in self._parents]
        return {place: name for place, name in zip(self._parents, names, strict=True) if names.count(name) == 1}

    @cached_property
    def _preset(self) -> str:
        """The axes that were asked for, else those that an imported take came with, which anything has by default."""
        own, importer = self.options.get("axes", "AUTO"), bpy.ops.import_anim.animx.get_rna_type()
        return str(importer.properties["axes"].default if own == "AUTO" else own)

    @cached_property
    def _outside(self) -> Array:
        """What a model's own slot has of it."""
        return np.diag([*[0.01 if self._preset == "FBX_CM" else 1.0] * 3, 1.0])

    @cached_property
    def _model(self) -> dict[str, Array]:
        """(4, 4) of each slot at first, relative to what it hangs on."""
        worlds = {None: self._outside, **self._in_engine(self.seen[0])}
        return {place: np.linalg.inv(worlds[above]) @ worlds[place] for place, above in self._parents.items()}

    @cached_property
    def _told(self) -> dict[str, tuple[float, float]]:
        """What warnings say of each place that is judged: of what was written, as far as names bind it."""
        places = [place for place in self._names if place.split("/")[0] in self.things and self._is_bound(place)]
        return {place: compare.told_off(self.export, place, self.seen, sizes=True) for place in places}

    def _is_bound(self, place: str | None) -> bool:
        """Whether an object or bone and all that it hangs on can be bound by their names."""
        return place is None or (place in self._names and self._is_bound(self._parents[place]))

    def _in_engine(self, moment: shown.Moment) -> dict[str, Array]:
        if self._preset in ("ENGINE", "MANUAL"):
            to = np.eye(4)
            to[:3, :3] = moves.engine_axes(self._preset, self.options).T
            return {place: to @ world @ to.T for place, world in moment.worlds.items()}
        to = _MIRROR @ moves.UP.T
        return {place: to @ world @ _own_frame(place, self._preset) @ _MIRROR for place, world in moment.worlds.items()}

    def _poses(self) -> Iterator[Find]:
        places, names, worst = list(self._told), self._names, dict[str, tuple[float, float]]()
        self.export.known |= {names[place] for place in places if self._is_crooked(place)}
        between = [compare.slack(self.span, at) for at in self.seconds]
        for at, each, moment in zip(self.seconds, between, self.seen, strict=True):
            for place, times in self._off(at, moment).items():
                worst[place] = max(worst.get(place, (0.0, 0.0)), (times / each, at))
        for name, checked in self.export.check.off.items() if self.export.check is not None else ():
            (moment,) = compare.enlarged(shown.moments([self.span.timeline(checked.moment)]), self.options)
            off = self._off(checked.moment, moment)
            if any(times > 1 and names[place] == name for place, times in off.items()):
                self.export.known.add(name)
        wrong = [place for place in places if worst.get(place, (0, 0))[0] > 1]
        for place in [place for place in wrong if self._parents[place] not in wrong][:3]:
            times, at = worst[place]
            yield Find("slot pose", place, f"{times:.1f} times the tolerance at {at:.4f} s", times)

    def _is_crooked(self, place: str) -> bool:
        """Whether a slot that no track drives should have axes that are not square."""
        axes = self._model[place][:3, :3]
        axes = axes / np.maximum(np.linalg.norm(axes, axis=0), 1e-9)
        return not self.player.is_driven(self._names[place]) and bool(np.abs(axes.T @ axes - np.eye(3)).max() > 3e-4)

    def _off(self, at: float, moment: shown.Moment) -> dict[str, float]:
        """How far off each place is that is seen, in tolerances."""
        wanted, played = self._in_engine(moment), [self._worlds(each) for each in compare.near(at, moment.frame)]
        there = [place for place in self._told if place.split("/")[0] in moment.visible]
        return {place: min(self._distance(place, each[place], wanted[place]) for each in played) for place in there}

    def _worlds(self, at: float) -> dict[str | None, Array]:
        found: dict[str | None, Array] = {None: self._outside}
        for place, above in self._parents.items():
            own, name = self._model[place], self._names.get(place)
            found[place] = found[above] @ (own if name is None else self.player.local(name, at, own))
        return found

    @cached_property
    def _reach(self) -> float:
        return sum(compare.figure(self.seen, list(self._told)))

    def _distance(self, place: str, found: Array, wanted: Array) -> float:
        """In tolerances: 2e-4 m a metre of reach for the place, 1e-3 of the length for the tips of the axes.

        Metres and degrees that a warning has told do not count.
        """
        metres, degrees = self._told[place]
        moved = (float(np.linalg.norm(found[:3, 3] - wanted[:3, 3])) - metres) / (2e-4 * self._reach)
        size = max(float(np.linalg.norm(wanted[:3, :3], axis=0).max()), 1e-6)
        tips = float(np.linalg.norm(found[:3, :3] - wanted[:3, :3], axis=0).max()) / size
        return max(moved, (tips - math.radians(degrees) - metres / self._reach) / 1.5e-3)

    def _fields(self) -> Iterator[Find]:
        # at all moments, as the kind of a camera may be keyed
        for place, name in sorted(set.intersection(*({*moment.values} for moment in self.seen))):
            node, holder = self._names.get(place, ""), place.partition("/")[0]
            if holder not in self.things or not node:
                continue
            rows = np.array([moment.values[place, name] for moment in self.seen])
            spread = float(np.ptp(rows, axis=0).max())
            played = [[_field(self.player, node, name, each, rows.shape[1]) for each in compare.near(at, moment.frame)]
                      for at, moment in zip(self.seconds, self.seen, strict=True)]  # fmt: skip
            if played[0][0] is None:
                said = self.export.names(node, name.rpartition(".")[2])
                if spread > 1e-4 * max(1.0, float(np.abs(rows).max())) and not said:
                    yield Find("field left out", f"{node} {name}", f"it moves by {spread:.3g}")
                continue
            # none evaluates what is hidden
            counted = [holder in each.visible or name == "Active" for each in self.seen]
            least, most = np.min(played, axis=1), np.max(played, axis=1)
            off = np.maximum(least - rows, rows - most).max(axis=1) * counted
            allowed = 2e-4 * max(spread, 0.1) + 1e-6 * float(np.abs(rows).max())
            if off.max() > allowed + self.export.off_field(node, name, spread):
                at = self.seconds[int(off.argmax())]
                yield Find("field", f"{node} {name}", f"{off.max():.5f} off at {at:.4f} s")


def _own_frame(place: str, preset: str) -> Array:
    """What a model's exporter turns a node by, in its own frame: none but for glTF's objects, lights and cameras."""
    kind = bpy.data.objects[place].type if "/" not in place else "BONE"
    if preset == "GLTF":
        return np.eye(4) if kind in ("BONE", "LIGHT", "CAMERA") else moves.UP
    return {"LIGHT": moves.UP, "CAMERA": _ABOUT_Y}.get(kind, np.eye(4))


def _field(player: Player, node: str, name: str, at: float, width: int) -> Array | None:
    """The value of a field; of numbers of which the engine has no type for so many, those of a field for each."""
    found = player.field(node, name, at)
    each = [player.field(node, f"{name}[{number}]", at) for number in range(width)] if found is None else []
    parts = [one for one in each if one is not None]
    return np.concatenate(parts) if parts and len(parts) == width else found


def _swollen(player: Player, export: Export, written: list[Any], span: clock.Span) -> Iterator[Find]:
    said = any(_SAID.search(line) for line in export.warnings + export.notes)
    for track in player.tracks:
        if len(track.times) > compare.FINEST * span.frames + 8:
            detail = f"{len(track.times)} keys for {span.frames:.0f} frames"
            yield Find("swollen", f"{track.node} {track.field}", detail)
            return
    count, own = sum(len(track.times) for track in player.tracks), _curve_keys(written)
    if count > 2 * own + 4 * len(player.tracks) and not said:
        yield Find("swollen", "file", f"{count} keys from {own} without a word")


def _curve_keys(written: list[Any]) -> int:
    """Moments with a key, property by property; of a strip as often as it repeats."""
    found = set()
    for holder in (holder for thing in written for holder in clock.datablocks(thing)):
        played = [("", 1, stage.curves_of(holder) or ())]
        played += [(strip.name, math.ceil(strip.repeat), curves) for strip, curves in stage.curves_of_strips(holder)]
        for strip, times, curves in played:
            for curve in curves:
                keys = {(holder.name, strip, curve.data_path, point.co[0]) for point in curve.keyframe_points}
                found |= {(*key, time) for key in keys for time in range(times)}
    return len(found)
