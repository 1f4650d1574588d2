"""Every Blender writes the same bytes: keys edited alike are exported alike, baked ones within what Blender rounds.

`tests/data/same_bytes.json` holds one digest for each case, whatever the Blender and numpy; `tests/data/baked_*.npz`
what Blender 5.0.1 baked, which the others meet within a tolerance. `make renew` writes both anew, on purpose, and says
what has changed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from cases import slow_but
from in_blender import curves_of
from renewal import Renewal
from rest_keys import is_rest_key

bpy = pytest.importorskip("bpy")

DATA = Path(__file__).resolve().parent.parent / "data"
TABLE = DATA / "same_bytes.json"
TOLERANCE = 2e-5
"""Of positions in metres and of quaternion components: poses are float32 products of float32 matrices."""

FILES = {
    "mrtk 1.0": "mrtk/v10_recorder_3s_left_hand.bin",
    "mrtk 1.0 shapes": "mrtk/v10_curve_shapes.bin",
    "mrtk 1.1": "mrtk/v11_flags/v11_cam1_hand1_gaze1.bin",
    "w3d raw": "w3d/g01_raw_trim_vis.w3d",
    "w3d timecoded": "w3d/g03_tc_binmove.w3d",
    "w3d adaptive delta": "w3d/g09_ad_20b_200f.w3d",
    "w3d motion": "w3d/b01_motion_tc.w3d",
    "animx walk": "animx/08_walk_lzma_noeos.animx",
    "animx bezier": "animx/06_bezier_vt_lr.animx",
    "animx properties": "animx/16_properties_vt.animx",
}
Edit = Callable[[Any, int], None]


def every_curve(action: Any) -> Iterator[Any]:
    """The F-Curves of an Action in the order of their paths, in any Blender."""
    return iter(sorted(curves_of(action), key=lambda curve: (curve.data_path, curve.array_index)))


def nothing(curve: Any, number: int) -> None:
    """The key stays as it is."""


def raise_value(curve: Any, number: int) -> None:
    """A key goes up by an eighth, with its handles."""
    key = curve.keyframe_points[number]
    for point in (key.co, key.handle_left, key.handle_right):
        point[1] += 0.125


def shift_time(curve: Any, number: int) -> None:
    """A key goes a quarter of the way to the next, with its handles."""
    keys = curve.keyframe_points
    if number + 1 < len(keys):
        key, way = keys[number], (keys[number + 1].co[0] - keys[number].co[0]) / 4.0
        for point in (key.co, key.handle_left, key.handle_right):
            point[0] += way


def step(curve: Any, number: int) -> None:
    """The segment after a key becomes a step."""
    curve.keyframe_points[number].interpolation = "CONSTANT"


EDITS: dict[str, Edit] = {"untouched": nothing, "raised": raise_value, "shifted": shift_time, "stepped": step}
CASES = [(name, edit, source) for name in FILES for edit in EDITS for source in (True, False)]
QUICK = [(name, edit, source) for name, edit, source in CASES if source or edit in ("untouched", "raised")]


def case_name(name: str, edit: str, source: bool) -> str:
    """How the table calls a case."""
    return f"{name}, {edit}, {'onto its source' if source else 'from nothing'}"


def bring_in(path: Path) -> Any:
    """Import at 30 frames a second; what plays."""
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = 30, 1.0
    assert getattr(bpy.ops.import_anim, path.parts[len(DATA.parts)])(filepath=str(path), rate="SCENE") == {"FINISHED"}
    return bpy.context.view_layer.objects.active


def send_out(path: Path, folder: Path, **options: Any) -> bytes:
    """Export into a folder under the file's own name."""
    out = folder / path.name
    operator = getattr(bpy.ops.export_anim, path.parts[len(DATA.parts)])
    assert operator(filepath=str(out), **options) == {"FINISHED"}
    return out.read_bytes()


def exported(name: str, edit: str, source: bool, folder: Path) -> bytes:
    """One key of every curve of the file edited, rest keys left alone, and the file that is exported then."""
    path = DATA / FILES[name]
    rig = bring_in(path)
    held = is_rest_key if path.suffix == ".w3d" else lambda _curve: False
    own = (curve for curve in every_curve(rig.animation_data.action) if not held(curve))
    for number, curve in enumerate(own):
        EDITS[edit](curve, number * 7 % len(curve.keyframe_points))
    rig.animation_data.action.update_tag()
    return send_out(path, folder, use_source=source)


@pytest.mark.parametrize(("name", "edit", "source"), slow_but(QUICK, CASES), ids=[case_name(*case) for case in CASES])
def test_the_same_bytes_in_every_blender(
    extension: ModuleType, tmp_path: Path, renewal: Renewal | None, name: str, edit: str, source: bool
) -> None:
    found = exported(name, edit, source, tmp_path)
    digest = hashlib.sha256(found).hexdigest()
    if renewal is not None:
        renewal.digest(TABLE, case_name(name, edit, source), digest)
    wanted = json.loads(TABLE.read_text(encoding="utf-8"))
    assert digest == wanted[case_name(name, edit, source)]
    if edit == "untouched" and source:
        assert found == (DATA / FILES[name]).read_bytes()


# --- Baked --------------------------------------------------------------------------------------

BAKES = {"mrtk": "mrtk 1.1", "w3d": "w3d raw", "animx": "animx walk"}


def baked(name: str, folder: Path) -> dict[str, Any]:
    """The poses of a rig whose bones a constraint moves, by the exported file's own numbers."""
    path = DATA / FILES[BAKES[name]]
    rig = bring_in(path)
    rig.location, rig.rotation_euler = (1.0, 2.0, 3.0), (0.3, 0.2, 0.1)
    constraint = rig.pose.bones[len(rig.pose.bones) // 2].constraints.new("LIMIT_LOCATION")
    constraint.use_max_x, constraint.max_x = True, 0.01
    bpy.context.scene.frame_end = 12
    out = folder / "baked.animj"
    assert bpy.ops.export_anim.animx(filepath=str(out), sampling="BAKE") == {"FINISHED"}
    return dict(json.loads(out.read_text(encoding="utf-8")))


def numbers(document: dict[str, Any]) -> dict[str, np.ndarray]:
    """(keys, time and components) of each track that moves something."""
    found = {}
    for track in document["tracks"]:
        keys = track["data"]["keyframes"]
        values = [list(key["value"].values()) if isinstance(key["value"], dict) else [key["value"]] for key in keys]
        times = [[key.get("time", place)] for place, key in enumerate(keys)]
        found[f"{track['data'].get('node')} {track['data'].get('property')}"] = np.hstack([times, values]).astype(
            np.float32
        )
    return found


@pytest.mark.parametrize("name", BAKES)
def test_baked_alike_within_what_blender_rounds(
    extension: ModuleType, tmp_path: Path, renewal: Renewal | None, name: str
) -> None:
    found = numbers(baked(name, tmp_path))
    if renewal is not None:
        renewal.arrays(DATA / f"baked_{name}.npz", found)
    with np.load(DATA / f"baked_{name}.npz") as file:
        wanted = dict(file)
    assert found.keys() == wanted.keys() and len(wanted) > 3
    for track, values in wanted.items():
        assert found[track].shape == values.shape, track
        assert np.abs(found[track] - values).max() < TOLERANCE, track
    assert max(np.ptp(values[:, 1:], axis=0).max() for values in wanted.values()) > 0.01
