"""With packages around LlamaIndex: a vector store on disk, and BM25."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from llama_index.core import StorageContext, VectorStoreIndex
from llama_index.core.node_parser import get_leaf_nodes
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores import MetadataFilter, MetadataFilters
from llama_index.retrievers.bm25 import BM25Retriever
from llama_index.vector_stores.qdrant import QdrantVectorStore
from qdrant_client import QdrantClient

from chunkana_llamaindex import (
    AsyncAutoMergingRetriever,
    MarkdownHierarchyNodeParser,
    build_auto_merging,
)
from tests.llamaindex.parts import WordEmbedding, book, book_parser, own_documents, section

# The one without a server needs no such indexes, and says so.
pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes:UserWarning")


@pytest.fixture
def context(tmp_path: Path) -> Iterator[StorageContext]:
    """Yield a place for nodes in memory, and for vectors on disk."""
    client = QdrantClient(path=str(tmp_path / "vectors"))
    vectors = QdrantVectorStore("leaves", client=client)
    yield StorageContext.from_defaults(vector_store=vectors)
    client.close()


def test_a_vector_store_on_disk_finds_leaves_whose_parents_are_stored_elsewhere(
    tmp_path: Path, context: StorageContext
) -> None:
    """It has texts of its own, so that the index has no nodes."""
    documents = [book(), own_documents()[0]]
    retriever = build_auto_merging(
        documents, book_parser(), storage_context=context, embed_model=WordEmbedding()
    )
    found = retriever.retrieve("What of subject4?")
    assert found[0].get_content() == section(4)
    context.docstore.persist(str(tmp_path / "docstore.json"))
    docstore = SimpleDocumentStore.from_persist_path(str(tmp_path / "docstore.json"))
    index = VectorStoreIndex.from_vector_store(context.vector_store, embed_model=WordEmbedding())
    again = AsyncAutoMergingRetriever(
        index.as_retriever(similarity_top_k=6),  # type: ignore[arg-type]
        StorageContext.from_defaults(docstore=docstore),
    )
    assert [one.node_id for one in again.retrieve("What of subject4?")] == [
        one.node_id for one in found
    ]


def test_sections_are_filtered_by_their_path(context: StorageContext) -> None:
    index = VectorStoreIndex(
        get_leaf_nodes(book_parser()([book()])),
        storage_context=context,
        embed_model=WordEmbedding(),
    )
    filters = MetadataFilters(filters=[MetadataFilter(key="header_path", value="/Book/subject2")])
    found = index.as_retriever(filters=filters, similarity_top_k=9).retrieve("subject5")
    assert {n.metadata["header_path"] for n in found} == {"/Book/subject2"}


def test_bm25_finds_and_sections_are_read() -> None:
    nodes = [*book_parser()([book()]), *MarkdownHierarchyNodeParser()(own_documents())]
    base = BM25Retriever.from_defaults(nodes=get_leaf_nodes(nodes), similarity_top_k=2)
    context = StorageContext.from_defaults()
    context.docstore.add_documents(nodes)
    retriever = AsyncAutoMergingRetriever(base, context)  # type: ignore[arg-type]
    for number in (0, 6):
        found = retriever.retrieve(f"subject{number}")
        assert [n.get_content().removeprefix("# Book\n\n") for n in found] == [section(number)]
