"""An MRTK input recording in its own terms: Unity's axes (left-handed, Y up, Z forward), metres, seconds.

Every number of the file is kept here once, raw: wrap modes and flags as the file's integers, marker texts as bytes,
keys as structured arrays in the layout's dtypes (views of the file's bytes when they were read).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from .. import binary
from ..clip import Array, count_keys
from ..errors import FormatError
from ..files.steps import AtOnce, Pace, Steps
from ..format import Facts
from . import layout, messages

Keys = Array


@dataclass(eq=False)
class Curve:
    """One animation curve.

    Attributes:
        keys: (n,) structured array, `layout.FULL_KEY` or `layout.SHORT_KEY`, in file order.
        pre_wrap, post_wrap: Unity's WrapMode before and after the keys, raw.
    """

    keys: Keys
    pre_wrap: int = layout.WRAP_CLAMP_FOREVER
    post_wrap: int = layout.WRAP_CLAMP_FOREVER

    @property
    def is_full(self) -> bool:
        """Whether the keys carry tangents and weights."""
        return self.keys.dtype == layout.FULL_KEY


class _Section:
    """Two properties of a recording, each of some curves."""

    @property
    def curves(self) -> list[Curve]:
        """All curves in file order."""
        return [curve for curves in vars(self).values() for curve in curves]

    @property
    def has_keys(self) -> bool:
        """Whether any curve has a key; without, MRTK has no data."""
        return any(len(curve.keys) for curve in self.curves)


@dataclass(eq=False)
class Pose(_Section):
    """Seven curves: position x, y, z in metres, rotation x, y, z, w (Unity's order)."""

    position: list[Curve]
    rotation: list[Curve]


@dataclass(eq=False)
class Ray(_Section):
    """Six curves: origin x, y, z in metres, direction x, y, z."""

    origin: list[Curve]
    direction: list[Curve]


@dataclass(eq=False)
class Hand:
    """One hand: two boolean curves and a pose for each of `layout.JOINTS`."""

    tracked: Curve
    pinching: Curve
    joints: list[Pose]


@dataclass(eq=False)
class Marker:
    """A text at a time.

    Attributes:
        time: seconds; a numpy scalar, so that the bits of a NaN survive.
        text: the bytes of the .NET string, UTF-8 in every file that MRTK writes.
    """

    time: np.float32
    text: bytes


@dataclass(eq=False)
class Document:
    """A whole recording.

    Attributes:
        version: major and minor number.
        flags: the bytes for camera, hands and gaze; None below version 1.1, which has none.
        camera, left, right, gaze: None where the file has no such section; left and right occur together.
        markers: None where the file ends after the last curve, as the public document says (MRTK refuses that).
        literal_keys: a 1.1 file with 28-byte keys, as the public document says (MRTK cannot read that).
        trailing: bytes after the end that MRTK ignores.
    """

    version: tuple[int, int] = (1, 1)
    flags: tuple[int, int, int] | None = (0, 0, 0)
    camera: Pose | None = None
    left: Hand | None = None
    right: Hand | None = None
    gaze: Ray | None = None
    markers: list[Marker] | None = field(default_factory=list)
    literal_keys: bool = False
    trailing: bytes = b""

    def __eq__(self, other: object) -> bool:
        return binary.equal(self, other)

    @property
    def full_keys(self) -> bool:
        """Whether poses and rays store 28-byte keys."""
        return self.literal_keys or self.version < layout.SHORT_SINCE

    @property
    def hands(self) -> tuple[tuple[str, Hand], ...]:
        """(side, hand) for the hands that the file has, "L" first."""
        return tuple((side, hand) for side, hand in (("L", self.left), ("R", self.right)) if hand is not None)

    def curves(self) -> Iterator[tuple[str, Curve]]:
        """Yield (name, curve) for every curve in file order; the name is the format's own words."""
        if self.camera is not None:
            yield from _pose_curves("Camera", self.camera)
        yield from ((f"Tracked.{side}", hand.tracked) for side, hand in self.hands)
        yield from ((f"Pinching.{side}", hand.pinching) for side, hand in self.hands)
        for side, hand in self.hands:
            for joint, pose in zip(layout.JOINTS, hand.joints):
                yield from _pose_curves(f"{joint}.{side}", pose)
        if self.gaze is not None:
            yield from zip((f"Gaze {part}" for part in layout.ORIGIN + layout.DIRECTION), self.gaze.curves)


def _pose_curves(name: str, pose: Pose) -> Iterator[tuple[str, Curve]]:
    return zip((f"{name} {part}" for part in layout.POSITION + layout.ROTATION), pose.curves)


# What a recording holds, in a few numbers.


def duration(document: Document) -> float:
    """Return seconds until the last key of all curves, as MRTK computes it; 0 for a recording without keys."""
    return max((_last_time(curve.keys["time"]) for _, curve in document.curves()), default=0.0)


def _last_time(times: Array) -> float:
    if not len(times):
        return 0.0
    latest = float(np.maximum.reduce(times))
    if math.isfinite(latest):
        return latest
    finite = times[np.isfinite(times)]
    return float(finite.max()) if len(finite) else 0.0


def plays(document: Document) -> bool:
    """Return whether the recording has a camera, a hand or a gaze."""
    sections = (document.camera, document.gaze, *(joint for _, hand in document.hands for joint in hand.joints))
    return any(section is not None and section.has_keys for section in sections)


def _played(document: Document) -> Iterator[list[Curve]]:
    """Yield the curves of each property that plays, such as a joint's place; those of slot None do not."""
    for _, hand in document.hands:
        yield from ([hand.tracked], [hand.pinching])
    joints = (pose for _, hand in document.hands for pose in hand.joints[1:])
    for pose in joints if document.camera is None else (document.camera, *joints):
        yield from (pose.position, pose.rotation)
    if document.gaze is not None:
        yield from (document.gaze.origin, document.gaze.direction)


def describe(document: Document) -> Facts:
    """Return version, sections, counts, duration in seconds and names, ready for JSON. Slot None is not a joint."""
    joints = [
        f"{joint}.{side}"
        for side, hand in document.hands
        for joint, pose in zip(layout.JOINTS[1:], hand.joints[1:])
        if pose.has_keys
    ]
    return {
        "version": "{}.{}".format(*document.version),
        "camera": document.camera is not None and document.camera.has_keys,
        "hands": len({name[-1] for name in joints}),
        "gaze": document.gaze is not None and document.gaze.has_keys,
        "joints": len(joints),
        "keys": count_keys((at, curve.keys["time"]) for at, curves in enumerate(_played(document)) for curve in curves),
        "duration": duration(document),
        "rate": None,
        "markers": [marker.text.decode("utf-8", "replace") for marker in document.markers or ()],
        "names": joints,
    }


# To bytes: the reader's layout in the other direction.


@AtOnce
def write(document: Document) -> Steps[bytes]:
    """Return the file's bytes; those that were read where the lengths of texts are in their shortest form.

    Raises:
        FormatError: the parts of the document contradict each other (flags without their section, keys of
            another layout than the version's, a hand without all its joints).
    """
    _check(document)
    writer = binary.ByteWriter()
    writer.put(layout.MAGIC_BYTES)
    writer.pack(layout.VERSION, *document.version)
    if document.flags is not None:
        writer.pack(layout.FLAGS, *document.flags)
    curves = list(document.curves())
    pace = Pace(sum(len(curve.keys) for _, curve in curves), len(curves))
    for name, curve in curves:
        full = document.full_keys and not name.startswith(("Tracked", "Pinching"))
        if curve.keys.dtype != (layout.FULL_KEY if full else layout.SHORT_KEY):
            raise FormatError(messages.INCONSISTENT, field=name)
        writer.pack(layout.CURVE_HEADER, curve.pre_wrap, curve.post_wrap, len(curve.keys))
        # the keys' own memory, which joining the parts copies once
        writer.put(np.ascontiguousarray(curve.keys).view(np.uint8).data)
        if pace.is_due(len(curve.keys), 1):
            yield pace.share
    if document.markers is not None:
        writer.pack(layout.MARKER_COUNT, len(document.markers))
        for marker in document.markers:
            writer.put(marker.time.tobytes())
            writer.string_bytes(marker.text)
    writer.put(document.trailing)
    return writer.getvalue()


def _check(document: Document) -> None:
    flagged = document.version >= layout.FLAGS_SINCE
    if flagged != (document.flags is not None) or document.version > layout.NEWEST_VERSION:
        raise FormatError(messages.INCONSISTENT, field="flags")
    flags = document.flags or (True, True, False)
    sections = (document.camera, document.left, document.gaze)
    if [bool(flag) for flag in flags] != [section is not None for section in sections]:
        raise FormatError(messages.INCONSISTENT, field="flags")
    if (document.left is None) != (document.right is None):
        raise FormatError(messages.INCONSISTENT, field="hands")
    for side, hand in document.hands:
        if len(hand.joints) != len(layout.JOINTS):
            raise FormatError(messages.INCONSISTENT, field=f"joints of hand {side}")
    for pose in [document.camera, *(pose for _, hand in document.hands for pose in hand.joints)]:
        if pose is not None and (len(pose.position), len(pose.rotation)) != (3, 4):
            raise FormatError(messages.INCONSISTENT, field="pose")
    if document.gaze is not None and (len(document.gaze.origin), len(document.gaze.direction)) != (3, 3):
        raise FormatError(messages.INCONSISTENT, field="gaze")
