"""Scores are propagated before merging: what is near a good chunk comes before what is not."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import inf, nan
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore, VectorStore

from chunkana_langchain import ChunkanaAutoMergingRetriever, ChunkanaSplitter
from tests.langchain.parts import WordEmbeddings, stored

KETTLE = """# Kettle

## Cleaning

Descale the kettle once a month, whatever water you have.

Pour vinegar in once, wait for an hour, and rinse.

## Warranty

Two years, from the day on the receipt.
"""
OTHER = """# {name}

## Cleaning

Descale the {name} once a year{more}.

## Filling

Fill the {name} with the cup, and water that is not hard.
"""
DOCUMENTS = [
    Document(page_content=KETTLE, metadata={"source": "kettle.md"}),
    *(
        Document(
            page_content=OTHER.format(name=name, more=" or later" * number),
            metadata={"source": f"{name}.md"},
        )
        for number, name in enumerate(("iron", "boiler", "steamer", "shower"))
    ),
]
SPLITTER = ChunkanaSplitter(90, header_context="none", min_chunk_size=0)
QUERY = "Descale the kettle once a month?"
OFF = {"section_weight": 0, "document_weight": 0}


class Fixed(BaseRetriever):
    """Finds always the same."""

    found: list[Document]

    def _get_relevant_documents(self, *_: object, **__: object) -> list[Document]:
        return self.found


def chunk(
    name: str, document: str | None = None, section: str | None = None, score: object = None
) -> Document:
    """Return a chunk of a document and section, with a score, or none of these."""
    place = {"chunkana_document_id": document, "section_id": section, "score": score}
    known = {key: value for key, value in place.items() if value is not None}
    return Document(page_content=name, metadata=known, id=name)


def order(found: Sequence[Document], **options: float) -> str:
    """Return the names of chunks that a retriever finds, in the order that they come back in."""
    settings: dict[str, Any] = {"k": 50, **options}
    retriever = ChunkanaAutoMergingRetriever(
        retriever=Fixed(found=[*found]), docstore=InMemoryStore(), **settings
    )
    return "".join(document.page_content for document in retriever.invoke(""))


def scored(*scores: object) -> list[Document]:
    """Return five chunks, a and d of one section, e of its document, b and c of another."""
    places = [("a", "x", "s"), ("b", "y", "s"), ("c", "y", "t"), ("d", "x", "s"), ("e", "x", "t")]
    return [chunk(*place, score) for place, score in zip(places, scores, strict=True)]


SIMILAR = (0.9, 0.8, 0.7, 0.65, 0.6)  # propagation lifts the fourth
APART = (0.9, 0.8, 0.7, 0.1, 0.05)  # it is too bad to be lifted here
PROPAGATED, AS_FOUND = "abdce", "abcde"


def test_the_section_of_the_best_comes_first() -> None:
    assert order(scored(*SIMILAR)) == PROPAGATED
    assert order(scored(*APART)) == AS_FOUND


def test_equal_scores_are_ranked_by_document_and_offset() -> None:
    """Whatever the order in which a store returns them."""
    leaves, store = stored()
    for some in (leaves, leaves[::-1]):
        given = [
            Document(d.page_content, metadata=d.metadata | {"score": 0.5}, id=d.id) for d in some
        ]
        retriever = ChunkanaAutoMergingRetriever(
            retriever=Fixed(found=given), docstore=store, k=5, ratio=1
        )
        assert [one.id for one in retriever.invoke("")] == [leaf.id for leaf in leaves[:5]]


def test_similarities_and_distances_give_the_same() -> None:
    """The first is the best either way, so that the last says how scores count."""
    assert order(scored(*(1 - similar for similar in SIMILAR))) == PROPAGATED
    assert order(scored(*(2 - 2 * similar for similar in SIMILAR))) == PROPAGATED
    assert order(scored(*(-similar for similar in SIMILAR))) == PROPAGATED
    assert order(scored(*(similar - 5 for similar in SIMILAR))) == PROPAGATED
    assert order(scored(*(1 - similar for similar in APART))) == AS_FOUND


@pytest.mark.parametrize(
    "scores",
    [
        (None,) * 5,  # none is known
        (*APART[:4], None),  # one is not known
        (0.8, 0.9, 0.7, 0.1, 0.05),  # what something else is ranked by
        ("high", "high", "high", "low", "low"),
        (True, True, True, False, False),
        (*APART[:4], nan),
        (inf, *APART[1:]),
    ],
)
def test_ranks_stand_for_scores_that_are_none(scores: tuple[object, ...]) -> None:
    assert order(scored(*scores)) == PROPAGATED
    many = [chunk(str(n), str(n), "s") for n in range(8)]
    late = chunk("!", "0", "s")
    assert order([*many, late]).index("!") == 4


def test_weights_of_0_leave_the_order() -> None:
    for scores in (SIMILAR, (None,) * 5):
        assert order(scored(*scores), **OFF) == AS_FOUND


def test_weights_decide() -> None:
    assert order(scored(*SIMILAR), section_weight=100) == "adbce"
    assert order(scored(*SIMILAR), section_weight=0, document_weight=100) == "adebc"


def test_only_the_best_take_part_and_others_stay_behind_in_order() -> None:
    assert order(scored(*SIMILAR), fetch_k=3) == AS_FOUND
    assert order(scored(*SIMILAR), fetch_k=4) == PROPAGATED
    assert order(scored(*(score - 5 for score in SIMILAR)), fetch_k=3) == AS_FOUND


def test_documents_from_elsewhere_are_each_by_themselves() -> None:
    """Whatever they call a section: nobody knows of which document it is."""
    theirs = [chunk(n, None, "s", 0.8 - i / 10) for i, n in enumerate("xyz")]
    assert order(theirs) == "xyz"
    assert order([*theirs, chunk("d", "x", "s", 0.1)]) == "xyzd"
    ours = [chunk("a", "x", "s", 0.9), *theirs, chunk("d", "x", "s", 0.5)]
    assert order(ours) == "axydz"


def test_a_score_among_the_metadata_stays_what_it_was() -> None:
    retriever = ChunkanaAutoMergingRetriever(
        retriever=Fixed(found=scored(*SIMILAR)), docstore=InMemoryStore(), k=5
    )
    assert [d.metadata["score"] for d in retriever.invoke("")] == [0.9, 0.8, 0.65, 0.7, 0.6]


@pytest.mark.parametrize("option", ["section_weight", "document_weight"])
@pytest.mark.parametrize("value", [-0.1, inf, nan, "much"])
def test_weights_that_are_not_allowed_are_named(option: str, value: Any) -> None:  # noqa: ANN401
    with pytest.raises(ValueError, match=option):
        order([], **{option: value})


# Beside LangChain's vector stores and retrievers


def in_memory(leaves: list[Document]) -> VectorStore:
    """Return a store that counts cosines."""
    return InMemoryVectorStore.from_documents(leaves, WordEmbeddings())


def faiss(leaves: list[Document], strategy: str = "EUCLIDEAN_DISTANCE") -> VectorStore:
    """Return a store that counts squared distances, unless it is told otherwise."""
    stores = pytest.importorskip("langchain_community.vectorstores")
    pytest.importorskip("faiss")
    ids = [leaf.id for leaf in leaves]
    made: VectorStore = stores.FAISS.from_documents(
        leaves, WordEmbeddings(), ids=ids, distance_strategy=strategy
    )
    return made


def bm25(leaves: list[Document]) -> BaseRetriever:
    """Return a retriever that says no scores."""
    retrievers = pytest.importorskip("langchain_community.retrievers")
    pytest.importorskip("rank_bm25")
    made: BaseRetriever = retrievers.BM25Retriever.from_documents(
        leaves, k=30, preprocess_func=re.compile(r"\w+").findall
    )
    return made


def ensemble(leaves: list[Document]) -> BaseRetriever:
    """Return a retriever that fuses both, and says no scores."""
    retrievers = pytest.importorskip("langchain_classic.retrievers")
    both = [bm25(leaves), in_memory(leaves).as_retriever(search_kwargs={"k": 30})]
    made: BaseRetriever = retrievers.EnsembleRetriever(retrievers=both)
    return made


SOURCES: dict[str, Callable[[list[Document]], VectorStore | BaseRetriever]] = {
    "in memory": in_memory,
    "FAISS": faiss,
    "FAISS, inner product": lambda leaves: faiss(leaves, "MAX_INNER_PRODUCT"),
    "BM25": bm25,
    "ensemble": ensemble,
}


def over(name: str, **options: float) -> ChunkanaAutoMergingRetriever:
    """Return a retriever over chunks of all documents that does not merge."""
    leaves, parents = SPLITTER.split_hierarchical(DOCUMENTS)
    store = InMemoryStore()
    store.mset(parents)
    source = SOURCES[name](leaves)
    key = "vectorstore" if isinstance(source, VectorStore) else "retriever"
    settings: dict[str, Any] = {"k": 50, "ratio": 1.0, key: source, **options}
    return ChunkanaAutoMergingRetriever(docstore=store, **settings)


def place(found: Sequence[Document], words: str) -> int:
    """Return the place of the document that has some words."""
    (at,) = (number for number, one in enumerate(found) if words in one.page_content)
    return at


@pytest.mark.parametrize("name", SOURCES)
def test_the_rest_of_the_best_section_is_lifted_whoever_finds(name: str) -> None:
    """The sentence on vinegar has no word of the question, but stands below one that has all."""
    before, after = over(name, **OFF).invoke(QUERY), over(name).invoke(QUERY)
    assert place(before, "a month") == place(after, "a month") == 0
    assert place(after, "vinegar") < place(before, "vinegar")
    assert sorted(d.id or "" for d in after) == sorted(d.id or "" for d in before)


def test_cosines_and_distances_of_the_same_vectors_give_the_same_order() -> None:
    """All vectors have length 1, so that a squared distance is 2 less twice the cosine."""
    ranked = {
        name: [d.id for d in over(name).invoke(QUERY)[:6]]
        for name in ("in memory", "FAISS", "FAISS, inner product")
    }
    assert ranked["in memory"] == ranked["FAISS"] == ranked["FAISS, inner product"]


@pytest.mark.parametrize("name", SOURCES)
async def test_asynchronously_the_same(name: str) -> None:
    retriever = over(name, ratio=0.5, k=3)
    assert await retriever.ainvoke(QUERY) == retriever.invoke(QUERY)


@pytest.mark.parametrize("name", ["in memory", "FAISS"])
def test_scores_are_those_of_the_store(name: str) -> None:
    before, after = over(name, **OFF).invoke(QUERY), over(name).invoke(QUERY)
    assert {d.id: d.metadata["score"] for d in after} == {d.id: d.metadata["score"] for d in before}
    scores = [d.metadata["score"] for d in before]
    assert scores == sorted(scores, reverse=name == "in memory")
    assert [d.metadata["score"] for d in after] != scores


def test_scores_of_the_caller_do_not_stand_for_those_of_the_store() -> None:
    leaves, parents = SPLITTER.split_hierarchical(DOCUMENTS)
    for number, leaf in enumerate(leaves):
        leaf.metadata["score"] = number  # of something else
    store = InMemoryStore()
    store.mset(parents)
    retriever = ChunkanaAutoMergingRetriever(
        vectorstore=in_memory(leaves), docstore=store, k=50, ratio=1.0
    )
    assert [d.id for d in retriever.invoke(QUERY)] == [
        d.id for d in over("in memory").invoke(QUERY)
    ]


def test_sections_that_were_lifted_are_merged_and_read() -> None:
    """Both chunks of the best section are among the first two then, and so are one."""
    assert over("in memory", ratio=0.5, k=1, **OFF).invoke(QUERY)[0].page_content.count("\n\n") == 2
    best = over("in memory", ratio=0.5, k=1, section_weight=100, fetch_k=30)
    both, *_ = best.invoke(QUERY, k=2)
    assert both.metadata["chunkana_child_count"] == 2
    assert "a month" in both.page_content
    assert "vinegar" in both.page_content


def test_the_store_is_asked_for_30() -> None:
    """At least, and for as many as are returned."""
    many = [Document(page_content=f"# T\n\nword{n} same", metadata={"n": n}) for n in range(90)]
    leaves, parents = SPLITTER.split_hierarchical(many)
    asked: list[int] = []

    class Asked(InMemoryVectorStore):
        def similarity_search_with_score(
            self, query: str, k: int = 4, **options: object
        ) -> list[tuple[Document, float]]:
            asked.append(k)
            return super().similarity_search_with_score(query, k, **options)

    store = InMemoryStore()
    store.mset(parents)
    retriever = ChunkanaAutoMergingRetriever(
        vectorstore=Asked.from_documents(leaves, WordEmbeddings()), docstore=store
    )
    assert [len(retriever.invoke("same", k=k)) for k in (4, 80)] == [4, 80]
    assert asked == [30, 80]


# How documents are told apart


def test_all_parts_of_a_document_name_it() -> None:
    leaves, parents = SPLITTER.split_hierarchical(DOCUMENTS)
    made = [*leaves, *(parent for _, parent in parents)]
    named = {(d.metadata["source"], d.metadata["chunkana_document_id"]) for d in made}
    assert len({source for source, _ in named}) == len({name for _, name in named}) == len(named)
    assert len(named) == len(DOCUMENTS)
    assert all(len(name) == 16 and int(name, 16) >= 0 for _, name in named)
    assert not {name for _, name in named} & {d.id for d in made}


def test_the_name_of_a_document_is_the_same_in_every_run_and_unlike_its_namesake_s() -> None:
    twice = SPLITTER.split_documents([DOCUMENTS[0], DOCUMENTS[0]])
    names = list(dict.fromkeys(d.metadata["chunkana_document_id"] for d in twice))
    assert len(names) == 2
    (again,) = {d.metadata["chunkana_document_id"] for d in SPLITTER.split_documents(DOCUMENTS[:1])}
    assert again == names[0]


def test_parts_of_chunks_keep_the_name_of_their_document() -> None:
    chunks = ChunkanaSplitter(300).split_documents(DOCUMENTS)
    parts = ChunkanaSplitter(60, min_chunk_size=0).split_documents(chunks)
    assert len(parts) > len(chunks)
    names = {d.metadata["source"]: d.metadata["chunkana_document_id"] for d in chunks}
    assert {(d.metadata["source"], d.metadata["chunkana_document_id"]) for d in parts} == set(
        names.items()
    )


def test_parts_of_chunks_that_name_no_document_are_named_after_the_chunk() -> None:
    """As those do of which a store keeps no more than some keys."""
    (whole,) = ChunkanaSplitter(merge_boundary_level=0, min_chunk_size=500).split_documents(
        DOCUMENTS[:1]
    )
    del whole.metadata["chunkana_document_id"]
    parts = ChunkanaSplitter(60, min_chunk_size=0).split_documents([whole])
    assert len({part.metadata["chunkana_document_id"] for part in parts}) == 1
    assert parts[-1].metadata["end_char"] == whole.metadata["end_char"]


def test_a_name_of_the_caller_s_stays() -> None:
    theirs = Document(page_content=KETTLE, metadata={"chunkana_document_id": 7})
    with pytest.warns(UserWarning, match="keeps its own chunkana_document_id"):
        split = SPLITTER.split_documents([theirs])
    assert {d.metadata["chunkana_document_id"] for d in split} == {7}
    with pytest.warns(UserWarning, match="keeps its own chunkana_document_id"):
        parts = ChunkanaSplitter(40, min_chunk_size=0).split_documents(split)
    assert {d.metadata["chunkana_document_id"] for d in parts} == {7}
