"""What an Action remembers of its file, and what survives."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

bpy = pytest.importorskip("bpy")

DATA = bytes(range(256)) * 33


def imported(rooms: SimpleNamespace, data: bytes = DATA) -> Any:
    action = bpy.data.actions.new("Walk")
    action.use_fake_user = True
    placement = rooms.provenance.Placement(rate=29.97, start_frame=1.5, given_name=action.name, clip_name="WALK")
    curves = {
        0: [rooms.fcurves.WrittenCurve('pose.bones["A"].location', index, 4000000000 + index) for index in range(3)]
    }
    rooms.provenance.note_action(action, placement, curves, {0: 4294967295})
    rooms.provenance.note(action, "options", {"scale": 0.5, "engine": "AUTO"})
    keep(rooms, action, data, report="1 warning\n2")
    return action


def keep(rooms: SimpleNamespace, action: Any, data: bytes, report: str = "") -> None:
    with rooms.provenance.Undo() as undo:
        source = rooms.provenance.SourceFile(data, "w3d", "walk.w3d")
        steps = rooms.provenance.keep([[action]], source, undo)
        rooms.provenance.set_report(rooms.provenance.finished(steps), report)
        undo.pop_all()


def check(found: Any, data: bytes = DATA) -> None:
    assert found.placement.rate == 29.97 and found.placement.start_frame == 1.5
    assert (found.placement.given_name, found.placement.clip_name) == ("Walk", "WALK")
    assert (found.format, found.file, found.index) == ("w3d", "walk.w3d", 0)
    assert found.options == {"scale": 0.5, "engine": "AUTO"}
    assert found.data() == data
    assert found.owners == {"0": 4294967295}
    assert len(found.curves) == 3


@pytest.mark.parametrize("size", [0, 1, 7])
def test_sizes_around_a_chunk(rooms: SimpleNamespace, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rooms.provenance, "CHUNK", 3)
    data = b"abcdefgh"[:size]
    texts, others = [rooms.provenance.find(imported(rooms, data)).text for _ in range(2)], [data, data[::-1]]
    with rooms.provenance.Undo() as undo:  # skeletons of as many pivots are as large
        for text, other in zip(texts, others, strict=True):
            rooms.provenance.keep_beside(text, other, "skeleton.w3d", undo)
        undo.pop_all()
    assert [rooms.provenance.data_beside(text) for text in texts] == others
    check(rooms.provenance.find(bpy.data.actions["Walk"]), data)


@pytest.mark.parametrize(
    ("data", "size"), [(DATA[:-1], ""), (DATA[:-1] + b"\x01", ""), (None, ""), (3.5, ""), (DATA, "-5"), (DATA, None)]
)
def test_a_damaged_text_is_noticed(rooms: SimpleNamespace, data: object, size: str | None) -> None:
    text = rooms.provenance.find(action := imported(rooms)).text
    for holder, key, value in ((text, rooms.provenance.DATA_KEY, data), (text[rooms.provenance.KEY], "size", size)):
        if value != "":
            del holder[key]  # bytes put in the place of bytes are cut at their first zero
        if value:
            holder[key] = value
    found = rooms.provenance.find(action)
    assert found.kept and found.data() is None


@pytest.mark.skipif("slots" not in bpy.types.Action.bl_rna.properties, reason="Blender 4.2 knows no slots")
def test_a_copy_of_its_slot_hides_no_edit_of_what_4_2_imported(rooms: SimpleNamespace) -> None:
    """Both are known by the handle 0, under which 4.2 stored the only one there was."""
    action = bpy.data.actions.new("Walk")
    slots = [action.slots.new("OBJECT", name) for name in ("Walker", "Copy")]
    first, _ = (rooms.actions.ensure_bag(action, slot).fcurves.new("location", index=1) for slot in slots)
    for _, curve in rooms.actions.every_curve(action):
        curve.keyframe_points.insert(1.0, 2.0)
    written = rooms.fcurves.WrittenCurve("location", 1, rooms.fcurves.read(first).digest)
    rooms.provenance.note_action(action, rooms.provenance.Placement(24.0, 0.0, "Walk", ""), {0: [written]}, {0: 7})
    assert not rooms.provenance.is_changed(action)
    first.keyframe_points[0].co.y = 3.0
    assert rooms.provenance.is_changed(action)


def test_an_object_moved_by_its_curves_is_the_same_object(rooms: SimpleNamespace) -> None:
    thing = bpy.data.objects.new("Thing", None)
    before = [rooms.provenance.owner_digest(thing)]
    thing.location.x = 5
    assert rooms.provenance.owner_digest(thing) == before[0]
    for name in ("delta_location", "delta_rotation_euler", "delta_rotation_quaternion", "delta_scale"):
        getattr(thing, name)[2] = 5
        before.append(rooms.provenance.owner_digest(thing))
    bpy.ops.object.armature_add()
    thing.parent = bpy.context.object
    before.append(rooms.provenance.owner_digest(thing))
    thing.parent_type, thing.parent_bone = "BONE", "Bone"
    before.append(rooms.provenance.owner_digest(thing))
    thing.parent_type = "OBJECT"  # which leaves the bone's name
    assert rooms.provenance.owner_digest(thing) == before[-2]
    thing.matrix_parent_inverse[0][3] = 5
    assert len({*before, rooms.provenance.owner_digest(thing)}) == 8
