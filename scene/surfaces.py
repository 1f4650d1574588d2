"""Materials for models: colour, texture and how they cover what is behind, for the viewport and both renderers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal, TypeVar, cast

import bpy
from bpy.types import (
    Image,
    Node,
    NodeSocket,
    NodeTree,
    ShaderNodeAddShader,
    ShaderNodeBsdfTransparent,
    ShaderNodeEmission,
    ShaderNodeMath,
    ShaderNodeMix,
    ShaderNodeTexImage,
    ShaderNodeVertexColor,
)

from ..io_formats.clip.model import Blend, Material, Picture
from ..io_formats.errors import Report
from . import messages, names
from .types import ValueSocket
from .undo import Undo

Operation = Literal["GREATER_THAN", "MULTIPLY"]
NodeT = TypeVar("NodeT", bound=Node)

CLIP_AT = 96 / 255
"""Alpha from which a cut-out surface is there: the games' own threshold."""

_MOST_NAMED = 10

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

    def material(self, wanted: Material) -> bpy.types.Material:
        """Return Blender's material for this one; make it the first time."""
        if wanted not in self._made:
            self._made[wanted] = self._new(wanted)
        return self._made[wanted]

    def tell(self) -> None:
        """Name the textures that were not found, in one note."""
        missing = [name for name, picture in self._pictures.items() if picture is None]
        if missing:
            shown = ", ".join(missing[:_MOST_NAMED])
            self._report.note(messages.TEXTURES_MISSING, textures=len(missing), names=shown)

    def _new(self, wanted: Material) -> bpy.types.Material:
        material = self._undo.new(bpy.data.materials, names.cut(wanted.name or wanted.texture) or "Material")
        material.use_backface_culling = not wanted.two_sided
        opacity = 1.0 if wanted.blend in (Blend.OPAQUE, Blend.CLIP) else wanted.opacity
        material.diffuse_color = (*map(linear, wanted.diffuse), opacity)
        if wanted.blend not in (Blend.OPAQUE, Blend.CLIP):
            material.surface_render_method = "BLENDED"
        if not material.use_nodes:  # always on from Blender 5.0
            material.use_nodes = True
        _Nodes(material.node_tree, wanted, opacity, self._picture(wanted.texture)).build()
        return material

    def _picture(self, name: str) -> Image | None:
        """Return the image of a texture, loaded once whatever the case of its name; None if it was not found."""
        key = name.lower()
        if not name:
            return None
        if key not in self._pictures:
            found = self.find_picture(name)
            self._pictures[key] = None if found is None else self._load(found)
        return self._pictures[key]

    def _load(self, found: Picture) -> Image | None:
        return self._pack(found) if found.data else self._open(found.path)

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
            self._undo.callback(_remove, image)
        return image


def _remove(image: Image) -> None:
    bpy.data.images.remove(image)


def _put(socket: NodeSocket, value: float | tuple[float, ...]) -> None:
    """Set what a socket has while nothing is linked to it."""
    cast("ValueSocket", socket).default_value = value


def linear(value: float) -> float:
    """Return the linear light of an sRGB value of 0 to 1 (IEC 61966-2-1)."""
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


class _Nodes:
    """The node tree of one material."""

    def __init__(self, tree: NodeTree, wanted: Material, opacity: float, picture: Image | None) -> None:
        self._tree = tree
        self._wanted = wanted
        self._opacity = opacity
        self._picture = picture
        self._surface = next(node for node in tree.nodes if node.type == "BSDF_PRINCIPLED")

    def build(self) -> None:
        """Link colour, glow and alpha; light that is added needs a different surface."""
        wanted, inputs = self._wanted, self._surface.inputs
        _put(inputs["Roughness"], 0.8)
        color, alpha = self._color(), self._alpha()
        if wanted.blend is Blend.ADD:
            self._add_light(color)
            return
        self._set(inputs["Base Color"], color, wanted.diffuse)
        if any(wanted.emission):
            self._set(inputs["Emission Color"], self._times(self._texture("Color"), wanted.emission), wanted.emission)
            _put(inputs["Emission Strength"], 1.0)
        _put(inputs["Alpha"], self._opacity)
        if alpha is not None:
            self._tree.links.new(alpha, inputs["Alpha"])

    def _texture(self, output: str) -> NodeSocket | None:
        """Return an output of the picture's node, None without a picture."""
        if self._picture is None:
            return None
        node = next((node for node in self._tree.nodes if isinstance(node, ShaderNodeTexImage)), None)
        if node is None:
            node = self._new(ShaderNodeTexImage, -600, 200)
            node.image = self._picture
        return cast("Node", node).outputs[output]  # the stubs know its outputs by their numbers only

    def _color(self) -> NodeSocket | None:
        """Return texture times diffuse colour or vertex colour; None if there is only the diffuse colour."""
        texture = self._texture("Color")
        if self._wanted.colored:
            node = self._new(ShaderNodeVertexColor, -600, -150)
            node.layer_name = "Color"
            return node.outputs["Color"] if texture is None else self._multiplied(texture, node.outputs["Color"])
        return self._times(texture, self._wanted.diffuse)

    def _times(self, texture: NodeSocket | None, color: tuple[float, float, float]) -> NodeSocket | None:
        if texture is None or color == (1.0, 1.0, 1.0):
            return texture
        return self._multiplied(texture, None, (*map(linear, color), 1.0))

    def _multiplied(
        self, first: NodeSocket, second: NodeSocket | None, value: tuple[float, ...] = (1.0, 1.0, 1.0, 1.0)
    ) -> NodeSocket:
        node = self._new(ShaderNodeMix, -300, 100)
        node.data_type, node.blend_type = "RGBA", "MULTIPLY"
        factor, left, right = (node.inputs[number] for number in (0, 6, 7))
        _put(factor, 1.0)
        self._tree.links.new(first, left)
        if second is None:
            _put(right, value)
        else:
            self._tree.links.new(second, right)
        return node.outputs[2]

    def _alpha(self) -> NodeSocket | None:
        """Return what is linked to alpha: the texture's, cut out or not; None for an opaque surface."""
        alpha = None if self._wanted.blend in (Blend.OPAQUE, Blend.ADD) else self._texture("Alpha")
        if alpha is not None and self._wanted.blend in (Blend.CLIP, Blend.CLIP_BLEND):
            alpha = self._cut(alpha, soft=self._wanted.blend is Blend.CLIP_BLEND)
        if alpha is not None and self._opacity < 1.0:
            alpha = self._math("MULTIPLY", alpha, self._opacity)
        return alpha

    def _cut(self, alpha: NodeSocket, *, soft: bool) -> NodeSocket:
        there = self._math("GREATER_THAN", alpha, CLIP_AT)
        return self._math("MULTIPLY", there, alpha) if soft else there

    def _math(self, operation: Operation, first: NodeSocket, second: NodeSocket | float) -> NodeSocket:
        node = self._new(ShaderNodeMath, -300, -150)
        node.operation = operation
        self._tree.links.new(first, node.inputs[0])
        if isinstance(second, float):
            _put(node.inputs[1], second)
        else:
            self._tree.links.new(second, node.inputs[1])
        return node.outputs[0]

    def _add_light(self, color: NodeSocket | None) -> None:
        """Replace the surface by emission over transparency, so that black is invisible."""
        tree = self._tree
        output = next(node for node in tree.nodes if node.type == "OUTPUT_MATERIAL")
        tree.nodes.remove(self._surface)
        emission, through = self._new(ShaderNodeEmission, 0, 200), self._new(ShaderNodeBsdfTransparent, 0, 0)
        both = self._new(ShaderNodeAddShader, 150, 100)
        self._set(emission.inputs["Color"], color, self._wanted.diffuse)
        tree.links.new(emission.outputs[0], both.inputs[0])
        tree.links.new(through.outputs[0], both.inputs[1])
        tree.links.new(both.outputs[0], output.inputs["Surface"])

    def _set(self, socket: NodeSocket, linked: NodeSocket | None, value: tuple[float, float, float]) -> None:
        if linked is None:
            _put(socket, (*map(linear, value), 1.0))
        else:
            self._tree.links.new(linked, socket)

    def _new(self, kind: type[NodeT], x: float, y: float) -> NodeT:
        node = cast("NodeT", self._tree.nodes.new(kind.__name__))
        node.location = (x, y)
        return node
