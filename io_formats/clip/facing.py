"""Which way a motion faces: the options Forward and Up turn the root, and so the whole, without touching a key."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import FormatError
from ..options import Facing
from . import Array, Clip, messages
from .axes import from_names


def faced(clip: Clip, options: Any) -> Clip:
    """The clip as an import shows it: the chosen axes lie along Blender's Y and Z.

    Raises:
        FormatError: Forward and Up are the same axis.
    """
    turn = _turn(options)
    return clip if turn is None else replace(clip, root=turn @ clip.root)


def faced_back(clip: Clip, options: Any) -> Clip:
    """The clip as an export writes it: Blender's Y and Z become the chosen axes; undoes `faced`."""
    turn = _turn(options)
    return clip if turn is None else replace(clip, root=turn.T @ clip.root)


def _turn(options: Any) -> Array | None:
    """(4, 4) of the turn, None for none or a format that has its own way to say it."""
    if not isinstance(options, Facing) or (options.forward, options.up) == (Facing.forward, Facing.up):
        return None
    forward, up = options.forward, options.up
    if forward[-1] == up[-1]:
        raise FormatError(messages.SAME_AXIS, forward=forward, up=up)
    turn = np.eye(4)
    turn[:3, :3] = from_names(forward, up).matrix
    return turn
