"""German is complete: every label, description and sentence that a person may read has its translation."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

SOURCE = Path(__file__).resolve().parents[2]
ROOMS = [
    ".".join(path.parent.relative_to(SOURCE).parts)
    for room in ("io_formats", "scene", "pipeline", "operators")
    for path in sorted((SOURCE / room).rglob("messages.py"))
]


@pytest.fixture
def msgids(part: Callable[[str], Any]) -> set[str]:
    """Every text that is shown, collected from where it is declared: options, classes, messages."""
    preferences = part("operators.preferences")
    options = [preferences.OwnOptions]
    for package in part("io_formats").FORMATS:
        options += [package.import_options, package.export_options]
    texts = {
        *(text for declared in options for text in texts_of_options(declared)),
        *(text for room in ROOMS for text in sentences(part(f"{room}.messages"))),
        *labels_of(part("operators").CLASSES),
        *texts_of_properties(part("operators").CLASSES),
        *(text for package in part("io_formats").FORMATS for form in package.forms for text in form[1:]),
    }
    return texts - {""}


def texts_of_options(options_class: Any) -> Iterator[str]:
    """Labels, descriptions, choices and panel titles."""
    for declared in fields(options_class):
        if declared.metadata:
            yield from (declared.metadata[name] or "" for name in ("label", "description", "panel"))
            for _, label, description in declared.metadata["items"]:
                yield from (label, description)


def sentences(messages: Any) -> Iterator[str]:
    """Every template that a person may read; the command lines speak English only."""
    for name, value in vars(messages).items():
        if name.isupper() and not name.startswith("CLI_"):
            yield from [value] if isinstance(value, str) else value


def labels_of(classes: Iterable[Any]) -> Iterator[str]:
    """Labels and descriptions of operators, panels and their menu lines."""
    for cls in classes:
        for name in ("bl_label", "bl_description", "menu_label", "bl_category"):
            yield from [text] if (text := getattr(cls, name, "")) else []


def texts_of_properties(classes: Iterable[Any]) -> Iterator[str]:
    """Labels and descriptions of all properties that are drawn, whoever declared them; the path is Blender's own."""
    for cls in classes:
        for prop in rna_of(cls).properties:
            if prop.is_runtime and prop.description and not prop.is_hidden and prop.identifier != "filepath":
                yield from {prop.name, prop.description} - {prop.identifier}


def rna_of(cls: Any) -> Any:
    """What Blender knows of a class: of an operator, its properties."""
    bpy = pytest.importorskip("bpy")
    group, dot, name = getattr(cls, "bl_idname", "").partition(".")
    return getattr(getattr(bpy.ops, group), name).get_rna_type() if dot and hasattr(cls, "execute") else cls.bl_rna


@pytest.fixture
def german(part: Callable[[str], Any]) -> dict[str, str]:
    table: dict[str, str] = part("operators.locale.de").GERMAN
    return table


def test_nothing_is_missing_and_nothing_is_left_over(msgids: set[str], german: dict[str, str]) -> None:
    assert sorted(msgids - set(german)) == []
    assert sorted(set(german) - msgids) == []


def places(template: str) -> list[tuple[str, str]]:
    """The named places of a template with their formats, but for the words that agree with a number."""
    found = [(name, spec or "") for _, name, spec, _ in string.Formatter().parse(template) if name is not None]
    return sorted(place for place in found if "|" not in place[1])


def test_each_translation_has_the_same_places(german: dict[str, str]) -> None:
    assert [text for text, said in german.items() if places(text) != places(said)] == []


def test_german_sentences_name_options_as_the_dialogues_do(part: Callable[[str], Any], german: dict[str, str]) -> None:
    declared = [
        option
        for package in part("io_formats").FORMATS
        for options in (package.import_options, package.export_options)
        for option in fields(options)
        if option.metadata
    ]
    labels = {label for option in declared if " " in (label := option.metadata["label"])}
    named = [(label, text) for text in german for label in labels if label in text and label != text]
    assert len(named) > 10
    assert [(label, text) for label, text in named if german[label] not in german[text]] == []
    panels = {option.metadata["panel"] for option in declared}
    assert {title for text in german for title in re.findall(r"\(panel (.+?)\)", text)} <= panels


def test_blender_gets_all_contexts(part: Callable[[str], Any], german: dict[str, str]) -> None:
    table = part("operators.locale.translations").translation_table()
    for locale in ("de_DE", "de"):
        assert table[locale]["*", "Keep Source"] == "Quelle behalten"
        assert table[locale]["Operator", "Export in Place"] == "An Ort und Stelle exportieren"
        assert table[locale][part("pipeline.language").CONTEXT, "Origin"] == "Herkunft"
        assert len(table[locale]) == 3 * len(german)


def test_labels_are_not_looked_up_among_blenders_own(part: Callable[[str], Any], german: dict[str, str]) -> None:
    """Blender knows Manual as a book, Origin as a point and Always as everywhere, and its own words come first."""
    own = part("pipeline.language").CONTEXT
    classes = part("operators").CLASSES
    labelled = [
        (cls.__name__, prop.name, prop.translation_context)
        for cls in classes
        for prop in rna_of(cls).properties
        if prop.is_runtime and prop.name in german
    ]
    panels = [
        (cls.__name__, cls.bl_label, cls.bl_translation_context) for cls in classes if hasattr(cls, "bl_category")
    ]
    assert len(labelled) > 100 and len(panels) == 15
    assert [found for found in (*labelled, *panels) if found[2] != own] == []
