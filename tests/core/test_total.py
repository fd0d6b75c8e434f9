"""L9: chunking never raises on any str; wrong arguments raise errors that say what is allowed."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
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
    "text",
    [
        "",
        " ",
        "\n",
        "\r",
        "\t\n \u3000\r\n",
        "\x0b\x0c\x1c\x85\u2028",
    ],
    ids=repr,
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
        "# A",
        "#",
        "# A\n## B\n### C\n",
        "\0",
        "# \0\n\ntext\0text\n",
        "\ud800",
        "# \udfff\n\n\ud800 text \udc00\n\n```\ud83d\n\udc00\n```\n",
        "\ufeff",
        "\ufeff\ufeff# A\n",
        "---",
        "---\n---",
        "---\n...",
        "---\n\n...\ntext",
        "$$",
        "$",
        "[",
        "[^",
        "[^]:",
        "[^1]:",
        "|",
        "|-",
        "a\n|-|",
        "```",
        "~~~\n",
        ">",
        "-",
        "- ",
        "1.",
        "<",
        "<!--",
        "\\",
        "&",
        "    ",
        "\t",
        "    x",
        "=",
        "-\n=\n",
        "\U0010ffff",
    ],
    ids=ascii,
)
def test_l9_small_texts(text: str) -> None:
    """Pieces of syntax, controls and half characters are chunked like any text."""
    for config in (ChunkConfig(), ChunkConfig(max_chunk_size=32, atomic_blocks="split")):
        for law in laws.ALL:
            law(Case(text, config))


@pytest.mark.parametrize("size", [1_000_000, pytest.param(10_000_000, marks=pytest.mark.slow)])
def test_l9_a_line_of_megabytes(size: int) -> None:
    """A line of 10 MB is cut between words."""
    text = "lorem ipsum " * (size // 12)
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
        (MarkdownChunker().chunk, "text"),
        (MarkdownChunker().chunk_hierarchical, "text"),
        (core.chunk_markdown, "text"),
        (core.chunk_hierarchical, "text"),
        (core.analyze_markdown, "text"),
        (lambda text: HierarchyBuilder().build([], text), "original_text"),
        (lambda text: core.validate_content_coverage([], text), "text"),
        (lambda text: InvariantValidator(ChunkConfig()).validate([], text), "text"),
    ],
    ids=[
        "chunk",
        "chunk_hierarchical",
        "chunk_markdown",
        "chunk_hierarchical()",
        "analyze_markdown",
        "build",
        "validate_content_coverage",
        "validate",
    ],
)
def test_l9_what_is_no_text(call: Callable[[Any], object], field: str, wrong: object) -> None:
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


@pytest.mark.parametrize("wrong", [None, {}, 1000, "auto"], ids=repr)
def test_l9_what_is_no_configuration(wrong: object) -> None:
    """A chunker and a validator take a ChunkConfig and nothing else."""
    with pytest.raises(ConfigurationError, match=r"config is .*; allowed: a ChunkConfig"):
        MarkdownChunker(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [[3], ["structural"], [FallbackStrategy]], ids=repr)
def test_l9_what_is_no_strategy(wrong: object) -> None:
    """Strategies are instances of BaseStrategy; the error names the position of another object."""
    with pytest.raises(ConfigurationError, match=r"strategies.*; allowed: a BaseStrategy"):
        MarkdownChunker(strategies=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [None, 5, FallbackStrategy()], ids=["None", "5", "one"])
def test_l9_what_are_no_strategies(wrong: object) -> None:
    """A strategy alone, or None, is no iterable of strategies."""
    with pytest.raises(ConfigurationError):
        MarkdownChunker(strategies=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", ["breadcrumb", 5, Context, {"label": "a"}], ids=repr)
def test_l9_what_is_no_context(wrong: Any) -> None:  # noqa: ANN401
    """A chunker and its calls take a Context or None, and nothing else."""
    for call in (
        lambda: MarkdownChunker(ChunkConfig(), wrong),
        lambda: MarkdownChunker().chunk("# A\n\nText.\n", context=wrong),
        lambda: MarkdownChunker().chunk_hierarchical("# A\n\nText.\n", context=wrong),
    ):
        with pytest.raises(InputTypeError) as caught:
            call()
        assert (caught.value.field, caught.value.value) == ("context", wrong)
        assert caught.value.allowed == "None or a Context"


@pytest.mark.parametrize(
    "options",
    [
        {"max_parent_size": 0},
        {"max_parent_size": "4000"},
        {"max_children": 1},
        {"max_children": None},
    ],
    ids=repr,
)
def test_l9_wrong_options_of_the_merge_tree(options: dict[str, Any]) -> None:
    """The merge tree's options are checked like the others, for blank documents too."""
    (field,) = options
    for text in ("# A\n\nText.\n", ""):
        with pytest.raises(ConfigurationError) as caught:
            MarkdownChunker().chunk_hierarchical(text).merge_tree(**options)
        assert caught.value.field == field


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
