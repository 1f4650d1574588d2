"""Which bone of a rig a file's name means, when the two were named by different people.

Rules from strict to lenient; each takes only pairs that are unambiguous under it, and a bone is taken once:
a given table, the very name, letter case, then spaces, separators, namespaces (`mixamorig:`) and sides (`.L`, `_l`,
`Left`) made alike, then a prefix that most names share (`J_Bip_`), then hand joints known by finger and position.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ..errors import FormatError
from ..files.whole_file import read_file
from . import hand_names, messages
from .hand_names import Reading, read_hands, split_side

Key = Callable[[str], str]

_KIND = "anim_curves_names"
_LARGEST = 16 << 20
"""Bytes of the largest table; one of a thousand bones has 50,000."""

_PREFIX_SHARE = 0.8


def match_names(
    wanted: Sequence[str],
    available: Sequence[str],
    table: Mapping[str, str] | None = None,
    reading: Reading | None = None,
) -> dict[str, str]:
    """Names of a file to names of a rig; what has no unambiguous partner is left out.

    Args:
        wanted: the file's names.
        available: the rig's names.
        table: pairs that a person decided, file to rig; they come first.
        reading: how to take bones of hands whose names leave something open.
    """
    reading = reading or Reading()
    pairs = {name: bone for name, bone in (table or {}).items() if name in set(wanted) and bone in set(available)}
    bare_name, bare_bone = _without(_prefix_words(wanted)), _without(_prefix_words(available))
    rules: tuple[tuple[Key, Key], ...] = (
        (str, str),
        (str.casefold, str.casefold),
        (plain_name, plain_name),
        (plain_name, bare_bone),
        (bare_name, plain_name),
        (bare_name, bare_bone),
        (_hand_key(wanted, reading), _hand_key(available, reading)),
    )
    for wanted_key, available_key in rules:
        taken = set(pairs.values())
        open_names = [name for name in wanted if name not in pairs]
        open_bones = [bone for bone in available if bone not in taken]
        pairs.update(_unambiguous(open_names, open_bones, wanted_key, available_key))
    return pairs


def _unambiguous(
    wanted: Sequence[str], available: Sequence[str], wanted_key: Key, available_key: Key
) -> dict[str, str]:
    names, bones = _by_key(wanted, wanted_key), _by_key(available, available_key)
    return {names[key]: bones[key] for key in names if key and key in bones}


def _by_key(names: Sequence[str], key: Key) -> dict[str, str]:
    counts = Counter(map(key, names))
    return {key(name): name for name in names if counts[key(name)] == 1}


def words(name: str) -> list[str]:
    """The words of a name in lower case, without its namespace: `rig:LeftHand_01` is left, hand, 1."""
    return [word.lstrip("0") or "0" if word.isdigit() else word for word in hand_names.words(name)]


def plain_name(name: str, skip: Sequence[str] = ()) -> str:
    """A name without case, separators and namespace, its side put last; `skip` are leading words to leave out."""
    parts = words(name)
    if skip and parts[: len(skip)] == list(skip):
        parts = parts[len(skip) :]
    side, rest = split_side(parts)
    return "".join(rest) + (f".{side}" if side else "") if rest else ""


def _without(prefix: Sequence[str]) -> Key:
    return lambda name: plain_name(name, prefix)


def _prefix_words(names: Sequence[str]) -> list[str]:
    """Leading words that most names share."""
    remaining = [words(name) for name in names]
    prefix: list[str] = []
    while len(remaining) > 1:
        word, count = Counter(parts[0] for parts in remaining if parts).most_common(1)[0] if any(remaining) else ("", 0)
        if count < _PREFIX_SHARE * len(names) or split_side([word])[0]:
            return prefix
        prefix.append(word)
        remaining = [parts[1:] for parts in remaining if parts and parts[0] == word]
    return prefix


def _hand_key(names: Sequence[str], reading: Reading) -> Key:
    """Key of a hand joint, such as `l index 1`, empty for every other bone."""
    joints = read_hands(names, reading).joints
    return lambda name: joints.get(name, "")


def load_table(path: str | Path) -> dict[str, str]:
    """A mapping table saved before; FormatError when the file is none."""
    text = read_file(path, _LARGEST, refusal=messages.NAME_TABLE_TOO_LARGE)
    try:
        table = json.loads(text.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise FormatError(messages.NO_NAME_TABLE, file=str(path)) from error
    names = table.get("names") if isinstance(table, dict) and table.get("kind") == _KIND else None
    if not isinstance(names, dict) or not all(isinstance(bone, str) for bone in names.values()):
        raise FormatError(messages.NO_NAME_TABLE, file=str(path))
    return names


def table_text(table: Mapping[str, str]) -> str:
    """A mapping table as the text of its JSON file."""
    return json.dumps({"kind": _KIND, "names": dict(table)}, indent=2, ensure_ascii=False) + "\n"
