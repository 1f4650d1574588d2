"""Rates and ranges: how seconds become frames in a scene, and what the scene shows of a clip."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from itertools import chain

import bpy
import numpy as np
from bpy.types import Action, FCurve, NlaTrack, Object, Scene

from ..io_formats.clip import Array, Clip, Marker, count_keys
from ..io_formats.errors import Report, first_names
from ..io_formats.scene_options import ImportOptions
from . import actions, fcurves, messages, provenance
from .actions import FRAME_LIMIT
from .undo import Undo

FPS_LIMIT = 32767
"""Blender keeps whole frames per second from 1 to this; `fps_base` makes the rest."""


def scene_rate(scene: Scene) -> float:
    """Return the frames of animation that a scene plays per second: `fps / fps_base`, and its time stretching."""
    return nominal_rate(scene) * stretching(scene)


def nominal_rate(scene: Scene) -> float:
    """Return the frames that a scene shows per second, `fps / fps_base`."""
    return float(scene.render.fps / scene.render.fps_base)


def stretching(scene: Scene) -> float:
    """Return the frames of animation per frame of the scene: Blender evaluates frame x `old / new`."""
    return float(scene.render.frame_map_old / scene.render.frame_map_new)


def settle_rate(scene: Scene, clips: Sequence[Clip], options: ImportOptions, report: Report, undo: Undo) -> float:
    """Set the scene's rate if the options say so; return the rate that turns seconds into frames."""
    of_file = [clip.rate for clip in clips if 0.0 < clip.rate <= FPS_LIMIT]
    rates = {"CUSTOM": [options.custom_rate], "FILE": of_file}.get(options.rate, [])
    if rates and rates[0] != nominal_rate(scene):
        # the next whole number, and a base that divides it down
        whole = min(max(math.ceil(rates[0]), 1), FPS_LIMIT)
        undo.set(scene.render, "fps", whole)
        undo.set(scene.render, "fps_base", whole / rates[0])
        report.note(messages.RATE_SET, rate=round(nominal_rate(scene), 4))
    return scene_rate(scene)


def is_animated(scene: Scene, besides: Collection[Action] = ()) -> bool:
    """Return whether Actions but these have curves and play in a scene, or nowhere: not in other scenes alone."""
    others = (action for action in bpy.data.actions if action not in besides and any(actions.every_curve(action)))
    if len(bpy.data.scenes) == 1:
        return any(others)
    users = [[one for one in each if isinstance(one, Object)] for each in bpy.data.user_map(subset={*others}).values()]
    return any(not objects or any(scene in thing.users_scene for thing in objects) for objects in users)


def clip_range(clip: Clip, rate: float, start_frame: float) -> tuple[float, float]:
    """Return a clip's first and last frame: from time 0 or an earlier first key to its duration or a later last key."""
    first, last = 0.0, clip.duration if math.isfinite(clip.duration) else 0.0
    for times in {id(track.times): track.times for track in clip.tracks if len(track.times)}.values():
        if math.isfinite(times[0]) and math.isfinite(times[-1]):
            first, last = min(first, float(times[0])), max(last, float(times[-1]))
    return first * rate + start_frame, last * rate + start_frame


def whole(first: float, last: float) -> tuple[int, int]:
    """Return the whole frames around two frames, which themselves count as whole within a 10,000th."""
    return math.floor(first + 1e-4), math.ceil(last - 1e-4)


def cover_range(scene: Scene, ranges: Sequence[tuple[float, float]], undo: Undo, *, alone: bool) -> None:
    """Make the scene's range show these frames of animation; exactly these if nothing else is animated (`alone`).

    A playhead that these frames have left behind goes to the first of them.
    """
    factor = stretching(scene)
    ends = whole(min(first for first, _ in ranges) / factor, max(last for _, last in ranges) / factor)
    first, last = (min(max(frame, -FRAME_LIMIT), FRAME_LIMIT) for frame in ends)
    if not alone:
        first, last = min(first, scene.frame_start), max(last, scene.frame_end)
    # Each end pushes the other out of its way, so that both are remembered first.
    undo.callback(_set_range, scene, scene.frame_start, scene.frame_end)
    _set_range(scene, first, max(first, last))
    if alone and not first <= scene.frame_current <= last:
        undo.set(scene, "frame_current", first)


def _set_range(scene: Scene, first: int, last: int) -> None:
    scene.frame_start = first  # which pushes the end out of its way
    scene.frame_end = last


# Moving all keys of an Action to another rate, so that it plays as fast as its file says.


def placed_together(action: Action) -> list[Action]:
    """Return an imported Action, and others placed at its rate that are beside it in an NLA: were one converted after
    the other, each would push away the next."""
    beside = [strip.action for track in _tracks_of(action) for strip in track.strips if strip.action is not None]
    known = {each: provenance.find(each) for each in dict.fromkeys([action, *beside])}
    rate = known[action].placement.rate
    return [each for each, found in known.items() if found is not None and found.placement.rate == rate]


def convert(parts: Mapping[Action, Sequence[Marker]], rate: float, report: Report) -> int:
    """Move the keys of imported Actions, each with its file's markers, to `rate` frames per second; return how many.

    Keys, handles, markers (by the exact times that the file's have), the frame range and NLA strips are scaled about
    the start frame. An untouched curve is known as untouched afterwards, and exports with its file's own numbers.
    """
    known = {action: provenance.find(action) for action in parts}
    others = {action: found for action, found in known.items() if found is not None and found.placement.rate != rate}
    count = sum(_convert(action, found, rate, parts[action]) for action, found in others.items())
    for track in dict.fromkeys(chain.from_iterable(map(_tracks_of, others))):
        _scale_strips(track, others, rate, report)
    return count


def _tracks_of(action: Action) -> list[NlaTrack]:
    """Return the NLA tracks of all that play an Action in strips."""
    return [track for owner, _ in actions.strips_of(action) for track in actions.animation_data(owner).nla_tracks]


def _scale_strips(track: NlaTrack, others: Mapping[Action, provenance.Provenance], rate: float, report: Report) -> None:
    """Scale the strips of these Actions; the rest of a track stays, or is pushed later where that needs room."""
    wanted = {}
    for strip in [strip for strip in track.strips if strip.type != "TRANSITION"]:
        frames = np.array([strip.frame_start, strip.frame_end, strip.action_frame_start, strip.action_frame_end])
        if (found := others.get(strip.action)) is not None:
            start = found.placement.start_frame
            frames = (frames - start) * (rate / found.placement.rate) + start
        wanted[strip] = frames.tolist()
    room = math.ceil(max([0.0, *(end - strip.frame_end for strip, (_, end, *_) in wanted.items())]))
    for strip in reversed(wanted):  # all apart, as each stops at its neighbours
        strip.frame_start_ui += room
    for strip, (begin, _, first, last) in wanted.items():
        if strip.action in others:
            strip.action_frame_end = max(last, strip.action_frame_start)
            strip.action_frame_start, strip.action_frame_end = first, last
        strip.frame_start_ui = begin
    pushed = [strip.name for strip, (begin, *_) in wanted.items() if abs(strip.frame_start - begin) > 1e-3]
    if pushed:
        report.warn(messages.STRIPS_PUSHED, number=len(pushed), names=first_names(pushed))


def _convert(action: Action, origin: provenance.Provenance, rate: float, markers: Sequence[Marker]) -> int:
    factor, start = rate / origin.placement.rate, origin.placement.start_frame
    noted = {"curves": origin.curves, "saved": origin.saved}
    known = {name: dict(digests) for name, digests in noted.items() if digests is not None}
    moved: list[tuple[object, Array]] = []
    for handle, curve, path in provenance.tied_curves(action):
        identity, before = origin.curve_id(handle, path, curve.array_index), fcurves.read(curve)
        untouched = [digests for digests in known.values() if digests.get(identity) == before.digest]
        moved.append(((handle, path), before.block.frames))
        _move(curve, factor, start)
        for digests in untouched:
            digests[identity] = fcurves.read(curve).digest
    action[provenance.KEY]["rate"] = rate
    for name, digests in known.items():
        provenance.set_digests(action, name, digests)
    if action.use_frame_range:
        first, last = ((frame - start) * factor + start for frame in (action.frame_start, action.frame_end))
        actions.set_range(action, first, last)
    old = origin.placement.rate
    times = {actions.marker_label(known.time * old + start, known.text): known.time for known in markers}
    for marker in action.pose_markers:
        time = times.get((marker.frame, marker.name), (marker.frame - start) / old)
        marker.frame, _ = actions.marker_label(time * rate + start, marker.name)
    action.update_tag(refresh={"TIME"})  # else what plays it stands where it stood until the frame changes
    return count_keys(moved)


def _move(curve: FCurve, factor: float, start: float) -> None:
    keys = curve.keyframe_points
    points = np.empty(2 * len(keys), np.float32)
    for name in ("co", "handle_left", "handle_right"):
        keys.foreach_get(name, points)
        points[0::2] = (points[0::2].astype(np.float64) - start) * factor + start
        keys.foreach_set(name, points)
