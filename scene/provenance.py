"""Where an Action came from: the file's bytes, kept once, and what was made of them.

The bytes lie in a custom property of a Text datablock "Source of NAME", whose body is the import report. A Text is
never copied by Blender's evaluation, an Action is at every edit: so the Action only points to the Text, and holds the
small things: options, index in the file, name and rate given, and a digest of every F-Curve as it was written.

    Action["anim_curves"]  version, what `Placement` has, and as `Provenance` tells them, `bones` being its ties:
                           curves, saved (bytes), owners, options, bones, left_out, placed, posed (JSON);
                           source (Text), format, file, index, with a source kept;
                           owner (a datablock's name) before Blender 4.4, where no slot has it
    Object["anim_curves"]  the same, of a file of models alone, which has no Action
    Text["anim_curves"]    size, crc32; the bytes themselves in Text["anim_curves_data"], ["anim_curves_data_1"] ...
"""

from __future__ import annotations

import json
import math
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any, NamedTuple, get_type_hints

import bpy
import numpy as np
from bpy.types import ID, Action, FCurve, Object, Text

from ..io_formats.clip import TRANSFORMS
from ..io_formats.files.steps import Steps, finished
from . import actions, names
from .data_paths import bone_path, split_bone
from .fcurves import FoundCurve, PlayedCurve, WrittenCurve, holds_rest, read
from .types import Rig, has_key, is_rig
from .undo import Undo

KEY = "anim_curves"
FACTS = "facts"
"""Key within an Action's provenance: what is known of its file, as JSON: its `path`, `beside` the .blend, `crc32` as it
was read or last written in place, and more."""

DATA_KEY = "anim_curves_data"
BESIDE_KEY = "anim_curves_beside"
VERSION = 2
"""Of the record that an Action has; 1 had none. A field that a later one adds gets a default in `find`, so that
.blend files of each version open in all that follow; what a newer version noted is read as far as it is known here."""

CHUNK = 1 << 25
"""Most bytes that one custom property is given; Blender counts them with a signed 32-bit number."""

_NO_SLOT = "0"
"""Handle by which `owners` knows the datablock of an Action without slots."""

_RECORD = np.dtype([("curve", "<u8"), ("digest", "<u4")])


class SourceFile(NamedTuple):
    """A file's bytes, kept in the .blend so that untouched parts export exactly; its format's name, and its own."""

    data: bytes
    format: str
    file: str


class Placement(NamedTuple):
    """How an Action's frames and name came about: remembered with and without a source kept.

    Attributes:
        rate: frames per second with which seconds became frames.
        start_frame: the frame of the file's time 0.
        given_name: the name the importer gave the Action (Blender's suffix included).
        clip_name: the animation's own name in the file.
        rebased: the curves are not what the mapping gives by itself: they were converted to another rest pose.
        rests: the import keyed at rest what the file does not move of its bones.
        first, last: seconds of the file's time at which the manual range that imports gave the Action begins and ends;
            no numbers where that was not noted.
        scaled: the option Scale is in rests and keys.
    """

    rate: float
    start_frame: float
    given_name: str
    clip_name: str
    rebased: bool = False
    rests: bool = False
    first: float = math.nan
    last: float = math.nan
    scaled: bool = False

    @property
    def frames(self) -> tuple[float, float]:
        """The range that imports gave the Action."""
        return self.start_frame + self.first * self.rate, self.start_frame + self.last * self.rate


_KINDS = get_type_hints(Placement)  # looked up once, as that takes twice as long as all the rest of `find`


@dataclass(frozen=True)
class Provenance:
    """What is known of the file that an Action came from.

    Attributes:
        text: the Text datablock that carries the bytes; None if it was deleted or nothing was kept.
        format: name of the format package ("w3d"), empty if nothing was kept.
        curves: digest of each curve as it was written, by `curve_id`.
        owners: digest of rest pose and transform by owner's slot handle, see `owner_digest`.
        ties: by node, what bones and objects were called when a file was first imported onto them (`names.TIE_KEY`);
            empty where these were made for the nodes and say so themselves.
        left_out: (node, kind, property) of the file's channels that the import left out, as asked.
        saved: digests as `curves`, of what was last written over the file itself; None where nothing was.
        placed: of an armature whose place that motion has in it, digest and the place (16) that the file's own has.
        posed: what of the armature's bones was not at rest after the import, by `tied_path` and array index.
    """

    placement: Placement
    text: Text | None
    format: str
    file: str
    options: dict[str, Any]
    index: int
    curves: dict[int, int] = field(repr=False)
    owners: dict[str, int] = field(repr=False)
    ties: dict[str, str] = field(default_factory=dict, repr=False)
    left_out: list[tuple[str, str, str]] = field(default_factory=list, repr=False)
    version: int = VERSION
    saved: dict[int, int] | None = field(default=None, repr=False)
    placed: list[float] = field(default_factory=list, repr=False)
    posed: dict[tuple[str, int], float] = field(default_factory=dict, repr=False)

    @property
    def as_saved(self) -> Provenance:
        """The same, as if the import had written what was last written over its file."""
        return self if self.saved is None else replace(self, curves=self.saved)

    @property
    def kept(self) -> bool:
        """The importer kept the file; if `data()` is None nevertheless, it was deleted or damaged since."""
        return bool(self.format)

    @property
    def is_of_parts(self) -> bool:
        """The Action was imported where Actions have no slots, so that a clip of several datablocks is several."""
        return _NO_SLOT in self.owners

    def data(self) -> bytes | None:
        """Return the file's bytes, None if they are missing or damaged (length and crc32 are checked)."""
        return None if self.text is None else _load(self.text)

    def is_written(self, handle: int, data_path: str, index: int, found: FoundCurve) -> bool:
        """Return whether a curve of the slot `handle` is as it was written, in everything a file format can hold."""
        return self.curves.get(self.curve_id(handle, data_path, index)) == found.digest

    def curve_id(self, handle: int, data_path: str, index: int) -> int:
        """Return `curve_id` of a curve of the slot `handle`, as it was stored."""
        return curve_id(self.known_handle(handle), data_path, index)

    def has_written(self, handle: int, data_path: str, index: int) -> bool:
        """Return whether the import wrote a curve of the slot `handle`, whatever became of it since."""
        return self.curve_id(handle, data_path, index) in self.curves

    def is_rest_key(self, handle: int, curve: FCurve, path: str) -> bool:
        """Return whether a curve, by its path at the import, is none of the file's but holds a bone at rest for it."""
        if not self.placement.rests or self.has_written(handle, path, curve.array_index):
            return False
        return self.animates(handle) and holds_rest(curve)

    def animates(self, handle: int) -> bool:
        """Return whether the slot `handle` is of the import, not one that a person gave the Action later."""
        return str(self.known_handle(handle)) in self.owners

    def known_handle(self, handle: int) -> int:
        """Return the handle under which a slot was stored: 4.4 gives one to Actions of 4.2, which itself knows none."""
        if (handle == int(_NO_SLOT) or self.is_of_parts) and len(self.owners) == 1:
            return int(next(iter(self.owners)))
        return handle


def moving(action: Action, handle: int, curves: Iterable[FCurve], owner: ID | None = None) -> list[FCurve]:
    """Return those curves of the slot `handle` of an Action, played by `owner`, that are no rest keys of its import."""
    known = find(action) if _record(action).get("rests") else None  # not for each slot of an Action that has none
    if known is None:
        return list(curves)
    return [curve for curve in curves if not known.is_rest_key(handle, curve, tied_path(owner, curve.data_path))]


def owner_name(action: Action) -> str:
    """Return the name of the datablock that an Action without slots was made for, empty where slots say that."""
    return str(_record(action).get("owner", ""))


def _record(holder: ID) -> Mapping[str, Any]:
    """Return what an Action, object or Text remembers, as it is told at the top of this module; empty for others."""
    group = holder.get(KEY)
    return group if hasattr(group, "to_dict") else {}


def curve_id(handle: int, data_path: str, index: int) -> int:
    """Return a number that identifies a curve in its Action by slot handle (0 before 4.4), path and array index."""
    path = data_path.encode("utf-8", "replace")
    return zlib.crc32(path, handle & 0xFFFFFFFF) << 32 | (zlib.adler32(path) ^ index * 0x9E3779B1) & 0xFFFFFFFF


def note_action(
    action: ID, placement: Placement, curves: Mapping[int, Iterable[WrittenCurve]], owners: Mapping[int, int]
) -> None:
    """Remember on `action` how it was made: what was written, and the `owner_digest`s, by slot handle."""
    found = ((handle, curve) for handle, written in curves.items() for curve in written)
    records = [(curve_id(handle, curve.data_path, curve.index), curve.digest) for handle, curve in found]
    action[KEY] = {
        "version": VERSION,
        **placement._asdict(),
        "curves": np.array(records, _RECORD).tobytes(),
        "owners": json.dumps({str(handle): digest for handle, digest in owners.items()}),
    }


def note(action: ID, name: str, value: object) -> None:
    """Remember on `action`, which `note_action` has seen, what is told at the top of this module under that name."""
    action[KEY][name] = json.dumps(value)


def keep(created: Sequence[Sequence[ID]], source: SourceFile, undo: Undo) -> Steps[Text]:
    """Keep a file's bytes in a new Text, which is returned; the Actions of each animation, all noted, point to it."""
    text = undo.new(bpy.data.texts, names.cut(f"Source of {source.file}"))
    yield from _store(text, source.data)
    for index, made in enumerate(created):
        for action in made:
            group = action[KEY]
            group["source"] = text
            group["format"] = source.format
            group["file"] = names.printable(source.file)
            group["index"] = index
    return text


def note_models(things: Sequence[Object], source: SourceFile, options: dict[str, object], undo: Undo) -> Text:
    """Keep the bytes of a file of models alone, in a new Text that each of its objects points to; returns the Text."""
    for thing in things:
        note_action(thing, Placement(1.0, 0.0, thing.name, ""), {}, {int(_NO_SLOT): owner_digest(thing)})
        note(thing, "options", options)
    return finished(keep([things], source, undo))


def file_of_models(thing: Object) -> Provenance | None:
    """Return the file of models alone that an object came from; None for another object, or one whose rest pose, place
    or parent, where they count, are others now."""
    found = find(thing)
    return found if found is not None and found.owners.get(_NO_SLOT) == owner_digest(thing) else None


def keep_beside(text: Text, data: bytes, name: str, undo: Undo) -> None:
    """Keep a second file that the one in `text` needs, such as its skeleton; one that was kept already is shared.

    One that is linked from another .blend is not: it goes when that does.
    """
    stamp = _stamp(data)
    kept = (known for known in bpy.data.texts if known.library is None and dict(_record(known)) == stamp)
    beside = next(kept, None)
    if beside is None:
        beside = undo.new(bpy.data.texts, names.cut(f"Source of {name}"))
        finished(_store(beside, data))
    text[BESIDE_KEY] = beside


def data_beside(text: Text) -> bytes | None:
    """Return the second file that `keep_beside` kept with `text`; None if it is missing or damaged."""
    beside = text.get(BESIDE_KEY)
    return _load(beside) if isinstance(beside, Text) else None


def size_of(text: Text) -> int:
    """Return the number of bytes that a Text keeps, 0 for one that does not say."""
    with suppress(KeyError, TypeError, ValueError):
        return int(_record(text)["size"])
    return 0


def left_over(going: Sequence[Action] = ()) -> list[Text]:
    """Return Texts with kept files to which no Action, but those `going`, or object points, and what was beside these.

    A Text has a fake user from the beginning, so that neither Purge nor saving would take it away.
    """
    gone = set(going)
    users = (user for user in (*bpy.data.actions, *bpy.data.objects) if user not in gone)
    wanted = {source for user in users if isinstance(source := _record(user).get("source"), Text)}
    kept = [text for text in bpy.data.texts if _keeps(text)]
    beside = [text.get(BESIDE_KEY) for text in kept if text in wanted]
    wanted.update(text for text in beside if isinstance(text, Text))
    return [text for text in kept if text not in wanted]


def keeps_any() -> bool:
    """Return whether the .blend keeps any imported file."""
    return any(_keeps(text) for text in bpy.data.texts)


def _keeps(text: Text) -> bool:
    return text.library is None and has_key(text, KEY) and has_key(text, DATA_KEY)


def facts_of(action: ID) -> dict[str, Any]:
    """Return what the importer noted about the file of `action`; empty for an Action that says nothing readable."""
    with suppress(KeyError, TypeError, ValueError, RecursionError):
        facts = json.loads(action[KEY][FACTS])
        return facts if isinstance(facts, dict) else {}
    return {}


def note_places(blend: str) -> None:
    """Note where imported files lie as seen from a .blend that is going to be saved there."""
    for action in bpy.data.actions if blend else ():
        facts = facts_of(action)
        if action.library is None and "path" in facts:
            facts["beside"] = ""
            with suppress(ValueError):  # on another drive of Windows
                facts["beside"] = os.path.relpath(str(facts["path"]), os.path.dirname(blend)).replace(os.sep, "/")
            note(action, FACTS, facts)


def find_places(blend: str, imported: Iterable[ID]) -> None:
    """Take files from where they lay as seen from the .blend: a project is moved or copied with its files."""
    for action in imported:
        facts = facts_of(action)
        path = os.path.normpath(os.path.join(os.path.dirname(blend), str(facts.get("beside", ""))))
        if action.library is None and os.path.isfile(path):
            note(action, FACTS, {**facts, "path": path})


def note_saved(action: Action, placed: Sequence[float], checksum: int) -> None:
    """Store that the file which `action` came from has its curves as they are now, see `Provenance.placed`."""
    known = find(action)
    if known is not None and action.is_editable:
        set_digests(action, "saved", dict(digests_now(action, known)))
        note(action, "placed", placed)
        note(action, FACTS, {**facts_of(action), "crc32": checksum})


def set_frames(action: Action, frames: tuple[float, float]) -> None:
    """Store the manual range that imports gave an Action."""
    group = action[KEY]
    group["first"], group["last"] = ((frame - group["start_frame"]) / group["rate"] for frame in frames)


def set_digests(action: Action, name: str, digests: Mapping[int, int]) -> None:
    """Store digests of curves, by `curve_id`, under a name that is told at the top of this module."""
    group = action[KEY]
    group.pop(name, None)  # bytes that replace bytes are cut at their first zero
    group[name] = np.array(list(digests.items()), _RECORD).tobytes()


def set_report(text: Text, report: str) -> None:
    """Make `report` the body of a new Text."""
    text.write(names.printable(report))
    text.current_line_index = 0


def find(action: ID) -> Provenance | None:
    """Return the provenance of an Action or object; None if it was not imported, or its provenance cannot be read."""
    group = _record(action)
    source, left_out = group.get("source"), group.get("left_out", "[]")
    try:
        if not (math.isfinite(group["rate"]) and math.isfinite(group["start_frame"])):
            return None
        return Provenance(
            placement=Placement(**{name: kind(group[name]) for name, kind in _KINDS.items() if name in group}),
            text=source if isinstance(source, Text) else None,
            format=str(group.get("format", "")),
            file=str(group.get("file", "")),
            options=dict(json.loads(group.get("options", "{}"))),
            index=int(group.get("index", 0)),
            curves=_digests(group["curves"]),
            owners={str(int(handle)): int(digest) for handle, digest in json.loads(group["owners"]).items()},
            ties={str(node): str(tie) for node, tie in json.loads(group.get("bones", "{}")).items()},
            left_out=[(str(node), str(kind), str(name)) for node, kind, name in json.loads(left_out)],
            version=int(group.get("version", 1)),
            saved=_digests(group["saved"]) if "saved" in group else None,
            placed=np.array(json.loads(group.get("placed", "[]")), np.float64).reshape(-1, 17).ravel().tolist(),
            posed={(str(path), int(index)): float(at) for path, index, at in json.loads(group.get("posed", "[]"))},
        )
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError, RecursionError):
        return None


def _digests(stored: bytes) -> dict[int, int]:
    records = np.frombuffer(stored, _RECORD)
    return dict(zip(records["curve"].tolist(), records["digest"].tolist(), strict=True))


def _stamp(data: bytes) -> dict[str, str]:
    return {"size": str(len(data)), "crc32": str(zlib.crc32(data))}


def _store(text: Text, data: bytes) -> Steps[None]:
    text[KEY] = _stamp(data)
    for number, start in enumerate(range(0, len(data), CHUNK)):
        text[_chunk_key(number)] = data[start : start + CHUNK]
        if start + CHUNK < len(data):
            yield 1.0


def _load(text: Text) -> bytes | None:
    wanted = map(_chunk_key, range(-(-size_of(text) // CHUNK)))
    data = b"".join(bytes(text[key]) for key in takewhile(lambda key: isinstance(text.get(key), bytes), wanted))
    return data if dict(_record(text)) == _stamp(data) else None


def _chunk_key(number: int) -> str:
    return f"{DATA_KEY}_{number}" if number else DATA_KEY


def owner_digest(owner: ID, curves: Iterable[PlayedCurve] = ()) -> int:
    """Return a digest of what carries the curves: an armature's transform, rest pose and parents, an object's parent.

    Equal digests mean that equal curves give the equal pose. Constraints, drivers and NLA are not in it, nor is a
    parent object's motion. What is no armature, or moved as a whole by its `curves`: only what they start from counts.
    """
    if not isinstance(owner, bpy.types.Object):
        return 0
    turns = (*owner.delta_rotation_euler[:], *owner.delta_rotation_quaternion[:])
    delta = (*owner.delta_location[:], *turns, *owner.delta_scale[:])
    crc = zlib.crc32(np.array(delta, np.float32).tobytes(), zlib.crc32(owner.rotation_mode.encode()))
    if owner.parent is not None:
        inverse = np.array(owner.matrix_parent_inverse, np.float32)
        on_bone = owner.parent_bone if owner.parent_type == "BONE" else ""
        above = f"{names.tie_of(owner.parent)}/{_tie_of_bone(owner.parent, on_bone)}"
        crc = zlib.crc32(above.encode("utf-8", "replace"), zlib.crc32(inverse.tobytes(), crc))
    if not is_rig(owner):
        return crc
    bones = owner.data.bones
    if not any(curve.data_path in TRANSFORMS for curve in curves):
        crc = zlib.crc32(np.array(owner.matrix_basis, np.float32).tobytes(), crc)
    rest = np.empty(16 * len(bones), np.float32)
    bones.foreach_get("matrix_local", rest)
    ties = {bone.name: names.tie_of(bone) for bone in bones}
    parents = "\n".join(f"{ties[bone.name]}\t{ties[bone.parent.name] if bone.parent else ''}" for bone in bones)
    modes = "".join(bone.rotation_mode for bone in owner.pose.bones) if owner.pose else ""
    return zlib.crc32((parents + modes).encode("utf-8", "replace"), zlib.crc32(rest.data, crc))


def tied_curves(action: Action, played: Action | None = None) -> Iterator[tuple[int, FCurve, str]]:
    """Yield slot handle, curve and `tied_path` of an Action's curves, by the bones of what plays it, or `played`; where
    nothing does, as Blender renames curves only of what plays, by the armature whose bone has a name that none had."""
    played = played or action
    if actions.SLOTTED:
        players = {actions.slot_handle(slot): owner for slot in played.slots for owner in slot.users()}
    else:
        players = {actions.slot_handle(None): owner for owner in bpy.data.user_map(subset={played})[played]}
    rigs = list(filter(is_rig, bpy.data.objects)) if actions.bags(action).keys() - players.keys() else []
    ties = {names.tie_of(bone) for rig in rigs for bone in rig.data.bones}
    renamed = {bone.name: rig for rig in rigs for bone in rig.data.bones if bone.name not in ties}
    for handle, curve in actions.every_curve(action):
        owner = players.get(handle) or renamed.get(split_bone(curve.data_path)[0] or "")
        yield handle, curve, tied_path(owner, curve.data_path)


def file_curves(action: Action, known: Provenance, played: Action | None = None) -> Iterator[tuple[int, FCurve, str]]:
    """Yield the same as `tied_curves` of the import's slots, but for rest keys of it."""
    own = (found for found in tied_curves(action, played) if known.animates(found[0]))
    return (found for found in own if not known.is_rest_key(*found))


def is_changed(action: Action, *, since_saved: bool = False) -> bool:
    """Return whether curves of an imported Action were changed, added or deleted since the import or last saving."""
    known = find(action)
    if known is None:
        return False
    known = known.as_saved if since_saved else known
    return digests_now(action, known) != known.curves.items()


def digests_now(action: Action, known: Provenance, played: Action | None = None) -> set[tuple[int, int]]:
    """Return `Provenance.curve_id` and digest of what the file's curves are now; see `tied_curves` of `played`.

    Pairs, as an Action of 4.2 has one id for curves of its slot and of one that a person added in 4.4 or later.
    """
    curves = file_curves(action, known, played)
    return {(known.curve_id(handle, path, curve.array_index), read(curve).digest) for handle, curve, path in curves}


def tied_path(thing: ID | None, data_path: str) -> str:
    """Return a data path of an object with the name that its bone had when it was tied: `curve_id` knows that."""
    bone, end = split_bone(data_path)
    tie = _tie_of_bone(thing, bone) if bone is not None and isinstance(thing, Object) else None
    return data_path if tie in (None, bone) else bone_path(tie, end if end.startswith("[") else f".{end}")


def _tie_of_bone(thing: Object, name: str) -> str:
    bone = thing.data.bones.get(name) if is_rig(thing) else None
    return name if bone is None else names.tie_of(bone)


# --- Bones that have another name now ---------------------------------------------------------------------------------


@contextmanager
def on_renamed_bones(rig: Rig, unplayed: Iterable[Action]) -> Iterator[None]:
    """Let Actions move bones by their present names within the block, as Blender sees to only for what plays."""
    bones = names.by_any_name(rig.data.bones)
    known = {name: bone.name for name, bone in bones.items() if name not in rig.data.bones}
    with Undo() as undo:
        for action in unplayed if known else ():
            there = {curve.data_path for _, curve in actions.every_curve(action)}
            moved = ((path, split_bone(path)[0]) for path in there)
            paths = {old: bone_path(known[own], old[len(bone_path(own, "")) :]) for old, own in moved if own in known}
            if paths and action.is_editable and there.isdisjoint(paths.values()):
                undo.callback(_rename, action, {new: old for old, new in paths.items()})
                _rename(action, paths)
        yield


def _rename(action: Action, paths: Mapping[str, str]) -> None:
    for _, curve in actions.every_curve(action):
        curve.data_path = paths.get(curve.data_path, curve.data_path)
