"""One recipe from the scene to the verdict: built, exported through the operator, judged."""

from __future__ import annotations

import importlib
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bpy

from . import compare, stage

PACKAGE = "bl_ext.user_default.io_anim_curves"
MESSAGES: Any = importlib.import_module(f"{PACKAGE}.pipeline.messages")
MEASURED = (
    MESSAGES.PLAYED_OFF,
    MESSAGES.PLAYED_OFF_SIZE,
    MESSAGES.PLAYED_OFF_UNITS,
    MESSAGES.PLAYED_OFF_BETWEEN,
    MESSAGES.VALUE_OFF,
    MESSAGES.GOES_ON,
    MESSAGES.GOES_ON_APART,
)
"""What the check of the export itself says, which excuses nothing here: the two judge apart from each other."""

_ENDINGS = {"mrtk": ".bin", "w3d": ".w3d", "w3x": ".w3x", "animx": ".animj"}


def try_recipe(recipe: dict[str, Any]) -> list[compare.Find]:
    """What is wrong with the export of a recipe's scene; nothing where all is well."""
    return compared(recipe)[0]


def compared(recipe: dict[str, Any]) -> tuple[list[compare.Find], compare.Export]:
    """The same, and what the operator made of it."""
    exported = export(recipe, stage.build(recipe))
    return compare.judge(recipe, exported), exported


def export(recipe: dict[str, Any], facts: dict[str, Any]) -> compare.Export:
    """What the operator makes of the scene that is open; `facts` are of a take that it imported."""
    options = dict(recipe["options"])
    ending = options.pop("ending", facts.get("ending") or _ENDINGS[recipe["format"]])
    with tempfile.TemporaryDirectory() as folder, overheard() as written:
        path = Path(folder) / f"scene{ending}"
        refusal = ""
        try:
            getattr(bpy.ops.export_anim, recipe["format"])(filepath=str(path), **options)
        except RuntimeError as error:
            refusal = str(error)
        data = path.read_bytes() if path.exists() else None
    return compare.Export(
        data, refusal or ("" if data is not None else "nothing was written"),
        [str(entry) for each in written for entry in each.report.warnings if entry.template not in MEASURED],
        [str(entry) for each in written for entry in each.report.notes], facts.get("imported"), facts.get("source"),
        bool(facts.get("untouched")), facts.get("renamed", {}), next((each.check for each in written), None),
        recipe["format"] in ("w3d", "w3x"),
    )  # fmt: skip


@contextmanager
def overheard() -> Iterator[list[Any]]:
    """What is exported within, as the operators tell it."""
    module: Any = importlib.import_module(f"{PACKAGE}.operators.reporting")
    told, heard = module.tell_exports, []

    def tell(operator: Any, context: Any, written: Any) -> Any:
        heard.extend(written)
        return told(operator, context, written)

    module.tell_exports = tell
    try:
        yield heard
    finally:
        module.tell_exports = told
