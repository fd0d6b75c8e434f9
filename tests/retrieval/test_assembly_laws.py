"""What holds of all that `assemble` returns, whatever the hits, the budget and the measure are.

To make documents and their chunks takes longer than to assemble them: each search that is made is
asked for all laws.
"""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from chunkana_core import Source
from chunkana_retrieval import assemble
from tests.retrieval.searches import Measure, Search, found, handed_over, said, searches, shown


def tokens(text: str) -> int:
    """Count as tokenizers do: two for any text, and not as the sum of the parts."""
    return 2 + len(text.split()) + text.count("ab") // 2 - text.count("\n\n\n")


def bytes_of(text: str) -> float:
    return len(text.encode("utf-8", "surrogatepass")) / 3


MEASURES = st.sampled_from([len, tokens, bytes_of])
BUDGETS = st.one_of(st.integers(0, 120), st.integers(0, 2000))


def the_budget_is_never_exceeded(search: Search, budget: int, length: Measure) -> None:
    passages = search.assemble(budget, length)
    assert not passages or length(handed_over(passages)) <= budget


def texts_are_exact_slices_in_order_and_nothing_comes_twice(search: Search, budget: int) -> None:
    passages = search.assemble(budget)
    for passage in passages:
        at = 0
        for span in passage.spans:
            slice_ = search.sources[passage.document_id][span.start : span.end]
            at = passage.text.index(slice_, at) + len(slice_)
    spans = [(p.document_id, span) for p in passages for span in p.spans]
    for (document, before), (next_document, after) in pairwise(spans):
        assert document != next_document or before.end <= after.start
    order = list(dict.fromkeys(passage.document_id for passage in passages))
    best = list(dict.fromkeys(hit.document_id for hit in search.hits))
    assert order == best[: len(order)]


def more_budget_never_shows_less_of_what_was_found(
    search: Search, first: int, second: int, length: Measure
) -> None:
    less, more = (
        shown(search.assemble(budget, length)) & found(search.hits)
        for budget in sorted((first, second))
    )
    assert less <= more


def all_hits_are_shown_where_there_is_room(search: Search) -> None:
    passages = search.assemble(10**6)
    assert said(search.sources, found(search.hits)) <= shown(passages)
    ids = sorted(chunk_id for passage in passages for chunk_id in passage.chunk_ids)
    assert ids == sorted(hit.node_id for hit in search.hits)


def what_is_shown_is_the_best_hits_and_the_start_of_the_next(search: Search, budget: int) -> None:
    seen = shown(assemble(search.hits, budget)) & found(search.hits)
    whole = 0
    while whole < len(search.hits) and found(search.hits[: whole + 1]) <= seen:
        whole += 1
    rest = seen - found(search.hits[:whole])
    if rest:
        cut = search.hits[whole]
        assert rest <= found([cut])
        assert max(n for _, n in rest) < cut.span.end - 1


def lines_are_those_of_the_document(search: Search, budget: int) -> None:
    hits = [hit for hit in search.hits if hit.node_id != "?"]
    for passage in search._replace(hits=hits).assemble(budget):
        source = Source.of(search.sources[passage.document_id])
        first, last = passage.spans[0].start, passage.spans[-1].end - 1
        lines = (source.line_at(first), source.line_at(last))
        assert (passage.start_line, passage.end_line) == lines
        assert passage.lines == tuple(
            (source.line_at(span.start), source.line_at(span.end - 1)) for span in passage.spans
        )


def the_same_call_gives_the_same(search: Search, budget: int, length: Measure) -> None:
    sources = search.sources
    once = assemble(search.hits, budget, length, sources)
    assert once == assemble(tuple(search.hits), budget, length, sources.__getitem__)


@given(searches(), BUDGETS, BUDGETS, MEASURES)
def test_laws(search: Search, budget: int, other: int, length: Measure) -> None:
    the_budget_is_never_exceeded(search, budget, length)
    texts_are_exact_slices_in_order_and_nothing_comes_twice(search, budget)
    more_budget_never_shows_less_of_what_was_found(search, budget, other, length)
    all_hits_are_shown_where_there_is_room(search)
    what_is_shown_is_the_best_hits_and_the_start_of_the_next(search, budget)
    lines_are_those_of_the_document(search, budget)
    the_same_call_gives_the_same(search, budget, length)
