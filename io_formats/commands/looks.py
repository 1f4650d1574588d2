"""What is in a file, for people who would rather look than read: as text, as what is wrong with it, as a picture."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from fnmatch import fnmatchcase
from io import BytesIO
from itertools import islice
from typing import TYPE_CHECKING
from warnings import catch_warnings, simplefilter

import numpy as np

from ..clip import ROTATION, Array, Clip, Track, curve
from ..clip.fcurve_keys import with_numbers_only
from ..clip.pose import Chains
from ..errors import FormatError, Report
from ..files import messages as files_messages
from ..interchange.kind import with_data_only
from . import messages

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDE, _LONG = 16, 256
"""Numbers in a line of text, and bytes."""

_UNIT = 0.02
"""How far from 1 the length of a quaternion may be; the coarsest of the formats, adaptive delta, leaves up to 1.4 %."""

_UNSEEN = re.compile("[\x00-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
"""What a name may have but no XML."""

_TEXT_AS_IT_IS = {"svg.fonttype": "none", "text.parse_math": False}
"""Names may have any letters, `$` among them; letters stay letters, so that they can be searched."""

_POSES, _CURVES, _POINTS = 6, 8, 600
"""Figures in a picture, curves where none are chosen, and points of a curve."""


def contents(value: object, place: str) -> Iterator[tuple[str, str]]:
    """Yield each field of a document, item of a list and row of an array: its place, and its value as text."""
    if isinstance(value, Enum):  # as the file or `info` calls it
        value = value.value if isinstance(value, str) else value.name
    value = value.tolist() if hasattr(value, "tolist") else value
    parts: list[tuple[str, object]] = []
    if is_dataclass(value):
        yield place, type(value).__name__
        parts = [(f".{field.name}", getattr(value, field.name)) for field in fields(value)]
    elif isinstance(value, dict):
        parts = [(f"[{key!r}]", part) for key, part in value.items()]
    elif isinstance(value, list | tuple) and (
        len(value) > _WIDE or not all(isinstance(part, int | float) for part in value)
    ):
        parts = [(f"[{number}]", part) for number, part in enumerate(value)]
    elif isinstance(value, bytes) and len(value) > _LONG:
        yield place, messages.CLI_BYTES.format(count=len(value), sum=zlib.crc32(value))
    else:
        yield place, repr(value)
    for name, part in parts:
        yield from contents(part, place + name)


# What is wrong with an animation, beyond what reading it says: names, numbers, unit quaternions.


def lint(clip: Clip, report: Report) -> None:
    """Report what an engine would play otherwise than whoever wrote the file can have meant."""
    counts = Counter(node.original for node in clip.nodes if node.original)  # without a skeleton no name is known
    for name in (name for name, count in counts.items() if count > 1):
        report.warn(messages.LINT_NAME_TWICE, name=name, nodes=counts[name])
    for track in clip.tracks:
        name = f"{track.node} {track.property}"
        no_number = ~np.isfinite(track.values).all(axis=0)
        if no_number.any():
            time = float(track.times[no_number.argmax()])
            report.warn(messages.LINT_NO_NUMBER, curve=name, time=time, keys=int(no_number.sum()))
        if track.property != ROTATION or len(track.values) != 4:
            continue
        norms = np.where(no_number, 1.0, np.linalg.norm(track.values.astype(np.float64), axis=0))
        off = np.abs(norms - 1)
        keys = int((off > _UNIT).sum())
        if keys:
            time, norm = float(track.times[off.argmax()]), float(norms[off.argmax()])
            report.warn(messages.LINT_NO_UNIT, curve=name, time=time, norm=norm, keys=keys)


# A picture: the figure at six moments, and curves.


def plot(clips: Sequence[Clip], pattern: str, report: Report) -> bytes:
    """Return a picture (SVG) of the first animation of a file, drawn by matplotlib, which may not be installed, with
    the curves of a pattern such as `Palm* location.x`, or those that change most; FormatError if there are none."""
    import matplotlib
    from matplotlib.figure import Figure

    moving = [clip for clip in clips if clip.tracks]
    if not moving:
        raise FormatError(files_messages.NOTHING_ANIMATED)
    clip = with_data_only(with_numbers_only(moving[0], report))
    curves = _chosen(clip, pattern)
    moments = np.linspace(0.0, clip.duration, _POSES)
    joined = _joined(clip)
    shown = np.unique(joined)
    places = Chains(clip).worlds([node.name for node in clip.nodes], moments)[..., :3, 3]
    places -= (places[:, shown].max(axis=1, keepdims=True) + places[:, shown].min(axis=1, keepdims=True)) / 2
    across = np.sort(np.ptp(places[:, shown], axis=(0, 1)).argsort()[1:])  # seen along where there is least to see
    with matplotlib.rc_context(_TEXT_AS_IT_IS | {"svg.hashsalt": clip.name}), catch_warnings():
        simplefilter("ignore")  # of letters that its own font lacks, which a viewer's has
        figure = Figure(figsize=(12, 8), layout="constrained")
        above, below = figure.subfigures(2, 1, height_ratios=(2, 3))
        for axes, moment, place in zip(above.subplots(1, _POSES, sharex=True, sharey=True), moments, places):
            _draw_pose(axes, place[:, across][joined], f"{moment:.2f} s")
        _draw_curves(below.subplots(), clip, curves)
        file = BytesIO()
        figure.savefig(file, format="svg", metadata={"Date": None})
    return file.getvalue()


def _joined(clip: Clip) -> Array:
    """Return pairs (k, 2) of nodes between which a figure has a bone; each node by itself where there are none."""
    numbers = {node.name: number for number, node in enumerate(clip.nodes)}
    ends = [(number, numbers.get(node.leads_to or node.parent or "")) for number, node in enumerate(clip.nodes)]
    pairs = [(number, end) for number, end in ends if end is not None]
    return np.array(pairs or [(number, number) for number in range(len(clip.nodes))])


def _draw_pose(axes: Axes, bones: Array, title: str) -> None:
    from matplotlib.collections import LineCollection

    axes.add_collection(LineCollection(bones))
    axes.plot(*bones.reshape(-1, 2).T, ".", markersize=2, color="black")
    # matplotlib fails where a figure is nothing but long
    axes.update_datalim(np.outer((-1, 1), np.repeat(np.abs(bones).max() / 1000, 2)))
    axes.set_aspect("equal")
    axes.set_title(title)
    axes.set_axis_off()


def _chosen(clip: Clip, pattern: str) -> dict[str, Track]:
    """Return single components by name, those that a pattern means or that differ most from a constant."""
    named = {}
    for row in (row for track in clip.tracks for row in track.rows()):  # a letter of a location, turn or scale
        part = "wxyz"[row.component - row.width] if row.width in (3, 4) else row.component
        named[f"{row.node} {row.property}" if row.width == 1 else f"{row.node} {row.property}.{part}"] = row
    if pattern:
        chosen = {name: row for name, row in named.items() if fnmatchcase(name, pattern)}
        if not chosen:
            raise FormatError(messages.PLOT_NO_CURVE, pattern=pattern, example=next(iter(named), ""))
        return chosen
    spreads = {name: float(np.ptp(row.values)) for name, row in named.items()}
    return {name: named[name] for name in islice(sorted(named, key=lambda name: -spreads[name]), _CURVES)}


def _draw_curves(axes: Axes, clip: Clip, curves: dict[str, Track]) -> None:
    times = np.linspace(0.0, clip.duration, _POINTS)
    lines = []
    for row in curves.values():
        lines += axes.plot(times, curve.evaluate(row, times)[0], linewidth=1)
        axes.plot(row.times, row.values[0], ".", markersize=3, color=lines[-1].get_color())
    axes.set_xlabel(messages.PLOT_SECONDS)
    axes.set_xlim(0.0, clip.duration or None)
    # what a name begins with says whether matplotlib would list it, unless it is given beside its line
    axes.legend(lines, [_UNSEEN.sub("\ufffd", name) for name in curves], fontsize="small", ncols=2)
