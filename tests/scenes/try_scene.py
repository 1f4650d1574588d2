"""One recipe from the scene to the verdict: built, exported through the operator, judged."""

from __future__ import annotations

import importlib
import struct
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bpy

from . import back, stage
from .judge import judge
from .judges import pivots
from .verdict import ENDINGS, Export, Find

PACKAGE = "bl_ext.user_default.io_anim_curves"
MESSAGES: Any = importlib.import_module(f"{PACKAGE}.pipeline.messages")
MEASURED = (
    MESSAGES.PLAYED_OFF, MESSAGES.PLAYED_OFF_SIZE, MESSAGES.PLAYED_OFF_UNITS, MESSAGES.PLAYED_OFF_BETWEEN,
    MESSAGES.VALUE_OFF, MESSAGES.GOES_ON, MESSAGES.GOES_ON_APART,
)  # fmt: skip
"""What the check of the export itself says, which excuses nothing here: the two judge apart from each other."""


def try_recipe(recipe: dict[str, Any]) -> list[Find]:
    """What is wrong with the export of a recipe's scene; nothing where all is well."""
    if "file" in recipe:
        data = (stage.SAMPLES / recipe["file"]).read_bytes()
        return back.go_round(recipe, _with_more(recipe, data), export)
    facts = stage.build(recipe)
    exported = export(recipe, facts)
    found = judge(recipe, exported)
    if not found and "loop" in recipe and exported.data is not None and pivots.is_whole(recipe, exported.data):
        found = back.go_round(recipe, _with_more(recipe, exported.data, facts), export)
    return found


def _with_more(recipe: dict[str, Any], data: bytes, facts: dict[str, Any] | None = None) -> bytes:
    """The file with markers, or a second animation of the same scene or another skeleton, where the recipe says so."""
    form, marks = recipe["loop"].get("second"), recipe["loop"].get("marks", [])
    if marks and data[-4:] == bytes(4):
        texts = [(time, text.encode()) for time, text in marks]
        told = [struct.pack("<fB", time, len(text)) + text for time, text in texts]
        return data[:-4] + struct.pack("<i", len(marks)) + b"".join(told)
    if form is None or facts is None or facts:
        return data
    own = {"flavor": form} if recipe["format"] == "w3d" else {}
    more = {**own, "into_existing": True, "animation_name": "SECOND", "first_frame": 2}
    return export({**recipe, "options": more}, facts, data).data or data


def export(recipe: dict[str, Any], facts: dict[str, Any], there: bytes | None = None) -> Export:
    """What the operator makes of the scene that is open; `facts` are of a take that it imported.

    Args:
        there: a file that is there already.
    """
    options = dict(recipe["options"])
    ending = options.pop("ending", facts.get("ending") or ENDINGS[recipe["format"]])
    beside = facts.get("beside") or facts.get("source", b"")
    if "skeleton" in options:
        options["skeleton"] = str(stage.SAMPLES / options["skeleton"])
        beside = Path(options["skeleton"]).read_bytes()
    with tempfile.TemporaryDirectory() as folder, overheard() as written:
        path = Path(folder) / f"scene{ending}"
        if there is not None:
            path.write_bytes(there)
        refusal = _write(recipe["format"], path, options, again=there is None)
        files = {each.name: each.read_bytes() for each in sorted(Path(folder).iterdir())}
        data = files.get(path.name, next(iter(files.values()), None))
    return Export(
        data, refusal or ("" if data is not None else "nothing was written"),
        [str(entry) for each in written for entry in each.report.warnings if entry.template not in MEASURED],
        [str(entry) for each in written for entry in each.report.notes], facts.get("imported"), facts.get("source"),
        bool(facts.get("untouched")) and {*recipe["options"].values()} <= {"AUTO"},
        facts.get("renamed") or _named(options),
        next((each.check for each in written), None),
        recipe["format"] in ("w3d", "w3x") or options.get("sampling") == "BAKE",
        beside=beside, files=files, animations=facts.get("animations", []),
        edited=facts.get("edited", []),
    )  # fmt: skip


def _write(kind: str, path: Path, options: dict[str, Any], *, again: bool) -> str:
    """Write a file; why not. Into an existing one, if `again`, that holds the same animation under another name."""
    operator = getattr(bpy.ops.export_anim, kind)
    try:
        if options.get("into_existing") and again:
            operator(filepath=str(path), **options | {"into_existing": False, "animation_name": "FIRST"})
        operator(filepath=str(path), **options)
    except RuntimeError as error:
        return str(error)
    return ""


def _named(options: dict[str, Any]) -> dict[str, str]:
    """The joints that an option says bones of other names are."""
    pairs = (pair.split("=") for pair in options.get("joint_names", "").split("; ") if "=" in pair)
    return dict(pairs)


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
