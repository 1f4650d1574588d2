"""The census that the tests of failures compare sees whatever an import could change."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

bpy = pytest.importorskip("bpy")
from blend_census import census, curves_of, differences  # noqa: E402  needs Blender

CHANGES = (
    "key.co[1] += 1.0",
    "key.interpolation = 'CONSTANT'",
    "data.action.pose_markers[0].frame += 1",
    "bpy.data.texts[0].write('more')",
    "bpy.data.texts[0]['anim_curves_data'] = b'other bytes'",
    "scene.use_preview_range = True",
    "rig.hide_set(True)",
    "layer.layer_collection.children['Aside'].exclude = True",
    "aside.objects.link(rig); scene.collection.objects.unlink(rig); rig.select_set(True); layer.objects.active = rig",
    "track.strips[0].frame_end += 5.0",
    "track.strips[0].blend_type = 'ADD'",
    "track.lock = not track.lock",
    "scene['own'] = 2",
    "data.action['anim_curves']['rate'] = 1.0",
)


@pytest.mark.parametrize("change", CHANGES)
def test_the_census_sees_it(
    make_clip: Callable[..., Any], bring_in: Callable[..., Any], rooms: SimpleNamespace, change: str
) -> None:
    clip = make_clip("WALK", markers=[rooms.clip.Marker(0.1, "here")])
    rig = bring_in(clip, nla="STASH").rig
    data, scene, layer = rig.animation_data, bpy.context.scene, bpy.context.view_layer
    scene["own"], aside = 1, bpy.data.collections.new("Aside")
    scene.collection.children.link(aside)
    layer.update()
    before, key = census(), curves_of(data.action)[0].keyframe_points[0]
    assert differences(before, census()) == []
    exec(change, {"bpy": bpy, "key": key, "track": data.nla_tracks[0], **locals()})
    assert differences(before, census()) != []
