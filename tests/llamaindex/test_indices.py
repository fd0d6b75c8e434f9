"""What other retrievers of LlamaIndex's make of our nodes."""

from __future__ import annotations

import pytest
from llama_index.core import Document, StorageContext, VectorStoreIndex
from llama_index.core.node_parser import get_leaf_nodes, get_root_nodes
from llama_index.core.retrievers import RecursiveRetriever

from chunkana_llamaindex import (
    MarkdownHierarchyNodeParser,
    recursive_retriever_inputs,
    tree_index,
)
from tests.llamaindex.parts import WordEmbedding, book, book_parser, section


def test_recursive_retrieval_returns_parents() -> None:
    nodes = book_parser()([book()])
    index_nodes, node_dict = recursive_retriever_inputs(nodes)
    assert len(index_nodes) == len(get_leaf_nodes(nodes))
    assert {node.index_id for node in index_nodes} == node_dict.keys()
    index = VectorStoreIndex(index_nodes, embed_model=WordEmbedding())
    retriever = RecursiveRetriever(
        "vector",
        retriever_dict={"vector": index.as_retriever(similarity_top_k=2)},
        node_dict=node_dict,
    )
    assert [n.get_content() for n in retriever.retrieve("subject8")] == [section(8)]


def test_recursive_retrieval_of_leaves_without_parents_returns_them() -> None:
    nodes = MarkdownHierarchyNodeParser()([Document(text="# A\n\nText.\n")])
    (index_node,), node_dict = recursive_retriever_inputs(nodes)
    assert node_dict == {index_node.index_id: nodes[0]}
    alone = MarkdownHierarchyNodeParser(max_chunk_size=180, include_parents=False)([book()])
    _, node_dict = recursive_retriever_inputs(alone)
    assert node_dict.keys() == {node.node_id for node in alone}


@pytest.mark.parametrize("with_summary", [False, True])
def test_tree_index_runs_without_a_model(*, with_summary: bool) -> None:
    parser = MarkdownHierarchyNodeParser(
        max_chunk_size=180, min_chunk_size=0, include_document_node=with_summary
    )
    nodes = parser([book(), Document(text="# Other\n\nText.\n", id_="other")])
    context = StorageContext.from_defaults()
    index = tree_index(nodes, storage_context=context)
    assert context.docstore.docs.keys() == {node.node_id for node in nodes}

    roots = index.as_retriever(retriever_mode="root").retrieve("?")
    if with_summary:
        assert [n.metadata["content_type"] for n in roots] == ["document"] * 2
    else:
        expected = {n.node_id for n in get_root_nodes(nodes)}
        assert {n.node_id for n in roots} == expected
    every = index.as_retriever(retriever_mode="all_leaf").retrieve("?")
    assert {n.node_id for n in get_leaf_nodes(nodes)} <= {n.node_id for n in every}
    best = index.as_retriever(
        retriever_mode="select_leaf_embedding", embed_model=WordEmbedding()
    ).retrieve("What of subject5 and item5x1?")
    assert [n.metadata["header_path"] for n in best] == ["/Book/subject5"]
    assert "item5x1" in best[0].get_content()


def test_a_document_s_own_content_type_makes_no_summaries() -> None:
    document = Document(text=section(1), metadata={"content_type": "document"})
    with pytest.warns(UserWarning, match="content_type"):
        nodes = book_parser()([document])
    roots = tree_index(nodes).as_retriever(retriever_mode="root").retrieve("?")
    assert {n.node_id for n in roots} == {n.node_id for n in get_root_nodes(nodes)}
