"""A clip onto an armature that rests otherwise than the file's, and back: what the option Other Rigs says."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TypeGuard

import bpy
import numpy as np
from bpy.types import Bone, CopyTransformsConstraint, Object, PoseBone
from mathutils import Matrix

from ..io_formats.clip import Array, Clip, Node, NodeKind, edit, humanoid, pose, rest_pose, retarget
from ..io_formats.clip.pose import Chains, tilt_of, transform_tracks
from ..io_formats.errors import Report
from ..io_formats.scene_options import ImportOptions
from . import actions, armatures, messages, names
from .capture import influences
from .data_paths import bone_path, custom_path
from .targets import SAME_REST, Target, held, same_rest
from .types import Rig, is_rig
from .undo import Undo

_SAME_SCALE = 1e-5
_ANOTHER_SIZE = 0.01
_IN_PROPORTION = 0.05
_NO_LENGTH = 1e-6
_ON_NOTHING = 1e-5
"""Part of the range of what an armature object moves its bones by that lines between samples may be off: all of it is
sampled again on the file's frames."""
_FK, _SWITCH = "_fk", "IK_FK"
"""Part of the names of Rigify's controls, and its property that is 0 for IK and 1 for FK."""


# --- Onto a target ----------------------------------------------------------------------------------------------------


def for_target(clip: Clip, target: Target, options: ImportOptions, report: Report) -> Clip:
    """Return the clip as it is written onto a `target` that was there; itself if rest poses and lengths are the same.

    Tracks that need no conversion are the clip's own objects.
    """
    meant = as_meant(clip, target.rig, target.bones, options)
    is_large = target.has_size(options.scale) and not leaves_a_rest(clip)  # else the roots tell it
    scaled = meant if options.scale == 1.0 or is_large else edit.in_lengths(meant, options.scale)
    nodes = nodes_as_they_are(scaled, target, options)
    follows = nodes is not None and bool(_followed(scaled, nodes, target.rig, target.bones))
    rig = None if follows or options.fit == "EXACT" or not target.bones else target.rig
    if _has_a_place(rig, scaled) and pose.is_elsewhere(np.array(rig.matrix_world, np.float64), scaled.root):
        report.note(messages.PLAYS_FROM_THERE, name=rig.name)
    if nodes is None:
        return scaled
    sizes = [] if target.rig is None else sorted(map(abs, target.rig.matrix_world.to_scale()[:]))
    if sizes and sizes[-1] - sizes[0] > _ANOTHER_SIZE * sizes[-1]:
        report.warn(messages.UNEVEN_SCALE, name=target.rig.name)
    if clip.recorded is None and target.rig is not None:
        report.note(messages.NODES_REBASED)
    return onto_nodes(scaled, nodes, target, options, report)


def nodes_as_they_are(clip: Clip, target: Target, options: ImportOptions) -> list[Node] | None:
    """Return the clip's nodes with the target's rest poses; None if these are the clip's own, and where they count.

    Nodes whose rest is the same within Blender's precision are the clip's own objects, so that their numbers stay.
    """
    if not clip.rests_known:
        return None
    wanted = {node.name: node for node in clip.nodes}
    found = _bone_rests(clip, target) if target.rig is not None else []
    found += [_object_node(clip, wanted[name], thing, target) for name, thing in target.objects.items()]
    nodes = []
    for node in found:
        own = wanted.get(node.name, node)
        alike = not clip.parents_known or own.parent == node.parent
        alike = alike and frame_turn(clip, own, node) is None and same_rest(own.rest, node.rest)
        nodes.append(own if alike else node)
    told = wanted.keys() - clip.without_data
    if any(node is not wanted[node.name] for node in nodes if node.name in told):
        return nodes
    rig = None if target.objects else target.rig
    if options.fit == "EXACT" and _has_a_place(rig, clip):
        return None if np.allclose(_standing(clip, nodes, rig)[0], clip.root, atol=SAME_REST) else nodes
    return None


def size_of(target: Target, scale: float) -> float:
    """Return how many times as long as the file's, at the option's scale, bones are; 1 where these differ."""
    still = Clip("", nodes=list(target.skeleton.values()))
    found = retarget.enlargement(still, _bone_rests(still, target)) if target.skeleton else None
    return 1.0 if found is None or abs(found * scale - 1.0) <= SAME_REST else found * scale


def _bone_rests(clip: Clip, target: Target) -> list[Node]:
    """Return matched bones and their ancestors as nodes; without parents if the clip's parents are unknown."""
    rests = armatures.relative_rests(target.rig)
    own_nodes = {node.name: node for node in clip.nodes}
    node_of = {bone: node for node, bone in target.bones.items()}
    nodes = []
    for bone in target.rig.data.bones:  # parents come first
        parent = bone.parent.name if bone.parent else None
        relative = rests[bone.name]
        name = node_of.get(bone.name, unmatched_name(bone.name))
        parent_node = None if parent is None else node_of.get(parent, unmatched_name(parent))
        own = own_nodes.get(name, Node(name))
        if clip.parents_known:
            nodes.append(replace(own, parent=parent_node, rest=relative))
        elif bone.name in node_of:
            # such a file's rest is that of a node without a parent
            above = None if bone.parent is None else armatures.turn_of(bone.parent)
            relative = relative if above is None else above @ relative
            rest = relative if parent is None else own.rest @ relative
            nodes.append(replace(own, parent=None, rest=rest, turn=armatures.turn_of(bone)))
    return nodes


def _object_node(clip: Clip, own: Node, thing: Object, target: Target) -> Node:
    to_world = np.linalg.inv(clip.root)
    own = replace(own, kind=NodeKind.OBJECT, holds=held(thing))
    if thing.parent is None:
        outside = clip.outside
        if not np.array_equal(outside, np.eye(4)):  # from the clip's root to the file's space, in units of the scene
            outside = np.linalg.inv(outside @ np.diag([*[1.0 / target.unit] * 3, 1.0]))
        return replace(own, parent=None, rest=outside @ to_world)
    above = thing.parent
    on_bone = thing.parent_type == "BONE" and is_rig(above) and thing.parent_bone in above.data.bones
    if not clip.parents_known and on_bone:
        return replace(own, rest=own.rest @ armatures.space_on_bone(thing))
    inverse = np.array(thing.matrix_parent_inverse, np.float64)
    parent_object = target.objects.get(own.parent) if own.parent is not None else None
    if not clip.parents_known or parent_object == thing.parent:
        turn = clip.turns.get(held(thing.parent)) if not clip.parents_known else None
        return replace(own, rest=inverse if turn is None else np.linalg.inv(turn) @ inverse)
    return replace(own, parent=None, rest=to_world @ np.array(thing.parent.matrix_world, np.float64) @ inverse)


# --- Onto its rests ---------------------------------------------------------------------------------------------------


def onto_nodes(clip: Clip, nodes: list[Node], target: Target, options: ImportOptions, report: Report) -> Clip:
    """Return the clip on `nodes_as_they_are` of the target, of which objects take the file's positions exactly."""
    rig, bones = None if target.objects else target.rig, target.bones
    nodes = nodes if rig is None else _as_held(nodes, rig, bones)
    posed = humanoid.posed_as(clip, nodes) if clip.recorded is not None and rig is not None else None
    if posed is not None:
        report.note(messages.BODY_FITTED, size=posed.scale * rig.matrix_world.median_scale)  # as it is seen
        return retarget.from_rest_to_rest(posed.clip, nodes, report, tilt=posed.tilt, scale=posed.scale)
    if options.fit == "FOLLOW" and rig is not None:
        joints = _followed(clip, nodes, rig, bones)
        if joints:
            return _follow(clip, nodes, joints, rig, bones, options.follow_place, report)
        if leaves_a_rest(clip):
            tilt, scale = _between_spaces(clip, nodes, rig)
            size = (retarget.enlargement(clip, nodes) or scale) / scale
            if abs(size - 1.0) > _ANOTHER_SIZE:
                size *= options.scale  # of what is scaled already
                same = abs(size - 1.0) <= _ANOTHER_SIZE
                report.warn(messages.SAME_SIZE) if same else report.warn(messages.ANOTHER_SIZE, size=size)
            return retarget.from_rest_to_rest(clip, nodes, report, tilt=tilt, scale=scale)
    flat, root = clip, clip.root
    if options.fit == "EXACT" and _has_a_place(rig, clip):
        root, longer = _standing(clip, nodes, rig)
        flat = clip if longer == 1.0 else edit.in_lengths(clip, longer)
    # what a file without rest poses leaves alone stays at the target's rest
    own = {node.name: node for node in clip.nodes}
    found = {node.name: frame_turn(clip, own[node.name], node) for node in nodes if node.name in own}
    turns = {name: turn for name, turn in found.items() if turn is not None}
    placed = replace(rest_pose.rebase(flat, nodes, root, report=report, turns=turns), root=clip.root)
    return rest_pose.only_driven(placed, clip)


def _has_a_place(rig: Rig | None, clip: Clip) -> TypeGuard[Rig]:
    """Return whether a clip says where in the world it is, so that an armature can be there, too."""
    return rig is not None and clip.parents_known and clip.rests_known and clip.recorded is None


def _standing(clip: Clip, nodes: list[Node], rig: Rig) -> tuple[Array, float]:
    """Return where an armature object stands (4, 4), in the clip's size, and how many times longer its units are."""
    place, turn, _, _ = pose.decompose(np.array(rig.matrix_world, np.float64)[None])
    root = pose.size_of(clip.root)
    scale = root / rig.matrix_world.median_scale
    size = retarget.enlargement(clip, nodes) or scale
    # a person may have scaled the object
    longer = scale if abs(np.log(size / scale)) < abs(np.log(size)) else 1.0
    return pose.compose(place, turn, np.full((3, 1), root / longer))[0], longer


def as_meant(clip: Clip, rig: Rig | None, bones: Mapping[str, str], options: ImportOptions) -> Clip:
    """Return a clip as an armature that is there takes it: of a body what the file itself says, where the armature is
    that body, or no body, or its places are asked for as the option Other Rigs says."""
    if clip.recorded is None:
        return clip
    if rig is None or (options.fit == "EXACT" and options.channels == "ALL"):
        return clip.recorded
    rests, of_bone = armatures.relative_rests(rig), {bone: node for node, bone in bones.items()}
    hanging = [bone for bone in rig.data.bones if bone.name in of_bone and bone.parent is not None]
    nodes = [Node(of_bone[bone.name], bone.parent.name, _in_files_frames(bone, rests[bone.name])) for bone in hanging]
    return clip if humanoid.shared_parts(clip, bones) and not humanoid.fits(clip.recorded, nodes) else clip.recorded


def _in_files_frames(bone: Bone, rest: Array) -> Array:
    """Return the rest (4, 4) of a bone relative to its parent as a file has it whose frames were turned."""
    turn, above = armatures.turn_of(bone), armatures.turn_of(bone.parent)
    rest = rest if above is None else above @ rest
    return rest if turn is None else rest @ np.linalg.inv(turn)


def frame_turn(clip: Clip, own: Node, found: Node) -> Array | None:
    """Return the (4, 4) difference between an object's frame and that of the file's node, None if they are equal.

    A file without parents says by the rest of its bones how the frames of their parents may be turned; cameras
    and lights may be turned besides.
    """
    if clip.parents_known:
        return None
    turn: Array = np.eye(4) if own.kind is found.kind else np.linalg.inv(own.rest)
    if found.holds in clip.turns:
        turn = turn @ np.linalg.inv(clip.turns[found.holds])
    if found.turn is not None:
        turn = turn @ found.turn
    return None if np.array_equal(turn, np.eye(4)) else turn


def leaves_a_rest(clip: Clip) -> bool:
    """Return whether a clip's motion is relative to a rest pose, so that it can be moved to another rest pose."""
    # the rests of joints that are placed in the world are no rest pose
    return clip.parents_known and clip.rests_known and not any(node.leads_to for node in clip.nodes)


def _followed(clip: Clip, nodes: list[Node], rig: Rig | None, bones: Mapping[str, str]) -> set[str]:
    """Return the joints that bones follow: none where an import made the bones for them, which then are placed."""
    joints = retarget.joints_on(clip, nodes)
    is_own = rig is None or any(rig.data.bones[bones[joint]].get(names.NODE_KEY) != joint for joint in joints)
    return joints if is_own else set()


def _follow(
    clip: Clip, nodes: list[Node], joints: set[str], rig: Rig, bones: Mapping[str, str], place: str, report: Report
) -> Clip:
    """Return the clip on bones that follow its joints; what is no joint, such as the camera, is where it was."""
    with Undo() as undo:
        undo.set(rig.data, "pose_position", "POSE")
        bpy.context.view_layer.update()  # in rest position nothing leads an arm
        held = _as_posed(nodes, joints, rig, bones)
    root = np.array(rig.matrix_world, np.float64)
    free = {name for name in joints if rig.data.bones[bones[name]].parent is None}
    placed = {"NEVER": set[str](), "ALWAYS": joints}.get(place, free)
    followed = retarget.follow_joints(clip, held, root, report, placed=placed)
    alone = {name: tracks for name, tracks in transform_tracks(clip.tracks).items() if name not in joints}
    loose: dict[str | None, Node] = {}
    for node, posed in zip(nodes, held):
        if (node.parent is None or node.parent in loose) and node.name not in joints:
            loose[node.name] = node if node.name in alone else posed
    moving = replace(clip, tracks=[track for tracks in alone.values() for track in tracks])
    others = rest_pose.rebase(moving, list(loose.values()), root, report=report).tracks
    return replace(followed, nodes=nodes, tracks=[*followed.tracks, *(each for each in others if each.node in alone)])


def _as_posed(nodes: list[Node], joints: set[str], rig: Rig, bones: Mapping[str, str]) -> list[Node]:
    """Return the nodes, those that follow no joint at rest as they are posed now, as an arm that holds a hand may be,
    also by inverse kinematics."""
    bone_of = {unmatched_name(bone.name): bone for bone in rig.pose.bones}
    bone_of |= {node: rig.pose.bones[bone] for node, bone in bones.items()}
    solved, below, posed = influences.of_bones(rig), set[str | None](), []
    for node in nodes:
        bone, above = bone_of[node.name], bone_of.get(node.parent or "")
        rest = node.rest @ np.array(bone.matrix_basis)
        if node.name in joints or node.parent in below:  # what is below a joint may follow that
            below.add(node.name)
        elif bone.name in solved:
            rest = np.array(bone.matrix if above is None else above.matrix.inverted_safe() @ bone.matrix)
        posed.append(node if node.name in joints else replace(node, rest=rest))
    return posed


def _as_held(nodes: list[Node], rig: Rig, bones: Mapping[str, str]) -> list[Node]:
    """Return the nodes, parents first, of bones that copy all of another one as children of that, as Rigify's do."""
    rests, node_of = armatures.rest_matrices(rig), {bone: node for node, bone in bones.items()}
    found = {node.name: node for node in nodes}
    for bone in rig.pose.bones:
        own = found.get(unmatched_name(bone.name))
        for copying in bone.constraints:
            if not isinstance(copying, CopyTransformsConstraint) or copying.mute or copying.influence < 1.0:
                continue
            above = node_of.get(copying.subtarget, unmatched_name(copying.subtarget))
            if own is not None and above in found and copying.target == rig:
                rest = pose.inverse(rests[copying.subtarget]) @ rests[bone.name]
                found[own.name] = replace(own, parent=above, rest=rest)
    return pose.in_model_order([*found.values()])


def unmatched_name(bone: str) -> str:
    """Name of the node that stands for a bone without a partner in the clip."""
    return f"bone {bone}"


# --- Rest poses --------------------------------------------------------------------------------------------------


def tell_proportions(clip: Clip, rig: Rig, bones: Mapping[str, str], report: Report) -> None:
    """Tell whether the limbs of a body keep their lengths under a clip that is on it; nothing of other armatures."""
    if not (parts := humanoid.shared_parts(clip, bones)):
        return
    rests, of_bone = armatures.relative_rests(rig), {bone: node for node, bone in bones.items()}
    tracks, sizes = transform_tracks(clip.tracks), {}
    for bone in rig.data.bones:
        node = of_bone.get(bone.name, "")
        own = tracks.get(node, ()) if parts.get(node) != "hips" else ()  # which travel, whatever bone carries them
        if bone.parent is not None and own and np.linalg.norm(rests[bone.name][:3, 3]) > _NO_LENGTH:
            sizes[bone.name] = humanoid.stretched(rests[bone.name], own)
    worst = max(sizes, key=lambda bone: abs(np.log(max(sizes[bone], _NO_LENGTH))), default="")
    if not worst or abs(sizes[worst] - 1.0) <= _IN_PROPORTION:
        report.note(messages.IN_PROPORTION, name=rig.name)
    elif clip.parents_known or humanoid.is_connected(clip, humanoid.parts_of([node.name for node in clip.nodes])):
        report.warn(messages.OUT_OF_PROPORTION, bone=worst, size=sizes[worst])
    else:
        report.warn(messages.NO_PROPORTION, bone=worst, size=sizes[worst])


def let_keys_move(clip: Clip, rig: Rig, bones: Mapping[str, str], report: Report, undo: Undo) -> None:
    """Switch the limbs of a generated Rigify rig to FK where keys are on their FK controls, and report that."""
    limbs = limbs_in_ik(clip, rig, bones)
    for bone in limbs:
        undo.set_item(bone, _SWITCH, 1.0)
    if limbs:
        rig.update_tag()
        bpy.context.view_layer.update()  # what the switch drives says where bones hang
        report.note(messages.SWITCHED_TO_FK, limbs=len(limbs), name=rig.name)


def limbs_in_ik(clip: Clip, rig: Rig, bones: Mapping[str, str]) -> list[PoseBone]:
    """Return the bones with the switches of limbs that play IK, also at times, while a clip moves their FK controls."""
    fk = {bones[node] for node, _ in clip.driven if _FK in bones.get(node, "")}
    whole = bool(humanoid.shared_parts(clip, bones))
    arms = {bone[-2:] for bone in fk}  # where hands are all there is
    curves = (curve for curve in actions.fcurves_of(rig) if curve.data_path.endswith(custom_path(_SWITCH)))
    keyed = {curve.data_path for curve in curves if any(key.co[1] < 1.0 for key in curve.keyframe_points)}
    switches = (bone for bone in rig.pose.bones if fk and isinstance(bone.get(_SWITCH), float))
    in_ik = (bone for bone in switches if bone[_SWITCH] < 1.0 or bone_path(bone.name, custom_path(_SWITCH)) in keyed)
    return [bone for bone in in_ik if whole or ("arm" in bone.name and bone.name[-2:] in arms)]


def back_from_rests(captured: Clip, written: Clip, rig: Rig, kept: Collection[str], report: Report) -> Clip:
    """Return what an armature plays, on the file's nodes and others that are `kept`: from rest to rest, back again."""
    bones: dict[str | None, Node] = {}  # and what hangs on them
    for node in captured.nodes:
        if node.kind is NodeKind.BONE or node.parent in bones:
            bones[node.name] = node
    carrier = next((node.parent for node in bones.values() if node.parent not in bones), None)
    loose = [node if node.parent in bones else replace(node, parent=None) for node in bones.values()]
    posed = humanoid.posed_as(written, loose) if written.recorded is not None else None
    if posed is not None:
        back, scale = posed.tilt.T, 1.0 / posed.scale
        others = _others(posed.clip.nodes, loose, kept, back, scale)
        things = {node.name for node in loose if node.kind is NodeKind.OBJECT}  # which grow by their rest
        tracks = [edit.longer(track, posed.scale) if track.node in things else track for track in captured.tracks]
        hung, nodes = replace(captured, nodes=loose, tracks=tracks), [*posed.clip.nodes, *others]
        found = replace(retarget.from_rest_to_rest(hung, nodes, report, tilt=back, scale=scale), root=written.root)
        found = rest_pose.rebase(found, [*written.nodes, *others], written.root, report=report)
        # a file of a body holds the objects beside its bones as well
        beside = {node.name: node for node in captured.nodes if node.name not in bones}
        own = [track for track in captured.tracks if track.node in beside]
        nodes, tracks = [*beside.values(), *found.nodes], [*found.tracks, *own]
        return replace(found, nodes=nodes, tracks=tracks, recorded=written.recorded)
    if carrier is not None:  # how the armature object stands goes into the rest poses, where it is into the motion
        world, stands = Chains(captured).world(carrier, np.zeros(1))[0], np.eye(4)
        stands[:3, :3] = tilt_of(world) * pose.size_of(world)
        for name, node in bones.items():
            if node.parent == carrier:
                bones[name] = replace(node, parent=None, rest=stands @ node.rest)
        captured = rest_pose.rebase(captured, [*bones.values()], captured.root, share=_ON_NOTHING, report=report)
        loose = captured.nodes
    tilt, scale = _between_spaces(written, loose, rig)
    back = None if tilt is None else tilt.T
    nodes = [*written.nodes, *_others(written.nodes, loose, kept, np.eye(3) if back is None else back, 1.0 / scale)]
    found = retarget.from_rest_to_rest(captured, nodes, report, tilt=back, scale=1.0 / scale)
    return replace(found, root=written.root)


def _others(nodes: list[Node], hanging: list[Node], kept: Collection[str], tilt: Array, scale: float) -> list[Node]:
    """Return what a file's nodes lack of what is kept, at rest beside what it hangs on as on the rig."""
    before, after, found = pose.chain_rests(hanging), pose.chain_rests(nodes), []
    parents = retarget.nearest(hanging, {*after, *kept})
    for node in (node for node in hanging if node.name not in after and node.name in kept):
        world, above = before[node.name].copy(), parents[node.name]
        world[:3, 3] -= before[above][:3, 3]
        world[:3] = tilt @ world[:3] * ((1.0, 1.0, 1.0, scale) if node.kind is NodeKind.BONE else scale)
        world[:3, 3] += after[above][:3, 3]
        found.append(replace(node, parent=above, rest=pose.product(pose.inverse(after[above]), world)))
        after[node.name] = world
    return found


def back_from_places(captured: Clip, written: Clip, rig: Rig) -> Clip:
    """Return what an armature plays in the size of the file's skeleton: the inverse of importing in exact places."""
    if any(node.kind is not NodeKind.BONE for node in captured.nodes):
        return captured  # it moves, which is in the world already
    return replace(captured, root=_standing(written, captured.nodes, rig)[0])


def _between_spaces(clip: Clip, nodes: list[Node], rig: Rig) -> tuple[Array | None, float]:
    """Return the (3, 3) tilt from the clip's root to the armature object, None for none, and their ratio of units.

    Where the object stands and which way it faces is the user's business; that its Y is up instead of Z is not.
    """
    world, root = rig.matrix_world, Matrix(np.asarray(clip.root).tolist())
    scale = root.median_scale / world.median_scale
    tilt = np.asarray(tilt_of(np.array(world)).T @ tilt_of(clip.root))
    return retarget.better_tilt(clip, nodes, tilt), 1.0 if abs(scale - 1.0) < _SAME_SCALE else scale
