"""Leaves in LlamaIndex's vector stores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from llama_index.core.schema import (
    NodeRelationship,
    ObjectType,
    QueryBundle,
    RelatedNodeInfo,
    TextNode,
)
from llama_index.core.vector_stores import (
    MetadataFilters,
    SimpleVectorStore,
    VectorStoreQuery,
    VectorStoreQueryResult,
)
from llama_index.core.vector_stores.simple import SimpleVectorStoreData
from llama_index.core.vector_stores.types import BasePydanticVectorStore

from chunkana_core import ConfigurationError
from chunkana_core.extending import format_header_path
from chunkana_llamaindex.collections import ahas_collection, has_collection
from chunkana_llamaindex.retrieving.embedding import TextVectors
from chunkana_llamaindex.warning import warn
from chunkana_retrieval.indexing import DocumentRecord, LeafRecord, Proposal

LEAF_ID: Final = "chunkana_leaf_id"  # a key of metadata, for stores that give nodes other ids
_FLAT: Final = (str, int, float, type(None))
_Leaf = tuple[DocumentRecord, LeafRecord]


class LeafStore:
    """The leaves of an index, in a vector store of the caller's or in memory.

    Attributes:
        store: the vector store; where it is in memory, another one after each change, so that
            searches go on in the one that they began in.
        is_in_memory: whether it is not the caller's.
        vectors: embeds texts.
    """

    def __init__(self, store: BasePydanticVectorStore | None, vectors: TextVectors) -> None:
        self.store = store or SimpleVectorStore()
        self.is_in_memory = store is None
        self.vectors = vectors

    def add(self, leaves: Sequence[_Leaf]) -> None:
        """Embed leaves and store them."""
        nodes = self._nodes(leaves, self.vectors.embed(_texts(leaves)))
        self._changing().add(nodes)

    async def aadd(self, leaves: Sequence[_Leaf]) -> None:
        """Embed leaves and store them."""
        nodes = self._nodes(leaves, await self.vectors.aembed(_texts(leaves)))
        await self._changing().async_add(nodes)

    def delete(self, leaf_ids: Sequence[str]) -> None:
        """Delete leaves, some of which may not be there."""
        self.vectors.forget(leaf_ids)
        if has_collection(self.store):
            self._changing().delete_nodes([*leaf_ids])

    async def adelete(self, leaf_ids: Sequence[str]) -> None:
        """Delete leaves, some of which may not be there."""
        self.vectors.forget(leaf_ids)
        if await ahas_collection(self.store):
            await self._changing().adelete_nodes([*leaf_ids])

    def find(self, query: QueryBundle, k: int, filters: MetadataFilters | None) -> list[Proposal]:
        """Return the nearest leaves, the best first."""
        store = self.store
        if is_empty(query) or not has_collection(store):
            return []
        vector = self._comparable(self.vectors.embed_query(query))
        return _proposals(store.query(_asked(query, vector, k, filters)), store)

    async def afind(
        self, query: QueryBundle, k: int, filters: MetadataFilters | None
    ) -> list[Proposal]:
        """Return the nearest leaves, the best first."""
        store = self.store
        if is_empty(query) or not await ahas_collection(store):
            return []
        vector = self._comparable(await self.vectors.aembed_query(query))
        return _proposals(await store.aquery(_asked(query, vector, k, filters)), store)

    def restore(
        self, records: Sequence[DocumentRecord], vectors: Mapping[str, Sequence[float]]
    ) -> None:
        """Keep the vectors of leaves, which are given by the leaves' ids, until they are added."""
        for record in records:
            for leaf in record.leaves:
                if leaf.leaf_id in vectors:
                    self.vectors.restore(record.embedded(leaf), vectors[leaf.leaf_id])

    def known(self) -> Mapping[str, Sequence[float]]:
        """Return the vectors by the leaves' ids, of a store in memory."""
        return _data(self.store).embedding_dict

    def _changing(self) -> BasePydanticVectorStore:
        """Return the store to change, which is a copy where it is in memory."""
        if self.is_in_memory:
            data = _data(self.store)
            self.store = SimpleVectorStore(
                SimpleVectorStoreData(
                    dict(data.embedding_dict),
                    dict(data.text_id_to_ref_doc_id),
                    dict(data.metadata_dict),
                )
            )
        return self.store

    def _nodes(self, leaves: Sequence[_Leaf], vectors: Sequence[list[float]]) -> list[TextNode]:
        is_flat = bool(getattr(self.store, "flat_metadata", False))
        has_text = self.store.stores_text
        return [
            _node(record, leaf, vector, is_flat=is_flat, has_text=has_text)
            for (record, leaf), vector in zip(leaves, map(self._comparable, vectors), strict=True)
        ]

    def _comparable(self, vector: list[float]) -> list[float]:
        """Return a vector; a ConfigurationError if it is of another model than those in memory."""
        known = next(iter(self.known().values()), vector)
        if len(known) != len(vector):
            allowed = (
                f"the model that this index was made with: its vectors have {len(known)} numbers"
            )
            raise ConfigurationError("embedding", f"a model of {len(vector)} numbers", allowed)
        return vector


def require_usable(store: BasePydanticVectorStore) -> None:
    """Raise a ConfigurationError for a vector store that cannot be kept up to date."""
    allowed = "a vector store that keeps nodes and deletes them by their ids, like Qdrant or Chroma"
    is_ours = isinstance(store, BasePydanticVectorStore)
    if not is_ours or type(store).delete_nodes is BasePydanticVectorStore.delete_nodes:
        raise ConfigurationError("vectorstore", store, allowed)
    if not (store.stores_text or isinstance(store, SimpleVectorStore)):
        raise ConfigurationError("vectorstore", store, allowed)


def is_empty(query: QueryBundle) -> bool:
    """Tell whether a question has nothing to embed."""
    return not query.embedding and not query.embedding_strs


def _texts(leaves: Sequence[_Leaf]) -> dict[str, str]:
    return {leaf.leaf_id: record.embedded(leaf) for record, leaf in leaves}


def _node(
    record: DocumentRecord, leaf: LeafRecord, vector: list[float], *, is_flat: bool, has_text: bool
) -> TextNode:
    """Return a leaf as it is stored: with nothing that changes where text above it does."""
    own = {
        "section_id": leaf.section_id,
        "parent_section_id": leaf.parent_section_id,
        "header_path": _written(format_header_path(leaf.path)),
        "content_type": leaf.content_type,
        "format": leaf.format,
        "kind": leaf.kind,
        "name": _written(leaf.name),
        "container": leaf.container,
    }
    theirs: Mapping[str, object] = record.metadata
    if is_flat:
        theirs = {key: value for key, value in theirs.items() if isinstance(value, _FLAT)}
    metadata: dict[str, Any] = {**own, **theirs, LEAF_ID: leaf.leaf_id}
    source = RelatedNodeInfo(node_id=record.document_id, node_type=ObjectType.DOCUMENT)
    return TextNode(
        id_=leaf.leaf_id,
        text=_written(record.embedded(leaf)) if has_text else "",
        embedding=vector,
        metadata=metadata,
        relationships={NodeRelationship.SOURCE: source},
    )


def _written(text: str) -> str:
    """Return a text without what UTF-8 cannot write, which stores refuse."""
    return text.encode("utf-8", "replace").decode()


def _asked(
    query: QueryBundle, vector: list[float], k: int, filters: MetadataFilters | None
) -> VectorStoreQuery:
    return VectorStoreQuery(
        query_embedding=vector, similarity_top_k=k, query_str=query.query_str, filters=filters
    )


def _proposals(result: VectorStoreQueryResult, store: BasePydanticVectorStore) -> list[Proposal]:
    """Return what a vector store found; what cannot be a leaf of ours is left out."""
    names: list[tuple[object, object]]
    if result.nodes is None:
        sources = _data(store).text_id_to_ref_doc_id
        ranked = zip(result.similarities or [], result.ids or [], strict=False)
        # Leaves alike stand as they were added, which is not the same after loading.
        best = sorted(ranked, key=lambda pair: (-pair[0], pair[1]))
        names = [(sources.get(leaf_id), leaf_id) for _, leaf_id in best]
        scores: Sequence[float | None] = [score for score, _ in best]
    else:
        names = [(n.ref_doc_id, n.metadata.get(LEAF_ID, n.node_id)) for n in result.nodes]
        scores = result.similarities or [None] * len(names)
    proposals = [
        Proposal(document_id, leaf_id, score)
        for (document_id, leaf_id), score in zip(names, scores, strict=False)
        if isinstance(document_id, str) and isinstance(leaf_id, str)
    ]
    if len(proposals) < len(names):
        warn("the vector store has nodes without a document or id, which are left out")
    return proposals


def _data(store: BasePydanticVectorStore) -> SimpleVectorStoreData:
    """Return what a vector store has in memory, nothing where it keeps nodes itself."""
    return store.data if isinstance(store, SimpleVectorStore) else SimpleVectorStoreData()
