"""Document -> bytes, the reader's layout in the other direction."""

from __future__ import annotations

import numpy as np

from ..binary import ByteWriter
from ..errors import FormatError
from ..files.steps import AtOnce, Pace, Steps
from . import layout, messages
from .document import Document


@AtOnce
def write(document: Document) -> Steps[bytes]:
    """Return the file's bytes; those that were read where the lengths of texts are in their shortest form.

    Raises:
        FormatError: the parts of the document contradict each other (flags without their section, keys of
            another layout than the version's, a hand without all its joints).
    """
    _check(document)
    writer = ByteWriter()
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
