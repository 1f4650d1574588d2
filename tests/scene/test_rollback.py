"""A failed import leaves the .blend as it was, at whatever step it fails and whatever state Blender is in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy")
from blend_census import census, differences  # noqa: E402  needs Blender
from cases import slow  # noqa: E402
from interrupting import InterruptedTestError, Line, watching  # noqa: E402

Maker = Callable[..., Any]


class BrokenStepError(Exception):
    """What the tests let a step fail with."""


def whole_clip(make_clip: Maker, rooms: SimpleNamespace, name: str = "WALK") -> Any:
    """A clip that uses everything: hiding, attachments, markers, an object and a shape key."""
    clip = rooms.clip
    made = make_clip(name, keys=9, rate=48.0)
    made.nodes[1].shown_by = ("Bone 0", "visibility")
    made.nodes[2].group, made.nodes[3].helper = "Left", True
    made.attachments = [clip.Attachment("CAMERA", "Bone 1"), clip.Attachment("RAY", "Bone 0", "Bone 3")]
    made.markers = [clip.Marker(0.1, "here")]
    made.nodes.append(clip.Node("Prop", kind=clip.NodeKind.OBJECT))
    times, values = np.array([0.0, 0.1]), np.array([[0.0, 2.5]], np.float32)
    linear = np.ones(2, np.uint8)
    made.tracks.append(clip.Track("Prop", "location", times, np.repeat(values, 3, 0), linear, width=3))
    made.tracks.append(clip.Track("Prop", "Smile", times, values, linear, kind=clip.TrackKind.SHAPE_KEY))
    made.tracks.append(clip.Track("Prop", "hide_render", times, values, linear, kind=clip.TrackKind.RNA))
    return made


def a_lived_in_scene(make_clip: Maker, bring_in: Maker) -> Any:
    """Something of everything, so that there is something to harm."""
    first = bring_in(make_clip("WALK"))
    first.rig.pose.bones["Bone 2"].rotation_mode = "XYZ"
    first.rig.pose.bones["Bone 0"]["visibility"] = 7
    first.rig.pose.bones["Bone 1"].location.x = 5
    first.actions[0].use_fake_user = False
    mesh = bpy.data.meshes.new("Prop")
    mesh.from_pydata([(0, 0, 0)], [], [])
    prop = bpy.data.objects.new("Prop", mesh)
    bpy.context.scene.collection.objects.link(prop)
    prop.shape_key_add(name="Basis")
    prop.shape_key_add(name="Smile")
    bpy.context.scene.frame_set(5)
    return first.rig


WAYS = [
    {"nla": "STRIP", "existing": "REPLACE"},
    {"nla": "SEQUENCE", "name_from": "FILE"},
    {"merge": True},
    {"channels": "ROTATION", "root_motion": False},
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("target", ["NEW", "AUTO"])
def test_an_import_can_be_discarded(
    make_clip: Maker, bring_in: Maker, rooms: SimpleNamespace, target: str, way: dict[str, Any]
) -> None:
    a_lived_in_scene(make_clip, bring_in)
    before = census()
    with (
        pytest.raises(BrokenStepError),
        bring_in(whole_clip(make_clip, rooms), commit=False, target=target, rate="FILE", **way),
    ):
        assert census() != before
        raise BrokenStepError
    assert differences(before, census()) == []


@pytest.fixture(scope="module")
def tried() -> set[Line]:
    """The lines at which one of the ways to import was interrupted."""
    return set()


@pytest.mark.parametrize(
    ("target", "way", "every"),
    [
        ("AUTO", {"nla": "STASH", "existing": "REPLACE"}, 5),
        slow(("NEW", {"nla": "STASH", "existing": "REPLACE"}, 1)),
        slow(("AUTO", {"nla": "STASH", "existing": "REPLACE"}, 1)),
        slow(("AUTO", {"merge": True}, 1)),
        slow(("AUTO", {"nla": "SEQUENCE"}, 1)),
    ],
)
def test_a_clip_with_everything_interrupted_at_every_line(
    make_clip: Maker,
    bring_in: Maker,
    rooms: SimpleNamespace,
    tried: set[Line],
    target: str,
    way: dict[str, Any],
    every: int,
) -> None:
    """Or at every so many, where the slow ones try them all, each line with the first way that runs it."""
    a_lived_in_scene(make_clip, bring_in)
    root = Path(rooms.undo.__file__).parents[1]
    lines: dict[Line, None] = {}

    def interrupted(hear: Callable[[Line], None]) -> None:
        with (
            pytest.raises(InterruptedTestError),
            watching(hear, root),
            bring_in(whole_clip(make_clip, rooms), commit=False, target=target, **way),
        ):
            raise InterruptedTestError

    interrupted(lambda line: lines.setdefault(line))
    assert any(file.endswith("visibility.py") for file, _ in lines) and len(lines) > 400
    before = census()
    for wanted in [line for line in lines if line not in tried][::every]:

        def hear(line: Line, wanted: Line = wanted) -> None:
            if line == wanted:
                raise InterruptedTestError

        interrupted(hear)
        assert differences(before, census()) == [], wanted
        tried.add(wanted)


def in_edit_mode(rig: Any) -> None:
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones.new("half done").tail = (0, 1, 0)


def in_pose_mode(rig: Any) -> None:
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="POSE")


def hidden(rig: Any) -> None:
    rig.hide_viewport = True


def hidden_collection(rig: Any) -> None:
    aside = bpy.data.collections.new("Aside")
    bpy.context.scene.collection.children.link(aside)
    layer = bpy.context.view_layer.layer_collection.children["Aside"]
    bpy.context.view_layer.active_layer_collection = layer
    layer.exclude = True


def nothing_active(rig: Any) -> None:
    bpy.context.view_layer.objects.active = None
    rig.select_set(False)


def empty_scene(rig: Any) -> None:
    scene = bpy.data.scenes.new("Empty")
    bpy.context.window.scene = scene


STATES = [in_edit_mode, in_pose_mode, hidden, hidden_collection, nothing_active, empty_scene]
