"""What the judges of all formats share: moments to look at, how far off poses are, what warnings say of that.

Every tolerance is one that the docs promise, with room for float32.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random
from typing import Any

import bpy
import numpy as np

from . import clock, shown
from .verdict import ASKED_FOR, ROUNDED, Export, Find

Array = np.ndarray[Any, Any]
MOMENTS = 40
_AFTER = 0.004
_LAST_DIGIT = 1e-6
FINEST = 16
"""Keys of a channel for each frame: more than that nobody sees, whatever the report says of them."""
BETWEEN = 3.0
"""What samples promise holds on frames; between them a turn of a quarter of a degree is nothing that anybody sees."""
_HUNDREDTHS = 0.03
"""Degrees by which Blender's solver jumps from one moment to the next, however slowly what it aims at moves."""


def written_objects(format_name: str) -> list[Any]:
    """What a person chose: the selected objects, else all; for formats of one armature only those.

    What is hidden when the file is written is not selected, nor does it count for being the active one.
    """
    scene = bpy.context.scene
    chosen = [thing for thing in scene.objects if thing.select_get()]
    if format_name == "animx":
        return chosen or list(scene.objects)
    armatures = [thing for thing in chosen if thing.type == "ARMATURE"]
    return armatures or [thing for thing in scene.objects if thing.type == "ARMATURE"]


def moments(span: clock.Span, seconds: float, recipe: dict[str, Any]) -> list[float]:
    """Seconds of a file: its ends where they are whole frames, and random ones, half of them just after whole frames.

    What is baked by option has its samples on whole frames, and nothing is promised between them.

    Not on them, nor just before, as on which side of a step float32 puts a moment is a matter of the last digit, and
    samples take a 256th of a frame for it. Steps are on frames of Actions, which the timeline and strips may stretch.
    """
    random, length = Random(str(recipe["steps"])), clock.stretch() / clock.rate()
    frames = max(int(seconds / length), 1)
    after = _AFTER * max(clock.drawn_out(), 1.0 / clock.stretch())
    shares = [after if number % 2 else random.uniform(0.1, 0.9) for number in range(MOMENTS - 2)]
    shares = [0.0] * MOMENTS if recipe["options"].get("sampling") == "BAKE" else shares
    within = [span.shown((random.randrange(frames) + share - span.first % 1.0) * length) for share in shares]
    ends = [moment for moment in (0.0, seconds) if abs((frame := span.timeline(moment)) - round(frame)) < 1e-3]
    return sorted([*ends, *(moment for moment in within if 0 < moment < seconds)])


def near(seconds: float, frame: float) -> list[float]:
    """Moments as near to this one as a frame of the timeline tells apart: four digits, or what float32 holds."""
    digit = max(_LAST_DIGIT, float(np.spacing(np.float32(abs(frame)))) / clock.rate())
    return [seconds + digits * digit for digits in (1, 0, 2, -1)]


def slack(span: clock.Span, seconds: float) -> float:
    """How much more than the tolerance a file may be off: nothing on frames, a little between them."""
    frame, after = span.timeline(seconds), _AFTER * clock.drawn_out() * max(1.0, clock.stretch())
    return 1.0 if abs(frame - round(frame)) <= 1.5 * after else BETWEEN


def span_like(spans: list[clock.Span], seconds: float, slack: float) -> clock.Span | None:
    return next((span for span in spans if abs(span.seconds - seconds) <= slack), None)


def wrong_length(spans: list[clock.Span], seconds: float) -> Find:
    wanted = " or ".join(f"{span.seconds:.4f} ({span.first:g} to {span.last:g})" for span in spans)
    return Find("duration", "file", f"{seconds:.4f} s, not {wanted}")


def refused(
    export: Export, written: list[Any], spans: list[clock.Span], *, sizes: bool = True, local: bool = False
) -> Iterator[Find]:
    """A refusal is right where nothing moves, where nothing is selected of several armatures, or by option.

    What only grows does not move where a format has no sizes.
    """
    rigs = [thing for thing in written if thing.type == "ARMATURE"]
    several = len(rigs) > 1 and all(rig.name in export.refusal and not rig.select_get() for rig in rigs)
    if several or ASKED_FOR.search(export.refusal):
        return
    seen = shown.moments([span.timeline(span.seconds * share / 8) for span in spans[:1] for share in range(9)])
    places = [place for place in seen[0].worlds if place.split("/")[0] in {thing.name for thing in written}]
    for rig in written if local else ():
        without_object(seen, rig.name)
    for moment in () if sizes else seen:
        moment.worlds = {place: _without_size(world) for place, world in moment.worlds.items()}
    if any(shown.varies(seen, place) for place in places):
        yield Find("refused", "export", export.refusal.strip()[:200])


def without_object(seen: list[shown.Moment], rig: str) -> None:
    """Let an armature's bones be where they are in it."""
    for moment in seen:
        own = np.linalg.inv(moment.worlds[rig])
        moment.worlds |= {place: own @ world for place, world in moment.worlds.items() if place.startswith(f"{rig}/")}
        moment.worlds[rig] = np.eye(4)


def _without_size(world: Array) -> Array:
    found = world.copy()
    found[:3, :3] /= np.maximum(np.linalg.norm(world[:3, :3], axis=0), 1e-9)
    return found


def several_armatures(export: Export, written: list[Any]) -> Iterator[Find]:
    """W3D and MRTK hold one armature: of several the person has to choose one."""
    if len(written) > 1 and export.data is not None and not export.warnings:
        names = ", ".join(thing.name for thing in written)
        yield Find("several armatures", names, "one was written without a word")


def figure(seen: list[shown.Moment], places: list[str]) -> tuple[float, float]:
    """How large the box around things is, of which no more than 1 counts, and how far they are from the origin."""
    points = np.array([moment.worlds[place][:3, 3] for moment in seen for place in places] or [[1.0, 0.0, 0.0]])
    return float(np.clip(np.ptp(points, axis=0).max(), 1e-3, 1.0)), float(np.abs(points).max())


def rotation_of(matrix: Array) -> Array | None:
    """(3, 3) without the size, None where it is sheared, flat or mirrored, which is no rotation."""
    sizes = np.linalg.norm(matrix[:3, :3], axis=0)
    if sizes.min() < 1e-6 or np.linalg.det(matrix[:3, :3]) < 0:
        return None
    axes = matrix[:3, :3] / sizes
    return axes if np.abs(axes.T @ axes - np.eye(3)).max() < 3e-4 else None


def angle(one: Array, other: Array) -> float:
    """Degrees between two rotations (3, 3)."""
    apart = float(np.linalg.norm(one - other)) / math.sqrt(8)
    return math.degrees(2 * math.asin(min(1.0, apart)))


def apart(found: Array, wanted: Array) -> tuple[float, float]:
    """Units and degrees between two poses; no degrees where one has no axes."""
    axes, own = rotation_of(wanted), rotation_of(found)
    turned = 0.0 if axes is None or own is None else angle(own, axes)
    return float(np.linalg.norm(found[:3, 3] - wanted[:3, 3])), turned


def links(place: str | None, above: dict[str, str | None]) -> Iterator[str]:
    while place is not None:
        yield place
        place = above[place]


def told_off(export: Export, place: str, seen: list[shown.Moment], *, sizes: bool = False) -> tuple[float, float]:
    """How far off warnings say that a bone is, by itself and by all that it hangs on."""
    parents, above, jump = shown.parents(), place, (0.0, 0.0)
    names = [link.rpartition("/")[2] for link in links(place, parents)]
    metres, degrees = export.crooked_off(names, sizes=sizes)
    while above is not None:
        apart = [moment.worlds[place][:3, 3] - moment.worlds[above][:3, 3] for moment in seen]
        reach = max(float(np.linalg.norm(each)) for each in apart)
        found = export.off(above.rpartition("/")[2], reach, hanging=above != place, sizes=sizes)
        metres, degrees = metres + ROUNDED * found[0], degrees + ROUNDED * found[1]
        if export.solved(above.rpartition("/")[2]):
            jump = max(jump, (math.radians(_HUNDREDTHS) * reach, _HUNDREDTHS))
        above = parents[above]
    return metres + jump[0], degrees + jump[1]


def enlarged(seen: list[shown.Moment], options: dict[str, Any]) -> list[shown.Moment]:
    """What is shown, with all lengths multiplied as an option says."""
    for moment in seen:
        for world in moment.worlds.values():
            world[:3, 3] *= options.get("scale", 1.0)
    return seen


def spans_of(written: list[Any], recipe: dict[str, Any], imported: clock.Range | None = None) -> list[clock.Span]:
    """The frames that a file of these objects may play; meshes on bones, which hide them, count in W3D and W3X."""
    hung = [child for thing in written for child in thing.children if child.type == "MESH" and child.parent_bone]
    things = [*written, *hung] if recipe["format"] in ("w3d", "w3x") and imported is None else written
    return clock.candidates(things, imported, recipe["options"])
