"""The rule of time: which frames of Blender's timeline a file plays, from its second 0 to its duration.

An Action that was not imported begins at its first frame, which is time 0, and lasts as long as it is: its manual frame
range where set, else the keys of its own slot. What was imported keeps its placement: time 0 is frame 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import bpy

from . import stage

Range = tuple[float, float]


@dataclass(frozen=True)
class Span:
    """Frames as Actions count them."""

    first: float
    last: float

    @property
    def seconds(self) -> float:
        """How long it plays in the scene, its time remapping counted."""
        return (self.last - self.first) * stretch() / rate()

    @property
    def frames(self) -> float:
        """How many frames of its Actions it shows."""
        return self.last - self.first + 1

    def timeline(self, seconds: float) -> float:
        """The frame to go to for a second of the file."""
        return round(self.first * stretch() + seconds * rate(), 4)

    def shown(self, seconds: float) -> float:
        """The second of the file at which that frame is, whose number is rounded."""
        return (self.timeline(seconds) - self.first * stretch()) / rate()


def rate() -> float:
    """Frames per second of the scene."""
    render = bpy.context.scene.render
    return float(render.fps / render.fps_base)


def stretch() -> float:
    """Frames of the timeline for each frame of an Action."""
    render = bpy.context.scene.render
    return float(render.frame_map_new / render.frame_map_old)


def frames_a_second() -> float:
    """Frames of Actions that a second of the scene is."""
    return rate() / stretch()


def drawn_out() -> float:
    """Frames of the scene's Actions for a frame of the one that strips draw out most, 1 at least."""
    blocks = [block for thing in bpy.context.scene.objects for block in datablocks(thing)]
    tracks = [track for block in blocks for track in block.animation_data.nla_tracks]
    return max([1.0, *(strip.scale for track in tracks for strip in [*track.strips, *stage.strips_of(track)])])


def candidates(written: Iterable[Any], imported: Range | None, options: dict[str, Any] | None = None) -> list[Span]:
    """What a file of these objects may play; more than one where the rule leaves it open, best first."""
    written, scene = list(written), bpy.context.scene
    begin, end = scene.frame_start / stretch(), scene.frame_end / stretch()
    zero, spans = _candidates(written, imported)
    if options and options.get("use_scene_range"):
        first, last = spans[0].first, spans[0].last  # which do not fill the scene's whole frames
        spans = [Span(first if 0 <= first - begin < 1 else begin, last if 0 <= end - last < 1 else end)]
    elif options and options.get("bake_to_scene_end"):
        spans = [Span(each.first, max(each.last, end)) for each in spans]
    if options and options.get("keep_frame_zero"):
        spans = [Span(zero, max(each.last, zero)) for each in spans]
        spans += [Span(zero, end)] if spans[0].last == zero else []  # a pose, while the scene may move
    return spans


def _candidates(written: list[Any], imported: Range | None) -> tuple[float, list[Span]]:
    """The frame that is time 0 where that is kept, and what may be played."""
    if imported is not None:
        return _longer(written, imported)
    own, above = list(_ranges(written)), list(_ranges(_above(written)))
    scene = bpy.context.scene
    found = [own, own + above] if own else [above, list(_ranges(bpy.context.scene.objects))]
    spans = [Span(min(first for first, _ in each), max(last for _, last in each)) for each in found if each]
    if not own or len({frame for each in own for frame in each}) == 1:  # a pose, or what moves without keys of its own
        spans.append(Span(scene.frame_start / stretch(), scene.frame_end / stretch()))
    return 0.0, list(dict.fromkeys(spans))


def _longer(written: list[Any], imported: Range) -> tuple[float, list[Span]]:
    """The frames of an import with the keys that somebody has put before and after, as far as a strip plays them."""
    shift, keys, data = 0.0, list(imported), written[0].animation_data if len(written) == 1 else None
    strips = [strip for track in data.nla_tracks for strip in stage.strips_of(track)] if data is not None else []
    if data is not None and data.action is not None:
        keys += [point.co[0] for curve in stage.curves_of(written[0]) or () for point in curve.keyframe_points]
    elif strips:
        shift, curves = strips[0].frame_start - strips[0].action_frame_start, stage.curves_in(strips[0]) or ()
        least, most = strips[0].action_frame_start, strips[0].action_frame_end
        keys += [min(max(point.co[0], least), most) for curve in curves for point in curve.keyframe_points]
    return imported[0] + shift, [Span(min(keys) + shift, max(keys) + shift)]


def _above(written: list[Any]) -> Iterator[Any]:
    """What these objects hang on, as far as it may carry them along: bones, or what moves as a whole."""
    for thing in written:
        while thing.parent is not None:
            on_bone, thing = thing.parent_type == "BONE", thing.parent
            if on_bone or thing.constraints or any(not path.startswith("pose.") for path in _paths(thing)):
                yield thing


def _paths(thing: Any) -> Iterator[str]:
    if thing.animation_data is not None:
        played = [stage.curves_of(thing) or (), *(curves for _, curves in stage.curves_of_strips(thing))]
        yield from (curve.data_path for curves in played for curve in curves)


def datablocks(thing: Any) -> Iterator[Any]:
    """What may have an Action of an object's: itself, its data, its shape keys."""
    for found in (thing, thing.data, getattr(thing.data, "shape_keys", None)):
        if found is not None and found.animation_data is not None:
            yield found


def _ranges(things: Iterable[Any]) -> Iterator[Range]:
    for thing in things:
        for found in datablocks(thing):
            yield from _ranges_of(found)


def _ranges_of(found: Any) -> Iterator[Range]:
    data = found.animation_data
    curves = stage.curves_of(found)
    if curves and data.action.use_frame_range:
        yield float(data.action.frame_start), float(data.action.frame_end)
    elif curves:
        frames = [point.co[0] for curve in curves for point in curve.keyframe_points]
        if frames:
            yield min(frames), max(frames)
    for track in stage.playing_tracks(data):
        for strip in track.strips:
            if not strip.mute:
                frames = strip.action.curve_frame_range if strip.action else (0.0, 1.0)
                # a strip of a single key is a frame long, and its Action is not; longer ones somebody has drawn out
                alone = frames[0] == frames[1] and strip.repeat == strip.scale == 1.0
                yield strip.frame_start, strip.frame_start if alone else strip.frame_end
