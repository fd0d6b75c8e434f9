"""A retriever that finds leaves, and replaces the leaves of a parent by the parent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, Never, cast

from llama_index.core import StorageContext, VectorStoreIndex
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.indices.base import BaseIndex
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.retrievers import AutoMergingRetriever
from llama_index.core.schema import BaseNode, Document, NodeWithScore, QueryBundle
from llama_index.core.vector_stores import MetadataFilters

from chunkana_llamaindex.merging import storing
from chunkana_llamaindex.merging.nodes import MergingOptions, merge_nodes
from chunkana_llamaindex.merging.updating import NodeStores, document_hash
from chunkana_llamaindex.node_parser import ChunkanaNodeParser, documents_by_id
from chunkana_llamaindex.nodes import leaves_of
from chunkana_llamaindex.reading.scores import ScorePropagation
from chunkana_llamaindex.retrieving.arguments import (
    Filters,
    require_filters,
    require_parser,
)
from chunkana_retrieval.checks import names_of, require_known, require_names
from chunkana_retrieval.indexing import (
    Procedure,
    UpdateLock,
    UpdateReport,
    run,
    run_async,
)

if TYPE_CHECKING:
    from llama_index.core.indices.vector_store import VectorIndexRetriever

_COUNTS: Final = "k, the number of nodes to return, or fetch_k, the number of leaves to find"
_SIMILAR_NAMES: Final = {
    "embedding": "embed_model",
    "node_parser": "parser",
    "similarity_top_k": _COUNTS,
    "simple_ratio_thresh": "ratio",
    "top_k": _COUNTS,
    "vector_store": "storage_context=StorageContext.from_defaults(vector_store=…)",
    "vectorstore": "storage_context=StorageContext.from_defaults(vector_store=…)",
    "docstore": "storage_context=StorageContext.from_defaults(docstore=…)",
}
_EMBEDDING_HINT: Final = "; to give an embedding model, write embed_model=…"


def build_auto_merging(
    documents_or_nodes: Sequence[BaseNode] = (),
    parser: ChunkanaNodeParser | None = None,
    *,
    base_retriever: BaseRetriever | None = None,
    index: BaseIndex[Any] | None = None,
    storage_context: StorageContext | None = None,
    embed_model: BaseEmbedding | None = None,
    k: int = 4,
    fetch_k: int = 30,
    section_weight: float = 0.4,
    document_weight: float = 0.2,
    ratio: float = 0.5,
    max_parent_size: int | None = None,
    filters: Filters | None = None,
    node_postprocessors: Sequence[BaseNodePostprocessor] = (),
    **unknown: Never,
) -> ChunkanaAutoMergingRetriever:
    """Return a retriever that finds leaves and merges them into their parents.

    Leaves are ranked by their own score and the best scores in their section and document
    (`chunkana_retrieval.propagate_scores`), and merged, the best first, until there are `k` nodes.
    Each node has the score of its best leaf.

    Parents and leaves are stored in a document store, where they replace earlier nodes of the same
    documents. By default, the leaves are embedded in a new index.

    Args:
        documents_or_nodes: documents to parse, or nodes; empty if all nodes are stored already.
        parser: the parser of the documents; by default `ChunkanaNodeParser()`.
        base_retriever: a retriever that finds leaves, instead of an index.
        index: an index that contains the leaves; by default a new `VectorStoreIndex`.
        storage_context: the stores of nodes and vectors; by default those of the index if there is
            one, otherwise in memory.
        embed_model: the embedding model of the new index; by default that of LlamaIndex's settings.
        k: the largest number of nodes to return.
        fetch_k: the number of leaves that the index finds, at least `k`, and the number of the best
            leaves that take part in the propagation of scores.
        section_weight: the weight of the best score in the section of a leaf, at least 0.
        document_weight: the weight of the best score in the document of a leaf, at least 0.
        ratio: a parent replaces its children if more than this fraction of them was found; from 0
            to 1.
        max_parent_size: the size limit of parents to return, in characters; None for no limit.
        filters: filters of the index, or a dict of metadata values that must be equal.
        node_postprocessors: applied to the leaves one after the other, before ranking.
        unknown: any other argument is an error that names the allowed ones.

    Raises:
        ValueError: if a node that another node is linked to, or that the index contains, is not
            stored; if the index lacks leaves or contains parents; if there are no nodes, a value is
            out of range, or arguments exclude each other.
    """
    require_known(unknown, names_of(build_auto_merging), _SIMILAR_NAMES)
    options = MergingOptions(k, fetch_k, section_weight, document_weight, ratio, max_parent_size)
    _require_compatible(base_retriever, index, embed_model, filters)
    filters, parser = require_filters(filters), require_parser(parser, _EMBEDDING_HINT)
    documents, nodes = _parse_documents(documents_or_nodes, parser)
    if storage_context is None:
        storage_context = index.storage_context if index else StorageContext.from_defaults()
    storing.store_nodes(storage_context.docstore, nodes, documents, index)
    leaf_retriever = base_retriever
    if leaf_retriever is None:
        index = index or VectorStoreIndex(
            leaves_of(nodes), storage_context=storage_context, embed_model=embed_model
        )
        storing.require_leaves(index, storage_context.docstore)
        leaf_retriever = _IndexRetriever(index, max(k, fetch_k), filters)
    for document in documents:
        value = document_hash(document, parser)
        storage_context.docstore.set_document_hash(document.node_id, value)
    return ChunkanaAutoMergingRetriever(
        leaf_retriever, storage_context, parser, options, node_postprocessors
    )


class ChunkanaAutoMergingRetriever(AutoMergingRetriever):
    """Finds leaves and merges them into their parents; created by `build_auto_merging`.

    It is a subclass of LlamaIndex's retriever that merges as `chunkana_retrieval` does, runs
    asynchronously, and updates its stores by `update` and `delete`. It returns stored nodes: a leaf
    that the index finds, but that is no longer stored, is omitted.

    A leaf that was found or inserted before is not inserted again: otherwise it would count twice
    among the children of its parent, or return endlessly after its parent replaced it.
    """

    def __init__(
        self,
        base_retriever: BaseRetriever,
        storage_context: StorageContext,
        parser: ChunkanaNodeParser,
        options: MergingOptions,
        node_postprocessors: Sequence[BaseNodePostprocessor] = (),
    ) -> None:
        retriever = cast("VectorIndexRetriever", base_retriever)  # any retriever is accepted
        super().__init__(retriever, storage_context, simple_ratio_thresh=options.ratio)
        propagation = ScorePropagation(
            section_weight=options.section_weight,
            document_weight=options.document_weight,
            top_k=options.fetch_k,
        )
        self._node_postprocessors = (*node_postprocessors, propagation)
        self._parser, self._options = parser, options
        index = base_retriever.index if isinstance(base_retriever, _IndexRetriever) else None
        self._stores = NodeStores(storage_context.docstore, index)
        self._lock = UpdateLock()

    def update(
        self, documents: Iterable[BaseNode], *, delete_missing: bool = False
    ) -> UpdateReport:
        """Update the index and the document store; unchanged documents are skipped.

        Only new leaves are embedded; parents, lines and offsets are up to date. With a
        `base_retriever`, its own index must be updated separately.

        Args:
            documents: new documents, and new versions of stored documents, matched by their ids.
            delete_missing: whether to delete all other documents; an error if `documents` is empty.
        """
        procedure = self._update_steps(documents, delete_missing=delete_missing)
        with self._lock:
            return run(procedure)

    async def aupdate(
        self, documents: Iterable[BaseNode], *, delete_missing: bool = False
    ) -> UpdateReport:
        """Update the index and the document store, as `update` does."""
        procedure = self._update_steps(documents, delete_missing=delete_missing)
        async with self._lock:
            return await run_async(procedure)

    def delete(self, document_ids: Iterable[str]) -> UpdateReport:
        """Delete all nodes of documents; ids that are not stored are ignored."""
        procedure = self._update_steps([], require_names("document_ids", document_ids))
        with self._lock:
            return run(procedure)

    async def adelete(self, document_ids: Iterable[str]) -> UpdateReport:
        """Delete all nodes of documents, as `delete` does."""
        procedure = self._update_steps([], require_names("document_ids", document_ids))
        async with self._lock:
            return await run_async(procedure)

    def document_ids(self) -> list[str]:
        """Return the ids of all documents that have stored nodes."""
        return run(self._stores.document_ids())

    async def adocument_ids(self) -> list[str]:
        """Return the ids of all documents, as `document_ids` does."""
        return await run_async(self._stores.document_ids())

    def _update_steps(
        self,
        documents: Iterable[BaseNode],
        deleted: Iterable[str] = (),
        *,
        delete_missing: bool = False,
    ) -> Procedure[UpdateReport]:
        by_id = documents_by_id(documents)
        self._parser.check_files(by_id.values())
        return self._stores.update(by_id, self._parser, deleted, delete_missing=delete_missing)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        nodes = self._vector_retriever.retrieve(query_bundle)
        for postprocessor in self._node_postprocessors:
            nodes = postprocessor.postprocess_nodes(nodes, query_bundle)
        return run(self._merge(nodes))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        nodes = await self._vector_retriever.aretrieve(query_bundle)
        for postprocessor in self._node_postprocessors:
            nodes = await postprocessor.apostprocess_nodes(nodes, query_bundle)
        return await run_async(self._merge(nodes))

    def _merge(self, nodes: list[NodeWithScore]) -> Procedure[list[NodeWithScore]]:
        has_index = self._stores.index is not None
        return merge_nodes(nodes, self._options, self._stores.docstore, omits_missing=has_index)


class _IndexRetriever(BaseRetriever):
    """Finds the leaves that are in an index at the time of each query.

    The index's own retriever finds only the leaves that were there when it was created.
    """

    def __init__(
        self, index: BaseIndex[Any], similarity_top_k: int, filters: MetadataFilters | None
    ) -> None:
        self.index = index
        self._arguments = {"similarity_top_k": similarity_top_k, "filters": filters}
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return self._retriever().retrieve(query_bundle)

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await self._retriever().aretrieve(query_bundle)

    def _retriever(self) -> BaseRetriever:
        return self.index.as_retriever(**self._arguments)


def _parse_documents(
    documents_or_nodes: Iterable[BaseNode], parser: ChunkanaNodeParser
) -> tuple[list[Document], list[BaseNode]]:
    """Return the given documents, and the given nodes together with those of the documents."""
    given = documents_by_id(documents_or_nodes).values()
    documents = [node for node in given if isinstance(node, Document)]
    nodes = [node for node in given if not isinstance(node, Document)]
    return documents, nodes + parser.get_nodes_from_documents(documents)


def _require_compatible(
    base_retriever: BaseRetriever | None,
    index: BaseIndex[Any] | None,
    embed_model: BaseEmbedding | None,
    filters: Filters | None,
) -> None:
    """Raise a ValueError for arguments that exclude each other."""
    if base_retriever is not None and (index is not None or filters is not None):
        raise ValueError("give a base_retriever, or index and filters for one")
    if embed_model is not None and (base_retriever is not None or index is not None):
        raise ValueError("embed_model is for a new index; the given index or retriever has its own")
