"""The words of a W3X file, as EA's schemas for Tiberium Wars, Kane's Wrath and Red Alert 3 have them."""

from __future__ import annotations

from enum import StrEnum

ROOT = "AssetDeclaration"
NAMESPACE = "uri:ea.com:eala:asset"
TAGS = "Tags"
DEFINES = "Defines"
INCLUDES = "Includes"
INCLUDE = "Include"
HIERARCHY = "W3DHierarchy"
ANIMATION = "W3DAnimation"
PIVOT = "Pivot"
SETTINGS = "CompressionSettings"
CHANNELS = "Channels"
SCALAR = "ChannelScalar"
QUATERNION = "ChannelQuaternion"
FRAME = "Frame"
STEP = "BinaryMove"

WARCRAFT = (b"HM3W", b"MPQ\x1a")
"""How maps of Warcraft III begin, whose files have the same ending."""

MOST_DEEP = 64
"""Elements within each other; real files have eight."""

MOST_PIVOTS = 1 << 16
"""`Pivot` is an unsigned short."""

MOST_FRAMES = (1 << 32) - 1
"""`NumFrames` and `FirstFrame` are unsigned ints."""

X, Y, Z, W = "XYZW"
TRANSLATION = (X, Y, Z)
ROTATION = (X, Y, Z, W)
W_FIRST = [3, 0, 1, 2]
"""The order of Blender's components in a quaternion of the file's."""

W_LAST = [1, 2, 3, 0]


class ChannelType(StrEnum):
    """What a channel moves, in the order in which EA's exporter sorts them."""

    X = "XTranslation"
    Y = "YTranslation"
    Z = "ZTranslation"
    ORIENTATION = "Orientation"
    VISIBILITY = "Visibility"


ORDER = tuple(ChannelType)
TRANSLATIONS = ORDER[:3]
