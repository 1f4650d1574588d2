"""What is made to look at: meshes on bones or deformed by them, their materials, cameras and rays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar, cast

import bpy
import numpy as np
from bpy.types import ArmatureModifier, Bone, Collection, Image, Mesh, NodeSocket, NodeTree, Object
from bpy.types import Node as MaterialNode
from mathutils import Matrix

from ..io_formats.clip import Array, Attachment, Node
from ..io_formats.clip.model import Blend, Material, Model, ModelFile, Picture, Skin
from ..io_formats.clip.pose import inverse, rigid
from ..io_formats.errors import Report
from . import messages, names, visibility
from .targets import SAME_REST
from .types import SHOWN_KEY, Rig
from .undo import Undo

if TYPE_CHECKING:
    from bpy.types import bpy_prop_array


@dataclass
class Stand:
    """What carries models.

    Attributes:
        rig: an armature object, None where rigid meshes stand alone.
        bones: bone by node name.
        collection: where new objects go.
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
    painter: Painter
    _hidden: Collection | None = None
    _missing: dict[str, None] = field(default_factory=dict)

    def show(self, files: Sequence[ModelFile]) -> list[Object]:
        """Make an object for each model that the armature does not have yet; only the finest level is visible."""
        made = []
        for file in files:
            new = list(new_in(file, self.stand.rig))
            self.painter.find_picture = file.find_picture
            made += [self._object(model, self.stand.collection if model.shown else self._aside()) for model in new]
        self.painter.tell()
        if self._missing:
            missing = ", ".join(self._missing)
            self.report.warn(messages.MODELS_WITHOUT_BONES, number=len(self._missing), names=missing)
        return made

    def _aside(self) -> Collection:
        if self._hidden is None:
            self._hidden = self.undo.new(bpy.data.collections, names.cut(f"Hidden {self.stand.collection.name}"))
            self._hidden.hide_viewport = self._hidden.hide_render = True
            self.stand.collection.children.link(self._hidden)
        return self._hidden

    def _object(self, model: Model, collection: Collection) -> Object:
        mesh = self.undo.new(bpy.data.meshes, names.cut(model.name) or "Mesh")
        fill(mesh, model)
        for material in model.materials:
            mesh.materials.append(self.painter.material(material))
        thing = self.undo.new(bpy.data.objects, names.cut(model.name) or "Mesh", mesh)
        thing[SHOWN_KEY] = True
        collection.objects.link(thing)
        rig = self.stand.rig
        thing.scale = (self.stand.scale,) * 3
        if rig is None:
            return thing
        thing.hide_select = not model.selectable
        thing.parent = rig
        path = None if model.shown_by is None else self.stand.carrier_path(model.shown_by)
        if path is not None:
            visibility.hide_object_unless(thing, rig, path, self.undo)
        if model.skin is not None:
            influences = model.skin.influences
            followed = [model.skin.nodes[number] for number in np.unique(influences[influences >= 0]).tolist()]
            # the node's own bone or the nearest above it
            carriers = {node: self._carrier(node) for node in followed}
            bones = {node: self.stand.bones[carrier] for node, carrier in carriers.items() if carrier is not None}
            _deform(thing, rig, model.skin, bones)
        else:
            self._parent(thing, rig, model.node)
        return thing

    def _carrier(self, node: str) -> str | None:
        if node in self.stand.nodes and node not in self.stand.bones:
            self._missing[node] = None
        return self.stand.carrier(node)

    def _parent(self, thing: Object, rig: Rig, node: str) -> None:
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


def new_in(file: ModelFile, rig: Rig | None) -> Iterator[Model]:
    """Return the models that an armature does not have yet."""
    there = {names.without_number(thing.name).upper() for thing in meshes_on(rig)} if file.models else set()
    return (model for model in file.models if model.name.upper() not in there)


def meshes_on(rig: Rig | None) -> Iterator[Object]:
    """Yield the mesh objects that are parented to an armature object or deformed by it."""
    if rig is None:
        return
    for thing in bpy.data.objects:
        if thing.type == "MESH" and (
            thing.parent == rig or any(isinstance(m, ArmatureModifier) and m.object == rig for m in thing.modifiers)
        ):
            yield thing


def _deform(thing: Object, rig: Rig, skin: Skin, bones: Mapping[str, str]) -> None:
    """Let vertices follow bones: by an Armature modifier, or by a Hook for each bone if the skin has its own bind pose.

    Bones of free joints all rest in the origin, from where an Armature modifier could only deform a heap.
    """
    followed = np.unique(skin.influences[skin.influences >= 0]).tolist()
    named = {number: bones.get(skin.nodes[number], skin.nodes[number]) for number in followed}
    for number, name in named.items():
        group = thing.vertex_groups.get(name) or thing.vertex_groups.new(name=name)
        vertices, columns = np.nonzero(skin.influences == number)
        weights = skin.weights[vertices, columns]
        for weight in dict.fromkeys(weights.tolist()):
            group.add(vertices[weights == weight].tolist(), weight, "ADD")
    if skin.bind is None:
        modifier = cast("ArmatureModifier", thing.modifiers.new("Armature", "ARMATURE"))
        modifier.object = rig
        return
    back = inverse(skin.bind).tolist()
    for number, bone in named.items():
        hook = cast("bpy.types.HookModifier", thing.modifiers.new(bone, "HOOK"))
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
        attribute = cast("bpy.types.ByteColorAttribute", mesh.color_attributes.new("Color", "BYTE_COLOR", "POINT"))
        attribute.data.foreach_set("color_srgb", (model.colors.astype(np.float32) / 255).ravel())
    mesh.update(calc_edges=True)
    if model.smooth:
        mesh.shade_smooth()
    if model.normals is not None and count:
        mesh.normals_split_custom_set_from_vertices(model.normals.astype(np.float32))


# Materials for models: colour, texture and how they cover what is behind, for the viewport and both renderers.

Operation = Literal["GREATER_THAN", "MULTIPLY"]
NodeT = TypeVar("NodeT", bound=MaterialNode)

CLIP_AT = 96 / 255
"""Alpha from which a cut-out surface is there: the games' own threshold."""

_MOST_NAMED = 10

_MOST_PIXELS, _PIXELS_OF_IMPORT, _LOOKED_AT = 1 << 20, 1 << 23, 1 << 14
"""Pixels of the largest picture whose mean colour is taken (up to 0.1 s), those of all pictures of an import together,
and about how many of one are looked at."""

PLACE_KEY = "anim_curves_place"
"""Custom property of a packed image: where its picture came from."""


FindPicture = Callable[[str], Picture | None]
"""Where the picture of a texture lies, None for nowhere."""


class Painter:
    """Makes each material and loads each picture once.

    Attributes:
        find_picture: where the picture of a texture of the file in hand lies.
    """

    find_picture: FindPicture

    def __init__(self, undo: Undo, report: Report) -> None:
        self._undo = undo
        self._report = report
        self._made: dict[Material, bpy.types.Material] = {}
        self._pictures: dict[str, Image | None] = {}
        self._sizes: dict[str, int] = {}
        self._pixels = 0

    def material(self, wanted: Material) -> bpy.types.Material:
        """Return Blender's material for this one; make it the first time."""
        if wanted not in self._made:
            self._made[wanted] = self._new(wanted)
        return self._made[wanted]

    def tell(self) -> None:
        """Name the textures that were not found or are none, in one note."""
        missing = [name for name, picture in self._pictures.items() if picture is None]
        if missing:
            self._report.note(messages.TEXTURES_MISSING, textures=len(missing), names=", ".join(missing[:_MOST_NAMED]))

    def _new(self, wanted: Material) -> bpy.types.Material:
        material = self._undo.new(bpy.data.materials, names.cut(wanted.name or wanted.texture) or "Material")
        material.use_backface_culling = not wanted.two_sided
        opacity = 1.0 if wanted.blend in (Blend.OPAQUE, Blend.CLIP) else wanted.opacity
        picture = self._picture(wanted.texture) if wanted.texture else None
        material.diffuse_color = (*self._seen(wanted, picture), opacity)
        if wanted.blend not in (Blend.OPAQUE, Blend.CLIP):
            material.surface_render_method = "BLENDED"
        if not material.use_nodes:  # always on from Blender 5.0
            material.use_nodes = True
        _Nodes(material.node_tree, wanted, opacity, picture).build()
        return material

    def _seen(self, wanted: Material, picture: Image | None) -> Iterable[float]:
        """Return the red, green, blue, as linear light, of a surface where no texture is shown, as in Solid view."""
        own: list[float] = linear(np.array(wanted.diffuse)).tolist()
        pixels = self._sizes.get(wanted.texture.lower(), 0)
        if picture is None or not 0 < pixels <= min(_MOST_PIXELS, _PIXELS_OF_IMPORT - self._pixels):
            return own
        self._pixels += pixels
        mean = _mean_color(picture, by_alpha=wanted.blend not in (Blend.OPAQUE, Blend.ADD))
        if mean is None:
            return own
        return mean if wanted.colored else [part * share for part, share in zip(own, mean, strict=True)]

    def _picture(self, name: str) -> Image | None:
        key = name.lower()
        if key not in self._pictures:
            found = self.find_picture(name)
            image = None if found is None else self._pack(found) if found.data else self._open(found.path)
            self._sizes[key] = 0 if found is None else found.pixels()
            self._pictures[key] = image if image is not None and (self._sizes[key] or image.size[0]) else None
        return self._pictures[key]

    def _pack(self, found: Picture) -> Image:
        """Return an image packed into the .blend; one packed earlier from the same path is used again."""
        origin = str(found.path)
        known = next((image for image in bpy.data.images if image.packed_file and image.get(PLACE_KEY) == origin), None)
        if known is not None:
            return known
        image = self._undo.new(bpy.data.images, names.cut(found.path.name), 1, 1)
        image.source = "FILE"
        image.pack(data=found.data, data_len=len(found.data))
        image[PLACE_KEY] = origin
        return image

    def _open(self, path: Path) -> Image | None:
        before = set(bpy.data.images)
        try:
            image = bpy.data.images.load(str(path), check_existing=True)
        except RuntimeError:
            return None
        if image not in before:
            self._undo.callback(bpy.data.images.remove, image)
        return image


def _mean_color(image: Image, *, by_alpha: bool) -> list[float] | None:
    """Return the mean red, green, blue of a picture, of what its alpha shows, as linear light; None if unreadable."""
    was_there = image.has_data
    (width, height), channels = image.size, image.channels
    if not 0 < width * height <= _MOST_PIXELS or channels < 3 or image.is_float:
        return None
    values = np.empty(width * height * channels, np.float32)
    cast("bpy_prop_array[float]", image.pixels).foreach_get(values)
    if not was_there:
        image.buffers_free()  # a person may have painted on one that was
    rows = values.reshape(-1, channels)[:: 1 + len(values) // channels // _LOOKED_AT].astype(np.float64)
    weights = rows[:, 3] if by_alpha and channels > 3 and rows[:, 3].any() else None
    return [float(part) for part in np.average(linear(rows[:, :3]), axis=0, weights=weights)]


def linear(values: Array) -> Array:
    """Return the linear light (n, 3) or (3,) of sRGB values of 0 to 1, of the same shape (IEC 61966-2-1)."""
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def _opaque(color: tuple[float, float, float]) -> tuple[float, ...]:
    return (*linear(np.array(color)).tolist(), 1.0)


class _Nodes:
    def __init__(self, tree: NodeTree, wanted: Material, opacity: float, picture: Image | None) -> None:
        self._tree = tree
        self._wanted = wanted
        self._opacity = opacity
        self._picture = picture
        self._surface = next(node for node in tree.nodes if node.type == "BSDF_PRINCIPLED")

    def build(self) -> None:
        """Link colour, glow and alpha; light that is added needs a different surface."""
        wanted, inputs = self._wanted, self._surface.inputs
        self._feed(inputs["Roughness"], 0.8)
        color, alpha = self._color(), None if self._picture is None else self._alpha()
        if wanted.blend is Blend.ADD:
            self._add_light(color)
            return
        self._feed(inputs["Base Color"], color or _opaque(wanted.diffuse))
        if any(wanted.emission):
            glow = self._times(self._texture("Color"), wanted.emission)
            self._feed(inputs["Emission Color"], glow or _opaque(wanted.emission))
            self._feed(inputs["Emission Strength"], 1.0)
        self._feed(inputs["Alpha"], self._opacity)
        if alpha is not None:
            self._feed(inputs["Alpha"], alpha)

    def _texture(self, output: str) -> NodeSocket | None:
        if self._picture is None:
            return None
        node = next((node for node in self._tree.nodes if isinstance(node, bpy.types.ShaderNodeTexImage)), None)
        if node is None:
            node = self._new(bpy.types.ShaderNodeTexImage, -600, 200)
            node.image = self._picture
        return cast("MaterialNode", node).outputs[output]  # the stubs know its outputs by their numbers only

    def _color(self) -> NodeSocket | None:
        texture = self._texture("Color")
        if self._wanted.colored:
            node = self._new(bpy.types.ShaderNodeVertexColor, -600, -150)
            node.layer_name = "Color"
            return node.outputs["Color"] if texture is None else self._multiplied(texture, node.outputs["Color"])
        return self._times(texture, self._wanted.diffuse)

    def _times(self, texture: NodeSocket | None, color: tuple[float, float, float]) -> NodeSocket | None:
        if texture is None or color == (1.0, 1.0, 1.0):
            return texture
        return self._multiplied(texture, _opaque(color))

    def _multiplied(self, first: NodeSocket, second: NodeSocket | tuple[float, ...]) -> NodeSocket:
        node = self._new(bpy.types.ShaderNodeMix, -300, 100)
        node.data_type, node.blend_type = "RGBA", "MULTIPLY"
        self._feed(node.inputs[0], 1.0)
        self._feed(node.inputs[6], first)
        self._feed(node.inputs[7], second)
        return node.outputs[2]

    def _alpha(self) -> NodeSocket | None:
        """Return what is linked to alpha: the texture's, cut out or not; None for an opaque surface."""
        alpha = None if self._wanted.blend in (Blend.OPAQUE, Blend.ADD) else self._texture("Alpha")
        if alpha is not None and self._wanted.blend in (Blend.CLIP, Blend.CLIP_BLEND):
            there = self._math("GREATER_THAN", alpha, CLIP_AT)
            alpha = self._math("MULTIPLY", there, alpha) if self._wanted.blend is Blend.CLIP_BLEND else there
        if alpha is not None and self._opacity < 1.0:
            alpha = self._math("MULTIPLY", alpha, self._opacity)
        return alpha

    def _math(self, operation: Operation, first: NodeSocket, second: NodeSocket | float) -> NodeSocket:
        node = self._new(bpy.types.ShaderNodeMath, -300, -150)
        node.operation = operation
        self._feed(node.inputs[0], first)
        self._feed(node.inputs[1], second)
        return node.outputs[0]

    def _add_light(self, color: NodeSocket | None) -> None:
        """Replace the surface by emission over transparency, so that black is invisible."""
        tree = self._tree
        output = next(node for node in tree.nodes if node.type == "OUTPUT_MATERIAL")
        tree.nodes.remove(self._surface)
        emission = self._new(bpy.types.ShaderNodeEmission, 0, 200)
        through = self._new(bpy.types.ShaderNodeBsdfTransparent, 0, 0)
        both = self._new(bpy.types.ShaderNodeAddShader, 150, 100)
        self._feed(emission.inputs["Color"], color or _opaque(self._wanted.diffuse))
        tree.links.new(emission.outputs[0], both.inputs[0])
        tree.links.new(through.outputs[0], both.inputs[1])
        tree.links.new(both.outputs[0], output.inputs["Surface"])

    def _feed(self, socket: NodeSocket, given: NodeSocket | float | tuple[float, ...]) -> None:
        """Link a socket to another, or set what it has while nothing is linked to it."""
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
    head = bones.get(attachment.node)
    if head is None:
        return None
    if attachment.kind == "CAMERA":
        return _camera(collection, rig, head, attachment, undo)
    tip = bones.get(attachment.target)
    return None if tip is None else _ray(collection, rig, head, tip, undo)


def _camera(collection: Collection, rig: Rig, bone: str, attachment: Attachment, undo: Undo) -> Object:
    """Make a camera at the head of the bone; Blender puts children of a bone at its tail, which is compensated."""
    lens = undo.new(bpy.data.cameras, f"{rig.name} {bone}")
    lens.sensor_fit = "VERTICAL"
    lens.angle = attachment.angle or lens.angle
    lens.display_size = CAMERA_SIZE
    camera = undo.new(bpy.data.objects, f"{rig.name} {bone}", lens)
    collection.objects.link(camera)
    camera.parent, camera.parent_type, camera.parent_bone = rig, "BONE", bone
    camera.matrix_parent_inverse = Matrix.Translation((0.0, -rig.data.bones[bone].length, 0.0))
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
