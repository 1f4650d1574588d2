"""Pivots of W3D and W3X beside the bones of an armature: poses, what is hidden, and which animations a file holds."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random
from typing import Any

import bpy
import numpy as np

from .. import accounts, clock, compare, edits, shown, stage
from ..players import moves, w3d, w3x
from ..verdict import ASKED_FOR, Export, Find

Array = np.ndarray[Any, Any]
PLAYERS = {"w3d": w3d.Player.of, "w3x": w3x.Player.of}
_ROOT = "ROOTTRANSFORM"
_JUST = 2e-4
"""Frames after which Blender has stepped that did so on a whole one."""
_FADE_OFF = 2e-3
"""How far opacities may be off where keys are left out."""
_DELTAS = 10.0
"""Times as far off are those in differences."""


def judge(recipe: dict[str, Any], export: Export, written: list[Any], spans: list[clock.Span]) -> Iterator[Find]:
    """What is wrong with one animation, or with each of several in files of their own."""
    if recipe["options"].get("several") == "FILES":
        yield from _each_armature(recipe, export, written)
        return
    if len(written) > 1:
        yield from compare.several_armatures(export, written)
        return
    if export.data is None:
        yield from _refused_pivots(recipe, export, written, spans)
        return
    if recipe["options"].get("actions") == "ALL":
        yield from _each_action(recipe, export, written[0])
        return
    own = next((at for at, (action, _) in enumerate(export.animations) if action and action == _playing(written[0])), 0)
    for number in [own] if export.imported is not None else range(player_of(recipe, export).animations or 1):
        yield from _animation(recipe, export, written[0], spans, number)
    yield from _skeletons(recipe, export)
    yield from _other_animations(recipe, export, written[0], own) if export.imported is not None else ()


def _refused_pivots(recipe: Any, export: Export, written: list[Any], spans: Any = None) -> Iterator[Find]:
    local = recipe["options"].get("space") == "LOCAL"
    yield from compare.refused(export, written, spans or compare.spans_of(written, recipe), sizes=False, local=local)


def is_whole(recipe: dict[str, Any], data: bytes) -> bool:
    """Whether a file holds all that it takes to play it, such as its skeleton, and all of the scene."""
    player, plain = PLAYERS.get(recipe["format"]), recipe["options"].keys() <= {"flavor"}
    return player is None or (plain and bool(player(data).skeletons))


def _playing(rig: Any) -> Any:
    """The Action that an armature plays, by itself or as a strip."""
    data = rig.animation_data
    strips = () if data is None else [strip for track in data.nla_tracks for strip in track.strips]
    return data and (data.action or next((strip.action for strip in strips), None))


def player_of(recipe: dict[str, Any], export: Export, number: int = 0, data: bytes | None = None) -> Any:
    return PLAYERS[recipe["format"]](data or export.data, number, export.beside)


def _each_armature(recipe: dict[str, Any], export: Export, written: list[Any]) -> Iterator[Find]:
    """A file for each armature, named after it; none at all if one of them stands still."""
    still = {rig.name for rig in written if not list(_refused_pivots(recipe, export, [rig]))}
    if export.data is None and still:
        return
    for rig in written:
        data = {name.rpartition(".")[0]: found for name, found in export.files.items()}.get(rig.name)
        if data is None and not (rig.name in still and export.names(rig.name)):
            yield Find("no file", rig.name, export.refusal or ", ".join(export.files))
        elif data is not None:
            yield from _animation(recipe, replace(export, data=data), rig, compare.spans_of([rig], recipe))


def _each_action(recipe: dict[str, Any], export: Export, rig: Any) -> Iterator[Find]:
    """A file for each Action of an armature, alone, named after it."""
    data = rig.animation_data
    actions = {strip.action for track in data.nla_tracks for strip in stage.strips_of(track)} | {data.action}
    for action in sorted((each for each in actions if each), key=lambda each: str(each.name)):
        name = re.sub(r"\W", "_", action.name)
        found = [each for file, each in export.files.items() if re.sub(r"\W", "_", file.rpartition(".")[0]) == name]
        edits.play(rig, action)
        if found:
            yield from _animation(recipe, replace(export, data=found[0]), rig, compare.spans_of([rig], recipe))
        elif list(_refused_pivots(recipe, export, [rig])):
            yield Find("no file", action.name, ", ".join(export.files))


def _skeletons(recipe: dict[str, Any], export: Export) -> Iterator[Find]:
    """A file holds its skeleton unless nobody wants it, or it came from a file without one."""
    include = recipe["options"].get("include_skeleton", "AUTO")
    player = PLAYERS[recipe["format"]]
    there, before = (bool(player(data).skeletons) for data in (export.data, export.source or export.data))
    wanted = {"INCLUDE": True, "EXCLUDE": False}.get(include, before)
    if there != wanted and (include != "AUTO" or export.imported is not None) and not export.names("skeleton"):
        yield Find("skeleton", "file", "is in the file" if there else "is not in the file")


def _other_animations(recipe: dict[str, Any], export: Export, rig: Any, playing_number: int) -> Iterator[Find]:
    """The other animations of an imported file: as Blender has them now, or as they were where nobody edited them."""
    count = player_of(recipe, export).animations
    if export.source is not None and count != max(len(export.animations), 1):
        yield Find("animations", "file", f"{count}, not {len(export.animations)}")
        return
    for number, (action, frames) in enumerate(export.animations):
        if number == playing_number or action is None or export.source is None:
            continue
        now, before = (player_of(recipe, export, number, data) for data in (export.data, export.source))
        if action not in export.edited and _plays_alike(now, before):
            continue
        edits.play(rig, action)
        whole = {**recipe, "options": recipe["options"] | {"first_frame": 0, "frame_count": 0}}
        own = {} if action in export.edited else {"use_scene_range": False, "bake_to_scene_end": False}
        spans = compare.spans_of([rig], {**recipe, "options": recipe["options"] | own}, frames)
        finds = list(_animation(whole, export, rig, spans, number))
        yield from [replace(find, kind=f"other {find.kind}") for find in finds]


def _plays_alike(now: Any, before: Any) -> bool:
    """Whether two animations of a name have the same frames, and the pivots the same poses on them."""
    facts = [(each.name, each.frames, each.rate, each.names) for each in (now, before)]
    return facts[0] == facts[1] and all(
        np.abs(np.array(now.worlds(frame)) - np.array(before.worlds(frame))).max() < 1e-5 for frame in range(now.frames)
    )


def _animation(
    recipe: dict[str, Any], export: Export, rig: Any, spans: list[clock.Span], number: int = 0
) -> Iterator[Find]:
    player, options = player_of(recipe, export, number), recipe["options"]
    if any(map(ASKED_FOR.search, export.warnings)):
        return
    if not player.frames or not player.names:
        yield Find("empty file", "file", f"{player.animations} animations, {len(player.names)} pivots")
        return
    alike = export.imported is None and not options.get("file_rate")
    alike = alike and abs(player.rate * clock.stretch() / clock.rate() - 1) < 0.002
    step = clock.stretch() if alike else clock.rate() / player.rate
    skipped, most = options.get("first_frame", 0), options.get("frame_count", 0) or math.inf
    wanted = [min(max(span.seconds * clock.rate() / step - skipped, 0.0), most - 1) for span in spans]
    least = -1e-3 if export.imported is None else -0.5  # as many frames as before for what is nearly as long
    near = [span for span, frames in zip(spans, wanted, strict=True) if least < player.frames - 1 - frames < 0.999]
    if not near:
        yield compare.wrong_length(spans, (player.frames - 1) * step / clock.rate())
        return
    yield from _pivots(recipe, export, player, rig.name, near[0], step)


def _pivots(recipe: Any, export: Export, player: w3d.Player, rig: str, span: clock.Span, step: float) -> Iterator[Find]:
    random = Random(str(recipe["steps"]))
    frames = sorted({0, player.frames - 1, *(random.randrange(player.frames) for _ in range(compare.MOMENTS - 2))})
    lasting, skipped = span.seconds, recipe["options"].get("first_frame", 0)
    if recipe["options"].get("use_scene_range"):  # a frame beyond the scene's last shows that, or what is there
        frames = [frame for frame in frames if (frame + skipped) * step / clock.rate() <= lasting + 1e-4] or [0]
    seen = shown.moments([span.timeline(min((frame + skipped) * step / clock.rate(), lasting)) for frame in frames])
    numbers = pivot_numbers(player, rig, export.renamed)
    yield from _Figure(recipe, export, player, rig, frames, seen, numbers).wrong()


@dataclass
class _Figure:
    """A file beside what Blender shows of an armature on some of its frames.

    Attributes:
        numbers: the pivot of each bone.
    """

    recipe: dict[str, Any]
    export: Export
    player: Any
    rig: str
    frames: list[int]
    seen: list[shown.Moment]
    numbers: dict[str, int | None]

    def wrong(self) -> Iterator[Find]:
        above, options = _above_the_root(self.rig), self.recipe["options"]
        for bone, number in self.numbers.items():
            other = self.export.imported is not None or options.get("skeleton")
            new = other and not _is_moved(self.rig, bone)
            if number is None and bone not in above and not new and not self.export.names(bone):
                yield Find("no pivot", bone, "the bone is not in the file")
                return
        if options.get("space") == "LOCAL":
            compare.without_object(self.seen, self.rig)
        if options.get("skeleton") and self.export.imported is None:
            self._turn_axes(options.get("scale", 1.0))
        yield from self._poses()
        yield from self._visibility()

    def _turn_axes(self, size: float) -> None:
        """Let bones have the axes of the pivots that rest in their places, from which what is skinned turns away."""
        rests = self.player.rests
        bones = [bone for bone in bpy.data.objects[self.rig].data.bones if self.numbers[bone.name]]
        own = {bone.name: np.array(bone.matrix_local, np.float64) for bone in bones}
        there = {bone.name: rests[self.numbers[bone.name] or 0] for bone in bones}
        off = max(float(np.abs(size * own[name][:3, 3] - there[name][:3, 3]).max()) for name in own)
        for name in own if off < 1e-3 else ():
            turn = np.eye(4)
            turn[:3, :3] = own[name][:3, :3].T @ there[name][:3, :3]
            for moment in self.seen:
                moment.worlds[f"{self.rig}/{name}"] = moment.worlds[f"{self.rig}/{name}"] @ turn

    def _poses(self) -> Iterator[Find]:
        """World pose of each pivot; a rig that stands still may be told from where it stands, which the game places."""
        imports = (step.get("options", {}) for step in self.recipe["steps"] if step["do"] == "import")
        options = self.recipe["options"]
        space = moves.root("w3d", {**options, "scale": 1 / options.get("scale", 1.0)})
        outer = np.eye(4) if shown.varies(self.seen, self.rig) else self.seen[0].worlds[self.rig] @ space
        tried = [list(self._wrong_around(around)) for around in (space @ moves.root("w3d", next(imports, {})), outer)]
        yield from min(tried, key=lambda finds: (len(finds), max((find.size for find in finds), default=0.0)))

    def _wrong_around(self, around: Array) -> Iterator[Find]:
        left = [warning for warning in self.export.warnings if "has no pivot in the skeleton" in warning]
        for bone, number in self.numbers.items():
            if not number or any(bone in warning for warning in left):  # the first one is where the game puts it all
                continue
            place_limit, turn_limit = limits = self._limits(_depth(self.player, number))
            each = [self._off(around, bone, number, at, limits) for at in range(len(self.frames))]
            times, off, turned, frame = max([(0.0, 0.0, 0.0, 0), *each])
            if (off <= place_limit and turned <= turn_limit) or self.export.names("delta"):
                continue
            told = compare.told_off(self.export, f"{self.rig}/{bone}", self.seen)
            if off > place_limit + told[0] or turned > turn_limit + told[1]:
                kind = "pivot rotation" if turned > turn_limit else "pivot position"
                yield Find(kind, bone, f"{off:.5f}, {turned:.3f} degrees on frame {frame}", times)

    def _off(
        self, around: Array, bone: str, number: int, at: int, limits: tuple[float, float]
    ) -> tuple[float, float, float, int]:
        """Times too far, units and degrees that a pivot is off on a frame, and that; the nearest way to look at it."""
        frame, ways = self.seen[at].frame, []
        slack = 1.0 if abs(frame - round(frame)) < 1e-3 else compare.BETWEEN
        for way in self._ways[at]:
            each = [compare.apart(around @ poses[number], moment.worlds[f"{self.rig}/{bone}"]) for poses, moment in way]
            off = [(place / slack, turned / slack) for place, turned in each]
            ways.append(max((place / limits[0] + turned / limits[1], place, turned) for place, turned in off))
        return (*min(ways), self.frames[at])

    @cached_property
    def _ways(self) -> list[list[list[Any]]]:
        """What of the file to compare with what Blender shows on each frame, one way or the other.

        Where the file steps on it and Blender does so just after it, as where a round ends: both sides of the step.
        """
        found = []
        jumps = [each.jumps for each in self.player.channels if isinstance(self.player, w3x.Player)]
        for frame, moment in zip(self.frames, self.seen, strict=True):
            own = self.player.worlds(frame)
            found.append([[(own, moment)]])
            if frame and any(each[frame] for each in jumps):
                (after,) = shown.moments([moment.frame + _JUST])
                found[-1].append([(self.player.worlds(frame - _JUST), moment), (own, after)])
        return found

    @cached_property
    def _size(self) -> tuple[float, float]:
        return compare.figure(self.seen, [f"{self.rig}/{bone}" for bone in self.numbers])

    @cached_property
    def _flavor(self) -> str:
        """The form of a file: as was asked, else that of the imported file, which its edited take keeps."""
        if self.recipe["options"].get("flavor", "AUTO") != "AUTO":
            return str(self.recipe["options"]["flavor"])
        forms = {"_tc": "TIMECODED", "_ad": "ADAPTIVE", "ad4": "ADAPTIVE"}
        files = [step.get("file", "") for step in self.recipe["steps"]]
        return next((form for part, form in forms.items() if any(part in file for file in files)), "RAW")

    def _limits(self, depth: int) -> tuple[float, float]:
        unit, reach = self._size
        if "TIMECODED" in self._flavor:
            turn = 0.06 * depth + 0.02
            return 0.0015 * unit * depth + math.radians(turn) * reach + 2e-4 * (unit + reach), turn
        if "ADAPTIVE" in self._flavor:
            return 0.01 * reach * (1 + depth) + 0.02 * unit, 1.0 * (1 + depth)
        return 2e-4 * (unit + reach), 0.02 + 0.006 * depth

    def _visibility(self) -> Iterator[Find]:
        most = _FADE_OFF * (_DELTAS if "ADAPTIVE" in self._flavor else 1.0)
        for place, name in self.seen[0].switches:
            bone, wanted = place.partition("/")[2], np.array([each.switches[place, name] for each in self.seen])
            pivot = self.numbers.get(bone)
            posed = wanted.max() < 1.0 and not _is_moved(self.rig, f'{bone}"]["{name}')  # which hides nothing in a game
            if not place.startswith(f"{self.rig}/") or not pivot or self.export.names(bone) or posed:
                continue
            if name == "visibility":
                bits = self.player.shown.get(pivot, np.ones(self.player.frames, bool))[self.frames]
                off = np.flatnonzero(bits != (wanted >= w3x.LEAST_SHOWN))
                if len(off):
                    yield Find("visibility", bone, f"frame {self.frames[off[0]]} should be {wanted[off[0]]:g}")
            numbers = _numbers(self.player, pivot, name)
            far = np.zeros(1) if numbers is None else np.abs(numbers[self.frames] - wanted)
            if far.max() > most:
                yield Find(name, bone, f"{far.max():.4f} off on frame {self.frames[int(far.argmax())]}")


def _is_moved(rig: str, bone: str) -> bool:
    """Whether keys or constraints move a bone by itself, or a property of it that is named with it."""
    thing = bpy.data.objects[rig]
    keyed = any(f'"{bone}"' in path for path, _ in accounts.values_of(thing))
    return keyed or (bone in thing.pose.bones and len(thing.pose.bones[bone].constraints) > 0)


def pivot_numbers(player: w3d.Player, rig: str, renamed: dict[str, str]) -> dict[str, int | None]:
    """The pivot of each bone: of its name in capitals, cut where the format has no room for more.

    Without its namespace where there is none of the whole; of several that are cut alike later ones have a number.
    """
    names, room, found = [name.upper() for name in player.names], player.NAME_LETTERS, dict[str, int | None]()
    above = _above_the_root(rig)
    for bone in [str(bone.name) for bone in bpy.data.objects[rig].data.bones]:
        whole = renamed.get(bone, bone).upper()
        cut = [name[:room].rstrip(".") if room else name for name in (whole, whole.rpartition(":")[2])]
        wanted = [*cut, *(f"{name[: room - 2]}_{number}" for name in cut for number in range(1, 10) if room)]
        there = (names.index(name) for name in wanted if name in names)
        found[bone] = next((at for at in there if at not in found.values() and bone not in above), None)
    return found


def _above_the_root(rig: str) -> list[str]:
    """Bones above that of the games' root, which have no place in a file."""
    return [each.name for each in getattr(bpy.data.objects[rig].data.bones.get(_ROOT), "parent_recursive", ())]


def _depth(player: w3d.Player, number: int) -> int:
    return 0 if player.parents[number] < 0 else 1 + _depth(player, player.parents[number])


def _numbers(player: Any, pivot: int, name: str) -> Array | None:
    """What an opacity is on each frame, None where the file has no place for it."""
    if isinstance(player, w3x.Player):
        own = player.opacity[pivot].values[:, 0] if pivot in player.opacity else np.ones(player.frames)
        return own if name == "visibility" else None
    found = [each.values[:, 0] for each in player.channels if each.pivot == pivot and each.type == w3d.FADE]
    return next(iter(found), np.ones(player.frames)) if name == "fade" else None
