"""Beside other parts of LangChain: loaders, retrievers, stores on disk, its own standard tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from langchain_classic.retrievers import (
    ContextualCompressionRetriever,
    MultiVectorRetriever,
    ParentDocumentRetriever,
)
from langchain_classic.storage import LocalFileStore, create_kv_docstore
from langchain_community.document_loaders import DirectoryLoader, TextLoader
from langchain_community.vectorstores import FAISS
from langchain_community.vectorstores.utils import filter_complex_metadata
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_tests.integration_tests import RetrieversIntegrationTests

from chunkana_langchain import ChunkanaAutoMergingRetriever, ChunkanaSplitter, ContextAssembler
from tests import corpora
from tests.langchain.parts import (
    BOOK,
    SPLITTER,
    WordEmbeddings,
    exact,
    own_documents,
    stored,
)


class TestStandard(RetrieversIntegrationTests):
    """What LangChain expects of every retriever."""

    @property
    def retriever_constructor(self) -> type[ChunkanaAutoMergingRetriever]:
        return ChunkanaAutoMergingRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, object]:
        leaves, store = stored()
        vectorstore = InMemoryVectorStore(WordEmbeddings())
        vectorstore.add_documents(leaves)
        return {"vectorstore": vectorstore, "docstore": store}

    @property
    def retriever_query_example(self) -> str:
        return "subject3 item3x2"


@pytest.mark.parametrize("folder", [corpora.OWN, corpora.SHARED / "corpus"], ids=["own", "corpus"])
def test_loaders_can_split(folder: Path) -> None:
    """The loaders of a file and of a folder hand over what they read."""
    if not folder.exists():
        pytest.skip(f"there is no {folder}")
    splitter = ChunkanaSplitter(400)
    as_utf8 = {"encoding": "utf-8"}
    loader = DirectoryLoader(
        str(folder), glob="**/*.md", loader_cls=TextLoader, loader_kwargs=as_utf8
    )
    loaded = sorted(loader.load(), key=lambda document: str(document.metadata["source"]))
    split = splitter.split_documents(loaded)
    texts = {document.metadata["source"]: document.page_content for document in loaded}
    assert all(exact(document, texts[document.metadata["source"]]) for document in split)
    assert {d.metadata["source"] for d in split} == {d.metadata["source"] for d in loaded}
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
    retriever.add_documents(own_documents())
    found = retriever.invoke("regression")
    assert found
    sources = {d.metadata["source"]: d.page_content for d in own_documents()}
    for document in found:
        assert exact(document, sources[document.metadata["source"]])


def test_stores_on_disk(tmp_path: Path) -> None:
    """FAISS and a folder of files, written and read again, answer like those in memory."""
    leaves, parents = SPLITTER.split_hierarchical([BOOK])
    embedding = WordEmbeddings()
    files = create_kv_docstore(LocalFileStore(tmp_path / "parents"))
    files.mset(parents)
    before = FAISS.from_documents(leaves, embedding, ids=[leaf.id for leaf in leaves])
    before.save_local(str(tmp_path / "leaves"))
    again = FAISS.load_local(
        str(tmp_path / "leaves"), embedding, allow_dangerous_deserialization=True
    )
    store = create_kv_docstore(LocalFileStore(tmp_path / "parents"))
    on_disk = ChunkanaAutoMergingRetriever(vectorstore=again, docstore=store, k=3)
    in_memory = ChunkanaAutoMergingRetriever(vectorstore=before, docstore=stored()[1], k=3)
    for query in ("subject6", "subject1 item1x4", "Book"):
        ours, theirs = on_disk.invoke(query), in_memory.invoke(query)
        assert ours == theirs


def test_own_stores_are_filled(tmp_path: Path) -> None:
    """Stores that are given to `from_documents` are filled, and merged over."""
    files = create_kv_docstore(LocalFileStore(tmp_path))
    vectorstore = InMemoryVectorStore(WordEmbeddings())
    made = ChunkanaAutoMergingRetriever.from_documents(
        [BOOK], splitter=SPLITTER, vectorstore=vectorstore, docstore=files
    )
    assert made.invoke("subject2")
    assert vectorstore.store
    assert list(tmp_path.iterdir())


def test_multi_vector_retriever_reads_parents() -> None:
    """Every leaf's `chunkana_parent_id` is in the store of parents."""
    leaves, store = stored()
    vectorstore = InMemoryVectorStore(WordEmbeddings())
    vectorstore.add_documents(leaves)
    retriever = MultiVectorRetriever(
        vectorstore=vectorstore, docstore=store, id_key="chunkana_parent_id"
    )
    found = retriever.invoke("subject9 item9x2")
    assert "item9x2" in found[0].page_content
    ids = [str(leaf.metadata["chunkana_parent_id"]) for leaf in leaves]
    assert all(store.mget(ids))


def test_metadata_is_what_vector_stores_take() -> None:
    split = ChunkanaSplitter(200).split_documents(own_documents())
    assert filter_complex_metadata(split) == split


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
