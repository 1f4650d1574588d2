"""EA's viewer's way with W3X: XML, a value for each frame, the chain of pivots; in the file's own axes.

What a channel does not say is at rest: 0, no rotation, visibility 1. Between frames everything goes straight, but for
steps, where the frame before holds.
"""

from __future__ import annotations

from typing import Any, ClassVar
from xml.etree import ElementTree

import numpy as np

from . import w3d

_SPACE = "{uri:ea.com:eala:asset}"
ANIMATION = _SPACE + "W3DAnimation"
_TYPES = {"XTranslation": 0, "YTranslation": 1, "ZTranslation": 2, "Orientation": 6}
LEAST_SHOWN = 0.1
"""A visibility is an opacity; below this nothing is seen."""


class Player(w3d.Player):
    """One animation on one skeleton, from one file; pivots pose as those of W3D do."""

    NAME_LETTERS: ClassVar[int | None] = None

    @classmethod
    def of(cls, data: bytes, number: int = 0, beside: bytes = b"") -> Player:
        """Read the animation of that number, on the skeleton that it names, or the first; of the file, or beside."""
        player = cls(straight=True)
        roots = [ElementTree.fromstring(each) for each in (data, beside) if each]
        for hierarchy in [each for root in roots for each in root.iter(_SPACE + "W3DHierarchy")]:
            pivots = list(hierarchy.iter(_SPACE + "Pivot"))
            rests = [(pivot[0].attrib, pivot[1].attrib) for pivot in pivots]
            bases = [w3d.matrix([float(place[a]) for a in "XYZ"], [float(turn[a]) for a in "XYZW"])
                     for place, turn in rests]  # fmt: skip
            names, parents = [each.attrib["Name"] for each in pivots], [int(each.attrib["Parent"]) for each in pivots]
            player.skeletons.append((hierarchy.attrib["id"], names, parents, bases))
        found = list(roots[0].iter(ANIMATION))
        player.animations = len(found)
        for animation in found[number : number + 1]:
            player._animation(animation)
        player.stand()
        return player

    def _animation(self, animation: Any) -> None:
        self.name, self.hierarchy = animation.attrib["id"], animation.attrib["Hierarchy"]
        self.frames, self.rate = int(animation.attrib["NumFrames"]), float(animation.attrib["FrameRate"])
        for channel in animation.find(_SPACE + "Channels"):
            pivot, first = int(channel.attrib["Pivot"]), int(channel.attrib["FirstFrame"])
            turns = channel.tag.endswith("ChannelQuaternion")
            rows = [[float(frame.attrib[a]) for a in "XYZW"] if turns else [float(frame.text)] for frame in channel]
            kind, rows = channel.attrib["Type"], rows[: max(self.frames - first, 0)]
            values = np.tile([0.0, 0, 0, 1] if turns else [float(kind == "Visibility")], (self.frames, 1))
            if rows:
                values[first : first + len(rows)] = rows
            jumps = np.zeros(self.frames, bool)
            steps = [frame.attrib.get("BinaryMove") in ("true", "1") for frame in channel]
            jumps[first : first + len(rows)] = steps[: len(rows)]
            if kind == "Visibility":
                self.shown[pivot] = values[:, 0] >= LEAST_SHOWN
                self.opacity[pivot] = w3d.Channel(pivot, w3d.FADE, values, len(rows), jumps)
            else:
                self.channels.append(w3d.Channel(pivot, _TYPES[kind], values, len(rows), jumps))
