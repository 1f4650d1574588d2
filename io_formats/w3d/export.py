"""Clip -> Document: channels that nobody touched as they were, the others encoded anew on whole frames."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import replace
from typing import Any

import numpy as np

from .. import curve, messages, rebase
from ..adoption import adopted
from ..clip import LOCATION, ROTATION, SCALE, Array, Clip, Source, Track, TrackKind
from ..errors import FormatError, Report
from . import channels as played
from . import layout, names, pivots
from .channels import VISIBILITY, form_of
from .document import (
    Animation,
    AnimationHeader,
    AnyAnimation,
    Chunk,
    CompressedAnimation,
    CompressedHeader,
    Document,
    OpaqueChunk,
    text,
)
from .encode import Frames, Tolerances
from .fresh_channels import KINDS, Form, FreshChannels, Origin, WantedTracks
from .layout import ChannelType, Flavor
from .options import ExportOptions
from .scales import is_scaling, without_scales
from .skeleton import Skeleton

_MOST_FRAMES = {"RAW": 65536, "BFME_TIMECODED": 32768, "BFME_ADAPTIVE": 65535}
_MOST_FRAMES_OF_ALL = 1 << 24
_FRAME_SLACK = 1e-3


def to_document(
    clip: Clip,
    options: ExportOptions,
    report: Report,
    *,
    source: Source | None = None,
    base: Document | None = None,
    skeleton: Document | None = None,
) -> Document:
    """The file for a clip.

    Args:
        source: where the clip came from; what was not touched keeps its own bytes, and all other chunks stay.
        base: a file to save into: its animation (that of the same name, else its only one) is replaced.
        skeleton: a file whose hierarchy decides which pivot has which number.

    Raises:
        FormatError: a name that was asked for does not fit, or the clip has more frames than the form can count.
    """
    known = source if source is not None and isinstance(source.document, Document) else None
    return _Export(clip, options, report, known, base, skeleton).document()


class _Export:
    """One clip on its way into one file."""

    def __init__(
        self,
        clip: Clip,
        options: ExportOptions,
        report: Report,
        source: Source | None,
        base: Document | None,
        skeleton: Document | None,
    ) -> None:
        self.options = options
        self.report = report
        self.source = source
        self.base = base
        self.chosen = skeleton
        self.stage = base or (source.document if source is not None else Document())
        self.old = self._old_animation()
        self.replaced = self._replaced_animation(clip)
        self.flavor = self._flavor()
        self.frames = self._frames(clip)
        self.root = self._root()
        self.clip = pivots.unscaled(clip, self.root)
        self.target = pivots.choose(self.request())
        self.same_numbers = self.source is not None and pivots.same_numbers(self.source_numbers(), self.target)

    # --- What is asked for ----------------------------------------------------------------------

    def _old_animation(self) -> AnyAnimation | None:
        animations = [] if self.source is None else self.source.document.animations
        index = 0 if self.source is None else self.source.index
        return animations[index] if index < len(animations) else None

    def _replaced_animation(self, clip: Clip) -> AnyAnimation | None:
        """The animation of the staged document whose place the new one takes."""
        if self.base is None:
            return self.old
        wanted = (self.options.animation_name or names.without_suffix(clip.name)).upper()
        animations = self.base.animations
        same = [found for found in animations if text(found.header.name).upper() == wanted]
        return same[0] if same else (animations[0] if len(animations) == 1 else None)

    def _flavor(self) -> str:
        if self.options.flavor != "AUTO":
            return self.options.flavor
        model = self.old or self.replaced
        return "RAW" if model is None else form_of(model)

    @property
    def same_form(self) -> bool:
        """Channels of the source can be copied: the form and the frames are the source's."""
        if self.old is None or form_of(self.old) != self.flavor:
            return False
        header = self.old.header
        same_frames = self.frames == Frames(header.frame_count, header.rate or played.ASSUMED_RATE)
        return same_frames and self.same_numbers

    def _frames(self, clip: Clip) -> Frames:
        header = None if self.old is None else self.old.header
        rate = self.options.file_rate or (header.rate if header is not None else 0)
        if rate == 0:
            rate = max(round(clip.rate), 1) if clip.rate else played.ASSUMED_RATE
        count = math.ceil(clip.duration * rate - _FRAME_SLACK) + 1
        if header is not None and rate == header.rate and self.source is not None:
            unmoved = abs(clip.duration - self.source.clip.duration) * rate < 0.5
            count = header.frame_count if unmoved else count
        count = max(count - self.options.first_frame, 1 if header is None else 0)
        if self.options.frame_count:
            count = min(count, self.options.frame_count)
        limit = _MOST_FRAMES.get(self.flavor, _MOST_FRAMES_OF_ALL)
        if count > limit:
            raise FormatError(messages.W3D_TOO_MANY_FRAMES, frames=count, limit=limit)
        return Frames(count, rate, self.options.first_frame)

    def _root(self) -> Array:
        """Where the file's own space lies in the world: as on import, and as the scale option says."""
        root = np.eye(4) if self.source is None else np.array(self.source.clip.root, np.float64)
        root[:3, :3] /= self.options.scale
        return root

    def request(self) -> pivots.Request:
        """What decides about the skeleton."""
        name = self.options.hierarchy_name or self.clip.skeleton
        if self.old is not None and not self.options.hierarchy_name:
            name = text(self.old.header.hierarchy)
        return pivots.Request(
            self.clip, name, self.options.include_skeleton, self.source, self.base, self.chosen, self.report
        )

    def source_numbers(self) -> dict[str, int]:
        """Pivot numbers of the source's nodes."""
        return {} if self.source is None else pivots.numbers(self.source, self.old)

    # --- The whole ------------------------------------------------------------------------------

    def document(self) -> Document:
        """The file."""
        target = self.target
        placed = self._placed(target)
        wanted = self._wanted(placed, target)
        if self._is_skeleton_alone(wanted):
            return Document(list(self.stage.parts), self.stage.tail)
        animation = self._animation(wanted, target)
        parts = list(self.stage.parts)
        if self.replaced is None:
            parts.append(animation)
        else:
            parts[next(at for at, part in enumerate(parts) if part is self.replaced)] = animation
        parts = pivots.with_hierarchy(parts, target, self.request(), animation)
        return Document(parts, self.stage.tail)

    def _is_skeleton_alone(self, wanted: dict[int, WantedTracks]) -> bool:
        """The source held no animation and still has none."""
        return self.source is not None and self.base is None and self.old is None and not wanted

    def _placed(self, target: Skeleton) -> Clip:
        """The clip on the file's pivots, world motion kept; tracks of unchanged spaces are the same objects."""
        times = self.frames.times
        clip = pivots.renamed(without_scales(self.clip, times, self.report), target)
        clip = clip if target.built else adopted(clip, target.nodes, self.root)
        if target.hierarchy is None and self.source is not None and not self.source.clip.rests_known:
            return clip  # nothing is known of the pivots' rests, so the numbers stay what they are
        nodes = list(target.nodes)
        if any(track.node == nodes[0].name for track in clip.tracks if track.kind is TrackKind.TRANSFORM):
            # the engine never moves the root: what it did goes into its children
            self.report.warn(messages.W3D_ROOT_MOTION, name=nodes[0].name)
            nodes = pivots.with_other_root(nodes)
        lost = {track.node for track in clip.tracks} - {node.name for node in target.nodes}
        for name in sorted(lost):
            self.report.warn(messages.W3D_NO_PIVOT, name=name)
        return rebase.rebase(clip, nodes, self.root, times=times, report=self.report)

    def _wanted(self, clip: Clip, target: Skeleton) -> dict[int, WantedTracks]:
        """Tracks by pivot; what W3D cannot say is reported."""
        numbers = {node.name: pivot for node, pivot in zip(target.nodes, target.pivots, strict=True)}
        found: dict[int, WantedTracks] = defaultdict(WantedTracks)
        for block in clip.tracks:
            pivot = numbers.get(block.node, 0)
            for track in curve.split(block):
                self._sort(found, pivot, track)
        return {pivot: found[pivot] for pivot in sorted(found)}

    def _sort(self, found: dict[int, WantedTracks], pivot: int, track: Track) -> None:
        kinds = KINDS.get(track.property) if track.kind in (TrackKind.TRANSFORM, TrackKind.CUSTOM) else None
        if pivot > 0 and track.property == VISIBILITY:
            found[pivot].bits = track
        elif pivot > 0 and kinds is not None and track.component < len(kinds):
            kind = kinds[track.component]
            row = track.component if kind == ChannelType.QUATERNION else 0
            found[pivot].values[kind].append((row, track))
        elif track.property == SCALE:
            if is_scaling(track):
                self._tell_once(messages.W3D_NO_SCALE, name=track.node)
        elif track.property not in (LOCATION, ROTATION):
            self._tell_once(messages.W3D_NO_PROPERTY, name=track.node, property=track.property)

    def _tell_once(self, template: str, **values: Any) -> None:
        """A warning for all components of a property together."""
        if not any(entry.template == template and entry.values == values for entry in self.report.warnings):
            self.report.warn(template, **values)

    # --- The animation --------------------------------------------------------------------------

    def _animation(self, wanted: dict[int, WantedTracks], target: Skeleton) -> AnyAnimation:
        origin = self._origin()
        fresh = FreshChannels(self._form(), origin, self.report)
        fresh.collect(wanted)
        parts = self._kept_parts(fresh, origin.channels)
        header = self._header(target)
        if self.same_form and self.old is not None:
            at = next(at for at, part in enumerate(parts) if part is self.old.header)
            parts[at] = header
            return type(self.old)(parts, flagged=self.old.flagged, tail=self.old.tail)
        make = Animation if isinstance(header, AnimationHeader) else CompressedAnimation
        return make([header, *parts], flagged=True)

    def _form(self) -> Form:
        options = self.options
        tolerances = Tolerances(options.translation_tolerance, math.radians(options.rotation_tolerance))
        return Form(self.flavor, self.frames, tolerances, self.same_form)

    def _origin(self) -> Origin:
        if self.source is None:
            return Origin()
        tracks, numbers = self.source.clip.tracks, self.source_numbers()
        if self.old is None:
            return Origin(tracks=tracks, numbers=numbers)
        return Origin(played.channels_of(self.old), played.pivot_shift(self.old), tracks, numbers)

    def _kept_parts(self, fresh: FreshChannels, old: played.Channels) -> list[Chunk]:
        """The source's chunks with the new channels in the place of the old ones, further ones at the end."""
        if self.old is None:
            return list(fresh.all())
        if not self.same_form:
            kept = [part for part in self.old.parts if isinstance(part, OpaqueChunk)]
            return [*kept, *fresh.all()]
        playing = {id(channel): key for key, channel in old.values.items()}
        hiding = {id(channel): pivot for pivot, channel in old.bits.items()}
        parts: list[Chunk] = []
        for part in self.old.parts:
            if id(part) in playing:
                parts.extend(fresh.take_value(playing[id(part)], part))
            elif id(part) in hiding:
                parts.extend(fresh.take_bits(hiding[id(part)], part))
            else:
                parts.append(part)
        return [*parts, *fresh.all()]

    def _header(self, target: Skeleton) -> AnimationHeader | CompressedHeader:
        name, hierarchy = self._names(target)
        count, rate = self.frames.count, self.frames.rate
        old = None if self.old is None else self.old.header
        if self.same_form and old is not None:
            if (old.name, old.hierarchy) == (name, hierarchy):
                return old
            return replace(old, name=name, hierarchy=hierarchy)
        if self.flavor == "RAW":
            return AnimationHeader(layout.VERSION_RAW, name, hierarchy, count, rate)
        version = layout.VERSION_MOTION if self.flavor.startswith("BFME") else layout.VERSION_COMPRESSED
        flavor = Flavor.ADAPTIVE_DELTA if self.flavor == "ADAPTIVE_DELTA" else Flavor.TIMECODED
        return CompressedHeader(version, name, hierarchy, count, rate, int(flavor))

    def _names(self, target: Skeleton) -> tuple[bytes, bytes]:
        if self.options.animation_name:
            name = names.chosen(self.options.animation_name, "animation name")
        elif self.old is not None and self.source is not None and not self.source.renamed:
            name = self.old.header.name
        else:
            name = names.shortened([names.without_suffix(self.clip.name) or "ANIMATION"], self.report)[0]
        if self.options.hierarchy_name:
            return name, names.chosen(self.options.hierarchy_name, "hierarchy name")
        if self.old is not None and text(self.old.header.hierarchy).upper() == target.name.upper():
            return name, self.old.header.hierarchy
        if target.hierarchy is not None:
            return name, target.hierarchy.header.name
        return name, names.shortened([target.name or text(name)], self.report)[0]
