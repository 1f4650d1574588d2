"""What a person can choose for W3D, declared once for the dialogues and both command lines."""

from __future__ import annotations

import math
from typing import Literal

from .. import options, scene_options
from ..options import option

_TIMECODED = ("flavor", "AUTO", "TIMECODED", "BFME_TIMECODED")


@options.declares(
    """
    engine | Game | Whose rules for the time between frames are followed
    - AUTO | Automatic | Battle for Middle-earth for its own form of file, else Renegade
    - RENEGADE | Renegade | Everything interpolates, rotations along the great arc
    - GENERALS | Generals | As Renegade, but uncompressed channels jump at half frames
    - BFME | Battle for Middle-earth | Uncompressed channels jump at half frames; the others interpolate, rotations as normalised straight lines
    skeleton | Skeleton File | W3D file with the skeleton; empty looks for it beside the animation
    models | Models | Show the meshes of the file, of its skeleton's file and of the files beside it for the same skeleton; they are never exported
    select_models | Selectable Models | Clicks in the 3D view select the meshes; off, they go through to the bones
    """
)
class ReadOptions(options.Pivots, options.Facing, options.ReadOptions):
    """What reading a file into clips can be told."""

    engine: Literal["AUTO", "RENEGADE", "GENERALS", "BFME"] = option("AUTO", panel="Advanced")
    skeleton: str = option("", is_file=True)
    models: bool = option(True, convert=False)
    select_models: bool = option(True, convert=False, panel="Advanced", only_with=("models", True))


@options.declares(
    """
    flavor | Form | How the channels are stored
    - AUTO | As the Source | The form of the imported file; uncompressed where there is none
    - RAW | Uncompressed | A value for every frame; every game of the family reads it
    - TIMECODED | Timecoded | Keys at whole frames, removed within the tolerances
    - ADAPTIVE_DELTA | Adaptive Delta | 4-bit differences; smallest for dense motion, not exact
    - BFME_TIMECODED | Timecoded (Middle-earth) | Keys at whole frames, for the Battle for Middle-earth games
    - BFME_ADAPTIVE | Adaptive Delta (Middle-earth) | 4-bit differences, for the Battle for Middle-earth games
    include_skeleton | Skeleton | Whether the file holds the skeleton
    - AUTO | Automatic | As in the imported file; with the animation where there is no skeleton file
    - INCLUDE | Include | Write the armature's bones as pivots before the animation
    - EXCLUDE | Animation Only | Write no skeleton; the game looks for one of the hierarchy's name
    skeleton | Skeleton File | W3D file whose skeleton decides which pivot has which number; empty takes the imported one
    into_existing | Into Existing File | Replace the animation of the same name in the file that is there, or add one; all else in it stays as it is
    location_tolerance | Tolerance | How far a position may be off where keys are left out, in the file's units, or in sizes of a figure smaller than one unit (timecoded)
    rotation_tolerance | Tolerance (°) | How many degrees a rotation may be off where keys are left out (timecoded)
    animation_name | Animation | At most 15 characters; empty takes the file's name, by which the game finds it
    hierarchy_name | Hierarchy | At most 15 characters; empty takes the name of the armature's data
    """
)
class WriteOptions(options.WholeFrames, options.Facing, options.WriteOptions):
    """What writing a clip into a file can be told."""

    flavor: Literal["AUTO", "RAW", "TIMECODED", "ADAPTIVE_DELTA", "BFME_TIMECODED", "BFME_ADAPTIVE"] = option("AUTO")
    include_skeleton: Literal["AUTO", "INCLUDE", "EXCLUDE"] = option("AUTO")
    skeleton: str = option("", is_file=True)
    into_existing: bool = option(False)
    location_tolerance: float = option(0.001, limits=(0.0, math.inf), only_with=_TIMECODED, panel="Keys")
    rotation_tolerance: float = option(0.05, limits=(0.0, math.inf), only_with=_TIMECODED, panel="Keys")
    animation_name: str = option("", panel="Names")
    hierarchy_name: str = option("", panel="Names")


@options.declares()
class ImportOptions(ReadOptions, scene_options.RestKeys, scene_options.ImportOptions):
    """What an import into Blender can be told."""


@options.declares()
class ExportOptions(WriteOptions, scene_options.DeformBones, scene_options.ExportOptions):
    """What an export from Blender can be told."""
