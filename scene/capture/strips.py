"""NLA strips as curves: where they only move, scale, reverse, cut or repeat Actions, one after the other."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice, pairwise
from typing import NamedTuple

from bpy.types import ID, FCurve, NlaStrip

from .. import actions
from ..fcurves import StripCurve, StripPiece, needs_samples
from . import influences

_SAME_ROUND = 1e-6
"""Part of a round by which the end of a strip may miss that of its last one."""

Curves = Mapping[influences.Value, FCurve | float]


class _Stretch(NamedTuple):
    """Frames of the scene in which a strip plays its Action once, or a part of it, or holds a single frame of it.

    Attributes:
        curves: of the Action, without what does not play; numbers for what rests.
        first, last: frames of the scene.
        begin, end: those of the Action.
        closes: a strip ends with it, whose last frame still shows it where another strip begins there.
    """

    curves: Curves
    first: float
    last: float
    begin: float
    end: float
    closes: bool = False

    def plays(self, frame: float) -> bool:
        """Return whether it is what a track shows on a frame of the scene, if nothing before it does."""
        return self.first <= frame < self.last or (self.closes and frame == self.last)

    def piece(self, value: influences.Value, first: float, last: float, *, late: bool) -> StripPiece:
        """Return what is played of one number between two frames of the scene; see `StripPiece`."""
        speed = (self.end - self.begin) / (self.last - self.first)
        begin, end = (self.end if at == self.last else self.begin + (at - self.first) * speed for at in (first, last))
        return StripPiece(self.curves[value], first, last, begin, end, late)


_Part = tuple[_Stretch, float, float, bool]
"""What plays from one frame of the scene to another, and whether it does so just after the first."""


def curves_in_strips(owner: ID) -> list[StripCurve]:
    """Return what NLA strips play that is no more than curves at other times, sorted by path and index.

    What some play and others do not rests meanwhile. Nothing where strips or the Action blend, or none plays at times.
    """
    data = actions.animation_data(owner)
    if data is None or not data.use_nla:
        return []
    over = data.action_blend_type == "REPLACE" and data.action_influence == 1.0 and not data.use_tweak_mode
    over = over and not any(track.is_solo for track in data.nla_tracks)
    over = over and not influences.mutes_group(*actions.assigned(owner))
    if data.action is not None and (not over or data.action_extrapolation != "HOLD"):
        return []
    tracks = [[*influences.with_contents(strips)] for strips in influences.playing_tracks(data) if strips]
    # of a track with a strip that is muted nothing plays from there to the next one
    muted = (track for track in data.nla_tracks if not track.mute and len({strip.mute for strip in track.strips}) > 1)
    if not tracks or any(muted) or not all(map(_is_curves, chain.from_iterable(influences.playing_tracks(data)))):
        return []
    whole = min(strips[0].frame_start for strips in tracks), max(strips[-1].frame_end for strips in tracks)
    moving = {value for strips in tracks for strip in strips for value in influences.moved_by(strip, owner)}
    rests = {value: rest for value in moving if (rest := influences.rest_of(owner, value)) is not None}
    layers = [*(_stretches(strips, *whole) for strips in reversed(tracks)), [_Stretch(rests, *whole, 0.0, 0.0)]]
    known: dict[frozenset[int], list[_Part]] = {}
    found = []
    for value in sorted(moving):
        alike = frozenset(id(stretch) for layer in layers for stretch in layer if value in stretch.curves)
        if alike not in known:
            known[alike] = _shown(layers, value)
        pieces = [stretch.piece(value, first, last, late=late) for stretch, first, last, late in known[alike]]
        if not pieces:
            return []
        found.append(StripCurve(*value, pieces))
    return found


def markers_in_strips(owner: ID) -> list[tuple[float, str]]:
    """Return frame and name of the markers of Actions that NLA strips play, each as often as it is passed."""
    found: dict[tuple[float, str], None] = {}
    for strip in influences.all_playing(owner):
        if strip.action is None or strip.use_animated_time or not strip.action.pose_markers:
            continue
        for part in _rounds(strip, {}):
            speed = (part.last - part.first) / (part.end - part.begin)
            for marker in strip.action.pose_markers:
                frame = round(part.first + (marker.frame - part.begin) * speed, 4)
                if part.first <= frame <= part.last:
                    found[frame, marker.name] = None
    return list(found)


def _is_curves(strip: NlaStrip) -> bool:
    if not influences.is_unblended(strip):
        return False
    if strip.type == "META":
        ends = strip.strips[0].extrapolation, strip.strips[-1].extrapolation  # by its own it goes on beyond them
        plain = not strip.use_reverse and strip.extrapolation == ends[0] and "NOTHING" not in ends
        return plain and all(_is_curves(inner) and not inner.mute for inner in strip.strips)
    if strip.type != "CLIP" or strip.action is None or any(map(needs_samples, influences.curves_in(strip))):
        return False
    return influences.is_as_long(strip, (abs(strip.scale) or 1.0) * strip.repeat)


# --- When which strip plays -----------------------------------------------------------------------------------------


def _stretches(strips: Sequence[NlaStrip], first: float, last: float) -> list[_Stretch]:
    """Return when the strips of a track play or hold, from the first to the last frame of all."""
    found: list[_Stretch] = []
    until = [*(strip.frame_start for strip in strips[1:]), last]
    for strip, following in zip(strips, until, strict=True):
        curves = {influences.address(curve): curve for curve in influences.curves_in(strip)}
        rounds = list(_rounds(strip, curves))
        if strip == strips[0] and strip.extrapolation == "HOLD":
            found.append(_Stretch(curves, first, strip.frame_start, rounds[0].begin, rounds[0].begin))
        found += rounds
        if strip.extrapolation != "NOTHING":
            found.append(_Stretch(curves, strip.frame_end, following, rounds[-1].end, rounds[-1].end))
    return [stretch for stretch in found if stretch.last > stretch.first]


def _rounds(strip: NlaStrip, curves: Curves) -> Iterator[_Stretch]:
    """Yield how often a strip plays its Action; the last time may be cut short."""
    begin, end = influences.action_frames(strip)
    length = (end - begin) * (abs(strip.scale) or 1.0)
    count = max(math.ceil((strip.frame_end - strip.frame_start) / length - _SAME_ROUND), 1)
    if strip.use_reverse:
        begin, end = end, begin
    for number in range(count):
        first = strip.frame_start + number * length
        last = strip.frame_end if number == count - 1 else first + length
        part = min((last - first) / length, 1.0)
        cut = end if part > 1.0 - _SAME_ROUND else begin + (end - begin) * part
        yield _Stretch(curves, first, last, begin, cut, closes=number == count - 1)


def _shown(layers: Sequence[Sequence[_Stretch]], value: influences.Value) -> list[_Part]:
    """Return what of layers, the uppermost first, plays a number from when to when; nothing where there is a gap."""
    edges = {edge for layer in layers for stretch in layer for edge in (stretch.first, stretch.last)}
    found: list[_Part] = []
    for first, last in pairwise(sorted(edges)):
        reaching = (each for layer in layers for each in layer if each.first <= first and last <= each.last)
        stretch = next((each for each in reaching if value in each.curves), None)
        if stretch is None:
            return []
        on_first = (each for layer in layers for each in islice((own for own in layer if own.plays(first)), 1))
        late = stretch is not next((each for each in on_first if value in each.curves), None)
        if found and found[-1][0] is stretch:
            _, first, _, late = found.pop()
        found.append((stretch, first, last, late))
    return found
