"""Clip -> Document: the text of the file with what changed in it; what nobody touched keeps its bytes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TypeAlias

import numpy as np

from ..clip import LOCATION, ROTATION, Array, Clip, Node, Track, TrackKind, curve, pivots, quaternion, whole_frames
from ..clip import messages as clip_messages
from ..clip.bone_names import unique_names
from ..clip.measure import FRAMES_ALONE, Promise
from ..errors import FormatError, Report
from ..files.steps import AtOnce, Steps, portion
from ..format import A_NEW_FILE, Destination, facing
from . import document as w3x
from . import elements, layout, messages
from .companions import from_hierarchy
from .elements import NewChannel, edited
from .layout import ORDER, TRANSLATIONS, W_LAST, ChannelType
from .options import ReadOptions, WriteOptions
from .read import read
from .to_clip import channels_of, rest_value

_MOST_FRAMES = 1 << 24
_COMPUTED = 0.3
"""Share that is done when it is known what the channels hold."""
_PROMISED = Promise(turn=0.02, link=0.006, between=FRAMES_ALONE)
"""What six decimals leave of a pivot's turn, and of each pivot that it hangs on."""


Rows = dict[int, Track]
"""Tracks by component."""

Key = tuple[int, ChannelType]
"""Pivot and what of it moves."""

_KINDS: pivots.Kinds[ChannelType] = {
    (TrackKind.TRANSFORM, LOCATION): TRANSLATIONS,
    (TrackKind.TRANSFORM, ROTATION): (ChannelType.ORIENTATION,) * 4,
    (TrackKind.CUSTOM, pivots.VISIBILITY): (ChannelType.VISIBILITY,),
}


@AtOnce
def from_clip(
    clip: Clip, options: WriteOptions, report: Report, to: Destination[w3x.Document, ReadOptions] = A_NEW_FILE
) -> Steps[w3x.Document]:
    """Return the file for a clip.

    Args:
        to: frames that were not touched keep the bytes of its `source`, and so does all else; in `into`, the animation
            of the same id is replaced, else another is added; the hierarchy of `skeleton` decides which pivot has which
            number; a new animation is called as `file`.

    Raises:
        FormatError: a name that was asked for cannot be one, the clip has too many frames, or the file to save into
            is for another hierarchy.
    """
    asked = _asked_for(clip, options, report, to)
    build = partial(_built, asked.request.name or asked.clip.name or "SKELETON", report)
    target = pivots.skeleton_to_write(asked.request, asked.clip, report, from_hierarchy, build)
    turn, times = facing(asked.options).T, asked.frames.times
    clip = pivots.placed_on(asked.clip, target, asked.to.source, asked.root, times, asked.report, turn=turn)
    tracks = _by_pivot(clip, target.numbers, asked.frames, asked.report)
    # the source's animation if frames and pivots have its numbers, so that its text can be kept
    old = asked.old
    same = old is not None and (asked.frames.rate, asked.frames.first) == (old.rate or whole_frames.ASSUMED_RATE, 0)
    template = old if same and target.has(asked.request.numbers) else None
    if asked.stage.data and old is None and to.into is None and not tracks:
        document = asked.stage  # a skeleton alone, and still one
    else:
        channels = _channels(asked, tracks, template)
        yield _COMPUTED
        data = _text_of_file(asked, target, template, channels)
        document = yield from portion(read.steps(data, limit=len(data)), _COMPUTED)
    number = next((at for at, each in enumerate(document.animations) if each.name == asked.name), None)
    if number is not None:
        facts = {"root": asked.root, "frames": asked.frames.times, "number": number, "promise": _PROMISED}
        to.tell(pivots.written(asked.clip, target, from_hierarchy, to.source, **facts))
    return document


# --- What is asked for --------------------------------------------------------------------------


_Asked: TypeAlias = pivots.Asked[w3x.Document, WriteOptions, w3x.Animation, str]


def _asked_for(clip: Clip, options: WriteOptions, report: Report, to: Destination[w3x.Document, ReadOptions]) -> _Asked:
    stage = to.into or (to.source.document if to.source is not None else w3x.Document(b""))
    old: w3x.Animation | None = pivots.animation_of(to.source)
    alone = all(found is old for found in stage.animations)
    if options.animation_name:
        name = chosen(options.animation_name, "id")
    elif old is not None and to.source is not None and not to.source.renamed:
        name = old.name
    else:
        name = as_name((to.file if alone else "") or clip.name or "ANIMATION", report)
    own = clip.skeleton if old is None else w3x.plain_name(old.hierarchy)
    if old is None and to.skeleton is None and own and not options.hierarchy_name:  # as it will be in the file
        own = as_name(own, report)
    used = set() if old is None else {pivot for pivot, _ in channels_of(old)}
    request = pivots.SkeletonRequest(to, options.hierarchy_name, options.include_skeleton, own, used)
    replaced = old
    if to.into is not None:
        there = [found.name for found in to.into.hierarchies]
        there += [w3x.plain_name(found.hierarchy) for found in to.into.animations]
        request.refuse_others(there, to.file and f"{to.file}.w3x")
        replaced = next((found for found in to.into.animations if found.name.upper() == name.upper()), None)
    own_frames = None if old is None else (old.frame_count, old.rate)
    frames = whole_frames.chosen_frames(clip, to.source, own_frames, options, report)
    whole_frames.reckon_frames(frames, clip, _MOST_FRAMES)
    root = pivots.file_space(to, options.scale)
    clip = pivots.without_scales(clip, frames, root, report)
    return _Asked(clip, options, report, to, stage, old, name, replaced, frames, root, request)


def _by_pivot(
    clip: Clip, numbers: Mapping[str, int], frames: whole_frames.Frames, report: Report | None = None
) -> dict[Key, Rows]:
    """Return the tracks on the file's frames, by pivot and type."""
    found = pivots.by_pivot(clip, numbers, _KINDS, report)
    return {
        key: {row: whole_frames.on_frames(track, frames) for row, track in found[key].items()}
        for key in sorted(found, key=lambda key: (key[0], ORDER.index(key[1])))
    }


# --- Channels -----------------------------------------------------------------------------------


def _channels(asked: _Asked, tracks: dict[Key, Rows], template: w3x.Animation | None) -> dict[Key, NewChannel | None]:
    """Return what becomes of channels: another content, or None for those that go; others stay."""
    held = {} if template is None else channels_of(template)
    before: dict[Key, Rows] = {}
    if template is not None and asked.to.source is not None:
        before = _by_pivot(asked.to.source.clip, asked.request.numbers, asked.frames)
    result: dict[Key, NewChannel | None] = {key: None for key in before if key in held and key not in tracks}
    unit = pivots.figure_unit(asked.clip)
    whole = template is not None and asked.frames.count == template.frame_count
    for key, rows in tracks.items():
        old = held.get(key)
        complete = old is not None and whole and len(rows) == len(rest_value(key[1]))
        if not complete or not all(track.match is not None and track.match.unchanged for track in rows.values()):
            new = _new(key, rows, old, before.get(key, {}), asked.frames, unit)
            if new is not None or old is not None:  # one that begins after the last frame goes
                result[key] = new
    return result


def _new(
    key: Key, rows: Rows, old: w3x.Channel | None, before: Rows, frames: whole_frames.Frames, unit: float
) -> NewChannel | None:
    """Return a channel's frames without rest at both ends, None where all is; `before`: the source's `rows`."""
    pivot, kind = key
    samples = _samples(kind, rows, frames)
    changed = np.ones(frames.count, bool)
    if old is not None:
        changed = (samples != _samples(kind, before, frames)).any(axis=0)
    # a step is what is jumped to, or what the source says so of, if it is held before
    steps = np.append(False, (samples[:, 1:] != samples[:, :-1]).any(axis=0))[: frames.count]
    if old is not None:
        at = old.first + np.flatnonzero(old.steps)
        steps[at[at < frames.count]] = True
    steps &= whole_frames.held_before(list(rows.values()), frames.count)
    units = samples if kind is not ChannelType.ORIENTATION else whole_frames.of_unit_length(samples.astype(np.float64))
    values = np.where(changed, units.astype(np.float32), samples)
    values = np.ascontiguousarray((values[W_LAST] if len(values) == 4 else values).T)  # as the file has them
    used = np.flatnonzero(pivots.departs(samples, rest_value(kind), unit if kind in TRANSLATIONS else 1.0) | steps)
    if old is not None:
        # the source's frames stay, also at rest
        held = np.arange(old.first, old.first + len(old.values))
        held = held[held < frames.count]
        changed[held] |= steps[held] != old.steps[: len(held)]
        used = np.append(used, held)
    if len(used) == 0:
        return None
    span = slice(int(used.min()), int(used.max()) + 1)
    return NewChannel(pivot, kind, span.start, values[span], steps[span], changed[span])


def _samples(kind: ChannelType, rows: Rows, frames: whole_frames.Frames) -> Array:
    """Return what is shown on each frame, (components, frames) float32; quaternions w, x, y, z."""
    values = np.repeat(rest_value(kind), frames.count, axis=1)
    for row, track in rows.items():
        values[row] = curve.evaluate(track, frames.all, ends=True)[0]
    return values


# --- Texts --------------------------------------------------------------------------------------


def _text_of_file(
    asked: _Asked,
    target: pivots.Skeleton[w3x.Hierarchy],
    template: w3x.Animation | None,
    channels: dict[Key, NewChannel | None],
) -> bytes:
    """Return the file's bytes with the animation, and the hierarchy that the option asks for, in it."""
    name, stage, replaced = _hierarchy_name(asked, target), asked.stage, asked.replaced
    include, built, hierarchy = asked.options.include_skeleton, target.built, target.hierarchy
    there = None if hierarchy is None else pivots.named(stage.hierarchies, hierarchy.name)
    built |= there is not None and asked.to.chosen and asked.to.into is None  # in the place of the file's own
    wanted = hierarchy if include == "INCLUDE" or (built and include != "EXCLUDE") else None
    # where the compiler looks for a skeleton that the file does not hold
    beside = f"ART:{w3x.plain_name(name).lower()}.w3x"
    if not stage.data:
        held = [] if wanted is None else [wanted.text.decode()]
        text = _fresh(asked, name, channels).decode()
        return elements.file_text([] if held else [beside], [*held, text]).encode()
    splices: list[w3x.Splice] = []
    if wanted is not None and there is not None and there.text != wanted.text:
        splices = [w3x.Splice(there.span, wanted.text)]
    elif include == "EXCLUDE" and asked.to.into is None and stage.hierarchies:
        splices = [w3x.Splice(_with_blank(stage.data, found.span), b"") for found in stage.hierarchies]
        splices += _included(stage, beside)
    before = [] if wanted is None or there is not None else [wanted.text]
    if replaced is None:
        added = [*before, _animation(asked, template, name, channels)]
        splices.append(_last_within(stage.data, layout.ROOT, stage.inside, added, b"\n\t"))
        if stage.animations:
            others = ", ".join(found.name for found in stage.animations)
            asked.report.note(clip_messages.ANIMATION_ADDED, name=asked.name, others=others)
    else:
        splices += [w3x.Splice(w3x.Span(replaced.span.start, replaced.span.start), found + b"\n\t") for found in before]
        if replaced is template:
            splices += _edits(asked, template, name, channels)
        else:
            splices.append(w3x.Splice(replaced.span, _animation(asked, template, name, channels)))
    return w3x.spliced(stage.data, splices)


def _animation(asked: _Asked, old: w3x.Animation | None, name: str, channels: dict[Key, NewChannel | None]) -> bytes:
    """Return the text of the animation alone, for another file than its own."""
    if old is None or asked.to.source is None:
        return _fresh(asked, name, channels)
    data = asked.to.source.document.data
    outside = [w3x.Splice(w3x.Span(0, old.span.start), b""), w3x.Splice(w3x.Span(old.span.end, len(data)), b"")]
    return w3x.spliced(data, [*_edits(asked, old, name, channels), *outside])


def _hierarchy_name(asked: _Asked, target: pivots.Skeleton[w3x.Hierarchy]) -> str:
    if asked.options.hierarchy_name:
        return chosen(asked.options.hierarchy_name, "Hierarchy")
    if asked.old is not None and w3x.plain_name(asked.old.hierarchy).upper() == target.name.upper():
        return asked.old.hierarchy
    return target.name if target.hierarchy is not None else as_name(target.name or asked.name, asked.report)


def _fresh(asked: _Asked, hierarchy: str, channels: dict[Key, NewChannel | None]) -> bytes:
    """Return the text of a new animation, with the settings of its source, or else of the one whose place it takes."""
    wanted = [channel for channel in channels.values() if channel is not None]
    own_steps = asked.options.keep_steps and any(channel.steps.any() for channel in wanted)
    settings, model = elements.COMPILERS_OWN if own_steps else "", asked.old or asked.replaced
    if model is not None and model.settings is not None:
        values = " ".join(f'{name}="{elements.escaped(value)}"' for name, value in model.settings.items())
        settings = f"<{layout.SETTINGS} {values}/>"
    ids = f'id="{elements.escaped(asked.name)}" Hierarchy="{elements.escaped(hierarchy)}"'
    lines = [f'<{layout.ANIMATION} {ids} NumFrames="{asked.frames.count}" FrameRate="{asked.frames.rate}">']
    lines += [f"\t\t{settings}"] if settings else []
    lines += [f"\t\t<{layout.CHANNELS}>", *(f"\t\t\t{channel.text()}" for channel in wanted)]
    return "\n".join([*lines, f"\t\t</{layout.CHANNELS}>", f"\t</{layout.ANIMATION}>"]).encode()


def _edits(
    asked: _Asked, old: w3x.Animation, hierarchy: str, channels: dict[Key, NewChannel | None]
) -> list[w3x.Splice]:
    """Return what changes in the text of the source's animation."""
    assert asked.to.source is not None
    data, count = asked.to.source.document.data, asked.frames.count
    spans = w3x.tag_at(data, old.span.start).values
    said = [("id", old.name, asked.name), ("Hierarchy", old.hierarchy, hierarchy)]
    said += [("NumFrames", str(old.frame_count), str(count))]
    splices = [w3x.Splice(spans[name], elements.escaped(new).encode()) for name, own, new in said if new != own]
    held = channels_of(old)
    for key, channel in channels.items():
        if channel is None:
            gone = (each.span for each in old.channels if (each.pivot, each.type) == key)  # what it covers, too
            splices += [w3x.Splice(_with_blank(data, span), b"") for span in gone]
        elif key in held:
            splices += edited(data, held[key], channel, old.frame_count)
    new = [channel.text().encode() for key, channel in channels.items() if channel is not None and key not in held]
    if new:
        splices.append(_last_within(data, layout.CHANNELS, old.inside, new, b"\n\t\t\t"))
    steps = any(channel is not None and channel.steps.any() for channel in channels.values())
    first = steps and old.settings is None and not any(channel.steps.any() for channel in old.channels)
    if asked.options.keep_steps and first:
        # before the list of channels, which stands where the list did
        at = old.inside.start
        if not _tag_alone(layout.CHANNELS, data[slice(*old.inside)]):
            at = data.rindex(b"<", old.span.start, at)
        blank = data[len(data[:at].rstrip(b" \t\r\n")) : at]
        splices.append(w3x.Splice(w3x.Span(at, at), elements.COMPILERS_OWN.encode() + blank))
    return splices


def _included(document: w3x.Document, source: str) -> list[w3x.Splice]:
    if any(w3x.file_of(found.source) == w3x.file_of(source) for found in document.includes):
        return []
    added = elements.include_text(source).encode()
    if document.includes_inside != w3x.NOWHERE:
        return [_last_within(document.data, layout.INCLUDES, document.includes_inside, [added], b"\n\t\t")]
    start = max(document.inside.start, document.tags.end)
    opened, closed = (f"<{slash}{layout.INCLUDES}>".encode() for slash in ("", "/"))
    return [w3x.Splice(w3x.Span(start, start), b"\n\t" + opened + b"\n\t\t" + added + b"\n\t" + closed)]


def _with_blank(data: bytes, span: w3x.Span) -> w3x.Span:
    return w3x.Span(len(data[: span.start].rstrip(b" \t\r\n")), span.end)


def _tag_alone(element: str, text: bytes) -> bytes:
    """Return the name of the tag if what is called the inside of an element is the element itself, of a single tag."""
    found = w3x.NAME_OF_TAG.match(text)
    name = b"" if found is None else found[1]
    is_alone = w3x.plain_name(name.decode()) == element and text.endswith(b"/>") and text.count(b"<") == 1
    return name if is_alone else b""


def _last_within(data: bytes, element: str, inside: w3x.Span, added: list[bytes], before: bytes) -> w3x.Splice:
    """Put elements, each behind a new line and tabs, behind all that is between an element's two tags; what was one tag
    becomes two."""
    close = before[:-1]
    text, held = b"".join(before + found for found in added), data[slice(*inside)]
    if name := _tag_alone(element, held):
        return w3x.Splice(inside, held[:-2].rstrip() + b">" + text + close + b"</" + name + b">")
    at = inside.start + len(held.rstrip(b" \t\r\n"))
    return w3x.Splice(inside, text + close) if at == inside.start else w3x.Splice(w3x.Span(at, at), text)


# The skeleton of a file that is written: which pivot has which number, and the hierarchy's text if one is needed.


def _built(
    name: str, report: Report, nodes: list[Node], model: pivots.Skeleton[w3x.Hierarchy] | None
) -> pivots.Skeleton[w3x.Hierarchy]:
    """Return a hierarchy of nodes; of a model, from which some are, it has the name and the fixups."""
    old = None if model is None else model.hierarchy
    own = as_name(name, report) if old is None else w3x.plain_name(old.name)
    # read back, so that rests are those that the text says
    (hierarchy,) = read(elements.file_text([], [_text(own, nodes, old)]).encode()).hierarchies
    made = from_hierarchy(hierarchy, report)
    placed = [replace(node, rest=pivot.rest) for node, pivot in zip(nodes, made.nodes, strict=True)]
    return pivots.Skeleton.of(hierarchy, placed, built=True)


def _text(name: str, nodes: list[Node], old: w3x.Hierarchy | None) -> str:
    """Return the text of a hierarchy of nodes, with the fixups that another one has for pivots of their names."""
    index = {node.name: number for number, node in enumerate(nodes)}
    matrices = np.stack([node.rest for node in nodes])
    places, turns = matrices[:, :3, 3], quaternion.from_matrix(matrices[:, :3, :3])[W_LAST].T
    decimals = elements.decimals_for(places)
    kept = {} if old is None else dict(zip(old.names, old.fixups, strict=True))
    lines = [f'<{layout.HIERARCHY} id="{elements.escaped(name)}">']
    for pivot, own in enumerate(unique_names([node.original or node.name for node in nodes])):
        parent = index[nodes[pivot].parent or nodes[0].name] if pivot else -1
        lines += [
            f'\t\t<{layout.PIVOT} Name="{elements.escaped(own)}" Parent="{parent}">',
            f"\t\t\t<Translation {elements.numbers_text(layout.TRANSLATION, places[pivot], decimals)}/>",
            f"\t\t\t<Rotation {elements.numbers_text(layout.ROTATION, turns[pivot])}/>",
            f"\t\t\t{kept.get(own, b'').decode() or elements.NO_FIXUP}",
            f"\t\t</{layout.PIVOT}>",
        ]
    return "\n".join([*lines, f"\t</{layout.HIERARCHY}>"])


# Ids of assets: letters without accents, digits, underscores, dots and hyphens.

_INVALID = re.compile(r"[^0-9a-zA-Z_.\-]")


def as_name(text: str, report: Report) -> str:
    """Return a text as an id, in upper case as EA's exporter has it; letters that no id can have are told."""
    name = _INVALID.sub("_", text.upper())
    if name != text.upper():
        report.note(clip_messages.NAME_CHANGED, name=text, short=name)
    return name


def chosen(text: str, field: str) -> str:
    """Return an id as somebody typed it; FormatError if it cannot be one."""
    if _INVALID.search(text):
        raise FormatError(messages.BAD_NAME, field=field, name=text)
    return text
