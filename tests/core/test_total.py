"""L9: chunking never raises on any str; wrong arguments raise errors that say what is allowed."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import chunkana_core as core
from chunkana_core import (
    ChunkanaError,
    ChunkConfig,
    ConfigurationError,
    Context,
    HierarchyBuilder,
    InputTypeError,
    InvariantValidator,
    MarkdownChunker,
)
from chunkana_core.drafting.strategies import FallbackStrategy
from tests.core import laws
from tests.core.configurations import ATOMS, configs
from tests.core.laws import Case


@pytest.mark.parametrize(
    "text", ["", " ", "\n", "\r", "\t\n \u3000\r\n", "\x0b\x0c\x1c\x85\u2028"], ids=repr
)
def test_l9_blank_text_has_no_chunks(text: str) -> None:
    """Where there is nothing to read there are no chunks, and no root."""
    result = MarkdownChunker().chunk_hierarchical(text)
    assert result.chunks == ()
    assert result.root_id == ""
    assert result.text == text
    assert result.get_flat_chunks() == result.get_leaves() == []
    assert result.toc() == []
    assert list(result.walk()) == result.get_by_level(0) == []
    assert result.to_tree_dict() == {}
    assert result.merge_tree().nodes == ()
    assert MarkdownChunker().chunk(text) == []


@pytest.mark.parametrize(
    "text",
    [
        *("# A", "#", "# A\n## B\n### C\n", "-\n=\n", "=", "---", "---\n---", "---\n..."),
        *("---\n\n...\ntext", "$$", "$", "[", "[^", "[^]:", "[^1]:", "|", "|-", "a\n|-|"),
        *("```", "~~~\n", ">", "-", "- ", "1.", "<", "<!--", "\\", "&", "    ", "\t", "    x"),
        *("\0", "# \0\n\ntext\0text\n", "\U0010ffff", "\ufeff", "\ufeff\ufeff# A\n", "\ud800"),
        "# \udfff\n\n\ud800 text \udc00\n\n```\ud83d\n\udc00\n```\n",
    ],
    ids=ascii,
)
def test_l9_small_texts(text: str) -> None:
    """Pieces of syntax, controls and half characters are chunked like any text."""
    for config in (ChunkConfig(), ChunkConfig(max_chunk_size=32, atomic_blocks="split")):
        laws.require_laws(Case(text, config))


def test_l9_a_line_of_a_megabyte() -> None:
    """It is cut between words."""
    text = "lorem ipsum " * 80_000
    chunks = MarkdownChunker(ChunkConfig(max_chunk_size=4000)).chunk(text)
    assert sum(len(c.text.split()) for c in chunks) == len(text.split())
    assert max(len(c.content) for c in chunks) <= 4000
    assert all(c.text.startswith(("lorem", "ipsum")) for c in chunks)


@pytest.mark.parametrize("mark", [">", "> ", "- ", "1. ", "> - "])
def test_l9_5000_nested_containers(mark: str) -> None:
    """Thousands of containers inside each other are chunked, with what follows them."""
    text = mark * 5000 + "deep\n\n# After\n\nText.\n"
    result = MarkdownChunker().chunk_hierarchical(text)
    assert [(e.title, e.line) for e in result.toc()] == [("After", 3)]
    assert result.get_leaves()[-1].text == "# After\n\nText."
    laws.nothing_lost(Case(text, ChunkConfig()))
    laws.size_within_limit(Case(mark * 120 + "deep\n\n# After\n\nText.\n", ChunkConfig()))


def test_l9_5000_quoted_lines_each_one_deeper() -> None:
    """A staircase of quotes is chunked; what follows it is read."""
    text = "".join(">" * n + " x\n" for n in range(1, 500)) + "\n# After\n\nText.\n"
    assert MarkdownChunker().chunk_hierarchical(text).toc()[-1].title == "After"


@given(st.text(), configs())
def test_l9_any_text_at_all(text: str, config: ChunkConfig) -> None:
    MarkdownChunker(config).chunk_hierarchical(text).merge_tree()


@given(st.text(st.characters(exclude_categories=()), max_size=60))
def test_l9_any_code_points(text: str) -> None:
    """Surrogates and unassigned code points too: ids, metadata, tree and merge tree are made."""
    result = MarkdownChunker(ChunkConfig(validation="strict")).chunk_hierarchical(text)
    assert [chunk.metadata["chunk_id"] for chunk in result.walk()] == [
        chunk.chunk_id for chunk in result.chunks
    ]
    result.to_tree_dict()
    json.dumps(result.to_dict(), allow_nan=False)
    result.merge_tree()


_NOT_TEXT: tuple[Any, ...] = (None, b"# A", 3, ["# A"], object)


@pytest.mark.parametrize("wrong", _NOT_TEXT, ids=repr)
@pytest.mark.parametrize(
    ("call", "field"),
    [
        pytest.param(MarkdownChunker().chunk, "text", id="chunk"),
        pytest.param(MarkdownChunker().chunk_hierarchical, "text", id="tree"),
        pytest.param(core.chunk_markdown, "text", id="chunk_markdown"),
        pytest.param(core.chunk_hierarchical, "text", id="chunk_hierarchical"),
        pytest.param(core.analyze_markdown, "text", id="analyze_markdown"),
        pytest.param(partial(HierarchyBuilder().build, []), "original_text", id="build"),
        pytest.param(partial(core.validate_content_coverage, []), "text", id="coverage"),
        pytest.param(
            partial(InvariantValidator(ChunkConfig()).validate, []), "text", id="validate"
        ),
    ],
)
def test_l9_other_types_than_str_are_errors(
    call: Callable[[Any], object], field: str, wrong: object
) -> None:
    """Anything but a str is refused by an error that is a ConfigurationError and a TypeError."""
    with pytest.raises(InputTypeError) as caught:
        call(wrong)
    assert isinstance(caught.value, ConfigurationError)
    assert isinstance(caught.value, TypeError)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, ChunkanaError)
    assert (caught.value.field, caught.value.value) == (field, wrong)
    assert str(caught.value) == f"{field} is {wrong!r}; allowed: a str"
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301  # pickled here
    assert (type(again), str(again)) == (InputTypeError, str(caught.value))


_NO_CONFIGS: tuple[Any, ...] = (None, {}, 1000, "auto")
_NO_STRATEGIES: tuple[Any, ...] = ([3], ["structural"], [FallbackStrategy], None, 5)


@pytest.mark.parametrize(
    ("call", "field", "wrong"),
    [
        *((MarkdownChunker, "config", wrong) for wrong in _NO_CONFIGS),
        *(
            (lambda given: MarkdownChunker(strategies=given), "strategies", wrong)
            for wrong in (*_NO_STRATEGIES, FallbackStrategy())
        ),
        *(
            (call, "context", wrong)
            for wrong in ("breadcrumb", 5, Context, {"label": "a"})
            for call in (
                partial(MarkdownChunker, ChunkConfig()),
                lambda context: MarkdownChunker().chunk("# A", context=context),
                lambda context: MarkdownChunker().chunk_hierarchical("# A", context=context),
            )
        ),
    ],
)
def test_l9_wrong_types(call: Callable[[Any], object], field: str, wrong: object) -> None:
    """A chunker and its calls take a ChunkConfig, instances of BaseStrategy, a Context or None."""
    with pytest.raises(ConfigurationError, match=rf"^{field}.* is .*; allowed: ") as caught:
        call(wrong)
    assert caught.value.field.startswith(field)


def test_l9_strategy_that_does_not_exist() -> None:
    """A name that no strategy has is refused, with the names that there are."""
    chunker = MarkdownChunker(ChunkConfig(strategy="semantic"))
    allowed = "auto, code_aware, structural, fallback"
    with pytest.raises(ConfigurationError, match=f"strategy is 'semantic'; allowed: {allowed}"):
        chunker.chunk("# A\n\nText.\n")


@pytest.mark.parametrize("measure", [lambda _: None, lambda _: "3"])
def test_l9_a_measure_that_gives_no_number(measure: object) -> None:
    """A length function that gives something else than a whole number is named in the error."""
    with pytest.raises(InputTypeError) as caught:
        ChunkConfig(length_function=measure)  # type: ignore[arg-type]
    assert caught.value.field == "length_function"


@pytest.mark.parametrize("measure", [lambda _: 0, lambda _: 5000])
def test_l9_a_measure_that_makes_no_sense(measure: Callable[[str], int]) -> None:
    """Whatever a length function gives, chunking ends, and nothing is lost."""
    text = "# A\n\n" + "Some text. " * 30 + "\n\n- a\n- b\n\n```\nx\n```\n"
    for atoms in ATOMS:
        config = ChunkConfig(length_function=measure, atomic_blocks=atoms)
        laws.nothing_lost(Case(text, config))
