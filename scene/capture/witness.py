"""What a capture relies on between two steps: bones, F-Curves and strips that another window or a script may change.

Nobody is told that Blender frees one of them, and what Python holds of it leads anywhere from then on.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from bpy.types import Object, PoseBone

from ...io_formats.errors import FormatError
from .. import actions, messages
from . import influences
from .players import Cast

_Seen = list[tuple[int, str]]
"""Addresses in Blender, and names."""


class Witness:
    """Compares what is there with what was there at the beginning."""

    def __init__(self, cast: Cast) -> None:
        """Look at all that takes part."""
        self._cast = cast
        playing = [player.action for player in cast.players]
        playing += [actions.assigned(mesh.thing)[0] for mesh in cast.meshes]
        self._actions = list(dict.fromkeys(action for action in playing if action is not None))
        self._bones, self._curves = self._look_at_bones(), self._look_at_curves()

    @contextmanager
    def of_bones(self) -> Iterator[None]:
        """Do one step that needs objects and bones; raise FormatError if one was removed, added or renamed."""
        _require(self._look_at_bones() == self._bones)
        yield

    @contextmanager
    def of_all(self) -> Iterator[None]:
        """Do one step that needs curves and strips, too."""
        with self.of_bones():
            _require(self._look_at_curves() == self._curves)
            yield

    def _look_at_bones(self) -> _Seen:
        things: list[Object | PoseBone] = list(self._cast.objects)
        for rig in self._cast.rigs:
            things += rig.pose.bones
        return [(thing.as_pointer(), thing.name) for thing in things]

    def _look_at_curves(self) -> _Seen:
        curves = (curve for action in self._actions for _, curve in actions.every_curve(action))
        strips = (strip for player in self._cast.players for strip in influences.every_strip(player.owner))
        return [(found.as_pointer(), "") for found in (*curves, *strips)]


def _require(found: bool) -> None:
    if not found:
        raise FormatError(messages.REMOVED_MEANWHILE)
