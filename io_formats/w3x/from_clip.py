"""Clip -> Document: the text of the file with what changed in it; what nobody touched keeps its bytes."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from functools import partial

import numpy as np

from ..clip import LOCATION, ROTATION, SCALE, Array, Clip, Node, Source, Track, TrackKind, quaternion
from ..clip import messages as clip_messages
from ..clip.measure import Promise
from ..clip.pivots import (
    VISIBILITY,
    Skeleton,
    SkeletonRequest,
    as_visibility,
    departs,
    figure_unit,
    file_space,
    named,
    placed_on,
    renamed,
    skeleton_to_write,
    unique_names,
    unscaled,
    written,
)
from ..clip.rest_pose import adopted
from ..clip.rigid import is_scaling, without_scales
from ..clip.whole_frames import NUMBERS_A_FRAME, Frames, chosen_frames, ended, held_before, on_frames, shown
from ..errors import FormatError, Report, Values
from ..files.memory import reckon
from ..files.steps import Steps, at_once, portion
from ..format import A_NEW_FILE, Destination
from . import elements, layout, messages
from .companions import from_hierarchy
from .document import (
    NAME_OF_TAG,
    NOWHERE,
    Animation,
    Channel,
    Document,
    Hierarchy,
    Span,
    Splice,
    file_of,
    in_lines_of,
    local,
    plain_name,
    spliced,
    tag_at,
    text_of,
)
from .elements import NewChannel, edited
from .layout import ORDER, TRANSLATIONS, W_LAST, ChannelType
from .options import ReadOptions, WriteOptions
from .read import read, read_in_steps
from .to_clip import channels_of, rest_value

_MOST_FRAMES = 1 << 24
_COMPUTED = 0.3
"""Share that is done when it is known what the channels hold."""
_PROMISED = Promise(turn=0.02, link=0.006)
"""What six decimals leave of a pivot's turn, and of each pivot that it hangs on."""

_UNIT_SLACK = 1e-6

Rows = dict[int, Track]
"""Tracks by component."""

Key = tuple[int, ChannelType]
"""Pivot and what of it moves."""


def from_clip_in_steps(
    clip: Clip, options: WriteOptions, report: Report, to: Destination[Document, ReadOptions] = A_NEW_FILE
) -> Steps[Document]:
    """Return the file for a clip.

    Args:
        to: frames that were not touched keep the bytes of its `source`, and so does all else; in `into`, the animation
            of the same id is replaced, else another is added; the hierarchy of `skeleton` decides which pivot has which
            number; a new animation is called as `file`.

    Raises:
        FormatError: a name that was asked for cannot be one, the clip has too many frames, or the file to save into
            is for another hierarchy.
    """
    export = _Export(clip, options, report, to)
    document = yield from export.document()
    number = next((at for at, each in enumerate(document.animations) if each.name == export.name), None)
    if number is not None:
        facts = {"root": export.root, "frames": export.frames.times, "number": number, "promise": _PROMISED}
        to.tell(written(export.clip, export.target, from_hierarchy, **facts))
    return document


from_clip = at_once(from_clip_in_steps)


class _Export:
    """One clip on its way into one file."""

    def __init__(
        self, clip: Clip, options: WriteOptions, report: Report, to: Destination[Document, ReadOptions]
    ) -> None:
        self.options, self.report, self.file = options, report, to.file
        self.source, self.into, self.chosen = to.source, to.into, to.skeleton
        self.stage: Document | None = to.into or (to.source.document if to.source is not None else None)
        self.old = self._old_animation()
        self.name = self._name(clip)
        self.replaced = self._replaced_animation(clip)
        self.frames = self._frames(clip)
        self.root = file_space(to.source, options.scale)
        self.clip = without_scales(unscaled(ended(clip, self.frames), self.root), self.frames.times, report)
        self.unit = figure_unit(self.clip)
        self.target = choose(self._request())
        self.template = self.old if self._has_same_frames() else None

    # --- What is asked for ----------------------------------------------------------------------

    def _old_animation(self) -> Animation | None:
        if self.source is None or self.source.index >= len(self.source.document.animations):
            return None
        return self.source.document.animations[self.source.index]

    def _name(self, clip: Clip) -> str:
        """Return the animation's id: as typed, as the source has it, as the file is called, as the clip is."""
        if self.options.animation_name:
            return chosen(self.options.animation_name, "id")
        if self.old is not None and self.source is not None and not self.source.renamed:
            return self.old.name
        alone = self.stage is None or all(found is self.old for found in self.stage.animations)
        return as_name((self.file if alone else "") or clip.name or "ANIMATION")

    def _replaced_animation(self, clip: Clip) -> Animation | None:
        """Return the animation of the staged document whose place the new one takes."""
        if self.into is None:
            return self.old
        wanted = self._hierarchy_wanted(clip).upper()
        there = [found.name for found in self.into.hierarchies]
        there += [plain_name(found.hierarchy) for found in self.into.animations]
        if wanted and there and wanted not in (name.upper() for name in there):
            found = ", ".join(dict.fromkeys(there))
            file = self.file and f"{self.file}.w3x"
            raise FormatError(messages.OTHER_HIERARCHY, file=file, wanted=wanted, found=found)
        same = (found for found in self.into.animations if found.name.upper() == self.name.upper())
        return next(same, None)

    def _hierarchy_wanted(self, clip: Clip) -> str:
        """Return the hierarchy that the animation is for, empty where nothing says so."""
        if self.options.hierarchy_name:
            return self.options.hierarchy_name
        name = clip.skeleton if self.old is None else plain_name(self.old.hierarchy)
        held = [] if self.chosen is None else self.chosen.hierarchies
        return (named(held, name) or held[0]).name if held else name

    def _frames(self, clip: Clip) -> Frames:
        own = None if self.old is None else (self.old.frame_count, self.old.rate)
        frames = chosen_frames(clip, self.source, own, self.options, self.report)
        if frames.count > _MOST_FRAMES:
            raise FormatError(messages.TOO_MANY_FRAMES, frames=frames.count, limit=_MOST_FRAMES)
        reckon(keys=frames.count * len(clip.nodes) * NUMBERS_A_FRAME)
        return frames

    def _request(self) -> SkeletonRequest[Document]:
        name = self.options.hierarchy_name or (
            self.clip.skeleton if self.old is None else plain_name(self.old.hierarchy)
        )
        return SkeletonRequest(
            self.clip, name, self.options.include_skeleton, self.source, self.into, self.chosen, self.report
        )

    def _has_same_frames(self) -> bool:
        """Return whether frames and pivots have the source's numbers, so that its text can be kept."""
        if self.old is None or self.frames != Frames(self.frames.count, self.old.rate):
            return False
        return self.source is None or self.target.has(numbers(self.source))

    # --- The whole ------------------------------------------------------------------------------

    def document(self) -> Steps[Document]:
        """Return the file."""
        wanted = self._sorted(self._placed(), self.target.numbers)
        if self.stage is not None and self.old is None and self.into is None and not wanted:
            return self.stage  # a skeleton alone, and still one
        channels = self._channels(wanted)
        yield _COMPUTED
        text = self._fresh(channels) if self.template is None else self._edited(self.template, channels)
        data = self._staged(text)
        if self.stage is not None and self.replaced is None and self.stage.animations:
            others = ", ".join(found.name for found in self.stage.animations)
            self.report.note(messages.ADDED, name=self.name, others=others)
        return (yield from portion(read_in_steps(data, limit=len(data)), _COMPUTED))

    def _placed(self) -> Clip:
        """Return the clip on the file's pivots."""
        pivots = self.target
        clip = renamed(self.clip, pivots.nodes)
        clip = clip if pivots.built else adopted(clip, pivots.nodes, self.root)
        if pivots.hierarchy is None and self.source is not None and not self.source.clip.rests_known:
            return clip  # nothing is known of the pivots' rests, so the numbers stay what they are
        return placed_on(clip, pivots.nodes, self.root, self.frames.times, self.report)

    def _sorted(self, clip: Clip, numbers: dict[str, int], *, tell: bool = True) -> dict[Key, Rows]:
        """Return tracks on the file's frames, by pivot and type; what W3X cannot say is reported."""
        found: dict[Key, Rows] = defaultdict(dict)
        for block in clip.tracks:
            pivot = numbers.get(block.node, 0)
            for track in block.rows():
                own = as_visibility(track)
                place = _place(own)
                if place is not None and pivot > 0:
                    kind, row = place
                    found[pivot, kind].setdefault(row, on_frames(own, self.frames))
                elif tell:
                    self._tell(track)
        return {key: found[key] for key in sorted(found, key=_order)}

    def _tell(self, track: Track) -> None:
        """Report what is left out, once for all components of a property."""
        template: str = messages.NO_PROPERTY
        values: Values = {"name": track.node, "property": track.property}
        if track.property == SCALE:
            template, values = clip_messages.NO_SCALE, {"name": track.node}
        lost = is_scaling(track) if track.property == SCALE else track.property not in (LOCATION, ROTATION)
        if lost and not any(entry.template == template and entry.values == values for entry in self.report.warnings):
            self.report.warn(template, **values)

    # --- Channels -------------------------------------------------------------------------------

    def _channels(self, wanted: dict[Key, Rows]) -> dict[Key, NewChannel | None]:
        """Return what becomes of channels: another content, or None for those that go; others stay."""
        held = {} if self.template is None else channels_of(self.template)
        before: dict[Key, Rows] = {}
        if self.template is not None and self.source is not None:
            before = self._sorted(self.source.clip, numbers(self.source), tell=False)
        result: dict[Key, NewChannel | None] = {key: None for key in before if key in held and key not in wanted}
        for key, rows in wanted.items():
            old = held.get(key)
            if old is None or not self._is_untouched(key, rows):
                new = self._new(key, rows, old, before.get(key, {}))
                if new is not None:
                    result[key] = new
        return result

    def _is_untouched(self, key: Key, rows: Rows) -> bool:
        whole = self.template is not None and self.frames.count == self.template.frame_count
        complete = len(rows) == len(rest_value(key[1]))
        return whole and complete and all(track.match is not None and track.match.unchanged for track in rows.values())

    def _new(self, key: Key, rows: Rows, old: Channel | None, before: Rows) -> NewChannel | None:
        """Return the frames of a channel, without rest at both ends; None where there is nothing else."""
        pivot, kind = key
        samples = self._samples(kind, rows)
        changed = np.ones(self.frames.count, bool)
        if old is not None:
            changed = (samples != self._samples(kind, before)).any(axis=0)
        steps = self._steps(rows, samples, old)
        values = _in_file(np.where(changed, _of_unit_length(kind, samples), samples))
        unit = self.unit if kind in TRANSLATIONS else 1.0
        used = np.flatnonzero(departs(samples, rest_value(kind), unit) | steps)
        if old is not None:
            held = np.arange(old.first, old.first + len(old.values))
            held = held[held < self.frames.count]
            changed[held] |= steps[held] != old.steps[: len(held)]
            used = np.append(used, held)
        if len(used) == 0:
            return None
        span = slice(int(used.min()), int(used.max()) + 1)
        return NewChannel(pivot, kind, span.start, values[span], steps[span], changed[span])

    def _samples(self, kind: ChannelType, rows: Rows) -> Array:
        """Return what is shown on each frame, (components, frames) float32; quaternions w, x, y, z."""
        values = np.repeat(rest_value(kind), self.frames.count, axis=1)
        for row, track in rows.items():
            values[row] = shown(track, self.frames.all)
        return values

    def _steps(self, rows: Rows, samples: Array, old: Channel | None) -> Array:
        """Return (frames,) bool: what is jumped to, and what the source says so of and is still held before."""
        flagged = np.append(False, (samples[:, 1:] != samples[:, :-1]).any(axis=0))[: samples.shape[1]]
        if old is not None:
            at = old.first + np.flatnonzero(old.steps)
            flagged[at[at < len(flagged)]] = True
        result: Array = flagged & held_before(list(rows.values()), self.frames.count)
        return result

    # --- Texts ----------------------------------------------------------------------------------

    def _hierarchy_name(self) -> str:
        if self.options.hierarchy_name:
            return chosen(self.options.hierarchy_name, "Hierarchy")
        name = self.target.name
        if self.old is not None and plain_name(self.old.hierarchy).upper() == name.upper():
            return self.old.hierarchy
        return name if self.target.hierarchy is not None else as_name(name or self.name)

    def _fresh(self, channels: dict[Key, NewChannel | None]) -> bytes:
        """Return the text of a new animation."""
        wanted = [channel for channel in channels.values() if channel is not None]
        settings = self._settings(any(channel.steps.any() for channel in wanted))
        return elements.animation_text(
            self.name,
            self._hierarchy_name(),
            self.frames.count,
            self.frames.rate,
            settings,
            [channel.text() for channel in wanted],
        ).encode()

    def _settings(self, steps: bool) -> str:
        model = self.old or self.replaced
        if model is not None and model.settings is not None:
            values = " ".join(f'{name}="{elements.escaped(value)}"' for name, value in model.settings.items())
            return f"<{layout.SETTINGS} {values}/>"
        return elements.COMPILERS_OWN if steps and self.options.keep_steps else ""

    def _edited(self, old: Animation, channels: dict[Key, NewChannel | None]) -> bytes:
        """Return the source's own text of the animation with what changed."""
        assert self.source is not None
        data = self.source.document.data
        header = {"id": self.name, "Hierarchy": self._hierarchy_name(), "NumFrames": str(self.frames.count)}
        splices = _edited_header(data, old, header)
        held = channels_of(old)
        for key, channel in channels.items():
            if channel is None:
                splices.append(Splice(_with_blank(data, held[key].span), b""))
            elif key in held:
                beyond = old.frame_count if self.frames.count < old.frame_count else self.frames.count
                splices += edited(data, held[key], channel, beyond)
        staying = {key: found for key, found in held.items() if channels.get(key, found) is not None}
        new = [channel for key, channel in channels.items() if channel is not None and key not in held]
        splices += _added(data, old, staying, new)
        if self.options.keep_steps and _gets_its_first_step(old, channels):
            splices.append(_before_channels(data, old, elements.COMPILERS_OWN.encode()))
        outside = [Splice(Span(0, old.span.start), b""), Splice(Span(old.span.end, len(data)), b"")]
        return spliced(data, [*in_lines_of(data, splices), *outside])

    def _staged(self, text: bytes) -> bytes:
        """Return the file's bytes with the animation, and the hierarchy that the option asks for, in it."""
        hierarchy = self.target.hierarchy
        include = self.options.include_skeleton
        wanted = hierarchy is not None and (self.target.built or include == "INCLUDE") and include != "EXCLUDE"
        if self.stage is None:
            held = [hierarchy.text.decode()] if wanted and hierarchy is not None else []
            other = [] if held else [self._skeleton_file()]
            return elements.file_text(other, [*held, text.decode()]).encode()
        there = None if hierarchy is None else named(self.stage.hierarchies, hierarchy.name)
        splices, added = [], []
        if wanted and hierarchy is not None and there is None:
            added.append(hierarchy.text)
        elif wanted and hierarchy is not None and there is not None and there.text != hierarchy.text:
            splices.append(Splice(there.span, hierarchy.text))
        elif include == "EXCLUDE" and self.into is None:
            splices = [Splice(_with_blank(self.stage.data, found.span), b"") for found in self.stage.hierarchies]
            splices += _included(self.stage, self._skeleton_file()) if splices else []
        splices = in_lines_of(self.stage.data, splices)
        return spliced(self.stage.data, [*splices, *self._at_its_place(self.stage, added, text)])

    def _skeleton_file(self) -> str:
        """Return where the compiler looks for the skeleton that the file does not hold."""
        return f"ART:{plain_name(self._hierarchy_name()).lower()}.w3x"

    def _at_its_place(self, stage: Document, before: list[bytes], text: bytes) -> list[Splice]:
        """Return where the animation goes, and what goes before it: its old place, or the end of the file."""
        if self.replaced is None:
            return in_lines_of(
                stage.data, [_last_within(stage.data, layout.ROOT, stage.inside, [*before, text], b"\n\t", b"\n")]
            )
        at, own = Span(self.replaced.span.start, self.replaced.span.start), Splice(self.replaced.span, text)
        is_stages_own = self.template is not None and self.into is None
        added = [Splice(at, found + b"\n\t") for found in before]
        return [*in_lines_of(stage.data, added), *([own] if is_stages_own else in_lines_of(stage.data, [own]))]


# --- Tracks -------------------------------------------------------------------------------------


def _place(track: Track) -> tuple[ChannelType, int] | None:
    """Return the channel type and component that say what a track does, None for what no channel says."""
    if track.kind is TrackKind.TRANSFORM and track.property == LOCATION:
        return TRANSLATIONS[track.component], 0
    if track.kind is TrackKind.TRANSFORM and track.property == ROTATION:
        return ChannelType.ORIENTATION, track.component
    if track.property == VISIBILITY:
        return ChannelType.VISIBILITY, 0
    return None


def _order(key: Key) -> tuple[int, int]:
    return key[0], ORDER.index(key[1])


def _of_unit_length(kind: ChannelType, samples: Array) -> Array:
    """Return quaternions (4, n) of unit length, other values as they are."""
    if kind is not ChannelType.ORIENTATION:
        return samples
    wide = samples.astype(np.float64)
    lengths = np.sqrt((wide * wide).sum(axis=0))
    units = np.where(np.abs(lengths - 1) > _UNIT_SLACK, wide / np.where(lengths > 0, lengths, 1.0), wide)
    units[0] = np.where(lengths > 0, units[0], 1.0)
    result: Array = units.astype(np.float32)
    return result


def _in_file(values: Array) -> Array:
    """Return (frames, components) in the order of the file."""
    rows = values[W_LAST] if len(values) == 4 else values
    return np.ascontiguousarray(rows.T)


# --- Text of the source -------------------------------------------------------------------------


def _edited_header(data: bytes, old: Animation, wanted: dict[str, str]) -> list[Splice]:
    own = {"id": old.name, "Hierarchy": old.hierarchy, "NumFrames": str(old.frame_count)}
    spans = tag_at(data, old.span.start).values
    return [
        Splice(spans[name], elements.escaped(value).encode()) for name, value in wanted.items() if value != own[name]
    ]


def _included(document: Document, source: str) -> list[Splice]:
    """Put a further file among those that a document includes."""
    if any(file_of(found.source) == file_of(source) for found in document.includes):
        return []
    added = elements.include_text(source).encode()
    if document.includes_inside != NOWHERE:
        return [_last_within(document.data, layout.INCLUDES, document.includes_inside, [added], b"\n\t\t", b"\n\t")]
    start = document.inside.start if document.tags == NOWHERE else document.tags.end
    opened, closed = (f"<{slash}{layout.INCLUDES}>".encode() for slash in ("", "/"))
    return [Splice(Span(start, start), b"\n\t" + opened + b"\n\t\t" + added + b"\n\t" + closed)]


def _with_blank(data: bytes, span: Span) -> Span:
    """Return the span of an element with the blanks before it."""
    return Span(len(data[: span.start].rstrip(b" \t\r\n")), span.end)


def _added(data: bytes, old: Animation, staying: dict[Key, Channel], new: list[NewChannel]) -> list[Splice]:
    """Put new channels before the first of those that stay and come later in EA's order, or behind all."""
    behind: list[bytes] = []
    result = []
    for channel in new:
        key = _order((channel.pivot, channel.kind))
        later = (found for there, found in staying.items() if _order(there) > key)
        place = min((found.span.start for found in later), default=None)
        if place is None:
            behind.append(channel.text().encode())
        else:
            result.append(Splice(Span(place, place), channel.text().encode() + b"\n\t\t\t"))
    return [
        *result,
        *([_last_within(data, layout.CHANNELS, old.inside, behind, b"\n\t\t\t", b"\n\t\t")] if behind else []),
    ]


def _gets_its_first_step(old: Animation, channels: dict[Key, NewChannel | None]) -> bool:
    """Return whether there are steps where there were none, and nothing that the author told the compiler."""
    steps = any(channel is not None and channel.steps.any() for channel in channels.values())
    return steps and old.settings is None and not any(channel.steps.any() for channel in old.channels)


def _before_channels(data: bytes, old: Animation, added: bytes) -> Splice:
    """Put an element before the list of channels, which stands where the list did."""
    at = old.inside.start
    at = at if _is_one_tag(layout.CHANNELS, text_of(data, old.inside)) else data.rindex(b"<", old.span.start, at)
    blank = data[len(data[:at].rstrip(b" \t\r\n")) : at]
    return Splice(Span(at, at), added + blank)


def _is_one_tag(element: str, text: bytes) -> bool:
    """Return whether what is called the inside of an element is the element itself, of a single tag."""
    name = NAME_OF_TAG.match(text)
    return name is not None and local(name[1].decode()) == element and text.endswith(b"/>") and text.count(b"<") == 1


def _last_within(data: bytes, element: str, inside: Span, added: list[bytes], before: bytes, close: bytes) -> Splice:
    """Put elements behind all that is between an element's two tags; what was one tag becomes two."""
    text = b"".join(before + found for found in added)
    held = text_of(data, inside)
    name = NAME_OF_TAG.match(held)
    if name is None or not _is_one_tag(element, held):
        at = inside.start + len(held.rstrip(b" \t\r\n"))
        return Splice(Span(at, inside.end if at == inside.start else at), text + (close if at == inside.start else b""))
    return Splice(inside, held[:-2].rstrip() + b">" + text + close + b"</" + name[1] + b">")


# The skeleton of a file that is written: which pivot has which number, and the hierarchy's text if one is needed.


def choose(request: SkeletonRequest[Document]) -> Skeleton[Hierarchy]:
    """Return the pivots of the chosen file, of the file that is saved into, of the source, or the clip's own."""
    held = [hierarchy for document in request.documents() for hierarchy in document.hierarchies]
    return skeleton_to_write(request, held, from_hierarchy, numbers, partial(_built, request))


def numbers(source: Source[Document, ReadOptions]) -> dict[str, int]:
    """Return pivot numbers of the source's nodes; without a skeleton, only those that channels name have nodes."""
    nodes = source.clip.nodes
    if source.clip.rests_known:
        first = int(source.options is not None and not source.options.root_bone)
        return {node.name: number for number, node in enumerate(nodes, first)}
    pivots = sorted({pivot for pivot, _ in channels_of(source.document.animations[source.index])} - {0})
    return {node.name: pivot for node, pivot in zip(nodes, pivots, strict=True)}


def _built(
    request: SkeletonRequest[Document], nodes: list[Node], model: Skeleton[Hierarchy] | None
) -> Skeleton[Hierarchy]:
    """Return a hierarchy of nodes; of a model, from which some are, it has the name and the fixups."""
    old = None if model is None else model.hierarchy
    name = plain_name(old.name) if old is not None else as_name(request.name or request.clip.name or "SKELETON")
    # read back, so that rests are those that the text says
    (hierarchy,) = read(elements.file_text([], [_text(name, nodes, old)]).encode()).hierarchies
    pivots = from_hierarchy(hierarchy, request.report)
    placed = [replace(node, rest=pivot.rest) for node, pivot in zip(nodes, pivots.nodes, strict=True)]
    return Skeleton.of(hierarchy, placed, built=True)


def _text(name: str, nodes: list[Node], old: Hierarchy | None) -> str:
    index = {node.name: number for number, node in enumerate(nodes)}
    matrices = np.stack([node.rest for node in nodes])
    matrices[0] = np.eye(4)
    names = unique_names([node.original or node.name for node in nodes])
    kept = {} if old is None else dict(zip(old.names, old.fixups, strict=True))
    return elements.hierarchy_text(
        name,
        names,
        [-1, *(index[node.parent or nodes[0].name] for node in nodes[1:])],
        matrices[:, :3, 3],
        quaternion.from_matrix(matrices[:, :3, :3])[W_LAST].T,
        [kept.get(own, b"").decode() for own in names],
    )


# Ids of assets: letters without accents, digits, underscores, dots and hyphens.

_VALID = re.compile(r"[0-9a-zA-Z_.\-]+")
_INVALID = re.compile(r"[^0-9a-zA-Z_.\-]")


def as_name(text: str) -> str:
    """Return a text as an id, in upper case as EA's exporter has it."""
    return _INVALID.sub("_", text.upper()) or "_"


def chosen(text: str, field: str) -> str:
    """Return an id as somebody typed it; FormatError if it cannot be one."""
    if not _VALID.fullmatch(text):
        raise FormatError(messages.BAD_NAME, field=field, name=text)
    return text
