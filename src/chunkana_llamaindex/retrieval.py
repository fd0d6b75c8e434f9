"""From nodes to retrievers: auto-merging, recursive retrieval, an index over the outline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from llama_index.core import StorageContext, TreeIndex, VectorStoreIndex
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.data_structs.data_structs import IndexGraph
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.indices.base import BaseIndex
from llama_index.core.llms import LLM, MockLLM
from llama_index.core.node_parser import get_leaf_nodes, get_root_nodes
from llama_index.core.retrievers import AutoMergingRetriever
from llama_index.core.schema import (
    BaseNode,
    Document,
    IndexNode,
    NodeRelationship,
    RelatedNodeInfo,
    TextNode,
)
from llama_index.core.storage.docstore import BaseDocumentStore

from chunkana_llamaindex.parser import MarkdownHierarchyNodeParser

_LINKS = (
    NodeRelationship.PARENT,
    NodeRelationship.CHILD,
    NodeRelationship.PREVIOUS,
    NodeRelationship.NEXT,
)


def build_auto_merging(
    documents_or_nodes: Sequence[BaseNode] = (),
    parser: MarkdownHierarchyNodeParser | None = None,
    *,
    base_retriever: BaseRetriever | None = None,
    index: BaseIndex[Any] | None = None,
    storage_context: StorageContext | None = None,
    embed_model: BaseEmbedding | None = None,
    similarity_top_k: int = 6,
    ratio: float = 0.5,
) -> AutoMergingRetriever:
    """Return a retriever that finds leaves and merges them, with all that it needs stored.

    Args:
        documents_or_nodes: documents to parse, or nodes of `MarkdownHierarchyNodeParser`; none
            where `index` or `storage_context` has all nodes already.
        parser: parses documents; by default `MarkdownHierarchyNodeParser()`.
        base_retriever: finds leaves, in place of an index.
        index: finds leaves; by default a `VectorStoreIndex` is made of them.
        storage_context: where nodes and vectors are stored; by default that of the index, else
            in memory.
        embed_model: of the index that is made; by default that of LlamaIndex's settings.
        similarity_top_k: how many leaves an index finds.
        ratio: the share of a parent's children of which more have to be found.

    Raises:
        ValueError: if a node that others are linked to is neither given nor stored, or there is
            nothing to find leaves with.
    """
    nodes = _parsed(documents_or_nodes, parser)
    if storage_context is None:
        storage_context = index.storage_context if index else StorageContext.from_defaults()
    storage_context.docstore.add_documents(nodes)
    if not storage_context.docstore.docs:
        raise ValueError("there are no nodes, neither given nor stored: nothing could be merged")
    _require_whole(storage_context.docstore)
    if base_retriever is None:
        if index is None:
            if not nodes:
                raise ValueError("give documents or nodes, an index, or a base_retriever")
            index = VectorStoreIndex(
                get_leaf_nodes(nodes), storage_context=storage_context, embed_model=embed_model
            )
        base_retriever = index.as_retriever(similarity_top_k=similarity_top_k)
    return AutoMergingRetriever(
        base_retriever,  # type: ignore[arg-type]  # any retriever will do
        storage_context,
        simple_ratio_thresh=ratio,
    )


def recursive_retriever_inputs(
    nodes: Sequence[BaseNode],
) -> tuple[list[IndexNode], dict[str, BaseNode]]:
    """Return what `RecursiveRetriever` needs to find leaves and return their parents.

    Returns:
        Nodes to index, each of which names a parent, or itself if it has none; and all that they
        name, by id, for `node_dict`.
    """
    by_id = {node.node_id: node for node in nodes}
    index_nodes = []
    for leaf in get_leaf_nodes(list(nodes)):
        parent = leaf.parent_node
        target = parent.node_id if parent and parent.node_id in by_id else leaf.node_id
        if isinstance(leaf, TextNode):
            index_nodes.append(IndexNode.from_text_node(leaf, target))
    named = {node.index_id for node in index_nodes}
    return index_nodes, {name: by_id[name] for name in named}


def tree_index(
    nodes: Sequence[BaseNode],
    *,
    storage_context: StorageContext | None = None,
    llm: LLM | None = None,
    **options: Any,
) -> TreeIndex:
    """Return a `TreeIndex` over the hierarchy as it is, without summaries by a model.

    Its retriever modes "root", "all_leaf" and "select_leaf_embedding" need no language model.

    Args:
        nodes: of `MarkdownHierarchyNodeParser`.
        storage_context: where nodes are stored; by default in memory.
        llm: for modes that ask a model; by default a mock, since `TreeIndex` demands one.
        options: of `TreeIndex`.
    """
    context = storage_context or StorageContext.from_defaults()
    context.docstore.add_documents(nodes)
    numbers = {node.node_id: number for number, node in enumerate(nodes)}
    graph = IndexGraph(
        all_nodes={number: name for name, number in numbers.items()},
        root_nodes={numbers[root.node_id]: root.node_id for root in get_root_nodes(list(nodes))},
        node_id_to_children_ids={
            node.node_id: [child.node_id for child in node.child_nodes or []] for node in nodes
        },
    )
    return TreeIndex(index_struct=graph, storage_context=context, llm=llm or MockLLM(), **options)


def _parsed(
    documents_or_nodes: Sequence[BaseNode], parser: MarkdownHierarchyNodeParser | None
) -> list[BaseNode]:
    documents = [node for node in documents_or_nodes if isinstance(node, Document)]
    nodes = [node for node in documents_or_nodes if not isinstance(node, Document)]
    if not documents:
        return nodes
    return nodes + (parser or MarkdownHierarchyNodeParser()).get_nodes_from_documents(documents)


def _require_whole(docstore: BaseDocumentStore) -> None:
    """Raise a ValueError unless every node that is linked to is stored."""
    stored = docstore.docs
    for node in stored.values():
        for link in _linked(node):
            if link.node_id not in stored:
                raise ValueError(
                    f"node {node.node_id} is linked to {link.node_id}, which is not stored; give "
                    "all nodes of the parser, parents and leaves, or a storage context with them"
                )


def _linked(node: BaseNode) -> Iterator[RelatedNodeInfo]:
    for kind in _LINKS:
        related = node.relationships.get(kind)
        if related is not None:
            yield from related if isinstance(related, list) else [related]
