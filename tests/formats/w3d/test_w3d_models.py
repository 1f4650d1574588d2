"""The meshes of W3D files at rest, against made-up models whose places the engine's own code computed."""

from __future__ import annotations

import json
import os
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lay import Lay

from io_formats import open_file, w3d
from io_formats.binary import ByteReader
from io_formats.clip.model import Blend, Material, Model, Picture
from io_formats.clip.pivots import Skeleton
from io_formats.errors import Report
from io_formats.w3d.document import OpaqueChunk
from io_formats.w3d.layout import Kind
from io_formats.w3d.models.mesh import TextureFinder, blend_of, surfaces
from io_formats.w3d.models.visible import ModelPart, model_parts, models_in, to_models, wanted_by_models
from io_formats.w3d.to_clip import from_hierarchy

FOLDER = Path(__file__).resolve().parents[2] / "data" / "w3d_models"
INDEX = json.loads((FOLDER / "index.json").read_text(encoding="utf-8"))["models"]
NAMES = [entry["name"] for entry in INDEX]


def entry_of(name: str) -> dict[str, Any]:
    """What index.json says of a model."""
    return dict(next(entry for entry in INDEX if entry["name"] == name))


def parts_of(name: str, report: Report | None = None) -> list[ModelPart]:
    """The meshes of a model's file."""
    return model_parts(w3d.read((FOLDER / entry_of(name)["model"]).read_bytes()), report or Report())


def skeleton_of(name: str) -> Skeleton | None:
    """The skeleton of a model, from its own file or another."""
    where = entry_of(name)["skeleton"]
    if where is None:
        return None
    file = entry_of(name)["model"] if where.startswith("in ") else where
    return from_hierarchy(w3d.read((FOLDER / file).read_bytes()).hierarchies[0], Report())


def shown(name: str, report: Report | None = None) -> list[Model]:
    """All models of a file on their skeleton."""
    return to_models(parts_of(name, report), skeleton_of(name), report or Report())


@pytest.mark.parametrize("name", NAMES)
def test_what_is_shown_and_how_it_is_covered(name: str) -> None:
    expected, where = np.load(FOLDER / entry_of(name)["expected"]), entry_of(name)["skeleton"]
    wanted = wanted_by_models(w3d.read((FOLDER / entry_of(name)["model"]).read_bytes()))
    assert bool(wanted) == (where is not None and not where.startswith("in "))
    for number, (model, mesh) in enumerate(zip(shown(name), entry_of(name)["meshes"], strict=True)):
        assert model.shown == mesh["drawn"]
        if mesh["drawn"]:
            assert model.shown == bool(expected[f"m{number}_visible"][0])
        assert (model.coordinates is not None) == mesh["has_uv"]
        if mesh["has_uv"]:
            assert np.abs(model.coordinates - expected[f"m{number}_uv"]).max() <= 1e-6
        assert all(material.two_sided == mesh["two_sided"] for material in model.materials)


def test_materials_of_rigid_parts() -> None:
    models = {model.name: model for model in shown("m01_rigid")}
    assert models["HULL"].materials[0].texture == "M01CHECK.TGA"
    assert models["FLARE"].materials[0].blend is Blend.BLEND
    assert models["FLARE"].materials[0].opacity == 0.5
    assert models["BULB"].materials[0].two_sided
    assert models["BULB"].materials[0].emission == (10 / 255, 45 / 255, 110 / 255)
    assert models["DOME"].materials[0].diffuse == (200 / 255, 40 / 255, 40 / 255)
    assert models["DOME"].node != models["GUN"].node


def test_what_is_on_no_pivot_and_nowhere_is_at_the_root() -> None:
    (part, *_), skeleton = parts_of("m01_rigid"), skeleton_of("m01_rigid")
    part.pivot, part.mesh.vertices = 60000, np.full_like(part.mesh.vertices, np.inf)
    (model,) = to_models([part], skeleton, Report())
    assert skeleton is not None and model.node == skeleton.nodes[0].name and not model.vertices.any()


def test_materials_of_each_triangle() -> None:
    golem = shown("m05_materials")[0]
    assert {material.texture for material in golem.materials} == {"m05_a.tga", "m05_b.dds", ""}
    assert {material.blend for material in golem.materials} == {Blend.OPAQUE, Blend.CLIP}
    assert golem.material_of is not None and golem.material_of.max() == len(golem.materials) - 1
    assert golem.colors is not None and all(material.colored for material in golem.materials)


def test_a_shader_material_names_its_texture() -> None:
    worm = shown("m03_skin2")[0]
    assert worm.materials[0].name == "NormalMapped.fx"
    assert worm.materials[0].texture == "m03_diff.tga" and worm.materials[0].blend is Blend.OPAQUE
    data = (FOLDER / "m03_skin2.w3d").read_bytes().replace(b"AlphaTestEnable\0\0", b"AlphaTestEnable\0\1")
    (part,) = model_parts(w3d.read(data), Report())
    assert surfaces(part.mesh).materials[0].blend is Blend.CLIP


@pytest.mark.parametrize(
    ("source", "destination", "tested", "blend"),
    [(1, 0, 0, "OPAQUE"), (1, 0, 1, "CLIP"), (1, 1, 0, "ADD"), (2, 5, 0, "BLEND"), (2, 1, 1, "CLIP_BLEND")],
)
def test_bytes_of_a_shader_say_how_it_blends(source: int, destination: int, tested: int, blend: str) -> None:
    shader = np.zeros(16, np.uint8)
    shader[[7, 3, 12]] = source, destination, tested
    assert blend_of(shader) is Blend[blend]


def test_boxes_beside_a_skeleton_are_no_models() -> None:
    box = Lay.chunk(0x740, struct.pack("<II32s4B6f", 0x10000, 2, b"HOUSE.BOUNDS", 255, 0, 0, 0, *[1.0] * 6))
    assert [len(model_parts(w3d.read(held + box), Report())) for held in (b"", Lay.hierarchy())] == [1, 0]


def test_parts_behind_a_model_that_is_too_short_for_them_belong_to_it() -> None:
    header = Lay.chunk(0x701, struct.pack("<II16s16s", 0x10000, 1, Lay.name("TANK"), Lay.name("SKEL")))
    level = Lay.chunk(0x702, Lay.chunk(0x703, struct.pack("<If", 2, 0.0)), flagged=True)
    parts = [Lay.chunk(0x704, struct.pack("<I32s", at, name)) for at, name in ((3, b"TANK.HULL"), (4, b"TANK.GUN"))]
    (model,) = models_in(w3d.read(Lay.chunk(0x700, header + level, flagged=True) + b"".join(parts)).parts)
    assert [(found.name, found.pivot) for found in model.levels[0]] == [("TANK.HULL", 3), ("TANK.GUN", 4)]
    twice = w3d.read(Lay.chunk(0x700, header + 2 * b"".join([level, *parts]), flagged=True))  # of which one counts
    assert [len(found.levels) for found in models_in(twice.parts)] == [1]
    headless = w3d.read(Lay.chunk(0x700, Lay.chunk(0x7FF, bytes(40)) + level, flagged=True))
    assert [(found.hierarchy, found.levels) for found in models_in(headless.parts)] == [("", [])]


def test_unlisted_meshes_are_named() -> None:
    report = Report()
    shown("m04_lod", report)
    assert [str(entry) for entry in report.notes] == ["meshes that no model of the file names are hidden: UNLISTED"]


def test_a_skin_without_its_skeleton_is_left_out_and_named() -> None:
    report = Report()
    models = to_models(parts_of("m02_skin"), None, report)
    assert [model.name for model in models] == ["STAFF"]
    assert "M02_SKL" in str(report.warnings[0])


def rigid_parts() -> tuple[w3d.Document, OpaqueChunk]:
    """The document of rigid meshes, and the chunk of the first of them."""
    document = w3d.read((FOLDER / "m01_rigid.w3d").read_bytes())
    return document, next(part for part in document.parts if isinstance(part, OpaqueChunk) and part.kind == 0)


def test_a_model_finds_its_meshes_in_any_case_and_the_first_of_a_name() -> None:
    document, first = rigid_parts()
    known = parts_of("m01_rigid")[0].mesh
    first.data = first.data.replace(known.name.encode(), known.name.lower().encode(), 1)
    size = 12 * len(known.vertices)
    old, new = (struct.pack("<II", kind, size) for kind in (Kind.NORMALS, Kind.OLD_NORMALS))
    first.data = first.data.replace(old, new, 1)
    document.parts.append(first)
    parts = [part for part in model_parts(document, Report()) if part.mesh.full_name == known.full_name]
    assert [part.shown for part in parts] == [True, False]
    np.testing.assert_array_equal(parts[0].mesh.normals, known.normals)  # by the chunk that old files have them in


def test_a_mesh_without_a_pass_is_seen_from_both_sides_where_it_says_so() -> None:
    (bulb,) = (part.mesh for part in parts_of("m01_rigid") if part.mesh.name == "BULB")
    bulb.chunks = {}
    assert [material.two_sided for material in surfaces(bulb).materials] == [True]


def test_a_mesh_without_a_pass_has_none_of_its_materials() -> None:
    (hull,) = (part.mesh for part in parts_of("m01_rigid") if part.mesh.name == "HULL")
    del hull.chunks[Kind.MATERIAL_PASS]
    assert hull.chunks[Kind.VERTEX_MATERIALS] and hull.chunks[Kind.SHADERS]
    assert surfaces(hull).materials == [Material()]
    (dome,) = (part.mesh for part in parts_of("m01_rigid") if part.mesh.name == "DOME")
    dome.chunks[Kind.VERTEX_MATERIALS] = [ByteReader(Lay.chunk(Kind.VERTEX_MATERIAL, b""))]  # no name and no colour
    assert (surfaces(dome).materials[0].name, surfaces(dome).materials[0].diffuse) == ("", Material().diffuse)


@pytest.mark.parametrize("below", ["", "moves"])
def test_the_skeletons_own_file_shows_its_meshes_once_with_the_pictures_beside_it(below: str, tmp_path: Path) -> None:
    document, _ = rigid_parts()
    moving = [part for part in document.parts if isinstance(part, w3d.document.Animation)]
    (tmp_path / below).mkdir(exist_ok=True)
    (tmp_path / below / "walk.w3d").write_bytes(w3d.write(w3d.Document(moving)))
    standing = w3d.Document([part for part in document.parts if part not in moving])
    (tmp_path / "M01_RIGID.w3d").write_bytes(w3d.write(standing))
    (tmp_path / "M01CHECK.TGA").write_bytes(b"")
    file, report = open_file(tmp_path / below / "walk.w3d"), Report()
    companions = w3d.FORMAT.companions(w3d.ImportOptions(), ())
    file.skeleton = companions.skeleton(file, str(tmp_path / "M01_RIGID.w3d") if below else "", report)
    (found,) = companions.models(file, file.to_clips(w3d.ImportOptions(), report), report)
    assert [model.name for model in found.models] == [part.mesh.name for part in parts_of("m01_rigid")]
    picture = found.find_picture("m01check.tga")
    assert picture is not None and picture.path == tmp_path / "M01CHECK.TGA" and not found.own


def test_a_model_stands_on_its_own_of_several_skeletons() -> None:
    file = open_file(Path(os.path.relpath(FOLDER / "m02_skin.w3d")))
    file.skeleton = w3d.read(Lay.hierarchy() + (FOLDER / "m02_skl.w3d").read_bytes())
    companions = w3d.FORMAT.companions(w3d.ImportOptions(), ())
    pose = companions.skeleton_pose(file, Report())
    assert pose is not None and pose.skeleton == "M02_SKL"
    assert [found.own for found in companions.models(file, [pose], Report())] == [True]
    other = Lay.chunk(0x700, Lay.chunk(0x701, struct.pack("<II16s16s", 0x10000, 0, b"CAR", b"CAR_SKL")))
    assert wanted_by_models(w3d.read(file.data + other)) == ["M02_SKL", "CAR_SKL"]


@pytest.mark.parametrize("lacks", ["its end", "triangles", "the end of a material"])
def test_a_damaged_mesh_costs_one_warning_and_itself(lacks: str) -> None:
    (document, first), (hull, *others), report = rigid_parts(), parts_of("m01_rigid"), Report()
    if lacks == "the end of a material":
        hull.mesh.chunks[Kind.MATERIAL_PASS] = [ByteReader(struct.pack("<II", Kind.TEXTURE_STAGE, 255))]
        found = [model.name for model in to_models([hull, *others], skeleton_of("m01_rigid"), report)]
    else:
        old = struct.pack("<II", Kind.TRIANGLES, 32 * len(hull.mesh.triangles))
        first.data = first.data[:200] if lacks == "its end" else first.data.replace(old, b"\xff" + old[1:])
        found = [part.mesh.name for part in model_parts(document, report)]
    assert found == [part.mesh.name for part in others]
    assert [entry.template for entry in report.warnings] == [w3d.messages.MODEL_DAMAGED]
    assert ("HULL" in str(report.warnings[0])) is (lacks != "its end")


def test_triangles_that_crash_blender_are_left_out() -> None:
    """The others keep their materials."""
    (part, *_), (known, *_) = parts_of("m05_materials"), shown("m05_materials")
    triangles = part.mesh.triangles.copy()
    triangles[0], triangles[1], triangles[2] = (1, 1, 2), (0, 1, len(part.mesh.vertices)), (1, 2, 1)
    part.mesh.triangles, part.mesh.normals = triangles, np.array(part.mesh.normals) * 0.1
    report = Report()
    model = to_models([part], skeleton_of("m05_materials"), report)[0]
    assert len(model.triangles) == len(triangles) - 3 and np.allclose(model.normals, known.normals)
    assert model.material_of is not None and known.material_of is not None
    assert model.material_of.tolist() == known.material_of[3:].tolist() and len(set(model.material_of.tolist())) > 1
    assert report.notes[0].values["triangles"] == 3


def test_records_beyond_those_that_a_mesh_counts_are_none_of_it() -> None:
    document, first = rigid_parts()
    known = parts_of("m01_rigid")[0].mesh.vertices
    size = 12 * len(known)
    before, inside, behind = first.data.partition(struct.pack("<II", Kind.VERTICES, size))
    assert inside
    first.data = b"".join(
        (before, struct.pack("<II", Kind.VERTICES, size + 12), behind[:size], bytes(12), behind[size:])
    )
    mesh = model_parts(document, Report())[0].mesh
    np.testing.assert_array_equal(mesh.vertices, known)
    mesh.vertices = known[1:]  # of which one has no coordinates then
    assert surfaces(mesh).coordinates is None


def test_all_weight_of_the_second_bone_counts() -> None:
    (part,) = parts_of("m03_skin2")
    part.mesh.influences = part.mesh.influences.copy()
    part.mesh.influences["bones"], part.mesh.influences["weights"] = (1, 2), (0, 100)
    (model,) = to_models([part], skeleton_of("m03_skin2"), Report())
    assert model.skin is not None and model.skin.influences.max(axis=1).tolist() == [2] * len(part.mesh.vertices)
    part.mesh.influences["weights"][0] = (100, 0)
    (other,) = to_models([part], skeleton_of("m03_skin2"), Report())
    assert (other.vertices != model.vertices).any(axis=1).tolist() == [True, *[False] * (len(model.vertices) - 1)]
    part.mesh.second_vertices = None
    (model,) = to_models([part], skeleton_of("m03_skin2"), Report())
    assert model.skin is not None and set(model.skin.influences[:, 1].tolist()) == {-1}


def test_a_pass_without_textures_has_none() -> None:
    document, first = rigid_parts()
    chunk, other = (struct.pack("<I", kind) for kind in (Kind.STAGE_TEXTURES, 0x7777))
    first.data = first.data.replace(chunk, other)
    assert [material.texture for material in surfaces(model_parts(document, Report())[0].mesh).materials] == [""]


def test_a_triangle_has_the_material_of_its_first_corner() -> None:
    (part, *_), (known, *_) = parts_of("m05_materials"), shown("m05_materials")
    names = [known.materials[number].name for number in known.material_of.tolist()]
    cloth, skin = (part.mesh.triangles[names.index(name)] for name in ("Cloth", "Skin"))
    part.mesh.triangles = np.stack([(cloth[0], skin[1], skin[2]), (skin[0], cloth[1], cloth[2])])
    found = surfaces(part.mesh)
    assert [found.materials[number].name for number in found.material_of] == ["Cloth", "Skin"]
    part.mesh.chunks[Kind.SHADERS] = [ByteReader(bytes(16 * 9))]  # which draw no texture
    assert {material.texture for material in surfaces(part.mesh).materials} == {""}


@pytest.mark.parametrize(("said", "seen"), [(7.0, 1.0), (-1.0, 0.0), (np.nan, 1.0)])
def test_an_opacity_is_from_0_to_1(said: float, seen: float) -> None:
    data = (FOLDER / "m01_rigid.w3d").read_bytes().replace(struct.pack("<f", 0.5), struct.pack("<f", said))
    (flare,) = (part.mesh for part in model_parts(w3d.read(data), Report()) if part.mesh.name == "FLARE")
    assert surfaces(flare).materials[0].opacity == seen


@pytest.mark.parametrize(("version", "shift"), [(0x20000, 1), (0x2FFFF, 1), (0x30000, 0), (0x40002, 0)])
def test_before_version_3_a_skin_counts_bones_without_the_root(version: int, shift: int) -> None:
    part = parts_of("m02_skin")[0]
    assert part.mesh.influences is not None
    part.mesh.version = version
    part.mesh.influences = part.mesh.influences.copy()
    part.mesh.influences["bones"] = 1
    (model,) = to_models([part], skeleton_of("m02_skin"), Report())
    assert model.skin is not None
    assert set(model.skin.influences[:, 0].tolist()) == {1 + shift}
    part.mesh.influences["bones"] = 60000
    (model,) = to_models([part], skeleton_of("m02_skin"), Report())
    assert model.skin is not None and set(model.skin.influences[:, 0].tolist()) == {0}


@pytest.mark.parametrize(("version", "shift"), [(0x20000, 1), (0x2FFFF, 1), (0x30000, 0), (0x40002, 0)])
def test_before_version_3_a_model_counts_pivots_without_the_root(version: int, shift: int) -> None:
    header = struct.pack("<I16s16sH", version, Lay.name("TANK"), Lay.name("SKEL"), 2)
    nodes = [struct.pack("<16sH", Lay.name("HULL"), 0xFFFF), struct.pack("<16sH", Lay.name("GUN"), 4)]
    data = Lay.chunk(0x301, header) + b"".join(Lay.chunk(0x302, node) for node in nodes)
    (model,) = models_in(w3d.read(Lay.chunk(0x300, data, flagged=True)).parts)
    assert [(found.name, found.pivot) for found in model.levels[0]] == [("TANK.HULL", 0), ("TANK.GUN", 4 + shift)]


def test_textures_are_found_in_any_case_and_as_dds_first(tmp_path: Path) -> None:
    finder = TextureFinder()
    for name in ("wall.tga", "WALL.dds"):
        (tmp_path / name).touch()
    assert finder.find("wall.tga", tmp_path / "house.w3d") == tmp_path / "WALL.dds"
    assert finder.find("M01CHECK.TGA", FOLDER / "m01_rigid.w3d") == FOLDER / "textures" / "m01check.tga"
    assert finder.find("M02skin.tga", FOLDER / "m02_skin.w3d") == FOLDER / "textures" / "m02skin.dds"
    assert finder.find("m04_none.tga", FOLDER / "m04_lod.w3d") is finder.find("", FOLDER / "m04_lod.w3d") is None
    header = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 300, 7)
    assert [Picture(tmp_path / "wall.png", header[:size]).pixels() for size in (0, 17, 24)] == [0, 0, 2100]
    assert Picture(tmp_path / "runs.tga", bytes([0, 0, 10, *bytes(9), 44, 1, 7, 0, *bytes(8)])).pixels() == 2100
    assert [Picture(FOLDER / "textures" / name).pixels() for name in ("m02skin.dds", "m01check.tga")] == [16 * 16] * 2
    assert finder.find("../../../m01check.tga", FOLDER / "m01_rigid.w3d") == FOLDER / "textures" / "m01check.tga"
