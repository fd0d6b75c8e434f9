"""Documents and configurations to fuzz with: made, mutated, repeated, and any text at all."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Final, TypeAlias

from hypothesis import strategies as st

from chunkana_core import ChunkConfig
from tests import corpora
from tests.core.configurations import ATOMS, MEASURES, contexts
from tests.core.test_code_laws import samples
from tests.fuzz.target import MARKDOWN, Input
from tests.strategies import FRAGMENTS, ODD, any_markdown

Text: TypeAlias = st.SearchStrategy[str]
Mutation: TypeAlias = Callable[[str, int, int, str], str]


LONGEST: Final = 6000
LONGEST_SOURCE: Final = 3000
LINE_ENDS: Final = (
    "\n", "\n", "\n\n", "\r\n", "\r", "\r\r\n", "\n\r", " \n", "\t\n", "\x0b", "\x85",
)  # fmt: skip
PREFIXES: Final = (
    " ", "  ", "   ", "    ", "\t", "> ", ">", "- ", "1. ", "# ", "| ", "$$", "```",
)  # fmt: skip
YAML: Final = (
    "---", "---", "...", "title: x", "title: [a", "a: b", "a:", "- b", "  - c", "? k", ": v", "#",
    "&a", "*a", "!!set", "!!binary x", "<<: *a", "<<: {a: b}", "{", "}", "[", "]", "'", '"', "|",
    ">-", "%TAG ! x", "@", "`", "1:30:59", "0x1f", ".inf", "2031-13-45", "=", "\t", "\x00",
    "\ufeff", "\ud800", "é: 值",
)  # fmt: skip

CONTROLS: Final = (
    *"\0\t\n\r\x0b\x0c\x1a\x1c\x1d\x1e\x1f\x7f\x85\xa0\u1680\u2028\u200b\u3000\ufeff\ud800", "\r\n",
)  # fmt: skip
SYMBOLS: Final = (
    *"()[]{}<>;:,.=|&!?@#$%^~\\/'\"`*-+", '"""', "//", "/*", "*/", "<<EOF\n", "<?php", "?>", "${",
    "=>", "::", "def f(", "class A", "if x", "end\n", "do |a|", "#if A\n", 'r#"', "é", "中", "😀",
)  # fmt: skip


# Of a text between two places, and another text.
CUTS: Final[tuple[Mutation, ...]] = (
    lambda text, start, end, _: text[:start] + text[end:],
    lambda text, start, end, _: text[start:end],
    lambda text, start, end, _: text[:end] + text[start:end] * 3 + text[end:],
    lambda text, start, end, _: text[end:] + text[start:end] + text[:start],
)
INSERTIONS: Final[tuple[Mutation, ...]] = (
    lambda text, start, _, other: text[:start] + other + text[start:],
    lambda text, start, end, other: text[:start] + other + text[end:],
)


def _on_lines(mutation: Mutation) -> Mutation:
    """Move places to starts of lines."""

    def mutate(text: str, start: int, end: int, other: str) -> str:
        first, last = (text.rfind("\n", 0, place) + 1 for place in (start, end))
        return mutation(text, first, last, other)

    return mutate


def _indent(text: str, start: int, end: int, other: str) -> str:
    indented = "".join(other + line for line in text[start:end].splitlines(keepends=True))
    return text[:start] + indented + text[end:]


def _end_lines(text: str, start: int, end: int, other: str) -> str:
    return text[:start] + text[start:end].replace("\n", other) + text[end:]


_PIECES = st.sampled_from((*FRAGMENTS, *ODD, *LINE_ENDS, *PREFIXES))
_CODE_PIECES = st.sampled_from((*CONTROLS, *SYMBOLS))


def _changes(pieces: Text) -> st.SearchStrategy[tuple[Mutation, str]]:
    """Make changes: cuts, repetitions and so on, or insertions of pieces."""
    kinds: list[tuple[Sequence[Mutation], Text]] = [
        ((*CUTS, *map(_on_lines, CUTS)), st.just("")),
        ((*INSERTIONS, _on_lines(INSERTIONS[0])), pieces),
        ((_on_lines(_indent),), st.sampled_from(PREFIXES)),
        ((_end_lines,), st.sampled_from(LINE_ENDS)),
    ]
    return st.one_of([st.tuples(st.sampled_from(changes), other) for changes, other in kinds])


@st.composite
def mutated(draw: st.DrawFn, texts: Text, pieces: Text) -> str:
    """Make a text of two others, and cut, splice, repeat, swap or indent some of it."""
    base, other = draw(texts), draw(texts)
    start, size = draw(st.integers(0, len(base))), draw(st.sampled_from((200, 1000, 3000)))
    text = draw(st.sampled_from((base[start : start + size], base[:size], other + base[start:])))
    for change, piece in draw(st.lists(_changes(pieces), min_size=1, max_size=6)):
        places = st.integers(0, len(text))
        first, last = sorted((draw(places), draw(places)))
        text = change(text, first, last, piece)[:LONGEST]
    return text


@cache
def sources() -> Mapping[str, Sequence[str]]:
    """Return the sources of each language and JSON: our own, and those of the corpus."""
    found = defaultdict(list)
    for kind, text in samples():
        found[kind.name].append(text)
    return found


@st.composite
def code(draw: st.DrawFn, language: str) -> str:
    """Make a source, mutated or not, that ends anywhere."""
    whole = st.sampled_from(sources()[language])
    parts = st.tuples(whole, st.integers(0, 100)).map(
        lambda drawn: drawn[0][len(drawn[0]) * drawn[1] // 100 :][:LONGEST_SOURCE]
    )
    text = draw(st.one_of(parts, mutated(parts, _CODE_PIECES)))
    return text[: draw(st.integers(0, len(text)))] if draw(st.booleans()) else text


@st.composite
def notebooks(draw: st.DrawFn) -> str:
    """Make a notebook of code and other cells."""
    language = draw(st.sampled_from([*sources()]))
    texts = {"code": code(language), "markdown": any_markdown(), "raw": any_text()}
    kinds = draw(st.lists(st.sampled_from(("code", "code", *texts)), max_size=4))
    cells = [{"cell_type": kind, "source": draw(texts[kind])} for kind in kinds]
    metadata = {"language_info": {"name": language}}
    return json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4})


@st.composite
def fenced_code(draw: st.DrawFn) -> str:
    """Make a document with fenced code, in a container or not."""
    language = draw(st.sampled_from([*sources()]))
    text = f"```{language}\n{draw(code(language))}\n```\n"
    prefix = draw(st.sampled_from(("", "", *PREFIXES)))
    before = draw(st.just("") | any_markdown())
    return before + _indent(text, 0, len(text), prefix)


@st.composite
def repeated(draw: st.DrawFn) -> str:
    """Make a short unit, or one between two others, many times: what grows, grows here."""
    units = st.lists(_PIECES, min_size=1, max_size=4).map("".join)
    start, unit, end = draw(st.just("") | units), draw(units), draw(st.just("") | units)
    return (start + unit * draw(st.sampled_from((1, 9, 40, 200))) + end)[:LONGEST]


@st.composite
def with_front_matter(draw: st.DrawFn) -> str:
    """Make pieces of YAML, line by line, and a document after them."""
    lines = draw(st.lists(st.lists(st.sampled_from(YAML), max_size=3).map("".join), max_size=9))
    end = draw(st.sampled_from(LINE_ENDS))
    start = draw(st.sampled_from(("", "", "\ufeff", "\n", " ", "\x00")))
    return start + end.join(["---", *lines, "---", draw(any_markdown())])


def any_text() -> Text:
    """Make text of any code points, lone surrogates and controls included, and any line ends."""
    any_characters = st.text(st.characters(exclude_categories=()), max_size=60)
    controls = st.text(st.sampled_from("\0\t\n\r\x0b\x0c\x1c\x85\u2028\ufeff\ud800\udfff #>-`a"))
    return st.one_of(
        any_characters, controls, st.lists(any_characters | _PIECES, max_size=40).map("".join)
    )


def documents() -> Text:
    """Make any Markdown to chunk."""
    own = st.sampled_from([sample.text for sample in corpora.own_documents()])
    changed = mutated(st.one_of(own, any_markdown()), _PIECES)
    return st.one_of(
        any_markdown(), changed, changed, repeated(), with_front_matter(), any_text(), fenced_code()
    )


def files() -> st.SearchStrategy[tuple[str, str]]:
    """Make a text of any format and the name of the format, half of them Markdown."""
    languages = st.sampled_from([*sources()])
    sources_of_any = languages.flatmap(lambda name: st.tuples(code(name), st.just(name)))
    others = (
        sources_of_any,
        sources_of_any,
        st.tuples(notebooks(), st.just("notebook")),
        st.tuples(any_text(), languages),
    )
    return st.one_of(st.tuples(documents(), st.just(MARKDOWN)), st.one_of(others))


def inputs() -> st.SearchStrategy[Input]:
    """Make anything to chunk, and how."""
    drawn = st.tuples(files(), configurations(), contexts())
    return drawn.map(lambda d: Input(d[0][0], d[1], d[2], d[0][1]))


def utf8(text: str) -> int:
    """Count bytes."""
    return len(text.encode("utf-8", "surrogatepass"))


@st.composite
def configurations(draw: st.DrawFn) -> ChunkConfig:
    """Make any valid configuration, small sizes more often than large ones."""
    largest = draw(st.sampled_from((40, 120, 1000, 8000)))
    size = draw(st.integers(32, largest))
    minimum = st.none() | st.integers(0, size)
    return ChunkConfig(
        max_chunk_size=size,
        min_chunk_size=draw(minimum),
        overlap_size=draw(st.just(0) | st.integers(0, 2 * size)),
        length_function=draw(st.sampled_from((*MEASURES, utf8))),
        strategy=draw(st.sampled_from(("auto", "auto", "code_aware", "structural", "fallback"))),
        code_threshold=draw(st.sampled_from((0.0, 0.3, 1.0))),
        structure_threshold=draw(st.sampled_from((0, 3, 50))),
        atomic_blocks=draw(st.sampled_from(ATOMS)),
        oversize_tolerance=draw(st.sampled_from((0.0, 0.0, 0.1, 1.0, 1e9))),
        merge_boundary_level=draw(st.integers(0, 6)),
        min_content_after_header=draw(minimum),
        include_document_summary=draw(st.booleans()),
        code_cuts=draw(st.sampled_from(("lines", "syntax"))),
    )
