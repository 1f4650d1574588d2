"""What a batch has so far: its Actions, one to copy that holds an armature at rest, and its NLA strips."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, field

from bpy.types import ID, Action, NlaTrack

from ..io_formats.scene_options import ImportOptions
from . import actions
from .undo import Undo

TRACK = "Sequence"
"""Name of the NLA track that holds a sequence."""


@dataclass
class Lineup:
    """The Actions and strips that the files of one import have so far.

    Attributes:
        made: names of the Actions, of which none takes the place of another.
        ends: last frame that is taken, by owner; by "" where all follow each other.
        tracks: name of the NLA track that holds the sequence, by owner.
        resting: Actions that hold an armature at rest, by what they hold; they are none of the batch's.
        held: removes them at the end; None where nobody would.
    """

    made: set[str] = field(default_factory=set)
    ends: dict[str, float] = field(default_factory=dict)
    tracks: dict[str, str] = field(default_factory=dict)
    resting: dict[Hashable, Action] = field(default_factory=dict)
    held: Undo | None = None

    def shift(self, owner: str, first: float, last: float, options: ImportOptions, undo: Undo) -> int:
        """Return how many frames later than its Action a strip lies, and take these frames.

        Whole frames, so that keys stay on whole frames; the first strip lies where its Action does.

        Args:
            owner: name of the armature or object that plays it.
            first, last: frames of the Action.
        """
        key = "" if options.nla == "SEQUENCE" else owner
        end = self.ends.get(key)
        shift = 0 if end is None else math.floor(end - first) + 1
        undo.callback(self._give_back, dict(self.ends), dict(self.tracks))
        self.ends[key] = last + shift
        return shift

    def _give_back(self, ends: dict[str, float], tracks: dict[str, str]) -> None:
        self.ends, self.tracks = ends, tracks

    def track_of(self, owner: ID) -> NlaTrack | None:
        """Return the NLA track of an owner that holds the sequence so far, None if there is none."""
        data, name = actions.animation_data(owner), self.tracks.get(_key(owner), "")
        return data.nla_tracks.get(name) if data is not None and name else None

    def note_track(self, owner: ID, track: NlaTrack) -> None:
        """Remember the track that holds the sequence of an owner."""
        self.tracks[_key(owner)] = track.name


def _key(owner: ID) -> str:
    return f"{owner.id_type} {owner.name}"
