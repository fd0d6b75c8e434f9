"""The laws hold for plain text, and for a format of the user's own, with own text anywhere."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkana_core import ChunkConfig, Context
from chunkana_core.extending import Format
from chunkana_core.formats.registry import TEXT
from tests import corpora
from tests.core import laws
from tests.core.configurations import CONTEXTS, configs, contexts
from tests.core.laws import Case, require_laws
from tests.core.nested import NESTED, PACKED, nested_texts
from tests.strategies import any_markdown

each_format = pytest.mark.parametrize("kind", [NESTED, PACKED], ids=["sections", "fitting"])


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
