"""A clip as a capture finds it after an import wrote it, without Blender: through F-Curve keys and back."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import replace
from typing import Any

import numpy as np

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


def edited(chosen: Track, at: int, way: int, by: float = 0.03) -> Edit:
    """One key of a component lifted, of another shape, later, with a handle turned, or gone."""

    def edit(track: Track, block: KeyBlock) -> KeyBlock:
        if (track.node, track.property, track.component) != (chosen.node, chosen.property, chosen.component):
            return block
        handles = np.zeros((1, len(block.frames), 2, 2)) if block.handles is None else block.handles
        if way == 0:
            block.values[0, at] += by
            handles[0, at, :, 1] += by
        elif way == 1:
            block.interpolation[at] = (block.interpolation[at] + 1) % 2
        elif way == 2:
            block.frames[at] += 24
            handles[0, at, :, 0] += 24
            order = np.argsort(block.frames, kind="stable")
            handles = handles[:, order]
            block = KeyBlock(block.frames[order], block.values[:, order], block.interpolation[order])
        elif way == 3:
            handles[0, at, 1, 1] += 0.2
        elif len(block.frames) > 1:
            left = np.arange(len(block.frames)) != at
            handles = handles[:, left]
            block = KeyBlock(block.frames[left], block.values[:, left], block.interpolation[left])
        block.handles = None if chosen.handles is None else handles
        return block

    return edit


def in_turn(edits: list[Edit], gone: Container[Any] = ()) -> Edit:
    """All these edits, and none of the keys of what is gone."""

    def edit(track: Track, block: KeyBlock) -> KeyBlock | None:
        for each in edits:
            block = each(track, block) or block
        return None if (track.node, track.property, track.component) in gone else block

    return edit
