"""The census that the tests of failures compare sees whatever an import could change."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

bpy = pytest.importorskip("bpy")
from blend_census import census, curves_of, differences  # noqa: E402  needs Blender


def first_key(rig: Any) -> Any:
    return next(curves_of(rig.animation_data.action)).keyframe_points[0]


def strip_of(rig: Any) -> Any:
    return rig.animation_data.nla_tracks[0].strips[0]


def raise_a_key(rig: Any) -> None:
    first_key(rig).co[1] += 1.0


def turn_a_key_into_a_step(rig: Any) -> None:
    first_key(rig).interpolation = "CONSTANT"


def move_a_marker(rig: Any) -> None:
    rig.animation_data.action.pose_markers[0].frame += 1


def write_into_a_text(rig: Any) -> None:
    bpy.data.texts[0].write("more")


def change_kept_bytes(rig: Any) -> None:
    bpy.data.texts[0]["anim_curves_data"] = b"other bytes"


def set_a_preview_range(rig: Any) -> None:
    bpy.context.scene.use_preview_range = True


def hide_in_the_view_layer(rig: Any) -> None:
    rig.hide_set(True)


def exclude_a_collection(rig: Any) -> None:
    bpy.context.view_layer.layer_collection.children["Aside"].exclude = True


def link_into_another_collection(rig: Any) -> None:
    bpy.data.collections["Aside"].objects.link(rig)
    bpy.context.scene.collection.objects.unlink(rig)
    rig.select_set(True)
    bpy.context.view_layer.objects.active = rig


def lengthen_a_strip(rig: Any) -> None:
    strip_of(rig).frame_end += 5.0


def blend_a_strip(rig: Any) -> None:
    strip_of(rig).blend_type = "ADD"


def unlock_a_track(rig: Any) -> None:
    rig.animation_data.nla_tracks[0].lock = not rig.animation_data.nla_tracks[0].lock


def change_a_property_of_a_scene(rig: Any) -> None:
    bpy.context.scene["own"] = 2


def change_a_property_within_an_action(rig: Any) -> None:
    rig.animation_data.action["anim_curves"]["rate"] = 1.0


CHANGES = [
    raise_a_key,
    turn_a_key_into_a_step,
    move_a_marker,
    write_into_a_text,
    change_kept_bytes,
    set_a_preview_range,
    hide_in_the_view_layer,
    exclude_a_collection,
    link_into_another_collection,
    lengthen_a_strip,
    blend_a_strip,
    unlock_a_track,
    change_a_property_of_a_scene,
    change_a_property_within_an_action,
]


@pytest.mark.parametrize("change", CHANGES)
def test_the_census_sees_it(
    make_clip: Callable[..., Any], bring_in: Callable[..., Any], rooms: SimpleNamespace, change: Callable[[Any], None]
) -> None:
    clip = make_clip("WALK", markers=[rooms.clip.Marker(0.1, "here")])
    rig = bring_in(clip, nla="STASH").rig
    bpy.context.scene["own"] = 1
    bpy.context.scene.collection.children.link(bpy.data.collections.new("Aside"))
    bpy.context.view_layer.update()
    before = census()
    assert differences(before, census()) == []
    change(rig)
    assert differences(before, census()) != []
