"""The skeleton of a W3D animation whose file lies nowhere near: the selected armature's own."""

from __future__ import annotations

from typing import Any

import bpy

from ..io_formats import w3d
from ..io_formats.clip import Clip
from ..io_formats.errors import FormatError, Report
from ..io_formats.w3d import messages
from ..io_formats.w3d.skeleton import named, wanted_names
from ..scene import actions, armatures, provenance, targets
from ..scene.capture import nodes as capture_nodes
from ..scene.capture.players import cast_of
from ..scene.names import without_number


def skeleton_of_armature(context: bpy.types.Context, wanted: str, target: str, report: Report) -> Any:
    """A document with the hierarchy that the selected armature came from, or stands for; None if it is another's.

    Pivots have numbers in the file and bones have names, so that the order of the bones must be the file's. What
    was imported knows it; of other armatures it is the order in which an export numbers them.

    Args:
        wanted: the hierarchy's name.
        target: the import option; with "SELECTED" the armature counts whatever its name.
    """
    rig = targets.selected_rig(context)
    if rig is None or target not in ("AUTO", "SELECTED"):
        return None
    found = _imported(rig, wanted) or _of_bones(rig, wanted, any_name=target == "SELECTED")
    if found is not None:
        report.note(messages.SKELETON_FOUND, name=wanted, file=rig.name)
    return found


def names_of(rig: Any) -> set[str]:
    """Upper-case names of the hierarchies that an armature stands for: its own, and those of what it plays."""
    moved = (name for document in _kept(rig) for name in wanted_names(document))
    held = (hierarchy.name for document in _kept(rig) for hierarchy in document.hierarchies)
    return _own_names(rig) | {name.upper() for name in (*moved, *held)}


def _imported(rig: Any, wanted: str) -> Any:
    """The file with that hierarchy which the .blend keeps for what the armature plays."""
    return next((document for document in _kept(rig) if named(document.hierarchies, wanted) is not None), None)


def _kept(rig: Any) -> list[Any]:
    """The files that the .blend keeps for what the armature plays."""
    action, _ = actions.assigned(rig)
    origin = provenance.find(action) if action is not None else None
    if origin is None or origin.format != w3d.NAME:
        return []
    found = [_readable(data) for data in (origin.data(), provenance.data_beside(origin.text))]
    return [document for document in found if document is not None]


def _readable(data: bytes | None) -> Any:
    if data is None:
        return None
    try:
        return w3d.read(data)
    except FormatError:
        return None


def _of_bones(rig: Any, wanted: str, *, any_name: bool) -> Any:
    """A hierarchy made of the bones, as an export would write it."""
    if not rig.data.bones or not (any_name or wanted.upper() in _own_names(rig)):
        return None
    naming = capture_nodes.name_nodes(cast_of([rig], local=True), [], None)
    nodes = capture_nodes.bone_nodes(rig, naming.bones[rig.name], None, None)
    place = {name: number for number, name in enumerate(armatures.order_of_nodes(rig))}
    nodes.sort(key=lambda node: place.get(node.name, len(place)))
    clip = Clip(wanted, nodes=nodes, skeleton=wanted)
    return w3d.to_document(clip, w3d.WriteOptions(include_skeleton="INCLUDE"), Report())


def _own_names(rig: Any) -> set[str]:
    return {without_number(name).upper() for name in (rig.name, rig.data.name)}
