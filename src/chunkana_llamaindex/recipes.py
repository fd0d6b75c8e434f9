"""LlamaIndex's own retrievers over hierarchies of nodes, in stores of the caller's."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

from llama_index.core import StorageContext, TreeIndex, VectorStoreIndex
from llama_index.core.data_structs.data_structs import IndexGraph
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.llms import LLM, MockLLM
from llama_index.core.node_parser import get_root_nodes
from llama_index.core.retrievers import AutoMergingRetriever
from llama_index.core.schema import (
    BaseNode,
    Document,
    IndexNode,
    NodeWithScore,
    QueryBundle,
    TextNode,
)

from chunkana_llamaindex.node_parser import ChunkanaNodeParser, documents_by_id
from chunkana_llamaindex.nodes import is_summary, leaves_of


class AsyncAutoMergingRetriever(AutoMergingRetriever):
    """LlamaIndex's retriever that replaces leaves by their parents, without blocking event loops.

    It fills gaps between leaves once. The base class fills them again after each merge, for some
    hierarchies without end.
    """

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return self._merge(self._vector_retriever.retrieve(query_bundle))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        nodes = await self._vector_retriever.aretrieve(query_bundle)
        return await asyncio.to_thread(self._merge, nodes)

    def _merge(self, nodes: list[NodeWithScore]) -> list[NodeWithScore]:
        nodes, is_changed = self._try_merging(nodes)
        while is_changed:
            nodes, is_changed = self._get_parents_and_merge(nodes)
        return sorted(nodes, key=NodeWithScore.get_score, reverse=True)


def build_auto_merging(
    documents_or_nodes: Iterable[BaseNode],
    node_parser: ChunkanaNodeParser | None = None,
    *,
    storage_context: StorageContext | None = None,
    embed_model: BaseEmbedding | None = None,
    similarity_top_k: int = 6,
    simple_ratio_thresh: float = 0.5,
    **options: Any,
) -> AsyncAutoMergingRetriever:
    """Return LlamaIndex's retriever that finds leaves and replaces them by their parents.

    Parents and leaves are stored in a document store, leaves alone are embedded in a new index. For
    an index that is updated with its documents, use `ChunkanaRetriever` and `returns="parents"`.

    Args:
        documents_or_nodes: documents to parse, or all nodes of a parser.
        node_parser: the parser of the documents; by default `ChunkanaNodeParser()`.
        storage_context: the stores of nodes and vectors; by default in memory.
        embed_model: the embedding model; by default that of LlamaIndex's settings.
        similarity_top_k: the number of leaves to find.
        simple_ratio_thresh: a parent replaces its children if more than this ratio of them was
            found.
        options: further arguments of `VectorStoreIndex.as_retriever`, such as `filters`.

    Raises:
        ValueError: for a node whose parent is not given, before anything is embedded.
    """
    given = documents_by_id(documents_or_nodes).values()
    documents = [node for node in given if isinstance(node, Document)]
    nodes = [node for node in given if not isinstance(node, Document)]
    nodes += (node_parser or ChunkanaNodeParser()).get_nodes_from_documents(documents)
    names = {node.node_id for node in nodes}
    for node in nodes:
        if node.parent_node and node.parent_node.node_id not in names:
            raise ValueError(f"the parent of node {node.node_id} is missing; give all nodes")
    context = storage_context or StorageContext.from_defaults()
    context.docstore.add_documents(nodes)
    index = VectorStoreIndex(leaves_of(nodes), storage_context=context, embed_model=embed_model)
    retriever: Any = index.as_retriever(similarity_top_k=similarity_top_k, **options)
    return AsyncAutoMergingRetriever(retriever, context, simple_ratio_thresh)


def recursive_retriever_inputs(
    nodes: Sequence[BaseNode],
) -> tuple[list[IndexNode], dict[str, BaseNode]]:
    """Return the inputs of a `RecursiveRetriever` that finds leaves and returns their parents.

    Returns:
        The nodes to index, each of which refers to its parent, or to itself if it has no parent;
        and all nodes that they refer to, by id, for `node_dict`.
    """
    by_id = {node.node_id: node for node in nodes}
    index_nodes = []
    for leaf in leaves_of(list(nodes)):
        parent = leaf.parent_node
        target = parent.node_id if parent and parent.node_id in by_id else leaf.node_id
        if isinstance(leaf, TextNode):
            index_nodes.append(IndexNode.from_text_node(leaf, target))
    return index_nodes, {node.index_id: by_id[node.index_id] for node in index_nodes}


def tree_index(
    nodes: Sequence[BaseNode],
    *,
    storage_context: StorageContext | None = None,
    llm: LLM | None = None,
    **options: Any,
) -> TreeIndex:
    """Return a `TreeIndex` over the existing hierarchy, without summaries by a language model.

    Its retriever modes "root", "all_leaf" and "select_leaf_embedding" need no language model.

    Args:
        nodes: nodes of `ChunkanaNodeParser`; with `include_document_node` the roots are the
            document nodes, otherwise all nodes without a parent.
        storage_context: the stores of the nodes; by default in memory.
        llm: the language model for modes that need one; by default a mock, because `TreeIndex`
            requires one.
        options: further arguments of `TreeIndex`.
    """
    context = storage_context or StorageContext.from_defaults()
    context.docstore.add_documents(nodes)
    summaries = {node.ref_doc_id: node for node in nodes if is_summary(node)}
    children = {node.node_id: [child.node_id for child in node.child_nodes or []] for node in nodes}
    for node in get_root_nodes(list(nodes)):
        if (summary := summaries.get(node.ref_doc_id, node)) is not node:
            children[summary.node_id].append(node.node_id)
    below = {*chain.from_iterable(children.values())}
    numbered = dict(enumerate(node.node_id for node in nodes))
    graph = IndexGraph(
        all_nodes=numbered,
        root_nodes={number: name for number, name in numbered.items() if name not in below},
        node_id_to_children_ids=children,
    )
    return TreeIndex(index_struct=graph, storage_context=context, llm=llm or MockLLM(), **options)
