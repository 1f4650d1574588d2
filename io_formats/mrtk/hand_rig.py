"""Recorded hands onto somebody's hand rig, such as Mixamo's or VRM's: turns relative to each rest pose.

A recording knows no rest pose, but each joint's axes mean the same in every hand: +Y runs along the finger, +Z out of
the back of the hand. Where these lie in the rig's rest pose follows from its knuckles; a bone turns from its rest as
the joint turns from there. Lengths and places stay the rig's own, except for a hand that hangs on nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from .. import curve, messages, rotation
from ..clip import LOCATION, ROTATION, Array, Clip, Interpolation, Node, Track, TrackKind
from ..errors import Report
from . import nodes

_KNUCKLES = ("IndexKnuckle", "MiddleKnuckle", "RingKnuckle", "PinkyKnuckle")


@dataclass
class _Rig:
    """The rig's bones at rest.

    Attributes:
        bones: by name, parents first.
        turn: (3, 3) of the armature object in the world.
        root: (4, 4) world matrix of the armature object.
        rests: (4, 4) in armature space by bone.
    """

    bones: dict[str, Node]
    root: Array
    turn: Array = field(init=False)
    rests: dict[str, Array] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.turn = self.root[:3, :3] / np.sqrt((self.root[:3, :3] ** 2).sum(axis=0))
        for bone in self.bones.values():
            above = np.eye(4) if bone.parent is None else self.rests[bone.parent]
            self.rests[bone.name] = above @ bone.rest

    def head(self, bone: str) -> Array:
        """(3,) world place of a bone's head at rest."""
        place: Array = (self.root @ self.rests[bone])[:3, 3]
        return place


def onto_hand_rig(clip: Clip, bones: Sequence[Node], root: Array, pairs: Mapping[str, str], report: Report) -> Clip:
    """The clip of a recording, for the bones of a rig.

    Args:
        clip: of `to_clips`, without the option Hand Skeleton.
        bones: of the rig, parents first, rest relative to the parent.
        root: (4, 4) world matrix of the rig's object.
        pairs: bone by joint, such as IndexKnuckle.L to mixamorig:LeftHandIndex1.
    """
    rig = _Rig({bone.name: bone for bone in bones}, root)
    tracks = [track for side in nodes.SIDES for track in _hand_tracks(clip, rig, _of_side(pairs, side), side)]
    tracks += [
        replace(track, node=pairs[track.node])
        for track in clip.tracks
        if track.kind is TrackKind.CUSTOM and track.node in pairs
    ]
    report.note(messages.MRTK_ONTO_HAND_RIG, bones=len({track.node for track in tracks}))
    return replace(clip, root=root, nodes=list(bones), tracks=tracks, attachments=[], own_skeleton=False)


def _of_side(pairs: Mapping[str, str], side: str) -> dict[str, str]:
    return {joint.removesuffix(f".{side}"): bone for joint, bone in pairs.items() if joint.endswith(f".{side}")}


def _hand_tracks(clip: Clip, rig: _Rig, hand: dict[str, str], side: str) -> list[Track]:
    keyed = {joint: _tracks(clip, f"{joint}.{side}", ROTATION) for joint in hand}
    turning = {joint: found for joint, found in keyed.items() if found}
    if not turning:
        return []
    times = np.unique(np.concatenate([track.times for found in turning.values() for track in found]))
    back = _back_of_hand(rig, hand, side)
    posed = {
        hand[joint]: rig.turn.T @ _sampled_turns(found, times) @ _offset(rig, hand, joint, back)
        for joint, found in turning.items()
    }
    tracks = [_turn_track(rig, bone, posed, times) for bone in posed]
    if "Wrist" in hand and rig.bones[hand["Wrist"]].parent is None:
        tracks += _place_track(rig, hand["Wrist"], _tracks(clip, f"Wrist.{side}", LOCATION))
    return tracks


def _tracks(clip: Clip, node: str, name: str) -> list[Track]:
    return [track for track in clip.tracks if track.node == node and track.property == name and len(track.times)]


def _sampled(tracks: Sequence[Track], times: Array, width: int) -> Array:
    rows = np.zeros((width, len(times)))
    for track in tracks:
        rows[track.component : track.component + len(track.values)] = curve.evaluate(track, times)
    return rows


def _sampled_turns(tracks: Sequence[Track], times: Array) -> Array:
    """(m, 3, 3) world rotations of a joint."""
    turns: Array = rotation.to_matrix(rotation.normalise(_sampled(tracks, times, 4)))
    return turns


def _back_of_hand(rig: _Rig, hand: Mapping[str, str], side: str) -> Array | None:
    """(3,) world direction out of the back of the rig's resting hand; None if too few knuckles are known."""
    heads = [rig.head(hand[joint]) for joint in _KNUCKLES if joint in hand]
    if len(heads) < 2 or "Wrist" not in hand:
        return None
    along = np.mean(heads, axis=0) - rig.head(hand["Wrist"])
    right = heads[0] - heads[-1] if side == "L" else heads[-1] - heads[0]
    return np.cross(right, along)


def _offset(rig: _Rig, hand: Mapping[str, str], joint: str, back: Array | None) -> Array:
    """(3, 3) from the axes of a joint to those of its bone, both at the rig's rest."""
    bone: Array = rig.turn @ rig.rests[hand[joint]][:3, :3]
    if back is None:
        return np.eye(3)
    along = bone[:, 1]
    if joint == "Wrist":
        along = np.mean([rig.head(hand[name]) for name in _KNUCKLES if name in hand], axis=0) - rig.head(hand[joint])
    frame = _frame(along, back)
    return frame.T @ bone


def _frame(along: Array, back: Array) -> Array:
    """(3, 3) with +Y along the first and +Z as near to the second as that allows."""
    y = along / np.sqrt(along @ along)
    z = back - (back @ y) * y
    z = z / np.sqrt(z @ z)
    return np.stack((np.cross(y, z), y, z), axis=1)


def _turn_track(rig: _Rig, bone: str, posed: Mapping[str, Array], times: Array) -> Track:
    node = rig.bones[bone]
    above = _pose_of(rig, node.parent, posed)
    basis = np.swapaxes(above @ node.rest[:3, :3], -1, -2) @ posed[bone]
    values = rotation.from_matrix(basis)
    values = values * rotation.align_signs(values)
    return _linear(bone, ROTATION, times, values)


def _pose_of(rig: _Rig, bone: str | None, posed: Mapping[str, Array]) -> Array:
    """Rotation of a bone in armature space: its own where it is posed, else carried by its parents."""
    if bone is None:
        return np.eye(3)
    if bone in posed:
        return posed[bone]
    above: Array = _pose_of(rig, rig.bones[bone].parent, posed) @ rig.bones[bone].rest[:3, :3]
    return above


def _place_track(rig: _Rig, bone: str, tracks: Sequence[Track]) -> list[Track]:
    """Location keys of a hand that hangs on nothing: its head where the recorded wrist is."""
    if not tracks:
        return []
    times = np.unique(np.concatenate([track.times for track in tracks]))
    places = _sampled(tracks, times, 3)
    to_basis = np.linalg.inv(rig.root @ rig.rests[bone])
    return [_linear(bone, LOCATION, times, to_basis[:3, :3] @ places + to_basis[:3, 3:])]


def _linear(bone: str, name: str, times: Array, values: Array) -> Track:
    shape = np.full(len(times), Interpolation.LINEAR, np.uint8)
    return Track(bone, name, times, values, shape, width=len(values))
