"""A table as text (.csv): a row for each node at each time, with its pose in the world.

UTF-8 without a mark, lines that end in a line feed, fields quoted where RFC 4180 asks for it, a point for decimals.
Numbers have as many digits as their own precision needs: 32 bits for poses, 64 for times and other channels.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np

from ..clip import Array, Clip
from ..errors import Report
from ..files.memory import reckon
from ..files.steps import STEP, Steps, portion
from ..files.whole_file import Unread
from . import CsvFacts, messages
from .kind import Interchange
from .options import TableOptions
from .samples import Samples, samples_of

POSE = ("x", "y", "z", "qw", "qx", "qy", "qz", "sx", "sy", "sz")
COLUMNS = ("time", "node", *POSE, "shown")
_BEGIN = ",".join(COLUMNS).encode()
_SAMPLED = 0.4
_SPECIAL = re.compile(r'[",\r\n]')
_FORMULA = re.compile(r"['=+\-@\uff1d\uff0b\uff0d\uff20\t\r\n\0]")
"""What a text begins with that spreadsheets take for a formula, and the mark that keeps them from it.

Source: OWASP, "CSV Injection", and its ASVS, 1.2.10.
"""

_LETTERS, _NUMBER = 160, 20
"""Of a row with the columns that every table has, but for the name, and of a number in a further one."""

_COPIES = 2
"""Of the table: in parts, and put together."""

_FIELD = 80
"""Bytes of a field while it is a text of its own."""


class Csv(CsvFacts, Interchange[TableOptions]):
    """The functions of the kind."""

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


def _written(clip: Clip, samples: Samples) -> Steps[bytes]:
    """Return the table, some times in each step."""
    others = _others(samples)
    names = [_quoted(node.name) for node in clip.nodes]
    places = {node.name: at for at, node in enumerate(clip.nodes)}
    cells = len(names) * (len(COLUMNS) + len(others))
    letters = sum(map(len, names)) + len(names) * (_LETTERS + len(others)) + _NUMBER * len(samples.channels)
    reckon(size=_COPIES * len(samples.times) * letters + _FIELD * cells)
    made = [_encoded([",".join([*COLUMNS, *map(_quoted, others)])])]
    step = max(STEP // cells, 1)
    for first in range(0, len(samples.times), step):
        part = slice(first, first + step)
        times = samples.times[part].tolist()
        pose = (samples.world.locations, samples.world.rotations, samples.world.scales)
        fields = [[repr(time) for time in times for _ in names], names * len(times)]
        fields += [_digits(values[part, :, at]) for values in pose for at in range(values.shape[2])]
        fields.append(_digits(samples.shown[part].astype(int)))
        fields += [_filled(channels, places, part, len(times)) for channels in others.values()]
        made.append(_encoded(map(",".join, zip(*fields))))
        yield first / len(samples.times)
    return b"".join(made)


def _encoded(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")


def _quoted(text: str) -> str:
    """Return a text as a field, with an apostrophe before what begins like a formula or with an apostrophe itself.

    So whoever takes one apostrophe from the beginning of each has the texts again. Python's own writer leaves a lone
    carriage return bare in some of its versions.
    """
    text = f"'{text}" if _FORMULA.match(text) else text
    return '"' + text.replace('"', '""') + '"' if _SPECIAL.search(text) else text


def _digits(values: Array) -> list[str]:
    """Return numbers with the digits that tell them apart from others of their precision."""
    texts: list[str] = values.ravel().astype(np.str_).tolist()
    return texts


def _others(samples: Samples) -> dict[str, dict[str, Array]]:
    """Return the further columns, no two of one title: by node the values (m,)."""
    titles: dict[tuple[str, int], str] = {}
    columns: dict[str, dict[str, Array]] = {}
    for node, name, component, values in samples.channels:
        if (name, component) not in titles:
            title = name if component < 0 else f"{name}.{component}"
            while title in COLUMNS or title in columns:
                title = f"{title} (channel)"
            titles[name, component] = title
        columns.setdefault(titles[name, component], {})[node] = values
    return columns


def _filled(channels: dict[str, Array], places: dict[str, int], part: slice, count: int) -> list[str]:
    """Return a column: the values of nodes that have the channel, nothing for others."""
    fields = [""] * (count * len(places))
    for node, values in channels.items():
        fields[places[node] :: len(places)] = map(repr, values[part].tolist())
    return fields
