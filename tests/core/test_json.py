"""JSON: members and elements are sections, and every path leads to its value."""

from __future__ import annotations

import json
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkana_core import ChunkConfig, Chunker, Context
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


def test_levels_and_paths_are_those_of_the_members() -> None:
    document = JSON.document('{"users": [{"name": "Alice"}]}')
    assert (document.sections[-1].level, document.sections[-1].path) == (
        4,
        ("root", "users", "[0]", "name"),
    )


@pytest.mark.parametrize(
    ("text", "path", "context"),
    [
        ('{"name": "x", "version": "1"}', "root", "root"),
        ('{"name": "x"}', "root name", "root"),
        ('{"a": {"b": 1, "c": 2}}', "root a", "root"),
        ("[[1]]", "root [0] [0]", "root"),
    ],
)
def test_one_chunk_of_a_whole_object_is_at_its_level(text: str, path: str, context: str) -> None:
    (chunk,) = Chunker(context=Context()).chunk(text, "json")
    assert (chunk.section.level, " ".join(chunk.section.path)) == (1, path)
    assert chunk.context == context


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            '{\n  "a": [1, {}],\n  "b": {"c": null}\n}\n',
            [
                "heading root: {",
                'heading a: "a": [',
                "code: 1,",
                "code: {}",
                "bracket: ],",
                'heading b: "b": {',
                'code: "c": null',
                "bracket: }",
                "bracket: }",
            ],
        ),
        ("[]", ["code: []"]),
        ("3", ["code: 3"]),
        ("", []),
        (" \n", []),
        (
            '// of all\n{\n  // of a\n  "a": 1, // yes\n  "b": 2\n}',
            [
                "heading root: // of all\n{",
                'code: // of a\n  "a": 1, // yes',
                'code: "b": 2',
                "bracket: }",
            ],
        ),
        ('{"a": /* of 1 */ 1}', ["heading root: {", 'code: "a": /* of 1 */ 1', "bracket: }"]),
        ('{"a": [1, 2\n', ["heading root: {", 'heading a: "a": [', "code: 1,", "code: 2"]),
        (
            '{"a": {"b": 1} x, "c": {"d": 2}}',
            [
                "heading root: {",
                'heading a: "a": {',
                'code: "b": 1',
                "bracket: }",
                "code: x,",
                'heading c: "c": {',
                'code: "d": 2',
                "bracket: }",
                "bracket: }",
            ],
        ),
        (
            '{"a": {"b": 1}, "c": [, {"d": 2]}',
            [
                "heading root: {",
                'heading a: "a": {',
                'code: "b": 1',
                "bracket: },",
                'heading c: "c": [, {',
                'code: "d": 2',
                "bracket: ]",
                "bracket: }",
            ],
        ),
        (
            f'{{"a": "{"b" * 30}", "z": "{"b" * 31}", "c": ["d"]}}',
            [
                "heading root: {",
                f'code: "a": "{"b" * 30}",',
                'heading z: "z":',
                f'code: "{"b" * 31}",',
                'heading c: "c": [',
                'code: "d"',
                "bracket: ]",
                "bracket: }",
            ],
        ),
        ("[1e+5, 2]", ["heading root: [", "code: 1e+5,", "code: 2", "bracket: ]"]),
    ],
)
def test_blocks(text: str, expected: list[str]) -> None:
    """Keys and opening brackets are headings; commas belong to the member before them."""
    document = JSON.document(text)
    found = []
    for block in document.top:
        title = f" {block.info}" if block.kind is BlockKind.HEADING else ""
        found.append(f"{block.kind}{title}: {text[block.start : block.end].strip()}")
    assert found == expected


SENTENCES = "The kettle boils. It is taken off. Leaves go in. Then wait."


@pytest.mark.parametrize(
    ("text", "size", "expected"),
    [
        (
            f'{{"tea": "{SENTENCES}"}}',
            48,
            [
                '{"tea": "The kettle boils. It is taken off.',
                '{"tea":\n\nLeaves go in. Then wait."}',
            ],
        ),
        (
            f'{{\n  "n": 1,\n  "tea": "{SENTENCES}"\n}}',
            51,
            [
                '{\n  "n": 1,',
                '  "tea": "The kettle boils. It is taken off.',
                '  "tea":\n\nLeaves go in. Then wait."\n}',
            ],
        ),
        (
            '{"tea": "Boil it\\r\\n\\nand wait\\n- in C:\\\\new pots\\n- for long"}',
            42,
            [
                '{"tea": "Boil it\\r\\n\\nand wait\\n',
                '{"tea":\n\n- in C:\\\\new pots\\n- for long"}',
            ],
        ),
        (
            f'{{"teas": ["Milk.", "{SENTENCES}"]}}',
            50,
            [
                '{"teas": ["Milk.",',
                '"The kettle boils. It is taken off.',
                '"teas": [\n\nLeaves go in. Then wait."]}',
            ],
        ),
        (
            f'[["{SENTENCES}"]]',
            40,
            ['[["The kettle boils. It is taken off.', 'Leaves go in. Then wait."]]'],
        ),
        (
            '{"tea": "' + "a" * 40 + '"}',
            32,
            ['{"tea": "' + "a" * 21, '{"tea":\n\n' + "a" * 19 + '"}'],
        ),
    ],
)
def test_parts_of_a_long_string_repeat_its_key(text: str, size: int, expected: list[str]) -> None:
    """They end with sentences or lines where they can; brackets alone are not repeated."""
    config = ChunkConfig(max_chunk_size=size, min_chunk_size=0)
    assert [chunk.content for chunk in Chunker(config).chunk(text, "json")] == expected


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
