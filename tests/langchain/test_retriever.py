"""The retriever: what it finds and returns, its options for one question, and its parts."""

from __future__ import annotations

import asyncio
import pickle
import threading
from collections.abc import Callable, Sequence
from datetime import date, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from langchain_core.callbacks import BaseCallbackHandler, Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import ConfigurableField, RunnablePassthrough
from langchain_core.vectorstores import InMemoryVectorStore

from chunkana_core import ConfigurationError
from chunkana_langchain import (
    CachedEmbeddings,
    ChunkanaRetriever,
    ChunkanaSplitter,
    ContextAssembler,
)
from chunkana_retrieval import words_of
from tests import corpora
from tests.langchain.parts import (
    BOOK,
    OVEN,
    QUERY,
    SMALL,
    SPLITTER,
    TEA,
    TEXTS,
    WordEmbeddings,
    assert_true,
    documents,
    made,
    own_documents,
    sources_of,
    texts_of,
)

# Passages


@pytest.mark.parametrize("search", ["hybrid", "dense", "lexical"])
async def test_each_search_returns_true_passages_sync_and_async(search: str) -> None:
    retriever = made(search=search, budget=120)
    passages = retriever.invoke(QUERY)
    assert_true(passages, TEXTS, 120)
    assert "Wait for 80 degrees." in passages[0].page_content
    assert await retriever.ainvoke(QUERY) == passages


def test_metadata_of_a_passage() -> None:
    given = {"source": "tea.md", "tags": ["hot"], "n": None, "empty": []}
    retriever = ChunkanaRetriever.from_documents(
        [Document(TEA, id="7", metadata=given)], WordEmbeddings(), splitter=SMALL
    )
    (passage,) = retriever.invoke("green", budget=40)
    start, metadata = TEA.index("## Green"), dict(passage.metadata)
    assert metadata.pop("score") > 0
    assert 0 < metadata.pop("similarity") < 1
    assert metadata.pop("bm25") > 0
    assert metadata.pop("chunk_ids")
    assert metadata == given | {
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
    """Of the file and lines of a passage, for every document of this project."""
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


def test_passages_are_those_of_an_assembler_after_the_same_ranking() -> None:
    """With dense search alone and without propagation the ranking is a vector store's."""
    options = {"search": "dense", "section_weight": 0, "document_weight": 0, "budget": 150}
    passages = made(**options).invoke(QUERY)
    store = InMemoryVectorStore(WordEmbeddings())
    leaves = SMALL.split_documents(documents())
    store.add_documents(leaves)
    names = {leaf.metadata["source"]: leaf.metadata["chunkana_document_id"] for leaf in leaves}
    assembler = ContextAssembler(
        budget=150, sources={names[name]: text for name, text in TEXTS.items()}
    )
    ranked = store.similarity_search(QUERY, k=60)
    assert texts_of(passages) == texts_of(assembler.compress_documents(ranked, QUERY))


def test_the_embedded_texts_are_those_of_the_splitter() -> None:
    embedding = WordEmbeddings()
    made(embedding=embedding)
    chunks = SMALL.split_documents(documents())
    assert embedding.embedded == [chunk.page_content for chunk in chunks]


def test_an_overlap_is_embedded_and_not_read_twice() -> None:
    text = "# T\n\n" + " ".join(f"Sentence number {n} is here." for n in range(12))
    splitter = ChunkanaSplitter(150, chunk_overlap=40, min_chunk_size=0)
    embedding, source = WordEmbeddings(), [Document(text, id="t")]
    retriever = ChunkanaRetriever.from_documents(source, embedding, splitter=splitter)
    assert embedding.embedded == texts_of(splitter.split_documents(source))
    assert texts_of(retriever.invoke("sentence")) == [text]


def test_front_matter_is_copied_if_the_splitter_copies_it() -> None:
    source = [Document("---\ntags: [a, b]\nday: 2026-01-01\n---\n# T\n\nText.\n", id="t")]
    splitter = ChunkanaSplitter(front_matter_keys=["tags", "day"])
    retriever = ChunkanaRetriever.from_documents(source, search="lexical", splitter=splitter)
    (passage,) = retriever.invoke("text")
    assert passage.metadata["tags"] == ["a", "b"]
    assert str(passage.metadata["day"]) == "2026-01-01"


def test_dates_in_metadata_are_iso_text() -> None:
    given = {"day": date(2026, 1, 2), "time": datetime(2026, 1, 2, 3, 4)}  # noqa: DTZ001
    retriever = ChunkanaRetriever.from_documents([Document(TEA, metadata=given)], search="lexical")
    for passage in retriever.invoke("tea", filter={"day": "2026-01-02"}):
        assert passage.metadata["time"] == "2026-01-02T03:04:00"


def test_a_retriever_is_a_part_of_a_chain() -> None:
    prompt = ChatPromptTemplate.from_template("{context}\n\n{question}")
    model, seen = FakeListChatModel(responses=["It is there."]), list[str]()

    def as_text(found: list[Document]) -> str:
        seen.extend(texts_of(found))
        return "\n".join(seen)

    context = {"context": made(budget=60) | as_text, "question": RunnablePassthrough()}
    assert (context | prompt | model | StrOutputParser()).invoke(QUERY) == "It is there."
    assert "80 degrees" in seen[0]


# Options


def answers_of(
    retriever: ChunkanaRetriever,
    query: str = QUERY,
    **options: Any,  # noqa: ANN401
) -> list[Document]:
    """Return the same answer of a synchronous and an asynchronous question."""
    found = retriever.invoke(query, **options)
    assert asyncio.run(retriever.ainvoke(query, **options)) == found
    return found


@pytest.mark.parametrize(
    "options",
    [
        {"k": 1},
        {"budget": 30},
        {"filter": {"source": "oven.md"}},
        {"search": "lexical"},
        {"search": "dense", "min_score": 0.3},
        {"fetch_k": 1, "around": ("siblings",)},
        {"returns": "parents", "k": 1},
        {"returns": "parents", "ratio": 1},
        {"order": "score"},
        {"length_function": str.__len__, "budget": 60},
        {"section_weight": 9, "lexical_weight": 1, "document_weight": 0},
    ],
    ids="_".join,
)
def test_options_for_one_question_are_those_of_a_retriever(options: dict[str, Any]) -> None:
    retriever = made()
    before = retriever.invoke(QUERY)
    found = answers_of(retriever, **options)
    assert found == made(**options).invoke(QUERY)
    assert retriever.invoke(QUERY) == before
    for name, value in options.items():
        setattr(retriever, name, value)
    assert retriever.invoke(QUERY) == found


def test_options_change_answers() -> None:
    retriever = made(splitter=SMALL)
    assert len(answers_of(retriever, k=1)) == 1
    assert sources_of(answers_of(retriever, filter={"source": "oven.md"})) == {"oven.md"}
    assert answers_of(retriever, search="dense", min_score=0.99) == []
    alone, around = (
        answers_of(retriever, fetch_k=1, search="dense", around=relations)
        for relations in ((), ("siblings",))
    )
    assert "Do not wait" in around[0].page_content
    assert "Do not wait" not in alone[0].page_content


def test_the_best_come_first_if_their_number_is_limited() -> None:
    retriever = ChunkanaRetriever.from_documents(own_documents(), WordEmbeddings())
    scores = [found.metadata["score"] for found in retriever.invoke("How is a table split?", k=5)]
    assert len(scores) == 5
    assert scores == sorted(scores, reverse=True)


def test_arguments_of_langchain_are_taken() -> None:
    class Seen(BaseCallbackHandler):
        queries: list[str] = []  # noqa: RUF012

        def on_retriever_start(self, serialized: Any, query: str, **_: Any) -> None:  # noqa: ANN401, ARG002
            self.queries.append(query)

    retriever, seen = made(), Seen()
    found = retriever.invoke(QUERY, {"callbacks": [seen]}, verbose=True, k=1)
    assert seen.queries == [QUERY]
    assert retriever.bind(k=1).invoke(QUERY) == found
    assert retriever.batch([QUERY, QUERY], k=1) == [found, found]
    configured = retriever.configurable_fields(k=ConfigurableField(id="number"))
    assert configured.with_config(configurable={"number": 1}).invoke(QUERY) == found


@pytest.mark.parametrize(
    "option",
    [
        {"budget": -1}, {"budget": "much"}, {"budget": True}, {"fetch_k": 0}, {"k": 0},
        {"lexical_weight": 1.5}, {"section_weight": -1}, {"document_weight": float("inf")},
        {"search": "words"}, {"around": ("cousins",)}, {"around": "parent"}, {"ratio": 2},
        {"order": "size"}, {"returns": "chunks"}, {"max_parent_size": 0}, {"min_score": "all"},
        {"length_function": 5}, {"compressor": "cohere"}, {"search_kwargs": {"k": 5}},
    ],
    ids=str,
)  # fmt: skip
def test_options_are_checked_before_anything_is_done(
    option: dict[str, Any], tmp_path: Path
) -> None:
    embedding, (name,) = WordEmbeddings(), option
    with pytest.raises(ConfigurationError, match=name):
        made(embedding=embedding, folder=tmp_path / "index", **option)
    with pytest.raises(ConfigurationError, match=name):
        made().invoke(QUERY, **option)
    retriever = made()
    with pytest.raises(ValueError, match=name):
        ChunkanaRetriever(index=retriever.index, embedding=retriever.embedding, **option)
    with pytest.raises(ConfigurationError, match=name):
        setattr(retriever, name, option[name])
    assert retriever.invoke(QUERY) == made().invoke(QUERY)
    assert not embedding.embedded
    assert not [*tmp_path.iterdir()]


# Parents


def test_parents_replace_chunks_of_which_more_than_half_were_found() -> None:
    retriever = ChunkanaRetriever.from_documents(
        [BOOK], WordEmbeddings(), splitter=SPLITTER, returns="parents"
    )
    query = "Line says of subject3 that item3x1 is there"
    (merged, *_) = retriever.invoke(query)
    (start, end), *others = merged.metadata["spans"]
    assert not others
    assert "## subject3" in merged.page_content
    assert BOOK.page_content[start:end] in merged.page_content
    (leaf, *_) = retriever.invoke(query, ratio=1)
    assert len(leaf.page_content) < len(merged.page_content)
    assert len(retriever.invoke(query)) <= 4
    assert len(retriever.invoke(query, k=2)) == 2
    for found in retriever.invoke(query, max_parent_size=150, k=20):
        ((start, end),) = found.metadata["spans"]
        assert end - start <= 150
    scores = [found.metadata["score"] for found in retriever.invoke(query)]
    assert scores == sorted(scores, reverse=True)


def test_the_size_of_parents_is_that_of_the_splitter() -> None:
    splitter = ChunkanaSplitter(140, header_context="none", max_parent_size=400, min_chunk_size=0)
    retriever = ChunkanaRetriever.from_documents(
        [BOOK], WordEmbeddings(), splitter=splitter, returns="parents", k=50, fetch_k=100
    )
    sizes = [
        end - start
        for found in retriever.invoke("subject", ratio=0)
        for start, end in found.metadata["spans"]
    ]
    assert 140 < max(sizes) <= 400


# Filters of vectors in the index


def of_oven(document: Document) -> bool:
    """Return whether a chunk is of one document."""
    return bool(document.metadata["source"] == "oven.md")


@pytest.mark.parametrize("search", ["hybrid", "dense", "lexical"])
@pytest.mark.parametrize("chosen", [of_oven, {"source": "oven.md"}])
def test_filters_are_functions_or_values(search: str, chosen: object) -> None:
    query = "How long do tea and bread wait?"
    assert sources_of(answers_of(made(search=search), query)) == {*TEXTS}
    assert sources_of(answers_of(made(search=search, filter=chosen), query)) == {"oven.md"}
    assert sources_of(answers_of(made(search=search), query, filter=chosen)) == {"oven.md"}
    assert sources_of(answers_of(made(filter=chosen), query, filter=None)) == {*TEXTS}
    by_both = {"source": "oven.md", "header_path": "/Oven/Bread"}
    (passage,) = made(search=search).invoke("bread", filter=by_both)
    assert passage.page_content == "Oven\n\n## Bread\n\nBake the bread for an hour."


def test_filters_get_the_metadata_of_document_and_outline() -> None:
    seen = list[dict[str, Any]]()

    def note(document: Document) -> bool:
        seen.append(document.metadata)
        return True

    made().invoke(QUERY, filter=note)
    (green,) = (one for one in seen if one["header_path"] == "/Tea/Green")
    assert (green["source"], green["content_type"]) == ("tea.md", "text")
    assert {"section_id", "parent_section_id", "container", "format"} < green.keys()


def test_an_invalid_filter_is_named() -> None:
    with pytest.raises(ConfigurationError, match="a dict of equal values, or a function"):
        made().invoke(QUERY, filter=7)


# Rerankers


class Reranker(BaseDocumentCompressor):
    """Orders documents by a function of their texts, and returns copies, as most rerankers do."""

    key: Callable[[str], float]
    top_n: int = 100
    has_scores: bool = True
    given: list[Document] = []  # noqa: RUF012 - pydantic copies it

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> Sequence[Document]:
        """Return copies without ids."""
        assert query
        assert callbacks is not None
        self.given.extend(documents)
        ranked = sorted(documents, key=lambda one: -self.key(one.page_content))[: self.top_n]
        return [
            Document(
                one.page_content,
                metadata=one.metadata
                | ({"relevance_score": self.key(one.page_content)} if self.has_scores else {}),
            )
            for one in ranked
        ]


def about_bread(text: str) -> float:
    """Return how much a text is about bread."""
    return 0.5 + text.count("bread")


@pytest.mark.parametrize("has_scores", [True, False])
@pytest.mark.parametrize("options", [{"k": 1}, {"budget": 50}, {"returns": "parents", "ratio": 1}])
def test_a_reranker_decides_what_is_returned(
    options: dict[str, Any],
    has_scores: bool,  # noqa: FBT001
) -> None:
    reranker = Reranker(key=about_bread, has_scores=has_scores)
    found = answers_of(made(compressor=reranker, **options))
    assert "Bake the bread" in found[0].page_content
    assert found == answers_of(made(**options), compressor=reranker)
    assert (found[0].metadata["score"] == 1.5) is has_scores


def test_a_reranker_gets_chunks_with_context_and_metadata_and_may_leave_out() -> None:
    reranker = Reranker(key=about_bread, top_n=1, given=[])
    (passage,) = made().invoke(QUERY, compressor=reranker)
    assert passage.metadata["start_line"] == 5
    assert len(reranker.given) == 5
    (bread,) = (one for one in reranker.given if "Bake" in one.page_content)
    assert bread.page_content == "oven.md > Oven > Bread\n\n## Bread\n\nBake the bread for an hour."
    assert bread.metadata["source"] == "oven.md"
    assert bread.metadata["header_path"] == "/Oven/Bread"
    assert isinstance(bread.metadata["score"], float)


def test_a_reranker_that_returns_other_documents_is_named() -> None:
    class Other(Reranker):
        def compress_documents(self, *_: Any, **__: Any) -> Sequence[Document]:  # noqa: ANN401
            return [Document("A summary.")]

    with pytest.raises(ConfigurationError, match="returns the documents that it is given"):
        made().invoke(QUERY, compressor=Other(key=len))


def test_nothing_found_is_reranked_to_nothing() -> None:
    empty = ChunkanaRetriever.from_documents([], search="lexical")
    assert empty.invoke("tea", compressor=Reranker(key=len)) == []


# Its parts and its index


async def test_sync_and_async_forms_do_the_same(tmp_path: Path) -> None:
    edited = documents(TEXTS | {"tea.md": TEA.replace("80", "75"), "new.md": "# New\n\nIt is.\n"})
    make, model = ChunkanaRetriever.afrom_documents, WordEmbeddings()
    with made(folder=tmp_path / "a") as one:
        other = await make(documents(), model, splitter=SMALL, folder=tmp_path / "b")
        assert other.invoke(QUERY) == one.invoke(QUERY)
        assert repr(one.update(edited)) == repr(await other.aupdate(edited))
        assert repr(one.delete(["new.md"])) == repr(await other.adelete(["new.md"]))
        assert one.document_ids() == other.document_ids() == [*TEXTS]
        assert one.repair() == await other.arepair() == []
        other.close()
    loaded = ChunkanaRetriever.load(tmp_path / "a", model, splitter=SMALL)
    again = await ChunkanaRetriever.aload(tmp_path / "b", model, splitter=SMALL)
    assert loaded.invoke(QUERY) == again.invoke(QUERY)
    assert "75 degrees" in again.invoke(QUERY)[0].page_content


class AsyncEmbeddings(WordEmbeddings):
    """Embeddings with an asynchronous client alone, which belongs to one event loop."""

    def __init__(self) -> None:
        super().__init__()
        self.thread = threading.get_ident()

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed texts on the event loop."""
        assert threading.get_ident() == self.thread
        await asyncio.sleep(0)
        return super().embed_documents(texts)

    async def aembed_query(self, text: str) -> list[float]:
        """Embed a query on the event loop."""
        assert threading.get_ident() == self.thread
        return WordEmbeddings.embed_query(self, text)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Raise an error."""
        raise NotImplementedError(texts)


async def test_embeddings_with_an_asynchronous_client_alone() -> None:
    model = AsyncEmbeddings()
    retriever = await ChunkanaRetriever.afrom_documents(documents(), model, splitter=SMALL)
    await retriever.aupdate(documents({"tea.md": TEA.replace("80", "75")}))
    assert "75 degrees" in (await retriever.ainvoke(QUERY))[0].page_content
    with pytest.raises(NotImplementedError):
        retriever.update(documents({"tea.md": TEA}))


async def test_many_indexes_are_made_at_the_same_time() -> None:
    """More than the event loop has threads, which the model needs as well."""
    given = [documents({f"{n}.md": TEA}) for n in range(40)]
    make = ChunkanaRetriever.afrom_documents
    running = asyncio.gather(*(make(one, WordEmbeddings()) for one in given))
    retrievers = await asyncio.wait_for(running, 60)
    assert [one.document_ids() for one in retrievers] == [[f"{n}.md"] for n in range(40)]


def test_progress_is_told() -> None:
    told = list[tuple[int, int]]()
    made(progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 2), (2, 2)]


def test_the_words_of_a_search_may_be_divided_by_a_function() -> None:
    def parts(text: str) -> list[str]:
        return [word[:4] for word in words_of(text)]

    source = [Document("# Boats\n\nDampfschifffahrt.\n", id="b")]
    make = ChunkanaRetriever.from_documents
    assert make(source, search="lexical").invoke("Dampfer") == []
    assert make(source, search="lexical", tokenize=parts).invoke("Dampfer")


def test_repr_says_what_it_is(tmp_path: Path) -> None:
    assert repr(made()) == "ChunkanaRetriever(documents=2, folder=None, search='hybrid')"
    retriever = ChunkanaRetriever.from_documents(
        documents(), search="lexical", folder=tmp_path, budget=300
    )
    assert repr(retriever) == (
        f"ChunkanaRetriever(documents=2, folder={str(tmp_path)!r}, search='lexical', budget=300)"
    )


@pytest.mark.parametrize("has_folder", [False, True])
def test_pickling(has_folder: bool, tmp_path: Path) -> None:  # noqa: FBT001
    retriever = made(budget=70, folder=tmp_path if has_folder else None)
    again = pickle.loads(pickle.dumps(retriever))  # noqa: S301
    assert again.invoke(QUERY) == retriever.invoke(QUERY)
    assert again.update(documents()).unchanged == [*TEXTS]


def test_a_copy_is_saved_for_load(tmp_path: Path) -> None:
    retriever = made()
    retriever.save(tmp_path / "copy")
    loaded = ChunkanaRetriever.load(tmp_path / "copy", WordEmbeddings(), splitter=SMALL)
    assert loaded.invoke(QUERY) == retriever.invoke(QUERY)


def test_words_of_a_folder_with_vectors_are_searched_without_the_model(tmp_path: Path) -> None:
    expected = made(folder=tmp_path, search="lexical").invoke(QUERY)
    loaded = ChunkanaRetriever.load(tmp_path, search="lexical")
    assert loaded.invoke(QUERY) == expected
    with pytest.raises(ConfigurationError, match="with the embedding that its vectors are by"):
        loaded.update(documents())


def test_the_name_of_the_model_is_that_of_the_embedding_in_a_cache(tmp_path: Path) -> None:
    made(folder=tmp_path, embedding=CachedEmbeddings(WordEmbeddings()))
    assert ChunkanaRetriever.load(tmp_path, WordEmbeddings()).document_ids() == [*TEXTS]
    with pytest.raises(ConfigurationError, match="embedding is 'other'"):
        ChunkanaRetriever.load(tmp_path, WordEmbeddings(), model_name="other")


def test_documents_that_cannot_be_chunked_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    map_document = ChunkanaSplitter.map_document

    def fail(self: ChunkanaSplitter, document: Document, key: str) -> object:
        if document.page_content == OVEN:
            raise ValueError("no bread")
        return map_document(self, document, key)

    monkeypatch.setattr(ChunkanaSplitter, "map_document", fail)
    with pytest.warns(UserWarning, match=r"oven\.md' could not be indexed: ValueError: no bread"):
        retriever = made()
    assert retriever.document_ids() == ["tea.md"]
    assert [*retriever.update(documents()).failed] == ["oven.md"]


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
def test_a_document_is_identified_by_its_id_or_source(document: Document, name: str) -> None:
    retriever = ChunkanaRetriever.from_documents([document], search="lexical")
    assert retriever.delete(["unknown", name]).deleted == [name]
    assert retriever.delete([name]).deleted == []


def test_documents_without_a_source_are_identified_by_their_content() -> None:
    some = [Document(TEA), Document(OVEN), Document(TEA, metadata={"title": "T"})]
    report = ChunkanaRetriever.from_documents([], search="lexical").update(some)
    assert len(report.added) == 3


# What is too long


def model_of_4_tokens(tokenizer: object = None) -> WordEmbeddings:
    """Return an embedding as langchain-huggingface has it, whose model reads little."""
    embedding: Any = WordEmbeddings()
    embedding.client = SimpleNamespace(max_seq_length=4, tokenizer=tokenizer)
    return embedding  # type: ignore[no-any-return]


@pytest.mark.parametrize("kind", ["embedding", "cached", "store"])
def test_chunks_that_a_model_does_not_read_are_warned_of_once(kind: str) -> None:
    model = model_of_4_tokens(SimpleNamespace(tokenize=str.split))
    parts: dict[str, dict[str, Any]] = {
        "embedding": {"embedding": model},
        "cached": {"embedding": CachedEmbeddings(model)},
        "store": {"vectorstore": InMemoryVectorStore(model)},
    }
    with pytest.warns(UserWarning, match="4 tokens") as caught:
        made(**parts[kind])
    assert len(caught) == 1
    assert "splitter=ChunkanaSplitter(chunk_size=…" in str(caught[0].message)
    assert caught[0].filename == __file__.replace("test_retriever", "parts")
