"""Pipelines: leaves alone reach the vector store, and documents are ingested again as they change.

The parents go to a store of their own, by the ids of the documents whose leaves came out.
"""

from __future__ import annotations

import pytest
from llama_index.core import Document
from llama_index.core.ingestion import DocstoreStrategy, IngestionPipeline
from llama_index.core.node_parser import get_leaf_nodes
from llama_index.core.schema import BaseNode
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores import SimpleVectorStore

from chunkana_llamaindex import LeafNodes
from tests.llamaindex.parts import WordEmbedding, book, book_parser

OTHER = Document(text="# Other\n\nNothing of it.\n", id_="other")
CHANGED = Document(text="# Other\n\nAll of it is new.\n", id_="other")


def pipeline(strategy: DocstoreStrategy, embedding: WordEmbedding) -> IngestionPipeline:
    """Return a pipeline that keeps documents and vectors."""
    return IngestionPipeline(
        transformations=[book_parser(), LeafNodes(), embedding],
        docstore=SimpleDocumentStore(),
        vector_store=SimpleVectorStore(),
        docstore_strategy=strategy,
        disable_cache=True,
    )


def stored(made: IngestionPipeline) -> dict[str, set[str]]:
    """Return the ids of the nodes in the vector store, by their documents."""
    assert isinstance(made.vector_store, SimpleVectorStore)
    by_document: dict[str, set[str]] = {}
    for node_id, document_id in made.vector_store.data.text_id_to_ref_doc_id.items():
        by_document.setdefault(document_id, set()).add(node_id)
    return by_document


def leaf_ids(document: Document) -> set[str]:
    return {node.node_id for node in get_leaf_nodes(book_parser()([document]))}


def test_only_leaves_reach_the_vector_store() -> None:
    embedding = WordEmbedding()
    made = pipeline(DocstoreStrategy.UPSERTS, embedding)
    made.run(documents=[book()])
    assert stored(made) == {"book": leaf_ids(book())}
    assert len(embedding.texts) == len(leaf_ids(book())) < len(book_parser()([book()]))


@pytest.mark.parametrize(
    "strategy", [DocstoreStrategy.UPSERTS, DocstoreStrategy.UPSERTS_AND_DELETE]
)
def test_a_changed_document_replaces_its_nodes_and_no_others(strategy: DocstoreStrategy) -> None:
    embedding = WordEmbedding()
    made = pipeline(strategy, embedding)
    made.run(documents=[book(), OTHER])
    first = len(embedding.texts)
    assert made.run(documents=[book(), OTHER]) == []
    assert len(embedding.texts) == first
    out = made.run(documents=[book(), CHANGED])
    assert {node.ref_doc_id for node in out} == {"other"}
    assert len(embedding.texts) == first + 1
    assert stored(made) == {"book": leaf_ids(book()), "other": leaf_ids(CHANGED)}
    assert leaf_ids(CHANGED) != leaf_ids(OTHER)


def test_a_deleted_document_leaves_nothing_behind() -> None:
    made = pipeline(DocstoreStrategy.UPSERTS_AND_DELETE, WordEmbedding())
    made.run(documents=[book(), OTHER])
    made.run(documents=[OTHER])
    assert stored(made) == {"other": leaf_ids(OTHER)}
    assert made.docstore
    assert made.docstore.docs.keys() == {"other"}


def test_leaves_pass_and_parents_do_not() -> None:
    nodes: list[BaseNode] = book_parser()([book()])
    assert LeafNodes()(nodes) == get_leaf_nodes(nodes)
    assert LeafNodes.from_dict(LeafNodes().to_dict()) == LeafNodes()
    assert LeafNodes().class_name() == "ChunkanaLeafNodes"
