"""Rates and ranges: how seconds become frames in a scene, and what the scene shows of a clip."""

from __future__ import annotations

import math
from collections.abc import Sequence

import bpy
from bpy.types import Scene

from ..io_formats.clip import Clip
from ..io_formats.errors import Report
from ..io_formats.scene_options import ImportOptions
from . import messages
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


def unit_of(scene: Scene) -> float:
    """Return the metres of one unit of length in a scene."""
    settings = scene.unit_settings
    return 1.0 if settings.system == "NONE" else float(settings.scale_length)


def stretching(scene: Scene) -> float:
    """Return the frames of animation per frame of the scene: Blender evaluates frame x `old / new`."""
    return float(scene.render.frame_map_old / scene.render.frame_map_new)


def current_frame(scene: bpy.types.Scene) -> float:
    """Return the frame of the animation that a scene shows."""
    return float(scene.frame_current * stretching(scene))


def scene_range(scene: Scene) -> tuple[float, float]:
    """Return the first and last frame of the animation that the scene's range shows."""
    factor = stretching(scene)
    return scene.frame_start * factor, scene.frame_end * factor


def settle_rate(scene: Scene, clips: Sequence[Clip], options: ImportOptions, report: Report, undo: Undo) -> float:
    """Set the scene's rate if the options say so; return the rate that turns seconds into frames."""
    wanted = _wanted_rate(clips, options)
    if wanted is not None and wanted != nominal_rate(scene):
        set_rate(scene, wanted, undo)
        report.note(messages.RATE_SET, rate=round(nominal_rate(scene), 4))
    return scene_rate(scene)


def _wanted_rate(clips: Sequence[Clip], options: ImportOptions) -> float | None:
    if options.rate == "CUSTOM":
        return options.custom_rate
    rates = [clip.rate for clip in clips if 0.0 < clip.rate <= FPS_LIMIT]
    return rates[0] if options.rate == "FILE" and rates else None


def set_rate(scene: Scene, rate: float, undo: Undo) -> None:
    """Give a scene `rate` frames per second: the next whole number, and a base that divides it down."""
    whole = min(max(math.ceil(rate), 1), FPS_LIMIT)
    undo.set(scene.render, "fps", whole)
    undo.set(scene.render, "fps_base", whole / rate)


def clip_range(clip: Clip, rate: float, start_frame: float) -> tuple[float, float]:
    """Return a clip's first and last frame: from time 0 or an earlier first key to its duration or a later last key."""
    first, last = 0.0, clip.duration if math.isfinite(clip.duration) else 0.0
    for times in {id(track.times): track.times for track in clip.tracks if len(track.times)}.values():
        if math.isfinite(times[0]) and math.isfinite(times[-1]):
            first, last = min(first, float(times[0])), max(last, float(times[-1]))
    return first * rate + start_frame, last * rate + start_frame


def cover_range(scene: Scene, ranges: Sequence[tuple[float, float]], undo: Undo, *, alone: bool) -> None:
    """Make the scene's range show these frames of animation; exactly these if nothing else is animated (`alone`)."""
    factor = stretching(scene)
    first = _whole(math.floor(min(first for first, _ in ranges) / factor + 1e-4))
    last = _whole(math.ceil(max(last for _, last in ranges) / factor - 1e-4))
    if not alone:
        first, last = min(first, scene.frame_start), max(last, scene.frame_end)
    # Each end pushes the other out of its way, so that both are remembered first.
    undo.callback(_set_range, scene, scene.frame_start, scene.frame_end)
    _set_range(scene, first, max(first, last))


def _set_range(scene: Scene, first: int, last: int) -> None:
    scene.frame_end = max(last, scene.frame_start)
    scene.frame_start = first
    scene.frame_end = last


def _whole(frame: int) -> int:
    return min(max(frame, -FRAME_LIMIT), FRAME_LIMIT)


def animated_otherwise(new_actions: int) -> bool:
    """Return whether the .blend has Actions besides the ones just made."""
    return len(bpy.data.actions) > new_actions
