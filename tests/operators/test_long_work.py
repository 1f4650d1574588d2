"""Imports in steps: the same as without pauses, and taken back whole at whatever step they are ended."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from cases import slow, slow_but
from in_blender import add, animate, bags_of, editing, push_down, reopen

pytest.importorskip("bpy")
from blend_census import census, differences

Patch = pytest.MonkeyPatch

Part = Callable[[str], Any]
Steps = Callable[..., Any]

FILES = {
    "mrtk": "mrtk/v11_flags/v11_cam1_hand1_gaze1.bin",
    "w3d": "w3d/h04_multi_unknown.w3d",
    "w3x": "w3x/g02.w3x",
    "animx": "animx/16_properties_vt.animx",
}
OPTIONS = {"existing": "REPLACE", "nla": "STASH", "rate": "CUSTOM", "custom_rate": 48.0, "name_prefix": "take "}


@pytest.fixture
def fine(part: Part, monkeypatch: Patch) -> None:
    """Let a step be due after every curve and every moment that is read."""
    monkeypatch.setattr(part("io_formats.files.steps"), "STEP", 1)
    monkeypatch.setattr(part("scene.capture.bake"), "_PAUSE", 0.0)


@pytest.fixture
def importing(bpy: Any, part: Part, data: Path) -> Callable[..., Iterator[Any]]:
    """The steps of an import of files of one format."""

    def steps(name: str, files: list[Path], **options: Any) -> Iterator[Any]:
        package = part(f"io_formats.{name}")
        importing = part("pipeline.import_files")
        load = importing.Load(package.FORMAT, files, package.ImportOptions(**options))
        result: Iterator[Any] = importing.import_loads(bpy.context, [load])
        return result

    return steps


def lived_in(bpy: Any, importing: Steps, name: str, path: Path, blend: Path) -> Any:
    """A .blend that has the file twice already, posed, with the playhead elsewhere; its census."""
    for options in ({"name_prefix": "take "}, {}):
        assert list(importing(name, [path], **options))[-1].outcome.error is None
    active = bpy.context.view_layer.objects.active
    if active is not None and active.pose is not None:
        active.pose.bones[0].location.x = 3.0
        active.pose.bones[1].rotation_mode, active.pose.bones[1].rotation_axis_angle = "AXIS_ANGLE", (0.5, 1, 2, 0)
    bpy.context.scene.frame_set(7)
    reopen(blend)
    return census()


@pytest.mark.parametrize("name", slow_but(["w3d", "w3x", "animx"], FILES))
def test_an_import_that_is_ended_at_any_step_leaves_nothing(
    bpy: Any, part: Part, importing: Steps, fine: None, data: Path, tmp_path: Path, name: str, monkeypatch: Patch
) -> None:
    path = data / FILES[name]
    monkeypatch.setattr(part("scene.provenance"), "CHUNK", path.stat().st_size // 3)
    before = lived_in(bpy, importing, name, path, tmp_path / "before.blend")
    made, texts = bpy.data.actions.keys(), bpy.data.texts.keys()
    number = seen = kept = 0
    while True:
        number += 1
        steps: Any = importing(name, [path], **OPTIONS)
        reached = [next(steps) for _ in range(number)][-1]
        seen += bpy.data.actions.keys() != made
        kept += bpy.data.texts.keys() != texts
        if reached.outcome is not None:
            break
        steps.close()
        assert differences(before, census()) == [], number
    assert reached.outcome.error is None and reached.share == 1.0
    assert number > 8
    assert seen > kept > 1  # some of those that were ended had begun to make Actions, some to keep the file


@pytest.mark.parametrize("name", FILES)
def test_an_import_in_steps_makes_what_an_import_at_once_makes(
    bpy: Any, part: Part, importing: Steps, data: Path, tmp_path: Path, name: str
) -> None:
    path = data / FILES[name]
    assert list(importing(name, [path]))[-1].outcome.error is None
    wanted = census()
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with Patch.context() as monkeypatch:
        monkeypatch.setattr(part("io_formats.files.steps"), "STEP", 1)
        shares = [step.share for step in importing(name, [path])]
    assert differences(wanted, census()) == []
    assert shares == sorted(shares)


def test_the_share_counts_bytes_of_all_files(
    bpy: Any, importing: Steps, fine: None, recording: Path, tmp_path: Path
) -> None:
    """Two equal files are half of the work each; one that is not there costs hardly anything."""
    files = [tmp_path / "none.bin", recording, recording]
    steps = list(importing("mrtk", files))
    ends = [step for step in steps if step.outcome is not None]
    assert [step.path for step in ends] == files
    assert [step.outcome.error is None for step in ends] == [False, True, True]
    assert ends[0].share < 0.5
    assert ends[1].share - ends[0].share == pytest.approx(ends[2].share - ends[1].share)
    assert ends[2].share == 1.0
    assert len({round(step.share, 3) for step in steps}) > 50


def test_files_before_the_one_that_is_ended_stay(bpy: Any, importing: Steps, fine: None, recording: Path) -> None:
    steps: Any = importing("mrtk", [recording, recording])
    while next(steps).outcome is None:
        continue
    stay = census()
    while differences(stay, census()) == []:
        next(steps)
    steps.close()
    assert differences(stay, census()) == []


def window_work(bpy: Any, part: Part, steps: Any) -> Any:
    """The work of a modal operator that has begun to make things."""
    work = part("operators.window_work").WindowWork(bpy.context, steps, "")
    while not bpy.data.actions:
        assert work.advance()
    return work


@pytest.mark.parametrize("how", ["save", "load", "close"])
def test_what_saves_or_replaces_the_file_ends_the_work_before(
    bpy: Any, part: Part, importing: Steps, fine: None, recording: Path, tmp_path: Path, monkeypatch: Patch, how: str
) -> None:
    monkeypatch.setattr(part("operators.window_work"), "_WORK", 0.0)
    before = census()
    work = window_work(bpy, part, importing("mrtk", [recording]))
    assert differences(before, census()) != []
    if how == "save":
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "half.blend"))
    elif how == "load":
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    else:
        work.close()
    assert work.is_closed
    assert differences(before, census()) == []
    assert work.advance() == []
    if how == "save":
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "half.blend"))
        assert differences(before, census()) == []


@pytest.mark.parametrize("kind", ["actions", "objects"])
def test_what_is_removed_meanwhile_ends_the_import(
    bpy: Any, part: Part, importing: Steps, fine: None, recording: Path, monkeypatch: Patch, kind: str
) -> None:
    """As a script of somebody else's might, or a person in another window."""
    monkeypatch.setattr(part("operators.window_work"), "_WORK", 0.0)
    work = window_work(bpy, part, importing("mrtk", [recording]))
    made = getattr(bpy.data, kind)
    made.remove(made[0])
    (step,) = work.advance()
    assert step.outcome.error.template == part("scene.messages").REMOVED_MEANWHILE
    assert work.advance() == [] and work.is_closed
    assert not bpy.data.actions and not bpy.data.objects and not bpy.data.texts


def test_all_work_in_hand_is_ended_before_a_save_and_nobody_else_is_passed_over(
    bpy: Any, part: Part, tmp_path: Path
) -> None:
    """Two windows at work, and an add-on's own handler behind them; an ended work forgets its handlers later."""
    handlers = bpy.app.handlers.save_pre
    before = len(handlers)
    works = [part("operators.window_work").WindowWork(bpy.context, iter_of(2), "") for _ in range(2)]
    heard: list[object] = []
    handlers.append(lambda *_arguments: heard.append(bpy.data.filepath))
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "half.blend"))
    handlers.pop()
    assert [work.is_closed for work in works] == [True, True]
    assert len(heard) == 1
    for work in works:
        work.close()
    assert len(handlers) == before


def iter_of(count: int) -> Iterator[int]:
    """Work of so many steps."""
    yield from range(count)


def test_an_error_in_a_step_gives_the_window_back(bpy: Any, part: Part) -> None:
    """As does one in what takes back what was made."""

    def steps() -> Iterator[int]:
        try:
            yield 1
        finally:
            raise ArithmeticError

    next(begun := steps())
    for own, end in ((steps(), "advance"), (begun, "close")):
        work, ended = part("operators.window_work").WindowWork(bpy.context, own, ""), list[bool]()
        work.progress.__exit__ = partial(ended.append, True)
        with pytest.raises(ArithmeticError):
            getattr(work, end)()
        assert work.is_closed and ended and work.advance() == []


EXPORTS = {
    "untouched": ("mrtk/v11_flags/v11_cam1_hand1_gaze1.bin", ".bin", {}, False),
    "edited": ("w3d/h04_multi_unknown.w3d", ".w3d", {}, True),
    "sampled": ("w3x/g02.w3x", ".w3x", {"sampling": "BAKE"}, True),
    "all Actions": ("w3d/h04_multi_unknown.w3d", ".w3d", {"actions": "ALL", "use_source": False}, False),
    "sampled alone": ("w3d/h04_multi_unknown.w3d", ".w3d", {"sampling": "BAKE", "actions": "ALL"}, True),
    "another format": ("animx/16_properties_vt.animx", ".animj", {}, True),
}
"""A file, the ending of what it is exported to, options, and whether a key is moved before."""


def export_steps(bpy: Any, part: Part, path: Path, *owners: Any, **options: Any) -> Any:
    """The steps of an export of these objects to a file."""
    file_format = part("io_formats").format_of(path.suffix)
    export_in_steps = part("pipeline.export_files").export_in_steps
    return export_in_steps(bpy.context, path, file_format, file_format.export_options(**options), owners)


@pytest.fixture
def exporting(bpy: Any, part: Part, data: Path, fine: None, monkeypatch: Patch) -> Callable[..., Any]:
    """The steps of an export of a file that is there already, in a scene whose playhead is elsewhere."""
    monkeypatch.setattr(part("io_formats.files.whole_file"), "_AT_ONCE", 5000)

    def prepare(name: str, target: Path) -> Callable[[], Any]:
        file, ending, options, edited = EXPORTS[name]
        getattr(bpy.ops.import_anim, Path(file).parts[0])(filepath=str(data / file))
        if edited:
            ((_, curve), *_) = part("scene.actions").every_curve(bpy.data.actions[0])
            curve.keyframe_points[1].co.y += 0.25
        bpy.context.scene.frame_set(7)
        owners = part("pipeline.export_plan").chosen(bpy.context, armature=ending != ".animj")
        return lambda: export_steps(bpy, part, target.with_suffix(ending), *owners, **options)

    return prepare


@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_that_is_ended_at_any_step_leaves_nothing(
    bpy: Any, exporting: Steps, tmp_path: Path, name: str
) -> None:
    """At ten steps or a few more, evenly spread; it does not end as an Action is removed that plays nowhere."""
    start, idle = exporting(name, tmp_path / "out"), bpy.data.actions.new("Idle")
    steps = start()
    shares = [next(steps).share]
    bpy.data.actions.remove(idle)
    shares += [step.share for step in steps]
    assert shares == sorted(shares) and shares[0] < 0.5 and shares[-1] == 1.0 and len(shares) > 6
    wanted = taken_away(tmp_path)
    several = len(wanted) > 1
    kept = {} if several else dict.fromkeys(wanted, b"the old file")
    before = census()
    for number in range(1, len(shares), max(len(shares) // 10, 1)):
        for path, content in kept.items():
            path.write_bytes(content)
        steps = start()
        reached = [next(steps) for _ in range(number)][-1]
        assert several or reached.written is None
        steps.close()
        left = taken_away(tmp_path)
        assert left.items() <= wanted.items() if several else left == kept, number  # complete ones stay
        assert differences(before, census()) == [], number


@pytest.mark.parametrize(("name", "there"), [("untouched", True), ("edited", True), ("another format", False)])
def test_what_another_program_writes_to_the_named_file_during_an_export_stays(
    part: Part, exporting: Steps, tmp_path: Path, name: str, there: bool
) -> None:
    start, target = exporting(name, tmp_path / "out"), (tmp_path / "out").with_suffix(EXPORTS[name][1])
    if there:
        target.write_bytes(b"the old file")
    steps = start()
    next(steps)
    target.write_bytes(b"another's")
    with pytest.raises(part("io_formats.errors").FormatError, match="has changed it meanwhile"):
        list(steps)
    assert taken_away(tmp_path) == {target: b"another's"}


def remove_objects(bpy: Any, rooms: Any, rig: Any) -> None:
    bpy.data.objects.remove(rig)


def remove_actions(bpy: Any, rooms: Any, rig: Any) -> None:
    bpy.data.batch_remove(list(bpy.data.actions))


def remove_curves(bpy: Any, rooms: Any, rig: Any) -> None:
    for action in bpy.data.actions:
        for slot in action.slots if rooms.SLOTTED else [None]:
            bag = rooms.find_bag(action, slot)
            for curve in list(bag.fcurves):
                bag.fcurves.remove(curve)


def remove_slots(bpy: Any, rooms: Any, rig: Any) -> None:
    if not rooms.SLOTTED:
        pytest.skip("Actions have slots from Blender 4.4 on")
    for action in bpy.data.actions:
        for slot in list(action.slots):
            action.slots.remove(slot)


def remove_bones(bpy: Any, rooms: Any, rig: Any) -> None:
    with editing(rig) as bones:
        for bone in list(bones)[1:]:
            bones.remove(bone)


def rename_all(bpy: Any, rooms: Any, rig: Any) -> None:
    for thing in (rig, *rig.data.bones):
        thing.name = f"other {thing.name}"


def remove_groups(bpy: Any, rooms: Any, rig: Any) -> None:
    for action in bpy.data.actions:
        for bag in rooms.bags(action).values():
            for group in list(bag.groups):
                bag.groups.remove(group)


def stay_in_edit_mode(bpy: Any, rooms: Any, rig: Any) -> None:
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")


def change_data(bpy: Any, rooms: Any, rig: Any) -> None:
    rig.data = rig.data.copy()


def swap_data(bpy: Any, rooms: Any, rig: Any) -> None:
    rig.data = bpy.data.armatures.new("Other")
    bpy.context.view_layer.update()


def clear_animation(bpy: Any, rooms: Any, rig: Any) -> None:
    rig.animation_data_clear()


def show_another_scene(bpy: Any, rooms: Any, rig: Any) -> None:
    bpy.context.window.scene = bpy.data.scenes.new("Other")


def remove_the_scene(bpy: Any, rooms: Any, rig: Any) -> None:
    scene = bpy.context.scene
    show_another_scene(bpy, rooms, rig)
    bpy.context.scene.frame_set(7)
    bpy.data.scenes.remove(scene)


def add_keys(bpy: Any, rooms: Any, rig: Any) -> None:
    for curve in [curve for action in bpy.data.actions for _, curve in rooms.every_curve(action)]:
        curve.keyframe_points.add(20)  # in no order, as without `update`
        for number, key in enumerate(curve.keyframe_points):
            key.co = (number * 7 % 11, number % 3)


ENDING = [remove_curves, remove_slots, remove_bones, rename_all]


@pytest.mark.parametrize("change", [*ENDING, show_another_scene, remove_groups])
@pytest.mark.parametrize("merge", [True, False])
def test_curves_and_bones_that_change_meanwhile_end_the_import(
    bpy: Any, part: Part, importing: Steps, fine: None, data: Path, change: Any, merge: bool
) -> None:
    """As for exports; what was there before is as it is without the import, also what was renamed."""
    ends = set()
    for number in range(1, 20):
        left = []
        for begun in (False, True):
            bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
            bpy.ops.import_anim.w3d(filepath=str(data / FILES["w3d"]))
            rig = bpy.context.object
            for bone in rig.pose.bones:
                bone.rotation_mode = "XYZ"
            steps: Any = importing("w3d", [data / FILES["w3d"]], merge=merge, target="SELECTED")
            reached = [next(steps) for _ in range(number * begun)]
            if reached and reached[-1].outcome is not None:
                told = part("scene.messages")
                elsewhere = {told.REMOVED_MEANWHILE, told.TARGET_NONE}  # an import that begins there has no target
                usual = {None, told.REMOVED_MEANWHILE}
                assert ends == {remove_groups: {None}, show_another_scene: elsewhere}.get(change, usual)
                return
            change(bpy, part("scene.actions"), rig)
            error = list(steps)[-1].outcome.error if begun else None
            left.append(census())
        ends.add(error and error.template)
        assert error is None or differences(*left) == [], number


@pytest.mark.parametrize("goes", ["strip", "track", "all"])
def test_a_strip_that_is_removed_meanwhile_is_no_trouble(
    bpy: Any, part: Part, importing: Steps, data: Path, monkeypatch: Patch, goes: str
) -> None:
    """What Python holds of it would be looked for in freed memory."""
    monkeypatch.setattr(part("scene.provenance"), "CHUNK", 500)
    before, steps = census(), importing("w3d", [data / FILES["w3d"]], nla="STRIP")
    while not any(thing.animation_data and thing.animation_data.nla_tracks for thing in bpy.data.objects):
        next(steps)
    owner = next(thing for thing in bpy.data.objects if thing.animation_data)
    tracks = owner.animation_data.nla_tracks
    if goes == "all":
        owner.animation_data_clear()
    elif goes == "track":
        tracks.remove(tracks[0])
    else:
        tracks[0].strips.remove(tracks[0].strips[0])
    steps.close()
    assert differences(before, census()) == []


@pytest.mark.parametrize("ends", [True, False])
def test_what_is_added_to_an_action_during_a_merge_stays_when_that_is_taken_back(
    bpy: Any, part: Part, importing: Steps, fine: None, data: Path, ends: bool
) -> None:
    """And is in nobody's way: keys of what the file does not move, of what it will move, and in another slot."""
    actions, path = part("scene.actions"), data / "w3d/g01_raw_trim_vis.w3d"

    def there() -> list[tuple[int, str, int]]:
        (main,) = [action for action in bpy.data.actions if action.name == "Mine"]
        return sorted((handle, curve.data_path, curve.array_index) for handle, curve in actions.every_curve(main))

    for number in range(1, 30):
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        bpy.ops.import_anim.w3d(filepath=str(path))
        rig = bpy.context.object
        rig.animation_data.action.name = "Mine"
        remove_curves(bpy, actions, rig)
        steps: Any = importing("w3d", [path], merge=True, target="SELECTED")
        if [next(steps) for _ in range(number)][-1].outcome is not None:
            assert number > 8
            return
        before = there()
        for bone in rig.pose.bones:
            for channel in ("scale", "rotation_quaternion", "location"):
                bone.keyframe_insert(channel, frame=5)
        other = bpy.data.objects.new("Other", None)
        actions.assign(other, rig.animation_data.action)
        other.keyframe_insert("location", frame=3)
        added = [address for address in there() if address not in before]
        if ends:
            steps.close()
            assert there() == added, number
        else:
            assert list(steps)[-1].outcome.error is None
            assert len({*there()}) == len(there()) and {*added} <= {*there()}, number


@pytest.mark.parametrize(
    "change",
    [
        *ENDING, remove_objects, remove_actions, stay_in_edit_mode, change_data, swap_data, clear_animation,
        show_another_scene, remove_the_scene, add_keys,
    ],
)  # fmt: skip
@pytest.mark.parametrize(("name", "every"), [("edited", 3), ("sampled", 7), slow(("sampled alone", 3))])
def test_curves_and_bones_that_change_meanwhile_end_the_export(
    bpy: Any, part: Part, exporting: Steps, tmp_path: Path, name: str, change: Any, every: int
) -> None:
    """Of curves nobody is told that they are gone: what is held of them would be read from freed memory.

    One sentence at whatever step; the old file, the frame and what else is selected are as before.
    """
    old = tmp_path / f"out{EXPORTS[name][1]}"
    start, ends = exporting(name, old), set()
    for number in range(1, len(list(start())), every):
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        taken_away(tmp_path)
        old.write_bytes(b"the old file")
        steps = exporting(name, old)()
        rig = next(thing for thing in bpy.data.objects if thing.type == "ARMATURE")
        apart = bpy.data.collections.new("Apart")  # from where it is linked to the scene's own while it is shown
        bpy.context.scene.collection.children.link(apart)
        apart.objects.link(rig)
        bpy.context.scene.collection.objects.unlink(rig)
        other = add("Other")
        other.select_set(True)
        for _ in range(number):
            next(steps)
        change(bpy, part("scene.actions"), rig)
        try:
            list(steps)
        except part("io_formats.errors").FormatError as error:
            ends.add(error.template)
            assert taken_away(tmp_path)[old] == b"the old file"
            assert other.select_get() or change in (show_another_scene, remove_the_scene)
        assert bpy.data.scenes["Scene" if "Scene" in bpy.data.scenes else 0].frame_current == 7
    wanted = {
        stay_in_edit_mode: {part("pipeline.messages").EXPORT_IN_EDIT_MODE},
        clear_animation: set(),
        add_keys: set(),
    }
    assert ends >= wanted.get(change, {part("scene.messages").REMOVED_MEANWHILE})


def show_hat(bpy: Any, rooms: Any, rig: Any) -> None:
    bpy.data.actions.remove(bpy.data.objects["Hat"].animation_data.action)


def drop_strip(bpy: Any, rooms: Any, rig: Any) -> None:
    rig.animation_data.nla_tracks.remove(rig.animation_data.nla_tracks[0])


def remove_what_drives(bpy: Any, rooms: Any, rig: Any) -> None:
    bpy.data.actions.remove(bpy.data.objects["Dial"].animation_data.action)


def empty_strip(bpy: Any, rooms: Any, rig: Any) -> None:
    bags_of(bpy.data.actions["Below"])[0].fcurves.clear()


CHANGES = [remove_curves, rename_all, show_hat, drop_strip, remove_what_drives, empty_strip]


@pytest.mark.parametrize("change", CHANGES)
def test_what_another_add_on_changes_at_a_frame_ends_the_export(
    bpy: Any, part: Part, exporting: Steps, tmp_path: Path, change: Any
) -> None:
    """Within a step, in which nothing could happen else."""
    start, heard = exporting("sampled", tmp_path / "out"), bpy.app.handlers.frame_change_post
    rig = next(thing for thing in bpy.data.objects if thing.type == "ARMATURE")
    hat = add("Hat", bpy.data.meshes.new("Hat"))
    hat.parent, hat.parent_type, hat.parent_bone = rig, "BONE", rig.data.bones[-1].name
    animate(hat, "hide_viewport", {0: False, 3: True})
    dial, driver = add("Dial"), rig.driver_add("scale", 0).driver
    animate(dial, "location.x", {0: 1.0, 3: 2.0})
    driver.type, variable = "AVERAGE", driver.variables.new()
    variable.targets[0].id, variable.targets[0].data_path = dial, "location.x"
    muted = rig.animation_data.nla_tracks.new()
    muted.mute = bool(muted.strips.new("Muted", 0, rig.animation_data.action))
    below = rig.animation_data.action.copy()
    below.name = rig.animation_data.nla_tracks.new().strips.new("Below", 0, below).name
    frames: list[Any] = []

    def at_third_frame(*_arguments: object) -> None:
        frames.append(bpy.context.scene.frame_current)
        if len(frames) == 3:
            change(bpy, part("scene.actions"), rig)

    heard.append(at_third_frame)
    with pytest.raises(part("io_formats.errors").FormatError, match="removed or renamed elsewhere, as by a script"):
        list(part("io_formats.files.steps").undisturbed(start()))
    heard.remove(at_third_frame)
    assert len(frames) > 3 and bpy.context.scene.frame_current == 7
    assert not taken_away(tmp_path)


def test_what_plays_alone_goes_again_where_its_strip_was_entered_meanwhile(bpy: Any, part: Part) -> None:
    """In tweak mode Blender lets nothing be assigned, and keeps what is assigned for when it is left."""
    owner, rooms = bpy.data.objects.new("Owner", None), part("scene.actions")
    own, alone = (bpy.data.actions.new(name) for name in ("Own", "Alone"))
    slots = [rooms.assign(owner, action) for action in (alone, own)]
    strip = owner.animation_data.nla_tracks.new().strips.new("Strip", 1, alone)
    strip.select = True
    with part("scene.capture.bake")._playing(owner, alone, slots[0]):
        owner.animation_data.use_tweak_mode = True
        assert owner.animation_data.use_tweak_mode
    assert owner.animation_data.action == own and not owner.animation_data.use_tweak_mode


@pytest.mark.parametrize("every", [3, slow(2)])
@pytest.mark.parametrize("sampling", ["AUTO", "BAKE"])
@pytest.mark.parametrize("where", ["object", "bone", "shape key"])
def test_a_property_that_is_removed_meanwhile_ends_the_export(
    bpy: Any, part: Part, fine: None, tmp_path: Path, where: str, sampling: str, every: int
) -> None:
    """At whatever step it goes: one that an NLA strip sets is read on each frame, one of an array by its curves."""
    ends = []
    for number in range(1, 40, every):
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        bpy.ops.object.armature_add()
        rig = bpy.context.object
        bpy.ops.mesh.primitive_cube_add()
        cube, owner = bpy.context.object, rig.pose.bones[0] if where == "bone" else rig
        cube.shape_key_add(name="Basis")
        smile = cube.shape_key_add(name="Smile")
        animate(smile, "value", {1: 0.0, 40: 1.0})
        animate(owner, '["tracked"]', {1: 0.025, 40: 1.0})
        animate(owner, '["three"]', {1: [1.0, 2.0, 3.0], 40: [1.0, 2.0, 3.0]}, index=1)
        animate(rig.pose.bones[0], "location.x", {1: 1.0, 40: 40.0})
        if sampling == "BAKE":
            push_down(rig)
        steps = export_steps(bpy, part, tmp_path / f"{number}.animj", rig, cube, sampling=sampling)
        for _ in zip(range(number), steps):
            pass
        if where == "shape key":
            cube.shape_key_remove(smile)
        for name in ("tracked", "three") if where != "shape key" else ():
            del owner[name]
        try:
            list(steps)
        except part("io_formats.errors").FormatError as error:
            ends.append(error.template)
    assert {*ends} == {part("scene.messages").REMOVED_MEANWHILE}


@pytest.mark.parametrize("goes", [False, True])
def test_values_set_by_hand_over_their_keys_stay(bpy: Any, part: Part, fine: None, tmp_path: Path, goes: bool) -> None:
    """Whatever they are of, exported or not; also where what animates them goes while the export plays the scene."""
    for make in (bpy.ops.object.armature_add, bpy.ops.mesh.primitive_cube_add, bpy.ops.object.light_add):
        make()
    rig, cube, light = bpy.data.objects
    wheel = add("Wheel")
    wheel["turn"], rig["three"], rig.pose.bones[0]['a"b'] = 0.0, [0.0, 0.0, 0.0], 0.0
    for name in ("Basis", "Smile"):
        cube.shape_key_add(name=name)
    material = bpy.data.materials.new("Skin")
    cube.data.materials.append(material)
    if bpy.app.version < (5, 0):
        material.use_nodes = True
    held: list[tuple[Any, str, Any]] = [
        *((thing, "location", (0, 0, each)) for each, thing in enumerate((rig, cube, light))),
        (wheel, '["turn"]', 0.75),
        (rig, '["three"]', [1.0, 2.0, 3.0]),
        (rig, 'pose.bones["Bone"]["a\\"b"]', 0.75),
        (rig, 'pose.bones["Bone"].location', (1, 0, 0)),
        (rig, "rotation_mode", "QUATERNION"),
        (rig, "rotation_quaternion", (0, 1, 0, 0)),
        (light.data, "energy", 4.0),
        (cube.data.shape_keys, 'key_blocks["Smile"].value', 0.5),
        (material, "metallic", 0.25),
        (material.node_tree, 'nodes["Principled BSDF"].inputs[1].default_value', 0.25),
    ]
    for frame in (1, 20):
        rig.pose.bones["Bone"].location.y = frame
        for owner, path, _ in held:
            owner.keyframe_insert(path, frame=frame)
    push_down(light.data, name="Flicker")
    rig["group"] = {"a": 1.0}
    rooms = part("scene.actions")
    bag = rooms.find_bag(*rooms.assigned(rig))
    for nothing in ("location[0]", '["three"][0]', '["group"]', "pose.bones", 'pose.bones["Bone"]', "type"):
        bag.fcurves.new(nothing).keyframe_points.insert(1, 2.0)
    variable = (driver := rig.driver_add("delta_location", 0).driver).variables.new()
    variable.targets[0].id, variable.targets[0].data_path, driver.expression = wheel, '["turn"]', variable.name
    bpy.context.view_layer.update()
    for owner, path, value in held:
        exec(f"owner{'' if path[0] == '[' else '.'}{path} = value", {"owner": owner, "value": value})
    steps = export_steps(bpy, part, tmp_path / "out.animj", rig, sampling="BAKE")
    ended = nullcontext() if not goes else pytest.raises(part("io_formats.errors").FormatError)
    with ended:
        for number, _ in enumerate(steps):
            if goes and number == 5:
                bpy.data.batch_remove(list(bpy.data.actions))
    bpy.context.view_layer.update()
    assert rig.matrix_world.translation.x == 0.75, "what follows them, too"
    found = [owner.path_resolve(path) for owner, path, _ in held]
    assert [each if isinstance(each, (str, float)) else [*each] for each in found] == [
        value if isinstance(value, (str, float)) else [*value] for _, _, value in held
    ]


def taken_away(folder: Path) -> dict[Path, bytes]:
    """What the files of a folder hold, which is empty then."""
    found = {path: path.read_bytes() for path in folder.iterdir()}
    for path in found:
        path.unlink()
    return found


@pytest.mark.parametrize("name", ["edited", "all Actions"])
def test_an_export_that_is_ended_says_whether_a_file_is_there(
    part: Part, exporting: Steps, tmp_path: Path, name: str
) -> None:
    """ESC that was pressed while the last step lasted is heard when the file has its name."""
    told: list[str] = []
    operator = SimpleNamespace(_written=[], _begun=set(), report=lambda _kind, text: told.append(text))
    exporter = part("operators.exporting").ExportOperator
    for step in exporting(name, tmp_path / "out")():
        exporter._take_in(operator, step)
        exporter._stopped(operator, None)
        assert ("files that were complete stay" in told[-1]) >= any(tmp_path.glob("*.w3d")), step
    assert told[0] == "Stopped; everything is as it was before" != told[-1]
