"""What a person can choose for W3X, declared once for the dialogues and both command lines."""

from __future__ import annotations

from typing import Literal

from .. import options, scene_options
from ..options import option


@options.declares(
    """
    skeleton | Skeleton File | W3X file with the skeleton; empty looks for it as the file includes it, and beside the animation
    """
)
class ReadOptions(options.Pivots, options.Facing, options.ReadOptions):
    """What reading a file into clips can be told."""

    skeleton: str = option("", is_file=True)


@options.declares(
    """
    include_skeleton | Skeleton | Whether the file holds the skeleton
    - AUTO | Automatic | As in the imported file; with the animation where there is no skeleton file
    - INCLUDE | Include | Write the armature's bones as pivots before the animation
    - EXCLUDE | Animation Only | Write no skeleton; the file includes the one of the hierarchy's name
    skeleton | Skeleton File | W3X file whose skeleton decides which pivot has which number; empty takes the imported one
    into_existing | Into Existing File | Replace the animation of the same name in the file that is there, or add one; all else in it stays as it is
    keep_steps | Keep Steps | Forbid the games' compiler, for an animation that gets its first steps, a compression that makes them ramps
    animation_name | Animation | Letters, digits, _, . and -; empty takes the file's name in upper case, as EA's exporter does
    hierarchy_name | Hierarchy | Letters, digits, _, . and -; empty takes the name of the armature's data in upper case
    """
)
class WriteOptions(options.WholeFrames, options.Facing, options.WriteOptions):
    """What writing a clip into a file can be told."""

    include_skeleton: Literal["AUTO", "INCLUDE", "EXCLUDE"] = option("AUTO")
    skeleton: str = option("", is_file=True)
    into_existing: bool = option(False)
    keep_steps: bool = option(True, panel="Keys")
    animation_name: str = option("", panel="Names")
    hierarchy_name: str = option("", panel="Names")


@options.declares()
class ImportOptions(ReadOptions, scene_options.RestKeys, scene_options.ImportOptions):
    """What an import into Blender can be told."""


@options.declares()
class ExportOptions(WriteOptions, scene_options.DeformBones, scene_options.ExportOptions):
    """What an export from Blender can be told."""
