"""A retriever that finds leaves and puts parents in their place, each text once."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from llama_index.core import StorageContext, VectorStoreIndex
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.indices.base import BaseIndex
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.retrievers import AutoMergingRetriever
from llama_index.core.schema import BaseNode, Document, NodeWithScore, QueryBundle

from chunkana_llamaindex import storing
from chunkana_llamaindex.metadata import leaves_of
from chunkana_llamaindex.parser import MarkdownHierarchyNodeParser

_TOP_K = 6


def build_auto_merging(
    documents_or_nodes: Sequence[BaseNode] = (),
    parser: MarkdownHierarchyNodeParser | None = None,
    *,
    base_retriever: BaseRetriever | None = None,
    index: BaseIndex[Any] | None = None,
    storage_context: StorageContext | None = None,
    embed_model: BaseEmbedding | None = None,
    similarity_top_k: int | None = None,
    ratio: float = 0.5,
    node_postprocessors: Sequence[BaseNodePostprocessor] = (),
) -> AutoMergingRetriever:
    """Return a retriever that finds leaves and puts parents in their place.

    Parents and leaves are kept in a document store, in place of what it has of the same documents;
    leaves alone are indexed, unless something that finds them is given.

    Args:
        documents_or_nodes: documents to parse, or nodes; none where all is stored already.
        parser: by default `MarkdownHierarchyNodeParser()`.
        base_retriever: finds leaves, in place of an index.
        index: has the leaves; by default a `VectorStoreIndex` is made of them.
        storage_context: for nodes and vectors; by default the index's, else in memory.
        embed_model: of the index that is made; by default that of LlamaIndex's settings.
        similarity_top_k: how many leaves an index finds, by default 6.
        ratio: the share of a parent's children, more than which have to be found.
        node_postprocessors: change what was found, one after the other, before it is merged.

    Raises:
        ValueError: if a node that others are linked to, or an index finds, is not stored; if an
            index lacks leaves; for no nodes, and arguments that exclude each other.
    """
    _require_sense(base_retriever, index, embed_model, similarity_top_k)
    documents = [node for node in documents_or_nodes if isinstance(node, Document)]
    nodes = [node for node in documents_or_nodes if not isinstance(node, Document)]
    nodes += (parser or MarkdownHierarchyNodeParser()).get_nodes_from_documents(documents)
    if storage_context is None:
        storage_context = index.storage_context if index else StorageContext.from_defaults()
    storing.update(storage_context.docstore, nodes, documents, index)
    if base_retriever is None:
        made = index or VectorStoreIndex(
            leaves_of(nodes), storage_context=storage_context, embed_model=embed_model
        )
        storing.require_stored(made, storage_context.docstore)
        base_retriever = made.as_retriever(similarity_top_k=similarity_top_k or _TOP_K)
    return _AutoMerging(base_retriever, storage_context, ratio, node_postprocessors)


class _AutoMerging(AutoMergingRetriever):
    """LlamaIndex's, but that nothing is returned twice, and that it ends.

    That one fills a gap also with what was found already, or was merged before: the node counts
    twice among its parent's children, or comes and goes forever. It merges on all levels at once,
    so that a section may be left beside the parent that its siblings were merged into.
    """

    def __init__(
        self,
        base_retriever: BaseRetriever,
        storage_context: StorageContext,
        ratio: float,
        node_postprocessors: Sequence[BaseNodePostprocessor],
    ) -> None:
        super().__init__(
            base_retriever,  # type: ignore[arg-type]  # any retriever will do
            storage_context,
            simple_ratio_thresh=ratio,
        )
        self._node_postprocessors = tuple(node_postprocessors)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = self._vector_retriever.retrieve(query_bundle)
        for postprocessor in self._node_postprocessors:
            found = postprocessor.postprocess_nodes(found, query_bundle)
        nodes = [*{node.node.node_id: node for node in found}.values()]
        seen = {node.node.node_id for node in nodes}
        is_changed = True
        while is_changed:
            self._require_parents(nodes)
            nodes, is_filled = self._filled(nodes, seen)
            seen |= {node.node.node_id for node in nodes}
            nodes, is_merged = self._get_parents_and_merge(nodes)
            is_changed = is_filled or is_merged
        unique = {node.node.node_id: node for node in nodes}
        kept = [n for n in unique.values() if not self._is_inside(n.node, unique.keys())]
        return sorted(kept, key=lambda node: node.get_score(), reverse=True)

    def _filled(
        self, nodes: list[NodeWithScore], seen: AbstractSet[str]
    ) -> tuple[list[NodeWithScore], bool]:
        """Return nodes with what fills the gaps between them, unless it was seen before."""
        given = set(map(id, nodes))
        filled, _ = self._fill_in_nodes(nodes)
        filled = [n for n in filled if id(n) in given or n.node.node_id not in seen]
        return filled, len(filled) > len(nodes)

    def _require_parents(self, nodes: Sequence[NodeWithScore]) -> None:
        """Raise a ValueError unless the parents of nodes are stored."""
        for node in nodes:
            parent = node.node.parent_node
            if parent and not self._storage_context.docstore.document_exists(parent.node_id):
                raise ValueError(
                    f"node {node.node.node_id} was found, but its parent {parent.node_id} is not "
                    "stored; give build_auto_merging all documents or nodes that are indexed"
                )

    def _is_inside(self, node: BaseNode, found: AbstractSet[str]) -> bool:
        """Tell whether a node is under one of those found."""
        while parent := node.parent_node:
            if parent.node_id in found:
                return True
            node = self._storage_context.docstore.get_node(parent.node_id)
        return False


def _require_sense(
    base_retriever: BaseRetriever | None,
    index: BaseIndex[Any] | None,
    embed_model: BaseEmbedding | None,
    similarity_top_k: int | None,
) -> None:
    """Raise a ValueError for arguments that exclude each other."""
    if base_retriever is not None and (index is not None or similarity_top_k is not None):
        raise ValueError("give a base_retriever, or index and similarity_top_k for one")
    if embed_model is not None and (base_retriever is not None or index is not None):
        raise ValueError("embed_model is for an index that is made; the one given has its own")
