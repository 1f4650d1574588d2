"""What an export writes: which Actions of which objects go into which files.

The objects are a collection's, else the selected ones, else all where there is no choice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from itertools import chain, count
from pathlib import Path
from typing import NamedTuple

import bpy
from bpy.types import ID, Action, Collection, Context, Object

from ..io_formats import ENDINGS
from ..io_formats import messages as common_messages
from ..io_formats.errors import EmptyError, FormatError
from ..io_formats.files.batch_files import Outputs, filled, folded, free, safe
from ..io_formats.format import AnyFormat
from ..io_formats.scene_options import ExportOptions
from ..scene import actions, data_paths, provenance
from ..scene.capture import influences, players
from ..scene.capture.players import of_import, playing_action, siblings
from ..scene.names import cut, without_number
from ..scene.targets import active_object, armature_of, selected_objects
from ..scene.types import Rig, is_model, is_rig
from . import messages
from .language import say
from .source_file import file_of, format_of_action

_HARMLESS = {"actions", "several", "file_names", "use_source", "check_playback", "strict", "deform_bones_only"}
"""Options that do not change what is written of one untouched Action; curves of bones that are left out are edited."""

UNSAVED = "untitled"
"""What a .blend without a file is called in the names of exports."""


@dataclass(frozen=True)
class Part:
    """What goes into one file.

    Attributes:
        owners: objects whose motion is written.
        beside: other objects that are chosen or belong to them, of which nothing is written.
        action: what they play, None if it is no Action.
        models: the file of models alone that they came from, which is written as it was; None where something moves.
        back: it goes back to where the Action came from, so that other imports in the NLA are no part of it.
    """

    path: Path
    owners: list[Object]
    beside: list[Object]
    action: Action | None = None
    models: provenance.Provenance | None = None
    back: bool = False

    @property
    def name(self) -> str:
        """The Action's name; without one, those of the objects."""
        return listed(self.owners) if self.action is None else str(self.action.name)

    @cached_property
    def known(self) -> provenance.Provenance | None:
        """What the Action says of its import; asked for once, as it is large."""
        return None if self.action is None else provenance.find(self.action)

    @property
    def imported(self) -> Action | None:
        """The Action, where the objects play what its import made of a file, not a slot that a person added to it."""
        return self.action if self.action is not None and players.plays_import(self.action, self.owners) else None

    @property
    def main(self) -> Object:
        """The armature that is written, without one the first object."""
        return next((owner for owner in self.owners if owner.type == "ARMATURE"), self.owners[0])


def anything(context: Context, *, armature: bool) -> bool:
    """Return whether the scene has something to export, selected or not."""
    return any(not armature or is_rig(owner) or is_model(owner) for owner in context.scene.objects)


def chosen(context: Context, collection: str = "", *, armature: bool) -> list[Object]:
    """Return the objects that a person chose, the active one first.

    The active object counts only if it is selected. Where nothing is chosen, the scene must leave no choice: it then
    has one armature at most, which is taken, and everything beside it where a format needs no armature.

    Args:
        collection: name of a collection; its objects and its children's, whatever is selected.
        armature: the format needs an armature, so that other objects alone are no choice.

    Raises:
        FormatError: nothing is chosen and there are several armatures.
    """
    if collection:
        found: Collection | None = bpy.data.collections.get(collection)
        return list(found.all_objects) if found else []
    active = active_object(context)
    wanted = {*selected_objects(context)}
    selected = sorted(filter(wanted.__contains__, context.scene.objects), key=lambda owner: owner != active)
    if armatures_of(selected) or (selected and not armature):
        return selected
    rigs = [owner for owner in context.scene.objects if is_rig(owner)]
    if len(rigs) > 1:
        raise FormatError(messages.EXPORT_SEVERAL, names=listed(rigs))
    return [*rigs, *selected] if armature and rigs else list(context.scene.objects)


def armatures_of(things: Iterable[Object]) -> list[Rig]:
    """Return the armatures of objects, in order, each once."""
    return list(dict.fromkeys(rig for rig in map(armature_of, things) if rig is not None))


def without_models(things: Iterable[Object]) -> list[Object]:
    """Return the objects without those that only show what a file looks like, in whose place their armature stands."""
    stand_ins = (armature_of(thing) if is_model(thing) else thing for thing in things)
    return list(dict.fromkeys(thing for thing in stand_ins if thing is not None))


def targets(
    context: Context, path: Path, file_format: AnyFormat, options: ExportOptions, owners: Sequence[Object]
) -> list[Part]:
    """Return a file for each Action that an export of `owners` to `path` would write; raise FormatError if none."""
    models = [provenance.file_of_models(owner) for owner in owners]
    texts = {None if one is None else one.text for one in models}
    alone = models[0] if options.use_source and len(texts) == 1 else None
    as_it_was = alone is not None and alone.format == file_format.name and is_as_imported(alone, path, options)
    if as_it_was and not players.anything_moves(owners):
        return [Part(path, list(owners), [], models=alone)]
    parts = _parts(context, path, file_format, options, owners)
    everyone = [owner for part in parts for owner in part.owners]
    by_keys = options.actions != "ALL" and options.sampling != "BAKE"  # of all Actions only those of the objects count
    if by_keys and not players.anything_moves(everyone, meshes_hide_bones=file_format.meshes_hide_bones):
        raise EmptyError(messages.NOTHING_MOVES, names=listed(everyone))
    taken: set[str] = set()
    found: list[Part] = []
    for part in parts:
        prefix = f"{part.path.stem}-" if len(parts) > 1 else ""
        found += _with_actions(part, options, prefix, taken, everyone)
    # a name may say another format of ours only where the imported file has its ending
    ending, known = path.suffix.lower(), file_format.extensions
    of_other = ending in {*ENDINGS} - {*known}
    if of_other and not any(part.known and part.known.file.lower().endswith(ending) for part in found):
        raise FormatError(common_messages.UNKNOWN_ENDING, file=str(path), found=path.suffix, endings=", ".join(known))
    return _as_pattern(found, options.file_names) if options.file_names else found


def is_as_imported(found: provenance.Provenance, path: Path, options: ExportOptions) -> bool:
    """Return whether a file's name and the options ask for nothing else than the imported file."""
    asked = (declared.name for declared in fields(options) if getattr(options, declared.name) != declared.default)
    return set(asked) <= _HARMLESS and Path(found.file).suffix.lower() == path.suffix.lower()


def _as_pattern(parts: Sequence[Part], pattern: str) -> list[Part]:
    owners: dict[str, Part] = {}
    named = []
    for part in parts:
        action = part.name if part.action is None else _clip_name(part.action)
        places = {"action": action, "object": part.main.name, "blend": Path(bpy.data.filepath).stem or UNSAVED}
        name = filled(pattern, places)
        first = owners.setdefault(folded(name), part)
        path = part.path.with_name(name + part.path.suffix)
        if first is not part:
            told = [say(messages.PATTERN_OF, action=each.name, name=each.main.name) for each in (first, part)]
            raise FormatError(messages.PATTERN_TWICE, file=str(path), first=told[0], second=told[1])
        named.append(replace(part, path=path))
    return named


def strangers(path: Path, wanted: Sequence[Part]) -> list[Path]:
    """Return the files that exist already and that nobody has named: of those `wanted`, all but `path`."""
    return [part.path for part in wanted if part.path != path and Outputs.is_there(part.path)]


def _with_actions(
    part: Part, options: ExportOptions, prefix: str, taken: set[str], everyone: Sequence[Object]
) -> Iterator[Part]:
    """Yield a file for each Action to write that is made for no other part's owners; `prefix` keeps names apart."""
    if options.actions != "ALL":
        yield replace(part, action=playing_action(part.owners))
        return
    told: set[Action] = set()
    for action in bpy.data.actions:
        if action in told:
            continue
        members = siblings(action, provenance.find(action))
        made_for = {owner for member in members for owner in players_among(member, everyone)}
        owners = [owner for owner in part.owners if owner in made_for]
        if owners:
            owners += [other for other in part.owners if other not in owners and players.follows(other, owners)]
            main = members[0] if members[0] not in told else action
            told.update(members)
            names = (prefix + _clip_name(main), prefix + main.name)
            yield replace(part, path=_free_path(part.path, names, taken), owners=owners, action=main)


def players_among(action: Action, owners: Sequence[Object]) -> list[Object]:
    """Return the objects that an Action is made for, itself, by its data or shape keys; none for one without curves.

    An imported animation may have no curves.
    """
    if not any(actions.every_curve(action)) and provenance.find(action) is None:
        return []
    parts = [owner for owner, _, _ in players.parts(action, owners) if owner.id_type != "ARMATURE"]
    return [thing for thing in owners if any(owner in parts for owner in players.datablocks_of(thing))]


class Changes(NamedTuple):
    """The imported Actions whose curves the files that they came from have otherwise, by these files.

    Attributes:
        names: of the changed Actions.
        total: of all imported animations.
        parts: what goes into which file, with the path that it came from; all animations of one file go into one.
        unplaced: names of changed Actions without a file that is theirs alone and no archive, or that nothing can play.
    """

    names: list[str]
    total: int
    parts: list[Part]
    unplaced: list[str]

    def written(self, *, in_place: bool) -> list[Part]:
        """Return the parts as they are written: over their files, or under free names beside these."""
        return self.parts if in_place else [replace(part, path=free(part.path)) for part in self.parts]


def changes(context: Context) -> Changes:
    """Return what was changed of all that was imported."""
    imported = players.imported_versions()
    found = Changes([], sum(map(len, imported.values())), [], [])
    by_path: dict[Path | None, list[tuple[Part | None, list[str]]]] = {}
    is_changed = partial(provenance.is_changed, since_saved=True)
    for animations in imported.values():
        originals = [[versions[0] for versions in parts.values()] for parts in animations.values()]
        changed = [members for members in originals if any(map(is_changed, members))]
        names = [min((member.name for member in members), key=len) for members in changed]
        found.names.extend(names)
        part = _back_to_file(context, changed[0]) if changed else None
        by_path.setdefault(None if part is None else part.path, []).append((part, names))
    for (part, names), *others in by_path.values():
        if part is not None and not others:
            found.parts.append(part)
        else:
            found.unplaced.extend(chain(names, *(more for _, more in others)))
    return found


def _back_to_file(context: Context, members: Sequence[Action]) -> Part | None:
    main = min(members, key=lambda member: len(member.name))
    path = file_of(main)
    try:
        file_format = format_of_action(main)
    except FormatError:  # of none that is known here
        return None
    if path is None or file_format.is_packed(path):
        return None
    everyone = list(context.scene.objects)
    owners = list(dict.fromkeys(owner for member in members for owner in players_among(member, everyone)))
    if not file_format.needs_armature:
        return Part(path, owners, [], main, back=True) if owners else None
    active = active_object(context)
    rigs = sorted(armatures_of(without_models(owners)), key=lambda rig: rig != active)
    return Part(path, [rigs[0]], _beside(context, rigs[0], []), main, back=True) if rigs else None


def _clip_name(action: Action) -> str:
    origin = provenance.find(action)
    if origin is None or action.name != origin.placement.given_name:
        return str(action.name)
    if origin.options.get("name_from") == "FILE":
        name = f"{origin.options.get('name_prefix', '')}{(file_of(action) or Path(origin.file)).stem}"
        given = cut(name), cut(f"{name} {origin.placement.clip_name}".rstrip())  # alone in its file, or not
        return str(action.name) if action.name in given else without_number(action.name)  # both may end in a number
    return origin.placement.clip_name or str(action.name)


def _parts(
    context: Context, path: Path, file_format: AnyFormat, options: ExportOptions, things: Sequence[Object]
) -> list[Part]:
    """Return what of the chosen objects goes into which file; raise FormatError if the format needs an armature and
    there is none, or holds one and there are several."""
    rigs = armatures_of(things)
    things = without_models(things)
    needs_armature = file_format.needs_armature
    if not things or (needs_armature and not rigs):
        raise FormatError(messages.EXPORT_NEEDS_ARMATURE if needs_armature else messages.EXPORT_NEEDS_OBJECT)
    if options.several != "FILES" or len(rigs) <= 1:
        if needs_armature and len(rigs) > 1:
            raise FormatError(messages.EXPORT_ONE_ARMATURE, names=listed(rigs))
        beside = _beside(context, rigs[0], things) if needs_armature else []
        return [Part(path, list(rigs if needs_armature else things), beside)]
    taken: set[str] = set()
    paths = [(rig, _free_path(path, [rig.name], taken)) for rig in rigs]
    if needs_armature:
        return [Part(target, [rig], _beside(context, rig, things)) for rig, target in paths]
    # each armature with what is parented to it, and the rest under the name asked for
    own = {rig: [thing for thing in things if thing != rig and armature_of(thing) == rig] for rig in rigs}
    parts = [Part(target, [rig, *own[rig]], []) for rig, target in paths]
    others = [thing for thing in things if armature_of(thing) is None]
    if others:
        parts.append(Part(_free_path(path, [path.stem], taken), others, []))
    return parts


def _beside(context: Context, rig: Rig, things: Sequence[Object]) -> list[Object]:
    """Return the objects that are parented to an armature, and those chosen ones that are not."""
    loose = [thing for thing in things if armature_of(thing) is None]
    hanging = [thing for thing in context.scene.objects if thing != rig and armature_of(thing) == rig]
    return [*hanging, *loose]


def _free_path(path: Path, names: Sequence[str], taken: set[str]) -> Path:
    """Return `path` with the first name that is not taken, else with the last and a number; it is then taken."""
    clean = [safe(name) for name in names]
    numbered = (f"{clean[-1]}-{number}" for number in count(len(taken)))
    name = next(name for name in chain(clean, numbered) if name.casefold() not in taken)
    taken.add(name.casefold())
    return path.with_name(name + path.suffix)


def listed(things: Iterable[Object]) -> str:
    """Return the names of objects, in order of the alphabet."""
    return ", ".join(sorted(thing.name for thing in things))


# Who plays an Action, and which Action is at hand: what the tools of the panels and an export's dialogue ask.

__all__ = ["of_import", "playing_action", "siblings"]


def active_action(context: Context) -> Action | None:
    """Return the Action that the active object or its armature plays; None for neither."""
    active = active_object(context)
    if active is None:
        return None
    moving = armature_of(active)
    return playing_action([active]) or (None if moving is None else playing_action([moving]))


def bones_of(action: Action, origin: provenance.Provenance) -> set[str]:
    """Return the bones of which an imported Action has curves that the import wrote."""
    found = ((handle, curve.data_path, curve.array_index) for handle, curve in actions.every_curve(action))
    bones = (data_paths.split_bone(path)[0] for handle, path, index in found if origin.has_written(handle, path, index))
    return {bone for bone in bones if bone is not None}


def players_by_strips(action: Action, origin: provenance.Provenance, context: Context) -> list[ID]:
    """Return what plays an Action, or others of its animation, by NLA strips, muted or not, and has none assigned."""
    parts = siblings(action, origin)
    owners = [owner for thing in context.scene.objects for owner in players.datablocks_of(thing)]
    free = [owner for owner in owners if actions.assigned(owner)[0] is None]
    return [owner for owner in free if any(found in parts for found, _ in influences.all_assigned(owner))]


def players_of(action: Action, context: Context, *, alone: bool) -> list[Object]:
    """Return the objects that play an Action: one for each slot where the active one is among them, else all.

    Of a format that holds one armature (`alone`), slots that a person added do not count, and an active player is all.
    """
    playing = [(owner, slot) for owner, slot in actions.users_of(action) if isinstance(owner, Object)]
    if alone:
        playing = [(owner, slot) for owner, slot in playing if players.is_of_import(action, slot)]
    active = active_object(context)
    if any(owner == active for owner, _ in playing):
        by_slot = {slot: owner for owner, slot in playing if owner == active}
        for owner, slot in playing:
            by_slot.setdefault(slot, owner)
        return list(by_slot.values())[: 1 if alone else None]
    movers = [] if active is None else filter(None, (active, armature_of(active)))
    by_strip = [mover for mover in movers if actions.assigned(mover)[0] != action == playing_action([mover])][:1]
    return by_strip or [owner for owner, _ in playing]


def would_be_written(action: Action, owners: Sequence[Object], *, plays: bool) -> bool:
    """Return whether an export of what these objects play is one of this Action; they may play it among strips."""
    playing = playing_action(owners)
    return plays if playing is None else playing in siblings(action, provenance.find(action))
