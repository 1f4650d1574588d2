"""Names of files from patterns: what is filled in, what is refused, and that every system takes the name."""

from __future__ import annotations

from pathlib import Path

import pytest

from io_formats import FormatError
from io_formats.files.batch_files import filled, free, safe

VALUES = {"action": "Walk", "object": "Hero", "blend": "../unit"}


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("{action}", "Walk"), ("{object}_{action}", "Hero_Walk"), ("{blend} - {action}", ".._unit - Walk"),
        ("take", "take"), ("{{{action}}}", "{Walk}"),
    ],
)  # fmt: skip
def test_places_are_filled(pattern: str, name: str) -> None:
    assert filled(pattern, VALUES) == name


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        *(
            (place, f"Unknown field {place} in the file name pattern; use one of {{action}}")
            for place in ("{clip}", "{}", "{0}", "{action.__class__}", "{action!r}", "{action:>9}")
        ),
        ("{action", "a brace without its partner"), ("action}", "a brace without its partner"),
        ("{object}/{action}", "names a folder"), ("..\\{action}", "names a folder"),
    ],
)  # fmt: skip
def test_what_is_no_pattern_is_refused_with_what_can_be_filled(pattern: str, said: str) -> None:
    with pytest.raises(FormatError) as caught:
        filled(pattern, VALUES)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("name", "clean"),
    [
        ("Bones|Walk", "Bones_Walk"), ('a/b\\c:d*e?f"g<h>i', "a_b_c_d_e_f_g_h_i"),
        ("../../etc/passwd", ".._.._etc_passwd"), ("Gänge 歩く", "Gänge 歩く"), ("walk.", "walk"),
        ("  walk . ", "walk"), ("", "_"), ("..", "_"), ("CON", "CON_"), ("nul.001", "nul_.001"),
        ("Con .walk.con", "Con_ .walk.con"), ("com²", "com²_"), ("console", "console"), ("new\nline\0", "new_line_"),
    ],
)  # fmt: skip
def test_every_system_takes_the_name(name: str, clean: str) -> None:
    assert safe(name) == clean


def test_the_name_that_is_offered_is_free(tmp_path: Path) -> None:
    walk = tmp_path / "walk.v2.animj"
    assert free(walk) == walk
    for taken in ("walk.v2.animj", "walk.v2_1.animj"):
        (tmp_path / taken).touch()
    assert free(walk) == tmp_path / "walk.v2_2.animj"
