"""The scores of words: those of bm25s on leaves, sections and documents, added."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkana_core import ChunkConfig, Chunker, Context, HierarchicalChunkingResult
from chunkana_retrieval import Index, SearchOptions, words_of
from tests import corpora

bm25s = pytest.importorskip("bm25s")

CHUNKER = Chunker(ChunkConfig(max_chunk_size=120, min_chunk_size=0), Context())
EVERY = SearchOptions("lexical", section_weight=0, document_weight=0, fetch_k=10**6)
Results = Mapping[str, HierarchicalChunkingResult]
Tokenize = Callable[[str], Sequence[str]]


def chunked(texts: Mapping[str, str], chunker: Chunker = CHUNKER) -> Results:
    """Return the chunks of documents."""
    return {name: chunker.chunk_hierarchical(text) for name, text in texts.items()}


class Oracle:
    """Scores the leaves of documents with bm25s, by its defaults."""

    def __init__(self, results: Results, tokenize: Tokenize = words_of) -> None:
        self._tokenize = tokenize
        leaves = [(name, chunk) for name, one in results.items() for chunk in one.get_flat_chunks()]
        self.keys = [(name, chunk.chunk_id) for name, chunk in leaves]
        words = [[*tokenize(chunk.embedded)] for _, chunk in leaves]
        self._levels = [
            (weight, _model(words, keys), keys)
            for weight, keys in (
                (1.0, self.keys),
                (0.5, [(name, chunk.section_id) for name, chunk in leaves]),
                (0.5, [(name,) for name, _ in leaves]),
            )
        ]

    def scores(self, question: str) -> dict[tuple[str, str], float]:
        """Return the scores above 0, by the ids of document and chunk."""
        words = [*self._tokenize(question)]
        totals = [0.0] * len(self.keys)
        for weight, model, keys in self._levels:
            places = {key: number for number, key in enumerate(dict.fromkeys(keys))}
            found = model.get_scores(words) if words and keys else [0.0] * len(places)
            totals = [
                total + weight * float(found[places[key]])
                for total, key in zip(totals, keys, strict=True)
            ]
        return {key: total for key, total in zip(self.keys, totals, strict=True) if total > 0}


def _model(words: Sequence[list[str]], keys: Sequence[tuple[str | None, ...]]) -> Any:  # noqa: ANN401
    """Return bm25s over texts that are joined of all leaves with the same key."""
    joined: dict[tuple[str | None, ...], list[str]] = {}
    for key, some in zip(keys, words, strict=True):
        joined.setdefault(key, []).extend(some)
    model = bm25s.BM25()
    if any(joined.values()):
        model.index([*joined.values()], show_progress=False)
    return model


def found(
    index: Index, question: str, options: SearchOptions = EVERY
) -> dict[tuple[str, str], float]:
    """Return the scores of words of all leaves that a search finds."""
    hits = index.search(question, options).hits
    assert [hit.bm25 for hit in hits] == sorted((hit.bm25 or 0 for hit in hits), reverse=True)
    return {(hit.document_id, hit.node_id): hit.bm25 or 0 for hit in hits}


def assert_same(index: Index, oracle: Oracle, questions: Sequence[str]) -> None:
    """Assert that an index gives the scores of the oracle."""
    for question in questions:
        expected = oracle.scores(question)
        assert found(index, question) == pytest.approx(expected, rel=1e-4, abs=1e-5)


MADE = {
    "tea.md": "# Tea\n\nTea needs water, and a kettle that boils.\n\n## Green\n\nGreen leaves wait "
    "for 80 degrees.\n\nTwo minutes, not more: green leaves, green water.\n\n## Black\n\nBlack "
    "leaves do not wait.\n",
    "cats.md": "Cats sleep for hours.\n\nGreen eyes see at night.\n",
    "empty.md": "",
    "code.md": "```\n***\n```\n",
}  # fmt: skip
QUESTIONS = ["green leaves", "How many degrees?", "water water green", "cats", "boiling", "unknown",
             "", "is it?", "unknown green", "GREEN-leaves"]  # fmt: skip


def test_scores_are_those_of_three_levels_added() -> None:
    with Index() as index:
        index.update_chunks(chunked(MADE))
        oracle = Oracle(chunked(MADE))
        assert_same(index, oracle, QUESTIONS)
        assert len(oracle.scores("green leaves")) > 3
        assert oracle.scores("unknown") == {}


_WORDS = st.sampled_from(["tea", "green", "water", "cup", "wait", "# Pot", "## Lid", "of", "!"])
_TEXTS = st.lists(
    st.lists(_WORDS, min_size=1, max_size=6).map(" ".join), min_size=1, max_size=5
).map("\n\n".join)
_STATES = st.lists(
    st.dictionaries(st.sampled_from("abc"), _TEXTS, max_size=3), min_size=1, max_size=4
)


@settings(max_examples=30)
@given(_STATES, st.lists(_WORDS, min_size=1, max_size=3).map(" ".join))
def test_after_any_edits_scores_are_those_of_todays_documents(
    states: list[dict[str, str]], question: str
) -> None:
    chunker = Chunker(ChunkConfig(max_chunk_size=32, min_chunk_size=0), Context())
    with Index() as index:
        for texts in states:
            results = chunked(texts, chunker)
            index.update_chunks(results)
            index.update([], deleted=[*{*index.document_ids()} - texts.keys()])
            assert_same(index, Oracle(results), [question, "tea water"])


def test_words_may_be_split_otherwise(tmp_path: Path) -> None:
    texts = {"a.md": "# C\n\nC++ or C#, not c.\n", "b.md": "Only C and more.\n"}
    with Index(tmp_path, tokenize=str.split) as index:
        index.update_chunks(chunked(texts))
        assert_same(index, Oracle(chunked(texts), str.split), ["C#,", "C++", "C", "c# or"])
    with Index.load(tmp_path, tokenize=str.split) as index:
        assert_same(index, Oracle(chunked(texts), str.split), ["C#,", "C++", "C", "c# or"])


def test_equal_scores_are_ordered_by_document_and_place() -> None:
    """Not by the order in which documents were added, which the same documents may differ in."""
    text = "Cats sleep here, all the cats.\n\n" * 3
    for names in ("bca", "cab"):
        with Index() as index:
            for name in names:
                results = chunked({name: text}, Chunker(ChunkConfig(max_chunk_size=40)))
                index.update_chunks(results)
            hits = index.search("cat", EVERY).hits
            places = [(hit.document_id, hit.span.start) for hit in hits]
            assert len(places) == 9
            assert places == sorted(places)


def test_the_projects_own_documents_are_scored_as_by_bm25s() -> None:
    texts = {sample.name: sample.text for sample in corpora.own_documents()}
    results = chunked(texts, Chunker(ChunkConfig(max_chunk_size=500), Context()))
    with Index() as index:
        index.update_chunks(results)
        questions = ["How are tables split?", "install", "telescope signals", "code and headings"]
        assert_same(index, Oracle(results), questions)
