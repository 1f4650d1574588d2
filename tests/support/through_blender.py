"""A clip as a capture finds it after an import wrote it, without Blender: through F-Curve keys and back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from io_formats.clip import Clip, Track
from io_formats.clip.fcurve_keys import KeyBlock, from_keys, match_keys, to_keys

Edit = Callable[[Track, KeyBlock], KeyBlock | None]


def through_blender(clip: Clip, edit: Edit | None = None, rate: float = 24.0) -> Clip:
    """What a capture finds after an import wrote the clip: a track for each component, matched with the source.

    `edit` may change the keys of a track, or drop it by giving None.
    """
    tracks = []
    for block in clip.tracks:
        for track in block.rows():
            written = to_keys(track, rate)
            handles = None if written.handles is None else written.handles.copy()
            found = KeyBlock(written.frames.copy(), written.values.copy(), written.interpolation.copy(), handles)
            changed = found if edit is None else edit(track, found)
            if changed is not None:
                match, inserted = match_keys(written, changed, True), track.inserted
                fields = {**from_keys(changed, rate), "match": match}
                fields["inserted"] = None if inserted is None else match.still_inserted(inserted)
                tracks.append(replace(track, **fields))
    return replace(clip, tracks=tracks, nodes=[replace(node) for node in clip.nodes])
