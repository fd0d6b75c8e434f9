"""Other parts of LangChain: loaders, its own retrievers and indexing, its standard tests."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from langchain_classic.retrievers import (
    ContextualCompressionRetriever,
    MultiVectorRetriever,
    ParentDocumentRetriever,
)
from langchain_classic.retrievers.document_compressors import (
    DocumentCompressorPipeline,
    EmbeddingsFilter,
)
from langchain_classic.storage import LocalFileStore, create_kv_docstore
from langchain_community.document_loaders import DirectoryLoader, TextLoader
from langchain_community.vectorstores import FAISS
from langchain_community.vectorstores.utils import filter_complex_metadata
from langchain_core.documents import Document
from langchain_core.indexing import IndexingResult, InMemoryRecordManager, index
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_tests.integration_tests import RetrieversIntegrationTests

from chunkana_langchain import (
    CachedEmbeddings,
    ChunkanaRetriever,
    ChunkanaSplitter,
    ContextAssembler,
)
from tests import corpora
from tests.langchain.parts import (
    BOOK,
    SPLITTER,
    WordEmbeddings,
    exact,
    own_documents,
)


@cache
def _filled() -> dict[str, object]:
    filled = ChunkanaRetriever.from_documents(own_documents(), WordEmbeddings())
    return {"index": filled.index, "embedding": filled.embedding}


class TestStandard(RetrieversIntegrationTests):
    """What LangChain expects of every retriever."""

    @property
    def retriever_constructor(self) -> type[ChunkanaRetriever]:
        return ChunkanaRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, object]:
        return _filled()

    @property
    def retriever_query_example(self) -> str:
        return "How is a table split?"


def test_loaders_can_split() -> None:
    """The loaders of a file and of a folder hand over what they read."""
    splitter = ChunkanaSplitter(400)
    as_utf8 = {"encoding": "utf-8"}
    loader = DirectoryLoader(
        str(corpora.OWN), glob="**/*.md", loader_cls=TextLoader, loader_kwargs=as_utf8
    )
    loaded = sorted(loader.load(), key=lambda document: str(document.metadata["source"]))
    split = splitter.split_documents(loaded)
    texts = {document.metadata["source"]: document.page_content for document in loaded}
    assert all(exact(document, texts[document.metadata["source"]]) for document in split)
    assert {d.metadata["source"] for d in split} == {d.metadata["source"] for d in loaded}
    assert filter_complex_metadata(split) == split
    file = TextLoader(loaded[0].metadata["source"], encoding="utf-8")
    assert file.load_and_split(splitter) == splitter.split_documents(loaded[:1])


@pytest.mark.parametrize(
    "child_fields", [None, ["source", "start_char", "end_char", "prefix_chars"]]
)
def test_parent_document_retriever(child_fields: list[str] | None) -> None:
    """It serves as the splitter of parents and of children."""
    retriever = ParentDocumentRetriever(
        vectorstore=InMemoryVectorStore(WordEmbeddings()),
        docstore=InMemoryStore(),
        parent_splitter=ChunkanaSplitter(600),
        child_splitter=ChunkanaSplitter(120),
        child_metadata_fields=child_fields,
    )
    retriever.add_documents(own_documents()[:3])
    found = retriever.invoke("regression")
    assert found
    sources = {d.metadata["source"]: d.page_content for d in own_documents()}
    for document in found:
        assert exact(document, sources[document.metadata["source"]])


async def test_multi_vector_retriever_returns_parents(tmp_path: Path) -> None:
    """Every leaf's `chunkana_parent_id` is in the store of parents, which may be a folder."""
    leaves, parents = SPLITTER.split_hierarchical([BOOK])
    vectorstore = InMemoryVectorStore(WordEmbeddings())
    vectorstore.add_documents(leaves)
    for docstore in (InMemoryStore(), create_kv_docstore(LocalFileStore(tmp_path))):
        docstore.mset(parents)
        retriever = MultiVectorRetriever(
            vectorstore=vectorstore, docstore=docstore, id_key="chunkana_parent_id"
        )
        found = retriever.invoke("subject9 item9x2")
        assert await retriever.ainvoke("subject9 item9x2") == found
        assert "item9x2" in found[0].page_content
        assert found[0].metadata["chunkana_child_count"] > 1
        assert exact(found[0], BOOK.page_content)
        assert all(docstore.mget([leaf.metadata["chunkana_parent_id"] for leaf in leaves]))


def test_filters_of_embeddings_run_between_search_and_assembly() -> None:
    near = EmbeddingsFilter(embeddings=WordEmbeddings(), k=2)
    retriever = ChunkanaRetriever.from_documents(
        [BOOK],
        WordEmbeddings(),
        splitter=SPLITTER,
        compressor=DocumentCompressorPipeline(transformers=[near]),
    )
    passages = retriever.invoke("subject3 item3x2")
    assert sum(len(passage.metadata["chunk_ids"]) for passage in passages) == 2
    assert "item3x2" in passages[0].page_content


def test_a_compression_retriever_over_a_store_on_disk_hands_over_passages(tmp_path: Path) -> None:
    leaves = SPLITTER.split_documents([BOOK])
    FAISS.from_documents(leaves, WordEmbeddings()).save_local(str(tmp_path))
    store = FAISS.load_local(str(tmp_path), WordEmbeddings(), allow_dangerous_deserialization=True)
    retriever = ContextualCompressionRetriever(
        base_compressor=ContextAssembler(budget=200, sources=lambda _: BOOK.page_content),
        base_retriever=store.as_retriever(),
    )
    passages = retriever.invoke("subject3 item3x2")
    assert len("\n\n".join(passage.page_content for passage in passages)) <= 200
    assert any("item3x2" in passage.page_content for passage in passages)
    for passage in passages:
        for start, end in passage.metadata["spans"]:
            assert BOOK.page_content[start:end] in passage.page_content


# LangChain's own indexing


def indexed(
    documents: list[Document], manager: InMemoryRecordManager, vectorstore: InMemoryVectorStore
) -> IndexingResult:
    """Index the chunks of documents with LangChain's record manager."""
    return index(
        SPLITTER.split_documents(documents),
        manager,
        vectorstore,
        cleanup="incremental",
        source_id_key="source",
        key_encoder="blake2b",
    )


def test_indexing_again_skips_all_and_an_edit_embeds_its_own_section() -> None:
    """What is below an edit has other offsets, and is stored again; it is not embedded again."""
    embedding = WordEmbeddings()
    vectorstore = InMemoryVectorStore(CachedEmbeddings(embedding))
    manager = InMemoryRecordManager("test")
    manager.create_schema()
    first = indexed([BOOK], manager, vectorstore)
    count = len(SPLITTER.split_documents([BOOK]))
    assert (first["num_added"], first["num_skipped"]) == (count, 0)
    again = indexed([BOOK], manager, vectorstore)
    assert (again["num_added"], again["num_skipped"]) == (0, count)
    embedding.embedded.clear()
    text = BOOK.page_content.replace("Line 0 says of subject1 that", "Line 0 says, longer, that")
    edited = Document(page_content=text, metadata=BOOK.metadata)
    changed = indexed([edited], manager, vectorstore)
    assert changed["num_added"] == changed["num_deleted"] > len(embedding.embedded) > 0
    assert all("subject1" in text for text in embedding.embedded)
    stored = [entry["metadata"]["start_char"] for entry in vectorstore.store.values()]
    today = [leaf.metadata["start_char"] for leaf in SPLITTER.split_documents([edited])]
    assert sorted(stored) == today


def test_repeated_paragraphs_are_all_indexed() -> None:
    text = "\n\n".join("## Same\n\nThe very same words, said again and again." for _ in range(4))
    document = Document(page_content=text, metadata={"source": "r"})
    manager = InMemoryRecordManager("test")
    manager.create_schema()
    vectorstore = InMemoryVectorStore(WordEmbeddings())
    count = len(SPLITTER.split_documents([document]))
    assert indexed([document], manager, vectorstore)["num_added"] == count > 1
    assert len(vectorstore.store) == count
