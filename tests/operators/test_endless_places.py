"""What stands nowhere, or has no size, is refused at export by its name, never by a mathematical term."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import cases
import pytest
from in_blender import add, add_armature, animate
from scenes.players import animx

FILES = {"mrtk": cases.FILES["mrtk"], "w3d": cases.WHOLE_W3D, "animx": cases.FILES["animx"]}
REFUSED = "the location, scale or rest pose of {name} is zero, infinite or not a number"


@pytest.mark.parametrize("place", ["location", "scale"])
@pytest.mark.parametrize("sampling", ["KEYS", "BAKE"])
@pytest.mark.parametrize("name", FILES)
def test_an_armature_that_stands_nowhere(
    bpy: Any, data: Path, tmp_path: Path, name: str, sampling: str, place: str
) -> None:
    """Blender itself makes the largest finite number of an infinite one, and lets NaN stand."""
    getattr(bpy.ops.import_anim, name)(filepath=str(data / FILES[name]))
    rig = bpy.context.view_layer.objects.active
    getattr(rig, place)[0] = float("nan")
    with pytest.raises(RuntimeError, match=REFUSED.format(name=rig.name)):
        getattr(bpy.ops.export_anim, name)(filepath=str(tmp_path / Path(FILES[name]).name), sampling=sampling)
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def endless_rig(bpy: Any, part: Callable[[str], Any]) -> Any:
    """Bones so far away that single precision has no number for their rest; MRTK takes the first for a joint."""
    far = (3e38, 3e38, -3e38), (3e38, 3e38, 3e38)
    rig = add_armature("Rig", [("IndexTip.L", None, *far), ("ThumbTip.L", "IndexTip.L", *far)])
    rig.pose.bones[0].keyframe_insert("location", frame=1)
    return rig


@pytest.mark.parametrize("name", FILES)
def test_bones_whose_rest_has_no_number(bpy: Any, endless_rig: Any, tmp_path: Path, name: str) -> None:
    bones = [bone.name for bone in endless_rig.data.bones]
    assert bones
    with pytest.raises(RuntimeError, match=REFUSED.format(name=f"({'|'.join(bones)})")):
        getattr(bpy.ops.export_anim, name)(filepath=str(tmp_path / Path(FILES[name]).name))
    assert list(tmp_path.iterdir()) == []


def moving(bpy: Any, name: str) -> Any:
    """A selected empty that goes two metres aside."""
    thing = add(name, None)
    animate(thing, "location", {1: 0.0, 20: 2.0}, index=0)
    thing.select_set(True)
    return thing


def test_an_armature_without_size_is_named_where_others_are_told_beside_it(bpy: Any, tmp_path: Path) -> None:
    """Made as large as nothing along one axis, as a slip of the mouse does: nothing can be told in its space."""
    bpy.ops.object.armature_add()
    rig = bpy.context.object
    rig.pose.bones[0].keyframe_insert("location", frame=1)
    rig.scale = (0.0, 1.0, 1.0)
    moving(bpy, "Beside")
    with pytest.raises(RuntimeError, match=REFUSED.format(name=rig.name)):
        bpy.ops.export_anim.animx(filepath=str(tmp_path / "flat.animx"))
    assert list(tmp_path.iterdir()) == []


def test_what_hangs_on_a_bone_of_a_flat_armature_is_written(bpy: Any, tmp_path: Path) -> None:
    """All is told in the space of bones, so that what carries these needs no inverse."""
    bpy.ops.object.armature_add()
    rig, thing = bpy.context.object, moving(bpy, "Held")
    rig.pose.bones[0].keyframe_insert("location", frame=1)
    rig.scale = (0.0, 1.0, 1.0)
    thing.parent, thing.parent_type, thing.parent_bone = rig, "BONE", rig.pose.bones[0].name
    bpy.ops.export_anim.animx(filepath=str(tmp_path / "flat.animx"))
    assert [track.node for track in animx.Player((tmp_path / "flat.animx").read_bytes()).tracks] == ["Held"]


def test_an_object_without_size_on_a_corner_of_a_mesh_is_named(bpy: Any, tmp_path: Path) -> None:
    bpy.ops.mesh.primitive_plane_add()
    plane = bpy.context.object
    thing = moving(bpy, "Pin")
    thing.parent, thing.parent_type, thing.parent_vertices = plane, "VERTEX", (0, 0, 0)
    thing.scale = (1.0, 0.0, 1.0)
    plane.select_set(False)
    with pytest.raises(RuntimeError, match=REFUSED.format(name="Pin")):
        bpy.ops.export_anim.animx(filepath=str(tmp_path / "pin.animx"))
    assert list(tmp_path.iterdir()) == []
