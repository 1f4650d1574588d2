"""What an Action remembers of its file, and what survives."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from in_blender import editing, reopen

bpy = pytest.importorskip("bpy")

DATA = bytes(range(256)) * 33


@pytest.fixture
def provenance(extension: ModuleType) -> Any:
    return importlib.import_module(f"{extension.__name__}.scene.provenance")


@pytest.fixture
def fcurves(extension: ModuleType) -> Any:
    return importlib.import_module(f"{extension.__name__}.scene.fcurves")


def imported(provenance: Any, fcurves: Any, data: bytes = DATA) -> Any:
    action = bpy.data.actions.new("Walk")
    action.use_fake_user = True
    placement = provenance.Placement(rate=29.97, start_frame=1.5, given_name=action.name, clip_name="WALK")
    curves = {0: [fcurves.WrittenCurve('pose.bones["A"].location', index, 4000000000 + index) for index in range(3)]}
    provenance.note_action(action, placement, curves, {0: 4294967295})
    provenance.note(action, "options", {"scale": 0.5, "engine": "AUTO"})
    keep(provenance, action, data, report="1 warning\n2")
    return action


def keep(provenance: Any, action: Any, data: bytes, report: str = "") -> None:
    with provenance.Undo() as undo:
        source = provenance.SourceFile(data, "w3d", "walk.w3d")
        steps = provenance.keep([[action]], source, undo)
        provenance.set_report(provenance.finished(steps), report)
        undo.pop_all()


def check(found: Any, data: bytes = DATA) -> None:
    assert found.placement.rate == 29.97 and found.placement.start_frame == 1.5
    assert (found.placement.given_name, found.placement.clip_name) == ("Walk", "WALK")
    assert (found.format, found.file, found.index) == ("w3d", "walk.w3d", 0)
    assert found.options == {"scale": 0.5, "engine": "AUTO"}
    assert found.data() == data
    assert found.owners == {"0": 4294967295}
    assert len(found.curves) == 3


def test_it_survives_a_copy_and_saving(provenance: Any, fcurves: Any, tmp_path: Path) -> None:
    action = imported(provenance, fcurves)
    copy = action.copy()
    copy.use_fake_user = True
    check(provenance.find(copy))
    found = provenance.find(action)
    found.text.name = "renamed"
    path = str(tmp_path / "saved.blend")
    reopen(path)
    assert len(bpy.data.texts) == 1
    for name in ("Walk", "Walk.001"):
        check(provenance.find(bpy.data.actions[name]))
    bpy.data.texts.remove(bpy.data.texts[0])
    found = provenance.find(bpy.data.actions["Walk"])
    assert found.kept and found.data() is None, "that costs the bytes only"


@pytest.mark.parametrize("size", [0, 1, 7])
def test_sizes_around_a_chunk(provenance: Any, fcurves: Any, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provenance, "CHUNK", 3)
    data = b"abcdefgh"[:size]
    texts, others = [provenance.find(imported(provenance, fcurves, data)).text for _ in range(2)], [data, data[::-1]]
    with provenance.Undo() as undo:  # skeletons of as many pivots are as large
        for text, other in zip(texts, others, strict=True):
            provenance.keep_beside(text, other, "skeleton.w3d", undo)
        undo.pop_all()
    assert [provenance.data_beside(text) for text in texts] == others
    check(provenance.find(bpy.data.actions["Walk"]), data)


@pytest.mark.parametrize("harm", ["cut", "changed", "removed", "wrong type", "negative size", "no size"])
def test_a_damaged_text_is_noticed(provenance: Any, fcurves: Any, harm: str) -> None:
    action = imported(provenance, fcurves)
    text = provenance.find(action).text
    if harm == "cut":
        text[provenance.DATA_KEY] = DATA[:-1]
    elif harm == "changed":
        del text[provenance.DATA_KEY]  # bytes put in the place of bytes are cut at their first zero
        text[provenance.DATA_KEY] = DATA[:-1] + b"\x01"
        assert len(text[provenance.DATA_KEY]) == len(DATA)
    elif harm == "removed":
        del text[provenance.DATA_KEY]
    elif harm == "wrong type":
        text[provenance.DATA_KEY] = 3.5
    elif harm == "negative size":
        text[provenance.KEY]["size"] = "-5"
    else:
        del text[provenance.KEY]["size"]
    found = provenance.find(action)
    assert found.kept and found.data() is None


def test_what_4_2_wrote_without_slots_is_known_with_them(provenance: Any, fcurves: Any) -> None:
    action = imported(provenance, fcurves)
    del action[provenance.KEY]["rests"], action[provenance.KEY]["rebased"]  # earlier ones did not know these
    found = provenance.find(action)
    assert not found.placement.rests and not found.placement.rebased
    assert found.known_handle(938474) == 0
    assert found.owners[str(found.known_handle(938474))] == 4294967295


@pytest.mark.skipif("slots" not in bpy.types.Action.bl_rna.properties, reason="Blender 4.2 knows no slots")
def test_a_copy_of_its_slot_hides_no_edit_of_what_4_2_imported(
    provenance: Any, fcurves: Any, extension: ModuleType
) -> None:
    """Both are known by the handle 0, under which 4.2 stored the only one there was."""
    actions = importlib.import_module(f"{extension.__name__}.scene.actions")
    action = bpy.data.actions.new("Walk")
    slots = [action.slots.new("OBJECT", name) for name in ("Walker", "Copy")]
    first, _ = (actions.ensure_bag(action, slot).fcurves.new("location", index=1) for slot in slots)
    for _, curve in actions.every_curve(action):
        curve.keyframe_points.insert(1.0, 2.0)
    written = fcurves.WrittenCurve("location", 1, fcurves.read(first).digest)
    provenance.note_action(action, provenance.Placement(24.0, 0.0, "Walk", ""), {0: [written]}, {0: 7})
    assert not provenance.is_changed(action)
    first.keyframe_points[0].co.y = 3.0
    assert provenance.is_changed(action)


def test_an_object_moved_by_its_curves_is_the_same_object(provenance: Any) -> None:
    thing = bpy.data.objects.new("Thing", None)
    before = [provenance.owner_digest(thing)]
    thing.location.x = 5
    assert provenance.owner_digest(thing) == before[0]
    for name in ("delta_location", "delta_rotation_euler", "delta_rotation_quaternion", "delta_scale"):
        getattr(thing, name)[2] = 5
        before.append(provenance.owner_digest(thing))
    bpy.ops.object.armature_add()
    thing.parent = bpy.context.object
    before.append(provenance.owner_digest(thing))
    thing.parent_type, thing.parent_bone = "BONE", "Bone"
    before.append(provenance.owner_digest(thing))
    thing.parent_type = "OBJECT"  # which leaves the bone's name
    assert provenance.owner_digest(thing) == before[-2]
    thing.matrix_parent_inverse[0][3] = 5
    assert len({*before, provenance.owner_digest(thing)}) == 8


def test_rest_pose_and_transform_are_part_of_the_digest(provenance: Any) -> None:
    bpy.ops.object.armature_add()
    rig = bpy.context.object
    before = provenance.owner_digest(rig)
    assert provenance.owner_digest(rig) == before
    rig.location.x += 1
    moved = provenance.owner_digest(rig)
    rig.pose.bones[0].rotation_mode = "XYZ"
    euler = provenance.owner_digest(rig)
    with editing(rig) as bones:
        bones[0].head.x += 0.1
    assert len({before, moved, euler, provenance.owner_digest(rig)}) == 4
