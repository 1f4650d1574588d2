"""Which bone of a rig a file's name means, when the two were named by different people.

Rules from strict to lenient; each takes only pairs that are unambiguous under it, and a bone is taken once:
a given table, the very name, letter case, then spaces, separators, namespaces (`mixamorig:`) and sides (`.L`, `_l`,
`Left`) made alike, then a prefix that most names share (`J_Bip_`), then hand joints known by finger and position.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from . import messages
from .errors import FormatError
from .whole_file import read_file

Key = Callable[[str], str]

_KIND = "anim_curves_names"
_LARGEST = 16 << 20
"""Bytes of the largest table; one of a thousand bones has 50,000."""

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
_SIDES = {"l": "l", "left": "l", "r": "r", "right": "r"}
_FINGERS = {"thumb": "thumb", "index": "index", "middle": "middle", "ring": "ring", "pinky": "pinky", "little": "pinky"}
_SEGMENTS = {"metacarpal": 0, "knuckle": 1, "proximal": 1, "intermediate": 2, "middle": 2, "distal": 3, "tip": 4}
_THUMB_SEGMENTS = {"metacarpal": 1, "proximal": 2, "intermediate": 2, "distal": 3, "tip": 4}
_PREFIX_SHARE = 0.8


def match_names(
    wanted: Sequence[str], available: Sequence[str], table: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Names of a file to names of a rig; what has no unambiguous partner is left out.

    Args:
        wanted: the file's names.
        available: the rig's names.
        table: pairs that a person decided, file to rig; they come first.
    """
    pairs = {name: bone for name, bone in (table or {}).items() if name in set(wanted) and bone in set(available)}
    bare_name, bare_bone = _without(_prefix_words(wanted)), _without(_prefix_words(available))
    rules: tuple[tuple[Key, Key], ...] = (
        (str, str),
        (str.casefold, str.casefold),
        (plain_name, plain_name),
        (plain_name, bare_bone),
        (bare_name, plain_name),
        (bare_name, bare_bone),
        (_hand_key(wanted), _hand_key(available)),
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
    bare = re.split(r"[:|]", name)[-1]
    return [word.lstrip("0") or "0" if word.isdigit() else word.lower() for word in _WORDS.findall(bare)]


def plain_name(name: str, skip: Sequence[str] = ()) -> str:
    """A name without case, separators and namespace, its side put last; `skip` are leading words to leave out."""
    parts = words(name)
    if skip and parts[: len(skip)] == list(skip):
        parts = parts[len(skip) :]
    side, rest = _split_side(parts)
    return "".join(rest) + (f".{side}" if side else "") if rest else ""


def _without(prefix: Sequence[str]) -> Key:
    return lambda name: plain_name(name, prefix)


def _split_side(parts: Sequence[str]) -> tuple[str, list[str]]:
    for position in (len(parts) - 1, 0, *range(1, len(parts) - 1)):
        if 0 <= position < len(parts) and parts[position] in _SIDES:
            return _SIDES[parts[position]], [*parts[:position], *parts[position + 1 :]]
    return "", list(parts)


def _prefix_words(names: Sequence[str]) -> list[str]:
    """Leading words that most names share."""
    remaining = [words(name) for name in names]
    prefix: list[str] = []
    while len(remaining) > 1:
        word, count = Counter(parts[0] for parts in remaining if parts).most_common(1)[0] if any(remaining) else ("", 0)
        if count < _PREFIX_SHARE * len(names) or word in _SIDES:
            return prefix
        prefix.append(word)
        remaining = [parts[1:] for parts in remaining if parts and parts[0] == word]
    return prefix


def _hand_key(names: Sequence[str]) -> Key:
    """Key of a hand joint, such as `l index 1`, empty for every other bone.

    The thumb of VRM 0 counts proximal, intermediate, distal where everyone else begins with the metacarpal.
    """
    early_thumb = any({"thumb", "intermediate"} <= set(words(name)) for name in names)
    return lambda name: hand_joint(name, early_thumb=early_thumb)


def hand_joint(name: str, *, early_thumb: bool = False) -> str:
    """Side, finger and position (0 metacarpal, 1 knuckle ... 4 tip) of a hand joint; empty for no hand joint."""
    side, parts = _split_side([word for word in words(name) if word != "joint"])
    if not side:
        return ""
    finger = next((_FINGERS[word] for word in parts if word in _FINGERS), "")
    if not finger:
        return f"{side} wrist" if parts and parts[-1] in ("hand", "wrist") else ""
    rest = list(parts)
    rest.remove(next(word for word in parts if word in _FINGERS))
    segments = _SEGMENTS if finger != "thumb" or early_thumb else _THUMB_SEGMENTS
    position = next((segments.get(word, word) for word in rest if word in segments or word.isdigit()), "")
    return f"{side} {finger} {position}" if position != "" else ""


def load_table(path: str | Path) -> dict[str, str]:
    """A mapping table saved before; FormatError when the file is none."""
    text = read_file(path, _LARGEST)
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
