"""A table as text (.csv): a row for each node at each time, with its pose in the world.

UTF-8 without a mark, lines that end in a line feed, fields quoted where RFC 4180 asks for it, a point for decimals.
Numbers have as many digits as their own precision needs: 32 bits for poses, 64 for times and other channels.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from io import StringIO
from typing import ClassVar

import numpy as np

from ..clip import Array, Clip
from ..errors import Report
from ..files.steps import STEP, Steps, portion
from ..files.whole_file import Unread
from . import messages
from .kind import Interchange
from .options import TableOptions
from .samples import Samples, samples_of

POSE = ("x", "y", "z", "qw", "qx", "qy", "qz", "sx", "sy", "sz")
COLUMNS = ("time", "node", *POSE, "shown")
_BEGIN = ",".join(COLUMNS).encode()
_SAMPLED = 0.4


class _Csv(Interchange[TableOptions]):
    title: ClassVar[str] = "table (.csv)"
    extensions: ClassVar[tuple[str, ...]] = (".csv",)
    write_options = TableOptions

    def matches(self, data: bytes | Unread) -> bool:
        """Return whether these bytes begin with our columns."""
        return data[: len(_BEGIN)] == _BEGIN

    def bytes_in_steps(self, clips: Sequence[Clip], options: TableOptions, report: Report) -> Steps[bytes]:
        """Return the bytes of a file with one clip."""
        (clip,) = clips
        samples = yield from portion(samples_of(clip, options, report), last=_SAMPLED)
        if clip.markers:
            report.warn(messages.MARKERS_LEFT_OUT, markers=len(clip.markers))
        return (yield from portion(_written(clip, samples), _SAMPLED))


CSV = _Csv()


def _written(clip: Clip, samples: Samples) -> Steps[bytes]:
    """Return the table, some times in each step."""
    file = StringIO()
    writer = csv.writer(file, lineterminator="\n")
    others = _others(samples)
    writer.writerow([*COLUMNS, *others])
    names = [node.name for node in clip.nodes]
    step = max(STEP // (len(POSE) * len(names)), 1)
    for first in range(0, len(samples.times), step):
        part = slice(first, first + step)
        count = len(samples.times[part])
        pose = (samples.world.locations, samples.world.rotations, samples.world.scales)
        columns = [np.repeat(samples.times[part], len(names)).tolist(), names * count]
        columns += [_digits(values[part, :, at]) for values in pose for at in range(values.shape[2])]
        columns.append(samples.shown[part].astype(int).ravel().tolist())
        columns += [_filled(channels, names, part, count) for channels in others.values()]
        writer.writerows(zip(*columns))
        yield first / len(samples.times)
    return file.getvalue().encode("utf-8", "replace")


def _digits(values: Array) -> list[str]:
    """Return float32 numbers with the digits that tell them apart."""
    texts: list[str] = values.ravel().astype(np.str_).tolist()
    return texts


def _others(samples: Samples) -> dict[str, dict[str, Array]]:
    """Return the further columns: name, and by node the values (m,)."""
    columns: dict[str, dict[str, Array]] = {}
    for node, name, component, values in samples.channels:
        title = name if component < 0 else f"{name}.{component}"
        title = f"{title} (channel)" if title in COLUMNS else title
        columns.setdefault(title, {})[node] = values
    return columns


def _filled(channels: dict[str, Array], names: list[str], part: slice, count: int) -> list[object]:
    """Return a column: the values of nodes that have the channel, nothing for others."""
    table = np.full((count, len(names)), None, object)
    for node, values in channels.items():
        if node in names:
            table[:, names.index(node)] = values[part].tolist()
    return table.ravel().tolist()
