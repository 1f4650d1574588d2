"""Options are declared once: as a dataclass; operators, dialogues and flags only show them."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import pytest

FORMATS = ("mrtk", "w3d", "w3x", "animx")
SIDES = (("import_anim", "ImportOptions"), ("export_anim", "ExportOptions"))


@pytest.fixture(
    params=[(name, *side) for name in FORMATS for side in SIDES], ids=lambda given: f"{given[1]}.{given[0]}"
)
def operator(request: pytest.FixtureRequest, bpy: Any, part: Callable[[str], Any]) -> tuple[Any, Any]:
    """An operator's RNA and the options it has to show."""
    name, room, kind = request.param
    rna = getattr(getattr(bpy.ops, room), name).get_rna_type()
    return rna, getattr(part(f"io_formats.{name}"), kind)


def test_every_option_is_a_property(operator: tuple[Any, Any]) -> None:
    rna, options = operator
    for declared in fields(options):
        shown = rna.properties[declared.name]
        assert shown.name == declared.metadata["label"]
        assert shown.description == declared.metadata["description"]
        kind = type(declared.default)
        assert shown.default == (pytest.approx(declared.default) if kind is float else declared.default)
        assert "(" not in shown.name or shown.unit == "NONE", f"{shown.name} tells its unit twice"
        if declared.metadata["items"]:
            items = tuple((item.identifier, item.name, item.description) for item in shown.enum_items)
            assert items == tuple(declared.metadata["items"])
        for end, shown_end in zip(declared.metadata["limits"], ("hard_min", "hard_max")):
            assert not math.isfinite(end) or getattr(shown, shown_end) == pytest.approx(end)
        assert (declared.name in ("skeleton", "name_table")) == (getattr(shown, "subtype", "") == "FILE_PATH")


def test_file_names_are_not_part_of_a_preset(operator: tuple[Any, Any]) -> None:
    rna, _ = operator
    for name in ("files", "directory", "collection"):
        if name in rna.properties:
            assert rna.properties[name].is_skip_save


@pytest.mark.parametrize("name", FORMATS)
def test_options_come_back_from_properties_text_and_flags(part: Callable[[str], Any], name: str) -> None:
    module, flags = part("operators.preferences"), part("io_formats.commands.flags")
    kind = part(f"io_formats.{name}").ImportOptions
    asked = replace(kind(), scale=2.5, rate="FILE", keep_source=False, limit_mib=7)
    assert module.read_options(asked, kind) == asked
    importing, load = part("operators.importing"), part("pipeline.import_files").Load
    loads = [load(part(f"io_formats.{name}").FORMAT, [], asked)]
    assert importing._loads_from_text(importing.loads_as_text(loads)) == loads
    parser = argparse.ArgumentParser()
    flags.add_flags(parser, kind)
    given = parser.parse_args(["--scale", "2.5", "--rate", "file", "--no-keep-source", "--limit-mib", "7"])
    assert flags.options_from(given, kind) == asked


def test_arguments_that_only_scripts_give_say_what_they_mean(bpy: Any) -> None:
    exporters = [getattr(bpy.ops.export_anim, name) for name in FORMATS]
    given = [(operator, "collection") for operator in exporters] + [(bpy.ops.anim_curves.save_name_table, "table")]
    for operator, argument in given:
        assert operator.get_rna_type().properties[argument].description
