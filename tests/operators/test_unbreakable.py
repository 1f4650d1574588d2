"""Through the operators, whatever state Blender is in: all of an import, or nothing of it; exports to odd names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from in_blender import push_down

pytest.importorskip("bpy")
from blend_census import census, curve_facts, curves_of, differences
from cases import slow_but

Part = Callable[[str], Any]
FILES = {
    "w3d": "w3d/h04_multi_unknown.w3d",
    "w3d skeleton beside": "w3d/g02_tc_default.w3d",
    "animx": "animx/16_properties_vt.animx",
    "mrtk": "mrtk/v11_flags/v11_cam1_hand1_gaze1.bin",
}
"""Their own skeleton comes with them, so that Automatic makes an armature."""


def bring_in(bpy: Any, name: str, path: Path, **options: Any) -> set[str]:
    """Import one file."""
    result: set[str] = getattr(bpy.ops.import_anim, name.split()[0])(filepath=str(path), **options)
    return result


def own_rig(bpy: Any, name: str, path: Path) -> Any:
    """The armature that an import of the file makes; a plain one where it makes none."""
    bring_in(bpy, name, path)
    rigs = [thing for thing in bpy.context.view_layer.objects if thing.type == "ARMATURE"]
    bpy.context.view_layer.objects.active = rigs[0]
    return rigs[0]


def in_edit_mode(bpy: Any, rig: Any, folder: Path) -> None:
    bpy.ops.object.mode_set(mode="EDIT")


def in_pose_mode(bpy: Any, rig: Any, folder: Path) -> None:
    bpy.ops.object.mode_set(mode="POSE")


def hidden(bpy: Any, rig: Any, folder: Path) -> None:
    rig.hide_viewport = True


def hidden_in_the_view_layer(bpy: Any, rig: Any, folder: Path) -> None:
    rig.hide_set(True)


def linked(bpy: Any, rig: Any, folder: Path) -> None:
    name = rig.name
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "library.blend"))
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(str(folder / "library.blend"), link=True) as (_, wanted):
        wanted.objects = [name]
    bpy.context.scene.collection.objects.link(wanted.objects[0])
    bpy.context.view_layer.objects.active = wanted.objects[0]
    bpy.context.view_layer.update()


def overridden(bpy: Any, rig: Any, folder: Path) -> None:
    linked(bpy, rig, folder)
    bpy.context.view_layer.objects.active = bpy.context.object.override_create(remap_local_usages=True)
    bpy.context.view_layer.update()


def scene_without_an_object(bpy: Any, rig: Any, folder: Path) -> None:
    bpy.context.window.scene = bpy.data.scenes.new("Empty")


def playing_back(bpy: Any, rig: Any, folder: Path) -> None:
    bpy.ops.screen.animation_play()
    assert bpy.context.screen.is_animation_playing


def armatures_of(bpy: Any) -> dict[Any, Any]:
    """Every armature object, with the Action that it plays."""
    rigs = [thing for thing in bpy.data.objects if thing.type == "ARMATURE"]
    return {rig: rig.animation_data.action if rig.animation_data else None for rig in rigs}


def every_curve(actions: Iterable[Any]) -> list[Any]:
    """What all curves of these Actions are, whatever the Actions are called."""
    return sorted(curve_facts(curve) for action in actions for curve in curves_of(action))


STATES = (in_edit_mode, in_pose_mode, hidden, hidden_in_the_view_layer, linked, overridden)
STATES += (scene_without_an_object, playing_back)


@pytest.mark.parametrize("target", ["AUTO", "SELECTED"])
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("name", slow_but(["w3d", "animx"], FILES))
def test_import_in_any_state_works_or_says_why_not(
    bpy: Any, data: Path, tmp_path: Path, name: str, state: Callable[..., None], target: str
) -> None:
    path = data / FILES[name]
    rig = own_rig(bpy, name, path)
    wanted, rate = every_curve(bpy.data.actions), bpy.context.scene.render.fps
    state(bpy, rig, tmp_path)
    bpy.context.scene.render.fps = rate
    before, known, old = census(), armatures_of(bpy), set(bpy.data.actions)
    mode, active = bpy.context.mode, bpy.context.view_layer.objects.active
    expected = {linked: "library override", scene_without_an_object: "armature"}.get(state)
    if target == "SELECTED" and expected is not None:
        with pytest.raises(RuntimeError, match=expected) as caught:
            bring_in(bpy, name, path, target=target)
        assert len(str(caught.value).strip().splitlines()) == 1
        assert differences(before, census()) == []
        return
    assert bring_in(bpy, name, path, target=target) == {"FINISHED"}
    new, made = set(bpy.data.actions) - old, armatures_of(bpy).keys() - known.keys()
    playing = {thing for thing, action in armatures_of(bpy).items() if action in new}
    assert every_curve(new) == wanted
    if target == "SELECTED" or state not in (linked, scene_without_an_object):
        assert playing == {active} and not made
    else:
        assert playing == made and len(made) == 1
        assert {thing: action for thing, action in armatures_of(bpy).items() if thing in known} == known
    assert bpy.context.mode == mode and (mode == "OBJECT" or bpy.context.view_layer.objects.active == active)
    assert bpy.context.screen.is_animation_playing == (state is playing_back)


def tweaked(bpy: Any, rig: Any, folder: Path) -> None:
    """The last of what plays; what an import made of several objects plays on."""
    thing = [thing for thing in bpy.data.objects if thing.animation_data and thing.animation_data.action][-1]
    push_down(thing).select = True
    thing.animation_data.use_tweak_mode = True


def linked_scene(bpy: Any, rig: Any, folder: Path) -> None:
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "library.blend"), copy=True)
    with bpy.data.libraries.load(str(folder / "library.blend"), link=True) as (_, wanted):
        wanted.scenes = [bpy.context.scene.name]
    bpy.context.window.scene = wanted.scenes[0]


@pytest.mark.parametrize(
    ("kind", "state", "said"),
    [("BONE", tweaked, "tweak mode"), ("OBJECT", tweaked, "tweak mode"), ("BONE", linked_scene, "no view layer")],
)
def test_where_nothing_can_be_changed_nothing_is(
    bpy: Any, data: Path, tmp_path: Path, kind: str, state: Callable[..., None], said: str
) -> None:
    path = data / "animx" / "08_walk.animj"
    bring_in(bpy, "animx", path, node_kind=kind)
    state(bpy, None, tmp_path)
    bpy.context.view_layer.update()
    before = census()
    with pytest.raises(RuntimeError, match=said):
        bring_in(bpy, "animx", path, node_kind=kind, target="AUTO" if kind == "BONE" else "BY_NAME")
    assert differences(before, census()) == []


# --- Exports ----------------------------------------------------------------------------------------------------

OUT = {"mrtk": "out.bin", "w3d": "out.w3d", "animx": "out.animx", "animx json": "out.animj"}


@pytest.mark.parametrize("name", OUT)
def test_an_export_to_names_in_any_script_and_to_that_of_a_folder(
    bpy: Any, data: Path, tmp_path: Path, name: str
) -> None:
    """The file replaces an old one; the folder stays, and one sentence says why."""
    own_rig(bpy, name, data / FILES[name.split()[0]])
    export = getattr(bpy.ops.export_anim, name.split()[0])
    out = tmp_path / "Ordner mit Größe ✋" / f"Aufnahme-手-{OUT[name]}"
    (folder := out.with_stem("taken")).mkdir(parents=True)
    out.write_bytes(b"the old file")
    assert export(filepath=str(out)) == {"FINISHED"}
    written = out.read_bytes()
    assert len(written) > len(b"the old file")
    with pytest.raises(RuntimeError, match=rf"^Error: .*{folder.name}.*folder") as caught:
        export(filepath=str(folder))
    assert len(str(caught.value).strip().splitlines()) == 1
    assert sorted(out.parent.iterdir()) == sorted([out, folder]) and out.read_bytes() == written
    assert not list(folder.iterdir())
