"""The laws hold for plain text, and for a format of the user's own, with own text anywhere."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkana_core import ChunkConfig, Chunker, Context
from chunkana_core.extending import Format
from chunkana_core.formats.registry import TEXT
from tests import corpora
from tests.core import laws
from tests.core.configurations import CONTEXTS, configs, contexts
from tests.core.counting import calls_of
from tests.core.laws import Case, require_laws
from tests.core.nested import NESTED, PACKED, nested_texts
from tests.strategies import any_markdown

MOST = 2.6  # times the work, for twice the input
SHAPES: dict[str, Callable[[int], str]] = {
    "sections side by side": lambda size: "a {\n  x = 1\n}\n" * size,
    "sections without a body": lambda size: "a {\n}\n" * size,
    "sections in sections": lambda size: "a {\n" * size + "x\n" + "}\n" * size,
    "sections that stay open": lambda size: "a {\nx\n" * size,
    "own text between": lambda size: "a {\n" + "x\nb {\ny\n}\n" * size + "}\n",
    "statements": lambda size: "x\n" * size,
    "one statement": lambda size: "x\n" + "|y\n" * size,
    "brackets": lambda size: "a {\nx\n" + "}\n" * size,
    "comments": lambda size: "# a\n" * size + "a {\nx\n}\n",
}
each_format = pytest.mark.parametrize("kind", [NESTED, PACKED], ids=["sections", "fitting"])
each_shape = pytest.mark.parametrize("shape", SHAPES)


@given(nested_texts(), configs(), contexts(), st.sampled_from((NESTED, PACKED)))
def test_a_format_of_the_users_own_keeps_all_laws(
    text: str, config: ChunkConfig, context: Context | None, kind: Format
) -> None:
    """Own text before, between and after subsections, brackets, and what is left open."""
    require_laws(Case(text, config, context=context, format=kind))


@given(any_markdown(), configs(), contexts())
def test_plain_text_keeps_all_laws(text: str, config: ChunkConfig, context: Context | None) -> None:
    """Whatever the text looks like, it is one section."""
    case = Case(text, config, context=context, format=TEXT)
    require_laws(case)
    assert {chunk.section.path for chunk in case.leaves} <= {()}


@pytest.mark.no_cover
def test_corpus_of_plain_text_keeps_all_laws() -> None:
    """The laws hold for files as they are found."""
    paths = corpora.corpus_paths("*.txt")
    if not paths:
        pytest.skip(f"no corpus in {corpora.SHARED}")
    for path in paths:
        for config in (ChunkConfig(), ChunkConfig(max_chunk_size=100, length_function=laws.tokens)):
            for context in (None, CONTEXTS[-1]):
                require_laws(Case(corpora.read(path), config, path.name, context, TEXT))


@each_format
def test_a_thousand_levels(kind: Format) -> None:
    """Of nested sections 64 have paths; what is deeper is of the innermost, and nothing is lost."""
    text = "a {\n" * 1000 + "x = 1\n" + "}\n" * 1000
    case = Case(text, ChunkConfig(max_chunk_size=200), format=kind)
    require_laws(case)
    assert max(len(chunk.section.path) for chunk in case.leaves) == 64
    assert max(entry.level for entry in case.result.toc()) == 64


@pytest.mark.no_cover
@each_format
@each_shape
def test_l8_calls_are_linear(shape: str, kind: Format) -> None:
    """Twice the input makes about twice as many calls."""
    chunker = Chunker(ChunkConfig(max_chunk_size=32), CONTEXTS[1], formats=[kind])
    one, two = (
        calls_of(partial(chunker.chunk_hierarchical, SHAPES[shape](size), kind.name))
        for size in (150, 300)
    )
    assert two < MOST * one
