"""*Online Manual* (F1) leads from each operator and each of its options to a page that is there."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.once  # of one Blender as of any
DOCS = Path(__file__).resolve().parents[2] / "docs"


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as its readers make them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.fixture
def manual(bpy: Any) -> Callable[[str], str]:
    """The address that Blender's operator finds for what is under the pointer, such as `IMPORT_ANIM_OT_w3d.scale`."""
    window = importlib.import_module("bl_operators.wm")

    def address(found: str) -> str:
        rna = window._wm_doc_get_id(found, do_url=False) or f"bpy.types.{found}"  # 4.2 knows no add-on's preferences
        return str(window.WM_OT_doc_view_manual._lookup_rna_url(rna, verbose=False))

    return address


def ids(bpy: Any, part: Callable[[str], Any]) -> list[str]:
    """All operators, as buttons name them, with all their options, and the preferences."""
    classes = part("operators").CLASSES
    names = [made.bl_idname for made in classes if issubclass(made, bpy.types.Operator)]
    types = [getattr(getattr(bpy.ops, group), name).get_rna_type() for group, name in (one.split(".") for one in names)]
    types += [made.bl_rna for made in classes if issubclass(made, bpy.types.AddonPreferences)]
    options = ((found.identifier, set(found.properties.keys()) - {"rna_type", "bl_idname"}) for found in types)
    return [*names, *(f"{owner}.{name}" for owner, own in options for name in own)]


def test_every_operator_and_option_leads_to_a_page(
    bpy: Any, part: Callable[[str], Any], manual: Callable[[str], str]
) -> None:
    everything = ids(bpy, part)
    assert len(everything) > 150
    for found in everything:
        website, _, page = manual(found).partition("/docs/")
        name, _, anchor = page.partition("#")
        assert website == "https://example.org/animation-curves-io", found
        assert (DOCS / name).is_file(), (found, page)
        assert not anchor or anchor in anchors(DOCS / name), (found, page)


@pytest.mark.parametrize(
    ("found", "page"),
    [
        ("import_anim.w3d", "w3d.md#what-you-get"),
        ("IMPORT_ANIM_OT_mrtk.hand_mesh", "mrtk.md#what-you-get"),
        ("EXPORT_ANIM_OT_animx.tolerance", "exporting.md"),
        ("anim_curves.fewer_keys", "keys.md"),
        ("ANIM_CURVES_OT_match_names.pairs", "rigs.md#which-bone-a-name-means"),
        ("anim_curves.add_game_folder", "w3d.md#animations-of-an-armature-and-archives"),
        ("AnimCurvesPreferences.game_folders", "install.md"),
        ("anim_curves.reload", "install.md#what-it-reports"),
    ],
)
def test_what_is_asked_about_is_on_its_page(manual: Callable[[str], str], found: str, page: str) -> None:
    assert manual(found).endswith(f"/docs/{page}")


def test_a_key_of_blender_leads_where_it_led(manual: Callable[[str], str]) -> None:
    assert "docs.blender.org" in manual("anim.keyframe_insert")
