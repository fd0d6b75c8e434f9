"""JSON: members and elements are sections, and every path leads to its value."""

from __future__ import annotations

import json
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkana_core import Chunker, Context
from chunkana_core.extending import BlockKind, Document
from tests import corpora

pytest.importorskip("tree_sitter")
from chunkana_core.formats.registry import JSON

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
# Titles are on one line; those of elements start with a bracket.
KEYS = st.text(st.characters(codec="utf-8"), max_size=5).filter(
    lambda key: key == " ".join(key.split()) and not key.startswith("[")
)
VALUES: st.SearchStrategy[Json] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)


def paths(value: Json, path: tuple[str, ...]) -> list[tuple[tuple[str, ...], Json]]:
    """Return a value's path and those of the values in it, each before those in it."""
    found, waiting = [], [(path, value)]
    while waiting:
        path, value = waiting.pop()
        found.append((path, value))
        members: list[tuple[str, Json]] = []
        if isinstance(value, dict):
            members = [*value.items()]
        elif isinstance(value, list):
            members = [(f"[{number}]", member) for number, member in enumerate(value)]
        waiting += [((*path, key), member) for key, member in reversed(members)]
    return found


def written_values(document: Document) -> list[tuple[tuple[str, ...], Json]]:
    """Return the path of each section, and the value that is written there."""
    found: list[tuple[tuple[str, ...], Json]] = []
    for section in document.sections[1:]:
        span = document.trimmed_run(section.first, section.stop)
        text = document.text[span.start : span.end].strip().rstrip(",")
        if section.level > 1 and not section.title.startswith("["):
            [(key, value)] = json.loads(f"{{{text}}}").items()
            assert key == section.title
        else:
            value = json.loads(text)
        found.append((section.path, value))
    return found


def assert_paths(value: Json, text: str) -> None:
    assert written_values(JSON.document(text)) == paths(value, ("root",))


@given(VALUES)
def test_every_path_leads_to_its_value(value: Json) -> None:
    """However the value is written."""
    assert_paths(value, json.dumps(value))
    assert_paths(value, json.dumps(value, indent=2))
    assert_paths(value, json.dumps(value, separators=(",", ":")))
    assert_paths(value, json.dumps(value, ensure_ascii=False, indent="\t"))


def test_every_path_of_the_corpus_leads_to_its_value() -> None:
    files = corpora.corpus_paths("data/*.json")
    if not files:
        pytest.skip(f"no corpus in {corpora.SHARED}")
    for path in files:
        text = corpora.read(path)
        assert_paths(json.loads(text), text)


@given(st.lists(VALUES, min_size=2, max_size=5))
def test_json_lines_are_elements_of_the_root(values: list[Json]) -> None:
    """The root itself is all of them."""
    text = "".join(f"{json.dumps(value)}\n" for value in values)
    found = JSON.document(text)
    expected = [
        found for n, value in enumerate(values) for found in paths(value, ("root", f"[{n}]"))
    ]
    assert [section.path for section in found.sections[1:2]] == [("root",)]
    assert [section.path for section in found.sections[2:]] == [path for path, _ in expected]


@pytest.mark.parametrize("text", ['{"name": "x"}', '{"a": {"b": 1, "c": 2}}', "[[1]]"])
def test_the_breadcrumb_of_a_whole_document_is_its_root(text: str) -> None:
    (chunk,) = Chunker(context=Context()).chunk(text, "json")
    assert chunk.context == "root"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            '{\n  "a": [1, {}],\n  "b": {"c": null}\n}\n',
            '{ H | "a": [ Ha | 1, | {} | ], B | "b": { Hb | "c": null | } B | } B',
        ),
        *((text, text.strip()) for text in ("[]", "3", "", " \n")),
        (
            '// of all\n{\n  // of a\n  "a": 1, // yes\n  "b": 2\n}',
            '// of all\n{ H | // of a\n  "a": 1, // yes | "b": 2 | } B',
        ),
        ('{"a": /* of 1 */ 1}', '{ H | "a": /* of 1 */ 1 | } B'),
        ('{"a": [1, 2\n', '{ H | "a": [ Ha | 1, | 2'),
        (
            '{"a": {"b": 1} x, "c": {"d": 2}}',
            '{ H | "a": { Ha | "b": 1 | } B | x, | "c": { Hc | "d": 2 | } B | } B',
        ),
        (
            '{"a": {"b": 1}, "c": [, {"d": 2]}',
            '{ H | "a": { Ha | "b": 1 | }, B | "c": [, { Hc | "d": 2 | ] B | } B',
        ),
        (
            f'{{"a": "{"b" * 30}", "z": "{"b" * 31}", "c": ["d"]}}',
            f'{{ H | "a": "{"b" * 30}", | "z": Hz | "{"b" * 31}", | "c": [ Hc | "d" | ] B | }} B',
        ),
        ("[1e+5, 2]", "[ H | 1e+5, | 2 | ] B"),
    ],
)
def test_blocks(text: str, expected: str) -> None:
    """Keys and opening brackets are headings (H); commas belong to the member before them."""
    found = []
    for block in JSON.document(text).top:
        title = "" if block.info == "root" else block.info
        mark = {BlockKind.HEADING: f" H{title}", BlockKind.BRACKET: " B", BlockKind.CODE: ""}
        found.append(text[block.start : block.end].strip() + mark[block.kind])
    assert " | ".join(found) == expected


@pytest.mark.parametrize(
    ("key", "title"),
    [
        (r"a\u0062\n\tc", "ab c"),
        (r"\x", r"\x"),
        ("", ""),
        ("a" * 1000, "a" * 199 + "…"),
        (r"\ud83d\ude00", "😀"),
    ],
)
def test_titles_are_what_keys_say(key: str, title: str) -> None:
    """Escapes are decoded where they are known; titles are short and on one line."""
    document = JSON.document(f'{{"{key}": 1}}')
    assert document.sections[-1].title == title


@pytest.mark.parametrize("size", [10, 400])
def test_at_most_64_levels_are_sections(size: int) -> None:
    """What is deeper is of the innermost; 64 more levels are values in values."""
    text = "[1,2," * size + "3" + "]" * size
    document = JSON.document(text)
    assert max(section.level for section in document.sections) == min(64, size + 1)
    assert max(block.depth for block in document.blocks) <= 64


def test_what_is_mostly_errors_or_long_is_plain_text() -> None:
    assert JSON.document("[" * 1000).traits.name == "text"
    assert JSON.document('{"a":' * 1000).traits.name == "text"
    assert JSON.document("[" + "1," * (2_000_000 // 2) + "1]").traits.name == "text"
