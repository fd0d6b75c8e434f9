"""Store and search the leaves of an index in LlamaIndex's vector stores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

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
from chunkana_llamaindex.collections import has_collection
from chunkana_llamaindex.retrieving.embedding import TextVectors
from chunkana_retrieval.errors import warn
from chunkana_retrieval.indexing import Leaf, Procedure, Proposal, call

LEAF_ID: Final = "chunkana_leaf_id"  # a metadata key, for stores that assign other ids to nodes
_SCALARS: Final = (str, int, float, type(None))


class Search(NamedTuple):
    """A query to a vector store, with the number of leaves to find and the filters."""

    query: QueryBundle
    limit: int
    filters: MetadataFilters | None


class LeafStore:
    """The leaves of an index, in the caller's vector store or in memory.

    Attributes:
        store: the vector store; a store in memory is replaced by a changed copy at each change, so
            that running searches are not affected.
        is_in_memory: whether the store is in memory, and not the caller's.
    """

    def __init__(self, store: BasePydanticVectorStore | None, vectors: TextVectors) -> None:
        self.store = store or SimpleVectorStore()
        self.is_in_memory = store is None
        self._text_vectors = vectors

    def add(self, leaves: Sequence[Leaf]) -> Procedure[None]:
        """Embed leaves and store them."""
        texts = {leaf.leaf_id: record.embedded(leaf) for record, leaf in leaves}
        nodes = self._nodes(leaves, (yield from self._text_vectors.embed(texts)))
        store = self._writable_store()
        yield from call(store.add, store.async_add, nodes)

    def delete(self, leaf_ids: Sequence[str]) -> Procedure[None]:
        """Delete leaves; ids that are not stored are ignored."""
        self._text_vectors.forget(leaf_ids)
        if (yield from has_collection(self.store)):
            store = self._writable_store()
            yield from call(store.delete_nodes, store.adelete_nodes, [*leaf_ids])

    def find(self, asked: Search) -> Procedure[list[Proposal]]:
        """Return the nearest leaves, the best first."""
        store = self.store
        if not (yield from has_collection(store)):
            return []
        vector = yield from self._text_vectors.embed_query(asked.query)
        query = VectorStoreQuery(
            query_embedding=self._require_same_dimension(vector),
            similarity_top_k=asked.limit,
            query_str=asked.query.query_str,
            filters=asked.filters,
        )
        return _proposals((yield from call(store.query, store.aquery, query)), store)

    def vectors(self) -> Mapping[str, Sequence[float]]:
        """Return the vectors of a `SimpleVectorStore` by leaf id, empty for any other store."""
        return _memory_data(self.store).embedding_dict

    def remember(self, vectors: Mapping[str, Sequence[float]]) -> None:
        """Cache vectors by text, so that these texts are not embedded again."""
        self._text_vectors.remember(vectors)

    def _writable_store(self) -> BasePydanticVectorStore:
        """Return the store to change; a store in memory is replaced by a copy of it first."""
        if self.is_in_memory:
            data = _memory_data(self.store)
            self.store = SimpleVectorStore(
                SimpleVectorStoreData(
                    dict(data.embedding_dict),
                    dict(data.text_id_to_ref_doc_id),
                    dict(data.metadata_dict),
                )
            )
        return self.store

    def _nodes(self, leaves: Sequence[Leaf], vectors: Sequence[list[float]]) -> list[TextNode]:
        is_flat = bool(getattr(self.store, "flat_metadata", False))
        has_text = self.store.stores_text
        return [
            _node(leaf, vector, is_flat=is_flat, has_text=has_text)
            for leaf, vector in zip(leaves, map(self._require_same_dimension, vectors), strict=True)
        ]

    def _require_same_dimension(self, vector: list[float]) -> list[float]:
        """Return a vector, with its dimension checked.

        Raises:
            ConfigurationError: if the dimension differs from that of the vectors in memory.
        """
        dimension = len(next(iter(self.vectors().values()), vector))
        if dimension != len(vector):
            allowed = (
                f"the model that this index was made with: its vectors have {dimension} numbers"
            )
            raise ConfigurationError("embedding", f"a model of {len(vector)} numbers", allowed)
        return vector


def require_usable(store: BasePydanticVectorStore) -> None:
    """Raise a ConfigurationError if a vector store cannot delete or store nodes by their ids."""
    allowed = "a vector store that keeps nodes and deletes them by their ids, like Qdrant or Chroma"
    is_store = isinstance(store, BasePydanticVectorStore)
    if not is_store or type(store).delete_nodes is BasePydanticVectorStore.delete_nodes:
        raise ConfigurationError("vectorstore", store, allowed)
    if not (store.stores_text or isinstance(store, SimpleVectorStore)):
        raise ConfigurationError("vectorstore", store, allowed)


def _node(leaf: Leaf, vector: list[float], *, is_flat: bool, has_text: bool) -> TextNode:
    """Return the node that stores a leaf, without metadata that depend on the text above the leaf.

    Args:
        leaf: the leaf with the record of its document.
        vector: the vector of its embedded text.
        is_flat: whether the store accepts only scalar metadata.
        has_text: whether the store contains texts.
    """
    document, record = leaf
    own = {
        key: _encodable(value) if isinstance(value, str) else value
        for key, value in record.metadata.items()
    }
    shared = {
        key: value
        for key, value in document.metadata.items()
        if not is_flat or isinstance(value, _SCALARS)
    }
    metadata: dict[str, Any] = {**own, **shared, LEAF_ID: record.leaf_id}
    source = RelatedNodeInfo(node_id=document.document_id, node_type=ObjectType.DOCUMENT)
    return TextNode(
        id_=record.leaf_id,
        text=_encodable(document.embedded(record)) if has_text else "",
        embedding=vector,
        metadata=metadata,
        relationships={NodeRelationship.SOURCE: source},
    )


def _encodable(text: str) -> str:
    """Return a text with each lone surrogate, which vector stores reject, replaced by "?"."""
    return text.encode("utf-8", "replace").decode()


def _proposals(result: VectorStoreQueryResult, store: BasePydanticVectorStore) -> list[Proposal]:
    """Convert the result of a vector store to proposals; nodes without a document are omitted."""
    names: list[tuple[object, object]]
    if result.nodes is None:
        sources = _memory_data(store).text_id_to_ref_doc_id
        ranked = zip(result.similarities or [], result.ids or [], strict=False)
        # Equal scores are ordered by id: the order in the store changes when the index is loaded.
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


def _memory_data(store: BasePydanticVectorStore) -> SimpleVectorStoreData:
    """Return the data of a `SimpleVectorStore`, empty data for any other store."""
    return store.data if isinstance(store, SimpleVectorStore) else SimpleVectorStoreData()
