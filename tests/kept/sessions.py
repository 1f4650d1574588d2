"""Sessions in Blender that a number draws, and all that they say, draw, write and leave in the .blend.

What is drawn is taken from what is declared: operators and options of ours from their classes, what a person changes
from Blender's own properties, as far as our code names them.
"""

from __future__ import annotations

import importlib
import random
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import chdir, redirect_stdout
from dataclasses import fields
from functools import cache
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import blend_census
import bpy
import numpy as np
from calls import contents, seen
from drawn_files import FORMATS, draw, pick
from in_blender import curves_of, push_down
from scenes import draw as scenes
from scenes import stage

ROOT = "bl_ext.user_default.io_anim_curves"
SOURCE = Path(__file__).resolve().parents[2]
KINDS = ("actions", "armatures", "cameras", "collections", "lights", "materials", "meshes", "objects", "scenes",
         "shape_keys", "texts", "state")  # fmt: skip
"""Of a .blend, what a session tells at its end: Blender's own things are others in each version."""

NOT_DRAWN = ("memory_mib", "time_s", "filter_glob", "filepath", "directory", "ending", "text", "said", "listed")
"""Properties that hold for the whole process, or that a step gives by itself."""

NUMBERS = (0.0, 1.0, -1.0, 0.5, 2.0, 7.0, 12.0, 24.0, 30.0, 0.01, 100.0)
STRINGS = ("", "Palm.L", "hand_l=Wrist.L", "my ", "{file} {animation}", "WALK", "*Rotation*")
VARYING = (
    (r"\d{4}-\d\d-\d\d \d\d:\d\d", "TODAY"), (re.escape(bpy.app.version_string), "VERSION"), (r"0x[0-9a-f]{6,}", "0x"),
    (r"Source of \S+", "SOURCE"),
)  # fmt: skip


class Layout:
    """Stands for a layout and remembers all that is drawn."""

    def __init__(self, told: list[str], name: str = "") -> None:
        self.__dict__.update(told=told, name=name)

    def __getattr__(self, name: str) -> Layout:
        return Layout(self.told, name)

    def __setattr__(self, name: str, value: object) -> None:
        self.told.append(f"{name} = {value}")

    def __call__(self, *given: object, **named: object) -> Layout:
        plain = [each for each in (*given, *named.values()) if isinstance(each, str | int | float)]
        self.told.append(f"{self.name} {plain}")
        return self

    def __iter__(self) -> Iterator[Layout]:
        return iter((self, self))


def session(number: int, folder: Path) -> str:
    """A scene, what a person does in it, and what is there at the end."""
    (folder / "games").mkdir()
    for path in (SOURCE / "tests" / "data" / "w3d").glob("g0[1-3]_*.w3d"):
        shutil.copyfile(path, folder / "games" / path.name)
    with chdir(folder):
        told = done(random.Random(f"session {number}"), folder)
    text = "\n".join(told).replace(str(folder), "").replace(str(folder.resolve()), "")
    for varying, instead in VARYING:
        text = re.sub(varying, instead, text)
    return text


def done(rng: random.Random, folder: Path) -> list[str]:
    """What a session tells, with paths and times."""
    told = list[str]()
    set_preferences(rng, folder)
    furnish(rng)
    steps = (*[bring_in] * 6, *[call_tool] * 6, *[alter] * 4, *[do] * 3, *[take_out] * 6)
    before = {path: path.read_bytes() for path in seen(folder)}
    for step in [rng.choice((bring_in, bring_in, alter)), *rng.choices(steps, k=rng.choice((2, 3, 4, 5)))]:
        choose(rng)
        with redirect_stdout(StringIO()) as out:  # where Blender writes what operators report
            step(rng, folder, told)
        told += [line for line in out.getvalue().splitlines() if line.startswith(("Info: ", "Warning: ", "Error: "))]
        made = {path: path.read_bytes() for path in seen(folder) if not path.suffix.startswith(".blend")}
        new = [path for path, data in made.items() if before.get(path, data if "take" in path.name else b"") != data]
        told += [f"{path.name}:\n{contents(path)}" for path in new]
        before = made
        draw_panels(told)
    found = blend_census.census()
    told += [f"{kind} {as_text(each)}" for kind in KINDS for each in found[kind]]
    return told


def ours(place: str) -> Any:
    """A module of the extension."""
    return importlib.import_module(f"{ROOT}.{place}")


@cache
def operators() -> tuple[Any, ...]:
    """All operators of ours."""
    return tuple(cls for cls in ours("operators").CLASSES if issubclass(cls, bpy.types.Operator))


@cache
def words() -> frozenset[str]:
    """What our code names."""
    texts = [path.read_text(encoding="utf-8") for room in ("scene", "pipeline", "operators")
             for path in (SOURCE / room).rglob("*.py") if path.name != "de.py"]  # fmt: skip
    return frozenset(word for text in texts for word in re.findall(r"\w+", text))


def as_text(value: Any) -> str:
    """What a census holds, keys as their numbers."""
    if isinstance(value, bytes):
        return as_text(np.frombuffer(value, np.float32).tolist())
    if isinstance(value, float):
        return f"{value + 0.0:.6g}"
    if isinstance(value, dict):
        return as_text([*value.items()])
    return f"[{', '.join(map(as_text, value))}]" if isinstance(value, list | tuple) else str(value)


def set_preferences(rng: random.Random, folder: Path) -> None:
    """Draw the preferences of ours."""
    preferred = bpy.context.preferences.addons[ROOT].preferences
    for each in drawable(preferred.bl_rna):
        preferred.property_unset(each.identifier)
        if rng.random() < 0.1:
            setattr(preferred, each.identifier, drawn(rng, each, folder))
    preferred.game_folders = rng.choice(("", "", "games"))  # panels wrap it, so it has to be as long everywhere


def furnish(rng: random.Random) -> None:
    """An empty scene, or one that a person made."""
    recipe = scenes.draw(rng.choice(FORMATS), 0, rng.randrange(10_000))
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    if rng.random() < 0.5:
        for step in recipe["steps"]:
            if step["do"] not in ("import", "metarig"):
                perform(step)
    elif rng.random() < 0.5:
        perform(recipe["steps"][0])


def perform(step: dict[str, Any]) -> None:
    """Do a step of a recipe, where it can be done."""
    try:
        stage.build_step(step)
    except (stage.MissingError, KeyError, IndexError, RuntimeError, TypeError, ValueError, AttributeError):
        return


def choose(rng: random.Random) -> None:
    """Select things and bones, as often those that move, and now and then another mode."""
    if bpy.context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    things = [*bpy.context.view_layer.objects]
    if not things or rng.random() < 0.4:
        return
    rigs = [each for each in things if each.type == "ARMATURE"] or things
    bpy.context.view_layer.objects.active = active = rng.choice(rigs if rng.random() < 0.7 else things)
    for each in things:
        each.select_set(each == active or rng.random() < 0.3)
    if active.type == "ARMATURE" and rng.random() < 0.4 and not active.hide_get():
        bpy.ops.object.mode_set(mode=rng.choice(("POSE", "POSE", "POSE", "EDIT")))
        bones = active.pose.bones if "select" in bpy.types.PoseBone.bl_rna.properties else active.data.bones
        for bone in bones if bpy.context.mode == "POSE" else ():
            bone.select = rng.random() < 0.3


def drawable(rna: Any) -> list[Any]:
    """The properties that a draw can set."""
    kinds = ("BOOLEAN", "INT", "FLOAT", "ENUM", "STRING")
    return [each for each in rna.properties if each.type in kinds and not each.is_readonly
            and each.identifier not in NOT_DRAWN and not each.identifier.startswith("bl_")]  # fmt: skip


def drawn(rng: random.Random, declared: Any, folder: Path) -> Any:
    """A value that a property's declaration allows."""
    if getattr(declared, "is_array", False):
        return [drawn_one(rng, declared, folder) for _ in range(declared.array_length)]
    return drawn_one(rng, declared, folder)


def drawn_one(rng: random.Random, declared: Any, folder: Path) -> Any:
    """One such value."""
    if declared.type == "BOOLEAN":
        return rng.random() < 0.5
    if declared.type == "ENUM":
        names = [item.identifier for item in declared.enum_items]
        return {*rng.choices(names, k=1)} if declared.is_enum_flag else rng.choice(names)
    if declared.type == "STRING":
        names = [thing.name for kind in (bpy.data.objects, bpy.data.collections, bpy.data.actions) for thing in kind]
        files = [str(path) for path in seen(folder)] if declared.subtype in ("FILE_PATH", "DIR_PATH") else []
        return rng.choice(files or [*STRINGS, *names])
    kind = int if declared.type == "INT" else float
    low, high = declared.hard_min, declared.hard_max
    return kind(min(max(rng.choice((declared.default, *NUMBERS)), low), high))


def options(rng: random.Random, cls: Any, folder: Path) -> dict[str, Any]:
    """Some options of an operator, with what these need."""
    rna = cls.bl_rna.properties
    about = {
        each.name: each.metadata
        for kind in ("import_options", "export_options")
        for each in (fields(getattr(cls.file_format, kind)) if hasattr(cls, "file_format") else ())
    }
    given: dict[str, Any] = {}
    known = [each for each in drawable(cls.bl_rna) if each.identifier in words() or each.identifier in about]
    for each in pick(rng, known, lambda each: each.identifier, rng.choice((0, 1, 2, 4, 8))):
        given[each.identifier] = drawn(rng, each, folder)
        other, *values = about.get(each.identifier, {}).get("only_with") or ("",)
        if other in rna:
            given[other] = rng.choice(values)
    return given


def call(told: list[str], cls: Any, **given: Any) -> None:
    """Call an operator as a script does; what it is given, returns and refuses is told."""
    group, _, name = cls.bl_idname.lower().replace("_ot_", ".").rpartition(".")
    told.append(f"$ {group}.{name} {given}")
    try:
        told.append(f"-> {getattr(getattr(bpy.ops, group), name)(**given)}")
    except RuntimeError as error:
        told.append(f"-> {error}")


def bring_in(rng: random.Random, folder: Path, told: list[str]) -> None:
    """Import a file or two."""
    name = rng.choice(FORMATS)
    cls = next(cls for cls in operators() if cls.bl_idname.endswith(f"mport_anim.{name}"))
    count = rng.choice((1, 1, 1, 1, 2))
    paths = [draw(rng, folder, f"take{len(seen(folder))}", name if rng.random() < 0.95 else "") for _ in range(count)]
    files = [{"name": path.name} for path in paths]
    several = {"files": files, "directory": str(folder)} if count > 1 else {"filepath": str(paths[0])}
    call(told, cls, **several, **options(rng, cls, folder))


def take_out(rng: random.Random, folder: Path, told: list[str]) -> None:
    """Export what is there."""
    name = rng.choice(FORMATS)
    cls = next(cls for cls in operators() if cls.bl_idname.endswith(f"xport_anim.{name}"))
    ending = rng.choice(cls.file_format.extensions)
    others = [path for path in seen(folder) if path.suffix == ending]
    path = rng.choice(others) if others and rng.random() < 0.3 else folder / f"made{len(seen(folder))}{ending}"
    call(told, cls, filepath=str(path), **options(rng, cls, folder))


def call_tool(rng: random.Random, folder: Path, told: list[str]) -> None:
    """Press a button of ours, rather one that can be pressed."""
    tools = [
        cls
        for cls in operators()
        if cls.bl_idname.startswith("anim_curves.") and "INTERNAL" not in getattr(cls, "bl_options", ())
    ]
    ready = [cls for cls in tools if not hasattr(cls, "poll") or cls.poll(bpy.context)]
    (cls,) = pick(rng, ready if ready and rng.random() < 0.9 else tools, lambda cls: cls.bl_idname)
    given = options(rng, cls, folder)
    if "filepath" in cls.bl_rna.properties:
        given["filepath"] = str(folder / "table.json")
    call(told, cls, **given)


def changeable(rng: random.Random) -> Iterator[Any]:
    """One thing of each kind that a person changes."""
    scene, objects = bpy.context.scene, [*bpy.data.objects]
    curves = [curve for action in bpy.data.actions for curve in curves_of(action)]
    animated = [each.animation_data for each in objects if each.animation_data]
    tracks = [track for data in animated for track in data.nla_tracks]
    bones = [bone for each in objects if each.pose for bone in each.pose.bones]
    kinds = [[scene, scene.render, scene.unit_settings], objects, objects, bones, bones, animated, tracks, curves,
             [strip for track in tracks for strip in track.strips], [*bpy.data.actions],
             [bone.bone for bone in bones], [limit for each in (*objects, *bones) for limit in each.constraints],
             [point for curve in rng.sample(curves, min(3, len(curves))) for point in curve.keyframe_points],
             [block for key in bpy.data.shape_keys for block in key.key_blocks], [*bpy.data.collections],
             [driver.driver for data in animated for driver in data.drivers],
             [*bpy.context.view_layer.layer_collection.children]]  # fmt: skip
    yield from (rng.choice(found) for found in kinds if found)


def alter(rng: random.Random, folder: Path, told: list[str]) -> None:
    """Change up to four properties of what is there, of those that our code names."""
    for _ in range(rng.choice((1, 2, 4))):
        owner = rng.choice([*changeable(rng)])
        known = [each for each in drawable(owner.bl_rna) if each.identifier in words()]
        for declared in pick(rng, known, lambda each: each.identifier):
            value = drawn(rng, declared, folder)
            told.append(f"$ {type(owner).__name__}.{declared.identifier} = {value}")
            try:
                setattr(owner, declared.identifier, value)
            except (TypeError, ValueError, AttributeError, RuntimeError) as error:
                told.append(type(error).__name__)


def do(rng: random.Random, folder: Path, told: list[str]) -> None:
    """Do what is no property: keys, strips, copies, things that go, a file saved and opened."""
    thing = rng.choice([*bpy.context.view_layer.objects] or [None])
    action = rng.choice([*bpy.data.actions] or [None])
    deeds: list[Callable[[], Any]] = [
        lambda: bpy.ops.wm.save_as_mainfile(filepath=str(folder / "kept.blend")),
        lambda: (bpy.ops.wm.save_as_mainfile(filepath=str(folder / "kept.blend")),
                 bpy.ops.wm.open_mainfile(filepath=str(folder / "kept.blend"))),
        lambda: push_down(thing, rng.choice((1, 10, 40))),
        lambda: bpy.ops.object.duplicate(linked=rng.random() < 0.3),
        lambda: bpy.data.objects.remove(thing),
        lambda: bpy.data.actions.remove(action),
        lambda: setattr(thing.animation_data_create(), "action", action),
        lambda: setattr(thing.animation_data_create(), "action", action.copy()),
        lambda: thing.keyframe_insert(rng.choice(("location", "rotation_euler", "scale")), frame=rng.randrange(40)),
        lambda: setattr(thing, "parent", rng.choice([*bpy.data.objects])),
        lambda: thing.constraints.new("COPY_LOCATION"),
        lambda: bpy.data.texts.remove(rng.choice([*bpy.data.texts])),
    ]  # fmt: skip
    number = rng.randrange(len(deeds))
    told.append(f"$ deed {number}")
    try:
        deeds[number]()
    except (TypeError, ValueError, AttributeError, RuntimeError, IndexError) as error:
        told.append(type(error).__name__)


def draw_panels(told: list[str]) -> None:
    """Draw the panels of the sidebar."""
    bpy.context.view_layer.update()
    for cls in ours("operators.panels").CLASSES[::3]:
        if cls.poll(bpy.context):
            told.append(f"panel {cls.bl_label}")
            cls.draw(SimpleNamespace(layout=Layout(told)), bpy.context)
