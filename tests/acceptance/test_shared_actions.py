"""An imported Action to which a person adds a slot for something of their own, as Blender 4.4 and later offer it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from scenes.players import animx, mrtk

bpy = pytest.importorskip("bpy")
pytestmark = [
    pytest.mark.usefixtures("extension"),
    pytest.mark.skipif("slots" not in bpy.types.Action.bl_rna.properties, reason="Blender 4.2 knows no slots"),
]

DATA = Path(__file__).resolve().parent.parent / "data"
HAND, WALK = DATA / "mrtk" / "v10_recorder_3s_left_hand.bin", DATA / "animx" / "08_walk.animj"


def bring_in(path: Path) -> Any:
    """Import a file; its armature, alone selected."""
    assert operator(path, "import_anim")(filepath=str(path)) == {"FINISHED"}
    return bpy.context.view_layer.objects.active


def operator(path: Path, group: str) -> Any:
    """The operator for a file's format."""
    return getattr(getattr(bpy.ops, group), "mrtk" if path.suffix == ".bin" else "animx")


def prop_in(action: Any) -> Any:
    """An object of a person's own with a slot of the Action, which moves before and long after what was imported."""
    prop = bpy.data.objects.new("Prop", None)
    bpy.context.scene.collection.objects.link(prop)
    data = prop.animation_data_create()
    data.action, data.action_slot = action, action.slots.new("OBJECT", "Prop")
    for frame, place in ((-50, 0.0), (500, 3.0)):
        prop.location.x = place
        prop.keyframe_insert("location", index=0, frame=frame)
    return prop


@pytest.mark.parametrize("path", [HAND, WALK], ids=lambda path: path.suffix)
def test_what_a_person_adds_to_an_action_is_not_exported_with_the_armature(path: Path, tmp_path: Path) -> None:
    rig = bring_in(path)
    prop_in(rig.animation_data.action)
    target = tmp_path / path.name
    assert operator(path, "export_anim")(filepath=str(target)) == {"FINISHED"}
    assert target.read_bytes() == path.read_bytes()


def test_an_edited_armature_lasts_as_long_as_its_own_slot(tmp_path: Path) -> None:
    rig = bring_in(HAND)
    prop_in(rig.animation_data.action)
    rig.pose.bones["Palm.L"].location.x = 1.0
    rig.pose.bones["Palm.L"].keyframe_insert("location", index=0, frame=30)
    target = tmp_path / "edited.bin"
    assert bpy.ops.export_anim.mrtk(filepath=str(target)) == {"FINISHED"}
    assert mrtk.Player(target.read_bytes()).duration == mrtk.Player(HAND.read_bytes()).duration


def test_export_in_place_writes_all_slots_where_the_format_holds_them(tmp_path: Path) -> None:
    path = Path(shutil.copy(WALK, tmp_path))
    rig = bring_in(path)
    prop_in(rig.animation_data.action)
    assert bpy.ops.anim_curves.export_in_place() == {"FINISHED"}
    player = animx.Player(path.read_bytes())
    assert {"Hips", "Spine", "Head", "Prop"} == set(player.nodes)


def test_export_in_place_of_a_recording_leaves_out_the_other_slot(tmp_path: Path) -> None:
    path = Path(shutil.copy(HAND, tmp_path))
    rig = bring_in(path)
    prop_in(rig.animation_data.action)
    assert bpy.ops.anim_curves.export_in_place() == {"FINISHED"}
    assert path.read_bytes() == HAND.read_bytes()
