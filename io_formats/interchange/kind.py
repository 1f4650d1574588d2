"""What a kind of file is that conversions write for other programs, and that is not read here."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np

from ..clip import Array, Clip
from ..clip.edit import enlarged
from ..clip.fcurve_keys import with_numbers_only
from ..errors import FormatError, Report
from ..files import messages as files_messages
from ..files.batch_files import Outputs
from ..files.steps import Steps, portion, running
from ..files.whole_file import Unread
from ..format import faced
from ..options import WriteOptions
from . import InterchangeFacts, InterchangeOptions, messages

Writes = TypeVar("Writes", bound=InterchangeOptions)

_MADE = 0.8
"""Share of writing a file that is done when its bytes are made."""


class Interchange(InterchangeFacts, ABC, Generic[Writes]):
    """A kind of file that is written, never read: what the command lines ask of it."""

    write_options: type[Writes]

    @abstractmethod
    def matches(self, data: bytes | Unread) -> bool:
        """Return whether these bytes look like such a file."""

    @abstractmethod
    def encoded(self, clips: Sequence[Clip], options: Writes, report: Report) -> Steps[bytes]:
        """Return the bytes of a file that holds clips, of which there is one unless the kind holds several."""


AnyInterchange: TypeAlias = Interchange[Any]


@dataclass
class NewInterchange:
    """A file on its way to the disk."""

    path: Path
    kind: AnyInterchange
    options: WriteOptions
    report: Report
    outputs: Outputs
    clips: list[Clip] = field(default_factory=list)

    def add(self, clip: Clip) -> Steps[None]:
        """Put a clip into the file, which is one step; raise FormatError if it has nothing that could be shown."""
        yield from ()
        with np.errstate(over="ignore"):  # lengths may grow beyond all numbers
            clip = enlarged(faced(clip, self.options, back=True), self.options.scale)
        recorded = with_data_only(with_numbers_only(clip, self.report))
        if not recorded.nodes:
            raise FormatError(files_messages.NOTHING_ANIMATED)
        if recorded.rests_known and not recorded.parents_known:
            self.report.warn(messages.NO_PARENTS)
        self.clips.append(recorded)

    def write(self) -> Steps[None]:
        """Write the whole file or leave the disk unchanged; raise FormatError if it cannot be written."""
        encoding = self.kind.encoded(self.clips, self.options, self.report)
        making = running(encoding, partial(np.errstate, over="ignore", invalid="ignore"))
        data = yield from portion(making, last=_MADE)
        yield from portion(self.outputs.write(self.path, data), _MADE)


def with_data_only(clip: Clip) -> Clip:
    """Return the clip, which ends some time, without nodes of which the file knows nothing, such as a joint that no
    moment of a recording saw, unless others are parented to them."""
    seen = {(track.node, track.property) for track in clip.tracks if track.values.any()}
    unseen = {node.name for node in clip.nodes if node.placeholder and node.seen_by and node.seen_by not in seen}
    tracks = [track for track in clip.tracks if track.node not in unseen]
    needed = {node.name for node in clip.nodes if not node.placeholder} | {track.node for track in tracks}
    kept = []
    for node in reversed(clip.nodes):
        if node.name in needed:
            kept.append(node)
            needed.add(node.parent or node.name)
    duration = clip.duration if math.isfinite(clip.duration) else 0.0
    return replace(clip, nodes=kept[::-1], tracks=tracks, duration=duration)


def narrow(values: Array) -> Array:
    """Return values (n, ...) as float32, those beyond its range as its largest."""
    most = np.finfo(np.float32).max
    return np.ascontiguousarray(np.clip(values, -most, most), np.float32)
