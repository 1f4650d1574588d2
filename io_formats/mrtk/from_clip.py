"""Clip -> Document: a new recording, or the one it came from with what was changed in Blender."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from .. import clip
from ..clip import LOCATION, ROTATION, Clip, Source, Track
from ..clip.curve import positions
from ..clip.measure import absent
from ..errors import FormatError, Report, Values
from ..format import A_NEW_FILE, Destination
from . import joints, layout, messages, unity_keys
from .document import Curve, Document, Hand, Marker, Pose, Ray
from .edited_keys import (
    END_SLACK,
    THRESHOLD,
    Original,
    Straightener,
    constant_curves,
    constant_switch,
    empty_curves,
    hold_until,
    keys_within,
    merged,
    motion_curves,
    originals,
    switch_curve,
    without_steps,
)
from .joints import Channel, channels
from .onto_joints import Placed, onto_joints
from .options import ReadOptions, WriteOptions
from .to_clip import repair

_VERSIONS = {"1.0": (1, 0), "1.1": (1, 1)}
_MILLIMETRES = 1000.0


@np.errstate(invalid="ignore", over="ignore")
def from_clip(
    clip: Clip, options: WriteOptions, report: Report, to: Destination[Document, ReadOptions] = A_NEW_FILE
) -> Document:
    """Return the recording that plays what the clip plays.

    Args:
        clip: captured from Blender, or another format's; nodes are found by MRTK's joint names.
        to: what nobody touched keeps the numbers of its `source`.

    Raises:
        FormatError: no node has the name of a joint, or the version cannot hold the gaze.
    """
    placed = onto_joints(clip, options, to.source, report)
    document = _Export(placed, options, report, to.source).document()
    left_out = () if layout.has_flags(document.version) else (joints.GAZE, joints.GAZE_DIRECTION)
    there = {name: node for name, node in placed.written.names.items() if name not in left_out}
    to.tell(replace(placed.written, names=there, absent=absent(clip.nodes, there.values())))
    return document


@dataclass
class _Known:
    """The source's channels: curves as in the file, curves with W rebuilt where the import did so, its tracks.

    `end`: seconds of the last key that was played.
    """

    curves: dict[Channel, list[Curve]]
    played: dict[Channel, list[Curve]]
    tracks: dict[Channel, list[Track]]
    end: float = 0.0


def _known(source: Source[Document, ReadOptions] | None) -> _Known:
    if source is None:
        return _Known({}, {}, {})
    tracks: dict[tuple[str, str], list[Track]] = {}
    for track in source.clip.tracks:
        tracks.setdefault((track.node, track.property), []).append(track)
    curves = dict(channels(source.document))
    rebuilt = dict(channels(repair(source.document)[0]))
    own = {channel: tracks.get((channel.node, channel.property), []) for channel in curves}
    played = {
        channel: rebuilt[channel] if _was_rebuilt(rebuilt[channel], own[channel]) else curves[channel]
        for channel in curves
    }
    return _Known(curves, played, own, _last_time(source.clip.tracks))


def _last_time(tracks: list[Track]) -> float:
    """Return seconds of the last key of all."""
    return max((float(track.times[-1]) for track in tracks if len(track.times)), default=0.0)


def _was_rebuilt(rebuilt: list[Curve], tracks: list[Track]) -> bool:
    """Return whether the import's track of W has the rebuilt keys; a hand skeleton's tracks cannot tell."""
    return len(rebuilt) == 4 and any(
        track.component == 0 and len(track.times) == len(rebuilt[3].keys) for track in tracks
    )


class _Export:
    """Puts one document together."""

    def __init__(
        self, placed: Placed, options: WriteOptions, report: Report, source: Source[Document, ReadOptions] | None
    ) -> None:
        self._placed = placed
        self._options = options
        self._report = report
        self._source = source.document if source is not None else None
        self._source_clip = source.clip if source is not None else None
        self._known = _known(source)
        if self._lasts_longer():
            self._placed = placed.ended()
        self._version = self._chosen_version()
        literal = options.literal_layout
        self._literal_keys = literal and layout.is_short(self._version)
        self._full = self._literal_keys or not layout.is_short(self._version)
        turn = math.radians(options.rotation_tolerance)
        self._straightener = Straightener(options.location_tolerance, turn, placed.clip.rate)

    def _chosen_version(self) -> tuple[int, int]:
        if self._options.version in _VERSIONS:
            return _VERSIONS[self._options.version]
        return self._source_version()

    def document(self) -> Document:
        """Return the whole recording."""
        flagged = layout.has_flags(self._version)
        camera = self._section_camera()
        left, right = self._section_hands()
        gaze = self._section_gaze()
        if not flagged:
            left, right = left or self._empty_hand(), right or self._empty_hand()
        document = Document(
            self._version,
            self._flags(camera is not None, left is not None, gaze is not None) if flagged else None,
            camera,
            left,
            right,
            gaze,
            self._markers(),
            self._literal_keys,
            self._source.trailing if self._source is not None else b"",
        )
        if self._lasts_longer():
            hold_until(document, self._placed.clip.duration)
        self._tell()
        return document

    def _lasts_longer(self) -> bool:
        """Return whether the clip has an end of its own, not that of the source's last key."""
        clip, source = self._placed.clip, self._source_clip
        return source is None or clip.duration > source.duration * clip.retiming[0] + END_SLACK

    def _flags(self, *present: bool) -> tuple[int, int, int]:
        """Return the three flag bytes, the source's own where they say the same."""
        raw = (self._source.flags if self._source is not None else None) or (0, 0, 0)
        camera, hands, gaze = (old if bool(old) == here else int(here) for old, here in zip(raw, present, strict=True))
        return camera, hands, gaze

    def _tell(self) -> None:
        made = self._straightener
        if made.used:
            error: Values = {
                "millimetres": made.location_error * _MILLIMETRES,
                "degrees": math.degrees(made.rotation_error),
            }
            self._report.note(messages.STRAIGHTENED, **error)
            if made.fast:
                self._report.warn(messages.TOO_FAST, names=", ".join(made.fast), **error)
        if self._source is not None and self._source.literal_keys and not self._options.literal_layout:
            self._report.warn(messages.REAL_LAYOUT)

    # --- Sections -----------------------------------------------------------------------------------------------

    def _section_camera(self) -> Pose | None:
        old = self._source.camera if self._source is not None else None
        pose = self._pose(joints.CAMERA) if old is not None or self._placed.has_camera else self._empty_pose()
        if layout.has_flags(self._version):
            kept = pose.has_keys or (old is not None and not old.has_keys)
            return pose if kept else None
        as_it_was = old is not None and not old.has_keys and not layout.has_flags(self._source_version())
        return pose if pose.has_keys or as_it_was else self._standing_camera()

    def _source_version(self) -> tuple[int, int]:
        return self._source.version if self._source is not None else layout.NEWEST_VERSION

    def _standing_camera(self) -> Pose:
        """Return one upright pose at the origin; players of version 1.0 would take quaternions of zeros."""
        self._report.warn(messages.CAMERA_STANDS)
        start, full = self._placed.start, self._full
        location, rotation = Channel(joints.CAMERA, LOCATION), Channel(joints.CAMERA, ROTATION)
        return Pose(
            constant_curves(location, np.zeros(3), start, full=full),
            constant_curves(rotation, np.array([1.0, 0.0, 0.0, 0.0]), start, full=full),
        )

    def _section_hands(self) -> tuple[Hand | None, Hand | None]:
        wanted = self._source is not None and self._source.left is not None
        if not wanted and not any(self._placed.side_moves(side) for side in joints.SIDES):
            return None, None
        left, right = (self._hand(side) for side in joints.SIDES)
        return left, right

    def _section_gaze(self) -> Ray | None:
        old = self._source.gaze if self._source is not None else None
        wanted = self._placed.moves(joints.GAZE) or self._placed.moves(joints.GAZE_DIRECTION)
        if old is None and not wanted:
            return None
        if not layout.has_flags(self._version):
            self._leave_gaze_out(wanted)
            return None
        origin = self._curves(Channel(joints.GAZE, LOCATION))
        ray = Ray(origin, self._curves(Channel(joints.GAZE_DIRECTION, LOCATION)))
        lost = old is not None and old.has_keys and not ray.has_keys
        return None if lost else ray

    def _leave_gaze_out(self, wanted: bool) -> None:
        if wanted and not self._options.drop_gaze:
            raise FormatError(messages.GAZE_NEEDS_1_1, field="gaze")
        if wanted:
            self._report.warn(messages.GAZE_DROPPED)

    def _empty_pose(self) -> Pose:
        location, turn = Channel("", LOCATION), Channel("", ROTATION)
        return Pose(empty_curves(location, full=self._full), empty_curves(turn, full=self._full))

    def _empty_hand(self) -> Hand:
        off = [constant_switch(False, self._placed.start) for _ in range(2)]
        return Hand(off[0], off[1], [self._empty_pose() for _ in layout.JOINTS])

    def _hand(self, side: str) -> Hand:
        old = None if self._source is None else {"L": self._source.left, "R": self._source.right}[side]
        poses = [self._pose(f"{joint}.{side}") for joint in layout.JOINTS[1:]]
        seen = any(pose.has_keys for pose in poses)
        poses.insert(0, self._none_joint(old, seen))
        made = seen and not (old is not None and any(pose.has_keys for pose in old.joints[1:]))
        tracked = self._switch(Channel(f"Wrist.{side}", joints.TRACKED, True), seen)
        if made and not len(tracked.keys):
            tracked = constant_switch(True, self._placed.start)
        if made and not (tracked.keys["value"] > THRESHOLD).any():
            self._report.warn(messages.NEVER_TRACKED, wrist=f"Wrist.{side}")
        return Hand(tracked, self._switch(Channel(f"Wrist.{side}", joints.PINCHING, True), False), poses)

    def _none_joint(self, old: Hand | None, seen: bool) -> Pose:
        """Return the source's pose of slot None, which is never drawn; an empty one if the hand was deleted."""
        deleted = old is not None and not seen and any(pose.has_keys for pose in old.joints[1:])
        return self._empty_pose() if old is None or deleted else self._copied_pose(self._in_range(old.joints[0]))

    def _in_range(self, pose: Pose) -> Pose:
        """Return a pose without tracks, moved and cut as all others were: a recording lasts until its very last key."""
        clip = self._placed.clip
        end = _last_time(clip.tracks)
        if clip.retimed is None and (end >= self._known.end or not self._is_shortened()):
            return pose
        factor, shift = clip.retiming
        kept = [keys_within(part.keys, factor, shift, self._placed.start, end) for part in pose.curves]
        parts = [replace(part, keys=keys) for part, keys in zip(pose.curves, kept, strict=True)]
        return Pose(parts[:3], parts[3:])

    def _is_shortened(self) -> bool:
        """Return whether keys of the source are gone, or more than half have another time, as after retiming."""
        tracks = self._placed.clip.tracks
        matches = [track.match for track in tracks if track.match is not None]
        written = sum(track.size for own in self._known.tracks.values() for track in own)
        same = sum(int(match.same_time.sum()) for match in matches)
        found = sum(int((match.keys >= 0).sum()) for match in matches)
        return found < written or 2 * same < sum(len(track.times) for track in tracks)

    def _copied_pose(self, pose: Pose) -> Pose:
        position = [self._copied(part, LOCATION) for part in pose.position]
        return Pose(position, [self._copied(part, ROTATION) for part in pose.rotation])

    def _copied(self, original: Curve, property_name: str) -> Curve:
        same = unity_keys.with_layout(original, self._full)
        return same if same is not None else self._straightener.curve(original, property_name)

    # --- Channels -----------------------------------------------------------------------------------------------

    def _pose(self, name: str) -> Pose:
        return Pose(self._curves(Channel(name, LOCATION)), self._curves(Channel(name, ROTATION)))

    def _curves(self, channel: Channel) -> list[Curve]:
        """Return the curves of a location, rotation or direction, in file order."""
        if channel.node in self._placed.untouched and channel in self._known.curves:
            return [self._copied(part, channel.property) for part in self._chosen_originals(channel)]
        rows = self._placed.rows(channel)
        empty = all(row is None for row in rows)
        if channel in self._known.curves:
            never_played = not self._known.tracks[channel] and not self._is_made(channel.node)
            if (empty and never_played) or any(row is not None and row.match is not None for row in rows):
                return self._merged_curves(channel, rows)
        if empty:
            return self._resting_curves(channel)
        return motion_curves(channel, rows, self._straightener, self._placed.clip, full=self._full)

    def _is_made(self, node: str) -> bool:
        """Return whether a person moves a joint of which the source has no data."""
        poses = (Channel(node, LOCATION), Channel(node, ROTATION))
        recorded = any(self._known.tracks.get(channel) for channel in poses)
        return self._placed.moves(node) and not recorded

    def _chosen_originals(self, channel: Channel) -> list[Curve]:
        chosen = self._known.played if self._options.write_repaired_w else self._known.curves
        return chosen[channel]

    def _resting_curves(self, channel: Channel) -> list[Curve]:
        """Return curves of a property without keys: one key each if the joint has data, else none."""
        still = self._placed.still_pose(channel)
        if still is None:
            return empty_curves(channel, full=self._full)
        return constant_curves(channel, still, self._placed.start, full=self._full)

    def _merged_curves(self, channel: Channel, rows: list[Track | None]) -> list[Curve]:
        """Return curves component by component: copied where untouched, key by key where not."""
        result = [Curve(empty_curves(channel, full=self._full)[0].keys) for _ in channel.order]
        known = originals(channel, self._known.played[channel], self._known.tracks[channel])
        for row, index, original in zip(rows, channel.order, known, strict=True):
            if row is None:
                if original.track is None:
                    result[index] = self._copied(self._known.curves[channel][index], channel.property)
            elif row.match is not None and row.match.unchanged:
                result[index] = self._copied(self._chosen_originals(channel)[index], channel.property)
            else:
                result[index] = self._merged(row, original, channel)
        return result

    def _merged(self, row: Track, original: Original, channel: Channel) -> Curve:
        if not self._full:
            straight = without_steps(self._straightener.track(row, channel.property))
            if row.match is not None and straight is not row:
                at = positions(straight.times, row.times)
                straight = replace(straight, match=row.match.spread(at, len(straight.times)))
            row = straight
        return Curve(merged(row, original, full=self._full), *original.wraps(row))

    def _switch(self, channel: Channel, otherwise: bool) -> Curve:
        (row,) = self._placed.rows(channel)
        known = self._known.curves.get(channel)
        if known is not None and row is None and not self._known.tracks[channel]:
            return known[0]
        if row is None:
            return constant_switch(otherwise, self._placed.start)
        if known is None or row.match is None:
            return switch_curve(row, self._placed.start)
        if row.match.unchanged:
            return known[0]
        (original,) = originals(channel, known, self._known.tracks[channel])
        stepped = replace(row, values=(row.values > 0.5).astype(np.float32))
        return Curve(merged(stepped, original, full=False), *original.wraps(row))

    # --- Markers ------------------------------------------------------------------------------------------------

    def _markers(self) -> list[Marker] | None:
        found = self._placed.clip.markers
        if self._options.literal_layout:
            if found:
                self._report.warn(messages.MARKERS_DROPPED, count=len(found))
            return None
        old = (self._source.markers if self._source is not None else None) or []
        return merged_markers(found, old, self._placed.clip.rate)


# Markers of a recording and the pose markers that Blender makes of them, on whole frames and with short names.

_CUT_NAME = 60
_SLOWEST_RATE = 24.0


def merged_markers(found: list[clip.Marker], old: list[Marker], rate: float) -> list[Marker]:
    """Return the markers to write, in order of time; those that the source has, too, keep their own numbers.

    Args:
        found: Blender's markers; texts may be cut to 63 bytes, times, in seconds, rounded to frames.
        old: the source's markers.
        rate: frames per second of the scene, 0 where it is not known.
    """
    slack = 0.5 / (rate if rate > 0 else _SLOWEST_RATE) + 1e-6
    left = list(old)
    result: list[Marker] = []
    for marker in found:
        known = next((one for one in left if _means(one, marker, slack)), None)
        if known is None:
            result.append(Marker(np.float32(marker.time), marker.text.encode("utf-8", "replace")))
        else:
            left.remove(known)
            result.append(known)
    hidden = [marker for marker in left if not np.isfinite(marker.time)]
    if set(map(id, result)) <= set(map(id, old)):
        kept = set(map(id, result + hidden))
        return [marker for marker in old if id(marker) in kept]
    return sorted(result, key=lambda marker: float(marker.time)) + hidden


def _means(known: Marker, marker: clip.Marker, slack: float) -> bool:
    text = known.text.decode("utf-8", "replace")
    cut = len(marker.text.encode("utf-8", "replace")) >= _CUT_NAME and text.startswith(marker.text)
    return abs(float(known.time) - marker.time) <= slack and (text == marker.text or cut)
