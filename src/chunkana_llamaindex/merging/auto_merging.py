"""A retriever that finds leaves and puts parents in their place, each text once."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import TYPE_CHECKING, Any, cast

from llama_index.core import StorageContext, VectorStoreIndex
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.indices.base import BaseIndex
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.retrievers import AutoMergingRetriever
from llama_index.core.schema import BaseNode, Document, NodeWithScore, QueryBundle

from chunkana_llamaindex.merging import storing
from chunkana_llamaindex.parsing.metadata import leaves_of
from chunkana_llamaindex.parsing.parser import MarkdownHierarchyNodeParser
from chunkana_retrieval import Hit, Parent, merge_hits

if TYPE_CHECKING:
    from llama_index.core.indices.vector_store import VectorIndexRetriever

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
        ratio: a parent replaces its children where more than this part of them was found; from 0
            to 1.
        node_postprocessors: change what was found, one after the other, before it is merged.

    Raises:
        ValueError: if a node that others are linked to, or an index finds, is not stored; if an
            index lacks leaves; for no nodes, a ratio out of range, and arguments that exclude each
            other.
    """
    if not 0 <= ratio <= 1:
        raise ValueError(f"ratio is {ratio}; allowed: a number from 0 to 1")
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
    """LlamaIndex's retriever, with its filling of gaps and the merging of `chunkana_retrieval`.

    A gap is not filled with what was found or filled before: else a leaf would count twice among
    its parent's children, or come back after its parent replaced it, forever.
    """

    def __init__(
        self,
        base_retriever: BaseRetriever,
        storage_context: StorageContext,
        ratio: float,
        node_postprocessors: Sequence[BaseNodePostprocessor],
    ) -> None:
        retriever = cast("VectorIndexRetriever", base_retriever)  # any retriever will do
        super().__init__(retriever, storage_context, simple_ratio_thresh=ratio)
        self._node_postprocessors = tuple(node_postprocessors)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        nodes = self._vector_retriever.retrieve(query_bundle)
        for postprocessor in self._node_postprocessors:
            nodes = postprocessor.postprocess_nodes(nodes, query_bundle)
        seen = {node.node_id for node in nodes}
        filled = self._fill_gaps(nodes, seen)
        while True:
            seen.update(node.node_id for node in filled)
            merged = self._merge(filled)
            filled = self._fill_gaps(merged, seen)
            if len(filled) == len(merged):
                return merged

    def _fill_gaps(
        self, nodes: Iterable[NodeWithScore], seen: Container[str]
    ) -> list[NodeWithScore]:
        """Return nodes, and between two with a gap of one leaf that leaf, unless it was seen."""
        # Parents, which have no neighbours, would stand between leaves that have.
        nodes = sorted(nodes, key=lambda node: bool(node.node.child_nodes))
        given, (filled, _) = set(map(id, nodes)), self._fill_in_nodes(nodes)
        return [node for node in filled if id(node) in given or node.node_id not in seen]

    def _merge(self, nodes: Sequence[NodeWithScore]) -> list[NodeWithScore]:
        """Return nodes to read, the best first; a parent has the score of the best in it."""
        parents = self._find_parents(nodes)
        by_id = parents | {node.node_id: node.node for node in nodes}
        merged = merge_hits(
            [Hit(node.node_id, node.get_score(), _parent_id(node.node)) for node in nodes],
            {i: Parent(len(p.child_nodes or ()), _parent_id(p)) for i, p in parents.items()},
            ratio=self._simple_ratio_thresh,
        )
        return [NodeWithScore(node=by_id[one.node_id], score=one.score) for one in merged]

    def _find_parents(self, nodes: Iterable[NodeWithScore]) -> dict[str, BaseNode]:
        """Return all parents above nodes, by their ids; a ValueError if one is not stored."""
        parents: dict[str, BaseNode] = {}
        waiting = [node.node for node in nodes]
        for node in waiting:
            parent_id = _parent_id(node)
            if parent_id is None or parent_id in parents:
                continue
            parent = self._storage_context.docstore.get_document(parent_id, raise_error=False)
            if parent is None:
                raise ValueError(
                    f"node {node.node_id} was found, but its parent {parent_id} is not stored; "
                    "give build_auto_merging all documents or nodes that are indexed"
                )
            parents[parent_id] = parent
            waiting.append(parent)
        return parents


def _parent_id(node: BaseNode) -> str | None:
    return node.parent_node.node_id if node.parent_node else None


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
