"""How a W3D file lies in bytes: chunk ids, struct tables and codes, declared once for both directions.

Little-endian, no padding other than shown. Facts: the source code of Renegade and of Generals as published by
Electronic Arts, and files of the Battle for Middle-earth games; not the public document, which differs in places.
"""

from __future__ import annotations

import struct
from enum import IntEnum

import numpy as np

CHUNK_HEADER = struct.Struct("<II")
CONTAINER_BIT = 0x8000_0000
SIZE_MASK = 0x7FFF_FFFF
NAME_SIZE = 16
NAME_LENGTH = NAME_SIZE - 1


class Kind(IntEnum):
    """Chunk ids that hold skeletons and motion; every other chunk is carried as bytes."""

    HIERARCHY = 0x100
    HIERARCHY_HEADER = 0x101
    PIVOTS = 0x102
    PIVOT_FIXUPS = 0x103
    ANIMATION = 0x200
    ANIMATION_HEADER = 0x201
    ANIMATION_CHANNEL = 0x202
    BIT_CHANNEL = 0x203
    COMPRESSED_ANIMATION = 0x280
    COMPRESSED_ANIMATION_HEADER = 0x281
    COMPRESSED_ANIMATION_CHANNEL = 0x282
    COMPRESSED_BIT_CHANNEL = 0x283
    COMPRESSED_MOTION_CHANNEL = 0x284
    MORPH_ANIMATION = 0x2C0
    MORPH_HEADER = 0x2C1
    MORPH_CHANNEL = 0x2C2
    MORPH_POSE_NAME = 0x2C3
    MORPH_KEYS = 0x2C4
    MORPH_PIVOT_CHANNELS = 0x2C5


_MODELS = (0x000, 0x100, 0x200, 0x280, 0x2C0, 0x300, 0x400, 0x420, 0x440, 0x460, 0x500, 0x600, 0x700)
_SHAPES_AND_MORE = (0x740, 0x741, 0x742, 0x750, 0x800, 0x900, 0xA00, 0xB00)
TOP_LEVEL = frozenset((*_MODELS, *_SHAPES_AND_MORE))
"""Ids that stand at the top of real files: meshes, skeletons, animations, models, lights, emitters, sounds."""


class ChannelType(IntEnum):
    """What a channel moves. 7 to 14 have names in the source, but no file holds them and no engine takes them."""

    X = 0
    Y = 1
    Z = 2
    X_ROTATION = 3
    Y_ROTATION = 4
    Z_ROTATION = 5
    QUATERNION = 6
    FADE = 15


class Flavor(IntEnum):
    """How the channels of a compressed animation are packed."""

    TIMECODED = 0
    ADAPTIVE_DELTA = 1


class Encoding(IntEnum):
    """How a motion channel (0x284) is packed."""

    TIMECODED = 0
    DELTA_4_BIT = 1
    DELTA_8_BIT = 2


VISIBILITY = 0
"""The only type of a bit channel that is written or taken."""

HIERARCHY_HEADER = struct.Struct("<I16sI12s")
"""Version, name, pivot count, centre (3 floats, 0 when written)."""

PIVOT = np.dtype(
    [
        ("name", "V16"),
        ("parent", "<u4"),
        ("translation", "<f4", (3,)),
        ("euler", "<f4", (3,)),
        ("rotation", "<f4", (4,)),
    ]
)
"""60 bytes; parent 0xFFFFFFFF = none; Euler angles are ignored by the engine; quaternion x, y, z, w."""

W_FIRST = np.array([3, 0, 1, 2])
W_LAST = np.array([1, 2, 3, 0])
"""The components of the file's quaternions (x, y, z, w) in Blender's order (w, x, y, z), and the way back."""

NO_PARENT = 0xFFFF_FFFF
FIXUP_SHAPE = (4, 3)
"""A row-vector matrix of the exporter's, three rotation rows and the translation; the engine skips it."""

ANIMATION_HEADER = struct.Struct("<I16s16sII")
"""Version, name, hierarchy, frame count, frames per second."""

CHANNEL_HEADER = struct.Struct("<HHHHHH")
"""First frame, last frame (inclusive), vector length, type, pivot, a word of garbage."""

BIT_CHANNEL_HEADER = struct.Struct("<HHHHB")
"""First frame, last frame (inclusive), type, pivot, default; then bits, lowest first."""

COMPRESSED_HEADER = struct.Struct("<I16s16sIHH")
"""Version, name, hierarchy, frame count, frames per second, flavor."""

COMPRESSED_CHANNEL_HEADER = struct.Struct("<IHBB")
"""Key or frame count, pivot, vector length, type."""

COMPRESSED_BIT_HEADER = struct.Struct("<IHBB")
"""Key count, pivot, type, default (the engine ignores it)."""

MOTION_HEADER = struct.Struct("<BBBBHH")
"""Version (0), encoding, components, type, count, pivot."""

MORPH_HEADER = struct.Struct("<I16s16sI4sI")
"""Version, name, hierarchy, frame count, frames per second (float), channel count."""

LITERAL_CHANNEL_HEADER = struct.Struct("<IHHHH")
"""The public document's idea of a compressed channel: key count, pivot, vector length, type, padding."""

LITERAL_BIT_HEADER = struct.Struct("<HHHH4s")
"""The public document's idea of a bit channel: first, last, type, pivot, default as a float."""

STEP_BIT = 0x8000_0000
"""In a time code: the value jumps to this key instead of moving there. In a bit key: the value."""

MOTION_STEP_BIT = 0x8000
CODE_MASK = 0x7FFF_FFFF
MOTION_CODE_MASK = 0x7FFF

PACKET_FRAMES = 16
PACKET_SIZE = {4: 9, 8: 17}
"""Bytes of a delta packet by the bits of a delta: a filter index, then 16 deltas."""

DELTA_TAIL = bytes(3)
"""The exporter leaves three bytes after the packets of a 0x282 channel; the engine does not read them."""

VERSION_ROOT_PIVOT = 0x0003_0000
"""Before version 3.0 the root pivot is not in the file: the engine adds it and counts pivots from 1."""

VERSION_RAW = 0x0004_0001
VERSION_COMPRESSED = 0x0000_0001
VERSION_MOTION = 0x0001_0000


def packet_rows(frame_count: int) -> int:
    """Rows of packets that the engine's encoder writes for `frame_count` frames (one too many for 1, 17, 33 ...)."""
    return -(-frame_count // PACKET_FRAMES)
