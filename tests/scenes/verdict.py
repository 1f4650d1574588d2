"""What an export made and told, and what is found wrong with it: only a warning that names a thing excuses it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import clock

ROUNDED = 1.1
"""What warnings tell has two digits."""
_OTHER_MOMENTS = 1.5
"""Times as far as the check says, at its own moments, something may be off here."""
_STEEPEST = {"Light.SpotAngle": math.degrees(1.0), "Camera.FieldOfView": 10.0}
"""What a field changes by at most where Blender's own property changes by one."""
_SLOT_FIELDS = re.compile(r"\b(location|rotation\w*|scale)\b", re.IGNORECASE)
_BINDING = re.compile(r"finds no field|fits a model", re.IGNORECASE)
_AMOUNT = re.compile(r"off by up to ([\d.e+-]*\d)(?: ?(mm|degrees|°|%))?(?: and ([\d.e+-]*\d) degrees)?")
ENDINGS = {"mrtk": ".bin", "w3d": ".w3d", "w3x": ".w3x", "animx": ".animj"}
ASKED_FOR = re.compile("size than in its file; include it|First Frame and Frame Count ask for some that it has not")
_IN_ITS_PARENT = re.compile("its curve|than it is sampled")
_CROOKED = re.compile("its axes are off by up to")
_SOLVED = re.compile(r"(.*): the inverse kinematics of .* solves to some hundredths of a degree")


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
    beside: bytes = b""
    animations: list[tuple[Any, clock.Range]] = field(default_factory=list)
    edited: list[Any] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)

    def times(self, off: Any) -> float:
        """How many times as far as promised the check found a node, where the players here look too."""
        return float(off.on_frames if self.frames_alone else off.times)

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
        return ROUNDED * sum(float(each[1]) * (spread / 100 if each[2] == "%" else factor) for each in told)

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


def traceback_of(refusal: str) -> Find:
    """What broke, and where in the product."""
    lines = [line.strip() for line in refusal.strip().splitlines()]
    what = [line for line in lines if re.match(r"\w+(Error|Exception|Warning)\b", line)]
    places = [line.rpartition("io_anim_curves/")[2] for line in lines if "io_anim_curves" in line]
    return Find("traceback", [*lines[-1:], *what][-1][:160], ["", *places][-1][:120])
