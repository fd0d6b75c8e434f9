"""The core's blocks and headings are those of stock markdown-it-py.

Stock means: the "commonmark" preset with tables, nesting up to 100, and the plugins for front
matter (if YAML reads a mapping), footnotes in place and dollar math without blank lines inside.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from _pytest.mark import ParameterSet
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from chunkana_core import chunk_hierarchical
from chunkana_core.formats.markdown.parser import parse_markdown
from tests import corpora
from tests.core.stock import BOM, limited_blocks, stock_blocks, top
from tests.corpora import Sample
from tests.strategies import any_markdown, markdown_documents, messy_text

_SIMPLE_TITLE = re.compile(r"(?:[^\W_]|[ ,.;:'()\-–—?/+=%@\"“”«»])*")
_SPACES = re.compile(r"\s+")
LONGEST_TITLE = 200
ODD_TEXTS = json.loads(corpora.read(corpora.REPOSITORY / "tests/data/odd_markdown.json"))


def _documents() -> Iterator[ParameterSet]:
    quick = {sample.name for sample in corpora.some_documents()}
    for sample in (*corpora.own_documents(), *corpora.corpus()):
        marks = [] if sample.name in quick else [pytest.mark.slow]
        yield pytest.param(sample, id=sample.name, marks=marks)


@pytest.mark.no_cover
@pytest.mark.parametrize("sample", [*_documents()])
def test_blocks_and_headings_of_documents_are_stock(sample: Sample) -> None:
    """A document has the blocks, however deep, and the headings that the stock parser finds."""
    assert limited_blocks(sample.text) is not None
    _same_nested_blocks(sample.text)
    _same_headings(sample.text)


@pytest.mark.no_cover
@pytest.mark.skipif(not corpora.spec_examples(), reason=f"no examples in {corpora.SHARED}")
def test_blocks_and_headings_of_the_commonmark_examples_are_stock() -> None:
    """Every example of the CommonMark specification is read as the stock parser reads it."""
    for sample in corpora.spec_examples():
        _same_nested_blocks(sample.text)
        _same_headings(sample.text)


@pytest.mark.parametrize("text", ODD_TEXTS, ids=lambda text: repr(text[:40]))
def test_blocks_of_odd_texts_are_stock(text: str) -> None:
    """So is what our own rules, which look at fewer characters, could get wrong."""
    _same_nested_blocks(text)


@settings(max_examples=2 * settings().max_examples)
@given(any_markdown() | messy_text())
def test_blocks_and_headings_of_made_markdown_are_stock(text: str) -> None:
    """Blocks, those inside lists, quotes and footnotes too, are read as the stock parser does."""
    assume(_is_comparable(text))
    _same_nested_blocks(text)
    _same_headings(text)


_MARKS = st.lists(st.sampled_from(("> ", ">", "- ", "1. ", "+   ")), min_size=1, max_size=3)
_INSIDE = st.sampled_from(("", "text", "# H", "```", "<div>", "$$ x", "| a |", "    code", "- i"))


@given(_MARKS, st.integers(50, 150), _INSIDE, markdown_documents())
def test_what_is_too_deep_ends_with_its_container(
    marks: list[str], depth: int, inside: str, after: str
) -> None:
    """Whatever lies too deep, the blocks around it are those of a parser without a limit."""
    assume(limited_blocks(after) is not None)
    text = f"{''.join(marks) * depth}{inside}\n\n# After\n\n{after}"
    expected = [(b.kind, text[b.start : b.end].rstrip()) for b in top(stock_blocks(text))]
    found = [b for b in parse_markdown(text).blocks if b.depth == 0]
    assert [(b.kind.value, text[b.start : b.end].rstrip()) for b in found] == expected
    _same_headings(text)


def _is_comparable(text: str) -> bool:
    """Tell whether the parser's limit does not matter, and there is more than a BOM, to cover."""
    return limited_blocks(text) is not None and bool(text.removeprefix(BOM).strip())


def _same_nested_blocks(text: str) -> None:
    expected = [
        (b.kind, b.depth, b.start, b.end, b.level, not b.is_closed) for b in stock_blocks(text)
    ]
    found = parse_markdown(text).blocks
    assert [(b.kind.value, b.depth, b.start, b.end, b.level, b.is_open) for b in found] == expected


def _same_headings(text: str) -> None:
    stock = [block for block in top(stock_blocks(text)) if block.kind == "heading"]
    toc = chunk_hierarchical(text).toc()
    assert [(e.level, e.line) for e in toc] == [(b.level, b.line + 1) for b in stock]
    for entry, block in zip(toc, stock, strict=True):
        if _SIMPLE_TITLE.fullmatch(block.markup):
            whole = _SPACES.sub(" ", block.markup).strip()
            is_cut = len(whole) > LONGEST_TITLE
            assert entry.title == whole or (is_cut and whole.startswith(entry.title[:-1]))
