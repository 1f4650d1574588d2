"""Options, each declared once: a dataclass field with its label, help and limits.

Blender's operator properties (`operators/preferences.py`) and the flags of both command lines are made from these
declarations; the mappings and the scene receive the plain dataclass.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import Field, FrozenInstanceError, dataclass, field, fields
from types import MappingProxyType
from typing import Any, Literal, NoReturn, TypeAlias, TypeVar, dataclass_transform

from . import messages
from .errors import FormatError, Values

SIZE_LIMIT = 512 << 20
"""Most bytes that a file may have or expand to, unless the caller allows others."""

UNDRAWN = None
"""In the place of a panel's title: for scripts and flags, as a person decides it after seeing, if ever."""

LIMITS = ("limit_mib", "memory_mib", "time_s")
"""Options that say how large a file, and the work on it, may be; a person sets them once, in the preferences."""

UNLIMITED = 1 << 62
"""Limit for what we wrote ourselves, or a person chose for an export."""

Declared: TypeAlias = Field[Any]
"""An option as it is declared; `metadata` is empty for a field that is none."""

_KINDS: dict[type, tuple[tuple[type, ...], str]] = {
    bool: ((bool,), messages.OPTION_SWITCH),
    int: ((int,), messages.OPTION_WHOLE),
    float: ((float, int), messages.OPTION_NUMBER),
    str: ((str,), messages.OPTION_TEXT),
}
"""Which values an option of a kind may have, and what is said of others."""
_SHOWN = 80
"""Letters of a wrong value that a person is shown."""


def option(
    default: Any,
    *,
    items: tuple[tuple[str, str, str], ...] = (),
    limits: tuple[float, float] = (-math.inf, math.inf),
    is_file: bool = False,
    panel: str | None = "",
    convert: bool = True,
    only_with: tuple[str | bool, ...] = (),
    ending: str = "",
    within: bool = True,
) -> Any:
    """Declare an option, which has its words in the table of its class, see `declares`.

    Args:
        items: (identifier, label, description) of each choice, where they are not in that table.
        limits: the smallest and the largest number that it accepts.
        is_file: True for a text that names a file; a number has its unit in its label.
        panel: title of the panel in which it is drawn, empty for the top of the dialogue, UNDRAWN for no dialogue.
        convert: False where a conversion from file to file cannot honour it, as it is about a scene in Blender.
        only_with: another option and those of its values with which this one has an effect; a dialogue greys it else.
        ending: the ending of the only files that it is about; empty for all files of the format.
        within: False where a conversion from the format to itself cannot honour it.
    """
    about = dict(locals())  # what it was given, to which `declares` adds the words
    return field(default=about.pop("default"), metadata=about)


def check_options(options: AnyOptions) -> None:
    """Raise FormatError if an option does not accept its value; dialogues and flags check this, scripts may not."""
    for declared in fields(options):
        if declared.metadata:
            check_value(declared, getattr(options, declared.name))


def check_value(declared: Declared, value: Any) -> None:
    """Raise FormatError unless `value` is of the option's type, one of its choices and within its limits."""
    kind, name = type(declared.default), declared.metadata["label"]
    kinds, sentence = _KINDS[kind]
    choices = [choice[0] for choice in declared.metadata["items"]]
    other_kind = not isinstance(value, kinds) or (isinstance(value, bool) and kind is not bool)
    if other_kind or (choices and value not in choices):
        sentence = messages.OPTION_CHOICE if choices else sentence
        raise FormatError(sentence, name=name, found=str(value)[:_SHOWN], choices=", ".join(choices))
    if kind in (int, float):
        low, high = declared.metadata["limits"]
        if not (math.isfinite(value) and low <= value <= high):
            raise FormatError(messages.OPTION_RANGE, name=name, low=_digits(low), high=_digits(high), found=value)


def _digits(limit: float) -> str:
    """Return all digits of a limit, so that the smallest tolerance is not said to be 0."""
    return f"{limit:.12f}".rstrip("0").rstrip(".") if math.isfinite(limit) else str(limit)


Direction = Literal["X", "Y", "Z", "-X", "-Y", "-Z"]

_DIRECTIONS = tuple((name, name, "") for name in ("X", "Y", "Z", "-X", "-Y", "-Z"))

Made = TypeVar("Made")


@dataclass_transform(frozen_default=True)
def declares(words: str = "") -> Callable[[type[Made]], type[Made]]:
    """Make a class of its options, as a frozen dataclass but for the methods that it has from `_Values`.

    Args:
        words: a line `name | label | description` for each option, and for each of its choices, which make it an
            enumeration, `- identifier | label | description` below.
    """
    told: dict[str, Values] = {}
    words_of: Values = {}
    for line in filter(str.strip, words.splitlines()):
        name, label, description = (part.strip() for part in line.split("|"))
        if name.startswith("- "):
            words_of["items"] += ((name[2:], label, description),)
        else:
            words_of = told[name] = {"label": label, "description": description, "items": ()}

    def declared(made: type[Made]) -> type[Made]:
        options = {name: found for name, found in vars(made).items() if isinstance(found, Field)}
        assert options.keys() == told.keys(), f"{made.__name__}: options and words differ"
        for name, found in options.items():
            items = found.metadata["items"] or told[name]["items"]
            found.metadata = MappingProxyType({**found.metadata, **told[name], "items": items})
        return dataclass(init=False, eq=False, repr=False)(made)

    return declared


class _Values:
    """What options share: Python would make each of these anew for each class, at every start of Blender."""

    def __init__(self, **values: object) -> None:
        vars(self).update({declared.name: values.pop(declared.name, declared.default) for declared in fields(self)})  # type: ignore[arg-type]
        if values:
            raise TypeError(f"{type(self).__name__} has no option {', '.join(values)}")

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenInstanceError(name)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"


@declares(
    """
    forward | Forward | Axis of the file's motion, in Blender's axes, that lies along Blender's Y; Y leaves it as the format says
    up | Up | Axis of the file's motion, in Blender's axes, that lies along Blender's Z; Z leaves it as the format says
    """
)
class Facing:
    """Which way a motion faces, for formats whose own axes are known: the default leaves it as the format says."""

    forward: Direction = option("Y", items=_DIRECTIONS, panel="Axes")
    up: Direction = option("Z", items=_DIRECTIONS, panel="Axes")


@declares(
    """
    rig_layer | Rig Bones | Which bones are meant where a rig has the same hand more than once, as Rigify and Auto-Rig Pro make it
    - AUTO | Automatic | Imports move the controls, exports read the bones that deform
    - CONTROLS | Controls | The bones that a person poses
    - DEFORM | Deforming | The bones that move the mesh
    one_hand | Sideless Hand | Which hand bones are that name no side, as in the one-hand models of WebXR and Meta
    - NONE | Neither | They are left out, with a warning
    - LEFT | Left | They are the left hand
    - RIGHT | Right | They are the right hand
    """
)
class HandNames:
    """What the names of a rig's hands leave open, for formats that know hands."""

    rig_layer: Literal["AUTO", "CONTROLS", "DEFORM"] = option("AUTO", panel="Advanced")
    one_hand: Literal["NONE", "LEFT", "RIGHT"] = option("NONE", panel="Advanced")


@declares(
    """
    file_rate | Rate (fps) | Frames per second of the file; 0 keeps the source's or the scene's
    first_frame | First Frame | First frame of the clip that is written, at the file's rate
    frame_count | Frame Count | How many frames are written; 0 writes all
    """
)
class WholeFrames:
    """Which frames are written, for formats that have a value for each; 0 leaves it to the source and the clip."""

    file_rate: int = option(0, limits=(0, 65535), panel="Time")
    first_frame: int = option(0, limits=(0, math.inf), panel="Time")
    frame_count: int = option(0, limits=(0, 65536), panel="Time")


@declares(
    """
    smooth | Smooth | Calm the noise of tracking in locations and rotations (1-euro filter)
    smooth_cutoff | Cutoff at Rest (Hz) | Lower is calmer where a joint rests, and follows slow motion later
    smooth_speed | Keep Fast Moves | Higher lags less in fast motion: cutoff increase in Hz per m/s (beta)
    smooth_turning | Keep Fast Turns | Higher lags less in fast turns: cutoff increase in Hz per rad/s (beta)
    thin | Fewer Keys | Leave out keys that the others do without, within two limits
    thin_location | Location (mm) | How many millimetres of the world a location may be off where keys are left out
    thin_rotation | Rotation (°) | How many degrees a rotation may be off where keys are left out
    """
)
class KeyOptions:
    """What may be done to a file's keys; all of it is off, as what is imported is then no longer exact."""

    smooth: bool = option(False, panel=UNDRAWN)
    smooth_cutoff: float = option(1.0, limits=(0.01, 1000.0), only_with=("smooth", True), panel=UNDRAWN)
    smooth_speed: float = option(20.0, limits=(0.0, 10000.0), only_with=("smooth", True), panel=UNDRAWN)
    smooth_turning: float = option(2.0, limits=(0.0, 10000.0), only_with=("smooth", True), panel=UNDRAWN)
    thin: bool = option(False, panel=UNDRAWN)
    thin_location: float = option(1.0, limits=(0.0, 1000.0), only_with=("thin", True), panel=UNDRAWN)
    thin_rotation: float = option(0.2, limits=(0.0, 45.0), only_with=("thin", True), panel=UNDRAWN)


@declares(
    """
    memory_mib | Memory (MiB) | Refuse what needs more memory than this (MiB). 0 uses a quarter of the machine's memory, up to 4096
    time_s | Time (s) | Refuse what takes the processor longer than this (s), as far as that is known beforehand. 0 allows a minute, and 15 s for each MiB of the file
    """
)
class Limits(_Values):
    """How much work may need, see `files/memory.py`."""

    memory_mib: int = option(0, limits=(0, 1 << 20), panel=UNDRAWN)
    time_s: int = option(0, limits=(0, 1 << 20), panel=UNDRAWN)


@declares(
    """
    scale | Scale | Factor for all lengths
    limit_mib | Size (MiB) | Largest file that is taken, and most that compressed data may expand to
    """
)
class ReadOptions(KeyOptions, Limits):
    """What every codec can be told about reading. Each format adds its own in its `options.py`."""

    skeleton = ""
    """Path of a skeleton file; formats without such files have no option for it."""

    scale: float = option(1.0, limits=(1e-6, 1e6), panel="Axes")
    limit_mib: int = option(512, limits=(1, 65536), panel=UNDRAWN)


@declares(
    """
    scale | Scale | Factor for all lengths"""
)
class WriteOptions(Limits):
    """What every codec can be told about writing; what is no field here is an option of some formats only, and this is
    how the others are written."""

    skeleton = ""
    """Path of a skeleton file; empty for none."""
    animation_name = ""
    """What the animation is called; empty where no file says that, or for its own name."""
    into_existing = False
    """Whether clips are added to an existing file."""
    still_channels = False
    """Whether chosen objects that do not move are written beside moving ones."""
    deform_bones_only = False
    """Whether bones that deform nothing are not to be written."""
    tolerance = 0.0
    """How far curves through samples may be off, see `CurveTolerance`; 0 where the format has a value a frame."""
    space = "WORLD"
    """LOCAL leaves out the transform of the object that carries the nodes."""
    actions = "ACTIVE"
    """ALL where the clip is one of several that the same objects play, each in a file of its own."""
    keeps_parents = False
    """Whether nodes stay below their parents in a file, whatever these do, as in the model that the file is for."""

    @property
    def curve_share(self) -> float:
        """Part of `tolerance` that is left to curves which the format draws otherwise, within tolerances of its own."""
        return 1.0

    @property
    def swing(self) -> float:
        """How far what hangs on something may move through what a rotation of that is off, in the scene's unit."""
        return math.inf

    scale: float = option(1.0, limits=(1e-6, 1e6), panel="Axes")


@declares(
    """
    tolerance | Tolerance (×) | How far curves that are drawn through samples may be off, and where only handles are fitted again a tenth of it, as a part of the property's range or the figure's size; 0.0001 also means 0.02 degrees
    """
)
class CurveTolerance:
    """For formats that hold curves or lines, into which samples are made."""

    tolerance: float = option(1e-4, limits=(1e-8, 0.1), panel="Keys")


@declares(
    """
    apply_visibility | Hide by Visibility | Draw bones as nothing while the file's visibility channels hide them
    root_bone | Root Pivot as Bone | Make a bone of the first pivot; off, the armature object stands for it, as an add-on for W3D models has it
    """
)
class Pivots:
    """For formats that move the pivots of a skeleton, of which files say when they are seen."""

    apply_visibility: bool = option(True, convert=False, panel="Keys")
    root_bone: bool = option(True, panel="Advanced")


AnyOptions: TypeAlias = ReadOptions | WriteOptions
"""Options of one side of a format, the scene's among them or not."""
