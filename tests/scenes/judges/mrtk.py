"""Joints, camera and gaze of a recording beside the bones of its rig, and whether hands are seen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import bpy
import mrtk_reference
import numpy as np

from .. import clock, compare, shown
from ..players import w3d
from ..players.moves import SWAPPED
from ..players.mrtk import Player
from ..verdict import Export, Find

Array = np.ndarray[Any, Any]
_PLACE, _TURN = 1.2e-4, 0.022
GAZE = ("Gaze", "GazeDirection")
"""Version 1.0 has no place for it."""


def judge(recipe: dict[str, Any], export: Export, written: list[Any], spans: list[clock.Span]) -> Iterator[Find]:
    """What is wrong with a recording."""
    if len(written) > 1:
        yield from compare.several_armatures(export, written)
        return
    if export.data is None:
        yield from compare.refused(export, written, spans)
        return
    player, rounds = Player(export.data), recipe["options"].get("loop_count", 1)
    lasting, rig = player.duration / rounds, written[0].name
    span = compare.span_like(spans, lasting, 1e-3)
    if span is None:
        yield compare.wrong_length(spans, lasting)
        return
    seconds = [at for at in compare.moments(span, lasting, recipe) if rounds == 1 or at < lasting or at == 0.0]
    seen = compare.enlarged(shown.moments([span.timeline(moment) for moment in seconds]), recipe["options"])
    played = [at + lasting * (number % rounds) for number, at in enumerate(seconds)]  # each moment of any round
    yield from _Recording(player, export, rig, list(zip(played, seen, strict=True))).wrong()
    if rounds == 1 and export.imported is None:
        yield from _swollen(player, span)
        yield from _markers(player, written[0], span)


@dataclass
class _Recording:
    """A file beside what Blender shows at some seconds of it."""

    player: Player
    export: Export
    rig: str
    looks: list[tuple[float, shown.Moment]]

    def wrong(self) -> Iterator[Find]:
        yield from self._hands()
        yield from self._camera_and_gaze()

    def _varies(self, bone: str) -> bool:
        return shown.varies([moment for _, moment in self.looks], f"{self.rig}/{bone}")

    def _hands(self) -> Iterator[Find]:
        for side in "LR":
            joints = self._joints_of(side)
            yield from self._switches(side) if self.export.imported is None else ()
            moving = any(map(self._varies, joints))
            told = (f"{self.rig}/Wrist.{side}", "tracked") in self.looks[0][1].switches
            tracked = [self.player.tracked(side, at) for at, _ in self.looks]
            if moving and self.export.imported is None and not told and not all(tracked):
                if not self.export.names("tracked"):
                    yield Find("not tracked", f"hand {side}", "it moves and is not shown")
                return
            for bone, joint in joints.items() if moving or any(tracked) else ():
                yield from self._joint(bone, joint)

    def _joints_of(self, side: str) -> dict[str, str]:
        """The joint of each bone that bears its name, or was renamed since."""
        names = {f"{joint}.{side}" for joint in mrtk_reference.JOINTS[1:]}
        bones = [bone.name for bone in bpy.data.objects[self.rig].data.bones]
        joints = {bone: self.export.renamed.get(bone, bone) for bone in bones}
        return {bone: joint for bone, joint in joints.items() if joint in names}

    def _switches(self, side: str) -> Iterator[Find]:
        """Whether a hand is tracked and pinches when its wrist says so, as far as the file has hands."""
        for name in ("tracked", "pinching") if self.player.recording["bool"] else ():
            for at, moment in self.looks:
                wanted = moment.switches.get((f"{self.rig}/Wrist.{side}", name))
                played = {self.player.switch(name, side, each) for each in compare.near(at, moment.frame)}
                if wanted is not None and bool(wanted) not in played:
                    yield Find(name, f"Wrist.{side}", f"not {wanted:g} at {at:.4f} s")
                    return

    def _joint(self, bone: str, joint: str) -> Iterator[Find]:
        place, worst = f"{self.rig}/{bone}", (0.0, 0.0, 0.0, 0.0)
        for at, moment in self.looks:
            if self.export.source is not None and self._as_in_source(joint, at):
                continue
            world = moment.worlds[place]
            each = [self._off(joint, seconds, world) for seconds in compare.near(at, moment.frame)]
            off, turned = min(each, key=lambda found: found[0] / _PLACE + found[1] / _TURN)
            if off > _PLACE * max(1.0, float(np.abs(world[:3, 3]).max()) / 10) or turned > _TURN:
                worst = max(worst, (off * 100 + turned, off, turned, at))
        if not worst[0]:
            return
        told, turn = compare.told_off(self.export, place, [moment for _, moment in self.looks])
        if worst[1] > _PLACE + told or worst[2] > _TURN + turn:
            kind = "joint rotation" if worst[2] > _TURN else "joint position"
            size = max(worst[1] / _PLACE, worst[2] / _TURN)
            yield Find(kind, joint, f"{worst[1]:.5f} m, {worst[2]:.3f} degrees at {worst[3]:.3f} s", size)

    def _off(self, joint: str, at: float, world: Array) -> tuple[float, float]:
        """Metres and degrees that a joint is off; no degrees where Blender shows it sheared."""
        place, turn = self.player.pose(joint, at)
        axes = compare.rotation_of(world)
        turned = 0.0 if axes is None else compare.angle(w3d.matrix((0, 0, 0), turn)[:3, :3], SWAPPED @ axes @ SWAPPED)
        return float(np.linalg.norm(place - SWAPPED @ world[:3, 3])), turned

    def _as_in_source(self, joint: str, at: float) -> bool:
        """Whether the joint plays what the imported file does: turns the long way, which Blender shows not, stay."""
        source, lasting = _source(self.export.source), self.player.duration
        theirs = source.pose(joint, at * source.duration / lasting if lasting else at)
        apart = np.concatenate(self.player.pose(joint, at)) - np.concatenate(theirs)
        return not self.player.has(joint) or bool(np.abs(apart).max() < 1e-4)

    def _camera_and_gaze(self) -> Iterator[Find]:
        bones, has_camera = bpy.data.objects[self.rig].data.bones, self.player.has("Camera")
        if "Camera" in bones and has_camera:
            yield from self._joint("Camera", "Camera")
        elif not has_camera and not self.export.names("camera"):
            if "Camera" in bones:
                yield Find("no camera", "Camera", "the bone's pose is not in the file")
            elif self.player.version == (1, 0):
                yield Find("no camera", "1.0", "a 1.0 player puts its camera at the origin, and nobody says so")
        if set(GAZE) <= set(bones.keys()) and self.player.version == (1, 1) and not self.export.names("gaze"):
            yield from self._gaze()

    def _gaze(self) -> Iterator[Find]:
        """Origin and direction; Unity gives the direction length 1: UnityCsReference, Runtime/Export/Geometry/Ray.cs"""
        if not self.player.has("Gaze"):
            if any(map(self._varies, GAZE)):
                yield Find("no gaze", "Gaze", "it moves and is not in the file")
            return
        for at, moment in self.looks:
            origin, direction = self.player.gaze(at)
            start, end = (moment.worlds[f"{self.rig}/{name}"][:3, 3] for name in GAZE)
            ray = direction * (np.linalg.norm(end - start) / (np.linalg.norm(direction) or 1.0))
            for name, found, wanted in (("origin", origin, start), ("direction", ray, end - start)):
                off = float(np.linalg.norm(found - SWAPPED @ wanted))
                if off > 2.5 * _PLACE + 2 * float(np.spacing(np.float32(np.abs([start, end]).max()))):
                    yield Find(f"gaze {name}", "Gaze", f"{off:.4f} off at {at:.3f} s")
                    return


@cache
def _source(data: bytes) -> Player:
    return Player(data)


def _swollen(player: Player, span: clock.Span) -> Iterator[Find]:
    for node, count in player.keys.items():
        if count > 7 * (compare.FINEST * span.frames + 8):
            yield Find("swollen", node, f"{count} keys for {span.frames:.0f} frames")
            return


def _markers(player: Player, rig: Any, span: clock.Span) -> Iterator[Find]:
    """The markers of the Action that plays, as far as they are within the file."""
    action = None if rig.animation_data is None else rig.animation_data.action
    labels = [] if action is None else action.pose_markers
    seconds = sorted((label.frame - span.first) * span.seconds / (span.last - span.first or 1.0) for label in labels)
    wanted = [at for at in seconds if -1e-4 < at < span.seconds + 1e-4]
    found = sorted(float(time) for time, _ in player.recording["markers"] if -1e-4 < time < span.seconds + 1e-4)
    if len(found) != len(wanted) or any(abs(one - two) > 1e-3 for one, two in zip(found, wanted, strict=True)):
        yield Find("markers", "file", f"{found}, not {wanted}")
