"""Scenes that a number draws, what exports make of them, and what is there when a file is imported again."""

from __future__ import annotations

import json
import re
import tempfile
import zlib
from pathlib import Path
from random import Random
from typing import Any

import blend_census
from calls import contents
from scenes import back, draw, loop, stage, try_scene
from scenes.judges.imports import Taken
from sessions import KINDS, VARYING, as_text, operators, options

Step = dict[str, Any]
WORTH_KEEPING = sorted((stage.SAMPLES / "scenes").glob("*.json"))


def recipe(number: int, folder: Path) -> str:
    """A drawn scene exported as it is captured, then with a check that may mend that, and the way back."""
    random, told, data = Random(f"recipe {number}"), list[str](), b""
    drawn = scene_of(random, number)
    if "file" in drawn:
        data = (stage.SAMPLES / drawn["file"]).read_bytes()
    else:
        facts, own = stage.build(drawn), declared(random, drawn, "export", folder)
        for check in ("OFF", random.choice(("QUICK", "THOROUGH"))):
            given = {**drawn["options"], **own, "check_playback": check}
            exported = try_scene.export({**drawn, "options": given}, facts)
            told, data = told + said(exported, folder), exported.data or b""
    if data and random.random() < 0.4 + ("loop" in drawn):
        told += brought_back(random, drawn, data, folder)
    text = re.sub(rf"({re.escape(str(folder))}|{re.escape(tempfile.gettempdir())}/[^/\s]+)/?", "", "\n".join(told))
    for varying, instead in (*VARYING, (re.escape(f"{stage.SAMPLES}/"), "")):
        text = re.sub(varying, instead, text)
    return text


def scene_of(random: Random, number: int) -> Step:
    """A scene that was worth keeping, a small one that has much of what is rare, or an ordinary one."""
    name, way = draw.FORMATS[number % len(draw.FORMATS)], random.random()
    if way < 0.2:
        nearest = min(WORTH_KEEPING, key=lambda path: zlib.crc32(f"{number} {path.stem}".encode()))
        found: Step = json.loads(nearest.read_text(encoding="utf-8"))
        return found
    return draw.dense(2602, number, name) if way < 0.7 else draw.draw(name, 2602, number)


def declared(random: Random, drawn: Step, kind: str, folder: Path) -> Step:
    """Options of an import or export as they are declared, or none."""
    if random.random() < 0.5:
        return {}
    named = f"{kind}_anim.{drawn['format']}"
    return options(random, next(cls for cls in operators() if cls.bl_idname == named), folder)


def said(exported: Any, folder: Path) -> list[str]:
    """What an export says, measured and wrote."""
    told = [exported.refusal, *exported.warnings, *exported.notes]
    for name, found in exported.check._asdict().items() if exported.check else ():
        told += [f"{name} {sorted(found) if isinstance(found, set) else found}"] * (name != "seconds")
    for name, data in exported.files.items():
        (folder / name).write_bytes(data)
        told.append(f"{name}:\n{contents(folder / name)}")
    return told


def brought_back(random: Random, drawn: Step, data: bytes, folder: Path) -> list[str]:
    """What an import leaves, and what is exported when something was done with that."""
    way = drawn.get("loop") or loop.draw(drawn["format"], random)
    asked = {**way["options"], **declared(random, drawn, "import", folder)}
    back.make_scene(way)
    ending = Path(drawn.get("file", "")).suffix or drawn["options"].get("ending", try_scene.ENDINGS[drawn["format"]])
    try:
        back.take_in(Taken(drawn["format"], data, asked, way, folder / f"{way['stem']}{ending}"))
    except RuntimeError as error:
        return [str(error)]
    census, told = blend_census.census(), list[str]()
    told += [f"{kind} {as_text(each)}" for kind in KINDS for each in census[kind]]
    for step in way["then"]:
        try:
            stage.build_step(step)
        except stage.MissingError as error:
            told.append(str(error))
    given = declared(random, drawn, "export", folder)
    return told + said(try_scene.export({**drawn, "options": given}, {"ending": ending, "source": data}), folder)
