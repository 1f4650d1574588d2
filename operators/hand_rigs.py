"""Recordings onto a hand rig that somebody else built: which armature is one, and its bones as nodes."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType
from typing import Any

import bpy
import numpy as np

from ..io_formats import mrtk
from ..io_formats.clip import Clip, Node
from ..io_formats.errors import Report
from ..io_formats.mrtk.hand_rig import onto_hand_rig
from ..io_formats.name_match import load_table
from ..io_formats.options import ImportOptions
from ..scene import armatures, targets

_OWN_NAMES = 0.5
"""An armature with this share of MRTK's own joint names has MRTK's own axes too, and takes the keys as they are."""


def for_selected_rig(
    context: bpy.types.Context, package: ModuleType, clips: list[Clip], options: ImportOptions, report: Report
) -> list[Clip]:
    """The clips for the bones of the selected armature, where that is a hand rig with joints of other names.

    Everything else is left as it is: other formats, other targets, armatures made from a recording.
    """
    rig = targets.selected_rig(context) if package is mrtk and options.target == "SELECTED" else None
    if rig is None or not clips:
        return clips
    table = load_table(bpy.path.abspath(options.name_table)) if options.name_table else {}
    pairs = targets.match_bones(rig, clips[0].nodes, lenient=True, table=table)
    own = sum(node.name in rig.data.bones for node in clips[0].nodes)
    if not pairs or own >= _OWN_NAMES * len(clips[0].nodes):
        return clips
    bones, root = _bones_of(rig), np.array(rig.matrix_world, np.float64)
    return [onto_hand_rig(replace(clip, root=root), bones, root, pairs, report) for clip in clips]


def _bones_of(rig: Any) -> list[Node]:
    """The bones as nodes, parents first, with the rest poses that Blender holds."""
    rests = armatures.rest_matrices(rig)
    nodes = []
    for bone in rig.data.bones:
        parent = bone.parent.name if bone.parent else None
        rest = rests[bone.name] if parent is None else np.linalg.inv(rests[parent]) @ rests[bone.name]
        nodes.append(Node(bone.name, parent, rest, original=bone.name))
    return nodes
