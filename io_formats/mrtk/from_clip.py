"""Clip -> Document: a new recording, or the one it came from with what was changed in Blender."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from .. import clip
from ..clip import LOCATION, ROTATION, Clip, Source, Track, Wrap, by_property
from ..clip.curve import positions
from ..clip.measure import absent
from ..errors import FormatError, Report, first_names
from ..format import A_NEW_FILE, Destination
from . import edited_keys, joints, layout, messages, unity_keys
from .document import Curve, Document, Hand, Marker, Pose, Ray, duration
from .joints import Channel, channels
from .onto_joints import Placed, onto_joints
from .options import ReadOptions, WriteOptions
from .to_clip import repair

_VERSIONS = {"1.0": (1, 0), "1.1": (1, 1)}
_MILLIMETRES = 1000.0
_A_HAND = layout.JOINTS[1:]


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
    asked = _asked(onto_joints(clip, options, to.source, report), options, report, to.source)
    document = _document(asked)
    lacking = repair(document)[1]
    if lacking:
        report.warn(messages.LACKS_W, count=lacking)
    left_out = () if document.version >= layout.FLAGS_SINCE else (joints.GAZE, joints.GAZE_DIRECTION)
    written = asked.placed.written
    lasts = duration(document) if asked.is_trimmed else written.lasts
    there = {name: node for name, node in written.names.items() if name not in left_out}
    to.tell(replace(written, names=there, absent=absent(clip.nodes, there.values()), lasts=lasts))
    return document


# --- What is asked -----------------------------------------------------------------------------------------------


@dataclass
class _Known:
    """The source's channels: curves as in the file, curves with W rebuilt where the import did so, its tracks, and
    the last key of these, in seconds."""

    curves: dict[Channel, list[Curve]]
    played: dict[Channel, list[Curve]]
    tracks: dict[Channel, list[Track]]
    end: float


def _known(document: Document, tracks: list[Track]) -> _Known:
    groups = {(node, name): group for (node, _, name), group in by_property(tracks).items()}
    curves = dict(channels(document))
    own = {channel: groups.get((channel.node, channel.property), []) for channel in curves}
    rebuilt = dict(channels(repair(document)[0]))
    played = dict(curves)
    for channel in curves:
        # where the import's track of W has the rebuilt keys; a hand skeleton's tracks cannot tell
        of_w = {len(track.times) for track in own[channel] if track.component == 0}
        if channel.property == ROTATION and len(rebuilt[channel][3].keys) in of_w:
            played[channel] = rebuilt[channel]
    return _Known(curves, played, own, _last_time(tracks))


def _last_time(tracks: list[Track]) -> float:
    return max((float(track.times[-1]) for track in tracks if len(track.times)), default=0.0)


@dataclass(frozen=True)
class _Asked:
    """A clip on the joints of a recording, how it is to be written, and the recording that it comes from.

    `source` is empty, and `source_clip` None, for a clip that comes from none.
    """

    placed: Placed
    options: WriteOptions
    report: Report
    source: Document
    source_clip: Clip | None
    known: _Known

    @property
    def version(self) -> tuple[int, int]:
        """The version to write: without another wish the source's, the newest without one."""
        return _VERSIONS.get(self.options.version, self.source.version)

    @property
    def has_flags(self) -> bool:
        """Whether sections can be left out."""
        return self.version >= layout.FLAGS_SINCE

    @property
    def is_trimmed(self) -> bool:
        """Whether the last keys that the source has for what is written were deleted, so that it ends with those left.

        The clip itself lasts as long as the Action's own frames, which the import set; what repeats does so until then.
        """
        clip, source = self.placed.clip, self.source_clip
        if source is None or self.has_own_end:
            return False
        there = {track.node for track in clip.tracks}
        known = _last_time([track for track in source.tracks if track.node in there])
        written = _last_time([track for own in self.placed.tracks.values() for track in own])
        return _last_time(clip.tracks) < self._now(known) - edited_keys.END_SLACK and written < clip.duration

    def _now(self, seconds: float) -> float:
        """Return the seconds of what is written for those of the source."""
        return seconds * self.placed.clip.retiming[0] + self.placed.written.later

    @property
    def has_own_end(self) -> bool:
        """Whether the clip has an end of its own, not that of the source's last key."""
        source, end = self.source_clip, self.placed.clip.duration
        return source is None or abs(end - self._now(source.duration)) > edited_keys.END_SLACK


def _asked(
    placed: Placed, options: WriteOptions, report: Report, source: Source[Document, ReadOptions] | None
) -> _Asked:
    document, clip = (Document(), None) if source is None else (source.document, source.clip)
    asked = _Asked(placed, options, report, document, clip, _known(document, [] if clip is None else clip.tracks))
    repeats = clip is not None and any(track.after is not Wrap.HOLD for track in clip.tracks)  # not by a person
    return replace(asked, placed=placed.ended()) if asked.has_own_end or (asked.is_trimmed and not repeats) else asked


# --- Sections ----------------------------------------------------------------------------------------------------


def _document(asked: _Asked) -> Document:
    made, source = _Curves(asked), asked.source
    camera = _camera(asked, made)
    left, right = _hands(asked, made)
    gaze = _gaze(asked, made)
    present = (camera is not None, left is not None, gaze is not None)
    old = zip(source.flags or (0, 0, 0), present, strict=True)
    with_camera, with_hands, with_gaze = (flag if bool(flag) == here else int(here) for flag, here in old)
    document = Document(
        asked.version,
        (with_camera, with_hands, with_gaze) if asked.has_flags else None,
        camera,
        left,
        right,
        gaze,
        merged_markers(asked.placed.clip.markers, source.markers or [], asked.placed.clip.rate),
        trailing=source.trailing,
    )
    if not asked.is_trimmed:
        edited_keys.hold_until(document, asked.placed.clip.duration)
    made.tell()
    if source.literal_keys:
        asked.report.warn(messages.REAL_LAYOUT)
    return document


def _camera(asked: _Asked, made: _Curves) -> Pose | None:
    old, pose = asked.source.camera, made.pose(joints.CAMERA)
    was_empty = old is not None and not old.has_keys
    if asked.has_flags:
        return pose if pose.has_keys or was_empty else None
    if pose.has_keys or (was_empty and asked.source.version < layout.FLAGS_SINCE):
        return pose
    # one upright pose at the origin: players of version 1.0 would take quaternions of zeros
    asked.report.warn(messages.CAMERA_STANDS)
    at_rest = ((LOCATION, np.zeros(3)), (ROTATION, np.array([1.0, 0.0, 0.0, 0.0])))
    parts = ((Channel(joints.CAMERA, name), values) for name, values in at_rest)
    return Pose(*(edited_keys.constant_curves(*part, asked.placed.start, full=True) for part in parts))


def _hands(asked: _Asked, made: _Curves) -> tuple[Hand | None, Hand | None]:
    source = asked.source
    wanted = not asked.has_flags or source.left is not None
    if not wanted and not any(map(asked.placed.side_moves, joints.SIDES)):
        return None, None
    hands = [_hand(asked, made, side) for side in joints.SIDES]
    lacking: list[str] = []
    for side, hand, old in zip(joints.SIDES, hands, (source.left, source.right), strict=True):
        if (hand.tracked.keys["value"] > edited_keys.THRESHOLD).any():  # others are not shown
            known = _without_keys(old)
            lacking += [f"{joint}.{side}" for joint in _without_keys(hand) if joint not in known]
    if lacking:
        asked.report.warn(messages.JOINTS_LACKING, number=len(lacking), names=first_names(lacking))
    left, right = hands
    return left, right


def _without_keys(hand: Hand | None) -> list[str]:
    """Return the joints of a hand that have no keys."""
    return [joint for joint, pose in zip(_A_HAND, [] if hand is None else hand.joints[1:]) if not pose.has_keys]


def _hand(asked: _Asked, made: _Curves, side: str) -> Hand:
    old = {"L": asked.source.left, "R": asked.source.right}[side]
    had_keys = old is not None and any(pose.has_keys for pose in old.joints[1:])
    poses = [made.pose(f"{joint}.{side}") for joint in _A_HAND]
    seen = any(pose.has_keys for pose in poses)
    # slot None, which is never drawn, stays as it was; a hand that was deleted has none
    poses.insert(0, made.empty_pose() if old is None or (had_keys and not seen) else made.in_range(old.joints[0]))
    tracked = made.switch(Channel(f"Wrist.{side}", joints.TRACKED, True), seen)
    if seen and not had_keys and not len(tracked.keys):
        tracked = edited_keys.constant_switch(True, asked.placed.start)
    if seen and not (tracked.keys["value"] > edited_keys.THRESHOLD).any():
        moves = any(len(curve.keys) > 1 for pose in poses for curve in pose.curves)
        if old is not None and had_keys:
            # whether the source shows it at any time of what is written
            factor, shift = asked.placed.clip.retiming
            begin = old.tracked.keys["time"].astype(np.float64) * factor + shift
            end = np.append(begin[1:], np.inf)
            within = (end > asked.placed.start + edited_keys.END_SLACK) & (begin < asked.placed.clip.duration)
            moves = bool((within & (old.tracked.keys["value"] > edited_keys.THRESHOLD)).any())
        if moves:
            asked.report.warn(messages.NEVER_TRACKED, wrist=f"Wrist.{side}")
    return Hand(tracked, made.switch(Channel(f"Wrist.{side}", joints.PINCHING, True), False), poses)


def _gaze(asked: _Asked, made: _Curves) -> Ray | None:
    old = asked.source.gaze
    wanted = bool(asked.placed.moving & {joints.GAZE, joints.GAZE_DIRECTION})
    if not asked.has_flags:
        if wanted and not asked.options.drop_gaze:
            raise FormatError(messages.GAZE_NEEDS_1_1, field="gaze")
        if wanted:
            asked.report.warn(messages.GAZE_DROPPED)
        return None
    if old is None and not wanted:
        return None
    origin = made.curves(Channel(joints.GAZE, LOCATION))
    ray = Ray(origin, made.curves(Channel(joints.GAZE_DIRECTION, LOCATION)))
    return None if old is not None and old.has_keys and not ray.has_keys else ray


# --- Curves ------------------------------------------------------------------------------------------------------


class _Curves:
    """Makes the curves of a recording: copied where untouched, key by key where edited, else anew."""

    def __init__(self, asked: _Asked) -> None:
        self._asked = asked
        self._placed = asked.placed
        self._known = asked.known
        self._full = asked.version < layout.SHORT_SINCE  # with 28-byte keys in poses and rays
        turn = math.radians(asked.options.rotation_tolerance)
        tolerances = {LOCATION: asked.options.location_tolerance, ROTATION: turn}
        self._straightener = edited_keys.Straightener(tolerances, asked.placed.clip.rate)

    def tell(self) -> None:
        """Report how far lines are off the curves that they replace."""
        errors, fast, report = self._straightener.errors, self._straightener.fast, self._asked.report
        millimetres, degrees = errors.get(LOCATION, 0.0) * _MILLIMETRES, math.degrees(errors.get(ROTATION, 0.0))
        if errors:
            report.note(messages.STRAIGHTENED, millimetres=millimetres, degrees=degrees)
        if fast:
            report.warn(messages.TOO_FAST, names=", ".join(fast), millimetres=millimetres, degrees=degrees)

    def empty_pose(self) -> Pose:
        """Return a pose without keys, which MRTK takes for no data."""
        parts = (Channel("", name) for name in (LOCATION, ROTATION))
        return Pose(*(edited_keys.empty_curves(part, full=self._full) for part in parts))

    def pose(self, name: str) -> Pose:
        """Return the pose of a joint or of the camera."""
        return Pose(self.curves(Channel(name, LOCATION)), self.curves(Channel(name, ROTATION)))

    def in_range(self, pose: Pose) -> Pose:
        """Return a pose without tracks, moved and cut as all others were: a recording lasts until its very last key."""
        clip = self._placed.clip
        end, parts = _last_time(clip.tracks), pose.curves
        if clip.retimed is not None or (end < self._known.end and self._is_shortened()):
            factor, shift = clip.retiming
            moved = [replace(part, keys=part.keys.copy()) for part in parts]
            parts = []
            for part in moved:
                times = part.keys["time"]
                times[:] = times.astype(np.float64) * factor + shift
                within = (times >= np.float32(self._placed.start)) & (times <= np.float32(end))
                parts.append(replace(part, keys=part.keys[within]))
        copied = [self._copied(part, name) for part, name in zip(parts, 3 * [LOCATION] + 4 * [ROTATION])]
        return Pose(copied[:3], copied[3:])

    def _is_shortened(self) -> bool:
        """Return whether keys of the source are gone, or more than half have another time, as after retiming."""
        tracks = self._placed.clip.tracks
        matches = [track.match for track in tracks if track.match is not None]
        written = sum(track.size for own in self._known.tracks.values() for track in own)
        same = sum(int(match.same_time.sum()) for match in matches)
        found = sum(int((match.keys >= 0).sum()) for match in matches)
        return found < written or 2 * same < sum(len(track.times) for track in tracks)

    def _copied(self, original: Curve, property_name: str) -> Curve:
        same = unity_keys.with_layout(original, self._full)
        return same if same is not None else self._straightener.curve(original, property_name)

    def curves(self, channel: Channel) -> list[Curve]:
        """Return the curves of a location, rotation or direction, in file order."""
        if channel.node in self._placed.untouched and channel in self._known.curves:
            return [self._copied(part, channel.property) for part in self._originals(channel, edited=False)]
        rows = self._placed.rows(channel)
        empty = all(row is None for row in rows)
        if channel in self._known.curves:
            # unless a person moves a joint of which the source has no data
            poses = (Channel(channel.node, name) for name in (LOCATION, ROTATION))
            made = channel.node in self._placed.moving and not any(map(self._known.tracks.get, poses))
            never_played = not self._known.tracks[channel] and not made
            if (empty and never_played) or any(row is not None and row.match is not None for row in rows):
                return self._merged_curves(channel, rows)
        if not empty:
            return edited_keys.motion_curves(channel, rows, self._straightener, self._placed.clip, full=self._full)
        # one key each if the joint has data, else none
        still = self._placed.still_pose(channel)
        if still is None:
            return edited_keys.empty_curves(channel, full=self._full)
        return edited_keys.constant_curves(channel, still, self._placed.start, full=self._full)

    def _originals(self, channel: Channel, *, edited: bool) -> list[Curve]:
        """Return the source's curves; with the W that was rebuilt where the rotation is edited or that is asked for."""
        chosen = self._known.played if edited or self._asked.options.write_repaired_w else self._known.curves
        return chosen[channel]

    def _merged_curves(self, channel: Channel, rows: list[Track | None]) -> list[Curve]:
        """Return curves component by component: copied where untouched, key by key where not."""
        result = edited_keys.empty_curves(channel, full=self._full)
        known = edited_keys.originals(channel, self._known.played[channel], self._known.tracks[channel])
        edited = any(row is not None and not (row.match and row.match.unchanged) for row in rows)
        unchanged = self._originals(channel, edited=edited)
        for row, index, original in zip(rows, channel.order, known, strict=True):
            if row is None:
                if original.track is None:
                    result[index] = self._copied(self._known.curves[channel][index], channel.property)
            elif row.match is not None and row.match.unchanged:
                result[index] = self._copied(unchanged[index], channel.property)
            else:
                result[index] = self._merged(row, original, channel)
        return result

    def _merged(self, row: Track, original: edited_keys.Original, channel: Channel) -> Curve:
        if not self._full:
            straight = edited_keys.without_steps(self._straightener.track(row, channel.property))
            if row.match is not None and straight is not row:
                at = positions(straight.times, row.times)
                straight = replace(straight, match=row.match.spread(at, len(straight.times)))
            row = straight
        return Curve(edited_keys.merged(row, original, full=self._full), *original.wraps(row))

    def switch(self, channel: Channel, otherwise: bool) -> Curve:
        """Return a curve that switches; one that is always as `otherwise` says where nothing is known of it."""
        (row,) = self._placed.rows(channel)
        known = self._known.curves.get(channel)
        if known is not None and row is None and not self._known.tracks[channel]:
            return known[0]
        if row is None:
            return edited_keys.constant_switch(otherwise, self._placed.start)
        if known is None or row.match is None:
            return edited_keys.switch_curve(row, self._placed.start)
        if row.match.unchanged:
            return known[0]
        (original,) = edited_keys.originals(channel, known, self._known.tracks[channel])
        stepped = replace(row, values=(row.values > edited_keys.THRESHOLD).astype(np.float32))
        return Curve(edited_keys.merged(stepped, original, full=False), *original.wraps(row))


# Markers of a recording and the pose markers that Blender makes of them, on whole frames and with short names.

_CUT_NAME = 60


def merged_markers(found: list[clip.Marker], old: list[Marker], rate: float) -> list[Marker]:
    """Return the markers to write, in order of time; those that the source has, too, keep their own numbers.

    Blender's markers, `found`, may have texts cut to 63 bytes, and times in seconds rounded to frames, of which the
    scene has `rate` a second, 0 for exact times.
    """
    slack = (0.5 / rate if rate > 0 else 0.0) + 1e-6
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
