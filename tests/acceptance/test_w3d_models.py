"""W3D models in Blender: deformed vertices against the engine's own, what is shown, and that no export changes."""

from __future__ import annotations

import json
import shutil
import struct
from itertools import permutations, product
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import w3d_scene as scene
from in_blender import choose, editing

bpy = pytest.importorskip("bpy")
Vector = pytest.importorskip("mathutils").Vector

FOLDER = Path(__file__).resolve().parent.parent / "data" / "w3d_models"
INDEX = {entry["name"]: entry for entry in json.loads((FOLDER / "index.json").read_text(encoding="utf-8"))["models"]}
MOVING = [name for name, entry in INDEX.items() if entry["animation"]]


@pytest.fixture(autouse=True)
def _extension(extension: ModuleType) -> None:
    scene.set_rate()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The models in a folder that a test may change."""
    return Path(shutil.copytree(FOLDER, tmp_path / "models"))


def file_of(name: str) -> Path:
    """The file that brings a model's animation in."""
    entry = INDEX[name]
    own = entry["animation"] is None or entry["animation"].startswith("in ")
    return FOLDER / (entry["model"] if own else entry["animation"])


def evaluated(thing: Any) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and normals of vertices (n, 3) in the world as Blender shows them."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    shown = thing.evaluated_get(depsgraph)
    mesh = shown.to_mesh()
    co, corner = np.empty(3 * len(mesh.vertices), np.float32), np.empty(3 * len(mesh.loops), np.float32)
    mesh.vertices.foreach_get("co", co)
    mesh.corner_normals.foreach_get("vector", corner)
    vertex = np.empty(len(mesh.loops), np.int32)
    mesh.loops.foreach_get("vertex_index", vertex)
    normals = np.zeros((len(mesh.vertices), 3))
    normals[vertex] = corner.reshape(-1, 3)
    matrix = np.array(shown.matrix_world)
    turned = normals @ np.linalg.inv(matrix[:3, :3])
    shown.to_mesh_clear()
    return co.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3], turned


def is_seen(thing: Any) -> bool:
    """Whether the viewport and a render show an object now."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    shown = thing.evaluated_get(depsgraph)
    collections = [found for found in bpy.data.collections if thing.name in found.objects]
    return not (shown.hide_viewport or shown.hide_render or any(found.hide_viewport for found in collections))


@pytest.mark.parametrize("name", MOVING)
def test_vertices_in_every_frame(name: str) -> None:
    rig = scene.bring_in(file_of(name))
    expected = np.load(FOLDER / INDEX[name]["expected"])
    within = 5e-3 if name == "m02_skin" else 1e-4
    for row, frame in enumerate(INDEX[name]["frames"]):
        rig.data.pose_position = "REST" if frame < 0 else "POSE"
        bpy.context.scene.frame_set(max(frame, 0))
        for number, mesh in enumerate(INDEX[name]["meshes"]):
            thing = bpy.data.objects[mesh["name"]]
            if frame >= 0 and is_seen(thing) != bool(expected[f"m{number}_visible"][row]):
                pytest.fail(f"{mesh['name']} in frame {frame}: seen {is_seen(thing)}")
            if not is_seen(thing):
                continue
            vertices, normals = evaluated(thing)
            assert np.abs(vertices - expected[f"m{number}_verts"][row]).max() <= within, (mesh["name"], frame)
            if mesh["two_influences"] and frame >= 0:
                continue  # Blender turns custom normals with the faces, not with each bone by its weight
            sound = np.linalg.norm(expected[f"m{number}_normals"][row], axis=1) > 0.5
            off = np.abs(normals - expected[f"m{number}_normals"][row])[sound]
            assert off.max() <= 5e-3, (mesh["name"], frame, off.max())


def edit_bones(rig: Any, edit: Any) -> None:
    """Do something to an armature's bones in Edit Mode, and select it."""
    with editing(rig) as edited:
        edit(edited)


def roll(bones: Any) -> None:
    for bone in bones:
        bone.roll += 0.7


def point_elsewhere(bones: Any) -> None:
    """Let every bone point to where a person likes it."""
    for bone in bones:
        bone.tail = bone.head + Vector((0.3, 0.2, 0.1))


def lift(bones: Any) -> None:
    """Let every bone stand a metre higher."""
    for bone in bones:
        bone.head.z, bone.tail.z = bone.head.z + 1.0, bone.tail.z + 1.0


@pytest.mark.parametrize(
    ("name", "edit"), [*product(("m01_rigid", "m02_skin"), (roll, point_elsewhere)), ("m01_rigid", lift)]
)
def test_models_onto_bones_that_rest_otherwise(name: str, edit: Any) -> None:
    rig = scene.bring_in(file_of(name), models=False)
    edit_bones(rig, edit)
    scene.bring_in(file_of(name), target="SELECTED")
    if edit is lift:  # what hangs on them stands higher, too
        rig.data.pose_position, rig.location.z = "REST", -1.0
    assert off_the_engines(name, rest=edit is lift) <= 5e-3


@pytest.mark.parametrize("apply", [False, True])
@pytest.mark.parametrize("name", ["m01_rigid", "m02_skin"])
def test_models_onto_a_figure_of_another_size(name: str, apply: bool) -> None:
    rig = scene.bring_in(file_of(name), models=False)
    rig.scale = (0.5,) * 3
    if apply:
        bpy.ops.object.transform_apply(location=False, rotation=False, scale=True)
        for bone in rig.data.bones:  # as if a person had made them
            bone.pop("anim_curves_node")
    scene.bring_in(file_of(name), target="SELECTED", scale=0.5 if apply else 1.0)
    assert rig.data.display_type == ("OCTAHEDRAL" if apply else "STICK")
    assert off_the_engines(name, size=0.5) <= 5e-3


LOST = [("m02_skin", ["SPINE"]), ("m01_rigid", ["LAMP"]), ("m01_rigid", ["ROOTTRANSFORM", "BASE"])]


@pytest.mark.parametrize(("name", "lost"), LOST)
def test_models_of_a_bone_that_is_not_there_follow_the_one_above(name: str, lost: list[str]) -> None:
    """The spine is moved by nothing of its own, the lamp is, and is only looked at where it rests."""
    rig = scene.bring_in(file_of(name), models=False)
    edit_bones(rig, lambda bones: [bones.remove(bones[bone]) for bone in lost])
    scene.bring_in(file_of(name), target="SELECTED")
    rig.data.pose_position = "POSE" if name == "m02_skin" else "REST"
    assert off_the_engines(name, rest=name != "m02_skin") <= 5e-3
    report = "".join(text.as_string() for text in bpy.data.texts)
    assert f"1 bone that models are parented to is missing; the models follow the next bone above: {lost[-1]}" in report


def off_the_engines(name: str, *, rest: bool = False, size: float = 1.0) -> float:
    """How far the vertices of what is seen are off the engine's times a size, in any frame, or at rest."""
    expected, off = np.load(FOLDER / INDEX[name]["expected"]), 0.0
    for row, frame in enumerate(INDEX[name]["frames"]):
        bpy.context.scene.frame_set(max(frame, 0))
        for number, mesh in enumerate(INDEX[name]["meshes"] if (frame < 0) == rest else ()):
            thing = bpy.data.objects[mesh["name"]]
            if is_seen(thing):
                off = max(off, float(np.abs(evaluated(thing)[0] - size * expected[f"m{number}_verts"][row]).max()))
    return off


@pytest.mark.parametrize("name", list(INDEX))
def test_meshes_keep_the_files_order(name: str) -> None:
    scene.bring_in(file_of(name))
    expected = np.load(FOLDER / INDEX[name]["expected"])
    for number, entry in enumerate(INDEX[name]["meshes"]):
        mesh = bpy.data.objects[entry["name"]].data
        assert len(mesh.vertices) == entry["vertices"]
        found = np.array([list(polygon.vertices) for polygon in mesh.polygons])
        assert np.array_equal(found, expected[f"m{number}_tris"])
        assert len(mesh.materials) >= 1
        if entry["has_uv"]:
            uv = np.array([list(item.vector) for item in mesh.uv_layers[0].uv])
            assert np.abs(uv - expected[f"m{number}_uv"][found.ravel()]).max() <= 1e-6


@pytest.mark.parametrize("name", MOVING)
def test_an_untouched_file_comes_back_whatever_was_done_to_its_meshes(name: str, tmp_path: Path) -> None:
    rig = scene.bring_in(file_of(name))
    meshes = [bpy.data.objects[entry["name"]] for entry in INDEX[name]["meshes"]]
    choose(rig, *meshes)
    assert scene.send_out(tmp_path / "again.w3d") == file_of(name).read_bytes()
    meshes[0].data.vertices[0].co.x += 9.0
    for thing in meshes[1:]:
        bpy.data.objects.remove(thing)
    bpy.context.view_layer.objects.active = rig
    assert scene.send_out(tmp_path / "edited.w3d") == file_of(name).read_bytes()


def test_what_a_person_animates_of_a_skin_is_named(tmp_path: Path) -> None:
    """It hangs on no bone that could be hidden with it."""
    scene.bring_in(file_of("m02_skin"))
    bpy.data.objects["BODY"].keyframe_insert("hide_viewport", frame=1)
    scene.send_out(tmp_path / "again.w3d")
    told = bpy.data.texts["Export Report"].as_string()
    assert "1 animated value of other objects is left out, as the file holds one armature: BODY" in told


def test_a_file_of_meshes_alone_stands_on_its_skeleton_and_leaves_what_plays_and_is_selected(folder: Path) -> None:
    rig = scene.bring_in(folder / "m02_wlk.w3d", models=False)
    assert not [thing for thing in bpy.context.scene.objects if thing.type == "MESH"]
    playing = rig.animation_data.action
    scene.bring_in(folder / "m02_skin.w3d")
    assert rig.animation_data.action == playing and len(bpy.data.armatures) == 1
    assert {thing.name for thing in rig.children} == {"BODY", "STAFF"}
    assert bpy.context.selected_objects == [rig] == [bpy.context.object]
    for thing in rig.children:  # as earlier versions left them beside others of these names
        thing.name, thing["anim_curves_model"] = f"{thing.name}.001", True
    scene.bring_in(folder / "m02_skin.w3d")
    assert len(rig.children) == 2
    rig.animation_data_clear()
    with pytest.raises(RuntimeError, match="nothing that is chosen moves"):  # the armature is no part of that file
        scene.send_out(folder / "again.w3d")


@pytest.mark.parametrize("names", list(permutations(("m02_wlk", "m02_skl", "m02_skin"))), ids="-".join)
@pytest.mark.parametrize("nla", ["NONE", "STASH"])
def test_files_of_one_figure_in_any_order_move_it(names: tuple[str, ...], nla: str, folder: Path) -> None:
    """A drop hands them over as the file manager sorted them."""
    assert scene.bring_in_all([folder / f"{name}.w3d" for name in names], nla=nla) == {"FINISHED"}
    (rig,) = [thing for thing in bpy.data.objects if thing.type == "ARMATURE"]
    assert rig.animation_data.action.name == "M02_WLK" and off_the_engines("m02_skin") <= 5e-3
    assert bpy.data.actions.keys() == ["M02_WLK"], "a skeleton moves nothing, and gets no Action"


def test_a_file_of_meshes_alone_finds_its_skeleton_beside_it(folder: Path) -> None:
    scene.bring_in(folder / "m02_skin.w3d")
    rig = next(thing for thing in bpy.data.objects if thing.type == "ARMATURE")
    assert {thing.name for thing in rig.children} == {"BODY", "STAFF"} and not len(bpy.data.actions)


def test_bones_are_in_front_and_thin_where_they_carry_something(folder: Path) -> None:
    rig = scene.bring_in(folder / "m02_wlk.w3d", models=False)
    assert rig.show_in_front and rig.data.display_type == "OCTAHEDRAL"
    scene.bring_in(folder / "m02_skin.w3d")
    assert rig.show_in_front and rig.data.display_type == "STICK"


@pytest.mark.parametrize("selectable", [True, False])
def test_clicks_go_through_models_to_the_bones_where_that_is_asked_for(selectable: bool, folder: Path) -> None:
    rig = scene.bring_in(folder / "m02_wlk.w3d", select_models=selectable)
    bpy.context.view_layer.update()
    assert {thing.hide_select for thing in rig.children} == {not selectable}
    assert {thing.name for thing in bpy.context.selected_objects} == {rig.name, *(["BODY", "STAFF"] * selectable)}


@pytest.mark.parametrize("tool", ["reload", "match_names"])
def test_the_tools_of_the_sidebar_act_on_the_armature_of_a_clicked_model(tool: str) -> None:
    rig = scene.bring_in(FOLDER / "m02_wlk.w3d")
    rig.select_set(False)
    bpy.context.view_layer.objects.active = bpy.data.objects["BODY"]
    before = len(bpy.data.objects)
    assert getattr(bpy.ops.anim_curves, tool)() == {"FINISHED"} and len(bpy.data.objects) == before


def test_an_animj_of_a_shown_mesh_is_that_of_its_armature(tmp_path: Path) -> None:
    rig = scene.bring_in(file_of("m01_rigid"))
    meshes = [bpy.data.objects[entry["name"]] for entry in INDEX["m01_rigid"]["meshes"]]
    choose(*meshes, active=bpy.data.objects["HULL"])
    assert bpy.ops.export_anim.animx(filepath=str(tmp_path / "out.animj")) == {"FINISHED"}
    nodes = {track["data"].get("node") for track in json.loads((tmp_path / "out.animj").read_text())["tracks"]}
    assert nodes and nodes <= {bone.name for bone in rig.data.bones}, "meshes are never exported"


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_a_single_mesh_stands_alone_where_the_engine_has_it_and_is_selected(scale: float) -> None:
    bpy.ops.mesh.primitive_cube_add()
    assert bpy.ops.import_anim.w3d(filepath=str(FOLDER / "m06_single.w3d"), scale=scale) == {"FINISHED"}
    thing = bpy.data.objects["M06_SINGLE"]
    assert bpy.context.selected_objects == [thing] == [bpy.context.object] and len(bpy.data.objects) == 2
    assert tuple(thing.scale) == (scale,) * 3
    vertices, normals = evaluated(thing)
    expected = np.load(FOLDER / "m06_single.npz")
    assert np.abs(vertices / scale - expected["m0_verts"][0]).max() <= 1e-4
    assert np.abs(normals * scale - expected["m0_normals"][0]).max() <= 5e-3


def test_boxes_alone_are_seen_and_beside_meshes_are_not(tmp_path: Path) -> None:
    body = struct.pack("<II32s4B6f", 0x10000, 2, b"HOUSE.BOUNDS", 255, 0, 0, 0, 1.0, 2.0, 3.0, 0.5, 1.0, 1.5)
    box = struct.pack("<II", 0x740, len(body)) + body
    path = scene.write(tmp_path / "bounds.w3d", box)
    scene.bring_in(path)
    (thing,) = bpy.data.objects
    corners = np.array([vertex.co for vertex in thing.data.vertices])
    assert thing.name == "BOUNDS" and len(corners) == 8 and len(thing.data.edges) == 12 + 6
    assert corners.min(axis=0).tolist() == [0.5, 1.0, 1.5] and corners.max(axis=0).tolist() == [1.5, 3.0, 4.5]
    outwards = [face.normal.dot(face.center - Vector((1.0, 2.0, 3.0))) for face in thing.data.polygons]
    assert min(outwards) > 0.4
    assert sum(face.area for face in thing.data.polygons) == pytest.approx(2 * (1 * 2 + 2 * 3 + 3 * 1))
    assert scene.send_out(tmp_path / "again.w3d") == box
    thing.delta_location.x = 1.0  # which the file does not say
    with pytest.raises(RuntimeError, match="Nothing to export"):
        scene.send_out(tmp_path / "moved.w3d")
    scene.bring_in(scene.write(tmp_path / "both.w3d", (FOLDER / "m06_single.w3d").read_bytes() + box))
    assert {thing.name for thing in bpy.data.objects} == {"BOUNDS", "M06_SINGLE"}


XML = '<AssetDeclaration xmlns="uri:ea.com:eala:asset">{}</AssetDeclaration>'
UNSEEN = {
    "null.w3d": struct.pack("<IIIII16s", 0x750, 28, 0x10000, 0, 0, b"NULL"),
    "mesh.w3x": XML.format('<W3DMesh id="HAT" GeometryType="Normal"/>').encode(),
    "box.w3x": XML.format('<W3DCollisionBox id="BOX"/>').encode(),
    "includes.w3x": XML.format('<Includes><Include type="all" source="ART:x.w3x"/></Includes>').encode(),
}


@pytest.mark.parametrize("name", UNSEEN)
def test_a_file_of_which_nothing_is_seen_is_kept_by_an_empty(name: str, tmp_path: Path) -> None:
    path, again = scene.write(tmp_path / name, UNSEEN[name]), tmp_path / "again" / name
    bring_in, send_out = (getattr(way, path.suffix[1:]) for way in (bpy.ops.import_anim, bpy.ops.export_anim))
    with pytest.raises(RuntimeError, match="nothing else that Blender can show; choose the file with the animation"):
        bring_in(filepath=str(path), keep_source=False)
    assert not bpy.data.objects
    assert bring_in(filepath=str(path)) == {"FINISHED"}
    assert [(thing.name, thing.type) for thing in bpy.context.selected_objects] == [(path.stem, "EMPTY")]
    report = bpy.data.texts["Import Report"].as_string()
    assert f"the empty {path.stem} keeps it, and an export of that writes it again as it is" in report
    again.parent.mkdir()
    assert send_out(filepath=str(again)) == {"FINISHED"}
    assert again.read_bytes() == UNSEEN[name]


def test_levels_that_are_not_shown_are_not_selected() -> None:
    rig = scene.bring_in(FOLDER / "m04_lod.w3d")
    assert {thing.name for thing in bpy.context.selected_objects} == {rig.name, "CARD", "POST_HI", "WHEEL_HI"}
    (hidden,) = bpy.data.collections["m04_lod Models"].children
    assert hidden.hide_viewport and hidden.hide_render
    assert hidden.name == "Hidden m04_lod Models"  # the Outliner cuts the ends of names


def test_nothing_is_doubled(folder: Path) -> None:
    skin = folder / "m02_skin.w3d"  # with a name as Blender numbers its own
    skin.write_bytes(skin.read_bytes().replace(b"STAFF\0\0\0", b"BODY.001"))
    bpy.data.objects.new("BODY", None)  # so that ours gets a number
    scene.bring_in(folder / "m02_wlk.w3d")
    before = bpy.data.objects.keys()
    assert before == ["BODY", "BODY.001", "BODY.002", "M02_SKL"]
    scene.bring_in(folder / "m02_wlk.w3d")
    scene.bring_in(skin)
    assert bpy.data.objects.keys() == before
    bpy.data.objects.remove(bpy.data.objects["BODY.001"])
    scene.bring_in(skin)
    assert bpy.data.objects.keys() == before
    lay = scene.Lay
    jeep = lay.hierarchy(name="JEEP") + lay.animation(lay.raw(0, [0.0, 1.0], 0, 1), frames=2, skeleton="JEEP")
    scene.bring_in(scene.write(skin, (folder / "m02_wlk.w3d").read_bytes() + skin.read_bytes() + jeep))
    assert bpy.data.objects.keys() == [*before[:3], "JEEP", before[3]], "which stands beside has none of its meshes"


def test_textures_and_surfaces() -> None:
    scene.bring_in(file_of("m01_rigid"))
    hull = bpy.data.objects["HULL"].data.materials[0]
    pictures = [node.image for node in hull.node_tree.nodes if node.type == "TEX_IMAGE"]
    assert [Path(bpy.path.abspath(image.filepath)).name for image in pictures] == ["m01check.tga"]
    assert tuple(pictures[0].size) != (0, 0)
    glass = bpy.data.objects["FLARE"].data.materials[0]
    assert glass.surface_render_method == "BLENDED" and glass.diffuse_color[3] == 0.5
    assert not bpy.data.objects["BULB"].data.materials[0].use_backface_culling
    assert hull.use_backface_culling


@pytest.mark.parametrize("cut", [False, True])
def test_a_texture_that_is_no_picture_is_named_as_a_missing_one_is(cut: bool, folder: Path) -> None:
    """It was linked without a word, and shown in pink."""
    picture = folder / "textures" / "m01check.tga"
    picture.write_bytes(picture.read_bytes()[:60] if cut else b"<html>not found</html>" * 9)
    scene.bring_in(folder / "m01_rigid.w3d")
    (material,) = bpy.data.objects["HULL"].data.materials
    assert "TEX_IMAGE" not in {node.type for node in material.node_tree.nodes}
    assert "plain colour: m01check.tga" in scene.report_of("m01_rigid.w3d")


def tga(path: Path, rows: np.ndarray) -> Path:
    """A picture (height, width, 3 or 4) of bytes, red first, as a TGA that is not packed."""
    height, width, depth = rows.shape
    order = [2, 1, 0, 3][:depth]
    head = struct.pack("<BBB5xHHHHBB", 0, 0, 2, 0, 0, width, height, 8 * depth, 8 * (depth > 3))
    path.write_bytes(head + rows[:, :, order].astype(np.uint8).tobytes())
    return path


def light(value: float) -> float:
    """Linear light of a byte of sRGB."""
    share = value / 255.0
    return float(((share + 0.055) / 1.055) ** 2.4 if share > 0.04045 else share / 12.92)


def test_solid_view_shows_the_mean_colour_of_a_texture() -> None:
    """It was grey, as the colour of a material with a texture is white; what is exported does not depend on it."""
    walker = FOLDER.parents[2] / "samples" / "walker"
    scene.bring_in(walker / "walker.w3d")
    (material,) = bpy.data.objects["BODY"].data.materials
    pixels = np.frombuffer((walker / "walker.tga").read_bytes()[18:][: 256 * 128 * 3], np.uint8).reshape(-1, 3)
    wanted = [float(np.mean([light(value) for value in pixels[:, channel]])) for channel in (2, 1, 0)]
    assert np.allclose(material.diffuse_color[:3], wanted, atol=0.01)
    assert max(wanted) - min(wanted) > 0.02, "a picture without a colour would prove nothing"


def test_what_is_transparent_or_too_large_lends_no_colour(tmp_path: Path) -> None:
    models, model = scene.part("scene.models"), scene.part("io_formats.clip.model")
    half = np.zeros((8, 8, 4))
    half[:, :4] = (200, 0, 0, 255)
    half[:, 4:] = (0, 255, 0, 0)
    files = {"half.tga": tga(tmp_path / "half.tga", half), "large.tga": tga(tmp_path / "large.tga", half)}
    files["large.tga"].write_bytes(files["large.tga"].read_bytes().replace(b"\x08\x00\x08\x00", b"\x01\x10\x00\x01"))
    painted = bpy.data.images.load(str(tga(tmp_path / "painted.tga", half)))
    painted.pixels[:] = [0.5] * 256
    files |= {name: tmp_path / name for name in ("painted.tga", "gone.tga")}
    painter = models.Painter(scene.part("scene.undo").Undo())
    painter.find_picture = lambda name: model.Picture(files[name])
    seen = {}
    for name in files:
        for blend in (model.Blend.OPAQUE, model.Blend.CLIP):
            fields = {"diffuse": (0.5, 1.0, 1.0), "emission": (0.0, 0.5, 0.0), "texture": name, "blend": blend}
            wanted = model.Material(f"{name} {blend}", **fields)
            made = painter.material(wanted)
            assert painter.material(model.Material(*wanted)) == made and made.surface_render_method == "DITHERED"
            seen[name, blend] = list(made.diffuse_color)[:3]
            mixed = {link.to_node.type for link in made.node_tree.links if link.from_node.type == "TEX_IMAGE"}
            assert ("MIX" in mixed) == (name != "gone.tga"), "the colour multiplies the picture"
            surface = made.node_tree.nodes["Principled BSDF"].inputs
            assert surface["Alpha"].is_linked == (name != "gone.tga" and blend is model.Blend.CLIP)
    shaded = painter.material(wanted._replace(colored=True, texture="half.tga"))  # by its vertices, not as a whole
    assert np.allclose(shaded.diffuse_color[:3], (light(200.0), 0.0, 0.0), atol=1e-3)
    added = painter.material(model.Material("added", blend=model.Blend.ADD)).node_tree.nodes
    assert {node.type for node in added} == {"EMISSION", "BSDF_TRANSPARENT", "ADD_SHADER", "OUTPUT_MATERIAL"}
    glass = painter.material(model.Material("glass", texture="half.tga", blend=model.Blend.BLEND, opacity=0.25))
    alpha = glass.node_tree.nodes["Principled BSDF"].inputs["Alpha"]
    assert alpha.default_value == alpha.links[0].from_node.inputs[1].default_value == 0.25
    assert np.allclose(surface["Emission Color"].default_value, (0.0, light(127.5), 0.0, 1.0), atol=1e-3)
    assert surface["Emission Strength"].default_value == 1.0
    red = light(200.0) * light(127.5)
    assert np.allclose(seen["half.tga", model.Blend.CLIP], (red, 0.0, 0.0), atol=1e-3)
    assert np.allclose(seen["half.tga", model.Blend.OPAQUE], (red / 2, 0.5, 0.0), atol=1e-3)
    assert np.allclose(seen["large.tga", model.Blend.OPAQUE], (light(127.5), 1.0, 1.0), atol=1e-3)
    assert not bpy.data.images["large.tga"].has_data, "it was unpacked"
    assert not bpy.data.images["half.tga"].has_data, "it was left in memory"
    assert painted.is_dirty and abs(painted.pixels[0] - 0.5) < 0.01, "what a person painted is gone"


def test_an_import_that_fails_leaves_no_mesh_or_material(monkeypatch: pytest.MonkeyPatch) -> None:
    apply = scene.part("scene.apply")

    def fail(*_: Any) -> None:
        raise scene.part("io_formats.errors").FormatError("no")

    monkeypatch.setattr(apply, "_set_scene", fail)
    with pytest.raises(RuntimeError):
        bpy.ops.import_anim.w3d(filepath=str(file_of("m01_rigid")))
    for collection in (bpy.data.objects, bpy.data.meshes, bpy.data.materials, bpy.data.images, bpy.data.collections):
        assert not [found for found in collection if found.name != "Render Result"]


def test_damaged_meshes_leave_the_animation(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = folder / "m01_rigid.w3d"
    data = bytearray(path.read_bytes())
    at = data.index((0x1F).to_bytes(4, "little") + (116).to_bytes(4, "little"))
    data[at] = 0x7F
    path.write_bytes(bytes(data))
    rig = scene.bring_in(path)
    assert rig.animation_data.action is not None
    assert len([thing for thing in bpy.context.scene.objects if thing.type == "MESH"]) == 5
    assert capfd.readouterr().out.count("1 warning\nWarning: ") == 1


def with_triangles(corners: np.ndarray) -> bytes:
    """m06_single.w3d with other vertex numbers (triangles, 3), as many as it has: in each 32 bytes the first 12."""
    data = bytearray((FOLDER / "m06_single.w3d").read_bytes())
    at, size = 8, 0
    while data[at : at + 4] != (0x20).to_bytes(4, "little"):
        at += 8 + (int.from_bytes(data[at + 4 : at + 8], "little") & 0x7FFFFFFF)
    size = int.from_bytes(data[at + 4 : at + 8], "little")
    stored = np.frombuffer(data, "<u4", size // 4, at + 8).reshape(-1, 8)
    stored[:, :3] = corners
    return bytes(data)


EVERY = np.load(FOLDER / "m06_single.npz")["m0_tris"]
TRIANGLE_LISTS = {
    "one vertex three times": np.full_like(EVERY, 1),
    "one vertex twice": EVERY[:, (0, 1, 1)],
    "first and last vertex the same": EVERY[:, (0, 1, 0)],
    "all of them the same": np.broadcast_to(EVERY[0], EVERY.shape),
    "each twice": EVERY[np.arange(len(EVERY)) // 2],
    "each with its back": np.where(np.arange(len(EVERY))[:, None] % 2, EVERY[::-1, ::-1], EVERY),
    "one beyond the last vertex": EVERY + (EVERY.max() == EVERY),
    "the largest numbers": np.full_like(EVERY, -1),
    "any three": np.random.default_rng(3).integers(0, EVERY.max() + 1, EVERY.shape),
    "anything": np.random.default_rng(4).integers(0, 2**31, EVERY.shape) % (2 * EVERY.max()),
}


@pytest.mark.parametrize("kind", list(TRIANGLE_LISTS))
def test_no_list_of_triangles_harms_blender(kind: str, tmp_path: Path) -> None:
    """Triangles with a vertex twice crash Blender 5 where normals are set; those that occur twice are both there."""
    corners = TRIANGLE_LISTS[kind].astype(np.int64)
    path = tmp_path / "m06_single.w3d"
    path.write_bytes(with_triangles(corners))
    assert bpy.ops.import_anim.w3d(filepath=str(path)) == {"FINISHED"}
    sound = [row for row in corners.tolist() if len(set(row)) == 3 and min(row) >= 0 and max(row) <= EVERY.max()]
    mesh = bpy.data.objects["M06_SINGLE"].data
    assert [list(polygon.vertices) for polygon in mesh.polygons] == sound
    assert all(np.isfinite(tuple(corner.vector)).all() for corner in mesh.corner_normals)
    bpy.context.view_layer.update()
