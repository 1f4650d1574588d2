"""The judge: a file plays what Blender shows, or a warning names what differs, or the export says why it refuses.

Every tolerance is one that the docs promise, with room for float32.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from random import Random
from typing import Any

import bpy
import numpy as np

from . import accounts, clock, edits, shown, stage
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
_ASKED_FOR = re.compile("size than in its file; include it|First Frame and Frame Count ask for some that it has not")
_IN_ITS_PARENT = re.compile("its curve|than it is sampled")
_CROOKED = re.compile("its axes are off by up to")
_SOLVED = re.compile(r"(.*): the inverse kinematics of .* solves to some hundredths of a degree")
_FADE_OFF = 2e-3
"""How far opacities may be off where keys are left out."""
_DELTAS = 10.0
"""Times as far off are those in differences."""
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
        beside: bytes of the file that holds the skeleton, where the file itself does not.
        animations: the Action of each animation of the imported file, and its frames.
        edited: the Actions that played while something was edited.
        files: what was written, by the files' names.
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
    beside: bytes = b""
    animations: list[tuple[Any, clock.Range]] = field(default_factory=list)
    edited: list[Any] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)

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
        """Metres and degrees that the check says the first of a chain is off, where any is said to lose shear.

        How far is anybody's guess where the export was not to look.
        """
        off = None if self.check is None else self.check.off.get(names[0])
        crooked = any(_CROOKED.search(warning) for name in names for warning, _ in self._amounts(name))
        if crooked and self.check is None:
            return math.inf, math.inf
        if off is None or not crooked:
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
        """Yield the warnings that name a bone or object, or the joint that it is, with what they say that it is off."""
        names = "|".join(map(re.escape, {name, self.renamed.get(name, name)}))
        for warning in filter(re.compile(rf"(?<![\w.])({names})(?![\w.]*\w)").search, self.warnings):
            told = _AMOUNT.search(warning)
            if told is not None:
                yield warning, told


def judge(recipe: dict[str, Any], export: Export) -> list[Find]:
    """All that is wrong with an export of the scene that is open."""
    finds = list(_judge(recipe, export))
    asked_for = any(map(_ASKED_FOR.search, export.warnings))
    return finds if finds or asked_for or export.check is None else list(_wrong_check(export))


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
    spans = _spans(written, recipe, export.imported)
    several = {"actions", "several", "space"} & recipe["options"].keys()
    fresh = export.data not in (None, export.source) and not several
    absent = _GAZE if recipe["format"] == "mrtk" and fresh and mrtk.Player(export.data).version == (1, 0) else ()
    if recipe["format"] in PIVOT_PLAYERS and fresh and len(written) == 1 and export.imported is not None:
        numbers = pivot_numbers(_player(recipe, export), written[0].name, export.renamed)
        absent = [bone for bone, number in numbers.items() if number is None]
    sums = list(accounts.wrong_sums(recipe["format"], written, export.notes, absent)) if fresh else []
    yield from _JUDGES[recipe["format"]](recipe, export, written, spans)  # which plays other Actions, too
    yield from (Find("sum", "report", wrong) for wrong in sums)


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


def _moments(span: clock.Span, seconds: float, recipe: dict[str, Any]) -> list[float]:
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


def _refused(
    export: Export, written: list[Any], spans: list[clock.Span], *, sizes: bool = True, local: bool = False
) -> Iterator[Find]:
    """A refusal is right where nothing moves, or where nothing is selected of several armatures.

    What only grows does not move where a format has no sizes.
    """
    armatures = [thing for thing in written if thing.type == "ARMATURE"]
    if len(armatures) > 1 and all(thing.name in export.refusal and not thing.select_get() for thing in armatures):
        return
    seen = shown.moments([span.timeline(span.seconds * share / 8) for span in spans[:1] for share in range(9)])
    places = [place for place in seen[0].worlds if place.split("/")[0] in {thing.name for thing in written}]
    for rig in written if local else ():
        _without_object(seen, rig.name)
    for moment in () if sizes else seen:
        moment.worlds = {place: _without_size(world) for place, world in moment.worlds.items()}
    if any(shown.varies(seen, place) for place in places):
        yield Find("refused", "export", export.refusal.strip()[:200])


def _without_object(seen: list[shown.Moment], rig: str) -> None:
    """Let an armature's bones be where they are in it."""
    for moment in seen:
        own = np.linalg.inv(moment.worlds[rig])
        moment.worlds |= {place: own @ world for place, world in moment.worlds.items() if place.startswith(f"{rig}/")}
        moment.worlds[rig] = np.eye(4)


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
    player, rounds = mrtk.Player(export.data), recipe["options"].get("loop_count", 1)
    lasting, rig = player.duration / rounds, written[0].name
    span = _span_like(spans, lasting, 1e-3)
    if span is None:
        yield _wrong_length(spans, lasting)
        return
    seconds = [at for at in _moments(span, lasting, recipe) if rounds == 1 or at < lasting]
    seen = _enlarged(shown.moments([span.timeline(moment) for moment in seconds]), recipe["options"])
    seconds = _in_rounds(seconds, lasting, rounds)
    yield from _hands(player, export, rig, seconds, seen)
    yield from _camera_and_gaze(player, export, rig, seconds, seen)
    yield from _swollen_mrtk(player, export, span) if rounds == 1 else ()
    yield from _markers(player, written[0], span) if rounds == 1 and export.imported is None else ()


def _in_rounds(seconds: list[float], lasting: float, rounds: int) -> list[float]:
    """The same moments, each of any round."""
    return [at + lasting * (number % rounds) for number, at in enumerate(seconds)]


def _enlarged(seen: list[shown.Moment], options: dict[str, Any]) -> list[shown.Moment]:
    """What is shown, with all lengths multiplied as an option says."""
    for moment in seen:
        for world in moment.worlds.values():
            world[:3, 3] *= options.get("scale", 1.0)
    return seen


def _markers(player: mrtk.Player, rig: Any, span: clock.Span) -> Iterator[Find]:
    """The markers of the Action that plays, as far as they are within the file."""
    action = None if rig.animation_data is None else rig.animation_data.action
    labels = [] if action is None else action.pose_markers
    seconds = sorted((label.frame - span.first) * span.seconds / (span.last - span.first or 1.0) for label in labels)
    wanted = [at for at in seconds if -1e-4 < at < span.seconds + 1e-4]
    found = sorted(float(time) for time, _ in player.recording["markers"] if time < span.seconds + 1e-4)
    if len(found) != len(wanted) or any(abs(one - two) > 1e-3 for one, two in zip(found, wanted, strict=True)):
        yield Find("markers", "file", f"{found}, not {wanted}")


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
    if recipe["options"].get("several") == "FILES":
        yield from _each_armature(recipe, export, written)
        return
    if len(written) > 1:
        yield from _several_armatures(export, written)
        return
    if export.data is None:
        yield from _refused_pivots(recipe, export, written, spans)
        return
    if recipe["options"].get("actions") == "ALL":
        yield from _each_action(recipe, export, written[0])
        return
    own = next((at for at, (action, _) in enumerate(export.animations) if action and action == playing(written[0])), 0)
    for number in [own] if export.imported is not None else range(_player(recipe, export).animations or 1):
        yield from _animation(recipe, export, written[0], spans, number)
    yield from _skeletons(recipe, export)
    yield from _other_animations(recipe, export, written[0], own) if export.imported is not None else ()


def _refused_pivots(recipe: Any, export: Export, written: list[Any], spans: Any = None) -> Iterator[Find]:
    local = recipe["options"].get("space") == "LOCAL"
    yield from _refused(export, written, spans or _spans(written, recipe), sizes=False, local=local)


def is_whole(recipe: dict[str, Any], data: bytes) -> bool:
    """Whether a file holds all that it takes to play it, such as its skeleton, and all of the scene."""
    player, plain = PIVOT_PLAYERS.get(recipe["format"]), recipe["options"].keys() <= {"flavor"}
    return player is None or (plain and bool(player(data).skeletons))


def playing(rig: Any) -> Any:
    """The Action that an armature plays, by itself or as a strip."""
    data = rig.animation_data
    strips = () if data is None else [strip for track in data.nla_tracks for strip in track.strips]
    return data and (data.action or next((strip.action for strip in strips), None))


def _player(recipe: dict[str, Any], export: Export, number: int = 0, data: bytes | None = None) -> Any:
    return PIVOT_PLAYERS[recipe["format"]](data or export.data, number, export.beside)


def _each_armature(recipe: dict[str, Any], export: Export, written: list[Any]) -> Iterator[Find]:
    """A file for each armature, named after it; none at all if one of them stands still."""
    still = {rig.name for rig in written if not list(_refused_pivots(recipe, export, [rig]))}
    if export.data is None and still:
        return
    for rig in written:
        data = {name.rpartition(".")[0]: found for name, found in export.files.items()}.get(rig.name)
        if data is None and not (rig.name in still and export.names(rig.name)):
            yield Find("no file", rig.name, export.refusal or ", ".join(export.files))
        elif data is not None:
            yield from _animation(recipe, replace(export, data=data), rig, _spans([rig], recipe))


def _spans(written: list[Any], recipe: dict[str, Any], imported: clock.Range | None = None) -> list[clock.Span]:
    hung = [child for thing in written for child in thing.children if child.type == "MESH" and child.parent_bone]
    things = [*written, *hung] if recipe["format"] in PIVOT_PLAYERS and imported is None else written
    return clock.candidates(things, imported, recipe["options"])


def _each_action(recipe: dict[str, Any], export: Export, rig: Any) -> Iterator[Find]:
    """A file for each Action of an armature, alone, named after it."""
    data = rig.animation_data
    actions = {strip.action for track in data.nla_tracks for strip in stage.strips_of(track)} | {data.action}
    for action in sorted((each for each in actions if each), key=lambda each: str(each.name)):
        name = re.sub(r"\W", "_", action.name)
        found = [each for file, each in export.files.items() if re.sub(r"\W", "_", file.rpartition(".")[0]) == name]
        edits.play(rig, action)
        if found:
            yield from _animation(recipe, replace(export, data=found[0]), rig, _spans([rig], recipe))
        elif list(_refused_pivots(recipe, export, [rig])):
            yield Find("no file", action.name, ", ".join(export.files))


def _skeletons(recipe: dict[str, Any], export: Export) -> Iterator[Find]:
    """A file holds its skeleton unless nobody wants it, or it came from a file without one."""
    include = recipe["options"].get("include_skeleton", "AUTO")
    player = PIVOT_PLAYERS[recipe["format"]]
    there, before = (bool(player(data).skeletons) for data in (export.data, export.source or export.data))
    wanted = {"INCLUDE": True, "EXCLUDE": False}.get(include, before)
    if there != wanted and (include != "AUTO" or export.imported is not None) and not export.names("skeleton"):
        yield Find("skeleton", "file", "is in the file" if there else "is not in the file")


def _other_animations(recipe: dict[str, Any], export: Export, rig: Any, playing_number: int) -> Iterator[Find]:
    """The other animations of an imported file: as Blender has them now, or as they were where nobody edited them."""
    count = _player(recipe, export).animations
    if export.source is not None and count != max(len(export.animations), 1):
        yield Find("animations", "file", f"{count}, not {len(export.animations)}")
        return
    for number, (action, frames) in enumerate(export.animations):
        if number == playing_number or action is None or export.source is None:
            continue
        now, before = (_player(recipe, export, number, data) for data in (export.data, export.source))
        if action not in export.edited and _plays_alike(now, before):
            continue
        edits.play(rig, action)
        own = {} if action in export.edited else {"use_scene_range": False, "bake_to_scene_end": False}
        spans = _spans([rig], {**recipe, "options": recipe["options"] | own}, frames)
        finds = list(_animation(recipe, export, rig, spans, number))
        yield from [replace(find, kind=f"other {find.kind}") for find in finds]


def _plays_alike(now: Any, before: Any) -> bool:
    """Whether two animations of a name have the same frames, and the pivots the same poses on them."""
    facts = [(each.name, each.frames, each.rate, each.names) for each in (now, before)]
    return facts[0] == facts[1] and all(
        np.abs(np.array(now.worlds(frame)) - np.array(before.worlds(frame))).max() < 1e-5 for frame in range(now.frames)
    )


def _animation(
    recipe: dict[str, Any], export: Export, rig: Any, spans: list[clock.Span], number: int = 0
) -> Iterator[Find]:
    player, options = _player(recipe, export, number), recipe["options"]
    if any(map(_ASKED_FOR.search, export.warnings)):
        return
    if not player.frames or not player.names:
        yield Find("empty file", "file", f"{player.animations} animations, {len(player.names)} pivots")
        return
    alike = export.imported is None and abs(player.rate * clock.stretch() / clock.rate() - 1) < 0.002
    step = clock.stretch() if alike else clock.rate() / player.rate
    skipped, most = options.get("first_frame", 0), options.get("frame_count", 0) or math.inf
    wanted = [min(max(span.seconds * clock.rate() / step - skipped, 0.0), most - 1) for span in spans]
    least = -1e-3 if export.imported is None else -0.5  # as many frames as before for what is nearly as long
    near = [span for span, frames in zip(spans, wanted, strict=True) if least < player.frames - 1 - frames < 0.999]
    if not near:
        yield _wrong_length(spans, (player.frames - 1) * step / clock.rate())
        return
    yield from _pivots(recipe, export, player, rig.name, near[0], step)


def _pivots(recipe: Any, export: Export, player: w3d.Player, rig: str, span: clock.Span, step: float) -> Iterator[Find]:
    random = Random(str(recipe["steps"]))
    frames = sorted({0, player.frames - 1, *(random.randrange(player.frames) for _ in range(MOMENTS - 2))})
    lasting, skipped = span.seconds, recipe["options"].get("first_frame", 0)
    if recipe["options"].get("use_scene_range"):  # a frame beyond the scene's last shows that, or what is there
        frames = [frame for frame in frames if (frame + skipped) * step / clock.rate() <= lasting + 1e-4] or [0]
    seen = shown.moments([span.timeline(min((frame + skipped) * step / clock.rate(), lasting)) for frame in frames])
    numbers = pivot_numbers(player, rig, export.renamed)
    above = [each.name for each in getattr(bpy.data.objects[rig].data.bones.get(_ROOT), "parent_recursive", ())]
    for bone, number in numbers.items():
        new = export.imported is not None and not _is_moved(rig, bone)
        if number is None and bone not in above and not new and not export.names(bone):
            yield Find("no pivot", bone, "the bone is not in the file")
            return
    if recipe["options"].get("space") == "LOCAL":
        _without_object(seen, rig)
    if recipe["options"].get("skeleton") and export.imported is None:
        _turn_axes(player, rig, numbers, seen, recipe["options"].get("scale", 1.0))
    yield from _poses(recipe, export, player, rig, numbers, frames, seen)
    most = _FADE_OFF * (_DELTAS if "ADAPTIVE" in _flavor(recipe) else 1.0)
    yield from _visibility(export, player, rig, numbers, frames, seen, most)


def _is_moved(rig: str, bone: str) -> bool:
    """Whether keys or constraints move a bone by itself, or a property of it that is named with it."""
    thing = bpy.data.objects[rig]
    keyed = any(f'"{bone}"' in path for path, _ in accounts.values_of(thing))
    return keyed or (bone in thing.pose.bones and len(thing.pose.bones[bone].constraints) > 0)


def _turn_axes(player: Any, rig: str, numbers: dict[str, int | None], seen: list[shown.Moment], size: float) -> None:
    """Let bones have the axes of the pivots that rest in their places, from which what is skinned turns away."""
    rests: list[Array] = []
    for above, base in zip(player.parents, player.bases, strict=True):
        rests.append(rests[above] @ base if above >= 0 else np.eye(4))
    bones = [bone for bone in bpy.data.objects[rig].data.bones if numbers[bone.name]]
    own = {bone.name: np.array(bone.matrix_local, np.float64) for bone in bones}
    there = {bone.name: rests[numbers[bone.name] or 0] for bone in bones}
    apart = max(float(np.abs(size * own[name][:3, 3] - there[name][:3, 3]).max()) for name in own)
    for name in own if apart < 1e-3 else ():
        turn = np.eye(4)
        turn[:3, :3] = own[name][:3, :3].T @ there[name][:3, :3]
        for moment in seen:
            moment.worlds[f"{rig}/{name}"] = moment.worlds[f"{rig}/{name}"] @ turn


def _space(recipe: dict[str, Any], name: str) -> Array:
    """From the space of a file to Blender's, as the options of the import or the export say."""
    imports = (step.get("options", {}) for step in recipe["steps"] if step["do"] == "import")
    options = recipe["options"] if name == "export" else next(imports, {})
    axes = [np.sign(-1 if part[0] == "-" else 1) * np.eye(3)["XYZ".index(part[-1])]
            for part in (options.get("forward", "Y"), options.get("up", "Z"))]  # fmt: skip
    found = np.eye(4)
    found[:3, :3] = np.array([np.cross(*axes), *axes])
    size = options.get("scale", 1.0)
    return found @ np.diag([*[size if name == "import" else 1 / size] * 3, 1.0])


def pivot_numbers(player: w3d.Player, rig: str, renamed: dict[str, str]) -> dict[str, int | None]:
    """The pivot of each bone: of its name in capitals, cut where the format has no room for more.

    Without its namespace where there is none of the whole; of several that are cut alike later ones have a number.
    """
    names, room, found = [name.upper() for name in player.names], player.NAME_LETTERS, dict[str, int | None]()
    bones = bpy.data.objects[rig].data.bones
    above = [bone.name for bone in getattr(bones.get(_ROOT), "parent_recursive", ())]
    for bone in [str(bone.name) for bone in bones]:
        whole = renamed.get(bone, bone).upper()
        cut = [name[:room].rstrip(".") if room else name for name in (whole, whole.rpartition(":")[2])]
        wanted = [*cut, *(f"{name[: room - 2]}_{number}" for name in cut for number in range(1, 10) if room)]
        there = (names.index(name) for name in wanted if name in names)
        found[bone] = next((at for at in there if at not in found.values() and bone not in above), None)
    return found


def _depth(player: w3d.Player, number: int) -> int:
    return 0 if player.parents[number] < 0 else 1 + _depth(player, player.parents[number])


def _poses(recipe: Any, export: Export, player: Any, rig: str, numbers: Any, frames: Any, seen: Any) -> Iterator[Find]:
    """World pose of each pivot; a rig that stands still may be told from where it stands, which the game places."""
    flavor = _flavor(recipe)
    places = [f"{rig}/{bone}" for bone in numbers]
    size = figure(seen, places)
    space = _space(recipe, "export")
    outer = np.eye(4) if shown.varies(seen, rig) else seen[0].worlds[rig] @ space
    ways = [_ways(player, frame, moment) for frame, moment in zip(frames, seen, strict=True)]
    tried = []
    for around in (space @ _space(recipe, "import"), outer):
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


def _flavor(recipe: dict[str, Any]) -> str:
    """The form of a file: as was asked, else that of the imported file, which its edited take keeps."""
    if recipe["options"].get("flavor", "AUTO") != "AUTO":
        return str(recipe["options"]["flavor"])
    forms = {"_tc": "TIMECODED", "_ad": "ADAPTIVE", "ad4": "ADAPTIVE"}
    files = [step.get("file", "") for step in recipe["steps"]]
    return next((form for part, form in forms.items() if any(part in file for file in files)), "RAW")


def _pivot_poses(export: Any, player: Any, rig: str, numbers: Any, ways: Any, seen: Any, around: Array,
                 flavor: str, size: tuple[float, float], frames: Any) -> Iterator[Find]:  # fmt: skip
    for bone, number in numbers.items():
        if not number:  # the first pivot is where the game puts the whole object
            continue
        depth = _depth(player, number)
        place_limit, turn_limit = _w3d_limits(flavor, depth, *size)
        worst = [0.0, 0.0, 0.0, 0.0]
        for frame, either in zip(frames, ways, strict=True):
            slack = 1.0 if abs(either[0][0][1].frame - round(either[0][0][1].frame)) < 1e-3 else _BETWEEN
            apart = [[_apart(around @ poses[number], moment.worlds[f"{rig}/{bone}"]) for poses, moment in way]
                     for way in either]  # fmt: skip
            apart = [[(off / slack, turned / slack) for off, turned in way] for way in apart]
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


def _visibility(
    export: Any, player: Any, rig: str, numbers: Any, frames: Any, seen: Any, most: float
) -> Iterator[Find]:
    for place, name in seen[0].switches:
        bone, wanted = place.partition("/")[2], np.array([moment.switches[place, name] for moment in seen])
        pivot = numbers.get(bone)
        posed = wanted.max() < 1.0 and not _is_moved(rig, f'{bone}"]["{name}')  # which hides nothing in a game
        if not place.startswith(f"{rig}/") or not pivot or export.names(bone) or posed:
            continue
        if name == "visibility":
            bits = player.shown.get(pivot, np.ones(player.frames, bool))[frames]
            off = np.flatnonzero(bits != (wanted >= LEAST_SHOWN))
            if len(off):
                yield Find("visibility", bone, f"frame {frames[off[0]]} should be {wanted[off[0]]:g}")
        numbers_in_file = _numbers(player, pivot, name)
        if numbers_in_file is not None:
            far = np.abs(numbers_in_file[frames] - wanted)
            if far.max() > most:
                yield Find(name, bone, f"{far.max():.4f} off on frame {frames[int(far.argmax())]}")


def _numbers(player: Any, pivot: int, name: str) -> Array | None:
    """What an opacity is on each frame, None where the file has no place for it."""
    if isinstance(player, w3x.Player):
        own = player.opacity[pivot].values[:, 0] if pivot in player.opacity else np.ones(player.frames)
        return own if name == "visibility" else None
    found = [each.values[:, 0] for each in player.channels if each.pivot == pivot and each.type == w3d.FADE]
    return next(iter(found), np.ones(player.frames)) if name == "fade" else None


# --- AnimX ----------------------------------------------------------------------------------------------------------


def _judge_animx(recipe: dict[str, Any], export: Export, written: list[Any], spans: list[clock.Span]) -> Iterator[Find]:
    if export.data is None:
        yield from _refused(export, written, spans)
        return
    player = animx.Player(export.data, **{name: recipe["options"].get(name, "") for name in animx.ORDERS})
    player.call_back(recipe["options"].get("node_prefix", ""))
    if player.doubled and not export.names(player.doubled[0][0]):
        yield Find("two nodes of one name", player.doubled[0][0], f"{len(player.doubled)} fields twice")
        return
    span = _span_like(spans, player.duration, 2e-4)
    if span is None:
        yield _wrong_length(spans, player.duration)
        return
    seconds = _moments(span, player.duration, recipe)
    seen = _enlarged(shown.moments([span.timeline(moment) for moment in seconds]), recipe["options"])
    names = {thing.name for thing in written}
    slack = [_slack(span, moment) for moment in seconds]
    yield from _slots(recipe, export, player, names, list(zip(seconds, slack, strict=True)), seen, span)
    yield from _fields(export, player, names, seconds, seen)
    yield from _swollen_animx(export, player, written, span)


def own_frame(place: str, preset: str) -> Array:
    """What a model's exporter turns a node by, in its own frame: none but for glTF's objects, lights and cameras."""
    kind = bpy.data.objects[place].type if "/" not in place else "BONE"
    if preset in ("ENGINE", "MANUAL"):
        return np.eye(4)
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


def _preset_of(options: dict[str, Any]) -> str:
    """The axes that were asked for, else those that an imported take came with, which anything has by default."""
    own = options.get("axes", "AUTO")
    return str(bpy.ops.import_anim.animx.get_rna_type().properties["axes"].default) if own == "AUTO" else str(own)


def _to_file(options: dict[str, Any]) -> Array:
    """(4, 4) from Blender's vectors to those of a file with axes of its own: Y is forward, Z up, X right."""
    manual = options.get("axes") == "MANUAL"
    forward, up = (options["forward_axis"], options["up_axis"]) if manual else ("Z", "Y")
    front, top = (np.eye(3)["XYZ".index(name[-1])] * (-1 if name[0] == "-" else 1) for name in (forward, up))
    right = np.cross(front, top) * (-1 if not manual or options["left_handed"] else 1)
    found = np.eye(4)
    found[:3, :3] = np.stack((right, front, top), axis=1)
    return found


def _in_engine(moment: shown.Moment, preset: str, options: dict[str, Any]) -> dict[str, Array]:
    if preset in ("ENGINE", "MANUAL"):
        to = _to_file(options)
        return {place: to @ world @ to.T for place, world in moment.worlds.items()}
    return {place: MIRROR @ Y_UP @ world @ own_frame(place, preset) @ MIRROR for place, world in moment.worlds.items()}


def _slots(
    recipe: Any, export: Export, player: Any, names: set[str], seconds: Any, seen: Any, span: clock.Span
) -> Iterator[Find]:
    options, parents = recipe["options"], shown.parents()
    preset = _preset_of(options)
    model = _in_engine(seen[0], preset, options)
    slots = _unambiguous(parents)
    outside = np.diag([*[0.01 if preset == "FBX_CM" else 1.0] * 3, 1.0])  # what a model's own slot has of it
    model |= {None: outside}
    locals_ = {place: _relative(model, place, above) for place, above in parents.items()}
    places = [place for place in slots if place.split("/")[0] in names and _is_bound(place, slots, parents)]
    export.known |= {slots[place] for place in places if _is_crooked(player, slots[place], locals_[place])}
    reach, worst = sum(figure(seen, places)), {}
    told = {place: _told_off(export, place, seen, sizes=True) for place in places}

    def off(at: float, moment: shown.Moment) -> dict[str, float]:
        wanted = _in_engine(moment, preset, options)
        played = [_slot_worlds(player, slots, parents, locals_, near, outside) for near in _near(at, moment.frame)]
        there = [place for place in places if place.split("/")[0] in moment.visible]
        return {place: min(_distance(each[place], wanted[place], reach, told[place]) for each in played)
                for place in there}  # fmt: skip

    for (at, slack), moment in zip(seconds, seen, strict=True):
        for place, times in off(at, moment).items():
            worst[place] = max(worst.get(place, (0.0, 0.0)), (times / slack, at))
            export.far = max(export.far, times / slack)
    for name, checked in export.check.off.items() if export.check is not None else ():
        (moment,) = _enlarged(shown.moments([span.timeline(checked.moment)]), options)
        own = [times for place, times in off(checked.moment, moment).items() if times > 1 and slots[place] == name]
        export.known |= {name} if own else set()
        export.far = max([export.far, *own])
    yield from _wrong_slots(places, worst, parents)


def _slot_worlds(
    player: Any, slots: Any, parents: Any, locals_: Any, at: float, outside: Array
) -> dict[str | None, Array]:
    found: dict[str | None, Array] = {None: outside}
    for place in _parents_first(parents):
        own = _slot_local(player, slots.get(place), at, locals_[place])
        found[place] = found[parents[place]] @ own
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


def _relative(model: dict[str | None, Array], place: str, above: str | None) -> Array:
    return np.asarray(np.linalg.inv(model[above]) @ model[place])


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
    slots = _unambiguous(shown.parents())
    for place, name in seen[0].values:
        node, holder = slots.get(place, ""), place.partition("/")[0]
        if holder not in names or not node:
            continue
        counted = [holder in moment.visible or name == "Active" for moment in seen]  # what is hidden is not evaluated
        rows = np.array([moment.values[place, name] for moment in seen])
        spread = float(np.ptp(rows, axis=0).max())
        played = [[_field(player, node, name, near, rows.shape[1]) for near in _near(at, moment.frame)]
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


def _field(player: Any, node: str, name: str, at: float, width: int) -> Array | None:
    """The value of a field; of numbers of which the engine has no type for so many, those of a field for each.

    The property of a bone may stand for a blend shape, which an import found no mesh for.
    """
    found = player.field(node, name, at)
    found = player.field(node, f"BlendShape.{name}", at) if found is None else found
    each = [player.field(node, f"{name}[{number}]", at) for number in range(width)] if found is None else []
    return np.concatenate(each) if each and all(one is not None for one in each) else found


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
