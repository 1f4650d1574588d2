"""glTF 2.0 binary (.glb): the nodes of clips, and an animation for each.

The world is in glTF's axes (right-handed, Y up, metres), and nodes have those of their own that Blender's exporter
gives them: bones keep theirs, so that the slots of a model that came as glTF get the model's own numbers back; objects
are turned with the world. There is no mesh, and so no skin: a skin says which vertices follow which joints.
Source: the glTF 2.0 specification, sections 3.5 (nodes), 3.6 (buffers), 3.11 (animations) and 4 (GLB).
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..clip import LOCATION, ROTATION, SCALE, Array, Clip, Node, NodeKind, Track, TrackKind
from ..clip.axes import from_names
from ..clip.edit import trim_track
from ..clip.pose import decompose, product
from ..clip.rest_pose import driven, rebase
from ..clip.transforms import by_property
from ..errors import Report
from ..files.steps import Pace, Steps
from ..files.whole_file import Unread
from ..format import Facts
from . import GlbFacts, messages
from .kind import Interchange
from .options import InterchangeOptions
from .samplers import Sampler, block_of, lasting, sampler_of

GENERATOR = "Animation Curves I/O"
_MAGIC = b"glTF"
_FLOAT = 5126
_TO_BLENDER = np.eye(4)
_TO_BLENDER[:3, :3] = from_names("-Z", "Y").matrix
_FROM_BLENDER = _TO_BLENDER.T
"""From Blender's axes to glTF's, as Blender's own exporter has them: (x, y, z) becomes (x, z, -y)."""

_PATHS = {LOCATION: "translation", ROTATION: "rotation", SCALE: "scale"}
_KINDS = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}
_XYZW = [1, 2, 3, 0]
"""Where glTF's components of a quaternion are among ours."""

_MOST_NAMES = 5


class Glb(GlbFacts, Interchange[InterchangeOptions]):
    """The functions of the kind."""

    def matches(self, data: bytes | Unread) -> bool:
        """Return whether these bytes begin as a GLB does."""
        return data[:4] == _MAGIC

    def bytes_in_steps(self, clips: Sequence[Clip], options: InterchangeOptions, report: Report) -> Steps[bytes]:
        """Return the bytes of a file with an animation for each clip."""
        document = _Document(report)
        pace = Pace(sum(clip.key_count for clip in clips), sum(len(clip.tracks) for clip in clips))
        for clip in clips:
            yield from document.add(clip, pace)
        document.tell()
        return document.written()


@dataclass
class _Document:
    """The parts of a glTF file, as they are found."""

    report: Report
    nodes: list[Facts] = field(default_factory=list)
    roots: list[int] = field(default_factory=list)
    animations: list[Facts] = field(default_factory=list)
    extras: list[Facts] = field(default_factory=list)
    accessors: list[Facts] = field(default_factory=list)
    data: bytearray = field(default_factory=bytearray)
    error: float = 0.0
    unplayed: list[str] = field(default_factory=list)
    markers: int = 0
    _known: dict[bytes, int] = field(default_factory=dict)
    _trees: list[tuple[Clip, dict[str, int]]] = field(default_factory=list)

    def add(self, clip: Clip, pace: Pace) -> Steps[None]:
        """Add a clip's nodes, unless a clip before had the same, and its animation."""
        places = self._tree(clip)
        samplers: list[Facts] = []
        channels: list[Facts] = []
        for tracks in by_property(_local(_in_motion(clip))):
            block, error = block_of(tracks)
            self.error = max(self.error, error)
            channels.append(
                {"sampler": len(samplers), "target": {"node": places[block.node], "path": _PATHS[block.property]}}
            )
            samplers.append(self._sampler(sampler_of(block), block.property))
            if pace.is_due(block.key_count, 1):
                yield pace.share
        if channels:
            self.animations.append({"name": clip.name, "channels": channels, "samplers": samplers})
        self._remember(clip)

    def _tree(self, clip: Clip) -> dict[str, int]:
        """Return the places of a clip's nodes among all, which are added where no clip before had the same."""
        for known, places in self._trees:
            if _same_nodes(known, clip):
                return places
        root = self._node(clip.skeleton or clip.name, product(product(_FROM_BLENDER, clip.root), _TO_BLENDER))
        self.roots.append(root)
        turned = {node.name for node in clip.nodes if _is_turned(node)}
        places = {node.name: self._node(node.name, _rest(node, turned)) for node in clip.nodes}
        for node in clip.nodes:
            parent = root if node.parent is None else places[node.parent]
            self.nodes[parent].setdefault("children", []).append(places[node.name])
        self._trees.append((clip, places))
        return places

    def _node(self, name: str, matrix: Array) -> int:
        """Add a node and return its place."""
        location, turn, scale, _ = (part[:, 0] if part.ndim > 1 else part for part in decompose(matrix[None]))
        parts = {
            "translation": (location, 0.0),
            "rotation": (turn[_XYZW], np.array([0.0, 0.0, 0.0, 1.0])),
            "scale": (scale, 1.0),
        }
        said = {key: value.tolist() for key, (value, usual) in parts.items() if (value != usual).any()}
        self.nodes.append({"name": name, **said})
        return len(self.nodes) - 1

    def _sampler(self, sampler: Sampler, name: str) -> Facts:
        values = sampler.values[..., _XYZW] if name == ROTATION else sampler.values
        bounds = {"min": [float(sampler.times[0])], "max": [float(sampler.times[-1])]}
        return {
            "input": self._accessor(sampler.times[:, None], bounds),
            "interpolation": sampler.interpolation,
            "output": self._accessor(values.reshape(-1, values.shape[-1]), {}),
        }

    def _accessor(self, rows: Array, bounds: Facts) -> int:
        """Return the place of rows (n, components) of float32, which equal ones share."""
        packed = rows.astype("<f4").tobytes()
        key = bytes([rows.shape[1]]) + hashlib.blake2b(packed).digest()
        if key not in self._known:
            kind = {"componentType": _FLOAT, "count": len(rows), "type": _KINDS[rows.shape[1]], **bounds}
            self.accessors.append({"bufferView": 0, "byteOffset": len(self.data), **kind})
            self.data += packed
            self._known[key] = len(self.accessors) - 1
        return self._known[key]

    # --- What viewers do not play --------------------------------------------------------------------------------

    def _remember(self, clip: Clip) -> None:
        """Keep a clip's duration, rate, markers and other channels beside its animation."""
        others = [track for track in clip.tracks if track.kind is not TrackKind.TRANSFORM]
        self.unplayed += [f"{track.node} {track.property}" for track in others]
        self.markers += len(clip.markers)
        told: Facts = {"name": clip.name, "duration": clip.duration, "rate": clip.rate}
        if others:
            told["channels"] = [_told(row) for track in others for row in track.rows()]
        if clip.markers:
            told["markers"] = [{"time": marker.time, "text": marker.text} for marker in clip.markers]
        self.extras.append(told)

    def tell(self) -> None:
        """Say what viewers do not show, and how far curves are off."""
        if self.unplayed:
            names = ", ".join(self.unplayed[:_MOST_NAMES]) + (" ..." if len(self.unplayed) > _MOST_NAMES else "")
            self.report.warn(messages.CHANNELS_IN_EXTRAS, channels=len(self.unplayed), names=names)
        if self.markers:
            self.report.warn(messages.MARKERS_IN_EXTRAS, markers=self.markers)
        if self.error:
            self.report.note(messages.CURVES_FITTED, percent=100.0 * self.error)

    # --- The file ------------------------------------------------------------------------------------------------

    def written(self) -> bytes:
        """Return the bytes of the file: its header, a chunk of JSON and one of numbers."""
        told: Facts = {
            "asset": {"version": "2.0", "generator": GENERATOR},
            "scene": 0,
            "scenes": [{"nodes": self.roots, "extras": {"animations": self.extras}}],
            "nodes": self.nodes,
        }
        chunks = []
        if self.animations:
            told |= {
                "animations": self.animations,
                "accessors": self.accessors,
                "bufferViews": [{"buffer": 0, "byteLength": len(self.data)}],
                "buffers": [{"byteLength": len(self.data)}],
            }
            chunks.append(_chunk(b"BIN\0", bytes(self.data)))
        text = json.dumps(told, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8", "replace")
        chunks.insert(0, _chunk(b"JSON", text + b" " * (-len(text) % 4)))
        size = 12 + sum(map(len, chunks))
        return b"".join([_MAGIC, struct.pack("<II", 2, size), *chunks])


def _chunk(kind: bytes, data: bytes) -> bytes:
    """Return a chunk of a GLB, whose length is a multiple of 4."""
    return struct.pack("<I", len(data)) + kind + data


def _same_nodes(one: Clip, other: Clip) -> bool:
    """Return whether two clips move the same nodes, which rest alike."""
    alike = [(node.name, node.parent) for node in one.nodes] == [(node.name, node.parent) for node in other.nodes]
    first, second = ([clip.root, *(node.rest for node in clip.nodes)] for clip in (one, other))
    return alike and one.skeleton == other.skeleton and np.array_equal(first, second)


def _local(clip: Clip) -> list[Track]:
    """Return the clip's transforms from 0 to its end, each relative to its node's parent, repeats written out.

    Players take the last key of all for the end; where that comes earlier, the first track is held until the end.
    """
    nodes = [replace(node, rest=np.eye(4) if node.parent else _TO_BLENDER) for node in clip.nodes]
    turns = {node.name: _TO_BLENDER for node in nodes if _is_turned(node)}
    last = max((float(track.times[-1]) for track in clip.tracks), default=0.0)
    end = max(clip.duration, last)
    whole = replace(clip, tracks=[trim_track(track, 0.0, end) for track in clip.tracks])
    known = driven(clip)
    placed = rebase(whole, nodes, clip.root, snap=0.0, turns=turns).tracks
    tracks = [track for track in placed if (track.node, track.property) in known]
    return [lasting(tracks[0], end), *tracks[1:]] if tracks and last < end else tracks


def _in_motion(clip: Clip) -> Clip:
    """Return the clip with its transforms alone; one that lasts but moves nothing says so of its first node."""
    tracks = [track for track in clip.tracks if track.kind is TrackKind.TRANSFORM and len(track.times)]
    if not tracks and clip.duration > 0:
        tracks = [Track.constant(clip.nodes[0].name, LOCATION, (0.0, 0.0, 0.0))]
    return replace(clip, tracks=tracks)


def _is_turned(node: Node) -> bool:
    """Return whether a node's own axes are turned with the world's."""
    return node.kind is NodeKind.OBJECT


def _rest(node: Node, turned: set[str]) -> Array:
    """Return the local matrix (4, 4) of a node at rest; `turned` are the names of those whose axes are."""
    rest = np.asarray(node.rest, np.float64)
    if node.parent is None or node.parent in turned:
        rest = product(_FROM_BLENDER, rest)
    return product(rest, _TO_BLENDER) if node.name in turned else rest


def _told(row: Track) -> Facts:
    """Return the keys of one component of a channel, ready for JSON."""
    finite = np.isfinite(row.values[0]) & np.isfinite(row.times)
    return {
        "node": row.node,
        "property": row.property,
        "component": row.component,
        "times": row.times[finite].tolist(),
        "values": row.values[0][finite].tolist(),
    }
