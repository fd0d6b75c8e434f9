"""The retriever and the assembler as LangChain's users call them.

What they have in common with those of LlamaIndex is tested in tests/conformance.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
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
from pydantic import TypeAdapter

from chunkana_core import ConfigurationError
from chunkana_langchain import (
    CachedEmbeddings,
    ChunkanaRetriever,
    ChunkanaSplitter,
    ContextAssembler,
)
from tests.conformance.texts import OVEN, QUESTION, TEA, TEXTS
from tests.langchain.parts import SMALL, WordEmbeddings, documents, made, sources_of, texts_of


def test_metadata_of_a_passage() -> None:
    """All of them; a reader may change them."""
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


def test_an_overlap_is_embedded_and_not_read_twice() -> None:
    text = "# T\n\n" + " ".join(f"Sentence number {n} is here." for n in range(12))
    splitter = ChunkanaSplitter(150, chunk_overlap=40, min_chunk_size=0)
    embedding, source = WordEmbeddings(), [Document(text, id="t")]
    retriever = ChunkanaRetriever.from_documents(source, embedding, splitter=splitter)
    assert embedding.embedded == texts_of(splitter.split_documents(source))
    assert texts_of(retriever.invoke("sentence")) == [text]


# Chains and arguments of LangChain


def test_a_retriever_is_a_part_of_a_chain() -> None:
    prompt = ChatPromptTemplate.from_template("{context}\n\n{question}")
    model, seen = FakeListChatModel(responses=["It is there."]), list[str]()

    def as_text(found: list[Document]) -> str:
        seen.extend(texts_of(found))
        return "\n".join(seen)

    context = {"context": made(budget=60) | as_text, "question": RunnablePassthrough()}
    assert (context | prompt | model | StrOutputParser()).invoke(QUESTION) == "It is there."
    assert "80 degrees" in seen[0]


def test_an_assembler_is_a_part_of_a_chain() -> None:
    store = InMemoryVectorStore(WordEmbeddings())
    store.add_documents(SMALL.split_documents(documents()))
    assembler, retriever = ContextAssembler(budget=120), store.as_retriever()
    assert isinstance(assembler, BaseDocumentCompressor)
    chain = retriever | assembler.as_runnable()
    passages = chain.invoke(QUESTION)
    assert any("80 degrees" in text for text in texts_of(passages))
    assert len("\n\n".join(texts_of(passages))) <= 120
    assert asyncio.run(chain.ainvoke(QUESTION)) == passages
    assert passages == assembler.compress_documents(retriever.invoke(QUESTION), "")


@pytest.mark.parametrize("key", ["start_char", "chunkana_document_id", "Header 1"])
def test_keys_of_ours_that_are_the_callers_stay_so_in_passages(key: str) -> None:
    """Where a chunk's place is the caller's, it is returned whole."""
    splitter = ChunkanaSplitter(100, header_keys=True, min_chunk_size=0)
    with pytest.warns(UserWarning, match=key):
        leaves = splitter.split_documents([Document(TEA, metadata={key: "7"})])
    passages = ContextAssembler().compress_documents(leaves, "")
    assert {passage.metadata[key] for passage in passages} == {"7"}
    assert (passages == leaves) is (key != "Header 1")


def test_arguments_of_langchain_are_taken() -> None:
    class Seen(BaseCallbackHandler):
        queries: list[str] = []  # noqa: RUF012

        def on_retriever_start(self, serialized: Any, query: str, **_: Any) -> None:  # noqa: ANN401, ARG002
            self.queries.append(query)

    retriever, seen = made(), Seen()
    found = retriever.invoke(QUESTION, {"callbacks": [seen]}, verbose=True, k=1)
    assert seen.queries == [QUESTION]
    assert retriever.bind(k=1).invoke(QUESTION) == found
    assert retriever.batch([QUESTION, QUESTION], k=1) == [found, found]
    configured = retriever.configurable_fields(k=ConfigurableField(id="number"))
    assert configured.with_config(configurable={"number": 1}).invoke(QUESTION) == found


@pytest.mark.parametrize(
    "option",
    [{"budget": -1}, {"k": 0}, {"section_weight": -1}, {"document_weight": float("inf")},
     {"around": ("cousins",)}, {"ratio": 2}, {"max_parent_size": 0}, {"length_function": 5},
     {"compressor": "cohere"}, {"search_kwargs": {"k": 5}}],
    ids=str,
)  # fmt: skip
def test_fields_are_checked_when_they_are_set(option: dict[str, Any]) -> None:
    """When the object is made, and afterwards."""
    (name,) = option
    retriever = made()
    with pytest.raises(ValueError, match=name):
        ChunkanaRetriever(index=retriever.index, embedding=retriever.embedding, **option)
    with pytest.raises(ConfigurationError, match=name):
        retriever.invoke(QUESTION, **option)
    with pytest.raises(ConfigurationError, match=name):
        setattr(retriever, name, option[name])
    assert retriever.invoke(QUESTION) == made().invoke(QUESTION)


def test_progress_is_told() -> None:
    told = list[tuple[int, int]]()
    made(progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 2), (2, 2)]


def test_repr_says_what_it_is(tmp_path: Path) -> None:
    assert repr(made()) == "ChunkanaRetriever(documents=2, folder=None, search='hybrid')"
    with made(embedding=None, search="lexical", folder=tmp_path, budget=300) as retriever:
        assert repr(retriever) == (
            f"ChunkanaRetriever(documents=2, folder={str(tmp_path)!r}, search='lexical', "
            "budget=300)"
        )


# Filters


@pytest.mark.parametrize("search", ["hybrid", "dense", "lexical"])
async def test_filters_may_be_functions(search: str) -> None:
    """Of documents with the metadata of document and outline."""
    seen = list[dict[str, Any]]()

    def of_oven(document: Document) -> bool:
        seen.append(document.metadata)
        return bool(document.metadata["source"] == "oven.md")

    question, retriever = "How long do tea and bread wait?", made(search=search)
    for one in (made(search=search, filter=of_oven), retriever.bind(filter=of_oven)):
        assert sources_of(one.invoke(question)) == {"oven.md"}
        assert one.invoke(question) == await one.ainvoke(question)
    assert sources_of(made(filter=of_oven).invoke(question, filter=None)) == {*TEXTS}
    green = next(one for one in seen if one["header_path"] == "/Tea/Green")
    assert (green["source"], green["content_type"]) == ("tea.md", "text")
    assert {"section_id", "parent_section_id", "container", "format"} < green.keys()
    with pytest.raises(ConfigurationError, match="a dict of equal values, or a function"):
        retriever.invoke(question, filter=7)


# Rerankers


class Reversing(BaseDocumentCompressor):
    """Returns copies in the opposite order, without scores."""

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> Sequence[Document]:
        """Return copies without ids."""
        assert query
        assert callbacks is not None
        return [Document(one.page_content, metadata=one.metadata) for one in documents[::-1]]


def test_a_reranker_without_scores_orders_those_of_the_search() -> None:
    best = made().invoke(QUESTION, order="score", k=1, budget=30)
    first = made().invoke(QUESTION, order="score", k=1, budget=30, compressor=Reversing())
    assert first[0].metadata["spans"] != best[0].metadata["spans"]
    assert first[0].metadata["score"] == best[0].metadata["score"]


def test_a_reranker_that_returns_other_documents_is_named() -> None:
    class Other(Reversing):
        def compress_documents(self, *_: Any, **__: Any) -> Sequence[Document]:  # noqa: ANN401
            return [Document("A summary.")]

    with pytest.raises(ConfigurationError, match="returns the documents that it is given"):
        made().invoke(QUESTION, compressor=Other())


# Ids, and models


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


def test_documents_without_a_source_are_identified_by_their_content() -> None:
    some = [Document(TEA), Document(OVEN), Document(TEA, metadata={"title": "T"})]
    report = ChunkanaRetriever.from_documents([], search="lexical").update(some)
    assert len(report.added) == 3


def test_the_name_of_the_model_is_that_of_the_embedding_in_a_cache(tmp_path: Path) -> None:
    made(folder=tmp_path, embedding=CachedEmbeddings(WordEmbeddings()))
    assert ChunkanaRetriever.load(tmp_path, WordEmbeddings()).document_ids() == [*TEXTS]
    with pytest.raises(ConfigurationError, match="embedding is 'other'"):
        ChunkanaRetriever.load(tmp_path, WordEmbeddings(), model_name="other")


@pytest.mark.parametrize("kind", ["embedding", "cached", "store"])
def test_chunks_that_a_model_does_not_read_are_warned_of_once(kind: str) -> None:
    """Of an embedding as langchain-huggingface has it, whose model reads little."""
    model: Any = WordEmbeddings()
    tokenizer = SimpleNamespace(tokenize=str.split)
    model.client = SimpleNamespace(max_seq_length=4, tokenizer=tokenizer)
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


def test_a_retriever_is_a_field_of_other_models_and_given_values_stay() -> None:
    tea = Document(TEA, metadata={"source": "tea.md"})
    retriever = ChunkanaRetriever.from_documents([tea], search="lexical")
    values = {"index": retriever.index, "search": "lexical", "budget": 500}
    validated = ChunkanaRetriever.model_validate(values)
    assert (validated.budget, validated.invoke("tea")) == (500, retriever.invoke("tea"))
    assert values == {"index": retriever.index, "search": "lexical", "budget": 500}
    assert TypeAdapter(ChunkanaRetriever).validate_python(retriever) is retriever
