"""Which of a clip's channels an import takes, as the options Channels, Selected Bones Only and Root Motion say.

What is left out is remembered with the Action, so that an export to the same file leaves it there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..io_formats.clip import LOCATION, ROTATION, Clip, Track, TrackKind
from ..io_formats.clip.edit import trim_track
from ..io_formats.errors import FormatError, Report
from ..io_formats.scene_options import ImportOptions
from . import armatures, messages
from .targets import Target

_MOST_ROOTS = 0.5
"""Share of the animated bones above which those that hang on no other are joints of a flat file, and no roots."""

Address = tuple[str, str, str]
"""Node, kind and property of a channel."""


def address_of(track: Track) -> Address:
    """Return what stands for the property of a node that a track, or a component of it, moves."""
    return track.node, track.kind.name, track.property


def choose(clip: Clip, target: Target, options: ImportOptions, report: Report) -> tuple[Clip, list[Address]]:
    """Return a clip, already on its target, with the channels that the options ask for, and those left out.

    Raises:
        FormatError: only selected bones are asked for and none of the clip's is selected, or nothing is left.
    """
    takes_all = options.channels == "ALL" and not options.only_selected_bones and options.root_motion
    on_body = clip.told is not None and not target.is_new
    if takes_all and not on_body:
        return clip, []
    selected = _selected(clip, target) if options.only_selected_bones else None
    roots = set() if options.root_motion else _roots(clip, target, report)
    taken = [track for track in clip.tracks if _is_taken(track, options, selected, roots)]
    taken = _of_rigs_lengths(taken, target) if on_body else taken
    if clip.tracks and not taken:
        raise FormatError(messages.NO_CHANNELS_LEFT)
    kept = set(map(address_of, taken))
    left_out = [found for found in dict.fromkeys(map(address_of, clip.tracks)) if found not in kept]
    if left_out and not takes_all:
        report.note(messages.CHANNELS_LEFT_OUT, count=len(left_out), total=len(left_out) + len(kept))
    return replace(clip, tracks=taken), left_out


def _is_taken(track: Track, options: ImportOptions, selected: set[str] | None, roots: set[str]) -> bool:
    transforms = track.kind is TrackKind.TRANSFORM
    if selected is not None and track.node not in selected:
        return False
    if options.channels == "ROTATION" and transforms and track.property != ROTATION:
        return False
    return not (transforms and track.property == LOCATION and track.node in roots)


def _of_rigs_lengths(tracks: list[Track], target: Target) -> list[Track]:
    """Return the tracks that leave the limbs of a body as long as they are: of places only those of the hips."""
    moved = {track.node for track in tracks if track.kind is TrackKind.TRANSFORM}
    uppermost = _uppermost(moved & target.bones.keys(), target)
    return [
        track
        for track in tracks
        if track.kind is not TrackKind.TRANSFORM
        or track.property == ROTATION
        or (track.property == LOCATION and uppermost.get(track.node))
    ]


def _selected(clip: Clip, target: Target) -> set[str]:
    """Return the nodes whose bones are selected."""
    bones = armatures.selected_bones(target.rig) if target.rig is not None and not target.is_new else set()
    found = {node.name for node in clip.nodes if target.bones.get(node.name) in bones}
    if not found:
        raise FormatError(messages.NO_BONES_SELECTED)
    return found


def _roots(clip: Clip, target: Target, report: Report) -> set[str]:
    """Return the nodes of the uppermost bones that change their place; none where most hang on no other."""
    transforms = [track for track in clip.tracks if track.kind is TrackKind.TRANSFORM and track.node in target.bones]
    animated = _uppermost({track.node for track in transforms}, target)
    if len(animated) > 1 and sum(animated.values()) > _MOST_ROOTS * len(animated):
        report.warn(messages.ROOT_UNKNOWN, name=target.rig.name)
        return set()
    moved = _uppermost({track.node for track in transforms if track.property == LOCATION}, target)
    return {node for node, is_uppermost in moved.items() if is_uppermost}


def _uppermost(nodes: set[str], target: Target) -> dict[str, bool]:
    """Return whether each of these nodes has a bone that hangs on none of the others'."""
    bones = {target.bones[node] for node in nodes}
    found = {node: target.rig.data.bones[target.bones[node]] for node in nodes}
    return {node: bones.isdisjoint(above.name for above in bone.parent_recursive) for node, bone in found.items()}


# --- Out again -------------------------------------------------------------------------------------------------------


def with_left_out(clip: Clip, written: Clip, left_out: Sequence[Address]) -> tuple[Clip, int]:
    """Return a captured clip with the file's channels that the import left out, and how many have no place in it.

    What a person has animated since stays as that is. Where a node does not rest as the file's, the file's numbers
    would mean something else.

    Args:
        clip: on the file's nodes.
        written: what the mapping makes of the file.
    """
    there = set(map(address_of, clip.tracks))
    wanted = [found for found in left_out if found not in there]
    fitting = {found for found in wanted if clip.node(found[0]) is written.node(found[0])}
    tracks = [track for track in written.tracks if address_of(track) in fitting]
    kept = [row for track in tracks for row in _placed(track, clip)]
    return replace(clip, tracks=[*clip.tracks, *kept]), len(wanted) - len(fitting)


def _placed(track: Track, clip: Clip) -> list[Track]:
    """Return the components of a track of the file, in a clip's time, which may be stretched, moved or cut."""
    if clip.retimed is None:
        return track.own_rows()
    factor, shift = clip.retimed
    handles = track.handles
    if handles is not None:
        handles = replace(handles, times=handles.times * factor)
    moved = replace(track, times=track.times * factor, handles=handles).shifted(shift)
    return trim_track(moved, 0.0, clip.duration).rows()
