"""A .blend whose notes about an imported file were changed by hand exports all the same, and says so."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from cases import slow_but

from tests.operators.test_endless_places import FILES

pytestmark = pytest.mark.once  # of one Blender as of any
DEEP = "[" * 100_000
TAMPERED: dict[str, tuple[str, Any]] = {
    "limit as text": ("options", '{"limit_mib": "a"}'),
    "limit out of range": ("options", '{"limit_mib": 1e308}'),
    "scale as text": ("options", '{"scale": "a"}'),
    "scale NaN": ("options", '{"scale": NaN}'),
    "no rate": ("options", '{"rate": null}'),
    "no such fit": ("options", '{"fit": "TIGHT"}'),
    "nested options": ("options", DEEP),
    "options as a list": ("options", "[1]"),
    "nested owners": ("owners", DEEP),
    "owners as a list": ("owners", "[[1, 2]]"),
    "an owner without a number": ("owners", '{"a": 1}'),
    "an owner without a digest": ("owners", '{"1": null}'),
    "bones as a list": ("bones", '[["a", []]]'),
    "negative index": ("index", -9),
    "index beyond": ("index", 1),
    "no such format": ("format", "xyz"),
    "curves cut": ("curves", b"abc"),
    "curves as text": ("curves", "abc"),
    "rate NaN": ("rate", float("nan")),
    "rate infinite": ("rate", float("inf")),
    "start NaN": ("start_frame", float("nan")),
    "placed cut": ("placed", "[1, 2]"),
    "posed by a text": ("posed", '[["location", 0, "a"]]'),
}


def imported(bpy: Any, data: Path, name: str) -> Any:
    getattr(bpy.ops.import_anim, name)(filepath=str(data / FILES[name]))
    return bpy.data.actions[0]


QUICK = [*product(["w3d"], TAMPERED), *product(FILES, list(TAMPERED)[::5])]


@pytest.mark.parametrize(("name", "change"), slow_but(QUICK, product(FILES, TAMPERED)))
def test_unreadable_notes_cost_only_exactness(
    bpy: Any, part: Callable[[str], Any], data: Path, tmp_path: Path, reports: list[str], name: str, change: str
) -> None:
    action = imported(bpy, data, name)
    key, value = TAMPERED[change]
    action[part("scene.provenance").KEY][key] = value
    target = tmp_path / Path(FILES[name]).name
    assert getattr(bpy.ops.export_anim, name)(filepath=str(target)) == {"FINISHED"}
    assert "byte for byte" not in reports[-1]
    told = bpy.data.texts[part("operators.reporting").EXPORT_TEXT].as_string()
    assert "are missing or damaged; everything is computed again" in told
    package = part(f"io_formats.{name}")
    assert package.describe(package.read(target.read_bytes()))


@pytest.mark.parametrize("facts", [DEEP, "[1]", "{", json.dumps(5)])
def test_unreadable_facts_are_none(bpy: Any, part: Callable[[str], Any], data: Path, facts: str) -> None:
    origins, notes = part("pipeline.source_file"), part("scene.provenance")
    action = imported(bpy, data, "mrtk")
    action[notes.KEY][notes.FACTS] = facts
    assert origins.facts_of(action) == {}


def test_a_text_with_unreadable_notes_is_no_skeleton_that_was_kept(bpy: Any, data: Path) -> None:
    """A skeleton is kept once in a .blend, so that those that are there are looked at."""
    bpy.data.texts.new("changed by hand")["anim_curves"] = 5
    folder = data / "w3d"
    assert bpy.ops.import_anim.w3d(filepath=str(folder / "g02_tc_default.w3d")) == {"FINISHED"}
    (kept,) = (text for text in bpy.data.texts if "anim_curves_beside" in text)
    assert kept["anim_curves_beside"].name.startswith("Source of ")


@pytest.mark.parametrize("tool", ["reload", "export_in_place"])
def test_a_file_of_a_format_that_is_not_known_here_is_told(
    bpy: Any, part: Callable[[str], Any], data: Path, reports: list[str], tool: str
) -> None:
    """As a later version of this extension may note it."""
    origins = part("pipeline.source_file")
    action = imported(bpy, data, "w3d")
    part("scene.provenance").note(action, "facts", {**origins.facts_of(action), "format_name": "later"})
    with pytest.raises(RuntimeError, match="later") as caught:
        getattr(bpy.ops.anim_curves, tool)()
    assert "Traceback" not in str(caught.value)


@pytest.mark.parametrize("change", ["limit out of range", "scale as text", "no such fit", "no such format"])
def test_a_file_is_loaded_again_or_it_is_said_why_not(
    bpy: Any, part: Callable[[str], Any], data: Path, reports: list[str], change: str
) -> None:
    action = imported(bpy, data, "w3d")
    key, value = TAMPERED[change]
    action[part("scene.provenance").KEY][key] = value
    try:
        assert bpy.ops.anim_curves.reload() == {"FINISHED"}
    except RuntimeError as error:
        assert "Traceback" not in str(error) and reports
