"""The bytes of an MRTK input recording, declared once and used by the reader and the writer.

Source: the serialiser of MRTK 2.0 to 2.7.3 (InputAnimation, InputAnimationSerializationUtils), which the public
document describes only in part. Little-endian, packed, no compression:

    magic, version, [three flag bytes since 1.1], camera pose, four boolean curves (tracked left, tracked right,
    pinching left, pinching right), 27 joint poses of the left hand, 27 of the right, gaze ray since 1.1, markers

A pose is seven curves (position x, y, z, rotation x, y, z, w), a ray six (origin, direction). A curve is
a header of three numbers and its keys: 28 bytes each in 1.0, time and value alone (8 bytes) in 1.1 and in
every boolean curve.
"""

from __future__ import annotations

import struct

import numpy as np

MAGIC = 0x6A8FAF6E0F9E42C6
MAGIC_BYTES = struct.pack("<q", MAGIC)

VERSION = struct.Struct("<ii")
FLAGS = struct.Struct("<BBB")
CURVE_HEADER = struct.Struct("<iii")
MARKER_COUNT = struct.Struct("<i")
MARKER_TIME_SIZE = 4

NEWEST_VERSION = (1, 1)
"""MRTK 2.6 and later read everything up to this; what is older is read as 1.0."""

SHORT_SINCE = FLAGS_SINCE = (1, 1)
"""The first version that stores time and value alone in poses and rays, and the first that says with three flag bytes
which sections follow."""

FULL_KEY = np.dtype(
    [
        ("time", "<f4"),
        ("value", "<f4"),
        ("in_tangent", "<f4"),
        ("out_tangent", "<f4"),
        ("in_weight", "<f4"),
        ("out_weight", "<f4"),
        ("weighted_mode", "<i4"),
    ]
)
SHORT_KEY = np.dtype([("time", "<f4"), ("value", "<f4")])

WEIGHTED_IN = 1
WEIGHTED_OUT = 2
WEIGHTED_BOTH = 3

WRAP_LOOP = 2
WRAP_PING_PONG = 4
WRAP_CLAMP_FOREVER = 8
"""Unity's WrapMode; any other number clamps."""

POSITION = ("PositionX", "PositionY", "PositionZ")
ROTATION = ("RotationX", "RotationY", "RotationZ", "RotationW")
ORIGIN = ("OriginX", "OriginY", "OriginZ")
DIRECTION = ("DirectionX", "DirectionY", "DirectionZ")

JOINTS = (
    "None Wrist Palm ThumbMetacarpalJoint ThumbProximalJoint ThumbDistalJoint ThumbTip "
    "IndexMetacarpal IndexKnuckle IndexMiddleJoint IndexDistalJoint IndexTip "
    "MiddleMetacarpal MiddleKnuckle MiddleMiddleJoint MiddleDistalJoint MiddleTip "
    "RingMetacarpal RingKnuckle RingMiddleJoint RingDistalJoint RingTip "
    "PinkyMetacarpal PinkyKnuckle PinkyMiddleJoint PinkyDistalJoint PinkyTip"
).split()
"""MRTK's TrackedHandJoint in the order of its numbers, which is the order in the file."""
