"""`assemble`: what is read of hits, case by case; `test_assembly_laws.py` has what always holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from chunkana_core import (
    ChunkConfig,
    ConfigurationError,
    Source,
    Span,
    chunk_hierarchical,
    chunk_markdown,
)
from chunkana_retrieval import Hit, Passage, assemble, assemble_mixed
from chunkana_retrieval.reading import layout
from chunkana_retrieval.reading.layout import Slice, lay_out
from tests.retrieval.searches import handed_over, leaves

TEA = """# Tea

Boil water. It takes a while.

## Green

Wait for 80 degrees. Then pour it over the leaves, and wait for two minutes more, or three.

### Sencha

Only one minute.

## Black

Do not wait. Pour at once.
"""
TABLE = "# Sizes\n\n| name | size |\n|---|---|\n" + "".join(
    f"| part number {n} | {n}00 |\n" for n in range(9)
)
CODE = (
    "# Use\n\n- Run this:\n\n  ```python\n"
    + "".join(f"  call({n})\n" for n in range(9))
    + "  ```\n"
)
MATH = "# Sum\n\n$$\n" + "".join(f"a_{n} + b_{n} +\n" for n in range(19)) + "c\n$$\n"


def read(text: str, chosen: Sequence[int], budget: int = 10_000, size: int = 100) -> str:
    """Return what is handed over of some leaves of a document, best first."""
    hits = leaves(text, size)
    return handed_over(assemble([hits[n] for n in chosen], budget, sources={"a.md": text}))


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        pytest.param([0], "# Tea\n\nBoil water. It takes a while.", id="its own heading"),
        pytest.param([3], "Tea > Green\n\n### Sencha\n\nOnly one minute.", id="titles above"),
        pytest.param(
            [4, 3],
            "Tea > Green\n\n### Sencha\n\nOnly one minute.\n\n## Black\n\n"
            "Do not wait. Pour at once.",
            id="neighbours are one slice",
        ),
        pytest.param(
            [0, 4],
            "# Tea\n\nBoil water. It takes a while.\n\n…\n\n## Black\n\nDo not wait. Pour at once.",
            id="the titles of what follows have been read",
        ),
        pytest.param(
            [2, 4],
            "Tea > Green\n\nThen pour it over the leaves, and wait for two minutes more, or three."
            "\n\nTea\n\n## Black\n\nDo not wait. Pour at once.",
            id="other titles are another passage",
        ),
        pytest.param(
            [1, 4],
            "Tea\n\n## Green\n\nWait for 80 degrees.\n\n…\n\n"
            "## Black\n\nDo not wait. Pour at once.",
            id="the same titles are said once",
        ),
        pytest.param([0, 1, 2, 3, 4], TEA.rstrip(), id="a whole document is itself"),
    ],
)
def test_passages_are_read_under_their_titles(chosen: list[int], expected: str) -> None:
    assert read(TEA, chosen) == expected


@pytest.mark.parametrize(
    ("text", "chosen", "lead", "last"),
    [
        pytest.param(TABLE, 1, "| name | size |\n|---|---|\n| part", " |", id="header rows"),
        pytest.param(CODE, 1, "  ```python\n  call", ")\n  ```", id="fences in lists"),
        pytest.param(MATH, 1, "$$\na_", "+\n$$", id="math"),
    ],
)
def test_what_starts_inside_a_block_has_its_header_and_ends_with_its_fence(
    text: str, chosen: int, lead: str, last: str
) -> None:
    said = read(text, [chosen])
    _, _, body = said.partition("\n\n")
    assert body.startswith(lead)
    assert said.endswith(last)


@pytest.mark.parametrize("text", [TABLE, CODE, MATH])
def test_what_follows_the_start_of_its_block_repeats_nothing(text: str) -> None:
    assert read(text, range(len(leaves(text)))) == text.rstrip()


@pytest.mark.parametrize(
    ("budget", "expected"),
    [
        (24, "# Tea\n\nBoil water."),
        (18, "# Tea\n\nBoil water."),
        (17, "# Tea\n\nBoil"),
        (10, "# Tea"),
        (4, ""),
        (0, ""),
    ],
)
def test_the_first_is_cut_after_a_sentence_or_else_a_word(budget: int, expected: str) -> None:
    assert read(TEA, [0], budget) == expected


def test_the_next_is_left_out_where_not_a_sentence_of_it_fits() -> None:
    first = read(TEA, [3])
    assert read(TEA, [3, 0], len(first) + 15) == first
    assert read(TEA, [3, 0], len(first) + 22) == f"# Tea\n\nBoil water.\n\n{first}"


def test_what_is_cut_in_code_ends_with_the_fence() -> None:
    assert read("```python\na = 1\nb = 2\n```\n", [0], 20) == "```python\na = 1\n```"


SAID = ("it is here. " * 5, "no.", "and there. " * 5)
GAPS = "".join(f"Part {n}: {words}\n\n" for n, words in enumerate(SAID))


def parts() -> list[Hit]:
    """Return three neighbours, the second short."""
    starts = [0, GAPS.index("Part 1"), GAPS.index("Part 2"), len(GAPS)]
    spans = [Span(a, len(GAPS[:b].rstrip())) for a, b in pairwise(starts)]
    path = ("On the size of parts",)
    return [
        Hit(str(n), 1.0, None, "a.md", span=span, path=path, start_line=2 * n + 1,
            text=GAPS[span.start : span.end])
        for n, span in enumerate(spans)
    ]  # fmt: skip


def test_a_gap_shorter_than_the_titles_is_filled_last() -> None:
    first, _, last = parts()
    sources = {"a.md": GAPS}
    (passage,) = assemble([first, last], 1000, sources=sources)
    assert passage.text == f"On the size of parts\n\n{GAPS.rstrip()}"
    assert passage.chunk_ids == ("0", "2")
    apart = f"On the size of parts\n\n{first.text}\n\n…\n\n{last.text}"
    (passage,) = assemble([first, last], len(apart), sources=sources)
    assert passage.text == apart


def test_a_gap_shorter_than_its_mark_is_filled() -> None:
    hits = [Hit("a", 1.0, span=Span(0, 4)), Hit("b", 1.0, span=Span(8, 12))]
    text = f"One. xx Two. {'z' * 50}"
    (passage,) = assemble(hits, 100, sources={"": text})
    assert passage.text == "One. xx Two."
    behind = Hit("c", 1.0, span=Span(8, len(text)))  # is left out, and is not in the gap
    (passage,) = assemble([*hits, behind], 20, sources={"": text})
    assert passage.text == "One. xx Two."


@pytest.mark.parametrize("k", [1, 2, 3])
def test_no_more_passages_than_wanted(k: int) -> None:
    assert len(assemble(leaves(TEA), 1000, k=k)) == k


def test_a_gap_that_was_found_is_not_filled_in_place_of_a_better_one() -> None:
    first, gap, last = parts()
    hits = [
        first,
        last,
        replace(gap, document_id="b.md", text="Long. " * 50, span=Span(0, 300)),
        gap,
    ]
    (passage, *_) = assemble(hits, 190, sources={"a.md": GAPS, "b.md": "Long. " * 50})
    assert "…" in passage.text


def test_without_sources_each_hit_is_a_passage_in_order() -> None:
    hits = leaves(TEA)
    passages = assemble([hits[4], hits[3], hits[0]], 1000)
    assert [passage.chunk_ids for passage in passages] == [
        (hits[0].node_id,), (hits[3].node_id,), (hits[4].node_id,),
    ]  # fmt: skip
    assert passages[2].text == "Tea\n\n## Black\n\nDo not wait. Pour at once."
    assert (passages[2].start_line, passages[2].end_line) == (13, 15)


def test_without_sources_what_overlaps_comes_once_and_code_is_opened_again() -> None:
    text = "```sh\nmake all\nmake test\nmake docs\n```\n"
    hits = [
        Hit("a", 2, span=Span(0, 14), text=text[:14]),
        Hit("b", 1, span=Span(6, 34), text=text[6:34], repeated="```sh\n"),
    ]
    first, second = assemble(hits, 1000)
    assert first.text == "```sh\nmake all\n```"
    assert second.text == "```sh\n\nmake test\nmake docs\n```"
    assert (second.spans, second.start_line) == ((Span(14, 34),), None)
    assert second.lines is None


def test_without_sources_the_rest_of_a_hit_has_its_own_line_and_needs_no_signature() -> None:
    text = "def brew():\n    boil()\n    wait()\n    pour()\n"
    path, signature = ("Tea", "brew"), "def brew():"
    hits = [
        Hit("a", 2, span=Span(0, 23), path=path, text=text[:23], format="python"),
        Hit("b", 1, span=Span(12, 45), path=path, text=text[12:45], start_line=2, format="python",
            signature=signature, contained_titles=1),
    ]  # fmt: skip
    _, rest = assemble(hits, 1000)
    assert rest.text == "Tea > brew\n\n    wait()\n    pour()\n"
    assert (rest.start_line, rest.end_line) == (3, 4)
    (whole,) = assemble(hits[1:], 1000)
    assert whole.text.startswith(f"Tea\n\n{signature}\n\n…\n\n    boil()")


def test_a_text_without_a_heading_is_not_read_under_that_of_another_section() -> None:
    texts = ["One.", "## Green\n\nTwo.", "Three.", "…………", "Four."]
    source = "\n\n".join(texts)
    paths = [("Tea",), ("Tea", "Green"), ("Tea", "Green"), (), ("Tea",)]
    hits = [
        Hit(str(n), 1.0, document_id="a", path=path, text=text,
            span=Span(source.index(text), source.index(text) + len(text)))
        for n, (text, path) in enumerate(zip(texts, paths, strict=True)) if path
    ]  # fmt: skip
    first, last = assemble(hits, 66, sources={"a": source})
    assert (first.chunk_ids, last.chunk_ids) == (("0", "1", "2"), ("4",))
    assert last.text == "Tea\n\nFour."


@pytest.mark.parametrize("heading", ["# Title", "Title\n====="])
def test_a_title_behind_a_byte_order_mark_is_said_once(heading: str) -> None:
    text = f"\ufeff{heading}\n\nOne is here. Two is here.\n"
    hits = [Hit.of_chunk(c, 1.0, "a.md") for c in chunk_hierarchical(text).get_flat_chunks()]
    (passage,) = assemble(hits, 1000, sources={"a.md": text})
    assert passage.text == text.rstrip()
    short = f"\ufeff{heading}\n\nOne is here."
    (passage,) = assemble(hits, len(short), sources={"a.md": text})
    assert passage.text == short


def test_a_hit_inside_another_is_named_and_adds_nothing() -> None:
    inner = Hit("inner", 2.0, span=Span(6, 10), text="many")
    outer = Hit("outer", 1.0, span=Span(0, 16), text="There are many.")
    (passage,) = assemble([inner, replace(outer, text="There many words")], 1000)
    assert passage.text == "There many words"
    assert passage.chunk_ids == ("outer", "inner")
    assert passage.score == 2.0


def test_a_passage_says_where_it_is_from() -> None:
    hits = leaves(TEA)
    (passage,) = assemble([hits[4], hits[3]], 1000, sources={"a.md": TEA})
    assert passage.document_id == "a.md"
    assert passage.spans == (Span(hits[3].span.start, hits[4].span.end),)
    assert (passage.start_line, passage.end_line) == (9, 15)
    assert passage.path == ("Tea",)
    assert passage.score == hits[4].score
    assert passage.chunk_ids == (hits[3].node_id, hits[4].node_id)
    in_cells = [replace(hits[4], cells=(3, 4)), replace(hits[3], cells=(1, 2))]
    (passage,) = assemble(in_cells, 1000, sources={"a.md": TEA})
    assert passage.cells == (1, 4)
    (passage,) = assemble([hits[4], in_cells[1]], 1000, sources={"a.md": TEA})
    assert passage.cells is None


@pytest.mark.parametrize(
    ("text", "path", "line"),
    [
        ("## A\n\nText.", ("T", "A"), "T"),
        ("## A {#id}\n\nText.", ("T", "A"), "T"),
        ("## *A* `b` ##\n\nText.", ("T", "A b"), "T"),
        ("A\n---\n\nText.", ("T", "A"), "T"),
        ("# T\n\n## A\n\n### B\n\nText.", ("T", "A"), ""),
        ("## A\n\n### B\n\nText.", ("T", "A"), "T"),
        ("## Other\n\nText.", ("T", "A"), "T > A"),
        ("## ?!\n\nText.", ("T", "?!"), "T"),
        ("##\n\nText.", ("T", "?!"), "T > ?!"),
        ("Text.", ("T", "A\nb"), "T > A b"),
        ("Text.", (), ""),
        ("## A\n\nText.", (), ""),
    ],
)
def test_titles_that_a_text_begins_with_are_not_said_above(
    text: str, path: tuple[str, ...], line: str
) -> None:
    (passage,) = assemble([Hit("a", 1, span=Span(0, len(text)), path=path, text=text)], 1000)
    assert passage.text == (f"{line}\n\n{text}" if line else text)


def test_the_title_of_a_document_is_put_before_paths_without_it() -> None:
    (chunk,) = chunk_markdown("## Green\n\nWait.\n")
    assert Hit.of_chunk(chunk, 1.0, title="Tea").path == ("Tea", "Green")
    assert Hit.of_chunk(chunk, 1.0, title="Green").path == ("Green",)
    assert Hit.of_chunk(chunk, 1.0).path == ("Green",)


HIT = Hit("x", 1.0, document_id="a.md", span=Span(0, 3), text="abc")


@pytest.mark.parametrize(
    ("field", "arguments"),
    [
        ("budget", {"budget": -1}),
        ("budget", {"budget": "many"}),
        ("hits", {"hits": [replace(HIT, span=Span(0, 0), text="")]}),
        ("hits", {"hits": [replace(HIT, span=Span(-3, -1))]}),
        ("hits", {"hits": [replace(HIT, text="ab")]}),
        ("sources", {"sources": {}}),
        ("sources", {"sources": {"a.md": "abd"}}),
        ("sources", {"sources": {"a.md": "ab"}, "hits": [replace(HIT, text="")]}),
    ],
)
def test_errors_name_the_argument(field: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError) as raised:
        assemble(**dict[str, Any](hits=[HIT], budget=100) | arguments)
    assert raised.value.field == field


def test_many_hits_are_measured_a_few_times() -> None:
    hits = [Hit(str(n), 1.0, str(n), str(n), span=Span(0, 5), text="Text.") for n in range(20_000)]
    measured: list[int] = []

    def length(text: str) -> int:
        measured.append(len(text))
        return len(text)

    assert len(assemble(hits, 700, length)) == 100
    assert len(measured) < 20
    assert max(measured) < 2 * 700


@pytest.mark.parametrize("is_joined", [True, False])
@pytest.mark.parametrize("budget", [0, 30, 100, 150, 300, 1000])
def test_each_passage_is_laid_out_once(
    monkeypatch: pytest.MonkeyPatch, budget: int, *, is_joined: bool
) -> None:
    """However many budgets are tried to find what fits, with cuts, gaps and texts of others."""
    laid_out: list[tuple[str, tuple[Span, ...]]] = []

    def counted(document_id: str, slices: Sequence[Slice], source: Source | None) -> Passage:
        laid_out.append((document_id, tuple(one.span for one in slices)))
        return lay_out(document_id, slices, source)

    monkeypatch.setattr(layout, "lay_out", counted)
    texts = {"tea": TEA, "gaps": GAPS, "table": TABLE}
    hits = [hit for name in texts for hit in leaves(texts[name], document_id=name)]
    found = [*hits[4::-2], *hits[5:], *hits[1:5:2]]
    mixed: list[Hit | str] = [*found[:2], "A text of others. " * 9, *found[2:], "Another."]
    sources = texts if is_joined else None
    passages = assemble(found, budget, sources=sources)
    assert len(laid_out) == len({*laid_out})
    assert {(one.document_id, one.spans) for one in passages} <= {*laid_out}
    laid_out.clear()
    assemble_mixed(mixed, budget, sources=sources, counted_text=lambda one: f"file\n{one.text}")
    assert len(laid_out) == len({*laid_out})


def test_a_parent_is_a_hit_too() -> None:
    result = chunk_hierarchical(TEA, ChunkConfig(min_chunk_size=0, max_chunk_size=100))
    (sencha,) = (leaf for leaf in result.get_leaves() if leaf.title == "Sencha")
    parent = result.get_parent(sencha.chunk_id)
    assert parent is not None
    hits = [Hit.of_chunk(chunk, 1.0, "a.md") for chunk in (sencha, parent)]
    (passage,) = assemble(hits, 1000)
    assert passage.text == f"Tea\n\n{parent.text}"
    assert passage.chunk_ids == (parent.chunk_id, sencha.chunk_id)
