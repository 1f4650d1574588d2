"""Options of imports and exports of AnimX and AnimJ, beyond those of every format."""

from __future__ import annotations

from typing import Literal

from .. import options, scene_options
from ..options import UNDRAWN, Direction, option

KeyOrder = Literal["AUTO", "VALUE", "TIME"]
TangentOrder = Literal["AUTO", "LEFT", "RIGHT"]

_PRESETS = (
    ("GLTF", "glTF Model", "Slots of a model that Blender exported as glTF with +Y Up, its default"),
    ("FBX", "FBX Model", "Slots of a model that Blender exported as FBX with Apply Scalings: FBX Units Scale"),
    (
        "FBX_CM",
        "FBX Model in Centimetres",
        "Slots of a model that Blender exported as FBX with Apply Scalings: All Local, its default",
    ),
    ("ENGINE", "Engine Axes", "The engine's own space (left-handed, Y up, Z forward), unchanged"),
    ("MANUAL", "Manual", "The axes below"),
)
_DIRECTIONS = tuple((name, name, f"{name} of the file") for name in ("X", "Y", "Z", "-X", "-Y", "-Z"))
_KEY_ORDERS = (
    ("AUTO", "Automatic", "As in the file that it is from, told from all its tracks"),
    ("VALUE", "Value First", "The value of a key comes before its time"),
    ("TIME", "Time First", "The time of a key comes before its value"),
)
_TANGENT_ORDERS = (
    ("AUTO", "Automatic", "As in the file that it is from, told from all its tracks"),
    ("LEFT", "Left First", "The left tangent comes before the right one"),
    ("RIGHT", "Right First", "The right tangent comes before the left one"),
)
_AXES_HELP = "Space of positions and rotations in the file"
_UP_HELP = "Axis of the file that points up, for manual axes"
_FORWARD_HELP = "Axis of the file that points forward, for manual axes"
_MANUAL = ("axes", "MANUAL")
_HAND_HELP = "The file's axes are left-handed, as the engine's are; for manual axes"


@options.declares
class ReadOptions(options.ReadOptions):
    """What can be chosen for reading a file into clips."""

    axes: Literal["GLTF", "FBX", "FBX_CM", "ENGINE", "MANUAL"] = option(
        "GLTF", "Axes", _AXES_HELP, items=_PRESETS, within=False, panel="Axes"
    )
    forward_axis: Direction = option(
        "Z", "Forward", _FORWARD_HELP, items=_DIRECTIONS, only_with=_MANUAL, within=False, panel="Axes"
    )
    up_axis: Direction = option("Y", "Up", _UP_HELP, items=_DIRECTIONS, only_with=_MANUAL, within=False, panel="Axes")
    left_handed: bool = option(True, "Left-Handed", _HAND_HELP, only_with=_MANUAL, within=False, panel="Axes")
    node_kind: Literal["BONE", "OBJECT"] = option(
        "BONE",
        "Nodes Become",
        "What plays nodes of the file if nothing chosen has their name",
        items=(("BONE", "Bones", "Bones of an armature"), ("OBJECT", "Objects", "Objects of their own")),
    )
    apply_visibility: bool = option(
        True,
        "Hide by Active",
        "Draw bones as nothing, and hide objects, while their track Active is off",
        convert=False,
        panel="Keys",
    )
    key_order: KeyOrder = option(
        "AUTO", "Key Order", "Order inside the keys of AnimX curves", items=_KEY_ORDERS, ending=".animx", panel=UNDRAWN
    )
    tangent_order: TangentOrder = option(
        "AUTO",
        "Tangent Order",
        "Order of the two tangents of an AnimX key",
        items=_TANGENT_ORDERS,
        ending=".animx",
        panel=UNDRAWN,
    )


@options.declares
class WriteOptions(options.CurveTolerance, options.WriteOptions):
    """What can be chosen for writing a clip into a file."""

    axes: Literal["AUTO", "GLTF", "FBX", "FBX_CM", "ENGINE", "MANUAL"] = option(
        "AUTO",
        "Axes",
        _AXES_HELP,
        items=(("AUTO", "Automatic", "The axes that the file was imported with, else glTF Model"), *_PRESETS),
        within=False,
        panel="Axes",
    )
    forward_axis: Direction = option(
        "Z", "Forward", _FORWARD_HELP, items=_DIRECTIONS, only_with=_MANUAL, within=False, panel="Axes"
    )
    up_axis: Direction = option("Y", "Up", _UP_HELP, items=_DIRECTIONS, only_with=_MANUAL, within=False, panel="Axes")
    left_handed: bool = option(True, "Left-Handed", _HAND_HELP, only_with=_MANUAL, within=False, panel="Axes")
    container: Literal["AUTO", "PLAIN", "LZ4", "LZMA"] = option(
        "AUTO",
        "AnimX Packing",
        "How an .animx file is packed; the engine's author calls AnimX internal and advises AnimJ for exchange",
        items=(
            ("AUTO", "Automatic", "As the file it came from, else plain"),
            ("PLAIN", "Plain", "Not packed"),
            ("LZ4", "LZ4", "Fast to read"),
            ("LZMA", "LZMA", "Smallest; what the engine itself saves"),
        ),
        ending=".animx",
        panel="Advanced",
    )
    key_order: KeyOrder = option(
        "AUTO",
        "Key Order",
        "Order inside the keys of AnimX curves; automatic is that of the file it came from, else value first",
        items=_KEY_ORDERS,
        ending=".animx",
        panel="Advanced",
    )
    tangent_order: TangentOrder = option(
        "AUTO",
        "Tangent Order",
        "Order of the two tangents of an AnimX key; automatic is that of the file it came from, else left first",
        items=_TANGENT_ORDERS,
        ending=".animx",
        panel="Advanced",
    )
    curves: Literal["KEEP", "LINEAR"] = option(
        "KEEP",
        "Curves",
        "How Bezier curves are written",
        items=(
            ("KEEP", "Keep", "As Bezier curves, handles at thirds"),
            ("LINEAR", "Straight Lines", "As straight lines within the tolerance"),
        ),
        panel="Keys",
    )
    still_channels: bool = option(
        False,
        "Still Channels",
        "Also write Position, Rotation or Scale that stay as the model's slot has them, and objects that do not move",
        within=False,
        panel="Keys",
    )
    unbound: Literal["LAST", "LEAVE_OUT"] = option(
        "LAST",
        "Extra Tracks",
        "What becomes of tracks for which the engine finds no field by name: custom properties and blend shapes",
        items=(
            ("LAST", "Last", "They come after all others, as the engine skips them and takes the next track's field"),
            ("LEAVE_OUT", "Leave Out", "They are not written"),
        ),
        panel="Advanced",
    )
    node_prefix: str = option("", "Name Prefix", "Put before the name of each node", panel="Names")
    node_names: str = option(
        "",
        "Node Names",
        "Names for single nodes: bone=slot pairs, separated by semicolons, such as Hips=Root; hand_l=Left Hand",
        panel="Names",
    )


@options.declares
class ImportOptions(ReadOptions, scene_options.ImportOptions):
    """What can be chosen for an import into Blender."""


@options.declares
class ExportOptions(WriteOptions, scene_options.DeformBones, scene_options.ExportOptions):
    """What can be chosen for an export from Blender."""

    keeps_parents = True
