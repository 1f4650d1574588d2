"""Options, each declared once: a dataclass field with its label, help and limits.

Blender's operator properties (`operators/options.py`) and the flags of both command lines are made from these
declarations; the mappings and the scene receive the plain dataclass.
"""

from __future__ import annotations

import math
from dataclasses import Field, dataclass, field, fields
from typing import Any, Self

from . import messages
from .errors import FormatError

_KINDS: dict[type, tuple[type, ...]] = {bool: (bool,), int: (int,), float: (float, int), str: (str,)}
_NOT_OF_KIND = {
    bool: messages.OPTION_SWITCH,
    int: messages.OPTION_WHOLE,
    float: messages.OPTION_NUMBER,
    str: messages.OPTION_TEXT,
}
_SHOWN = 80
"""Letters of a wrong value that a person is shown."""


def option(
    default: Any,
    label: str,
    description: str,
    *,
    items: tuple[tuple[str, str, str], ...] = (),
    minimum: float | None = None,
    maximum: float | None = None,
    unit: str = "NONE",
    panel: str = "",
    flag: bool = True,
    convert: bool = True,
) -> Any:
    """Declare an option.

    Args:
        items: (identifier, label, description) of each choice; makes it an enumeration.
        minimum, maximum: hard limits of a number.
        unit: Blender's name of the unit (LENGTH, ROTATION, TIME, NONE); FILE_PATH for a text that names a file.
        panel: title of the panel in which it is drawn, empty for the top of the dialogue.
        flag: False keeps it off the command lines.
        convert: False where a conversion from file to file cannot honour it, as it is about a scene in Blender.
    """
    metadata = {
        "label": label,
        "description": description,
        "items": items,
        "minimum": minimum,
        "maximum": maximum,
        "unit": unit,
        "panel": panel,
        "flag": flag,
        "convert": convert,
    }
    return field(default=default, metadata=metadata)


def check_options(options: Any) -> None:
    """FormatError if a value is none that its option can have; dialogues and flags have seen to that, scripts may not.

    Args:
        options: a dataclass whose fields were declared with `option`.
    """
    for declared in fields(options):
        if declared.metadata:
            check_value(declared, getattr(options, declared.name))


def check_value(declared: Field[Any], value: Any) -> None:
    """FormatError if `value` is none that the option can have: of another kind, no choice of it, beyond its limits."""
    kind, choices, name = type(declared.default), declared.metadata["items"], declared.metadata["label"]
    other_kind = not isinstance(value, _KINDS[kind]) or (isinstance(value, bool) and kind is not bool)
    identifiers = [choice[0] for choice in choices]
    if other_kind or (choices and value not in identifiers):
        template = messages.OPTION_CHOICE if choices else _NOT_OF_KIND[kind]
        raise FormatError(template, name=name, found=str(value)[:_SHOWN], choices=", ".join(identifiers))
    if kind in (int, float):
        low, high = limits_of(declared)
        if not (math.isfinite(value) and low <= value <= high):
            raise FormatError(messages.OPTION_RANGE, name=name, low=low, high=high, found=value)


def limits_of(declared: Field[Any]) -> tuple[float, float]:
    """Smallest and largest number that the option can be; infinite where it says none."""
    low, high = declared.metadata["minimum"], declared.metadata["maximum"]
    return -math.inf if low is None else low, math.inf if high is None else high


_DIRECTIONS = tuple((name, name, "") for name in ("X", "Y", "Z", "-X", "-Y", "-Z"))


@dataclass(frozen=True)
class Facing:
    """Which way a motion faces, for formats whose own axes are known: the default leaves it as the format says."""

    forward: str = option(
        "Y",
        "Forward",
        "Axis of the file's motion, in Blender's axes, that lies along Blender's Y; Y leaves it as the format says",
        items=_DIRECTIONS,
        panel="Transform",
    )
    up: str = option(
        "Z",
        "Up",
        "Axis of the file's motion, in Blender's axes, that lies along Blender's Z; Z leaves it as the format says",
        items=_DIRECTIONS,
        panel="Transform",
    )


@dataclass(frozen=True)
class HandNames:
    """What the names of a rig's hands leave open, for formats that know hands."""

    rig_layer: str = option(
        "AUTO",
        "Rig Bones",
        "Which bones are meant where a rig has the same hand more than once, as Rigify and Auto-Rig Pro make it",
        items=(
            ("AUTO", "Automatic", "Imports move the controls, exports read the bones that deform"),
            ("CONTROLS", "Controls", "The bones that a person poses"),
            ("DEFORM", "Deforming", "The bones that move the mesh"),
        ),
        panel="Armature",
    )
    one_hand: str = option(
        "NONE",
        "Hand Without Side",
        "Which hand bones are that name no side, as in the one-hand models of WebXR and Meta",
        items=(
            ("NONE", "Neither", "They are left out, with a warning"),
            ("LEFT", "Left", "They are the left hand"),
            ("RIGHT", "Right", "They are the right hand"),
        ),
        panel="Armature",
    )


@dataclass(frozen=True)
class ImportOptions:
    """What every import can be told. Each format adds its own in its `options.py`."""

    @property
    def skeleton_file(self) -> str:
        """The file with the skeleton, where a format has such; empty for none."""
        return ""

    target: str = option(
        "AUTO",
        "Target",
        "What receives the animation",
        items=(
            (
                "AUTO",
                "Automatic",
                "The armature that is selected, moves what is selected or has the skeleton's name; else a new one",
            ),
            ("NEW", "New Armature", "Always make a new armature"),
            ("SELECTED", "Selected Armature", "The active armature, bones matched by name"),
            ("BY_NAME", "By Name", "Bones and objects of the scene that have the file's names"),
        ),
        convert=False,
    )
    name_table: str = option(
        "",
        "Name Table",
        "JSON file that says which bone of the selected armature each name of the file means; "
        "names that it does not have are matched by rules",
        unit="FILE_PATH",
        convert=False,
    )
    fit: str = option(
        "FOLLOW",
        "Other Rigs",
        "How the motion reaches an armature whose rest pose is not the file's",
        items=(
            (
                "FOLLOW",
                "Follow",
                (
                    "Each bone turns away from its own rest as the file's does from its rest; recorded joints turn the "
                    "bones between them. Lengths stay the rig's"
                ),
            ),
            ("EXACT", "Exact Place", "Each bone stands and faces exactly as in the file, stretched where it must be"),
        ),
        panel="Armature",
        convert=False,
    )
    follow_place: str = option(
        "AUTO",
        "Follow Position",
        "Whether the first bone that follows a recorded joint, such as a hand, also goes where the joint is",
        items=(
            ("AUTO", "Automatic", "Only a bone without a parent"),
            ("ALWAYS", "Always", "Also a bone that an arm holds; it leaves the arm"),
            ("NEVER", "Never", "It only turns"),
        ),
        panel="Armature",
        convert=False,
    )
    rate: str = option(
        "AUTO",
        "Rate",
        "Frames per second that turn the file's seconds into frames",
        items=(
            (
                "AUTO",
                "Automatic",
                "The scene's; a file that counts in frames (W3D) sets its own while nothing is animated yet",
            ),
            ("SCENE", "Scene", "Keep the scene's rate; keys may lie between frames"),
            ("FILE", "File", "Set the scene to the file's own rate"),
            ("CUSTOM", "Custom", "Set the scene to the rate below"),
        ),
        panel="Time",
        convert=False,
    )
    custom_rate: float = option(
        60.0,
        "Frames per Second",
        "Rate for Custom",
        minimum=1.0,
        maximum=32767.0,
        panel="Time",
        convert=False,
    )
    start_frame: float = option(
        0.0,
        "Start Frame",
        "Frame on which the file's time 0 lies",
        minimum=-1048574.0,
        maximum=1048574.0,
        panel="Time",
        convert=False,
    )
    set_scene_range: bool = option(
        True, "Set Scene Range", "Make the scene's range cover the clip", panel="Time", convert=False
    )
    scale: float = option(1.0, "Scale", "Factor for all lengths", minimum=1e-6, maximum=1e6, panel="Transform")
    hide_helpers: bool = option(
        True,
        "Hide Helper Bones",
        "Draw bones that a person seldom wants to see, such as fingertips, as nothing; their keys stay in every editor",
        panel="Armature",
        convert=False,
    )
    nla: str = option(
        "NONE",
        "NLA",
        "What else is done with the Action",
        items=(
            ("NONE", "None", "Assign the Action, nothing else"),
            ("STASH", "Stash", "Also keep it on a muted NLA track"),
            ("STRIP", "Strip", "Place it as an NLA strip instead of assigning it"),
        ),
        panel="Action",
        convert=False,
    )
    existing: str = option(
        "KEEP",
        "Same Name",
        "What happens when an Action of that name exists",
        items=(
            ("KEEP", "Keep Both", "The new Action gets a suffix; exports do not show it"),
            ("REPLACE", "Replace", "The new Action takes the place of the old one everywhere"),
        ),
        panel="Action",
        convert=False,
    )
    fake_user: bool = option(
        True,
        "Fake User",
        "Keep imported Actions in the .blend also while nothing plays them; "
        "off, one that another replaces is gone when the file is opened again",
        panel="Action",
        convert=False,
    )
    name_prefix: str = option("", "Name Prefix", "Put before the names of new Actions", panel="Action", convert=False)
    keep_source: bool = option(
        True,
        "Keep Source",
        "Keep the file's bytes in the .blend, so that untouched parts export exactly",
        panel="Action",
        convert=False,
    )
    limit_mib: int = option(
        512,
        "Size Limit (MiB)",
        "Largest file that is taken, and most that compressed data may expand to",
        minimum=1,
        maximum=65536,
        panel="Safety",
    )
    memory_mib: int = option(
        0,
        "Memory Limit (MiB)",
        "Most memory that the keys, curves and bones of a file may need; 0 is a quarter of the machine's, at most 4096",
        minimum=0,
        maximum=1 << 20,
        panel="Safety",
    )


@dataclass(frozen=True)
class ExportOptions:
    """What every export can be told. Each format adds its own in its `options.py`."""

    @property
    def skeleton_file(self) -> str:
        """The file with the skeleton, where a format has such; empty for none."""
        return ""

    @property
    def saves_into(self) -> bool:
        """Whether clips go into the file that is there already."""
        return False

    @property
    def keeps_still(self) -> bool:
        """Whether chosen objects that do not move are written beside moving ones."""
        return False

    def for_further(self) -> Self:
        """Return the options for a file's second and later clips."""
        return self

    sampling: str = option(
        "AUTO",
        "Keys",
        "Where the exported keys come from",
        items=(
            (
                "AUTO",
                "Automatic",
                "Keys where F-Curves alone make the pose, baked where constraints, drivers or NLA do",
            ),
            ("KEYS", "Keys", "Always the keys of the F-Curves"),
            ("BAKE", "Bake", "Always the evaluated pose, one key a frame"),
        ),
        convert=False,
    )
    actions: str = option(
        "ACTIVE",
        "Actions",
        "Which Actions are written",
        items=(
            ("ACTIVE", "Active", "The Action that is assigned"),
            (
                "ALL",
                "All, Separate Files",
                "Each Action alone, with the objects that it is made for, in a file named after it",
            ),
        ),
        convert=False,
    )
    several: str = option(
        "ONE",
        "Several Armatures",
        "What happens where more than one armature is chosen",
        items=(
            ("ONE", "One File", "All in one file; refused where the format holds one armature only"),
            ("FILES", "One File Each", "A file for each armature, named after it"),
        ),
        convert=False,
    )
    space: str = option(
        "WORLD",
        "Space",
        "Whether the object's own transform counts",
        items=(
            ("WORLD", "World", "A moved or scaled object exports its world motion"),
            ("LOCAL", "Local", "The object's own transform is left out"),
        ),
        panel="Transform",
        convert=False,
    )
    scale: float = option(1.0, "Scale", "Factor for all lengths", minimum=1e-6, maximum=1e6, panel="Transform")
    use_scene_range: bool = option(
        False, "Scene Range", "Write the scene's frame range instead of the Action's", panel="Time", convert=False
    )
    bake_to_scene_end: bool = option(
        False,
        "Bake to the End of the Scene",
        "Write what goes on after the last key, such as Cycles, as far as the scene's last frame",
        panel="Time",
        convert=False,
    )
    keep_frame_zero: bool = option(
        False,
        "Keep Frame 0",
        "Make Blender's frame 0 the file's time 0; off, that is the Action's first frame. "
        "An imported Action keeps its own placement",
        panel="Time",
        convert=False,
    )
    use_source: bool = option(
        True,
        "Exact Where Untouched",
        "Give untouched parts the imported file's own bytes",
        panel="Exactness",
        convert=False,
    )
