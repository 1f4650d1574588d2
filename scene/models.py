"""Meshes to look at: on the bones of an armature or deformed by them, marked so that no export takes them along."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

import bpy
import numpy as np
from bpy.types import ArmatureModifier, ByteColorAttribute, Collection, HookModifier, Mesh, Modifier, Object
from mathutils import Matrix

from ..io_formats.clip.model import Model, ModelFile, Skin
from ..io_formats.clip.pose import inverse
from ..io_formats.errors import Report
from . import names, surfaces, visibility
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
        scale: of objects that stand alone.
        carrier_path: data path, from the armature object, of the property that shows a model; None if it is not there.
    """

    rig: Rig | None
    bones: Mapping[str, str]
    collection: Collection
    scale: float = 1.0
    carrier_path: Callable[[tuple[str, str]], str | None] = lambda _: None


@dataclass
class Showing:
    """Makes the objects of models on one stand."""

    stand: Stand
    undo: Undo
    report: Report
    _painter: surfaces.Painter = field(init=False)
    _hidden: Collection | None = None

    def __post_init__(self) -> None:
        self._painter = surfaces.Painter(self.undo, self.report)

    def show(self, files: Sequence[ModelFile]) -> list[Object]:
        """Make an object for each model that the armature does not have yet; only the finest level is visible."""
        made = [thing for file in files for thing in self._show_file(file)]
        self._painter.tell()
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
        if rig is None:
            thing.scale = (self.stand.scale,) * 3
            return thing
        thing.parent = rig
        self._hide_with_carrier(thing, model)
        if model.skin is not None:
            _deform(thing, rig, model.skin, self.stand.bones)
        elif model.node in self.stand.bones:
            _hang(thing, rig, self.stand.bones[model.node])
        return thing

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


def _hang(thing: Object, rig: Rig, bone: str) -> None:
    """Parent an object to a bone; Blender puts it at the tail, which is compensated."""
    thing.parent_type = "BONE"
    thing.parent_bone = bone
    thing.matrix_parent_inverse = Matrix.Translation((0.0, -rig.data.bones[bone].length, 0.0))


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
        node = skin.nodes[number]
        group = thing.vertex_groups.new(name=bones.get(node, node))
        vertices, columns = np.nonzero(skin.influences == number)
        weights = skin.weights[vertices, columns]
        for weight in dict.fromkeys(weights.tolist()):
            group.add(vertices[weights == weight].tolist(), weight, "ADD")
