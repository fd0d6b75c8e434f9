"""With packages around LlamaIndex: a vector store on disk, BM25, and another process."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from llama_index.core import Document, StorageContext, VectorStoreIndex
from llama_index.core.ingestion import DocstoreStrategy, IngestionPipeline
from llama_index.core.node_parser import get_leaf_nodes
from llama_index.core.retrievers import AutoMergingRetriever
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores import MetadataFilter, MetadataFilters
from llama_index.retrievers.bm25 import BM25Retriever
from llama_index.vector_stores.qdrant import QdrantVectorStore
from qdrant_client import QdrantClient

from chunkana_llamaindex import (
    ContextAssembler,
    LeafNodes,
    MarkdownHierarchyNodeParser,
    build_auto_merging,
)
from tests.llamaindex.parts import WordEmbedding, book, book_parser, own_documents, section

# The one without a server needs no such indexes, and says so.
pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes:UserWarning")

# What another process does with what one has stored: it answers.
_OTHER_PROCESS = """
import json, sys
from llama_index.core import StorageContext, VectorStoreIndex, load_index_from_storage
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.retrievers.bm25 import BM25Retriever
from llama_index.vector_stores.qdrant import QdrantVectorStore
from qdrant_client import QdrantClient
from chunkana_llamaindex import build_auto_merging
from tests.llamaindex.parts import WordEmbedding

kind, folder, query = sys.argv[1:]
docstore = SimpleDocumentStore.from_persist_path(folder + "/docstore.json")
context = StorageContext.from_defaults(docstore=docstore)
if kind == "bm25":
    retriever = BM25Retriever.from_persist_dir(folder + "/bm25")
    merging = build_auto_merging(base_retriever=retriever, storage_context=context)
else:
    client = QdrantClient(path=folder + "/vectors")
    vectors = QdrantVectorStore("leaves", client=client)
    index = VectorStoreIndex.from_vector_store(vectors, embed_model=WordEmbedding())
    merging = build_auto_merging(index=index, storage_context=context, k=3)
found = merging.retrieve(query)
print(json.dumps([(n.node_id, n.get_content(), round(n.score, 4)) for n in found]))
"""


def in_another_process(kind: str, folder: Path, query: str) -> list[tuple[str, str, float]]:
    run = subprocess.run(
        [sys.executable, "-c", _OTHER_PROCESS, kind, str(folder), query],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [tuple(found) for found in json.loads(run.stdout.splitlines()[-1])]


@pytest.fixture
def context(tmp_path: Path) -> Iterator[StorageContext]:
    """Yield a place for nodes in memory, and for vectors on disk."""
    client = QdrantClient(path=str(tmp_path / "vectors"))
    vectors = QdrantVectorStore("leaves", client=client)
    yield StorageContext.from_defaults(vector_store=vectors)
    client.close()


@pytest.mark.slow
def test_a_vector_store_on_disk_answers_the_same_in_another_process(
    tmp_path: Path, context: StorageContext
) -> None:
    retriever = build_auto_merging(
        [book(), *own_documents()[:2]],
        book_parser(),
        storage_context=context,
        embed_model=WordEmbedding(),
        k=3,
    )
    query = "What of subject4?"
    found = retriever.retrieve(query)
    assert found[0].get_content() == section(4)
    context.docstore.persist(str(tmp_path / "docstore.json"))
    context.vector_store.client.close()  # the store is one process's at a time
    again = in_another_process("qdrant", tmp_path, query)
    assert again == [(n.node_id, n.get_content(), round(n.get_score(), 4)) for n in found]


def test_documents_on_disk_are_replaced_and_deleted(context: StorageContext) -> None:
    """By a pipeline, which embeds what has changed; parents are made again, which costs little."""
    store = context.vector_store
    index = VectorStoreIndex.from_vector_store(store, embed_model=WordEmbedding())
    pipeline = IngestionPipeline(
        transformations=[book_parser(), LeafNodes(), WordEmbedding()],
        docstore=SimpleDocumentStore(),
        docstore_strategy=DocstoreStrategy.UPSERTS_AND_DELETE,
        vector_store=store,
    )

    def ingested(*documents: Document) -> AutoMergingRetriever:
        pipeline.run(documents=[*documents])
        return build_auto_merging(
            [*documents], book_parser(), index=index, storage_context=StorageContext.from_defaults()
        )

    other = Document(text="# Other\n\nNothing of it.\n", id_="other")
    assert ingested(book(), other).retrieve("Nothing of it")[0].get_content() == other.text.strip()
    changed = Document(text="# Other\n\nAll of subject99.\n", id_="other")
    retriever = ingested(book(), changed)
    assert retriever.retrieve("subject99")[0].get_content() == changed.text.strip()
    assert not [n for n in retriever.retrieve("Nothing of it") if "Nothing" in n.get_content()]
    assert [n.get_content() for n in retriever.retrieve("subject4")][:1] == [section(4)]
    gone = ingested(book())
    assert {n.node.ref_doc_id for n in gone.retrieve("subject99")} == {"book"}


def test_a_document_is_deleted_from_vectors_on_disk(context: StorageContext) -> None:
    other = Document(text="# Other\n\nAll of subject99.\n", id_="other")
    retriever = build_auto_merging(
        [book(), other], book_parser(), storage_context=context, embed_model=WordEmbedding()
    )
    retriever.delete(["other"])
    assert {n.node.ref_doc_id for n in retriever.retrieve("subject99")} == {"book"}
    assert {n.ref_doc_id for n in context.docstore.docs.values()} == {"book"}


def test_sections_are_filtered_by_their_path(context: StorageContext) -> None:
    index = VectorStoreIndex(
        get_leaf_nodes(book_parser()([book()])),
        storage_context=context,
        embed_model=WordEmbedding(),
    )
    filters = MetadataFilters(filters=[MetadataFilter(key="header_path", value="/Book/subject2")])
    found = index.as_retriever(filters=filters, similarity_top_k=9).retrieve("subject5")
    assert {n.metadata["header_path"] for n in found} == {"/Book/subject2"}


def test_bm25_finds_and_sections_are_read_in_another_process_too(tmp_path: Path) -> None:
    nodes = [*book_parser()([book()]), *MarkdownHierarchyNodeParser()(own_documents())]
    base = BM25Retriever.from_defaults(nodes=get_leaf_nodes(nodes), similarity_top_k=2)
    context = StorageContext.from_defaults()
    retriever = build_auto_merging(nodes, base_retriever=base, storage_context=context)
    for number in (0, 6):
        query = f"subject{number}"
        found = retriever.retrieve(query)
        assert [n.get_content().removeprefix("# Book\n\n") for n in found] == [section(number)]
    base.persist(str(tmp_path / "bm25"))
    context.docstore.persist(str(tmp_path / "docstore.json"))
    again = in_another_process("bm25", tmp_path, query)
    assert again == [(n.node_id, n.get_content(), round(n.get_score(), 4)) for n in found]


def test_passages_are_made_of_what_a_vector_store_on_disk_returns(context: StorageContext) -> None:
    document = book()
    index = VectorStoreIndex(
        LeafNodes()(book_parser()([document])),
        storage_context=context,
        embed_model=WordEmbedding(),
    )
    found = index.as_retriever(similarity_top_k=3).retrieve("subject3 item3x2")
    assembler = ContextAssembler(budget=300, sources={"book": document.text})
    passages = assembler.postprocess_nodes(found)
    assert any("item3x2" in passage.get_content() for passage in passages)
    for passage in passages:
        assert passage.node.ref_doc_id == "book"
        for start, end in passage.metadata["spans"]:
            assert document.text[start:end] in passage.get_content()
