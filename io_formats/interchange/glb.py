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
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..clip import BEZIER, CONSTANT, LINEAR, LOCATION, RESTING, ROTATION, SCALE, NodeKind, Track, TrackKind, by_property
from ..clip.curve import subdivide
from ..clip.edit import trim_track
from ..clip.fit import refit_thirds, unite
from ..clip.pose import decompose, product
from ..clip.quaternion import from_names
from ..clip.resample import unit_rotations, with_unit_keys
from ..clip.rest_pose import rebase
from ..errors import Report, first_names
from ..files.memory import reckon
from ..files.steps import Pace, Steps
from ..files.whole_file import Unread
from ..format import Facts
from . import InterchangeOptions, messages
from .kind import Interchange, narrow

if TYPE_CHECKING:
    from ..clip import Array, Clip

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


class Glb(Interchange[InterchangeOptions]):
    """The functions of the kind."""

    def matches(self, data: bytes | Unread) -> bool:
        """Return whether these bytes begin as a GLB does."""
        return data[:4] == _MAGIC

    def encoded(self, clips: Sequence[Clip], options: InterchangeOptions, report: Report) -> Steps[bytes]:
        """Return the bytes of a file with an animation for each clip."""
        document = _Document(report)
        reckon(seconds=_TRACK_SECONDS * sum(1 + len(clip.tracks) for clip in clips))
        tracks = [track for clip in clips for track in clip.tracks]
        pace = Pace(sum(track.size for track in tracks), len(tracks))
        for clip in clips:
            yield from document.add(clip, pace)
        return document.written()


@dataclass
class _Document:
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
    _trees: list[tuple[object, list[Array], dict[str, int]]] = field(default_factory=list)

    def add(self, clip: Clip, pace: Pace) -> Steps[None]:
        """Add a clip's nodes, unless a clip before had the same, and its animation."""
        places = self._tree(clip)
        samplers: list[Facts] = []
        channels: list[Facts] = []
        for tracks in by_property(_local(clip)).values():
            block, error = block_of(tracks)
            self.error = max(self.error, error)
            target = {"node": places[block.node], "path": _PATHS[block.property]}
            channels.append({"sampler": len(samplers), "target": target})
            sampler = sampler_of(block)
            values = sampler.values[..., _XYZW] if block.property == ROTATION else sampler.values
            bounds = {"min": [float(sampler.times[0])], "max": [float(sampler.times[-1])]}
            times = self._accessor(sampler.times[:, None], bounds)
            output = self._accessor(values.reshape(-1, values.shape[-1]), {})
            samplers.append({"input": times, "interpolation": sampler.interpolation, "output": output})
            if pace.is_due(block.size, 1):
                yield pace.share
        if channels:
            self.animations.append({"name": clip.name, "channels": channels, "samplers": samplers})
        # what viewers do not play
        others = [track for track in clip.tracks if track.kind is not TrackKind.TRANSFORM]
        self.unplayed += [f"{track.node} {track.property}" for track in others]
        self.markers += len(clip.markers)
        told: Facts = {"name": clip.name, "duration": clip.duration, "rate": clip.rate}
        if others:
            reckon(size=_EXTRA * sum(track.size for track in others))
            told["channels"] = []
            for row in (row for track in others for row in track.rows()):
                about = {"node": row.node, "property": row.property, "component": row.component}
                told["channels"].append({**about, "times": row.times.tolist(), "values": row.values[0].tolist()})
        if clip.markers:
            told["markers"] = [{"time": marker.time, "text": marker.text} for marker in clip.markers]
        self.extras.append(told)

    def _tree(self, clip: Clip) -> dict[str, int]:
        """Return the places of a clip's nodes among all, which are added where no clip before had the same."""
        tree = (clip.skeleton, [(node.name, node.parent) for node in clip.nodes])
        rests = [clip.root, *(node.rest for node in clip.nodes)]
        for known, known_rests, places in self._trees:
            if tree == known and np.array_equal(rests, known_rests):
                return places
        root = self._node(clip.skeleton or clip.name, product(product(_FROM_BLENDER, clip.root), _TO_BLENDER))
        self.roots.append(root)
        turned = {node.name for node in clip.nodes if node.kind is NodeKind.OBJECT}
        places = {}
        for node in clip.nodes:
            rest = np.asarray(node.rest, np.float64)
            if node.parent is None:
                rest = product(_FROM_BLENDER, rest)
            places[node.name] = self._node(node.name, product(rest, _TO_BLENDER) if node.name in turned else rest)
        for node in clip.nodes:
            parent = root if node.parent is None else places[node.parent]
            self.nodes[parent].setdefault("children", []).append(places[node.name])
        self._trees.append((tree, rests, places))
        return places

    def _node(self, name: str, matrix: Array) -> int:
        location, turn, scale, _ = (part[:, 0] if part.ndim > 1 else part for part in decompose(matrix[None]))
        parts = {"translation": (location, 0.0), "rotation": (turn[_XYZW], np.eye(4)[3]), "scale": (scale, 1.0)}
        said = {key: value.tolist() for key, (value, usual) in parts.items() if (value != usual).any()}
        self.nodes.append({"name": name, **said})
        return len(self.nodes) - 1

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

    def written(self) -> bytes:
        """Return the bytes of the file: its header, a chunk of JSON and one of numbers; say what viewers do not show,
        and how far curves are off."""
        if self.unplayed:
            names = first_names(self.unplayed)
            self.report.warn(messages.CHANNELS_IN_EXTRAS, channels=len(self.unplayed), names=names)
        if self.markers:
            self.report.warn(messages.MARKERS_IN_EXTRAS, markers=self.markers)
        if self.error:
            self.report.note(messages.CURVES_FITTED, percent=100.0 * self.error)
        scene = {"nodes": self.roots, "extras": {"animations": self.extras}}
        told: Facts = {"asset": {"version": "2.0", "generator": GENERATOR}, "scene": 0, "scenes": [scene]}
        told["nodes"] = self.nodes
        if self.animations:
            size = {"byteLength": len(self.data)}
            told |= {"animations": self.animations, "accessors": self.accessors}
            told |= {"bufferViews": [{"buffer": 0, **size}], "buffers": [size]}
        text = json.dumps(told, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8", "replace")
        text += b" " * (-len(text) % 4)
        chunks = [struct.pack("<I", len(text)), b"JSON", text]
        if self.animations:
            chunks += [struct.pack("<I", len(self.data)), b"BIN\0", bytes(self.data)]
        return b"".join([_MAGIC, struct.pack("<II", 2, 12 + sum(map(len, chunks))), *chunks])


def _local(clip: Clip) -> list[Track]:
    """Return the clip's transforms from 0 to its end, each relative to its node's parent, repeats written out; one is
    held until the end, as players take the last key of all for that."""
    moving = [track for track in clip.tracks if track.kind is TrackKind.TRANSFORM and len(track.times)]
    if not moving and clip.duration > 0:  # one that lasts but moves nothing says so of its first node
        moving = [Track.constant(clip.nodes[0].name, LOCATION, (0.0, 0.0, 0.0))]
    nodes = [replace(node, rest=np.eye(4) if node.parent else _TO_BLENDER) for node in clip.nodes]
    turns = {node.name: _TO_BLENDER for node in nodes if node.kind is NodeKind.OBJECT}
    end = clip.duration or max((float(track.times[-1]) for track in moving), default=0.0)
    whole = replace(clip, tracks=[trim_track(track, 0.0, end) for track in moving])
    known = whole.driven
    placed = rebase(whole, nodes, clip.root, snap=0.0, turns=turns).tracks
    tracks = [track for track in placed if (track.node, track.property) in known]
    if max((track.times[-1] for track in tracks), default=end) < end:  # by what is left of them
        first = tracks[0]
        longer = first.take(np.append(np.arange(len(first.times)), len(first.times) - 1))
        shapes = np.append(first.interpolation[:-1], [CONSTANT, CONSTANT])
        tracks[0] = replace(longer, times=np.append(first.times.astype(np.float64), end), interpolation=shapes)
    return tracks


# Tracks as glTF plays them: strictly ascending float32 times, and one of three interpolations for all of a sampler.
# STEP and LINEAR are what they are here; LINEAR rotations follow the great arc there, a normalised straight line here,
# so that they get keys in between where these differ. Where anything bends, all is CUBICSPLINE: a Hermite curve with a
# tangent a second at each side of each key, which is a Bezier curve with handles at thirds.
#     p(t) = (2t^3 - 3t^2 + 1) v0 + d (t^3 - 2t^2 + t) out0 + (-2t^3 + 3t^2) v1 + d (t^3 - t^2) in1    (d seconds)

STEP, STRAIGHT, CUBIC = "STEP", "LINEAR", "CUBICSPLINE"

_TOLERANCE = 1e-5
"""How far fitted curves may be off: radians, and as a part of the range of other values."""

_TURNED = 1e-4
"""Radians that a player may be off where it turns along great arcs: less than a person sees, in few keys."""

_EXTRA = 176
"""Bytes of a key that viewers do not play, as numbers and as text of the JSON."""
_TRACK_SECONDS = 1.5e-3
"""The processor's time for a clip, and for a track of it, however short."""

_EDGE = 1e-3
"""Seconds that a jump takes beside straight lines: of keys within a hundredth of a frame Blender sees one."""


class Sampler(NamedTuple):
    """One curve of a glTF animation, which is STEP, LINEAR or CUBICSPLINE.

    Attributes:
        times: (n,) float32 seconds, strictly ascending, from 0 on.
        values: (n, components) float32, for CUBICSPLINE (n, 3, components): tangent to it, value, tangent from it.
    """

    times: Array
    values: Array
    interpolation: str


def block_of(tracks: Sequence[Track]) -> tuple[Track, float]:
    """Return one block of all components of a property of a node, those without tracks at rest, and how far its curves
    were fitted off, as a share of their range. All tracks have keys, and are held outside them."""
    first = tracks[0]
    rows = {row.component: row for track in tracks for row in track.rows()}
    resting = RESTING[first.property]
    start, width = float(first.times[0]), first.width
    whole = [
        rows.get(at) or Track.constant(first.node, first.property, (rest,), start, component=at, width=width)
        for at, rest in enumerate(resting)
    ]
    ranges = [float(np.ptp(track.values.astype(np.float64), axis=1).max(initial=0.0)) for track in tracks]
    reach = 1.0 if first.property == ROTATION else max(ranges) or 1.0
    tolerance = _TOLERANCE * reach
    block, error, _ = refit_thirds(unite(whole, tolerance), tolerance)
    return replace(block, component=0, width=len(resting), match=None, inserted=None), error / reach


def sampler_of(block: Track) -> Sampler:
    """Return the sampler of a block of all components; see `block_of`."""
    if block.property == ROTATION:
        (block,) = unit_rotations([block], _TURNED, arcs=True, least=_EDGE)
    if set(block.interpolation[:-1].tolist()) == {int(CONSTANT)}:
        stepped = _ascending(block)
        return Sampler(stepped.times, narrow(stepped.values.T), STEP)
    held = np.flatnonzero(block.interpolation[:-1] == CONSTANT)
    if len(held):  # such a segment is a level line with a second key at its end
        lines = np.where(block.interpolation == CONSTANT, LINEAR, block.interpolation)
        block = replace(
            block,
            times=np.insert(block.times, held + 1, block.times[held + 1]),
            values=np.insert(block.values, held + 1, block.values[:, held], axis=1),
            interpolation=np.insert(lines, held + 1, LINEAR),
            handles=None if block.handles is None else block.handles.opened(held + 1),
        )
    ascending = _ascending(_with_edges(block))
    if block.property == ROTATION:  # an edge lies on the straight line between two turns
        (ascending,) = with_unit_keys([ascending])
    if (ascending.interpolation[:-1] == BEZIER).any():
        return _cubic(ascending)
    return Sampler(ascending.times, narrow(ascending.values.T), STRAIGHT)


def _with_edges(track: Track) -> Track:
    """Return the curve with a key a moment before each jump, from where a line leads to what comes after it; a jump is
    between keys at one time of the file's single precision, as rounds of a repeat meet but for rounding."""
    times = track.times.astype(np.float32).astype(np.float64)
    before = np.append(0.0, times[:-1])
    jumps = np.append(times[1:] == times[:-1], False) & (times > before)
    edges = (times - np.minimum(_EDGE, (times - before) / 2))[jumps]
    if not len(edges):
        return track
    if jumps[0]:  # nothing moves before the first key
        track = replace(track, times=np.append(edges[:1], times[1:]))
    cut = subdivide(track, edges)
    return replace(cut, interpolation=np.where(np.isin(cut.times, edges), LINEAR, cut.interpolation))


def _ascending(track: Track) -> Track:
    """Return the track with strictly ascending float32 times: of several keys at one time the last, which plays."""
    times = track.times.astype(np.float32)
    last = np.append(times[1:] != times[:-1], True)
    return replace(track.take(last), times=times[last])


def _cubic(track: Track) -> Sampler:
    """Return a track of BEZIER segments with handles at thirds, and of LINEAR ones, as Hermite curves."""
    values = track.values.astype(np.float64)
    length = np.diff(track.times.astype(np.float64))
    slope = np.diff(values, axis=1) / length
    leave, arrive = slope.copy(), slope.copy()
    bent = np.flatnonzero(track.interpolation[:-1] == BEZIER)
    if track.handles is not None:
        leave[:, bent] = 3 * track.handles.values[:, bent, 1] / length[bent]
        arrive[:, bent] = -3 * track.handles.values[:, bent + 1, 0] / length[bent]
    none = np.zeros((len(values), 1))
    parts = np.stack((np.append(none, arrive, axis=1), values, np.append(leave, none, axis=1)))
    return Sampler(track.times, narrow(parts.transpose(2, 0, 1)), CUBIC)
