"""Draws the way back: which file is imported, with which options, into what kind of scene, and what is done then."""

from __future__ import annotations

from random import Random
from typing import Any

from . import motion

Step = dict[str, Any]
REWORKED = ("smooth", "thin", "resample", "cyclic")
"""Options that make other keys than the file's."""

_EVERY: dict[str, tuple[float, tuple[Any, ...]]] = {
    "scale": (0.25, (0.01, 2.5, 100.0)), "rate": (0.4, ("SCENE", "FILE", "CUSTOM")),
    "custom_rate": (0.5, (29.97, 48.0, 29.97, 120.0)), "start_frame": (0.4, (1.0, -17.0, 100.5, 1001.0)),
    "start_at_current": (0.1, (True,)), "resample": (0.05, (True,)), "set_scene_range": (0.3, (False,)),
    "hide_helpers": (0.3, (False,)), "channels": (0.08, ("ROTATION",)), "root_motion": (0.06, (False,)),
    "only_selected_bones": (0.2, (True,)), "cyclic": (0.15, ("CLOSE", "NO")), "seam_location": (0.05, (0.0,)),
    "seam_rotation": (0.05, (0.0,)), "nla": (0.3, ("STASH", "STRIP", "SEQUENCE")), "fake_user": (0.2, (False,)),
    "mark_assets": (0.1, (True,)), "name_from": (0.3, ("FILE",)), "name_prefix": (0.2, ("my ",)),
    "keep_source": (0.15, (False,)), "fit": (1.0, ("EXACT",)), "follow_place": (0.1, ("ALWAYS", "NEVER")),
    "smooth": (0.03, (True,)), "thin": (0.05, (True,)), "limit_mib": (0.05, (64,)), "memory_mib": (0.05, (2048,)),
    "time_s": (0.05, (3600,)),
}  # fmt: skip
"""Of every format: how often an option is drawn, and from what."""

_ITS_OWN: dict[str, dict[str, tuple[float, tuple[Any, ...]]]] = {
    "mrtk": {
        "hand_skeleton": (0.25, (True,)), "hand_mesh": (0.6, (False,)), "hide_untracked": (0.3, (False,)),
        "field_of_view": (0.2, (90.0,)), "repair_w": (0.2, (False,)),
    },
    "w3d": {
        "engine": (0.35, ("RENEGADE", "GENERALS", "BFME")), "skeleton": (0.15, ("APART",)), "models": (0.3, (False,)),
        "select_models": (0.2, (False,)), "apply_visibility": (0.3, (False,)), "root_bone": (0.2, (False,)),
        "rest_keys": (0.3, (False,)),
    },
    "w3x": {"apply_visibility": (0.3, (False,)), "root_bone": (0.2, (False,)), "rest_keys": (0.3, (False,))},
    "animx": {
        "axes": (0.6, ("FBX", "FBX_CM", "ENGINE", "MANUAL", "GLTF")), "forward_axis": (1.0, ("Z", "-Z", "X", "-X")),
        "up_axis": (1.0, ("Y", "-Y")), "left_handed": (0.5, (False,)), "node_kind": (0.25, ("OBJECT",)),
        "apply_visibility": (0.3, (False,)), "key_order": (0.1, ("VALUE",)), "tangent_order": (0.1, ("LEFT",)),
    },
}  # fmt: skip
FACINGS = (("-Y", "Z"), ("X", "Z"), ("Y", "-X"), ("Z", "-Y"))
NOT_DRAWN = {
    "rig_layer": "is about rigs that hold a hand more than once: tests/acceptance/test_mrtk_hands.py",
    "one_hand": "is about rigs whose hands name no side: tests/acceptance/test_mrtk_hands.py",
    "skeleton": "of W3X, whose skeletons are found by the tests of its own; of W3D it is drawn",
    "smooth_cutoff": "what smoothing makes of a motion is no promise that a player could judge",
    "smooth_speed": "the same",
    "smooth_turning": "the same",
    "thin_location": "drawn as it is by itself, within which the judge is",
    "thin_rotation": "the same",
}
"""Options that are not drawn, and why."""

_SAMPLES = {
    "mrtk": (
        "v10_recorder_3s_left_hand.bin", "v11_recorder_10s_two_hands_mrtk273.bin", "v10_curve_shapes.bin",
        "v10_identity_values.bin", "v11_curve_shapes_tangents_dropped.bin", "v11_wrapmode_raw_ints.bin",
        "v11_flags/v11_cam0_hand1_gaze0.bin", "v11_flags/v11_cam1_hand0_gaze1.bin",
        "v11_flags/v11_cam1_hand1_gaze1.bin",
    ),
    "w3d": (
        "g01_raw_trim_vis.w3d", "g03_tc_binmove.w3d", "g04_ad_16f.w3d", "g04_ad_17f.w3d", "g06_raw_flip.w3d",
        "g09_ad_20b_200f.w3d", "h01_raw_extra.w3d", "h02_raw_bits.w3d", "h03_tc_hand.w3d", "h04_multi_unknown.w3d",
        "b01_motion_tc.w3d", "b02_motion_ad4.w3d",
    ),
    "w3x": ("g02.w3x", "g03.w3x"),
    "animx": (
        "01_raw_all.animj", "02_discrete_all.animx", "03_curve_linear_all_tv.animx", "03b_curve_perkey_all_vt.animx",
        "04_curve_mixed_vt.animx", "05_tangent_tv_lr.animx", "05_tangent_vt_rl.animx", "06_bezier_tv_rl.animx",
        "06_bezier_vt_lr.animx", "06b_bezier_perkey.animj", "07_version0_vt.animx", "08_walk_lz4_blocks64.animx",
        "08_walk_lzma_eos.animx", "08_walk.animj", "11_130tracks.animx", "11_300keys_vt.animx",
        "14_duration0_vt.animx", "16_properties_vt.animx", "09_strings.animx",
    ),
}  # fmt: skip
"""Files that hold what no drawn scene is exported as."""


_SECOND = {"w3d": ("RAW", "TIMECODED", "ADAPTIVE_DELTA"), "w3x": ("RAW",)}
"""Form of a second animation in the file."""
_TOOLS = ("smooth", "fewer_keys", "whole_frames", "close_loop", "mirror")


def options_of(format_name: str) -> dict[str, tuple[float, tuple[Any, ...]]]:
    """How often each option of a format's import is drawn, and from what."""
    return {**_EVERY, **_ITS_OWN[format_name]}


def sample(format_name: str, random: Random) -> Step:
    """A recipe that begins with a file of tests/data, not with a scene."""
    file = random.choice(_SAMPLES[format_name])
    return {"format": format_name, "options": {}, "steps": [], "file": f"{format_name}/{file}"}


def add_to(recipe: Step, random: Random) -> None:
    """Add what only an import shows wrong: bones along -Y, and short ones far away."""
    rig = next((step for step in recipe["steps"] if step["do"] == "rig"), None)
    if rig is None or recipe["format"] not in ("w3d", "w3x") or random.random() < 0.5:
        return
    uppermost, far = rig["bones"][0][0], round(random.uniform(1, 20), 2)
    tip = [round(random.uniform(-0.02, 0.02), 4), -0.4, far]
    rig["bones"].append(["Back", uppermost, [0, 0, far], tip, round(random.uniform(-3, 3), 3), False])
    rig["bones"].append(["Nail", "Back", tip, [tip[0], -0.4005, far + 0.001], 0.7, False])
    rig["bones"].append(["Edge", "Nail", [tip[0], -0.4005, far + 0.001], [0.3, -0.7, far], 1.1, False])


def draw(format_name: str, random: Random) -> Step:
    """What happens to a file once it is exported."""
    options = _options(format_name, random)
    found: Step = {"scene": _scene(random), "options": options, "stem": random.choice(("take", "Walk", "é1"))}
    if random.random() < 0.4:
        found["there"] = random.choice(("MOVING", "STILL"))
    single = options.get("node_kind") != "OBJECT"
    if single and random.random() < 0.3:
        _onto(found, random)
    elif single and random.random() < 0.15:
        found["twice"] = random.choice(("KEEP", "REPLACE", "MERGE"))
    if format_name in ("w3d", "w3x") and random.random() < 0.25:
        found["second"] = random.choice(_SECOND[format_name])
        if random.random() < 0.5:
            options["nla"] = "SEQUENCE"
    if format_name == "mrtk" and random.random() < 0.25:
        found["marks"] = [[0.1, "Grab"], [round(random.uniform(0.1, 1), 3), "Möbel"]]
    found["then"] = _then(random)
    if "onto" not in found:
        options.pop("only_selected_bones", None)
        options.pop("fit", None)
        options.pop("follow_place", None)
    return found


def _then(random: Random) -> list[Step]:
    """What a person does with what was imported before it is exported again; mostly nothing."""
    what = random.choice((*_TOOLS, *["nothing"] * 4, *["edit"] * 3, "rename", "rate", "convert", "push"))
    if what in ("rate", "convert"):
        rate = {"do": "rate", "fps": random.choice((15, 24, 60))}
        return [rate] if what == "rate" else [rate, {"do": "tool", "name": "convert_rate"}]
    if what == "edit":
        edit: Step = {"do": "edit", "path": random.choice(("location", "rotation_quaternion"))}
        edit |= {"curve": random.randrange(40), "key": random.randrange(20), "by": round(random.uniform(0.05, 0.3), 3)}
        return [edit]
    if what == "rename":
        return [{"do": "rename", "bone": random.randrange(40), "to": random.choice(("Mine", "Éléphant", "Hips"))}]
    if what in _TOOLS:
        return [{"do": "tool", "name": what}]
    return [{"do": "push"}] if what == "push" else []


def _options(format_name: str, random: Random) -> Step:
    drawn = {}
    for name, (share, choices) in options_of(format_name).items():
        if random.random() < share / 2 and choices:
            drawn[name] = random.choice(choices)
    if format_name != "animx" and random.random() < 0.15:
        drawn["forward"], drawn["up"] = random.choice(FACINGS)
    if drawn.get("rate") == "CUSTOM":
        drawn["custom_rate"] = random.choice(_EVERY["custom_rate"][1])
    if drawn.get("axes") == "MANUAL":
        its_own = _ITS_OWN["animx"]
        drawn |= {name: random.choice(its_own[name][1]) for name in ("forward_axis", "up_axis")}
    return drawn


def _scene(random: Random) -> Step:
    fps, base = random.choice(motion.RATES)
    step: Step = {"do": "scene", "fps": fps, "base": base, "first": random.choice((1, 0, 40)), "last": 250}
    if random.random() < 0.1:
        step["map"] = random.choice(([100, 200], [100, 50]))
    step["now"] = random.choice((1, 1, 33))
    return step


def _onto(found: Step, random: Random) -> None:
    """A rig of a person's own: its bones have other names, are rolled otherwise, and it stands elsewhere."""
    found["onto"] = random.choice(("RULES", "TABLE", "SAME"))
    for name in ("scale", "forward", "up"):
        found["options"].pop(name, None)
    if random.random() < 0.5:
        found["rolled"] = round(random.uniform(-3, 3), 2)
    if random.random() < 0.4:
        found["at"] = [round(random.uniform(-2, 2), 2) for _ in range(2)] + [0.0]
        found["turned"] = round(random.uniform(-3, 3), 2)
