"""F-Curves in bulk: whole blocks of keys in, whole curves out, with a digest of what a file format can say.

The only way that costs next to nothing per key is `keyframe_points.add` and `foreach_set` with buffers of the exact
type: flat float32 for points, uint8 for enumerations (anything else is converted key by key). `update()` is never
called: it merges keys closer than 0.01 frame and, from 4.5 on, moves handles. Keys must therefore come sorted.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias, cast

import numpy as np
from bpy.types import ID, ActionGroup, FCurve, FModifierCycles

from ..io_formats.clip import BEZIER, EULER, LOCATION, RESTING, ROTATION, SCALE, SHOWN_AT_REST, Array, Wrap
from ..io_formats.clip.fcurve_keys import KeyBlock
from .actions import SLOTTED
from .data_paths import custom_key, split_bone
from .types import Bag

FREE_HANDLE = 0
KEYFRAME, BREAKDOWN = 0, 2
"""Blender's numbers for the type of a key."""

MANY_CURVES = 1500
"""From here on `fcurves.new` is given no path to compare: it looks through all curves that are there already.

Measured for 12,000 curves in Blender 4.2, 4.5, 5.0 and 5.2: 0.56, 0.18, 0.18, 0.18 s become 0.27, 0.09, 0.09, 0.09 s.
"""

MOST_GROUPED_CURVES = 15000
"""With more curves than these, none is put into a group: each time, Blender counts through all groups.

Measured for 30,000 curves in 10,000 groups, Blender 4.2 and 5.0: 1.7 s of 3.9 s, and 1.7 s of 2.4 s.
"""

AT_REST = {**RESTING, "rotation_euler": (0.0, 0.0, 0.0), "rotation_axis_angle": (0.0, 0.0, 1.0, 0.0)}
"""Transform channels of a bone, at rest."""

ASIDE = 1 << 16
"""Added to the index of a curve whose place another has taken, and which may come back; its path follows its bone."""

_Colour = Literal["AUTO_RGB", "AUTO_YRGB"]
_COLOURS: dict[str, _Colour] = {LOCATION: "AUTO_RGB", EULER: "AUTO_RGB", SCALE: "AUTO_RGB", ROTATION: "AUTO_YRGB"}
"""As Blender colours what it keys itself: X red, Y green, Z blue, in whatever order an Action has its curves."""

_Mode = Literal["NONE", "REPEAT", "MIRROR"]
_MODES: dict[Wrap, _Mode] = {Wrap.HOLD: "NONE", Wrap.REPEAT: "REPEAT", Wrap.MIRROR: "MIRROR"}
_WRAPS: dict[str, Wrap] = {mode: wrap for wrap, mode in _MODES.items()}

_MAKERS = ("GENERATOR", "FNGENERATOR")
"""Modifiers that make a curve of nothing; all others change what keys say, and without keys nothing plays."""


@dataclass(slots=True)
class WrittenCurve:
    """One F-Curve as it was written: where, and the digest of its keys (see `_seed`)."""

    data_path: str
    index: int
    digest: int


class FoundCurve(NamedTuple):
    """One F-Curve as it stands in Blender.

    Attributes:
        block: its keys, one component; `handles` only where a segment is BEZIER, `inserted` only where a key is a
            BREAKDOWN.
        before, after: what it does outside its keys.
        plain: keys, wraps and held ends say all there is: no easing, no linear extrapolation, no modifier other than
            the Cycles that are the wraps. What is not plain has to be sampled.
        digest: equal to that of WrittenCurve where nothing was edited.
    """

    block: KeyBlock
    before: Wrap
    after: Wrap
    plain: bool
    plays: bool
    digest: int


class StripPiece(NamedTuple):
    """Frames of the scene, `first` to `last`, in which an NLA strip plays a curve of its Action.

    It plays the frames `begin` to `end` of that: backwards where the end is the earlier one, a single one where these
    are the same. `late`: it does so just after `first`, on which another strip is shown that ends there. What plays
    nothing of it leaves it at rest, a number in place of a curve.
    """

    curve: FCurve | float
    first: float
    last: float
    begin: float
    end: float
    late: bool


class StripCurve(NamedTuple):
    """A number that NLA strips play without blending: F-Curves at other times, one piece after the other."""

    data_path: str
    array_index: int
    pieces: Sequence[StripPiece]


class DrivenCurve(NamedTuple):
    """A number that a driver makes of what a curve plays, `source`: `factor` times that, and `offset` more.

    `read` is the datablock and path that it reads.
    """

    data_path: str
    array_index: int
    source: FCurve
    factor: float
    offset: float
    read: tuple[ID, str]


PlayedCurve: TypeAlias = "FCurve | StripCurve | DrivenCurve"


class CurveWriter:
    """Writes blocks of keys as new F-Curves of one Action, slot or channelbag.

    A curve of the same (path, index) that was there before goes, or is set aside. None may be written twice; where many
    are expected that is not searched for, as it would make thousands of curves cost the square of their number.

    Attributes:
        written: what was written so far, for the provenance.
        held: how many curves were written besides, that only hold a value.
    """

    def __init__(self, bag: Bag, expected: int = 0, *, merged: set[int] | None = None) -> None:
        """Prepare to write some `expected` curves; `merged`, in a merge, gets the addresses of those that it makes."""
        self.written: list[WrittenCurve] = []
        self.held = 0
        self._present = {(curve.data_path, curve.array_index): curve for curve in bag.fcurves}
        self._curves = bag.fcurves
        self._groups = bag.groups
        self._made_groups: dict[str, ActionGroup] = {}
        self._made = merged
        self._many = expected >= MANY_CURVES
        self._grouped = expected <= MOST_GROUPED_CURVES

    def write(
        self,
        data_path: str,
        block: KeyBlock,
        before: Wrap = Wrap.HOLD,
        after: Wrap = Wrap.HOLD,
        *,
        first_index: int = 0,
        group: str = "",
    ) -> None:
        """Write one F-Curve for each component of `block`, from the array index `first_index` on, if it has keys."""
        indices = range(first_index, first_index + len(block.values)) if len(block.frames) else ()
        curves = [self._new_curve(data_path, index, group) for index in indices]
        digests = _set_keys(curves, block, before, after)
        for curve in curves if before or after else ():  # after the keys, of which Blender then draws the handles anew
            cycles = cast("FModifierCycles", curve.modifiers.new("CYCLES"))
            cycles.mode_before, cycles.mode_after = _MODES[before], _MODES[after]
        self.written += [WrittenCurve(data_path, index, digest) for index, digest in zip(indices, digests)]

    def hold(self, channels: Iterable[tuple[str, int, float]], frame: float, *, group: str) -> None:
        """Write an F-Curve that holds a value by a single key for each (data path, index, value)."""
        for data_path, index, value in channels:
            keys = self._new_curve(data_path, index, group).keyframe_points
            keys.insert(frame, value, options={"FAST"}).interpolation = "CONSTANT"
            self.held += 1

    def hold_again(self, bag: Bag) -> bool:
        """Look up groups, and curves that are there besides, in what holds them now; return whether all are there."""
        self._curves, self._groups, self._made_groups = bag.fcurves, bag.groups, {}
        if len(bag.fcurves) < len(self.written) + self.held + len(self._present):
            return False
        if self._present or self._made is not None:  # some may have come since
            own = {(each.data_path, each.index) for each in self.written}
            there = {(curve.data_path, curve.array_index): curve for curve in bag.fcurves}
            self._present = {address: curve for address, curve in there.items() if address not in own}
        return True

    def _new_curve(self, data_path: str, index: int, group: str) -> FCurve:
        old = self._present.pop((data_path, index), None)
        if old is not None and self._made is not None:
            old.array_index += ASIDE
        elif old is not None:
            self._curves.remove(old)
        if self._many:
            # A number that no curve has is told from the others without comparing paths.
            curve = self._curves.new("_", index=len(self.written))
            curve.data_path = data_path
            curve.array_index = index
        else:
            curve = self._curves.new(data_path, index=index)
        if self._made is not None:
            self._made.add(curve.as_pointer())
        curve.color_mode = _COLOURS.get(data_path.rpartition(".")[2], "AUTO_RAINBOW")
        if group and self._grouped:
            if group not in self._made_groups:
                self._made_groups[group] = self._groups.get(group) or self._groups.new(group)
            curve.group = self._made_groups[group]
        return curve


def rewrite(curve: FCurve, block: KeyBlock, before: Wrap, after: Wrap) -> None:
    """Give a plain curve the keys of a one-component block; group and colour stay, repeats only if they are these."""
    curve.keyframe_points.clear()
    _set_keys([curve], block, before, after)
    if _read_wraps(curve)[:2] != (before, after):  # what is cut is held
        while curve.modifiers:
            curve.modifiers.remove(curve.modifiers[0])


def _set_keys(curves: Iterable[FCurve], block: KeyBlock, before: Wrap, after: Wrap) -> list[int]:
    """Give curves without keys those of the components of a block, with FREE handles; return the digest of each."""
    count, interpolation = len(block.frames), np.ascontiguousarray(block.interpolation, np.uint8)
    points, digests = np.empty((count, 2), np.float32), []
    points[:, 0] = block.frames
    flat, seed = points.reshape(-1), _seed(before, after, interpolation)
    handles, key_types = block.handles if _holds(interpolation, BEZIER) else None, None
    if handles is not None:
        free, segments = np.full(count, FREE_HANDLE, np.uint8), _bezier_segments(interpolation)
    if block.inserted is not None and block.inserted.any():
        key_types = np.where(block.inserted, np.uint8(BREAKDOWN), np.uint8(KEYFRAME))
    for row, curve in enumerate(curves):
        points[:, 1], keys = block.values[row], curve.keyframe_points
        keys.add(count)
        keys.foreach_set("co", flat)
        keys.foreach_set("interpolation", interpolation)
        if key_types is not None:
            keys.foreach_set("type", key_types)
        digests.append(zlib.crc32(flat.data, seed))
        if handles is not None:
            left, right = np.ascontiguousarray(handles[row].swapaxes(0, 1))
            keys.foreach_set("handle_left_type", free)
            keys.foreach_set("handle_right_type", free)
            keys.foreach_set("handle_left", left.reshape(-1))
            keys.foreach_set("handle_right", right.reshape(-1))
            digests[row] = _with_handles(digests[row], left, right, segments)
    return digests


def read(curve: FCurve) -> FoundCurve:
    """Read everything about `curve`, in bulk."""
    keys = curve.keyframe_points
    count = len(keys)
    points = np.empty(2 * count, np.float32)
    interpolation, key_types = np.empty((2, count), np.uint8)
    if count:
        keys.foreach_get("co", points)
        keys.foreach_get("interpolation", interpolation)
        keys.foreach_get("type", key_types)
    # out of order as scripts leave them that do not call `update`
    order = np.argsort(points[0::2], kind="stable") if (points[2::2] < points[:-2:2]).any() else slice(None)
    points = points.reshape(-1, 2)[order].reshape(-1)
    interpolation, key_types = interpolation[order], key_types[order]
    before, after, plain = _read_wraps(curve) if count else (Wrap.HOLD, Wrap.HOLD, False)
    digest = zlib.crc32(points.data, _seed(before, after, interpolation))
    handles = None
    if _holds(interpolation, BEZIER):
        sides = np.empty((2, count, 2), np.float32)  # the left and the right ones, as Blender gives them
        keys.foreach_get("handle_left", sides[0].reshape(-1))
        keys.foreach_get("handle_right", sides[1].reshape(-1))
        sides = sides[:, order]
        digest = _with_handles(digest, sides[0], sides[1], _bezier_segments(interpolation))
        handles = sides.transpose(1, 0, 2)[None]
    plain = plain and curve.extrapolation == "CONSTANT" and bool(interpolation.max() <= BEZIER)
    inserted = key_types == BREAKDOWN if _holds(key_types, BREAKDOWN) else None
    block = KeyBlock(points[0::2], points[1::2][None], interpolation, handles, inserted)
    played = plays(curve)
    if not (plain and played):
        digest ^= 0xFFFFFFFF
    return FoundCurve(block, before, after, plain, played, digest)


def _holds(numbers: Array, wanted: int | np.uint8) -> bool:
    """Return whether a uint8 array (n,) holds a number; looked for among bytes, which takes a tenth of comparing."""
    return int(wanted) in numbers.tobytes()


def has_points(curve: FCurve) -> bool:
    """Return whether a curve has keys, or samples in their place, as "Sound to Samples" and "Keys to Samples" make."""
    return bool(len(curve.keyframe_points) or len(curve.sampled_points))


def key_count(curve: FCurve | StripCurve) -> int:
    """Return how many keys a curve has."""
    curves = [piece.curve for piece in curve.pieces] if isinstance(curve, StripCurve) else [curve]
    return sum(1 if isinstance(found, float) else len(found.keyframe_points) for found in curves)


def plays(curve: PlayedCurve) -> bool:
    """Return whether Blender plays a curve: it is not muted, and has keys, samples or a modifier that needs none.

    A muted group mutes its curves before Blender 4.4 alone: with slots they play. What strips or drivers make plays.
    """
    if not isinstance(curve, FCurve):
        return True
    if curve.mute or not (has_points(curve) or any(modifier.type in _MAKERS for modifier in curve.modifiers)):
        return False
    return SLOTTED or curve.group is None or not curve.group.mute


def evaluate(curve: FCurve, frames: Array) -> Array:
    """Return the values (m,) float64 of a curve, modifiers and all, as Blender plays it."""
    return np.fromiter(map(curve.evaluate, frames.tolist()), np.float64, len(frames))


def holds_rest(curve: FCurve) -> bool:
    """Return whether all that a curve does is to hold a channel of a bone at rest."""
    bone, name = split_bone(curve.data_path)
    keys, index = curve.keyframe_points, curve.array_index
    values = (1.0,) if custom_key(name) in SHOWN_AT_REST else AT_REST.get(name, ())
    if bone is None or index >= len(values) or not len(keys) or keys[0].co[1] != values[index]:
        return False
    found, rest = read(curve), values[index]
    shaped = found.block.handles is not None and bool((found.block.handles[..., 1] != rest).any())
    return found.plain and found.plays and not shaped and bool((found.block.values == rest).all())


def _read_wraps(curve: FCurve) -> tuple[Wrap, Wrap, bool]:
    """Return how a curve continues before and after its keys, and whether its modifiers do nothing else."""
    modifiers = curve.modifiers
    if not len(modifiers):
        return Wrap.HOLD, Wrap.HOLD, True
    first = modifiers[0]
    if len(modifiers) > 1 or not isinstance(first, FModifierCycles) or not _is_endless(first):
        return Wrap.HOLD, Wrap.HOLD, all(modifier.mute for modifier in modifiers)
    before, after = _WRAPS.get(first.mode_before), _WRAPS.get(first.mode_after)
    return (Wrap.HOLD, Wrap.HOLD, False) if before is None or after is None else (before, after, True)


def needs_samples(curve: PlayedCurve) -> bool:
    """Return whether modifiers, or what stands in the place of keys, make more of a curve than its keys repeated."""
    if not isinstance(curve, FCurve) or (len(curve.keyframe_points) and not len(curve.modifiers)):
        return False
    return (not len(curve.keyframe_points) or not (_read_wraps(curve)[2] or offset_cycles(curve))) and plays(curve)


def offset_cycles(curve: FCurve) -> tuple[Wrap, Wrap, tuple[bool, bool]] | None:
    """Return how a curve repeats, and whether it rises with each repeat, before and after its keys.

    None for one that does not rise, or does more than repeat.
    """
    playing = [modifier for modifier in curve.modifiers if not modifier.mute]
    first = playing[0] if len(playing) == 1 else None
    if not isinstance(first, FModifierCycles) or not _is_endless(first):
        return None
    before, after = (_WRAPS.get(mode, Wrap.REPEAT) for mode in (first.mode_before, first.mode_after))
    rises = first.mode_before == "REPEAT_OFFSET", first.mode_after == "REPEAT_OFFSET"
    return (before, after, rises) if any(rises) else None


def _is_endless(modifier: FModifierCycles) -> bool:
    """Return whether a Cycles modifier repeats for ever, everywhere, at full strength."""
    limited = modifier.use_restricted_range or (modifier.use_influence and modifier.influence != 1.0)
    return not (modifier.mute or limited or modifier.cycles_before or modifier.cycles_after)


def _seed(before: Wrap, after: Wrap, interpolation: Array) -> int:
    """Return what the digest of keys begins with; its crc32 changes with every edit, and costs a tenth of writing."""
    return zlib.crc32(interpolation.data, zlib.crc32(bytes((before, after))))


def _bezier_segments(interpolation: Array) -> Array | slice:
    """Return what takes those that are BEZIER of the segments between keys, (n - 1,) bools or a slice."""
    bezier: Array = interpolation[:-1] == BEZIER
    return slice(None) if bezier.all() else bezier


def _with_handles(digest: int, left: Array, right: Array, segments: Array | slice) -> int:
    """Extend a digest by the handles (n, 2) float32 that shape BEZIER segments: right of one key, left of the next."""
    return zlib.crc32(left[1:][segments].data, zlib.crc32(right[:-1][segments].data, digest))
