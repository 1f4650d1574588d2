"""What becomes of a clip: untouched tracks as they were, edited ones key by key, new ones in the engine's terms.

Blender is played by `frames` and `key_match`, which are what the scene uses: float32 frames and absolute handles.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scenes.players.animx import Player
from through_blender import through_blender as captured_by_blender

from io_formats import animx
from io_formats.animx import layout, messages
from io_formats.animx.document import Document, Track
from io_formats.animx.layout import Mode, TrackType
from io_formats.animx.write import held_curve
from io_formats.clip import Clip, Handles, Interpolation, Node, NodeKind, Source, TrackKind, Wrap, curve
from io_formats.clip import Track as Curve
from io_formats.clip.curve import evaluate
from io_formats.clip.fcurve_keys import KeyBlock
from io_formats.errors import FormatError, Report
from io_formats.format import Destination

DATA = Path(__file__).parents[2] / "data" / "animx"
RATE = 24.0
Edit = Callable[[str, int, KeyBlock], None]


def read(name: str) -> Document:
    return animx.read((DATA / name).read_bytes())


def imported(document: Document, **options: Any) -> tuple[Clip, Source]:
    chosen = animx.ImportOptions(**options)
    (clip,) = animx.to_clips(document, chosen, Report())
    return clip, Source(document, clip, options=chosen)


def through_blender(clip: Clip, edit: Edit | None = None) -> Clip:
    """The clip as it is captured from F-Curves, after `edit` had its way with the keys of each."""

    def edited(track: Curve, keys: KeyBlock) -> KeyBlock:
        if edit is not None:
            edit(track.property, track.component, keys)
        return keys

    return captured_by_blender(clip, edited, RATE)


def export(clip: Clip, source: Source | None = None, report: Report | None = None, **options: Any) -> Document:
    return animx.from_clip(clip, animx.ExportOptions(**options), report or Report(), Destination(source=source))


# --- Untouched and edited ----------------------------------------------------------------------------------------


def test_an_untouched_bool_keeps_its_keys() -> None:
    """Also those that change nothing: the importer puts one between 0 and 1 only."""
    track = Track(
        TrackType.CURVE, 0, "N", "on", np.array([0, 1, 0, 0, 0], np.uint8), np.arange(5, dtype=np.float32),
        interpolation=np.array([Mode.LINEAR], np.uint8),
    )  # fmt: skip
    document = Document("b", np.float32(4), [track])
    clip, source = imported(document)
    assert clip.tracks[0].times.tolist() == [0, 0.5, 1, 1.5, 2, 3, 4]

    def flip_last(_: str, __: int, found: KeyBlock) -> None:
        found.values[0, -1] = 1

    (after,) = export(through_blender(clip, flip_last), source).tracks
    assert after.key_times.tolist() == [0, 1, 2, 3, 4]
    assert after.numbers().tolist() == [[0, 1, 0, 0, 1]]
    assert after.modes[:2].tolist() == [Mode.LINEAR, Mode.LINEAR]

    def later_halfway(_: str, __: int, found: KeyBlock) -> None:
        found.frames[[2, 3]] += 3  # an eighth of a second, after which 0.5 is not half way either

    (after,) = export(through_blender(clip, later_halfway), source).tracks
    assert after.key_times.tolist() == [0, 0.5, 1.125, 1.625, 2, 3, 4]


def test_deleted_tracks_go_and_silent_ones_stay() -> None:
    document = read("16_properties_vt.animx")
    document.tracks[4].times = np.array([-1.0, -0.5, 0.5], np.float32)
    clip, source = imported(document)
    captured = through_blender(clip)
    captured.tracks = [track for track in captured.tracks if track.property != "Active"]
    again = export(captured, source)
    assert [track.property for track in again.tracks] == [
        track.property for track in document.tracks if track.property != "Active"
    ]
    assert again.tracks[3].values == ["one", "two", None]
    assert again.tracks[3].key_times.tolist() == [-1.0, -0.5, 0.5]
    report = Report()
    export(replace(captured, markers=captured.markers[:-1]), source, report)
    assert [entry.template for entry in report.warnings] == [messages.TEXTS_KEPT]


def test_a_property_in_the_place_of_a_shape_key_is_written_as_that() -> None:
    smile = Track(TrackType.RAW, layout.IDS["float"], "N", "BlendShape.Smile", np.zeros(2, np.float32))
    clip, source = imported(Document("s", np.float32(1), [replace(smile, interval=np.float32(1))]))
    (captured,) = through_blender(clip).tracks
    edited = replace(clip, tracks=[replace(captured, kind=TrackKind.CUSTOM)])
    assert [track.property for track in export(edited, source).tracks] == [smile.property]


def test_a_renamed_action_names_the_file_and_no_number_is_called_as_a_field_of_it() -> None:
    clip, source = imported(read("08_walk_plain.animx"))
    clip = replace(through_blender(clip), name="Run")
    assert export(clip, source).name == "walk"
    assert export(clip, replace(source, renamed=True)).name == "Run"
    node, report = next(track.node for track in clip.tracks if track.property == "location"), Report()
    clip.tracks.append(curve_of(node, "Position", [[1, 2]] * 3))  # which the file has
    assert len(export(clip, source, report).tracks) == len(source.document.tracks)
    assert [entry.template for entry in report.warnings] == [messages.NAME_TAKEN]


def test_asking_for_other_axes_converts() -> None:
    document = read("08_walk_plain.animx")
    clip, source = imported(document, axes="FBX")
    other = export(through_blender(clip), source, axes="ENGINE", left_handed=False)  # which is for others
    before, after = (next(t for t in d.tracks if t.property == "Position") for d in (document, other))
    assert np.allclose(after.numbers(), before.numbers()[[0, 2, 1]] * [[-1], [1], [1]])


# --- From nothing ------------------------------------------------------------------------------------------------


def curve_of(node: str, name: str, values: Any, **fields: Any) -> Curve:
    rows = np.atleast_2d(np.array(values, np.float64))
    times = fields.pop("times", np.arange(rows.shape[1]) / 2)
    shape = fields.pop("shape", Interpolation.LINEAR)
    kind = fields.pop("kind", TrackKind.TRANSFORM if name in ("location", "rotation_quaternion", "scale") else None)
    return Curve(
        node, name, np.asarray(times), rows, np.full(rows.shape[1], shape, np.uint8),
        width=fields.pop("width", len(rows)), kind=kind or TrackKind.CUSTOM, **fields,
    )  # fmt: skip


def test_what_the_file_does_not_drive_stays_undriven() -> None:
    """On a rig whose bones have a rest: the file's only Rotation does not become a Position too."""
    document = read("08_walk_plain.animx")
    document.tracks = [track for track in document.tracks if track.property == "Rotation"]
    still = document.tracks[-1]
    still.values, still.times = still.values[:1], np.array(still.times)[:1]
    clip, source = imported(document)
    captured = through_blender(clip)
    captured.left_alone = {(track.node, track.property) for track in clip.tracks}
    captured.nodes = [replace(node, rest=node.rest @ rig().nodes[0].rest) for node in clip.nodes]
    for before, after in zip(document.tracks, export(captured, source, still_channels=True).tracks, strict=True):
        assert (after.node, after.property) == (before.node, "Rotation")
        x, y, z, w = before.numbers()  # the slot turns with the bone, whose curves nobody touched
        turned = np.array([x + y, y - x, z - w, w + z]) / np.sqrt(2)
        assert np.abs((after.numbers() * turned).sum(axis=0)) == pytest.approx(1.0, abs=1e-5)


def test_bones_that_do_not_move_have_no_tracks() -> None:
    clip = rig(curve_of("tip", "rotation_quaternion", [[1], [0], [0], [0]]), curve_of("tip", "power", [[]]))
    assert [(track.node, track.property) for track in export(clip).tracks] == [("tip", "Rotation")]
    document = export(clip, still_channels=True)
    assert {track.node for track in document.tracks} == {"tip"}
    assert [track.property for track in document.tracks] == ["Position", "Rotation", "Scale"]
    assert field(document, "tip", "Position").numbers().T[0].tolist() == [0, 1, 0]


QUARTER = np.array([[0.0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])


def test_channels_that_stay_where_the_slot_is_are_left_out() -> None:
    """A bone's slot stands at its rest; what stays elsewhere is said, be it by one key."""
    turning = curve_of("tip", "rotation_quaternion", [[1, 0], [0, 1], [0, 0], [0, 0]])
    document = export(rig(turning, curve_of("tip", "location", [[0, 0], [0, 0], [0, 0]])))
    assert [(track.node, track.property) for track in document.tracks] == [("tip", "Rotation")]
    still = rig(replace(turning, node="root"), curve_of("tip", "location", [[0]] * 3))
    still.tracks.append(curve_of("tip", "rotation_quaternion", [[1], [0], [0], [0]]))
    still.nodes = [replace(node, turn=QUARTER) for node in still.nodes]  # as on bones of a body, of their limbs' way
    assert [(track.node, track.property) for track in export(still).tracks] == [("root", "Rotation")]
    document = export(rig(turning, curve_of("tip", "location", [[0], [0], [1e-3]])))
    assert [(track.node, track.property) for track in document.tracks] == [("tip", "Position"), ("tip", "Rotation")]


@pytest.mark.parametrize("sign", [1, -1])
def test_a_rotation_at_rest_is_left_out_whichever_of_its_signs_it_has(sign: int) -> None:
    """q and -q are one rotation; a place and its opposite are two."""
    moving = curve_of("tip", "location", [[0, 1], [0, 0], [0, 0]])
    document = export(rig(moving, curve_of("tip", "rotation_quaternion", [[sign], [0], [0], [0]])))
    assert [track.property for track in document.tracks] == ["Position"]
    clip = rig(curve_of("tip", "rotation_quaternion", [[1, 0], [0, 1], [0, 0], [0, 0]]))
    clip.tracks.append(curve_of("tip", "location", [[0], [-2], [0]]))  # (0, -1, 0) from the parent; the slot: (0, 1, 0)
    assert [track.property for track in export(clip).tracks] == ["Position", "Rotation"]


def rig(*tracks: Curve, kind: NodeKind = NodeKind.BONE) -> Clip:
    """A root bone at (1, 2, 3), turned, and its child."""
    rest = np.array([[0.0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]])
    child = np.eye(4)
    child[:3, 3] = (0, 1, 0)
    nodes = [Node("root", None, rest, kind=kind), Node("tip", "root", child, kind=kind)]
    return Clip("clip", 1.0, nodes=nodes, tracks=list(tracks))


@pytest.mark.parametrize(("apart", "long"), [(0.5, True), (1 / 30, False)])
def test_signs_that_flip_within_a_frame_are_a_recordings_also_where_no_rate_is_known(apart: float, long: bool) -> None:
    """As from a recording: between keys half a second apart a player of those goes the long way."""
    ends = np.array([[1.0, -0.96], [0.0, -0.28], [0.0, 0.0], [0.0, 0.0]])
    sides = np.array([[0, 1 / 3], [-1 / 3, 0]])  # of a straight line
    handles = {"shape": Interpolation.BEZIER, "handles": Handles(sides * apart, sides * np.diff(ends)[:, :, None])}
    turning = curve_of("tip", "rotation_quaternion", ends, times=[0.0, apart], **(handles if long else {}))
    (clip,) = animx.to_clips(export(rig(turning)), animx.ImportOptions(), Report())
    found = np.zeros(4)
    for track in clip.tracks:
        rows = evaluate(track, np.array([apart / 4]))[:, 0]
        found[track.component : track.component + len(rows)] = rows
    between = ends @ ([0.75, 0.25] if long else [0.75, -0.25])
    assert abs(found @ between) / np.linalg.norm(found) / np.linalg.norm(between) == pytest.approx(1.0, abs=1e-5)


def field(document: Document, node: str, name: str) -> Track:
    (found,) = (track for track in document.tracks if (track.node, track.property) == (node, name))
    return found


@pytest.mark.parametrize("curves", ["KEEP", "LINEAR"])
def test_of_several_curves_the_largest_error_is_told(curves: str) -> None:
    """Whatever their order; a soft one is nearer its pieces than one of far handles."""
    far, soft = (
        curve_of(
            "root", name, [[0, 4]], times=[0.0, 1.0], shape=Interpolation.BEZIER,
            handles=Handles(np.array([[0, x], [-x, 0]]), np.array([[[0, 0.0], [y, 0]]])),
        )
        for name, x, y in (("far", 0.9, 1.0), ("soft", 0.4, 0.2))
    )  # fmt: skip
    told = []
    for tracks in ([far], [far, soft], [soft, far]):
        report = Report()
        export(rig(*tracks), report=report, tolerance=1e-3, curves=curves)
        told.append(report.notes[0].values["percent"])
    assert told[0] == told[1] == told[2] > 0


@pytest.mark.parametrize("tolerance", [1e-3, 1e-5])
@pytest.mark.parametrize(("curves", "told"), [("KEEP", messages.REFITTED), ("LINEAR", messages.LINEARISED)])
def test_weighted_handles_are_fitted_within_the_tolerance(tolerance: float, curves: str, told: str) -> None:
    wanted = curve_of(
        "root", "power", [[0, 4]], times=[0.0, 1.0], shape=Interpolation.BEZIER,
        handles=Handles(np.array([[0, 0.9], [-0.7, 0]]), np.array([[[0, 0.0], [1, 0]]])),
    )  # fmt: skip
    report = Report()
    document = export(rig(wanted), report=report, tolerance=tolerance, curves=curves)
    (back,) = animx.to_clips(document, animx.ImportOptions(), Report())
    times = np.linspace(0, 1, 2001)
    error = np.abs(curve.evaluate(back.tracks[0], times) - curve.evaluate(wanted, times)).max()
    assert error <= tolerance * 4 * 1.01 + 1e-6
    track = field(document, "root", "power")
    assert track.key_count > 2 and (Mode.LINEAR in track.modes[:-1]) is (curves == "LINEAR")
    assert [entry.template for entry in report.notes] == [told]
    assert curves == "LINEAR" or report.notes[0].values["names"] == "root power"
    far = export(rig(wanted.but(values=np.full((1, 2), 4e6))), tolerance=tolerance)  # where the bend is rounding
    assert field(far, "root", "power").key_count == 2


def test_blenders_own_properties_become_fields() -> None:
    clip = rig(
        curve_of("root", "hide_viewport", [[0, 1]], kind=TrackKind.RNA, shape=Interpolation.CONSTANT),
        curve_of("root", "hide_render", [[1, 1]], kind=TrackKind.RNA, shape=Interpolation.CONSTANT),
        curve_of("root", "data.energy", [[0, 5]], kind=TrackKind.RNA),
        curve_of("root", "data.color", [[0, 1]] * 3, kind=TrackKind.RNA),
        curve_of("root", "data.spot_size", [[0, np.pi]], kind=TrackKind.RNA),
        curve_of("root", "data.lens", [[18 * 9 / 16, 50]], kind=TrackKind.RNA),
        curve_of("root", "data.bake_quality", [[0, 1]], kind=TrackKind.RNA),
        kind=NodeKind.OBJECT,
    )
    report, alike = Report(), Report()
    document = export(clip, report=report)
    active = field(document, "root", "Active")
    assert (active.track_type, active.type.name, active.numbers().tolist()) == (TrackType.DISCRETE, "bool", [[1, 0]])
    assert field(document, "root", "Light.Intensity").numbers().tolist() == [[0, 5]]
    assert field(document, "root", "Light.Color").numbers().T.tolist() == [[0, 0, 0, 1], [1, 1, 1, 1]]
    assert field(document, "root", "Light.SpotAngle").numbers()[0, 1] == pytest.approx(180)
    assert field(document, "root", "Camera.FieldOfView").numbers()[0, 0] == pytest.approx(90)
    twice, below, unknown = report.warnings
    assert unknown.values["property"] == "data.bake_quality"
    assert twice.template == messages.TWO_VISIBILITIES
    assert (below.template, below.values["names"]) == (messages.HIDES_BELOW, "tip")  # the engine hides it with the root
    hidden = curve_of("tip", "hide_viewport", [[0, 1]], kind=TrackKind.RNA, shape=Interpolation.CONSTANT)
    never = [replace(each, values=0 * each.values) if "hide" in each.property else each for each in clip.tracks]
    for tracks in ([*clip.tracks, hidden], never):
        export(replace(clip, tracks=tracks), report=alike)
    assert messages.HIDES_BELOW not in [entry.template for entry in alike.warnings]


def angles(clip: Clip) -> Any:
    """What the engine plays of a camera's field of view, as keys by an independent player."""
    return Player(animx.write_animj(export(clip))).by_place["root", "Camera.FieldOfView"]


def test_a_lens_that_stays_zooms_and_steps_is_an_angle_all_along() -> None:
    """Degrees from the sensor's 36 mm by 9 / 16, at every moment; what Blender holds or lets step is not sampled, and
    what zooms takes a few curves.
    """
    lens = curve_of("root", "data.lens", [[30.0, 85.0, 20.0, 50.0]], times=[0.0, 1.0, 2.0, 3.0], kind=TrackKind.RNA)
    lens.interpolation[:] = Interpolation.CONSTANT, Interpolation.LINEAR, Interpolation.CONSTANT, Interpolation.LINEAR
    written = angles(rig(lens))
    times = np.array([0.0, 0.5, 0.99, 1.0, 1.1, 1.5, 1.9, 2.0, 2.5, 2.99, 3.0])
    shown = np.interp(times, [1.0, 2.0], [85.0, 20.0])
    shown[times < 1.0], shown[times == 3.0] = 30.0, 50.0
    keys, found = written.times, [float(written.at(each)[0]) for each in times]
    np.testing.assert_allclose(found, np.degrees(2 * np.arctan(36 * 9 / 16 / 2 / shown)), rtol=1e-4)
    assert not ((keys > 0.0) & (keys < 1.0)).any() and not ((keys > 2.0) & (keys < 3.0)).any()
    assert len(keys) <= 12
    lens.interpolation[:] = Interpolation.CONSTANT
    sensor = curve_of("root", "data.sensor_width", [[36.0, 72.0]], times=[0.0, 3.0], kind=TrackKind.RNA)
    found = angles(rig(lens, sensor)).at(0.5)[0]  # 36 mm and a sixth of 36 mm more
    assert found == pytest.approx(np.degrees(2 * np.arctan(42 * 9 / 16 / 2 / 30)), rel=1e-4)


def test_own_keys_of_a_light_take_the_place_of_the_custom_property_that_they_keep_from_setting_it() -> None:
    """In the file's own order: a second track of one field would shift all that the engine binds after it."""
    document = export(rig(curve_of("root", "Light.Intensity", [[1, 2]]), curve_of("tip", "Light.Range", [[3, 4]])))
    own = curve_of("root", "data.energy", [[5, 7, 6]], kind=TrackKind.RNA)
    clip, source = imported(document)
    clip.tracks.append(own)
    written = export(clip, source)
    assert [(track.node, track.property) for track in written.tracks] == [
        (track.node, track.property) for track in document.tracks
    ]
    assert field(written, "root", "Light.Intensity").numbers().tolist() == [[5, 7, 6]]


def test_names() -> None:
    clip, report = rig(curve_of("root", "power", [[1]]), curve_of("tip", "power", [[2]])), Report()
    clip.nodes[1], clip.called = replace(clip.nodes[1], original="Tip"), {"root": "Boss"}
    document = export(clip, report=report, node_prefix="Rig_", node_names="Tip=Spitze; Boss=Chef; other=x")
    assert "Node Names lists names that are not exported: other;" in "\n".join(map(str, report.warnings))
    assert [track.node for track in document.tracks] == ["Rig_Chef", "Rig_Spitze"]
    for wrong in ("tip", "=Root"):
        with pytest.raises(FormatError):
            export(clip, node_names=wrong)
    clip.tracks = [curve_of("root", name, [[1]]) for name in ("a.b.c", ".b", "Scale")]  # which is one of three numbers
    export(clip, report=report)
    clip.tracks = [curve_of("root", "scale", [[1, 2]] * 3)]
    export(clip, report=report, node_names="Boss=")
    names = [entry.values["names"] for entry in report.warnings if entry.template == messages.UNBOUND]
    assert names == ["Rig_Chef power, Rig_Spitze power", "Boss a.b.c, Boss .b, Boss Scale", " Scale"]


def test_what_is_done_to_several_properties_is_counted_together() -> None:
    told = []
    for nodes in (["tip"], ["root", "tip"]):
        tracks, report = [], Report()
        for node in nodes:
            tracks.append(curve_of(node, "wave", [[0, 1, 0]], times=[0.0, 0.25, 0.5], after=Wrap.REPEAT))
            handles = Handles(np.array([[0, 0.9], [-0.7, 0]]), np.array([[[0, 0.0], [1, 0]]]))
            tracks.append(curve_of(node, "bend", [[0, 4]], times=[0, 1], shape=Interpolation.BEZIER, handles=handles))
            tracks.append(curve_of(node, "rotation_quaternion", [[1, -0.28], [0, -0.96], [0, 0], [0, 0]]))
        export(replace(rig(*tracks), duration=2.0), report=report)
        told.append({entry.template: entry.values for entry in [*report.warnings, *report.notes]})
    for template, name in ((messages.WRAPS, "properties"), (messages.REFITTED, "keys"), (messages.LONG_WAYS, "keys")):
        assert 2 * int(str(told[0][template][name])) == told[1][template][name] != 0
    assert told[1][messages.LONG_WAYS]["properties"] == 2
    steps, report = replace(tracks[-1], interpolation=np.full(2, Interpolation.CONSTANT, np.uint8)), Report()
    export(rig(steps), report=report)  # which go no way
    assert messages.LONG_WAYS not in {entry.template for entry in report.notes}


def test_integers_are_the_nearest_in_their_range() -> None:
    limits = {"ulong": np.array([2**64 - 1, 7], np.uint64), "long": np.array([-(2**63), 7], np.int64)}
    limits |= {"byte": np.array([255, 7], np.uint8), "int": np.array([5, 7], np.int32)}
    tracks = [
        Track(TrackType.DISCRETE, layout.IDS[name], "N", name, values, np.float32([0, 1]))
        for name, values in limits.items()
    ]
    document = Document("w", np.float32(1), tracks)
    document.tracks[3] = held_curve(document.tracks[3])
    clip, source = imported(document)

    def typed(name: str, _: int, found: KeyBlock) -> None:
        found.values[0, 1] = -2.7 if name == "int" else 1e30

    report = Report()
    again = animx.from_clip(through_blender(clip, typed), animx.ExportOptions(), report, Destination(source=source))
    numbers = {track.property: track.numbers()[0].tolist() for track in again.tracks}
    assert numbers["byte"] == [255, 255] and numbers["int"] == [5, -3]
    assert [track.track_type for track in again.tracks] == [track.track_type for track in document.tracks]
    assert numbers["ulong"][0] == 2**64 - 1
    assert 2**64 - 2**13 < numbers["ulong"][1] < 2**64
    assert numbers["long"][0] == -(2**63)
    assert {entry.template for entry in report.warnings} == {messages.BAD_RANGE}


def test_only_between_bools_is_a_key_that_was_put_in_left_out() -> None:
    """Another format's import puts one in where a channel ends; half way to the same value it begins to rest."""
    values = np.array([[1.0, 0.0, 0.0, 0.0, 0.0], [5.0, 4.0, 3.0, 7.0, 7.0], np.zeros(5)], np.float32)
    put_in = np.arange(5) > 0
    moved = Curve("N", "location", np.arange(5) / 30, values, np.full(5, Interpolation.LINEAR), inserted=put_in)
    (track,) = animx.from_clip(Clip("", nodes=[Node("N")], tracks=[moved]), animx.WriteOptions(), Report()).tracks
    assert track.key_times == pytest.approx(np.arange(5) / 30)
