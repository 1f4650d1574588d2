"""Options of imports and exports of AnimX and AnimJ, beyond those of every format."""

from __future__ import annotations

from typing import Literal

from .. import options, scene_options
from ..options import UNDRAWN, Direction, option

KeyOrder = Literal["AUTO", "VALUE", "TIME"]
TangentOrder = Literal["AUTO", "LEFT", "RIGHT"]

_PRESETS = """
    - GLTF | glTF Model | Slots of a model that Blender exported as glTF with +Y Up, its default
    - FBX | FBX Model | Slots of a model that Blender exported as FBX with Apply Scalings: FBX Units Scale
    - FBX_CM | FBX Model in Centimetres | Slots of a model that Blender exported as FBX with Apply Scalings: All Local, its default
    - ENGINE | Engine Axes | The engine's own space (left-handed, Y up, Z forward), unchanged
    - MANUAL | Manual | The axes below
    """
_DIRECTIONS = tuple((name, name, f"{name} of the file") for name in ("X", "Y", "Z", "-X", "-Y", "-Z"))
_KEY_ORDERS = """
    - AUTO | Automatic | As in the file that it is from, told from all its tracks
    - VALUE | Value First | The value of a key comes before its time
    - TIME | Time First | The time of a key comes before its value
    """
_TANGENT_ORDERS = """
    - AUTO | Automatic | As in the file that it is from, told from all its tracks
    - LEFT | Left First | The left tangent comes before the right one
    - RIGHT | Right First | The right tangent comes before the left one
    """
AXES = "axes", "forward_axis", "up_axis", "left_handed"
_MANUAL = ("axes", "MANUAL")
_MANUAL_AXES_WORDS = """
    forward_axis | Forward | Axis of the file that points forward, for manual axes
    up_axis | Up | Axis of the file that points up, for manual axes
    left_handed | Left-Handed | The file's axes are left-handed, as the engine's are; for manual axes
    """


@options.declares(
    f"""
    {_MANUAL_AXES_WORDS}
    axes | Axes | Space of positions and rotations in the file
    {_PRESETS}
    node_kind | Nodes Become | What plays nodes of the file if nothing chosen has their name
    - BONE | Bones | Bones of an armature
    - OBJECT | Objects | Objects of their own
    apply_visibility | Hide by Active | Draw bones as nothing, and hide objects, while their track Active is off
    key_order | Key Order | Order inside the keys of AnimX curves
    {_KEY_ORDERS}
    tangent_order | Tangent Order | Order of the two tangents of an AnimX key
    {_TANGENT_ORDERS}
    """
)
class ReadOptions(options.ReadOptions):
    """What can be chosen for reading a file into clips."""

    axes: Literal["GLTF", "FBX", "FBX_CM", "ENGINE", "MANUAL"] = option("GLTF", within=False, panel="Axes")
    forward_axis: Direction = option("Z", items=_DIRECTIONS, only_with=_MANUAL, within=False, panel="Axes")
    up_axis: Direction = option("Y", items=_DIRECTIONS, only_with=_MANUAL, within=False, panel="Axes")
    left_handed: bool = option(True, only_with=_MANUAL, within=False, panel="Axes")
    node_kind: Literal["BONE", "OBJECT"] = option("BONE")
    apply_visibility: bool = option(True, convert=False, panel="Keys")
    key_order: KeyOrder = option("AUTO", ending=".animx", panel=UNDRAWN)
    tangent_order: TangentOrder = option("AUTO", ending=".animx", panel=UNDRAWN)


@options.declares(
    f"""
    {_MANUAL_AXES_WORDS}
    axes | Axes | Space of positions and rotations in the file
    - AUTO | Automatic | The axes that the file was imported with, else glTF Model
    {_PRESETS}
    container | AnimX Packing | How an .animx file is packed; the engine's author calls AnimX internal and advises AnimJ for exchange
    - AUTO | Automatic | As the file it came from, else plain
    - PLAIN | Plain | Not packed
    - LZ4 | LZ4 | Fast to read
    - LZMA | LZMA | Smallest; what the engine itself saves
    key_order | Key Order | Order inside the keys of AnimX curves; automatic is that of the file it came from, else value first
    {_KEY_ORDERS}
    tangent_order | Tangent Order | Order of the two tangents of an AnimX key; automatic is that of the file it came from, else left first
    {_TANGENT_ORDERS}
    curves | Curves | How Bezier curves are written
    - KEEP | Keep | As Bezier curves, handles at thirds
    - LINEAR | Straight Lines | As straight lines within the tolerance
    still_channels | Still Channels | Also write Position, Rotation or Scale that stay as the model's slot has them, and objects that do not move
    unbound | Extra Tracks | What becomes of tracks for which the engine finds no field by name: custom properties and blend shapes
    - LAST | Last | They come after all others, as the engine skips them and takes the next track's field
    - LEAVE_OUT | Leave Out | They are not written
    node_prefix | Name Prefix | Put before the name of each node
    node_names | Node Names | Names for single nodes: bone=slot pairs, separated by semicolons, such as Hips=Root; hand_l=Left Hand
    """
)
class WriteOptions(options.CurveTolerance, options.WriteOptions):
    """What can be chosen for writing a clip into a file."""

    axes: Literal["AUTO", "GLTF", "FBX", "FBX_CM", "ENGINE", "MANUAL"] = option("AUTO", within=False, panel="Axes")
    forward_axis: Direction = option("Z", items=_DIRECTIONS, only_with=_MANUAL, within=False, panel="Axes")
    up_axis: Direction = option("Y", items=_DIRECTIONS, only_with=_MANUAL, within=False, panel="Axes")
    left_handed: bool = option(True, only_with=_MANUAL, within=False, panel="Axes")
    container: Literal["AUTO", "PLAIN", "LZ4", "LZMA"] = option("AUTO", ending=".animx", panel="Advanced")
    key_order: KeyOrder = option("AUTO", ending=".animx", panel="Advanced")
    tangent_order: TangentOrder = option("AUTO", ending=".animx", panel="Advanced")
    curves: Literal["KEEP", "LINEAR"] = option("KEEP", panel="Keys")
    still_channels: bool = option(False, within=False, panel="Keys")
    unbound: Literal["LAST", "LEAVE_OUT"] = option("LAST", panel="Advanced")
    node_prefix: str = option("", panel="Names")
    node_names: str = option("", panel="Names")


@options.declares()
class ImportOptions(ReadOptions, scene_options.ImportOptions):
    """What can be chosen for an import into Blender."""


@options.declares()
class ExportOptions(WriteOptions, scene_options.DeformBones, scene_options.ExportOptions):
    """What can be chosen for an export from Blender."""

    keeps_parents = True
