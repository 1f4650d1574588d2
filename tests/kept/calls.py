"""Calls of the program that a number draws, and all that it says and makes."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import random
import shlex
import struct
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from drawn_files import FORMATS, draw, pick

from io_formats import ENDINGS, TARGETS, __main__, open_in_steps, target_of
from io_formats.commands import flags, looks
from io_formats.errors import FormatError
from io_formats.files.steps import finished

COMMANDS = (*["convert"] * 9, *["batch"] * 3, "info", "verify", "lint", "dump", "diff", "lint")
OWN = ("memory_mib", "jobs", "to", "output", "resume", "files", "help")
"""Flags that hold for the whole process, or that a draw gives by itself."""

TEXTS = ("", "Palm.L", "hand_l=Wrist.L; Palm=Palm.R", "WALK", "*Rotation*", "B1;p0")
NUMBERS = (0.0, 1.0, 0.01, 2.0, -1.0, 7.0, 0.5, 15.0, 1e-4, 1000.0)


def call(number: int, folder: Path) -> str:
    """All that is said and made by drawn calls about two drawn files, and about what the calls before made of them."""
    rng, told = random.Random(f"call {number}"), []
    name = rng.choice(FORMATS)
    files = [draw(rng, folder, stem, kind) for stem, kind in (("one", name), ("two", rng.choice((name, ""))))]
    for turn in range(rng.choice((1, 2, 2, 3, 4))):
        before = {path: path.read_bytes() for path in seen(folder)}
        line = drawn_line(rng, files, folder, turn)
        told.append(f"$ {shlex.join(line)}\n{said(line)}")
        made = [path for path in seen(folder) if before.get(path) != path.read_bytes()]
        told += [f"{path.name}:\n{contents(path)}" for path in made]
        files += [path for path in made if path.suffix in ENDINGS]
    return "\n".join(told).replace(str(folder), "")


def seen(folder: Path) -> list[Path]:
    """All files of a folder and below."""
    return sorted(path for path in folder.rglob("*") if path.is_file())


def drawn_line(rng: random.Random, files: list[Path], folder: Path, turn: int) -> list[str]:
    """A command with files and flags."""
    command, one, other = rng.choice(COMMANDS), rng.choice(files), rng.choice(files)
    target = rng.choice((*TARGETS, *ENDINGS))
    if command == "batch":
        places = rng.choice(([], ["--output", str(folder / "out")]))
        given = ["convert", *map(str, {one: 0, other: 0}), "--to", target, *places]
    elif command == "convert":
        made = folder / f"made{turn}{target}"
        given = [command, str(one), str(made if rng.random() < 0.8 else other)]
    else:
        given = [command, str(one), str(other)][: 2 + (command != "dump" and (command == "diff" or rng.random() < 0.3))]
    own = [target_of(one.suffix).read_options] if one.suffix in ENDINGS else []
    own += [target_of(target).write_options] if given[0] == "convert" else []
    return given + drawn_flags(rng, given[0], own)


def drawn_flags(rng: random.Random, command: str, classes: list[Any]) -> list[str]:
    """Some flags of options that a conversion has, with what these need, and now and then any other of the command."""
    declared = [each for options in classes for each in fields(options) if each.metadata["convert"]] * (
        command == "convert"
    )
    given: dict[str, list[str]] = {}
    for each in pick(rng, declared, lambda each: each.name, rng.choice((0, 1, 2, 3, 5))):
        given[each.name] = flag(each.name, drawn_value(rng, each))
        other, *values = each.metadata["only_with"] or ("",)
        if other:
            given[other] = flag(other, rng.choice(values))
    others = [action for action in parser_of(command)._actions if action.dest not in OWN and action.option_strings]
    for action in pick(rng, others, lambda each: each.dest, rng.choice((0, 0, 0, 1))):
        value = [str(rng.choice([*(action.choices or NUMBERS)]))] * (action.nargs != 0)
        given[action.dest] = [rng.choice(action.option_strings), *value]
    return [word for each in given.values() for word in each]


def parser_of(command: str) -> argparse.ArgumentParser:
    """What reads the arguments of a command."""
    commands: Any = next(action for action in __main__._parser("anim-curves", command)._actions if action.choices)
    found: argparse.ArgumentParser = commands.choices[command]
    return found


def drawn_value(rng: random.Random, declared: Any) -> object:
    """A value that an option's declaration allows."""
    about, kind = declared.metadata, type(declared.default)
    if kind is bool or about["items"]:
        return rng.choice([item[0] for item in about["items"]] or [True, False])
    low, high = about["limits"]
    numbers = [kind(each) for each in (low, *NUMBERS, declared.default) if kind is not str and low <= each <= high]
    return rng.choice(numbers or TEXTS)


def flag(name: str, value: object) -> list[str]:
    """A flag with its value as it is typed."""
    words = flags.flag_of(name)
    return [words if value else words.replace("--", "--no-", 1)] if isinstance(value, bool) else [words, str(value)]


def said(line: list[str]) -> str:
    """What a call writes, and its exit code."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code: object = __main__.main(line)
        except SystemExit as end:
            code = end.code
    return f"{out.getvalue()}{err.getvalue()}-> {code}"


def contents(path: Path) -> str:
    """What a file says: its fields where we read its format, else its numbers and words."""
    data = path.read_bytes()
    if path.suffix in ENDINGS:
        try:
            opened = finished(open_in_steps(path, 16 << 20))
        except FormatError as error:
            return str(error)
        return "\n".join(f"{place} = {value}" for place, value in looks.contents(opened.document, opened.format.name))
    if path.suffix == ".npz":
        with np.load(path) as arrays:
            return "\n".join(f"{name} {array.dtype} {array.tolist()}" for name, array in arrays.items())
    if path.suffix == ".glb":
        length = struct.unpack_from("<I", data, 12)[0]
        return f"{json.loads(data[20 : 20 + length])} {np.frombuffer(data[28 + length :], '<f4').tolist()}"
    return data.decode("utf-8", "backslashreplace")
