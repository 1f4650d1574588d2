"""Meshes to look at: on the bones of an armature or deformed by them, marked so that no export takes them along."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

import bpy
import numpy as np
from bpy.types import ArmatureModifier, Bone, ByteColorAttribute, Collection, HookModifier, Mesh, Modifier, Object
from mathutils import Matrix

from ..io_formats.clip import Array, Node
from ..io_formats.clip.model import Model, ModelFile, Skin
from ..io_formats.clip.pose import inverse, rigid
from ..io_formats.errors import Report
from . import messages, names, surfaces, visibility
from .targets import SAME_REST
from .types import Rig
from .undo import Undo

SHOWN_KEY = "anim_curves_model"
"""Custom property of an object that only shows what a file looks like; exports leave it out."""


def is_model(thing: Object) -> bool:
    """Return whether an object was made only to be looked at."""
    return bool(thing.get(SHOWN_KEY, False))


@dataclass
class Stand:
    """What carries models.

    Attributes:
        rig: an armature object, None where rigid meshes stand alone.
        bones: bone by node name.
        collection: where new objects go.
        scale: of the objects.
        carrier_path: data path, from the armature object, of the property that shows a model; None if it is not there.
        nodes: the skeleton's nodes by name, on an armature that may rest otherwise; empty for one that is made of them.
    """

    rig: Rig | None
    bones: Mapping[str, str]
    collection: Collection
    scale: float = 1.0
    carrier_path: Callable[[tuple[str, str]], str | None] = lambda _: None
    nodes: Mapping[str, Node] = field(default_factory=dict)

    def carrier(self, node: str) -> str | None:
        """Return the node itself, or the nearest above it, that has a bone; None if there is none."""
        at: str | None = node
        while at is not None and at not in self.bones:
            at = self.nodes[at].parent if at in self.nodes else None
        return at

    def rest(self, node: str) -> Array:
        """Return the (4, 4) rest of a node of the skeleton, seen from the armature."""
        own = self.nodes[node]
        return own.rest if own.parent is None else self.rest(own.parent) @ own.rest

    def on_bone(self, node: str, carrier: str, bone: Bone) -> Array:
        """Return (4, 4) where a node rests, seen from its carrier's bone: turned as in the file, at the bone's head.

        The identity where bone and node rest alike.
        """
        if node not in self.nodes:
            return np.eye(4)
        rest = rigid(np.array(bone.matrix_local))
        place = self.rest(node).copy()
        place[:3, 3] += rest[:3, 3] - self.rest(carrier)[:3, 3]
        found: Array = inverse(rest) @ place
        return np.eye(4) if np.abs(found - np.eye(4)).max() <= SAME_REST else found


@dataclass
class Showing:
    """Makes the objects of models on one stand."""

    stand: Stand
    undo: Undo
    report: Report
    _painter: surfaces.Painter = field(init=False)
    _hidden: Collection | None = None
    _missing: dict[str, None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._painter = surfaces.Painter(self.undo, self.report)

    def show(self, files: Sequence[ModelFile]) -> list[Object]:
        """Make an object for each model that the armature does not have yet; only the finest level is visible."""
        made = [thing for file in files for thing in self._show_file(file)]
        self._painter.tell()
        if self._missing:
            missing = ", ".join(self._missing)
            self.report.warn(messages.MODELS_WITHOUT_BONES, number=len(self._missing), names=missing)
        return made

    def _show_file(self, file: ModelFile) -> list[Object]:
        new = list(_new_in(file, self.stand.rig))
        self._painter.find_picture = file.find_picture
        return [self._object(model, self.stand.collection if model.shown else self._aside()) for model in new]

    def _aside(self) -> Collection:
        """Return the collection of hidden models, inside that of the visible ones."""
        if self._hidden is None:
            self._hidden = self.undo.new(bpy.data.collections, names.cut(f"{self.stand.collection.name} Hidden"))
            self._hidden.hide_viewport = self._hidden.hide_render = True
            self.stand.collection.children.link(self._hidden)
        return self._hidden

    def _object(self, model: Model, collection: Collection) -> Object:
        mesh = self._mesh(model)
        thing = self.undo.new(bpy.data.objects, names.cut(model.name) or "Mesh", mesh)
        thing[SHOWN_KEY] = True
        collection.objects.link(thing)
        rig = self.stand.rig
        thing.scale = (self.stand.scale,) * 3
        if rig is None:
            return thing
        thing.hide_select = not model.selectable
        thing.parent = rig
        self._hide_with_carrier(thing, model)
        if model.skin is not None:
            _deform(thing, rig, model.skin, self._bones_of(model.skin))
        else:
            self._hang(thing, rig, model.node)
        return thing

    def _bones_of(self, skin: Skin) -> dict[str, str]:
        """Return the bone by node of those that a skin follows: the node's own or the nearest above it."""
        followed = [skin.nodes[number] for number in np.unique(skin.influences[skin.influences >= 0]).tolist()]
        carriers = {node: self._carrier(node) for node in followed}
        return {node: self.stand.bones[carrier] for node, carrier in carriers.items() if carrier is not None}

    def _carrier(self, node: str) -> str | None:
        if node in self.stand.nodes and node not in self.stand.bones:
            self._missing[node] = None
        return self.stand.carrier(node)

    def _hang(self, thing: Object, rig: Rig, node: str) -> None:
        """Parent an object to a node's bone or the nearest above; Blender puts it at the tail, which is compensated."""
        carrier = self._carrier(node)
        if carrier is None:
            if node in self.stand.nodes:
                thing.matrix_parent_inverse = Matrix(self.stand.rest(node).tolist())
            return
        bone = rig.data.bones[self.stand.bones[carrier]]
        thing.parent_type, thing.parent_bone = "BONE", bone.name
        place = Matrix(self.stand.on_bone(node, carrier, bone).tolist())
        thing.matrix_parent_inverse = Matrix.Translation((0.0, -bone.length, 0.0)) @ place

    def _hide_with_carrier(self, thing: Object, model: Model) -> None:
        path = None if model.shown_by is None else self.stand.carrier_path(model.shown_by)
        if path is not None:
            visibility.hide_object_unless(thing, self.stand.rig, path, self.undo)

    def _mesh(self, model: Model) -> Mesh:
        mesh = self.undo.new(bpy.data.meshes, names.cut(model.name) or "Mesh")
        fill(mesh, model)
        for material in model.materials:
            mesh.materials.append(self._painter.material(material))
        return mesh


def has_new(files: Sequence[ModelFile], rig: Rig | None) -> bool:
    """Return whether `files` have a model that an armature does not have yet."""
    return any(True for file in files for _ in _new_in(file, rig))


def _new_in(file: ModelFile, rig: Rig | None) -> Iterator[Model]:
    there = _names_on(rig) if file.models else set()
    return (model for model in file.models if model.name.upper() not in there)


def _names_on(rig: Rig | None) -> set[str]:
    """Return upper-case names of the meshes that an armature carries or deforms already."""
    return {names.without_number(thing.name).upper() for thing in meshes_on(rig)}


def meshes_on(rig: Rig | None) -> Iterator[Object]:
    """Yield the mesh objects that are parented to an armature object or deformed by it."""
    if rig is None:
        return
    for thing in bpy.data.objects:
        if thing.type == "MESH" and (thing.parent == rig or any(_is_deformed(rig, m) for m in thing.modifiers)):
            yield thing


def _is_deformed(rig: Rig, modifier: Modifier) -> bool:
    return isinstance(modifier, ArmatureModifier) and bool(modifier.object == rig)


def _deform(thing: Object, rig: Rig, skin: Skin, bones: Mapping[str, str]) -> None:
    """Let vertices follow bones: by an Armature modifier, or by a Hook for each bone if the skin has its own bind pose.

    Bones of free joints all rest in the origin, from where an Armature modifier could only deform a heap.
    """
    _add_groups(thing, skin, bones)
    if skin.bind is None:
        modifier = cast("ArmatureModifier", thing.modifiers.new("Armature", "ARMATURE"))
        modifier.object = rig
        return
    back = inverse(skin.bind).tolist()
    for number in np.unique(skin.influences[skin.influences >= 0]).tolist():
        bone = bones.get(skin.nodes[number], skin.nodes[number])
        hook = cast("HookModifier", thing.modifiers.new(bone, "HOOK"))
        hook.object, hook.subtarget = rig, bone
        hook.vertex_group, hook.falloff_type = bone, "NONE"
        hook.matrix_inverse = Matrix(back[number])


# --- Geometry ------------------------------------------------------------------------------------


def fill(mesh: Mesh, model: Model) -> None:
    """Put vertices, triangles, texture coordinates, colours and normals into a new mesh, in the file's order."""
    corners = model.triangles.astype(np.int32).ravel()
    count, sides = model.triangles.shape
    mesh.vertices.add(len(model.vertices))
    mesh.vertices.foreach_set("co", np.ascontiguousarray(model.vertices, np.float32).ravel())
    mesh.loops.add(len(corners))
    mesh.loops.foreach_set("vertex_index", corners)
    mesh.polygons.add(count)
    mesh.polygons.foreach_set("loop_start", np.arange(0, sides * count, sides, dtype=np.int32))
    if model.material_of is not None and len(model.materials) > 1:
        mesh.polygons.foreach_set("material_index", model.material_of.astype(np.int32))
    if model.coordinates is not None:
        layer = mesh.uv_layers.new(name="UVMap", do_init=False)
        layer.uv.foreach_set("vector", np.ascontiguousarray(model.coordinates[corners], np.float32).ravel())
    if model.colors is not None:
        attribute = cast("ByteColorAttribute", mesh.color_attributes.new("Color", "BYTE_COLOR", "POINT"))
        attribute.data.foreach_set("color_srgb", (model.colors.astype(np.float32) / 255).ravel())
    mesh.update(calc_edges=True)
    if model.smooth:
        mesh.shade_smooth()
    if model.normals is not None and count:
        mesh.normals_split_custom_set_from_vertices(model.normals.astype(np.float32))


def _add_groups(thing: Object, skin: Skin, bones: Mapping[str, str]) -> None:
    """Add a vertex group for each bone that a vertex follows."""
    for number in np.unique(skin.influences[skin.influences >= 0]).tolist():
        name = bones.get(skin.nodes[number], skin.nodes[number])
        group = thing.vertex_groups.get(name) or thing.vertex_groups.new(name=name)
        vertices, columns = np.nonzero(skin.influences == number)
        weights = skin.weights[vertices, columns]
        for weight in dict.fromkeys(weights.tolist()):
            group.add(vertices[weights == weight].tolist(), weight, "ADD")
