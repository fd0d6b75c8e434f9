"""The laws hold for source code and JSON, whole, cut off, or with characters missing."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import cycle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkana_core import ChunkConfig, Chunker, Context
from chunkana_core.extending import Document, Format
from chunkana_core.formats.registry import CODE, JSON, FormatSelector
from tests import corpora
from tests.core.configurations import CONTEXTS, configs, contexts
from tests.core.counting import calls_of
from tests.core.laws import Case, lawful, require_laws
from tests.core.outlines import outline_cases

pytest.importorskip("tree_sitter")


FORMATS = {kind.name: kind for kind in (JSON, *CODE)}
MOST = 2.6  # times the work, for twice the input
HOSTILE = "\0\ud800\ufeff\u2028é😀\t\r\n\f {}[]()<>\"'`;,:#/*@=\\$"
NO_SPACE = "\0\ufeff\u200b\u2060\x01\x1a\x7fX\ud800"  # some of them are white space to a grammar
LINE_BREAKS = "\t\n\f\r"  # and what sets the column that Python's grammar counts
SPACES = "".join(c for c in map(chr, range(sys.maxunicode + 1)) if c.isspace())
SIZES = (200, 1000, 4000)


def shape(before: str, again: str, after: str = "", between: str = "") -> Callable[[int], str]:
    """Return what makes texts of a size: what is repeated before and after something."""
    return lambda size: before + again * size + between + after * size


SHAPES: dict[str, tuple[str, Callable[[int], str]]] = {
    "open brackets": ("json", shape("", "[")),
    "open objects": ("json", shape("", '{"a":')),
    "nested arrays": ("json", shape("", "[", "]")),
    "nested objects": ("json", shape("", '{"a":', "}", "1")),
    "a wide array": ("json", shape("[", "1, ", between="1]")),
    "a wide object": ("json", shape("{", '"a": {"b": 1},\n', between='"c": 1}')),
    "JSON lines": ("json", shape("", '{"a": [1, "b"]}\n')),
    "commas": ("json", shape("", ",")),
    "open brackets in code": ("python", shape("", "[")),
    "classes in classes": ("java", shape("", "class A {\n", "}\n")),
    "open classes": ("typescript", shape("", "class A {\n")),
    "text between classes": (
        "java",
        shape("class A {\n", "int x;\nclass B {\nint y;\n}\n", between="}\n"),
    ),
    "brackets alone": ("java", shape("class A {\nint x;\n", "}\n")),
    "minified code": (
        "javascript",
        shape("!function(){", "function a(b){c();d(b)}", between="}();"),
    ),
    "functions in functions": ("javascript", shape("", "a(function(){b();", "});")),
    "statements in statements": ("javascript", shape("", "if(a){b();", "}")),
    "one declaration": ("javascript", shape("const z=1", ",a=()=>{b()}")),
    "chains": ("ruby", shape("a", ".b(1)")),
    "calls in calls": ("ruby", shape("", "a(", ")")),
    "operators": ("c", shape("int x = 1", " + 1", between=";")),
    "templates": ("cpp", shape("", "template<class T> ", between="class A {};")),
    "comments": ("python", shape("", "# a\n")),
    "decorators": ("python", shape("", "@a\n", between="def f(): pass\n")),
    "imports": ("go", shape("package a\n", 'import "a"\n')),
    "methods": ("rust", shape("impl A {\n", "#[a]\nfn f() { b(); c(); }\n", between="}\n")),
    "spaces": ("python", shape("x = 1", " ", between="\ny = 2\n")),
    "blank lines": ("bash", shape("a\n", "\n", between="b\n")),
}


def assert_made_of_text(document: Document) -> None:
    """Blocks tile the text, those inside lie within, and sections nest."""
    text, end = document.text, 0
    for block in document.blocks:
        assert text[block.start : block.end].strip()
        assert block.after > block.index
    for block in document.top:
        assert not text[end : block.start].strip()
        assert block.start >= end
        end = block.end
        for inner in document.children(block):
            assert block.start <= inner.start < inner.end <= block.end
    assert not text[end:].strip()
    for section in document.sections[1:]:
        outer = document.sections[section.parent]
        assert outer.first <= section.first < section.stop <= outer.stop
        assert section.level == outer.level + 1


def keeps_all(text: str, kind: Format, config: ChunkConfig, context: Context | None = None) -> None:
    """Assert every law of a text, and of its document."""
    case = Case(text, config, context=context, format=kind)
    assert_made_of_text(case.document)
    require_laws(case)


@cache
def shortest(name: str) -> str:
    """Return the shortest of our own sources of a language."""
    texts = [case.text for case in outline_cases() if case.language == name]
    return min(texts or ['{\n  "a": [1e+5, {"b": null}],\n  "c": {}\n}\n'], key=len)


def samples() -> Iterator[tuple[Format, str]]:
    """Yield our own sources, and the files of the corpus."""
    for case in outline_cases():
        yield FORMATS[case.language], case.text
    yield JSON, '{\n  "a": [1, {"b": null}],\n  "c": {}\n}\n'
    formats = FormatSelector()
    for path in (*corpora.corpus_paths("code/*"), *corpora.corpus_paths("data/*.json*")):
        yield formats.of_path(path) or JSON, corpora.read(path)


@pytest.mark.parametrize("size", SIZES)
def test_our_own_sources_keep_all_laws(size: int) -> None:
    """Those of every language, in turn with and without a context."""
    for case, context in zip(outline_cases(), cycle((None, CONTEXTS[-1])), strict=False):
        keeps_all(case.text, FORMATS[case.language], ChunkConfig(max_chunk_size=size), context)


@pytest.mark.slow
@pytest.mark.no_cover
def test_corpus_of_code_and_data_keeps_all_laws() -> None:
    """The laws hold for files as they are found, and where they are cut off."""
    sizes = cycle(SIZES)
    for kind, text in samples():
        for part in (text, text[: len(text) * 2 // 3]):
            keeps_all(part, kind, ChunkConfig(max_chunk_size=next(sizes)))


@pytest.mark.parametrize("name", FORMATS)
def test_l9_sources_that_end_anywhere(name: str) -> None:
    """What is not finished, at the end, ends where the text does."""
    text, config = shortest(name), ChunkConfig(max_chunk_size=100)
    for end in range(len(text)):
        assert_made_of_text(FORMATS[name].document(text[:end]))
        if end % 10 == 0:
            keeps_all(text[:end], FORMATS[name], config)


@pytest.mark.parametrize("name", FORMATS)
def test_l9_white_space_is_what_python_says_it_is(name: str) -> None:
    """Grammars disagree on it, and would find statements of white space or none of other text."""
    text, kind = shortest(name), FORMATS[name]
    for place in range(0, len(text), 40):
        expected = kind.document(f"{text[:place]} {text[place:]}").blocks
        for character in SPACES + NO_SPACE:
            document = kind.document(f"{text[:place]}{character}{text[place:]}")
            assert_made_of_text(document)
            if character.isspace() and character not in LINE_BREAKS:
                assert document.blocks == expected, (place, character)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("python", "def f(:"),
        ("python", 'def s(:\n "'),
        ("python", "x\n\x1c\ny\n"),
        ("rust", "\x1c:::A"),
        ("cpp", "\x1c:::A"),
        ("c", "\x1c!VER"),
        ("php", "\x1c<?phpc"),
        ("bash", '{t<<E\ne: x {\nE"\ni\n '),
        ("ruby", "\\\u2028\u2028x\0="),
    ],
)
def test_l9_texts_that_raised(name: str, text: str) -> None:
    """A body that is an empty node at the end, and nodes of nothing but white space.

    In a file, in the cell of a notebook, and in fenced code.
    """
    keeps_all(text, FORMATS[name], ChunkConfig())
    cells = [{"cell_type": "code", "source": text}]
    metadata = {"language_info": {"name": name}}
    assert Chunker().chunk(json.dumps({"cells": cells, "metadata": metadata}), "notebook")
    fenced = f"~~~{name}\n{'a.b' * 20}\n{text}\n~~~\n"
    lawful(fenced, max_chunk_size=32, atomic_blocks="split", code_cuts="syntax")


def test_a_line_of_python_may_begin_with_a_form_feed() -> None:
    """After it columns are counted from 0."""
    text = "def a():\n    pass\n\n\fdef b():\n    pass\n"
    sections = FORMATS["python"].document(text).sections
    assert [section.path for section in sections] == [(), ("a",), ("b",)]


@given(st.randoms(use_true_random=False), st.data(), configs(), contexts())
def test_damaged_sources_keep_all_laws(
    chance: random.Random, data: st.DataObject, config: ChunkConfig, context: Context | None
) -> None:
    """With characters missing, and others that no grammar expects."""
    case = data.draw(st.sampled_from(outline_cases()))
    kept = [character for character in case.text if chance.random() < 0.95]
    for _ in range(chance.randrange(4)):
        kept.insert(chance.randrange(len(kept) + 1), chance.choice(HOSTILE))
    keeps_all("".join(kept), FORMATS[case.language], config, context)


@given(
    st.text(st.sampled_from(HOSTILE + "abif"), max_size=80), st.sampled_from([*FORMATS]), configs()
)
def test_any_text_keeps_all_laws(text: str, name: str, config: ChunkConfig) -> None:
    """Whatever it is said to be."""
    keeps_all(text, FORMATS[name], config)


@pytest.mark.parametrize("name", SHAPES)
def test_every_shape_keeps_all_laws(name: str) -> None:
    """What is deep, wide, open or empty."""
    language, make = SHAPES[name]
    for config in (ChunkConfig(max_chunk_size=64), ChunkConfig(max_chunk_size=500)):
        keeps_all(make(100), FORMATS[language], config)
    assert_made_of_text(FORMATS[language].document(make(40_000 // len(make(100)) * 100)))


@pytest.mark.no_cover
@pytest.mark.parametrize("name", SHAPES)
def test_l8_calls_are_linear(name: str) -> None:
    """Twice the input makes about twice as many calls."""
    language, make = SHAPES[name]
    chunker = Chunker(ChunkConfig(max_chunk_size=32), CONTEXTS[1])
    one, two = (
        calls_of(partial(chunker.chunk_hierarchical, make(size), language)) for size in (150, 300)
    )
    assert two < MOST * one


@pytest.mark.no_cover
def test_l8_work_does_not_grow_with_the_limit() -> None:
    """A neighbour joins many others without all of them being looked at again."""
    text = "[" + "1, " * 3000 + "1]"
    configs = (ChunkConfig(max_chunk_size=size) for size in (500, 8000))
    chunkers = [Chunker(config, Context("a.json")) for config in configs]
    small, large = (calls_of(partial(one.chunk, text, "json")) for one in chunkers)
    assert large < MOST * small


@pytest.mark.parametrize("again", ["[", '{"a":'])
def test_l9_megabytes(again: str) -> None:
    """They are plain text, which takes no memory of the parser's."""
    text = again * (3_000_000 // len(again))
    chunks = Chunker(ChunkConfig(max_chunk_size=100_000)).chunk(text, "json")
    assert sum(chunk.span.end - chunk.span.start for chunk in chunks) == len(text)


def test_l8_what_is_read_again_and_again_is_plain_text() -> None:
    """Where a string of Rust may end is looked for to the end of the text."""
    text = 'r#"' * 40_000
    assert FORMATS["rust"].document(text).traits.name == "text"
    assert FORMATS["rust"].document("// a\n" + "fn f() {}\n" * 10_000).traits.name == "rust"


def test_l8_what_takes_too_many_steps_is_plain_text() -> None:
    """Code that is not C# may take the parser ten times as many steps as C#."""
    text = "a<b;c=d;" * 1000
    assert FORMATS["csharp"].document(text).traits.name == "csharp"
    assert FORMATS["csharp"].document(text * 4).traits.name == "text"
    assert FORMATS["csharp"].document("int a = b + c;\n" * 4000).traits.name == "csharp"


# What stays open at the end of a text is joined by the parser in every way in which it can be read.
_OPEN_AT_THE_END = (
    ("java", "A<"), ("java", "a(/"), ("java", "a%==="), ("java", "(;"), ("java", "a:a?a;"),
    ("csharp", "A<"), ("csharp", "List<Map<"), ("rust", "a(+"), ("cpp", "a<b,"), ("bash", "a|"),
    ("bash", "a | b | "), ("bash", ">>"), ("c", "{"), ("go", "{a;"), ("json", '{"a":'),
)  # fmt: skip


@pytest.mark.parametrize(("language", "pattern"), _OPEN_AT_THE_END)
def test_l8_code_of_unfinished_statements_is_plain_text(language: str, pattern: str) -> None:
    """It is not given to the parser, which would take gigabytes for two million characters."""
    document = FORMATS[language].document(pattern * (400_000 // len(pattern)))
    assert document.traits.name == "text"


@pytest.mark.parametrize(
    ("language", "statement"),
    [
        ("python", "x = [-1, 2 ** 3, a < b, not c]\n"),
        ("javascript", "const a = b < c && d > e || f\n"),
        ("c", "static int a[] = {A | B, C | D, -1};\n"),
        ("cpp", "std::map<int, std::vector<int>> m;\n"),
        ("bash", "a | b | c && d > e\n"),
        ("java", "Map<String, List<String>> m = a < b ? c : d;\n"),
        ("javascript", "a('<b><i>' + c + '</i></b>');"),
        ("c", "/* ======== a ======== */\nint b;\n"),
    ],
)
def test_l8_many_short_statements_are_code(language: str, statement: str) -> None:
    """Statements that end may have any number of operators together."""
    document = FORMATS[language].document(statement * 2000)
    assert document.traits.name == language


def test_l4_yields_to_indentation_that_leaves_no_room() -> None:
    """Below a bracket that far to the right, not even the indentation of what follows fits."""
    indented = "\n" + " " * 48
    member = f'{indented}    "fn": "getAttr",{indented}    "argv": "{"a" * 120}"'
    text = f'{{\n  "rules": [{indented}{{{member}{indented}}}\n  ]\n}}\n'
    config = ChunkConfig(max_chunk_size=200, validation="strict")
    chunks = Chunker(config, Context("a" * 60)).chunk(text, "json")
    assert any(chunk.text.endswith("{") for chunk in chunks)
