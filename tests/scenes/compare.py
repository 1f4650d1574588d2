"""The judge: a file plays what Blender shows, or a warning names what differs, or the export says why it refuses.

Every tolerance is one that the docs promise, with room for float32.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Any

import bpy
import numpy as np

from . import accounts, clock, shown
from .players import animx, mrtk, w3d, w3x

Array = np.ndarray[Any, Any]
MOMENTS = 40
_AFTER = 0.004
_LAST_DIGIT = 1e-6
_JUST = 2e-4
"""Frames after which Blender has stepped that did so on a whole one."""
_DOUBTFUL = 3.0
"""Times as far as promised that the export's own check may say, with other moments than here."""
_ROOT = "ROOTTRANSFORM"
_FINEST = 16
"""Keys of a channel for each frame: more than that nobody sees, whatever the report says of them."""
_ROUNDED = 1.1
"""What warnings tell has two digits."""
_OTHER_MOMENTS = 1.5
"""Times as far as the check says, at its own moments, something may be off here."""
_BETWEEN = 3.0
"""What samples promise holds on frames; between them a turn of a quarter of a degree is nothing that anybody sees."""
_STEEPEST = {"Light.SpotAngle": math.degrees(1.0), "Camera.FieldOfView": 10.0}
"""What a field changes by at most where Blender's own property changes by one."""
_SLOT_FIELDS = re.compile(r"\b(location|rotation\w*|scale)\b", re.IGNORECASE)
MIRROR = np.diag([-1.0, 1.0, 1.0, 1.0])
Y_UP = np.array([[1.0, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]])
TO_UNITY = np.array([[1.0, 0, 0], [0, 0, 1], [0, 1, 0]])
_BINDING = re.compile(r"finds no field|fits a model", re.IGNORECASE)
_AMOUNT = re.compile(r"off by up to ([\d.e+-]*\d)(?: ?(mm|degrees|°|%))?(?: and ([\d.e+-]*\d) degrees)?")
_IN_ITS_PARENT = re.compile("its curve|than it is sampled")
_CROOKED = re.compile("its axes are off by up to")
_SOLVED = re.compile(r"(.*): the inverse kinematics of .* solves to some hundredths of a degree")
_HUNDREDTHS = 0.03
"""Degrees by which Blender's solver jumps from one moment to the next, however slowly what it aims at moves."""
_SAID = re.compile(r"sampl|bak|straight|added|split|takes part|keys were|rotation|follows|driver|curve", re.IGNORECASE)


@dataclass
class Find:
    """Something that a file plays other than Blender does.

    Attributes:
        kind: what is wrong, in a word or two; a scene is cut down while its kind stays.
        place: bone, object or field.
        detail: how far off, when.
        size: how far off, in tolerances; 1 where it is not a matter of more or less.
    """

    kind: str
    place: str
    detail: str
    size: float = 1.0

    def is_like(self, other: Find) -> bool:
        """Whether this is the other one in a smaller scene: of its kind, and not just about a hair's breadth off."""
        return self.kind == other.kind and self.size >= min(other.size / 2, 5.0)

    def __str__(self) -> str:
        return f"{self.kind}: {self.place}: {self.detail}"


@dataclass
class Export:
    """What the operator did.

    Attributes:
        data: the file, None where it was refused.
        refusal: the sentence.
        warnings, notes: of the report.
        imported: frames of an imported take, None for a scene of a person's own.
        source: the imported file's bytes.
        untouched: whether nothing of them was edited.
        renamed: what bones were called in that file that have another name now.
        check: what the export itself found when it played the file.
        frames_alone: the file has whole frames alone, at which the players here look; the check looks between them too.
        known: slots that are off here too at the very moment of which the check tells, as where steps of two curves
            meet; and those that stay as the model has them and are sheared in the scene, which no model's slot is.
        far: how many times as far as promised the player here finds the worst node.
    """

    data: bytes | None
    refusal: str = ""
    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    imported: clock.Range | None = None
    source: bytes | None = None
    untouched: bool = False
    renamed: dict[str, str] = field(default_factory=dict)
    check: Any = None
    frames_alone: bool = False
    known: set[str] = field(default_factory=set)
    far: float = 0.0

    @property
    def apart(self) -> float:
        """By which factor the check and the player here differ on how far off the worst node is, each at its moments.

        What is within the promise counts as on its border; without a check they agree.
        """
        off = [] if self.check is None else map(self.times, self.check.off.values())
        ratio = 1.0 if self.check is None else max([1.0, *off]) / max(self.far, 1.0)
        return max(ratio, 1.0 / ratio)

    def times(self, off: Any) -> float:
        """How many times as far as promised the check found a node, where the players here look too."""
        return float(off.on_frames if self.frames_alone else off.times)

    @property
    def tells_amounts(self) -> bool:
        """Whether a warning of what was made, not of what was played, says how far off something is."""
        return any(map(_AMOUNT.search, self.warnings))

    def names(self, *names: str) -> bool:
        """Whether a warning names one of these, and is not about who binds to what: that excuses no wrong value."""
        wanted = [name for name in names if name]
        warnings = [warning.casefold() for warning in self.warnings if not _BINDING.search(warning)]
        return any(name.casefold() in warning for warning in warnings for name in wanted)

    def crooked_off(self, names: Sequence[str], *, sizes: bool) -> tuple[float, float]:
        """Metres and degrees that the check says the first of a chain is off, where any is said to lose shear."""
        off = None if self.check is None else self.check.off.get(names[0])
        crooked = (warning for name in names for warning, _ in self._amounts(name) if _CROOKED.search(warning))
        if off is None or not any(crooked):
            return 0.0, 0.0
        return _OTHER_MOMENTS * off.place, _OTHER_MOMENTS * (off.turn + math.degrees(off.size) * sizes)

    def off(self, name: str, reach: float, *, hanging: bool = False, sizes: bool = False) -> tuple[float, float]:
        """Metres and degrees that warnings say a bone or object is off at most, `reach` metres from where it is.

        What a curve or a sample is off by is in the terms of its parent, which may be larger. Axes that are not square
        say nothing of what hangs on them: `hanging`. With `sizes` a part of the size counts as a turn that moves the
        tip of an axis as far.
        """
        found = [0.0, 0.0]
        for warning, told in self._amounts(name):
            if hanging and _CROOKED.search(warning):
                continue
            amount, unit, degrees = float(told[1]), told[2] or "", float(told[3] or 0.0)
            if unit in ("degrees", "°"):
                amount, degrees = 0.0, amount
            elif sizes and not unit:
                amount, degrees = 0.0, math.degrees(amount)
            elif "rotation" in warning.casefold():
                amount, degrees = 0.0, math.degrees(4 * amount / 100)
            own = max(1.0, reach) if unit != "mm" or _IN_ITS_PARENT.search(warning) else 1.0
            metres = amount * own / {"mm": 1000, "%": 50}.get(unit, 1)
            found[0] += metres + math.radians(degrees) * reach
            found[1] += degrees
        return found[0], found[1]

    def off_field(self, name: str, field_name: str, spread: float) -> float:
        """How far warnings say that a field of an object is off at most, in the field's unit; it moves by `spread`."""
        factor = _STEEPEST.get(field_name, 1.0)
        told = [told for warning, told in self._amounts(name) if not _SLOT_FIELDS.search(warning)]
        return _ROUNDED * sum(float(each[1]) * (spread / 100 if each[2] == "%" else factor) for each in told)

    def solved(self, name: str) -> bool:
        """Whether the report says that Blender's inverse kinematics move a bone, no more finely than they do."""
        return any(told[1] == name for note in self.notes if (told := _SOLVED.match(note)))

    def _amounts(self, name: str) -> Iterator[tuple[str, re.Match[str]]]:
        """Yield the warnings that name a bone or object, with what they say that it is off."""
        for warning in filter(re.compile(rf"(?<![\w.]){re.escape(name)}(?![\w.]*\w)").search, self.warnings):
            told = _AMOUNT.search(warning)
            if told is not None:
                yield warning, told


def judge(recipe: dict[str, Any], export: Export) -> list[Find]:
    """All that is wrong with an export of the scene that is open."""
    finds = list(_judge(recipe, export))
    return finds if finds or export.check is None else list(_wrong_check(export))


def _wrong_check(export: Export) -> Iterator[Find]:
    """The export's own check is to warn of nothing that the players here, or another warning, do not know of."""
    if export.check.lasts is not None:
        yield Find("check alone", "length", "the file plays {:.4f} s of {:.4f} s".format(*export.check.lasts))
    above = shown.parents()
    for name, off in export.check.off.items():
        places = [place for place in above if place.rpartition("/")[2] == name]
        known = {name} | {link.rpartition("/")[2] for place in places for link in _links(place, above)}
        if export.times(off) > _DOUBTFUL and not known & export.known and not export.names(*known, "adaptive delta"):
            detail = f"{off.place:.5f} m, {off.turn:.3f} degrees at {off.moment:.3f} s"
            yield Find("check alone", name, detail, off.times)


def _links(place: str | None, above: dict[str, str | None]) -> Iterator[str]:
    while place is not None:
        yield place
        place = above[place]


def _judge(recipe: dict[str, Any], export: Export) -> Iterator[Find]:
    if "Traceback" in export.refusal:
        lines = [line.strip() for line in export.refusal.strip().splitlines()]
        places = [line for line in lines if "io_anim_curves" in line]
        what = [line for line in lines if re.match(r"\w+(Error|Exception|Warning)\b", line)]
        yield Find("traceback", what[-1][:160], places[-1].rpartition("io_anim_curves/")[2][:120] if places else "")
        return
    if export.untouched:
        if export.data != export.source:
            yield Find("untouched bytes", "file", export.refusal or "the bytes are others")
        return
    written = written_objects(recipe["format"])
    spans = clock.candidates(written, export.imported)
    yield from _JUDGES[recipe["format"]](recipe, export, written, spans)
    fresh = export.data not in (None, export.source)
    absent = _GAZE if recipe["format"] == "mrtk" and fresh and mrtk.Player(export.data).version == (1, 0) else ()
    for wrong in accounts.wrong_sums(recipe["format"], written, export.notes, absent) if fresh else ():
        yield Find("sum", "report", wrong)


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


def _moments(span: clock.Span, seconds: float, seed: str) -> list[float]:
    """Seconds of a file: its ends where they are whole frames, and random ones, half of them just after whole frames.

    Not on them, nor just before, as on which side of a step float32 puts a moment is a matter of the last digit, and
    samples take a 256th of a frame for it. Steps are on frames of Actions, which the timeline and strips may stretch.
    """
    random, length = Random(seed), clock.stretch() / clock.rate()
    frames = max(int(seconds / length), 1)
    after = _AFTER * max(clock.drawn_out(), 1.0 / clock.stretch())
    shares = [after if number % 2 else random.uniform(0.1, 0.9) for number in range(MOMENTS - 2)]
    within = [span.shown((random.randrange(frames) + share - span.first % 1.0) * length) for share in shares]
    ends = [moment for moment in (0.0, seconds) if abs((frame := span.timeline(moment)) - round(frame)) < 1e-3]
    return sorted([*ends, *(moment for moment in within if 0 < moment < seconds)])


def _near(seconds: float, frame: float) -> list[float]:
    """Moments as near to this one as a frame of the timeline tells apart: four digits, or what float32 holds."""
    digit = max(_LAST_DIGIT, float(np.spacing(np.float32(abs(frame)))) / clock.rate())
    return [seconds + digits * digit for digits in (1, 0, 2, -1)]


def _slack(span: clock.Span, seconds: float) -> float:
    """How much more than the tolerance a file may be off: nothing on frames, a little between them."""
    frame, after = span.timeline(seconds), _AFTER * clock.drawn_out() * max(1.0, clock.stretch())
    return 1.0 if abs(frame - round(frame)) <= 1.5 * after else _BETWEEN


def _span_like(spans: list[clock.Span], seconds: float, slack: float) -> clock.Span | None:
    return next((span for span in spans if abs(span.seconds - seconds) <= slack), None)


def _wrong_length(spans: list[clock.Span], seconds: float) -> Find:
    wanted = " or ".join(f"{span.seconds:.4f} ({span.first:g} to {span.last:g})" for span in spans)
    return Find("duration", "file", f"{seconds:.4f} s, not {wanted}")


def _refused(export: Export, written: list[Any], spans: list[clock.Span], *, sizes: bool = True) -> Iterator[Find]:
    """A refusal is right where nothing moves, or where nothing is selected of several armatures.

    What only grows does not move where a format has no sizes.
    """
    armatures = [thing for thing in written if thing.type == "ARMATURE"]
    if len(armatures) > 1 and all(thing.name in export.refusal and not thing.select_get() for thing in armatures):
        return
    seen = shown.moments([span.timeline(span.seconds * share / 8) for span in spans[:1] for share in range(9)])
    places = [place for place in seen[0].worlds if place.split("/")[0] in {thing.name for thing in written}]
    for moment in () if sizes else seen:
        moment.worlds = {place: _without_size(world) for place, world in moment.worlds.items()}
    if any(shown.varies(seen, place) for place in places):
        yield Find("refused", "export", export.refusal.strip()[:200])


def _without_size(world: Array) -> Array:
    found = world.copy()
    found[:3, :3] /= np.maximum(np.linalg.norm(world[:3, :3], axis=0), 1e-9)
    return found


def _several_armatures(export: Export, written: list[Any]) -> Iterator[Find]:
    """W3D and MRTK hold one armature: of several the person has to choose one."""
    if len(written) > 1 and export.data is not None and not export.warnings:
        names = ", ".join(thing.name for thing in written)
        yield Find("several armatures", names, "one was written without a word")


def figure(seen: list[shown.Moment], places: list[str]) -> tuple[float, float]:
    """How large the box around things is, of which no more than 1 counts, and how far they are from the origin."""
    points = np.array([moment.worlds[place][:3, 3] for moment in seen for place in places] or [[1.0, 0.0, 0.0]])
    return float(np.clip(np.ptp(points, axis=0).max(), 1e-3, 1.0)), float(np.abs(points).max())


def extent(seen: list[shown.Moment], places: list[str]) -> float:
    """How far from the origin things are."""
    return max((float(np.abs(moment.worlds[place][:3, 3]).max()) for moment in seen for place in places), default=1.0)


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


# --- MRTK -----------------------------------------------------------------------------------------------------------

_MRTK_PLACE, _MRTK_TURN = 1.2e-4, 0.022
_GAZE = ("Gaze", "GazeDirection")
"""Version 1.0 has no place for it."""


def _judge_mrtk(recipe: dict[str, Any], export: Export, written: list[Any], spans: list[clock.Span]) -> Iterator[Find]:
    if len(written) > 1:
        yield from _several_armatures(export, written)
        return
    if export.data is None:
        yield from _refused(export, written, spans)
        return
    player = mrtk.Player(export.data)
    span = _span_like(spans, player.duration, 1e-3)
    if span is None:
        yield _wrong_length(spans, player.duration)
        return
    seconds = _moments(span, player.duration, str(recipe["steps"]))
    seen = shown.moments([span.timeline(moment) for moment in seconds])
    rig = written[0].name
    yield from _hands(player, export, rig, seconds, seen)
    yield from _camera_and_gaze(player, export, rig, seconds, seen)
    yield from _swollen_mrtk(player, export, span)


def joints_of(rig: str, side: str, renamed: dict[str, str]) -> dict[str, str]:
    """The joint of each bone that bears its name, or was renamed since."""
    import mrtk_reference

    names = {f"{joint}.{side}" for joint in mrtk_reference.JOINTS[1:]}
    joints = {bone.name: renamed.get(bone.name, bone.name) for bone in bpy.data.objects[rig].data.bones}
    return {bone: joint for bone, joint in joints.items() if joint in names}


def _hands(player: mrtk.Player, export: Export, rig: str, seconds: list[float], seen: Any) -> Iterator[Find]:
    for side in "LR":
        joints = joints_of(rig, side, export.renamed)
        yield from _switches(player, rig, side, seconds, seen) if export.imported is None else ()
        moving = any(shown.varies(seen, f"{rig}/{bone}") for bone in joints)
        told = (f"{rig}/Wrist.{side}", "tracked") in seen[0].switches
        if moving and export.imported is None and not told and not all(player.tracked(side, at) for at in seconds):
            if not export.names("tracked"):
                yield Find("not tracked", f"hand {side}", "it moves and is not shown")
            return
        for bone, joint in joints.items():
            if any(player.tracked(side, moment) for moment in seconds) or moving:
                yield from _joint(player, export, f"{rig}/{bone}", joint, seconds, seen)


def _switches(player: mrtk.Player, rig: str, side: str, seconds: list[float], seen: Any) -> Iterator[Find]:
    """Whether a hand is tracked and pinches when its wrist says so, as far as the file has hands."""
    for name in ("tracked", "pinching") if player.recording["bool"] else ():
        place = f"{rig}/Wrist.{side}", name
        for moment, at in zip(seen, seconds, strict=True):
            wanted = moment.switches.get(place)
            if wanted is not None and all(
                player.switch(name, side, near) != bool(wanted) for near in _near(at, moment.frame)
            ):
                yield Find(name, f"Wrist.{side}", f"not {wanted:g} at {at:.4f} s")
                return


def _joint(player: mrtk.Player, export: Export, place: str, joint: str, seconds: Any, seen: Any) -> Iterator[Find]:
    worst = [0.0, 0.0, 0.0, 0.0]
    for moment, at in zip(seen, seconds, strict=True):
        if export.source is not None and _as_in_source(player, export.source, joint, at):
            continue
        world = moment.worlds[place]
        near = [_off_joint(player, joint, moment_, world) for moment_ in _near(at, moment.frame)]
        off, turned = min(near, key=lambda found: found[0] / _MRTK_PLACE + found[1] / _MRTK_TURN)
        export.far = max(export.far, off / _MRTK_PLACE, turned / _MRTK_TURN)
        if off > _MRTK_PLACE * max(1.0, float(np.abs(world[:3, 3]).max()) / 10) or turned > _MRTK_TURN:
            worst = max(worst, [off * 100 + turned, off, turned, at])
    if not worst[0]:
        return
    told, turn = _told_off(export, place, seen)
    if worst[1] > _MRTK_PLACE + told or worst[2] > _MRTK_TURN + turn:
        kind = "joint rotation" if worst[2] > _MRTK_TURN else "joint position"
        size = max(worst[1] / _MRTK_PLACE, worst[2] / _MRTK_TURN)
        yield Find(kind, joint, f"{worst[1]:.5f} m, {worst[2]:.3f} degrees at {worst[3]:.3f} s", size)


def _off_joint(player: mrtk.Player, joint: str, at: float, world: Array) -> tuple[float, float]:
    """Metres and degrees that a joint is off; no degrees where Blender shows it sheared."""
    place, turn = player.pose(joint, at)
    axes = rotation_of(world)
    turned = 0.0 if axes is None else angle(w3d.matrix((0, 0, 0), turn)[:3, :3], TO_UNITY @ axes @ TO_UNITY)
    return float(np.linalg.norm(place - TO_UNITY @ world[:3, 3])), turned


def _told_off(export: Export, place: str, seen: list[shown.Moment], *, sizes: bool = False) -> tuple[float, float]:
    """How far off warnings say that a bone is, by itself and by all that it hangs on."""
    parents, above, jump = shown.parents(), place, (0.0, 0.0)
    names = [link.rpartition("/")[2] for link in _links(place, parents)]
    metres, degrees = export.crooked_off(names, sizes=sizes)
    while above is not None:
        apart = [moment.worlds[place][:3, 3] - moment.worlds[above][:3, 3] for moment in seen]
        reach = max(float(np.linalg.norm(each)) for each in apart)
        found = export.off(above.rpartition("/")[2], reach, hanging=above != place, sizes=sizes)
        metres, degrees = metres + _ROUNDED * found[0], degrees + _ROUNDED * found[1]
        if export.solved(above.rpartition("/")[2]):
            jump = max(jump, (math.radians(_HUNDREDTHS) * reach, _HUNDREDTHS))
        above = parents[above]
    return metres + jump[0], degrees + jump[1]


@cache
def _source(data: bytes) -> mrtk.Player:
    return mrtk.Player(data)


def _as_in_source(player: mrtk.Player, data: bytes, joint: str, at: float) -> bool:
    """Whether the joint plays what the imported file plays: turns the long way, which Blender does not show, stay."""
    source = _source(data)
    theirs = source.pose(joint, at * source.duration / player.duration if player.duration else at)
    return not player.has(joint) or bool(
        np.abs(np.concatenate(player.pose(joint, at)) - np.concatenate(theirs)).max() < 1e-4
    )


def _camera_and_gaze(player: mrtk.Player, export: Export, rig: str, seconds: Any, seen: Any) -> Iterator[Find]:
    bones = bpy.data.objects[rig].data.bones
    if "Camera" in bones:
        if player.has("Camera"):
            yield from _joint(player, export, f"{rig}/Camera", "Camera", seconds, seen)
        elif not export.names("camera"):
            yield Find("no camera", "Camera", "the bone's pose is not in the file")
    elif player.version == (1, 0) and not player.has("Camera") and not export.names("camera"):
        yield Find("no camera", "1.0", "a 1.0 player puts its camera at the origin, and nobody says so")
    if {"Gaze", "GazeDirection"} <= set(bones.keys()) and player.version == (1, 1):
        yield from _gaze(player, export, rig, seconds, seen)


def _gaze(player: mrtk.Player, export: Export, rig: str, seconds: list[float], seen: Any) -> Iterator[Find]:
    """Origin and direction; Unity gives the direction length 1: UnityCsReference, Runtime/Export/Geometry/Ray.cs."""
    if not player.has("Gaze"):
        if any(shown.varies(seen, f"{rig}/{name}") for name in ("Gaze", "GazeDirection")) and not export.names("gaze"):
            yield Find("no gaze", "Gaze", "it moves and is not in the file")
        return
    for moment, at in zip(seen, seconds, strict=True):
        origin, direction = player.gaze(at)
        start, end = (moment.worlds[f"{rig}/{name}"][:3, 3] for name in ("Gaze", "GazeDirection"))
        ray = direction * (np.linalg.norm(end - start) / (np.linalg.norm(direction) or 1.0))
        for name, found, wanted in (("origin", origin, start), ("direction", ray, end - start)):
            off = float(np.linalg.norm(found - TO_UNITY @ wanted))
            if off > 2.5 * _MRTK_PLACE and not export.names("gaze"):
                yield Find(f"gaze {name}", "Gaze", f"{off:.4f} off at {at:.3f} s")
                return


def _swollen_mrtk(player: mrtk.Player, export: Export, span: clock.Span) -> Iterator[Find]:
    if export.imported is not None:
        return
    for node, count in player.keys.items():
        if count > 7 * (_FINEST * span.frames + 8):
            yield Find("swollen", node, f"{count} keys for {span.frames:.0f} frames")
            return


# --- W3D, W3X --------------------------------------------------------------------------------------------------------


def _judge_pivots(
    recipe: dict[str, Any], export: Export, written: list[Any], spans: list[clock.Span]
) -> Iterator[Find]:
    if len(written) > 1:
        yield from _several_armatures(export, written)
        return
    if export.data is None:
        yield from _refused(export, written, spans, sizes=False)
        return
    player = PIVOT_PLAYERS[recipe["format"]](export.data)
    if not player.frames or not player.names:
        yield Find("empty file", "file", f"{player.animations} animations, {len(player.names)} pivots")
        return
    alike = abs(player.rate * clock.stretch() / clock.rate() - 1) < 0.002
    step = clock.stretch() if alike else clock.rate() / player.rate
    wanted = [span.seconds * clock.rate() / step for span in spans]
    near = [span for span, frames in zip(spans, wanted, strict=True) if -1e-3 < player.frames - 1 - frames < 0.999]
    if not near:
        yield _wrong_length(spans, (player.frames - 1) * step / clock.rate())
        return
    yield from _pivots(recipe, export, player, written[0].name, near[0], step)


def _pivots(recipe: Any, export: Export, player: w3d.Player, rig: str, span: clock.Span, step: float) -> Iterator[Find]:
    random = Random(str(recipe["steps"]))
    frames = sorted({0, player.frames - 1, *(random.randrange(player.frames) for _ in range(MOMENTS - 2))})
    lasting = span.seconds
    seen = shown.moments([span.timeline(min(frame * step / clock.rate(), lasting)) for frame in frames])
    numbers = pivot_numbers(player, rig, export.renamed)
    above = [each.name for each in getattr(bpy.data.objects[rig].data.bones.get(_ROOT), "parent_recursive", ())]
    for bone, number in numbers.items():
        if number is None and bone not in above and not export.names(bone):
            yield Find("no pivot", bone, "the bone is not in the file")
            return
    yield from _poses(recipe, export, player, rig, numbers, frames, seen)
    yield from _visibility(export, player, rig, numbers, frames, seen)


def pivot_numbers(player: w3d.Player, rig: str, renamed: dict[str, str]) -> dict[str, int | None]:
    """The pivot of each bone: of its name in capitals, cut where the format has no room for more."""
    names = [name.upper() for name in player.names]
    wanted = {bone.name: renamed.get(bone.name, bone.name) for bone in bpy.data.objects[rig].data.bones}
    bones = {bone: name.upper()[: player.NAME_LETTERS] for bone, name in wanted.items()}
    return {bone: names.index(name) if name in names else None for bone, name in bones.items()}


def _depth(player: w3d.Player, number: int) -> int:
    return 0 if player.parents[number] < 0 else 1 + _depth(player, player.parents[number])


def _poses(recipe: Any, export: Export, player: Any, rig: str, numbers: Any, frames: Any, seen: Any) -> Iterator[Find]:
    """World pose of each pivot; a rig that stands still may be told from where it stands, which the game places."""
    flavor = recipe["options"].get("flavor") or _flavor_of_import(recipe)
    places = [f"{rig}/{bone}" for bone in numbers]
    size = figure(seen, places)
    outer = np.eye(4) if shown.varies(seen, rig) else seen[0].worlds[rig]
    ways = [_ways(player, frame, moment) for frame, moment in zip(frames, seen, strict=True)]
    tried = []
    for around in (np.eye(4), outer):
        export.far = 0.0
        finds = list(_pivot_poses(export, player, rig, numbers, ways, seen, around, flavor, size, frames))
        tried.append((len(finds), export.far, finds))
    _, export.far, finds = min(tried, key=lambda each: each[:2])
    yield from finds


def _ways(player: Any, frame: int, moment: shown.Moment) -> list[list[Any]]:
    """What of the file to compare with what Blender shows on a frame, one way or the other.

    Where the file steps on it and Blender does so just after it, as where a round ends: both sides of the step.
    """
    own = player.worlds(frame)
    if not frame or not any(channel.jumps is not None and channel.jumps[frame] for channel in player.channels):
        return [[(own, moment)]]
    (after,) = shown.moments([moment.frame + _JUST])
    return [[(own, moment)], [(player.worlds(frame - _JUST), moment), (own, after)]]


def _flavor_of_import(recipe: dict[str, Any]) -> str:
    """The form of an imported file, which its edited take keeps."""
    return "TIMECODED" if any("_tc_" in step.get("file", "") for step in recipe["steps"]) else "RAW"


def _pivot_poses(export: Any, player: Any, rig: str, numbers: Any, ways: Any, seen: Any, around: Array,
                 flavor: str, size: tuple[float, float], frames: Any) -> Iterator[Find]:  # fmt: skip
    for bone, number in numbers.items():
        if not number:  # the first pivot is where the game puts the whole object
            continue
        depth = _depth(player, number)
        place_limit, turn_limit = _w3d_limits(flavor, depth, *size)
        worst = [0.0, 0.0, 0.0, 0.0]
        for frame, either in zip(frames, ways, strict=True):
            apart = [[_apart(around @ poses[number], moment.worlds[f"{rig}/{bone}"]) for poses, moment in way]
                     for way in either]  # fmt: skip
            far = [max((off / place_limit + turned / turn_limit, off, turned) for off, turned in way) for way in apart]
            worst = max(worst, [*min(far), frame])
        export.far = max(export.far, worst[1] / place_limit, worst[2] / turn_limit)
        if (worst[1] <= place_limit and worst[2] <= turn_limit) or export.names("delta"):
            continue
        told = _told_off(export, f"{rig}/{bone}", seen)
        if worst[1] > place_limit + told[0] or worst[2] > turn_limit + told[1]:
            kind = "pivot rotation" if worst[2] > turn_limit else "pivot position"
            yield Find(kind, bone, f"{worst[1]:.5f}, {worst[2]:.3f} degrees on frame {worst[3]}", worst[0])


def _apart(found: Array, wanted: Array) -> tuple[float, float]:
    """Units and degrees between two poses; no degrees where one has no axes."""
    axes, own = rotation_of(wanted), rotation_of(found)
    turned = 0.0 if axes is None or own is None else angle(own, axes)
    return float(np.linalg.norm(found[:3, 3] - wanted[:3, 3])), turned


def _w3d_limits(flavor: str, depth: int, unit: float, reach: float) -> tuple[float, float]:
    if "TIMECODED" in flavor:
        turn = 0.06 * depth + 0.02
        return 0.0015 * unit * depth + math.radians(turn) * reach + 2e-4 * (unit + reach), turn
    if "ADAPTIVE" in flavor:
        return 0.01 * reach * (1 + depth) + 0.02 * unit, 1.0 * (1 + depth)
    return 2e-4 * (unit + reach), 0.02 + 0.006 * depth


def _visibility(export: Any, player: Any, rig: str, numbers: Any, frames: Any, seen: Any) -> Iterator[Find]:
    for place in [place for place, name in seen[0].switches if name == "visibility"]:
        bone = place.partition("/")[2]
        bits = player.shown.get(numbers.get(bone))
        for frame, moment in zip(frames, seen, strict=True):
            shows = bool(moment.switches[place, "visibility"] >= LEAST_SHOWN)
            if (True if bits is None else bool(bits[frame])) != shows and not export.names(bone):
                yield Find("visibility", bone, f"frame {frame} should be {'shown' if shows else 'hidden'}")
                return


# --- AnimX ----------------------------------------------------------------------------------------------------------


def _judge_animx(recipe: dict[str, Any], export: Export, written: list[Any], spans: list[clock.Span]) -> Iterator[Find]:
    if export.data is None:
        yield from _refused(export, written, spans)
        return
    player = animx.Player(export.data)
    if player.doubled and not export.names(player.doubled[0][0]):
        yield Find("two nodes of one name", player.doubled[0][0], f"{len(player.doubled)} fields twice")
        return
    span = _span_like(spans, player.duration, 2e-4)
    if span is None:
        yield _wrong_length(spans, player.duration)
        return
    seconds = _moments(span, player.duration, str(recipe["steps"]))
    seen = shown.moments([span.timeline(moment) for moment in seconds])
    names = {thing.name for thing in written}
    slack = [_slack(span, moment) for moment in seconds]
    yield from _slots(recipe, export, player, names, list(zip(seconds, slack, strict=True)), seen, span)
    yield from _fields(export, player, names, seconds, seen)
    yield from _swollen_animx(export, player, written, span)


def own_frame(place: str, preset: str) -> Array:
    """What a model's exporter turns a node by, in its own frame: none but for glTF's objects, lights and cameras."""
    kind = bpy.data.objects[place].type if "/" not in place else "BONE"
    if preset == "GLTF":
        return np.eye(4) if kind in ("BONE", "LIGHT", "CAMERA") else Y_UP.T
    if kind == "LIGHT":
        return _turned(0)
    return _turned(1) if kind == "CAMERA" else np.eye(4)


def _turned(axis: int) -> Array:
    """A quarter turn about X (0) or Y (1), as Blender's FBX exporter turns lights and cameras."""
    found = np.eye(4)
    one, other = ((1, 2), (2, 0))[axis]
    found[one, one] = found[other, other] = 0.0
    found[one, other], found[other, one] = -1.0, 1.0
    return found


def _import_preset() -> str:
    """The axes that an imported take came with."""
    return str(bpy.ops.import_anim.animx.get_rna_type().properties["axes"].default)


def _in_engine(moment: shown.Moment, preset: str) -> dict[str, Array]:
    return {place: MIRROR @ Y_UP @ world @ own_frame(place, preset) @ MIRROR for place, world in moment.worlds.items()}


def _slots(
    recipe: Any, export: Export, player: Any, names: set[str], seconds: Any, seen: Any, span: clock.Span
) -> Iterator[Find]:
    preset, parents = recipe["options"].get("axes") or _import_preset(), shown.parents()
    model = _in_engine(seen[0], preset)
    slots = _unambiguous(parents)
    locals_ = {place: _relative(model, place, above) for place, above in parents.items()}
    places = [place for place in slots if place.split("/")[0] in names and _is_bound(place, slots, parents)]
    export.known |= {slots[place] for place in places if _is_crooked(player, slots[place], locals_[place])}
    reach, worst = sum(figure(seen, places)), {}
    told = {place: _told_off(export, place, seen, sizes=True) for place in places}

    def off(at: float, moment: shown.Moment) -> dict[str, float]:
        wanted = _in_engine(moment, preset)
        played = [_slot_worlds(player, slots, parents, locals_, near) for near in _near(at, moment.frame)]
        there = [place for place in places if place.split("/")[0] in moment.visible]
        return {place: min(_distance(each[place], wanted[place], reach, told[place]) for each in played)
                for place in there}  # fmt: skip

    for (at, slack), moment in zip(seconds, seen, strict=True):
        for place, times in off(at, moment).items():
            worst[place] = max(worst.get(place, (0.0, 0.0)), (times / slack, at))
            export.far = max(export.far, times / slack)
    for name, checked in export.check.off.items() if export.check is not None else ():
        (moment,) = shown.moments([span.timeline(checked.moment)])
        own = [times for place, times in off(checked.moment, moment).items() if times > 1 and slots[place] == name]
        export.known |= {name} if own else set()
        export.far = max([export.far, *own])
    yield from _wrong_slots(places, worst, parents)


def _slot_worlds(player: Any, slots: Any, parents: Any, locals_: Any, at: float) -> dict[str, Array]:
    found: dict[str, Array] = {}
    for place in _parents_first(parents):
        own = _slot_local(player, slots.get(place), at, locals_[place])
        found[place] = own if parents[place] is None else found[parents[place]] @ own
    return found


def _wrong_slots(places: list[str], worst: Any, parents: Any) -> Iterator[Find]:
    wrong = [place for place in places if worst.get(place, (0, 0))[0] > 1]
    for place in [place for place in wrong if parents[place] not in wrong][:3]:
        off, at = worst[place]
        yield Find("slot pose", place, f"{off:.1f} times the tolerance at {at:.4f} s", off)


def _unambiguous(parents: dict[str, str | None]) -> dict[str, str]:
    """Slot name by place; two places of one name cannot be bound by it."""
    names = [place.rpartition("/")[2] for place in parents]
    return {place: name for place, name in zip(parents, names, strict=True) if names.count(name) == 1}


def _is_bound(place: str | None, slots: dict[str, str], parents: dict[str, str | None]) -> bool:
    """Whether an object or bone and all that it hangs on can be bound by their names."""
    return place is None or (place in slots and _is_bound(parents[place], slots, parents))


def _parents_first(parents: dict[str, str | None]) -> list[str]:
    done: list[str] = []

    def visit(place: str) -> None:
        above = parents[place]
        if above is not None and above not in done:
            visit(above)
        if place not in done:
            done.append(place)

    for place in parents:
        visit(place)
    return done


def _relative(model: dict[str, Array], place: str, above: str | None) -> Array:
    return model[place] if above is None else np.linalg.inv(model[above]) @ model[place]


def _slot_local(player: animx.Player, name: str | None, at: float, local: Array) -> Array:
    """A slot's own transform: as the model has it, but for the fields that a track drives."""
    if name is None or not _is_driven(player, name):
        return local
    sizes = np.linalg.norm(local[:3, :3], axis=0)
    sizes = sizes * (-1 if np.linalg.det(local[:3, :3]) < 0 else 1)
    return player.local(name, at, local[:3, 3], quaternion(local[:3, :3] / sizes), sizes)


def _is_driven(player: animx.Player, name: str) -> bool:
    return any((name, field) in player.by_place for field in ("Position", "Rotation", "Scale"))


def _is_crooked(player: animx.Player, name: str, local: Array) -> bool:
    """Whether a slot that no track drives should have axes that are not square."""
    axes = local[:3, :3] / np.maximum(np.linalg.norm(local[:3, :3], axis=0), 1e-9)
    return not _is_driven(player, name) and bool(np.abs(axes.T @ axes - np.eye(3)).max() > 3e-4)


def quaternion(axes: Array) -> Array:
    """x, y, z, w of a rotation (3, 3)."""
    trace = np.array([axes[0, 0] - axes[1, 1] - axes[2, 2], axes[1, 1] - axes[0, 0] - axes[2, 2],
                      axes[2, 2] - axes[0, 0] - axes[1, 1], axes.trace()])  # fmt: skip
    products = np.array([
        [trace[0], axes[0, 1] + axes[1, 0], axes[0, 2] + axes[2, 0], axes[2, 1] - axes[1, 2]],
        [0, trace[1], axes[1, 2] + axes[2, 1], axes[0, 2] - axes[2, 0]],
        [0, 0, trace[2], axes[1, 0] - axes[0, 1]],
        [0, 0, 0, trace[3]],
    ])  # fmt: skip
    _, vectors = np.linalg.eigh(products / 3, UPLO="U")
    return np.asarray(vectors[:, -1])


def _distance(found: Array, wanted: Array, reach: float, told: tuple[float, float]) -> float:
    """In tolerances: 2e-4 m a metre of reach for the place, 1e-3 of the length for the tips of the axes.

    Metres and degrees that a warning has `told` do not count.
    """
    metres, degrees = told
    place = (float(np.linalg.norm(found[:3, 3] - wanted[:3, 3])) - metres) / (2e-4 * reach)
    size = max(float(np.linalg.norm(wanted[:3, :3], axis=0).max()), 1e-6)
    tips = float(np.linalg.norm(found[:3, :3] - wanted[:3, :3], axis=0).max()) / size
    return max(place, (tips - math.radians(degrees) - metres / reach) / 1.5e-3)


def _fields(export: Export, player: Any, names: set[str], seconds: Any, seen: Any) -> Iterator[Find]:
    for node, name in seen[0].values:
        if node not in names:
            continue
        counted = [node in moment.visible or name == "Active" for moment in seen]  # what is hidden is not evaluated
        rows = np.array([moment.values[node, name] for moment in seen])
        spread = float(np.ptp(rows, axis=0).max())
        played = [[player.field(node, name, near) for near in _near(at, moment.frame)]
                  for at, moment in zip(seconds, seen, strict=True)]  # fmt: skip
        if played[0][0] is None:
            said = export.names(node, name.rpartition(".")[2])
            if spread > 1e-4 * max(1.0, float(np.abs(rows).max())) and not said:
                yield Find("field left out", f"{node} {name}", f"it moves by {spread:.3g}")
            continue
        least, most = np.min(played, axis=1), np.max(played, axis=1)
        off = np.maximum(least - rows, rows - most).max(axis=1) * counted
        allowed = 2e-4 * max(spread, 0.1) + 1e-6 * float(np.abs(rows).max()) + export.off_field(node, name, spread)
        if off.max() > allowed:
            yield Find("field", f"{node} {name}", f"{off.max():.5f} off at {seconds[int(off.argmax())]:.4f} s")


def _swollen_animx(export: Export, player: Any, written: list[Any], span: clock.Span) -> Iterator[Find]:
    if export.imported is not None:
        return
    said = any(_SAID.search(line) for line in export.warnings + export.notes)
    for track in player.tracks:
        if len(track.times) > _FINEST * span.frames + 8:
            yield Find(
                "swollen", f"{track.node} {track.field}", f"{len(track.times)} keys for {span.frames:.0f} frames"
            )
            return
    count, own = sum(len(track.times) for track in player.tracks), curve_keys(written)
    if count > 2 * own + 4 * len(player.tracks) and not said:
        yield Find("swollen", "file", f"{count} keys from {own} without a word")


def curve_keys(written: list[Any]) -> int:
    """Moments with a key, property by property; of a strip as often as it repeats."""
    from . import stage

    found = set()
    for holder in (holder for thing in written for holder in clock.datablocks(thing)):
        played = [("", 1, stage.curves_of(holder) or ())]
        played += [(strip.name, math.ceil(strip.repeat), curves) for strip, curves in stage.curves_of_strips(holder)]
        for strip, times, curves in played:
            for curve in curves:
                keys = {(holder.name, strip, curve.data_path, point.co[0]) for point in curve.keyframe_points}
                found |= {(*key, time) for key in keys for time in range(times)}
    return len(found)


LEAST_SHOWN = 0.1
"""A visibility that is a number is an opacity; below this W3X hides."""

PIVOT_PLAYERS = {"w3d": w3d.Player.of, "w3x": w3x.Player.of}
_JUDGES = {"mrtk": _judge_mrtk, "w3d": _judge_pivots, "w3x": _judge_pivots, "animx": _judge_animx}
