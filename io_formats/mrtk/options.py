"""Options of imports and exports of MRTK recordings, beyond those of every format."""

from __future__ import annotations

from typing import Literal

from .. import options, scene_options
from ..options import UNDRAWN, option

_OF_SWING = 0.2
_OF_CURVES, _BEFORE_LINES = 0.25, 0.05
"""Part of the tolerance of samples that is left to curves: with those of samples, or lines, it is what is promised."""


@options.declares(
    """
    hand_skeleton | Hand Skeleton | Build properly parented hands with the motion baked onto them, ready to drive a hand mesh; off keeps every channel's own keys
    hand_mesh | Hand Mesh | Show each recorded hand as a mesh on its joints; it is never exported
    hide_untracked | Hide Untracked | Draw the bones of a hand as nothing while the recording does not see it; their keys stay in every editor
    field_of_view | Field of View | Degrees from the lower to the upper edge of the camera's picture; recordings do not say, Unity uses 60
    repair_w | Repair Rotations | Rebuild the rotation's W that MRTK 2.6.0 to 2.7.2 forgot to record
    """
)
class ReadOptions(options.HandNames, options.Facing, options.ReadOptions):
    """What can be chosen for reading a file into clips."""

    hand_skeleton: bool = option(False)
    hand_mesh: bool = option(True, convert=False)
    hide_untracked: bool = option(True, convert=False, panel="Keys")
    field_of_view: float = option(60.0, limits=(1.0, 170.0), panel=UNDRAWN)
    repair_w: bool = option(True, panel="Keys")


@options.declares(
    """
    version | Version | Version of the file
    - AUTO | Automatic | The version of the recording it came from, else 1.1
    - 1.0 | 1.0 (MRTK 2.0 and later) | Curves with tangents, no eye gaze; every MRTK 2 reads it
    - 1.1 | 1.1 (MRTK 2.6 and later) | Straight lines between keys, eye gaze, smaller
    location_tolerance | Tolerance (m) | How far a position may be off where 1.1 replaces a curve by straight lines
    rotation_tolerance | Tolerance (°) | How many degrees a rotation may be off where 1.1 replaces a curve by straight lines
    begin_at_zero | Begin at Zero | Move everything so that the first key lies at time 0; off, the file's time 0 is where the start frame lies
    loop_count | Loop | How many times the recording plays, one after the other; MRTK itself plays a file once
    loop_until | Until (s) | Play the recording again and again until it is so long; 0 leaves that to Loop
    drop_gaze | Drop Gaze | Leave the eye gaze out where version 1.0 cannot hold it
    write_repaired_w | Repaired Rotations | Write the rebuilt rotations, for readers that repair nothing; off leaves untouched rotations as they were
    joint_names | Joint Names | For rigs with other names: bone=joint pairs, separated by semicolons, such as hand_l=Wrist.L; thumb_03_l=ThumbTip.L
    """
)
class WriteOptions(options.HandNames, options.Facing, options.WriteOptions):
    """What can be chosen for writing a clip into a file."""

    version: Literal["AUTO", "1.0", "1.1"] = option("AUTO")
    location_tolerance: float = option(0.0001, limits=(1e-6, 1.0), only_with=("version", "AUTO", "1.1"), panel="Keys")
    rotation_tolerance: float = option(0.02, limits=(1e-4, 45.0), only_with=("version", "AUTO", "1.1"), panel="Keys")
    begin_at_zero: bool = option(False, panel="Time")
    loop_count: int = option(1, limits=(1, 10000), panel="Time")
    loop_until: float = option(0.0, limits=(0.0, 86400.0), panel="Time")
    drop_gaze: bool = option(False, only_with=("version", "AUTO", "1.0"), panel="Advanced")
    write_repaired_w: bool = option(False, convert=False, panel="Advanced")
    joint_names: str = option("", panel="Names")

    @property
    def curve_share(self) -> float:
        """Joints promise 0.02 degrees in all; and lines are to follow curves within tolerances of their own."""
        return _OF_CURVES if self.version == "1.0" else _BEFORE_LINES

    @property
    def swing(self) -> float:
        """A part of what a joint may be off, as joints are in the world, whatever carries them."""
        return _OF_SWING * self.location_tolerance


@options.declares()
class ImportOptions(ReadOptions, scene_options.ImportOptions):
    """What can be chosen for an import into Blender."""


@options.declares()
class ExportOptions(options.CurveTolerance, WriteOptions, scene_options.ExportOptions):
    """What can be chosen for an export from Blender."""
