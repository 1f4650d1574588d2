"""What an import or export of AnimX and AnimJ can be told, beyond what every format offers."""

from __future__ import annotations

from dataclasses import dataclass

from .. import options
from ..options import option

_PRESETS = (
    ("GLTF", "glTF Model", "Slots of a model that Blender exported as glTF with +Y Up, its default"),
    ("FBX", "FBX Model", "Slots of a model that Blender exported as FBX with Apply Scalings: FBX Units Scale"),
    (
        "FBX_CM",
        "FBX Model in Centimetres",
        "Slots of a model that Blender exported as FBX with Apply Scalings: All Local, its default",
    ),
    ("ENGINE", "Engine Axes", "The engine's own space (left-handed, Y up, Z forward), as it stands"),
    ("MANUAL", "Manual", "The axes below"),
)
_DIRECTIONS = tuple((name, name, f"{name} of the file") for name in ("X", "Y", "Z", "-X", "-Y", "-Z"))
_KEY_ORDERS = (
    ("AUTO", "Automatic", "Decided from all tracks of the file"),
    ("VALUE", "Value First", "The value of a key comes before its time"),
    ("TIME", "Time First", "The time of a key comes before its value"),
)
_TANGENT_ORDERS = (
    ("AUTO", "Automatic", "Decided from all tracks of the file"),
    ("LEFT", "Left First", "The left tangent comes before the right one"),
    ("RIGHT", "Right First", "The right tangent comes before the left one"),
)
_AXES_HELP = "Space of positions and rotations in the file"
_UP_HELP = "Axis of the file that points up, for manual axes"
_FORWARD_HELP = "Axis of the file that points forward, for manual axes"
_HAND_HELP = "The file's axes are left-handed, as the engine's are; for manual axes"


@dataclass(frozen=True)
class ImportOptions(options.ImportOptions):
    """Options for `to_clips`."""

    axes: str = option("GLTF", "Axes", _AXES_HELP, items=_PRESETS, panel="Transform")
    forward_axis: str = option("Z", "Forward", _FORWARD_HELP, items=_DIRECTIONS, panel="Transform")
    up_axis: str = option("Y", "Up", _UP_HELP, items=_DIRECTIONS, panel="Transform")
    left_handed: bool = option(True, "Left-Handed", _HAND_HELP, panel="Transform")
    node_kind: str = option(
        "BONE",
        "Nodes Become",
        "What stands for the nodes of the file where nothing of their name is chosen",
        items=(
            ("BONE", "Bones", "Bones of an armature"),
            ("OBJECT", "Objects", "Objects of their own"),
        ),
    )
    key_order: str = option(
        "AUTO", "Key Order", "Order inside the keys of AnimX curves", items=_KEY_ORDERS, panel="File"
    )
    tangent_order: str = option(
        "AUTO", "Tangent Order", "Order of the two tangents of an AnimX key", items=_TANGENT_ORDERS, panel="File"
    )


@dataclass(frozen=True)
class ExportOptions(options.ExportOptions):
    """Options for `to_document` and `encode`."""

    axes: str = option(
        "AUTO",
        "Axes",
        _AXES_HELP,
        items=(("AUTO", "Automatic", "The axes that the file was imported with, else glTF Model"), *_PRESETS),
        panel="Transform",
    )
    forward_axis: str = option("Z", "Forward", _FORWARD_HELP, items=_DIRECTIONS, panel="Transform")
    up_axis: str = option("Y", "Up", _UP_HELP, items=_DIRECTIONS, panel="Transform")
    left_handed: bool = option(True, "Left-Handed", _HAND_HELP, panel="Transform")
    container: str = option(
        "AUTO",
        "AnimX Packing",
        "How an .animx file is packed; the engine's author calls AnimX internal and advises AnimJ for exchange",
        items=(
            ("AUTO", "Automatic", "As the file it came from, else plain"),
            ("PLAIN", "Plain", "Not packed"),
            ("LZ4", "LZ4", "Fast to read"),
            ("LZMA", "LZMA", "Smallest; what the engine itself saves"),
        ),
        panel="File",
    )
    animx_version: str = option(
        "AUTO",
        "AnimX Version",
        "Version of an .animx file",
        items=(
            ("AUTO", "Automatic", "As the file it came from, else 1"),
            ("1", "1", "The current version"),
            ("0", "0", "The first version, which knows no Discrete tracks; they become held curves"),
        ),
        panel="File",
    )
    key_order: str = option(
        "AUTO",
        "Key Order",
        "Order inside the keys of AnimX curves; automatic is that of the file it came from, else value first",
        items=_KEY_ORDERS,
        panel="File",
    )
    tangent_order: str = option(
        "AUTO",
        "Tangent Order",
        "Order of the two tangents of an AnimX key; automatic is that of the file it came from, else left first",
        items=_TANGENT_ORDERS,
        panel="File",
    )
    curves: str = option(
        "KEEP",
        "Curves",
        "How Bezier curves are written",
        items=(
            ("KEEP", "Keep", "As Bezier curves, handles at thirds"),
            ("LINEAR", "Straight Lines", "As straight lines within the tolerance"),
        ),
        panel="Tolerance",
    )
    curve_tolerance: float = option(
        1e-5,
        "Curve Tolerance",
        "How far a curve may be off where its handles must be fitted again, as a part of its range",
        minimum=1e-9,
        maximum=1.0,
        panel="Tolerance",
    )
    still_channels: bool = option(
        False,
        "Still Channels",
        "Also write Position, Rotation or Scale that stay as the model's slot has them, and objects that do not move",
        panel="Tracks",
    )
    unbound: str = option(
        "LAST",
        "Unbound Tracks",
        "What becomes of tracks for which the engine finds no field by name: custom properties and blend shapes",
        items=(
            ("LAST", "Last", "They come after all others, as the engine skips them and takes the next track's field"),
            ("LEAVE_OUT", "Leave Out", "They are not written"),
        ),
        panel="Tracks",
    )
    node_prefix: str = option("", "Name Prefix", "Put before the name of each node", panel="Names")
    node_names: str = option(
        "",
        "Node Names",
        "Names for single nodes: bone=slot pairs, separated by semicolons, such as Hips=Root; hand_l=Left Hand",
        panel="Names",
    )

    @property
    def keeps_still(self) -> bool:
        """Whether chosen objects that do not move are written beside moving ones."""
        return self.still_channels
