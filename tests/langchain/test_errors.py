"""Mistakes that users make at first: each error says what to do instead, in whole."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.stores import InMemoryByteStore
from langchain_core.vectorstores import InMemoryVectorStore

from chunkana_core import ConfigurationError
from chunkana_langchain import ChunkanaAutoMergingRetriever, ChunkanaRetriever, ChunkanaSplitter
from tests.langchain.parts import BOOK, SPLITTER, WordEmbeddings

OF_TEA, OF_MILK = (
    Document(f"# {name}\n\nBoil {name}.\n", metadata={"source": f"{name}.md", "team": team})
    for name, team in (("tea", "leaf"), ("milk", "drink"))
)


def said_of(call: Callable[[], object]) -> str:
    """Return the message of the error that a call raises, without addresses in memory."""
    with pytest.raises((ValueError, TypeError, LookupError)) as caught:
        call()
    return re.sub(r" at 0x[\da-f]+", "", str(caught.value))


def test_files_are_no_documents() -> None:
    said = said_of(lambda: ChunkanaSplitter().split_documents(["README.md"]))  # type: ignore[list-item]
    assert said == (
        "documents[0] is 'README.md'; allowed: a Document: TextLoader(\"README.md\").load(), or "
        'Document("# Text")'
    )


def test_parents_are_not_smaller_than_chunks() -> None:
    assert said_of(lambda: ChunkanaSplitter(1000, max_parent_size=999)) == (
        "max_parent_size is 999; allowed: None, or at least chunk_size (1000): a parent holds "
        "several chunks"
    )
    ChunkanaSplitter(1000, max_parent_size=1000)


@pytest.mark.parametrize("kind", ["files", "memory"])
def test_a_store_of_bytes_needs_a_wrapper(kind: str, tmp_path: Path) -> None:
    """Found before anything is embedded, by both ways to make a retriever."""
    store: Any = InMemoryByteStore()
    if kind == "files":
        storage = pytest.importorskip("langchain_classic.storage", reason="needs LangChain's files")
        store = storage.LocalFileStore(str(tmp_path))
    vectors = InMemoryVectorStore(WordEmbeddings())
    allowed = "a store of documents: `create_kv_docstore(store)` of langchain_classic.storage"
    options = {"vectorstore": vectors, "docstore": store}
    made = said_of(lambda: ChunkanaRetriever.from_documents([BOOK], **options))
    assert made.startswith("docstore is <")
    assert made.endswith(f"; allowed: {allowed}")
    assert allowed in said_of(lambda: ChunkanaAutoMergingRetriever(**options))
    assert vectors.store == {}


def test_a_vector_store_embeds_by_its_own() -> None:
    embedding = WordEmbeddings()
    store = InMemoryVectorStore(embedding)
    make = ChunkanaRetriever.from_documents
    said = said_of(lambda: make([BOOK], embedding, vectorstore=store))
    assert said.endswith("; allowed: None with a `vectorstore`, which embeds by its own")
    assert said.startswith("embedding is ")
    assert embedding.embedded == []


def test_options_of_the_splitter_are_not_those_of_the_retriever() -> None:
    embedding = WordEmbeddings()
    make = ChunkanaRetriever.from_documents
    assert said_of(lambda: make([BOOK], embedding, chunk_size=100)) == (
        "options is ['chunk_size']; allowed: around, budget, document_weight, fetch_k, "
        "length_function, lexical_weight, metadata, name, search, search_kwargs, section_weight, "
        "tags; those of chunking belong to splitter=ChunkanaSplitter(…)"
    )
    assert embedding.embedded == []


def test_a_vector_store_has_no_parents() -> None:
    store = InMemoryVectorStore(WordEmbeddings())
    said = said_of(lambda: ChunkanaAutoMergingRetriever(vectorstore=store))
    assert (
        "give docstore=…, where the parents of chunks are, which no vector store has: "
        "`docstore.mset(splitter.split_hierarchical(documents).parents)`"
    ) in said


def test_parents_that_are_not_stored() -> None:
    from langchain_core.stores import InMemoryStore

    leaves = SPLITTER.split_documents([BOOK])
    store = InMemoryVectorStore.from_documents(leaves, WordEmbeddings())
    docstore: InMemoryStore = InMemoryStore()
    retriever = ChunkanaAutoMergingRetriever(vectorstore=store, docstore=docstore)
    assert re.sub(r"'[\da-f-]{36}'", "X", said_of(lambda: retriever.invoke("subject6"))) == (
        "the docstore has no parent X of a chunk that was found; store "
        "`splitter.split_hierarchical(documents).parents` there with `docstore.mset`"
    )


@pytest.mark.parametrize("own", [False, True], ids=["in memory", "a store of the caller's"])
@pytest.mark.parametrize("kind", [ChunkanaRetriever, ChunkanaAutoMergingRetriever])
async def test_filters_are_dicts_in_memory_too(
    kind: type[ChunkanaRetriever | ChunkanaAutoMergingRetriever],
    own: bool,  # noqa: FBT001
) -> None:
    """As in most vector stores; LangChain's own in memory takes functions alone."""
    embedding = WordEmbeddings()
    where: dict[str, Any] = {"embedding": embedding}
    if own:
        where = {"vectorstore": InMemoryVectorStore(embedding)}
    retriever = kind.from_documents([OF_TEA, OF_MILK], **where)

    def sources(found: list[Document]) -> set[str]:
        return {document.metadata["source"] for document in found}

    assert sources(retriever.invoke("Boil")) == {"tea.md", "milk.md"}
    assert sources(retriever.invoke("Boil", filter={"team": "drink"})) == {"milk.md"}
    assert sources(await retriever.ainvoke("Boil", filter={"team": "leaf"})) == {"tea.md"}
    by_both = {"team": "leaf", "source": "milk.md"}
    assert retriever.invoke("Boil", filter=by_both) == []
    of_milk = retriever.invoke("Boil", filter=lambda found: found.metadata["team"] == "drink")
    assert sources(of_milk) == {"milk.md"}


def test_a_filter_does_not_help_a_search_by_words() -> None:
    retriever = ChunkanaRetriever.from_documents([OF_TEA], search="lexical")
    with pytest.raises(ConfigurationError, match="use 'hybrid' or 'dense'"):
        retriever.invoke("tea", filter={"team": "leaf"})
