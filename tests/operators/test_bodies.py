"""A walk on bodies of other makes."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import bodies
import numpy as np
import pytest
from animj_keys import keys_of
from in_blender import add, animate, bones_seen, choose, editing, go_to, push_down
from scenes.players import animx, w3d

from tests.operators.test_take import Pairs

Part = Callable[[str], Any]

pytestmark = pytest.mark.once  # of one Blender as of any
SOURCE = Path(__file__).resolve().parents[2]
WALK = SOURCE / "samples" / "walk.animj"
ARM = ["Spine", "Chest", *(f"Left{part}" for part in ("Shoulder", "UpperArm", "LowerArm", "Hand"))]
CASES = list(product(bodies.SCHEMES, (False, True), (False, True)))


def heads(rig: Any, names: dict[str, str], frame: float) -> dict[str, Any]:
    """Where the joints are in the world at a frame."""
    go_to(frame)
    return {part: np.array(rig.matrix_world @ rig.pose.bones[name].head) for part, name in names.items()}


def resting(rig: Any, names: dict[str, str]) -> dict[str, Any]:
    """Where the joints are in the world at rest."""
    return {part: np.array(rig.matrix_world @ rig.data.bones[name].head_local) for part, name in names.items()}


@pytest.mark.parametrize(("scheme", "a_pose", "aligned"), CASES)
def test_a_walk_on_a_body_of_another_make(bpy: Any, scheme: str, a_pose: bool, aligned: bool) -> None:
    """As large as it is, upright, knees forward, feet on the ground, arms beside the body, wherever its bones face."""
    rig, names = bodies.body(bpy, scheme, CASES.index((scheme, a_pose, aligned)), a_pose=a_pose, aligned=aligned)
    there = rig.matrix_world.copy()
    aside = there.Rotation(0.5 * a_pose, 4, "Z")
    rig.data.transform(there.inverted() @ aside @ there)
    rig.matrix_world = aside.inverted() @ there
    bpy.context.view_layer.update()
    for name in names.values():  # as what played before may have left it
        rig.pose.bones[name].location, rig.pose.bones[name].scale = (0.1, 0.2, 0.3), (1.5, 1.5, 1.5)
    at_rest = resting(rig, names)
    tall = at_rest["head"][2]
    assert bpy.ops.import_anim.animx(filepath=str(WALK)) == {"FINISHED"}
    assert bpy.context.object == rig and len(bpy.data.armatures) == 1
    scene, bent, wide = bpy.context.scene, [], []
    for frame in np.arange(scene.frame_start, scene.frame_end + 1, 0.5):
        now = heads(rig, names, frame)
        for part, above in bodies.PARENT.items():
            length = np.linalg.norm(at_rest[part] - at_rest[above])
            assert 0.999 < np.linalg.norm(now[part] - now[above]) / length < 1.05, part
        held, upright = at_rest["head"] - at_rest["hips"], now["head"] - now["hips"]
        assert held @ upright > 0.97 * np.linalg.norm(held) * np.linalg.norm(upright)
        left = now["l upper_leg"] - now["r upper_leg"]
        assert left[0] > 0.97 * np.linalg.norm(left), "it faces as it goes"
        ground = min(now[f"{s} {j}"][2] - at_rest[f"{s} {j}"][2] for s in "lr" for j in ("foot", "toes"))
        assert abs(ground) < 0.03 * tall
        for side in "lr":
            hip, knee, ankle = (now[f"{side} {joint}"] for joint in ("upper_leg", "lower_leg", "foot"))
            bent.append((((hip + ankle) / 2 - knee)[1]) / tall)
            assert bent[-1] > -0.002, "knees give forward"
            assert now[f"{side} hand"][2] < now[f"{side} upper_arm"][2] - 0.15 * tall
        wide.append((now["l foot"] - now["r foot"])[1] / tall)
    assert max(bent) > 0.03 and min(wide) < -0.2 < 0.2 < max(wide)


def numbers(keys: Any) -> Any:
    """The values (n, components) of keys."""
    return np.array([list(key["value"].values()) for key in keys])


def raise_one_key(part: Part, rig: Any, bone: str) -> None:
    """Move one key of a bone's rotation a little, as a person does in the Graph Editor."""
    for _, curve in part("scene.actions").every_curve(rig.animation_data.action):
        if bone in curve.data_path and curve.data_path.endswith("rotation_quaternion") and curve.array_index == 1:
            curve.keyframe_points[5].co[1] += 0.05


@pytest.mark.parametrize("on_rig", [False, True])
def test_what_is_exported_knows_nothing_of_parents_that_were_worked_out(
    bpy: Any, part: Part, tmp_path: Path, on_rig: bool
) -> None:
    """Untouched it is the file; after an edit everything else is, from the body itself to the last digit."""
    names = bodies.body(bpy, "Mixamo", 3, a_pose=True, aligned=True)[1] if on_rig else {"l upper_leg": "LeftUpperLeg"}
    bpy.ops.import_anim.animx(filepath=str(WALK))
    rig, same, edited = bpy.context.object, tmp_path / "same.animj", tmp_path / "edited.animj"
    bpy.ops.export_anim.animx(filepath=str(same))
    assert same.read_bytes() == WALK.read_bytes()
    raise_one_key(part, rig, f'"{names["l upper_leg"]}"')
    bpy.ops.export_anim.animx(filepath=str(edited))
    fits = "the model that walk.animj fits" if on_rig else "a model that Blender exported as glTF"
    assert fits in bpy.data.texts["Export Report"].as_string()
    bpy.ops.export_anim.animx(filepath=str(tmp_path / "own.animj"), use_source=False)
    told = bpy.data.texts["Export Report"].as_string()
    assert "a model that Blender exported as glTF" in told and "import all channels" not in told
    push_down(rig, 0).scale = 2.0
    bpy.ops.export_anim.animx(filepath=str(tmp_path / "slow.animj"))
    assert ("not for the model of walk.animj" in bpy.data.texts["Export Report"].as_string()) == on_rig
    bpy.ops.export_anim.animx(filepath=str(tmp_path / "all.animj"), actions="ALL")
    assert keys_of(tmp_path / "walk.animj") == keys_of(edited)
    before, after = keys_of(WALK), keys_of(edited)
    assert list(before) == list(after)
    for target, keys in before.items():
        off = np.abs(numbers(keys) - numbers(after[target])).max()
        if target == ("LeftUpperLeg", "Rotation"):
            assert 0.02 < off < 0.1
        else:
            assert off < 2e-4
            converted = on_rig and (target[1] == "Rotation" or target[0] == "Hips")
            assert converted or keys == after[target]


def test_what_a_walk_knows_nothing_of_goes_into_its_file(bpy: Any, part: Part, tmp_path: Path) -> None:
    """The armature as a node beside it; a tail and a cup, hidden later, as they move at the hips and in the hand.

    What the figure lacks goes out of it, and bones that only follow do not come in, which is told.
    """
    rig, names = bodies.body(bpy, "Unreal", 3, a_pose=True, aligned=True)
    with editing(rig) as edited:
        base, tail, hips = edited.new("Base"), edited.new("Tail"), edited[names["hips"]]
        base.head, base.tail, base.parent = hips.head, hips.head + hips.vector, hips
        tail.head, tail.tail, tail.parent = hips.head, hips.head + hips.vector, base
        edited.remove(edited[names["r toes"]])
    turning = rig.pose.bones["Base"].constraints.new("COPY_ROTATION")
    turning.target, turning.subtarget = rig, names["l upper_leg"]
    bpy.ops.import_anim.animx(filepath=str(WALK))
    raise_one_key(part, rig, f'"{names["l upper_leg"]}"')
    bpy.ops.export_anim.animx(filepath=str(tmp_path / "still.animj"))
    assert "1 bone of Unreal that only follows others" in bpy.data.texts["Export Report"].as_string()
    assert "no bone or chosen object and is left out: RightToes" in bpy.data.texts["Export Report"].as_string()
    animate(rig, "location", {1: (0, 0, 0), 20: (1, 0, 0.5)})
    rig.pose.bones["Tail"].rotation_mode = "QUATERNION"
    animate(rig.pose.bones["Tail"], "rotation_quaternion", {0: (1, 0, 0, 0), 20: (0.8, 0.6, 0, 0)})
    cup = add("Cup")
    cup.parent, cup.parent_type, cup.parent_bone = rig, "BONE", names["l hand"]
    animate(cup, "location", {0: (0, 0, 0), 20: (0.1, 0.2, 0.3)})
    animate(cup, "hide_viewport", {0: False, 24: True})
    cup.hide_viewport = False
    choose(rig, cup)
    bpy.ops.export_anim.animx(filepath=str(tmp_path / "moved.animj"), strict=True)
    still, moved = keys_of(tmp_path / "still.animj"), keys_of(tmp_path / "moved.animj")
    carried = moved.pop((rig.name, "Position"))
    own = [moved.pop(place) for place in (("Tail", "Rotation"), ("Cup", "Position"), ("Cup", "Active"))]
    assert moved == still and still.keys() < keys_of(WALK).keys() and [key["value"] for key in own[-1]] == [True, False]
    assert numbers(carried)[-1].tolist() == [-1.0, 0.5, 0.0]
    player = animx.Player((tmp_path / "moved.animj").read_bytes())
    for frame in (0, 10, 20):
        bpy.context.scene.frame_set(frame)
        slots = {slot: player.local(slot, frame / 24.0, np.eye(4)) for slot in ("Hips", "Tail", *ARM, "Cup")}
        tail, hand = slots["Hips"] @ slots["Tail"], np.linalg.multi_dot([slots[slot] for slot in ("Hips", *ARM)])
        seen = [rig.matrix_world @ rig.pose.bones[name].matrix for name in ("Tail", names["l hand"])]
        away = cup.matrix_world.translation - seen[1].translation
        for shown, wanted in ((tail[:, 1], seen[0].col[1]), (hand @ (slots["Cup"][:, 3] - (0, 0, 0, 1)), away)):
            wanted = np.array(wanted)[[0, 2, 1]] * (-1, 1, -1)
            assert np.abs(shown[:3] / np.linalg.norm(shown) - wanted / np.linalg.norm(wanted)).max() < 1e-3


def test_a_walk_goes_into_another_format_from_where_the_figure_stands(bpy: Any, tmp_path: Path) -> None:
    rig, names = bodies.body(bpy, "Unreal", 3, a_pose=True, aligned=True)
    rig.location, rig.rotation_euler, rig.scale = (3, 1, 0), (0, 0, 1), (0.5, 0.5, 0.5)
    bpy.context.view_layer.update()
    bpy.ops.import_anim.animx(filepath=str(WALK), start_frame=0)
    bpy.ops.export_anim.w3d(filepath=str(tmp_path / "walk.w3d"), check_playback="OFF")
    player = w3d.Player.of((tmp_path / "walk.w3d").read_bytes())
    for frame in (0, 7, 20):
        shown, seen = player.worlds(frame), heads(rig, names, frame)
        for part, name in (("hips", "hips"), ("head", "head"), ("l foot", "leftfoot")):
            place = shown[[pivot.casefold() for pivot in player.names].index(name)][:3, 3]
            np.testing.assert_allclose(place, seen[part], atol=1e-3)


def written(path: Path, joints: dict[str, dict[str, Any]], seconds: float = 1.0) -> Path:
    """An AnimJ of what nodes are given: by property (n, components), at even times."""
    tracks = []
    for node, properties in joints.items():
        for name, values in properties.items():
            times = np.linspace(0.0, seconds, len(values)).tolist() if len(values) > 1 else [0.0]
            keys = [
                {"time": time, "value": dict(zip("xyzw", map(float, value))), "interpolation": "Linear"}
                for time, value in zip(times, values, strict=True)
            ]
            kind = "floatQ" if name == "Rotation" else "float3"
            data = {"node": node, "property": name, "keyframes": keys}
            tracks.append({"trackType": "Curve", "valueType": kind, "data": data})
    path.write_text(json.dumps({"name": "", "globalDuration": seconds, "tracks": tracks}), encoding="utf-8")
    return path


def poses(rig: Any, frames: range) -> Any:
    """Where the bones are at frames, (bones, frames, 4, 4)."""
    return np.array(list(bones_seen(rig, frames).values()))


def report() -> str:
    """What the last import said."""
    import bpy

    return str(bpy.context.object.animation_data.action["anim_curves"]["source"].as_string())


@pytest.mark.parametrize("still", [False, True])
@pytest.mark.parametrize("aligned", [False, True])
def test_a_file_of_the_rig_itself_comes_back_exactly(bpy: Any, tmp_path: Path, still: bool, aligned: bool) -> None:
    """It is known by where its joints are or, where it says nothing of these, by how they are turned."""
    rig, _ = bodies.body(bpy, "VRM", 5, a_pose=True, aligned=aligned)
    own = tmp_path / "own.animj"
    bpy.ops.import_anim.animx(filepath=str(WALK))
    before = poses(rig, range(0, 48, 5))
    bpy.ops.export_anim.animx(filepath=str(own), use_source=False, still_channels=still)
    bpy.ops.import_anim.animx(filepath=str(own))
    assert bpy.context.object == rig and "rests otherwise" not in report()
    assert np.abs(poses(rig, range(0, 48, 5)) - before).max() < 1e-3


@pytest.mark.parametrize("fit", ["FOLLOW", "EXACT"])
def test_rotation_only_is_the_walk_on_the_spot(bpy: Any, fit: str) -> None:
    rig, names = bodies.body(bpy, "Mixamo", 4, a_pose=False, aligned=True)
    at_rest = resting(rig, names)["hips"]
    bpy.ops.import_anim.animx(filepath=str(WALK), fit="EXACT")
    go_to(30)  # where it goes, stretched, of which nothing stays
    bpy.ops.import_anim.animx(filepath=str(WALK), channels="ROTATION", fit=fit)
    spot = [heads(rig, names, frame) for frame in (0, 7, 20)]
    bpy.ops.import_anim.animx(filepath=str(WALK))
    assert "proportions of Mixamo are kept" in report() and "as asked" not in report()
    assert "the motion is converted" not in report()
    for then, now in zip(spot, (heads(rig, names, frame) for frame in (0, 7, 20)), strict=True):
        assert np.abs(then["hips"] - at_rest).max() < 1e-5
        for joint, place in now.items():
            assert np.abs((place - now["hips"]) - (then[joint] - then["hips"])).max() < 1e-4, joint


@pytest.mark.parametrize("twice", [False, True])
def test_names_too_long_for_w3d_fit_their_armature_again(bpy: Any, tmp_path: Path, part: Part, twice: bool) -> None:
    """W3D has 15 letters of a name, Mixamo's prefix takes ten; where a name is there without it already, it stays."""
    rig, names = bodies.body(bpy, "Mixamo", 4, a_pose=False, aligned=True)
    if twice:
        rig.data.bones[names["head"]].name = "Hips"
    for bone in rig.pose.bones:
        bone.rotation_mode = "QUATERNION"
        animate(bone, "rotation_quaternion", {1: (1.0, 0.0, 0.0, 0.0), 20: (0.8, 0.6, 0.0, 0.0)})
    bpy.ops.export_anim.w3d(filepath=str(tmp_path / "walk.w3d"))
    written = part("io_formats.w3d").read((tmp_path / "walk.w3d").read_bytes())
    pivots = [name.rstrip(b"\0").decode() for name in written.hierarchies[0].records["name"].tolist()]
    if twice:
        assert "MIXAMORIG:HIPS" in pivots and "MIXAMORIG:RIG_1" in pivots
        return
    assert {"HIPS", "SPINE1", "LEFTFOREARM", "RIGHTSHOULDER"} <= set(pivots)
    assert not [name for name in pivots if ":" in name or name[-2:-1] == "_"]
    bpy.ops.import_anim.w3d(filepath=str(tmp_path / "walk.w3d"), target="SELECTED")
    assert "21 of 21 names match" in report() and "left out" not in report()


def test_a_skeleton_file_without_namespaces_is_its_armatures(bpy: Any, tmp_path: Path, part: Part) -> None:
    rig, names = bodies.body(bpy, "Mixamo", 4, a_pose=False, aligned=True)
    head = rig.pose.bones[names["head"]]
    head.rotation_mode = "QUATERNION"
    animate(head, "rotation_quaternion", {1: (1.0, 0.0, 0.0, 0.0), 9: (0.8, 0.6, 0.0, 0.0)})
    bpy.ops.export_anim.w3d(filepath=str(tmp_path / "body.w3d"))
    bpy.ops.export_anim.w3d(filepath=str(tmp_path / "nod.w3d"), skeleton=str(tmp_path / "body.w3d"))
    files = [part("io_formats.w3d").read((tmp_path / name).read_bytes()) for name in ("body.w3d", "nod.w3d")]
    channels = [[(each.pivot, each.type) for each in file.animations[0].parts[1:]] for file in files]
    assert channels[0] == channels[1] and files[1].hierarchies == []


def test_what_cannot_be_in_proportion_is_told(bpy: Any, tmp_path: Path, part: Part) -> None:
    """Places of a smaller body as they stand; and limbs told in the space of the whole body, as of figures of parts."""
    rig, _ = bodies.body(bpy, "Unity", 2, a_pose=False, aligned=False)
    bpy.ops.import_anim.animx(filepath=str(WALK), fit="EXACT")
    told = [each["data"] for each in json.loads(WALK.read_text())["tracks"] if each["data"]["property"] == "Position"]
    far = {each["node"]: np.linalg.norm([*each["keyframes"][0]["value"].values()]) for each in told}
    limbs = [bone for bone in rig.data.bones if bone.parent]
    sizes = [far[bone.name] / (bone.head_local - bone.parent.head_local).length for bone in limbs]
    assert f"is {max(sizes, key=lambda size: abs(np.log(size))):.3g} times its size: use Rotation Only" in report()
    clip = part("io_formats.animx").to_clips(
        part("io_formats.animx").read(WALK.read_bytes()),
        part("io_formats.animx").ImportOptions(),
        part("io_formats.errors").Report(),
    )[0]
    worlds = part("io_formats.clip.pose").world_matrices(clip, np.linspace(0.0, 2.0, 9))
    joints = {name: {"Position": matrices[:, (0, 2, 1), 3] * (-1.0, 1.0, -1.0)} for name, matrices in worlds.items()}
    flat = written(tmp_path / "flat.animj", joints, 2.0)
    bpy.ops.import_anim.animx(filepath=str(flat))
    assert "how far limbs turn from a rest pose cannot be known" in report()


@pytest.mark.parametrize(
    ("options", "icon", "said"),
    [
        ({}, "INFO", "The proportions of Unity are kept"),
        ({"fit": "EXACT"}, "ERROR", "times its size: use Rotation Only"),
    ],
)
def test_the_sidebar_and_adjust_last_operation_say_how_a_rig_took_it(
    bpy: Any, part: Part, monkeypatch: pytest.MonkeyPatch, options: dict[str, str], icon: str, said: str
) -> None:
    """Only the report did, which nobody opens after an import that looks well."""
    rig, bones = bodies.body(bpy, "Unity", 2, a_pose=False, aligned=False)
    rig.data.bones[bones["head"]].name = "Strange"
    importing, file_format = part("operators.importing"), part("io_formats.animx").FORMAT
    own = {"report": lambda *_: None, "file_format": file_format, "directory": "", "files": [], "pairs": Pairs()}
    own |= {"said": "", "listed": ""}
    operator = type("Import", (importing.ImportOperator,), own)()
    load = part("pipeline.import_files").Load(file_format, [Path("no"), WALK], file_format.import_options(**options))
    assert importing.run(operator, bpy.context, [load]) == {"FINISHED"}
    drawn: list[tuple[str, str]] = []
    shown_by_import: list[tuple[str, str]] = []

    class Layout:
        def __getattr__(self, name: str) -> Any:
            def draw(*_: Any, text: str = "", icon: str = "", **__: Any) -> Any:
                drawn.append((icon, text))
                return self

            return draw

    panel = type("Panel", (part("operators.panels")._OriginPanel,), {})()
    monkeypatch.setattr(importing, "draw_options", lambda *_: None)
    for shown in (operator, panel):
        drawn.clear()
        shown.layout = Layout()
        shown.draw(bpy.context)
        shown_by_import = shown_by_import or list(drawn)
        first = next(at for at, line in enumerate(drawn) if line[0] == icon)
        assert said in " ".join(text for _, text in drawn[first : first + 3]), drawn
    assert any(icon == "BONE_DATA" for icon, _ in drawn), "the names are not a click away in the sidebar"
    assert ("", "20 of 21 names have a bone") in shown_by_import, "Adjust Last Operation does not list the names"


def test_how_far_the_hips_go_is_told_as_it_is_seen(bpy: Any) -> None:
    """The same body, also without legs, once in centimetres, as from FBX: 82.5 times as far was told, not 0.825."""
    told: dict[bool, set[str]] = {True: set(), False: set()}
    for scheme, legs in product(("Unity", "Mixamo"), told):
        rig, names = bodies.body(bpy, scheme, 2, a_pose=False, aligned=False)
        with editing(rig) as edited:
            for name in () if legs else [name for part, name in names.items() if "leg" in part]:
                edited.remove(edited[name])
        bpy.ops.import_anim.animx(filepath=str(WALK))
        told[legs].add(report().partition("the hips go ")[2].partition(" times")[0])
    assert [*map(len, told.values())] == [1, 1]


def test_a_generated_rig_is_moved_by_its_fk_controls(bpy: Any) -> None:
    """Rigify's limbs follow their IK controls until they are switched, which is told."""
    rig, names = bodies.body(bpy, "Rigify", 1, a_pose=False, aligned=False)
    trunk = dict(zip(list(names)[:5], "torso spine_fk.001 spine_fk.002 neck head".split(), strict=True))
    for joint, name in names.items():
        limb, _, side = name.rpartition(".")
        rig.data.bones[name].name = trunk.get(joint, name if limb == "shoulder" else f"{limb}_fk.{side}")
    rig.pose.bones["thigh_fk.L"]["IK_FK"] = 0.0
    rig.pose.bones["shin_fk.L"]["Rubber Tweak"] = 0.0
    bpy.ops.import_anim.animx(filepath=str(WALK))
    assert "21 of 21 names match" in report() and "1 limb of Rigify is switched to FK" in report()
    assert rig.pose.bones["thigh_fk.L"]["IK_FK"] == 1.0 and rig.pose.bones["shin_fk.L"]["Rubber Tweak"] == 0.0
    for bone in rig.data.bones:
        bone.name = bone.name.replace("_fk", "")
    rig.pose.bones["thigh.L"]["IK_FK"] = 0.0
    bpy.ops.import_anim.animx(filepath=str(WALK))
    assert rig.pose.bones["thigh.L"]["IK_FK"] == 0.0, "where no keys are on FK controls"
