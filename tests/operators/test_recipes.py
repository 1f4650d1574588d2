"""The recipes of docs/recipes.md and docs/mod_builds.md run as they stand; other readers judge what comes out."""

from __future__ import annotations

import importlib
import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from animj_keys import keys_of
from hand_rigs import FINGERS, MRTK, degrees_between, hand_rig, mixamo, world_turn
from in_blender import add, add_armature, animate
from scenes.players.mrtk import Player as RecordingPlayer
from scenes.players.w3d import Player

from tests.operators.test_export_names import two_actors

pytestmark = pytest.mark.once  # of one Blender as of any
SOURCE = Path(__file__).resolve().parents[2]
RECORDINGS = ("two_hands_mrtk_1.1.bin", "left_hand_mrtk_1.0.bin")
RECORDED = ("v11_recorder_10s_two_hands_mrtk273.bin", "v10_recorder_3s_left_hand.bin")
BLENDER = """#!/bin/sh
exec "{python}" -c '
import os, sys
import bpy, addon_utils
addon_utils.enable("bl_ext.user_default.io_anim_curves")
from bl_ext.user_default.io_anim_curves.operators.command_line import main
assert sys.argv[1:3] == ["--command", "anim_curves"]
code = main(sys.argv[3:])
sys.stdout.flush()
os._exit(code)
' "$@"
"""
CURVES = """#!/bin/sh
PYTHONPATH="{source}" exec "{python}" -m io_formats "$@"
"""


def blocks(page: str, heading: str, language: str) -> list[str]:
    """The code of a section of a page."""
    text = (SOURCE / "docs" / page).read_text(encoding="utf-8")
    section = re.split(r"^## ", text.split(f"\n## {heading}\n")[1], flags=re.MULTILINE)[0]
    return re.findall(rf"^```{language}\n(.*?)^```", section, re.DOTALL | re.MULTILINE)


def run_script(heading: str) -> None:
    """Run the script of a recipe, as Blender's Text Editor does."""
    (script,) = blocks("recipes.md", heading, "python")
    exec(compile(script, heading, "exec"), {"__name__": "__main__"})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the samples, in which the recipes run; its recordings come from the recorder."""
    shutil.copytree(SOURCE / "samples", tmp_path, dirs_exist_ok=True)
    for name, recorded in zip(RECORDINGS, RECORDED, strict=True):
        shutil.copy(SOURCE / "tests" / "data" / "mrtk" / recorded, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PWD", str(tmp_path))  # by which Blender 4.2 finds a .blend without a folder
    return tmp_path


@pytest.fixture
def shell(bpy: Any, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], int]:
    """Runs shell lines in which `blender` is this Blender, in a process of its own; returns their exit code."""
    if os.name == "nt":
        pytest.skip("the pages' shell lines are for sh")
    programs = tmp_path_factory.mktemp("programs")
    for name, text in (("blender", BLENDER), ("anim-curves", CURVES)):
        (programs / name).write_text(text.format(python=sys.executable, source=SOURCE), encoding="utf-8")
        (programs / name).chmod(stat.S_IRWXU)
    search = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    return lambda lines: subprocess.run(["sh", "-c", lines], env=search, check=False).returncode


# --- Recordings --------------------------------------------------------------------------------------------------


class Recorded(RecordingPlayer):
    """Where joints were, by the tests' own player of recordings; Unity's axes turned into Blender's."""

    def place(self, joint: str, seconds: float) -> Any:
        """(3,) of a joint such as Palm.L, in metres."""
        return self.pose(joint, seconds)[0][[0, 2, 1]]


@pytest.fixture
def recorded(folder: Path) -> list[Recorded]:
    """What each of the recordings says."""
    return [Recorded((folder / name).read_bytes()) for name in RECORDINGS]


def read_back(bpy: Any, path: Path) -> Any:
    """The armature that Blender's own importer makes of a file, in a new scene; it plays its only Action."""
    frames = bpy.context.scene.render.fps
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.context.scene.render.fps = frames
    if path.suffix == ".glb":
        bpy.ops.import_scene.gltf(filepath=str(path))
    else:
        bpy.ops.import_scene.fbx(filepath=str(path), anim_offset=0.0)
    return next(thing for thing in bpy.data.objects if thing.type == "ARMATURE")


def head(bpy: Any, rig: Any, bone: str, frame: int) -> Any:
    """(3,) of a bone's head in the world."""
    bpy.context.scene.frame_set(frame)
    return np.array(rig.matrix_world @ rig.pose.bones[bone].head)


def enable_exporters() -> None:
    """Blender's own exporters, which a fresh user has."""
    for name in ("io_scene_gltf2", "io_scene_fbx"):
        if importlib.import_module("addon_utils").enable(name) is None:
            pytest.skip(f"this Blender has no {name}")


@pytest.mark.slow
def test_a_recorded_hand_reaches_gltf_and_fbx(bpy: Any, folder: Path, recorded: list[Recorded]) -> None:
    enable_exporters()
    run_script("A recorded hand for any engine")
    bones = bpy.context.object.pose.bones
    bpy.context.scene.frame_set(bpy.context.scene.frame_start)
    assert not bones["Wrist.L"]["tracked"] and not bones["Wrist.R"]["tracked"], "both come into sight later"
    for name in ("hands.glb", "hands.fbx"):
        rig = read_back(bpy, folder / name)
        assert {"Left Hand", "Right Hand"} <= {thing.name for thing in bpy.data.objects if thing.find_armature() == rig}
        for frame in (30, 72, 200):
            for joint in ("Wrist.L", "ThumbTip.L", "IndexTip.L", "PinkyDistalJoint.R", "MiddleKnuckle.R"):
                away = head(bpy, rig, joint, frame) - recorded[0].place(joint, frame / 30.0)
                assert np.abs(away).max() < 2e-4, (name, joint, frame)


def test_a_hand_coach_loops(bpy: Any, folder: Path, recorded: list[Recorded]) -> None:
    enable_exporters()
    run_script("A hand coach that loops")
    rig = read_back(bpy, folder / "coach.fbx")
    begin, end = (round(frame) for frame in rig.animation_data.action.frame_range)
    assert end - begin == 85
    for joint in ("Wrist.L", "IndexTip.L", "ThumbTip.L"):
        assert np.abs(head(bpy, rig, joint, begin) - head(bpy, rig, joint, end)).max() < 1e-5, joint
        for frame in (10, 40, 80):
            away = head(bpy, rig, joint, begin + frame - 10) - recorded[1].place(joint, frame / 60.0)
            assert np.abs(away).max() < 2e-4, (joint, frame)


@pytest.fixture
def avatar(bpy: Any, folder: Path) -> Path:
    """A .blend with a rig of Mixamo's names, which is selected."""
    rig = hand_rig(bpy, mixamo, 0.4, 0.3)
    rig.select_set(True)
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "avatar.blend"))
    return folder / "avatar.blend"


def assert_fingers_point_as_recorded(bpy: Any, blend: Path, recorded: Recorded) -> None:
    """Each bone of each finger points from joint to joint of the recording."""
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    rig = next(thing for thing in bpy.data.objects if thing.type == "ARMATURE")
    for frame in (24, 96, 200):
        bpy.context.scene.frame_set(frame)
        for finger in FINGERS:
            for number in (1, 2, 3):
                ends = [recorded.place(f"{joint}.L", frame / 24.0) for joint in MRTK[finger][number - 1 : number + 1]]
                found = world_turn(rig, mixamo("L", finger, number))[:, 1]
                assert degrees_between(found, ends[1] - ends[0]) < 0.3, (finger, number, frame)


def test_an_avatar_plays_the_recording(bpy: Any, folder: Path, avatar: Path, recorded: list[Recorded]) -> None:
    run_script("A recording onto a rigged avatar")
    assert_fingers_point_as_recorded(bpy, folder / "avatar_take.blend", recorded[0])


@pytest.mark.slow
def test_the_command_puts_recordings_onto_an_avatar(
    bpy: Any, folder: Path, avatar: Path, shell: Callable[[str], int], recorded: list[Recorded]
) -> None:
    (lines,) = blocks("recipes.md", "A recording onto a rigged avatar", "sh")
    assert shell(lines) == 0
    (blend,) = (folder / "takes").glob("*.blend")
    assert_fingers_point_as_recorded(bpy, blend, recorded[0])


# --- W3D ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def units(data: Path, folder: Path) -> Path:
    """A walk, its soldier, and a hero twice as long, with a pivot more and another rest pose."""
    w3d = importlib.import_module("io_formats.w3d")
    shutil.copy(data / "w3d" / "g02_tc_default.w3d", folder / "walk.w3d")
    shutil.copy(data / "w3d" / "g02_skl.w3d", folder / "soldier.w3d")
    document = w3d.read((folder / "soldier.w3d").read_bytes())
    (skeleton,) = document.hierarchies
    header, pivots, fixups = skeleton.parts
    records = np.concatenate([pivots.records[:1], pivots.records[:1], pivots.records[1:]])
    records["parent"][2:] += records["parent"][2:] > 0
    records["parent"][1] = 0
    records["translation"] *= 2
    records["name"][1] = np.void(b"HAT".ljust(16, b"\0"))
    records["rotation"][3] = (0.0, 0.0, np.sin(0.3), np.cos(0.3))
    parts = [
        replace(header, name=b"HERO".ljust(16, b"\0"), pivot_count=len(records)),
        replace(pivots, records=records),
        replace(fixups, matrices=np.concatenate([fixups.matrices[:1], fixups.matrices])),
    ]
    (folder / "hero.w3d").write_bytes(w3d.write(replace(document, parts=[replace(skeleton, parts=parts)])))
    return folder


def full(rows: Any) -> Any:
    """(pivots, 4, 4) of a golden's rows (pivots, 12)."""
    return np.concatenate([rows.reshape(-1, 3, 4), np.tile([[[0.0, 0, 0, 1]]], (len(rows), 1, 1))], axis=1)


def leaves(worlds: Any, rest: Any, pivot: int, parent: int) -> float:
    """How far a pivot is from where it rests below its parent."""
    places = [np.linalg.solve(each[parent], each[pivot])[:3, 3] for each in (worlds, rest)]
    return float(np.linalg.norm(places[0] - places[1]))


def assert_hero_walks(walk: Path, folder: Path, data: Path) -> None:
    """Each pivot turns away from the hero's rest, in the world, as the golden one does from the soldier's.

    It also leaves its place below its parent by as much.
    """
    golden = np.load(data / "w3d" / "g02_tc_default.npz")
    hero = Player.of((folder / "hero.w3d").read_bytes() + walk.read_bytes())
    rest = Player.of((folder / "hero.w3d").read_bytes()).worlds(0)
    assert (hero.hierarchy, hero.frames, hero.rate) == ("HERO", 24, 30)
    names = [str(name) for name in golden["names"]]
    soldier = {name: int(golden["parents"][number]) for number, name in enumerate(names)}
    soldier_rest = full(golden["base_world"])
    moved = 0.0
    for frame in range(hero.frames):
        worlds = hero.worlds(frame)
        wanted = full(golden["world"][np.flatnonzero(golden["frame"] == frame)[0]])
        for number, name in enumerate(names[1:], 1):
            pivot = hero.names.index(name)
            turn = worlds[pivot][:3, :3] @ rest[pivot][:3, :3].T
            assert np.abs(turn - wanted[number][:3, :3] @ soldier_rest[number][:3, :3].T).max() < 2e-3, (name, frame)
            left = leaves(worlds, rest, pivot, hero.parents[pivot])
            assert abs(left - leaves(wanted, soldier_rest, number, soldier[name])) < 2e-3, (name, frame)
            moved = max(moved, left)
    assert moved > 0.1


def test_a_hero_walks_as_the_soldier(bpy: Any, units: Path, data: Path) -> None:
    run_script("A walk onto another unit")
    assert Player.of((units / "hero_walk.w3d").read_bytes()).name == "HERO_WALK"
    assert_hero_walks(units / "hero_walk.w3d", units, data)


@pytest.mark.slow
def test_commands_make_a_hero_walk(units: Path, data: Path, shell: Callable[[str], int]) -> None:
    (lines,) = blocks("recipes.md", "A walk onto another unit", "sh")
    assert shell(f"set -e\n{lines}") == 0
    assert_hero_walks(units / "hero_walks" / "walk.w3d", units, data)


# --- Resonite ----------------------------------------------------------------------------------------------------

FIGURE = {
    "Hips": (None, (0, 0, 1), (0, 0, 1.2)),
    "Spine": ("Hips", (0, 0, 1.2), (0, 0, 1.6)),
    "Leg.L": ("Hips", (0.1, 0, 1), (0.1, 0, 0.5)),
    "Shin.L": ("Leg.L", (0.1, 0, 0.5), (0.1, 0.05, 0)),
    "Leg.R": ("Hips", (-0.1, 0, 1), (-0.1, 0, 0.5)),
}
POSES = {"Leg.L": 0.5, "Leg.R": -0.5, "Shin.L": -0.3}


@pytest.fixture
def walker(bpy: Any, folder: Path) -> Path:
    """A figure with legs and a mesh that walks two steps in a second, keyed by hand in Euler angles."""
    rig = add_armature("Figure", [(name, *places) for name, places in FIGURE.items()])
    body = add("Body", bpy.data.meshes.new("Body"))
    body.data.from_pydata([(0, 0, 1), (0.1, 0, 0.5), (-0.1, 0, 0.5)], [], [(0, 1, 2)])
    body.parent = rig
    body.modifiers.new("Armature", "ARMATURE").object = rig
    for number, name in enumerate(("Hips", "Leg.L", "Leg.R")):
        body.vertex_groups.new(name=name).add([number], 1.0, "REPLACE")
    for name, angle in POSES.items():
        bone = rig.pose.bones[name]
        bone.rotation_mode = "XYZ"
        animate(bone, "rotation_euler.x", {1: angle, 13: -angle, 25: angle})
    animate(rig.pose.bones["Hips"], "location.z", {1: 0.0, 25: 1.2})
    rig.select_set(True)
    body.select_set(True)
    bpy.context.scene.frame_set(1)
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "walk.blend"))
    return folder


@pytest.mark.parametrize("kind", ["glb", "fbx"])
def test_a_walk_fits_the_model_for_resonite(bpy: Any, walker: Path, kind: str) -> None:
    """Blender's own exporter of that kind of model, posed, writes for each bone what the tracks say for its slot."""
    enable_exporters()
    run_script("A walk to Resonite")
    assert (walker / f"figure.{kind}").is_file()
    tracks = keys_of(walker / f"walk_{kind}.animj")
    judged = set()
    for frame in (1, 13, 25):
        bpy.context.scene.frame_set(frame)
        slots = POSED[kind](bpy, walker)
        for (node, name), keys in tracks.items():
            for key in keys:
                if abs(key["time"] - (frame - 1) / 24.0) < 1e-4:
                    assert_same_value(key["value"], slots[node][name])
                    judged.add((node, name, frame))
    turned = {(bone, "Rotation", frame) for bone in POSES for frame in (1, 13, 25)}
    assert judged >= turned | {("Hips", "Position", 1), ("Hips", "Position", 25)}


def gltf_pose(bpy: Any, folder: Path) -> Any:
    """The slots of a glTF of the scene as it is posed now."""
    bpy.ops.export_scene.gltf(
        filepath=str(folder / "posed.gltf"),
        export_format="GLTF_SEPARATE",
        export_animations=False,
        export_current_frame=True,
        export_rest_position_armature=False,
    )
    return importlib.import_module("model_files").gltf_slots(folder / "posed.gltf")


def fbx_pose(bpy: Any, folder: Path) -> Any:
    """The slots of an FBX of the scene as it is posed now."""
    options = {"apply_scale_options": "FBX_SCALE_UNITS", "bake_anim": False, "add_leaf_bones": False}
    bpy.ops.export_scene.fbx(filepath=str(folder / "posed.fbx"), **options)
    return importlib.import_module("model_files").fbx_slots(folder / "posed.fbx")


POSED = {"glb": gltf_pose, "fbx": fbx_pose}


def assert_same_value(value: dict[str, float], wanted: Any) -> None:
    """A track's value is a slot's; a quaternion may have the other sign."""
    found = np.array(list(value.values()))
    sign = np.sign(found @ wanted) if len(found) == 4 else 1.0
    assert np.abs(found * sign - wanted).max() < 1e-4


def test_the_report_says_what_the_page_says(bpy: Any, walker: Path) -> None:
    page = (SOURCE / "docs" / "recipes.md").read_text(encoding="utf-8").split("## A walk to Resonite")[1]
    quoted = re.findall(r"^\| `(.*?)` \|", page, re.MULTILINE)
    told = ""
    bpy.ops.wm.open_mainfile(filepath=str(walker / "walk.blend"))
    for axes in ("GLTF", "FBX"):
        bpy.ops.export_anim.animx(filepath=f"walk_{axes}.animj", axes=axes)
        told += bpy.data.texts["Export Report"].as_string()
    assert len(quoted) == 3
    assert [line for line in quoted if line in told] == quoted, told


# --- Builds ------------------------------------------------------------------------------------------------------


def build_step(heading: str) -> str:
    """The shell lines of a step of a mod's build."""
    (lines,) = blocks("mod_builds.md", heading, "sh")
    return lines


@pytest.fixture
def animations(data: Path, folder: Path) -> Path:
    """A mod's folder of animations, with a skeleton and meshes alone among them, and endings in both cases."""
    (folder / "animations").mkdir()
    for name in ("g01_raw_trim_vis", "g02_tc_default", "g02_skl", "g09_ad_20b_200f"):
        shutil.copy(data / "w3d" / f"{name}.w3d", folder / "animations")
    for name in ("m06_single.w3d", "m02_skl.w3d", "m02_skin.w3d"):
        shutil.copy(data / "w3d_models" / name, folder / "animations" / name.upper().replace("M0", "m0"))
    return folder / "animations"


def damage(path: Path) -> None:
    """Cut a file in the middle."""
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def test_a_build_checks_what_is_there(animations: Path, shell: Callable[[str], int]) -> None:
    lines = build_step("Check what is there")
    assert shell(lines) == 0
    (animations / "broken.w3d").write_bytes(b"no W3D file")
    assert shell(lines) == 1


@pytest.mark.slow
def test_a_build_compares_what_went_through_blender(animations: Path, shell: Callable[[str], int]) -> None:
    lines = build_step("The same binary through Blender")
    assert shell(lines) == 0
    for path in animations.iterdir():
        assert (animations.parent / "build" / "again" / path.name).read_bytes() == path.read_bytes(), path.name
    assert shell(lines) == 1, "the files of the last build stay, without --overwrite"


@pytest.mark.slow
def test_a_build_writes_animations_of_blends(bpy: Any, folder: Path, units: Path, shell: Callable[[str], int]) -> None:
    (units / "art").mkdir()
    bpy.ops.import_anim.w3d(filepath="hero.w3d")
    bpy.ops.import_anim.w3d(filepath="walk.w3d", target="SELECTED", skeleton="soldier.w3d")
    bpy.context.object.animation_data.action.name = "WALK"
    bpy.ops.wm.save_as_mainfile(filepath=str(units / "art" / "hero.blend"))
    lines = build_step("Animations from .blend files")
    assert shell(lines) == 0
    first = (units / "build" / "game" / "WALK.w3d").read_bytes()
    assert shell(lines) == 0
    assert (units / "build" / "game" / "WALK.w3d").read_bytes() == first
    damage(units / "art" / "hero.blend")
    assert shell(lines) == 1


@pytest.mark.slow
def test_a_build_tells_the_characters_of_one_blend_apart(bpy: Any, folder: Path, shell: Callable[[str], int]) -> None:
    two_actors(bpy)
    (folder / "crowd").mkdir()
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "crowd" / "cast.blend"))
    assert shell(build_step("Several characters in one .blend")) == 0
    wanted = [f"cast {rig}_{motion}_{rig}.animj" for rig in ("Hero", "Villain") for motion in ("Walk", "Run")]
    assert sorted(path.name for path in (folder / "build" / "crowd").iterdir()) == sorted(wanted)


def test_a_library_of_a_folder_as_the_page_says(data: Path, folder: Path, shell: Callable[[str], int]) -> None:
    (folder / "takes").mkdir()
    for name in ("g01_raw_trim_vis", "g02_tc_default"):
        shutil.copy(data / "w3d" / f"{name}.w3d", folder / "takes")
    (lines,) = blocks("importing.md", "Assets", "sh")
    assert shell(lines) == 0
    assert (folder / "library" / "moves.blend").is_file() and (folder / "library" / "blender_assets.cats.txt").is_file()
