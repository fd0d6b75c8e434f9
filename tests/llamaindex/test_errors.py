"""Mistakes that users make at first: each error says what to do instead, in whole."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from llama_index.core import MockEmbedding, VectorStoreIndex
from llama_index.core.schema import Document

from chunkana_llamaindex import LeafNodes, MarkdownHierarchyNodeParser, build_auto_merging

TEXT = "# Tea\n\nBoil.\n\n" + "## Part\n\nSome words of it.\n\n" * 80


def said_of(call: Callable[[], object]) -> str:
    """Return the message of the error that a call raises, without ids."""
    with pytest.raises((ValueError, TypeError)) as caught:
        call()
    return re.sub(r"[\da-f]{8}-[\da-f-]{27}", "X", str(caught.value))


def test_sizes_of_the_stock_hierarchical_parser() -> None:
    said = said_of(lambda: MarkdownHierarchyNodeParser.from_defaults(chunk_sizes=[2048, 512]))
    assert (
        "chunk_sizes is not an argument: leaves have one size, and parents are whole sections. "
        "For [2048, 512] tokens write max_chunk_size=512, max_parent_size=2048, tokenizer=... (a "
        "function that returns the tokens of a text); without tokenizer sizes are in characters, "
        "about four to a token: max_chunk_size=2048, max_parent_size=8192"
    ) in said


def test_parents_are_not_smaller_than_leaves() -> None:
    said = said_of(lambda: MarkdownHierarchyNodeParser(max_parent_size=999))
    assert (
        "max_parent_size is 999; allowed: None, or at least max_chunk_size (1000): a parent holds "
        "several leaves"
    ) in said
    MarkdownHierarchyNodeParser(max_parent_size=1000)


@pytest.mark.parametrize(
    "make", [MarkdownHierarchyNodeParser().get_nodes_from_documents, build_auto_merging]
)
def test_files_are_no_documents(make: Callable[[list[str]], object]) -> None:
    assert said_of(lambda: make(["README.md"])) == (
        "documents[0] is 'README.md'; allowed: a Document: SimpleDirectoryReader(…).load_data(), "
        'or Document(text="# Text")'
    )


def test_a_vector_index_has_no_parents() -> None:
    nodes = MarkdownHierarchyNodeParser().get_nodes_from_documents([Document(text=TEXT)])
    index = VectorStoreIndex(LeafNodes()(nodes), embed_model=MockEmbedding(8))
    assert said_of(lambda: build_auto_merging(index=index)) == (
        "node X is linked to X, which is not stored: parents are in no vector store; give all "
        "documents or nodes of the parser, or "
        "storage_context=StorageContext.from_defaults(docstore=…) that has them"
    )


def test_nothing_given_and_nothing_stored() -> None:
    assert said_of(build_auto_merging) == (
        "there are no nodes, neither given nor stored; give documents_or_nodes, or "
        "storage_context=StorageContext.from_defaults(docstore=…) that has them"
    )


def test_an_index_and_a_retriever_exclude_each_other() -> None:
    nodes = MarkdownHierarchyNodeParser().get_nodes_from_documents([Document(text=TEXT)])
    index = VectorStoreIndex(LeafNodes()(nodes), embed_model=MockEmbedding(8))
    said = said_of(
        lambda: build_auto_merging(nodes, base_retriever=index.as_retriever(), index=index)
    )
    assert said == "give a base_retriever, or index and filters for one"
