"""What a search found: the order of parents, and filters of what a vector store proposed."""

from __future__ import annotations

from dataclasses import replace

from chunkana_core import ChunkConfig, Chunker
from chunkana_retrieval import Index, IndexDocument, MergingOptions, SearchOptions
from chunkana_retrieval.index import StoreHit

TEXTS = {
    "tea.md": "# Tea\n\n## Green\n\nBoil water.\n\n## Black\n\nBoil more water.\n",
    "iron.md": "# Iron\n\nFill in water.\n",
}
SMALL = Chunker(ChunkConfig(min_chunk_size=0))


def index() -> Index:
    made = Index()
    documents = [IndexDocument(name, text, {"topic": name[:3]}) for name, text in TEXTS.items()]
    made.update(documents, chunker=SMALL)
    return made


def test_parents_are_in_the_order_of_the_scores_of_their_best_leaves() -> None:
    """Whatever the order of the leaves, such as that of a reranker."""
    found = index().search("water", SearchOptions(search="lexical"))
    assert {hit.document_id for hit in found.hits} == {*TEXTS}
    for scores in ([1.0, 2.0, 3.0], [2.0, 3.0, 1.0], [3.0, 1.0, 2.0]):
        hits = [replace(hit, score=score) for hit, score in zip(found.hits, scores, strict=True)]
        passages = replace(found, hits=tuple(hits)).parents(MergingOptions(k=3, ratio=0.5))
        assert [one.score for one in passages] == sorted((p.score for p in passages), reverse=True)
        assert {one.document_id: one.score for one in passages} == {
            name: max(hit.score for hit in hits if hit.document_id == name) for name in TEXTS
        }
        assert max(len(one.text) for one in passages) == len(TEXTS["tea.md"].rstrip())


def test_what_a_vector_store_proposed_is_filtered_too() -> None:
    made = index()
    found = made.search("water", SearchOptions(search="lexical"))
    store_hits = [
        StoreHit(record.document_id, leaf.leaf_id, 0.5) for record, leaf in found.leaves()
    ]
    options = SearchOptions(search="dense")
    assert len(made.search("water", options, store_hits=store_hits).hits) == len(found.hits) == 3
    filtered = made.search("water", options, store_hits=store_hits, where={"topic": "iro"})
    assert [hit.document_id for hit in filtered.hits] == ["iron.md"]


def test_weak_hits_are_those_of_words_alone() -> None:
    """Leaves below a fifth of the best BM25 score go, unless their vectors were found."""
    found = index().search("water", SearchOptions(search="lexical"))
    scores = {1.0: None, 0.21: None, 0.19: None, 0.0: 0.5}
    hits = [
        replace(found.hits[0], bm25=bm25, similarity=similarity)
        for bm25, similarity in scores.items()
    ]
    kept = replace(found, hits=tuple(hits)).without_weak_hits().hits
    assert [hit.bm25 for hit in kept] == [1.0, 0.21, 0.0]
    assert replace(found, hits=()).without_weak_hits().hits == ()
