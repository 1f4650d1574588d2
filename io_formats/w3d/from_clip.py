"""Clip -> Document: untouched channels are kept as they were, the others are encoded again on whole frames."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..clip import HIDE, LOCATION, ROTATION, SCALE, Array, Clip, Node, Source, Track, TrackKind, quaternion
from ..clip import messages as clip_messages
from ..clip.measure import Promise
from ..clip.pivots import (
    VISIBILITY,
    Skeleton,
    SkeletonRequest,
    as_visibility,
    figure_unit,
    file_space,
    named,
    placed_on,
    renamed,
    rests,
    skeleton_to_write,
    unscaled,
    written,
)
from ..clip.rest_pose import adopted
from ..clip.rigid import is_scaling, without_scales
from ..clip.whole_frames import ASSUMED_RATE, NUMBERS_A_FRAME, Frames, chosen_frames, ended
from ..errors import FormatError, Report
from ..files.memory import reckon
from ..format import A_NEW_FILE, Destination
from . import layout, messages
from . import playback as played
from .describe import hierarchy_names
from .document import (
    Animation,
    AnimationHeader,
    AnyAnimation,
    Chunk,
    CompressedAnimation,
    CompressedHeader,
    Document,
    Fixups,
    Hierarchy,
    HierarchyHeader,
    OpaqueChunk,
    Pivots,
    text,
)
from .encode_channels import KINDS, Form, FreshChannels, Origin, Tolerances, WantedTracks
from .layout import NAME_LENGTH, NAME_SIZE, ChannelType, Flavor
from .options import ReadOptions, WriteOptions
from .playback import channels_of, form_of
from .skeleton import from_hierarchy

_TURN, _LINK = 0.02, 0.006
"""Degrees by which float32 leaves a pivot's turn off, and those of each pivot that it hangs on."""
_ROUNDED = 1.2
"""What rounding adds to the tolerances of a timecoded file."""
_DELTA, _DELTA_TURN = 0.01, 1.0
"""Part of the size and degrees for each pivot by which differences of 4 bits may be off in ordinary motion."""
_MOST_FRAMES = {"RAW": 65536, "BFME_TIMECODED": 32768, "BFME_ADAPTIVE": 65535}
_MOST_FRAMES_OF_ALL = 1 << 24


def _is_found(name: bytes, file: str) -> bool:
    """Return whether the game finds an animation by its name: it looks for HIERARCHY.NAME in NAME.w3d, in any case."""
    return text(name).upper() == file.upper()


def from_clip(
    clip: Clip, options: WriteOptions, report: Report, to: Destination[Document, ReadOptions] = A_NEW_FILE
) -> Document:
    """Return the file for a clip.

    Args:
        to: what was not touched keeps the bytes of its `source`, whose other chunks stay; in `into`, the animation of
            the same name is replaced, else another is added; the hierarchy of `skeleton` decides which pivot has
            which number; in `file` the game looks for the animation of that name.

    Raises:
        FormatError: a typed name does not fit, the clip has more frames than the form can count, or the file to
            save into is for another hierarchy.
    """
    export = _Export(clip, options, report, to)
    document = export.document()
    export.tell(document, to)
    return document


def tell_if_lost(document: Document, came_from: str, goes_to: str, report: Report) -> None:
    """Warn if the game finds the only animation of a file by the old file name, but not by the new one."""
    found = [animation.header.name for animation in document.animations]
    if len(found) == 1 and _is_found(found[0], came_from) and not _is_found(found[0], goes_to):
        report.warn(messages.NOT_FOUND_BY_NAME, name=text(found[0]), file=goes_to)


class _Export:
    """The export of one clip into one file."""

    def __init__(
        self, clip: Clip, options: WriteOptions, report: Report, to: Destination[Document, ReadOptions]
    ) -> None:
        self.options, self.report, self.file = options, report, to.file
        self.source, self.into, self.chosen = to.source, to.into, to.skeleton
        self.stage = to.into or (to.source.document if to.source is not None else Document())
        self.old = self._old_animation()
        self.name = self._name(clip)
        self.replaced = self._replaced_animation(clip)
        self.flavor = self._flavor()
        self.frames = self._frames(clip)
        self.root = file_space(to.source, options.scale)
        self.clip = without_scales(unscaled(ended(clip, self.frames), self.root), self.frames.times, report)
        self.target = choose(self.request())
        self.same_numbers = self.source is not None and self.target.has(self.source_numbers())

    # --- What is asked for ----------------------------------------------------------------------

    def _old_animation(self) -> AnyAnimation | None:
        animations = [] if self.source is None else self.source.document.animations
        index = 0 if self.source is None else self.source.index
        return animations[index] if index < len(animations) else None

    def _name(self, clip: Clip) -> bytes:
        """Return the animation's name: as typed, else the source's, else the file's, by which the game finds it."""
        typed = self.options.animation_name
        if typed:
            return chosen(typed, "animation name")
        own = None if self.old is None or self.source is None or self.source.renamed else self.old.header.name
        alone = not any(found is not self.old for found in self.stage.animations)
        if own is not None and not (alone and self.source is not None and _is_found(own, Path(self.source.file).stem)):
            return own
        if own is not None and (not self.file or _is_found(own, self.file)):
            return own
        wanted = self.file if alone and self.file else without_suffix(clip.name)
        return shortened([wanted or "ANIMATION"], self.report)[0]

    def _replaced_animation(self, clip: Clip) -> AnyAnimation | None:
        """Return the animation that the new one replaces; None if it is added.

        Raises:
            FormatError: the file to save into is for another hierarchy.
        """
        if self.into is None:
            return self.old
        hierarchy = self._hierarchy_wanted(clip).upper()
        there = hierarchy_names(self.into)
        if hierarchy and there and hierarchy not in (name.upper() for name in there):
            raise FormatError(
                messages.OTHER_HIERARCHY,
                file=self.file and f"{self.file}.w3d",
                wanted=hierarchy,
                found=", ".join(there),
            )
        for found in self.into.animations:
            same = text(found.header.name).upper() == text(self.name).upper()
            if same and (not hierarchy or text(found.header.hierarchy).upper() == hierarchy):
                return found
        return None

    def _hierarchy_wanted(self, clip: Clip) -> str:
        """Return the name of the hierarchy that the animation is for, empty if it is unknown."""
        if self.options.hierarchy_name:
            return self.options.hierarchy_name
        name = clip.skeleton if self.old is None else text(self.old.header.hierarchy)
        chosen = [] if self.chosen is None else self.chosen.hierarchies
        return (named(chosen, name) or chosen[0]).name if chosen else name

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
        same_frames = self.frames == Frames(header.frame_count, header.rate or ASSUMED_RATE)
        return same_frames and self.same_numbers

    def _frames(self, clip: Clip) -> Frames:
        header = None if self.old is None else self.old.header
        own = None if header is None else (header.frame_count, header.rate)
        frames = chosen_frames(clip, self.source, own, self.options, self.report)
        limit = _MOST_FRAMES.get(self.flavor, _MOST_FRAMES_OF_ALL)
        if frames.count > limit:
            raise FormatError(messages.TOO_MANY_FRAMES, frames=frames.count, limit=limit)
        reckon(keys=frames.count * len(clip.nodes) * NUMBERS_A_FRAME)
        return frames

    def request(self) -> SkeletonRequest[Document]:
        """Return everything the choice of the skeleton depends on."""
        name = self.options.hierarchy_name or self.clip.skeleton
        if self.old is not None and not self.options.hierarchy_name:
            name = text(self.old.header.hierarchy)
        return SkeletonRequest(
            self.clip, name, self.options.include_skeleton, self.source, self.into, self.chosen, self.report
        )

    def source_numbers(self) -> dict[str, int]:
        """Return the pivot numbers of the source's nodes, by name."""
        return {} if self.source is None else numbers(self.source)

    # --- The document ---------------------------------------------------------------------------

    def document(self) -> Document:
        """Return the file."""
        target = self.target
        self._tell_where()
        placed = self._placed(target)
        wanted = self._wanted(placed, target)
        still_alone = self.source is not None and self.into is None and self.old is None and not wanted
        if still_alone:
            return Document(list(self.stage.parts), self.stage.tail)
        animation = self._animation(wanted, target)
        parts = list(self.stage.parts)
        if self.replaced is None:
            # after a chunk that claims more than the file has, nothing would be found
            parts.insert(len(parts) - bool(parts and parts[-1].excess), animation)
        else:
            parts[next(at for at, part in enumerate(parts) if part is self.replaced)] = animation
        parts = with_hierarchy(parts, target, self.request(), animation)
        return Document(parts, self.stage.tail)

    def tell(self, document: Document, to: Destination[Document, ReadOptions]) -> None:
        """Say where the clip is in the file."""
        found = (at for at, each in enumerate(document.animations) if text(each.header.name) == text(self.name))
        number = next(found, None)
        if number is not None:
            facts = {"root": self.root, "frames": self.frames.times, "number": number, "promise": self._promise()}
            to.tell(written(self.clip, self.target, from_hierarchy, **facts))

    def _promise(self) -> Promise:
        """Return how far the form of the file may be off, by the tolerances of this export."""
        options = self.options
        if "TIMECODED" in self.flavor:
            turn = _ROUNDED * options.rotation_tolerance
            place = _ROUNDED * options.location_tolerance * figure_unit(self.clip)
            return Promise(place, turn=turn + _TURN, link=turn, swings=True)
        if "ADAPTIVE" in self.flavor:
            return Promise(share=_DELTA, turn=_DELTA_TURN, link=_DELTA_TURN, swings=True)
        return Promise(turn=_TURN, link=_LINK)

    def _tell_where(self) -> None:
        """Report which animations are beside the new one, and whether the game will find it."""
        others = [text(found.header.name) for found in self.stage.animations if found is not self.replaced]
        name, own = text(self.name), None if self.old is None else self.old.header.name
        if others and self.replaced is None:
            self.report.note(messages.ADDED, name=name, others=", ".join(others))
        if not others and self.file and self.name != own and not _is_found(self.name, self.file):
            self.report.warn(messages.NOT_FOUND_BY_NAME, name=name, file=self.file)

    def _placed(self, target: Skeleton[Hierarchy]) -> Clip:
        """Return the clip on the file's pivots, with its world motion; unchanged tracks are the same objects."""
        times = self.frames.times
        clip = renamed(self.clip, target.nodes)
        clip = clip if target.built else adopted(clip, target.nodes, self.root)
        if target.hierarchy is None and self.source is not None and not self.source.clip.rests_known:
            return clip  # the pivots' rests are unknown, so the numbers stay as they are
        return placed_on(clip, target.nodes, self.root, times, self.report)

    def _wanted(self, clip: Clip, target: Skeleton[Hierarchy]) -> dict[int, WantedTracks]:
        """Return tracks by pivot; what W3D cannot hold is reported."""
        found: dict[int, WantedTracks] = defaultdict(WantedTracks)
        for block in clip.tracks:
            pivot = target.numbers.get(block.node, 0)
            for track in block.rows():
                self._sort(found, pivot, track)
        return {pivot: found[pivot] for pivot in sorted(found)}

    def _sort(self, found: dict[int, WantedTracks], pivot: int, track: Track) -> None:
        kinds = KINDS.get(track.property) if track.kind in (TrackKind.TRANSFORM, TrackKind.CUSTOM) else None
        if pivot > 0 and track.property == VISIBILITY:
            found[pivot].bits = track
        elif pivot > 0 and (track.kind, track.property) == (TrackKind.RNA, HIDE):
            found[pivot].bits = found[pivot].bits or as_visibility(track)
        elif pivot > 0 and kinds is not None and track.component < len(kinds):
            kind = kinds[track.component]
            row = track.component if kind == ChannelType.QUATERNION else 0
            found[pivot].values[kind].append((row, track))
        elif track.property == SCALE:
            if is_scaling(track):
                self._tell_once(clip_messages.NO_SCALE, name=track.node)
        elif track.property not in (LOCATION, ROTATION):
            self._tell_once(messages.NO_PROPERTY, name=track.node, property=track.property)

    def _tell_once(self, template: str, **values: Any) -> None:
        """Add a warning unless it was added already, so that components of a property have one together."""
        if not any(entry.template == template and entry.values == values for entry in self.report.warnings):
            self.report.warn(template, **values)

    # --- The animation --------------------------------------------------------------------------

    def _animation(self, wanted: dict[int, WantedTracks], target: Skeleton[Hierarchy]) -> AnyAnimation:
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
        tolerances = Tolerances(
            options.location_tolerance, math.radians(options.rotation_tolerance), figure_unit(self.clip)
        )
        return Form(self.flavor, self.frames, tolerances, self.same_form)

    def _origin(self) -> Origin:
        if self.source is None:
            return Origin()
        tracks, numbers = self.source.clip.tracks, self.source_numbers()
        if self.old is None:
            return Origin(tracks=tracks, numbers=numbers)
        return Origin(played.channels_of(self.old), played.pivot_shift(self.old), tracks, numbers)

    def _kept_parts(self, fresh: FreshChannels, old: played.Channels) -> list[Chunk]:
        """Return the source's chunks with their channels replaced by the new ones, and further channels at the end."""
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

    def _header(self, target: Skeleton[Hierarchy]) -> AnimationHeader | CompressedHeader:
        name, hierarchy = self.name, self._hierarchy_name(target)
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

    def _hierarchy_name(self, target: Skeleton[Hierarchy]) -> bytes:
        if self.options.hierarchy_name:
            return chosen(self.options.hierarchy_name, "hierarchy name")
        if self.old is not None and text(self.old.header.hierarchy).upper() == target.name.upper():
            return self.old.header.hierarchy
        if target.hierarchy is not None:
            return target.hierarchy.header.name
        return shortened([target.name or text(self.name)], self.report)[0]


# The skeleton of an exported file: the numbers of the pivots, and the hierarchy chunk if one is needed.


def choose(request: SkeletonRequest[Document]) -> Skeleton[Hierarchy]:
    """Return the pivots to write for: the chosen file's, the existing file's, the source's, or the clip's own."""
    held = [hierarchy for document in request.documents() for hierarchy in document.hierarchies]
    return skeleton_to_write(request, held, from_hierarchy, numbers, partial(_built, request))


def numbers(source: Source[Document, ReadOptions]) -> dict[str, int]:
    """Return pivot numbers of the source's nodes; without a skeleton, only pivots with channels have nodes."""
    nodes, animations = source.clip.nodes, source.document.animations
    if source.clip.rests_known or source.index >= len(animations):
        first = int(source.options is not None and not source.options.root_bone)
        return {node.name: number for number, node in enumerate(nodes, first)}
    pivots = sorted(channels_of(animations[source.index]).pivots - {0})
    return {node.name: pivot for node, pivot in zip(nodes, pivots, strict=True)}


# --- A hierarchy of the clip's own nodes --------------------------------------------------------


def _built(
    request: SkeletonRequest[Document], nodes: list[Node], model: Skeleton[Hierarchy] | None
) -> Skeleton[Hierarchy]:
    """Return a hierarchy of nodes; of a model, from which some are, it has the name and the fixups."""
    records = _records(nodes, request.report)
    matrices = rests(records["translation"], records["rotation"])
    matrices[0] = np.eye(4)
    nodes = [replace(node, rest=matrix) for node, matrix in zip(nodes, matrices, strict=True)]
    name = shortened([request.name or without_suffix(request.clip.name) or "SKELETON"], request.report)[0]
    if model is not None and model.hierarchy is not None:
        name = model.hierarchy.header.name
    hierarchy = _hierarchy(name, records, model)
    return Skeleton.of(hierarchy, nodes, built=True)


def _records(nodes: list[Node], report: Report) -> Array:
    """Return (n,) records of `layout.PIVOT`."""
    records = np.zeros(len(nodes), layout.PIVOT)
    index = {node.name: number for number, node in enumerate(nodes)}
    fields = shortened([node.original or node.name for node in nodes], report)
    matrices = np.stack([node.rest for node in nodes])
    matrices[0] = np.eye(4)
    records["name"] = np.array(fields, "V16")
    records["parent"] = [layout.NO_PARENT, *(index[node.parent or nodes[0].name] for node in nodes[1:])]
    records["translation"] = matrices[:, :3, 3]
    records["rotation"] = quaternion.from_matrix(matrices[:, :3, :3])[layout.W_LAST].T
    return records


def _hierarchy(name: bytes, records: Array, model: Skeleton[Hierarchy] | None) -> Hierarchy:
    """Return a hierarchy of records (n,) as the original exporter writes it, with fixups if the model has some."""
    header = HierarchyHeader(layout.VERSION_RAW, name, len(records), np.zeros(3, "<f4"))
    parts: list[Chunk] = [header, Pivots(records)]
    old = None if model is None or model.hierarchy is None else model.hierarchy.first(Fixups)
    if old is not None:
        matrices = np.zeros((len(records), *layout.FIXUP_SHAPE), "<f4")
        matrices[:, :3, :3] = np.eye(3)
        kept = min(len(old.matrices), len(matrices))
        matrices[:kept] = old.matrices[:kept]
        parts.append(Fixups(matrices))
    return Hierarchy(parts, flagged=True)


def with_hierarchy(
    parts: list[Chunk], target: Skeleton[Hierarchy], request: SkeletonRequest[Document], animation: Chunk
) -> list[Chunk]:
    """Return the file's chunks with the hierarchy that the option asks for, before the animation."""
    if request.include == "EXCLUDE" and request.into is None:
        return [part for part in parts if not isinstance(part, Hierarchy)]
    hierarchy = target.hierarchy
    wanted = target.built or request.include == "INCLUDE"
    if hierarchy is None or not wanted or request.include == "EXCLUDE" or any(part is hierarchy for part in parts):
        return parts
    same = named([part for part in parts if isinstance(part, Hierarchy)], hierarchy.name)
    if same is not None:
        return [hierarchy if part is same else part for part in parts]
    at = next(number for number, part in enumerate(parts) if part is animation)
    return [*parts[:at], hierarchy, *parts[at:]]


# Names as W3D has them: upper case, at most 15 bytes and a NUL.

_SUFFIX = re.compile(r"\.\d*$")


def chosen(name: str, field: str) -> bytes:
    """Return the name field for a name that a person typed.

    Raises:
        FormatError: it has more than 15 characters, or characters that are not in Latin-1.
    """
    if len(name) > NAME_LENGTH or _bytes(name) is None:
        raise FormatError(messages.NAME_TOO_LONG, field=field, name=name, limit=NAME_LENGTH)
    return padded(name.upper())


def without_suffix(name: str) -> str:
    """Return the name without the number that Blender adds to duplicate names; the original exporter drops it, too."""
    return _SUFFIX.sub("", name)


def shortened(names: list[str], report: Report) -> list[bytes]:
    """Return 16-byte name fields that all differ; names that had to change are reported."""
    taken: dict[str, int] = {}
    fields = []
    for name in names:
        short = _unique(_plain(name)[:NAME_LENGTH].rstrip(".") or "PIVOT", taken)
        if short != name.upper():
            report.warn(messages.NAME_SHORTENED, name=name, short=short)
        fields.append(padded(short))
    return fields


def _unique(name: str, taken: dict[str, int]) -> str:
    """Return the name, with the first free number if it is taken; `taken` holds the last number tried for each."""
    candidate, number = name, taken.get(name, 0)
    while candidate in taken:
        number += 1
        ending = f"_{number}"
        candidate = name[: NAME_LENGTH - len(ending)] + ending
    taken[candidate] = 0
    taken[name] = number
    return candidate


def _plain(name: str) -> str:
    """Return the name in upper case, with an underscore for each character that is not in Latin-1."""
    upper = "".join(letter.upper() if len(letter.upper()) == 1 else letter for letter in name)
    return "".join(letter if 0 < ord(letter) < 256 else "_" for letter in upper)


def _bytes(name: str) -> bytes | None:
    plain = _plain(name)
    return plain.encode("latin-1") if plain.replace("_", "") == name.upper().replace("_", "") else None


def padded(name: str) -> bytes:
    """Return the 16 bytes of a name field."""
    return _plain(name).encode("latin-1")[:NAME_LENGTH].ljust(NAME_SIZE, b"\0")
