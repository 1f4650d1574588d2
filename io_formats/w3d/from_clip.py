"""Clip -> Document: untouched channels are kept as they were, the others are encoded again on whole frames."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from ..clip import Array, Clip, Node, Source, pivots, quaternion
from ..clip import messages as clip_messages
from ..clip.bone_names import NAME_LENGTH, cut_names, in_latin
from ..clip.measure import FRAMES_ALONE, Promise
from ..clip.whole_frames import ASSUMED_RATE, Frames, chosen_frames, reckon_frames
from ..errors import FormatError, Report
from ..format import A_NEW_FILE, Destination, facing
from . import document as w3d
from . import layout, messages
from .encode_channels import OF_FADE, Form, Wanted, fresh_channels, in_order
from .layout import NAME_SIZE, Flavor
from .options import ReadOptions, WriteOptions
from .playback import KINDS, channels_of, form_of, pivot_shift
from .to_clip import from_hierarchy

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
    return w3d.text(name).upper() == file.upper()


def from_clip(
    clip: Clip, options: WriteOptions, report: Report, to: Destination[w3d.Document, ReadOptions] = A_NEW_FILE
) -> w3d.Document:
    """Return the file for a clip.

    Args:
        to: what was not touched keeps the bytes of its `source`, whose other chunks stay; in `into`, the animation of
            the same name is replaced, else another is added; the hierarchy of `skeleton` decides which pivot has
            which number; in `file` the game looks for the animation of that name.

    Raises:
        FormatError: a typed name does not fit, the clip has more frames than the form can count, or the file to
            save into is for another hierarchy.
    """
    asked = _asked_for(clip, options, report, to)
    build = partial(_built, asked.request.name or _SUFFIX.sub("", asked.clip.name) or "SKELETON", report)
    target = pivots.skeleton_to_write(asked.request, asked.clip, report, from_hierarchy, build)
    _tell_others(asked)
    turn = facing(asked.options).T
    clip = pivots.placed_on(asked.clip, target, to.source, asked.root, asked.frames.times, report, turn=turn)
    wanted = pivots.by_pivot(clip, target.numbers, KINDS, report)
    if to.source is not None and to.into is None and asked.old is None and not wanted:
        document = w3d.Document(list(asked.stage.parts), asked.stage.tail)  # a skeleton alone, and still one
    else:
        animation = _animation(asked, target, wanted)
        document = _document(asked, target, animation)
        number = next(at for at, each in enumerate(document.animations) if each is animation)
        facts = {"root": asked.root, "frames": asked.frames.times, "number": number, "promise": _promise(asked)}
        if to.source is not None and to.source.options is not None:
            facts["reading"] = {"engine": to.source.options.engine}
        to.tell(pivots.written(asked.clip, target, from_hierarchy, to.source, **facts))
    return document


def tell_if_lost(document: w3d.Document, came_from: str, goes_to: str, report: Report) -> None:
    """Warn if the game finds the only animation of a file by the old file name, but not by the new one."""
    found = [animation.header.name for animation in document.animations]
    if len(found) == 1 and _is_found(found[0], came_from) and not _is_found(found[0], goes_to):
        report.warn(messages.NOT_FOUND_BY_NAME, name=w3d.text(found[0]), file=goes_to)


# --- What is asked for --------------------------------------------------------------------------


@dataclass(frozen=True)
class _Asked(pivots.Asked[w3d.Document, WriteOptions, w3d.AnyAnimation, bytes]):
    """The same, and in which form."""

    flavor: str


def _asked_for(clip: Clip, options: WriteOptions, report: Report, to: Destination[w3d.Document, ReadOptions]) -> _Asked:
    stage = to.into or (to.source.document if to.source is not None else w3d.Document())
    old: w3d.AnyAnimation | None = pivots.animation_of(to.source)
    # as typed, else the source's, else the file's, by which the game finds it
    file = to.file if all(found is old for found in stage.animations) else ""
    if options.animation_name:
        name = chosen(options.animation_name, "animation name")
    elif old is not None and to.source is not None and _keeps_name(old.header.name, to.source, file):
        name = old.header.name
    else:
        name = shortened([file or _SUFFIX.sub("", clip.name) or "ANIMATION"], report)[0]
    own = clip.skeleton if old is None else w3d.text(old.header.hierarchy)
    if old is None and to.skeleton is None and own and not options.hierarchy_name:  # as it will be in the file
        own = w3d.text(shortened([own], report)[0])
    used = set() if old is None else channels_of(old).pivots
    request = pivots.SkeletonRequest(to, options.hierarchy_name, options.include_skeleton, own, used)
    replaced = old
    if to.into is not None:
        there = request.refuse_others(w3d.hierarchy_names(to.into), to.file and f"{to.file}.w3d")
        alike = [found for found in to.into.animations if _is_found(found.header.name, w3d.text(name))]
        fits = (found for found in alike if there in ("", w3d.text(found.header.hierarchy).upper()))
        replaced = next(fits, None)
    model = old or replaced
    flavor = options.flavor if options.flavor != "AUTO" else "RAW" if model is None else form_of(model)
    own_frames = None if old is None else (old.header.frame_count, old.header.rate)
    frames = chosen_frames(clip, to.source, own_frames, options, report)
    reckon_frames(frames, clip, _MOST_FRAMES.get(flavor, _MOST_FRAMES_OF_ALL))
    root = pivots.file_space(to, options.scale)
    clip = pivots.without_scales(clip, frames, root, report)
    return _Asked(clip, options, report, to, stage, old, name, replaced, frames, root, request, flavor)


def _keeps_name(name: bytes, source: Source[w3d.Document, ReadOptions], file: str) -> bool:
    """Return whether the animation of a source is not called as another `file`, the only one that it is in, if any."""
    return not source.renamed and (not file or not _is_found(name, Path(source.file).stem) or _is_found(name, file))


# --- The document -------------------------------------------------------------------------------


def _animation(asked: _Asked, target: pivots.Skeleton[w3d.Hierarchy], wanted: Wanted) -> w3d.AnyAnimation:
    options, old, source = asked.options, asked.old, asked.to.source
    template, alike = None, old is not None and form_of(old) == asked.flavor
    if old is not None:
        own_frames = Frames(old.header.frame_count, old.header.rate or ASSUMED_RATE)
        template = old if alike and asked.frames == own_frames and target.has(asked.request.numbers) else None
    turn, unit = math.radians(options.rotation_tolerance), pivots.figure_unit(asked.clip)
    form = Form(asked.flavor, asked.frames, options.location_tolerance, turn, unit, alike, template is not None)
    if source is not None:
        form.tracks, form.numbers = source.clip.tracks, asked.request.numbers
    if old is not None:
        form.channels, form.shift = channels_of(old), 0 if template is None else pivot_shift(template)
    fresh = fresh_channels(wanted, form, asked.report)
    header = _header(asked, _hierarchy_name(asked, target), template)
    if template is not None:
        parts = [header if part is template.header else part for part in in_order(template.parts, fresh, form)]
        return type(template)(parts, flagged=template.flagged, tail=template.tail)
    make = w3d.Animation if isinstance(header, w3d.AnimationHeader) else w3d.CompressedAnimation
    opaque = () if old is None else old.all(w3d.OpaqueChunk)
    return make([header, *in_order(opaque, fresh, form)], flagged=True)


def _header(
    asked: _Asked, hierarchy: bytes, template: w3d.AnyAnimation | None
) -> w3d.AnimationHeader | w3d.CompressedHeader:
    name, count, rate = asked.name, asked.frames.count, asked.frames.rate
    if template is not None:
        old = template.header
        return old if (old.name, old.hierarchy) == (name, hierarchy) else replace(old, name=name, hierarchy=hierarchy)
    if asked.flavor == "RAW":
        return w3d.AnimationHeader(layout.VERSION_RAW, name, hierarchy, count, rate)
    version = layout.VERSION_MOTION if asked.flavor.startswith("BFME") else layout.VERSION_COMPRESSED
    flavor = Flavor.ADAPTIVE_DELTA if asked.flavor == "ADAPTIVE_DELTA" else Flavor.TIMECODED
    return w3d.CompressedHeader(version, name, hierarchy, count, rate, int(flavor))


def _hierarchy_name(asked: _Asked, target: pivots.Skeleton[w3d.Hierarchy]) -> bytes:
    if asked.options.hierarchy_name:
        return chosen(asked.options.hierarchy_name, "hierarchy name")
    if asked.old is not None and w3d.text(asked.old.header.hierarchy).upper() == target.name.upper():
        return asked.old.header.hierarchy
    if target.hierarchy is not None:
        return target.hierarchy.header.name
    return shortened([target.name or w3d.text(asked.name)], asked.report)[0]


def _document(asked: _Asked, target: pivots.Skeleton[w3d.Hierarchy], animation: w3d.AnyAnimation) -> w3d.Document:
    """Return the stage with the animation, and before it the hierarchy that the option asks for."""
    parts, request, hierarchy = list(asked.stage.parts), asked.request, target.hierarchy
    # after a chunk that claims more than the file has, nothing would be found
    at = len(parts) - bool(parts and parts[-1].excess)
    if asked.replaced is not None:
        at = next(number for number, part in enumerate(parts) if part is asked.replaced)
    parts[at : at + (asked.replaced is not None)] = [animation]
    same = None if hierarchy is None else pivots.named(asked.stage.hierarchies, hierarchy.name)
    # a chosen skeleton takes the place of another one of its name in the source's file
    replaces = same is not None and request.to.chosen and request.to.into is None
    if request.include == "EXCLUDE":
        if request.to.into is None:
            parts = [part for part in parts if not isinstance(part, w3d.Hierarchy)]
    elif hierarchy is not None and (target.built or request.include == "INCLUDE" or replaces):
        if same is not None:
            parts = [hierarchy if part is same else part for part in parts]
        else:
            parts.insert(at, hierarchy)
    return w3d.Document(parts, asked.stage.tail)


# --- What is said of it -------------------------------------------------------------------------


def _tell_others(asked: _Asked) -> None:
    others = [w3d.text(found.header.name) for found in asked.stage.animations if found is not asked.replaced]
    own = None if asked.old is None else asked.old.header.name
    name, file = w3d.text(asked.name), asked.to.file
    if others and asked.replaced is None:
        asked.report.note(clip_messages.ANIMATION_ADDED, name=name, others=", ".join(others))
    if not others and file and asked.name != own and not _is_found(asked.name, file):
        asked.report.warn(messages.NOT_FOUND_BY_NAME, name=name, file=file)


def _promise(asked: _Asked) -> Promise:
    """Return how far the form of the file may be off, by the tolerances of this export."""
    options = asked.options
    if "TIMECODED" in asked.flavor:
        turn = _ROUNDED * options.rotation_tolerance
        value = _ROUNDED * options.location_tolerance * OF_FADE
        place = _ROUNDED * options.location_tolerance * pivots.figure_unit(asked.clip)
        return Promise(place, turn=turn + _TURN, link=turn, swings=True, value=value, between=FRAMES_ALONE)
    if "ADAPTIVE" in asked.flavor:
        return Promise(share=_DELTA, turn=_DELTA_TURN, link=_DELTA_TURN, swings=True, between=2.0)
    return Promise(turn=_TURN, link=_LINK, between=FRAMES_ALONE)


# --- A hierarchy of the clip's own nodes --------------------------------------------------------


def _built(
    name: str, report: Report, nodes: list[Node], model: pivots.Skeleton[w3d.Hierarchy] | None
) -> pivots.Skeleton[w3d.Hierarchy]:
    """Return a hierarchy of nodes; of a model, from which some are, it has the name and the fixups."""
    records = _records(nodes, report)
    old = None if model is None else model.hierarchy
    # as the original exporter writes it, with fixups if the model has some
    own = shortened([name], report)[0] if old is None else old.header.name
    header = w3d.HierarchyHeader(layout.VERSION_RAW, own, len(records), np.zeros(3, "<f4"))
    parts: list[w3d.Chunk] = [header, w3d.Pivots(records)]
    fixups = None if old is None else old.first(w3d.Fixups)
    if model is not None and old is not None and fixups is not None:
        own_nodes = model.nodes[-len(old.records) :]  # which have a root in front that an old version leaves out
        kept = {node.name: matrix for node, matrix in zip(own_nodes, fixups.matrices)}
        matrices = [kept.get(node.name, np.eye(*layout.FIXUP_SHAPE)) for node in nodes]
        parts.append(w3d.Fixups(np.array(matrices, "<f4")))
    return pivots.Skeleton.of(w3d.Hierarchy(parts, flagged=True), nodes, built=True)


def _records(nodes: list[Node], report: Report) -> Array:
    """Return (n,) records of `layout.PIVOT`."""
    records = np.zeros(len(nodes), layout.PIVOT)
    index = {node.name: number for number, node in enumerate(nodes)}
    names = _without_namespace([node.original or node.name for node in nodes], report)
    fields = shortened(names, report)
    matrices = np.stack([node.rest for node in nodes])
    records["name"] = np.array(fields, "V16")
    records["parent"] = [layout.NO_PARENT, *(index[node.parent or nodes[0].name] for node in nodes[1:])]
    records["translation"] = matrices[:, :3, 3]
    records["rotation"] = quaternion.from_matrix(matrices[:, :3, :3])[layout.W_LAST].T
    return records


# Names as W3D has them: upper case, at most 15 bytes and a NUL.

_SUFFIX = re.compile(r"\.\d*$")
"""The number that Blender adds to duplicate names; the original exporter drops it, too."""


def chosen(name: str, field: str) -> bytes:
    """Return the name field for a name as typed; FormatError if it has over 15 characters, or any not in Latin-1."""
    is_latin = in_latin(name).replace("_", "") == name.upper().replace("_", "")
    if len(name) > NAME_LENGTH or not is_latin:
        raise FormatError(messages.NAME_TOO_LONG, field=field, name=name, limit=NAME_LENGTH)
    return padded(name)


def _without_namespace(names: list[str], report: Report) -> list[str]:
    """Return names without their namespace, such as `mixamorig:`, where one is too long with it and all still differ.

    Matching passes over namespaces, so that the file fits its armature again.
    """
    own = [name.rpartition(":")[2] or name for name in names]
    spaces = dict.fromkeys(name.removesuffix(short) for name, short in zip(names, own) if name != short)
    too_long = any(len(name) > NAME_LENGTH for name, short in zip(names, own) if name != short)
    if not too_long or len(set(map(in_latin, own))) < len(set(map(in_latin, names))):
        return names
    report.warn(messages.NAMESPACE_LEFT_OUT, names=", ".join(spaces), limit=NAME_LENGTH)
    return own


def shortened(names: list[str], report: Report) -> list[bytes]:
    """Return 16-byte name fields that all differ; names that had to change are reported."""
    cut = cut_names(names)
    for name, short in zip(names, cut):
        if short != name.upper():
            report.warn(clip_messages.NAME_CHANGED, name=name, short=short)
    return list(map(padded, cut))


def padded(name: str) -> bytes:
    """Return the 16 bytes of a name field."""
    return in_latin(name).encode("latin-1").ljust(NAME_SIZE, b"\0")
