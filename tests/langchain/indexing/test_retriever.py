"""The retriever that has all in one call: what it finds, hands over and refuses."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore

from chunkana_core import ConfigurationError
from chunkana_langchain import ChunkanaRetriever, ChunkanaSplitter, ContextAssembler
from tests import corpora
from tests.langchain.indexing.parts import (
    OVEN,
    QUERY,
    SPLITTER,
    TEA,
    TEXTS,
    assert_true,
    documents,
    found,
    texts_of,
)
from tests.langchain.parts import WordEmbeddings, own_documents


def made(embedding: Embeddings | None = None, **options: Any) -> ChunkanaRetriever:  # noqa: ANN401
    """Return a retriever over two documents."""
    embedding = embedding or WordEmbeddings()
    return ChunkanaRetriever.from_documents(
        documents(TEXTS), embedding, splitter=SPLITTER, **options
    )


@pytest.mark.parametrize("search", ["hybrid", "dense", "lexical"])
async def test_each_search_hands_over_true_passages_sync_and_async(search: str) -> None:
    retriever = made(search=search, budget=120)
    passages = retriever.invoke(QUERY)
    assert_true(passages, TEXTS, 120)
    assert "Wait for 80 degrees." in passages[0].page_content
    assert await retriever.ainvoke(QUERY) == passages


def test_a_passage_says_where_it_is_and_has_the_caller_s_metadata() -> None:
    sources = [
        Document(
            TEA, id="7", metadata={"source": "tea.md", "tags": ["hot"], "n": None, "empty": []}
        )
    ]
    retriever = ChunkanaRetriever.from_documents(sources, WordEmbeddings(), splitter=SPLITTER)
    (passage,) = retriever.invoke("green", budget=40)
    start = TEA.index("## Green")
    metadata = dict(passage.metadata)
    assert metadata.pop("score") > 0
    assert metadata.pop("chunk_ids")
    assert metadata == {
        "source": "tea.md",
        "tags": ["hot"],
        "n": None,
        "empty": [],
        "chunkana_document_id": "7",
        "spans": [[start, start + len("## Green\n\nWait for 80 degrees.")]],
        "lines": [[5, 7]],
        "start_line": 5,
        "end_line": 7,
        "path": '["Tea", "Green"]',
    }
    assert passage.page_content == "Tea\n\n## Green\n\nWait for 80 degrees."
    passage.metadata["tags"].append("changed by a reader")
    assert retriever.invoke("green", budget=40)[0].metadata["tags"] == ["hot"]


def test_a_citation_opens_at_the_right_line() -> None:
    """Of the file and lines of a passage, for every document of ours."""
    texts = {sample.name: sample.text for sample in corpora.own_documents()}
    retriever = ChunkanaRetriever.from_documents(own_documents(), search="lexical", budget=900)
    for query in ("table of signals", "list", "heading", "code"):
        assert_true(retriever.invoke(query), texts, 900)


def test_the_budget_counts_as_it_is_measured() -> None:
    def words(text: str) -> float:
        return len(text.split())

    for budget in (0, 5, 12, 30):
        passages = made(budget=budget, length_function=words).invoke(QUERY)
        assert words("\n\n".join(texts_of(passages))) <= budget


def test_it_reads_what_an_assembler_reads_of_the_same_ranking() -> None:
    """With dense search alone and without propagation the ranking is the vector store's."""
    options: dict[str, Any] = {
        "search": "dense",
        "section_weight": 0,
        "document_weight": 0,
        "budget": 150,
    }
    passages = made(**options).invoke(QUERY)
    store = InMemoryVectorStore(WordEmbeddings())
    leaves = SPLITTER.split_documents(documents(TEXTS))
    store.add_documents(leaves)
    names = {leaf.metadata["source"]: leaf.metadata["chunkana_document_id"] for leaf in leaves}
    sources = {names[name]: text for name, text in TEXTS.items()}
    assembler = ContextAssembler(budget=150, sources=sources)
    ranked = store.similarity_search(QUERY, k=60)
    assert texts_of(passages) == texts_of(assembler.compress_documents(ranked, QUERY))


def test_weights_and_counts_decide_what_comes_first() -> None:
    query = "bread water"
    by_words, by_meaning = made(lexical_weight=1.0), made(lexical_weight=0.0)
    assert found(by_words, query) == found(made(search="lexical"), query)
    assert found(by_meaning, query) == found(made(search="dense"), query)
    assert len(found(made(fetch_k=1, search="dense"), query)) == 1


def test_search_by_words_needs_no_embedding() -> None:
    retriever = ChunkanaRetriever.from_documents(documents(TEXTS), search="lexical")
    assert "80 degrees" in found(retriever)[0]


def test_nothing_is_found_of_nothing() -> None:
    for search in ("hybrid", "dense", "lexical"):
        retriever = ChunkanaRetriever.from_documents([], WordEmbeddings(), search=search)
        assert retriever.invoke("tea") == []
        retriever.update([Document(" \n", id="1")])
        assert retriever.invoke("tea") == []


def test_no_embedded_text_differs_from_the_core_s() -> None:
    embedding = WordEmbeddings()
    made(embedding)
    assert embedding.embedded == [
        leaf.page_content for leaf in SPLITTER.split_documents(documents(TEXTS))
    ]


def test_an_overlap_is_embedded_and_not_read_twice() -> None:
    text = "# T\n\n" + " ".join(f"Sentence number {n} is here." for n in range(12))
    splitter = ChunkanaSplitter(150, chunk_overlap=40, min_chunk_size=0)
    embedding, source = WordEmbeddings(), [Document(text, id="t")]
    retriever = ChunkanaRetriever.from_documents(source, embedding, splitter=splitter)
    assert embedding.embedded == texts_of(splitter.split_documents(source))
    assert found(retriever, "sentence") == [text]


def test_front_matter_is_copied_where_the_splitter_says_so() -> None:
    source = [Document("---\ntags: [a, b]\nday: 2026-01-01\n---\n# T\n\nText.\n", id="t")]
    splitter = ChunkanaSplitter(front_matter_keys=["tags", "day"])
    retriever = ChunkanaRetriever.from_documents(source, search="lexical", splitter=splitter)
    (passage,) = retriever.invoke("text")
    assert passage.metadata["tags"] == ["a", "b"]
    assert str(passage.metadata["day"]) == "2026-01-01"


# Filters


def of_oven(document: Document) -> bool:
    """Tell whether a leaf is of one document."""
    return bool(document.metadata["source"] == "oven.md")


async def test_filters_of_the_store_work_with_every_question_or_one() -> None:
    always = made(search_kwargs={"filter": of_oven})
    for passages in (
        always.invoke(QUERY),
        await always.ainvoke(QUERY),
        made().invoke(QUERY, filter=of_oven),
        await made().ainvoke(QUERY, filter=of_oven),
    ):
        assert {passage.metadata["source"] for passage in passages} == {"oven.md"}


def test_words_rank_what_a_filter_leaves() -> None:
    """They add nothing, and all of them count: also those that 1,000 other chunks have."""
    others = {f"{n}.md": "# Bread\n\nBread, bread, bread.\n" for n in range(70)}
    retriever = ChunkanaRetriever.from_documents(
        documents(TEXTS | others), WordEmbeddings(), splitter=SPLITTER, lexical_weight=1.0
    )
    passages = retriever.invoke("bread", filter=of_oven, budget=60)
    assert {passage.metadata["source"] for passage in passages} == {"oven.md"}
    assert "Bake the bread" in passages[0].page_content


def test_a_store_gets_no_empty_metadata_which_some_do_not_take() -> None:
    source = Document("Text.", id="t", metadata={"tags": [], "more": {}, "n": 0, "none": None})
    retriever = ChunkanaRetriever.from_documents([source], WordEmbeddings())
    (passage,) = retriever.invoke(
        "text", filter=lambda leaf: not {"tags", "more"} & {*leaf.metadata}
    )
    assert passage.metadata.items() >= source.metadata.items()


def test_filters_see_the_caller_s_metadata_and_the_outline() -> None:
    seen: list[dict[str, Any]] = []

    def note(document: Document) -> bool:
        seen.append(document.metadata)
        return True

    made().invoke(QUERY, filter=note)
    (green,) = (one for one in seen if one["header_path"] == "/Tea/Green")
    assert green["source"] == green["chunkana_document_id"] == "tea.md"
    assert green["content_type"] == "text"
    assert {"section_id", "parent_section_id", "container", "chunkana_leaf_id"} < green.keys()
    assert not {"path", "start_char", "end_char", "start_line", "end_line"} & green.keys()


# What is refused, before anything is embedded


def message(call: Any) -> str:  # noqa: ANN401
    """Return what an error says."""
    with pytest.raises(ConfigurationError) as raised:
        call()
    return str(raised.value)


CLASH = (
    "id of two documents is 'tea.md'; allowed: documents with different ids: a Document's `id`, "
    "else its `source` with its `page` and the like; give each an `id`"
)


def test_documents_of_one_id_are_refused_before_anything_is_done() -> None:
    embedding, twice = WordEmbeddings(), [*documents(TEXTS), Document("x", id="tea.md")]
    make = ChunkanaRetriever.from_documents
    assert message(lambda: make(twice, embedding)) == CLASH
    retriever = made(embedding)
    embedding.embedded.clear()
    assert message(lambda: retriever.update(twice)) == CLASH
    assert embedding.embedded == []


EMBEDDING = (
    "embedding is None; allowed: an Embeddings, or a `vectorstore` that has one, or "
    "search='lexical'"
)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"search": "words"}, "search is 'words'; allowed: 'hybrid', 'dense' or 'lexical'"),
        (
            {"embedding": None},
            EMBEDDING,
        ),
        ({"embedding": "model"}, "embedding is 'model'; allowed: None or Embeddings"),
        ({"vectorstore": "chroma"}, "vectorstore is 'chroma'; allowed: None or VectorStore"),
        ({"docstore": {}}, "docstore is {}; allowed: None or BaseStore"),
        ({"splitter": 1000}, "splitter is 1000; allowed: None or ChunkanaSplitter"),
        ({"folder": 7}, "folder is 7; allowed: None or str or Path"),
    ],
)
def test_arguments_are_checked(given: dict[str, Any], expected: str) -> None:
    options = {"embedding": WordEmbeddings(), **given}
    make = ChunkanaRetriever.from_documents
    assert message(lambda: make(documents(TEXTS), **options)) == expected


def test_a_vector_store_for_words_alone_is_refused() -> None:
    store = InMemoryVectorStore(WordEmbeddings())
    make = ChunkanaRetriever.from_documents
    said = message(lambda: make([], vectorstore=store, search="lexical"))
    assert said.endswith("allowed: None with search='lexical', which uses no vector store")


@pytest.mark.parametrize(
    "option",
    [
        {"budget": -1}, {"budget": "much"}, {"fetch_k": 0}, {"lexical_weight": 1.5},
        {"section_weight": -1}, {"document_weight": float("inf")}, {"k": 4},
        {"search": "lexical", "search_kwargs": {"filter": of_oven}},
    ],
)  # fmt: skip
def test_options_are_checked_before_anything_is_embedded(option: dict[str, Any]) -> None:
    embedding = WordEmbeddings()
    with pytest.raises(ValueError, match=[*option][-1]):
        made(embedding, **option)
    assert embedding.embedded == []


def test_a_filter_of_a_search_by_words_says_what_to_write() -> None:
    retriever = made(search="lexical")
    said = message(lambda: retriever.invoke(QUERY, filter={}))
    assert said == (
        "search_kwargs is {'filter': {}}; allowed: {} with search='lexical', which uses no vector "
        "store; use 'hybrid' or 'dense'"
    )


def test_a_number_of_documents_says_what_to_write() -> None:
    assert message(lambda: made().invoke(QUERY, k=3)) == (
        "k is 3; allowed: `budget`, the size of all passages, or the retriever's `fetch_k`, the "
        "number of chunks each search finds"
    )


def test_chunks_are_no_documents() -> None:
    chunks = SPLITTER.split_documents(documents(TEXTS))
    said = message(lambda: ChunkanaRetriever.from_documents(chunks, WordEmbeddings()))
    assert said.endswith("whole documents, as a loader returns them, and no chunks of a splitter")
    make: Any = ChunkanaRetriever.from_documents
    assert "documents[0] is 'text'" in message(lambda: make(["text"], WordEmbeddings()))


def test_metadata_that_json_cannot_write_are_refused_before_anything_is_done() -> None:
    embedding, retriever = WordEmbeddings(), made()
    bad = Document("x", id="x", metadata={"when": object()})
    said = message(lambda: retriever.update([Document("y", id="y"), bad]))
    assert "values that JSON can write; in 'x'" in said
    assert embedding.embedded == []


def test_metadata_keys_of_both_stay_the_caller_s_with_a_warning() -> None:
    theirs = {"source": "a", "path": "C:/a", "score": 9, "chunkana_leaf_id": "mine"}
    with pytest.warns(UserWarning, match="keeps its own chunkana_leaf_id, path, score"):
        retriever = ChunkanaRetriever.from_documents(
            [Document(TEA, metadata=theirs)], WordEmbeddings()
        )
    for passage in retriever.invoke(QUERY):
        assert {key: passage.metadata[key] for key in theirs} == theirs


# Ids


@pytest.mark.parametrize(
    ("document", "name"),
    [
        (Document("x", id="7", metadata={"source": "a.md"}), "7"),
        (Document("x", metadata={"source": "a.md", "title": "A"}), "a.md"),
        (Document("x", metadata={"page": 3, "source": "a.pdf"}), "a.pdf#page=3"),
        (
            Document("x", metadata={"source": "a.txt", "row": 0, "sheet": "S"}),
            "a.txt#row=0&sheet=S",
        ),
    ],
)
def test_a_document_is_known_by_its_id_or_source(document: Document, name: str) -> None:
    retriever = ChunkanaRetriever.from_documents([document], search="lexical")
    assert retriever.delete(["unknown", name]).deleted == [name]
    assert retriever.delete([name]).deleted == []


def test_documents_without_a_source_are_known_by_what_they_are() -> None:
    some = [Document(TEA), Document(OVEN), Document(TEA, metadata={"title": "T"})]
    report = ChunkanaRetriever.from_documents([], search="lexical").update(some)
    assert len(report.added) == 3


@pytest.mark.parametrize("names", ["tea.md", [7]])
def test_ids_to_delete_are_a_list(names: Any) -> None:  # noqa: ANN401
    retriever = made()
    said = message(lambda: retriever.delete(names))
    assert said == f"document_ids is {names!r}; allowed: a list of str"
