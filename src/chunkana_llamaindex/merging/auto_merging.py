"""A retriever that finds leaves and puts parents in their place, each text once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from llama_index.core import StorageContext, VectorStoreIndex
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.indices.base import BaseIndex
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.retrievers import AutoMergingRetriever
from llama_index.core.schema import BaseNode, Document, NodeWithScore, QueryBundle

from chunkana_llamaindex.merging import storing
from chunkana_llamaindex.merging.nodes import ReadNodes, merging
from chunkana_llamaindex.parsing.metadata import leaves_of
from chunkana_llamaindex.parsing.parser import MarkdownHierarchyNodeParser
from chunkana_retrieval import Step, run, run_async

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
    """LlamaIndex's retriever, truly asynchronous, with the merging of `chunkana_retrieval`.

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
        return run(merging(nodes, self._simple_ratio_thresh), self._perform)

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        nodes = await self._vector_retriever.aretrieve(query_bundle)
        for postprocessor in self._node_postprocessors:
            nodes = await postprocessor.apostprocess_nodes(nodes, query_bundle)
        return await run_async(merging(nodes, self._simple_ratio_thresh), self._aperform)

    def _perform(self, step: Step[object]) -> object:
        docstore = self._storage_context.docstore
        return docstore.get_nodes(_node_ids(step), raise_error=False)

    async def _aperform(self, step: Step[object]) -> object:
        docstore = self._storage_context.docstore
        return await docstore.aget_nodes(_node_ids(step), raise_error=False)


def _node_ids(step: Step[object]) -> list[str]:
    return [*step.node_ids] if isinstance(step, ReadNodes) else []


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
