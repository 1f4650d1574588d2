"""The benchmark's floors write the very same properties as our imports: all that a key and a curve has, field by field.

A floor that wrote less would make an import look slow, one that wrote more would make it look fast.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from by_path import load
from in_blender import add, bag_of, curves_of

bpy = pytest.importorskip("bpy")

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"
FRAMES = 12
OWN_LINKS = {"rna_type", "group", "modifiers", "keyframe_points", "sampled_points", "driver"}
HANDLES = {"handle_left", "handle_right"}


@pytest.fixture
def animation() -> Any:
    module = load(BENCHMARKS / "scene.py", "floor_scene")
    module.BONES = 3
    return module


def fields(thing: Any, without: set[str]) -> dict[str, Any]:
    """Every property of a key or a curve as plain values."""
    names = [prop.identifier for prop in thing.bl_rna.properties if prop.identifier not in without]
    return {name: plain(getattr(thing, name)) for name in names}


def plain(value: Any) -> Any:
    return value if isinstance(value, (str, int, float, bool)) else tuple(value)


def points_of(curve: Any) -> np.ndarray:
    points = np.empty((len(curve.keyframe_points), 2), np.float32)
    curve.keyframe_points.foreach_get("co", points.ravel())
    return points


def assert_same_properties(
    animation: Any, write: Callable[[Any, np.ndarray], None], without: frozenset[str] = frozenset()
) -> None:
    """What was imported, written again by a floor with the same points, is the same in every field not in `without`."""
    (owner,) = (thing for thing in bpy.data.objects if thing.type == "ARMATURE")
    imported = curves_of(owner.animation_data.action)
    keyed = [curve for curve in imported if len(curve.keyframe_points) > 1]
    assert len(keyed) >= 7
    bag = bag_of(add("Floor"))
    for curve in keyed:
        group = bag.groups.get(curve.group.name) or bag.groups.new(curve.group.name)
        made = bag.fcurves.new(curve.data_path, index=curve.array_index)
        made.group, made.color_mode = group, animation.colour_of(curve.data_path.rpartition(".")[2])
        made.keyframe_points.add(len(curve.keyframe_points))
        write(made.keyframe_points, points_of(curve))
        assert fields(made, OWN_LINKS) == fields(curve, OWN_LINKS)
        assert (made.group.name, len(made.modifiers)) == (curve.group.name, len(curve.modifiers))
        for floor_key, key in zip(made.keyframe_points, curve.keyframe_points, strict=True):
            assert fields(floor_key, {"rna_type", *without}) == fields(key, {"rna_type", *without})


@pytest.mark.parametrize("ending", [".w3d", ".animx"])
def test_the_linear_floor_writes_what_our_imports_write(
    extension: ModuleType, animation: Any, tmp_path: Path, ending: str
) -> None:
    animation.build(FRAMES)
    path = tmp_path / f"motion{ending}"
    animation.OUR_EXPORTS[ending](filepath=str(path))
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    options = {"rest_keys": False} if ending == ".w3d" else {}
    assert getattr(bpy.ops.import_anim, ending[1:])(filepath=str(path), **options) == {"FINISHED"}
    assert animation.count_keys() == FRAMES * 7 * animation.BONES
    assert_same_properties(animation, animation.write_linear)


@pytest.mark.parametrize(("full", "floor"), [(True, "write_with_handles"), (False, "write_linear")])
def test_the_floors_of_recordings_write_what_our_imports_write(
    extension: ModuleType, animation: Any, tmp_path: Path, full: bool, floor: str
) -> None:
    """A handle's place is the file's, hence another than the floor's; that it was written is told by its type."""
    recordings = load(BENCHMARKS / "recordings.py", "floor_recordings")
    path = recordings.write_recording(tmp_path / "hands.bin", FRAMES / 60.0, full=full, joints=range(1, 3))
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    assert bpy.ops.import_anim.mrtk(filepath=str(path)) == {"FINISHED"}
    assert_same_properties(animation, getattr(animation, floor), frozenset(HANDLES) if full else frozenset())
