"""NLA strips that only move, scale, reverse, cut or repeat Actions: their keys are written, at the strips' times."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from in_blender import add, animate, bags_of, choose, curves_of, in_nla_editor, put_selected_into_one
from scenes.players import animx

bpy = pytest.importorskip("bpy")

KEYED = {1: 0.0, 11: 2.0, 21: -1.0, 41: 0.5}
"""Height by frame."""

ROUND = {**KEYED, 41: 0.0}
RATE = 20


def boxes_action(heights: dict[int, float] = KEYED, name: str = "Box") -> Any:
    """An object's Action with smooth keys of its height, whose object is `Box`."""
    box = bpy.data.objects.get("Box") or add("Box")
    box.animation_data_create().action = None
    animate(box, "location", heights, index=2)
    action = box.animation_data.action
    action.name, box.animation_data.action = name, None
    return action


def strip(action: Any, start: int = 1, track: Any = None, **facts: Any) -> Any:
    """The Action as a strip of the object, on a track of its own if none is given."""
    tracks = bpy.data.objects["Box"].animation_data.nla_tracks
    made = (track or tracks.new()).strips.new(action.name, start, action)
    if hasattr(made, "action_slot"):
        made.action_slot = action.slots[0]
    for name, value in facts.items():
        setattr(made, name, value)
    return made


def moved_beside_another(start: int = 11, **facts: Any) -> None:
    other = add("Other", None)
    animate(other, "location", {1: 1, 41: 41}, index=0)
    strip(boxes_action(), start, **facts)


def in_a_row(gap: int = 0) -> None:
    first = strip(boxes_action(ROUND))
    strip(boxes_action({1: 0.0, 21: 3.0}, "Other"), 41 + gap, bpy.data.objects["Box"].animation_data.nla_tracks[-1])
    assert first.frame_end == 41


def beside_a_muted_one() -> None:
    """And below one whose curve is muted."""
    strip(boxes_action(), scale=2.0)
    strip(boxes_action({1: 9.0}, "Other"), mute=True)
    curves_of(strip(boxes_action({1: 7.0}, "Mute")).action)[0].mute = True


def under_an_action(*frames: int) -> None:
    """Which moves it sideways on some frames, if there are any."""
    strip(boxes_action(), scale=2.0)
    box = bpy.data.objects["Box"]
    box.animation_data.action = bpy.data.actions.new("Over")
    animate(box, "location", {frame: frame for frame in frames}, index=0)


def blended_over(name: str, value: Any) -> None:
    """A second Action over the strip, which moves the same."""
    box = bpy.data.objects["Box"]
    box.animation_data.action = boxes_action({11: 1.0, 31: 2.0}, "Over")
    setattr(box.animation_data, name, value)


def under_the_same() -> None:
    strip(boxes_action(), scale=2.0)
    blended_over("action_blend_type", "REPLACE")


def turned_off() -> None:
    under_an_action(1, 81)
    bpy.data.objects["Box"].animation_data.use_nla = False


def in_meta() -> None:
    in_a_row()
    found = bpy.data.objects["Box"]
    choose(found)
    for each in found.animation_data.nla_tracks[-1].strips:
        each.select = True
    put_selected_into_one()
    assert [each.type for each in found.animation_data.nla_tracks[-1].strips] == ["META"]


def longer_than_its_round() -> None:
    curves_of(strip(boxes_action(ROUND), action_frame_end=61.0).action)[0].modifiers.new("CYCLES")


STRIPS: dict[str, tuple[Callable[[], Any], Sequence[float]]] = {
    "moved beside another": (moved_beside_another, (11, 21, 31, 51)),
    "half speed beside a muted one": (beside_a_muted_one, (1, 21, 41, 81)),
    "repeated, going on": (lambda: strip(boxes_action(ROUND), repeat=2.0), (1, 11, 21, 41, 51, 61, 81)),
    "of a round that goes on": (longer_than_its_round, (1, 11, 21, 41, 51, 61)),
    "in a row": (in_a_row, (1, 11, 21, 41, 61)),
    "under an Action": (lambda: under_an_action(1, 81), (1, 21, 41, 81)),
    "under an Action of no key": (under_an_action, (1, 21, 41, 81)),
    "under an Action of the same": (under_the_same, (11, 31)),
    "turned off": (turned_off, (1, 81)),
    "in a META strip of another": (lambda: (in_meta(), put_selected_into_one()), (1, 11, 21, 41, 61)),
}


@pytest.mark.parametrize("kind", STRIPS)
def test_the_keys_of_strips_are_written_at_their_times(kind: str, tmp_path: Path) -> None:
    make, frames = STRIPS[kind]
    bpy.context.scene.render.fps = RATE
    make()
    seen = heights(np.arange(4, 4 * int(frames[-1])) / 4)
    player = exported(tmp_path)
    track = next(found for found in player.tracks if (found.node, found.field) == ("Box", "Position"))
    first = min(1, int(frames[0]))
    assert track.times == pytest.approx((np.array(frames) - first) / RATE, abs=2e-6)
    for frame, height in seen.items():
        if min(abs(frame - key) for key in frames) > 0.01:  # where it jumps, each engine has its own opinion
            assert player.field("Box", "Position", (frame - first) / RATE)[1] == pytest.approx(height, abs=2e-5)


def test_a_moment_that_a_strip_draws_out_lasts(tmp_path: Path) -> None:
    bpy.context.scene.render.fps = RATE
    assert strip(boxes_action({1: 3.0}), scale=10.0).frame_end == 11
    assert exported(tmp_path).duration == pytest.approx(10 / RATE)


def tweaked(made: Any) -> None:
    data = bpy.data.objects["Box"].animation_data
    data.nla_tracks.active, made.select = data.nla_tracks[-1], True
    data.use_tweak_mode = True


def noisy(made: Any) -> None:
    made.select = True
    in_nla_editor(lambda: bpy.ops.nla.fmodifier_add(type="NOISE", only_active=False))
    made.modifiers[0].scale = 30.0


def group_muted(made: Any) -> None:
    """One of two."""
    (bag,) = bags_of(made.action)
    bag.fcurves[0].group, _ = bag.groups.new("Muted"), bag.groups.new("Other")
    bag.fcurves[0].group.mute = True


def curve_muted(name: str) -> None:
    curves_of(bpy.data.actions[name])[0].mute = True


BLENDED: dict[str, Callable[[Any], Any]] = {
    "noise on itself": noisy,
    "a muted group": group_muted,
    "a muted curve over it": lambda _: (under_the_same(), curve_muted("Over")),
    "a muted group over it": lambda made: (under_the_same(), group_muted(made.id_data.animation_data)),
    "being tweaked": tweaked,
    "an Action within its keys": lambda _: blended_over("action_extrapolation", "NOTHING"),
}


@pytest.mark.parametrize("kind", BLENDED)
def test_a_strip_that_blends_is_sampled_and_plays(kind: str, tmp_path: Path) -> None:
    bpy.context.scene.render.fps = RATE
    strip(boxes_action({1: 0.0, 41: 0.5}))
    BLENDED[kind](strip(boxes_action(), scale=0.5, use_auto_blend=False))
    assert_plays(np.arange(4, 4 * 41) / 4, exported(tmp_path))


@pytest.mark.parametrize("end", [31, 61])
def test_a_strip_whose_end_a_script_has_set_is_sampled_and_plays(end: int, tmp_path: Path) -> None:
    """Blender jumps there to the Action's own last frame."""
    bpy.context.scene.render.fps = RATE
    strip(boxes_action({1: 0.0, 41: 3.0}), frame_end=float(end))
    frames = np.arange(4, 4 * end + 1) / 4
    assert heights(frames[-2:]) == pytest.approx({frames[-2]: (end - 1.25) % 40 * 0.075, end: 3.0}, abs=0.5)
    assert_plays(frames, exported(tmp_path))


def muted_within(meta: Any) -> None:
    """What it alone moves counts for nothing."""
    bags_of(meta.strips[1].action)[0].fcurves.new("scale").keyframe_points.insert(1, 2.0)
    meta.strips[1].mute = True


METAS: dict[str, Callable[[Any], Any]] = {
    "plays nothing outside": lambda meta: setattr(meta, "extrapolation", "NOTHING"),
    "muted within": muted_within,
    "blends within": lambda meta: setattr(meta.strips[1], "blend_type", "ADD"),
    "reversed": lambda meta: setattr(meta, "use_reverse", True),
}


@pytest.mark.parametrize("kind", [*METAS, "gap"])
def test_what_is_below_where_strips_play_nothing_is_sampled_and_plays(kind: str, tmp_path: Path) -> None:
    """A strip that holds its first frame does so only where it is the first of its track."""
    bpy.context.scene.render.fps = RATE
    strip(boxes_action({1: 0.0, 101: 5.0}, "Long")).select = False
    in_a_row(10) if kind == "gap" else in_meta()
    first, *others = bpy.data.objects["Box"].animation_data.nla_tracks[-1].strips
    METAS.get(kind, METAS["plays nothing outside"])(first)
    for other in others:
        other.extrapolation = "HOLD"
    assert_plays(np.setdiff1d(np.arange(4, 404) / 4, [41.0, 51.0, 61.0]), exported(tmp_path))
    assert "Of 1 animated value or" in bpy.data.texts["Export Report"].as_string()


# --- Help -------------------------------------------------------------------------------------------------------------


def heights(frames: Any) -> dict[float, float]:
    """How high Blender shows the object at frames."""
    found = {}
    for frame in frames.tolist():
        bpy.context.scene.frame_set(int(frame), subframe=frame % 1)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        found[frame] = bpy.data.objects["Box"].evaluated_get(depsgraph).matrix_world.translation.z
    return found


def exported(folder: Path) -> animx.Player:
    """What is written of all objects, and measured to play."""
    choose(*bpy.context.scene.objects, active=bpy.data.objects["Box"])
    path = folder / "box.animj"
    assert bpy.ops.export_anim.animx(filepath=str(path), check_playback="OFF") == {"FINISHED"}
    return animx.Player(path.read_bytes())


def assert_plays(frames: Any, player: animx.Player) -> None:
    """The file shows the object as high as Blender does, from frame 1 on."""
    for frame, height in heights(frames).items():
        found = player.field("Box", "Position", (frame - 1) / RATE)[1]
        assert found == pytest.approx(height, abs=1e-3), f"at frame {frame}"
