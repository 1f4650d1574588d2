"""The judge of the sum at the end of a report: what animates the chosen objects, counted apart from the exporter."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from rest_keys import is_rest_key

from . import stage

Value = tuple[str, int]
SUM = re.compile(r"Of (\d+) animated .*, (\d+) \w+ written from curves, (\d+) from samples, and (\d+) \w+ no place")
_POSE = re.compile(r"(delta_)?(location|rotation_\w+|scale)|constraints\[.*")
_BONE = re.compile(r'pose\.bones\["([^"]*)"\]\.?(.*)')
_OWN = re.compile(r'\["[^"]*"\]')
_TURNS = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}
_OF_OUR_IMPORT = ("shown < 0.1", "not shown")
_FIELDS = ("energy", "color", "cutoff_distance", "spot_size", "clip_start", "clip_end", "ortho_scale", "lens")
_OF_BONES = {"mrtk": ("tracked", "pinching"), "w3d": ("visibility", "fade"), "w3x": ("visibility",)}


def wrong_sums(format_name: str, written: list[Any], notes: list[str], absent: Collection[str] = ()) -> Iterator[str]:
    """What the sum in a report's notes should say and does not; the file has no place for bones that are `absent`."""
    found = [match for note in notes if (match := SUM.match(note))]
    if not found:
        yield "the report has no sum"
        return
    total, curves, samples, lost = map(int, found[-1].groups())
    values = {(owner, path, index) for owner in _blocks(written) for path, index in values_of(owner)}
    for mesh in [child for thing in written for child in thing.children] if format_name in ("w3d", "w3x") else ():
        if mesh.type == "MESH" and mesh.parent_type == "BONE":
            values |= {(mesh, path, index) for path, index in values_of(mesh) if path.startswith("hide_")}
    steering = {(target.id, target.data_path) for owner in _blocks(written) for target in _read(owner)}
    idle = {each for each in values if _is_idle(*each[:2])} | set(_resting(written))
    parents = len(set(_moving_parents(written)))
    if not len(values - idle) + parents <= total <= len(values) + parents:
        yield f"{total} are counted of {len(values)} values, {len(idle)} of them idle, and {parents} parents"
    homeless = {each for each in values if not _has_place(format_name, *each[:2]) and each[:2] not in steering}
    homeless |= {each for each in values if each[1].startswith("hide_") and _bone_decides(each[0], values)}
    unheld = {each for each in values if getattr(_holder(*each[:2])[0], "name", "") in absent}
    homeless |= unheld - idle
    if not len(homeless) <= lost <= len(homeless | unheld) or curves + samples + lost != total:
        yield f"{lost} have no place, not {sorted(path for _, path, _ in homeless)}"


def _bone_decides(mesh: Any, values: Iterable[Any]) -> bool:
    """Whether keys of the bone on which a mesh is say when that is seen, in formats that hide bones with meshes."""
    own = (f'"{mesh.parent_bone}"]["visibility"]', f'"{mesh.parent_bone}"].hide')
    return any(
        owner != mesh and path.endswith(own) and any(curve.data_path == path for curve in stage.curves_of(owner) or ())
        for owner, path, _ in values
    )


def _resting(written: Iterable[Any]) -> Iterator[tuple[Any, str, int]]:
    """What an import only holds at rest, for other Actions to leave nothing behind."""
    for owner in _blocks(written):
        curves = list(stage.curves_of(owner) or ()) if owner.animation_data else []
        for _, others in stage.curves_of_strips(owner) if owner.animation_data else ():
            curves += others
        yield from ((owner, curve.data_path, curve.array_index) for curve in curves if is_rest_key(curve))


def values_of(owner: Any) -> set[Value]:
    """Data path and index of each number that curves, strips or drivers animate in a datablock."""
    data = owner.animation_data
    if data is None:
        return set()
    strips = [strip for track in stage.playing_tracks(data) for strip in track.strips]
    curves = [*(stage.curves_of(owner) or ()), *(curve for strip in strips for curve in _curves_in(strip))]
    drivers = [curve for curve in data.drivers if curve.driver.expression not in _OF_OUR_IMPORT]
    return {(curve.data_path, curve.array_index) for curve in (*curves, *drivers) if not stage.is_muted(curve)}


def _curves_in(strip: Any) -> Iterator[Any]:
    if strip.mute:
        return
    for inner in strip.strips:
        yield from _curves_in(inner)
    if strip.action is not None:
        yield from stage.curves_in(strip) or ()


def _blocks(written: Iterable[Any]) -> Iterator[Any]:
    """All that has animation of its own among what objects use, each once."""
    found: dict[Any, None] = {}
    for thing in written:
        materials = [slot.material for slot in thing.material_slots if slot.material is not None]
        for block in (thing, thing.data, getattr(thing.data, "shape_keys", None), *materials):
            if block is not None:
                found[block] = None
    yield from found


def _read(owner: Any) -> Iterator[Any]:
    for curve in owner.animation_data.drivers if owner.animation_data else ():
        yield from (target for variable in curve.driver.variables for target in variable.targets)


def _holder(owner: Any, path: str) -> tuple[Any, str]:
    """The bone or datablock that a path leads to, and the rest of the path."""
    found = _BONE.fullmatch(path)
    return (owner, path) if found is None else (owner.pose.bones.get(found[1]), found[2])


def _is_idle(owner: Any, path: str) -> bool:
    """Whether Blender shows nothing of it: a turn in another rotation mode, a connected bone, a muted shape key."""
    holder, rest = _holder(owner, path)
    if holder is not None and rest.startswith("rotation_"):
        return bool(rest != _TURNS.get(holder.rotation_mode, "rotation_euler"))
    if rest == "location" and hasattr(holder, "bone"):
        return bool(holder.bone.use_connect)
    return path.startswith("key_blocks") and bool(owner.path_resolve(path.rpartition(".")[0]).mute)


def _has_place(format_name: str, owner: Any, path: str) -> bool:
    """Whether a file of the format has a place for a value, or for what it does to a pose."""
    holder, rest = _holder(owner, path)
    if holder is None or _POSE.fullmatch(rest):
        return holder is not None
    if format_name != "animx":
        hides = path.startswith("hide_") or path.endswith('"].hide')
        if hides and format_name != "mrtk":
            return True
        return holder is not owner and (rest == "hide" or rest[2:-2] in _OF_BONES[format_name])
    if _OWN.fullmatch(rest) and rest[2:-2] not in holder:
        return False
    if _OWN.fullmatch(rest) or rest.startswith("key_blocks"):
        return holder is not owner or owner.id_type in ("OBJECT", "KEY")
    return rest in (("hide_viewport", "hide_render") if owner.id_type == "OBJECT" else _FIELDS)


def _moving_parents(written: list[Any]) -> Iterator[Any]:
    for thing in written:
        while (thing := thing.parent) is not None:
            moving = any(_POSE.fullmatch(path) and not path.startswith("constr") for path, _ in values_of(thing))
            if thing not in written and (moving or len(thing.constraints)):
                yield thing
