"""The players against golden files, and every kept recipe once more."""

from __future__ import annotations

import importlib
import json
from dataclasses import fields
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from io_formats import FORMATS as KNOWN
from scenes import loop
from scenes.draw import FORMATS, draw
from scenes.players import animx, mrtk, w3d, w3x

DATA = Path(__file__).resolve().parents[1] / "data"
KEPT = sorted((DATA / "scenes").glob("*.json"))


@pytest.mark.parametrize("name", ["g01_raw_trim_vis", "g03_tc_binmove", "g04_ad_17f", "g06_raw_flip"])
def test_the_w3d_player_plays_what_the_engine_decoded(name: str) -> None:
    """World matrices of the engine's own decoder, beside the golden files."""
    player = w3d.Player.of((DATA / "w3d" / f"{name}.w3d").read_bytes())
    with np.load(DATA / "w3d" / f"{name}.npz") as wanted:
        for frame, worlds in zip(wanted["frame"], wanted["world"], strict=True):
            if frame == int(frame) and frame < player.frames:
                found = np.array(player.worlds(int(frame)))[:, :3]
                # the engine leaves quaternions as long as they are, up to 1.4 % in adaptive delta
                assert np.abs(found - worlds.reshape(-1, 3, 4)).max() < (0.5 if "_ad_" in name else 2e-4)


def test_the_w3x_player_plays_whole_frames_and_those_between() -> None:
    """World matrices and hidden pivots of the golden files, which were made apart from it."""
    player = w3x.Player.of((DATA / "w3x" / "g02.w3x").read_bytes())
    with np.load(DATA / "w3x" / "g02.npz") as wanted:
        frames = wanted["frame"][wanted["frame"] <= player.frames - 1]
        for frame, worlds, hidden in zip(frames, wanted["world"], wanted["hidden"], strict=False):
            found = np.array(player.worlds(float(frame)))[:, :3]
            assert np.abs(found - worlds.reshape(-1, 3, 4)).max() < 1e-5
            if frame == int(frame):
                assert all(bits[int(frame)] != hidden[pivot] for pivot, bits in player.shown.items())
    assert len(frames) > 70 and player.shown


def test_the_mrtk_player_plays_what_unity_evaluates() -> None:
    """61 reference evaluations of each curve, beside the golden file, also before its first key and after its last."""
    golden = json.loads((DATA / "mrtk" / "v10_curve_shapes.json").read_text(encoding="utf-8"))
    places, compared = (golden["jointsLeft"]["Palm"][f"Position{axis}"] for axis in "XYZ"), 0
    for curve in (*golden["camera"].values(), *places):
        keys = [[*map(float, key[:6]), int(key[6])] for key in curve["keys"]]
        for seconds, value in curve["eval"]:
            found = mrtk.value_at({**curve, "keys": keys}, seconds)
            assert found == pytest.approx(float(value), rel=1e-5, abs=1e-5)
            compared += 1
    assert compared == 10 * 61


@pytest.mark.parametrize("name", FORMATS)
def test_a_seed_draws_the_same_scene(name: str) -> None:
    assert [draw(name, 3, number) for number in range(20)] == [draw(name, 3, number) for number in range(20)]
    json.dumps(draw(name, 3, 0))


@pytest.mark.parametrize("name", FORMATS)
def test_every_option_of_an_import_is_drawn_or_said_why_not(name: str) -> None:
    options = {each.name for each in fields({each.name: each for each in KNOWN}[name].import_options) if each.metadata}
    elsewhere = {"target", "name_table", "merge", "existing", "forward", "up"}  # follow from what else is drawn
    drawn = {option for number in range(1000) for option in loop.draw(name, Random(number))["options"]}
    assert options - drawn - elsewhere <= loop.NOT_DRAWN.keys()
    assert drawn <= options


def test_the_sum_of_a_report_is_counted_apart(extension: ModuleType) -> None:
    """Three keyed numbers, a driven one that AnimX holds, and one that it does not; a parent that moves."""
    del extension
    recipe: dict[str, Any] = {
        "format": "animx",
        "options": {"axes": "GLTF"},
        "steps": [
            {"do": "thing", "name": "Cube", "type": "MESH", "at": {}},
            {"do": "thing", "name": "Carrier", "type": "EMPTY", "at": {}},
            *(
                {"do": "keys", "owner": name, "path": "location", "indices": [0, 1, 2], "frames": [0, 9],
                 "rows": [[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]], "shapes": ["LINEAR"], "handles": ["VECTOR"]}
                for name in ("Cube", "Carrier")
            ),
            {"do": "parent", "child": "Cube", "parent": "Carrier"},
            {"do": "modifier", "owner": "Cube", "type": "SIMPLE_DEFORM"},
            *(
                {"do": "driver", "owner": "Cube", "path": path, "index": -1, "source": "Carrier",
                 "source_path": "location.x", "expression": expression}
                for path, expression in (("hide_viewport", "frame >= 5"), ('modifiers["SimpleDeform"].angle', "x"))
            ),
            {"do": "select", "names": ["Cube"], "active": "Cube"},
        ],
    }  # fmt: skip
    trying = importlib.import_module("scenes.try_scene")
    exported = trying.export(recipe, importlib.import_module("scenes.stage").build(recipe))
    assert trying.judge(recipe, exported) == []
    accounts = importlib.import_module("scenes.accounts")
    written = importlib.import_module("scenes.compare").written_objects("animx")
    assert exported.notes[-1].startswith("Of 6 animated values")
    for old, new in (("Of 6", "Of 5"), ("1 has no place", "0 have no place"), ("Of 6", "")):
        notes = [*exported.notes[:-1], exported.notes[-1].replace(old, new)]
        assert list(accounts.wrong_sums("animx", written, notes))


BONE = "Palm.L"
QUATERNIONS = [[1.0, 0.0, 0.0, 0.0], [0.55, 0.2, 0.1, 0.0], [1.2, 0.0, 0.0, -0.4], [0.6, 0.0, 0.3, -0.1]]
"""Of lengths 1, 0.59, 1.26 and 0.68: Blender turns faster towards the longer ones."""

LONG_WAY = [[1.0, 0.0, 0.0, 0.0], [0.3, 0.8, 0.0, 0.1], [0.1, -0.9, 0.2, 0.1], [-0.8, 0.3, 0.2, 0.1]]
"""The third is nearer to the second with the opposite sign, to which Blender does not turn."""


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("mrtk", {"version": "1.0", "drop_gaze": True}),
        ("mrtk", {"version": "1.1"}),
        ("animx", {"axes": "GLTF"}),
        ("w3d", {"flavor": "RAW"}),
        ("w3d", {"flavor": "TIMECODED"}),
        ("w3x", {}),
    ],
    ids=["mrtk_1_0", "mrtk_1_1", "animx", "w3d", "w3d_timecoded", "w3x"],
)
def test_quaternion_keys_of_any_length_play_as_blender_shows_them(
    extension: ModuleType, name: str, options: dict[str, Any]
) -> None:
    """Turns between keys of other lengths than 1; a file's own have length 1, but for AnimX, which plays any alike."""
    exported = _turning(name, options, QUATERNIONS)
    assert all("camera" in warning or "so MRTK shows them in" in warning for warning in exported.warnings)
    if name != "animx":
        assert np.abs(_lengths_of_turns(name, exported.data) - 1.0).max() < 1e-6


FLIPS = [[1.0, 0.0, 0.0, 0.0], [-0.995, -0.0999, 0.0, 0.0], [0.98, 0.199, 0.0, 0.0]]
"""Signs that flip from frame to frame, as in recordings: between two neighbouring frames Blender shows nothing."""


@pytest.mark.parametrize(("rows", "frames"), [(LONG_WAY, (1, 13, 25, 49)), (FLIPS, (1, 2, 3))], ids=["long", "flips"])
def test_keys_in_animx_are_on_the_short_way(
    extension: ModuleType, rows: list[list[float]], frames: tuple[int, ...]
) -> None:
    """Also where the scene plays a long way, as the signs of neighbouring keys are opposite; flips add no keys."""
    turns = animx.Player(_turning("animx", {"axes": "GLTF"}, rows, frames).data).by_place[BONE, "Rotation"]
    assert len(turns.times) == 3 or rows is not FLIPS
    assert (turns.values[1:] * turns.values[:-1]).sum(axis=1).min() > 0


def _turning(
    name: str, options: dict[str, Any], rows: list[list[float]], frames: tuple[int, ...] = (1, 13, 25, 49)
) -> Any:
    """The export of one joint that turns through quaternion keys."""
    keys = {"frames": frames, "rows": rows, "shapes": ["LINEAR"], "handles": ["VECTOR"]}
    place = f'pose.bones["{BONE}"].rotation_quaternion'
    rig = {"do": "rig", "name": "Hands", "bones": [[BONE, None, [0, 0, 1], [0, 0.1, 1], 0.0, False]]}
    turns = {"do": "keys", "owner": "Hands", "path": place, "indices": [0, 1, 2, 3], **keys}
    recipe = {"format": name, "options": options, "steps": [rig, turns]}
    trying = importlib.import_module("scenes.try_scene")
    exported = trying.export(recipe, importlib.import_module("scenes.stage").build(recipe))
    if max(frames) > len(frames):
        assert trying.judge(recipe, exported) == []
    return exported


def _lengths_of_turns(name: str, data: bytes) -> np.ndarray[Any, Any]:
    """How long the quaternions that a bone's keys hold are."""
    if name == "mrtk":
        curves = mrtk.Player(data).recording["jointsLeft"]["Palm"]
        turns = np.array([[key[1] for key in curves[f"Rotation{axis}"]["keys"]] for axis in "XYZW"]).T
    else:
        player = {"w3d": w3d.Player.of, "w3x": w3x.Player.of}[name](data)
        (turns,) = (channel.values for channel in player.channels if channel.values.shape[1] == 4)
    return np.linalg.norm(turns, axis=-1)


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_a_kept_scene_plays(extension: ModuleType, path: Path) -> None:
    """Scenes that once were finds; one that is refused would hold nothing, but for those that say so."""
    del extension
    importlib.import_module("addon_utils").enable("rigify", default_set=True)
    recipe: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    trying = importlib.import_module("scenes.try_scene")
    with trying.overheard() as written:
        assert trying.try_recipe(recipe) == []
    assert written or recipe.get("refused") or "file" in recipe  # of a file its import is judged, too
