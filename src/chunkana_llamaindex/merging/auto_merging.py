"""A retriever that finds leaves and puts parents in their place, each text once."""

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
from chunkana_llamaindex.merging.nodes import MergingOptions, merging
from chunkana_llamaindex.merging.updating import NodeStores, mark_of
from chunkana_llamaindex.parsing.checks import documents_by_id, require_documents
from chunkana_llamaindex.parsing.metadata import leaves_of
from chunkana_llamaindex.parsing.parser import ChunkanaNodeParser
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

_OTHER_NAMES: Final = {
    "embedding": "embed_model",
    "node_parser": "parser",
    "similarity_top_k": "k, how many nodes are returned, or fetch_k, how many leaves are found",
    "simple_ratio_thresh": "ratio",
    "top_k": "k, how many nodes are returned, or fetch_k, how many leaves are found",
    "vector_store": "storage_context=StorageContext.from_defaults(vector_store=…)",
    "vectorstore": "storage_context=StorageContext.from_defaults(vector_store=…)",
    "docstore": "storage_context=StorageContext.from_defaults(docstore=…)",
}
_NO_EMBEDDING: Final = "; an embedding model is embed_model=…"


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
    """Return a retriever that finds leaves and puts parents in their place.

    Leaves are ranked by their scores and the best ones of their section and document
    (`chunkana_retrieval.propagate_scores`). As many are taken, the best first, as make `k` nodes
    after merging; each has the score of the best leaf in it.

    Parents and leaves are kept in a document store, in place of what it has of the same documents;
    leaves alone are indexed, unless something that finds them is given.

    Args:
        documents_or_nodes: documents to parse, or nodes; none where all is stored already.
        parser: by default `ChunkanaNodeParser()`.
        base_retriever: finds leaves, in place of an index.
        index: has the leaves; by default a `VectorStoreIndex` is made of them.
        storage_context: for nodes and vectors; by default the index's, else in memory.
        embed_model: of the index that is made; by default that of LlamaIndex's settings.
        k: how many nodes to return, if there are so many.
        fetch_k: how many leaves an index finds, at least `k`; so many best ones take part in the
            propagation of scores.
        section_weight: how much the best score of a leaf's section counts; 0 for nothing.
        document_weight: how much the best score of a leaf's document counts; 0 for nothing.
        ratio: a parent replaces its children where more than this part of them was found; from 0
            to 1.
        max_parent_size: the largest parent to return, in characters; None for any that is stored.
        filters: of the index, or a dict of metadata that have to be equal.
        node_postprocessors: change what was found, one after the other, before it is ranked.
        unknown: none; what is given is an error that names what is allowed.

    Raises:
        ValueError: if a node that others are linked to, or an index finds, is not stored; if an
            index lacks leaves or has parents; for no nodes, values out of range, and arguments that
            exclude each other.
    """
    require_known(unknown, names_of(build_auto_merging), _OTHER_NAMES)
    options = MergingOptions(k, fetch_k, section_weight, document_weight, ratio, max_parent_size)
    _require_sense(base_retriever, index, embed_model, filters)
    filters, parser = require_filters(filters), require_parser(parser, _NO_EMBEDDING)
    documents, nodes = _parsed(documents_or_nodes, parser)
    if storage_context is None:
        storage_context = index.storage_context if index else StorageContext.from_defaults()
    storing.update(storage_context.docstore, nodes, documents, index)
    finder = base_retriever
    if finder is None:
        index = index or VectorStoreIndex(
            leaves_of(nodes), storage_context=storage_context, embed_model=embed_model
        )
        storing.require_leaves(index, storage_context.docstore)
        finder = _Finder(index, max(k, fetch_k), filters)
    for document in documents:
        mark = mark_of(document, parser)
        storage_context.docstore.set_document_hash(document.node_id, mark)
    return ChunkanaAutoMergingRetriever(
        finder, storage_context, parser, options, node_postprocessors
    )


class ChunkanaAutoMergingRetriever(AutoMergingRetriever):
    """Finds leaves, and puts parents in their place; made by `build_auto_merging`.

    It is LlamaIndex's retriever, truly asynchronous, with the merging of `chunkana_retrieval`, and
    is brought to today's documents by `update` and `delete`. What is stored is what is returned: a
    leaf that an index finds and that is not stored any longer is left out.

    A gap is not filled with what was found or filled before: else a leaf would count twice among
    its parent's children, or come back after its parent replaced it, forever.
    """

    def __init__(
        self,
        base_retriever: BaseRetriever,
        storage_context: StorageContext,
        parser: ChunkanaNodeParser,
        options: MergingOptions,
        node_postprocessors: Sequence[BaseNodePostprocessor] = (),
    ) -> None:
        retriever = cast("VectorIndexRetriever", base_retriever)  # any retriever will do
        super().__init__(retriever, storage_context, simple_ratio_thresh=options.ratio)
        propagation = ScorePropagation(
            section_weight=options.section_weight,
            document_weight=options.document_weight,
            top_k=options.fetch_k,
        )
        self._node_postprocessors = (*node_postprocessors, propagation)
        self._parser, self._options = parser, options
        index = base_retriever.index if isinstance(base_retriever, _Finder) else None
        self._stores = NodeStores(storage_context.docstore, index)
        self._lock = UpdateLock()

    def update(
        self, documents: Iterable[BaseNode], *, delete_missing: bool = False
    ) -> UpdateReport:
        """Bring index and document store to today's documents; what has not changed costs nothing.

        Leaves that are new are embedded, parents and places are those of today's texts. Where
        leaves are found by a retriever of yours, it has to be given them anew.

        Args:
            documents: new ones, and those that are stored, by their ids.
            delete_missing: whether all others are deleted; an error where no documents are given.
        """
        procedure = self._updating(documents, delete_missing=delete_missing)
        with self._lock:
            return run(procedure)

    async def aupdate(
        self, documents: Iterable[BaseNode], *, delete_missing: bool = False
    ) -> UpdateReport:
        """Bring index and document store to today's documents, as `update` does."""
        procedure = self._updating(documents, delete_missing=delete_missing)
        async with self._lock:
            return await run_async(procedure)

    def delete(self, document_ids: Iterable[str]) -> UpdateReport:
        """Delete all nodes of documents; one that is not stored is no error."""
        procedure = self._updating([], require_names("document_ids", document_ids))
        with self._lock:
            return run(procedure)

    async def adelete(self, document_ids: Iterable[str]) -> UpdateReport:
        """Delete all nodes of documents, as `delete` does."""
        procedure = self._updating([], require_names("document_ids", document_ids))
        async with self._lock:
            return await run_async(procedure)

    def document_ids(self) -> list[str]:
        """Return the ids of all documents of which nodes are stored."""
        return run(self._stores.names())

    async def adocument_ids(self) -> list[str]:
        """Return the ids of all documents of which nodes are stored."""
        return await run_async(self._stores.names())

    def _updating(
        self,
        documents: Iterable[BaseNode],
        deleted: Iterable[str] = (),
        *,
        delete_missing: bool = False,
    ) -> Procedure[UpdateReport]:
        by_id = documents_by_id(documents)
        self._parser.require_formats(by_id.values())
        return self._stores.update(by_id, self._parser, deleted, delete_missing=delete_missing)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        nodes = self._vector_retriever.retrieve(query_bundle)
        for postprocessor in self._node_postprocessors:
            nodes = postprocessor.postprocess_nodes(nodes, query_bundle)
        return run(self._merging(nodes))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        nodes = await self._vector_retriever.aretrieve(query_bundle)
        for postprocessor in self._node_postprocessors:
            nodes = await postprocessor.apostprocess_nodes(nodes, query_bundle)
        return await run_async(self._merging(nodes))

    def _merging(self, nodes: list[NodeWithScore]) -> Procedure[list[NodeWithScore]]:
        is_ours = self._stores.index is not None
        return merging(nodes, self._options, self._stores.docstore, is_stored_alone=is_ours)


class _Finder(BaseRetriever):
    """Finds leaves in an index as it is now: its own retriever knows those of when it was made."""

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


def _parsed(
    documents_or_nodes: Iterable[BaseNode], parser: ChunkanaNodeParser
) -> tuple[list[Document], list[BaseNode]]:
    """Return the documents that are given, and the nodes: those given and those of documents."""
    given = require_documents(documents_or_nodes)
    documents = [node for node in given if isinstance(node, Document)]
    nodes = [node for node in given if not isinstance(node, Document)]
    return documents, nodes + parser.get_nodes_from_documents(documents)


def _require_sense(
    base_retriever: BaseRetriever | None,
    index: BaseIndex[Any] | None,
    embed_model: BaseEmbedding | None,
    filters: Filters | None,
) -> None:
    """Raise a ValueError for arguments that exclude each other."""
    if base_retriever is not None and (index is not None or filters is not None):
        raise ValueError("give a base_retriever, or index and filters for one")
    if embed_model is not None and (base_retriever is not None or index is not None):
        raise ValueError("embed_model is for an index that is made; the one given has its own")
