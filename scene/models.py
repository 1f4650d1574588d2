"""What is made to look at: meshes on bones or deformed by them, their materials, cameras and rays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar, cast

import bpy
import numpy as np
from bpy.types import ArmatureModifier, Collection, Image, Mesh, NodeSocket, NodeTree, Object
from bpy.types import Node as MaterialNode
from mathutils import Matrix

from ..io_formats.clip import Array, Attachment
from ..io_formats.clip.model import Blend, Material, Model, ModelFile, Picture, Skin
from ..io_formats.clip.pose import inverse, rigid
from ..io_formats.errors import Report, first_names
from . import messages, names, visibility
from .targets import SAME_REST, Target
from .types import SHOWN_KEY, Rig
from .undo import Undo

if TYPE_CHECKING:
    from bpy.types import bpy_prop_array


@dataclass
class Showing:
    """Makes the objects of models, in a collection, on the armature object of a target, or alone."""

    target: Target
    collection: Collection
    scale: float
    undo: Undo
    report: Report
    _hidden: Collection | None = None
    _missing: dict[str, None] = field(default_factory=dict)

    def show(self, files: Sequence[ModelFile]) -> list[Object]:
        """Make an object for each model that the armature does not have yet; only the finest level is visible."""
        made, painter = [], Painter(self.undo)
        for file in files:
            new = new_in(file, self.target.rig)
            painter.find_picture = file.find_picture
            made += [self._object(model, painter) for model in new]
        untextured = [name for name, (picture, _) in painter.pictures.items() if picture is None]
        if untextured:
            self.report.note(messages.TEXTURES_MISSING, textures=len(untextured), names=first_names(untextured))
        if self._missing:
            self.report.warn(messages.MODELS_WITHOUT_BONES, number=len(self._missing), names=", ".join(self._missing))
        return made

    def _aside(self) -> Collection:
        if self._hidden is None:
            self._hidden = self.undo.new(bpy.data.collections, names.cut(f"Hidden {self.collection.name}"))
            self._hidden.hide_viewport = self._hidden.hide_render = True
            self.collection.children.link(self._hidden)
        return self._hidden

    def _object(self, model: Model, painter: Painter) -> Object:
        collection = self.collection if model.shown else self._aside()
        mesh = self.undo.new(bpy.data.meshes, names.cut(model.name) or "Mesh")
        _fill(mesh, model)
        for material in model.materials:
            mesh.materials.append(painter.material(material))
        thing = self.undo.new(bpy.data.objects, names.cut(model.name) or "Mesh", mesh)
        thing[SHOWN_KEY] = model.name or True
        collection.objects.link(thing)
        thing.scale = (self.scale,) * 3
        rig = self.target.rig
        if rig is None:
            return thing
        thing.hide_select = not model.selectable
        thing.parent = rig
        carrier = None if model.shown_by is None else self.target.carrier(model.shown_by)
        if carrier is not None and carrier[0] == rig:
            visibility.hide_object_unless(thing, *carrier, self.undo)
        if model.skin is not None:
            self._deform(thing, rig, model.skin)
        else:
            self._parent(thing, rig, model.node)
        return thing

    def _carrier(self, node: str) -> str | None:
        """Return the node itself, or the nearest above it, that has a bone; None if there is none."""
        if node in self.target.skeleton and node not in self.target.bones:
            self._missing[node] = None
        at: str | None = node
        while at is not None and at not in self.target.bones:
            at = self.target.skeleton[at].parent if at in self.target.skeleton else None
        return at

    def _rest(self, node: str) -> Array:
        """Return the (4, 4) rest of a node of the skeleton, seen from the armature."""
        own = self.target.skeleton[node]
        return own.rest if own.parent is None else self._rest(own.parent) @ own.rest

    def _parent(self, thing: Object, rig: Rig, node: str) -> None:
        """Parent an object to a node's bone or the nearest above; Blender puts it at the tail, which is compensated."""
        carrier = self._carrier(node)
        if carrier is None:
            if node in self.target.skeleton:
                thing.matrix_parent_inverse = Matrix(self._rest(node).tolist())
            return
        bone = rig.data.bones[self.target.bones[carrier]]
        thing.parent_type, thing.parent_bone = "BONE", bone.name
        thing.matrix_parent_inverse = Matrix.Translation((0.0, -bone.length, 0.0))
        if node in self.target.skeleton:  # turned as in the file, at the bone's head
            rest, place = rigid(np.array(bone.matrix_local)), self._rest(node).copy()
            place[:3, 3] += rest[:3, 3] - self._rest(carrier)[:3, 3]
            place = inverse(rest) @ place
            if np.abs(place - np.eye(4)).max() > SAME_REST:
                thing.matrix_parent_inverse @= Matrix(place.tolist())

    def _deform(self, thing: Object, rig: Rig, skin: Skin) -> None:
        """Let vertices follow bones: by an Armature modifier, or by Hooks if the skin has its own bind pose.

        Bones of free joints all rest in the origin, from where an Armature modifier could only deform a heap.
        """
        named = {}
        for number in np.unique(skin.influences[skin.influences >= 0]).tolist():
            carrier = self._carrier(skin.nodes[number])
            named[number] = name = skin.nodes[number] if carrier is None else self.target.bones[carrier]
            group = thing.vertex_groups.get(name) or thing.vertex_groups.new(name=name)
            vertices, columns = np.nonzero(skin.influences == number)
            weights = skin.weights[vertices, columns]
            for weight in dict.fromkeys(weights.tolist()):
                group.add(vertices[weights == weight].tolist(), weight, "ADD")
        if skin.bind is None:
            cast("ArmatureModifier", thing.modifiers.new("Armature", "ARMATURE")).object = rig
            return
        back = inverse(skin.bind).tolist()
        for number, bone in named.items():
            hook = cast("bpy.types.HookModifier", thing.modifiers.new(bone, "HOOK"))
            hook.object, hook.subtarget = rig, bone
            hook.vertex_group, hook.falloff_type = bone, "NONE"
            hook.matrix_inverse = Matrix(back[number])


def new_in(file: ModelFile, rig: Rig | None) -> list[Model]:
    """Return the models that an armature does not have yet, as meshes parented to it or deformed by it."""
    there = set()
    for thing in bpy.data.objects if file.models and rig is not None else ():
        modifiers = (modifier for modifier in thing.modifiers if isinstance(modifier, ArmatureModifier))
        if thing.type == "MESH" and (thing.parent == rig or any(modifier.object == rig for modifier in modifiers)):
            own = thing.get(SHOWN_KEY)
            known = {own} if isinstance(own, str) else {thing.name, names.without_number(thing.name)}
            there |= set(map(str.upper, known))
    return [model for model in file.models if model.name.upper() not in there]


def _fill(mesh: Mesh, model: Model) -> None:
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
        attribute = cast("bpy.types.ByteColorAttribute", mesh.color_attributes.new("Color", "BYTE_COLOR", "POINT"))
        attribute.data.foreach_set("color_srgb", (model.colors.astype(np.float32) / 255).ravel())
    mesh.update(calc_edges=True)
    if model.smooth:
        mesh.shade_smooth()
    if model.normals is not None and count:
        mesh.normals_split_custom_set_from_vertices(model.normals.astype(np.float32))


# Materials for models: colour, texture and how they cover what is behind, for the viewport and both renderers.

NodeT = TypeVar("NodeT", bound=MaterialNode)
_Given: TypeAlias = "NodeSocket | float | tuple[float, ...]"

CLIP_AT = 96 / 255
"""Alpha from which a cut-out surface is there: the games' own threshold."""

_MOST_PIXELS, _PIXELS_OF_IMPORT, _LOOKED_AT = 1 << 20, 1 << 23, 1 << 14
"""Pixels of the largest picture whose mean colour is taken (up to 0.1 s), those of all pictures of an import together,
and about how many of one are looked at."""

PLACE_KEY = "anim_curves_place"
"""Custom property of a packed image: where its picture came from."""


class Painter:
    """Makes each material and loads each picture once."""

    find_picture: Callable[[str], Picture | None]
    """Where the picture of a texture of the file in hand lies, None for nowhere."""

    def __init__(self, undo: Undo) -> None:
        self._undo = undo
        self._made: dict[Material, bpy.types.Material] = {}
        self.pictures: dict[str, tuple[Image | None, int]] = {}
        self._pixels = 0

    def material(self, wanted: Material) -> bpy.types.Material:
        """Return Blender's material for this one; make it the first time."""
        if wanted in self._made:
            return self._made[wanted]
        material = self._undo.new(bpy.data.materials, names.cut(wanted.name or wanted.texture) or "Material")
        self._made[wanted] = material
        material.use_backface_culling = not wanted.two_sided
        opacity = 1.0 if wanted.blend in (Blend.OPAQUE, Blend.CLIP) else wanted.opacity
        picture, pixels = self._picture(wanted.texture) if wanted.texture else (None, 0)
        material.diffuse_color = (*self._seen(wanted, picture, pixels), opacity)
        if wanted.blend not in (Blend.OPAQUE, Blend.CLIP):
            material.surface_render_method = "BLENDED"
        if not material.use_nodes:  # always on from Blender 5.0
            material.use_nodes = True
        picture, _ = self.pictures.get(wanted.texture.lower(), (None, 0))
        _Nodes(material.node_tree, wanted, opacity, picture).build()
        return material

    def _seen(self, wanted: Material, picture: Image | None, pixels: int) -> Iterable[float]:
        """Return the red, green, blue, as linear light, of a surface where no texture is shown, as in Solid view.

        Of one that has a texture the mean of what its alpha shows, in the surface's own colour.
        """
        own = linear(np.array(wanted.diffuse))
        if picture is None or not 0 < pixels <= min(_MOST_PIXELS, _PIXELS_OF_IMPORT - self._pixels):
            return own
        self._pixels += pixels
        was_there, (width, height), channels = picture.has_data, picture.size, picture.channels
        if not width:  # behind a sound beginning it is cut short, which Blender draws in pink
            self.pictures[wanted.texture.lower()] = None, 0
        if not 0 < width * height <= _MOST_PIXELS or channels < 3 or picture.is_float:
            return own
        values = np.empty(width * height * channels, np.float32)
        cast("bpy_prop_array[float]", picture.pixels).foreach_get(values)
        if not was_there:
            picture.buffers_free()  # a person may have painted on one that was
        rows = values.reshape(-1, channels)[:: 1 + len(values) // channels // _LOOKED_AT].astype(np.float64)
        by_alpha = wanted.blend not in (Blend.OPAQUE, Blend.ADD) and channels > 3 and rows[:, 3].any()
        mean: Array = np.average(linear(rows[:, :3]), axis=0, weights=rows[:, 3] if by_alpha else None)
        return mean if wanted.colored else own * mean

    def _picture(self, name: str) -> tuple[Image | None, int]:
        """Return the picture of a texture, None for none that Blender can show, and its pixels, 0 for not known."""
        key = name.lower()
        if key not in self.pictures:
            found = self.find_picture(name)
            image, pixels = (None, 0) if found is None else (self._load(found), found.pixels())
            self.pictures[key] = image if image is not None and (pixels or image.size[0]) else None, pixels
        return self.pictures[key]

    def _load(self, found: Picture) -> Image | None:
        """Return an image, packed into the .blend where its bytes are known; one of the same path is used again."""
        origin, before = str(found.path), set(bpy.data.images)
        if found.data:
            packed = (image for image in bpy.data.images if image.packed_file and image.get(PLACE_KEY) == origin)
            image = next(packed, None) or self._undo.new(bpy.data.images, names.cut(found.path.name), 1, 1)
            if image not in before:
                image.source = "FILE"
                image.pack(data=found.data, data_len=len(found.data))
                image[PLACE_KEY] = origin
            return image
        try:
            image = bpy.data.images.load(origin, check_existing=True)
        except RuntimeError:
            return None
        if image not in before:
            self._undo.callback(bpy.data.images.remove, image)
        return image


def linear(values: Array) -> Array:
    """Return the linear light (n, 3) or (3,) of sRGB values of 0 to 1, of the same shape (IEC 61966-2-1)."""
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


class _Nodes:
    """The nodes of one material; what is given to them is a socket, a number or a colour."""

    def __init__(self, tree: NodeTree, wanted: Material, opacity: float, picture: Image | None) -> None:
        self._tree, self._wanted, self._opacity = tree, wanted, opacity
        self._texture: dict[str, NodeSocket] = {}
        if picture is not None:
            node = self._new(bpy.types.ShaderNodeTexImage, -600, 200)
            node.image = picture
            outputs = cast("MaterialNode", node).outputs  # the stubs know them by their numbers only
            self._texture = {socket.name: socket for socket in outputs}

    def build(self) -> None:
        """Link colour, glow and alpha; added light is emission over transparency, so that black is invisible."""
        wanted, nodes = self._wanted, self._tree.nodes
        surface = next(node for node in nodes if node.type == "BSDF_PRINCIPLED")
        color: _Given
        if wanted.colored:
            vertices = self._new(bpy.types.ShaderNodeVertexColor, -600, -150)
            vertices.layer_name, color = "Color", vertices.outputs["Color"]
            color = self._multiplied(self._texture["Color"], color) if self._texture else color
        else:
            color = self._times(wanted.diffuse)
        if wanted.blend is Blend.ADD:
            nodes.remove(surface)
            emission = self._new(bpy.types.ShaderNodeEmission, 0, 200)
            through = self._new(bpy.types.ShaderNodeBsdfTransparent, 0, 0)
            both = self._new(bpy.types.ShaderNodeAddShader, 150, 100)
            self._feed(emission.inputs["Color"], color)
            self._feed(both.inputs[0], emission.outputs[0])
            self._feed(both.inputs[1], through.outputs[0])
            output = next(node for node in nodes if node.type == "OUTPUT_MATERIAL")
            self._feed(output.inputs["Surface"], both.outputs[0])
            return
        self._feed(surface.inputs["Alpha"], self._opacity)  # which exporters read beside the texture that is linked
        given: dict[str, _Given] = {"Roughness": 0.8, "Base Color": color, "Alpha": self._alpha()}
        if any(wanted.emission):
            given |= {"Emission Color": self._times(wanted.emission), "Emission Strength": 1.0}
        for name, each in given.items():
            self._feed(surface.inputs[name], each)

    def _times(self, color: tuple[float, float, float]) -> _Given:
        own, texture = (*linear(np.array(color)).tolist(), 1.0), self._texture.get("Color")
        if texture is None:
            return own
        return texture if color == (1.0, 1.0, 1.0) else self._multiplied(texture, own)

    def _multiplied(self, first: NodeSocket, second: _Given) -> NodeSocket:
        node = self._new(bpy.types.ShaderNodeMix, -300, 100)
        node.data_type, node.blend_type = "RGBA", "MULTIPLY"
        self._feed(node.inputs[0], 1.0)
        self._feed(node.inputs[6], first)
        self._feed(node.inputs[7], second)
        return node.outputs[2]

    def _alpha(self) -> _Given:
        """Return what alpha is: the texture's, cut out or not, in its opacity; that alone for an opaque surface."""
        blend, alpha = self._wanted.blend, self._texture.get("Alpha")
        if alpha is None or blend is Blend.OPAQUE:
            return self._opacity
        if blend in (Blend.CLIP, Blend.CLIP_BLEND):
            there = self._math("GREATER_THAN", alpha, CLIP_AT)
            alpha = self._math("MULTIPLY", there, alpha) if blend is Blend.CLIP_BLEND else there
        return self._math("MULTIPLY", alpha, self._opacity) if self._opacity < 1.0 else alpha

    def _math(self, operation: Literal["GREATER_THAN", "MULTIPLY"], first: NodeSocket, second: _Given) -> NodeSocket:
        node = self._new(bpy.types.ShaderNodeMath, -300, -150)
        node.operation = operation
        self._feed(node.inputs[0], first)
        self._feed(node.inputs[1], second)
        return node.outputs[0]

    def _feed(self, socket: NodeSocket, given: _Given) -> None:
        if isinstance(given, NodeSocket):
            self._tree.links.new(given, socket)
        else:
            socket.default_value = given  # type: ignore[attr-defined]  # which sockets of numbers and colours have

    def _new(self, kind: type[NodeT], x: float, y: float) -> NodeT:
        node = cast("NodeT", self._tree.nodes.new(kind.__name__))
        node.location = (x, y)
        return node


# Objects that make nodes visible: the recording's camera, and a ray from one node to another.

CAMERA_SIZE = 0.1
"""How large a camera is drawn, in metres: beside hands one of Blender's usual size hides them."""

RAY_RADIUS = 0.004
"""Half the thickness of a ray in metres: seen at arm's length, in nobody's way."""


def attach(
    collection: Collection, rig: Rig, attachment: Attachment, bones: dict[str, str], undo: Undo
) -> Object | None:
    """Make the object for `attachment` on the armature object `rig`; return None if its node has no bone.

    It reads the pose and nothing reads it, so that there can be no dependency cycle.
    """
    head, tip = bones.get(attachment.node), bones.get(attachment.target)
    if head is None or attachment.kind != "CAMERA":
        return None if head is None or tip is None else _ray(collection, rig, head, tip, undo)
    lens = undo.new(bpy.data.cameras, f"{rig.name} {head}")
    lens.sensor_fit = "VERTICAL"
    lens.angle = attachment.angle or lens.angle
    lens.display_size = CAMERA_SIZE
    camera = undo.new(bpy.data.objects, f"{rig.name} {head}", lens)
    collection.objects.link(camera)
    camera.parent, camera.parent_type, camera.parent_bone = rig, "BONE", head
    # Blender puts children of a bone at its tail
    camera.matrix_parent_inverse = Matrix.Translation((0.0, -rig.data.bones[head].length, 0.0))
    camera.matrix_basis = Matrix(attachment.turn.tolist())
    return camera


def _ray(collection: Collection, rig: Rig, head: str, tip: str, undo: Undo) -> Object:
    """Make a thin bar, one metre along Y, that constraints put at one bone's head and stretch to another's."""
    mesh = undo.new(bpy.data.meshes, f"{rig.name} {head}")
    square = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    corners = [(RAY_RADIUS * x, y, RAY_RADIUS * z) for y in (0.0, 1.0) for x, z in square]
    sides = [(corner, (corner + 1) % 4, (corner + 1) % 4 + 4, corner + 4) for corner in range(4)]
    mesh.from_pydata(corners, [], [(3, 2, 1, 0), (4, 5, 6, 7), *sides])
    ray = undo.new(bpy.data.objects, f"{rig.name} {head}", mesh)
    collection.objects.link(ray)
    ray.parent = rig
    position = cast("bpy.types.CopyLocationConstraint", ray.constraints.new("COPY_LOCATION"))
    position.target, position.subtarget = rig, head
    stretch = cast("bpy.types.StretchToConstraint", ray.constraints.new("STRETCH_TO"))
    stretch.target, stretch.subtarget = rig, tip
    stretch.rest_length = 1.0
    stretch.volume = "NO_VOLUME"
    stretch.keep_axis = "SWING_Y"
    return ray
