"""A whole scene to AnimJ and AnimX, judged by matrices composed here and by Blender playing what comes back."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from animj_keys import keys_of
from cases import slow_but
from in_blender import curves_of, remove_curves

bpy = pytest.importorskip("bpy")

FILES = [
    ("scene.animj", {}),
    ("scene.animj", {"axes": "GLTF"}),
    ("scene.animj", {"axes": "ENGINE"}),
    ("scene.animj", {"axes": "MANUAL", "forward_axis": "-X", "up_axis": "Z", "left_handed": False}),
    ("scene.animx", {"container": "LZMA"}),
]
AXES = ("axes", "forward_axis", "up_axis", "left_handed", "scale")


@pytest.fixture
def stage(extension: ModuleType) -> Any:
    """The module that makes the scene; after `extension`, which enables what it needs."""
    del extension
    return importlib.import_module("animx_scene")


def send(path: Path, **options: Any) -> None:
    assert bpy.ops.export_anim.animx(filepath=str(path), **options) == {"FINISHED"}


def fetch(path: Path, target: str = "BY_NAME", **options: Any) -> None:
    axes = {name: value for name, value in options.items() if name in AXES}
    assert bpy.ops.import_anim.animx(filepath=str(path), target=target, **axes) == {"FINISHED"}


def assert_same(before: dict[str, Any], after: dict[str, Any]) -> None:
    """Within 1e-4 m and 1e-3 rad; sizes within 1e-3."""
    for name, old in before.items():
        new = after[name]
        if old.ndim == 1:
            assert np.abs(old - new).max() < 1e-4, name
            continue
        assert np.abs(old[:, :3, 3] - new[:, :3, 3]).max() < 1e-4, name
        sizes = [np.sqrt(np.square(each[:, :3, :3]).sum(axis=1, keepdims=True)) for each in (old, new)]
        assert np.abs(sizes[0] - sizes[1]).max() < 1e-3, name
        # two rotations an angle a apart differ by sqrt(8) sin(a / 2) in the root of their summed squares
        apart = np.sqrt(np.square(old[:, :3, :3] / sizes[0] - new[:, :3, :3] / sizes[1]).sum(axis=(1, 2)))
        assert apart.max() < np.sqrt(2) * 1e-3, name


@pytest.mark.parametrize(("name", "options"), slow_but(FILES[3:4], FILES), ids=str)
def test_a_whole_scene_comes_back(stage: Any, tmp_path: Path, name: str, options: dict[str, Any]) -> None:
    stage.Scene().rig.data.bones["Hand.L"].use_relative_parent = True
    before = stage.played()
    stage.select_all()
    send(tmp_path / name, **options)
    stage.make_still()
    fetch(tmp_path / name, **options)
    assert_same(before, stage.played())
    stage.select_all()
    send(tmp_path / f"again_{name}", **options)
    stage.make_still()
    fetch(tmp_path / f"again_{name}", target="AUTO", **options)  # all is selected
    assert_same(before, stage.played())


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_in_other_axes_or_lengths_than_those_it_came_with(stage: Any, tmp_path: Path, scale: float) -> None:
    """Objects without a parent stayed in the world of the import's axes; all lengths are the file's, as it was."""
    stage.Scene()
    stage.select_all()
    send(tmp_path / "first.animj", axes="GLTF")
    stage.make_still()
    fetch(tmp_path / "first.animj", axes="GLTF", scale=scale)
    before = stage.played()
    send(tmp_path / "second.animj", axes="FBX")
    stage.make_still()
    fetch(tmp_path / "second.animj", axes="FBX", scale=scale)
    assert_same(before, stage.played())


def test_a_rig_that_an_object_of_the_file_carries_comes_back_byte_for_byte(stage: Any, tmp_path: Path) -> None:
    rig = stage.Scene().rig
    rig.parent, action = bpy.data.objects["Lamp"], rig.animation_data.action
    own = [curve for curve in curves_of(action) if not curve.data_path.startswith("pose")]
    remove_curves(action, *own)  # it does not move by itself
    for name in ("first.animj", "again.animj"):
        stage.select_all()
        send(tmp_path / name)
        stage.make_still()
        fetch(tmp_path / name)
    told = bpy.data.texts["Export Report"].as_string()
    assert "byte for byte" in told and "the object itself moves" not in told
    assert (tmp_path / "again.animj").read_bytes() == (tmp_path / "first.animj").read_bytes()


MODELS = {
    "GLTF": (
        "io_scene_gltf2",
        "model.gltf",
        {"export_format": "GLTF_SEPARATE", "export_animations": False, "export_rest_position_armature": False},
    ),
    "FBX": ("io_scene_fbx", "model.fbx", {"apply_scale_options": "FBX_SCALE_UNITS", "bake_anim": False}),
    "FBX_CM": ("io_scene_fbx", "model.fbx", {"bake_anim": False}),
}
JUDGED = {
    *("Hips", "Spine", "Arm.L", "Hand.L", "Looker", "Cube", "Child", "Hat", "Carried", "Eyed", "Handed"),
    *("Lamp", "Cam"),
}
ON_LENSES = {"Shade", "Filter"}
"""Blender's FBX exporter turns lamps and cameras but does not turn back what hangs on them."""


def model_of(axes: str, folder: Path) -> Any:
    """The slots of the model that Blender's own exporter makes of the scene; it is skipped where there is none."""
    module, name, options = MODELS[axes]
    if pytest.importorskip("addon_utils").enable(module) is None:
        pytest.skip(f"this Blender has no {module}")
    files, path = importlib.import_module("model_files"), folder / name
    bpy.context.scene.frame_set(0)
    if axes == "GLTF":
        bpy.ops.export_scene.gltf(filepath=str(path), export_lights=True, export_cameras=True, **options)
        return files.gltf_slots(path)
    bpy.ops.export_scene.fbx(filepath=str(path), **options)
    return files.fbx_slots(path)


@pytest.mark.parametrize("axes", slow_but(["GLTF"], MODELS))
@pytest.mark.parametrize("unit", slow_but([0.25], [1.0, 0.25]))
def test_a_preset_is_what_blender_exports_as_such_a_model(stage: Any, tmp_path: Path, axes: str, unit: float) -> None:
    """Blender's own exporters judge bones, objects on whatever, cameras, lights and what hangs on these."""
    stage.Scene()
    hang_on_lenses(stage)
    bpy.context.scene.unit_settings.scale_length = unit
    stage.select_all()
    send(tmp_path / "scene.animj", axes=axes)
    slots, compared = model_of(axes, tmp_path), set()
    for (name, field), keys in keys_of(tmp_path / "scene.animj").items():
        if field in ("Position", "Rotation", "Scale") and (axes == "GLTF" or name not in ON_LENSES):
            found, expected = np.array(list(keys[0]["value"].values())), slots[name][field]
            expected = -expected if field == "Rotation" and expected @ found < 0 else expected
            assert np.abs(expected - found).max() < 2e-5 * max(1.0, np.abs(expected).max()), (name, field)
            compared.add(name)
    assert compared >= JUDGED | (ON_LENSES if axes == "GLTF" else set())


def hang_on_lenses(stage: Any) -> None:
    """Something that moves on the camera and on the lamp."""
    for name, parent in (("Filter", "Cam"), ("Shade", "Lamp")):
        made = stage.Scene.thing(None, name, parent=bpy.data.objects[parent])
        stage.curve(made, "location", 1, [(0, 0.5, "LINEAR", (-1, 0), (1, 0)), (48, 2, "LINEAR", (-1, 0), (1, 0))])
        stage.curve(
            made, "rotation_euler", 0, [(0, 0.2, "LINEAR", (-1, 0), (1, 0)), (48, 1, "LINEAR", (-1, 0), (1, 0))]
        )


@pytest.mark.parametrize("axes", slow_but(["FBX_CM"], MODELS))
def test_cameras_and_lights_come_back(stage: Any, tmp_path: Path, axes: str) -> None:
    """Onto the objects of the same names, and from there again after an edit."""
    stage.Scene()
    hang_on_lenses(stage)
    bpy.context.scene.unit_settings.scale_length = 0.25
    before = stage.played()
    stage.select_all()
    send(tmp_path / "scene.animj", axes=axes)
    stage.make_still()
    fetch(tmp_path / "scene.animj", axes=axes)
    assert_same(before, stage.played())
    actions = importlib.import_module("bl_ext.user_default.io_anim_curves.scene.actions")
    for owner in ("Cam", "Filter", "Lamp", "Shade"):
        for found in actions.fcurves_of(bpy.data.objects[owner]):
            if found.data_path == "location":
                found.keyframe_points[0].co.y += 0.3
                found.update()
    before = stage.played()
    stage.select_all()
    send(tmp_path / "edited.animj")
    stage.make_still()
    fetch(tmp_path / "edited.animj", axes=axes)
    assert_same(before, stage.played())


@pytest.mark.slow
def test_the_report_names_the_model_that_a_file_fits(stage: Any, tmp_path: Path, extension: ModuleType) -> None:
    """glTF is what is meant where nothing is said, as its exporter's own settings fit."""
    del extension
    stage.Scene()
    stage.select_all()
    for thing in bpy.data.objects:
        thing.select_set(thing.name in ("Cube", "Child", "Lamp", "Cam"))
    for axes, words in (("AUTO", ("glTF", "+Y Up")), ("FBX", ("FBX Units Scale",)), ("FBX_CM", ("All Local",))):
        send(tmp_path / f"{axes}.animj", axes=axes)
        told = bpy.data.texts["Export Report"].as_string()
        assert any(all(word in line for word in words) for line in told.splitlines()), axes
    send(tmp_path / "GLTF.animj", axes="GLTF")
    assert (tmp_path / "GLTF.animj").read_bytes() == (tmp_path / "AUTO.animj").read_bytes()
