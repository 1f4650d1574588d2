"""Arrays for numpy (.npz): every node's pose at every time, its skeleton, and all other channels.

`docs/interchange.md` lists the arrays. They load with `allow_pickle=False`, and the same clip gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from io import BytesIO
from zipfile import ZipFile, ZipInfo

import numpy as np

from ..clip import Array, Clip
from ..errors import Report
from ..files.memory import reckon
from ..files.steps import Steps
from ..files.whole_file import Unread
from . import NpzFacts
from .kind import Interchange
from .options import TableOptions
from .samples import Samples, samples_of

KIND = "Animation Curves I/O poses 1"
_LETTER = 4
"""Bytes of a letter in an array."""

_COPIES = 3
"""Of an array: itself, in the archive, and in its bytes."""


class Npz(NpzFacts, Interchange[TableOptions]):
    """The functions of the kind."""

    def matches(self, data: bytes | Unread) -> bool:
        """Return whether these bytes begin as an archive of arrays does."""
        return data[:4] == b"PK\3\4" and data[30:38] == b"kind.npy"

    def bytes_in_steps(self, clips: Sequence[Clip], options: TableOptions, report: Report) -> Steps[bytes]:
        """Return the bytes of a file with one clip."""
        (clip,) = clips
        samples = yield from samples_of(clip, options, report)
        file = BytesIO()
        with ZipFile(file, "w") as archive:
            for name, values in _arrays(clip, samples).items():
                _put(archive, name, values)
        return file.getvalue()


def _put(archive: ZipFile, name: str, values: Array) -> None:
    """Add an array as `np.savez` does, but with the same bytes on every day and system."""
    about = ZipInfo(f"{name}.npy")
    about.create_system = 3
    with archive.open(about, "w", force_zip64=True) as part:
        np.lib.format.write_array(part, values, allow_pickle=False)


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
        "local_positions": samples.local.locations,
        "local_rotations": samples.local.rotations,
        "local_scales": samples.local.scales,
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
    reckon(size=_COPIES * _LETTER * len(found) * max(map(len, found), default=0))
    return np.array(found, dtype=np.str_)
