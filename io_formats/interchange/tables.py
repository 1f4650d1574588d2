"""Tables and arrays (.csv, .npz): every node's pose at each of many times."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from io import BytesIO
from itertools import compress
from typing import NamedTuple
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import numpy as np

from ..clip import LEAST_OPACITY, Array, Clip, TrackKind, curve
from ..clip import quaternion as rotation
from ..clip.pose import SHEAR, Chains, decompose
from ..clip.whole_frames import asked_count, chosen_frames
from ..errors import Report
from ..files.memory import reckon
from ..files.steps import STEP, Pace, Steps, portion
from ..files.whole_file import Unread
from . import TableOptions, messages
from .kind import Interchange, narrow

_NUMBERS = 10
"""Of a node at one time: its pose."""

_ROW_SECONDS = 2.5e-5
"""The processor's time for a node at one time, until it is written."""

_ROWS = 2 * STEP // _NUMBERS
"""Poses that are computed at once: a tenth of a second."""


class Poses(NamedTuple):
    """Transforms of n nodes at m times.

    Attributes:
        locations: (m, n, 3) float32.
        rotations: (m, n, 4) float32: unit quaternions w, x, y, z, each on the short way from the one before.
        scales: (m, n, 3) float32.
    """

    locations: Array
    rotations: Array
    scales: Array


class Samples(NamedTuple):
    """A clip at m times.

    Attributes:
        times: (m,) float64 seconds, ascending.
        world: in Blender's axes (right-handed, Z up) and metres.
        shown: (m, n) bool: the file shows the node, or the recording saw it.
        channels: (node, property, component, values (m,)) of what is no transform; -1 for a property of one component.
    """

    times: Array
    world: Poses
    shown: Array
    channels: list[tuple[str, str, int, Array]]


def samples_of(clip: Clip, options: TableOptions, report: Report) -> Steps[Samples]:
    """Return a clip at the times that the options say, and tell what tables cannot say."""
    times = _times(clip, options, report)
    others = [track for track in clip.tracks if track.kind is not TrackKind.TRANSFORM]
    rows, curves = len(times) * len(clip.nodes), sum(len(track.values) for track in others)
    reckon(keys=(rows * _NUMBERS + len(times) * curves) // 8, seconds=rows * _ROW_SECONDS)
    chains, names = Chains(clip), [node.name for node in clip.nodes]
    world = Poses(*(np.zeros((len(times), len(names), width), np.float32) for width in (3, 4, 3)))
    portion = max(_ROWS // max(len(names), 1), 1)
    pace = Pace(rows * _NUMBERS)
    sheared: set[str] = set()
    for first in range(0, len(times) if names else 0, portion):
        part = slice(first, first + portion)
        *poses, shear = decompose(chains.worlds(names, times[part]).reshape(-1, 4, 4))
        for into, values in zip(world, poses):
            into[part] = narrow(values.T).reshape(-1, *into.shape[1:])
        largest: Array = shear.reshape(-1, len(names)).max(axis=0)
        sheared.update(compress(names, largest > SHEAR))
        if pace.is_due(_NUMBERS * len(times[part]) * len(names)):
            yield pace.share
    # all quaternions get the signs by which they follow each other
    turns = world.rotations.T
    turns *= rotation.align_signs(turns)
    if sheared:
        report.warn(messages.SHEARED, nodes=len(sheared))
    channels = [
        (row.node, row.property, row.component if row.width > 1 else -1, curve.evaluate(row, times)[0])
        for track in others
        for row in track.rows()
    ]
    return Samples(times, world, _shown(clip, times), channels)


def _times(clip: Clip, options: TableOptions, report: Report) -> Array:
    """Return (m,) seconds: whole frames where the options or the clip have a rate, else every time with a key."""
    if options.file_rate or clip.rate:
        frames = chosen_frames(clip, None, None, options, report)
        reckon(keys=frames.count)
        return frames.times
    keyed = [track.times.astype(np.float64) for track in clip.tracks if len(track.times)]
    times = np.unique(np.concatenate(keyed or [np.zeros(1)]))
    return times[options.first_frame :][: asked_count(len(times), options, report)]


def _shown(clip: Clip, times: Array) -> Array:
    """Return (m, n) bool: what hides a node, or tells when it was seen, lets it be seen at the time."""
    asked = {key for node in clip.nodes if (key := node.shown_by or node.seen_by)}
    switches = {(track.node, track.property): track for track in clip.tracks if len(track.values) == 1}
    known = {key: curve.evaluate(switches[key], times)[0] >= LEAST_OPACITY for key in asked & switches.keys()}
    always = np.ones(len(times), bool)
    columns = [known.get(node.shown_by or node.seen_by or ("", ""), always) for node in clip.nodes]
    return np.array(columns, bool).reshape(-1, len(times)).T


# A table as text (.csv): a row for each node at each time, with its pose in the world.
# UTF-8 without a mark, lines that end in a line feed, fields quoted where RFC 4180 asks for it, a point for decimals.
# Numbers have as many digits as their own precision needs: 32 bits for poses, 64 for times and other channels.

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

_CSV_COPIES = 2
"""Of the table: in parts, and put together."""

_FIELD = 80
"""Bytes of a field while it is a text of its own."""


class Csv(Interchange[TableOptions]):
    """The functions of the kind."""

    def matches(self, data: bytes | Unread) -> bool:
        """Return whether these bytes begin with our columns."""
        return data[: len(_BEGIN)] == _BEGIN

    def encoded(self, clips: Sequence[Clip], options: TableOptions, report: Report) -> Steps[bytes]:
        """Return the bytes of a file with one clip."""
        (clip,) = clips
        samples = yield from portion(samples_of(clip, options, report), last=_SAMPLED)
        if clip.markers:
            report.warn(messages.MARKERS_LEFT_OUT, markers=len(clip.markers))
        return (yield from portion(_written(clip, samples), _SAMPLED))


def _written(clip: Clip, samples: Samples) -> Steps[bytes]:
    others = _others(samples)
    names = [_quoted(node.name) for node in clip.nodes]
    places = {node.name: at for at, node in enumerate(clip.nodes)}
    cells = len(names) * (len(COLUMNS) + len(others))
    letters = sum(map(len, names)) + len(names) * (_LETTERS + len(others)) + _NUMBER * len(samples.channels)
    reckon(size=_CSV_COPIES * len(samples.times) * letters + _FIELD * cells)
    made = [_encoded([",".join([*COLUMNS, *map(_quoted, others)])])]
    step = max(STEP // cells, 1)
    for first in range(0, len(samples.times), step):
        part = slice(first, first + step)
        times = samples.times[part].tolist()
        fields = [[repr(time) for time in times for _ in names], names * len(times)]
        fields += [_digits(values[part, :, at]) for values in samples.world for at in range(values.shape[2])]
        fields.append(_digits(samples.shown[part].astype(int)))
        for channels in others.values():
            column = [""] * (len(times) * len(names))  # nothing for nodes without the channel
            for node, values in channels.items():
                column[places[node] :: len(names)] = map(repr, values[part].tolist())
            fields.append(column)
        made.append(_encoded(map(",".join, zip(*fields))))
        yield first / len(samples.times)
    return b"".join(made)


def _encoded(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")


def _quoted(text: str) -> str:
    """Return a text as a field, with an apostrophe before what begins like a formula or with an apostrophe itself, so
    that whoever takes one from each has the texts again."""
    text = f"'{text}" if _FORMULA.match(text) else text
    return '"' + text.replace('"', '""') + '"' if _SPECIAL.search(text) else text


def _digits(values: Array) -> list[str]:
    return values.ravel().astype(np.str_).tolist()


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


# Arrays for numpy (.npz): every node's pose at every time, its skeleton, and all other channels.
# `docs/interchange.md` lists the arrays. They load with `allow_pickle=False`, and the same clip gives the same bytes.

KIND = "Animation Curves I/O poses 1"
_LETTER = 4
"""Bytes of a letter in an array."""

_LEVEL = 2
"""Of compression; 1 is stored next to unpacked by some zlibs."""

_NPZ_COPIES = 3
"""Of an array: itself, in the archive, and in its bytes."""

_PARTS = {"positions": 2.0**19, "rotations": 2.0**18}
"""Of a metre, and of a quaternion's 1, that an array tells apart: digits that no sensor means are half of a file."""


class Npz(Interchange[TableOptions]):
    """The functions of the kind."""

    def matches(self, data: bytes | Unread) -> bool:
        """Return whether these bytes begin as an archive of arrays does."""
        return data[:4] == b"PK\3\4" and data[30:38] == b"kind.npy"

    def encoded(self, clips: Sequence[Clip], options: TableOptions, report: Report) -> Steps[bytes]:
        """Return the bytes of a file with one clip."""
        (clip,) = clips
        samples = yield from samples_of(clip, options, report)
        file = BytesIO()
        with ZipFile(file, "w") as archive:
            for name, values in _arrays(clip, samples).items():
                if name in _PARTS:
                    whole = np.rint(np.multiply(values, _PARTS[name], dtype=np.float64))
                    values = (whole / _PARTS[name]).astype(np.float32)
                about, part = ZipInfo(f"{name}.npy"), BytesIO()
                about.create_system = 3  # the same bytes on every day and system
                # neighbours in time are alike: a quick level packs more than a thorough one does in the other order
                np.lib.format.write_array(part, np.array(values, order="F"), allow_pickle=False)
                archive.writestr(about, part.getbuffer(), ZIP_DEFLATED, _LEVEL)
        return file.getvalue()


def _arrays(clip: Clip, samples: Samples) -> dict[str, Array]:
    places = {node.name: at for at, node in enumerate(clip.nodes)}
    rests = [np.asarray(node.rest, np.float64) for node in clip.nodes]
    values = [values for _, _, _, values in samples.channels]
    return {
        "kind": np.array(KIND),
        "name": np.array(clip.name),
        "duration": np.array(clip.duration),
        "rate": np.array(clip.rate),
        "times": samples.times,
        "nodes": _texts(node.name for node in clip.nodes),
        "parents": np.array([places.get(node.parent or "", -1) for node in clip.nodes], np.int32),
        "rests": np.stack(rests),
        "root": np.asarray(clip.root, np.float64),
        "positions": samples.world.locations,
        "rotations": samples.world.rotations,
        "scales": samples.world.scales,
        "shown": samples.shown,
        "channel_nodes": _texts(node for node, _, _, _ in samples.channels),
        "channel_names": _texts(name for _, name, _, _ in samples.channels),
        "channel_components": np.array([component for _, _, component, _ in samples.channels], np.int32),
        "channel_values": np.stack(values, axis=1) if values else np.zeros((len(samples.times), 0)),
        "marker_times": np.array([marker.time for marker in clip.markers], np.float64),
        "marker_texts": _texts(marker.text for marker in clip.markers),
    }


def _texts(texts: Iterable[str]) -> Array:
    """Return texts as an array, one of texts where there are none, too; each takes the room of the longest."""
    found = list(texts)
    reckon(size=_NPZ_COPIES * _LETTER * len(found) * max(map(len, found), default=0))
    return np.array(found, dtype=np.str_)
