"""Document -> Clip: nodes by name, tracks as curves. The way back is in `from_clip`."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from itertools import chain, count, pairwise

import numpy as np

from ..clip import ROTATION, Array, Clip, Marker, Node, NodeKind, Track, TrackKind, ValueKind, quaternion
from ..clip import messages as clip_messages
from ..clip.humanoid import as_body
from ..clip.quaternion import Axes
from ..errors import FormatError, Report, Values
from ..files.steps import AtOnce, Pace, Steps
from . import messages, properties
from .document import Document
from .document import Track as FileTrack
from .layout import Kind, Mode, TrackType
from .options import ImportOptions, ReadOptions
from .playback import Played, has_odd_times, played
from .properties import Role, role_of, space, to_blender
from .read import reread

UNNAMED, NO_NAME = "unnamed", "''"
"""What a node without a name is called in a clip, and in a sentence."""


@AtOnce
def to_clips(
    document: Document, options: ReadOptions, report: Report, kinds: Mapping[str, NodeKind] | None = None
) -> Steps[list[Clip]]:
    """Return the one clip of a file, which names no parents; those of a body are known all the same.

    Args:
        kinds: what nodes are, by name; without it all are what the options say.

    Raises:
        FormatError: in the chosen order of keys their times make no sense, while they do in the one that was found.
    """
    found, document = document, reread(document, options.key_order, options.tangent_order)
    if has_odd_times(document.tracks) and not has_odd_times(found.tracks):
        raise FormatError(messages.KEY_ORDER, field="key_order")
    file_space = space(options.axes, options.forward_axis, options.up_axis, options.left_handed)
    usual = NodeKind[options.node_kind]
    clip = Clip(shown(document.name), document.playing_time, parents_known=False)
    clip.root = file_space.root @ np.diag([options.scale, options.scale, options.scale, 1.0])
    clip.turns = dict(file_space.turns)
    clip.outside = file_space.outside
    names = node_names(document)
    of_node = {name: (kinds or {}).get(name, usual) for name in names.values()}
    rests = {NodeKind.BONE: file_space.armature_turn, NodeKind.OBJECT: np.eye(4)}
    clip.nodes = [
        Node(name, rest=rests[of_node[name]].copy(), original=shown(original), kind=of_node[name])
        for original, name in names.items()
    ]
    axes = {node: file_space.of(kind) for node, kind in of_node.items()}
    in_blender = isinstance(options, ImportOptions)
    clip.tracks = yield from _Tracks(axes, names, report, in_blender=in_blender).of(document)
    _set_by_tracks(clip, hidden=options.apply_visibility)
    clip.markers = _markers(document)
    return [as_body(clip)] if kinds is None else [clip]


def _set_by_tracks(clip: Clip, *, hidden: bool) -> None:
    """Let the engine's fields set an object's own properties, and a bool Active hide it if `hidden`."""
    nodes = {node.name: node for node in clip.nodes}
    for track in clip.tracks:
        node = nodes[track.node]
        if track.kind is TrackKind.CUSTOM and track.property in properties.SETTINGS:
            node.settings = [*node.settings, properties.SETTINGS[track.property]]
        if hidden and (track.property, track.value_kind, track.width) == (properties.ACTIVE, ValueKind.BOOL, 1):
            node.shown_by = (track.node, properties.ACTIVE)


def shown(text: str) -> str:
    """Return a name of the file for people and for Blender: bytes that are not UTF-8 become U+FFFD."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def node_names(document: Document) -> dict[str, str]:
    """Return the clip's node for each of the file's, in order of appearance; unique and never empty."""
    names = {track.node: shown(track.node) for track in document.tracks}
    taken, used = set(names.values()), {""}
    numbers: defaultdict[str, count[int]] = defaultdict(lambda: count(1))
    for original, name in names.items():
        if name in used:
            stem = name or UNNAMED
            numbered = (f"{stem}.{number:03d}" for number in numbers[stem])
            name = next(name for name in numbered if name not in taken and name not in used)
            names[original] = name
        used.add(name)
    return names


def playing_tracks(document: Document) -> dict[int, Role]:
    """Return the roles of tracks of numbers that play, by index: they have keys, and no earlier one drives the same."""
    result: dict[int, Role] = {}
    taken: set[tuple[str, TrackKind, str]] = set()
    for number, track in enumerate(document.tracks):
        if track.key_count and track.type.kind is not Kind.STRING:
            role = role_of(track)
            target = (track.node, role.kind, shown(role.property))
            if target not in taken:
                taken.add(target)
                result[number] = role if role.property.isascii() else role._replace(property=shown(role.property))
    return result


class _Tracks:
    """Makes the tracks of a clip; equal times become one array that tracks share.

    Args:
        in_blender: whether they become keys of Blender, which have fewer digits than a file may have.
    """

    def __init__(self, axes: Mapping[str, Axes], names: dict[str, str], report: Report, *, in_blender: bool) -> None:
        self._axes = axes
        self._names = names
        self._report, self._in_blender = report, in_blender
        self._pool: dict[tuple[str, bytes], Array] = {}
        self._latest = (np.zeros(0), np.zeros(0))

    def of(self, document: Document) -> Steps[list[Track]]:
        """Return all tracks that play, in file order."""
        playing = playing_tracks(document)
        for number, track in enumerate(document.tracks):
            if not track.key_count:
                self._report.warn(messages.ZERO_KEYS, **_place(track))
            elif track.type.kind is Kind.STRING:
                self._report.note(messages.STRINGS, **_place(track))
            elif number not in playing:
                self._report.warn(messages.DOUBLE_TRACK, **_place(track))
        pace = Pace(sum(document.tracks[number].key_count for number in playing), len(playing))
        made: list[Track] = []
        for number, role in playing.items():
            made.append(self._track(document.tracks[number], role))
            if pace.is_due(document.tracks[number].key_count, 1):
                yield pace.share
        return [track for track in made if len(track.times)]

    def _track(self, track: FileTrack, role: Role) -> Track:
        keys = played(track)
        node, handles = self._names[track.node], keys.handles
        place = role.property, role.kind, self._axes[node]
        # float32, but float64 for unscaled wider types
        exact = keys.numbers.dtype == np.float32 or keys.numbers.dtype.itemsize <= 2
        single = exact or role.factor != 1.0
        numbers = keys.numbers if role.factor == 1.0 else keys.numbers * role.factor
        values = to_blender(numbers.astype(np.float32 if single else np.float64, copy=False), *place)
        self._remark(track, keys, role)
        handles = handles and handles._replace(values=to_blender(handles.values * role.factor, *place))
        return Track(
            node,
            role.property,
            self._shared(keys.times),
            np.ascontiguousarray(values),
            keys.interpolation,
            width=len(values),
            handles=handles,
            value_kind=role.value_kind,
            kind=role.kind,
            inserted=keys.inserted,
        )

    def _shared(self, times: Array) -> Array:
        if times is not self._latest[0]:  # as the reader shares them
            whole = np.ascontiguousarray(times)
            self._latest = times, self._pool.setdefault((whole.dtype.str, whole.tobytes()), whole)
        return self._latest[1]

    def _remark(self, track: FileTrack, keys: Played, role: Role) -> None:
        if keys.dropped:
            self._report.warn(clip_messages.KEYS_NOT_FINITE, count=keys.dropped, **_place(track))
        if keys.sorted:
            self._report.warn(clip_messages.KEYS_SORTED)
        if track.track_type is TrackType.RAW and len(keys.times) + keys.dropped < track.key_count:
            self._report.warn(messages.NO_INTERVAL, interval=float(track.interval), **_place(track))
        lost = _lost_in_single(keys.numbers) if self._in_blender else 0
        if lost:
            self._report.warn(messages.SINGLE_PRECISION, values=lost, **_place(track))
        if role.property == ROTATION and role.kind is TrackKind.TRANSFORM:
            moving = track.modes[keys.source[:-1]] != Mode.HOLD
            quaternions = keys.numbers.astype(np.float64)
            turns = int((moving & (quaternion.dot(quaternions[:, 1:], quaternions[:, :-1]) < 0)).sum())
            if turns:  # where neighbours have opposite signs
                self._report.warn(messages.LONG_TURNS, count=turns, node=shown(track.node))


def _place(track: FileTrack) -> Values:
    return {"node": shown(track.node) or NO_NAME, "property": shown(track.property) or NO_NAME}


def _lost_in_single(numbers: Array) -> int:
    """Return how many of (components, n) numbers do not fit float32, which Blender's keys are."""
    if numbers.dtype == np.float32 or numbers.dtype.itemsize <= 2:
        return 0
    with np.errstate(over="ignore"):
        single = numbers.astype(np.float32)
    if numbers.dtype.kind == "f":
        return int((single.astype(np.float64) != numbers).sum())
    # as Python's numbers, because no numpy type holds both floats and 64-bit integers
    return sum(int(kept) != number for kept, number in zip(single.ravel().tolist(), numbers.ravel().tolist()))


def _markers(document: Document) -> list[Marker]:
    """Return a marker for each key of string tracks at which the text changes and the time is finite."""
    markers = []
    for track in document.tracks:
        if isinstance(track.values, list):
            known = [text or "" for text in track.values]
            changes = [at for at, (before, text) in enumerate(pairwise(chain([""], known))) if text != before]
            times = track.key_times[changes].tolist()
            texts = (shown(known[at]) for at in changes)
            markers += [Marker(time, text) for time, text in zip(times, texts) if math.isfinite(time)]
    return markers
