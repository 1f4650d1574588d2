"""Which bone of a rig a file's name means, when the two were named by different people.

Rules from strict to lenient (`_rules`); each takes only pairs that are unambiguous under it, and a bone is taken once.

Which joint of a hand a bone is, the names of all bones of its rig tell: the scheme of names that most bones follow
decides (`schemes`); what it does not name is read word by word: finger, and a word or number for the position. A
number that can mean one joint or the next is left open.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

from ..errors import FormatError, Report
from ..files.whole_file import read_file
from ..options import HandNames
from . import grouped, messages
from .schemes import BODIES, CONTROLS, FINGERS, SCHEMES, TRUNK, Scheme

Key = Callable[[str], str]

_KIND = "anim_curves_names"
_LARGEST = 16 << 20
"""Bytes of the largest table; one of a thousand bones has 50,000."""

_PREFIX_SHARE = 0.8
NO_SIDE = "NONE"
_ENOUGH = 3
"""Joints of a scheme that a rig must have at least."""

_BODY = 6
"""Parts of a scheme that make a body."""

_LONGEST = 6
"""Words of the longest name of a scheme."""

NAME_LENGTH = 15
"""Most letters of a name in Westwood's files."""
FLAT_NAME = "PIVOT_{index:03d}"
"""Of a pivot without a name."""

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
_SIDES = {"l": "l", "left": "l", "r": "r", "right": "r"}
_FINGERS = {finger: finger for finger in FINGERS} | {"mid": "middle", "little": "pinky"}
_THUMB_SEGMENTS = {"metacarpal": 1, "meta": 1, "proximal": 2, "intermediate": 2, "distal": 3, "tip": 4, "end": 4}
_SEGMENTS = _THUMB_SEGMENTS | {"metacarpal": 0, "meta": 0, "knuckle": 1, "proximal": 1, "middle": 2}


class Reading(NamedTuple):
    """What a person says where names leave it open.

    Attributes:
        layer: `CONTROLS` or `DEFORM`, for rigs that hold the same hand more than once.
        one_hand: "LEFT" or "RIGHT" for bones that name no side, `NO_SIDE` leaves them out.
    """

    layer: str = CONTROLS
    one_hand: str = NO_SIDE


USUAL = Reading()
"""What holds where nobody says anything."""


def reading_of(options: object, automatic: str = CONTROLS) -> Reading:
    """Return the reading that options ask for; `automatic` is the layer of the choice Automatic."""
    if not isinstance(options, HandNames):
        return Reading(automatic)
    return Reading(automatic if options.rig_layer == "AUTO" else options.rig_layer, options.one_hand)


@dataclass
class Hands:
    """What bones are.

    Attributes:
        joints: by bone its side and `wrist`, or side, finger and position: 0 metacarpal (1 a thumb's) ... 4 tip.
        unclear: bones that can be one joint or the next.
        sideless: bones that are joints of a hand but name no side.
    """

    joints: dict[str, str] = field(default_factory=dict)
    unclear: list[str] = field(default_factory=list)
    sideless: list[str] = field(default_factory=list)


def match_names(
    wanted: Sequence[str], available: Sequence[str], table: Mapping[str, str] | None = None, reading: Reading = USUAL
) -> dict[str, str]:
    """Match names of a file to names of a rig; a name without an unambiguous partner is left out.

    Args:
        table: pairs that a person decided, file to rig; they come first.
        reading: how to take bones of hands whose names leave something open.
    """
    # what a person decided
    pairs = {name: bone for name, bone in (table or {}).items() if name in set(wanted) and bone in set(available)}
    # Rigify's control of all palm bones is no joint of its own
    controls = {f"palm.{side}" for side in "LR" if reading.layer == CONTROLS and f"hand_fk.{side}" in available}
    # each rule takes from what those before it left open
    for wanted_key, available_key in _rules(wanted, available, reading):
        taken = {*pairs.values(), *(controls - set(wanted))}
        open_names = [name for name in wanted if name not in pairs]
        open_bones = [bone for bone in available if bone not in taken]
        if not (open_names and open_bones):
            break
        names, bones = _by_key(open_names, wanted_key), _by_key(open_bones, available_key)
        pairs.update({names[key]: bones[key] for key in names if key and key in bones})
    return pairs


def _rules(wanted: Sequence[str], available: Sequence[str], reading: Reading) -> Iterator[tuple[Key, Key]]:
    """Yield keys of names and of bones that pair where they are the same, the surest first, the costly last."""
    # parts of bodies by their own names, as Rigify's `spine` is no spine but the hips
    parts, parts_of_bones = read_body(wanted, reading), read_body(available, reading)
    yield lambda name: parts.get(name, ""), lambda bone: parts_of_bones.get(bone, "")
    # the very name, then letter case, as Westwood's files cut it, then spelling
    yield str, str
    yield str.casefold, str.casefold
    cut = dict(zip(available, cut_names([bone.rpartition(":")[2] for bone in available])))
    yield str.upper, lambda bone: cut[bone] if len(bone) > NAME_LENGTH else ""
    yield plain_name, plain_name
    # without what most names begin with, on either side or both
    bare_name, bare_bone = (partial(plain_name, skip=_prefix_words(names)) for names in (wanted, available))
    yield plain_name, bare_bone
    yield bare_name, plain_name
    yield bare_name, bare_bone
    # joints of hands by finger and position
    joints, joints_of_bones = (read_hands(names, reading).joints for names in (wanted, available))
    yield lambda name: joints.get(name, ""), lambda bone: joints_of_bones.get(bone, "")


def _by_key(names: Sequence[str], key: Key) -> dict[str, str]:
    """Return names by their key, without those that share one."""
    counts = Counter(map(key, names))
    return {key(name): name for name in names if counts[key(name)] == 1}


def _plain_words(name: str) -> list[str]:
    """Return the words of a name, numbers without leading zeros: `rig:LeftHand_01` is left, hand, 1."""
    return [word.lstrip("0") or "0" if word.isdigit() else word for word in words(name)]


def plain_name(name: str, skip: Sequence[str] = ()) -> str:
    """Return a name without case, separators and namespace, its side last; `skip` are leading words to leave out."""
    parts = _plain_words(name)
    if skip and parts[: len(skip)] == list(skip):
        parts = parts[len(skip) :]
    side, rest = split_side(parts)
    return "".join(rest) + (f".{side}" if side else "") if rest else ""


def _prefix_words(names: Sequence[str]) -> list[str]:
    """Return the leading words that most names share."""
    remaining = [_plain_words(name) for name in names]
    prefix: list[str] = []
    while len(remaining) > 1:
        word, count = Counter(parts[0] for parts in remaining if parts).most_common(1)[0] if any(remaining) else ("", 0)
        if count < _PREFIX_SHARE * len(names) or split_side([word])[0]:
            return prefix
        prefix.append(word)
        remaining = [parts[1:] for parts in remaining if parts and parts[0] == word]
    return prefix


def words(name: str) -> list[str]:
    """Return the words of a name in lower case, without its namespace, numbers as written: left, hand, 01."""
    return [word.lower() for word in _WORDS.findall(re.split(r"[:|]", unicodedata.normalize("NFKC", name))[-1])]


def split_side(parts: Sequence[str]) -> tuple[str, list[str]]:
    """Return the side that a word names, "l", "r" or "", and the other words."""
    places = range(len(parts))
    for position in (*places[-1:], *places):
        if parts[position] in _SIDES:
            return _SIDES[parts[position]], [*parts[:position], *parts[position + 1 :]]
    return "", list(parts)


# --- Bodies ----------------------------------------------------------------------------------------------------------


def read_body(names: Sequence[str], reading: Reading = USUAL) -> dict[str, str]:
    """Return by bone the part of a body that it is, such as `hips` or `l upper arm`; none for what is no body."""
    found = _followed(_ends(names), reading, BODIES, _BODY)
    known = dict.fromkeys(name for one in found for name in one)
    readings = {name: {one[name] for one in found if name in one} for name in known}
    return {name: parts.pop() for name, parts in readings.items() if len(parts) == 1}


def other_parts(names: Sequence[str], bones: Sequence[str], reading: Reading = USUAL) -> set[str]:
    """Return the names that a bone has, too, which is another part of its body."""
    own, there = read_body(names, reading), read_body(bones, reading)
    return {name for name, part in own.items() if there.get(name, part) != part}


# --- Tables ----------------------------------------------------------------------------------------------------------


def load_table(path: str | Path) -> dict[str, str]:
    """Read a mapping table saved before, or one that is given in the place of a path; raises FormatError for others."""
    given, is_table = str(path), str(path).startswith("{")
    text = given.encode() if is_table else read_file(given, _LARGEST, refusal=messages.NAME_TABLE_TOO_LARGE)
    file = "" if is_table else given
    try:
        table = json.loads(text.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise FormatError(messages.NO_NAME_TABLE, file=file) from error
    names = table.get("names") if isinstance(table, dict) and table.get("kind") == _KIND else None
    if not isinstance(names, dict) or not all(isinstance(bone, str) for bone in names.values()):
        raise FormatError(messages.NO_NAME_TABLE, file=file)
    return names


def table_text(table: Mapping[str, str]) -> str:
    """Return a mapping table as the text of its JSON file."""
    return json.dumps({"kind": _KIND, "names": dict(table)}, indent=2, ensure_ascii=False) + "\n"


# --- Hands -----------------------------------------------------------------------------------------------------------


def read_hands(names: Sequence[str], reading: Reading = USUAL) -> Hands:
    """Find the hand joints among the bones of a rig."""
    hands = Hands()
    # what the schemes say that most bones follow; where they disagree, nothing is known
    found = _followed(_ends(names), reading, SCHEMES, _ENOUGH)
    for name in names:
        readings = {one[name] for one in found if name in one}
        if len(readings) == 1:
            joint = readings.pop()
            if joint[0] != " ":
                hands.joints[name] = joint
            elif reading.one_hand == NO_SIDE:
                hands.sideless.append(name)
            else:
                hands.joints[name] = reading.one_hand[0].lower() + joint
        elif readings:
            hands.unclear.append(name)
    _read_words(hands, {name: words(name) for name in names})
    return hands


def _ends(names: Sequence[str]) -> dict[str, list[str]]:
    """Return by name its joined words, and those without the first, the first two ..."""
    result = {}
    for name in names:
        own = words(name)
        starts = (0, *range(max(1, len(own) - _LONGEST), len(own)))
        result[name] = ["".join(own[start:]) for start in starts]
    return result


def tell_left_open(names: Sequence[str], reading: Reading, report: Report) -> None:
    """Warn of bones, by the names of those taken for nothing, that are joints of a hand, but not surely which."""
    hands = read_hands(names, reading)
    if hands.unclear:
        report.warn(messages.HAND_UNCLEAR, names=", ".join(hands.unclear))
    if hands.sideless:
        report.warn(messages.HAND_SIDELESS, names=", ".join(hands.sideless))


# --- By scheme ---------------------------------------------------------------------------------------------------


def _followed(
    ends: dict[str, list[str]], reading: Reading, schemes: Sequence[Scheme], enough: int
) -> list[dict[str, str]]:
    """Return joint by bone for each of the schemes that most bones follow, if that are `enough`.

    Of a rig that holds its hand more than once, those of the wanted layer, which is there where its wrist is, or as
    many joints as any other layer has.
    """
    # joints by scheme, and how many different ones
    found = {scheme: _found(scheme, ends) for scheme in schemes}
    counts = {scheme: len(set(joints.values())) for scheme, joints in found.items()}
    # families of schemes that have the wanted layer in this rig
    layered = set()
    for scheme, joints in found.items():
        most = max(counts[other] for other in counts if other.family == scheme.family)
        has_wrist = any(joint.endswith("wrist") for joint in joints.values())
        if scheme.layer == reading.layer and (has_wrist or counts[scheme] == most):
            layered.add(scheme.family)
    # of these families the wanted layer alone counts
    counts = {
        scheme: count
        for scheme, count in counts.items()
        if count >= enough and (scheme.family not in layered or scheme.layer == reading.layer)
    }
    most = max(counts.values(), default=0)
    return [found[scheme] for scheme, count in counts.items() if count == most]


def _found(scheme: Scheme, ends: dict[str, list[str]]) -> dict[str, str]:
    table = _joint_table(scheme)
    read = {name: own if scheme.suffix else own[:1] for name, own in ends.items()}
    return {name: next(table[end] for end in own if end in table) for name, own in read.items() if table.keys() & own}


@cache
def _joint_table(scheme: Scheme) -> dict[str, str]:
    """Return joint by the joined words of its name; without a side in front where the scheme has none."""
    table: dict[str, str] = {}
    for key, side in zip("lr", scheme.sides, strict=True) if scheme.sides else (("", ""),):
        for joint, pattern in scheme.parts:
            for name in pattern.format(side=side).split("|"):
                table["".join(words(name))] = joint if joint in TRUNK else f"{key} {joint}"
    table.pop("", None)
    return table


# --- Word by word ------------------------------------------------------------------------------------------------


class _Worded(NamedTuple):
    """A bone read word by word; `position` is a joint's, or `number` one that may be counted otherwise."""

    name: str
    finger: str
    position: int | None = None
    number: int | None = None


def _read_words(hands: Hands, parts: dict[str, list[str]]) -> None:
    """Add what no scheme knows, where no bone has that joint yet."""
    known = {*hands.joints, *hands.unclear, *hands.sideless}
    early = any({"thumb", "intermediate"} <= set(own) for own in parts.values())
    taken = set(hands.joints.values())
    read = {name: _worded(name, own, early_thumb=early) for name, own in parts.items() if name not in known}
    # and whose twin Blender called this, if there is one
    pairs = ((worded, read.get(re.sub(r"\.\d{3,}$", "", name))) for name, worded in read.items())
    usable = (worded for worded, first in pairs if worded is not None and (first is None or first is worded))
    for finger, bones in grouped((worded.finger, worded) for worded in usable).items():
        shift = _shift(finger, bones)
        for bone in bones:
            position = bone.position if bone.number is None or shift is None else bone.number + shift
            joint = f"{finger} {position}" if finger[2:] != "wrist" else finger
            if position is None:
                hands.unclear.append(bone.name)
            elif joint not in taken:
                hands.joints[bone.name] = joint


def _worded(name: str, own: Sequence[str], *, early_thumb: bool) -> _Worded | None:
    """Read one bone: side, finger, and a word or number for the position; None if one is missing."""
    # a side and a finger; without a finger only a wrist can be meant
    side, rest = split_side([word for word in own if word != "joint"])
    said = next((word for word in rest if word in _FINGERS), "")
    if not side:
        return None
    if not said:
        return _Worded(name, f"{side} wrist", 0) if rest and rest[-1] in ("hand", "wrist") else None
    rest.remove(said)
    finger, segments = f"{side} {_FINGERS[said]}", _THUMB_SEGMENTS if said == "thumb" and not early_thumb else _SEGMENTS
    word = next((word for word in rest if word in segments or word.isdigit()), "")
    if word.isdigit():
        return _Worded(name, finger, number=int(word))
    return _Worded(name, finger, segments[word]) if word else None


def _shift(finger: str, bones: Iterable[_Worded]) -> int | None:
    """Return what to add to the numbers of a finger's bones to get positions; None where that is open."""
    # numbers count from the knuckle, from the metacarpal, or from 0 at the knuckle
    positions = {bone.position for bone in bones}
    numbers = {bone.number for bone in bones if bone.number is not None}
    low, high, thumb = min(numbers, default=1), max(numbers, default=1), finger.endswith("thumb")
    if low > 0 and (high <= 3 or (high == 4 and (thumb or 0 in positions))):
        return 0
    if high == 5 or (high == 4 and 4 in positions):
        return -1 if low > 0 and not thumb else None
    return 1 if low == 0 and (high <= 2 if thumb else 0 in positions and high <= 3) else None


# --- Names that differ, as files need them ------------------------------------------------------


def unique_names(names: list[str], numbered: Callable[[str, int], str] = "{}.{:03d}".format) -> list[str]:
    """Return names that differ, none empty, by a number after a dot where they do not."""
    taken: set[str] = set(names)
    used: dict[str, int] = {}  # with the last number that was tried behind each
    for place, name in enumerate(names):
        base = name or FLAT_NAME.format(index=place)
        candidate, number = base, used.get(base, 0)
        while candidate in used or (number > 0 and candidate in taken):
            number += 1
            candidate = numbered(base, number)
        used[candidate] = 0
        used[base] = number
    return list(used)


def cut_names(names: Sequence[str]) -> list[str]:
    """Return names as Westwood's files have them: in upper case and Latin-1, cut, all different by a number."""
    cut = [in_latin(name)[:NAME_LENGTH].rstrip(".") or "PIVOT" for name in names]
    return unique_names(cut, lambda base, number: f"{base[: NAME_LENGTH - len(f'_{number}')]}_{number}")


def in_latin(name: str) -> str:
    """Return the name in upper case, with an underscore for each character that is not in Latin-1."""
    upper = "".join(letter.upper() if len(letter.upper()) == 1 else letter for letter in name)
    return "".join(letter if 0 < ord(letter) < 256 else "_" for letter in upper)
