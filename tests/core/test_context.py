"""Contexts: what is embedded before contents, how much of it, and what it never costs."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from itertools import accumulate, cycle, product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkana_core import (
    Chunk,
    ChunkConfig,
    ConfigurationError,
    Context,
    InputTypeError,
    MarkdownChunker,
)
from chunkana_core.context.context import ContextWriter
from chunkana_core.formats.markdown.parser import parse_markdown
from chunkana_core.sizing import Sizer
from chunkana_explain import explain
from tests import corpora
from tests.core import laws
from tests.core.configurations import CONTEXTS, configs, contexts
from tests.core.laws import Case, lawful, require
from tests.strategies import any_markdown

Measure = Callable[[str], int]
ABOUT = "This guide says how tea is made in a small kitchen."
TEXT = f"# Tea\n\n{ABOUT}\n\n## Green\n\nKind.\n\n### Water\n\nNot too hot.\n"
BREADCRUMB = Context(introduction=False)
FEWER = settings(max_examples=settings().max_examples // 3)  # each chunks twice


def chunked(text: str, context: Context | None, **options: object) -> list[Chunk]:
    """Return the leaves, of which all laws hold; each section is one where it fits."""
    return lawful(text, context, **{"min_chunk_size": 0, **options}).leaves


def last_context(text: str, context: Context | None, **options: object) -> str:
    """Return the context of the last leaf."""
    return chunked(text, context, **options)[-1].context


# What a context is made of


@pytest.mark.parametrize(
    ("context", "expected"),
    [
        (None, ""),
        (Context(), f"Tea > Green > Water\n\n{ABOUT}"),
        (Context("tea.md"), f"tea.md > Tea > Green > Water\n\n{ABOUT}"),
        (Context(introduction=False), "Tea > Green > Water"),
        (Context("tea.md", introduction=False), "tea.md > Tea > Green > Water"),
        (Context(breadcrumb=False), ABOUT),
        (Context("tea.md", breadcrumb=False), f"tea.md\n\n{ABOUT}"),
        (Context("tea.md", breadcrumb=False, introduction=False), "tea.md"),
        (Context(breadcrumb=False, introduction=False), ""),
        (Context(reserved="source: tea.md\n"), f"Tea > Green > Water\n\n{ABOUT}"),
    ],
)
def test_embedded_text_is_context_and_content(context: Context | None, expected: str) -> None:
    """Label and breadcrumb, introduction, content; nothing of what is reserved."""
    first, _, last = chunked(TEXT, context)
    assert last.context == expected
    assert last.embedded == (f"{expected}\n\n{last.content}" if expected else last.content)
    assert last.size == len(last.embedded)
    assert ABOUT not in first.context
    assert last.metadata.get("context") is None


def test_a_content_is_the_same_with_a_context_and_without() -> None:
    """Where all fits; and so is all else but the size."""
    alone, below = chunked(TEXT, None), chunked(TEXT, Context())
    for one, other in zip(alone, below, strict=True):
        assert (one.content, one.span, one.links) == (other.content, other.span, other.links)
        assert other.metadata == one.metadata | {"size": other.size}
        assert other.size == one.size + len(other.context) + 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # the document's title is not repeated
        ("# Tea\n\n## Green\n\nx\n", "Tea > Green"),
        ("---\ntitle: Tea\n---\n\n## Green\n\nx\n", "Tea > Green"),
        ("---\ntitle: Tea\n---\n\n# Tea\n\n## Green\n\nx\n", "Tea > Green"),
        ("---\ntitle: T\n---\n\n# Tea\n\nx\n\n# Green\n\nx\n", "T > Green"),
        ("<h1>T</h1>\n\n# Tea\n\nx\n\n# Green\n\nx\n", "T > Green"),
        ("# Tea\n\n## Tea\n\nx\n", "Tea > Tea"),  # a section of that name is another
        ("# Tea\n\nx\n", "Tea"),
        ("x\n\n# Tea\n\n## Green\n", "Tea > Green"),
        # several titles stand side by side
        ("# Tea\n\n# Green\n\ny\n\n## Leaf\n\nx\n", "Green > Leaf"),
        # nothing stands for a title that is not there
        ("x\n", ""),
        ("## Green\n\nx\n", "Green"),
        ("---\na: b\n---\n\nx\n", ""),
        ("#\n\nx\n", ""),
        ("# Tea\n\n##\n\ny\n\n### Water\n\nx\n", "Tea > Water"),
    ],
)
def test_breadcrumbs(text: str, expected: str) -> None:
    """They are the titles around a leaf, with a label before them."""
    assert last_context(text, BREADCRUMB) == expected
    labelled = f"a.md > {expected}" if expected else "a.md"
    assert last_context(text, Context("a.md", introduction=False)) == labelled


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        (" of\n\tthe  kitchen ", "of the kitchen > Tea > Green"),
        (" Tea\n", "Tea > Green"),  # which is the title
        ("Green", "Green > Tea > Green"),
        (" \n", "Tea > Green"),
    ],
)
def test_labels(label: str, expected: str) -> None:
    """They stand on one line, before the title, and do not repeat it."""
    assert last_context("# Tea\n\n## Green\n\nx\n", Context(label)) == expected


# How large it is


def utf8(text: str) -> int:
    """Count bytes."""
    return len(text.encode("utf-8", "surrogatepass"))


def marked(text: str) -> int:
    """Count as tokenizers do that add a mark to both ends of every text."""
    return laws.tokens(text) + 2


@pytest.mark.no_cover
def test_sizes_by_measures_that_count_more_for_a_text() -> None:
    """What is embedded fits with what is reserved, and what is before a content takes half."""
    cases = cycle(product(filter(None, CONTEXTS), (utf8, marked), (64, 300), ("keep", "split")))
    for sample, (context, length, limit, atoms) in zip(
        corpora.own_documents(), cases, strict=False
    ):
        options = {"max_chunk_size": limit, "atomic_blocks": atoms}
        config = ChunkConfig.from_dict(options, length)
        case = Case(sample.text, config, sample.name, context)
        require(laws.size_within_limit, case)
        require(laws.contexts_sound, case)


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        (410, f"Tea > Green > Water\n\n{ABOUT}"),
        (148, "Tea > Green > Water"),
        (42, "Tea > Green > Water"),
        (41, "Green > Water"),
        (33, "Green > Water"),
    ],
)
def test_the_introduction_goes_first_then_the_outermost_titles(limit: int, expected: str) -> None:
    """With what follows it, a context takes half of the limit at most."""
    text = TEXT.replace("Not too hot.", "x")
    assert last_context(text, Context(), max_chunk_size=limit) == expected


@pytest.mark.parametrize(
    ("context", "limit", "expected"),
    [
        (BREADCRUMB, 76, "abc"),
        (BREADCRUMB, 75, "bc"),
        (BREADCRUMB, 50, "bc"),
        (BREADCRUMB, 49, "c"),
        (Context(reserved="12345", introduction=False), 86, "abc"),
        (Context(reserved="12345", introduction=False), 85, "bc"),
        (Context(reserved="12345", introduction=False), 34, "c"),
        (Context(reserved="12345", introduction=False), 33, ""),
        (Context("l" * 10, introduction=False), 102, "labc"),  # which is the outermost of titles
        (Context("l" * 10, introduction=False), 101, "abc"),
    ],
)
def test_half_of_the_limit_is_for_the_content(context: Context, limit: int, expected: str) -> None:
    """Reserved text counts; titles of ten letters go one by one, the outermost first."""
    text = "".join(f"{'#' * n} {title * 10}\n\nx\n\n" for n, title in enumerate("abc", 1))
    titles = " > ".join(letter * 10 for letter in expected)
    assert last_context(text, context, max_chunk_size=limit) == titles


# What it never costs


def test_as_much_of_a_context_is_kept_as_fits_with_an_atom() -> None:
    """The introduction goes first, then the outermost titles; an oversize atom has a breadcrumb."""
    found = []
    for size in range(60, 201):
        text = f"# Tea\n\n{ABOUT}\n\n## Green\n\n```\n{'x' * (size - 8)}\n```\n"
        *_, last = chunked(text, Context("a.md"), max_chunk_size=200)
        found.append((last.context, last.oversize_reason))
    breadcrumb = "a.md > Tea > Green"
    *kept, over = dict.fromkeys(found)
    assert [context.partition("\n")[0] for context, _ in kept[-4:]] == [
        *(breadcrumb, "Tea > Green", "Green", "")
    ]
    assert {reason for _, reason in kept} == {None}
    assert over == (breadcrumb, "code_block_integrity")


def test_code_whose_fence_leaves_no_room_beside_a_context_is_parted_all_the_same() -> None:
    fence = "`" * 25
    text = f"# {'T' * 46}\n\n{fence}\n" + "x = 1\n" * 40 + f"{fence}\n"
    parts = chunked(text, BREADCRUMB, max_chunk_size=100, atomic_blocks="split")
    assert all(part.oversize_reason is None for part in parts)


# L6


def worded(sizes: list[int], at: int) -> str:
    """Return words of so many letters, the first ones a sentence; all texts are of one length."""
    text = " ".join("w" * size for size in sizes)
    ends = [*accumulate(size + 1 for size in sizes)]
    end = ends[at % (len(ends) - 1)] - 1
    return f"{text[: end - 1]}.{text[end:]}".replace(". w", ". W") + "."


@FEWER
@given(
    any_markdown(),
    configs(),
    contexts().filter(bool),
    st.lists(st.integers(2, 9), min_size=9, max_size=12),
    st.data(),
)
def test_wording_of_an_introduction_moves_no_cut(
    text: str, config: ChunkConfig, context: Context, sizes: list[int], data: st.DataObject
) -> None:
    """A paragraph in which other words are a sentence leaves all cuts below where they were."""
    paragraphs = [worded(sizes, data.draw(st.integers(0, 11))) for _ in range(2)]
    if config.length_function(paragraphs[0]) > config.max_chunk_size // 2:
        return  # then it is cut itself, where its sentences are
    spans = [
        [chunk.span for chunk in MarkdownChunker(config, context).chunk(f"{first}\n\n{text}")]
        for first in paragraphs
    ]
    assert spans[0] == spans[1]


# How it is asked for


def test_a_call_may_have_a_context_of_its_own() -> None:
    """It replaces that of the chunker, all of it, for one document."""
    chunker = MarkdownChunker(ChunkConfig(min_chunk_size=0), Context("of all", introduction=False))
    of_one = Context("of one", breadcrumb=False)
    assert chunker.chunk(TEXT)[-1].context == "of all > Tea > Green > Water"
    assert chunker.chunk(TEXT, context=of_one)[-1].context == f"of one\n\n{ABOUT}"
    result = chunker.chunk_hierarchical(TEXT, context=of_one)
    assert result.get_leaves()[-1].context == f"of one\n\n{ABOUT}"
    assert chunker.chunk(TEXT, context=None)[-1].context == "of all > Tea > Green > Water"
    empty = Context(breadcrumb=False, introduction=False)
    assert chunker.chunk(TEXT, context=empty) == MarkdownChunker(chunker.config).chunk(TEXT)


@pytest.mark.parametrize(
    ("name", "values", "allowed"),
    [
        ("label", [3, b"x", ["x"], True], "None or a str"),
        ("reserved", [3, b"x", ["x"], None], "a str"),
        ("breadcrumb", [None, 1, "yes"], "True or False"),
        ("introduction", [None, 1, "yes"], "True or False"),
    ],
)
def test_arguments_are_checked(name: str, values: list[Any], allowed: str) -> None:
    for value in values:
        with pytest.raises(InputTypeError) as caught:
            Context(**{name: value})
        assert str(caught.value) == f"{name} is {value!r}; allowed: {allowed}"


@pytest.mark.parametrize(
    ("measure", "most"), [(len, 50), (lambda text: len(text) + 7, 50), (utf8, 25)]
)
def test_what_is_reserved_is_half_of_the_limit_at_most(measure: Measure, most: int) -> None:
    """More is refused, by an error with all of it; what a measure adds to all texts is none."""
    chunker = MarkdownChunker(ChunkConfig(max_chunk_size=100, length_function=measure))
    text, letter = "# Tea\n\nBoil it.\n", "é" if measure is utf8 else "x"
    (chunk,) = chunker.chunk(text, context=Context(reserved=letter * most))
    assert chunk.context == ""
    reserved = letter * (most + 1)
    for call in (
        lambda: chunker.chunk(text, context=Context(reserved=reserved)),
        lambda: MarkdownChunker(chunker.config, Context(reserved=reserved)).chunk(text),
        lambda: chunker.chunk("", context=Context(reserved=reserved)),
        lambda: explain(text, chunker.config, context=Context(reserved=reserved)),
    ):
        with pytest.raises(ConfigurationError) as caught:
            call()
        allowed = "a text of at most 50, half of max_chunk_size"
        assert str(caught.value) == f"reserved is {reserved!r}; allowed: {allowed}"
        assert (caught.value.field, caught.value.value) == ("reserved", reserved)


def test_contexts_are_values() -> None:
    """Frozen, compared by what they hold, and passed between processes."""
    context = Context("a.md", reserved="x")
    assert context == Context("a.md", reserved="x") != Context("a.md")
    assert len({context, Context("a.md", reserved="x")}) == 1
    assert pickle.loads(pickle.dumps(context)) == context  # noqa: S301
    assert not hasattr(context, "__dict__")
    with pytest.raises(FrozenInstanceError):
        context.label = "b.md"  # type: ignore[misc]


def test_a_long_title_is_measured_once() -> None:
    """Not for each of the leaves below it."""
    asked: list[str] = []

    def length(text: str) -> int:
        asked.append(text)
        return len(text)

    document = parse_markdown(f"# {'T' * 90}\n\n" + "## A\n\nx\n\n" * 50)
    writer = ContextWriter(document, Sizer(length, 1000), BREADCRUMB)
    asked.clear()
    limits = {writer.content_limit_in(section.path) for section in document.sections[2:]}
    assert limits == {1000 - len(f"{'T' * 90} > A\n\n")}
    assert len(asked) == 1
