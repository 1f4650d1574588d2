"""The skeleton of an animation whose skeleton file lies nowhere near: the selected armature's own."""

from __future__ import annotations

from bpy.types import Context

from ..io_formats import FORMATS, messages
from ..io_formats.clip import Clip
from ..io_formats.errors import FormatError, Report
from ..io_formats.format import AnyFormat
from ..scene import actions, armatures, provenance, targets
from ..scene.capture import nodes as capture_nodes
from ..scene.capture.players import cast_of
from ..scene.names import without_number
from ..scene.types import Rig


def skeleton_of_armature(context: Context, file_format: AnyFormat, wanted: str, target: str, report: Report) -> object:
    """Return a document with the skeleton that the selected armature came from, or stands for; None if it is another's.

    Where nodes have numbers in the file and bones have names, the order of the bones must be the file's. What was
    imported knows it; of other armatures it is the order in which an export numbers them.

    Args:
        file_format: whose document is wanted.
        wanted: the skeleton's name.
        target: the import option; with "SELECTED" the armature counts whatever its name.
    """
    rig = targets.selected_rig(context)
    if rig is None or target not in ("AUTO", "SELECTED"):
        return None
    found = _imported(rig, file_format, wanted)
    if found is None:
        found = _of_bones(rig, file_format, wanted, any_name=target == "SELECTED")
    if found is not None:
        report.note(messages.SKELETON_FOUND, name=wanted, file=rig.name)
    return found


def names_of(rig: Rig) -> set[str]:
    """Return upper-case names of the skeletons that an armature stands for: its own, and those of what it plays."""
    names = [each.skeleton_names(document) for each in FORMATS for document in _kept(rig, each)]
    return _own_names(rig) | {name.upper() for known in names for name in (*known.held, *known.wanted)}


def _imported(rig: Rig, file_format: AnyFormat, wanted: str) -> object:
    """Return the file with that skeleton which the .blend keeps for what the armature plays."""
    for document in _kept(rig, file_format):
        if wanted.upper() in {name.upper() for name in file_format.skeleton_names(document).held}:
            return document
    return None


def _kept(rig: Rig, file_format: AnyFormat) -> list[object]:
    """Return the documents of a format that the .blend keeps for what the armature plays."""
    action, _ = actions.assigned(rig)
    origin = provenance.find(action) if action is not None else None
    if origin is None or origin.format != file_format.name:
        return []
    found = [_readable(data, file_format) for data in (origin.data(), provenance.data_beside(origin.text))]
    return [document for document in found if document is not None]


def _readable(data: bytes | None, file_format: AnyFormat) -> object:
    if data is None:
        return None
    try:
        return file_format.read(data)
    except FormatError:
        return None


def _of_bones(rig: Rig, file_format: AnyFormat, wanted: str, *, any_name: bool) -> object:
    """Return a skeleton made of the bones, as an export would write it."""
    if not rig.data.bones or not (any_name or wanted.upper() in _own_names(rig)):
        return None
    naming = capture_nodes.name_nodes(cast_of([rig], local=True), [], capture_nodes.Naming())
    nodes = capture_nodes.bone_nodes(rig, naming.bones[rig.name], None, None)
    position = {name: number for number, name in enumerate(armatures.order_of_nodes(rig))}
    nodes.sort(key=lambda node: position.get(node.name, len(position)))
    return file_format.skeleton_of(Clip(wanted, nodes=nodes, skeleton=wanted))


def _own_names(rig: Rig) -> set[str]:
    return {without_number(name).upper() for name in (rig.name, rig.data.name)}
