"""What a conversion to a general-purpose file can be told; the options are those that other formats have too."""

from __future__ import annotations

from dataclasses import dataclass

from .. import options


@dataclass(frozen=True, eq=False, repr=False)
class InterchangeOptions(options.Facing, options.WriteOptions):
    """What writing any of them can be told."""


@dataclass(frozen=True, eq=False, repr=False)
class TableOptions(options.WholeFrames, InterchangeOptions):
    """What writing a table of poses can be told."""
