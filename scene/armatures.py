"""Armatures out of a clip's nodes: rest poses that keep their precision, lengths and collections.

Bones can only be made in Edit Mode. That is entered in a scene of its own, so that the user's mode, selection,
active object and hidden collections never matter and are never touched (works in Blender 4.2 to 5.2, without a
window, with no active object, and while another armature is being edited).
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar, cast

import bpy
import numpy as np
from bpy.types import ID, Armature, Bone, Collection, Context, EditBone, Object, PoseBone, Scene
from mathutils import Matrix

from ..io_formats.clip import Array, Clip, Node, NodeKind, quaternion
from ..io_formats.clip.pose import compose, inverse, product, rigid
from ..io_formats.errors import FormatError
from . import messages, names, visibility
from .data_paths import bone_path
from .fcurves import AT_REST
from .types import Rig, is_rig
from .undo import Undo

BoneT = TypeVar("BoneT", Bone, PoseBone)

LENGTH_SHARE = 0.05
"""Least length of a bone, as a share of the distance to its parent: a shorter one loses the rest pose's precision."""

REACH_SHARE = 0.01
"""Least length of a bone, as a share of its distance from the armature's origin; the rotation of the rest pose is
kept to about 6e-8 divided by this."""

DEFAULT_LENGTH = 0.1
"""Length in metres of bones whose length is unknown."""

LEAST_LENGTH = 1e-3
"""No bone is shorter: in Blender 4 bones of 1e-6 vanish."""

NEAR_MINUS_Y = -0.99
"""Y of a bone's direction below which Blender's own roll is not exact enough."""

DEEPEST_CHAIN = 2000
"""Most bones in one chain. Blender goes down a chain by recursion when it leaves Edit Mode, copies
or loads an armature, about 200 bytes of stack for each bone: with 1 MiB of stack, the least that a system gives a
program, 4.2 to 5.2 crash between 4,000 and 6,000, and a character has some dozens."""

POSE_BONES_SELECT = "select" in bpy.types.PoseBone.bl_rna.properties
"""From Blender 5.0 on a pose bone is selected by itself, before by its bone in the Armature datablock."""


def unit_of(scene: Scene) -> float:
    """Return the metres of one unit of length in a scene."""
    settings = scene.unit_settings
    return 1.0 if settings.system == "NONE" else float(settings.scale_length)


def build(
    context: Context, clip: Clip, name: str, undo: Undo, *, own_name: str = "", hide_helpers: bool = True
) -> tuple[Rig, dict[str, str]]:
    """Make an armature object with a bone for each bone node of `clip`, in the collection that is in use; return both
    it and bone by node, and raise FormatError if a chain of bones is too long.

    The object has its pose already, so that an Action and slot can be assigned at once. It is drawn in front of
    everything, models that are shown on it included.

    Args:
        name: of the object and its armature.
        own_name: of the armature, by which later files of its skeleton find it; empty where that is `name`.
    """
    nodes = [node for node in clip.nodes if node.kind is NodeKind.BONE]
    depths: dict[str | None, int] = {None: 0}
    for node in nodes:
        depths[node.name] = depths.get(node.parent, 0) + 1
    deepest, depth = max(depths.items(), key=lambda found: found[1])
    if depth > DEEPEST_CHAIN:
        raise FormatError(messages.ARMATURE_TOO_DEEP, name=deepest, depth=depth, limit=DEEPEST_CHAIN)
    armature = undo.new(bpy.data.armatures, names.cut(own_name or name) or "Armature")
    rig = cast("Rig", undo.new(bpy.data.objects, names.cut(name) or "Armature", armature))
    bones = _add_bones(context, rig, nodes, undo)
    _describe(armature, nodes, bones)
    rig.matrix_world = Matrix(clip.root.tolist())  # known at once, as the next file of a batch asks for it
    rig.show_in_front = True
    place_for_new(context).objects.link(rig)
    # the Graph Editor leaves out the curves of bones that are not selected, in any mode
    _select_only(rig, {*bones.values()})
    if hide_helpers:
        visibility.draw_as_nothing(rig, [bones[node.name] for node in nodes if node.helper], undo)
    return rig, bones


def place_for_new(context: Context) -> Collection:
    """Return the collection for new objects: the active one, or the scene's own if that is hidden or not editable."""
    layer = context.view_layer.active_layer_collection if context.view_layer else None
    if layer is None or layer.exclude or not layer.is_visible or not layer.collection.is_editable:
        return context.scene.collection
    return layer.collection


def _set_mode(rig: Object, mode: str) -> None:
    """Enter or leave Edit Mode, if need be; a script may do without the extension's operators."""
    if rig.mode == mode:
        return
    if hasattr(bpy.types, "ANIM_CURVES_OT_toggle_edit_mode"):
        bpy.ops.anim_curves.toggle_edit_mode()  # type: ignore[attr-defined]
    else:
        bpy.ops.object.editmode_toggle()


def _add_bones(context: Context, rig: Rig, nodes: Sequence[Node], undo: Undo) -> dict[str, str]:
    rests = armature_rests(nodes)
    lengths = bone_lengths(nodes, rests)
    unique = names.UniqueNames()
    made: dict[str, EditBone] = {}
    bones: dict[str, str] = {}
    with undo.enter_context(Undo()) as aside:  # Edit Mode, left at the end of the block, and at the latest with `undo`
        scene = aside.new(bpy.data.scenes, "Bones")
        scene.collection.objects.link(rig)
        layer = scene.view_layers[0]
        layer.objects.active = rig
        override = type(context).temp_override  # the context of an Asset Browser that is to be drawn again has none
        aside.enter_context(override(context, scene=scene, view_layer=layer, active_object=rig, object=rig))
        aside.callback(_set_mode, rig, "OBJECT")
        _set_mode(rig, "EDIT")
        if rig.mode != "EDIT":
            raise FormatError(messages.NO_EDIT_MODE)
        for node, rest, length in zip(nodes, rests.tolist(), lengths.tolist(), strict=True):
            bones[node.name] = unique.take(node.name, "Bone")
            bone = rig.data.edit_bones.new(bones[node.name])
            bone.tail = (0.0, length, 0.0)  # a bone without length has no direction to turn
            bone.matrix = Matrix(rest)
            if rest[1][1] < NEAR_MINUS_Y:
                # Blender keeps a direction and a roll, which it finds up to 0.1 degrees off here (measured in 4.2 to
                # 5.2): the turn about the bone's own axis that is left over is put right
                left_over = bone.matrix.to_3x3().transposed() @ Matrix(rest).to_3x3()
                bone.roll += math.atan2(left_over[0][2] - left_over[2][0], left_over[0][0] + left_over[2][2])
            bone.parent = made.get(node.parent) if node.parent is not None else None
            made[node.name] = bone
    return bones


def armature_rests(nodes: Sequence[Node]) -> Array:
    """Return (nodes, 4, 4) rest matrices in armature space; parents precede their children."""
    rests = np.empty((len(nodes), 4, 4))
    index = {node.name: number for number, node in enumerate(nodes)}
    for number, node in enumerate(nodes):
        parent = index.get(node.parent) if node.parent is not None else None
        rests[number] = node.rest if parent is None else rests[parent] @ node.rest
    return rests


def bone_lengths(nodes: Sequence[Node], rests: Array) -> Array:
    """Return (nodes,) bone lengths: the node's own, else the mean distance to its children, else its parent's.

    Never shorter than the precision of the rest poses needs (LENGTH_SHARE, REACH_SHARE); `rests` are `armature_rests`.
    """
    heads = rests[:, :3, 3]
    index = {node.name: number for number, node in enumerate(nodes)}
    parents = np.array([index.get(node.parent, -1) if node.parent is not None else -1 for node in nodes], np.intp)
    child = np.flatnonzero(parents >= 0)
    gaps = np.zeros(len(nodes))
    gaps[child] = np.sqrt(((heads[child] - heads[parents[child]]) ** 2).sum(axis=1))
    own = np.array([node.length or 0.0 for node in nodes])
    total, count = (np.bincount(parents[child], weights, len(nodes)) for weights in (gaps[child], None))
    lengths = np.where(own > 0.0, own, total / np.maximum(count, 1))
    known = lengths[lengths > LEAST_LENGTH]
    usual = float(np.median(known)) if len(known) else DEFAULT_LENGTH
    for number in np.flatnonzero(lengths <= LEAST_LENGTH):
        parent = parents[number]
        lengths[number] = lengths[parent] if parent >= 0 else usual
    least = np.maximum(LENGTH_SHARE * gaps, REACH_SHARE * np.sqrt((heads**2).sum(axis=1)))
    longest: Array = np.maximum(np.maximum(lengths, least), LEAST_LENGTH)
    return longest


def _describe(armature: Armature, nodes: Sequence[Node], bones: dict[str, str]) -> None:
    for node in nodes:
        bone = armature.bones[bones[node.name]]
        names.remember(bone, node)
        if node.turn is not None:
            bone[names.TURN_KEY] = quaternion.from_matrix(node.turn[None, :3, :3])[:, 0].tolist()
        if node.group or node.helper:
            title = names.cut(f"{node.group} Helpers".strip() if node.helper else node.group)
            (armature.collections.get(title) or armature.collections.new(title)).assign(bone)
    if [bone.name for bone in armature.bones] != list(bones.values()):
        armature[names.ORDER_KEY] = list(bones)


def turn_of(bone: Bone) -> Array | None:
    """Return how a bone is turned (4, 4) against the frame that its file has there, None where it is not."""
    turn = bone.get(names.TURN_KEY)
    if turn is None:
        return None
    result: Array = compose(np.zeros((3, 1)), np.array(turn, np.float64)[:, None], np.ones((3, 1)))[0]
    return result


def selected_bones(rig: Rig) -> set[str]:
    """Return the names of the bones that are selected in Pose Mode."""
    holders = rig.pose.bones if POSE_BONES_SELECT else rig.data.bones
    return {holder.name for holder in holders if holder.select}  # type: ignore[union-attr]  # a bone's before 5.0


@contextmanager
def selecting(rig: Rig, bones: set[str]) -> Iterator[None]:
    """Have these bones and no others selected while the block runs."""
    with Undo() as undo:
        undo.callback(_select_only, rig, selected_bones(rig))
        _select_only(rig, bones)
        yield


def _select_only(rig: Rig, bones: set[str]) -> None:
    holders = rig.pose.bones if POSE_BONES_SELECT else rig.data.bones
    holders.foreach_set("select", np.array([holder.name in bones for holder in holders], bool))


def channels_of(owner: ID) -> dict[str, Array]:
    """Return the transform channels, (n,) float32, of an armature's bones; none of another datablock."""
    pose = owner.pose if isinstance(owner, Object) else None
    if pose is None:
        return {}
    found = {name: np.empty(len(rest) * len(pose.bones), np.float32) for name, rest in AT_REST.items()}
    for name, values in found.items():
        pose.bones.foreach_get(name, values)
    return found


def posed(owner: ID) -> dict[tuple[str, int], float]:
    """Return by data path and array index which numbers of an armature's bones are not at rest."""
    found = {}
    for name, values in channels_of(owner).items():
        rows = values.reshape(-1, len(AT_REST[name]))
        for number, index in np.argwhere(rows != np.array(AT_REST[name], np.float32)).tolist():
            bone = cast("Object", owner).pose.bones[number]
            found[bone_path(bone.name, f".{name}"), index] = float(rows[number, index])
    return found


def rest_matrices(rig: Rig) -> dict[str, Array]:
    """Return the rest matrix of each bone in armature space, (4, 4) float64, rigid.

    Blender holds it in float32, whose axes are off by up to 2.4e-5 for bones that point nearly down.
    """
    bones = rig.data.bones
    flat = np.empty(16 * len(bones), np.float32)
    bones.foreach_get("matrix_local", flat)
    matrices = rigid(flat.reshape(-1, 4, 4).transpose(0, 2, 1))
    return {bone.name: matrix for bone, matrix in zip(bones, matrices, strict=True)}


def parent_among(bone: BoneT, names: Container[str]) -> BoneT | None:
    """Return the nearest bone above one whose name is in `names`, None if there is none."""
    above = bone.parent
    while above is not None and above.name not in names:
        above = above.parent
    return above


def relative_rests(rig: Rig, among: Container[str] | None = None) -> dict[str, Array]:
    """Return the rest matrix of each bone relative to its parent's, or to the armature if it has no parent.

    Each is (4, 4) float64, rigid. Where parents are to be `among` some names, others are passed over.
    """
    bones = rig.data.bones
    rests = rest_matrices(rig)
    above = [parent_among(bone, rests if among is None else among) for bone in bones]
    parents = [np.eye(4) if bone is None else rests[bone.name] for bone in above]
    if not parents:
        return {}
    return dict(zip(rests, product(inverse(np.stack(parents)), np.stack(list(rests.values()))), strict=True))


def space_on_bone(thing: Object) -> Array:
    """Return the (4, 4) space of the channels of an object parented to a bone, relative to the posed bone."""
    assert is_rig(thing.parent)
    bone = thing.parent.data.bones[thing.parent_bone]
    space = np.eye(4)
    if bone.use_relative_parent:
        space = inverse(rigid(np.array(bone.matrix_local)))
    else:
        space[1, 3] = bone.length
    return space @ np.array(thing.matrix_parent_inverse, np.float64)


def take_edits(context: Context) -> None:
    """Give armatures in Edit Mode the bones as they are edited so far, which Blender does when that is left."""
    for thing in [] if context.view_layer is None else context.view_layer.objects:
        if is_rig(thing) and thing.mode == "EDIT":
            thing.update_from_editmode()
