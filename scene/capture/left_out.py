"""What is animated but has no place in an exported file: materials, node groups, modifiers, the world ..."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from bpy.types import ID, Collection, Context, Light, Material, NodesModifier, NodeTree, Object, Scene, World

from ...io_formats.errors import Report
from .. import actions, fcurves, messages
from ..data_paths import split_bone
from . import influences

_MOST_NAMES = 5
_OF_PATHS = {
    "constraints": messages.LEFT_OUT_CONSTRAINTS,
    "modifiers": messages.LEFT_OUT_MODIFIERS,
    "grease_pencil_modifiers": messages.LEFT_OUT_MODIFIERS,
    "shader_effects": messages.LEFT_OUT_MODIFIERS,
    "particle_systems": messages.LEFT_OUT_PARTICLES,
}

Found = tuple[str, str, int]
"""Template of the sentence, name of the thing, how many of its values are animated."""


def warn(
    context: Context,
    exported: Sequence[Object],
    beside: Sequence[Object],
    curves: Sequence[tuple[ID, str]],
    told: Sequence[tuple[ID, str]],
    report: Report,
) -> None:
    """Warn once for each cause, with the number of animated values and the names of what they belong to.

    Args:
        exported: the objects whose motion is written.
        beside: other objects of theirs, such as the meshes of an armature, of which nothing is written.
        curves: (owner, data path) of each curve of `exported` that is no part of the clip.
        told: (owner, data path) of each curve of `beside` that is.
    """
    values: dict[str, int] = {}
    names: dict[str, list[str]] = {}
    for template, name, count in _found(context.scene, exported, beside, curves, told):
        if count:
            values[template] = values.get(template, 0) + count
            names.setdefault(template, []).append(name)
    for template, count in values.items():
        report.warn(template, values=count, names=_listed(names[template]))


def _listed(names: Iterable[str]) -> str:
    different = list(dict.fromkeys(names))
    return ", ".join(different[:_MOST_NAMES]) + (" ..." if len(different) > _MOST_NAMES else "")


def _found(
    scene: Scene,
    exported: Sequence[Object],
    beside: Sequence[Object],
    curves: Sequence[tuple[ID, str]],
    told: Sequence[tuple[ID, str]],
) -> Iterator[Found]:
    for owner, path in curves:
        yield _of_curve(owner, path)
    for thing in beside:
        yield from _of_object(thing, sum(owner == thing for owner, _ in told))
    blocks: dict[ID, Found] = {}
    for thing in [*exported, *beside]:
        _add_blocks_of(thing, blocks)
    if scene.world is not None:
        _add_with_nodes(scene.world, messages.LEFT_OUT_WORLD, blocks)
    yield from blocks.values()


def _of_curve(owner: ID, path: str) -> Found:
    bone, rest = split_bone(path)
    template = _OF_PATHS.get(rest.partition("[")[0])
    if template is not None:
        return template, bone or owner.name, 1
    return messages.LEFT_OUT_OTHER if _leads_somewhere(owner, path) else messages.LEFT_OUT_NOWHERE, path, 1


def _leads_somewhere(owner: ID, path: str) -> bool:
    try:
        owner.path_resolve(path)
    except ValueError:
        return False
    return True


def _of_object(thing: Object, told: int) -> Iterator[Found]:
    """Yield what is keyed on an object, but for so many curves not written, its data and its shape keys."""
    yield messages.LEFT_OUT_OBJECTS, thing.name, _keyed(thing) - told
    data = thing.data
    if data is not None:
        yield messages.LEFT_OUT_DATA, data.name, _animated(data)
    keys = getattr(data, "shape_keys", None)  # only meshes, curves and lattices have them
    if keys is not None:
        yield messages.LEFT_OUT_SHAPE_KEYS, thing.name, _animated(keys)


def _add_blocks_of(thing: Object, blocks: dict[ID, Found]) -> None:
    """Add the datablocks that an object uses and that no format knows, each once."""
    if thing.instance_type == "COLLECTION" and thing.instance_collection is not None:
        _add_instanced(thing.instance_collection, thing.name, blocks)
    for slot in thing.material_slots:
        if slot.material is not None:
            _add_with_nodes(slot.material, messages.LEFT_OUT_MATERIALS, blocks)
    for modifier in thing.modifiers:
        if isinstance(modifier, NodesModifier) and modifier.node_group is not None:
            _add_nodes(modifier.node_group, modifier.node_group.name, messages.LEFT_OUT_NODES, blocks)
    for system in thing.particle_systems:
        blocks[system.settings] = (messages.LEFT_OUT_PARTICLES, system.settings.name, _animated(system.settings))
    if isinstance(thing.data, Light) and thing.data.node_tree is not None:
        _add_nodes(thing.data.node_tree, thing.data.name, messages.LEFT_OUT_NODES, blocks)


def _add_instanced(collection: Collection, name: str, blocks: dict[ID, Found]) -> None:
    """Add what an instance of a collection shows, instances in it, too: no file holds what moves inside of it."""
    for thing in collection.all_objects:
        if thing in blocks:
            continue
        parts = (thing, thing.data, getattr(thing.data, "shape_keys", None))
        blocks[thing] = (messages.LEFT_OUT_INSTANCES, name, sum(_animated(part) for part in parts if part is not None))
        if thing.instance_type == "COLLECTION" and thing.instance_collection is not None:
            _add_instanced(thing.instance_collection, name, blocks)


def _add_with_nodes(block: Material | World, template: str, blocks: dict[ID, Found]) -> None:
    """Add a material or world with the nodes that are its own."""
    blocks[block] = (template, block.name, _animated(block))
    if block.node_tree is not None:
        _add_nodes(block.node_tree, block.name, template, blocks)


def _add_nodes(tree: NodeTree, name: str, template: str, blocks: dict[ID, Found]) -> None:
    """Add a node tree, and the groups in it, which are shared and have names of their own."""
    if tree in blocks:
        return
    blocks[tree] = (template, name, _animated(tree))
    for node in tree.nodes:
        group: NodeTree | None = getattr(node, "node_tree", None) if node.type == "GROUP" else None
        if group is not None:
            _add_nodes(group, group.name, messages.LEFT_OUT_NODES, blocks)


def _keyed(owner: ID) -> int:
    """Return how many values have curves that play."""
    return sum(map(fcurves.plays, actions.fcurves_of(owner))) + len(influences.strip_paths(owner))


def _animated(owner: ID) -> int:
    """Return how many values have curves or drivers that play."""
    return _keyed(owner) + len(influences.active_drivers(owner))
