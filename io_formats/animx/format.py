"""The functions of the format: its codec, and the two ways between a document and clips."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from ..clip import Clip, NodeKind, TrackKind, edit
from ..clip import Track as ClipTrack
from ..clip.measure import Written
from ..errors import Report
from ..files.steps import Steps, in_one_step
from ..format import Facts, Format, Opened
from ..later import function_of
from . import AnimxFacts, messages, properties
from .animj_write import write as write_animj
from .document import Document, Track
from .options import AXES, ReadOptions, WriteOptions
from .read import in_form, matches, read, reread
from .to_clip import shown, to_clips
from .write import encode, same_content, write

# What a document holds, for `info`.


def describe(document: Document) -> Facts:
    """Return version, counts, duration and names, ready for JSON."""
    kinds = Counter(track.track_type for track in document.tracks)
    return {
        "version": "AnimJ" if document.textual else document.version,
        "name": shown(document.name),
        "container": "json" if document.textual else document.container.value,
        "key_order": document.key_order.value,
        "tangent_order": document.tangent_order.value,
        "duration": document.playing_time,
        "rate": None,
        "track_count": len(document.tracks),
        "keys": sum(track.key_count for track in document.tracks),
        "track_types": {kind.name.capitalize(): count for kind, count in kinds.items()},
        "nodes": list(dict.fromkeys(shown(track.node) for track in document.tracks)),
        "tracks": [
            {
                "node": shown(track.node),
                "property": shown(track.property),
                "type": track.track_type.name.capitalize(),
                "value": track.type.name,
                "keys": track.key_count,
            }
            for track in document.tracks
        ],
    }


def plays(document: Document) -> bool:
    """Return whether the file animates anything."""
    return bool(document.tracks)


# The functions of the format: its codec, and the two ways between a document and clips.


class Animx(AnimxFacts, Format[Document, ReadOptions, WriteOptions]):
    """AnimX and AnimJ: one clip of named slots, which need no armature; packed and ordered as the options say."""

    matches = staticmethod(matches)
    read = staticmethod(read.steps)
    write = staticmethod(encode.steps)
    same_content = staticmethod(same_content.steps)
    describe = staticmethod(describe)
    plays = staticmethod(plays)
    from_clip = staticmethod(in_one_step(function_of(f"{__package__}.from_clip", "from_clip")))
    in_form = staticmethod(in_form)

    def clips(self, file: Opened[Document], options: ReadOptions, report: Report) -> Steps[list[Clip]]:
        """Return the one clip of a file."""
        return to_clips.steps(file.document, options, report)

    def played(self, file: Opened[Document], written: Written, options: WriteOptions, /) -> Steps[Clip]:
        """Return what the slots of a model play."""
        kinds = {node.name: node.kind for node in written.nodes}
        of_file = {name: kinds[own] for name, own in written.names.items()}
        (clip,) = yield from to_clips.steps(file.document, ReadOptions(**written.reading), Report(), of_file)
        if written.reading["scale"] != 1.0:
            clip = replace(clip, tracks=[edit.longer(track, 1.0 / written.reading["scale"]) for track in clip.tracks])
        return written.played(clip)

    def meant(self, again: Document, written: Document, report: Report, /) -> Document:
        """Return what was written and read `again`, in the orders it was written in; warn that these are not clear."""
        report.warn(messages.UNCLEAR_ORDER)
        return reread(again, written.key_order.name, written.tangent_order.name)

    def in_own_words(self, tracks: Sequence[ClipTrack], options: WriteOptions, /) -> list[list[ClipTrack]]:
        """Return properties of Blender's own as fields of components."""
        return properties.as_read(tracks, leave_out=options.unbound == "LEAVE_OUT")

    def following(self, options: WriteOptions, sources: Sequence[Facts], _report: Report, /) -> WriteOptions:
        """Write the axes that the first of the files was imported with."""
        found = next((facts for facts in sources if options.axes == "AUTO" and facts.keys() >= {*AXES}), {})
        return replace(options, **{name: found[name] for name in AXES if found})

    def holds(self, _node: NodeKind, kind: TrackKind, name: str, /) -> bool:
        """Hold whatever a person made, and of Blender's own what the engine has a field for."""
        return kind is not TrackKind.RNA or properties.is_field(name)


__all__ = ["Animx", "Document", "Track", "describe", "encode", "matches", "plays", "read"]
__all__ += ["same_content", "to_clips", "write", "write_animj"]
